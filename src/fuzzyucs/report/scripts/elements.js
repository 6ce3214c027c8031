"use strict";
// Elements of the page, and how numbers and values are written.

const $ = (id) => document.getElementById(id);

// Makes an element. Texts are shown literally, whatever they contain.
function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in element) element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

// Makes an element of a drawing.
function draw(tag, attributes = {}, text = null) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== null) element.textContent = text;
  return element;
}

// Makes a part of a bar, as wide as a share of it.
function barPart(className, width) {
  const part = make("span", { className });
  part.style.width = `${100 * width}%`;
  return part;
}

// A small square in the colour of a class; a disc if another class has the same colour.
function swatchOf({ colours }, c) {
  const swatch = make("span", { className: colours.indexOf(colours[c]) === c ? "swatch" : "swatch again" });
  swatch.style.background = colours[c];
  return swatch;
}

// Something about a class, with its colour before it.
const withSwatch = (model, c, text) => make("span", { className: "named" }, swatchOf(model, c), text);

const fixedPercent = (share, decimals) => `${(100 * share).toFixed(decimals)}\u00a0%`;

// A share with two digits, or as many as it takes to tell it from none and from all. With decimals:
// with as many of them, unless they make it look like none or all.
function percent(share, decimals = null) {
  if (decimals !== null) {
    const shown = Number((100 * share).toFixed(decimals));
    if ((share <= 0 || shown > 0) && (share >= 1 || shown < 100)) return fixedPercent(share, decimals);
  }
  if (share > 0 && share < 0.0001) return "under 0.01\u00a0%";
  if (share > 0.9999 && share < 1) return "over 99.99\u00a0%";
  if (share > 0 && share < 0.0995) return `${Number((100 * share).toPrecision(2))}\u00a0%`;
  if (share >= 0.995 && share < 1) {
    const digits = -Math.floor(Math.log10(Number((100 * (1 - share)).toPrecision(1))));
    return fixedPercent(share, Math.max(digits, 0));
  }
  return fixedPercent(Math.max(share, 0), 0);
}

const MOST_DECIMALS = 4; // of percentages that are to be told apart

// Two shares with as many digits as it takes to tell them apart.
function apart(share, other) {
  for (let decimals = null; decimals === null || decimals <= MOST_DECIMALS; decimals = (decimals ?? 0) + 1) {
    const texts = [percent(share, decimals), percent(other, decimals)];
    if (texts[0] !== texts[1]) return texts;
  }
  return [percent(share), percent(other)];
}

const plain = (value, digits = 6) => {
  const size = Math.abs(value);
  if (digits === 6 && size >= 1e6 && size < 1e15) return String(Math.floor(value + 0.5));
  const short = Number(value.toPrecision(digits));
  return short !== 0 && Math.abs(short) < 1e-4 ? short.toExponential() : String(short);
};
const signed = (value) => (value < 0 ? "−" : "+") +
  (Number.isFinite(value) ? Math.abs(value).toFixed(3) : "∞");

// A value of a feature as in the data: a number, a date, or the name of a category.
function written({ kind, labels, peaks, terms, groups, time, unit }, value, isEnd = false) {
  if (labels) return labels[value] ?? plain(value);
  if (time) return writeTime(time, value, isEnd);
  const term = kind === "nominal" && !groups ? terms[peaks.indexOf(value)] : undefined;
  return term !== undefined && Number.isNaN(Number(term)) ? term : withUnit({ unit }, term ?? plain(value));
}
