"""Read, create, replace, move, remove and append files; hash them; lock folders.

Promises: a file is complete or absent. What returned is durable where the caller asked for it. A
symbolic link at the end of a path is not followed. Files are 0600 and folders 0700 under any
umask.
It does not know what a memory is.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress

from recollect._fastimport import Any
from recollect.errors import AlreadyThere, FileNotThere, Locked, LocksUnsupported, StorageFailed

TEMP_SUFFIX = ".tmp"
LARGEST_FILE_BYTES = 64 * 1024 * 1024
PIECE_BYTES = 1 << 20
PASSING = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_CLOEXEC  # on the way to a file
FILE_MODE = 0o600
FOLDER_MODE = 0o700


def stamp_of(data: bytes) -> str:
    """The stamp (content hash) of these bytes: the first 128 bits of their SHA-256, in hex."""
    return str(_sha256()(data).hexdigest()[:32])


def stamp_of_text(text: str) -> str:
    """The stamp of a text as files have it: bytes that are not UTF-8 are surrogates in it."""
    return stamp_of(text.encode("utf-8", "surrogateescape"))


def _sha256() -> Any:
    # The interpreter's own: `hashlib` would load all of OpenSSL, a third of a bare start.
    with suppress(ImportError):
        return __import__("_sha2" if sys.version_info >= (3, 12) else "_sha256").sha256
    return __import__("hashlib").sha256


def storage_error(error: OSError, path: str) -> StorageFailed:
    """Our error for a refusal of the file system, with the path it was about."""
    return StorageFailed(
        path=path, reason=(os.strerror(error.errno) if error.errno else str(error))
    )


@contextmanager
def _ours(path: str) -> Iterator[None]:
    """A refusal of the file system inside the block is raised as our error about `path`."""
    try:
        yield
    except OSError as error:
        raise storage_error(error, path) from error


@contextmanager
def _opened(path: str, flags: int) -> Iterator[int]:
    """A handle for the block; never a link's target, never passed on to a child."""
    with _ours(path):
        handle = os.open(path, flags | os.O_NOFOLLOW | os.O_CLOEXEC, FILE_MODE)
        try:
            yield handle
        finally:
            os.close(handle)


# ------------------------------------------------------------------------------------- reading


def read_file(path: str, limit: int = LARGEST_FILE_BYTES) -> bytes:
    """The bytes of a regular file; links, pipes and devices are not read.

    Raises:
        FileNotThere: there is no regular file at that path, or it is larger than `limit` bytes.
        StorageFailed: the file system refused to read it.
    """
    return b"".join(pieces_of(path, limit))


def read_inside(root: str, path: str, limit: int = LARGEST_FILE_BYTES) -> bytes:
    """As `read_file`, for a file below `root`; no folder on the way may be a link either.

    That is looked at while it is opened: a folder may become a link at any moment.
    """
    full = f"{root}/{path}"
    *folders, _ = path.split("/")
    handle = _folder_at(root, full)
    try:
        for name in folders:
            below = _folder_at(name, full, above=handle)
            os.close(handle)
            handle = below
        return b"".join(pieces_of(full, limit, folder=handle))
    finally:
        os.close(handle)


def _folder_at(name: str, path: str, *, above: int | None = None) -> int:
    """A handle of a folder on the way to `path`."""
    try:
        return os.open(name, PASSING if above is None else PASSING | os.O_NOFOLLOW, dir_fd=above)
    except FileNotFoundError:
        raise FileNotThere(path=path, reason="no such file or folder") from None
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise FileNotThere(path=path, reason="its path contains a link") from None
        raise storage_error(error, path) from error


def pieces_of(
    path: str,
    limit: int = LARGEST_FILE_BYTES,
    offset: int = 0,
    *,
    folder: int | None = None,
) -> Iterator[bytes]:
    """As `read_file`, a piece at a time.

    `folder` is a handle of the one that the file is in, if there is one.
    """
    name = path if folder is None else os.path.basename(path)
    try:
        handle = os.open(
            name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder
        )
    except FileNotFoundError:
        raise FileNotThere(path=path, reason="no such file or folder") from None
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO, errno.ENOTDIR):
            raise FileNotThere(path=path, reason="it is a link or a device") from None
        raise storage_error(error, path) from error
    try:
        info = os.fstat(handle)
        if not stat.S_ISREG(info.st_mode):
            raise FileNotThere(path=path, reason="it is not a regular file")
        if info.st_size > limit:
            raise FileNotThere(path=path, reason=f"it has more than {limit:,} bytes")
        os.lseek(handle, offset, os.SEEK_SET)
        most = min(info.st_size + 1, PIECE_BYTES)  # room for more than there is costs time
        while piece := os.read(handle, most):
            yield piece
    except OSError as error:
        raise storage_error(error, path) from error
    finally:
        os.close(handle)


# ------------------------------------------------------------------------------------- writing


