"""Evidence: belief masses over the classes and over "I don't know"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs._util import portable_math
from fuzzyucs._util.checks import select_rows
from fuzzyucs._util.wording import counted
from fuzzyucs.evidence import choosing
from fuzzyucs.evidence.evidence_html import evidence_html
from fuzzyucs.evidence.verdict import Thresholds, judge

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Evidence"]


@dataclass(frozen=True, eq=False, repr=False)
class Evidence:
    """What the rules say about each of several inputs, in Dempster-Shafer theory.

    The focal elements are the single classes and the whole frame of discernment (Theta in the
    article), whose mass is the ignorance. Indexing selects inputs.

    Three kinds of uncertainty are told apart: rules that contradict each other (`conflict`), rules
    that say little (`weak_evidence`), and an input unlike the training data (`novelty`). The
    ignorance is what the last two leave undecided together.

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
    weak_evidence : ndarray of shape (n_samples,), optional
        What the rules alone leave undecided. Without novelty, the ignorance.
    novelty : ndarray of shape (n_samples,), optional
        How unlike the training data an input is, from 0 to 1. None if it was not assessed.
    posterior : ndarray of shape (n_samples, n_classes), optional
        Probabilities before novelty is taken into account, if they do not follow from base rates:
        those that follow from the evidence of the rules and a fitted prior, if there is one, else
        the pignistic ones.
    base_rates : ndarray of shape (n_classes,), optional
        How probable classes are without evidence. With them, `probability` is
        ``belief + base_rates * ignorance``.
    contradiction : ndarray of shape (n_samples,), optional
        Share of the evidence that cancels out between rules, from 0 to 1; by default the conflict.
    n_missing : ndarray of shape (n_samples,), optional
        Number of missing values that rules ask for.
    thresholds : Thresholds
        Between which values verdicts change.
    sets : ndarray of shape (n_sets, n_classes), optional
        Sets of classes, as masks, that have masses too. Only Dubois and Prade's rule makes some.
    set_mass : ndarray of shape (n_samples, n_sets), optional
        Their masses, which the sum above lacks.

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
    probability : ndarray of shape (n_samples, n_classes)
        What to decide by: ``belief + base_rates * ignorance``. Without base rates the posterior,
        discounted by the fourth power of the novelty (slightly unusual records are classified as
        well as others); without either, `pignistic`.
    confidence : ndarray of shape (n_samples,)
        Probability of the most probable class.
    verdict : ndarray of shape (n_samples,)
        What the evidence amounts to: "answer", "torn" or "unknown".
    reason : ndarray of shape (n_samples,)
        Why it is no answer: "contradiction", "undecided", "evidence", "missing" or "novelty".

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
    >>> evidence.decide()
    array(['ill'], dtype='<U4')
    >>> strange = evidence.discount(np.array([0.5]))
    >>> strange.ignorance, strange.weak_evidence, strange.novelty
    (array([0.6]), array([0.2]), array([0.5]))
    """

    classes: NDArray[Any]
    mass: NDArray[np.float64]
    ignorance: NDArray[np.float64]
    log_agreement: NDArray[np.float64]
    weak_evidence: NDArray[np.float64] = None  # type: ignore[assignment]  # filled in below
    novelty: NDArray[np.float64] | None = None
    posterior: NDArray[np.float64] | None = None
    base_rates: NDArray[np.float64] | None = None
    contradiction: NDArray[np.float64] = None  # type: ignore[assignment]  # filled in below, too
    n_missing: NDArray[np.int64] | None = None
    thresholds: Thresholds = field(default_factory=Thresholds)
    sets: NDArray[np.bool_] | None = None
    set_mass: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        if self.weak_evidence is None:
            object.__setattr__(self, "weak_evidence", self.ignorance)
        if self.contradiction is None:
            object.__setattr__(self, "contradiction", self.conflict)

    @cached_property
    def conflict(self) -> NDArray[np.float64]:
        """Conflict K of the sources."""
        return 0.0 - portable_math.expm1(self.log_agreement)

    @property
    def belief(self) -> NDArray[np.float64]:
        """Belief in each class; for a single class, its mass."""
        return self.mass

    @cached_property
    def plausibility(self) -> NDArray[np.float64]:
        """Plausibility of each class."""
        return self.mass + self._of_sets(divided=False) + self.ignorance[:, np.newaxis]

    @cached_property
    def pignistic(self) -> NDArray[np.float64]:
        """Pignistic probability of each class (BetP in the article)."""
        shared = self._of_sets(divided=True)
        return self.mass + shared + self.ignorance[:, np.newaxis] / len(self.classes)

    @cached_property
    def probability(self) -> NDArray[np.float64]:
        """What to decide by: belief and, of the ignorance, as much as the base rate says."""
        if self.base_rates is not None:
            shared = self._of_sets(divided=True)
            return self.mass + shared + self.base_rates * self.ignorance[:, np.newaxis]
        if self.posterior is None:
            return self.pignistic
        if self.novelty is None:
            return self.posterior
        discount = self.novelty[:, np.newaxis] ** 4
        return (1 - discount) * self.posterior + discount / len(self.classes)

    @property
    def confidence(self) -> NDArray[np.float64]:
        """Probability of the most probable class."""
        return np.asarray(self.probability.max(axis=1))

    @property
    def verdict(self) -> NDArray[np.str_]:
        """What the evidence amounts to: "answer", "torn" or "unknown"."""
        return self._judged[0]

    @property
    def reason(self) -> NDArray[np.str_]:
        """Why it is no answer (see `fuzzyucs.evidence.verdict.judge`)."""
        return self._judged[1]

    @cached_property
    def _judged(self) -> tuple[NDArray[np.str_], NDArray[np.str_]]:
        nothing = np.zeros(len(self))
        return judge(
            self.confidence,
            self.ignorance,
            self.contradiction,
            nothing if self.novelty is None else _taken_back(self, self.novelty),
            nothing.astype(np.int64) if self.n_missing is None else self.n_missing,
            self.thresholds,
        )

    def with_thresholds(self, **thresholds: float) -> Evidence:
        """Return the same evidence, judged by other thresholds.

        Parameters
        ----------
        **thresholds : float
            Values of `Thresholds`, by name; the others stay.

        Returns
        -------
        Evidence

        Examples
        --------
        >>> import numpy as np
        >>> from fuzzyucs import Evidence
        >>> evidence = Evidence(
        ...     np.array(["ill", "well"]), np.array([[0.7, 0.1]]), np.array([0.2]), np.array([0.0])
        ... )
        >>> evidence.verdict, evidence.with_thresholds(answer=0.9).verdict
        (array(['answer'], dtype='<U7'), array(['unknown'], dtype='<U7'))
        """
        return replace(self, thresholds=self.thresholds.changed(**thresholds))

    def discount(self, novelty: NDArray[np.float64]) -> Evidence:
        """Take back as much of the evidence as the inputs are novel (Shafer's discounting).

        With base rates, the square of the novelty counts: probabilities follow from what is left,
        and slightly unusual records are classified as well as others.

        Parameters
        ----------
        novelty : ndarray of shape (n_samples,)
            From 0, nothing is taken back, to 1, nothing is left.

        Returns
        -------
        Evidence
        """
        taken = _taken_back(self, novelty)
        kept = 1 - taken
        return replace(
            self,
            mass=self.mass * kept[:, np.newaxis],
            ignorance=taken + kept * self.ignorance,
            weak_evidence=self.ignorance,
            novelty=novelty,
            posterior=self._posterior(),
            set_mass=None if self.set_mass is None else self.set_mass * kept[:, np.newaxis],
        )

    def _posterior(self) -> NDArray[np.float64] | None:
        """Probabilities before novelty; with base rates they follow from the rest."""
        if self.base_rates is not None or self.posterior is not None:
            return self.posterior
        return self.pignistic

    _repr_html_ = evidence_html
    decide = choosing.decide
    predict_set = choosing.predict_set

    def _of_sets(self, *, divided: bool) -> NDArray[np.float64]:
        """Return what each class has of the masses of the sets it is in."""
        if self.sets is None or self.set_mass is None:
            return np.zeros(())
        sizes = self.sets.sum(axis=1) if divided else np.ones(len(self.sets))
        shares: NDArray[np.float64] = (self.set_mass / sizes) @ self.sets
        return shares

    def __len__(self) -> int:
        return len(self.mass)

    def __getitem__(self, key: Any) -> Evidence:
        rows = select_rows(len(self), key)
        chosen: dict[str, Any] = {
            name: value[rows] for name in _OF_AN_INPUT if (value := getattr(self, name)) is not None
        }
        return replace(self, **chosen)

    @classmethod
    def join(cls, parts: Sequence[Evidence]) -> Evidence:
        """Join the evidence about several batches of inputs.

        Parameters
        ----------
        parts : sequence of Evidence
            At least one, all of the same classes and with the same fields.

        Returns
        -------
        Evidence
        """
        joined: dict[str, Any] = {
            name: np.concatenate([getattr(part, name) for part in parts])
            for name in _OF_AN_INPUT
            if getattr(parts[0], name) is not None
        }
        return replace(parts[0], **joined)

    def to_frame(self) -> pd.DataFrame:
        """Return a pandas DataFrame: a row per input, masses, ignorance and its reasons.

        With base rates, masses are named beliefs, beside the probabilities that follow from them,
        and the verdict has two columns.

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
        >>> evidence.discount(np.array([0.5])).to_frame().columns[2:].tolist()
        ['ignorance', 'weak evidence', 'novelty', 'conflict', 'confidence']
        >>> from dataclasses import replace
        >>> replace(evidence, base_rates=np.array([0.5, 0.5])).to_frame().columns.tolist()
        ['belief of 0', 'belief of 1', 'probability of 0', 'probability of 1', 'ignorance', \
'contradiction', 'confidence', 'verdict', 'reason']
        """
        from fuzzyucs._util.optional import import_pandas
        from fuzzyucs.evidence.columns import evidence_columns

        return import_pandas().DataFrame(evidence_columns(self))

    def __repr__(self) -> str:
        inputs = counted(len(self), "input", "inputs")
        mean = f", mean ignorance {self.ignorance.mean():.3g}" if len(self) else ""
        return f"<Evidence: {inputs}, {len(self.classes)} classes{mean}>"


def _taken_back(evidence: Evidence, novelty: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the share of the evidence that novelty takes back."""
    return novelty if evidence.base_rates is None else novelty**2


_OF_AN_INPUT = (
    *("mass", "ignorance", "log_agreement", "weak_evidence", "novelty", "posterior", "set_mass"),
    *("contradiction", "n_missing"),
)
