"""Scoping: whether a memory would be of use in every project, and why.

Promises: pure; a decision names its reasons; what belongs to one project is a blocker, whatever the
rest of the memory says; who asks decides all the same.
Touches: nothing.
"""

from __future__ import annotations

import re

from recollect.domain.model import Memory
from recollect.domain.pattern import Pattern
from recollect.named import NamedTuple

ENOUGH = 0.7  # as in seed 002
_KINDS = {
    "rule": 0.35, "pattern": 0.3, "solution": 0.3, "pointer": 0.1, "fact": 0.05, "decision": 0.0,
    "implementation": -0.2, "issue": -0.2, "note": -0.2, "session": -0.4, "conversation": -0.4,
}  # fmt: skip
_SOURCES = {"instructed": 0.1, "referenced": 0.05}
_PATH = Pattern(r"(?<![\w/])(?:\.{0,2}/)?(?:[\w.-]+/)+[\w-]+\.[a-z]{1,5}\b")
_HABIT = Pattern(r"\b(?:my|always|never|prefer)\b|总是|永远|从不|优先|习惯", re.I)


class Scoped(NamedTuple):
    """Where a memory belongs, how general it is (0 to 1), and what speaks for and against."""

    scope: str
    generalizability: float
    reasons: tuple[str, ...]
    blockers: tuple[str, ...]


def scope_of(memory: Memory, project: str) -> Scoped:
    """Where a memory belongs, by itself; `project` is the folder in which it was learned."""
    text = f"{memory.title}\n{memory.body}"
    score, reasons, blockers = 0.5, [f"kind:{memory.kind}"], []
    score += _KINDS.get(memory.kind, 0.0) + _SOURCES.get(memory.source, 0.0)
    if memory.source == "instructed":
        reasons.append("said")
    if memory.layer == "procedural":
        reasons.append("work")
    if _HABIT.search(memory.title):
        score += 0.1
        reasons.append("habit")
    name = project.rstrip("/").rpartition("/")[2]
    if project and project in text:
        blockers.append("folder")
    elif len(name) > 3 and _names(text, name):
        blockers.append("name")
    if memory.files or _PATH.search(text):
        blockers.append("files")
    if memory.layer == "episodic":
        blockers.append("episode")
    if memory.trust in ("tool", "external"):
        blockers.append("trust")
    score = min(1.0, max(0.0, score - 0.25 * len(blockers)))
    wanted = "global" if score >= ENOUGH and not blockers else "project"
    return Scoped(wanted, round(score, 2), tuple(reasons), tuple(blockers))


def _names(text: str, name: str) -> bool:
    low, start = text.casefold(), 0
    word = name.casefold()
    while (at := low.find(word, start)) >= 0:
        before, after = low[at - 1 : at], low[at + len(word) : at + len(word) + 1]
        if not before.isalnum() and not after.isalnum():
            return True
        start = at + 1
    return False
