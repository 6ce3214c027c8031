"""Pictures of models: what is drawn is what the model says."""

import sys
from copy import copy
from itertools import pairwise

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.text import Text
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris, load_wine
from sklearn.linear_model import Perceptron
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fuzzyucs import (
    EvidentialRuleClassifier,
    FuzzyUCSClassifier,
    LinguisticPartition,
    RejectOption,
    UCSClassifier,
)
from fuzzyucs.explain.ledger import Entry, Explanation
from fuzzyucs.plots import (
    OKABE_ITO,
    BeliefLandscapeDisplay,
    LearningCurveDisplay,
    PartitionDisplay,
    RuleHeatmapDisplay,
    WaterfallDisplay,
)

mpl.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")

NAMES = ["$x_1$ & $y", r"\$5", "_hidden", "<script>"]
LABELS = ["$a$", "<b>", "_c"]
MINUS = "\N{MINUS SIGN}"


@pytest.fixture(autouse=True)
def nothing_global_changes():
    """Settings stay, and a figure that was made here is closed again."""
    before = dict(mpl.rcParams)
    yield
    plt.close("all")
    assert dict(mpl.rcParams) == before


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def frame():
    pytest.importorskip("pandas")
    data = load_iris(as_frame=True)
    return data.data, data.target_names[data.target]


@pytest.fixture(scope="module")
def evidential(frame):
    return EvidentialRuleClassifier(random_state=0).fit(*frame)


@pytest.fixture(scope="module")
def evolved(frame):
    return FuzzyUCSClassifier(epochs=10, random_state=0).fit(*frame)


@pytest.fixture(scope="module")
def crisp(frame):
    return UCSClassifier(epochs=10, random_state=0).fit(*frame)


