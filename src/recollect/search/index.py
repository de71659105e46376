"""The SQLite index over the sections of a store.

A write is one transaction; a search sees one state. A damaged index is moved aside, rebuilt and
queried again. The file is opened only through SQLite, because closing another handle drops
SQLite's locks.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property

from recollect._gc import without_collecting
from recollect.errors import StorageFailed
from recollect.model.memory import Entry, Filter, is_number
from recollect.ports import Known, Row
from recollect.search import index_open as opening
from recollect.search import index_schema as schema
from recollect.search import lookup
from recollect.search.index_open import whole as _whole
from recollect.search.index_schema import (
    ENTRY_FIELDS,
    clean,
    condition,
    entry_of,
    section_condition,
)
from recollect.search.lookup import sqlite, stems
from recollect.search.rank import Candidate
from recollect.store import disk as fsio

TYPE_CHECKING = False

if TYPE_CHECKING:
    from recollect.search.bm25 import Standing
    from recollect.search.index_read import Sought
    from recollect.search.vectors import Kept, SqliteVectors


MOST_NUMBERS = 30_000  # below the number of variables that SQLite takes in one statement


class SqliteIndex:
    """The index of one store."""

    identity = lookup.IDENTITY

    def __init__(self, folder: str, refill: Callable[[], None] | None = None) -> None:
        """Open the index in this cache folder, or make a new one there.

        `refill` is called when a damaged index was replaced by an empty one.
        """
        self.path = os.path.join(folder, "index.db")
        self.refill = refill
        self._mending = self._anew = False
        self._sought: Sought = {}  # by the last search
        fsio.make_folder(folder)
        self._open()

    def _open(self) -> None:
        self._db = opening.opened(self.path)
        self._inode = opening.inode_of(self.path)

    def close(self) -> None:
        """Let the file go."""
        self._db.close()

    def heal(self) -> None:
        """Move a damaged index aside and start an empty one."""
        self._db.close()
        self._db = opening.replaced(self.path, self._inode)
        self._inode = opening.inode_of(self.path)

    def mend(self, error: sqlite.Error) -> None:
        """Replace and fill the index if it is damaged; any other trouble is raised as ours."""
        if self._mending or not self.refill or not opening.is_damage(error, self.path):
            raise opening.refusal(error, self.path) from error
        self._mending = True
        try:
            self.heal()
            self.refill()
        finally:
            self._mending = False

    # --------------------------------------------------------------------------------- writing

    @_whole
    def known(self) -> dict[str, Known]:
        """Every file that the index has, by path."""
        self._follow()
        if self._anew:
            return {}
        return {row[0]: Known(*row) for row in lookup.files(self._db)}

    def _follow(self) -> None:
        if opening.inode_of(self.path) != self._inode:  # somebody replaced it
            self._db.close()
            self._open()

    def apply(self, rows: Iterable[Row], gone: Iterable[str], checked_ns: int) -> int:
        """Take in what changed, in one transaction; gives the number of memories written."""
        self._follow()
        try:
            with without_collecting(), self.transaction() as db:
                written = self._applied(db, rows, gone, checked_ns)
        except sqlite.Error as error:
            self.mend(error)
        else:
            self._anew = False
            return written
        return sum(self.counts()[name] for name in ("memories", "archived", "conversations"))

    def _applied(
        self, db: sqlite.Connection, rows: Iterable[Row], gone: Iterable[str], checked_ns: int
    ) -> int:
        from recollect.search.index_write import Filing  # what only reads has no need of it

        written = 0
        if self._anew:
            schema.empty(db)
        filing = Filing(db)
        meanings: dict[str, Kept] = {}
        for path in gone:
            filing.forget(path)
        for row in rows:
            path = row.seen.path
            if not filing.is_first and filing.has(path, row.stamp):
                filing.see(row, checked_ns)
            elif row.memory is not None:  # None: it was there, and somebody has begun anew
                if not filing.is_first:
                    meanings[path] = _meanings_of(db, path)
                    filing.take_out(path)
                filing.put_in(row.memory, row.stamp)
                filing.see(row, checked_ns)
                written += 1
        filing.end()
        for path, kept in meanings.items():
            if kept:
                from recollect.search import vectors

                vectors.put_back(db, path, kept)
        return written

    @contextmanager
    def transaction(self) -> Iterator[sqlite.Connection]:
        """The database, to write into it all or nothing."""
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield self._db
            self._db.execute("COMMIT")
        except BaseException:
            with suppress(sqlite.Error):
                self._db.execute("ROLLBACK")
            raise

    @_whole
    def set_meta(self, values: dict[str, str]) -> None:
        """Leave values for readers of the index."""
        with self.transaction() as db:
            db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", list(values.items()))

    @_whole
    def meta(self, key: str) -> str:
        """A value that `set_meta` left, or nothing."""
        return lookup.meta(self._db, key)

    @_whole
    def purge(self) -> None:
        """Take what was removed out of the index's own files too."""
        from recollect.search.index_write import list_words  # what only reads has no need of it

        opening.forget_aside(self.path)
        with self.transaction() as db:
            list_words(db)
        for shelf in lookup.SHELVES:
            self._db.execute(f"INSERT INTO {shelf}_fts({shelf}_fts) VALUES ('optimize')")
        self._db.execute("VACUUM")
        busy = self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        if busy:
            raise StorageFailed(path=self.path, reason="another process has it open with old texts")

    def wipe(self) -> None:
        """Forget everything, so that the next refresh takes in every file again.

        A sound index stays as it is for its readers until then.
        """
        try:
            sound = not list(opening.broken_pages(self._db))
        except sqlite.Error:
            sound = False
        if sound:
            self._anew = True
        else:
            self.heal()

    # --------------------------------------------------------------------------------- reading

    @cached_property
    def vectors(self) -> SqliteVectors:
        """The vectors of the sections."""
        from recollect.search.vectors import SqliteVectors  # few have an embedder

        return SqliteVectors(self)

    @property
    def connection(self) -> sqlite.Connection:
        """The database, to read from it."""
        return self._db

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """All that is asked inside is asked of one state of the index, whoever writes meanwhile.

        An index that is mended inside is another one, and asked as it is from then on.
        """
        db = self._db
        if db.in_transaction:  # the one around it holds
            yield
            return
        db.execute("BEGIN")
        try:
            yield
        finally:
            with suppress(sqlite.Error):  # it was replaced, and this connection closed
                db.execute("COMMIT")

    def version(self) -> tuple[int, ...]:
        """Another one whenever the index may say something else."""
        changed = self._db.execute("PRAGMA data_version").fetchone()[0]
        return self._inode, changed, self._db.total_changes

    @_whole
    def entries(self, only: Filter) -> list[Entry]:
        """The memories that the filter lets through, newest first."""
        where, values = condition(only, "cold" if only.archived else "hot")
        rows = self._db.execute(
            f"SELECT {ENTRY_FIELDS} FROM memory m WHERE {where} ORDER BY created DESC, updated DESC, id",
            values,
        )
        return [entry_of(row) for row in rows]

    @_whole
    def entry(self, memory_id: str) -> Entry | None:
        """The memory with this id; one that is not archived comes first.

        A fact is known by the number that its id begins with, too: d001. Latin letters may be
        large or small.
        """
        asked = (
            f"SELECT {ENTRY_FIELDS} FROM memory WHERE id {{}} AND shelf <> 2 ORDER BY shelf, path"
        )
        row = self._db.execute(asked.format("= ?"), (clean(memory_id),)).fetchone()
        if row is None and is_number(memory_id):
            start = f"{memory_id.lower()}-*"
            row = self._db.execute(asked.format("GLOB ?"), (start,)).fetchone()
        if row is None:  # a file system may take both for one, and so may a person
            like = "= ? COLLATE NOCASE"
            row = self._db.execute(asked.format(like), (clean(memory_id),)).fetchone()
        return entry_of(row) if row else None

    @_whole
    def entries_of_session(self, session: str) -> list[Entry]:
        """The memories that were made of this session."""
        rows = self._db.execute(
            f"SELECT {ENTRY_FIELDS} FROM memory WHERE session = ? AND shelf <> 2 ORDER BY created, id",
            (clean(session),),
        )
        return [entry_of(row) for row in rows]

    @_whole
    def search(self, words: list[str], *, only: Filter, limit: int) -> list[Candidate]:
        """The sections that have some of these words of a cue, best first, with the index's score."""
        if not words:
            return []
        from recollect.search import index_read as searching  # what only saves has no need of it

        with self.snapshot():
            found, self._sought = searching.search(self._db, words, only, limit)
        return found

    @_whole
    def standing(self, shelf: str, sections: Sequence[int]) -> Standing:
        """How the words of the last search stand on a shelf, and what they bring to these sections."""
        from recollect.search import index_read as bm25

        return bm25.standing(self._db, shelf, self._sought.get(shelf, {}), sections)

    @_whole
    def consider(self, words: list[str]) -> tuple[list[Candidate], dict[str, int], int]:
        """What recall judges for these words of a cue: `(candidates, counts, total)`."""
        with self.snapshot():
            return lookup.consider(self._db, stems(words), "")

    @_whole
    def spelled(self, words: list[str]) -> dict[str, list[str]]:
        """Of words that nobody wrote: those that are spelled nearly so, as the index files them."""
        from recollect.search import spelling

        filed = stems(words)
        with self.snapshot():
            near = spelling.neighbours(self._db, lookup.counts_of(self._db, filed), filed, "hot")
        return {word: [term for term, _ in several] for word, several in near.items()}

    @_whole
    def dated(self, period: tuple[int, int], only: Filter) -> list[Candidate]:
        """The first sections of memories made in these days (from 1970), episodes first."""
        from recollect.search import index_read as searching

        return searching.dated(self._db, period, only)

    @_whole
    def beside(self, turns: Sequence[Candidate]) -> list[Candidate]:
        """The turns of the same conversations next to these (one before, two after), unscored."""
        from recollect.search import index_read as searching

        return searching.beside(self._db, turns)

    @_whole
    def sharing(self, tags: Sequence[str], layer: str) -> list[Entry]:
        """The memories of a layer that have two of these tags, as far as their words tell."""
        from recollect.search import index_write as tagging  # only what saves has need of it

        return tagging.sharing(self._db, tags, layer)

    @_whole
    def of_sections(self, numbers: Sequence[int], *, only: Filter, shelf: str) -> list[Candidate]:
        """The sections of a shelf with these numbers that the filter lets through, unscored."""
        wanted = dict.fromkeys(numbers[:MOST_NUMBERS], 0.0)
        return lookup.rows_of(self._db, wanted, "", *section_condition(only, shelf))

    @_whole
    def by_ids(self, ids: list[str]) -> list[Candidate]:
        """The first section of each of these memories."""
        return lookup.heads_of(self._db, [clean(name) for name in ids], "")

    @_whole
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
        from recollect.search import index_check as checking

        try:
            with self.snapshot():
                return list(checking.differences(self._db))
        except sqlite.Error as error:
            return [str(error)]


def _meanings_of(db: sqlite.Connection, path: str) -> Kept:
    """What there is of the sections of a file, by what it was made of; few have an embedder."""
    if db.execute("SELECT 1 FROM vector LIMIT 1").fetchone() is None:
        return {}
    from recollect.search import vectors

    return vectors.kept_of(db, path)


# -------------------- SQLite: an index that is in no file, for what must not get to a disk.


class ScratchIndex(SqliteIndex):
    """An empty index that is gone when it is closed."""

    def __init__(self) -> None:
        """Without a folder and without a refill: there is no file that could be damaged."""
        self.path, self.refill = "", None
        self._mending = self._anew = False
        self._sought = {}
        self._open()

    def _open(self) -> None:
        self._db = sqlite.connect(":memory:", isolation_level=None)
        self._db.execute("PRAGMA temp_store = MEMORY")
        schema.create(self._db)
        self._inode = 0
