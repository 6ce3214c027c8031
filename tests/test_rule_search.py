"""The native search for rules, beside the definitions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from fuzzyucs import _core
from fuzzyucs.evidence.weighting import DOUBT, RIDGE, softmax


def test_search_and_weighting_solve_the_same_problem():
    settings = _core.SearchSettings()
    assert settings.doubt == DOUBT
    assert settings.ridge == RIDGE


def make_search(seed, n_rows=200, settings=None, weight=None):
    rng = np.random.default_rng(seed)
    n_terms = np.array([5, 3, 9, 4], dtype=np.uint32)
    is_nominal = np.array([False, False, False, True])
    x = rng.random((n_rows, 4)) * (n_terms - 1)
    x[:, 3] = rng.integers(0, 4, n_rows)
    x[rng.random(x.shape) < 0.1] = np.nan
    n_classes = 2 + seed % 3
    y = np.where(rng.random(n_rows) < 0.6, x[:, 0] > 2, rng.integers(0, n_classes, n_rows))
    weight = rng.uniform(0.5, 2, n_rows) if weight is None else weight
    search = _core.RuleSearch(
        x,
        n_terms,
        is_nominal,
        y.astype(np.uint32),
        weight,
        n_classes,
        settings or _core.SearchSettings(),
        seed,
    )
    return search, x, y, weight, n_terms, is_nominal


def degrees_of(conditions, x, n_terms, is_nominal):
    """Memberships term by term: the sum over the accepted terms of a feature, multiplied."""
    degrees = np.ones(len(x))
    for f, terms in enumerate(conditions):
        if terms == 0:
            continue
        accepted = [t for t in range(n_terms[f]) if terms >> t & 1]
        if is_nominal[f]:
            part = np.isin(x[:, f], accepted).astype(float)
        else:
            part = sum(np.maximum(0, 1 - np.abs(x[:, f] - t)) for t in accepted)
        degrees *= np.where(np.isnan(x[:, f]), 1, part)
    return degrees


@pytest.mark.parametrize("seed", range(6))
def test_the_gain_of_a_rule_equals_its_definition(seed):
    settings = _core.SearchSettings()
    search, x, y, weight, n_terms, is_nominal = make_search(seed)
    search.set_penalty(0.5)
    for _ in range(2):
        search.search()
    p = softmax(search.scores(x))
    n_checked = 0
    for conditions in (
        np.random.default_rng(seed)
        .permutation(
            [
                [a, b, c, d]
                for a in (0, 3, 28)
                for b in (0, 6)
                for c in (0, 0b1111, 0b1110000)
                for d in (0, 5)
            ]
        )
        .astype(np.uint32)
    ):
        if not conditions.any():
            continue
        mu = degrees_of(conditions, x, n_terms, is_nominal)
        known = np.array([(weight * mu)[y == c].sum() for c in range(p.shape[1])])
        experience = known.sum()
        logs = np.log(1 - mu[:, None] * (experience - known) / (experience + settings.doubt))
        mean = (p * logs).sum(axis=1)
        spread = weight @ ((p * logs**2).sum(axis=1) - mean**2)
        price = 0.5 * (1 + settings.condition_cost * np.count_nonzero(conditions))
        slope = weight @ (logs[np.arange(len(y)), y] - mean) - price
        if experience < settings.least_experience:
            expected = -np.inf
        elif slope <= 0:
            expected = slope
        elif slope <= 2 * spread:
            expected = slope**2 / (2 * spread)
        else:
            expected = 2 * slope - 2 * spread
        assert search.gain(conditions) == pytest.approx(expected, rel=1e-3, abs=1e-3)
        n_checked += 1
    assert n_checked > 30


@pytest.mark.parametrize("seed", range(3))
def test_scores_are_those_of_the_rules(seed):
    search, x, y, weight, n_terms, is_nominal = make_search(seed)
    search.set_penalty(1.0)
    before = search.objective
    for _ in range(3):
        search.search()
    assert search.objective < before
    search.settle(1e-6, 200)
    conditions, strength = search.rules()
    assert (strength > 0).all()
    assert len(np.unique(conditions, axis=0)) == len(conditions) > 0
    scores = np.zeros((len(x), search.scores(x).shape[1]))
    for rule, w in zip(conditions, strength, strict=True):
        mu = degrees_of(rule, x, n_terms, is_nominal)
        known = np.array([(weight * mu)[y == c].sum() for c in range(scores.shape[1])])
        scores += w * np.log(1 - mu[:, None] * (known.sum() - known) / (known.sum() + DOUBT))
    rest = search.scores(x) - scores
    prior = rest[0]
    assert_allclose(rest, np.tile(prior, (len(x), 1)), atol=1e-9)
    # The objective: likelihood, penalties, and a ridge between the prior and the class shares.
    truth = np.eye(len(prior))[y.astype(int)]
    shares = np.log(weight @ truth + 1)
    shift = prior - (shares - shares.mean())
    cost = 1 + _core.SearchSettings().condition_cost * np.count_nonzero(conditions, axis=1)
    likelihood = weight @ np.log((softmax(search.scores(x)) * truth).sum(axis=1))
    expected = -likelihood + cost @ strength + RIDGE / 2 * shift @ shift
    assert search.objective == pytest.approx(expected, abs=1e-6)
    # Its slope along the prior is 0.
    slope = weight @ (softmax(search.scores(x)) - truth) + RIDGE * shift
    assert_allclose(slope, 0, atol=1e-2)


def test_conditions_are_runs_of_terms_or_sets_of_values():
    search, *_, n_terms, is_nominal = make_search(0, n_rows=600)
    for penalty in (4.0, 1.0, 0.25):
        search.set_penalty(penalty)
        for _ in range(5):
            search.search()
    conditions, _ = search.rules()
    assert len(conditions) > 5
    for rule in conditions:
        for f, terms in enumerate(rule):
            assert terms < (1 << int(n_terms[f])) - 1  # never all of them
            if not is_nominal[f] and terms:
                run = int(terms) // (int(terms) & -int(terms))
                assert run & (run + 1) == 0


def test_large_tables_are_searched_by_samples():
    settings = _core.SearchSettings()
    settings.sample_size = 100
    search, x, y, *_ = make_search(2, n_rows=3000, settings=settings)
    search.set_penalty(4.0)
    for _ in range(4):
        search.search()
    conditions, _ = search.rules()
    assert (conditions[:, 0] > 0).any()  # what there is to find
    assert np.mean(search.scores(x).argmax(axis=1) == y) > 1.05 * np.mean(
        y == np.bincount(y).argmax()
    )


@pytest.mark.parametrize("weight", [0.0, 1.0])
def test_an_empty_sample_finds_nothing(weight):
    settings = _core.SearchSettings()
    settings.sample_size = 0
    search, *_ = make_search(2, n_rows=50, settings=settings, weight=np.full(50, weight))
    search.search()
    assert len(search.rules()[0]) == 0
    assert search.gain(np.array([1, 0, 0, 0], dtype=np.uint32)) == -np.inf


@pytest.mark.parametrize("weight", [-1.0, np.nan, np.inf, 1e28, 1e308])
def test_sample_weights_have_a_finite_sum(weight):
    with pytest.raises(ValueError, match="sample_weight"):
        make_search(0, n_rows=1200, weight=np.full(1200, weight))
