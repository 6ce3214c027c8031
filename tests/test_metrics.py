"""Metrics of uncertainty, compared with plain transcriptions of their definitions."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import calibration_curve
from sklearn.datasets import load_iris
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from fuzzyucs import Evidence, EvidentialRuleClassifier
from fuzzyucs.metrics import (
    area_under_risk_coverage,
    calibration_error,
    confidence_of,
    error_rejection_curve,
    neg_calibration_error_scorer,
    neg_risk_coverage_scorer,
    reliability_curve,
    risk_coverage_curve,
    u65_score,
    u65_scorer,
    u80_score,
    u80_scorer,
    utility_discounted_accuracy,
)

thorough = settings(derandomize=True, deadline=None, max_examples=60)


class Witness(ClassifierMixin, BaseEstimator):
    """A naive Bayes classifier that gives evidence, a tenth of it as ignorance."""

    def fit(self, X, y):
        self.inside_ = GaussianNB().fit(X, y)
        self.classes_ = self.inside_.classes_
        return self

    def predict(self, X):
        return self.inside_.predict(X)

    def predict_evidence(self, X):
        mass = self.inside_.predict_proba(X) * 0.9
        return Evidence(self.classes_, mass, np.full(len(mass), 0.1), np.zeros(len(mass)))


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


@st.composite
def predictions(draw, max_rows=30):
    """Labels, predictions and confidence, with many ties."""
    n = draw(st.integers(1, max_rows))
    rows = st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 5))
    truth, named, sure = np.array(draw(st.lists(rows, min_size=n, max_size=n))).T
    return truth, named, sure / 5


# Confidence


def test_confidence_is_the_greatest_probability(iris):
    clf = LogisticRegression(max_iter=1000).fit(*iris)
    assert_array_equal(confidence_of(clf, iris[0]), clf.predict_proba(iris[0]).max(axis=1))


def test_confidence_of_evidence_goes_first(iris):
    X, y = iris
    expected = GaussianNB().fit(X, y).predict_proba(X).max(axis=1) * 0.9 + 0.1 / 3
    assert_allclose(confidence_of(Witness().fit(X, y), X), expected)


@pytest.mark.parametrize(
    "wrap",
    [
        lambda clf: make_pipeline(StandardScaler(), clf),
        lambda clf: Pipeline([("only", clf)]),
        lambda clf: make_pipeline(StandardScaler(), make_pipeline("passthrough", clf)),
        lambda clf: GridSearchCV(make_pipeline(StandardScaler(), clf), {}, cv=2),
        lambda clf: make_pipeline(StandardScaler(), GridSearchCV(clf, {}, cv=2)),
    ],
    ids=["pipeline", "one step", "nested", "search", "search inside"],
)
def test_evidence_is_found_inside_pipelines_and_searches(iris, wrap):
    X, y = iris
    expected = GaussianNB().fit(X, y).predict_proba(X).max(axis=1) * 0.9 + 0.1 / 3
    assert_allclose(confidence_of(wrap(Witness()).fit(X, y), X), expected, atol=1e-6)


def test_evidence_is_found_in_a_frozen_estimator(iris):
    clf = Witness().fit(*iris)
    assert_array_equal(confidence_of(FrozenEstimator(clf), iris[0]), confidence_of(clf, iris[0]))


def test_classifiers_without_confidence_are_refused(iris):
    for clf in (Perceptron(), make_pipeline(StandardScaler(), Perceptron())):
        with pytest.raises(TypeError, match=f"{type(clf).__name__} has neither"):
            confidence_of(clf.fit(*iris), iris[0])
    with pytest.raises(TypeError, match="Pipeline has neither"):
        confidence_of(Pipeline([]), iris[0])


def test_confidence_of_rules_is_that_of_their_evidence(iris):
    X, y = iris
    clf = EvidentialRuleClassifier(random_state=0).fit(X, y)
    assert_array_equal(confidence_of(clf, X), clf.predict_evidence(X).confidence)
    piped = make_pipeline(StandardScaler(), clf).fit(X, y)
    evidence = clf.predict_evidence(piped[:-1].transform(X))
    assert_array_equal(confidence_of(piped, X), evidence.confidence)


# Risk and coverage


def curve_by_definition(truth, named, sure, weight):
    points = []
    for threshold in sorted(set(sure[weight > 0]), reverse=True):
        accepted = (sure >= threshold) & (weight > 0)
        coverage = weight[accepted].sum() / weight.sum()
        risk = (weight * (truth != named))[accepted].sum() / weight[accepted].sum()
        points.append((coverage, risk, threshold))
    return np.array(points).T


@thorough
@given(predictions(), st.integers(0, 2**32 - 1))
def test_risk_coverage_curve_follows_its_definition(rows, seed):
    expected = curve_by_definition(*rows, np.ones(len(rows[0])))
    assert_allclose(risk_coverage_curve(*rows), expected)
    weight = np.random.default_rng(seed).integers(0, 4, len(rows[0])).astype(float)
    weight[0] = 1
    expected = curve_by_definition(*rows, weight)
    assert_allclose(risk_coverage_curve(*rows, sample_weight=weight), expected)


@thorough
@given(predictions())
def test_a_weight_counts_like_repeated_rows(rows):
    weight = np.arange(len(rows[0])) % 3 + 1
    repeated = [np.repeat(part, weight) for part in rows]
    actual = risk_coverage_curve(*rows, sample_weight=weight)
    assert_allclose(actual, risk_coverage_curve(*repeated))


def test_area_counts_ties_as_the_mean_over_all_orders():
    """Ties in every possible order, each taken as if it were a strict one."""
    rng = np.random.default_rng(0)
    for _ in range(10):
        sure = rng.integers(0, 3, 6)
        wrong = rng.integers(0, 2, 6)
        areas = []
        for order in permutations(range(6)):
            ranked = sorted(order, key=lambda i: -sure[i])  # stable: keeps the order of ties
            areas.append(np.mean([wrong[ranked[: k + 1]].mean() for k in range(6)]))
        assert area_under_risk_coverage(np.zeros(6), wrong, sure) == pytest.approx(np.mean(areas))


@thorough
@given(predictions(), st.randoms(use_true_random=False))
def test_neither_order_of_rows_nor_scale_of_confidence_matters(rows, random):
    order = random.sample(range(len(rows[0])), len(rows[0]))
    truth, named, sure = (part[order] for part in rows)
    coverage, risk, thresholds = risk_coverage_curve(*rows)
    area = area_under_risk_coverage(*rows)
    for same, distort in ((sure, np.array), (np.exp(3 * sure) - 7, lambda s: np.exp(3 * s) - 7)):
        actual = risk_coverage_curve(truth, named, same)
        assert_allclose(actual, (coverage, risk, distort(thresholds)))
        assert area_under_risk_coverage(truth, named, same) == pytest.approx(area)


@thorough
@given(predictions())
def test_ends_of_the_curve_and_bounds_of_the_area(rows):
    truth, named, sure = rows
    coverage, risk, _ = risk_coverage_curve(*rows)
    error = np.mean(truth != named)
    assert coverage[-1] == 1
    assert risk[-1] == pytest.approx(error)
    assert np.all(np.diff(coverage) > 0)
    best = area_under_risk_coverage(truth, named, truth == named)
    worst = area_under_risk_coverage(truth, named, truth != named)
    assert best - 1e-12 <= area_under_risk_coverage(*rows) <= worst + 1e-12
    assert area_under_risk_coverage(truth, named, 0 * sure) == pytest.approx(error)


@thorough
@given(predictions())
def test_rejection_is_the_complement_of_coverage(rows):
    coverage, risk, _ = risk_coverage_curve(*rows)
    rejection, error = error_rejection_curve(*rows)
    assert rejection[0] == 0
    assert_allclose(rejection[::-1] + coverage, 1)
    assert_array_equal(error[::-1], risk)


def test_labels_may_be_strings_of_any_kind():
    truth, named = ["a", "longer", "c"], ["a", "b", "c"]
    expected = risk_coverage_curve([0, 1, 2], [0, 0, 2], [3, 2, 1])
    for kind in (str, object):
        actual = risk_coverage_curve(np.array(truth, kind), np.array(named), [3, 2, 1])
        assert_array_equal(actual, expected)


def test_bad_predictions_are_refused():
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        risk_coverage_curve([0, 1], [0, 1], [0.5])
    with pytest.raises(ValueError, match="got NaN"):
        area_under_risk_coverage([0, 1], [0, 1], [0.5, np.nan])
    with pytest.raises(ValueError, match="got none"):
        area_under_risk_coverage([], [], [])
    with pytest.raises(ValueError, match="labels of the same type"):
        risk_coverage_curve(["0", "1"], [0, 1], [0.5, 0.5])
    for weight in ([1], [1, -1], [1, np.inf], [1, np.nan]):
        with pytest.raises(ValueError, match="a finite number from 0 on for each row"):
            risk_coverage_curve([0, 1], [0, 1], [1, 2], sample_weight=weight)
    with pytest.raises(ValueError, match="not be 0 everywhere"):
        risk_coverage_curve([0, 1], [0, 1], [1, 2], sample_weight=[0, 0])


# Sets of classes


@pytest.mark.parametrize(
    ("size", "u65", "u80"),
    [(1, 1.0, 1.0), (2, 0.65, 0.8), (3, -0.6 / 9 + 1.6 / 3, -1.2 / 9 + 2.2 / 3)],
)
def test_utility_of_a_set_with_the_truth(size, u65, u80):
    sets = np.arange(4)[np.newaxis] < size
    assert u65_score([0], sets, classes=range(4)) == pytest.approx(u65)
    assert u80_score([0], sets, classes=range(4)) == pytest.approx(u80)


def test_a_set_without_the_truth_is_worth_nothing():
    sets = np.array([[False, True, True], [False, False, False]])
    assert u65_score([0, 0], sets, classes=[0, 1, 2]) == 0
    assert u80_score([0, 0], sets, classes=[0, 1, 2]) == 0


@thorough
@given(st.integers(1, 20), st.integers(2, 5), st.integers(0, 2**32 - 1))
def test_utility_of_single_classes_is_accuracy(n, n_classes, seed):
    rng = np.random.default_rng(seed)
    classes = rng.permutation([f"class {i}" for i in range(n_classes)])  # not sorted
    truth, named = rng.integers(0, n_classes, (2, n))
    sets = np.arange(n_classes) == named[:, np.newaxis]
    for utility in ("u65", "u80"):
        score = utility_discounted_accuracy(classes[truth], sets, classes=classes, utility=utility)
        assert score == pytest.approx(np.mean(truth == named))


def test_bad_sets_are_refused():
    sets = np.ones((2, 2), bool)
    with pytest.raises(ValueError, match=r"\['u65', 'u80'\], got 'u50'"):
        utility_discounted_accuracy([0, 1], sets, classes=[0, 1], utility="u50")
    with pytest.raises(ValueError, match=r"not in classes: \[7\]"):
        u65_score([0, 7], sets, classes=[0, 1])
    with pytest.raises(ValueError, match="classes must be different"):
        u65_score([0, 0], sets, classes=[0, 0])
    with pytest.raises(ValueError, match="labels of the same type"):
        u65_score([0, 1], sets, classes=["0", "1"])
    for bad in (sets.astype(int), sets[:1], sets[:, :, np.newaxis]):
        with pytest.raises(ValueError, match=r"sets must hold bool in the shape .* = \(2, 2\)"):
            u65_score([0, 1], bad, classes=[0, 1])


# Calibration


def error_by_definition(right, confidence, borders, norm):
    """Bins with their right borders, as in Guo et al., 2017."""
    distances, shares = [], []
    for low, high in zip([-np.inf, *borders], [*borders, np.inf], strict=True):
        inside = np.array([low < value <= high for value in confidence.tolist()])
        if inside.any():
            distances.append(abs(right[inside].mean() - confidence[inside].mean()))
            shares.append(inside.mean())
    return max(distances) if norm == "max" else np.dot(distances, shares)


def quantiles(values, parts):
    """Interpolate between ranked values, without rounding."""
    ranked = [Fraction(value) for value in sorted(values)]
    found = []
    for part in parts:
        rank, rest = divmod(part * (len(ranked) - 1), 1)
        found.append(ranked[rank] + (rest and rest * (ranked[rank + 1] - ranked[rank])))
    return found


@st.composite
def probabilities(draw):
    """Random probabilities; in some cases on a grid, so that they tie and hit borders."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, n_classes = draw(st.integers(1, 60)), draw(st.integers(2, 4))
    if draw(st.booleans()):
        prob = rng.dirichlet(np.ones(n_classes), n)
    else:
        prob = rng.multinomial(10, np.ones(n_classes) / n_classes, n) / 10
    return rng.integers(0, n_classes, n), prob


