"use strict";
// When not to trust the answer: what is unusual about the record, and how often such answers were right.

const NOTABLE = 0.1; // novelty from which on reasons are given
const MOST_OUTSIDE = 3; // lines of values outside of the training data

const isNotable = ({ novelty }) => novelty !== null && novelty >= NOTABLE;

// Shows warnings directly below the verdict, as far as that has not told them.
function showTrust(model, record, result, measured, forget = null) {
  const strange = strangeness(model, record, result);
  const warnings = [...outsideLines(model, record, result), ...unusualLines(model, record, result)];
  const lines = [...warnings, ...unsetLines(model, result, forget), measuredWords(model, record, strange, result, measured)];
  $("trust").classList.toggle("warning", warnings.length + strange.length > 0);
  $("trust").replaceChildren(...lines.map((line) => make("li", {}, ...[line].flat())));
}

const outsideFeatures = (model, record) =>
  record.map((_, f) => f).filter((f) => outsideWords(model, f, record[f]));

// Values outside of the training data but those that the verdict tells.
function outsideLines(model, record, { verdict, reason, reasons = [], outside = [] }) {
  const first = reason === "novelty" && reasons.length ? reasons[0].feature : null;
  const told = verdict ? [first, outside.find((f) => f !== first)] : [];
  const found = outsideFeatures(model, record).filter((f) => !told.includes(f));
  const lines = found.slice(0, MOST_OUTSIDE)
    .map((f) => `${valueWords(model, record, f)} is ${outsideWords(model, f, record[f])}.`);
  const more = found.length - lines.length;
  if (more) lines.push(`${counted(more, "more value is", "more values are")} outside of the training data.`);
  return lines;
}

// Which values are unusual, without those that are told already because they are outside.
function unusualLines(model, record, result) {
  if (!isNotable(result)) return [];
  const told = result.reason === "novelty" ? result.reasons.slice(1) : result.reasons;
  const reasons = told.filter(({ isOutside }) => !isOutside).map((reason) => reasonText(model, record, reason, result.unset));
  return reasons.length ? [`${told.length < result.reasons.length ? "Also unusual" : "Unusual"}: ${reasons.join("; ")}.`]
    : [];
}

// What to do if a record is unusual because of typical values that nobody has set.
function unsetLines(model, { unset, reasons, novelty }, forget) {
  if (!unset || !isNotable({ novelty })) return [];
  const found = reasons.flatMap(({ feature, given }) => [feature, given]).filter((f) => unset.has(f));
  if (!found.length) return [];
  const names = listed([...new Set(found)].map((f) => model.features[f].name));
  const button = make("button", { type: "button", id: "forget" }, "Take all values not set as missing");
  button.addEventListener("click", forget);
  return [[`You have not set ${names}: the typical value stands there, and counts. Set what you know. `, button]];
}

// In which ways a record differs from those that answers were measured with.
function strangeness(model, record, result) {
  const found = [], nMissing = record.filter(Number.isNaN).length;
  if (nMissing) {
    const asked = result.nMissing === undefined || result.nMissing === nMissing ? ""
      : ` (rules ask for ${result.nMissing || "none"} of them)`;
    found.push(counted(nMissing, "value is missing", "values are missing") + asked);
  }
  if (outsideFeatures(model, record).length || result.outside?.length) {
    found.push("a value is outside of the training data");
  }
  if (isNotable(result)) found.push(`novelty is ${percent(result.novelty)}`);
  return found;
}

// What the records are called that answers of this kind were measured with: which of the rows they are.
const SUCH_ROWS = {
  complete: "without missing values and within the training data", incomplete: "with missing values",
  strange: "outside of the training data or with a novelty of at least 10\u00a0%",
};

function kindOf(model, record, result) {
  const isStrange = outsideFeatures(model, record).length || result.outside?.length || isNotable(result);
  return isStrange ? "strange" : record.some(Number.isNaN) ? "incomplete" : "complete";
}

// Which rows answers were measured with.
const ROWS = {
  learned: "on the rows that the model learned from", "held out": "on rows held out", given: "on the data given",
};

// How often answers of this kind were right on the data of the report.
function measuredWords(model, record, strange, { verdict, reason, best, ...result }, { kinds, rows_are: are }) {
  const kind = kindOf(model, record, result), own = kinds[kind];
  const such = kind === "complete" ? "such records" : `records ${SUCH_ROWS[kind]}`;
  const usual = model.isWithoutData ? "no value is missing" : "no value is missing or outside of the training data";
  const words = strange.length ? listed(strange) : usual, where = ROWS[are];
  const start = words.slice(0, 1).toUpperCase() + words.slice(1), all = own.rows.toLocaleString("en");
  const rows = `of the ${kind === "complete" ? `${all} such rows` : `${counted(own.rows, "row", "rows")} ${SUCH_ROWS[kind]}`} given`;
  if (!own.rows) return `It is not known how often answers to ${such} are right: ${words}.`;
  if (!verdict) return `${start}; ${own.right.toLocaleString("en")} of ${all} answers to ${such} were right ${where}.`;
  if (verdict === "answer") {
    const [given, right] = own.answers[best].map((count) => count.toLocaleString("en"));
    return own.answers[best][0]
      ? `${start}; ${right} of ${given} answers “${model.classes[best]}” to ${such} were right ${where}.`
      : `${start}; ${rows}, none got this answer.`;
  }
  const found = own.verdicts.find((other) => other.verdict === verdict && other.reason === reason);
  if (!found) return `${start}; ${rows}, none got this verdict.`;
  const [n, right] = [found.rows, found.right].map((count) => count.toLocaleString("en"));
  return `${start}; ${rows}, ${n} got this verdict, and the most probable class ` +
    `was right for ${right}.`;
}
