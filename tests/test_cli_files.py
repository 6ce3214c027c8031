"""Files and pipes of commands: an output never replaces an input; what interruptions report."""

import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from command_line import COMMAND, call, fruit_table, make_fruit, rows_in, shell
from fuzzyucs._util.files import write_text
from fuzzyucs.cli.main import main


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    return make_fruit(tmp_path_factory.mktemp("fruit"))


@pytest.fixture
def folder(original, tmp_path):
    """Return a folder of this test alone with a table and a model."""
    for name in ("fruit.csv", "model.json"):
        (tmp_path / name).write_bytes((original / name).read_bytes())
    return tmp_path


@pytest.fixture
def say(capsys):
    return partial(call, capsys)


# Outputs and inputs


def same_name(path):
    return path.name


def dotted(path):
    (path.parent / "sub").mkdir()
    return f"sub/.././{path.name}"


def absolute(path):
    return path


def soft_link(path):
    link = path.parent / "link"
    link.symlink_to(path)
    return link


def link_to_link(path):
    (path.parent / "other").symlink_to(soft_link(path))
    return path.parent / "other"


def hard_link(path):
    os.link(path, path.parent / "hard")
    return "hard"


def linked_folder(path):
    (path.parent / "folder").symlink_to(path.parent, target_is_directory=True)
    return f"folder/{path.name}"


SPELLINGS = [same_name, dotted, absolute, soft_link, link_to_link, hard_link, linked_folder]
READERS = {
    "fit": (["fit", "fruit.csv", "--target", "fruit"], "fruit.csv"),
    "predict": (["predict", "model.json", "fruit.csv"], "fruit.csv"),
    "predict, model": (["predict", "model.json", "fruit.csv"], "model.json"),
    "report": (["report", "fruit.csv", "--target", "fruit"], "fruit.csv"),
    "report, data": (["report", "model.json", "fruit.csv", "--target", "fruit"], "fruit.csv"),
    "report, model": (["report", "model.json", "fruit.csv", "--target", "fruit"], "model.json"),
}


def content(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def assert_refused(done, folder, before):
    assert done.returncode == 2
    assert done.stdout == b""
    message = done.stderr.decode()
    assert message.startswith("fuzzyucs: --output: writing ")
    assert "would replace the input" in message
    assert "rows" not in message, "the table was read before the output was refused"
    assert content(folder) == before


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_no_spelling_of_an_output_replaces_the_input(folder, spelling):
    output = spelling(folder / "fruit.csv")
    before = content(folder)
    done = shell("fit", "fruit.csv", "--target", "fruit", "-o", output, cwd=folder)
    assert_refused(done, folder, before)


@pytest.mark.parametrize("reader", READERS)
def test_no_command_replaces_its_input(folder, reader):
    command, output = READERS[reader]
    before = content(folder)
    assert_refused(shell(*command, "-o", output, cwd=folder), folder, before)
    # An input named in another way.
    command = [f"./{word}" if "." in word else word for word in command]
    assert_refused(shell(*command, "-o", output, cwd=folder), folder, before)


def test_a_default_output_does_not_replace_the_input_either(folder):
    (folder / "fruit.csv").rename(folder / "model.json")
    before = content(folder)
    assert_refused(shell("fit", "model.json", "--target", "fruit", cwd=folder), folder, before)


def test_what_the_shell_feeds_is_an_input_too(folder):
    before = content(folder)
    with open(folder / "fruit.csv") as file:
        command = [*COMMAND, "predict", "model.json", "-", "-o", "fruit.csv"]
        done = subprocess.run(command, stdin=file, capture_output=True, cwd=folder, timeout=600)
    assert_refused(done, folder, before)
    assert b"standard input" in done.stderr


def test_other_files_are_replaced_by_force(folder, say):
    output = folder / "out.csv"
    output.write_text("old")
    predict = ["predict", folder / "model.json", folder / "fruit.csv", "-q", "--force", "-o"]
    assert say(*predict, output)[:2] == (0, "")
    assert len(rows_in(output.read_text())) == 60
    copy = folder / "copy.csv"
    copy.write_bytes((folder / "fruit.csv").read_bytes())
    assert say(*predict, copy)[0] == 0, "the same content is not the same file"
    assert {path.name for path in folder.iterdir()} == {
        "fruit.csv", "model.json", "out.csv", "copy.csv",
    }  # fmt: skip


def test_only_files_are_written_to(folder, say):
    predict = ["predict", folder / "model.json", folder / "fruit.csv", "-q", "-o"]
    for output in (folder, Path("/dev/null")):
        status, _, err = say(*predict, output)
        assert (status, "must name a file" in err) == (2, True)
    status, _, err = say(*predict, folder / "nowhere" / "out.csv")
    assert (status, "no folder" in err) == (2, True)
    status, _, err = say("fit", folder / "fruit.csv", "--target", "fruit", "-o", folder)
    assert (status, "must name a file" in err) == (2, True)


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="nothing that even root cannot write")
@pytest.mark.parametrize(
    "command",
    [
        ["fit", "fruit.csv", "--target", "fruit"],
        ["predict", "model.json", "fruit.csv"],
        ["report", "fruit.csv", "--target", "fruit"],
        ["demo"],
    ],
)
def test_a_folder_that_cannot_be_written_to_is_noticed_before_the_work(folder, command):
    done = shell(*command, "-o", "/proc/output", cwd=folder)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"fuzzyucs: --output: the folder /proc cannot be written to: ")
    assert done.stderr.count(b"\n") == 1


