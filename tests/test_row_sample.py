"""Samples of rows: what is in them follows from the values of rows, not from where they are."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from fuzzyucs.estimators import row_sample
from fuzzyucs.estimators.row_sample import LeftOut, RowSketch
from fuzzyucs.estimators.training import TrainingData
from fuzzyucs.variables.table import Stored, Table

K = 64


@pytest.fixture(autouse=True)
def few_sampled(monkeypatch):
    monkeypatch.setattr(row_sample, "N_SAMPLED", K)
    monkeypatch.setattr(row_sample, "N_HELD_OUT", 16)
    monkeypatch.setattr(row_sample, "FREQUENT", 20)


def data_of(X, y=None, weight=None, coded=()):
    columns = [Stored(np.ascontiguousarray(x), f in coded) for f, x in enumerate(X.T)]
    labels = np.zeros(len(X), np.uint32) if y is None else y.astype(np.uint32)
    weight = np.ones(len(X)) if weight is None else weight
    return TrainingData(np.arange(labels.max() + 1), Table(columns), labels, weight)


def table_by_chance(seed=0, n=1000):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)).round(1)
    X[rng.random(n) < 0.1, 1] = np.nan
    X[: n // 4] = X[0]  # a frequent row
    return data_of(X, rng.integers(0, 3, n) * (np.arange(n) >= n // 4), rng.choice([1.0, 2.0], n))


def assert_same_sketch(one, other):
    assert_array_equal(one.hashes[:K], other.hashes[:K])
    assert_array_equal(one.copies[:K], other.copies[:K])
    assert_array_equal(one.has_few, other.has_few)
    assert_array_equal(one.rows.table.rows()[:K], other.rows.table.rows()[:K])
    assert_array_equal(one.rows.labels[:K], other.rows.labels[:K])
    assert one.n_rows == other.n_rows


@pytest.mark.parametrize("n_parts", [1, 2, 7, 30])
def test_sketches_of_parts_make_that_of_the_whole(n_parts):
    data = table_by_chance()
    rng = np.random.default_rng(n_parts)
    parts = np.array_split(rng.permutation(1000), n_parts)
    merged = RowSketch.merged([RowSketch.of(data.take(rows)) for rows in parts])
    # A thousand rows are more than two samples, so that the whole is looked at in blocks, too.
    whole = RowSketch.of(data)
    assert_same_sketch(merged, whole)
    samples = [sketch.sample(data.count_copies) for sketch in (merged, whole)]
    assert_array_equal(samples[0].rows.hashes, samples[1].rows.hashes)
    assert_array_equal(samples[0].held_out.hashes, samples[1].held_out.hashes)
    assert_array_equal(samples[0].held_out.sample_weight, samples[1].held_out.sample_weight)


def test_a_sketch_has_the_least_hashes_and_counts_their_copies():
    data = table_by_chance()
    sketch = RowSketch.of(data)
    hashes, counts = np.unique(data.hashes, return_counts=True)
    assert_array_equal(sketch.hashes[:K], hashes[:K])
    assert_array_equal(sketch.copies[:K], counts[:K])


def test_a_sample_has_the_least_and_the_greatest_values_and_all_of_few():
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.normal(size=5000), rng.choice([1.0, 2.0, 3.0], 5000), np.zeros(5000)])
    X[1234, 1], X[77, 0] = 7.0, -99.0
    X[:, 2] = rng.integers(0, 40, 5000)
    sample = RowSketch.of(data_of(X, coded=[2])).sample(data_of(X, coded=[2]).count_copies)
    rows = sample.rows.table.rows()
    assert rows[:, 0].min() == -99.0
    assert rows[:, 0].max() == X[:, 0].max()
    assert set(rows[:, 1]) == {1.0, 2.0, 3.0, 7.0}
    assert set(rows[:, 2]) == set(range(40))


def test_a_frequent_row_is_in_the_sample_in_proportion_and_never_held_out():
    # Some rows by chance would hold it out or miss it altogether.
    for seed in range(20):
        data = table_by_chance(seed)
        sample = RowSketch.of(data).sample(data.count_copies)
        hashes, counts = np.unique(data.hashes, return_counts=True)
        frequent = hashes[counts.argmax()]
        share = (sample.rows.hashes == frequent).mean()
        assert 0.05 < share < 0.6
        assert not (sample.held_out.table.rows() == data.table.rows()[0]).all(axis=1).any()
        assert sample.left_out.others(np.array([frequent]))[0]


def test_rows_that_are_held_out_are_left_out_with_all_their_copies():
    data = table_by_chance(3)
    data = data.take(np.repeat(np.arange(1000), 3))
    sample = RowSketch.of(data).sample(data.count_copies)
    is_left_out = ~sample.left_out.others(data.hashes)
    assert len(np.unique(data.hashes[is_left_out])) == len(sample.held_out.labels)
    assert sample.held_out.sample_weight.sum() == data.sample_weight[is_left_out].sum()
    assert len(sample.held_out.labels) > 4


def test_of_few_different_rows_all_are_tried_and_none_is_left_out():
    X = np.array([[0.0], [1.0], [2.0]])[np.arange(900) % 3]
    sample = RowSketch.of(data_of(X)).sample(data_of(X).count_copies)
    assert len(sample.held_out.labels) == 3
    assert sample.held_out.sample_weight.tolist() == [300.0] * 3
    assert sample.left_out.others(data_of(X).hashes).all()


def test_rows_differ_by_values_class_and_weight():
    X = np.zeros((4, 1))
    hashes = data_of(X, np.array([0, 1, 0, 0]), np.array([1.0, 1.0, 2.0, 1.0])).hashes
    assert len(set(hashes.tolist())) == 3
    assert hashes[0] == hashes[3]


def test_parts_leave_out_every_row_once():
    hashes = table_by_chance().hashes
    nothing = LeftOut(None, np.empty(0, np.uint64))
    left = [~replace(nothing, part=k, n_parts=5).others(hashes) for k in range(5)]
    assert_array_equal(np.sum(left, axis=0), np.ones(1000))
    assert min(part.sum() for part in left) > 50
