"use strict";
// Novelty: how unlike the training data a record is, and which values make it so.

const LEAST_PART = 0.1; // of the surprise of the most surprising value, for others to be reasons, too

class Support {
  constructor(data) {
    Object.assign(this, data);
    this.forest = new Forest(data.forest);
  }

  // How far a value lies outside of the training data.
  excess(x, f) {
    if (Number.isNaN(x) || this.minimum[f] === null) return 0;
    const known = this.values[f];
    if (known) return this.excessOfCategory(x, known);
    const low = this.minimum[f], high = this.maximum[f];
    const beyond = Math.max(low / 2 - x / 2, x / 2 - high / 2), width = high / 2 - low / 2;
    if (width > 0) return clamp(beyond / width, 0, this.furthest);
    if (!(beyond > 0)) return 0;
    return clamp(Math.max(this.changed, (2 * beyond) / (Math.abs(low) + 1)), 0, this.furthest);
  }

  // The distance to the nearest known value, in units of the smallest step between known values.
  excessOfCategory(x, known) {
    const above = clamp(searchSorted(known, x), 1, known.length - 1);
    const nearest = Math.min(
      Math.abs(x / 2 - known[above - 1] / 2), Math.abs(x / 2 - known[above] / 2));
    let step = Infinity;
    for (let i = 1; i < known.length; ++i) step = Math.min(step, known[i] / 2 - known[i - 1] / 2);
    return clamp(nearest / Math.max(step, SMALLEST), 0, this.furthest);
  }

  // The part of each value in the score of novelty.
  parts(record) {
    const positions = this.features.map((feature, f) => locate(feature, record[f]));
    const surprise = this.forest.surprise(positions, this.scale);
    const counted = this.forest.n_terms.filter((n) => n > 0).length;
    const known = positions.map((_, f) => this.forest.isKnown(positions, f));
    const stretch = Math.sqrt(counted / Math.max(known.filter(Boolean).length, 1));
    return positions.map((_, f) =>
      (known[f] ? surprise[f] - this.typicalOf(positions, f) : 0) * stretch +
      this.outside * this.excess(record[f], f));
  }

  // The usual surprise of a feature, which is another one if nothing is known of its parent.
  typicalOf(positions, f) {
    const parent = this.forest.parent[f];
    const isAlone = parent >= 0 && Number.isNaN(positions[parent]);
    return isAlone ? this.typical_alone[f] : this.typical[f];
  }

  novelty(parts) {
    const score = sum(parts), scores = this.scores, levels = this.levels;
    const last = scores.length - 1;
    if (score > scores[last]) {
      const beyond = (score - scores[last]) / this.tail;
      const rest = (1 - levels[last] ** this.exponent) * Math.exp(-beyond);
      return (1 - rest) ** (1 / this.exponent);
    }
    if (score <= scores[0]) return levels[0];
    let k = 0;
    while (k < last - 1 && scores[k + 1] <= score) ++k;
    const slope = (levels[k + 1] - levels[k]) / (scores[k + 1] - scores[k]);
    return score === scores[last] ? levels[last] : slope * (score - scores[k]) + levels[k];
  }

  // The features whose values lie outside of the training data, the furthest first.
  outsideOf(record) {
    const excess = record.map((x, f) => this.excess(x, f));
    return record.map((_, f) => f).filter((f) => excess[f] > 0).sort((a, b) => excess[b] - excess[a] || a - b);
  }

  // The most unusual values, each with the value that it depends on, if that is known.
  reasons(record, parts, most = 3) {
    const order = parts.map((_, f) => f).sort((a, b) => parts[b] - parts[a] || a - b);
    const least = LEAST_PART * Math.max(0, parts[order[0]]);
    return order.slice(0, most).filter((f) => parts[f] > least).map((f) => {
      const parent = this.forest.parent[f];
      const isGiven = parent >= 0 && !Number.isNaN(record[parent]);
      return { feature: f, given: isGiven ? parent : null, isOutside: this.excess(record[f], f) > 0 };
    });
  }
}
