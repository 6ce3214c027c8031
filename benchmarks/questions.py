"""How many questions it takes: by `next_question`, by importance, by a tree, and at random.

    python benchmarks/questions.py [--store questions.jsonl] [--output docs/questions.md] [--jobs 1]

The article's 30 data sets, splits of `fuzzyucs reproduce` with the numbers 90 to 94, which served
no design: the measure was chosen on the splits 40 and 41. Needs FUZZYUCS_DATA. Finished runs are
kept in a store, so that a run may be stopped and continued later.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import time
import warnings
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from itertools import product
from pathlib import Path
from typing import Any

# One thread each, whatever the library; must be set before they are imported.
os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer

from fuzzyucs import EvidentialRuleClassifier
from fuzzyucs.experiment.data import load
from fuzzyucs.experiment.run import split
from fuzzyucs.experiment.tables import datasets_of
from interviews import (
    Interview,
    at_random,
    by_expectation,
    by_importance,
    by_order,
    by_tree,
    interview,
)
from keeping import run_missing

SPLITS = range(90, 95)
MOST_RECORDS = 200
POINT = 0.01
SHARE = 0.95
REPEATS, N_KNOWN = 51, 5  # of the speed
ORDERS = {
    "next_question": "by `next_question`",
    "importance": "by importance",
    "tree": "by a tree",
    "random": "at random",
}

Row = dict[str, Any]


def measure(dataset: str, number: int, *, data_dir: str) -> Row:
    """Hold interviews about the test records of a split, in every order."""
    warnings.simplefilter("ignore")
    X, y = load(dataset, data_dir)
    train, test = split(np.asarray(X, dtype=float), y, number)
    Z, z = (part[:MOST_RECORDS] for part in test)  # which are in random order
    model = EvidentialRuleClassifier(random_state=0).fit(*train)
    orders = {
        "next_question": by_expectation(model, Z, "information"),
        "importance": by_order(by_importance(model), Z),
        "tree": by_order(by_tree(train, Z), Z),
        "random": by_order(at_random(Z, number), Z),
    }
    answer = model.answer(Z)
    return {
        "dataset": dataset,
        "split": number,
        "features": Z.shape[1],
        "known": float((~np.isnan(Z)).sum(axis=1).mean()),
        "records": len(Z),
        "rules": len(model.rules_),
        "right": int((answer.labels == z).sum()),
        "answers": int((answer.evidence.verdict == "answer").sum()),
        "right answers": int(((answer.labels == z) & (answer.evidence.verdict == "answer")).sum()),
        "orders": {name: summary(interview(model, Z, z, way)) for name, way in orders.items()},
    }


def summary(held: Interview) -> Row:
    """Sum up interviews: right after each number of questions, and what the stop rule does."""
    records = np.arange(held.right.shape[1])
    has_answer = held.is_answer.any(axis=0)
    stop = np.where(has_answer, held.is_answer.argmax(axis=0), held.n_asked)
    right = held.right[stop, records]
    return {
        "right": held.right.sum(axis=1).tolist(),
        "asked": int(stop.sum()),
        "asked in all": int(held.n_asked.sum()),
        "right at stop": int(right.sum()),
        "answers": int(has_answer.sum()),
        "right answers": int((right & has_answer).sum()),
    }


def reached(curve: np.ndarray, level: float) -> int:
    """Return from how many questions on the accuracy stays at a level."""
    below = np.flatnonzero(curve < level - 1e-12)
    return 0 if not len(below) else min(int(below[-1]) + 1, len(curve) - 1)


def share(part: float, whole: float) -> float:
    """Return a share in per cent; NaN of nothing, which means leave out."""
    return 100 * part / whole if whole else np.nan


def figures(rows: list[Row]) -> pd.DataFrame:
    """Return the figures of each data set and order, with the records of all splits together."""
    found = []
    for dataset in dict.fromkeys(row["dataset"] for row in rows):
        own = [row for row in rows if row["dataset"] == dataset]
        n = sum(row["records"] for row in own)
        known = sum(row["known"] * row["records"] for row in own) / n
        complete = sum(row["right"] for row in own) / n
        for order in ORDERS:
            parts = [row["orders"][order] for row in own]
            curve = np.sum([part["right"] for part in parts], axis=0) / n
            total = {key: sum(p[key] for p in parts) for key in parts[0] if key != "right"}
            within, most = reached(curve, complete - POINT), reached(curve, SHARE * complete)
            found.append(
                {
                    "dataset": dataset,
                    "order": order,
                    "features": own[0]["features"],
                    "complete": 100 * complete,
                    "within": within,
                    "within share": 100 * min(within / known, 1),
                    "most": most,
                    "most share": 100 * min(most / known, 1),
                    "asked": total["asked"] / n,
                    "asked share": 100 * total["asked"] / n / known,
                    "answers": 100 * total["answers"] / n,
                    "at stop": 100 * total["right at stop"] / n,
                    "right answers": share(total["right answers"], total["answers"]),
                    "all answers": 100 * sum(row["answers"] for row in own) / n,
                    "right of all": share(
                        sum(row["right answers"] for row in own), sum(row["answers"] for row in own)
                    ),
                }
            )
    return pd.DataFrame(found)


def with_error(rows: list[Row], figure: Callable[[pd.DataFrame], float], digits: int) -> str:
    """Return a figure with its standard error by the jackknife over splits."""
    whole = figure(figures(rows))
    left = [figure(figures([r for r in rows if r["split"] != number])) for number in SPLITS]
    n = len(left)
    error = float(np.sqrt((n - 1) / n * np.sum((np.array(left) - np.mean(left)) ** 2)))
    return f"{whole:.{digits}f} ± {error:.{digits}f}"


def mean_of(order: str, name: str) -> Callable[[pd.DataFrame], float]:
    return lambda table: float(table.loc[table["order"] == order, name].mean())


COLUMNS = {
    "questions until within 1 point": ("within", 1),
    "the same, % of the features": ("within share", 0),
    "for 95 % of the accuracy, %": ("most share", 0),
    "questions until an answer": ("asked", 1),
    "the same, %": ("asked share", 0),
    "records with an answer (%)": ("answers", 1),
    "right of these (%)": ("right answers", 1),
    "accuracy at the stop (%)": ("at stop", 1),
}


def speed() -> str:
    """Tell how long a question takes, beside an explanation of the same record."""
    X, y = load_breast_cancer(return_X_y=True)
    model = EvidentialRuleClassifier(random_state=0).fit(X, y)
    record = np.full(X.shape[1], np.nan)
    record[:N_KNOWN] = X[0, :N_KNOWN]
    calls = {
        "ask": lambda: model.next_question(record),
        "predict": lambda: model.predict_evidence(record[np.newaxis]),
        "explain": lambda: model.explain(record),
    }
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(REPEATS):
        for name, call in calls.items():
            start = time.perf_counter()
            call()
            times[name].append(time.perf_counter() - start)
    ask, predict, explain = (float(np.median(own)) for own in times.values())
    return (
        f"A question about a record with {X.shape[1]} features, {N_KNOWN} of them known, takes as "
        f"long as {ask / predict:.1f} calls of `predict_evidence`, and {explain / ask:.0f} times "
        f"less than `explain` of that record (medians of {REPEATS} in one run, {len(model.rules_)} "
        "rules)."
    )


def report(rows: list[Row], said: str) -> str:
    table = figures(rows)
    complete = with_error(rows, mean_of("random", "complete"), 1)
    versions = ", ".join(f"{name} {version(name)}" for name in ("fuzzyucs", "scikit-learn"))
    lines = [
        "# Questions",
        "",
        f"Written by `benchmarks/questions.py` on {datetime.date.today()} ({versions}, Python "
        f"{platform.python_version()}).",
        "",
        f"The {table['dataset'].nunique()} data sets of the article, {len(SPLITS)} shuffle splits "
        f"90/10 with the numbers {SPLITS[0]} to {SPLITS[-1]}, {MOST_RECORDS} test records of each "
        "at most. Nothing is known of a record at first; then its values are asked for one after "
        "the other. The model is the same in all rows; only the order of the questions differs:",
        "",
        "- *by `next_question`*: what is expected to tell most about the class, given what is "
        "known. The measure was chosen on other splits (40 and 41).",
        "- *by importance*: `feature_importances_` of the model, the same order for all records.",
        "- *by a tree*: scikit-learn's `DecisionTreeClassifier`, fully grown on the same training "
        "data. The features on the record's path come first, in the order in which the path tests "
        "them; the others follow by their importance to the tree.",
        "- *at random*: another order for each record.",
        "",
        "Values that the data lack are never asked for. Shares are those of the values that "
        "records have.",
        "",
        f"With complete records the accuracy is {complete} %. *Until within 1 point*: from how "
        "many questions on the accuracy of all records of a data set, those of all splits "
        "together, stays within one point of that; *for 95 % of the accuracy*: the same with 95 % "
        "of the accuracy. *Until an answer*: questions about a record stop when its verdict is an "
        "answer, or when nothing is left to ask; accuracy is that of the most probable class then. "
        "Means over data sets, ± standard error by the jackknife over splits.",
        "",
        "| order of questions | " + " | ".join(COLUMNS) + " |",
        "|---|" + "---|" * len(COLUMNS),
    ]
    for order, name in ORDERS.items():
        cells = [with_error(rows, mean_of(order, own), n) for own, n in COLUMNS.values()]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    all_answers, right = (mean_of("random", own)(table) for own in ("all answers", "right of all"))
    lines += [
        "",
        f"Of complete records, {all_answers:.1f} % have an answer, and {right:.1f} % of these "
        "answers are right.",
        "",
        "## By data set",
        "",
        "Questions until within 1 point, and until an answer.",
        "",
        "| data set | features | accuracy (%) | "
        + " | ".join(f"{name}: within 1 point" for name in ORDERS.values())
        + " | "
        + " | ".join(f"{name}: answer" for name in ORDERS.values())
        + " |",
        "|---|---|---|" + "---|" * (2 * len(ORDERS)),
    ]
    for dataset, own in table.groupby("dataset", sort=False):
        by_order = own.set_index("order")
        cells = [f"{by_order.at[order, 'within']}" for order in ORDERS]
        cells += [f"{by_order.at[order, 'asked']:.1f}" for order in ORDERS]
        first = by_order.iloc[0]
        lines.append(
            f"| {dataset} | {first['features']} | {first['complete']:.1f} | "
            + " | ".join(cells)
            + " |"
        )
    return "\n".join([*lines, "", "## Time", "", said, ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", type=Path, default=Path("questions.jsonl"))
    parser.add_argument("--output", type=Path)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--data-dir", default=os.environ.get("FUZZYUCS_DATA"))
    options = parser.parse_args()
    jobs = list(product(datasets_of("acc_10"), SPLITS))
    one = partial(measure, data_dir=options.data_dir)
    rows = run_missing(options.store, jobs, ("dataset", "split"), one, options.jobs)
    text = report(rows, speed())
    print(text)
    if options.output:
        options.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
