"use strict";
// The table of contributions: what each rule adds to the lead of the answer over the next class.

const SHOWN_ENTRIES = 12;
// Entries of models with class profiles that are folded into one line, by their kind.
const FOLDED = {
  "does not apply": ["rule that does not apply, or less than usual",
    "rules that do not apply, or less than usual"],
  unknown: ["rule that asks for missing values", "rules that ask for missing values"],
  equal: ["rule that says the same of both", "rules that say the same of both"],
};

function ledgerLine(amount, bar, ...words) {
  return make("tr", {}, make("td", { className: "amount" }, amount), make("td", {}, ...bar),
    make("td", { className: "words" }, ...words));
}

const totalOf = (entries) => sum(entries.map((entry) => entry.contribution));
const writtenTotal = (entries) => {
  const total = totalOf(entries);
  return Number.isNaN(total) ? "" : signed(total);
};

// What an entry of the ledger is about.
function entryWords(model, record, entry) {
  if (entry.isPrior) return ["before any evidence"];
  if (entry.kind === "base rates") return baseRateWords(model);
  if (!entry.rule) {
    return [counted(entry.nOnMissing, "rule that asks for missing values",
      "rules that ask for missing values")];
  }
  const observed = entry.rule.if.map(([f]) => model.features[f].name + " " +
    (Number.isNaN(record[f]) ? "missing" : written(model.features[f], record[f]))).join(", ");
  const degree = entry.kind === "unknown" ? "expected degree" : "degree";
  const note = make("div", { className: "note" }, `${observed}: ${degree} ${entry.degree.toFixed(2)}`);
  if (!entry.kind) {
    return [...ruleWords(entry.rule.text), ` → ${model.classes[entry.rule.class]}`, note];
  }
  note.append(make("br"), ...appliesWords(model, entry.rule));
  return [...ruleWords(entry.rule.text), ` → ${entry.rule.label}`, note];
}

function baseRateWords({ classes, base_rates: rates }) {
  const order = byAmount(rates).slice(0, MOST_NAMED);
  const more = classes.length > order.length ? ", …" : "";
  return ["base rates: ", order.map((c) => `${classes[c]} ${sharePercent(rates[c])}`).join(", ") + more];
}

// To how many records of which classes a rule applies: those that it tells apart most.
function appliesWords({ classes, class_rows: rows }, rule) {
  const byProfile = byAmount(rule.profile);
  const known = (c) => rows[c] > 0;
  const most = classes.length === 2
    ? [0, 1] : [...new Set([rule.named, byProfile[0], byProfile[byProfile.length - 1]])];
  const shares = most.filter(known).map((c) => [c, rule.applies[c] / rows[c]]);
  shares.sort((a, b) => a[1] - b[1]);
  const words = ["applies to "];
  shares.forEach(([c, share], i) => words.push(
    i === 0 ? "" : i === shares.length - 1 ? " and " : ", ",
    `${sharePercent(share)} of `, make("b", {}, classes[c])));
  return [...words, " records"];
}

function showLedger(model, record, result) {
  const { best } = result, rival = rivalOf(result);
  const entries = ledgerEntries(model, result)
    .map((entry) => ({ ...entry, contribution: contribution(entry, best, rival) }))
    .sort((a, b) => Math.abs(b.contribution) - Math.abs(a.contribution));
  const unit = model.isEvidence ? "log-odds" : "votes";
  $("ledger-title").textContent =
    `For ${model.classes[best]} against ${model.classes[rival]}, in ${unit}:`;
  const finite = entries.map((entry) => Math.abs(entry.contribution)).filter(Number.isFinite);
  const greatest = Math.max(...finite, 1e-12);
  const row = (entry) => {
    const fill = barPart(entry.contribution > 0 ? "for" : "against",
      Math.min(1, Math.abs(entry.contribution) / greatest));
    return ledgerLine(signed(entry.contribution), [make("div", { className: "track" }, fill)],
      ...entryWords(model, record, entry));
  };
  const rows = model.scheme === "profile"
    ? profileRows(entries, row) : firstRows(entries, row);
  if (!Number.isNaN(totalOf(entries))) {
    rows.push(ledgerLine(writtenTotal(entries), [], make("b", {}, "sum")));
  }
  if (!entries.length) rows.push(ledgerLine("", [], "No rule matches."));
  if (model.scheme === "profile" && result.novelty >= NOTABLE) {
    rows.push(ledgerLine("", [], `Novelty takes back ${sharePercent(result.novelty)} of the evidence.`));
  }
  $("ledger").replaceChildren(make("tbody", {}, ...rows));
}

function firstRows(entries, row) {
  const rows = entries.slice(0, SHOWN_ENTRIES).map(row);
  const rest = entries.slice(SHOWN_ENTRIES);
  if (rest.length) rows.push(ledgerLine(writtenTotal(rest), [], `${rest.length} more`));
  return rows;
}

// Base rates first, then rules that apply; the others folded, by the reason why they do not.
function profileRows(entries, row) {
  const kindOf = (entry) =>
    (entry.rule && entry.contribution === 0 ? "equal" : entry.kind);
  const of = (kind) => entries.filter((entry) => kindOf(entry) === kind);
  const rows = [...of("base rates").map(row), ...firstRows(of("applies"), row)];
  for (const [kind, [one, several]] of Object.entries(FOLDED)) {
    const some = of(kind);
    if (some.length) rows.push(...foldedRows(kind, some, counted(some.length, one, several), row));
  }
  return rows;
}

const UNFOLDED = new Set(); // kinds that are shown in full, which stays so from record to record

function foldedRows(kind, entries, title, row) {
  const inner = entries.map((entry) => {
    const line = row(entry);
    line.className = "inner";
    return line;
  });
  const button = make("button", { type: "button", className: "fold" }, title);
  const show = () => {
    button.setAttribute("aria-expanded", String(UNFOLDED.has(kind)));
    for (const line of inner) line.hidden = !UNFOLDED.has(kind);
  };
  button.addEventListener("click", () => {
    if (!UNFOLDED.delete(kind)) UNFOLDED.add(kind);
    show();
  });
  show();
  return [ledgerLine(writtenTotal(entries), [], button), ...inner];
}