@thorough
@given(probabilities(), st.integers(1, 15))
def test_calibration_error_follows_its_definition(case, n_bins):
    truth, prob = case
    right, sure = prob.argmax(axis=1) == truth, prob.max(axis=1)
    parts = [Fraction(i, n_bins) for i in range(1, n_bins)]
    uniform, quantile = map(float, parts), quantiles(sure, parts)
    for strategy, borders in (("uniform", list(uniform)), ("quantile", quantile)):
        for norm in ("l1", "max"):
            actual = calibration_error(
                truth,
                prob,
                classes=range(prob.shape[1]),
                n_bins=n_bins,
                strategy=strategy,
                norm=norm,
            )
            assert actual == pytest.approx(error_by_definition(right, sure, borders, norm))


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
@pytest.mark.parametrize("seed", range(5))
def test_curve_of_two_classes_equals_that_of_scikit_learn(seed, strategy):
    """scikit-learn knows only "is it so, and how probable"; here: is the favourite right."""
    rng = np.random.default_rng(seed)
    prob = rng.dirichlet([1, 1, 1], 200)
    truth = rng.integers(0, 3, 200)
    right, sure = (prob.argmax(axis=1) == truth).astype(int), prob.max(axis=1)
    options = {"n_bins": 7, "strategy": strategy}
    accuracy, confidence, share = reliability_curve(truth, prob, **options)
    assert_allclose((accuracy, confidence), calibration_curve(right, sure, **options))
    assert share.sum() == pytest.approx(1)
    if strategy == "quantile":
        assert np.ptp(200 * share) <= 1 + 1e-9


