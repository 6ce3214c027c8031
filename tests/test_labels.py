"""Class labels of all kinds: they stay what they are, and missing ones are refused."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal

from fuzzyucs import EvidentialRuleClassifier, FuzzyUCSClassifier, RejectOption

X = pd.DataFrame({"x": np.arange(40.0), "day": pd.date_range("2026-01-01", periods=40)})
IS_HIGH = np.arange(40) >= 20


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        (pd.Series(IS_HIGH.astype(int), dtype="Int64"), [0, 1]),
        (pd.Series(IS_HIGH.astype(int), dtype="UInt8"), [0, 1]),
        (pd.Series(IS_HIGH.astype(int), dtype="int64[pyarrow]"), [0, 1]),
        (pd.Series(IS_HIGH, dtype="boolean"), [False, True]),
        (pd.Series(np.where(IS_HIGH, "high", "low"), dtype="string"), ["high", "low"]),
        (pd.Series(np.where(IS_HIGH, "b", "a"), dtype="category"), ["a", "b"]),
        (pl.Series(IS_HIGH.astype(int)), [0, 1]),
        (pl.Series(IS_HIGH), [False, True]),
    ],
    ids=lambda value: str(value.dtype) if hasattr(value, "dtype") else "",
)
def test_labels_stay_what_they_are(labels, classes):
    clf = EvidentialRuleClassifier(random_state=0).fit(X, labels)
    assert clf.classes_.tolist() == classes
    assert [type(label) for label in clf.classes_.tolist()] == [type(label) for label in classes]
    assert_array_equal(clf.predict(X), np.array(classes)[(np.asarray(labels) == classes[1]) * 1])
    assert clf.score(X, labels) == 1


@pytest.mark.parametrize(
    "labels",
    [
        pd.Series([0, 1, pd.NA, 1] * 10, dtype="Int64"),
        pd.Series([False, True, None, True] * 10, dtype="boolean"),
        pd.Series(["a", "b", None, "b"] * 10, dtype="string"),
        pd.Series(["a", "b", None, "b"] * 10, dtype=object),
        pd.Series(["a", "b", None, "b"] * 10, dtype="category"),
        pd.Series([pd.Timestamp("2026"), pd.Timestamp("2027"), pd.NaT, pd.NaT] * 10),
        np.array([0.0, 1.0, np.nan, 1.0] * 10),
        np.array(["2026", "2027", "NaT", "2027"] * 10, dtype="M8[D]"),
        ["a", "b", None, "b"] * 10,
        [0, 1, float("nan"), 1] * 10,
        pl.Series([0, 1, None, 1] * 10),
        pl.Series(["a", "b", None, "b"] * 10),
    ],
    ids=lambda labels: f"{type(labels).__module__.split('.')[0]} {getattr(labels, 'dtype', '')}",
)
@pytest.mark.parametrize(
    "clf",
    [
        EvidentialRuleClassifier(),
        FuzzyUCSClassifier(),
        RejectOption(EvidentialRuleClassifier(), target_risk=0.1),
    ],
    ids=lambda clf: type(clf).__name__,
)
def test_missing_labels_are_refused(labels, clf):
    with pytest.raises(ValueError, match="y must have a label in each row, but row 2 has none"):
        clf.fit(X, labels)


def test_rejected_rows_have_labels_of_the_same_kind():
    labels = pd.Series(IS_HIGH.astype(int), dtype="Int64")
    clf = RejectOption(EvidentialRuleClassifier(random_state=0), target_coverage=0.9).fit(X, labels)
    assert clf.classes_.dtype.kind == clf.predict(X).dtype.kind == "i"


def test_records_of_polars_with_dates_are_explained():
    frame = pl.from_pandas(X)
    clf = EvidentialRuleClassifier(random_state=0).fit(frame, IS_HIGH)
    explanation = clf.explain(frame[30:31])
    assert explanation.prediction
    assert explanation.record["day"] == datetime.datetime(2026, 1, 31)
