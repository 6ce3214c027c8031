"""Evidence: belief masses over the classes and over "I don't know"."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs._checks import select_rows

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Evidence"]


@dataclass(frozen=True, eq=False, repr=False)
class Evidence:
    """What the rules say about each of several inputs, in Dempster-Shafer theory.

    The focal elements are the single classes and the whole frame of discernment (Theta in the
    article), whose mass is the ignorance. Indexing selects inputs.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
        Class labels.
    mass : ndarray of shape (n_samples, n_classes)
        Normalised belief mass of each class.
    ignorance : ndarray of shape (n_samples,)
        Normalised mass of Theta: "I don't know". ``mass.sum(axis=1) + ignorance`` is 1.
    log_agreement : ndarray of shape (n_samples,)
        log(1 - K), K being the conflict. It tells degrees of conflict apart that are all 1 in
        double precision; minus infinity means total conflict.

    Attributes
    ----------
    conflict : ndarray of shape (n_samples,)
        Mass K that Dempster's rule gave to the empty set before normalisation.
    belief : ndarray of shape (n_samples, n_classes)
        Evidence that implies the class.
    plausibility : ndarray of shape (n_samples, n_classes)
        Evidence that does not contradict the class.
    pignistic : ndarray of shape (n_samples, n_classes)
        Probabilities for a decision: ignorance is shared equally among the classes.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs import Evidence
    >>> evidence = Evidence(
    ...     classes=np.array(["ill", "well"]),
    ...     mass=np.array([[0.7, 0.1]]),
    ...     ignorance=np.array([0.2]),
    ...     log_agreement=np.array([np.log(0.5)]),
    ... )
    >>> evidence.pignistic
    array([[0.8, 0.2]])
    >>> evidence.plausibility
    array([[0.9, 0.3]])
    >>> evidence.conflict
    array([0.5])
    """

    classes: NDArray[Any]
    mass: NDArray[np.float64]
    ignorance: NDArray[np.float64]
    log_agreement: NDArray[np.float64]

    @cached_property
    def conflict(self) -> NDArray[np.float64]:
        """Conflict K of the sources."""
        conflict: NDArray[np.float64] = 0.0 - np.expm1(self.log_agreement)
        return conflict

    @property
    def belief(self) -> NDArray[np.float64]:
        """Belief in each class; for a single class, its mass."""
        return self.mass

    @cached_property
    def plausibility(self) -> NDArray[np.float64]:
        """Plausibility of each class."""
        return self.mass + self.ignorance[:, np.newaxis]

    @cached_property
    def pignistic(self) -> NDArray[np.float64]:
        """Pignistic probability of each class (BetP in the article)."""
        return self.mass + self.ignorance[:, np.newaxis] / len(self.classes)

    def __len__(self) -> int:
        return len(self.mass)

    def __getitem__(self, key: Any) -> Evidence:
        rows = select_rows(len(self), key)
        return Evidence(
            self.classes, self.mass[rows], self.ignorance[rows], self.log_agreement[rows]
        )

    def to_frame(self) -> pd.DataFrame:
        """Return a pandas DataFrame: a row per input, masses, ignorance and conflict.

        Examples
        --------
        >>> import numpy as np
        >>> from fuzzyucs import Evidence
        >>> evidence = Evidence(
        ...     np.array([0, 1]), np.array([[0.7, 0.1]]), np.array([0.2]), np.array([0.0])
        ... )
        >>> evidence.to_frame()
           mass 0  mass 1  ignorance  conflict
        0     0.7     0.1        0.2       0.0
        """
        from fuzzyucs._optional import import_pandas

        columns = {f"mass {label}": self.mass[:, i] for i, label in enumerate(self.classes)}
        columns |= {"ignorance": self.ignorance, "conflict": self.conflict}
        return import_pandas().DataFrame(columns)

    def __repr__(self) -> str:
        return (
            f"<Evidence: {len(self)} inputs, {len(self.classes)} classes, "
            f"mean ignorance {self.ignorance.mean() if len(self) else 0.0:.3g}>"
        )
