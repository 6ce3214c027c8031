"""What the article's program does and the article does not say: age order, and the switch."""

import math
import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import fuzzyucs
import reference
from fuzzyucs import FuzzyUCSClassifier, UCSClassifier, _core
from fuzzyucs.deployment.description import to_numpy
from streamed import SMALL, UNIT, X, Y, assert_same_models, learn, reloaded

switched = pytest.mark.parametrize("as_published", [False, True])


def make_settings(**values):
    settings = _core.Settings()
    for name, value in values.items():
        setattr(settings, name, value)
    return settings


def linguistic(n_features=1, n_classes=2, seed=0, **values):
    n_terms = np.full(n_features, 5, dtype=np.uint32)
    return _core.LinguisticLearner(n_terms, n_classes, make_settings(**values), seed)


def intervals(n_features=1, n_classes=2, seed=0, **values):
    return _core.IntervalLearner(n_features, n_classes, make_settings(**values), seed)


def restore(learner, conditions, *, experience=100.0, n_classes=2):
    """Give a learner accurate rules of class 0."""
    n = len(conditions)
    known = np.zeros((n, n_classes))
    known[:, 0] = experience
    learner.restore_rules(
        conditions=conditions,
        weights=known / experience,
        class_experience=known,
        experience=known[:, 0].copy(),
        fitness=np.ones(n),
        numerosity=np.ones(n, dtype=np.uint32),
        consequent=np.zeros(n, dtype=np.uint32),
        set_size=np.ones(n),
        set_count=np.ones(n, dtype=np.uint64),
        time_stamp=np.zeros(n, dtype=np.int64),
    )
    return learner


# Age order, always


@pytest.mark.parametrize("make", [linguistic, intervals])
def test_rules_come_in_the_order_of_their_age(make):
    """Without evolution a time stamp is when a rule was made. Most die: gaps are closed often."""
    rng = np.random.default_rng(0)
    values = {"ga_interval": 1e9, "dont_care_rate": 0.0, "covering_range": 0.05}
    learner = make(4, 8, population_size=200, **values)
    rows = rng.random((6000, 4)) * (4 if make is linguistic else 1)
    learner.train_in_order(rows, rng.integers(0, 8, 6000).astype(np.uint32))
    stamps = learner.export_rules()["time_stamp"]
    assert learner.n_covered > 2000 > len(stamps) > 150
    assert (np.diff(stamps) > 0).all()


@pytest.mark.parametrize("order", [[0, 1], [1, 0]])
def test_a_tie_in_a_tournament_goes_to_the_oldest_rule(order):
    """Everybody enters; two rules are equal, and both children are copies of the older one."""
    conditions = np.array([[0b01110], [0b01100]], dtype=np.uint64)[order]
    learner = restore(
        linguistic(
            tournament_fraction=1.0,
            crossover_rate=0.0,
            mutation_rate=0.0,
            ga_interval=0.0,
            correct_set_subsumption=False,
        ),
        conditions,
    )
    learner.time = 10
    learner.step(np.array([2.5]), 0)
    assert learner.n_evolved == 1
    assert learner.export_rules()["numerosity"].tolist() == [3, 1]


def test_open_intervals_have_an_orientation():
    learner = intervals(40, dont_care_rate=1.0)
    learner.step(np.full(40, 0.5), 0)
    found = learner.export_rules()["conditions"][0].tolist()
    assert 10 < found.count([0.0, 1.0]) < 30
    assert found.count([0.0, 1.0]) + found.count([1.0, 0.0]) == 40


def test_open_intervals_of_opposite_orientation_shrink_in_crossover():
    learner = restore(
        intervals(
            crossover_rate=1.0,
            mutation_rate=0.0,
            ga_interval=0.0,
            ga_subsumption=False,
            correct_set_subsumption=False,
            tournament_fraction=0.0,
        ),
        np.array([[[0.0, 1.0]], [[1.0, 0.0]]]),
    )
    for time in range(10, 60):
        learner.time = time
        learner.step(np.array([0.5]), 0)
    found = {tuple(bounds) for bounds in learner.export_rules()["conditions"][:, 0].tolist()}
    assert found == {(0.0, 1.0), (1.0, 0.0), (0.0, 0.0), (1.0, 1.0)}


# The switch: training


