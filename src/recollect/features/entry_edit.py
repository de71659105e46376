"""Edit one entry of a page: a section, or an item of a list; and who does it."""

from __future__ import annotations

import re

from recollect._fastimport import NamedTuple
from recollect.errors import MemoryNotFound
from recollect.model import document, entries
from recollect.model.entries import without_comments
from recollect.model.footnotes import Mark
from recollect.model.list_items import SOURCE_OF, is_shared
from recollect.model.memory import CORE, SESSION_KINDS, Entry, Section, lowest_trust
from recollect.model.page_form import NOTED, title_for
from recollect.store.store import OpenStore


class Author(NamedTuple):
    """Who changes something: how far they are trusted, and in which session."""

    trust: str = "user"
    session: str = ""


PERSON = Author()
_ORIGIN = re.compile(r"<!-- (?:from|source|session): ")
# A rule that is only a heading: when text is appended, nothing but its origin is kept of the item below it.
_ALONE = re.compile(r"- [^\n]*? <!-- from: ; (date: [^;]*); (trust: \w+); (source: \w+) -->")


def section_edited(
    body: str,
    name: str,
    title: str | None,
    new: str | None,
    append: str | None,
    *,
    by: Author,
    now: str,
) -> str:
    """The body with another title or text for the section `id#anchor`. Raises MemoryNotFound."""
    found = section_at(body, name)
    text = found.text if new is None else new
    said = without_comments(text).removeprefix("- ")
    same = (said.casefold(), title_for(said).casefold())
    if title and new is None and found.heading.casefold() in same:
        text = text if by.trust == "user" else without_comments(text)  # nobody else said so
        text = text.replace(said, title, 1)  # it says what its title says
        title = title_for(title) if text.startswith("- ") else title
    if new is not None and by.trust == "user" and _ORIGIN.search(found.text):
        text = entries.dated(found.heading, new.rstrip(), "instructed", now)[1]
    if append is not None:
        alone = _ALONE.fullmatch(text) if said == found.heading else None
        end = f"\n\n<!-- {alone[3]}; {alone[2]}; {alone[1]} -->" if alone else ""
        text = f"{'' if alone else text.rstrip()}\n\n{append.strip()}{end}".lstrip("\n")
    text = entries.signed(text, by.trust, session=by.session, date=now[:10])
    return document.with_section_at(
        body, found.anchor, found.heading if title is None else title, text
    )


def item_edited(
    store: OpenStore,
    entry: Entry,
    text: str,
    name: str,
    *,
    said: str | None,
    append: str | None,
    by: Author,
) -> str:
    """The body with other words for the item that `page#^id` names. Raises MemoryNotFound."""
    from recollect.features import list_item_edit  # seldom needed

    def changed(old: str) -> str:
        new = " ".join((old if said is None else said).split())
        if append is None:
            return new
        end = "" if new[-1:] in ".!?:;。！？：；" else "."
        return f"{new}{end} {' '.join(append.split())}"

    anchor, memory = name.partition("#")[2], list_item_edit.parsed(text, entry.path)
    had = next((row.trust for row in entries.index_units(memory) if row.anchor == anchor), "user")
    mark = None  # who adds to a line of somebody less trusted does not vouch for it
    if said is not None or by.trust != "user":
        trust = by.trust if by.trust == "user" else lowest_trust(by.trust, had)
        mark = Mark(by.session, store.now, trust, SOURCE_OF[by.trust])
    made = list_item_edit.edited(memory, anchor, changed, mark)
    if made is None:
        raise MemoryNotFound(id=name)
    return made


def section_at(body: str, name: str) -> Section:
    """The section that `id#anchor` names. Raises MemoryNotFound."""
    anchor = name.partition("#")[2]
    for section in document.sections_of(body):
        if section.anchor == anchor:
            return section
    raise MemoryNotFound(id=name)


# What makes a text more than statements: headings, tables, code, quotations, footnotes, lists below lists.
_NO_STATEMENT = re.compile(
    r"^(?:#{1,6} |\||```|~~~|>|\[\^|---|\d{1,9}[.)] |[ \t]+(?:[-*+•]|\d{1,9}[.)])[ \t])|<!--", re.M
)
_BULLET = re.compile(r"^[-*+•][ \t]+(?:\[[ xX]\][ \t]+)?", re.M)


def with_entries(text: str, path: str, more: str, mark: Mark, lang: str) -> str:
    """The text of a page that lists entries with more of them: an item for each paragraph or item.

    Empty where the page is no such list, or what is added is more than statements.
    """
    memory = document.memory_from_text(text, path.removesuffix(".age"))
    is_list = any(row.anchor.startswith("^") for row in entries.index_units(memory))
    is_other = memory.kind in SESSION_KINDS or is_shared(memory) or path.startswith(f"{CORE}/")
    if not is_list or is_other or _NO_STATEMENT.search(more.strip()):
        return ""
    from recollect.consolidate.actions import AddClaim, texts_of
    from recollect.consolidate.claims import Claim, plain_statement
    from recollect.consolidate.edit import with_actions

    heading = NOTED[mark.trust][lang == "zh"]
    said = [plain_statement(one) for part in more.split("\n\n") for one in _BULLET.split(part)]
    said = [one for one in said if one]
    claims = [Claim(one, source=mark.source, trust=mark.trust) for one in said]
    wanted = {**texts_of("\n".join(f"- {one} {mark.comment}" for one in said))}
    if list(wanted) != list(dict.fromkeys(said)):
        return ""  # it would not read back as what was said
    return with_actions(text, *(AddClaim(path, heading, one, mark) for one in claims))
