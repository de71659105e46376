"""Parse and edit the YAML block at the head of a memory; the only module that knows YAML.

Never raises; linear time. Values are strings or lists of strings, never what YAML makes of `no`,
`1.10` or 12:30:45. A text without a block of `key: value` lines is all body.

Common forms (`key: value`, `key: [a, b]`, `- item`) are parsed line by line, because an edit needs
the lines of each key. PyYAML's pure loader reads the rest, within limits of size, depth and
aliases. A property test compares the two.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection

from recollect._fastimport import NamedTuple, Pattern
from recollect.text.sentences import fence_after

LARGEST_FRONT = 64 * 1024
LARGEST_YAML = 16 * 1024  # PyYAML's pure loader takes up to a second for four times as much
DEEPEST = 20

Value = str | list[str]

# Every quantifier below that could meet a long run of one character is possessive or stands
# before something that must follow: none of these patterns goes back over what it has read.
_FENCE = Pattern(r"---[ \t]*+\r?\n")
_KEY_ALONE = Pattern(r"[A-Za-z_][\w.-]*+")
_KEY = Pattern(rf"({_KEY_ALONE.text})[ \t]*+:(?:[ \t]++(.*)|$)")
_ITEM = Pattern(r"([ \t]*+)-(?:[ \t]++(.*)|$)")
_DOUBLE = Pattern(r'"((?>(?:[^"\\]|\\.)*))"')
_SINGLE = Pattern(r"'((?>(?:[^']|'')*))'")
_FLOW_ITEM = Pattern(
    r"""[ \t]*+("(?>(?:[^"\\]|\\.)*)"|'(?>(?:[^']|'')*)'|[^\s,\[\]{}"'][^,\[\]{}]*+)?[ \t]*+([,\]])"""
)
_PLAIN_LIST = Pattern(r"\[((?>(?:\w[\w .-]*+(?:, ?|(?=\])))*))\]")
_ESCAPE = Pattern(r"\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|(.))", re.S)
_ESCAPED = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r",
    "e": "\x1b", " ": " ", '"': '"', "/": "/", "\\": "\\", "N": "\x85", "_": "\xa0",
    "L": "\u2028", "P": "\u2029",
}  # fmt: skip
_ALIASES = Pattern(r"(?:^|[\s\[{,:-])[&*!][^\s]", re.MULTILINE)
_ALIAS = Pattern(r"\*[\w-]")
_MAY_BELONG = " \t\r\n#-"  # so begin lines that may belong to the key above, and the last fence
_OTHER_FORMS = tuple("[{]}&!|>")  # with these begins something that is no plain string


class FrontMatterEntry(NamedTuple):
    """One key of the block: its lines `[start, end)`, its value and how it was written."""

    key: str
    start: int
    end: int
    value: Value
    style: str  # plain, flow, block or yaml (a form that only PyYAML reads)
    comment: str  # what follows the value on its line: blanks and `# …`


class Front(NamedTuple):
    """A text split at its front matter. `lines` keep their line ends, the two fences among them."""

    lead: str  # a byte-order mark, or nothing
    lines: list[str]
    entries: list[FrontMatterEntry]
    body: str
    problem: str

    def value(self, key: str) -> Value | None:
        """The value of the last entry with this key."""
        return next((one.value for one in reversed(self.entries) if one.key == key), None)


def split_front(text: str) -> Front:
    """Split `text` into front matter and body; a text without front matter is all body."""
    lead = "\ufeff" if text.startswith("\ufeff") else ""
    start = at = len(lead)
    if not text.startswith("---", start) or not _FENCE.match(text, start):
        return Front(lead, [], [], text[start:], "")
    lines: list[str] = []
    while at < len(text) and at - start <= LARGEST_FRONT:
        newline = text.find("\n", at)
        end = len(text) if newline < 0 else newline + 1
        line = text[at:end]
        at = end
        lines.append(line)
        if len(lines) > 1 and line.rstrip() in ("---", "..."):
            entries, problem = _read_entries(lines)
            if problem and not entries:
                break
            return Front(lead, lines, entries, text[at:], problem)
    else:
        problem = _unclosed(lines)
    return Front(lead, [], [], text[start:], problem)


def _unclosed(lines: list[str]) -> str:
    """What is wrong with a head that never ends; nothing where `---` was just a line across."""
    first = next((line.strip() for line in lines[1:] if line.strip()), "")
    if first and first[0] not in "[{" and not _KEY.match(first):
        return ""
    return f"the front matter has no closing `---` within {LARGEST_FRONT // 1024} KB"


