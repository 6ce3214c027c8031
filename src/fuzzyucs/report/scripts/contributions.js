"use strict";
// The table of contributions: what each rule adds to the lead of the answer over the next class.

const SHOWN_ENTRIES = 12;

// The class that a line speaks for, in words.
const sideWords = (side) => (side ? [make("b", { className: "side" }, `${side}: `)] : []);

function ledgerLine(amount, bar, ...words) {
  return make("tr", {}, make("td", { className: "amount" }, amount), make("td", {}, ...bar),
    make("td", { className: "words" }, ...words));
}

const totalOf = (entries) => sum(entries.map((entry) => entry.contribution));
const writtenTotal = (entries) => {
  const total = totalOf(entries);
  return Number.isNaN(total) ? "" : signed(total);
};

// What an entry of the ledger is about: of a rule, a short sentence that unfolds.
function entryWords(model, record, entry, positions, side) {
  if (entry.isPrior) return ["before any evidence"];
  if (entry.kind === "base rates") return baseRateWords(model);
  if (!entry.rule) {
    return [counted(entry.nOnMissing, "rule that asks for missing values",
      "rules that ask for missing values")];
  }
  return [foldedRule(model, record, entry, positions, side)];
}

const OPEN_RULES = new Set(); // that are unfolded, which stays so from record to record

// A rule as a short sentence; unfolded, its full text, values and degree.
function foldedRule(model, record, entry, positions, side) {
  const box = make("details", { className: "rule" }, make("summary", {}, ...sideWords(side),
    ...ruleSentence(model, record, entry, positions, side)));
  box.dataset.rule = entry.index;
  const fill = () => {
    if (box.open && box.children.length === 1) box.append(...ruleDetails(model, record, entry));
  };
  box.open = OPEN_RULES.has(entry.index);
  fill();
  box.addEventListener("toggle", () => {
    if (box.open) OPEN_RULES.add(entry.index);
    else OPEN_RULES.delete(entry.index);
    fill();
  });
  return box;
}

// The whole rule, what it found in the record, and to how many records it applies.
function ruleDetails(model, record, entry) {
  const observed = entry.rule.if.map(([f]) => model.features[f].name + " " +
    (Number.isNaN(record[f]) ? "missing" : written(model.features[f], record[f]))).join(", ");
  const degree = entry.kind === "unknown" ? "expected degree" : "degree";
  const note = make("div", { className: "note" }, `${observed}: ${degree} ${entry.degree.toFixed(2)}`);
  if (entry.kind) note.append(make("br"), scaleWords(entry), make("br"), ...appliesWords(model, entry.rule));
  note.append(...expertWords(model, entry.rule));
  return [make("div", {}, ...ruleWords(entry.rule), ` → ${labelOf(entry.rule, model.classes)}`, sourceTag(model, entry.rule)), note,
    rulePicture(entry.rule, record)];
}

// How much of what a rule can say it says here.
function scaleWords({ rule, degree, contribution: amount, whole, moderation }) {
  const less = moderation < FULLY ? `, ${moderation.toFixed(2)} times as much as if no value were missing` : "";
  return `not holding and fully holding are ${Math.abs(whole).toFixed(2)} apart; at degree ` +
    `${rule.neutral.toFixed(2)} it says nothing, at ${degree.toFixed(2)} it says ${signed(amount)}${less}`;
}

function baseRateWords({ classes, base_rates: rates }) {
  const order = byAmount(rates);
  const named = order.length <= MOST_NAMES ? order : order.slice(0, MOST_NAMES - 1);
  const parts = named.map((c) => `${classes[c]} ${percent(rates[c])}`);
  const others = order.slice(named.length);
  if (others.length) {
    parts.push(`${others.length} others ${percent(sum(others.map((c) => rates[c])))}`);
  }
  return [`base rates: ${parts.join(", ")}`];
}

// To how many records of its class and of the others a rule applies, as one says of a diagnostic test.
function appliesWords(model, rule) {
  const { classes } = model, { applies, named } = rule, rows = rowsBehind(model, rule);
  const other = classes.length === 2 ? make("b", {}, classes[1 - named]) : "other";
  if (!sum(rows)) return []; // of rules without data
  const parts = [[make("b", {}, classes[named]), applies[named], rows[named]],
    [other, sum(applies) - applies[named], sum(rows) - rows[named]]];
  const known = parts.filter(([, , total]) => total > 0);
  const place = model.sources ? `${sourceTag(model, rule).trim()} ` : "";
  if (!known.length) return [`${place}applies to no record`];
  return [`${place}applies to `, ...known.flatMap(([label, count, total], i) =>
    [`${i ? " and " : ""}${percent(count / total)} of `, label]), " records"];
}

// The entries of the ledger with what they add to the lead, the greatest first.
function contributions(model, result) {
  const rival = rivalOf(model, result);
  return ledgerEntries(model, result)
    .map((entry) => ({ ...entry, contribution: contribution(entry, result.best, rival), whole: entry.kind && entry.rule
      ? entry.rule.profile[result.best] - entry.rule.profile[rival] : null }))
    .sort((a, b) => Math.abs(b.contribution) - Math.abs(a.contribution));
}

