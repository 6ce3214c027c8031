"""Linguistic variables."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fuzzyucs import LinguisticPartition
from fuzzyucs.linguistic import MAX_TERMS, term_names


@pytest.mark.parametrize("n_terms", range(2, MAX_TERMS + 1))
def test_every_number_of_terms_has_distinct_names(n_terms):
    assert len(set(term_names(n_terms))) == n_terms


@pytest.mark.parametrize("n_terms", range(2, MAX_TERMS + 1))
def test_peaks_lie_at_whole_positions(n_terms):
    partition = LinguisticPartition.uniform(np.array([[-3.0], [11.0]]), n_terms, ["x"])
    positions = partition.positions(partition.peaks(0)[:, None])
    assert_allclose(positions[:, 0], np.arange(n_terms), atol=1e-13)
    assert positions[0, 0] == 0
    assert positions[-1, 0] == n_terms - 1


def test_positions_of_special_values():
    train = np.array([[0.0, 7.0, np.nan], [4.0, 7.0, np.nan], [np.nan, np.nan, np.nan]])
    partition = LinguisticPartition.uniform(train, [5, 5, 4], ["a", "b", "c"])
    assert_array_equal(partition.minimum, [0, 7, np.nan])
    assert_array_equal(
        partition.positions(np.array([[-9.0, 8.0, 1.0], [1.5, 7.0, np.nan], [np.nan] * 3])),
        [[0, 2, 1.5], [1.5, 2, np.nan], [np.nan] * 3],
    )


def test_ranges_wider_than_the_largest_number():
    partition = LinguisticPartition.uniform(np.array([[-1.5e308], [1.5e308]]), 3, ["x"])
    assert_allclose(partition.positions(np.array([[0.0], [7.5e307]])), [[1], [1.5]])
    assert_allclose(partition.peaks(0), [-1.5e308, 0, 1.5e308])


def test_description_in_words():
    partition = LinguisticPartition.uniform(np.array([[0.0], [1.0]]), 5, ["age"])
    assert partition.describe(0, 0b00001) == "age is very small"
    assert partition.describe(0, 0b11000) == "age is {large, very large}"
    assert partition.is_dont_care(0, 0b11111)
    assert not partition.is_dont_care(0, 0b01111)
