"""What all classifiers by rules share: checks of input, and what needs no more than the rules."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from numbers import Integral
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import StrOptions, validate_parameter_constraints
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted, validate_data

from fuzzyucs._util.checks import refuse_dates
from fuzzyucs._util.optional import import_pandas
from fuzzyucs.evidence.combination import RULES, combine
from fuzzyucs.evidence.evidence import Evidence
from fuzzyucs.evidence.support import Support
from fuzzyucs.explain.flips import Flip, find_flips
from fuzzyucs.explain.ledger import Entry, Explanation
from fuzzyucs.rules.rule_set import RuleSet, WeightedRuleSet
from fuzzyucs.variables.frames import Columns
from fuzzyucs.variables.linguistic import LinguisticPartition, Nominal

__all__ = ["RuleClassifier", "all_or_nothing", "draw_seed", "weighted_ledger"]


MOST_MASSES = 2_000_000  # held in memory at a time


# scikit-learn has no type hints, so mypy has to let its base classes and decorators pass.
class RuleClassifier(ClassifierMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """A classifier whose fitted state is a set of rules."""

    classes_: NDArray[Any]
    columns_: Columns
    rules_: RuleSet
    support_: Support
    support: Literal["auto"] | None
    nominal_features: Nominal = "auto"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "support": [StrOptions({"auto"}), None],
    }
    _max_classes: ClassVar[int] = 10_000
    _changeable: ClassVar[tuple[str, ...]] = ("support",)  # parameters that may change after fit

    def membership(self, X: Any) -> NDArray[np.float64]:
        """Degrees to which the rules match.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data.

        Returns
        -------
        ndarray of shape (n_samples, n_rules)
            Degrees in [0, 1], rules in the order of `rules_`, those of little experience included.
        """
        positions = self._positions(X)
        degrees: NDArray[np.float64] = self.rules_.freeze().membership(positions)
        return degrees

    def predict_evidence(self, X: Any, *, combination: str = "dempster") -> Evidence:
        """Tell what the rules say about each class, and what they leave undecided.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data.
        combination : {"dempster", "yager", "dubois-prade", "cautious", "average"}
            How the evidence of several rules is combined (see `fuzzyucs.combination`), however
            `predict` decides.

        Returns
        -------
        Evidence
            Belief masses, ignorance and its reasons. If no rule matches, ignorance is 1. With
            ``support="auto"``, novelty takes back a part of what the rules say; neither `predict`
            nor `predict_proba` changes by that.
        """
        X = self._checked(X)
        if combination not in RULES:
            raise ValueError(f"combination must be one of {list(RULES)}, got {combination!r}")
        positions = self.rules_.variables.positions(X)
        if combination == "dempster":
            evidence = self._beliefs(positions)
            if evidence.posterior is None:
                evidence = replace(evidence, posterior=self._probabilities(positions))
        else:
            evidence = self._combined(positions, combination)
        if self.support is None:
            return evidence
        if not hasattr(self, "support_"):
            raise ValueError("support='auto' needs what only a fit with support='auto' learns")
        return evidence.discount(self.support_.novelty(X))

    def predict_set(self, X: Any) -> NDArray[np.bool_]:
        """Tell which classes cannot be ruled out.

        A class is ruled out if another is believed more than it is plausible.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data.

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
        self._check_fitted()
        X = self._one_row(X)
        record = self._checked(X)
        if len(record) != 1:
            raise ValueError(f"explain takes one record, got {len(record)}")
        positions = self.rules_.variables.positions(record)
        entries, unit = self._ledger(record, positions)
        label = self.predict(X)[0]
        return Explanation(
            self.classes_,
            {
                name: self.columns_.label(feature, value)
                for feature, (name, value) in enumerate(
                    zip(self.rules_.variables.feature_names, record[0].tolist(), strict=True)
                )
            },
            entries,
            unit,
            self.predict_proba(X)[0],
            self.predict_evidence(X),
            int(np.flatnonzero(self.classes_ == label)[0]),
            self.support_.reasons(record[0]) if self.support is not None else [],
            self._flips(record[0]),
        )

    def _flips(self, record: NDArray[np.float64]) -> list[Flip]:
        """Find the smallest changes that would change the prediction."""
        rules = self._deciding_rules()
        # A value that no rule asks for may still tell something about missing ones.
        may_matter = rules.asks.any(axis=0) | np.isnan(record).any()
        variables = rules.variables
        return find_flips(
            variables,
            record,
            np.flatnonzero(may_matter),
            lambda rows: self._decide(variables.positions(rows)),
        )

    def report(
        self,
        X: Any,
        y: Any,
        path: str | PathLike[str],
        *,
        title: str | None = None,
        description: str | None = None,
    ) -> Path:
        """Write a page about the model that needs nothing but a browser.

        It holds a model card, accuracy and uncertainty on the data given, the rules, the linguistic
        variables, and a form to try what the model says of any record.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data to measure the model on, best such that it has not seen.
        y : array-like of shape (n_samples,)
            Their class labels.
        path : path
            The file to write, ``report.html`` for example. It is replaced if it exists.
        title : str, optional
            Title of the page; by default the class of the estimator.
        description : str, optional
            What the model is for, who made it, what it must not be used for.

        Returns
        -------
        Path
            The file.
        """
        from fuzzyucs.report import write_report

        return write_report(self, X, y, path, title=title, description=description)

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
        from fuzzyucs.deployment.model_file.save_load import save

        return save(self, path)

    def with_rules(self, rules: RuleSet) -> Self:
        """Return a copy that decides by other rules, such as edited ones.

        Parameters
        ----------
        rules : RuleSet
            Rules of the same kind, for the same features and classes. They take the place of
            `rules_`, or of `weighted_rules_` where those decide.

        Returns
        -------
        RuleClassifier
            A fitted copy. Where rules evolve, its `partial_fit` goes on with them, and finds
            weighted rules anew; an `EvidentialRuleClassifier` needs a new `fit`.
        """
        self._check_fitted()
        present = self._deciding_rules()
        _check_replacement(rules, present)
        model = copy.copy(self)
        is_weighted = not isinstance(self.rules_, type(present))
        setattr(model, "weighted_rules_" if is_weighted else "rules_", rules)
        return model

    def _one_row(self, X: Any) -> Any:
        """Turn a record, whatever it comes in, into a table with one row."""
        if isinstance(X, Mapping):
            names = _check_feature_names_in(self)
            absent = [name for name in names if name not in X]
            if absent:
                raise ValueError(f"the record lacks the features {absent[:10]}")
            values = [[X[name] for name in names]]
            has_names = hasattr(self, "feature_names_in_")
            return import_pandas().DataFrame(values, columns=names) if has_names else values
        if hasattr(X, "columns") or np.ndim(X) != 1:
            return X
        if hasattr(X, "to_frame") and hasattr(X, "index"):  # a row of a pandas frame
            return X.to_frame().T
        return np.reshape(np.asarray(X), (1, -1))

    def _ledger(
        self, record: NDArray[np.float64], positions: NDArray[np.float64]
    ) -> tuple[list[Entry], str]:
        """Return what rules said, and in which unit."""
        return self._evidence_ledger(self._deciding_rules(), record, positions), "log-odds"

    def _evidence_ledger(
        self,
        rules: RuleSet,
        record: NDArray[np.float64],
        positions: NDArray[np.float64],
        prior: NDArray[np.float64] | None = None,
    ) -> list[Entry]:
        """Return what each rule adds to the logarithm of each class's commonality."""
        full = rules.without_beliefs().freeze().membership(positions)[0]
        missing = np.isnan(positions[0])
        if isinstance(rules.variables, LinguisticPartition):
            believed = rules.variables.is_believed
            missing &= False if believed is None else believed
        else:
            missing[:] = False
        doubtful = (rules.asks & missing).any(axis=1) & (full > 0)
        amounts = rules.amounts(full)
        left = rules.left_undecided(full)
        entries = self._entries(rules, amounts, full * ~doubtful, record, positions, left)
        if doubtful.any():
            # Rules that ask for missing values speak together, so the rest is theirs.
            logs = rules.freeze().log_commonalities(positions, prior)[0, :-1]
            known = amounts[(full > 0) & ~doubtful].sum(axis=0)
            with np.errstate(invalid="ignore"):
                rest = np.where(np.isneginf(known), 0.0, logs - known)
            text = f"{doubtful.sum()} rules that ask for missing values"
            known_left = left[(full > 0) & ~doubtful].sum()
            together = rules.freeze().log_commonalities(positions)[0, -1]
            rest_left = 0.0 if np.isneginf(known_left) else float(together - known_left)
            entries.append(Entry(text, rest, undecided=rest_left))
        return entries

    def _entries(
        self,
        rules: RuleSet,
        amounts: NDArray[np.float64],
        degrees: NDArray[np.float64],
        record: NDArray[np.float64],
        positions: NDArray[np.float64],
        undecided: NDArray[np.float64] | None = None,
    ) -> list[Entry]:
        """Return an entry for each rule that matches."""
        places = np.arange(len(rules))
        if not isinstance(rules, WeightedRuleSet):
            places = np.flatnonzero(self.rules_.experience > self._least_experience())
        return [
            Entry(
                rules.observe(rule, record[0], positions[0]),
                amounts[rule],
                int(places[rule]),
                float(degrees[rule]),
                rules.conclusion(rule),
                None if undecided is None else float(undecided[rule]),
            )
            for rule in np.flatnonzero(degrees > 0).tolist()
        ]

    def _scheme_name(self) -> str:
        """Return how rules that match reach a decision: "ds", "vote" or "swin"."""
        return "ds"

    def _least_experience(self) -> float:
        """Rules with this experience or less take no part in decisions."""
        return -1.0

    @abstractmethod
    def _decide(self, positions: NDArray[np.float64]) -> NDArray[Any]:
        """Return class labels."""

    @abstractmethod
    def _probabilities(self, positions: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probabilities of the classes."""

    @abstractmethod
    def _beliefs(self, positions: NDArray[np.float64]) -> Evidence:
        """Combine the rules as `predict` does."""

    def _combined(self, positions: NDArray[np.float64], combination: str) -> Evidence:
        """Combine the rules in another way."""
        rules = self._deciding_rules()
        believed, full = rules.freeze(), rules.without_beliefs().freeze()
        step = max(1, MOST_MASSES // max(1, len(rules) * len(self.classes_)))
        parts = []
        for first in range(0, len(positions), step):
            rows = positions[first : first + step]
            degrees = full.membership(rows)
            # Evidence that hangs on a missing value is discounted: it may not be there.
            belief = believed.membership(rows) / np.where(degrees > 0, degrees, 1.0)
            sources = rules.sources(degrees) * belief[:, :, np.newaxis]
            count = rules.source_count * (degrees > 0)
            parts.append(combine(sources, rule=combination, count=count, classes=self.classes_))
        evidence = Evidence.join(parts)
        return replace(evidence, posterior=rules.posterior(evidence.plausibility))

    @property
    def deciding_rules(self) -> RuleSet:
        """The rules that take part in decisions."""
        self._check_fitted()
        return self._deciding_rules()

    def _deciding_rules(self) -> RuleSet:
        """Return the rules that take part in decisions."""
        return self.rules_

    def _find_support(self, X: NDArray[np.float64]) -> None:
        """Learn what the training data look like, if that is wanted."""
        self.__dict__.pop("support_", None)
        if self.support is not None:
            nominal = "auto" if self.nominal_features is None else self.nominal_features
            names = _check_feature_names_in(self)
            self.support_ = Support.fit(X, names, nominal, self.columns_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _validate(self, X: Any, y: Any, *, reset: bool) -> tuple[NDArray[np.float64], NDArray[Any]]:
        if reset:
            self.columns_ = Columns.of(X)
        X, y = validate_data(
            self,
            self._numbers(X, reset=reset),
            y,
            reset=reset,
            dtype=np.float64,
            order="C",
            ensure_all_finite="allow-nan",
        )
        check_classification_targets(y)
        return X, y

    def _numbers(self, X: Any, *, reset: bool) -> Any:
        """Turn the categories of a data frame into numbers."""
        refuse_dates(X)
        if not reset and hasattr(X, "columns"):
            # Names first: columns in another order would seem to hold other things.
            validate_data(self, X, reset=False, skip_check_array=True)
        return self.columns_.numbers(X)

    def _check_classes(self, classes: NDArray[Any]) -> NDArray[Any]:
        if len(classes) < 2:
            raise ValueError(
                f"{type(self).__name__} needs at least 2 classes, got only one class: "
                f"{classes.tolist()}"
            )
        if len(classes) > self._max_classes:
            raise ValueError(
                f"{type(self).__name__} handles at most {self._max_classes:,} classes, got "
                f"{len(classes):,}; is the target an identifier or a quantity?"
            )
        return classes

    def _numbered(self, y: NDArray[Any]) -> NDArray[np.uint32]:
        """Return the numbers of class labels that have to be known."""
        unknown = np.setdiff1d(y, self.classes_)
        if unknown.size:
            raise ValueError(
                f"y contains labels that are not in classes: {unknown.tolist()[:10]}; "
                f"known classes are {self.classes_.tolist()[:10]}"
            )
        return np.searchsorted(self.classes_, y).astype(np.uint32)

    def _check_fitted(self) -> None:
        check_is_fitted(self, "rules_")

    def _positions(self, X: Any) -> NDArray[np.float64]:
        X = self._checked(X)
        return self.rules_.variables.positions(X)

    def _checked(self, X: Any) -> NDArray[np.float64]:
        self._check_fitted()
        validate_parameter_constraints(
            {name: self._parameter_constraints[name] for name in self._changeable},
            {name: getattr(self, name) for name in self._changeable},
            caller_name=type(self).__name__,
        )
        checked: NDArray[np.float64] = validate_data(
            self,
            self._numbers(X, reset=False),
            reset=False,
            dtype=np.float64,
            order="C",
            ensure_all_finite="allow-nan",
        )
        return checked


def weighted_ledger(
    clf: RuleClassifier,
    rules: WeightedRuleSet,
    record: NDArray[np.float64],
    positions: NDArray[np.float64],
) -> list[Entry]:
    """Return what weighted rules said, and the prior."""
    entries = clf._evidence_ledger(rules, record, positions, rules.shares)
    return [*entries, Entry("before any evidence", rules.prior, undecided=0.0)]


def _check_replacement(rules: Any, present: RuleSet) -> None:
    """Refuse rules that cannot take the place of others."""
    kind = type(present)
    if not isinstance(rules, kind):
        raise TypeError(f"rules must be of type {kind.__name__}, got {type(rules).__name__}")
    if not np.array_equal(rules.classes, present.classes):
        raise ValueError(
            f"rules must have the classes {present.classes.tolist()[:10]}, "
            f"got {rules.classes.tolist()[:10]}"
        )
    known, given = (
        [variables.feature_as_dict(i) for i in range(variables.n_features)]
        for variables in (present.variables, rules.variables)
    )
    if type(rules.variables) is not type(present.variables) or known != given:
        raise ValueError(
            "rules must be about the features of this classifier, with the same ranges and terms; "
            f"got rules about {list(rules.variables.feature_names[:10])}"
        )


def draw_seed(random_state: Any) -> int:
    """Draw a 64-bit seed: None takes entropy from the system, not from NumPy's global state."""
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**64, dtype=np.uint64))
    if isinstance(random_state, Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**64, dtype=np.uint64))


@contextmanager
def all_or_nothing(estimator: BaseEstimator) -> Iterator[None]:
    """Undo all changes to an estimator if the block fails or is interrupted."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise
