"""The native search for rules, beside the definitions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fuzzyucs import _core
from fuzzyucs.estimators.search import SearchTask
from fuzzyucs.evidence.profiles import fit_profiles
from fuzzyucs.evidence.weighting import softmax
from fuzzyucs.variables.linguistic import LinguisticPartition

N_TERMS = np.array([5, 3, 9, 4], dtype=np.uint32)
IS_NOMINAL = np.array([False, False, False, True])
CONDITIONS = np.array(
    [
        [a, b, c, d]
        for a in (0, 3, 28)
        for b in (0, 6)
        for c in (0, 0b1111, 0b1110000)
        for d in (0, 5)
    ][1:],
    dtype=np.uint64,
)


class Table:
    """Positions with gaps, beliefs about them, classes and weights."""

    def __init__(self, seed, n_rows=200, gaps=0.1, weight=None):
        rng = np.random.default_rng(seed)
        x = rng.random((n_rows, 4)) * (N_TERMS - 1)
        x[:, 3] = rng.integers(0, 4, n_rows)
        self.n_classes = 2 + seed % 3
        y = np.where(rng.random(n_rows) < 0.6, x[:, 0] > 2, rng.integers(0, self.n_classes, n_rows))
        x[rng.random(x.shape) < gaps] = np.nan
        self.x, self.y = x, y.astype(np.uint32)
        self.weight = rng.uniform(0.5, 2, n_rows) if weight is None else weight
        self.shares = [rng.dirichlet(np.ones(n)) for n in N_TERMS]
        # A row of beliefs for each row with a gap, about all terms of all features.
        self.has_gap = np.isnan(x).any(axis=1)
        self.beliefs = np.hstack(
            [rng.dirichlet(np.ones(n), int(self.has_gap.sum())) for n in N_TERMS]
        )

    def search(self, seed=0, settings=None):
        return _core.RuleSearch(
            self.x,
            N_TERMS,
            IS_NOMINAL,
            self.y,
            self.weight,
            self.n_classes,
            settings or _core.SearchSettings(),
            seed,
            np.concatenate(self.shares),
            self.beliefs,
        )

    def parts(self, conditions):
        """Memberships term by term, of known and of missing values, and whether any is missing."""
        known, fit = np.ones(len(self.x)), np.ones(len(self.x))
        is_open = np.zeros(len(self.x), dtype=bool)
        first = np.cumsum([0, *N_TERMS])
        gap_row = np.cumsum(self.has_gap) - 1
        for f, terms in enumerate(conditions):
            if terms == 0:
                continue
            accepted = [t for t in range(N_TERMS[f]) if terms >> t & 1]
            for r, value in enumerate(self.x[:, f]):
                if np.isnan(value):
                    fit[r] *= sum(self.beliefs[gap_row[r], first[f] + t] for t in accepted)
                    is_open[r] = True
                elif IS_NOMINAL[f]:
                    known[r] *= value in accepted
                else:
                    known[r] *= sum(max(0, 1 - abs(value - t)) for t in accepted)
        return known, fit, is_open

    def mean(self, conditions):
        """The mean degree where nothing is missing."""
        known, _, is_open = self.parts(conditions)
        weight = self.weight * ~is_open
        return weight @ known / weight.sum()

    def degrees(self, conditions):
        """Degrees of a rule: where values are missing, its conditions hold together as often."""
        known, fit, is_open = self.parts(conditions)
        by_chance = np.prod(
            [
                sum(self.shares[f][t] for t in range(N_TERMS[f]) if terms >> t & 1)
                for f, terms in enumerate(conditions)
                if terms
            ]
        )
        together = np.minimum(1, self.mean(conditions) / by_chance * fit)
        return known * np.where(is_open, together, 1.0)

    def probabilities(self, search):
        conditions, profile, mean = search.rules()
        degrees = [self.degrees(rule) for rule in conditions]
        shift = np.reshape(degrees, (len(conditions), len(self.x))).T - mean
        return softmax(search.log_shares() + shift @ profile)


def test_nominal_features_may_have_more_than_32_terms():
    narrow, wide, places = Table(0), Table(0), np.array([3, 31, 32, 63])
    known = ~np.isnan(wide.x[:, 3])
    wide.x[known, 3] = places[wide.x[known, 3].astype(int)]
    share, beliefs = np.zeros(64), np.zeros((len(narrow.beliefs), 64))
    share[places], beliefs[:, places] = narrow.shares[3], narrow.beliefs[:, -4:]
    searches = [
        narrow.search(),
        _core.RuleSearch(
            wide.x,
            np.array([5, 3, 9, 64], dtype=np.uint32),
            IS_NOMINAL,
            wide.y,
            wide.weight,
            wide.n_classes,
            _core.SearchSettings(),
            0,
            np.concatenate([*narrow.shares[:3], share]),
            np.hstack([narrow.beliefs[:, :-4], beliefs]),
        ),
    ]
    for terms in range(1, 15):
        spread = sum(1 << int(place) for t, place in enumerate(places) if terms >> t & 1)
        gains = []
        for search, last in zip(searches, (terms, spread), strict=True):
            search.set_penalty(1.0)
            gains.append(search.gain(np.array([28, 0, 0, last], dtype=np.uint64)))
        assert gains[0] == gains[1]
    assert np.isfinite(gains[0])


def gain_by_definition(table, p, conditions, penalty, settings):
    """Parabolas at 0, for each class and for the natural profile; what exceeds the penalty pays.

    Candidates are scored as if their conditions were independent.
    """
    known, fit, _ = table.parts(conditions)
    mu, weight, n_classes = known * fit, table.weight, table.n_classes
    experience = weight @ mu
    mean = experience / weight.sum()
    if min(experience, weight.sum() - experience) < settings.least_experience:
        return -np.inf
    price = penalty * (1 + settings.condition_cost * np.count_nonzero(conditions))
    gains, excesses = [0.0], [-np.inf]
    slopes = (mu - mean) @ (weight[:, np.newaxis] * (np.eye(n_classes)[table.y] - p))
    for c in range(1 if n_classes == 2 else 0, n_classes):
        own, slope = weight * (table.y == c), slopes[c]
        curvature = (mu - mean) ** 2 @ (weight * p[:, c] * (1 - p[:, c]))
        if n_classes > 2:
            curvature *= n_classes / (n_classes - 1)
        is_for = mu @ own > experience * own.sum() / weight.sum()
        if is_for != (slope > 0):
            continue
        excess = abs(slope) - price
        excesses.append(excess)
        if excess > 0:
            entry = min(excess / curvature, 2)
            gains.append(entry * excess - entry**2 * curvature / 2)
    best = sum(gains)
    if n_classes > 2:
        shares = np.bincount(table.y, weight, n_classes) / weight.sum()
        matched = np.bincount(table.y, weight * mu, n_classes)
        natural = np.log((matched + 2 * shares) / (experience + 2) / shares)
        natural /= np.ptp(natural)
        excess = slopes @ natural - price
        variance = p @ natural**2 - (p @ natural) ** 2
        curvature = (mu - mean) ** 2 @ (weight * variance)
        excesses.append(excess)
        if excess > 0:
            entry = min(excess / curvature, 2)
            best = max(best, entry * excess - entry**2 * curvature / 2)
    return best if max(excesses) > 0 else max(excesses)


@pytest.mark.parametrize("gaps", [0.0, 0.15])
@pytest.mark.parametrize("seed", range(6))
def test_the_gain_of_a_rule_equals_its_definition(seed, gaps):
    table, settings = Table(seed, gaps=gaps), _core.SearchSettings()
    assert len(table.x) <= settings.sample_size  # the sample is the table
    search = table.search()
    search.set_penalty(0.5)
    everything = []
    for _ in range(3):
        p = table.probabilities(search)
        expected = [gain_by_definition(table, p, rule, 0.5, settings) for rule in CONDITIONS]
        found = [search.gain(rule) for rule in CONDITIONS]
        assert_allclose(found, expected, rtol=1e-3, atol=1e-3)
        everything += expected
        search.search()
    assert len(search.rules()[0]) > 0
    assert min(everything) < 0 < 1 < max(everything)  # some pay and some do not


def test_gains_do_not_change_by_asking():
    search = Table(1).search()
    search.search()
    first = [search.gain(rule) for rule in CONDITIONS]
    assert [search.gain(rule) for rule in CONDITIONS] == first


def test_a_gain_is_about_what_a_rule_brings():
    """The parabola at 0 against the solver, of rules that are worth something."""
    table = Table(0, n_rows=400)
    n_close = 0
    for rule in CONDITIONS:
        search = table.search()
        promised = search.gain(rule)
        before = search.objective
        if promised < 2:
            continue
        search.adopt(rule)
        search.settle(1e-9, 500, 1.0)
        n_close += promised == pytest.approx(before - search.objective, rel=0.5)
        assert before > search.objective
    assert n_close > 3


@pytest.mark.parametrize("gaps", [0.0, 0.2])
@pytest.mark.parametrize("seed", range(3))
def test_profiles_are_those_of_the_rules_and_their_degrees(seed, gaps):
    table = Table(seed, gaps=gaps)
    search = table.search()
    search.set_penalty(1.0)
    before = search.objective
    for _ in range(3):
        search.search()
    assert search.objective < before
    search.settle(1e-9, 500, 1.0)
    conditions, profile, mean = search.rules()
    assert len(np.unique(conditions, axis=0)) == len(conditions) > 0
    assert profile.any(axis=1).all()
    assert_allclose(mean, [table.mean(rule) for rule in conditions], rtol=1e-12)
    degrees = np.stack([table.degrees(rule) for rule in conditions], axis=1)
    cost = 1 + _core.SearchSettings().condition_cost * np.count_nonzero(conditions, axis=1)
    expected = fit_profiles(
        degrees,
        table.y,
        table.n_classes,
        penalty=cost,
        mean=mean,
        sample_weight=table.weight,
        tolerance=1e-9,
        max_sweeps=1000,
    )
    assert search.objective == pytest.approx(expected.objective, abs=1e-4)
    # Of rules that complement each other, only what they say together is determined.
    found = table.probabilities(search)
    assert_allclose(found, softmax(expected.log_odds(degrees)), atol=1e-3)
    assert_allclose(search.log_shares(), expected.log_shares, rtol=1e-12)
    truth = np.eye(table.n_classes)[table.y]
    likelihood = table.weight @ np.log((found * truth).sum(axis=1))
    if table.n_classes == 2:  # else a natural profile has the price of one entry
        assert search.objective == pytest.approx(-likelihood + cost @ np.abs(profile).sum(axis=1))


def test_settling_drops_what_says_nothing_and_relaxes_the_penalty():
    table = Table(0)
    search = table.search()
    useless = np.array([0, 6, 0, 5], dtype=np.uint64)
    useful = np.array([28, 0, 0, 0], dtype=np.uint64)
    search.set_penalty(8.0)
    search.adopt(useless)
    search.adopt(useful)
    search.settle(1e-9, 500, 1.0)
    conditions, strict, _ = search.rules()
    assert_array_equal(conditions, [useful])
    search.settle(1e-9, 500, 0.25)
    relaxed = search.rules()[1]
    assert np.abs(relaxed).max() > 1.05 * np.abs(strict).max()
    expected = fit_profiles(
        table.degrees(useful)[:, np.newaxis],
        table.y,
        table.n_classes,
        penalty=0.25 * 8 * 1.1,
        mean=np.array([table.mean(useful)]),
        sample_weight=table.weight,
    )
    assert_allclose(relaxed, expected.profile, atol=1e-3)


def test_the_same_seed_finds_the_same_rules():
    def found(seed):
        search = Table(2, n_rows=500).search(seed)
        search.set_penalty(1.0)
        for _ in range(3):
            search.search()
        return search.rules()

    for first, second in zip(found(7), found(7), strict=True):
        assert_array_equal(first, second)
    other = found(8)[0]
    assert other.shape != found(7)[0].shape or (other != found(7)[0]).any()


def test_the_degrees_of_the_search_are_those_of_inference():
    """With gaps: positions, shares and beliefs that a task hands over, and the forest's own."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 3))
    x[:, 1] += x[:, 0]
    x[:, 2] = rng.integers(0, 3, 300)
    y = (x[:, 0] + (x[:, 2] == 1) > 0).astype(np.uint32)
    x[rng.random(x.shape) < 0.25] = np.nan
    for kind in ("belief", "mean"):
        names = ["a", "b", "c"]
        partition = LinguisticPartition.of(x, names, n_terms=5, nominal_features=[2])
        variables = partition.with_beliefs(x, kind)
        weight = rng.uniform(0.5, 2, 300)
        task = SearchTask(variables, np.array([0, 1]), x, y, weight, _core.SearchSettings())
        rules = np.array([[3, 0, 0], [28, 6, 0], [0, 7, 3], [0, 0, 2], [12, 14, 6]], np.uint64)
        asked = np.where(rules == 0, task.every_term, rules)
        rows = np.arange(300)[::2]
        positions = variables.positions(x)
        lacks = (np.isnan(x)[:, np.newaxis] & (rules > 0)).any(axis=2)
        known = variables.degrees(asked, positions)[rows] * ~lacks[rows]
        counted = weight[rows] @ ~lacks[rows]
        expected_mean = weight[rows] @ known / counted
        degrees = variables.degrees(asked, positions, expected_mean)
        search = task.search(rows, 0)
        for rule in rules:
            search.adopt(rule)
        search.set_penalty(0.01)
        search.settle(1e-10, 1000, 1.0)
        conditions, profile, mean = search.rules()
        kept = [rules.tolist().index(rule) for rule in conditions.tolist()]
        assert len(kept) > 2
        assert_allclose(mean, expected_mean[kept], rtol=1e-12)
        known = fit_profiles(
            degrees[rows],
            y[rows],
            2,
            penalty=0.01 * (1 + 0.1 * np.count_nonzero(rules, axis=1)),
            mean=expected_mean,
            sample_weight=weight[rows],
            tolerance=1e-10,
        )
        assert search.objective == pytest.approx(known.objective, abs=1e-6)
        assert_allclose(profile, known.profile[kept], atol=1e-3)


