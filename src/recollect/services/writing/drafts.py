"""Writing: what is to be written, and what was."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from recollect.domain.codec.fields import words_for
from recollect.errors import UsageProblem

# Rules, solutions and pointers share a file, a `##` section for each.
SHARED = {
    "rule": "procedural/feedback.md",
    "solution": "procedural/feedback.md",
    "pointer": "reference/external-systems.md",
}


class Draft(NamedTuple):
    """A memory that is to be saved. Empty fields get their defaults."""

    title: str
    body: str = ""
    layer: str = ""
    kind: str = ""
    category: str = ""
    tags: tuple[str, ...] = ()
    trigger: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    concepts: tuple[str, ...] = ()
    salience: str = ""
    confidence: str = ""
    source: str = ""
    trust: str = "user"
    status: str = ""
    session: str = ""
    project: str = ""
    conversation: str = ""
    private: bool = False
    created: str = ""

    def mapped(self, change: Callable[[str], str]) -> Draft:
        """The draft with every text in it changed."""
        texts: dict[str, Any] = {}
        for name, value in self._asdict().items():
            if isinstance(value, str):
                texts[name] = change(value)
            elif isinstance(value, tuple):
                texts[name] = tuple(map(change, value))
        return self._replace(**texts)


class Written(NamedTuple):
    """What a change did, or would do."""

    id: str
    path: str
    what: str  # created, amended, unchanged, changed, removed
    rule: str = ""
    layer: str = ""
    text: str = ""


def check_word(key: str, value: str, command: str) -> None:
    """Raise UsageProblem if a field does not take this word."""
    words = words_for(key)
    if value and words and value not in words:
        known = ", ".join(words)
        raise UsageProblem(what=f"{key} is one of {known}; not “{value}”.", command=command)
