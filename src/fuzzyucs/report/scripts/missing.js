"use strict";
// Missing values: how probable each of their terms is, given the values that are known.

// Pairs are counted for at most 64 groups of neighbouring terms.
const MOST_GROUPS = 64;

// Features as a forest: each depends on at most one other.
class Forest {
  constructor(data) {
    Object.assign(this, data);
    this.joint = this.spread(data.joint);
    const n = this.n_terms.length;
    this.first = [];
    this.firstPair = [];
    this.children = Array.from({ length: n }, () => []);
    let terms = 0, pairs = 0;
    for (let f = 0; f < n; ++f) {
      this.first.push(terms);
      this.firstPair.push(pairs);
      terms += this.n_terms[f];
      if (this.parent[f] < 0) continue;
      pairs += this.n_terms[this.parent[f]] * this.n_terms[f];
      this.children[this.parent[f]].push(f);
    }
  }

  // Share pairs of groups out among the terms, as all data have it.
  spread(joint) {
    if (Math.max(...this.n_terms) <= MOST_GROUPS) return joint;
    let first = 0;
    const terms = this.n_terms.map((n) => {
      const own = this.marginal.slice(first, first + n), size = Math.min(n, MOST_GROUPS);
      const sums = new Array(size).fill(0), group = own.map((_, t) => Math.floor((t * size) / n));
      first += n;
      own.forEach((p, t) => { sums[group[t]] += p; });
      return own.map((p, t) => ({ group: group[t], share: p / sums[group[t]] }));
    });
    const found = [];
    let pairs = 0;
    this.parent.forEach((p, f) => {
      if (p < 0) return;
      const size = Math.min(this.n_terms[f], MOST_GROUPS);
      for (const given of terms[p]) {
        for (const own of terms[f]) {
          found.push(joint[pairs + given.group * size + own.group] * given.share * own.share);
        }
      }
      pairs += Math.min(this.n_terms[p], MOST_GROUPS) * size;
    });
    return found;
  }

  // The features that a feature depends on, and that depend on it.
  neighbours(feature) {
    const parent = this.parent[feature];
    return parent < 0 ? this.children[feature] : [parent, ...this.children[feature]];
  }

  isKnown(positions, feature) {
    return this.n_terms[feature] > 0 && !Number.isNaN(positions[feature]);
  }

  // How surprising each value is, given the parent's.
  surprise(positions, scale) {
    const weigh = (f) => {
      const { term, fraction } = segment(positions[f], this.n_terms[f]);
      const at = this.first[f] + term;
      return { term, low: (1 - fraction) * scale[at], high: fraction * scale[at + 1] };
    };
    const alone = (f, x) => {
      const at = this.first[f] + x.term;
      return this.marginal[at] * x.low + this.marginal[at + 1] * x.high;
    };
    return positions.map((_, f) => {
      if (!this.isKnown(positions, f)) return 0;
      const x = weigh(f), p = this.parent[f];
      if (p < 0 || !this.isKnown(positions, p)) return -Math.log(alone(f, x));
      const given = weigh(p), joint = this.joint, n = this.n_terms[f];
      const at = this.firstPair[f] + given.term * n + x.term;
      const both = given.low * (joint[at] * x.low + joint[at + 1] * x.high) +
                   given.high * (joint[at + n] * x.low + joint[at + n + 1] * x.high);
      return Math.log(alone(p, given)) - Math.log(both);
    });
  }

  // How probable the terms of a feature are, given its known neighbours.
  believe(positions, feature) {
    const n = this.n_terms[feature];
    const prior = this.marginal.slice(this.first[feature], this.first[feature] + n);
    let belief = prior.slice();
    const update = (other, first, stepOther, step) => {
      if (!this.isKnown(positions, other)) return;
      const { term, fraction } = segment(positions[other], this.n_terms[other]);
      const at = this.first[other] + term;
      const low = (1 - fraction) / this.marginal[at], high = fraction / this.marginal[at + 1];
      belief = belief.map((value, t) => {
        const pair = first + term * stepOther + t * step;
        return (value * (low * this.joint[pair] + high * this.joint[pair + stepOther])) / prior[t];
      });
      const total = sum(belief);
      belief = belief.map((value) => value / total);
    };
    const parent = this.parent[feature];
    if (parent >= 0) update(parent, this.firstPair[feature], n, 1);
    for (const child of this.children[feature]) {
      update(child, this.firstPair[child], 1, this.n_terms[child]);
    }
    const entropy = (p) => -sum(p.map((value) => value * Math.log(value)));
    return { belief, vagueness: Math.min(1, entropy(belief) / entropy(prior)) };
  }
}
