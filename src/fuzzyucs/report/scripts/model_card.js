"use strict";
// The model card: what the model is, and which features matter to it.

const SHOWN_FEATURES = 12;
const INFERENCE = {
  profile: "rules with class profiles, pooled as evidence, and base rates",
  weighted: "Dempster-Shafer inference with learned strengths and a prior",
  ds: "Dempster-Shafer inference", vote: "vote", swin: "single winner",
};

function showFacts(table, entries) {
  for (const [name, value] of entries) {
    table.append(make("tr", {}, make("th", { scope: "row" }, name),
      make("td", {}, ...(Array.isArray(value) ? value : [String(value)]))));
  }
}

function showCard(data, model) {
  const { card, performance } = data, { features, classes } = model;
  $("title").textContent = data.title;
  $("subtitle").textContent =
    `${card.rules} rules, ${features.length} features, ${classes.length} classes`;
  $("description").textContent = data.description;
  $("older-form").textContent = model.older_form ?? "";
  showFacts($("facts"), [
    ["Model", card.estimator],
    ...(model.form === 1 ? [["Form", "older form (saved by version 0.1.0)"]] : []),
    ["Inference", INFERENCE[model.scheme]],
    ["Rules", `${card.rules}${ofExperts(model)}, ${card.conditions.toFixed(1)} conditions on average`],
    ["Features", features.length],
    ...(model.sources ?? []).map((source) => [`Source ${source.name}`,
      `${counted(sum(source.class_rows), "record", "records")}, evidence counted ${source.weight.toFixed(2)} times`]),
    ["Classes", classes.flatMap((label, c) =>
      [c ? ", " : "", withSwatch(model, c, label)])],
    ["Measured on", `${counted(performance.rows, "row", "rows")}: ${
      classes.map((label, c) => `${label} ${card.counts[c].toLocaleString("en")}`).join(", ")}`],
    ["Missing values", percent(sum(data.features.map((f) => f.missing)) / features.length)],
    ...baseRateFacts(card, model),
    ["Novelty", model.support ? "assessed" : "not assessed"],
    ...constraintFacts(model),
    ["Created", `${card.written} by fuzzyucs ${card.version}`],
  ]);
  showFacts($("parameters"), Object.entries(card.parameters));
  showImportance(features, data.importance);
}

// What the model keeps to, and which of its rules do not any more, if they were edited.
function constraintFacts({ constraints, broken, price }) {
  const lines = (texts) => texts.flatMap((text, i) => [...(i ? [make("br")] : []), text]);
  return [
    ...(constraints.length && !broken.length ? [["Holds for all records", lines(constraints)]] : []),
    ...(broken.length ? [["Was asked for", lines(constraints)], ["Does not hold", lines(broken)]] : []),
    ...(price ? [["Price", price]] : []),
  ];
}

function ofExperts({ rules }) {
  const n = rules.filter((rule) => rule.expert !== undefined).length;
  return n ? `, ${n} of them stated by experts` : "";
}

// What belongs to models with base rates.
function baseRateFacts(card, model) {
  const { scheme, sources, classes, base_rates: rates, answer_threshold: threshold } = model;
  if (scheme !== "profile") return [];
  const shares = classes.map((label, c) => `${label} ${percent(rates[c])}`).join(", ");
  const answers = sources ? `from a probability of ${percent(threshold)} on, the mean over sources by records`
    : model.isWithoutData ? `from a probability of ${percent(threshold)} on` : threshold < 1
    ? `from a probability of ${percent(threshold)} on: of the training rows that were held out while rules were ` +
      "learned, at most a tenth of those with such an answer were wrong"
    : "only if certain: of the training rows that were held out while rules were learned, no threshold left at most " +
      "a tenth wrong";
  return [["Base rates", `${shares} (${card.base_rates_are})`], ["Answers", answers]];
}

function byImportance(importance) {
  return importance.map((_, f) => f).sort((a, b) => importance[b] - importance[a]);
}

function showImportance(features, importance) {
  const order = byImportance(importance);
  const greatest = Math.max(...importance, 1e-12);
  for (const f of order.slice(0, SHOWN_FEATURES)) {
    $("importance").append(make("div", { className: "share" },
      make("span", { className: "label", title: features[f].name }, features[f].name),
      make("div", { className: "track" }, barPart("", importance[f] / greatest)),
      make("span", { className: "amount" }, percent(importance[f]))));
  }
  if (order.length > SHOWN_FEATURES) {
    $("importance").append(
      make("p", { className: "note" }, counted(order.length - SHOWN_FEATURES, "more feature", "more features")));
  }
}
