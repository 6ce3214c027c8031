"""
The native engine of fuzzyucs. Arguments are validated by the Python classes.
"""

from collections.abc import Callable, Sequence
import enum
from typing import Annotated, Any, overload

import numpy
from numpy.typing import NDArray


class Settings:
    """The hyperparameters of a learner."""

    def __init__(self) -> None: ...

    @property
    def population_size(self) -> int: ...

    @population_size.setter
    def population_size(self, arg: int, /) -> None: ...

    @property
    def fitness_threshold(self) -> float: ...

    @fitness_threshold.setter
    def fitness_threshold(self, arg: float, /) -> None: ...

    @property
    def fitness_exponent(self) -> float: ...

    @fitness_exponent.setter
    def fitness_exponent(self, arg: float, /) -> None: ...

    @property
    def crossover_rate(self) -> float: ...

    @crossover_rate.setter
    def crossover_rate(self, arg: float, /) -> None: ...

    @property
    def mutation_rate(self) -> float: ...

    @mutation_rate.setter
    def mutation_rate(self, arg: float, /) -> None: ...

    @property
    def deletion_fraction(self) -> float: ...

    @deletion_fraction.setter
    def deletion_fraction(self, arg: float, /) -> None: ...

    @property
    def ga_interval(self) -> float: ...

    @ga_interval.setter
    def ga_interval(self, arg: float, /) -> None: ...

    @property
    def deletion_experience(self) -> float: ...

    @deletion_experience.setter
    def deletion_experience(self, arg: float, /) -> None: ...

    @property
    def subsumption_experience(self) -> float: ...

    @subsumption_experience.setter
    def subsumption_experience(self, arg: float, /) -> None: ...

    @property
    def tournament_fraction(self) -> float: ...

    @tournament_fraction.setter
    def tournament_fraction(self, arg: float, /) -> None: ...

    @property
    def dont_care_rate(self) -> float: ...

    @dont_care_rate.setter
    def dont_care_rate(self, arg: float, /) -> None: ...

    @property
    def correct_set_subsumption(self) -> bool: ...

    @correct_set_subsumption.setter
    def correct_set_subsumption(self, arg: bool, /) -> None: ...

    @property
    def ga_subsumption(self) -> bool: ...

    @ga_subsumption.setter
    def ga_subsumption(self, arg: bool, /) -> None: ...

    @property
    def forgetting(self) -> float: ...

    @forgetting.setter
    def forgetting(self, arg: float, /) -> None: ...

    @property
    def as_published(self) -> bool: ...

    @as_published.setter
    def as_published(self, arg: bool, /) -> None: ...

    @property
    def signed_fitness(self) -> bool: ...

    @signed_fitness.setter
    def signed_fitness(self, arg: bool, /) -> None: ...

    @property
    def membership_experience(self) -> bool: ...

    @membership_experience.setter
    def membership_experience(self, arg: bool, /) -> None: ...

    @property
    def learning_rate(self) -> float: ...

    @learning_rate.setter
    def learning_rate(self, arg: float, /) -> None: ...

    @property
    def mutation_step(self) -> float: ...

    @mutation_step.setter
    def mutation_step(self, arg: float, /) -> None: ...

    @property
    def covering_range(self) -> float: ...

    @covering_range.setter
    def covering_range(self, arg: float, /) -> None: ...

class SharedRows:
    """
    Rows that several machines hold in parts. A function gets sums over one part, and returns those over all.
    """

    def __init__(self, n_rows: int, greatest_weight: float, add_others: Callable[[Annotated[NDArray[numpy.int64], dict(shape=(None,))]], Annotated[NDArray[numpy.int64], dict(shape=(None,))]] | None) -> None: ...

    @property
    def n_rows(self) -> int: ...

    @property
    def greatest_weight(self) -> float: ...

