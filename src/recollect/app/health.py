"""App: looking whether all is well, and mending it."""

from __future__ import annotations

import os
import platform
import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

from recollect import __version__, fsio
from recollect.adapters.clients.claude import settings as claude
from recollect.app.publishing import publish_all
from recollect.app.setup import program_paths
from recollect.app.wiring import App
from recollect.domain.model import Filter
from recollect.errors import RecollectError
from recollect.hooks import places
from recollect.services.opened import OpenStore

MOST_NAMED = 5
OLD_SECONDS = 3600


class Finding(NamedTuple):
    """One thing that was looked at: a sentence about it, as a template with its fields.

    `state` is ok, note, problem or mended; `about` is a part of the store, or a path in it.
    """

    state: str
    about: str
    sentence: str
    fields: dict[str, object]


class Group(NamedTuple):
    """The findings about one store, or about the program (without a scope and a root)."""

    scope: str
    root: str
    findings: list[Finding]


class Report(NamedTuple):
    """What was found."""

    groups: list[Group]

    @property
    def problems(self) -> int:
        """How many findings should be looked at."""
        return sum(f.state == "problem" for group in self.groups for f in group.findings)


def _found(state: str, about: str, sentence: str, **fields: object) -> Finding:
    return Finding(state, about, sentence, fields)


def examine(app: App, *, repair: bool) -> Report:
    """Look at versions, stores, journal, index, permissions and clients."""
    groups = [Group("", "", [*_program(), *_clients(app)])]
    if not app.roots:
        groups[0].findings.append(
            _found("problem", "store", "there is none here; `recollect init` makes one")
        )
    known = app.setting_problems()
    for scope, root in app.roots.items():
        findings: list[Finding] = []
        groups.append(Group(scope, root, findings))
        try:
            store = app.opened(root, scope)
            wrong = [w for w in app.warnings if w not in known] + app.setting_problems(root)
            findings += [_found("problem", "store", "{what}", what=what) for what in wrong]
            findings += _store(app, store, repair=repair)
        except RecollectError as error:
            findings.append(_found("problem", "store", "{what}", what=str(error)))
        app.warnings.clear()
    return Report(groups)


def _program() -> Iterator[Finding]:
    yield _found(
        "ok",
        "program",
        "recollect {version}, Python {python}, SQLite {sqlite}",
        version=__version__,
        python=platform.python_version(),
        sqlite=sqlite3.sqlite_version,
    )


def _clients(app: App) -> Iterator[Finding]:
    path = claude.settings_path(app.env)
    state = claude.state_of(path, *program_paths())
    if state == "invalid":
        yield _found("problem", "claude", "{path} is not valid; it is left alone", path=path)
    elif state == "absent":
        yield _found(
            "note",
            "claude",
            "not connected through its settings; `recollect init --client claude` does that",
        )
    elif state == "other":
        yield _found(
            "problem",
            "claude",
            "its hooks run another installation; `recollect init --client claude` renews them",
        )
    else:
        yield _found("ok", "claude", "connected in {path}", path=path)


def _store(app: App, store: OpenStore, *, repair: bool) -> Iterator[Finding]:
    counts = store.index.counts()
    yield _found(
        "ok",
        "memories",
        "{n}, archived {archived}, {size} bytes of text",
        n=counts["memories"],
        archived=counts["archived"],
        size=f"{sum(s.size for s in store.files.scan()):,}",
    )
    for op in store.redone:
        yield _found("mended", op.path, "a change that a crash had left was finished")
    yield from _files(store)
    yield from _index(app, store, repair=repair)
    yield from _journal(store)
    yield from _permissions(app, store, repair=repair)
    yield from _activity(app, store)
    yield from _leftovers(app, store, repair=repair)


def _files(store: OpenStore) -> Iterator[Finding]:
    for problem in store.problems:
        yield _found("problem", problem.path, "{what}", what=problem.sentence)
    entries = store.index.entries(Filter())
    for entry in entries:
        if entry.problem:
            yield _found("problem", entry.path, "{what}", what=entry.problem)
        if "~" in entry.id:
            yield _found(
                "problem",
                entry.path,
                "has the id of another memory; it is found as {id}",
                id=entry.id,
            )
    known = {entry.id for entry in entries}
    for entry in entries:
        for name in entry.related:
            memory_id = name.partition("#")[0]
            if memory_id not in known and store.index.entry(memory_id) is None:
                yield _found(
                    "problem", entry.path, "is related to “{id}”, which is not there", id=name
                )


