"use strict";
// The verdict as a picture for documents: self-contained SVG with colours of its own, for light paper.

const SHEET = { width: 720, margin: 28, label: 150, amount: 64, bar: 18 };
const INK = "#1b1f24", SOFT = "#59636e", PALE = "#eef0f3", UNKNOWN = "#4b5560", WARN = "#b3261e";
const MOST_REASONS = 4, MOST_SHOWN_CLASSES = 8;

// What XML may not hold, whatever names have.
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const allowed = (text) => text.replace(FORBIDDEN, "\ufffd");

// Draws from top to bottom.
class Sheet {
  constructor() {
    this.svg = draw("svg", { "font-family": FONT, fill: INK });
    this.y = SHEET.margin;
    this.inner = SHEET.width - 2 * SHEET.margin;
  }

  add(tag, attributes, text = null) {
    const element = draw(tag, attributes, text === null ? null : allowed(text));
    this.svg.append(element);
    return element;
  }

  // Lines of text, each below the one before.
  write(text, { size = 14, weight = 400, fill = INK, indent = 0, gap = 0, most = 3 } = {}) {
    if (!text) return;
    this.y += gap;
    for (const line of wrapped(text, this.inner - indent, size, weight, most)) {
      this.y += size * 1.35;
      this.add("text", { x: SHEET.margin + indent, y: this.y - size * 0.3, "font-size": size, "font-weight": weight, fill }, line);
    }
  }

  finish(title) {
    const { width, margin } = SHEET, height = Math.ceil(this.y + margin);
    this.svg.prepend(draw("title", {}, allowed(title)), draw("rect", { width, height, fill: "#ffffff" }));
    for (const [name, value] of Object.entries({ viewBox: `0 0 ${width} ${height}`, width, height })) {
      this.svg.setAttribute(name, value);
    }
    return this.svg;
  }
}

// What the model says: headline, the rest of the sentence, and a remark; and its colour.
function answerWords(model, record, result) {
  if (model.scheme === "profile") {
    const colour = { answer: classColour(result.best), torn: SOFT }[result.verdict] ?? UNKNOWN;
    return { ...verdictWords(model, record, result), colour };
  }
  const headline = `${model.classes[result.best]}.`, colour = classColour(result.best);
  const tied = result.tied.map((c) => model.classes[c]).join(", ");
  const rest = tied ? `Drawn at random: a tie between ${tied}` : `Probability ${percent(result.probability[result.best])}`;
  return { headline, rest, guess: "", colour };
}

// The bars: label, amount, and parts, each with a width, a colour, and whether it is hatched.
function verdictBars(model, result) {
  const isProfile = model.scheme === "profile";
  const amounts = isProfile ? result.probability : result.mass;
  const order = byAmount(amounts), isCut = order.length > MOST_SHOWN_CLASSES;
  const named = isCut ? order.slice(0, MOST_SHOWN_CLASSES - 1) : order, others = order.slice(named.length);
  const bars = named.map((c) => ({ label: model.classes[c], amount: amounts[c], parts: [
    { width: result.mass[c], fill: classColour(c) },
    ...(isProfile ? [{ width: model.base_rates[c] * result.ignorance, fill: classColour(c), isOpen: true }] : []),
  ] }));
  if (others.length) {
    const amount = sum(others.map((c) => amounts[c]));
    bars.push({ label: `${others.length} others`, amount, parts: [{ width: amount, fill: "#9aa4ae" }] });
  }
  if (!isProfile) {
    bars.push({ label: "don’t know", amount: result.ignorance, parts: [{ width: result.ignorance, fill: UNKNOWN }] });
  }
  return bars;
}

function drawBars(sheet, bars) {
  const { margin, label, amount, bar } = SHEET, room = sheet.inner - label - amount - 16;
  for (const { label: text, amount: value, parts } of bars) {
    const y = sheet.y, from = margin + label + 8;
    sheet.add("text", { x: margin, y: y + 13, "font-size": 14 }, fitted(text, label, 14));
    sheet.add("rect", { x: from, y, width: room, height: bar, rx: 3, fill: PALE });
    let x = from;
    for (const { width, fill, isOpen } of parts) {
      const size = room * clamp(width, 0, 1);
      sheet.add("rect", { x, y, width: size, height: bar, fill, "fill-opacity": isOpen ? 0.35 : 1 });
      x += size;
    }
    sheet.add("text", { x: margin + sheet.inner, y: y + 13, "font-size": 14, "text-anchor": "end" }, percent(value));
    sheet.y += bar + 7;
  }
}

// A line about what adds to the lead of a class, with the colour of the class that it speaks for.
function drawReason(sheet, amount, colour, text, note = "") {
  const top = sheet.y + 6;
  sheet.write(text, { size: 13, indent: 76, gap: 6, most: 3 });
  if (colour) sheet.add("rect", { x: SHEET.margin, y: top + 4, width: 10, height: 10, rx: 2, fill: colour });
  sheet.add("text", { x: SHEET.margin + 66, y: top + 13.5, "font-size": 13, "text-anchor": "end" }, signed(amount));
  sheet.write(note, { size: 12, fill: SOFT, indent: 76, most: 2 });
}

