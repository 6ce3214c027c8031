"""Files of tables as datasets of Arrow, read with as little memory as possible."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from fuzzyucs._util.optional import import_pyarrow
from fuzzyucs.variables.csv_files import CsvTable

__all__ = ["dataset_of", "format_of", "name_of", "scan"]

BUFFER_BYTES = 2**16  # of a column of Parquet that are read at a time


def format_of(path: Path) -> str:
    """Find out what a file holds.

    Parameters
    ----------
    path : Path
        A file or a folder.

    Returns
    -------
    {"parquet", "ipc", "csv"}
        By the first bytes of a file: ``"ipc"`` is Arrow's own. A folder holds Parquet files.
    """
    if not path.exists():
        raise FileNotFoundError(f"there is no file {path}")
    if path.is_dir():
        return "parquet"
    with path.open("rb") as file:
        start = file.read(6)
    return "parquet" if start.startswith(b"PAR1") else "ipc" if start == b"ARROW1" else "csv"


def dataset_of(source: Any, target: str | None = None) -> Any:
    """Open a table without reading it.

    Parameters
    ----------
    source : Path or pyarrow.dataset.Dataset
        A file, a folder of Parquet files, or a dataset.
    target : str, optional
        The column that holds classes.

    Returns
    -------
    pyarrow.dataset.Dataset or CsvTable
    """
    pa = import_pyarrow()
    import pyarrow.dataset as ds

    if hasattr(source, "scanner"):
        return source
    path = Path(source)
    kind = format_of(path)
    if kind == "csv":
        return CsvTable.of(path, target)
    try:
        found = ds.dataset(path, format=kind, partitioning="hive" if path.is_dir() else None)
    except pa.ArrowInvalid as problem:
        raise ValueError(f"{path} cannot be read as a table: {problem}") from problem
    if path.is_dir() and not found.files:
        raise ValueError(f"{path} must be a folder of Parquet files, got one without any")
    return found


def name_of(source: Any) -> str:
    """Return how messages call a table."""
    return str(source) if isinstance(source, Path) else "the dataset"


def scan(source: Any, dataset: Any, names: Sequence[str], n_rows: int) -> Iterator[Any]:
    """Read some columns of a table, one batch at a time and none ahead.

    Parameters
    ----------
    source : Path or pyarrow.dataset.Dataset
        Where the table comes from.
    dataset : pyarrow.dataset.Dataset or CsvTable
        The same, opened by `dataset_of`.
    names : sequence of str
        Columns, in the order wanted.
    n_rows : int
        Greatest number of rows of a batch. Files of Arrow and CSV may have more.

    Yields
    ------
    pyarrow.RecordBatch
        With at least one row.
    """
    if not isinstance(source, Path):
        batches = _from_scanner(dataset, names, n_rows)
    elif isinstance(dataset, CsvTable):
        batches = dataset.batches(names)
    elif format_of(source) == "parquet":
        batches = _from_parquet(dataset, names, n_rows)
    else:
        batches = _from_arrow(source, names)
    for batch in batches:
        if len(batch):
            yield batch


def _from_scanner(dataset: Any, names: Sequence[str], n_rows: int) -> Iterator[Any]:
    """Read a dataset by its own means, since it may filter rows."""
    scanner = dataset.scanner(
        columns=list(names),
        batch_size=n_rows,
        batch_readahead=0,
        fragment_readahead=0,
        use_threads=False,
    )
    yield from scanner.to_batches()


def _from_arrow(path: Path, names: Sequence[str]) -> Iterator[Any]:
    pa = import_pyarrow()
    with pa.OSFile(str(path)) as file, pa.ipc.open_file(file) as reader:
        for i in range(reader.num_record_batches):
            yield reader.get_batch(i).select(list(names))


def _from_parquet(dataset: Any, names: Sequence[str], n_rows: int) -> Iterator[Any]:
    """Read files page by page: scanners of Arrow read whole groups of rows, and several ahead."""
    import pyarrow.dataset as ds
    import pyarrow.parquet as pq

    for fragment in dataset.get_fragments():
        constants = ds.get_partition_keys(fragment.partition_expression)
        with (
            fragment.filesystem.open_input_file(fragment.path) as handle,
            pq.ParquetFile(handle, buffer_size=BUFFER_BYTES, pre_buffer=False) as file,
        ):
            own = [name for name in names if name in file.schema_arrow.names]
            own = [name for name in own if name not in constants]
            for batch in file.iter_batches(n_rows, columns=own, use_threads=False):
                yield _completed(batch, dataset.schema, names, constants)


def _completed(batch: Any, schema: Any, names: Sequence[str], constants: dict[str, Any]) -> Any:
    """Return a batch with the columns wanted, in the types of the whole table."""
    pa = import_pyarrow()
    present = set(batch.schema.names)
    arrays = []
    for name in names:
        dtype = schema.field(name).type
        if name in present:
            array = batch.column(name)
            arrays.append(array if array.type == dtype else array.cast(dtype))
        else:  # a partition, or a column that other files of the folder have
            arrays.append(pa.repeat(pa.scalar(constants.get(name), dtype), len(batch)))
    return pa.RecordBatch.from_arrays(arrays, names=list(names))