def _index(app: App, store: OpenStore, *, repair: bool) -> Iterator[Finding]:
    on_disk = {seen.path: store.files.stamp(seen.path) for seen in store.files.scan()}
    known = {path: row.stamp for path, row in store.index.known().items()}
    wrong = sorted(path for path in {*on_disk, *known} if on_disk.get(path) != known.get(path))
    inside = store.index.differences()
    if not wrong and not inside:
        yield _found("ok", "index", "as the files are on disk: {n}", n=len(known))
    elif repair:
        store.index.wipe()
        store.freshen()
        yield _found("mended", "index", "made anew from {n} files", n=len(on_disk))
    else:
        for path in wrong[:MOST_NAMED]:
            yield _found(
                "problem",
                path,
                "is not in the index as it is on disk; `recollect doctor --repair` makes it anew",
            )
        for what in inside[:MOST_NAMED]:
            yield _found(
                "problem", "index", "{what}; `recollect doctor --repair` makes it anew", what=what
            )
    if repair:
        publish_all(app, store)


def _journal(store: OpenStore) -> Iterator[Finding]:
    ops = store.journal.ops()
    bad = store.journal.problems[:MOST_NAMED]
    if not bad:
        yield _found("ok", "journal", "changes: {n}, all can be read back", n=len(ops))
    for problem in bad:
        yield _found("problem", problem.path, "{what}; it is passed over", what=problem.sentence)


def _permissions(app: App, store: OpenStore, *, repair: bool) -> Iterator[Finding]:
    roots = (store.files.root, app.cache_of(store.files.root))
    readable = [path for root in roots for path in _open_to_others(root)]
    if not readable:
        yield _found("ok", "permissions", "only you can read the store and its cache")
    elif repair:
        for path in readable:
            fsio.set_private(path)
        yield _found("mended", "permissions", "made private: {n}", n=len(readable))
    else:
        yield _found(
            "note",
            "permissions",
            "open to others: {n}, such as {path}; --repair makes them private",
            n=len(readable),
            path=readable[0],
        )


def _open_to_others(root: str) -> list[str]:
    found = []
    for base, folders, files in os.walk(root):
        for path in [base, *(os.path.join(base, f) for f in files)]:
            with suppress(OSError):
                info = os.lstat(path)
                if info.st_mode & 0o077 and not os.path.islink(path):
                    found.append(path)
        folders[:] = [f for f in folders if not os.path.islink(os.path.join(base, f))]
    return found


def _activity(app: App, store: OpenStore) -> Iterator[Finding]:
    last = max((line.get("time", "") for line in store.journal.hot("signal")), default="")
    if last:
        yield _found("ok", "hooks", "last called {time}", time=last)
    else:
        yield _found("note", "hooks", "not called for this store yet")
    log = f"{places.cache_root(app.env)}/hook.log"
    with suppress(RecollectError):
        lines = fsio.read_file(log).decode("utf-8", "replace").splitlines()
        if lines:
            yield _found(
                "note",
                "hooks",
                "troubles in {path}: {n}; the last: {line}",
                n=len(lines),
                path=log,
                line=lines[-1],
            )


def _leftovers(app: App, store: OpenStore, *, repair: bool) -> Iterator[Finding]:
    old = list(_temps(store.files.root, app.started_ns / 1e9 - OLD_SECONDS))
    if old and repair:
        for path in old:
            fsio.remove(path)
        yield _found(
            "mended", "files", "half-written by crashed processes, removed: {n}", n=len(old)
        )
    elif old:
        yield _found(
            "note",
            "files",
            "half-written by crashed processes: {n}; --repair removes them",
            n=len(old),
        )


def _temps(root: str, before: float) -> Iterator[str]:
    """The half-written files that nobody can be writing any more."""
    for base, _, files in os.walk(root):
        for name in files:
            path = os.path.join(base, name)
            if name.startswith(".") and name.endswith(fsio.TEMP_SUFFIX):
                with suppress(FileNotFoundError):
                    if os.path.getmtime(path) < before:
                        yield path


def as_json(report: Report) -> dict[str, Any]:
    """The findings and their number, in English."""
    return {
        "ok": not report.problems,
        "problems": report.problems,
        "findings": [
            {
                "scope": group.scope,
                "state": finding.state,
                "about": finding.about,
                "sentence": finding.sentence.format(**finding.fields),
            }
            for group in report.groups
            for finding in group.findings
        ],
    }