def test_calibration_error_by_hand():
    prob = np.array([[0.95, 0.05]] * 4 + [[0.45, 0.55]] * 2)
    truth = [0, 0, 0, 1, 0, 0]  # bins: 3 of 4 at 0.95, 0 of 2 at 0.55
    assert calibration_error(truth, prob) == pytest.approx((4 * 0.2 + 2 * 0.55) / 6)
    assert calibration_error(truth, prob, norm="max") == pytest.approx(0.55)
    assert calibration_error(truth, prob, n_bins=1) == pytest.approx((4 * 0.95 + 1.1) / 6 - 0.5)


@thorough
@given(probabilities(), st.randoms(use_true_random=False), st.sampled_from(["uniform", "quantile"]))
def test_calibration_error_does_not_depend_on_the_order_of_rows(case, random, strategy):
    truth, prob = case
    order = random.sample(range(len(truth)), len(truth))
    options = {"classes": range(prob.shape[1]), "strategy": strategy, "n_bins": 4}
    expected = calibration_error(truth, prob, **options)
    assert calibration_error(truth[order], prob[order], **options) == pytest.approx(expected)


def test_true_probabilities_are_calibrated():
    rng = np.random.default_rng(0)
    prob = rng.dirichlet([1, 1, 1], 20_000)
    truth = (prob.cumsum(axis=1) > rng.random(20_000)[:, np.newaxis]).argmax(axis=1)
    assert calibration_error(truth, prob) < 0.015
    assert calibration_error(truth, prob, strategy="quantile") < 0.015
    assert calibration_error(truth, np.eye(3)[prob.argmax(axis=1)]) > 0.2


