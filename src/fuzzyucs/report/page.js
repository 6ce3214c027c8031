"use strict";
// The page: shows what the report holds, and lets people try the model.

const DATA = JSON.parse(document.getElementById("data").textContent);
const MODEL = new Model(DATA.model);
const FEATURES = MODEL.features;
const SHOWN_RULES = 100, SHOWN_ENTRIES = 12, SHOWN_FLIPS = 5, NOTABLE = 0.1;
const $ = (id) => document.getElementById(id);

// Makes an element. Texts are texts, whatever they look like.
function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in element) element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

function draw(tag, attributes = {}, text = null) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== null) element.textContent = text;
  return element;
}

const percent = (value, digits = 1) => `${(100 * value).toFixed(digits)} %`;
const plain = (value, digits = 6) => String(Number(value.toPrecision(digits)));
// A value as people know it.
function written(f, value) {
  const { kind, labels, peaks, terms } = FEATURES[f];
  if (labels) return labels[value] ?? plain(value);
  return kind === "nominal" ? terms[peaks.indexOf(value)] ?? plain(value) : plain(value);
}
const signed = (value) => (value < 0 ? "−" : "+") +
  (Number.isFinite(value) ? Math.abs(value).toFixed(3) : "∞");

// ---------------------------------------------------------------------------------------- card

function facts(table, entries) {
  for (const [name, value] of entries) {
    table.append(make("tr", {}, make("th", { scope: "row" }, name), make("td", {}, String(value))));
  }
}

function showCard() {
  const { card, performance } = DATA;
  $("title").textContent = DATA.title;
  $("subtitle").textContent =
    `${card.rules} rules, ${FEATURES.length} features, ${MODEL.nClasses} classes`;
  $("description").textContent = DATA.description;
  const ways = {
    weighted: "Dempster-Shafer inference with learned weights and a prior",
    ds: "Dempster-Shafer inference", vote: "vote", swin: "single winner",
  };
  facts($("facts"), [
    ["Model", card.estimator],
    ["Decides by", ways[MODEL.scheme]],
    ["Rules", `${card.rules}, ${card.conditions.toFixed(1)} conditions on the mean`],
    ["Features", FEATURES.length],
    ["Classes", MODEL.classes.map((label, c) => `${label} (${card.counts[c]} rows)`).join(", ")],
    ["Measured on", `${performance.rows} rows`],
    ["Missing values", percent(sum(DATA.features.map((f) => f.missing)) / FEATURES.length)],
    ["Novelty", MODEL.support ? "is looked at" : "is not looked at"],
    ["Written", `${card.written} by fuzzyucs ${card.version}`],
  ]);
  facts($("parameters"), Object.entries(card.parameters));
  const order = FEATURES.map((_, f) => f).sort((a, b) => DATA.importance[b] - DATA.importance[a]);
  const greatest = Math.max(...DATA.importance, 1e-12);
  for (const f of order.slice(0, 12)) {
    const fill = make("span");
    fill.style.width = `${(100 * DATA.importance[f]) / greatest}%`;
    $("importance").append(make("div", { className: "share" },
      make("span", { className: "label", title: FEATURES[f].name }, FEATURES[f].name),
      make("div", { className: "track" }, fill),
      make("span", { className: "amount" }, percent(DATA.importance[f], 0))));
  }
  if (order.length > 12) {
    $("importance").append(make("p", { className: "note" }, `${order.length - 12} more features`));
  }
  $("footer").textContent = "This page stands alone: it holds the model and counts of the data, " +
    "no record of them, and asks no server for anything.";
}

// --------------------------------------------------------------------------------- performance

function tile(value, text) {
  $("tiles").append(make("div", { className: "tile" }, make("b", {}, value), make("span", {}, text)));
}

function showPerformance() {
  const p = DATA.performance;
  $("measured").textContent = `On the ${p.rows} rows that the report was given.`;
  tile(percent(p.accuracy), `right answers (95 %: ${percent(p.interval[0])} to ${percent(p.interval[1])})`);
  tile(p.log_loss.toFixed(3), "log-loss");
  tile(percent(p.calibration_error), "calibration error");
  tile(percent(p.ignorance), "“don’t know”, mean");
  if (p.ignorance_wrong !== null && p.ignorance_right !== null) {
    tile(percent(p.ignorance_wrong), `“don’t know” where wrong, ${percent(p.ignorance_right)} where right`);
  }
  if (p.novelty !== null) tile(percent(p.novelty), "novelty, mean (3 % is ordinary)");
  drawCurve($("risk"), p.coverage, p.risk, "share of answered rows", "share of wrong answers");
  drawReliability($("reliability"), ...p.reliability);
  showConfusion(p.confusion);
}

