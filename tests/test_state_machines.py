"""Whatever is done with a model, in whatever order, it stays a model.

Hypothesis draws the order of calls. Beside the model there is a note of what it last answered:
what must not change the model is followed by the same answers, bit by bit.
"""

import contextlib
import pickle
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from numpy.testing import assert_allclose, assert_array_equal

import fuzzyucs
from fuzzyucs import EvidentialRuleClassifier, FuzzyUCSClassifier, UCSClassifier

QUICK = settings(
    max_examples=6,
    stateful_step_count=10,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
LABELS = np.array(["no", "yes", "perhaps"])
SEEDS = st.integers(0, 2**16)


def rows(seed, n):
    """Return rows with gaps and a nominal feature, and labels that depend on them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    X[:, 3] = rng.integers(0, 3, n)
    y = LABELS[(X[:, 0] > 0).astype(int) + (X[:, 3] == 2)]
    X[rng.random(X.shape) < 0.05] = np.nan
    y[:3] = LABELS
    return X, y


ASKED = rows(99, 12)[0]
BAD = {
    "an infinite value": lambda clf: clf.fit(np.full((6, 4), np.inf), ["no", "yes"] * 3),
    "labels of another length": lambda clf: clf.fit(ASKED, ["no"]),
    "one class": lambda clf: clf.fit(ASKED, ["no"] * len(ASKED)),
    "a further batch with fewer columns": lambda clf: clf.partial_fit(ASKED[:, :3], ["no"] * 12),
    "a further batch of an unknown class": lambda clf: clf.partial_fit(ASKED, ["never"] * 12),
    "other columns": lambda clf: clf.predict(ASKED[:, :2]),
    "rows of text": lambda clf: clf.predict_evidence([["a", "b", "c", "d"]]),
    "rules of no kind": lambda clf: clf.with_rules(None),
    "a place that is a folder": lambda clf: clf.save(tempfile.gettempdir()),
}


class Machine(RuleBasedStateMachine):
    """A model, and calls that may follow each other."""

    estimator = None
    goes_on_after_copy = True

    def __init__(self):
        super().__init__()
        self.clf = None
        self.has_data = False
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "model.json"

    def teardown(self):
        self.folder.cleanup()

    def answers(self, clf):
        evidence = clf.predict_evidence(ASKED)
        return {
            "mass": evidence.mass,
            "ignorance": evidence.ignorance,
            "probability": clf.predict_proba(ASKED),
            "class": clf.predict(ASKED),
            "degrees": clf.membership(ASKED),
        }

    def note(self):
        self.noted = self.answers(self.clf)

    def assert_same(self, clf):
        for name, expected in self.answers(clf).items():
            assert_array_equal(expected, self.noted[name], err_msg=name)

    @initialize(seed=SEEDS, n=st.integers(12, 60))
    def fit_first(self, seed, n):
        self.fit(seed, n)

    @rule(seed=SEEDS, n=st.integers(12, 60))
    def fit(self, seed, n):
        self.clf = self.estimator().fit(*rows(seed, n))
        self.has_data = self.goes_on_after_copy
        self.note()

    @rule(seed=SEEDS, n=st.integers(12, 40))
    def begin_in_batches(self, seed, n):
        self.clf = self.estimator().partial_fit(*rows(seed, n), classes=LABELS)
        self.has_data = True
        self.note()

    @precondition(lambda self: self.has_data)
    @rule(seed=SEEDS, n=st.integers(3, 20))
    def go_on(self, seed, n):
        self.clf.partial_fit(*rows(seed, n))
        self.note()

    @rule()
    def save_and_load(self):
        first = self.clf.save(self.path).read_bytes()
        loaded = fuzzyucs.load(self.path)
        self.assert_same(loaded)
        assert loaded.save(self.path).read_bytes() == first
        self.clf = loaded
        self.has_data = self.goes_on_after_copy

    @rule()
    def pickle_and_unpickle(self):
        self.clf = pickle.loads(pickle.dumps(self.clf))
        self.assert_same(self.clf)
        self.has_data = self.goes_on_after_copy

    @precondition(lambda self: len(self.clf.deciding_rules) > 0)
    @rule(data=st.data())
    def drop_a_rule(self, data):
        present = self.clf.deciding_rules
        k = data.draw(st.integers(0, len(present) - 1))
        before = self.clf
        self.clf = self.clf.with_rules(present.drop([k]))
        assert len(self.clf.deciding_rules) == len(present) - 1
        self.assert_same(before)  # the model itself is as it was
        self.has_data = self.has_data and self.goes_on_after_copy
        self.note()

    @precondition(lambda self: len(self.clf.deciding_rules) > 0)
    @rule(data=st.data())
    def edit_a_rule(self, data):
        present = self.clf.deciding_rules
        k = data.draw(st.integers(0, len(present) - 1))
        feature = data.draw(st.integers(0, 2))
        before = self.clf
        # A rule has to ask for something where it has a profile.
        with contextlib.suppress(ValueError):
            self.clf = self.clf.with_rules(present.edit(k, {feature: None}))
        self.assert_same(before)
        self.has_data = self.has_data and self.goes_on_after_copy
        self.note()

    @rule(by=st.sampled_from(["experience", "conditions", "consequent"]))
    def sort_rules(self, by):
        # Sums are of the same numbers in another order.
        self.clf = self.clf.with_rules(self.clf.deciding_rules.sort(by))
        found = self.answers(self.clf)
        assert_allclose(found["mass"], self.noted["mass"], rtol=0, atol=1e-9)
        self.has_data = self.has_data and self.goes_on_after_copy
        self.note()

    @rule()
    def merge_rules(self):
        present = self.clf.deciding_rules
        least = getattr(self.clf, "inference_experience", 10.0)
        self.clf = self.clf.with_rules(present.merge(least))
        assert len(self.clf.deciding_rules) <= len(present)
        full = ~np.isnan(ASKED).any(axis=1)
        found = self.answers(self.clf)
        assert_allclose(found["mass"][full], self.noted["mass"][full], rtol=0, atol=1e-9)
        self.has_data = self.has_data and self.goes_on_after_copy
        self.note()

    @rule(name=st.sampled_from(sorted(BAD)))
    def call_with_bad_input(self, name):
        with pytest.raises((ValueError, TypeError, OSError)):
            BAD[name](self.clf)
        self.assert_same(self.clf)

    @rule()
    def look(self):
        self.clf.explain(ASKED[:1]).to_text()
        self.clf.rules_.to_text()
        self.clf.predict_set(ASKED)
        self.clf.answer(ASKED)
        self.assert_same(self.clf)

    @invariant()
    def masses_sum_to_one(self):
        if self.clf is None:
            return
        everything = np.column_stack([self.noted["mass"], self.noted["ignorance"]])
        assert everything.min() >= 0
        assert_allclose(everything.sum(axis=1), 1, rtol=1e-9)
        assert_allclose(self.noted["probability"].sum(axis=1), 1, rtol=1e-9)
        assert set(self.noted["class"]) <= set(self.clf.classes_)
        assert self.noted["degrees"].min(initial=0) >= 0
        assert self.noted["degrees"].max(initial=0) <= 1


SMALL = {"epochs": 2, "population_size": 40, "random_state": 0, "support": None}


class FuzzyMachine(Machine):
    def estimator(self):
        return FuzzyUCSClassifier(inference_experience=0, missing="belief", **SMALL)


class UCSMachine(Machine):
    def estimator(self):
        return UCSClassifier(**SMALL)


class EvidentialMachine(Machine):
    goes_on_after_copy = False

    def estimator(self):
        return EvidentialRuleClassifier(random_state=0, n_terms=3, max_rules=4, penalty=1.0)


MACHINES = {"fuzzy": FuzzyMachine, "ucs": UCSMachine, "evidential": EvidentialMachine}


def run(machine, examples):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of few rows, of labels that are few
        run_state_machine_as_test(machine, settings=examples)


@pytest.mark.parametrize("name", MACHINES)
def test_any_order_of_calls(name):
    run(MACHINES[name], QUICK)


@pytest.mark.soak
@pytest.mark.parametrize("name", MACHINES)
def test_any_order_of_many_calls(name, repeats):
    run(
        MACHINES[name],
        settings(QUICK, max_examples=repeats(25), stateful_step_count=25, derandomize=False),
    )
