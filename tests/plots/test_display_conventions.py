"""What all displays have in common: literal texts, axes of the caller, matplotlib on demand."""

import subprocess
import sys

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.datasets import load_wine

from drawing import LABELS, NAMES, assert_literal, make_evidence
from fuzzyucs import EvidentialRuleClassifier, FuzzyUCSClassifier
from fuzzyucs.metrics import risk_coverage_curve
from fuzzyucs.plots import (
    BeliefLandscapeDisplay,
    EvidenceDisplay,
    LearningCurveDisplay,
    PartitionDisplay,
    ReliabilityDisplay,
    RiskCoverageDisplay,
    RuleDisplay,
    RuleHeatmapDisplay,
    SizePathDisplay,
    WaterfallDisplay,
)

ODD_NAMES = ["$x_1$ & $y", r"\$5", "_hidden", "50 %", r"\frac{1}{"]


def test_texts_are_shown_literally():
    """What matplotlib would draw after its own preprocessing is the text itself."""
    display = EvidenceDisplay.from_evidence(make_evidence(5, ODD_NAMES), row_names=ODD_NAMES)
    display.figure_.draw_without_rendering()
    shown = [*display.ax_.get_legend().get_texts()[:5], *display.ax_.get_yticklabels()]
    drawn = [text._preprocess_math(text.get_text()) for text in shown]
    assert [(text.lstrip(" "), is_math) for text, is_math in drawn] == [
        (name, False) for name in ODD_NAMES * 2
    ]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_names_of_classifiers_are_shown_literally(name, iris, bayes):
    for display in (
        RiskCoverageDisplay.from_estimator(bayes, *iris, name=name),
        ReliabilityDisplay.from_estimator(bayes, *iris, name=name),
    ):
        display.figure_.draw_without_rendering()
        drawn = [
            text._preprocess_math(text.get_text()) for text in display.ax_.get_legend().get_texts()
        ]
        assert any(text.lstrip().startswith(f"{name} (") and not math for text, math in drawn)


def test_names_of_features_and_classes_are_shown_literally(odd):
    clf, X, y = odd
    few = [clf.rules_.variables.feature_names[f] for f in np.flatnonzero(clf.rules_.asks.any(0))]
    assert_literal(PartitionDisplay.from_estimator(clf, X), NAMES)
    assert_literal(RuleHeatmapDisplay.from_estimator(clf), [*few, *LABELS])
    landscape = BeliefLandscapeDisplay.from_estimator(clf, X, (0, 2), y, resolution=3)
    assert_literal(landscape, [*NAMES, *LABELS])
    rule = RuleDisplay.from_estimator(clf, 0, X, y, record=X.iloc[[70]])
    asked = [NAMES[f] for f in clf.rules_.asked_features[0]]
    assert_literal(rule, [*asked, *LABELS])
    waterfall = WaterfallDisplay.from_estimator(clf, X.iloc[[70]])
    assert_literal(waterfall, [str(waterfall.explanation.prediction)])
    terms = {NAMES[0]: {"$low$": 4, "_high": 7}, NAMES[1]: {"a$": 2, "$b": 4}}
    own = EvidentialRuleClassifier(random_state=0, penalty=3.0, partition=terms).fit(X, y)
    assert_literal(PartitionDisplay.from_estimator(own, X), ["$low$", "_high", "a$", "$b"])


def draw_uncertainty(iris, bayes, ax):
    RiskCoverageDisplay.from_estimator(bayes, *iris, ax=ax)
    ReliabilityDisplay.from_estimator(bayes, *iris, ax=ax)
    EvidenceDisplay.from_evidence(make_evidence(), ax=ax)


def test_given_axes_are_used_and_pyplot_left_alone(iris, bayes):
    current = plt.figure()
    ax = mpl.figure.Figure().subplots()
    draw_uncertainty(iris, bayes, ax)
    assert plt.get_fignums() == [current.number]
    assert plt.gcf() is current
    assert current.axes == []
    draw_uncertainty(iris, bayes, None)
    assert len(plt.get_fignums()) == 4


def draw_model(clf, frame, axes):
    X, _ = frame
    slow = FuzzyUCSClassifier(epochs=1, random_state=0)
    PartitionDisplay.from_estimator(clf, X, ax=next(axes))
    RuleHeatmapDisplay.from_estimator(clf, ax=next(axes))
    BeliefLandscapeDisplay.from_estimator(clf, X, resolution=3, ax=next(axes))
    BeliefLandscapeDisplay.from_estimator(clf, X, resolution=3, panels=True, ax=next(axes))
    RuleDisplay.from_estimator(clf, 0, *frame, ax=next(axes))
    WaterfallDisplay.from_estimator(clf, X.iloc[[0]], ax=next(axes))
    LearningCurveDisplay.from_estimator(slow, *frame, ax=next(axes))
    SizePathDisplay.from_estimator(clf, ax=next(axes))


