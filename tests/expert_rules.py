"""Experts' rules about patients, for tests."""

import numpy as np
import pandas as pd

from fuzzyucs import EvidentialRuleClassifier
from fuzzyucs.rules.grammar import conditions_of, read_rules, rule_lines

RULES = """
IF glucose >= 140 AND age is at least 60 THEN diabetic, reliability 0.9, worth 30 records
IF glucose < 100 THEN healthy, reliability 0.9
IF town is Ux or Wye AND glucose > 120.5 THEN not healthy, reliability 0.5
IF count >= 3 THEN healthy
IF age is between 200 and 300 THEN diabetic, reliability 0.7
"""
# What the rules ask, in the order of the text; the last three features are numbers of a table.
TRUTHS = (
    lambda t: (t.glucose >= 140) & (t.age >= 60),
    lambda t: t.glucose < 100,
    lambda t: t.town.isin(["Ux", "Wye"]) & (t.glucose > 120.5),
    lambda t: t["count"] >= 3,
    lambda t: t.age.between(200, 300),
)


def table(n=300, seed=0):
    """Return patients of three kinds."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "glucose": np.round(rng.normal(120, 30, n), 1),
            "age": rng.integers(20, 90, n).astype(float),
            "town": rng.choice(["Ux", "Vee", "Wye"], n, p=[0.02, 0.6, 0.38]),
            "count": rng.integers(0, 5, n),
        }
    )
    ill = frame.glucose + 0.5 * frame.age + rng.normal(0, 12, n) > 150
    y = np.where(ill, "diabetic", np.where(rng.random(n) < 0.1, "unclear", "healthy"))
    return frame, y


X, Y = table()
OTHERS, _ = table(120, seed=1)


def from_rules(rules=RULES, **more):
    known = {"glucose": None, "age": (20, 90), "town": ["Ux", "Vee", "Wye"], "count": None}
    options = {"classes": ["diabetic", "healthy", "unclear"], "features": known} | more
    return EvidentialRuleClassifier.from_rules(rules, **options)


def order_of(rules):
    """Return the places of the experts' rules in the order of the text, by what they state."""
    stated = read_rules(rule_lines(RULES), X.columns, rules.classes)
    wanted = conditions_of(stated, rules.variables)
    places = []
    for condition in wanted:
        same = (rules.conditions == condition).all(axis=1) & rules.is_expert
        assert same.sum() == 1
        places.append(int(np.flatnonzero(same)[0]))
    return places


def near_borders(frame):
    """Return rows with the numbers of rules, and the nearest others on both sides."""
    parts = []
    for name, numbers in {"glucose": (140, 100, 120.5), "age": (60, 200, 300)}.items():
        for number in numbers:
            for value in (number, np.nextafter(number, -np.inf), np.nextafter(number, np.inf)):
                parts.append(frame.head(4).assign(**{name: value, "town": list("UVWX")}))
    found = pd.concat(parts, ignore_index=True)
    found["town"] = found.town.map({"U": "Ux", "V": "Vee", "W": "Wye", "X": "Ux"})
    return pd.concat([found, frame], ignore_index=True)


def as_numbers(frame, rules):
    """Return a table as rules have it."""
    return np.asarray(rules.variables.columns.values(frame), dtype=float)
