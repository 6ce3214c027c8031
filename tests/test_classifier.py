"""FuzzyUCSClassifier as users meet it."""

import datetime
import hashlib
import io
import multiprocessing
import pickle
import subprocess
import sys
import threading
import time
import warnings
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fuzzyucs import FuzzyUCSClassifier
from fuzzyucs.rules import RuleSet

X, Y = load_iris(return_X_y=True)
SCHEMES = ["ds", "vote", "swin"]


def assert_same_rules(first: RuleSet, second: RuleSet) -> None:
    assert len(first) == len(second)
    for name in RuleSet.array_names():
        assert_array_equal(getattr(first, name), getattr(second, name), err_msg=name)


def fit_iris(seed=0, **parameters):
    return FuzzyUCSClassifier(epochs=5, random_state=seed, **parameters).fit(X, Y)


@pytest.fixture(scope="module")
def model():
    return fit_iris()


# scikit-learn's tools


def test_pipeline_cross_validation_and_grid_search():
    pipeline = make_pipeline(StandardScaler(), FuzzyUCSClassifier(epochs=5, random_state=0))
    assert cross_val_score(pipeline, X, Y, cv=5).mean() > 0.85
    grid = GridSearchCV(
        pipeline,
        {"fuzzyucsclassifier__n_terms": [3, 5], "fuzzyucsclassifier__inference": SCHEMES},
        cv=3,
        n_jobs=2,
    ).fit(X, Y)
    assert grid.best_score_ > 0.85
    assert_array_equal(
        grid.best_estimator_.predict(X), clone(grid.best_estimator_).fit(X, Y).predict(X)
    )


def test_pickle_and_joblib_keep_everything(model, tmp_path):
    joblib.dump(model, tmp_path / "model.joblib")
    for restored in (pickle.loads(pickle.dumps(model)), joblib.load(tmp_path / "model.joblib")):
        assert_same_rules(restored.rules_, model.rules_)
        assert_array_equal(restored.predict_proba(X), model.predict_proba(X))
        first = pickle.loads(pickle.dumps(model)).partial_fit(X, Y)
        assert_same_rules(restored.partial_fit(X, Y).rules_, first.rules_)


def test_clone_has_the_parameters_but_not_the_rules(model):
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    with pytest.raises(NotFittedError):
        copy.predict(X)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_data_frames(frame):
    names = ["a", "b", "c", "d"]
    table = frame(dict(zip(names, X.T, strict=True)))
    labels = np.array(["red", "green", "blue"])[Y]
    clf = FuzzyUCSClassifier(epochs=5, random_state=0).fit(table, labels)
    assert_array_equal(clf.feature_names_in_, names)
    assert_array_equal(clf.classes_, ["blue", "green", "red"])
    assert clf.rules_.variables.feature_names == ("a", "b", "c", "d")
    assert_array_equal(clf.predict(table), clf.predict(frame(dict(zip(names, X.T, strict=True)))))
    assert clf.score(table, labels) > 0.85
    with pytest.raises(ValueError, match="feature names"):
        clf.predict(frame(dict(zip("abcx", X.T, strict=True))))


def test_missing_values_in_a_polars_frame_are_nan():
    table = pl.DataFrame({"a": [0.0, None, 1.0, 0.9], "b": [1, 2, None, 4]})
    clf = FuzzyUCSClassifier(epochs=2, random_state=0).fit(table, [0, 0, 1, 1])
    expected = FuzzyUCSClassifier(epochs=2, random_state=0).fit(
        [[0.0, 1], [np.nan, 2], [1.0, np.nan], [0.9, 4]], [0, 0, 1, 1]
    )
    assert_same_rules(clf.rules_, expected.rules_)


# Decisions, probabilities, evidence