@switched
@pytest.mark.parametrize("make", [linguistic, intervals])
def test_one_order_for_all_epochs(make, as_published):
    values = {"ga_interval": 5.0, "as_published": as_published}
    learner, other = make(3, 3, 7, **values), make(3, 3, 7, **values)
    labels = Y.astype(np.uint32)
    rng = reference.Rng(7)
    order = rng.shuffled(len(labels))
    other.rng_state = rng.state
    for _ in range(3):
        learner.train_epoch(X, labels)
        other.train_in_order(np.ascontiguousarray(X[order]), labels[order])
    equal = learner.rng_state == other.rng_state
    assert equal == as_published


@switched
def test_the_rule_after_an_absorbed_one_is_left_out(as_published):
    every, special = 0b11111, [0b00110, 0b01110, 0b01100, 0b00100]
    conditions = np.array([[every], *([terms] for terms in special)], dtype=np.uint64)
    learner = restore(linguistic(ga_interval=1e9, as_published=as_published), conditions)
    learner.step(np.array([2.0]), 0)
    rules = learner.export_rules()
    left = [0b01110, 0b00100] if as_published else []
    assert rules["conditions"][:, 0].tolist() == [every, *left]
    assert rules["numerosity"].tolist() == [5 - len(left), *[1] * len(left)]


@pytest.mark.parametrize(("as_published", "expected"), [(False, {2, 4}), (True, {1})])
def test_a_shift_by_rank(as_published, expected):
    """Of {3}, with terms from 0 to 4: to a neighbour, or, since it has rank 0, always to 1."""
    found = set()
    for seed in range(40):
        learner = restore(
            linguistic(
                seed=seed,
                crossover_rate=0.0,
                mutation_rate=1.0,
                ga_interval=0.0,
                as_published=as_published,
            ),
            np.array([[0b01000]], dtype=np.uint64),
        )
        learner.time = 10
        learner.step(np.array([3.0]), 0)
        for terms in learner.export_rules()["conditions"][1:, 0].tolist():
            if terms.bit_count() == 1:  # else expanded
                found.add(terms.bit_length() - 1)
    assert found == expected


@switched
def test_twins_as_intervals_or_as_stored(as_published):
    learner = restore(
        intervals(
            crossover_rate=0.0,
            mutation_rate=0.0,
            ga_interval=0.0,
            tournament_fraction=0.0,
            as_published=as_published,
        ),
        np.array([[[0.0, 1.0]], [[1.0, 0.0]]]),
    )
    for time in range(10, 30):
        learner.time = time
        learner.step(np.array([0.5]), 0)
    first, second = learner.export_rules()["numerosity"].tolist()
    assert first + second == 42
    assert (second > 10) == as_published
    assert as_published or second == 1


def test_counting_makes_rules_match_everything():
    """The experience of a rule is how many steps it has seen."""
    learner = linguistic(3, 3, 1, membership_experience=False, as_published=True, ga_interval=30.0)
    learner.train_in_order(X * 4, Y.astype(np.uint32))
    rules = learner.export_rules()
    oldest = rules["experience"][0]
    assert oldest == len(Y)
    assert_array_equal(rules["class_experience"][0], np.bincount(Y))
    clf = FuzzyUCSClassifier(
        epochs=2, experience_update="count", as_published=True, random_state=0
    ).fit(X, Y)
    for scheme in ("vote", "swin"):
        assert len(set(clf.set_params(inference=scheme).predict(X).tolist())) == 1
    clf.set_params(as_published=False)
    assert len(set(clf.predict(X).tolist())) > 1


# The switch: inference


def freeze(conditions, weights, numerosity):
    n = len(weights)
    return _core.LinguisticInference(
        np.array([5], dtype=np.uint32),
        np.array(conditions, dtype=np.uint64).reshape(n, 1),
        np.array(weights, dtype=float),
        np.ones(n),
        np.array(numerosity, dtype=float),
        np.zeros(n),
        np.argmax(weights, axis=1).astype(np.uint32),
    )


def test_stepwise_masses_are_those_of_the_definition():
    rng = np.random.default_rng(1)
    lost = 0
    for _ in range(300):
        n = rng.integers(1, 6)
        weights = rng.dirichlet([0.1] * 3, size=n)
        weights[rng.random(n) < 0.3] = np.eye(3)[rng.integers(3)]
        numerosity = rng.integers(1, 30, n)
        conditions = rng.choice([0b00110, 0b00010, 0b00100, 0b11111], n)
        x = rng.choice([1.0, 1.25, 1.5, 2.0])
        inference = freeze(conditions, weights, numerosity)
        degrees = inference.membership(np.array([[x]]))[0]
        expected = reference.combine_stepwise(degrees, weights, numerosity)
        _, mass, log_agreement = inference.stepwise(np.array([[x]]), 0)
        if expected is None:
            lost += 1
            assert mass[0].tolist() == [0, 0, 0, 1]
            assert log_agreement[0] == -math.inf
        else:
            assert_array_equal(mass[0], expected)
            exact, exact_log = inference.masses(np.array([[x]]))
            if exact_log[0] > -20:
                assert_allclose(mass[0], exact[0], atol=1e-9)
                assert_allclose(log_agreement[0], exact_log[0], atol=1e-9)
    assert 10 < lost < 290


