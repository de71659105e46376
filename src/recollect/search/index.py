"""The SQLite index over the sections of a store.

A write is one transaction; a search sees one state. A damaged index is moved aside, rebuilt and
queried again. Modules that only some commands need are imported where they are used.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property

from recollect._gc import without_collecting
from recollect.errors import StorageFailed
from recollect.model.memory import (
    TICK_NS,
    Entry,
    FileStat,
    Filter,
    IndexUnit,
    Problem,
    is_number,
)
from recollect.ports import IndexedFile, IndexRow, LastLook
from recollect.search import index_file, index_read, lookup
from recollect.search.index_file import with_repair
from recollect.search.index_read import ENTRY_FIELDS, clean, condition, entry_of, section_condition
from recollect.search.lookup import sqlite
from recollect.search.rank import Candidate
from recollect.store import disk

TYPE_CHECKING = False

if TYPE_CHECKING:
    from recollect.search.vectors import SqliteVectors, StoredVector


LOOKED = "looked"  # the time of the last look at every file
MOST_NAMED = 20
MOST_NUMBERS = 30_000  # below the number of variables that SQLite takes in one statement


class SqliteIndex:
    """The index of one store."""

    identity = lookup.IDENTITY

    def __init__(self, folder: str, refill: Callable[[], None] | None = None) -> None:
        """Open the index in this cache folder, or create one there.

        `refill` is called after a damaged index was replaced by an empty one.
        """
        self.path = os.path.join(folder, "index.db")
        self.refill = refill
        self._is_repairing = self._is_wiped = False
        disk.make_folder(folder)
        self._open()

    def _open(self) -> None:
        self._db = index_file.open_index(self.path)
        self._inode = index_file.inode_of(self.path)

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def repair(self, error: sqlite.Error) -> None:
        """Replace and refill the index if it is damaged; else raise our error."""
        if self._is_repairing or not self.refill or not index_file.is_damage(error, self.path):
            raise index_file.our_error(error, self.path) from error
        self._is_repairing = True
        try:
            self._replace()
            self.refill()
        finally:
            self._is_repairing = False

    def _replace(self) -> None:
        """Move the damaged file aside and start an empty index."""
        self._db.close()
        self._db = index_file.replace_index(self.path, self._inode)
        self._inode = index_file.inode_of(self.path)

    # --------------------------------------------------------------------------------- writing

    @with_repair
    def known(self, paths: Sequence[str] | None = None) -> dict[str, IndexedFile]:
        """Every file in the index, or those of these paths, by path."""
        self._follow()
        if self._is_wiped:
            return {}
        rows = (
            lookup.files(self._db)
            if paths is None
            else lookup.files(self._db, f"path IN ({','.join('?' * len(paths))})", (*paths,))
        )
        return {row[0]: IndexedFile(*row[:-1], bool(row[-1])) for row in rows}

    @with_repair
    def known_in(self, folders: Iterable[str]) -> dict[str, IndexedFile]:
        """The files in the index that lie right in one of these folders, by path."""
        found = {}
        for folder in folders:
            start = f"{folder}/" if folder else ""
            where = "path >= ? AND path < ? AND instr(substr(path, ?), '/') = 0"
            values = (start, f"{start}{chr(0x10FFFF)}", len(start) + 1)
            for row in lookup.files(self._db, where, values):
                found[row[0]] = IndexedFile(*row[:-1], bool(row[-1]))
        return found

    @with_repair
    def last_look(self, *, sessions: bool = True) -> LastLook:
        """The last look at every file, as far as it is known; without the folders of `sessions`."""
        self._follow()
        if self._is_wiped:
            return LastLook(0, {})
        columns = "path, size, mtime_ns, ctime_ns, inode, '', checked_ns"
        where = "1" if sessions else "is_session = 0"
        rows = self._db.execute(f"SELECT {columns} FROM folder WHERE {where}").fetchall()
        taken = lookup.meta(self._db, LOOKED)
        folders = {row[0]: IndexedFile(*row) for row in rows}
        return LastLook(int(taken) if taken.isdecimal() else 0, folders)

    def note_look(
        self,
        folders: Iterable[FileStat],
        sessions: Container[str],
        checked_ns: int,
        gone: Iterable[str] | None = None,
    ) -> None:
        """Note how these folders looked before their files were taken in; `gone` are not there.

        Without `gone`, these are all, and every file was looked at. Where that cannot be written,
        or somebody else writes, the next search looks again.
        """
        # A session that was purged meanwhile has no file any more; its folder has its name.
        put = (
            "INSERT OR REPLACE INTO folder SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7 "
            "WHERE NOT ?7 OR EXISTS (SELECT 1 FROM file WHERE path = ?1 || '/summary.md')"
        )
        rows = [(*one, checked_ns, one.path in sessions) for one in folders]
        with suppress(sqlite.Error), self._at_once() as db:
            if gone is None:
                db.execute("DELETE FROM folder")
                db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (LOOKED, str(checked_ns)))
            db.executemany("DELETE FROM folder WHERE path = ?", [(path,) for path in gone or ()])
            db.executemany(put, rows)

    def _follow(self) -> None:
        if index_file.inode_of(self.path) != self._inode:  # another process replaced it
            self._db.close()
            self._open()

    def apply(self, rows: Iterable[IndexRow], gone: Iterable[str], checked_ns: int) -> int:
        """Insert what changed, in one transaction; gives the number of memories written."""
        self._follow()
        try:
            with without_collecting(), self.transaction() as db:
                written = self._applied(db, rows, gone, checked_ns)
        except sqlite.Error as error:
            self.repair(error)
        else:
            self._is_wiped = False
            return written
        return sum(self.counts()[name] for name in ("memories", "archived", "conversations"))

    def _applied(
        self, db: sqlite.Connection, rows: Iterable[IndexRow], gone: Iterable[str], checked_ns: int
    ) -> int:
        from recollect.search.index_write import SectionWriter

        written = 0
        if self._is_wiped:
            index_file.delete_rows(db)
        filing = SectionWriter(db)
        vectors: dict[str, dict[bytes, StoredVector]] = {}
        for path in gone:
            filing.forget(path)
        for row in rows:
            path = row.seen.path
            if not filing.is_first and filing.has(row):
                filing.see(row, checked_ns)
            elif row.memory is not None:  # None: it was there, and the index has been wiped since
                if not filing.is_first:
                    vectors[path] = _vectors_of(db, path)
                    filing.take_out(path)
                filing.put_in(row.memory, row.stamp)
                filing.see(row, checked_ns)
                written += 1
        filing.end()
        for path, stored in vectors.items():
            if stored:
                from recollect.search.vectors import restore

                restore(db, path, stored)
        return written

    @contextmanager
    def transaction(self) -> Iterator[sqlite.Connection]:
        """The database, to write all or nothing."""
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield self._db
            self._db.execute("COMMIT")
        except BaseException:
            with suppress(sqlite.Error):
                self._db.execute("ROLLBACK")
            raise

    @with_repair
    def set_meta(self, values: dict[str, str]) -> None:
        """Store values for readers of the index."""
        with self.transaction() as db:
            db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", list(values.items()))

    @with_repair
    def meta(self, key: str) -> str:
        """A value that `set_meta` stored, or nothing."""
        return lookup.meta(self._db, key)

    @with_repair
    def purge(self) -> None:
        """Remove deleted text from the index's own files, too."""
        from recollect.search.index_write import list_words

        index_file.remove_set_aside(self.path)
        with self.transaction() as db:
            list_words(db)
            db.execute("DELETE FROM folder")  # a session's folder has its name
            db.execute("DELETE FROM meta WHERE key = ?", (LOOKED,))
        for shelf in lookup.SHELVES:
            self._db.execute(f"INSERT INTO {shelf}_fts({shelf}_fts) VALUES ('optimize')")
        self._db.execute("VACUUM")
        busy = self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        if busy:
            raise StorageFailed(path=self.path, reason="another process has it open with old texts")

    def wipe(self) -> None:
        """Forget everything, so that the next refresh inserts every file again.

        Readers keep a sound index until then.
        """
        try:
            self._is_wiped = not list(index_file.broken_pages(self._db))
        except sqlite.Error as error:  # of one that is merely busy nothing is known to be wrong
            self._is_wiped = not index_file.is_damage(error, self.path)
        if not self._is_wiped:
            self._replace()

    def note_own(self, looks: Iterable[tuple[FileStat | None, FileStat | None]]) -> None:
        """Note how folders look after we wrote there, if it is noted how they looked before.

        None stands for a folder that was not there. What we wrote must be in the index.
        """
        with suppress(sqlite.Error):
            if self._db.execute("SELECT 1 FROM folder LIMIT 1").fetchone() is None:
                return  # nothing is noted
        with suppress(sqlite.Error), self._at_once() as db:
            for before, after in looks:
                if before:
                    same = "(path, size, mtime_ns, ctime_ns, inode) = (?, ?, ?, ?, ?)"
                    gone = f"DELETE FROM folder WHERE {same} AND checked_ns > ?"
                    if not db.execute(gone, (*before, max(before[2:4]) + TICK_NS)).rowcount:
                        continue
                if after:
                    # A new folder without a file in the index was purged meanwhile.
                    put = (
                        "INSERT OR IGNORE INTO folder SELECT ?1, ?2, ?3, ?4, ?5, ?6, 0 WHERE ?7 OR "
                        "EXISTS (SELECT 1 FROM file WHERE path > ?1 || '/' AND path < ?1 || '0')"
                    )
                    looked_ns = max(after[2:4]) + TICK_NS + 1  # long after: the change was ours
                    db.execute(put, (*after, looked_ns, before is not None))

    @contextmanager
    def _at_once(self) -> Iterator[sqlite.Connection]:
        """The database, to write all or nothing; an error if somebody else is writing."""
        self._db.execute("PRAGMA busy_timeout = 0")
        try:
            with self.transaction() as db:
                yield db
        finally:
            self._db.execute(f"PRAGMA busy_timeout = {index_file.BUSY_SECONDS * 1000:.0f}")

    # --------------------------------------------------------------------------------- reading

    @cached_property
    def vectors(self) -> SqliteVectors:
        """The vectors of the sections."""
        from recollect.search.vectors import SqliteVectors

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

    @with_repair
    def entries(self, only: Filter) -> list[Entry]:
        """The memories that the filter lets through, newest first."""
        where, values = condition(only, "cold" if only.archived else "hot")
        rows = self._db.execute(
            f"SELECT {ENTRY_FIELDS} FROM memory m WHERE {where} ORDER BY created DESC, updated DESC, id",
            values,
        )
        return [entry_of(row) for row in rows]

    @with_repair
    def torn(self) -> list[Problem]:
        """The memories that were read only in part, each with why; archived ones last."""
        rows = self._db.execute(
            "SELECT path, problem FROM memory WHERE problem <> '' AND shelf <> 2 "
            "ORDER BY shelf, created DESC, updated DESC, id"
        )
        return [Problem(*row) for row in rows]

    @with_repair
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

    @with_repair
    def listed(self, only: Filter) -> list[tuple[Entry, IndexUnit]]:
        """The entries that the filter lets through, each with its page, newest first."""
        return index_read.listed(self._db, only)

    @with_repair
    def named(self, start: str) -> list[tuple[str, str]]:
        """The names and texts of the entries whose id begins so, or whose page's id does.

        A name is `page`, `page#section` or `page#^id`.
        """
        start = clean(start)
        span = start, f"{start}{chr(0x10FFFF)}"
        own = self._db.execute(
            "SELECT m.id, s.anchor, s.entry, CASE WHEN s.anchor GLOB '^*' THEN s.text ELSE s.heading END "
            "FROM section s JOIN memory m ON m.n = s.memory "
            "WHERE s.entry >= ? AND s.entry < ? AND s.entry <> '' AND m.shelf <> 2 "
            "ORDER BY m.shelf, s.n LIMIT ?",
            (*span, MOST_NAMED),
        ).fetchall()
        pages = self._db.execute(
            "SELECT id, '', entry, title FROM memory WHERE shelf <> 2 AND (entry >= ? AND entry < ? "
            "OR id >= ? AND id < ?) ORDER BY shelf, id LIMIT ?",
            (*span, *span, MOST_NAMED),
        ).fetchall()
        every = [*own, *pages]
        found = [row for row in every if row[2] == start] or every
        return [(f"{page}#{anchor}" if anchor else page, text) for page, anchor, _, text in found]

    @with_repair
    def entries_of_session(self, session: str) -> list[Entry]:
        """The memories that were made of this session."""
        rows = self._db.execute(
            f"SELECT {ENTRY_FIELDS} FROM memory WHERE session = ? AND shelf <> 2 ORDER BY created, id",
            (clean(session),),
        )
        return [entry_of(row) for row in rows]

    def private_paths(self) -> list[str]:
        """Where the private memories lie; nothing where the index is damaged, which others mend."""
        asked = "SELECT path FROM memory WHERE private = 1 AND shelf <> 2 ORDER BY path"
        with suppress(sqlite.Error):
            return [path for (path,) in self._db.execute(asked)]
        return []

    @with_repair
    def search(self, words: list[str], *, only: Filter, limit: int) -> list[Candidate]:
        """The sections that have some of these words of a cue, best first, with FTS5's score."""
        if not words:
            return []
        with self.snapshot():
            return index_read.search(self._db, words, only, limit)

    @with_repair
    def word_counts(self, words: list[str], shelf: str) -> tuple[dict[str, int], int]:
        """How many sections of a shelf have each word, and how many there are."""
        with self.snapshot():
            sections = index_read.size_of(self._db, shelf).sections
            return lookup.counts_of(self._db, words, shelf), sections

    @with_repair
    def recall_candidates(self, words: list[str]) -> tuple[list[Candidate], dict[str, int], int]:
        """What recall judges for these words of a cue: `(candidates, counts, total)`."""
        with self.snapshot():
            return lookup.recall_candidates(self._db, words, "")

    @with_repair
    def spelled(self, words: list[str]) -> dict[str, list[str]]:
        """For words that no memory has: the terms of the index that resemble them."""
        from recollect.search import spelling

        with self.snapshot():
            near = spelling.neighbours(self._db, lookup.counts_of(self._db, words), "hot")
        return {word: [term for term, _ in terms] for word, terms in near.items()}

    @with_repair
    def dated(self, period: tuple[int, int], only: Filter) -> list[Candidate]:
        """The first sections of memories made in these days (from 1970), episodes first."""
        where, values = condition(only, "cold" if only.archived else "hot", by_entry=True)
        return lookup.dated(self._db, period, "", where, values)

    @with_repair
    def beside(self, turns: Sequence[Candidate]) -> list[Candidate]:
        """The turns of the same conversations next to these (one before, two after), unscored."""
        have = {one.n for one in turns}
        near = {(one.n + by, one.memory) for one in turns for by in (-1, 1, 2)}
        wanted = dict.fromkeys(sorted({n for n, _ in near} - have), 0.0)
        return [one for one in lookup.rows_of(self._db, wanted) if (one.n, one.memory) in near]

    @with_repair
    def sharing(self, tags: Sequence[str], layer: str) -> list[Entry]:
        """The memories of a layer that have two of these tags, as far as their words tell."""
        from recollect.search.index_write import sharing

        return sharing(self._db, tags, layer)

    @with_repair
    def of_sections(self, numbers: Sequence[int], *, only: Filter, shelf: str) -> list[Candidate]:
        """The sections of a shelf with these numbers that the filter lets through, unscored."""
        wanted = dict.fromkeys(numbers[:MOST_NUMBERS], 0.0)
        return lookup.rows_of(self._db, wanted, "", *section_condition(only, shelf))

    @with_repair
    def by_ids(self, ids: list[str]) -> list[Candidate]:
        """The first section of each of these memories."""
        return lookup.heads_of(self._db, [clean(name) for name in ids], "")

    @with_repair
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

    def differences(self, progress: Callable[[int, int], object] | None = None) -> list[str]:
        """The findings of a full check, a sentence each."""
        from recollect.search.index_write import differences

        try:
            with self.snapshot():
                return list(differences(self._db, progress))
        except sqlite.Error as error:
            return [str(error)]


def _vectors_of(db: sqlite.Connection, path: str) -> dict[bytes, StoredVector]:
    """The vectors of the sections of a file, by the hash of what they were computed from."""
    if db.execute("SELECT 1 FROM vector LIMIT 1").fetchone() is None:
        return {}
    from recollect.search.vectors import stored_of

    return stored_of(db, path)


class ScratchIndex(SqliteIndex):
    """An empty index in memory, for what must not get to a disk."""

    def __init__(self) -> None:
        """Without a folder and without a refill: there is no file that could be damaged."""
        self.path, self.refill = "", None
        self._is_repairing = self._is_wiped = False
        self._open()

    def _open(self) -> None:
        self._db = sqlite.connect(":memory:", isolation_level=None)
        self._db.execute("PRAGMA temp_store = MEMORY")
        index_file.add_functions(self._db)
        index_file.create_tables(self._db)
        self._inode = 0
