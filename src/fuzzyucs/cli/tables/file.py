"""Tables in files: CSV of any dialect, JSON, Excel, Parquet. Cells are kept as they are written."""

from __future__ import annotations

import csv
import io
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs._util.optional import import_pandas
from fuzzyucs.cli.tables.json_records import is_json, read_records
from fuzzyucs.cli.tables.unpacking import (
    CELL_BYTES,
    CHUNK_BYTES,
    bounded,
    is_packed,
    is_workbook,
    most_bytes,
    too_large,
    unpacked,
)
from fuzzyucs.cli.tables.values import cells_of_values
from fuzzyucs.cli.tables.workbook import read_sheet

__all__ = ["TableFile", "read_table", "split_sheet"]

SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
N_PREVIEW = 200  # rows that a separator is tried on; all rows decide what columns hold
_UNNAMED_INDEX = re.compile(r"__index_level_[0-9]+__")
READABLE = "tables are read from CSV, JSON, Excel (.xlsx) and Parquet files"
LONGEST_CELL = 1_000_000  # characters; more is a quote that is never closed


@dataclass(frozen=True, eq=False)
class TableFile:
    """A table with names of columns; what the columns hold is decided later.

    Attributes
    ----------
    name : str
        Name of the file in messages.
    columns : dict of str to ndarray of shape (n_rows,)
        Cells, by the name of their column: text without spaces around it, or floats where the file
        itself says that they are numbers.
    lines : ndarray of shape (n_rows,) or None
        Line of the file in which each row begins, if it has lines.
    separator : str or None
        Separator of cells, if there is one.
    remarks : tuple of str
        Properties of the file: its separator and encoding.
    first_row : int
        Number of the first row in the file, if this is a piece of it.
    all_names : tuple of str
        Names of all columns, if only some of them were read.
    own_rows : int or None
        Number of rows, if no column was read.
    kept : ndarray of shape (n_rows,) or None
        Which rows of the piece these are, if some were left out.
    """

    name: str
    columns: dict[str, NDArray[Any]]
    lines: NDArray[np.intp] | None = None
    separator: str | None = None
    remarks: tuple[str, ...] = ()
    first_row: int = 0
    all_names: tuple[str, ...] = ()
    own_rows: int | None = None
    kept: NDArray[np.intp] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all columns."""
        return self.all_names or tuple(self.columns)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        if self.own_rows is not None:
            return self.own_rows
        return len(next(iter(self.columns.values())))

    def location(self, row: int) -> str:
        """Return where a row is in the file, counted from 1.

        Parameters
        ----------
        row : int
            Number of the row in the piece, from 0.

        Returns
        -------
        str
        """
        line = "" if self.lines is None else f" (line {self.lines[row]})"
        number = row if self.kept is None else int(self.kept[row])
        return f"row {self.first_row + number + 1}{line}"

    def take(self, rows: NDArray[np.intp]) -> TableFile:
        """Return some of the rows.

        Parameters
        ----------
        rows : ndarray
            Their numbers in the piece, from 0.

        Returns
        -------
        TableFile
        """
        return replace(
            self,
            columns={name: cells[rows] for name, cells in self.columns.items()},
            lines=None if self.lines is None else self.lines[rows],
            own_rows=len(rows),
            kept=rows if self.kept is None else self.kept[rows],
        )


def read_table(source: str | PathLike[str], *, separator: str | None = None) -> TableFile:
    r"""Read a table from a file.

    Parameters
    ----------
    source : path
        A file of CSV, JSON (an object per line, or an array of objects), Excel (.xlsx; with several
        sheets ``book.xlsx#sheet``) or Parquet, as it is or packed by gzip, bzip2, xz or ZIP;
        ``"-"`` is standard input.
    separator : str, optional
        Separator of cells. By default it is detected: comma, semicolon, tab or bar.

    Returns
    -------
    TableFile
        UTF-8, UTF-16 and Windows-1252 (Latin-1) are read, with or without a byte order mark, as
        are Excel's ``sep=`` line, quotes, empty lines and separators at the end of lines.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from fuzzyucs.cli.tables.file import read_table
    >>> path = Path(tempfile.mkdtemp()) / "people.csv"
    >>> _ = path.write_text("name;height\nAda;1,65\nKurt;1,73\n")
    >>> table = read_table(path)
    >>> table.separator, table.columns["height"]
    (';', array(['1,65', '1,73'], dtype=object))
    """
    path, sheet = split_sheet(source)
    name, data = _bytes_of(path)
    remarks = []
    if is_packed(data) and not is_workbook(data):
        data, remark = unpacked(name, data)
        remarks.append(remark)
    if sheet is not None and not is_workbook(data):
        raise ValueError(f"{name} is no workbook, so that it has no sheet {sheet!r}")
    if is_workbook(data):
        return _read_workbook(name, data, sheet, remarks)
    if data.startswith(b"PAR1"):
        return _read_parquet(name, data, remarks)
    text, encoding = _decode(name, data)
    remarks += encoding
    if is_json(text):
        columns, lines = read_records(name, text)
        return TableFile(name, columns, lines, remarks=("JSON", *remarks))
    return _read_csv(name, text, separator, remarks)


def split_sheet(source: str | PathLike[str]) -> tuple[str, str | None]:
    """Divide ``book.xlsx#sheet`` into file and sheet; other names have no sheet.

    Parameters
    ----------
    source : path
        What a user named.

    Returns
    -------
    file : str
    sheet : str or None

    Examples
    --------
    >>> from fuzzyucs.cli.tables.file import split_sheet
    >>> split_sheet("book.xlsx#Patients"), split_sheet("table #1.csv")
    (('book.xlsx', 'Patients'), ('table #1.csv', None))
    """
    text = str(source)
    file, mark, sheet = text.rpartition("#")
    is_sheet = mark and Path(file).is_file() and not Path(text).exists()
    is_book = mark and file.lower().endswith((".xlsx", ".xlsm"))
    return (file, sheet) if is_sheet or is_book else (text, None)


def _bytes_of(source: str | PathLike[str]) -> tuple[str, bytes]:
    if str(source) == "-":
        return "standard input", _stream("standard input", sys.stdin.buffer)
    path = Path(source)
    if not path.exists():
        raise FileNotFoundError(f"there is no file {path}")
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder, not a table")
    with path.open("rb") as file:
        if not path.is_file():  # a pipe or a device
            return str(path), _stream(str(path), file)
        if path.stat().st_size > most_bytes():
            raise too_large(str(path), f"{most_bytes():,} bytes")
        return str(path), file.read()


def _stream(name: str, file: IO[bytes]) -> bytes:
    """Read what may have no end; refuse what is no table by its beginning."""
    start = file.read(CHUNK_BYTES)
    is_table = is_packed(start) or start.startswith(b"PAR1")
    if not is_table and _encodings(start)[0] == "utf-8" and b"\0" in start:
        raise ValueError(f"{name} is not a text file; {READABLE}")
    return bounded(name, file, most_bytes(), start=start)


# From bytes to text


def _decode(name: str, data: bytes) -> tuple[str, list[str]]:
    """Return the text, and its encoding if that is not UTF-8."""
    _refuse_binary(name, data)
    for encoding in _encodings(data):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\0" in text:
            break
        return text, _title(encoding)
    raise ValueError(f"{name} is not a text file; {READABLE}")


def _title(encoding: str) -> list[str]:
    """Return how messages call an encoding, if that is not UTF-8."""
    title = {"cp1252": "Windows-1252", "latin-1": "Latin-1"}.get(encoding, encoding.upper())
    return [] if encoding.startswith("utf-8") else [title]


def _refuse_binary(name: str, data: bytes) -> None:
    """Refuse files that others make of tables, by their first bytes."""
    if data.startswith(b"\xd0\xcf\x11\xe0"):
        raise ValueError(
            f"{name} is a workbook in the old format of Excel; save it as .xlsx or the sheet as CSV"
        )
    if data.startswith(b"\x28\xb5\x2f\xfd") or is_packed(data):
        raise ValueError(f"{name} is compressed in a way that is not read here; unpack it first")


def _encodings(data: bytes) -> list[str]:
    """Return the possible encodings of a text, the most certain first."""
    if data.startswith(b"\xef\xbb\xbf"):
        return ["utf-8-sig"]
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return ["utf-16"]
    # Most characters of tables are below 256: every other byte is zero, even without a mark.
    halves = data[:1000:2], data[1:1000:2]
    zeros = [half.count(0) / max(1, len(half)) for half in halves]
    if max(zeros) > 0.5 and min(zeros) < 0.1:
        return ["utf-16-be" if zeros[0] > zeros[1] else "utf-16-le"]
    return ["utf-8", "cp1252", "latin-1"]


# From text to cells


def _read_csv(name: str, text: str, separator: str | None, remarks: list[str]) -> TableFile:
    if separator is not None and (len(separator) != 1 or separator in '"\r\n'):
        raise ValueError(f"a separator must be one character, got {separator!r}")
    text, said = _without_hint(text)
    if not text.strip():
        raise ValueError(f"{name} is empty; expected a line of column names and rows")
    separator = separator or said or _find_separator(lambda: io.StringIO(text, newline=""))
    try:
        found = list(_records(io.StringIO(text, newline=""), separator))
    except csv.Error as error:
        raise ValueError(f"{name}: {error}; is there a quote that is never closed?") from None
    lines, (names, *rows) = [line for line, _ in found], [cells for _, cells in found]
    _strip_end(rows)
    names = _checked_names(name, names, rows)
    if not rows:
        raise ValueError(f"{name} has column names but no rows")
    starts = np.array(lines[1 : len(rows) + 1], dtype=np.intp)
    table = TableFile(
        name,
        {},
        starts,
        separator,
        (f"separated by {SEPARATORS.get(separator, repr(separator))}", *remarks),
    )
    cells = np.empty((len(rows), len(names)), dtype=object)
    for i, row in enumerate(rows):
        if len(row) != len(names):
            _check_width(table, i, row, names)
        cells[i] = row[: len(names)]
    table.columns.update({column: cells[:, i] for i, column in enumerate(names)})
    return table


def _without_hint(text: str) -> tuple[str, str | None]:
    """Remove the line that tells Excel the separator, and return what it says."""
    first, _, rest = text.partition("\n")
    if (said := _hint_in(first)) is not None:
        # An empty line in its place keeps the count of lines right.
        return f"\n{rest}", said
    return text, None


def _hint_in(line: str) -> str | None:
    """Return the separator that the first line tells Excel, if it does."""
    hint = line.rstrip("\r\n").strip('"')
    return hint[4] if hint[:4].lower() == "sep=" and len(hint) == 5 else None


def _records(lines: Iterable[str], separator: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the line in which each record begins, and its cells. Empty lines are no records."""
    reader = csv.reader(lines, delimiter=separator, skipinitialspace=True, strict=True)
    before = 0
    while True:
        # Others may read files between two records.
        old = csv.field_size_limit(LONGEST_CELL)
        try:
            cells = next(reader, None)
        except csv.Error as error:
            raise csv.Error(f"line {before + 1}: {error}") from None
        finally:
            csv.field_size_limit(old)
        if cells is None:
            return
        cells = [cell.strip() for cell in cells]
        if any(cells) or len(cells) > 1:
            yield before + 1, cells
        before = reader.line_num


def _find_separator(lines: Callable[[], Iterable[str]]) -> str:
    """Return the separator that divides most rows like the column names, into most columns."""

    def fit(separator: str) -> tuple[float, int]:
        try:
            records = [cells for _, cells in islice(_records(lines(), separator), N_PREVIEW)]
        except csv.Error:
            return 0.0, 0
        widths = [len(_stripped(record)) for record in records]
        if widths[0] < 2:
            return 0.0, 0
        # Cells at the end may be empty, so that a row is narrower, but never without separators.
        alike = sum(
            len(record) > 1 and width <= widths[0]
            for record, width in zip(records, widths, strict=True)
        )
        return alike / len(widths), widths[0]

    return max(SEPARATORS, key=fit)


def _stripped(cells: Sequence[str]) -> Sequence[str]:
    """Return cells without empty ones at the end."""
    width = len(cells)
    while width and not cells[width - 1]:
        width -= 1
    return cells[:width]


def _strip_end(rows: list[list[str]]) -> None:
    """Remove rows of nothing but separators, as spreadsheets append them."""
    while rows and not any(rows[-1]):
        rows.pop()


def _checked_names(file: str, names: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Refuse names that are missing or occur twice; leave out empty ones at the end."""
    names = list(_stripped(names))
    nameless = [str(i + 1) for i, name in enumerate(names) if not name]
    if nameless:
        raise ValueError(
            f"{file}: no name in the first line for column {', '.join(nameless)}; give it one, or "
            "leave the column out if it only counts rows (pandas: to_csv(index=False))"
        )
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise ValueError(f"{file}: column names must differ, there are several {_quoted(twice)}")
    if rows and all(_is_number(name) for name in names):
        raise ValueError(
            f"{file}: the first line must hold the names of the columns, got {_quoted(names[:5])}"
        )
    return names


def _check_width(table: TableFile, row: int, cells: Sequence[str], names: Sequence[str]) -> None:
    """Refuse rows that are too short or too long, unless all surplus cells are empty."""
    if len(cells) > len(names) and not any(cells[len(names) :]):
        return
    raise ValueError(
        f"{table.name}: {table.location(row)} has {len(cells)} values, but there are {len(names)} "
        f"column names; values that contain the separator {table.separator!r} must be in quotes"
    )


def _is_number(text: str) -> bool:
    try:
        float(text.replace(",", "."))
    except ValueError:
        return False
    return True


def _quoted(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names))


# Excel and Parquet


def _read_workbook(name: str, data: bytes, sheet: str | None, remarks: Sequence[str]) -> TableFile:
    (header, *rows), found = read_sheet(name, data, sheet)
    names = ["" if value is None else str(value).strip() for value in header]
    names = _checked_names(name, names, [["x"]] * len(rows))
    if not rows:
        raise ValueError(f"{name} has column names but no rows")

    def refused(row: int, value: Any) -> ValueError:
        return ValueError(f"{name}: row {row + 1} has a cell of type {type(value).__name__}")

    table = TableFile(name, {}, None, None, (f"Excel, sheet {found!r}", *remarks))
    for i, row in enumerate(rows):
        if any(value is not None for value in row[len(names) :]):
            raise ValueError(
                f"{name}: {table.location(i)} has {len(row)} values, but there are {len(names)} "
                "column names"
            )
    for i, column in enumerate(names):
        values = [row[i] if i < len(row) else None for row in rows]
        table.columns[column] = cells_of_values(values, refused)
    return table


def _read_parquet(name: str, data: bytes, remarks: Sequence[str] = ()) -> TableFile:
    try:
        import pyarrow.parquet as pq
    except ImportError:
        raise ImportError("a Parquet file needs pyarrow: pip install pyarrow") from None
    head = pq.read_metadata(io.BytesIO(data))
    most = most_bytes() // CELL_BYTES
    if head.num_rows * head.num_columns > most:
        raise too_large(name, f"{most:,} cells")
    frame = import_pandas().read_parquet(io.BytesIO(data))
    if any(frame.index.names):
        frame = frame.reset_index()
    if frame.empty:
        raise ValueError(f"{name} has no rows")
    names = [str(column).strip() for column in frame.columns]
    checked = _checked_names(name, names, [])
    if len(checked) < len(names):
        raise ValueError(f"{name}: the last column has no name")
    columns = {
        column: _parquet_cells(name, column, frame.iloc[:, i]) for i, column in enumerate(names)
    }
    return TableFile(name, columns, remarks=("Parquet", *remarks))


def _without_index(schema: Any) -> list[str]:
    """Return the columns that `pandas.read_parquet` would give, those of a named index first."""
    written = (schema.pandas_metadata or {}).get("index_columns", [])
    index = [name for name in written if isinstance(name, str) and name in schema.names]
    named = [name for name in index if not _UNNAMED_INDEX.fullmatch(name)]
    return [*named, *(name for name in schema.names if name not in index)]


def _parquet_cells(file: str, name: str, column: Any) -> NDArray[Any]:
    kind = getattr(column.dtype, "kind", "O")
    if kind in "iuf" and not hasattr(column.dtype, "categories"):
        numbers: NDArray[np.float64] = column.to_numpy(dtype=np.float64, na_value=np.nan)
        return numbers
    known = column.notna().to_numpy()
    values = column.astype(object).to_numpy()
    odd = [
        type(v).__name__ for v in values[known] if isinstance(v, list | dict | np.ndarray | bytes)
    ]
    if odd:
        raise ValueError(f"{file}: column {name!r} must hold numbers or text, got {odd[0]}")
    cells = np.full(len(column), "", dtype=object)
    cells[known] = [str(value).strip() for value in values[known]]
    return cells
