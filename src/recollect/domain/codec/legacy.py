"""Codec: the headers of seed 001, which carry title, keywords and time in the body.

Promises: both languages, full- and half-width colons and commas, the colon in or out of the bold
marks; an empty header takes nothing from the next line; template placeholders are no keywords.
Touches: nothing.
"""

from __future__ import annotations

import re

from recollect.domain.pattern import Pattern
from recollect.named import NamedTuple

_SEARCHED = 16_000
_TITLE = Pattern(r"^#[ \t]*(?:Conversation Memory|对话记忆)[ \t]*[:：](.*)$", re.M | re.I)
_HEADER = Pattern(
    r"^[ \t]*+(?:[-*+][ \t]++)?\*\*(Keywords|关键词|Time|时间)[ \t]*+"
    r"(?:[:：][ \t]*+\*\*|\*\*[ \t]*+[:：])(.*)$",
    re.M | re.I,
)
_PLACEHOLDER = Pattern(r"\{.*\}|<.*>|\[.*\]")


class Headers(NamedTuple):
    """What the headers say; empty where they say nothing."""

    title: str
    keywords: tuple[str, ...]
    time: str


def headers_of(body: str) -> Headers:
    """The headers of a conversation memory in the form of the first seed."""
    head = body[:_SEARCHED]
    if "**" not in head and "# " not in head:
        return Headers("", (), "")
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
    return Headers(named, keywords, time)


def split_keywords(text: str) -> tuple[str, ...]:
    """The keywords of a comma list, each once, without template placeholders."""
    words = (w.strip().strip("`*").strip() for w in re.split(r"[,，、;；]", text))
    return tuple(dict.fromkeys(w for w in words if w and not _PLACEHOLDER.fullmatch(w)))
