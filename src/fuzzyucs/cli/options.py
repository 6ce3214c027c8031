"""Arguments and options that several commands share, and checks of single options."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

__all__ = [
    "AsJson",
    "BaseRates",
    "ClassWeight",
    "Costs",
    "Data",
    "DateOrder",
    "Dates",
    "DecimalMark",
    "Drop",
    "DropUnusable",
    "Estimator",
    "Examples",
    "Force",
    "ImageShape",
    "Keep",
    "Kind",
    "KnownTarget",
    "Labels",
    "Markers",
    "MaxRules",
    "Memory",
    "Model",
    "Nominal",
    "Order",
    "Ordered",
    "OtherBaseRates",
    "Quiet",
    "Seed",
    "Separator",
    "Sizes",
    "SkipUnlabelled",
    "Target",
    "Types",
    "Units",
    "at_least",
    "random_seed",
    "share",
]


class Estimator(StrEnum):
    """Classifiers to choose from."""

    evidential = "evidential"
    fuzzyucs = "fuzzyucs"
    ucs = "ucs"


class DateOrder(StrEnum):
    """What comes first in dates."""

    dmy = "dmy"
    mdy = "mdy"


def at_least(least: int) -> Callable[[int | None], int | None]:
    """Return a check that a number is not too small.

    Parameters
    ----------
    least : int
        The smallest number allowed.

    Returns
    -------
    callable
        For the parameter ``callback`` of an option.
    """

    def check(number: int | None) -> int | None:
        if number is not None and number < least:
            raise typer.BadParameter(f"must be at least {least}, got {number}")
        return number

    return check


def random_seed(number: int) -> int:
    """Check that a number is a seed as estimators take it.

    Parameters
    ----------
    number : int
        The number.

    Returns
    -------
    int
        The same.
    """
    if not 0 <= number < 2**32:
        raise typer.BadParameter(f"must lie between 0 and {2**32 - 1}, got {number}")
    return number


def share(number: float) -> float:
    """Check that a number is a share: greater than 0 and less than 1.

    Parameters
    ----------
    number : float
        The number.

    Returns
    -------
    float
        The same.
    """
    if not 0 < number < 1:
        raise typer.BadParameter(f"must lie between 0 and 1, got {number:g}")
    return number


def _without_warnings(is_quiet: bool) -> bool:
    if is_quiet:
        warnings.simplefilter("ignore", UserWarning)  # until `main` returns
    return is_quiet


def _memory(text: str | None) -> str | None:
    from fuzzyucs._util.sizes import bytes_in

    try:
        if text is not None:
            bytes_in(text, "--memory")
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    return text


def _decimal(text: str | None) -> str | None:
    if text not in (None, ".", ","):
        raise typer.BadParameter(f"must be . or , got {text!r}")
    return text


def _separator(text: str | None) -> str | None:
    text = {"tab": "\t", "\\t": "\t"}.get(text or "", text)
    if text is not None and len(text) != 1:
        raise typer.BadParameter(f"must be one character, or the word tab, got {text!r}")
    return text


Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="CSV, JSON lines, Excel (book.xlsx#sheet), Parquet or Arrow file with column names, "
        "packed or not, or a folder of Parquet files; - reads standard input.",
        show_default=False,
    ),
]
OptionalData = Annotated[
    str | None,
    typer.Argument(
        metavar="[DATA]",
        help="CSV, JSON lines, Excel (book.xlsx#sheet), Parquet or Arrow file with column names, "
        "packed or not, or a folder of Parquet files; - reads standard input. With --rules it may "
        "be left out.",
        show_default=False,
    ),
]
Model = Annotated[
    Path,
    typer.Argument(metavar="MODEL", help="File written by fuzzyucs fit.", show_default=False),
]
Target = Annotated[
    str, typer.Option("--target", metavar="NAME", help="Column that holds the class.")
]
KnownTarget = Annotated[
    str | None,
    typer.Option(
        "--target",
        metavar="NAME",
        help="Column that holds the class (default: the one that the model learned from).",
    ),
]
OptionalTarget = Annotated[
    str | None, typer.Option("--target", metavar="NAME", help="Column that holds the class.")
]
ExpertRules = Annotated[
    Path | None,
    typer.Option(
        "--rules",
        metavar="FILE",
        help="Experts' rules (evidential), one per line: IF glucose >= 140 AND age is at least 60 "
        "THEN diabetic, reliability 0.8. Without a table, a model of these alone.",
    ),
]
Nominal = Annotated[
    list[str] | None,
    typer.Option(
        "--nominal",
        metavar="NAME",
        help="Column of codes without order, such as postcodes. May be repeated; columns of text "
        "need not be named.",
    ),
]
Drop = Annotated[
    list[str] | None,
    typer.Option(
        "--drop", "--ignore", metavar="NAME", help="Column to leave out. May be repeated."
    ),
]
DropUnusable = Annotated[
    bool,
    typer.Option(
        "--drop-unusable",
        help="Leave out columns that cannot be used, such as identifiers and free text.",
    ),
]
Ordered = Annotated[
    list[str] | None,
    typer.Option(
        "--ordered",
        metavar="NAME=A,B,...",
        help="Column of categories that have an order, and these from the least to the greatest, "
        "such as size=small,medium,large. May be repeated.",
    ),
]
Types = Annotated[
    list[str] | None,
    typer.Option(
        "--type",
        metavar="NAME=TYPE,...",
        help="What columns hold, where that is not found: number, category or date.",
    ),
]
Dates = Annotated[
    bool,
    typer.Option(
        "--dates", help="Make features of dates: year, month, weekday, and days since the first."
    ),
]
Order = Annotated[
    DateOrder | None,
    typer.Option(
        "--date-order",
        metavar="ORDER",
        help="dmy or mdy: whether the day or the month comes first, where dates do not tell.",
    ),
]
SkipUnlabelled = Annotated[
    bool, typer.Option("--skip-unlabelled", help="Leave out rows without a class.")
]
Markers = Annotated[
    list[str] | None,
    typer.Option(
        "--missing-marker",
        metavar="TEXT",
        help="Marker of missing values, besides empty cells, NA, N/A, NaN, null, ?, - and a point; "
        "COLUMN=TEXT for one column alone. May be repeated; the model remembers it.",
    ),
]
Separator = Annotated[
    str | None,
    typer.Option(
        "--sep",
        metavar="CHARACTER",
        callback=_separator,
        help="Separator of columns (default: detected).",
    ),
]
DecimalMark = Annotated[
    str | None,
    typer.Option(
        "--decimal",
        metavar="CHARACTER",
        callback=_decimal,
        help="Decimal mark, . or , (default: detected).",
    ),
]
Kind = Annotated[
    Estimator,
    typer.Option(
        "--estimator",
        metavar="NAME",
        help="evidential (few rules, learned evidence), fuzzyucs or ucs (the article's systems).",
    ),
]
MaxRules = Annotated[
    int | None,
    typer.Option(
        "--max-rules",
        metavar="NUMBER",
        callback=at_least(1),
        help="Greatest number of rules (evidential).",
    ),
]
Sizes = Annotated[
    bool,
    typer.Option(
        "--sizes",
        help="Tell what models with fewer and with more rules said about held-out rows "
        "(evidential).",
    ),
]
BaseRates = Annotated[
    list[str] | None,
    typer.Option(
        "--base-rates",
        metavar="LABEL=SHARE,...",
        help="How probable classes are without evidence where the model will be used, such as "
        "benign=0.9,malignant=0.1, or equal (evidential; default: their shares in the table).",
    ),
]
OtherBaseRates = Annotated[
    list[str] | None,
    typer.Option(
        "--base-rates",
        metavar="LABEL=SHARE,...",
        help="How probable classes are without evidence in this table, such as "
        "benign=0.9,malignant=0.1, or equal (evidential; default: as in the model).",
    ),
]
Costs = Annotated[
    list[str] | None,
    typer.Option(
        "--costs",
        metavar="LABEL=NUMBER,...",
        help="What it costs to take a class for another, such as malignant=10; 1 for classes that "
        "are not named. Adds a column: the decision that costs least.",
    ),
]
ClassWeight = Annotated[
    list[str] | None,
    typer.Option(
        "--class-weight",
        metavar="LABEL=NUMBER,...",
        help="How much rows of each class count, such as benign=1,malignant=5, or balanced "
        "(evidential).",
    ),
]
Seed = Annotated[
    int,
    typer.Option(
        "--seed", metavar="NUMBER", callback=random_seed, help="Seed of all random numbers."
    ),
]
Units = Annotated[
    list[str] | None,
    typer.Option(
        "--units",
        metavar="FEATURE=UNIT,...",
        help="Units of numbers, such as age=years,bmi=kg/m2. May be repeated.",
    ),
]
Labels = Annotated[
    list[str] | None,
    typer.Option(
        "--labels",
        metavar="NAME=TEXT,...",
        help="Texts to show instead of class labels and names of features, such as "
        "0=well,1=ill,bp=blood pressure. May be repeated.",
    ),
]
Examples = Annotated[
    int | None,
    typer.Option(
        "--examples",
        metavar="NUMBER",
        callback=at_least(1),
        help="Number of records of the table to choose from in the page (default: none, and no "
        "record is in the page).",
    ),
]
ImageShape = Annotated[
    str | None,
    typer.Option(
        "--image-shape",
        metavar="ROWSxCOLUMNS",
        help="If features are the pixels of an image, row by row: its shape, such as 8x8. The page "
        "has a drawing pad then.",
    ),
]
Keep = Annotated[
    list[str] | None,
    typer.Option(
        "--keep",
        metavar="NAME",
        help="Column of the table to write beside the answers, such as an identifier. May be "
        "repeated.",
    ),
]
Force = Annotated[
    bool,
    typer.Option("--force", help="Replace a file that was not written by fuzzyucs."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Write JSON.")]
Memory = Annotated[
    str | None,
    typer.Option(
        "--memory",
        metavar="SIZE",
        callback=_memory,
        help="Greatest memory to take for the table, such as 800MB or 1GiB: it is read in batches.",
    ),
]
Quiet = Annotated[
    bool,
    typer.Option(
        "--quiet",
        "-q",
        callback=_without_warnings,
        help="Do not report what was found in the file, and do not warn.",
    ),
]
