"use strict";
// Charts: risk and coverage, reliability, and the values of a feature with its terms.

const SHOWN_CATEGORIES = 8;

function axes(top, titleX, titleY) {
  const svg = draw("svg", { viewBox: "0 0 430 256", role: "img", "aria-label": `${titleY} by ${titleX}` });
  const x = (value) => 46 + 360 * value, y = (value) => 205 - (190 * value) / top;
  for (let k = 0; k <= 4; ++k) {
    const value = (top * k) / 4;
    svg.append(draw("line", { x1: 46, x2: 406, y1: y(value), y2: y(value), stroke: "var(--line)" }));
    svg.append(draw("text", { x: 40, y: y(value) + 4, "text-anchor": "end" },
      fixedPercent(value, top < 0.1 ? 1 : 0)));
    svg.append(draw("text", { x: x(k / 4), y: 225, "text-anchor": "middle" }, fixedPercent(k / 4, 0)));
  }
  svg.append(draw("text", { x: 226, y: 247, "text-anchor": "middle" }, titleX));
  svg.append(draw("text", { x: 46, y: 9 }, titleY));
  return { svg, x, y };
}

function drawCurve(target, xs, ys, titleX, titleY) {
  const top = Math.max(0.02, Math.ceil(Math.max(...ys) * 50) / 50);
  const { svg, x, y } = axes(top, titleX, titleY);
  const points = xs.map((value, i) => `${x(value)},${y(ys[i])}`).join(" ");
  svg.append(draw("polyline", { points, fill: "none", stroke: "var(--accent)", "stroke-width": 2 }));
  if (ys.every((value) => value === 0)) {
    svg.append(draw("text", { x: x(0.5), y: y(0) - 8, "text-anchor": "middle" }, "no answer is wrong"));
  }
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

// The histogram of a feature with an order, and the terms of the rules above it.
function drawVariable(feature, statistics, colours) {
  const svg = draw("svg", { viewBox: "0 0 280 122", role: "img", "aria-label": `Values of ${feature.name}` });
  const { edges } = statistics, peaks = feature.kind === "number" ? [] : peaksOf(feature);
  const known = [...edges, ...peaks, ...(feature.ends ?? []), feature.minimum, feature.maximum]
    .filter(Number.isFinite);
  if (!known.length) {
    svg.append(draw("text", { x: 140, y: 60, "text-anchor": "middle" }, "no value known"));
    return svg;
  }
  const low = Math.min(...known), high = Math.max(...known), isConstant = !(high > low);
  const x = (value) => (isConstant ? 136 : 8 + 264 * share(value, low, high));
  const boxes = statistics.counts.map((_, k) =>
    ({ x: x(edges[k]), width: isConstant ? 8 : Math.max((x(edges[k + 1]) - x(edges[k])) * 0.94, 0.5) }));
  stackedBars(svg, boxes, statistics, colours, 100, 84);
  svg.append(draw("line", { x1: 8, x2: 272, y1: 100, y2: 100, stroke: "var(--line)" }));
  if (isConstant) {
    svg.append(draw("text", { x: 140, y: 115, "text-anchor": "middle" }, written(feature, low)));
    return svg;
  }
  if (peaks.length <= SHOWN_TERMS && !feature.views) drawTerms(svg, feature, peaks, x);
  svg.append(draw("text", { x: 8, y: 115 }, written(feature, low)));
  svg.append(draw("text", { x: 272, y: 115, "text-anchor": "end" }, written(feature, high)));
  return svg;
}

// A line for each category: its name, and a bar. Of many, the most frequent.
function listCategories(feature, { edges, counts, class_counts: byClass }, colours) {
  const order = edges.map((_, k) => k);
  if (order.length > SHOWN_CATEGORIES) order.sort((a, b) => counts[b] - counts[a] || a - b);
  const greatest = Math.max(...counts, 1);
  const lines = order.slice(0, SHOWN_CATEGORIES).map((k) => {
    const label = written(feature, edges[k]), track = make("div", { className: "track" });
    (byClass ?? [counts]).forEach((own, c) => {
      const part = barPart("", own[k] / greatest);
      part.style.background = byClass ? colours[c] : "var(--bar)";
      if (own[k]) track.append(part);
    });
    return make("div", { className: "category" },
      make("span", { className: "label", title: label }, label), track,
      make("span", { className: "amount" }, counts[k].toLocaleString("en")));
  });
  const rest = order.slice(SHOWN_CATEGORIES);
  if (rest.length) {
    lines.push(make("p", { className: "note" }, `${counted(rest.length, "more value", "more values")}, ` +
      counted(sum(rest.map((k) => counts[k])), "row", "rows")));
  }
  return make("div", { className: "categories" }, ...lines);
}

function drawTerms(svg, feature, peaks, x) {
  const ends = feature.ends ?? peaks, show = (value) => written(feature, value);
  peaks.forEach((peak, t) => {
    const points = [], isPlateau = ends[t] > peak;
    points.push(t > 0 ? `${x(ends[t - 1])},100` : "8,16"); // the outer terms hold to the ends
    points.push(`${x(peak)},16`);
    if (isPlateau) points.push(`${x(ends[t])},16`);
    points.push(t + 1 < peaks.length ? `${x(peaks[t + 1])},100` : "272,16");
    const line = draw("polyline", { points: points.join(" "), fill: "none", class: t % 2 ? "term odd" : "term" });
    const where = isPlateau ? `from ${show(peak)} to ${show(ends[t])}` : `at ${show(peak)}`;
    line.append(draw("title", {}, `${feature.terms[t]}: fully true ${where}`));
    svg.append(line);
  });
}
