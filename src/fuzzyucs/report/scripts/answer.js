"use strict";
// The answer to the record of the what-if form: what the model says, and the smallest changes.

const SHOWN_FLIPS = 5; // changes to another class
const SHOWN_OF_KIND = 3; // of each other kind
const MOST_BELIEFS = 10; // bars of classes
const SHOWN_BELIEFS = 6; // of more classes than that

// A bar of a class, or of something else if that is null.
function beliefRow(model, c, label, parts, amount, isBest) {
  const row = make("div", { className: `belief${isBest ? " best" : ""}` },
    make("span", { className: "label", title: label }, label),
    make("div", { className: "track" }, ...parts.map(([name, width]) => barPart(name, width))),
    make("span", { className: "amount" }, percent(amount)));
  if (c !== null) row.style.setProperty("--own", model.colours[c]);
  return row;
}

// The classes that get a bar, in their order, and those that share one.
function shownClasses(model, amounts) {
  const order = byAmount(amounts), n = model.nClasses > MOST_BELIEFS ? SHOWN_BELIEFS : model.nClasses;
  return [order.slice(0, n).sort((a, b) => a - b), order.slice(n)];
}

const keyOf = (name) => make("span", { className: `key ${name}` });

function showBeliefs(model, result) {
  if (model.scheme === "profile") showProbabilities(model, result);
  else showMasses(model, result);
}

// Belief and, of the ignorance, as much as the base rate says: together the probability.
function showProbabilities(model, result) {
  const { mass, ignorance, probability } = result, { base_rates: rates, classes } = model;
  const [shown, others] = shownClasses(model, probability);
  const rows = shown.map((c) => {
    const row = beliefRow(model, c, classes[c],
      [["mass", mass[c]], ["base", rates[c] * ignorance]], probability[c], c === result.best);
    row.title = `${classes[c]}: belief ${percent(mass[c])} + base rate ${percent(rates[c])} × ` +
      `ignorance ${percent(ignorance)} = probability ${percent(probability[c])}`;
    return row;
  });
  if (others.length) {
    const total = (amounts) => sum(others.map((c) => amounts[c]));
    rows.push(beliefRow(model, null, `${others.length} other classes`,
      [["mass", total(mass)], ["base", total(rates) * ignorance]], total(probability), false));
  }
  const key = make("p", { className: "note key-line" }, keyOf("mass"), "belief + ", keyOf("base"),
    "base rate × ignorance = probability");
  const measures = [["ignorance", ignorance, "what the evidence leaves open"],
    ["contradiction", result.contradiction, "what cancels out between rules"]];
  if (result.novelty !== null) {
    measures.push(["novelty", result.novelty, "how unlike the training data (3 % is typical)"]);
  }
  $("beliefs").replaceChildren(...rows, key, make("div", { className: "measures" },
    ...measures.map(([name, value, meaning]) => make("span", {}, `${name} `, make("b", {}, percent(value)),
      make("small", {}, ` ${meaning}`)))));
}

// Belief masses, and what is left: by weak evidence, and by novelty.
function showMasses(model, result) {
  const novelty = result.novelty ?? 0, weak = result.ignorance - novelty;
  const [shown, others] = shownClasses(model, result.mass);
  const rows = shown.map((c) =>
    beliefRow(model, c, model.classes[c], [["mass", result.mass[c]]], result.mass[c], c === result.best));
  if (others.length) {
    const rest = sum(others.map((c) => result.mass[c]));
    rows.push(beliefRow(model, null, `${others.length} other classes`, [["mass", rest]], rest, false));
  }
  rows.push(beliefRow(model, null, "don’t know", [["weak", weak], ["novel", novelty]],
    result.ignorance, false));
  const other = { vote: "by vote", swin: "by a single rule" }[model.scheme];
  const key = make("p", { className: "note key-line" },
    other ? `Belief is by Dempster-Shafer inference; the answer is decided ${other}. ` : "Belief. ",
    keyOf("weak"), `weak evidence ${percent(weak)}`);
  if (result.novelty !== null) key.append(" ", keyOf("novel"), `novelty ${percent(novelty)}`);
  $("beliefs").replaceChildren(...rows, key);
}

// The number that a verdict rests on, and what it is. An answer has it in its sentence.
function decidingNumber(model, { verdict, reason, best, probability, ignorance, contradiction, novelty }) {
  if (verdict === "answer") return null;
  const least = model.answer_threshold;
  if (verdict === "torn") {
    const below = belowWords(probability[best], least);
    return [contradiction, `of the evidence between them cancels out; ${model.classes[best]} has ${below}`];
  }
  if (reason === "novelty") return [novelty, "novelty"];
  if (reason === "undecided") {
    const needed = least >= 1 ? ONLY_IF_CERTAIN : `an answer needs ${percent(least)}`;
    return [probability[best], `is the greatest probability, and ${needed}`];
  }
  return [ignorance, "of the answer is left open"];
}

