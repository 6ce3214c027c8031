"use strict";
// Marks: all places along a feature where the answer changes if nothing else does.

const MOST_MARKS = 24; // of one feature

// The answers along a feature with an order, as stretches from low to high values. Each has
// the border that is nearer to the value of the record, rounded as in the list of flips.
function stretchesAlong(feature, x, search) {
  const { answer, values } = search, isKnown = !Number.isNaN(x), start = isKnown ? x : values[0];
  const above = changesFrom(feature, start, values.filter((value) => value > start), search);
  const below = isKnown
    ? changesFrom(feature, start, values.filter((value) => value < start).reverse(), search) : [];
  return [
    ...below.map(({ value, label }) => ({ to: value, label })).reverse(),
    { label: answer(start), isHere: isKnown, from: isKnown ? undefined : start },
    ...above.map(({ value, label }) => ({ from: value, label })),
  ];
}

// Where the answer changes on the way from a value through others.
function changesFrom(feature, start, values, { answer, values: every, factor }) {
  const found = [], ends = endsOf(every);
  let near = start, label = answer(start);
  for (const value of values) {
    const isBeyond = () => (value > start ? value > near : value < near);
    while (isBeyond() && answer(value) !== label && found.length < MOST_MARKS) {
      const change = factor === null ? narrow(feature, null, near, near, value, label, answer, ends)
        : narrowOnGrid(feature, null, near, near, value, label, answer, ends, factor);
      found.push(change);
      [near, label] = [change.value, change.label];
    }
    if (isBeyond()) near = value; // a rounded border may lie beyond it
  }
  return found;
}

// A stretch in words.
function stretchWords(model, feature, { from, to, label }) {
  return `${to === undefined ? `from ${written(feature, from)} on` : `up to ${written(feature, to, true)}`}: ` +
    outcomeName(model, label);
}

// A class, or that there is no answer.
const outcomeName = ({ classes }, label) => (label === NO_ANSWER ? "no answer" : classes[label]);