class LinguisticLearner:
    """Fuzzy-UCS over positions on linguistic variables."""

    def __init__(self, n_terms: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, settings: Settings, seed: int) -> None: ...

    def train_epoch(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Present every row once, in a random order: a fresh one, or, as published, the same in all epochs.
        """

    def train_in_order(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Present every row once, in the order given."""

    def step(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], y: int) -> None:
        """Learn from one row."""

    def votes(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], least_experience: float) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """Votes of the rules as they are, for one row."""

    def log_commonalities(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], least_experience: float) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """Logarithms of commonalities of classes and Theta, for one row."""

    def export_rules(self) -> dict[str, Any]:
        """The rules as arrays, the oldest first."""

    def restore_rules(self, conditions: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], class_experience: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], experience: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], fitness: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], numerosity: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], consequent: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], set_size: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], set_count: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], time_stamp: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Add rules that were exported, the oldest first."""

    def copy(self) -> LinguisticLearner:
        """Another learner in the same state."""

    def condense(self) -> None:
        """
        Let accurate rules absorb more special ones, and delete until the limit is kept.
        """

    @property
    def time(self) -> int: ...

    @time.setter
    def time(self, arg: int, /) -> None: ...

    @property
    def rng_state(self) -> list[int]: ...

    @rng_state.setter
    def rng_state(self, arg: Sequence[int], /) -> None: ...

    @property
    def n_rules(self) -> int: ...

    @property
    def n_micro_rules(self) -> int: ...

    @property
    def n_covered(self) -> int: ...

    @property
    def n_subsumed(self) -> int: ...

    @property
    def n_evolved(self) -> int: ...

class IntervalLearner:
    """UCS over values in [0, 1]."""

    def __init__(self, n_features: int, n_classes: int, settings: Settings, seed: int) -> None: ...

    def train_epoch(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Present every row once, in a random order: a fresh one, or, as published, the same in all epochs.
        """

    def train_in_order(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Present every row once, in the order given."""

    def step(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], y: int) -> None:
        """Learn from one row."""

    def votes(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], least_experience: float) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """Votes of the rules as they are, for one row."""

    def log_commonalities(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], least_experience: float) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """Logarithms of commonalities of classes and Theta, for one row."""

    def export_rules(self) -> dict[str, Any]:
        """The rules as arrays, the oldest first."""

    def restore_rules(self, conditions: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], class_experience: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], experience: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], fitness: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], numerosity: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], consequent: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], set_size: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], set_count: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], time_stamp: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Add rules that were exported, the oldest first."""

    def copy(self) -> IntervalLearner:
        """Another learner in the same state."""

    def condense(self) -> None:
        """
        Let accurate rules absorb more special ones, and delete until the limit is kept.
        """

    @property
    def time(self) -> int: ...

    @time.setter
    def time(self, arg: int, /) -> None: ...

    @property
    def rng_state(self) -> list[int]: ...

    @rng_state.setter
    def rng_state(self, arg: Sequence[int], /) -> None: ...

    @property
    def n_rules(self) -> int: ...

    @property
    def n_micro_rules(self) -> int: ...

    @property
    def n_covered(self) -> int: ...

    @property
    def n_subsumed(self) -> int: ...

    @property
    def n_evolved(self) -> int: ...

class RecordReader:
    """Features and classes of records."""

    def __init__(self) -> None: ...

    def add(self, key: object | None, terms: object | None, minimum: float, maximum: float, n_terms: int, moves: bool) -> None:
        """Add a feature."""

    def add_label(self, label: object | None) -> None:
        """Add a class."""

def moved_conditions(conditions: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], old: tuple[float, float], now: tuple[float, float], n_terms: int) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]:
    """
    Say with evenly spread terms of a range what conditions said with those of another.
    """

