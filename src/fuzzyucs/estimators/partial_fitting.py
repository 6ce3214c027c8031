"""Partial fits of the flagship: all data so far, learned anew."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from fuzzyucs._util.sklearn_compat import fit_context, is_first_partial_fit, validate_parameters
from fuzzyucs.estimators.expert_models import Rules, lines_of
from fuzzyucs.estimators.fitting_rows import fit_rows
from fuzzyucs.estimators.reservoir import Reservoir
from fuzzyucs.estimators.validation import all_or_nothing, class_indices, rows_that_count

if TYPE_CHECKING:
    from fuzzyucs.estimators.evidential import EvidentialRuleClassifier

__all__ = ["partial_fit"]


@fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
def partial_fit(
    clf: EvidentialRuleClassifier,
    X: Any,
    y: Any,
    classes: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    *,
    rules: Rules | None = None,
) -> EvidentialRuleClassifier:
    """Fit anew to these data and those of all earlier calls.

    Categories that earlier calls did not have are learned, too. The estimator holds on to its
    training data for that; of more than 262,144 rows, to as many of them, which then stand for
    the others of their class. It warns when that begins. It does not save them: after pickling,
    only `fit` is possible. A call takes as long as a `fit`.

    Parameters
    ----------
    X, y : array-like of shape (n_samples, n_features) and (n_samples,)
        More training data, and their class labels.
    classes : array-like of shape (n_classes,), optional
        All class labels that will ever occur. Needed in the first call; may be left out later.
    sample_weight : array-like of shape (n_samples,), optional
        How much each row counts, as in `fit`.
    rules : str, path or sequence of str, optional
        Experts' rules, as in `fit`, for this call and those to come.

    Returns
    -------
    self
        The estimator itself.
    """
    with all_or_nothing(clf):
        validate_parameters(clf)  # scikit-learn's decorator leaves it out after the first call
        is_first = is_first_partial_fit(clf, classes)
        X, y, weight = rows_that_count(X, y, sample_weight)
        known = None if is_first else clf._learn_categories(X)
        table, y = clf._training_table(X, y, reset=is_first)
        class_indices(y, clf._check_classes(clf.classes_))
        if not is_first and "_seen" not in clf.__dict__:
            raise ValueError(
                "partial_fit cannot go on with a model that was saved or copied: its training "
                "data stayed behind; fit to all data at once"
            )
        before = None if known is None else clf._seen.recoded(known, clf.columns_)
        seen = Reservoir.of(table, y, weight)
        seen = seen if before is None else before.with_batch(seen, clf.classes_)
        clf._seen = seen.bounded(clf.classes_)
        clf._stated = clf._stated if rules is None and not is_first else lines_of(rules)
        fit_rows(clf, clf._seen)
        clf._seen.warn(before, stacklevel=4)
    return clf
