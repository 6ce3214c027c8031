"""RuleClassifier: what all classifiers by rules share."""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from fuzzyucs._util.sklearn_compat import StrOptions, feature_names
from fuzzyucs.decisions.decision import Answer, Decision
from fuzzyucs.decisions.novelty import answer_records
from fuzzyucs.estimators import reporting
from fuzzyucs.estimators.blocks import Result, in_blocks
from fuzzyucs.estimators.file_classifier import FileClassifier
from fuzzyucs.estimators.lazy import lazy_over_dask
from fuzzyucs.estimators.log_scores import LogScores
from fuzzyucs.estimators.validation import check_replacement, one_row
from fuzzyucs.evidence.combination import RULES
from fuzzyucs.evidence.evidence import Evidence
from fuzzyucs.evidence.support import Support
from fuzzyucs.explain.explaining import explain_record
from fuzzyucs.explain.ledger import Explanation
from fuzzyucs.rules.rule_set import RuleSet
from fuzzyucs.variables.partitioning import Nominal
from fuzzyucs.variables.table import Table

__all__ = ["RuleClassifier"]


class RuleClassifier(LogScores, FileClassifier):
    """A classifier whose fitted state is a set of rules, and which decides by a `Decision`."""

    rules_: RuleSet
    support_: Support
    support: Literal["auto"] | None
    nominal_features: Nominal = "auto"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "support": [StrOptions({"auto"}), None],
    }
    _changeable: ClassVar[tuple[str, ...]] = ("support",)

    @property
    @abstractmethod
    def decision(self) -> Decision:
        """How the fitted model decides: its rules, probabilities, evidence and ledger."""

    @property
    def deciding_rules(self) -> RuleSet:
        """The rules that take part in decisions."""
        return self.decision.rules

    @lazy_over_dask
    def membership(self, X: Any) -> NDArray[np.float64]:
        """Degrees to which the rules match.

        Parameters
        ----------
        X : array-like or Dask collection of shape (n_samples, n_features)
            Data. Of a collection, the result is lazy.

        Returns
        -------
        ndarray of shape (n_samples, n_rules)
            Degrees in [0, 1], rules in the order of `rules_`, those of little experience included.
        """
        return np.asarray(self.rules_.freeze().membership(self._positions(X)))

    @lazy_over_dask
    def predict(self, X: Any) -> NDArray[Any]:
        """Classify.

        Parameters
        ----------
        X : array-like or Dask collection of shape (n_samples, n_features)
            Data. Of a collection, the result is lazy.

        Returns
        -------
        ndarray of shape (n_samples,)
            Class labels. Evolved rules: where classes tie or no rule matches, the label is drawn
            by the model's seed and the row's own values, so that the same row always gets the same
            answer. All other rules: the most probable class.
        """
        table, decision = self._records(X), self.decision
        support = self._checked_support() if decision.novelty_decides else None

        def indices(rows: NDArray[np.float64]) -> NDArray[np.generic]:
            if support is not None:
                return answer_records(decision, support, rows).labels
            return decision.decide(decision.rules.variables.positions(rows))

        labels: NDArray[Any] = self.classes_[np.concatenate(self._in_blocks(indices, table))]
        return labels

    @lazy_over_dask
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Estimate the probability of each class.

        `EvidentialRuleClassifier`: belief + base rate * ignorance, the numbers of
        `predict_evidence`; novelty widens the ignorance. All others, before novelty takes anything
        back: weighted rules combine their evidence with a learned prior. Dempster-Shafer inference
        gives the pignistic probabilities of `predict_evidence`, a vote the shares of the positive
        votes (also `UCSClassifier`), a single winner the pignistic probabilities of its own belief
        masses. If no evolved rule matches, all classes are equally probable.

        Parameters
        ----------
        X : array-like or Dask collection of shape (n_samples, n_features)
            Data. Of a collection, the result is lazy.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities that sum to 1, classes in the order of `classes_`.
        """
        table, decision = self._records(X), self.decision
        support = self._checked_support() if decision.novelty_decides else None

        def probabilities(rows: NDArray[np.float64]) -> NDArray[np.float64]:
            if support is not None:
                return answer_records(decision, support, rows).probability
            return decision.probabilities(decision.rules.variables.positions(rows))

        return np.concatenate(self._in_blocks(probabilities, table))

    @lazy_over_dask
    def predict_evidence(self, X: Any, *, combination: str = "dempster") -> Evidence:
        """Tell what the rules say about each class, and what they leave undecided.

        Parameters
        ----------
        X : array-like or Dask collection of shape (n_samples, n_features)
            Data. Of a collection, the result is lazy.
        combination : {"dempster", "yager", "dubois-prade", "cautious", "average"}
            How the evidence of several rules is combined (see `fuzzyucs.combination`), however
            `predict` decides.

        Returns
        -------
        Evidence
            Belief masses, ignorance and its reasons. If no rule matches, ignorance is 1. With
            ``support="auto"``, novelty takes back a part of what the rules say. `predict` and
            `predict_proba` of an `EvidentialRuleClassifier` follow from what is left; those of
            others do not change by that.
        """
        table = self._records(X)
        if combination not in RULES:
            raise ValueError(f"combination must be one of {list(RULES)}, got {combination!r}")
        decision, support = self.decision, self._checked_support()

        def evidence(rows: NDArray[np.float64]) -> Evidence:
            if combination == "dempster":
                return answer_records(decision, support, rows).evidence
            found = decision.combined(decision.rules.variables.positions(rows), combination)
            return found if support is None else found.discount(support.novelty(rows))

        return Evidence.join(self._in_blocks(evidence, table))

    @lazy_over_dask
    def answer(self, X: Any) -> Answer:
        """Classify and tell what the rules say, with one inference.

        Parameters
        ----------
        X : array-like or Dask collection of shape (n_samples, n_features)
            Data. Of a collection, the result is lazy.

        Returns
        -------
        Answer
            A tuple of what `predict`, `predict_proba` and `predict_evidence` return.
        """
        table, decision, support = self._records(X), self.decision, self._checked_support()
        parts = self._in_blocks(lambda rows: answer_records(decision, support, rows), table)
        return Answer(
            self.classes_[np.concatenate([part.labels for part in parts])],
            np.concatenate([part.probability for part in parts]),
            Evidence.join([part.evidence for part in parts]),
        )

    def _in_blocks(
        self, work: Callable[[NDArray[np.float64]], Result], table: Table
    ) -> list[Result]:
        """Do something to blocks of rows; subclasses with `n_jobs` do it with so many threads."""
        return in_blocks(work, table)

    def _checked_support(self) -> Support | None:
        if self.support is None:
            return None
        self._check_learned("support_", "support='auto'")
        return self.support_

    def _check_learned(self, attribute: str, parameter: str) -> None:
        """Refuse to decide by what a fit with other parameters has not learned."""
        check_is_fitted(self, "rules_")
        if not hasattr(self, attribute):
            raise ValueError(f"{parameter} needs what only a fit with {parameter} learns")

    @lazy_over_dask
    def predict_set(self, X: Any) -> NDArray[np.bool_]:
        """Tell which classes cannot be ruled out.

        A class is ruled out if another is believed more than it is plausible.

        Parameters
        ----------
        X : array-like or Dask collection of shape (n_samples, n_features)
            Data. Of a collection, the result is lazy.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Whether each class stays possible, classes in the order of `classes_`.
        """
        return self.predict_evidence(X).predict_set()

    def explain(self, X: Any) -> Explanation:
        """Tell why a record is classified as it is.

        Parameters
        ----------
        X : array-like of shape (1, n_features) or (n_features,)
            One record.

        Returns
        -------
        Explanation
            What each rule said for and against the prediction, in amounts that sum to the lead of
            the predicted class; what is missing, and what makes the record unusual.
        """
        check_is_fitted(self, "rules_")
        table = one_row(self, X)
        records = self.check_table(table)
        if len(records) != 1:
            raise ValueError(f"explain takes one record, got {len(records)}")
        unseen = self.columns_.unseen(table)
        return explain_record(self.decision, records[0], self._checked_support(), unseen)

    report = reporting.report

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the fitted model to a file, without pickle; `fuzzyucs.load` reads it.

        Parameters
        ----------
        path : path
            The file, ``model.json`` for example. It is replaced if it exists, but only once the
            new one is complete.

        Returns
        -------
        Path
            The file.

        See Also
        --------
        fuzzyucs.model_file : What is saved.
        """
        from fuzzyucs.deployment.model_file import save

        return save(self, path)

    def with_rules(self, rules: RuleSet) -> Self:
        """Return a copy that decides by other rules, such as edited ones.

        Parameters
        ----------
        rules : RuleSet
            Rules of the same kind, for the same features and classes. They replace `rules_`, or
            `weighted_rules_` where those decide.

        Returns
        -------
        RuleClassifier
            A fitted copy. Where rules evolve, its `partial_fit` goes on with them, and finds
            weighted rules anew; an `EvidentialRuleClassifier` needs a new `fit`.
        """
        present = self.deciding_rules
        check_replacement(rules, present)
        model = copy.copy(self)
        setattr(model, self._deciding_attribute, rules)
        model.__dict__.pop("expert_report_", None)  # of other rules
        return model

    @property
    def _deciding_attribute(self) -> str:
        """Name of the attribute that holds the rules that decide."""
        return "rules_"

    def _find_support(
        self, X: NDArray[np.float64] | Table, left_out: NDArray[np.bool_] | None = None
    ) -> None:
        """Learn what the training data look like, if that is wanted, but for some features."""
        self.__dict__.pop("support_", None)
        if self.support is not None:
            nominal = "auto" if self.nominal_features is None else self.nominal_features
            about = X, feature_names(self), nominal, self.columns_
            self.support_ = Support.fit(*about, left_out=left_out)
