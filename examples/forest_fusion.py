"""
Evidence from the trees of a forest
===================================

The leaves of a random forest as sources of evidence, combined by Dempster's rule.

The article proposes to use its inference with other learners that give several opinions about an
input. A forest does: the leaf of each tree is a rule, with class shares and a number of training
rows. Here every leaf becomes a source of evidence, whose mass of "I don't know" is greater where
the leaf has fewer rows, and Dempster's rule combines them. It is measured beside the average that a
forest takes::

    python examples/forest_fusion.py [output.png]

Accuracies differ by less than a point. Dempster's rule takes trees for independent sources, though
all of them learned from the same rows, and its probabilities become overconfident: on four of the
five tables its log-loss is two to four times that of the average. With the number of trees as its
temperature, a hundred trees count like one, and the log-loss is close to that of the average, or
smaller. Needs the extra `experiment`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import log_loss
from sklearn.model_selection import ShuffleSplit

from fuzzyucs.combination import combine
from fuzzyucs.datasets import load_embedded
from fuzzyucs.experiment.known_problems import make_linguistic, make_overlapping

DOUBT = 1.0  # a leaf knows as much as its rows say, against so many rows that say nothing
N_TREES = 100
LEAST = 1e-3  # smaller probabilities count as much, so that no loss is infinite
COLOURS = ("#0072B2", "#D55E00", "#009E73")

Array = NDArray[np.float64]


def leaf_masses(forest: RandomForestClassifier, X: Array) -> Array:
    """Return the masses that the leaf of each tree gives to the classes."""
    masses = []
    for tree in forest.estimators_:
        leaves = tree.apply(X)
        shares = tree.tree_.value[leaves][:, 0, :]  # they sum to 1
        n_rows = tree.tree_.weighted_n_node_samples[leaves]
        masses.append(shares * (n_rows / (n_rows + DOUBT))[:, np.newaxis])
    return np.stack(masses, axis=1)


def problems() -> dict[str, tuple[Array, NDArray[np.int_]]]:
    """Return tables that need no download, and two whose uncertainty is known."""
    tables = {name: load_embedded(name) for name in ("iris", "wine", "breast_cancer")}
    found = {name.replace("_", " "): (table.data, table.target) for name, table in tables.items()}
    found["overlapping classes"] = make_overlapping(600)[:2]
    found["vague words"] = make_linguistic(600, vagueness=0.5)[:2]
    return found


def measure(X: Array, y: NDArray[np.int_]) -> dict[str, tuple[float, float]]:
    """Return accuracy in percent and log-loss of each way to combine, means over ten splits."""
    scores: dict[str, list[tuple[float, float]]] = {}
    for train, test in ShuffleSplit(10, test_size=0.2, random_state=0).split(X):
        forest = RandomForestClassifier(N_TREES, random_state=0).fit(X[train], y[train])
        masses = leaf_masses(forest, X[test])
        ways = {
            "average, as the forest": forest.predict_proba(X[test]),
            "Dempster's rule": combine(masses).pignistic,
            "tempered": combine(masses, temperature=float(N_TREES)).pignistic,
        }
        for name, probability in ways.items():
            accuracy = 100 * np.mean(forest.classes_[probability.argmax(axis=1)] == y[test])
            clipped = np.clip(probability, LEAST, 1)
            clipped /= clipped.sum(axis=1, keepdims=True)
            loss = log_loss(y[test], clipped, labels=forest.classes_)
            scores.setdefault(name, []).append((float(accuracy), loss))
    return {name: tuple(np.mean(values, axis=0)) for name, values in scores.items()}


def draw(results: dict[str, dict[str, tuple[float, float]]]) -> Figure:
    """Draw accuracies and log-losses as bars."""
    figure = Figure(figsize=(10, 3.6), layout="constrained")
    for index, (axes, what) in enumerate(
        zip(figure.subplots(1, 2), ("accuracy in %", "log-loss"), strict=True)
    ):
        for way, (name, colour) in enumerate(
            zip(next(iter(results.values())), COLOURS, strict=True)
        ):
            heights = [result[name][index] for result in results.values()]
            axes.bar(
                np.arange(len(results)) + 0.27 * (way - 1), heights, 0.25, color=colour, label=name
            )
        axes.set_xticks(range(len(results)), list(results), rotation=20)
        axes.set_ylabel(what)
    figure.axes[0].set_ylim(0, 100)
    figure.axes[1].legend(fontsize="small")
    return figure


def main() -> None:
    """Measure the three ways, print and draw the results."""
    results = {name: measure(*table) for name, table in problems().items()}
    for problem, result in results.items():
        print(problem)
        for name, (accuracy, loss) in result.items():
            print(f"  {name:24} accuracy {accuracy:5.1f} %   log-loss {loss:.3f}")
    output = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("forest_fusion.png")
    draw(results).savefig(output, dpi=110)
    print(f"Picture: {output}")


if __name__ == "__main__":
    main()
