"""Edit, approve, take out or put back one item of a list, there and in the sessions that brought it up.

Every other line of the page stays. An edited item keeps its id.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from recollect._fastimport import NamedTuple, Pattern
from recollect.consolidate.actions import MarkFiled, retitled
from recollect.consolidate.edit import marked, without_empty_lists
from recollect.errors import MemoryNotFound
from recollect.model import document
from recollect.model.claim_key import statement_key
from recollect.model.document import files_of, parts_of
from recollect.model.entries import index_units, is_conversation, raised, rows_at, without_comments
from recollect.model.filing_marks import FILED, says, without_sentence, without_statement
from recollect.model.footnotes import Mark, id_letters, is_same_origin, mark_of, tail_of
from recollect.model.list_items import COMMENT, OF_LIST, Listed, id_in, items_in
from recollect.model.memory import Change, Entry, Filter, IndexUnit, Memory, is_sealed_path
from recollect.model.page_form import NOTED
from recollect.store.store import OpenStore
from recollect.text.sentences import outside_fences

# An item's bullet, with the box or the category that may follow it.
_BEGINNING = Pattern(
    r"[ \t]*(?:[-*+•][ \t]+|\d{1,9}[.)、][ \t]*)(?:\*{0,2}\[[^\]\n]{1,60}\]\*{0,2}(?![(\[])[:：]?[ \t]+)*"
)
_DETAIL = Pattern(r"\s*[-*+•][ \t]+(?:source|files|concepts|来源|文件|概念)[ \t]*[:：]", re.I)
_SOURCE = Pattern(r"(\s*[-*+•][ \t]+(?:source|来源)[ \t]*[:：][ \t]*).*", re.I)


_ITEM = Pattern(r"[-*+•] ")
_ENDS_SECTION = Pattern(r"##? |\[\^[^\]\s]+\]: ")  # the next heading, or a footnote


class _PlacedItem(NamedTuple):
    """An item in the part of a page that has it; `first` is the line where its section's text begins."""

    row: IndexUnit
    item: Listed
    part: int
    first: int


def edited(
    memory: Memory, anchor: str, change: Callable[[str], str], mark: Mark | None
) -> str | None:
    """The body with other words for the item `^id`; None if there is no such item.

    `change` gets its words. `mark` says whose the new ones are; without one they are still whose
    they were.
    """
    place = _place_of(memory, anchor)
    return place and _rewritten(memory, place, change(" ".join(place.row.text.split())), mark)


def lead_of_addition(memory: Memory, anchor: str) -> str | None:
    """What an agent's addition to something of the person's begins with; None if that is not theirs.

    To a section or a line it begins with what that says, since it stands elsewhere.
    """
    if not anchor:
        return "" if memory.trust == "user" or "; trust: user" in memory.body else None
    row = next(iter(rows_at(memory, anchor)), None)
    if row is None or row.trust != "user":
        return None
    said = row.text if anchor.startswith("^") else row.heading
    return f"{' '.join(said.split()).rstrip('.。')}: "


def without(memory: Memory, anchor: str) -> str | None:
    """The body without the item `^id`; None if there is no such item."""
    place = _place_of(memory, anchor)
    return place and _rewritten(memory, place, "", None)


def parsed(text: str, path: str) -> Memory:
    """The memory of a text, of an encrypted one that was opened as well."""
    return document.memory_from_text(text, path.removesuffix(".age"))


def without_item(text: str, path: str, name: str) -> str:
    """The body of a page without the item of a list that `page#^id` names. Raises MemoryNotFound."""
    kept = without(parsed(text, path), name.partition("#")[2])
    if kept is None:
        raise MemoryNotFound(id=name)
    return without_empty_lists(kept)


def mark_at(memory: Memory, anchor: str) -> Mark | None:
    """The mark of the item `^id`; None for a line without one, and for what is no item."""
    place = _place_of(memory, anchor)
    marks = (mark_of(f"<!--{one}-->") for one in (place.item.comments if place else ()))
    return next((mark for mark in marks if mark), None)


def with_mark_before(memory: Memory, anchor: str, mark: Mark, own: Mark) -> str:
    """The body with one more mark before those of the item `^id`, whose own is the last.

    Raises MemoryNotFound.
    """
    first = mark_at(memory, anchor) or own

    def change(had: Mark) -> str:
        is_first = had == first and mark.comment != had.comment
        return f"{mark.comment} {had.comment}" if is_first else had.comment

    return with_marks(memory, anchor, change, own)


