"""Mutation testing: do the tests notice small changes to the code?

``make mutants`` changes a sample of places, one at a time, runs the tests that reach the place, and
lists the changes that no test noticed. Tests are collected once; for each change to a function, a
forked process gives the function other code and runs tests until one fails. For changes to what a
module does when it is imported, a forked process imports the changed module instead of the file.
Changes to the native learner are made in a copy of ``cpp/``, which is built anew each time.

A test that fails without the change, too, says nothing: those that failed are run once more in the
end, with nothing changed.
"""

import argparse
import collections
import importlib.abc
import importlib.util
import itertools
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

import mutations
from mutant_patches import changed_function, is_in_function
from mutant_tests import AREAS, BUILD, FAILED, ROOT, SOURCE, Tests, is_current, record
from mutations import Mutant, mutated_text, native_mutants, python_mutants

ENGINE_TESTS = ["tests/test_differential.py", "tests/test_stream_classifier.py"]
QUIET = [
    *("-q", "-x", "-p", "no:cacheprovider", "-p", "no:randomly", "--no-header", "--tb=line"),
    *("-W", "ignore::pytest.PytestAssertRewriteWarning"),  # of what USED names
]
MEMORY = 8 << 30  # bytes that tests of a change may take
USED = (
    *("dask.dataframe", "hypothesis.stateful", "numpy", "pandas", "river", "scipy.optimize"),
    *("scipy.stats", "sklearn.datasets", "sklearn.ensemble", "sklearn.model_selection"),
    "sklearn.utils.estimator_checks",
)  # imported once


SURVIVED = re.compile("(survived|not reached) ").match