@pytest.mark.parametrize("inference", SCHEMES)
def test_probabilities_agree_with_decisions(model, inference):
    clf = clone(model).set_params(inference=inference).fit(X, Y)
    probability = clf.predict_proba(X)
    assert probability.min() >= 0
    np.testing.assert_allclose(probability.sum(axis=1), 1, atol=1e-12)
    assert_array_equal(clf.classes_[probability.argmax(axis=1)], clf.predict(X))


def test_inference_changes_without_fitting_anew(model):
    clf = pickle.loads(pickle.dumps(model))
    before = clf.rules_
    answers = [clf.set_params(inference=scheme).predict_proba(X) for scheme in SCHEMES]
    assert clf.rules_ is before
    assert not np.allclose(answers[0], answers[1])
    assert not np.allclose(answers[1], answers[2])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("inference", "guess"),
        ("inference", ["ds"]),
        ("inference_experience", -5),
        ("inference_experience", "many"),
        ("inference_experience", np.nan),
        ("inference_experience", [1]),
    ],
)
def test_parameters_changed_after_fit_are_checked(model, name, value):
    clf = pickle.loads(pickle.dumps(model)).set_params(**{name: value})
    for method in (clf.predict, clf.predict_proba, clf.predict_evidence):
        with pytest.raises(ValueError, match=f"'{name}' parameter"):
            method(X)


def test_inference_experience_changes_without_fitting_anew(model):
    clf = pickle.loads(pickle.dumps(model))
    assert clf.predict_evidence(X).ignorance.max() < 1
    clf.set_params(inference_experience=1e9)
    evidence = clf.predict_evidence(X)
    assert_array_equal(evidence.ignorance, 1)
    assert_array_equal(evidence.conflict, 0)
    for inference in SCHEMES:
        assert_array_equal(
            clf.set_params(inference=inference).predict_proba(X), np.full((150, 3), 1 / 3)
        )


def test_evidence_is_consistent(model):
    evidence = model.predict_evidence(X)
    np.testing.assert_allclose(evidence.mass.sum(axis=1) + evidence.ignorance, 1, atol=1e-12)
    assert_array_equal(evidence.belief, evidence.mass)
    assert (evidence.plausibility >= evidence.belief).all()
    np.testing.assert_allclose(evidence.pignistic.sum(axis=1), 1, atol=1e-12)
    assert_array_equal(evidence.pignistic, model.predict_proba(X))
    np.testing.assert_allclose(np.exp(evidence.log_agreement), 1 - evidence.conflict, atol=1e-15)
    assert evidence.conflict.min() >= 0
    assert evidence.conflict.max() <= 1
    assert len(evidence[:10]) == 10
    assert_array_equal(evidence[3].mass[0], evidence.mass[3])
    assert list(evidence.to_frame().columns) == [
        "mass 0",
        "mass 1",
        "mass 2",
        "ignorance",
        "conflict",
    ]
    assert "150 inputs" in repr(evidence)


@pytest.mark.parametrize("inference", SCHEMES)
def test_a_row_gets_the_same_answer_alone_and_in_any_batch(model, inference):
    clf = pickle.loads(pickle.dumps(model)).set_params(inference=inference)
    order = np.random.default_rng(0).permutation(len(X))
    assert_array_equal(clf.predict(X[order]), clf.predict(X)[order])
    assert_array_equal(clf.predict_proba(X[order]), clf.predict_proba(X)[order])
    assert_array_equal([clf.predict(X[i : i + 1])[0] for i in range(20)], clf.predict(X[:20]))


def test_votes_without_a_positive_one_still_make_a_distribution():
    from fuzzyucs.learning import vote_shares

    votes = np.array([[-1.0, -2.0, -3.0], [0.0, -1.0, 0.0], [5e-324, 0.0, 0.0], [3.0, 1.0, -1.0]])
    expected = [[1, 0, 0], [0.5, 0, 0.5], [1, 0, 0], [0.75, 0.25, 0]]
    assert_array_equal(vote_shares(votes), expected)


