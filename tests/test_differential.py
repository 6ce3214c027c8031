"""The native engine beside its plain-Python twins: identical to the last bit."""

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import reference
import reference_ucs
from fuzzyucs import _core

SCALARS = [
    "experience",
    "fitness",
    "numerosity",
    "consequent",
    "set_size",
    "set_count",
    "time_stamp",
    "weights",
    "class_experience",
]


class Pair:
    """The engine and its twin with the same settings, driven by the same operations."""

    def __init__(self, n_classes, seed, settings):
        self.n_classes = n_classes
        self.native_settings = _core.Settings()
        for name, value in settings.items():
            setattr(self.native_settings, name, value)
        self.native = self.new_native(seed)

    def train_epoch(self, X, y):
        self.native.train_epoch(np.asarray(X, dtype=float), np.asarray(y, dtype=np.uint32))
        self.twin.train_epoch(np.asarray(X, dtype=float).tolist(), np.asarray(y).tolist())

    def step(self, x, y):
        self.native.step(np.asarray(x, dtype=float), y)
        self.twin.step(list(x), y)

    def restart_from_exported_rules(self):
        """Export all rules and go on with a new learner, which has no gaps between them."""
        state = self.native.export_rules(), self.native.time, self.native.rng_state
        self.native = self.new_native(0)
        self.native.restore_rules(**state[0])
        self.native.time, self.native.rng_state = state[1:]
        self.twin.order = []

    def copy_native(self):
        """Go on with a copy; what becomes of the original does not matter to it."""
        original, self.native = self.native, self.native.copy()
        for _ in range(5):
            original.step(np.zeros(len(self.n_terms)), 0)

    def check(self):
        exported, rules = self.native.export_rules(), self.twin.rules
        assert list(self.native.rng_state) == self.twin.rng.state
        assert self.native.time == self.twin.time
        assert self.native.n_micro_rules == self.twin.n_micro_rules
        assert self.native.n_rules == len(rules)
        expected = {name: [getattr(r, name) for r in rules] for name in SCALARS}
        expected["conditions"] = [self.as_numbers(r.condition) for r in rules]
        for name, values in expected.items():
            np.testing.assert_array_equal(
                exported[name], np.reshape(values, exported[name].shape), err_msg=name
            )


class FuzzyPair(Pair):
    """Fuzzy-UCS."""

    def __init__(self, n_terms, n_classes, seed, **settings):
        self.n_terms = list(n_terms)
        super().__init__(n_classes, seed, settings)
        self.twin = reference.Learner(self.n_terms, n_classes, reference.Settings(**settings), seed)

    def new_native(self, seed):
        n_terms = np.asarray(self.n_terms, dtype=np.uint32)
        return _core.LinguisticLearner(n_terms, self.n_classes, self.native_settings, seed)

    def as_numbers(self, condition):
        return [sum(1 << t for t in terms) for terms in condition]


class UcsPair(Pair):
    """UCS. Positions on variables of two terms are just values between 0 and 1."""

    def __init__(self, n_terms, n_classes, seed, **settings):
        self.n_terms = [2] * len(n_terms)
        super().__init__(n_classes, seed, settings)
        self.twin = reference_ucs.Learner(
            len(n_terms), n_classes, reference_ucs.Settings(**settings), seed
        )

    def new_native(self, seed):
        return _core.IntervalLearner(len(self.n_terms), self.n_classes, self.native_settings, seed)

    def as_numbers(self, condition):
        return condition


both = pytest.mark.parametrize("pair_type", [FuzzyPair, UcsPair])


def make_data(rng, n_rows, n_terms, n_classes):
    """Positions anywhere, on peaks, at both ends and missing; labels that rules can learn."""
    top = np.asarray(n_terms) - 1
    X = rng.random((n_rows, len(n_terms))) * top
    kind = rng.random(X.shape)
    X = np.where(kind < 0.3, np.round(X), X)
    X = np.where(kind > 0.95, np.broadcast_to(top, X.shape), X)
    y = (np.floor(X[:, 0] / top[0] * n_classes).clip(0, n_classes - 1)).astype(int)
    noisy = rng.random(n_rows) < 0.2
    y[noisy] = rng.integers(0, n_classes, noisy.sum())
    X[rng.random(X.shape) < 0.1] = np.nan
    return X, y


BUSY = {
    "population_size": 60,
    "ga_interval": 5.0,
    "deletion_experience": 5.0,
    "subsumption_experience": 5.0,
    "fitness_threshold": 0.7,
}


