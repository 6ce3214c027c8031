"""Speed of fuzzyucs and of other learning classifier systems, measured in one run.

    python benchmarks/speed.py [--rounds 5] [--output docs/speed.md]

Times are CPU seconds of one thread, the best of several interleaved rounds: machines are shared and
noisy, so only ratios within a run are meaningful. Data sets of the article are added to the tables
if the environment variable FUZZYUCS_DATA names a folder that has them.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import io
import os
import platform
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

# One thread each, whatever the library; must be set before they are imported.
os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")

import numpy as np
from sklearn.preprocessing import MinMaxScaler

from fuzzyucs import FuzzyUCSClassifier, UCSClassifier
from fuzzyucs.datasets import load_article, load_embedded
from fuzzyucs.estimators.online import RuleLearner
from fuzzyucs.experiment.tables import datasets_of
from peers import PEERS, POPULATION, installed

EPOCHS = 10
SEEDS = 5
SCHEMES = ("ds", "vote", "swin")


def cpu_seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def interleaved(works: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Return the best time of each piece of work; slow work (over 2 s) runs twice only."""
    best: dict[str, float] = {}
    for round_ in range(rounds):
        for name, work in works.items():
            if round_ > 1 and best[name] > 2:
                continue
            best[name] = min(best.get(name, np.inf), cpu_seconds(work))
            print(f"  {name}: {best[name]:.4f} s", file=sys.stderr)
    return best


def fit_beside_peers(rounds: int) -> Iterator[str]:
    """Give all systems the same rows, steps and population; other settings as in the article."""
    table = load_embedded("breast_cancer")
    X, y = MinMaxScaler().fit_transform(table.data), table.target
    ours = {"UCS": UCSClassifier, "Fuzzy-UCS": FuzzyUCSClassifier}
    works: dict[str, Callable[[], object]] = {
        f"fuzzyucs, {name}": partial(estimator(epochs=EPOCHS, random_state=0).fit, X, y)
        for name, estimator in ours.items()
    }
    here = installed(list(PEERS))
    for package, fit in PEERS.items():
        if package in here:
            works[package] = partial(fit, X, y, EPOCHS * len(X))
        else:
            yield f"({package} is not installed: `pip install -r benchmarks/requirements.txt`.)\n"
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings(action="ignore"):
        best = interleaved(works, rounds)
    yield "| system | CPU seconds | ratio to our UCS | to our Fuzzy-UCS |"
    yield "|---|---|---|---|"
    for name, seconds in best.items():
        ratios = [seconds / best[f"fuzzyucs, {own}"] for own in ours]
        yield f"| {name} | {seconds:.4f} | {ratios[0]:.1f} | {ratios[1]:.1f} |"


def tables() -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Yield the embedded tables and, where available, some of the article's."""
    for name in ("iris", "wine", "breast_cancer"):
        table = load_embedded(name)
        yield name, table.data, table.target
    if os.environ.get("FUZZYUCS_DATA"):
        for name in ("bnk", "hrt", "seg", "pis", "yst", "frt"):
            yield (name, *load_article(name))


def train(clf: RuleLearner, X: np.ndarray, y: np.ndarray, learners: list) -> None:
    """Do the training steps of `fit` alone, without its checks and copies, for some seeds."""
    positions = clf.rules_.variables.positions(X)
    labels = np.searchsorted(clf.classes_, y).astype(np.uint32)
    learners.clear()
    for seed in range(SEEDS):
        learner = clf._new_learner(clf.rules_.variables, seed)
        for _ in range(EPOCHS):
            learner.train_epoch(positions, labels)
        learners.append(learner)


def crisp_beside_fuzzy(rounds: int) -> Iterator[str]:
    """Cost of a training step of UCS and of Fuzzy-UCS at the same population size."""
    if os.environ.get("FUZZYUCS_DATA"):
        named = [(name, *load_article(name)) for name in datasets_of("acc_10")]
    else:
        named = list(tables())
    yield "| data | features | UCS rules | us/step | Fuzzy-UCS rules | us/step | ratio |"
    yield "|---|" + "---|" * 6
    ratios = []
    for name, X, y in named:
        models = [UCSClassifier(epochs=1).fit(X, y), FuzzyUCSClassifier(epochs=1).fit(X, y)]
        learners: dict[str, list] = {str(model): [] for model in models}
        works = {str(model): partial(train, model, X, y, learners[str(model)]) for model in models}
        n_steps = SEEDS * EPOCHS * len(X)
        costs = [1e6 * seconds / n_steps for seconds in interleaved(works, rounds).values()]
        sizes = [np.mean([learner.n_rules for learner in made]) for made in learners.values()]
        ratios.append(costs[0] / costs[1])
        cells = " | ".join(
            f"{size:.0f} | {cost:.2f}" for size, cost in zip(sizes, costs, strict=True)
        )
        yield f"| {name} | {X.shape[1]} | {cells} | {ratios[-1]:.2f} |"
    mean, n_faster = np.exp(np.mean(np.log(ratios))), np.sum(np.array(ratios) < 1)
    yield f"\nGeometric mean of the ratios: {mean:.2f}."
    yield f"UCS is faster on {n_faster} of {len(ratios)} data sets."


def steps_and_schemes(rounds: int) -> Iterator[str]:
    """Cost of a training step, and of the inference schemes on the same rules."""
    yield "| data | features | classes | rules | us/step | DS us/row | vote | swin | DS/vote |"
    yield "|---|" + "---|" * 8
    for name, X, y in tables():
        yield f"| {name} | {X.shape[1]} | " + step_and_scheme(X, y, rounds)


