"""FuzzyUCSClassifier: what it has beyond other learners of rules."""

import hashlib
import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_iris

from fuzzyucs import FuzzyUCSClassifier

X, Y = load_iris(return_X_y=True)
SCHEMES = ["ds", "vote", "swin"]


def fit_iris(seed=0, **parameters):
    return FuzzyUCSClassifier(epochs=5, random_state=seed, **parameters).fit(X, Y)


@pytest.fixture(scope="module")
def model():
    return fit_iris()


@pytest.mark.parametrize("inference", SCHEMES)
def test_probabilities_agree_with_decisions(model, inference):
    clf = clone(model).set_params(inference=inference).fit(X, Y)
    probability = clf.predict_proba(X)
    assert probability.min() >= 0
    np.testing.assert_allclose(probability.sum(axis=1), 1, atol=1e-12)
    assert_array_equal(clf.classes_[probability.argmax(axis=1)], clf.predict(X))


def test_inference_changes_without_fitting_anew(model):
    clf = pickle.loads(pickle.dumps(model))
    before = clf.rules_
    answers = [clf.set_params(inference=scheme).predict_proba(X) for scheme in SCHEMES]
    assert clf.rules_ is before
    assert not np.allclose(answers[0], answers[1])
    assert not np.allclose(answers[1], answers[2])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("inference", "guess"),
        ("inference", ["ds"]),
        ("inference_experience", -5),
        ("inference_experience", "many"),
        ("inference_experience", np.nan),
        ("inference_experience", [1]),
    ],
)
def test_parameters_changed_after_fit_are_checked(model, name, value):
    clf = pickle.loads(pickle.dumps(model)).set_params(**{name: value})
    for method in (clf.predict, clf.predict_proba, clf.predict_evidence):
        with pytest.raises(ValueError, match=f"'{name}' parameter"):
            method(X)


def test_inference_experience_changes_without_fitting_anew(model):
    clf = pickle.loads(pickle.dumps(model))
    assert clf.predict_evidence(X).ignorance.max() < 1
    clf.set_params(inference_experience=1e9)
    evidence = clf.predict_evidence(X)
    assert_array_equal(evidence.ignorance, 1)
    assert_array_equal(evidence.conflict, 0)
    for inference in SCHEMES:
        assert_array_equal(
            clf.set_params(inference=inference).predict_proba(X), np.full((150, 3), 1 / 3)
        )


def test_evidence_is_consistent(model):
    evidence = model.predict_evidence(X)
    np.testing.assert_allclose(evidence.mass.sum(axis=1) + evidence.ignorance, 1, atol=1e-12)
    assert_array_equal(evidence.belief, evidence.mass)
    assert (evidence.plausibility >= evidence.belief).all()
    np.testing.assert_allclose(evidence.pignistic.sum(axis=1), 1, atol=1e-12)
    assert_array_equal(evidence.pignistic, model.predict_proba(X))
    np.testing.assert_allclose(np.exp(evidence.log_agreement), 1 - evidence.conflict, atol=1e-15)
    assert evidence.conflict.min() >= 0
    assert evidence.conflict.max() <= 1
    assert len(evidence[:10]) == 10
    assert_array_equal(evidence[3].mass[0], evidence.mass[3])
    assert list(evidence.to_frame().columns) == [
        "mass 0",
        "mass 1",
        "mass 2",
        "ignorance",
        "conflict",
    ]
    assert "150 inputs" in repr(evidence)


@pytest.mark.parametrize("inference", SCHEMES)
def test_a_row_gets_the_same_answer_alone_and_in_any_batch(model, inference):
    clf = pickle.loads(pickle.dumps(model)).set_params(inference=inference)
    order = np.random.default_rng(0).permutation(len(X))
    assert_array_equal(clf.predict(X[order]), clf.predict(X)[order])
    assert_array_equal(clf.predict_proba(X[order]), clf.predict_proba(X)[order])
    assert_array_equal([clf.predict(X[i : i + 1])[0] for i in range(20)], clf.predict(X[:20]))


def test_extreme_values_are_no_problem():
    table = np.array([[-1.7e308, 1e-320], [1.7e308, 0.0], [0.0, 2e-320], [1e308, 0.0]])
    clf = FuzzyUCSClassifier(epochs=3, random_state=0).fit(table, [0, 1, 0, 1])
    assert_array_equal(clf.rules_.variables.positions(table)[:, 0].round(9), [0, 4, 2, 3.176470588])


def test_terms_can_differ_between_features():
    clf = FuzzyUCSClassifier(epochs=5, n_terms=[2, 3, 64, 7], random_state=0).fit(X, Y)
    assert_array_equal(clf.rules_.variables.n_terms, [2, 3, 64, 7])
    assert clf.rules_.conditions[:, 2].max() > 2**16
    assert clf.score(X, Y) > 0.85


@pytest.mark.parametrize(
    "parameters",
    [{"fitness_range": "unsigned"}, {"experience_update": "count"}],
    ids=["appendix A", "appendix B"],
)
def test_ablation_switches_change_the_rules_as_described(model, parameters):
    rules = fit_iris(**parameters).rules_
    used = rules.experience > 0
    assert len(rules) != len(model.rules_) or not np.array_equal(
        rules.conditions, model.rules_.conditions
    )
    if "fitness_range" in parameters:
        assert_array_equal(rules.fitness[used], rules.weights[used].max(axis=1))
    else:
        assert_array_equal(rules.experience, rules.experience.astype(int))


@pytest.mark.parametrize("n_terms", [[5, 5], [[5] * 4], [5.5] * 4, [5, 5, 5, 65]])
def test_terms_per_feature_must_fit(n_terms):
    with pytest.raises(ValueError, match="n_terms must"):
        FuzzyUCSClassifier(n_terms=n_terms).fit(X, Y)


def test_a_failed_fit_leaves_the_old_model_whole(model):
    clf = pickle.loads(pickle.dumps(model))
    with pytest.raises(ValueError, match="n_terms"):
        clf.set_params(n_terms=[5]).fit(X[:, :2], Y)
    assert clf.n_features_in_ == 4
    assert_array_equal(clf.predict(X), model.predict(X))


def test_rules_for_a_seed_never_change_between_machines():
    """Pins the generator and the arithmetic: the same digest on every platform."""
    digest = hashlib.sha256()
    rules = fit_iris(1).rules_
    for name in rules.array_names():
        values = np.ascontiguousarray(getattr(rules, name))
        if name == "conditions":
            values = values.astype(np.uint32)  # five terms need no more
        digest.update(values.tobytes())
    assert digest.hexdigest()[:16] == "939438df932527d2"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("inference", "dempster"),
        ("n_terms", 1),
        ("n_terms", 65),
        ("partition", "even"),
        ("nominal_features", "some"),
        ("fitness_threshold", 1.1),
        ("inference_experience", -1),
        ("fitness_range", "both"),
        ("experience_update", "one"),
    ],
)
def test_parameters_out_of_range_are_named(name, value):
    with pytest.raises(ValueError, match=f"'{name}' parameter"):
        FuzzyUCSClassifier(**{name: value}).fit(X, Y)
