"""Files are written completely or not at all, whatever happens meanwhile."""

import errno
import os
import resource
import signal
import stat
import sys
import threading
from pathlib import Path

import pytest

from fuzzyucs import FuzzyUCSClassifier
from fuzzyucs._util import files
from fuzzyucs._util.files import check_writable, replacing, write_text
from fuzzyucs.deployment.onnx import to_onnx
from processes import in_child


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def target(tmp_path):
    path = tmp_path / "model.json"
    path.write_text("old")
    return path


# Rights


def test_the_umask_is_never_changed(target, monkeypatch):
    """It belongs to the whole process: files that other threads make would get wrong rights."""
    before = os.umask(0o027)
    try:
        monkeypatch.setattr(os, "umask", lambda _: pytest.fail("the umask was changed"))
        write_text(target.with_name("new"), "x")
        write_text(target, "new")
    finally:
        monkeypatch.undo()
        os.umask(before)
    assert stat.S_IMODE(target.with_name("new").stat().st_mode) == 0o640


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o666, 0o640])
def test_rights_of_the_old_file_stay(target, mode):
    target.chmod(mode)
    with replacing(target) as file:
        (unfinished,) = target.parent.glob(".*")
        assert stat.S_IMODE(unfinished.stat().st_mode) == mode, "never more than that"
        file.write(b"new")
    assert stat.S_IMODE(target.stat().st_mode) == mode


@pytest.mark.skipif(os.getuid() != 0, reason="only root may give files to others")
def test_the_owner_stays(target):
    os.chown(target, 1234, 4321)
    write_text(target, "new")
    assert (target.stat().st_uid, target.stat().st_gid) == (1234, 4321)


def test_another_group_gets_no_rights_of_the_old_one(target, monkeypatch):
    def denied(*_):
        raise PermissionError(errno.EPERM, "denied")

    target.chmod(0o664)
    old = os.stat_result([*target.stat()[:5], target.stat().st_gid + 1, *target.stat()[6:]])
    monkeypatch.setattr(files, "_status", lambda _: old)
    monkeypatch.setattr(os, "fchown", denied)
    write_text(target, "new")
    monkeypatch.undo()
    assert stat.S_IMODE(target.stat().st_mode) == 0o644


# Names


def test_the_file_behind_a_link_is_replaced(target):
    folder = target.parent / "elsewhere"
    folder.mkdir()
    link = folder / "link"
    link.symlink_to("../model.json")
    write_text(link, "new")
    assert link.is_symlink()
    assert (target.read_text(), names_in(folder)) == ("new", ["link"])


def test_a_link_to_a_file_that_is_not_there_yet(tmp_path):
    link = tmp_path / "link"
    link.symlink_to("later")
    write_text(link, "new")
    assert link.is_symlink()
    assert (tmp_path / "later").read_text() == "new"


def test_a_link_to_itself_is_refused(tmp_path):
    link = tmp_path / "link"
    link.symlink_to("link")
    with pytest.raises(OSError, match="link"):
        write_text(link, "new")
    assert link.is_symlink()


@pytest.mark.parametrize("name", ["x" * 255, "\N{SNOWMAN}" * 85, "\N{GRINNING FACE}" * 63])
def test_long_names(tmp_path, name):
    check_writable(tmp_path / name)
    write_text(tmp_path / name, "new")
    assert names_in(tmp_path) == [name]


@pytest.mark.parametrize("write", [check_writable, lambda path: write_text(path, "new")])
def test_too_long_names_are_refused_before_the_work(tmp_path, write):
    with pytest.raises(OSError, match="too long") as caught:
        write(tmp_path / ("x" * 256))
    assert caught.value.errno == errno.ENAMETOOLONG
    assert names_in(tmp_path) == []


def test_a_folder_is_refused(tmp_path):
    (tmp_path / "sub").mkdir()
    with pytest.raises(IsADirectoryError, match="sub"):
        write_text(tmp_path / "sub", "new")
    assert names_in(tmp_path) == ["sub"]


# Special files


def test_devices_are_written_to_and_stay():
    write_text(Path("/dev/null"), "new")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    check_writable(Path("/dev/null"))


def test_pipes(tmp_path):
    pipe, found = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: found.append(pipe.read_text()))
    reader.start()
    write_text(pipe, "new")
    reader.join()
    assert (found, names_in(tmp_path)) == (["new"], ["pipe"])


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="there is no /dev/stdout")
def test_standard_output_goes_where_the_shell_sends_it(tmp_path):
    """It may be a file that others append to, which must not be replaced."""
    log = tmp_path / "log"
    log.write_text("before\n")
    inode = log.stat().st_ino

    def work():
        os.dup2(os.open(log, os.O_WRONLY | os.O_APPEND), 1)
        write_text(Path("/dev/stdout"), "new\n")
        os.write(1, b"after\n")

    assert os.waitpid(in_child(work), 0)[1] == 0
    assert (log.read_text(), log.stat().st_ino) == ("before\nnew\nafter\n", inode)


# Failures


@pytest.mark.skipif(not stat.S_ISCHR(os.stat("/dev/full").st_mode), reason="no such device")
def test_a_full_device_is_named():
    with pytest.raises(OSError, match="'/dev/full'") as caught:
        write_text(Path("/dev/full"), "new")
    assert caught.value.errno == errno.ENOSPC


@pytest.mark.parametrize("size", [100, 10**6])
def test_a_full_disk_leaves_the_old_file(target, size):
    """A limit of the size of files fails as a full disk does: in the midst of a write."""

    def work():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (50, 50))
        with pytest.raises(OSError, match=r"model\.json'$"):
            write_text(target, "x" * size)

    assert os.waitpid(in_child(work), 0)[1] == 0
    assert (target.read_text(), names_in(target.parent)) == ("old", ["model.json"])


