"""Reviewing: what a memory says of its trust, raised by a person, or taken back with its origin.

Promises: pure; approving changes nothing but the words of trust; taking back takes what came from one
session and nothing that stands beside it; both leave a text as it is where there is nothing to do.
Touches: nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from recollect.domain import codec
from recollect.domain.codec.sections import Part, parts_of
from recollect.domain.entries import without_comments
from recollect.domain.model import lowest_trust
from recollect.domain.pattern import Pattern
from recollect.named import NamedTuple

_COMMENT = Pattern(r"<!--[^<>]*-->")
_TRUST = Pattern(r"\btrust:[ \t]*(external|tool|agent)\b")
_SESSION = Pattern(r"\bsession:[ \t]*([^;<>\s]+)")
_FROM = Pattern(r"<!-- from: ([^;<>]*);[^<>]*-->")


class Doubtful(NamedTuple):
    """A section that says of itself that it is less trusted than its file."""

    anchor: str
    heading: str
    trust: str
    session: str
    text: str


def doubtful(body: str) -> Iterator[Doubtful]:
    """The sections of a body that are trusted less than a person."""
    for section in codec.sections_of(body):
        comments = _COMMENT.findall(section.text) if "<!--" in section.text else []
        trusts = [found[1] for one in comments if (found := _TRUST.search(one))]
        if section.anchor and trusts:
            sessions = [found[1] for one in comments if (found := _SESSION.search(one))]
            yield Doubtful(
                section.anchor,
                section.heading,
                lowest_trust(*trusts),
                sessions[0] if sessions else "",
                without_comments(section.text),
            )


def approved(text: str, anchor: str) -> str:
    """The text of a memory with a section, or without an anchor all of it, trusted like a person."""
    if not anchor and codec.split_front(text).lines:
        text = codec.with_field(text, "trust", "user")
    body = codec.split_front(text).body
    parts, sections = parts_of(body), codec.sections_of(body)
    new = "".join(
        _raised(part.text) if anchor in ("", section.anchor) else part.text
        for part, section in zip(parts, sections, strict=True)
    )
    return text if new == body else codec.with_body(text, new)


def _raised(text: str) -> str:
    return _COMMENT.sub(lambda comment: _TRUST.sub("trust: user", comment[0]), text)


def origins_of(body: str) -> set[str]:
    """The sessions and episodes that a body says something comes from."""
    comments = _COMMENT.findall(body) if "<!--" in body else []
    found = {match[1] for one in comments for match in _SESSION.finditer(one)}
    return found | {match[1].strip() for one in comments for match in _FROM.finditer(one)}


def taken_back(body: str, origins: Collection[str]) -> str:
    """The body without the sections and lines that come from these sessions and episodes."""
    parts = parts_of(body)
    return "".join(filter(None, (_left_of(part, origins) for part in parts)))


def _left_of(part: Part, origins: Collection[str]) -> str:
    if "<!--" not in part.text:
        return part.text
    for comment in _COMMENT.findall(part.text):
        said = _SESSION.search(comment)
        if part.heading and said and said[1] in origins:
            return ""
    lines = part.text.splitlines(keepends=True)
    kept = [line for line in lines if not _is_from(line, origins)]
    if len(kept) == len(lines):
        return part.text
    # A heading can be the claim itself: it does not stay alone, nor with what it once replaced.
    rest = without_comments("".join(kept[1:] if part.heading else kept))
    return "".join(kept) if rest or not part.heading else ""


def _is_from(line: str, origins: Collection[str]) -> bool:
    return any(match[1].strip() in origins for match in _FROM.finditer(line))


def says_nothing(body: str) -> bool:
    """Whether nothing but a title is left of a body."""
    lines = (line.strip() for line in without_comments(body).splitlines())
    return not any(line and not line.startswith("# ") for line in lines)
