"""What commands read: tables and models."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fuzzyucs._util.formats import START, says_model
from fuzzyucs.cli.terminal import print_message

if TYPE_CHECKING:
    from fuzzyucs.cli.tables.reader import TableReader
    from fuzzyucs.estimators.base import RuleClassifier
    from fuzzyucs.variables.table_form import TableForm

NEWEST_FORM = 2  # of evidential models

__all__ = [
    "features_for",
    "form_of",
    "is_model_file",
    "load_model",
    "open_table",
    "print_summary",
    "read_pieces",
    "target_for",
    "training_data",
]


def load_model(path: Path, data: str | None = None) -> RuleClassifier:
    """Read a model.

    Parameters
    ----------
    path : Path
        A file that the command ``fit`` or the method ``save`` wrote.
    data : str, optional
        The table that is named after it, to notice that the two are swapped.

    Returns
    -------
    RuleClassifier
    """
    if not path.is_file():
        raise FileNotFoundError(f"there is no model {path}; 'fuzzyucs fit' writes one")
    from fuzzyucs import load

    try:
        clf = load(path)
    except ValueError as error:
        if data is not None and is_model_file(data) and not is_model_file(path):
            raise ValueError(
                f"{data} is a model and {path} is none; the model comes first: MODEL DATA"
            ) from None
        raise ValueError(f"{error}; expected a file that 'fuzzyucs fit' wrote") from error
    if getattr(clf, "form_", NEWEST_FORM) < NEWEST_FORM:
        print_message(
            f"fuzzyucs: {path} was saved by version 0.1.0: older form, without base rates and "
            "verdicts; fit anew for these"
        )
    return clf


def is_model_file(path: str | Path) -> bool:
    """Tell whether a file says that it is a model.

    Parameters
    ----------
    path : path
        A file, or anything else.

    Returns
    -------
    bool
    """
    if not Path(path).is_file():  # a pipe might wait for ever
        return False
    try:
        with open(path, encoding="utf-8") as file:
            return says_model(file.read(START))
    except (OSError, ValueError):
        return False


def open_table(
    data: str, separator: str | None, decimal: str | None, markers: list[str] | None
) -> TableReader:
    """Read a table.

    Parameters
    ----------
    data : str
        A file, or ``"-"`` for standard input.
    separator, decimal : str, optional
        Separator of cells and decimal mark; by default they are detected.
    markers : list of str, optional
        Markers of missing values, besides the usual ones.

    Returns
    -------
    TableReader
    """
    from fuzzyucs.cli.tables.file import read_table
    from fuzzyucs.cli.tables.reader import TableReader

    table = read_table(data, separator=separator)
    # The option's callback lets nothing else through than a point or a comma.
    return TableReader(table, markers=markers or (), decimal=decimal)  # type: ignore[arg-type]


def read_pieces(
    clf: RuleClassifier,
    data: str,
    separator: str | None,
    decimal: str | None,
    markers: list[str] | None,
    *,
    others: Sequence[str] = (),
    quiet: bool = False,
) -> Iterator[TableReader]:
    """Read what a model asks for, some rows at a time, with a bar that tells how far it is.

    Parameters
    ----------
    clf : RuleClassifier
        The model.
    data : str
        A file, a folder of Parquet files, or ``"-"`` for standard input.
    separator, decimal, markers
        As for `open_table`.
    others : sequence of str
        Further columns to read.
    quiet : bool
        Whether to show no bar.

    Yields
    ------
    TableReader
        The next rows. Once `features_for` was called for all, the last can tell about all of them.
    """
    from fuzzyucs.cli.tables.pieces import open_pieces
    from fuzzyucs.cli.tables.reader import TableReader
    from fuzzyucs.cli.tables.tally import Tally
    from fuzzyucs.estimators.progress import ProgressBar

    names = None
    if hasattr(clf, "feature_names_in_"):
        names = [*form_of(clf).columns_for(clf.feature_names_in_.tolist()), *others]
    pieces = open_pieces(data, separator).read(names)
    tally, known, n_rows = Tally(), decimal, 0
    with ProgressBar() if sys.stderr.isatty() and not quiet else nullcontext() as bar:
        for share, piece in pieces:
            reader = TableReader(piece, markers or (), known, tally=tally)  # type: ignore[arg-type]
            yield reader
            known, n_rows = reader.decimal, n_rows + piece.n_rows
            if bar and (share < 1 or n_rows > piece.n_rows):
                if n_rows == piece.n_rows:  # the first of several pieces
                    bar.begin("Classifying rows")
                bar.show(round(1000 * share), 1000, f"{n_rows:,} rows")


def training_data(
    reader: TableReader, target: str, choices: Sequence[Any], *, skip_unlabelled: bool
) -> tuple[Any, Any]:
    """Return features and labels to learn from.

    Parameters
    ----------
    reader : TableReader
        A table.
    target : str
        The column that holds the class.
    choices : sequence
        What options say about other columns, in the order of `Choices.of`.
    skip_unlabelled : bool
        Whether rows without a class are left out instead of refused.

    Returns
    -------
    X : pandas.DataFrame of shape (n_rows, n_features)
    y : ndarray of shape (n_rows,)
    """
    from fuzzyucs.cli.tables.choices import Choices

    if skip_unlabelled:
        reader.skip_unlabelled(target)
    return reader.training_data(target, Choices.of(*choices))


def form_of(clf: RuleClassifier) -> TableForm:
    """Return how the table was read that a model learned from.

    Parameters
    ----------
    clf : RuleClassifier
        The model.

    Returns
    -------
    TableForm
    """
    from fuzzyucs.variables.table_form import TableForm

    return getattr(clf, "table_form_", TableForm())


def target_for(target: str | None, clf: RuleClassifier | None = None) -> str:
    """Return the column that holds the class.

    Parameters
    ----------
    target : str, optional
        What the command line says.
    clf : RuleClassifier, optional
        A model, which may remember from which column it learned.

    Returns
    -------
    str
    """
    if target is not None:
        return target
    if clf is None:
        raise ValueError("--target: name the column that holds the class")
    known = form_of(clf).target
    if known is None:
        raise ValueError(
            "--target: the model does not remember the column that held the class; name it"
        )
    return known


def features_for(clf: RuleClassifier, reader: TableReader) -> Any:
    """Return the columns that a model asks for.

    Parameters
    ----------
    clf : RuleClassifier
        The model.
    reader : TableReader
        A table.

    Returns
    -------
    pandas.DataFrame or ndarray of shape (n_rows, n_features)
        An array if the model knows its features by their order only.
    """
    has_names = hasattr(clf, "feature_names_in_")
    names = clf.feature_names_in_.tolist() if has_names else list(reader.table.names)
    if len(names) != clf.n_features_in_:
        raise ValueError(
            f"the model knows its {clf.n_features_in_} features by their order only, but "
            f"{reader.table.name} has {len(names)} columns"
        )
    categories, times = clf.columns_.categories, clf.columns_.times
    frame = reader.features_for(
        {
            name: categories[i].labels if i in categories else times.get(i)
            for i, name in enumerate(names)
        },
        form_of(clf),
    )
    return frame if has_names else frame.to_numpy()


def print_summary(reader: TableReader, quiet: bool) -> None:
    """Print what was found in a table, unless that is not wanted.

    Parameters
    ----------
    reader : TableReader
        The table.
    quiet : bool
        Whether to print nothing.
    """
    if not quiet:
        print_message(reader.summary())
