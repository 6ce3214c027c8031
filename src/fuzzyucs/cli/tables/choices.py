"""What a user says about the columns of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, cast

from fuzzyucs._util.wording import closest
from fuzzyucs.cli.tables.date_parts import DateOrder

__all__ = ["TYPES", "Choices", "ColumnType"]

ColumnType = Literal["number", "category", "date"]
TYPES = ("number", "category", "date")


@dataclass(frozen=True)
class Choices:
    """Choices about the columns of a table to learn from.

    Parameters
    ----------
    nominal : sequence of str
        Columns whose values have no order, though they may be numbers.
    drop : sequence of str
        Columns to leave out.
    ordered : mapping of str to sequence of str
        Categories in their order, by column.
    types : mapping of str to {"number", "category", "date"}
        What columns hold, by column.
    dates : bool
        Whether features are made of columns of dates.
    date_order : {"dmy", "mdy"}, optional
        Whether the day or the month comes first, where dates do not tell.
    drop_unusable : bool
        Whether columns that cannot be used are left out instead of refused.
    """

    nominal: Sequence[str] = ()
    drop: Sequence[str] = ()
    ordered: Mapping[str, Sequence[str]] = field(default_factory=dict)
    types: Mapping[str, ColumnType] = field(default_factory=dict)
    dates: bool = False
    date_order: DateOrder | None = None
    drop_unusable: bool = False

    @classmethod
    def of(
        cls,
        nominal: Sequence[str] | None,
        drop: Sequence[str] | None,
        ordered: Sequence[str] | None,
        types: Sequence[str] | None,
        dates: bool,
        date_order: str | None,
        drop_unusable: bool,
    ) -> Choices:
        """Read choices as the command line has them; the parameters are its options."""
        order = cast("DateOrder | None", None if date_order is None else str(date_order))
        return cls(
            nominal or (),
            drop or (),
            cls.ordered_in(ordered),
            cls.types_in(types),
            dates,
            order,
            drop_unusable,
        )

    @staticmethod
    def ordered_in(entries: Sequence[str] | None) -> dict[str, list[str]]:
        """Read orders of categories as the command line has them.

        Parameters
        ----------
        entries : sequence of str, optional
            Such as ``size=small,medium,large``.

        Returns
        -------
        dict of str to list of str

        Examples
        --------
        >>> from fuzzyucs.cli.tables.choices import Choices
        >>> Choices.ordered_in(["size=small,medium,large"])
        {'size': ['small', 'medium', 'large']}
        """
        found: dict[str, list[str]] = {}
        for entry in entries or ():
            name, mark, rest = entry.partition("=")
            categories = [category.strip() for category in rest.split(",")]
            if not mark or len(categories) < 2 or not all(categories):
                raise ValueError(
                    "--ordered: expected a column and its categories from the least to the "
                    f"greatest, such as size=small,medium,large, got {entry!r}"
                )
            if len(set(categories)) < len(categories):
                raise ValueError(f"--ordered: categories must differ, got {entry!r}")
            found[name.strip()] = categories
        return found

    @staticmethod
    def types_in(entries: Sequence[str] | None) -> dict[str, ColumnType]:
        """Read types of columns as the command line has them.

        Parameters
        ----------
        entries : sequence of str, optional
            Such as ``age=number,postcode=category``.

        Returns
        -------
        dict of str to {"number", "category", "date"}

        Examples
        --------
        >>> from fuzzyucs.cli.tables.choices import Choices
        >>> Choices.types_in(["age=number,postcode=category"])
        {'age': 'number', 'postcode': 'category'}
        """
        found: dict[str, ColumnType] = {}
        for entry in entries or ():
            for pair in entry.split(","):
                name, mark, kind = (part.strip() for part in pair.rpartition("="))
                if not mark or not name or kind not in TYPES:
                    raise ValueError(
                        f"--type: expected a column and one of {', '.join(TYPES)}, such as "
                        f"postcode=category, got {pair!r}{closest(kind, TYPES)}"
                    )
                found[name] = cast(ColumnType, kind)
        return found