def test_membership_covers_all_rules(model):
    degrees = model.membership(X)
    assert degrees.shape == (150, len(model.rules_))
    assert degrees.min() == 0
    assert degrees.max() == 1
    missing = model.membership(np.full((1, 4), np.nan))
    assert_array_equal(missing, 1)


def test_values_beyond_the_training_range_are_clipped(model):
    beyond, end = np.array([[99.0, 99, 99, 99]]), X.max(axis=0, keepdims=True)
    assert_array_equal(model.membership(beyond), model.membership(end))
    assert_array_equal(model.predict(beyond), model.predict(end))


def test_constant_and_empty_columns():
    table = np.column_stack([X, np.full(150, 7.0), np.full(150, np.nan)])
    clf = FuzzyUCSClassifier(epochs=5, random_state=0).fit(table, Y)
    assert clf.score(table, Y) > 0.85
    changed = table.copy()
    changed[:, 4] = -1e300
    changed[:, 5] = 12.0
    assert np.isfinite(clf.predict_proba(changed)).all()


def test_extreme_values_are_no_problem():
    table = np.array([[-1.7e308, 1e-320], [1.7e308, 0.0], [0.0, 2e-320], [1e308, 0.0]])
    clf = FuzzyUCSClassifier(epochs=3, random_state=0).fit(table, [0, 1, 0, 1])
    assert_array_equal(clf.rules_.variables.positions(table)[:, 0].round(9), [0, 4, 2, 3.176470588])


def test_terms_can_differ_between_features():
    clf = FuzzyUCSClassifier(epochs=5, n_terms=[2, 3, 32, 7], random_state=0).fit(X, Y)
    assert_array_equal(clf.rules_.variables.n_terms, [2, 3, 32, 7])
    assert clf.rules_.conditions[:, 2].max() > 2**16
    assert clf.score(X, Y) > 0.85


@pytest.mark.parametrize(
    "parameters",
    [{"fitness_range": "unsigned"}, {"experience_update": "count"}],
    ids=["appendix A", "appendix B"],
)
def test_ablation_switches_change_the_rules_as_described(model, parameters):
    rules = fit_iris(**parameters).rules_
    used = rules.experience > 0
    assert len(rules) != len(model.rules_) or not np.array_equal(
        rules.conditions, model.rules_.conditions
    )
    if "fitness_range" in parameters:
        assert_array_equal(rules.fitness[used], rules.weights[used].max(axis=1))
    else:
        assert_array_equal(rules.experience, rules.experience.astype(int))


def test_more_rules_and_classes_than_any_fixed_limit():
    rng = np.random.default_rng(0)
    table, labels = rng.random((3000, 12)), rng.integers(0, 300, 3000)
    clf = FuzzyUCSClassifier(
        epochs=1, population_size=20_000, dont_care_rate=0.1, random_state=0
    ).fit(table, labels)
    assert len(clf.rules_) > 2000
    np.testing.assert_allclose(clf.predict_proba(table[:50]).sum(axis=1), 1, atol=1e-9)


# Determinism


def _rules_of(seed):
    return fit_iris(seed).rules_


def test_same_seed_same_rules_in_any_thread_and_process(model):
    with ThreadPoolExecutor(4) as threads:
        for rules in threads.map(_rules_of, [0, 0, 0, 0]):
            assert_same_rules(rules, model.rules_)
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as processes:
        assert_same_rules(processes.submit(_rules_of, 0).result(), model.rules_)


def test_rules_for_a_seed_never_change_between_machines():
    """Pins the generator and the arithmetic: the same digest on every platform."""
    digest = hashlib.sha256()
    rules = fit_iris(1).rules_
    for name in RuleSet.array_names():
        digest.update(np.ascontiguousarray(getattr(rules, name)).tobytes())
    assert digest.hexdigest()[:16] == "939438df932527d2"


