"""Tables of a report look like the article's, in every format."""

import re
import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest

from browser import browser
from fuzzyucs.experiment.content import Chapter, Content, slug
from fuzzyucs.experiment.html_report import render_html
from fuzzyucs.experiment.latex_report import render_latex
from fuzzyucs.experiment.layout import Cell, Grid, Row, plain_grid, print_table, show
from fuzzyucs.experiment.markdown_report import render_markdown
from fuzzyucs.experiment.measured import Measured, collect
from fuzzyucs.experiment.outcome import Answer, Outcome
from fuzzyucs.experiment.properties import count_properties, print_datasets, print_hyperparameters
from fuzzyucs.experiment.report import write_report
from fuzzyucs.experiment.store import Store
from fuzzyucs.experiment.systems import SYSTEMS
from fuzzyucs.experiment.tables import TABLES, VARIANTS, jobs_of, marks_of, published_of

SPLITS = ("train", "test")

# As printed below the article's tables: ranks with arrows and daggers, and numbers of marks.
PRINTED = {
    ("f1_10", "train"): ("2.93↓† 2.77↓†† 2.40↓ 1.90", "6/17/7 2/22/6 8/13/9 -"),
    ("f1_10", "test"): ("3.20↓†† 2.32↓†† 2.63↓†† 1.85", "4/15/11 2/7/21 4/10/16 -"),
    ("f1_50", "train"): ("2.10↓ 2.90↓†† 2.97↓†† 2.03", "16/10/4 1/20/9 5/19/6 -"),
    ("f1_50", "test"): ("2.50↓ 2.47↓† 3.07↓†† 1.97", "6/10/14 2/6/22 1/12/17 -"),
    ("idk_5", "both"): ("1.33 1.67↓†", "- 2/4/24"),
    ("idk_10", "both"): ("1.42 1.58↓", "- 0/6/24"),
    ("idk_50", "both"): ("1.47 1.53↓", "- 0/7/23"),
    ("fitness_range", "train"): (
        "1.32 1.68↓ 1.35 1.65↓† 1.17 1.83↓†",
        "- 6/17/7 - 4/14/12 - 3/20/7",
    ),
    ("acc_50", "test"): ("2.72↓†† 2.50↓†† 2.93↓†† 1.85", "4/11/15 0/8/22 1/12/17 -"),
    ("artificial_50", "train"): ("1.00↑ 3.67↓ 2.67 2.67", "3/0/0 0/2/1 1/1/1 -"),
    ("large_50", "test"): ("4.00↓ 2.50↓ 2.50↓ 1.00", "0/4/0 0/2/2 0/1/3 -"),
    ("exstracs_50", "test"): (
        "1.98↑†† 3.55↓†† 3.22↓†† 3.70↓†† 2.55",
        "12/3/15 4/11/15 1/8/21 1/11/18 -",
    ),
    ("ruleset_size_10", "model"): ("2.27↓ 1.93↓ 1.80", "12/18/0 10/13/7 -"),
    ("ruleset_size_50", "model"): ("2.38↓†† 1.93↓†† 1.68", "8/19/3 7/15/8 -"),
    ("sota_50", "test"): (
        "1.63↑†† 2.77↑†† 4.42↓†† 4.07↓†† 4.70↓†† 3.42",
        "19/0/11 18/1/11 4/11/15 1/8/21 1/11/18 -",
    ),
}
# Shades of some rows, as printed: best (g), worst (p), neither (.).
SHADED = {
    ("f1_10", "train", "bnk"): "p.g.",
    ("f1_10", "train", "Rank"): "p..g",
    ("f1_10", "test", "smk"): "g..p",
    ("artificial_50", "test", "Rank"): "gpp.",
    ("ruleset_size_10", "model", "car"): ".gp",
    ("ruleset_size_50", "model", "tit"): "gpg",
    ("idk_10", "both", "smk"): "gg",
    ("idk_10", "both", "can"): "g.",
    ("fitness_range", "train", "can"): "gg.gg.",
    ("fitness_range", "train", "Rank"): "g.g.g.",
}


def article(name, split):
    """Print a table of the article."""
    published, marks = published_of(name, split), marks_of(name, split)
    runs = pd.concat({0: published}, names=["seed"]).swaplevel()
    runs.index = runs.index.set_names(["dataset", "seed"])
    return print_table([Measured(name, split, runs, published, marks)])


