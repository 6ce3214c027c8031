"use strict";
// Flips of models with class profiles: any value may matter, to rules, to beliefs about missing
// values and to novelty, and missing values may as well.

const BORDER_DIGITS = 4; // of a value that divides answers

// The flip of one feature, or null: the nearest other value, or if it is missing, the values that
// would change the answer if they were known.
function findProfiledFlip(model, record, f, own, search) {
  const feature = model.features[f], x = record[f];
  if (Number.isNaN(x)) return flipIfKnown(feature, f, own, search);
  const found = isListed(feature) ? flipsOfCategory(feature, f, x, own, search.answer)
    : flipsOfNumber(feature, f, x, own, search);
  return found.sort((a, b) => a.distance - b.distance)[0] || null;
}

// Whether no value of a feature can change the answer. One that no rule asks for may matter by
// what it tells about missing values, and by novelty.
function isIdle(model, record, f, matched) {
  return !model.asking[f].length && !matched.beliefs.size && !Number.isNaN(record[f]) && !model.support;
}

// The flip that consists in the loss of a value, or null.
function findLoss(model, record, f, matched, own) {
  if (model.scheme !== "profile" || Number.isNaN(record[f])) return null;
  const label = profiledAnswers(model, record, f, matched)(NaN);
  const isOutside = Boolean(model.support) && model.support.excess(record[f], f) > 0;
  return label === own ? null
    : { feature: f, value: NaN, label, distance: Infinity, isLoss: true, isOutside };
}

// A function that answers for other values of one feature.
function profiledAnswers(model, record, f, matched) {
  const change = changing(model, record, f, matched);
  return (value) => model.outcome(...change(value));
}

// A function that returns the record with another value of one feature, and what matches it. Only rules
// that depend on it are matched anew: those that ask for it, and those that ask for a missing value that
// it tells something about. What is returned holds until the next call.
function changing(model, record, f, matched) {
  const feature = model.features[f], changed = record.slice();
  if (model.views) return viewedAnswers(model, changed, f, matched);
  const positions = matched.positions.slice(), beliefs = new Map(matched.beliefs);
  const rules = matched.rules.slice();
  const near = model.forest ? model.forest.neighbours(f).filter((g) => beliefs.has(g)) : [];
  const concerned = new Set([f, ...near].flatMap((g) => model.asking[g].map(([r]) => r)));
  return (value) => {
    changed[f] = value;
    positions[f] = locate(feature, value);
    beliefs.delete(f);
    const isBelieved = model.forest && feature.believed && Number.isNaN(positions[f]);
    for (const g of isBelieved ? [f, ...near] : near) beliefs.set(g, model.forest.believe(positions, g));
    for (const r of concerned) rules[r] = model.matchRule(r, positions, beliefs);
    return [changed, { positions, beliefs, rules }];
  };
}

// The same of a fused model. What is believed about missing values is found anew for every value.
function viewedAnswers(model, changed, f, { positions: before, beliefs, rules: known }) {
  const feature = model.features[f], positions = before.slice(), rules = known.slice();
  const concerned = new Set(model.asking[f].map(([r]) => r));
  return (value) => {
    changed[f] = value;
    positions[f] = locate(feature, value);
    const isOpen = Object.values(feature.views ?? {}).some((view) => Number.isNaN(locate(view, value)));
    if (beliefs.size || isOpen) return [changed, model.match(changed)];
    for (const r of concerned) rules[r] = model.matchRule(r, positions, beliefs);
    return [changed, { positions, beliefs, rules }];
  };
}

// Values to try: between the peaks of the terms of rules, and of those that novelty goes by.
function profiledValues(model, f) {
  const values = valuesToTry(model.features[f]);
  if (!model.support || isListed(model.features[f])) return values;
  const others = valuesToTry(model.support.features[f]).filter(Number.isFinite);
  return [...new Set([...values, ...others])].sort((a, b) => a - b);
}

// The longest stretch of values that would change the answer if a missing value were among them.
function flipIfKnown(feature, f, own, { answer, values, factor }) {
  const labels = values.map(answer);
  const first = labels.findIndex((label) => label !== own);
  if (first < 0) return null;
  const share = labels.filter((label) => label !== own).length / labels.length;
  const flip = { feature: f, distance: Infinity, isKnown: true, share };
  if (isListed(feature)) {
    return { ...flip, value: values[first], label: labels[first], words: written(feature, values[first]) };
  }
  const { start, end } = longestStretch(values, labels, own);
  const label = labels[start];
  const border = (inside, outside) => (factor === null
    ? borderOf(feature, values[inside], values[outside], values[start + end - inside], label, answer)
    : lastOnGrid(values[inside], values[outside], factor, (value) => answer(value) === label).near);
  const low = start > 0 ? border(start, start - 1) : null;
  const high = end < values.length - 1 ? border(end, end + 1) : null;
  const show = (value, isEnd) => written(feature, value, isEnd);
  const words = low === null ? (high === null ? "any value" : `at most ${show(high, true)}`)
    : high === null ? `at least ${show(low)}` : `${show(low)} to ${show(high, true)}`;
  return { ...flip, value: low ?? high ?? values[start], label, words };
}

function longestStretch(values, labels, own) {
  let best = null;
  for (let start = 0, end; start < labels.length; start = end + 1) {
    end = start;
    while (end + 1 < labels.length && labels[end + 1] === labels[start]) ++end;
    if (labels[start] === own) continue;
    if (!best || values[end] - values[start] > values[best.end] - values[best.start]) {
      best = { start, end };
    }
  }
  return best;
}

// A value with the same answer as one inside, as near to one outside as possible; with few digits if
// that has the same answer.
function borderOf(feature, inside, outside, end, label, answer) {
  let far = inside, near = outside;
  for (let i = 0; i < N_BISECTIONS; ++i) {
    const middle = near / 2 + far / 2;
    if (answer(middle) === label) far = middle;
    else near = middle;
  }
  const size = Math.max(Math.abs(far), Math.abs(end));
  if (!(size > 1e-300 && size < 1e300)) return far;
  const scale = 10 ** (BORDER_DIGITS - 1 - Math.floor(Math.log10(size)));
  const rounded = feature.time ? shortTime(feature, far, end >= far)
    : (end < far ? Math.floor(far * scale) : Math.ceil(far * scale)) / scale;
  if (!(Math.min(far, end) <= rounded && rounded <= Math.max(far, end))) return far;
  return answer(rounded) === label ? rounded : far;
}

// Why there is no answer, in words.
const WHY_NONE = {
  contradiction: "rules contradict each other",
  undecided: "too uncertain",
  evidence: "too little evidence",
  missing: "too little evidence",
  novelty: "unlike anything seen",
};

// What a flip gives: a class or no answer, and in the latter case why.
function flipOutcome(model, record, flip) {
  if (flip.label !== NO_ANSWER) return [model.classes[flip.label], ""];
  const changed = record.slice();
  changed[flip.feature] = flip.value;
  return ["no answer", `: ${WHY_NONE[model.evaluate(changed).reason]}`];
}

// In which order flips are told: values outside of the training data without which the answer would be
// another one; other values, the smallest change first; then missing values, and last further values
// without which the answer would be another one.
function compareFlips(a, b) {
  const rank = (flip) => (flip.isLoss ? (flip.isOutside ? -1 : 2) : flip.isKnown ? 1 : 0);
  if (rank(a) !== rank(b)) return rank(a) - rank(b);
  if (a.isKnown) return b.share - a.share || a.feature - b.feature;
  return a.isLoss || a.distance === b.distance ? a.feature - b.feature : a.distance - b.distance;
}