function axes(top, titleX, titleY) {
  const svg = draw("svg", { viewBox: "0 0 420 250", role: "img", "aria-label": `${titleY} by ${titleX}` });
  const x = (value) => 46 + 360 * value, y = (value) => 205 - (190 * value) / top;
  for (let k = 0; k <= 4; ++k) {
    const value = (top * k) / 4;
    svg.append(draw("line", { x1: 46, x2: 406, y1: y(value), y2: y(value), stroke: "var(--line)" }));
    svg.append(draw("text", { x: 40, y: y(value) + 4, "text-anchor": "end" },
      percent(value, top < 0.1 ? 1 : 0)));
    svg.append(draw("text", { x: x(k / 4), y: 221, "text-anchor": "middle" }, percent(k / 4, 0)));
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

function drawReliability(target, accuracy, confidence, share) {
  const { svg, x, y } = axes(1, "confidence", "share of right answers");
  svg.append(draw("line", {
    x1: x(0), y1: y(0), x2: x(1), y2: y(1), stroke: "var(--soft)", "stroke-dasharray": "4 4",
  }));
  const points = confidence.map((value, i) => `${x(value)},${y(accuracy[i])}`).join(" ");
  svg.append(draw("polyline", { points, fill: "none", stroke: "var(--accent)" }));
  confidence.forEach((value, i) => {
    const dot = draw("circle", {
      cx: x(value), cy: y(accuracy[i]), r: 3 + 9 * Math.sqrt(share[i]), fill: "var(--accent)",
      "fill-opacity": 0.7,
    });
    dot.append(draw("title", {}, `${percent(share[i])} of the rows: confidence ` +
      `${percent(value)}, right ${percent(accuracy[i])}`));
    svg.append(dot);
  });
  target.append(svg);
}

function showConfusion(confusion) {
  const head = make("tr", {}, make("th", {}, "true \\ predicted"),
    ...MODEL.classes.map((label) => make("th", { scope: "col" }, label)));
  const rows = confusion.map((counts, i) => {
    const total = Math.max(1, sum(counts));
    return make("tr", {}, make("th", { scope: "row" }, MODEL.classes[i]), ...counts.map((count, j) => {
      const cell = make("td", {}, String(count));
      const colour = i === j ? "var(--for)" : "var(--against)";
      cell.style.background = `color-mix(in srgb, ${colour} ${(55 * count) / total}%, transparent)`;
      return cell;
    }));
  });
  $("confusion").append(make("thead", {}, head), make("tbody", {}, ...rows));
}

// --------------------------------------------------------------------------------------- rules

const isWeighted = MODEL.scheme === "weighted";
const COLUMNS = [
  { title: "Rule", key: (r) => MODEL.rules[r].text, isText: true },
  { title: "Class", key: (r) => MODEL.classes[MODEL.rules[r].class], isText: true },
  { title: isWeighted ? "Counts" : "Numerosity", key: (r) => MODEL.rules[r].strength,
    show: (v) => (isWeighted ? `${v.toFixed(2)} ×` : String(v)) },
  { title: "Weight", key: (r) => MODEL.rules[r].weights[MODEL.rules[r].class], show: (v) => v.toFixed(2) },
  { title: "Coverage", key: (r) => DATA.rules.coverage[r], show: (v) => percent(v) },
  { title: "Right", key: (r) => DATA.rules.accuracy[r], show: (v) => percent(v) },
  { title: "Conditions", key: (r) => MODEL.rules[r].if.length, show: String },
];
const sorting = { column: null, sign: 1, shown: SHOWN_RULES };

function ruleWords(text) {
  const words = [];
  text.split(" AND ").forEach((part, i) => {
    if (i) words.push(make("span", { className: "and" }, " AND "));
    words.push(part);
  });
  return words;
}

function chosenRules() {
  const text = $("rule-text").value.toLowerCase();
  const label = $("rule-class").value, feature = $("rule-feature").value;
  const chosen = MODEL.rules.map((_, r) => r).filter((r) => {
    const rule = MODEL.rules[r];
    return (!text || `${rule.text} ${MODEL.classes[rule.class]}`.toLowerCase().includes(text)) &&
      (label === "" || rule.class === Number(label)) &&
      (feature === "" || rule.if.some((condition) => condition[0] === Number(feature)));
  });
  if (sorting.column !== null) {
    const { key, isText } = COLUMNS[sorting.column];
    const compare = isText
      ? (a, b) => key(a).localeCompare(key(b), undefined, { numeric: true })
      : (a, b) => (key(a) ?? -1) - (key(b) ?? -1);
    chosen.sort((a, b) => sorting.sign * compare(a, b) || a - b);
  }
  return chosen;
}

function showRules() {
  const chosen = chosenRules();
  const rows = chosen.slice(0, sorting.shown).map((r) => make("tr", {}, ...COLUMNS.map((column, k) => {
    const value = column.key(r);
    if (k === 0) return make("td", { className: "words" }, ...ruleWords(value));
    if (column.isText) return make("td", {}, value);
    return make("td", { className: "number" }, value === null ? "–" : column.show(value));
  })));
  $("rule-table").tBodies[0].replaceChildren(...rows);
  $("rule-count").textContent = `${chosen.length} of ${MODEL.rules.length} rules`;
  $("rule-more").hidden = chosen.length <= sorting.shown;
  [...$("rule-table").tHead.rows[0].cells].forEach((cell, k) => {
    cell.setAttribute("aria-sort",
      k !== sorting.column ? "none" : sorting.sign > 0 ? "ascending" : "descending");
  });
}

function setUpRules() {
  const head = make("tr", {}, ...COLUMNS.map((column, k) => {
    const button = make("button", { type: "button" }, column.title);
    button.addEventListener("click", () => {
      const isSame = sorting.column === k;
      sorting.sign = isSame ? -sorting.sign : column.isText ? 1 : -1;
      sorting.column = k;
      showRules();
    });
    return make("th", { scope: "col" }, button);
  }));
  $("rule-table").append(make("thead", {}, head), make("tbody"));
  $("rule-class").append(make("option", { value: "" }, "all"),
    ...MODEL.classes.map((label, c) => make("option", { value: c }, label)));
  const asked = FEATURES.map((_, f) => f).filter((f) => MODEL.asking[f].length);
  $("rule-feature").append(make("option", { value: "" }, "all"),
    ...asked.map((f) => make("option", { value: f }, FEATURES[f].name)));
  for (const id of ["rule-text", "rule-class", "rule-feature"]) {
    $(id).addEventListener("input", () => {
      sorting.shown = SHOWN_RULES;
      showRules();
    });
  }
  $("rule-more").addEventListener("click", () => {
    sorting.shown += SHOWN_RULES;
    showRules();
  });
  $("rule-note").textContent = (isWeighted
    ? "The evidence of a rule counts as often as it says. " : "Numerosity tells how many rules of " +
      "the population are the same. ") + "Weight is the share of the class in what the rule has " +
    "learned from; coverage and right tell the same of the rows that the report was given: the " +
    "share that the rule matches, and that of its class among them.";
  showRules();
}

// ----------------------------------------------------------------------------------- variables

const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00"];

function drawVariable(f) {
  const feature = FEATURES[f], { edges, counts } = DATA.features[f];
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
  if (MODEL.isListed(f)) {
    const width = 264 / Math.max(edges.length, 1);
    edges.forEach((value, k) => {
      bar(8 + k * width + width * 0.15, width * 0.7, counts[k]);
      svg.append(draw("text", { x: 8 + (k + 0.5) * width, y: 115, "text-anchor": "middle" },
        written(f, value)));
    });
    return svg;
  }
  const peaks = feature.kind === "number" ? [] : MODEL.peaks(f);
  const known = [...edges, ...peaks, feature.minimum, feature.maximum].filter(Number.isFinite);
  if (!known.length) {
    svg.append(draw("text", { x: 140, y: 60, "text-anchor": "middle" }, "no value known"));
    return svg;
  }
  const low = Math.min(...known), high = Math.max(...known);
  const x = (value) => (high > low ? 8 + 264 * share(value, low, high) : 140);
  for (let k = 0; k + 1 < edges.length; ++k) {
    bar(x(edges[k]), (x(edges[k + 1]) - x(edges[k])) * 0.94, counts[k]);
  }
  if (high > low) {
    peaks.forEach((peak, t) => {
      const points = [];
      if (t > 0) points.push(`${x(peaks[t - 1])},100`);
      points.push(`${x(peak)},16`);
      if (t + 1 < peaks.length) points.push(`${x(peaks[t + 1])},100`);
      const line = draw("polyline", {
        points: points.join(" "), fill: "none", stroke: COLOURS[t % COLOURS.length], "stroke-width": 1.6,
      });
      line.append(draw("title", {}, `${feature.terms[t]}: fully true at ${plain(peak)}`));
      svg.append(line);
    });
  }
  svg.append(draw("text", { x: 8, y: 115 }, plain(low)));
  svg.append(draw("text", { x: 272, y: 115, "text-anchor": "end" }, plain(high)));
  return svg;
}

function showVariables() {
  FEATURES.forEach((feature, f) => {
    const missing = DATA.features[f].missing;
    const words = [];
    if (feature.terms && !MODEL.isListed(f) && feature.terms.length < 10) {
      const peaks = MODEL.peaks(f);
      words.push(feature.terms.map((term, t) =>
        Number.isFinite(peaks[t]) ? `${term} ${plain(peaks[t], 4)}` : term).join(" · "));
    }
    if (missing > 0) words.push(`${percent(missing)} missing`);
    $("partitions").append(make("div", { className: "variable" },
      make("h3", {}, feature.name), drawVariable(f),
      make("p", { className: "note" }, words.join(" — "))));
  });
}

// ------------------------------------------------------------------------------------- what if

const record = FEATURES.map((_, f) => DATA.features[f].usual ?? NaN);
const controls = [];
let search = 0; // number of the latest search for flips

function step(f) {
  const { minimum, maximum } = FEATURES[f];
  const width = maximum - minimum;
  return width > 0 && Number.isFinite(width) ? 10 ** (Math.floor(Math.log10(width)) - 2) : 1;
}

function setValue(f, value) {
  record[f] = value;
  controls[f].show();
  update();
}

// Says in words what a value is.
function inWords(f) {
  const feature = FEATURES[f], position = locate(feature, record[f]);
  if (Number.isNaN(record[f])) return "missing";
  if (Number.isNaN(position)) return "unknown, counts as missing";
  if (!feature.terms || MODEL.isListed(f) || !(feature.maximum > feature.minimum)) return "";
  const { term, fraction } = segment(position, feature.n_terms);
  const words = [];
  if (fraction < 1) words.push(`${feature.terms[term]} ${(1 - fraction).toFixed(2)}`);
  if (fraction > 0) words.push(`${feature.terms[term + 1]} ${fraction.toFixed(2)}`);
  return words.join(", ");
}

function addInput(f) {
  const feature = FEATURES[f], id = `input-${f}`;
  const missing = make("input", { type: "checkbox", id: `${id}-missing` });
  const words = make("div", { className: "words" });
  const name = make("div", { className: "name" },
    make("label", { htmlFor: id }, feature.name),
    make("label", { className: "missing", htmlFor: missing.id }, missing, "missing"));
  const box = make("div", { className: "input" }, name);
  box.dataset.feature = f;
  let usual = DATA.features[f].usual ?? feature.minimum ?? 0;
  let show;
  if (MODEL.isListed(f)) {
    const select = make("select", { id },
      ...MODEL.valuesToTry(f).map((value) => make("option", { value }, written(f, value))));
    select.addEventListener("input", () => setValue(f, Number(select.value)));
    box.append(select, words);
    show = () => {
      select.disabled = Number.isNaN(record[f]);
      if (!select.disabled) select.value = String(record[f]);
    };
  } else {
    const low = feature.minimum ?? 0, high = feature.maximum ?? 1;
    const slider = make("input", { type: "range", id, min: low, max: high, step: "any" });
    const number = make("input", { type: "number", step: "any", "aria-label": `Value of ${feature.name}` });
    const size = step(f);
    slider.addEventListener("input", () => {
      const value = Number(slider.value);
      const rounded = Number((Math.round(value / size) * size).toPrecision(12));
      setValue(f, clamp(rounded, low, high));
    });
    // With step "any", keys would move the slider by too much or too little.
    slider.addEventListener("keydown", (event) => {
      const steps = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key];
      if (!steps || Number.isNaN(record[f])) return;
      event.preventDefault();
      const value = Number((record[f] + (steps * (high - low)) / 100).toPrecision(12));
      setValue(f, clamp(value, low, high));
    });
    number.addEventListener("input", () => {
      if (number.value !== "" && Number.isFinite(Number(number.value))) {
        record[f] = Number(number.value);
        controls[f].show(true);
        update();
      }
    });
    number.addEventListener("change", () => controls[f].show());
    box.append(slider, number, words);
    show = (isTyping = false) => {
      const none = Number.isNaN(record[f]);
      slider.disabled = number.disabled = none;
      if (none) {
        number.value = "";
        return;
      }
      slider.value = String(record[f]);
      slider.setAttribute("aria-valuetext", `${plain(record[f])} ${inWords(f)}`);
      if (!isTyping) number.value = String(record[f]);
    };
  }
  missing.addEventListener("input", () => {
    if (!Number.isNaN(record[f])) usual = record[f];
    setValue(f, missing.checked ? NaN : usual);
  });
  controls[f] = {
    box,
    show: (isTyping) => {
      missing.checked = Number.isNaN(record[f]);
      show(isTyping);
      words.textContent = inWords(f);
    },
  };
  $("inputs").append(box);
  controls[f].show();
}

function segmentOf(className, width) {
  const part = make("span", { className });
  part.style.width = `${100 * width}%`;
  return part;
}

function beliefRow(label, parts, amount, isBest) {
  return make("div", { className: `belief${isBest ? " best" : ""}` },
    make("span", { className: "label", title: label }, label),
    make("div", { className: "track" }, ...parts.map(([name, width]) => segmentOf(name, width))),
    make("span", { className: "amount" }, percent(amount)));
}

function showBeliefs(result) {
  const novelty = result.novelty ?? 0, weak = result.ignorance - novelty;
  const rows = MODEL.classes.map((label, c) =>
    beliefRow(label, [["mass", result.mass[c]]], result.mass[c], c === result.best));
  rows.push(beliefRow("don’t know", [["weak", weak], ["novel", novelty]], result.ignorance, false));
  const key = make("p", { className: "note" }, make("span", { className: "key weak" }),
    `weak evidence ${percent(weak)}`);
  if (result.novelty !== null) {
    key.append(" ", make("span", { className: "key novel" }), `novelty ${percent(novelty)}`);
  }
  $("beliefs").replaceChildren(...rows, key);
}

function reasonText({ feature, given, isOutside }) {
  const say = (f) => `${FEATURES[f].name} ${written(f, record[f])}`;
  if (isOutside) return `${say(feature)} is outside of the training data`;
  return given === null ? say(feature) : `${say(feature)} given ${say(given)}`;
}

function showAnswer(result) {
  const p = result.probability;
  const tied = result.tied.map((c) => MODEL.classes[c]).join(", ");
  $("answer").replaceChildren("Answer: ", make("b", {}, MODEL.classes[result.best]),
    tied ? `, drawn: a tie between ${tied}` : ` with probability ${percent(p[result.best])}`);
  const isUnusual = result.novelty !== null && result.novelty >= NOTABLE && result.reasons.length > 0;
  $("unusual").textContent = isUnusual
    ? `Unusual: ${result.reasons.map(reasonText).join("; ")}` : "";
  const marked = new Set(isUnusual ? [result.reasons[0].feature] : []);
  controls.forEach(({ box }, f) => box.classList.toggle("unusual", marked.has(f)));
}

function observed(rule) {
  return rule.if.map(([f]) => f).map((f) =>
    `${FEATURES[f].name} ${Number.isNaN(record[f]) ? "missing" : written(f, record[f])}`).join(", ");
}

function showLedger(result) {
  const { best } = result;
  const others = result.scores.map((score, c) => (c === best ? -Infinity : score));
  const rival = others.every((score) => score === -Infinity)
    ? (best === 0 ? 1 : 0) : argmax(others);
  const support = (entry) => {
    const own = entry.amounts[best], other = entry.amounts[rival];
    return own === other ? 0 : own - other;
  };
  const entries = MODEL.entries(result).map((entry) => ({ ...entry, support: support(entry) }))
    .sort((a, b) => Math.abs(b.support) - Math.abs(a.support));
  const unit = MODEL.isEvidence ? "log-odds" : "votes";
  $("ledger-title").textContent =
    `For ${MODEL.classes[best]} against ${MODEL.classes[rival]}, in ${unit}:`;
  const finite = entries.map((entry) => Math.abs(entry.support)).filter(Number.isFinite);
  const greatest = Math.max(...finite, 1e-12);
  const rows = entries.slice(0, SHOWN_ENTRIES).map((entry) => {
    const fill = segmentOf(entry.support > 0 ? "for" : "against",
      Math.min(1, Math.abs(entry.support) / greatest));
    const words = make("td", { className: "words" });
    if (entry.rule) {
      words.append(...ruleWords(entry.rule.text), ` → ${MODEL.classes[entry.rule.class]}`,
        make("div", { className: "note" }, `${observed(entry.rule)}: holds to ${entry.degree.toFixed(2)}`));
    } else if (entry.isPrior) {
      words.append("before any evidence");
    } else {
      words.append(`${entry.doubtful} rules that ask for missing values`);
    }
    return make("tr", {}, make("td", { className: "amount" }, signed(entry.support)),
      make("td", {}, make("div", { className: "track" }, fill)), words);
  });
  const line = (amount, text) => make("tr", {}, make("td", { className: "amount" }, amount),
    make("td"), make("td", { className: "words" }, text));
  if (entries.length > SHOWN_ENTRIES) {
    const rest = sum(entries.slice(SHOWN_ENTRIES).map((entry) => entry.support));
    rows.push(line(Number.isNaN(rest) ? "" : signed(rest), `${entries.length - SHOWN_ENTRIES} more`));
  }
  const total = sum(entries.map((entry) => entry.support));
  if (!Number.isNaN(total)) rows.push(line(signed(total), make("b", {}, "sum")));
  if (!entries.length) rows.push(line("", "No rule matches."));
  $("ledger").replaceChildren(make("tbody", {}, ...rows));
}

function showFlips(found) {
  if (!found.length) {
    $("flips").replaceChildren(make("p", { className: "note" }, "No single value changes the answer."));
    return;
  }
  $("flips").replaceChildren(...found.slice(0, SHOWN_FLIPS).map((flip) => {
    const feature = FEATURES[flip.feature];
    const show = (value) => written(flip.feature, value);
    const button = make("button", { type: "button", className: "flip" },
      `${feature.name} ${show(record[flip.feature])} → ${show(flip.value)} gives `,
      make("b", {}, MODEL.classes[flip.label]));
    button.addEventListener("click", () => setValue(flip.feature, flip.value));
    return button;
  }));
}

// Looks for flips a few milliseconds at a time, so that sliders stay fluid.
function searchFlips(result) {
  const mine = ++search, start = record.slice(), found = [];
  let f = 0;
  const go = () => {
    if (mine !== search) return;
    const until = performance.now() + 6;
    while (f < FEATURES.length && performance.now() < until) {
      const flip = MODEL.flip(start, f++, result.matched, result.best);
      if (flip) found.push(flip);
    }
    if (f < FEATURES.length) {
      setTimeout(go, 0);
      return;
    }
    showFlips(found.sort((a, b) => a.distance - b.distance));
    $("flips").dataset.done = mine;
  };
  setTimeout(go, 120);
}

function update() {
  const result = MODEL.evaluate(record);
  showAnswer(result);
  showBeliefs(result);
  showLedger(result);
  searchFlips(result);
}

function setUpForm() {
  const order = FEATURES.map((_, f) => f).sort((a, b) => DATA.importance[b] - DATA.importance[a]);
  order.forEach(addInput);
  $("feature-text").addEventListener("input", (event) => {
    const text = event.target.value.toLowerCase();
    controls.forEach(({ box }, f) => { box.hidden = !FEATURES[f].name.toLowerCase().includes(text); });
  });
  $("reset").addEventListener("click", () => {
    FEATURES.forEach((_, f) => {
      record[f] = DATA.features[f].usual ?? NaN;
      controls[f].show();
    });
    update();
  });
  $("form").addEventListener("submit", (event) => event.preventDefault());
  update();
}

function setUpTheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  let isDark = dark.matches;
  const show = () => { document.documentElement.dataset.theme = isDark ? "dark" : "light"; };
  dark.addEventListener("change", (event) => { isDark = event.matches; show(); });
  $("theme").addEventListener("click", () => { isDark = !isDark; show(); });
  show();
}

setUpTheme();
showCard();
showPerformance();
setUpRules();
showVariables();
setUpForm();
