"use strict";
// Strokes of a brush on an image of few pixels.

// The distance of a point from the way between two others.
function distanceTo([x, y], [x1, y1], [x2, y2]) {
  const dx = x2 - x1, dy = y2 - y1, length = dx * dx + dy * dy;
  const along = length > 0 ? clamp(((x - x1) * dx + (y - y1) * dy) / length, 0, 1) : 0;
  return Math.hypot(x - x1 - along * dx, y - y1 - along * dy);
}

// How far each pixel is covered by a stroke from a point to another, in pixels: by index, without
// those that are not covered.
function coverage([rows, columns], from, to, radius) {
  const found = new Map();
  for (let row = 0; row < rows; ++row) {
    for (let column = 0; column < columns; ++column) {
      const covered = clamp(radius + 0.5 - distanceTo([column + 0.5, row + 0.5], from, to), 0, 1);
      if (covered > 0) found.set(row * columns + column, covered);
    }
  }
  return found;
}

// Of a pixel that had few values, only these are known.
const nearestOf = (values, x) =>
  values.reduce((best, value) => (Math.abs(value - x) < Math.abs(best - x) ? value : best));

// The value of a pixel after a stroke: no lighter than before, or no darker if it erases.
function inked(feature, value, covered, isErasing, [blank, ink]) {
  const { minimum, maximum } = feature;
  if (minimum === null || maximum === null) return value;
  const wanted = isErasing ? ink + (blank - ink) * covered : blank + (ink - blank) * covered;
  const known = Number.isNaN(value) ? blank : value;
  const drawn = clamp(isErasing ? Math.min(known, wanted) : Math.max(known, wanted), minimum, maximum);
  return feature.kind === "nominal" ? nearestOf(feature.peaks, drawn) : drawn;
}