def step_and_scheme(X: np.ndarray, y: np.ndarray, rounds: int) -> str:
    clf = FuzzyUCSClassifier(epochs=EPOCHS, random_state=0).fit(X, y)
    rows = np.tile(X, (max(1, 5000 // len(X)), 1))

    def infer(scheme: str) -> Callable[[], object]:
        return lambda: clf.set_params(inference=scheme).predict(rows)

    works: dict[str, Callable[[], object]] = {scheme: infer(scheme) for scheme in SCHEMES}
    works["fit"] = lambda: FuzzyUCSClassifier(epochs=EPOCHS, random_state=0).fit(X, y)
    best = interleaved(works, 3 * rounds)
    ds, vote, swin = (1e6 * best[scheme] / len(rows) for scheme in SCHEMES)
    return (
        f"{len(clf.classes_)} | {len(clf.rules_)} | {1e6 * best['fit'] / (EPOCHS * len(X)):.2f} "
        f"| {ds:.2f} | {vote:.2f} | {swin:.2f} | {ds / vote:.2f} |"
    )


def predict_rate(rounds: int) -> Iterator[str]:
    """Rows per second of `predict` with 2,000 experienced rules on iris-sized data."""
    iris = load_embedded("iris")
    clf = FuzzyUCSClassifier(epochs=500, population_size=20_000, random_state=0)
    clf.fit(iris.data, iris.target)
    rules = clf.rules_[clf.rules_.experience > clf.inference_experience]
    keep = np.random.default_rng(0).permutation(len(rules))[:2000]
    clf.rules_ = rules[keep]
    n_used = len(clf.rules_)
    rng = np.random.default_rng(0)
    rows = iris.data[rng.integers(0, 150, 50_000)] + rng.normal(0, 0.05, (50_000, 4))
    best = interleaved(
        {s: lambda s=s: clf.set_params(inference=s).predict(rows) for s in SCHEMES}, 2 * rounds
    )
    matched = (clf.membership(rows[:1000]) > 0).sum(axis=1).mean()
    yield f"{n_used:,} experienced rules, of which {matched:.0f} match a row on average.\n"
    yield "| scheme | rows per second and core |"
    yield "|---|---|"
    for scheme in SCHEMES:
        yield f"| {scheme} | {len(rows) / best[scheme]:,.0f} |"


def growth(rounds: int) -> Iterator[str]:
    """How the cost of a step grows; conditions ask about three features on average."""
    rng = np.random.default_rng(0)

    def measure(n_features: int, population: int) -> tuple[float, float]:
        X = rng.random((1000, n_features))
        y = (X[:, 0] + X[:, 1] > 1).astype(int)

        def fit() -> FuzzyUCSClassifier:
            return FuzzyUCSClassifier(
                epochs=EPOCHS,
                population_size=population,
                dont_care_rate=1 - 3 / n_features,
                mutation_rate=0.04 * 10 / n_features,
                random_state=0,
            ).fit(X, y)

        matched = float((fit().membership(X) > 0).sum(axis=1).mean())
        return 1e6 * interleaved({"fit": fit}, rounds)["fit"] / (EPOCHS * len(X)), matched

    for title, cases in (
        ("features", [(d, POPULATION) for d in (5, 10, 20, 40, 80, 160)]),
        ("population size", [(10, n) for n in (500, 1000, 2000, 4000, 8000)]),
    ):
        yield f"| {title} | rules that match | us per step | ns per step and match |"
        yield "|---|---|---|---|"
        for n_features, population in cases:
            cost, matched = measure(n_features, population)
            key = n_features if title == "features" else population
            yield f"| {key} | {matched:.0f} | {cost:.2f} | {1000 * cost / matched:.2f} |"
        yield ""


def report(rounds: int) -> Iterator[str]:
    yield "# Speed\n"
    yield "Written by `python benchmarks/speed.py`. Times are CPU seconds of one thread, the best"
    yield "of several interleaved rounds; on a shared machine, compare only ratios within a run.\n"
    packages = installed(["fuzzyucs", "numpy", "scikit-learn", *PEERS])
    versions = [" ".join(package) for package in packages.items()]
    yield f"{datetime.date.today()}, Python {platform.python_version()}, {', '.join(versions)}.\n"
    yield f"## Training on breast cancer ({EPOCHS} epochs, {POPULATION} micro-rules)\n"
    yield from fit_beside_peers(rounds)
    yield "\n## A training step of UCS and of Fuzzy-UCS\n"
    yield f"{EPOCHS} epochs, at most {POPULATION} micro-rules, {SEEDS} seeds: mean number of rules"
    yield "after training, and the time of a step.\n"
    yield from crisp_beside_fuzzy(rounds)
    yield "\n## A training step and a prediction of Fuzzy-UCS\n"
    yield f"Models of {EPOCHS} epochs. The time of a step is that of `fit` as a whole.\n"
    yield from steps_and_schemes(rounds)
    yield "\n## Predicting with 2,000 rules on iris-sized data\n"
    yield from predict_rate(rounds)
    yield "\n## Growth of the cost of a step\n"
    yield from growth(rounds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--output", type=Path, help="also write the report to this file")
    args = parser.parse_args()
    lines = []
    for line in report(args.rounds):
        print(line, flush=True)
        lines.append(line)
    if args.output:
        args.output.write_text("\n".join(lines).rstrip() + "\n")


if __name__ == "__main__":
    main()
