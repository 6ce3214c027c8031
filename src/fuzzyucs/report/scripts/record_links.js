"use strict";
// Records as texts in the address of the page, exact to the last digit.

const RECORD_MARK = "#record?";
const NUMBER_TEXT = /^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const EXACT = "~"; // before numbers of features whose values are otherwise written as texts

const columnOf = (feature) => feature.column ?? feature.name;

// A value as text; a missing one is empty. Categories and dates are texts if these can be read again.
function valueText(feature, value) {
  if (Number.isNaN(value)) return "";
  if (feature.labels) {
    const text = feature.labels[value];
    const isClear = text && !text.startsWith(EXACT) && feature.labels.indexOf(text) === value;
    return isClear ? text : EXACT + value;
  }
  if (feature.time) {
    const { write, read } = timeField(feature), text = write(value);
    return read(text) === value ? text : EXACT + value;
  }
  return String(value);
}

// Reads what `valueText` wrote; undefined if it is something else.
function valueOf(feature, text) {
  if (text === "") return NaN;
  const isText = feature.labels || feature.time, isExact = isText && text.startsWith(EXACT);
  if (!isText || isExact) {
    const number = isExact ? text.slice(EXACT.length) : text, value = Number(number);
    const isKnown = !feature.labels || value in feature.labels;
    return NUMBER_TEXT.test(number) && Number.isFinite(value) && isKnown ? value : undefined;
  }
  const value = feature.labels ? feature.labels.indexOf(text) : timeField(feature).read(text);
  return Number.isNaN(value) || (feature.labels && value < 0) ? undefined : value;
}

function recordHash({ features }, record) {
  const pairs = features.map((feature, f) => [columnOf(feature), valueText(feature, record[f])]);
  return RECORD_MARK + new URLSearchParams(pairs);
}

// Reads a record; features that it does not name have their typical values. Returns the record, or
// else what is wrong with it, or null if the text is not about a record.
function readRecordHash({ features }, hash, typical) {
  if (!hash.startsWith(RECORD_MARK)) return null;
  const record = typical.slice(), seen = new Set();
  for (const [name, text] of new URLSearchParams(hash.slice(RECORD_MARK.length))) {
    const f = features.findIndex((feature) => columnOf(feature) === name);
    if (f < 0) return { problem: `this model has no feature “${name}”` };
    if (seen.has(f)) return { problem: `“${name}” is given twice` };
    const value = valueOf(features[f], text);
    if (value === undefined) return { problem: `“${text}” is not a value of “${name}”` };
    seen.add(f);
    record[f] = value;
  }
  return seen.size ? { record } : { problem: "it names no feature" };
}