def test_probabilities_in_single_precision_are_fine():
    prob = np.float32([[0.1, 0.9], [1 / 3, 2 / 3]])
    assert calibration_error([0, 1], prob) == pytest.approx((0.9 + 1 / 3) / 2, abs=1e-6)


def test_bad_probabilities_are_refused():
    good = [[0.5, 0.5], [1.0, 0.0]]
    for bad in ([[0.5, 0.6], [1, 0]], [[1.5, -0.5], [1, 0]], [[np.nan, 1], [1, 0]]):
        with pytest.raises(ValueError, match="rows that sum to 1"):
            calibration_error([0, 1], bad)
    for bad in ([0.5, 0.5], [[1.0], [1.0]]):
        with pytest.raises(ValueError, match="a column for each of the 2 classes"):
            calibration_error([0, 1], bad)
    with pytest.raises(ValueError, match="a column for each of the 1 classes"):
        calibration_error([1, 1], good)  # which class the other column has is not known
    with pytest.raises(ValueError, match=r"not in classes: \['c'\]"):
        calibration_error(["a", "c"], good, classes=["a", "b"])
    with pytest.raises(ValueError, match="inconsistent numbers"):
        calibration_error([0, 1, 1], good)
    for bins in (0, 2.5, True, "ten"):
        with pytest.raises(ValueError, match="n_bins must be a whole number"):
            calibration_error([0, 1], good, n_bins=bins)
    with pytest.raises(ValueError, match="strategy must be"):
        calibration_error([0, 1], good, strategy="kmeans")
    with pytest.raises(ValueError, match="norm must be"):
        calibration_error([0, 1], good, norm="l2")