def test_lost_mass_makes_the_answer_a_draw():
    """Conflict that builds up over many steps loses nothing; total conflict in one does."""
    weights = [[1 - 1e-3, 1e-3], [1e-9, 1 - 1e-9]]
    inference = freeze([0b11111, 0b11111], weights, [60, 7])
    rows = np.linspace(0, 4, 400).reshape(-1, 1)
    exact = inference.predict(rows, _core.Scheme.ds, 3)
    assert set(exact.tolist()) == {0}
    classes, mass, _ = inference.stepwise(rows, 3)
    assert (mass[:, -1] == 0).all()
    assert_array_equal(classes, exact)
    lost = freeze([0b11111, 0b11111], [[1, 0], [0, 1]], [1, 1]).stepwise(rows, 3)
    assert (lost[1][:, -1] == 1).all()
    assert 150 < lost[0].sum() < 250
    assert_array_equal(
        freeze([0b11111] * 2, [[1, 0], [0, 1]], [1, 1]).stepwise(rows, 3)[0], lost[0]
    )


def test_ties_of_votes_go_to_the_first_class():
    """Of four classes only the second has rules, and their votes are negative."""
    y = np.random.default_rng(0).choice(4, size=len(X), p=[0.2, 0.4, 0.2, 0.2])
    clf = FuzzyUCSClassifier(
        epochs=2,
        experience_update="count",
        as_published=True,
        inference="vote",
        inference_experience=300,
        random_state=0,
    ).fit(X, y)
    assert set(clf.deciding_rules.consequent.tolist()) == {1}
    assert (clf.deciding_rules.fitness < 0).all()
    assert set(clf.predict(X).tolist()) == {0}
    assert_array_equal(clf.answer(X).labels, clf.predict(X))
    nobody = clf.set_params(inference_experience=1e6)
    assert set(nobody.predict(X).tolist()) == {0, 1, 2, 3}


# The switch: estimators


@pytest.fixture(params=[FuzzyUCSClassifier, UCSClassifier], ids=lambda kind: kind.__name__)
def kind(request):
    return request.param


def test_it_is_kept_and_goes_on_the_same(kind, tmp_path):
    whole = kind(**SMALL, **UNIT, epochs=1, shuffle=False, as_published=True).fit(X, Y)
    parts = learn(
        kind(**SMALL, **UNIT, as_published=True), X, Y, [100, 101, 400], classes=[0, 1, 2]
    )
    assert_same_models(whole, parts)
    first = kind(**SMALL, **UNIT, as_published=True).partial_fit(
        X[:300], Y[:300], classes=[0, 1, 2]
    )
    for copied in (pickle.loads(pickle.dumps(first)), reloaded(tmp_path / "model")(first)):
        assert copied.as_published is True
        assert_same_models(copied.partial_fit(X[300:], Y[300:]), whole)
    plain = kind(**SMALL, **UNIT, epochs=1, shuffle=False).fit(X, Y)
    assert plain.learner_state_ != whole.learner_state_


def test_what_only_the_classifier_can_do_is_not_exported():
    clf = FuzzyUCSClassifier(epochs=2, as_published=True, random_state=0).fit(X, Y)
    with pytest.raises(ValueError, match="as_published=True decides as the article's program"):
        to_numpy(clf)
    exact = to_numpy(clf.set_params(as_published=False))
    assert_array_equal(exact.predict(X), clf.predict(X))
    crisp = UCSClassifier(epochs=2, as_published=True, random_state=0).fit(X, Y)
    assert_array_equal(to_numpy(crisp).predict(X), crisp.predict(X))


def test_probabilities_explain_the_answers():
    clf = FuzzyUCSClassifier(epochs=5, as_published=True, random_state=0).fit(X, Y)
    answer = clf.answer(X)
    assert_array_equal(answer.labels, clf.predict(X))
    best = answer.probability.max(axis=1)
    assert_array_equal(answer.probability[np.arange(len(X)), answer.labels], best)
    assert fuzzyucs.FuzzyUCSClassifier().as_published is False
