"""Large tables: a sample chooses terms and penalty, and nothing depends on where rows are."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from fuzzyucs import EvidentialRuleClassifier
from fuzzyucs.estimators import penalty_path
from large_tables import mixed, numbers, small_samples


def saved(clf, path):
    clf.save(path)
    return path.read_bytes()


@pytest.fixture(autouse=True)
def few_sampled():
    with small_samples():
        yield


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_order_of_rows_does_not_matter(n_classes, tmp_path):
    X, y = numbers(n_classes=n_classes)
    weight = np.random.default_rng(1).uniform(0.1, 3, len(y))
    order = np.random.default_rng(2).permutation(len(y))
    one = EvidentialRuleClassifier().fit(X, y, weight)
    other = EvidentialRuleClassifier(n_jobs=2).fit(X[order], y[order], weight[order])
    other.n_jobs = None
    assert len(one.rules_) > 5
    assert saved(one, tmp_path / "a.json") == saved(other, tmp_path / "b.json")


def test_quality_is_that_of_all_rows():
    X, y = numbers(20_000, seed=1)
    rows, labels = numbers(20_000, seed=2)
    sampled = EvidentialRuleClassifier().fit(X, y)
    with small_samples(2**20):
        whole = EvidentialRuleClassifier().fit(X, y)
        # What a sample of that size alone would give.
        few = EvidentialRuleClassifier().fit(X[:1024], y[:1024])
    score = {clf: clf.score(rows, labels) for clf in (sampled, whole, few)}
    assert score[sampled] > score[whole] - 0.004
    assert score[whole] > score[few] + 0.002


def test_counts_and_ranges_are_those_of_all_rows():
    frame = mixed()
    X, y = frame.drop(columns="ill"), frame["ill"]
    clf = EvidentialRuleClassifier().fit(X, y)
    assert clf.rules_.class_rows.tolist() == y.value_counts()[["no", "yes"]].tolist()
    for rule, text in enumerate(clf.rules_.to_text().splitlines()[: len(clf.rules_)]):
        holds = clf.rules_.variables.holds(clf.rules_.conditions[[rule]], clf._records(X))
        assert clf.rules_.applies[rule].sum() == holds.sum()
        assert f"applies to {holds.sum():,} of 6,000" in text
    known = clf.support_.known
    assert known.maximum[1] == X["age"].max()
    assert known.maximum[3] == X["income"].max()
    assert len(known.values[0]) == 4


def test_a_row_of_the_training_data_is_never_outside():
    X, y = numbers(seed=4)
    clf = EvidentialRuleClassifier().fit(X, y)
    assert not clf.support_.known.total_excess(np.ascontiguousarray(X)).any()


@pytest.mark.parametrize("params", [{"n_models": 3}, {"max_rules": 4}, {"penalty": 3.0}])
def test_other_parameters_work_as_for_small_tables(params):
    X, y = numbers()
    clf = EvidentialRuleClassifier(**params).fit(X, y)
    assert clf.score(X, y) > 0.73
    assert len(clf.rules_) <= params.get("max_rules", 1000)
    if clf.n_models == 1:
        assert len(clf.with_size(2).rules_) <= 2


def test_tables_of_few_different_rows_are_learned():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (5000, 3)).astype(float)
    y = (X[:, 0] != X[:, 1]).astype(int)
    assert EvidentialRuleClassifier().fit(X, y).score(X, y) == 1.0


def stop_after(n, monkeypatch):
    """Let a fit fail after some stages."""
    real, count = penalty_path.Stage.of, iter(range(n))

    def of(*arguments):
        if next(count, None) is None:
            raise KeyboardInterrupt
        return real(*arguments)

    monkeypatch.setattr(penalty_path.Stage, "of", of)


@pytest.mark.parametrize("n", [1, 3])
def test_an_interrupted_fit_goes_on_from_its_checkpoint(n, monkeypatch, tmp_path):
    X, y = numbers()
    path = tmp_path / "checkpoint"
    expected = saved(EvidentialRuleClassifier().fit(X, y), tmp_path / "a.json")
    with monkeypatch.context() as patch:
        stop_after(n, patch)
        clf = EvidentialRuleClassifier()
        with pytest.raises(KeyboardInterrupt):
            clf.fit(X, y, checkpoint=path)
    assert not hasattr(clf, "rules_")
    written = path.read_bytes()
    # Stages that are known are not grown again.
    grown = []
    real = penalty_path.Stage.of
    monkeypatch.setattr(penalty_path.Stage, "of", lambda *a: grown.append(a) or real(*a))
    clf.fit(X, y, checkpoint=path)
    assert saved(clf, tmp_path / "b.json") == expected
    assert len(grown) == len(clf.path_["penalty"]) - n
    assert not path.exists()
    assert len(written) > 100


def test_checkpoints_of_other_fits_and_other_files_are_refused(monkeypatch, tmp_path):
    X, y = numbers()
    path = tmp_path / "checkpoint"
    with monkeypatch.context() as patch:
        stop_after(2, patch)
        with pytest.raises(KeyboardInterrupt):
            EvidentialRuleClassifier().fit(X, y, checkpoint=path)
    content = path.read_bytes()
    with pytest.raises(ValueError, match=r"checkpoint .* other data or with other parameters"):
        EvidentialRuleClassifier().fit(X[1:], y[1:], checkpoint=path)
    with pytest.raises(ValueError, match="belongs to a fit of other data"):
        EvidentialRuleClassifier(max_conditions=2).fit(X, y, checkpoint=path)
    assert path.read_bytes() == content
    for junk in (b"", b"PK", content[: len(content) // 2]):
        path.write_bytes(junk)
        with pytest.raises(ValueError, match="cannot be read as one"):
            EvidentialRuleClassifier().fit(X, y, checkpoint=path)
        assert path.read_bytes() == junk


def test_base_rates_follow_class_weights():
    X, y = numbers()
    y = np.where(np.random.default_rng(0).random(len(y)) < 0.8, 0, y)
    clf = EvidentialRuleClassifier(class_weight="balanced").fit(X, y)
    assert_array_equal(clf.base_rates_.round(6), [0.5, 0.5])
