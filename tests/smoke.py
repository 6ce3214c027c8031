"""What an installed package must do with the required dependencies alone: run as a script."""

import importlib.util
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
import scipy
import sklearn
from sklearn.datasets import load_wine
from sklearn.model_selection import cross_val_score

import fuzzyucs

warnings.simplefilter("error")
ESTIMATORS = (
    fuzzyucs.EvidentialRuleClassifier(random_state=0),
    fuzzyucs.FuzzyUCSClassifier(epochs=5, random_state=0, calibrate=True, support="auto"),
    fuzzyucs.UCSClassifier(epochs=5, random_state=0),
)


def try_estimator(clf, X, y):
    """Use all that needs no further package."""
    clf.fit(X, y)
    assert clf.score(X, y) > 0.6
    evidence = clf.predict_evidence(X)
    assert np.allclose(evidence.mass.sum(axis=1) + evidence.ignorance, 1)
    assert "Prediction: " in str(clf.explain(X[0]))
    for text in (clf.rules_.to_text(), clf.rules_.to_json(), clf.rules_.to_markdown()):
        assert len(text) > 100
    with tempfile.TemporaryDirectory() as folder:
        page = clf.report(X, y, Path(folder) / "page.html")
        assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
        clf.save(Path(folder) / "model.json")
        again = fuzzyucs.load(Path(folder) / "model.json")
    assert (again.predict_proba(X) == clf.predict_proba(X)).all()


def main():
    """Try everything."""
    packages = ("matplotlib", "pandas", "polars", "pyarrow", "typer")
    found = [name for name in packages if importlib.util.find_spec(name)]
    if "--alone" in sys.argv:
        assert not found, f"these must be missing for this test: {found}"
    X, y = load_wine(return_X_y=True)
    for clf in ESTIMATORS:
        try_estimator(clf, X, y)
    assert cross_val_score(ESTIMATORS[0], X, y, cv=3).mean() > 0.9
    versions = (
        f"numpy {np.__version__}, scipy {scipy.__version__}, scikit-learn {sklearn.__version__}"
    )
    print(f"fuzzyucs {fuzzyucs.__version__} works with {versions}; also there: {found}")


if __name__ == "__main__":
    main()
