"""Replies: the values that a feature may turn out to have, one for each of its terms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.variables.coding import as_run
from fuzzyucs.variables.linguistic import LinguisticPartition

if TYPE_CHECKING:
    from fuzzyucs.rules.rule_set import RuleSet

__all__ = [
    "Replies",
    "askable_features",
    "possible_replies",
    "reply_text",
    "values_of_terms",
    "views_to_ask_in",
]

Array = NDArray[np.float64]


class Replies(NamedTuple):
    """What may be replied to questions about records: a value for each term of a missing feature.

    Attributes
    ----------
    record, feature, term : ndarray of shape (n_replies,)
        Indices: about which record and feature, and which of its terms is the reply.
    view : ndarray of shape (n_replies,)
        Index of the view that has the term; of a model that is not fused, the feature.
    value : ndarray of shape (n_replies,)
        The value that stands for the term.
    probability : ndarray of shape (n_replies,)
        How probable the term is, given the known values of the record.
    """

    record: NDArray[np.intp]
    feature: NDArray[np.intp]
    view: NDArray[np.intp]
    term: NDArray[np.intp]
    value: Array
    probability: Array


def values_of_terms(partition: LinguisticPartition, feature: int) -> Array:
    """Return a value for each term of a feature, at which the term holds fully and no other does.

    It is the middle of a plateau, or the first of several categories.

    Parameters
    ----------
    partition : LinguisticPartition
        The features.
    feature : int
        Index of the feature.

    Returns
    -------
    ndarray of shape (n_terms,)

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs import LinguisticPartition
    >>> from fuzzyucs.questions.replies import values_of_terms
    >>> from fuzzyucs.variables.linguistic import LinguisticVariable
    >>> age = LinguisticVariable(
    ...     np.array([18.0, 45.0]), ("young", "old"), ends=np.array([35.0, 90.0])
    ... )
    >>> X = np.array([[18.0, 0.0], [90.0, 8.0]])
    >>> partition = LinguisticPartition.of_variables(X, ["age", "size"], {0: age})
    >>> values_of_terms(partition, 0), values_of_terms(partition, 1)
    (array([26.5, 67.5]), array([0., 8.]))
    """
    if partition.is_listed(feature):
        listed, found = partition.listed_values(feature), partition.peaks(feature).copy()
        places = partition.special[feature].positions(listed)
        found = np.resize(found, int(partition.n_terms[feature]))
        for value, place in zip(listed[::-1].tolist(), places[::-1].tolist(), strict=True):
            if place == np.floor(place):  # false of values that were never seen
                found[int(place)] = value
        return found
    return np.asarray(partition.peaks(feature) / 2 + partition.ends(feature) / 2)


def reply_text(partition: LinguisticPartition, feature: int, term: int) -> str:
    """Say which values a reply stands for.

    Parameters
    ----------
    partition : LinguisticPartition
        The features.
    feature, term : int
        Indices of the feature and of its term.

    Returns
    -------
    str

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs import LinguisticPartition
    >>> from fuzzyucs.questions.replies import reply_text
    >>> partition = LinguisticPartition.uniform(np.array([[0.0], [8.0]]), 3, ["size"])
    >>> [reply_text(partition, 0, term) for term in range(3)]
    ['small (<= 2)', 'medium (2 to 6)', 'large (>= 6)']
    """
    text = partition.describe_plain(feature, as_run(term, term, int(partition.n_terms[feature])))
    return text.removeprefix(f"{partition.feature_names[feature]} is ")


def askable_features(
    partition: LinguisticPartition, asks: NDArray[np.bool_], is_missing: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Tell which missing values could change what rules say.

    These are the values that a rule asks for, and those that tell something about such a value,
    being its neighbour in the forest of dependences.

    Parameters
    ----------
    partition : LinguisticPartition
        The features.
    asks : ndarray of shape (n_features,)
        Of which features a rule asks something.
    is_missing : ndarray of shape (n_records, n_features)
        Which values are missing.

    Returns
    -------
    ndarray of shape (n_records, n_features)
    """
    is_believed = _are_believed(partition)
    wanted = is_missing & asks & is_believed
    found = wanted.copy()
    if partition.forest is not None:
        children = np.flatnonzero(partition.forest.parent >= 0)
        parents = partition.forest.parent[children]
        for child, parent in zip(children.tolist(), parents.tolist(), strict=True):
            found[:, parent] |= wanted[:, child]
        found[:, children] |= wanted[:, parents]
    return np.asarray(found & is_missing & is_believed)


def views_to_ask_in(rules: RuleSet) -> NDArray[np.intp]:
    """Return the view of each feature whose terms are the replies to a question about it.

    Each source of a fused model has terms and beliefs of its own. Those count whose rules carry
    the most evidence about the feature. Other models have one view of each feature.

    Parameters
    ----------
    rules : RuleSet
        Rules with class profiles.

    Returns
    -------
    ndarray of shape (n_features,)
        -1 of features without beliefs.
    """
    partition: Any = rules.variables  # a LinguisticPartition
    found = np.full(partition.table_variables.n_features, -1, dtype=np.intp)
    evidence = rules.carried_evidence() @ rules.asks
    views = np.flatnonzero(_are_believed(partition))
    # The greatest comes last; of equal ones, the first view.
    for view in views[np.lexsort([-views, evidence[views]])].tolist():
        found[partition.feature_of_view[view]] = view
    return found


def possible_replies(
    partition: LinguisticPartition,
    positions: Array,
    is_asked: NDArray[np.bool_],
    views: NDArray[np.intp],
) -> Replies:
    """Return the possible replies to questions, by feature, then by record, then by term.

    Parameters
    ----------
    partition : LinguisticPartition
        The features, with a forest of dependences.
    positions : ndarray of shape (n_records, n_views)
        Where the known values of records lie among the terms.
    is_asked : ndarray of shape (n_records, n_features)
        Which missing values are asked for.
    views : ndarray of shape (n_features,)
        As `views_to_ask_in` returns them.

    Returns
    -------
    Replies
    """
    forest = partition.forest
    if forest is None:
        raise ValueError("a question needs beliefs about missing values, and the model has none")
    found: list[tuple[NDArray[np.generic], ...]] = []
    beliefs = forest.native.believe(np.ascontiguousarray(positions))
    first = [0, *np.cumsum(forest.n_terms).tolist()]
    for feature in np.flatnonzero(is_asked.any(axis=0)).tolist():
        records, view = np.flatnonzero(is_asked[:, feature]), int(views[feature])
        probability = beliefs[records, first[view] : first[view + 1]]
        values = values_of_terms(partition, view)
        n = len(values)
        found.append(
            (
                np.repeat(records, n),
                np.full(len(records) * n, feature),
                np.full(len(records) * n, view),
                np.tile(np.arange(n), len(records)),
                np.tile(values, len(records)),
                probability.ravel(),
            )
        )
    if not found:
        none = np.empty(0, dtype=np.intp)
        return Replies(none, none, none, none, np.empty(0), np.empty(0))
    return Replies(*map(np.concatenate, zip(*found, strict=True)))


def _are_believed(partition: LinguisticPartition) -> NDArray[np.bool_]:
    """Tell of which missing values something is believed."""
    return np.asarray(partition.believed_features & (partition.n_varied_terms > 0))
