"""A fitted model as an ONNX graph, for runtimes without Python."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.metadata import version
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.deployment.numpy_model import (
    TINY,
    Forest,
    NumpyModel,
    Rules,
    Support,
    entropy,
    softmax,
)
from fuzzyucs.estimators.base import RuleClassifier

__all__ = ["to_onnx"]

OPSET = 17
IR_VERSION = 8
# What is impossible has the logarithm minus infinity, of which 0 times is no number. What is
# possible does not come near these.
IMPOSSIBLE = -1e30
POSSIBLE = -1e20

Array = NDArray[np.float64]
Features = Sequence[Mapping[str, Any]]


def to_onnx(clf: RuleClassifier, path: str | PathLike[str] | None = None) -> Any:
    """Write a fitted classifier as a graph of standard ONNX operators.

    Parameters
    ----------
    clf : RuleClassifier
        A fitted one, of any kind.
    path : path, optional
        A file to write the model to, ``model.onnx`` for example. It is replaced if it exists.

    Returns
    -------
    onnx.ModelProto
        The input ``X`` takes doubles of shape (n_samples, n_features), NaN where a value is
        missing. The outputs are ``label`` (integers if the classes are numbers, else strings),
        ``probabilities``, ``mass`` and ``ignorance`` as in `predict_evidence`, and ``novelty`` if
        the classifier looks at it. Metadata hold ``feature_names``, ``classes`` and ``categories``
        as JSON; a category is given by its place among those of its feature.

    Notes
    -----
    Nothing is drawn: of classes that tie, the first wins; of single winners that tie, the one with
    the greatest numerosity. All rows are held at once, with several numbers for each rule, so large
    tables are better fed in batches of some thousand rows.

    Examples
    --------
    >>> import onnxruntime
    >>> from sklearn.datasets import load_iris
    >>> from fuzzyucs import EvidentialRuleClassifier
    >>> from fuzzyucs.deployment.onnx import to_onnx
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = EvidentialRuleClassifier(random_state=0).fit(X, y)
    >>> session = onnxruntime.InferenceSession(to_onnx(clf).SerializeToString())
    >>> label, probabilities = session.run(["label", "probabilities"], {"X": X})
    >>> bool((label == clf.predict(X)).all())
    True
    >>> bool(abs(probabilities - clf.predict_proba(X)).max() < 1e-9)
    True
    """
    onnx = _import_onnx()
    if not isinstance(clf, RuleClassifier):
        raise TypeError(f"clf must be a classifier of fuzzyucs, got {type(clf).__name__}")
    model = NumpyModel.from_estimator(clf)
    graph = _Graph(onnx)
    values = graph("Transpose", _Value(graph, "X"), perm=[1, 0])
    outputs = _Prediction(graph, model, values).outputs()
    if model.support is not None:
        outputs |= _discounted(graph, outputs, _Novelty(graph, model.support, values).value())
    proto = _model(graph, model, outputs)
    onnx.checker.check_model(proto, full_check=True)
    if path is not None:
        Path(path).write_bytes(proto.SerializeToString())
    return proto


def _import_onnx() -> Any:
    try:
        import onnx
        import onnx.checker
    except ImportError as error:
        raise ImportError("an ONNX model needs onnx: pip install 'fuzzyucs[onnx]'") from error
    return onnx


class _Value:
    """What a node of the graph gives. Operators add nodes, so that formulas read like NumPy."""

    __array_ufunc__ = None  # so that array - value asks the value

    def __init__(self, graph: _Graph, name: str) -> None:
        self.graph, self.name = graph, name

    def __add__(self, other: Any) -> _Value:
        return self.graph("Add", self, other)

    def __sub__(self, other: Any) -> _Value:
        return self.graph("Sub", self, other)

    def __rsub__(self, other: Any) -> _Value:
        return self.graph("Sub", other, self)

    def __mul__(self, other: Any) -> _Value:
        return self.graph("Mul", self, other)

    def __truediv__(self, other: Any) -> _Value:
        return self.graph("Div", self, other)

    def __rmatmul__(self, other: Any) -> _Value:
        return self.graph("MatMul", other, self)

    def __matmul__(self, other: Any) -> _Value:
        return self.graph("MatMul", self, other)

    def __gt__(self, other: Any) -> _Value:
        return self.graph("Greater", self, other)

    def __ge__(self, other: Any) -> _Value:
        return self.graph("GreaterOrEqual", self, other)

    def __or__(self, other: Any) -> _Value:
        return self.graph("Or", self, other)

    def __and__(self, other: Any) -> _Value:
        return self.graph("And", self, other)

    def __invert__(self) -> _Value:
        return self.graph("Not", self)


class _Graph:
    """Nodes and constants, as they are added."""

    def __init__(self, onnx: Any) -> None:
        self.onnx = onnx
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.n_names = 0

    def __call__(self, operator: str, *inputs: Any, **attributes: Any) -> _Value:
        """Add a node with one output."""
        return self._node(operator, inputs, 1, attributes)[0]

    def _node(
        self, operator: str, inputs: Sequence[Any], n_outputs: int, attributes: Mapping[str, Any]
    ) -> list[_Value]:
        names = [self._named(value) for value in inputs]
        outputs = [self._name() for _ in range(n_outputs)]
        # Older runtimes mix up nodes without names.
        node = self.onnx.helper.make_node(operator, names, outputs, outputs[0], **attributes)
        self.nodes.append(node)
        return [_Value(self, name) for name in outputs]

    def _name(self) -> str:
        self.n_names += 1
        return f"v{self.n_names}"

    def _named(self, value: Any) -> str:
        """Return the name of a value, which may be a constant."""
        if isinstance(value, _Value):
            return value.name
        array = np.asarray(value)
        if array.dtype.kind == "f" or isinstance(value, int):
            array = array.astype(float)
        elif array.dtype.kind == "i":
            array = array.astype(np.int64)  # what the platform takes for an integer may be short
        name = self._name()
        # ascontiguousarray would give a scalar a dimension
        array = array.copy(order="C")
        self.constants.append(self.onnx.numpy_helper.from_array(array, name))
        return name

    def when(
        self, condition: _Value, yes: Callable[[], list[_Value]], no: Callable[[], list[_Value]]
    ) -> list[_Value]:
        """Compute one thing or the other, at run time."""
        helper = self.onnx.helper
        branches = []
        for work in (yes, no):
            outside, self.nodes = self.nodes, []
            outputs = [self("Identity", value) for value in work()]
            infos = [self.info(value.name, self.onnx.TensorProto.DOUBLE) for value in outputs]
            branches.append(helper.make_graph(self.nodes, self._name(), [], infos))
            self.nodes = outside
        attributes = {"then_branch": branches[0], "else_branch": branches[1]}
        return self._node("If", [condition], len(outputs), attributes)

    def info(self, name: str, kind: int, shape: Sequence[Any] | None = None) -> Any:
        """Describe an input or an output."""
        return self.onnx.helper.make_tensor_value_info(name, kind, shape)

    def sum(self, x: _Value, axis: int, *, keep: bool = False) -> _Value:
        return self("ReduceSum", x, np.array([axis]), keepdims=int(keep))

    def max(self, x: _Value, axis: int, *, keep: bool = False) -> _Value:
        return self("ReduceMax", x, axes=[axis], keepdims=int(keep))

    def number(self, x: _Value) -> _Value:
        """Turn true into 1, false into 0."""
        return self("Cast", x, to=self.onnx.TensorProto.DOUBLE)

    def take(self, x: _Value, places: Any, axis: int = 0) -> _Value:
        return self("Gather", x, np.asarray(places, dtype=np.int64), axis=axis)

    def where(self, condition: _Value, x: Any, y: Any) -> _Value:
        return self("Where", condition, x, y)

    def clip(self, x: _Value, low: float, high: float) -> _Value:
        return self("Clip", x, low, high)

    def expand(self, x: _Value, axis: int) -> _Value:
        return self("Unsqueeze", x, np.array([axis]))

    def split_last(self, x: _Value) -> tuple[_Value, _Value]:
        """Return all but the last along the first axis, and the last."""
        first, last, end = np.array([0]), np.array([-1]), np.array([np.iinfo(np.int64).max])
        return self("Slice", x, first, last, first), self("Slice", x, last, end, first)

    def log(self, x: _Value) -> _Value:
        return self("Max", self("Log", x), IMPOSSIBLE)

    def product(self, x: _Value, places: NDArray[np.int64], *, keeps_tiny: bool = False) -> _Value:
        """Multiply rows of x: for each column of places, those that stand in it.

        Products that are too small for a double may be kept positive.
        """
        product = self.take(x, places[0])
        for row in places[1:]:
            factor = self.take(x, row)
            least = self("Min", product, factor, TINY) if keeps_tiny else None
            product = product * factor
            product = product if least is None else self("Max", product, least)
        return product


def _model(graph: _Graph, model: NumpyModel, outputs: Mapping[str, _Value]) -> Any:
    """Put a graph together with what people should know about it."""
    helper, kinds = graph.onnx.helper, graph.onnx.TensorProto
    infos = []
    for name, value in outputs.items():
        graph.nodes.append(helper.make_node("Identity", [value.name], [name], name))
        kind = kinds.DOUBLE
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
        "classes": _labels(model).tolist(),
    }
    helper.set_model_props(proto, {name: json.dumps(value) for name, value in described.items()})
    return proto


def _labels(model: NumpyModel) -> NDArray[Any]:
    """Return class labels in a type that ONNX has; floats among them are whole numbers."""
    if model.classes.dtype.kind in "iubf":
        return model.classes.astype(np.int64)
    return np.array([str(label) for label in model.classes], dtype=object)


class _Located:
    """Where values lie on their variables; arrays have a row for each feature."""

    def __init__(self, graph: _Graph, features: Features, values: _Value) -> None:
        self.graph, self.features = graph, features
        self.lacks = graph("IsNaN", values)
        self.values = graph.where(self.lacks, 0.0, values)
        # Halves, because the difference of two doubles may exceed the largest one.
        self.halves = self.values * 0.5
        ways = [("ordered", self._ordered), ("nearest", self._nearest), ("exact", self._exact)]
        places, found, lacks = [], [], []
        for kind, way in ways:
            own = [f for f, feature in enumerate(features) if _way(feature) == kind]
            if own:
                position, is_known = way(own)
                missing = graph.take(self.lacks, own)
                places += own
                found.append(position)
                lacks.append(missing if is_known is None else missing | ~is_known)
        order = np.argsort(places)
        self.position = graph.take(graph("Concat", *found, axis=0), order)
        self.missing = graph.take(graph("Concat", *lacks, axis=0), order)

    def terms(self, n_terms: int) -> _Value:
        """Return how far the terms of each feature are true: features, terms, rows."""
        position = self.graph.expand(self.position, 1)
        peaks = np.arange(n_terms, dtype=float)[:, np.newaxis]
        # In this form, what is barely true does not fall victim to rounding.
        nearer = self.graph("Min", position - (peaks - 1), (peaks + 1) - position)
        return self.graph("Max", self.graph("Min", nearer, 1.0), 0.0)

    def _ordered(self, own: list[int]) -> tuple[_Value, None]:
        """Add up what a value has passed of each segment between two peaks."""
        segments = [_segments(self.features[f]) for f in own]
        low, width, steps, start = (
            _padded([segment[k] for segment in segments], fill)
            for k, fill in enumerate((0.0, 1.0, 0.0, 0.0))
        )
        passed = (self._column(self.halves, own) - low) / width
        steps_passed = self.graph.clip(passed, 0.0, 1.0) * steps
        return self.graph.sum(steps_passed, 1) + start[:, 0], None

    def _nearest(self, own: list[int]) -> tuple[_Value, None]:
        """Count the values of a nominal feature that are nearer than the one below them."""
        peaks = [np.array(self.features[f]["peaks"]) / 2 for f in own]
        below, above = (_padded([p[k] for p in peaks], np.inf) for k in (np.s_[:-1], np.s_[1:]))
        half = self._column(self.halves, own)
        is_nearer = half - below >= above - half
        return self.graph.sum(self.graph.number(is_nearer), 1), None

    def _exact(self, own: list[int]) -> tuple[_Value, _Value]:
        """Find the values of a nominal feature; others count as missing."""
        peaks = _padded([np.array(self.features[f]["peaks"]) for f in own], np.nan)
        graph = self.graph
        equal = graph.number(graph("Equal", self._column(self.values, own), peaks))
        place = equal * np.arange(peaks.shape[1], dtype=float)[:, np.newaxis]
        return graph.sum(place, 1), graph.sum(equal, 1) > 0.0

    def _column(self, x: _Value, own: list[int]) -> _Value:
        return self.graph.expand(self.graph.take(x, own), 1)


def _way(feature: Mapping[str, Any]) -> str:
    if feature["kind"] != "nominal":
        return "ordered"
    return "nearest" if feature["nearest"] else "exact"


def _segments(feature: Mapping[str, Any]) -> tuple[Array, Array, Array, Array]:
    """Return where segments between peaks begin, half their widths, terms passed, and the start."""
    if feature["kind"] == "peaks":
        peaks = np.array(feature["peaks"]) / 2
        return peaks[:-1], np.diff(peaks), np.ones(len(peaks) - 1), np.zeros(1)
    last = feature["n_terms"] - 1.0 if feature["kind"] == "even" else 1.0
    if feature["minimum"] is None or not feature["maximum"] / 2 > feature["minimum"] / 2:
        return np.empty(0), np.empty(0), np.empty(0), np.array([0.5 * last])
    low, high = np.array([feature["minimum"]]) / 2, np.array([feature["maximum"]]) / 2
    return low, high - low, np.array([last]), np.zeros(1)


def _padded(arrays: Sequence[Array], fill: float) -> Array:
    """Stack arrays of unequal lengths: one for each feature, entries, one column."""
    longest = max(1, *(len(array) for array in arrays))
    stacked = np.full((len(arrays), longest, 1), fill)
    for row, array in zip(stacked, arrays, strict=True):
        row[: len(array), 0] = array
    return stacked


class _Conditions:
    """Different conditions on some features, padded to equally many for each feature.

    In each feature the last one asks nothing.
    """

    def __init__(self, rules: Rules, features: Sequence[int], n_terms: int) -> None:
        own = [np.flatnonzero(rules.feature == feature) for feature in features]
        n = 1 + max(len(places) for places in own)
        self.size = len(own) * n
        self.accepted = np.zeros((len(own), n, n_terms))
        self.asks_nothing = np.zeros((len(own), n, 1))
        self.asks_nothing[:, -1] = 1.0
        self.place = np.full(len(rules.conditions) + 1, self.size - 1)
        for k, places in enumerate(own):
            self.accepted[k, : len(places)] = rules.accepted[places, :n_terms]
            self.place[places] = k * n + np.arange(len(places))

    def holding(self, graph: _Graph, terms: _Value, rows: _Value) -> _Value:
        """Return how far conditions hold, one below the other, where terms are true so far."""
        found = graph("Min", self.accepted @ terms + self.asks_nothing, 1.0)
        shape = graph("Concat", np.array([self.size]), rows, axis=0)
        return graph("Reshape", found, shape, allowzero=1)


class _Prediction:
    """What rules say: degrees, then commonalities or votes, then decisions."""

    def __init__(self, graph: _Graph, model: NumpyModel, values: _Value) -> None:
        self.graph, self.model, self.rules = graph, model, model.rules
        self.rows = graph("Shape", values, start=1, end=2)
        self.located = _Located(graph, model.features, values)
        self.degree = self._degrees()
        factors = self.rules.factors[:, :, np.newaxis]
        possible = (1.0 - self.degree) + self.degree * factors
        self.rule_logs = graph.log(possible) * self.rules.strength[:, np.newaxis]

    def _degrees(self) -> _Value:
        graph, rules, located = self.graph, self.rules, self.located
        if rules.are_intervals:
            # An interval over the whole range asks nothing.
            feature = np.append(rules.feature, 0)
            lower, upper = np.vstack([rules.bounds, [0.0, 1.0]]).T[:, :, np.newaxis]
            position = graph.take(located.position, feature)
            inside = (position >= lower) & ~(position > upper)
            holding = graph.number(inside | graph.take(located.missing, feature))
            return graph.product(holding, rules.asked)
        n_terms = rules.accepted.shape[1]
        missing = graph.expand(located.missing, 1)
        self.terms = located.terms(n_terms)
        conditions = _Conditions(rules, range(len(self.model.features)), n_terms)
        true = graph.where(missing, 1.0, self.terms)
        holding = conditions.holding(graph, true, self.rows)
        # The least vote counts where there is no other. Evidence so weak says nothing.
        keeps_tiny = self.model.scheme in ("vote", "swin")
        return graph.product(holding, conditions.place[rules.asked], keeps_tiny=keeps_tiny)

    def outputs(self) -> dict[str, _Value]:
        """Return all that the rules say."""
        graph, model = self.graph, self.model
        logs, with_prior, believed = self._combined()
        mass, ignorance = self._masses(logs)
        n_classes = len(model.classes)
        if model.is_weighted:
            scores = graph.split_last(with_prior)[0] + model.prior[:, np.newaxis]
            probabilities = graph("Softmax", scores, axis=0)
        elif model.scheme == "vote":
            scores, probabilities = self._vote(believed)
        elif model.scheme == "ds":
            scores = graph("Max", graph.split_last(logs)[0], POSSIBLE)
            probabilities = mass + ignorance / n_classes
        if model.scheme == "swin":
            number, probabilities = self._winner(believed)
        else:
            number = graph("ArgMax", scores, axis=0, keepdims=0)
        return {
            "label": graph("Gather", _labels(model), number),
            "probabilities": graph("Transpose", probabilities, perm=[1, 0]),
            "mass": graph("Transpose", mass, perm=[1, 0]),
            "ignorance": graph("Squeeze", ignorance, np.array([0])),
        }

    def _combined(self) -> tuple[_Value, _Value, _Value]:
        """Return logarithms of commonalities, the same with a prior, and degrees as believed."""
        graph, model = self.graph, self.model
        plain = graph.sum(self.rule_logs, 1)
        believed = [
            f
            for f, feature in enumerate(model.features)
            if feature.get("believed") and self.rules.asks[f].any()
        ]
        if model.forest is None or not believed:
            return plain, plain, self.degree
        missing = graph.number(graph.take(self.located.missing, believed))
        is_any = graph("ReduceSum", missing, keepdims=0) > 0.0
        doubts = partial(self._with_doubts, model.forest, believed, missing)
        logs, with_prior, degree = graph.when(is_any, doubts, lambda: [plain, plain, self.degree])
        return logs, with_prior, degree

    def _with_doubts(self, forest: Forest, believed: list[int], missing: _Value) -> list[_Value]:
        return _Doubts(self, forest, believed, missing).combined()

    def _masses(self, logs: _Value) -> tuple[_Value, _Value]:
        graph, model = self.graph, self.model
        logs = logs / model.temperature
        greatest = graph.max(graph.split_last(logs)[0], 0, keep=True)
        is_possible = greatest > POSSIBLE
        commonality = graph("Exp", logs - graph.where(is_possible, greatest, 0.0))
        classes, theta = graph.split_last(commonality)
        theta = graph.where(is_possible, theta, 1.0)
        mass = graph("Max", classes - theta, 0.0)
        whole = graph.sum(mass, 0, keep=True) + theta
        kept = 1 - model.discount
        return mass / whole * kept, theta / whole * kept + model.discount

    def _vote(self, believed: _Value) -> tuple[_Value, _Value]:
        """Return votes, and shares of the positive ones; without any, of the best classes."""
        graph, rules = self.graph, self.rules
        own = np.arange(len(self.model.classes))[:, np.newaxis] == rules.consequent
        votes = np.where(own, rules.fitness * rules.strength, 0.0) @ believed
        positive = graph("Max", votes, 0.0)
        best = graph.number(votes >= graph.max(votes, 0, keep=True))
        shares = graph.where(graph.max(positive, 0, keep=True) > 0.0, positive, best)
        shares = shares / graph.max(shares, 0, keep=True)
        return votes, shares / graph.sum(shares, 0, keep=True)

    def _winner(self, believed: _Value) -> tuple[_Value, _Value]:
        graph, rules = self.graph, self.rules
        strength = believed * rules.fitness[:, np.newaxis]
        matches = self.degree > 0.0
        strength = graph.where(matches, strength, IMPOSSIBLE)
        winner = graph("ArgMax", strength, axis=0, keepdims=1)
        degree = graph("GatherElements", believed, winner, axis=0)
        degree = degree * graph.max(graph.number(matches), 0, keep=True)
        winner = graph("Squeeze", winner, np.array([0]))
        weights = graph("Gather", rules.weights.T.copy(), winner, axis=1)
        probabilities = weights * degree + (1.0 - degree) / len(self.model.classes)
        # Where no rule matches, the first class stands for all.
        number = graph.where(
            graph.max(graph.number(matches), 0) > 0.0,
            graph("Gather", rules.consequent.astype(np.int64), winner),
            np.array(0),
        )
        return number, probabilities


class _Doubts:
    """Rules that ask for missing values, of which the forest believes something.

    Arrays have a row for each feature that may be missing in this sense.
    """

    def __init__(
        self, rules: _Prediction, forest: Forest, believed: list[int], missing: _Value
    ) -> None:
        self.prediction, self.graph, self.rules = rules, rules.graph, rules.rules
        self.forest, self.features, self.missing = forest, believed, missing
        self.n_terms = self.rules.accepted.shape[1]
        self.belief = self._beliefs()
        conditions = _Conditions(self.rules, believed, self.n_terms)
        is_missing = self.graph.expand(missing, 1) > 0.0
        true = self.graph.where(is_missing, self.belief, 1.0)
        self.fitting = conditions.holding(self.graph, true, rules.rows)
        self.asked = conditions.place[self.rules.asked]
        self.nothing = conditions.size - 1

    def _beliefs(self) -> _Value:
        """Return how probable terms are, given known neighbours: features, terms, rows."""
        graph, forest, located = self.graph, self.forest, self.prediction.located
        own = np.full((len(self.features), self.n_terms, 1), IMPOSSIBLE)
        edges, tables = [], []
        for k, feature in enumerate(self.features):
            marginal = forest.marginal[feature]
            own[k, : len(marginal), 0] = np.log(marginal)
            for other, table in forest.neighbours(feature):
                ratio = np.ones((self.n_terms, self.n_terms))
                expected = np.outer(marginal, forest.marginal[other])
                ratio[: len(marginal), : len(table)] = table.T / expected
                edges.append((k, other))
                tables.append(ratio)
        alone = graph.expand(self.missing * 0.0, 1) + own
        if not edges:
            return graph("Softmax", alone, axis=1)
        targets, sources = np.array(edges).T
        likelihood = graph("Log", np.array(tables) @ graph.take(self.prediction.terms, sources))
        unknown = graph.expand(graph.take(located.missing, sources), 1)
        heard = graph.where(unknown, 0.0, likelihood)
        together = (np.arange(len(own))[:, np.newaxis] == targets).astype(float)
        by_term = together @ graph("Transpose", heard, perm=[1, 0, 2])
        return graph("Softmax", alone + graph("Transpose", by_term, perm=[1, 0, 2]), axis=1)

    def combined(self) -> list[_Value]:
        """Return what `_Prediction` combines, with doubts."""
        graph, rules = self.graph, self.rules
        asks = rules.asks[self.features].T.astype(float)
        is_certain = 1.0 - graph("Min", asks @ self.missing, 1.0)
        logs = graph.sum(self.prediction.rule_logs * is_certain, 1)
        model = self.prediction.model
        priors = [None, softmax(model.prior)] if model.is_weighted else [None]
        totals = [logs for _ in priors]
        for place in range(len(self.features)):
            missing = graph.take(self.missing, [place])
            is_any = graph("ReduceSum", missing, keepdims=0) > 0.0
            totals = graph.when(
                is_any,
                partial(self._add, place, missing, totals, priors),
                partial(list, totals),
            )
        believed = self.prediction.degree * graph.product(self.fitting, self.asked)
        return [totals[0], totals[-1], believed]

    def _add(
        self,
        place: int,
        missing: _Value,
        totals: Sequence[_Value],
        priors: Sequence[Array | None],
    ) -> list[_Value]:
        """Add what rules say whose first missing value is a certain one."""
        graph = self.graph
        marginal = self.forest.marginal[self.features[place]]
        belief = graph.take(graph.take(self.belief, place), np.arange(len(marginal)))
        known = graph("Log", graph("Max", belief, TINY))
        vagueness = (belief * known) / -float(entropy(marginal))
        vagueness = graph("Min", graph.sum(vagueness, 0, keep=True), 1.0)
        logs = self._logs_by_term(place, missing, len(marginal))
        found = []
        for total, prior in zip(totals, priors, strict=True):
            mean = graph.sum(self._normalised(logs, prior) * belief, 1)
            if prior is None:
                mean = vagueness + (1.0 - vagueness) * mean
            found.append(total + graph.log(mean) * missing)
        return found

    def _logs_by_term(self, place: int, missing: _Value, n_terms: int) -> _Value:
        graph, rules = self.graph, self.rules
        feature = self.features[place]
        asking = np.flatnonzero(rules.asks[feature])
        speaks = missing
        earlier = rules.asks[self.features[:place]][:, asking].T.astype(float)
        if earlier.any():
            absent = earlier @ graph.take(self.missing, np.arange(place))
            speaks = missing * (1.0 - graph("Min", absent, 1.0))
        logs = graph.take(self.prediction.rule_logs, asking, axis=1)
        asked = rules.asked[:, asking]
        is_own = np.append(rules.feature == feature, False)[asked]
        others = np.where(is_own, self.nothing, self.asked[:, asking])
        others = others[(others != self.nothing).any(axis=1)]
        if len(others):
            fits = graph.product(self.fitting, others)
            doubted = graph.log((1.0 - fits) + fits * graph("Exp", logs))
            logs = graph.where(fits >= 1.0, logs, doubted)
        own = asked[is_own.argmax(axis=0), np.arange(len(asking))]
        accepted = rules.accepted[own, :n_terms].T.astype(float)
        return graph("MatMul", accepted, logs * speaks)

    def _normalised(self, logs: _Value, prior: Array | None) -> _Value:
        """Normalise by Dempster's rule, or by what the prior expects."""
        graph = self.graph
        greatest = graph.max(logs, 0, keep=True)
        is_possible = greatest > POSSIBLE
        commonality = graph("Exp", logs - graph.where(is_possible, greatest, 0.0))
        classes, theta = graph.split_last(commonality)
        if prior is None:
            total = graph.sum(graph("Max", classes - theta, 0.0), 0, keep=True) + theta
        else:
            total = graph.sum(classes * prior[:, np.newaxis, np.newaxis], 0, keep=True)
        return graph.where(is_possible, commonality / graph("Max", total, TINY), 1.0)


