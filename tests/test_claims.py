"""Claims of experts, beside an optimiser of scipy, and in both limits."""

import numpy as np
import pytest
from scipy.optimize import minimize

from fuzzyucs import _core
from fuzzyucs.evidence.claims import Claims, as_reliability, as_strength, fit_strengths


def random_problem(seed):
    """Return claims about three classes, degrees, labels, base rates and weights."""
    rng = np.random.default_rng(seed)
    n, m = 80, 4
    degrees = rng.random((n, m)) * (rng.random((n, m)) < 0.6)
    claims = Claims(
        rng.integers(0, 3, m), rng.random(m) < 0.4, rng.uniform(0.1, 0.99, m), rng.exponential(9, m)
    )
    return claims, degrees, rng.integers(0, 3, n), np.log([0.2, 0.3, 0.5]), rng.random(n) * 2


def objective(strength, claims, degrees, labels, log_rates, weight):
    """Minus the log-likelihood of the rows, and of the records that claims count as."""
    total = 0.0
    for x, y, w in zip(degrees, labels, weight, strict=True):
        odds = np.exp(log_rates)
        for k, mu in enumerate(x):
            sign = -1 if claims.is_against[k] else 1
            odds[claims.label[k]] *= np.exp(sign * strength[k] * mu)
        total -= w * np.log(odds[y] / odds.sum())
    for k, s in enumerate(strength):
        own, sign = np.exp(log_rates[claims.label[k]]), -1 if claims.is_against[k] else 1

        def share(size, own=own, sign=sign):
            odds = own * np.exp(sign * size)
            return odds / (odds + 1 - own)

        wanted, found = share(-np.log(1 - claims.reliability[k])), share(s)
        total -= claims.worth[k] * (wanted * np.log(found) + (1 - wanted) * np.log(1 - found))
    return total


@pytest.mark.parametrize("seed", range(4))
def test_strengths_are_those_of_another_optimiser(seed):
    claims, degrees, labels, log_rates, weight = problem = random_problem(seed)
    found = fit_strengths(claims, degrees, labels, log_rates, sample_weight=weight)
    best = minimize(
        objective, claims.strength, problem, "L-BFGS-B", bounds=[(1e-6, 30)] * len(claims)
    )
    assert objective(found, *problem) <= best.fun + 1e-7
    np.testing.assert_allclose(found, best.x, atol=2e-3)


def test_much_worth_keeps_what_is_stated_and_little_follows_the_rows():
    claims, degrees, labels, log_rates, weight = random_problem(7)

    def worth(records):
        own = Claims(claims.label, claims.is_against, claims.reliability, np.full(4, records))
        return fit_strengths(own, degrees, labels, log_rates, sample_weight=weight)

    np.testing.assert_allclose(worth(1e9), claims.strength, atol=1e-6)
    nothing = Claims(claims.label, claims.is_against, claims.reliability, np.full(4, 1e-9))
    by_rows = minimize(
        lambda s: objective(s, nothing, degrees, labels, log_rates, weight),
        np.ones(4),
        method="L-BFGS-B",
        bounds=[(1e-6, 30)] * 4,
    )
    np.testing.assert_allclose(worth(1e-9), by_rows.x, atol=5e-3)
    away = [np.abs(worth(records) - claims.strength).max() for records in (1e-3, 1, 30, 1000)]
    assert (np.diff(away) <= 0).all()
    assert away[-1] < 0.3 < 1 < away[0]


def test_without_rows_and_with_more_and_more():
    one = np.array([0.8]), np.array([20.0])
    claims = Claims(np.array([1]), np.array([False]), *one)
    rates = np.log([0.6, 0.4])
    nothing = fit_strengths(claims, np.empty((0, 1)), np.empty(0, dtype=int), rates)
    assert as_reliability(nothing)[0] == pytest.approx(0.8, abs=1e-9)
    found = []
    for n in (1, 10, 100, 10_000):  # half of what matches has the class
        labels = np.tile([0, 1], n)
        found.append(fit_strengths(claims, np.ones((2 * n, 1)), labels, rates)[0])
    assert (np.diff(found) < 0).all()
    assert found[-1] == pytest.approx(np.log(0.5 / 0.5) - np.log(0.4 / 0.6), abs=0.01)
    # What 2 n rows and 20 records say together.
    t = 0.4 / (0.4 + 0.6 * 0.2)
    share = (10 + 20 * t) / 40
    expected = np.log(share / (1 - share)) - np.log(0.4 / 0.6)
    assert found[1] == pytest.approx(expected, abs=1e-8)


def test_rows_that_contradict_a_claim_take_it_back_and_no_more():
    claims = Claims(np.array([1]), np.array([False]), np.array([0.8]), np.array([5.0]))
    labels = np.zeros(1000, dtype=int)
    found = fit_strengths(claims, np.ones((1000, 1)), labels, np.log([0.5, 0.5]))
    assert 0 < found[0] <= 1e-6
    all_right = fit_strengths(claims, np.ones((1000, 1)), labels + 1, np.log([0.5, 0.5]))
    assert as_strength(0.99) < all_right[0] < 30


def test_the_order_of_rows_does_not_matter():
    claims, degrees, labels, log_rates, weight = random_problem(3)
    order = np.random.default_rng(0).permutation(len(labels))
    found = fit_strengths(claims, degrees, labels, log_rates, sample_weight=weight)
    other = fit_strengths(
        claims, degrees[order], labels[order], log_rates, sample_weight=weight[order]
    )
    np.testing.assert_array_equal(found, other)


def test_profiles_are_found_beside_other_evidence():
    rng = np.random.default_rng(0)
    n, k = 60, 3
    degrees, labels, weight = rng.random((n, 2)), rng.integers(0, k, n), rng.random(n) + 0.5
    labels[:k] = range(k)
    offset, neutral, penalty = rng.normal(size=(n, k)), np.array([0.4, 0.6]), 0.3
    solver = _core.ClassProfiles(labels.astype(np.uint32), weight, k)
    for column, centre in zip(degrees.T, neutral, strict=True):
        solver.add(np.ascontiguousarray(column), centre, penalty)
    plain = solver.objective
    solver.set_offset(np.zeros((n, k)))
    assert solver.objective == plain
    solver.set_offset(offset)
    assert any(solver.fit(1e-9, 50) for _ in range(20))
    naturals, log_shares = solver.naturals(), solver.log_shares()

    def loss(values):
        w, d = values[:2], values[2:].reshape(2, k) * np.sign(naturals)
        scores = log_shares + offset + (degrees - neutral) @ (w[:, np.newaxis] * naturals + d)
        scores -= np.log(np.exp(scores).sum(axis=1, keepdims=True))
        return -(weight * scores[np.arange(n), labels]).sum() + penalty * values.sum()

    best = minimize(
        loss, np.full(2 + 2 * k, 0.1), method="L-BFGS-B", bounds=[(0, None)] * (2 + 2 * k)
    )
    assert solver.objective == pytest.approx(best.fun, abs=1e-5)
    for wrong, message in ((offset[:-1], "wrong shape"), (offset * np.nan, "must be finite")):
        with pytest.raises(ValueError, match=message):
            solver.set_offset(np.ascontiguousarray(wrong))
