"""Progress bars: labelled, never too wide, full at the end and only then."""

import io
import re

import pytest

from fuzzyucs._util.wrapping import n_cells
from fuzzyucs.estimators.progress_views import Stage, bar_line, bars_html
from fuzzyucs.progress import ProgressBar
from markup import Elements


class Terminal(io.StringIO):
    """A terminal of some width."""

    encoding = "utf-8"

    def isatty(self):
        return True

    @property
    def lines(self):
        """What is seen at last."""
        return [line.rpartition("\r")[2].rstrip() for line in self.getvalue().split("\n")]


@pytest.mark.parametrize("width", [10, 40, 60, 80, 200])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.999, 1.0])
@pytest.mark.parametrize("label", ["Training", "Großes 大", "A label that is much too long for it"])
def test_a_bar_is_one_line(width, share, label):
    line = bar_line(Stage(label, share, "epoch 3 of 10, 1,000,000 rules", 5000.0), width)
    assert n_cells(line) <= width
    assert "\n" not in line
    assert share == 1.0 or "100 %" not in line
    assert width < 60 or re.search(r"\d %", line)


def test_the_bar_is_as_long_as_the_share():
    for done in range(101):
        line = bar_line(Stage("Training", done / 100), 200)
        full, empty = line.count("━"), line.count("─")
        assert full + empty == 24
        assert full == int(24 * done / 100 + 1e-9)
        assert f"{done} %" in line


def test_stages_end_full_even_if_they_stop_early(monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    terminal = Terminal()
    with ProgressBar(stream=terminal) as bar:
        bar.begin("Trying sizes")
        bar.show(3, 10, "3 rules")
        bar.begin("Growing final rules")
    first, second, rest = terminal.lines
    assert re.fullmatch(r"Trying sizes +━{24}  100 %  3 rules, [\d.]+ s", first)
    assert re.fullmatch(r"Growing final rules +━{24}  100 %  [\d.]+ s", second)
    assert rest == ""


def test_an_interrupted_stage_says_so(monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    terminal = Terminal()

    def work():
        with ProgressBar(stream=terminal) as bar:
            bar.begin("Trying sizes")
            bar.show(5, 10, "3 rules")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        work()
    line, rest = terminal.lines
    assert re.fullmatch(r"Trying sizes +━{12}─{12}   50 %  3 rules, stopped after [\d.]+ s", line)
    assert rest == ""


def test_a_shorter_line_leaves_nothing_of_a_longer_one(monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    terminal = Terminal()
    with ProgressBar(stream=terminal) as bar:
        bar.begin("Training")
        bar.show(1, 2, "a long text that is rewritten")
        bar.show(2, 2, "short")
    widths = [len(part) for part in terminal.getvalue().partition("\n")[0].split("\r")[1:]]
    assert widths[1] <= widths[2]


def test_parts_move_the_whole_and_are_not_shown_themselves(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "120")
    terminal = Terminal()
    with ProgressBar(stream=terminal) as whole:
        whole.begin("Cross-validation")
        for fold in range(2):
            with whole.part(fold, 2, f"fold {fold + 1} of 2"):
                inner = ProgressBar(n_stages=2)
                with inner as bar:
                    bar.begin("Trying sizes")
                    bar.show(1, 2, "4 rules")
                    bar.begin("Growing final rules")
    shares = [int(share) for share in re.findall(r"(\d+) %", terminal.getvalue())]
    assert shares == sorted(shares)
    assert {12, 25, 50, 62, 75, 100} <= set(shares)
    assert "fold 2 of 2, growing final rules" in terminal.getvalue()
    assert terminal.getvalue().count("\n") == 1
    assert capsys.readouterr().err == ""


def test_files_get_a_line_for_every_tenth():
    stream = io.StringIO()
    with ProgressBar(stream=stream) as bar:
        bar.begin("Training")
        for number in range(1, 101):
            bar.show(number, 100, f"{number} rules")
    lines = stream.getvalue().splitlines()
    assert [int(re.search(r"(\d+) %", line)[1]) for line in lines] == [*range(10, 101, 10)]
    assert re.fullmatch(r"Training: 100 %, 100 rules, [\d.]+ s", lines[-1])


def test_terminals_without_lines_get_plain_letters():
    assert "##" in bar_line(Stage("Training", 0.5), 80, "ascii")
    assert "━" not in bar_line(Stage("Training", 0.5), 80, "latin-1")


def test_html_bars_are_escaped_and_labelled():
    page = Elements.of(bars_html([Stage("<b>", 0.5, "a & b")]))
    (bar,) = page.attributes["progressbar"]
    assert bar["aria-label"] == "<b>"
    assert bar["aria-valuenow"] == "50"
    assert "a & b" in page.text
    assert "<b>" in page.texts
