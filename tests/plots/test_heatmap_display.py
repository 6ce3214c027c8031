"""The display of rules as a table."""

from copy import copy

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_hex, to_rgb
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.naive_bayes import GaussianNB

from fuzzyucs import EvidentialRuleClassifier, FuzzyUCSClassifier, UCSClassifier
from fuzzyucs.plots import CLASS_COLOURS, RuleHeatmapDisplay


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
        label = str(rules.classes[CLASS_COLOURS.index(to_hex(colour).upper())])
        is_crossed = display.cells_[row, feature][0].get_hatch() == "xxxx"
        assert rules.label(row) == (f"not {label}" if is_crossed else label)
    ticks = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert [tick.split(": ")[1] for tick in ticks] == [rules.label(r) for r in range(len(rules))]
    legend = [text.get_text() for text in display.side_ax_.get_legend().get_texts()]
    assert sorted(legend) == sorted({rules.label(row) for row in range(len(rules))})
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


def test_rules_come_in_the_order_of_their_importance(evidential, evolved, crisp):
    display = RuleHeatmapDisplay.from_estimator(evidential, max_rules=len(evidential.rules_))
    assert_allclose(
        [bar.get_width() for bar in display.bars_], np.sort(evidential.rules_.evidence)[::-1]
    )
    assert display.side_ax_.get_title() == "evidence"
    for clf, least in ((evolved, 10), (crisp, -1)):
        display = RuleHeatmapDisplay.from_estimator(clf, max_rules=7)
        rules = clf.rules_
        importance = np.where(rules.experience > least, rules.fitness * rules.numerosity, -np.inf)
        order = np.argsort(-importance, kind="stable").tolist()
        firsts = {
            next(i for i in order if rules.consequent[i] == label) for label in range(3)
        }  # one of each class, then the most important of all
        best = firsts | set([i for i in order if i not in firsts][: 7 - len(firsts)])
        best = sorted(best, key=order.index)
        assert_allclose([bar.get_width() for bar in display.bars_], importance[best])
        labels = [text.get_text() for text in display.ax_.get_yticklabels()]
        assert labels == [f"{i}: {rules.classes[rules.consequent[i]]}" for i in best]


def test_rules_without_experience_are_left_out_and_indices_stay(evolved):
    clf = copy(evolved).set_params(inference_experience=np.median(evolved.rules_.experience))
    display = RuleHeatmapDisplay.from_estimator(clf, max_rules=1000)
    labels = [text.get_text() for text in display.ax_.get_yticklabels()]
    indices = [int(label.split(":")[0]) for label in labels]
    ready = clf.rules_.experience > clf.inference_experience
    assert sorted(indices) == np.flatnonzero(ready).tolist()
    assert_array_equal(clf.rules_.conditions[indices], display.rules.conditions)


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


def test_numbers_in_cells_are_those_of_the_rules(evidential):
    display = RuleHeatmapDisplay.from_estimator(evidential)
    signs = {"\N{GREATER-THAN OR EQUAL TO}": ">=", "\N{LESS-THAN OR EQUAL TO}": "<="}
    seen = set()
    for row, feature in display.cells_:
        where = display.features_.index(feature) + 0.5, row + 0.25
        (text,) = [t.get_text() for t in display.ax_.texts if t.get_position() == where]
        seen.add(text[:1])
        for sign, written in signs.items():
            text = text.replace(sign, written)
        condition = display.rules.conditions[row, feature]
        assert f"({text})" in evidential.rules_.variables.describe_plain(feature, condition)
    assert seen & set(signs)


def test_many_features_and_classes_fit():
    rng = np.random.default_rng(0)
    X, y = rng.random((300, 40)), np.arange(300) % 20
    clf = UCSClassifier(epochs=1, random_state=0, dont_care_rate=0.2).fit(X, y)
    display = RuleHeatmapDisplay.from_estimator(clf, max_rules=30, max_features=5)
    assert len(display.features_) == 5
    assert [t.get_text() for t in display.ax_.get_xticklabels()][-1] == "and also asks for"
    asks, names = display.rules.asks, display.rules.variables.feature_names
    for row in range(len(display.rules)):
        hidden = [f for f in np.flatnonzero(asks[row]).tolist() if f not in display.features_]
        assert (row in display.rest_) == bool(hidden)
        if hidden:
            assert names[hidden[0]] in display.rest_[row].get_text()
    looks = {(bar.get_facecolor(), bar.get_hatch()) for bar in display.bars_}
    assert len(looks) == len(set(display.rules.consequent.tolist()))


def test_each_class_has_its_share_of_rows():
    """Also if the rules of another class are all more important."""
    rng = np.random.default_rng(0)
    X = rng.random((600, 6))
    y = np.array(["rare", "frequent"])[(X[:, 0] + X[:, 1] > 0.4).astype(int)]
    clf = UCSClassifier(epochs=5, random_state=0).fit(X, y)
    rules = clf.rules_
    order = np.argsort(-rules.rule_importance(), kind="stable")
    assert set(rules.consequent[order[:8]].tolist()) == {0}  # of "frequent"
    display = RuleHeatmapDisplay.from_rules(rules, max_rules=8)
    assert np.bincount(display.rules.consequent, minlength=2).tolist() == [6, 2]
    names = [int(text.get_text().split(":")[0]) for text in display.ax_.get_yticklabels()]
    assert names == sorted(names, key=order.tolist().index)
    legend = [text.get_text() for text in display.side_ax_.get_legend().get_texts()]
    assert legend == ["frequent", "rare"]


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
