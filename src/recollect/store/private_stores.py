"""Whose a private store is, which of them nobody uses any more, and whether this user can read a store."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress

from recollect.errors import RecollectError, StoreUnreadable
from recollect.store import disk, locations

FRESH_NS = 60_000_000_000  # a minute later a note gets a new time: what is older was there then


def note_project(root: str, project: str, now_ns: int) -> None:
    """Note in a project's private store what its repository is known by, if that is not noted as it is now.

    A note on another folder or repository stays; where none can be written, the next one who may does it.
    """
    path, project = f"{root}/{locations.PROJECT_FILE}", locations.real(project)
    with suppress(OSError, ValueError, RecollectError):
        known = locations.read_text(path) if os.path.exists(path) else ""
        noted = known.partition("\n")[0].strip()
        is_other = noted.startswith("/") and noted != project
        if is_other or not locations.likeness_of(root, project):
            return
        text = locations.note_on(project, known)
        if text != known:
            disk.write_whole(path, text.encode("utf-8", "surrogateescape"))
        elif now_ns - os.stat(path).st_mtime_ns > FRESH_NS:
            os.utime(path)


def stores_at(project: str, env: dict[str, str]) -> list[str]:
    """The private stores of the repositories that are or were at a path."""
    return [root for one, root in _noted(env) if one == project]


def _noted(env: dict[str, str]) -> list[tuple[str, str]]:
    """`(folder, store)` of every private store."""
    folder = f"{locations.global_root(env)}/{locations.PRIVATE_FOLDER}"
    roots = (f"{folder}/{name}" for name in disk.names_in(folder))
    return [(locations.line_of(f"{root}/{locations.PROJECT_FILE}"), root) for root in roots]


def left_behind(env: dict[str, str]) -> list[tuple[str, str]]:
    """`(folder, store)` of projects that have private memories and are not there any more.

    The folder is gone, or another repository is in its place.
    """
    return [
        (project, root)
        for project, root in _noted(env)
        if project.startswith("/")
        and _has_pages(root)
        and not (os.path.exists(project) and locations.private_root(project, env) == root)
    ]


def _has_pages(root: str) -> bool:
    """Whether something is kept in a store beside its journal, sessions and views."""
    folders = [
        f"{root}/{name}" for name in disk.names_in(root) if name not in ("journal", "sessions")
    ]
    return any(names for folder in folders for _, _, names in os.walk(folder))


def closed_folder(root: str) -> str:
    """The folder, a store or one above it, that keeps this user from reading it; empty if none does."""
    folder, wanted = root, os.R_OK | os.X_OK
    while folder and not os.path.lexists(folder):
        folder, wanted = folder.rpartition("/")[0], os.X_OK
    try:
        is_there = bool(folder) and stat.S_ISDIR(os.stat(folder).st_mode)
    except PermissionError:
        return folder
    except OSError:  # a link to nothing, or in a circle: nobody is kept from anything
        return ""
    return folder if is_there and not os.access(folder, wanted) else ""


def require_readable(root: str) -> None:
    """Raise StoreUnreadable for a store that this user cannot read, or cannot see whether it is there."""
    if closed := closed_folder(root):
        raise StoreUnreadable(path=closed, reason=os.strerror(errno.EACCES))
