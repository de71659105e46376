"""Codec: the YAML block at the head of a memory, edited line by line.

Promises: an edit of one field leaves every other byte as it was (comments, key order, line ends,
unknown keys); what is written reads back as the very same string, here and in any other reader of
YAML; setting a field to the value it has changes nothing.
Touches: nothing.
"""

from __future__ import annotations

import re

from recollect.domain.codec.frontmatter import Entry, Value, is_remark, item_of, split_front
from recollect.domain.pattern import Pattern

# What YAML readers take for something else than a string: booleans, nothing, numbers, times.
_OTHER_WORDS = frozenset("y n yes no on off true false null ~ = <<".split())
_NUMBER = Pattern(
    r"(?:[-+]?[\d._]+(?:e[-+]?\d+)?|0[xob][\da-f_]+"
    r"|[-+]?\d[\d_]*(?::\d+)+(?:\.\d*)?|[-+]?\.(?:inf|nan)|\d{4}-\d\d?-\d\d?(?:[Tt \t].*)?)",
    re.IGNORECASE,
)
_INDICATORS = "-?:,[]{}#&*!|>'\"%@` \t"
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_SEPARATORS = ",[]{}?，、"  # inside a list on one line


def scalar_text(value: str, *, in_list: bool = False) -> str:
    """`value` as YAML that every reader takes for this very string."""
    plain = (
        bool(value)
        and value[0] not in _INDICATORS
        and value[-1] not in " \t:"
        and value.isprintable()
        and not _is_ambiguous(value)
        and ": " not in value
        and " #" not in value
        and not (in_list and any(char in value for char in _SEPARATORS))
    )
    return value if plain else '"' + "".join(map(_escaped, value)) + '"'


def _is_ambiguous(value: str) -> bool:
    if value[0] in "+-._" or value[0].isdecimal():
        return bool(_NUMBER.fullmatch(value))
    return value.lower() in _OTHER_WORDS


def _escaped(char: str) -> str:
    if char in _ESCAPES or char.isprintable():
        return _ESCAPES.get(char, char)
    code = ord(char)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def value_text(value: Value) -> str:
    """A value as it stands behind `key: `."""
    if isinstance(value, str):
        return scalar_text(value) if value else ""
    return "[" + ", ".join(scalar_text(v, in_list=True) for v in value) + "]"


def date_text(value: str) -> str:
    """A date or time, which stays unquoted: YAML readers may well take it for one."""
    return value if re.fullmatch(r"[\dT:Z.+-]+", value) else value_text(value)


def with_value(
    text: str, key: str, value: Value, *, order: list[str], is_date: bool = False
) -> str:
    """`text` with one key of its front matter set; every other byte stays.

    A key that was not there comes after the last present one that precedes it in `order`.
    """
    front = split_front(text)
    eol = _line_end(front.lines[0] if front.lines else text)
    shown = date_text(value) if is_date and isinstance(value, str) else value_text(value)
    new = f"{key}: {shown}".rstrip()
    if not front.lines:
        return f"{front.lead}---{eol}{new}{eol}---{eol}{front.body}"
    lines = list(front.lines)
    found = [e for e in front.entries if e.key == key and e.end]
    if not found:
        lines.insert(_place_for(key, front.entries, order, len(lines) - 1), new + eol)
    elif found[-1].value == value:
        return text
    else:
        entry = found[-1]
        lines[entry.start : entry.end] = _edited(entry, lines, value, new)
    return front.lead + "".join(lines) + front.body


def _line_end(text: str) -> str:
    newline = text.find("\n")
    return "\r\n" if newline > 0 and text[newline - 1] == "\r" else "\n"


def _place_for(key: str, entries: list[Entry], order: list[str], end: int) -> int:
    def rank(name: str) -> tuple[int, str]:
        # Keys that we do not know come last, among themselves by name: any order of edits gives
        # the same text.
        return (order.index(name), "") if name in order else (len(order), name)

    here = [e for e in entries if e.end]
    before = [e.end for e in here if rank(e.key) < rank(key)]
    return max(before) if before else here[0].start if here else end


def _edited(entry: Entry, lines: list[str], value: Value, new: str) -> list[str]:
    first = lines[entry.start]
    ending = _line_end(first)
    if entry.style == "block" and isinstance(value, list) and value:
        return [first, *_edited_items(lines[entry.start + 1 : entry.end], value, ending)]
    remarks: list[str] = []
    if entry.style != "yaml":  # there, a line that looks like a comment may be text
        remarks = [line for line in lines[entry.start + 1 : entry.end] if is_remark(line)]
    return [new + entry.comment + ending, *remarks]


def _edited_items(rows: list[str], value: list[str], ending: str) -> list[str]:
    """The lines of a `- item` list with other items; items that stay keep their lines."""
    indent = ""
    made: list[str] = []
    kept = 0
    for line in rows:
        if not is_remark(line):
            indent, item = item_of(line)
            if kept == len(value) or item != value[kept]:
                continue
            kept += 1
        made.append(line)
    return made + [f"{indent}- {scalar_text(item)}{ending}" for item in value[kept:]]


def without_key(text: str, key: str) -> str:
    """`text` without the lines of one key of its front matter."""
    front = split_front(text)
    lines = list(front.lines)
    for entry in reversed(front.entries):
        if entry.key == key and entry.end:
            del lines[entry.start : entry.end]
    return front.lead + "".join(lines) + front.body
