"""FileClassifier: a classifier of tables that need not be in memory."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from fuzzyucs.decisions.decision import Answer
from fuzzyucs.estimators.file_records import FileRecords
from fuzzyucs.estimators.table_classifier import TableClassifier
from fuzzyucs.variables.batches import is_source

__all__ = ["FileClassifier"]


class FileClassifier(TableClassifier):
    """A classifier that takes files in place of tables in memory."""

    @abstractmethod
    def answer(self, X: Any) -> Answer:
        """Classify and tell what the rules say."""

    @abstractmethod
    def predict(self, X: Any) -> Any:
        """Classify."""

    def answer_batches(self, X: Any) -> Iterator[Answer]:
        """Answer the rows of a file, some at a time.

        The memory that this takes does not depend on the number of rows.

        Parameters
        ----------
        X : path, pyarrow.dataset.Dataset or Batches
            A file of Parquet, Arrow or CSV, a folder of Parquet files, or a dataset. Of its
            columns, those are read that the model asks for.

        Yields
        ------
        Answer
            What `answer` returns, of the next rows.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> from sklearn.datasets import load_iris
        >>> from fuzzyucs import EvidentialRuleClassifier
        >>> iris = load_iris(as_frame=True).frame
        >>> path = Path(tempfile.mkdtemp()) / "iris.parquet"
        >>> iris.to_parquet(path)
        >>> clf = EvidentialRuleClassifier(random_state=0).fit(path, "target")
        >>> [len(answer.labels) for answer in clf.answer_batches(path)]
        [150]
        >>> clf.score(path, "target") > 0.9
        True
        """
        if not is_source(X):
            raise TypeError(f"X must be a path, a dataset of Arrow or Batches, got {type(X)}")
        for table in self._records(X):
            yield self.answer(table)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of rows that are classified correctly.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or a file
            Data; a path, a dataset of Arrow or `Batches` is read in batches.
        y : array-like of shape (n_samples,) or str
            Class labels; of a file, the name of the column that holds them.
        sample_weight : array-like of shape (n_samples,) or str, optional
            How much each row counts; of a file, the name of a column.

        Returns
        -------
        float
            From 0 to 1.
        """
        if not is_source(X):
            return float(super().score(X, y, sample_weight))
        check_is_fitted(self, "rules_")
        records = FileRecords(self, self.columns_, X, y, sample_weight)
        right = total = 0.0
        for batch in records.labelled():
            if batch.labels is None:
                raise ValueError("y must name the column that holds the class, got None")
            weights = np.ones(len(batch.table)) if batch.weights is None else batch.weights
            right += float(weights[self.predict(batch.table) == batch.labels].sum())
            total += float(weights.sum())
        return right / total
