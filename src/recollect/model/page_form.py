"""The two forms of a page's body: in memory with comments, on disk short and for people.

On disk a rule is its heading alone, whole, with its id and footnotes; in memory it is a list item
below a heading that may be shorter. Statements of the person stand on disk right below the title of
their page, in memory in a section of their own, since a section is trusted as its least trusted line.

Promises: `in_memory(on_disk(body))` is `in_memory(body)`.
"""

from __future__ import annotations

from collections.abc import Container
from itertools import dropwhile

from recollect._fastimport import Pattern
from recollect.model.footnotes import (
    MARK,
    comments_to_footnotes,
    expanded,
    is_ours,
    outside_code,
    short_id,
    tail_of,
    trusts_in,
)
from recollect.text.sentences import has_han, shortened

LONGEST_TITLE = 60
# The sections of statements, by trust, in English and Chinese.
NOTED = {
    "user": ("Noted", "要点"),
    "agent": ("Noted by the agent", "代理记录的要点"),
    "tool": ("Noted from tools", "工具输出的要点"),
    "external": ("Noted from outside", "外部来源的要点"),
}
LIST_HEADINGS = frozenset(name for names in NOTED.values() for name in names)
ADDED = {"en": "Added by the agent", "zh": "代理补充"}  # to a page of the person's
# What stands behind the title of a rule, by trust, for the same reason.
RULE_OF = {
    "user": ("", ""),
    "agent": (" (agent)", "（代理）"),
    "tool": (" (tool)", "（工具）"),
    "external": (" (external)", "（外部）"),
}
_PAST = Pattern(r"[ \t]*<!-- superseded .*-->[ \t]*\r?$")
_DEFINED = Pattern(r"\[\^[^\]\s]+\]: ")
_ITEM = Pattern(r"[-*+•][ \t]+")
_SIGNS = Pattern(r"[*<>]+|(?<!\w)#+(?!\w)")  # not the `#` of `C#` and `#12`


def in_memory(body: str) -> str:
    """A page's body as the program works with it: see `footnotes.expanded`."""
    return expanded(_longer(body)) if "^" in body else body


def on_disk(body: str) -> str:
    """A page's body as it is written."""
    return _shorter(_longer(comments_to_footnotes(body)))


def title_for(text: str, label: str = "") -> str:
    """The `##` title under which a rule stands; the label says whose it is, if not the person's."""
    plain = " ".join(_SIGNS.sub(" ", text.replace("`", "")).split())
    return (shortened(plain, LONGEST_TITLE).strip(" .。!！:：") or "…") + label


def unlabelled(heading: str) -> str:
    """A heading without the label that says whose its section is."""
    labels = (label for row in RULE_OF.values() for label in row if label)
    return next((heading.removesuffix(one) for one in labels if heading.endswith(one)), heading)


def id_behind(heading: str, taken: Container[str]) -> str:
    """The id behind a new heading; below one that is labelled the item has it."""
    return f" ^{short_id(heading, taken)}" if unlabelled(heading) == heading else ""


def marked_lines(text: str) -> list[str]:
    """The lines that say which session they were learned in, each with its comment."""
    if "[^" not in text:
        return [line for line in text.split("\n") if MARK in line] if MARK in text else []
    head, *sections = _sections(text.split("\n"))
    trusts = _AnyTrust(trusts_in(text))  # of a part of a page, the footnotes may be missing
    long = [_long_rule(lines, trusts) or lines for lines in sections]
    return [line for line in expanded(_joined(head, long)).split("\n") if MARK in line]


class _AnyTrust(dict[str, str]):
    """The trust of footnotes; of one that is not there, a person's."""

    def __contains__(self, label: object) -> bool:
        return True

    def __missing__(self, label: str) -> str:
        return "user"


# ---------------------------------------------------------------------------------- sections


def _sections(lines: list[str]) -> list[list[str]]:
    """The lines before the first `##` heading, and those of each section."""
    starts = [n for n, line in outside_code(lines) if line.startswith("## ")]
    ends = [*starts, len(lines)]
    return [lines[: ends[0]], *(lines[a:b] for a, b in zip(starts, ends[1:], strict=True))]


def _shorter(body: str) -> str:
    """The short form of a body with footnotes, where `_longer` gives that body back."""
    if "^" not in body:
        return body
    head, *sections = _sections(body.split("\n"))
    trusts = trusts_in(body)
    rules = [_short_rule(lines) for lines in sections]
    kept = [
        short if short and _long_rule(short, trusts) == lines else lines
        for short, lines in zip(rules, sections, strict=True)
    ]
    if sections and _is_noted(sections[0]):
        plain = _joined([*head, *dropwhile(lambda line: not line.strip(), kept[0][1:])], kept[1:])
        if _longer(plain) == body:
            return plain
    made = _joined(head, kept)
    return made if _longer(made) == body else body