COMMON_CHANGES = [
    {},
    {"correct_set_subsumption": False},
    {"ga_subsumption": False},
    {"correct_set_subsumption": False, "ga_subsumption": False},
    {"fitness_exponent": 2.0},
    {"fitness_exponent": 0.7},
    {"mutation_rate": 0.6, "crossover_rate": 0.2},
    {"mutation_rate": 0.0, "crossover_rate": 0.0},
    {"deletion_fraction": 1.0, "deletion_experience": 0.0},
    {"tournament_fraction": 0.0},
    {"tournament_fraction": 1.0},
    {"dont_care_rate": 0.0},
    {"dont_care_rate": 1.0},
    {"population_size": 1},
    {"forgetting": 0.05},
    {"forgetting": 0.7, "population_size": 20},
    {"population_size": 2000},
    {"as_published": True},
    {"as_published": True, "mutation_rate": 0.6, "ga_interval": 1.0},
    {"as_published": True, "fitness_threshold": -1.0, "subsumption_experience": 0.0},
    {"fitness_threshold": -1.0, "subsumption_experience": 0.0},
    {
        "population_size": 8,
        "ga_interval": 0.0,
        "mutation_rate": 0.3,
        "fitness_threshold": -1.0,
        "subsumption_experience": 0.0,
        "correct_set_subsumption": False,
    },
]
FUZZY_CHANGES = [
    {"signed_fitness": False},
    {"membership_experience": False},
    {"membership_experience": False, "as_published": True},
    {"signed_fitness": False, "membership_experience": False},
    {"fitness_exponent": 5.0, "signed_fitness": False},
]
UCS_CHANGES = [
    {"learning_rate": 1.0},
    {"learning_rate": 0.5},
    {"learning_rate": 0.01},
    {"mutation_step": 0.0, "mutation_rate": 0.5},
    {"mutation_step": 1.0, "mutation_rate": 0.5},
    {"covering_range": 0.0},
    {"covering_range": 0.05, "dont_care_rate": 0.0},
    {"fitness_exponent": 10.0, "fitness_threshold": 0.9},
]


@pytest.mark.parametrize(
    ("pair_type", "changes"),
    [(FuzzyPair, changes) for changes in COMMON_CHANGES + FUZZY_CHANGES]
    + [(UcsPair, changes) for changes in COMMON_CHANGES + UCS_CHANGES],
    ids=lambda value: value.__name__ if isinstance(value, type) else str(value),
)
def test_whole_trainings_are_identical(pair_type, changes):
    rng = np.random.default_rng(len(str(changes)))
    for n_terms, n_classes in [([5] * 4, 2), ([2, 3, 7, 5, 9], 4), ([64, 2, 33], 3), ([4], 2)]:
        pair = pair_type(n_terms, n_classes, seed=7, **(BUSY | changes))
        X, y = make_data(rng, 60, pair.n_terms, n_classes)
        for _ in range(5):
            pair.train_epoch(X, y)
            pair.check()


@both
@pytest.mark.parametrize("subsumes", [True, False])
def test_joined_populations_are_condensed_alike(pair_type, subsumes):
    rng = np.random.default_rng(3)
    X, y = make_data(rng, 300, [3, 4, 3], 2)
    usual = {"correct_set_subsumption": False, "ga_subsumption": False, "fitness_threshold": 0.4}
    pair = pair_type([3, 4, 3], 2, 7, population_size=500, subsumption_experience=5, **usual)
    for _ in range(4):
        pair.train_epoch(X, y)
    n_micro_rules = pair.native.n_micro_rules
    for changed in (pair.native_settings, pair.twin.settings):
        changed.population_size = 150
        changed.correct_set_subsumption = subsumes
    pair.restart_from_exported_rules()
    pair.native.condense()
    pair.twin.condense()
    pair.check()
    assert pair.native.n_micro_rules == 150 < n_micro_rules
    assert (pair.native.n_subsumed > 0) == subsumes


@both
def test_default_settings_are_the_same_on_both_sides(pair_type):
    rng = np.random.default_rng(0)
    pair = pair_type([5] * 3, 3, seed=1)
    X, y = make_data(rng, 80, pair.n_terms, 3)
    for _ in range(12):
        pair.train_epoch(X, y)
    pair.check()
    assert pair.native.n_evolved > 0


@both
@pytest.mark.parametrize("n_features", [9, 33, 70])
def test_wide_data_are_identical(n_features, pair_type):
    """More features than fit into one table, one word, and several words."""
    rng = np.random.default_rng(n_features)
    pair = pair_type(rng.integers(2, 7, n_features).tolist(), 3, seed=3, **BUSY)
    X, y = make_data(rng, 30, pair.n_terms, 3)
    for _ in range(4):
        pair.train_epoch(X, y)
        pair.check()


