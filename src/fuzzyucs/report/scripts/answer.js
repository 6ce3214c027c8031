"use strict";
// The answer to the record of the what-if form: what the model says, and the smallest changes.

const SHOWN_FLIPS = 5, SHOWN_OF_MISSING = 3;
const NOTABLE = 0.1; // novelty from which on reasons are given

function beliefRow(label, parts, amount, isBest) {
  return make("div", { className: `belief${isBest ? " best" : ""}` },
    make("span", { className: "label", title: label }, label),
    make("div", { className: "track" }, ...parts.map(([name, width]) => barPart(name, width))),
    make("span", { className: "amount" }, percent(amount)));
}

const keyOf = (name) => make("span", { className: `key ${name}` });

function showBeliefs(model, result) {
  if (model.scheme === "profile") showProbabilities(model, result);
  else showMasses(model, result);
}

// Belief and, of the ignorance, as much as the base rate says: together the probability.
function showProbabilities(model, result) {
  const rows = model.classes.map((label, c) => {
    const shared = model.base_rates[c] * result.ignorance;
    const row = beliefRow(label, [["mass", result.mass[c]], ["base", shared]],
      result.probability[c], c === result.best);
    row.title = `${label}: belief ${percent(result.mass[c])} + base rate ` +
      `${percent(model.base_rates[c])} × ignorance ${percent(result.ignorance)} = probability ` +
      percent(result.probability[c]);
    return row;
  });
  const key = make("p", { className: "note" }, keyOf("mass"), "belief + ", keyOf("base"),
    "base rate × ignorance = probability");
  const measures = [["ignorance", result.ignorance, "How much the evidence leaves open."],
    ["contradiction", result.contradiction, "Share of the evidence that cancels out between rules."]];
  if (result.novelty !== null) {
    measures.push(["novelty", result.novelty, "How unlike the training data the record is."]);
  }
  $("beliefs").replaceChildren(...rows, key, make("div", { className: "measures" },
    ...measures.map(([name, value, title]) =>
      make("span", { title }, `${name} `, make("b", {}, percent(value))))));
}

// Belief masses, and what is left: by weak evidence, and by novelty.
function showMasses(model, result) {
  const novelty = result.novelty ?? 0, weak = result.ignorance - novelty;
  const rows = model.classes.map((label, c) =>
    beliefRow(label, [["mass", result.mass[c]]], result.mass[c], c === result.best));
  rows.push(beliefRow("don’t know", [["weak", weak], ["novel", novelty]], result.ignorance, false));
  const key = make("p", { className: "note" }, keyOf("weak"), `weak evidence ${percent(weak)}`);
  if (result.novelty !== null) key.append(" ", keyOf("novel"), `novelty ${percent(novelty)}`);
  $("beliefs").replaceChildren(...rows, key);
}

// Shows the answer, and returns the feature with the most unusual value, if there is one.
function showAnswer(model, record, result) {
  const isUnusual = result.novelty !== null && result.novelty >= NOTABLE && result.reasons.length > 0;
  let told = 0; // reasons that the verdict has given already
  if (model.scheme === "profile") {
    const words = verdictWords(model, record, result);
    $("answer").replaceChildren(make("b", {}, words.headline), ` ${words.rest}`);
    $("guess").textContent = words.guess;
    $("answer").dataset.verdict = result.verdict;
    $("flips-of").textContent = result.verdict === "answer" ? "the answer" : "the most probable class";
    if (result.reason === "novelty") told = 1;
  } else {
    const tied = result.tied.map((c) => model.classes[c]).join(", ");
    $("answer").replaceChildren("Answer: ", make("b", {}, model.classes[result.best]),
      tied ? `, drawn at random: a tie between ${tied}`
        : ` with probability ${percent(result.probability[result.best])}`);
  }
  const reasons = result.reasons.slice(told).map((reason) => reasonText(model, record, reason));
  $("unusual").textContent = isUnusual && reasons.length
    ? `${told ? "Also unusual" : "Unusual"}: ${reasons.join("; ")}` : "";
  return isUnusual ? result.reasons[0].feature : null;
}

// A change in words.
function flipWords(feature, value, flip) {
  const from = Number.isNaN(value) ? "(missing)" : written(feature, value);
  const to = flip.isLoss ? "(missing)" : flip.words ?? written(feature, flip.value);
  return `${feature.name} ${from} → ${to} gives `;
}

// Shows the smallest changes; `choose` is called with the one that is clicked.
function showFlips(model, record, found, novelty, choose) {
  if (!found.length) {
    $("flips").replaceChildren(make("p", { className: "note" },
      `No single value within the training data changes ${$("flips-of").textContent}.`));
    return;
  }
  const shown = [
    ...found.filter((flip) => !flip.isKnown && !flip.isLoss).slice(0, SHOWN_FLIPS),
    ...found.filter((flip) => flip.isKnown).slice(0, SHOWN_OF_MISSING),
    ...found.filter((flip) => flip.isLoss).slice(0, SHOWN_OF_MISSING),
  ];
  $("flips").replaceChildren(...shown.map((flip) => {
    const feature = model.features[flip.feature];
    const button = make("button", { type: "button", className: "flip" },
      flipWords(feature, record[flip.feature], flip), make("b", {}, model.classes[flip.label]),
      isNovelFlip(model, record, flip, novelty) ? " (unlike anything seen)" : "");
    button.addEventListener("click", () => choose(flip));
    return button;
  }));
}
