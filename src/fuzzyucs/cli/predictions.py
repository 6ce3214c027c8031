"""Predictions that are written piece by piece, completely or not at all."""

from __future__ import annotations

import io
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from fuzzyucs._util.escaping import spreadsheet_frame
from fuzzyucs._util.files import replacing
from fuzzyucs.cli.outputs import writing
from fuzzyucs.cli.prediction_table import PredictionTable
from fuzzyucs.cli.terminal import escaped_json, print_data

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["FrameWriter", "open_writer"]

N_CHARACTERS = 2**20  # that are printed at a time
GROUP_ROWS = 2**14  # of Parquet


class FrameWriter:
    r"""Writes data frames one below the other.

    Parameters
    ----------
    file : file
        Where to write bytes.
    form : {"csv", "json", "parquet"}
        How to write them.

    Examples
    --------
    >>> import io
    >>> import pandas as pd
    >>> from fuzzyucs.cli.predictions import FrameWriter
    >>> file = io.BytesIO()
    >>> writer = FrameWriter(file, "csv")
    >>> writer.add(pd.DataFrame({"a": [1.0]}))
    >>> writer.add(pd.DataFrame({"a": [2.5]}))
    >>> writer.close()
    >>> file.getvalue()
    b'a\n1\n2.5\n'
    """

    def __init__(self, file: BinaryIO, form: str) -> None:
        self.file = file
        self.form = form
        self._is_empty = True
        self._parquet: Any = None
        self._waiting: list[Any] = []  # tables for the next group of rows

    def add(self, frame: pd.DataFrame) -> None:
        """Write the next rows, at least one."""
        {"csv": self._add_csv, "json": self._add_json, "parquet": self._add_parquet}[self.form](
            frame
        )
        self._is_empty = False

    def close(self) -> None:
        """Write what ends a file, also of one that will be thrown away."""
        if self.form == "json":
            self.file.write(b"[]\n" if self._is_empty else b"\n]\n")
        if self._parquet is not None:
            self._write_group()
            self._parquet.close()

    def _add_csv(self, frame: pd.DataFrame) -> None:
        text = spreadsheet_frame(frame).to_csv(
            index=False, header=self._is_empty, float_format="%.6g", lineterminator="\n"
        )
        self.file.write(text.encode())

    def _add_json(self, frame: pd.DataFrame) -> None:
        text = frame.to_json(orient="records", indent=1, double_precision=15)
        records = text.removeprefix("[\n").removesuffix("\n]")
        self.file.write((("[\n" if self._is_empty else ",\n") + records).encode())

    def _add_parquet(self, frame: pd.DataFrame) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        if self._parquet is None:
            # A piece may have no reason at all, which would not be of the type of text.
            fields = [
                (name, pa.string() if dtype.kind == "O" else pa.from_numpy_dtype(dtype))
                for name, dtype in frame.dtypes.items()
            ]
            texts = [name for name, dtype in fields if dtype == pa.string()]
            self._parquet = pq.ParquetWriter(self.file, pa.schema(fields), use_dictionary=texts)
        table = pa.Table.from_pandas(
            frame, schema=self._parquet.schema, preserve_index=False, nthreads=1
        )
        self._waiting.append(table.replace_schema_metadata(None))
        if sum(map(len, self._waiting)) >= GROUP_ROWS:
            self._write_group()

    def _write_group(self) -> None:
        import pyarrow as pa

        if self._waiting:
            self._parquet.write_table(pa.concat_tables(self._waiting))
            self._waiting.clear()


@contextmanager
def open_writer(output: Path | None, *, as_json: bool) -> Iterator[FrameWriter | PredictionTable]:
    """Write frames to a file, or print them, once the block has ended without a failure.

    Parameters
    ----------
    output : Path or None
        The file, CSV unless its name ends with ``.parquet``; None prints, on a terminal the first
        rows in columns.
    as_json : bool
        Whether to write JSON instead.

    Yields
    ------
    FrameWriter or PredictionTable
    """
    form = "json" if as_json else "csv"
    if output is not None:
        form = "parquet" if output.suffix.lower() == ".parquet" and not as_json else form
        with writing(output), replacing(output) as file, closing(FrameWriter(file, form)) as writer:
            yield writer
        return
    if sys.stdout.isatty() and not as_json:
        table = PredictionTable()
        yield table
        table.close()
        return
    with tempfile.TemporaryFile() as spool:
        with closing(FrameWriter(spool, form)) as writer:
            yield writer
        spool.seek(0)
        text = io.TextIOWrapper(spool, encoding="utf-8", newline="")
        while part := text.read(N_CHARACTERS):
            print_data(escaped_json(part) if as_json else part)
