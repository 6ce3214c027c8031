"""An explanation as JSON has it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from fuzzyucs.explain.flips import Flip
    from fuzzyucs.explain.ledger import Array, Explanation

__all__ = ["explanation_document"]


def explanation_document(explanation: Explanation) -> dict[str, Any]:
    """Return an explanation as JSON has it; what is infinite or unknown becomes None.

    Parameters
    ----------
    explanation : Explanation

    Returns
    -------
    dict
    """
    evidence = explanation.evidence
    labels = explanation.classes.tolist()
    document = {
        "prediction": labels[explanation.class_index],
        "rival": labels[explanation.rival_index],
        "unit": explanation.unit,
        "total": _finite(explanation.total),
        "record": {name: _plain(value) for name, value in explanation.record.items()},
        "probability": _by_class(labels, explanation.probability),
        "mass": _by_class(labels, evidence.mass[0]),
        "ignorance": float(evidence.ignorance[0]),
        "weak_evidence": float(evidence.weak_evidence[0]),
        "novelty": None if evidence.novelty is None else float(evidence.novelty[0]),
        "conflict": float(evidence.conflict[0]),
        "entries": [
            {
                "text": entry.text,
                "conclusion": entry.conclusion,
                "rule": entry.rule,
                "degree": entry.degree,
                "contribution": _finite(explanation.contribution(entry)),
                "amounts": _by_class(labels, entry.amounts),
                "undecided": None if entry.undecided is None else _finite(entry.undecided),
            }
            | ({"kind": entry.kind} if entry.kind else {})
            for entry in explanation.ledger(every=True)
        ],
        "missing": explanation.missing,
        "not_seen": explanation.not_seen,
        "unusual": [str(reason) for reason in explanation.reasons],
        "flips": [_flip(flip) for flip in explanation.flips],
    }
    if evidence.base_rates is None:
        return document
    return _verdict(explanation) | document | _beliefs(explanation, labels)


def _verdict(explanation: Explanation) -> dict[str, Any]:
    verdict = explanation.verdict
    if verdict is None:
        return {}
    return {
        "verdict": verdict.kind,
        "reason": verdict.reason,
        "headline": verdict.headline,
        "sentence": verdict.sentence,
        "guess": verdict.guess,
    }


def _beliefs(explanation: Explanation, labels: Sequence[Any]) -> dict[str, Any]:
    """Return of what probabilities consist: belief + base rate * ignorance."""
    evidence = explanation.evidence
    rates = np.zeros(len(labels)) if evidence.base_rates is None else evidence.base_rates
    return {
        "belief": _by_class(labels, evidence.belief[0]),
        "base_rates": _by_class(labels, rates),
        "contradiction": float(evidence.contradiction[0]),
        "taken_back": _finite(explanation.taken_back),
    }


def _flip(flip: Flip) -> dict[str, Any]:
    return {
        "feature": flip.feature,
        "value": _plain(flip.value),
        "other": _plain(flip.other),
        "prediction": flip.label.item() if hasattr(flip.label, "item") else flip.label,
        "distance": _finite(flip.distance),
        "kind": flip.kind,
        "is_answer": flip.is_answer,
        "reason": flip.reason,
        "text": flip.text,
    }


def _plain(value: Any) -> Any:
    if isinstance(value, datetime | timedelta):
        return str(value)
    return _finite(value) if isinstance(value, float) else value


def _by_class(labels: Sequence[Any], values: Array) -> dict[str, float | None]:
    return {str(label): _finite(value) for label, value in zip(labels, values, strict=True)}


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
