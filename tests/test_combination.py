"""Rules of combination beside enumeration, an independent library and exact arithmetic."""

import math
from collections import defaultdict
from fractions import Fraction
from itertools import chain, combinations, product

import numpy as np
import pytest
from evidencelib import Frame
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from fuzzyucs import Evidence, FuzzyUCSClassifier
from fuzzyucs.evidence.combination import RULES, combine

SIZES = [(n_sources, n_classes) for n_sources in (2, 3, 4, 5) for n_classes in (2, 3, 4)]
thorough = settings(derandomize=True, deadline=None, max_examples=60)
OF_THE_LIBRARY = {"dempster": "dempster", "yager": "yager", "dubois-prade": "dubois_prade"}


def random_masses(rng, n_sources, n_classes):
    """Sources of all sorts, each with some doubt."""
    parts = rng.random((n_sources, n_classes + 1)) + 0.01
    parts[:, :-1][rng.random((n_sources, n_classes)) < 0.3] = 0
    return (parts / parts.sum(axis=1, keepdims=True))[:, :-1]


def subsets(items):
    items = tuple(items)
    sizes = range(len(items) + 1)
    return map(frozenset, chain.from_iterable(combinations(items, size) for size in sizes))


def as_dict(evidence, row=0):
    """All masses of one input by sets of classes (as indices), without zeros."""
    n_classes = len(evidence.classes)
    masses = {frozenset([i]): evidence.mass[row, i] for i in range(n_classes)}
    if evidence.sets is not None:
        for members, mass in zip(evidence.sets, evidence.set_mass[row], strict=True):
            masses[frozenset(np.flatnonzero(members).tolist())] = mass
    masses[frozenset(range(n_classes))] = evidence.ignorance[row]
    return {subset: float(mass) for subset, mass in masses.items() if mass}


def assert_same(ours, expected, *, atol=1e-12):
    for subset in ours.keys() | expected.keys():
        difference = ours.get(subset, 0) - float(expected.get(subset, 0))
        assert abs(difference) <= atol, (set(subset), ours.get(subset), expected.get(subset))


def assert_close(left, right, *, atol=1e-12):
    np.testing.assert_allclose(left.mass, right.mass, rtol=0, atol=atol)
    np.testing.assert_allclose(left.ignorance, right.ignorance, rtol=0, atol=atol)
    np.testing.assert_allclose(left.log_agreement, right.log_agreement, rtol=atol, atol=atol)
    assert (left.sets is None) == (right.sets is None)
    if left.sets is not None:
        np.testing.assert_array_equal(left.sets, right.sets)
        np.testing.assert_allclose(left.set_mass, right.set_mass, rtol=0, atol=atol)


def by_the_library(masses, rule):
    names = "ABCD"[: masses.shape[1]]
    frame = Frame.dst(list(names))
    theta = tuple(names)
    sources = [
        frame.mass({(name,): m for name, m in zip(names, row, strict=True)} | {theta: 1 - sum(row)})
        for row in masses.tolist()
    ]
    result = getattr(sources[0], OF_THE_LIBRARY[rule])(*sources[1:])
    conflict = sources[0].conjunctive(*sources[1:]).conflict
    everything = {
        subset: result[[names[i] for i in subset]] for subset in subsets(range(len(names)))
    }
    return everything, conflict


def exactly(parts, count, rule):
    """Combine source after source, in whole numbers of `parts`, whose rows end with Theta.

    What must be known of the sources so far is the intersection and the union of their picks.
    """
    n_classes = len(parts[0]) - 1
    theta = frozenset(range(n_classes))
    picks = [*(frozenset([i]) for i in range(n_classes)), theta]
    states = {(theta, frozenset()): 1}
    for row, repeated in zip(parts, count, strict=True):
        for _ in range(repeated):
            merged = defaultdict(int)
            for (common, union), weight in states.items():
                for pick, part in zip(picks, row, strict=True):
                    if part:
                        merged[common & pick, union | pick] += weight * part
            states = merged
    whole = sum(states.values())
    agreed = sum(weight for (common, _), weight in states.items() if common)
    masses = defaultdict(int)
    for (common, union), weight in states.items():
        quarrel = {"dempster": None, "yager": theta, "dubois-prade": union}[rule]
        if common or quarrel is not None:
            masses[common or quarrel] += weight
    log_agreement = math.log(agreed) - math.log(whole) if agreed else -math.inf
    if rule == "dempster" and not agreed:
        return {theta: 1}, log_agreement
    total = agreed if rule == "dempster" else whole
    return {subset: Fraction(weight, total) for subset, weight in masses.items()}, log_agreement


