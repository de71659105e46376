"""Find a person's edits in `facts.json`.

The file is compared with `base`, the view as last written (including rejected edits), and `now`,
the view as it should be. A file without any fact is damaged, not emptied on purpose.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from recollect._fastimport import NamedTuple
from recollect.context.views import (
    FACTS_JSON,
    KINDS,
    LONGEST_REASON,
    facts_page,
    facts_text,
    numbered,
)
from recollect.errors import FactNotFound
from recollect.features.facts import FactOrigin, FactPlanner
from recollect.model import document, frontmatter
from recollect.model.entries import beside_title
from recollect.model.facts import Fact, parse_status, same_words
from recollect.model.memory import CATEGORIES, Change, Entry, Filter, free_name, slug_of
from recollect.store.store import OpenStore, hidden_still
from recollect.text.json_edit import root_of

ADDED, CHANGED, GONE = "added", "changed", "gone"
FIELDS = ("content", "reason", "category", "status", "files", "concepts")


class ViewFact(NamedTuple):
    """A fact as the view has it."""

    number: str
    kind: str
    content: str
    reason: str = ""  # of a decision
    category: str = "other"
    status: str = ""  # of an issue
    files: tuple[str, ...] = ()
    concepts: tuple[str, ...] = ()


class FactEdit(NamedTuple):
    """A difference that a person should decide about, under the name it is decided by."""

    name: str
    what: str
    row: ViewFact  # as it was, for one that is gone
    was: ViewFact | None = None

    @property
    def fields(self) -> list[str]:
        """The fields that a changed row says otherwise."""
        return _differences(self.row, self.was) if self.was else []


def rows_in(text: str) -> list[ViewFact]:
    """The facts that a `facts.json` lists. Raises ValueError."""
    page = json.loads(text[root_of(text) :])
    rows: list[ViewFact] = []
    for kind in KINDS:
        listed = page.get(f"{kind}s") or []
        if not isinstance(listed, list):
            raise ValueError(f"`{kind}s` is not a list")  # noqa: TRY004 - about a text, not a type
        for n, said in enumerate(listed, 1):
            content = said.get("content") if isinstance(said, dict) else None
            if not isinstance(content, str) or not content.strip():
                raise ValueError(f"row {n} of `{kind}s` has no content")
            rows.append(_row(kind, said))
    return rows


def _row(kind: str, said: Mapping[str, Any]) -> ViewFact:
    category = str(said.get("type") or "").strip().lower()
    status = parse_status(str(said.get("status") or "")) or "open"
    return ViewFact(
        str(said.get("id") or "").strip(),
        kind,
        _line(said["content"]),
        _line(said.get("reason")) if kind == "decision" else "",
        category if category in CATEGORIES[kind] else "other",
        status if kind == "issue" else "",
        _words(said.get("files")),
        _words(said.get("concepts")),
    )


def _line(text: object) -> str:
    return " ".join(text.split()) if isinstance(text, str) else ""


def _words(said: object) -> tuple[str, ...]:
    listed = said.split(",") if isinstance(said, str) else said if isinstance(said, list) else ()
    return tuple(dict.fromkeys(word.strip() for word in map(str, listed) if word.strip()))


def days_in(text: str) -> list[str]:
    """The day of each fact that `rows_in` gives; nothing for one that says none."""
    page = json.loads(text[root_of(text) :])
    listed = (said for kind in KINDS for said in page.get(f"{kind}s") or [])
    return [_line(said.get("date")) for said in listed]


def row_text(row: ViewFact) -> dict[str, object]:
    """A row in the words of the file, without its number."""
    about = {"type": row.category, "content": row.content}
    more = {"decision": {"reason": row.reason}, "issue": {"status": row.status}}
    return about | more.get(row.kind, {}) | {"files": row.files, "concepts": row.concepts}


def page_of(rows: Iterable[ViewFact]) -> str:
    """A `facts.json` of these rows that `rows_in` reads back."""
    page: dict[str, list[dict[str, object]]] = {f"{kind}s": [] for kind in KINDS}
    for row in rows:
        page[f"{row.kind}s"].append({"id": row.number} | row_text(row))
    return json.dumps(page, ensure_ascii=False)


def is_held(edited: str, base: str, now: str) -> bool:
    """Whether the view says something that would be lost if it were rewritten."""
    if edited in (base, now) or not edited.strip():
        return False
    try:
        return bool(edits(edited, base, now))
    except ValueError:
        # What a merge left is in the memories on both sides; what has no facts is no loss.
        return (
            '"content"' in edited and not edited.startswith("<<<<<<<") and "\n<<<<<<<" not in edited
        )


def edits(edited: str, base: str, now: str) -> list[FactEdit]:
    """The differences that somebody made in the view, in its order; what is gone comes last.

    Raises ValueError.
    """
    rows = rows_in(edited)
    if not rows:
        return []
    return list(_compared(rows, _rows_if_any(base), rows_in(now)))


def _rows_if_any(text: str) -> list[ViewFact] | None:
    try:
        return rows_in(text)
    except ValueError:
        return None


def settled(base: str, turned_down: Sequence[FactEdit]) -> str:
    """The base with which these edits are none any more."""
    known = {(row.kind, row.number or row.content): row for row in _rows_if_any(base) or ()}
    for one in turned_down:
        key = (one.row.kind, one.row.number or one.row.content)
        if one.what == GONE:
            known.pop(key, None)
        elif one.what == ADDED:
            known[one.row.kind, one.row.content] = one.row._replace(number="")
        else:
            said = {field: getattr(one.row, field) for field in one.fields}
            old = known.get(key, one.was or one.row)
            known[key] = old._replace(**said)
            if "content" in said:  # a row that still says what it was is no new one
                known.setdefault((old.kind, old.content), old._replace(number=""))
    return page_of(known.values())


Key = tuple[str, str]


def _key(row: ViewFact) -> Key:
    return row.kind, row.number


def _statement(row: ViewFact) -> Key:
    return row.kind, same_words(row.content)


def _compared(
    rows: list[ViewFact], base: list[ViewFact] | None, now: list[ViewFact]
) -> Iterator[FactEdit]:
    """The differences between an edited view and the facts, each under a name of its own."""
    was = {_key(row): row for row in base or () if row.number}
    numbered_last = sorted(base or (), key=lambda row: bool(row.number))
    said = {_statement(row): _key(row) for row in numbered_last}
    pairs = _paired(rows, now, was, said)
    # What is said once more needs no fact of its own; what is in `base` went meanwhile, or was
    # turned down.
    known, names = {*said, *(_statement(rows[n]) for n in pairs)}, set[str]()
    for n, row in enumerate(rows):
        here = pairs.get(n)
        if here:
            start = was.get(_key(here), here)
            differing = (f for f in _differences(row, here) if f in _differences(row, start))
            if changed := {field: getattr(row, field) for field in differing}:
                yield FactEdit(here.number, CHANGED, here._replace(**changed), here)
        elif _statement(row) not in known:
            known.add(_statement(row))
            name = free_name(f"new-{slug_of(row.content)}", names.__contains__)
            names.add(name)
            yield FactEdit(name, ADDED, row._replace(number=""))
    claimed = set(map(_key, pairs.values()))
    for row in now if base is not None else ():
        if _key(row) in was and _key(row) not in claimed:
            yield FactEdit(row.number, GONE, row, row)


def _paired(
    rows: list[ViewFact], now: list[ViewFact], was: dict[Key, ViewFact], said: dict[Key, Key]
) -> dict[int, ViewFact]:
    """Which fact each row is meant to be, by its place; those whose words fit choose first."""
    known, by_words = {_key(row): row for row in now}, {_statement(row): row for row in now}

    def same(row: ViewFact) -> ViewFact | None:
        """The fact of this number, where it still says the same."""
        here = known.get(_key(row))
        return here if here and _statement(here) == _statement(row) else None

    def as_was(row: ViewFact) -> ViewFact | None:
        """The fact of this number, where it said the same when the view was written."""
        old = was.get(_key(row))
        return known.get(_key(row)) if old and _statement(old) == _statement(row) else None

    def of_words(row: ViewFact) -> ViewFact | None:
        """The fact that says this, or said it when the view was written."""
        return by_words.get(_statement(row)) or known.get(said.get(_statement(row), ("", "")))

    def of_number(row: ViewFact) -> ViewFact | None:
        """The fact of this number: who copies a row to write another one often leaves it."""
        return known.get(_key(row)) if _key(row) in was else None

    pairs: dict[int, ViewFact] = {}
    claimed: set[Key] = set()
    for meant in (same, as_was, of_words, of_number):
        for n, row in enumerate(rows):
            here = None if n in pairs else meant(row)
            if here and _key(here) not in claimed:
                pairs[n] = here
                claimed.add(_key(here))
    return pairs


def _differences(row: ViewFact, other: ViewFact) -> list[str]:
    return [field for field in FIELDS if getattr(row, field) != getattr(other, field)]


# ------------------------------------------------------------------------------ carrying out edits


CAUSE = "review"
TRIES = 3
BY_PERSON = FactOrigin(trust="user", source="instructed")


class Edited(NamedTuple):
    """What was changed in the view, or why that cannot be told."""

    edits: list[FactEdit]
    problem: str = ""


def edited(store: OpenStore, base: str) -> Edited:
    """What somebody wrote into `facts.json`; `base` is the view as it was last written."""
    text, now = facts_text(store), facts_page(store, store.index.entries(Filter()))
    if not is_held(text, base, now):
        return Edited([])
    try:
        return Edited(edits(text, base, now))
    except ValueError as error:
        return Edited([], str(error))


def approve(
    store: OpenStore, base: str, names: Sequence[str], *, dry_run: bool = False
) -> list[Change]:
    """Carry out the edits of these names; gives the changes that it takes.

    Raises FactNotFound before anything is written.
    """

    def plan() -> tuple[list[Change], list[Change]]:
        found = {one.name: one for one in edited(store, base).edits}
        missing = next((name for name in names if name not in found), None)
        if missing is not None:
            raise FactNotFound(name=f"{FACTS_JSON}#{missing}")
        done = _changes(store, [found[name] for name in names], dry_run=dry_run)
        return done, done

    return store.carry_out(plan, cause=CAUSE, tries=TRIES, dry_run=dry_run)


def _changes(store: OpenStore, wanted: Sequence[FactEdit], *, dry_run: bool) -> list[Change]:
    from recollect.consolidate.apply import free_place  # slow to load, and seldom needed

    entries = dict(numbered(store.index.entries(Filter())))
    new = [(_fact_of(store, one.row), BY_PERSON) for one in wanted if one.what == ADDED]
    changes = FactPlanner(store, again=True, dry_run=dry_run).plan(new)[1]
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
    moves = {one.path: one.to for one in changes if one.op == "move"}
    return [*hidden_still(store, moves), *changes]


def fact_of(row: ViewFact) -> Fact:
    """The fact that a row tells."""
    about = (row.kind, row.content, row.reason, row.category, row.status or "open")
    return Fact(*about, row.files, row.concepts)


def _fact_of(store: OpenStore, row: ViewFact) -> Fact:
    return fact_of(row).mapped(store.ledger.redact)  # before a name is made of it


def _changed(store: OpenStore, text: str, entry: Entry, one: FactEdit) -> str:
    """The text of a fact with the fields that the edit says otherwise."""
    said = _fact_of(store, one.row)
    for field in one.fields:
        if field == "content":
            text = document.with_title(text, said.content)
        elif field == "reason":
            text = _with_reason(text, entry, said.detail)
        else:
            value = getattr(said, field)
            text = document.with_field(
                text, field, list(value) if isinstance(value, tuple) else value
            )
    return document.with_field(text, "updated", store.now)


def _with_reason(text: str, entry: Entry, reason: str) -> str:
    """The text with another body below its title; what the view had no room for stays."""
    title = document.memory_from_text(text, entry.path).title
    old = beside_title(frontmatter.split_front(text).body, title)
    line = " ".join(old.split())
    if len(line) > LONGEST_REASON and reason.endswith("…"):
        reason = reason[:-1] + line[LONGEST_REASON - 1 :]
    body = f"# {title}\n\n{document.section_text(reason)}".rstrip() + "\n"
    eol = "\r\n" if "\r\n" in text else "\n"
    return document.with_body(text, body.replace("\n", eol))
