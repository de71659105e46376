"""A person's rulings on contradictions, in `rulings.toml` of the store.

Sorted by key, with both wordings, so that people can read them and git can merge them. A removed
line reopens the question. A file that cannot be parsed stops the pass. One that came with a clone or
an archive rules nothing before the person accepts the store.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from recollect._fastimport import NamedTuple
from recollect.errors import Unreadable, UsageProblem
from recollect.model.claim_key import near_key
from recollect.model.memory import Change
from recollect.model.merge import RULINGS
from recollect.store.store import OpenStore

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