@pytest.fixture(scope="module")
def mixed():
    """Return data with a nominal, a constant, an unknown and an incomplete feature."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.random((120, 2)), np.arange(120) % 3, np.full(120, 7.0)])
    X = np.column_stack([X, np.full(120, np.nan)])
    y = (X[:, 0] + X[:, 2] / 2 > 1).astype(int)
    X[::10, 1] = np.nan
    return X, y


@pytest.fixture(scope="module")
def odd(iris):
    """Return a classifier whose features and classes have odd names, and its data."""
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame(iris[0], columns=NAMES)
    y = np.array(LABELS)[iris[1]]
    return EvidentialRuleClassifier(random_state=0, penalty=3.0).fit(X, y), X, y


def drawn_texts(figure):
    """What matplotlib would draw after its own preprocessing, and whether as a formula."""
    figure.draw_without_rendering()
    texts = [text for text in figure.findobj(Text) if text.get_text()]
    return [text._preprocess_math(text.get_text()) for text in texts]


def assert_literal(display, names):
    drawn = drawn_texts(display.figure_)
    powers = [text for text, is_math in drawn if is_math and r"\mathdefault{10^{" not in text]
    assert powers == []
    everything = "\n".join(text for text, _ in drawn)
    for name in names:
        assert name in everything


# Terms


def polygon(triangle):
    """Return the corners of a term, without those that close it at the bottom."""
    x, y = triangle.get_xy()[1:4].T
    return x, y


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
    colours = {line.get_color() for line in display.axes_[0].get_lines()}
    assert colours <= set(OKABE_ITO)


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
    with pytest.raises(ValueError, match=r"features must name features.*got 'petals'"):
        PartitionDisplay.from_estimator(evidential, X, ["petals"])
    with pytest.raises(ValueError, match="at least one feature"):
        PartitionDisplay.from_estimator(evidential, X, [])
    assert plt.get_fignums() == []


# Rules


def parts_of(display, row, feature):
    """Return the coloured parts of a cell in shares of the range."""
    column = display.features_.index(feature)
    return [
        ((part.get_x() - column - 0.06) / 0.88, part.get_width() / 0.88)
        for part in display.cells_[row, feature]
    ]


@pytest.mark.parametrize("name", ["evidential", "evolved"])
def test_cells_show_the_terms_that_are_accepted(name, request):
    clf = request.getfixturevalue(name)
    display = RuleHeatmapDisplay.from_estimator(clf, max_rules=8)
    rules = display.rules
    assert set(display.cells_) == {
        (row, f) for row in range(len(rules)) for f in range(4) if rules.asks[row, f]
    }
    for row, feature in display.cells_:
        n_terms = int(rules.variables.n_terms[feature])
        shown = np.zeros(n_terms, dtype=bool)
        for left, width in parts_of(display, row, feature):
            middle = (np.arange(n_terms) + 0.5) / n_terms
            shown |= (middle > left) & (middle < left + width)
        accepted = [bool(int(rules.conditions[row, feature]) >> t & 1) for t in range(n_terms)]
        assert shown.tolist() == accepted
        colour = to_rgb(display.cells_[row, feature][0].get_facecolor())
        assert colour == to_rgb(OKABE_ITO[rules.consequent[row]])
    display.figure_.draw_without_rendering()


def test_cells_show_intervals(crisp):
    display = RuleHeatmapDisplay.from_estimator(crisp, max_rules=8)
    wide = 0
    for row, feature in display.cells_:
        low, high = sorted(display.rules.conditions[row, feature])
        ((left, width),) = parts_of(display, row, feature)
        if high - low > 0.03:
            assert_allclose((left, width), (low, high - low), atol=1e-12)
            wide += 1
        else:
            assert width > 0.014  # at the edge of the range, half of what can be seen
    assert wide > 5


def test_rules_come_in_the_order_of_what_they_are_worth(evidential, evolved, crisp):
    display = RuleHeatmapDisplay.from_estimator(evidential, max_rules=4)
    assert_allclose(
        [bar.get_width() for bar in display.bars_], np.sort(evidential.rules_.evidence)[:-5:-1]
    )
    assert display.side_ax_.get_title() == "evidence"
    for clf, least in ((evolved, 10), (crisp, -1)):
        display = RuleHeatmapDisplay.from_estimator(clf, max_rules=7)
        rules = clf.rules_
        worth = np.where(rules.experience > least, rules.fitness * rules.numerosity, -np.inf)
        best = np.argsort(-worth, kind="stable")[:7]
        assert_allclose([bar.get_width() for bar in display.bars_], worth[best])
        labels = [text.get_text() for text in display.ax_.get_yticklabels()]
        assert labels == [f"{i}: {rules.classes[rules.consequent[i]]}" for i in best]


def test_rules_without_experience_are_left_out_and_places_stay(evolved):
    clf = copy(evolved).set_params(inference_experience=np.median(evolved.rules_.experience))
    display = RuleHeatmapDisplay.from_estimator(clf, max_rules=1000)
    labels = [text.get_text() for text in display.ax_.get_yticklabels()]
    places = [int(label.split(":")[0]) for label in labels]
    ready = clf.rules_.experience > clf.inference_experience
    assert sorted(places) == np.flatnonzero(ready).tolist()
    assert_array_equal(clf.rules_.conditions[places], display.rules.conditions)


def test_nothing_is_cut_off(odd, crisp):
    """A legend beside the bars needs its room."""
    for clf in (odd[0], crisp):
        display = RuleHeatmapDisplay.from_estimator(clf)
        display.figure_.canvas.draw()
        legend = display.side_ax_.get_legend().get_window_extent()
        assert legend.x1 <= display.figure_.bbox.x1
        assert display.ax_.get_tightbbox().x0 >= 0


def test_weighted_rules_are_shown_if_they_decide(frame):
    clf = FuzzyUCSClassifier(epochs=10, random_state=0, inference="weighted").fit(*frame)
    display = RuleHeatmapDisplay.from_estimator(clf, max_rules=1000)
    assert len(display.rules) == len(clf.weighted_rules_)
    display = RuleHeatmapDisplay.from_rules(clf.rules_, max_rules=2)
    assert len(display.rules) == 2


def test_one_rule_and_one_feature():
    X = np.arange(20.0)[:, np.newaxis]
    clf = EvidentialRuleClassifier(random_state=0, max_rules=1).fit(X, X[:, 0] > 9)
    display = RuleHeatmapDisplay.from_estimator(clf)
    assert len(display.bars_) == 1
    assert display.features_ == [0]
    display.figure_.draw_without_rendering()


def test_nominal_values_are_named_in_cells(mixed):
    clf = EvidentialRuleClassifier(random_state=0, penalty=3.0).fit(*mixed)
    display = RuleHeatmapDisplay.from_estimator(clf)
    row = next(row for row, feature in display.cells_ if feature == 2)
    words = clf.rules_.variables.words(2, display.rules.conditions[row, 2])
    texts = [text.get_text() for text in display.ax_.texts if text.get_position()[1] == row + 0.25]
    assert " or ".join(words) in texts


def test_numbers_in_cells_are_where_a_condition_holds_to_a_half(evidential):
    display = RuleHeatmapDisplay.from_estimator(evidential)
    variables = evidential.rules_.variables
    checked = 0
    for (row, feature), _ in display.cells_.items():
        place = display.features_.index(feature) + 0.5, row + 0.25
        (text,) = [t.get_text() for t in display.ax_.texts if t.get_position() == place]
        if text.startswith("\N{GREATER-THAN OR EQUAL TO}"):
            bound = float(text.split()[1])
            record = np.full((1, 4), np.nan)
            record[0, feature] = bound
            position = variables.positions(record)[0, feature]
            first = next(
                t for t in range(9) if int(display.rules.conditions[row, feature]) >> t & 1
            )
            assert 1 - abs(position - first) == pytest.approx(0.5, abs=0.05)
            checked += 1
    assert checked


def test_many_features_and_classes_fit():
    rng = np.random.default_rng(0)
    X, y = rng.random((300, 40)), np.arange(300) % 20
    clf = UCSClassifier(epochs=1, random_state=0, dont_care_rate=0.2).fit(X, y)
    display = RuleHeatmapDisplay.from_estimator(clf, max_rules=30, max_features=5)
    assert len(display.features_) == 5
    assert display.ax_.get_xlabel().startswith("Also asked for, but seldom: x")
    looks = {(bar.get_facecolor(), bar.get_hatch()) for bar in display.bars_}
    assert len(looks) == len(set(display.rules.consequent.tolist()))


def test_rules_that_cannot_be_shown_are_refused(evidential):
    with pytest.raises(ValueError, match="no rules to show"):
        RuleHeatmapDisplay(evidential.rules_[:0]).plot()
    with pytest.raises(ValueError, match="max_rules must be at least 1, got 0"):
        RuleHeatmapDisplay.from_estimator(evidential, max_rules=0)
    with pytest.raises(ValueError, match="max_features must be at least 1, got 0"):
        RuleHeatmapDisplay.from_estimator(evidential, max_features=0)
    with pytest.raises(ValueError, match="each of 2 rows, got 1 names"):
        RuleHeatmapDisplay(evidential.rules_[:2], row_names=["a"]).plot()
    with pytest.raises(TypeError, match="which GaussianNB lacks"):
        RuleHeatmapDisplay.from_estimator(GaussianNB())
    assert plt.get_fignums() == []


# Landscapes


def test_landscapes_are_the_evidence(evidential, frame):
    X, y = frame
    features = ("petal width (cm)", "sepal width (cm)")
    display = BeliefLandscapeDisplay.from_estimator(evidential, X, features, y, resolution=12)
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
    assert "petal width (cm) missing" in display.figure_._suptitle.get_text()


def test_points_have_the_colours_of_their_classes(evidential, frame):
    X, y = frame
    display = BeliefLandscapeDisplay.from_estimator(evidential, X, y=y, resolution=3)
    for ax in display.axes_[:2]:
        for i, label in enumerate(evidential.classes_):
            points = ax.collections[i]
            assert to_rgb(points.get_facecolor()[0]) == to_rgb(OKABE_ITO[i])
            assert_array_equal(points.get_offsets(), X.to_numpy()[y == label][:, :2])
    plain = BeliefLandscapeDisplay.from_estimator(evidential, X, resolution=3)
    assert len(plain.axes_[0].collections) == 1


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
    place = np.rint(np.concatenate([p.get_offsets()[:, 0] for p in display.axes_[0].collections]))
    assert_array_equal(np.sort(place), np.sort(X[:, 2]))
    assert display.held["x3"] == 7
    assert np.isnan(display.held["x4"])
    display.figure_.draw_without_rendering()


def test_any_model_has_a_landscape(iris, frame):
    X, y = iris
    bayes = GaussianNB().fit(X, y)
    display = BeliefLandscapeDisplay.from_estimator(bayes, X, resolution=4)
    assert display.ignorance is None
    assert [ax.get_title() for ax in display.axes_[1:]] == [f"probability of {i}" for i in range(3)]
    assert_allclose(display.mass.sum(axis=0), 1)
    with pytest.raises(ValueError, match="no ignorance"):
        display.plot_ignorance(display.axes_[0])
    piped = make_pipeline(StandardScaler(), FuzzyUCSClassifier(epochs=2, random_state=0)).fit(X, y)
    assert len(BeliefLandscapeDisplay.from_estimator(piped, X, resolution=4).axes_) == 5
    careful = RejectOption(GaussianNB(), target_coverage=0.5).fit(X, y)
    display = BeliefLandscapeDisplay.from_estimator(careful, X, resolution=9)
    assert (display.decision == -1).any()  # no answer has no colour
    polars = pytest.importorskip("polars")
    table = polars.from_pandas(frame[0])
    clf = UCSClassifier(epochs=2, random_state=0).fit(table, y)
    assert len(BeliefLandscapeDisplay.from_estimator(clf, table, resolution=4).axes_) == 5
    with pytest.raises(TypeError, match="both of which Perceptron lacks"):
        BeliefLandscapeDisplay.from_estimator(Perceptron().fit(X, y), X)


def test_of_many_classes_those_with_most_mass_have_panels():
    rng = np.random.default_rng(0)
    X, y = rng.random((400, 2)), rng.integers(0, 15, 400)
    clf = GaussianNB().fit(X, y)
    display = BeliefLandscapeDisplay.from_estimator(clf, X, y=y, resolution=10)
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
    with pytest.raises(ValueError, match="a lesser and a greater number"):
        draw(evidential, X, limits=((1, 0), None))
    assert plt.get_fignums() == []


# Waterfalls


def ends_of(display):
    bars = list(display.bars_)
    return np.array([[bar.get_x(), bar.get_x() + bar.get_width()] for bar in bars])


@pytest.mark.parametrize("name", ["evidential", "evolved", "crisp"])
@pytest.mark.parametrize("max_entries", [1, 3, 10, 1000])
def test_bars_lead_from_nothing_to_the_total(name, max_entries, request, frame):
    clf = request.getfixturevalue(name)
    for row in (0, 70, 120):
        explanation = clf.explain(frame[0].iloc[[row]])
        if not np.isfinite(explanation.total):
            continue
        display = WaterfallDisplay.from_explanation(explanation, max_entries=max_entries)
        ends = ends_of(display)
        assert ends[0, 0] == ends[-1, 0] == 0
        assert_allclose(ends[1:-1, 0], ends[:-2, 1], atol=1e-10)  # each begins where one ended
        assert ends[-2, 1] == pytest.approx(explanation.total, abs=1e-10)
        assert ends[-1, 1] == pytest.approx(explanation.total, abs=1e-10)
        n_entries = len(explanation.entries)
        assert len(ends) == min(n_entries, max_entries) + (n_entries > max_entries) + 1


def test_entries_are_drawn_as_the_ledger_has_them(evidential, frame):
    explanation = evidential.explain(frame[0].iloc[[70]])
    display = WaterfallDisplay.from_estimator(evidential, frame[0].iloc[[70]], max_entries=4)
    ordered = explanation.ordered()
    labels = [" ".join(t.get_text().split()) for t in display.ax_.get_yticklabels()]
    for label, entry in zip(labels, ordered[:4], strict=False):
        assert entry.text.startswith(label.removesuffix(" ..."))
    assert labels[4] == f"{len(ordered) - 4} more"
    assert labels[5] == f"lead of {explanation.prediction} over {explanation.rival}"
    amounts = [explanation.support(entry) for entry in ordered[:4]]
    assert_allclose(display.amounts_[:4], amounts)
    for bar, amount in zip(display.bars_, amounts, strict=False):
        assert to_rgb(bar.get_facecolor()) == to_rgb(OKABE_ITO[0 if amount >= 0 else 1])
    display.figure_.draw_without_rendering()


def infinite(evidential, frame, supports):
    """Return an explanation with given amounts for the first class against the second."""
    evidence = evidential.predict_evidence(frame[0].iloc[[0]])
    entries = [
        Entry(f"rule {i}", np.array([min(s, 0.0), -max(s, 0.0)])) for i, s in enumerate(supports)
    ]
    classes, probability = np.array(["a", "b"]), np.array([1.0, 0.0])
    return Explanation(classes, {"x": 1.0}, entries, "log-odds", probability, evidence, 0)


@pytest.mark.parametrize(
    ("supports", "texts"),
    [
        ([np.inf, 2.0, -1.0], ["+∞", "+2.00", f"{MINUS}1.00", "+∞"]),
        ([-np.inf, 2.0, -1.0], [f"{MINUS}∞", "+2.00", f"{MINUS}1.00", f"{MINUS}∞"]),
        ([np.inf], ["+∞", "+∞"]),
        ([np.inf, -np.inf, 2.0], ["+∞", f"{MINUS}∞", "+2.00", "+0.00"]),
    ],
)
def test_infinite_amounts_are_arrows(evidential, frame, supports, texts):
    explanation = infinite(evidential, frame, supports)
    display = WaterfallDisplay.from_explanation(explanation)
    ends = ends_of(display)
    assert np.isfinite(ends).all()
    assert [text.get_text() for text in display.ax_.texts] == texts
    arrows = [line for line in display.ax_.get_lines() if line.get_marker() in "<>"]
    assert len(arrows) == np.isinf(display.amounts_).sum()
    is_cut = np.isinf(display.amounts_)
    finite = np.where(is_cut, 0, display.amounts_)[:-1]
    assert_allclose(ends[:-1, 0], np.concatenate([[0], np.cumsum(finite)[:-1]]))
    others = ends[~is_cut].max(initial=0), ends[~is_cut].min(initial=0)
    for (start, end), amount in zip(ends[is_cut], display.amounts_[is_cut], strict=True):
        assert (end > max(start, others[0])) if amount > 0 else (end < min(start, others[1]))
    display.figure_.draw_without_rendering()


def test_infinite_amounts_among_the_others_are_summed(evidential, frame):
    known = infinite(evidential, frame, [np.inf, np.inf, np.inf, 1.0])
    display = WaterfallDisplay.from_explanation(known, max_entries=1)
    assert display.amounts_.tolist() == [np.inf] * 3
    torn = infinite(evidential, frame, [np.inf, np.inf, -np.inf, 1.0])
    display = WaterfallDisplay.from_explanation(torn, max_entries=1)
    assert display.amounts_.tolist() == [np.inf, 0, 0]
    nothing = infinite(evidential, frame, [])
    display = WaterfallDisplay.from_explanation(nothing)
    assert display.amounts_.tolist() == [0]
    display.figure_.draw_without_rendering()


def test_waterfalls_that_cannot_be_drawn_are_refused(evidential, frame, iris):
    with pytest.raises(TypeError, match="needs explain, which GaussianNB lacks"):
        WaterfallDisplay.from_estimator(GaussianNB().fit(*iris), iris[0][:1])
    with pytest.raises(ValueError, match="max_entries must be at least 1, got 0"):
        WaterfallDisplay.from_estimator(evidential, frame[0].iloc[[0]], max_entries=0)
    assert plt.get_fignums() == []


# Learning curves


@pytest.mark.parametrize("kind", [FuzzyUCSClassifier, UCSClassifier])
def test_curves_are_what_training_for_so_long_gives(kind, iris):
    X, y = iris
    clf = kind(random_state=3, epochs=99)
    display = LearningCurveDisplay.from_estimator(clf, X[::2], y[::2], X[1::2], y[1::2], epochs=4)
    for epochs in (1, 4):
        alone = kind(random_state=3, epochs=epochs).fit(X[::2], y[::2])
        assert display.training_accuracy[epochs - 1] == alone.score(X[::2], y[::2])
        assert display.test_accuracy[epochs - 1] == alone.score(X[1::2], y[1::2])
        assert display.n_rules[epochs - 1] == len(alone.rules_)
    training, rules, test = display.lines_
    assert_array_equal(training.get_data(), ([1, 2, 3, 4], display.training_accuracy))
    assert_array_equal(rules.get_ydata(), display.n_rules)
    assert_array_equal(test.get_ydata(), display.test_accuracy)
    legend = [text.get_text() for text in display.axes_[0].get_legend().get_texts()]
    assert legend == ["training data", "test data"]
    assert clf.epochs == 99
    assert not hasattr(clf, "rules_")
    display.figure_.draw_without_rendering()


def test_the_estimator_stays_as_it_is(evolved, frame):
    before, state = dict(vars(evolved)), np.random.RandomState(0)
    LearningCurveDisplay.from_estimator(evolved, *frame, epochs=1)
    assert vars(evolved) == before
    drawn = np.random.RandomState(0)
    LearningCurveDisplay.from_estimator(FuzzyUCSClassifier(random_state=drawn), *frame, epochs=1)
    assert drawn.randint(2**31) == state.randint(2**31)


def test_own_epochs_and_no_test_data(frame):
    clf = FuzzyUCSClassifier(epochs=2, random_state=0, inference="weighted", calibrate=True)
    display = LearningCurveDisplay.from_estimator(clf, *frame)
    assert display.n_rules.shape == (2,)
    assert display.test_accuracy is None
    assert len(display.lines_) == 2


def test_curves_that_cannot_be_drawn_are_refused(iris):
    X, y = iris
    with pytest.raises(TypeError, match=r"epochs; .* sklearn.model_selection.LearningCurveDisplay"):
        LearningCurveDisplay.from_estimator(EvidentialRuleClassifier(), X, y)
    with pytest.raises(ValueError, match="must be given together"):
        LearningCurveDisplay.from_estimator(FuzzyUCSClassifier(), X, y, X)
    assert plt.get_fignums() == []


# Manners


def test_names_are_shown_literally(odd):
    clf, X, y = odd
    few = [clf.rules_.variables.feature_names[f] for f in np.flatnonzero(clf.rules_.asks.any(0))]
    assert_literal(PartitionDisplay.from_estimator(clf, X), NAMES)
    assert_literal(RuleHeatmapDisplay.from_estimator(clf), [*few, *LABELS])
    landscape = BeliefLandscapeDisplay.from_estimator(clf, X, (0, 2), y, resolution=3)
    assert_literal(landscape, [*NAMES, *LABELS])
    waterfall = WaterfallDisplay.from_estimator(clf, X.iloc[[70]])
    assert_literal(waterfall, [str(waterfall.explanation.prediction)])
    terms = {NAMES[0]: {"$low$": 4, "_high": 7}, NAMES[1]: {"a$": 2, "$b": 4}}
    own = EvidentialRuleClassifier(random_state=0, penalty=3.0, partition=terms).fit(X, y)
    assert_literal(PartitionDisplay.from_estimator(own, X), ["$low$", "_high", "a$", "$b"])


def draw_all(clf, frame, axes):
    X, _ = frame
    slow = FuzzyUCSClassifier(epochs=1, random_state=0)
    PartitionDisplay.from_estimator(clf, X, ax=next(axes))
    RuleHeatmapDisplay.from_estimator(clf, ax=next(axes))
    BeliefLandscapeDisplay.from_estimator(clf, X, resolution=3, ax=next(axes))
    WaterfallDisplay.from_estimator(clf, X.iloc[[0]], ax=next(axes))
    LearningCurveDisplay.from_estimator(slow, *frame, ax=next(axes))


def test_given_axes_are_used_or_divided_and_pyplot_left_alone(evidential, frame):
    current = plt.figure()
    figure = mpl.figure.Figure(figsize=(20, 20), layout="constrained")
    draw_all(evidential, frame, iter(figure.subplots(5)))
    assert len(figure.axes) == 5 + 4 + 2 + 5 + 4 + 2  # with the bars of four landscapes
    figure.draw_without_rendering()
    assert plt.get_fignums() == [current.number]
    assert current.axes == []
    draw_all(evidential, frame, iter([None] * 5))
    assert len(plt.get_fignums()) == 6


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


def test_without_matplotlib_there_is_advice(evidential, frame, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    slow = FuzzyUCSClassifier(epochs=1, random_state=0)
    for draw in (
        lambda: PartitionDisplay.from_estimator(evidential, frame[0]),
        lambda: RuleHeatmapDisplay.from_estimator(evidential),
        lambda: BeliefLandscapeDisplay.from_estimator(evidential, frame[0], resolution=3),
        lambda: WaterfallDisplay.from_estimator(evidential, frame[0].iloc[[0]]),
        lambda: LearningCurveDisplay.from_estimator(slow, *frame),
    ):
        with pytest.raises(ImportError, match=r"pip install 'fuzzyucs\[plot\]'"):
            draw()


def test_displays_can_be_made_without_drawing(evidential, frame):
    X, y = frame
    display = BeliefLandscapeDisplay.of(evidential, X, y=y, resolution=3)
    assert display.mass.shape == (3, 3, 3)
    for other in (
        display,
        PartitionDisplay(evidential.rules_.variables),
        RuleHeatmapDisplay(evidential.rules_),
        WaterfallDisplay(evidential.explain(X.iloc[[0]])),
        LearningCurveDisplay(np.ones(2), np.ones(2, dtype=int)),
    ):
        assert not hasattr(other, "figure_")
    assert plt.get_fignums() == []


def test_wine_fits_without_a_word_of_warning():
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
