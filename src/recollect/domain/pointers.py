"""Pointers: short notes in a file that is always loaded, each naming a memory and when to read it.

Promises: nothing outside the marks changes by a byte; taking the last pointer out gives back the
bytes that were there before the first; no text of a memory can be a heading, a mark, a command or
a file to take in; what a memory says later changes no pointer that a person has approved.
Touches: nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from recollect.domain.jsontext import rows_in, with_rows
from recollect.domain.model import Entry
from recollect.domain.pack import hidden
from recollect.domain.pattern import Pattern
from recollect.domain.summary import one_line
from recollect.domain.text import cue_words, plain_words
from recollect.named import NamedTuple

FILE = "pins.json"
KEY, VERSION = "pinned", 1
MOST_WORDS = 8
LONGEST_BRIEF = 160
_START, _JOINED, _END = (
    "<!-- RECOLLECT_POINTERS_START -->",
    "<!-- RECOLLECT_POINTERS_START: joined -->",  # the line before it had no end
    "<!-- RECOLLECT_POINTERS_END -->",
)
_BLOCK = Pattern(
    r"^<!-- RECOLLECT_POINTERS_START(: joined)? -->.*?^<!-- RECOLLECT_POINTERS_END -->[ \t]*(?:\r?\n|\Z)",
    re.M | re.S,
)
_MARK = Pattern(r"^<!-- RECOLLECT_POINTERS_(?:START(?:: joined)?|END) -->", re.M)
# `!` before a backtick runs a command, `$` begins a placeholder, `@` takes in a file.
_HARMLESS = {ord(c): f"&#{ord(c)};" for c in "`$@<>[]#"} | {ord("&"): "&amp;"}
_NOTE = {
    "en": "Pointers of Recollect: read the file under Details when a word under When comes up.",
    "zh": "Recollect 的指引：出现 When 中的词时，再读 Details 所指的文件。",
}


class Pointer(NamedTuple):
    """A memory that a person has pinned, in the words that they saw."""

    id: str
    title: str
    brief: str
    when: tuple[str, ...]
    tags: tuple[str, ...]
    date: str = ""


def harmless(text: str, longest: int = 240) -> str:
    """A text of a memory as one line of a file that is always loaded, and no more than text."""
    line = one_line(text.translate(hidden()), longest)
    return line.translate(_HARMLESS).replace("\\", "&#92;")


def pointer_to(entry: Entry, brief: str, when: Sequence[str], today: str) -> Pointer:
    """The pointer to a memory; by default it tells the summary, its triggers and its tags."""
    endings = (f".{path.rpartition('.')[2]}" for path in entry.files if "." in path)
    words = when or (*entry.trigger, *entry.tags, *endings)
    return Pointer(
        entry.id,
        one_line(entry.title, 80),
        one_line(brief or entry.summary or entry.title, LONGEST_BRIEF),
        tuple(dict.fromkeys(words))[:MOST_WORDS],
        entry.tags[:MOST_WORDS],
        today[:10],
    )


def wanted(pointers: Iterable[Pointer], text: str) -> list[Pointer]:
    """The pointers of which a word under When comes up in a text."""
    said = set(cue_words(text))
    low = text.casefold()
    found = []
    for one in pointers:
        for word in one.when:
            needed = plain_words(word)
            is_name = not any(map(str.isalnum, word[:1])) and word.casefold() in low  # `.py`
            if is_name or (needed and said.issuperset(needed)):
                found.append(one)
                break
    return found


# -------------------------------------------------------------------------------------- the file


def pointers_in(text: str) -> list[Pointer]:
    """The pointers that `pins.json` has; what in it is none is passed over."""
    return [one for row in rows_in(text, KEY) if (one := _read(row))]


def _read(row: Any) -> Pointer | None:
    if not isinstance(row, dict) or not isinstance(row.get("id"), str):
        return None
    lists = {k: tuple(filter(_is_text, row.get(k) or ())) for k in ("when", "tags")}
    texts = {k: str(row.get(k) or "") for k in ("title", "brief", "date")}
    return Pointer(row["id"], texts["title"], texts["brief"], **lists, date=texts["date"])


def _is_text(word: object) -> bool:
    return isinstance(word, str)


def with_pointers(text: str, pointers: Sequence[Pointer]) -> str:
    """`pins.json` with these pointers; keys that we do not know stay."""
    return with_rows(text, KEY, [one._asdict() for one in pointers], VERSION)


# ------------------------------------------------------------------------------------- the block


def block_of(pointers: Sequence[Pointer], places: Mapping[str, str], lang: str) -> str:
    """The lines between the marks; `places` has the path of each memory that is still there."""
    lines = [_NOTE[lang], ""]
    for one in pointers:
        if one.id not in places:
            continue
        lines += [f"## {harmless(one.title)}", f"**Brief**: {harmless(one.brief)}"]
        if one.when:
            lines.append(f"**When**: {', '.join(map(harmless, one.when))}")
        lines.append(f"**Details**: {harmless(places[one.id])}")
        if one.tags:
            lines.append(f"**Tags**: {', '.join(map(harmless, one.tags))}")
        lines.append("")
    return "\n".join(lines) if len(lines) > 2 else ""


def is_sound(text: str) -> bool:
    """Whether the marks in a text are none, or one pair in order."""
    return len(_MARK.findall(text)) == 2 * len(_BLOCK.findall(text)) <= 2


def with_block(text: str, block: str) -> str:
    """`text` with the block between our marks, at its end if it has none; no block takes it out."""
    found = _BLOCK.search(text)
    if not block:
        return _without(text, found.start(), found.end(), found[1]) if found else text
    eol = "\r\n" if "\r\n" in (found[0] if found else text) else "\n"
    start, gap = _START, ""
    if found:
        start = _JOINED if found[1] else _START
    elif text:
        is_open = not text.endswith("\n")
        start, gap = (_JOINED if is_open else _START), eol
    lines = eol.join([start, *block.split("\n"), _END]) + eol
    if not found:
        return text + gap + lines
    if not text[found.start() : found.end()].endswith("\n"):
        lines = lines.removesuffix(eol)
    return text[: found.start()] + lines + text[found.end() :]


def _without(text: str, start: int, end: int, joined: str | None) -> str:
    before = text[:start]
    eol = "\r\n" if "\r\n" in text[start:end] else "\n"
    # The line end that was put between the text and the block goes with it.
    if before.endswith(eol if joined else f"\n{eol}") or before == eol:
        before = before.removesuffix(eol)
    return before + text[end:]
