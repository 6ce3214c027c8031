"""Growths of which tests know beforehand what they find."""

import numpy as np

from fuzzyucs.estimators.growth import Growth
from fuzzyucs.estimators.training import TrainingData
from fuzzyucs.variables.table import Table


def data_by_chance(rng, n=None):
    """Return rows with repetitions, gaps and classes of all sizes."""
    n = n or int(rng.integers(2, 200))
    n_classes = int(rng.integers(2, 6))
    X = rng.integers(-2, 3, (n, int(rng.integers(1, 4)))).astype(float)
    X[rng.random(X.shape) < 0.2] = np.nan
    labels = rng.choice(n_classes, n, p=rng.dirichlet(np.ones(n_classes))).astype(np.uint32)
    return TrainingData(np.arange(n_classes), Table.of(X), labels, rng.choice([1.0, 0.5], n))


class Scripted(Growth):
    """A growth that knows how many rules it will find, and how good they are."""

    def __init__(self, script):
        rng = np.random.default_rng(0)
        super().__init__(data_by_chance(rng, 60), None, None)
        self.script = script

    def begin(self, _rows):
        return iter(self.script)

    def advance(self, search, _penalty, _most):
        self.n_rules, self.quality = next(search)
        return self.n_rules

    def probabilities(self, _search, rows):
        own = np.eye(self.data.n_classes)[self.data.labels[rows]]
        return self.quality * own + (1 - self.quality) / self.data.n_classes
