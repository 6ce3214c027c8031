"""The question to ask next about a record: what it is given is checked here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from fuzzyucs._util.sklearn_compat import feature_names
from fuzzyucs._util.wording import closest
from fuzzyucs.estimators.base_rates import NO_BASE_RATES
from fuzzyucs.estimators.lazy import refuse_dask
from fuzzyucs.estimators.validation import one_row
from fuzzyucs.questions.choosing import choose_question
from fuzzyucs.questions.next_question import NextQuestion
from fuzzyucs.questions.prices import Prices, check_losses, check_prices
from fuzzyucs.questions.uncertainty import DEFAULT, MEASURES, Uncertainty

if TYPE_CHECKING:
    from fuzzyucs.estimators.evidential import EvidentialRuleClassifier

__all__ = ["next_question"]


def next_question(
    clf: EvidentialRuleClassifier,
    record: Any = None,
    costs: Prices | None = None,
    *,
    measure: str | None = None,
    losses: ArrayLike | None = None,
) -> NextQuestion:
    """Tell which missing value of a record to ask for next.

    Each missing value that could change what the rules say is a candidate. The model has beliefs
    about its terms, given the values that are known: for each term it is asked what it would say
    if the value were there, and the mean over the terms is what the question is expected to leave
    open. The candidate with the greatest expected reduction per price comes first.

    Parameters
    ----------
    record : dict, row of a data frame, or array-like of shape (n_features,), optional
        What is known. Features that a dict or a row does not have are missing. By default nothing
        is known.
    costs : dict or array-like of shape (n_features,), optional
        Prices of questions by feature: ``{"ct scan": 10}``; 1 for features that are not named,
        infinite for those that cannot be found out.
    measure : {"information", "entropy", "ignorance", "error", "brier", "loss"}, optional
        What questions are meant for. By default "information": how many bits the value is expected
        to tell about the class, the entropy of the mean of the probabilities after the replies
        less the mean of their entropies. Others are to be reduced from what they are now to their
        mean over the replies: the "entropy" of the probabilities, the "ignorance", the expected
        "error" or "brier" score, and with `losses` the expected "loss", which is the default then.
        Often no single reply changes the class, and so neither the expected error nor the expected
        loss: the information then decides.
    losses : array-like of shape (n_actions, n_classes), optional
        ``losses[a, i]`` is what action a costs if class i is true, as in `Evidence.decide`.

    Returns
    -------
    NextQuestion
        The candidates, the most useful first; for each, the possible replies, how probable they
        are, and what the model would say then.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from fuzzyucs import EvidentialRuleClassifier
    >>> cancer = load_breast_cancer(as_frame=True)
    >>> X, y = cancer.data, cancer.target_names[cancer.target]
    >>> clf = EvidentialRuleClassifier(random_state=0).fit(X, y)
    >>> clf.next_question().feature
    'worst perimeter'
    >>> clf.next_question({"worst perimeter": 115}).feature
    'mean concavity'
    >>> clf.next_question({"worst perimeter": 115}, costs={"mean concavity": 9}).feature
    'worst concavity'
    """
    check_is_fitted(clf, "rules_")
    if clf.form_ < 2:
        raise ValueError(f"next_question: {NO_BASE_RATES}")
    uncertainty = _uncertainty(measure, losses, len(clf.classes_))
    names = clf.rules_.variables.table_variables.feature_names
    prices = check_prices(costs, names)
    table = _partial_row(clf, record)
    records = clf.check_table(table)
    if len(records) != 1:
        raise ValueError(f"next_question takes one record, got {len(records)}")
    unseen = clf.columns_.unseen(table)
    return choose_question(
        clf.decision,
        clf._checked_support(),
        records[0],
        uncertainty,
        prices if costs is not None else None,
        unseen,
    )


def _uncertainty(measure: str | None, losses: ArrayLike | None, n_classes: int) -> Uncertainty:
    """Return what is to be reduced."""
    if measure is None:
        measure = DEFAULT if losses is None else "loss"
    if measure not in MEASURES:
        known = ", ".join(map(repr, MEASURES))
        raise ValueError(
            f"measure must be one of {known}, got {measure!r}{closest(str(measure), MEASURES)}"
        )
    if (measure == "loss") != (losses is not None):
        raise ValueError(f"losses belong to measure='loss', got measure={measure!r} and {losses!r}")
    return Uncertainty(measure, None if losses is None else check_losses(losses, n_classes))


def _partial_row(clf: EvidentialRuleClassifier, record: Any) -> Any:
    """Turn what is known of a record into a table with one row, in which the rest is missing."""
    refuse_dask(record)
    if record is None:
        record = {}
    if hasattr(record, "columns"):
        record = _only_row(record, feature_names(clf))
    elif hasattr(record, "to_frame") and hasattr(record, "index"):  # a row of a pandas frame
        labels = record.index.tolist()
        if any(isinstance(label, str) for label in labels) or len(labels) != clf.n_features_in_:
            record = dict(zip(labels, record.tolist(), strict=True))
    if isinstance(record, Mapping):
        names = feature_names(clf)
        for key in record:
            if key not in names:
                raise ValueError(f"record: there is no feature {key!r}{closest(str(key), names)}")
        missing = dict.fromkeys(names, np.nan)
        record = {**missing, **{key: value for key, value in record.items() if value is not None}}
    return one_row(clf, record)


def _only_row(frame: Any, names: tuple[str, ...]) -> Any:
    """Return a frame as it is if it has all columns, and else its only row as a dict."""
    columns = list(map(str, frame.columns))
    if set(columns) == set(names):
        return frame
    if len(frame) != 1:
        raise ValueError(f"next_question takes one record, got {len(frame)}")
    return {name: _cell(frame[name]) for name in frame.columns}


def _cell(column: Any) -> Any:
    """Return the only value of a column of pandas or polars; None if it is missing."""
    value = column.iloc[0] if hasattr(column, "iloc") else column[0]
    return None if value is None or value != value else value  # NaN, NaT
