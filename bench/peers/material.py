"""The notes and the cues that everybody gets: those of the coding benchmark, and filler.

Promises: the same numbers give the same notes and cues; a note that answers a cue is always there.
Touches: the folder it is given.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple

from bench import corpus
from bench.coding.data import EVERYWHERE, Cue, World
from bench.coding.systems import page_of

UNASKABLE = ("when",)  # a process cannot be told that it is the day of the benchmark
GOLDEN = (math.sqrt(5) - 1) / 2  # its multiples lie evenly, however many of them are taken
FIRST_DAY, DAYS = date(2026, 1, 1), 300  # of the filler


class Note(NamedTuple):
    """A Markdown file: its name without `.md` is what a cue wants."""

    path: str
    text: str
    on: date


def cues(world: World, count: int) -> list[Cue]:
    """So many cues that have an answer; each class has its share of them, and of the first few."""
    asked = sorted(
        (cue for cue in world.cues if cue.want and cue.of not in UNASKABLE),
        key=lambda cue: (cue.of, cue.name),
    )
    count = min(count, len(asked))
    picked = [asked[n * len(asked) // count] for n in range(count)]
    places = sorted(range(count), key=lambda n: n * GOLDEN % 1)
    return [picked[n] for n in places]


def notes(world: World, asked: Sequence[Cue], count: int) -> list[Note]:
    """So many notes: first what the cues are about, then the other memories, then filler."""
    named = {one for cue in asked for one in (*cue.want, *cue.also, *cue.under)}
    if count < len(named):
        raise SystemExit(f"{len(asked)} cues are about {len(named)} notes: too few with {count}")
    known = sorted(world.memories.values(), key=lambda one: one.id not in named)[:count]
    own = [Note(f"{one.project or EVERYWHERE}/{one.id}.md", page_of(one), one.on) for one in known]
    return own + list(_filler(count - len(own)))


def _filler(count: int) -> Iterator[Note]:
    for n, (_, title, text) in enumerate(corpus.notes(count)):
        body = text.rsplit("---\n", 1)[1]
        day = FIRST_DAY + timedelta(days=n % DAYS)
        yield Note(f"filler/filler-{n}.md", f"# {title}\n\n{body}\ndate: {day.isoformat()}\n", day)


def write(folder: str, several: Sequence[Note]) -> None:
    """Put the notes below a folder, each as old as it says."""
    for one in several:
        path = os.path.join(folder, one.path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(one.text)
        when = datetime.combine(one.on, time(10), UTC).timestamp()
        os.utime(path, (when, when))