def with_marks(memory: Memory, anchor: str, change: Callable[[Mark], str], own: Mark) -> str:
    """The body with other comments for the marks of the item `^id`; without any it has `own`.

    Raises MemoryNotFound.
    """
    place = _require_place(memory, anchor)
    parts = parts_of(memory.body)
    lines = parts[place.part].text.split("\n")
    at = place.first + place.item.lines[0]
    if mark_at(memory, anchor) is None:
        end = "\r" if lines[at].endswith("\r") else ""
        name = "" if place.item.comments and id_in(place.item.comments) else f" <!-- {anchor} -->"
        lines[at] = f"{lines[at].rstrip()}{name} {own.comment}{end}"
    for n in place.item.lines:
        lines[place.first + n] = with_changed_marks(lines[place.first + n], change)
    parts[place.part] = parts[place.part]._replace(text="\n".join(lines))
    return "".join(part.text for part in parts)


def with_changed_marks(text: str, change: Callable[[Mark], str]) -> str:
    """A text with other comments for the marks in it."""
    for one in COMMENT.findall(text):
        if mark := mark_of(f"<!--{one}-->"):
            text = text.replace(f"<!--{one}-->", change(mark))
    return text


def with_comment(memory: Memory, anchor: str, comment: str) -> str:
    """The body with a comment below the item `^id`. Raises MemoryNotFound."""
    place = _require_place(memory, anchor)
    parts = parts_of(memory.body)
    lines = parts[place.part].text.split("\n")
    at = place.first + max(n for n in place.item.lines if lines[place.first + n].strip())
    end = "\r" if lines[at].endswith("\r") else ""
    lines.insert(at + 1, f"  {comment}{end}")
    parts[place.part] = parts[place.part]._replace(text="\n".join(lines))
    return "".join(part.text for part in parts)


def approved(memory: Memory, anchor: str) -> str | None:
    """The body with the item `^id` trusted like a person; None if there is no such item."""
    place = _place_of(memory, anchor)
    if place is None:
        return None
    parts = parts_of(memory.body)
    lines = parts[place.part].text.split("\n")
    for n in place.item.lines:
        lines[place.first + n] = raised(lines[place.first + n])
    parts[place.part] = parts[place.part]._replace(text="\n".join(lines))
    return "".join(part.text for part in parts)


class Part(NamedTuple):
    """An entry cut from its page: a section, or an item below the heading of its list.

    `after` is the anchor of what stood before it, `^` for the first item of a list; `added` is the
    id that it got, if it had none in writing.
    """

    text: str
    after: str
    added: str = ""


def part_of(memory: Memory, anchor: str) -> Part:
    """The section of this anchor, or the item `^id`, which is there."""
    parts, sections = parts_of(memory.body), document.sections_of(memory.body)
    if not anchor.startswith("^"):
        at = next(n for n, section in enumerate(sections) if section.anchor == anchor)
        return Part(parts[at].text, sections[at - 1].anchor)
    place = _require_place(memory, anchor)
    if len(parts_of(without(memory, anchor) or "")) < len(parts):  # its section goes with it
        return Part(parts[place.part].text, sections[place.part - 1].anchor)
    rows = [row for row in index_units(memory) if row.anchor.startswith("^")]
    at = next(n for n, row in enumerate(rows) if row.anchor == anchor)
    is_first = not at or rows[at - 1].within != rows[at].within
    lines = parts[place.part].text.split("\n")
    own = _item_lines(lines, place)
    end = "\r" if lines[0].endswith("\r") else ""
    added = "" if place.item.comments else anchor
    if added:
        own[0] = f"{own[0].removesuffix(end)} <!-- {added} -->{end}"
    of_list = [line for line in lines if OF_LIST.match(line)]
    made = [
        *([lines[0], end] if place.part else ()),
        *own,
        *([end, *of_list] if of_list else ()),
        "",
    ]
    return Part("\n".join(made), "^" if is_first else rows[at - 1].anchor, added)


def with_part(page: Memory, cold: Memory, anchor: str, after: str, added: str) -> str:
    """The body of a page with an entry that was cut from it, where it stood if that is known.

    `cold` has nothing else; `after` and `added` are as `part_of` gives them.
    """
    own = parts_of(cold.body)[-1]
    eol = "\r\n" if "\r\n" in page.body else "\n"
    if not after.startswith("^"):
        return _with_section(page.body, own.text, after, eol, is_first=not after)
    lines = _item_lines(own.text.split("\n"), _require_place(cold, anchor))
    lines[0] = lines[0].replace(f" <!-- {added} -->", "", 1) if added else lines[0]
    names = next((both for both in NOTED.values() if own.heading in both), (own.heading,))
    parts = parts_of(page.body)
    at = next((n for n, part in enumerate(parts) if part.heading in names), None)
    if at is None and own.heading in NOTED["user"]:
        if not _begins(parts[0].text.split("\n")):
            return _with_section(page.body, own.text, "", eol, is_first=True)
        at = 0  # a list without an origin stands there without a heading
    if at is None:
        return _with_section(page.body, own.text, "", eol, is_first=False)
    rest = _with_item(parts[at].text.split("\n"), lines, after)
    parts[at] = parts[at]._replace(text="\n".join(rest))
    return "".join(part.text for part in parts)


