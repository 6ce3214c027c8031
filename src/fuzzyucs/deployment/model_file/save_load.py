"""Model files: fitted classifiers as JSON, without pickle.

Nothing in a file is run, and nothing in it is believed: whatever the engine takes for granted is
checked when the file is read. The format is described in ``docs/model_file.md``.
"""

from __future__ import annotations

import os
from importlib.metadata import version
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from fuzzyucs._util.files import write_text
from fuzzyucs._util.formats import MODEL_FORMAT as FORMAT
from fuzzyucs.deployment.model_file.classes import read_classes, written_classes
from fuzzyucs.deployment.model_file.kinds import KINDS, Kind
from fuzzyucs.deployment.model_file.parameters import (
    read_parameters,
    refuse_older,
    written_parameters,
)
from fuzzyucs.deployment.model_file.part import Json
from fuzzyucs.deployment.model_file.strict_json import Node, parse, written
from fuzzyucs.estimators.base import RuleClassifier

__all__ = ["VERSION", "load", "save"]

VERSION = 2
MAX_SIZE = 2**29  # bytes
MAX_PARTS = 2**23  # arrays and objects, which need far more memory than their two characters
MAX_FEATURES = 2**24


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
    >>> iris = load_iris()
    >>> X, y = iris.data, iris.target_names[iris.target]
    >>> clf = EvidentialRuleClassifier(random_state=0).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = save(clf, Path(folder) / "model.json")
    ...     same = load(file)
    >>> bool((same.predict_proba(X) == clf.predict_proba(X)).all())
    True
    """
    name = next((name for name, kind in KINDS.items() if type(clf) is kind.estimator), None)
    if name is None:
        raise TypeError(f"a model file holds one of {list(KINDS)}, got {type(clf).__name__}")
    check_is_fitted(clf, "rules_")
    document = _written_model(clf, name)
    try:
        _read_model(document)  # so that what was written can be read
    except ValueError as error:
        raise ValueError(f"this model cannot be saved: {error}") from error
    target = Path(path)
    text = written(document) + "\n"
    try:
        _check_parts(text)
    except ValueError as error:
        raise ValueError(f"this model cannot be saved: {error}") from error
    write_text(target, text)
    return target


def load(path: str | PathLike[str], *, max_size: int = MAX_SIZE) -> RuleClassifier:
    """Read a classifier from a file that `save` wrote.

    The file may come from anywhere: nothing in it is run, and what makes no model is refused.

    Parameters
    ----------
    path : path
        The file.
    max_size : int
        Greatest size of a file in bytes. Reading models needs about five times as much memory.

    Returns
    -------
    FuzzyUCSClassifier, UCSClassifier or EvidentialRuleClassifier
        The same model: it predicts, explains and reports the same, and where rules evolve,
        `partial_fit` goes on as it would have done. As after pickling, an
        `EvidentialRuleClassifier` has no training data to continue with.

    Raises
    ------
    ValueError
        If it is no model file, or a newer one; the message names the file and the location in it.

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
        # Pipes and devices have no size, so what is read from them is measured, too.
        content = b"" if size > max_size else file.read(max_size + 1)
        size = max(size, len(content))
    if size > max_size:
        raise ValueError(f"it must have at most {max_size:,} bytes (max_size), has {size:,}")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"it must be text in UTF-8: {error.reason} at {error.start}") from error
    _check_parts(text)
    return text


def _check_parts(text: str) -> None:
    """Refuse a text that would need very much memory, before it is parsed."""
    n_parts = text.count("[") + text.count("{")
    if n_parts > MAX_PARTS:
        raise ValueError(f"it must have at most {MAX_PARTS:,} arrays and objects, has {n_parts:,}")


def _written_model(clf: RuleClassifier, name: str) -> dict[str, Json]:
    kind = KINDS[name]
    _refuse_unknown_state(clf, kind)
    names = clf.feature_names_in_.tolist() if hasattr(clf, "feature_names_in_") else None
    return {
        "format": FORMAT,
        "version": VERSION,
        "library": version("fuzzyucs"),
        "estimator": name,
        "parameters": written_parameters(clf),
        "classes": written_classes(clf.classes_),
        "n_features": int(clf.n_features_in_),
        **({} if names is None else {"feature_names": names}),
        **kind.write(clf),
    }


def _refuse_unknown_state(clf: RuleClassifier, kind: Kind) -> None:
    """Rather write nothing than a part of what was learned."""
    known = {"classes_", "n_features_in_", "feature_names_in_"}
    known.update(*(part.attributes for part in kind.parts.values()))
    unknown = [name for name in vars(clf) if name.endswith("_") and name not in known]
    if unknown:
        raise ValueError(f"a model file has no key for {', '.join(unknown)}")


def _read_model(document: Json) -> RuleClassifier:
    root = Node(document, "")
    _check_format(root)
    kind = KINDS[Node(document.get("estimator"), "estimator").choice(KINDS)]
    head = ["format", "version", "estimator", "parameters", "classes", "n_features"]
    fields = root.fields(head, ["library", "feature_names", *kind.parts])
    if "library" in fields:
        fields["library"].text()
    clf = read_parameters(fields["parameters"], kind.estimator, kind.older)
    clf.classes_ = read_classes(fields["classes"], clf.max_classes)
    clf.n_features_in_ = fields["n_features"].integer(1, MAX_FEATURES)
    if "feature_names" in fields:
        found = [item.text() for item in fields["feature_names"].items(clf.n_features_in_)]
        clf.feature_names_in_ = np.array(found, dtype=object)
    for key, part in kind.parts.items():
        if key in fields:
            vars(clf).update(part.read(fields[key], clf))
        elif key in kind.required:
            raise ValueError(f"it must have the key {key!r}")
    _check_completeness(clf)
    if getattr(clf, "form_", 1) > 1:
        refuse_older(clf, kind.older)
    model: RuleClassifier = clf
    return model


def _check_format(root: Node) -> None:
    found = root.value if isinstance(root.value, dict) else {}
    if found.get("format") != FORMAT:
        raise ValueError(f'it must be an object with "format": "{FORMAT}"')
    number = found.get("version")
    if type(number) is int and number > VERSION:
        raise ValueError(
            f"it has version {number if number < 2**63 else 'unknown'} of the format, and this "
            f"is fuzzyucs {version('fuzzyucs')}, which knows versions up to {VERSION}; install a "
            "newer fuzzyucs"
        )
    Node(number, "version").integer(1, VERSION)


def _check_completeness(clf: Any) -> None:
    """Refuse a model with parameters that need more than it has."""
    if clf.support is not None and not hasattr(clf, "support_"):
        raise ValueError("parameters.support must be null if there is no support")
    # Rules of experts alone were chosen by no penalty.
    is_stated = getattr(clf.rules_, "is_expert", np.zeros(1, dtype=bool))
    if hasattr(clf, "penalty") and not hasattr(clf, "penalty_") and not is_stated.all():
        raise ValueError("it must have the key 'penalty'")
    # Not every estimator has these parameters.
    is_weighted = getattr(clf, "inference", None) == "weighted"
    if is_weighted and not hasattr(clf, "weighted_rules_"):
        raise ValueError("parameters.inference must not be weighted without weighted_rule_set")
    is_calibrated = getattr(clf, "calibrate", False) and not is_weighted
    if is_calibrated and not hasattr(clf, "tempering_"):
        raise ValueError("parameters.calibrate must be false if there is no tempering")
