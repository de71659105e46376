"""Insert memories into the index, delete them, and check what was inserted.

Deletions repeat the exact words that were inserted, because the text tables keep no content. The
result depends on the files, not on their order.
"""

from __future__ import annotations

from binascii import crc32
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations, zip_longest

from recollect._fastimport import NamedTuple
from recollect.model import entries
from recollect.model.document import stem_of
from recollect.model.footnotes import id_letters
from recollect.model.layers import SHARED_PATHS
from recollect.model.memory import Entry, IndexUnit, Memory, day_of
from recollect.model.page_form import LIST_HEADINGS
from recollect.model.tags import with_forms
from recollect.ports import IndexRow
from recollect.search import index_file, lookup
from recollect.search.index_read import ENTRY_FIELDS, PAGE_FIELDS, clean, entry_of
from recollect.search.lookup import match, sqlite
from recollect.store.disk import stamp_of
from recollect.text.tokens import chunk_terms, folded, plain_words

SECTION_FIELDS = (
    "shelf, anchor, heading, text, kind, source, trust, trigger, tokens, confidence, "
    "entry, created, session, status, within, day"
)
MOST_CACHED = 50_000  # chunks
LONGEST_CACHED = 32  # characters; a longer chunk hardly comes twice
BATCH = 500  # memories whose rows go into the tables together

Value = str | int


class Terms(dict[str, str]):
    """The stemmed words of each chunk of text, computed when it is first asked for."""

    def __missing__(self, chunk: str) -> str:
        """Split a chunk, and cache the result if the chunk is likely to come again."""
        terms = chunk_terms(chunk)
        if len(chunk) <= LONGEST_CACHED:
            if len(self) >= MOST_CACHED:
                self.clear()
            self[chunk] = terms
        return terms


TERMS = Terms()  # of this process: what is filed next has mostly the same chunks


def _put(table: str, fields: str) -> str:
    return f"INSERT INTO {table}({fields}) VALUES ({', '.join('?' * (fields.count(',') + 1))})"


_PUT_FILE = (
    "INSERT OR REPLACE INTO file VALUES (?, ?, ?, ?, ?, ?, ?, "
    "coalesce(?, (SELECT is_doubted FROM file WHERE path = ?), 0))"
)
_PUT_MEMORY = _put("memory", f"n, shelf, day, {ENTRY_FIELDS}, sum, entry")
_PUT_SECTION = _put("section", f"n, {SECTION_FIELDS}, memory")
_WORDS = "rowid, title, tags, trigger, names, body"
_PUT_WORDS = tuple(_put(f"{shelf}_fts", _WORDS) for shelf in lookup.SHELVES)
_DROP_WORDS = tuple(_put(f"{shelf}_fts", f"{shelf}_fts, {_WORDS}") for shelf in lookup.SHELVES)


class IndexedSection(NamedTuple):
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
    path: str
    page_trigger: str


