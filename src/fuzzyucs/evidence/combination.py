"""Rules of combination: what several sources of evidence say together.

Each source k spreads a mass of 1 over the single classes and Theta, "I don't know". Such evidence
combines in closed form, however many sources there are. With the commonalities

    q(i) = prod_k (m_k(i) + m_k(Theta))^count_k      q(Theta) = prod_k m_k(Theta)^count_k

and the conflict K = 1 - sum_i (q(i) - q(Theta)) - q(Theta), the rules are

- "dempster" (Dempster 1967): m(i) = (q(i) - q(Theta)) / (1 - K), m(Theta) = q(Theta) / (1 - K).
  Sources are independent and all of them right. A temperature takes commonalities to the power
  1 / temperature first, so that above 1 every source counts less than once.
- "yager" (Yager 1987): m(i) = q(i) - q(Theta), m(Theta) = q(Theta) + K. What sources disagree
  about is not known.
- "dubois-prade" (Dubois and Prade 1988): of sources that disagree, one names the true
  class. As Yager's rule, but for sets A of two classes or more

      m(A) = sum over B within A of (-1)^(|A| - |B|) prod_k m_k(B)^count_k,

  where m_k(B) is the mass of all classes in B: all sources name classes of A, and every class of A
  is named. The set of all classes is Theta. A source that knows nothing is not neutral here: it
  names Theta, and moves every disagreement there. Let it count 0 times if it should stay out.
- "cautious" (Denoeux 2008), normalised: m(i) = o(i) / (1 + sum o), m(Theta) = 1 / (1 + sum o) with
  o(i) = max_k m_k(i) / m_k(Theta). Sources may repeat each other, and saying a thing again adds
  nothing. In the limit, sources with m_k(Theta) = 0 outweigh all others: m(i) is proportional to
  the greatest of their m_k(i).
- "average" (Murphy 2000, without her repeated combination): the mean of the masses. Sources that
  leave everything to Theta stay out.

Every rule takes all sources at once. Applied to two at a time, Yager's, Dubois and Prade's and the
average would depend on the order.

References
----------
- A. P. Dempster. Upper and lower probabilities induced by a multivalued mapping. Annals of
  Mathematical Statistics 38, 1967.
- R. R. Yager. On the Dempster-Shafer framework and new combination rules. Information Sciences 41,
  1987.
- D. Dubois and H. Prade. Representation and combination of uncertainty with belief functions and
  possibility measures. Computational Intelligence 4, 1988.
- C. K. Murphy. Combining belief functions when evidence conflicts. Decision Support Systems 29,
  2000.
- T. Denoeux. Conjunctive and disjunctive combination of belief functions induced by nondistinct
  bodies of evidence. Artificial Intelligence 172, 2008.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fuzzyucs._util.portable_math import exp, expm1, log, log1p
from fuzzyucs.evidence.evidence import Evidence

__all__ = ["RULES", "combine"]

RULES = ("dempster", "yager", "dubois-prade", "cautious", "average")
MAX_CLASSES = 10  # of Dubois and Prade's rule, which has a mass for every set of classes
EXCESS = 1e-9  # by which masses of a source may exceed 1
ROUNDING = 1e-12  # what masses of a source may lack to 1 and still leave nothing to Theta
LOG_2 = math.log(2)

Array = NDArray[np.float64]


def combine(
    mass: ArrayLike,
    *,
    rule: str = "dempster",
    count: ArrayLike | None = None,
    temperature: float = 1.0,
    classes: ArrayLike | None = None,
) -> Evidence:
    """Combine what several sources say about each of several inputs.

    Parameters
    ----------
    mass : array-like of shape (n_samples, n_sources, n_classes) or (n_sources, n_classes)
        Mass that each source gives to each class. What they lack to 1 is the source's "I don't
        know"; if they lack less than 1e-12, that is taken for rounding, and for nothing. Without
        the first axis there is one input.
    rule : {"dempster", "yager", "dubois-prade", "cautious", "average"}, default="dempster"
        Rule of combination, see :mod:`fuzzyucs.combination`. "dubois-prade" takes at most ten
        classes and is Yager's rule with two.
    count : array-like of shape (n_sources,) or (n_samples, n_sources), optional
        How many identical sources each one stands for, 0 for a source that is absent. By
        default 1.
    temperature : float, default=1.0
        Commonalities are taken to the power 1 / temperature. Only "dempster" has it.
    classes : array-like of shape (n_classes,), optional
        Class labels. By default 0, 1, 2...

    Returns
    -------
    Evidence
        A row for each input. The conflict is that of Dempster's rule, whichever rule was used;
        with a temperature, that of the tempered sources, or 0 if they have less than none.
        Without a source, or with total conflict under Dempster's rule, the ignorance is 1.
        Dubois and Prade's rule fills in `sets`, small ones first, and `set_mass`.

    Examples
    --------
    Zadeh's example: two doctors who agree on nothing but an unlikely disease.

    >>> from fuzzyucs.evidence.combination import combine
    >>> doctors = [[0.9, 0.1, 0.0], [0.0, 0.1, 0.9]]
    >>> evidence = combine(doctors, classes=["meningitis", "tumour", "concussion"])
    >>> evidence.mass.round(2), evidence.conflict.round(2)
    (array([[0., 1., 0.]]), array([0.99]))
    >>> combine(doctors, rule="yager").to_frame().round(2)
       mass 0  mass 1  mass 2  ignorance  conflict
    0     0.0    0.01     0.0       0.99      0.99
    >>> evidence = combine(doctors, rule="dubois-prade")
    >>> evidence.sets.astype(int)
    array([[1, 1, 0],
           [1, 0, 1],
           [0, 1, 1]])
    >>> evidence.set_mass.round(2)
    array([[0.09, 0.81, 0.09]])
    >>> combine(doctors, rule="average").mass
    array([[0.45, 0.1 , 0.45]])

    Saying a thing again convinces Dempster, but not the cautious.

    >>> combine([[0.6, 0.0]], count=[3]).mass.round(3)
    array([[0.936, 0.   ]])
    >>> combine([[0.6, 0.0]], count=[3], rule="cautious").mass.round(3)
    array([[0.6, 0. ]])
    """
    if rule not in RULES:
        raise ValueError(f"rule must be one of {', '.join(RULES)}, got {rule!r}")
    _check_temperature(temperature, rule)
    sources = _sources(mass, count)
    labels = _labels(classes, sources.mass.shape[1])
    agreed = _conjunction(sources, 1 / temperature)
    if rule == "dempster":
        masses = _dempster(agreed)
    elif rule == "yager":
        masses = _yager(agreed)
    elif rule == "dubois-prade":
        return _dubois_prade(sources, agreed, labels)
    elif rule == "cautious":
        masses = _cautious(sources)
    else:
        masses = _average(sources)
    return Evidence(labels, *masses, agreed.log_agreement)


@dataclass(frozen=True)
class _Sources:
    """Masses of all sources; the last axis is theirs, since sums over it are the most exact."""

    mass: Array  # (n_samples, n_classes, n_sources), 0 for sources that are absent
    theta: Array  # (n_samples, 1, n_sources), 1 for sources that are absent
    count: Array  # (n_samples or 1, 1, n_sources)


@dataclass(frozen=True)
class _Conjunction:
    """Masses before normalisation, divided by exp(scale) so that they do not underflow."""

    mass: Array  # (n_samples, n_classes)
    theta: Array  # (n_samples,)
    scale: Array  # (n_samples,)

    @property
    def total(self) -> Array:
        total: Array = self.mass.sum(axis=1) + self.theta
        return total

    @property
    def log_agreement(self) -> Array:
        """Return log(1 - K)."""
        # Tempered sources may have less than no conflict, and so may rounding.
        agreement: Array = np.minimum(self.scale + log(self.total), 0.0)
        return agreement


def _conjunction(sources: _Sources, power: float) -> _Conjunction:
    """Multiply commonalities, all taken to a power."""
    mass, theta, count = sources.mass, sources.theta, sources.count
    twos, rest = _log_products(np.concatenate([mass + theta, theta], axis=1), count)
    log_q = LOG_2 * twos + rest
    top = log_q.argmax(axis=1)[:, np.newaxis]
    scale, top_twos, top_rest = (np.take_along_axis(x, top, axis=1) for x in (log_q, twos, rest))
    top_rest[scale == -np.inf] = 0  # total conflict
    # Differences first: what the great logarithms have in common is gone before it can round.
    q = exp(power * (LOG_2 * (twos - top_twos) + (rest - top_rest)))

    # q(i) - q(Theta), exact for small masses, too: log q(i) / q(Theta) is summed by itself.
    certain = np.full(mass.shape, np.inf)
    odds = np.divide(mass, theta, out=certain, where=theta > 0)
    log_ratio = (count * log1p(odds)).sum(axis=2)
    return _Conjunction(
        mass=q[:, :-1] * -expm1(-power * log_ratio),
        theta=q[:, -1],
        scale=power * scale[:, 0],
    )


def _log_products(factors: Array, count: Array) -> tuple[Array, Array]:
    """Return logarithms of products over all sources: whole multiples of log 2, and the rest.

    The multiples are exact and the rest is small, so that little is lost in sums of thousands.
    """
    mantissa, exponent = np.frexp(factors)
    low = mantissa < np.sqrt(0.5)
    twos = (count * (exponent - low)).sum(axis=2)
    rest = (count * log(np.where(low, 2 * mantissa, mantissa))).sum(axis=2)
    return twos, rest


def _dempster(agreed: _Conjunction) -> tuple[Array, Array]:
    total = agreed.total
    possible = total > 0
    divisor = np.where(possible, total, 1.0)
    return agreed.mass / divisor[:, np.newaxis], np.where(possible, agreed.theta / divisor, 1.0)


def _yager(agreed: _Conjunction) -> tuple[Array, Array]:
    mass = agreed.mass * exp(agreed.scale)[:, np.newaxis]
    return mass, _rest(mass)


def _dubois_prade(sources: _Sources, agreed: _Conjunction, labels: NDArray[Any]) -> Evidence:
    n_classes = len(labels)
    if n_classes > MAX_CLASSES:
        raise ValueError(
            f'rule "dubois-prade" takes at most {MAX_CLASSES} classes, mass has {n_classes}'
        )
    mass, ignorance = _yager(agreed)
    if n_classes <= 2:
        return Evidence(labels, mass, ignorance, agreed.log_agreement)
    members = (np.arange(2**n_classes)[:, np.newaxis] >> np.arange(n_classes) & 1).astype(bool)
    sizes = members.sum(axis=1)
    chosen = np.argsort(sizes, kind="stable")[1 + n_classes : -1]  # no single class, not all
    set_mass = _masses_of_unions(sources, members)[:, chosen]
    return Evidence(
        labels,
        mass,
        _rest(mass, set_mass),
        agreed.log_agreement,
        sets=members[chosen],
        set_mass=set_mass,
    )


def _masses_of_unions(sources: _Sources, members: NDArray[np.bool_]) -> Array:
    """Return, for each set, how likely it is that sources name its classes, all and no others.

    The last set, that of all classes, is left at 0.
    """
    counts = sources.count[:, 0]
    masses = np.zeros((len(sources.mass), len(members)))
    for i, inside in enumerate(members[:-1]):
        named = np.where(counts > 0, sources.mass[:, inside].sum(axis=1), 1.0)
        masses[:, i] = exp((counts * log(named)).sum(axis=1))  # its classes and no others
    for with_class in members.T:  # inclusion and exclusion, one class after the other
        masses[:, with_class] -= masses[:, ~with_class]
    return np.maximum(masses, 0.0)


def _cautious(sources: _Sources) -> tuple[Array, Array]:
    dogmatic = sources.theta == 0
    certain = dogmatic.any(axis=(1, 2))[:, np.newaxis]
    odds = np.divide(sources.mass, sources.theta, out=np.zeros(sources.mass.shape), where=~dogmatic)
    # Sources without ignorance outweigh all others.
    evidence = np.where(certain[..., np.newaxis], np.where(dogmatic, sources.mass, 0.0), odds)
    best = evidence.max(axis=2, initial=0.0)
    theta = np.where(certain, 0.0, 1.0)
    total = theta + best.sum(axis=1, keepdims=True)
    return best / total, (theta / total)[:, 0]


def _average(sources: _Sources) -> tuple[Array, Array]:
    is_informative = sources.mass.any(axis=1, keepdims=True)
    weight = is_informative * sources.count
    total = weight.sum(axis=2)
    silent = total == 0
    divisor = np.where(silent, 1.0, total)
    ignorance = np.where(silent, 1.0, (weight * sources.theta).sum(axis=2) / divisor)
    return (weight * sources.mass).sum(axis=2) / divisor, ignorance[:, 0]


def _rest(*masses: Array) -> Array:
    """Return what masses lack to 1."""
    rest: Array = np.maximum(1.0 - sum(mass.sum(axis=1) for mass in masses), 0.0)
    return rest


def _sources(mass: ArrayLike, count: ArrayLike | None) -> _Sources:
    """Check masses and counts, and work out what sources leave to Theta."""
    masses = _numbers("mass", mass)
    if masses.ndim not in (2, 3) or masses.shape[-1] == 0:
        raise ValueError(
            "mass must have the shape (n_samples, n_sources, n_classes) or (n_sources, n_classes), "
            f"with at least one class, got {masses.shape}"
        )
    if masses.ndim == 2:
        masses = masses[np.newaxis]
    if not (np.isfinite(masses) & (masses >= 0)).all():
        raise ValueError("mass must hold finite numbers that are not negative")
    counts = _counts(count, len(masses), masses.shape[1])

    masses = np.where(counts > 0, np.ascontiguousarray(masses.swapaxes(1, 2)), 0.0)
    total = masses.sum(axis=1, keepdims=True)
    if (total > 1 + EXCESS).any():
        raise ValueError(f"mass of a source must sum to 1 at most, got {total.max()}")
    masses /= np.maximum(total, 1.0)
    theta = np.where(total > 1 - ROUNDING, 0.0, 1 - total)
    return _Sources(masses, theta, counts)


def _counts(count: ArrayLike | None, n_samples: int, n_sources: int) -> Array:
    counts = np.ones(n_sources) if count is None else _numbers("count", count)
    if counts.shape not in ((n_sources,), (n_samples, n_sources)):
        raise ValueError(
            f"count must have the shape (n_sources,) = ({n_sources},) or (n_samples, n_sources) = "
            f"({n_samples}, {n_sources}), got {counts.shape}"
        )
    if not (np.isfinite(counts) & (counts >= 0) & (counts == np.floor(counts))).all():
        raise ValueError("count must hold whole numbers that are not negative")
    return np.atleast_2d(counts)[:, np.newaxis]


def _labels(classes: ArrayLike | None, n_classes: int) -> NDArray[Any]:
    labels = np.arange(n_classes) if classes is None else np.asarray(classes)
    if labels.shape != (n_classes,):
        raise ValueError(
            f"classes must have a label for each of the {n_classes} classes of mass, "
            f"got shape {labels.shape}"
        )
    return labels


def _check_temperature(temperature: float, rule: str) -> None:
    if not 0 < temperature < np.inf:
        raise ValueError(f"temperature must be a positive number, got {temperature!r}")
    if temperature != 1 and rule != "dempster":
        raise ValueError(f'temperature is for the rule "dempster" only, got rule {rule!r}')


def _numbers(name: str, values: ArrayLike) -> Array:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be an array of numbers: {error}") from error
