"""Write the model files of the present version of the format, with what the models answer.

``python tests/models/make.py`` writes ``tests/models/version-<n>``, once: what was written with a
version must be read for ever, so existing files stay as they are. Those of version 1 were written
by version 0.1.0 of the library.
"""

import json
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_iris

from fuzzyucs import EvidentialRuleClassifier, FuzzyUCSClassifier, UCSClassifier
from fuzzyucs.deployment.model_file.save_load import VERSION

FOLDER = Path(__file__).parent / f"version-{VERSION}"


def table():
    X, y = load_iris(return_X_y=True, as_frame=True)
    rows = np.arange(0, 150, 2)
    X = X.iloc[rows].reset_index(drop=True)
    species = np.array(["setosa", "versicolor", "virgínica"])[y.iloc[rows]]
    X["number of petals"] = np.arange(75) % 3 + 4.0
    X.iloc[::19, 0] = np.nan
    return X, species


def with_categories(X):
    X = X.copy()
    X["colour"] = np.where(X["petal width (cm)"] > 1, "blue", "red")
    levels = ["low", "middle", "high"]
    codes = X["sepal width (cm)"].rank(pct=True).mul(2.99).astype(int)
    X["level"] = pd.Categorical.from_codes(codes, levels, ordered=True)
    return X


def models():
    X, y = table()
    common = {"random_state": 0, "support": "auto"}
    numbers = np.searchsorted(np.unique(y), y)
    yield (
        "fuzzy",
        FuzzyUCSClassifier(
            epochs=3,
            population_size=60,
            missing="belief",
            calibrate=True,
            partition={"petal length (cm)": {"short": 1.5, "long": 5}, 3: [0.2, 1.5, 2.5]},
            nominal_features=["number of petals"],
            **common,
        ),
        X,
        y,
    )
    yield (
        "fuzzy-weighted",
        FuzzyUCSClassifier(epochs=3, population_size=60, inference="weighted", random_state=1),
        X.to_numpy(),
        numbers,
    )
    yield "ucs", UCSClassifier(epochs=3, population_size=60, **common), X, y == "setosa"
    yield "evidential", EvidentialRuleClassifier(**common), X, numbers.astype(float)
    yield "evidential-categories", EvidentialRuleClassifier(**common), with_categories(X), y
    rates = {"setosa": 0.0, "versicolor": 0.75, "virgínica": 0.25}
    yield (
        "evidential-base-rates",
        EvidentialRuleClassifier(
            random_state=0, support=None, missing="mean", n_models=2, base_rates=rates
        ),
        with_categories(X),
        y,
    )
    yield (
        "evidential-two-classes",
        EvidentialRuleClassifier(class_weight="balanced", **common),
        X,
        y == "versicolor",
    )


def asked(X):
    """Return rows with gaps, one of which nothing is known, and one with a strange value."""
    rows = X[::7].copy()
    values = rows.iloc if isinstance(rows, pd.DataFrame) else rows
    values[1, 0] = 1000.0
    values[2:5, 2] = np.nan
    for column in range(X.shape[1]):
        values[0, column] = np.nan
    return rows


def answers(clf, X):
    evidence = clf.predict_evidence(X)
    judged = {}
    if evidence.base_rates is not None:
        judged = {
            name: getattr(evidence, name).tolist()
            for name in ("contradiction", "verdict", "reason", "probability")
        }
    return {
        "rows": [
            [None if pd.isna(value) else value for value in row] for row in np.asarray(X).tolist()
        ],
        "predict": clf.predict(X).tolist(),
        "predict_proba": clf.predict_proba(X).tolist(),
        "mass": evidence.mass.tolist(),
        "ignorance": evidence.ignorance.tolist(),
        "novelty": None if evidence.novelty is None else evidence.novelty.tolist(),
        **judged,
    }


def main():
    (FOLDER / "answers").mkdir(parents=True, exist_ok=True)
    for name, clf, X, y in models():
        path = FOLDER / f"{name}.json"
        if path.exists():
            print(f"{path} stays as it is")
            continue
        clf.fit(X, y).save(path)
        text = json.dumps(answers(clf, asked(X)), ensure_ascii=False)
        (FOLDER / "answers" / path.name).write_text(text + "\n", encoding="utf-8")
        print(f"{path}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
