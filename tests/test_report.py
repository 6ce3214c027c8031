"""Tables, claims, reports and the command that makes them."""

import re
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import f1_score

import fuzzyucs
from fuzzyucs.cli.main import main
from fuzzyucs.experiment.claims import CLAIMS, check_claims
from fuzzyucs.experiment.figures import belief_landscapes, critical_difference, decision_boundaries
from fuzzyucs.experiment.layout import print_table
from fuzzyucs.experiment.measured import Measured, collect, summarise
from fuzzyucs.experiment.metrics import accuracy, ignorance, macro_f1, published_ignorance
from fuzzyucs.experiment.outcome import Answer, Outcome
from fuzzyucs.experiment.plan import Job
from fuzzyucs.experiment.published import published_means
from fuzzyucs.experiment.report import write_report
from fuzzyucs.experiment.reproduce import choose_tables
from fuzzyucs.experiment.store import Store
from fuzzyucs.experiment.tables import (
    OURS,
    TABLES,
    datasets_of,
    jobs_of,
    marks_of,
    published_of,
)

SPLITS = ("train", "test")


# Metrics


@pytest.mark.parametrize("seed", range(10))
def test_macro_f1_equals_another_library(seed):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 6, 40)
    labels = np.where(rng.random(40) < 0.5, truth, rng.integers(0, 8, 40))
    expected = 100 * f1_score(truth, labels, average="macro", zero_division=0)
    assert macro_f1(Answer(labels), truth) == pytest.approx(expected)
    assert accuracy(Answer(labels), truth) == pytest.approx(100 * (truth == labels).mean())


def test_published_ignorance_is_a_matter_of_rounding():
    """What a program would do that takes 1 - (1 - K) == 1 for total conflict."""
    agreement = np.array([0.5, 2.0**-53, 1.5 * 2.0**-54, 2.0**-54, 1e-30, 0.0])
    lost = 1 - agreement == 1.0
    with np.errstate(divide="ignore"):
        answer = Answer(np.zeros(6, int), None, np.full(6, 0.25), np.log(agreement))
    assert lost.tolist() == [False, False, False, True, True, True]
    assert published_ignorance(answer, None) == np.where(lost, 1, 0.25).mean()
    assert ignorance(answer, None) == 0.25
    assert np.isnan(ignorance(Answer(np.zeros(3, int)), None))


# Tables


def test_every_table_has_published_numbers_for_its_systems():
    for name, table in TABLES.items():
        for split in table.splits:
            published = published_of(name, split)
            if name in OURS:
                assert published is None
            else:
                assert set(table.columns) <= set(published.columns)
                assert len(published) in (3, 4, 30)
                assert list(published.index) == datasets_of(name)


def test_tables_share_their_jobs():
    jobs = list(jobs_of(["f1_10", "acc_10", "idk_10"], None, 2))
    assert len(jobs) == len(set(jobs)) == 30 * 2 * 2
    assert {job.system for job in jobs} == {"ucs", "fuzzyucs"}
    slow = [job for job in jobs_of(["exstracs_10"], None, 5) if job.system == "exstracs"]
    assert len(slow) == 30 * 5  # fewer runs than the others
    only = list(jobs_of(["sota_50"], ["irs"], 1))
    assert Job.of("random_forest", "irs", 0) in only
    assert {job.dataset for job in only} == {"irs"}


# Measured


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """As if our runs had given the published means, with a little noise that averages out."""
    rng = np.random.default_rng(0)
    n = 10_000
    with Store(tmp_path_factory.mktemp("store") / "results.sqlite") as store:
        train, test = (published_means("acc_10", split) for split in SPLITS)
        for dataset in train.index:
            for seed in range(4):
                noise = (-1) ** seed * rng.random()
                for system, names in (("ucs", ["UCS"]), ("fuzzyucs", ["VOTE", "SWIN", "DS"])):
                    outcome = Outcome(sizes={"macro_rules": 100 + seed})
                    for split, means in zip(SPLITS, (train, test), strict=True):
                        for name in names:
                            wrong = n - round(100 * (means.loc[dataset, name] + noise))
                            labels = (np.arange(n) < wrong).astype(int)
                            outcome.answers[name, split] = Answer(labels)
                    truth = dict.fromkeys(SPLITS, np.zeros(n, int))
                    store.add(Job.of(system, dataset, seed, epochs=10), outcome, truth)
        yield store


