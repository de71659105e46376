"""SQLite: rows of the memory table as values, and filters as conditions on them.

Promises: reads only; every value of a filter is data. A command that only reads loads this, not
what files memories.
Touches: nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from recollect.adapters.sqlite.lookup import SHELVES
from recollect.domain.model import Entry, Filter

ENTRY_FIELDS = (
    "id, title, layer, kind, category, tags, trigger, files, concepts, salience, confidence, "
    "source, trust, status, related, session, project, created, updated, accessed, decay_after, "
    "private, path, tokens, summary, stamp, problem"
)
_LISTS = (5, 6, 7, 8, 14)  # the fields among them that are lists: a line for each item
_PRIVATE = 21
LOWERED = "lowered"  # SQLite's own `lower` knows the capitals of ASCII alone


def entry_of(row: Sequence[object]) -> Entry:
    """The memory in a row of `ENTRY_FIELDS`."""
    values = list(row)
    for n in _LISTS:
        values[n] = tuple(str(values[n]).split("\n")) if values[n] else ()
    values[_PRIVATE] = bool(values[_PRIVATE])
    return Entry._make(values)


def clean(text: str) -> str:
    """`text` as SQLite takes it: without lone surrogates."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def condition(only: Filter, shelf: str) -> tuple[str, list[object]]:
    """The condition on `memory m` for a filter, and its values."""
    terms: list[str] = ["m.shelf = ?", "(m.path GLOB 'archive/*') = ?"]
    values: list[object] = [SHELVES.index(shelf), int(only.archived)]
    for name in ("layer", "category", "session"):
        if wanted := getattr(only, name):
            terms.append(f"m.{name} = ?")
            values.append(wanted)
    if only.kind:
        terms.append(
            "(m.kind = ? OR EXISTS (SELECT 1 FROM section s WHERE s.memory = m.n AND s.kind = ?))"
        )
        values += [only.kind, only.kind]
    listed = [("tags", tag) for tag in only.tags] + [("concepts", only.concept)]
    for name, wanted in listed:
        if wanted:
            small = _small(name, wanted)
            terms.append(f"instr(char(10) || {small} || char(10), char(10) || ? || char(10))")
            values.append(wanted.lower())
    if only.file:
        terms.append(f"instr({_small('files', only.file)}, ?)")
        values.append(only.file.lower())
    if only.since:
        terms.append("max(m.created, m.updated) >= ?")
        values.append(only.since)
    if only.until:
        terms.append("m.created <= ? AND m.created <> ''")
        values.append(only.until)
    if not only.superseded:
        terms.append("m.status <> 'superseded'")
    return " AND ".join(terms), [clean(v) if isinstance(v, str) else v for v in values]


def _small(column: str, wanted: str) -> str:
    """A column of `memory m` without capitals, as far as it takes to find what is wanted there."""
    return f"{'lower' if wanted.isascii() else LOWERED}(m.{column})"


def section_condition(only: Filter, shelf: str) -> tuple[str, list[object]]:
    """The condition on `section s` and `memory m` for a filter, and its values; often there is none."""
    if shelf == "hot" and only == Filter(trust=only.trust):
        return "", []
    where, values = condition(only, shelf)
    return (
        (f"{where} AND s.kind = ?", [*values, clean(only.kind)]) if only.kind else (where, values)
    )
