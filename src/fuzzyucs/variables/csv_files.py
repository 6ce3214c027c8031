"""CSV files that are read in batches: what their columns hold is decided from all rows first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fuzzyucs._util.optional import import_pyarrow
from fuzzyucs.variables.columns import ColumnError

__all__ = ["MISSING", "NEVER_LABELS", "CsvTable"]

MISSING = frozenset({"", "na", "n/a", "#n/a", "nan", "null", "?", "-", "."})
NEVER_LABELS = MISSING - {"-", "."}  # a class may well be called "-", beside "+"

BLOCK_BYTES = 2**20  # of the file that are read at a time
MOST_WHOLE = 2**53  # up to which floats tell whole numbers apart
_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_WITH_COMMA = r"^[+-]?[0-9]*,[0-9]+$"


@dataclass(frozen=True)
class CsvTable:
    r"""A CSV file with names in its first line, in UTF-8 and with decimal points.

    Parameters
    ----------
    path : Path
        The file.
    separator : str
        Separator of cells.
    schema : pyarrow.Schema
        Columns of whole numbers, floats and text.
    n_rows : int
        Number of rows.
    target : str or None
        The column that holds classes, which may be called "-" or ".".

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from fuzzyucs.variables.csv_files import CsvTable
    >>> path = Path(tempfile.mkdtemp()) / "people.csv"
    >>> _ = path.write_text("height;sex;age\n1.65;f;36\n?;m;41\n")
    >>> table = CsvTable.of(path)
    >>> dict(zip(table.schema.names, map(str, table.schema.types)))
    {'height': 'double', 'sex': 'string', 'age': 'int64'}
    """

    path: Path
    separator: str
    schema: Any
    n_rows: int
    target: str | None = None

    @classmethod
    def of(cls, path: Path, target: str | None = None) -> CsvTable:
        """Read a file once, and decide what its columns hold.

        Parameters
        ----------
        path : Path
            The file.
        target : str, optional
            The column that holds classes.

        Returns
        -------
        CsvTable
        """
        pa = import_pyarrow()
        separator = _separator_of(path)
        kinds: dict[str, _Kind] = {}
        n_rows = 0
        for texts in _texts(path, separator):
            n_rows += len(texts)
            for name, column in zip(texts.schema.names, texts.columns, strict=True):
                known = kinds.get(name, _Kind())
                kinds[name] = known.after(_cells(column, name == target))
        if not n_rows:
            raise ValueError(f"{path} has no rows; expected a line of column names and rows")
        for name, kind in kinds.items():
            if kind.has_commas:
                raise ColumnError(
                    name,
                    f"of {path} holds numbers with decimal commas; files are read in batches with "
                    "decimal points only: write Parquet instead, or read the file into memory",
                )
        fields = [(name, getattr(pa, kind.type_name)()) for name, kind in kinds.items()]
        return cls(path, separator, pa.schema(fields), n_rows, target)

    def count_rows(self) -> int:
        """Return the number of rows."""
        return self.n_rows

    def batches(self, names: Sequence[str]) -> Iterator[Any]:
        """Read some columns.

        Parameters
        ----------
        names : sequence of str
            The columns.

        Yields
        ------
        pyarrow.RecordBatch
            In the types of the schema, null where values are missing.
        """
        pa = import_pyarrow()
        fields = [self.schema.field(name) for name in names]
        for texts in _texts(self.path, self.separator):
            arrays = []
            for field in fields:
                cells = _cells(texts.column(field.name), field.name == self.target)
                arrays.append(cells if field.type == pa.string() else _numbers(cells, field.type))
            yield pa.RecordBatch.from_arrays(arrays, schema=pa.schema(fields))


@dataclass(frozen=True)
class _Kind:
    """What the rows of a column hold, as far as they were read."""

    n_known: int = 0
    are_numbers: bool = True
    are_whole: bool = True
    have_commas: bool = True

    @property
    def type_name(self) -> str:
        if not self.n_known or not self.are_numbers:
            return "float64" if self.are_numbers else "string"
        return "int64" if self.are_whole else "float64"

    @property
    def has_commas(self) -> bool:
        return bool(self.n_known) and not self.are_numbers and self.have_commas

    def after(self, cells: Any) -> _Kind:
        """Return what all rows hold together with more of them."""
        import pyarrow.compute as pc

        known = cells.drop_null()
        are_numbers, are_whole, have_commas = self.are_numbers, self.are_whole, self.have_commas
        are_whole = are_whole and len(known) == len(cells)
        is_number = pc.match_substring_regex(known, _NUMBER)
        if are_numbers:
            are_numbers = pc.all(is_number, min_count=0).as_py()
        if are_numbers and are_whole:
            numbers = _numbers(known, "float64")
            small = pc.less(pc.abs(numbers), float(MOST_WHOLE))
            even = pc.equal(pc.floor(numbers), numbers)
            are_whole = pc.all(pc.and_(small, even), min_count=0).as_py()
        if have_commas:
            comma = pc.match_substring_regex(known, _WITH_COMMA)
            have_commas = pc.all(pc.or_(comma, is_number), min_count=0).as_py()
        return _Kind(self.n_known + len(known), are_numbers, are_whole, have_commas)


def _separator_of(path: Path) -> str:
    """Return the separator that divides the first line into most columns."""
    with path.open("rb") as file:
        first = next((line for line in file if line.strip()), b"")
    if not first:
        raise ValueError(f"{path} is empty; expected a line of column names and rows")
    return max((",", ";", "\t", "|"), key=lambda mark: first.count(mark.encode()))


def _texts(path: Path, separator: str) -> Iterator[Any]:
    """Read a file block by block, all cells as text."""
    pa = import_pyarrow()
    from pyarrow import csv

    parse = csv.ParseOptions(delimiter=separator, newlines_in_values=True)
    read = csv.ReadOptions(use_threads=False, block_size=BLOCK_BYTES)
    try:
        with csv.open_csv(path, read, parse) as reader:
            names = reader.schema.names
        types = csv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False
        )
        with csv.open_csv(path, read, parse, types) as reader:
            for batch in reader:
                yield batch.rename_columns([name.strip() for name in names])
    except (pa.ArrowInvalid, pa.ArrowKeyError) as problem:
        raise ValueError(f"{path} cannot be read as CSV: {problem}") from problem


def _cells(column: Any, is_target: bool) -> Any:
    """Return texts without spaces around them, null where they say that a value is missing."""
    pa = import_pyarrow()
    import pyarrow.compute as pc

    texts = pc.utf8_trim_whitespace(column)
    markers = pa.array(sorted(NEVER_LABELS if is_target else MISSING))
    is_missing = pc.is_in(pc.utf8_lower(texts), markers)
    return pc.if_else(is_missing, pa.scalar(None, pa.string()), texts)


def _numbers(texts: Any, dtype: Any) -> Any:
    """Return the numbers that texts hold."""
    import pyarrow.compute as pc

    numbers = pc.cast(pc.replace_substring_regex(texts, r"^\+", ""), "float64")
    return pc.cast(numbers, dtype)
