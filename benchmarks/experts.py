"""What experts' rules are worth: few records with good rules, with wrong ones, and without any.

Run ``python benchmarks/experts.py``. Rules about the breast cancer data say what is known of it:
cells of malignant tumours are larger and more concave. Wrong ones say the opposite. Each line is
the mean over seeds of accuracy and log-loss on the rows that were left out, with the standard
deviation.
"""

import argparse
import warnings

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

from fuzzyucs import EvidentialRuleClassifier

GOOD = """
IF worst area >= 900 THEN malignant, reliability 0.9
IF worst area < 700 THEN benign, reliability 0.8
IF mean concave points >= 0.06 THEN malignant, reliability 0.8
"""
WRONG = GOOD.replace("malignant", "?").replace("benign", "malignant").replace("?", "benign")


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--sizes", type=int, nargs="*", default=[12, 25, 50, 100, 300])
    options = parser.parse_args()
    cancer = load_breast_cancer(as_frame=True)
    X, y = cancer.data, cancer.target_names[cancer.target]
    print("| rows | rules of experts | accuracy | log-loss |\n| ---: | :--- | ---: | ---: |")
    for n in options.sizes:
        for name, rules in (("none", None), ("good", GOOD), ("wrong", WRONG)):
            found = np.array([measured(X, y, n, rules, seed) for seed in range(options.seeds)])
            (accuracy, loss), (spread, other) = found.mean(axis=0), found.std(axis=0, ddof=1)
            print(f"| {n} | {name} | {accuracy:.3f} ± {spread:.3f} | {loss:.3f} ± {other:.3f} |")


def measured(X, y, n, rules, seed):
    """Return accuracy and log-loss on the rows that a fit has not seen."""
    rows, others, labels, truth = train_test_split(
        X, y, train_size=n, stratify=y, random_state=seed
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clf = EvidentialRuleClassifier().fit(rows, labels, rules=rules)
    probability = np.clip(clf.predict_proba(others), 1e-6, 1)
    return clf.score(others, truth), log_loss(truth, probability)


if __name__ == "__main__":
    main()
