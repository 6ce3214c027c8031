"""What people see in a terminal: whole words, colours of classes, bars that end full."""

import re

import pytest
from rich.console import Console
from rich.text import Text

from command_line import call, in_terminal
from fuzzyucs._util.class_colours import CLASS_COLOURS, class_colour
from fuzzyucs.cli.colouring import class_style, colour_classes, colour_verdict, text_colour
from fuzzyucs.cli.main import main
from fuzzyucs.cli.terminal import print_table
from fuzzyucs.evidence.verdict_words import Verdict

STYLE = re.compile("\x1b\\[[0-9;]*m")
WIDTHS = [60, 80, 120]
ODD = (
    "sepal length (cm),sepal width (cm),petal length (cm),petal width (cm)\n70,3,4,1\n5,3,4.9,1.6\n"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with a table of irises and a model of it."""
    folder = tmp_path_factory.mktemp("looks")
    table, model = str(folder / "iris.csv"), str(folder / "model.json")
    assert main(["demo", "-o", table]) == 0
    assert main(["fit", table, "--target", "species", "-q", "-o", model]) == 0
    (folder / "odd.csv").write_text(ODD)
    return folder


@pytest.fixture
def see(folder, monkeypatch, capsys):
    """Return a function that runs a command as if in a terminal, and returns what that is sent."""

    def run(*arguments, width=200, **environment):
        usual = {"COLUMNS": str(width), "TERM": "xterm-256color", "COLORTERM": "truecolor"}
        with monkeypatch.context() as patch:
            patch.chdir(folder)
            patch.delenv("NO_COLOR", raising=False)
            for name, value in (usual | environment).items():
                patch.setenv(name, value)
            for name in ("stdout", "stderr"):
                patch.setattr(f"sys.{name}.isatty", lambda: True, raising=False)
            status, out, err = call(capsys, *arguments)
        assert status == 0, err
        return err + out

    return run


def as_seen(text):
    """Return the lines that stay on a terminal."""
    lines = [line.rpartition("\r")[2] for line in STYLE.sub("", text).split("\n")]
    return [line.rstrip() for line in lines]


COMMANDS = {
    "demo": ["demo"],
    "fit": ["fit", "iris.csv", "--target", "species", "--sizes", "-o", "other.json"],
    "rules": ["rules", "model.json"],
    "explain": ["explain", "model.json", "iris.csv", "--row", "71", "--every"],
    "evaluate": ["evaluate", "iris.csv", "--target", "species", "--folds", "2"],
    "predict": ["predict", "model.json", "odd.csv"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_no_line_is_wider_than_the_terminal_and_no_word_is_cut(see, command):
    bars = re.compile("[━─]+|[0-9.]+ s")
    wide = as_seen(see(*COMMANDS[command], width=1000))
    known = set(bars.sub("", " ".join(wide)).split())
    for width in WIDTHS:
        lines = as_seen(see(*COMMANDS[command], width=width))
        assert max(map(len, lines)) <= width
        assert set(bars.sub("", " ".join(lines)).split()) <= known, width


def test_pipes_and_files_get_whole_lines_without_colours(folder, capsys, monkeypatch):
    monkeypatch.chdir(folder)
    for arguments in COMMANDS.values():
        _, out, err = call(capsys, *arguments)
        assert "\x1b" not in out + err
        assert "━" not in out + err
    rules = call(capsys, "rules", "model.json")[1].splitlines()
    assert all(line.startswith(("IF ", "Without evidence")) for line in rules)
    assert any(len(line) > 120 for line in rules)
    header = call(capsys, *COMMANDS["predict"])[1].splitlines()[0]
    assert header.startswith("prediction,verdict,reason,probability of setosa,")


def colours_of(text, name):
    """Return the colours in which a name occurs in what a terminal was sent."""
    decoded = Text.from_ansi(text)
    found = {
        span.style.color.name
        for span in decoded.spans
        if decoded.plain[span.start : span.end] == name and span.style.color
    }
    return {colour.lower() for colour in found}


def test_classes_have_their_colours(see):
    for arguments in (COMMANDS["rules"], COMMANDS["explain"], COMMANDS["demo"]):
        text = see(*arguments)
        for index, name in enumerate(["setosa", "versicolor", "virginica"]):
            assert colours_of(text, name) == {text_colour(class_colour(index)).lower()}
    predictions = see(*COMMANDS["predict"])
    assert colours_of(predictions, "versicolor") == {text_colour(class_colour(1)).lower()}


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb", "COLORTERM": ""}])
def test_colours_can_be_refused(see, environment):
    text = see(*COMMANDS["explain"], **environment)
    assert not re.search("\x1b\\[[0-9;]*[345]8;", text)
    assert "THEN versicolor" in STYLE.sub("", text)


def test_the_verdict_stands_out(folder, see):
    answer = in_terminal(*COMMANDS["explain"], cwd=folder)  # a real one
    assert max(map(len, as_seen(answer))) <= 120
    (chip,) = chips(answer)
    assert chip == ("Versicolor", class_colour(1).lower())
    unknown = see("explain", "model.json", "odd.csv")
    assert chips(unknown) == [("I don't know", "#555555")]


def chips(text):
    """Return texts on coloured grounds, with these colours."""
    found = Text.from_ansi(text)
    return [
        (found.plain[span.start : span.end], span.style.bgcolor.name.lower())
        for span in found.spans
        if span.style.bgcolor
    ]


def test_both_classes_of_a_torn_verdict_have_their_colours():
    verdict = Verdict("torn", "contradiction", "Between b and a", "Rules contradict each other")
    text = colour_verdict(str(verdict), verdict, ["a", "b", "c"], 1)
    named = {
        text.plain[span.start : span.end]: span.style.bgcolor.name
        for span in text.spans
        if not isinstance(span.style, str)
    }
    assert named == {"a": class_colour(0).lower(), "b": class_colour(1).lower()}


def test_a_name_is_coloured_where_it_is_a_class_only():
    line = "IF size is 1 AND 1 is 0 THEN not 1 (applies to 1 of 0; 0 % 1, 1 % overall)"
    text = colour_classes(line, {"0": 0, "1": 1})
    assert [span.start for span in text.spans] == [line.index("not 1") + 4, line.index("% 1,") + 2]


def contrast(one, other):
    brightness = []
    for colour in (one, other):
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        brightness.append(0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2])
    low, high = sorted(brightness)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("index", range(len(CLASS_COLOURS)))
def test_names_are_readable_on_light_and_dark_terminals(index):
    colour = class_style(index).color.name
    assert contrast(colour, "#ffffff") > 2.95
    assert contrast(colour, "#1e1e1e") > 2.95
    name = "spruce"
    verdict = Verdict("answer", "", name, "97 %")
    (span,) = colour_verdict(str(verdict), verdict, [name], index).spans
    assert contrast(span.style.color.name, span.style.bgcolor.name) >= 4.5


@pytest.mark.parametrize("width", WIDTHS)
def test_bars_end_full_with_label_and_time(see, width):
    lines = as_seen(see(*COMMANDS["fit"], width=width))
    bars = [line for line in lines if "━" in line or "─" in line]
    labels = ["Trying sizes", "Trying broad terms", "Growing final rules"]
    assert [line.partition("  ")[0] for line in bars] == labels
    assert all(re.fullmatch(r"[\w ]+  ━+  100 %.*  ?[\d.]+ s", line) for line in bars)
    assert len({line.index("100 %") for line in bars}) == 1


def test_all_folds_share_one_bar(see):
    text = see(*COMMANDS["evaluate"], width=80)
    bars = [line for line in as_seen(text) if "━" in line or "─" in line]
    assert len(bars) == 1
    assert re.fullmatch(r"Cross-validation +━+  100 %  2 folds, [\d.]+ s", bars[0])
    assert "fold 2 of 2, trying sizes" in text


def test_a_bar_is_not_wider_than_its_terminal_if_output_goes_elsewhere(folder, tmp_path):
    """The width is that of standard error, although standard output is a file."""
    with open(tmp_path / "out", "wb") as output:
        text = in_terminal(*COMMANDS["fit"], width=50, cwd=folder, output=output)
    parts = [part for part in re.split("[\r\n]", text) if "─" in part or "━" in part]
    assert len(parts) > 5
    assert max(map(len, parts)) < 50
    assert b"training accuracy" in (tmp_path / "out").read_bytes()


def test_numbers_stand_below_each_other_by_their_points(capsys):
    print_table(["name", "value"], [["a", "0.953"], ["b", "11.6"], ["c", "7"]])
    lines = capsys.readouterr().out.splitlines()
    assert [line.rstrip() for line in lines] == [
        "name   value",
        "a      0.953",
        "b     11.6",
        "c      7",
    ]


def test_measures_have_sensible_digits(folder, capsys, monkeypatch):
    monkeypatch.chdir(folder)
    _, out, _ = call(capsys, *COMMANDS["evaluate"])
    rows = {line[:20].strip(): line[20:].split() for line in out.splitlines() if "  " in line}
    assert [re.sub(r"\d", "0", cell) for cell in rows["log loss"]] == [
        "0.000",
        "±",
        "0.000",
        "0.000",
    ]
    assert all(re.fullmatch(r"\d+(\.\d)?", number) for number in rows["rules"][::2])


def test_many_predictions_are_cut_short_on_a_terminal(folder):
    text = as_seen(in_terminal("predict", "model.json", "iris.csv", "-q", cwd=folder))
    assert text[0].split() == [
        "row",
        "prediction",
        "verdict",
        "probability",
        "ignorance",
        "novelty",
    ]
    assert text[20].split()[0] == "20"
    assert text[21].startswith("and 130 more rows; --output FILE writes all")


def test_style_survives_a_console_without_colours():
    console = Console(force_terminal=True, no_color=True, width=40)
    with console.capture() as captured:
        console.print(colour_classes("THEN a (", {"a": 0}))
    assert "38;" not in captured.get()
