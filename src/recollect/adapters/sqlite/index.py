"""SQLite: the index over the sections of a store.

Promises: another identity or any doubt about the file moves it aside and starts a new one; every
write is one immediate transaction; the file is never opened but through SQLite (closing another
handle of it would drop SQLite's locks).
Touches: index.db and its side files in the cache folder.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import suppress

from recollect import fsio
from recollect.adapters.sqlite import filing, lookup, schema
from recollect.domain.model import Entry, Filter
from recollect.domain.rank import Candidate
from recollect.domain.text import cue_words
from recollect.errors import StorageFailed
from recollect.ports import Known, Row

BUSY_SECONDS = 10.0
MOST_ROWS = 40_000


class SqliteIndex:
    """The index of one store."""

    identity = lookup.IDENTITY

    def __init__(self, folder: str) -> None:
        """Open the index in this cache folder, or make a new one there."""
        self.path = os.path.join(folder, "index.db")
        self.was_rebuilt = False
        fsio.make_folder(folder)
        self._db = self._open()

    def _open(self) -> sqlite3.Connection:
        with suppress(sqlite3.Error):
            db = self._connect()
            if _identity_of(db) == lookup.IDENTITY:
                return db
            db.close()
        with fsio.lock(self.path + ".lock"):
            # Another process may have made it while we waited.
            with suppress(sqlite3.Error):
                db = self._connect()
                found = _identity_of(db)
                if found == lookup.IDENTITY:
                    return db
                db.close()
            self._move_aside()
            return self._make()

    def _connect(self) -> sqlite3.Connection:
        if not os.path.exists(self.path):
            raise sqlite3.DatabaseError("there is no index yet")
        db = sqlite3.connect(self.path, timeout=BUSY_SECONDS, isolation_level=None)
        db.execute("PRAGMA trusted_schema = OFF")
        db.execute("PRAGMA synchronous = NORMAL")
        return db

    def _make(self) -> sqlite3.Connection:
        # Made under another name first: a reader never sees an index without its tables.
        self.was_rebuilt = True
        new = f"{self.path}.new"
        for name in (new, f"{new}-wal", f"{new}-shm", f"{new}-journal"):
            fsio.remove(name)
        try:
            os.close(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, fsio.FILE_MODE))
            db = sqlite3.connect(new, timeout=BUSY_SECONDS, isolation_level=None)
            db.execute("PRAGMA journal_mode = WAL")
            schema.create(db)
            db.close()
            fsio.move(new, self.path)
            return self._connect()
        except (sqlite3.Error, OSError) as error:
            raise StorageFailed(path=self.path, reason=str(error)) from error

    def _move_aside(self) -> None:
        if not os.path.lexists(self.path):
            return
        aside = f"{self.path}.broken"
        for name in (aside, *(f"{self.path}{end}" for end in ("-wal", "-shm", "-journal"))):
            fsio.remove(name)
        fsio.move(self.path, aside)

    def close(self) -> None:
        """Let the file go."""
        self._db.close()

    def heal(self) -> None:
        """Move a damaged index aside and start an empty one."""
        self._db.close()
        with fsio.lock(self.path + ".lock"):
            self._move_aside()
            self._db = self._make()

    # --------------------------------------------------------------------------------- writing

    def known(self) -> dict[str, Known]:
        """Every file that the index has, by path."""
        rows = self._db.execute(
            "SELECT path, size, mtime_ns, ctime_ns, inode, stamp, checked_ns FROM file"
        )
        return {row[0]: Known(*row[1:]) for row in rows}

    def apply(self, rows: Iterable[Row], gone: Iterable[str], checked_ns: int) -> int:
        """Take in what changed, in one transaction; gives the number of memories written."""
        written = 0
        cuts: dict[str, list[str]] = {}
        db = self._db
        db.execute("BEGIN IMMEDIATE")
        try:
            for path in gone:
                filing.take_out(db, path, cuts)
                db.execute("DELETE FROM file WHERE path = ?", (path,))
            for row in rows:
                if row.memory is not None:
                    filing.take_out(db, row.seen.path, cuts)
                    filing.put_in(db, row.memory, row.stamp, cuts)
                    written += 1
                if len(cuts) > 50_000:
                    cuts.clear()
                db.execute(
                    "INSERT OR REPLACE INTO file VALUES (?, ?, ?, ?, ?, ?, ?)",
                    (*row.seen, row.stamp, checked_ns),
                )
            filing.count(db)
            db.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                db.execute("ROLLBACK")
            raise
        return written

    def set_meta(self, values: dict[str, str]) -> None:
        """Leave values for readers of the index."""
        self._db.execute("BEGIN IMMEDIATE")
        self._db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", list(values.items()))
        self._db.execute("COMMIT")

    def meta(self, key: str) -> str:
        """A value that `set_meta` left, or nothing."""
        return lookup.meta(self._db, key)

    def purge(self) -> None:
        """Take what was removed out of the index's own files too."""
        for shelf in lookup.SHELVES:
            self._db.execute(f"INSERT INTO {shelf}_fts({shelf}_fts) VALUES ('optimize')")
        self._db.execute("VACUUM")
        self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def wipe(self) -> None:
        """Forget everything, so that the next refresh takes in every file again."""
        self.heal()

    # --------------------------------------------------------------------------------- reading

    def entries(self, only: Filter) -> list[Entry]:
        """The memories that the filter lets through, newest first."""
        where, values = _where(only)
        rows = self._db.execute(
            f"SELECT {filing.ENTRY_FIELDS} FROM memory m WHERE {where} ORDER BY created DESC, updated DESC, id",
            values,
        )
        return [_entry(row) for row in rows]

    def entry(self, memory_id: str) -> Entry | None:
        """The memory with this id; one that is not archived comes first."""
        row = self._db.execute(
            f"SELECT {filing.ENTRY_FIELDS} FROM memory WHERE id = ? AND shelf <> 2 ORDER BY shelf, path",
            (memory_id,),
        ).fetchone()
        return _entry(row) if row else None

    def entries_of_session(self, session: str) -> list[Entry]:
        """The memories that were made of this session."""
        rows = self._db.execute(
            f"SELECT {filing.ENTRY_FIELDS} FROM memory WHERE session = ? AND shelf <> 2 ORDER BY created, id",
            (session,),
        )
        return [_entry(row) for row in rows]

    def search(self, text: str, *, only: Filter, limit: int) -> list[Candidate]:
        """The sections that match, best first, with the index's score."""
        words = cue_words(text)
        if not words:
            return []
        filed = lookup.stems(words)
        shelf = "cold" if only.archived else "hot"
        narrow = _is_narrow(only)
        found = self._found(filed, shelf, MOST_ROWS if narrow else limit, only)[:limit]
        if len(found) < limit and not only.archived:
            found += self._found(filed, "raw", limit, only)[: limit - len(found)]
        return found

    def _found(
        self, filed: dict[str, str], shelf: str, limit: int, only: Filter
    ) -> list[Candidate]:
        counts = lookup.counts_of(self._db, filed, shelf)
        found = lookup.find(
            self._db, counts, limit=limit, most_rows=MOST_ROWS, scope="", shelf=shelf
        )
        return [one for one in found if _passes(self._db, one, only)]

    def word_counts(self, words: list[str]) -> tuple[dict[str, int], int]:
        """How many hot sections have each word, and how many hot sections there are."""
        counts = lookup.counts_of(self._db, lookup.stems(words)) if words else {}
        return counts, lookup.total_sections(self._db)

    def by_ids(self, ids: list[str]) -> list[Candidate]:
        """The first section of each of these memories."""
        return lookup.heads_of(self._db, ids, "")

    def counts(self) -> dict[str, int]:
        """How many files, memories, sections and archived memories the index has."""
        asked = {
            "files": "SELECT count(*) FROM file",
            "memories": "SELECT count(*) FROM memory WHERE shelf = 0",
            "archived": "SELECT count(*) FROM memory WHERE shelf = 1",
            "conversations": "SELECT count(*) FROM memory WHERE shelf = 2",
            "sections": "SELECT count(*) FROM section",
        }
        return {name: self._db.execute(sql).fetchone()[0] for name, sql in asked.items()}

    def differences(self) -> list[str]:
        """What is wrong inside the index: each finding is a sentence; none if all is well."""
        found = []
        for shelf in range(len(lookup.SHELVES)):
            name = lookup.SHELVES[shelf]
            rows = self._db.execute(
                "SELECT count(*) FROM section WHERE shelf = ?", (shelf,)
            ).fetchone()[0]
            filed = self._db.execute(f"SELECT count(*) FROM {name}_fts_docsize").fetchone()[0]
            if rows != filed:
                found.append(f"{name}: {rows} sections, but {filed} in the text index")
        for (row,) in self._db.execute("PRAGMA quick_check"):
            if row != "ok":
                found.append(row)
        return found


