"""The display of decisions and masses over two features."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.collections import PathCollection
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import Perceptron
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fuzzyucs import EvidentialRuleClassifier, FuzzyUCSClassifier, RejectOption, UCSClassifier
from fuzzyucs.plots import CLASS_COLOURS, BeliefLandscapeDisplay


def points_of(ax):
    return [points for points in ax.collections if isinstance(points, PathCollection)]


def test_landscapes_are_the_evidence(evidential, frame):
    X, y = frame
    features = ("petal width (cm)", "sepal width (cm)")
    display = BeliefLandscapeDisplay.from_estimator(
        evidential, X, features, y, resolution=12, panels=True
    )
    rows = X.iloc[[0] * 144].copy()
    rows.loc[:] = X.median().to_numpy()
    horizontal, vertical = (axis.values for axis in display.features)
    rows["petal width (cm)"] = np.tile(horizontal, 12)
    rows["sepal width (cm)"] = np.repeat(vertical, 12)
    evidence = evidential.predict_evidence(rows)
    decision, *masses, ignorance = (image.get_array() for image in display.images_)
    assert_array_equal(evidential.classes_[decision.astype(int)].ravel(), evidential.predict(rows))
    for i, mass in enumerate(masses):
        assert_array_equal(mass.ravel(), evidence.mass[:, i])
    assert_array_equal(ignorance.ravel(), evidence.ignorance)
    low, high = X["petal width (cm)"].min(), X["petal width (cm)"].max()
    assert horizontal[0] < low < high < horizontal[-1]
    titles = [ax.get_title() for ax in display.axes_]
    assert titles[:2] == ["decision", "mass of setosa"]
    assert titles[-1] == 'mass of "I don\'t know"'
    assert display.images_[-1].norm.vmax == 1
    assert type(display.images_[-1].norm).__name__ == "LogNorm"
    display.figure_.draw_without_rendering()


def test_pixels_lie_where_the_model_was_asked(evidential, frame):
    display = BeliefLandscapeDisplay.from_estimator(evidential, frame[0], resolution=5)
    left, right, bottom, top = display.images_[0].get_extent()
    x, y = (axis.values for axis in display.features)
    assert_allclose(left + (right - left) * (np.arange(5) + 0.5) / 5, x)
    assert_allclose(bottom + (top - bottom) * (np.arange(5) + 0.5) / 5, y)
    assert display.axes_[0].get_xlim() == (x[0], x[-1])


def test_other_features_can_be_held_elsewhere(evidential, frame):
    X, _ = frame
    at = {"petal length (cm)": 1.5, 3: np.nan}
    display = BeliefLandscapeDisplay.from_estimator(evidential, X, at=at, resolution=3)
    assert display.held["petal length (cm)"] == 1.5
    assert np.isnan(display.held["petal width (cm)"])
    corner = np.array([[display.features[0].values[0], display.features[1].values[0], 1.5, np.nan]])
    expected = evidential.predict_evidence(type(X)(corner, columns=X.columns))
    assert_array_equal(display.mass[:, 0, 0], expected.mass[0])
    caption = " ".join(display.axes_[0].get_title(loc="left").split())
    assert caption == "Other features held: petal length (cm) = 1.5, petal width (cm) missing"


def test_points_have_the_colours_of_their_classes(evidential, frame):
    X, y = frame
    one = BeliefLandscapeDisplay.from_estimator(evidential, X, y=y, resolution=3)
    several = BeliefLandscapeDisplay.from_estimator(evidential, X, y=y, resolution=3, panels=True)
    for ax in (*one.axes_, *several.axes_[:2]):
        for i, (label, points) in enumerate(zip(evidential.classes_, points_of(ax), strict=True)):
            assert to_rgb(points.get_facecolor()[0]) == to_rgb(CLASS_COLOURS[i])
            assert_array_equal(points.get_offsets(), X.to_numpy()[y == label][:, :2])
    plain = BeliefLandscapeDisplay.from_estimator(evidential, X, resolution=3)
    assert len(points_of(plain.axes_[0])) == 1


def test_nominal_features_are_stripes(mixed):
    X, y = mixed
    clf = EvidentialRuleClassifier(random_state=0, penalty=3.0).fit(X, y)
    display = BeliefLandscapeDisplay.from_estimator(clf, X, (2, 0), y, resolution=7)
    assert display.decision.shape == (7, 3)
    ticks = [text.get_text() for text in display.axes_[0].get_xticklabels()]
    assert ticks == ["0", "1", "2"]
    asked = np.full((1, 5), np.nan)
    asked[0, :4] = display.features[1].values[3], np.nanmedian(X[:, 1]), 2, 7
    assert_array_equal(display.mass[:, 3, 2], clf.predict_evidence(asked).mass[0])
    drawn = np.rint(np.concatenate([p.get_offsets()[:, 0] for p in points_of(display.axes_[0])]))
    assert_array_equal(np.sort(drawn), np.sort(X[:, 2]))
    assert display.held["x3"] == 7
    assert np.isnan(display.held["x4"])
    display.figure_.draw_without_rendering()


def test_any_model_has_a_landscape(iris, frame):
    X, y = iris
    bayes = GaussianNB().fit(X, y)
    display = BeliefLandscapeDisplay.from_estimator(bayes, X, resolution=4, panels=True)
    assert display.ignorance is None
    assert [ax.get_title() for ax in display.axes_[1:]] == [f"probability of {i}" for i in range(3)]
    assert_allclose(display.mass.sum(axis=0), 1)
    with pytest.raises(ValueError, match="no ignorance"):
        display.plot_ignorance(display.axes_[0])
    piped = make_pipeline(StandardScaler(), FuzzyUCSClassifier(epochs=2, random_state=0)).fit(X, y)
    assert (
        len(BeliefLandscapeDisplay.from_estimator(piped, X, resolution=4, panels=True).axes_) == 5
    )
    careful = RejectOption(GaussianNB(), target_coverage=0.5).fit(X, y)
    display = BeliefLandscapeDisplay.from_estimator(careful, X, resolution=9)
    assert (display.decision == -1).any()  # no answer has no colour
    polars = pytest.importorskip("polars")
    table = polars.from_pandas(frame[0])
    clf = UCSClassifier(epochs=2, random_state=0).fit(table, y)
    assert len(BeliefLandscapeDisplay.from_estimator(clf, table, resolution=4).axes_) == 1
    with pytest.raises(TypeError, match="both of which Perceptron lacks"):
        BeliefLandscapeDisplay.from_estimator(Perceptron().fit(X, y), X)


def test_of_many_classes_those_with_most_mass_have_panels():
    rng = np.random.default_rng(0)
    X, y = rng.random((400, 2)), rng.integers(0, 15, 400)
    clf = GaussianNB().fit(X, y)
    display = BeliefLandscapeDisplay.from_estimator(clf, X, y=y, resolution=10, panels=True)
    best = sorted(np.argsort(-display.mass.mean(axis=(1, 2)))[:6])
    assert display.shown_ == best
    assert [ax.get_title() for ax in display.axes_[1:]] == [f"probability of {i}" for i in best]
    legend = [int(text.get_text()) for text in display.axes_[0].get_legend().get_texts()]
    assert 1 < len(legend) <= 6
    assert set(legend) <= set(np.unique(display.decision))


def test_landscapes_that_cannot_be_drawn_are_refused(evidential, frame):
    X, _ = frame
    draw = BeliefLandscapeDisplay.from_estimator
    with pytest.raises(ValueError, match="two different ones"):
        draw(evidential, X, (1, 1))
    with pytest.raises(ValueError, match=r"features must name features.*got 9"):
        draw(evidential, X, (0, 9))
    with pytest.raises(ValueError, match=r"at must name features.*got 'age'"):
        draw(evidential, X, at={"age": 3})
    with pytest.raises(ValueError, match="resolution must be at least 2, got 1"):
        draw(evidential, X, resolution=1)
    with pytest.raises(ValueError, match="at must be values, a record or 'average', got 'mean'"):
        draw(evidential, X, at="mean")
    with pytest.raises(ValueError, match=r"one record with 4 values, got shape \(2, 4\)"):
        draw(evidential, X, at=X.iloc[:2])
    with pytest.raises(ValueError, match="one axes is needed, got 2; panels=True takes several"):
        draw(evidential, X, panels=False, ax=Figure().subplots(1, 2))
    with pytest.raises(ValueError, match="a lesser and a greater number"):
        draw(evidential, X, limits=((1, 0), None))
    assert plt.get_fignums() == []