class RecordLearner:
    """Fuzzy-UCS with profiles that learn online."""

    def __init__(self, learner: LinguisticLearner, reader: RecordReader, steps: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], fading: float, margin: float) -> None: ...

    @property
    def learner(self) -> LinguisticLearner: ...

    @property
    def merits(self) -> list[float]:
        """Merits of all profiles, one group after the other."""

    @merits.setter
    def merits(self, arg: Sequence[float], /) -> None: ...

    @property
    def n_groups(self) -> int: ...

    @property
    def ranges(self) -> list[tuple[float, float]]:
        """Least and greatest number of each feature."""

    @property
    def range_changes(self) -> list[tuple[int, int, tuple[float, float], tuple[float, float]]]:
        """Time, feature, old and new range of the latest changes."""

    def export_profiles(self, group: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """Amounts of a group of profiles."""

    def restore_profiles(self, group: int, amounts: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None: ...

    def positions(self, record: dict[Any, Any]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """Positions of the values of a record."""

    def predict(self, record: dict[Any, Any]) -> dict[Any, Any]:
        """Probabilities by class, of one record."""

    def learn(self, record: dict[Any, Any], y: object | None, leaves_out: bool) -> bool:
        """Learn from one record, unless something in it is new and not left out."""

def locate(x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], peaks: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], ends: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], first: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
    """
    Positions of values among terms that are fully true from peaks to ends, which ascend: 0 is the first, 1 the second.
    """

def rows_outside(x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], low: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], high: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.bool_], dict(shape=(None,))]:
    """Whether each row has a value below or above the range of its feature."""

def encode_ordered(x: NDArray[Any], negative_is_missing: bool, peaks: NDArray[numpy.float64], ends: NDArray[numpy.float64], steps: int) -> NDArray[numpy.uint8]:
    """Codes of numbers: positions among ascending terms, in steps."""

def encode_nominal(x: NDArray[Any], negative_is_missing: bool, values: NDArray[numpy.float64], terms: NDArray[numpy.uint8], takes_nearest: bool) -> NDArray[numpy.uint8]:
    """Codes of numbers: the terms that ascending values belong to."""

class StoredRows:
    """Rows in the types of their columns, located whenever they are read."""

    def __init__(self, n_rows: int) -> None: ...

    def add_ordered(self, x: NDArray[Any], negative_is_missing: bool, peaks: NDArray[numpy.float64], ends: NDArray[numpy.float64]) -> None:
        """
        Adds a feature with terms that are fully true from peaks to ends, which ascend.
        """

    def add_even(self, x: NDArray[Any], negative_is_missing: bool, low: float, high: float, n_terms: int) -> None:
        """Adds a feature whose terms divide a range evenly."""

    def add_nominal(self, x: NDArray[Any], negative_is_missing: bool, values: NDArray[numpy.float64], terms: NDArray[numpy.uint8], takes_nearest: bool) -> None:
        """Adds a feature whose ascending values belong to terms without order."""