class _Novelty:
    """How unlike the training data records are."""

    def __init__(self, graph: _Graph, support: Support, values: _Value) -> None:
        self.graph, self.support = graph, support
        self.located = _Located(graph, support.features, values)

    def value(self) -> _Value:
        """Return the novelty of each row."""
        graph, support = self.graph, self.support
        counted = np.flatnonzero(support.forest.n_terms)
        score = self._excess() * support.outside
        if len(counted):
            known = 1.0 - graph.number(graph.take(self.located.missing, counted))
            n_known = graph("Max", graph.sum(known, 0), 1.0)
            stretch = graph("Sqrt", graph("Div", len(counted), n_known))
            score = graph.sum((self._surprise(counted) * known), 0) * stretch + score
        widths, steps = np.diff(support.scores), np.diff(support.levels)
        passed = (score - support.scores[:-1, np.newaxis]) / np.maximum(widths, TINY)[:, np.newaxis]
        inside = graph.clip(passed, 0.0, 1.0) * steps[:, np.newaxis]
        beyond = graph("Max", score - support.scores[-1], 0.0) / support.tail
        rest = graph("Exp", 0.0 - beyond) * (1 - support.levels[-1] ** support.exponent)
        further = graph("Pow", 1.0 - rest, 1 / support.exponent)
        return graph.where(beyond > 0.0, further, graph.sum(inside, 0) + support.levels[0])

    def _surprise(self, counted: NDArray[np.int64]) -> _Value:
        """Return how much more values surprise than typical ones, given the parent's."""
        graph, forest = self.graph, self.support.forest
        n_terms = max(forest.n_terms)
        ends = np.cumsum(forest.n_terms)[:-1]
        scale = _padded([s for s in np.split(self.support.scale, ends) if len(s)], 0.0)
        marginal = _padded([forest.marginal[f] for f in counted], 0.0)
        true = graph.take(self.located.terms(n_terms), counted) * scale
        plain = graph("Log", graph.sum(true * marginal, 1))
        surprise = 0.0 - plain
        parents = np.array(forest.parent)[counted]
        children = np.flatnonzero(parents >= 0)
        typical = self.support.typical[counted][:, np.newaxis]
        if not len(children):
            return surprise - typical
        tables = np.zeros((len(children), n_terms, n_terms))
        for table, child in zip(tables, children, strict=True):
            pairs = forest.joint[int(counted[child])].T
            table[: pairs.shape[0], : pairs.shape[1]] = pairs
        own = np.searchsorted(counted, parents[children])
        both = graph.sum((tables @ graph.take(true, own)) * graph.take(true, children), 1)
        given = graph.take(plain, own) - graph("Log", both)
        is_alone = graph.take(self.located.missing, parents[children])
        given = graph.where(is_alone, graph.take(surprise, children), given)
        roots = np.flatnonzero(parents < 0)
        found = graph("Concat", graph.take(surprise, roots), given, axis=0)
        return graph.take(found, np.argsort(np.concatenate([roots, children]))) - typical

    def _excess(self) -> _Value:
        """Add up how far values lie outside of what the training data had."""
        graph, support = self.graph, self.support
        halves, width = self.located.halves, support.maximum / 2 - support.minimum / 2
        low, high = support.minimum[:, np.newaxis] / 2, support.maximum[:, np.newaxis] / 2
        is_listed = np.isin(np.arange(len(width)), list(support.values))
        listed, varied, constant = (
            np.flatnonzero(mask)
            for mask in (is_listed, ~is_listed & (width > 0), ~is_listed & (width == 0))
        )
        found = [graph.sum(halves * 0.0, 0, keep=True)]
        if len(varied):
            beyond = self._beyond(varied, low[varied], high[varied])
            found.append(self._clipped(varied, beyond / width[varied, np.newaxis]))
        if len(constant):
            beyond = self._beyond(constant, low[constant], high[constant])
            share = beyond * 2.0 / (np.abs(support.minimum[constant, np.newaxis]) + 1)
            changed = graph("Max", share, support.changed)
            found.append(self._clipped(constant, graph.where(beyond > 0.0, changed, 0.0)))
        if len(listed):
            known = [support.values[feature] / 2 for feature in listed.tolist()]
            step = np.array([[max(np.diff(values).min(), TINY)] for values in known])
            half = graph.expand(graph.take(halves, listed), 1)
            distance = graph("Abs", half - _padded(known, np.inf))
            nearest = graph("ReduceMin", distance, axes=[1], keepdims=0)
            found.append(self._clipped(listed, nearest / step))
        return graph.sum(graph("Concat", *found, axis=0), 0)

    def _beyond(self, own: NDArray[np.int64], low: Array, high: Array) -> _Value:
        half = self.graph.take(self.located.halves, own)
        return self.graph("Max", low - half, half - high)

    def _clipped(self, own: NDArray[np.int64], excess: _Value) -> _Value:
        clipped = self.graph.clip(excess, 0.0, self.support.furthest)
        return self.graph.where(self.graph.take(self.located.lacks, own), 0.0, clipped)


def _discounted(graph: _Graph, outputs: dict[str, _Value], novelty: _Value) -> dict[str, _Value]:
    kept = 1.0 - novelty
    return {
        "mass": outputs["mass"] * graph.expand(kept, 1),
        "ignorance": novelty + kept * outputs["ignorance"],
        "novelty": novelty,
    }
