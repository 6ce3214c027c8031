"""Evidence: decisions against the definitions, one mass at a time."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fuzzyucs import Evidence, combine

RNG = np.random.default_rng(1)
LABELS = np.array(["a", "b", "c"])


def some(n=40, *, sets=False):
    if sets:
        sources = RNG.dirichlet([1, 1, 1, 0.3], size=(n, 3))[:, :, :3]
        return combine(sources, rule="dubois-prade", classes=LABELS)
    masses = RNG.dirichlet(np.ones(4), n)
    return Evidence(LABELS, masses[:, :3], masses[:, 3], -RNG.random(n))


def focal(evidence, row):
    """All sets with their masses."""
    for i in range(3):
        yield [i], evidence.mass[row, i]
    if evidence.sets is not None:
        for members, mass in zip(evidence.sets, evidence.set_mass[row], strict=True):
            yield np.flatnonzero(members), mass
    yield [0, 1, 2], evidence.ignorance[row]


@pytest.mark.parametrize("sets", [False, True])
def test_functions_equal_their_definitions(sets):
    evidence = some(sets=sets)
    for row in range(len(evidence)):
        for i in range(3):
            plausible = sum(mass for members, mass in focal(evidence, row) if i in members)
            betp = sum(m / len(members) for members, m in focal(evidence, row) if i in members)
            assert evidence.plausibility[row, i] == pytest.approx(plausible)
            assert evidence.pignistic[row, i] == pytest.approx(betp)
    assert_allclose(evidence.pignistic.sum(axis=1), 1)


@pytest.mark.parametrize("sets", [False, True])
@pytest.mark.parametrize("optimism", [None, 0.0, 0.3, 1.0])
@pytest.mark.parametrize("n_actions", [3, 4])
def test_decisions_cost_least(sets, optimism, n_actions):
    evidence = some(sets=sets)
    costs = RNG.random((n_actions, 3)) * 5
    expected = np.zeros((len(evidence), n_actions))
    for row, action in itertools.product(range(len(evidence)), range(n_actions)):
        for members, mass in focal(evidence, row):
            of = costs[action, members]
            share = optimism
            cost = of.mean() if share is None else share * of.min() + (1 - share) * of.max()
            expected[row, action] += mass * cost
    best = expected.argmin(axis=1)
    found = evidence.decide(costs, optimism=optimism)
    assert_array_equal(found, LABELS[best] if n_actions == 3 else best)


def test_without_costs_the_most_probable_class_wins():
    evidence = some()
    assert_array_equal(evidence.decide(), LABELS[evidence.probability.argmax(axis=1)])
    assert_array_equal(evidence.decide(optimism=0), LABELS[evidence.belief.argmax(axis=1)])
    assert_array_equal(evidence.decide(optimism=1), LABELS[evidence.plausibility.argmax(axis=1)])


@pytest.mark.parametrize(
    ("costs", "optimism", "message"),
    [
        (np.ones((3, 2)), None, "costs must hold finite numbers, a row for each action"),
        (np.ones(3), None, "costs must hold finite"),
        (np.full((3, 3), np.nan), None, "costs must hold finite"),
        (np.ones((3, 3)), 1.5, "optimism must lie between 0 and 1"),
        (np.ones((3, 3)), "high", "optimism must lie between 0 and 1"),
    ],
)
def test_impossible_decisions_are_named(costs, optimism, message):
    with pytest.raises(ValueError, match=message):
        some().decide(costs, optimism=optimism)


@pytest.mark.parametrize("sets", [False, True])
def test_sets_keep_what_nothing_rules_out(sets):
    evidence = some(sets=sets)
    for row, kept in enumerate(evidence.predict_set()):
        assert kept[evidence.probability[row].argmax()]
        for i in range(3):
            beaten = any(evidence.belief[row, j] > evidence.plausibility[row, i] for j in range(3))
            assert kept[i] == (not beaten or i == evidence.probability[row].argmax())
    ignorant = Evidence(LABELS, np.zeros((1, 3)), np.ones(1), np.zeros(1))
    assert ignorant.predict_set().all()


@pytest.mark.parametrize("sets", [False, True])
def test_discounting_takes_back_evenly(sets):
    evidence = some(sets=sets)
    novelty = RNG.random(len(evidence))
    novelty[:2] = 0, 1
    less = evidence.discount(novelty)
    total = less.mass.sum(axis=1) + less.ignorance
    total += less.set_mass.sum(axis=1) if sets else 0
    assert_allclose(total, 1)
    assert_array_equal(less.weak_evidence, evidence.ignorance)
    assert_array_equal(less.posterior, evidence.pignistic)
    assert_array_equal(less[0].mass, evidence[0].mass)
    assert less.ignorance[1] == 1
    assert_allclose(less.probability[1], 1 / 3)
    kept = 1 - novelty[:, None] ** 4  # a little novelty is no reason to doubt
    assert_allclose(less.probability, kept * evidence.pignistic + (1 - kept) / 3)
    assert_array_equal(less.decide()[2:], evidence.decide()[2:])
    assert (less.confidence <= evidence.confidence + 1e-15).all()


@pytest.mark.parametrize("sets", [False, True])
def test_parts_and_wholes(sets):
    evidence = some(sets=sets).discount(RNG.random(40))
    again = Evidence.join([evidence[:7], evidence[7:8], evidence[8:]])
    for name in ("mass", "ignorance", "novelty", "posterior", "plausibility", "weak_evidence"):
        assert_array_equal(getattr(again, name), getattr(evidence, name))
    assert len(evidence[evidence.novelty > 0.5]) == (evidence.novelty > 0.5).sum()
