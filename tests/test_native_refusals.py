"""The native classes refuse what would lead beyond their arrays, whoever calls them."""

import math

import numpy as np
import pytest

from fuzzyucs import _core

OUT_OF_RANGE = [
    ("population_size", -1),
    ("population_size", 0),
    ("population_size", 2**23 + 1),
    ("fitness_threshold", math.nan),
    ("fitness_exponent", 0.0),
    ("crossover_rate", math.nan),
    ("mutation_rate", 1.5),
    ("deletion_fraction", -0.1),
    ("ga_interval", math.nan),
    ("tournament_fraction", 2.0),
    ("dont_care_rate", -1.0),
    ("forgetting", 1.0),
    ("learning_rate", math.inf),
    ("mutation_step", math.nan),
    ("covering_range", math.inf),
]


@pytest.mark.parametrize(("name", "value"), OUT_OF_RANGE)
def test_settings_out_of_range(name, value):
    settings = _core.Settings()
    setattr(settings, name, value)
    with pytest.raises(ValueError, match=f"settings.{name}"):
        _core.IntervalLearner(3, 2, settings, 1)
    with pytest.raises(ValueError, match=f"settings.{name}"):
        _core.LinguisticLearner(np.array([5, 5], dtype=np.uint32), 2, settings, 1)


@pytest.mark.parametrize(
    ("terms", "n_terms"), [(5, 5), ({"x": "y"}, 5), ({"x": 7.0}, 5), ({"x": 1}, 5), (None, 0)]
)
def test_features_of_records_that_are_none(terms, n_terms):
    with pytest.raises(ValueError, match="terms"):
        _core.RecordReader().add("colour", terms, 0.0, 1.0, n_terms, moves=True)


@pytest.mark.parametrize("answer", [None, np.zeros(1)])
def test_sums_of_other_machines_that_are_none(answer):
    shared = _core.SharedRows(2, 1.0, lambda _: answer)
    labels = np.array([0, 1], dtype=np.uint32)
    with pytest.raises(ValueError, match="add_others must return"):
        _core.ClassProfiles(labels, np.ones(2), 2, shared)
