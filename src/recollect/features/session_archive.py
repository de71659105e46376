"""Archive old sessions and write one page per month.

A month is one change, idempotent and resumable. A session keeps its id, text and raw conversation.
What a person wrote or brought back stays.
"""

from __future__ import annotations

import os
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from typing import Any

from recollect._fastimport import NamedTuple
from recollect.consolidate import run
from recollect.consolidate.apply import moves
from recollect.consolidate.claim_cache import cached_claims
from recollect.context.brief_input import MOST_SESSIONS
from recollect.context.left_off import TRUSTED, session_title
from recollect.errors import RecollectError
from recollect.features.sessions import OLD_DAYS
from recollect.model import document, frontmatter
from recollect.model.entries import RECENT_END, RECENT_START, without_comments
from recollect.model.facts import code_in
from recollect.model.memory import (
    CORE,
    SESSION_KINDS,
    Change,
    Document,
    Entry,
    Filter,
    Memory,
    id_from,
    is_id,
)
from recollect.model.times import time_of
from recollect.store import locations
from recollect.store.background import COMPRESSED
from recollect.store.history import arrivals
from recollect.store.store import OpenStore
from recollect.text.sentences import shortened
from recollect.text.tokens import count_tokens
from recollect.workspace import Workspace

RECENT_TOKENS = 300
START, END = RECENT_START, RECENT_END
LONGEST_TITLE = 80
MOST_TOPICS = 4
_LEFT_OUT = ("files", "文件", "metadata", "元数据")  # headings of sections that no page needs
_WORDS = {
    "en": {
        "page": "Sessions of {month}",
        "recent": "Before the last sessions",
        "month": "sessions: {n}",
        "about": "sessions: {n}, about {tags}",
    },
    "zh": {
        "page": "{month} 的会话",
        "recent": "更早的会话",
        "month": "{n} 次会话",
        "about": "{n} 次会话，涉及 {tags}",
    },
}
_HEADING = re.compile(r" {0,3}#{1,5}(?=[ \t])")


def with_session(page: str, heading: str, mark: str, text: str) -> str:
    """The page with a section for a session, if it has none: a comment says which one it is."""
    comment = f"<!-- {mark} -->"
    if comment in page:
        return page
    title = " ".join(heading.split()).replace("<!--", "‹!--")
    body = _one_level_down(text.strip()).replace("<!-- memory:", "‹!-- memory:")
    section = f"## {title}\n{comment}\n" + (f"\n{body}\n" if body else "")
    return f"{page.rstrip()}\n\n{section}"


def _one_level_down(text: str) -> str:
    lines = text.splitlines()
    in_code = code_in(lines)
    return "\n".join(
        line if inside else _HEADING.sub(r"\g<0>#", line, count=1)
        for line, inside in zip(lines, in_code, strict=True)
    )


def digest_of(memory: Memory) -> str:
    """What a page says of a session's memory: all but the list of its files."""
    found = []
    for section in document.sections_of(memory.body):
        if section.heading.strip().casefold() in _LEFT_OUT:
            continue
        text = without_comments(section.text)
        if not section.heading:
            text = re.sub(r"\A#[ \t].*", "", text).strip()
        if text:
            found.append(f"## {section.heading}\n\n{text}" if section.heading else text)
    return "\n\n".join(found)


def recent_block(
    entries: Iterable[Entry], since: str, lang: str, title_of: Callable[[Entry], str]
) -> str:
    """What came before the sessions that a brief lists: the days since then, and whole months.

    The newest first, as far as the budget goes; `title_of` says what a session may be called.
    """
    sessions = [e for e in entries if e.kind in SESSION_KINDS and not e.private]
    sessions.sort(key=lambda entry: (entry.created, entry.id), reverse=True)
    older = sessions[MOST_SESSIONS:]
    days: dict[str, list[Entry]] = {}
    for entry in older:
        day = entry.created[:10]
        days.setdefault(day if day >= since else day[:7], []).append(entry)
    lines: list[str] = []
    left = RECENT_TOKENS - count_tokens(f"{START}\n## {_WORDS[lang]['recent']}\n{END}")
    for when, found in sorted(days.items(), reverse=True):
        told = _titles(map(title_of, found)) if len(when) > 7 else ""
        line = f"- {when}: {told or _topics(found, lang)}"
        left -= count_tokens(line) + 1
        if left < 0:
            break
        lines.append(line)
    return "\n".join([f"## {_WORDS[lang]['recent']}", "", *lines]) if lines else ""


