"""Problems whose uncertainty is known: what they return is what they draw from."""

import numpy as np
import pytest

from fuzzyucs.experiment.known_problems import make_linguistic, make_overlapping

MAKERS = [
    (make_overlapping, {"overlap": 0.7}),
    (make_overlapping, {"overlap": 0.3, "n_informative": 3, "n_noise": 0}),
    (make_linguistic, {}),
    (make_linguistic, {"vagueness": 0.5, "spoken": 0.4}),
]


@pytest.mark.parametrize(("make", "settings"), MAKERS)
def test_classes_are_as_frequent_as_their_probabilities_say(make, settings):
    """Among rows with a similar probability, so many are of that class."""
    problem = make(40_000, **settings)
    np.testing.assert_allclose(problem.probability.sum(axis=1), 1)
    assert problem.probability.min() >= 0
    for label in range(problem.probability.shape[1]):
        p = problem.probability[:, label]
        for low in np.arange(0, 1, 0.2):
            rows = (p >= low) & (p <= low + 0.2)
            expected, n = p[rows].sum(), rows.sum()
            spread = np.sqrt((p[rows] * (1 - p[rows])).sum())
            found = (problem.y[rows] == label).sum()
            assert abs(found - expected) <= 4 * spread + 1e-9, (label, low, n)


@pytest.mark.parametrize("make", [make_overlapping, make_linguistic])
def test_a_seed_gives_one_problem(make):
    state = np.random.get_state()[1].copy()
    first, again, other = make(50), make(50), make(50, random_state=1)
    np.testing.assert_array_equal(first.X, again.X)
    np.testing.assert_array_equal(first.y, again.y)
    assert not np.array_equal(first.X, other.X)
    np.testing.assert_array_equal(np.random.get_state()[1], state)


@pytest.mark.parametrize("n_informative", [1, 2, 4])
@pytest.mark.parametrize("overlap", [0.0, 0.25, 1.0])
def test_the_least_error_is_as_documented(n_informative, overlap):
    problem = make_overlapping(50_000, n_informative=n_informative, n_noise=0, overlap=overlap)
    expected = (1 - (1 - overlap / 2) ** n_informative) / 2
    assert problem.least_error == pytest.approx(expected, abs=0.005)
    best = problem.probability.argmax(axis=1)
    assert (best != problem.y).mean() == pytest.approx(expected, abs=0.01)


def test_no_feature_helps_without_the_others():
    X, y, _ = make_overlapping(50_000, overlap=0.1)
    for column in X.T:
        assert abs(y[column < 0.5].mean() - 0.5) < 0.01
    assert y[(X[:, 0] < 0.4) & (X[:, 1] < 0.4)].mean() == 0
    assert y[(X[:, 0] < 0.4) & (X[:, 1] > 0.6)].mean() == 1


def test_sharp_words_have_boundaries_halfway_between_peaks():
    X, y, probability = make_linguistic(2000, vagueness=0)
    words = np.digitize(X[:, :2], [0.25, 0.75])
    np.testing.assert_array_equal(y, words.sum(axis=1) % 3)
    assert set(np.unique(probability)) == {0.0, 1.0}


def test_vague_words_fall_from_peak_to_peak():
    """Degrees of one feature where the other is called small without doubt."""
    X, _, probability = make_linguistic(20_000, n_noise=0)
    rows = X[:, 1] < 0.005
    first = X[rows, 0]
    small = np.clip(1 - 2 * first, 0, 1)
    large = np.clip(2 * first - 1, 0, 1)
    expected = np.column_stack([small, 1 - small - large, large])
    np.testing.assert_allclose(probability[rows], expected, atol=0.011)


def test_spoken_values_are_words_and_leave_no_doubt():
    problem = make_linguistic(300, spoken=1)
    assert set(np.unique(problem.X)) == {0.0, 0.5, 1.0}
    np.testing.assert_array_equal(problem.probability.argmax(axis=1), problem.y)
    assert problem.least_error == 0
    some = make_linguistic(20_000, spoken=0.3)
    assert np.isin(some.X, [0.0, 0.5, 1.0]).mean() == pytest.approx(0.3, abs=0.01)


@pytest.mark.parametrize(
    ("make", "settings", "message"),
    [
        (make_overlapping, {"overlap": 1.1}, "overlap must be between 0 and 1"),
        (make_overlapping, {"n_informative": 0}, "n_informative == 0, must be >= 1"),
        (make_overlapping, {"n_noise": -1}, "n_noise == -1, must be >= 0"),
        (make_linguistic, {"n_samples": 0}, "n_samples == 0, must be >= 1"),
        (make_linguistic, {"n_noise": 1.5}, "n_noise must be an instance of int"),
        (make_linguistic, {"vagueness": -0.1}, "vagueness must be between 0 and 1"),
        (make_linguistic, {"spoken": 2}, "spoken must be between 0 and 1"),
    ],
)
def test_settings_are_checked(make, settings, message):
    with pytest.raises((TypeError, ValueError), match=message):
        make(**settings)
