"""
What a model believes, and where it says "I don't know"
=======================================================

One picture of two features: the hue is the class that is believed, pale where rules contradict each
other, dark where the model says "I don't know"::

    python examples/hero.py [output.png]

Without a file name, the picture at the top of the README, docs/images/hero.png, is drawn again.
Needs matplotlib.
"""

# sphinx_gallery_thumbnail_path = "images/hero.png"

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import make_moons

from fuzzyucs import EvidentialRuleClassifier
from fuzzyucs.plots import BeliefLandscapeDisplay

GROUND = "#404040"  # the dark of "I don't know" goes on around the landscape
LIMITS = ((-2.2, 3.3), (-1.45, 2.05))
DPI = 110


def draw_hero() -> Figure:
    """Learn to tell two noisy moons apart, and draw what was learned."""
    X, moon = make_moons(400, noise=0.2, random_state=0)
    y = np.array(["first moon", "second moon"])[moon]
    clf = EvidentialRuleClassifier(random_state=0).fit(X, y)
    with plt.style.context("dark_background"):
        figure, ax = plt.subplots(figsize=(9.2, 4.9), layout="constrained", facecolor=GROUND)
        BeliefLandscapeDisplay.from_estimator(clf, X, y=y, limits=LIMITS, resolution=300, ax=ax)
        ax.set_axis_off()
        ax.set_title(
            f"{len(clf.rules_)} rules that know what they do not know", fontsize=15, pad=10
        )
    return figure


def main() -> None:
    """Draw, and write a file."""
    mpl.use("Agg")
    default = Path(__file__).parent.parent / "docs" / "images" / "hero.png"
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else default
    draw_hero().savefig(target, dpi=DPI)
    print(f"Picture: {target}")


if __name__ == "__main__":
    main()
