"""Know in what a session says the copy of another one, whatever ids and times the copy has.

Clients that fork a session, or take it up under another id, write its messages once more. A message
has a mark made of it and of all messages before it, so that only a copy from the start has the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from recollect._fastimport import digest
from recollect.model.session import MARK, Event

SAID = ("prompt", "answer")
ENOUGH = 120  # characters of answers that no two sessions have in common by chance


def last_mark(ids: Sequence[str]) -> str:
    """The mark of the last message of a session so far."""
    return next((one for one in reversed(ids) if one.startswith(MARK)), MARK)


def mark_of(event: Event, before: str) -> str:
    """The mark of a message behind the one with the mark `before`; nothing of another event."""
    if event.kind not in SAID or not event.text:
        return ""
    said = " ".join(event.text.split())
    return MARK + digest(f"{before}\n{event.kind}\n{said}", 8).hex()


def marked(events: Iterable[Event], ids: Sequence[str]) -> list[tuple[Event, str]]:
    """The messages among events, each with its mark; `ids` are those of the session so far."""
    mark = last_mark(ids)
    found = []
    for event in events:
        if own := mark_of(event, mark):
            mark = own
            found.append((event, mark))
    return found


def copied(
    events: Sequence[Event], ids: Sequence[str], beside: Callable[[str], set[str]]
) -> tuple[int, list[str]]:
    """How many events at the start of a session are a copy of another one's, and their marks.

    What happened between two messages goes with them, up to the next prompt. A prompt without the
    answer that it has elsewhere is asked again, and no copy. `beside` gives the ids of all sessions
    that have an id.
    """
    messages = marked(events, ids)
    prompts = size = 0
    marks: list[str] = []
    elsewhere = beside(messages[0][1]) if messages else set()
    for event, mark in messages:
        if mark not in elsewhere:
            break
        marks.append(mark)
        prompts += event.kind == "prompt" and not event.program
        size += len(event.text) if event.kind == "answer" else 0
    while marks and messages[len(marks) - 1][0].kind == "prompt":
        marks.pop()
    is_under_way = any(one.startswith(MARK) for one in ids)
    if not (marks and (is_under_way or size >= ENOUGH or (size and prompts > 1))):
        return 0, []
    if len(marks) == len(messages):
        return len(events), marks
    own, _ = messages[len(marks)]
    last, _ = messages[len(marks) - 1]
    place = {id(event): n for n, event in enumerate(events)}
    return place[id(own)] if own.kind == "prompt" else place[id(last)] + 1, marks