def cautious_by_canonical_decomposition(masses):
    """Denoeux's definition: weights of all proper subsets, their minimum, simple mass functions."""
    theta = frozenset(range(masses.shape[1]))
    everything = list(subsets(theta))
    least = {}
    for row in masses.tolist():
        source = {frozenset([i]): m for i, m in enumerate(row)} | {theta: 1 - sum(row)}
        commonality = {a: sum(m for b, m in source.items() if a <= b) for a in everything}
        for a in everything:
            if a != theta:
                above = [b for b in everything if a <= b]
                weight = math.prod(commonality[b] ** (-1) ** (len(b) - len(a) + 1) for b in above)
                least[a] = min(least.get(a, math.inf), weight)
    combined = {theta: 1.0}
    for a, weight in least.items():
        merged = defaultdict(float)
        for b, m in combined.items():
            merged[b & a] += m * (1 - weight)
            merged[b] += m * weight
        combined = merged
    total = sum(m for a, m in combined.items() if a)
    return {a: m / total for a, m in combined.items() if a}


def average_by_definition(masses):
    speaking = [row for row in masses.tolist() if any(row)]
    result = {frozenset(range(masses.shape[1])): 1.0}
    if speaking:
        means = [sum(column) / len(speaking) for column in zip(*speaking, strict=True)]
        result = {frozenset([i]): mean for i, mean in enumerate(means)}
        result[frozenset(range(len(means)))] = 1 - sum(means)
    return result


@pytest.mark.parametrize(("n_sources", "n_classes"), SIZES)
@pytest.mark.parametrize("rule", OF_THE_LIBRARY)
def test_rules_equal_an_independent_library(rule, n_sources, n_classes):
    masses = random_masses(np.random.default_rng(n_sources), n_sources, n_classes)
    expected, conflict = by_the_library(masses, rule)
    evidence = combine(masses, rule=rule)
    assert_same(as_dict(evidence), expected)
    np.testing.assert_allclose(evidence.conflict, conflict, rtol=0, atol=1e-12)


@pytest.mark.parametrize(("n_sources", "n_classes"), SIZES)
@pytest.mark.parametrize("rule", OF_THE_LIBRARY)
def test_rules_equal_exact_enumeration(rule, n_sources, n_classes):
    """With zeros everywhere, sources without doubt, and sources that are repeated or absent."""
    rng = np.random.default_rng(10 * n_sources + n_classes)
    for _ in range(5):
        parts = rng.multinomial(16, rng.dirichlet([0.5] * (n_classes + 1), n_sources))
        count = rng.integers(0, 4, n_sources)
        expected, log_agreement = exactly(parts.tolist(), count.tolist(), rule)
        evidence = combine(parts[:, :-1] / 16, rule=rule, count=count)
        assert_same(as_dict(evidence), expected)
        np.testing.assert_allclose(evidence.log_agreement, log_agreement, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("n_sources", "n_classes"), SIZES)
def test_cautious_rule_equals_the_canonical_decomposition(n_sources, n_classes):
    rng = np.random.default_rng(n_sources)
    for _ in range(3):
        masses = random_masses(rng, n_sources, n_classes)
        expected = cautious_by_canonical_decomposition(masses)
        assert_same(as_dict(combine(masses, rule="cautious")), expected)


@pytest.mark.parametrize(("n_sources", "n_classes"), SIZES)
def test_average_equals_its_definition(n_sources, n_classes):
    masses = random_masses(np.random.default_rng(n_sources), n_sources, n_classes)
    masses[0] = 0
    assert_same(as_dict(combine(masses, rule="average")), average_by_definition(masses))