def test_our_means_stand_beside_the_published_ones(store):
    for table in collect(store, "acc_10"):
        published = published_means("acc_10", table.split)
        assert table.n_runs.eq(4).all(axis=None)
        assert table.difference.abs().max(axis=None) < 0.6
        assert list(table.mean.columns) == list(published.columns)
        # The same in other words.
        values = table.runs.loc["irs"]["DS"]
        assert table.mean.loc["irs", "DS"] == pytest.approx(values.mean())
        error = np.sqrt(values.var() / 4 + values.var() / 30)
        assert table.standard_error.loc["irs", "DS"] == pytest.approx(error)


def cell_of(grid, row, group, column):
    """Find a cell by its headings."""
    headings = [(name, title) for name, titles in grid.groups for title in titles]
    rows = {row.label: row.cells for row in [*grid.rows, *grid.footer]}
    return rows[row][headings.index((group, column))]


def test_our_means_are_printed_beside_the_published_ones(store):
    table = collect(store, "acc_10")[1]
    grid = print_table([table])
    assert [group for group, _ in grid.groups] == ["the article", "as the article says"]
    ours = cell_of(grid, "irs", "as the article says", "UCS")
    assert float(ours.text) == pytest.approx(table.mean.loc["irs", "UCS"], abs=0.006)
    gap = table.difference.loc["irs", "UCS"]
    sigmas = gap / table.standard_error.loc["irs", "UCS"]
    assert ours.note == f"4 runs, {gap:+.4g} from the article ({sigmas:+.1f} standard errors)"
    assert not ours.far
    assert ours.mark == "~"  # four runs are too few to tell
    assert cell_of(grid, "irs", "the article", "UCS").text == "74.67"


def test_the_summary_counts_what_is_near(store):
    summary = summarise(collect(store, "acc_10"))
    assert len(summary) == 8
    assert summary["within"].eq(1).all()
    assert summary["data sets"].eq(30).all()
    assert summary["mean difference"].max() < 0.6


def test_one_run_has_no_spread_to_judge_by(store, tmp_path):
    with Store(tmp_path / "one.sqlite") as one:
        for job, _, _ in store.jobs():
            if job.seed == 0 and job.system == "ucs":
                answers = {("UCS", split): store.answer(job, "UCS", split) for split in SPLITS}
                truth = {split: store.truth(job.dataset, 0, split) for split in SPLITS}
                one.add(job, Outcome(answers), truth)
        summary = summarise(collect(one, "acc_10"))
        assert summary["within"].isna().all()
        assert summary["mean difference"].notna().all()
        write_report(one, tmp_path, ["acc_10"], figures=False)
    numbers = pd.read_csv(tmp_path / "report.csv")
    assert len(numbers) == 60
    assert numbers["runs"].eq(1).all()
    assert numbers["deviation"].isna().all()
    assert "≠" not in (tmp_path / "report.md").read_text().split("## Results")[1].split("###")[1]


def runs_with(means, marks, table, n_runs=30):
    """Make runs that have these means, and differ from the reference as the marks say."""
    offsets = (-1.0) ** np.arange(n_runs) * np.linspace(1, 2, n_runs).repeat(2)[:n_runs]
    noise = offsets - offsets.mean()
    parts = {}
    for seed in range(n_runs):
        spread = pd.DataFrame(0.0, index=means.index, columns=means.columns)
        for system in means:
            reference = table.reference_of(system)
            if reference in means:
                width = 100 * (means[system] - means[reference]).abs() + 1e-6
                spread[system] = np.where(marks[system] == "~", noise[seed] * width, 0)
        parts[seed] = means + spread
    runs = pd.concat(parts, names=["seed"]).swaplevel()
    runs.index = runs.index.set_names(["dataset", "seed"])
    return runs