def _read_entries(lines: list[str]) -> tuple[list[FrontMatterEntry], str]:
    entries: list[FrontMatterEntry] = []
    hard = False
    at, key = 1, _KEY.match
    while at < len(lines) - 1:
        match = key(lines[at].rstrip())
        if not match:
            hard = hard or (bool(lines[at].strip()) and not lines[at].lstrip().startswith("#"))
            at += 1
            continue
        raw = match[2] or ""
        end = at + 1
        if lines[end][0] in _MAY_BELONG:
            end = _end_of_entry(lines, at)
        value: Value
        if end == at + 1 and raw[:1].isalnum() and "#" not in raw:  # as most are
            value, style, comment = _null_or(raw), "plain", ""
        else:
            value, style, comment = _read_value(raw, lines[at + 1 : end])
        hard = hard or style == "yaml"
        entries.append(FrontMatterEntry(match[1], at, end, value, style, comment))
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


def _read_value(raw: str, below: list[str]) -> tuple[Value, str, str]:
    """`(value, style, comment)` of what stands behind a key and on the lines below it."""
    items = [line for line in below if not is_remark(line)]
    if items:
        return _read_block(raw, items)
    if raw.startswith("["):
        listed = _read_flow(raw)
        return (raw, "yaml", "") if listed is None else (listed[0], "flow", listed[1])
    scalar = _read_scalar(raw)
    return (raw, "yaml", "") if scalar is None else (scalar[0], "plain", scalar[1])


def is_remark(line: str) -> bool:
    """Whether a line of the block says nothing to YAML: blank, or all comment."""
    return not line.strip() or line.lstrip().startswith("#")


def _read_block(raw: str, items: list[str]) -> tuple[Value, str, str]:
    is_plain = not raw or raw.startswith("#")
    values: list[str] = []
    indents = set()
    for line in items:
        indent, value = item_of(line)
        if value is None or not is_plain:
            # What it says as far as one can tell, for when PyYAML cannot tell either.
            said = [line.strip() for line in items]
            head = [] if is_plain or raw[0] in "|>" else [raw]
            return " ".join(head + said), "yaml", ""
        indents.add(indent)
        values.append(value)
    if len(indents) > 1:  # to YAML the deeper ones go on with the item before them
        return values, "yaml", ""
    return values, "block", f" {raw}" if raw else ""


def item_of(line: str) -> tuple[str, str | None]:
    """`(indent, string)` of a `- item` line; no string where it is more than that, or another."""
    match = _ITEM.match(line.rstrip())
    if not match:
        return "", None
    text = match[2] or ""
    if text.startswith(("- ", "? ", ": ", "[")) or text in ("-", "?", ":") or _is_mapping(text):
        return match[1], None
    found = _read_scalar(text)
    return match[1], found[0] if found else None


def _is_mapping(text: str) -> bool:
    """Whether YAML takes this, inside a list, for a mapping and not for a string."""
    if text[:1] in ('"', "'"):
        return False
    text = text[: _end_of_plain(text)]
    return ": " in text or ":\t" in text or text.endswith(":")


def _read_flow(raw: str) -> tuple[list[str], str] | None:
    """The items of `[a, "b, c"]` and the comment behind it, or None if it is more than that.

    Full-width commas separate as well, since that is what an input method for Chinese gives; an
    item that has one is quoted.
    """
    if plain := _PLAIN_LIST.fullmatch(raw):  # as most are
        return [_null_or(item.strip()) for item in plain[1].split(",") if item.strip()], ""
    values: list[str] = []
    at = 1
    while match := _FLOW_ITEM.match(raw, at):
        at = match.end()
        item = (match[1] or "").strip()
        if item[:1] in ('"', "'"):
            found = _read_scalar(item)
            if found is None:
                return None
            values.append(found[0])
        elif item.startswith((*_OTHER_FORMS, "?", ":")) or _ALIAS.match(item) or _is_mapping(item):
            return None
        elif item:
            values += [_null_or(part.strip()) for part in re.split("[，、]", item) if part.strip()]
        if match[2] == "]":
            comment = _comment_behind(raw[at:])
            return None if comment is None else (values, comment)
    return None


