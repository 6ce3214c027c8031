"use strict";
// Rules as short sentences: the condition that decides, and how many others there are.

const HALF = 0.5; // degree from which on a condition holds
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

// The condition that decides: the one that holds least, if one does not hold; else one on a missing
// value; else the one that is true of the fewest rows.
function decidingCondition({ features }, { if: conditions, shares }, positions) {
  const degrees = conditions.map((condition) => (Number.isNaN(positions[condition[0]]) ? NaN
    : membership(features[condition[0]], condition, positions[condition[0]])));
  const order = conditions.map((_, k) => k).sort((a, b) => shares[a] - shares[b] || a - b);
  const failing = order.filter((k) => degrees[k] < HALF).sort((a, b) => degrees[a] - degrees[b]);
  if (failing.length) return { k: failing[0], state: "fails", degree: degrees[failing[0]] };
  const open = order.find((k) => Number.isNaN(degrees[k]));
  return open === undefined ? { k: order[0], state: "holds" } : { k: open, state: "open" };
}

// The condition that decides, highlighted, with the value of the record.
function decidingWords(model, record, rule, positions) {
  const { k, state, degree } = decidingCondition(model, rule, positions);
  const f = rule.if[k][0], value = Number.isNaN(positions[f]) ? "missing" : written(model.features[f], record[f]);
  const words = [make("mark", { className: state, title: rule.texts[k] }, shortened(rule.texts[k], MOST_LETTERS))];
  if (state === "fails") words.push(degree > 0 ? " hardly holds" : " does not hold");
  if (state !== "holds" || !rule.texts[k].endsWith(` is ${value}`)) {
    words.push(make("span", { className: "here" }, ` (here ${shortened(value, MOST_OF_VALUE)})`));
  }
  return { words, state, nOthers: rule.if.length - 1 };
}

// What a rule concludes: a class, or that it is not a class.
const labelOf = (rule, classes) => rule.label ?? classes[rule.class];

// A rule of the ledger in one short sentence.
function ruleSentence(model, record, entry, positions) {
  const label = labelOf(entry.rule, model.classes);
  if (!entry.rule.if.length) return [`anything → ${label}`];
  const { words, state, nOthers } = decidingWords(model, record, entry.rule, positions);
  if (state === "fails" && entry.kind) return [...words, `: a rule for ${label}`];
  const others = nOthers ? ` and ${counted(nOthers, "more condition", "more conditions")}` : "";
  const kind = entry.kind === "unknown" ? "expected degree" : "to degree";
  const degree = entry.degree < 0.995 ? `, ${kind} ${entry.degree.toFixed(2)}` : "";
  return [...words, `${others}${degree} → ${label}`];
}

// What an entry of the ledger gives as a reason, after "because".
function reasonWords(model, record, entry, positions) {
  if (!entry.rule || !entry.rule.if.length) return null;
  const { words, state, nOthers } = decidingWords(model, record, entry.rule, positions);
  const label = labelOf(entry.rule, model.classes);
  if (state === "fails") return [...words, `, which a rule for ${label} asks for`];
  if (state === "open") return ["of what other values tell about ", ...words];
  if (!nOthers) return words;
  return [...words, ` and ${counted(nOthers, "more condition holds", "more conditions hold")}`];
}

// One sentence why: what contributes most; if the model is torn, what does so on either side.
function becauseWords(model, record, result, entries) {
  const { positions } = result.matched, { classes } = model;
  const strongest = (sign, but = null) => entries // sorted by size
    .find((entry) => sign * entry.contribution > 0 && entry !== but);
  const top = strongest(1);
  if (result.verdict === "torn") {
    const sides = [[result.best, top], [rivalOf(model, result), strongest(-1)]];
    return sides.flatMap(([c, entry]) => {
      const reason = entry && reasonWords(model, record, entry, positions);
      return reason ? [make("b", {}, `For ${classes[c]}: `), ...reason, ". "] : [];
    });
  }
  if (result.verdict === "unknown") return [];
  if (!top) return [];
  if (top.kind !== "base rates") {
    const reason = reasonWords(model, record, top, positions);
    return reason ? ["Above all because ", ...reason, "."] : [];
  }
  const rate = `${classes[result.best]} ${percent(model.base_rates[result.best])}`;
  const isAlone = sum(entries.map(({ contribution }) => contribution)) < 2 * top.contribution;
  const next = isAlone ? null : strongest(1, top);
  const reason = next && reasonWords(model, record, next, positions);
  return reason ? [`Because of the base rate, ${rate}, and because `, ...reason, "."]
    : [`Above all because of the base rate: ${rate}.`];
}
