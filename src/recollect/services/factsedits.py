"""Factsedits: what somebody wrote into `facts.json` by hand, carried out when a person says so.

Promises: nothing of it is carried out unasked, and none of it is written over before a person has
decided; whatever is approved at once is one group of the journal, which one undo takes back.
Touches: the ports behind the store it is given.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from recollect.domain import codec, factsedits
from recollect.domain.codec.sections import section_text
from recollect.domain.facts import Fact
from recollect.domain.factsedits import ADDED, GONE, Edit, Row
from recollect.domain.factsview import LONGEST_REASON, numbered, reason_of
from recollect.domain.model import Change, Entry, Filter
from recollect.errors import FactNotFound
from recollect.named import NamedTuple
from recollect.services.facts import Keeping, Origin, free_place
from recollect.services.opened import OpenStore
from recollect.services.publish import FACTS_JSON, facts_page, facts_text

CAUSE = "review"
TRIES = 3
BY_PERSON = Origin(trust="user", source="instructed")


class Edited(NamedTuple):
    """What was changed in the view, or why that cannot be told."""

    edits: list[Edit]
    problem: str = ""


def edited(store: OpenStore, base: str) -> Edited:
    """What somebody wrote into `facts.json`; `base` is the view as it was last written."""
    text, now = facts_text(store), facts_page(store, store.index.entries(Filter()))
    if not factsedits.is_held(text, base, now):
        return Edited([])
    try:
        return Edited(factsedits.edits(text, base, now))
    except ValueError as error:
        return Edited([], str(error))


def approve(
    store: OpenStore, base: str, names: Sequence[str], *, dry_run: bool = False
) -> list[Change]:
    """Carry out the edits of these names; gives the changes that it takes.

    Raises:
        FactNotFound: there is no such edit; nothing was written.
    """
    done: list[Change] = []

    def plan() -> list[Change]:
        done[:] = _changes(store, _chosen(edited(store, base).edits, names), dry_run=dry_run)
        return done

    if dry_run:
        plan()
    else:
        store.commit(plan, cause=CAUSE, tries=TRIES)
    return done


def _chosen(found: Iterable[Edit], names: Sequence[str]) -> list[Edit]:
    by_name = {one.name: one for one in found}
    missing = next((name for name in names if name not in by_name), None)
    if missing is not None:
        raise FactNotFound(name=f"{FACTS_JSON}#{missing}")
    return [by_name[name] for name in names]


def _changes(store: OpenStore, wanted: Sequence[Edit], *, dry_run: bool) -> list[Change]:
    entries = dict(numbered(store.index.entries(Filter())))
    new = [(_fact_of(store, one.row), BY_PERSON) for one in wanted if one.what == ADDED]
    changes = Keeping(store, again=True, dry_run=dry_run).of(new)[1]
    for one in wanted:
        if one.what == ADDED:
            continue
        entry = entries[one.name]
        old = store.read(entry)
        if one.what == GONE:
            to = free_place(store, f"archive/{entry.path}")
            changes.append(Change("move", entry.path, entry.id, old.stamp, to=to))
        else:
            text = _changed(store, old.text, entry, one)
            changes.append(Change("put", entry.path, entry.id, old.stamp, text))
    return changes


def _fact_of(store: OpenStore, row: Row) -> Fact:
    clean = store.ledger.redact  # before a name is made of it
    return Fact(
        row.kind,
        clean(row.content),
        clean(row.reason),
        row.category,
        row.status or "open",
        tuple(map(clean, row.files)),
        tuple(map(clean, row.concepts)),
    )


def _changed(store: OpenStore, text: str, entry: Entry, one: Edit) -> str:
    """The text of a fact with the fields that the edit says otherwise."""
    said = _fact_of(store, one.row)
    for field in one.fields:
        if field == "content":
            text = codec.with_title(text, said.content)
        elif field == "reason":
            text = _with_reason(text, entry, said.detail)
        else:
            value = getattr(said, field)
            text = codec.with_field(text, field, list(value) if isinstance(value, tuple) else value)
    return codec.with_field(text, "updated", store.now)


def _with_reason(text: str, entry: Entry, reason: str) -> str:
    """The text with another body below its title; what the view had no room for stays."""
    title = codec.memory_from_text(text, entry.path).title
    old = reason_of(codec.split_front(text).body, title)
    line = " ".join(old.split())
    if len(line) > LONGEST_REASON and reason.endswith("…"):
        reason = reason[:-1] + line[LONGEST_REASON - 1 :]
    body = f"# {title}\n\n{section_text(reason)}".rstrip() + "\n"
    eol = "\r\n" if "\r\n" in text else "\n"
    return codec.with_body(text, body.replace("\n", eol))