def _with_item(rest: list[str], lines: list[str], after: str) -> list[str]:
    """The lines of a section with those of an item: after another, as the first, or as the last."""
    begins = _begins(rest)
    gap = ["\r" if rest[0].endswith("\r") else ""]
    gap = gap if any(not rest[n - 1].strip() for n in begins[1:]) else []
    if after == "^" and begins:
        return [*rest[: begins[0]], *lines, *gap, *rest[begins[0] :]]
    at = next((n + 1 for n in begins if _name_of(rest[n]).startswith(after[1:])), 0)
    while 0 < at < len(rest) and rest[at][:1] in (" ", "\t") and rest[at].strip():
        at += 1
    if not at:
        end = next((n for n, line in enumerate(rest) if OF_LIST.match(line)), len(rest))
        at = next(n + 1 for n in reversed(range(end)) if rest[n].strip())
    return [*rest[:at], *gap, *lines, *rest[at:]]


def _begins(lines: list[str]) -> list[int]:
    return [n for n, line in outside_fences(lines) if n and _ITEM.match(line)]


def _name_of(line: str) -> str:
    """The id of an item, written or worked out, from its first line in memory."""
    comments = COMMENT.findall(line)
    return id_in(comments) or id_letters(COMMENT.sub("", _ITEM.sub("", line, 1)))


def _with_section(body: str, text: str, after: str, eol: str, *, is_first: bool) -> str:
    """A body with another section after the one of this anchor, or as the first, or the last."""
    parts = parts_of(body)
    anchors = [section.anchor for section in document.sections_of(body)]
    at = 1 if is_first else anchors.index(after) + 1 if after in anchors else len(parts)
    before, following = ("".join(part.text for part in some) for some in (parts[:at], parts[at:]))
    gap = (
        "" if not before or before.endswith(eol * 2) else eol if before.endswith("\n") else eol * 2
    )
    return f"{before}{gap}{text.rstrip()}{eol}{eol if following else ''}{following}"


def _item_lines(lines: list[str], place: _PlacedItem) -> list[str]:
    """The lines of an item in its part, without the blank ones after it."""
    own = [lines[place.first + n] for n in place.item.lines]
    while not own[-1].strip():
        own.pop()
    return own


def _require_place(memory: Memory, anchor: str) -> _PlacedItem:
    place = _place_of(memory, anchor)
    if place is None:
        raise MemoryNotFound(id=f"{memory.id}#{anchor}")
    return place


def around(text: str, memory: Memory, anchor: str) -> tuple[str, str, str]:
    """The text of a file in three: what is before an entry, the entry, and what is after it.

    Where no id on the page says which lines are the entry's, all of it is the entry.
    """
    rows = rows_at(memory, anchor) if anchor else []
    part = _lines_of(text, rows[0].entry) if len(rows) == 1 else None
    if part is None:
        return "", text, ""
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return "".join(lines[: part.start]), "".join(lines[part]), "".join(lines[part.stop :])


def _lines_of(text: str, entry: str) -> slice | None:
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    plain = dict(outside_fences(lines))
    first = next((n for n, line in plain.items() if _id_of(line) == entry), None)
    if first is None:
        return None
    end = first + 1
    if lines[first].startswith("## "):
        below = (n for n, line in plain.items() if n > first and _ENDS_SECTION.match(line))
        end = next(below, len(lines))
    else:
        while end < len(lines) and lines[end][:1] in (" ", "\t") and lines[end].strip():
            end += 1
    while not lines[end - 1].strip():
        end -= 1
    return slice(first, end)


def _id_of(line: str) -> str:
    """The id at the end of an item of a list, or of a heading."""
    is_entry = line.startswith("## ") or _BEGINNING.match(line)
    tail = tail_of(line) if is_entry else None
    return (tail[1] or tail[3] or "")[1:] if tail else ""


def _place_of(memory: Memory, anchor: str) -> _PlacedItem | None:
    rows = [row for row in index_units(memory) if row.anchor.startswith("^")]
    wanted = next((row for row in rows if row.anchor == anchor), None)
    if wanted is None:
        return None
    same = [place for place in _places(memory, wanted) if place.item.text == wanted.text]
    nth = [row.anchor for row in rows if row.text == wanted.text].index(anchor)
    return same[nth] if nth < len(same) else None


