"""Parameters of estimators in a model file."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from fuzzyucs._util.sklearn_compat import parameter_names, validate_parameters
from fuzzyucs.deployment.model_file.part import Json
from fuzzyucs.deployment.model_file.strict_json import Node
from fuzzyucs.estimators.base import RuleClassifier

__all__ = ["read_parameters", "refuse_older", "written_parameters"]


def written_parameters(clf: RuleClassifier) -> dict[str, Json]:
    """Return the parameters of an estimator as JSON has them."""
    parameters = clf.get_params(deep=False)
    if isinstance(parameters["random_state"], np.random.Generator | np.random.RandomState):
        warnings.warn(
            "random_state is a random generator, which a model file does not hold: it is saved as "
            "None",
            stacklevel=5,
        )
        parameters["random_state"] = None
    return {name: _written_value(value, name) for name, value in parameters.items()}


def _written_value(value: Any, name: str) -> Json:
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        pairs = [[_written_value(part, name) for part in pair] for pair in value.items()]
        return {"mapping": pairs}
    if hasattr(value, "__array__"):  # a column of a data frame
        return _written_value(np.asarray(value), name)
    if isinstance(value, set | frozenset):
        value = sorted(value, key=str)  # as a list, which means the same
    if isinstance(value, list | tuple):
        return [_written_value(part, name) for part in value]
    raise ValueError(
        f"a model file holds parameters that are numbers, strings, sequences or mappings of them; "
        f"{name} is of type {type(value).__name__}"
    )


def read_parameters(
    node: Node, estimator: type[RuleClassifier], older: Mapping[str, tuple[Any, ...]]
) -> Any:
    """Return an estimator that is not fitted yet, with valid parameters, or with older values."""
    fields = node.fields((), parameter_names(estimator))
    values = {name: _read_value(value) for name, value in fields.items()}
    present = {k: v for k, v in values.items() if not _is_older(v, older.get(k, ()))}
    try:
        validate_parameters(estimator(**present))
    except ValueError as error:
        raise ValueError(f"parameters are not valid: {error}") from error
    return estimator(**values)


def refuse_older(clf: Any, older: Mapping[str, tuple[Any, ...]]) -> None:
    """Refuse values of parameters that only models of the first form may have."""
    for name, values in older.items():
        value = getattr(clf, name)
        if _is_older(value, values):
            raise ValueError(f"parameters.{name} must not be {value!r} in a model of this form")


def _is_older(value: Any, older: tuple[Any, ...]) -> bool:
    return isinstance(value, str) and value in older


def _read_value(node: Node, depth: int = 3) -> Any:
    """Read numbers, strings, sequences and mappings."""
    if node.value is None:
        return None
    if not isinstance(node.value, list | dict) or depth == 0:
        return node.scalar()
    if isinstance(node.value, list):
        return [_read_value(item, depth - 1) for item in node.items()]
    pairs = [tuple(pair.items(2)) for pair in node.fields(["mapping"])["mapping"].items()]
    found = {key.scalar(): _read_value(value, depth - 1) for key, value in pairs}
    if len(found) < len(pairs):
        raise ValueError(f"{node.path} has a key twice")
    return found