def test_sources_without_ignorance_are_the_limit_of_the_cautious_rule():
    doubtless = np.array([[0.5, 0.5, 0.0], [0.2, 0.7, 0.1]])
    doubtful = np.array([[0.1, 0.0, 0.8]])
    evidence = combine(np.concatenate([doubtless, doubtful]), rule="cautious")
    np.testing.assert_allclose(evidence.mass[0], np.array([0.5, 0.7, 0.1]) / 1.3)
    assert evidence.ignorance == 0
    almost = combine(np.concatenate([doubtless * (1 - 1e-9), doubtful]), rule="cautious")
    assert_close(evidence, almost, atol=1e-7)


@pytest.mark.parametrize("temperature", [0.3, 1, 2.5, 80])
def test_tempering_takes_commonalities_to_a_power(temperature):
    masses = random_masses(np.random.default_rng(0), 4, 3)
    theta = 1 - masses.sum(axis=1)
    q = ((masses + theta[:, None]).prod(axis=0)) ** (1 / temperature)
    q_theta = theta.prod() ** (1 / temperature)
    expected = np.append(q - q_theta, q_theta)
    evidence = combine(masses, temperature=temperature)
    ours = np.append(evidence.mass, evidence.ignorance)
    np.testing.assert_allclose(ours, expected / expected.sum(), rtol=1e-12)
    np.testing.assert_allclose(
        evidence.log_agreement, min(0, np.log(expected.sum())), rtol=1e-12, atol=1e-12
    )
    assert_close(combine(masses, count=[5] * 4, temperature=5 * temperature), evidence)


def test_tempering_leaves_no_negative_conflict():
    evidence = combine([[0.2, 0.2, 0.2]], temperature=80)
    assert evidence.log_agreement == 0
    assert evidence.conflict == 0


@pytest.mark.parametrize("rule", RULES)
def test_zadehs_doctors(rule):
    expected = {
        "dempster": {frozenset([1]): 1},
        "yager": {frozenset([1]): 0.01, frozenset([0, 1, 2]): 0.99},
        "dubois-prade": {
            frozenset([1]): 0.01,
            frozenset([0, 1]): 0.09,
            frozenset([0, 2]): 0.81,
            frozenset([1, 2]): 0.09,
        },
        "cautious": {
            frozenset([0]): 0.9 / 1.9,
            frozenset([1]): 0.1 / 1.9,
            frozenset([2]): 0.9 / 1.9,
        },
        "average": {frozenset([0]): 0.45, frozenset([1]): 0.1, frozenset([2]): 0.45},
    }
    assert_same(as_dict(combine([[0.9, 0.1, 0], [0, 0.1, 0.9]], rule=rule)), expected[rule])


@st.composite
def sources(draw, *, least_doubt=0, max_sources=5, n_classes=(1, 4)):
    """Masses with many zeros and ties."""
    size = draw(st.integers(*n_classes))
    part, doubt = st.one_of(st.just(0), st.integers(0, 20)), st.integers(least_doubt, 20)
    row = st.tuples(*[part] * size, doubt)
    parts = np.array([draw(row) for _ in range(draw(st.integers(1, max_sources)))], dtype=float)
    parts[parts.sum(axis=1) == 0, -1] = 1
    return (parts / parts.sum(axis=1, keepdims=True))[:, :-1]


@thorough
@given(sources(), st.data())
@pytest.mark.parametrize("rule", RULES)
def test_masses_are_masses(rule, masses, data):
    count = data.draw(st.lists(st.integers(0, 40), min_size=len(masses), max_size=len(masses)))
    evidence = combine(masses, rule=rule, count=count)
    everything = [evidence.mass, evidence.ignorance[:, None]]
    everything += [] if evidence.set_mass is None else [evidence.set_mass]
    everything = np.concatenate(everything, axis=1)
    assert ((everything >= 0) & (everything <= 1)).all()
    np.testing.assert_allclose(everything.sum(axis=1), 1, rtol=0, atol=1e-12)
    np.testing.assert_allclose(evidence.pignistic.sum(axis=1), 1, rtol=0, atol=1e-12)
    assert evidence.log_agreement <= 0
    assert_close(combine(np.repeat(masses, count, axis=0), rule=rule), evidence, atol=1e-11)


