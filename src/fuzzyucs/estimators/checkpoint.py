"""Checkpoints: what the fit of a large table has found so far, in a file."""

from __future__ import annotations

import hashlib
import io
import os
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fuzzyucs._util.files import replacing
from fuzzyucs.estimators.growth import Grown, Growth
from fuzzyucs.estimators.stage import Stage

__all__ = ["Checkpoint", "fingerprint"]

NUMBERS = ("penalty", "most", "n_rules", "accuracy", "log_loss", "answer_threshold")
STATE = ("rules", "neutral", "strengths", "adjustments", "known", "groups", "units", "penalty")


def fingerprint(things: Iterable[Any]) -> str:
    """Return a text that differs if one of some arrays, numbers or texts does.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.estimators.checkpoint import fingerprint
    >>> fingerprint([np.arange(3), "a"]) == fingerprint([np.arange(3), "b"])
    False
    """
    digest = hashlib.sha256()
    for thing in things:
        is_array = isinstance(thing, np.ndarray) and thing.dtype != object
        text = thing.dtype.str.encode() + thing.tobytes() if is_array else repr(thing).encode()
        digest.update(len(text).to_bytes(8, "little") + text)
    return digest.hexdigest()


class Checkpoint:
    """A file from which a fit goes on where another one was interrupted.

    Parameters
    ----------
    path : path
        The file. It is replaced after each penalty, never half written.
    belongs_to : str
        Fingerprint of the data and the parameters.
    """

    def __init__(self, path: str | os.PathLike[str], belongs_to: str) -> None:
        self.path = Path(path)
        self.belongs_to = belongs_to

    def save(self, stages: Sequence[Stage], state: Sequence[Any]) -> None:
        """Write down what was found with each penalty, and what it takes to go on."""
        arrays: dict[str, Any] = {"belongs_to": self.belongs_to}
        arrays |= {f"state_{name}": value for name, value in zip(STATE, state, strict=True)}
        for name in NUMBERS:
            arrays[name] = np.array([getattr(stage, name) for stage in stages])
        for number, stage in enumerate(stages):
            arrays[f"losses_{number}"] = stage.losses
            if stage.grown is not None:  # there is but one fold
                arrays[f"profile_{number}"] = stage.grown.profile
                for feature, sets in enumerate(stage.grown.accepted):
                    arrays[f"accepted_{number}_{feature}"] = sets
        with replacing(self.path) as file:
            np.savez_compressed(file, **arrays)

    def load(self, growth: Growth) -> tuple[list[Stage], tuple[Any, ...]] | None:
        """Read what was found so far; None if there is no file yet."""
        if not self.path.exists():
            return None
        try:
            with np.load(io.BytesIO(self.path.read_bytes()), allow_pickle=False) as file:
                arrays = dict(file)
            owner = str(arrays["belongs_to"])
            numbers = list(zip(*(arrays[name].tolist() for name in NUMBERS), strict=True))
            *state, penalty = (arrays[f"state_{name}"] for name in STATE)
            features = range(len(growth.fine.features)) if owner == self.belongs_to else ()
            grown = [
                Grown([arrays[f"accepted_{k}_{f}"] for f in features], arrays[f"profile_{k}"])
                for k in range(len(numbers))
            ]
            losses = [arrays[f"losses_{k}"] for k in range(len(numbers))]
        except (OSError, EOFError, KeyError, ValueError, zipfile.BadZipFile) as problem:
            raise ValueError(
                f"checkpoint {str(self.path)!r} cannot be read as one; name another file"
            ) from problem
        if owner != self.belongs_to:
            raise ValueError(
                f"checkpoint {str(self.path)!r} belongs to a fit of other data or with other "
                "parameters; remove it or name another file"
            )
        found = zip(numbers, losses, grown, strict=True)
        stages = [Stage(*own, *rest) for own, *rest in found]
        return stages, (*state, float(penalty))
