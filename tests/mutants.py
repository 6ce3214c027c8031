"""Mutation testing: do the tests notice small changes to the code?

``make mutants`` changes a sample of places, one at a time, runs the tests that reach the place, and
lists the changes that no test noticed. Changes to Python modules are made in memory: a forked
process imports the changed module instead of the file. Changes to the native learner are made in
a copy of ``cpp/``, which is built anew each time.
"""

import argparse
import collections
import importlib.abc
import importlib.util
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

import mutations
from mutations import Mutant, mutated_text, native_mutants, python_mutants

ROOT = Path(__file__).parent.parent
BUILD = ROOT / "build" / "mutants"
SOURCE = ROOT / "src" / "fuzzyucs"
LEARNER = ("online", "presenting", "fuzzy_ucs", "ucs", "evolved", "streaming", "reservoir")
ENGINE = (
    *("learner.cpp", "deletion.h", "tournament.h", "population.h", "fuzzy_policy.h"),
    *("crisp_policy.h", "linguistic_rule.h", "interval_rule.h", "gap_closer.h"),
)
AREAS = {
    **{name: sorted((SOURCE / name).glob("*.py")) for name in ("evidence", "decisions", "rules")},
    "learner": [SOURCE / "estimators" / f"{name}.py" for name in LEARNER],
    "engine": [ROOT / "cpp" / name for name in ENGINE],
}
TESTS = """
    as_published base_rates class_profiles classifier combination combination_input common decisions
    description dask_training evidence explain finding_rules flips gaps inference intervals labels
    learning ledger linguistic listening many_classes missing model_file model_file_refusals
    moving_ranges not_seen numpy_model presenting profile_evaluators profiled rare_classes rejection
    reprs reservoir resolution rule_sentences sample_weight scikit_learn_habits stream_classifier
    stream_profiles streams support tempering ucs verdict verdict_words weighting
""".split()  # noqa: SIM905
FILES = [
    *(f"tests/test_{name}.py" for name in TESTS),
    *("tests/rules", "src/fuzzyucs/evidence", "src/fuzzyucs/decisions", "src/fuzzyucs/rules"),
]
ENGINE_TESTS = ["tests/test_differential.py", "tests/test_stream_classifier.py"]
QUIET = ["-q", "-x", "-p", "no:cacheprovider", "-p", "no:randomly", "--no-header", "--tb=line"]
LONGEST = 5  # seconds of a test that mutants are tried with


class Recorder:
    """Records which lines of the areas each test runs, and how long it takes."""

    def __init__(self):
        import coverage

        files = [str(path) for area in AREAS.values() for path in area if path.suffix == ".py"]
        self.coverage = coverage.Coverage(data_file=None, include=files, config_file=False)
        self.coverage.start()
        self.seconds = {}

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item):
        """Record one test with its fixtures."""
        self.coverage.switch_context(item.nodeid)
        began = time.process_time()
        yield
        self.seconds[item.nodeid] = time.process_time() - began

    def write(self, path):
        """Write which tests run which lines of which files."""
        self.coverage.stop()
        data = self.coverage.get_data()
        lines = {
            file: {
                line: [name for name in names if 0 <= self.seconds.get(name, -1) < LONGEST]
                for line, names in data.contexts_by_lineno(file).items()
            }
            for file in data.measured_files()
        }
        path.write_text(json.dumps({"seconds": self.seconds, "lines": lines}))


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

    def exec_module(self, module):
        """Run the changed module."""
        exec(
            compile(mutations.mutated_tree(self.mutant), self.mutant.path, "exec"), module.__dict__
        )


class Unchanged(Changed):
    """Imports the module as it is, in the same way: tests that fail then say nothing."""

    def exec_module(self, module):
        """Run the module as it is."""
        exec(compile(Path(self.mutant.path).read_text(), self.mutant.path, "exec"), module.__dict__)


class Native(importlib.abc.MetaPathFinder):
    """Imports a changed build of the native module."""

    def find_spec(self, name, path=None, target=None):  # noqa: ARG002
        """Find the native module alone."""
        if name != "fuzzyucs._core":
            return None
        return importlib.util.spec_from_file_location(name, next(BUILD.glob("out/_core.*.so")))


def run_tests(finder, tests, limit):
    """Run tests in a forked process; return their exit status, or None after too long."""
    child = os.fork()
    if child == 0:
        os.setsid()
        silence = os.open(BUILD / "last.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(silence, 1)
        os.dup2(silence, 2)
        status = 70
        try:
            sys.meta_path.insert(0, finder)
            status = int(pytest.main([*QUIET, *tests]))
        finally:
            os._exit(status)
    deadline = time.monotonic() + limit
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.05)
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def tests_of(mutant, reached, most):
    """Return the quickest tests that run the line of a mutant, or any line of its file."""
    lines = reached["lines"].get(mutant.path, {})
    names = lines.get(str(mutant.line)) or {name for each in lines.values() for name in each}
    return sorted(names, key=lambda name: (reached["seconds"][name], name))[:most]


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


def try_mutant(mutant, reached, options):
    """Return what became of a mutant."""
    if mutant.path.endswith(".py"):
        tests = tests_of(mutant, reached, options.most)
        if not tests:
            return "not reached"
        status = run_tests(Changed(mutant), tests, options.seconds)
        if status and run_tests(Unchanged(mutant), tests, options.seconds) != 0:
            return "tests fail without it"
    else:
        if not build(mutant):
            return "does not compile"
        status = run_tests(Native(), ENGINE_TESTS, options.seconds)
    return "too slow" if status is None else "survived" if status == 0 else "killed"


def main():
    """Try a sample of changes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--areas", nargs="+", choices=AREAS, default=list(AREAS)[:-1])
    parser.add_argument("--sample", type=int, default=40, help="changes per area")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=300, help="longest run of a change")
    parser.add_argument("--most", type=int, default=300, help="tests per change")
    parser.add_argument("--only", help="a file and line, as in evidence/evidence.py:12")
    options = parser.parse_args()
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT / "tests"))
    BUILD.mkdir(parents=True, exist_ok=True)
    path = BUILD / "reached.json"
    if not path.exists() and set(options.areas) != {"engine"}:
        command = [sys.executable, __file__, "record"]
        subprocess.run(command, check=True)
    reached = json.loads(path.read_text()) if path.exists() else {}
    counts = collections.defaultdict(collections.Counter)
    for area in options.areas:
        mutants = [
            mutant
            for file in AREAS[area]
            for mutant in (python_mutants if file.suffix == ".py" else native_mutants)(file)
        ]
        if options.only:
            mutants = [m for m in mutants if f"{m.path}:{m.line}".endswith(options.only)]
        else:
            print(f"{area}: {len(mutants)} changes, a sample of {options.sample}")
            mutants = random.Random(options.seed).sample(mutants, options.sample)
        for mutant in mutants:
            result = try_mutant(mutant, reached, options)
            counts[area][result] += 1
            place = f"{Path(mutant.path).relative_to(ROOT)}:{mutant.line}"
            print(f"{result:12} {place}  {mutant.change}", flush=True)
    for area, results in counts.items():
        print(area, dict(results))


def record(files):
    """Record what tests run; ``python tests/mutants.py record tests/...`` takes some of them."""
    recorder = Recorder()
    status = pytest.main(["-q", "-p", "no:cacheprovider", "--no-header", *files], [recorder])
    recorder.write(BUILD / "reached.json")
    sys.exit(int(status))


if __name__ == "__main__":
    record(sys.argv[2:] or FILES) if sys.argv[1:2] == ["record"] else main()
