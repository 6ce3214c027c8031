"""Quality of rules on data, and what they and their features contribute. Methods of `RuleSet`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fuzzyucs._util.optional import import_pandas
from fuzzyucs._util.wording import percent
from fuzzyucs.evidence.weighting import DOUBT
from fuzzyucs.rules.labelled_rows import LabelledRows
from fuzzyucs.rules.tables import one_line
from fuzzyucs.rules.wording import statement

if TYPE_CHECKING:
    import pandas as pd

    from fuzzyucs.rules.rule_set import RuleSet

    R = TypeVar("R", bound=RuleSet)

__all__ = [
    "assess",
    "carried_evidence",
    "feature_shares",
    "fitness_like",
    "importance",
    "pair_shares",
    "quality",
    "statistics_from",
    "summary",
]

Array = NDArray[np.float64]


def fitness_like(fitness: Array, weight: Array, new_weight: Array, *, is_accuracy: bool) -> Array:
    """Return the fitness that follows from new weights as the present one does from its own.

    Parameters
    ----------
    fitness, weight : ndarray of shape (n_known,)
        Fitness of rules with experience, and the weight of the class that they predict.
    new_weight : ndarray of shape (n_rules,)
        Other weights.
    is_accuracy : bool
        Whether fitness is a power of the weight, as in UCS. Otherwise it is ``2 * weight - 1`` or,
        if that is nearer, the weight itself.

    Returns
    -------
    ndarray of shape (n_rules,)

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.rules.quality import fitness_like
    >>> new = np.array([0.9])
    >>> fitness_like(np.array([0.5]), np.array([0.75]), new, is_accuracy=False)
    array([0.8])
    >>> fitness_like(np.array([0.25]), np.array([0.5]), new, is_accuracy=True)
    array([0.81])
    """
    if not is_accuracy:
        is_signed = np.abs(fitness - (2 * weight - 1)).sum() <= np.abs(fitness - weight).sum()
        return 2 * new_weight - 1 if is_signed else new_weight.copy()
    telling = (weight > 0) & (weight < 1) & (fitness > 0)
    exponent = 1.0
    if telling.any():
        exponent = float(np.median(np.log(fitness[telling]) / np.log(weight[telling])).round(9))
    powered: Array = new_weight**exponent
    return powered


def carried_evidence(rules: RuleSet) -> Array:
    """Return the evidence of each rule, as far as it follows from its statistics.

    A rule that matches fully shifts the odds between the classes it has seen most and least by
    ``(most + 2) / (least + 2)``, if it grants an experience of 2 to "I don't know", as weighted
    rules do. The logarithm of that counts as often as numerosity and experience say.

    Returns
    -------
    ndarray of shape (n_rules,)
    """
    known = rules.class_experience
    shift = np.log((known.max(axis=1) + DOUBT) / (known.min(axis=1) + DOUBT))
    carried: Array = rules.numerosity * rules.experience * shift
    return carried


def feature_shares(rules: RuleSet) -> Array:
    """Share the evidence of rules out among features, in equal parts for each condition.

    Parameters
    ----------
    rules : RuleSet
        Rules.

    Returns
    -------
    ndarray of shape (n_features,)
        Shares that sum to 1, or zeros if there is no evidence.
    """
    asks = rules.asked_columns
    shares = asks / np.maximum(asks.sum(axis=1, keepdims=True), 1)
    importance: Array = rules.carried_evidence() @ shares
    total = importance.sum()
    return importance / total if total > 0 else importance


def pair_shares(rules: RuleSet) -> Array:
    """Share the evidence of rules out among pairs of features.

    Parameters
    ----------
    rules : RuleSet
        Rules.

    Returns
    -------
    ndarray of shape (n_features, n_features)
        Symmetric; the upper triangle with the diagonal, where rules with one condition are, sums
        to 1, or to 0 if there is no evidence.
    """
    evidence, asked = rules.carried_evidence(), rules.asked_columns.astype(float)
    n_conditions = asked.sum(axis=1)
    n_pairs = np.maximum(n_conditions * (n_conditions - 1) / 2, 1)
    upper: Array = np.triu(asked.T @ (asked * (evidence / n_pairs)[:, np.newaxis]), 1)
    is_alone = n_conditions == 1
    alone = np.diag(evidence[is_alone] @ asked[is_alone])
    total = upper.sum() + alone.sum()
    shares: Array = upper + upper.T + alone
    return shares / total if total > 0 else shares


def assess(rules: R, X: Any, y: Any, *, sample_weight: ArrayLike | None = None) -> R:
    """Find the statistics of the rules anew on data, which are counted once.

    Experience becomes the sum of the degrees to which data match, missing values matching
    fully; weights, fitness and the class predicted follow from it. (A rule of UCS keeps its
    class.) Rules that match nothing lose their experience and keep the rest; weighted ones,
    which then fall silent, keep only their class. How often rules count stays the same.

    Of rules with profiles, missing values match as far as is expected of them, profiles stay, and
    the counts in their texts are those of the data.

    Evolved rules have experience from all epochs before. Afterwards more of them may be below
    the `inference_experience` of their classifier, which leaves them out of decisions.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Data in the units of the training data.
    y : array-like of shape (n_samples,)
        Class labels.
    sample_weight : array-like of shape (n_samples,), optional
        How much each row counts.

    Returns
    -------
    RuleSet
    """
    data = LabelledRows(rules.variables, rules.classes, X, y, sample_weight)
    known = data.class_experience(rules.for_counting().freeze(), len(rules))
    return rules.with_class_experience(known).with_evidence_on(data)


def statistics_from(rules: RuleSet, known: NDArray[np.float64]) -> dict[str, NDArray[Any]]:
    """Return the statistics that follow from experience with each class.

    Parameters
    ----------
    known : ndarray of shape (n_rules, n_classes)
        Experience with each class.

    Returns
    -------
    dict of str to ndarray
        Arrays of a `RuleSet`, by name.
    """
    experience = known.sum(axis=1)
    used = experience > 0
    weights = rules.weights.copy()
    weights[used] = known[used] / experience[used, np.newaxis]
    consequent = rules.consequent.copy()
    is_ucs = rules.variables.is_crisp
    if not is_ucs:
        consequent[used] = known[used].argmax(axis=1)
    fitness = rules.fitness.copy()
    before = rules.experience > 0
    fitness[used] = fitness_like(
        rules.fitness[before],
        rules.of_own_class(rules.weights)[before],
        weights[used, consequent[used]],
        is_accuracy=is_ucs,
    )
    return {
        "weights": weights,
        "class_experience": known,
        "experience": experience,
        "fitness": fitness,
        "consequent": consequent,
    }


def quality(rules: RuleSet, X: Any, y: Any) -> pd.DataFrame:
    """Measure each rule on data.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Data in the units of the training data. Missing values match fully; rules with profiles,
        as far as is expected of them.
    y : array-like of shape (n_samples,)
        Class labels.

    Returns
    -------
    pandas.DataFrame
        A row per rule: ``sentence``; ``class`` that it concludes, "not B" of a rule against B,
        which is then about all other classes together; ``coverage``, the mean degree to which data
        match; ``matched``, the number of rows that match at least half; ``accuracy``, the share of
        its class in what it matches; ``recall``, the share of its class that it matches;
        ``lift``, the accuracy as a multiple of how frequent its class is; ``conditions``, their
        number. NaN where there is nothing to divide by.
    """
    data = LabelledRows(rules.variables, rules.classes, X, y)
    frozen = rules.for_counting().freeze()
    known = data.class_experience(frozen, len(rules))
    matched, n_rows = known.sum(axis=1), len(data.labels)
    named, is_against = rules.named_class, rules.is_against
    own = known[np.arange(len(rules)), named]
    own = np.where(is_against, matched - own, own)
    of_class = np.bincount(data.labels, minlength=len(rules.classes))[named]
    of_class = np.where(is_against, n_rows - of_class, of_class)
    concluded = rules.classes[named]
    if is_against.any():
        concluded = concluded.astype(object)
        concluded[is_against] = [f"not {label}" for label in concluded[is_against]]
    with np.errstate(invalid="ignore", divide="ignore"):
        accuracy = own / matched
        columns = {
            "sentence": [statement(rules, rule) for rule in range(len(rules))],
            "class": concluded,
            "coverage": matched / n_rows,
            "matched": data.count_matched(frozen, len(rules)),
            "accuracy": accuracy,
            "recall": own / of_class,
            "lift": np.where(of_class > 0, accuracy / (of_class / n_rows), np.nan),
            "conditions": rules.asks.sum(axis=1),
        }
    return import_pandas().DataFrame(columns)


def importance(rules: RuleSet, *, pairs: bool = False) -> pd.Series | pd.DataFrame:
    """Tell what share features have in the evidence of the rules.

    Evidence of weighted rules, and of those with class profiles, is what they contributed on the
    training data. That of evolved rules is numerosity times experience times the logarithm of how
    far a rule can shift the odds (`carried_evidence`). A rule shares it equally among its
    conditions.

    Parameters
    ----------
    pairs : bool
        Whether to share it among pairs of conditions instead.

    Returns
    -------
    pandas.Series or pandas.DataFrame
        Shares by feature, which sum to 1. Of pairs a symmetric table, rules with a single
        condition on its diagonal; the upper triangle with the diagonal sums to 1. Without any
        evidence, zeros.
    """
    names = list(rules.variables.table_variables.feature_names)
    if pairs:
        return import_pandas().DataFrame(pair_shares(rules), index=names, columns=names)
    return import_pandas().Series(feature_shares(rules), index=names, name="importance")


def summary(rules: RuleSet) -> str:
    """Describe the rules as a whole, in a few lines.

    Returns
    -------
    str
        How many there are, for which classes and with how many conditions; which features
        matter most, and how many rules carry 80 % of the evidence (see `importance`).
    """
    if not len(rules):
        return "No rules"
    counts = rules.asks.sum(axis=1)
    few, many = int(counts.min()), int(counts.max())
    per_class = np.bincount(rules.consequent, minlength=len(rules.classes))
    span = f"{few}" if few == many else f"{few} to {many}"
    mean = "" if few == many else f" (mean {counts.mean():.1f})"
    lines = [
        f"{len(rules)} rule{'s' * (len(rules) > 1)} with {span} condition{'s' * (many != 1)}{mean}",
        "Rules per class: "
        + ", ".join(f"{label} {n}" for label, n in zip(rules.classes, per_class, strict=True)),
    ]
    shares = feature_shares(rules)
    best = [k for k in np.argsort(-shares, kind="stable")[:5].tolist() if shares[k] > 0]
    names = rules.variables.table_variables.feature_names
    if best:
        features = (f"{names[k]} {percent(shares[k])}" for k in best)
        lines.append(f"Most important features: {', '.join(features)}")
    carried = np.cumsum(np.sort(rules.carried_evidence())[::-1])
    if carried[-1] > 0:
        n_needed = int(np.searchsorted(carried, 0.8 * carried[-1])) + 1
        lines.append(f"80 % of the evidence: {n_needed} rule{'s' * (n_needed > 1)}")
    return "\n".join(map(one_line, lines))
