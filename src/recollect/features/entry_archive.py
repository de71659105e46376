"""Archive one entry of a page that has others, and bring it back to its place.

In the archive it has a page of its own: its lines as they were, below the title and the fields of its
page. `entry-of` names that page, `entry-after` what stood before the entry, by its anchor.
"""

from __future__ import annotations

from recollect._fastimport import NamedTuple
from recollect.consolidate.apply import BACK, CAUSE, free_place
from recollect.errors import Failed, MemoryNotFound, UsageProblem
from recollect.features import list_item_edit
from recollect.features.memories import body_without, changes_to_body
from recollect.model import document, frontmatter
from recollect.model.document import with_field
from recollect.model.entries import entries_of, index_units, rows_at
from recollect.model.facts import same_words
from recollect.model.layers import SHARED
from recollect.model.list_items import is_shared
from recollect.model.memory import (
    SHORTEST_ID,
    Change,
    Document,
    Entry,
    Filter,
    IndexUnit,
    Memory,
    is_sealed_path,
)
from recollect.model.page_form import NOTED
from recollect.store.store import OpenStore

OF, AFTER, ADDED = "entry-of", "entry-after", "entry-id"  # fields of the page in the archive


class Moved(NamedTuple):
    """What was archived or brought back: its page's id there, its path, whether that is new."""

    id: str
    path: str
    is_changed: bool = True


def put_away(store: OpenStore, name: str, *, dry_run: bool = False) -> Moved | None:
    """Archive the entry `page#anchor`; None if its page is to be archived as a whole.

    Raises:
        MemoryNotFound: there is no such entry.
        ChangedMeanwhile: somebody changed the page just now.
        UsageProblem: it is a statement of a session.
    """
    entry, anchor = store.named(name)
    if entry.path.startswith("core/"):
        return None
    memory = store.open_memory(entry)
    row = next(iter(rows_at(memory, anchor)), None)
    entries = entries_of(memory)
    if row is None or row.anchor not in {one.anchor for one in entries}:
        raise MemoryNotFound(id=name)
    if entry.layer == "episodic" and len(entries) > 1:
        what = f"This is a statement of a session, which is archived as a whole: `recollect archive {entry.id}`. To be rid of the statement alone: `recollect forget {name}`."
        raise UsageProblem(what=what, command=CAUSE)
    if len(entries) == 1 and entry.path not in SHARED.values():
        return None
    new = _place_in_archive(store, entry, memory, row)

    def plan() -> list[Change]:
        old = store.read_open(entry)
        text = _text_in_archive(old, memory, row, new)
        kept = body_without(entry, old.text, f"{entry.id}#{row.anchor}")
        return [
            Change("put", new.path, new.id, None, text),
            *changes_to_body(store, entry, old, kept),
            *list_item_edit.marked_in_sessions(store, entry, [row]),
        ]

    store.commit(plan, cause=CAUSE, dry_run=dry_run)
    return new


def _place_in_archive(store: OpenStore, entry: Entry, memory: Memory, row: IndexUnit) -> Moved:
    if is_sealed_path(entry.path):
        from recollect.privacy.sealing import new_place  # seldom needed

        name, path = new_place(store)
        return Moved(name, f"archive/{path}")
    letters = row.entry if f"^{row.entry}" in memory.body else row.entry[:SHORTEST_ID]
    if row.anchor.startswith("^") and is_shared(memory):
        letters = f"in-list-{letters}"  # alone, it would be read as a rule of its own there
    folder = entry.path.rpartition("/")[0]
    path = free_place(store, f"archive/{folder}/{memory.id}-{letters}.md".replace("//", "/"))
    return Moved(document.stem_of(path), path)


def _text_in_archive(old: Document, memory: Memory, row: IndexUnit, new: Moved) -> str:
    """The page with this entry alone; the fields of the page become those of the entry."""
    part = list_item_edit.part_of(memory, row.anchor)
    title = next((line for line in memory.body.split("\n") if line.startswith("# ")), "")
    eol = "\r\n" if title.endswith("\r") else "\n"
    text = document.with_body(old.text, f"{title}\n{eol}{part.text}" if title else part.text)
    is_sealed = is_sealed_path(new.path)
    text = with_field(text, "id", new.id if is_sealed else None)
    fields: dict[str, str | list[str]] = {
        "trigger": list(row.trigger),
        "session": row.session if row.session == memory.session else "",
        "supersedes": "",
        "created": row.created,
        "updated": "",
        "last-accessed": "",
        "was": "",
        OF: memory.id,
        AFTER: part.after,
        ADDED: part.added,
    }
    for key, value in fields.items():
        text = with_field(text, key, value or None)
    if list_item_edit.parsed(text, new.path).title != memory.title:
        text = with_field(text, "title", memory.title)
    return text


