"""
Pictures of a model
===================

One call each: linguistic terms, rules, beliefs over two features in one picture and in panels, an
explanation, what more rules are worth, and the learning curve.

Run it::

    python examples/pictures.py [output.png]

Without a file name, the pictures of the guide in docs/images are drawn again; with one, all
pictures are drawn on one sheet. Needs matplotlib.
"""

# sphinx_gallery_thumbnail_path = "images/landscape.png"

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.image
import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.model_selection import train_test_split

from fuzzyucs import EvidentialRuleClassifier, FuzzyUCSClassifier
from fuzzyucs.plots import (
    BeliefLandscapeDisplay,
    LearningCurveDisplay,
    PartitionDisplay,
    RuleHeatmapDisplay,
    SizePathDisplay,
    WaterfallDisplay,
)

DPI = 90
TERMS_OF = ["alcohol", "flavanoids", "color_intensity", "proline"]
PLANE = ("flavanoids", "color_intensity")


def draw_pictures() -> dict[str, Figure]:
    """Learn to tell three wines apart, and tumours, and draw."""
    wine = load_wine(as_frame=True)
    X, y = wine.data, np.array(["Barolo", "Grignolino", "Barbera"])[wine.target]
    X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)
    clf = EvidentialRuleClassifier(random_state=0).fit(X_train, y_train)
    uncertain = clf.predict_evidence(X_test).confidence.argmin()
    large = EvidentialRuleClassifier(random_state=0).fit(*load_breast_cancer(return_X_y=True))
    slow = FuzzyUCSClassifier(epochs=50, random_state=0)
    displays: dict[str, Any] = {
        "partition": PartitionDisplay.from_estimator(clf, X_train, TERMS_OF),
        "rules": RuleHeatmapDisplay.from_estimator(clf, max_rules=12, max_features=8),
        "landscape": BeliefLandscapeDisplay.from_estimator(clf, X_train, PLANE, y_train),
        "panels": BeliefLandscapeDisplay.from_estimator(clf, X_train, PLANE, y_train, panels=True),
        "waterfall": WaterfallDisplay.from_estimator(clf, X_test.iloc[[uncertain]]),
        "sizes": SizePathDisplay.from_estimator(large),
        "learning": LearningCurveDisplay.from_estimator(slow, X_train, y_train, X_test, y_test),
    }
    return {name: display.figure_ for name, display in displays.items()}


def put_on_sheet(figures: list[Figure]) -> NDArray[np.uint8]:
    """Return one picture with all figures, one below the other."""
    sheets = []
    for figure in figures:
        figure.set_dpi(DPI)
        figure.canvas.draw()
        sheets.append(np.asarray(figure.canvas.buffer_rgba()))
    width = max(sheet.shape[1] for sheet in sheets)
    white = [((0, 0), (0, width - sheet.shape[1]), (0, 0)) for sheet in sheets]
    rows = [np.pad(s, pad, constant_values=255) for s, pad in zip(sheets, white, strict=True)]
    return np.concatenate(rows)


def main() -> None:
    """Draw, and write files."""
    mpl.use("Agg")
    figures = draw_pictures()
    if len(sys.argv) > 1:
        mpl.image.imsave(sys.argv[1], put_on_sheet(list(figures.values())))
        print(f"Picture: {sys.argv[1]}")
        return
    folder = Path(__file__).parent.parent / "docs" / "images"
    for name, figure in figures.items():
        figure.savefig(folder / f"{name}.png", dpi=DPI)
        print(f"Picture: {folder / name}.png")


if __name__ == "__main__":
    main()