def test_seeds_of_every_kind():
    generators = [np.random.RandomState(3), np.random.default_rng(3)]
    for generator in generators:
        clf = FuzzyUCSClassifier(epochs=1, random_state=generator)
        first, second = clf.fit(X, Y).rules_, clf.fit(X, Y).rules_
        assert not np.array_equal(first.conditions, second.conditions)
    assert not np.array_equal(fit_iris(None).rules_.experience, fit_iris(None).rules_.experience)


def test_numpy_global_random_state_is_never_touched():
    before = np.random.get_state()[1].copy()
    fit_iris(None).predict(X)
    assert_array_equal(np.random.get_state()[1], before)


# Learning in batches


def test_partial_fit_learns_and_is_deterministic():
    def learn():
        clf = FuzzyUCSClassifier(random_state=0)
        for _ in range(10):
            clf.partial_fit(X, Y, classes=[0, 1, 2])
        return clf

    clf = learn()
    assert clf.score(X, Y) > 0.85
    assert_same_rules(clf.rules_, learn().rules_)


def test_first_partial_fit_equals_an_epoch_of_fit():
    one = FuzzyUCSClassifier(epochs=1, random_state=0).fit(X, Y)
    batch = FuzzyUCSClassifier(random_state=0).partial_fit(X, Y, classes=[2, 1, 0])
    assert_same_rules(one.rules_, batch.rules_)


def test_partial_fit_goes_on_from_fit(model):
    clf = pickle.loads(pickle.dumps(model))
    before = clf.rules_.experience.sum()
    clf.partial_fit(X[:10], Y[:10])
    assert clf.rules_.experience.sum() > before


def test_partial_fit_knows_its_classes():
    clf = FuzzyUCSClassifier(random_state=0)
    with pytest.raises(ValueError, match="classes must be passed"):
        clf.partial_fit(X, Y)
    clf.partial_fit(X[:50], Y[:50], classes=[0, 1, 2])
    before = clf.rules_
    with pytest.raises(ValueError, match=r"labels that are not in classes: \[7\]"):
        clf.partial_fit(X[:2], [0, 7])
    with pytest.raises(ValueError, match="classes"):
        clf.partial_fit(X[:2], [0, 1], classes=[0, 1, 7])
    assert clf.rules_ is before


def test_a_first_batch_without_any_range_is_warned_about():
    with pytest.warns(UserWarning, match="every feature is constant in the first batch"):
        FuzzyUCSClassifier().partial_fit(X[:1], Y[:1], classes=[0, 1, 2])


# Bad input


@pytest.mark.parametrize(
    ("table", "labels", "message"),
    [
        (X, Y[:-1], "inconsistent numbers of samples"),
        (X[0], Y[:1], "Expected 2D array"),
        (X[:, :0], Y, "0 feature"),
        (X[:0], Y[:0], "0 sample"),
        (np.where(X > 7, np.inf, X), Y, "infinity"),
        (X, np.zeros(150), r"only one class: \[0.0\]"),
        (X, X[:, 0], "Unknown label type"),
        (X, [None] * 150, "Unknown label type"),
        (X.astype("M8[D]"), Y, "X must hold numbers, got datetime64"),
        (pd.DataFrame({"a": [1, 2], "b": ["u", "v"]}), [0, 1], "column 'b' must hold numbers"),
        (pl.DataFrame({"a": [1, 2], "b": ["u", "v"]}), [0, 1], "column 'b' must hold numbers"),
        (pd.DataFrame({"d": pd.to_datetime(["2026-01-01", None])}), [0, 1], "column 'd' must hold"),
        (pl.DataFrame({"d": [datetime.date(2026, 1, 1), None]}), [0, 1], "column 'd' must hold"),
        ([["a", "b"], ["c", "d"]], [0, 1], "could not convert"),
        (X + 1j, Y, "Complex"),
    ],
)
def test_bad_data_get_the_usual_errors(table, labels, message):
    clf = FuzzyUCSClassifier()
    with pytest.raises((ValueError, TypeError), match=message):
        clf.fit(table, labels)
    assert vars(clf) == vars(FuzzyUCSClassifier())


