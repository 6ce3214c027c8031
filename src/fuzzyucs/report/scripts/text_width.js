"use strict";
// How wide texts are in drawings, whose texts do not wrap by themselves.

const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';
const RULER = document.createElement("canvas").getContext("2d");

function textWidth(text, size, weight = 400) {
  RULER.font = `${weight} ${size}px ${FONT}`;
  return RULER.measureText(text).width;
}

// A text that fits, with three dots if something is left out.
function fitted(text, width, size, weight = 400) {
  if (textWidth(text, size, weight) <= width) return text;
  const letters = [...text];
  let low = 0, high = letters.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (textWidth(`${letters.slice(0, middle).join("")}…`, size, weight) <= width) low = middle;
    else high = middle - 1;
  }
  return `${letters.slice(0, low).join("").trimEnd()}…`;
}

// The same, with the three dots inside, so that beginning and end are kept.
function fittedInside(text, width, size, weight = 400) {
  const letters = [...text];
  for (let kept = letters.length; kept > 2; --kept) {
    const start = letters.slice(0, Math.ceil(kept / 2)), end = letters.slice(letters.length - Math.floor(kept / 2));
    const short = kept === letters.length ? text : `${start.join("")}…${end.join("")}`;
    if (textWidth(short, size, weight) <= width) return short;
  }
  return "…";
}

// Lines of a text that fit; the last one is shortened if there would be too many.
function wrapped(text, width, size, weight = 400, most = Infinity) {
  const lines = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line ? `${line} ${word}` : word;
    if (line && lines.length + 1 < most && textWidth(longer, size, weight) > width) {
      lines.push(line);
      line = word;
    } else {
      line = longer;
    }
  }
  return [...lines, line].map((part) => fitted(part, width, size, weight));
}
