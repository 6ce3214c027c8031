"""Files that are either written completely or left as they were.

A file is written under another name in the same folder, forced to the disk, and renamed. The name
of such an unfinished file begins with a dot and ends with `SUFFIX`; its writer holds a lock on it.
One without a lock was left behind by a process that was killed: the next write to the folder
removes it.
"""

from __future__ import annotations

import errno
import io
import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, cast

try:
    import fcntl
except ImportError:  # Windows, which lets nobody remove or replace a file that is open
    fcntl = None  # type: ignore[assignment]

__all__ = ["SUFFIX", "check_writable", "replacing", "write_text"]

SUFFIX = ".fuzzyucs-unfinished"
N_CHARACTERS = 16  # of the file's name in that of the unfinished one, which must not be too long
_UNFINISHED = re.compile(r"\..*\.[0-9a-f]{16}" + re.escape(SUFFIX), re.DOTALL)
_DESCRIPTORS = re.compile(r"/dev/fd|/proc/[^/]+(/task/[^/]+)?/fd")
_NO_SYNC = (errno.EINVAL, errno.ENOTSUP, errno.ENOSYS, errno.EBADF)
MOST_LINKS = 40  # as many as Linux follows


def write_text(path: Path, text: str) -> None:
    """Write a text as `replacing` does.

    Parameters
    ----------
    path : Path
        The file. It is replaced if it exists.
    text : str
        Its content.
    """
    with replacing(path) as file:
        file.write(text.encode())


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Write another file in the same folder, and let it replace a file if the block does not fail.

    Parameters
    ----------
    path : Path
        The file. It is replaced if it exists; of a symbolic link, the file that it leads to. Who
        may read and write it stays as it was. What is no regular file, such as a pipe, a terminal
        or ``/dev/stdout``, is written to as it is.

    Yields
    ------
    file
        Open to write bytes.

    Raises
    ------
    OSError
        If the file cannot be written: the disk is full, there is no such folder, or permission is
        denied, for example. The file is as it was before.
    """
    old = _status(path)
    descriptor = _descriptor(path)
    if descriptor is not None or (old is not None and not stat.S_ISREG(old.st_mode)):
        with _named(path, _in_place(path, descriptor)) as file:
            yield file
        return
    target = Path(os.path.realpath(path))
    handle, name = -1, ""
    try:
        handle, name = _unfinished(path, target, old)
        with _named(path, handle, closefd=False) as file:
            yield file
        _sync(handle, path)
        if fcntl is None:
            handle = _closed(handle)
        _replace(name, target, path)
        _sync_folder(target.parent)
    except BaseException:
        # An interruption may come after the file got its name.
        if name:
            if fcntl is None:
                handle = _closed(handle)
            with suppress(OSError):
                os.unlink(name)
        raise
    finally:
        _closed(handle)


def check_writable(path: Path) -> None:
    """Find out whether `replacing` can write a file, without touching it.

    Parameters
    ----------
    path : Path
        The file.

    Raises
    ------
    OSError
        If there is no such folder, nothing can be written to it, or the name is too long.
    """
    old = _status(path)
    if old is not None and not stat.S_ISREG(old.st_mode):
        return
    handle, name = _unfinished(path, Path(os.path.realpath(path)), old)
    _closed(handle)
    with suppress(OSError):
        os.unlink(name)


class _NamedFile(io.FileIO):
    """A file whose errors name the file that the caller asked for."""

    asked: str = ""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            _name(error, self.asked)
            raise


@contextmanager
def _named(path: Path, handle: int, *, closefd: bool = True) -> Iterator[BinaryIO]:
    raw = _NamedFile(handle, "wb", closefd=closefd)
    raw.asked = str(path)
    with io.BufferedWriter(raw) as file:
        yield cast(BinaryIO, file)


def _status(path: Path) -> os.stat_result | None:
    """Return what is known about a file, None if there is none; refuse folders."""
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    return status


def _descriptor(path: Path) -> str | None:
    """Return the name of an open file of a process, such as ``/dev/stdout`` leads to."""
    text = os.path.abspath(path)
    for _ in range(MOST_LINKS):
        folder = os.path.realpath(os.path.dirname(text))
        if _DESCRIPTORS.fullmatch(folder):
            return os.path.join(folder, os.path.basename(text))
        if not os.path.islink(text):
            return None
        text = os.path.join(folder, os.readlink(text))
    return None


def _in_place(path: Path, descriptor: str | None) -> int:
    """Open a special file, or a file of this process where that is about to write."""
    folder, _, number = (descriptor or "").rpartition("/")
    if number.isdecimal() and folder in ("/dev/fd", f"/proc/{os.getpid()}/fd"):
        return os.dup(int(number))
    return os.open(path, os.O_WRONLY)


def _unfinished(path: Path, target: Path, old: os.stat_result | None) -> tuple[int, str]:
    """Make an empty file beside another one, locked, and with that one's rights."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        _remove_left_behind(target.parent)
        while True:
            middle = f"{target.name[:N_CHARACTERS]}.{secrets.token_hex(8)}"
            name = os.path.join(target.parent, f".{middle}{SUFFIX}")
            # The kernel takes away what the umask forbids.
            handle = os.open(name, flags, 0o666 if old is None else 0o600)
            try:
                if _lock(handle):
                    if old is not None:
                        _take_over(handle, name, old)
                    return handle, name
            except BaseException:  # an interruption, for example
                os.close(handle)
                with suppress(OSError):
                    os.unlink(name)
                raise
            os.close(handle)  # another process took it for one that was left behind
    except OSError as error:
        # The name of the unfinished file means nothing to the caller.
        _name(error, path)
        raise


