"""Vote, single winner and Dempster-Shafer, beside the definitions."""

from collections import Counter
from decimal import Decimal, localcontext
from functools import reduce
from itertools import product

import numpy as np
import pytest
from evidencelib import Frame

import reference
from fuzzyucs import _core
from fuzzyucs.variables.forest import TermForest

SCHEMES = [_core.Scheme.ds, _core.Scheme.vote, _core.Scheme.swin]


def freeze(terms, weights, *, fitness=None, numerosity=None, consequent=None, n_terms=None):
    weights = np.asarray(weights, dtype=float)
    terms = np.asarray(terms, dtype=np.uint64)
    n = len(weights)
    fitness = 2 * weights.max(axis=1) - 1 if fitness is None else fitness
    numerosity = np.ones(n) if numerosity is None else numerosity
    consequent = weights.argmax(axis=1) if consequent is None else consequent
    n_terms = [2] * terms.shape[1] if n_terms is None else n_terms
    return _core.LinguisticInference(
        np.asarray(n_terms, dtype=np.uint32),
        terms,
        weights,
        np.asarray(fitness, dtype=float),
        np.asarray(numerosity, dtype=float),
        np.zeros(n),
        np.asarray(consequent, dtype=np.uint32),
    )


def random_rules(rng, n_rules, n_features, n_classes, *, n_terms=5, sparse=0.5):
    """Rules of all sorts: pure and mixed, general and special, of any numerosity."""
    full = 2**n_terms - 1
    terms = rng.integers(1, full + 1, (n_rules, n_features))
    terms[rng.random(terms.shape) < 0.4] = full
    weights = rng.random((n_rules, n_classes)) ** 3
    weights[rng.random(weights.shape) < sparse] = 0
    weights[np.arange(n_rules), rng.integers(0, n_classes, n_rules)] += 0.1
    weights /= weights.sum(axis=1, keepdims=True)
    numerosity = rng.integers(1, 6, n_rules)
    return terms, weights, numerosity


def degrees_of(terms, X, n_terms):
    """Membership degrees by the twin's definition."""
    learner = reference.Learner([n_terms] * X.shape[1], 2, reference.Settings(), 0)
    degrees = np.zeros((len(X), len(terms)))
    for k, masks in enumerate(terms):
        condition = [{t for t in range(n_terms) if int(mask) >> t & 1} for mask in masks]
        rule = reference.Rule(condition, 0, [], 0.0, 1.0, 0)
        for i, x in enumerate(X.tolist()):
            if learner.matches(rule, x):
                degrees[i, k] = learner.degree(rule, x)
    return degrees


def brute_force_dempster(degrees, weights, numerosity):
    """Dempster's rule over the whole power set, source by source, with 60 digits."""
    n_classes = weights.shape[1]
    subsets = [
        frozenset(i for i, b in enumerate(bits) if b) for bits in product([0, 1], repeat=n_classes)
    ]
    theta = frozenset(range(n_classes))
    with localcontext() as context:
        context.prec = 60
        combined = {theta: Decimal(1)}
        for degree, row, count in zip(degrees, weights, numerosity, strict=True):
            if degree == 0:
                continue
            degree = Decimal(float(degree))
            source = {frozenset([i]): degree * Decimal(float(v)) for i, v in enumerate(row) if v}
            # The weights are rounded: what they lack to 1 stays undecided, as in the closed form.
            source[theta] = 1 - degree
            for _ in range(int(count)):
                merged = {subset: Decimal(0) for subset in subsets}
                for (a, p), (b, q) in product(combined.items(), source.items()):
                    merged[a & b] += p * q
                combined = {s: p for s, p in merged.items() if p}
        agreement = sum((p for s, p in combined.items() if s), Decimal(0))
        if agreement == 0:
            return [0.0] * n_classes + [1.0], float("-inf")
        mass = [combined.get(frozenset([i]), Decimal(0)) / agreement for i in range(n_classes)]
        mass.append(combined.get(theta, Decimal(0)) / agreement)
        return [float(m) for m in mass], float(agreement.ln())


