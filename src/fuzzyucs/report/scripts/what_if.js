"use strict";
// The what-if form: a control for each feature, and the answer to the record that they describe.

const SEARCH_DELAY = 120, SEARCH_SLICE = 6; // milliseconds
const FIRST_INPUTS = 8; // that narrow screens show at first
const TYPICAL = "Typical values, not a real record";

class WhatIf {
  constructor(model, statistics, importance, measured) {
    this.model = model;
    this.statistics = statistics;
    this.measured = measured;
    this.record = model.features.map((_, f) => this.typical(f));
    this.base = { name: TYPICAL, record: this.record.slice() }; // where changes began
    this.unset = this.known(); // features whose typical value nobody has set
    this.controls = [];
    this.search = 0; // number of the latest search for flips
    byImportance(importance).forEach((f, place) => this.addControl(f, place));
    $("feature-text").addEventListener("input", (event) => this.filter(event.target.value));
    $("reset").addEventListener("click", () => this.setRecord(model.features.map((_, f) => this.typical(f)), TYPICAL));
    $("all-missing").addEventListener("click", () => this.setRecord(model.features.map(() => NaN), "No value is known"));
    $("undo").addEventListener("click", () => {
      $("all-missing").focus({ preventScroll: true }); // since this button goes away
      this.setRecord(this.base.record, this.base.name);
    });
    $("form").addEventListener("submit", (event) => event.preventDefault());
    this.addMore();
    $("inputs").addEventListener("scroll", () => this.showCount());
    addEventListener("resize", () => this.showCount());
    this.update();
    this.showCount();
  }

  // Says how many features there are, and shows whether more follow below.
  showCount() {
    const list = $("inputs"), n = this.controls.filter(({ box }) => !box.hidden).length;
    const all = counted(this.controls.length, "feature", "features");
    const isMore = list.scrollTop + list.clientHeight < list.scrollHeight - 2;
    list.classList.toggle("more", isMore);
    $("input-count").textContent = (n < this.controls.length ? `${n} of ${all}` : `${all}, the most important first`) +
      (isMore ? "; scroll for more" : "");
  }

  // On narrow screens, most features are shown only if asked for.
  addMore() {
    const more = $("input-more"), n = this.controls.length - FIRST_INPUTS;
    more.hidden = n <= 0;
    more.textContent = `Show ${counted(n, "more feature", "more features")}`;
    more.addEventListener("click", () => {
      more.hidden = true;
      $("inputs").classList.add("all");
    });
  }

  typical(f) {
    return this.statistics[f].usual ?? NaN;
  }

  known() {
    return new Set(this.record.map((_, f) => f).filter((f) => !Number.isNaN(this.record[f])));
  }

  // Takes the typical values that nobody has set as missing.
  forgetUnset() {
    this.unset.forEach((f) => {
      this.record[f] = NaN;
      this.controls[f].show();
    });
    this.unset.clear();
    this.update();
  }

  setValue(f, value, isTyping = false) {
    this.unset.delete(f);
    this.record[f] = value;
    this.controls[f].show(isTyping);
    this.update();
  }

  // Takes a suggestion, whose button goes away: who used the keyboard goes on at the answer.
  choose({ feature, value }) {
    $("panel").focus({ preventScroll: true });
    this.setValue(feature, value);
  }

  // Takes a record; its name is shown until another one is taken.
  setRecord(values, name = "") {
    this.base = { name, record: values.slice() };
    values.forEach((value, f) => {
      this.record[f] = value;
      this.controls[f].show();
    });
    this.unset = name === TYPICAL ? this.known() : new Set();
    $("panel").scrollTop = 0;
    this.update();
  }

  // Says which record is shown, and how many of its values were changed.
  showName() {
    const { name, record } = this.base;
    const n = record.filter((value, f) => !Object.is(value, this.record[f])).length;
    const changes = n ? `${name ? ", " : ""}${counted(n, "value changed", "values changed")}` : "";
    document.querySelector("#record-name b").textContent = name + changes;
    $("undo").hidden = n === 0;
  }