@thorough
@given(sources(), st.randoms(use_true_random=False))
@pytest.mark.parametrize("rule", RULES)
def test_the_order_of_sources_does_not_matter(rule, masses, random):
    order = random.sample(range(len(masses)), len(masses))
    assert_close(combine(masses[order], rule=rule), combine(masses, rule=rule))


@thorough
@given(sources(least_doubt=1), st.data())
@pytest.mark.parametrize("rule", ["dempster", "cautious"])
def test_sources_can_be_combined_in_groups(rule, masses, data):
    cut = data.draw(st.integers(0, len(masses)))
    groups = [combine(masses[:cut], rule=rule).mass, combine(masses[cut:], rule=rule).mass]
    together = combine(np.concatenate(groups), rule=rule)
    everything = combine(masses, rule=rule)
    np.testing.assert_allclose(together.mass, everything.mass, rtol=0, atol=1e-11)
    np.testing.assert_allclose(together.ignorance, everything.ignorance, rtol=0, atol=1e-11)


@thorough
@given(sources())
@pytest.mark.parametrize("rule", ["dempster", "yager", "cautious", "average"])
def test_a_source_that_knows_nothing_changes_nothing(rule, masses):
    ignorant = np.zeros((1, masses.shape[1]))
    assert_close(combine(np.concatenate([masses, ignorant]), rule=rule), combine(masses, rule=rule))


@thorough
@given(sources(n_classes=(3, 4)))
def test_a_source_that_knows_nothing_makes_dubois_and_prade_yager(masses):
    """Theta intersects every set, so that all conflict goes to Theta."""
    masses = np.concatenate([masses, np.zeros((1, masses.shape[1]))])
    evidence, yager = combine(masses, rule="dubois-prade"), combine(masses, rule="yager")
    assert not evidence.set_mass.any()
    np.testing.assert_array_equal(evidence.mass, yager.mass)
    np.testing.assert_array_equal(evidence.ignorance, yager.ignorance)


@thorough
@given(sources(max_sources=1), st.integers(1, 1000))
@pytest.mark.parametrize("rule", ["cautious", "average"])
def test_a_repeated_source_adds_nothing(rule, masses, times):
    for evidence in (
        combine(masses, rule=rule, count=[times]),
        combine(np.repeat(masses, 3, axis=0), rule=rule),
    ):
        np.testing.assert_allclose(evidence.mass, masses, rtol=0, atol=1e-12)
        np.testing.assert_allclose(evidence.ignorance, 1 - masses.sum(), rtol=0, atol=1e-12)


@thorough
@given(sources(), st.floats(0.05, 1000))
def test_tempering_keeps_the_order_of_the_classes(masses, temperature):
    (plain,) = combine(masses).mass
    (tempered,) = combine(masses, temperature=temperature).mass
    for i, j in product(range(len(plain)), repeat=2):
        if plain[i] > plain[j] + 1e-9:
            assert tempered[i] >= tempered[j]


@thorough
@given(sources(n_classes=(2, 2)))
def test_with_two_classes_dubois_and_prade_is_yager(masses):
    evidence = combine(masses, rule="dubois-prade")
    assert evidence.sets is None
    assert_close(evidence, combine(masses, rule="yager"))


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("doubt", [0.0, 1e-3, 0.5])
def test_ten_thousand_sources(rule, doubt):
    rng = np.random.default_rng(0)
    masses = (1 - doubt) * rng.dirichlet([0.3] * 4, (2, 10_000))
    masses[1, ::2] = [1 - doubt, 0, 0, 0]
    masses[1, 1::2] = [0, 1 - doubt, 0, 0]
    evidence = combine(masses, rule=rule)
    total = evidence.mass.sum(axis=1) + evidence.ignorance
    total += 0 if evidence.set_mass is None else evidence.set_mass.sum(axis=1)
    np.testing.assert_allclose(total, 1, rtol=0, atol=1e-12)
    assert (evidence.mass >= 0).all()
    assert (evidence.log_agreement < -1000).all()
    assert np.isfinite(evidence.log_agreement).tolist() == [True, doubt > 0]


