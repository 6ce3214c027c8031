"""Predictions over Dask collections are lazy, and equal to those in memory bit for bit."""

import pickle
import subprocess
import sys
import warnings

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

from fuzzyucs import (
    Evidence,
    EvidentialRuleClassifier,
    FuzzyUCSClassifier,
    RejectOption,
    UCSClassifier,
)
from fuzzyucs.estimators.dask_predictions import LazyEvidence

METHODS = ("predict", "predict_proba", "predict_set", "membership")
FIELDS = ("mass", "ignorance", "log_agreement", "probability", "conflict")
CLASSIFIERS = {
    "flagship": lambda: EvidentialRuleClassifier(n_jobs=2),
    "fuzzy": lambda: FuzzyUCSClassifier(epochs=3, support="auto", random_state=1),
    "crisp": lambda: UCSClassifier(epochs=3, random_state=1),
}


def numbers(n=90):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(n, 3))
    y = np.array(["low", "medium", "high"])[np.digitize(X[:, 0] + X[:, 1], [-0.5, 0.5])]
    X[rng.random(X.shape) < 0.05] = np.nan
    return X, y


def frame(n=90, colour="str"):
    """Numbers, categories, dates and truth values, some of each missing."""
    rng = np.random.default_rng(7)
    size = rng.normal(size=n)
    table = pd.DataFrame(
        {
            "size": np.where(rng.random(n) < 0.1, np.nan, size),
            "colour": rng.choice(["blue", "green", "red"], n),
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 60, n), "D"),
            "old": rng.random(n) < 0.5,
        }
    )
    table.loc[rng.random(n) < 0.1, "colour"] = None
    table.loc[rng.random(n) < 0.1, "day"] = None
    y = np.where(size + (table["colour"] == "red") > 0.3, 1, 0)
    return table.astype({"colour": colour}), y


@pytest.fixture(scope="module", params=CLASSIFIERS)
def fitted(request):
    X, y = numbers()
    return CLASSIFIERS[request.param]().fit(X, y)


@pytest.fixture(scope="module", params=["flagship", "fuzzy"])
def fitted_to_frame(request):
    return CLASSIFIERS[request.param]().fit(*frame())


def assert_same_evidence(one, other):
    assert isinstance(one, Evidence)
    for name in FIELDS:
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
    assert one.classes.tolist() == other.classes.tolist()
    assert (one.novelty is None) == (other.novelty is None)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("chunks", [(40, 3), (40, 2), (90, 1)])
def test_arrays_give_arrays_of_the_same_chunks(fitted, method, chunks):
    X = numbers()[0]
    expected = getattr(fitted, method)(X)
    found = getattr(fitted, method)(da.from_array(X, chunks=chunks))
    assert isinstance(found, da.Array)
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    assert found.chunks[0] == da.from_array(X, chunks=chunks).chunks[0]
    computed = found.compute(scheduler="sync")
    assert computed.dtype == expected.dtype
    assert np.array_equal(computed, expected)


@pytest.mark.parametrize("method", METHODS)
def test_sizes_of_chunks_may_be_unknown_and_chunks_empty(fitted, method):
    X = numbers()[0]
    lazy = da.from_array(X, chunks=(30, 3))
    keep = np.r_[np.ones(30, bool), np.zeros(30, bool), X[60:, 0] > 0]  # none of the second chunk
    some = lazy[da.from_array(keep, chunks=30)]
    found = getattr(fitted, method)(some)
    assert np.isnan(found.shape[0])
    assert np.array_equal(found.compute(), getattr(fitted, method)(X[keep]))


def test_evidence_is_a_collection_of_its_own(fitted):
    X = numbers()[0]
    lazy = fitted.predict_evidence(da.from_array(X, chunks=(40, 3)))
    assert isinstance(lazy, LazyEvidence)
    assert dask.is_dask_collection(lazy)
    expected = fitted.predict_evidence(X)
    assert_same_evidence(lazy.compute(), expected)
    assert_same_evidence(lazy.persist().compute(), expected)
    together, labels = dask.compute(lazy, fitted.predict(da.from_array(X, chunks=(40, 3))))
    assert_same_evidence(together, expected)
    assert np.array_equal(labels, fitted.predict(X))
    assert [len(part.compute()) for part in lazy.to_delayed()] == [40, 40, 10]


def test_evidence_as_a_frame_has_the_columns_of_evidence_in_memory(fitted):
    X = numbers()[0]
    lazy = fitted.predict_evidence(da.from_array(X, chunks=(40, 3))).to_frame()
    expected = fitted.predict_evidence(X).to_frame()
    assert lazy.columns.tolist() == expected.columns.tolist()
    assert [kind == "float64" for kind in lazy.dtypes] == [
        kind == "float64" for kind in expected.dtypes
    ]
    found = lazy.compute().reset_index(drop=True)
    pd.testing.assert_frame_equal(found, expected, check_dtype=False, check_exact=True)


