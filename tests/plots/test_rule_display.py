"""The picture of one rule: histograms, what its conditions accept, and where a record lies."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from numpy.testing import assert_array_equal
from sklearn.naive_bayes import GaussianNB

from fuzzyucs import EvidentialRuleClassifier, FuzzyUCSClassifier
from fuzzyucs.plots import CLASS_COLOURS, RuleDisplay
from plot_looks import MODELS


def rule_asking(clf, feature):
    """Return the index of the first rule that asks something of a feature."""
    names = list(clf.rules_.variables.feature_names)
    return int(np.flatnonzero(clf.rules_.asks[:, names.index(feature)])[0])


def key_of(display):
    """Return the texts of the key, which one of the panels has."""
    (key,) = [ax.get_legend() for ax in display.axes_ if ax.get_legend() is not None]
    return [text.get_text() for text in key.get_texts()]


def curve_of(ax):
    """Return the corners of the curve of degrees."""
    return max((line.get_data() for line in ax.get_lines()), key=lambda data: len(data[0]))


@pytest.mark.parametrize("name", ["evidential", "evolved", "crisp"])
def test_bars_count_records_of_each_class(name, request, frame):
    clf, (X, y) = request.getfixturevalue(name), frame
    rule = int(np.argmax(clf.rules_.asks.sum(axis=1)))
    display = RuleDisplay.from_estimator(clf, rule, X, y)
    assert display.features_ == clf.rules_.asked_features[rule]
    assert len(display.axes_) == len(display.features_)
    for panel, feature in enumerate(display.features_):
        values = X.to_numpy()[:, feature]
        below = np.zeros(len(display.bars_[panel][0]))
        for i, bars in enumerate(display.bars_[panel]):
            edges = [*(bar.get_x() for bar in bars), bars[-1].get_x() + bars[-1].get_width()]
            counts = np.histogram(values[y == clf.classes_[i]], edges)[0]
            assert_array_equal([bar.get_height() for bar in bars], counts)
            assert_array_equal([bar.get_y() for bar in bars], below)
            assert {to_rgb(bar.get_facecolor()) for bar in bars} == {to_rgb(CLASS_COLOURS[i])}
            below += counts
        assert below.sum() == len(X)
        assert display.axes_[panel].get_xlabel() == X.columns[feature]


@pytest.mark.parametrize("name", ["evidential", "evolved", "crisp"])
def test_the_curve_is_the_degree_of_the_condition_alone(name, request, frame):
    """The product of the degrees of all conditions is the degree of the rule."""
    clf, (X, y) = request.getfixturevalue(name), frame
    rule = int(np.argmax(clf.rules_.asks.sum(axis=1)))
    display = RuleDisplay.from_estimator(clf, rule, X, y)
    assert len(display.features_) > 1
    product = np.ones(len(X))
    for ax, feature in zip(display.axes_, display.features_, strict=True):
        x, degree = curve_of(ax)
        assert degree.min() >= 0
        assert degree.max() <= 1
        product *= np.interp(X.to_numpy()[:, feature], x, degree)
    assert np.abs(product - clf.membership(X)[:, rule]).mean() < 0.01


def test_the_band_has_the_colour_of_the_rule(evidential, frame):
    for rule in range(len(evidential.rules_)):
        display = RuleDisplay.from_estimator(evidential, rule, *frame)
        own = CLASS_COLOURS[evidential.rules_.named_class[rule]]
        for band in display.bands_:
            (colour,) = band.get_facecolor()
            assert to_rgb(colour) == to_rgb(own)
            assert colour[3] == 0.25
        plt.close("all")


def test_the_headline_is_the_rule(evidential, frame):
    display = RuleDisplay.from_estimator(evidential, 1, *frame)
    assert display.headline_ == evidential.rules_.sentence(1)
    shown = " ".join(display.figure_.get_suptitle().split())
    assert shown == display.headline_
    given = RuleDisplay.from_estimator(evidential, 1, *frame, ax=Figure().subplots())
    assert given.headline_ in " ".join(given.axes_[0].get_title().split())
    assert key_of(display) == ["setosa", "versicolor", "virginica", "accepted\n(height: degree)"]


def test_a_record_is_marked(evidential, frame):
    X, y = frame
    record = X.iloc[[70]].copy()
    rule = int(np.argmax(evidential.rules_.asks.sum(axis=1)))
    missing, other = evidential.rules_.asked_features[rule][:2]
    record.iloc[0, missing] = np.nan
    record.iloc[0, other] = 99.0
    display = RuleDisplay.from_estimator(evidential, rule, X, y, record=record)
    assert display.marks_[0] is None
    assert display.axes_[0].get_title() == "this record: missing"
    assert display.marks_[1].get_xdata() == [99.0, 99.0]
    assert display.axes_[1].get_xlim()[1] > 99
    assert to_rgb(display.marks_[1].get_color()) == (0, 0, 0)
    (head,) = [line for line in display.axes_[1].get_lines() if line.get_marker() == "v"]
    assert (head.get_xdata(), head.get_ydata()) == ([99.0], [1.0])
    x, degree = curve_of(display.axes_[1])
    shown = float(display.axes_[1].get_title().removesuffix(")").split("degree ")[1])
    assert shown == pytest.approx(np.interp(99.0, x, degree), abs=0.01)
    with plt.style.context("dark_background"):
        dark = RuleDisplay.from_estimator(evidential, rule, X, y, record=record.to_numpy()[0])
    assert to_rgb(dark.marks_[1].get_color()) == (1, 1, 1)
    assert key_of(dark)[-1] == "this record"


def test_categories_have_a_bar_each_and_those_accepted_stand_out():
    model = MODELS["loans"]()
    clf, X, y = model.clf, model.X, model.y
    rule = rule_asking(clf, "home ownership")
    display = RuleDisplay.from_estimator(clf, rule, X, y, record=X.iloc[[0]])
    feature = list(X.columns).index("home ownership")
    panel = display.features_.index(feature)
    ax = display.axes_[panel]
    names = [" ".join(text.get_text().split()) for text in ax.get_xticklabels()]
    assert names == sorted(X["home ownership"].unique())
    for i, bars in enumerate(display.bars_[panel]):
        own = X["home ownership"][y == clf.classes_[i]]
        assert [bar.get_height() for bar in bars] == [(own == name).sum() for name in names]
    accepted = clf.rules_.variables.words(feature, clf.rules_.conditions[rule, feature])
    bold = [t.get_text() for t in ax.get_xticklabels() if t.get_fontweight() == "bold"]
    assert [" ".join(text.split()) for text in bold] == accepted
    assert 0 < len(accepted) < len(names)
    x, degree = curve_of(ax)
    for i, name in enumerate(names):
        assert np.interp(i, x, degree) == (name in accepted)
    assert display.marks_[panel].get_xdata()[0] == names.index(X["home ownership"].iloc[0])
    strange = X.iloc[[0]].assign(**{"home ownership": "castle"})
    display = RuleDisplay.from_estimator(clf, rule, X, y, record=strange)
    assert display.marks_[panel] is None
    assert "missing" in display.axes_[panel].get_title()


def test_dates_are_written_as_dates():
    model = MODELS["loans"]()
    rule = rule_asking(model.clf, "first day of the contract")
    display = RuleDisplay.from_estimator(
        model.clf, rule, model.X, model.y, record=model.X.iloc[[0]]
    )
    panel = display.features_.index(4)
    display.figure_.canvas.draw()
    ticks = [text.get_text() for text in display.axes_[panel].get_xticklabels()]
    assert ticks
    assert all(tick[:2] == "20" for tick in ticks)
    day = model.X["first day of the contract"].iloc[0].date().isoformat()
    assert day in display.axes_[panel].get_title()


def test_rules_without_conditions_and_data_without_labels(evidential, frame):
    X, y = frame
    everything = evidential.rules_.edit(0, dict.fromkeys(range(4)))
    display = RuleDisplay(everything, 0, X.to_numpy(), np.asarray(y)).plot()
    (text,) = display.axes_[0].texts
    assert text.get_text() == "no conditions:\nall records match"
    plain = RuleDisplay.from_estimator(evidential, 0, X)
    assert {len(bars) for bars in plain.bars_} == {1}
    assert key_of(plain)[0] == "records"
    display.figure_.canvas.draw()


def test_weighted_rules_are_drawn_if_they_decide(frame):
    clf = FuzzyUCSClassifier(epochs=5, random_state=0, inference="weighted").fit(*frame)
    display = RuleDisplay.from_estimator(clf, 0, *frame)
    assert display.headline_ == clf.weighted_rules_.sentence(0)


def test_rules_that_cannot_be_drawn_are_refused(evidential, frame):
    X, y = frame
    with pytest.raises(ValueError, match="index of a rule that decides, got 1000"):
        RuleDisplay.from_estimator(evidential, 1000, X, y)
    with pytest.raises(ValueError, match="record must be one row, got 2 rows"):
        RuleDisplay.from_estimator(evidential, 0, X, y, record=X.iloc[:2])
    with pytest.raises(ValueError, match="record must have 4 values, got 3"):
        RuleDisplay.from_estimator(evidential, 0, X, y, record=[1, 2, 3])
    with pytest.raises(ValueError, match="X has 150 rows and y has 149"):
        RuleDisplay.from_estimator(evidential, 0, X, y[1:])
    with pytest.raises(TypeError, match="which GaussianNB lacks"):
        RuleDisplay.from_estimator(GaussianNB(), 0, X, y)
    assert plt.get_fignums() == []


def test_constant_and_unknown_features_do_not_break_it(mixed):
    X, y = mixed
    clf = EvidentialRuleClassifier(random_state=0, penalty=3.0).fit(X, y)
    for rule in range(len(clf.rules_)):
        display = RuleDisplay.from_estimator(clf, rule, X, y, record=X[0])
        display.figure_.canvas.draw()
        assert len(display.axes_) == max(1, len(clf.rules_.asked_features[rule]))
        plt.close("all")
