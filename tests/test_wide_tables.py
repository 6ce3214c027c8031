"""Tests of tables with many columns."""

import numpy as np

from fuzzyucs import _core


def test_memory_of_a_forest_grows_linearly_with_features() -> None:
    n_terms = np.full(1_000_000, 2, dtype=np.uint32)

    grower = _core.ForestGrower(1, n_terms, 1)  # a gain for each pair would take 8 TB

    grower.read(0, np.zeros((1, len(n_terms))))
    assert isinstance(grower, _core.ForestGrower)
