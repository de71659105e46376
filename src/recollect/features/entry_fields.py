"""Change the fields that belong to one entry of a page: who said it, how important it is, whether it is a decision.

They are in the footnote of the entry. All other fields belong to its page.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from recollect._fastimport import Pattern
from recollect.errors import UsageProblem
from recollect.features import list_item_edit
from recollect.features.memories import checked_field
from recollect.features.one_entry import NamedEntry, require_entry
from recollect.model import document, entries
from recollect.model.entries import rows_at
from recollect.model.footnotes import Mark
from recollect.model.frontmatter import Value
from recollect.model.memory import IndexUnit
from recollect.store.store import OpenStore

COMMAND = "set"
OWN = ("trust", "source", "salience", "confidence", "kind", "status")
# What says below a section whose it is.
_SIGNED = Pattern(r"<!-- source: (?P<source>\w+); trust: (?P<trust>\w+)(?:; confidence: \w+)?")


def with_entry_fields(store: OpenStore, name: str, text: str, given: Mapping[str, str]) -> str:
    """The text of a page with these fields of an entry of it. Raises MemoryNotFound, UsageProblem."""
    values = {key: checked_field(key, store.ledger.redact(value)) for key, value in given.items()}
    one = require_entry(store, name, COMMAND, is_opened=True)
    row = one.row
    if row is None:
        return text
    _require_own(one, row, values)
    if values.get("trust") == "user" and not store.files.is_own(one.page.stamp):
        what = f"The page as a whole is not approved: `recollect review --approve {one.page.id}` approves all of it."
        raise UsageProblem(what=what, command=COMMAND)
    wanted = {key: str(value) for key, value in values.items() if key != "status"}
    is_item = row.anchor.startswith("^")
    made = _item_with(text, one, row, wanted) if is_item else _section_with(text, row, wanted)
    _require_read_back(one, row, made, wanted)
    return made


def _require_own(one: NamedEntry, row: IndexUnit, values: Mapping[str, Value]) -> None:
    """Raise UsageProblem for a field that is no entry's, or has no place on the page."""
    page, name, what = one.page.id, one.name, ""
    others = [key for key in values if key not in OWN]
    if one.page.layer == "episodic":
        what = f"{name} is a statement in the record of a session: `recollect set {page} …` changes the fields of all of it."
    elif "title" in others:
        what = f"{name} is an entry of {page}: `recollect edit {name}` changes its words, `recollect set {page} title=…` the title of the page."
    elif others:
        what = f"{', '.join(others)}: fields of a page. {name} is an entry of {page}; run `recollect set {page} {others[0]}=…`."
    elif values.get("status", row.status) != row.status:
        what = f"An entry has no status of its own: `recollect supersede {name} NEW` says what holds instead, `recollect archive {name}` puts it away, `recollect set {page} status=…` is for all of {page}."
    elif values.get("kind", row.kind) not in (row.kind, one.page.kind, "decision"):
        what = f"An entry of {page} is a decision, or of the kind of its page ({one.page.kind})."
    if what:
        raise UsageProblem(what=what, command=COMMAND)


def _item_with(text: str, one: NamedEntry, row: IndexUnit, wanted: Mapping[str, str]) -> str:
    fields = {key: wanted[key] for key in ("trust", "source", "salience") if wanted.get(key)}
    if "kind" in wanted:
        fields["kind"] = "decision" if wanted["kind"] == "decision" else ""

    def change(mark: Mark) -> Mark:
        return mark._replace(**fields)

    own = change(Mark(row.session, row.created, row.trust, row.source))
    memory = list_item_edit.parsed(text, one.page.path)
    had = list_item_edit.mark_at(memory, row.anchor)
    if not fields or (had and change(had) == had) or (not had and _is_so(row, wanted)):
        return text
    return document.with_body(
        text, list_item_edit.with_marks(memory, row.anchor, lambda mark: change(mark).comment, own)
    )


def _section_with(text: str, row: IndexUnit, wanted: Mapping[str, str]) -> str:
    if _is_so(row, wanted):
        return text
    if wanted.get("trust") == "user":
        text = entries.approved(text, row.anchor)
    body = document.body_of(text)
    section = next(one for one in document.sections_of(body) if one.anchor == row.anchor)
    fields = {key: wanted[key] for key in ("trust", "source", "salience") if wanted.get(key)}
    made = list_item_edit.with_changed_marks(
        section.text, lambda mark: mark._replace(**fields).comment
    )
    sure = wanted.get("confidence") or (row.confidence if row.confidence != "medium" else "")

    def signed(found: re.Match[str]) -> str:
        whose = {**found.groupdict(), **fields}
        end = f"; confidence: {sure}" if sure else ""
        return f"<!-- source: {whose['source']}; trust: {whose['trust']}{end}"

    if made == section.text and not _SIGNED.search(made):
        made = f"{made.rstrip()}\n\n<!-- source: {row.source}; trust: {row.trust} -->".lstrip()
    made = _SIGNED.sub(signed, made)
    return document.with_body(
        text, document.with_section_at(body, section.anchor, section.heading, made)
    )


def _is_so(row: IndexUnit, wanted: Mapping[str, str]) -> bool:
    """Whether an entry has these values; without a mark it is of medium salience."""
    about = {**row._asdict(), "salience": "medium"}
    return all(about[key] == value for key, value in wanted.items())


def _require_read_back(
    one: NamedEntry, row: IndexUnit, text: str, wanted: Mapping[str, str]
) -> None:
    """Raise UsageProblem if the page would not be read as having these values."""
    memory = list_item_edit.parsed(text, one.page.path)
    now = next(iter(rows_at(memory, row.anchor)), None)
    mark = list_item_edit.mark_at(memory, row.anchor)
    about = now._asdict() if now else {}
    about["salience"] = mark.salience if mark else "medium"
    left = [key for key, value in wanted.items() if value and about.get(key) != value]
    if "trust" in left:
        what = f"{one.page.id} as a whole is trusted no more than {one.page.trust}: `recollect set {one.page.id} trust={wanted['trust']}` is for all of it."
        raise UsageProblem(what=what, command=COMMAND)
    if left:
        what = f"{one.name} has no place for {left[0]}: it is a field of its page; run `recollect set {one.page.id} {left[0]}={wanted[left[0]]}`."
        raise UsageProblem(what=what, command=COMMAND)
