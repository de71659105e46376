"""Codec: the `##` sections of a body, found, replaced and added.

Promises: a heading inside a code fence is no heading; anchors are unique within a memory; the
sections of a body, put together again, are the body; a section that was put in is found again with
its text, and no other section is changed by it, whatever that text is.
Touches: nothing.
"""

from __future__ import annotations

from recollect.domain.model import Section
from recollect.domain.names import anchor_of, free_name
from recollect.domain.pattern import Pattern
from recollect.named import NamedTuple

_HEADING = Pattern(r"##[ \t]+(.*)")
_CLOSING = Pattern(r"(?:^|[ \t])#+$")  # `## Title ##`, but not `## C#`
_BLANK_LINES = Pattern(r"\A(?:[^\S\n]*+\n)+")
_TELLING = Pattern(r"^(?:##| {0,3}(?:`{3}|~{3}))[^\n]*", 8)  # re.M
_FENCE = Pattern(r" {0,3}(`{3,}|~{3,})(.*)")


class Part(NamedTuple):
    """A stretch of the body: `heading` is empty for the head, `text` has the heading line too."""

    heading: str
    text: str


def parts_of(body: str) -> list[Part]:
    """The head and each `##` section of a body; their texts joined are the body."""
    return _cut(body)[0]


def _cut(body: str) -> tuple[list[Part], str]:
    """The parts of a body, and the code fence that is still open at its end."""
    if "##" not in body and "```" not in body and "~~~" not in body:
        return [Part("", body)], ""
    parts: list[Part] = []
    heading, start, fence = "", 0, ""
    for telling in _TELLING.finditer(body):
        line = telling[0].rstrip()
        fence = _fence_after(line, fence)
        found = None if fence else _HEADING.match(line)
        if found:
            parts.append(Part(heading, body[start : telling.start()]))
            heading, start = _heading(found[1]), telling.start()
    parts.append(Part(heading, body[start:]))
    return parts, fence


def _fence_after(line: str, fence: str) -> str:
    """The fence that is open after this line, if `fence` was open before it."""
    match = _FENCE.match(line)
    if not match:
        return fence
    mark, rest = match[1], match[2]
    if not fence:
        return "" if mark[0] == "`" and "`" in rest else mark  # ```code``` on one line is no fence
    return "" if mark.startswith(fence) and not rest.strip() else fence


def _heading(title: str) -> str:
    return _CLOSING.sub("", " ".join(title.split())).strip()


def sections_of(body: str) -> list[Section]:
    """The sections of a body, the head first (with no anchor); the head may be empty."""
    sections: list[Section] = []
    taken: set[str] = set()
    times: dict[str, int] = {}  # a log may have thousands of headings that are the same
    for n, part in enumerate(parts_of(body)):
        if n == 0:
            sections.append(Section("", "", _trimmed(part.text)))
            continue
        wanted = anchor_of(part.heading)
        anchor = free_name(wanted, taken.__contains__, times.get(wanted, 0))
        taken.add(anchor)
        times[wanted] = times.get(wanted, 0) + 1
        _, _, text = part.text.partition("\n")
        sections.append(Section(anchor, part.heading, _trimmed(text)))
    return sections


def without_section(body: str, anchor: str) -> str:
    """`body` without the section of this anchor; another one of the same title stays."""
    both = zip(parts_of(body), sections_of(body), strict=True)
    return "".join(part.text for part, section in both if section.anchor != anchor)


def _trimmed(text: str) -> str:
    """`text` without the blank lines around it; the first line keeps its indent."""
    return _BLANK_LINES.sub("", text).rstrip()


def section_named(body: str, title: str) -> Section | None:
    """The section with this title, whatever the case, or None."""
    wanted = _heading(title).casefold()
    for section in sections_of(body):
        if section.heading and section.heading.casefold() == wanted:
            return section
    return None


def with_section(body: str, title: str, text: str) -> str:
    """`body` with the section of this title replaced, or added at the end."""
    eol = "\r\n" if "\r\n" in body else "\n"
    parts, open_fence = _cut(body)
    wanted = _heading(title)
    block = _block(wanted, text, eol)
    for n, part in enumerate(parts):
        if n and part.heading.casefold() == wanted.casefold():
            return _with_part(parts, n, block, eol)
    if open_fence:  # a section inside a code block would be none
        body = f"{body.rstrip()}{eol}{open_fence}{eol}"
    gap = "" if not body or body.endswith(eol * 2) else eol if body.endswith(eol) else eol * 2
    return body + gap + block


def with_section_at(body: str, anchor: str, title: str, text: str) -> str:
    """`body` with another title and text for the section of this anchor, which is there."""
    eol = "\r\n" if "\r\n" in body else "\n"
    at = [section.anchor for section in sections_of(body)].index(anchor)
    return _with_part(parts_of(body), at, _block(_heading(title), text, eol), eol)


def _with_part(parts: list[Part], at: int, block: str, eol: str) -> str:
    before, after = ("".join(p.text for p in some) for some in (parts[:at], parts[at + 1 :]))
    return before + block + (eol + after if after else "")


def _block(title: str, text: str, eol: str) -> str:
    said = section_text(text)
    lines = [f"## {title}", *(["", *said.split("\n")] if said else [])]
    return "".join(line.rstrip("\r") + eol for line in lines)


def section_text(text: str) -> str:
    """`text` as it can stand in a section: its own `##` are `###`, and its code ends."""
    parts, fence = _cut(_trimmed(text))
    lowered = parts[0].text + "".join(f"#{part.text}" for part in parts[1:])
    return f"{lowered}\n{fence}" if fence else lowered
