"""Lines are wrapped between words, and go on indented."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_wine

from fuzzyucs import EvidentialRuleClassifier, FuzzyUCSClassifier
from fuzzyucs._util.wrapping import USUAL_WIDTH, Line, n_cells, text_width

FRAME, Y = load_wine(return_X_y=True, as_frame=True)
WORDS = st.lists(st.text("abcß大é(), ", min_size=1, max_size=12), min_size=1, max_size=30)


@given(WORDS, st.integers(1, 60), st.integers(0, 12), st.sampled_from(["", "THEN"]))
def test_no_word_is_cut_or_lost(words, width, hang, mark):
    text = " ".join(" ".join(words).split())
    lines = Line(text, hang, mark).at(width)
    assert [word for line in lines for word in line.split()] == text.split()
    assert all(n_cells(line) <= width or line.strip() in text.split() for line in lines)
    if n_cells(text) <= width:
        assert lines == [text]


@pytest.mark.parametrize("width", range(9, 30))
def test_a_number_and_its_per_cent_sign_stay_together(width):
    lines = Line("ill 20 %, well 75 %; dead 5.5 %").at(width)
    assert not any(line.strip().startswith("%") for line in lines)


@pytest.mark.parametrize("width", [40, 60, 80, 120])
@pytest.mark.parametrize(
    "clf",
    [
        EvidentialRuleClassifier(),
        FuzzyUCSClassifier(epochs=3, random_state=0),
    ],
    ids=["flagship", "evolved"],
)
def test_rules_and_explanations_have_hanging_indents(clf, width):
    clf.fit(FRAME, [f"grape {number}" for number in Y])
    explanation = clf.explain(FRAME.iloc[[70]])
    for wrapped, whole in [
        (clf.rules_.to_text(width=width), clf.rules_.to_text()),
        (explanation.to_text(width=width), explanation.to_text()),
    ]:
        assert wrapped.split() == whole.split()
        assert max(map(len, wrapped.splitlines())) <= width
        assert_indents(wrapped.splitlines(), whole.splitlines())
    ends = [line for line in explanation.to_text(width=width).splitlines() if "THEN" in line]
    assert all(line.strip().startswith("THEN") or "  " in line.strip() for line in ends)


def assert_indents(lines, whole):
    """Assert that a line that goes on does so with an indent, and a new one begins as before."""
    starts = {line[:12] for line in whole}
    for line in lines:
        if line[:12] not in starts:
            assert line.startswith("  "), line


def test_amounts_stand_in_a_column_of_their_own():
    clf = EvidentialRuleClassifier().fit(FRAME, Y)
    lines = clf.explain(FRAME.iloc[[70]]).to_text(width=60).splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("For ")) + 1
    last = next(i for i, line in enumerate(lines) if line.startswith("  = "))
    assert last - first > 8
    for line in lines[first:last]:
        assert re.match(r"  [ +-]{2,}\d+\.\d{3}  \S| {12}(  )?\S", line), line


def test_printed_explanations_are_as_wide_as_the_terminal(monkeypatch, capsys):
    explanation = EvidentialRuleClassifier().fit(FRAME, Y).explain(FRAME.iloc[[70]])
    print(explanation)
    assert 70 < max(map(len, capsys.readouterr().out.splitlines())) <= USUAL_WIDTH == text_width()
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "50")
    assert 40 < max(map(len, str(explanation).splitlines())) <= 50
    monkeypatch.setenv("COLUMNS", "500")
    assert max(map(len, str(explanation).splitlines())) <= 120  # longer lines are hard to read
