"use strict";
// Rules as short sentences: the condition that decides, and how many others there are.

const HALF = 0.5; // degree from which on a condition holds
const QUARTER = 0.25; // degree from which on it nearly does
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
  if (state === "fails") {
    words.push(degree >= QUARTER ? " does not quite hold" : degree > 0 ? " hardly holds" : " does not hold");
  }
  if (state !== "holds" || !rule.texts[k].endsWith(` is ${value}`)) {
    words.push(make("span", { className: "here" }, ` (here ${shortened(value, MOST_OF_VALUE)})`));
  }
  return { words, state, nOthers: rule.if.length - 1 };
}

// What a rule concludes: a class, or that it is not a class.
const labelOf = (rule, classes) => rule.label ?? classes[rule.class];

// A rule of the ledger in one short sentence, after the class that it speaks for here.
function ruleSentence(model, record, entry, positions, side) {
  const label = labelOf(entry.rule, model.classes);
  if (!entry.rule.if.length) return [`anything → ${label}`];
  const { words, state, nOthers } = decidingWords(model, record, entry.rule, positions);
  const others = nOthers && state !== "fails" ? ` and ${counted(nOthers, "more condition", "more conditions")}` : "";
  const kind = entry.kind === "unknown" ? "expected degree" : "to degree";
  const degree = entry.degree < 0.995 && (state !== "fails" || entry.isMore)
    ? `, ${kind} ${entry.degree.toFixed(2)}` : "";
  return [...words, others + degree + ruleTail(entry, label, side, state, degree) + sourceTag(model, entry.rule)];
}

// For what a rule is, unless that is clear; and why it speaks as it does.
function ruleTail(entry, label, side, state, degree) {
  if (!entry.kind) return label === side ? "" : ` → ${label}`;
  if (entry.isMore && label === side && state !== "fails") return "";
  const comparison = entry.isMore ? "more" : "less";
  const compared = degree || !entry.isMore ? `, ${comparison} than neutral` : "";
  return state === "fails" && !entry.isMore ? `: a rule for ${label}` : `${compared}: a rule for ${label}`;
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
  const { positions } = result.matched, { classes } = model;
  const [top, next] = namedEntries(result, entries);
  if (!top) return [];
  if (result.verdict === "torn") {
    const rival = rivalOf(model, result);
    return [top, next].flatMap((entry) => {
      const reason = entry && reasonWords(model, record, entry, positions);
      const label = entry && classes[entry.contribution > 0 ? result.best : rival];
      return reason ? [make("b", {}, `For ${label}: `), ...reason, ". "] : [];
    });
  }
  if (top.kind !== "base rates") {
    const reason = reasonWords(model, record, top, positions);
    return reason ? ["Above all because ", ...reason, "."] : [];
  }
  const rate = `${classes[result.best]} ${percent(model.base_rates[result.best])}`;
  const reason = next && reasonWords(model, record, next, positions);
  return reason ? [`Because of the base rate, ${rate}, and because `, ...reason, "."]
    : [`Above all because of the base rate: ${rate}.`];
}
