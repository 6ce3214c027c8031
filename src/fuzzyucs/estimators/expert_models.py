"""Experts' rules of a classifier: read for a fit, assessed on data, or a model of them alone."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from numbers import Real
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from fuzzyucs._util.sklearn_compat import feature_names
from fuzzyucs.estimators.base_rates import BaseRates, check_base_rates
from fuzzyucs.estimators.experts import claims_of
from fuzzyucs.estimators.validation import check_classes
from fuzzyucs.evidence.verdict import Thresholds
from fuzzyucs.rules.expert_report import ExpertReport, assess_table
from fuzzyucs.rules.grammar import OPERATOR, Statement, read_rules, rule_lines
from fuzzyucs.rules.profiled import ProfiledRuleSet
from fuzzyucs.variables.borders import Borders
from fuzzyucs.variables.codes import Demand
from fuzzyucs.variables.coding import as_condition, every_term, every_terms
from fuzzyucs.variables.columns import Categories, refuse_many
from fuzzyucs.variables.demands import Premises
from fuzzyucs.variables.forest import TermForest
from fuzzyucs.variables.frames import Columns
from fuzzyucs.variables.linguistic import LinguisticPartition
from fuzzyucs.variables.phrases import nearest
from fuzzyucs.variables.terms import LinguisticVariable, rank_names, term_names

if TYPE_CHECKING:
    from fuzzyucs.estimators.evidential import EvidentialRuleClassifier

    C = TypeVar("C", bound=EvidentialRuleClassifier)

__all__ = ["Rules", "assess_rules", "from_rules", "lines_of", "read_stated"]

Rules = str | os.PathLike[str] | Iterable[str]
N_TERMS = 5  # of a range of numbers
MOST_TERMS = 64

Array = NDArray[np.float64]


def lines_of(rules: Rules | None) -> list[tuple[int, str]] | None:
    """Return the lines of experts' rules, if there are any."""
    return None if rules is None else rule_lines(rules)


def read_stated(
    clf: EvidentialRuleClassifier, lines: Sequence[tuple[int, str]] | None
) -> list[Statement]:
    """Read experts' rules for a classifier that knows its features and classes.

    Parameters
    ----------
    clf : EvidentialRuleClassifier
        The classifier.
    lines : sequence of (int, str), optional
        Lines of the rules, with their numbers.
    """
    if lines is None:
        return []
    return _asking(read_rules(lines, feature_names(clf), clf.classes_, clf.columns_.times))


def _asking(statements: list[Statement]) -> list[Statement]:
    """Refuse rules that ask nothing."""
    for statement in statements:
        if not statement.conditions:
            raise ValueError(
                f"line {statement.line}: an expert's rule must have a condition; how probable "
                "classes are without any is what base_rates are for"
            )
    return statements


def assess_rules(clf: EvidentialRuleClassifier, X: Any, y: Any) -> ExpertReport:
    """Find out what data think of the experts' rules.

    `expert_report_` has the same for the training data.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Records.
    y : array-like of shape (n_samples,)
        Their classes.

    Returns
    -------
    ExpertReport
        How often each rule applies and is right, and which learned rule contradicts it most.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from fuzzyucs import EvidentialRuleClassifier
    >>> iris = load_iris(as_frame=True)
    >>> X, y = iris.data, iris.target_names[iris.target]
    >>> rules = "IF petal width (cm) >= 1.8 THEN virginica, reliability 0.9"
    >>> experts = EvidentialRuleClassifier.from_rules(rules, list(X), classes=set(y))
    >>> found = experts.assess_rules(X, y)[0]
    >>> found.n_applies, found.n_right
    (46, 45)
    """
    check_is_fitted(clf, "rules_")
    if clf.form_ < 2:
        raise ValueError("assess_rules: a model that version 0.1.0 saved has no experts' rules")
    table, labels = clf.check_data(X, y)
    return assess_table(clf.rules_, table, labels)


