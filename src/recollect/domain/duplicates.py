"""Duplicates: memories that say the same, and the text of two that were made one.

Promises: every line of the one that goes is in the text of the one that stays, word for word, unless that
says it already in the same words; what stands in the one that stays is not moved or changed; the merged
memory is trusted no more than the less trusted of both.
Touches: nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import combinations

from recollect.domain import codec
from recollect.domain.claims import claim_key, near_key
from recollect.domain.codec.sections import Part, parts_of
from recollect.domain.entries import without_comments
from recollect.domain.model import Entry, lowest_trust
from recollect.domain.text import cue_words, stem
from recollect.named import NamedTuple

_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\d{1,9}[.)])[ \t]")
LEAST_LIKENESS = 2 / 3  # of the words of two titles, in whatever form and order
LEAST_WORDS = 2
MOST_SHARING = 50  # a word that more titles have says nothing
UNITED = ("tags", "trigger", "files", "concepts", "related")


class Pair(NamedTuple):
    """Two memories that a person may want to merge: the older one first."""

    id: str
    other: str
    why: str  # `title`, `alike`, or `claims` with how many they share
    shared: int = 0


def same_titles(entries: Iterable[Entry]) -> list[Pair]:
    """The memories of one layer and project with nearly the same title, each with the oldest of them."""
    groups: dict[tuple[str, str, str], list[Entry]] = {}
    for entry in filter(_may_be_one, entries):
        groups.setdefault((entry.layer, entry.project, near_key(entry.title)), []).append(entry)
    found = []
    for rows in groups.values():
        first, *rest = sorted(rows, key=lambda entry: (entry.created, entry.id))
        found += [Pair(first.id, entry.id, "title") for entry in rest]
    return sorted(found)


def like_titles(entries: Iterable[Entry]) -> list[Pair]:
    """The memories of one layer and project whose titles have most of their words in common."""
    words: dict[str, frozenset[str]] = {}
    known: dict[str, Entry] = {}
    sharing: dict[tuple[str, str, str], list[str]] = {}
    for entry in filter(_may_be_one, entries):
        known[entry.id] = entry
        words[entry.id] = frozenset(stem(word) for word in cue_words(entry.title))
        for word in words[entry.id]:
            sharing.setdefault((entry.layer, entry.project, word), []).append(entry.id)
    near = {
        pair
        for names in sharing.values()
        if len(names) <= MOST_SHARING
        for pair in combinations(sorted(names), 2)
    }
    found = []
    for one, other in sorted(near):
        both = words[one] & words[other]
        is_alike = len(both) >= LEAST_LIKENESS * len(words[one] | words[other])
        if len(both) >= LEAST_WORDS and is_alike:
            pair = sorted((known[one], known[other]), key=lambda entry: (entry.created, entry.id))
            found.append(Pair(pair[0].id, pair[1].id, "alike"))
    return found


def _may_be_one(entry: Entry) -> bool:
    return not (entry.layer == "episodic" or entry.status == "superseded" or entry.private)


def merged(text: str, other: str, path: str, other_path: str, now: str) -> str:
    """`text` with all that `other` says besides."""
    kept = codec.memory_from_text(text, path)
    gone = codec.memory_from_text(other, other_path)
    for key in UNITED:
        have, more = getattr(kept, key), getattr(gone, key)
        names = {kept.id, gone.id} if key == "related" else set()
        both = [one for one in dict.fromkeys((*have, *more)) if one not in names]
        if both != list(have):
            text = codec.with_field(text, key, both)
    supersedes = dict.fromkeys((*kept.supersedes, *gone.supersedes, gone.id))
    text = codec.with_field(text, "supersedes", list(supersedes))
    trust = lowest_trust(kept.trust, gone.trust)
    if trust != kept.trust:
        text = codec.with_field(text, "trust", trust)
    text = codec.with_field(text, "updated", now)
    body = codec.split_front(text).body
    return codec.with_body(text, _with_rest(body, codec.split_front(other).body, gone.title))


def _with_rest(body: str, other: str, title: str) -> str:
    """`body` with the paragraphs and list items of `other` that it lacks, section by section."""
    known = {_key(unit) for part in parts_of(body) for unit in _units(_inside(part))}
    for part in parts_of(other):
        # A comment says how far the lines around it are trusted: it goes where they go.
        new = [unit for unit in _units(_inside(part)) if (_key(unit) or "#") not in known]
        if any(map(_key, new)):
            known.update(map(_key, new))
            heading = part.heading or title
            old = codec.section_named(body, heading)
            before = f"{old.text.rstrip()}\n\n" if old else ""
            text = _joined(new)
            body = codec.with_section(body, old.heading if old else heading, before + text)
    return body


def _joined(units: Iterable[str]) -> str:
    """These units one after the other, each paragraph with a blank line before it."""
    text = ""
    for unit in units:
        apart = text and not _ITEM.match(unit) and not text.endswith("\n\n")
        text += f"\n{unit}" if apart else unit
    return text.strip()


def _inside(part: Part) -> str:
    """A section without its heading, or the head without the title of the memory."""
    first, _, rest = part.text.lstrip("\r\n").partition("\n")
    return rest if part.heading or first.startswith("# ") else part.text


def _units(text: str) -> list[str]:
    """The paragraphs and list items of a section, each with its line ends; with code, all at once."""
    text = text.replace("\r\n", "\n")
    if "```" in text or "~~~" in text:  # a blank line in code separates nothing
        return [f"{text.strip()}\n"]
    units: list[str] = []
    starts = True
    for line in text.split("\n"):
        is_blank = not line.strip()
        if is_blank and units:
            units[-1] = units[-1].rstrip("\n") + "\n\n"
        elif _ITEM.match(line) or (starts and not _goes_on(units, line)):
            units += [] if is_blank else [f"{line.lstrip() if starts else line}\n"]
        else:
            units[-1] += f"{line}\n"
        starts = is_blank
    return units


def _goes_on(units: list[str], line: str) -> bool:
    """Whether an indented line behind a blank one is still part of the list item before."""
    return bool(units) and line[0] in " \t" and _ITEM.match(units[-1]) is not None


def _key(unit: str) -> str:
    return claim_key(without_comments(unit))
