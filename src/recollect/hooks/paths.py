"""Hooks: what they need of `os.path`, and reading a small file, without `os` and `open`.

To import `os` runs the abstract classes of all collections: a seventh of what a bare interpreter
takes, at every event. Its calls are those of `posix`, which is built in. What is seldom needed is
left to `os` itself, so that there is one truth about links and dots.

Promises: the same answers as `os.path`; a file that cannot be read raises OSError.
Touches: a look at the paths it is given; the files it is told to read.
"""

import posix as os

_FORM, _FOLDER, _FILE, _LINK = 0o170000, 0o040000, 0o100000, 0o120000
_PIECE = 64 * 1024


def exists(path: str) -> bool:
    """Whether something is there."""
    return _form(path) != 0


def is_folder(path: str) -> bool:
    """Whether it is a folder, or a link to one."""
    return _form(path) == _FOLDER


def is_file(path: str) -> bool:
    """Whether it is a regular file, or a link to one."""
    return _form(path) == _FILE


def _form(path: str) -> int:
    try:
        return os.stat(path).st_mode & _FORM
    except (OSError, ValueError):
        return 0


def parent(path: str) -> str:
    """The folder that has it, as `dirname` of a path without a slash at its end."""
    return path.rpartition("/")[0] or ("/" if path[:1] == "/" else "")


def absolute(path: str) -> str:
    """The path from the root, without dots."""
    if _is_plain(path):
        return path
    from os.path import abspath

    return abspath(path)


def real(path: str) -> str:
    """The path from the root, without links."""
    if _is_plain(path):
        at = path.find("/", 1)
        try:
            while at > 0 and os.lstat(path[:at]).st_mode & _FORM != _LINK:
                at = path.find("/", at + 1)
            if at < 0 and os.lstat(path).st_mode & _FORM != _LINK:
                return path
        except FileNotFoundError:
            return path  # what is not there is no link, and none comes behind it
        except (OSError, ValueError):
            pass
    from os.path import realpath

    return realpath(path)


def _is_plain(path: str) -> bool:
    """Whether it starts at the root and has no dots and no empty parts."""
    return (
        path[:1] == "/"
        and path[-1] != "/"
        and "\0" not in path
        and "//" not in path
        and "/./" not in f"{path}/"
        and "/../" not in f"{path}/"
    )


def make_folders(path: str) -> None:
    """Make a folder and those above it, for this user alone; no harm if it is there."""
    try:
        os.mkdir(path, 0o700)
    except FileNotFoundError:
        if parent(path) in ("", path):
            raise
        make_folders(parent(path))
        make_folders(path)
    except OSError:
        if not is_folder(path):
            raise


def read(path: str, most: int = 1 << 62) -> bytes:
    """The bytes of a file, as many as `most` of them."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        data = os.read(handle, min(most, _PIECE))
        if len(data) < min(most, _PIECE):
            return data
        parts = [data]
        while data and (most := most - len(data)) > 0:
            data = os.read(handle, min(most, 1 << 20))
            parts.append(data)
        return b"".join(parts)
    finally:
        os.close(handle)


def read_text(path: str, most: int = 1 << 62) -> str:
    """The text of a file that has no more than `most` bytes; of what is longer, the start."""
    return read(path, most).decode("utf-8")
