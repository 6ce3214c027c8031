"use strict";
// The what-if form: a control for each feature, and the answer to the record that they describe.

const SEARCH_DELAY = 120, SEARCH_SLICE = 6; // milliseconds

class WhatIf {
  constructor(model, statistics, importance) {
    this.model = model;
    this.statistics = statistics;
    this.record = model.features.map((_, f) => this.typical(f));
    this.controls = [];
    this.search = 0; // number of the latest search for flips
    for (const f of byImportance(importance)) this.addControl(f);
    $("feature-text").addEventListener("input", (event) => this.filter(event.target.value));
    $("reset").addEventListener("click", () => this.setRecord(model.features.map((_, f) => this.typical(f))));
    $("form").addEventListener("submit", (event) => event.preventDefault());
    this.update();
  }

  typical(f) {
    return this.statistics[f].usual ?? NaN;
  }

  setValue(f, value, isTyping = false) {
    this.record[f] = value;
    this.controls[f].show(isTyping);
    this.update();
  }

  setRecord(values) {
    values.forEach((value, f) => {
      this.record[f] = value;
      this.controls[f].show();
    });
    this.update();
  }

  filter(text) {
    this.controls.forEach(({ box }, f) => {
      box.hidden = !this.model.features[f].name.toLowerCase().includes(text.toLowerCase());
    });
  }

  update() {
    const { model, record } = this;
    const result = model.evaluate(record);
    const unusual = showAnswer(model, record, result);
    this.controls.forEach(({ box }, f) => box.classList.toggle("unusual", f === unusual));
    showBeliefs(model, result);
    showLedger(model, record, result);
    document.dispatchEvent(new CustomEvent("record", { detail: { record, result } }));
    this.searchFlips(result);
  }

  // Searches flips a few milliseconds at a time, so that sliders stay responsive.
  searchFlips(result) {
    const { model } = this;
    const mine = ++this.search, start = this.record.slice(), found = [];
    let f = 0;
    $("flips").classList.add("stale"); // they belong to an earlier record
    const go = () => {
      if (mine !== this.search) return;
      const until = performance.now() + SEARCH_SLICE;
      while (f < model.features.length && performance.now() < until) {
        const flip = findFlip(model, start, f, result.matched, result.best);
        const loss = findLoss(model, start, f++, result.best);
        found.push(...[flip, loss].filter(Boolean));
      }
      if (f < model.features.length) {
        setTimeout(go, 0);
        return;
      }
      found.sort(compareFlips);
      showFlips(model, start, found, result.novelty, (flip) => this.setValue(flip.feature, flip.value));
      $("flips").classList.remove("stale");
      $("flips").dataset.done = mine;
    };
    setTimeout(go, SEARCH_DELAY);
  }

  addControl(f) {
    const feature = this.model.features[f], id = `input-${f}`;
    const missing = make("input", { type: "checkbox", id: `${id}-missing` });
    const words = make("div", { className: "words" });
    const name = make("div", { className: "name" },
      make("label", { htmlFor: id }, feature.name),
      make("label", { className: "missing", htmlFor: missing.id }, missing, "missing"));
    const change = (value, isTyping) => this.setValue(f, value, isTyping);
    const get = () => this.record[f];
    const control = isListed(feature)
      ? makeMenu(feature, id, get, change) : makeSlider(feature, id, get, change);
    const box = make("div", { className: "input" }, name, ...control.elements, words);
    box.dataset.feature = f;
    let known = this.statistics[f].usual ?? feature.minimum ?? 0;
    missing.addEventListener("input", () => {
      if (!Number.isNaN(get())) known = get();
      change(missing.checked ? NaN : known);
    });
    const show = (isTyping = false) => {
      missing.checked = Number.isNaN(get());
      control.show(isTyping);
      words.textContent = inWords(feature, get());
    };
    this.controls[f] = { box, show };
    $("inputs").append(box);
    show();
  }
}

// A value in the terms of its feature.
function inWords(feature, value) {
  if (Number.isNaN(value)) return "missing";
  const position = locate(feature, value);
  if (Number.isNaN(position)) return "unknown value, treated as missing";
  if (!feature.terms || isListed(feature) || !(feature.maximum > feature.minimum)) return "";
  const { term, fraction } = segment(position, feature.n_terms);
  const words = [];
  if (fraction < 1) words.push(`${feature.terms[term]} ${(1 - fraction).toFixed(2)}`);
  if (fraction > 0) words.push(`${feature.terms[term + 1]} ${fraction.toFixed(2)}`);
  return words.join(", ");
}

function makeMenu(feature, id, get, change) {
  const select = make("select", { id },
    ...valuesToTry(feature).map((value) => make("option", { value }, written(feature, value))));
  select.addEventListener("input", () => change(Number(select.value)));
  const show = () => {
    select.disabled = Number.isNaN(get());
    if (!select.disabled) select.value = String(get());
  };
  return { elements: [select], show };
}

// A step of a slider: a power of ten, about a hundredth of the range.
function stepOf({ minimum, maximum }) {
  const width = maximum - minimum;
  return width > 0 && Number.isFinite(width) ? 10 ** (Math.floor(Math.log10(width)) - 2) : 1;
}

// A field to type a number in: its element, and how to write and read its text.
function numberField({ name }) {
  const element = make("input", { type: "number", step: "any", "aria-label": `Value of ${name}` });
  return { element, write: String, read: Number };
}

function makeSlider(feature, id, get, change) {
  const low = feature.minimum ?? 0, high = feature.maximum ?? 1, size = stepOf(feature);
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
    move(get() + (steps * (high - low)) / 100);
  });
  const show = (isTyping) => {
    slider.disabled = number.disabled = Number.isNaN(get());
    if (slider.disabled) {
      number.value = "";
      return;
    }
    slider.value = String(get());
    slider.setAttribute("aria-valuetext", `${written(feature, get())} ${inWords(feature, get())}`);
    if (!isTyping) number.value = write(get());
  };
  number.addEventListener("input", () => {
    if (number.value !== "" && Number.isFinite(read(number.value))) change(read(number.value), true);
  });
  number.addEventListener("change", () => show(false));
  return { elements: [slider, number], show };
}
