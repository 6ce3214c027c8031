"""From rows to rules: folds, the path of penalties, and the last steps to a model."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_wine
from sklearn.metrics import log_loss

from fuzzyucs import EvidentialRuleClassifier, LinguisticPartition
from fuzzyucs.datasets import make_carry, make_multiplexer
from fuzzyucs.estimators.growth import Growth
from fuzzyucs.estimators.penalty_path import PATH, PATIENCE, best_stage, follow_path
from fuzzyucs.estimators.training import TrainingData, deal
from fuzzyucs.estimators.weighing import Weighing
from fuzzyucs.variables.table import Stored, Table
from scripted_growth import Scripted, data_by_chance
from soaking import first
from tables import table_by_chance

SEEDS = st.integers(0, 2**32 - 1)

pytestmark = pytest.mark.filterwarnings("ignore:whether values are missing depends on the class")


def shuffled(data, order):
    return TrainingData(
        data.classes, data.table.take(order), data.labels[order], data.sample_weight[order]
    )


# Folds


@settings(derandomize=True, deadline=None, max_examples=100)
@given(SEEDS, st.integers(2, 9))
def test_every_class_is_dealt_as_evenly_as_it_goes(seed, n_parts):
    data = data_by_chance(np.random.default_rng(seed))
    n = len(data.labels)
    folds = deal(data, n_parts)
    assert len(folds) == min(n_parts, n)
    for train, test in folds:
        assert_array_equal(np.sort(np.concatenate([train, test])), np.arange(n))
    held_out = np.concatenate([test for _, test in folds])
    assert_array_equal(np.sort(held_out), np.arange(n))
    counts = np.array([np.bincount(data.labels[t], minlength=data.n_classes) for _, t in folds])
    if n >= n_parts:
        assert np.ptp(counts, axis=0).max() <= 1
        assert np.ptp(counts.sum(axis=1)) <= 1


def contents(data, rows):
    """Return what the rows hold, and how often."""
    columns = np.nan_to_num(data.table.take(rows).rows() + 0.0, nan=99.0).tolist()
    return Counter(
        zip(map(tuple, columns), data.labels[rows], data.sample_weight[rows], strict=True)
    )


@settings(derandomize=True, deadline=None, max_examples=100)
@given(SEEDS)
def test_folds_do_not_depend_on_the_order_of_rows(seed):
    rng = np.random.default_rng(seed)
    data = data_by_chance(rng)
    other = shuffled(data, rng.permutation(len(data.labels)))
    # The same numbers: zeros with a sign, and other kinds of NaN.
    X = other.table.rows()
    X[(X == 0) & (rng.random(X.shape) < 0.5)] = -0.0
    strange = np.array([0x7FF8000000000123, 0xFFF8000000000000], dtype=np.uint64).view(float)
    places = np.isnan(X)
    X[places] = rng.choice(strange, places.sum())
    other = replace(other, table=Table.of(X))
    for (_, one), (_, two) in zip(deal(data, 4), deal(other, 4), strict=True):
        assert contents(data, one) == contents(other, two)


def test_rows_are_dealt_as_if_by_chance():
    """Of rows that lie side by side, about half are dealt together into two parts."""
    data = data_by_chance(np.random.default_rng(0), 1000)
    data.table.columns[0] = Stored(np.arange(1000.0))
    part = np.zeros(1000, dtype=bool)
    part[deal(data, 2)[0][1]] = True
    assert 0.45 < (part[1:] == part[:-1]).mean() < 0.55


@pytest.mark.parametrize(
    ("n", "n_folds"),
    [(2, 2), (499, 6), (500, 4), (3499, 4), (3500, 3), (4999, 3), (5000, 1), (20_000, 1)],
)
def test_the_more_rows_the_fewer_folds(n, n_folds):
    data = data_by_chance(np.random.default_rng(0), n)
    folds = Growth(data, None, None).folds()
    assert len(folds) == n_folds
    held_out = n if n_folds > 1 else n // (5 if n < 20_000 else 10)
    assert sum(len(test) for _, test in folds) == held_out


# The path of penalties


PATIENT = PATIENCE[0][1]  # with few rows
GOOD, WORSE = (9, 0.5), (9, 0.4)


@pytest.mark.parametrize(
    ("script", "n_stages", "best"),
    [
        ([GOOD] + [WORSE] * 18, 1 + PATIENT, 0),
        ([GOOD] * 19, 1 + PATIENT, 0),
        ([GOOD] + [WORSE] * 3 + [(9, 0.6)] + [WORSE] * 14, 5 + PATIENT, 4),
        ([(k, k / 20) for k in range(1, 20)], 19, 18),
        # No rule is worth the penalty yet.
        ([(0, 0.1)] * 10 + [GOOD] + [WORSE] * 8, 11 + PATIENT, 10),
        ([(0, 0.1)] * 19, 19, 0),
    ],
)
@pytest.mark.parametrize("is_asked", [False, True])
def test_penalties_that_are_worse_in_a_row_end_the_path(script, n_stages, best, is_asked):
    stages = follow_path(Scripted(script), PATH, is_asked=is_asked, n_jobs=1, bar=None)
    assert len(stages) == (19 if is_asked else n_stages)
    assert [s.penalty for s in stages] == [penalty for penalty, _ in PATH[: len(stages)]]
    assert [s.n_rules for s in stages] == [n for n, _ in script[: len(stages)]]
    assert best_stage(stages) is stages[best]
    assert {len(s.losses) for s in stages} == {60}


def test_losses_are_those_of_rows_that_were_held_out():
    X, y = load_wine(return_X_y=True)
    data = TrainingData(np.arange(3), Table.of(X), y.astype(np.uint32), np.ones(len(y)))
    seen, asked, said = [], [], np.zeros((len(y), 3))

    class Spied(Scripted):
        def begin(self, rows):
            seen.append(set(rows.tolist()))
            return iter([(1, 0.5)])

        def probabilities(self, _search, rows):
            assert not seen[len(asked)] & set(rows.tolist())
            asked.append(rows)
            rates = np.random.default_rng(len(asked)).dirichlet(np.ones(3), len(rows))
            said[rows] = rates
            return rates

    growth = Spied([])
    growth.data = data
    (stage,) = follow_path(growth, PATH[:1], is_asked=False, n_jobs=1, bar=None)
    errors = (said.argmax(axis=1) != y).sum()
    assert stage.loss == pytest.approx(log_loss(y, said, normalize=False) + errors)
    assert stage.log_loss == pytest.approx(log_loss(y, said))
    assert stage.accuracy == pytest.approx(1 - errors / len(y))


# The last steps


def fitted_parts(monkeypatch, n_models, n_rows=178):
    """Fit, and return the model and in which rows rules were grown at the end."""
    X, y = load_wine(return_X_y=True)
    rows_of, grow = [], Growth.grow

    def remember(growth, path, rows):
        rows_of.append(rows)
        return grow(growth, path, rows)

    monkeypatch.setattr(Growth, "grow", remember)
    some = np.random.default_rng(0).permutation(178)[:n_rows]
    clf = EvidentialRuleClassifier(n_models=n_models, penalty=1.0, random_state=0)
    return clf.fit(X[some], y[some]), rows_of


@pytest.mark.parametrize(("n_models", "n_parts"), [(2, 5), (5, 5), (7, 7)])
def test_each_of_several_models_is_grown_without_another_part(monkeypatch, n_models, n_parts):
    clf, rows_of = fitted_parts(monkeypatch, n_models)
    assert len(rows_of) == n_models
    left_out = [set(range(178)) - set(rows.tolist()) for rows in rows_of]
    assert sum(map(len, left_out)) == len(set.union(*left_out))
    assert {len(part) for part in left_out} <= {178 // n_parts, 178 // n_parts + 1}
    # Their profiles are found on all rows.
    rules = clf.rules_
    assert_array_equal(rules.class_rows, [59, 71, 48])
    assert rules.applies.sum(axis=1).max() > max(map(len, rows_of)) / 3


def test_one_model_is_grown_in_all_rows(monkeypatch):
    _, (rows,) = fitted_parts(monkeypatch, 1)
    assert_array_equal(rows, np.arange(178))


def test_there_are_not_more_models_than_rows(monkeypatch):
    clf, rows_of = fitted_parts(monkeypatch, 50, 12)
    assert len(rows_of) == 12
    assert_allclose(clf.predict_proba(load_wine().data).sum(axis=1), 1)


@pytest.mark.parametrize("most", [1, 3])
def test_max_rules_is_the_size_that_is_wanted(most):
    X, y = load_wine(return_X_y=True)
    options = {"penalty": 1.0, "random_state": 0}
    few, large = (EvidentialRuleClassifier(max_rules=n, **options).fit(X, y) for n in (most, None))
    assert len(few.rules_) == most < len(large.rules_)
    assert few.rules_.to_text() == large.with_size(most).rules_.to_text()


def weighing_of_one_feature(n=200):
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 4, n)
    X, labels = x[:, np.newaxis], (x + rng.normal(0, 0.3, n) > 3).astype(np.uint32)
    data = TrainingData(np.array(["no", "yes"]), Table.of(X), labels, np.ones(n))
    return Weighing(data, LinguisticPartition.uniform(X, 5, ["x"]).with_beliefs(X))


def test_a_rule_and_its_opposite_are_one():
    weighing = weighing_of_one_feature()
    given = np.array([[0b01111], [0b10000]], dtype=np.uint64)
    both = weighing.finish(given, np.array([[1.0, -1.0], [-1.0, 1.0]]), 1.0, None)
    assert both.conditions.tolist() == [[0b10000]]
    # Where the search began does not matter, nor which of them was found.
    for rule, profile in zip(given, ([[1.0, -1.0]], [[0.0, 0.0]]), strict=True):
        one = weighing.finish(rule[np.newaxis], np.array(profile), 1.0, None)
        assert one.conditions.tolist() == [[0b10000]]
        assert_allclose(one.profile, both.profile, rtol=0, atol=0.02)
    assert both.profile[0, 1] > both.profile[0, 0] + 1


def test_rules_that_apply_to_no_row_or_to_all_are_left_out():
    """Even if they tell something, by degrees below one half."""
    weighing = weighing_of_one_feature()
    x, labels = weighing.data.table.columns[0].values, weighing.data.labels
    x[x < 0.6] = 1.5
    labels[:] = (x < 0.9) | (x > 3)
    given = np.array([[0b00001], [0b11110], [0b11111], [0b10000]], dtype=np.uint64)
    positions = weighing.variables.positions(x[:, np.newaxis])
    degrees = weighing.variables.degrees(given, positions)
    assert 0.3 < degrees[:, 0].max() < 0.5
    assert len(weighing.weigh(given[:1], 0.1)) == 1
    rules = weighing.finish(given, np.zeros((4, 2)), 0.1, None)
    assert rules.conditions.tolist() == [[0b10000]]


def test_no_rules_are_a_model():
    weighing = weighing_of_one_feature()
    rules = weighing.finish(np.empty((0, 1), np.uint64), np.empty((0, 2)), 1.0, None)
    assert len(rules) == 0
    assert_allclose(rules.base_rates, weighing.data.base_rates)


# All of it


@pytest.mark.parametrize(
    ("seed", "n_models"), first(2, [(0, 1), (1, 2), (0, 2), (1, 1), (2, 1), (2, 2)])
)
def test_models_do_not_depend_on_the_order_of_rows(seed, n_models):
    frame, y, weight, rng = table_by_chance(seed, 300)
    weight = np.ones(len(y)) if weight is None else weight
    order = rng.permutation(len(y))
    one, other = (
        EvidentialRuleClassifier(random_state=0, n_models=n_models, support=None).fit(
            frame.iloc[rows], y[rows], sample_weight=weight[rows]
        )
        for rows in (np.arange(len(y)), order)
    )
    assert one.penalty_ == other.penalty_
    assert set(one.rules_.to_text().splitlines()) == set(other.rules_.to_text().splitlines())
    assert_allclose(one.predict_proba(frame), other.predict_proba(frame), rtol=0, atol=1e-12)


@pytest.mark.parametrize("n", [2000, 6000])
@pytest.mark.parametrize("make", [make_multiplexer, make_carry])
def test_pure_interactions_are_found(make, n):
    """No feature tells anything alone: 11 bits, of which three are the address of another."""
    X, y = make(n, random_state=0)
    X_test, y_test = make(2000, random_state=1)
    clf = EvidentialRuleClassifier(random_state=0).fit(X > 0.5, y)
    assert clf.score(X_test > 0.5, y_test) > 0.99


def test_nothing_is_left_to_chance_in_many_rows():
    rng = np.random.default_rng(0)
    X = rng.random((5200, 4))
    X[rng.random(X.shape) < 0.05] = np.nan
    y = (X[:, 0] > 0.5).astype(int) + 2 * (X[:, 1] > rng.random(5200))
    order = rng.permutation(5200)
    models = [
        EvidentialRuleClassifier(random_state=seed, support=None).fit(X[rows], y[rows])
        for seed, rows in ((0, slice(None)), (1, slice(None)), (0, order))
    ]
    first, *others = models
    for other in others:
        assert other.penalty_ == first.penalty_
        assert_array_equal(other.rules_.conditions, first.rules_.conditions)
        assert_array_equal(other.rules_.profile, first.rules_.profile)
    # The rules grew without some rows, but all of them weigh them.
    assert first.rules_.class_rows.sum() == 5200
    assert first.path_["n_rules"][0] > 0
