"""Evidence as columns of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from fuzzyucs.evidence.evidence import Evidence

__all__ = ["evidence_columns"]


def evidence_columns(evidence: Evidence) -> dict[str, NDArray[Any]]:
    """Return the columns of `Evidence.to_frame`.

    Parameters
    ----------
    evidence : Evidence

    Returns
    -------
    dict of str to ndarray
    """
    parts: dict[str, NDArray[Any]] = {"ignorance": evidence.ignorance}
    if evidence.novelty is not None:
        parts |= {"weak evidence": evidence.weak_evidence, "novelty": evidence.novelty}
    if evidence.base_rates is None:
        columns = _by_class(evidence, "mass", evidence.mass) | parts
        columns |= {"conflict": evidence.conflict}
        return (
            columns if evidence.novelty is None else columns | {"confidence": evidence.confidence}
        )
    columns = _by_class(evidence, "belief of", evidence.belief)
    columns |= _by_class(evidence, "probability of", evidence.probability) | parts
    columns |= {"contradiction": evidence.contradiction, "confidence": evidence.confidence}
    return columns | {"verdict": evidence.verdict, "reason": evidence.reason}


def _by_class(
    evidence: Evidence, name: str, values: NDArray[np.float64]
) -> dict[str, NDArray[Any]]:
    return {f"{name} {label}": values[:, i] for i, label in enumerate(evidence.classes)}
