"""Categories that come with a later batch: learned by the flagship, told by online learners."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal

from fuzzyucs import EvidentialRuleClassifier, FuzzyUCSClassifier, UCSClassifier
from fuzzyucs.variables.columns import ColumnError

RNG = np.random.default_rng(0)
COLOUR = np.array(["red", "blue"] * 60 + ["green", "1", "amber"] * 20)  # late ones among the rest
SIZE = RNG.normal(size=len(COLOUR))
Y = np.where(np.isin(COLOUR, ["green", "blue"]), "yes", "no")
FRAME = pd.DataFrame({"colour": COLOUR, "size": SIZE})
FIRST, THEN = slice(0, 120), slice(120, None)

KINDS = {
    "pandas": lambda frame: frame,
    "categorical": lambda frame: frame.astype({"colour": "category"}),
    "polars": pl.from_pandas,
    "arrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
    "objects": lambda frame: frame.to_numpy(dtype=object),
}


def fed(make=lambda frame: frame, frame=FRAME, **params):
    clf = EvidentialRuleClassifier(penalty=2.0, **params)
    clf.partial_fit(make(frame[FIRST]), Y[FIRST], classes=["no", "yes"])
    return clf.partial_fit(make(frame[THEN]), Y[THEN])


@pytest.mark.parametrize("kind", KINDS)
def test_later_categories_are_learned_as_if_all_rows_had_come_at_once(kind):
    clf, whole = fed(KINDS[kind]), EvidentialRuleClassifier(penalty=2.0).fit(FRAME, Y)
    assert clf.columns_.categories[0].labels == ("1", "amber", "blue", "green", "red")
    assert len(clf.rules_) == len(whole.rules_) > 0
    probability = clf.predict_proba(KINDS[kind](FRAME))
    assert_array_equal(probability, whole.predict_proba(FRAME))
    assert clf.score(KINDS[kind](FRAME), Y) == 1.0


def test_a_batch_of_numbers_as_text_is_text():
    later = pd.DataFrame({"colour": ["2", "2", "3"], "size": [0.0, 1.0, 2.0]})
    clf = EvidentialRuleClassifier(penalty=2.0).partial_fit(FRAME, Y, classes=["no", "yes"])
    clf.partial_fit(later, ["no", "yes", "no"])
    assert clf.columns_.categories[0].labels == ("1", "2", "3", "amber", "blue", "green", "red")


def test_missing_values_stay_missing_when_categories_move():
    frame = FRAME.copy()
    frame.loc[::7, "colour"] = None
    whole = EvidentialRuleClassifier(penalty=2.0).fit(frame, Y)
    assert_array_equal(fed(frame=frame).predict_proba(frame), whole.predict_proba(frame))


def test_a_batch_that_is_refused_leaves_the_categories_as_they_were():
    clf = EvidentialRuleClassifier(penalty=2.0)
    clf.partial_fit(FRAME[FIRST], Y[FIRST], classes=["no", "yes"])
    before = clf.columns_
    with pytest.raises(ValueError, match="y "):
        clf.partial_fit(FRAME[THEN], np.full(len(Y[THEN]), "maybe"))
    with pytest.raises(ValueError, match="feature names"):
        clf.partial_fit(FRAME[THEN][["size", "colour"]], Y[THEN])
    assert clf.columns_ is before


def ordered(labels, values):
    return pd.DataFrame(
        {"grade": pd.Categorical(values, list(labels), ordered=True), "size": SIZE[:4]}
    )


def test_ordered_categories_grow_where_their_place_is_known():
    y = ["no", "yes", "yes", "no"]
    clf = EvidentialRuleClassifier().partial_fit(
        ordered("AC", list("ACAC")), y, classes=["no", "yes"]
    )
    clf.partial_fit(ordered("ABCD", list("ABCD")), y)
    assert clf.columns_.categories[0].labels == tuple("ABCD")
    clf.partial_fit(ordered("AD", list("ADAD")), y)  # nothing new
    assert clf.columns_.categories[0].labels == tuple("ABCD")
    with pytest.raises(ColumnError, match="column 'grade' has the category 'E', which earlier"):
        clf.partial_fit(ordered("EDCBA", list("ABCE")), y)


@pytest.mark.parametrize("kind", [FuzzyUCSClassifier, UCSClassifier])
def test_online_learners_tell_what_counts_as_missing(kind):
    clf = kind(random_state=0).partial_fit(FRAME[FIRST], Y[FIRST], classes=["no", "yes"])
    with pytest.warns(UserWarning, match=r"column 'colour' .* count as missing: 1, amber, green"):
        clf.partial_fit(FRAME[THEN], Y[THEN])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clf.partial_fit(FRAME[FIRST], Y[FIRST])


@pytest.mark.parametrize(
    ("kind", "parameter", "value"),
    [
        (EvidentialRuleClassifier, "penalty", -1.0),
        (EvidentialRuleClassifier, "n_models", 0),
        (FuzzyUCSClassifier, "population_size", 0),
        (FuzzyUCSClassifier, "inference", "best"),
        (UCSClassifier, "mutation_rate", 2.0),
    ],
)
def test_parameters_changed_between_batches_are_checked(kind, parameter, value):
    X = SIZE[:, np.newaxis]
    clf = kind().partial_fit(X, Y, classes=["no", "yes"])
    clf.set_params(**{parameter: value})
    with pytest.raises(ValueError, match=f"The '{parameter}' parameter of {kind.__name__} must"):
        clf.partial_fit(X, Y)
