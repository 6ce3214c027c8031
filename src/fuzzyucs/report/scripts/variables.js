"use strict";
// The features: their values in the data, and the terms of the rules.

const SHOWN_TERMS = 9;

// The terms of a feature in words: their names and where they are fully true.
function termWords(feature) {
  if (!feature.terms || feature.views || isListed(feature)) return "";
  const peaks = peaksOf(feature), ends = feature.ends ?? peaks;
  if (!(feature.maximum > feature.minimum) && peaks.every((peak) => peak === peaks[0])) return "always the same";
  if (feature.terms.length > SHOWN_TERMS) return `${feature.terms.length} terms`;
  const range = (t) => plain(peaks[t], 4) + (ends[t] > peaks[t] ? ` to ${plain(ends[t], 4)}` : "");
  if (isNumbered(feature)) return feature.terms.join(" · ");
  return feature.terms.map((term, t) =>
    (Number.isFinite(peaks[t]) && !feature.time ? `${term} ${range(t)}` : term)).join(" · ");
}

function showVariables(model, statistics) {
  const { features, classes, colours } = model;
  const rows = counted(DATA.performance.rows, "row", "rows");
  $("bars-of").textContent = `The bars count the ${rows} that this page measures on; the terms come from the rows that ` +
    "the model learned from.";
  $("legend").append(...classes.map((label, c) => withSwatch(model, c, label)));
  features.forEach((feature, f) => {
    const { missing } = statistics[f];
    const words = [termWords(feature)].filter(Boolean);
    if (missing > 0) words.push(`${percent(missing)} missing`);
    $("partitions").append(make("div", { className: "variable" },
      make("h3", {}, feature.name),
      isListed(feature) ? listCategories(feature, statistics[f], colours)
        : drawVariable(feature, statistics[f], colours),
      ...(words.length ? [make("p", { className: "note" }, words.join(" — "))] : [])));
  });
}
