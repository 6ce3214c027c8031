"""A real notebook: progress bars that are redrawn and end full, and short outputs."""

import re

import nbformat
import pytest
from nbclient import NotebookClient

from markup import Elements

CELLS = [
    """
import numpy as np
from sklearn.datasets import load_iris
from fuzzyucs import EvidentialRuleClassifier, FuzzyUCSClassifier

X, y = load_iris(return_X_y=True, as_frame=True)
y = load_iris().target_names[y]
clf = EvidentialRuleClassifier(verbose=1)
clf.fit(X, y)
None
""",
    "FuzzyUCSClassifier(epochs=4, random_state=0, verbose=1).fit(X, y)\nNone",
    "clf.predict_evidence(X)",
    "clf.answer(X)",
    "clf.explain(X.iloc[[70]])",
    "clf.rules_",
    "clf.support_",
    "clf.rules_.variables",
    """
class Broken(EvidentialRuleClassifier):
    def _find_support(self, table):
        raise ValueError("no support")

Broken(verbose=1).fit(X, y)
""",
]


class Recorder(NotebookClient):
    """Runs a notebook, and keeps what is sent to redraw an output."""

    def process_message(self, msg, cell, cell_index):
        if msg["msg_type"] == "update_display_data":
            self.updates.append(msg["content"]["data"])
        return super().process_message(msg, cell, cell_index)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Return the outputs of all cells, and all updates of them."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in CELLS])
    client = Recorder(notebook, timeout=600, allow_errors=True)
    client.updates = []
    with pytest.MonkeyPatch.context() as patch:  # nothing is written to the home folder
        for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
            patch.setenv(name, str(tmp_path_factory.mktemp(name)))
        client.execute()
    return [cell["outputs"] for cell in notebook.cells], client.updates


def shown(outputs):
    """Return the data of the one output of a cell."""
    (output,) = outputs
    return output["data"]


def test_fit_shows_a_bar_for_each_stage_that_ends_full(run):
    data = shown(run[0][0])
    page = Elements.of(data["text/html"])
    labels = [bar["aria-label"] for bar in page.attributes["progressbar"]]
    assert labels == ["Trying sizes", "Trying broad terms", "Growing final rules"]
    assert [bar["aria-valuenow"] for bar in page.attributes["progressbar"]] == ["100"] * 3
    assert len(re.findall(r"100 %\n?.*?[\d.]+ s", page.text, re.DOTALL)) == 3
    assert "left" not in page.text
    lines = data["text/plain"].splitlines()
    assert len(lines) == 3
    assert all(re.fullmatch(r"[\w ]+: 100 %, .*[\d.]+ s", line) for line in lines)


def test_epochs_have_a_bar(run):
    page = Elements.of(shown(run[0][1])["text/html"])
    assert [bar["aria-label"] for bar in page.attributes["progressbar"]] == ["Training"]
    assert "epoch 4 of 4" in page.text


def test_the_bar_moves(run):
    shares = [
        int(bar["aria-valuenow"])
        for update in run[1]
        for bar in Elements.of(update["text/html"]).attributes["progressbar"]
        if bar["aria-label"] == "Training"
    ]
    assert shares == [25, 50, 75, 100, 100]


def test_a_fit_that_fails_does_not_look_finished(run):
    output, error = run[0][-1]
    assert error["output_type"] == "error"
    text = output["data"]["text/plain"].splitlines()
    assert re.fullmatch(r"Growing final rules: 0 %, stopped after [\d.]+ s", text[-1])


@pytest.mark.parametrize("number", range(2, 8))
def test_plain_outputs_are_one_line(run, number):
    text = shown(run[0][number])["text/plain"]
    assert text.startswith("<")
    assert text.endswith(">")
    assert len(text) < 160
    assert "\n" not in text


def test_evidence_is_a_table_of_the_first_rows(run):
    page = Elements.of(shown(run[0][2])["text/html"])
    assert "150 inputs" in page.text
    assert "and 140 more inputs" in page.text
    assert page.text.count("well supported") == 10
    assert shown(run[0][3])["text/html"] == shown(run[0][2])["text/html"]
