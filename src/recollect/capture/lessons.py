"""A solution as a section of a page: where it was seen to work, and whether another session saw the same.

Pure.
"""

from __future__ import annotations

from recollect._fastimport import Pattern
from recollect.model.footnotes import label_of
from recollect.text.commands import is_code_file

FIRST, AGAIN = "medium", "high"

_WORKED = Pattern(r"^\*\*(?:Solution|解决办法):\*\* (.+)$", 8)  # re.M
_FAILED = Pattern(r"^\*\*(?:Failed|失败的做法):\*\* .*?(`[^`]*`)$", 8)
_OWN = Pattern(
    r"<!-- source: observed; trust: (\w+)(?:; confidence: \w+)?; session: ([^;<>]*)([^<>]*) -->"
)
_SEEN = Pattern(r"<!-- seen before; session: ([^;<>]*)[^<>]* -->")


def comment(session: str, confidence: str = FIRST, trust: str = "tool", more: str = "") -> str:
    """Where a solution was seen, and how far it can be believed."""
    name = " ".join(session.split())[:80].replace(";", ",").replace("<", "‹").replace(">", "›")
    return f"<!-- source: observed; trust: {trust}; confidence: {confidence}; session: {name}{more} -->"


def seen_again(old: str, session: str, new: str) -> str:
    """The section `old` behind the session that taught `new`; nothing if they teach different things.

    It is as it was if this session is known to it, or if it can be believed no more than it is.
    """
    was, now = _WORKED.search(old), _WORKED.search(new)
    mark, told = _OWN.search(old), _OWN.search(new)
    if not (was and now and mark) or _without_places(was[1]) != _without_places(now[1]):
        return ""
    known = {label_of(one) for one in (mark[2], *(found[1] for found in _SEEN.finditer(old)))}
    made = comment(session, AGAIN, mark[1], told[3] if told else "")
    said = _OWN.search(made)
    if f"confidence: {AGAIN};" in mark[0] or (said and label_of(said[2]) in known):
        return old
    before = f"<!-- seen before; session: {mark[2]}{mark[3]} -->"
    return f"{old[: mark.start()]}{made}\n{before}{old[mark.end() :]}"


def is_same_fix(one: str, other: str) -> bool:
    """Whether two sections tell of the same command and what made it work, whatever it said."""
    pairs = [
        [found and found[1] for found in (_FAILED.search(s), _WORKED.search(s))]
        for s in (one, other)
    ]
    return None not in pairs[0] and pairs[0] == pairs[1]


def _without_places(worked: str) -> list[str]:
    """The words of what worked, whatever the files: `gofmt -w a.go` mends what `gofmt -w b.go` does."""
    words = worked.replace("`", " ").split()
    return [word for word in words if not ("/" in word or is_code_file(word))]


def session_of(section: str) -> str:
    """The session that taught a section, nothing where it does not say."""
    mark = _OWN.search(section)
    return mark[2] if mark else ""
