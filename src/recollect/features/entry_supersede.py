"""Say that one statement holds in place of another, where either is an entry of a page.

The old statement goes from its page. The new one stays where it is, and gets what only the old one
says of its subject. What was a rule stays as a comment below the new statement.
"""

from __future__ import annotations

from recollect._fastimport import NamedTuple
from recollect.consolidate.actions import NoteOldRule, noted
from recollect.consolidate.edit import with_actions
from recollect.errors import UsageProblem
from recollect.features import list_item_edit
from recollect.features.one_entry import (
    NamedEntry,
    marked_elsewhere,
    require_entry,
    taken_out,
    without_entry,
)
from recollect.model import document
from recollect.model.claim_key import reversed_comment
from recollect.model.conflicts import conflict_between, keeping_subject
from recollect.model.memory import Change
from recollect.store.store import OpenStore

CAUSE = "supersede"


class Superseded(NamedTuple):
    """What does not hold any more: where it stood, whether that is new, and what holds now."""

    path: str
    is_changed: bool
    text: str = ""  # the new statement, where it got the subject of the old one


def supersede(store: OpenStore, name: str, other: str, *, dry_run: bool = False) -> Superseded:
    """Let the statement `other` hold in place of `name`; one of them is an entry.

    Raises MemoryNotFound, Encrypted, UsageProblem, ChangedMeanwhile.
    """
    old, new = checked(store, name, other)
    text = keeping_subject(old.statement, new.statement) if _takes(old, new) else new.statement

    def plan() -> list[Change]:
        return _changes(store, old, new, text)

    is_changed = bool(plan())
    store.commit(plan, cause=CAUSE, dry_run=dry_run)
    said = text if text != new.statement else ""
    return Superseded(old.page.path, is_changed, said)


def checked(store: OpenStore, name: str, other: str) -> tuple[NamedEntry, NamedEntry]:
    """The old and the new statement. Raises MemoryNotFound, Encrypted, UsageProblem."""
    old, new = require_entry(store, name, CAUSE), require_entry(store, other, CAUSE)
    what = ""
    if old.name == new.name:
        what = "A memory cannot supersede itself."
    elif old.page.id == new.page.id and not (old.row and new.row):
        what = f"{new.name} and {old.name} are the same page: name two entries of it."
    elif new.page.status == "superseded":
        what = f"{other} is itself superseded."
    if what:
        raise UsageProblem(what=what, command=CAUSE)
    return old, new


def _takes(old: NamedEntry, new: NamedEntry) -> bool:
    """Whether a statement takes words of the old one.

    It is an item of a page: what a session says is a record. Nobody gets words of a page on the web.
    """
    is_item = new.row is not None and new.row.anchor.startswith("^")
    is_theirs = old.trust in ("user", "agent", new.trust)
    return is_item and is_theirs and new.page.layer != "episodic"


def _changes(store: OpenStore, old: NamedEntry, new: NamedEntry, said: str) -> list[Change]:
    page = store.read(new.page)
    text = page.text
    if new.row and said != new.statement:
        memory = list_item_edit.parsed(text, new.page.path)
        body = list_item_edit.edited(memory, new.row.anchor, lambda _: said, None)
        text = document.with_body(text, body or memory.body)
    is_same_page = old.page.id == new.page.id
    text = without_entry(text, old) if is_same_page else text
    text = _with_old_wording(text, old, new, said, store.now)
    gone = marked_elsewhere(store, old) if is_same_page else _gone(store, old, new)
    if old.row is None and gone:
        known = document.memory_from_text(text, new.page.path).supersedes
        if old.page.id not in known:
            text = document.with_field(text, "supersedes", [*known, old.page.id])
    if text == page.text:
        return gone
    return [Change("put", new.page.path, new.page.id, page.stamp, text), *gone]


def _gone(store: OpenStore, old: NamedEntry, new: NamedEntry) -> list[Change]:
    """The changes after which the old statement, on another page, does not hold."""
    if old.row:
        return taken_out(store, old, CAUSE, new.page.path)
    page = store.read(old.page)
    text = document.with_field(page.text, "status", "superseded")
    if text == page.text:
        return []
    text = document.with_field(text, "updated", store.now)
    return [Change("put", old.page.path, old.page.id, page.stamp, text)]


def _with_old_wording(text: str, old: NamedEntry, new: NamedEntry, said: str, now: str) -> str:
    """The text of a page with the comment that keeps a rule, below the statement that replaces it."""
    conflict = conflict_between(said, old.statement)
    is_kept = old.is_rule or (conflict is not None and conflict.is_reversal)
    if old.row is None or not is_kept or new.page.layer == "episodic":
        return text
    past = reversed_comment(now, old.wording)
    if new.row is None:
        return document.with_body(text, noted(document.body_of(text), past))
    if new.row.anchor.startswith("^"):
        memory = list_item_edit.parsed(text, new.page.path)
        return document.with_body(text, list_item_edit.with_comment(memory, new.row.anchor, past))
    below = with_actions(text, NoteOldRule(new.page.path, said, past))
    if below != text:
        return below
    body = document.body_of(text)
    section = next((s for s in document.sections_of(body) if s.heading == new.row.heading), None)
    if section is None:
        return text
    more = f"{section.text.rstrip()}\n\n{past}".lstrip()
    return document.with_body(
        text, document.with_section_at(body, section.anchor, section.heading, more)
    )
