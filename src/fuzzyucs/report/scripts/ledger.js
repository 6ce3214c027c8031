"use strict";
// Ledger: what each rule that matches adds to the scores of the classes.

// Rules with conditions on missing values share one entry, because they are combined together.
function ledgerEntries(model, result) {
  if (model.scheme === "profile") return profileEntries(model, result);
  if (model.scheme === "swin") return winnerEntries(model, result.matched);
  if (model.scheme === "vote") {
    return result.matched.rules.map((entry) => ledgerEntry(entry, single(model.nClasses,
      entry.rule.class, entry.degree * entry.believed * entry.rule.fitness * entry.rule.strength)));
  }
  return evidenceEntries(model, result);
}

function ledgerEntry({ index, rule, degree }, amounts) {
  return { index, rule, degree, amounts };
}

function winnerEntries(model, matched) {
  const winner = model.winner(matched);
  if (!winner) return [];
  const vote = winner.degree * winner.believed * winner.rule.fitness;
  return [ledgerEntry(winner, single(model.nClasses, winner.rule.class, vote))];
}

function evidenceEntries(model, { matched, scores }) {
  const temperature = model.temperature === null ? 1 : model.temperature;
  const others = { index: null, rule: null, degree: null };
  const found = matched.rules.filter((entry) => entry.missing < 0).map((entry) => ledgerEntry(entry,
    model.logs(entry.rule, entry.degree).slice(0, model.nClasses).map((log) => log / temperature)));
  const nOnMissing = matched.rules.filter((entry) => entry.missing >= 0).length;
  if (nOnMissing) {
    const amounts = scores.map((score, c) => {
      const own = score / temperature - (model.prior ? model.prior[c] : 0);
      const known = sum(found.map((entry) => entry.amounts[c]));
      return known === -Infinity ? 0 : own - known;
    });
    found.push({ ...others, amounts, nOnMissing });
  }
  if (model.prior) found.push({ ...others, amounts: model.prior, isPrior: true });
  return found;
}

// The base rates, and what each rule adds to them; on what its word rests is its kind. What missing
// values leave open moderates what every rule says.
function profileEntries(model, { matched, moderation }) {
  const found = [{ index: null, rule: null, degree: null, kind: "base rates", amounts: model.logRates }];
  for (const { rule, index, degree, known, shift, isOpen } of matched.rules) {
    const amounts = rule.profile.map((entry) => moderation * shift * entry);
    const absent = rule.expert ? "no match" : "matches less";
    const kind = isOpen ? "unknown" : shift > 0 ? "matches more" : absent;
    const fails = known < HALF ** rule.if.length; // a condition, to less than one half; else all may hold
    found.push({ index, rule, degree, kind, amounts, isMore: shift > 0, fails, moderation });
  }
  return found;
}

// The class that comes next after the predicted one.
function rivalOf(model, { scores, probability, best }) {
  const compared = model.scheme === "profile" ? probability : scores;
  const others = compared.map((score, c) => (c === best ? -Infinity : score));
  if (others.every((score) => score === -Infinity)) return best === 0 ? 1 : 0;
  return argmax(others);
}

// What an entry adds to the lead of the predicted class over the next one.
function contribution(entry, best, rival) {
  const own = entry.amounts[best], other = entry.amounts[rival];
  return own === other ? 0 : own - other;
}