@pytest.fixture(scope="module")
def as_published():
    """Tables of runs that are as the article prints them: means, and marks."""
    measured = []
    for name, table in TABLES.items():
        for split in table.splits:
            published, marks = published_of(name, split), marks_of(name, split)
            if published is not None:
                runs = runs_with(published, marks, table)
                measured.append(Measured(name, split, runs, published, marks))
                # Without the errors of rounding that would undo ties.
                measured[-1].__dict__["mean"] = published
    return measured


@pytest.fixture(scope="module")
def published_seconds():
    rows = [
        (epochs, name, value, value)
        for epochs in (10, 50)
        for name, value in published_means("runtime", "model", epochs).iloc[0].items()
    ]
    return pd.DataFrame(rows, columns=["epochs", "system", "ours", "published"])


def test_claims_are_confirmed_by_the_published_numbers_themselves(as_published, published_seconds):
    """Our checks agree with what the article concludes from its own numbers."""
    verdicts = check_claims(as_published, seconds=published_seconds)
    assert len(verdicts) == len(CLAIMS)
    for claim, verdict in verdicts:
        assert verdict.held is True, claim.text
        assert verdict.ours == verdict.published


def test_runtime_is_judged_by_ratios(published_seconds):
    slow = published_seconds.assign(ours=[1.0, 3.0, 3.0, 9.0, 9.0, 3.0, 3.0, 4.0])
    held = {claim.text: verdict for claim, verdict in check_claims([], seconds=slow)}
    text = "DS takes about 1.5 to 2 times as long as VOTE and SWIN at {} epochs"
    text += " (accepted: 1.25 to 2.5)"
    assert held[text.format(10)].held is False
    assert held[text.format(10)].ours == "3.00 and 3.00"
    assert held[text.format(50)].held is True
    assert held["UCS takes the least time at 10 epochs"].held is True
    assert held["UCS takes the least time at 50 epochs"].held is False
    missing = check_claims([], seconds=slow[slow["system"] != "DS"])
    assert all(verdict.held is None for _, verdict in missing)


def changed(table, **marks):
    """Return a table whose systems have one mark more, by a run that is far better or worse."""
    runs = table.runs.copy()
    for system, (dataset, difference) in marks.items():
        reference = TABLES[table.name].reference_of(system)
        runs.loc[dataset, system] = runs.loc[dataset][reference].to_numpy() + difference
    return Measured(table.name, table.split, runs, table.published, table.published_marks)


def verdict_on(measured, beginning):
    """Return the verdict on the only claim that begins like this."""
    found = [
        verdict for claim, verdict in check_claims(measured) if claim.text.startswith(beginning)
    ]
    assert len(found) == 1
    return found[0]


def test_claims_about_marks_fail_by_a_single_data_set(as_published):
    tables = {(table.name, table.split): table for table in as_published}
    larger = tables["large_10", "test"], tables["large_50", "test"]
    claim = "No system is significantly better than DS"
    assert verdict_on(larger, claim).held is True
    better = changed(larger[0], SWIN=("phi", 1.0))
    verdict = verdict_on([better, larger[1]], claim)
    assert (verdict.held, verdict.ours) == (False, "SWIN on phi at 10 epochs")

    claim = '"I don\'t know" is significantly greater on test data on can'
    ignorance = tables["idk_50", "both"]
    assert verdict_on([ignorance], claim).ours == "7: can, hrt, hpt, hcl, lnd, pha, wpb"
    assert verdict_on([changed(ignorance, Test=("lnd", -0.1))], claim).held is False
    claim = '"I don\'t know" is significantly smaller on test data'
    pair = [tables["idk_10", "both"], ignorance]
    assert verdict_on(pair, claim).held is True
    assert verdict_on([pair[0], changed(ignorance, Test=("irs", -0.1))], claim).held is False

    claim = "DS has the lowest macro F1"
    scores = [tables[f"f1_{epochs}", split] for epochs in (10, 50) for split in SPLITS]
    assert verdict_on(scores, claim).ours == "smk at 10, tit at 10"
    assert verdict_on(scores[:3], claim).held is None
    lowest = scores[3].runs.copy()
    lowest.loc["yst", "DS"] = 1.0
    lost = Measured("f1_50", "test", lowest, scores[3].published)
    assert verdict_on([*scores[:3], lost], claim).ours == "smk at 10, tit at 10, yst at 50"
    assert verdict_on([*scores[:3], lost], claim).held is False


