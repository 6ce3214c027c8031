"""
The picture of a rule
=====================

Each condition of a rule above the records that it was learned from: bars by class, the band that
the condition accepts, and a line for the record that is asked about::

    python examples/rule_picture.py [output.png]

Without a file name, the picture of the guide, docs/images/rule.png, is drawn again. Needs
matplotlib.
"""

# sphinx_gallery_thumbnail_path = "images/rule.png"

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from fuzzyucs import EvidentialRuleClassifier
from fuzzyucs.plots import RuleDisplay

DPI = 90


def draw_rule() -> Figure:
    """Learn to tell tumours apart, and draw the most important rule with two conditions."""
    data = load_breast_cancer(as_frame=True)
    X, y = data.data, data.target_names[data.target]
    X_train, X_test, y_train, _ = train_test_split(X, y, random_state=0)
    clf = EvidentialRuleClassifier(random_state=0).fit(X_train, y_train)
    rules = clf.rules_
    rule = next(i for i in range(len(rules)) if len(rules.asked_features[i]) == 2)
    print(rules.sentence(rule))
    record = X_test.iloc[[clf.predict_evidence(X_test).confidence.argmin()]]
    display = RuleDisplay.from_estimator(clf, rule, X_train, y_train, record=record)
    figure: Figure = display.figure_
    return figure


def main() -> None:
    """Draw, and write a file."""
    mpl.use("Agg")
    default = Path(__file__).parent.parent / "docs" / "images" / "rule.png"
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else default
    draw_rule().savefig(target, dpi=DPI)
    print(f"Picture: {target}")


if __name__ == "__main__":
    main()
