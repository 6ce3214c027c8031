"""Names of unknown origin: no output takes them for a control code, markup or a formula."""

import io
import re

import numpy as np
import pandas as pd
import pytest

from browser import browser
from fuzzyucs import EvidentialRuleClassifier
from fuzzyucs._util.escaping import UNSAFE, spreadsheet_text
from fuzzyucs.cli.predictions import FrameWriter
from fuzzyucs.report import report_page

HOSTILE = "a\x1b[31mb\u202ec\u200fd</script><img src=x>\n$x^2$|`"


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({HOSTILE: rng.normal(size=80), "other": rng.normal(size=80)})
    y = np.where(X[HOSTILE] > 0, f"=yes {HOSTILE}", "no")
    return EvidentialRuleClassifier(random_state=0).fit(X, y), X, y


def test_texts_have_no_control_codes(model):
    clf, X, _ = model
    explanation = clf.explain(X[:1])
    for text in (str(explanation), clf.rules_.to_text(), repr(clf.rules_.variables)):
        assert not UNSAFE.findall(text)
        assert r"\x1b[31m" in text
    for text in (explanation.to_html(), clf.rules_.to_html(), clf.answer(X)._repr_html_()):
        assert not UNSAFE.findall(text)
        assert "<img" not in text


def test_cells_are_no_formulas():
    frame = pd.DataFrame({"@a": ["=1+1", "-0.5", "+", "-1+cmd|x", None], "b": [-1.5, 2, 3, 4, 5]})
    file = io.BytesIO()
    FrameWriter(file, "csv").add(frame)
    assert file.getvalue() == b"'@a,b\n'=1+1,-1.5\n-0.5,2\n+,3\n'-1+cmd|x,4\n,5\n"
    texts = ["=a", "'=a", "''=a", "a", "'a"]
    assert len(set(map(spreadsheet_text, texts))) == len(texts)


def test_rules_in_csv_are_no_formulas(model):
    found = pd.read_csv(io.StringIO(model[0].rules_.to_csv()))
    assert {label for label in found["consequent"] if label != "no"} == {f"'=yes {HOSTILE}"}


def test_a_page_runs_its_own_scripts_alone(model, tmp_path):
    page_text = report_page(*model, title=HOSTILE, examples=2)
    (policy,) = re.findall('Content-Security-Policy" content="([^"]*)"', page_text)
    assert "unsafe" not in policy
    assert "base-uri 'none'; form-action 'none'; object-src 'none'" in policy
    path = tmp_path / "page.html"
    path.write_text(page_text, encoding="utf-8")
    with browser() as chromium:
        page = chromium.new_page()
        said = []
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.goto(path.as_uri())
        assert page.locator("#answer").inner_text()
        assert page.evaluate("getComputedStyle(document.querySelector('.skip')).position") != (
            "static"
        )
        assert not said