class SectionWriter:
    """Adds memories to the index and removes them, within one transaction; `end` completes it."""

    def __init__(self, db: sqlite.Connection) -> None:
        """`db` is in a transaction of the caller's."""
        self._db = db
        self._memory, self._section = (
            db.execute(f"SELECT coalesce(max(n), 0) FROM {table}").fetchone()[0]
            for table in ("memory", "section")
        )
        self.is_first = not self._memory  # nothing that comes can be there already
        self._more = 0  # how many sections more (or fewer) recall looks through
        self._begin()

    def _begin(self) -> None:
        self._memories: list[tuple[Value, ...]] = []
        self._sections: list[tuple[Value, ...]] = []
        self._words: list[list[tuple[Value, ...]]] = [[] for _ in lookup.SHELVES]
        self._files: list[tuple[Value | None, ...]] = []
        self._names: list[tuple[str, str]] = []

    def see(self, row: IndexRow, checked_ns: int) -> None:
        """Note how the file of a row looked; without a memory its origin stays as it was."""
        own = None if row.memory is None else row.is_doubted
        self._files.append((*row.seen, row.stamp, checked_ns, own, row.seen.path))
        if len(self._files) >= BATCH:
            self._flush()

    def has(self, row: IndexRow) -> bool:
        """Whether a row is in the index already, with the same origin: another process was quicker."""
        asked = "SELECT is_doubted FROM memory JOIN file USING (path) WHERE path = ? AND memory.stamp = ?"
        found = self._db.execute(asked, (row.seen.path, row.stamp)).fetchone()
        return found is not None and (row.memory is None or found[0] == row.is_doubted)

    def put_in(self, memory: Memory, stamp: str) -> None:
        """File a memory with its sections."""
        shelf = lookup.SHELVES.index(_shelf_of(memory))
        entry = [
            value if type(value) is str and value.isascii() else _flat(value)
            for value in entries.entry_of(memory, stamp)
        ]
        day = day_of(memory.created or memory.updated)
        head = (shelf, day, *entry)
        sections = [(shelf, *_section_row(one, day)) for one in entries.index_units(memory)]
        self._memory += 1
        own = id_letters(memory.id)
        self._memories.append((self._memory, *head, _sum(head, sections), own))
        title, tags, files, concepts = (str(entry[n]) for n in (1, 5, 7, 8))
        for section in sections:
            self._section += 1
            self._sections.append((self._section, *section, self._memory))
            heading, text, trigger = (str(section[n]) for n in (2, 3, 7))
            of_memory, own_words = (title, tags, files, concepts), (heading, trigger, text)
            row = IndexedSection(
                self._section, shelf, *of_memory, *own_words, memory.path, str(entry[6])
            )
            self._words[shelf].append(_words_of(row))
        self._names.append((memory.path, memory.id))
        self._more += len(sections) if shelf == 0 else 0

    def take_out(self, path: str) -> None:
        """Take the memory of a file out, if there is one."""
        db = self._db
        found = db.execute("SELECT n, id, shelf FROM memory WHERE path = ?", (path,)).fetchone()
        if found is None:
            return
        number, name, shelf = found
        rows = filed(db, number)
        for row in rows:
            db.execute(_DROP_WORDS[row.shelf], ("delete", *_words_of(row)))
        db.execute("DELETE FROM section WHERE memory = ?", (number,))
        db.execute("DELETE FROM memory WHERE n = ?", (number,))
        self._more -= len(rows) if shelf == 0 else 0
        _settle(db, name.partition("~")[0])
        _name_conversation(db, path)

    def forget(self, path: str) -> None:
        """Take out a memory whose file is gone."""
        self.take_out(path)
        self._db.execute("DELETE FROM file WHERE path = ?", (path,))

    def _flush(self) -> None:
        db = self._db
        db.executemany(_PUT_MEMORY, self._memories)
        db.executemany(_PUT_SECTION, self._sections)
        for shelf, put, rows in zip(lookup.SHELVES, _PUT_WORDS, self._words, strict=True):
            db.executemany(put, rows)
            if rows and not self.is_first:  # all words of a new index are listed at its end
                _list_more(db, shelf, rows)
        db.executemany(_PUT_FILE, self._files)
        for path, name in self._names:
            if not self.is_first:
                _settle(db, name)
            _name_conversation(db, path)
        self._begin()

    def end(self) -> None:
        """Put in what is still to be put in, and note how much there is."""
        self._flush()
        if self.is_first:
            twice = "SELECT id FROM memory WHERE shelf <> 2 GROUP BY id HAVING count(*) > 1"
            for (name,) in self._db.execute(twice).fetchall():
                _settle(self._db, name)
            # Every prompt looks through all parts of an index: of one it has the answer sooner.
            for shelf in lookup.SHELVES:
                self._db.execute(f"INSERT INTO {shelf}_fts({shelf}_fts) VALUES ('optimize')")
        _count(self._db, self._more, is_first=self.is_first)


def _list_more(db: sqlite.Connection, shelf: str, rows: Sequence[tuple[Value, ...]]) -> None:
    """Add the words of these sections to the list."""
    terms = {term for row in rows for field in row[1:] for term in str(field).split()}
    put = "INSERT OR IGNORE INTO listed VALUES (?, ?, 0)"
    db.executemany(put, [(shelf, term) for term in terms])


def _section_row(one: IndexUnit, day: int) -> tuple[Value, ...]:
    # "Database – Noted" is called by its page alone.
    heading = "" if one.entry and one.heading.strip() in LIST_HEADINGS else clean(one.heading)
    text, trigger = clean(one.text), clean("\n".join(one.trigger))
    said = one.anchor, heading, text, one.kind, one.source, one.trust, trigger, one.tokens
    about = one.confidence, one.entry, one.created, clean(one.session), one.status, one.within
    # Turns are of the day of their session; a part of a page is of the page's.
    day = 0 if one.shelf == "raw" else day_of(one.created) if one.entry else day
    return (*said, *about, day)


