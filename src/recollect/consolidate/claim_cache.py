"""What passes of consolidation parsed, kept in the cache so that the next pass need not parse it again."""

from __future__ import annotations

import json
from binascii import crc32
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from recollect._gc import without_collecting
from recollect._version import __version__
from recollect.consolidate.actions import AskPerson, Merge
from recollect.consolidate.claims import Claim
from recollect.consolidate.pages import EpisodeClaim, FileClaim, FileSummary, ParsedFile
from recollect.errors import RecollectError
from recollect.model.conflicts import Priority
from recollect.model.footnotes import Mark
from recollect.store import disk
from recollect.store.store import OpenStore
from recollect.workspace import CLAIMS, Workspace

FORMAT = "recollect-claims 11"
HEARD, READ, LEFT = "h", "r", "l"  # what an episode says, a file says, a plan left: before a stamp
PLAN = "*"  # stands for a path in the row of a plan

Left = AskPerson | Merge
LARGEST_CLAIMS = 1024 * 1024 * 1024  # about 2 KB for a memory; a larger cache is not read


class ClaimCache:
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

    def episode_claims(self, path: str, stamp: str) -> list[EpisodeClaim] | None:
        """What an episode says, if it is remembered."""
        rows = self._found(path, HEARD + stamp)
        if rows is None:
            return None
        return [EpisodeClaim(Claim(*claim), key, frozenset(topics)) for claim, key, topics in rows]

    def keep_episode_claims(self, path: str, stamp: str, heard: Iterable[EpisodeClaim]) -> None:
        """Remember what an episode says."""
        self._keep(path, HEARD + stamp, [(one.claim, one.key, sorted(one.topics)) for one in heard])

    def reading(self, path: str, stamp: str) -> ParsedFile | None:
        """What a file says, if it is remembered."""
        row = self._found(path, READ + stamp)
        return None if row is None else _reading_of(path, row)

    def claims_before(self, path: str) -> dict[str, tuple[str, frozenset[str]]]:
        """Near key and topics of what a file said when it was last read, by the text of the claim.

        Most of it is still there: of a file that has grown, only what is new is parsed.
        """
        stamp, row = self._rows.get(path, ("", ""))
        found = _reading_of(path, json.loads(row)).held if stamp.startswith(READ) else ()
        return {one.text: (one.key, one.topics) for one in found}

    def keep_reading(self, stamp: str, reading: ParsedFile) -> None:
        """Remember what a file says."""
        page = reading.page
        if page:
            page = page._replace(tags=sorted(page.tags), says=sorted(page.says))  # type: ignore[arg-type]
        held = [one._replace(path="", topics=sorted(one.topics)) for one in reading.held]  # type: ignore[arg-type]
        self._keep(reading.path, READ + stamp, (page, held, reading.past))

    def left(self, state: str) -> tuple[Left, ...] | None:
        """What a plan without changes left to a person, if nothing that it depends on has changed since."""
        rows = self._found(PLAN, LEFT + state)
        if rows is None:
            return None
        self._asked.update(self._rows)  # as they were, the files say what they said
        return tuple(map(_left_of, rows))

    def keep_left(self, state: str, left: Sequence[Left]) -> None:
        """Remember that a plan had no changes, and what it left to a person."""
        self._keep(PLAN, LEFT + state, left)


def _left_of(row: list[Any]) -> Left:
    if len(row) == len(Merge._fields):
        return Merge(*row)
    key, path, held, claim, mark, *rest = row
    return AskPerson(key, path, held, Claim(*claim), Mark(*mark), *rest)


def _reading_of(path: str, row: list[Any]) -> ParsedFile:
    page, held, past = row
    if page is None:
        return ParsedFile(path, past=tuple(past))
    known = FileSummary(*page)
    known = known._replace(tags=frozenset(known.tags), says=frozenset(known.says))
    return ParsedFile(path, known, tuple(_held_of(path, one) for one in held), tuple(past))


def _held_of(path: str, row: list[Any]) -> FileClaim:
    _, text, key, standing, trust, mark, is_item, is_alone, topics, *rest = row
    said = Mark(*mark) if mark else None
    now = Priority(*standing)
    return FileClaim(path, text, key, now, trust, said, is_item, is_alone, frozenset(topics), *rest)


def _rows_in(text: str) -> Iterator[tuple[str, tuple[str, str]]]:
    for line in text.split("\n"):
        name, tab, row = line.partition("\t")
        stamp, blank, path = name.partition(" ")
        if tab and blank:
            yield path, (stamp, row)


@contextmanager
def cached_claims(app: Workspace, store: OpenStore) -> Iterator[ClaimCache]:
    """What an earlier pass read, in the cache; it is kept there for the next one."""
    path = f"{app.cache_of(store.root)}/{CLAIMS}"
    text = ""
    with suppress(RecollectError):
        text = disk.read_file(path, LARGEST_CLAIMS).decode("utf-8", "replace")
    known = ClaimCache(text, __version__)
    with without_collecting():  # a plan is made of many small values
        yield known
    if known.changed:
        with suppress(RecollectError):  # without it the next pass only takes longer
            disk.write_whole(path, known.text().encode("utf-8", "replace"), durable=False)