def bring_back(store: OpenStore, name: str, *, dry_run: bool = False) -> Moved | None:
    """Bring an archived entry back to its page; None for what was archived as a whole.

    If its page is gone, or would say the entry otherwise, the entry has a page of its own.

    Raises:
        MemoryNotFound: there is no such memory, or not this entry on it.
        ChangedMeanwhile: somebody changed it just now.
        Failed: its page has the same entry again.
    """
    entry = _in_archive(store, name)
    if not entry.archived:
        return None
    cold = store.read_open(entry)
    fields = frontmatter.split_front(cold.text)
    of, after = fields.value(OF), fields.value(AFTER)
    if not isinstance(of, str) or not of:
        return None
    memory = list_item_edit.parsed(cold.text, entry.path)

    def plan() -> tuple[Moved, list[Change]]:
        page = store.index.entry(of)
        gone = Change("remove", entry.path, entry.id, cold.stamp)
        if page is not None and not page.archived and page.private == entry.private:
            old = store.read_open(page)
            added = str(fields.value(ADDED) or "")
            text, anchor = _with_entry(old.text, page, memory, str(after or ""), added)
            if text:
                put = Change("put", page.path, page.id, old.stamp, text)
                return Moved(f"{page.id}#{anchor}", page.path), [put, gone]
        new, text = _page_of_its_own(store, entry, cold.text, of)
        return new, [Change("put", new.path, new.id, None, text), gone]

    return store.carry_out(plan, cause=BACK, dry_run=dry_run)


def _in_archive(store: OpenStore, name: str) -> Entry:
    """The memory of this name; also by the name that an archived entry had on its page."""
    entry, anchor = store.named(name)
    if not anchor or rows_at(store.open_memory(entry), anchor):
        return entry
    for one, own in store.index.listed(Filter(archived=True)):
        if own.anchor == anchor and one.id.startswith(f"{entry.id}-"):
            return one
    return entry


def entries_alone(store: OpenStore) -> dict[str, Entry]:
    """The archived pages that were one entry of another page, by id, with its words in their titles."""
    alone = {}
    for page, own in store.index.listed(Filter(archived=True)):
        letters = page.id.rpartition("-")[2]
        if own.anchor and len(letters) >= SHORTEST_ID and own.entry.startswith(letters):
            said = own.text if own.anchor.startswith("^") else own.heading
            alone[page.id] = page._replace(title=f"{page.title} – {said.partition(chr(10))[0]}")
    return alone


def _with_entry(text: str, page: Entry, cold: Memory, after: str, added: str) -> tuple[str, str]:
    """The text of a page with an entry from the archive, and its anchor; empty if it would say something else there."""
    memory = list_item_edit.parsed(text, page.path)
    rows = [one for one in index_units(cold) if one.entry]
    same = (one for row in rows for one in index_units(memory) if _says_again(one, row))
    again = next(same, None)
    if again:
        name = f"{page.id}#{again.anchor}"
        what = f"{page.id} has this entry again. Forget one of the two first: `recollect forget {name}` or `recollect forget {cold.id}`."
        raise Failed(what=what)
    if not rows:
        return "", ""
    new = document.with_body(
        text, list_item_edit.with_part(memory, cold, rows[0].anchor, after, added)
    )
    there = index_units(list_item_edit.parsed(new, page.path))
    anchors = []
    for row in rows:
        found = next((one for one in there if _is_same(one, row)), None)
        if found is None or _statement_of(found) != _statement_of(row):
            return "", ""
        anchors.append(found.anchor)
    left = body_without(page, new, f"{page.id}#{anchors[0]}")
    return (new, anchors[0]) if _lines(left) == _lines(memory.body) else ("", "")


def _says_again(one: IndexUnit, other: IndexUnit) -> bool:
    """Whether an entry of a page has the id of an archived one, its heading, or its words."""
    if _is_same(one, other):
        return True
    is_item = other.anchor.startswith("^")
    mine, yours = (row.text if is_item else row.heading for row in (one, other))
    return bool(one.entry and yours) and same_words(mine) == same_words(yours)


def _lines(body: str) -> list[str]:
    """What stands on a page. The heading above a person's statements is not on disk."""
    unsaid = {"", *(f"## {name}" for name in NOTED["user"])}
    return [line for line in map(str.strip, body.split("\n")) if line not in unsaid]


def _is_same(one: IndexUnit, other: IndexUnit) -> bool:
    """Whether two have the same id; a written id is the beginning of a computed one."""
    return bool(one.entry) and one.entry.startswith(other.entry)


def _statement_of(row: IndexUnit) -> tuple[str, ...]:
    return row.heading, row.text, row.kind, row.source, row.trust, row.session


def _page_of_its_own(store: OpenStore, entry: Entry, text: str, of: str) -> tuple[Moved, str]:
    """The place and the text of an entry whose page is gone: where the page was, if that is free."""
    for key in (OF, AFTER, ADDED):
        text = with_field(text, key, None)
    path = entry.path.removeprefix("archive/")
    if is_sealed_path(path):
        return Moved(entry.id, path), text
    if not store.is_taken(of):
        path = f"{path.rpartition('/')[0]}/{of}.md"
    path = free_place(store, path)
    return Moved(document.stem_of(path), path), text
