"use strict";
// The features: their values in the data, and the terms of the rules.

const SHOWN_TERMS = 9;

function showVariables(features, statistics) {
  features.forEach((feature, f) => {
    const { missing } = statistics[f];
    const words = [];
    if (feature.terms && !isListed(feature) && feature.terms.length <= SHOWN_TERMS) {
      const peaks = peaksOf(feature), ends = feature.ends ?? peaks;
      const range = (t) => plain(peaks[t], 4) + (ends[t] > peaks[t] ? ` to ${plain(ends[t], 4)}` : "");
      words.push(feature.terms.map((term, t) =>
        Number.isFinite(peaks[t]) && !feature.time ? `${term} ${range(t)}` : term).join(" · "));
    }
    if (missing > 0) words.push(`${percent(missing)} missing`);
    $("partitions").append(make("div", { className: "variable" },
      make("h3", {}, feature.name), drawVariable(feature, statistics[f]),
      make("p", { className: "note" }, words.join(" — "))));
  });
}