def test_five_runs_are_too_few_for_claims_about_marks(as_published):
    table = next(table for table in as_published if (table.name, table.split) == ("f1_50", "train"))
    claim = "UCS is significantly better than DS in training macro F1 on more"
    assert verdict_on([table], claim).ours == "better on 16, worse on 10"
    few = table.runs[table.runs.index.get_level_values("seed") < 5]
    part = Measured("f1_50", "train", few, table.published, table.published_marks)
    assert verdict_on([part], claim).held is None


def test_claims_that_do_not_hold_are_refuted():
    published = published_of("f1_10", "test")
    turned = published.rename(columns={"DS": "UCS", "UCS": "DS"})[list(published.columns)]
    runs = pd.concat({0: turned}, names=["seed"]).swaplevel()
    verdicts = dict(check_claims([Measured("f1_10", "test", runs, published)]))
    known = {claim.text: v.held for claim, v in verdicts.items() if v.held is not None}
    assert known["DS ranks first in test macro F1 at 10 epochs"] is False
    assert known["UCS ranks last in test macro F1 at 10 epochs"] is False
    assert len(known) == 5


# Figures


def test_critical_difference_diagrams_join_what_does_not_differ(store):
    figure = critical_difference(collect(store, "acc_10")[1])
    texts = " ".join(text.get_text() for text in figure.axes[0].texts)
    assert all(system in texts for system in ("UCS", "VOTE", "SWIN", "DS"))
    assert critical_difference(collect(store, "acc_10", ["irs", "wne"])[0]) is None


def test_figures_of_the_article(tmp_path):
    figure = decision_boundaries(runs=2, resolution=20)
    assert [axes.get_title().split(":")[0] for axes in figure.axes] == ["UCS", "VOTE", "SWIN", "DS"]
    figure.savefig(tmp_path / "figure4.png")
    for worst in (False, True):
        figure = belief_landscapes(worst=worst, runs=3, resolution=20)
        decision, first, second, ignorance = (
            axes.images[0].get_array() for axes in figure.axes[:4]
        )
        assert set(np.unique(decision)) <= {0, 1}
        np.testing.assert_allclose(first + second + ignorance, 1, atol=1e-9)
        figure.savefig(tmp_path / f"{worst}.png")


def test_a_report_shows_its_figures(store, tmp_path, monkeypatch):
    def draw(folder, measured, problems):
        assert measured
        assert problems == []
        return [folder / "figure4.png"]

    monkeypatch.setattr("fuzzyucs.experiment.report.write_figures", draw)
    write_report(store, tmp_path, ["acc_10"])
    assert "](figures/figure4.png)" in (tmp_path / "report.md").read_text()
    assert 'src="figures/figure4.png"' in (tmp_path / "report.html").read_text()
    assert "{figures/figure4.png}" in (tmp_path / "report.tex").read_text()


# The command


