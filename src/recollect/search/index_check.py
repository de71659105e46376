"""Check that the index matches what was inserted; SQLite's own checks do not notice such drift."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from recollect.search import index_open as opening
from recollect.search import index_schema as schema
from recollect.search import index_write as filing
from recollect.search import lookup, vectors
from recollect.search.lookup import sqlite


def differences(db: sqlite.Connection) -> Iterator[str]:
    """What is wrong inside the index, a sentence for each finding."""
    yield from opening.broken_pages(db)
    yield from _altered_rows(db)
    scratch = sqlite.connect(":memory:", isolation_level=None)
    try:
        schema.create(scratch)
        filing.put_words(scratch, filing.filed(db), filing.Cuts())
        for shelf in lookup.SHELVES:
            yield from _misfiled_words(db, scratch, shelf)
    finally:
        scratch.close()


def _altered_rows(db: sqlite.Connection) -> Iterator[str]:
    for n, path in db.execute("SELECT n, path FROM memory ORDER BY path"):
        if not filing.is_as_written(db, n):
            yield f"{path}: its rows differ from what was written"
    lost = "SELECT count(*) FROM section WHERE memory NOT IN (SELECT n FROM memory)"
    if count := db.execute(lost).fetchone()[0]:
        yield f"{count} sections belong to no memory"
    every = "SELECT n FROM vector UNION SELECT n FROM piece"
    of_nothing = f"SELECT count(*) FROM ({every}) WHERE n NOT IN (SELECT n FROM section)"
    if count := db.execute(of_nothing).fetchone()[0]:
        yield f"{count} vectors belong to no section"
    if count := vectors.misplaced(db):
        yield f"{count} vectors are missing from the sign table"
    hot = db.execute("SELECT count(*) FROM section WHERE shelf = 0").fetchone()[0]
    if hot != lookup.total_sections(db):
        yield f"{hot} sections instead of {lookup.total_sections(db)}"


def _misfiled_words(db: sqlite.Connection, scratch: sqlite.Connection, shelf: str) -> Iterator[str]:
    sizes = f"SELECT count(*) FROM {shelf}_fts_docsize"
    have, want = (one.execute(sizes).fetchone()[0] for one in (db, scratch))
    if have != want:
        yield f"{shelf}: {want} sections, but {have} in the text index"
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
