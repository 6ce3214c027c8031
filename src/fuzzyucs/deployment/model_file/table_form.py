"""How the training table was read, in a model file."""

from __future__ import annotations

from datetime import date
from typing import Any

from fuzzyucs.deployment.model_file.part import Attributes, Json, Part
from fuzzyucs.deployment.model_file.strict_json import Node
from fuzzyucs.variables.table_form import DateForm, TableForm

__all__ = ["TABLE_FORM"]

MOST = 2**24  # columns


def _write(clf: Any) -> Json:
    form: TableForm = clf.table_form_
    return {
        "markers": list(form.markers),
        "units": [{"column": name, "unit": unit} for name, unit in form.units.items()],
        "dates": [
            {"column": name, "style": found.style, "origin": found.origin}
            for name, found in form.dates.items()
        ],
        **({} if form.target is None else {"target": form.target}),
    }


def _read(node: Node, _: Any) -> Attributes:
    fields = node.fields(["markers", "units", "dates"], ["target"])
    units: dict[str, str] = {}
    dates: dict[str, DateForm] = {}
    for item in fields["units"].items(range(MOST)):
        unit = item.fields(["column", "unit"])
        units[_new_column(unit["column"], units)] = unit["unit"].text()
    for item in fields["dates"].items(range(MOST)):
        found = item.fields(["column", "style", "origin"])
        origin = found["origin"].text()
        try:
            date.fromisoformat(origin)
        except ValueError:
            found["origin"].refuse("a date such as 2013-05-12")
        column = _new_column(found["column"], dates)
        dates[column] = DateForm(found["style"].text(), origin)
    markers = tuple(item.text() for item in fields["markers"].items(range(MOST)))
    target = fields["target"].text() if "target" in fields else None
    return {"table_form_": TableForm(markers, units, dates, target)}


def _new_column(node: Node, known: dict[str, Any]) -> str:
    if node.text() in known:
        node.refuse("another column than those before it")
    return node.text()


TABLE_FORM = Part(("table_form_",), _write, _read)
