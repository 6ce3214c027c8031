"""The article's figures 4 to 6, and critical-difference diagrams."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import scikit_posthocs
from matplotlib.figure import Figure

from fuzzyucs._util.files import replacing
from fuzzyucs.datasets import make_clouds, make_grid
from fuzzyucs.estimators.fuzzy_ucs import FuzzyUCSClassifier
from fuzzyucs.estimators.ucs import UCSClassifier
from fuzzyucs.experiment.measured import Measured
from fuzzyucs.experiment.problems import Problems
from fuzzyucs.experiment.statistics import signed_rank
from fuzzyucs.experiment.tables import TABLES
from fuzzyucs.plots import BeliefLandscapeDisplay

__all__ = [
    "belief_landscapes",
    "caption",
    "critical_difference",
    "decision_boundaries",
    "write_figures",
]

EPOCHS = 10
RESOLUTION = 1000
"""Points along each axis, as in the article."""
PANEL_DPI, RANKS_DPI = 400, 150
"""With the first, a panel has as many dots as points."""
UNIT_SQUARE = dict.fromkeys((0, 1), (0.0, 0.25, 0.5, 0.75, 1.0))
"""Peaks of the terms that divide the unit square, whatever the data's range."""


def decision_boundaries(seed: int = 0, runs: int = 30, resolution: int = RESOLUTION) -> Figure:
    """Draw the regions of UCS and of the three ways to decide, as in the article's Figure 4.

    The article does not give its data; `make_clouds` draws similar ones.

    Parameters
    ----------
    seed : int
        The run that is drawn.
    runs : int
        Training accuracies are means over so many seeds.
    resolution : int
        Points along each axis.

    Returns
    -------
    matplotlib.figure.Figure
    """
    X, y = make_clouds(random_state=0)
    limits = [(low, high) for low, high in zip(X.min(axis=0), X.max(axis=0), strict=True)]
    accuracies: dict[str, list[float]] = {name: [] for name in ("UCS", "VOTE", "SWIN", "DS")}
    regions: dict[str, BeliefLandscapeDisplay] = {}
    for run in range(seed, seed + runs):
        ucs = UCSClassifier(epochs=EPOCHS, random_state=run).fit(X, y)
        fuzzy = FuzzyUCSClassifier(epochs=EPOCHS, random_state=run).fit(X, y)
        for name, found in accuracies.items():
            clf = ucs if name == "UCS" else fuzzy.set_params(inference=name.lower())
            found.append(100 * clf.score(X, y))
            if run == seed:
                regions[name] = BeliefLandscapeDisplay.of(
                    clf, X, y=y, resolution=resolution, limits=limits
                )
    figure = Figure(figsize=(12, 3.4), layout="constrained")
    for axes, (name, region) in zip(figure.subplots(1, 4), regions.items(), strict=True):
        region.plot_decision(axes)
        axes.set_title(f"{name}: {np.mean(accuracies[name]):.2f} % on training data")
        if name != "UCS":
            for axis, values in (("x", X[:, 0]), ("y", X[:, 1])):
                # Neighbouring terms cross halfway between their peaks.
                lines = np.linspace(values.min(), values.max(), 9)[1::2]
                for line in lines:
                    (axes.axvline if axis == "x" else axes.axhline)(line, lw=0.4, c="black")
    return figure