def row_of(grid, label):
    """Return the cells of a row that are the article's."""
    n_columns = len(grid.groups[0][1])
    return {row.label: row.cells for row in [*grid.rows, *grid.footer]}[label][:n_columns]


@pytest.mark.parametrize("key", PRINTED, ids=" ".join)
def test_the_article_is_printed_as_it_is(key):
    grid = article(*key)
    assert grid.groups[0][0] == "the article"
    ranks, counts = PRINTED[key]
    assert [cell.text + cell.mark for cell in row_of(grid, "Rank")] == ranks.split()
    assert [cell.text or "-" for cell in row_of(grid, "+/-/~")] == counts.split()


@pytest.mark.parametrize("key", SHADED, ids=" ".join)
def test_the_best_and_the_worst_are_shaded(key):
    name, split, label = key
    shades = {"best": "g", "worst": "p", "": "."}
    found = "".join(shades[cell.shade] for cell in row_of(article(name, split), label))
    assert found == SHADED[key]


def test_p_values_are_printed_where_there_are_enough_data_sets():
    labels = [row.label for row in article("f1_10", "test").footer]
    assert labels == ["Rank", "Position", "+/-/~", "p", "p, Holm", "p, Friedman"]
    friedman = row_of(article("f1_10", "test"), "p, Friedman")
    assert [cell.text for cell in friedman] == ["0.000582", "", "", ""]
    assert [row.label for row in article("large_50", "test").footer] == labels[:3]
    # Of pairs, there is nothing to correct, and nothing to rank but two.
    assert [row.label for row in article("fitness_range", "test").footer] == labels[:4]
    assert [cell.text for cell in row_of(article("idk_5", "both"), "p")] == ["", "0.0285"]
    assert article("complexity_nodes", "model").footer == []


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("f1_10", 100.0, "100.00"),
        ("ruleset_size_10", 47.866, "47.87"),
        ("ruleset_size_10", 1335.2, "1335"),
        ("idk_5", 0.80172, "0.8017"),
        ("idk_5", 0.0007407, "0.0007407"),
        ("idk_5", 0.0, "0"),
        ("complexity_depth", 8.23, "8.2"),
    ],
)
def test_values_have_the_digits_of_the_article(name, value, text):
    assert show(name, value) == text


def test_far_values_are_marked():
    published = published_of("acc_10", "test")
    noise = [-0.3, 0.3, -0.2, 0.2]
    runs = pd.concat({seed: published + noise[seed] for seed in range(4)}, names=["seed"])
    runs = runs.swaplevel().rename_axis(["dataset", "seed"])
    runs.loc["irs", "DS"] = runs.loc["irs"]["DS"].to_numpy() - 1.6
    runs.loc["wne", "DS"] = runs.loc["wne"]["DS"].to_numpy() - 1.4  # many errors, but a small gap
    table = Measured("acc_10", "test", runs, published)
    assert table.far.to_numpy().sum() == 1
    cells = {row.label: row.cells for row in print_table([table]).rows}
    assert cells["irs"][-1].far
    assert cells["irs"][-1].note.startswith("4 runs, -1.6 from the article (-")
    assert not cells["wne"][-1].far


# Two sets of runs


@pytest.fixture(scope="module")
def two_sets(tmp_path_factory):
    """A store in which the article's program is right on all rows, and others on most."""
    rng = np.random.default_rng(0)
    truth = np.arange(40) % 3
    names = ["f1_10", "acc_10", "idk_10", "sota_50", "others_50", "ruleset_size_10"]
    with Store(tmp_path_factory.mktemp("two") / "results.sqlite") as store:
        for job in jobs_of(names, ["irs", "wne", "can"], 7, list(VARIANTS)):
            is_program = dict(job.settings).get("as_published", False)
            outcome = Outcome(sizes={"macro_rules": 100 + job.seed}, seconds=1.0)
            for name in SYSTEMS[job.system].answers:
                for split in SPLITS:
                    wrong = (rng.random(40) < 0.2) & (not is_program)
                    labels = np.where(wrong, (truth + 1) % 3, truth)
                    evidence = (np.eye(3)[labels], np.full(40, 0.1), -np.ones(40))
                    outcome.answers[name, split] = Answer(labels, *evidence, seconds=0.5)
            store.add(job, outcome, dict.fromkeys(SPLITS, truth), "1.0")
        yield store


