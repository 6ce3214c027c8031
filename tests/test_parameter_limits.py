"""Numbers that parameters may be: least and greatest are taken, what lies beyond is refused."""

import inspect
import math

import numpy as np
import pytest

from fuzzyucs import EvidentialRuleClassifier, FuzzyUCSClassifier, UCSClassifier

X = np.arange(24.0).reshape(12, 2) % 7
Y = np.arange(12) % 2
SMALL = {"epochs": 1, "population_size": 20, "random_state": 0}
# Written from the documentation: allowed, and refused.
SHARED = {
    "epochs": ([1], [0]),
    "population_size": ([1], [0]),
    "fitness_exponent": ([1e-9, 0.5, 20], [0, -1]),
    "crossover_rate": ([0, 1], [-0.01, 1.01]),
    "mutation_rate": ([0, 1], [-0.01, 1.01]),
    "deletion_fraction": ([0, 1], [-0.01, 1.01]),
    "ga_interval": ([0, 0.5], [-0.01]),
    "deletion_experience": ([0, 0.5], [-0.01]),
    "subsumption_experience": ([0, 0.5], [-0.01]),
    "tournament_fraction": ([0, 1], [-0.01, 1.01]),
    "dont_care_rate": ([0, 1], [-0.01, 1.01]),
    "forgetting": ([0, 0.99], [-0.01, 1]),
}
LIMITS = {
    FuzzyUCSClassifier: SHARED
    | {
        "n_terms": ([2, 64], [1, 65]),
        "fitness_threshold": ([-1, 1], [-1.01, 1.01]),
        "inference_experience": ([0, 0.5], [-0.01]),
    },
    UCSClassifier: SHARED
    | {
        "accuracy_threshold": ([0, 1], [-0.01, 1.01]),
        "learning_rate": ([0.01, 1], [0, 1.01]),
        "mutation_step": ([0, 1], [-0.01, 1.01]),
        "covering_range": ([0, 0.5], [-0.01]),
    },
    EvidentialRuleClassifier: {
        "max_rules": ([1], [0]),
        "max_conditions": ([1, 2**32 - 1], [0, 2**32]),
        "n_terms": ([2, 64], [1, 65]),
        "penalty": ([1e-9, 0.5], [0, -1]),
        "n_models": ([1], [0]),
        "cost_weight": ([1e-9, 0.5], [0, -0.01]),
    },
}
CASES = [(kind, name) for kind, names in LIMITS.items() for name in names]


def small(kind, **params):
    return kind(**({} if kind is EvidentialRuleClassifier else SMALL) | params)


@pytest.mark.parametrize(("kind", "name"), CASES)
@pytest.mark.filterwarnings("ignore")
def test_limits_are_those_of_the_documentation(kind, name):
    allowed, refused = LIMITS[kind][name]
    for value in allowed:
        assert set(small(kind, **{name: value}).fit(X, Y).predict(X)) <= {0, 1}
    for value in [*refused, math.nan]:
        with pytest.raises(ValueError, match=f"'{name}'|{name} must"):
            small(kind, **{name: value}).fit(X, Y)


@pytest.mark.parametrize("kind", LIMITS)
def test_no_number_is_forgotten(kind):
    numbers = {
        name
        for name, found in inspect.signature(kind).parameters.items()
        if isinstance(found.default, int | float) and not isinstance(found.default, bool)
    }
    assert numbers - {"verbose"} <= set(LIMITS[kind])


def test_defaults_that_users_rely_on():
    """They are public: another one changes what users learn, and belongs in the changelog."""
    shared = {"epochs": 50, "population_size": 2000, "fitness_exponent": 1, "crossover_rate": 0.8}
    shared |= {"mutation_rate": 0.04, "deletion_fraction": 0.1, "ga_interval": 50}
    shared |= {"deletion_experience": 50, "subsumption_experience": 50, "forgetting": 0}
    shared |= {"tournament_fraction": 0.4, "dont_care_rate": 0.33, "verbose": 0}
    fuzzy = {"n_terms": 5, "fitness_threshold": 0.99, "inference_experience": 10}
    crisp = {"accuracy_threshold": 0.99, "learning_rate": 0.2, "mutation_step": 0.1}
    crisp |= {"covering_range": 1}
    for kind, expected in [
        (FuzzyUCSClassifier, shared | fuzzy),
        (UCSClassifier, shared | crisp),
        (EvidentialRuleClassifier, {"n_models": 1, "cost_weight": 0.001, "verbose": 0}),
    ]:
        params = kind().get_params()
        numbers = {k: v for k, v in params.items() if type(v) in (int, float)}
        assert numbers == expected
