"""Conditions that people write, and which conditions are one and the same.

These functions are methods of the two kinds of variables, such as `parse_condition`, `canonical`
and `dont_cares`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.variables.coding import as_condition, as_run, every_term, every_terms, is_fine
from fuzzyucs.variables.phrases import read_phrase, terms_of
from fuzzyucs.variables.reading import read_numbers

if TYPE_CHECKING:
    from fuzzyucs.variables.intervals import IntervalVariables
    from fuzzyucs.variables.linguistic import LinguisticPartition

__all__ = [
    "are_every_term",
    "canonical_intervals",
    "canonical_terms",
    "is_every_term",
    "parse_interval",
    "parse_terms",
]


def parse_terms(variables: LinguisticPartition, feature: int, wanted: Any) -> int:
    """Turn what a person asks of a feature into a set of terms.

    Parameters
    ----------
    feature : int
        Index of the feature.
    wanted : None, str, number or sequence
        Names of terms, or values of a nominal feature: as a list, or as texts list them in full
        ("CA or NJ", "one of CA, NJ, TX", "not CA", "none of CA, NJ"), or as they tell terms ("at
        most medium", "small to large"). Of a feature whose terms have no names: numbers as in
        texts ("at most 35", "5 to 25"). None asks nothing.

    Returns
    -------
    int
        The terms that are accepted, as `fuzzyucs.variables.coding` has them.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs import LinguisticPartition
    >>> partition = LinguisticPartition.uniform(np.array([[0.0], [8.0]]), 3, ["size"])
    >>> bin(partition.parse_condition(0, ["small", "large"]))
    '0b101'
    """
    n_terms = int(variables.n_terms[feature])
    if wanted is None:
        return every_term(n_terms)
    name = variables.feature_names[feature]
    # A category belongs to a term; terms of other features have names.
    places, values = _places(variables, feature)
    if isinstance(wanted, str) and wanted not in places:
        if (said := _as_phrase(variables, feature, wanted)) is not None:
            return said
        if variables.speaks_in_numbers(feature):
            return read_numbers(variables, feature, wanted)
        wanted = _read_list(wanted, list(places))
    if isinstance(wanted, str | Real):
        wanted = [wanted]
    if not isinstance(wanted, Iterable):
        raise ValueError(f"conditions must list terms of {name!r}, got {wanted!r}")
    chosen = set()
    for term in wanted:
        if isinstance(term, str) and term in places:
            chosen.add(term)
        elif isinstance(term, Real) and term in values:
            chosen.add(values[float(term)])
        else:
            raise ValueError(
                f"conditions must list terms of {name!r}, got {term!r}; "
                f"its terms are {_listed(list(places))}"
            )
    if not chosen:
        raise ValueError(f"conditions must list at least one term of {name!r}; None asks nothing")
    found = {places[term] for term in chosen}
    apart = [term for term, place in places.items() if place in found and term not in chosen]
    if apart:
        inside = next(term for term in chosen if places[term] == places[apart[0]])
        raise ValueError(
            f"conditions on {name!r} must have both {inside!r} and {apart[0]!r} or neither: no "
            "rule of this model tells them apart"
        )
    # A nominal feature with one value has a second term without a name.
    n_named = len(set(places.values()))
    if len(found) == n_named:
        return every_term(n_terms)
    accepted = np.isin(np.arange(n_terms), list(found))
    if is_fine(n_terms) and max(found) - min(found) + 1 != len(found):
        raise ValueError(
            f"conditions on {name!r} must list neighbouring terms, since there are {n_terms}"
        )
    return as_condition(accepted)


def _as_phrase(variables: LinguisticPartition, feature: int, text: str) -> int | None:
    """Read what texts of rules say of a feature; None if it is something else."""
    try:
        return terms_of(variables, feature, read_phrase(text, variables.columns.times.get(feature)))
    except ValueError:
        return None


def _places(
    variables: LinguisticPartition, feature: int
) -> tuple[dict[str, int], dict[float, str]]:
    """Return the terms by what may be named in a condition, and names of values without order."""
    if not variables.is_listed(feature):
        return {term: place for place, term in enumerate(variables.terms(feature))}, {}
    listed = variables.listed_values(feature)
    names = [variables.value_name(feature, value) for value in listed.tolist()]
    places = variables.special[feature].positions(listed).astype(int).tolist()
    values = {} if variables.has_order(feature) else dict(zip(listed.tolist(), names, strict=True))
    return dict(zip(names, places, strict=True)), values


def _read_list(text: str, names: list[str]) -> str | list[str]:
    """Read a list of categories as texts of conditions have it in full."""
    for start in ("one of ", "none of ", "not "):
        if text.startswith(start):
            listed = text.removeprefix(start).split(", ")
            if start == "one of " or not set(listed) <= set(names):
                return listed
            return [name for name in names if name not in listed]
    return text.split(" or ") if " or " in text else text


def parse_interval(variables: IntervalVariables, feature: int, wanted: Any) -> list[float]:
    """Turn what a person asks of a feature into bounds.

    Parameters
    ----------
    feature : int
        Index of the feature.
    wanted : None or tuple
        The least and the greatest value, either of which may be None for no bound. None alone
        asks nothing.

    Returns
    -------
    list of float
        Two bounds in [0, 1] over the range of the feature.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs import IntervalVariables
    >>> IntervalVariables.of(np.array([[0.0], [8.0]]), ["size"]).parse_condition(0, (2.0, None))
    [0.25, 1.0]
    """
    if wanted is None:
        return [0.0, 1.0]
    name = variables.feature_names[feature]
    bounds = list(wanted) if isinstance(wanted, Iterable) else []
    scale = variables.columns.times.get(feature)
    if scale is not None:
        bounds = [None if bound is None else scale.number(bound) for bound in bounds]
    if len(bounds) != 2 or not all(_is_bound(bound) for bound in bounds):
        raise ValueError(
            f"conditions must have the least and the greatest value for {name!r}, or None where "
            f"there is no bound, got {wanted!r}"
        )
    low = -math.inf if bounds[0] is None else float(bounds[0])
    high = math.inf if bounds[1] is None else float(bounds[1])
    minimum, maximum = float(variables.minimum[feature]), float(variables.maximum[feature])
    if low > high:
        raise ValueError(f"conditions must have the lesser value first for {name!r}, got {wanted}")
    if math.isnan(minimum) or high < minimum or low > maximum:
        raise ValueError(
            f"conditions must meet the range of {name!r}, {variables.write(feature, minimum)} to "
            f"{variables.write(feature, maximum)}, got {wanted}"
        )
    if not minimum < maximum:
        return [0.0, 1.0]
    lower, upper = (_unit(variables, feature, value) for value in (low, high))
    return [lower, upper]


def _is_bound(value: Any) -> bool:
    return value is None or (isinstance(value, Real) and not math.isnan(value))


def _unit(variables: IntervalVariables, feature: int, value: float) -> float:
    """Locate a value as those of data are located, so that the bound itself is accepted."""
    row = np.full((1, variables.n_features), np.nan)
    row[0, feature] = min(max(value, variables.minimum[feature]), variables.maximum[feature])
    return float(variables.positions(row)[0, feature])


def canonical_terms(variables: LinguisticPartition, conditions: NDArray[Any]) -> NDArray[Any]:
    """Give conditions that match the same records to the same degrees the same form.

    Of features that never varied only counts what their one value fulfils. The result is for
    comparison; it need not be a condition.

    Parameters
    ----------
    conditions : ndarray of shape (n_rules, n_features)
        Sets of terms, as in `RuleSet`.

    Returns
    -------
    ndarray of the same shape

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs import LinguisticPartition
    >>> variables = LinguisticPartition.uniform(np.array([[0.0, 7.0], [8.0, 7.0]]), 3, ["a", "b"])
    >>> variables.canonical(np.array([[0b001, 0b010], [0b001, 0b111]])).tolist()
    [[1, 7], [1, 7]]
    """
    result = conditions.astype(np.uint64)
    for feature in range(variables.n_features):
        n_terms = int(variables.n_terms[feature])
        if is_fine(n_terms):
            continue  # a run of terms that values can have all
        needed = np.uint64(_needed_terms(variables, feature))
        every = np.uint64(every_term(n_terms))
        column = result[:, feature] & needed
        result[:, feature] = np.where(column == needed, every, column)
    return result


def canonical_intervals(variables: IntervalVariables, conditions: NDArray[Any]) -> NDArray[Any]:
    """Give conditions that match the same records the same form.

    Bounds are put in order, and of features that never varied only counts whether their one value
    is accepted. The result is for comparison; it need not be a condition.

    Parameters
    ----------
    conditions : ndarray of shape (n_rules, n_features, 2)
        Bounds, as in `RuleSet`.

    Returns
    -------
    ndarray of the same shape
    """
    result = np.sort(conditions, axis=2)
    constant = ~(variables.maximum > variables.minimum)
    accepts = (result[:, constant, :1] <= 0.5) & (result[:, constant, 1:] >= 0.5)
    result[:, constant] = np.where(accepts, [0.0, 1.0], 0.0)
    return result


def is_every_term(variables: LinguisticPartition, feature: int, condition: int) -> bool:
    """Tell whether a set holds all terms, and so says nothing about the feature."""
    return int(condition) == every_term(int(variables.n_terms[feature]))


def are_every_term(variables: LinguisticPartition, conditions: NDArray[Any]) -> NDArray[np.bool_]:
    """Tell which conditions of many rules say nothing about a feature."""
    return np.asarray(conditions == every_terms(variables.n_terms).astype(conditions.dtype))


def _needed_terms(variables: LinguisticPartition, feature: int) -> int:
    """Return the terms that values can have: all, unless the feature has but one position."""
    n_terms = int(variables.n_terms[feature])
    if feature in variables.special:
        is_lonely = len(variables.terms(feature)) == 1
        return 1 if is_lonely else every_term(n_terms)
    if variables.maximum[feature] > variables.minimum[feature]:
        return every_term(n_terms)
    return as_run((n_terms - 1) // 2, n_terms // 2, n_terms)  # constants lie in the middle


def _listed(names: Sequence[str]) -> str:
    return f"{list(names[:10])}{', ...' if len(names) > 10 else ''}"
