"""What rules of combination make of the same fuzzy rules, as a picture.

    python examples/combination_rules.py [output.png]

Rules are learned from three classes in the plane: two moons and a cloud. Every rule that matches a
point is a source of evidence about its class. The picture shows, for each rule of combination, the
probability of one class and how much is left to "I don't know", on a square half as wide again as
the data, whose range is dashed.

The upper half combines all rules that match, as the article does, each as often as its numerosity
says. Hundreds of sources always quarrel: Dempster's rule is sure of something nearly everywhere,
Yager's and Dubois and Prade's of nothing anywhere, and the cautious rule listens only to rules that
match without any doubt, such as the one that says "whatever the values". A high temperature or the
average keeps degrees of belief apart. The lower half combines the five strongest rules at each
point, as a panel of few experts would, and there every rule of combination has something to say.

Beyond the data rules go on saying what they say at the edge: none of this tells that an input is
unlike the training data.

With two classes Dubois and Prade's rule would be the same as Yager's, hence three. A rule that does
not match counts 0 times, rather than as a source that knows nothing: Dubois and Prade's rule lets
such a source take every quarrel to "I don't know".

Needs matplotlib.
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import TwoSlopeNorm
from matplotlib.figure import Figure, SubFigure
from matplotlib.patches import Rectangle
from numpy.typing import NDArray
from sklearn.datasets import make_blobs, make_moons

from fuzzyucs import FuzzyUCSClassifier, RuleSet
from fuzzyucs.combination import combine

RULES = {
    "Dempster": "dempster",
    "Dempster, temperature {temperature:.0f}": "tempered",
    "Yager": "yager",
    "Dubois and Prade": "dubois-prade",
    "Cautious": "cautious",
    "Average": "average",
}
SHOWN = 1  # the class whose probability is drawn
N_POINTS = 120  # on each side of the grid
CHUNK = 1000  # points at a time, so that memory stays small
N_STRONGEST = 5
TEMPERATURE = {"all": 80.0, "strongest": 3.0}  # the more sources, the higher
DASHED = {"edgecolor": "white", "linestyle": "--", "linewidth": 0.8}

Array = NDArray[np.float64]


def make_data() -> tuple[Array, NDArray[np.int_]]:
    """Return two moons and a cloud that overlap."""
    moons, labels = make_moons(400, noise=0.25, random_state=0)
    cloud, _ = make_blobs(150, centers=[(0.4, -1.2)], cluster_std=0.35, random_state=0)
    return np.concatenate([moons, cloud]), np.append(labels, np.full(len(cloud), 2))


def make_grid(X: Array) -> tuple[Array, tuple[float, float, float, float]]:
    """Return points that cover the data and half of their range more, and the edges."""
    low, high = X.min(axis=0), X.max(axis=0)
    margin = (high - low) / 4
    x, y = np.linspace(low - margin, high + margin, N_POINTS).T
    points = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    return points, (x[0], x[-1], y[0], y[-1])


def counts(degrees: Array, rules: RuleSet, choice: str) -> NDArray[np.int_]:
    """Return how often each rule counts at each point."""
    matches = degrees > 0
    if choice == "all":
        return matches * rules.numerosity.astype(int)
    strength = degrees * rules.fitness
    strongest = np.argsort(-strength, axis=1, kind="stable")[:, :N_STRONGEST]
    chosen = np.zeros(degrees.shape, dtype=bool)
    np.put_along_axis(chosen, strongest, True, axis=1)
    return (chosen & matches).astype(int)


def evaluate(clf: FuzzyUCSClassifier, points: Array, choice: str, rule: str) -> tuple[Array, Array]:
    """Return the probability of the class that is shown, and the ignorance, at each point."""
    experienced = clf.rules_.experience > clf.inference_experience
    rules = clf.rules_[experienced]
    options = {"rule": rule}
    if rule == "tempered":
        options = {"rule": "dempster", "temperature": TEMPERATURE[choice]}
    probability, ignorance = [], []
    for start in range(0, len(points), CHUNK):
        degrees = clf.membership(points[start : start + CHUNK])[:, experienced]
        mass = degrees[:, :, np.newaxis] * rules.weights
        evidence = combine(mass, count=counts(degrees, rules, choice), **options)
        probability.append(evidence.pignistic[:, SHOWN])
        ignorance.append(evidence.ignorance)
    return np.concatenate(probability), np.concatenate(ignorance)


def draw_data(ax: Axes, X: Array, y: NDArray[np.int_]) -> None:
    """Draw the class that is shown in black, the others in white."""
    for is_shown, colour in ((False, "white"), (True, "black")):
        chosen = X[(y == SHOWN) == is_shown]
        ax.scatter(*chosen.T, s=3.5, c=colour, edgecolors="black", linewidths=0.25)


def draw_half(part: SubFigure, clf: FuzzyUCSClassifier, X: Array, y: Array, choice: str) -> None:
    """Draw a column for each rule of combination: probability above, ignorance below."""
    points, edges = make_grid(X)
    axes = part.subplots(2, len(RULES), sharex=True, sharey=True)
    norm = TwoSlopeNorm(1 / len(clf.classes_), 0, 1)
    for (title, rule), (above, below) in zip(RULES.items(), axes.T, strict=True):
        probability, ignorance = (
            values.reshape(N_POINTS, N_POINTS) for values in evaluate(clf, points, choice, rule)
        )
        place = {"origin": "lower", "extent": edges, "aspect": "auto"}
        shades = above.imshow(probability, cmap="PuOr", norm=norm, **place)
        doubts = below.imshow(ignorance, cmap="cividis", vmin=0, vmax=1, **place)
        draw_data(above, X, y)
        above.set_title(title.format(temperature=TEMPERATURE[choice]), fontsize=10)
        below.add_patch(Rectangle(X.min(axis=0), *np.ptp(X, axis=0), fill=False, **DASHED))
        below.set(xticks=[], yticks=[])
    axes[0, 0].set_ylabel(f"probability of class {SHOWN} (black)")
    axes[1, 0].set_ylabel("ignorance")
    bar = part.colorbar(shades, ax=axes[0], ticks=[0, 1 / 3, 1], aspect=12, pad=0.01)
    bar.ax.set_yticklabels(["0", "1/3", "1"])
    bar = part.colorbar(doubts, ax=axes[1], ticks=[0, 0.5, 1], aspect=12, pad=0.01)
    bar.ax.set_yticklabels(["0", "1/2", "1"])


def main() -> None:
    """Learn, combine and draw."""
    default = Path(__file__).parent.parent / "docs" / "images" / "combination.png"
    output = Path(sys.argv[1]) if len(sys.argv) > 1 else default
    X, y = make_data()
    clf = FuzzyUCSClassifier(random_state=0).fit(X, y)
    titles = {
        "all": "All rules that match",
        "strongest": f"The {N_STRONGEST} strongest rules that match",
    }
    figure = Figure(figsize=(13, 9.6), layout="constrained")
    halves = figure.subfigures(2, 1, hspace=0.04)
    for part, (choice, title) in zip(halves, titles.items(), strict=True):
        part.suptitle(title, fontsize=12, fontweight="bold")
        draw_half(part, clf, X, y, choice)
    output.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(output, dpi=110)
    print(f"{clf.rules_}, combined in {len(RULES)} ways: {output}")


if __name__ == "__main__":
    main()
