"""Training accuracy and ruleset size of Fuzzy-UCS and UCS beside the article's.

    python benchmarks/reproduction.py --data-dir FOLDER [--runs 10] [--epochs 10]
                                      [--datasets irs,wne] [--systems fuzzyucs,ucs]

The folder (default: the environment variable FUZZYUCS_DATA) holds the article's CSV files.
`published.csv` has the article's means over 30 runs at 10 and 50 epochs: accuracy in percent on the
training split (its tables of standard accuracy) and the number of macro-rules (its table of ruleset
sizes). Splits are 90/10 shuffle splits, as in the article.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from sklearn.model_selection import ShuffleSplit

from fuzzyucs import FuzzyUCSClassifier, UCSClassifier
from fuzzyucs.datasets import load_article

PUBLISHED = Path(__file__).with_name("published.csv")
SCHEMES = ("ds", "vote", "swin")
COLUMNS = {"fuzzyucs": (*SCHEMES, "rules"), "ucs": ("ucs", "ucs_rules")}


def read_published(epochs: int) -> dict[str, dict[str, float]]:
    with PUBLISHED.open() as file:
        rows = [row for row in csv.DictReader(file) if row.pop("epochs") == str(epochs)]
    return {row.pop("dataset"): {k: float(v) for k, v in row.items()} for row in rows}


def run(system: str, name: str, data_dir: str | None, epochs: int, seed: int) -> list[float]:
    """Train once; return training accuracies in percent and the number of rules."""
    X, y = load_article(name, data_dir)
    train, _ = next(ShuffleSplit(1, test_size=0.1, random_state=seed).split(X))
    X, y = X[train], y[train]
    if system == "ucs":
        clf = UCSClassifier(epochs=epochs, random_state=seed).fit(X, y)
        scores = [clf.score(X, y)]
    else:
        clf = FuzzyUCSClassifier(epochs=epochs, random_state=seed).fit(X, y)
        scores = [clf.set_params(inference=scheme).score(X, y) for scheme in SCHEMES]
    return [*(100 * score for score in scores), len(clf.rules_)]


def show(system: str, names: list[str], table: np.ndarray, goal: np.ndarray) -> None:
    """Print means and standard deviations over the runs beside the published means."""
    titles = [*(column.upper() for column in COLUMNS[system][:-1]), "rules"]
    print("| data | " + " | ".join(f"{title} ours (sd) | published" for title in titles) + " |")
    print("|---|" + "---|---|" * len(titles))
    mean, spread = table.mean(axis=1), table.std(axis=1, ddof=min(1, table.shape[1] - 1))
    for i, name in enumerate(names):
        cells = [
            f"{mean[i, j]:.{digits}f} ({spread[i, j]:.{digits}f}) | {goal[i, j]:.{digits}f}"
            for j, digits in enumerate([2] * (len(titles) - 1) + [0])
        ]
        print(f"| {name} | " + " | ".join(cells) + " |")
    print()
    for j, title in enumerate(titles[:-1]):
        difference = np.abs(mean - goal)[:, j].mean()
        print(f"Mean |training accuracy - published|, {title}: {difference:.2f} points")
    print(
        f"Mean |ruleset size / published - 1|: {100 * np.abs(mean / goal - 1)[:, -1].mean():.1f} %"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-dir")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--epochs", type=int, choices=(10, 50), default=10)
    parser.add_argument("--datasets", help="identifiers, separated by commas (default: all 30)")
    parser.add_argument("--systems", default=",".join(COLUMNS))
    parser.add_argument("--jobs", type=int, default=-1)
    args = parser.parse_args()
    published = read_published(args.epochs)
    names = args.datasets.split(",") if args.datasets else list(published)
    systems = args.systems.split(",")
    if unknown := set(systems) - set(COLUMNS):
        parser.error(f"--systems must be among {', '.join(COLUMNS)}, got {', '.join(unknown)}")
    for system in systems:
        jobs = [
            (system, name, args.data_dir, args.epochs, seed)
            for name in names
            for seed in range(args.runs)
        ]
        results = Parallel(args.jobs, verbose=1)(delayed(run)(*job) for job in jobs)
        table = np.array(results).reshape(len(names), args.runs, -1)
        goal = np.array([[published[name][column] for column in COLUMNS[system]] for name in names])
        print(f"\n{len(names)} data sets, {args.runs} runs each, {args.epochs} epochs.\n")
        show(system, names, table, goal)


if __name__ == "__main__":
    main()