def test_long_names_of_files_are_no_problem(folder, say):
    output = folder / f"{'n' * 250}.csv"
    assert say("predict", folder / "model.json", folder / "fruit.csv", "-o", output)[0] == 0
    assert len(rows_in(output.read_text())) == 60


# Pipes


def test_a_closed_pipe_ends_quietly(folder):
    (folder / "long.csv").write_text(fruit_table(5000))
    command = f"{sys.executable} -m fuzzyucs.cli predict -q model.json long.csv | head -n 1"
    # Without buffers, Python does not notice that only a part was taken.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"}
    bash = ["bash", "-o", "pipefail", "-c", command]
    done = subprocess.run(bash, capture_output=True, text=True, env=environment, cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("prediction,")


# Interruptions


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs a pipe with a name")
def test_an_interrupted_command_has_written_nothing_and_says_so(folder):
    os.mkfifo(folder / "slow.csv")
    # Tests may run where interruptions are ignored, in the background of a shell.
    code = (
        "import signal, sys, fuzzyucs.cli\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "sys.exit(fuzzyucs.cli.main())"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, "fit", "slow.csv", "--target", "fruit", "-o", "new.json"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with open(folder / "slow.csv", "w"):  # waits until the command wants to read
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=600)
    assert (process.returncode, out) == (130, b"")
    assert err == b"fuzzyucs: interrupted; nothing was written\n"
    assert not (folder / "new.json").exists()


def test_an_interruption_after_the_work_does_not_deny_it(folder, say, monkeypatch):
    def interrupted(_):
        raise KeyboardInterrupt

    monkeypatch.setattr("fuzzyucs.cli.learn.print_text", interrupted)
    model = folder / "new.json"
    fit = ["fit", folder / "fruit.csv", "--target", "fruit", "--max-rules", "1", "-q", "-o"]
    for output in (model, folder / "model.json"):  # new, and replaced
        before = content(folder).get(output.name)
        status, _, err = say(*fit, output)
        assert (status, err) == (130, f"fuzzyucs: interrupted; {output} was written\n")
        assert output.read_bytes() != before


def test_an_interruption_of_the_printing_admits_that_output_is_incomplete(folder, capsys):
    command = ["predict", str(folder / "model.json"), str(folder / "fruit.csv"), "-q"]

    class Stream:
        encoding = "utf-8"
        isatty = staticmethod(lambda: False)

        def write(self, _):
            raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", Stream())
        assert main(command) == 130
    assert capsys.readouterr().err == "fuzzyucs: interrupted; the output is incomplete\n"


def test_reproduce_keeps_what_is_done(say, monkeypatch, tmp_path):
    def interrupted(**_):
        raise KeyboardInterrupt

    monkeypatch.setattr("fuzzyucs.experiment.reproduce.reproduce", interrupted)
    status, _, err = say("reproduce", "--embedded", "--output", tmp_path)
    assert status == 130
    assert f"interrupted; finished runs are kept in {tmp_path}" in err


def test_a_file_is_complete_even_if_the_interruption_comes_with_its_name(tmp_path, monkeypatch):
    path, replace = tmp_path / "file", os.replace

    def replaced_and_interrupted(*names):
        replace(*names)
        raise KeyboardInterrupt

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", replaced_and_interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_text(path, "new")
    assert content(tmp_path) == {"file": b"new"}
    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_text(path, "newer")
    assert content(tmp_path) == {"file": b"new"}
