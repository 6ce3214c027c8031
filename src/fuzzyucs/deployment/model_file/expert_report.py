"""What training data think of experts' rules, in a model file."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from fuzzyucs.deployment.model_file.part import Attributes, Json, Part
from fuzzyucs.deployment.model_file.strict_json import Node
from fuzzyucs.rules.expert_report import ExpertFinding, ExpertReport

__all__ = ["EXPERT_REPORT"]

MAX_COUNT = 2**53
MAX_WORTH = 1e9
COUNTS = ("n_rows", "n_applies", "n_right", "n_disputed", "n_conceded")
AT_MOST = {  # counts, and those that they cannot exceed
    "n_applies": "n_rows",
    "n_right": "n_applies",
    "n_disputed": "n_applies",
    "n_conceded": "n_disputed",
}


def _write(clf: Any) -> Json:
    return [asdict(finding) for finding in clf.expert_report_]


def _read(node: Node, _: Any) -> Attributes:
    return {"expert_report_": ExpertReport(tuple(_read_finding(item) for item in node.items()))}


def _read_finding(node: Node) -> ExpertFinding:
    texts, shares = ("rule", "label"), ("overall", "reliability", "present")
    fields = node.fields([*texts, *COUNTS, *shares, "worth", "opponent"])
    found: dict[str, Any] = {name: fields[name].text() for name in texts}
    found |= {name: fields[name].integer(0, MAX_COUNT) for name in COUNTS}
    found |= {name: fields[name].number(0.0, 1.0) for name in shares}
    for name, whole in AT_MOST.items():
        if found[name] > found[whole]:
            fields[name].refuse(f"at most {whole}")
    found["worth"] = fields["worth"].number(0.0, MAX_WORTH)
    is_alone = fields["opponent"].value is None
    found["opponent"] = None if is_alone else fields["opponent"].text()
    return ExpertFinding(**found)


EXPERT_REPORT = Part(("expert_report_",), _write, _read)