def test_a_million_classes_are_refused_in_clear_words():
    labels = np.arange(1_000_000)
    with pytest.raises(ValueError, match="at most 10,000 classes, got 1,000,000"):
        FuzzyUCSClassifier().partial_fit([[0.0]], [0], classes=labels)
    with (
        warnings.catch_warnings(action="ignore"),  # newer versions of scikit-learn have doubts, too
        pytest.raises(ValueError, match="at most 10,000 classes, got 1,000,000"),
    ):
        FuzzyUCSClassifier().fit(labels[:, None], labels)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("inference", "dempster"),
        ("epochs", 0),
        ("epochs", 1.5),
        ("n_terms", 1),
        ("n_terms", 33),
        ("partition", "quantile"),
        ("population_size", 0),
        ("population_size", 10**12),
        ("fitness_threshold", 1.1),
        ("fitness_exponent", 0),
        ("crossover_rate", -0.1),
        ("mutation_rate", 2),
        ("deletion_fraction", np.nan),
        ("ga_interval", -1),
        ("deletion_experience", "many"),
        ("subsumption_experience", -1),
        ("inference_experience", -1),
        ("tournament_fraction", 1.5),
        ("dont_care_rate", -1),
        ("correct_set_subsumption", "yes"),
        ("ga_subsumption", 2),
        ("fitness_range", "both"),
        ("experience_update", "one"),
        ("random_state", "seed"),
        ("verbose", -1),
    ],
)
def test_parameters_out_of_range_are_named(name, value):
    with pytest.raises(ValueError, match=f"'{name}' parameter"):
        FuzzyUCSClassifier(**{name: value}).fit(X, Y)


@pytest.mark.parametrize("n_terms", [[5, 5], [[5] * 4], [5.5] * 4, [5, 5, 5, 40]])
def test_terms_per_feature_must_fit(n_terms):
    with pytest.raises(ValueError, match="n_terms must"):
        FuzzyUCSClassifier(n_terms=n_terms).fit(X, Y)


def test_numpy_scalars_are_parameters_like_any_other():
    plain = FuzzyUCSClassifier(epochs=2, population_size=50, ga_interval=20, random_state=0)
    scalars = FuzzyUCSClassifier(
        epochs=np.int64(2),
        population_size=np.int32(50),
        ga_interval=np.float32(20),
        correct_set_subsumption=np.True_,
        random_state=np.int64(0),
    )
    assert_same_rules(plain.fit(X, Y).rules_, scalars.fit(X, Y).rules_)


def test_a_failed_fit_leaves_the_old_model_whole(model):
    clf = pickle.loads(pickle.dumps(model))
    with pytest.raises(ValueError, match="n_terms"):
        clf.set_params(n_terms=[5]).fit(X[:, :2], Y)
    assert clf.n_features_in_ == 4
    assert_array_equal(clf.predict(X), model.predict(X))


# Progress and interruption


def test_callback_reports_every_epoch():
    reports, accuracies = [], []

    def listen(report):
        reports.append(report)
        accuracies.append(report.training_accuracy())

    clf = FuzzyUCSClassifier(epochs=4, random_state=0).fit(X, Y, callback=listen)
    assert [report.epoch for report in reports] == [1, 2, 3, 4]
    assert {report.epochs for report in reports} == {4}
    assert reports[-1].n_rules == len(clf.rules_)
    assert reports[-1].n_micro_rules == clf.rules_.numerosity.sum()
    assert reports[0].n_covered > 0
    assert sum(report.n_evolved for report in reports) > 0
    assert accuracies[-1] == clf.score(X, Y)
    assert accuracies[0] != accuracies[-1]
    assert_same_rules(clf.rules_, FuzzyUCSClassifier(epochs=4, random_state=0).fit(X, Y).rules_)


