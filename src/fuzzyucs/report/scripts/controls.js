"use strict";
// Controls of the what-if form: a menu, or a slider with a field, and the histogram of the feature.

const MOST_SMALL_BARS = 32; // of a menu
const NO_NUMBER = /[^\d.eE+\s-]/;

// Whether the names of terms are numbers or ranges, which need no further ones.
const isNumbered = ({ terms }) => terms.every((term) => /^([<>]?=|-?\d)/.test(term));

// A value in the terms of its feature.
function inWords(feature, value) {
  if (Number.isNaN(value)) return "missing";
  const position = locate(feature, value);
  if (Number.isNaN(position)) return "unknown value, treated as missing";
  if (feature.views) return ""; // every source has words of its own
  if (!feature.terms || isListed(feature) || !(feature.maximum > feature.minimum)) return "";
  const { term, fraction } = segment(position, feature.n_terms);
  const [low, high] = [feature.terms[term], feature.terms[term + 1]];
  if (fraction === 0 || fraction === 1) {
    const name = fraction ? high : low;
    return name.startsWith("= ") ? "" : name; // the value itself
  }
  const degree = (share) => (isNumbered(feature) ? ` (${share.toFixed(2)})` : ` ${share.toFixed(2)}`);
  return `${low}${degree(1 - fraction)}, ${high}${degree(fraction)}`;
}

// The least and the greatest value in the training data, or null.
function trainingRange({ features, support }, f) {
  const { minimum, maximum } = features[f];
  const low = support?.minimum[f] ?? minimum, high = support?.maximum[f] ?? maximum;
  return isListed(features[f]) || !Number.isFinite(low) || !Number.isFinite(high) ? null : [low, high];
}

// What to say of a number outside of the training data; nothing if it is inside.
function outsideWords(model, f, value) {
  if (model.isWithoutData) return "";
  const range = trainingRange(model, f);
  if (!range || !(value < range[0] || value > range[1])) return "";
  const [low, high] = range.map((end) => written(model.features[f], end));
  return low === high ? `outside of the training data: always ${low}`
    : `outside of the training data: ${low} to ${high}`;
}

// The parts of a control that surround it: the histogram above, and the answers along it below.
function makeRuler(name, histogram, ...inner) {
  const band = make("div", { className: "band", role: "img", "aria-label": `${name}: answers` });
  return { ruler: make("div", { className: "ruler" }, histogram, ...inner, band), band };
}

function makeMenu({ model, f, id, get, change, statistics }) {
  const feature = model.features[f], values = valuesToTry(feature);
  const select = make("select", { id },
    ...values.map((value) => make("option", { value }, written(feature, value))));
  select.addEventListener("input", () => change(Number(select.value)));
  const show = () => {
    select.disabled = Number.isNaN(get());
    if (!select.disabled) select.value = String(get());
  };
  if (values.length > MOST_SMALL_BARS || !statistics.counts.length) {
    return { elements: [select], show, mark: () => {} };
  }
  const { ruler, band } = makeRuler(feature.name, smallBars(statistics, model.colours));
  ruler.classList.add("of-menu");
  const mark = (search, own) =>
    showBand(band, model, feature, search ? partsOfMenu(model, feature, search, own) : []);
  return { elements: [ruler, select], show, mark };
}

// A step of a slider: a power of ten, about a hundredth of the range, but no finer than the values in training.
function stepOf({ minimum, maximum }, factor) {
  const width = maximum - minimum;
  const step = width > 0 && Number.isFinite(width) ? 10 ** (Math.floor(Math.log10(width)) - 2) : 1;
  return factor === null ? step : Math.max(step, 1 / factor);
}

// A field to type a number in: its element, and how to write and read its text.
function numberField({ name }) {
  const element = make("input", { type: "number", step: "any", "aria-label": `Value of ${name}` });
  return { element, write: String, read: Number };
}

function makeSlider({ model, f, id, get, change, statistics }) {
  const feature = model.features[f];
  const low = feature.minimum ?? 0, high = feature.maximum ?? 1, factor = gridOf(model, f);
  const size = stepOf(feature, factor);
  const slider = make("input", { type: "range", id, min: low, max: high, step: "any" });
  const { element: number, write, read } = feature.time ? timeField(feature) : numberField(feature);
  const short = (value) => (feature.time ? shortTime(feature, value, false) : Number(value.toPrecision(12)));
  const move = (value) => change(clamp(short(value), low, high));
  const near = (value) => (feature.time ? value : Math.round(value / size) * size);
  slider.addEventListener("input", () => move(near(Number(slider.value))));
  // With step "any", keys would move the slider by too much or too little.
  slider.addEventListener("keydown", (event) => {
    const steps = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key];
    if (!steps || Number.isNaN(get())) return;
    event.preventDefault();
    const next = get() + steps * Math.max((high - low) / 100, factor === null ? 0 : size);
    move(factor === null ? next : near(next));
  });
  const refused = make("div", { className: "refused", role: "alert" });
  const show = (isTyping) => {
    if (!isTyping) refused.textContent = "";
    slider.disabled = number.disabled = Number.isNaN(get());
    if (slider.disabled) {
      number.value = "";
      return;
    }
    slider.value = String(get());
    slider.setAttribute("aria-valuetext", `${written(feature, get())} ${inWords(feature, get())}`);
    if (!isTyping) number.value = write(get());
  };
  let isRefused = false; // what was typed is no number
  number.addEventListener("input", () => {
    if (number.value === "" && !number.validity.badInput) isRefused = false;
    if (!isRefused && number.value !== "" && Number.isFinite(read(number.value))) change(read(number.value), true);
  });
  const refuse = (text) => {
    isRefused = true;
    refused.textContent = `“${text}” is not part of a number; the value stays ${written(feature, get())}.`;
  };
  // An emptied field is a missing value; what is no number is refused, and the value stays.
  number.addEventListener("change", () => {
    if (number.value === "" && !number.validity.badInput) change(NaN);
    else if (isRefused || number.validity.badInput || !Number.isFinite(read(number.value))) {
      const text = refused.textContent || `This is not a value; it stays ${written(feature, get())}.`;
      show(false);
      refused.textContent = text;
    } else show(false);
    isRefused = false;
  });
  number.addEventListener("beforeinput", (event) => {
    if (number.type !== "number" || !event.data || !NO_NUMBER.test(event.data)) return;
    event.preventDefault();
    const isComma = event.data === "," && document.execCommand("insertText", false, "."); // as in 12,5
    if (!isComma) refuse(event.data);
  });
  const { ruler, band } = makeRuler(feature.name,
    smallHistogram(statistics, model.colours, low, high), slider);
  const mark = (search, own) => {
    const parts = search?.values.length ? partsOfSlider(model, feature, get(), search, low, high) : [];
    showBand(band, model, feature, parts.some(({ label }) => label !== own) ? parts : []);
  };
  return { elements: [ruler, number, refused], show, mark };
}
