"""The cells of one column as a file has them, and which of them say that a value is missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fuzzyucs._util.optional import import_pandas
from fuzzyucs.cli.tables.numbers import number_in, written
from fuzzyucs.variables.csv_files import MISSING, NEVER_LABELS

__all__ = ["MISSING", "NEVER_LABELS", "Cells"]

LONGEST_MARKER = max(map(len, MISSING))


@dataclass(frozen=True, eq=False)
class Cells:
    """One column: its different texts, and which of them each row has.

    Attributes
    ----------
    name : str
        Name of the column.
    texts : list of str
        The different texts; none if the file itself says that the column holds numbers.
    codes : ndarray of shape (n_rows,)
        Index of the text of each row, -1 where the value is missing.
    missing : dict of str to int
        How often each marker of missing values occurs.
    numbers : ndarray of shape (n_rows,) or None
        The numbers, if the file itself says that the column holds numbers.
    """

    name: str
    texts: list[str]
    codes: NDArray[np.intp]
    missing: dict[str, int]
    numbers: NDArray[np.float64] | None = None

    @classmethod
    def of(
        cls,
        name: str,
        column: NDArray[np.object_] | NDArray[np.float64],
        markers: Sequence[str],
        empty: frozenset[str] = MISSING,
    ) -> Cells:
        """Find the different texts of a column and the missing values.

        Parameters
        ----------
        name : str
            Name of the column.
        column : ndarray of shape (n_rows,)
            Texts, or floats.
        markers : sequence of str
            Texts that a user named as markers of missing values, as they are written.
        empty : frozenset of str
            Further markers, in lower case.

        Returns
        -------
        Cells

        Examples
        --------
        >>> import numpy as np
        >>> from fuzzyucs.cli.tables.cells import Cells
        >>> cells = Cells.of("sex", np.array(["f", "?", "m", "f"], dtype=object), markers=())
        >>> cells.texts, cells.codes, cells.missing
        (['f', 'm'], array([ 0, -1,  1,  0]), {'?': 1})
        """
        if column.dtype.kind == "f":
            return cls._of_numbers(name, column.astype(np.float64), markers)
        codes, texts = import_pandas().factorize(column)
        is_missing = np.array(
            [
                text in markers or (len(text) <= LONGEST_MARKER and text.casefold() in empty)
                for text in texts
            ],
            dtype=bool,
        )
        size = np.bincount(codes, minlength=len(texts))
        counts = {texts[i] or "empty": int(size[i]) for i in np.flatnonzero(is_missing)}
        kept = [text for text, missing in zip(texts, is_missing, strict=True) if not missing]
        new_codes = np.where(is_missing, -1, np.cumsum(~is_missing) - 1)
        return cls(name, kept, new_codes[codes], counts)

    @classmethod
    def _of_numbers(cls, name: str, column: NDArray[np.float64], markers: Sequence[str]) -> Cells:
        named = [number for marker in markers if (number := number_in(marker)) is not None]
        missing = np.isin(column, named) | np.isnan(column)
        counts = {"empty": int(missing.sum())} if missing.any() else {}
        numbers = np.where(missing, np.nan, column)
        return cls(name, [], np.where(missing, -1, 0), counts, numbers)

    @property
    def n_known(self) -> int:
        """Number of rows whose value is not missing."""
        return int((self.codes >= 0).sum())

    @property
    def size(self) -> dict[str, int]:
        """Number of rows with each text."""
        counts = np.bincount(self.codes[self.codes >= 0], minlength=len(self.texts))
        return dict(zip(self.texts, counts.tolist(), strict=True))

    def first_row(self, text: str) -> int:
        """Return the first row with a text."""
        return int(np.flatnonzero(self.codes == self.texts.index(text))[0])

    def spread(self, values: Sequence[float]) -> NDArray[np.float64]:
        """Give each row the number of its text."""
        return np.array([*values, np.nan])[self.codes]

    def as_texts(self) -> Cells:
        """Return the same with numbers written out, whole ones without a fraction."""
        if self.numbers is None:
            return self
        known = self.codes >= 0
        numbers, inverse = np.unique(self.numbers[known], return_inverse=True)
        codes = np.full(len(self.codes), -1, dtype=np.intp)
        codes[known] = inverse
        return Cells(self.name, list(map(written, numbers)), codes, self.missing)