def test_a_report_holds_the_model_of_its_epoch():
    reports = []
    clf = FuzzyUCSClassifier(epochs=6, subsumption_experience=5, random_state=0)
    clf.fit(X, Y, callback=reports.append)
    assert sum(report.n_subsumed for report in reports) > 0
    for report in reports:
        assert report.model.score(X, Y) == report.training_accuracy()
        earlier = clone(clf).set_params(epochs=report.epoch).fit(X, Y)
        assert_same_rules(report.model.rules_, earlier.rules_)
    assert_same_rules(reports[-1].model.partial_fit(X, Y).rules_, clf.partial_fit(X, Y).rules_)


def test_a_callback_must_be_callable():
    with pytest.raises(TypeError, match="callback must be callable"):
        FuzzyUCSClassifier().fit(X, Y, callback=3)


def test_an_error_in_the_callback_undoes_the_fit():
    def fail(report):
        raise RuntimeError(f"epoch {report.epoch}")

    clf = FuzzyUCSClassifier(epochs=3)
    with pytest.raises(RuntimeError, match="epoch 1"):
        clf.fit(X, Y, callback=fail)
    assert not hasattr(clf, "n_features_in_")


def test_verbose_shows_progress(capsys):
    FuzzyUCSClassifier(epochs=20, random_state=0, verbose=1).fit(X, Y)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 10
    assert "epoch 20/20" in lines[-1]
    FuzzyUCSClassifier(epochs=3, random_state=0, verbose=2).fit(X, Y)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 3
    assert "training accuracy" in lines[0]
    fit_iris()
    assert capsys.readouterr().err == ""


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_gets_one_line_that_is_rewritten(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    FuzzyUCSClassifier(epochs=5, random_state=0, verbose=1).fit(X, Y)
    text = terminal.getvalue()
    assert text.count("\r") == 5
    assert text.count("\n") == 1
    assert text.endswith("\n")
    assert max(map(len, text.split("\r"))) < 80


def test_the_line_of_the_progress_bar_ends_when_training_fails(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)

    def fail(report):
        if report.epoch == 3:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        FuzzyUCSClassifier(epochs=5, random_state=0, verbose=1).fit(X, Y, callback=fail)
    assert terminal.getvalue().endswith("\n")


def test_fit_releases_the_gil():
    """A second thread makes progress while the first is inside a single long epoch."""
    table = np.tile(X, (400, 1))
    labels = np.tile(Y, 400)
    ticks = 0
    running = threading.Event()

    def train():
        running.set()
        FuzzyUCSClassifier(epochs=1, random_state=0).fit(table, labels)

    thread = threading.Thread(target=train)
    thread.start()
    running.wait()
    while thread.is_alive():
        time.sleep(0.001)
        ticks += 1
    thread.join()
    assert ticks > 5


INTERRUPTED = """
import os, signal, sys, threading, time
import numpy as np
from fuzzyucs import FuzzyUCSClassifier

rng = np.random.default_rng(0)
X, y = rng.random((2_000_000, 8)), rng.integers(0, 5, 2_000_000)
clf = FuzzyUCSClassifier(epochs=2, random_state=0).fit(X[:200], y[:200])
before = clf.predict(X[:500])
sent = []

def interrupt():
    sent.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)

def train_and_interrupt(*args):
    threading.Timer(1.0, interrupt).start()    # by then the first epoch is under way
    train(*args)

train = clf._train
clf._train = train_and_interrupt
try:
    clf.set_params(epochs=1000).fit(X, y)
except KeyboardInterrupt:
    delay = time.monotonic() - sent[0]
    del clf._train
    assert (clf.predict(X[:500]) == before).all()
    clf.set_params(epochs=1).fit(X[:200], y[:200]).predict(X[:10])
    print(f"interrupted after {delay:.3f} s")
"""


def test_ctrl_c_stops_training_at_once_and_leaves_the_model_usable():
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=120
    )
    assert done.stdout.startswith("interrupted after "), done.stderr
    # Far above what it takes (about 0.05 s), far below an epoch (many seconds).
    assert float(done.stdout.split()[2]) < 1.0
