"""What was decided about the columns of a table, in words."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from fuzzyucs._util.wording import counted
from fuzzyucs.cli.tables.identifiers import identifiers
from fuzzyucs.cli.tables.kinds import ColumnReader
from fuzzyucs.cli.tables.wording import listed, quotable, short
from fuzzyucs.cli.tables.zeros import lone_zeros
from fuzzyucs.variables.borders import write_value
from fuzzyucs.variables.columns import Column
from fuzzyucs.variables.table_form import DATE_PARTS, TableForm

__all__ = ["notes_on"]


def notes_on(columns: Sequence[Column], reader: ColumnReader, form: TableForm) -> list[str]:
    """Tell what the columns of a table to learn from hold.

    Parameters
    ----------
    columns : sequence of Column
        The columns.
    reader : ColumnReader
        Who has read them.
    form : TableForm
        How they were read.

    Returns
    -------
    list of str
    """
    notes = []
    kinds: dict[str, list[str]] = {"nominal": [], "ordered": []}
    for column in columns:
        categories = column.categories()
        if categories is not None:
            kind = "ordered" if categories.is_ordered else "nominal"
            kinds[kind].append(f"{column.name!r} ({short(categories.terms)})")
    notes += [f"{kind}: {', '.join(names)}" for kind, names in kinds.items() if names]
    if reader.codes:
        instead = " ".join(f"--type {shlex.quote(f'{name}=number')}" for name in reader.codes)
        notes.append(
            f"{listed(reader.codes)} has codes with zeros at the beginning, which are categories; "
            f"if they are numbers: {instead}"
        )
    if reader.units:
        units = ", ".join(f"{name!r} ({unit})" for name, unit in reader.units.items())
        notes.append(f"numbers with a unit: {units}")
    for name, own in form.dates.items():
        parts = [own.feature(name, part) for part in DATE_PARTS]
        made = [column.name for column in columns if column.name in parts]
        notes.append(f"dates: {name!r}, read as {own.style}, became {listed(made)}")
    if numbered := identifiers(columns):
        drop = " ".join(f"--drop {shlex.quote(name)}" for name in numbered)
        notes.append(f"{listed(numbered)} numbers the rows; if that carries no information: {drop}")
    if zeros := lone_zeros(columns):
        told = [
            f"{name!r} ({counted(n, 'row', 'rows')}; all others {write_value(least)} or more)"
            for name, (n, least) in zeros.items()
        ]
        markers = " ".join(f"--missing-marker {quotable(f'{name}=0')}" for name in zeros)
        notes.append(f"0 may stand for missing: {', '.join(told)}; if it does: {markers}")
    return notes
