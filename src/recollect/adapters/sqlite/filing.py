"""SQLite: putting memories into the tables and taking them out again.

Promises: what `take_out` tells the text index is to the letter what `put_in` told it, since its
tables keep no content of their own.
Touches: the database it is given, inside the caller's transaction.
"""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from recollect.adapters.sqlite import lookup
from recollect.domain import entries
from recollect.domain.model import Memory
from recollect.domain.text import index_words
from recollect.fsio import stamp_of

ENTRY_FIELDS = (
    "id, title, layer, kind, category, tags, trigger, files, concepts, salience, confidence, "
    "source, trust, status, related, session, project, created, updated, accessed, decay_after, "
    "private, path, tokens, summary, stamp, problem"
)
LISTS = (5, 6, 7, 8, 14)  # the fields among them that are lists: a line for each item

Cuts = dict[str, list[str]]


class _Head(NamedTuple):
    """What every section of a memory is filed under."""

    title: str
    tags: str
    files: str
    concepts: str


def put_in(db: sqlite3.Connection, memory: Memory, stamp: str, cuts: Cuts) -> None:
    """File a memory with its sections; `cuts` keeps the words of chunks that were cut before."""
    sections = entries.shelved(memory)
    shelf = lookup.SHELVES.index(sections[0].shelf) if sections else 0
    entry = entries.entry_of(memory, stamp)._replace(id=_free_id(db, memory))
    values = [_flat(value) for value in entry]
    marks = ", ".join("?" * (len(values) + 2))
    kept = db.execute(
        f"INSERT INTO memory ({ENTRY_FIELDS}, shelf, day) VALUES ({marks})",
        (*values, shelf, entries.day_of(memory.created or memory.updated)),
    )
    head = _Head(
        *map(
            str, (_flat(entry.title), _flat(entry.tags), _flat(entry.files), _flat(entry.concepts))
        )
    )
    for one in sections:
        text, heading, trigger = clean(one.text), clean(one.heading), clean("\n".join(one.trigger))
        row = db.execute(
            "INSERT INTO section "
            "(memory, shelf, anchor, heading, text, kind, source, trust, trigger, tokens) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                kept.lastrowid,
                shelf,
                one.anchor,
                heading,
                text,
                one.kind,
                one.source,
                one.trust,
                trigger,
                one.tokens,
            ),
        )
        db.execute(
            f"INSERT INTO {one.shelf}_fts(rowid, title, tags, trigger, names, body) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            (row.lastrowid, *_filed(head, heading, trigger, text, cuts)),
        )


def take_out(db: sqlite3.Connection, path: str, cuts: Cuts) -> None:
    """Take the memory of a file out, if there is one."""
    row = db.execute(
        "SELECT n, shelf, title, tags, files, concepts FROM memory WHERE path = ?", (path,)
    ).fetchone()
    if row is None:
        return
    memory, shelf, head = row[0], lookup.SHELVES[row[1]], _Head(*row[2:])
    sections = db.execute(
        "SELECT n, heading, trigger, text FROM section WHERE memory = ?", (memory,)
    ).fetchall()
    for n, heading, trigger, text in sections:
        db.execute(
            f"INSERT INTO {shelf}_fts({shelf}_fts, rowid, title, tags, trigger, names, body) "
            "VALUES ('delete', ?, ?, ?, ?, ?, ?)",
            (n, *_filed(head, heading, trigger, text, cuts)),
        )
    db.execute("DELETE FROM section WHERE memory = ?", (memory,))
    db.execute("DELETE FROM memory WHERE n = ?", (memory,))


def count(db: sqlite3.Connection) -> None:
    """Note how many sections there are, and now and then which words many of them have."""
    total = db.execute("SELECT count(*) FROM section WHERE shelf = 0").fetchone()[0]
    before = int(lookup.meta(db, "counted") or 0)
    db.execute("INSERT OR REPLACE INTO meta VALUES ('sections', ?)", (str(total),))
    if total < lookup.COMMON_FROM or abs(total - before) * 8 < total:
        return
    db.execute("DELETE FROM common")
    for shelf in lookup.SHELVES:
        db.execute(
            f"INSERT INTO common SELECT ?, term, doc FROM {shelf}_words WHERE doc >= ?",
            (shelf, lookup.COMMON_FROM),
        )
    db.execute("INSERT OR REPLACE INTO meta VALUES ('counted', ?)", (str(total),))


def _free_id(db: sqlite3.Connection, memory: Memory) -> str:
    """The memory's id; a second file with the same one is told apart by its path."""
    taken = db.execute(
        "SELECT path FROM memory WHERE id = ? AND shelf <> 2 AND path <> ?",
        (memory.id, memory.path),
    ).fetchone()
    if taken is None or entries.is_conversation(memory.path):
        return memory.id
    return f"{memory.id}~{stamp_of(memory.path.encode('utf-8', 'replace'))[:6]}"


def _filed(head: _Head, heading: str, trigger: str, text: str, cuts: Cuts) -> tuple[str, ...]:
    return (
        index_words(f"{head.title} {heading}", cuts),
        index_words(head.tags, cuts),
        index_words(trigger, cuts),
        index_words(f"{head.files} {head.concepts}", cuts),
        index_words(text, cuts),
    )


def clean(text: str) -> str:
    """`text` as SQLite takes it: without lone surrogates."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _flat(value: object) -> str | int:
    if isinstance(value, tuple):
        return clean("\n".join(value))
    return int(value) if isinstance(value, int) else clean(str(value))
