"""Lessons: what a section says of a solution that was met again in another session.

Promises: pure; a solution is the same if the same command is said to work; a session raises its
confidence once, however often it is captured; nothing but the comments of the section changes.
Touches: nothing.
"""

from __future__ import annotations

from recollect.domain.pattern import Pattern

FIRST, AGAIN = "medium", "high"

_WORKED = Pattern(r"^\*\*(?:Solution|解决办法):\*\* (.+)$", 8)  # re.M
_OWN = Pattern(r"<!-- source: observed; trust: (\w+)(?:; confidence: \w+)?; session: ([^;<>]*) -->")
_SEEN = Pattern(r"<!-- seen before; session: ([^;<>]*) -->")


def comment(session: str, confidence: str = FIRST, trust: str = "tool") -> str:
    """Where a solution was seen, and how far it can be believed."""
    name = " ".join(session.split())[:80].replace(";", ",").replace("<", "‹").replace(">", "›")
    return f"<!-- source: observed; trust: {trust}; confidence: {confidence}; session: {name} -->"


def seen_again(old: str, session: str, new: str) -> str:
    """The section `old` behind the session that taught `new`; nothing if they teach different things.

    It is as it was if this session is known to it, or if it can be believed no more than it is.
    """
    was, now = _WORKED.search(old), _WORKED.search(new)
    mark = _OWN.search(old)
    if not (was and now and mark) or was[1].split() != now[1].split():
        return ""
    known = {mark[2], *(found[1] for found in _SEEN.finditer(old))}
    made = comment(session, AGAIN, mark[1])
    said = _OWN.search(made)
    if f"confidence: {AGAIN};" in mark[0] or (said and said[2] in known):
        return old
    return (
        f"{old[: mark.start()]}{made}\n<!-- seen before; session: {mark[2]} -->{old[mark.end() :]}"
    )
