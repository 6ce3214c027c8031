"""Other classifiers beside ours, on the same folds."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

__all__ = ["TITLES", "Beside", "other"]


class Beside(StrEnum):
    """Classifiers to compare with."""

    rf = "rf"
    hgb = "hgb"


TITLES = {Beside.rf: "random forest", Beside.hgb: "boosted trees"}


def other(name: Beside, X: Any, seed: int) -> Any:
    """Return a classifier of scikit-learn with its defaults, for numbers and categories.

    Parameters
    ----------
    name : Beside
        Which one.
    X : pandas.DataFrame
        The table, whose types tell which columns hold categories.
    seed : int
        Seed of its random numbers.

    Returns
    -------
    estimator

    Examples
    --------
    >>> import pandas as pd
    >>> from fuzzyucs.cli.beside import Beside, other
    >>> X = pd.DataFrame({"size": [1.0, 2.0], "colour": pd.Categorical(["red", "blue"])})
    >>> other(Beside.rf, X, 0).fit(X, [0, 1]).predict(X)
    array([0, 1])
    """
    import numpy as np
    from sklearn.compose import make_column_transformer
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OrdinalEncoder

    if name is Beside.hgb:
        return HistGradientBoostingClassifier(random_state=seed)
    categories = [column for column in X.columns if hasattr(X[column].dtype, "categories")]
    encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan)
    return make_pipeline(
        make_column_transformer((encoder, categories), remainder="passthrough"),
        RandomForestClassifier(random_state=seed, n_jobs=1),
    )
