"""Rules of the flagship in a model file, which has had two forms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fuzzyucs.deployment.model_file.part import Attributes, Json, Part
from fuzzyucs.deployment.model_file.rules import RulesFormat
from fuzzyucs.deployment.model_file.strict_json import Node

__all__ = ["forms"]

FIRST = 1  # of files that do not name their form


def forms(formats: Mapping[int, RulesFormat]) -> Part:
    """Return the part that holds `rules_` of a model that may have several forms, and `form_`.

    Parameters
    ----------
    formats : dict of int to RulesFormat
        How the rules of each form are written and read.

    Returns
    -------
    Part
    """

    def write(clf: Any) -> Json:
        rules = formats[clf.form_]
        variables = rules.variables.write(clf.rules_.variables, clf)
        written: dict[str, Json] = rules.write(clf.rules_, clf, variables)
        return {"form": clf.form_, **written}

    def read(node: Node, clf: Any) -> Attributes:
        form, rest = FIRST, node
        if isinstance(node.value, dict) and "form" in node.value:
            form = Node(node.value["form"], f"{node.path}.form").integer(FIRST, max(formats))
            others = {key: value for key, value in node.value.items() if key != "form"}
            rest = Node(others, node.path)
        return {"rules_": formats[form].read(rest, clf, None), "form_": form}

    return Part(("rules_", "form_"), write, read)
