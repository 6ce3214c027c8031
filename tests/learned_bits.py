"""Digests of what the learners learn and predict, to be compared between builds and machines.

``learned_bits.json`` has them as they must be everywhere. ``python tests/learned_bits.py`` tells
what this machine computes otherwise; see ``--help``.
"""

import argparse
import dataclasses
import hashlib
import importlib.util
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

Digests = dict[str, dict[str, str]]
N_ASKED = 2000
PINNED = Path(__file__).with_suffix(".json")
# Cases that take less than ten seconds each, on a machine without other work.
SLOW = {"breast cancer", "digits", "weighted rows", "balanced classes", "40 classes"}


def digest_of(values: Any) -> str:
    """Return a digest of the raw bytes of an array."""
    array = np.ascontiguousarray(values)
    if array.dtype == object:
        array = array.astype(str)
    return hashlib.sha256(f"{array.dtype}{array.shape}".encode() + array.tobytes()).hexdigest()[:16]


def arrays_of(instance: Any) -> dict[str, Any]:
    """Return the fields of a data class that are arrays, and not empty for lack of experts."""
    fields = [(field.name, getattr(instance, field.name)) for field in dataclasses.fields(instance)]
    return {
        name: value
        for name, value in fields
        if isinstance(value, np.ndarray) and not is_absent(value)
    }


def is_absent(values: np.ndarray) -> bool:
    """Tell whether an array has no number: learned rules have none of what experts state."""
    return values.dtype == float and values.ndim == 1 and bool(np.isnan(values).all())


def generated(
    n: int, n_classes: int, seed: int, missing: float = 0.0
) -> tuple[pd.DataFrame, np.ndarray]:
    """Return a table of numbers and categories, some of them missing, with noise in the classes."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6))
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(6)])
    frame["count"] = rng.poisson(3, n).astype(float)
    codes = rng.integers(0, 9, n)
    frame["colour"] = pd.Categorical.from_codes(codes, list("abcdefghi"))
    # Whole numbers alone, so that the table itself does not depend on a library of functions.
    score = np.floor(4 * X[:, 0]) + np.floor(2 * X[:, 1]) * (codes % 3 - 1) + frame["count"]
    score += rng.integers(-2, 3, n)
    cuts = np.quantile(score, np.linspace(0, 1, n_classes + 1)[1:-1])
    y = np.searchsorted(cuts, score + rng.random(n))
    for name in frame.columns:
        frame.loc[rng.random(n) < missing, name] = None
    return frame, y


def bundled(load: Callable[..., Any]) -> Callable[[], tuple[Any, Any]]:
    """Return a function that returns one of scikit-learn's own tables."""
    return lambda: load(return_X_y=True)


def cases(n_jobs: int | None = None) -> Iterator[tuple[str, Any, Callable[[], Any], bool]]:
    """Tell names of cases, a learner, its table, and whether rows have weights."""
    from fuzzyucs import EvidentialRuleClassifier, FuzzyUCSClassifier, UCSClassifier

    def flagship(**settings: Any) -> Any:
        return EvidentialRuleClassifier(random_state=0, **{"n_jobs": n_jobs, **settings})

    def fuzzy(**settings: Any) -> Any:
        return FuzzyUCSClassifier(random_state=0, **{"epochs": 5, **settings})

    iris, wine, cancer = (bundled(f) for f in (load_iris, load_wine, load_breast_cancer))
    digits = bundled(load_digits)
    gaps = lambda: generated(1500, 2, seed=1, missing=0.15)  # noqa: E731
    five = lambda: generated(2500, 5, seed=2, missing=0.02)  # noqa: E731
    many = lambda: generated(3000, 40, seed=3)  # noqa: E731
    large = lambda: generated(8000, 3, seed=4, missing=0.05)  # noqa: E731
    yield "iris", flagship(), iris, False
    yield "wine", flagship(), wine, False
    yield "several models", flagship(n_models=3), wine, False
    yield "breast cancer", flagship(), cancer, False
    yield "digits", flagship(), digits, False
    yield "missing values", flagship(), gaps, False
    yield "missing values as means", flagship(missing="mean"), gaps, False
    yield "weighted rows", flagship(), five, True
    yield "balanced classes", flagship(class_weight="balanced"), five, False
    yield "40 classes", flagship(), many, False
    yield "8,000 rows", flagship(n_jobs=1), large, False
    yield "8,000 rows, two threads", flagship(n_jobs=2), large, False
    yield "8,000 weighted rows", flagship(), large, True
    for inference in ("ds", "vote", "swin", "weighted"):
        yield f"Fuzzy-UCS, {inference}", fuzzy(inference=inference), wine, False
    yield "Fuzzy-UCS, iris", fuzzy(epochs=20, fitness_exponent=10), iris, False
    yield "Fuzzy-UCS, power", fuzzy(fitness_exponent=2.5), wine, False
    yield "Fuzzy-UCS, compact", fuzzy(compact=True, calibrate=True, support="auto"), cancer, False
    yield "Fuzzy-UCS, gaps", fuzzy(missing="belief", nominal_features="auto"), gaps, False
    yield "Fuzzy-UCS, digits", fuzzy(epochs=1), digits, False
    yield "UCS, iris", UCSClassifier(epochs=20, random_state=0), iris, False
    yield "UCS, wine", UCSClassifier(epochs=5, random_state=0, support="auto"), wine, False
    yield "UCS, digits", UCSClassifier(epochs=1, random_state=0), digits, False


