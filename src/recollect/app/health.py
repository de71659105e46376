"""App: looking whether all is well, and mending it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from itertools import combinations
from typing import Any

from recollect import fsio
from recollect.adapters.journal import is_folded
from recollect.app import automemory, embedding, factsedits, leftovers, surroundings
from recollect.app import repair as mending
from recollect.app.finding import Finding
from recollect.app.finding import found as _found
from recollect.app.statistics import uses_here
from recollect.app.wiring import App
from recollect.domain.dismissed import MERGE, pair_of
from recollect.domain.health import SETTLED_DAYS, STALE_DAYS, Health, examined, links_in
from recollect.domain.model import Filter
from recollect.domain.names import is_sealed_path
from recollect.errors import OutsideStore, RecollectError
from recollect.fsio import stamp_of
from recollect.named import NamedTuple
from recollect.services import dismissing
from recollect.services.opened import OpenStore
from recollect.services.past import last_stamps
from recollect.services.undoing import gone_files

MOST_NAMED = 5
EMPTY = stamp_of(b"")


class Group(NamedTuple):
    """The findings about one store, or about the program (without a scope and a root)."""

    scope: str
    root: str
    findings: list[Finding]
    health: Health | None = None


class Report(NamedTuple):
    """What was found."""

    groups: list[Group]

    @property
    def problems(self) -> int:
        """How many findings should be looked at."""
        return sum(f.state == "problem" for group in self.groups for f in group.findings)


def examine(app: App, *, repair: bool) -> Report:
    """Look at versions, stores, journal, index, permissions and clients."""
    groups = [
        Group(
            "",
            "",
            [
                *surroundings.program(),
                *_bytecode(repair=repair),
                *surroundings.clients(app),
                *automemory.findings(app),
                *embedding.findings(app),
            ],
        )
    ]
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
            if repair:
                findings += _mended(mending.mend(app, store))
            findings += _store(app, store)
            health = _health(app, store)
            findings += _odd(health)
            groups[-1] = groups[-1]._replace(health=health)
        except RecollectError as error:
            findings.append(_found("problem", "store", "{what}", what=str(error)))
        app.warnings.clear()
    return Report(groups)


def _bytecode(*, repair: bool) -> Iterator[Finding]:
    """Compiled files of our own that are cut off; without them Python makes them anew."""
    for path in leftovers.broken_bytecode():
        try:
            if repair:
                fsio.remove(path)
        except RecollectError as error:
            yield _found("problem", "program", "{what}", what=str(error))
            continue
        if repair:
            yield _found("mended", "program", "{path} was broken; it was taken away", path=path)
        else:
            yield _found(
                "problem",
                "program",
                "{path} is broken, and what needs it fails; `recollect doctor --repair` takes it away",
                path=path,
            )


def _mended(done: mending.Mended) -> Iterator[Finding]:
    before, after = done.before, done.after
    yield _found(
        "mended", "snapshot", "the store as it was before is in {path}", path=done.snapshot
    )
    if done.indexed:
        yield _found(
            "mended", "index", "made anew from {n} files", n=after.memories + after.archived
        )
    if done.lines:
        yield _found(
            "mended", "journal", "lines that nobody can read, taken out: {n}", n=done.lines
        )
    if done.private:
        yield _found("mended", "permissions", "made private: {n}", n=done.private)
    if done.temps:
        yield _found(
            "mended", "files", "half-written by crashed processes, removed: {n}", n=done.temps
        )
    yield _found(
        "problem" if done.lowered else "mended",
        "counts",
        "memories {memories}, archived {archived}, changes {changes}",
        **{
            name: f"{was:,} → {now:,}"
            for name, was, now in zip(before._fields, before, after, strict=True)
            if name != "bytes"
        },
    )


def _store(app: App, store: OpenStore) -> Iterator[Finding]:
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
    yield from _index(store)
    yield from _views(app, store)
    yield from _journal(store)
    yield from _kept(store)
    yield from _permissions(app, store)
    yield from surroundings.hooks(app, store)
    yield from surroundings.waiting(app, store)
    yield from _leftovers(app, store)
    if store.settings.encrypt or store.files.exists("encrypted"):
        from recollect.app import sealing  # seldom needed

        yield from sealing.findings(app, store)
    yield _found(
        "ok",
        "disk",
        "files {files}, journal {journal}, sessions {sessions}, cache {cache}",
        **{part: f"{n / 1e6:.1f} MB" for part, n in mending.sizes(app, store).items()},
    )


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


def _health(app: App, store: OpenStore) -> Health:
    plain = (e for e in store.index.entries(Filter()) if not is_sealed_path(e.path))
    entries = [entry for entry in plain if app.shows(entry.project)]
    broken: list[tuple[str, str]] = []
    for entry in entries:
        with suppress(RecollectError):
            for said, target in links_in(entry.path, store.read(entry).text):
                beside = said.removeprefix("./")  # or meant from the root of the store
                if not any(_is_there(store, path) for path in (target, beside)):
                    broken.append((entry.path, said))
    uses = uses_here(app, store)
    found = examined(entries, {name: use.last for name, use in uses.items()}, broken, app.now)
    gone = dismissing.pairs(store)
    alike = [
        ids
        for ids in found.duplicates
        if not all(pair_of(MERGE, *both) in gone for both in combinations(ids, 2))
    ]
    return found._replace(duplicates=alike)


def _is_there(store: OpenStore, path: str) -> bool:
    with suppress(OutsideStore):
        return store.files.exists(path)
    return False


def _odd(health: Health) -> Iterator[Finding]:
    """What may be looked at some day; none of it is a problem."""
    for ids in health.duplicates[:MOST_NAMED]:
        yield _found("note", "duplicates", "say nearly the same: {ids}", ids=", ".join(ids))
    for path, said in health.broken_links[:MOST_NAMED]:
        yield _found("note", path, "points to {target}, which is not there", target=said)
    if health.stale:
        yield _found(
            "note",
            "stale",
            "neither needed nor changed for {days} days: {n}, such as {id}",
            days=STALE_DAYS,
            n=len(health.stale),
            id=health.stale[0],
        )
    if health.untagged:
        yield _found(
            "note",
            "untagged",
            "have no tags: {n}, such as {id}",
            n=len(health.untagged),
            id=health.untagged[0],
        )
    if health.never_accessed:
        yield _found(
            "note",
            "unused",
            "older than {days} days and never needed: {n}, such as {id}",
            days=SETTLED_DAYS,
            n=len(health.never_accessed),
            id=health.never_accessed[0],
        )


def _index(store: OpenStore) -> Iterator[Finding]:
    wrong, inside = mending.unlike_files(store), store.index.differences()
    if not wrong and not inside:
        yield _found("ok", "index", "as the files are on disk: {n}", n=len(store.index.known()))
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


def _views(app: App, store: OpenStore) -> Iterator[Finding]:
    held = list(factsedits.findings(app, store))
    yield from held
    for name in mending.old_views(store):
        if name in [finding.about for finding in held]:
            continue
        yield _found(
            "note", name, "does not say what the memories say; `recollect consolidate` renews it"
        )


def _journal(store: OpenStore) -> Iterator[Finding]:
    ops = store.journal.heads()
    bad = store.journal.problems[:MOST_NAMED]
    if not bad:
        yield _found("ok", "journal", "changes: {n}, all can be read back", n=len(ops))
    for problem in bad:
        yield _found("problem", problem.path, "{what}; it is passed over", what=problem.sentence)
    own, files = store.journal.sessions(), store.journal.files()
    if own or any(map(is_folded, files)):
        yield _found(
            "ok",
            "journal",
            "files of sessions: {n}, of those of long ago: {folded}",
            n=len(own),
            folded=sum(map(is_folded, files)),
        )


def _kept(store: OpenStore) -> Iterator[Finding]:
    """What became of the files without a command, as the journal last saw them."""
    last = last_stamps(store.journal.heads())
    now = {path: store.files.stamp(path) for path in last}
    for path in [p for p in last if now[p] == EMPTY != last[p]][:MOST_NAMED]:
        yield _found(
            "problem",
            path,
            "is empty; remove it, and `recollect undo --gone` brings back what it said",
        )
    gone = [change.path for change in gone_files(store)]
    if gone:
        yield _found(
            "note",
            "files",
            "taken away without a command: {n}, such as {path}; `recollect undo --gone` brings them back",
            n=len(gone),
            path=gone[0],
        )
    edited = sum(stamp not in (None, EMPTY, last[path]) for path, stamp in now.items())
    if edited:
        yield _found("ok", "files", "changed by hand since a command wrote them: {n}", n=edited)


def _permissions(app: App, store: OpenStore) -> Iterator[Finding]:
    root = store.files.root
    if not os.access(root, os.W_OK):
        yield _found("problem", "permissions", "the store can be read, but not be written")
    roots = (root, app.cache_of(root))
    readable = [path for root in roots for path in mending.open_to_others(root)]
    if not readable:
        yield _found("ok", "permissions", "only you can read the store and its cache")
    else:
        yield _found(
            "note",
            "permissions",
            "open to others: {n}, such as {path}; --repair makes them private",
            n=len(readable),
            path=readable[0],
        )


def _leftovers(app: App, store: OpenStore) -> Iterator[Finding]:
    old = leftovers.half_written(app, store)
    running = leftovers.processes(store)
    if old:
        yield _found(
            "note",
            "leftovers",
            "half-written by crashed processes: {n}; --repair removes them",
            n=len(old),
        )
    elif running:
        yield _found(
            "ok",
            "leftovers",
            "at work here: {names}; nothing half-written",
            names=", ".join(running),
        )
    else:
        yield _found("ok", "leftovers", "no process of ours, nothing half-written")


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
        "health": [
            {"scope": group.scope, **group.health._asdict()}
            for group in report.groups
            if group.health is not None
        ],
    }
