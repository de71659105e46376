"""SQLite: putting memories into the tables and taking them out again.

Promises: what is taken out of the text index is to the letter what was put in, since its tables
keep no content of their own; what the tables say depends on the files that are there, never on
the order in which they came.
Touches: the database it is given, inside the caller's transaction.
"""

from __future__ import annotations

from binascii import crc32
from collections.abc import Iterable, Sequence

from recollect.adapters.sqlite import lookup
from recollect.adapters.sqlite.engine import sqlite
from recollect.adapters.sqlite.rows import ENTRY_FIELDS, clean
from recollect.domain import entries
from recollect.domain.codec.fields import stem_of
from recollect.domain.model import Memory, day_of
from recollect.domain.text import index_words
from recollect.fsio import stamp_of
from recollect.named import NamedTuple

SECTION_FIELDS = "shelf, anchor, heading, text, kind, source, trust, trigger, tokens, confidence"

Cuts = dict[str, str]  # the words of chunks that were cut before
Value = str | int


def _marks(count: int) -> str:
    return ", ".join("?" * count)


_PUT_MEMORY = (
    f"INSERT INTO memory (shelf, day, {ENTRY_FIELDS}, sum) "
    f"VALUES ({_marks(ENTRY_FIELDS.count(',') + 4)})"
)
_PUT_SECTION = (
    f"INSERT INTO section ({SECTION_FIELDS}, memory) "
    f"VALUES ({_marks(SECTION_FIELDS.count(',') + 2)})"
)


class Filed(NamedTuple):
    """A section as it is filed: its number, its shelf, and the texts whose words it has."""

    n: int
    shelf: int
    title: str
    tags: str
    files: str
    concepts: str
    heading: str
    trigger: str
    text: str


def has(db: sqlite.Connection, path: str, stamp: str) -> bool:
    """Whether this text of the file is in the index already: another process was quicker."""
    asked = "SELECT 1 FROM memory WHERE path = ? AND stamp = ?"
    return db.execute(asked, (path, stamp)).fetchone() is not None


def is_empty(db: sqlite.Connection) -> bool:
    """Whether no memory is filed."""
    return db.execute("SELECT 1 FROM memory LIMIT 1").fetchone() is None


def put_in(
    db: sqlite.Connection, memory: Memory, stamp: str, cuts: Cuts, names: set[str] | None = None
) -> None:
    """File a memory with its sections; `cuts` keeps the words of chunks that were cut before.

    `names` are the ids of all memories that are filed, where the caller knows them; it gets one more.
    """
    shelf = lookup.SHELVES.index(_shelf_of(memory))
    entry = [_flat(value) for value in entries.entry_of(memory, stamp)]
    head = (shelf, day_of(memory.created or memory.updated), *entry)
    sections = [(shelf, *_section_row(one)) for one in entries.shelved(memory)]
    kept = db.execute(_PUT_MEMORY, (*head, _sum(head, sections)))
    title, tags, files, concepts = (str(entry[n]) for n in (1, 5, 7, 8))
    for section in sections:
        row = db.execute(_PUT_SECTION, (*section, kept.lastrowid))
        heading, text, trigger = (str(section[n]) for n in (2, 3, 7))
        number = row.lastrowid or 0
        file_words(
            db, Filed(number, shelf, title, tags, files, concepts, heading, trigger, text), cuts
        )
    if names is None or memory.id in names:
        settle_name(db, memory.path, memory.id)
    else:
        _name_conversation(db, memory.path)
    if names is not None:
        names.add(memory.id)


def _section_row(one: entries.Shelved) -> tuple[Value, ...]:
    heading, text, trigger = clean(one.heading), clean(one.text), clean("\n".join(one.trigger))
    said = one.anchor, heading, text, one.kind, one.source, one.trust, trigger, one.tokens
    return (*said, one.confidence)


def _shelf_of(memory: Memory) -> str:
    if entries.is_conversation(memory.path):
        return "raw"
    return "cold" if memory.archived else "hot"


def take_out(db: sqlite.Connection, path: str, cuts: Cuts) -> None:
    """Take the memory of a file out, if there is one."""
    found = db.execute("SELECT n, id FROM memory WHERE path = ?", (path,)).fetchone()
    if found is None:
        return
    for row in filed(db, found[0]):
        file_words(db, row, cuts, command="delete")
    db.execute("DELETE FROM section WHERE memory = ?", (found[0],))
    db.execute("DELETE FROM memory WHERE n = ?", (found[0],))
    settle_name(db, path, found[1].partition("~")[0])


