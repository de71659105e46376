"""Codec: the YAML block at the head of a memory, read tolerantly and edited line by line.

Promises: reading never raises; an edit of one field leaves every other byte as it was (comments,
key order, line ends, unknown keys); values are strings or lists of strings, never what YAML makes
of `no`, `1.10` or 12:30:45.
Touches: nothing. This is the only room that knows YAML.

The forms that people and models write (`key: value`, `key: [a, b]`, `- item` lists) are read here
line by line, since an edit must know the lines of each key anyway; all else goes to PyYAML's pure
loader, behind limits on size, depth and aliases. A property test holds the two readers together.
"""

from __future__ import annotations

import json
import re
from typing import NamedTuple

LARGEST_FRONT = 64 * 1024
DEEPEST = 20

Value = str | list[str]

_KEY = re.compile(r"([A-Za-z_][\w.-]*)[ \t]*:(?:[ \t]+(.*)|[ \t]*)$")
_ITEM = re.compile(r"([ \t]*)-(?:[ \t]+(.*)|[ \t]*)$")
_COMMENT = re.compile(r"[ \t]+#.*$")
_ALIASES = re.compile(r"(?:^|[\s\[{,:-])[&*!][^\s]", re.MULTILINE)
_AMBIGUOUS = re.compile(
    r"(?:y|n|yes|no|on|off|true|false|null|~|[-+]?[\d._]+(?:e[-+]?\d+)?|0x[\da-f]+"
    r"|\d+(?::\d+)+|[-+]?\.(?:inf|nan))$",
    re.IGNORECASE,
)
_INDICATORS = "-?:,[]{}#&*!|>'\"%@` \t"


class Entry(NamedTuple):
    """One key of the block: its lines `[start, end)`, its value and how it was written."""

    key: str
    start: int
    end: int
    value: Value
    style: str  # plain, flow, block or yaml (a form that only PyYAML reads)


class Front(NamedTuple):
    """A text split at its front matter. `lines` keep their line ends, the two fences among them."""

    lead: str  # a byte-order mark, or nothing
    lines: list[str]
    entries: list[Entry]
    body: str
    problem: str

    def value(self, key: str) -> Value | None:
        """The value of the last entry with this key."""
        for entry in reversed(self.entries):
            if entry.key == key:
                return entry.value
        return None


def split_front(text: str) -> Front:
    """Split `text` into front matter and body; a text without front matter is all body."""
    lead = "\ufeff" if text.startswith("\ufeff") else ""
    start = len(lead)
    if not re.match(r"---[ \t]*\r?\n", text[start : start + 64]):
        return Front(lead, [], [], text[start:], "")
    lines: list[str] = []
    at = start
    while at < len(text) and at - start <= LARGEST_FRONT:
        newline = text.find("\n", at)
        end = len(text) if newline < 0 else newline + 1
        line = text[at:end]
        at = end
        lines.append(line)
        if len(lines) > 1 and line.rstrip() in ("---", "..."):
            entries, problem = _read_entries(lines)
            return Front(lead, lines, entries, text[at:], problem)
    if len(lines) > 1 and _KEY.match(lines[1].rstrip()):
        return Front(lead, [], [], text[start:], "the front matter has no closing `---`")
    return Front(lead, [], [], text[start:], "")


def _read_entries(lines: list[str]) -> tuple[list[Entry], str]:
    entries: list[Entry] = []
    hard = False
    at = 1
    while at < len(lines) - 1:
        match = _KEY.match(lines[at].rstrip())
        if not match:
            hard = hard or (bool(lines[at].strip()) and not lines[at].lstrip().startswith("#"))
            at += 1
            continue
        end = _end_of_entry(lines, at)
        value, style = _read_value(match[2] or "", lines[at + 1 : end])
        hard = hard or style == "yaml"
        entries.append(Entry(match[1], at, end, value, style))
        at = end
    return _with_yaml(entries, lines) if hard else (entries, "")


def _end_of_entry(lines: list[str], start: int) -> int:
    end = start + 1
    for at in range(start + 1, len(lines) - 1):
        line = lines[at]
        if line.strip() and line[0] not in " \t" and not _ITEM.match(line.rstrip()):
            break
        if line.strip():
            end = at + 1
    return end


