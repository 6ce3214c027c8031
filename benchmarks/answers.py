"""Cost of an answer: evidence beside one inference, and explanations of single records.

Run ``python benchmarks/answers.py``. Times are CPU times, the least of several rounds in which all
measurements take turns, so that other programs on the machine disturb them as little as possible.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import numpy as np
from sklearn.datasets import load_breast_cancer

from fuzzyucs import EvidentialRuleClassifier, FuzzyUCSClassifier, UCSClassifier
from fuzzyucs.estimators.base import RuleClassifier

ROUNDS = 20
COPIES = 10  # of the table, so that fixed costs of a call hardly count
N_RECORDS = 20


def least_times(calls: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Return the least CPU time of each call in milliseconds."""
    least = dict.fromkeys(calls, np.inf)
    for _ in range(ROUNDS):
        for name, call in calls.items():
            start = time.process_time()
            call()
            least[name] = min(least[name], 1e3 * (time.process_time() - start))
    return least


def main() -> None:
    frame, y = load_breast_cancer(return_X_y=True, as_frame=True)
    X = frame.to_numpy()
    rows = np.tile(X, (COPIES, 1))
    options = {"epochs": 5, "random_state": 0}
    models: dict[str, RuleClassifier] = {
        "Dempster-Shafer": FuzzyUCSClassifier(**options),
        "vote": FuzzyUCSClassifier(inference="vote", **options),
        "single winner": FuzzyUCSClassifier(inference="swin", **options),
        "UCS": UCSClassifier(**options),
        "flagship without support": EvidentialRuleClassifier(support=None, random_state=0),
        "flagship": EvidentialRuleClassifier(random_state=0),
    }
    print(f"Breast cancer, {len(rows):,} rows, CPU time in ms")
    print(f"{'model':26}{'predict_proba':>14}{'predict_evidence':>18}{'answer':>9}{'ratio':>8}")
    for name, model in models.items():
        model.fit(X, y)
        calls = (model.predict_proba, model.predict_evidence, model.answer)
        times = least_times({call.__name__: partial(call, rows) for call in calls})
        one, evidence, everything = times.values()
        print(f"{name:26}{one:14.2f}{evidence:18.2f}{everything:9.2f}{evidence / one:8.2f}")
    flagship = EvidentialRuleClassifier(random_state=0).fit(frame, y)
    records = [frame.iloc[[i]] for i in np.linspace(0, len(frame) - 1, N_RECORDS).astype(int)]
    times = least_times(
        {str(i): partial(flagship.explain, record) for i, record in enumerate(records)}
    )
    spread = np.array(list(times.values()))
    print(
        f"explain of a row of a data frame, flagship: {spread.mean():.2f} ms on average, "
        f"{spread.min():.2f} to {spread.max():.2f} over {N_RECORDS} records"
    )


if __name__ == "__main__":
    main()
