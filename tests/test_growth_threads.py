"""Threads of a growth find what one finds, to the last bit; Ctrl-C ends it and breaks nothing."""

import signal
import subprocess
import sys
import threading
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from coded_tables import assert_identical, everything, premises, table_by_chance
from fuzzyucs import EvidentialRuleClassifier, _core
from fuzzyucs.estimators.growth import Growth

N_ROWS = 50_000  # several parts of rows


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_number_of_threads_does_not_matter(n_classes):
    table = table_by_chance(1, n_classes, n_rows=N_ROWS)
    expected = everything(table.growth(0.5))
    assert len(expected[1]) > 10
    for n_threads in (2, 4):
        found = everything(replace(table, n_threads=n_threads).growth(0.5))
        assert_identical(found, expected)


def test_of_equal_features_the_first_is_taken():
    table = table_by_chance(3, 2, n_rows=400)
    table = replace(
        table,
        codes=np.repeat(table.codes, 4, axis=0),
        n_terms=np.repeat(table.n_terms, 4),
        is_nominal=np.repeat(table.is_nominal, 4),
        steps=np.repeat(table.steps, 4),
        shares=[share for share in table.shares for _ in range(4)],
        max_conditions=1,
    )
    for n_threads in (1, 2, 4):
        growth = replace(table, n_threads=n_threads).growth(0.5)
        growth.grow(1)
        (((feature, _),),) = premises(growth)
        assert feature % 4 == 0


def test_estimators_pass_their_threads_on(monkeypatch):
    rng = np.random.default_rng(0)
    x = rng.random((6000, 4))
    y = (x[:, 0] > 0.5) ^ (x[:, 1] > 0.7) ^ (rng.random(6000) < 0.1)
    asked, begin = [], Growth.begin

    def remember(growth, rows):
        asked.append(growth.settings.n_threads)
        return begin(growth, rows)

    monkeypatch.setattr(Growth, "begin", remember)
    models = [EvidentialRuleClassifier(n_jobs=n, random_state=0).fit(x, y) for n in (None, 2, 3)]
    assert asked == [1, 2, 3]
    for model in models[1:]:
        assert_array_equal(model.predict_proba(x), models[0].predict_proba(x))
        assert model.rules_.to_text() == models[0].rules_.to_text()


# Ctrl-C


@pytest.fixture
def ctrl_c():
    """Let Ctrl-C in, even where tests run in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("ctrl_c")
@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize("way", ["grow", "settle"])
def test_an_interrupted_growth_keeps_its_rules_and_can_go_on(way, n_threads):
    table = replace(table_by_chance(1, 3, n_rows=N_ROWS), n_threads=n_threads)
    growth = table.growth(1e-3)
    growth.grow(5)
    begun = threading.Event()

    def interrupt():
        begun.wait()
        signal.raise_signal(signal.SIGINT)

    def go_on():
        begun.set()
        while True:  # for days
            growth.grow(10**9) if way == "grow" else growth.settle(0.0, 10**9, 0.8)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        go_on()
    thread.join()
    words, profiles, means = growth.rules()
    assert len(words) == len(profiles) == len(means) > 0
    whole = table.growth(1e-3)
    whole.grow(5)
    if way == "grow":
        assert premises(growth)[:5] == premises(whole)
    growth.set_penalty(1e-3)
    n, before = len(words), growth.objective
    assert growth.grow(2) == 2
    assert len(premises(growth)) == n + 2
    assert growth.objective < before


INTERRUPTED = """
import signal, sys
import numpy as np
from fuzzyucs import EvidentialRuleClassifier
from fuzzyucs.estimators.growth import Growth

signal.signal(signal.SIGINT, signal.default_int_handler)
rng = np.random.default_rng(0)
x, y = rng.random((20_000, 8)), rng.integers(0, 2, 20_000)
clf = EvidentialRuleClassifier(random_state=0, n_jobs=int(sys.argv[1])).fit(x[:200], y[:200])
before = clf.predict_proba(x)


def advance(growth, search, penalty, most):
    search.set_penalty(1e-9)
    print("begun", flush=True)
    while True:  # for days
        search.grow(10**9)


Growth.advance = advance
try:
    clf.fit(x, y)
except KeyboardInterrupt:
    print("interrupted", (clf.predict_proba(x) == before).all())
"""


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_interrupted_fit_leaves_the_model_as_it_was(n_jobs):
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, str(n_jobs)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout.readline() == "begun\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=600)
    finally:
        process.kill()
    assert (out, err, process.returncode) == ("interrupted True\n", "", 0)


@pytest.fixture
def alarms():
    """Signals every 10 ms; returns the list of those that were handled."""
    handled = []
    before = signal.signal(signal.SIGALRM, lambda *_: handled.append(None))
    signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
    yield handled
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a timer")
def test_signals_are_handled_while_profiles_are_fitted(alarms):
    """Those that come during a call and are handled after it count as one."""
    n_rows, rng = 50_000, np.random.default_rng(0)
    solver = _core.ClassProfiles(rng.integers(0, 3, n_rows).astype(np.uint32), np.ones(n_rows), 3)
    for _ in range(12):
        solver.add(rng.random(n_rows), 0.5, 1e-3)
    alarms.clear()
    solver.fit(0.0, 8)
    assert len(alarms) > 3