def _read_scalar(raw: str) -> tuple[str, str] | None:
    """The string that this is and the comment behind it, or None if only PyYAML can tell."""
    for quoted in (_DOUBLE, _SINGLE):
        if raw[:1] != quoted.text[:1]:
            continue
        match = quoted.match(raw)
        comment = _comment_behind(raw[match.end() :]) if match else None
        if match is None or comment is None:
            return None
        value = _unescaped(match[1]) if quoted is _DOUBLE else match[1].replace("''", "'")
        return None if value is None else (value, comment)
    if raw.startswith("#"):
        return "", f" {raw}"
    if raw.startswith(_OTHER_FORMS) or _ALIAS.match(raw):
        return None
    end = _end_of_plain(raw)
    return _null_or(raw[:end].strip()), raw[end:] if raw[end:].strip() else ""


def _null_or(value: str) -> str:
    return "" if value in ("~", "null", "Null", "NULL") else value


def _end_of_plain(raw: str) -> int:
    """Where an unquoted value ends and a comment, if there is one, begins."""
    at = raw.find("#")
    while at >= 0:
        if at == 0 or raw[at - 1] in " \t":
            return len(raw[:at].rstrip())
        at = raw.find("#", at + 1)
    return len(raw)


def _comment_behind(rest: str) -> str | None:
    """The comment that follows a quoted value, or None if something else does."""
    if not rest.strip():
        return ""
    return rest if rest[0] in " \t" and rest.lstrip().startswith("#") else None


def _unescaped(text: str) -> str | None:
    """The text between double quotes, unescaped; None if an escape is not YAML's."""
    if "\\" not in text:
        return text
    kept: list[str] = []
    at = 0
    for match in _ESCAPE.finditer(text):
        code = int(match[1] or match[2] or match[3] or "0", 16)
        char = _ESCAPED.get(match[4]) if match[4] else chr(code) if code <= 0x10FFFF else None
        if char is None:
            return None
        kept += (text[at : match.start()], char)
        at = match.end()
    return "".join(kept) + text[at:]


def _with_yaml(
    entries: list[FrontMatterEntry], lines: list[str]
) -> tuple[list[FrontMatterEntry], str]:
    """The entries with the values that PyYAML gives them, where it can be asked safely."""
    block = "".join(lines[1:-1])
    problem = _unsafe(block)
    loaded: object = None
    if not problem:
        import yaml

        try:
            loaded = yaml.load(block, Loader=yaml.BaseLoader)  # noqa: S506 - strings only
        except (yaml.YAMLError, RecursionError, ValueError, OverflowError) as error:
            mark = getattr(error, "problem_mark", None)
            problem = "the front matter is not valid YAML"
            if mark:
                problem = f"the front matter is not valid YAML in line {mark.line + 2}"
    if not isinstance(loaded, dict):
        return entries, problem or "the front matter is not a list of `key: value` lines"
    known = {e.key for e in entries}
    result = [  # a line inside a value of several lines is no entry
        e if e.style != "yaml" else e._replace(value=_flat(loaded[e.key]))
        for e in entries
        if e.key in loaded
    ]
    # Keys that start in no line of their own, such as quoted ones, can be read but not edited.
    others = ((str(key), value) for key, value in loaded.items() if key not in known)
    return result + [FrontMatterEntry(k, 0, 0, _flat(v), "yaml", "") for k, v in others], ""


def _unsafe(block: str) -> str:
    if len(block) > LARGEST_YAML:
        return "the front matter is too large for anything but `key: value` lines"
    if _ALIASES.search(block):
        return "the front matter uses YAML anchors, aliases or tags, which are not read"
    depth = deepest = 0
    for char in block:
        if char in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif char in "]}":
            depth = max(0, depth - 1)
    starts = (len(line) - len(line.lstrip(" \t-?:")) for line in block.split("\n"))
    if deepest > DEEPEST or max(starts) > 4 * DEEPEST:
        return "the front matter is nested too deeply"
    return ""


def _flat(value: object) -> Value:
    """A value of YAML as a string or a list of strings."""
    return [_one(item) for item in value] if isinstance(value, list) else _one(value)


def _one(value: object) -> str:
    if isinstance(value, str):
        return value
    # `- error: no such file` is a mapping to YAML; whoever wrote it meant the words.
    if isinstance(value, dict) and all(isinstance(v, str) for v in value.values()):
        return ", ".join(f"{key}: {said}".rstrip() for key, said in value.items())
    return "" if value is None else json.dumps(value, ensure_ascii=False)