def test_both_sets_of_runs_stand_side_by_side(two_sets, tmp_path):
    paths, problems = write_report(two_sets, tmp_path, figures=False)
    assert problems == []
    assert {path.suffix for path in paths} == {".md", ".html", ".tex", ".csv"}
    page = (tmp_path / "report.md").read_text()
    table = page.split("### Table 9: Accuracy after 10 epochs, test data (7 runs)")[1]
    header, _, first = table.strip().splitlines()[:3]
    assert header.count("the article<br>") == 4
    assert header.count("as the article says<br>") == 4
    assert header.count("as the article's program<br>") == 4
    assert first.startswith("| can |")
    assert re.findall(r"100\.00", first) == ["100.00"] * 4
    ours = page.split("beside systems that are not in the article, test data")[2]
    assert "program" not in ours.split("###")[0]
    numbers = pd.read_csv(tmp_path / "report.csv").query("table == 'acc_10' and split == 'test'")
    assert numbers.query("variant == 'program'")["mean"].eq(100).all()
    assert numbers.query("variant == 'said'")["mean"].lt(100).all()
    claims = page.split("### What the article claims")[1].split("###")[0]
    assert "as the article's program<br>held" in claims
    short = page.split("## In short")[1].split("##")[0]
    assert "- Runs as the article says: " in short
    assert "- Runs as the article's program: " in short
    assert "as the article's program" in page.split("### Table 5")[1].split("###")[0]


def test_the_second_set_is_run_when_it_is_asked_for():
    said, both = (list(jobs_of(["acc_10"], ["irs"], 1, way)) for way in (["said"], list(VARIANTS)))
    assert len(said) == 2
    assert both[:2] == said
    assert [dict(job.settings) for job in both[2:]] == [{"as_published": True, "epochs": 10}] * 2
    trees = list(jobs_of(["sota_50"], ["irs"], 1, list(VARIANTS)))
    assert sum(job.system == "random_forest" for job in trees) == 1


def test_one_set_alone_gives_a_report(two_sets, tmp_path):
    with Store(tmp_path / "one.sqlite") as store:
        for job, sizes, seconds in two_sets.jobs():
            if dict(job.settings).get("as_published"):
                answers = {
                    (name, split): two_sets.answer(job, name, split)
                    for name in SYSTEMS[job.system].answers
                    for split in SPLITS
                }
                truth = {split: two_sets.truth(job.dataset, job.seed, split) for split in SPLITS}
                store.add(job, Outcome(answers, sizes, seconds), truth)
        assert collect(store, "acc_10") == []
        report = write_report(store, tmp_path, ["acc_10"], figures=False)
    assert report.problems == []
    page = (tmp_path / "report.md").read_text()
    assert "| acc_10 | the whole table: no run of it in the store |" in page
    assert "as the article says<br>UCS" not in page
    assert "as the article's program<br>UCS" in page


# Tables without results


def test_properties_are_counted():
    assert count_properties("irs") == {
        "instances": 150,
        "features": 4,
        "classes": 3,
        "missing": 0,
        "majority": pytest.approx(100 / 3),
        "minority": pytest.approx(100 / 3),
    }


def test_data_that_are_not_what_the_article_states_are_marked(tmp_path):
    (tmp_path / "sonar.csv").write_text("?,1,0\n2,1,1\n3,1,1\n")
    grid = print_datasets(14, str(tmp_path), ["con", "lib"])
    con, lib = grid.rows
    assert [cell.text for cell in con.cells[1:7]] == ["208", "60", "2", "0.00", "53.37", "46.63"]
    assert [cell.text for cell in con.cells[7:]] == ["3", "2", "2", "16.67", "66.67", "33.33"]
    assert [cell.far for cell in con.cells[7:]] == [True, True, False, True, True, True]
    assert [cell.text for cell in lib.cells[7:]] == [""] * 6  # not at hand
    assert not any(cell.far for cell in lib.cells)


def test_all_tables_of_data_sets_are_there():
    assert [len(print_datasets(number).rows) for number in (1, 11, 14)] == [30, 3, 4]


def test_our_defaults_are_the_hyperparameters_of_the_article():
    grid = print_hyperparameters()
    assert len(grid.rows) == 18
    assert not any(cell.far for row in grid.rows for cell in row.cells)


# Formats

UGLY = 'a | b & 50 % of "x_1" <i> {c} # $5 ~ ^ \\ é ↓ *d*'


