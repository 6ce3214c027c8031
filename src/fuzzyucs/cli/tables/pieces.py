"""Tables in files, piece by piece: so that a table of any size is read in little memory."""

from __future__ import annotations

import codecs
import csv
import io
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.cli.tables.file import (
    READABLE,
    SEPARATORS,
    TableFile,
    _check_width,
    _checked_names,
    _encodings,
    _find_separator,
    _hint_in,
    _parquet_cells,
    _records,
    _refuse_binary,
    _title,
    _without_index,
    read_table,
)
from fuzzyucs.cli.tables.json_records import is_json
from fuzzyucs.cli.tables.unpacking import is_packed
from fuzzyucs.variables.arrow_files import format_of
from fuzzyucs.variables.batches import Batches

__all__ = ["Pieces", "open_pieces"]

PIECE_BYTES = 2**22  # of the cells of a piece of CSV
CELL_BYTES = 64  # of a cell, besides its characters
CHUNK_BYTES = 2**20  # of a file whose encoding is looked for


class Pieces(ABC):
    """A table of which some rows are read at a time."""

    @abstractmethod
    def read(self, wanted: Iterable[str] | None = None) -> Iterator[tuple[float, TableFile]]:
        """Read the table.

        Parameters
        ----------
        wanted : iterable of str, optional
            Columns to read, if there are such; by default all.

        Yields
        ------
        share : float
            How much of the table was read, up to 1.
        piece : TableFile
            The next rows.
        """


def open_pieces(source: str, separator: str | None = None) -> Pieces:
    r"""Open a table without reading it as a whole.

    Parameters
    ----------
    source : str
        A file of CSV, Parquet or Arrow, or a folder of Parquet files. JSON, workbooks, packed
        files, pipes and ``"-"``, standard input, are read as a whole.
    separator : str, optional
        Separator of cells in CSV. By default it is detected.

    Returns
    -------
    Pieces

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from fuzzyucs.cli.tables.pieces import open_pieces
    >>> path = Path(tempfile.mkdtemp()) / "people.csv"
    >>> _ = path.write_text("name;height\nAda;1,65\nKurt;1,73\n")
    >>> for share, piece in open_pieces(str(path)).read(["height"]):
    ...     print(share, piece.columns, piece.names)
    1.0 {'height': array(['1,65', '1,73'], dtype=object)} ('name', 'height')
    """
    if source == "-":
        return _Whole(read_table(source, separator=separator))
    path = Path(source)
    # Pipes and devices can be read once only.
    if not (path.is_file() or path.is_dir()) or _is_whole(path):
        return _Whole(read_table(source, separator=separator))
    if format_of(path) == "csv":
        return _CsvPieces(path, separator)
    return _ArrowPieces(Batches(path))


def _is_whole(path: Path) -> bool:
    """Tell whether a file cannot be read piece by piece."""
    if path.is_dir():
        return False
    with path.open("rb") as file:
        start = file.read(1000)
    return is_packed(start) or is_json(start.decode("utf-8-sig", errors="replace"))


@dataclass(frozen=True)
class _Whole(Pieces):
    """A table that is in memory already."""

    table: TableFile

    def read(self, wanted: Iterable[str] | None = None) -> Iterator[tuple[float, TableFile]]:  # noqa: ARG002
        yield 1.0, self.table


@dataclass(frozen=True)
class _ArrowPieces(Pieces):
    """A table whose file says what its columns hold."""

    batches: Batches

    def read(self, wanted: Iterable[str] | None = None) -> Iterator[tuple[float, TableFile]]:
        batches = self.batches
        own = _without_index(batches.schema)
        names = [name.strip() for name in own]
        if len(_checked_names(batches.name, names, [])) < len(names):
            raise ValueError(f"{batches.name}: the last column has no name")
        chosen = set(names if wanted is None else wanted)
        pairs = [pair for pair in zip(own, names, strict=True) if pair[1] in chosen]
        pairs = pairs or [(own[0], names[0])]  # which tells the number of rows
        remark = "Arrow" if _is_arrow(batches) else "Parquet"
        first = 0
        for frame in batches.frames([name for name, _ in pairs]):
            columns = {
                name: _parquet_cells(batches.name, name, frame.column(i).to_pandas())
                for i, (_, name) in enumerate(pairs)
            }
            yield (
                (first + len(frame)) / batches.n_rows,
                TableFile(
                    batches.name,
                    columns,
                    remarks=(remark,),
                    first_row=first,
                    all_names=tuple(names),
                ),
            )
            first += len(frame)
        if not first:
            raise ValueError(f"{batches.name} has no rows")


def _is_arrow(batches: Batches) -> bool:
    return format_of(Path(batches.name)) == "ipc"


