"""
Quickstart on iris
==================

Rules, inference schemes, evidence, crisp rules, and the recommended model. `make demo` runs it.
"""

import time

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from fuzzyucs import EvidentialRuleClassifier, FuzzyUCSClassifier, UCSClassifier
from fuzzyucs.datasets import load_embedded

SCHEMES = {"ds": "Dempster-Shafer", "vote": "voting", "swin": "single winner"}


def main() -> None:
    """Run all steps."""
    iris = load_embedded("iris", as_frame=True)
    species = iris.target_names[iris.target]
    X_train, X_test, y_train, y_test = train_test_split(
        iris.data, species, test_size=0.3, stratify=species, random_state=0
    )

    print(f"1. Learn linguistic rules from {len(X_train)} irises of three species\n", flush=True)
    start = time.perf_counter()
    clf = FuzzyUCSClassifier(epochs=50, random_state=0, verbose=1).fit(X_train, y_train)
    print(f"\n   {clf.rules_}, learned in {time.perf_counter() - start:.2f} s\n")

    print("2. The most experienced accurate rules for each species\n")
    rules = clf.rules_[clf.rules_.fitness > 0.9].sort("experience")
    for label in range(len(clf.classes_)):
        print(rules[rules.consequent == label][:2].to_text())
    print()

    print("3. Accuracy of the same rules under three inference schemes\n")
    for scheme, title in SCHEMES.items():
        clf.set_params(inference=scheme)
        print(
            f"   {title:16} training {clf.score(X_train, y_train):.3f}"
            f"   test {clf.score(X_test, y_test):.3f}"
        )
    print()

    print("4. Belief masses and ignorance of some predictions\n")
    clf.set_params(inference="ds")
    least_sure = clf.predict_proba(X_test).max(axis=1).argsort()[:3]
    nothing_known = pd.DataFrame([[np.nan] * X_test.shape[1]], columns=X_test.columns)
    rows = pd.concat([X_test.iloc[:3], X_test.iloc[least_sure], nothing_known])
    truth = [*y_test[:3], *y_test[least_sure], "(all missing)"]
    evidence = clf.predict_evidence(rows)
    header = "".join(f"{label:>12}" for label in clf.classes_)
    print(f"   {'truth':16}{header}{'ignorance':>12}{'log agreement':>16}")
    for i, actual in enumerate(truth):
        masses = "".join(f"{mass:12.4f}" for mass in evidence.mass[i])
        print(
            f"   {actual:16}{masses}{evidence.ignorance[i]:12.4f}{evidence.log_agreement[i]:16.1f}"
        )
    print("\n   The stronger the conflict of the rules, the lower the log agreement. A row without")
    print("   any value matches all rules at once: they contradict each other completely, and the")
    print('   model answers "I don\'t know".\n')

    print("5. The crisp baseline UCS, with the same interface: rules on intervals\n")
    ucs = UCSClassifier(epochs=50, random_state=0).fit(X_train, y_train)
    rules = ucs.rules_[ucs.rules_.experience > 200].sort("fitness")
    for label in range(len(ucs.classes_)):
        print(rules[rules.consequent == label][:1].to_text())
    print(
        f"\n   {'UCS':16} training {ucs.score(X_train, y_train):.3f}"
        f"   test {ucs.score(X_test, y_test):.3f}\n"
    )

    print("6. The recommended classifier: all of its few rules\n")
    flagship = EvidentialRuleClassifier(random_state=0).fit(X_train, y_train)
    print(flagship.rules_.to_text())
    print(
        f"\n   {'evidential':16} training {flagship.score(X_train, y_train):.3f}"
        f"   test {flagship.score(X_test, y_test):.3f}"
    )


if __name__ == "__main__":
    main()
