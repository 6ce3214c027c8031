"""Experts' rules on the command line: a model of them alone, and what data think of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from fuzzyucs._util.wording import counted
from fuzzyucs._util.wrapping import Line
from fuzzyucs.cli.outputs import writing
from fuzzyucs.cli.terminal import print_json, print_lines, print_text

if TYPE_CHECKING:
    from fuzzyucs.rules.expert_report import ExpertReport

__all__ = ["fit_rules_alone", "print_experts"]


def fit_rules_alone(
    rules: Path | None, output: Path, options: Mapping[str, Any], *, as_json: bool
) -> None:
    """Save a model of experts' rules without data.

    Parameters
    ----------
    rules : Path, optional
        The file of the rules.
    output : Path
        The model to write.
    options : mapping
        Options of training by name, of which base rates alone have a meaning.
    as_json : bool
        Whether to print JSON.
    """
    if rules is None:
        raise typer.BadParameter("expected DATA, a table to learn from, or --rules, or both")
    for name, given in options.items():
        if given and name != "base_rates":
            raise ValueError(f"--{name.replace('_', '-')} is for training, but there is no table")
    from fuzzyucs import EvidentialRuleClassifier
    from fuzzyucs.cli.class_numbers import read_base_rates

    clf = EvidentialRuleClassifier.from_rules(rules)
    if options["base_rates"] is not None:
        classes = clf.classes_.tolist()
        rates = read_base_rates(options["base_rates"], classes)
        # In the order of the classes, as model files have them.
        clf = clf.with_base_rates(
            rates if rates == "equal" else [rates[label] for label in classes]
        )
    with writing(output):
        clf.save(output)
        if as_json:
            print_json(
                {
                    "model": str(output),
                    "estimator": type(clf).__name__,
                    "rows": 0,
                    "features": clf.feature_names_in_.tolist(),
                    "classes": clf.classes_.tolist(),
                    "rules": len(clf.rules_),
                    **clf.rules_.model_as_dict(),
                }
            )
            return
        n_rules = counted(len(clf.rules_), "expert's rule", "experts' rules")
        print_text(f"{output}: {n_rules}, without data")
        print_lines([Line(clf.rules_.note)], clf.classes_)


def print_experts(report: ExpertReport, classes: Iterable[Any]) -> None:
    """Print what the training data think of experts' rules."""
    print_text("\nExperts' rules, and what these data think of them:\n")
    print_lines(report.text_lines(), classes)