def from_rules(
    cls: type[C],
    rules: Rules,
    features: Mapping[str, Any] | Sequence[str] | None = None,
    *,
    classes: Iterable[Any] | None = None,
    base_rates: BaseRates = "equal",
) -> C:
    """Make a model of experts' rules alone, without any data.

    Parameters
    ----------
    rules : str, path or sequence of str
        Rules, one per line, or a file of them.
    features : dict or sequence of str, optional
        The columns of tables to come, in their order; by default the features that rules ask of.
        A dict tells what is known of each: a list of categories; the least and the greatest
        number, (0, 200), among which terms are "very small" to "very large"; terms of your own,
        ``{"normal": 90, "high": 140}``, as `partition` has them; or None. Rules that ask in
        numbers need none of that.
    classes : iterable, optional
        Class labels; by default those that rules name.
    base_rates : {"equal"}, array-like of shape (n_classes,) or dict, default="equal"
        How probable classes are without evidence.

    Returns
    -------
    EvidentialRuleClassifier
        A fitted one. It cannot tell what is novel (`support` is None). Each rule has the
        reliability that was stated; where a value is missing that it asks for, it says nothing.

    Examples
    --------
    >>> import pandas as pd
    >>> from fuzzyucs import EvidentialRuleClassifier
    >>> rules = '''
    ... IF glucose >= 140 AND age is at least 60 THEN diabetic, reliability 0.8
    ... IF glucose < 100 THEN healthy, reliability 0.9
    ... '''
    >>> clf = EvidentialRuleClassifier.from_rules(rules, base_rates={"diabetic": 0.2, "healthy": 0.8})
    >>> X = pd.DataFrame({"glucose": [180.0, 90.0, 120.0], "age": [70.0, 30.0, 50.0]})
    >>> clf.predict_proba(X).round(3)
    array([[0.556, 0.444],
           [0.024, 0.976],
           [0.2  , 0.8  ]])
    """  # noqa: E501  # a call on one line
    lines = rule_lines(rules)
    known = np.unique(np.array([*(_named_classes(lines) if classes is None else classes)]))
    names, about = _features(lines, features)
    clf = cls(base_rates=base_rates, support=None)
    clf.classes_ = check_classes(clf, known, cls.max_classes)
    rates = check_base_rates(base_rates, clf.classes_)
    if rates is None:
        raise ValueError("base_rates must be shares of the classes or 'equal', got 'train'")
    stated = _asking(read_rules(lines, names, clf.classes_))
    usual = _usual(names, about)
    _check_words(stated, usual)
    premises = Premises.of(stated, usual, None)
    variables, conditions = _in_terms(usual, premises)
    n_terms = variables.n_varied_terms
    forest = TermForest.independent(np.empty((0, len(names))), n_terms)
    claims, n_classes = claims_of(stated), len(clf.classes_)
    nothing = np.zeros((len(stated), n_classes))
    clf.rules_ = ProfiledRuleSet.of(
        replace(variables, forest=forest, is_believed=n_terms > 0),
        clf.classes_,
        conditions,
        profile=claims.profiles(claims.strength, n_classes),
        neutral=np.zeros(len(stated)),
        evidence=claims.strength,
        class_experience=nothing,
        applies=nothing.astype(np.int64),
        base_rates=rates,
        class_rows=np.zeros(n_classes, dtype=np.int64),
        answer_threshold=Thresholds().answer,
        reliability=claims.reliability,
        worth=claims.worth,
    )
    clf.columns_ = variables.columns
    clf.n_features_in_ = len(names)
    clf.feature_names_in_ = np.array(names, dtype=object)
    clf.form_, clf.informative_gaps_ = 2, []
    return clf


def _named_classes(lines: Sequence[tuple[int, str]]) -> set[str]:
    """Return the classes that rules name, if none of them has a comma or a bracket."""
    found = set()
    for _, line in lines:
        conclusion = re.split(r"(?i)\bthen\b", line)[-1]
        found.add(re.sub(r"(?i)^not ", "", re.split(r"[,;(]", conclusion)[0].strip()))
    if len(found) < 2:
        raise ValueError(
            f"classes must be given, since the rules name only one: {', '.join(found)!r}"
        )
    return found


def _features(lines: Sequence[tuple[int, str]], features: Any) -> tuple[list[str], dict[str, Any]]:
    """Return the names of features, and what is known of them."""
    if isinstance(features, Mapping):
        return [str(name) for name in features], {str(k): v for k, v in features.items()}
    if features is not None:
        names = [str(name) for name in features]
        twice = [name for name in names if names.count(name) > 1]
        if twice:
            raise ValueError(f"features must have different names, got {twice[0]!r} twice")
        return names, {}
    found: list[str] = []
    for line, text in lines:
        asked = re.split(r"(?i)\s+then\s+", text)[0]
        for part in re.split(r"(?i)^if\s+|\s+and\s+(?![-+.\d])", asked):
            name = re.split(OPERATOR, part)
            if len(name) > 1 and name[0].strip() not in found:
                found.append(name[0].strip())
            elif part.strip() and len(name) == 1:
                raise ValueError(f"line {line}: {part.strip()!r} is no condition on a feature")
    return found, {}


