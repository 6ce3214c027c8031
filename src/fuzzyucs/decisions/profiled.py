"""Profiled: rules that speak where they match more or less than neutral, and base rates."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fuzzyucs import _core
from fuzzyucs._util import portable_math
from fuzzyucs._util.wording import class_names, percent
from fuzzyucs.decisions.decision import Answer, Decision
from fuzzyucs.decisions.entry import Entry
from fuzzyucs.evidence.evidence import Evidence
from fuzzyucs.evidence.verdict import Thresholds
from fuzzyucs.rules.expert_wording import conclusion_of
from fuzzyucs.rules.profiled import ProfiledRuleSet

__all__ = ["Pooled", "Profiled"]

MOST_RATES = 5  # base rates that a text names
HALF = 0.5  # degree from which on a condition holds
ROUNDING = 1e-12  # a rule that matches so little more than expected says nothing

Array = NDArray[np.float64]


class Pooled(NamedTuple):
    """What rules with class profiles say together.

    Attributes
    ----------
    scores : ndarray of shape (n_samples, n_classes)
        What they add to the log-odds of each class.
    least, greatest : ndarray of shape (n_samples,)
        Sums of what each rule adds to the class that it favours least, and most.
    contradiction : ndarray of shape (n_samples,)
        Share of the evidence between the two most probable classes that cancels out.
    moderation : ndarray of shape (n_samples,)
        How many times the evidence counts in all of these (but contradiction): less than once if
        missing values leave open how far rules match. With v, the variance of the difference of
        the scores of the two most probable classes, it is ``1 / sqrt(1 + pi * v / 8)``.
    n_missing : ndarray of shape (n_samples,)
        Number of missing values that rules ask for.
    """

    scores: Array
    least: Array
    greatest: Array
    contradiction: Array
    moderation: Array
    n_missing: NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class Profiled(Decision):
    """Rules with class profiles, pooled; base rates say what the ignorance is worth.

    Rule k adds ``(mu_k - neutral_k) * profile_ki`` to the logarithm of the commonality of class i,
    and the least of these to that of Theta. With the base rates a, commonalities q become masses
    ``m_i = a_i (q_i - q_Theta) / S`` and ``m_Theta = q_Theta / S``, ``S = sum a_i q_i``, so that
    ``m_i + a_i m_Theta`` is the probability of class i. Where values are missing, degrees are
    expected ones, and logarithms of commonalities are multiplied by the moderation (`Pooled`): a
    mean of probabilities is less extreme than the probability of a mean. It is 1 if features have a
    direction (`ProfiledRuleSet.moderates`).
    """

    rules: ProfiledRuleSet

    scheme: ClassVar[str] = "profile"
    draws_ties: ClassVar[bool] = False
    novelty_decides: ClassVar[bool] = True

    @cached_property
    def log_rates(self) -> Array:
        """Logarithms of the base rates."""
        return portable_math.log(self.rules.base_rates)

    def pool(self, positions: Array) -> Pooled:
        """Return what the rules say together."""
        rules = self.rules
        frozen: Any = rules.freeze()  # RuleDegrees, which has neither votes nor masses
        return Pooled(
            *frozen.pool_profiles(
                np.ascontiguousarray(positions),
                rules.profile,
                rules.neutral,
                self.log_rates,
                rules.moderates,
            )
        )

    def evidence(self, positions: Array) -> Evidence:
        """Return belief masses."""
        rules = self.rules
        pooled = self.pool(positions)
        masses = _core.profile_masses(
            pooled.scores, pooled.least, pooled.greatest, rules.base_rates
        )
        return Evidence(
            rules.classes,
            *masses,
            base_rates=rules.base_rates,
            contradiction=pooled.contradiction,
            n_missing=self._missing(positions, pooled),
            thresholds=Thresholds(answer=rules.answer_threshold),
        )

    def _missing(self, positions: Array, pooled: Pooled) -> NDArray[np.int64]:
        """Return how many values are missing; several views of a column miss the same one."""
        rules, variables = self.rules, self.rules.variables
        if variables.table_variables is variables:
            return pooled.n_missing
        is_missing = variables.by_feature(np.isnan(positions) & rules.asks.any(axis=0))
        return np.asarray(is_missing.sum(axis=1), dtype=np.int64)

    def answer(self, positions: Array) -> Answer:
        """Return class indices, probabilities and evidence."""
        evidence = self.evidence(positions)
        return Answer(evidence.probability.argmax(axis=1), evidence.probability, evidence)

    def entries(self, record: Array, positions: Array) -> list[Entry]:
        """Return the base rates and what each rule adds to the log-odds."""
        rules = self.rules
        degrees = rules.freeze().membership(positions)[0]
        shift = degrees - rules.neutral
        shift[np.abs(shift) < ROUNDING] = 0.0
        # What missing values leave open moderates what every rule says.
        moderation = float(self.pool(positions).moderation[0])
        amounts = moderation * shift[:, np.newaxis] * rules.profile
        undecided = amounts.min(axis=1)
        # Whether the rule would match more than neutral if missing values were as it asks.
        greatest = rules.without_beliefs().freeze().membership(positions)[0]
        is_open = (rules.asks & np.isnan(positions[0])).any(axis=1) & (greatest > rules.neutral)
        fails = greatest < HALF ** rules.asks.sum(axis=1)  # else all may hold to one half
        entries = [Entry(self._rates_in_words(), self.log_rates, undecided=0.0, kind="base rates")]
        for rule in range(len(rules)):
            absent = "no match" if rules.is_expert[rule] else "matches less"
            kind = "matches more" if shift[rule] > 0 else absent
            entries.append(
                Entry(
                    rules.observe(rule, record, positions[0]),
                    amounts[rule],
                    int(self.rule_indices[rule]),
                    float(degrees[rule]),
                    conclusion_of(rules, rule),
                    float(undecided[rule]),
                    kind="unknown" if is_open[rule] else kind,
                    aim=self._aim(rule),
                    fails=bool(fails[rule]),
                )
            )
        return entries

    def _aim(self, rule: int) -> str:
        rules = self.rules
        label = rules.classes[rules.named_class[rule]]
        return f"against {label}" if rules.is_against[rule] else f"for {label}"

    def _rates_in_words(self) -> str:
        rates, classes = self.rules.base_rates, class_names(self.rules.classes)
        order = np.argsort(-rates, kind="stable").tolist()
        named = order if len(order) <= MOST_RATES else order[: MOST_RATES - 1]
        parts = [f"{classes[c]} {percent(rates[c])}" for c in named]
        if len(named) < len(order):
            rest = float(rates[order[len(named) :]].sum())
            parts.append(f"{len(order) - len(named)} others {percent(rest)}")
        return f"base rates: {', '.join(parts)}"

    def sources(self, positions: Array) -> tuple[Array, NDArray[np.uint32]]:
        """Return the masses that each rule gives to classes, and how many sources it stands for."""
        rules = self.rules
        shift = rules.freeze().membership(positions) - rules.neutral
        logs = shift[:, :, np.newaxis] * rules.profile
        commonality = portable_math.exp(logs - logs.max(axis=2, keepdims=True))
        theta = commonality.min(axis=2, keepdims=True)
        mass = commonality - theta
        masses: Array = mass / (mass.sum(axis=2, keepdims=True) + theta)
        return masses, np.ones(shift.shape, dtype=np.uint32)

    def completed(self, evidence: Evidence) -> Evidence:
        """Return evidence with base rates."""
        thresholds = Thresholds(answer=self.rules.answer_threshold)
        return replace(evidence, base_rates=self.rules.base_rates, thresholds=thresholds)
