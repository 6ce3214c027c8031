"""The landscape in one picture: hue, pale, dark, and the words that explain them."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_hex, to_rgb
from matplotlib.contour import ContourSet
from matplotlib.path import Path
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.naive_bayes import GaussianNB

from drawing import contrast
from fuzzyucs.plots import CLASS_COLOURS, BeliefLandscapeDisplay
from fuzzyucs.plots._belief_colours import belief_colours
from plot_looks import MODELS, make_loans

DARK = 0.25


def to_light(c):
    return c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4


def from_light(c):
    return 12.92 * c if c <= 0.0031308 else 1.055 * c ** (1 / 2.4) - 0.055


def expected_colour(belief, ignorance, contradiction):
    """One point, written down plainly."""
    known = sum(belief)
    shares = [b / known if known > 0 else 1 / len(belief) for b in belief]
    second, first = sorted(belief)[-2:]
    alike = 2 * second / (first + second) if first > 0 else 0
    white = contradiction * alike
    colour = []
    for channel in range(3):
        parts = [to_light(to_rgb(colour)[channel]) for colour in CLASS_COLOURS[: len(belief)]]
        hue = from_light(sum(s * part for s, part in zip(shares, parts, strict=True)))
        colour.append((1 - ignorance) * (hue + white * (1 - hue)) + ignorance * DARK)
    return colour


@pytest.fixture(scope="module")
def moons():
    return MODELS["moons"]()


def see(model, **options):
    limits = ((-3.0, 4.0), (-2.5, 3.0))
    return BeliefLandscapeDisplay.from_estimator(
        model.clf, model.X, model.plane, model.y, **({"limits": limits, "resolution": 40} | options)
    )


def test_colours_are_those_of_the_evidence(moons):
    display = see(moons, resolution=15)
    x, y = (axis.values for axis in display.features)
    rows = np.column_stack([np.tile(x, 15), np.repeat(y, 15)])
    evidence = moons.clf.predict_evidence(rows)
    colours = display.images_[0].get_array().reshape(-1, 3)
    for row, colour in enumerate(colours):
        known = (e[row] for e in (evidence.belief, evidence.ignorance, evidence.contradiction))
        assert_allclose(colour, expected_colour(*known), atol=1e-9)


def test_sure_torn_and_ignorant_have_the_colours_of_the_key():
    mass = np.eye(10)[:, :10]
    nothing = np.zeros(10)
    sure = belief_colours(mass, nothing, nothing)
    assert [to_hex(colour).upper() for colour in sure] == list(CLASS_COLOURS)
    assert_allclose(belief_colours(mass, nothing, nothing + 1), 1)
    assert_allclose(belief_colours(mass, nothing + 1, nothing + 1), DARK)
    assert_allclose(belief_colours(np.zeros((3, 1)), np.ones(1), np.zeros(1)), DARK)


def test_the_dashed_line_is_where_ignorance_is_too_great(moons):
    display = see(moons, resolution=60)
    (line,) = [c for c in display.axes_[0].collections if isinstance(c, ContourSet)]
    assert line.levels.tolist() == [moons.clf.predict_evidence(moons.X[:1]).thresholds.ignorance]
    corners = np.concatenate([path.vertices for path in line.get_paths()])
    assert len(corners) > 50
    ignorance = moons.clf.predict_evidence(corners).ignorance
    assert np.abs(ignorance - 0.5).mean() < 0.1
    assert to_rgb(line.get_edgecolor()[0]) == (1, 1, 1)


@pytest.mark.parametrize("style", ["default", "dark_background"])
def test_the_words_lie_in_the_dark(moons, style):
    with plt.style.context(style):
        display = see(moons)
        display.figure_.canvas.draw()
    box = display.text_.get_window_extent()
    assert display.text_.get_text() == "I don't know"
    corners = display.axes_[0].transData.inverted().transform(box.corners())
    assert (moons.clf.predict_evidence(corners).ignorance > 0.5).all()
    assert (
        not Path(box.corners()[[0, 1, 3, 2]])
        .contains_points(display.axes_[0].transData.transform(moons.X))
        .any()
    )
    assert contrast(display.text_.get_color(), (DARK,) * 3) > 7
    # Where all is known there is no room for them.
    assert see(moons, limits=((-0.5, 0.5), (0.2, 1.0))).text_ is None


def test_the_key_explains_colours_in_few_words(moons, iris):
    display = see(moons)
    key = display.axes_[0].get_legend()
    texts = [" ".join(text.get_text().split()) for text in key.get_texts()]
    assert texts == [
        "lower",
        "upper",
        "pale: rules contradict each other",
        'dark: "I don\'t know"',
        "50 % ignorance",
        "records, by class",
    ]
    patches = [to_hex(patch.get_facecolor()).upper() for patch in key.get_patches()]
    assert patches == [*CLASS_COLOURS[:2], "#FFFFFF", "#404040"]
    bayes = GaussianNB().fit(*iris)
    display = BeliefLandscapeDisplay.from_estimator(bayes, iris[0], resolution=5)
    key = display.axes_[0].get_legend()
    texts = [" ".join(text.get_text().split()) for text in key.get_texts()]
    assert texts == ["0", "1", "2", "pale: classes are about equally probable", "records"]
    assert display.text_ is None


def test_probabilities_are_pale_where_classes_are_equally_probable(iris):
    bayes = GaussianNB().fit(*iris)
    display = BeliefLandscapeDisplay.from_estimator(bayes, iris[0], resolution=9)
    colours = display.images_[0].get_array()
    for (row, column), _ in np.ndenumerate(display.decision):
        expected = expected_colour(display.mass[:, row, column], 0, 1)
        assert_allclose(colours[row, column], expected, atol=1e-9)


def test_evidence_is_averaged_over_records(evidential, frame):
    X, y = frame
    some = X.iloc[::30]
    display = BeliefLandscapeDisplay.from_estimator(
        evidential, some, (2, 3), y[::30], at="average", resolution=4
    )
    horizontal, vertical = (axis.values for axis in display.features)
    for i, j in ((0, 0), (1, 2), (3, 3)):
        rows = some.copy()
        rows.iloc[:, 2], rows.iloc[:, 3] = horizontal[j], vertical[i]
        evidence = evidential.predict_evidence(rows)
        assert_allclose(display.mass[:, i, j], evidence.belief.mean(axis=0))
        assert_allclose(display.ignorance[i, j], evidence.ignorance.mean())
        second, first = np.sort(evidence.belief, axis=1)[:, -2:].T
        torn = evidence.contradiction * 2 * second / (first + second)
        assert_allclose(display.torn[i, j], torn.mean())
        labels, counts = np.unique(evidential.predict(rows), return_counts=True)
        decided = evidential.classes_[display.decision[i, j]]
        assert counts[labels == decided] == counts.max()
    assert display.axes_[0].get_title(loc="left") == "Mean of the evidence over 5 records"
    assert display.held == {}
    texts = [" ".join(t.get_text().split()) for t in display.axes_[0].get_legend().get_texts()]
    assert "mixed colours: depends on other features" in texts
    many = BeliefLandscapeDisplay.of(evidential, X, at="average", resolution=2)
    assert many.caption == "Mean of the evidence over 50 records"


def test_other_features_can_be_those_of_a_record(evidential, frame):
    X, _ = frame
    record = X.iloc[[7]]
    for at in (record, record.to_numpy()[0]):
        display = BeliefLandscapeDisplay.of(evidential, X, (2, 3), at=at, resolution=3)
        assert display.held == record.iloc[0, :2].to_dict()
        row = record.copy()
        row.iloc[0, 2:] = [axis.values[1] for axis in display.features]
        evidence = evidential.predict_evidence(row)
        assert_array_equal(display.mass[:, 1, 1], evidence.belief[0])
        assert display.caption.startswith("Other features as in one record: sepal length (cm) = 5")


def test_captions_have_names_of_categories_and_plain_numbers():
    model = MODELS["loans"]()
    X, _ = make_loans()
    income, rate = X.columns[:2]
    plane = ("number of children", rate)
    display = BeliefLandscapeDisplay.of(model.clf, X, plane, resolution=2)
    home = X["home ownership"].mode()[0]
    assert display.held["home ownership"] == home
    day = display.held["first day of the contract"]
    assert day[:2] == "20"
    text = f"{income} = {X[income].median():.0f}, home ownership = {home}, purpose of the loan = "
    assert display.caption.startswith(f"Other features at typical values: {text}")
    assert "e+" not in display.caption
    at = {"home ownership": "tenant", income: 123_456}
    display = BeliefLandscapeDisplay.of(model.clf, X, plane, at=at, resolution=2)
    assert display.caption.startswith(
        f"Other features held: {income} = 123456, home ownership = tenant"
    )
    with pytest.raises(ValueError, match=r"'home ownership' has no category 'castle'.*it has"):
        BeliefLandscapeDisplay.of(model.clf, X, plane, at={"home ownership": "castle"})


def test_axes_have_plain_numbers_and_names():
    model = MODELS["loans"]()
    display = BeliefLandscapeDisplay.from_estimator(
        model.clf, model.X, model.plane, model.y, resolution=6
    )
    display.figure_.canvas.draw()
    ax = display.axes_[0]
    names = [" ".join(text.get_text().split()) for text in ax.get_xticklabels()]
    assert names == sorted(model.X["home ownership"].unique())
    numbers = [text.get_text().replace("\N{MINUS SIGN}", "-") for text in ax.get_yticklabels()]
    assert all(float(number) == int(number) and "." not in number for number in numbers)
    assert max(map(int, numbers)) >= 100_000
    assert ax.yaxis.offsetText.get_text() == ""
    patches = [to_hex(p.get_facecolor()).upper() for p in ax.get_legend().get_patches()]
    assert patches[:10] == list(CLASS_COLOURS)
