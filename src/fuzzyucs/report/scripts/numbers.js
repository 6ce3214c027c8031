"use strict";
// Small functions on arrays of numbers.

const sum = (values) => values.reduce((total, value) => total + value, 0);
const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
const argmax = (values) => values.reduce((best, v, i) => (v > values[best] ? i : best), 0);
const SMALLEST = 2.2250738585072014e-308; // smallest positive normal number

// The index of the first value that is not below x.
function searchSorted(values, x) {
  let low = 0, high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] < x) low = middle + 1;
    else high = middle;
  }
  return low;
}

// Differences are taken of halves, because that of two doubles may exceed the largest one.
function share(x, low, high) {
  return (x / 2 - low / 2) / (high / 2 - low / 2);
}

function softmax(scores) {
  const greatest = Math.max(...scores);
  const odds = scores.map((score) => Math.exp(score - greatest));
  const total = sum(odds);
  return odds.map((value) => value / total);
}

// An array of zeros with a single other entry.
function single(n, index, amount) {
  const amounts = new Array(n).fill(0);
  amounts[index] = amount;
  return amounts;
}
