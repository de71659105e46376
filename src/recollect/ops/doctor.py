"""Check an installation and its stores."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import combinations
from typing import Any
from urllib.parse import unquote

from recollect import derived_files
from recollect._fastimport import NamedTuple, Pattern
from recollect.consolidate.rulings import dismissed_pairs, pair_of
from recollect.context.views import FACTS_JSON, facts_text
from recollect.errors import OutsideStore, RecollectError
from recollect.features import (
    auto_memory,
    core_memory,
    embedding,
    facts,
    foreign_settings,
    repository,
)
from recollect.features.statistics import count_overdue, uses_in_store
from recollect.i18n import filled
from recollect.model.claim_key import near_key
from recollect.model.layers import SHARED
from recollect.model.memory import Entry, Filter, is_sealed_path
from recollect.model.times import days_after
from recollect.ops import environment_checks
from recollect.ops import repair as mending
from recollect.store import disk, locations
from recollect.store.disk import stamp_of
from recollect.store.history import gone_files, last_stamps
from recollect.store.journal import is_folded
from recollect.store.private_stores import closed_folder, left_behind
from recollect.store.store import OpenStore, unhidden
from recollect.workspace import Finding, FindingGroup, Report, Workspace

STALE_DAYS = 180  # as in seed 002
SETTLED_DAYS = 30  # a younger memory may just not have been needed yet
_LINK = Pattern(r"(?<!!)\[[^\]\n]{0,200}\]\(<?([^)\s>#]{1,300}\.md)(?:#[^)\s>]*)?>?\)")


class Health(NamedTuple):
    """Ids of memories with an oddity, by kind of oddity."""

    duplicates: list[list[str]]
    stale: list[str]
    untagged: list[str]
    never_accessed: list[str]
    broken_links: list[tuple[str, str]]  # the path of a memory, and where it points


def examined(
    entries: Sequence[Entry],
    last_used: Mapping[str, str],
    links: Iterable[tuple[str, str]],
    now: str,
) -> Health:
    """The oddities of memories; `last_used` has the day on which each was last used."""
    own = [entry for entry in entries if "core/" not in entry.path]
    stale, settled = days_after(now, -STALE_DAYS), days_after(now, -SETTLED_DAYS)
    unused = [e for e in own if e.id not in last_used and e.created]
    return Health(
        _duplicates(own),
        [e.id for e in own if "" < _last_touched(e, last_used) < stale],
        [e.id for e in own if not e.tags and e.path not in SHARED.values()],
        [e.id for e in unused if e.created[:10] < settled],
        sorted(set(links)),
    )


def _last_touched(entry: Entry, last_used: Mapping[str, str]) -> str:
    times = (entry.created, entry.updated, entry.last_accessed, last_used.get(entry.id, ""))
    return max(time[:10] for time in times)


def _duplicates(entries: Iterable[Entry]) -> list[list[str]]:
    """Memories of one kind with the same title; episodes may well have that."""
    found: dict[tuple[str, str], list[str]] = {}
    for entry in entries:
        if entry.layer != "episodic" and entry.status != "superseded":
            key = (entry.kind, near_key(entry.title))
            found.setdefault(key, []).append(entry.id)
    return sorted(sorted(ids) for ids in found.values() if len(ids) > 1)


def links_in(path: str, text: str) -> list[tuple[str, str]]:
    """The links of a memory into the store: as they are written, and the paths they mean."""
    folder = path.rpartition("/")[0]
    found = []
    for match in _LINK.finditer(text):
        said = match[1]
        target = os.path.normpath(f"./{folder}/{unquote(said)}")
        is_outside = "://" in said or said.startswith(("/", "~")) or target.startswith("../")
        if not is_outside:
            found.append((said, target))
    return found


MOST_NAMED = 5
EMPTY = stamp_of(b"")


def _left_behind(app: Workspace) -> Iterator[Finding]:
    """Private memories of projects that are not where they were."""
    for path in dict.fromkeys(path for path, _ in left_behind(app.env)):
        yield Finding.note(
            "moved",
            "memories of the project that was at {path}; run `recollect adopt {path}` in the folder where it is now",
            path=path,
        )


def _closed(app: Workspace) -> Iterator[Finding]:
    """The folders in which nobody can see whether there is a store."""
    places = (locations.project_root(app.folder, app.env), locations.global_root(app.env))
    found = [closed_folder(root) for root in places if root not in app.roots.values()]
    for path in dict.fromkeys(filter(None, found)):
        yield Finding.problem(
            "store",
            "{path} cannot be read, so no memories in it are found; `sudo chown -R $(id -u) {path}` makes it yours, `chmod u+rwx {path}` opens it",
            path=path,
        )


def examine(
    app: Workspace, *, repair: bool, progress: Callable[[int, int], object] | None = None
) -> Report:
    """Check versions, stores, journal, index, permissions and clients; with `repair`, fix what can be."""
    own = [*environment_checks.program(), *_bytecode(repair=repair)]
    groups = [FindingGroup("", "", own)]
    seen = environment_checks.read_client_state(app)
    own += environment_checks.clients(app, seen)
    own += _left_behind(app)
    own += auto_memory.findings(app)
    own += embedding.findings(app)
    closed = list(_closed(app))
    own += closed
    if not (app.roots or closed):
        own.append(Finding.problem("store", "there is none here; `recollect init` creates one"))
    own += filter(None, [environment_checks.unread_repository(app)])
    own += repository.trust_findings(app)
    own += foreign_settings.findings(app)
    is_connected = environment_checks.is_any_connected(app, seen)
    known = app.setting_problems()
    for scope, root in app.roots.items():
        findings: list[Finding] = []
        groups.append(FindingGroup(scope, root, findings))
        try:
            store = app.opened(root, scope)
            wrong = [w for w in app.warnings if w not in known] + app.setting_problems(root)
            findings += [Finding.problem("store", "{what}", what=what) for what in wrong]
            if repair:
                findings += _mended(mending.mend(app, store))
                findings += repository.repair_driver(root)
                findings += _renumbered(store)
            findings += _store(app, store, progress, is_connected=is_connected)
            health = _health(app, store)
            findings += _odd(health)
            groups[-1] = groups[-1]._replace(health=health)
        except RecollectError as error:
            findings.append(Finding.problem("store", "{what}", what=str(error)))
        app.warnings.clear()
    return Report(groups)


def _renumbered(store: OpenStore) -> Iterator[Finding]:
    """Give facts a new number if an older fact has theirs."""
    for old, new in facts.renumber(store):
        yield Finding.mended(
            "git", "{old} is now {new}: another fact has its number", old=old, new=new
        )


def _bytecode(*, repair: bool) -> Iterator[Finding]:
    """Broken compiled files of ours; once they are removed, Python compiles again."""
    for path in mending.broken_bytecode():
        try:
            if repair:
                disk.remove(path)
        except RecollectError as error:
            yield Finding.problem("program", "{what}", what=str(error))
            continue
        if repair:
            yield Finding.mended("program", "{path} was broken and was removed", path=path)
        else:
            yield Finding.problem(
                "program",
                "{path} is broken, and what needs it fails; `recollect doctor --repair` removes it",
                path=path,
            )


def _mended(done: mending.Mended) -> Iterator[Finding]:
    before, after = done.before, done.after
    yield Finding.mended(
        "snapshot", "a copy of the store before the repair is in {path}", path=done.snapshot
    )
    for name in done.left_out[:MOST_NAMED]:
        yield Finding.note(name, "is too large to be ours; it is not in the snapshot")
    if done.indexed:
        yield Finding.mended("index", "rebuilt from {n} files", n=after.memories + after.archived)
    if done.lines:
        yield Finding.mended("journal", "unreadable lines removed: {n}", n=done.lines)
    if done.private:
        yield Finding.mended("permissions", "permissions fixed: {n}", n=done.private)
    if done.temps:
        yield Finding.mended(
            "files", "half-written by crashed processes, removed: {n}", n=done.temps
        )
    counts = {
        name: f"{was:,} → {now:,}"
        for name, was, now in zip(before._fields, before, after, strict=True)
    }
    finding = Finding.mended(
        "counts", "memories {memories}, archived {archived}, changes {changes}", **counts
    )
    yield finding._replace(state="problem") if done.lowered else finding


def _store(
    app: Workspace,
    store: OpenStore,
    progress: Callable[[int, int], object] | None,
    *,
    is_connected: bool,
) -> Iterator[Finding]:
    counts = store.index.counts()
    yield Finding.ok(
        "memories",
        "{n}, archived {archived}, {size} bytes of text",
        n=counts["memories"],
        archived=counts["archived"],
        size=f"{sum(s.size for s in store.files.scan()):,}",
    )
    for op in store.redone:
        yield Finding.mended(op.path, "finished a change that a crash had interrupted")
    for name in store.hidden:
        yield Finding.mended(name, "finished an encryption that a crash had interrupted")
    yield from _files(store)
    yield from _index(store, progress)
    yield from _core(store)
    yield from _overdue_episodes(app, store)
    yield from repository.git_findings(store, is_connected=is_connected)
    yield from _views(app, store)
    yield from _journal(store)
    yield from _changed_outside(store)
    yield from _permissions(app, store)
    yield from environment_checks.hooks(app, store)
    yield from environment_checks.waiting(app, store)
    yield from _leftovers(app, store)
    if store.settings.encrypt or store.files.exists("encrypted"):
        from recollect.features import encrypt  # seldom needed

        yield from encrypt.encryption_findings(app, store)
    yield Finding.ok(
        "disk",
        "files {files}, journal {journal}, sessions {sessions}, cache {cache}",
        **{part: f"{n / 1e6:.1f} MB" for part, n in mending.sizes(app, store).items()},
    )


def _core(store: OpenStore) -> Iterator[Finding]:
    cut, unseen = core_memory.without_room(store)
    for entry in cut:
        yield Finding.note(
            entry.path,
            "{n} tokens: longer than its share of the brief; sessions may see only its beginning",
            n=f"{entry.tokens:,}",
        )
    for entry in unseen:
        yield Finding.note(
            entry.path, "has no room in a full brief; sessions may see only its name"
        )


def _overdue_episodes(app: Workspace, store: OpenStore) -> Iterator[Finding]:
    due = count_overdue(store, app.now)
    if due:
        yield Finding.note(
            "episodes",
            "episodes due for the archive: {n}; each consolidation archives up to a tenth of the store, oldest first",
            n=due,
        )


def _files(store: OpenStore) -> Iterator[Finding]:
    for problem in store.problems:
        yield Finding.problem(problem.path, "{what}", what=problem.sentence)
    entries = store.index.entries(Filter())
    for entry in entries:
        if entry.problem:
            yield Finding.problem(entry.path, "{what}", what=entry.problem)
        if "~" in entry.id:
            yield Finding.problem(
                entry.path, "has the id of another memory; it is listed as {id}", id=entry.id
            )
    for path in unhidden(store):
        yield Finding.problem(
            path, "is private, and .gitignore does not list it; the next change to the store will"
        )
    known = {entry.id for entry in entries}
    for entry in entries:
        for name in entry.related:
            memory_id = name.partition("#")[0]
            if memory_id not in known and store.index.entry(memory_id) is None:
                yield Finding.problem(
                    entry.path, "is related to “{id}”, which does not exist", id=name
                )


def _health(app: Workspace, store: OpenStore) -> Health:
    entries = [e for e in store.index.entries(Filter()) if not is_sealed_path(e.path)]
    broken: list[tuple[str, str]] = []
    for entry in entries:
        with suppress(RecollectError):
            for said, target in links_in(entry.path, store.read(entry).text):
                beside = said.removeprefix("./")  # or meant from the root of the store
                if not any(_is_there(store, path) for path in (target, beside)):
                    broken.append((entry.path, said))
    uses = uses_in_store(app, store)
    found = examined(entries, {name: use.last for name, use in uses.items()}, broken, app.now)
    gone = dismissed_pairs(store)
    alike = [
        ids
        for ids in found.duplicates
        if not all(pair_of(*both) in gone for both in combinations(ids, 2))
    ]
    return found._replace(duplicates=alike)


def _is_there(store: OpenStore, path: str) -> bool:
    with suppress(OutsideStore):
        return store.files.exists(path)
    return False


def _odd(health: Health) -> Iterator[Finding]:
    """Oddities worth a look some day; none is a problem."""
    for ids in health.duplicates[:MOST_NAMED]:
        yield Finding.note("duplicates", "nearly identical: {ids}", ids=", ".join(ids))
    for path, said in health.broken_links[:MOST_NAMED]:
        yield Finding.note(path, "points to {target}, which does not exist", target=said)
    if health.stale:
        yield Finding.note(
            "stale",
            "neither used nor changed for {days} days: {n}, such as {id}",
            days=STALE_DAYS,
            n=len(health.stale),
            id=health.stale[0],
        )
    if health.untagged:
        yield Finding.note(
            "untagged",
            "pages without tags: {n}, such as {id}",
            n=len(health.untagged),
            id=health.untagged[0],
        )
    if health.never_accessed:
        yield Finding.note(
            "unused",
            "older than {days} days and never used: {n}, such as {id}",
            days=SETTLED_DAYS,
            n=len(health.never_accessed),
            id=health.never_accessed[0],
        )


def _index(store: OpenStore, progress: Callable[[int, int], object] | None) -> Iterator[Finding]:
    wrong, inside = mending.unlike_files(store), store.index.differences(progress)
    if not wrong and not inside:
        yield Finding.ok("index", "matches the files on disk: {n}", n=len(store.index.known()))
    for path in wrong[:MOST_NAMED]:
        yield Finding.problem(
            path, "differs from the index; `recollect doctor --repair` rebuilds it"
        )
    for what in inside[:MOST_NAMED]:
        yield Finding.problem("index", "{what}; `recollect doctor --repair` rebuilds it", what=what)


def _views(app: Workspace, store: OpenStore) -> Iterator[Finding]:
    is_held = derived_files.is_facts_held(app, store)
    if is_held and (what := derived_files.unreadable_facts(facts_text(store))):
        yield Finding.problem(
            FACTS_JSON, "{what}; fix it, or move it away to have it rebuilt", what=what
        )
    elif is_held:
        yield Finding.note(
            FACTS_JSON,
            "says more than the memories: `recollect import` takes in what is new; then move it away to have it rebuilt",
        )
    if old := [n for n in mending.old_views(store) if not (is_held and n == FACTS_JSON)]:
        yield Finding.note(
            "views",
            "missing or out of date: {names}; `recollect consolidate` writes them",
            names=", ".join(old),
        )


def _journal(store: OpenStore) -> Iterator[Finding]:
    ops = store.journal.heads()
    bad = store.journal.problems[:MOST_NAMED]
    if not bad:
        yield Finding.ok("journal", "changes: {n}, all readable", n=len(ops))
    for problem in bad:
        yield Finding.problem(problem.path, "{what}; it is skipped", what=problem.sentence)
    own, files = store.journal.sessions(), store.journal.files()
    if own or any(map(is_folded, files)):
        yield Finding.ok(
            "journal",
            "session files: {n}, compacted: {folded}",
            n=len(own),
            folded=sum(map(is_folded, files)),
        )


def _changed_outside(store: OpenStore) -> Iterator[Finding]:
    """Files that were emptied, deleted, truncated or edited outside of commands."""
    last = last_stamps(store.journal.heads())
    now = {path: store.files.stamp(path) for path in last}
    for path in [p for p in last if now[p] == EMPTY != last[p]][:MOST_NAMED]:
        yield Finding.problem(
            path, "is empty; remove it, and `recollect undo --gone` restores its text"
        )
    gone = [change.path for change in gone_files(store)]
    if gone:
        yield Finding.note(
            "files",
            "deleted outside of commands: {n}, such as {path}; `recollect undo --gone` restores them",
            n=len(gone),
            path=gone[0],
        )
    for path in [
        p for p in last if now[p] not in (None, EMPTY, last[p]) and _is_cut_off(store, p, last[p])
    ]:
        yield Finding.problem(
            path, "is truncated; remove it, and `recollect undo --gone` restores it"
        )
    edited = sum(stamp not in (None, EMPTY, last[path]) for path, stamp in now.items())
    if edited:
        yield Finding.ok("files", "changed by hand since a command wrote them: {n}", n=edited)


def _is_cut_off(store: OpenStore, path: str, stamp: str | None) -> bool:
    """Whether a file is the beginning of its text in the journal, cut off within a line.

    A person who removes lines removes whole ones.
    """
    known = store.journal.text_of(stamp)
    try:
        text = store.files.read(path).text
    except RecollectError:
        return False
    start = text.rstrip("\0")
    is_whole = text == start and start.endswith("\n")
    return (
        known is not None and not is_whole and len(start) < len(known) and known.startswith(start)
    )


def _permissions(app: Workspace, store: OpenStore) -> Iterator[Finding]:
    root = store.root
    if not os.access(root, os.W_OK):
        yield Finding.problem("permissions", "the store is read-only")
    for path in mending.blocked_locks(app, store):
        yield Finding.problem(
            "lock", "{path} is not a file, so the lock cannot be taken; remove it", path=path
        )
    roots = (root, app.cache_of(root))
    readable = [path for root in roots for path in sorted(mending.open_to_others(root))]
    if not readable:
        yield Finding.ok("permissions", "only you can read the store and its cache")
    else:
        yield Finding.note(
            "permissions",
            "readable by others: {n}, such as {path}; --repair makes them private",
            n=len(readable),
            path=readable[0],
        )


def _leftovers(app: Workspace, store: OpenStore) -> Iterator[Finding]:
    old = mending.half_written(app, store)
    running = mending.processes(store)
    if old:
        yield Finding.note(
            "leftovers", "half-written by crashed processes: {n}; --repair removes them", n=len(old)
        )
    elif running:
        yield Finding.ok(
            "leftovers", "running: {names}; no half-written file", names=", ".join(running)
        )
    else:
        yield Finding.ok("leftovers", "no process of ours, no half-written file")


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
                "sentence": filled(finding.sentence, **finding.fields),
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
