"""What a person decided: rulings on contradictions (`rulings.toml`), dismissed suggestions (`dismissed.json`).

Rulings are sorted by key, with both wordings, so that people can read them and git can merge them. A removed
line reopens the question. A file that cannot be parsed stops the pass. One that came with a clone or
an archive rules nothing before the person accepts the store.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from recollect._fastimport import NamedTuple
from recollect.errors import Unreadable, UsageProblem
from recollect.model.claim_key import near_key
from recollect.model.memory import Change
from recollect.model.merge import RULINGS
from recollect.store.store import OpenStore
from recollect.text.json_edit import rows_in, with_rows

WORDS = ("old", "new", "both", "neither")
_HEAD = (
    "# What was ruled where two claims contradict each other (`recollect conflicts`).\n"
    "# Take a table out, and the question is asked again.\n"
)
# The little of TOML that the file is made of.
_TABLE = re.compile(r"\s*\[([0-9a-f]+)\]\s*(?:#.*)?")
_ROW = re.compile(r"\s*(\w+)\s*=\s*(\".*\")\s*(?:#.*)?")


class Ruling(NamedTuple):
    """Which of two claims holds: `old`, `new`, `both` or `neither`."""

    ruling: str
    old: str
    new: str
    date: str


def rulings_of(store: OpenStore) -> dict[str, Ruling]:
    """The rulings of a store, by the key of the conflict. Raises Unreadable."""
    text, stamp = store.text_at(RULINGS)
    return _parsed(store.root, text) if stamp is None or store.files.is_own(stamp) else {}


def ruling_change(store: OpenStore, key: str, ruling: Ruling) -> Change:
    """The change that keeps one more ruling. Raises UsageProblem beside rulings of others."""
    text, stamp = store.text_at(RULINGS)
    if stamp is not None and not store.files.is_own(stamp):
        path = f"{store.root}/{RULINGS}"
        what = f"The rulings in {path} came with the project and do not count, nor would yours among them. `recollect review --repository accept` accepts them with its memories."
        raise UsageProblem(what=what, command="conflicts")
    every = _parsed(store.root, text) | {key: ruling}
    return Change("put", RULINGS, "", stamp, _rendered(every))


def taken_out(rulings: Mapping[str, Ruling]) -> dict[str, str]:
    """The claims that neither side of a ruling kept, by near key, with the day of the ruling."""
    found: dict[str, str] = {}
    for one in rulings.values():
        if one.ruling == "neither":
            for text in (one.old, one.new):
                found[near_key(text)] = max(one.date, found.get(near_key(text), ""))
    return found


def _parsed(root: str, text: str) -> dict[str, Ruling]:
    tables: dict[str, dict[str, str]] = {}
    key = ""
    for n, line in enumerate(text.split("\n"), 1):
        if head := _TABLE.fullmatch(line):
            key = head[1]
            tables[key] = {}
        elif key and (row := _ROW.fullmatch(line)):
            tables[key][row[1]] = _unquoted(row[2])
        elif line.strip() and not line.lstrip().startswith("#"):
            raise Unreadable(path=f"{root}/{RULINGS}", reason=f"line {n} is not a ruling")
    for key, table in tables.items():
        if table.get("ruling") not in WORDS or not all(name in table for name in Ruling._fields):
            raise Unreadable(
                path=f"{root}/{RULINGS}", reason=f"[{key}] lacks ruling, old, new or date"
            )
    return {key: Ruling(*map(table.__getitem__, Ruling._fields)) for key, table in tables.items()}


def _unquoted(text: str) -> str:
    try:
        return str(json.loads(text))
    except ValueError:
        return text.strip('"')


def _rendered(rulings: Mapping[str, Ruling]) -> str:
    tables = [
        f"\n[{key}]\n" + "".join(f"{n} = {_quoted(v)}\n" for n, v in one._asdict().items())
        for key, one in sorted(rulings.items())
    ]
    return _HEAD + "".join(tables)


def _quoted(text: str) -> str:
    """A text as a basic string of TOML, which JSON's is but for one character."""
    clean = text.encode("utf-8", "replace").decode("utf-8")
    return json.dumps(clean, ensure_ascii=False).replace("\x7f", "\\u007f")


# -------------------- Proposals to merge two memories that a person dismissed.
# A pair has no order. A damaged file dismisses nothing; unknown keys are kept.


DISMISSED = "dismissed.json"
KEY, VERSION = "dismissed", 1
MERGE = "merge"
Pair = tuple[str, str]  # two memories, the first by name first


def pair_of(one: str, other: str) -> Pair:
    """The pair of these two, in whichever order they come."""
    return (one, other) if one < other else (other, one)


def dismissed_in(text: str) -> frozenset[Pair]:
    """The pairs that a file says; what in it is none is passed over."""
    return frozenset(pair for row in rows_in(text, KEY) if (pair := _pair_in(row)))


def with_pair(text: str, pair: Pair, date: str) -> str:
    """The file with one more pair."""
    if pair in dismissed_in(text):
        return text
    row = {"what": MERGE, "memories": list(pair), "date": date[:10]}
    return with_rows(text, KEY, [*rows_in(text, KEY), row], VERSION)


def without_pair(text: str, pair: Pair) -> str:
    """The file without this pair."""
    if pair not in dismissed_in(text):
        return text
    rows = [row for row in rows_in(text, KEY) if _pair_in(row) != pair]
    return with_rows(text, KEY, rows, VERSION)


def _pair_in(row: Any) -> Pair | None:
    if not isinstance(row, dict) or row.get("what") != MERGE:
        return None
    names = row.get("memories")
    if not isinstance(names, list) or len(names) != 2:
        return None
    return pair_of(*names) if all(isinstance(one, str) for one in names) else None


def dismissed_pairs(store: OpenStore) -> frozenset[Pair]:
    """What is not proposed any more."""
    return dismissed_in(store.text_at(DISMISSED)[0])


def decide(store: OpenStore, name: str, other: str, *, again: bool, dry_run: bool) -> bool:
    """Dismiss the proposal to merge these two memories, or allow it `again`; whether that is new.

    Raises:
        MemoryNotFound: there is no such memory.
    """
    pair = pair_of(store.require(name).id, store.require(other).id)

    def change(text: str) -> str:
        return without_pair(text, pair) if again else with_pair(text, pair, store.now)

    cause = f"{MERGE}/{'again' if again else 'dismiss'}"
    return store.rewrite(DISMISSED, change, cause=cause, dry_run=dry_run)
