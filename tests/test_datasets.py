"""Generators and loaders."""

import os
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from fuzzyucs import FuzzyUCSClassifier, datasets

needs_article_data = pytest.mark.skipif(
    not os.environ.get("FUZZYUCS_DATA"),
    reason="the article's data are not distributed: set FUZZYUCS_DATA to a folder that has them",
)


def bits_of(X):
    return ["".join("1" if value >= 0.5 else "0" for value in row) for row in X]


def multiplexer_class(bits):
    return int(bits[3 + int(bits[:3], 2)])


def majority_class(bits):
    return int(bits.count("1") > bits.count("0"))


def carry_class(bits):
    return int(int(bits[:6], 2) + int(bits[6:], 2) > 0b111111)


PROBLEMS = [
    (datasets.make_multiplexer, "mux", multiplexer_class, 11),
    (datasets.make_majority, "maj", majority_class, 11),
    (datasets.make_carry, "carry", carry_class, 12),
]


@pytest.mark.parametrize(("make", "name", "class_of", "n_features"), PROBLEMS)
def test_artificial_problems_follow_their_definition(make, name, class_of, n_features):
    X, y = make(500, random_state=0)
    assert X.shape == (500, n_features)
    assert y.tolist() == [class_of(bits) for bits in bits_of(X)], name
    assert 0.4 < y.mean() < 0.6
    again = make(500, random_state=0)
    assert_array_equal(again[0], X)
    assert make()[0].shape[0] == 6000


@needs_article_data
@pytest.mark.parametrize(("make", "name", "class_of", "n_features"), PROBLEMS)
def test_definitions_agree_with_the_articles_files(make, name, class_of, n_features):
    X, y = datasets.load_article(name)
    assert X.shape == make(6000, random_state=0)[0].shape == (6000, n_features)
    assert y.tolist() == [class_of(bits) for bits in bits_of(X)]


@needs_article_data
@pytest.mark.parametrize("name", datasets.ARTICLE_FILES)
def test_every_file_of_the_article_loads(name):
    X, y = datasets.load_article(name)
    assert len(X) == len(y) > 0
    assert_array_equal(np.unique(y), np.arange(y.max() + 1))


def test_smallest_problems():
    X, y = datasets.make_multiplexer(50, n_address_bits=1, random_state=0)
    bits = X >= 0.5
    assert_array_equal(y, np.where(bits[:, 0], bits[:, 2], bits[:, 1]))
    X, y = datasets.make_carry(50, n_bits=2, random_state=0)
    assert_array_equal(y, (X >= 0.5).all(axis=1))
    assert datasets.make_majority(5, n_bits=1, random_state=0)[0].shape == (5, 1)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: datasets.make_multiplexer(n_address_bits=0), "n_address_bits must be at least 1"),
        (lambda: datasets.make_multiplexer(0), "n_samples must be at least 1"),
        (lambda: datasets.make_majority(n_bits=0), "n_bits must be at least 1"),
        (lambda: datasets.make_carry(n_bits=5), "n_bits must be an even number"),
        (lambda: datasets.make_clouds(1), "n_samples must be at least 2"),
        (lambda: datasets.load_embedded("mnist"), "name must be one of"),
        (lambda: datasets.load_article("xyz", "."), "name must be one of"),
    ],
)
def test_wrong_arguments_are_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_clouds_are_about_as_hard_as_the_article_says():
    """Figure 4: training accuracies between 96.8 and 97.7 % for the three schemes."""
    scores = []
    for seed in range(6):
        X, y = datasets.make_clouds(random_state=seed)
        clf = FuzzyUCSClassifier(epochs=10, random_state=seed).fit(X, y)
        scores.append([clf.set_params(inference=s).score(X, y) for s in ("vote", "swin", "ds")])
    assert (np.mean(scores, axis=0) > 0.95).all()
    assert (np.mean(scores, axis=0) < 0.995).all()


def test_grid_is_as_the_article_describes():
    X, y = datasets.make_grid()
    assert len(X) == 25
    assert (y == 0).sum() == 13
    assert ((X[:, 1] >= 0.25) & (X[:, 1] <= 0.75)).all()
    middle = X[:, 0] == 0.5
    assert ((y == 0) & middle).sum() == 3
    assert ((y == 1) & middle).sum() == 2
    mirrored = {(a, 1 - b, c) for (a, b), c in zip(X.tolist(), y.tolist(), strict=True)}
    assert mirrored == {(a, b, c) for (a, b), c in zip(X.tolist(), y.tolist(), strict=True)}


def test_none_as_seed_leaves_numpys_global_state_alone():
    before = np.random.get_state()[1].copy()
    for make in (datasets.make_multiplexer, datasets.make_clouds):
        assert not np.array_equal(make()[0], make()[0])
    assert_array_equal(np.random.get_state()[1], before)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "holds no data"),
        ("1,2,0\n1,2\n", "line 2: 2 columns, but 3 in the first line"),
        ("1,x,0\n", "line 1: expected numbers"),
        ("1,2,0.5\n", "line 1: the class must be an integer"),
        ("1,2,?\n", "line 1: the class must be an integer"),
        ("1,2,-1\n", "line 1: the class must be an integer"),
        ("1,2,inf\n", "line 1: the class must be an integer"),
        ("7\n", "line 1: expected at least one feature"),
    ],
)
def test_broken_files_are_refused_with_the_line(tmp_path, text, message):
    file = tmp_path / "broken.csv"
    file.write_text(text)
    with pytest.raises(ValueError, match=message):
        datasets.load_csv(file)


def test_article_data_come_from_the_folder_named(tmp_path, monkeypatch):
    Path(tmp_path, "iris.csv").write_text("1,?,0\n\n2, 3 ,1\n")
    X, y = datasets.load_article("irs", tmp_path)
    assert_array_equal(X, [[1, np.nan], [2, 3]])
    assert_array_equal(y, [0, 1])
    monkeypatch.setenv("FUZZYUCS_DATA", str(tmp_path))
    assert_array_equal(datasets.load_article("irs")[1], y)
    with pytest.raises(FileNotFoundError, match=r"wine\.csv"):
        datasets.load_article("wne")
    monkeypatch.delenv("FUZZYUCS_DATA")
    with pytest.raises(ValueError, match="FUZZYUCS_DATA"):
        datasets.load_article("irs")


@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer"])
def test_embedded_tables(name):
    table = datasets.load_embedded(name)
    assert len(table.data) == len(table.target)
    assert table.data.shape[1] == len(table.feature_names)
