"""Edit, approve or take out one item of a list. Pure.

Every other line of the page stays. An edited item keeps its id.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from recollect._fastimport import NamedTuple, Pattern
from recollect.consolidate.actions import retitled
from recollect.model import document as codec
from recollect.model.document import parts_of
from recollect.model.entries import raised, rows_at, shelved
from recollect.model.footnotes import Mark, mark_of, tail_of
from recollect.model.listed import COMMENT, Listed, id_in, items_in
from recollect.model.memory import Memory, Shelved
from recollect.text.sentences import outside_fences

# An item's bullet, with the box or the category that may follow it.
_BEGINNING = Pattern(
    r"[ \t]*(?:[-*+•][ \t]+|\d{1,9}[.)、][ \t]*)(?:\*{0,2}\[[^\]\n]{1,60}\]\*{0,2}(?![(\[])[:：]?[ \t]+)*"
)
_DETAIL = Pattern(r"\s*[-*+•][ \t]+(?:source|files|concepts|来源|文件|概念)[ \t]*[:：]", re.I)
_SOURCE = Pattern(r"(\s*[-*+•][ \t]+(?:source|来源)[ \t]*[:：][ \t]*).*", re.I)


_ENDS_SECTION = Pattern(r"##? |\[\^[^\]\s]+\]: ")  # the next heading, or a footnote


class _PlacedItem(NamedTuple):
    """An item in the part of a page that has it; `first` is the line where its section's text begins."""

    row: Shelved
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


def without(memory: Memory, anchor: str) -> str | None:
    """The body without the item `^id`; None if there is no such item."""
    place = _place_of(memory, anchor)
    return place and _rewritten(memory, place, "", None)


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
    rows = [row for row in shelved(memory) if row.anchor.startswith("^")]
    wanted = next((row for row in rows if row.anchor == anchor), None)
    if wanted is None:
        return None
    same = [place for place in _places(memory, wanted) if place.item.text == wanted.text]
    nth = [row.anchor for row in rows if row.text == wanted.text].index(anchor)
    return same[nth] if nth < len(same) else None


def _places(memory: Memory, row: Shelved) -> Iterator[_PlacedItem]:
    both = zip(parts_of(memory.body), codec.sections_of(memory.body), strict=True)
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
