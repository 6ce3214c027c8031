"""Tables of several sites and their models, for tests of fusion."""

import numpy as np
import pandas as pd

from fuzzyucs import EvidentialRuleClassifier

SITES = ("north", "south", "west")
PEAKS = {"dose": {"low": 1.0, "usual": 2.0, "high": 4.0}}


def table(n, seed=0):
    """Return a table with numbers, a few values, categories and gaps."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    colour = rng.choice(["red", "green", "blue"], n)
    frame = pd.DataFrame(
        {
            "x": x,
            "near x": x + rng.normal(0, 0.5, n),
            "dose": rng.choice([1.0, 2.0, 3.0, 4.0, 4.5, 5.0, 6.0], n),
            "colour": pd.Categorical(colour),
            "grade": pd.Categorical.from_codes(
                rng.integers(0, 3, n), ["low", "middle", "high"], ordered=True
            ),
            "few": rng.integers(0, 3, n).astype(float),
        }
    )
    score = x + 1.5 * (colour == "red") + 0.5 * frame["dose"] + rng.normal(0, 0.7, n)
    y = np.array(["ill", "mild", "well"])[np.digitize(score, [1.2, 2.6])]
    for column in ("x", "near x", "colour"):
        frame.loc[rng.random(n) < 0.1, column] = np.nan
    return frame, y


def learned(frame, y, **options):
    # Terms of the dose are the same everywhere, so that some rules are shared.
    return EvidentialRuleClassifier(partition=PEAKS, **options).fit(frame, y)


def shards():
    """Return a table in three parts, of which the last lacks columns and categories."""
    frame, y = table(600)
    parts = {name: (frame[k::3].copy(), y[k::3]) for k, name in enumerate(SITES)}
    west, labels = parts["west"]
    kept = (west["colour"] != "green").to_numpy()
    west = west[kept].drop(columns="near x")
    west["colour"] = west["colour"].cat.remove_categories(["green"])
    parts["west"] = west, labels[kept]
    return parts


def asked_rows():
    """Return rows of all kinds: empty, strange, with gaps."""
    frame, _ = table(150, seed=7)
    frame.iloc[0] = np.nan
    frame.loc[1, ["x", "dose"]] = [50.0, -3.0]
    return frame


def columns_of(model, frame):
    """Return the columns that a model knows; categories that it does not know are missing."""
    found = frame[list(model.feature_names_in_)].copy()
    for feature, categories in model.columns_.categories.items():
        name = model.feature_names_in_[feature]
        values = found[name].astype(object)
        values = values.where(values.isin(categories.labels), None)
        found[name] = pd.Categorical(
            values, categories=list(categories.labels), ordered=categories.is_ordered
        )
    return found
