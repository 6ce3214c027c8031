"""Displays of uncertainty: risk and coverage, reliability, evidence."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from drawing import legend_of, make_evidence
from fuzzyucs import Evidence, EvidentialRuleClassifier
from fuzzyucs.metrics import area_under_risk_coverage, calibration_error, risk_coverage_curve
from fuzzyucs.plots import (
    CLASS_COLOURS,
    OKABE_ITO,
    EvidenceDisplay,
    ReliabilityDisplay,
    RiskCoverageDisplay,
)


def widths(bars):
    return np.array([bar.get_width() for bar in bars])


# Risk and coverage


def test_risk_is_drawn_against_coverage(iris, bayes):
    X, y = iris
    display = RiskCoverageDisplay.from_estimator(bayes, X, y)
    sure = bayes.predict_proba(X).max(axis=1)
    coverage, risk, _ = risk_coverage_curve(y, bayes.predict(X), sure)
    assert_array_equal(display.line_.get_data(), (coverage, risk))
    area = area_under_risk_coverage(y, bayes.predict(X), sure)
    assert legend_of(display) == [f"GaussianNB (area {area:.4f})"]
    assert display.figure_ is display.ax_.figure
    assert display.ax_.get_ylim()[0] == 0
    display.figure_.draw_without_rendering()


def test_several_displays_share_axes(iris, bayes):
    """The second is far above the first, and must still be seen."""
    X, y = iris
    first = RiskCoverageDisplay.from_estimator(bayes, X, y, name="good")
    second = RiskCoverageDisplay.from_predictions(y, (y + 1) % 3, y, ax=first.ax_, name="bad")
    third = RiskCoverageDisplay.from_predictions(y, y, y, ax=first.ax_)
    assert first.ax_ is second.ax_ is third.ax_
    assert [label.split(" (")[0] for label in legend_of(third)] == ["good", "bad", "area 0.0000"]
    assert first.ax_.get_ylim()[1] >= 1
    colours = {line.line_.get_color() for line in (first, second, third)}
    assert len(colours) == 3
    assert colours <= set(OKABE_ITO)


def test_lines_beyond_the_palette_differ_in_style():
    ax = plt.figure().subplots()
    lines = [RiskCoverageDisplay([0.5, 1], [0, 0.1]).plot(ax).line_ for _ in range(20)]
    assert len({(line.get_color(), line.get_linestyle()) for line in lines}) == 20
    assert ax.get_legend() is None  # nothing has a name


def test_a_single_point_is_seen():
    display = RiskCoverageDisplay.from_predictions([0, 1], [0, 0], [0.5, 0.5])
    assert display.line_.get_marker() == "o"
    assert_array_equal(display.line_.get_data(), ([1.0], [0.5]))


def test_options_go_to_the_line(iris, bayes):
    display = RiskCoverageDisplay.from_estimator(bayes, *iris, color="black", lw=3)
    assert (display.line_.get_color(), display.line_.get_linewidth()) == ("black", 3)
    again = display.plot(name="twice", linestyle=":")
    assert again is display
    assert legend_of(display)[0].startswith("twice (area ")


# Reliability


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
def test_accuracy_is_drawn_against_confidence(iris, bayes, strategy):
    X, y = iris
    options = {"n_bins": 4, "strategy": strategy}
    display = ReliabilityDisplay.from_estimator(bayes, X, y, **options)
    error = calibration_error(y, bayes.predict_proba(X), **options)
    assert legend_of(display) == ["ideal", f"GaussianNB (error {error:.4f})", "share of rows"]
    assert_array_equal(display.line_.get_data(), (display.confidence, display.accuracy))
    assert sum(bar.get_height() for bar in display.bars_) == pytest.approx(1)
    display.figure_.draw_without_rendering()


def test_reliability_needs_the_classes_of_string_labels(iris):
    X, y = iris
    names = np.array(["x", "y", "z"])[y]
    clf = GaussianNB().fit(X, names)
    few = names != "z"
    shown = ReliabilityDisplay.from_estimator(clf, X[few], names[few])  # z does not occur
    other = ReliabilityDisplay.from_predictions(
        names[few], clf.predict_proba(X[few]), classes=["x", "y", "z"]
    )
    assert_array_equal(shown.accuracy, other.accuracy)
    assert legend_of(other)[1].startswith("error ")


def test_displays_share_a_diagonal(iris, bayes):
    first = ReliabilityDisplay.from_estimator(bayes, *iris)
    logistic = LogisticRegression(max_iter=1000).fit(*iris)
    second = ReliabilityDisplay.from_estimator(logistic, *iris, ax=first.ax_)
    labels = [label.split(" (")[0] for label in legend_of(second)]
    assert sorted(labels) == ["GaussianNB", "LogisticRegression", "ideal", "share of rows"]
    assert first.line_.get_color() != second.line_.get_color()
    assert [line.get_gid() for line in first.ax_.get_lines()].count("diagonal") == 1


def test_reliability_without_histogram():
    display = ReliabilityDisplay(np.array([0.5, 1]), np.array([0.6, 0.9]), name="mine").plot()
    assert display.bars_ is None
    assert legend_of(display) == ["ideal", "mine"]


def test_reliability_needs_probabilities(iris):
    with pytest.raises(TypeError, match="which Perceptron lacks"):
        ReliabilityDisplay.from_estimator(Perceptron().fit(*iris), *iris)
    assert plt.get_fignums() == []


# Evidence


def test_bars_are_masses_and_fill_the_row():
    evidence = make_evidence()
    display = EvidenceDisplay.from_evidence(evidence)
    assert legend_of(display) == ["a", "b", "I don't know"]
    drawn = np.column_stack([widths(bars) for bars in display.bars_])
    assert_allclose(drawn, np.column_stack([evidence.mass, evidence.ignorance]))
    right = [bar.get_x() + bar.get_width() for bar in display.bars_[-1]]
    assert_allclose(right, 1)
    display.figure_.draw_without_rendering()


def test_ignorance_is_shown_in_two_parts():
    novelty = np.array([0.0, 0.5, 1.0])
    evidence = make_evidence().discount(novelty)
    display = EvidenceDisplay.from_evidence(evidence)
    assert legend_of(display) == ["a", "b", "weak evidence", "novelty"]
    weak, new = display.bars_[-2:]
    assert_allclose(widths(new), novelty)
    assert_allclose(widths(weak), evidence.ignorance - novelty, atol=1e-15)
    assert np.all(widths(weak) >= 0)
    assert all(bar.get_hatch() for bar in weak)
    assert not any(bar.get_hatch() for bar in new)
    assert_allclose(sum(widths(bars) for bars in display.bars_), 1)


def test_masses_of_sets_are_shown():
    evidence = Evidence(
        np.array(["a", "b"]),
        np.array([[0.1, 0.2]]),
        np.array([0.3]),
        np.zeros(1),
        sets=np.array([[True, True]]),
        set_mass=np.array([[0.4]]),
    )
    display = EvidenceDisplay.from_evidence(evidence)
    assert legend_of(display) == ["a", "b", "several classes", "I don't know"]
    assert_allclose(np.concatenate([widths(bars) for bars in display.bars_]), [0.1, 0.2, 0.4, 0.3])


def test_many_classes_can_be_told_apart():
    display = EvidenceDisplay.from_evidence(make_evidence(20, range(30)))
    looks = {(bars[0].get_facecolor(), bars[0].get_hatch()) for bars in display.bars_}
    assert len(looks) == len(display.bars_) == 31
    masses = np.zeros((1, 500))
    masses[0, 123] = 1.0
    many = Evidence(np.arange(500), masses, np.zeros(1), np.zeros(1))
    assert legend_of(EvidenceDisplay.from_evidence(many)) == ["123", "I don't know"]


def test_classes_have_colours_of_the_palette():
    display = EvidenceDisplay.from_evidence(make_evidence(1, list("abcdefghij")))
    colours = [to_rgb(bars[0].get_facecolor()) for bars in display.bars_[:10]]
    assert colours == [to_rgb(colour) for colour in CLASS_COLOURS]
    assert len(set(colours)) == 10


def test_a_class_may_have_the_name_of_a_part():
    display = EvidenceDisplay.from_evidence(make_evidence(2, ("I don't know", "novelty")))
    assert len(display.bars_) == 3
    assert_allclose(sum(widths(bars) for bars in display.bars_), 1)


def test_evidence_of_a_classifier(iris):
    pandas = pytest.importorskip("pandas")
    X, y = iris
    frame = pandas.DataFrame(X, index=[f"flower {i}" for i in range(len(X))])
    frame.columns = [f"x{i}" for i in range(4)]
    clf = EvidentialRuleClassifier(random_state=0).fit(frame, y)
    display = EvidenceDisplay.from_estimator(clf, frame[::50])
    ticks = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert ticks == ["flower 0", "flower 50", "flower 100"]
    evidence = clf.predict_evidence(frame[::50])
    assert_allclose(widths(display.bars_[0]), evidence.belief[:, 0])
    piped = make_pipeline(StandardScaler(), EvidentialRuleClassifier(random_state=0)).fit(X, y)
    display = EvidenceDisplay.from_estimator(piped, X[::75], row_names=["one", "other"])
    assert [text.get_text() for text in display.ax_.get_yticklabels()] == ["one", "other"]


def test_bars_of_probability_are_belief_and_a_share_of_the_ignorance(iris):
    X, y = iris
    clf = EvidentialRuleClassifier(random_state=0).fit(X, y)
    rows = np.vstack([X[::50], X[:1] * 5, X[70:71] * np.nan])
    evidence = clf.predict_evidence(rows)
    display = EvidenceDisplay.from_evidence(evidence)
    assert len(display.bars_) == 2 * len(clf.classes_)
    ends = []
    for i in range(3):
        solid, hatched = display.bars_[2 * i : 2 * i + 2]
        assert_allclose(widths(solid), evidence.belief[:, i])
        assert_allclose(widths(hatched), clf.base_rates_[i] * evidence.ignorance, atol=1e-12)
        assert_allclose([bar.get_x() for bar in hatched], widths(solid))
        ends.append([bar.get_x() + bar.get_width() for bar in hatched])
    assert_allclose(np.transpose(ends), clf.predict_proba(rows), atol=1e-12)
    own = np.array(ends)[clf.predict(rows), np.arange(len(rows))]
    assert_allclose(own, np.max(ends, axis=0), atol=1e-12)  # the longest bar
    ticks = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert ticks == ["0", "1", "2", "3\nunknown", "4\nunknown"]
    legend = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert legend == ["0", "1", "2", "base rate x ignorance"]


def test_of_many_classes_the_longest_bar_is_there():
    n = 12
    mass = np.eye(n)[:8] * 0.9
    evidence = Evidence(
        np.arange(n), mass, np.full(8, 0.1), np.zeros(8), base_rates=np.full(n, 1 / n)
    )
    display = EvidenceDisplay.from_evidence(evidence)
    shown = [bars.get_label() for bars in display.bars_[::2]]
    assert set(shown) >= {str(i) for i in range(8)}


def test_the_first_row_is_on_top():
    bottom, top = EvidenceDisplay.from_evidence(make_evidence()).ax_.get_ylim()
    assert bottom > top


def test_evidence_that_cannot_be_shown_is_refused(iris, bayes):
    with pytest.raises(ValueError, match="from 1 to 20 rows can be shown, got 21"):
        EvidenceDisplay.from_evidence(make_evidence(21))
    with pytest.raises(ValueError, match="got 0"):
        EvidenceDisplay.from_evidence(make_evidence()[:0])
    with pytest.raises(ValueError, match="each of 3 rows, got 2 names"):
        EvidenceDisplay.from_evidence(make_evidence(), row_names=["a", "b"])
    with pytest.raises(TypeError, match="which GaussianNB lacks"):
        EvidenceDisplay.from_estimator(bayes, iris[0][:3])
    assert plt.get_fignums() == []
