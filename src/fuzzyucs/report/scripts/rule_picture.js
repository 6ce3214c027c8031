"use strict";
// The picture of a rule: a histogram for each condition, with the accepted band and the record's value.

const PANEL = { width: 232, top: 22, height: 54, left: 6, gap: 14, row: 15, labels: 92 };
const MOST_ROWS = 8; // of categories
const MOST_KEYS = 10; // classes with colours of their own
const SMALL = 11; // size of texts

// Returns the picture of a rule as an element of SVG; without a record, no value is marked.
function rulePicture(rule, record = null, columns = panelColumns()) {
  const panels = rule.if.map((condition) => conditionPanel(rule, condition, record));
  const across = Math.max(1, Math.min(columns, panels.length));
  const width = across * PANEL.width + (across - 1) * PANEL.gap;
  const svg = draw("svg", { class: "rule-picture", role: "img", "aria-label": pictureWords(rule, record) });
  let y = 0;
  for (let first = 0; first < panels.length; first += across) {
    const row = panels.slice(first, first + across);
    row.forEach(({ group }, k) => {
      group.setAttribute("transform", `translate(${k * (PANEL.width + PANEL.gap)}, ${y})`);
      svg.append(group);
    });
    y += Math.max(...row.map(({ height }) => height)) + 8;
  }
  y += addClassKey(svg, width, y);
  svg.setAttribute("viewBox", `0 0 ${width} ${y}`);
  svg.style.width = `${width}px`;
  return svg;
}

// How many panels fit beside each other; the ledger takes about half of a wide window.
const panelColumns = (width = innerWidth < 800 ? innerWidth - 40 : innerWidth / 2 - 120) =>
  Math.max(1, Math.floor((width + PANEL.gap) / (PANEL.width + PANEL.gap)));

// What a picture shows, for people who do not see it.
function pictureWords(rule, record) {
  const values = record && rule.if.map(([f]) => {
    const feature = MODEL.features[f];
    return `${feature.name} ${Number.isNaN(record[f]) ? "missing" : written(feature, record[f])}`;
  });
  return `Picture of the rule: ${rule.text}${values?.length ? `. The record has ${values.join(", ")}` : ""}`;
}

function conditionPanel(rule, condition, record) {
  const f = condition[0], feature = MODEL.features[f], statistics = DATA.features[f];
  const group = draw("g"), value = record ? record[f] : null, colour = classColour(classOfRule(rule));
  const shown = value === null ? "" : Number.isNaN(value) ? "missing" : written(feature, value);
  const told = fitted(shown, PANEL.width / 2, SMALL, 600);
  const room = PANEL.width - textWidth(told, SMALL, 600) - 10;
  const name = draw("text", { x: 0, y: 11, class: "name" }, fitted(feature.name, room, SMALL));
  name.append(draw("title", {}, feature.name));
  group.append(name, draw("text", { x: PANEL.width, y: 11, "text-anchor": "end", class: "value" }, told));
  const draws = isListed(feature) ? drawRows : drawBand;
  const height = draws(group, feature, statistics, condition, value, colour);
  return { group, height };
}

// Counts of a bar, by class; of features with very many categories there is only their sum.
function barParts({ counts, class_counts: byClass }, bar) {
  if (!byClass) return [[counts[bar], "var(--bar)"]];
  return byClass.map((ofClass, c) => [ofClass[bar], classColour(c)]).filter(([count]) => count > 0);
}

// Between which values a picture of a feature is drawn.
function axisOf(feature, { edges }) {
  const known = [...edges, feature.minimum, feature.maximum].filter(Number.isFinite);
  const low = Math.min(...known), high = Math.max(...known);
  return high > low ? [low, high] : known.length ? [low - 0.5, low + 0.5] : [0, 1];
}

// Values between which the degree of a condition is a straight line, and its degrees.
function bandCorners(feature, condition, [low, high]) {
  if (feature.kind === "number") {
    const at = (position) => feature.minimum * (1 - position) + feature.maximum * position;
    const from = condition[1] <= 0 ? low : at(condition[1]), to = condition[2] >= 1 ? high : at(condition[2]);
    return [[low, 0], [from, 0], [from, 1], [to, 1], [to, 0], [high, 0]];
  }
  const inside = [...peaksOf(feature), ...(feature.ends ?? [])]
    .filter((value) => Number.isFinite(value) && low < value && value < high).sort((a, b) => a - b);
  return [low, ...inside, high].map((value) => [value, membership(feature, condition, locate(feature, value))]);
}