  filter(text) {
    $("inputs").classList.toggle("found", text !== "");
    this.controls.forEach(({ box }, f) => {
      box.hidden = !this.model.features[f].name.toLowerCase().includes(text.toLowerCase());
    });
    this.showCount();
  }

  update() {
    const { model, record } = this;
    this.showName();
    const result = { ...model.evaluate(record), unset: this.unset }, entries = contributions(model, result);
    const unusual = showAnswer(model, record, result, entries);
    this.controls.forEach(({ box }, f) => box.classList.toggle("unusual", f === unusual));
    showBeliefs(model, result);
    showLedger(model, record, result, entries);
    showTrust(model, record, result, this.measured, () => this.forgetUnset());
    document.dispatchEvent(new CustomEvent("record", { detail: { record, result } }));
    this.searchFlips(result);
  }

  // Searches flips a few milliseconds at a time, so that sliders stay responsive.
  searchFlips(result) {
    const { model } = this;
    const mine = ++this.search, start = this.record.slice(), found = [];
    let f = 0;
    const setStale = (isStale) => { // they belong to an earlier record
      ["flips", "inputs"].forEach((id) => $(id).classList.toggle("stale", isStale));
      $("flips").inert = isStale;
    };
    setStale(true);
    const go = () => {
      if (mine !== this.search) return;
      const until = performance.now() + SEARCH_SLICE;
      while (f < model.features.length && performance.now() < until) {
        found.push(...this.flipsOf(f++, start, result));
      }
      if (f < model.features.length) {
        setTimeout(go, 0);
        return;
      }
      found.sort(compareFlips);
      showFlips(model, start, found, result, (flip) => this.choose(flip));
      setStale(false);
      $("flips").dataset.done = mine;
    };
    setTimeout(go, SEARCH_DELAY);
  }

  // The flips of one feature. What the answer is along it is marked at its control.
  flipsOf(f, record, result) {
    const { model } = this, { matched } = result, own = outcomeOf(result);
    const search = searchAlong(model, record, f, matched);
    this.controls[f].mark(search, own);
    return flipsAlong(model, record, f, matched, own, search);
  }

  addControl(f, place) {
    const { model } = this, feature = model.features[f], id = `input-${f}`;
    const missing = make("input", { type: "checkbox", id: `${id}-missing` });
    const words = make("div", { className: "words" });
    const printed = make("b", { className: "printed" }); // the value, on paper
    const name = make("div", { className: "name" },
      make("label", { htmlFor: id }, feature.name), printed,
      make("label", { className: "missing", htmlFor: missing.id }, missing, "missing"));
    const change = (value, isTyping) => this.setValue(f, value, isTyping);
    const get = () => this.record[f];
    const parts = { model, f, id, get, change, statistics: this.statistics[f] };
    const control = isListed(feature) ? makeMenu(parts) : makeSlider(parts);
    const box = make("div", { className: place < FIRST_INPUTS ? "input" : "input later" },
      name, ...control.elements, words);
    box.dataset.feature = f;
    let known = this.statistics[f].usual ?? feature.minimum ?? 0;
    missing.addEventListener("input", () => {
      change(missing.checked ? NaN : known);
    });
    const show = (isTyping = false) => {
      if (!Number.isNaN(get())) known = get();
      missing.checked = Number.isNaN(get());
      control.show(isTyping);
      const outside = outsideWords(model, f, get());
      box.classList.toggle("outside", outside !== "");
      box.classList.toggle("unknown", Number.isNaN(get()));
      words.textContent = outside || inWords(feature, get());
      printed.textContent = Number.isNaN(get()) ? "missing" : written(feature, get());
    };
    this.controls[f] = { box, show, mark: control.mark };
    $("inputs").append(box);
    show();
  }
}
