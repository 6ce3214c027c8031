"use strict";
// Models of the second form: rules with class profiles, which speak where they apply and where they
// do not, and base rates, which say what ignorance is worth.

const GREATEST_IGNORANCE = 0.5; // for an answer, and for "torn"
const LEAST_CONTRADICTION = 0.5; // for "torn"
const ROUNDING = 1e-12; // smaller differences between degrees and their means count as none

const makeModel = (data) => (data.scheme === "profile" ? new ProfiledModel(data) : new Model(data));

class ProfiledModel extends Model {
  constructor(data) {
    super(data);
    this.isEvidence = true;
    this.logRates = this.base_rates.map(Math.log);
    this.asked = this.features.map((_, f) => f).filter((f) => this.asking[f].length);
    this.guess = argmax(this.base_rates); // what is answered without evidence
    for (const rule of this.rules) {
      rule.lowest = Math.min(...rule.profile);
      rule.logOdds = Math.max(...rule.profile) - rule.lowest;
      // Of more than two classes, a rule may speak against one and for none.
      rule.isAgainst = this.nClasses > 2 && Math.max(...rule.profile) <= 0;
      rule.named = rule.isAgainst ? rule.profile.indexOf(rule.lowest) : rule.class;
      rule.label = `${rule.isAgainst ? "not " : ""}${this.classes[rule.named]}`;
    }
  }

  // All rules with the degrees that are expected of them. Conditions on missing values count with the
  // probability that they hold, which depends on how often they do so together.
  match(record) {
    const positions = this.positions(record);
    const beliefs = this.beliefs(positions);
    const rules = this.rules.map((rule, index) => {
      let degree = 1;
      for (const condition of rule.if) {
        degree *= membership(this.features[condition[0]], condition, positions[condition[0]]);
        if (degree === 0) break;
      }
      // Whether it would apply if missing values were as it asks.
      const isOpen = degree > rule.mean && rule.if.some(([f]) => Number.isNaN(positions[f]));
      const { missing, believed } = conditionsOnMissing(rule, beliefs);
      if (missing >= 0) degree *= Math.min(1, rule.dependence * believed);
      const shift = Math.abs(degree - rule.mean) < ROUNDING ? 0 : degree - rule.mean;
      return { rule, index, degree, isOpen, believed: 1, shift };
    });
    return { positions, beliefs, rules };
  }

  // Logarithms of the base rates, and what rules add to them.
  scores(matched) {
    const sums = new Array(this.nClasses).fill(0);
    for (const { rule, shift } of matched.rules) {
      for (let c = 0; c < this.nClasses; ++c) sums[c] += shift * rule.profile[c];
    }
    return sums.map((added, c) => this.logRates[c] + added);
  }

  // Share of the evidence between the most probable class and the next that cancels out.
  contradiction(matched, scores) {
    const [first, next] = byAmount(scores);
    let total = 0, size = 0;
    for (const { rule, shift } of matched.rules) {
      const part = shift * (rule.profile[first] - rule.profile[next]);
      total += part;
      size += Math.abs(part);
    }
    return size > 0 ? Math.max(0, 1 - Math.abs(total) / size) : 0;
  }

  // Belief, ignorance and probability by the rules alone, without novelty.
  pooled(matched, scores) {
    const greatest = Math.max(...scores);
    const odds = scores.map((score) => Math.exp(score - greatest));
    const total = sum(odds);
    let least = 0;
    for (const { rule, shift } of matched.rules) {
      least += shift > 0 ? shift * rule.lowest : shift * (rule.lowest + rule.logOdds);
    }
    const ignorance = Math.min(Math.exp(least - greatest) / total, 1);
    const probability = odds.map((value) => value / total);
    const mass = probability.map((p, c) => Math.max(0, p - this.base_rates[c] * ignorance));
    return { mass, ignorance, probability };
  }

  // Probabilities: belief and, of the ignorance, as much as the base rate says.
  projected(mass, ignorance) {
    return mass.map((value, c) => value + this.base_rates[c] * ignorance);
  }

  // Everything that the model says of a record.
  evaluate(record) {
    const matched = this.match(record);
    const scores = this.scores(matched);
    const pooled = this.pooled(matched, scores);
    const result = {
      matched, scores, tied: [], weak: pooled.ignorance, novelty: null, parts: null, reasons: [],
      mass: pooled.mass, ignorance: pooled.ignorance,
      contradiction: this.contradiction(matched, scores),
      nMissing: this.asked.filter((f) => Number.isNaN(matched.positions[f])).length,
    };
    if (this.support) {
      result.parts = this.support.parts(record);
      result.novelty = this.support.novelty(result.parts);
      const taken = result.novelty ** 2, kept = 1 - taken;
      result.mass = result.mass.map((mass) => mass * kept);
      result.ignorance = taken + kept * result.weak;
      result.reasons = this.support.reasons(record, result.parts);
    }
    result.probability = this.projected(result.mass, result.ignorance);
    result.best = argmax(result.probability);
    return { ...result, ...judge(result, this.answer_threshold) };
  }

  // The predicted class alone. Novelty changes it only if the base rates have another greatest.
  predict(record) {
    const matched = this.match(record);
    const scores = this.scores(matched);
    const { mass, ignorance, probability } = this.pooled(matched, scores);
    if (!this.support || argmax(probability) === this.guess) {
      return argmax(this.projected(mass, ignorance));
    }
    const taken = this.support.novelty(this.support.parts(record)) ** 2, kept = 1 - taken;
    return argmax(this.projected(mass.map((m) => m * kept), taken + kept * ignorance));
  }
}

// Indices of values, the greatest first; equal ones in their order.
function byAmount(values) {
  return values.map((_, i) => i)
    .sort((a, b) => (values[a] === values[b] ? 0 : values[b] > values[a] ? 1 : -1) || a - b);
}

// What evidence amounts to: an answer, torn between classes, or unknown, and why it is no answer.
function judge({ probability, ignorance, contradiction, novelty, nMissing }, threshold) {
  if (ignorance > GREATEST_IGNORANCE) {
    const reason = 2 * (novelty ?? 0) ** 2 >= ignorance ? "novelty" : nMissing ? "missing" : "evidence";
    return { verdict: "unknown", reason };
  }
  if (Math.max(...probability) >= threshold) return { verdict: "answer", reason: "" };
  return contradiction >= LEAST_CONTRADICTION
    ? { verdict: "torn", reason: "contradiction" } : { verdict: "unknown", reason: "undecided" };
}
