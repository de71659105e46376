"""A person's rulings on contradictions, in `rulings.toml` of the store.

Sorted by key, with both wordings, so that people can read them and git can merge them. A removed
line reopens the question. A file that cannot be parsed stops the pass.
"""

from __future__ import annotations

import json
import re
from binascii import crc32
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from recollect._fastimport import NamedTuple
from recollect.consolidate.actions import Mark, Merge, Wait
from recollect.consolidate.claims import Claim
from recollect.consolidate.episodes import Heard
from recollect.consolidate.pages import Held, Page, Reading
from recollect.errors import FileNotThere, Unreadable
from recollect.model.claim_key import near_key
from recollect.model.conflicts import Standing
from recollect.model.memory import Change
from recollect.store.store import OpenStore

FILE = "rulings.toml"
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
    return _parsed(store.files.root, _text(store)[0])


def ruling_change(store: OpenStore, key: str, ruling: Ruling) -> Change:
    """The change that keeps one more ruling."""
    text, stamp = _text(store)
    every = _parsed(store.files.root, text) | {key: ruling}
    return Change("put", FILE, "", stamp, _rendered(every))


def taken_out(rulings: Mapping[str, Ruling]) -> dict[str, str]:
    """The claims that neither side of a ruling kept, by near key, with the day of the ruling."""
    found: dict[str, str] = {}
    for one in rulings.values():
        if one.ruling == "neither":
            for text in (one.old, one.new):
                found[near_key(text)] = max(one.date, found.get(near_key(text), ""))
    return found


def _text(store: OpenStore) -> tuple[str, str | None]:
    try:
        document = store.files.read(FILE)
    except FileNotThere:
        return "", None
    return document.text, document.stamp


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
            raise Unreadable(path=f"{root}/{FILE}", reason=f"line {n} is not a ruling")
    for key, table in tables.items():
        if table.get("ruling") not in WORDS or not all(name in table for name in Ruling._fields):
            raise Unreadable(
                path=f"{root}/{FILE}", reason=f"[{key}] lacks ruling, old, new or date"
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


# -------------------- Consolidate: what files said when they were last read, so that they need not be read again.


FORMAT = "recollect-claims 9"
HEARD, READ, LEFT = "h", "r", "l"  # what an episode says, a file says, a plan left: before a stamp
PLAN = "*"  # stands for a path in the row of a plan

Left = Wait | Merge


class Remembered:
    """Readings of files, by path; those that nobody asks for are dropped."""

    def __init__(self, text: str = "", version: str = "") -> None:
        """What the `text` of an earlier run says; nothing if another version wrote it."""
        self._version = version
        head, _, rest = text.partition("\n")
        self._rows = dict(_rows_in(rest)) if head == self._head_of(rest) else {}
        self._asked: set[str] = set()
        self.changed = False

    def text(self) -> str:
        """What has been asked for, to be kept."""
        lines = [
            f"{stamp} {path}\t{row}\n"
            for path, (stamp, row) in self._rows.items()
            if path in self._asked and path.isprintable()
        ]
        rows = "".join(lines)
        return f"{self._head_of(rows)}\n{rows}"

    def _head_of(self, rows: str) -> str:
        return f"{FORMAT} {self._version} {crc32(rows.encode('utf-8', 'replace')):08x}"

    def _found(self, path: str, stamp: str) -> Any:
        known, row = self._rows.get(path, ("", ""))
        if known != stamp:
            return None
        self._asked.add(path)
        return json.loads(row)

    def _keep(self, path: str, stamp: str, row: object) -> None:
        self.changed = True
        self._asked.add(path)
        self._rows[path] = stamp, json.dumps(row, separators=(",", ":"))

    def heard(self, path: str, stamp: str) -> list[Heard] | None:
        """What an episode says, if it is remembered."""
        rows = self._found(path, HEARD + stamp)
        if rows is None:
            return None
        return [Heard(Claim(*claim), key, frozenset(topics)) for claim, key, topics in rows]

    def keep_heard(self, path: str, stamp: str, heard: Iterable[Heard]) -> None:
        """Remember what an episode says."""
        self._keep(path, HEARD + stamp, [(one.claim, one.key, sorted(one.topics)) for one in heard])

    def reading(self, path: str, stamp: str) -> Reading | None:
        """What a file says, if it is remembered."""
        row = self._found(path, READ + stamp)
        return None if row is None else _reading_of(path, row)

    def claims_before(self, path: str) -> dict[str, tuple[str, frozenset[str]]]:
        """Near key and topics of what a file said when it was last read, by the text of the claim.

        Most of it stands there still: of a file that has grown only what is new is looked at closely.
        """
        stamp, row = self._rows.get(path, ("", ""))
        found = _reading_of(path, json.loads(row)).held if stamp.startswith(READ) else ()
        return {one.text: (one.key, one.topics) for one in found}

    def keep_reading(self, stamp: str, reading: Reading) -> None:
        """Remember what a file says."""
        page = reading.page
        if page:
            page = page._replace(tags=sorted(page.tags), says=sorted(page.says))  # type: ignore[arg-type]
        held = [one._replace(path="", topics=sorted(one.topics)) for one in reading.held]  # type: ignore[arg-type]
        self._keep(reading.path, READ + stamp, (page, held, reading.past))

    def left(self, state: str) -> tuple[Left, ...] | None:
        """What a plan with nothing to do left to a person, if all that it goes by was so."""
        rows = self._found(PLAN, LEFT + state)
        if rows is None:
            return None
        self._asked.update(self._rows)  # as they were, the files say what they said
        return tuple(map(_left_of, rows))

    def keep_left(self, state: str, left: Sequence[Left]) -> None:
        """Remember that there was nothing to do, and what was left to a person."""
        self._keep(PLAN, LEFT + state, left)


def _left_of(row: list[Any]) -> Left:
    if len(row) == len(Merge._fields):
        return Merge(*row)
    key, path, held, claim, mark, *rest = row
    return Wait(key, path, held, Claim(*claim), Mark(*mark), *rest)


def _reading_of(path: str, row: list[Any]) -> Reading:
    page, held, past = row
    if page is None:
        return Reading(path, past=tuple(past))
    known = Page(*page)
    known = known._replace(tags=frozenset(known.tags), says=frozenset(known.says))
    return Reading(path, known, tuple(_held_of(path, one) for one in held), tuple(past))


def _held_of(path: str, row: list[Any]) -> Held:
    _, text, key, standing, trust, mark, is_item, is_alone, topics, *rest = row
    said = Mark(*mark) if mark else None
    now = Standing(*standing)
    return Held(path, text, key, now, trust, said, is_item, is_alone, frozenset(topics), *rest)


def _rows_in(text: str) -> Iterator[tuple[str, tuple[str, str]]]:
    for line in text.split("\n"):
        name, tab, row = line.partition("\t")
        stamp, blank, path = name.partition(" ")
        if tab and blank:
            yield path, (stamp, row)