def test_given_axes_are_divided_and_pyplot_left_alone(evidential, frame):
    current = plt.figure()
    figure = mpl.figure.Figure(figsize=(20, 20), layout="constrained")
    draw_model(evidential, frame, iter(figure.subplots(8)))
    n_asked = len(evidential.rules_.asked_features[0])
    # With the bars of four panels of a landscape.
    assert len(figure.axes) == 8 + 4 + 2 + 5 + 4 + 2 + 2 + (n_asked if n_asked > 1 else 0)
    figure.draw_without_rendering()
    assert plt.get_fignums() == [current.number]
    assert current.axes == []
    draw_model(evidential, frame, iter([None] * 8))
    assert len(plt.get_fignums()) == 9


def test_as_many_axes_as_panels_can_be_given(evidential, frame):
    axes = mpl.figure.Figure().subplots(2, 2)
    display = PartitionDisplay.from_estimator(evidential, frame[0], ax=axes)
    assert display.axes_ == list(axes.ravel())
    with pytest.raises(ValueError, match="4 axes are needed, got 2"):
        PartitionDisplay.from_estimator(evidential, frame[0], ax=axes[0])
    loose = mpl.figure.Figure().add_axes((0, 0, 1, 1))
    with pytest.raises(ValueError, match="give 4 axes"):
        PartitionDisplay.from_estimator(evidential, frame[0], ax=loose)
    one = PartitionDisplay.from_estimator(evidential, frame[0], [1], ax=loose)
    assert one.axes_ == [loose]


def test_without_matplotlib_there_is_advice(iris, bayes, evidential, frame, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    slow = FuzzyUCSClassifier(epochs=1, random_state=0)
    for draw in (
        lambda: RiskCoverageDisplay.from_estimator(bayes, *iris),
        lambda: ReliabilityDisplay.from_estimator(bayes, *iris),
        lambda: EvidenceDisplay.from_evidence(make_evidence()),
        lambda: PartitionDisplay.from_estimator(evidential, frame[0]),
        lambda: RuleHeatmapDisplay.from_estimator(evidential),
        lambda: BeliefLandscapeDisplay.from_estimator(evidential, frame[0], resolution=3),
        lambda: RuleDisplay.from_estimator(evidential, 0, *frame),
        lambda: WaterfallDisplay.from_estimator(evidential, frame[0].iloc[[0]]),
        lambda: LearningCurveDisplay.from_estimator(slow, *frame),
        lambda: SizePathDisplay.from_estimator(evidential),
    ):
        with pytest.raises(ImportError, match="pip install matplotlib"):
            draw()


def test_matplotlib_is_imported_only_when_something_is_drawn():
    code = "import sys, fuzzyucs.plots; sys.exit('matplotlib' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=600)


def test_displays_can_be_made_without_drawing(iris, bayes, evidential, frame):
    X, y = frame
    coverage, risk, _ = risk_coverage_curve(iris[1], bayes.predict(iris[0]), iris[0][:, 0])
    landscape = BeliefLandscapeDisplay.of(evidential, X, y=y, resolution=3)
    assert landscape.mass.shape == (3, 3, 3)
    for display in (
        RiskCoverageDisplay(coverage, risk),
        landscape,
        PartitionDisplay(evidential.rules_.variables),
        RuleHeatmapDisplay(evidential.rules_),
        RuleDisplay(evidential.rules_, 0, X.to_numpy()),
        WaterfallDisplay(evidential.explain(X.iloc[[0]])),
        LearningCurveDisplay(np.ones(2), np.ones(2, dtype=int)),
        SizePathDisplay(np.ones(2), np.ones(2), np.ones(2)),
    ):
        assert not hasattr(display, "figure_")
    assert plt.get_fignums() == []


def test_wine_fits_without_a_warning():
    """Thirteen features, long names: all of it can be laid out."""
    pytest.importorskip("pandas")
    X, y = load_wine(return_X_y=True, as_frame=True)
    clf = EvidentialRuleClassifier(random_state=0, penalty=3.0).fit(X, y)
    for display in (
        PartitionDisplay.from_estimator(clf, X),
        RuleHeatmapDisplay.from_estimator(clf),
        BeliefLandscapeDisplay.from_estimator(clf, X, ("hue", "proline"), y, resolution=5),
        WaterfallDisplay.from_estimator(clf, X.iloc[[60]]),
    ):
        display.figure_.canvas.draw()
        assert display.figure_.get_axes()
