"""Which tests reach which lines, and in which order changes are tried with them."""

import collections
import itertools
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from mutations import Mutant

ROOT = Path(__file__).parent.parent
BUILD = ROOT / "build" / "mutants"
SOURCE = ROOT / "src" / "fuzzyucs"
LEARNER = ("online", "presenting", "fuzzy_ucs", "ucs", "evolved", "streaming", "reservoir")
FLAGSHIP = (
    *("evidential", "learning", "training", "growth", "penalty_path", "finishing", "weighing"),
    *("linguistic_rules", "resolution", "base_rates", "concluding", "gaps", "rejection"),
)
ENGINE = (
    *("learner.cpp", "deletion.h", "tournament.h", "population.h", "fuzzy_policy.h"),
    *("crisp_policy.h", "linguistic_rule.h", "interval_rule.h", "gap_closer.h"),
)
AREAS = {
    **{name: sorted((SOURCE / name).glob("*.py")) for name in ("evidence", "decisions", "rules")},
    "learner": [SOURCE / "estimators" / f"{name}.py" for name in LEARNER],
    "flagship": [SOURCE / "estimators" / f"{name}.py" for name in FLAGSHIP],
    "engine": [ROOT / "cpp" / name for name in ENGINE],
}
TESTS = """
    evidence support tempering combination combination_input weighting verdict verdict_words common
    class_profiles profiled decisions inference ledger base_rates resolution rejection gaps
    reservoir presenting stream_profiles stream_classifier streams ucs classifier learning
    rule_sentences reprs evidential growth_models explain flips labels linguistic intervals missing
    not_seen listening moving_ranges sample_weight rare_classes many_classes description numpy_model
    profile_evaluators model_file as_published finding_rules model_file_refusals
    dask_training
    hostile_names model_file_versions row_sample large_tables
    scikit_learn_habits
""".split()  # noqa: SIM905
FILES = [
    *("src/fuzzyucs/evidence", "src/fuzzyucs/decisions", "src/fuzzyucs/rules", "tests/rules"),
    *(f"tests/test_{name}.py" for name in TESTS),
    "tests/test_parameter_limits.py",
    "src/fuzzyucs/estimators",
]
REACHED = BUILD / "reached.json"
FAILED = BUILD / "failed.txt"  # the name of the test that failed last
LONGEST = 20  # seconds of a test that mutants are tried with
STEPS = (1, 6, 25)  # seconds of the tests that a change is tried with first, and then


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


class Tests:
    """The tests that reach each line, and those that turned out to fail without a change."""

    def __init__(self, reached, most):
        self.seconds = reached["seconds"]
        self.lines = reached["lines"]
        self.most = most
        self.fine: set[str] = set()
        self.broken: set[str] = set()

    def groups(self, mutant: Mutant) -> Iterator[list[str]]:
        """Yield groups of tests that a change is tried with, one after the other.

        First those that reach its line (or any line of its file, if it runs when it is imported):
        tests named like the module, then by test file, the quickest files first. At last the other
        tests of these files: they may share what the first made.
        """
        lines = self.lines.get(mutant.path, {})
        names = lines.get(str(max(line for line in map(int, lines) if line <= mutant.line)), ())
        if str(mutant.line) in lines and not names:
            names = {name for each in lines.values() for name in each}
        by_file = collections.defaultdict(list)
        for name in sorted(set(names) - self.broken, key=self.cost):
            by_file[name.partition("::")[0]].append(name)
        stem = Path(mutant.path).stem
        files = sorted(
            by_file,
            key=lambda file: (
                Path(file).stem not in (stem, f"test_{stem}"),
                self.total(by_file[file]),
            ),
        )
        ordered = [name for file in files for name in by_file[file]]
        known = {*ordered, *self.broken}
        ordered += [
            name
            for file in files
            for name in self.seconds
            if name.startswith(f"{file}::") and name not in known and self.seconds[name] < LONGEST
        ]
        groups = collections.defaultdict(list)
        spent = 0.0
        for name in ordered:
            spent += self.seconds[name]
            if spent > self.most:
                break
            groups[sum(spent > step for step in STEPS)].append(name)
        yield from groups.values()

    def cost(self, name: str) -> tuple[float, str]:
        """Return what tests of a file are sorted by."""
        return self.seconds[name], name

    def total(self, names: list[str]) -> float:
        """Return the seconds of tests."""
        return sum(self.seconds.get(name, 60) for name in names)

    def find_broken(self, names: set[str], run) -> None:
        """Find which of these tests fail without a change; ``run`` runs tests."""
        unknown = sorted(names - self.fine - self.broken)
        while unknown:
            if run(unknown, 60 + 5 * self.total(unknown)) == 0:
                break
            if not FAILED.exists():
                sys.exit(
                    f"these tests cannot be run: {unknown}\n{(BUILD / 'last.txt').read_text()}"
                )
            self.broken.add(FAILED.read_text())
            unknown = [name for name in unknown if name not in self.broken]
        self.fine.update(unknown)


def is_current(path):
    """Return whether what was recorded is newer than sources and tests."""
    files = itertools.chain(SOURCE.rglob("*.py"), (ROOT / "tests").rglob("*.py"))
    return path.exists() and path.stat().st_mtime > max(file.stat().st_mtime for file in files)


def record(files):
    """Record what tests run; ``python tests/mutants.py record tests/...`` takes some of them."""
    BUILD.mkdir(parents=True, exist_ok=True)
    recorder = Recorder()
    status = pytest.main(
        ["-q", "-p", "no:cacheprovider", "--no-header", *(files or FILES)], [recorder]
    )
    recorder.write(REACHED)
    sys.exit(int(status))
