"use strict";
// Rules as sentences: the condition that decides first, and then the others.

const HALF = 0.5; // degree from which on a condition holds
const FULLY = 0.995; // degree that is written as 1.00
const LEAST_WRITTEN = 0.005; // degree that is not written as 0.00
const MOST_NAMED = 4; // conditions of a rule
const MOST_LETTERS = 90; // of a condition
const MOST_OF_VALUE = 30;

const shortened = (text, most) => (text.length > most ? `${text.slice(0, most - 1).trimEnd()}…` : text);

// The share of the rows of which a condition is true, by the histogram of its feature.
function shareOfRows(feature, condition, { edges, counts }) {
  const total = sum(counts);
  if (!total) return 1;
  const values = isListed(feature) ? edges : counts.map((_, k) => edges[k] / 2 + edges[k + 1] / 2);
  return sum(values.map((value, k) =>
    counts[k] * membership(feature, condition, locate(feature, value)))) / total;
}

// The conditions of a rule, the one that decides first: those that do not hold, the least first; then
// those on missing values; then the others, first what is true of the fewest rows.
function orderedConditions({ features }, { if: conditions, shares }, positions) {
  const found = conditions.map((condition, k) => {
    const isOpen = isUnknown(features[condition[0]], condition, positions[condition[0]]);
    const degree = isOpen ? 1 : membership(features[condition[0]], condition, positions[condition[0]]);
    return { k, degree, state: degree < HALF ? "fails" : isOpen ? "open" : "holds" };
  });
  const rank = ({ state }) => ["fails", "open", "holds"].indexOf(state);
  return found.sort((a, b) => rank(a) - rank(b) || (a.state === "fails" ? a.degree - b.degree : 0) ||
    shares[a.k] - shares[b.k] || a.k - b.k);
}

// A condition, highlighted if it decides, with the value of the record and how far it holds.
function conditionWords({ features }, record, rule, { k, state, degree }, isFirst = false) {
  const f = rule.if[k][0], text = shortened(rule.texts[k], MOST_LETTERS);
  // A value that the source of the rule has not seen is open, but not missing.
  const isMissing = state === "open" && (!features[f].views || Number.isNaN(record[f]));
  const value = isMissing ? "missing" : written(features[f], record[f]);
  const words = [isFirst ? make("mark", { className: state, title: rule.texts[k] }, text) : text];
  const partly = state === "holds" && degree < FULLY ? `, to degree ${degree.toFixed(2)}` : "";
  if (state === "fails" && degree >= LEAST_WRITTEN) words.push(` holds only to degree ${degree.toFixed(2)}`);
  else if (state === "fails") words.push(degree > 0 ? " hardly holds" : " does not hold");
  if (state === "fails" || partly || !rule.texts[k].endsWith(` is ${value}`)) {
    words.push(make("span", { className: "here" }, ` (here ${shortened(value, MOST_OF_VALUE)}${partly})`));
  }
  return words;
}

// The conditions of a rule, joined by "and"; of many, the first few.
function conditionList(model, record, rule, parts) {
  const named = parts.length <= MOST_NAMED ? parts : parts.slice(0, MOST_NAMED - 1), more = parts.length - named.length;
  const words = named.flatMap((part, i) => [...(i ? [" and "] : []),
    ...conditionWords(model, record, rule, part, i === 0)]);
  return more ? [...words, ` and ${counted(more, "more condition", "more conditions")}`] : words;
}

// What a rule concludes: a class, or that it is not a class.
const labelOf = (rule, classes) => rule.label ?? classes[rule.class];

// The class that a rule speaks for, or against, where it matches.
const aimOf = (rule, classes) => (rule.isAgainst ? `against ${classes[rule.named]}` : `for ${labelOf(rule, classes)}`);

// A rule of the ledger in a sentence, after the class that it speaks for here.
function ruleSentence(model, record, entry, positions, side) {
  return [...untaggedSentence(model, record, entry, positions, side), sourceTag(model, entry.rule)];
}

