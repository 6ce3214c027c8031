"""The column that holds classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.cli.tables.cells import Cells
from fuzzyucs.cli.tables.file import TableFile
from fuzzyucs.cli.tables.numbers import Decimal, canonical, number_in
from fuzzyucs.cli.tables.wording import listed, quoted

__all__ = ["known_labels", "labels_in"]

MOST_QUANTITIES = 20  # different fractions that can still be labels of classes
MOST_WHOLE = 64  # different whole numbers, if there are few rows of each
FEW_ROWS = 10


def labels_in(table: TableFile, cells: Cells, decimal: Decimal = ".") -> NDArray[Any]:
    """Read class labels to learn from.

    Parameters
    ----------
    table : TableFile
        The table, for messages.
    cells : Cells
        The column.
    decimal : {".", ","}
        The decimal mark.

    Returns
    -------
    ndarray of shape (n_rows,)
        Whole numbers if all labels are, otherwise text.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.cli.tables.cells import Cells
    >>> from fuzzyucs.cli.tables.file import TableFile
    >>> from fuzzyucs.cli.tables.labels import labels_in
    >>> column = np.array(["1", "0", "1.0"], dtype=object)
    >>> labels_in(TableFile("ill.csv", {"ill": column}), Cells.of("ill", column, markers=()))
    array([1, 0, 1])
    """
    written = cells.as_texts()
    numbers = [number_in(text, decimal) for text in written.texts]
    known = [number for number in numbers if number is not None]
    are_numbers = len(known) == len(numbers)
    are_whole = all(number.is_integer() and abs(number) < 2**53 for number in known)
    are_few_each = cells.n_known < FEW_ROWS * len(known)
    is_quantity = not are_whole or (len(known) > MOST_WHOLE and are_few_each)
    if are_numbers and len(known) > MOST_QUANTITIES and is_quantity:
        raise ValueError(
            f"--target: {cells.name!r} in {table.name} holds {len(known)} different numbers such "
            f"as {written.texts[0]}: a quantity, not a class; make classes of it first"
        )
    cells = _complete(table, cells)
    if are_numbers and are_whole:
        return np.array(known).astype(np.int64)[cells.codes]
    return np.array(cells.texts)[cells.codes]


def known_labels(table: TableFile, cells: Cells, classes: NDArray[Any]) -> NDArray[Any]:
    """Read class labels as a model knows them.

    Parameters
    ----------
    table : TableFile
        The table, for messages.
    cells : Cells
        The column.
    classes : ndarray of shape (n_classes,)
        Labels that the model knows.

    Returns
    -------
    ndarray of shape (n_rows,)
    """
    cells = _complete(table, cells)
    known = {str(label): i for i, label in enumerate(classes.tolist())}
    indices = [known.get(text, known.get(canonical(text), -1)) for text in cells.texts]
    if -1 in indices:
        text = cells.texts[indices.index(-1)]
        raise ValueError(
            f"{table.name}: column {cells.name!r}, {table.location(cells.first_row(text))}: "
            f"expected a class that the model knows ({listed(list(known))}), got {quoted(text)}"
        )
    labels: NDArray[Any] = classes[np.array(indices)[cells.codes]]
    return labels


def _complete(table: TableFile, cells: Cells) -> Cells:
    """Return labels as text, of which none may be missing."""
    missing = np.flatnonzero(cells.codes < 0)
    if len(missing):
        raise ValueError(
            f"--target: {len(missing)} rows of {table.name} have no {cells.name!r}, the first is "
            f"{table.location(int(missing[0]))}; --skip-unlabelled leaves them out"
        )
    return cells.as_texts()
