"""Class profiles: the solver beside a general one, and the conditions of a minimum."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize

from fuzzyucs import _core
from fuzzyucs.evidence.profiles import fit_profiles, neutral_degrees
from growth_twin import neutral_degree

# Of a tolerance of 1e-9 for one sweep over the classes, many sweeps later.
TOLERANCE = 1e-5


def make_problem(seed, n_classes, *, weighted=True):
    """Degrees of all sorts, of rules that tell something or nothing, and a penalty for each."""
    rng = np.random.default_rng(100 * n_classes + seed)
    n_rows, n_rules = int(rng.integers(30, 250)), int(rng.integers(1, 15))
    labels = rng.integers(0, n_classes, n_rows)
    labels[:n_classes] = np.arange(n_classes)
    degrees = rng.random((n_rows, n_rules)) * (rng.random((n_rows, n_rules)) < 0.6)
    degrees[rng.random(degrees.shape) < 0.3] = 1
    fits = labels[:, np.newaxis] % 3 == np.arange(n_rules) % 3
    degrees *= rng.random(degrees.shape) < 0.3 + 0.6 * fits
    weight = rng.uniform(0.3, 3, n_rows) if weighted else np.ones(n_rows)
    penalty = rng.choice([0.05, 0.5, 3.0]) * rng.uniform(0.5, 2, n_rules)
    return degrees, labels, weight, penalty


def shares_of(labels, weight, n_classes):
    rows = np.bincount(labels, weight, minlength=n_classes)
    rows = np.where(rows > 0, rows, 0.5)
    return rows / rows.sum()


def naturals_of(degrees, labels, weight, n_classes):
    """Logarithms of how many times more frequent classes are where a rule matches, by range."""
    matched = np.stack([(weight * (labels == c)) @ degrees for c in range(n_classes)], axis=1)
    usual = shares_of(labels, weight, n_classes)
    # Two more rows of the usual shares stand for what is known without the rule.
    shares = (matched + 2 * usual) / (matched.sum(axis=1, keepdims=True) + 2)
    logs = np.log(shares / usual)
    return logs / np.ptp(logs, axis=1, keepdims=True)


def price_of(profile, natural):
    """What a profile costs at least: its greatest natural part for its strength, the rest by size.

    A natural profile of more than two classes has more than 1 of sizes together, so that a part of
    it is never dearer than its entries.
    """
    if natural.shape[1] == 2:
        return np.abs(profile).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.where(natural != 0, profile / natural, np.inf)
    strength = shares.min(axis=1)
    return strength + np.abs(profile - strength[:, np.newaxis] * natural).sum(axis=1)


def loss_of(profile, degrees, mean, labels, weight):
    """Negative log-likelihood and its slope."""
    n_classes = profile.shape[1]
    scores = np.log(shares_of(labels, weight, n_classes)) + (degrees - mean) @ profile
    scores -= scores.max(axis=1, keepdims=True)
    p = np.exp(scores)
    p /= p.sum(axis=1, keepdims=True)
    truth = np.eye(n_classes)[labels]
    likelihood = weight @ np.log(np.maximum((p * truth).sum(axis=1), 1e-300))
    return -likelihood, (degrees - mean).T @ (weight[:, np.newaxis] * (p - truth))


def least_objective(degrees, mean, labels, weight, penalty, n_classes, natural=None):
    """Minimise over strengths and sizes of adjustments, whose signs are known."""
    if natural is None:
        natural = naturals_of(degrees, labels, weight, n_classes)
    signs = np.where(natural > 0, 1.0, -1.0)
    is_natural = n_classes > 2
    if not is_natural:
        signs[:, 0] = 0
    n_rules = degrees.shape[1]

    def of_sizes(sizes):
        strength, size = sizes[:n_rules], sizes[n_rules:].reshape(signs.shape)
        profile = is_natural * strength[:, np.newaxis] * natural + signs * size
        value, slope = loss_of(profile, degrees, mean, labels, weight)
        value += penalty @ (is_natural * strength + (np.abs(signs) * size).sum(axis=1))
        of_strength = is_natural * ((natural * slope).sum(axis=1) + penalty)
        of_size = signs * slope + penalty[:, np.newaxis] * np.abs(signs)
        return value, np.concatenate([of_strength, of_size.ravel()])

    sizes, value, before = np.zeros(n_rules + signs.size), np.inf, np.inf
    while not value > before - 1e-8:  # it may stop early; from where it is, it goes on
        before = value
        best = minimize(
            of_sizes,
            sizes,
            jac=True,
            method="L-BFGS-B",
            bounds=[(0, None)] * len(sizes),
            options={"maxiter": 20_000, "maxfun": 200_000, "ftol": 1e-15, "gtol": 1e-9},
        )
        sizes, value = best.x, best.fun
    return value


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("seed", range(6))
def test_the_objective_is_that_of_a_general_solver(seed, n_classes):
    degrees, labels, weight, penalty = make_problem(seed, n_classes, weighted=seed % 2 == 0)
    mean = None
    if seed % 3 == 0:  # others than would be found
        moved = np.random.default_rng(seed).uniform(0.6, 1.4, degrees.shape[1])
        mean = np.clip(moved * degrees.mean(axis=0), 0, 1)
    found = fit_profiles(
        degrees,
        labels,
        n_classes,
        penalty=penalty,
        neutral=mean,
        sample_weight=weight if seed % 2 == 0 else None,
        tolerance=1e-9,
        max_sweeps=20_000,
    )
    of_class = weight[:, np.newaxis] * (labels[:, np.newaxis] == np.arange(n_classes))
    pairs = [(column @ of_class, of_class.sum(axis=0)) for column in degrees.T]
    centre = [neutral_degree(*pair) for pair in pairs] if mean is None else mean
    problem = (degrees, centre, labels, weight, penalty, n_classes)
    assert found.converged
    assert_allclose(found.neutral, centre, rtol=1e-12)
    natural = naturals_of(degrees, labels, weight, n_classes)
    loss, _ = loss_of(found.profile, *problem[:4])
    value = loss + penalty @ price_of(found.profile, natural)
    assert value - 1e-8 <= found.objective <= value + TOLERANCE
    best = least_objective(*problem)
    assert abs(found.objective - best) < TOLERANCE
    assert found.profile.any()
    if n_classes == 2:
        assert_array_equal(found.profile[:, 0], 0)
    # No entry has the sign that the data do not show.
    assert (found.profile * np.sign(natural) >= 0).all()
    expected = np.log(shares_of(labels, weight, n_classes)) + (degrees - centre) @ found.profile
    assert_allclose(found.log_odds(degrees), expected, atol=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_a_minimum_has_no_slope_that_leads_down(n_classes):
    degrees, labels, weight, penalty = make_problem(1, n_classes)
    mean = weight @ degrees / weight.sum()
    solver = _core.ClassProfiles(labels.astype(np.uint32), weight, n_classes)
    for column, centre, price in zip(degrees.T, mean, penalty, strict=True):
        solver.add(np.ascontiguousarray(column), centre, price)
    natural = naturals_of(degrees, labels, weight, n_classes)
    assert_allclose(solver.naturals(), natural, atol=1e-9)
    for _ in range(3):  # objective and gradients are right on the way, too
        solver.fit(1e-12, 1)
        profile, strength = solver.profiles(), solver.strengths()
        loss, slope = loss_of(profile, degrees, mean, labels, weight)
        adjustment = profile - strength[:, np.newaxis] * natural
        value = loss + penalty @ (strength + np.abs(adjustment).sum(axis=1))
        assert solver.objective == pytest.approx(value, rel=1e-9)
        assert_allclose(solver.gradients(), slope, atol=1e-9)
    assert solver.fit(1e-12, 5000)
    slope, strength = solver.gradients(), solver.strengths()
    adjustment = solver.profiles() - strength[:, np.newaxis] * natural
    adjustment[np.abs(adjustment) < 1e-9] = 0
    first = 1 if n_classes == 2 else 0
    price = np.broadcast_to(penalty[:, np.newaxis], slope.shape)
    used = adjustment != 0
    assert used.any()
    assert (~used[:, first:]).any()
    assert_allclose(slope[used], -np.sign(adjustment[used]) * price[used], atol=1e-3)
    # Where an entry is 0, its slope in the permitted direction does not pay.
    downhill = (-np.where(natural > 0, 1, -1) * slope)[:, first:][~used[:, first:]]
    assert (downhill <= price[:, first:][~used[:, first:]] + 1e-3).all()
    if n_classes > 2:
        of_strength = (natural * slope).sum(axis=1)
        speaks = strength > 0
        assert speaks.any()
        assert_allclose(of_strength[speaks], -penalty[speaks], atol=1e-3)
        assert (-of_strength[~speaks] <= penalty[~speaks] + 1e-3).all()
    else:
        assert not strength.any()


def test_a_class_without_rows_counts_as_half_a_row():
    degrees, labels, weight, _ = make_problem(2, 3)
    found = fit_profiles(degrees, labels, 4, penalty=0.1, sample_weight=weight)
    rows = np.append(np.bincount(labels, weight), 0.5)
    assert_allclose(found.log_shares, np.log(rows / rows.sum()))
    assert found.converged
    assert np.isfinite(found.profile).all()
    assert (found.profile[:, 3] <= 0).all()  # nothing speaks for what was never seen
    problem = (degrees, found.neutral, labels, weight, np.full(degrees.shape[1], 0.1), 4)
    assert found.objective == pytest.approx(least_objective(*problem), abs=1e-4)


def test_a_penalty_may_differ_between_rules():
    labels = np.repeat([0, 1], 10)
    degrees = np.repeat([[0.0, 0.0], [1.0, 1.0]], 10, axis=0)
    found = fit_profiles(degrees, labels, 2, penalty=[2.0, 1.0])
    assert found.profile[0, 1] == 0
    assert found.profile[1, 1] > 0
    assert not fit_profiles(degrees, labels, 2, penalty=1e6).profile.any()


def test_weights_are_as_good_as_repeated_rows():
    degrees, labels, _, penalty = make_problem(4, 3)
    count = np.random.default_rng(0).integers(0, 4, len(labels))
    weighted = fit_profiles(degrees, labels, 3, penalty=penalty, sample_weight=count.astype(float))
    repeated = fit_profiles(
        np.repeat(degrees, count, axis=0), np.repeat(labels, count), 3, penalty=penalty
    )
    assert weighted.objective == pytest.approx(repeated.objective, abs=1e-6)
    assert_allclose(weighted.profile, repeated.profile, atol=1e-3)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("size", [1e-6, 1e6, 1e12])
def test_tiny_and_large_weights(size, n_classes):
    """With a penalty in proportion to the weights, the objective is, too."""
    degrees, labels, weight, penalty = make_problem(5, n_classes)
    weight, penalty = size * weight, size * penalty
    found = fit_profiles(
        degrees,
        labels,
        n_classes,
        penalty=penalty,
        sample_weight=weight,
        tolerance=size * 1e-9,
        max_sweeps=20_000,
    )
    # The general method works on weights of about 1. Natural profiles are those of the real ones:
    # two rows more are much beside tiny weights.
    natural = naturals_of(degrees, labels, weight, n_classes)
    usual = (degrees, found.neutral, labels, weight / size, penalty / size, n_classes)
    assert found.objective / size == pytest.approx(
        least_objective(*usual, natural=natural), abs=TOLERANCE
    )
    assert found.profile.any()


def test_separable_rows_have_finite_profiles_for_any_penalty():
    labels = np.repeat([0, 1, 2], 50)
    degrees = np.eye(3)[labels]
    for penalty in (10.0, 1e-3, 1e-9):
        found = fit_profiles(degrees, labels, 3, penalty=penalty)
        assert np.isfinite(found.profile).all()
        assert np.isfinite(found.objective)
        assert found.objective < 150 * np.log(3)
        assert (found.log_odds(degrees).argmax(axis=1) == labels).all()


def test_no_rules():
    labels = np.array([0, 1, 1, 1])
    found = fit_profiles(np.empty((4, 0)), labels, 2, penalty=1.0)
    assert found.profile.shape == (0, 2)
    assert found.converged
    assert found.objective == pytest.approx(-np.log(0.25) - 3 * np.log(0.75))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"degrees": np.full((4, 1), 1.5)}, "degrees is out of range"),
        ({"degrees": np.full((4, 1), np.nan)}, "degrees is out of range"),
        ({"degrees": np.ones((3, 1)), "neutral": np.ones(1)}, "degrees has the wrong length"),
        ({"neutral": np.array([1.5])}, "neutral is out of range"),
        ({"neutral": np.array([np.nan])}, "neutral is out of range"),
        ({"penalty": -1.0}, "penalty must not be negative"),
        ({"penalty": np.nan}, "penalty must not be negative"),
        ({"labels": np.array([0, 1, 2, 0])}, "y"),
        ({"sample_weight": np.array([1.0, 1.0, -1.0, 1.0])}, "sample_weight"),
        ({"sample_weight": np.array([1.0, 1.0, np.nan, 1.0])}, "sample_weight"),
        ({"sample_weight": np.full(4, 1e150)}, "sample_weight"),
    ],
)
def test_impossible_input_is_named(change, message):
    usual = {
        "degrees": np.full((4, 1), 0.5),
        "labels": np.array([0, 1, 0, 1]),
        "penalty": 1.0,
        "neutral": np.array([0.5]),
    }
    arguments = usual | change
    degrees, labels = arguments.pop("degrees"), arguments.pop("labels")
    with pytest.raises(ValueError, match=message):
        fit_profiles(degrees, labels, 2, **arguments)


@pytest.mark.parametrize("weighted", [False, True])
def test_profiles_of_many_classes_are_the_best(weighted):
    """Where steps are taken for some classes and rules alone, no entry could do better."""
    rng = np.random.default_rng(0)
    n, n_classes, n_rules, penalty = 1500, 60, 25, 1.5
    y = rng.integers(0, n_classes, n)
    liked = rng.random((n_rules, n_classes)) < 0.15
    degrees = np.where(liked[:, y].T, rng.random((n, n_rules)), rng.random((n, n_rules)) < 0.05)
    weight = rng.uniform(0.5, 2, n) if weighted else np.ones(n)
    found = fit_profiles(
        degrees, y, n_classes, penalty=penalty, sample_weight=weight, tolerance=1e-4
    )
    assert found.converged
    scores = found.log_odds(degrees)
    p = np.exp(scores - scores.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    truth = np.eye(n_classes)[y]
    gradient = (degrees - found.neutral).T @ (weight[:, np.newaxis] * (p - truth))
    is_said = found.profile != 0
    assert 100 < is_said.sum() < is_said.size
    best = -penalty * np.sign(found.profile)
    assert_allclose(gradient[is_said], best[is_said], atol=0.05)
    # A silent entry would have to speak in the direction in which the class is more frequent.
    shares = weight @ truth / weight.sum()
    matched = (degrees * weight[:, np.newaxis]).T @ truth
    is_more = (matched + 2 * shares) / (matched.sum(axis=1, keepdims=True) + 2) > shares
    wanted = np.where(is_more, -gradient, gradient)
    assert (wanted[~is_said] < penalty + 0.05).all()


def test_a_rule_alone_is_right_on_average_if_it_says_nothing_at_its_neutral_degree():
    # The profile that makes up for the smoothing of shares, of a rule that is true or false.
    is_ill, has_sign = (
        np.repeat([1, 1, 0, 0], [40, 10, 60, 890]),
        np.repeat([1, 0, 1, 0], [40, 10, 60, 890]),
    )
    found = fit_profiles(has_sign[:, np.newaxis].astype(float), is_ill, 2, penalty=0.0)
    odds = np.exp(found.log_odds(np.array([[1.0], [0.0]])))
    expected = odds[:, 1] / odds.sum(axis=1)
    assert_allclose(expected, [40 / 100, 10 / 900], rtol=0.05)
    assert_allclose(expected @ [100, 900], 50, rtol=0.01)


@pytest.mark.parametrize("seed", range(20))
def test_neutral_degrees_lie_between_no_match_and_a_full_one(seed):
    rng = np.random.default_rng(seed)
    n_classes = int(rng.integers(2, 6))
    all_rows = rng.exponential(size=n_classes) * 10.0 ** rng.integers(0, 4)
    matched = rng.random((7, n_classes)) * all_rows
    found = neutral_degrees(matched, all_rows)
    assert ((found > 0) & (found < 1)).all()
    # The opposite of a rule is neutral at the opposite degree.
    assert_allclose(neutral_degrees(all_rows - matched, all_rows), 1 - found, rtol=1e-9)
    # A rule that tells nothing is neutral at its mean degree.
    assert_allclose(neutral_degrees(0.3 * all_rows[np.newaxis], all_rows), [0.3], atol=0.02)


@pytest.mark.parametrize(
    ("matched", "all_rows", "neutral"),
    [
        ([[0.0, 0.0]], [0.0, 0.0], 0.0),  # no rows
        ([[2.0, 0.0]], [5.0, 0.0], 0.4),  # a single class
        ([[5.0, 5.0]], [5.0, 5.0], 1.0),  # all rows
        ([[0.0, 0.0]], [5.0, 5.0], 0.0),  # none
    ],
)
def test_neutral_degrees_of_rules_that_tell_nothing_are_their_means(matched, all_rows, neutral):
    assert neutral_degrees(np.array(matched), np.array(all_rows)) == [neutral]
