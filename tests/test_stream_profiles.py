"""Profiles of StreamClassifier, which lie in the slots of its rules."""

import pickle

from river.datasets import synth

from fuzzyucs.streams import StreamClassifier


def test_profiles_stay_with_their_rules_when_gaps_are_closed():
    examples = list(synth.RandomRBFDrift(seed_model=1, seed_sample=1).take(9000))
    # Rules come and go so fast that slots are moved several times in both halves; a model that was
    # kept in between has no gaps and moves others.
    model = StreamClassifier(seed=1, population_size=300)
    for x, y in examples[:6000]:
        model.learn_one(x, y)
    kept = pickle.loads(pickle.dumps(model))
    for x, y in examples[6000:]:
        assert model.predict_proba_one(x) == kept.predict_proba_one(x)
        model.learn_one(x, y)
        kept.learn_one(x, y)
