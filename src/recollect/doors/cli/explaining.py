"""Command line: how a search came to its order, and why recall leaves a memory out.

Promises: only says what the rooms below have found.
Touches: the terminal, through the door.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recollect.domain.evidence import ENOUGH_COVERAGE
from recollect.domain.rank import BEHIND, BONUSES, FACTORS, SIGNALS, Candidate
from recollect.doors.cli.door import Door
from recollect.doors.hits import show_hit
from recollect.services.searching import Found

if TYPE_CHECKING:
    from recollect.services.whynot import Reason, Word


def show_search(door: Door, told: dict[str, Any], hits: list[Found]) -> None:
    """What was looked for, then the hits with the parts of their scores."""
    found = [f"{one['word']} {one['sections']}" for one in told["words"] if one["sections"]]
    door.tell(
        "Looked for, with the sections of {total} that have each: {words}",
        total=told["sections"],
        words=", ".join(found) or "–",
        style="dim",
    )
    for one in told["words"]:
        if one["near"]:
            door.tell(
                "Nobody wrote “{word}”; looked for {near} instead.",
                word=one["word"],
                near=", ".join(one["near"]),
                style="dim",
            )
    if not hits:
        door.tell("Nothing found.")
    for hit in hits:
        show_hit(door.paper, door.lang, hit)
        door.paper.line(("dim", f"  {score_of(hit.candidate)}"))


def score_of(one: Candidate) -> str:
    """A score as the sum that it is: `1.15 = text 1.00 × confidence 1.10 + scope 0.05`."""
    parts = one.parts
    said = [f"text {parts.get('text', 0.0):.2f}"]
    if parts.get("meaning"):
        said = [f"({said[0]} + meaning {SIGNALS['meaning'] * parts['meaning']:.2f})"]
    said += [f"{name} {parts[name]:.2f}" for name in FACTORS if parts.get(name, 1.0) != 1.0]
    more = [f"{name} {parts[name]:.2f}" for name in BONUSES if parts.get(name)]
    whole = " + ".join([" × ".join(said), *more])
    for name in BEHIND:
        if name in parts:
            whole = f"({whole}) × {name} {parts[name]:.2f}"
    if parts.get("newer"):
        whole += f" + newer {parts['newer']:.2f}"
    return f"{one.score:.2f} = {whole}"


def show_reason(door: Door, name: str, reason: Reason, words: list[Word]) -> None:
    """Why a memory does not come, or how it does; then the words that were asked for."""
    _tell_reason(door, name, reason)
    if reason.candidate is not None and "coverage" in reason.candidate.parts:
        door.tell(
            "  It answers {share} % of what is asked; {enough} % is enough.",
            share=round(100 * reason.candidate.parts["coverage"]),
            enough=round(100 * ENOUGH_COVERAGE),
            style="dim",
        )
    if words:
        door.paper.line()
        rows = [("✓" if one.said else "", one.word, f"{one.asks:.2f}") for one in words]
        door.paper.table(["", *door.heads("word", "asks for")], rows)


def _tell_reason(door: Door, name: str, reason: Reason) -> None:  # noqa: C901, PLR0912
    match reason.why:
        case "given":
            door.tell("{id} comes in full: it is number {n}.", id=name, n=reason.place)
        case "pointer":
            door.tell("{id} comes as a pointer: there is no room for all of it.", id=name)
        case "told":
            door.tell("{id} was given to this session before.", id=name)
        case "encrypted":
            door.tell("{id} is encrypted: only `search --encrypted` looks there.", id=name)
        case "archived":
            door.tell("{id} is archived: only `search --archived` looks there.", id=name)
        case "brief":
            door.tell("{id} is said at the start of every session, so not again.", id=name)
        case "superseded":
            door.tell("{id} is superseded.", id=name)
        case "external":
            door.tell(
                "{id} comes from outside (trust external): it is only found by `search`.", id=name
            )
        case "other-project":
            door.tell("{id} belongs to another project.", id=name)
        case "no-words":
            door.tell("{id} has none of the words.", id=name)
        case "spelled":
            door.tell("{id} has none of the words as they are written; only `search` looks for what is nearly so.", id=name)  # fmt: skip
        case "raw":
            door.tell("{id} says it in its raw conversation: only `search` looks there.", id=name)
        case "crowded-out":
            door.tell(
                "{id} is number {n} of the {of} that have some of the words; only the first are looked at.",
                id=name,
                n=reason.place,
                of=reason.of,
            )
        case "passing":
            door.tell("{id} says one of the words in passing; its title and tags are about something else.", id=name)  # fmt: skip
        case "too-little":
            door.tell("{id} answers too little of what is asked.", id=name)
        case "weaker":
            door.tell("{id} is far behind {other}.", id=name, other=reason.other)
        case "repeats":
            door.tell("{id} says what {other} says.", id=name, other=reason.other)
        case _:
            door.tell("{id} found no room in the budget.", id=name)