def make_folder(path: str) -> list[str]:
    """Make the folder and those above it, private to this user; which were not there, outermost first."""
    if os.path.isdir(path):
        return []
    parent = os.path.dirname(path)
    made = make_folder(parent) if parent and parent != path else []
    try:
        os.mkdir(path, FOLDER_MODE)
        sync_folder(parent or ".")
        made.append(path)
    except FileExistsError:
        if not os.path.isdir(path):
            raise StorageFailed(path=path, reason="a file is in the place of a folder") from None
    except OSError as error:
        raise storage_error(error, path) from error
    return made


def sync_folder(path: str) -> None:
    """Make the names in this folder durable."""
    with _ours(path):
        handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            to_disk(handle)
        finally:
            os.close(handle)


def sync_folders(paths: Iterable[str]) -> None:
    """Make the names in these folders durable, each once."""
    for path in sorted(set(paths)):
        sync_folder(path)


def write_whole(path: str, data: bytes, *, durable: bool = True, mode: int = FILE_MODE) -> None:
    """Put `data` at `path` in one step, replacing what is there.

    With `durable` the bytes are on disk before the name points to them; the caller makes the
    name durable with `sync_folder`. The cache does without: it can be made again.
    """
    temp = _write_temp(path, data, durable=durable, mode=mode)
    try:
        with _ours(path):
            os.rename(temp, path)
    except StorageFailed:
        _discard(temp)
        raise


def create_whole(path: str, data: bytes) -> None:
    """Put `data` at `path`, where nothing may be yet.

    Raises:
        AlreadyThere: something has that name.
    """
    temp = _write_temp(path, data, durable=True, mode=FILE_MODE)
    try:
        os.link(temp, path, follow_symlinks=False)
    except FileExistsError:
        raise AlreadyThere(path=path) from None
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise storage_error(error, path) from error
        _rename_if_free(temp, path)
    finally:
        _discard(temp)


_NO_HARD_LINKS = (errno.EPERM, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK)


def _write_temp(path: str, data: bytes, *, durable: bool, mode: int) -> str:
    temp = os.path.join(os.path.dirname(path), f".{os.urandom(8).hex()}{TEMP_SUFFIX}")
    try:
        with _opened(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL) as handle:
            os.fchmod(handle, mode)
            _write_all(handle, data)
            if durable:
                to_disk(handle)
    except StorageFailed as error:
        _discard(temp)
        raise StorageFailed(path=path, reason=error.fields["reason"]) from error
    return temp


def _write_all(handle: int, data: bytes) -> None:
    # A full disk shows as a short write first; only the next one raises.
    view = memoryview(data)
    while view:
        written = os.write(handle, view)
        if written == 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        view = view[written:]


def _discard(path: str) -> None:
    with suppress(OSError):
        os.unlink(path)


def move(path: str, to: str) -> None:
    """Give a file or folder another name, durably at the new place before it goes from the old.

    Raises:
        AlreadyThere: something has the new name.
    """
    _rename_if_free(path, to)
    sync_folders([os.path.dirname(to), os.path.dirname(path)])


def move_folder(path: str, to: str) -> None:
    """Move a folder, also to another file system; the old one goes when the new one is durable.

    Raises:
        AlreadyThere: something has the new name.
    """
    make_folder(os.path.dirname(to))
    try:
        move(path, to)
    except StorageFailed:
        if os.stat(path).st_dev == os.stat(os.path.dirname(to)).st_dev:
            raise
        import shutil  # seldom needed, and dear

        temp = f"{to}{TEMP_SUFFIX}"
        with _ours(temp):
            shutil.copytree(path, temp, symlinks=True)
            for folder, _, names in os.walk(temp):
                for name in names:
                    with _opened(os.path.join(folder, name), os.O_RDONLY | os.O_NOFOLLOW) as one:
                        to_disk(one)
                sync_folder(folder)
        move(temp, to)
        with _ours(path):
            shutil.rmtree(path)


def _rename_if_free(path: str, to: str) -> None:
    # Between look and rename a name could be taken by somebody who does not hold the store's lock.
    if os.path.lexists(to):
        raise AlreadyThere(path=to)
    with _ours(path):
        os.rename(path, to)


def replace_name(path: str, to: str) -> None:
    """Rename, replacing what has the name `to`; for marks, which nothing depends on."""
    with _ours(path), suppress(FileNotFoundError):
        os.rename(path, to)


def remove(path: str) -> None:
    """Take a file away; no harm if it is gone."""
    with _ours(path), suppress(FileNotFoundError):
        os.unlink(path)


def remove_empty_folder(path: str) -> None:
    """Take a folder away if nothing is in it."""
    with suppress(OSError):
        os.rmdir(path)


def append_durably(path: str, data: bytes, *, sync: bool = True) -> int:
    """Append whole lines to a file, all or none of them, on disk when this returns.

    Gives the size that the file had before: `truncate` to it takes the lines back. An
    unterminated line that a crash left at the end was never acknowledged and is cut off first.
    The caller holds the lock that keeps other appenders away.

    Raises:
        StorageFailed: the disk refused; the file is as it was before.
    """
    with _opened(path, os.O_RDWR | os.O_APPEND | os.O_CREAT) as handle:
        end = _cut_torn_tail(handle)
        _append(handle, data, end, path, sync=sync)
    return end