def _longer(body: str) -> str:
    """A body with footnotes in its long form, which may have been long already."""
    if "^" not in body:
        return body
    head, *sections = _sections(body.split("\n"))
    trusts = trusts_in(body)
    long = [_long_rule(lines, trusts) or lines for lines in sections]
    if not any(map(_is_noted, sections)):
        head = _with_noted(head, trusts)
    return _joined(head, long)


def _joined(head: list[str], sections: list[list[str]]) -> str:
    return "\n".join([*head, *(line for lines in sections for line in lines)])


def _is_noted(lines: list[str]) -> bool:
    return lines[0][2:].strip() in NOTED["user"]


def _with_noted(head: list[str], trusts: dict[str, str]) -> list[str]:
    """The lines before the first section, with a heading above the statements among them."""
    items = ((n, tail_of(line)) for n, line in outside_code(head) if _ITEM.match(line))
    first = next((n for n, tail in items if tail and is_ours(tail[2] or "", trusts)), 0)
    title = next((line for line in head if line.startswith("# ")), "")
    # A comment that speaks for a whole section says nothing below such a heading.
    is_signed = any(line.startswith("<!--") and not _PAST.match(line) for line in head[first:])
    if not (first and title) or is_signed:
        return head
    name = NOTED["user"][has_han(title)]
    while _ITEM.match(head[first - 1]):
        first -= 1
    end = "\r" if head[first].endswith("\r") else ""
    return [*head[:first], f"## {name}{end}", end, *head[first:]]


# ------------------------------------------------------------------------------------- rules


def _short_rule(lines: list[str]) -> list[str]:
    """A section that says one thing, as its heading alone; nothing if it says more."""
    if len(lines) < 3 or lines[1].strip():
        return []
    end = "\r" if lines[0].endswith("\r") else ""
    heading, item = (lines[n].removesuffix("\r") for n in (0, 2))
    below = lines[3:]
    named, tail = tail_of(heading), tail_of(item)
    if named and named[3] and item == heading[3 : named.start()]:
        return [lines[0], *below] if not _content(below) else []
    if not item.startswith("- ") or not tail or not tail[2] or (named and named[2]):
        return []
    name = named[3] if named else tail[1]
    past = [line for line in _content(below) if _PAST.match(line)]
    if not name or past != below[: len(past)] or _content(below[len(past) :]):
        return []
    comments = [end, *(line.removeprefix("  ") for line in past)] if past else []
    return [f"## {item[2 : tail.start()]} {name}{tail[2]}{end}", *comments, *below[len(past) :]]


def _long_rule(lines: list[str], trusts: dict[str, str]) -> list[str]:
    """The section that a heading alone stands for; nothing if it has text of its own."""
    end = "\r" if lines[0].endswith("\r") else ""
    tail = tail_of(lines[0].removesuffix("\r"))
    said = lines[0][3 : tail.start()] if tail else ""
    if not tail or not said.strip():
        return []
    if tail[3]:
        return [] if _content(lines[1:]) else [lines[0], end, f"{said}{end}", *lines[1:]]
    notes = is_ours(tail[2], trusts)
    content = _content(lines[1:])
    rest = lines[2 + len(content) :] if content else lines[1:]
    if not tail[1] or not notes or (content and lines[1:] != [lines[1], *content, *rest]):
        return []
    if not all(map(_PAST.match, content)) or (content and lines[1].strip()):
        return []
    found = {trusts[one] for one in notes}
    if not found <= RULE_OF.keys():
        return []  # seen before: a solution
    least = next(trust for trust in reversed(RULE_OF) if trust in found)
    label = RULE_OF[least][has_han(said)]
    # The heading has the id where it says no more than the statement.
    above, behind = ("", f" {tail[1]}") if label else (f" {tail[1]}", "")
    return [
        f"## {title_for(said, label)}{above}{end}",
        end,
        f"- {said}{behind}{tail[2]}{end}",
        *(f"  {line}" for line in content),
        *rest,
    ]


def _content(lines: list[str]) -> list[str]:
    """The lines of a section that are neither blank nor footnotes."""
    return [line for line in lines if line.strip() and not _DEFINED.match(line)]


# ---------------------------------------------------------------------- memories of sessions

_SESSION_FILES = Pattern(
    r"^- (?:Wrote|写了)[:：] .*$|(?<=^## Files\n\n)(?:- .*\n?)+|(?<=^## 文件\n\n)(?:- .*\n?)+",
    8,  # re.M
)
_QUOTED = Pattern(r"`([^`]+)`")


def files_listed(body: str, kind: str) -> tuple[str, ...]:
    """The files that a session's memory lists in its text."""
    if kind != "session" or "`" not in body:
        return ()
    lists = "\n".join(_SESSION_FILES.findall(body.replace("\r\n", "\n")))
    return tuple(dict.fromkeys(_QUOTED.findall(lists)))