def _lock(handle: int) -> bool:
    """Lock a new file; tell whether it still has its name."""
    if fcntl is None:
        return True
    with suppress(OSError):  # not every file system has locks
        fcntl.flock(handle, fcntl.LOCK_EX)
    return os.fstat(handle).st_nlink > 0


def _remove_left_behind(folder: Path) -> None:
    """Remove unfinished files whose writers were killed."""
    try:
        names = [name for name in os.listdir(folder) if _UNFINISHED.fullmatch(name)]
    except PermissionError:  # a folder may be written to, but not listed
        return
    for name in names:
        with suppress(OSError):
            found = os.path.join(folder, name)
            if fcntl is None:
                os.unlink(found)
                continue
            handle = os.open(found, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.unlink(found)
            finally:
                os.close(handle)


def _take_over(handle: int, name: str, old: os.stat_result) -> None:
    """Give a new file the owner and the rights of the one that it replaces, as far as one may."""
    mode = stat.S_IMODE(old.st_mode) & 0o777
    new = os.fstat(handle)
    if hasattr(os, "fchown") and (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
        try:
            os.fchown(handle, old.st_uid, old.st_gid)
        except OSError:
            # Another group must not get the rights of the old one.
            mode &= 0o707 | (mode & 0o007) << 3
    with suppress(PermissionError, NotImplementedError):  # some file systems have no rights
        os.chmod(name, mode)


def _sync(handle: int, path: Path) -> None:
    """Wait until all that was written is on the disk."""
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in _NO_SYNC:
            _name(error, path)
            raise


def _sync_folder(folder: Path) -> None:
    """Wait until names are on the disk, where folders can be opened."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _replace(name: str, target: Path, path: Path) -> None:
    try:
        os.replace(name, target)
    except OSError as error:
        _name(error, path)
        raise


def _name(error: OSError, path: Path | str) -> None:
    """Let an error name the file that the caller asked for."""
    if error.errno is not None:  # else the message is a text of its own
        error.filename = str(path)
        del error.filename2  # None would be printed


def _closed(handle: int) -> int:
    if handle >= 0:
        os.close(handle)
    return -1
