"""Reports of parts of the evaluation: whatever is missing, there is a report that says so."""

import random
from importlib.metadata import PackageNotFoundError

import numpy as np
import pytest
from matplotlib.figure import Figure

from documented import PAGES
from fuzzyucs.cli.app import EXAMPLES
from fuzzyucs.cli.main import main
from fuzzyucs.cli.reproduce import reproduce
from fuzzyucs.experiment import systems
from fuzzyucs.experiment.claims import CLAIMS
from fuzzyucs.experiment.outcome import Answer, Outcome
from fuzzyucs.experiment.report import write_report
from fuzzyucs.experiment.store import Store
from fuzzyucs.experiment.systems import SYSTEMS, System
from fuzzyucs.experiment.tables import TABLES, jobs_of
from soaking import first

PEERS = ("ex-fuzzy", "interpret-core", "scikit-ExSTraCS", "xgboost")
SPLITS = ("train", "test")


@pytest.fixture
def without_peers(monkeypatch):
    """As if the extra ``peers`` were not installed."""

    def version(package):
        if package in PEERS:
            raise PackageNotFoundError(package)
        return "1.0"

    monkeypatch.setattr(systems, "version", version)


@pytest.fixture
def with_peers(monkeypatch):
    """As if the extra ``peers`` were installed."""
    monkeypatch.setattr(systems, "version", lambda package: f"{package} 1.0")


def made_up(dataset, *_, **__):
    """Return a small table in place of a data set."""
    rng = np.random.default_rng(len(dataset))
    return rng.random((40, 3)), np.arange(40) % 3


@pytest.fixture
def quick_systems(monkeypatch):
    """Systems that answer at once, instead of learning."""

    def quick(system):
        def run(X, y, tables, seed, settings):  # noqa: ARG001
            rng = np.random.default_rng(seed)
            answers = {
                (name, split): Answer(rng.choice(y, len(table)))
                for name in system.answers
                for split, table in tables.items()
            }
            return Outcome(answers, {"macro_rules": len(X), "trees": 3}, 0.0)

        return System(run, system.answers, system.package, system.has_epochs, system.most_runs)

    for name, system in SYSTEMS.items():
        monkeypatch.setitem(SYSTEMS, name, quick(system))


def section(page, title):
    """Return the rows of a section of a report, as a dict from first cell to the others."""
    lines = page.split(f"\n### {title}\n\n")[1].split("\n\n")[0].splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]
    return {first: others for first, *others in rows}


def documented_commands():
    """Find every `fuzzyucs reproduce` of the help texts, the README and the documentation."""
    lines = [line for page in PAGES for line in page.read_text().splitlines()]
    lines += EXAMPLES[reproduce].splitlines()
    found = [line.split("#")[0].split() for line in lines if line.startswith("fuzzyucs reproduce")]
    return [command[2:] for command in found]


def test_commands_are_documented():
    commands = documented_commands()
    assert ["--embedded", "--runs", "5"] in commands
    assert ["--list"] in commands
    assert any("--epochs" in command for command in commands)


def with_and_without_peers():
    """Make the run that takes longest, of all data sets, once; `make soak` makes it again."""
    for command in documented_commands():
        is_long = "--datasets" not in command and "--list" not in command
        for has_peers in (False, True):
            again = is_long and has_peers == ("--data-dir" in command)
            marks = [pytest.mark.soak] if again else []
            name = " ".join(command)
            yield pytest.param(command, has_peers, id=f"{name}-{has_peers}", marks=marks)


@pytest.mark.parametrize(("command", "has_peers"), list(with_and_without_peers()))
@pytest.mark.usefixtures("quick_systems")
def test_documented_commands_write_a_report(
    command, has_peers, tmp_path, capsys, monkeypatch, request
):
    """As they are written, but with systems that answer at once, and data that are made up."""
    request.getfixturevalue("with_peers" if has_peers else "without_peers")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FUZZYUCS_DATA", raising=False)
    monkeypatch.setattr("fuzzyucs.experiment.run.load", made_up)
    for name in ("decision_boundaries", "belief_landscapes"):
        monkeypatch.setattr(
            f"fuzzyucs.experiment.figures.{name}", lambda **_: Figure(figsize=(1, 1))
        )
    few = ["--runs", "2"] if "--data-dir" in command else []
    status = main(["reproduce", *command, *few, *([] if "--list" in command else ["--jobs", "1"])])
    out = capsys.readouterr().out
    assert status == 0, out
    if "--list" in command:
        return
    assert "not in the report" not in out
    folder = tmp_path / "results"
    names = {path.name for path in folder.iterdir()}
    assert names >= {"report.md", "report.html", "report.tex", "report.csv", "figures"}
    page = (folder / "report.md").read_text()
    assert "## In short" in page
    assert "Errors in this report" not in page
    assert ("exstracs, because scikit-ExSTraCS is not installed" in out) == (
        not has_peers and "table3" not in command
    )


