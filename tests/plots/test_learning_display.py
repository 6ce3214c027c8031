"""The display of accuracy and number of rules during training."""

from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import BaseEstimator
from sklearn.naive_bayes import GaussianNB

from fuzzyucs import EvidentialRuleClassifier, FuzzyUCSClassifier, UCSClassifier
from fuzzyucs.plots import LearningCurveDisplay


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


class Foreign(BaseEstimator):
    """An estimator of another library that calls back after each epoch."""

    def __init__(self, epochs=3):
        self.epochs = epochs

    def fit(self, _X, _y, *, callback=None):
        for epoch in range(1, self.epochs + 1):
            accuracy = epoch / 4
            callback(SimpleNamespace(training_accuracy=lambda a=accuracy: a, n_rules=epoch))
        return self


def test_any_estimator_that_calls_back_can_be_drawn(iris):
    display = LearningCurveDisplay.from_estimator(Foreign(), *iris)
    assert_array_equal(display.training_accuracy, [0.25, 0.5, 0.75])
    assert_array_equal(display.n_rules, [1, 2, 3])


def test_curves_that_cannot_be_drawn_are_refused(iris):
    X, y = iris
    for clf in (EvidentialRuleClassifier(), GaussianNB()):
        message = r"takes no callback; .* sklearn.model_selection.LearningCurveDisplay"
        with pytest.raises(TypeError, match=f"{type(clf).__name__} .* {message}"):
            LearningCurveDisplay.from_estimator(clf, X, y)
    with pytest.raises(TypeError, match="object does not learn in epochs"):
        LearningCurveDisplay.from_estimator(object(), X, y)
    with pytest.raises(ValueError, match="must be given together"):
        LearningCurveDisplay.from_estimator(FuzzyUCSClassifier(), X, y, X)
    assert plt.get_fignums() == []