def to_disk(handle: int, *, data_only: bool = False) -> None:
    """Have the disk keep what was written to a file; with `data_only` its times may come later.

    On macOS fsync leaves it in the drive's own memory, and there is no fdatasync: F_FULLFSYNC is what
    lasts (fcntl(2)). Some file systems there refuse it; then fsync is the best there is.
    """
    if full := getattr(fcntl, "F_FULLFSYNC", 0):
        with suppress(OSError):
            fcntl.fcntl(handle, full)
            return
    if data_only and hasattr(os, "fdatasync"):
        os.fdatasync(handle)
    else:
        os.fsync(handle)


def append_bytes(path: str, data: bytes) -> None:
    """Append bytes to a file, on disk when this returns; a part of them is cut off again."""
    with _opened(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT) as handle:
        _append(handle, data, os.fstat(handle).st_size, path, sync=True)


def _append(handle: int, data: bytes, end: int, path: str, *, sync: bool) -> None:
    try:
        _write_all(handle, data)
        if sync:
            to_disk(handle, data_only=True)
            if end == 0:  # the file may be new
                sync_folder(os.path.dirname(path))
    except (OSError, StorageFailed):
        with suppress(OSError):
            os.ftruncate(handle, end)
        raise


def _cut_torn_tail(handle: int) -> int:
    info = os.fstat(handle)
    if not stat.S_ISREG(info.st_mode):
        raise OSError("it is not a regular file")
    end = info.st_size
    if end == 0 or os.pread(handle, 1, end - 1) == b"\n":
        return end
    start = end
    while start > 0:
        step = min(start, 1 << 16)
        newline = os.pread(handle, step, start - step).rfind(b"\n")
        if newline >= 0:
            start = start - step + newline + 1
            break
        start -= step
    os.ftruncate(handle, start)
    return start


def set_private(path: str) -> bool:
    """Remove the rights of group and others; True if there were any."""
    info = os.lstat(path)
    if stat.S_ISLNK(info.st_mode) or not info.st_mode & 0o077:
        return False
    with _ours(path):
        os.chmod(path, info.st_mode & 0o700)
    return True


def truncate(path: str, size: int) -> None:
    """Cut a file to `size` bytes if it is longer; no harm if it is not there."""
    if os.path.lexists(path):
        with _opened(path, os.O_WRONLY) as handle:
            if os.fstat(handle).st_size > size:
                os.ftruncate(handle, size)


# -------------------- Locks: one at a time, known to the kernel, and gone with the process that held them.


LOCK_WAIT_SECONDS = 10.0
# What file systems say that have no locks; NFS wants a handle for writing, which no folder has.
_NO_LOCKS = (errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EBADF)


@contextmanager
def lock(path: str, *, wait_seconds: float = LOCK_WAIT_SECONDS, who: str = "") -> Iterator[None]:
    """Hold the lock at `path`; the kernel lets it go when the process ends, however it ends.

    `who` is the one that has it, for the error; else the process by its number.

    Raises:
        Locked: another process kept it for longer than `wait_seconds`.
        LocksUnsupported: the file system has no locks.
    """
    with held(path, wait_seconds=wait_seconds) as is_held:
        if not is_held:
            raise Locked(path=path, seconds=wait_seconds, who=who or _holder_of(path))
        yield


@contextmanager
def held(path: str, *, wait_seconds: float = 0.0) -> Iterator[bool]:
    """Hold the lock at `path` (see `take_lock`); whether we have it, and not somebody else."""
    handle = take_lock(path, wait_seconds=wait_seconds)
    try:
        yield handle is not None
    finally:
        if handle is not None:
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
        raise storage_error(error, path) from error
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
    except IsADirectoryError as error:
        reason = "a folder is in the place of a lock; remove it"
        raise StorageFailed(path=path, reason=reason) from error
    except OSError as error:
        raise storage_error(error, path) from error


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
            raise storage_error(error, path) from error
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


# ----------------------------------------------------------------------------------------- listing


def names_in(folder: str) -> list[str]:
    """The names in a folder, in order; none where it is not there or cannot be read."""
    with suppress(OSError):
        return sorted(os.listdir(folder))
    return []


def regular_files(
    root: str, is_wanted: Callable[[str], bool] = bool
) -> Iterator[tuple[str, os.stat_result]]:
    """Every file below a folder that is neither a link nor a device, and of a wanted name."""
    for base, folders, files in os.walk(root):
        folders.sort()
        for name in sorted(filter(is_wanted, files)):
            path = os.path.join(base, name)
            with suppress(OSError):
                info = os.lstat(path)
                if stat.S_ISREG(info.st_mode):
                    yield path, info


def half_written(folders: Iterable[str], seconds: float) -> list[str]:
    """The half-written files below these folders that are so old that nobody is writing them."""
    return [
        path
        for folder in folders
        for path, info in regular_files(
            folder, lambda name: name.startswith(".") and name.endswith(TEMP_SUFFIX)
        )
        if info.st_mtime < seconds
    ]