def test_an_error_on_the_way_to_the_disk_leaves_the_old_file(target, monkeypatch):
    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=r"No space left on device: .*model\.json"):
        write_text(target, "new")
    assert (target.read_text(), names_in(target.parent)) == ("old", ["model.json"])


@pytest.mark.skipif(os.getuid() != 0, reason="changes the user")
def test_a_folder_without_permission_leaves_the_old_file(target):
    def work():
        os.setuid(65534)
        with pytest.raises(PermissionError, match=r"model\.json'$"):
            write_text(target, "new")

    folder = target.parent
    for parent in (folder, folder.parent, folder.parent.parent):
        parent.chmod(0o755)
    assert os.waitpid(in_child(work), 0)[1] == 0
    assert (target.read_text(), names_in(folder)) == ("old", ["model.json"])


def test_file_and_folder_are_on_the_disk_before_the_end(target, monkeypatch):
    steps, fsync, replace = [], os.fsync, os.replace

    def synced(handle):
        is_folder = stat.S_ISDIR(os.fstat(handle).st_mode)
        steps.append("folder" if is_folder else f"{os.fstat(handle).st_size} bytes")
        fsync(handle)

    def renamed(*names):
        steps.append("rename")
        replace(*names)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", renamed)
    write_text(target, "newer")
    assert steps == ["5 bytes", "rename", "folder"]


# Kills


def test_a_kill_in_the_midst_leaves_the_old_file_and_the_next_write_tidies_up(target):
    def work():
        with replacing(target) as file:
            file.write(b"half")
            file.flush()
            os.kill(os.getpid(), signal.SIGKILL)

    assert os.WTERMSIG(os.waitpid(in_child(work), 0)[1]) == signal.SIGKILL
    assert target.read_text() == "old"
    assert [name.endswith(files.SUFFIX) for name in names_in(target.parent)] == [True, False]
    write_text(target, "new")
    assert (target.read_text(), names_in(target.parent)) == ("new", ["model.json"])


def test_unfinished_files_of_living_writers_stay(target):
    with replacing(target) as first:
        first.write(b"first")
        with replacing(target) as second:
            second.write(b"second")
        assert target.read_text() == "second"
        assert len(names_in(target.parent)) == 2
    assert (target.read_text(), names_in(target.parent)) == ("first", ["model.json"])


def test_files_of_others_stay(target):
    others = [".model.json.abc", f".a{files.SUFFIX}", ".model.json.tmp", f"a.{'0' * 16}.x"]
    for name in others:
        target.with_name(name).touch()
    write_text(target, "new")
    assert names_in(target.parent) == sorted([*others, "model.json"])


def test_a_new_file_that_was_taken_for_one_left_behind_is_made_again(target, monkeypatch):
    """Between the making of a file and its lock, another process may remove it."""
    lock, removed = files._lock, []

    def late(handle):
        if not removed:
            (unfinished,) = target.parent.glob(f".*{files.SUFFIX}")
            files._remove_left_behind(target.parent)
            removed.append(unfinished)
        return lock(handle)

    monkeypatch.setattr(files, "_lock", late)
    write_text(target, "new")
    assert removed
    assert not removed[0].exists()
    assert (target.read_text(), names_in(target.parent)) == ("new", ["model.json"])


# Interruptions


def interrupted_at(number, work):
    """Do something, interrupted before an instruction of `files`; tell whether it came so far."""
    n_left = number

    def trace(frame, event, _):
        nonlocal n_left
        if frame.f_code.co_filename != files.__file__:
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            n_left -= 1
            if n_left == 0:
                sys.settrace(None)
                raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return n_left <= 0


def assert_interruptible(folder, step):
    """Whatever is interrupted, the file is the old or the new one, and Ctrl-C is told."""
    texts, left = [], []
    for number in range(1, 100_000, step):
        # A folder for each: what is left in one changes how many instructions the next write takes.
        target = folder / str(number) / "model.json"
        target.parent.mkdir()
        target.write_text("old")
        try:
            if not interrupted_at(number, lambda path=target: write_text(path, "new")):
                break
        except KeyboardInterrupt:
            texts.append(target.read_text())
            left += [name for name in names_in(target.parent) if name != target.name]
    assert len(texts) * step > 100
    assert set(texts) == {"old", "new"}
    # Something is left only if the very opening or the clean-up is interrupted.
    assert all(name.endswith(files.SUFFIX) for name in left)
    assert len(left) < 0.1 * len(texts)


def test_interruptions_at_some_instructions_are_told_as_such(tmp_path):
    assert_interruptible(tmp_path, 7)


@pytest.mark.soak
def test_interruptions_at_all_instructions_are_told_as_such(tmp_path):
    assert_interruptible(tmp_path, 1)


# Everything that the library writes


def test_what_is_written_replaces_files_as_a_whole(tmp_path, monkeypatch):
    """Rules and ONNX models leave the old file as it was if the disk is full."""
    clf = FuzzyUCSClassifier(epochs=1, random_state=0).fit(
        [[0.0], [1.0], [0.2], [0.9]], [0, 1, 0, 1]
    )
    writers = {"rules.csv": clf.rules_.to_csv, "model.onnx": lambda path: to_onnx(clf, path)}
    for name in writers:
        (tmp_path / name).write_text("old")

    def full(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    for name, write in writers.items():
        with pytest.raises(OSError, match=name):
            write(tmp_path / name)
        assert (tmp_path / name).read_text() == "old"
    assert names_in(tmp_path) == sorted(writers)