@both
def test_several_blocks_of_slots_are_identical(pair_type):
    rng = np.random.default_rng(4)
    pair = pair_type(
        [5] * 6, 12, seed=3, dont_care_rate=0.1, ga_interval=10.0, population_size=1200
    )
    X = rng.random((700, 6)) * (pair.n_terms[0] - 1)
    y = rng.integers(0, 12, 700)
    pair.train_epoch(X, y)
    pair.check()
    assert pair.native.n_rules > 512


@both
@pytest.mark.parametrize(("population_size", "n_rows"), [(60, 1000), (600, 1300)])
def test_gaps_between_rules_are_closed(pair_type, population_size, n_rows):
    """More rules are made than there are slots, in one block and in two; most of them die."""
    rng = np.random.default_rng(6)
    pair = pair_type(
        [5] * 6,
        12,
        seed=3,
        dont_care_rate=0.0,
        ga_interval=20.0,
        population_size=population_size,
        **({"covering_range": 0.2} if pair_type is UcsPair else {}),
    )
    X = rng.random((n_rows, 6)) * (pair.n_terms[0] - 1)
    y = rng.integers(0, 12, n_rows)
    pair.native.train_in_order(X, y.astype(np.uint32))
    for row, label in zip(X.tolist(), y.tolist(), strict=True):
        pair.twin.step(row, label)
    pair.check()
    n_slots = 512 * -(-population_size // 512)
    assert pair.native.n_covered > n_slots > pair.native.n_rules


def test_memberships_too_small_for_a_double_stay_positive():
    n_features = 60
    pair = FuzzyPair([2] * n_features, 2, seed=0, dont_care_rate=0.0, ga_interval=1.0)
    tiny = [1e-7] * n_features
    for _ in range(20):
        pair.step([1 - 1e-7] * n_features, 0)
        pair.step(tiny, 1)
        pair.step([1.0] * n_features, 1)
        pair.step([0.0] * n_features, 0)
        pair.check()


def test_three_steps_worked_out_by_hand():
    """From the algorithm alone, so that an error that engine and twin share would show."""
    pair = FuzzyPair([5], 2, seed=0, dont_care_rate=0.0)
    pair.step([1.25], 0)  # nothing matches: covering makes A = {1, 2} -> 0
    pair.step([1.5], 1)  # A matches fully but is of class 0: covering makes B = {1, 2} -> 1
    pair.step([2.5], 0)  # A and B match to 0.5; below 1 in class 0: covering makes C = {2, 3} -> 0
    pair.check()
    rules = pair.native.export_rules()
    assert rules["conditions"].tolist() == [[0b00110], [0b00110], [0b01100]]
    assert rules["experience"].tolist() == [1 + 1 + 0.5, 1 + 0.5, 1]
    assert rules["class_experience"].tolist() == [[1 + 0.5, 1], [0.5, 1], [1, 0]]
    assert rules["consequent"].tolist() == [0, 1, 0]
    np.testing.assert_allclose(rules["fitness"], [0.6 - 0.4, 1 / 1.5 - 0.5 / 1.5, 1], atol=1e-15)
    # Correct sets: {A}, {B}, {A, C}.
    assert rules["set_size"].tolist() == [(1 + 2) / 2, 1, 2]
    assert rules["numerosity"].tolist() == [1, 1, 1]
    assert rules["time_stamp"].tolist() == [0, 1, 2]


def test_some_steps_of_ucs_worked_out_by_hand():
    """Covering range 0 makes intervals of a single point; all else follows from the algorithm."""
    pair = UcsPair([2, 2], 2, seed=0, dont_care_rate=0.0, covering_range=0.0)
    nan = float("nan")
    pair.step([0.25, nan], 0)  # nothing matches: covering makes A = (0.25, anything) -> 0
    pair.step([0.25, 0.5], 1)  # A matches but is of class 0: covering makes B -> 1
    pair.step([nan, 0.5], 0)  # both match, A is correct
    pair.step([0.25, 0.75], 0)  # only A matches
    pair.step([0.5, 0.75], 0)  # nothing matches: covering makes C = (0.5, 0.75) -> 0
    pair.step([nan, 0.75], 0)  # A and C are correct: a set of size 2
    pair.step([nan, nan], 0)  # and again, with B matching beside them
    pair.check()
    rules = pair.native.export_rules()
    assert np.sort(rules["conditions"]).tolist() == [
        [[0.25, 0.25], [0, 1]],
        [[0.25, 0.25], [0.5, 0.5]],
        [[0.5, 0.5], [0.75, 0.75]],
    ]
    assert rules["consequent"].tolist() == [0, 1, 0]
    assert rules["experience"].tolist() == [6, 3, 3]
    assert rules["class_experience"].tolist() == [[5, 1], [2, 1], [3, 0]]
    np.testing.assert_allclose(rules["fitness"], [5 / 6, 1 / 3, 1])
    np.testing.assert_allclose(rules["weights"], [[5 / 6, 1 / 6], [2 / 3, 1 / 3], [1, 0]])
    # A was in sets of size 1, then with experience 5 and 6, from 1 / beta on, in two of size 2. C
    # was in one of size 1 and, with experience 2 and 3, in two of size 2.
    np.testing.assert_allclose(rules["set_size"], [1 + 0.2 + 0.8 * 0.2, 1, 5 / 3])
    assert rules["set_count"].tolist() == [5, 1, 3]
    assert rules["numerosity"].tolist() == [1, 1, 1]
    assert rules["time_stamp"].tolist() == [0, 1, 4]


@both
def test_rows_in_order_are_single_steps(pair_type):
    rng = np.random.default_rng(0)
    pair = pair_type([5] * 3, 3, seed=1, **BUSY)
    X, y = make_data(rng, 200, pair.n_terms, 3)
    pair.native.train_in_order(X, y.astype(np.uint32))
    for row, label in zip(X.tolist(), y.tolist(), strict=True):
        pair.twin.step(row, label)
    pair.check()


def test_forgetting_worked_out_by_hand():
    pair = FuzzyPair([5], 2, seed=0, dont_care_rate=0.0, forgetting=0.5)
    pair.step([1.25], 0)  # covering makes A = {1, 2} -> 0, which matches fully
    pair.step([1.5], 1)  # A forgets half of it and becomes a rule of class 1; covering makes B
    pair.step([2.5], 1)  # both match to 0.5, which is enough together, and forget a quarter
    pair.check()
    rules = pair.native.export_rules()
    assert rules["experience"].tolist() == [(1 * 0.5 + 1) * 0.75 + 0.5, 1 * 0.75 + 0.5]
    assert rules["class_experience"][0].tolist() == [0.5 * 0.75, 1 * 0.75 + 0.5]
    assert rules["consequent"].tolist() == [1, 1]


class LearnerMachine(RuleBasedStateMachine):
    """Any sequence of steps and restarts leaves the engine and its twin identical."""

    pair_type = FuzzyPair

    @initialize(
        n_terms=st.lists(st.sampled_from([2, 3, 5, 8, 33, 64]), min_size=1, max_size=6),
        n_classes=st.integers(1, 4),
        seed=st.integers(0, 2**64 - 1),
        population_size=st.integers(1, 40),
        ga_interval=st.sampled_from([0.0, 3.0, 20.0]),
        experience=st.sampled_from([0.0, 2.0, 10.0]),
        threshold=st.sampled_from([-0.5, 0.5, 0.99]),
        exponent=st.sampled_from([1.0, 3.0]),
        flags=st.tuples(*[st.booleans()] * 5),
        forgetting=st.sampled_from([0.0, 0.0, 0.1]),
    )
    def start(
        self,
        n_terms,
        n_classes,
        seed,
        population_size,
        ga_interval,
        experience,
        threshold,
        exponent,
        flags,
        forgetting,
    ):
        self.pair = self.pair_type(
            n_terms,
            n_classes,
            seed,
            population_size=population_size,
            ga_interval=ga_interval,
            deletion_experience=experience,
            subsumption_experience=experience,
            fitness_threshold=threshold,
            fitness_exponent=exponent,
            mutation_rate=0.2,
            correct_set_subsumption=flags[0],
            ga_subsumption=flags[1],
            signed_fitness=flags[2],
            membership_experience=flags[3],
            forgetting=forgetting,
            as_published=flags[4],
        )

    def draw_input(self, data):
        cell = st.one_of(
            st.sampled_from([0.0, 0.25, 0.5, 1.0, float("nan")]), st.floats(0, 1, width=32)
        )
        return [data.draw(cell) * (n - 1) for n in self.pair.n_terms]

    @rule(data=st.data(), label=st.integers(0, 3), times=st.integers(1, 8))
    def learn(self, data, label, times):
        x = self.draw_input(data)
        for _ in range(times):
            self.pair.step(x, label % self.pair.n_classes)

    @rule(seed=st.integers(0, 999))
    def learn_an_epoch(self, seed):
        rng = np.random.default_rng(seed)
        self.pair.train_epoch(*make_data(rng, 15, self.pair.n_terms, self.pair.n_classes))

    @precondition(lambda self: self.pair.native.n_rules)
    @rule()
    def restart(self):
        self.pair.restart_from_exported_rules()

    @rule()
    def copy(self):
        self.pair.copy_native()

    @invariant()
    def identical(self):
        if hasattr(self, "pair"):
            self.pair.check()


class UcsMachine(LearnerMachine):
    pair_type = UcsPair


TestLearnerMachine = LearnerMachine.TestCase
TestUcsMachine = UcsMachine.TestCase
TestLearnerMachine.settings = TestUcsMachine.settings = settings(
    max_examples=60,
    stateful_step_count=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
