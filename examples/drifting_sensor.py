"""
A sensor drifts
===============

Novelty rises before accuracy falls. A model learns from the sensors of a machine whether it is
worn. Then one of them begins to drift. Labels would come weeks later; novelty and ignorance are
known at once.

Run it::

    python examples/drifting_sensor.py [output.png]
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd

from fuzzyucs import EvidentialRuleClassifier

mpl.use("Agg")
import matplotlib.pyplot as plt

ALARM = 0.2  # mean novelty of a batch; ordinary ones have 0.03
N_BATCHES, BATCH = 40, 100
OUTPUT = Path(__file__).parent.parent / "docs" / "images" / "drift.png"


def machine(n: int, drift: float, rng: np.random.Generator) -> tuple[pd.DataFrame, np.ndarray]:
    """Return the readings of the sensors, and the state of the machine."""
    wear, load = rng.uniform(0, 1, n), rng.uniform(0, 1, n)
    readings = {
        "temperature": 40 + 20 * wear + 15 * load + rng.normal(0, 1.5, n),
        "vibration": 1 + 2 * wear + 0.5 * load + rng.normal(0, 0.15, n),
        "noise": 60 + 10 * wear + 5 * load + rng.normal(0, 0.8, n) + drift,
        "current": 5 + 10 * load + rng.normal(0, 0.5, n),
    }
    is_worn = rng.random(n) < 1 / (1 + np.exp(-25 * (wear - 0.6)))
    return pd.DataFrame(readings), np.where(is_worn, "worn", "good")


def main() -> None:
    """Train, let a sensor drift, and draw accuracy, novelty and weak evidence over time."""
    rng = np.random.default_rng(0)
    X, y = machine(2000, 0.0, rng)
    clf = EvidentialRuleClassifier(random_state=0).fit(X, y)
    drifts = np.maximum(np.arange(N_BATCHES) - 9, 0) * 0.5  # decibels
    accuracy, novelty, weak = [], [], []
    for drift in drifts:
        X, y = machine(BATCH, drift, rng)
        evidence = clf.predict_evidence(X)
        accuracy.append(clf.score(X, y))
        novelty.append(evidence.novelty.mean())
        weak.append(evidence.weak_evidence.mean())
    alarm = int(np.argmax(np.array(novelty) > ALARM))
    before = np.mean(accuracy[:10])
    worse = np.flatnonzero(np.convolve(accuracy, np.ones(3) / 3, "valid") < before - 0.05)
    fallen = int(worse[0]) + 2 if len(worse) else N_BATCHES
    print(f"The sensor begins to drift after batch 9; novelty gives the alarm at batch {alarm}.")
    print(f"Accuracy has fallen by five points (mean of three batches) at batch {fallen}.")
    X, _ = machine(BATCH, drifts[alarm], rng)
    oddest = X.iloc[clf.predict_evidence(X).novelty.argmax()]
    print("The most unusual record then:", "; ".join(map(str, clf.support_.reasons(oddest, 1))))

    figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
    axes.plot(accuracy, color="#0072B2", label="accuracy (known weeks later)")
    axes.plot(novelty, color="#D55E00", label="mean novelty")
    axes.plot(weak, color="#009E73", label="mean weak evidence")
    axes.axvline(9.5, color="grey", linestyle=":", label="drift begins: half a decibel a batch")
    axes.axvline(alarm, color="#D55E00", linestyle="--", label="alarm")
    axes.set(xlabel=f"batch of {BATCH} records", ylim=(0, 1.02), title="A microphone drifts")
    axes.legend(loc="center left", fontsize="small")
    output = Path(sys.argv[1]) if len(sys.argv) > 1 else OUTPUT
    output.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(output, dpi=110)
    print(f"Picture: {output}")


if __name__ == "__main__":
    main()
