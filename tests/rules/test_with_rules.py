"""Classifiers that decide by edited rules."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from fuzzyucs import (
    FuzzyUCSClassifier,
    UCSClassifier,
)
from rule_models import NAMES, X, Y, doubled


def test_with_rules_decides_by_them_and_leaves_the_original_alone(clf):
    before = clf.predict_proba(X)
    name = "weighted_rules_" if hasattr(clf, "weighted_rules_") else "rules_"
    fewer = getattr(clf, name)[::2]
    copy = clf.with_rules(fewer)
    assert getattr(copy, name) is fewer
    assert getattr(clf, name) is not fewer
    assert type(copy) is type(clf)
    assert copy.get_params() == clf.get_params()
    assert np.abs(copy.predict_proba(X) - before).max() > 1e-6
    assert_array_equal(clf.predict_proba(X), before)
    assert_array_equal(clf.with_rules(getattr(clf, name)).predict_proba(X), before)
    loaded = pickle.loads(pickle.dumps(getattr(clf, name)))
    assert_array_equal(clf.with_rules(loaded).predict_proba(X), before)


def test_editing_and_assessing_can_be_scored(clf):
    name = "weighted_rules_" if hasattr(clf, "weighted_rules_") else "rules_"
    wish = (3.0, None) if name == "rules_" and isinstance(clf, UCSClassifier) else None
    edited = getattr(clf, name).edit(0, {"size": wish}).assess(X, Y)
    assert clf.with_rules(edited).score(X, Y) > 0.5
    assert clf.with_rules(edited).predict_evidence(X).mass.shape == (150, 3)


def test_rules_that_do_not_fit_are_refused(models):
    fuzzy, ucs, weighted = models["fuzzy"], models["ucs"], models["weighted"]
    with pytest.raises(TypeError, match="must be of type EvolvedRuleSet, got WeightedRuleSet"):
        fuzzy.with_rules(weighted.weighted_rules_)
    with pytest.raises(TypeError, match="must be of type WeightedRuleSet, got EvolvedRuleSet"):
        weighted.with_rules(weighted.rules_)
    with pytest.raises(TypeError, match="got list"):
        fuzzy.with_rules([])
    with pytest.raises(ValueError, match="rules must be about the features of this classifier"):
        fuzzy.with_rules(ucs.rules_)
    with pytest.raises(TypeError, match="must be of type WeightedRuleSet, got ProfiledRuleSet"):
        weighted.with_rules(models["evidential"].rules_)
    with pytest.raises(ValueError, match="with the same ranges and terms"):
        fuzzy.with_rules(FuzzyUCSClassifier(epochs=1, n_terms=3).fit(X, Y).rules_)
    with pytest.raises(ValueError, match="rules must have the classes"):
        fuzzy.with_rules(replace(fuzzy.rules_, classes=np.array(["a", "b", "c"])))
    with pytest.raises(ValueError, match="not fitted"):
        FuzzyUCSClassifier().with_rules(fuzzy.rules_)


def test_training_goes_on_from_edited_rules(models):
    for kind in ("fuzzy", "ucs"):
        clf = models[kind]
        edited = doubled(clf.rules_[:20]).edit(0, dict.fromkeys(NAMES)).assess(X, Y)
        copy = clf.with_rules(edited)
        before = clf.rules_.to_text()
        copy.partial_fit(X, Y)
        assert copy.score(X, Y) > 0.5
        assert clf.rules_.to_text() == before
        assert copy.rules_.experience.max() > edited.experience.max()  # it learns on
    copy = models["weighted"].with_rules(models["weighted"].weighted_rules_[:2])
    assert len(copy.partial_fit(X, Y).weighted_rules_) > 2
    copy = models["evidential"].with_rules(models["evidential"].rules_[:3])
    with pytest.raises(ValueError, match="partial_fit cannot go on"):
        copy.partial_fit(X, Y)
