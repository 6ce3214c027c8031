"""Narrow and broad terms compete on held-out rows."""

from itertools import pairwise

import numpy as np
import pytest
from sklearn.datasets import load_iris

from fuzzyucs import EvidentialRuleClassifier
from fuzzyucs.estimators import learning
from fuzzyucs.estimators.growth import MANY_ROWS
from fuzzyucs.estimators.penalty_path import PATH, SLOW_PATH, usual_path
from fuzzyucs.estimators.resolution import ALLOWANCE, MOST_ROWS, N_BROAD, best_path
from fuzzyucs.variables.codes import broad_peaks
from fuzzyucs.variables.table import Table
from scripted_growth import Scripted


def smooth(n, seed=0):
    """The greater the values, the more probable the second class."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 4))
    return x, (x.sum(axis=1) + rng.logistic(size=n) > 0).astype(int)


def striped(n, seed=0):
    """Classes change where broad terms do not."""
    x = np.random.default_rng(seed).random((n, 2))
    return x, (np.floor(12 * x[:, 0]) % 2).astype(int)


def n_terms(clf):
    return [len(clf.rules_.variables.peaks(f)) for f in range(clf.n_features_in_)]


def test_broad_terms_are_taken_where_classes_change_gradually():
    X, y = smooth(600)
    clf = EvidentialRuleClassifier().fit(X, y)
    assert n_terms(clf) == [N_BROAD] * 4
    # Peaks are those of the data, and the same in rules, texts and files.
    for feature in range(4):
        expected = np.quantile(X[:, feature], np.linspace(0.03, 0.97, 4), method="nearest")
        assert clf.rules_.variables.peaks(feature).tolist() == expected.tolist()


def test_they_predict_other_rows_better_there(monkeypatch):
    rows, labels = smooth(5000, seed=1)
    broad = EvidentialRuleClassifier().fit(*smooth(600))
    monkeypatch.setattr(learning, "MOST_ROWS", 0)
    narrow = EvidentialRuleClassifier().fit(*smooth(600))
    assert n_terms(narrow) != [N_BROAD] * 4
    own = [np.log(m.predict_proba(rows)[np.arange(5000), labels]).mean() for m in (broad, narrow)]
    assert own[0] > own[1]


def test_narrow_terms_are_taken_where_classes_change_often():
    X, y = striped(3000)
    clf = EvidentialRuleClassifier().fit(X, y)
    assert n_terms(clf)[0] > 10
    assert clf.score(*striped(2000, seed=1)) > 0.9


def test_many_rows_have_narrow_terms_alone(capsys):
    for n, competes in ((MOST_ROWS - 1, True), (MOST_ROWS, False)):
        EvidentialRuleClassifier(verbose=2, support=None).fit(*smooth(n))
        assert ("Trying broad terms" in capsys.readouterr().err) == competes


@pytest.mark.parametrize("given", [{"n_terms": 5}, {"partition": "uniform"}])
def test_terms_that_a_user_wants_have_no_rival(given, capsys):
    EvidentialRuleClassifier(verbose=2, **given).fit(*load_iris(return_X_y=True))
    assert "broad" not in capsys.readouterr().err


def test_features_without_order_have_no_rival(capsys):
    x = np.random.default_rng(0).integers(0, 3, (200, 2)).astype(float)
    EvidentialRuleClassifier(verbose=2).fit(x, x[:, 0] == x[:, 1])
    assert "broad" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("quality", "is_broad"), [(0.5, True), (0.6, True), (0.495, True), (0.45, False)]
)
def test_broad_terms_may_be_a_little_worse(quality, is_broad):
    narrow, broad = Scripted([(9, 0.5)] * 19), Scripted([(9, quality)] * 19)
    growth, stages, stage = best_path([narrow, broad], None, 1, None)
    losses = [best_path([g], None, 1, None)[2].loss for g in (narrow, broad)]
    assert (losses[1] <= ALLOWANCE * losses[0]) == is_broad
    assert growth is (broad if is_broad else narrow)
    assert stage in stages


def test_a_penalty_that_is_given_is_the_last_of_both_paths():
    narrow, broad = Scripted([(9, 0.5)] * 19), Scripted([(9, 0.6)] * 19)
    growth, stages, stage = best_path([narrow, broad], 1.5, 1, None)
    assert growth is broad
    assert stage is stages[-1]
    assert stage.penalty == 1.5


@pytest.mark.parametrize("values", [[3.0, 3.0], [0.0] * 99 + [7.0], [-1e308, 0.0, 1e308]])
def test_broad_peaks_are_values_of_the_data(values):
    peaks = broad_peaks(np.array(values), 4)
    assert set(peaks) <= set(values)
    assert {peaks[0], peaks[-1]} == {min(values), max(values)}


def test_penalties_fall_more_slowly_in_many_rows():
    class Of(Scripted):
        def __init__(self, n):
            super().__init__([])
            self.data = self.data.__class__(
                np.arange(2), Table.of(np.zeros((n, 1))), np.zeros(n, np.uint32), np.ones(n)
            )

    assert usual_path(Of(MANY_ROWS - 1)) == PATH
    assert usual_path(Of(MANY_ROWS)) == SLOW_PATH
    for path, factor in ((PATH, 0.5 ** (1 / 2)), (SLOW_PATH, 0.5 ** (1 / 3))):
        penalties = [penalty for penalty, _ in path]
        assert [b / a for a, b in pairwise(penalties)] == pytest.approx([factor] * (len(path) - 1))
        assert penalties[0] == 32
        assert penalties[-1] == 1 / 16


def test_terms_lie_as_a_user_wants_them():
    rng = np.random.default_rng(0)
    x = rng.exponential(size=400)
    y = (x > 1) ^ (rng.random(400) < 0.05)
    peaks = {
        way: EvidentialRuleClassifier(n_terms=5, partition=way, penalty=1.0)
        .fit(x[:, np.newaxis], y)
        .rules_.variables.peaks(0)
        for way in ("uniform", "quantile", "auto")
    }
    np.testing.assert_allclose(peaks["uniform"], np.linspace(x.min(), x.max(), 5))
    np.testing.assert_allclose(peaks["quantile"], np.quantile(x, np.linspace(0, 1, 5)))
    np.testing.assert_array_equal(peaks["auto"], peaks["quantile"])
