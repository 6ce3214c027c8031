"""The display of linguistic terms."""

from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.text import Text
from numpy.testing import assert_allclose
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import GaussianNB

from fuzzyucs import EvidentialRuleClassifier, LinguisticPartition
from fuzzyucs.plots import PartitionDisplay
from fuzzyucs.variables.linguistic import LinguisticVariable, term_names


def polygon(triangle):
    """Return the corners of a term, without those that close it at the bottom."""
    x, y = triangle.get_xy()[1:-2].T
    return x, y


def test_plateaus_are_the_memberships():
    peaks, ends = np.array([0.0, 2.0, 5.0, 6.0]), np.array([1.0, 2.0, 5.5, 8.0])
    variable = LinguisticVariable(peaks, tuple("abcd"), ends=ends)
    X = np.linspace(0, 8, 50)[:, np.newaxis]
    known = LinguisticPartition.of_variables(X, ["x"], {0: variable})
    display = PartitionDisplay(known, X).plot()
    values = np.linspace(*display.axes_[0].get_xlim(), 400)
    positions = known.positions(values[:, np.newaxis])[:, 0]
    for term, shape in enumerate(display.terms_[0]):
        degrees = np.maximum(0, 1 - np.abs(positions - term))
        assert_allclose(np.interp(values, *polygon(shape)), degrees, atol=1e-12)


def test_many_terms_are_named_by_numbers():
    X = np.linspace(0, 90, 50)[:, np.newaxis]
    display = PartitionDisplay(LinguisticPartition.of(X, ["x"], n_terms=10), X).plot()
    assert display.axes_[0].texts[1].get_text().split() == ["5", "to", "15"]


def test_so_many_terms_that_there_is_no_room_for_texts():
    X = np.linspace(0, 90, 50)[:, np.newaxis]
    fine = LinguisticVariable(np.linspace(0, 90, 200), term_names(200))
    display = PartitionDisplay(LinguisticPartition.of_variables(X, ["x"], {0: fine}), X).plot()
    assert not display.axes_[0].texts
    assert len(display.terms_[0]) == 200


@pytest.mark.parametrize("partition", ["uniform", "quantile"])
def test_triangles_are_the_memberships(iris, partition):
    X, _ = iris
    known = LinguisticPartition.of(X, ["a", "b", "c", "d"], partition=partition, n_terms=5)
    display = PartitionDisplay(known, X).plot()
    for feature, (ax, triangles) in enumerate(zip(display.axes_, display.terms_, strict=True)):
        values = np.linspace(*ax.get_xlim(), 400)
        rows = np.zeros((400, 4))
        rows[:, feature] = values
        positions = known.positions(rows)[:, feature]
        for term, triangle in enumerate(triangles):
            degrees = np.maximum(0, 1 - np.abs(positions - term))
            assert_allclose(np.interp(values, *polygon(triangle)), degrees, atol=1e-12)
            lines = ax.get_lines()[term]
            assert_allclose(np.interp(values, *lines.get_data()), degrees, atol=1e-12)
    display.figure_.draw_without_rendering()


def test_terms_have_names_and_numbers(evidential, frame):
    display = PartitionDisplay.from_estimator(evidential, frame[0], ["petal width (cm)"])
    peaks = evidential.rules_.variables.peaks(3)
    names = evidential.rules_.variables.terms(3)
    shown = [" ".join(text.get_text().split()) for text in display.axes_[0].texts]
    assert shown == [f"{name} {peak:.4g}" for name, peak in zip(names, peaks, strict=True)]
    assert display.axes_[0].get_xlabel() == "petal width (cm)"
    for line in display.axes_[0].get_lines():  # colours are for classes
        red, green, blue = to_rgb(line.get_color())
        assert red == green == blue


