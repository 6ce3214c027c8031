"use strict";
// The interview: it begins with nothing known, asks for what is expected to tell most about the class,
// and stops when the verdict is an answer.

const ASK_SLICE = 12; // milliseconds of work at a time
const MOST_CHOICES = 16; // buttons of categories; of more there is a menu, too
const MOST_OTHERS = 40; // questions in the table of prices

class Interview {
  constructor(model, replies, whatIf) {
    Object.assign(this, { model, replies, whatIf, prices: new Map(), work: 0 });
    $("interview").hidden = false;
    $("begin").addEventListener("click", () => this.begin(model.features.map(() => NaN)));
    $("begin-here").addEventListener("click", () => this.begin(whatIf.record));
    $("go-on").addEventListener("click", () => { this.goesOn = true; this.show(); });
    $("not-known").addEventListener("click", () => this.reply(NaN));
    $("take-back").addEventListener("click", () => this.takeBack());
    $("talk-open").addEventListener("click", () => {
      whatIf.setRecord(this.record, "From the interview");
      $("what-if").scrollIntoView();
      $("panel").focus({ preventScroll: true });
    });
    $("reply-form").addEventListener("submit", (event) => { event.preventDefault(); this.submit(); });
  }

  begin(record) {
    this.record = record.slice();
    this.skipped = new Set();
    this.log = [];
    this.goesOn = false;
    $("talk").hidden = false;
    this.ask(false);
  }

  priceOf(f) {
    return this.prices.get(f) ?? 1;
  }

  // Takes a value of the feature that was asked for, and what it is called; NaN: it is not known.
  reply(value, words = Number.isNaN(value) ? "not known" : written(this.model.features[this.question.feature], value)) {
    const f = this.question.feature;
    if (Number.isNaN(value)) this.skipped.add(f);
    else this.record[f] = value;
    this.log.push({ feature: f, value, words, before: this.result });
    this.ask();
  }

  takeBack() {
    const { feature } = this.log.pop();
    this.skipped.delete(feature);
    this.record[feature] = NaN;
    this.goesOn = false;
    this.ask();
  }

  // Finds the next question, a few milliseconds at a time, and shows it.
  ask(isMoved = true) {
    const { model, record } = this, mine = ++this.work;
    const matched = model.match(record), found = [];
    this.result = model.evaluate(record);
    const left = askableFeatures(model, matched.positions, (f) => Number.isNaN(record[f]) && !this.skipped.has(f));
    $("talk").setAttribute("aria-busy", "true");
    const go = () => {
      if (mine !== this.work) return;
      const until = performance.now() + ASK_SLICE;
      while (left.length && performance.now() < until) {
        const f = left.shift();
        found.push(questionAbout(model, record, f, matched, this.replies[f]));
      }
      if (left.length) {
        setTimeout(go, 0);
        return;
      }
      this.questions = found;
      $("talk").setAttribute("aria-busy", "false");
      this.show();
      if (isMoved) $("question").focus();
      $("talk").dataset.done = mine;
    };
    go();
  }

  show() {
    const { model, record, result } = this;
    this.question = rankQuestions(this.questions, (f) => this.priceOf(f))[0] ?? null;
    const isOver = !this.question || (result.verdict === "answer" && !this.goesOn);
    const { headline, rest, guess } = verdictWords(model, record, result);
    $("talk-verdict").replaceChildren(make("b", {}, headline), ` ${rest}`);
    $("talk-verdict").dataset.verdict = result.verdict;
    $("talk-verdict").style.setProperty("--own", model.colours[result.best]);
    $("talk-guess").textContent = guess;
    this.showLog();
    for (const id of ["reply-field", "replies", "not-known"]) $(id).hidden = isOver;
    $("go-on").hidden = !isOver || !this.question;
    $("take-back").hidden = !this.log.length;
    $("other-questions").hidden = !this.questions.length;
    $("reply-refused").textContent = "";
    if (isOver) this.showEnd();
    else this.showQuestion();
    this.showOthers();
  }

  showEnd() {
    const { model, record, result, log, skipped } = this;
    const n = log.filter(({ value }) => !Number.isNaN(value)).length;
    const idle = record.filter(Number.isNaN).length - skipped.size;
    const isAnswer = result.verdict === "answer";
    const why = [`It took ${counted(n, "reply", "replies")}; there are ${counted(model.features.length, "feature", "features")}.`];
    if (!this.question && idle) why.push(`No rule depends on ${counted(idle, "value that is", "values that are")} not known.`);
    if (skipped.size) why.push(`${counted(skipped.size, "question was", "questions were")} skipped.`);
    $("question").textContent = isAnswer ? "There is an answer." : "Nothing is left to ask.";
    $("question-why").textContent = why.join(" ");
  }

  showQuestion() {
    const { feature: f, bits, replies } = this.question, feature = this.model.features[f];
    $("question").textContent = `What is ${feature.name}${feature.unit ? ` (${feature.unit})` : ""}?`;
    const price = this.priceOf(f) === 1 ? "" : `, for a price of ${plain(this.priceOf(f))}`;
    $("question-why").textContent = `Its value is expected to tell ${plain(bits, 2)} bits about the class${price}. ` +
      "How probable each reply is, and what the model would say then:";
    const choices = isListed(feature) ? this.categories(f, replies)
      : replies.map((reply) => this.choice(reply.text, reply, reply.value));
    $("replies").replaceChildren(...choices);
    $("reply-field").replaceChildren(...(isListed(feature) ? this.menu(f) : this.field(f)));
  }

