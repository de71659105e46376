"""Factsview: `facts.json`, in the shape that seed 003 gave it, and the numbers of facts.

Promises: pure; the same memories give the same bytes, in any order; every fact stands there once,
under an id that no other has; a concept names only facts that are there.
Touches: nothing.

A fact's number (`d001`, `p001`, `i001`) is the beginning of its memory's id: `d001-use-redis`. So
it lives in the front matter, and whatever keeps an id keeps the number: the file may be renamed,
moved to the archive and back, its title and kind may change, the index may be made anew, and an
undo brings back the bytes with the number in them. The journal names the id of every memory there
ever was, purged ones too, so that a number is never given twice. A decision that was saved without
a number stands in the view under its own id (a title such as “i386 support” brings one along).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from recollect.domain.model import CATEGORIES, Entry
from recollect.domain.names import LONGEST_SLUG, slug_of
from recollect.domain.pattern import Pattern
from recollect.domain.views import listed
from recollect.named import NamedTuple

KINDS = tuple(CATEGORIES)
LETTERS = {"decision": "d", "pattern": "p", "issue": "i"}
LONGEST_REASON = 2000
MOST_CONCEPTS = 10
_NUMBER = Pattern(r"([dpi])(\d{3,9})(?![^\W_])")


def is_fact(entry: Entry) -> bool:
    """Whether this memory is a decision, a pattern or an issue; core files are what they are."""
    return entry.kind in KINDS and "core/" not in entry.path


def numbered_id(kind: str, number: int, content: str) -> str:
    """The id of a new fact: its number, and what it says as far as a name can."""
    return f"{LETTERS[kind]}{number:03d}-{slug_of(content)}"[:LONGEST_SLUG].rstrip("-")


def number_of(memory_id: str) -> str:
    """The number that an id begins with, or nothing."""
    found = _NUMBER.match(memory_id)
    return found[0] if found else ""


def highest_numbers(memory_ids: Iterable[str]) -> dict[str, int]:
    """The highest number that these ids have, by its letter."""
    highest = dict.fromkeys(LETTERS.values(), 0)
    for memory_id in memory_ids:
        found = _NUMBER.match(memory_id)
        if found:
            highest[found[1]] = max(highest[found[1]], int(found[2]))
    return highest


def numbered(entries: Iterable[Entry]) -> list[tuple[str, Entry]]:
    """`(number, fact)` for the facts among these memories, in the order of their numbers.

    Where two have one number, as after a merge, the older keeps it; the other one, and a fact
    without a number, stands under its own id, behind all others.
    """
    facts = sorted(filter(is_fact, entries), key=lambda e: (e.created, e.id, e.path))
    taken: set[str] = set()
    found: list[tuple[str, Entry]] = []
    for entry in facts:
        number = number_of(entry.id)
        found.append((entry.id if number in taken else number or entry.id, entry))
        taken.add(number)
    return sorted(found, key=lambda pair: _place(*pair))


def _place(shown: str, entry: Entry) -> tuple[int, str, str]:
    known = _NUMBER.fullmatch(shown)
    return (int(known[2]), shown, "") if known else (10**10, entry.created, shown)


class Summary(NamedTuple):
    """How many facts there are, and what most of them are about."""

    decisions: int
    patterns: int
    issues: int
    open: int
    concepts: list[str]


def summary_of(entries: Iterable[Entry]) -> Summary:
    """The facts among these memories in a few numbers."""
    facts = [entry for entry in entries if is_fact(entry)]
    kinds = [entry.kind for entry in facts]
    unresolved = sum(e.kind == "issue" and e.status != "resolved" for e in facts)
    about = _concepts([(entry.id, entry) for entry in facts])
    ranked = sorted(about, key=lambda concept: (-len(about[concept]), concept))
    decisions, patterns, issues = map(kinds.count, KINDS)
    return Summary(decisions, patterns, issues, unresolved, ranked[:MOST_CONCEPTS])


def reason_of(text: str, title: str) -> str:
    """What a fact's text says besides its title."""
    first, _, rest = text.strip().partition("\n")
    return rest.strip() if first.strip().casefold() == f"# {title}".casefold() else text.strip()


def reason_line(reason: str) -> str:
    """A reason as the view has it: one line, cut where it is very long."""
    line = " ".join(reason.split())
    return line if len(line) <= LONGEST_REASON else line[: LONGEST_REASON - 1] + "…"


def facts_json(entries: Sequence[Entry], reasons: Mapping[str, str]) -> str:
    """facts.json: decisions, patterns, issues, and which of them each concept is about.

    `reasons` are the texts of decisions, by the id of the memory.
    """
    shown = numbered(listed(entries))
    saved = max((e.updated or e.created for _, e in shown), default="")
    parts = [f'"_meta": {_json({"counter": 0, "lastSave": saved or None})}']
    for kind in KINDS:
        rows = [
            _json(_row(number, entry, reasons.get(entry.id, "")))
            for number, entry in shown
            if entry.kind == kind
        ]
        parts.append(f'"{kind}s": [{_lines(rows)}]')
    about = [f"{_json(concept)}: {_json(ids)}" for concept, ids in _concepts(shown).items()]
    parts.append(f'"concepts": {{{_lines(about)}}}')
    text = "{\n  " + ",\n  ".join(parts) + "\n}\n"
    return text.encode("utf-8", "replace").decode()  # bytes that are no UTF-8 are no JSON


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _lines(items: Sequence[str]) -> str:
    """A line for each item: what changed is what a diff shows."""
    return "\n    " + ",\n    ".join(items) + "\n  " if items else ""


def _row(number: str, entry: Entry, reason: str) -> dict[str, object]:
    category = entry.category if entry.category in CATEGORIES[entry.kind] else "other"
    row: dict[str, object] = {
        "id": number,
        "type": category,
        "date": (entry.created or entry.updated)[:10],
        "content": entry.title,
    }
    if entry.kind == "decision":
        row["reason"] = reason_line(reason)
    elif entry.kind == "issue":
        row["status"] = "resolved" if entry.status == "resolved" else "open"
    if entry.files:
        row["files"] = list(entry.files)
    if entry.concepts:
        row["concepts"] = list(entry.concepts)
    return row


def _concepts(shown: Sequence[tuple[str, Entry]]) -> dict[str, list[str]]:
    """The numbers of the facts about each concept, under its first spelling."""
    spelt: dict[str, str] = {}
    found: dict[str, list[str]] = {}
    for number, entry in shown:
        for concept in entry.concepts:
            here = found.setdefault(spelt.setdefault(concept.casefold(), concept), [])
            if number not in here:
                here.append(number)
    return found