def belief_landscapes(
    *, worst: bool = False, runs: int = 30, resolution: int = RESOLUTION
) -> Figure:
    """Draw decision and belief masses of Dempster-Shafer inference, as in Figures 5 and 6.

    The mass of "I don't know" is 0 everywhere if some experienced rule has no conditions, because
    Dempster's rule leaves no doubt where a rule matches with degree 1.

    Parameters
    ----------
    worst : bool
        Draw the run with the lowest training accuracy (Figure 6) instead of the first (Figure 5).
    runs : int
        Number of seeds.
    resolution : int
        Points along each axis.

    Returns
    -------
    matplotlib.figure.Figure
    """
    X, y = make_grid()
    models = [
        FuzzyUCSClassifier(epochs=EPOCHS, partition=UNIT_SQUARE, random_state=seed).fit(X, y)
        for seed in range(runs)
    ]
    accuracies = [100 * clf.score(X, y) for clf in models]
    chosen = int(np.argmin(accuracies)) if worst else 0
    landscape = BeliefLandscapeDisplay.of(
        models[chosen], X, y=y, resolution=resolution, limits=[(0, 1), (0, 1)]
    )
    figure = Figure(figsize=(13, 3.4), layout="constrained")
    decision, first, second, ignorance = figure.subplots(1, 4)
    landscape.plot_decision(decision)
    decision.set_title(f"decision: {accuracies[chosen]:.0f} % (mean {np.mean(accuracies):.2f} %)")
    for number, axes in enumerate((first, second)):
        landscape.plot_mass(number, axes)
        axes.set_title(f"mass of class {number + 1}")
    landscape.plot_ignorance(ignorance)
    if landscape.ignorance is not None and not landscape.ignorance.any():
        # A rule without conditions matches everywhere, and leaves no doubt.
        ignorance.set_title('mass of "I don\'t know": 0')
    for axes in (decision, first, second, ignorance):
        axes.set_aspect("equal")
    return figure


def critical_difference(measured: Measured) -> Figure | None:
    """Draw the average ranks; systems that do not differ significantly are joined.

    Parameters
    ----------
    measured : Measured

    Returns
    -------
    matplotlib.figure.Figure or None
        None if there is nothing to compare.
    """
    comparison, means = measured.comparison, measured.mean.dropna()
    if comparison is None or not comparison.reference or len(means) < 5:
        return None
    systems = list(means)
    p = [[1.0 if a == b else signed_rank(means[a], means[b]) for b in systems] for a in systems]
    figure = Figure(figsize=(7, 2.2), layout="constrained")
    axes = figure.subplots()
    scikit_posthocs.critical_difference_diagram(
        comparison.ranks, pd.DataFrame(p, systems, systems), ax=axes
    )
    axes.set_title(f"{TABLES[measured.name].title}, {measured.split}")
    return figure


CAPTIONS = {
    "figure4": "Figure 4: decision boundaries (on data like the article's, which are not given)",
    "figure5": "Figure 5: belief masses of Dempster-Shafer inference, first run",
    "figure6": "Figure 6: the same, run with the lowest training accuracy",
}


def caption(name: str) -> str:
    """Return the caption of a figure, by the name of its file.

    Examples
    --------
    >>> from fuzzyucs.experiment.figures import caption
    >>> caption("ranks_acc_10_test")
    'Average ranks, accuracy after 10 epochs, test: joined systems do not differ significantly'
    """
    if name in CAPTIONS:
        return CAPTIONS[name]
    table, split = name.removeprefix("ranks_").rsplit("_", 1)
    title = TABLES[table].title
    what = f"{title[0].lower()}{title[1:]}" + ("" if split == "model" else f", {split}")
    return f"Average ranks, {what}: joined systems do not differ significantly"


def write_figures(folder: Path, measured: Iterable[Measured], problems: Problems) -> list[Path]:
    """Write all figures as PNG.

    Parameters
    ----------
    folder : path
    measured : iterable of Measured
        Tables to draw critical-difference diagrams of.
    problems : Problems
        Takes the figures that cannot be drawn.

    Returns
    -------
    list of path
        The figures that were written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    figures: dict[str, Callable[[], Figure | None]] = {
        "figure4": decision_boundaries,
        "figure5": belief_landscapes,
        "figure6": partial(belief_landscapes, worst=True),
    }
    for table in measured:
        if table.variant == "said":
            figures[f"ranks_{table.name}_{table.split}"] = partial(critical_difference, table)
    written = []
    for name, draw in figures.items():
        with problems.confined(f"figure {name}"):
            figure = draw()
            if figure is not None:
                path = folder / f"{name}.png"
                dpi = PANEL_DPI if name in CAPTIONS else RANKS_DPI
                with replacing(path) as file:
                    figure.savefig(file, dpi=dpi, format="png")
                written.append(path)
    return written
