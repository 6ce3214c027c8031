"""Tests of tables with many columns."""

import warnings

import numpy as np
import pytest

from fuzzyucs import EvidentialRuleClassifier, _core, load
from fuzzyucs.explain import explaining
from fuzzyucs.variables import forest
from fuzzyucs.variables.forest import TermForest

N_COLUMNS = 30


@pytest.fixture(scope="module")
def wide_model():
    """A model of more features than dependences are looked for, and than flips are tried of."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(60, N_COLUMNS))
    y = (X[:, 0] > 0).astype(int)
    X[:, 1] = X[:, 2]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(forest, "MOST_FEATURES", N_COLUMNS - 1)
        with pytest.warns(UserWarning, match="among at most 29 features, and there are 30"):
            clf = EvidentialRuleClassifier(random_state=0, max_rules=2).fit(X, y)
    return clf, X


def test_memory_of_a_forest_grows_linearly_with_features() -> None:
    n_terms = np.full(1_000_000, 2, dtype=np.uint32)

    grower = _core.ForestGrower(1, n_terms, 1)  # a gain for each pair would take 8 TB

    grower.read(0, np.zeros((1, len(n_terms))))
    assert isinstance(grower, _core.ForestGrower)


def test_of_more_features_than_the_limit_none_depends_on_another(monkeypatch):
    rng = np.random.default_rng(0)
    positions = rng.random((60, 5)) * 2
    positions[:, 3] = positions[:, 1]
    n_terms = np.array([3, 3, 3, 3, 0], dtype=np.uint32)  # the last does not count
    monkeypatch.setattr(forest, "MOST_FEATURES", 4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = TermForest.grow_folds(positions, n_terms, 2)
    assert all(tree.parent[3] == 1 or tree.parent[1] == 3 for tree in found)

    monkeypatch.setattr(forest, "MOST_FEATURES", 3)
    with pytest.warns(UserWarning, match="at most 3 features, and there are 4"):
        limited = TermForest.grow_folds(positions, n_terms, 2)
    assert len(limited) == 3
    for tree, full in zip(limited, found, strict=True):
        assert (tree.parent == -1).all()
        assert len(tree.joint) == 0
        assert (tree.marginal == full.marginal).all()


def test_a_wide_model_tells_that_it_has_no_dependences(wide_model):
    clf, X = wide_model
    assert (clf.support_.forest.parent == -1).all()
    novelty = clf.support_.novelty(np.vstack([X, np.full((1, X.shape[1]), 50.0)]))
    assert novelty[:-1].mean() < 0.2
    assert novelty[-1] > 0.99


@pytest.mark.parametrize("gap", [None, 17])
def test_of_many_features_flips_try_those_of_rules_and_the_most_unusual(
    wide_model, monkeypatch, gap
):
    clf, X = wide_model
    record = X[0].copy()
    record[20] = 90.0  # no rule asks for it, but it alone makes the record strange
    if gap is not None:
        record[gap] = np.nan
    asked = set(np.flatnonzero(clf.rules_.asks.any(axis=0)).tolist())
    assert asked < set(range(10))
    everything = clf.explain(record).flips
    monkeypatch.setattr(explaining, "MOST_TRIED", N_COLUMNS - 1)
    monkeypatch.setattr(explaining, "N_UNUSUAL", 1)
    some = {f"x{feature}" for feature in asked | {20}}
    assert "x20" in {flip.feature for flip in everything}
    assert clf.explain(record).flips == [flip for flip in everything if flip.feature in some]
    without = explaining._features_to_try(clf.rules_, record, None)
    assert set(without.tolist()) == asked


def test_a_wide_model_is_the_same_in_a_file(wide_model, tmp_path):
    clf, X = wide_model
    loaded = load(clf.save(tmp_path / "model.json"))
    assert (loaded.predict_proba(X) == clf.predict_proba(X)).all()
    assert str(loaded.explain(X[3])) == str(clf.explain(X[3]))
