"use strict";
// The verdict on a record of a model with base rates, in the words of the library.

const WELL_SUPPORTED = 0.1; // greatest ignorance
const NO_EVIDENCE = 0.95; // least ignorance
const EXCLUDED = 4; // odds of the evidence against a class, beside the most probable one
const SEPARATED = 1.5; // odds from which on rules do tell classes apart
const MOST_NAMES = 5; // of classes in a sentence
const MOST_EXCLUDED = 3;
const MOST_MISSING = 3; // names of missing values

// Names joined by commas and "and".
function listed(names) {
  if (names.length < 2) return names.join("");
  return `${names.slice(0, -1).join(", ")} and ${names[names.length - 1]}`;
}

const counted = (n, one, several) => `${n.toLocaleString("en")} ${n === 1 ? one : several}`;

// The verdict in words: what it is, the rest of the sentence, and what `predict` says all the same.
function verdictWords(model, record, result) {
  const { classes } = model, { probability, verdict } = result;
  if (verdict === "answer") {
    return { headline: `${capitalLabel(classes, result.best)}.`, rest: supportWords(model, record, result),
      guess: "" };
  }
  const guess = guessWords(model, result);
  if (verdict === "torn") {
    const [first, next] = byAmount(probability).map((c) => `${classes[c]} (${percent(probability[c])})`);
    return { headline: `Between ${first} and ${next}:`,
      rest: withOutside("rules contradict each other", model, record, result.outside), guess };
  }
  return { headline: "I don’t know.", rest: whyUnknown(model, record, result), guess };
}

// A class with a capital letter, unless that makes it another one.
function capitalLabel(classes, best) {
  const label = classes[best], capital = label.slice(0, 1).toUpperCase() + label.slice(1);
  return label !== label.toLowerCase() || classes.includes(capital) ? label : capital;
}

function supportWords(model, record, result) {
  const { probability, best, contradiction, ignorance, outside } = result, little = littleWords(model, result);
  const text = percent(probability[best]), doubts = outsideDoubts(model, record, outside);
  if (little) doubts.push(little);
  if (contradiction >= LEAST_CONTRADICTION) doubts.push("rules contradict each other");
  else if (ignorance > WELL_SUPPORTED && !little) doubts.push(`the evidence leaves ${percent(ignorance)} open`);
  return doubts.length ? `${text}, although ${doubts.join(", and ")}` : `${text}, well supported`;
}

// That an answer is owed to the base rate, if the evidence does not speak for it.
function littleWords({ base_rates: rates }, { probability, best }) {
  const share = probability[best], rate = percent(rates[best]);
  if (percent(share) === rate) {
    return `the evidence adds ${share <= rates[best] ? "nothing" : "next to nothing"} to the base rate of ${rate}`;
  }
  return share < rates[best] ? `the evidence speaks against it: the base rate is ${rate}` : "";
}

// The first value outside of the training data, and how many more there are.
function outsideDoubts(model, record, features) {
  const told = features.slice(0, 1).map((feature) => reasonSentence(model, record, { feature, isOutside: true }));
  const more = features.length - 1;
  return more < 1 ? told
    : [...told, `${counted(more, "more value is", "more values are")} outside of the training data`];
}

const withOutside = (sentence, model, record, features) =>
  [sentence, ...outsideDoubts(model, record, features)].join(", and ");

function guessWords({ classes, base_rates: rates }, { probability, best }) {
  const greatest = Math.max(...rates);
  const usual = rates.map((_, c) => c).filter((c) => rates[c] >= greatest - 1e-9);
  const names = usual.length === rates.length ? "each class" : listed(usual.map((c) => classes[c]));
  const without = `ithout evidence: ${names} ${percent(greatest)}`;
  if (usual.includes(best) && Math.abs(probability[best] - rates[best]) < 0.005) return `W${without}`;
  return `Forced guess: ${classes[best]} ${percent(probability[best])}; w${without}`;
}

function whyUnknown(model, record, result) {
  if (result.reason === "novelty") {
    const [first] = result.reasons;
    const others = result.outside.filter((f) => f !== first?.feature);
    return withOutside(`Unlike anything seen${first ? `: ${reasonSentence(model, record, first, result.unset)}` : ""}`,
      model, record, others);
  }
  if (result.reason === "missing") {
    const amount = result.ignorance >= NO_EVIDENCE ? "No evidence" : "Too little evidence";
    const others = result.outside.filter((f) => !Number.isNaN(result.matched.positions[f]));
    return withOutside(`${amount}: ${missingWords(model, result)}`, model, record, others);
  }
  const why = result.reason === "evidence" ? "The rules say too little" : undecidedWords(model, result);
  return withOutside(why, model, record, result.outside);
}

