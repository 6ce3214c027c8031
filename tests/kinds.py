"""Features of all kinds that a model can have, for tests that repeat its arithmetic elsewhere."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs import EvidentialRuleClassifier, FuzzyUCSClassifier, UCSClassifier


def models_of_all_kinds(
    X: NDArray[np.float64], y: NDArray[Any]
) -> Iterator[tuple[Any, NDArray[np.float64]]]:
    """Yield fitted classifiers, and rows to compare on: holes, strange and unknown values."""
    X = np.column_stack([X, np.full(300, np.nan), np.full(300, 4.0), X[:, 3] % 2])
    options = {"random_state": 0, "support": "auto"}
    peaks = {1: {"few": 0.2, "many": 0.7}, 2: [0.1, 0.2, 0.9]}
    rows = np.vstack([X[:50], X[:50] * 1.4 - 0.1, X[::-1][:50] + 0.5])
    rows[::7, 4] = 3.0
    rows[::5, 6] = 0.5  # in the middle of two values
    holes = np.where(np.random.default_rng(2).random(rows.shape) < 0.2, np.nan, rows)
    for clf in (
        FuzzyUCSClassifier(epochs=2, nominal_features="auto", **options),
        FuzzyUCSClassifier(epochs=2, partition=peaks, nominal_features=[3, 5, 6], **options),
        FuzzyUCSClassifier(epochs=2, n_terms=[2, 3, 32, 4, 5, 6, 7], missing="belief", **options),
        FuzzyUCSClassifier(epochs=2, partition="values", n_terms=4, **options),
        EvidentialRuleClassifier(partition=peaks, nominal_features=[3, 4, 5], **options),
        UCSClassifier(epochs=2, **options),
    ):
        yield clf.fit(X, y), np.vstack([rows, holes])


def barely_matching(inference: str) -> tuple[FuzzyUCSClassifier, NDArray[np.float64]]:
    """Return a classifier with one rule of 400 conditions, and rows that hardly fulfil them."""
    X = np.random.default_rng(0).random((20, 400))
    X[:2] = [[0.0], [1.0]]
    clf = FuzzyUCSClassifier(
        epochs=1, random_state=0, inference=inference, inference_experience=0, n_terms=2
    ).fit(X, np.arange(20) % 2)
    conditions = np.ones((1, 400), dtype=np.uint32)
    rules = replace(
        clf.rules_[:1], conditions=conditions, experience=np.ones(1), fitness=np.ones(1)
    )
    rows = np.vstack([np.full((1, 400), 0.99), np.ones((1, 400)), np.zeros((1, 400))])
    rows[2, 0] = 1 - 2.0**-53
    clf = clf.with_rules(rules)
    assert clf.membership(rows)[:, 0].tolist() == [np.finfo(float).tiny, 0.0, 2.0**-53]
    return clf, rows
