"use strict";
// Histograms of features by class, and the answers along a feature below them.

const HISTOGRAM_HEIGHT = 26;

// Bars of counts, one upon the other in the colours of the classes. Each box has x and width.
function stackedBars(svg, boxes, { counts, class_counts: byClass }, colours, base, height) {
  const greatest = Math.max(...counts, 1), bottoms = counts.map(() => 0);
  const add = (own, colour) => {
    const parts = own.map((count, k) => {
      if (!count) return "";
      const { x, width } = boxes[k], bottom = base - (height * bottoms[k]) / greatest;
      bottoms[k] += count;
      return `M${x.toFixed(2)} ${bottom.toFixed(2)}h${width.toFixed(2)}v${((-height * count) / greatest).toFixed(2)}h${(-width).toFixed(2)}z`;
    });
    if (parts.some(Boolean)) svg.append(draw("path", { d: parts.join(""), fill: colour }));
  };
  if (byClass) byClass.forEach((own, c) => add(own, colours[c]));
  else add(counts, "var(--bar)");
}

// A small picture of such bars, 100 wide.
function smallChart(boxes, statistics, colours) {
  const svg = draw("svg", { class: "histogram", viewBox: `0 0 100 ${HISTOGRAM_HEIGHT}`,
    preserveAspectRatio: "none", "aria-hidden": "true" });
  stackedBars(svg, boxes, statistics, colours, HISTOGRAM_HEIGHT, HISTOGRAM_HEIGHT);
  return svg;
}

// A small histogram from the least to the greatest value of a slider.
function smallHistogram(statistics, colours, low, high) {
  const { edges, counts } = statistics;
  const x = (value) => 100 * (high > low ? share(value, low, high) : 0.5);
  const boxes = counts.map((_, k) => {
    const from = x(edges[k]), to = x(edges[k + 1]);
    return { x: to > from ? from : from - 1, width: Math.max((to - from) * 0.92, 1) };
  });
  return smallChart(boxes, statistics, colours);
}

// The same of categories: a bar for each.
function smallBars(statistics, colours) {
  const width = 100 / statistics.counts.length;
  const boxes = statistics.counts.map((_, k) => ({ x: (k + 0.1) * width, width: width * 0.8 }));
  return smallChart(boxes, statistics, colours);
}

// Shows the answers along a feature: stretches in the colours of the classes, and what they mean in
// words. Each part has a start and an end (shares of the width), a class, and words or null.
function showBand(band, model, feature, parts) {
  const told = parts.map(({ words }) => words).filter(Boolean);
  band.replaceChildren(...(told.length ? parts : []).map(({ start, end, label, words }) => {
    const part = make("span", { className: words ? "change" : "", title: words ?? `here: ${outcomeName(model, label)}` });
    part.classList.toggle("none", label === NO_ANSWER);
    part.style.left = `${100 * start}%`;
    part.style.width = `${100 * (end - start)}%`;
    if (label !== NO_ANSWER) part.style.background = model.colours[label];
    return part;
  }));
  band.setAttribute("aria-label", told.length
    ? `${feature.name}, other answers: ${told.join("; ")}` : `${feature.name}: no other answer`);
}

// Answers along a slider as parts of a band.
function partsOfSlider(model, feature, x, search, low, high) {
  const stretches = stretchesAlong(feature, x, search);
  const at = (value) => clamp(share(value, low, high), 0, 1);
  return stretches.map((stretch, i) => {
    const { from = stretches[i - 1]?.to, to = stretches[i + 1]?.from, label, isHere } = stretch;
    return { start: from === undefined ? 0 : at(from), end: to === undefined ? 1 : at(to), label,
      words: isHere ? null : stretchWords(model, feature, stretch) };
  });
}

// Answers to the categories of a menu as parts of a band.
function partsOfMenu(model, feature, { answer, values }, own) {
  return values.map((value, k) => ({ start: (k + 0.1) / values.length, end: (k + 0.9) / values.length,
    label: answer(value),
    words: answer(value) === own ? null : `${written(feature, value)}: ${outcomeName(model, answer(value))}` }));
}
