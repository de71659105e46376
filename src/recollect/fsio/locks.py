"""Locks: one at a time, known to the kernel, and gone with the process that held them.

Promises: who holds a lock is the only one of this machine that does; who waits for it waits as
long as it goes from hand to hand, but for no one holder longer than was said.
Touches: the lock files it is given; a locked folder is not touched.
"""

from __future__ import annotations

import errno
import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from recollect.errors import Locked, LocksUnsupported
from recollect.fsio.files import FILE_MODE, failed, make_folder

LOCK_WAIT_SECONDS = 10.0
# What file systems say that have no locks; NFS wants a handle for writing, which no folder has.
_NO_LOCKS = (errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EBADF)


@contextmanager
def lock(path: str, *, wait_seconds: float = LOCK_WAIT_SECONDS) -> Iterator[None]:
    """Hold the lock at `path`; the kernel lets it go when the process ends, however it ends.

    Raises:
        Locked: another process kept it for longer than `wait_seconds`.
        LocksUnsupported: the file system has no locks.
    """
    handle = take_lock(path, wait_seconds=wait_seconds)
    if handle is None:
        raise Locked(path=path, seconds=wait_seconds, who=_holder_of(path))
    try:
        yield
    finally:
        os.close(handle)


@contextmanager
def locked_folder(path: str, *, wait_seconds: float = LOCK_WAIT_SECONDS) -> Iterator[None]:
    """Hold a folder itself; nothing is written. It goes on without where folders have no locks.

    Raises:
        Locked: another process kept it for longer than `wait_seconds`.
    """
    handle = _held_folder(path, wait_seconds)
    try:
        yield
    finally:
        if handle is not None:
            os.close(handle)


def _held_folder(path: str, wait_seconds: float) -> int | None:
    try:
        handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None  # what is made in it is made with it
    except OSError as error:
        raise failed(error, path) from error
    with suppress(LocksUnsupported):
        if _flocked(handle, path, wait_seconds):
            return handle
        os.close(handle)
        raise Locked(path=path, seconds=wait_seconds, who="a process with another cache folder")
    return None


def take_lock(path: str, *, wait_seconds: float = 0.0) -> int | None:
    """An open handle that holds the lock until it is closed, or None if somebody else has it.

    It waits as long as the lock goes from hand to hand, but for no one holder more than
    `wait_seconds`.
    """
    make_folder(os.path.dirname(path))
    while True:
        handle = _open_lock(path)
        if not _flocked(handle, path, wait_seconds):
            os.close(handle)
            return None
        if _is_at(handle, path):
            break
        os.close(handle)  # somebody removed the file while we waited: the lock is another one now
    with suppress(OSError):  # for those who wait; a full disk may refuse it
        os.ftruncate(handle, 0)
        os.pwrite(handle, b"process %d\n" % os.getpid(), 0)
    return handle


def _open_lock(path: str) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, FILE_MODE)
    except OSError as error:
        raise failed(error, path) from error


def _flocked(handle: int, path: str, wait_seconds: float) -> bool:
    pause, deadline, holder = 0.001, 0.0, -1
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            since = os.fstat(handle).st_mtime_ns  # each holder writes its name into the file
            if since != holder:
                holder, deadline = since, time.monotonic() + wait_seconds
            if time.monotonic() >= deadline:
                return False
            time.sleep(pause)
            pause = min(pause * 1.5, 0.02)
        except OSError as error:
            os.close(handle)
            if error.errno in _NO_LOCKS:
                raise LocksUnsupported(path=path, reason=os.strerror(error.errno)) from error
            raise failed(error, path) from error
        else:
            return True


def _is_at(handle: int, path: str) -> bool:
    try:
        found, held = os.lstat(path), os.fstat(handle)
    except OSError:
        return False
    return (found.st_dev, found.st_ino) == (held.st_dev, held.st_ino)


def _holder_of(path: str) -> str:
    with suppress(OSError), open(path, "rb") as file:
        return file.read(64).decode("ascii", "replace").strip() or "another process"
    return "another process"
