"use strict";
// The table of rules: search, filters, order.

const SHOWN_RULES = matchMedia("(max-width: 480px)").matches ? 20 : 100; // at first, and with each click

// Conditions of a rule with the words between them set apart.
function ruleWords({ texts }) {
  if (!texts.length) return ["anything"];
  return texts.flatMap((text, i) => (i ? [make("span", { className: "and" }, " AND "), text] : [text]));
}

// The names of the sources of a rule, if the model is fused of several.
const sourcesOf = ({ sources }, { origin }) =>
  (sources ?? []).filter((_, s) => origin[s]).map(({ name }) => name).join(", ");

const sourceTag = (model, rule) => (model.sources ? ` [${sourcesOf(model, rule)}]` : "");

// The training rows of each class among which it was counted to how many a rule applies.
function rowsBehind({ sources, class_rows: rows, is_recounted: isRecounted }, { origin }) {
  if (!sources || isRecounted) return rows;
  return rows.map((_, c) => sum(sources.filter((__, s) => origin[s]).map((source) => source.class_rows[c])));
}

class RuleTable {
  constructor(model, measured) {
    this.model = model;
    this.columns = ruleColumns(model, measured);
    this.column = null; // by which the rules are sorted
    this.sign = 1;
    this.shown = SHOWN_RULES;
    this.addHead();
    this.addFilters();
    $("rule-note").textContent = ruleNote(model);
    this.show();
  }

  addHead() {
    const head = make("tr", {}, ...this.columns.map((column, k) => {
      const button = make("button", { type: "button" }, column.title);
      button.addEventListener("click", () => this.sortBy(k));
      return make("th", { scope: "col" }, button);
    }));
    $("rule-table").append(make("thead", {}, head), make("tbody"));
  }

  addFilters() {
    const { features, classes, asking } = this.model;
    $("rule-class").append(make("option", { value: "" }, "all"),
      ...classes.map((label, c) => make("option", { value: c }, label)));
    const asked = features.map((_, f) => f).filter((f) => asking[f].length);
    $("rule-feature").append(make("option", { value: "" }, "all"),
      ...asked.map((f) => make("option", { value: f }, features[f].name)));
    for (const id of ["rule-text", "rule-class", "rule-feature"]) {
      $(id).addEventListener("input", () => {
        this.shown = SHOWN_RULES;
        this.show();
      });
    }
    $("rule-more").addEventListener("click", () => {
      this.shown += SHOWN_RULES;
      this.show();
    });
  }

  sortBy(k) {
    const isSame = this.column === k;
    this.sign = isSame ? -this.sign : this.columns[k].isText ? 1 : -1;
    this.column = k;
    this.show();
  }

  // Indices of the rules that pass the filters, in order.
  chosen() {
    const { rules, classes } = this.model;
    const text = $("rule-text").value.toLowerCase();
    const label = $("rule-class").value, feature = $("rule-feature").value;
    const chosen = rules.map((_, r) => r).filter((r) => {
      const rule = rules[r];
      return (!text || `${rule.full_text ?? rule.text} ${labelOf(rule, classes)}`.toLowerCase().includes(text)) &&
        (label === "" || (rule.named ?? rule.class) === Number(label)) &&
        (feature === "" || rule.if.some((condition) => condition[0] === Number(feature)));
    });
    if (this.column !== null) {
      const { key, isText } = this.columns[this.column];
      const compare = isText
        ? (a, b) => key(a).localeCompare(key(b), undefined, { numeric: true })
        : (a, b) => (key(a) ?? -1) - (key(b) ?? -1);
      chosen.sort((a, b) => this.sign * compare(a, b) || a - b);
    }
    return chosen;
  }

  show() {
    const chosen = this.chosen();
    const rows = chosen.slice(0, this.shown).map((r) => make("tr", {}, ...this.cells(r)));
    $("rule-table").tBodies[0].replaceChildren(...rows);
    $("rule-count").textContent = `${chosen.length} of ${this.model.rules.length} rules`;
    $("rule-more").hidden = chosen.length <= this.shown;
    $("rule-shown").textContent = chosen.length <= this.shown ? ""
      : `The first ${rows.length} of ${chosen.length} rules.`;
    [...$("rule-table").tHead.rows[0].cells].forEach((cell, k) => {
      cell.setAttribute("aria-sort",
        k !== this.column ? "none" : this.sign > 0 ? "ascending" : "descending");
    });
  }

