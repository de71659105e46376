"""Writing: what is to be written, and what was."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from recollect.domain import tags
from recollect.domain.codec.fields import words_for
from recollect.errors import UsageProblem
from recollect.named import NamedTuple

LONGEST_SUMMARY = 2_000  # characters of a conversation's summary, as seed 001 recommends
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
    into: str = ""  # the memory to which it is added
    exact_tags: bool = False  # the tags are written as they are given
    encrypt: bool = False  # in a file of its own, whatever it is

    def mapped(self, change: Callable[[str], str]) -> Draft:
        """The draft with every text in it changed."""
        texts: dict[str, Any] = {}
        for name, value in self._asdict().items():
            if isinstance(value, str):
                texts[name] = change(value)
            elif isinstance(value, tuple):
                texts[name] = tuple(map(change, value))
        return self._replace(**texts)


class Advice(NamedTuple):
    """What somebody who saves may want to know; nothing of it stands in the way."""

    renamed: tuple[tuple[str, str], ...] = ()  # tags that were given in another form
    near: str = ""  # a memory that it could be added to instead
    common: tuple[str, ...] = ()  # the tags that both have
    warnings: tuple[str, ...] = ()  # long-summary, many-keywords, many-tags

    def as_json(self) -> dict[str, Any]:
        """What there is to say."""
        said: dict[str, Any] = {"renamed_tags": dict(self.renamed)} if self.renamed else {}
        if self.near:
            said["near"] = {"id": self.near, "tags": list(self.common)}
        return said | ({"warnings": list(self.warnings)} if self.warnings else {})


class Written(NamedTuple):
    """What a change did, or would do."""

    id: str
    path: str
    what: str  # created, amended, unchanged, changed, removed
    rule: str = ""
    layer: str = ""
    text: str = ""
    advice: Advice = Advice()  # of a saved draft


def warnings_of(draft: Draft) -> tuple[str, ...]:
    """What is more, or less, than serves well; a draft without tags gets some."""
    found = []
    if draft.conversation or draft.kind == "conversation":
        if len(draft.body) > LONGEST_SUMMARY:
            found.append("long-summary")
        if len(draft.tags) > tags.MOST_OF_CONVERSATION:
            found.append("many-keywords")
    elif len(draft.tags) > tags.MOST:
        found.append("many-tags")
    return tuple(found)


def check_word(key: str, value: str, command: str) -> None:
    """Raise UsageProblem if a field does not take this word."""
    words = words_for(key)
    if value and words and value not in words:
        known = ", ".join(words)
        raise UsageProblem(what=f"{key} is one of {known}; not “{value}”.", command=command)