def test_reproduce_embedded_works_offline(tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("FUZZYUCS_DATA", raising=False)
    arguments = ["reproduce", "--embedded", "--only", "f1_10,ruleset_size_10", "--runs", "2"]
    arguments += ["--output", str(tmp_path), "--jobs", "1", "--systems", "fuzzyucs,ucs"]
    arguments += ["--no-figures"]
    assert main(arguments) == 0
    out, err = capsys.readouterr()
    assert "12 of 12 runs done" in err
    assert str(tmp_path / "report.md") in out
    page = (tmp_path / "report.md").read_text()
    assert "| irs |" in page
    assert re.search(
        r"^12 training runs, [\d-]{10}\. Reported with fuzzyucs [\d.]+, numpy", page, re.M
    )
    assert "DS ranks first in test macro F1 at 10 epochs" in page
    heading = "Table 3: Macro F1 after 10 epochs, test data (2 runs)"
    assert f">{heading}</h3>" in (tmp_path / "report.html").read_text()
    assert f"### {heading}" in page
    assert rf"\subsection{{{heading}}}" in (tmp_path / "report.tex").read_text()
    assert set(pd.read_csv(tmp_path / "report.csv")["table"]) == {"f1_10", "ruleset_size_10"}
    assert main(arguments) == 0  # nothing is done twice
    assert "runs done" not in capsys.readouterr().err


def test_data_that_are_not_there_become_failures_that_say_so(tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("FUZZYUCS_DATA", raising=False)
    arguments = ["reproduce", "--only", "acc_10", "--datasets", "irs,bnk", "--runs", "1"]
    arguments += ["--systems", "ucs", "--jobs", "1", "--no-figures"]
    assert main([*arguments, "--output", str(tmp_path)]) == 1
    out = capsys.readouterr().out
    assert "failed: ucs on bnk, run 0: FileNotFoundError: data set 'bnk' (banknote.csv)" in out
    page = (tmp_path / "report.md").read_text()
    assert "| irs |" in page
    row = next(line for line in page.splitlines() if line.startswith("| ucs |"))
    assert re.match(r"\| ucs \| [\d.]+ \| 1 \| 1 \| FileNotFoundError: data set 'bnk'", row)


def test_tables_can_be_chosen_by_their_number_in_the_article():
    assert choose_tables(["table3"], None) == ["f1_10"]
    assert choose_tables(["table6", "idk_5"], 5) == ["idk_5", "exact_idk_5"]
    assert choose_tables(["table5"], None) == ["acc_10", "acc_50"]  # whose runtime it is about
    everything = choose_tables(None, None)
    assert everything == list(TABLES)
    # The article's tables without results: properties of data sets, and parameters.
    numbers = {table.number for table in TABLES.values()} | {5}
    assert set(range(1, 22)) - numbers == {1, 2, 11, 14}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--only", "f1_11"], "tables must be among f1_10"),
        (["--datasets", "iris"], "datasets must be among"),
        (["--systems", "abacus"], "systems must be among fuzzyucs"),
        (["--only", "f1_10", "--epochs", "50"], "none of these tables is about 50 epochs"),
        (["--only", "f1_10", "--systems", "random_forest"], "nothing to do"),
    ],
)
def test_wrong_names_are_told(arguments, message, tmp_path, capsys):
    assert main(["reproduce", *arguments, "--output", str(tmp_path / "new")]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


def test_output_and_jobs_are_checked_before_anything_is_done(tmp_path, capsys):
    file = tmp_path / "file"
    file.write_text("mine")
    assert main(["reproduce", "--embedded", "--output", str(file)]) == 2
    assert "--output must name a folder" in capsys.readouterr().err
    assert file.read_text() == "mine"
    assert main(["reproduce", "--embedded", "--jobs", "0", "--output", str(tmp_path / "new")]) == 2
    assert "--jobs must be a number of processes" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


def test_a_wrong_number_is_refused(capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["reproduce", "--runs", "0"])
    assert "must be at least 1" in capsys.readouterr().err


def test_tables_and_systems_can_be_listed(capsys):
    assert main(["reproduce", "--list"]) == 0
    out = capsys.readouterr().out
    assert "f1_10 " in out
    assert "random_forest" in out


def test_without_the_extra_the_command_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setattr(fuzzyucs, "experiment", fuzzyucs.experiment)  # to have it back afterwards
    for name in [n for n in sys.modules if n.startswith("fuzzyucs.experiment")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "scikit_posthocs", None)
    assert main(["reproduce", "--list"]) == 2
    assert "pip install matplotlib pandas rich scikit-posthocs" in capsys.readouterr().err