@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.parametrize("n_rules", [1, 2, 7, 40, 300])
def test_masses_equal_brute_force(n_rules, n_classes):
    rng = np.random.default_rng(100 * n_rules + n_classes)
    terms, weights, numerosity = random_rules(rng, n_rules, 3, n_classes)
    X = rng.random((4, 3)) * 4
    X[0, 0] = np.nan
    X[1] = np.round(X[1])
    mass, log_agreement = freeze(terms, weights, numerosity=numerosity, n_terms=[5] * 3).masses(X)
    degrees = degrees_of(terms, X, 5)
    for i in range(len(X)):
        expected, log_expected = brute_force_dempster(degrees[i], weights, numerosity)
        np.testing.assert_allclose(mass[i], expected, rtol=0, atol=1e-12)
        np.testing.assert_allclose(log_agreement[i], log_expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("n_rules", [2, 5, 12])
def test_masses_equal_an_independent_library(n_rules):
    rng = np.random.default_rng(n_rules)
    terms, weights, numerosity = random_rules(rng, n_rules, 2, 3)
    X = rng.random((10, 2)) * 3.9
    mass, log_agreement = freeze(terms, weights, numerosity=numerosity, n_terms=[5] * 2).masses(X)
    frame = Frame.dst(["A", "B", "C"])
    a, b, c = frame.symbols()
    for row, agreement, degrees in zip(mass, log_agreement, degrees_of(terms, X, 5), strict=True):
        sources = [
            frame.mass({a: d * v[0], b: d * v[1], c: d * v[2], a | b | c: 1 - d})
            for d, v, count in zip(degrees, weights, numerosity, strict=True)
            for _ in range(count)
            if d > 0
        ]
        if not sources:
            np.testing.assert_array_equal(row, [0, 0, 0, 1])
            continue
        conjunction = reduce(lambda left, right: left.conjunctive(right), sources)
        np.testing.assert_allclose(np.exp(agreement), 1 - conjunction.conflict, atol=1e-12)
        # The library drops masses below its own tolerance; beyond that it has nothing to compare.
        if conjunction.conflict < 0.99:
            total = conjunction.normalize()
            expected = [total[a], total[b], total[c], total[a | b | c]]
            np.testing.assert_allclose(row, expected, rtol=0, atol=1e-12)


def test_a_thousand_conflicting_rules_stay_exact():
    """Unnormalised masses far below the smallest double; the published program gives up here."""
    rng = np.random.default_rng(0)
    n = 1000
    weights = np.zeros((n, 2))
    weights[:, 0] = rng.uniform(0.001, 0.999, n)
    weights[:, 1] = 1 - weights[:, 0]
    rules = freeze(np.full((n, 1), 1), weights, numerosity=np.full(n, 3))
    x = 0.25
    mass, log_agreement = rules.masses(np.array([[x]]))
    expected, log_expected = brute_force_dempster(np.full(n, 1 - x), weights, np.full(n, 3))
    assert log_expected < -1000
    np.testing.assert_allclose(mass[0], expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(log_agreement[0], log_expected, rtol=1e-13)


def test_hundreds_of_agreeing_rules_leave_no_ignorance_and_no_error():
    rules = freeze(np.full((500, 1), 1), np.tile([0.9, 0.1], (500, 1)))
    mass, log_agreement = rules.masses(np.array([[0.0], [0.999999]]))
    expected, log_expected = brute_force_dempster(
        np.full(500, 1.0), np.tile([0.9, 0.1], (500, 1)), np.ones(500)
    )
    np.testing.assert_allclose(mass[0], expected, atol=1e-12)
    np.testing.assert_allclose(log_agreement[0], log_expected, rtol=1e-12)
    assert 0.999 < mass[1, 2] < 1


@pytest.mark.parametrize("numerosity", [1, 17, 18, 19, 500, 100_000])
def test_great_numerosity_counts_exactly(numerosity):
    rules = freeze([[1]], [[0.6, 0.4]], numerosity=[numerosity])
    (mass,), (log_agreement,) = rules.masses(np.array([[0.5]]))
    log_q = numerosity * np.log([0.5 + 0.5 * 0.6, 0.5 + 0.5 * 0.4, 0.5])
    q = np.exp(log_q - log_q[0])
    expected = np.array([q[0] - q[2], q[1] - q[2], q[2]]) / (q[0] + q[1] - q[2])
    np.testing.assert_allclose(mass, expected, rtol=0, atol=1e-11)
    np.testing.assert_allclose(
        log_agreement, log_q[0] + np.log(q[0] + q[1] - q[2]), rtol=1e-11, atol=1e-12
    )


@pytest.mark.parametrize(
    ("rest", "least_weight"), [(2.0**-53, 0.0), (0.0, 1e-200), (0.0, 1e-30), (2.0**-53, 1e-12)]
)
@pytest.mark.parametrize("n_rules", [10, 37, 38, 39, 200])
def test_two_camps_that_all_but_exclude_each_other(n_rules, rest, least_weight):
    """The smallest factors there are, as many as there may be: nothing may vanish on the way."""
    camps = np.repeat([0, 1], n_rules)
    weights = np.full((2 * n_rules, 3), least_weight)
    weights[np.arange(2 * n_rules), camps] = 1 - 2 * least_weight
    rules = freeze(np.full((2 * n_rules, 1), 1), weights)
    (mass,), (log_agreement,) = rules.masses(np.array([[rest]]))
    expected, log_expected = brute_force_dempster(
        np.full(2 * n_rules, 1 - rest), weights, np.ones(2 * n_rules)
    )
    np.testing.assert_allclose(mass, expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(log_agreement, log_expected, rtol=1e-12)
    assert log_agreement < -200


def test_weights_smaller_than_any_normal_number():
    tiny = 5e-324
    rules = freeze(np.full((3, 1), 3), [[1.0, tiny], [tiny, 1.0], [1.0, tiny]])
    (mass,), (log_agreement,) = rules.masses(np.array([[0.5]]))
    np.testing.assert_allclose(mass, [1, 0, 0], atol=1e-280)
    assert np.isfinite(log_agreement)


def test_a_degree_too_small_for_a_double_is_still_a_match():
    rules = freeze(np.full((1, 60), 2), [[1.0, 0.0]])
    at_the_edge, beyond_it = rules.membership(np.array([[1e-7] * 60, [0.0] * 60]))
    assert at_the_edge == reference.SMALLEST
    assert beyond_it == 0


def test_total_conflict_is_ignorance():
    rules = freeze([[3], [3]], [[1.0, 0.0], [0.0, 1.0]])
    (mass,), (log_agreement,) = rules.masses(np.array([[0.3]]))
    np.testing.assert_array_equal(mass, [0, 0, 1])
    assert log_agreement == -np.inf


def test_no_rule_means_ignorance_without_conflict():
    rules = freeze([[1]], [[1.0, 0.0]])
    (mass,), (log_agreement,) = rules.masses(np.array([[1.0]]))
    np.testing.assert_array_equal(mass, [0, 0, 1])
    assert log_agreement == 0


@pytest.mark.parametrize("n_classes", [2, 3, 4, 7, 8, 11, 12, 25])
def test_schemes_equal_their_definitions(n_classes):
    """Also exercises every number of columns the combination is unrolled for."""
    rng = np.random.default_rng(n_classes)
    terms, weights, numerosity = random_rules(rng, 700, 5, n_classes, sparse=0.0)
    X = rng.random((40, 5)) * 4
    X[rng.random(X.shape) < 0.1] = np.nan
    fitness = 2 * weights.max(axis=1) - 1
    consequent = weights.argmax(axis=1)
    rules = freeze(terms, weights, numerosity=numerosity, n_terms=[5] * 5)
    degrees = degrees_of(terms, X, 5)
    np.testing.assert_array_equal(rules.membership(X), degrees)

    strengths = degrees * fitness * numerosity
    votes = np.stack([strengths[:, consequent == c].sum(axis=1) for c in range(n_classes)], axis=1)
    np.testing.assert_allclose(rules.votes(X), votes, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(rules.predict(X, _core.Scheme.vote, 0), votes.argmax(axis=1))

    single = np.where(degrees > 0, degrees * fitness, -np.inf)
    winner, degree = rules.winners(X, 0)
    np.testing.assert_array_equal(single[np.arange(40), winner], single.max(axis=1))
    np.testing.assert_array_equal(degree, degrees[np.arange(40), winner])
    np.testing.assert_array_equal(rules.predict(X, _core.Scheme.swin, 0), consequent[winner])

    with np.errstate(divide="ignore"):
        logs = np.log((1 - degrees)[..., None] + degrees[..., None] * weights)
    log_q = (numerosity[:, None] * logs).sum(axis=1)
    np.testing.assert_array_equal(rules.predict(X, _core.Scheme.ds, 0), log_q.argmax(axis=1))
    mass, _ = rules.masses(X)
    with np.errstate(divide="ignore"):
        log_theta = (numerosity * np.log(1 - degrees)).sum(axis=1)
    top = log_q.max(axis=1)
    q, theta = np.exp(log_q - top[:, None]), np.exp(log_theta - top)
    unnormalised = np.column_stack([q - theta[:, None], theta])
    np.testing.assert_allclose(
        mass, unnormalised / unnormalised.sum(axis=1, keepdims=True), rtol=0, atol=1e-11
    )


@pytest.mark.parametrize("scheme", SCHEMES)
def test_ties_are_drawn_uniformly_and_belong_to_the_row(scheme):
    rules = freeze(
        np.full((2, 2), 3),
        [[0.5, 0.5, 0.0], [0.5, 0.5, 0.0]],
        fitness=[0.5, 0.5],
        consequent=[0, 1],
    )
    X = np.random.default_rng(0).random((6000, 2))
    drawn = rules.predict(X, scheme, 5)
    counts = Counter(drawn.tolist())
    assert set(counts) == {0, 1}
    assert 2800 < counts[0] < 3200
    order = np.random.default_rng(1).permutation(6000)
    np.testing.assert_array_equal(rules.predict(X[order], scheme, 5), drawn[order])
    np.testing.assert_array_equal(rules.predict(X[77:78], scheme, 5), drawn[77:78])
    assert (rules.predict(X, scheme, 6) != drawn).any()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_without_a_matching_rule_the_class_is_drawn_uniformly(scheme):
    rules = freeze([[1, 1]], [[1.0, 0.0, 0.0]])
    X = np.column_stack([np.ones(6000), np.random.default_rng(0).random(6000)])
    counts = Counter(rules.predict(X, scheme, 0).tolist())
    assert set(counts) == {0, 1, 2}
    assert all(1800 < count < 2200 for count in counts.values())


@pytest.mark.parametrize("scheme", SCHEMES)
def test_no_rules_at_all(scheme):
    rules = freeze(np.empty((0, 2)), np.empty((0, 3)), fitness=[], consequent=[])
    X = np.array([[0.1, 0.2], [np.nan, 1.0]])
    assert set(rules.predict(X, scheme, 0).tolist()) <= {0, 1, 2}
    assert rules.membership(X).shape == (2, 0)
    np.testing.assert_array_equal(rules.masses(X)[0], [[0, 0, 0, 1]] * 2)


@pytest.mark.parametrize("n_features", [1, 4, 5, 9, 40])
def test_intervals_are_matched_exactly(n_features):
    """Bounds and values that are equal, or differ in the last digit only, are told apart."""
    rng = np.random.default_rng(n_features)
    n_rules = 1200  # several blocks
    marks = np.concatenate([[0, 1, 0.5, 1 / 3, 0.25, 1 / 65531], rng.random(6)])
    marks = np.clip(np.concatenate([marks, np.nextafter(marks, 0), np.nextafter(marks, 1)]), 0, 1)
    conditions = rng.choice(marks, (n_rules, n_features, 2))
    open_features = rng.random((n_rules, n_features)) < 1 - 2 / n_features
    conditions[open_features] = [0, 1]
    x = rng.choice(np.concatenate([marks, [np.nan], rng.random(20)]), (500, n_features))
    rules = _core.IntervalInference(
        n_features,
        conditions,
        np.full((n_rules, 2), 0.5),
        np.ones(n_rules),
        np.ones(n_rules),
        np.zeros(n_rules),
        np.zeros(n_rules, dtype=np.uint32),
    )
    lower, upper = conditions.min(axis=2), conditions.max(axis=2)
    value = x[:, None, :]
    expected = (((lower <= value) & (value <= upper)) | np.isnan(value)).all(axis=2)
    np.testing.assert_array_equal(rules.membership(x), expected)
    assert 0 < expected.mean() < 1


@pytest.mark.parametrize("bound", [-0.1, 1.1, np.nan])
def test_bounds_beyond_the_range_are_refused(bound):
    one, zero = np.ones(1), np.zeros(1)
    condition, consequent = np.array([[[0.5, bound]]]), np.zeros(1, dtype=np.uint32)
    with pytest.raises(ValueError, match="conditions is out of range"):
        _core.IntervalInference(1, condition, np.ones((1, 1)), one, one, zero, consequent)


def test_native_objects_refuse_what_does_not_fit():
    rules = freeze([[1, 1]], [[1.0, 0.0]])
    with pytest.raises(ValueError, match="columns"):
        rules.votes(np.zeros((1, 3)))
    with pytest.raises(ValueError, match="consequent"):
        freeze([[1]], [[1.0, 0.0]], consequent=[2])
    with pytest.raises(ValueError, match="n_terms"):
        freeze([[1]], [[1.0, 0.0]], n_terms=[256])
    with pytest.raises(ValueError, match="conditions"):
        freeze([[1, 1]], [[1.0, 0.0]], n_terms=[2])
    learner = _core.LinguisticLearner(np.array([5], dtype=np.uint32), 2, _core.Settings(), 0)
    with pytest.raises(ValueError, match="y is out of range"):
        learner.step(np.array([1.0]), 2)
    with pytest.raises(ValueError, match="x has the wrong length"):
        learner.step(np.array([1.0, 2.0]), 0)
    with pytest.raises(ValueError, match="lengths"):
        learner.train_epoch(np.zeros((2, 1)), np.zeros(3, dtype=np.uint32))
    with pytest.raises(ValueError, match="n_terms"):
        _core.LinguisticLearner(np.array([1], dtype=np.uint32), 2, _core.Settings(), 0)


# All that a scheme tells, from one inference


def assert_one_inference_tells_all(rules, x, seed, prior=None):
    """Each result equals, bit by bit, that of the method that computes it alone."""
    classes, mass, log_agreement, logs = rules.dempster_shafer(x, seed, prior)
    np.testing.assert_array_equal(classes, rules.predict(x, _core.Scheme.ds, seed))
    np.testing.assert_array_equal(mass, rules.masses(x)[0])
    np.testing.assert_array_equal(log_agreement, rules.masses(x)[1])
    np.testing.assert_array_equal(logs, rules.log_commonalities(x, prior))
    classes, scores = rules.vote(x, seed)
    np.testing.assert_array_equal(classes, rules.predict(x, _core.Scheme.vote, seed))
    np.testing.assert_array_equal(scores, rules.votes(x))
    classes, winner, degree = rules.single_winner(x, seed)
    np.testing.assert_array_equal(classes, rules.predict(x, _core.Scheme.swin, seed))
    np.testing.assert_array_equal(winner, rules.winners(x, seed)[0])
    np.testing.assert_array_equal(degree, rules.winners(x, seed)[1])


def believing_rules(rng, n_classes, *, is_weighted):
    """Rules about dependent features, some of whose missing values are believed."""
    n_terms = np.full(4, 5, dtype=np.uint32)
    first = rng.random((300, 1)) * 4
    x = np.clip(first + rng.normal(scale=0.7, size=(300, 4)), 0, 4)
    terms, weights, numerosity = random_rules(rng, 120, 4, n_classes, sparse=0.0)
    ignorance = rng.random(120) * 0.2 if is_weighted else np.zeros(120)
    rules = _core.LinguisticInference(
        n_terms,
        terms.astype(np.uint64),
        weights * (1 - ignorance)[:, np.newaxis],
        2 * weights.max(axis=1) - 1,
        rng.exponential(0.5, 120) if is_weighted else numerosity.astype(float),
        ignorance=ignorance,
        consequent=weights.argmax(axis=1).astype(np.uint32),
        forest=TermForest.grow(x, n_terms).native,
        is_believed=np.array([True, True, False, True]),
    )
    x[rng.random(x.shape) < 0.3] = np.nan
    x[0] = np.nan
    return rules, x


@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("n_classes", [1, 2, 3, 4, 12])
def test_one_inference_tells_all_of_missing_values(n_classes, is_weighted):
    rng = np.random.default_rng(n_classes)
    rules, x = believing_rules(rng, n_classes, is_weighted=is_weighted)
    prior = rng.dirichlet(np.ones(n_classes))
    assert_one_inference_tells_all(rules, x, 3)
    assert_one_inference_tells_all(rules, x, 3, prior)
    # The prior makes a difference in just the rows where believed values are missing.
    with_prior, without = rules.dempster_shafer(x, 3, prior), rules.dempster_shafer(x, 3)
    for a, b in zip(with_prior[:3], without[:3], strict=True):
        np.testing.assert_array_equal(a, b)
    if n_classes > 1:
        is_open = np.isnan(x[:, [0, 1, 3]]).any(axis=1)
        differs = (with_prior[3] != without[3]).any(axis=1)
        assert differs[is_open].mean() > 0.9
        assert not differs[~is_open].any()


@pytest.mark.parametrize("n_classes", [2, 3, 7, 13])
def test_one_inference_tells_all_without_beliefs(n_classes):
    rng = np.random.default_rng(n_classes)
    terms, weights, numerosity = random_rules(rng, 700, 5, n_classes)
    rules = freeze(terms, weights, numerosity=numerosity, n_terms=[5] * 5)
    x = rng.random((60, 5)) * 4
    x[rng.random(x.shape) < 0.2] = np.nan
    assert_one_inference_tells_all(rules, x, 0)
    assert_one_inference_tells_all(rules, x, 0, rng.dirichlet(np.ones(n_classes)))


def test_one_inference_draws_ties_and_total_conflict_alike():
    x = np.column_stack([np.random.default_rng(0).random(500), np.ones(500)])
    weights = [[0.5, 0.5, 0.0], [0.5, 0.5, 0.0], [0.2, 0.2, 0.6]]
    terms = [[3, 3], [3, 3], [3, 1]]
    ties = freeze(terms, weights, fitness=[0.5, 0.5, 0.2], consequent=[0, 1, 2])
    assert_one_inference_tells_all(ties, x, 5)
    for found in (ties.dempster_shafer(x, 5), ties.vote(x, 5), ties.single_winner(x, 5)):
        assert 200 < np.count_nonzero(found[0] == 0) < 300
    conflict = freeze([[3, 3], [3, 3]], [[1.0, 0.0], [0.0, 1.0]])
    assert_one_inference_tells_all(conflict, x, 5)
    assert set(conflict.dempster_shafer(x, 5)[0].tolist()) == {0, 1}


def test_one_inference_without_a_match_draws_any_class():
    x = np.column_stack([np.ones(500), np.random.default_rng(0).random(500)])
    for rules in (
        freeze([[1, 1]], [[1.0, 0.0, 0.0]]),
        freeze(np.empty((0, 2)), np.empty((0, 3)), fitness=[], consequent=[]),
    ):
        assert_one_inference_tells_all(rules, x, 1)
        classes, winner, degree = rules.single_winner(x, 1)
        assert set(classes.tolist()) == {0, 1, 2}
        assert (winner == -1).all()
        assert (degree == 0).all()


def test_one_inference_tells_all_of_intervals():
    rng = np.random.default_rng(0)
    n_rules = 900
    conditions = np.sort(rng.random((n_rules, 3, 2)), axis=2)
    conditions[rng.random((n_rules, 3)) < 0.5] = [0, 1]
    _, weights, numerosity = random_rules(rng, n_rules, 3, 4)
    rules = _core.IntervalInference(
        3,
        conditions,
        weights,
        2 * weights.max(axis=1) - 1,
        numerosity.astype(float),
        ignorance=np.zeros(n_rules),
        consequent=weights.argmax(axis=1).astype(np.uint32),
    )
    x = rng.random((200, 3))
    x[rng.random(x.shape) < 0.2] = np.nan
    assert_one_inference_tells_all(rules, x, 2)
    assert_one_inference_tells_all(rules, x, 2, np.full(4, 0.25))


@pytest.mark.parametrize("prior", [[0.5], [1.5, 0.0], [np.nan, 1.0]])
def test_one_inference_refuses_impossible_priors(prior):
    rules = freeze([[1]], [[1.0, 0.0]])
    with pytest.raises(ValueError, match="prior"):
        rules.dempster_shafer(np.zeros((1, 1)), 0, np.array(prior))
    with pytest.raises(ValueError, match="columns"):
        rules.dempster_shafer(np.zeros((1, 2)), 0)