function untaggedSentence(model, record, entry, positions, side) {
  const { rule } = entry, label = labelOf(rule, model.classes);
  if (!rule.if.length) return [`anything → ${label}`];
  const parts = orderedConditions(model, rule, positions), isFailing = parts[0].state === "fails";
  const expected = entry.kind === "unknown" ? `, expected to hold to degree ${entry.degree.toFixed(2)}` : "";
  if (!entry.kind) return [...conditionList(model, record, rule, parts), ...(label === side ? [] : [` → ${label}`])];
  const aim = aimOf(rule, model.classes);
  if (!isFailing) {
    const tail = !entry.isMore ? `, too little to speak ${aim}` : label === side ? "" : `: a rule ${aim}`;
    return [...conditionList(model, record, rule, parts), expected + tail];
  }
  const first = conditionWords(model, record, rule, parts[0], true);
  if (entry.isMore) return [...first, `${expected}, enough for a rule ${aim}`, ...alsoWords(rule, parts)];
  return [...first, `: a rule ${aim}`, ...alsoWords(rule, parts)];
}

// What a rule asks for besides the condition that decides.
function alsoWords(rule, [, ...others]) {
  if (!others.length) return [];
  return [`, which also asks that ${listed(others.map(({ k }) => shortened(rule.texts[k], MOST_LETTERS)))}`];
}

// What an entry of the ledger gives as a reason, after "because".
function reasonWords(model, record, entry, positions) {
  if (!entry.rule || !entry.rule.if.length) return null;
  const { rule } = entry, parts = orderedConditions(model, rule, positions), [first] = parts;
  const aim = aimOf(rule, model.classes), isLittle = entry.kind && !entry.isMore;
  if (first.state === "fails") {
    const words = conditionWords(model, record, rule, first, true);
    return [...words, entry.kind && entry.isMore ? `, enough for a rule ${aim}` : `, which a rule ${aim} asks for`];
  }
  const list = conditionList(model, record, rule, parts), tail = isLittle ? [`, too little to speak ${aim}`] : [];
  return first.state === "open" ? ["of what other values tell about ", ...list, ...tail] : [...list, ...tail];
}

// Of entries that are sorted by size, the first for the answer, or against it.
const strongest = (entries, sign) => entries.find(({ contribution }) => sign * contribution > 0);

// The entries that the sentence why names: what contributes most; if the model is torn, what does so on
// either side; if base rates contribute most, the rule that comes next unless they suffice.
function namedEntries({ verdict }, entries) {
  if (verdict === "unknown") return [];
  if (verdict === "torn") return [strongest(entries, 1), strongest(entries, -1)].filter(Boolean);
  const top = strongest(entries, 1);
  if (!top || top.kind !== "base rates") return top ? [top] : [];
  const isAlone = sum(entries.map(({ contribution }) => contribution)) < 2 * top.contribution;
  const next = isAlone ? null : strongest(entries.filter((entry) => entry !== top), 1);
  return next ? [top, next] : [top];
}

// One sentence why.
function becauseWords(model, record, result, entries) {
  const { positions } = result.matched, { classes, base_rates: rates } = model;
  const [top, next] = namedEntries(result, entries);
  if (!top) return [];
  const rival = rivalOf(model, result), rateOf = (c) => `${classes[c]} ${percent(rates[c])}`;
  if (result.verdict === "torn") {
    return [top, next].flatMap((entry) => {
      if (!entry) return [];
      const c = entry.contribution > 0 ? result.best : rival;
      const reason = entry.kind === "base rates" ? [`the base rate, ${percent(rates[c])}`]
        : reasonWords(model, record, entry, positions);
      return reason ? [make("b", {}, `For ${classes[c]}: `), ...reason, ". "] : [];
    });
  }
  if (top.kind !== "base rates") {
    const reason = reasonWords(model, record, top, positions);
    return reason ? ["Above all because ", ...reason, "."] : [];
  }
  const reason = next && reasonWords(model, record, next, positions);
  if (reason) return [`Because of the base rate, ${rateOf(result.best)}, and because `, ...reason, "."];
  if (sum(entries.map(({ contribution }) => contribution)) < top.contribution) {
    return [`Because of the base rate alone, ${rateOf(result.best)}: together, the rules speak for ${classes[rival]}.`];
  }
  return [`Above all because of the base rate: ${rateOf(result.best)}.`];
}
