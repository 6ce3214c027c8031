"""What texts of conditions say, in the eyes of pandas, for tests that they are true."""

import re
import warnings

import numpy as np
import pandas as pd
from numpy.testing import assert_array_equal

from fuzzyucs import LinguisticPartition
from fuzzyucs.variables.frames import Columns


def partition_of(column, way="uniform", n_terms=5, nominal=None):
    frame = column.to_frame("x")
    columns = Columns.of(frame)
    X = np.asarray(columns.values(frame), dtype=float)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # peaks that have nothing to do with the data
        partition = LinguisticPartition.of(
            X,
            ["x"],
            partition=way if isinstance(way, str) or columns.categories else {"x": way},
            n_terms=n_terms,
            nominal_features=nominal,
            columns=columns,
        )
    return partition, X


# What a text says, in the eyes of pandas

NUMBER = r"-?[0-9.]+(?:e[+-][0-9]+)?"
SAYS = {
    rf"(?:<=|at most) ({NUMBER})": lambda x, n: x <= n,
    rf"(?:>=|at least) ({NUMBER})": lambda x, n: x >= n,
    rf"({NUMBER}) to ({NUMBER})": lambda x, low, high: (x >= low) & (x <= high),
    rf"more than ({NUMBER}) to ({NUMBER})": lambda x, low, high: (x > low) & (x <= high),
    rf"more than ({NUMBER})": lambda x, n: x > n,
    rf"less than ({NUMBER})": lambda x, n: x < n,
    rf"({NUMBER}) to less than ({NUMBER})": lambda x, low, high: (x >= low) & (x < high),
    rf"more than ({NUMBER}) to less than ({NUMBER})": lambda x, low, high: (x > low) & (x < high),
    rf"(?:= )?({NUMBER})": lambda x, n: x == n,
    rf"between ({NUMBER}) and ({NUMBER})": lambda x, low, high: (x > low) & (x < high),
    rf"({NUMBER}(?: or {NUMBER})+)": lambda x, listed: x.isin(map(float, listed.split(" or "))),
}


def truth(text, column):
    """Tell for which values of a column a text is true."""
    said = text.removeprefix("x is ")
    if column.dtype == object:
        return truth_of_list(said, column)
    if isinstance(column.dtype, pd.CategoricalDtype):
        return truth_of_order(said, column)
    if said.endswith(")"):
        said = said.rpartition("(")[2].removesuffix(")")
    if re.match("(not|one of|none of) ", said):
        return truth_of_list(said, column.map(repr, na_action="ignore").str.removesuffix(".0"))
    for pattern, is_true in SAYS.items():
        found = re.fullmatch(pattern, said)
        if found:
            groups = (g if " or " in g else float(g) for g in found.groups())
            return is_true(column, *groups)
    raise AssertionError(f"cannot read {text!r}")


def truth_of_list(said, column):
    """Tell for which categories a list in full is true; what is missing is on no side."""
    if said.startswith(("not ", "none of ")):
        listed = said.removeprefix("not ").removeprefix("none of ").split(", ")
        return column.notna() & ~column.isin(listed)
    if said.startswith("one of "):
        return column.isin(said.removeprefix("one of ").split(", "))
    return column.isin(said.split(" or "))


def truth_of_order(said, column):
    if said.startswith("{"):
        return column.isin(said.strip("{}").split(", "))
    if said.startswith("at most "):
        return column <= said.removeprefix("at most ")
    if said.startswith("at least "):
        return column >= said.removeprefix("at least ")
    low, _, high = said.partition(" to ")
    return (column >= low) & (column <= (high or low))


def runs(terms):
    """Split a set of terms into runs of neighbours."""
    found, first = [], None
    for t in range(terms.bit_length() + 1):
        if terms >> t & 1:
            first = t if first is None else first
        elif first is not None:
            found.append((1 << t) - (1 << first))
            first = None
    return found


def memberships(partition, X, terms):
    """Return how far each value belongs to a set of terms; a missing one does not."""
    positions = partition.positions(X)[:, 0]
    degree = np.zeros(len(X))
    for t in range(int(partition.n_terms[0])):
        # Not 1 - |position - t|, which rounds a little less than one half to one half.
        slope = np.where(positions <= t, positions - (t - 1), t + 1 - positions)
        degree += (terms >> t & 1) * np.maximum(0.0, slope)
    return np.where(np.isnan(positions), 0.0, degree)


def check(partition, X, column, terms):
    if partition.is_dont_care(0, terms):
        return
    holds = partition.holds(np.array([[terms]], dtype=np.uint64), X)[:, 0]
    assert_array_equal(holds, memberships(partition, X, terms) >= 0.5)
    peaks = partition.peaks(0)
    if not peaks[0] < peaks[-1]:
        return  # a feature that never varied is described without numbers
    parts = runs(terms) if partition.has_numbers(0) else [terms]
    texts = [partition.describe_plain(0, part, full=True) for part in parts]
    said = np.logical_or.reduce([truth(text, column).to_numpy(dtype=bool) for text in texts])
    assert_array_equal(said, holds, err_msg=f"{texts} of {column.tolist()}")