def _shelf_of(memory: Memory) -> str:
    if entries.is_conversation(memory.path):
        return "raw"
    return "cold" if memory.archived else "hot"


def filed(db: sqlite.Connection, memory: int = 0) -> list[IndexedSection]:
    """The sections of one memory, or of all, as they are filed."""
    rows = db.execute(
        "SELECT s.n, s.shelf, m.title, m.tags, m.files, m.concepts, s.heading, s.trigger, s.text, m.path, m.trigger "
        f"FROM section s JOIN memory m ON m.n = s.memory {'WHERE m.n = ?' if memory else ''} "
        "ORDER BY s.n",
        (memory,) if memory else (),
    )
    return [IndexedSection(*row) for row in rows]


def _words_of(row: IndexedSection) -> tuple[Value, ...]:
    """The number of a section, and the words of each of its fields."""
    title, tags = f"{row.title} {row.heading}", row.tags
    if tags and row.path in SHARED_PATHS:  # a rule's own tags are among its triggers
        elsewhere = row.page_trigger.split("\n")
        tags = "\n".join(tag for tag in tags.split("\n") if tag not in elsewhere)
    names = f"{row.files} {row.concepts}"
    fields = (title, with_forms(tags), row.trigger, names, row.text)
    terms_of = TERMS.__getitem__
    return (row.n, *[" ".join(map(terms_of, folded(field).split())) for field in fields])


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
    total = 0
    for row in ((shelf, day, own_name, *rest), *sections):
        total = crc32("\0".join(map(str, row)).encode("utf-8"), total)
    return total


# ------------------------------------------------------------------------------------------ names


def _settle(db: sqlite.Connection, name: str) -> None:
    """Give the id `name` to one of the memories that claim it; the others get a mark behind it.

    It goes to what is not archived, then to the file that is called so, then to the first by path.
    """
    rows = db.execute(
        "SELECT n, path, shelf, id FROM memory WHERE (id = ? OR (id > ? AND id < ?)) "
        "AND shelf <> 2",
        (name, f"{name}~", f"{name}~g"),
    ).fetchall()
    rows.sort(key=lambda row: (row[2], stem_of(row[1]) != name, row[1]))
    for rank, (n, own_path, _, now) in enumerate(rows):
        wanted = f"{name}~{stamp_of(own_path.encode())[:6]}" if rank else name
        if wanted != now:
            db.execute("UPDATE memory SET id = ? WHERE n = ?", (wanted, n))
            _name_conversation(db, own_path)


def _name_conversation(db: sqlite.Connection, path: str) -> None:
    """Let the raw conversation beside a memory be found under the memory's id."""
    folder, _, name = path.rpartition("/")
    if name in ("summary.md", "conversation.md"):
        db.execute(
            "UPDATE memory SET id = coalesce((SELECT id FROM memory WHERE path = ?), ?) "
            "WHERE path = ?",
            (f"{folder}/summary.md", folder.rpartition("/")[2], f"{folder}/conversation.md"),
        )


# ----------------------------------------------------------------------------------------- counts


def _count(db: sqlite.Connection, more: int, *, is_first: bool) -> None:
    """Note how many sections there are, and now and then which words many of them have.

    At first, and whenever there is an eighth more or less of what recall looks through.
    """
    total = lookup.total_sections(db) + more
    before = int(lookup.meta(db, "counted") or 0)
    db.execute("INSERT OR REPLACE INTO meta VALUES ('sections', ?)", (str(total),))
    if is_first or abs(total - before) * 8 >= max(total, 1):
        list_words(db)
        db.execute("INSERT OR REPLACE INTO meta VALUES ('counted', ?)", (str(total),))


def list_words(db: sqlite.Connection) -> None:
    """List the words that there are, and those that many sections have.

    What comes later is added (`_list_more`); what goes stays listed until the next time.
    """
    for table in ("common", "listed"):
        db.execute(f"DELETE FROM {table}")
    for shelf in lookup.SHELVES:
        db.execute(f"INSERT INTO listed SELECT ?, term, doc FROM {shelf}_words", (shelf,))
    db.execute("INSERT INTO common SELECT * FROM listed WHERE count >= ?", (lookup.COMMON_FROM,))