def parts_of(clf: Any, X: Any, y: Any, is_weighted: bool) -> dict[str, dict[str, Any]]:
    """Train, and return the table, the rules, and all that they say about it."""
    weights = np.random.default_rng(9).integers(1, 9, len(y)) / 4 if is_weighted else None
    clf.fit(X, y, **({} if weights is None else {"sample_weight": weights}))
    asked = X[:N_ASKED]
    return {
        "table": {str(i): column for i, column in enumerate(np.asarray(X, dtype=object).T)},
        "rules": arrays_of(clf.rules_) | getattr(clf, "path_", {}),
        "evidence": arrays_of(clf.predict_evidence(asked)),
        "predict": {"labels": clf.predict(asked)},
        "predict_proba": {"shares": clf.predict_proba(asked)},
    }


def digests_of(clf: Any, X: Any, y: Any, is_weighted: bool) -> dict[str, str]:
    """Return one digest for each part."""
    found = {}
    for part, arrays in parts_of(clf, X, y, is_weighted).items():
        each = [f"{name} {digest_of(values)}" for name, values in sorted(arrays.items())]
        found[part] = hashlib.sha256("\n".join(each).encode()).hexdigest()[:16]
    return found


def all_digests(n_jobs: int | None = None, without: frozenset[str] = frozenset()) -> Digests:
    """Return digests of all cases, by case and part."""
    return {
        name: digests_of(clf, *table(), weighted)
        for name, clf, table, weighted in cases(n_jobs)
        if name not in without
    }


def differences(found: Digests, expected: Digests) -> list[str]:
    """Name the cases and parts that are not what they must be."""
    return [
        f"{case}: {part}"
        for case, parts in found.items()
        for part, digest in parts.items()
        if expected.get(case, {}).get(part) != digest
    ]


def pinned() -> Digests:
    """Return the committed digests."""
    return json.loads(PINNED.read_text())


def use_core(path: str) -> None:
    """Make the package use the native module in a file; it must not have been imported."""
    assert "fuzzyucs" not in sys.modules
    spec = importlib.util.spec_from_file_location("fuzzyucs._core", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["fuzzyucs._core"] = module
    spec.loader.exec_module(module)
    from fuzzyucs.variables import terms  # it has imported the module

    assert terms._core is module


def main() -> str | None:
    """Compare, or write what was found; return what differs."""
    parser = argparse.ArgumentParser(description="Are the numbers those of other machines?")
    parser.add_argument("--core", help="file of the native module, if not the installed one")
    parser.add_argument("--jobs", type=int, help="threads; the digests must not depend on them")
    parser.add_argument("--quick", action="store_true", help="without the cases that take long")
    parser.add_argument("--json", action="store_true", help="write the digests instead")
    options = parser.parse_args()
    if options.core:
        use_core(options.core)
    found = all_digests(options.jobs, frozenset(SLOW if options.quick else ()))
    if options.json:
        json.dump(found, sys.stdout, indent=1)
        return None
    differ = differences(found, pinned())
    print(f"{len(found)} cases, {len(differ)} differences", *differ, sep="\n")
    return "not the same numbers" if differ else None


if __name__ == "__main__":
    sys.exit(main())