def filed(db: sqlite.Connection, memory: int = 0) -> list[Filed]:
    """The sections of one memory, or of all, as they are filed."""
    rows = db.execute(
        "SELECT s.n, s.shelf, m.title, m.tags, m.files, m.concepts, s.heading, s.trigger, s.text "
        f"FROM section s JOIN memory m ON m.n = s.memory {'WHERE m.n = ?' if memory else ''} "
        "ORDER BY s.n",
        (memory,) if memory else (),
    )
    return [Filed(*row) for row in rows]


def file_words(db: sqlite.Connection, row: Filed, cuts: Cuts, command: str = "") -> None:
    """File a section under its words; with the command `delete`, take it from under them."""
    table = f"{lookup.SHELVES[row.shelf]}_fts"
    first, mark, value = (f"{table}, ", "?, ", (command,)) if command else ("", "", ())
    db.execute(
        f"INSERT INTO {table}({first}rowid, title, tags, trigger, names, body) "
        f"VALUES ({mark}?, ?, ?, ?, ?, ?)",
        (
            *value,
            row.n,
            index_words(f"{row.title} {row.heading}", cuts),
            index_words(row.tags, cuts),
            index_words(row.trigger, cuts),
            index_words(f"{row.files} {row.concepts}", cuts),
            index_words(row.text, cuts),
        ),
    )


def is_as_written(db: sqlite.Connection, memory: int) -> bool:
    """Whether the rows of a memory still have the checksum they were written with."""
    asked = f"SELECT sum, shelf, day, {ENTRY_FIELDS} FROM memory WHERE n = ?"
    kept, *head = db.execute(asked, (memory,)).fetchone()
    sections = f"SELECT {SECTION_FIELDS} FROM section WHERE memory = ? ORDER BY n"
    return bool(kept == _sum(head, db.execute(sections, (memory,))))


def _sum(head: Sequence[Value], sections: Iterable[tuple[Value, ...]]) -> int:
    # Other files have a say in the id: in its end, and wholly in that of a raw conversation.
    shelf, day, name, *rest = head
    own_name = "" if lookup.SHELVES[int(shelf)] == "raw" else str(name).partition("~")[0]
    return crc32(repr([(shelf, day, own_name, *rest), *sections]).encode("utf-8"))


# ------------------------------------------------------------------------------------------ names


def settle_name(db: sqlite.Connection, path: str, name: str) -> None:
    """Give the id `name` to one of the memories that claim it; the others get a mark behind it.

    It goes to what is not archived, then to the file that is called so, then to the first by path.
    """
    rows = db.execute(
        "SELECT n, path, shelf, id FROM memory WHERE (id = ?1 OR (id > ?2 AND id < ?3)) "
        "AND shelf <> 2",
        (name, f"{name}~", f"{name}~g"),
    ).fetchall()
    rows.sort(key=lambda row: (row[2], stem_of(row[1]) != name, row[1]))
    for rank, (n, own_path, _, now) in enumerate(rows):
        wanted = f"{name}~{stamp_of(own_path.encode())[:6]}" if rank else name
        if wanted != now:
            db.execute("UPDATE memory SET id = ? WHERE n = ?", (wanted, n))
            _name_conversation(db, own_path)
    _name_conversation(db, path)


def _name_conversation(db: sqlite.Connection, path: str) -> None:
    """Let the raw conversation beside a memory be found under the memory's id."""
    folder, _, name = path.rpartition("/")
    if name in ("summary.md", "conversation.md"):
        db.execute(
            "UPDATE memory SET id = coalesce((SELECT id FROM memory WHERE path = ?2), ?3) "
            "WHERE path = ?1",
            (f"{folder}/conversation.md", f"{folder}/summary.md", folder.rpartition("/")[2]),
        )


# ----------------------------------------------------------------------------------------- counts


def count(db: sqlite.Connection) -> None:
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


def _flat(value: object) -> Value:
    if isinstance(value, str):
        return value if value.isascii() else clean(value)
    if isinstance(value, tuple):
        return clean("\n".join(value)) if value else ""
    return int(value) if isinstance(value, int) else clean(str(value))
