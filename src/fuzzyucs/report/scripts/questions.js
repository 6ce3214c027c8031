"use strict";
// Questions: which missing value is expected to tell most about the class, as the library computes it.

const QUESTION_DIGITS = 1e10; // of what questions tell; smaller differences are due to rounding

// The missing values that could change what rules say: those that a rule asks for, and those that tell
// something about such a value. `isOpen` tells which values may be asked for.
function askableFeatures(model, positions, isOpen) {
  const isMissing = (f) => Number.isNaN(positions[f]) && model.features[f].believed && model.forest.n_terms[f] > 0;
  const isWanted = (f) => isMissing(f) && model.asking[f].length > 0;
  return model.features.map((_, f) => f).filter((f) => isOpen(f) && isMissing(f) &&
    (isWanted(f) || model.forest.neighbours(f).some(isWanted)));
}

// In bits.
const entropy = (probability) => -sum(probability.map((p) => (p > 0 ? p * Math.log2(p) : 0)));

// A question about one feature: what may be replied, how probable that is, what the model would say then,
// and how many bits the value is expected to tell about the class. Replies have a text and a value for
// each term.
function questionAbout(model, record, f, matched, replies) {
  const { belief } = matched.beliefs.get(f), change = changing(model, record, f, matched);
  const after = replies.map(([text, value], t) => {
    const { probability, best, ignorance, mass, verdict, reason } = model.weigh(...change(value));
    return { text, value, share: belief[t], probability, best, ignorance, mass, verdict, reason };
  });
  const mean = model.classes.map((_, c) => sum(after.map(({ share, probability }) => share * probability[c])));
  const left = sum(after.map(({ share, probability }) => share * entropy(probability)));
  return { feature: f, bits: entropy(mean) - left, replies: after };
}

// Orders questions: what tells most per price first.
function rankQuestions(questions, priceOf = () => 1) {
  const worth = ({ feature, bits }) => Math.round((bits > 0 ? bits / priceOf(feature) : bits) * QUESTION_DIGITS);
  return questions.slice().sort((a, b) => worth(b) - worth(a) || a.feature - b.feature);
}
