"use strict";
// What a model says of a record, computed as the library computes it. A record is an array with a
// number for each feature, NaN where there is none.

const sum = (values) => values.reduce((total, value) => total + value, 0);
const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
const argmax = (values) => values.reduce((best, v, i) => (v > values[best] ? i : best), 0);

// The place of the first value that is not below x.
function searchSorted(values, x) {
  let low = 0, high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] < x) low = middle + 1;
    else high = middle;
  }
  return low;
}

// Differences are taken of halves, because that of two doubles may exceed the largest one.
function share(x, low, high) {
  return (x / 2 - low / 2) / (high / 2 - low / 2);
}

// Where a value lies on its variable: 0 is the first peak, 1 the second; plain numbers in [0, 1].
function locate(feature, x) {
  if (Number.isNaN(x)) return NaN;
  if (feature.kind === "even" || feature.kind === "number") {
    const scale = feature.kind === "even" ? feature.n_terms - 1 : 1;
    if (!(feature.maximum / 2 - feature.minimum / 2 > 0)) return 0.5 * scale;
    return clamp(share(x, feature.minimum, feature.maximum), 0, 1) * scale;
  }
  const peaks = feature.peaks;
  const last = peaks.length - 1;
  if (feature.kind === "peaks") {
    if (!(x > peaks[0])) return 0;
    if (x >= peaks[last]) return last;
    let term = 0;
    while (x >= peaks[term + 1]) ++term;
    return term + share(x, peaks[term], peaks[term + 1]);
  }
  const place = Math.min(searchSorted(peaks, x), last);
  if (!feature.nearest) return peaks[place] === x ? place : NaN;
  const below = Math.max(place - 1, 0);
  return x / 2 - peaks[below] / 2 < peaks[place] / 2 - x / 2 ? below : place;
}

function segment(position, nTerms) {
  const clipped = clamp(position, 0, nTerms - 1);
  const term = Math.min(Math.floor(clipped), nTerms - 2);
  return { term, fraction: clipped - term };
}

// Degree to which a condition holds. Missing values match everything.
function membership(feature, condition, position) {
  if (Number.isNaN(position)) return 1;
  if (feature.kind === "number") return condition[1] <= position && position <= condition[2] ? 1 : 0;
  const { term, fraction } = segment(position, feature.n_terms);
  const low = (condition[1] >>> term) & 1, high = (condition[1] >>> (term + 1)) & 1;
  if (low && high) return 1;
  return low ? 1 - fraction : high ? fraction : 0;
}

// Features as a forest: each depends on at most one other.
class Forest {
  constructor(data) {
    Object.assign(this, data);
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
    const plain = (f, x) => {
      const at = this.first[f] + x.term;
      return this.marginal[at] * x.low + this.marginal[at + 1] * x.high;
    };
    return positions.map((_, f) => {
      if (!this.isKnown(positions, f)) return 0;
      const x = weigh(f), p = this.parent[f];
      if (p < 0 || !this.isKnown(positions, p)) return -Math.log(plain(f, x));
      const given = weigh(p), joint = this.joint, n = this.n_terms[f];
      const at = this.firstPair[f] + given.term * n + x.term;
      const both = given.low * (joint[at] * x.low + joint[at + 1] * x.high) +
                   given.high * (joint[at + n] * x.low + joint[at + n + 1] * x.high);
      return Math.log(plain(p, given)) - Math.log(both);
    });
  }

  // How probable the terms of a feature are, given its known neighbours.
  believe(positions, feature) {
    const n = this.n_terms[feature];
    const pi = this.marginal.slice(this.first[feature], this.first[feature] + n);
    let belief = pi.slice();
    const hear = (other, first, stepOther, step) => {
      if (!this.isKnown(positions, other)) return;
      const { term, fraction } = segment(positions[other], this.n_terms[other]);
      const at = this.first[other] + term;
      const low = (1 - fraction) / this.marginal[at], high = fraction / this.marginal[at + 1];
      belief = belief.map((value, t) => {
        const pair = first + term * stepOther + t * step;
        return (value * (low * this.joint[pair] + high * this.joint[pair + stepOther])) / pi[t];
      });
      const total = sum(belief);
      belief = belief.map((value) => value / total);
    };
    const parent = this.parent[feature];
    if (parent >= 0) hear(parent, this.firstPair[feature], n, 1);
    for (const child of this.children[feature]) {
      hear(child, this.firstPair[child], 1, this.n_terms[child]);
    }
    const entropy = (p) => -sum(p.map((value) => value * Math.log(value)));
    return { belief, vagueness: Math.min(1, entropy(belief) / entropy(pi)) };
  }
}