class Changed(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports a changed module in place of its file."""

    def __init__(self, mutant: Mutant):
        parts = Path(mutant.path).relative_to(SOURCE.parent).with_suffix("").parts
        self.is_package = parts[-1] == "__init__"
        self.name = ".".join(parts[:-1] if self.is_package else parts)
        self.mutant = mutant

    def find_spec(self, name, path=None, target=None):  # noqa: ARG002
        """Find the changed module alone."""
        if name != self.name:
            return None
        return importlib.util.spec_from_file_location(
            name,
            self.mutant.path,
            loader=self,
            submodule_search_locations=[str(Path(self.mutant.path).parent)]
            if self.is_package
            else None,
        )

    def code(self):
        """Return the changed module, or the module as it is."""
        if self.mutant.number < 0:
            return Path(self.mutant.path).read_text()
        return mutations.mutated_tree(self.mutant)

    def exec_module(self, module):
        """Run the changed module."""
        exec(compile(self.code(), self.mutant.path, "exec"), module.__dict__)


class Unchanged(importlib.abc.MetaPathFinder):
    """Imports modules as they are, in the same way: tests that fail then say nothing."""

    def __init__(self, mutants: Iterable[Mutant]):
        self.finders = [Changed(mutant._replace(number=-1)) for mutant in mutants]

    def find_spec(self, name, path=None, target=None):
        """Find the modules alone."""
        return next(filter(None, (f.find_spec(name, path, target) for f in self.finders)), None)


class Native(importlib.abc.MetaPathFinder):
    """Imports a changed build of the native module."""

    def find_spec(self, name, path=None, target=None):  # noqa: ARG002
        """Find the native module alone."""
        if name != "fuzzyucs._core":
            return None
        return importlib.util.spec_from_file_location(name, next(BUILD.glob("out/_core.*.so")))


class InPytest:
    """Changes what is imported, and writes down which test failed."""

    def __init__(self, finder):
        self.finder = finder

    def pytest_sessionstart(self):
        """Come before pytest, which imports the files that it is called with by itself."""
        sys.meta_path.insert(0, self.finder)

    def pytest_runtest_logreport(self, report):
        """Write the name of a test that failed."""
        if report.failed:
            FAILED.write_text(report.nodeid)


def forked(work, seconds):
    """Return the exit status of work in a forked process, or None after too long.

    ``seconds`` are of the processor: how busy the machine is does not matter. Who waits for
    something that never happens uses none, and gets ten times as long.
    """
    FAILED.unlink(missing_ok=True)
    child = os.fork()
    if child == 0:
        os.setsid()
        silence = os.open(BUILD / "last.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(silence, 1)
        os.dup2(silence, 2)
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 1))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        status = 70
        try:
            status = work()
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)
    deadline = time.monotonic() + 10 * seconds
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            status = os.waitstatus_to_exitcode(status)
            return None if status in (-signal.SIGXCPU, -signal.SIGKILL) else status
        time.sleep(0.02)
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def run_tests(finder, tests, seconds):
    """Import everything anew, and run tests, in a forked process; return its exit status."""

    def work():
        sys.meta_path.insert(0, finder)  # for what conftest.py of a folder imports
        return int(pytest.main([*QUIET, *tests], [InPytest(finder)]))

    return forked(work, seconds)


class Collected:
    """Tests that are collected once; forked processes run them with a function changed."""

    def __init__(self, work):
        self.work = work

    def pytest_runtestloop(self, session):
        """Do the work in place of running the tests."""
        self.items = {item.nodeid: item for item in session.items}
        self.work(self)
        return True

    def pytest_runtest_logreport(self, report):
        """Write the name of a test that failed."""
        if report.failed:
            FAILED.write_text(report.nodeid)

    def run(self, changed, names, seconds):
        """Run tests with a function changed (or none), in a forked process."""

        def work():
            if changed is not None:
                function, code = changed
                function.__code__ = code
            items = [self.items[name] for name in names]
            items[0].config.pluginmanager.unregister(name="terminalreporter")
            for item, following in itertools.pairwise([*items, None]):
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                if FAILED.exists():
                    return 1
            return 0

        return forked(work, seconds)


def build(mutant):
    """Build a changed native module; return whether it compiles."""
    shutil.copytree(ROOT / "cpp", BUILD / "cpp", dirs_exist_ok=True)
    shutil.copy(ROOT / "CMakeLists.txt", BUILD)
    if mutant is not None:
        (BUILD / Path(mutant.path).relative_to(ROOT)).write_text(mutated_text(mutant))
    if not (BUILD / "out").exists():
        where = [sys.executable, "-m", "nanobind", "--cmake_dir"]
        nanobind = subprocess.run(where, check=True, capture_output=True, text=True).stdout.strip()
        options = ["-G", "Ninja", f"-Dnanobind_DIR={nanobind}"]
        options.append(f"-DPython_EXECUTABLE={sys.executable}")
        subprocess.run(["cmake", "-S", BUILD, "-B", BUILD / "out", *options], check=True)
    command = ["cmake", "--build", BUILD / "out"]
    return subprocess.run(command, capture_output=True).returncode == 0


def try_native(mutant, only):
    """Return what became of a change to the engine, and the tests that noticed it."""
    if not build(mutant):
        return "does not compile", []
    return outcome(run_tests(Native(), only or ENGINE_TESTS, 300), only or ENGINE_TESTS)


def try_groups(groups, tests, run):
    """Return what became of a change, and the tests that noticed it; ``run`` runs tests."""
    result = "not reached", []
    for group in groups:
        result = outcome(run(group, 30 + 5 * tests.total(group)), group)
        if result[0] != "survived":
            break
    return result


def outcome(status, group):
    """Return what a status of tests says about a change, and the test that noticed it.

    If a module could not be imported, or the process crashed, all of them have.
    """
    if status == 0:
        return "survived", []
    failed = [FAILED.read_text()] if FAILED.exists() else group
    return ("out of time" if status is None else "killed"), failed


def drawn(options):
    """Return a sample of each area, in an order that takes from all of them."""
    sample = []
    for area in options.areas:
        mutants = [
            mutant
            for file in AREAS[area]
            for mutant in (python_mutants if file.suffix == ".py" else native_mutants)(file)
        ]
        if options.again:
            said = [line for line in options.again.read_text().splitlines() if SURVIVED(line)]
            chosen = [m for m in mutants if any(in_words(m) in line for line in said)]
        elif options.only:
            chosen = [m for m in mutants if f"{m.path}:{m.line}".endswith(tuple(options.only))]
        else:
            print(f"{area}: {len(mutants)} changes, a sample of {options.sample}")
            chosen = random.Random(f"{area} {options.seed}").sample(mutants, options.sample)
        sample += [(i, area, mutant) for i, mutant in enumerate(chosen)]
    return [(area, mutant) for _, area, mutant in sorted(sample, key=lambda each: each[0])]


def main():
    """Try a sample of changes."""
    began = time.monotonic()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--areas", nargs="+", choices=AREAS, default=list(AREAS)[:-1])
    parser.add_argument("--sample", type=int, default=30, help="changes per area")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=60, help="no change is begun after them")
    parser.add_argument("--most", type=float, default=120, help="seconds of tests per change")
    parser.add_argument("--only", nargs="+", help="files and lines, as in evidence/evidence.py:12")
    parser.add_argument("--again", type=Path, help="what an earlier run printed: try survivors")
    parser.add_argument("--tests", nargs="+", help="tests in place of those that reach a line")
    parser.add_argument("--old", action="store_true", help="what was recorded may be out of date")
    options = parser.parse_args()
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT / "tests"))
    BUILD.mkdir(parents=True, exist_ok=True)
    path = BUILD / "reached.json"
    if set(options.areas) != {"engine"} and not (options.tests or options.old or is_current(path)):
        subprocess.run([sys.executable, __file__, "record"], check=True)
    reached = {"seconds": {}, "lines": {}}
    tests = Tests(json.loads(path.read_text()) if path.exists() else reached, options.most)
    os.environ["SCIPY_ARRAY_API"] = "1"  # before SciPy is imported, as in conftest.py
    for name in USED:
        importlib.import_module(name)  # once, and not in each process
    sample = drawn(options)
    counts = {area: collections.Counter() for area in options.areas}

    def try_all(some, tried, run):
        """Try changes; then those again that only tests have noticed that fail anyway."""
        results = []
        for area, mutant in some:
            if time.monotonic() - began > 60 * options.minutes:
                counts[area]["not tried"] += 1
                continue
            results.append((area, mutant, *tried(mutant)))
            show(mutant, *results[-1][2:])
        tests.find_broken({name for each in results for name in each[3]}, run)
        for area, mutant, result, names in results:
            if not tests.broken.isdisjoint(names):
                print("once more, because this test fails without the change, too:", *names)
                result, names = tried(mutant)
                show(mutant, result, names)
            counts[area][result] += 1

    def in_functions(collected):
        """Try changes of functions."""
        changed = {mutant: changed_function(mutant) for _, mutant in python}

        def tried(mutant):
            groups = [[n for n in g if n in collected.items] for g in tests.groups(mutant)]
            groups = [options.tests and list(collected.items)] if options.tests else groups
            return try_groups(groups, tests, partial(collected.run, changed[mutant]))

        some = [(area, mutant) for area, mutant in python if changed[mutant] is not None]
        if len(some) < len(python):
            sys.exit("some functions cannot be found by their names")
        try_all(some, tried, partial(collected.run, None))

    def on_import(some):
        """Try changes of what modules do on import."""

        def tried(mutant):
            groups = [options.tests] if options.tests else tests.groups(mutant)
            return try_groups(groups, tests, partial(run_tests, Changed(mutant)))

        try_all(some, tried, partial(run_tests, Unchanged([mutant for _, mutant in some])))

    native = [each for each in sample if each[1].path.endswith((".h", ".cpp"))]
    python = [each for each in sample if each not in native]
    others = [each for each in python if not is_in_function(each[1])]
    python = [each for each in python if each not in others]
    if python:
        files = options.tests or sorted({name.partition("::")[0] for name in tests.seconds})
        apart(lambda: pytest.main([*QUIET, *files], [Collected(in_functions)]), counts)
    on_import(others)
    try_all(native, lambda mutant: try_native(mutant, options.tests), None)
    report(counts)


def apart(work, counts):
    """Do work that counts in a process of its own, which may import what this one must not."""
    path = BUILD / "counts.json"
    child = os.fork()
    if child == 0:
        try:
            work()
            path.write_text(json.dumps(counts))
        finally:
            sys.stdout.flush()
            os._exit(0)
    os.waitpid(child, 0)
    for area, found in json.loads(path.read_text()).items():
        counts[area].update(found)


def in_words(mutant):
    """Return place and change."""
    return f"{Path(mutant.path).relative_to(ROOT)}:{mutant.line}  {mutant.change}  "


def show(mutant, result, names):
    """Print what became of a mutant."""
    print(f"{result:12} {in_words(mutant)}{names[:1] or ''}", flush=True)


def report(counts):
    """Print how many changes were noticed."""
    counts["all"] = sum(counts.values(), collections.Counter())
    for area, results in counts.items():
        tried = results.total() - results["does not compile"] - results["not tried"]
        noticed = results["killed"] + results["out of time"]
        if tried:
            print(f"{area}: {noticed} of {tried} killed ({noticed / tried:.0%})", dict(results))


if __name__ == "__main__":
    record(sys.argv[2:]) if sys.argv[1:2] == ["record"] else main()
