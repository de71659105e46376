"""Conflicts: from two claims to a verdict, and who of the two is newer.

Promises: as the package says.
Touches: nothing.
"""

from __future__ import annotations

from functools import lru_cache

from recollect.domain.claims.identity import is_near
from recollect.domain.conflicts.core import Core, core_of, readable, without_explanation
from recollect.domain.conflicts.frames import Frame, Use, Value, frames_of
from recollect.domain.conflicts.values import SURE, UNSURE, family_of, values_clash, versions_clash
from recollect.domain.model import LEVELS
from recollect.named import NamedTuple


class Conflict(NamedTuple):
    """A contradiction: how sure it is, and in what it lies (value, number, version, choice, negation)."""

    certainty: str
    why: str

    @property
    def is_reversal(self) -> bool:
        """Whether a rule was turned into its opposite or gave way to another."""
        return self.why in ("negation", "choice")


class Standing(NamedTuple):
    """How much a claim counts against another one: by its date, then salience, then creation."""

    date: str
    salience: str = "medium"
    created: str = ""


class _Read(NamedTuple):
    """What a claim says; `head` is the core of what stands before its reason, as in `Use npm: …`."""

    core: Core | None
    frames: tuple[Frame, ...]
    head: Core | None = None


@lru_cache(maxsize=4096)  # a claim meets many others
def _read(text: str) -> _Read:
    plain = readable(text)
    if not plain:
        return _Read(None, ())
    frames = frames_of(plain)
    head = without_explanation(plain)
    if not head:
        return _Read(core_of(plain), frames)
    # Behind a colon stands a value as well: of the head only what it says by itself counts.
    chosen = tuple(frame for frame in frames_of(head) if isinstance(frame, Use))
    return _Read(core_of(plain), tuple(dict.fromkeys((*frames, *chosen))), core_of(head))


def topics_of(text: str) -> frozenset[str]:
    """The topics of a claim; two claims that contradict each other have one in common."""
    core, frames, head = _read(text)
    topics = {f"core {one.key}" for one in (core, head) if one}
    for frame in frames:
        if isinstance(frame, Value):
            topics.add(f"is {frame.subject}")
            continue
        topics.add(f"use {frame.name}")
        family = family_of(frame.name)
        if family is not None:
            topics.add(f"family {family}")
        if frame.purpose:
            topics |= {f"for {frame.purpose}", f"is {frame.purpose}"}
    return frozenset(topics)


def conflict_between(one: str, other: str) -> Conflict | None:
    """How two claims contradict each other, or None."""
    a, b = _read(one), _read(other)
    found = [_cores(a.core, b.core)]
    found += [_frames(x, y) for x in a.frames for y in b.frames]
    if a.head or b.head:
        heads = (
            _cores(a.head or a.core, b.head or b.core),
            _cores(a.head, b.core),
            _cores(a.core, b.head),
        )
        found += [one for one in heads if one and one.why == "negation"]
    verdicts = [conflict for conflict in found if conflict]
    if not verdicts or is_near(one, other):
        return None
    return min(verdicts, key=lambda c: (c.certainty != SURE, c.why), default=None)


def _cores(one: Core | None, other: Core | None) -> Conflict | None:
    if one is None or other is None or one.key != other.key:
        return None
    if one.negative != other.negative:
        if one.numbers != other.numbers:
            return None
        scopes = _scopes(one.scope, other.scope)
        return Conflict(scopes, "negation") if scopes else None
    if one.numbers == other.numbers or one.negative or len(one.numbers) != len(other.numbers):
        return None
    differing = [
        (a, b) for a, b in zip(one.numbers, other.numbers, strict=True) if versions_clash(a, b)
    ]
    if not differing or one.scope != other.scope:
        return None
    is_bare = one.key.split()[0] == "#"  # a number in front names what is counted, mostly
    return Conflict(UNSURE if is_bare or len(differing) > 1 else SURE, "number")


def _scopes(one: str, other: str) -> str:
    """How sure a conflict can be between these scopes; nothing for two that differ."""
    if one == other:
        return SURE
    return "" if one and other else UNSURE


def _frames(one: Frame, other: Frame) -> Conflict | None:
    if isinstance(one, Value) and isinstance(other, Value):
        return _values(one, other)
    if isinstance(one, Use) and isinstance(other, Use):
        return _choices(one, other)
    use, value = (one, other) if isinstance(one, Use) else (other, one)
    if isinstance(use, Use) and isinstance(value, Value) and use.purpose == value.subject:
        if use.negative or use.added or value.negative or use.scope != value.scope:
            return None
        clash = values_clash(value.subject, f"{use.name} {use.version}".strip(), value.value)
        return Conflict(clash, "value") if clash else None
    return None


def _values(one: Value, other: Value) -> Conflict | None:
    if one.subject != other.subject or one.scope != other.scope:
        return None
    if one.negative or other.negative:
        same = one.negative != other.negative and is_near(one.value, other.value)
        return Conflict(SURE, "negation") if same else None
    clash = values_clash(one.subject, one.value, other.value)
    if clash == UNSURE and one.single and other.single:
        clash = SURE
    return Conflict(clash, "value") if clash else None


def _choices(one: Use, other: Use) -> Conflict | None:
    scopes = _scopes(one.scope, other.scope)
    purposes = _scopes(one.purpose, other.purpose)
    if not scopes or not purposes:
        return None
    certainty = SURE if scopes == purposes == SURE else UNSURE
    if one.name == other.name:
        return _same_name(one, other, certainty, scopes)
    if one.negative or other.negative or one.added or other.added:
        return None
    family = family_of(one.name)
    is_family = family is not None and family == family_of(other.name)
    same_purpose = one.purpose == other.purpose != ""
    if is_family and (one.firm or other.firm or same_purpose):
        return Conflict(scopes, "choice")
    return Conflict(UNSURE, "choice") if is_family or same_purpose else None


def _same_name(one: Use, other: Use, certainty: str, scopes: str) -> Conflict | None:
    """How two sentences about the same thing clash: in its version, or in whether it is used."""
    if one.version and other.version:
        both_used = not (one.negative or other.negative or one.added or other.added)
        clash = both_used and versions_clash(one.version, other.version)
        return Conflict(certainty, "version") if clash else None
    if one.negative == other.negative or one.version != other.version:
        return None
    return Conflict(scopes if one.firm or other.firm else certainty, "negation")


def is_newer(one: Standing, other: Standing) -> bool | None:
    """Whether the first outweighs the second: by date, then salience, then creation; None for a tie."""
    ours, theirs = _weight(one), _weight(other)
    return None if ours == theirs else ours > theirs


def _weight(standing: Standing) -> tuple[str, int, str]:
    return standing.date, LEVELS.index(standing.salience), standing.created