def _titles(titles: Iterable[str]) -> str:
    short = (shortened(" ".join(title.split()), LONGEST_TITLE) for title in titles)
    lines = (re.sub(r"<!--|-->", "", title) for title in short)
    return "; ".join(filter(None, dict.fromkeys(lines)))


def _topics(entries: Sequence[Entry], lang: str) -> str:
    counts = Counter(tag for one in entries if one.trust in TRUSTED for tag in one.tags)
    tags = sorted(counts, key=lambda tag: (-counts[tag], tag))[:MOST_TOPICS]
    say = _WORDS[lang]
    joined = ("、" if lang == "zh" else ", ").join(" ".join(tag.split()) for tag in tags)
    return say["about" if tags else "month"].format(n=len(entries), tags=joined)


def with_recent(body: str, block: str) -> str:
    """The body with this block between its marks; all else stays as it is."""
    start, end = body.find(START), body.find(END)
    inner = f"{START}\n{block}\n{END}" if block else f"{START}\n{END}"
    if 0 <= start < end:
        return body[:start] + inner + body[end + len(END) :]
    if not block:
        return body
    return f"{body.rstrip()}\n\n{inner}\n" if body.strip() else f"{inner}\n"


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
    months: defaultdict[str, tuple[list[Entry], list[str]]] = defaultdict(lambda: ([], []))
    for entry in _old_sessions(store, staying, before):
        months[entry.created[:7]][0].append(entry)
    for name in sorted(files):
        if _DATED.match(name) and name.endswith(".md") and name[:10] < before:
            months[name[:7]][1].append(name)
    done: list[Month] = []
    for month, found in sorted(months.items()):
        plan = partial(_month_changes, store, month, *found)
        done += store.carry_out(plan, cause=CAUSE, tries=TRIES, dry_run=dry_run)
    return done


def _old_sessions(store: OpenStore, staying: Collection[str], before: str) -> list[Entry]:
    """The sessions that nobody went on with, changed, captured or brought back since that day."""
    ops = store.journal.heads()
    arrived = arrivals(ops)
    moved = (op for op in ops if op.op == "move" and op.path.startswith("archive/"))
    brought_back = {op.memory for op in moved if not op.to.startswith("archive/")}
    return [
        entry
        for kind in SESSION_KINDS
        for entry in store.every_entry(Filter(kind=kind))
        if entry.kind == kind
        and entry.created
        and max(entry.created, entry.updated, arrived.get(entry.id, ""))[:10] < before
        and not entry.private
        and entry.session not in staying
        and entry.id not in staying
        and entry.id not in brought_back
        and entry.path.removeprefix("archive/").startswith("episodic/")
    ]


def _month_changes(
    store: OpenStore, month: str, entries: list[Entry], files: list[str]
) -> tuple[list[Month], list[Change]]:
    """What is new on the page of a month, if anything; that page, and the moves of what was hot."""
    path = f"{FOLDER}/{month}.md"
    old = store.files.read(path) if store.files.exists(path) else None
    page = old.text if old else f"# {_WORDS[store.settings.lang]['page'].format(month=month)}\n"
    changes: list[Change] = []
    memories: list[str] = []
    for entry in sorted(entries, key=lambda one: (one.created, one.id)):
        memory = store.memory(entry)
        heading = f"{entry.created[:10]} {memory.title}"
        new = with_session(page, heading, f"memory: {entry.id}", digest_of(memory))
        if new != page or not entry.archived:
            memories.append(entry.id)
        if not entry.archived:
            changes += moves(store, entry.id, entry.path, f"archive/{entry.path}")
        page = new
    names = [name for name in files if store.files.exists(f"sessions/{name}")]
    for name in names:
        file = store.files.read(f"sessions/{name}")
        stem = name.removesuffix(".md")
        memory_id = store.free_id(stem if is_id(stem) else id_from(stem))
        page = _with_file(page, memory_id, file)
        changes += _file_changes(store, memory_id, file)
    if old is None or page != old.text:
        changes.append(Change("put", path, "", old.stamp if old else None, page))
    done = [Month(month, path, tuple(memories), tuple(names))] if changes else []
    return done, changes


