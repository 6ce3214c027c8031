"""The command ask: the next question, and interviews."""

import io
import json
import sys

import numpy as np
import pytest

from command_line import call, in_terminal, make_fruit, shell
from fuzzyucs import FuzzyUCSClassifier, load


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return make_fruit(tmp_path_factory.mktemp("fruit"))


@pytest.fixture
def say(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)

    def say(*arguments, replies=None):
        if replies is not None:
            monkeypatch.setattr(sys, "stdin", io.StringIO(replies))
        return call(capsys, *arguments)

    return say


def test_the_next_question_is_written(folder, say):
    clf = load(folder / "model.json")
    status, out, err = say("ask", "model.json")
    assert (status, err) == (0, "")
    assert out == clf.next_question().to_text() + "\n"
    assert "Ask for weight: it is expected to tell" in out
    status, out, _ = say("ask", "model.json", "--json", "--record", "colour=blue")
    assert json.loads(out) == clf.next_question({"colour": "blue"}).to_dict()


def test_options_say_what_is_known_and_what_it_costs(folder, say):
    clf = load(folder / "model.json")
    table = ("--data", "fruit.csv", "--row", "1", "-q")
    _, out, _ = say("ask", "model.json", *table, "--json")
    colour = (folder / "fruit.csv").read_text().splitlines()[1].split(",")[1]
    assert json.loads(out) == clf.next_question({"colour": colour}).to_dict()
    _, out, _ = say("ask", "model.json", *table, "--record", "weight=99,5", "--json")
    assert json.loads(out) == clf.next_question({"colour": colour, "weight": 99.5}).to_dict()
    _, out, _ = say("ask", "model.json", "--price", "weight=50,colour=2", "--json")
    assert json.loads(out) == clf.next_question(costs={"weight": 50, "colour": 2}).to_dict()
    assert json.loads(out)["feature"] == "colour"
    _, out, _ = say("ask", "model.json", "--price", "weight=inf", "--json")
    assert [c["feature"] for c in json.loads(out)["candidates"]] == ["colour"]
    _, out, _ = say("ask", "model.json", "--measure", "ignorance", "--base-rates", "equal")
    assert "reduce the ignorance from 1 to" in out
    _, out, _ = say("ask", "model.json", "--costs", "pear=10", "--json")
    losses = [[0, 1], [10, 0]]
    assert json.loads(out) == clf.next_question(losses=losses).to_dict()


def test_an_interview_ends_with_an_answer(folder, say):
    clf = load(folder / "model.json")
    assert clf.next_question({"weight": 160}).is_answered
    status, out, err = say("ask", "model.json", "--interview", replies="160\n\n")
    assert (status, err) == (0, "")
    assert out.index("1. What is weight?") < out.index("Pear. ")
    assert "don't know ........................................ 100 %" in out
    assert "The verdict is an answer." in out
    assert out.endswith("1 reply, of 2 features.\n")
    # It may go on.
    _, out, _ = say("ask", "model.json", "--interview", replies="160\nmore\nyellow\n")
    assert "2. What is colour?" in out
    assert "Nothing to ask: no value is missing." in out


def test_replies_may_be_listed_skipped_taken_back_and_about_others(say):
    interview = ("ask", "model.json", "--interview")
    status, out, err = say(*interview, replies="?\n#9\n#4\n\n")
    assert "NAME=VALUE          the value of another feature" in out
    assert err == "the replies are #1 to #5, got '#9'\n"
    assert "Pear. " in out
    status, out, err = say(*interview, replies="\nviolet\n<\nq\n")
    assert status == 0
    assert err == "'colour' is one of 'blue', 'green', 'yellow', got 'violet'\n"
    assert out.count("1. What is weight?") == 2
    assert out.endswith("0 replies, of 2 features.\n")
    _, out, err = say(*interview, replies="wieght=3\ncolour=green\nno\n<\n<\nheavy\n")
    assert "there is no feature 'wieght'; did you mean 'weight'?" in err
    assert "expected Enter, more or <, got 'no'" in err
    assert "nothing was replied yet" in err
    assert "'heavy'" in err
    assert out.endswith("0 replies, of 2 features.\n"), "the end of the input ends the interview"
    _, out, _ = say(*interview, replies="\n\n")
    assert "Nothing to ask: 2 missing values cannot be asked for." in out
    assert out.endswith("0 replies, 2 values not known, of 2 features.\n")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--record", "wieght=3"], r"--record: the model has no feature 'wieght'; did you mean"),
        (["--record", "weight"], "--record: expected NAME=VALUE, got 'weight'"),
        (["--record", "weight=3", "--record", "weight=4"], "'weight' is named twice"),
        (["--record", "colour=bleu"], "did you mean 'blue'?"),
        (["--record", "weight=much"], "weight"),
        (["--price", "weight=free"], "--price: expected a number for 'weight', got 'free'"),
        (["--price", "weight=0"], "--price: 'weight' must have a price above 0"),
        (["--price", "height=1"], "--price: the model has no feature 'height'; did you mean"),
        (["--measure", "luck"], "measure must be one of"),
        (["--data", "fruit.csv", "--row", "1-2"], "--row: ask takes one row, got 2"),
        (["--data", "fruit.csv", "--row", "99"], "has rows 1 to 60, got 99"),
        (["--json", "--interview"], "--json and --interview exclude each other"),
    ],
)
def test_mistakes_are_named(say, options, message):
    status, out, err = say("ask", "model.json", *options)
    assert status == 2
    assert out == ""
    assert message in err


def test_other_models_have_no_questions(say, tmp_path):
    X = np.random.default_rng(0).random((40, 2))
    path = FuzzyUCSClassifier(epochs=1, random_state=0).fit(X, X[:, 0] > 0.5).save(tmp_path / "m")
    status, _, err = say("ask", path)
    assert status == 2
    assert "ask needs an evidential model, got a FuzzyUCSClassifier" in err


def test_a_terminal_without_input_gets_one_question(folder):
    text = in_terminal("ask", "model.json", cwd=folder)
    assert "Ask for weight" in text
    assert "--interview goes on asking" in text


def test_a_pipe_can_hold_an_interview(folder):
    ended = shell("ask", "model.json", "--interview", stdin=b"160\n\n", cwd=folder)
    assert ended.returncode == 0
    assert "Pear. " in ended.stdout.decode()
