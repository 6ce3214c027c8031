"""Members: the models that are fused, by name, and what has to be the same in all of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from fuzzyucs._util.sklearn_compat import feature_names
from fuzzyucs._util.wording import listed
from fuzzyucs.deployment.model_file import load
from fuzzyucs.variables.linguistic import LinguisticPartition
from fuzzyucs.variables.table_form import DateForm, TableForm

__all__ = [
    "Member",
    "check_classes",
    "check_forms",
    "check_names",
    "read_members",
    "reliabilities",
]

LEAST_FORM = 2  # the first with class profiles and base rates


@dataclass(frozen=True)
class Member:
    """A model that is fused with others.

    Attributes
    ----------
    name : str
        What texts call it.
    model : EvidentialRuleClassifier
        The model.
    """

    name: str
    model: Any

    @property
    def rules(self) -> Any:
        """Its rules."""
        return self.model.rules_

    @property
    def table(self) -> LinguisticPartition:
        """The columns of its table."""
        table: LinguisticPartition = self.rules.variables.table_variables
        return table

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the columns."""
        return feature_names(self.model)

    @property
    def has_names(self) -> bool:
        """Whether the training data had names."""
        return hasattr(self.model, "feature_names_in_")

    @property
    def n_rows(self) -> int:
        """Number of rows of the training data."""
        return int(self.rules.class_rows.sum())

    @property
    def form(self) -> TableForm:
        """How the command line read the training table."""
        return getattr(self.model, "table_form_", None) or TableForm()


def read_members(models: Any) -> list[Member]:
    """Read models: fitted classifiers or model files, in a sequence or by name.

    Parameters
    ----------
    models : sequence or mapping
        Classifiers and paths. Without names, files are called by their names without folder and
        ending, and classifiers "model 1", "model 2" and so on.

    Returns
    -------
    list of Member
    """
    if isinstance(models, str | os.PathLike) or hasattr(models, "predict"):
        raise TypeError("models must be a sequence of models or files, or a dict of them by name")
    pairs = list(models.items()) if isinstance(models, Mapping) else _named(list(models))
    if not pairs:
        raise ValueError("models must hold at least one model")
    found: list[Member] = []
    for name, model in pairs:
        text = str(name).strip()
        if not text:
            raise ValueError("models: every model must have a name")
        if text in [member.name for member in found]:
            raise ValueError(
                f"models: two are called {text!r}; give them names: fuse({{'A': ..., 'B': ...}})"
            )
        found.append(Member(text, _checked(text, model)))
    return found


def _named(models: list[Any]) -> list[tuple[str, Any]]:
    """Give models names: those of files, or their numbers."""
    paths = [isinstance(model, str | os.PathLike) for model in models]
    stems = [Path(model).stem if p else "" for model, p in zip(models, paths, strict=True)]
    return [
        (stem if stem and stems.count(stem) == 1 else str(model) if stem else f"model {k}", model)
        for k, (stem, model) in enumerate(zip(stems, models, strict=True), 1)
    ]


def _checked(name: str, model: Any) -> Any:
    """Return a fitted model with class profiles, or refuse what is none."""
    if isinstance(model, str | os.PathLike):
        model = load(model)
    if not hasattr(model, "with_base_rates"):  # others have none
        raise TypeError(
            f"models: {name!r} must be an EvidentialRuleClassifier or its file, got "
            f"{type(model).__name__}"
        )
    check_is_fitted(model, "rules_")
    if model.form_ < LEAST_FORM:
        raise ValueError(
            f"models: {name!r} has the older form, which has no base rates; fit it anew"
        )
    if model.rules_.is_expert.any():
        raise ValueError(
            f"models: {name!r} has experts' rules, which cannot be fused; fit it without them, or "
            "drop them"
        )
    return model


def check_classes(members: list[Member]) -> NDArray[Any]:
    """Return the classes, which have to be the same in all models."""
    first = members[0]
    classes: NDArray[Any] = first.model.classes_
    for member in members[1:]:
        if member.model.classes_.tolist() != classes.tolist():
            raise ValueError(
                "models must have the same classes: "
                f"{first.name!r} has {classes.tolist()[:10]} and {member.name!r} has "
                f"{member.model.classes_.tolist()[:10]}. Where no row of a class was at hand, name "
                "all of them: partial_fit(X, y, classes=...)"
            )
    return classes


def check_forms(members: list[Member]) -> TableForm:
    """Return how tables are read, in which models must not contradict each other."""
    units: dict[str, str] = _agreed(members, lambda form: form.units, "is in")
    dates: dict[str, DateForm] = _agreed(members, lambda form: form.dates, "has dates as")
    markers = dict.fromkeys(marker for member in members for marker in member.form.markers)
    return TableForm(tuple(markers), units, dates)


def _agreed(
    members: list[Member], part: Callable[[TableForm], Mapping[str, Any]], verb: str
) -> dict[str, Any]:
    """Join what models know of columns, and refuse what differs."""
    found: dict[str, tuple[str, Any]] = {}
    for member in members:
        for column, known in part(member.form).items():
            name, before = found.setdefault(column, (member.name, known))
            if before != known:
                raise ValueError(
                    f"models must have the same units: {column!r} {verb} {_shown(before)} in "
                    f"{name!r} and {_shown(known)} in {member.name!r}; fit one of them to "
                    "converted values"
                )
    return {column: known for column, (_, known) in found.items()}


def _shown(known: Any) -> str:
    if isinstance(known, DateForm):
        return f"{known.style}, days from {known.origin},"
    return repr(known)


def check_names(members: list[Member]) -> None:
    """Refuse models that name their columns beside others that number them."""
    unnamed = [member.name for member in members if not member.has_names]
    if unnamed and len(unnamed) < len(members):
        raise ValueError(
            f"models: {listed(list(map(repr, unnamed)))} learned from arrays without names of "
            "columns, the others from data frames; fit all of them to frames"
        )
    widths = {member.model.n_features_in_ for member in members}
    if unnamed and len(widths) > 1:
        raise ValueError(
            f"models without names of columns must have equally many, got {sorted(widths)}; fit "
            "them to data frames"
        )


def reliabilities(given: Any, members: list[Member]) -> NDArray[np.float64]:
    """Return how far each model is relied on; by default fully."""
    names = [member.name for member in members]
    if given is None:
        return np.ones(len(members))
    if isinstance(given, Mapping):
        unknown = [name for name in given if name not in names]
        if unknown:
            raise ValueError(f"reliability: there is no model {unknown[0]!r} among {names[:10]}")
        given = [given.get(name, 1.0) for name in names]
    try:
        found = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"reliability must hold numbers, got {given!r}") from None
    if found.shape != (len(members),):
        raise ValueError(
            f"reliability must have a number for each of the {len(members)} models, got shape "
            f"{found.shape}"
        )
    if not (np.isfinite(found).all() and (found >= 0).all()):
        raise ValueError(f"reliability must hold numbers from 0 on, got {found.tolist()}")
    if not (found > 0).any():
        raise ValueError("reliability must be above 0 for at least one model")
    return found
