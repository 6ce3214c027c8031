"use strict";
// The verdict on a record of a model with base rates, in words before numbers.

const WELL_SUPPORTED = 0.1; // greatest ignorance of an answer that is called so
const NO_EVIDENCE = 0.995; // ignorance from which on there is no evidence to speak of
const STILL_POSSIBLE = 0.25; // least probability of a class that is left, as a share of the greatest
const SEPARATING = 0.1; // least log-odds by which a rule separates two classes
const MOST_NAMED = 5; // classes in a sentence

// A share with two digits, or as many as it takes to tell it from none and from all.
function sharePercent(share) {
  const space = "\u00a0%";
  if (share > 0 && share < 0.0995) return `${Number((100 * share).toPrecision(2))}${space}`;
  if (share >= 0.995 && share < 1) {
    const digits = Math.max(0, -Math.floor(Math.log10(Number((100 * (1 - share)).toPrecision(1)))));
    return `${(100 * share).toFixed(Math.min(digits, 20))}${space}`;
  }
  return `${(100 * share).toFixed(0)}${space}`;
}

// Names with commas and "and"; of many, the first and how many more.
function listed(names) {
  const shown = names.length > MOST_NAMED
    ? [...names.slice(0, MOST_NAMED - 1), `${names.length - MOST_NAMED + 1} others`] : names;
  if (shown.length < 2) return shown.join("");
  return `${shown.slice(0, -1).join(", ")} and ${shown[shown.length - 1]}`;
}

const counted = (n, one, several) => `${n.toLocaleString("en")} ${n === 1 ? one : several}`;
const capitalised = (text) => text.slice(0, 1).toUpperCase() + text.slice(1);

// The verdict in words: a heading, the rest of the sentence, and what goes in small print.
function verdictWords(model, record, result) {
  const { classes } = model, { probability, best, verdict, ignorance } = result;
  const forced = `If it must be one: ${classes[best]} ${sharePercent(probability[best])}.`;
  if (verdict === "answer") {
    const support = ignorance <= WELL_SUPPORTED ? "well supported" : "partly supported";
    return { heading: `${capitalised(classes[best])}.`,
      rest: `${sharePercent(probability[best])}, ${support}`, small: "" };
  }
  if (verdict === "torn") {
    const [first, next] = byAmount(probability);
    return { heading: `Between ${classes[first]} and ${classes[next]}:`,
      rest: "rules contradict each other", small: forced };
  }
  const guess = model.guess;
  const without = `Without evidence: ${classes[guess]} ${sharePercent(model.base_rates[guess])}.`;
  const isGuess = best === guess && Math.abs(probability[best] - model.base_rates[guess]) < 0.005;
  return { heading: "I don’t know.", rest: whyUnknown(model, record, result),
    small: result.reason === "undecided" ? forced : isGuess ? without : `${without} ${forced}` };
}

function whyUnknown(model, record, result) {
  if (result.reason === "novelty") {
    const [first] = result.reasons;
    const why = first ? `: ${reasonText(model, record, first)}` : "";
    return `Unlike anything seen${why}`;
  }
  if (result.reason === "missing") {
    const n = result.nMissing;
    const how = result.ignorance >= NO_EVIDENCE ? "No evidence" : "Too little evidence";
    return `${how}: ${counted(n, "value is", "values are")} missing`;
  }
  if (result.reason === "evidence") return "The rules say too little";
  return undecidedWords(model, result);
}

// Between which classes the rules leave the choice, and which they exclude.
function undecidedWords(model, { probability, matched }) {
  const order = byAmount(probability);
  const least = STILL_POSSIBLE * probability[order[0]];
  const left = order.filter((c, i) => i < 2 || probability[c] >= least).sort((a, b) => a - b);
  const excluded = order.filter((c) => !left.includes(c)).sort((a, b) => a - b);
  const isSeparated = matched.rules.some(({ rule, shift }) => {
    const amounts = left.map((c) => shift * rule.profile[c]);
    return Math.max(...amounts) - Math.min(...amounts) >= SEPARATING;
  });
  const names = (some) => listed(some.map((c) => model.classes[c]));
  const not = excluded.length ? ` (not ${names(excluded)})` : "";
  return `Undecided between ${names(left)}${not}: ` +
    (isSeparated ? "rules separate them too little" : "no rule separates them");
}

// Which value makes a record unusual, and why.
function reasonText({ features, support }, record, { feature, given, isOutside }) {
  const say = (f) => `${features[f].name} ${written(features[f], record[f])}`;
  if (!isOutside) return given === null ? say(feature) : `${say(feature)} given ${say(given)}`;
  const [low, high] = [support.minimum[feature], support.maximum[feature]];
  if (support.values[feature] || isListed(features[feature]) || !(high > low)) {
    return `${say(feature)} is outside of the training data`;
  }
  return `${say(feature)} is outside ${plain(low)} to ${plain(high)}`;
}
