"use strict";
// Models of the second form: rules with class profiles, which speak where they match more or less
// than neutral, and base rates, which say what ignorance is worth.

const GREATEST_IGNORANCE = 0.5; // for an answer, and for "torn"
const LEAST_CONTRADICTION = 0.5; // for "torn"
const NO_CONTRADICTION = 2; // evidence, in log-odds, that makes half a contradiction if it cancels out
const GREATEST_LOG = 700; // whose exponential is finite
const ROUNDING = 1e-12; // smaller differences between degrees and their means count as none

const makeModel = (data) => (data.scheme === "profile" ? new ProfiledModel(data) : new Model(data));

class ProfiledModel extends Model {
  constructor(data) {
    super(data);
    this.isEvidence = true;
    this.isWithoutData = !sum(this.class_rows); // experts stated all rules
    this.logRates = this.base_rates.map(Math.log);
    this.asked = this.features.map((_, f) => f).filter((f) => this.asking[f].length);
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
    const rules = this.rules.map((_, index) => this.matchRule(index, positions, beliefs));
    return { positions, beliefs, rules };
  }

  matchRule(index, positions, beliefs) {
    const rule = this.rules[index];
    let degree = 1;
    for (const condition of rule.if) {
      degree *= membership(this.features[condition[0]], condition, positions[condition[0]]);
      if (degree === 0) break;
    }
    // Whether it would match more than neutral if missing values were as it asks.
    const isOpen = degree > rule.neutral && rule.if.some((condition) =>
      isUnknown(this.features[condition[0]], condition, positions[condition[0]]));
    const { missing, believed } = conditionsOnMissing(rule, beliefs);
    const known = degree; // to which the known values alone match
    if (missing >= 0) degree *= Math.min(1, rule.dependence * believed);
    const shift = Math.abs(degree - rule.neutral) < ROUNDING ? 0 : degree - rule.neutral;
    return { rule, index, degree, known, isOpen, believed: 1, shift };
  }

  // What the rules say together: what they add to the score of each class, and to the class that
  // each favours least.
  pool(matched) {
    const added = new Array(this.nClasses).fill(0);
    let least = 0;
    for (const { rule, shift } of matched.rules) {
      for (let c = 0; c < this.nClasses; ++c) added[c] += shift * rule.profile[c];
      least += shift > 0 ? shift * rule.lowest : shift * (rule.lowest + rule.logOdds);
    }
    const { contradiction, moderation } = this.compare(matched, added);
    return { added: added.map((score) => score * moderation), least: least * moderation,
      contradiction, moderation };
  }

  // Compares the most probable class with the next. Contradiction is the share of the evidence between
  // them that cancels out. What missing values leave open moderates all evidence: it counts less than
  // once.
  compare(matched, added) {
    if (this.nClasses < 2) return { contradiction: 0, moderation: 1 };
    const [first, next] = byAmount(this.whole(added));
    let total = 0, size = 0, variance = 0;
    for (const { rule, shift, degree, known } of matched.rules) {
      const lead = rule.profile[first] - rule.profile[next];
      total += shift * lead;
      size += Math.abs(shift * lead);
      variance += degree * (known - degree) * lead ** 2;
    }
    return {
      contradiction: Math.max(0, (size - Math.abs(total)) / (size + NO_CONTRADICTION)),
      moderation: this.moderates ? 1 / Math.sqrt(1 + (Math.PI / 8) * Math.max(variance, 0)) : 1,
    };
  }

  // Logarithms of the base rates, and what rules add to them.
  whole(added) {
    return added.map((score, c) => this.logRates[c] + score);
  }

  // Belief and ignorance by the rules alone, without novelty.
  massesOf({ added, least }) {
    const top = added[argmax(this.whole(added))];
    // Base rates as they are, and not from logarithms: without evidence, probabilities are they.
    const odds = this.base_rates.map((rate, c) =>
      rate * Math.exp(Math.min(added[c] - top, GREATEST_LOG)));
    const total = sum(odds) / sum(this.base_rates);
    const ignorance = Math.min(Math.exp(least - top) / total, 1);
    const mass = odds.map((value, c) => Math.max(0, value / total - this.base_rates[c] * ignorance));
    return { mass, ignorance };
  }

  // Probabilities: belief and, of the ignorance, as much as the base rate says.
  projected(mass, ignorance) {
    return mass.map((value, c) => value + this.base_rates[c] * ignorance);
  }

  // What the evidence about a record amounts to: belief and probabilities after novelty, and the verdict.
  weigh(record, matched = this.match(record)) {
    const pooled = this.pool(matched);
    const { mass, ignorance } = this.massesOf(pooled);
    const result = {
      matched, scores: this.whole(pooled.added), weak: ignorance, novelty: null, parts: null, mass, ignorance,
      contradiction: pooled.contradiction, moderation: pooled.moderation,
      nMissing: this.asked.filter((f) => Number.isNaN(matched.positions[f])).length,
    };
    if (this.support) {
      result.parts = this.support.parts(record);
      result.novelty = this.support.novelty(result.parts);
      const taken = result.novelty ** 2, kept = 1 - taken;
      result.mass = result.mass.map((mass) => mass * kept);
      result.ignorance = taken + kept * result.weak;
    }
    result.probability = this.projected(result.mass, result.ignorance);
    result.best = argmax(result.probability);
    return { ...result, ...judge(result, this.answer_threshold) };
  }

  // Everything that the model says of a record.
  evaluate(record) {
    const result = { ...this.weigh(record), tied: [], reasons: [], outside: [] };
    if (this.support) {
      result.reasons = this.support.reasons(record, result.parts);
      result.outside = this.support.outsideOf(record);
    }
    return result;
  }

  // The class that is the answer alone, or that there is none.
  outcome(record, matched = this.match(record)) {
    const { mass, ignorance } = this.massesOf(this.pool(matched));
    if (ignorance > GREATEST_IGNORANCE) return NO_ANSWER; // novelty adds to it
    const taken = this.support ? this.support.novelty(this.support.parts(record)) ** 2 : 0, kept = 1 - taken;
    const left = taken + kept * ignorance;
    const probability = this.projected(mass.map((m) => m * kept), left), best = argmax(probability);
    return left <= GREATEST_IGNORANCE && probability[best] >= this.answer_threshold ? best : NO_ANSWER;
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