def quarrels():
    """Parts of 16 that each source gives to classes and Theta."""
    rng = np.random.default_rng(1)
    anything = rng.multinomial(16, [0.3, 0.3, 0.3, 0.1], 300)
    camps = np.tile([[15, 0, 0, 1], [0, 15, 0, 1], [0, 0, 15, 1]], (100, 1))
    close = rng.permutation(np.repeat([[9, 7, 0, 0], [7, 9, 0, 0], [8, 6, 1, 1]], 100, axis=0))
    agreeing = np.tile([0, 0, 1, 15], (300, 1))
    agreeing[:3] = [[12, 0, 0, 4], [0, 4, 0, 12], [1, 1, 1, 13]]
    two_of_three = np.tile([7, 9, 0, 0], (300, 1))
    one_of_three = np.tile([16, 0, 0, 0], (300, 1))
    one_of_three[:4] = [[8, 8, 0, 0], [4, 4, 0, 8], [12, 2, 1, 1], [15, 0, 1, 0]]
    named = {
        "anything": anything,
        "camps": camps,
        "close": close,
        "agreeing": agreeing,
        "two of three": two_of_three,
        "one of three": one_of_three,
    }
    return [pytest.param(parts, id=name) for name, parts in named.items()]


@pytest.mark.parametrize("parts", quarrels())
@pytest.mark.parametrize("rule", OF_THE_LIBRARY)
def test_conflict_of_hundreds_equals_exact_arithmetic(rule, parts):
    expected, log_agreement = exactly(parts.tolist(), [1] * len(parts), rule)
    evidence = combine(parts[:, :-1] / 16, rule=rule)
    assert_same(as_dict(evidence), expected)
    np.testing.assert_allclose(evidence.log_agreement, log_agreement, rtol=1e-12, atol=1e-12)


def test_ten_thousand_sources_in_two_camps_stay_exact():
    """The camps all but balance: what decides is far smaller than what they have in common.

    Plain sums of logarithms are wrong by 3e-10 here.
    """
    parts = np.repeat([[11, 3, 0, 2], [3, 11, 0, 2], [5, 4, 6, 1]], [4999, 5000, 1], axis=0)
    q = [math.prod((parts[:, i] + parts[:, -1]).tolist()) for i in range(3)]
    q_theta = math.prod(parts[:, -1].tolist())
    total = sum(q) - 2 * q_theta
    expected = [float(Fraction(part, total)) for part in [*(x - q_theta for x in q), q_theta]]
    evidence = combine(parts[:, :-1] / 16)
    assert min(expected[:2]) > 0.1
    np.testing.assert_allclose(evidence.mass[0], expected[:3], rtol=0, atol=2e-14)
    np.testing.assert_allclose(evidence.ignorance[0], expected[3], rtol=0, atol=2e-14)


def test_small_masses_are_exact_to_the_last_digits():
    """Far below the last digit of the commonalities they are the differences of."""
    ((small, _),) = combine([[1e-20, 0.25]] * 4).mass
    expected = 4 * 1e-20 * 0.75**3  # (0.75 + m)^4 - 0.75^4, up to m^2
    np.testing.assert_allclose(small, expected, rtol=1e-14)


