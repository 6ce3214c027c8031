"use strict";
// Features: the position of a value on its variable, and the degree to which conditions hold.

// The position of a value: 0 is the first term, 1 the second; plain numbers are in [0, 1].
function locate(feature, x) {
  if (Number.isNaN(x)) return NaN;
  if (feature.views) { // each of which has positions of its own
    return Object.values(feature.views).every((view) => Number.isNaN(locate(view, x))) ? NaN : x;
  }
  if (feature.kind === "even" || feature.kind === "number") {
    const scale = feature.kind === "even" ? feature.n_terms - 1 : 1;
    if (!(feature.maximum / 2 - feature.minimum / 2 > 0)) return 0.5 * scale;
    return clamp(share(x, feature.minimum, feature.maximum), 0, 1) * scale;
  }
  return feature.kind === "peaks" ? locateAmongTerms(feature, x) : locateCategory(feature, x);
}

// Terms are fully true from their peaks to their ends.
function locateAmongTerms({ peaks, ends = peaks }, x) {
  const last = peaks.length - 1;
  if (!(x > ends[0])) return 0;
  if (x >= peaks[last]) return last;
  let term = 0;
  while (x >= peaks[term + 1]) ++term;
  return x <= ends[term] ? term : term + share(x, ends[term], peaks[term + 1]);
}

// Several values may belong to the same term.
function locateCategory({ peaks, nearest, groups }, x) {
  const above = Math.min(searchSorted(peaks, x), peaks.length - 1);
  const below = Math.max(above - 1, 0);
  if (!nearest && peaks[above] !== x) return NaN;
  const isBelow = nearest && x / 2 - peaks[below] / 2 < peaks[above] / 2 - x / 2;
  const index = isBelow ? below : above;
  return groups ? groups[index] : index;
}

// The two adjacent terms around a position: the first of them, and the degree of the second.
function segment(position, nTerms) {
  const clipped = clamp(position, 0, nTerms - 1);
  const term = Math.min(Math.floor(clipped), nTerms - 2);
  return { term, fraction: clipped - term };
}

// Whether a set has a term. Sets are texts with a digit for each term, "0" or "1": they may have more
// terms than a number has exact bits.
function accepts(terms, term) {
  return terms[term] === "1";
}

// Rules of a fused model ask for views of features, which divide them as the model that they are from.
function linkViews({ features, views }) {
  (views ?? []).forEach((view, v) => {
    features[view.feature].views ??= {};
    features[view.feature].views[v] = view;
  });
}

// What a condition is on: a feature, or a view of it.
const viewOf = (condition) => condition[2] ?? condition[0];

// Whether the value that a condition asks for is missing, or unknown to its view.
function isUnknown(feature, condition, position) {
  if (Number.isNaN(position) || !feature.views) return Number.isNaN(position);
  return Number.isNaN(locate(feature.views[condition[2]], position));
}

// Degree to which a condition holds. Missing values match everything.
function membership(feature, condition, position) {
  if (Number.isNaN(position)) return 1;
  if (feature.views) {
    const view = feature.views[condition[2]];
    return membership(view, condition, locate(view, position));
  }
  if (feature.kind === "number") return condition[1] <= position && position <= condition[2] ? 1 : 0;
  const { term, fraction } = segment(position, feature.n_terms);
  const low = accepts(condition[1], term), high = accepts(condition[1], term + 1);
  if (low && high) return 1;
  return low ? 1 - fraction : high ? fraction : 0;
}

// Whether the values of a feature are a few that can be listed.
function isListed(feature) {
  return feature.kind === "nominal" || "labels" in feature;
}

function peaksOf(feature) {
  if (feature.peaks) return feature.peaks;
  const steps = feature.n_terms - 1;
  return Array.from({ length: steps + 1 }, (_, t) =>
    feature.minimum * (1 - t / steps) + feature.maximum * (t / steps));
}

const MOST_TRIED = 256; // values of a feature that are all tried
const TINY = 1e-6; // steps of a grid, by which a value on it may seem to be off it

// What makes whole numbers of the values that a feature can have, if the training data have few digits; else null.
function gridOf({ features, support }, f) {
  const digits = support?.decimals?.[f] ?? -1;
  return digits < 0 || isListed(features[f]) || features[f].time ? null : 10 ** digits;
}

// Of values to try, those that a feature can have: all between the ends, or if they are many, some.
function valuesOnGrid(values, factor) {
  if (factor === null || !values.length) return values;
  const first = Math.ceil(values[0] * factor - TINY), last = Math.floor(values[values.length - 1] * factor + TINY);
  const steps = last - first < MOST_TRIED ? Array.from({ length: last - first + 1 }, (_, k) => first + k)
    : [...new Set(values.map((value) => clamp(Math.floor(value * factor + 0.5), first, last)))];
  return steps.map((step) => step / factor);
}

// Between two values of a grid, the last from the first on for which a test gives the same.
function lastOnGrid(from, to, factor, isSame) {
  const isUp = to > from;
  let near = isUp ? Math.floor(from * factor + TINY) : Math.ceil(from * factor - TINY), far = Math.round(to * factor);
  while (Math.abs(far - near) > 1) {
    const middle = Math.floor((near + far) / 2);
    if (isSame(middle / factor)) near = middle;
    else far = middle;
  }
  return { near: near / factor, far: far / factor };
}

// Values over the range of a feature, in small steps; of categories, all.
function valuesToTry(feature) {
  if (feature.kind === "nominal") return feature.peaks;
  if (isListed(feature)) return feature.labels.map((_, code) => code);
  if (feature.kind !== "peaks" && !(feature.maximum > feature.minimum)) return [];
  const isNumber = feature.kind === "number";
  const peaks = isNumber ? [feature.minimum, feature.maximum] : peaksOf(feature);
  const ends = feature.ends ?? peaks, last = peaks.length - 1;
  const steps = isNumber ? 256 : last < 64 ? 16 : 4;
  const values = [];
  for (let t = 0; t < last; ++t) {
    if (ends[t] > peaks[t]) values.push(peaks[t]);
    for (let s = 0; s < steps; ++s) {
      values.push(ends[t] * (1 - s / steps) + peaks[t + 1] * (s / steps));
    }
  }
  return [...values, ...new Set([peaks[last], ends[last]])];
}
