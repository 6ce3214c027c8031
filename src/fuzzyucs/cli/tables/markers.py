"""Markers of missing values: texts for all columns, or for one."""

from __future__ import annotations

from collections.abc import Sequence

from fuzzyucs._util.wording import closest
from fuzzyucs.cli.tables.file import TableFile

__all__ = ["check_markers", "markers_of"]


def markers_of(markers: Sequence[str], name: str) -> list[str]:
    """Return the markers of missing values in a column: those of all, and its own.

    Parameters
    ----------
    markers : sequence of str
        Texts; "column=text" is one for a column alone.
    name : str
        The column.

    Returns
    -------
    list of str

    Examples
    --------
    >>> from fuzzyucs.cli.tables.markers import markers_of
    >>> markers_of(["none", "insulin=0"], "insulin")
    ['none', 'insulin=0', '0']
    """
    own = f"{name}="
    return [*markers, *(m.removeprefix(own) for m in markers if m.startswith(own))]


def check_markers(markers: Sequence[str], table: TableFile) -> None:
    """Refuse markers of a single column that a table does not have.

    Parameters
    ----------
    markers : sequence of str
        As above. A text with an equals sign that stands in the table is a marker as any other.
    table : TableFile
        The table.
    """
    for marker in markers:
        name, sign, _ = marker.partition("=")
        is_known = any(marker.startswith(f"{known}=") for known in table.names)
        if not (name and sign) or is_known:
            continue
        if not any((cells == marker).any() for cells in table.columns.values()):
            hint = closest(name, table.names)
            raise ValueError(
                f"--missing-marker {marker}: {table.name} has no column {name!r}{hint}"
            )