class TermForest:
    """Probabilities of terms and of pairs of terms."""

    def __init__(self, n_terms: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], parent: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], marginal: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], joint: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def arrays(self) -> tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
        """The arrays that a forest is made of."""

    def surprise(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], scale: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """How surprising each value is, given the feature's parent."""

    def surprise_sums(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], scale: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], before: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """
        Sums over rows of how surprising values are, and of what they would be without parents, on top of such sums.
        """

    def believe(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """
        Probabilities of the terms of each feature, given its known neighbours.
        """

class SurpriseTotal:
    """How surprising all values of rows are together."""

    def __init__(self, forest: TermForest, scale: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], typical: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], alone: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def add(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """By how much the values of rows surprise more than usual."""

class ForestGrower:
    """Finds forests in rows that come in blocks."""

    def __init__(self, n_rows: int, n_terms: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_folds: int) -> None: ...

    def read(self, first: int, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None:
        """Reads positions of rows from the first on."""

    def grow(self, finds_edges: bool = True) -> list[TermForest]:
        """
        Forests from all rows but those of each fold, and last one from all rows; without edges if they are not to be found. The rows are used up.
        """

class Scheme(enum.Enum):
    """How the rules that match reach a decision."""

    ds = 0

    vote = 1

    swin = 2

class LinguisticInference:
    """Linguistic rules frozen for the test phase."""

    def __init__(self, n_terms: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], conditions: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], fitness: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], strength: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], ignorance: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], consequent: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], forest: TermForest | None = None, is_believed: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None: ...

    def predict(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], scheme: Scheme, seed: int) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
        """The class of each row."""

    def dempster_shafer(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], seed: int, prior: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None, None))]]:
        """
        Classes, masses, log of the agreement and log-commonalities from one combination.
        """

    def stepwise(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], seed: int) -> tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
        """
        Classes, masses and log of the agreement by the arithmetic of the article's program.
        """

    def vote(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], seed: int) -> tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None, None))]]:
        """Classes and votes."""

    def single_winner(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], seed: int) -> tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
        """Classes, the rules that decide (-1: none matches) and their degrees."""

    def votes(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """Sum of mu * F * num for each class."""

    def winners(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], seed: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
        """The rule with the largest mu * F (-1: none matches) and its degree."""

    def masses(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
        """
        Belief masses of the classes and of Theta, and the log of the agreement.
        """

    def log_commonalities(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], prior: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """Logarithms of the commonalities of the classes and of Theta."""

    def membership(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """Membership degrees of all rules."""

class IntervalInference:
    """Rules on intervals frozen for the test phase."""

    def __init__(self, n_features: int, conditions: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], fitness: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], strength: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], ignorance: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], consequent: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def predict(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], scheme: Scheme, seed: int) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
        """The class of each row."""

    def dempster_shafer(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], seed: int, prior: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None, None))]]:
        """
        Classes, masses, log of the agreement and log-commonalities from one combination.
        """

    def stepwise(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], seed: int) -> tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
        """
        Classes, masses and log of the agreement by the arithmetic of the article's program.
        """

    def vote(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], seed: int) -> tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None, None))]]:
        """Classes and votes."""

    def single_winner(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], seed: int) -> tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
        """Classes, the rules that decide (-1: none matches) and their degrees."""

    def votes(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """Sum of mu * F * num for each class."""

    def winners(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], seed: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
        """The rule with the largest mu * F (-1: none matches) and its degree."""

    def masses(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
        """
        Belief masses of the classes and of Theta, and the log of the agreement.
        """

    def log_commonalities(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], prior: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """Logarithms of the commonalities of the classes and of Theta."""

    def membership(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """Membership degrees of all rules."""

class RuleDegrees:
    """Degrees to which rules with few conditions match."""

    def __init__(self, n_terms: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], conditions: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], forest: TermForest | None = None, is_believed: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, dependence: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None: ...

    def membership(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """Membership degrees of all rules."""

    def pool_profiles(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], profile: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], neutral: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], log_rates: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], moderates: bool = True) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
        """
        What rules with class profiles add to each class, to the class that each favours least and most, the share of it that cancels out, how many times it counts, and the number of missing values that rules ask for.
        """

    @overload
    def known_sums(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], shared: SharedRows | None = None) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None, None))]]: ...

    @overload
    def known_sums(self, x: StoredRows, y: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], shared: SharedRows | None = None) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None, None))]]:
        """
        Sums over the rows of each class that lack nothing a rule asks for: of weights times degrees, and of weights.
        """

    @overload
    def class_sums(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, neutral: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], shared: SharedRows | None = None) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]: ...

    @overload
    def class_sums(self, x: StoredRows, y: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, neutral: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], shared: SharedRows | None = None) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
        """
        Sums of degrees over the rows of each class, and of how far they are from neutral.
        """

    @overload
    def add_to(self, profiles: ClassProfiles, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], neutral: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], penalty: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], sign: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None: ...

    @overload
    def add_to(self, profiles: ClassProfiles, x: StoredRows, neutral: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], penalty: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], sign: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None:
        """Adds the rules to class profiles."""

def neutral_degrees(matched: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], all: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """
    Degrees at which rules are neutral, from sums of weights by class: of what each rule matches, and of all rows.
    """

def profile_masses(scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], least: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], greatest: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], rates: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """
    Masses of classes and of Theta, and the log of the agreement, under base rates.
    """