  cells(r) {
    return this.columns.map((column, k) => {
      const value = column.key(r);
      if (k === 0) {
        const title = this.model.rules[r].full_text ?? ""; // all categories, however many
        return make("td", { className: "words", title },
          pictureFold(this.model.rules[r], () => WHAT_IF.record, ...ruleWords(this.model.rules[r])),
          ...expertWords(this.model, this.model.rules[r]));
      }
      if (column.isText) {
        if (column.isSource) return make("td", {}, value);
        const { named, class: own } = this.model.rules[r];
        return make("td", { className: "class" }, swatchOf(this.model, named ?? own), value);
      }
      return make("td", { className: "number", "data-title": column.title }, value === null ? "–" : column.show(value));
    });
  }
}

// Titles of the columns, the values by which they are sorted, and how these are written.
function ruleColumns(model, measured) {
  const { rules, classes, scheme } = model;
  return [
    { title: "Rule", key: (r) => rules[r].text, isText: true },
    { title: "Class", key: (r) => labelOf(rules[r], classes), isText: true },
    ...(model.sources ? [{ title: "Source", key: (r) => sourcesOf(model, rules[r]), isText: true, isSource: true }] : []),
    ...(scheme === "profile" ? profileColumns(model, measured) : otherColumns(model, measured)),
    { title: "Conditions", key: (r) => rules[r].if.length, show: String },
  ];
}

function profileColumns(model, measured) {
  const { rules } = model, applies = (r) => sum(rules[r].applies);
  const overall = (r) => {
    const rows = rowsBehind(model, rules[r]), total = sum(rows);
    return total ? rows[rules[r].named] / total : null;
  };
  const share = (r) => (applies(r) ? rules[r].applies[rules[r].named] / applies(r) : null);
  return [
    { title: "Applies to", key: applies, show: (v) => v.toLocaleString("en") },
    { title: "Share", key: share, show: (v) => percent(v) },
    { title: "Overall", key: overall, show: (v) => percent(v) },
    { title: "Log-odds", key: (r) => rules[r].logOdds, show: (v) => v.toFixed(2) },
    { title: "Applies here", key: (r) => measured.coverage[r], show: (v) => percent(v) },
    { title: "Share here", key: (r) => measured.accuracy[r], show: (v) => percent(v) },
  ];
}

function otherColumns({ rules, scheme }, measured) {
  const count = scheme === "weighted"
    ? { title: "Strength", show: (v) => `${v.toFixed(2)} ×` } : { title: "Numerosity", show: String };
  return [
    { ...count, key: (r) => rules[r].strength },
    { title: "Weight", key: (r) => rules[r].weights[rules[r].class], show: (v) => v.toFixed(2) },
    { title: "Coverage", key: (r) => measured.coverage[r], show: (v) => percent(v, 1) },
    { title: "Accuracy", key: (r) => measured.accuracy[r], show: (v) => percent(v, 1) },
  ];
}

function ruleNote({ scheme, rules, sources, is_recounted: isRecounted, class_rows: rows, isWithoutData }) {
  if (scheme === "profile") {
    if (isWithoutData) {
      return "These rules were stated by experts, without training data. Log-odds is how far a rule shifts the odds of " +
        "its class where it matches; where it does not match it says nothing. Applies here and share here are measured " +
        "on the rows given to the report.";
    }
    const rowsTold = sources && !isRecounted ? "the training rows at its source"
      : `the ${sum(rows).toLocaleString("en")} training rows`;
    return "A rule says one thing where it matches more than neutral, and the opposite where it matches less. " +
      (rules.some((rule) => rule.expert !== undefined) ? "An expert's rule says nothing where it does not match. " : "") +
      "A number in a condition is where two terms meet: there it holds to one half, on one side more and on the other " +
      `less. Applies to is the number of ${rowsTold} of which the rule is true, share that of its class ` +
      "among them, overall that of its class among all of these rows. Log-odds " +
      "is how far the rule shifts the odds between the classes that it favours most and least, from a record " +
      "for which it does not hold at all to one for which it holds fully; a record gets the part that lies between its " +
      "degree and the neutral one. " +
      "Applies here and share here are measured on the rows given to the report.";
  }
  const count = scheme === "weighted"
    ? "Strength is how many times the evidence of a rule counts."
    : "Numerosity is how many copies of a rule the population holds.";
  return `${count} Weight is the share of the class in what the rule has matched in training. ` +
    "Coverage and accuracy are measured on the rows given to the report: the share of rows that " +
    "the rule matches, and the share of its class among them.";
}
