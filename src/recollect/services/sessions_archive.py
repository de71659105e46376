"""Sessions archive: old sessions go cold, and each month of them gets one page to read.

Promises: a month goes in one change, which can be undone; doing it again changes nothing, and
after a crash it goes on where it stopped; a session keeps its id, its words and its raw
conversation, which `show --level 3` and a search of the archive find; what a person wrote on a
page, or brought back, stays.
Touches: the ports behind the store it is given.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import partial

from recollect.domain import brief, codec, layers, monthly
from recollect.domain.codec.fields import stem_of, time_of
from recollect.domain.model import Change, Document, Entry, Filter
from recollect.domain.names import id_from, is_id
from recollect.errors import RecollectError
from recollect.named import NamedTuple
from recollect.services.consolidate.applying import moves
from recollect.services.opened import OpenStore

FOLDER = "sessions/archive"
RECENT = "core/recent.md"
CAUSE = "compress"
TRIES = 3
_DATED = re.compile(r"\d{4}-\d{2}-\d{2}")
_CLOCK = re.compile(r"\A(\d{4}-\d{2}-\d{2})_(\d{2})(\d{2}).*", re.S)


class Month(NamedTuple):
    """What goes to the page of a month."""

    month: str
    path: str
    memories: tuple[str, ...]  # ids
    files: tuple[str, ...]  # session files, by name


class _Found(NamedTuple):
    """The old sessions of a month."""

    entries: list[Entry]
    files: list[str]


def compress(
    store: OpenStore,
    files: Iterable[str],
    staying: Collection[str],
    before: str,
    *,
    dry_run: bool = False,
) -> list[Month]:
    """Archive the sessions of before that day, a change for each month; gives what was done.

    `files` are the names of the session files in the folder `sessions`; `staying` are the sessions
    that go on, and the memories that say what waits for a person.
    """
    months: dict[str, _Found] = {}
    for entry in _old_sessions(store, staying, before):
        months.setdefault(entry.created[:7], _Found([], [])).entries.append(entry)
    for name in sorted(files):
        if _DATED.match(name) and name.endswith(".md") and name[:10] < before:
            months.setdefault(name[:7], _Found([], [])).files.append(name)
    done = []
    for month, found in sorted(months.items()):
        planned = _Planned(store, month, found)
        if dry_run:
            planned.changes()
        else:
            store.commit(planned.changes, cause=CAUSE, tries=TRIES)
        if planned.done:
            done.append(planned.done)
    return done


def _old_sessions(store: OpenStore, staying: Collection[str], before: str) -> list[Entry]:
    """The sessions that nobody went on with, changed or brought back since that day."""
    ops = store.journal.heads()
    moved = (op for op in ops if op.op == "move" and op.path.startswith("archive/"))
    brought_back = {op.memory for op in moved if not op.to.startswith("archive/")}
    return [
        entry
        for archived in (False, True)
        for kind in monthly.KINDS
        for entry in store.index.entries(Filter(kind=kind, archived=archived))
        if entry.kind == kind
        and entry.created
        and max(entry.created, entry.updated)[:10] < before
        and not entry.private
        and entry.session not in staying
        and entry.id not in staying
        and entry.id not in brought_back
        and entry.path.removeprefix("archive/").startswith("episodic/")
    ]


class _Planned:
    """The change that archives a month; planned anew for each try."""

    def __init__(self, store: OpenStore, month: str, found: _Found) -> None:
        self._store, self._month, self._found = store, month, found
        self.done: Month | None = None

    def changes(self) -> list[Change]:
        """The moves of what was hot, and the page."""
        store, path = self._store, f"{FOLDER}/{self._month}.md"
        old = store.files.read(path) if store.files.exists(path) else None
        page = old.text if old else f"# {monthly.page_title(self._month, store.settings.lang)}\n"
        changes: list[Change] = []
        memories: list[str] = []
        for entry in sorted(self._found.entries, key=lambda one: (one.created, one.id)):
            new = self._with_memory(page, entry)
            if new != page or not entry.archived:
                memories.append(entry.id)
            if not entry.archived:
                changes += moves(store, entry.id, entry.path, f"archive/{entry.path}")
            page = new
        names = [name for name in self._found.files if store.files.exists(f"sessions/{name}")]
        for name in names:
            document = store.files.read(f"sessions/{name}")
            memory_id = self._id_of(name)
            page = _with_file(page, memory_id, document)
            changes += self._file_changes(memory_id, document)
        if old is None or page != old.text:
            changes.append(Change("put", path, "", old.stamp if old else None, page))
        self.done = Month(self._month, path, tuple(memories), tuple(names)) if changes else None
        return changes

    def _with_memory(self, page: str, entry: Entry) -> str:
        memory = codec.memory_from_text(self._store.read(entry).text, entry.path)
        heading = f"{entry.created[:10]} {memory.title}"
        return monthly.with_session(page, heading, f"memory: {entry.id}", monthly.digest_of(memory))

    def _id_of(self, name: str) -> str:
        stem = name.removesuffix(".md")
        return self._store.free_id(stem if is_id(stem) else id_from(stem))

    def _file_changes(self, memory_id: str, document: Document) -> list[Change]:
        """A session file becomes a memory in the archive, where it is found."""
        stem = stem_of(document.path)
        path = f"archive/episodic/{memory_id}/summary.md"
        gone = Change("remove", document.path, "", document.stamp)
        if self._store.files.exists(path):
            return [gone]
        created = time_of(_CLOCK.sub(r"\1 \2:\3", stem)) or time_of(stem[:10])
        title = _title_of(document, stem)
        fields = {
            **codec.default_fields(path),
            "id": memory_id,
            "title": title,
            "kind": "session",
            "trust": "agent",
            "created": created,
            "updated": created,
            "last-accessed": created[:10],
            "retention": "temporary",
            "decay-after": layers.decay_day(created),
        }
        return [Change("put", path, memory_id, None, codec.new_text(fields, document.text)), gone]


def _title_of(document: Document, stem: str) -> str:
    title = codec.memory_from_text(document.text, document.path).title
    return title or stem


def _with_file(page: str, memory_id: str, document: Document) -> str:
    stem = stem_of(document.path)
    text = re.sub(r"\A\s*#[ \t].*", "", document.text)
    heading = f"{stem[:10]} {_title_of(document, stem)}"
    return monthly.with_session(page, heading, f"memory: {memory_id}", text)


# -------------------------------------------------------------------------------- recent.md


def renew_recent(store: OpenStore, since: str, *, dry_run: bool = False) -> bool:
    """Bring the block in `core/recent.md` up to date; False if it is."""
    changed: list[bool] = []

    def plan() -> Sequence[Change]:
        change = _recent_change(store, since)
        changed[:] = [change is not None]
        return [change] if change else []

    if dry_run:
        plan()
    else:
        store.commit(plan, cause=CAUSE, tries=TRIES)
    return changed[-1]


def _title_said(store: OpenStore, entry: Entry) -> str:
    if entry.trust in brief.TRUSTED:
        return entry.title
    try:
        text = store.read(entry).text
    except RecollectError:
        return ""
    return brief.title_said(codec.memory_from_text(text, entry.path))


def _recent_change(store: OpenStore, since: str) -> Change | None:
    entries = [e for a in (False, True) for e in store.index.entries(Filter(archived=a))]
    block = monthly.recent_block(entries, since, store.settings.lang, partial(_title_said, store))
    if not store.files.exists(RECENT):
        if not block:
            return None
        name = store.free_id("recent")
        fields = {
            **codec.default_fields(RECENT),
            "id": name,
            "title": block.partition("\n")[0].lstrip("# "),
            "trust": "agent",
            "created": store.now,
            "updated": store.now,
            "last-accessed": store.now[:10],
        }
        return Change(
            "put", RECENT, name, None, codec.new_text(fields, monthly.with_recent("", block))
        )
    old = store.files.read(RECENT)
    front = codec.split_front(old.text)
    body = monthly.with_recent(front.body, block)
    if body == front.body:
        return None
    text = codec.with_body(old.text, body)
    if front.lines:
        text = codec.with_field(text, "updated", store.now)
    return Change("put", RECENT, codec.memory_from_text(old.text, RECENT).id, old.stamp, text)
