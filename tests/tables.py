"""Tables by chance, for tests of what holds of any."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Table = tuple[pd.DataFrame, NDArray[Any], NDArray[np.float64] | None, np.random.Generator]


def table_by_chance(seed: int, n_rows: int | None = None) -> Table:
    """Return a table with gaps and categories, two to four classes, weights or None, and chance."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(40, 160)) if n_rows is None else n_rows
    n_classes = int(rng.integers(2, 5))
    frame = pd.DataFrame(rng.normal(size=(n, 2)), columns=["a", "b"])
    frame["b"] += frame["a"]
    frame["years"] = rng.integers(20, 70, n).astype(float)
    kind = rng.choice(["red", "green", "blue"], n)
    size = rng.choice(["S", "M", "L", "XL"], n)
    score = frame["a"] + (kind == "red") + rng.normal(0, 0.5, n)
    y = np.searchsorted(np.quantile(score, np.linspace(0, 1, n_classes + 1)[1:-1]), score)
    frame["kind"] = kind.astype(object)
    frame["size"] = pd.Categorical(size, categories=["S", "M", "L", "XL"], ordered=True)
    gaps = rng.choice([0.0, 0.05, 0.3])
    if rng.random() < 0.5:
        gaps = gaps * (1 + (y[:, np.newaxis] == 0))  # values are missing more often in one class
    frame = frame.mask(rng.random(frame.shape) < gaps)
    labels = np.array(["no", "yes", "maybe", "never"])[y]
    weight = rng.uniform(0.2, 4, n) if rng.random() < 0.5 else None
    return frame, labels, weight, rng
