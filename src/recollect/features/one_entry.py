"""One entry of a page that has others: find it by its name, and take it out of its page.

A statement of a session stays in its record, marked as told elsewhere.
"""

from __future__ import annotations

from recollect._fastimport import NamedTuple
from recollect.consolidate.actions import MarkFiled
from recollect.consolidate.edit import marked
from recollect.errors import Encrypted, MemoryNotFound, UsageProblem
from recollect.features import list_item_edit
from recollect.features.memories import body_without, changes_to_body
from recollect.model import document
from recollect.model.entries import rows_at, without_comments
from recollect.model.filing_marks import FILED
from recollect.model.memory import Change, Entry, IndexUnit, is_sealed_path
from recollect.store.store import OpenStore
from recollect.workspace import Workspace


class NamedEntry(NamedTuple):
    """An entry with its page; without a row it is the page as a whole."""

    page: Entry
    row: IndexUnit | None

    @property
    def name(self) -> str:
        """Its full name."""
        return f"{self.page.id}#{self.row.anchor}" if self.row else self.page.id

    @property
    def statement(self) -> str:
        """What it states, on one line, without what is below its heading."""
        if self.row is None:
            return self.page.title
        said = self.row.text if self.row.anchor.startswith("^") else self.row.heading
        return " ".join(without_comments(said).split())

    @property
    def wording(self) -> str:
        """All that it says, on one line."""
        if self.row is None or self.row.anchor.startswith("^"):
            return self.statement
        below = " ".join(without_comments(self.row.text).split())
        is_more = below.removeprefix("- ") not in ("", self.statement)
        return f"{self.statement}: {below}" if is_more else self.statement

    @property
    def trust(self) -> str:
        """How far whoever said it is trusted."""
        return self.row.trust if self.row else self.page.trust

    @property
    def is_rule(self) -> bool:
        """Whether it says how to work."""
        return self.page.layer == "procedural"


def store_of_both(app: Workspace, name: str, other: str, command: str) -> OpenStore:
    """The store that has both. Raises MemoryNotFound, and UsageProblem if each has one."""
    store = app.store_of(name)
    if app.store_of(other) is not store:
        what = f"{name} and {other} are in different stores: `recollect promote` moves one to the global store, or `recollect forget {other}` takes it out."
        raise UsageProblem(what=what, command=command)
    return store


def require_entry(
    store: OpenStore, name: str, command: str, *, is_opened: bool = False
) -> NamedEntry:
    """The memory or the entry of this name, to change it by this command; `is_opened` decrypts it.

    Raises MemoryNotFound, Encrypted, and UsageProblem for what is archived, or no entry.
    """
    page, anchor = store.named(name)
    if is_sealed_path(page.path) and not is_opened:
        raise Encrypted(id=page.id)
    if page.archived:
        what = f"{name} is in the archive; `recollect activate {name}` brings it back first."
        raise UsageProblem(what=what, command=command)
    if not anchor:
        return NamedEntry(page, None)
    rows = rows_at(store.open_memory(page), anchor)
    own = [row for row in rows if anchor.startswith("^") or row.anchor == anchor]
    if not rows:
        raise MemoryNotFound(id=name)
    if not own:
        what = f"{name} is the heading of several entries: name one of them (`recollect list` shows their ids)."
        raise UsageProblem(what=what, command=command)
    if not own[0].entry:
        what = f"{name} is a part of {page.id}, no entry by itself: name {page.id}, or change the part with `recollect edit {name}`."
        raise UsageProblem(what=what, command=command)
    return NamedEntry(page, own[0])


def without_entry(text: str, one: NamedEntry) -> str:
    """The text of a page without an entry of it, which is not all that the page has."""
    return document.with_body(text, body_without(one.page, text, one.name))


def taken_out(store: OpenStore, one: NamedEntry, command: str, to: str = "") -> list[Change]:
    """The changes that take an entry out of its page; `to` is the page that tells it from now on.

    Raises UsageProblem for what a session's memory only records.
    """
    old = store.read(one.page)
    if one.page.layer == "episodic":
        done = marked(old.text, [MarkFiled(one.page.path, one.statement, FILED, to)])
        if done == old.text:
            what = f"{one.name} is only the record of a session: `recollect forget {one.name}` takes it out."
            raise UsageProblem(what=what, command=command)
        return [Change("put", one.page.path, one.page.id, old.stamp, done)]
    kept = body_without(one.page, old.text, one.name)
    return [*changes_to_body(store, one.page, old, kept), *marked_elsewhere(store, one)]


def marked_elsewhere(store: OpenStore, one: NamedEntry) -> list[Change]:
    """The changes after which no session tells an entry by itself."""
    rows = [one.row] if one.row else []
    return list(list_item_edit.marked_in_sessions(store, one.page, rows))
