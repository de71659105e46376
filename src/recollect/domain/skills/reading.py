"""Skills: what a memory tells of decisions, and of problems that were solved.

Promises: what the person said in so many words is trusted like the person, all else at most like its
memory; an issue that is still open is no problem that was solved.
Touches: nothing.
"""

from __future__ import annotations

import re

from recollect.domain.codec import sections_of
from recollect.domain.entries import is_solution, without_comments
from recollect.domain.facts import facts_of, section_kind
from recollect.domain.model import Entry, Section, lowest_trust
from recollect.domain.pattern import Pattern
from recollect.domain.redact import strip_private
from recollect.domain.skills.matter import Matter, Said

_FIELD = Pattern(r"^\*\*(Symptom|Solution|症状|解决办法)[ \t]*[:：]\*\*[ \t]*(.+)$", re.M)
_COMMENT = Pattern(r"<!--.*?(?:-->|\Z)", re.S)
_SESSION = Pattern(r"\bsession:\s*([^\s;>]+)")
_TRUST = Pattern(r"\btrust:\s*(external|tool|agent)\b")
_TITLE = Pattern(r"^(?:Solution|解决方案)\s*[:：]\s*", re.I)


def matter_of(entry: Entry, said: tuple[Said, ...] = ()) -> Matter:
    """A memory as a detector looks at it, with what its sections say."""
    if not said and entry.kind == "decision":
        said = (Said("decision", entry.title, entry.summary, entry.trust),)
    elif not said and entry.kind == "issue" and entry.status == "resolved":
        said = (Said("problem", entry.title, entry.summary, entry.trust),)
    return Matter(
        entry.id,
        entry.title,
        entry.kind,
        time_of(entry),
        entry.trust,
        entry.session,
        entry.project,
        entry.tags,
        entry.files,
        said,
    )


def time_of(entry: Entry) -> str:
    """When a memory was made; for a file that goes on growing, when it was last written."""
    grows = entry.kind in ("rule", "pointer")
    return (entry.updated if grows else entry.created) or entry.created or entry.updated


def said_in(text: str, entry: Entry) -> tuple[Said, ...]:
    """The decisions and the solved problems that the sections of a memory tell of."""
    found: list[Said] = []
    for section in sections_of(strip_private(text)):
        kind = section_kind(section.heading)
        if is_solution(section.heading):
            found.append(_solution(section, entry))
        elif kind in ("decision", "issue") and kind != entry.kind:
            for fact in facts_of(kind, section.text):
                trust = "user" if fact.source == "instructed" else entry.trust
                if kind == "decision":
                    found.append(Said("decision", fact.content, fact.detail, trust))
                elif fact.status == "resolved":
                    found.append(Said("problem", fact.content, "", trust))
    return tuple(found)


def _solution(section: Section, entry: Entry) -> Said:
    fields = {m[1]: m[2].strip() for m in _FIELD.finditer(section.text)}
    problem = fields.get("Symptom") or fields.get("症状") or _TITLE.sub("", section.heading)
    solved = fields.get("Solution") or fields.get("解决办法") or without_comments(section.text)
    session, trust = "", entry.trust
    for comment in _COMMENT.findall(section.text):
        own, lower = _SESSION.search(comment), _TRUST.search(comment)
        session = own[1] if own else session
        trust = lowest_trust(trust, lower[1]) if lower else trust
    return Said("problem", problem, solved.partition("\n")[0], trust, section.anchor, session)
