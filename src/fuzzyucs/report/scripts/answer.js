"use strict";
// The answer to the record of the what-if form: belief masses, contributions of rules, flips.

const SHOWN_ENTRIES = 12, SHOWN_FLIPS = 5;
const NOTABLE = 0.1; // novelty from which on reasons are given

function beliefRow(label, parts, amount, isBest) {
  return make("div", { className: `belief${isBest ? " best" : ""}` },
    make("span", { className: "label", title: label }, label),
    make("div", { className: "track" }, ...parts.map(([name, width]) => barPart(name, width))),
    make("span", { className: "amount" }, percent(amount)));
}

function showBeliefs(model, result) {
  const novelty = result.novelty ?? 0, weak = result.ignorance - novelty;
  const rows = model.classes.map((label, c) =>
    beliefRow(label, [["mass", result.mass[c]]], result.mass[c], c === result.best));
  rows.push(beliefRow("don’t know", [["weak", weak], ["novel", novelty]], result.ignorance, false));
  const key = make("p", { className: "note" }, make("span", { className: "key weak" }),
    `weak evidence ${percent(weak)}`);
  if (result.novelty !== null) {
    key.append(" ", make("span", { className: "key novel" }), `novelty ${percent(novelty)}`);
  }
  $("beliefs").replaceChildren(...rows, key);
}

function reasonText(features, record, { feature, given, isOutside }) {
  const say = (f) => `${features[f].name} ${written(features[f], record[f])}`;
  if (isOutside) return `${say(feature)} is outside of the training data`;
  return given === null ? say(feature) : `${say(feature)} given ${say(given)}`;
}

// Shows the predicted class, and returns the feature with the most unusual value, if there is one.
function showAnswer(model, record, result) {
  const tied = result.tied.map((c) => model.classes[c]).join(", ");
  $("answer").replaceChildren("Answer: ", make("b", {}, model.classes[result.best]),
    tied ? `, drawn at random: a tie between ${tied}`
      : ` with probability ${percent(result.probability[result.best])}`);
  const isUnusual = result.novelty !== null && result.novelty >= NOTABLE && result.reasons.length > 0;
  const reasons = result.reasons.map((reason) => reasonText(model.features, record, reason));
  $("unusual").textContent = isUnusual ? `Unusual: ${reasons.join("; ")}` : "";
  return isUnusual ? result.reasons[0].feature : null;
}

function ledgerLine(amount, bar, ...words) {
  return make("tr", {}, make("td", { className: "amount" }, amount), make("td", {}, ...bar),
    make("td", { className: "words" }, ...words));
}

// What an entry of the ledger is about.
function entryWords(model, record, entry) {
  if (entry.isPrior) return ["before any evidence"];
  if (!entry.rule) {
    const n = entry.nOnMissing;
    return [`${n === 1 ? "1 rule that asks" : `${n} rules that ask`} for missing values`];
  }
  const observed = entry.rule.if.map(([f]) => model.features[f].name + " " +
    (Number.isNaN(record[f]) ? "missing" : written(model.features[f], record[f]))).join(", ");
  return [...ruleWords(entry.rule.text), ` → ${model.classes[entry.rule.class]}`,
    make("div", { className: "note" }, `${observed}: degree ${entry.degree.toFixed(2)}`)];
}

function showLedger(model, record, result) {
  const { best } = result, rival = rivalOf(result);
  const entries = ledgerEntries(model, result)
    .map((entry) => ({ ...entry, contribution: contribution(entry, best, rival) }))
    .sort((a, b) => Math.abs(b.contribution) - Math.abs(a.contribution));
  const unit = model.isEvidence ? "log-odds" : "votes";
  $("ledger-title").textContent =
    `For ${model.classes[best]} against ${model.classes[rival]}, in ${unit}:`;
  const finite = entries.map((entry) => Math.abs(entry.contribution)).filter(Number.isFinite);
  const greatest = Math.max(...finite, 1e-12);
  const rows = entries.slice(0, SHOWN_ENTRIES).map((entry) => {
    const fill = barPart(entry.contribution > 0 ? "for" : "against",
      Math.min(1, Math.abs(entry.contribution) / greatest));
    return ledgerLine(signed(entry.contribution), [make("div", { className: "track" }, fill)],
      ...entryWords(model, record, entry));
  });
  const total = (some) => sum(some.map((entry) => entry.contribution));
  if (entries.length > SHOWN_ENTRIES) {
    const rest = total(entries.slice(SHOWN_ENTRIES));
    rows.push(ledgerLine(Number.isNaN(rest) ? "" : signed(rest), [],
      `${entries.length - SHOWN_ENTRIES} more`));
  }
  if (!Number.isNaN(total(entries))) {
    rows.push(ledgerLine(signed(total(entries)), [], make("b", {}, "sum")));
  }
  if (!entries.length) rows.push(ledgerLine("", [], "No rule matches."));
  $("ledger").replaceChildren(make("tbody", {}, ...rows));
}

// Shows the smallest changes; `choose` is called with the one that is clicked.
function showFlips(model, record, found, choose) {
  if (!found.length) {
    $("flips").replaceChildren(make("p", { className: "note" }, "No single value changes the answer."));
    return;
  }
  $("flips").replaceChildren(...found.slice(0, SHOWN_FLIPS).map((flip) => {
    const feature = model.features[flip.feature];
    const show = (value) => written(feature, value);
    const button = make("button", { type: "button", className: "flip" },
      `${feature.name} ${show(record[flip.feature])} → ${show(flip.value)} gives `,
      make("b", {}, model.classes[flip.label]));
    button.addEventListener("click", () => choose(flip));
    return button;
  }));
}