// The histogram of a number or date with the accepted band.
function drawBand(group, feature, statistics, condition, value, colour) {
  const axis = axisOf(feature, statistics), { top, height, left, width } = PANEL, base = top + height;
  const x = (number) => left + (width - 2 * left) * clamp(share(number, ...axis), 0, 1);
  const y = (degree) => base - height * degree;
  const corners = bandCorners(feature, condition, axis).map(([at, degree]) => `${x(at)},${y(degree)}`);
  group.append(draw("polygon", { points: [`${x(axis[0])},${base}`, ...corners, `${x(axis[1])},${base}`].join(" "),
    fill: colour, "fill-opacity": 0.25, class: "band" }));
  const greatest = Math.max(...statistics.counts, 1);
  for (let bar = 0; bar + 1 < statistics.edges.length; ++bar) {
    const from = x(statistics.edges[bar]), to = x(statistics.edges[bar + 1]);
    let under = base;
    for (const [count, fill] of barParts(statistics, bar)) {
      const size = (0.92 * height * count) / greatest;
      under -= size;
      group.append(draw("rect", { x: from, y: under, width: Math.max((to - from) * 0.92, 1), height: size, fill, class: "bar" }));
    }
  }
  group.append(
    draw("polyline", { points: corners.join(" "), fill: "none", stroke: colour, "stroke-width": 1.5 }),
    draw("line", { x1: left, x2: width - left, y1: base, y2: base, class: "axis" }));
  const [low, high] = axis.map((end, k) =>
    (feature.time ? written(feature, end, k === 1) : withUnit(feature, plain(end, 4))));
  const half = (width - 2 * left) / 2 - 4;
  group.append(draw("text", { x: left, y: base + 13 }, fitted(low, half, SMALL)),
    draw("text", { x: width - left, y: base + 13, "text-anchor": "end" }, fitted(high, half, SMALL)));
  if (value !== null && !Number.isNaN(value)) group.append(...valueMark(x(value), top - 4, base));
  return base + 18;
}

// A dark line with a triangle on top.
function valueMark(x, top, base) {
  return [draw("line", { x1: x, x2: x, y1: top + 5, y2: base, class: "mark" }),
    draw("path", { d: `M${x - 4.5},${top} h9 l-4.5,6 z`, class: "mark-head" })];
}

// A bar for each category; accepted ones are shaded, that of the record has a dark frame.
function drawRows(group, feature, statistics, condition, value, colour) {
  const { top, width, row } = PANEL, totals = statistics.counts;
  const degrees = statistics.edges.map((category) => {
    const position = locate(feature, category);
    return Number.isNaN(position) ? 0 : membership(feature, condition, position);
  });
  const rows = shownRows(statistics.edges, totals, degrees, value);
  const names = rowNames(rows.map((bar) => written(feature, statistics.edges[bar])));
  const labels = 14 + Math.max(0, ...names.map((name) => textWidth(name, SMALL, 600)));
  const greatest = Math.max(...totals, 1), room = width - labels - 4;
  rows.forEach((bar, k) => {
    const category = statistics.edges[bar], y = top + k * row, isOwn = category === value;
    if (degrees[bar] > 0) {
      group.append(draw("rect", { x: 0, y, width, height: row - 1, fill: colour,
        "fill-opacity": 0.25 * degrees[bar], class: "band" }));
    }
    const text = written(feature, category);
    const label = draw("text", { x: labels - 4, y: y + 11, "text-anchor": "end", class: isOwn ? "value" : "" },
      names[k]);
    label.append(draw("title", {}, `${text}: ${counted(totals[bar], "row", "rows")}`));
    group.append(label);
    let from = labels;
    for (const [count, fill] of barParts(statistics, bar)) {
      const size = (room * count) / greatest;
      group.append(draw("rect", { x: from, y: y + 2, width: size, height: row - 5, fill, class: "bar" }));
      from += size;
    }
    if (isOwn) {
      group.append(draw("rect", { x: 0.75, y: y - 0.25, width: width - 1.5, height: row - 0.5, class: "mark" }),
        draw("path", { d: `M0,${y + 3} v8 l6,-4 z`, class: "mark-head" }));
    }
  });
  const left = statistics.edges.length - rows.length;
  if (left) group.append(draw("text", { x: labels, y: top + rows.length * row + 11 }, `${left.toLocaleString("en")} more`));
  return top + (rows.length + (left ? 1 : 0)) * row + 2;
}

// Names that fit; if their beginnings are the same, with their ends.
function rowNames(texts) {
  const names = texts.map((text) => fitted(text, PANEL.labels, SMALL, 600));
  const isClear = new Set(names).size === new Set(texts).size;
  return isClear ? names : texts.map((text) => fittedInside(text, PANEL.labels, SMALL, 600));
}

// The bars to show, in their order: that of the record, accepted ones, and others, the most frequent
// of each.
function shownRows(values, totals, degrees, value) {
  const rank = (k) => (values[k] === value ? 2 : degrees[k]);
  const order = values.map((_, k) => k).sort((a, b) => rank(b) - rank(a) || totals[b] - totals[a] || a - b);
  return order.slice(0, MOST_ROWS).sort((a, b) => a - b);
}

// Names of the classes beside their colours, in as many lines as it takes; returns their height.
function addClassKey(svg, width, top) {
  if (MODEL.nClasses > MOST_KEYS) return 0;
  let x = 0, y = top + 4;
  MODEL.classes.forEach((label, c) => {
    const text = fitted(label, Math.min(width, 200) - 20, SMALL), size = textWidth(text, SMALL) + 28;
    if (x > 0 && x + size > width) [x, y] = [0, y + 16];
    svg.append(draw("rect", { x, y, width: 10, height: 10, rx: 2, fill: classColour(c), class: "bar" }),
      draw("text", { x: x + 14, y: y + 9.5 }, text));
    x += size;
  });
  return y + 14 - top;
}
