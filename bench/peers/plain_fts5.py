"""SQLite's FTS5 as it comes, as a program: `index NOTES DB` and `search DB MATCH COUNT`.

Touches: the database it is given; the notes (reading).
"""

from __future__ import annotations

import os
import sqlite3
import sys


def index(folder: str, path: str) -> None:
    """File every note below a folder."""
    with sqlite3.connect(path) as db:
        db.execute("CREATE VIRTUAL TABLE m USING fts5(path UNINDEXED, t, tokenize='porter')")
        for at, _, names in os.walk(folder):
            for name in names:
                full = os.path.join(at, name)
                with open(full, encoding="utf-8") as file:
                    db.execute("INSERT INTO m VALUES (?, ?)", (full, file.read()))


def search(path: str, match: str, count: int) -> None:
    """Print the paths of the best notes."""
    asked = "SELECT path FROM m WHERE m MATCH ? ORDER BY bm25(m) LIMIT ?"
    for row in sqlite3.connect(path).execute(asked, (match, count)):
        print(row[0])


if __name__ == "__main__":
    what, *given = sys.argv[1:]
    if what == "index":
        index(given[0], given[1])
    else:
        search(given[0], given[1], int(given[2]))
