"""Texts about many categories: groups of them, lists cut short, and orders."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from condition_truth import check, partition_of
from fuzzyucs import LinguisticPartition
from fuzzyucs.variables.frames import Columns
from fuzzyucs.variables.linguistic import LinguisticVariable

NAMES = [f"town {i:03}" for i in range(300)]


@pytest.fixture(scope="module")
def towns():
    rng = np.random.default_rng(0)
    column = pd.Series(rng.choice(NAMES, 4000, p=rng.dirichlet(np.ones(300))), dtype=object)
    column[::50] = None
    return column


@settings(derandomize=True, deadline=None, max_examples=60)
@given(
    seed=st.integers(0, 2**32 - 1),
    n_groups=st.sampled_from([2, 3, 20, 64]),
    is_complete=st.booleans(),
)
def test_texts_about_groups_of_many_categories_are_true(seed, n_groups, is_complete, towns):
    rng, frame = np.random.default_rng(seed), towns.to_frame("x")
    columns = Columns.of(frame)
    labels = columns.categories[0].terms
    X = columns.values(frame)
    # Some groups are small; the first one takes what is left, or leaves some out.
    place = np.where(rng.random(len(labels)) < 0.5, 0, rng.integers(0, n_groups, len(labels)))
    place[:n_groups] = np.arange(n_groups)
    if not is_complete:
        place[rng.integers(n_groups, len(labels), 9)] = -1
    groups = [np.flatnonzero(place == term).tolist() for term in range(n_groups)]
    counts = towns.value_counts()
    variable = LinguisticVariable.of_groups(
        groups, labels, {code: int(counts[name]) for code, name in enumerate(labels)}
    )
    partition = LinguisticPartition.of_variables(X, ["x"], {0: variable}, columns)
    for _ in range(12):
        chosen = rng.random(n_groups) < rng.choice([0.05, 0.5, 0.95])
        terms = sum(1 << term for term in np.flatnonzero(chosen).tolist()) or 1
        if partition.is_dont_care(0, terms):
            continue
        check(partition, X, towns, terms)
        accepted = [
            name
            for name, at in zip(labels, place.tolist(), strict=True)
            if at >= 0 and terms >> at & 1
        ]
        holds = partition.holds(np.array([[terms]], dtype=np.uint64), X)[:, 0]
        assert_array_equal(holds, towns.isin(accepted))
        # What is written in full can be read again.
        full = partition.phrase(0, terms, full=True)
        listed = partition.condition_as_dict(0, terms)["terms"]
        assert sorted(listed) == sorted(accepted)
        if is_complete or not full.startswith(("not", "none")):
            assert partition.parse_condition(0, full) == terms
        assert partition.parse_condition(0, listed) == terms
        # Short texts name the most frequent ones, and count the others.
        short = partition.phrase(0, terms)
        if short != full:
            said, _, shown = short.partition(" of ")
            shown, _, more = shown.partition(" and ")
            listed = accepted if said == "one" else [n for n in labels if n not in accepted]
            assert int(more.removesuffix(" more")) == len(listed) - 3
            assert counts[shown.split(", ")].tolist() == counts[listed].nlargest(3).tolist()
            assert said == "one" or 2 * len(listed) < len(accepted)


def test_lists_of_categories():
    column = pd.Series(list("aaabbcdefghijkl"), dtype=object)
    partition, _ = partition_of(column)
    every = 2**12 - 1
    said = {
        0b11: "a or b",
        0b1111: "a or b or c or d",
        0b111110: "one of b, c, d and 2 more",
        every ^ 1: "not a",
        every ^ 0b110: "none of b, c",
        every ^ 0b11111: "one of f, g, h and 4 more",
    }
    for terms, text in said.items():
        assert partition.phrase(0, terms) == text
        assert partition.describe_plain(0, terms) == f"x is {text}"
    assert partition.describe_plain(0, 0b111110, full=True) == "x is one of b, c, d, e, f"
    with pytest.raises(ValueError, match="conditions must list terms of 'x', got 'z'"):
        partition.parse_condition(0, "none of a, z")


def test_categories_that_are_one_term_are_named_together():
    frame = pd.DataFrame({"x": ["CA", "NJ", "TX", "WY"]})
    columns = Columns.of(frame)
    variable = LinguisticVariable.of_groups([[0, 2], [1]], columns.categories[0].terms)
    partition = LinguisticPartition.of_variables(
        columns.values(frame), ["x"], {0: variable}, columns
    )
    assert partition.describe_plain(0, 0b01) == "x is CA or TX"
    assert partition.parse_condition(0, ["TX", "CA"]) == 0b01
    assert partition.parse_condition(0, ["TX", "CA", "NJ"]) == 0b11
    with pytest.raises(ValueError, match="must have both 'CA' and 'TX' or neither"):
        partition.parse_condition(0, ["CA"])
    with pytest.raises(ValueError, match="got 'WY'; its terms are"):
        partition.parse_condition(0, ["WY"])
    assert partition.feature_as_dict(0)["members"] == [["CA", "TX"], ["NJ"]]
    # A category without a term is unknown.
    assert_array_equal(partition.positions(columns.values(frame))[:, 0], [0, 1, 0, np.nan])


@pytest.mark.parametrize(
    ("members", "message"),
    [
        (((0.0, 1.0), ()), "at least one value for each term"),
        (((0.0, 1.0), (1.0,)), "each of the peaks once"),
        (((0.0,), (1.0,)), "each of the peaks once"),
        (((0.0,), (1.0,), (2.0,)), "terms must be 3, as members, got 2"),
    ],
)
def test_members_that_do_not_fit_are_refused(members, message):
    with pytest.raises(ValueError, match=message):
        LinguisticVariable(np.arange(3.0), ("a", "b"), True, members=members)


def test_many_ordered_categories_are_told_by_their_ends():
    names = [f"step {i:03}" for i in range(200)]
    values = np.random.default_rng(0).choice(200, 3000, p=np.arange(1, 201) / 20100)
    column = pd.Series(pd.Categorical.from_codes(values, names, ordered=True))
    frame = column.to_frame("x")
    columns = Columns.of(frame)
    X = columns.values(frame)
    partition = LinguisticPartition.of(X, ["x"], columns=columns, groups_rest=True)
    n = int(partition.n_terms[0])
    assert 32 < n <= 64
    for first, last in itertools.combinations_with_replacement(range(0, n, 3), 2):
        check(partition, X, column, (2 << last) - (1 << first))
    assert partition.parse_condition(0, partition.words(0, 0b110)) == 0b110
