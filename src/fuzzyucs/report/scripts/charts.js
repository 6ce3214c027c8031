"use strict";
// Charts: risk and coverage, reliability, and the values of a feature with its terms.

const MOST_BARS = 32; // of categories

const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00"];

function axes(top, titleX, titleY) {
  const svg = draw("svg", { viewBox: "0 0 420 250", role: "img", "aria-label": `${titleY} by ${titleX}` });
  const x = (value) => 46 + 360 * value, y = (value) => 205 - (190 * value) / top;
  for (let k = 0; k <= 4; ++k) {
    const value = (top * k) / 4;
    svg.append(draw("line", { x1: 46, x2: 406, y1: y(value), y2: y(value), stroke: "var(--line)" }));
    svg.append(draw("text", { x: 40, y: y(value) + 4, "text-anchor": "end" },
      fixedPercent(value, top < 0.1 ? 1 : 0)));
    svg.append(draw("text", { x: x(k / 4), y: 221, "text-anchor": "middle" }, fixedPercent(k / 4, 0)));
  }
  svg.append(draw("text", { x: 226, y: 241, "text-anchor": "middle" }, titleX));
  svg.append(draw("text", { x: 46, y: 9 }, titleY));
  return { svg, x, y };
}

function drawCurve(target, xs, ys, titleX, titleY) {
  const top = Math.max(0.02, Math.ceil(Math.max(...ys) * 50) / 50);
  const { svg, x, y } = axes(top, titleX, titleY);
  const points = xs.map((value, i) => `${x(value)},${y(ys[i])}`).join(" ");
  svg.append(draw("polyline", { points, fill: "none", stroke: "var(--accent)", "stroke-width": 2 }));
  target.append(svg);
}

// Shares of right answers by probability, and by belief if a model tells them apart.
function drawReliability(target, ofProbability, ofBelief) {
  const { svg, x, y } = axes(1, ofBelief ? "probability, belief" : "confidence", "share of right answers");
  svg.append(draw("line", {
    x1: x(0), y1: y(0), x2: x(1), y2: y(1), stroke: "var(--soft)", "stroke-dasharray": "4 4",
  }));
  const add = ([accuracy, mean, share], name, colour, opacity) => {
    const points = mean.map((value, i) => `${x(value)},${y(accuracy[i])}`).join(" ");
    svg.append(draw("polyline", { points, fill: "none", stroke: colour }));
    mean.forEach((value, i) => {
      const dot = draw("circle", {
        cx: x(value), cy: y(accuracy[i]), r: 3 + 9 * Math.sqrt(share[i]), fill: colour,
        "fill-opacity": opacity, stroke: colour,
      });
      dot.append(draw("title", {}, `${percent(share[i], 1)} of the rows: ${name} ` +
        `${percent(value, 1)}, right ${percent(accuracy[i], 1)}`));
      svg.append(dot);
    });
  };
  if (ofBelief) add(ofBelief, "belief", "var(--soft)", 0.05);
  add(ofProbability, ofBelief ? "probability" : "confidence", "var(--accent)", 0.7);
  target.append(svg);
}

// The histogram of a feature, and the terms of the rules above it.
function drawVariable(feature, { edges, counts }) {
  const svg = draw("svg", { viewBox: "0 0 280 130", role: "img", "aria-label": `Values of ${feature.name}` });
  const greatest = Math.max(...counts, 1);
  const bar = (x, width, count) => {
    const height = (84 * count) / greatest;
    const box = draw("rect", {
      x, y: 100 - height, width: Math.max(width, 0.5), height, fill: "var(--bar)",
    });
    box.append(draw("title", {}, `${count} rows`));
    svg.append(box);
  };
  if (isListed(feature)) {
    drawCategories(svg, feature, edges, counts, bar);
    return svg;
  }
  const peaks = feature.kind === "number" ? [] : peaksOf(feature);
  const known = [...edges, ...peaks, ...(feature.ends ?? []), feature.minimum, feature.maximum]
    .filter(Number.isFinite);
  if (!known.length) {
    svg.append(draw("text", { x: 140, y: 60, "text-anchor": "middle" }, "no value known"));
    return svg;
  }
  const low = Math.min(...known), high = Math.max(...known);
  const x = (value) => (high > low ? 8 + 264 * share(value, low, high) : 140);
  for (let k = 0; k + 1 < edges.length; ++k) {
    bar(x(edges[k]), (x(edges[k + 1]) - x(edges[k])) * 0.94, counts[k]);
  }
  if (high > low) drawTerms(svg, feature, peaks, x);
  svg.append(draw("text", { x: 8, y: 115 }, written(feature, low)));
  svg.append(draw("text", { x: 272, y: 115, "text-anchor": "end" }, written(feature, high)));
  return svg;
}

function drawCategories(svg, feature, values, counts, bar) {
  const isShown = values.length <= MOST_BARS;
  const order = values.map((_, k) => k);
  if (!isShown) order.sort((a, b) => counts[b] - counts[a] || a - b);
  const shown = order.slice(0, MOST_BARS);
  const width = 264 / Math.max(shown.length, 1);
  shown.forEach((k, place) => {
    bar(8 + place * width + width * 0.15, width * 0.7, counts[k]);
    svg.append(draw("text", { x: 8 + (place + 0.5) * width, y: 115, "text-anchor": "middle" },
      written(feature, values[k])));
  });
  if (isShown) return;
  svg.append(draw("text", { x: 8, y: 11 }, `the ${MOST_BARS} most frequent of ${values.length} values`));
}

function drawTerms(svg, feature, peaks, x) {
  const ends = feature.ends ?? peaks, show = (value) => written(feature, value);
  peaks.forEach((peak, t) => {
    const points = [], isPlateau = ends[t] > peak;
    if (t > 0) points.push(`${x(ends[t - 1])},100`);
    points.push(`${x(peak)},16`);
    if (isPlateau) points.push(`${x(ends[t])},16`);
    if (t + 1 < peaks.length) points.push(`${x(peaks[t + 1])},100`);
    const line = draw("polyline", {
      points: points.join(" "), fill: "none", stroke: COLOURS[t % COLOURS.length], "stroke-width": 1.6,
    });
    const where = isPlateau ? `from ${show(peak)} to ${show(ends[t])}` : `at ${show(peak)}`;
    line.append(draw("title", {}, `${feature.terms[t]}: fully true ${where}`));
    svg.append(line);
  });
}