def _read_value(raw: str, below: list[str]) -> tuple[Value, str]:
    items = [line for line in below if line.strip() and not line.lstrip().startswith("#")]
    if items:
        return _read_block(raw, items)
    if raw.startswith("["):
        listed = _read_flow(raw)
        return (raw, "yaml") if listed is None else (listed, "flow")
    scalar = _read_scalar(raw)
    return (raw, "yaml") if scalar is None else (scalar, "plain")


def _read_block(raw: str, items: list[str]) -> tuple[Value, str]:
    if raw and not raw.lstrip().startswith("#"):
        return raw, "yaml"
    values: list[str] = []
    for line in items:
        match = _ITEM.match(line.rstrip())
        text = (match and match[2]) or ""
        value = _read_scalar(text) if match and not _KEY.match(text) else None
        if value is None or text.startswith(("- ", "[")):
            return "", "yaml"
        values.append(value)
    return values, "block"


def _read_flow(raw: str) -> list[str] | None:
    """The items of `[a, "b, c"]`, or None if it is more than a list of scalars on one line."""
    values: list[str] = []
    at = 1
    while at < len(raw):
        match = re.compile(
            r"""\s*("[^"\\]*"|'(?:[^']|'')*'|[^\s,\[\]{}"'#&*!|>%@`][^,\[\]{}]*)?\s*([,\]])"""
        ).match(raw, at)
        if not match:
            return None
        if match[1] is not None:
            value = _read_scalar(match[1].strip())
            if value is None:
                return None
            values.append(value)
        at = match.end()
        if match[2] == "]":
            rest = raw[at:]
            return values if not rest.strip() or _COMMENT.match(rest) else None
    return None


def _read_scalar(raw: str) -> str | None:
    raw = raw.strip()
    if raw.startswith('"'):
        match = re.fullmatch(r'"([^"\\]*)"(?:[ \t]+#.*)?', raw)
        return match[1] if match else None
    if raw.startswith("'"):
        match = re.fullmatch(r"'((?:[^']|'')*)'(?:[ \t]+#.*)?", raw)
        return match[1].replace("''", "'") if match else None
    if raw.startswith(("[", "{", "&", "*", "!", "|", ">", "%", "@", "`")):
        return None
    if raw.startswith("#"):
        return ""
    value = _COMMENT.sub("", raw).strip()
    return "" if value in ("~", "null", "Null", "NULL") else value


def _with_yaml(entries: list[Entry], lines: list[str]) -> tuple[list[Entry], str]:
    """The entries with the values that PyYAML gives them, where it can be asked safely."""
    block = "".join(lines[1:-1])
    problem = _unsafe(block)
    loaded: object = None
    if not problem:
        import yaml

        try:
            loaded = yaml.load(block, Loader=yaml.BaseLoader)  # noqa: S506 - strings only
        except (yaml.YAMLError, RecursionError, ValueError) as error:
            mark = getattr(error, "problem_mark", None)
            where = f" in line {mark.line + 2}" if mark else ""
            problem = f"the front matter is not valid YAML{where}"
    if not isinstance(loaded, dict):
        return entries, problem or "the front matter is not a list of `key: value` lines"
    known = {e.key: e for e in entries}
    result = [
        e if e.style != "yaml" else e._replace(value=_flat(loaded.get(e.key))) for e in entries
    ]
    # Keys that start in no line of their own, such as quoted ones, can be read but not edited.
    result += [Entry(str(k), 0, 0, _flat(v), "yaml") for k, v in loaded.items() if k not in known]
    return result, ""


def _unsafe(block: str) -> str:
    if _ALIASES.search(block):
        return "the front matter uses YAML anchors, aliases or tags, which are not read"
    depth = deepest = 0
    for char in block:
        if char in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif char in "]}":
            depth -= 1
    dashes = max((len(re.match(r"[\s\-?]*", line)[0]) for line in block.split("\n")), default=0)  # type: ignore[index]
    if deepest > DEEPEST or dashes > 4 * DEEPEST:
        return "the front matter is nested too deeply"
    return ""