def _places(memory: Memory, row: IndexUnit) -> Iterator[_PlacedItem]:
    both = zip(parts_of(memory.body), document.sections_of(memory.body), strict=True)
    for n, (part, section) in enumerate(both):
        first = part.text.count("\n", 0, part.text.find(section.text))
        for item in items_in(section, memory)[0]:
            yield _PlacedItem(row, item, n, first)


def _rewritten(memory: Memory, place: _PlacedItem, said: str, mark: Mark | None) -> str:
    parts = parts_of(memory.body)
    lines = parts[place.part].text.split("\n")
    at, *below = (place.first + n for n in place.item.lines)
    is_apart = at > 0 and not lines[at - 1].strip()  # one gap is enough where it stood
    kept = {n for n in below if not lines[n].strip() and (said or not is_apart)}
    if said:
        lines[at] = _line(lines[at], said, place.row.anchor, mark)
        is_fact = bool(place.item.kind)
        kept |= {n for n in below if _is_aside(lines[n], is_fact=is_fact)}
        if mark and is_fact:
            for n in kept:
                lines[n] = _SOURCE.sub(rf"\g<1>{mark.source}", lines[n])
    gone = {*below, *(() if said else (at,))} - kept
    text = "\n".join(line for n, line in enumerate(lines) if n not in gone)
    parts[place.part] = parts[place.part]._replace(text=text)
    made = "".join(part.text for part in parts)
    return retitled(memory.body, made, place.item.text)


def _is_aside(line: str, *, is_fact: bool) -> bool:
    """Whether a line below an item stays when the item's words change: a comment, or a detail."""
    return not COMMENT.sub("", line).strip() or (is_fact and bool(_DETAIL.match(line)))


def _line(line: str, said: str, anchor: str, mark: Mark | None) -> str:
    """The line of an item with other words, under its old id."""
    beginning = _BEGINNING.match(line)
    comments = [f"<!--{one}-->" for one in COMMENT.findall(line) if not id_in([one])]
    if mark:
        kind = next((was.kind for one in comments if (was := mark_of(one))), mark.kind)
        mark = mark._replace(kind=kind)
        comments = [one for one in comments if not mark_of(one)] + [mark.comment]
    end = "\r" if line.endswith("\r") else ""
    words = [said, f"<!-- {anchor} -->", *comments]
    return (beginning[0] if beginning else "- ") + " ".join(words) + end


# ------------------------------------------- the same statement in the sessions that brought it up


def forgotten_in_sessions(
    store: OpenStore, entry: Entry, rows: Iterable[IndexUnit]
) -> Iterator[Change]:
    """The changes to sessions' memories when these rows of an entry are forgotten."""
    for one, statements in _sessions_saying(store, entry, rows):
        for path in filter(store.files.exists, files_of(one.path)):
            old = store.files.read(path)
            text = old.text
            for said in statements:
                text = _without(text, path, one, said, store.settings.lang)
            if text != old.text:
                yield Change("put", path, one.id, old.stamp, text)


def marked_in_sessions(
    store: OpenStore, entry: Entry, rows: Iterable[IndexUnit]
) -> Iterator[Change]:
    """The changes after which sessions' memories do not tell these rows of an entry by themselves."""
    for one, statements in _sessions_saying(store, entry, rows):
        old = store.files.read(one.path)
        text = marked(old.text, [MarkFiled(one.path, said, FILED) for said in statements])
        if text != old.text:
            yield Change("put", one.path, one.id, old.stamp, text)


def _sessions_saying(
    store: OpenStore, entry: Entry, rows: Iterable[IndexUnit]
) -> Iterator[tuple[Entry, list[str]]]:
    """The memories of the sessions that these rows were learned in, with what each may say."""
    by_session: dict[str, list[str]] = {}
    for row in rows:
        if row.entry and row.session and row.kind != "solution":
            said = without_comments(row.text or row.heading)
            by_session.setdefault(row.session, []).append(said)
    if entry.layer == "episodic" or not by_session:
        return
    for one in store.index.entries(Filter(layer="episodic")):
        statements = [
            text
            for session, texts in by_session.items()
            if any(is_same_origin(session, name) for name in (one.id, one.session) if name)
            for text in texts
        ]
        if statements and one.kind == "session" and not is_sealed_path(one.path):
            yield one, statements


def _without(text: str, path: str, entry: Entry, said: str, lang: str) -> str:
    """The text of a session's file without a statement, even where that is its title."""
    key = statement_key(said)
    if is_conversation(path):
        return without_sentence(text, key)
    body = document.body_of(text)
    new = without_statement(body, said)
    text = document.with_body(text, new) if new != body else text
    title = entry.title.rstrip("…")
    is_cut = title != entry.title and key.startswith(statement_key(title))
    if says(title, key) or is_cut:
        day = entry.created[:10]
        text = document.with_title(text, f"{day} 的会话" if lang == "zh" else f"Session of {day}")
    return text