// Base rates or a prior first, then the rules that say most, the others together, and the sum.
function drawReasons(sheet, model, record, result) {
  const entries = contributions(model, result), rival = rivalOf(model, result), { best } = result;
  const total = (some) => sum(some.map(({ contribution: amount }) => amount));
  const starts = entries.filter(({ rule, nOnMissing }) => !rule && !nOnMissing);
  const shown = strongestRules(model, result, MOST_REASONS).map(({ index }) => entries.find((one) => one.index === index));
  const others = entries.filter((one) => !starts.includes(one) && !shown.includes(one) && one.contribution !== 0);
  if (!starts.length && !shown.length) return;
  const sideOf = (amount) => (amount > 0 ? best : rival);
  const colourOf = (amount) => (amount ? classColour(sideOf(amount)) : null);
  const sideWord = (amount) => (amount ? `${model.classes[sideOf(amount)]}: ` : "");
  sheet.write("Why", { weight: 600, size: 15, gap: 10 });
  sheet.write(`What speaks for ${model.classes[best]} against ${model.classes[rival]}, in ${
    model.isEvidence ? "log-odds" : "votes"}; each line begins with the class that it speaks for`,
    { size: 12, fill: SOFT });
  for (const { contribution: amount, kind } of starts) {
    const words = kind === "base rates" ? baseRateWords(model).join("") : "before any evidence";
    drawReason(sheet, amount, colourOf(amount), sideWord(amount) + words);
  }
  for (const { rule, contribution: amount } of shown) {
    const text = rule.text.replace(/([<>]?=) /g, "$1\u00a0"); // lines do not end between sign and number
    const values = rule.if.map(([f]) =>
      `${model.features[f].name} ${Number.isNaN(record[f]) ? "missing" : written(model.features[f], record[f])}`);
    drawReason(sheet, amount, colourOf(amount), `${sideWord(amount)}${text} → ${labelOf(rule, model.classes)}`,
      values.length ? `The record has ${listed(values)}` : "");
  }
  const rest = total(others), all = total(entries);
  if (others.length && !Number.isNaN(rest)) {
    const n = sum(others.map(({ nOnMissing }) => nOnMissing ?? 1));
    drawReason(sheet, rest, colourOf(rest), sideWord(rest) + counted(n, "other rule", "other rules"));
  }
  if (!Number.isNaN(all)) drawReason(sheet, all, null, "sum");
}

// What stands below the verdict of the page: why, and when not to trust it.
function drawWarnings(sheet) {
  const isWarning = $("trust").classList.contains("warning");
  sheet.write($("because").textContent, { size: 14, indent: 16, gap: 4, most: 6 });
  for (const line of $("trust").children) {
    sheet.write(line.textContent, { size: 13, indent: 16, gap: 2, most: 4, weight: isWarning ? 600 : 400,
      fill: isWarning ? WARN : SOFT });
  }
}

// The verdict on the record of the form, which the page shows, as an element of SVG that needs nothing else.
function verdictPicture(model, record, result, { title, card }) {
  const sheet = new Sheet(), words = answerWords(model, record, result);
  sheet.write(title, { size: 13, fill: SOFT, most: 2 });
  const top = sheet.y + 6;
  sheet.write(words.headline, { size: 28, weight: 700, gap: 4, indent: 16 });
  sheet.write(words.rest, { size: 17, indent: 16 });
  sheet.add("rect", { x: SHEET.margin, y: top, width: 5, height: sheet.y - top, rx: 2, fill: words.colour });
  drawWarnings(sheet);
  sheet.write(words.guess, { size: 13, fill: SOFT, indent: 16 });
  sheet.y += 16;
  drawBars(sheet, verdictBars(model, result));
  if (model.scheme === "profile") {
    sheet.write("Solid: belief. Pale: base rate × ignorance. Together: probability.", { size: 12, fill: SOFT });
  }
  const parts = [["ignorance", result.ignorance], ["contradiction", result.contradiction], ["novelty", result.novelty]];
  sheet.write(parts.filter(([, value]) => (value ?? null) !== null)
    .map(([name, value]) => `${name} ${percent(value)}`).join(", "), { size: 12, fill: SOFT });
  drawReasons(sheet, model, record, result);
  sheet.write(`${card.estimator}, fuzzyucs ${card.version}`, { size: 11, fill: SOFT, gap: 14 });
  return sheet.finish(`${title}: ${words.headline} ${words.rest}`);
}

// Lets the browser save the verdict on the record of the what-if form.
function saveVerdict({ model, record }) {
  const svg = verdictPicture(model, record, model.evaluate(record), DATA);
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(svg)}`;
  const name = DATA.title.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "").toLowerCase() || "verdict";
  make("a", { href: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`, download: `${name}-verdict.svg` }).click();
}