function showLedger(model, record, result, entries) {
  const { best } = result, rival = rivalOf(model, result), { positions } = result.matched;
  const unit = model.isEvidence ? "log-odds" : "votes";
  $("ledger-title").textContent =
    `For ${model.classes[best]} against ${model.classes[rival]}, in ${unit}:`;
  $("ledger").style.setProperty("--for", model.colours[best]);
  $("ledger").style.setProperty("--against", model.colours[rival]);
  const finite = entries.map((entry) => Math.abs(entry.contribution)).filter(Number.isFinite);
  const named = namedEntries(result, entries).filter((entry) => entry.rule);
  const gathered = model.scheme === "profile" ? gatheredEntries(entries, named).groups : [];
  const greatest = Math.max(...finite, ...gathered.map((group) => Math.abs(totalOf(group.entries))), 1e-12);
  const sideOf = (amount) => (amount ? model.classes[amount > 0 ? best : rival] : "");
  const bar = (amount) => (Number.isNaN(amount) ? [] : [make("div", { className: "track" },
    barPart(amount > 0 ? "for" : "against", Math.min(1, Math.abs(amount) / greatest)))]);
  const row = (entry) => {
    const side = sideOf(entry.contribution);
    return ledgerLine(signed(entry.contribution), bar(entry.contribution), ...(entry.rule ? [] : sideWords(side)),
      ...entryWords(model, record, entry, positions, side));
  };
  const together = (some, words) => // a line for several entries
    ledgerLine(writtenTotal(some), bar(totalOf(some)), ...sideWords(sideOf(totalOf(some))), words);
  const rows = model.scheme === "profile"
    ? profileRows(model, entries, named, row, together) : firstRows(entries, named, row, together);
  if (!Number.isNaN(totalOf(entries))) {
    rows.push(ledgerLine(writtenTotal(entries), [], make("b", {}, "sum")));
  }
  if (!entries.length) rows.push(ledgerLine("", [], "No rule matches."));
  if (model.scheme === "profile") rows.push(...noveltyRows(result, rival, totalOf(entries)));
  $("ledger").replaceChildren(make("tbody", {}, ...rows));
}

// The entries that the sentence why names come first, then the greatest others.
function firstRows(entries, named, row, together) {
  const others = entries.filter((entry) => !named.includes(entry));
  const n = Math.max(SHOWN_ENTRIES - named.length, 0), rest = others.slice(n);
  const rows = [...named, ...others.slice(0, n)].map(row);
  if (rest.length) rows.push(rest.length === 1 ? row(rest[0]) : together(rest, `${rest.length} more`));
  return rows;
}

// What novelty takes back of the lead, if it is worth telling.
function noveltyRows({ novelty, probability, best }, rival, total) {
  if (novelty === null || !Number.isFinite(total) || !(probability[rival] > 0)) return [];
  const lead = Math.log(probability[best] / probability[rival]), taken = lead - total;
  if (Math.abs(taken) < 0.0005) return [];
  return [ledgerLine(signed(taken), [], `taken back, because of novelty ${percent(novelty)}`),
    ledgerLine(signed(lead), [], make("b", {}, "sum after novelty"))];
}

// What rules that match less than neutral are for, and that they do not hold.
function lessWords(entries, { classes }) {
  const aims = new Set(entries.map(({ rule }) => aimOf(rule, classes)));
  const how = entries.every(({ fails }) => fails) ? "do not hold" : "hold too little or not at all";
  return `${entries.length} rules${aims.size === 1 ? ` ${[...aims][0]}` : ""} ${how}`;
}

// The entries that have a line of their own, the greatest first, and the others in groups. Those that do not tell
// the two classes apart are left out, but for those that are silent because they ask for missing values.
function gatheredEntries(entries, named) {
  const others = entries.filter((entry) => entry.rule && entry.contribution !== 0 && !named.includes(entry));
  const n = Math.max(SHOWN_ENTRIES - named.length, 0), rest = others.slice(n);
  const less = rest.filter(({ kind }) => kind === "matches less");
  const absent = entries.filter(({ kind }) => kind === "no match");
  const silent = entries.filter(({ kind, amounts }) => kind === "unknown" && amounts.every((amount) => amount === 0));
  const groups = [
    { key: "more", entries: rest.filter((entry) => !less.includes(entry)), words: (some) => `${some.length} more rules` },
    { key: "less for", entries: less.filter(({ contribution }) => contribution > 0), words: lessWords },
    { key: "less against", entries: less.filter(({ contribution }) => contribution < 0), words: lessWords },
    { key: "absent", entries: absent, words: (some) =>
      counted(some.length, "expert's rule without a match", "experts' rules without a match") },
    { key: "silent", entries: silent, words: (some) =>
      counted(some.length, "rule that asks for missing values", "rules that ask for missing values") },
  ];
  return { single: others.slice(0, n), groups: groups.filter((group) => group.entries.length) };
}

// Base rates first, then rules that are named and the others by their size; the rest folded.
function profileRows(model, entries, named, row, together) {
  const { single, groups } = gatheredEntries(entries, named);
  const base = entries.filter(({ kind }) => kind === "base rates");
  return [...[...base, ...named, ...single].map(row), ...groups.flatMap(({ key, entries: some, words }) =>
    (some.length === 1 && !["absent", "silent"].includes(key) ? [row(some[0])] // one rule alone is told as it is
      : foldedRows(key, some, words(some, model), row, together)))];
}

const UNFOLDED = new Set(); // kinds that are shown in full, which stays so from record to record

function foldedRows(kind, entries, title, row, together) {
  const button = make("button", { type: "button", className: "fold" }, title);
  const line = together(entries, button);
  let inner = []; // made when they are needed: a model may have hundreds of rules
  const show = () => {
    const isOpen = UNFOLDED.has(kind);
    button.setAttribute("aria-expanded", String(isOpen));
    inner.forEach((other) => other.remove());
    inner = isOpen ? entries.map(row) : [];
    inner.forEach((other) => { other.className = "inner"; });
    return inner;
  };
  button.addEventListener("click", () => {
    if (!UNFOLDED.delete(kind)) UNFOLDED.add(kind);
    line.after(...show());
  });
  return [line, ...show()];
}