def test_masses_equal_those_of_the_native_engine():
    X, y = load_iris(return_X_y=True)
    clf = FuzzyUCSClassifier(epochs=5, random_state=0).fit(X, y)
    experienced = clf.rules_.experience > clf.inference_experience
    rules = clf.rules_[experienced]
    assert 0 < len(rules) < len(clf.rules_)
    degrees = clf.membership(X)[:, experienced]
    evidence = combine(
        degrees[:, :, None] * rules.weights, count=rules.numerosity, classes=clf.classes_
    )
    native = clf.predict_evidence(X)
    np.testing.assert_allclose(evidence.mass, native.mass, rtol=0, atol=1e-12)
    np.testing.assert_allclose(evidence.ignorance, native.ignorance, rtol=0, atol=1e-12)
    np.testing.assert_allclose(evidence.log_agreement, native.log_agreement, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(evidence.classes, native.classes)


@pytest.mark.parametrize("rule", RULES)
def test_inputs_are_independent(rule):
    rng = np.random.default_rng(0)
    masses = np.stack([random_masses(rng, 5, 4) for _ in range(6)])
    count = rng.integers(0, 4, (6, 5))
    count[2] = 0
    evidence = combine(masses, rule=rule, count=count, classes=list("abcd"))
    assert isinstance(evidence, Evidence)
    assert evidence.classes.tolist() == list("abcd")
    assert evidence.ignorance[2] == 1
    for i in range(6):
        assert_close(combine(masses[i], rule=rule, count=count[i]), evidence[i])
        assert_close(combine(masses[i], rule=rule, count=count[i : i + 1]), evidence[i])
    assert_close(combine(masses, rule=rule), combine(masses, rule=rule, count=[1] * 5), atol=0)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(
    ("masses", "count"),
    [(np.zeros((0, 3)), None), (np.zeros((2, 3)), None), ([[1.0, 0, 0], [0, 1.0, 0]], [0, 0])],
)
def test_no_source_means_ignorance_without_conflict(rule, masses, count):
    evidence = combine(masses, rule=rule, count=count)
    assert as_dict(evidence) == {frozenset([0, 1, 2]): 1}
    assert evidence.log_agreement == 0


@pytest.mark.parametrize("rule", RULES)
def test_no_inputs(rule):
    assert len(combine(np.zeros((0, 2, 3)), rule=rule)) == 0


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("dempster", {frozenset([0, 1, 2]): 1}),
        ("yager", {frozenset([0, 1, 2]): 1}),
        ("dubois-prade", {frozenset([0, 1]): 1}),
        ("cautious", {frozenset([0]): 0.5, frozenset([1]): 0.5}),
        ("average", {frozenset([0]): 0.5, frozenset([1]): 0.5}),
    ],
)
def test_total_conflict(rule, expected):
    evidence = combine([[1, 0, 0], [0, 1, 0]], rule=rule)
    assert_same(as_dict(evidence), expected)
    assert evidence.log_agreement == -np.inf


@pytest.mark.parametrize("rule", RULES)
def test_one_class(rule):
    evidence = combine([[0.5], [0.0]], rule=rule)
    assert (evidence.mass[0, 0], evidence.ignorance[0]) == (0.5, 0.5)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("sum_of_masses", [1 - 4e-14, 1 + 5e-10])
def test_what_is_lost_by_rounding_is_no_ignorance(rule, sum_of_masses):
    rounded = np.array([[0.5, 0.5, 0.0], [0.5 * sum_of_masses, 0.3 * sum_of_masses, 0.0]])
    rounded[1, 1] += 0.2 * sum_of_masses
    exact = [[0.5, 0.5, 0.0], [0.5, 0.5, 0.0]]
    assert_close(combine(rounded, rule=rule), combine(exact, rule=rule))
    assert combine([[sum_of_masses, 0], [0, 1]]).log_agreement == -np.inf


def test_sets_come_in_order_and_ten_classes_are_the_most():
    evidence = combine(np.full((3, 10), 0.1), rule="dubois-prade")
    assert evidence.sets.shape == (2**10 - 10 - 2, 10)
    assert evidence.sets.dtype == bool
    sizes = evidence.sets.sum(axis=1)
    assert (np.diff(sizes) >= 0).all()
    # Three sources name the same class, two classes, or three.
    np.testing.assert_allclose(evidence.mass.sum(), 10 / 1000)
    np.testing.assert_allclose(evidence.set_mass[:, sizes == 2].sum(), 10 * 9 * 3 / 1000)
    np.testing.assert_allclose(evidence.set_mass[:, sizes == 3].sum(), 10 * 9 * 8 / 1000)
    np.testing.assert_allclose(evidence.set_mass[:, sizes > 3], 0, atol=1e-12)
    assert (evidence.set_mass >= 0).all()
    with pytest.raises(ValueError, match="at most 10 classes, mass has 11"):
        combine(np.full((3, 11), 0.05), rule="dubois-prade")
