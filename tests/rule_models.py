"""Data, fitted models and rules written by hand for the tests of rule sets."""

import math

import numpy as np
import pandas as pd

from fuzzyucs import (
    EvidentialRuleClassifier,
    FuzzyUCSClassifier,
    IntervalVariables,
    LinguisticPartition,
    UCSClassifier,
)
from fuzzyucs.rules import EvolvedRuleSet, ProfiledRuleSet

NAMES = ["size", "age", "kind", "same"]
NASTY = ["<script>alert(1)</script>", "a|b", "50% & more_", "two\nlines"]
KINDS = ["fuzzy", "ucs", "evidential", "weighted"]


def make_data():
    rng = np.random.default_rng(0)
    kind = rng.integers(0, 3, 150)
    X = np.column_stack([rng.normal(5, 2, 150), rng.uniform(0, 90, 150), kind, np.full(150, 7.0)])
    level = (X[:, 0] > 5).astype(int) + ((X[:, 1] > 40) & (kind > 0))
    X[::11, 0] = np.nan
    X[3::50, 1] = np.nan
    return pd.DataFrame(X, columns=NAMES), np.array(["low", "middle", "high"])[level]


X, Y = make_data()


def make_model(kind):
    settings_ = {"epochs": 8, "population_size": 300, "random_state": 0}
    if kind == "fuzzy":
        return FuzzyUCSClassifier(nominal_features=["kind"], **settings_)
    if kind == "ucs":
        return UCSClassifier(**settings_)
    if kind == "evidential":
        return EvidentialRuleClassifier(random_state=0, penalty=1.0)
    return FuzzyUCSClassifier(inference="weighted", nominal_features=[2], **settings_)


def brute_degree(variables, condition, row):
    """The degree to which a row matches, by definition; a missing value matches."""
    degree = 1.0
    for f, (wanted, value) in enumerate(zip(condition, row, strict=True)):
        if math.isnan(value):
            continue
        low, high = variables.minimum[f], variables.maximum[f]
        if isinstance(variables, IntervalVariables):
            unit = 0.5 if low == high else min(max((value - low) / (high - low), 0.0), 1.0)
            degree *= min(wanted) <= unit <= max(wanted)
            continue
        if variables.is_nominal[f]:
            position = float(variables.peaks(f).tolist().index(value))
        elif low == high:
            position = (variables.n_terms[f] - 1) / 2
        else:
            peaks = variables.peaks(f)
            position = float(np.interp(value, peaks, np.arange(len(peaks))))
        terms = [t for t in range(variables.n_terms[f]) if int(wanted) >> t & 1]
        degree *= sum(max(0.0, 1 - abs(position - t)) for t in terms)
    return degree


def brute_degrees(rules, X):
    return np.array(
        [[brute_degree(rules.variables, c, row) for c in rules.conditions] for row in X.to_numpy()]
    ).reshape(len(X), len(rules))


def counted_degrees(rules, X):
    """The degrees that count where rules are measured; those of profiles, as in decisions."""
    if isinstance(rules, ProfiledRuleSet):
        return rules.freeze().membership(rules.variables.positions(X.to_numpy()))
    return brute_degrees(rules, X)


def written(**changes):
    """Four linguistic rules written by hand, of which two say the same."""
    partition = LinguisticPartition.of(
        np.array([[1.0, 0.0, 4.0, 1.0], [5.0, 9.0, 4.0, 3.0]]),
        changes.pop("names", ["size", "age", "constant", "colour"]),
        n_terms=[3, 5, 3, 2],
        nominal_features=[3],
    )
    arrays = {
        "classes": np.array(["no", "yes"]),
        "conditions": np.array(
            [
                [0b011, 0b11111, 0b111, 0b11],
                [0b100, 0b00100, 0b111, 0b01],
                [0b111, 0b11111, 0b111, 0b11],
                [0b011, 0b11111, 0b010, 0b11],
            ],
            dtype=np.uint32,
        ),
        "weights": np.array([[0.25, 0.75], [1.0, 0.0], [0.5, 0.5], [0.25, 0.75]]),
        "class_experience": np.array([[10.0, 30.0], [20.0, 0.0], [0.0, 0.0], [20.0, 60.0]]),
        "experience": np.array([40.0, 20.0, 0.0, 80.0]),
        "fitness": np.array([0.5, 1.0, 0.0, 0.5]),
        "numerosity": np.array([2, 1, 7, 3], dtype=np.uint32),
        "consequent": np.array([1, 0, 0, 1], dtype=np.uint32),
        "set_size": np.array([3.0, 2.0, 9.0, 4.0]),
        "set_count": np.array([1, 5, 0, 2], dtype=np.uint64),
        "time_stamp": np.array([10, 20, 30, 5]),
    }
    return EvolvedRuleSet(partition, **arrays | changes)


# Looking through


def doubled(rules):
    """All rules twice, in another order."""
    return rules[np.concatenate([np.arange(len(rules)), np.arange(len(rules))[::-1]])]