def test_options_are_checked_at_once_and_used(fitted):
    X = numbers()[0]
    lazy = da.from_array(X, chunks=(40, 3))
    found = fitted.predict_evidence(lazy, combination="yager").compute()
    assert_same_evidence(found, fitted.predict_evidence(X, combination="yager"))
    with pytest.raises(ValueError, match="combination must be one of"):
        fitted.predict_evidence(lazy, combination="magic")


def test_an_answer_has_three_lazy_parts(fitted):
    X = numbers()[0]
    lazy = fitted.answer(da.from_array(X, chunks=(40, 3)))
    assert lazy.labels.chunks == ((40, 40, 10),)
    labels, probability, evidence = dask.compute(*lazy)
    expected = fitted.answer(X)
    assert np.array_equal(labels, expected.labels)
    assert labels.dtype == expected.labels.dtype
    assert np.array_equal(probability, expected.probability)
    assert_same_evidence(evidence, expected.evidence)


def partitions(table, sizes=(25, 0, 40, 25)):
    """Return a Dask data frame with an empty partition."""
    ends = np.cumsum(sizes)
    parts = [table.iloc[end - size : end] for size, end in zip(sizes, ends, strict=True)]
    return dd.from_delayed([dask.delayed(part) for part in parts], meta=table.iloc[:0])


@pytest.mark.parametrize("colour", ["str", "category"])
@pytest.mark.parametrize("method", METHODS)
def test_frames_with_categories_dates_and_gaps(fitted_to_frame, method, colour):
    X = frame(colour=colour)[0]
    found = getattr(fitted_to_frame, method)(partitions(X))
    expected = getattr(fitted_to_frame, method)(X)
    assert isinstance(found, da.Array)
    assert found.dtype == expected.dtype
    assert np.array_equal(found.compute(), expected)


def test_categories_may_be_unknown_and_differ_between_partitions(fitted_to_frame):
    X = frame(colour="category")[0]
    own = partitions(X).map_partitions(
        lambda part: part.assign(colour=part["colour"].cat.remove_unused_categories()),
        meta=X.iloc[:0],
    )
    own["colour"] = own["colour"].cat.as_unknown()
    assert not own["colour"].cat.known
    found = fitted_to_frame.predict_evidence(own).compute()
    assert_same_evidence(found, fitted_to_frame.predict_evidence(X))


@pytest.mark.parametrize("kind", ["str", "category"])
def test_numbers_may_come_as_text(fitted_to_frame, kind):
    """Their type does not tell that they are numbers; the values do."""
    X = frame()[0]
    texts = X.assign(size=X["size"].map(repr, na_action="ignore").astype(kind))
    lazy = partitions(texts)
    if kind == "category":
        lazy["size"] = lazy["size"].cat.as_unknown()
    assert np.array_equal(fitted_to_frame.predict(lazy).compute(), fitted_to_frame.predict(X))


def test_labels_can_be_a_column_of_the_frame(fitted_to_frame):
    X = frame()[0]
    lazy = dd.from_pandas(X, npartitions=3)
    found = lazy.assign(label=fitted_to_frame.predict(lazy)).compute()
    assert found["label"].tolist() == fitted_to_frame.predict(X).tolist()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda X: X[["colour", "size", "day", "old"]], "feature names"),
        (lambda X: X[["size", "colour", "day"]], "feature names"),
        (lambda X: X.rename(columns={"size": "length"}), "feature names"),
        (lambda X: X.assign(size=X["day"]), "'size' must hold numbers"),
        (lambda X: X.assign(colour=1.0), "'colour'"),
        (lambda X: X.assign(day=1.0), "'day'"),
    ],
)
def test_columns_are_checked_before_anything_is_computed(fitted_to_frame, change, message):
    def fail():
        raise AssertionError("computed")

    X = change(frame()[0])
    lazy = dd.from_delayed([dask.delayed(fail)()], meta=X.iloc[:0], verify_meta=False)
    with pytest.raises(ValueError, match=message):
        fitted_to_frame.predict(lazy)


def test_shapes_and_kinds_are_checked_at_once(fitted):
    with pytest.raises(ValueError, match="3 features"):
        fitted.predict(da.ones((6, 2)))
    with pytest.raises(ValueError, match="X must have two dimensions"):
        fitted.predict(da.ones(6))
    with pytest.raises(TypeError, match="got a Dask Series"):
        fitted.predict(dd.from_pandas(pd.Series([1.0]), npartitions=1))
    with pytest.raises(ValueError, match="X must hold numbers, got datetime64"):
        fitted.predict(da.zeros((6, 3), dtype="datetime64[s]"))