def _usual(names: Sequence[str], about: Mapping[str, Any]) -> LinguisticPartition:
    """Return variables with what is known of the features."""
    n = len(names)
    minimum, maximum = np.full((2, n), np.nan)
    n_terms = np.full(n, N_TERMS, dtype=np.uint32)
    special: dict[int, LinguisticVariable] = {}
    categories: dict[int, Categories] = {}
    for feature, name in enumerate(names):
        known = about.get(name)
        if known is None:
            continue
        if isinstance(known, Mapping):
            special[feature] = variable = _own_terms(name, [*known.values()], [*map(str, known)])
            ends = variable.peaks[[0, -1]]
        elif isinstance(known, str) or not isinstance(known, Iterable):
            raise ValueError(
                f"features must tell of {name!r} a list of categories, the least and the greatest "
                f"number, or a dict of terms and peaks, got {known!r}"
            )
        else:
            values = np.asarray([*known], dtype=object).tolist()
            if values and all(isinstance(v, Real) and not isinstance(v, bool) for v in values):
                ends = _range(name, values)
            else:
                found = Categories.of(name, values)
                if not values:
                    raise ValueError(f"features must tell at least one category of {name!r}")
                refuse_many(name, found)
                categories[feature] = found
                codes = np.arange(len(values), dtype=float)
                special[feature] = LinguisticVariable(codes, found.terms, is_nominal=True)
                ends = codes[[0, -1]]
        minimum[feature], maximum[feature] = ends
        if feature in special:
            n_terms[feature] = max(2, len(special[feature].terms))
    columns = Columns(categories)
    return LinguisticPartition(tuple(names), minimum, maximum, n_terms, special, columns=columns)


def _own_terms(name: str, peaks: list[Any], terms: list[str]) -> LinguisticVariable:
    are_numbers = all(isinstance(peak, Real) for peak in peaks)
    values = np.array(peaks if are_numbers else [], dtype=float)
    if not (
        2 <= len(values) <= MOST_TERMS and np.isfinite(values).all() and (np.diff(values) > 0).all()
    ):
        raise ValueError(
            f"features must tell 2 to {MOST_TERMS} terms of {name!r} with ascending numbers as "
            f"peaks, got {peaks!r}"
        )
    return LinguisticVariable(values, tuple(terms))


def _range(name: str, values: Sequence[Any]) -> Array:
    ends = np.array(values, dtype=float)
    if len(ends) != 2 or not np.isfinite(ends).all() or not ends[0] < ends[1]:
        raise ValueError(
            f"features must tell the least and the greatest number of {name!r}, got {values!r}"
        )
    return ends


def _check_words(stated: Sequence[Statement], usual: LinguisticPartition) -> None:
    """Refuse words about features of which nothing is known."""
    for statement in stated:
        for feature, phrase in statement.conditions:
            if phrase.ranges is None and math.isnan(usual.minimum[feature]):
                name = usual.feature_names[feature]
                raise ValueError(
                    f"line {statement.line}: {phrase.text!r} means nothing yet: features must tell "
                    f"of {name!r} its categories, its least and greatest number, or terms with "
                    f"peaks{nearest(phrase.text, term_names(N_TERMS))}"
                )


def _in_terms(
    usual: LinguisticPartition, premises: Premises
) -> tuple[LinguisticPartition, NDArray[np.uint64]]:
    """Return variables with the terms that conditions need, and the conditions."""
    special, n_terms = dict(usual.special), usual.n_terms.copy()
    minimum, maximum = usual.minimum.copy(), usual.maximum.copy()
    borders: dict[int, Borders] = {}
    for feature, demand in premises.demands.items():
        if not usual.has_order(feature):
            continue
        variable = _cut(float(minimum[feature]), float(maximum[feature]), demand)
        special[feature], n_terms[feature] = variable, len(variable.terms)
        minimum[feature], maximum[feature] = variable.peaks[0], variable.ends[-1]
        borders[feature] = Borders(variable.ends[:-1], variable.peaks[1:])
    variables = replace(
        usual, minimum=minimum, maximum=maximum, n_terms=n_terms, special=special, borders=borders
    )
    conditions = np.tile(every_terms(n_terms), (len(premises.rules), 1))
    for rule, asked in enumerate(premises.rules):
        for feature, premise in asked.items():
            n = int(n_terms[feature])
            if premise.terms is not None:
                conditions[rule, feature] = premise.terms
                continue
            accepted = premise.accepts(special[feature])
            conditions[rule, feature] = every_term(n) if accepted.all() else as_condition(accepted)
    return variables, conditions


def _cut(low: float, high: float, demand: Demand) -> LinguisticVariable:
    """Return terms with borders at some numbers, over a range or somewhat around them."""
    cuts = demand.cuts
    if len(cuts) >= MOST_TERMS:
        raise ValueError(f"rules may ask for at most {MOST_TERMS - 1} numbers of a feature")
    width = float(cuts[-1] - cuts[0]) or abs(float(cuts[0])) or 1.0
    low = cuts[0] - width if math.isnan(low) else low
    high = cuts[-1] + width if math.isnan(high) else high
    below = np.nextafter(cuts, -np.inf)
    peaks = np.concatenate([[min(low, below[0])], cuts])
    ends = np.concatenate([below, [max(high, cuts[-1])]])
    return LinguisticVariable(peaks, rank_names(len(peaks)), ends=ends)
