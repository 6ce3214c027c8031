"""All pictures of six models, on light and dark grounds: to be looked at, and for tests.

python tests/plot_looks.py [folder]   writes them, by default into build/looks/plots
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine, make_moons

from fuzzyucs import EvidentialRuleClassifier, FuzzyUCSClassifier, UCSClassifier, plots

STYLES = ("default", "dark_background")
FOLDER = Path(__file__).parent.parent / "build" / "looks" / "plots"
DPI = 80

PURPOSES = (
    "debt consolidation of several older contracts",
    "home improvement and renovation",
    "small business, self-employed or freelance",
    "medical expenses",
    "car",
    "vacation and travelling abroad",
    "major purchase (furniture, kitchen, electronics)",
    "moving and relocation",
    "other",
)
HOMES = ("owner without a mortgage", "owner with a mortgage", "tenant", "lives with parents")
OUTCOMES = (
    "charged off after more than 150 days",
    "current",
    "fully paid",
    "in grace period of 15 days",
    "late (16-30 days)",
    "late (31-120 days)",
    "paid back early, with a fee",
    "restructured with lower rates",
    "sold to another bank",
    "under review",
)


@dataclass(frozen=True, eq=False)
class Model:
    """A fitted model, its data, and the two features of its landscape."""

    clf: Any
    X: Any
    y: NDArray[Any]
    plane: tuple[Any, Any]
    is_online: bool = False

    @property
    def records(self) -> Any:
        """A few rows, evenly spread over the data."""
        rows = np.linspace(0, len(self.y) - 1, 6).astype(int)
        return self.X.iloc[rows] if hasattr(self.X, "iloc") else self.X[rows]


def make_loans(n_rows: int = 900) -> tuple[pd.DataFrame, NDArray[Any]]:
    """Return loans: ten classes, categories and classes with long names, dates, great numbers."""
    rng = np.random.default_rng(0)
    income = np.round(rng.lognormal(11, 0.5, n_rows), -2)
    rate = rng.uniform(3, 30, n_rows)
    home = rng.integers(0, len(HOMES), n_rows)
    days = rng.integers(0, 3000, n_rows)
    risk = rate / 4 - income / 40_000 + home + rng.normal(0, 0.7, n_rows)
    y = np.array(OUTCOMES)[np.digitize(risk, np.quantile(risk, np.arange(0.1, 0.95, 0.1)))]
    X = pd.DataFrame(
        {
            "annual income before taxes and other deductions": income,
            "interest_rate_in_percent_per_year": rate,
            "home ownership": np.array(HOMES)[home],
            "purpose of the loan": rng.choice(PURPOSES, n_rows),
            "first day of the contract": pd.Timestamp("2012-01-01") + pd.to_timedelta(days, "D"),
            "number of children": rng.poisson(1.2, n_rows).astype(float),
        }
    )
    X.loc[rng.random(n_rows) < 0.1, "number of children"] = np.nan
    late = (X["first day of the contract"] > "2018-06-01").to_numpy() & (rng.random(n_rows) < 0.6)
    return X, np.where(late, OUTCOMES[9], y)


def learn_moons() -> Model:
    X, y = make_moons(400, noise=0.2, random_state=0)
    labels = np.array(["upper", "lower"])[y]
    return Model(EvidentialRuleClassifier(random_state=0).fit(X, labels), X, labels, (0, 1))


def learn_cancer() -> Model:
    data = load_breast_cancer(as_frame=True)
    y = data.target_names[data.target]
    clf = EvidentialRuleClassifier(random_state=0).fit(data.data, y)
    return Model(clf, data.data, y, ("worst area", "worst concave points"))


def learn_loans() -> Model:
    X, y = make_loans()
    clf = EvidentialRuleClassifier(random_state=0, penalty=3.0).fit(X, y)
    return Model(clf, X, y, ("home ownership", "annual income before taxes and other deductions"))


def learn_digits() -> Model:
    data = load_digits(as_frame=True)
    clf = EvidentialRuleClassifier(random_state=0, penalty=3.0).fit(data.data, data.target)
    return Model(clf, data.data, data.target.to_numpy(), ("pixel_3_4", "pixel_4_2"))


def learn_iris() -> Model:
    data = load_iris(as_frame=True)
    y = data.target_names[data.target]
    clf = UCSClassifier(epochs=10, random_state=0).fit(data.data, y)
    return Model(clf, data.data, y, ("petal length (cm)", "petal width (cm)"), is_online=True)


def learn_wine() -> Model:
    data = load_wine(as_frame=True)
    y = np.array(["Barolo", "Grignolino", "Barbera"])[data.target]
    clf = FuzzyUCSClassifier(epochs=20, random_state=0).fit(data.data, y)
    return Model(clf, data.data, y, ("flavanoids", "color_intensity"), is_online=True)


MODELS: dict[str, Callable[[], Model]] = {
    "moons": cache(learn_moons),
    "cancer": cache(learn_cancer),
    "loans": cache(learn_loans),
    "digits": cache(learn_digits),
    "iris-ucs": cache(learn_iris),
    "wine-fuzzy-ucs": cache(learn_wine),
}


def draw(model: Model, resolution: int = 100) -> Iterator[tuple[str, Any]]:
    """Draw all pictures of a model, each by one call; yield their names and displays."""
    clf, X, y, plane = model.clf, model.X, model.y, model.plane
    record = model.records[2:3]
    landscape: dict[str, Any] = {"resolution": resolution}
    see = plots.BeliefLandscapeDisplay.from_estimator
    yield "landscape", see(clf, X, plane, y, **landscape)
    yield "landscape-panels", see(clf, X, plane, y, panels=True, **landscape)
    if np.shape(X)[1] > 2:
        yield "landscape-record", see(clf, X, plane, y, at=record, **landscape)
        few = {"resolution": resolution // 3}
        yield "landscape-average", see(clf, X, plane, y, at="average", **few)
    rules = clf.decision.rules
    longest = int(clf.decision.rule_indices[rules.asks.sum(axis=1).argmax()])
    for number in dict.fromkeys([int(clf.decision.rule_indices[0]), longest]):
        name = "rule" if number != longest else "rule-long"
        yield name, plots.RuleDisplay.from_estimator(clf, number, X, y, record=record)
    yield "heatmap", plots.RuleHeatmapDisplay.from_estimator(clf, max_features=8)
    yield "waterfall", plots.WaterfallDisplay.from_estimator(clf, record)
    yield "evidence", plots.EvidenceDisplay.from_estimator(clf, model.records)
    yield "reliability", plots.ReliabilityDisplay.from_estimator(clf, X, y)
    yield "risk-coverage", plots.RiskCoverageDisplay.from_estimator(clf, X, y)
    if hasattr(rules.variables, "peaks"):
        yield "partition", plots.PartitionDisplay.from_estimator(clf, X)
    if model.is_online:
        yield "learning", plots.LearningCurveDisplay.from_estimator(clf, X, y, X, y, epochs=5)
    else:
        yield "sizes", plots.SizePathDisplay.from_estimator(clf)


def main() -> None:
    """Write all pictures."""
    mpl.use("Agg")
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for name, learn in MODELS.items():
        for style in STYLES:
            ground = "dark" if style == "dark_background" else "light"
            with plt.style.context(style):
                for picture, display in draw(learn()):
                    display.figure_.savefig(folder / f"{name}-{picture}-{ground}.png", dpi=DPI)
                    plt.close(display.figure_)
        print(f"{name}: {folder}")


if __name__ == "__main__":
    main()
