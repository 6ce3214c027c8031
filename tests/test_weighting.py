"""Evidence weights: the solver, and what becomes of evolved rules with them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.metrics import log_loss

from fuzzyucs import FuzzyUCSClassifier, RuleSet, WeightedRuleSet, _core
from fuzzyucs.decisions import Weighted
from fuzzyucs.evidence.weighting import RIDGE, choose_penalty, fit_weights, folds, softmax


def make_problem(seed):
    """Degrees of all sorts: absent, partial and full, of rules that tell something or nothing."""
    rng = np.random.default_rng(seed)
    n_rows, n_rules, n_classes = rng.integers(20, 200), rng.integers(1, 30), rng.integers(2, 6)
    labels = rng.integers(0, n_classes, n_rows)
    degrees = rng.random((n_rows, n_rules)) * (rng.random((n_rows, n_rules)) < 0.5)
    degrees[rng.random(degrees.shape) < 0.2] = 1
    fits = labels[:, np.newaxis] % 2 == np.arange(n_rules) % 2
    degrees *= rng.random(degrees.shape) < 0.3 + 0.7 * fits
    return degrees, labels, int(n_classes), rng.uniform(0.5, 1.5, n_rows), rng.choice([0.1, 1, 5])


def objective_of(degrees, labels, n_classes, weight, penalty, doubt):
    """The same in other words, dense and slow, with its derivatives."""
    n_rules = degrees.shape[1]
    known = np.stack([(weight * (labels == c)) @ degrees for c in range(n_classes)], axis=1)
    experience = known.sum(axis=1, keepdims=True)
    logs = np.log(1 - degrees[:, :, np.newaxis] * (experience - known) / (experience + doubt))
    truth = np.eye(n_classes)[labels]
    shares = np.log(weight @ truth + 1)
    shares -= shares.mean()

    def objective(variables):
        strength, prior = variables[:n_rules], variables[n_rules:]
        p = softmax(prior + np.einsum("k,nkc->nc", strength, logs))
        error = weight[:, np.newaxis] * (p - truth)
        value = -weight @ np.log((p * truth).sum(axis=1)) + penalty * strength.sum()
        slope = np.einsum("nc,nkc->k", error, logs) + penalty
        shift = prior - shares
        return value + RIDGE / 2 * shift @ shift, np.append(
            slope, error.sum(axis=0) + RIDGE * shift
        )

    return objective, known


@pytest.mark.parametrize("seed", range(12))
def test_the_solver_agrees_with_a_general_one(seed):
    degrees, labels, n_classes, weight, penalty = make_problem(seed)
    doubt = [0.5, 1.0, 2.0][seed % 3]
    found = fit_weights(
        degrees,
        labels,
        n_classes,
        penalty=penalty,
        sample_weight=weight,
        doubt=doubt,
        ridge=RIDGE,
        tolerance=1e-10,
    )
    objective, known = objective_of(degrees, labels, n_classes, weight, penalty, doubt)
    n_rules = degrees.shape[1]
    bounds = [(0, None)] * n_rules + [(None, None)] * n_classes
    options = {"maxiter": 10_000, "maxfun": 100_000, "ftol": 1e-15, "gtol": 1e-9}
    best = minimize(
        objective,
        np.zeros(n_rules + n_classes),
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        options=options,
    )
    assert found.converged
    assert found.objective <= best.fun + 1e-6
    value, slope = objective(np.append(found.strength, found.prior))
    assert found.objective == pytest.approx(value, abs=1e-9)
    # Optimality: no slope where there is freedom, none that points outwards at the bound.
    assert_allclose(slope[n_rules:], 0, atol=1e-3)
    assert_allclose(slope[:n_rules][found.strength > 0], 0, atol=1e-3)
    assert (slope[:n_rules][found.strength == 0] > -1e-3).all()
    assert_allclose(found.class_experience, known, rtol=1e-12)
    scores = found.log_odds(degrees)
    assert -weight @ np.log(softmax(scores)[np.arange(len(labels)), labels]) <= found.objective


def test_gradients_are_those_of_the_objective():
    degrees, labels, n_classes, weight, penalty = make_problem(3)
    objective, _ = objective_of(degrees, labels, n_classes, weight, penalty, 1.0)
    solver = _core.EvidenceWeights(labels.astype(np.uint32), weight, n_classes, 1.0, RIDGE)
    for column in degrees.T:
        solver.add(np.ascontiguousarray(column), penalty)
    for _ in range(4):
        variables = np.append(solver.weights(), solver.prior())
        value, slope = objective(variables)
        assert solver.objective == pytest.approx(value)
        assert_allclose(solver.gradients(), slope[: degrees.shape[1]], atol=1e-9)
        before = solver.objective
        solver.fit(1e-10, 1)
        assert solver.objective < before


def test_the_greater_the_penalty_the_fewer_rules():
    degrees, labels, n_classes, weight, _ = make_problem(1)
    counts = [
        (
            fit_weights(degrees, labels, n_classes, penalty=p, sample_weight=weight).strength > 0
        ).sum()
        for p in (0.01, 0.3, 3, 1e6)
    ]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] > counts[-1] == 0


def test_a_penalty_may_differ_between_rules():
    degrees = np.array([[1.0, 1.0]] * 5 + [[0.0, 0.0]] * 5)
    labels = np.arange(10) // 5
    found = fit_weights(degrees, labels, 2, penalty=[1.0, 0.1])
    assert found.strength[0] == 0 < found.strength[1]


def test_separable_data_have_finite_weights():
    labels = np.arange(100) % 2
    degrees = np.column_stack([labels == 0, labels == 1]).astype(float)
    found = fit_weights(degrees, labels, 2, penalty=1e-6)
    assert found.converged
    assert repr(found) == "<EvidenceWeights: 2 rules, 2 classes, converged>"
    assert "not converged" in repr(fit_weights(degrees, labels, 2, penalty=1e-6, max_steps=1))
    assert np.isfinite(found.strength).all()
    assert (found.log_odds(degrees).argmax(axis=1) == labels).all()


def test_rows_of_no_weight_do_not_count():
    degrees, labels, n_classes, _, penalty = make_problem(5)
    few = np.arange(len(labels)) < 30
    part = fit_weights(degrees[few], labels[few], n_classes, penalty=penalty)
    zeros = fit_weights(
        degrees, labels, n_classes, penalty=penalty, sample_weight=few.astype(float)
    )
    assert part.objective == pytest.approx(zeros.objective, abs=1e-6)
    assert_allclose(part.strength, zeros.strength, atol=1e-3)


def test_folds_deal_out_every_class():
    labels = np.repeat([0, 1, 2], [50, 9, 2])
    parts = folds(labels, seed=3)
    assert_array_equal(np.sort(np.concatenate([test for _, test in parts])), np.arange(61))
    for train, test in parts:
        assert not set(train) & set(test)
        assert abs((labels[test] == 0).sum() - 12.5) < 1
        assert abs((labels[test] == 1).sum() - 2.25) < 1
    assert all(np.array_equal(a, b) for (_, a), (_, b) in zip(parts, folds(labels, 3), strict=True))
    assert len(folds(np.array([0, 1]), 0)) == 2


def test_the_penalty_is_chosen_by_what_is_held_out():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 300)
    noise = (rng.random((300, 20)) < 0.5).astype(float)
    signal = np.abs(labels[:, np.newaxis] - (rng.random((300, 20)) < 0.3))
    penalty = choose_penalty(noise, labels, 2)
    assert penalty == 8.0  # nothing to find
    assert choose_penalty(signal, labels, 2) < penalty


# Inference


def weighted(rules, strength, doubt, prior=None):
    return WeightedRuleSet.of(
        rules.variables,
        rules.classes,
        rules.conditions,
        strength=np.asarray(strength, dtype=float),
        evidence=np.zeros(len(rules)),
        class_experience=rules.class_experience,
        prior=np.zeros(len(rules.classes)) if prior is None else prior,
        doubt=doubt,
    )


@pytest.fixture(scope="module")
def evolved():
    X, y = load_wine(return_X_y=True)
    return FuzzyUCSClassifier(epochs=10, random_state=0).fit(X, y), X


def test_the_article_is_a_special_case_to_the_last_bit(evolved):
    clf, X = evolved
    rules = clf.rules_[clf.rules_.experience > clf.inference_experience]
    arrays = {name: getattr(rules, name) for name in RuleSet.array_names()}
    same = WeightedRuleSet(
        rules.variables,
        rules.classes,
        **arrays,
        strength=rules.numerosity.astype(float),
        evidence=np.zeros(len(rules)),
        prior=np.zeros(3),
        doubt=0.0,
    )
    same = Weighted(same).evidence(rules.variables.positions(X))
    article = clf.predict_evidence(X)
    assert_array_equal(same.mass, article.mass)
    assert_array_equal(same.ignorance, article.ignorance)
    assert_array_equal(same.log_agreement, article.log_agreement)


@pytest.mark.parametrize("whole", [False, True])
def test_weighted_inference_equals_its_definition(evolved, whole):
    clf, X = evolved
    rules = clf.rules_[clf.rules_.experience > 5][:60]
    rng = np.random.default_rng(0)
    strength = rng.integers(0, 3, 60).astype(float) if whole else rng.exponential(0.5, 60)
    prior = rng.normal(size=3)
    model = weighted(rules, strength, 1.0, prior)
    positions = rules.variables.positions(X)
    mu = rules.freeze().membership(positions)[:, :, np.newaxis]
    experience = rules.experience[:, np.newaxis]
    against = (experience - rules.class_experience) / (experience + 1)
    q = np.prod((1 - mu * against) ** strength[:, np.newaxis], axis=1)
    theta = np.prod((1 - mu[..., 0] * (experience / (experience + 1)).T) ** strength, axis=1)
    agreement = q.sum(axis=1) - 2 * theta
    beliefs = Weighted(model).evidence(positions)
    assert_allclose(beliefs.mass, (q - theta[:, np.newaxis]) / agreement[:, np.newaxis], atol=1e-12)
    assert_allclose(beliefs.ignorance, theta / agreement, rtol=1e-9, atol=1e-300)
    # Powers below 1 discount a source so much that what is left may exceed 1: no conflict.
    assert_allclose(beliefs.log_agreement, np.minimum(np.log(agreement), 0), atol=1e-10)
    odds = q * np.exp(prior)
    assert_allclose(
        Weighted(model).probabilities(positions), odds / odds.sum(axis=1, keepdims=True)
    )


def test_learned_weights_make_evolved_rules_few_and_calibrated():
    X, y = load_breast_cancer(return_X_y=True)
    test = np.arange(len(X)) % 4 == 0
    train = ~test
    clf = FuzzyUCSClassifier(epochs=10, random_state=0, inference="weighted")
    clf.fit(X[train], y[train])
    plain = log_loss(y[test], clf.set_params(inference="ds").predict_proba(X[test]))
    clf.set_params(inference="weighted")
    p = clf.predict_proba(X[test])
    assert len(clf.weighted_rules_) < len(clf.rules_) / 4
    assert log_loss(y[test], p) < plain
    assert clf.score(X[test], y[test]) > 0.85
    assert_array_equal(clf.predict(X[test]), p.argmax(axis=1))
    evidence = clf.predict_evidence(X[test])
    assert_allclose(evidence.mass.sum(axis=1) + evidence.ignorance, 1)
    # Experience counts the training data once, not in every epoch.
    assert clf.weighted_rules_.experience.max() <= train.sum() < clf.rules_.experience.max()


def test_compact_models_keep_only_the_rules_they_need():
    X, y = load_iris(return_X_y=True)
    full = FuzzyUCSClassifier(epochs=5, random_state=0, inference="weighted").fit(X, y)
    compact = FuzzyUCSClassifier(epochs=5, random_state=0, inference="weighted", compact=True).fit(
        X, y
    )
    assert len(compact.rules_) == len(full.weighted_rules_) < len(full.rules_)
    assert_array_equal(compact.predict_proba(X), full.predict_proba(X))
    compact.set_params(inference="ds").predict(X)
    compact.partial_fit(X, y)
    assert len(compact.rules_) > 0


def test_weights_have_to_be_learned_first():
    X, y = load_iris(return_X_y=True)
    clf = FuzzyUCSClassifier(epochs=2, random_state=0).fit(X, y)
    clf.set_params(inference="weighted")
    for method in (clf.predict, clf.predict_proba, clf.predict_evidence):
        with pytest.raises(ValueError, match="only a fit with inference='weighted' learns"):
            method(X)


def test_training_can_be_watched_before_weights_are_there():
    X, y = load_iris(return_X_y=True)
    scores = []
    clf = FuzzyUCSClassifier(epochs=2, random_state=0, inference="weighted")
    clf.fit(X, y, callback=lambda report: scores.append(report.model.score(X, y)))
    assert len(scores) == 2
    assert clf.inference == "weighted"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"y": [0, 3]}, "y is out of range"),
        ({"sample_weight": [1.0, -1.0]}, "sample_weight"),
        ({"sample_weight": [1.0, np.nan]}, "sample_weight"),
        ({"sample_weight": [1e308, 1e308]}, "sample_weight has too large a sum"),
        ({"doubt": 0.0}, "doubt"),
        ({"ridge": -1.0}, "ridge"),
        ({"degrees": [0.5, 1.5]}, "degrees is out of range"),
        ({"degrees": [0.5]}, "degrees has the wrong length"),
        ({"penalty": -1.0}, "penalty"),
    ],
)
def test_the_native_solver_refuses_what_does_not_fit(arguments, message):
    sound = {"y": [0, 1], "sample_weight": [1.0, 1.0], "doubt": 1.0, "ridge": 0.1}
    rule = {"degrees": [0.5, 1.0], "penalty": 1.0}
    values = sound | rule | arguments
    with pytest.raises(ValueError, match=message):
        _core.EvidenceWeights(
            np.array(values["y"], dtype=np.uint32),
            np.array(values["sample_weight"]),
            2,
            values["doubt"],
            values["ridge"],
        ).add(np.array(values["degrees"]), values["penalty"])


def test_the_native_solver_knows_its_rules():
    solver = _core.EvidenceWeights(np.array([0, 1], dtype=np.uint32), np.ones(2), 2, 1.0, 1.0)
    solver.add(np.array([0.5, 1.0]), 1.0)
    solver.set_penalty(0, 2.0)
    with pytest.raises(ValueError, match="rule is out of range"):
        solver.set_penalty(1, 2.0)