@pytest.fixture(scope="module")
def content():
    rows = [
        Row("b", [Cell("9.50", "-", "worst"), Cell("x")]),
        Row("a", [Cell("10.25", "+", "best", far=True, note="3 runs"), Cell(UGLY)]),
        Row("c", [Cell("no run"), Cell("")]),
    ]
    footer = [Row("Rank", [Cell("1.00", "↓††"), Cell("")])]
    grid = Grid("Table 1: Both", "data", [("the article", ["UCS"]), ("", ["text"])], rows, footer)
    plain = plain_grid("Notes", pd.DataFrame({"note": [UGLY]}, pd.Index([UGLY], name="part")))
    return Content("2 runs.", [Chapter("In short", [UGLY]), Chapter("Tables", [], [grid, plain])])


def test_markdown_keeps_the_shape_of_tables(content):
    page = render_markdown(content)
    for title in ("In short", "Table 1: Both", "Notes"):
        assert f"(#{slug(title)})" in page
    assert "| b | *9.50* - | x |" in page
    assert "| a | **10.25** + ≠ | a \\| b" in page
    rows = [line for line in page.splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {3, 4}


def test_html_is_escaped_and_sorted_by_columns(content, tmp_path):
    page = tmp_path / "report.html"
    page.write_text(render_html(content), encoding="utf-8")
    with browser() as chromium:
        tab = chromium.new_page()
        errors = []
        tab.on("pageerror", lambda error: errors.append(str(error)))
        tab.goto(page.as_uri())
        table = tab.locator("table").first

        def column(index):
            cells = table.locator(f"tbody tr > :nth-child({index + 1})").all()
            return [cell.inner_text() for cell in cells]

        heading = table.locator("thead tr").last.locator("th")
        assert UGLY in tab.content() or UGLY in column(2)
        assert column(0) == ["b", "a", "c"]
        heading.nth(1).locator("button").click()
        assert column(0) == ["b", "a", "c"]  # 9.5 before 10.25: by number, not by text
        heading.nth(1).locator("button").click()
        assert heading.nth(1).get_attribute("aria-sort") == "descending"
        assert column(0) == ["c", "a", "b"]
        heading.nth(0).locator("button").press("Enter")
        assert column(0) == ["a", "b", "c"]
        assert table.locator("tfoot tr").inner_text().startswith("Rank")
        assert tab.locator("td[title='3 runs'].best").count() == 1
        assert errors == []


def test_every_table_fits_a_page_of_1200_pixels(tmp_path):
    """Even with both sets of runs, and every value marked."""
    groups: dict[str, list[Measured]] = {}
    for name, table in TABLES.items():
        for split in table.splits:
            published, marks = published_of(name, split), marks_of(name, split)
            if published is None:
                continue
            runs = pd.concat({0: published - 10, 1: published - 10.01}, names=["seed"])
            runs = runs.swaplevel().rename_axis(["dataset", "seed"])
            groups[f"{name} {split}"] = [
                Measured(name, split, runs, published, marks, variant) for variant in VARIANTS
            ]
    grids = [print_table(parts) for parts in groups.values()]
    grids += [print_datasets(1), print_datasets(14), print_hyperparameters()]
    page = tmp_path / "report.html"
    page.write_text(render_html(Content("", [Chapter("Results", [], grids)])), encoding="utf-8")
    with browser() as chromium:
        tab = chromium.new_page(viewport={"width": 1200, "height": 900})
        tab.goto(page.as_uri())
        wide = "[...document.querySelectorAll('.wide')].filter(d => d.scrollWidth > d.clientWidth)"
        assert tab.evaluate(f"{wide}.map(d => d.previousElementSibling.textContent)") == []
        assert tab.evaluate("document.documentElement.scrollWidth") == 1200


def test_latex_compiles_by_itself(content, tmp_path):
    if shutil.which("pdflatex") is None:
        pytest.skip("needs pdflatex: apt-get install texlive-latex-recommended")
    (tmp_path / "report.tex").write_text(render_latex(content), encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "report.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "report.pdf").stat().st_size > 10_000


def test_latex_has_balanced_braces_and_known_characters(content):
    page = render_latex(content)
    plain = re.sub(r"\\[{}]", "", page.replace(r"\\", ""))
    assert plain.count("{") == plain.count("}")
    assert page.isascii()
    assert page.startswith(r"\documentclass")
    assert page.rstrip().endswith(r"\end{document}")
