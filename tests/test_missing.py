"""Beliefs about missing values: native inference against sums by hand."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split

from fuzzyucs import EvidentialRuleClassifier, FuzzyUCSClassifier
from fuzzyucs.variables.linguistic import LinguisticPartition

X, Y = load_wine(return_X_y=True)
RNG = np.random.default_rng(0)
HOLES = np.where(RNG.random(X.shape) < 0.4, np.nan, X)
HOLES[0] = np.nan


def degrees_by_hand(clf, rows):
    """Memberships of conditions; a missing value has the forest's belief about its terms.

    Conditions of a rule with a profile hold together more often than by chance, or less often: as
    often as they do without any value, where the whole rule has its mean.
    """
    rules, variables = clf.rules_, clf.rules_.variables
    positions = variables.positions(rows)
    degrees = np.ones((len(rows), len(rules)))
    believed, by_chance = np.ones_like(degrees), np.ones(len(rules))
    is_open = np.zeros(degrees.shape, bool)
    for feature in range(rows.shape[1]):
        n_terms = int(variables.n_terms[feature])
        accepted = rules.conditions[:, feature, None] >> np.arange(
            n_terms, dtype=np.uint64
        ) & np.uint64(1)
        mu = np.maximum(0, 1 - np.abs(positions[:, feature, None] - np.arange(n_terms)))
        missing = np.isnan(positions[:, feature])
        held = np.minimum(mu @ accepted.T, 1)
        held[missing] = 1
        degrees *= held
        if variables.is_believed is None or not variables.is_believed[feature]:
            continue
        belief = variables.forest.believe(positions, feature)[missing]
        believed[missing] *= np.minimum(belief @ accepted.T, 1)
        is_open |= missing[:, None] & rules.asks[:, feature]
        nothing = np.full((1, rows.shape[1]), np.nan)
        by_chance *= np.minimum(variables.forest.believe(nothing, feature)[0] @ accepted.T, 1)
    if isinstance(clf, EvidentialRuleClassifier):
        believed = np.where(is_open, np.minimum(believed * rules.neutral / by_chance, 1), 1)
    return degrees * believed


@pytest.mark.parametrize(
    "clf",
    [
        EvidentialRuleClassifier(random_state=0, penalty=0.5),
        EvidentialRuleClassifier(random_state=0, penalty=0.5, nominal_features=None, n_terms=11),
        FuzzyUCSClassifier(epochs=5, random_state=0, missing="belief", dont_care_rate=0.7),
        FuzzyUCSClassifier(epochs=5, random_state=0, missing="match", dont_care_rate=0.7),
    ],
)
def test_membership_of_missing_values(clf):
    clf = clone(clf).fit(X, Y)
    assert_allclose(clf.membership(HOLES), degrees_by_hand(clf, HOLES), rtol=1e-9, atol=1e-300)
    believed = clf.rules_.variables.is_believed
    assert believed is None if clf.missing == "match" else believed.all()


def test_all_decisions_go_by_these_degrees():
    clf = FuzzyUCSClassifier(epochs=5, random_state=0, missing="belief", dont_care_rate=0.7)
    clf.fit(X, Y)
    rules = clf.rules_[clf.rules_.experience > clf.inference_experience]
    degrees = clf.membership(HOLES)[:, clf.rules_.experience > clf.inference_experience]
    votes = (degrees * rules.fitness * rules.numerosity) @ np.eye(3)[rules.consequent]
    assert_array_equal(clf.set_params(inference="vote").predict(HOLES), votes.argmax(axis=1))
    winner = (degrees * rules.fitness).argmax(axis=1)
    swin = clf.set_params(inference="swin").predict(HOLES)
    assert_array_equal(swin, rules.consequent[winner])


def commonalities_by_hand(rules, rows, strength, ignorance, prior=None):
    """Commonalities of classes and Theta: rules that ask for the same missing value together."""
    variables = rules.variables
    forest = variables.forest
    positions = variables.positions(rows)
    first = np.cumsum([0, *forest.n_terms])
    beliefs = [forest.believe(positions, f) for f in range(rows.shape[1])]
    weights = np.column_stack([rules.weights + ignorance[:, None], ignorance])
    found = np.ones((len(rows), weights.shape[1]))
    for r, row in enumerate(positions):
        groups = {}
        for k, condition in enumerate(rules.conditions):
            asked = np.flatnonzero(rules.asks[k])
            missing = [f for f in asked if np.isnan(row[f])]
            held = {
                f: [t for t in range(variables.n_terms[f]) if condition[f] >> t & 1] for f in asked
            }
            mu = np.prod(
                [
                    min(1, sum(max(0, 1 - abs(row[f] - t)) for t in held[f]))
                    for f in asked
                    if f not in missing
                ]
            )
            factor = (1 - mu + mu * weights[k]) ** strength[k]
            if not missing:
                found[r] *= factor
                continue
            others = np.prod([beliefs[f][r, held[f]].sum() for f in missing[1:]])
            members = groups.setdefault(missing[0], [])
            members.append((held[missing[0]], 1 - others + others * factor))
        for f, members in groups.items():
            belief = beliefs[f][r]
            given = np.ones((len(belief), weights.shape[1]))
            for terms, factor in members:
                given[terms] *= factor
            theta = given[:, -1:]
            if prior is None:
                total = np.maximum(given[:, :-1] - theta, 0).sum(axis=1) + theta[:, 0]
            else:
                total = given[:, :-1] @ prior
            given /= total[:, None]
            pi = forest.marginal[first[f] : first[f + 1]]
            vague = min(1, (belief @ np.log(belief)) / (pi @ np.log(pi))) if prior is None else 0
            found[r] *= vague + (1 - vague) * (belief @ given)
    return found


def masses_of(q):
    mass = np.maximum(q[:, :-1] - q[:, -1:], 0)
    total = mass.sum(axis=1) + q[:, -1]
    return mass / total[:, None], q[:, -1] / total, np.log(total)


def test_micro_rules_combine_as_far_as_missing_values_are_known():
    clf = FuzzyUCSClassifier(epochs=5, random_state=0, missing="belief", dont_care_rate=0.7)
    clf.fit(X, Y)
    rules = clf.rules_[clf.rules_.experience > clf.inference_experience]
    rows = HOLES[:30]
    q = commonalities_by_hand(rules, rows, rules.numerosity, np.zeros(len(rules)))
    mass, ignorance, log_agreement = masses_of(q)
    evidence = clf.predict_evidence(rows)
    assert_allclose(evidence.mass, mass, rtol=1e-9, atol=1e-12)
    assert_allclose(evidence.ignorance, ignorance, rtol=1e-9, atol=1e-12)
    assert_allclose(evidence.log_agreement, np.minimum(log_agreement, 0), rtol=1e-9, atol=1e-12)
    assert evidence.ignorance[0] == pytest.approx(1)  # nothing is known of the first
    assert_array_equal(clf.predict(rows)[1:], mass[1:].argmax(axis=1))


def test_weighted_rules_combine_as_far_as_missing_values_are_known():
    clf = FuzzyUCSClassifier(epochs=5, random_state=0, inference="weighted", missing="belief")
    clf.fit(X, Y)
    rules = clf.weighted_rules_
    of_rules = rules.doubt / (rules.experience + rules.doubt)
    q = commonalities_by_hand(rules, HOLES, rules.strength, of_rules)
    mass, ignorance, _ = masses_of(q)
    evidence = clf.predict_evidence(HOLES)
    assert_allclose(evidence.mass, mass, rtol=1e-9, atol=1e-12)
    assert_allclose(evidence.ignorance, ignorance, rtol=1e-9, atol=1e-12)
    assert evidence.ignorance[0] == pytest.approx(1)
    # Probabilities take the mean over what the values may be.
    shares = np.exp(rules.prior) / np.exp(rules.prior).sum()
    q = commonalities_by_hand(rules, HOLES, rules.strength, of_rules, shares)
    odds = q[:, :-1] * shares
    assert_allclose(clf.predict_proba(HOLES), odds / odds.sum(axis=1, keepdims=True), rtol=1e-9)


COMBINATIONS = ["yager", "dubois-prade", "cautious", "average"]


@pytest.mark.parametrize("combination", COMBINATIONS)
def test_other_combinations_discount_evidence_that_depends_on_missing_values(combination):
    options = {"epochs": 5, "random_state": 0, "inference": "weighted"}
    empty = np.full((1, X.shape[1]), np.nan)
    found = {}
    for missing in ("belief", "match"):
        clf = FuzzyUCSClassifier(missing=missing, **options).fit(X, Y)
        found[missing] = [clf.predict_evidence(z, combination=combination) for z in (empty, X)]
    assert found["belief"][0].conflict < found["match"][0].conflict
    assert_array_equal(found["belief"][1].mass, found["match"][1].mass)


@pytest.mark.parametrize("combination", COMBINATIONS)
def test_by_other_combinations_an_empty_record_is_unknown_too(combination):
    clf = EvidentialRuleClassifier(random_state=0, penalty=1.0).fit(X, Y)
    empty = clf.predict_evidence(np.full((1, X.shape[1]), np.nan), combination=combination)
    assert empty.ignorance[0] == pytest.approx(1)
    assert_allclose(empty.probability[0], clf.base_rates_)


def test_features_that_were_often_missing():
    """Evolved rules keep matching them; the flagship expects what is usual in any case."""
    table = X.copy()
    table[::20, 0] = np.nan  # 5 %
    table[0, 1] = np.nan  # less than 1 %
    evolved = FuzzyUCSClassifier(epochs=5, random_state=0, missing="belief").fit(table, Y)
    assert_array_equal(evolved.rules_.variables.is_believed[:3], [False, True, True])
    clf = EvidentialRuleClassifier(random_state=0, penalty=0.5).fit(table, Y)
    assert clf.rules_.variables.is_believed.all()
    for model in (evolved, clf):
        expected = degrees_by_hand(model, HOLES)
        assert_allclose(model.membership(HOLES), expected, rtol=1e-9, atol=1e-300)


def test_emptier_records_leave_more_undecided():
    train, test, y_train, _ = train_test_split(X, Y, random_state=0, test_size=0.4)
    clf = EvidentialRuleClassifier(random_state=0).fit(train, y_train)
    found = []
    for share in (0.0, 0.3, 0.6, 1.0):
        holes = np.where(RNG.random(test.shape) < share, np.nan, test)
        evidence = clf.predict_evidence(holes)
        found.append(evidence.weak_evidence.mean())
    assert (np.diff(found) > 0).all(), found
    # Of an empty record the model is sure of nothing, and the greatest class is the best guess.
    nothing = clf.predict_proba(np.full((1, X.shape[1]), np.nan))[0]
    assert nothing.argmax() == np.bincount(y_train).argmax()
    assert nothing.max() < 0.8


def test_a_missing_marker_is_not_taken_for_health():
    rng = np.random.default_rng(1)
    marker, age = rng.normal(size=500), rng.integers(20, 90, 500)
    rows = np.column_stack([marker, age])
    y = np.where(marker > 1, "ill", "well")
    clf = EvidentialRuleClassifier(random_state=0).fit(rows, y)
    ill = clf.predict_proba([[np.nan, 50.0]])[0, 0]
    assert ill == pytest.approx(np.mean(y == "ill"), abs=0.1)
    mean = EvidentialRuleClassifier(random_state=0, missing="mean").fit(rows, y)
    assert_allclose(mean.predict_proba(rows), clf.predict_proba(rows))  # of complete rows


def test_unknown_values_of_features_taken_for_nominal_count_as_the_nearest():
    dose = np.tile([0.0, 5.0, 10.0, 20.0, 40.0], 40)[:, None]
    toxic = dose[:, 0] >= 20
    clf = EvidentialRuleClassifier(random_state=0).fit(dose, toxic)
    assert clf.rules_.variables.is_nominal.all()
    new = np.array([[30.5], [41.0], [100.0], [4.0], [-3.0], [14.0]])
    assert (clf.predict_evidence(new).novelty > 0.5).all()
    clf.set_params(support=None)  # what the rules say alone
    assert_array_equal(clf.predict(new), [True, True, True, False, False, False])
    told = EvidentialRuleClassifier(random_state=0, nominal_features=[0]).fit(dose, toxic)
    assert np.isnan(told.rules_.variables.positions(new)).all()


def test_a_partition_without_beliefs_has_none():
    partition = LinguisticPartition.uniform(X, 5, [f"x{i}" for i in range(13)])
    assert partition.forest is None
    assert partition.with_beliefs(X).forest is not None