# -------------------- The YAML block at the head of a memory, edited line by line.


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
    """A value as it is written behind `key: `."""
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


def _place_for(key: str, entries: list[FrontMatterEntry], order: list[str], end: int) -> int:
    def rank(name: str) -> tuple[int, str]:
        # Keys that we do not know come last, among themselves by name: any order of edits gives
        # the same text.
        return (order.index(name), "") if name in order else (len(order), name)

    here = [e for e in entries if e.end]
    before = [e.end for e in here if rank(e.key) < rank(key)]
    return max(before) if before else here[0].start if here else end


def _edited(entry: FrontMatterEntry, lines: list[str], value: Value, new: str) -> list[str]:
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


# -------------------- The headers of seed 001, which carry title, keywords and time in the body.


_SEARCHED = 16_000
_TITLE = Pattern(r"^#[ \t]*(?:Conversation Memory|对话记忆)[ \t]*[:：](.*)$", re.M | re.I)
_HEADER = Pattern(
    r"^[ \t]*+(?:[-*+][ \t]++)?\*\*(Keywords|关键词|Time|时间)[ \t]*+"
    r"(?:[:：][ \t]*+\*\*|\*\*[ \t]*+[:：])(.*)$",
    re.M | re.I,
)
_PLACEHOLDER = Pattern(r"\{.*\}|<.*>|\[.*\]")


class HeaderFields(NamedTuple):
    """The values of the headers; empty for missing ones."""

    title: str
    keywords: tuple[str, ...]
    time: str


def headers_of(body: str) -> HeaderFields:
    """The headers of a conversation memory in the form of the first seed."""
    head = body[:_SEARCHED]
    if "**" not in head and "# " not in head:
        return HeaderFields("", (), "")
    low = head.lower()
    title = _TITLE.search(head) if "memory" in low or "对话" in low else None
    keywords: tuple[str, ...] = ()
    time = ""
    for match in _HEADER.finditer(head) if "**" in head else ():
        if match[1].lower() in ("keywords", "关键词"):
            keywords = keywords or split_keywords(match[2])
        else:
            time = time or match[2].strip()
    named = title[1].strip() if title else ""
    named = "" if named and _PLACEHOLDER.fullmatch(named) else named
    return HeaderFields(named, keywords, time)


def split_keywords(text: str) -> tuple[str, ...]:
    """The keywords of a comma list, each once, without template placeholders."""
    words = (w.strip().strip("`*").strip() for w in re.split(r"[,，、;；]", text))
    return tuple(dict.fromkeys(w for w in words if w and not _PLACEHOLDER.fullmatch(w)))


# -------------------- Signs of damage: cut files, wrong bytes, a lost first line.

_NOT_TEXT = Pattern("[\ud800-\udfff]")
_HOLE = "\0" * 4  # one alone may be a character that somebody pasted
_LONGEST_HEAD = 4000


def damage_in(text: str, fields: Collection[str]) -> list[str]:
    """The signs that a file was damaged, as sentences for a person.

    A text without front matter may have lost its first line: `fields` are those that front matter
    begins with; none for a text that has one.
    """
    problems = []
    if text.endswith("\0"):
        problems.append("it ends in NUL bytes, as a power cut or a bad disk leaves them")
    elif _HOLE in text:
        problems.append("it has NUL bytes: it is not a text in UTF-8")
    elif not text.isascii() and _NOT_TEXT.search(text):
        problems.append("it has bytes that are not text in UTF-8")
    if fields and _lost_its_fence(text, fields):
        problems.append("the front matter has no opening `---`")
    if "\n[^" in text and _ends_in_code(text):
        problems.append("a code block has no end: what stands below, footnotes too, counts as code")
    return problems


def _ends_in_code(text: str) -> bool:
    """Whether a code block that nobody closed has footnotes in it, which stand at the end of a page."""
    fence = last = ""
    for line in text.splitlines():
        fence = fence_after(line, fence)
        last = line if line.strip() else last
    return bool(fence) and last.startswith("[^")


def _lost_its_fence(text: str, fields: Collection[str]) -> bool:
    """Whether a text begins with fields of ours, and a `---` below them."""
    for n, line in enumerate(text[:_LONGEST_HEAD].splitlines()):
        if line.rstrip() == "---":
            return n > 0
        if line.partition(":")[0] not in fields and not (n and line[:1] in " \t-"):
            return False
    return False
