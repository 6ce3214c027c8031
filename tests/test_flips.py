"""Flips: the nearest value that gives another answer, against a search by brute force."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from fuzzyucs import EvidentialRuleClassifier, FuzzyUCSClassifier, UCSClassifier
from fuzzyucs.decisions import Weighted
from fuzzyucs.explain.explaining import explain_record
from fuzzyucs.explain.flips import find_flips
from fuzzyucs.rules import WeightedRuleSet
from fuzzyucs.variables.intervals import IntervalVariables
from fuzzyucs.variables.linguistic import LinguisticPartition
from outcomes import outcome_of, outcomes

X, Y = load_wine(return_X_y=True)


@pytest.mark.parametrize(
    "clf",
    [
        EvidentialRuleClassifier(random_state=0),
        FuzzyUCSClassifier(epochs=5, random_state=0),
        FuzzyUCSClassifier(epochs=5, random_state=0, inference="vote"),
        UCSClassifier(epochs=5, random_state=0),
    ],
    ids=["flagship", "ds", "vote", "ucs"],
)
def test_no_nearer_value_changes_the_answer(clf):
    clf = clone(clf).fit(X, Y)
    n_found = 0
    for record in X[::12]:
        own = outcomes(clf, [record])[0]
        found = [flip for flip in clf.explain(record).flips if flip.kind == "change"]
        flips = {flip.feature: flip for flip in reversed(found)}  # the nearest of each feature
        for feature in range(X.shape[1]):
            low, high = X[:, feature].min(), X[:, feature].max()
            values = np.linspace(low, high, 2001)
            rows = np.tile(record, (len(values), 1))
            rows[:, feature] = values
            others = values[outcomes(clf, rows) != own]
            flip = flips.get(f"x{feature}")
            step = (high - low) / 256  # what is narrower may be missed
            runs = np.split(others, np.flatnonzero(np.diff(others) > 1.5 * (high - low) / 2000) + 1)
            wide = [run for run in runs if len(run) and run[-1] - run[0] > step]
            if flip is None:
                # No stretch of values that is wide enough has another answer.
                assert not wide
                continue
            n_found += 1
            changed = record.copy()
            changed[feature] = flip.other
            assert outcomes(clf, [changed])[0] == outcome_of(flip) != own
            assert flip.distance == pytest.approx(abs(flip.other - record[feature]) / (high - low))
            for run in wide:
                nearest = np.abs(run - record[feature]).min()
                assert abs(flip.other - record[feature]) <= nearest + 2.1e-3 * (high - low)
    assert n_found > 5


def test_flips_come_smallest_first():
    clf = UCSClassifier(epochs=5, random_state=0).fit(X, Y)
    distances = [flip.distance for flip in clf.explain(X[70]).flips]
    assert len(distances) > 2
    assert distances == sorted(distances)


def test_both_directions_are_tried():
    partition = LinguisticPartition.uniform(np.array([[0.0], [10.0]]), 3, ["a"])
    for value, other in ((4.0, 2.0), (6.0, 8.0)):
        (flip,) = find_flips(
            partition, np.array([value]), np.array([0]), lambda rows: abs(rows[:, 0] - 5) < 3
        )
        assert flip.other == pytest.approx(other, abs=0.011)
        assert not flip.label


def test_a_record_beyond_the_range_comes_back():
    variables = IntervalVariables.of(np.array([[0.0], [10.0]]), ["a"])
    (flip,) = find_flips(
        variables, np.array([15.0]), np.array([0]), lambda rows: rows[:, 0] > 9.9951
    )
    assert 9.98 < flip.other < 9.9951
    assert flip.distance == pytest.approx(0.5, abs=0.01)


def test_categories_have_no_distance():
    frame = pd.DataFrame({"colour": [0.0, 1.0, 2.0] * 20, "size": np.arange(60.0)})
    y = np.where(frame["colour"] == 1, "a", "b")
    clf = EvidentialRuleClassifier(random_state=0).fit(frame, y)
    explanation = clf.explain(frame.iloc[[0]])
    flip = explanation.flips[0]
    assert (flip.feature, flip.value, flip.other, flip.label) == ("colour", 0, 1, "a")
    assert flip.distance == 1
    assert "Smallest change: colour 0 -> 1 gives a" in str(explanation)


def test_nothing_changes_what_does_not_depend_on_it():
    frame = pd.DataFrame({"colour": [0.0, 1.0] * 30, "noise": np.arange(60.0)})
    clf = EvidentialRuleClassifier(random_state=0, max_conditions=1, support=None)
    clf.fit(frame, frame["colour"])
    rare = clf.with_base_rates([1.0, 0.0])
    # The rule speaks for one class alone; the base rate of the other one is 0.
    changes = [(f.kind, f.is_answer) for f in rare.explain(frame.iloc[[0]]).flips]
    assert changes == [("change", False), ("missing", False)]
    # What is missing would change the answer if it were known.
    record = frame.iloc[[0]].assign(colour=np.nan)
    (flip,) = clf.explain(record).flips
    assert (flip.feature, flip.other, flip.label, flip.kind) == ("colour", 0, 0, "known")
    assert np.isnan(flip.value)
    assert str(clf.explain(record)).endswith("If known: colour (missing) -> 0 gives class 0.0")


def test_a_value_matters_for_what_is_missing():
    rng = np.random.default_rng(0)
    x = rng.uniform(size=500)
    X = np.column_stack([x, x + rng.normal(0, 0.01, 500)])
    clf = EvidentialRuleClassifier(random_state=0, max_conditions=1, max_rules=1, support=None)
    clf.fit(X, x > 0.5)
    asked = int(np.flatnonzero(clf.rules_.asks.any(axis=0))[0])
    record = np.array([0.1, 0.1])
    record[asked] = np.nan
    flip = clf.explain(record).flips[0]
    assert (flip.feature, flip.kind) == (f"x{1 - asked}", "change")
    assert flip.other > 0.3


def test_wide_ranges_do_not_overflow():
    partition = LinguisticPartition.uniform(np.array([[-1.7e308], [1.7e308]]), 3, ["a"])
    record = np.array([-1.7e308])
    (flip,) = find_flips(partition, record, np.array([0]), lambda rows: rows[:, 0] > 1e308)
    assert flip.label
    assert flip.other == pytest.approx(1e308, rel=1e-6)
    assert flip.distance == pytest.approx(2.7 / 3.4)


def test_values_are_left_out_only_where_no_condition_changes():
    X = np.array([[0.0], [8.0]])
    partition = LinguisticPartition.uniform(X, 5, ["a"])
    everything = partition.values_to_try(0)
    for conditions in ([0b00011], [0b11110, 0b01000], [0b10101]):
        tried = partition.values_to_try(0, np.array(conditions, dtype=np.uint64))
        assert set(tried) < set(everything) or conditions == [0b10101]

        def degrees(value, conditions=conditions):
            position = partition.positions(np.array([[value]]))[0, 0]
            near = {t: max(0.0, 1 - abs(position - t)) for t in range(5)}
            return [sum(near[t] for t in near if c >> t & 1) for c in conditions]

        for value in set(everything) - set(tried):
            below = partition.peaks(0)[int(partition.positions(np.array([[value]]))[0, 0])]
            assert degrees(value) == degrees(below)


@pytest.mark.parametrize(
    "clf",
    [
        EvidentialRuleClassifier(random_state=0, support=None),
        FuzzyUCSClassifier(epochs=5, random_state=0, inference="weighted"),
    ],
    ids=["flagship", "weighted"],
)
def test_leaving_values_out_changes_no_flip(clf):
    clf = clone(clf).fit(X, Y)
    variables = clf.decision.rules.variables
    for record in X[::5]:
        slow = find_flips(
            variables, record, np.arange(X.shape[1]), lambda rows: outcomes(clf, rows)
        )
        changes = [flip for flip in clf.explain(record).flips if flip.kind == "change"]
        nearest = {flip.feature: flip for flip in reversed(changes)}
        assert {(f.text, outcome_of(f)) for f in nearest.values()} == {
            (f.text, f.label) for f in slow
        }
        assert [f.distance for f in changes] == sorted(f.distance for f in changes)


def test_a_rule_that_does_not_match_yet_can_change_the_answer():
    partition = LinguisticPartition.uniform(np.array([[0.0, 0.0], [8.0, 8.0]]), 5, ["a", "b"])
    every = 0b11111
    rules = WeightedRuleSet.of(
        partition,
        np.array(["no", "yes"]),
        np.array([[0b10000, every], [0b10000, 0b00001]], dtype=np.uint64),
        strength=np.array([2.0, 1.0]),
        evidence=np.array([2.0, 1.0]),
        class_experience=np.array([[0.0, 50.0], [0.0, 20.0]]),
        prior=np.log([0.8, 0.2]),
        doubt=2.0,
    )
    # The first record matches no rule; a large value of "a" makes it match both.
    (flip,) = explain_record(Weighted(rules), np.array([1.0, 0.0]), None).flips
    assert (flip.feature, flip.label) == ("a", "yes")
    assert 6 < flip.other < 8


@pytest.fixture(scope="module")
def flagship():
    return EvidentialRuleClassifier(random_state=0).fit(X, Y)


def holed(record, share, seed=0):
    holes = np.random.default_rng(seed).random(len(record)) < share
    return np.where(holes, np.nan, record)


def test_missing_values_that_would_change_the_answer_are_found(flagship):
    """Compared with brute force: 2001 values of each missing feature, one at a time."""
    n_found = 0
    for seed, record in enumerate(X[::25]):
        record = holed(record, 0.5, seed)
        own = outcomes(flagship, [record])[0]
        flips = {f.feature: f for f in flagship.explain(record).flips if f.kind == "known"}
        for feature in np.flatnonzero(np.isnan(record)):
            low, high = X[:, feature].min(), X[:, feature].max()
            values = np.linspace(low, high, 2001)
            rows = np.tile(record, (len(values), 1))
            rows[:, feature] = values
            labels = outcomes(flagship, rows)
            flip = flips.get(f"x{feature}")
            if flip is None:
                assert (labels != own).mean() < 0.01  # what is narrower than steps may be missed
                continue
            n_found += 1
            assert (flip.kind, np.isnan(flip.value), flip.distance) == ("known", True, np.inf)
            rows[0, feature] = flip.other
            own_label = outcome_of(flip)
            assert outcomes(flagship, rows[:1])[0] == own_label != own
            words = flip.text.partition(" (missing) -> ")[2].split()
            if words[:2] == ["at", "least"]:
                assert (labels[values >= float(words[2])] == own_label).all()
            elif words[:2] == ["at", "most"]:
                assert (labels[values <= float(words[2])] == own_label).all()
            elif words != ["any", "value"]:
                inside = (values >= float(words[0])) & (values <= float(words[2]))
                assert (labels[inside] == own_label).all()
    assert n_found > 5


def test_values_without_which_the_answer_is_another_one_are_found(flagship):
    n_found = 0
    for seed, record in enumerate(X[::3]):
        record = holed(record, 0.7, seed)
        own = outcomes(flagship, [record])[0]
        rows = np.where(np.eye(len(record), dtype=bool), np.nan, record)
        expected = {
            f"x{feature}": label
            for feature, label in enumerate(outcomes(flagship, rows))
            if label != own
        }
        flips = [flip for flip in flagship.explain(record).flips if flip.kind == "missing"]
        assert {flip.feature: outcome_of(flip) for flip in flips} == expected
        assert all(flip.text.endswith(" -> (missing)") for flip in flips)
        n_found += len(flips)
    assert n_found > 0


def test_novelty_takes_part_in_flips():
    """A value that no rule asks for makes the record unlike the training data."""
    rng = np.random.default_rng(0)
    x = rng.uniform(size=400)
    table = np.column_stack([x, x + rng.normal(0, 0.01, 400)])
    clf = EvidentialRuleClassifier(random_state=0, max_conditions=1, max_rules=1)
    clf.fit(table, x > 0.3)
    asked = int(np.flatnonzero(clf.rules_.asks.any(axis=0))[0])
    record = np.array([0.1, 0.1])
    flips = clf.explain(record).flips
    (flip,) = [f for f in flips if f.feature == f"x{1 - asked}" and f.kind == "change"]
    assert not flip.is_answer
    record[1 - asked] = flip.other
    assert outcomes(clf, [record, [0.1, 0.1]]).tolist() == [None, False]


def test_a_change_to_what_was_never_seen_says_so():
    rows, labels = load_breast_cancer(return_X_y=True)
    clf = EvidentialRuleClassifier().fit(rows, labels)
    flips = [flip for flip in clf.explain(rows[60]).flips if flip.reason == "novelty"]
    assert flips
    for flip in flips:
        assert str(flip).endswith("gives no answer: unlike anything seen")
        changed = rows[60].copy()
        changed[int(flip.feature[1:])] = flip.other
        assert clf.predict_evidence([changed]).reason[0] == "novelty"


def test_changes_lie_within_the_training_data_wherever_the_value_lies():
    """A value outside may be missing as well, which is told before other changes."""
    rows, labels = load_breast_cancer(return_X_y=True)
    clf = EvidentialRuleClassifier(random_state=0).fit(rows, labels)
    low, high = rows.min(axis=0), rows.max(axis=0)
    n_changes = n_first = 0
    for feature in (3, 21, 23, 27):
        for value in (low[feature] - 0.5 * high[feature], 20 * high[feature]):
            record = rows[85].copy()
            record[feature] = value
            flips = clf.explain(record).flips
            for flip in flips:
                f = int(flip.feature[1:])
                if flip.kind == "change":
                    n_changes += 1
                    assert low[f] <= flip.other <= high[f]
            lost = [f.feature for f in flips if f.kind == "missing"]
            if f"x{feature}" in lost:
                n_first += 1
                assert (flips[0].feature, flips[0].kind) == (f"x{feature}", "missing")
    assert min(n_changes, n_first) > 1


def test_flips_do_not_promise_answers_that_are_none():
    rows, labels = load_breast_cancer(return_X_y=True)
    clf = EvidentialRuleClassifier(random_state=0).fit(rows, labels)
    found = set()
    for record in rows[::40]:
        for flip in clf.explain(record).flips:
            changed = record.copy()
            changed[int(flip.feature[1:])] = flip.other
            is_answer = clf.predict_evidence([changed]).verdict[0] == "answer"
            assert flip.is_answer == is_answer
            assert str(flip).endswith(f" gives class {flip.label}") == is_answer
            assert (" gives no answer: " in str(flip)) == (not is_answer)
            found.add(is_answer)
    assert found == {False, True}


def test_another_class_is_found_behind_values_without_an_answer():
    """Compared with brute force: 2001 values of each feature."""
    rows, labels = load_iris(return_X_y=True)
    clf = EvidentialRuleClassifier(random_state=0).fit(rows, labels)
    n_behind = 0
    for record in rows[::10]:
        own = outcomes(clf, [record])[0]
        changes = [flip for flip in clf.explain(record).flips if flip.kind == "change"]
        for feature in range(rows.shape[1]):
            mine = [flip for flip in changes if flip.feature == f"x{feature}"]
            values = np.linspace(rows[:, feature].min(), rows[:, feature].max(), 2001)
            tried = np.tile(record, (len(values), 1))
            tried[:, feature] = values
            found = outcomes(clf, tried)
            if own is None:
                assert all(flip.is_answer for flip in mine)
                continue
            assert len(mine) <= 2
            is_other = np.array([label not in (None, own) for label in found])
            assert any(flip.is_answer for flip in mine) == is_other.any()
            n_behind += len(mine) == 2
    assert n_behind > 3


def test_what_gives_no_answer_any_more_is_told_beside_other_classes():
    rows, labels = load_iris(return_X_y=True)
    clf = EvidentialRuleClassifier(random_state=0).fit(rows, labels)
    texts = [clf.explain(record).to_text() for record in rows[::10]]
    firsts = [text.partition("Smallest change: ")[2].splitlines()[0] for text in texts]
    seconds = ["Smallest change to another class: " in text for text in texts]
    assert any(seconds)
    for first, second in zip(firsts, seconds, strict=True):
        assert " gives no answer: " in first or not second


@pytest.mark.parametrize("kind", [EvidentialRuleClassifier, UCSClassifier])
def test_numbers_that_differ_in_the_last_digit_are_told_apart(kind):
    x = np.where(np.arange(200) % 2, 0.1 + 0.2, 0.3)
    clf = kind().set_params(random_state=0).fit(x[:, np.newaxis], np.arange(200) % 2)
    flip = clf.explain([0.1 + 0.2]).flips[0]
    assert flip.text == "x0 0.30000000000000004 -> 0.3"
