"""A fitted model as an ONNX graph."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.metadata import version
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs._util.files import replacing
from fuzzyucs.deployment.description import to_numpy
from fuzzyucs.deployment.numpy_model import NumpyModel
from fuzzyucs.deployment.onnx.graph import Graph, Value
from fuzzyucs.deployment.onnx.matches import Matches
from fuzzyucs.deployment.onnx.novelty import Novelty
from fuzzyucs.deployment.onnx.profiles import profiled_outputs
from fuzzyucs.deployment.onnx.schemes import answer

if TYPE_CHECKING:
    from fuzzyucs.estimators.base import RuleClassifier

__all__ = ["to_onnx"]

GREATEST_LABEL = 2**63 - 1
LEAST_SIZE = 1e-37  # of the greatest number of a column; smaller ones vanish in single precision
OPSET = 17
IR_VERSION = 8


def to_onnx(clf: RuleClassifier, path: str | PathLike[str] | None = None) -> Any:
    """Write a fitted classifier as a graph of standard ONNX operators.

    Parameters
    ----------
    clf : RuleClassifier
        A fitted classifier of any kind.
    path : path, optional
        A file to write the model to, ``model.onnx`` for example. It is replaced if it exists.

    Returns
    -------
    onnx.ModelProto
        The input ``X`` takes doubles of shape (n_samples, n_features), NaN where a value is
        missing. The outputs are ``label`` (integers if the classes are numbers, else strings),
        ``probabilities``, ``mass`` and ``ignorance`` as in `predict_evidence`, and ``novelty`` if
        the classifier assesses it; if it has base rates, ``contradiction``, ``verdict`` and
        ``reason`` besides. Metadata hold ``feature_names``, ``classes``, ``categories``,
        ``times``, ``base_rates`` and ``form`` as JSON; a category is given by its index among those
        of its feature, a date by seconds since the beginning of 1970 (of UTC, if ``times`` has a
        ``zone`` for it) and a duration by seconds. Probabilities are ``mass + base_rates *
        ignorance`` where there are base rates.

    Notes
    -----
    Ties are not broken at random: of classes that tie, the first wins; of single winners that tie,
    the one with the greatest numerosity. All rows are held at once, with several numbers for each
    rule, so large tables are better fed in batches of some thousand rows.

    Examples
    --------
    >>> import onnxruntime
    >>> from sklearn.datasets import load_iris
    >>> from fuzzyucs import EvidentialRuleClassifier
    >>> from fuzzyucs.deployment.onnx import to_onnx
    >>> iris = load_iris()
    >>> X, y = iris.data, iris.target_names[iris.target]
    >>> clf = EvidentialRuleClassifier(random_state=0).fit(X, y)
    >>> session = onnxruntime.InferenceSession(to_onnx(clf).SerializeToString())
    >>> label, probabilities = session.run(["label", "probabilities"], {"X": X})
    >>> bool((label == clf.predict(X)).all())
    True
    >>> bool(abs(probabilities - clf.predict_proba(X)).max() < 1e-9)
    True
    """
    onnx = _import_onnx()
    model = to_numpy(clf)
    _check_ranges(model)
    graph = Graph(onnx)
    outputs = _outputs(graph, model)
    proto = _model(graph, model, outputs)
    onnx.checker.check_model(proto, full_check=True)
    if path is not None:
        with replacing(Path(path)) as file:
            file.write(proto.SerializeToString())
    return proto


def _check_ranges(model: NumpyModel) -> None:
    """Refuse columns of tiny numbers: onnxruntime takes them for 0 when it simplifies a graph."""
    for feature in [*model.features, *model.variables]:
        numbers = [feature.get("minimum"), feature.get("maximum")]
        numbers += [*feature.get("peaks", ()), *feature.get("ends", ())]
        size = max((abs(number) for number in numbers if number is not None), default=0.0)
        if 0 < size < LEAST_SIZE:
            raise ValueError(
                f"column {feature['name']!r} has numbers up to {size:.3g}, which an ONNX model "
                f"cannot tell from 0; multiply them by a constant before fit, so that some are at "
                f"least {LEAST_SIZE:g}"
            )


def _import_onnx() -> Any:
    try:
        import onnx
        import onnx.checker
    except ImportError as error:
        raise ImportError("an ONNX model needs onnx: pip install onnx onnxruntime") from error
    return onnx


def _outputs(graph: Graph, model: NumpyModel) -> dict[str, Value]:
    """Add all nodes; return the outputs by name."""
    values = graph("Transpose", Value(graph, "X"), perm=[1, 0])
    matches = Matches(graph, model, values)
    novelty = None
    if model.support is not None:
        novelty = Novelty(graph, model.support, values).value()
    if model.is_profiled:
        return profiled_outputs(matches, _labels(model), novelty)
    found = answer(matches)
    outputs = {
        "label": graph("Gather", _labels(model), found.label),
        "probabilities": graph("Transpose", found.probabilities, perm=[1, 0]),
        "mass": graph("Transpose", found.mass, perm=[1, 0]),
        "ignorance": graph("Squeeze", found.ignorance, np.array([0])),
    }
    if novelty is not None:
        outputs |= _discounted(graph, outputs, novelty)
    return outputs


def _discounted(graph: Graph, outputs: Mapping[str, Value], novelty: Value) -> dict[str, Value]:
    """Turn a part of the masses into ignorance where records are novel."""
    kept = 1.0 - novelty
    return {
        "mass": outputs["mass"] * graph.expand(kept, 1),
        "ignorance": novelty + kept * outputs["ignorance"],
        "novelty": novelty,
    }


def _model(graph: Graph, model: NumpyModel, outputs: Mapping[str, Value]) -> Any:
    """Make a model of a graph, with names of features, classes and categories as metadata."""
    helper, kinds = graph.onnx.helper, graph.onnx.TensorProto
    infos = []
    for name, value in outputs.items():
        graph.nodes.append(helper.make_node("Identity", [value.name], [name], name))
        kind = kinds.STRING if name in ("verdict", "reason") else kinds.DOUBLE
        if name == "label":
            kind = kinds.STRING if _labels(model).dtype == object else kinds.INT64
        is_wide = name in ("probabilities", "mass")
        infos.append(graph.info(name, kind, ["n", len(model.classes)] if is_wide else ["n"]))
    inputs = [graph.info("X", kinds.DOUBLE, ["n", len(model.features)])]
    proto = helper.make_model(
        helper.make_graph(graph.nodes, "fuzzyucs", inputs, infos, graph.constants),
        producer_name="fuzzyucs",
        producer_version=version("fuzzyucs"),
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
    )
    labels = {f["name"]: f["labels"] for f in model.features if "labels" in f}
    described = {
        "feature_names": model.feature_names,
        "categories": labels,
        "times": {f["name"]: f["time"] for f in model.features if "time" in f},
        "classes": _labels(model).tolist(),
        "base_rates": None if model.base_rates is None else model.base_rates.tolist(),
        "form": model.form,
    }
    helper.set_model_props(proto, {name: json.dumps(value) for name, value in described.items()})
    return proto


def _labels(model: NumpyModel) -> NDArray[Any]:
    """Return class labels in a type that ONNX has; floats among them are whole numbers."""
    if model.classes.dtype.kind in "iubf":
        if model.classes.max() > GREATEST_LABEL:
            raise ValueError(
                f"class labels of an ONNX model must be at most {GREATEST_LABEL}, got "
                f"{model.classes.max()}; fit to labels as text"
            )
        return model.classes.astype(np.int64)
    return np.array([str(label) for label in model.classes], dtype=object)
