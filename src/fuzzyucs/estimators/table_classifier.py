"""TableClassifier: a classifier of tables with categories and missing values, and its checks."""

from __future__ import annotations

import warnings
from abc import ABC
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from fuzzyucs._util.short_repr import some
from fuzzyucs._util.sklearn_compat import validate_parameters
from fuzzyucs.estimators.checked_tables import (
    check_names,
    compact_table,
    compact_training_data,
    plain_batch,
    table_of_numbers,
)
from fuzzyucs.estimators.file_records import FileRecords
from fuzzyucs.estimators.lazy import is_dask
from fuzzyucs.estimators.validation import check_classes, class_indices
from fuzzyucs.rules.rule_set import RuleSet
from fuzzyucs.variables.batches import is_source
from fuzzyucs.variables.frames import Columns
from fuzzyucs.variables.table import Table

__all__ = ["TableClassifier"]


# scikit-learn has no type hints, so mypy has to let its base classes and decorators pass.
class TableClassifier(ClassifierMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """A classifier that checks tables of any kind and turns them into numbers."""

    classes_: NDArray[Any]
    columns_: Columns
    rules_: RuleSet

    max_classes: ClassVar[int] = 10_000
    _changeable: ClassVar[tuple[str, ...]] = ()  # parameters that may change after fit

    def check_table(self, X: Any) -> NDArray[np.float64]:
        """Check data as `predict` does, and turn categories into codes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            The numbers that conditions of rules refer to.
        """
        rows: NDArray[np.float64] = self._records(X).rows()
        return rows

    def _records(self, X: Any) -> Any:
        """Check data as `predict` does, and leave columns in their types.

        A file becomes `FileRecords`, which are checked when they are read; a `Table` is checked.
        """
        check_is_fitted(self, "rules_")
        validate_parameters(self, self._changeable)
        if isinstance(X, Table):
            return X
        if is_source(X):
            return FileRecords(self, self.columns_, X)
        return compact_table(self, self.columns_, X)

    def check_data(self, X: Any, y: Any) -> tuple[NDArray[np.float64], NDArray[np.uint32]]:
        """Check data and labels, and turn both into numbers.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data.
        y : array-like of shape (n_samples,)
            Labels of known classes.

        Returns
        -------
        table : ndarray of shape (n_samples, n_features)
            The numbers that conditions of rules refer to.
        indices : ndarray of shape (n_samples,)
            Indices of the classes.
        """
        check_is_fitted(self, "rules_")
        table, labels = self._training_data(X, y, reset=False)
        return table, class_indices(labels, self.classes_)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy.

        Parameters
        ----------
        X : array-like or Dask collection of shape (n_samples, n_features)
            Data.
        y : array-like or Dask collection of shape (n_samples,)
            True labels.
        sample_weight : array-like or Dask collection of shape (n_samples,), optional
            How much each row counts.

        Returns
        -------
        float
            Of collections, too: it is computed at once, one partition after the other.
        """
        if not any(map(is_dask, (X, y, sample_weight))):
            return float(super().score(X, y, sample_weight))
        from fuzzyucs.estimators.dask_predictions import score

        return score(self, X, y, sample_weight)

    def _positions(self, X: Any) -> NDArray[np.float64]:
        table = self.check_table(X)
        return self.rules_.variables.positions(table)

    def _training_data(
        self, X: Any, y: Any, *, reset: bool
    ) -> tuple[NDArray[np.float64], NDArray[Any]]:
        if reset:
            self._set_columns(X)
        elif (batch := plain_batch(self, self.columns_, X, y)) is not None:
            return batch
        X, y = table_of_numbers(self, self.columns_, X, y, reset=reset)
        check_classification_targets(y)
        return X, y

    def _training_table(self, X: Any, y: Any, *, reset: bool) -> tuple[Table, NDArray[Any]]:
        """Do the same, and leave columns in their types."""
        if reset:
            self._set_columns(X)
        table, y = compact_training_data(self, self.columns_, X, y, reset=reset)
        check_classification_targets(y)
        return table, y

    def _learn_categories(self, X: Any) -> Columns:
        """Learn the categories of a further batch, and return the columns as they were."""
        before = self.columns_
        check_names(self, before, X)
        self.columns_ = before.with_more(X)
        return before

    def _warn_of_categories(self, X: Any) -> None:
        """Tell of categories of a further batch that are not known."""
        check_names(self, self.columns_, X)
        for name, new in self.columns_.unknown(X).items():
            warnings.warn(
                f"column {name!r} has categories that the first batch of partial_fit did not have, "
                f"and which count as missing: {some(new)}",
                stacklevel=4,
            )

    def _set_columns(self, X: Any) -> None:
        self.columns_ = Columns.of(X)
        self.__dict__.pop("table_form_", None)  # of the table that was learned from before

    def _check_classes(
        self, classes: NDArray[Any], weight: Any = None, *, least: int = 2
    ) -> NDArray[Any]:
        """Refuse too few or too many classes, of rows with sample weights or without any."""
        among = "" if weight is None else " among the rows of positive sample_weight"
        return check_classes(self, classes, self.max_classes, among=among, least=least)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
