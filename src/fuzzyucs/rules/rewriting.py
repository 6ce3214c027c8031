"""Rules whose classes or features become more, or whose ranges move, while learning goes on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.rules.rule_set import EvolvedRuleSet
from fuzzyucs.variables.variables import Variables

__all__ = ["with_classes", "with_moved_ranges"]


def with_classes(rules: EvolvedRuleSet, classes: NDArray[Any]) -> EvolvedRuleSet:
    """Return the rules with more classes, of which they know nothing.

    Parameters
    ----------
    rules : EvolvedRuleSet
        The rules.
    classes : ndarray of shape (n_classes,)
        All classes, in ascending order; those of the rules among them.

    Returns
    -------
    EvolvedRuleSet

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from fuzzyucs import FuzzyUCSClassifier
    >>> from fuzzyucs.rules.rewriting import with_classes
    >>> X, y = load_iris(return_X_y=True)
    >>> rules = FuzzyUCSClassifier(epochs=2, random_state=0).fit(X, 2 * y).rules_
    >>> more = with_classes(rules, np.arange(5))
    >>> bool((more.weights[:, [0, 2, 4]] == rules.weights).all())
    True
    >>> bool((more.consequent == 2 * rules.consequent).all())
    True
    """
    index = np.searchsorted(classes, rules.classes)
    wide: dict[str, Any] = {}
    for name in ("weights", "class_experience"):
        wide[name] = np.zeros((len(rules), len(classes)))
        wide[name][:, index] = getattr(rules, name)
    consequent = index[rules.consequent].astype(np.uint32)
    return replace(rules, classes=classes, consequent=consequent, **wide)


def with_moved_ranges(rules: EvolvedRuleSet, variables: Variables) -> EvolvedRuleSet:
    """Return the rules with conditions that say of other ranges what they said of the old ones.

    Parameters
    ----------
    rules : EvolvedRuleSet
        The rules.
    variables : Variables
        Their variables with other ranges.

    Returns
    -------
    EvolvedRuleSet
        As far as the terms of the new ranges can say it; see `rewrite_terms` in
        `fuzzyucs.variables.moving`.
    """
    conditions = variables.rewrite(rules.conditions, rules.variables)
    return replace(rules, variables=variables, conditions=conditions)
