"""Publish: the views and the brief, made from what the index and the files say.

Promises: a view is written only when its bytes change; one that somebody edited is left to them
until they have decided what of it holds; a brief names the files it was made of, so that a hook can
tell whether it is still true.
Touches: the ports behind the store it is given.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from recollect.domain import brief, factsview, views
from recollect.domain.codec import memory_from_text
from recollect.domain.facts import Fact
from recollect.domain.model import Entry, Filter, Memory
from recollect.errors import RecollectError
from recollect.fsio import stamp_of
from recollect.named import NamedTuple
from recollect.services.opened import OpenStore

if TYPE_CHECKING:
    from typing import Protocol

    from recollect.domain.session import SessionState
else:
    Protocol = object  # to define a protocol takes a quarter of a millisecond

INDEX_PAGE = "MEMORY.md"
INDEX_JSON = ".index.json"
FACTS_JSON = "facts.json"
MOST_SESSIONS_READ = 12
MOST_FACTS_READ = 40
ASKED_AT_ONCE = 100
FACT_KINDS = ("decision", "pattern", "rule", "issue")


class LastFacts(Protocol):
    """What is known of how `facts.json` was last written here."""

    def text(self) -> str:
        """Its text; nothing where it is not known."""

    def is_ours(self, text: str) -> bool:
        """Whether this is what we were about to write when a process ended."""

    def begin(self, text: str) -> None:
        """Note that this is about to be written."""

    def end(self, text: str) -> None:
        """Note that this is written."""

    def state(self) -> str:
        """What `keep_state` was told last, by this version."""

    def keep_state(self, state: str) -> None:
        """Note of what all views were made, and how they look."""


class Published(NamedTuple):
    """The names of the views that were written, and the memories they are of."""

    written: list[str]
    entries: list[Entry]
    is_held: bool = False  # whether `facts.json` was left alone, as somebody has edited it


def publish_views(store: OpenStore, last: LastFacts | None = None) -> Published:
    """Write the views whose bytes changed; with `last`, `facts.json` only if nobody edited it since.

    Under the lock, so that of two processes the one that saw less never writes last.
    """
    with store.files.locked():
        entries = store.index.entries(Filter())
        made_of = _made_of(store, entries)
        there = map(store.files.stamp, (INDEX_PAGE, INDEX_JSON, FACTS_JSON))
        if last and last.state() == _state(made_of, there) and last.text() == facts_text(store):
            return Published([], entries)
        pages = pages_of(store, entries)
        facts = pages[FACTS_JSON]
        is_held = last is not None and _is_held(store, last, facts)
        if is_held:
            del pages[FACTS_JSON]
        elif last:
            last.begin(facts)
        written = [name for name, text in pages.items() if store.files.write_view(name, text)]
        if last and not is_held:
            last.end(facts)
            ours = (stamp_of(text.encode("utf-8", "surrogateescape")) for text in pages.values())
            last.keep_state(_state(made_of, ours))
        return Published(written, entries, is_held)


def _made_of(store: OpenStore, entries: Iterable[Entry]) -> str:
    """The stamp of all that the views are made of."""
    chosen = store.settings
    files = [(entry.stamp, entry.path, entry.id) for entry in entries]
    return stamp_of(
        repr((chosen.lang, chosen.view_rows, files)).encode("utf-8", "backslashreplace")
    )


def _state(made_of: str, stamps: Iterable[str | None]) -> str:
    return " ".join([made_of, *map(str, stamps)])


def _is_held(store: OpenStore, last: LastFacts, now: str) -> bool:
    text = facts_text(store)
    if text in ("", now):
        return False
    base = last.text()
    if text == base or last.is_ours(text):
        return False
    from recollect.domain import factsedits  # seldom needed

    return factsedits.is_held(text, base, now)


def facts_text(store: OpenStore) -> str:
    """`facts.json` as it stands there; nothing where it cannot be read."""
    try:
        return store.files.read(FACTS_JSON).text
    except RecollectError:
        return ""


def pages_of(store: OpenStore, entries: Sequence[Entry] | None = None) -> dict[str, str]:
    """The views as they should be now, by name; `entries` are the memories, if at hand."""
    entries = store.index.entries(Filter()) if entries is None else entries
    return {
        INDEX_PAGE: views.index_page(entries, store.settings.lang, store.settings.view_rows),
        INDEX_JSON: views.index_json(entries),
        FACTS_JSON: facts_page(store, entries),
    }


def facts_page(store: OpenStore, entries: Sequence[Entry]) -> str:
    """`facts.json` as it should be now, of these memories."""
    return factsview.facts_json(entries, _reasons(store, entries))


def _reasons(store: OpenStore, entries: Iterable[Entry]) -> dict[str, str]:
    """What the decisions among these memories say below their titles, by id."""
    ids = [entry.id for entry in entries if entry.kind == "decision"]
    found: dict[str, str] = {}
    for start in range(0, len(ids), ASKED_AT_ONCE):
        heads = store.index.by_ids(ids[start : start + ASKED_AT_ONCE])
        for head in heads:
            reason = factsview.reason_of(head.text, head.title)
            found[head.id] = factsview.reason_line(reason)  # never the whole texts of all
    return found


def make_brief(
    stores: Sequence[tuple[OpenStore, Sequence[Entry]]],
    running: Iterable[SessionState],
    *,
    lang: str,
    budget: int,
    nonce: str,
    project: str,
) -> tuple[str, list[str], list[str]]:
    """`(text, ids, paths)`: the brief over these stores and the files that it tells of.

    Each store comes with its memories; `running` are the sessions that go on now.
    """
    entries: list[Entry] = []
    memories: list[Memory | Entry] = []
    paths: list[str] = []
    for store, every in stores:
        here = [entry for entry in every if entry.status != "superseded"]
        entries += here
        for entry in _quoted(here):
            if not _is_quoted(entry):
                memories.append(entry)
                paths.append(f"{store.files.root}/{entry.path}")
                continue
            try:
                document = store.read(entry)
            except RecollectError:
                continue
            memory = memory_from_text(document.text, entry.path)
            memories.append(memory._replace(id=entry.id))
            paths.append(f"{store.files.root}/{entry.path}")
    going_on = [(state.task, state.started[:10], _said(state)) for state in running if state.task]
    matter = brief.gather(entries, memories, going_on, project=project)
    text, ids = brief.render(matter, lang, budget, nonce)
    return text, ids, paths


def _quoted(entries: Sequence[Entry]) -> list[Entry]:
    """The memories that a brief may quote: core files, newest sessions, newest facts."""
    core = [e for e in entries if e.path.startswith("core/")]
    sessions = [e for e in entries if e.kind in ("session", "conversation")]
    facts = [e for e in entries if e.kind in FACT_KINDS and not e.path.startswith("core/")]
    return [*core, *facts[:MOST_FACTS_READ], *sessions[:MOST_SESSIONS_READ]]


def _is_quoted(entry: Entry) -> bool:
    """Whether a brief tells what is in this file; of other facts it tells the title."""
    return entry.kind in ("session", "conversation", "rule") or entry.path.startswith("core/")


def _said(state: SessionState) -> list[Fact]:
    rows = [("decision", row) for row in state.decisions] + [
        ("pattern", row) for row in state.patterns
    ]
    return [Fact(k, r["content"], r["reason"], r["category"], source=r["source"]) for k, r in rows]


def as_hook_output(text: str) -> str:
    """A brief as the hook prints it."""
    output = {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": text}}
    return json.dumps(output, ensure_ascii=False) + "\n"
