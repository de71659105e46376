"""Related: memories that are probably about the same thing, by what they have in common.

Promises: what many memories share says nothing; what is related already, in either direction, is not
proposed; nothing is proposed across projects, nor from what is private to what is not; of each memory
only the strongest few.
Touches: nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from recollect.domain.model import Entry
from recollect.domain.text import cue_words, stem
from recollect.named import NamedTuple

WEIGHTS = {"file": 3, "concept": 2, "tag": 1, "word": 1}
LEAST = 3  # together: a file, two concepts, or three tags and words of the title
MOST_SHARING = 8
MOST_EACH = 3
OF_MANY_THINGS = ("procedural/feedback.md", "reference/external-systems.md")


class Tie(NamedTuple):
    """Two memories with what they have in common, as `file: src/events.py` or `tag: postgres`."""

    id: str
    other: str
    strength: int
    shared: tuple[str, ...]


def ties(entries: Iterable[Entry]) -> list[Tie]:
    """The pairs that may be worth relating, strongest first."""
    fit = {entry.id: entry for entry in entries if _is_fit(entry)}
    sharing: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for entry in fit.values():
        for key in dict.fromkeys(_keys_of(entry)):
            sharing[key].append(entry.id)
    common: defaultdict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for key, names in sharing.items():
        if len(names) <= MOST_SHARING:
            for n, one in enumerate(sorted(names)):
                for other in sorted(names)[n + 1 :]:
                    common[one, other].append(key)
    found = []
    for (one, other), keys in common.items():
        strength = sum(WEIGHTS[kind] for kind, _ in keys)
        if strength >= LEAST and _may_meet(fit[one], fit[other]):
            shared = sorted(keys, key=lambda key: (-WEIGHTS[key[0]], key))
            found.append(Tie(one, other, strength, tuple(f"{k}: {name}" for k, name in shared)))
    return list(_strongest(sorted(found, key=lambda tie: (-tie.strength, tie.id, tie.other))))


def _is_fit(entry: Entry) -> bool:
    if entry.layer == "episodic" or entry.archived or entry.path.startswith("core/"):
        return False
    return not (entry.status == "superseded" or entry.problem or entry.path in OF_MANY_THINGS)


def _keys_of(entry: Entry) -> Iterator[tuple[str, str]]:
    yield from (("file", name) for name in entry.files)
    yield from (("concept", name.casefold()) for name in entry.concepts)
    tags = {tag.casefold() for tag in entry.tags}
    yield from (("tag", tag) for tag in sorted(tags))
    words = {stem(word) for word in cue_words(entry.title)}
    yield from (("word", word) for word in sorted(words - {stem(tag) for tag in tags}))


def _may_meet(one: Entry, other: Entry) -> bool:
    if one.project != other.project or one.private != other.private:
        return False
    return one.id not in other.related and other.id not in one.related


def _strongest(found: Iterable[Tie]) -> Iterator[Tie]:
    counts: defaultdict[str, int] = defaultdict(int)
    for tie in found:
        if max(counts[tie.id], counts[tie.other]) < MOST_EACH:
            counts[tie.id] += 1
            counts[tie.other] += 1
            yield tie
