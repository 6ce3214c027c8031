"""The display of held-out log-loss and accuracy over the number of rules."""

import pickle

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.exceptions import NotFittedError

import fuzzyucs
from fuzzyucs import EvidentialRuleClassifier
from fuzzyucs.plots import SizePathDisplay


def test_lines_are_the_path_and_marks_the_size(evidential):
    display = SizePathDisplay.from_estimator(evidential)
    path, n_rules = evidential.path_, len(evidential.rules_)
    above, below = display.lines_
    assert_array_equal(above.get_data(), (path["n_rules"], path["log_loss"]))
    assert_array_equal(below.get_data(), (path["n_rules"], path["accuracy"]))
    assert [above.axes, below.axes] == display.axes_
    assert [list(mark.get_xdata()) for mark in display.marks_] == [[n_rules] * 2] * 2
    assert [mark.axes for mark in display.marks_] == display.axes_
    assert display.text_.get_text() == f"{n_rules} rules"
    assert [ax.get_ylabel() for ax in display.axes_] == ["Held-out log-loss", "Held-out accuracy"]
    display.figure_.draw_without_rendering()
    least, most = display.axes_[0].get_xlim()
    assert least <= 0 < n_rules <= max(path["n_rules"]) < most
    assert display.axes_[0].get_ylim()[1] > max(path["log_loss"])


def test_models_that_were_made_smaller_or_came_from_elsewhere(evidential, tmp_path):
    small = evidential.with_size(3)
    loaded = fuzzyucs.load(small.save(tmp_path / "model.json"))
    for clf in (small, pickle.loads(pickle.dumps(small)), loaded):
        display = SizePathDisplay.from_estimator(clf)
        assert display.chosen == 3
        assert_array_equal(display.n_rules, evidential.path_["n_rules"])


def test_of_fused_models_one_is_marked(iris):
    clf = EvidentialRuleClassifier(n_models=3, random_state=0).fit(*iris)
    display = SizePathDisplay.from_estimator(clf)
    assert (
        display.chosen
        == dict(zip(*map(clf.path_.get, ("penalty", "n_rules")), strict=True))[clf.penalty_]
    )
    assert display.text_.get_text() == f"{display.chosen:.0f} rules"


@pytest.mark.parametrize(
    ("n_rules", "chosen", "text"),
    [([0.0], 0, "0 rules"), ([1.5], 1, "1 rule"), ([0.0, 1.0], 1, "1 rule"), ([3.0, 2.0], 9, None)],
)
def test_few_sizes(n_rules, chosen, text):
    n_sizes = len(n_rules)
    display = SizePathDisplay(
        np.array(n_rules), np.full(n_sizes, 0.4), np.full(n_sizes, 0.9), chosen
    ).plot()
    display.figure_.draw_without_rendering()
    assert display.text_.get_text() == (text or "9 rules")
    assert display.axes_[1].get_xlim()[1] > max(*n_rules, chosen)
    assert all(line.get_marker() == "o" for line in display.lines_)  # one point makes no line
    ticks = display.axes_[1].get_xticks()
    assert_array_equal(ticks, ticks.round())


def test_no_loss_at_all():
    display = SizePathDisplay(np.array([1.0]), np.zeros(1), np.ones(1), 1).plot()
    assert display.axes_[0].get_ylim() == (0, 1)


def test_the_text_stays_within_the_axes_and_off_the_line():
    n_rules = np.array([5.0, 50, 500, 3000])
    for chosen in (1, 5, 1500, 2999, 12345):
        display = SizePathDisplay(n_rules, 1 / n_rules, 1 - 1 / n_rules, chosen).plot()
        display.figure_.draw_without_rendering()
        box, ax = display.text_.get_window_extent(), display.axes_[0]
        frame, line = ax.get_window_extent(), ax.transData.transform((chosen, 0))[0]
        assert frame.x0 < box.x0 < box.x1 < frame.x1
        assert box.y1 <= frame.y1
        assert not box.x0 <= line <= box.x1
    assert display.text_.get_text() == "12,345 rules"


def test_without_a_size_nothing_is_marked():
    display = SizePathDisplay(np.array([1.0, 2.0]), np.ones(2), np.ones(2)).plot()
    assert display.marks_ == []
    assert display.text_ is None


def test_marks_are_seen_on_dark_grounds(evidential):
    for style, colour in (("default", "black"), ("dark_background", "white")):
        with plt.style.context(style):
            display = SizePathDisplay.from_estimator(evidential)
        shown = [display.text_.get_color(), *(mark.get_color() for mark in display.marks_)]
        assert {mpl.colors.to_rgb(c) for c in shown} == {mpl.colors.to_rgb(colour)}


def test_lines_take_options_of_matplotlib(evidential):
    display = SizePathDisplay.from_estimator(evidential, color="red", marker="s")
    assert {(line.get_color(), line.get_marker()) for line in display.lines_} == {("red", "s")}


def test_what_has_no_sizes_is_refused(bayes, evolved):
    for clf, name in ((bayes, "GaussianNB"), (evolved, "FuzzyUCSClassifier"), (3, "int")):
        with pytest.raises(TypeError, match=rf"path_\), which this {name} lacks"):
            SizePathDisplay.from_estimator(clf)
    with pytest.raises(NotFittedError):
        SizePathDisplay.from_estimator(EvidentialRuleClassifier())
    assert plt.get_fignums() == []
