"""Rules as tables in several formats, in which no name does harm."""

import csv
import html
import io
import json
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from fuzzyucs.rules import WeightedRuleSet
from fuzzyucs.rules.tables import TextTable, one_line
from rule_models import (
    NAMES,
    X,
    Y,
    written,
)

NASTY = ["<script>alert(1)</script>", "a|b", "50% & more_", "two\nlines"]


class Cells(HTMLParser):
    """What a browser would show in each cell, and every tag."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.tags, self.caption, self.inside = [], set(), "", None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        assert {name for name, _ in attrs} <= {"class", "style"}
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        if tag != "span":  # a mark in the colour of a class
            self.inside = tag

    def handle_data(self, data):
        if self.inside in ("td", "th"):
            self.rows[-1][-1] += data
        elif self.inside == "caption":
            self.caption += data

    def handle_endtag(self, tag):
        if tag != "span":
            self.inside = None


def from_markdown(cell):
    return re.sub(r"\\(.)|&#?\w+;", lambda found: found[1] or html.unescape(found[0]), cell)


def markdown_cells(text):
    rows = [line[2:-2].split(" | ") for line in text.splitlines() if line.startswith("|")]
    return [[from_markdown(cell) for cell in row] for row in rows]


LATEX_NAMES = {
    r"\textbackslash{}": "\\",
    r"\textasciitilde{}": "~",
    r"\textasciicircum{}": "^",
    r"\textbar{}": "|",
    r"\textless{}": "<",
    r"\textgreater{}": ">",
    r"\symbol{34}": '"',
    r"$\leq$": "<=",
    r"$\geq$": ">=",
}


def from_latex(cell):
    """Read LaTeX back, token by token; anything that is special and not escaped fails."""
    result = ""
    while cell:
        named = [name for name in LATEX_NAMES if cell.startswith(name)]
        if named:
            token, meaning = named[0], LATEX_NAMES[named[0]]
        elif cell[0] == "\\":
            assert cell[1] in "&%$#_{}"
            token, meaning = cell[:2], cell[1]
        elif cell[0] == "{":
            assert cell[:3] in ("{[}", "{]}", "{*}")
            token, meaning = cell[:3], cell[1]
        else:
            assert cell[0] not in '&%$#_{}~^|<>"[]*\n', cell
            token = meaning = cell[0]
        result += meaning
        cell = cell[len(token) :]
    return result


def latex_cells(text):
    body = text.split("\\toprule\n")[1].split("\n\\bottomrule")[0]
    rows = [line.removesuffix(r" \\") for line in body.splitlines() if line != r"\midrule"]
    return [[from_latex(c) for c in row.split(" & ")] for row in rows if "multicolumn" not in row]


@settings(max_examples=200)
@given(st.lists(st.lists(st.text(), min_size=3, max_size=3), max_size=3))
def test_no_text_breaks_a_table(rows):
    # Two cells are told apart by a bar or an ampersand between spaces, or by tags.
    table = TextTable(["if", "then", "x"], rows)
    shown = [[one_line(cell) for cell in row] for row in [table.header, *rows]]
    assert Cells(table.to_html()).rows == shown
    assert Cells(table.to_html()).tags == {"table", "thead", "tbody", "tr", "th"} | (
        {"td"} if rows else set()
    )
    markdown = markdown_cells(table.to_markdown().replace("\u2028", " "))
    tidy = [[" ".join(cell.split()) for cell in row] for row in markdown]
    assert tidy[:1] + tidy[2:] == [[" ".join(cell.split()) for cell in row] for row in shown]
    assert latex_cells(table.to_latex()) == shown


def nasty_rules():
    """Rules whose features, terms and classes have names that could do harm."""
    names, classes = NASTY, np.array(["<b>|no&", "yes_\n%"])
    rules = written(names=names, classes=classes)
    wide = rules.edit(0, {k: [w] for k, w in enumerate(["small", "medium", "medium", "3"])})
    prior = np.log([0.4, 0.6])
    weighted = WeightedRuleSet.of(
        wide.variables,
        classes,
        wide.conditions,
        strength=np.ones(4),
        evidence=np.arange(4.0, 0.0, -1.0),
        class_experience=wide.class_experience,
        prior=prior,
        doubt=2.0,
    )
    return [wide, weighted]


def test_numbers_stand_at_the_right(rules):
    """In HTML as in Markdown, whose second line says so."""
    ways = rules.to_markdown().splitlines()[1].strip("| ").split(" | ")
    cells = re.findall(r'<t([hd]) style="text-align: (\w+)[^>]*>(.*?)</t\1>', rules.to_html(), re.S)
    assert len(cells) == (len(rules) + 1) * len(ways)
    assert {"left", "right"} == {way for _, way, _ in cells}
    for i, (tag, way, text) in enumerate(cells):
        assert (way == "right") == ways[i % len(ways)].endswith(":")
        is_number = re.fullmatch(r"[\d.,%\s-]+", text)
        assert tag == "h" or (way == "right") == bool(is_number), text


@pytest.mark.parametrize("rules", nasty_rules(), ids=["evolved", "weighted"])
@pytest.mark.parametrize("style", [None, "terms", "plain"])
def test_names_do_no_harm(rules, style):
    expected = [
        [one_line(rules.condition(k, style)), one_line(str(rules.classes[rules.consequent[k]]))]
        for k in range(len(rules))
    ]
    page = Cells(rules.to_html(style))
    assert "script" not in page.tags
    assert [row[:2] for row in page.rows[1:]] == expected
    assert [row[:2] for row in latex_cells(rules.to_latex(style))[1:]] == expected
    cells = markdown_cells(rules.to_markdown(style))
    assert [row[:2] for row in cells[2:]] == expected
    assert {len(row) for row in cells} == {5}
    assert "<script" not in rules.to_markdown(style) + rules._repr_html_()
    note = [f"Without evidence: {rules.classes[0]} 0.40"] if hasattr(rules, "prior") else []
    lines = rules.to_text(style).splitlines()
    assert len(lines) == len(rules) + len(note)
    assert all(name.replace("\n", " ") in lines[0] for name in NASTY)
    if note:
        assert page.caption.startswith(note[0])
        assert note[0] in lines[-1]
        assert r"\multicolumn{5}{l}{Without evidence: \textless{}b" in rules.to_latex()
        assert rules.to_markdown().splitlines()[-1].startswith("Without evidence: &lt;b&gt;")


@pytest.mark.parametrize("rules", nasty_rules(), ids=["evolved", "weighted"])
def test_csv_and_json_come_back_whole(rules, tmp_path):
    frame = rules.to_frame()
    text = rules.to_csv()
    header, *rows = csv.reader(io.StringIO(text, newline=""))
    assert header == list(frame.columns)
    assert len(rows) == len(rules)
    for k, row in enumerate(rows):
        assert row[0] == rules.condition(k)
        assert row[1] == rules.classes[rules.consequent[k]]
        assert list(map(float, row[2:])) == frame.iloc[k, 2:].astype(float).tolist()
    assert rules.to_csv(tmp_path / "rules.csv") is None
    assert (tmp_path / "rules.csv").read_bytes() == text.encode()
    pd.testing.assert_frame_equal(pd.read_csv(io.StringIO(text)), frame, check_dtype=False)
    document = json.loads(rules.to_json())
    assert [feature["name"] for feature in document["features"]] == NASTY
    assert document["classes"] == rules.classes.tolist()


def test_every_kind_can_be_passed_on(rules):
    for text in (rules.to_markdown(), rules.to_html(), rules.to_latex(), rules.to_csv()):
        assert text.count("\n") >= len(rules)
    assert [row[0] for row in Cells(rules.to_html()).rows[1:]] == [
        rules.condition(k) for k in range(len(rules))
    ]


def test_a_notebook_shows_the_first_rules(models):
    rules = models["fuzzy"].rules_
    assert len(Cells(rules._repr_html_()).rows) == 21
    assert rules._repr_html_().endswith(f"<p>and {len(rules) - 20} more rules</p>")
    assert rules[:21]._repr_html_().endswith("<p>and 1 more rule</p>")
    assert rules[:20]._repr_html_() == rules[:20].to_html()


def test_styles_of_words(models):
    rules = written()
    assert rules.to_text(style="terms") == rules.to_text()
    assert rules.to_text(style="plain").splitlines()[:2] == [
        "IF size is at most medium (<= 4) THEN yes (weight 0.75, experience 40, numerosity 2)",
        "IF size is large (>= 4) AND age is medium (4 to 5) AND colour is 1 THEN no "
        "(weight 1.00, experience 20, numerosity 1)",
    ]
    assert "constant is medium THEN" in rules.to_text(style="plain")
    weighted = models["weighted"].weighted_rules_
    assert weighted.to_text(style="plain") == weighted.to_text()
    assert "{" in weighted.to_text(style="terms")
    intervals = models["ucs"].rules_
    assert intervals.to_text(style="plain") == intervals.to_text(style="terms")
    for tell in (rules.to_text, rules.to_html, rules.to_latex, rules.to_markdown):
        with pytest.raises(ValueError, match="style must be one of"):
            tell(style="poetic")


def test_no_rules_at_all(clf, rules):
    none = rules[:0]
    assert len(none.sort("conditions")) == len(none.filter(feature="size", text="x")) == 0
    assert len(none.merge()) == len(none.assess(X, Y)) == len(none.quality(X, Y)) == 0
    assert len(none.drop([])) == 0
    assert_array_equal(none.importance(), 0)
    assert_array_equal(none.importance(pairs=True), 0)
    assert none.summary() == "No rules"
    assert len(Cells(none.to_html()).rows) == len(latex_cells(none.to_latex())) == 1
    assert len(none.to_markdown().splitlines()) >= 2
    assert none.to_csv().count("\n") == 1
    assert clf.with_rules(none).predict(X).shape == (150,)
    with pytest.raises(IndexError, match="of the 0 rules"):
        none.edit(0, {"size": None})


def test_a_rule_without_conditions(rules):
    rule = rules[0].edit(0, dict.fromkeys(NAMES)).assess(X, Y)
    assert rule.condition(0) == "anything"
    assert_allclose(rule.class_experience[0], [(c == Y).sum() for c in rules.classes])
    assert rule.quality(X, Y)["coverage"][0] == 1
    assert_array_equal(rule.importance(), 0)
    assert "anything" in rule.to_html()


# Deciding by edited rules
