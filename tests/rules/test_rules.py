"""RuleSet: arrays, text, frame, JSON."""

import dataclasses
import gc
import json
import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from fuzzyucs import FuzzyUCSClassifier, LinguisticPartition
from fuzzyucs.datasets import load_embedded
from fuzzyucs.rules.rule_set import EvolvedRuleSet


@pytest.fixture
def rules():
    """Three rules written by hand."""
    partition = LinguisticPartition.uniform(
        np.array([[1.0, 0.0, np.nan], [5.0, 9.0, np.nan]]), [3, 5, 2], ["size", "age", "colour"]
    )
    return EvolvedRuleSet(
        partition,
        classes=np.array(["no", "yes"]),
        conditions=np.array(
            [[0b011, 0b11111, 0b11], [0b100, 0b00100, 0b01], [0b111, 0b11111, 0b11]]
        ),
        weights=np.array([[0.25, 0.75], [1.0, 0.0], [0.5, 0.5]]),
        class_experience=np.array([[1.0, 3.0], [20.0, 0.0], [0.0, 0.0]]),
        experience=np.array([4.0, 20.0, 0.0]),
        fitness=np.array([0.5, 1.0, 0.0]),
        numerosity=np.array([2, 1, 7]),
        consequent=np.array([1, 0, 0]),
        set_size=np.array([3.0, 2.0, 9.0]),
        set_count=np.array([1, 5, 0]),
        time_stamp=np.array([10, 20, 30]),
    )


def test_text_is_a_sentence_per_rule(rules):
    assert rules.to_text().splitlines() == [
        "IF size is {small, medium} THEN yes (weight 0.75, experience 4, numerosity 2)",
        "IF size is large AND age is medium AND colour is low THEN no "
        "(weight 1.00, experience 20, numerosity 1)",
        "IF anything THEN no (weight 0.50, experience 0, numerosity 7)",
    ]


def test_frame_has_a_row_per_rule(rules):
    frame = rules.to_frame()
    assert list(frame["consequent"]) == ["yes", "no", "no"]
    assert list(frame["weight"]) == [0.75, 1.0, 0.5]
    assert list(frame["weight of yes"]) == [0.75, 0.0, 0.5]
    assert frame["condition"][0] == "size is {small, medium}"


def test_json_says_everything_and_is_strict(rules):
    document = json.loads(rules.to_json(), parse_constant=pytest.fail)
    assert document["classes"] == ["no", "yes"]
    assert document["features"][0] == {
        "name": "size",
        "minimum": 1.0,
        "maximum": 5.0,
        "terms": ["small", "medium", "large"],
        "borders": {"at_most": [2.0, 4.0], "at_least": [2.0, 4.0]},
    }
    assert document["features"][2]["minimum"] is None
    assert document["rules"][1] == {
        "if": [
            {"feature": 0, "terms": ["large"]},
            {"feature": 1, "terms": ["medium"]},
            {"feature": 2, "terms": ["low"]},
        ],
        "then": "no",
        "weights": [1.0, 0.0],
        "fitness": 1.0,
        "experience": 20.0,
        "numerosity": 1,
    }


@pytest.mark.parametrize("labels", [[0, 1], [False, True], ["a", "b"], [0.0, 1.0]])
def test_json_takes_labels_of_any_type(labels):
    clf = FuzzyUCSClassifier(epochs=1, random_state=0).fit([[0.0], [1.0]], labels)
    assert json.loads(clf.rules_.to_json())["classes"] == labels


def test_slicing_keeps_rows_together(rules):
    assert len(rules[:2]) == 2
    assert rules[-1].to_text() == rules.to_text().splitlines()[2]
    assert rules[rules.experience > 3].to_text() == rules[:2].to_text()
    assert rules[[1, 0]].numerosity.tolist() == [1, 2]
    assert [len(rule) for rule in rules] == [1, 1, 1]
    with pytest.raises(IndexError):
        rules[3]


@pytest.mark.parametrize("key", [True, None, np.zeros((2, 2), int)], ids=str)
def test_an_index_of_the_wrong_kind_is_refused(rules, key):
    with pytest.raises(IndexError, match="expected an index, a slice, a mask"):
        rules[key]