def _flat(value: object) -> Value:
    if value is None:
        return ""
    if isinstance(value, list):
        return [v if isinstance(v, str) else json.dumps(v, ensure_ascii=False) for v in value]
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


# ------------------------------------------------------------------------------------- writing


def scalar_text(value: str, *, in_list: bool = False) -> str:
    """`value` as YAML that every reader takes for this very string."""
    plain = (
        bool(value)
        and value[0] not in _INDICATORS
        and value[-1] not in " \t:"
        and value.isprintable()
        and not _AMBIGUOUS.match(value)
        and ": " not in value
        and " #" not in value
        and not (in_list and any(c in value for c in ",[]{}，、"))
    )
    if plain:
        return value
    return json.dumps(value, ensure_ascii=not value.isprintable())


def value_text(value: Value) -> str:
    """A value as it stands behind `key: `."""
    if isinstance(value, str):
        return scalar_text(value) if value else ""
    return "[" + ", ".join(scalar_text(v, in_list=True) for v in value) + "]"


def date_text(value: str) -> str:
    """A date or time, which stays unquoted: YAML readers may well take it for one."""
    return value if re.fullmatch(r"[\dT:Z.+-]+", value) else scalar_text(value)


def with_value(
    text: str, key: str, value: Value, *, order: list[str], is_date: bool = False
) -> str:
    """`text` with one key of its front matter set; every other byte stays.

    A key that was not there comes after the last present one that precedes it in `order`.
    """
    front = split_front(text)
    eol = "\r\n" if "\r\n" in text[:4096] else "\n"
    shown = date_text(value) if is_date and isinstance(value, str) else value_text(value)
    new = f"{key}: {shown}".rstrip()
    if not front.lines:
        return f"{front.lead}---{eol}{new}{eol}---{eol}{front.body}"
    lines = list(front.lines)
    found = [e for e in front.entries if e.key == key and e.end]
    if not found:
        lines.insert(_place_for(key, front.entries, order), new + eol)
    else:
        entry = found[-1]
        if entry.value == value and entry.style != "yaml":
            return text
        lines[entry.start : entry.end] = _edited(entry, lines, value, new, eol)
    return front.lead + "".join(lines) + front.body


def _place_for(key: str, entries: list[Entry], order: list[str]) -> int:
    before = set(order[: order.index(key)]) if key in order else set(order)
    ends = [e.end for e in entries if e.end and e.key in before]
    return max(ends, default=1)


def _edited(entry: Entry, lines: list[str], value: Value, new: str, eol: str) -> list[str]:
    first = lines[entry.start]
    ending = first[len(first.rstrip("\r\n")) :] or eol
    if entry.style == "block" and isinstance(value, list) and value:
        return _edited_block(entry, lines, value, ending)
    comment = ""
    if entry.style in ("plain", "flow"):
        raw = first.rstrip()
        match = _COMMENT.search(raw)
        # A `#` inside quotes is not a comment: only cut what the value does not need.
        if match and _read_value(_KEY.match(raw[: match.start()])[2] or "", [])[0] == entry.value:  # type: ignore[index]
            comment = match[0]
    return [new + comment + ending]


def _edited_block(entry: Entry, lines: list[str], value: list[str], ending: str) -> list[str]:
    """The lines of a `- item` list with other items; items that stay keep their lines."""
    indent = "  "
    rows: list[tuple[str | None, str]] = []  # (the item, or None for a comment; its line)
    for line in lines[entry.start + 1 : entry.end]:
        match = _ITEM.match(line.rstrip())
        indent = match[1] if match else indent
        rows.append((_read_scalar(match[2] or "") if match else None, line))
    stay = [item for item, _ in rows if item in value]
    if stay == value[: len(stay)]:
        made = [line for item, line in rows if item is None or item in value]
        missing = value[len(stay) :]
    else:
        made, missing = [], value
    made += [f"{indent}- {scalar_text(item)}{ending}" for item in missing]
    return [lines[entry.start], *made]


def without_key(text: str, key: str) -> str:
    """`text` without the lines of one key of its front matter."""
    front = split_front(text)
    lines = list(front.lines)
    for entry in reversed(front.entries):
        if entry.key == key and entry.end:
            del lines[entry.start : entry.end]
    return front.lead + "".join(lines) + front.body
