"""Whose words the store of a repository says: the person's only if they accepted it on this machine.

A store that came with a repository is told as the repository's (trust external) until then; what is
written here is believed all along. With `review.pulls = listed` that goes for whatever comes into an
accepted store by another way than a command. The notes lie outside of the store.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress

from recollect import workspace as here
from recollect.errors import RecollectError, StoreNotFound
from recollect.features import git_setup
from recollect.features.git_setup import committed as came
from recollect.features.git_setup import keep_out
from recollect.model.memory import Filter, Op
from recollect.store import disk as fsio
from recollect.store import locations as places
from recollect.store import ownership as ours
from recollect.store.journal_lines import OPS_PREFIX, of_ops
from recollect.store.store import OpenStore, refresh
from recollect.store.transactions import OUTSIDE
from recollect.workspace import Finding, Workspace
from recollect.workspace import found as _found

__all__ = ["came", "keep_out"]

LISTED = "listed"  # what is pulled into an accepted store is believed no more than that
KNOWN = ".known"  # the end of the file with the stamps that are believed, a line each


class Believed(set[str]):
    """The stamps of the texts that count as this person's, kept in a file outside of the store."""

    def __init__(self, path: str) -> None:
        """With what the file has."""
        self._path = path
        with suppress(RecollectError):
            self.update(fsio.read_file(path).decode("ascii", "replace").split())

    def take(self, stamps: Iterable[str]) -> None:
        """Believe these texts too."""
        new = sorted(set(stamps) - self - {""})
        if new:
            fsio.make_folder(os.path.dirname(self._path))
            fsio.append_bytes(self._path, "".join(f"{one}\n" for one in new).encode())
            self.update(new)

    def wrote(self, ops: Iterable[Op]) -> None:
        """Believe what was written here, unless something that is not believed went into it."""
        found: set[str] = set()
        for op in (op for op in ops if op.cause != OUTSIDE):
            if op.before is not None and op.before not in self and op.before not in found:
                return
            found.add(op.after or "")
        with suppress(RecollectError):  # then a person approves it
            self.take(found)


def open_doubted(app: Workspace, store: OpenStore) -> None:
    """Have a store believe only what it should."""
    known = _believed_in(app, store)
    store.files.believed = known
    store.ledger.wrote = known.wrote if known is not None else None


def _believed_in(app: Workspace, store: OpenStore) -> Believed | None:
    """The texts of a store in a repository that are believed; None stands for all."""
    is_listed = store.settings.lists_pulls
    root = store.files.root
    path, mark = ours.note_of(root, app.env)
    line = places.line_of(path) if path else ""
    state = line.removeprefix(mark) if mark and line.startswith(mark) else ""
    if not state:
        state = ours.ASKED if _came_with_repository(app, store) else ours.ACCEPTED
        with suppress(RecollectError):  # of another one that was here
            fsio.remove(f"{path}{KNOWN}")
        _noted(path, f"{mark}{state}")
    known = Believed(f"{path}{KNOWN}")
    if state == ours.ASKED:
        return known
    wanted = LISTED if is_listed else ours.ACCEPTED
    if state != wanted and _noted(path, f"{mark}{wanted}") and is_listed:
        known.take(_stamps(store))  # what comes from now on waits
    return known if is_listed else None


def _noted(path: str, line: str) -> bool:
    """Whether this could be noted."""
    if not path:
        return False
    with suppress(RecollectError):
        fsio.make_folder(os.path.dirname(path))
        fsio.write_whole(path, f"{line}\n".encode("utf-8", "surrogateescape"))
        return True
    return False


def _stamps(store: OpenStore) -> Iterator[str]:
    for seen in store.files.scan():
        with suppress(RecollectError):
            yield store.files.stamp(seen.path) or ""


def _came_with_repository(app: Workspace, store: OpenStore) -> bool:
    """Whether git has something of a store, and this machine never wrote there."""
    root = store.files.root
    if not ours.repository_of(root):
        return False
    machine = app.writer.rpartition("-")[0].rpartition("-")[0]  # without year and month
    mine = [name for name in of_ops(store.journal.files()) if name.startswith(f"{machine}-")]
    if mine and machine.startswith(OPS_PREFIX):
        came = git_setup.committed(root, "journal")
        if any(name not in came for name in mine):
            return False
    return git_setup.has_files_of(root)


def doubted(store: OpenStore) -> int:
    """How many memories of a store are told as the repository's."""
    return sum(not store.files.is_own(one.stamp) for one in store.index.entries(Filter()))


def decide(app: Workspace, *, accept: bool, dry_run: bool) -> tuple[str, int]:
    """`(store, memories)`: have this person accept the store of their project, or no more.

    Raises:
        StoreNotFound: the project has none in its repository.
        UsageProblem: it is not a person who decides.
    """
    what = "Only a person decides what is trusted: run it in your own terminal."
    here.require_person(app.env, "review", what)
    store = app.store()
    root = store.files.root
    path, mark = ours.note_of(root, app.env)
    if places.is_private(root) or not path:
        raise StoreNotFound(where=app.project_folder)
    count = doubted(store) if accept else len(store.index.entries(Filter()))
    if dry_run:
        return root, count
    known = Believed(f"{path}{KNOWN}")
    if accept:
        known.take(_stamps(store))
    else:
        fsio.remove(f"{path}{KNOWN}")
    _noted(path, f"{mark}{ours.ACCEPTED if accept else ours.ASKED}")
    app.close()
    here.publish_after_change(app, app.store())
    return root, count


def approve(store: OpenStore, names: Iterable[str]) -> None:
    """Believe what these memories say now; of one that a section is named of, a person read no more."""
    known = store.files.believed
    if isinstance(known, Believed):
        entries = [entry for name in names if (entry := store.index.entry(name))]
        known.take(store.files.stamp(entry.path) or "" for entry in entries)
        refresh(store.files, store.index, store.now_ns)


def findings(app: Workspace) -> Iterator[Finding]:
    """The stores around that are not used, and why; how much of the project's is not believed."""
    for path, why in places.stores_here(app.folder, app.env):
        if why == ours.LINK:
            yield _found(
                "problem",
                "store",
                "{path} is not used: it is a symbolic link, is in one, or has one among its own folders",
                path=path,
            )
        elif why == ours.OWNER:
            yield _found(
                "problem", "store", "{path} is not used: it belongs to another user", path=path
            )
        elif path == app.roots.get("project"):
            count = doubted(app.store())
            if count:
                yield _found(
                    "note",
                    "store",
                    "{n} memories came with the repository and are told as its words, not as yours; `recollect review --repository accept` takes them as yours on this machine",
                    n=count,
                )
