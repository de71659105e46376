"""Skills: what detectors are given, and what they and we make of it.

Promises: values only; a text that comes from a tool or from outside is never quoted by what is made of these.
Touches: nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from recollect.domain.model import lowest_trust
from recollect.named import NamedTuple

PROCEDURE, DECISION, PROBLEM = "procedure", "decision_framework", "problem_solution"
LEAST = 3
DAYS = 90

Stems = Callable[[list[str]], Mapping[str, str]]  # words → the form that their forms share


class Said(NamedTuple):
    """A decision and its reason, or a problem and what solved it, told by a memory."""

    kind: str  # decision, problem
    text: str
    detail: str = ""
    trust: str = "user"
    anchor: str = ""  # of the section that tells it
    session: str = ""  # where it was learned, if not where the memory was


class Matter(NamedTuple):
    """A memory as a detector looks at it."""

    id: str
    title: str
    kind: str
    created: str = ""
    trust: str = "user"
    session: str = ""
    project: str = ""
    tags: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    said: tuple[Said, ...] = ()


class Evidence(NamedTuple):
    """What a memory contributes to a suggestion."""

    matter: Matter
    text: str
    detail: str = ""
    trust: str = "user"
    anchor: str = ""
    session: str = ""

    @property
    def id(self) -> str:
        """The memory, or the section of it, that says this."""
        return f"{self.matter.id}#{self.anchor}" if self.anchor else self.matter.id

    @property
    def occasion(self) -> str:
        """What tells whether two things come from one conversation."""
        return self.session or self.matter.session or self.id

    @property
    def is_quotable(self) -> bool:
        """Whether a person or their agent said it, not a tool or a page."""
        return lowest_trust(self.trust, "agent") == "agent"


class Group(NamedTuple):
    """What a detector found: things that belong together, and how to call them if it knows."""

    evidence: Sequence[Evidence]
    title: str = ""


class Rules(NamedTuple):
    """What detectors go by."""

    stems: Stems
    least: int = LEAST


class Suggestion(NamedTuple):
    """A skill that several memories suggest."""

    name: str
    type: str
    title: str
    confidence: str
    occurrences: int
    evidence: tuple[Evidence, ...]
    tags: tuple[str, ...] = ()
    words: tuple[str, ...] = ()  # stems that most of the evidence shares
    project: str = ""

    @property
    def memories(self) -> list[str]:
        """The ids of the memories, each once, oldest first."""
        return list(dict.fromkeys(one.id for one in self.evidence))


Detector = Callable[[Sequence[Matter], Rules], "list[Group]"]
