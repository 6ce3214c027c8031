"""UCSClassifier: crisp rules, voting, and how they read."""

import hashlib
import json

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from fuzzyucs import FuzzyUCSClassifier, IntervalVariables, UCSClassifier
from fuzzyucs.datasets import load_embedded

IRIS = load_embedded("iris", as_frame=True)
X, Y = IRIS.data, IRIS.target


@pytest.fixture(scope="module")
def model():
    return UCSClassifier(epochs=10, random_state=0).fit(X, Y)


def matches(rules, X):
    """Which rules hold for which rows, straight from the bounds."""
    positions = rules.variables.positions(np.asarray(X, dtype=float))[:, None, :]
    lower, upper = rules.conditions.min(axis=2), rules.conditions.max(axis=2)
    inside = (lower <= positions) & (positions <= upper)
    return (inside | np.isnan(positions)).all(axis=2)


def test_membership_is_all_or_nothing(model):
    table = X.to_numpy(copy=True)
    table[::3, 1] = np.nan
    degrees = model.membership(X.assign(**{X.columns[1]: table[:, 1]}))
    assert_array_equal(degrees, matches(model.rules_, table))
    assert 0 < degrees.mean() < 1


def test_a_row_without_values_matches_every_rule(model):
    nothing = X.iloc[:1].assign(**dict.fromkeys(X.columns, np.nan))
    assert_array_equal(model.membership(nothing), 1)


def test_decisions_are_votes_of_fitness_times_numerosity(model):
    rules = model.rules_
    votes = np.zeros((len(X), 3))
    for row, matched in enumerate(matches(rules, X)):
        for rule in np.flatnonzero(matched):
            votes[row, rules.consequent[rule]] += rules.fitness[rule] * rules.numerosity[rule]
    assert (rules.experience < 10).any()  # and no rule is too young to vote
    assert_array_equal(model.predict(X), votes.argmax(axis=1))
    np.testing.assert_allclose(
        model.predict_proba(X), votes / votes.sum(axis=1, keepdims=True), atol=1e-12
    )


def test_without_a_matching_rule_all_classes_are_equally_probable():
    clf = UCSClassifier(epochs=1, covering_range=0.01, dont_care_rate=0.0, random_state=0)
    clf.fit([[0.0], [1.0], [0.1]], ["a", "b", "a"])
    between = [[0.4], [0.5], [0.6]] * 20
    assert not clf.membership(between).any()
    assert_array_equal(clf.predict_proba(between), 0.5)
    assert set(clf.predict(np.linspace(0.3, 0.7, 50)[:, None])) == {"a", "b"}
    evidence = clf.predict_evidence(between)
    assert_array_equal(evidence.ignorance, 1)


def test_evidence_of_crisp_rules(model):
    """Rules that match leave nothing to ignorance; their weights multiply."""
    evidence = model.predict_evidence(X)
    rules, matched = model.rules_, matches(model.rules_, X)
    with np.errstate(divide="ignore"):
        logs = np.log(rules.weights) * rules.numerosity[:, None]
    for row in range(0, 150, 7):
        scores = logs[matched[row]].sum(axis=0)
        if np.isneginf(scores).all():
            assert evidence.ignorance[row] == 1
            continue
        expected = np.exp(scores - scores.max())
        np.testing.assert_allclose(evidence.mass[row], expected / expected.sum(), atol=1e-9)
        assert evidence.ignorance[row] == 0


def test_rules_read_as_intervals_in_the_units_of_the_data(model):
    rules = model.rules_.sort("experience")
    text = rules.to_text()
    assert "<= petal length (cm) <=" in text
    assert "sepal width (cm) >= " in text
    for line in text.splitlines():
        assert line.startswith("IF ")
        assert " THEN " in line
    for rule, (lower, upper) in enumerate(np.sort(rules.conditions[:, 2], axis=1)):
        words = rules.condition(rule)
        assert ("petal length" in words) == (lower > 0 or upper < 1)
        assert ("petal length (cm) >=" in words) == (lower > 0 and upper == 1)
    frame = rules.to_frame()
    assert len(frame) == len(rules)
    assert frame["condition"][0] == rules.condition(0)
    document = json.loads(rules.to_json(), parse_constant=pytest.fail)
    assert [len(rule["if"]) for rule in document["rules"]] == [
        0 if words == "anything" else words.count(" AND ") + 1 for words in frame["condition"]
    ]


def test_the_texts_of_all_rules_mean_what_the_rules_do(model):
    """Iris is measured in tenths: the printed rules alone classify it the same."""
    names = {name: f"c{i}" for i, name in enumerate(X.columns)}
    table = X.rename(columns=names)
    degrees = model.membership(X)
    for rule in range(len(model.rules_)):
        words = model.rules_.condition(rule)
        for name, short in names.items():
            words = words.replace(name, short)
        words = words.replace(" AND ", " & ").replace(" = ", " == ")
        holds = np.full(150, True) if words == "anything" else table.eval(words)
        assert_array_equal(holds, degrees[:, rule].astype(bool), err_msg=words)