def _identity_of(db: sqlite3.Connection) -> str:
    try:
        return lookup.meta(db, "identity")
    except sqlite3.Error:
        db.close()
        raise


def _entry(row: Sequence[object]) -> Entry:
    values = [
        (tuple(str(value).split("\n")) if value else ()) if n in filing.LISTS else value
        for n, value in enumerate(row)
    ]
    values[21] = bool(values[21])
    return Entry(*values)  # type: ignore[arg-type]


def _where(only: Filter) -> tuple[str, list[object]]:
    """The condition on `memory m` for a filter."""
    terms: list[str] = ["m.shelf = ?"]
    values: list[object] = [1 if only.archived else 0]
    for name in ("layer", "category", "session"):
        wanted = getattr(only, name)
        if wanted:
            terms.append(f"m.{name} = ?")
            values.append(wanted)
    if only.kind:
        terms.append(
            "(m.kind = ? OR EXISTS (SELECT 1 FROM section s WHERE s.memory = m.n AND s.kind = ?))"
        )
        values += [only.kind, only.kind]
    for name, wanted in (("tags", t) for t in only.tags):
        terms.append(
            f"instr(char(10) || lower(m.{name}) || char(10), char(10) || ? || char(10)) > 0"
        )
        values.append(wanted.lower())
    if only.concept:
        terms.append(
            "instr(char(10) || lower(m.concepts) || char(10), char(10) || ? || char(10)) > 0"
        )
        values.append(only.concept.lower())
    if only.file:
        terms.append("instr(lower(m.files), ?) > 0")
        values.append(only.file.lower())
    if only.since:
        terms.append("max(m.created, m.updated) >= ?")
        values.append(only.since)
    if only.until:
        terms.append("m.created <= ? AND m.created <> ''")
        values.append(only.until)
    if not only.superseded:
        terms.append("m.status <> 'superseded'")
    return " AND ".join(terms), values


def _is_narrow(only: Filter) -> bool:
    return only != Filter(archived=only.archived, superseded=only.superseded, trust=only.trust)


def _passes(db: sqlite3.Connection, one: Candidate, only: Filter) -> bool:
    if not _is_narrow(only) and only.superseded:
        return True
    where, values = _where(only)
    where = where.replace("m.shelf = ?", "m.shelf IN (?, 2)", 1)
    if only.kind and one.kind != only.kind:
        return False
    return (
        db.execute(
            f"SELECT 1 FROM memory m WHERE m.n = ? AND {where}", (one.memory, *values)
        ).fetchone()
        is not None
    )
