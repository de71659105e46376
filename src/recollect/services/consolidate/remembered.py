"""Consolidate: what files said when they were last read, so that they need not be read again.

Promises: what is remembered of a file holds for one stamp of it; what cannot be read back is read
anew from the file; nothing is lost with it but time.
Touches: nothing; the app keeps `lines` in the store's cache.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from recollect.domain.claims import Claim
from recollect.domain.conflicts import Standing
from recollect.domain.lifecycle import Heard, Mark, Reading
from recollect.domain.lifecycle.pages import Held, Page

FORMAT = "recollect-claims 1"


class Remembered:
    """Readings of files, by path and stamp; those that nobody asks for are dropped."""

    def __init__(self, text: str = "", version: str = "") -> None:
        """What the `text` of an earlier run says; nothing if another version wrote it."""
        self._head = f"{FORMAT} {version}"
        head, _, rest = text.partition("\n")
        self._old = dict(_pairs(rest)) if head == self._head else {}
        self._now: dict[str, str] = {}
        self.changed = False

    def text(self) -> str:
        """What has been asked for, to be kept."""
        return f"{self._head}\n" + "".join(f"{name}\t{row}\n" for name, row in self._now.items())

    def _found(self, path: str, stamp: str) -> Any:
        name = f"{stamp} {path}"
        row = self._now.get(name) or self._old.get(name)
        if row is None:
            return None
        self._now[name] = row
        return json.loads(row)

    def _keep(self, path: str, stamp: str, row: object) -> None:
        self.changed = True
        self._now[f"{stamp} {path}"] = json.dumps(row, separators=(",", ":"))

    def heard(self, path: str, stamp: str) -> list[Heard] | None:
        """What an episode says, if it is remembered."""
        rows = self._found(path, stamp)
        if rows is None:
            return None
        return [Heard(Claim(*claim), key, frozenset(topics)) for claim, key, topics in rows]

    def keep_heard(self, path: str, stamp: str, heard: Iterable[Heard]) -> None:
        """Remember what an episode says."""
        self._keep(path, stamp, [(one.claim, one.key, sorted(one.topics)) for one in heard])

    def reading(self, path: str, stamp: str) -> Reading | None:
        """What a file says, if it is remembered."""
        row = self._found(path, stamp)
        if row is None:
            return None
        page, held, past = row
        if page is None:
            return Reading(path, past=tuple(past))
        known = Page(*page)._replace(tags=frozenset(page[Page._fields.index("tags")]))
        return Reading(path, known, tuple(_held_of(path, one) for one in held), tuple(past))

    def keep_reading(self, stamp: str, reading: Reading) -> None:
        """Remember what a file says."""
        page = reading.page._replace(tags=sorted(reading.page.tags)) if reading.page else None  # type: ignore[arg-type]
        held = [one._replace(path="", topics=sorted(one.topics)) for one in reading.held]  # type: ignore[arg-type]
        self._keep(reading.path, stamp, (page, held, reading.past))


def _held_of(path: str, row: list[Any]) -> Held:
    _, text, key, standing, trust, mark, is_item, is_alone, topics, n = row
    said = Mark(*mark) if mark else None
    now = Standing(*standing)
    return Held(path, text, key, now, trust, said, is_item, is_alone, frozenset(topics), n)


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    for line in text.split("\n"):
        name, tab, row = line.partition("\t")
        if tab and row.endswith("]"):  # the last line of a file that was cut off has no end
            yield name, row
