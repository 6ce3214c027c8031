"use strict";
// When not to trust the answer: what is unusual about the record, and how often such answers were right.

const NOTABLE = 0.1; // novelty from which on reasons are given
const MOST_OUTSIDE = 3; // lines of values outside of the training data

const isNotable = ({ novelty }) => novelty !== null && novelty >= NOTABLE;

// Shows warnings directly below the verdict, as far as that has not told them.
function showTrust(model, record, result, measured) {
  const strange = strangeness(model, record, result);
  const warnings = [...outsideLines(model, record, result), ...unusualLines(model, record, result)];
  const lines = [...warnings, measuredWords(model, strange, result, measured)];
  $("trust").classList.toggle("warning", warnings.length + strange.length > 0);
  $("trust").replaceChildren(...lines.map((line) => make("li", {}, line)));
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
  const reasons = told.filter(({ isOutside }) => !isOutside).map((reason) => reasonText(model, record, reason));
  return reasons.length ? [`${told.length < result.reasons.length ? "Also unusual" : "Unusual"}: ${reasons.join("; ")}.`]
    : [];
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

// How often answers of this kind were right on the data of the report.
function measuredWords(model, strange, { verdict, reason, best }, { verdicts, answers, rows, accuracy }) {
  if (strange.length) return `It is not known how often answers to such records are right: ${listed(strange)}.`;
  const usual = `No value is missing${model.isWithoutData ? "" : " or outside of the training data"}`, all = rows.toLocaleString("en");
  if (!verdict) {
    const right = Math.round(accuracy * rows).toLocaleString("en");
    return `${usual}; ${right} of ${all} answers were right on the data given.`;
  }
  if (verdict === "answer") {
    const [given, right] = answers[best].map((count) => count.toLocaleString("en"));
    return answers[best][0] ? `${usual}; ${right} of ${given} answers “${model.classes[best]}” were right on the data given.`
      : `${usual}; none of the ${all} rows given got this answer.`;
  }
  const own = verdicts.find((other) => other.verdict === verdict && other.reason === reason);
  if (!own) return `${usual}; none of the ${all} rows given got this verdict.`;
  const [n, right] = [own.rows, own.right].map((count) => count.toLocaleString("en"));
  return `${usual}; ${n} of the ${all} rows given got this verdict, and the most probable class was right for ${right}.`;
}
