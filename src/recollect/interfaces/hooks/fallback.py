"""Recall from the views, for a store without a usable index.

Promises: a broken or missing view gives nothing. Results are judged like all others.
Touches: `.index.json`, else `MEMORY.md`, of the store (reading).
"""

import json

from recollect.search import rank
from recollect.text.tokens import index_terms, stem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Row = dict[str, str]

MOST = 12
LARGEST_VIEW = 8 * 1024 * 1024
_LISTS = ("tags", "trigger", "related")


def candidates(
    root: str, scope: str, words: "list[str]"
) -> "tuple[list[rank.Candidate], dict[str, int], int]":
    """The memories whose row in a view has some of the words, most first.

    With them, as the index would have it: how many rows have each word, and how many there are.
    """
    wanted = {stem(word): word for word in words}
    counts = dict.fromkeys(words, 0)
    found: "list[tuple[int, str, Row]]" = []
    rows = _rows_of_json(root)
    if any(row.get("project") for row in rows):
        rows = []  # what an older version kept of several projects is not sorted out yet
    elif scope != "global":
        rows = rows or _rows_of_page(root)  # which does not say so
    for row in rows:
        text = " ".join(row.get(key, "") for key in ("title", "tags", "summary", "trigger"))
        hits = wanted.keys() & set(index_terms(text).split())
        for term in hits:
            counts[wanted[term]] += 1
        if hits:
            found.append((-len(hits), row["id"], row))
    found.sort(key=lambda one: one[:2])
    return [_candidate(row, -hits, scope) for hits, _, row in found[:MOST]], counts, len(rows)


def _rows_of_json(root: str) -> "list[Row]":
    try:
        with open(f"{root}/.index.json", encoding="utf-8") as file:
            page = json.loads(file.read(LARGEST_VIEW))
        entries = page.get("entries") if isinstance(page, dict) else None
    except (OSError, ValueError, RecursionError):
        return []
    if not isinstance(entries, list):
        return []
    rows = [_plain(entry) for entry in entries if isinstance(entry, dict)]
    return [row for row in rows if row.get("id") and row.get("path")]


def _plain(entry: "dict[str, Any]") -> "Row":
    """The strings of an entry, its lists as one string with a line for each item."""
    row = {key: value for key, value in entry.items() if isinstance(value, str)}
    for key in _LISTS:
        items = entry.get(key)
        if isinstance(items, list):
            row[key] = "\n".join(item for item in items if isinstance(item, str))
    return row


def _rows_of_page(root: str) -> "list[Row]":
    """The rows of the table in MEMORY.md: id, title, layer, keywords, date."""
    rows: "list[Row]" = []
    try:
        with open(f"{root}/MEMORY.md", encoding="utf-8", errors="replace") as file:
            lines = file.read(LARGEST_VIEW).splitlines()
    except OSError:
        return rows
    for line in lines:
        cells = [cell.strip() for cell in line.replace("\\|", "¦").strip("|").split("|")]
        link = cells[0]
        if len(cells) != 5 or not link.startswith("[") or "](" not in link:
            continue
        name, _, path = link[1:-1].partition("](")
        rows.append(
            {
                "id": name.replace("\\", ""),
                "path": _unquoted(path),
                "title": cells[1].replace("\\", ""),
                "type": cells[2],
                "tags": cells[3].replace("\\", "").replace(", ", "\n"),
                "created": "" if cells[4] == "-" else cells[4],
            }
        )
    return rows


def _unquoted(path: str) -> str:
    """A path as it was before it became part of a link."""
    first, *parts = path.split("%")
    try:
        data = first.encode() + b"".join(bytes([int(p[:2], 16)]) + p[2:].encode() for p in parts)
    except ValueError:
        return path
    return data.decode("utf-8", "replace")


def _candidate(row: "Row", hits: int, scope: str) -> rank.Candidate:
    def one(key: str, default: str = "") -> str:
        return row.get(key) or default

    return rank.Candidate(
        (
            0, 0, one("id"), "", one("title"), "", one("summary") or one("title"), one("path"),
            one("type", "semantic"), one("kind"), one("salience", "medium"),
            one("confidence", "medium"), one("source"), one("trust", "agent"),
            one("status", "confirmed"), one("trigger"), one("files"), one("related"),
            one("session"), one("created"), 0, 0, 0, 0, 0,
            one("tags"), "",
        ),
        float(hits),
        scope,
    )  # fmt: skip
