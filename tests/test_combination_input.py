"""Rules of combination: what they refuse, and rules of classifiers as sources."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_wine

from fuzzyucs import EvidentialRuleClassifier, FuzzyUCSClassifier
from fuzzyucs.evidence.combination import RULES, combine


def test_the_arguments_are_left_alone():
    masses, count = np.array([[0.5, 0.5 + 1e-10], [0.1, 0.2]]), np.array([1, 0])
    before = masses.copy(), count.copy()
    for rule in RULES:
        combine(masses, rule=rule, count=count)
    np.testing.assert_array_equal(masses, before[0])
    np.testing.assert_array_equal(count, before[1])


@pytest.mark.parametrize(
    ("masses", "options", "message"),
    [
        ([0.5, 0.5], {}, "mass must have the shape"),
        (np.zeros((1, 1, 1, 2)), {}, "mass must have the shape"),
        (np.zeros((2, 0)), {}, "at least one class"),
        ([["a", "b"]], {}, "mass must be an array of numbers"),
        ([[0.1, 0.2], [0.3]], {}, "mass must be an array of numbers"),
        ([[0.5, np.nan]], {}, "mass must hold finite numbers"),
        ([[0.5, np.inf]], {}, "mass must hold finite numbers"),
        ([[0.5, -0.1]], {}, "not negative"),
        ([[0.5, 0.5 + 2e-9]], {}, "mass of a source must sum to 1"),
        ([[0.5, 0.5]], {"count": [1, 1]}, r"count must have the shape \(n_sources,\) = \(1,\)"),
        ([[0.5, 0.5]], {"count": 1}, "count must have the shape"),
        ([[0.5, 0.5]], {"count": [[1], [1]]}, "count must have the shape"),
        ([[0.5, 0.5]], {"count": ["a"]}, "count must be an array of numbers"),
        ([[0.5, 0.5]], {"count": [0.5]}, "count must hold whole numbers"),
        ([[0.5, 0.5]], {"count": [-1]}, "count must hold whole numbers"),
        ([[0.5, 0.5]], {"count": [np.nan]}, "count must hold whole numbers"),
        ([[0.5, 0.5]], {"rule": "smets"}, "rule must be one of dempster, .*, got 'smets'"),
        ([[0.5, 0.5]], {"temperature": 0}, "temperature must be a positive number"),
        ([[0.5, 0.5]], {"temperature": -1.0}, "temperature must be a positive number"),
        ([[0.5, 0.5]], {"temperature": np.nan}, "temperature must be a positive number"),
        ([[0.5, 0.5]], {"temperature": np.inf}, "temperature must be a positive number"),
        ([[0.5, 0.5]], {"temperature": 2, "rule": "yager"}, "temperature is for .* got .*yager"),
        ([[0.5, 0.5]], {"classes": ["a"]}, "classes must have a label"),
        ([[0.5, 0.5]], {"classes": [["a", "b"]]}, "classes must have a label"),
    ],
)
def test_what_makes_no_sense_is_refused(masses, options, message):
    with pytest.raises(ValueError, match=message):
        combine(masses, **options)


# Rules of our classifiers as sources


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("kind", ["evolved", "weighted"])
def test_classifiers_combine_the_rules_that_match(kind, rule):
    X, y = load_wine(return_X_y=True)
    if kind == "evolved":
        clf = FuzzyUCSClassifier(epochs=3, random_state=0).fit(X, y)
        rules = clf.rules_[clf.rules_.experience > clf.inference_experience]
    else:
        clf = FuzzyUCSClassifier(epochs=3, random_state=0, inference="weighted").fit(X, y)
        rules = clf.weighted_rules_
    found = clf.predict_evidence(X[::10], combination=rule)
    for row, x in enumerate(X[::10]):
        degrees = rules.freeze().membership(rules.variables.positions(x[np.newaxis]))
        matching = np.flatnonzero(degrees[0])
        mu, matched = degrees[0, matching, np.newaxis], rules[matching]
        mass, count = mu * matched.weights, matched.numerosity
        if kind == "weighted":
            # Rule k counts w times: its commonalities to the power w, normalised.
            doubt = (rules.doubt / (matched.experience + rules.doubt))[:, np.newaxis]
            power = matched.strength[:, np.newaxis]
            theta = (1 - mu + mu * doubt) ** power
            mass = (1 - mu + mu * (matched.weights + doubt)) ** power - theta
            mass /= mass.sum(axis=1, keepdims=True) + theta
        expected = combine(mass, count=count, rule=rule)
        assert_allclose(found.mass[row], expected.mass[0], rtol=1e-9, atol=1e-12)
        assert_allclose(found.ignorance[row], expected.ignorance[0], rtol=1e-9, atol=1e-12)
        if expected.set_mass is not None:
            assert_allclose(found.set_mass[row], expected.set_mass[0], atol=1e-12)
    if kind == "weighted":
        odds = found.plausibility * np.exp(rules.prior)
        assert_allclose(found.posterior, odds / odds.sum(axis=1, keepdims=True), rtol=1e-9)
        assert_array_equal(found.decide(), clf.classes_[odds.argmax(axis=1)])


@pytest.mark.parametrize("rule", RULES)
def test_rules_with_profiles_combine_with_base_rates(rule):
    X, y = load_wine(return_X_y=True)
    clf = EvidentialRuleClassifier(random_state=0, penalty=1.0, support=None).fit(X, y)
    rules = clf.rules_
    found = clf.predict_evidence(X[::10], combination=rule)
    shift = clf.membership(X[::10]) - rules.neutral
    for row in range(len(shift)):
        q = np.exp(shift[row][:, np.newaxis] * rules.profile)
        theta = q.min(axis=1, keepdims=True)
        mass = (q - theta) / ((q - theta).sum(axis=1, keepdims=True) + theta)
        expected = combine(mass, rule=rule)
        if rule == "dempster":  # base rates are part of the normalisation
            odds = clf.base_rates_ * (q / q.max(axis=1, keepdims=True)).prod(axis=0)
            assert_allclose(found.probability[row], odds / odds.sum(), rtol=1e-9, atol=1e-12)
            continue
        assert_allclose(found.mass[row], expected.mass[0], rtol=1e-9, atol=1e-12)
        assert_allclose(found.ignorance[row], expected.ignorance[0], rtol=1e-9, atol=1e-12)
    assert_array_equal(found.base_rates, clf.base_rates_)
    assert_array_equal(found.decide(), clf.classes_[found.probability.argmax(axis=1)])


def test_an_unknown_combination_is_named():
    X, y = load_wine(return_X_y=True)
    clf = EvidentialRuleClassifier(random_state=0, penalty=3.0).fit(X, y)
    with pytest.raises(ValueError, match=r"combination must be one of .*'yager'.* got 'yagger'"):
        clf.predict_evidence(X, combination="yagger")


@pytest.mark.parametrize("rule", RULES)
def test_sources_whose_commonalities_all_vanish(rule):
    X, y = load_wine(return_X_y=True)
    clf = FuzzyUCSClassifier(epochs=2, random_state=0, inference="weighted").fit(X, y)
    rules = clf.weighted_rules_
    strong = clf.with_rules(replace(rules, strength=rules.strength * 1e4))
    evidence = strong.predict_evidence(X, combination=rule)
    total = evidence.mass.sum(axis=1) + evidence.ignorance
    if evidence.set_mass is not None:
        total += evidence.set_mass.sum(axis=1)
    assert_allclose(total, 1, atol=1e-9)
    assert evidence.mass.max() > 0.99


def test_a_rule_without_strength_is_no_source():
    X, y = load_wine(return_X_y=True)
    clf = FuzzyUCSClassifier(epochs=2, random_state=0, inference="weighted").fit(X, y)
    rules = clf.weighted_rules_
    silent = clf.with_rules(replace(rules, strength=rules.strength * 0))
    with np.errstate(all="raise"):
        evidence = silent.predict_evidence(X, combination="yager")
    assert_allclose(evidence.ignorance, 1, atol=1e-12)
