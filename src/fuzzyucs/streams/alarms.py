"""EvidenceAlarm: drift alarms that need no labels."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

try:
    from river.drift import ADWIN
except ImportError as error:
    raise ImportError("fuzzyucs.streams needs river: pip install river") from error

from fuzzyucs._util.short_repr import short_repr
from fuzzyucs._util.wording import counted
from fuzzyucs.evidence.evidence import Evidence

__all__ = ["EvidenceAlarm"]

Signal = Literal["ignorance", "novelty", "conflict"]
SIGNALS = ("ignorance", "novelty", "conflict")


class EvidenceAlarm:
    """An alarm when a model's answers become less certain than they were, without any label.

    ADWIN [1]_ watches one quantity of the evidence, and raises an alarm if its mean has changed:
    the window is cut in two parts whose means differ by more than chance allows. Only a rise is an
    alarm. Records that are unlike the training data raise novelty and ignorance. A concept that
    changes while records stay alike does neither: only labels show that.

    Parameters
    ----------
    signal : {"ignorance", "novelty", "conflict"}, default="ignorance"
        What to watch. Novelty needs a model with ``support="auto"``.
    delta : float, default=0.002
        Bound on the probability of a false alarm at each cut, in (0, 1).

    Attributes
    ----------
    drift_detected : bool
        Whether the last `update` raised an alarm.
    n_alarms : int
        Number of alarms so far.
    mean : float
        Mean of the signal since the last change.

    References
    ----------
    .. [1] A. Bifet, R. Gavalda, "Learning from Time-Changing Data with Adaptive Windowing", SIAM
       International Conference on Data Mining, 2007.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs import EvidentialRuleClassifier
    >>> from fuzzyucs.streams import EvidenceAlarm
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(600, 3))
    >>> clf = EvidentialRuleClassifier().fit(X, X[:, 0] > 0)
    >>> alarm = EvidenceAlarm("novelty")
    >>> alarm.update(clf.predict_evidence(rng.normal(size=(500, 3)))).drift_detected
    False
    >>> alarm.update(clf.predict_evidence(rng.normal(5.0, size=(500, 3)))).drift_detected
    True
    """

    def __init__(self, signal: Signal = "ignorance", delta: float = 0.002) -> None:
        if signal not in SIGNALS:
            raise ValueError(f"signal must be one of {list(SIGNALS)}, got {signal!r}")
        if not 0 < delta < 1:
            raise ValueError(f"delta must lie between 0 and 1, got {delta!r}")
        self.signal = signal
        self.delta = delta
        self.drift_detected = False
        self.n_alarms = 0
        self._adwin: Any = ADWIN(delta=delta)  # type: ignore[no-untyped-call]

    def __repr__(self) -> str:
        alarms = counted(self.n_alarms, "alarm", "alarms")
        return short_repr(self, self.signal, alarms, f"mean {self.mean:.3g}")

    @property
    def mean(self) -> float:
        """Mean of the signal since the last change."""
        return float(self._adwin.estimation)

    def update(self, evidence: Evidence) -> EvidenceAlarm:
        """Watch the evidence of some records, in their order.

        Parameters
        ----------
        evidence : Evidence
            What `predict_evidence` or `predict_evidence_one` returned.

        Returns
        -------
        EvidenceAlarm
            The alarm itself.
        """
        values = getattr(evidence, self.signal)
        if values is None:
            raise ValueError("evidence has no novelty: the model needs support='auto'")
        self.drift_detected = False
        for value in np.asarray(values, dtype=float).tolist():
            before = self._adwin.estimation
            self._adwin.update(value)
            if self._adwin.drift_detected and self._adwin.estimation > before:
                self.drift_detected = True
                self.n_alarms += 1
        return self