@dataclass(frozen=True)
class _CsvPieces(Pieces):
    """A table as text."""

    path: Path
    separator: str | None

    def read(self, wanted: Iterable[str] | None = None) -> Iterator[tuple[float, TableFile]]:
        name = str(self.path)
        encoding, remarks = _encoding_of(self.path)
        with _opened(self.path, encoding) as file:
            separator = self._separator(file, encoding)
            said = f"separated by {SEPARATORS.get(separator, repr(separator))}"
            try:
                yield from self._pieces(
                    file, TableFile(name, {}, None, separator, (said, *remarks)), wanted
                )
            except csv.Error as error:
                raise ValueError(
                    f"{name}: {error}; is there a quote that is never closed?"
                ) from None

    def _separator(self, file: io.TextIOWrapper, encoding: str) -> str:
        """Find the separator, and leave the file where its lines begin."""
        given = self.separator
        if given is not None and (len(given) != 1 or given in '"\r\n'):
            raise ValueError(f"a separator must be one character, got {given!r}")
        first = next(iter(file), "")
        hint = _hint_in(first) if first.endswith("\n") else None
        if not first.strip() and not any(line.strip() for line in file):
            raise ValueError(f"{self.path} is empty; expected a line of column names and rows")
        found = given or hint
        if found is None:

            def lines() -> Iterator[str]:
                with _opened(self.path, encoding) as again:
                    yield from again

            found = _find_separator(lines)
        file.seek(0)
        if hint is not None:
            file.readline()
        return found

    def _pieces(
        self, file: io.TextIOWrapper, empty: TableFile, wanted: Iterable[str] | None
    ) -> Iterator[tuple[float, TableFile]]:
        n_bytes = max(1, self.path.stat().st_size)
        # An empty line in place of the hint keeps the count of lines right.
        is_hinted = file.tell() > 0
        lines = chain(["\n"] * is_hinted, file)
        records = _without_empty_end(_records(lines, empty.separator or ","))
        _, header = next(records, (0, []))
        row = next(records, None)
        names = _checked_names(empty.name, header, [] if row is None else [row[1]])
        if row is None:
            raise ValueError(f"{empty.name} has column names but no rows")
        chosen = set(names if wanted is None else wanted)
        picked = [i for i, name in enumerate(names) if name in chosen]
        first = 0
        following: Iterator[tuple[int, list[str]]] = chain([row], records)
        while piece := _some(following, empty, names, first):
            starts = np.array([line for line, _ in piece], dtype=np.intp)
            table = replace(
                empty,
                columns={names[i]: _cells([cells[i] for _, cells in piece]) for i in picked},
                lines=starts,
                first_row=first,
                all_names=tuple(names),
                own_rows=len(piece),
            )
            first += len(piece)
            buffer: Any = file.buffer
            share = min(1.0, buffer.tell() / n_bytes)
            yield share, table


def _some(
    records: Iterator[tuple[int, list[str]]], empty: TableFile, names: list[str], first: int
) -> list[tuple[int, list[str]]]:
    """Return the next records, as many as make up a piece; none at the end."""
    found: list[tuple[int, list[str]]] = []
    size = 0
    for line, cells in records:
        if len(cells) != len(names):
            place = replace(empty, lines=np.array([line]), first_row=first + len(found))
            _check_width(place, 0, cells, names)
        found.append((line, cells))
        size += CELL_BYTES * len(cells) + sum(map(len, cells))
        if size >= PIECE_BYTES:
            break
    return found


def _without_empty_end(
    records: Iterable[tuple[int, list[str]]],
) -> Iterator[tuple[int, list[str]]]:
    """Leave out rows of nothing but separators at the end, as spreadsheets append them."""
    held: list[tuple[int, list[str]]] = []
    is_header = True
    for line, cells in records:
        if is_header or any(cells):
            yield from held
            held.clear()
            yield line, cells
        else:
            held.append((line, cells))
        is_header = False


def _cells(values: list[str]) -> NDArray[Any]:
    cells = np.empty(len(values), dtype=object)
    cells[:] = values
    return cells


def _opened(path: Path, encoding: str) -> io.TextIOWrapper:
    return path.open(encoding=encoding, newline="")


def _encoding_of(path: Path) -> tuple[str, list[str]]:
    """Find the encoding in which all of a file can be read, and how messages call it."""
    with path.open("rb") as file:
        start = file.read(CHUNK_BYTES)
    _refuse_binary(str(path), start)
    for encoding in _encodings(start):
        decoder = codecs.getincrementaldecoder(encoding)()
        try:
            with path.open("rb") as file:
                is_text = True
                while is_text and (data := file.read(CHUNK_BYTES)):
                    is_text = "\0" not in decoder.decode(data)
                decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            continue
        if not is_text:
            break
        return encoding, _title(encoding)
    raise ValueError(f"{path} is not a text file; {READABLE}")