def test_fitted_rules_are_sound():
    """Invariants that hold for the rules of any training."""
    data = load_embedded("wine")
    table = data.data.copy()
    table[::7, 3] = np.nan
    clf = UCSClassifier(epochs=20, fitness_exponent=2, random_state=0).fit(table, data.target)
    rules = clf.rules_
    used = rules.experience > 0
    every = np.arange(len(rules))
    correct = rules.class_experience[every, rules.consequent]
    assert_array_equal(rules.class_experience.sum(axis=1), rules.experience)
    shares = rules.class_experience[used] / rules.experience[used, None]
    assert_array_equal(rules.weights[used], shares)
    assert_array_equal(rules.fitness[used], (correct[used] / rules.experience[used]) ** 2)
    assert_array_equal(rules.fitness[~used], 0.01)
    assert (~used).any()
    np.testing.assert_allclose(rules.weights[~used], 1 / 3)
    assert_array_equal(rules.set_count, correct)
    assert rules.numerosity.sum() <= 2000
    assert rules.conditions.min() >= 0
    assert rules.conditions.max() <= 1
    assert (rules.set_size >= 1).all()
    intervals = np.sort(rules.conditions, axis=2).reshape(len(rules), -1)
    identity = np.column_stack([intervals, rules.consequent])
    assert len(np.unique(identity, axis=0)) == len(rules)  # no rule twice


def test_rules_for_a_seed_never_change_between_machines():
    """Pins the generator and the arithmetic: the same digest on every platform."""
    digest = hashlib.sha256()
    rules = UCSClassifier(epochs=10, random_state=1).fit(X, Y).rules_
    for name in rules.array_names():
        digest.update(np.ascontiguousarray(getattr(rules, name)).tobytes())
    assert digest.hexdigest()[:16] == "916589e737475de8"


def test_it_learns():
    data = load_embedded("breast_cancer")
    train, test = slice(None, None, 2), slice(1, None, 2)
    clf = UCSClassifier(epochs=20, random_state=0).fit(data.data[train], data.target[train])
    assert clf.score(data.data[test], data.target[test]) > 0.8


def test_both_kinds_of_rules_have_the_same_interface():
    fuzzy = FuzzyUCSClassifier(epochs=2, random_state=0).fit(X, Y)
    crisp = UCSClassifier(epochs=2, random_state=0).fit(X, Y)
    public = {name for name in dir(fuzzy.rules_) if not name.startswith("_")}
    assert public == {name for name in dir(crisp.rules_) if not name.startswith("_")}
    assert list(fuzzy.rules_.to_frame()) == list(crisp.rules_.to_frame())
    first, second = (json.loads(clf.rules_.to_json()) for clf in (fuzzy, crisp))
    assert first.keys() == second.keys()
    assert first["rules"][0].keys() == second["rules"][0].keys()
    for name in ("membership", "predict_evidence", "predict_proba", "partial_fit"):
        assert callable(getattr(crisp, name))
    assert isinstance(crisp.rules_.variables, IntervalVariables)


def test_defaults_are_those_of_the_article():
    """Table 2 of the article, column UCS."""
    assert UCSClassifier().get_params() == {
        "epochs": 50,
        "shuffle": True,
        "ranges": None,
        "new_classes": "error",
        "population_size": 2000,
        "accuracy_threshold": 0.99,
        "learning_rate": 0.2,
        "fitness_exponent": 1.0,
        "crossover_rate": 0.8,
        "mutation_rate": 0.04,
        "mutation_step": 0.1,
        "covering_range": 1.0,
        "deletion_fraction": 0.1,
        "ga_interval": 50,
        "deletion_experience": 50,
        "subsumption_experience": 50,
        "tournament_fraction": 0.4,
        "dont_care_rate": 0.33,
        "correct_set_subsumption": True,
        "ga_subsumption": True,
        "support": None,
        "forgetting": 0.0,
        "as_published": False,
        "random_state": None,
        "verbose": 0,
    }


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("population_size", 100),
        ("accuracy_threshold", 0.7),
        ("learning_rate", 0.9),
        ("fitness_exponent", 5),
        ("crossover_rate", 0.1),
        ("mutation_rate", 0.3),
        ("mutation_step", 0.5),
        ("covering_range", 0.3),
        ("deletion_fraction", 0.9),
        ("ga_interval", 10),
        ("deletion_experience", 5),
        ("subsumption_experience", 5),
        ("tournament_fraction", 0.9),
        ("dont_care_rate", 0.7),
        ("correct_set_subsumption", False),
        ("ga_subsumption", False),
        ("as_published", True),
    ],
)
def test_every_parameter_makes_a_difference(name, value):
    busy = {"epochs": 20, "population_size": 150, "ga_interval": 20, "deletion_experience": 20}
    clf = UCSClassifier(**busy, accuracy_threshold=0.8, random_state=0)
    before = clf.fit(X, Y).rules_
    after = clf.set_params(**{name: value}).fit(X, Y).rules_
    assert len(before) != len(after) or not np.array_equal(before.conditions, after.conditions)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("accuracy_threshold", 1.5),
        ("accuracy_threshold", -0.1),
        ("learning_rate", 0),
        ("learning_rate", 1.1),
        ("mutation_step", -0.1),
        ("mutation_step", "far"),
        ("covering_range", -1),
        ("covering_range", np.nan),
    ],
)
def test_parameters_out_of_range_are_named(name, value):
    with pytest.raises(ValueError, match=f"'{name}' parameter"):
        UCSClassifier(**{name: value}).fit(X, Y)
