"""Add, extract, resolve and clear facts."""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from recollect._fastimport import NamedTuple
from recollect.context.views import is_fact
from recollect.errors import FileNotThere, MemoryNotFound
from recollect.features import facts as service
from recollect.features.facts import FactOrigin, FactResult
from recollect.model.document import time_of
from recollect.model.facts import Fact, Listing, UnparsedLines, read_facts, tidied
from recollect.model.memory import is_id
from recollect.store.store import OpenStore
from recollect.workspace import Workspace, current_session, trust_of

MOST_UNREAD = 50  # lines that are looked for in the text that something was taken out of
SESSION_FILES = "sessions"  # the folder of a store with the session files that an agent writes


class FactSource(NamedTuple):
    """A text that lists facts, where it comes from, and what that says about them."""

    name: str
    text: str
    origin: FactOrigin
    instructed: bool = False  # whether `source: instructed` in it is to be believed


class ExtractFactsResult(NamedTuple):
    """What was taken out of a text."""

    source: str
    facts: list[FactResult]
    unread: list[UnparsedLines]

    def as_json(self) -> dict[str, Any]:
        """What `--json` shows."""
        new = [row.kind for row in self.facts if row.what == "created"]
        return {
            "source": self.source,
            "decisions": new.count("decision"),
            "patterns": new.count("pattern"),
            "issues": new.count("issue"),
            "facts": [row.as_json() for row in self.facts],
            "unread": self.unread,
        }


def add(
    app: Workspace, fact: Fact, tags: tuple[str, ...], *, scope: str, dry_run: bool
) -> FactResult:
    """Keep a fact that somebody states, in the project's store or the one that is named."""
    store = app.store(scope)
    origin = FactOrigin(
        trust=trust_of(app.env),
        source="instructed",
        session=current_session(app.env)[1] or _session_of_terminal(app, store),
        tags=tuple(map(app.redact, tags)),
    )
    return _shown(store, service.add(store, fact, origin, dry_run=dry_run))


def _session_of_terminal(app: Workspace, store: OpenStore) -> str:
    if not os.path.isdir(os.path.join(store.files.root, "sessions", "active")):
        return ""  # the most usual; what reads sessions takes long to load
    from recollect.features.sessions import session_of_terminal

    return session_of_terminal(app, store)


def resolve(app: Workspace, name: str, *, scope: str, dry_run: bool) -> FactResult:
    """Note that an issue is resolved; the project's store is looked at first.

    Raises FactNotFound.
    """
    stores = app.stores(scope)
    store = next((s for s in stores if service.find(s, name) is not None), stores[0])
    return _shown(store, service.resolve(store, name, dry_run=dry_run))


def clear(app: Workspace, kinds: Sequence[str], *, scope: str, dry_run: bool) -> list[FactResult]:
    """Move facts into the archive."""
    store = app.store(scope)
    return [_shown(store, kept) for kept in service.clear(store, kinds, dry_run=dry_run)]


def _shown(store: OpenStore, kept: FactResult) -> FactResult:
    return kept._replace(scope=store.scope, path=os.path.join(store.files.root, kept.path))


# --------------------------------------------------------------------------------- extracting


def extract(app: Workspace, source: FactSource, *, scope: str, dry_run: bool) -> ExtractFactsResult:
    """Take the facts out of a text; what is private in it goes before anything is read."""
    store = app.store(scope)
    text = app.redact(source.text)
    listing = read_facts(text)
    said = [(tidied(fact), _origin_of(fact, source)) for fact in listing.facts]
    kept = service.extract(store, said, dry_run=dry_run)
    unread = listing.unread if text == source.text else _as_in_file(app, source.text, listing)
    return ExtractFactsResult(source.name, [_shown(store, one) for one in kept], unread)


def _origin_of(fact: Fact, source: FactSource) -> FactOrigin:
    is_said = source.instructed and fact.source == "instructed"
    return source.origin._replace(trust="user") if is_said else source.origin


def _as_in_file(app: Workspace, text: str, listing: Listing) -> list[UnparsedLines]:
    """What could not be read, by the lines of the text before anything was taken out of it."""
    ends = [at + 1 for at, char in enumerate(text) if char == "\n"]
    found: list[UnparsedLines] = []
    few, rest = listing.unread[: MOST_UNREAD - 1], listing.unread[MOST_UNREAD - 1 :]
    if rest:  # the last ones as one
        few = [*few, rest[0]._replace(last=rest[-1].last)]
    for one in few:
        lines = [
            # As many whole lines of the file as leave so many lines when they are redacted.
            1 + bisect_left(ends, number, key=lambda end: app.redact(text[:end]).count("\n"))
            for number in (one.line, one.last)
        ]
        found.append(one._replace(line=lines[0], last=lines[1]))
    return found


def source_of_text(text: str, name: str) -> FactSource:
    """A text that somebody hands over; session files are an agent's work."""
    created = time_of(os.path.basename(name))
    return FactSource(name, text, FactOrigin(trust="agent", created=created))


def session_file(app: Workspace, name: str, *, scope: str) -> str:
    """The path of a session file: the one that is named, there or in the store, or the newest.

    Raises FileNotThere.
    """
    folder = os.path.join(app.store(scope).files.root, SESSION_FILES)
    if name:
        here = os.path.join(app.folder, os.path.expanduser(name))
        inside = os.path.join(folder, name.removesuffix(".md") + ".md")
        # A bare name may be one in the store; nothing that could lead out of its folder is.
        is_inside = is_id(name) and not os.path.lexists(here) and os.path.isfile(inside)
        return inside if is_inside else here
    found: list[str] = []
    with suppress(OSError):
        found = [n for n in os.listdir(folder) if n.endswith(".md") and not n.startswith(".")]
    if not found:
        raise FileNotThere(path=f"{folder}/*.md", reason="there is none")
    return os.path.join(folder, max(found))


def source_of_session(app: Workspace, name: str) -> FactSource:
    """The memory of a session, by its own id or by the client's id of the session.

    Raises MemoryNotFound.
    """
    for store in app.stores():
        by_session = [e for e in store.index.entries_of_session(name) if not is_fact(e)]
        entry = store.index.entry(name) or (by_session[-1] if by_session else None)
        if entry:
            document = store.read(entry)
            memory = store.as_trusted(document, entry.path)
            origin = FactOrigin(memory.trust, memory.source, memory.session, memory.created)
            return FactSource(entry.id, document.text, origin, instructed=True)
    raise MemoryNotFound(id=name)