@pytest.mark.usefixtures("without_peers", "quick_systems")
def test_the_example_of_the_command_says_what_is_missing(tmp_path, capsys, monkeypatch):
    """As `fuzzyucs reproduce --help` shows it, with fewer runs, and data that are at hand."""
    monkeypatch.delenv("FUZZYUCS_DATA", raising=False)
    arguments = ["--datasets", "irs,wne", "--runs", "3", "--epochs", "10", "--no-figures"]
    assert main(["reproduce", *arguments, "--jobs", "1", "--output", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "not run: exstracs, because scikit-ExSTraCS is not installed (extra peers)" in out
    assert "failed" not in out
    page = (tmp_path / "report.md").read_text()
    assert "### Table 3: Macro F1 after 10 epochs, training data (3 runs)" in page
    missing = section(page, "Missing results")
    assert missing["f1_10"] == ["28 of 30 data sets"]
    expected = "28 of 30 data sets; all runs of ExSTraCS (scikit-ExSTraCS is not installed)"
    assert missing["exstracs_10"] == [expected]
    assert missing["large_10"] == ["the whole table: no run of it in the store"]
    assert "f1_50" not in missing  # not asked for
    n_checked = len(section(page, "What the article claims"))
    expected = f"runs for {len(CLAIMS) - n_checked} of {len(CLAIMS)} claims"
    assert missing["What the article claims"] == [expected]


@pytest.mark.usefixtures("without_peers", "quick_systems")
def test_a_system_that_is_asked_for_and_not_installed_has_failed(tmp_path, capsys):
    arguments = ["--embedded", "--datasets", "irs", "--runs", "2", "--systems", "ucs,exstracs"]
    arguments += ["--only", "exstracs_10", "--no-figures", "--jobs", "1"]
    assert main(["reproduce", *arguments, "--output", str(tmp_path)]) == 1
    out = capsys.readouterr().out
    assert "failed: exstracs on irs, run 0: ModuleNotFoundError: scikit-ExSTraCS is not in" in out
    row = section((tmp_path / "report.md").read_text(), "Systems")["exstracs"]
    assert row == ["missing", "0", "2", "ModuleNotFoundError: scikit-ExSTraCS is not installed"]


@pytest.mark.usefixtures("without_peers", "quick_systems")
def test_embedded_data_without_peers_give_a_report(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("FUZZYUCS_DATA", str(tmp_path / "nowhere"))
    arguments = ["--embedded", "--runs", "2", "--no-figures", "--jobs", "1"]
    assert main(["reproduce", *arguments, "--output", str(tmp_path)]) == 0
    assert "not in the report" not in capsys.readouterr().out
    page = (tmp_path / "report.md").read_text()
    missing = section(page, "Missing results")
    absent = "all runs of XGBoost (xgboost is not installed)"
    assert missing["sota_50"] == [f"27 of 30 data sets; {absent}"]
    claims = section(page, "What the article claims")
    assert "DS ranks first in test accuracy at 50 epochs" in claims
    # Three data sets are too few for a significant difference.
    assert "A random forest has a better test accuracy than DS" not in claims
    assert "program" not in page


def random_store(path, rng):
    """A store with some of the results of some runs, some of them all equal."""
    store = Store(path)
    n, share = 60, rng.choice([0.03, 0.3, 0.95])
    everything = list(jobs_of(TABLES, ["irs", "wne", "can", "mux", "car", "con", "lib"], 3))
    constant = rng.random() < 0.3
    for job in everything:
        if rng.random() > share:
            continue
        truth = np.arange(n) % 3
        noise = np.random.default_rng(0 if constant else rng.randrange(99))
        outcome = Outcome(sizes={"macro_rules": 5} if rng.random() < 0.9 else {}, seconds=1.0)
        for name in SYSTEMS[job.system].answers:
            for split in SPLITS:
                labels = np.where(noise.random(n) < 0.4, 0, truth)
                more = (
                    () if rng.random() < 0.2 else (np.eye(3)[labels], np.full(n, 0.1), -np.ones(n))
                )
                outcome.answers[name, split] = Answer(labels, *more, seconds=0.1)
        store.add(job, outcome, dict.fromkeys(SPLITS, truth), "1.0")
    return store


@pytest.mark.parametrize("seed", first(4, range(8)))
def test_any_part_of_the_results_gives_a_report(tmp_path, seed):
    rng = random.Random(seed)
    with random_store(tmp_path / "results.sqlite", rng) as store:
        tables = None if seed % 2 else rng.sample(list(TABLES), 5)
        datasets = None if seed % 3 else rng.sample(["irs", "wne", "mux", "con", "bnk"], 2)
        report = write_report(store, tmp_path, tables, datasets, figures=False)
    assert report.problems == []
    page = (tmp_path / "report.md").read_text()
    assert "nan" not in page.split("## Results", 1)[-1]
    missing = section(page, "Missing results")
    for name in tables or TABLES:
        assert name in missing or f"{TABLES[name].title}" in page


def test_an_empty_store_gives_a_report_that_lists_everything(tmp_path):
    with Store(tmp_path / "results.sqlite") as store:
        report = write_report(store, tmp_path, figures=False)
    assert report.problems == []
    missing = section((tmp_path / "report.md").read_text(), "Missing results")
    assert set(missing) == {*TABLES, "What the article claims"}


def test_an_error_costs_only_the_part_it_occurs_in(tmp_path, monkeypatch):
    from fuzzyucs.experiment import claims, figures, report

    collect = report.collect

    def collect_or_fail(store, name, datasets, variant):
        if name == "acc_10":
            raise KeyError("a | b\nc")
        return collect(store, name, datasets, variant)

    def fail(*_, **__):
        raise RuntimeError("no {canvas}")

    def draw(*_, **__):
        return Figure(figsize=(1, 1))

    monkeypatch.setattr(report, "collect", collect_or_fail)
    monkeypatch.setattr(report, "runtime", fail)
    monkeypatch.setattr(figures, "decision_boundaries", fail)
    monkeypatch.setattr(figures, "belief_landscapes", draw)
    broken = claims.Claim("The check of this claim fails", fail)
    monkeypatch.setattr(claims, "CLAIMS", [broken, *claims.CLAIMS])
    with random_store(tmp_path / "results.sqlite", random.Random(5)) as store:
        paths, problems = write_report(store, tmp_path, ["f1_10", "acc_10"])
    assert [problem.part for problem in problems] == [
        "table acc_10",
        "figure figure4",
        "table 5",
        "claim: The check of this claim fails",
    ]
    assert {path.name for path in paths} >= {"report.md", "figure5.png", "figure6.png"}
    page = (tmp_path / "report.md").read_text()
    assert "Macro F1 after 10 epochs, test data" in page
    errors = section(page.replace(r"\|", "/"), "Errors in this report")
    assert errors["table acc_10"] == [r"KeyError: 'a / b\nc'"]
    assert "acc_10" not in section(page, "Missing results")
    for name in ("report.html", "report.tex"):
        assert "figure4" in (tmp_path / name).read_text()
    assert r"no \{canvas\}" in (tmp_path / "report.tex").read_text()


def test_an_error_in_one_format_costs_no_other(tmp_path, monkeypatch):
    from fuzzyucs.experiment import report

    def fail(_):
        raise RuntimeError("no paper")

    monkeypatch.setitem(report.FORMATS, "html", fail)
    with random_store(tmp_path / "results.sqlite", random.Random(5)) as store:
        paths, problems = write_report(store, tmp_path, ["f1_10"], figures=False)
    assert {path.name for path in paths} == {"report.md", "report.tex", "report.csv"}
    assert all(path.exists() for path in paths)
    assert problems == [("report.html", "RuntimeError: no paper")]


def test_the_command_names_what_is_not_in_the_report(tmp_path, capsys, monkeypatch):
    def fail(*_):
        raise RuntimeError("broken table")

    monkeypatch.setattr("fuzzyucs.experiment.report.collect", fail)
    arguments = ["reproduce", "--embedded", "--only", "f1_10", "--runs", "1", "--systems", "ucs"]
    arguments += ["--datasets", "irs", "--jobs", "1", "--no-figures", "--output", str(tmp_path)]
    assert main(arguments) == 1
    out = capsys.readouterr().out
    assert "not in the report: table f1_10: RuntimeError: broken table" in out
    assert "broken table" in (tmp_path / "report.md").read_text()
