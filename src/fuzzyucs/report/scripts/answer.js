"use strict";
// The answer to the record of the what-if form: what the model says, and the smallest changes.

const SHOWN_FLIPS = 5; // changes to another class
const SHOWN_OF_KIND = 3; // of each other kind
const MOST_DEPENDED = 5; // names of values without which the answer would be another one
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
  const of = (share) => percent(share).replace("\u00a0", " ");
  const measures = [
    ["ignorance", ignorance, `what the evidence leaves open; above ${of(GREATEST_IGNORANCE)} there is no answer`],
    ["contradiction", result.contradiction,
      `what cancels out between rules; from ${of(LEAST_CONTRADICTION)} on they contradict each other`]];
  if (result.novelty !== null) {
    measures.push(["novelty", result.novelty, `how unlike the training data; from ${of(NOTABLE)} on it is unusual`]);
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

// The number that a verdict rests on, and what it is, unless its sentence has it.
function decidingNumber(model, { verdict, reason, best, probability, ignorance, contradiction, novelty }, said) {
  if (verdict === "answer") return null;
  const least = model.answer_threshold;
  if (verdict === "torn") {
    const below = belowWords(probability[best], least);
    return [percent(contradiction), ` of the evidence between them cancels out; ${model.classes[best]} has ${below}.`];
  }
  if (reason === "novelty") return [percent(novelty), " novelty."];
  if (reason === "undecided") {
    if (said.includes(ONLY_IF_CERTAIN) || said.includes("an answer needs")) return null;
    const [text, needed] = apart(probability[best], least);
    const rest = least >= 1 ? ONLY_IF_CERTAIN : `an answer needs ${needed}`;
    return [text, ` is the greatest probability, and ${rest}.`];
  }
  return said.includes(percent(ignorance)) ? null : [percent(ignorance), " of the answer is left open."];
}

// The verdict in words, with the number in it set apart.
function showVerdict(model, record, result) {
  const { headline, rest, guess } = verdictWords(model, record, result);
  const number = decidingNumber(model, result, rest), amount = percent(result.probability[result.best]);
  const said = result.verdict === "answer" ? [make("span", { className: "number" }, amount), rest.slice(amount.length)]
    : [rest];
  $("answer").replaceChildren(make("b", {}, headline), " ", ...said);
  $("guess").textContent = guess;
  $("flips-of").textContent = result.verdict === "answer" ? "change the answer" : "give an answer";
  return number;
}

// Shows the answer, and returns the feature with the most unusual value, if there is one.
function showAnswer(model, record, result, entries) {
  const isUnusual = isNotable(result) && result.reasons.length > 0;
  const { best, verdict } = result, { colours, classes } = model;
  const because = becauseWords(model, record, result, entries);
  if (verdict) {
    const number = showVerdict(model, record, result);
    if (number) {
      because.push(make("span", { className: "number" }, number[0]), number[1]);
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
  const none = `No change of one known value${where} ${isAnswer ? "changes the answer" : "gives an answer"}`;
  const gains = found.some(({ isKnown }) => isKnown), losses = found.some(({ isLoss }) => isLoss);
  if (gains && record.every(Number.isNaN)) return "A value gives an answer if it becomes known:";
  if (gains) return `${none}, but a missing value does if it becomes known:`;
  if (found.some(({ isOutside }) => isOutside)) return `${none}, but leaving out what is outside does:`;
  if (losses) return `${none}.`;
  if (!isAnswer && record.every(Number.isNaN)) return "Nothing is known, and no single value gives an answer.";
  if (!isAnswer) return `${none}, and neither does leaving one out.`;
  if (model.scheme === "profile") return `${none}, and it stays the same if any one value is missing.`;
  const without = (f) => record.map((value, g) => (g === f ? NaN : value));
  const lost = model.features.filter((_, f) => !Number.isNaN(record[f]) &&
    model.evaluate(without(f)).best !== result.best).map(({ name }) => name);
  if (!lost.length) return `${none}, and it stays the same if any one value is missing.`;
  return `${none}, but it would be another one without ${lost.length > SHOWN_OF_KIND
    ? `any of ${lost.length} values, such as ${lost[0]}` : listed(lost).replace(" and ", " or without ")}.`;
}

// Some names, joined by a word.
function someNames(names, word) {
  const more = names.length - MOST_DEPENDED + 1;
  const told = more > 1 ? [...names.slice(0, -more), `${more} more values`] : names;
  return told.length < 2 ? told[0] : `${told.slice(0, -1).join(", ")} ${word} ${told[told.length - 1]}`;
}

// On which known values the answer depends, or which of them prevent one. To forget a value is no change to make.
function dependenceWords(model, record, losses, result) {
  if (!losses.length) return "";
  const isAnswer = outcomeOf(result) !== NO_ANSWER, groups = new Map();
  for (const flip of losses) {
    const [label, why] = flipOutcome(model, record, flip);
    const outcome = flip.label !== NO_ANSWER ? `the answer would be ${label}` : `there would be none (${why.slice(2)})`;
    groups.set(outcome, [...(groups.get(outcome) ?? []), model.features[flip.feature].name]);
  }
  const names = losses.map(({ feature }) => model.features[feature].name);
  const alone = ["it", "either of them"][names.length - 1] ?? "any one of them";
  const parts = [...groups].map(([outcome, own]) =>
    `without ${isAnswer && groups.size === 1 ? alone : someNames(own, "or")}, ${outcome}`);
  return isAnswer ? `The answer depends on knowing ${someNames(names, "and")}: ${parts.join("; ")}.`
    : `W${parts.join("; ").slice(1)}.`;
}

// To which part of the list a change belongs, of which the first few are shown.
function partOfFlip(flip) {
  if (flip.isKnown || flip.isLoss) return flip.isKnown ? "known" : flip.isOutside ? "outside" : "missing";
  return flip.label === NO_ANSWER ? "none" : "other";
}

// Shows the smallest changes, or all of them; `choose` is called with the one that is clicked.
function showFlips(model, record, found, result, choose, isWhole = false) {
  const isForgotten = ({ isLoss, isOutside }) => isLoss && !isOutside, numbers = {};
  const changes = found.filter((flip) => !isForgotten(flip)), lost = found.filter(isForgotten);
  const shown = changes.filter((flip) => {
    const part = partOfFlip(flip);
    numbers[part] = (numbers[part] ?? 0) + 1;
    return isWhole || numbers[part] <= (part === "other" ? SHOWN_FLIPS : SHOWN_OF_KIND);
  });
  const none = noFlipWords(model, record, found, result), more = changes.length - shown.length;
  const whole = make("button", { type: "button", className: "fold" },
    `Show ${counted(more, "more change", "more changes")}`);
  whole.setAttribute("aria-expanded", "false");
  whole.addEventListener("click", () => showFlips(model, record, found, result, choose, true));
  const noted = (words) => (words ? [make("p", { className: "note" }, words)] : []);
  $("flips").replaceChildren(...noted(none), ...shown.map((flip) => {
    const [outcome, why] = flipOutcome(model, record, flip);
    const button = make("button", { type: "button", className: flip.label === NO_ANSWER ? "flip none" : "flip" },
      flipWords(model.features[flip.feature], record[flip.feature], flip), " gives ", make("b", {}, outcome), why);
    if (flip.label !== NO_ANSWER) button.style.setProperty("--own", model.colours[flip.label]);
    button.addEventListener("click", () => choose(flip));
    return button;
  }), ...(more ? [whole] : []), ...noted(dependenceWords(model, record, lost, result)));
}
