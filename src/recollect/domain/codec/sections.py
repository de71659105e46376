"""Codec: the `##` sections of a body, found, replaced and added.

Promises: a heading inside a code fence is no heading; anchors are unique within a memory; the
sections of a body, put together again, are the body.
Touches: nothing.
"""

from __future__ import annotations

from typing import NamedTuple

from recollect.domain.model import Section
from recollect.domain.names import anchor_of, free_name


class Part(NamedTuple):
    """A stretch of the body: `heading` is empty for the head, `text` has the heading line too."""

    heading: str
    text: str


def parts_of(body: str) -> list[Part]:
    """The head and each `##` section of a body; their texts joined are the body."""
    parts: list[Part] = []
    heading, start, fence, at = "", 0, "", 0
    while at < len(body):
        newline = body.find("\n", at)
        end = len(body) if newline < 0 else newline + 1
        if body.startswith(("##", "```", "~~~", " "), at):
            line = body[at:end].rstrip()
            mark = line.lstrip()[:3]
            if mark in ("```", "~~~"):
                fence = "" if mark == fence else fence or mark
            elif not fence and line.startswith("## "):
                parts.append(Part(heading, body[start:at]))
                heading, start = line[3:].strip().rstrip("#").strip(), at
        at = end
    parts.append(Part(heading, body[start:]))
    return parts


def sections_of(body: str) -> list[Section]:
    """The sections of a body, the head first (with no anchor); the head may be empty."""
    sections: list[Section] = []
    taken: set[str] = set()
    for n, part in enumerate(parts_of(body)):
        if n == 0:
            sections.append(Section("", "", part.text.strip()))
            continue
        anchor = free_name(anchor_of(part.heading), taken.__contains__)
        taken.add(anchor)
        _, _, text = part.text.partition("\n")
        sections.append(Section(anchor, part.heading, text.strip()))
    return sections


def section_named(body: str, title: str) -> Section | None:
    """The section with this title, whatever the case, or None."""
    wanted = title.strip().casefold()
    for section in sections_of(body):
        if section.heading and section.heading.casefold() == wanted:
            return section
    return None


def with_section(body: str, title: str, text: str) -> str:
    """`body` with the section of this title replaced, or added at the end."""
    block = f"## {title}\n\n{text.strip()}\n"
    parts = parts_of(body)
    wanted = title.strip().casefold()
    for n, part in enumerate(parts):
        if n and part.heading.casefold() == wanted:
            tail = "\n" if n + 1 < len(parts) else ""
            return (
                "".join(p.text for p in parts[:n])
                + block
                + tail
                + "".join(p.text for p in parts[n + 1 :])
            )
    gap = "" if not body or body.endswith("\n\n") else "\n" if body.endswith("\n") else "\n\n"
    return body + gap + block