def _file_changes(store: OpenStore, memory_id: str, file: Document) -> list[Change]:
    """A session file becomes a memory in the archive, where it is found."""
    stem = document.stem_of(file.path)
    path = f"archive/episodic/{memory_id}/summary.md"
    gone = Change("remove", file.path, "", file.stamp)
    if store.files.exists(path):
        return [gone]
    created = time_of(_CLOCK.sub(r"\1 \2:\3", stem)) or time_of(stem[:10])
    about = {"title": _title_of(file), "kind": "session", "trust": "agent"}
    text = document.new_page(path, memory_id, file.text, created, **about)
    return [Change("put", path, memory_id, None, text), gone]


def _title_of(file: Document) -> str:
    return document.memory_from_text(file.text, file.path).title


def _with_file(page: str, memory_id: str, file: Document) -> str:
    text = re.sub(r"\A\s*#[ \t].*", "", file.text)
    heading = f"{document.stem_of(file.path)[:10]} {_title_of(file)}"
    return with_session(page, heading, f"memory: {memory_id}", text)


# -------------------------------------------------------------------------------- recent.md


def renew_recent(store: OpenStore, since: str, *, dry_run: bool = False) -> bool:
    """Bring the block in `core/recent.md` up to date; False if it is."""

    def plan() -> tuple[bool, list[Change]]:
        change = _recent_change(store, since)
        return change is not None, [change] if change else []

    return store.carry_out(plan, cause=CAUSE, tries=TRIES, dry_run=dry_run)


def _archive_title(store: OpenStore, entry: Entry) -> str:
    if entry.trust in TRUSTED:
        return entry.title
    try:
        return session_title(store.memory(entry))
    except RecollectError:
        return ""


def _recent_change(store: OpenStore, since: str) -> Change | None:
    block = recent_block(
        store.every_entry(), since, store.settings.lang, partial(_archive_title, store)
    )
    if not store.files.exists(RECENT):
        if not block:
            return None
        name = store.free_id("recent")
        about = {"title": block.partition("\n")[0].lstrip("# "), "trust": "agent"}
        text = document.new_page(RECENT, name, with_recent("", block), store.now, **about)
        return Change("put", RECENT, name, None, text)
    old = store.files.read(RECENT)
    front = frontmatter.split_front(old.text)
    body = with_recent(front.body, block)
    if body == front.body:
        return None
    text = document.with_body(old.text, body)
    if front.lines:
        text = document.with_field(text, "updated", store.now)
    return Change("put", RECENT, document.memory_from_text(old.text, RECENT).id, old.stamp, text)


class Compressed(NamedTuple):
    """What was put away of a store."""

    scope: str
    root: str
    months: list[Month]
    recent: bool  # whether core/recent.md was renewed

    def as_json(self) -> dict[str, Any]:
        """What `--json` shows."""
        months = [one._replace(path=os.path.join(self.root, one.path)) for one in self.months]
        return {"scope": self.scope, "months": months, "recent": self.recent}


def compress_if_due(app: Workspace, store: OpenStore) -> bool:
    """Put old sessions away where that was not done today; gives whether anything changed."""
    if store.index.meta(COMPRESSED) == app.now[:10]:
        return False
    done = compress_store(app, store)
    store.index.set_meta({COMPRESSED: app.now[:10]})
    return bool(done.months or done.recent)


def compress_store(
    app: Workspace, store: OpenStore, *, days: int = OLD_DAYS, dry_run: bool = False
) -> Compressed:
    """Put the sessions of one store away that are older than so many days.

    The next consolidation still reads them. One that says what waits for a person stays.
    """
    before = locations.utc(app.started_ns / 1e9 - days * 86_400)[:10]
    states = app.sessions(store).every()
    staying = {state.session_id for state in states if state.status == "active"}
    months: list[Month] = []
    recent = False
    with store.one_change():
        files = _session_files(store)
        if CORE not in store.settings.encrypt:
            recent = renew_recent(store, before, dry_run=dry_run)
        if "episodic" not in store.settings.encrypt:  # else the page of a month would be plain
            months = compress(store, files, staying, before, dry_run=True)
        if months:
            with cached_claims(app, store) as known:
                staying |= {wait.mark.episode for wait in run.waiting(store, known)}
            months = compress(store, files, staying, before, dry_run=dry_run)
    return Compressed(store.scope, store.root, months, recent)


def _session_files(store: OpenStore) -> list[str]:
    folder = os.path.join(store.root, "sessions")
    if not os.path.isdir(folder) or os.path.islink(folder):
        return []
    names = (entry for entry in os.scandir(folder) if entry.is_file(follow_symlinks=False))
    return [entry.name for entry in names if entry.name.endswith(".md")]