// The verdict in words, with the number in it set apart.
function showVerdict(model, record, result) {
  const { headline, rest, guess } = verdictWords(model, record, result);
  const number = decidingNumber(model, result), amount = percent(result.probability[result.best]);
  const said = number === null ? [make("span", { className: "number" }, amount), rest.slice(amount.length)]
    : [rest];
  $("answer").replaceChildren(make("b", {}, headline), " ", ...said);
  $("guess").textContent = guess;
  $("flips-of").textContent = result.verdict === "answer" ? "change the answer" : "give an answer";
  return number && !rest.includes(percent(number[0])) ? number : null; // once is enough
}

// Shows the answer, and returns the feature with the most unusual value, if there is one.
function showAnswer(model, record, result, entries) {
  const isUnusual = isNotable(result) && result.reasons.length > 0;
  const { best, verdict } = result, { colours, classes } = model;
  const because = becauseWords(model, record, result, entries);
  if (verdict) {
    const number = showVerdict(model, record, result);
    if (number) {
      because.push(make("span", { className: "number" }, percent(number[0])), ` ${number[1]}.`);
    }
  } else {
    const tied = result.tied.map((c) => classes[c]).join(", ");
    $("answer").replaceChildren("Answer: ", make("b", {}, classes[best]),
      ...(tied ? [`, drawn at random: a tie between ${tied}`]
        : [" with probability ", make("span", { className: "number" }, percent(result.probability[best]))]));
  }
  $("because").replaceChildren(...because);
  const torn = colours[rivalOf(model, result)];
  for (const [id, colour] of [["answer", colours[best]], ["because", verdict === "torn" ? torn : colours[best]]]) {
    $(id).dataset.verdict = verdict ?? "answer";
    $(id).style.setProperty("--own", colour);
  }
  return isUnusual ? result.reasons[0].feature : null;
}

// A change in words.
function flipWords(feature, value, flip) {
  const from = Number.isNaN(value) ? "(missing)" : written(feature, value);
  const to = flip.isLoss ? "(missing)" : flip.words ?? written(feature, flip.value);
  return `${feature.name} ${from} → ${to}`;
}

// What to say before the list of changes, if other values do not change the answer.
function noFlipWords(model, record, found, result) {
  if (found.some((flip) => !flip.isKnown && !flip.isLoss)) return "";
  const isAnswer = outcomeOf(result) !== NO_ANSWER;
  const where = model.isWithoutData ? "" : " within the training data";
  const none = isAnswer ? `No other single value${where} changes the answer` : `No single value${where} gives an answer`;
  const gains = found.some(({ isKnown }) => isKnown), losses = found.some(({ isLoss }) => isLoss);
  if (gains && losses) return `${none}, but a value that becomes known or missing does:`;
  if (gains) return `${none}, but a missing value does if it becomes known:`;
  if (losses) return `${none}, but one that becomes missing does:`;
  if (!isAnswer) return `${none}, nor does one that becomes missing.`;
  if (model.scheme === "profile") return `${none}, and it stays the same if any one value is missing.`;
  const without = (f) => record.map((value, g) => (g === f ? NaN : value));
  const lost = model.features.filter((_, f) => !Number.isNaN(record[f]) &&
    model.evaluate(without(f)).best !== result.best).map(({ name }) => name);
  if (!lost.length) return `${none}, and it stays the same if any one value is missing.`;
  return `${none}, but it would be another one without ${lost.length > SHOWN_OF_KIND
    ? `any of ${lost.length} values, such as ${lost[0]}` : listed(lost).replace(" and ", " or without ")}.`;
}

// To which part of the list a change belongs, of which the first few are shown.
function partOfFlip(flip) {
  if (flip.isKnown || flip.isLoss) return flip.isKnown ? "known" : flip.isOutside ? "outside" : "missing";
  return flip.label === NO_ANSWER ? "none" : "other";
}

// Shows the smallest changes, or all of them; `choose` is called with the one that is clicked.
function showFlips(model, record, found, result, choose, isWhole = false) {
  const numbers = {};
  const shown = found.filter((flip) => {
    const part = partOfFlip(flip);
    numbers[part] = (numbers[part] ?? 0) + 1;
    return isWhole || numbers[part] <= (part === "other" ? SHOWN_FLIPS : SHOWN_OF_KIND);
  });
  const none = noFlipWords(model, record, found, result), more = found.length - shown.length;
  const whole = make("button", { type: "button", className: "fold" },
    counted(more, "more change does so", "more changes do so"));
  whole.setAttribute("aria-expanded", "false");
  whole.addEventListener("click", () => showFlips(model, record, found, result, choose, true));
  const note = none ? [make("p", { className: "note" }, none)] : [];
  $("flips").replaceChildren(...note, ...shown.map((flip) => {
    const [outcome, why] = flipOutcome(model, record, flip);
    const button = make("button", { type: "button", className: flip.label === NO_ANSWER ? "flip none" : "flip" },
      flipWords(model.features[flip.feature], record[flip.feature], flip), " gives ", make("b", {}, outcome), why);
    if (flip.label !== NO_ANSWER) button.style.setProperty("--own", model.colours[flip.label]);
    button.addEventListener("click", () => choose(flip));
    return button;
  }), ...(more ? [whole] : []));
}
