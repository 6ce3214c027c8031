"use strict";
// Scoring: what a model says of a record, computed as the library computes it. A record is an array
// with a number for each feature, NaN where a value is missing.

class Model {
  constructor(data) {
    Object.assign(this, data);
    this.forest = data.forest && new Forest(data.forest);
    this.support = data.support && new Support(data.support);
    for (const rule of this.rules.filter(({ profile }) => !profile)) {
      const { ignorance } = rule; // mass that it leaves on "don't know"
      // Commonality of each class, and last of "don't know", if the rule matches fully.
      rule.factors = [...rule.weights.map((weight) => weight + ignorance), ignorance];
    }
    this.nClasses = this.classes.length;
    // The conditions on each feature, by the indices of the rule and of the condition.
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

  // Beliefs about the terms of missing values, by feature.
  beliefs(positions) {
    const found = new Map();
    if (!this.forest) return found;
    if (this.views) {
      const places = this.views.map((view) => locate(view, positions[view.feature]));
      this.views.forEach((view, v) => {
        if (view.believed && Number.isNaN(places[v])) found.set(v, this.forest.believe(places, v));
      });
      return found;
    }
    this.features.forEach((feature, f) => {
      if (feature.believed && Number.isNaN(positions[f])) {
        found.set(f, this.forest.believe(positions, f));
      }
    });
    return found;
  }

  // Logarithms of the commonalities of one rule.
  logs(rule, degree) {
    return rule.factors.map((factor) =>
      rule.strength * Math.log((1 - degree) + degree * factor));
  }

  // Matches a record: the rules that match, with their degrees and conditions on missing values.
  match(record) {
    const positions = this.positions(record);
    const beliefs = this.beliefs(positions);
    const rules = [];
    this.rules.forEach((rule, index) => {
      let degree = 1;
      for (const condition of rule.if) {
        degree *= membership(this.features[condition[0]], condition, positions[condition[0]]);
        if (degree === 0) return;
      }
      rules.push({ rule, index, degree, ...conditionsOnMissing(rule, beliefs) });
    });
    return { positions, beliefs, rules };
  }

  // Logarithms of the commonalities of the classes and of "don't know". Rules with a condition on
  // the same missing value are combined for each term that it may have, and averaged.
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
      const means = this.meanCommonalities(group, belief, prior);
      means.forEach((mean, c) => { total[c] += Math.log(discount + (1 - discount) * mean); });
    }
    return total;
  }

  // Normalised commonalities of a group of rules, averaged over the terms of a missing value.
  meanCommonalities(group, belief, prior) {
    const n = this.nClasses;
    const means = new Array(n + 1).fill(0);
    belief.forEach((probability, t) => {
      const logs = new Array(n + 1).fill(0);
      for (const entry of group) {
        if (!accepts(entry.accepted, t)) continue;
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
    return means;
  }

  votes(matched) {
    const votes = new Array(this.nClasses).fill(0);
    for (const { rule, degree, believed } of matched.rules) {
      votes[rule.class] += degree * believed * rule.fitness * rule.strength;
    }
    return votes;
  }

  // The rule that decides alone, or null if no rule matches.
  winner(matched) {
    const byIndex = new Map(matched.rules.map((entry) => [entry.index, entry]));
    let best = -Infinity, tied = [];
    for (const index of this.order) {
      const entry = byIndex.get(index);
      if (!entry) continue;
      const vote = entry.degree * entry.believed * entry.rule.fitness;
      if (vote < best) continue;
      if (vote > best) tied = [];
      best = vote;
      if (!tied.some((other) => other.rule.class === entry.rule.class)) tied.push(entry);
    }
    if (!tied.length) return null;
    return tied.length === 1 ? tied[0] : tied[drawOf(this.seed, matched.positions, tied.length)];
  }

  // The predicted class; a tie between classes is resolved by a draw.
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

  // The score of each class; the greatest decides.
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

  // Belief masses by the rules alone, without novelty.
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

  // Everything that the model says of a record.
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
}

// What a rule asks of missing values: the first such feature with the terms that are accepted, the
// belief that the other conditions hold, and the belief that all of them do.
function conditionsOnMissing(rule, beliefs) {
  let missing = -1, accepted = "", belief = 1, believed = 1;
  for (const condition of rule.if) {
    const value = beliefs.get(viewOf(condition));
    if (!value) continue;
    let part = 0;
    value.belief.forEach((p, t) => { if (accepts(condition[1], t)) part += p; });
    part = Math.min(part, 1);
    believed *= part;
    if (missing >= 0) belief *= part;
    else [missing, accepted] = [condition[0], condition[1]];
  }
  return { missing, accepted, belief, believed };
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

// What to subtract from logarithms of commonalities to normalise them: by Dempster's rule, or by
// their expectation under the prior. Null if no class is possible.
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
  return greatest + Math.log(Math.max(total, SMALLEST));
}