def test_conditions_are_runs_of_terms_or_sets_of_values():
    search = Table(0, n_rows=600).search()
    for penalty in (4.0, 1.0, 0.25):
        search.set_penalty(penalty)
        for _ in range(5):
            search.search()
    conditions = search.rules()[0]
    assert len(conditions) > 5
    for rule in conditions:
        for f, terms in enumerate(rule):
            assert terms < (1 << int(N_TERMS[f])) - 1  # never all of them
            if not IS_NOMINAL[f] and terms:
                run = int(terms) // (int(terms) & -int(terms))
                assert run & (run + 1) == 0


def test_limits_of_the_search_are_kept():
    settings = _core.SearchSettings()
    settings.max_conditions = 1
    settings.n_kept = 2
    search = Table(1, n_rows=400).search(settings=settings)
    search.set_penalty(0.5)
    for n in range(1, 5):
        search.search()
        assert len(search.rules()[0]) <= 2 * n
    assert (np.count_nonzero(search.rules()[0], axis=1) == 1).all()


def test_large_tables_are_searched_by_samples():
    settings = _core.SearchSettings()
    settings.sample_size = 100
    table = Table(2, n_rows=3000)
    search = table.search(settings=settings)
    search.set_penalty(4.0)
    for _ in range(4):
        search.search()
    assert (search.rules()[0][:, 0] > 0).any()  # what there is to find
    right = table.probabilities(search).argmax(axis=1) == table.y
    assert right.mean() > 1.05 * np.mean(table.y == np.bincount(table.y).argmax())


