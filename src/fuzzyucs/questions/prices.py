"""Prices: what it costs to find out the value of a feature."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fuzzyucs._util.wording import closest

__all__ = ["Prices", "check_losses", "check_prices"]

Prices = Mapping[Any, float] | ArrayLike


def check_prices(costs: Prices | None, names: Sequence[str]) -> NDArray[np.float64]:
    """Return a price for each feature.

    Parameters
    ----------
    costs : mapping or array-like of shape (n_features,), optional
        Prices by the name or the number of features, 1 for the others; or one for each feature.
    names : sequence of str
        The features.

    Returns
    -------
    ndarray of shape (n_features,)

    Examples
    --------
    >>> from fuzzyucs.questions.prices import check_prices
    >>> check_prices({"scan": 10}, ["age", "scan"])
    array([ 1., 10.])
    """
    prices = np.ones(len(names))
    if costs is None:
        return prices
    if isinstance(costs, Mapping):
        for key, price in costs.items():
            prices[_feature(key, names)] = _price(key, price)
        return prices
    given = np.asarray(costs, dtype=object)
    if given.shape != prices.shape:
        raise ValueError(
            f"costs must be a dict of prices by feature, or a price for each of the {len(names)} "
            f"features, got {costs!r}"
        )
    return np.array([_price(*pair) for pair in zip(names, given.tolist(), strict=True)])


def _feature(key: Any, names: Sequence[str]) -> int:
    """Return the index of a feature that is named, or numbered."""
    if key in names:
        return list(names).index(key)
    if isinstance(key, Integral) and not isinstance(key, bool) and 0 <= int(key) < len(names):
        return int(key)
    raise ValueError(f"costs: there is no feature {key!r}{closest(str(key), names)}")


def _price(key: Any, price: Any) -> float:
    is_number = isinstance(price, Real) and not isinstance(price, (bool, np.bool_))
    if not is_number or not float(price) > 0:
        raise ValueError(
            f"costs: the price of {key!r} must be a number above 0, or infinite if it cannot be "
            f"found out, got {price!r}"
        )
    return float(price)


def check_losses(losses: ArrayLike, n_classes: int) -> NDArray[np.float64]:
    """Return losses as an array, a row for each action and a column for each class.

    Parameters
    ----------
    losses : array-like of shape (n_actions, n_classes)
        As `Evidence.decide` takes costs.
    n_classes : int
        Number of classes.

    Returns
    -------
    ndarray of shape (n_actions, n_classes)
    """
    try:
        table = np.asarray(losses, dtype=float)
    except (TypeError, ValueError):
        table = np.empty(0)
    if table.ndim != 2 or table.shape[1:] != (n_classes,) or not len(table):
        raise ValueError(
            "losses must have a row for each action and a column for each of the "
            f"{n_classes} classes, got {losses!r}"
        )
    if not np.isfinite(table).all():
        raise ValueError(f"losses must hold finite numbers, got {losses!r}")
    return table
