"""The whole of what is on disk, looked through for secrets: as they are, and in every coding we know.

Promises: packed files are unpacked, SQLite files are read by their rows and by the terms of their
indexes, and names of files and folders count as well.
Touches: nothing; a database is read from a copy in memory.
`python -m bench.secrets --ways` prints what is left of each kind by each way in.
"""

from __future__ import annotations

import base64
import random
import re
import sqlite3
from collections.abc import Iterator
from urllib.parse import quote

from bench.secrets_kinds import KINDS
from tests.cli.running import Person

from .ways import GIVEN, bytes_kept, folder_of
from .ways_of_each import EACH

_WORD = re.compile(r"(?=[a-z]*\d)[a-z0-9]{8,}")


def forms_of(secret: str) -> Iterator[bytes]:
    """A secret as it may be written: as it is, as a name, in hex, in base64 wherever it begins."""
    data = secret.encode()
    yield from (data, data.lower(), data.hex().encode(), data.hex().upper().encode())
    yield quote(secret, safe="").encode()
    yield re.sub(r"[^a-z0-9]+", "-", secret.lower()).strip("-").encode()
    for before in range(3):
        coded = base64.b64encode(b"x" * before + data)
        yield coded[4 * (before > 0) : -4]  # without the ends, which depend on what stands beside
        yield coded[4 * (before > 0) : -4].translate(bytes.maketrans(b"+/", b"-_"))


def everything_kept(person: Person) -> Iterator[tuple[str, bytes]]:
    """`(name, bytes)` of all that is on disk; names of files too."""
    for name, data in bytes_kept(person):
        yield name, data
        if data.startswith(b"SQLite format 3\0"):
            yield f"{name} by its rows", b"\n".join(_rows_of(data))
    names = (p for p in folder_of(person).rglob("*") if GIVEN not in p.parts)
    yield "names", "\n".join(p.name for p in names).encode("utf-8", "surrogateescape")


def _rows_of(data: bytes) -> Iterator[bytes]:
    # In WAL mode a copy in memory cannot be opened; nobody else writes here.
    data = data[:18] + b"\1\1" + data[20:]
    base = sqlite3.connect(":memory:")
    base.deserialize(data)
    tables = base.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'").fetchall()
    for name, sql in tables:
        if "using fts5(" in (sql or "").lower():
            base.execute(f"CREATE VIRTUAL TABLE temp.v USING fts5vocab(main, {name}, 'row')")
            yield from (row[0].encode() for row in base.execute("SELECT term FROM temp.v"))
            base.execute("DROP TABLE temp.v")
        try:
            rows = base.execute(f"SELECT * FROM {name}").fetchall()
        except sqlite3.Error:
            continue
        for row in rows:
            for value in row:
                yield value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")
    base.close()


def left_in(person: Person, secrets: dict[str, str]) -> dict[str, set[str]]:
    """The kinds of which something is left, and in which files."""
    kept = list(everything_kept(person))
    found: dict[str, set[str]] = {}
    for kind, secret in secrets.items():
        forms = {form for form in forms_of(secret) if len(form) > 5}
        words = {b"\n%s\n" % word.encode() for word in _WORD.findall(secret.lower())}
        for name, data in kept:
            if any(form in data for form in forms) or (
                name.endswith("rows") and any(word in data for word in words)
            ):
                found.setdefault(kind, set()).add(name)
    return found


def made(seed: str) -> dict[str, tuple[str, str]]:
    """One secret of each kind: `(text, secret)`."""
    return {kind: KINDS[kind](random.Random(f"{seed} {kind}")) for kind in KINDS}


def left_by(way: str, person: Person, seed: str) -> dict[str, set[str]]:
    """What is left of one secret of each kind that came in by one way."""
    texts = made(f"{seed} {way}")
    EACH[way](person, [text for text, _ in texts.values()])
    person.run("consolidate")
    person.run("doctor", "--repair")  # keeps a copy of everything
    return left_in(person, {kind: secret for kind, (_, secret) in texts.items()})
