"""
Rules of combination
====================

Five rules of combination applied to the same fuzzy rules, as a picture.

Run it, with a name for the picture if you like::

    python examples/combination_rules.py [output.png]

Rules are learned from three classes in the plane: two moons and a cloud. Every rule that matches a
point is a source of evidence about its class. The picture shows, for each rule of combination, the
probability of one class and the ignorance (mass of "I don't know"), on a square that is wider than
the data by half; the range of the data is dashed.

The upper half combines the hundreds of rules that Fuzzy-UCS evolves. So many sources always are in
conflict: Dempster's rule is certain nearly everywhere, Yager's and Dubois and Prade's rules are
certain nowhere, and the cautious rule is dominated by rules that match fully. Tempered by
calibration, Dempster's rule keeps its decisions, and its probabilities become realistic. The lower
half takes the few rules of EvidentialRuleClassifier, by their class profiles and by the same rules
of combination. Only novelty detects that a point lies beyond the data, where the rules say the same
as at the edge.

With two classes Dubois and Prade's rule would be the same as Yager's, hence three.
Needs matplotlib.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.colors import TwoSlopeNorm
from matplotlib.figure import Figure, SubFigure
from matplotlib.patches import Rectangle
from numpy.typing import NDArray
from sklearn.datasets import make_blobs, make_moons

from fuzzyucs import Evidence, EvidentialRuleClassifier, FuzzyUCSClassifier

OTHERS = {
    "Yager": "yager",
    "Dubois and Prade": "dubois-prade",
    "Cautious": "cautious",
    "Average": "average",
}
CLASSES = np.array(["upper moon", "lower moon", "cloud"])
SHOWN = "lower moon"  # the class whose probability is drawn
N_POINTS = 120  # on each side of the grid
DASHED = {"edgecolor": "white", "linestyle": "--", "linewidth": 0.8}

Array = NDArray[np.float64]
Columns = Mapping[str, Callable[[Array], Evidence]]


def make_data() -> tuple[Array, NDArray[np.str_]]:
    """Return two moons and a cloud that overlap."""
    moons, labels = make_moons(400, noise=0.25, random_state=0)
    cloud, _ = make_blobs(150, centers=[(0.4, -1.2)], cluster_std=0.35, random_state=0)
    return np.concatenate([moons, cloud]), CLASSES[np.append(labels, np.full(len(cloud), 2))]


def make_grid(X: Array) -> tuple[Array, tuple[float, float, float, float]]:
    """Return points that cover the data and half of their range more, and the edges."""
    low, high = X.min(axis=0), X.max(axis=0)
    margin = (high - low) / 4
    x, y = np.linspace(low - margin, high + margin, N_POINTS).T
    points = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    return points, (x[0], x[-1], y[0], y[-1])


def others(clf: Any) -> Columns:
    """Return the ways to combine that are not Dempster's."""
    return {
        title: lambda points, rule=rule: clf.predict_evidence(points, combination=rule)
        for title, rule in OTHERS.items()
    }


def evolved(X: Array, y: NDArray[np.str_]) -> Columns:
    """Return ways to combine the rules of Fuzzy-UCS."""
    plain = FuzzyUCSClassifier(random_state=0).fit(X, y)
    calibrated = FuzzyUCSClassifier(random_state=0, calibrate=True).fit(X, y)
    tempered = f"Dempster, tempered (T = {calibrated.tempering_.temperature:.0f})"
    return {
        "Dempster": plain.predict_evidence,
        tempered: calibrated.predict_evidence,
        **others(plain),
    }


def searched(X: Array, y: NDArray[np.str_]) -> Columns:
    """Return ways to combine the rules of the flagship."""
    novel = EvidentialRuleClassifier(random_state=0).fit(X, y)
    plain = EvidentialRuleClassifier(random_state=0, support=None).fit(X, y)
    titles = "Class profiles", "Class profiles, novelty"
    return {titles[0]: plain.predict_evidence, titles[1]: novel.predict_evidence, **others(plain)}


def draw_half(part: SubFigure, columns: Columns, X: Array, y: NDArray[np.str_]) -> None:
    """Draw a column for each rule of combination: probability above, ignorance below."""
    points, edges = make_grid(X)
    axes = part.subplots(2, len(columns), sharex=True, sharey=True)
    for (title, combine), (above, below) in zip(columns.items(), axes.T, strict=True):
        evidence = combine(points)
        probability, ignorance = (
            values.reshape(N_POINTS, N_POINTS)
            for values in (evidence.probability[:, evidence.classes == SHOWN], evidence.ignorance)
        )
        frame = {"origin": "lower", "extent": edges, "aspect": "auto"}
        norm = TwoSlopeNorm(1 / 3, 0, 1)
        shades = above.imshow(probability, cmap="PuOr", norm=norm, **frame)
        greys = below.imshow(ignorance, cmap="cividis", vmin=0, vmax=1, **frame)
        for is_shown, colour in ((False, "white"), (True, "black")):
            chosen = X[(y == SHOWN) == is_shown]
            above.scatter(*chosen.T, s=3.5, c=colour, edgecolors="black", linewidths=0.25)
        above.set_title(title, fontsize=9)
        below.add_patch(Rectangle(X.min(axis=0), *np.ptp(X, axis=0), fill=False, **DASHED))
        below.set(xticks=[], yticks=[])
    axes[0, 0].set_ylabel(f"probability of\n{SHOWN} (black)")
    axes[1, 0].set_ylabel("ignorance\n")
    bar = part.colorbar(shades, ax=axes[0], ticks=[0, 1 / 3, 1], aspect=12, pad=0.01)
    bar.ax.set_yticklabels(["0", "1/3", "1"])
    bar = part.colorbar(greys, ax=axes[1], ticks=[0, 0.5, 1], aspect=12, pad=0.01)
    bar.ax.set_yticklabels(["0", "1/2", "1"])


def main() -> None:
    """Learn, combine and draw."""
    default = Path(__file__).parent.parent / "docs" / "images" / "combination.png"
    output = Path(sys.argv[1]) if len(sys.argv) > 1 else default
    X, y = make_data()
    halves = {
        "FuzzyUCSClassifier: hundreds of rules": evolved(X, y),
        "EvidentialRuleClassifier: a few rules with class profiles": searched(X, y),
    }
    figure = Figure(figsize=(13, 9.6), layout="constrained")
    parts = figure.subfigures(2, 1, hspace=0.04)
    for part, (title, columns) in zip(parts, halves.items(), strict=True):
        part.suptitle(title, fontsize=12, fontweight="bold")
        draw_half(part, columns, X, y)
    output.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(output, dpi=110)
    print(f"Picture: {output}")


if __name__ == "__main__":
    main()