def _flat(value: object) -> Value:
    if isinstance(value, tuple):
        return clean("\n".join(value)) if value else ""
    return int(value) if isinstance(value, int) else clean(str(value))


# ------------------------------------------------------------------------------------------- tags

MOST_SHARING = 40
MOST_TAGS = 12  # of one memory; what is beyond is not looked up
_JOINED = "hot_fts f JOIN section s ON s.n = f.rowid JOIN memory m ON m.n = s.memory"


def sharing(db: sqlite.Connection, tags: Sequence[str], layer: str) -> list[Entry]:
    """The memories of a layer that have two of these tags, as far as their words tell."""
    cut = [words for tag in dict.fromkeys(tags[:MOST_TAGS]) if (words := plain_words(clean(tag)))]
    pairs = [f"({match([*one, *two], every=True)})" for one, two in combinations(cut, 2)]
    if not pairs:
        return []
    rows = db.execute(
        f"SELECT DISTINCT {PAGE_FIELDS} FROM {_JOINED} "
        "WHERE hot_fts MATCH ? AND m.layer = ? AND m.status <> 'superseded' LIMIT ?",
        (f"tags : ({' OR '.join(pairs)})", clean(layer), MOST_SHARING),
    )
    return [entry_of(row) for row in rows]


# ------------------------------------------------------------------------------------------ check


def differences(
    db: sqlite.Connection, progress: Callable[[int, int], object] | None = None
) -> Iterator[str]:
    """The findings of a full check, a sentence each; SQLite's own check does not notice such drift."""
    yield from index_file.broken_pages(db)
    yield from _altered_rows(db)
    scratch = sqlite.connect(":memory:", isolation_level=None)
    try:
        index_file.create_tables(scratch)
        scratch.execute("BEGIN")  # else every row would be a transaction, which takes long
        rows = filed(db)
        for n, row in enumerate(rows):
            if progress and n and n % BATCH == 0:
                progress(n, len(rows))
            scratch.execute(_PUT_WORDS[row.shelf], _words_of(row))
        for shelf in lookup.SHELVES:
            yield from _misfiled_words(db, scratch, shelf)
    finally:
        scratch.close()


def _altered_rows(db: sqlite.Connection) -> Iterator[str]:
    from recollect.search import vectors

    for n, path in db.execute("SELECT n, path FROM memory ORDER BY path"):
        if not is_as_written(db, n):
            yield f"{path}: its rows differ from what was written"
    unknown = "SELECT path FROM memory WHERE path NOT IN (SELECT path FROM file) ORDER BY path"
    for (path,) in db.execute(unknown):
        yield f"{path}: its file is missing from the list of files"
    lost = "SELECT count(*) FROM section WHERE memory NOT IN (SELECT n FROM memory)"
    if count := db.execute(lost).fetchone()[0]:
        yield f"sections of no memory: {count}"
    every = "SELECT n FROM vector UNION SELECT n FROM piece"
    of_nothing = f"SELECT count(*) FROM ({every}) WHERE n NOT IN (SELECT n FROM section)"
    if count := db.execute(of_nothing).fetchone()[0]:
        yield f"vectors of no section: {count}"
    if count := vectors.count_wrong_signs(db):
        yield f"vectors missing from the sign table: {count}"
    hot = db.execute("SELECT count(*) FROM section WHERE shelf = 0").fetchone()[0]
    if hot != lookup.total_sections(db):
        yield f"sections: {hot} instead of {lookup.total_sections(db)}"


def _misfiled_words(db: sqlite.Connection, scratch: sqlite.Connection, shelf: str) -> Iterator[str]:
    sizes = f"SELECT count(*) FROM {shelf}_fts_docsize"
    have, want = (one.execute(sizes).fetchone()[0] for one in (db, scratch))
    if have != want:
        yield f"{shelf}: sections {want}, but in the text index {have}"
    words = f"SELECT term, doc, cnt FROM {shelf}_words ORDER BY term"
    for found, right in zip_longest(db.execute(words), scratch.execute(words)):
        if found != right:
            word = (right or found)[0]
            yield f"{shelf}: the word “{word}” is indexed differently from the texts"
            return
    listed = "SELECT term FROM listed WHERE shelf = ?"
    unlisted = f"SELECT term FROM {shelf}_words WHERE term NOT IN ({listed}) LIMIT 1"
    for (word,) in db.execute(unlisted, (shelf,)):
        yield f"{shelf}: the word “{word}” is not listed"