  // A button for a reply.
  choice(text, reply, value) {
    const { model } = this, { share, verdict, best, probability } = reply;
    const bar = make("span", { className: "likely" }, barPart("", share));
    bar.setAttribute("aria-hidden", "true");
    const said = verdict === "answer" ? `${model.classes[best]} ${percent(probability[best])}`
      : `no answer, rather ${model.classes[best]} ${percent(probability[best])}`;
    const button = make("button", { type: "button", className: "reply" }, make("span", { className: "text" }, text), bar,
      make("span", { className: "chance" }, percent(share)), make("span", { className: "then" }, "→ ", said));
    button.style.setProperty("--own", verdict === "answer" ? model.colours[best] : "var(--unknown)");
    button.addEventListener("click", () => this.reply(value, text));
    return button;
  }

  // A button for each category, the most probable ones if there are many.
  categories(f, replies) {
    const feature = this.model.features[f];
    const all = valuesToTry(feature).map((value) => ({ value, reply: replies[locate(feature, value)] }))
      .filter(({ reply }) => reply);
    const kept = all.length <= MOST_CHOICES ? all
      : all.slice().sort((a, b) => b.reply.share - a.reply.share).slice(0, MOST_CHOICES);
    return kept.map(({ value, reply }) => this.choice(written(feature, value), reply, value));
  }

  // A menu of all categories, if there are too many for buttons.
  menu(f) {
    const feature = this.model.features[f], values = valuesToTry(feature);
    this.read = null;
    if (values.length <= MOST_CHOICES) return [];
    const select = make("select", { "aria-label": `Value of ${feature.name}` },
      ...values.map((value) => make("option", { value }, written(feature, value))));
    this.read = () => Number(select.value);
    return [select, make("button", { type: "submit" }, "Reply")];
  }

  // A field to type a number or a date in.
  field(f) {
    const feature = this.model.features[f];
    const { element, read } = feature.time ? timeField(feature) : numberField(feature);
    const range = trainingRange(this.model, f);
    const words = range ? `In the training data ${range.map((end) => written(feature, end)).join(" to ")}` : "";
    this.read = () => (element.value === "" ? NaN : read(element.value));
    return [make("label", {}, "Or type the value ", element), make("button", { type: "submit" }, "Reply"),
      make("span", { className: "note" }, words)];
  }

  // Takes what was typed or chosen.
  submit() {
    if (!this.read || $("reply-field").hidden) return;
    const value = this.read();
    if (Number.isFinite(value)) this.reply(value);
    else $("reply-refused").textContent = "Type a value, or choose “Not known”.";
  }

  // What was replied, and how belief grew out of ignorance by each reply.
  showLog() {
    const { model, log } = this, results = [...log.slice(1).map(({ before }) => before), this.result];
    const first = log.length ? log[0].before : this.result;
    const known = this.record.filter((x) => !Number.isNaN(x)).length - log.filter(({ value }) => !Number.isNaN(value)).length;
    const begin = known ? counted(known, "value known", "values known") : "Nothing known";
    const lines = [[begin, first], ...log.map(({ feature, words }, k) =>
      [`${model.features[feature].name}: ${words}`, results[k]])];
    $("talk-log").replaceChildren(...lines.map(([words, result]) => {
      const open = barPart("open", result.ignorance);
      const parts = result.mass.map((mass, c) => {
        const part = barPart("mass", mass);
        part.style.setProperty("--own", model.colours[c]);
        part.title = `belief in ${model.classes[c]}: ${percent(mass)}`;
        return part;
      });
      const bar = make("span", { className: "track", "aria-hidden": "true" }, ...parts, open);
      const best = argmax(result.mass);
      const said = result.mass[best] > 0 ? `; belief in ${model.classes[best]} ${percent(result.mass[best])}` : "";
      return make("li", {}, make("span", { className: "words" }, words), bar,
        make("span", { className: "note" }, `don’t know ${percent(result.ignorance)}${said}`));
    }));
  }

  // All questions with their prices, which can be changed.
  showOthers() {
    const { model } = this, ranked = rankQuestions(this.questions, (f) => this.priceOf(f)).slice(0, MOST_OTHERS);
    const head = make("tr", {}, ...["Feature", "Bits", "Price"].map((text) => make("th", { scope: "col" }, text)));
    $("question-table").replaceChildren(make("thead", {}, head), make("tbody", {}, ...ranked.map(({ feature: f, bits }) => {
      const field = make("input", { type: "number", min: "0", step: "any", value: String(this.priceOf(f)),
        "aria-label": `Price of ${model.features[f].name}` });
      field.addEventListener("change", () => {
        const price = Number(field.value);
        if (price > 0 && Number.isFinite(price)) this.prices.set(f, price);
        this.show(); // what is no price is not taken
      });
      return make("tr", {}, make("td", {}, model.features[f].name), make("td", { className: "amount" }, plain(bits, 2)),
        make("td", {}, field));
    })));
  }
}