def test_arrays_are_read_only_even_after_pickling(rules):
    for copy in (rules, rules[:2], pickle.loads(pickle.dumps(rules))):
        with pytest.raises(ValueError, match="read-only"):
            copy.weights[:] = 0


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("set_size", np.nan),
        ("set_size", -5.0),
        ("set_size", 1e300),
        ("numerosity", 2**32 - 1),
        ("numerosity", 0),
        ("experience", np.nan),
        ("consequent", 9),
        ("conditions", 0),
        ("conditions", 2**31),
    ],
)
def test_broken_rules_are_refused_before_training_goes_on(name, value):
    clf = FuzzyUCSClassifier(epochs=1, random_state=0).fit([[0.0], [1.0]], [0, 1])
    array = np.full_like(getattr(clf.rules_, name), value)
    clf.rules_ = dataclasses.replace(clf.rules_, **{name: array})
    with pytest.raises(ValueError, match=f"{name} is out of range"):
        clf.partial_fit([[0.5]], [0])


def test_few_frozen_copies_are_kept():
    clf = FuzzyUCSClassifier(epochs=1, random_state=0).fit([[0.0], [1.0]], [0, 1])
    for experience in range(20):
        clf.set_params(inference_experience=experience).predict([[0.5]])
    kept = [value for value in gc.get_objects() if type(value) is EvolvedRuleSet]
    sharing = [rules for rules in kept if rules.classes is clf.rules_.classes]
    assert len(sharing) <= 5  # the rules, and four selections


def test_json_takes_dates_as_labels():
    dates = np.array(["2026-01-01", "2026-01-02"], dtype="M8[D]")
    clf = FuzzyUCSClassifier(epochs=1, random_state=0).fit([[0.0], [1.0]], [0, 1])
    rules = dataclasses.replace(clf.rules_, classes=dates)
    assert json.loads(rules.to_json())["classes"] == ["2026-01-01", "2026-01-02"]


def test_sorting(rules):
    assert rules.sort().numerosity.tolist() == [7, 2, 1]
    assert rules.by_importance().numerosity.tolist() == [7, 2, 1]
    assert rules.sort("experience").experience.tolist() == [20, 4, 0]
    with pytest.raises(ValueError, match="by must be one of"):
        rules.sort("weights")


def test_repr_and_empty_set(rules):
    assert repr(rules) == "<RuleSet: 3 rules (10 micro-rules), 3 features, 2 classes>"
    assert rules[:0].to_text() == ""
    assert rules[:0].to_frame().empty
    assert json.loads(rules[:0].to_json())["rules"] == []


def test_fitted_rules_are_sound():
    """Invariants that hold for the rules of any training."""
    data = load_embedded("wine")
    X = data.data.copy()
    X[::7, 3] = np.nan
    rules = FuzzyUCSClassifier(epochs=10, random_state=0).fit(X, data.target).rules_
    used = rules.experience > 0
    np.testing.assert_allclose(rules.weights.sum(axis=1), 1)
    np.testing.assert_allclose(rules.class_experience.sum(axis=1), rules.experience)
    assert_array_equal(
        rules.weights[used], rules.class_experience[used] / rules.experience[used, None]
    )
    assert_array_equal(rules.consequent[used], rules.class_experience[used].argmax(axis=1))
    assert_array_equal(rules.fitness[used], 2 * rules.weights[used].max(axis=1) - 1)
    assert rules.numerosity.min() >= 1
    assert rules.numerosity.sum() <= 2000
    assert rules.conditions.min() >= 1
    assert rules.conditions.max() < 2**5
    assert (rules.set_size >= 1).all()


def test_pickle_leaves_the_native_part_behind():
    clf = FuzzyUCSClassifier(epochs=1, random_state=0).fit([[0.0], [1.0]], [0, 1])
    clf.predict([[0.5]])
    copy = pickle.loads(pickle.dumps(clf.rules_))
    fields = {field.name for field in dataclasses.fields(copy)}
    assert set(vars(copy)) == fields
    assert copy.to_text() == clf.rules_.to_text()


def test_frame_without_pandas_explains_itself(rules, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        rules.to_frame()