@pytest.mark.parametrize("n_terms", [2, 5, 7, 9, 12, 32])
@pytest.mark.parametrize("partition", ["uniform", "quantile"])
def test_names_of_terms_do_not_overlap(n_terms, partition):
    """Also where peaks crowd."""
    X = np.random.default_rng(0).lognormal(0, 2, (2000, 1))
    known = LinguisticPartition.of(X, ["x"], partition=partition, n_terms=n_terms)
    display = PartitionDisplay(known, X).plot()
    display.figure_.canvas.draw()
    boxes = [Text.get_window_extent(text) for text in display.axes_[0].texts]
    assert len(boxes) == n_terms
    for left, right in pairwise(boxes):
        assert right.x0 >= left.x0
        assert min(left.x1, right.x1) - max(left.x0, right.x0) < 2  # pixels


def test_histograms_are_those_of_the_data(evidential, frame):
    X = frame[0].to_numpy()
    display = PartitionDisplay.from_estimator(evidential, frame[0])
    for feature, bars in enumerate(display.bars_):
        counts, edges = np.histogram(X[:, feature], len(bars))
        assert_allclose([bar.get_height() for bar in bars], counts / counts.max())
        assert_allclose([bar.get_x() for bar in bars], edges[:-1])


def test_nominal_missing_and_constant_features_are_told(mixed):
    X, y = mixed
    clf = EvidentialRuleClassifier(random_state=0, penalty=3.0).fit(X, y)
    display = PartitionDisplay.from_estimator(clf, X)
    labels = [ax.get_xlabel() for ax in display.axes_]
    assert labels == ["x0", "x1 (10 % missing)", "x2", "x3", "x4 (100 % missing)"]
    nominal = display.terms_[2]
    assert_allclose([bar.get_height() for bar in nominal], 1 / 3)
    assert [text.get_text() for text in display.axes_[2].get_xticklabels()] == ["0", "1", "2"]
    assert display.terms_[3] == display.terms_[4] == []
    assert display.axes_[3].texts[0].get_text() == "no terms: always 7"
    assert display.axes_[4].texts[0].get_text() == "no terms: no value is known"
    display.figure_.draw_without_rendering()


def test_terms_without_data_and_beyond_the_data():
    known = LinguisticPartition.of(
        np.array([[5.0, 1.0], [6.0, 2.0]]),
        ["a", "b"],
        partition={"a": {"low": 0, "high": 5.5}},
        nominal_features=["b"],
    )
    display = PartitionDisplay(known).plot()
    assert display.bars_ == [[], []]
    assert len(display.terms_[0]) == 2
    wide = PartitionDisplay(known, np.array([[-3.0, 1.0], [60.0, 1.0]])).plot()
    low, high = wide.axes_[0].get_xlim()
    assert low < -3 < 60 < high


def test_of_many_features_those_that_matter_are_shown():
    rng = np.random.default_rng(0)
    X = rng.random((200, 30))
    y = (X[:, 29] > 0.5).astype(int)
    clf = EvidentialRuleClassifier(random_state=0, penalty=3.0).fit(X, y)
    display = PartitionDisplay.from_estimator(clf, X)
    assert len(display.axes_) == 12
    assert display.axes_[-1].get_xlabel() == "x29"
    assert len(PartitionDisplay.from_estimator(clf, X, range(13)).axes_) == 13


def test_terms_that_are_not_there_are_refused(crisp, evidential, frame):
    X, _ = frame
    with pytest.raises(TypeError, match="linguistic terms are needed, which UCSClassifier lacks"):
        PartitionDisplay.from_estimator(crisp, X)
    with pytest.raises(TypeError, match="rules are needed, which GaussianNB lacks"):
        PartitionDisplay.from_estimator(GaussianNB(), X)
    with pytest.raises(NotFittedError):
        PartitionDisplay.from_estimator(EvidentialRuleClassifier(), X)
    with pytest.raises(ValueError, match=r"features must name features.*got 'petals'"):
        PartitionDisplay.from_estimator(evidential, X, ["petals"])
    with pytest.raises(ValueError, match="at least one feature"):
        PartitionDisplay.from_estimator(evidential, X, [])
    assert plt.get_fignums() == []