// How unlike the training data a record is, and which values make it so.
class Support {
  constructor(data) {
    Object.assign(this, data);
    this.forest = new Forest(data.forest);
  }

  excess(x, f) {
    if (Number.isNaN(x) || this.minimum[f] === null) return 0;
    const known = this.values[f];
    if (known) {
      const place = clamp(searchSorted(known, x), 1, known.length - 1);
      const nearest = Math.min(
        Math.abs(x / 2 - known[place - 1] / 2), Math.abs(x / 2 - known[place] / 2));
      let step = Infinity;
      for (let i = 1; i < known.length; ++i) step = Math.min(step, known[i] / 2 - known[i - 1] / 2);
      return clamp(nearest / Math.max(step, 2.2250738585072014e-308), 0, this.furthest);
    }
    const low = this.minimum[f], high = this.maximum[f];
    const beyond = Math.max(low / 2 - x / 2, x / 2 - high / 2), width = high / 2 - low / 2;
    if (width > 0) return clamp(beyond / width, 0, this.furthest);
    if (!(beyond > 0)) return 0;
    return clamp(Math.max(this.changed, (2 * beyond) / (Math.abs(low) + 1)), 0, this.furthest);
  }

  parts(record) {
    const positions = this.features.map((feature, f) => locate(feature, record[f]));
    const surprise = this.forest.surprise(positions, this.scale);
    const counted = this.forest.n_terms.filter((n) => n > 0).length;
    const known = positions.map((_, f) => this.forest.isKnown(positions, f));
    const stretch = Math.sqrt(counted / Math.max(known.filter(Boolean).length, 1));
    return positions.map((_, f) =>
      (known[f] ? surprise[f] - this.typical[f] : 0) * stretch +
      this.outside * this.excess(record[f], f));
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

  reasons(record, parts, most = 3) {
    const order = parts.map((_, f) => f).sort((a, b) => parts[b] - parts[a] || a - b);
    return order.slice(0, most).filter((f) => parts[f] > 0).map((f) => {
      const parent = this.forest.parent[f];
      const isGiven = parent >= 0 && !Number.isNaN(record[parent]);
      return { feature: f, given: isGiven ? parent : null, isOutside: this.excess(record[f], f) > 0 };
    });
  }
}

// A draw that belongs to a record's own values: the same as in the library.
function drawOf(seed, positions, n) {
  const word = (x) => BigInt.asUintN(64, x);
  const mix = (state) => {
    let z = state;
    z = word((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
    z = word((z ^ (z >> 27n)) * 0x94d049bb133111ebn);
    return z ^ (z >> 31n);
  };
  const golden = 0x9e3779b97f4a7c15n;
  const bits = new DataView(new ArrayBuffer(8));
  let hash = BigInt(seed);
  for (const position of positions) {
    bits.setFloat64(0, Number.isNaN(position) ? -1 : position + 0);
    hash = mix(word(hash + golden)) ^ bits.getBigUint64(0);
  }
  const first = mix(word(hash + golden)), fourth = mix(word(hash + 4n * golden));
  const added = word(first + fourth);
  const next = word(word((added << 23n) | (added >> 41n)) + first);
  return Number(((next >> 32n) * BigInt(n)) >> 32n);
}

class Model {
  constructor(data) {
    Object.assign(this, data);
    this.forest = data.forest && new Forest(data.forest);
    this.support = data.support && new Support(data.support);
    const n = this.classes.length;
    for (const rule of this.rules) {
      // Commonality of each class, and last of "don't know", if the rule matches fully.
      rule.factors = [...rule.weights.map((weight) => weight + rule.doubt), rule.doubt];
    }
    this.nClasses = n;
    this.asking = this.features.map(() => []);
    this.rules.forEach((rule, r) => rule.if.forEach((condition, k) => {
      this.asking[condition[0]].push([r, k]);
    }));
    if (this.prior) this.shares = softmax(this.prior);
    // Single winners are looked for among the most numerous first; a tie is drawn in that order.
    const whole = (rule) => (Number.isInteger(rule.strength) ? rule.strength : 0);
    this.order = this.rules.map((_, r) => r)
      .sort((a, b) => whole(this.rules[b]) - whole(this.rules[a]) || a - b);
    this.isEvidence = this.scheme === "weighted" || this.scheme === "ds";
  }

  positions(record) {
    return this.features.map((feature, f) => locate(feature, record[f]));
  }

  // What is thought of missing values, by feature.
  beliefs(positions) {
    const found = new Map();
    if (!this.forest) return found;
    this.features.forEach((feature, f) => {
      if (feature.believed && Number.isNaN(positions[f])) {
        found.set(f, this.forest.believe(positions, f));
      }
    });
    return found;
  }

  logs(rule, degree) {
    return rule.factors.map((factor) =>
      rule.strength * Math.log((1 - degree) + degree * factor));
  }

  // Matches a record: degrees, what rules ask of missing values, and what each rule adds.
  match(record) {
    const positions = this.positions(record);
    const beliefs = this.beliefs(positions);
    const rules = [];
    this.rules.forEach((rule, r) => {
      let degree = 1;
      for (const condition of rule.if) {
        degree *= membership(this.features[condition[0]], condition, positions[condition[0]]);
        if (degree === 0) return;
      }
      let missing = -1, accepted = 0, belief = 1, believed = 1;
      for (const condition of rule.if) {
        const value = beliefs.get(condition[0]);
        if (!value) continue;
        let part = 0;
        value.belief.forEach((p, t) => { if ((condition[1] >>> t) & 1) part += p; });
        part = Math.min(part, 1);
        believed *= part;
        if (missing >= 0) belief *= part;
        else [missing, accepted] = [condition[0], condition[1]];
      }
      rules.push({ rule, place: r, degree, missing, accepted, belief, believed });
    });
    return { positions, beliefs, rules };
  }

  // Logarithms of the commonalities of the classes and of "don't know". Rules that ask for the same
  // missing value speak together: combined for each term that it may have, and averaged.
  commonalities(matched, prior) {
    const n = this.nClasses;
    const total = new Array(n + 1).fill(0);
    const groups = new Map();
    for (const entry of matched.rules) {
      if (entry.missing >= 0) {
        if (!groups.has(entry.missing)) groups.set(entry.missing, []);
        groups.get(entry.missing).push(entry);
        continue;
      }
      const logs = this.logs(entry.rule, entry.degree);
      for (let c = 0; c <= n; ++c) total[c] += logs[c];
    }
    for (const [feature, group] of groups) {
      const { belief, vagueness } = matched.beliefs.get(feature);
      const discount = prior ? 0 : vagueness;
      const means = new Array(n + 1).fill(0);
      belief.forEach((probability, t) => {
        const logs = new Array(n + 1).fill(0);
        for (const entry of group) {
          if (!((entry.accepted >>> t) & 1)) continue;
          this.logs(entry.rule, entry.degree).forEach((log, c) => {
            logs[c] += entry.belief === 1
              ? log : Math.log((1 - entry.belief) + entry.belief * Math.exp(log));
          });
        }
        const shift = normaliser(logs, prior);
        for (let c = 0; c <= n; ++c) {
          const log = shift === null ? 0 : logs[c] - shift;
          if (probability > 0) means[c] += probability * Math.exp(log);
        }
      });
      means.forEach((mean, c) => { total[c] += Math.log(discount + (1 - discount) * mean); });
    }
    return total;
  }

  votes(matched) {
    const votes = new Array(this.nClasses).fill(0);
    for (const { rule, degree, believed } of matched.rules) {
      votes[rule.class] += degree * believed * rule.fitness * rule.strength;
    }
    return votes;
  }

  winner(matched) {
    const byPlace = new Map(matched.rules.map((entry) => [entry.place, entry]));
    let best = -Infinity, tied = [];
    for (const place of this.order) {
      const entry = byPlace.get(place);
      if (!entry) continue;
      const strength = entry.degree * entry.believed * entry.rule.fitness;
      if (strength < best) continue;
      if (strength > best) tied = [];
      best = strength;
      if (!tied.some((other) => other.rule.class === entry.rule.class)) tied.push(entry);
    }
    if (!tied.length) return null;
    return tied.length === 1 ? tied[0] : tied[drawOf(this.seed, matched.positions, tied.length)];
  }

  // The answer: classes that tie draw lots.
  decide(matched, scores) {
    if (this.scheme === "weighted") return { best: argmax(softmax(scores)), tied: [] };
    if (this.scheme === "swin") {
      const winner = this.winner(matched);
      if (winner) return { best: winner.rule.class, tied: [] };
    }
    const greatest = Math.max(...scores);
    const tied = [];
    scores.forEach((score, c) => { if (score === greatest) tied.push(c); });
    if (tied.length === 1) return { best: tied[0], tied: [] };
    return { best: tied[drawOf(this.seed, matched.positions, tied.length)], tied };
  }

  // The number that each class decides by.
  scores(matched) {
    if (this.scheme === "weighted") {
      const logs = this.commonalities(matched, this.shares);
      return this.prior.map((prior, c) => logs[c] + prior);
    }
    if (this.scheme === "ds") return this.commonalities(matched, null).slice(0, this.nClasses);
    if (this.scheme === "vote") return this.votes(matched);
    const scores = new Array(this.nClasses).fill(-Infinity);
    for (const { rule, degree, believed } of matched.rules) {
      scores[rule.class] = Math.max(scores[rule.class], degree * believed * rule.fitness);
    }
    return scores;
  }

  probabilities(matched, scores, evidence) {
    const n = this.nClasses;
    if (this.scheme === "weighted") return softmax(scores);
    if (this.scheme === "ds") return evidence.mass.map((mass) => mass + evidence.ignorance / n);
    if (this.scheme === "vote") return voteShares(scores);
    const winner = this.winner(matched);
    if (!winner) return new Array(n).fill(1 / n);
    const degree = winner.degree * winner.believed;
    return winner.rule.weights.map((weight) => weight * degree + (1 - degree) / n);
  }

  // Belief masses of what the rules say, before novelty is looked at.
  masses(matched) {
    const temperature = this.temperature === null ? 1 : this.temperature;
    const logs = this.commonalities(matched, null).map((log) => log / temperature);
    const n = this.nClasses;
    const greatest = Math.max(...logs.slice(0, n));
    let mass = new Array(n).fill(0), ignorance = 1;
    if (greatest > -Infinity) {
      const theta = Math.exp(logs[n] - greatest);
      mass = logs.slice(0, n).map((log) => Math.max(0, Math.exp(log - greatest) - theta));
      const total = sum(mass) + theta;
      mass = mass.map((value) => value / total);
      ignorance = theta / total;
    }
    if (this.discount !== null) {
      mass = mass.map((value) => value * (1 - this.discount));
      ignorance = this.discount + (1 - this.discount) * ignorance;
    }
    return { mass, ignorance };
  }

  // All that the model says of a record.
  evaluate(record) {
    const matched = this.match(record);
    const scores = this.scores(matched);
    const evidence = this.masses(matched);
    const probability = this.probabilities(matched, scores, evidence);
    const result = {
      matched, scores, probability,
      weak: evidence.ignorance, novelty: null, parts: null, reasons: [],
      mass: evidence.mass, ignorance: evidence.ignorance,
      ...this.decide(matched, scores),
    };
    if (this.support) {
      result.parts = this.support.parts(record);
      result.novelty = this.support.novelty(result.parts);
      const kept = 1 - result.novelty;
      result.mass = result.mass.map((mass) => mass * kept);
      result.ignorance = result.novelty + kept * result.weak;
      result.reasons = this.support.reasons(record, result.parts);
    }
    return result;
  }

  // What each rule that matches adds to the classes; those that ask for missing values, together.
  entries(result) {
    const { matched } = result;
    const n = this.nClasses;
    const one = (entry, amounts) => ({ place: entry.place, rule: entry.rule, degree: entry.degree, amounts });
    if (this.scheme === "swin") {
      const winner = this.winner(matched);
      return winner ? [one(winner, unit(n, winner.rule.class,
        winner.degree * winner.believed * winner.rule.fitness))] : [];
    }
    if (this.scheme === "vote") {
      return matched.rules.map((entry) => one(entry, unit(n, entry.rule.class,
        entry.degree * entry.believed * entry.rule.fitness * entry.rule.strength)));
    }
    const temperature = this.temperature === null ? 1 : this.temperature;
    const found = matched.rules.filter((entry) => entry.missing < 0).map((entry) =>
      one(entry, this.logs(entry.rule, entry.degree).slice(0, n).map((log) => log / temperature)));
    const doubtful = matched.rules.filter((entry) => entry.missing >= 0).length;
    if (doubtful) {
      const rest = result.scores.map((score, c) => {
        const own = score / temperature - (this.prior ? this.prior[c] : 0);
        const known = sum(found.map((entry) => entry.amounts[c]));
        return known === -Infinity ? 0 : own - known;
      });
      found.push({ place: null, rule: null, degree: null, amounts: rest, doubtful });
    }
    if (this.prior) {
      found.push({ place: null, rule: null, degree: null, amounts: this.prior, isPrior: true });
    }
    return found;
  }

  // Whether the values of a feature are a few that can be listed.
  isListed(f) {
    return this.features[f].kind === "nominal" || "labels" in this.features[f];
  }

  valuesToTry(f) {
    const feature = this.features[f];
    if (this.isListed(f)) return feature.peaks ?? feature.labels.map((_, code) => code);
    if (feature.kind !== "peaks" && !(feature.maximum > feature.minimum)) return [];
    const peaks = feature.kind === "number" ? [feature.minimum, feature.maximum] : this.peaks(f);
    const steps = feature.kind === "number" ? 256 : 16;
    const values = [];
    for (let t = 0; t + 1 < peaks.length; ++t) {
      for (let s = 0; s < steps; ++s) {
        values.push(peaks[t] * (1 - s / steps) + peaks[t + 1] * (s / steps));
      }
    }
    return [...values, peaks[peaks.length - 1]];
  }

  peaks(f) {
    const feature = this.features[f];
    if (feature.peaks) return feature.peaks;
    const steps = feature.n_terms - 1;
    return Array.from({ length: steps + 1 }, (_, t) =>
      feature.minimum * (1 - t / steps) + feature.maximum * (t / steps));
  }

  // Answers for changes of one value. Rules that do not ask for it are looked at once.
  answers(record, f, matched) {
    const feature = this.features[f];
    if (matched.beliefs.size || this.scheme === "swin") {
      return (value) => {
        const changed = record.slice();
        changed[f] = value;
        const again = this.match(changed);
        return this.decide(again, this.scores(again)).best;
      };
    }
    const concerned = new Set(this.asking[f].map(([r]) => r));
    const base = new Array(this.nClasses).fill(0);
    if (this.prior) this.prior.forEach((prior, c) => { base[c] += prior; });
    for (const { place, rule, degree } of matched.rules) {
      if (concerned.has(place)) continue;
      this.add(base, rule, degree);
    }
    const others = this.asking[f].map(([r, k]) => {
      const rule = this.rules[r];
      let degree = 1;
      rule.if.forEach((condition, j) => {
        if (j === k || degree === 0) return;
        degree *= membership(
          this.features[condition[0]], condition, matched.positions[condition[0]]);
      });
      return { rule, degree, condition: rule.if[k] };
    }).filter(({ degree }) => degree > 0);
    const positions = matched.positions.slice();
    return (value) => {
      const position = locate(feature, value);
      positions[f] = position;
      const scores = base.slice();
      for (const { rule, degree, condition } of others) {
        const whole = degree * membership(feature, condition, position);
        if (whole > 0) this.add(scores, rule, whole);
      }
      return this.decide({ positions }, scores).best;
    };
  }

  add(scores, rule, degree) {
    if (this.scheme === "vote") {
      scores[rule.class] += degree * rule.fitness * rule.strength;
      return;
    }
    for (let c = 0; c < this.nClasses; ++c) {
      scores[c] += rule.strength * Math.log((1 - degree) + degree * rule.factors[c]);
    }
  }

  // The nearest value of a feature that gives another answer, or null.
  flip(record, f, matched, own) {
    const x = record[f];
    if (Number.isNaN(x)) return null;
    if (!this.asking[f].length && !matched.beliefs.size) return null;
    const answer = this.answers(record, f, matched);
    const values = this.valuesToTry(f);
    const feature = this.features[f];
    if (this.isListed(f)) {
      const half = feature.maximum / 2 - feature.minimum / 2;
      const distance = (value) =>
        (feature.kind === "nominal" ? 1 : Math.abs(value / 2 - x / 2) / half);
      const others = values.filter((value) => value !== x && answer(value) !== own)
        .map((value) => ({ feature: f, value, label: answer(value), distance: distance(value) }))
        .sort((a, b) => a.distance - b.distance);
      return others[0] || null;
    }
    const found = [];
    for (const up of [true, false]) {
      let near = x;
      const ordered = up ? values : values.slice().reverse();
      for (const value of ordered) {
        if (up ? value <= x : value >= x) continue;
        if (answer(value) === own) {
          near = value;
          continue;
        }
        found.push(this.narrow(f, x, near, value, own, answer));
        break;
      }
    }
    return found.sort((a, b) => a.distance - b.distance)[0] || null;
  }

  narrow(f, x, near, far, own, answer) {
    for (let i = 0; i < 40; ++i) {
      const middle = near / 2 + far / 2;
      if (answer(middle) === own) near = middle;
      else far = middle;
    }
    const feature = this.features[f];
    const half = feature.maximum / 2 - feature.minimum / 2;
    const factor = 10 ** (3 - Math.floor(Math.log10(2 * half)));
    const rounded = (far > x ? Math.ceil(far * factor) : Math.floor(far * factor)) / factor;
    if (Number.isFinite(rounded) && answer(rounded) !== own) far = rounded;
    return { feature: f, value: far, label: answer(far), distance: Math.abs(far / 2 - x / 2) / half };
  }
}

function unit(n, place, amount) {
  const amounts = new Array(n).fill(0);
  amounts[place] = amount;
  return amounts;
}

function softmax(scores) {
  const greatest = Math.max(...scores);
  const odds = scores.map((score) => Math.exp(score - greatest));
  const total = sum(odds);
  return odds.map((value) => value / total);
}

function voteShares(votes) {
  let shares = votes.map((vote) => Math.max(vote, 0));
  if (sum(shares) === 0) {
    const best = Math.max(...votes);
    shares = votes.map((vote) => (vote === best ? 1 : 0));
  }
  const greatest = Math.max(...shares);
  shares = shares.map((value) => value / greatest);
  const total = sum(shares);
  return shares.map((value) => value / total);
}

// What to take off logarithms of commonalities to normalise them: by Dempster's rule, or by what
// the prior expects. Null if nothing is possible.
function normaliser(logs, prior) {
  const greatest = Math.max(...logs);
  if (greatest === -Infinity) return null;
  const n = logs.length - 1;
  const theta = prior ? 0 : Math.exp(logs[n] - greatest);
  let total = theta;
  for (let c = 0; c < n; ++c) {
    const commonality = Math.exp(logs[c] - greatest);
    total += prior ? prior[c] * commonality : Math.max(0, commonality - theta);
  }
  return greatest + Math.log(Math.max(total, 2.2250738585072014e-308));
}