class ClassProfiles:
    """What rules say about each class."""

    def __init__(self, y: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], sample_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, shared: SharedRows | None = None, order: Sequence[int] = []) -> None: ...

    def add(self, degrees: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], neutral: float, penalty: float, sign: int = 0) -> None:
        """Add a rule by its degrees for all rows."""

    def begin_with(self, start: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None:
        """Let rules begin with profiles, as far as possible."""

    def set_penalty(self, rule: int, penalty: float) -> None: ...

    def set_offset(self, offset: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None:
        """
        Add numbers to the scores of rows: what other evidence says of each class.
        """

    def fit(self, tolerance: float, most_sweeps: int) -> bool:
        """Take Newton steps, class by class; return whether they converged."""

    def profiles(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]: ...

    def naturals(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """Natural profiles."""

    def strengths(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """How far rules speak by their natural profiles."""

    def gradients(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]: ...

    def log_shares(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def objective(self) -> float: ...

class EvidenceWeights:
    """How often the evidence of rules counts."""

    def __init__(self, y: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], sample_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, doubt: float, ridge: float) -> None: ...

    def add(self, degrees: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], penalty: float) -> None:
        """Add a rule by its degrees for all rows."""

    def set_penalty(self, rule: int, penalty: float) -> None: ...

    def fit(self, tolerance: float, most_steps: int) -> bool:
        """Take Newton steps; return whether they converged."""

    def weights(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """The strength of each rule."""

    def gradients(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    def prior(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    def class_experience(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]: ...

    @property
    def objective(self) -> float: ...

class GrowthSettings:
    """The parameters of growth."""

    def __init__(self) -> None: ...

    @property
    def condition_cost(self) -> float: ...

    @condition_cost.setter
    def condition_cost(self, arg: float, /) -> None: ...

    @property
    def least_experience(self) -> float: ...

    @least_experience.setter
    def least_experience(self, arg: float, /) -> None: ...

    @property
    def max_conditions(self) -> int: ...

    @max_conditions.setter
    def max_conditions(self, arg: int, /) -> None: ...

    @property
    def most_partners(self) -> int: ...

    @most_partners.setter
    def most_partners(self, arg: int, /) -> None: ...

    @property
    def monotone(self) -> list[int]: ...

    @monotone.setter
    def monotone(self, arg: Sequence[int], /) -> None: ...

    @property
    def class_order(self) -> list[int]: ...

    @class_order.setter
    def class_order(self, arg: Sequence[int], /) -> None: ...

    @property
    def together(self) -> list[list[int]]: ...

    @together.setter
    def together(self, arg: Sequence[Sequence[int]], /) -> None: ...

    @property
    def apart(self) -> list[list[int]]: ...

    @apart.setter
    def apart(self, arg: Sequence[Sequence[int]], /) -> None: ...

    @property
    def fees(self) -> list[float]: ...

    @fees.setter
    def fees(self, arg: Sequence[float], /) -> None: ...

class RuleGrowth:
    """Grows rules by histograms of all rows."""

    def __init__(self, codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_terms: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], is_nominal: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], steps: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], sample_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, settings: GrowthSettings, shares: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int = 1, shared: SharedRows | None = None) -> None: ...

    def set_penalty(self, penalty: float) -> None: ...

    def set_offset(self, offset: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None:
        """Add numbers to the scores of rows: what other evidence says."""

    def grow(self, most: int) -> int: ...

    def settle(self, tolerance: float, most_sweeps: int, relaxed: float) -> bool:
        """Fit profiles; return whether they converged."""

    def state(self) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None, None))], Annotated[NDArray[numpy.uint64], dict(shape=(None, None))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))], float]:
        """What another growth in the same rows needs to go on after `settle`."""

    def go_on_from(self, rules: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], neutral: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], strengths: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], adjustments: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], known: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], groups: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], units: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], penalty: float) -> None:
        """Go on where another growth in the same rows was."""

    @property
    def objective(self) -> float: ...

    @property
    def n_rules(self) -> int: ...

    def rules(self) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
        """
        Sets of terms (four words per feature, 0: any value), profiles and neutral degrees.
        """

    def scores(self, codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """Logarithms of odds of all classes."""

    def log_shares(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

def exp(x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

def log(x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

def log1p(x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

def expm1(x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
