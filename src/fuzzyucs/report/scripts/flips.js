"use strict";
// Flips: the smallest change of a single value that changes the answer.

const N_BISECTIONS = 40;
const NO_ANSWER = -1; // instead of the index of a class

// What changes may change: the class that is the answer, or that there is none.
const outcomeOf = ({ verdict, best }) => ((verdict ?? "answer") === "answer" ? best : NO_ANSWER);

// The flips of one feature: to another answer or none, to another class behind values without an
// answer, and by the loss of the value.
function flipsAlong(model, record, f, matched, own, search = searchAlong(model, record, f, matched)) {
  const nearest = findFlip(model, record, f, matched, own, search);
  const behind = own !== NO_ANSWER && nearest && !nearest.isKnown && nearest.label === NO_ANSWER
    ? findFlip(model, record, f, matched, own, { ...search, answer: (value) => {
      const label = search.answer(value);
      return label === NO_ANSWER ? own : label;
    } }) : null;
  return [nearest, behind, findLoss(model, record, f, matched, own)].filter(Boolean);
}

// How the answer depends on one feature: the values to try, and the answer to each. Null if no
// value can change it.
function searchAlong(model, record, f, matched) {
  const isProfiled = model.scheme === "profile";
  if (isProfiled ? isIdle(model, record, f, matched)
    : !model.asking[f].length && !matched.beliefs.size) return null;
  const compute = isProfiled ? profiledAnswers(model, record, f, matched)
    : answersTo(model, record, f, matched);
  const known = new Map();
  const answer = (value) => {
    if (!known.has(value)) known.set(value, compute(value));
    return known.get(value);
  };
  const values = isProfiled ? profiledValues(model, f) : valuesToTry(model.features[f]), factor = gridOf(model, f);
  return { answer, values: valuesOnGrid(values, factor), factor };
}

// The nearest value of a feature that gives another answer than `own`, or null.
function findFlip(model, record, f, matched, own, search = searchAlong(model, record, f, matched)) {
  if (!search) return null;
  if (model.scheme === "profile") return findProfiledFlip(model, record, f, own, search);
  const x = record[f];
  if (Number.isNaN(x)) return null;
  const feature = model.features[f];
  const found = isListed(feature)
    ? flipsOfCategory(feature, f, x, own, search.answer) : flipsOfNumber(feature, f, x, own, search);
  return found.sort((a, b) => a.distance - b.distance)[0] || null;
}

function flipsOfCategory(feature, f, x, own, answer) {
  const half = feature.maximum / 2 - feature.minimum / 2;
  const distance = (value) =>
    (feature.kind === "nominal" ? 1 : Math.abs(value / 2 - x / 2) / half);
  return valuesToTry(feature).filter((value) => value !== x && answer(value) !== own)
    .map((value) => ({ feature: f, value, label: answer(value), distance: distance(value) }));
}

function flipsOfNumber(feature, f, x, own, { answer, values, factor }) {
  const found = [];
  for (const up of [true, false]) {
    let near = x;
    const ordered = up ? values : values.slice().reverse();
    for (const value of ordered) {
      if (up ? value <= x : value >= x) continue;
      if (answer(value) === own) {
        near = value;
        continue;
      }
      found.push(factor === null ? narrow(feature, f, x, near, value, own, answer, endsOf(values))
        : narrowOnGrid(feature, f, x, near, value, own, answer, endsOf(values), factor));
      break;
    }
  }
  return found;
}

const endsOf = (values) => [values[0], values[values.length - 1]];

// Bisects between a value with the same answer and one with another, within the ends of what is tried.
function narrow(feature, f, x, from, to, own, answer, ends) {
  let near = clamp(from, ...ends), far = to;
  for (let i = 0; i < N_BISECTIONS; ++i) {
    const middle = near / 2 + far / 2;
    if (answer(middle) === own) near = middle;
    else far = middle;
  }
  const half = feature.maximum / 2 - feature.minimum / 2;
  const factor = 10 ** (3 - Math.floor(Math.log10(2 * half)));
  // A number that is easy to read, if it changes the answer as well.
  const rounded = feature.time ? shortTime(feature, far, far > x)
    : (far > x ? Math.ceil(far * factor) : Math.floor(far * factor)) / factor;
  const isInside = rounded >= ends[0] && rounded <= ends[1];
  if (isInside && answer(rounded) !== own) far = rounded;
  return { feature: f, value: far, label: answer(far), distance: Math.abs(far / 2 - x / 2) / half };
}

// The same among the values that a feature can have.
function narrowOnGrid(feature, f, x, from, to, own, answer, ends, factor) {
  const { far } = lastOnGrid(clamp(from, ...ends), to, factor, (value) => answer(value) === own);
  const half = feature.maximum / 2 - feature.minimum / 2;
  return { feature: f, value: far, label: answer(far), distance: Math.abs(far / 2 - x / 2) / half };
}

// A function that answers for other values of one feature. Rules without a condition on it are
// evaluated once only.
function answersTo(model, record, f, matched) {
  const feature = model.features[f];
  if (matched.beliefs.size || model.scheme === "swin") {
    return (value) => {
      const changed = record.slice();
      changed[f] = value;
      const again = model.match(changed);
      return model.decide(again, model.scores(again)).best;
    };
  }
  const concerned = new Set(model.asking[f].map(([r]) => r));
  const base = new Array(model.nClasses).fill(0);
  if (model.prior) model.prior.forEach((prior, c) => { base[c] += prior; });
  for (const { index, rule, degree } of matched.rules) {
    if (!concerned.has(index)) addRule(model, base, rule, degree);
  }
  const others = concernedRules(model, f, matched.positions);
  const positions = matched.positions.slice();
  return (value) => {
    const position = locate(feature, value);
    positions[f] = position;
    const scores = base.slice();
    for (const { rule, degree, condition } of others) {
      const whole = degree * membership(feature, condition, position);
      if (whole > 0) addRule(model, scores, rule, whole);
    }
    return model.decide({ positions }, scores).best;
  };
}

// Rules with a condition on a feature, and the degree to which their other conditions hold.
function concernedRules(model, f, positions) {
  return model.asking[f].map(([r, k]) => {
    const rule = model.rules[r];
    let degree = 1;
    rule.if.forEach((condition, j) => {
      if (j === k || degree === 0) return;
      degree *= membership(model.features[condition[0]], condition, positions[condition[0]]);
    });
    return { rule, degree, condition: rule.if[k] };
  }).filter(({ degree }) => degree > 0);
}

// Adds to the scores of the classes what a rule says.
function addRule(model, scores, rule, degree) {
  if (model.scheme === "vote") {
    scores[rule.class] += degree * rule.fitness * rule.strength;
    return;
  }
  for (let c = 0; c < model.nClasses; ++c) {
    scores[c] += rule.strength * Math.log((1 - degree) + degree * rule.factors[c]);
  }
}