# Scorers


def test_scorers_work_in_cross_validation(iris):
    X, y = iris
    names = np.array(["a", "b", "c"])[y]
    scoring = {"area": neg_risk_coverage_scorer, "error": neg_calibration_error_scorer}
    for target in (y, names):
        scores = cross_validate(GaussianNB(), X, target, scoring=scoring, cv=3)
        assert np.all((scores["test_area"] <= 0) & (scores["test_area"] > -0.1))
        assert np.all((scores["test_error"] <= 0) & (scores["test_error"] > -0.2))
    scoring = {"u65": u65_scorer, "u80": u80_scorer}
    scores = cross_validate(make_pipeline(StandardScaler(), Witness()), X, names, scoring=scoring)
    assert np.all(scores["test_u65"] > 0.5)
    assert np.all(scores["test_u80"] >= scores["test_u65"])


def test_scorers_equal_the_functions(iris):
    X, y = iris
    clf = GaussianNB().fit(X, y)
    prob = clf.predict_proba(X)
    area = area_under_risk_coverage(y, clf.predict(X), prob.max(axis=1))
    assert neg_risk_coverage_scorer(clf, X, y) == -area
    assert neg_calibration_error_scorer(clf, X, y) == -calibration_error(y, prob)
    sets = Witness().fit(X, y).predict_evidence(X).predict_set()
    assert u65_scorer(Witness().fit(X, y), X, y) == u65_score(y, sets, classes=[0, 1, 2])
    assert u80_scorer(Witness().fit(X, y), X, y) == u80_score(y, sets, classes=[0, 1, 2])


def test_scorers_say_what_they_lack(iris):
    X, y = iris
    with pytest.raises(TypeError, match=r"u65 needs sets .* which GaussianNB lacks"):
        u65_scorer(GaussianNB().fit(X, y), X, y)
    with pytest.raises(TypeError, match=r"u80 needs sets .* which Pipeline lacks"):
        u80_scorer(make_pipeline(GaussianNB()).fit(X, y), X, y)
    with pytest.raises(TypeError, match="which Perceptron lacks"):
        neg_calibration_error_scorer(Perceptron().fit(X, y), X, y)
