"""Interviews about test records: in which order questions are asked, and what each one brings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier

from fuzzyucs import EvidentialRuleClassifier
from fuzzyucs.questions.asking import ask, rank
from fuzzyucs.questions.uncertainty import Uncertainty

Array = NDArray[Any]
Choose = Callable[[Array], Array]  # records as far as they are known -> feature to ask for, or -1


class Interview(NamedTuple):
    """What the model says after each question, a row for each number of questions."""

    right: Array  # (n_features + 1, n_records): whether the most probable class is the true one
    is_answer: Array  # whether the verdict is an answer
    n_asked: Array  # (n_records,): after how many questions nothing was left to ask


def interview(model: EvidentialRuleClassifier, X: Array, y: Array, choose: Choose) -> Interview:
    """Ask for values of records that are unknown at first, one after the other."""
    known = np.full(X.shape, np.nan)
    steps, n_asked = [_state(model, known, y)], np.zeros(len(X), dtype=int)
    is_going = np.ones(len(X), dtype=bool)
    for _ in range(X.shape[1]):
        features = np.full(len(X), -1)
        if is_going.any():
            # A question is of no use if its value is missing in the data: it is left out.
            features[is_going] = choose(np.flatnonzero(is_going), known[is_going])
        is_going &= features >= 0
        rows = np.flatnonzero(is_going)
        known[rows, features[rows]] = X[rows, features[rows]]
        n_asked[rows] += 1
        steps.append(_state(model, known, y) if len(rows) else steps[-1])
    right, is_answer = (np.array(part) for part in zip(*steps, strict=True))
    return Interview(right, is_answer, n_asked)


def _state(model: EvidentialRuleClassifier, known: Array, y: Array) -> tuple[Array, Array]:
    answer = model.answer(known)
    return answer.labels == y, answer.evidence.verdict == "answer"


def by_expectation(model: EvidentialRuleClassifier, X: Array, measure: str) -> Choose:
    """Ask as `next_question` does."""
    can_be_known, prices = ~np.isnan(X), np.ones(X.shape[1])

    def choose(rows: Array, known: Array) -> Array:
        asked = ask(model.decision, model.support_, known, can_be_known[rows])
        reduction = asked.reduction(Uncertainty(measure))
        others = asked.reduction(Uncertainty())
        first = [
            rank(*pair)[:1] for pair in zip(reduction, [prices] * len(rows), others, strict=True)
        ]
        return np.array([order[0] if len(order) else -1 for order in first])

    return choose


def by_order(order: Array, X: Array) -> Choose:
    """Ask in an order for each record, which may be the same for all."""
    places = np.argsort(np.broadcast_to(order, X.shape), axis=1)
    places = np.where(np.isnan(X), X.shape[1], places)

    def choose(rows: Array, known: Array) -> Array:
        left = np.where(np.isnan(known), places[rows], X.shape[1])
        return np.where(left.min(axis=1) < X.shape[1], left.argmin(axis=1), -1)

    return choose


def at_random(X: Array, seed: int) -> Array:
    """Return an order for each record."""
    rng = np.random.default_rng(seed)
    return np.array([rng.permutation(X.shape[1]) for _ in X])


def by_importance(model: EvidentialRuleClassifier) -> Array:
    """Return the features by their share in the evidence on the training data."""
    return np.argsort(-model.feature_importances_, kind="stable")


def by_tree(train: tuple[Array, Array], X: Array) -> Array:
    """Return for each record the features on its path through a tree, then the others.

    The tree is scikit-learn's, fully grown on the same training data. A feature has the place at
    which the path first tests it; those that it never tests follow by their importance to the tree.
    """
    tree = DecisionTreeClassifier(random_state=0).fit(*train)
    nodes, tested = tree.decision_path(X), tree.tree_.feature
    others = np.argsort(-tree.feature_importances_, kind="stable").tolist()
    orders = []
    for row in range(len(X)):
        path = sorted(nodes.indices[nodes.indptr[row] : nodes.indptr[row + 1]].tolist())
        asked = [int(tested[node]) for node in path if tested[node] >= 0]
        orders.append(list(dict.fromkeys([*asked, *others])))
    return np.array(orders)