def test_what_needs_values_says_what_to_do(fitted):
    lazy = da.ones((1, 3))
    for work in (fitted.explain, fitted.check_table):
        with pytest.raises(TypeError, match="X must be in memory, got a Dask Array; call its"):
            work(lazy)
    with pytest.raises(TypeError, match="y must be in memory"):
        fitted.check_data(np.ones((1, 3)), da.ones(1))


def test_a_reject_option_says_what_to_do(fitted):
    X, y = numbers()
    clf = RejectOption(fitted, target_coverage=0.5, cv="prefit").fit(X, y)
    with pytest.raises(TypeError, match="X must be in memory, got a Dask Array"):
        clf.predict(da.from_array(X, chunks=(40, 3)))


def test_what_is_done_to_a_model_later_does_not_change_a_lazy_answer():
    X, y = numbers()
    clf = FuzzyUCSClassifier(epochs=2, random_state=0).fit(X, y)
    expected = clf.predict_proba(X)
    lazy = clf.predict_proba(da.from_array(X, chunks=(40, 3)))
    clf.set_params(inference="swin")
    assert not np.array_equal(clf.predict_proba(X), expected)
    assert np.array_equal(lazy.compute(), expected)


def test_the_model_is_in_the_graph_once(fitted):
    small = len(pickle.dumps(fitted))
    X = da.ones((400, 3), chunks=(4, 3))
    for lazy in (fitted.predict(X), fitted.predict_evidence(X)):
        models = [key for key in dict(lazy.__dask_graph__()) if type(fitted).__name__ in str(key)]
        assert len(models) == 1
        text = pickle.dumps(dict(lazy.__dask_graph__()))
        assert text.count(b"learner_state_" if hasattr(fitted, "learner_state_") else b"form_") == 1
        assert len(text) < small + 400_000


def test_an_array_without_names_is_warned_of_once():
    X, y = frame()
    clf = FuzzyUCSClassifier(epochs=1, random_state=0).fit(X[["size"]], y)
    with pytest.warns(UserWarning, match="valid feature names"):
        lazy = clf.predict(da.from_array(X[["size"]].to_numpy(), chunks=(30, 1)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lazy.compute(scheduler="sync")


class TestScore:
    def test_of_collections_and_of_labels_in_memory(self, fitted):
        X, y = numbers()
        y = np.roll(y, 20)
        lazy, labels = da.from_array(X, chunks=(40, 3)), da.from_array(y, chunks=25)
        expected = fitted.score(X, y)
        assert 0 < expected < 1
        assert fitted.score(lazy, labels) == expected
        assert fitted.score(lazy, y) == expected
        assert fitted.score(X, labels) == expected

    def test_with_weights(self, fitted):
        X, y = numbers()
        y = np.roll(y, 20)
        weight = np.arange(90) / 7
        lazy = [da.from_array(part, chunks=30) for part in (X, y, weight)]
        assert fitted.score(*lazy) == pytest.approx(fitted.score(X, y, weight), rel=1e-14)
        assert fitted.score(lazy[0], lazy[1], weight) == fitted.score(X, y, weight)

    def test_of_frames(self, fitted_to_frame):
        X, y = frame()
        table = partitions(X.assign(label=np.roll(y, 20)))
        found = fitted_to_frame.score(table.drop(columns="label"), table["label"])
        assert found == fitted_to_frame.score(X, np.roll(y, 20)) < 1

    def test_rows_have_to_fit(self, fitted):
        X = da.from_array(numbers()[0], chunks=(40, 3))
        with pytest.raises(ValueError, match="y must have as many rows as X, 90, got 89"):
            fitted.score(X, da.ones(89))
        unknown = dd.from_array(numbers()[1], chunksize=30)
        with pytest.raises(ValueError, match="y must have as many partitions as X, 3, got 2"):
            fitted.score(X, unknown.repartition(npartitions=2))
        with pytest.raises(ValueError, match="as many rows as X in each partition, got 30 and"):
            fitted.score(X, unknown)


def test_dask_is_not_imported_for_others():
    code = (
        "import sys, numpy as np, fuzzyucs; X = np.arange(20.).reshape(-1, 1); y = X[:, 0] > 9;"
        "clf = fuzzyucs.FuzzyUCSClassifier(epochs=1, random_state=0).fit(X, y);"
        "clf.predict(X), clf.score(X, y); assert not {'dask', 'distributed'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
