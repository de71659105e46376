"""Hooks: recall where there is no index yet: from the views, which name every memory.

Promises: a broken or missing view gives nothing; what it finds is judged like everything else.
Touches: `.index.json`, else `MEMORY.md`, of the store (reading).
"""

import json

from recollect.domain import rank
from recollect.domain.text import index_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Row = dict[str, Any]

MOST = 40
LARGEST_VIEW = 8 * 1024 * 1024


def candidates(root: str, scope: str, cue: rank.Cue) -> list[rank.Candidate]:
    """The memories whose row in a view has some of the words, most first."""
    wanted = set(cue.words)
    found = []
    for row in _rows(root):
        text = f"{row.get('title', '')} {' '.join(row.get('tags', ()))} {row.get('summary', '')}"
        trigger = row.get("trigger") or ()
        have = set(index_words(f"{text} {' '.join(trigger)}").split())
        hits = len(wanted & have)
        if hits:
            found.append((hits, row))
    found.sort(key=lambda pair: (-pair[0], str(pair[1].get("id"))))
    return [_candidate(row, hits, scope) for hits, row in found[:MOST]]


def _rows(root: str) -> "list[Row]":
    try:
        with open(f"{root}/.index.json", encoding="utf-8") as file:
            page = json.loads(file.read(LARGEST_VIEW))
        return [row for row in page["entries"] if isinstance(row, dict) and row.get("id")]
    except (OSError, ValueError, KeyError, TypeError):
        return _rows_of_page(root)


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
                "path": path,
                "title": cells[1],
                "type": cells[2],
                "tags": cells[3].replace("\\", "").split(", "),
                "created": cells[4],
            }
        )
    return rows


def _candidate(row: "Row", hits: int, scope: str) -> rank.Candidate:
    def one(key: str, default: str = "") -> str:
        return str(row.get(key) or default)

    def lines(key: str) -> str:
        value = row.get(key)
        return "\n".join(map(str, value)) if isinstance(value, list) else ""

    summary = one("summary") or one("title")
    return rank.Candidate(
        (
            0, 0, one("id"), "", one("title"), "", summary, one("path"), one("type", "semantic"),
            one("kind"), one("salience", "medium"), one("confidence", "medium"), one("source"),
            one("trust", "agent"), one("status", "confirmed"), lines("trigger"), lines("files"),
            lines("related"), one("session"), one("project"), one("created"), 0, 0, 0, 0, 0,
        ),
        float(hits),
        scope,
    )  # fmt: skip
