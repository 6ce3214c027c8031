"""An ONNX graph that is built node by node, with formulas that read like NumPy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["IMPOSSIBLE", "POSSIBLE", "TINY", "Array", "Graph", "Value", "padded"]

# The logarithm of 0 is minus infinity, and 0 times that is no number. IMPOSSIBLE stands for it;
# logarithms of anything that is possible stay above POSSIBLE.
IMPOSSIBLE = -1e30
POSSIBLE = -1e20
TINY = float(np.finfo(float).tiny)

Array = NDArray[np.float64]


class Value:
    """Output of a node. Operators add nodes to its graph."""

    __array_ufunc__ = None  # so that array - value asks the value

    def __init__(self, graph: Graph, name: str) -> None:
        self.graph, self.name = graph, name

    def __add__(self, other: Any) -> Value:
        return self.graph("Add", self, other)

    def __sub__(self, other: Any) -> Value:
        return self.graph("Sub", self, other)

    def __rsub__(self, other: Any) -> Value:
        return self.graph("Sub", other, self)

    def __mul__(self, other: Any) -> Value:
        return self.graph("Mul", self, other)

    def __truediv__(self, other: Any) -> Value:
        return self.graph("Div", self, other)

    def __rmatmul__(self, other: Any) -> Value:
        return self.graph("MatMul", other, self)

    def __matmul__(self, other: Any) -> Value:
        return self.graph("MatMul", self, other)

    def __gt__(self, other: Any) -> Value:
        return self.graph("Greater", self, other)

    def __ge__(self, other: Any) -> Value:
        return self.graph("GreaterOrEqual", self, other)

    def __or__(self, other: Any) -> Value:
        return self.graph("Or", self, other)

    def __and__(self, other: Any) -> Value:
        return self.graph("And", self, other)

    def __invert__(self) -> Value:
        return self.graph("Not", self)


class Graph:
    """Nodes and constants, in the order in which they are added.

    Parameters
    ----------
    onnx : module
        The package onnx, which is optional and therefore imported by the caller.
    """

    def __init__(self, onnx: Any) -> None:
        self.onnx = onnx
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.n_names = 0

    def __call__(self, operator: str, *inputs: Any, **attributes: Any) -> Value:
        """Add a node with one output."""
        return self._node(operator, inputs, 1, attributes)[0]

    def _node(
        self, operator: str, inputs: Sequence[Any], n_outputs: int, attributes: Mapping[str, Any]
    ) -> list[Value]:
        names = [self._named(value) for value in inputs]
        outputs = [self._name() for _ in range(n_outputs)]
        # Older runtimes mix up nodes without names.
        node = self.onnx.helper.make_node(operator, names, outputs, outputs[0], **attributes)
        self.nodes.append(node)
        return [Value(self, name) for name in outputs]

    def _name(self) -> str:
        self.n_names += 1
        return f"v{self.n_names}"

    def _named(self, value: Any) -> str:
        """Return the name of a value, which may be a constant."""
        if isinstance(value, Value):
            return value.name
        array = np.asarray(value)
        if array.dtype.kind == "f" or isinstance(value, int):
            array = array.astype(float)
        elif array.dtype.kind == "i":
            array = array.astype(np.int64)  # the platform's integer may be shorter
        name = self._name()
        # ascontiguousarray would give a scalar a dimension
        array = array.copy(order="C")
        self.constants.append(self.onnx.numpy_helper.from_array(array, name))
        return name

    def when(
        self, condition: Value, yes: Callable[[], list[Value]], no: Callable[[], list[Value]]
    ) -> list[Value]:
        """Compute one of two alternatives, chosen at run time."""
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

    def sum(self, x: Value, axis: int, *, keep: bool = False) -> Value:
        """Sum along an axis, which may be kept with length 1."""
        return self("ReduceSum", x, np.array([axis]), keepdims=int(keep))

    def max(self, x: Value, axis: int, *, keep: bool = False) -> Value:
        """Return the maximum along an axis, which may be kept with length 1."""
        return self("ReduceMax", x, axes=[axis], keepdims=int(keep))

    def number(self, x: Value) -> Value:
        """Turn true into 1, false into 0."""
        return self("Cast", x, to=self.onnx.TensorProto.DOUBLE)

    def take(self, x: Value, indices: Any, axis: int = 0) -> Value:
        """Select entries along an axis."""
        return self("Gather", x, np.asarray(indices, dtype=np.int64), axis=axis)

    def where(self, condition: Value, x: Any, y: Any) -> Value:
        """Select x where a condition is true, else y."""
        return self("Where", condition, x, y)

    def clip(self, x: Value, low: float, high: float) -> Value:
        """Limit values to a range."""
        return self("Clip", x, low, high)

    def expand(self, x: Value, axis: int) -> Value:
        """Insert an axis of length 1."""
        return self("Unsqueeze", x, np.array([axis]))

    def split_last(self, x: Value) -> tuple[Value, Value]:
        """Return all but the last along the first axis, and the last."""
        first, last, end = np.array([0]), np.array([-1]), np.array([np.iinfo(np.int64).max])
        return self("Slice", x, first, last, first), self("Slice", x, last, end, first)

    def log(self, x: Value) -> Value:
        """Return logarithms; that of 0 is IMPOSSIBLE."""
        return self("Max", self("Log", x), IMPOSSIBLE)

    def product(self, x: Value, indices: NDArray[np.int64], *, keeps_tiny: bool = False) -> Value:
        """Multiply rows of x: for each column of indices, the rows that it lists.

        Products that are too small for a double may be kept positive.
        """
        product = self.take(x, indices[0])
        for row in indices[1:]:
            factor = self.take(x, row)
            least = self("Min", product, factor, TINY) if keeps_tiny else None
            product = product * factor
            product = product if least is None else self("Max", product, least)
        return product


def padded(arrays: Sequence[Array], fill: float) -> Array:
    """Stack arrays of unequal lengths.

    Parameters
    ----------
    arrays : sequence of ndarray
        Arrays with one axis.
    fill : float
        Value of the entries that shorter arrays lack.

    Returns
    -------
    ndarray of shape (n_arrays, greatest length, 1)
        The last axis is for rows of data.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.deployment.onnx.graph import padded
    >>> padded([np.array([1.0, 2.0]), np.array([3.0])], 0.0)[:, :, 0]
    array([[1., 2.],
           [3., 0.]])
    """
    longest = max(1, *(len(array) for array in arrays))
    stacked = np.full((len(arrays), longest, 1), fill)
    for row, array in zip(stacked, arrays, strict=True):
        row[: len(array), 0] = array
    return stacked