def test_gains_of_samples_are_right_on_average():
    table, settings = Table(2, n_rows=2000), _core.SearchSettings()
    settings.sample_size = 400
    search = table.search(settings=settings)
    rule = np.array([28, 0, 0, 0], dtype=np.uint64)
    p = np.tile(np.exp(search.log_shares()), (2000, 1))
    expected = gain_by_definition(table, p, rule, 1.0, settings)
    found = [search.gain(rule) for _ in range(50)]
    assert np.std(found) > 0
    assert np.mean(found) == pytest.approx(expected, rel=0.1)


@pytest.mark.parametrize("weight", [0.0, 1.0])
def test_an_empty_sample_finds_nothing(weight):
    settings = _core.SearchSettings()
    settings.sample_size = 0
    search = Table(2, n_rows=50, weight=np.full(50, weight)).search(settings=settings)
    search.search()
    assert len(search.rules()[0]) == 0
    assert search.gain(np.array([1, 0, 0, 0], dtype=np.uint64)) == -np.inf


@pytest.mark.parametrize("weight", [-1.0, np.nan, np.inf, 1e28, 1e308])
def test_sample_weights_have_a_finite_sum(weight):
    with pytest.raises(ValueError, match="sample_weight"):
        Table(0, n_rows=1200, weight=np.full(1200, weight)).search()


def test_impossible_input_is_named():
    table = Table(0)
    table.shares[0] = table.shares[0][:-1]
    with pytest.raises(ValueError, match="shares has the wrong length"):
        table.search()
    table = Table(0)
    table.beliefs = table.beliefs[:-1]
    with pytest.raises(ValueError, match="beliefs has the wrong shape"):
        table.search()
    table = Table(0)
    table.x[0, 0] = 4.5
    with pytest.raises(ValueError, match="x is out of range"):
        table.search()
    with pytest.raises(ValueError, match="conditions has the wrong length"):
        Table(0).search().gain(np.array([1], dtype=np.uint32))
