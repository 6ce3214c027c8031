"""Tests of tables with many columns."""

import tracemalloc
import warnings

import numpy as np
import pytest

from fuzzyucs import EvidentialRuleClassifier, _core, load
from fuzzyucs.estimators import searching
from fuzzyucs.estimators.growth import Growth
from fuzzyucs.estimators.searching import SearchSettings
from fuzzyucs.estimators.training import TrainingData
from fuzzyucs.explain import explaining
from fuzzyucs.variables import forest
from fuzzyucs.variables.codes import FineTerms
from fuzzyucs.variables.forest import TermForest
from fuzzyucs.variables.linguistic import LinguisticPartition
from fuzzyucs.variables.table import Table

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


def fitted_with_partners(monkeypatch, most, max_conditions="auto"):
    """Return a model of columns among which two tell something together, and its warnings."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(90, 12))
    X[:, 9] = rng.normal(size=90)
    y = ((X[:, 4] > 0.2) & (X[:, 9] > 0.2)).astype(int)
    monkeypatch.setattr(searching, "MOST_PARTNERS", most)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        clf = EvidentialRuleClassifier(max_conditions=max_conditions).fit(X, y)
    return clf, [str(warning.message) for warning in caught]


def test_up_to_the_limit_conditions_are_looked_for_among_all_columns(monkeypatch, tmp_path):
    models = [fitted_with_partners(monkeypatch, most) for most in (12, 10**9)]
    files = [clf.save(tmp_path / f"{n}.json").read_bytes() for n, (clf, _) in enumerate(models)]
    assert files[0] == files[1]
    assert models[0][1] == []
    assert any(len(np.flatnonzero(asks)) > 1 for asks in models[0][0].rules_.asks)


def test_beyond_the_limit_a_warning_tells_what_was_left_out(monkeypatch):
    clf, messages = fitted_with_partners(monkeypatch, 11)
    assert len(clf.rules_) > 0
    (message,) = messages
    assert message.startswith("of 12 features that vary, the first condition of a rule may be on")
    assert "among the 11 that tell most" in message

    _, messages = fitted_with_partners(monkeypatch, 11, max_conditions=1)
    assert messages == []  # nothing was left out


def test_with_one_partner_rules_of_several_conditions_share_it(monkeypatch):
    clf, _ = fitted_with_partners(monkeypatch, 1)
    asks = clf.rules_.asks
    assert asks.sum(axis=1).max() <= 2


def test_memory_of_grown_rules_depends_on_what_they_ask_for_not_on_columns() -> None:
    """Each stage of a path holds on to its rules."""
    rng = np.random.default_rng(0)
    n_columns = 3000
    X = rng.normal(size=(40, n_columns))
    labels = (X[:, 0] > 0).astype(np.uint32)
    X[:, 20:] = X[:, 20:40].repeat(n_columns // 20 - 1, axis=1)
    table = Table.of(X)
    data = TrainingData(np.arange(2), table, labels, np.ones(len(X)))
    names = [f"x{number}" for number in range(n_columns)]
    usual = LinguisticPartition.of(table, names, partition="quantile", with_borders=False)
    growth = Growth(data, FineTerms(usual, table), SearchSettings(0.6))
    search = growth.begin(np.arange(len(X)))
    n_rules = growth.advance(search, 1.0, 30)
    assert n_rules > 0
    growth.grown(search)
    tracemalloc.start()
    stages = [growth.grown(search) for _ in range(5)]
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept < 5 * n_columns * 20  # bytes: a few for each column, of any number of rules
    assert [stage.n_rules for stage in stages] == [n_rules] * 5
    assert sum(not sets.all() for sets in stages[0].accepted) > 0
