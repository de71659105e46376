"""Monthly: what is written of old sessions: a page for each month, and what came before lately.

Promises: pure; a page gets each session once and keeps every line that is there; the block in
`core/recent.md` stays within its budget, and nothing outside of its marks is touched; nothing
private, and nothing of one project for another.
Touches: nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from recollect.domain.brief import MOST_SESSIONS, TRUSTED
from recollect.domain.codec import sections_of
from recollect.domain.entries import without_comments
from recollect.domain.model import Entry, Memory
from recollect.domain.pack import count_tokens
from recollect.domain.sessionfile import code_in

RECENT_TOKENS = 300
START, END = "<!-- RECENT_START -->", "<!-- RECENT_END -->"
KINDS = ("session", "conversation")
LONGEST_TITLE = 80
MOST_TOPICS = 4
_LEFT_OUT = ("files", "文件", "metadata", "元数据")  # headings of sections that no page needs
_WORDS = {
    "en": {
        "page": "Sessions of {month}",
        "recent": "Before the last sessions",
        "month": "sessions: {n}",
        "about": "sessions: {n}, about {tags}",
    },
    "zh": {
        "page": "{month} 的会话",
        "recent": "更早的会话",
        "month": "{n} 次会话",
        "about": "{n} 次会话，涉及 {tags}",
    },
}
_HEADING = re.compile(r" {0,3}#{1,5}(?=[ \t])")


def page_title(month: str, lang: str) -> str:
    """The title of the page of a month."""
    return _WORDS[lang]["page"].format(month=month)


def with_session(page: str, heading: str, mark: str, text: str) -> str:
    """The page with a section for a session, if it has none: a comment says which one it is."""
    comment = f"<!-- {mark} -->"
    if comment in page:
        return page
    title = " ".join(heading.split()).replace("<!--", "‹!--")
    body = _one_level_down(text.strip()).replace("<!-- memory:", "‹!-- memory:")
    section = f"## {title}\n{comment}\n" + (f"\n{body}\n" if body else "")
    return f"{page.rstrip()}\n\n{section}"


def _one_level_down(text: str) -> str:
    lines = text.splitlines()
    in_code = code_in(lines)
    return "\n".join(
        line if inside else _HEADING.sub(r"\g<0>#", line, count=1)
        for line, inside in zip(lines, in_code, strict=True)
    )


def digest_of(memory: Memory) -> str:
    """What a page says of a session's memory: all but the list of its files."""
    found = []
    for section in sections_of(memory.body):
        if section.heading.strip().casefold() in _LEFT_OUT:
            continue
        text = without_comments(section.text)
        if not section.heading:
            text = re.sub(r"\A#[ \t].*", "", text).strip()
        if text:
            found.append(f"## {section.heading}\n\n{text}" if section.heading else text)
    return "\n\n".join(found)


def recent_block(
    entries: Iterable[Entry], since: str, lang: str, title_of: Callable[[Entry], str]
) -> str:
    """What came before the sessions that a brief lists: the days since then, and whole months.

    The newest first, as far as the budget goes; `title_of` says what a session may be called.
    """
    sessions = [e for e in entries if e.kind in KINDS and not (e.private or e.project)]
    sessions.sort(key=lambda entry: (entry.created, entry.id), reverse=True)
    older = sessions[MOST_SESSIONS:]
    days: dict[str, list[Entry]] = {}
    for entry in older:
        day = entry.created[:10]
        days.setdefault(day if day >= since else day[:7], []).append(entry)
    lines: list[str] = []
    left = RECENT_TOKENS - count_tokens(f"{START}\n## {_WORDS[lang]['recent']}\n{END}")
    for when, found in sorted(days.items(), reverse=True):
        told = _titles(map(title_of, found)) if len(when) > 7 else ""
        line = f"- {when}: {told or _topics(found, lang)}"
        left -= count_tokens(line) + 1
        if left < 0:
            break
        lines.append(line)
    return "\n".join([f"## {_WORDS[lang]['recent']}", "", *lines]) if lines else ""


def _titles(titles: Iterable[str]) -> str:
    lines = (re.sub(r"<!--|-->", "", " ".join(title.split())[:LONGEST_TITLE]) for title in titles)
    return "; ".join(filter(None, dict.fromkeys(lines)))


def _topics(entries: Sequence[Entry], lang: str) -> str:
    counts: dict[str, int] = {}
    for entry in entries:
        for tag in entry.tags if entry.trust in TRUSTED else ():
            counts[tag] = counts.get(tag, 0) + 1
    tags = sorted(counts, key=lambda tag: (-counts[tag], tag))[:MOST_TOPICS]
    say = _WORDS[lang]
    joined = ("、" if lang == "zh" else ", ").join(" ".join(tag.split()) for tag in tags)
    return say["about" if tags else "month"].format(n=len(entries), tags=joined)


def with_recent(body: str, block: str) -> str:
    """The body with this block between its marks; all else stays as it is."""
    start, end = body.find(START), body.find(END)
    inner = f"{START}\n{block}\n{END}" if block else f"{START}\n{END}"
    if 0 <= start < end:
        return body[:start] + inner + body[end + len(END) :]
    if not block:
        return body
    return f"{body.rstrip()}\n\n{inner}\n" if body.strip() else f"{inner}\n"
