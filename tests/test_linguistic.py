"""Linguistic variables."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_iris

from fuzzyucs import EvidentialRuleClassifier, FuzzyUCSClassifier, LinguisticPartition
from fuzzyucs.variables.linguistic import MAX_TERMS, LinguisticVariable, term_names


@pytest.mark.parametrize("n_terms", range(2, MAX_TERMS + 1))
def test_every_number_of_terms_has_distinct_names(n_terms):
    assert len(set(term_names(n_terms))) == n_terms


@pytest.mark.parametrize("n_terms", range(2, MAX_TERMS + 1))
def test_peaks_lie_at_whole_positions(n_terms):
    partition = LinguisticPartition.uniform(np.array([[-3.0], [11.0]]), n_terms, ["x"])
    positions = partition.positions(partition.peaks(0)[:, None])
    assert_allclose(positions[:, 0], np.arange(n_terms), atol=1e-13)
    assert positions[0, 0] == 0
    assert positions[-1, 0] == n_terms - 1


def test_positions_of_special_values():
    train = np.array([[0.0, 7.0, np.nan], [4.0, 7.0, np.nan], [np.nan, np.nan, np.nan]])
    partition = LinguisticPartition.uniform(train, [5, 5, 4], ["a", "b", "c"])
    assert_array_equal(partition.minimum, [0, 7, np.nan])
    assert_array_equal(
        partition.positions(np.array([[-9.0, 8.0, 1.0], [1.5, 7.0, np.nan], [np.nan] * 3])),
        [[0, 2, 1.5], [1.5, 2, np.nan], [np.nan] * 3],
    )


def test_ranges_wider_than_the_largest_number():
    partition = LinguisticPartition.uniform(np.array([[-1.5e308], [1.5e308]]), 3, ["x"])
    assert_allclose(partition.positions(np.array([[0.0], [7.5e307]])), [[1], [1.5]])
    assert_allclose(partition.peaks(0), [-1.5e308, 0, 1.5e308])


def test_description_in_words():
    partition = LinguisticPartition.uniform(np.array([[0.0], [1.0]]), 5, ["age"])
    assert partition.describe(0, 0b00001) == "age is very small"
    assert partition.describe(0, 0b11000) == "age is {large, very large}"
    assert partition.is_dont_care(0, 0b11111)
    assert not partition.is_dont_care(0, 0b01111)


# Partitions of all kinds


def test_quantiles_leave_equally_many_values_between_peaks():
    x = np.random.default_rng(0).exponential(size=(1000, 1))
    partition = LinguisticPartition.of(x, ["x"], partition="quantile", n_terms=5)
    assert_allclose(partition.peaks(0), np.quantile(x, [0, 0.25, 0.5, 0.75, 1]))
    places = partition.positions(x)[:, 0]
    assert_allclose(np.histogram(places, bins=4, range=(0, 4))[0], 250, atol=2)
    assert_allclose(partition.positions(partition.peaks(0)[:, None])[:, 0], np.arange(5))


def test_positions_between_peaks_equal_interpolation():
    rng = np.random.default_rng(0)
    for n_terms in range(2, 33):
        peaks = np.sort(rng.normal(size=n_terms))
        variable = LinguisticVariable(peaks, term_names(n_terms))
        x = np.concatenate([rng.normal(size=200), peaks, [-np.inf, np.inf, np.nan]])
        expected = np.interp(x, peaks, np.arange(n_terms))
        expected[np.isnan(x)] = np.nan
        assert_allclose(variable.positions(x), expected, atol=1e-12)
        strided = np.column_stack([x, x])[:, 1]
        assert_array_equal(variable.positions(strided), variable.positions(x))
    wide = LinguisticVariable(np.array([-1.7e308, 1.7e308]), ("low", "high"))
    assert_allclose(wide.positions(np.array([0.0])), [0.5])


def random_plateaus(rng, n_terms):
    """Return peaks and ends; some of them are equal."""
    knots = np.sort(rng.normal(size=2 * n_terms))
    peaks, ends = knots[::2].copy(), knots[1::2].copy()
    alone = rng.random(n_terms) < 0.3
    ends[alone] = peaks[alone]
    return peaks, ends


def test_positions_among_plateaus_equal_interpolation():
    rng = np.random.default_rng(1)
    for n_terms in range(2, MAX_TERMS + 1):
        peaks, ends = random_plateaus(rng, n_terms)
        variable = LinguisticVariable(peaks, term_names(n_terms), ends=ends)
        x = np.concatenate([rng.normal(size=200), peaks, ends, [-np.inf, np.inf, np.nan]])
        knots = np.column_stack([peaks, ends]).ravel()
        expected = np.interp(x, knots, np.repeat(np.arange(n_terms), 2))
        expected[np.isnan(x)] = np.nan
        assert_allclose(variable.positions(x), expected, atol=1e-12)
        on_plateau = ((x[:, None] >= peaks) & (x[:, None] <= ends)).any(axis=1)
        places = variable.positions(x)[on_plateau]
        assert_array_equal(places, np.round(places))  # to the last bit
        table = np.column_stack([rng.normal(size=200), x[:200]])
        partition = LinguisticPartition.of_variables(table, ["a", "b"], {1: variable})
        assert_array_equal(partition.positions(table)[:, 1], variable.positions(x[:200]))
        assert_array_equal(partition.ends(1), ends)
    wide = LinguisticVariable(
        np.array([-1.7e308, 1.5e308]), ("low", "high"), ends=np.array([-1.5e308, 1.7e308])
    )
    assert_allclose(wide.positions(np.array([-1.6e308, 0.0, 1.6e308])), [0, 0.5, 1])


@pytest.mark.parametrize("ends", [[0.5, 3.0], [2.0, 3.0], [1.5], [np.nan, 3.0], [1.5, 1.9]])
def test_ends_that_do_not_fit_are_refused(ends):
    with pytest.raises(ValueError, match="ends must ascend with the peaks"):
        LinguisticVariable(np.array([1.0, 2.0]), ("low", "high"), ends=np.array(ends))
    with pytest.raises(ValueError, match="ends must be None for a nominal feature"):
        LinguisticVariable(np.array([1.0, 2.0]), ("a", "b"), True, ends=np.array([1.5, 2.0]))


def test_given_variables_have_two_to_255_terms():
    X = np.arange(4.0)[:, None]
    for n_terms in (1, 256):
        variable = LinguisticVariable(np.arange(float(n_terms)), ("t",) * n_terms)
        with pytest.raises(ValueError, match=f"must have 2 to 255 terms for 'x', got {n_terms}"):
            LinguisticPartition.of_variables(X, ["x"], {0: variable})
    nominal = LinguisticVariable(np.arange(65.0), ("t",) * 65, is_nominal=True)
    with pytest.raises(ValueError, match="must have 2 to 64 terms for 'x', got 65"):
        LinguisticPartition.of_variables(X, ["x"], {0: nominal})
    assert_array_equal(LinguisticPartition.of_variables(X, ["x"], {}).peaks(0), [0, 3])


def test_equal_quantiles_become_one_term():
    x = np.array([0.0] * 90 + list(range(1, 11)))[:, None]
    partition = LinguisticPartition.of(x, ["x"], partition="quantile", n_terms=9)
    assert partition.n_terms[0] == len(partition.peaks(0)) < 9
    assert (np.diff(partition.peaks(0)) > 0).all()
    assert len(partition.terms(0)) == partition.n_terms[0]


def test_each_value_may_be_a_term():
    counts = np.repeat([0.0, 1.0, 2.5, 7.0], [90, 5, 3, 2])
    X = np.column_stack([counts, np.arange(100) % 33, np.arange(100) % 32, np.full(100, 5.0)])
    X[7] = np.nan
    partition = LinguisticPartition.of(X, ["a", "b", "c", "d"], partition="values", n_terms=3)
    assert_array_equal(partition.peaks(0), [0, 1, 2.5, 7])
    assert_array_equal(partition.n_terms, [4, 3, 32, 3])  # 33 values are too many, one is none
    assert_array_equal(partition.peaks(1), [0, 16, 32])
    assert not partition.is_nominal.any()
    assert partition.describe_run(0, 0b0110) == "a is 1 to 2.5"
    assert partition.describe_run(0, 0b0011) == "a is at most 1"
    assert_array_equal(partition.positions(np.array([[0.5, 0, 0, 5.0]]))[:, 0], [0.5])
    given = LinguisticPartition.of(X, ["a", "b", "c", "d"], partition={"a": "values"}, n_terms=3)
    assert_array_equal(given.n_terms, [4, 3, 3, 3])


def test_values_that_read_the_same_are_one_term():
    x = np.array([0.1, 0.1 + 0.2, 0.3, 0.7, 0.1 * 7])[:, None]
    partition = LinguisticPartition.of(x, ["x"], partition="values")
    assert partition.terms(0) == ("0.1", "0.3", "0.7")
    assert_allclose(partition.positions(x)[:, 0], [0, 1, 1, 2, 2], atol=1e-12)
    many = np.concatenate([np.arange(1.0, 33.0), np.arange(1.0, 33.0) + 1e-14])[:, None]
    assert LinguisticPartition.of(many, ["x"], partition="values").n_terms[0] == 32
    alike = np.array([1.0, 1.0 + 1e-12])[:, None]  # a single term would tell nothing
    ways = [LinguisticPartition.of(alike, ["x"], partition=way) for way in ("values", "quantile")]
    assert_array_equal(ways[0].peaks(0), ways[1].peaks(0))


def test_constant_and_unknown_columns_lie_in_the_middle_or_nowhere():
    X = np.array([[7.0, np.nan], [7.0, np.nan]])
    partition = LinguisticPartition.of(X, ["a", "b"], partition="quantile")
    assert_array_equal(partition.positions(np.array([[7.0, 1.0]])), [[2, 2]])


def test_users_name_their_terms():
    X = np.array([[60.0, 1.0], [200.0, 9.0]])
    partition = LinguisticPartition.of(
        X,
        ["glucose", "age"],
        partition={"glucose": {"normal": 90, "elevated": 110, "high": 180}, 1: [2.0, 4.0]},
    )
    assert_array_equal(partition.n_terms, [3, 2])
    assert partition.describe(0, 0b011) == "glucose is {normal, elevated}"
    assert partition.describe_run(0, 0b011) == "glucose is at most elevated (<= 145)"
    assert partition.describe_run(0, 0b010) == "glucose is elevated (100 to 145)"
    assert partition.describe_run(0, 0b001) == "glucose is normal (<= 100)"
    assert partition.describe_run(1, 0b10) == "age is high (>= 3)"
    assert_allclose(
        partition.positions(np.array([[50.0, 3.0], [145.0, 99.0]])), [[0, 0.5], [1.5, 1]]
    )
    assert partition.feature_as_dict(0)["peaks"] == [90, 110, 180]


def test_terms_that_are_no_neighbours_are_listed():
    partition = LinguisticPartition.uniform(np.array([[0.0], [8.0]]), 5, ["size"])
    for terms in (0b10001, 0b01101, 0b10110):
        assert partition.describe_run(0, terms) == partition.describe(0, terms)
    assert partition.describe_run(0, 0b10001) == "size is {very small, very large}"


@pytest.mark.parametrize("way", ["uniform", "quantile", "values"])
def test_features_that_a_dict_does_not_mention(way):
    X = np.random.default_rng(0).exponential(size=(50, 2))
    given = LinguisticPartition.of(X, ["a", "b"], partition={"b": [0, 1]}, otherwise=way)
    plain = LinguisticPartition.of(X, ["a", "b"], partition=way)
    assert_array_equal(given.positions(X)[:, 0], plain.positions(X)[:, 0])


def test_values_of_nominal_features_are_crisp():
    X = np.array([[3.0, 0.0], [1.0, 0.5], [3.0, 1.0], [np.nan, 0.2]])
    partition = LinguisticPartition.of(X, ["kind", "x"], nominal_features=["kind"])
    assert_array_equal(partition.is_nominal, [True, False])
    assert_array_equal(partition.positions(X)[:, 0], [1, 0, 1, np.nan])
    unknown = partition.positions(np.array([[2.0, 0.0], [99.0, 0.0], [-1.0, 0.0]]))
    assert np.isnan(unknown[:, 0]).all()  # nothing is known about other kinds
    assert partition.describe_run(0, 0b11) == "kind is 1 or 3"
    assert partition.describe(0, 0b10) == "kind is 3"


@pytest.mark.parametrize("nominal", [["b"], [1], [False, True], np.array([False, True])])
def test_nominal_features_by_name_number_or_mask(nominal):
    X = np.arange(20.0).reshape(10, 2)
    partition = LinguisticPartition.of(X, ["a", "b"], nominal_features=nominal)
    assert_array_equal(partition.is_nominal, [False, True])


def test_few_values_are_taken_for_nominal_if_asked():
    X = np.column_stack([np.arange(60) % 6, np.arange(60) % 7, np.zeros(60)]).astype(float)
    partition = LinguisticPartition.of(X, ["a", "b", "c"], nominal_features="auto")
    assert_array_equal(partition.is_nominal, [True, False, False])


def test_what_is_told_goes_before_what_is_guessed():
    X = np.column_stack([np.arange(60) % 3, np.arange(60) % 3]).astype(float)
    for way in ([0, 1, 2], "quantile"):
        partition = LinguisticPartition.of(
            X, ["a", "b"], partition={"a": way}, nominal_features="auto"
        )
        assert_array_equal(partition.is_nominal, [False, True])


def test_the_number_of_terms_follows_the_number_of_rows():
    for n_rows, expected in ((499, 5), (500, 7), (1499, 7), (1500, 9)):
        x = np.linspace(0, 1, n_rows)[:, None]
        assert LinguisticPartition.of(x, ["x"], n_terms="auto").n_terms[0] == expected


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"partition": {"c": [0, 1]}}, "partition must name features by name or number, got 'c'"),
        ({"partition": {2: [0, 1]}}, "got 2; features are"),
        (
            {"partition": {"a": "even"}},
            "partition must be 'uniform', 'quantile', 'values' or peaks for 'a'",
        ),
        ({"partition": {"a": [1, 1]}}, "ascending numbers as peaks for 'a', got"),
        ({"partition": {"a": [1]}}, "2 to 64 ascending"),
        ({"partition": {"a": [0, np.inf]}}, "ascending numbers"),
        ({"partition": {"a": {"low": "0", "high": 1}}}, "ascending numbers"),
        ({"partition": {"a": [0, 1]}, "nominal_features": ["a"]}, "'a', which is a nominal"),
        ({"nominal_features": "some"}, "nominal_features must be 'auto'"),
        ({"nominal_features": ["z"]}, "nominal_features must name features"),
        ({"nominal_features": [True]}, "must have 2 entries, got 1"),
        ({"nominal_features": ["b"]}, "'b' has 70 different values"),
    ],
)
def test_wrong_partitions_are_named(arguments, message):
    X = np.column_stack([np.arange(70) % 5, np.arange(70)]).astype(float)
    with pytest.raises(ValueError, match=message):
        LinguisticPartition.of(X, ["a", "b"], **arguments)


def test_every_fuzzy_estimator_takes_partitions():
    X, y = load_iris(return_X_y=True, as_frame=True)
    partition = {"petal length (cm)": {"short": 1.5, "middling": 4, "long": 6}}
    kind = X.assign(kind=np.arange(150) % 3)
    for estimator in (FuzzyUCSClassifier(epochs=5), EvidentialRuleClassifier(penalty=1.0)):
        clf = clone(estimator).set_params(
            partition=partition, nominal_features=["kind"], n_terms="auto", random_state=0
        )
        clf.fit(kind, y)
        assert clf.score(kind, y) > 0.9
        assert "petal length (cm) is" in clf.rules_.to_text()
        variables = clf.rules_.variables
        assert variables.terms(2) == ("short", "middling", "long")
        assert_array_equal(variables.is_nominal, [False] * 4 + [True])
        # Kinds are matched as a whole or not at all.
        one = clf.rules_.freeze().membership(variables.positions(kind.to_numpy()))
        assert one.shape == (150, len(clf.rules_))
