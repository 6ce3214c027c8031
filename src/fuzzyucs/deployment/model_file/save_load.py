"""Model files: fitted classifiers as JSON, without pickle.

Nothing in a file is run, and nothing in it is believed: whatever the engine takes for granted is
checked when the file is read. The format is described in ``docs/model_file.md``.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import fuzzyucs
from fuzzyucs._util.files import write_text
from fuzzyucs.deployment.model_file.parts import PARTS
from fuzzyucs.deployment.model_file.strict_json import Node, parse, written
from fuzzyucs.estimators.base import RuleClassifier
from fuzzyucs.estimators.evidential import EvidentialRuleClassifier
from fuzzyucs.estimators.fuzzy_ucs import FuzzyUCSClassifier
from fuzzyucs.estimators.ucs import UCSClassifier

__all__ = ["VERSION", "load", "save"]

FORMAT = "fuzzyucs model"
VERSION = 1
MAX_SIZE = 2**29  # bytes
MAX_FEATURES = 2**24

NUMBERS = [f"{kind}{size}" for kind in ("int", "uint") for size in (8, 16, 32, 64)]
FRACTIONS = ["float16", "float32", "float64"]
LABELS = ["bool", *NUMBERS, *FRACTIONS, "str", "object"]

Json = Any


def save(clf: RuleClassifier, path: str | PathLike[str]) -> Path:
    """Write a fitted classifier to a file.

    Parameters
    ----------
    clf : FuzzyUCSClassifier, UCSClassifier or EvidentialRuleClassifier
        A fitted one. Its labels must be numbers, true and false, or strings. A random generator
        given as `random_state` is not saved: it becomes None.
    path : path
        The file, ``model.json`` for example. It is replaced if it exists, but only once the new
        one is complete.

    Returns
    -------
    Path
        The file.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn.datasets import load_iris
    >>> from fuzzyucs import EvidentialRuleClassifier
    >>> from fuzzyucs.deployment.model_file.save_load import load, save
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = EvidentialRuleClassifier(random_state=0).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = save(clf, Path(folder) / "model.json")
    ...     same = load(file)
    >>> bool((same.predict_proba(X) == clf.predict_proba(X)).all())
    True
    """
    kind = next((kind for kind, about in KINDS.items() if type(clf) is about.estimator), None)
    if kind is None:
        raise TypeError(f"a model file holds one of {list(KINDS)}, got {type(clf).__name__}")
    clf._check_fitted()
    document = _written_model(clf, kind)
    try:
        _read_model(document)  # so that what was written can be read
    except ValueError as error:
        raise ValueError(f"this model cannot be saved: {error}") from error
    place = Path(path)
    write_text(place, written(document) + "\n")
    return place


def load(path: str | PathLike[str], *, max_size: int = MAX_SIZE) -> RuleClassifier:
    """Read a classifier from a file that `save` wrote.

    The file may come from anywhere: nothing in it is run, and what makes no model is refused.

    Parameters
    ----------
    path : path
        The file.
    max_size : int
        Greatest size of a file in bytes. Reading needs up to some twenty times as much memory.

    Returns
    -------
    FuzzyUCSClassifier, UCSClassifier or EvidentialRuleClassifier
        The same model: it predicts, explains and reports the same, and where rules evolve,
        `partial_fit` goes on as it would have done. As after pickling, an
        `EvidentialRuleClassifier` has no training data to go on with.

    Raises
    ------
    ValueError
        If it is no model file, or a newer one; the message names the file and the place in it.

    Examples
    --------
    >>> import fuzzyucs
    >>> clf = fuzzyucs.load("model.json")  # doctest: +SKIP
    """
    try:
        return _read_model(parse(_text(path, max_size)))
    except ValueError as error:
        raise ValueError(f"{os.fspath(path)} is no model file that can be read: {error}") from error


def _text(path: str | PathLike[str], max_size: int) -> str:
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        # Pipes and devices have no size, so what comes out of them is looked at, too.
        content = b"" if size > max_size else file.read(max_size + 1)
        size = max(size, len(content))
    if size > max_size:
        raise ValueError(f"it must have at most {max_size:,} bytes (max_size), has {size:,}")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"it must be text in UTF-8: {error.reason} at {error.start}") from error


def _written_model(clf: RuleClassifier, kind: str) -> dict[str, Json]:
    parts = KINDS[kind].parts
    _refuse_unknown_state(clf, parts)
    names = clf.feature_names_in_.tolist() if hasattr(clf, "feature_names_in_") else None
    document: dict[str, Json] = {
        "format": FORMAT,
        "version": VERSION,
        "library": fuzzyucs.__version__,
        "estimator": kind,
        "parameters": _written_parameters(clf),
        "classes": _written_classes(clf.classes_),
        "n_features": int(clf.n_features_in_),
        **({} if names is None else {"feature_names": names}),
    }
    for name in parts:
        if hasattr(clf, PARTS[name].attributes[0]):
            document[name] = PARTS[name].write(clf)
    return document


def _refuse_unknown_state(clf: RuleClassifier, parts: tuple[str, ...]) -> None:
    """Rather write nothing than a part of what was learned."""
    known = {"classes_", "n_features_in_", "feature_names_in_"}
    known.update(*(PARTS[part].attributes for part in parts))
    unknown = [name for name in vars(clf) if name.endswith("_") and name not in known]
    if unknown:
        raise ValueError(f"a model file has no place for {', '.join(unknown)}")


def _read_model(document: Json) -> RuleClassifier:
    root = Node(document, "")
    _check_format(root)
    kind = KINDS[Node(document.get("estimator"), "estimator").choice(KINDS)]
    head = ["format", "version", "estimator", "parameters", "classes", "n_features"]
    fields = root.fields(head, ["library", "feature_names", *kind.parts])
    if "library" in fields:
        fields["library"].text()
    clf = _read_parameters(fields["parameters"], kind.estimator)
    clf.classes_ = _read_classes(fields["classes"], clf._max_classes)
    clf.n_features_in_ = fields["n_features"].integer(1, MAX_FEATURES)
    if "feature_names" in fields:
        found = [item.text() for item in fields["feature_names"].items(clf.n_features_in_)]
        clf.feature_names_in_ = np.array(found, dtype=object)
    for part in kind.parts:
        if part in fields:
            vars(clf).update(PARTS[part].read(fields[part], clf))
        elif part in kind.required:
            raise ValueError(f"it must have the key {part!r}")
    _check_completeness(clf)
    model: RuleClassifier = clf
    return model


def _check_format(root: Node) -> None:
    found = root.value if isinstance(root.value, dict) else {}
    if found.get("format") != FORMAT:
        raise ValueError(f'it must be an object with "format": "{FORMAT}"')
    version = found.get("version")
    if type(version) is int and version > VERSION:
        raise ValueError(
            f"it has version {version if version < 2**63 else 'unknown'} of the format, and this "
            f"is fuzzyucs {fuzzyucs.__version__}, which knows versions up to {VERSION}; install a "
            "newer fuzzyucs"
        )
    Node(version, "version").integer(1, VERSION)


def _check_completeness(clf: Any) -> None:
    """Refuse a model with parameters that need more than it has."""
    if clf.support is not None and not hasattr(clf, "support_"):
        raise ValueError("parameters.support must be null if there is no support")
    if not isinstance(clf, FuzzyUCSClassifier):
        return
    is_weighted = clf.inference == "weighted"
    if is_weighted and not hasattr(clf, "weighted_rules_"):
        raise ValueError("parameters.inference must not be weighted without weighted_rule_set")
    if clf.calibrate and not is_weighted and not hasattr(clf, "tempering_"):
        raise ValueError("parameters.calibrate must be false if there is no tempering")


# Parameters


def _written_parameters(clf: RuleClassifier) -> dict[str, Json]:
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
    if isinstance(value, list | tuple):
        return [_written_value(part, name) for part in value]
    raise ValueError(
        f"a model file holds parameters that are numbers, strings, sequences or mappings of them; "
        f"{name} is of type {type(value).__name__}"
    )


def _read_parameters(node: Node, estimator: type[RuleClassifier]) -> Any:
    fields = node.fields((), estimator._get_param_names())
    clf: Any = estimator(**{name: _read_value(value) for name, value in fields.items()})
    try:
        clf._validate_params()
    except ValueError as error:
        raise ValueError(f"parameters are not valid: {error}") from error
    return clf


def _read_value(node: Node, depth: int = 3) -> Any:
    """Read numbers, strings, and what is made of them."""
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


# Classes


def _written_classes(classes: NDArray[Any]) -> Json:
    name = "str" if classes.dtype.kind == "U" else classes.dtype.name
    if name not in LABELS:
        raise ValueError(
            f"a model file holds labels that are numbers, true and false, or strings; these are "
            f"of type {classes.dtype}"
        )
    return {"dtype": name, "labels": classes.tolist()}


def _read_classes(node: Node, most: int) -> NDArray[Any]:
    fields = node.fields(["dtype", "labels"])
    name = fields["dtype"].choice(LABELS)
    items = fields["labels"].items(range(2, most + 1))
    labels = [_read_label(item, name) for item in items]
    # NumPy cuts off what some strings end with, and half of a double may not be enough.
    with np.errstate(over="ignore"):
        classes = np.array(labels, dtype=name)
    if classes.tolist() != labels:
        fields["labels"].refuse(f"an array of labels that fit into {name}")
    if not all(a < b for a, b in pairwise(labels)):
        fields["labels"].refuse("an array of different labels in ascending order")
    return classes


def _read_label(node: Node, name: str) -> Any:
    if name in ("str", "object"):
        return node.text()
    if name == "bool":
        return node.flag()
    if name in NUMBERS:
        limits = np.iinfo(name)
        return node.integer(int(limits.min), int(limits.max))
    return node.number()


@dataclass(frozen=True)
class Kind:
    """An estimator that a file can hold, and what it is made of."""

    estimator: type[RuleClassifier]
    required: tuple[str, ...]
    optional: tuple[str, ...]

    @property
    def parts(self) -> tuple[str, ...]:
        """All parts, in the order of reading."""
        return self.required + self.optional


KINDS = {
    "FuzzyUCSClassifier": Kind(
        FuzzyUCSClassifier,
        required=("columns", "rule_set", "learner"),
        optional=("weighted_rule_set", "tempering", "support"),
    ),
    "UCSClassifier": Kind(
        UCSClassifier, required=("columns", "rule_set", "learner"), optional=("support",)
    ),
    "EvidentialRuleClassifier": Kind(
        EvidentialRuleClassifier,
        required=("columns", "rule_set", "penalty"),
        optional=("support",),
    ),
}
