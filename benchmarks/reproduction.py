"""Training accuracy and ruleset size beside the article's, at 10 epochs.

    python benchmarks/reproduction.py --data-dir FOLDER [--runs 10] [--datasets irs,wne]

The folder (default: the environment variable FUZZYUCS_DATA) holds the article's CSV files.
`published_10_epochs.csv` has the article's means over 30 runs: accuracy in percent on the training
split for each inference scheme (its table of standard accuracy at 10 epochs) and the number of
macro-rules (its table of ruleset sizes). Splits are 90/10 shuffle splits, as in the article.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from sklearn.model_selection import ShuffleSplit

from fuzzyucs import FuzzyUCSClassifier
from fuzzyucs.datasets import load_article

PUBLISHED = Path(__file__).with_name("published_10_epochs.csv")
SCHEMES = ("ds", "vote", "swin")


def read_published() -> dict[str, dict[str, float]]:
    with PUBLISHED.open() as file:
        return {
            row["dataset"]: {name: float(row[name]) for name in (*SCHEMES, "rules")}
            for row in csv.DictReader(file)
        }


def run(name: str, data_dir: str | None, seed: int) -> list[float]:
    """Train once; return the accuracies of the schemes in percent and the number of rules."""
    X, y = load_article(name, data_dir)
    train, _ = next(ShuffleSplit(1, test_size=0.1, random_state=seed).split(X))
    clf = FuzzyUCSClassifier(epochs=10, random_state=seed).fit(X[train], y[train])
    scores = [
        100 * clf.set_params(inference=scheme).score(X[train], y[train]) for scheme in SCHEMES
    ]
    return [*scores, len(clf.rules_)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-dir")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--datasets", help="identifiers, separated by commas (default: all 30)")
    parser.add_argument("--jobs", type=int, default=-1)
    args = parser.parse_args()
    published = read_published()
    names = args.datasets.split(",") if args.datasets else list(published)
    jobs = [(name, args.data_dir, seed) for name in names for seed in range(args.runs)]
    results = Parallel(args.jobs, verbose=1)(delayed(run)(*job) for job in jobs)
    table = np.array(results).reshape(len(names), args.runs, len(SCHEMES) + 1)

    print(
        "| data | DS ours (sd) | published | VOTE ours (sd) | published | SWIN ours (sd) | ", end=""
    )
    print("published | rules ours (sd) | published |")
    print("|---|" + "---|" * 8)
    goal = np.array([[published[name][column] for column in (*SCHEMES, "rules")] for name in names])
    mean, spread = table.mean(axis=1), table.std(axis=1, ddof=min(1, args.runs - 1))
    for i, name in enumerate(names):
        cells = [
            f"{mean[i, j]:.2f} ({spread[i, j]:.2f}) | {goal[i, j]:.2f}" for j in range(len(SCHEMES))
        ]
        cells.append(f"{mean[i, -1]:.0f} ({spread[i, -1]:.0f}) | {goal[i, -1]:.0f}")
        print(f"| {name} | " + " | ".join(cells) + " |")
    difference = np.abs(mean - goal)[:, :-1].mean(axis=0)
    relative = np.abs(mean / goal - 1)[:, -1].mean()
    print(f"\n{len(names)} data sets, {args.runs} runs each, 10 epochs.")
    for scheme, value in zip(SCHEMES, difference, strict=True):
        print(f"Mean |training accuracy - published|, {scheme}: {value:.2f} points")
    print(f"Mean |ruleset size / published - 1|: {100 * relative:.1f} %")


if __name__ == "__main__":
    main()
