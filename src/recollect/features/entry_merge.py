"""Make one statement of two entries that say the same: the first stays, in its own words.

Its footnotes get those of the other one, which goes from its page: lines get whose word it is, sections
in which session it was seen before. What only a section says below its heading joins the first.
"""

from __future__ import annotations

from recollect import workspace
from recollect.errors import UsageProblem
from recollect.features import list_item_edit
from recollect.features.merge import CAUSE, MergeResult, with_rest
from recollect.features.one_entry import (
    NamedEntry,
    marked_elsewhere,
    require_entry,
    store_of_both,
    taken_out,
    without_entry,
)
from recollect.model import document
from recollect.model.footnotes import SEEN_BEFORE, Mark, more_of
from recollect.model.memory import Change, IndexUnit, lowest_trust
from recollect.store.store import OpenStore
from recollect.workspace import Workspace


def merge_entries(app: Workspace, name: str, other: str, *, dry_run: bool) -> MergeResult:
    """Let the entry `name` stay for both, and `other` go.

    Raises MemoryNotFound, Encrypted, ChangedMeanwhile, and UsageProblem for what cannot be one.
    """
    store = store_of_both(app, name, other, CAUSE)
    stays, goes = (require_entry(store, one, CAUSE) for one in (name, other))
    _require_alike(stays, goes)
    if goes.trust == "user" != stays.trust:
        what = "Only a person puts an agent's words in place of their own: run it in your own terminal."
        workspace.require_person(app.env, CAUSE, what)

    def plan() -> tuple[MergeResult, list[Change]]:
        page = store.read(stays.page)
        text = _with_origins(store, page.text, stays, goes)
        if stays.page.id == goes.page.id:
            text, gone = without_entry(text, goes), marked_elsewhere(store, goes)
        else:
            gone = taken_out(store, goes, CAUSE)
        changed = Change("put", stays.page.path, stays.page.id, page.stamp, text)
        done = MergeResult(stays.name, stays.page.path, "", (), text)
        return done, [*([changed] if text != page.text else []), *gone]

    return store.carry_out(plan, cause=CAUSE, dry_run=dry_run)


def _require_alike(stays: NamedEntry, goes: NamedEntry) -> None:
    """Raise UsageProblem where no one statement can be made of these two."""
    what, instead = "", f"`recollect supersede {goes.name} {stays.name}`"
    if stays.name == goes.name:
        what = "A memory cannot be merged with itself."
    elif stays.page.id == goes.page.id and not (stays.row and goes.row):
        what = f"{goes.name} and {stays.name} are the same page: name two entries of it."
    elif stays.row is None or goes.row is None:
        what = f"A memory as a whole and an entry of a page cannot be merged; {instead} lets the first hold alone."
    elif "episodic" in (stays.page.layer, goes.page.layer):
        what = f"A statement in the record of a session cannot be merged; {instead} lets the first hold alone."
    elif stays.page.private != goes.page.private:
        what = "A private memory cannot be merged with one that is not."
    elif goes.wording != goes.statement and not _takes_text(stays, goes):
        what = f"{goes.name} has text that {stays.name} cannot take over: add it with `recollect edit {stays.name}`, then {instead}."
    if what:
        raise UsageProblem(what=what, command=CAUSE)


def _takes_text(stays: NamedEntry, goes: NamedEntry) -> bool:
    """Whether the text below the heading of an entry may stand below that of another one."""
    is_section = stays.row is not None and not stays.row.anchor.startswith("^")
    return is_section and lowest_trust(stays.trust, goes.trust) == stays.trust


def _with_origins(store: OpenStore, text: str, stays: NamedEntry, goes: NamedEntry) -> str:
    """The text of a page with what the other entry brings to the one that stays."""
    row, other = stays.row, goes.row
    if row is None or other is None:
        return text
    memory = list_item_edit.parsed(text, stays.page.path)
    if not row.anchor.startswith("^"):
        return document.with_body(text, _section_with(memory.body, row, goes, other))
    if lowest_trust(stays.trust, goes.trust) != stays.trust:
        return text  # with the word of somebody less trusted it would be trusted less
    mark = list_item_edit.mark_at(store.memory(goes.page), other.anchor)
    mark = mark or Mark(other.session, other.created, other.trust, other.source)
    own = Mark(row.session, row.created, row.trust, row.source)
    return document.with_body(text, list_item_edit.with_mark_before(memory, row.anchor, mark, own))


def _section_with(body: str, row: IndexUnit, goes: NamedEntry, other: IndexUnit) -> str:
    """The body with what another entry says besides, and when that was seen, in this section."""
    section = next(one for one in document.sections_of(body) if one.anchor == row.anchor)
    text = section.text
    if goes.wording != goes.statement:
        mine, yours = (f"## {section.heading}\n\n{one}\n" for one in (text, other.text))
        text = document.sections_of(with_rest(mine, yours, section.heading))[-1].text
    if other.session or other.created:
        seen = f"<!-- {SEEN_BEFORE}; session: {other.session}{more_of(other.created, '')} -->"
        text = f"{text.rstrip()}\n\n{seen}".lstrip()
    return document.with_section_at(body, section.anchor, section.heading, text)