// How many values are missing, and those whose rules have most evidence.
function missingWords(model, { matched }) {
  const evidence = (f) => sum(model.asking[f].map(([r]) => model.rules[r].evidence));
  const missing = model.asked.filter((f) => Number.isNaN(matched.positions[f]))
    .sort((a, b) => evidence(b) - evidence(a) || a - b);
  const names = listed(missing.slice(0, MOST_MISSING).map((f) => model.features[f].name));
  if (missing.length <= MOST_MISSING) return `${names} ${missing.length === 1 ? "is" : "are"} missing`;
  return `${counted(missing.length, "value that rules ask for is missing", "values that rules ask for are missing")
  }, above all ${names}`;
}

// Which class is the most probable, or which are left, and which are excluded. What counts is the evidence, the ratio of
// probability and base rate: a class that is rare anyway is not excluded by that.
function undecidedWords(model, { probability: p }) {
  const { classes, base_rates: rates, answer_threshold: least } = model;
  const lift = p.map((value, c) => (rates[c] > 0 ? value / rates[c] : 0));
  const order = byAmount(p), top = order[0], needed = belowWords(p[top], least);
  const nPossible = rates.filter((rate) => rate > 0).length;
  const isLeft = (c) => rates[c] > 0 && lift[c] * EXCLUDED > lift[top];
  const left = order.filter(isLeft);
  if (nPossible < 3 && percent(p[top]) === percent(p[order[1]])) {
    return `Undecided between ${classWords(classes, order.slice(0, 2), [])}: ${percent(p[top])} each`;
  }
  const excluded = order.filter((c) => rates[c] > 0 && !isLeft(c));
  const lifts = left.map((c) => lift[c]);
  const isSeparated = Math.max(...lifts) >= SEPARATED * Math.min(...lifts);
  if (left.length < 2 || nPossible < 3 || (isSeparated && left.length > MOST_NAMES)) {
    return `Rather ${classes[top]}: ${needed}`;
  }
  if (isSeparated) {
    const others = left.filter((c) => c !== top).sort((a, b) => a - b).map((c) => classes[c]), last = others.pop();
    const names = others.length ? `${others.join(", ")} or ${last}` : last;
    return `Rather ${classes[top]} than ${names}${butWords(classes, excluded)}: ${needed}`;
  }
  return `Undecided between ${classWords(classes, left, excluded)}: the evidence hardly separates them`;
}

const ONLY_IF_CERTAIN = "this model answers only if it is certain"; // a threshold of 1

// How far a probability is below what an answer needs.
function belowWords(share, least) {
  const [text, needed] = apart(share, least);
  if (least >= 1) return `${percent(share)}, and ${ONLY_IF_CERTAIN}`;
  return text === needed ? `just below the ${needed} that an answer needs`
    : `${text}, and an answer needs ${needed}`;
}

// The classes that are left, and those that are excluded, as far as they are few.
function classWords(classes, left, excluded) {
  if (left.length <= MOST_NAMES) {
    return listed(left.slice().sort((a, b) => a - b).map((c) => classes[c])) + butWords(classes, excluded);
  }
  const without = listed(excluded.map((c) => classes[c]).sort());
  if (excluded.length > MOST_EXCLUDED) {
    return `${left.length} of ${left.length + excluded.length} classes`;
  }
  return excluded.length ? `all classes but ${without}` : `all ${left.length} classes`;
}

// The classes that are excluded, in brackets, if they are few.
const butWords = (classes, excluded) => (excluded.length && excluded.length <= MOST_EXCLUDED
  ? ` (not ${listed(excluded.map((c) => classes[c]).sort())})` : "");

const UNSET = " (a typical value that you have not set)";
const valueWords = ({ features }, record, f, unset = null) =>
  `${features[f].name} ${written(features[f], record[f])}${unset?.has(f) ? UNSET : ""}`;

// Which value makes a record unusual.
function reasonText(model, record, { feature, given, isOutside }, unset) {
  const text = valueWords(model, record, feature, unset);
  if (isOutside) return `${text} is outside of the training data`;
  return given === null ? text : `${text} given ${valueWords(model, record, given, unset)}`;
}

// The same as a sentence, with the range of the training data.
function reasonSentence(model, record, { feature, given, isOutside }, unset) {
  const { support, features } = model, text = valueWords(model, record, feature, unset);
  if (!isOutside) {
    return `${text} is unusual${given === null ? "" : ` given ${valueWords(model, record, given, unset)}`}`;
  }
  if (support.values[feature]) return `${text} was never seen`;
  const [low, high] = [support.minimum[feature], support.maximum[feature]]
    .map((value) => written(features[feature], value));
  return low === high ? `${text} was always ${low}` : `${text} is outside ${low} to ${high}`;
}
