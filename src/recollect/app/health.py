"""App: looking whether all is well, and mending it."""

from __future__ import annotations

import os
import platform
import sqlite3
import sys
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


class Finding(NamedTuple):
    """One thing that was looked at. `state` is ok, note, problem or mended."""

    state: str
    about: str
    sentence: str


class Report(NamedTuple):
    """What was found."""

    findings: list[Finding]

    @property
    def problems(self) -> int:
        """How many findings should be looked at."""
        return sum(1 for f in self.findings if f.state == "problem")

    def as_json(self) -> dict[str, Any]:
        """The findings and their number."""
        return {
            "ok": not self.problems,
            "problems": self.problems,
            "findings": [f._asdict() for f in self.findings],
        }


def examine(app: App, *, repair: bool) -> Report:
    """Look at versions, stores, journal, index, permissions and clients."""
    findings = [*_versions(), *_clients(app)]
    if not app.roots:
        findings.append(
            Finding("problem", "store", "there is none here; `recollect init` makes one")
        )
    for scope, root in app.roots.items():
        try:
            store = app.opened(root, scope)
            findings += [Finding("problem", scope, warning) for warning in app.warnings]
            app.warnings.clear()
            findings += _store(app, store, repair=repair)
        except RecollectError as error:
            findings.append(Finding("problem", scope, f"{error} {error.next_step}"))
    return Report(findings)


def _versions() -> Iterator[Finding]:
    python = f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}"
    yield Finding("ok", "recollect", f"{__version__} on {python}")


def _clients(app: App) -> Iterator[Finding]:
    path = claude.settings_path(app.env)
    installed = claude.is_installed(path)
    if installed is None:
        yield Finding("problem", "claude", f"{path} is not valid; it is left alone")
    elif not installed:
        yield Finding(
            "note",
            "claude",
            "not connected through its settings (`recollect init --client claude`)",
        )
    else:
        python, hook = program_paths()
        text = fsio.read_file(os.path.realpath(path)).decode("utf-8", "replace")
        if claude.command_for(python, hook, "Stop") in text.replace('\\"', '"').replace(
            "\\\\", "\\"
        ):
            yield Finding("ok", "claude", f"connected: {path}")
        else:
            yield Finding(
                "problem",
                "claude",
                "its hooks run another installation; `recollect init --client claude` renews them",
            )
    if not os.access(sys.executable, os.X_OK):
        yield Finding("problem", "python", f"{sys.executable} cannot be run")


def _store(app: App, store: OpenStore, *, repair: bool) -> Iterator[Finding]:
    about = store.scope
    counts = store.index.counts()
    size = sum(s.size for s in store.files.scan())
    yield Finding(
        "ok",
        about,
        f"{store.files.root}: {counts['memories']} memories, {counts['archived']} archived, {size:,} bytes of text",
    )
    for op in store.redone:
        yield Finding("mended", about, f"finished a change that a crash had left: {op.path}")
    yield from _files(store)
    yield from _index(app, store, repair=repair)
    yield from _journal(store)
    yield from _permissions(app, store, repair=repair)
    yield from _activity(app, store)
    yield from _leftovers(app, store, repair=repair)


def _files(store: OpenStore) -> Iterator[Finding]:
    for problem in store.problems:
        yield Finding("problem", problem.path, problem.sentence)
    owners: dict[str, str] = {}
    for entry in store.index.entries(Filter()):
        if entry.problem:
            yield Finding("problem", entry.path, entry.problem)
        if "~" in entry.id:
            yield Finding(
                "problem", entry.path, f"has the id of another memory; it is found as {entry.id}"
            )
        owners[entry.id] = entry.path
    for entry in store.index.entries(Filter()):
        for name in entry.related:
            if (
                name.partition("#")[0] not in owners
                and store.index.entry(name.partition("#")[0]) is None
            ):
                yield Finding("problem", entry.path, f"is related to “{name}”, which is not there")


def _index(app: App, store: OpenStore, *, repair: bool) -> Iterator[Finding]:
    on_disk = {seen.path: store.files.stamp(seen.path) for seen in store.files.scan()}
    known = {path: row.stamp for path, row in store.index.known().items()}
    wrong = sorted(path for path in {*on_disk, *known} if on_disk.get(path) != known.get(path))
    inside = store.index.differences()
    if not wrong and not inside:
        yield Finding("ok", "index", f"{len(known)} files, each with the text that is on disk")
    elif repair:
        store.index.wipe()
        store.freshen()
        yield Finding("mended", "index", f"made anew from {len(on_disk)} files")
    else:
        for sentence in [*(f"{path}: not as it is on disk" for path in wrong[:5]), *inside[:5]]:
            yield Finding(
                "problem", "index", f"{sentence}; `recollect doctor --repair` makes it anew"
            )
    if repair:
        publish_all(app, store)


def _journal(store: OpenStore) -> Iterator[Finding]:
    ops = store.journal.ops()
    bad = store.journal.problems
    yield Finding(
        "ok" if not bad else "problem",
        "journal",
        f"{len(ops)} changes in {len(store.journal.files())} files",
    )
    for problem in bad[:5]:
        yield Finding("problem", problem.path, f"{problem.sentence}; it is passed over")


def _permissions(app: App, store: OpenStore, *, repair: bool) -> Iterator[Finding]:
    open_paths = [
        p
        for root in (store.files.root, app.cache_of(store.files.root))
        for p in _open_to_others(root)
    ]
    if not open_paths:
        yield Finding("ok", "permissions", "only you can read the store and its cache")
    elif repair:
        for path in open_paths:
            fsio.set_private(path)
        yield Finding("mended", "permissions", f"{len(open_paths)} files and folders made private")
    else:
        yield Finding(
            "note",
            "permissions",
            f"{len(open_paths)} files or folders can be read by others, such as {open_paths[0]}",
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
        yield Finding("ok", "hooks", f"last called {last}")
    else:
        yield Finding("note", "hooks", "never called for this store yet")
    log = f"{places.cache_root(app.env)}/hook.log"
    with suppress(RecollectError):
        lines = fsio.read_file(log).decode("utf-8", "replace").splitlines()
        if lines:
            yield Finding("note", "hooks", f"{len(lines)} troubles in {log}; the last: {lines[-1]}")


def _leftovers(app: App, store: OpenStore, *, repair: bool) -> Iterator[Finding]:
    temps = []
    for base, _, files in os.walk(store.files.root):
        temps += [
            os.path.join(base, f)
            for f in files
            if f.startswith(".") and f.endswith(fsio.TEMP_SUFFIX)
        ]
    old = [p for p in temps if app.started_ns / 1e9 - os.path.getmtime(p) > 3600]
    if old and repair:
        for path in old:
            fsio.remove(path)
        yield Finding(
            "mended", "files", f"{len(old)} half-written files of crashed processes removed"
        )
    elif old:
        yield Finding(
            "note",
            "files",
            f"{len(old)} half-written files of crashed processes; --repair removes them",
        )
