"""The display of contributions to one prediction."""

from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from numpy.testing import assert_allclose
from sklearn.naive_bayes import GaussianNB

from fuzzyucs.explain import Entry, Explanation
from fuzzyucs.plots import CLASS_COLOURS, WaterfallDisplay


def colour_of(explanation, amount):
    """The colour of the class that an amount speaks for."""
    label = explanation.prediction if amount >= 0 else explanation.rival
    return to_rgb(CLASS_COLOURS[list(explanation.classes).index(label)])


MINUS = "\N{MINUS SIGN}"


def ends_of(display):
    bars = list(display.bars_)
    return np.array([[bar.get_x(), bar.get_x() + bar.get_width()] for bar in bars])


@pytest.mark.parametrize("name", ["evolved", "crisp"])
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


def records(frame):
    """Yield a record as it is, one with missing values, an empty one and a strange one."""
    X = frame[0]
    yield from (X.iloc[[0]], X.iloc[[70]], X.iloc[[120]])
    yield X.iloc[[70]].assign(**{"petal width (cm)": np.nan})
    yield X.iloc[[70]] * np.nan
    yield X.iloc[[70]] * 3


@pytest.mark.parametrize("max_entries", [1, 3, 1000])
def test_bars_start_at_the_base_rates(evidential, frame, max_entries):
    for record in records(frame):
        explanation = evidential.explain(record)
        display = WaterfallDisplay.from_explanation(explanation, max_entries=max_entries)
        ends = ends_of(display)
        p = np.sort(evidential.predict_proba(record)[0])
        assert ends[0, 0] == ends[-1, 0] == 0
        assert_allclose(ends[1:-1, 0], ends[:-2, 1], atol=1e-10)
        assert ends[-1, 1] == pytest.approx(np.log(p[-1] / p[-2]), abs=0.006)
        assert ends[-2, 1] == pytest.approx(ends[-1, 1], abs=1e-10)
        labels = [" ".join(t.get_text().split()) for t in display.ax_.get_yticklabels()]
        assert labels[0].startswith("base rates: ")
        assert labels[-1] == f"lead of {explanation.prediction} over {explanation.rival}"
        lines = explanation.ledger(most=max_entries)
        is_taken = abs(explanation.taken_back) >= 0.005
        assert len(ends) == len(lines) + is_taken + 1
        assert ("taken back, because of novelty" in labels[-2]) == is_taken
        assert display.ax_.get_title(loc="left").startswith(explanation.verdict.headline)
        for label, line, bar in zip(labels, lines, display.bars_, strict=False):
            assert line.text.startswith(label.removesuffix(" ..."))
            amount = explanation.contribution(line)
            assert bar.get_width() == pytest.approx(amount, abs=1e-10)
            if line.kind == "base rates":
                continue
            assert to_rgb(bar.get_facecolor()) == colour_of(explanation, amount)
            assert (bar.get_facecolor()[3] < 1) == (line.kind == "matches less")
        display.figure_.draw_without_rendering()
        plt.close("all")


def test_entries_are_drawn_as_the_ledger_has_them(evolved, frame):
    record = frame[0].iloc[[70]]
    explanation = evolved.explain(record)
    display = WaterfallDisplay.from_estimator(evolved, record, max_entries=4)
    ordered = explanation.ordered()
    labels = [" ".join(t.get_text().split()) for t in display.ax_.get_yticklabels()]
    for label, entry in zip(labels, ordered[:4], strict=False):
        assert entry.text.startswith(label.removesuffix(" ..."))
    assert labels[4] == f"{len(ordered) - 4} more"
    assert labels[5] == f"lead of {explanation.prediction} over {explanation.rival}"
    amounts = [explanation.contribution(entry) for entry in ordered[:4]]
    assert_allclose(display.amounts_[:4], amounts)
    for bar, amount in zip(display.bars_, amounts, strict=False):
        assert to_rgb(bar.get_facecolor()) == colour_of(explanation, amount)
    display.figure_.draw_without_rendering()


def infinite(evidential, frame, contributions):
    """Return an explanation with given amounts for the first class against the second."""
    evidence = replace(evidential.predict_evidence(frame[0].iloc[[0]]), base_rates=None)
    entries = [
        Entry(f"rule {i}", np.array([min(s, 0.0), -max(s, 0.0)]))
        for i, s in enumerate(contributions)
    ]
    classes, probability = np.array(["a", "b"]), np.array([1.0, 0.0])
    return Explanation(classes, {"x": 1.0}, entries, "log-odds", probability, evidence, 0)


@pytest.mark.parametrize(
    ("contributions", "texts"),
    [
        ([np.inf, 2.0, -1.0], ["+∞", "+2.00", f"{MINUS}1.00", "+∞"]),
        ([-np.inf, 2.0, -1.0], [f"{MINUS}∞", "+2.00", f"{MINUS}1.00", f"{MINUS}∞"]),
        ([np.inf], ["+∞", "+∞"]),
        ([np.inf, -np.inf, 2.0], ["+∞", f"{MINUS}∞", "+2.00", "+0.00"]),
    ],
)
def test_infinite_amounts_are_arrows(evidential, frame, contributions, texts):
    explanation = infinite(evidential, frame, contributions)
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
