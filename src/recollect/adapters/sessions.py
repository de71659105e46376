"""Sessions: the states of sessions and the redacted copies of what was said.

Promises: a state is replaced in one step; a raw copy is a row of gzip members that holds each
event once, although a crash may come between the copy and the state.
Touches: `sessions/active/*.json` and `sessions/raw/*.jsonl.gz` of the store.
"""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import fields

from recollect import fsio
from recollect.domain.session import Event, SessionState
from recollect.errors import FileNotThere
from recollect.hooks import places

LEVEL = 6


class FolderSessions:
    """The `sessions` folder of a store."""

    def __init__(self, root: str) -> None:
        """`root` is the store's folder."""
        self._active = os.path.join(root, "sessions", "active")
        self._raw = os.path.join(root, "sessions", "raw")

    def load(self, client: str, session: str) -> SessionState | None:
        """The state of a session, or None if there is none that can be read.

        One that cannot be read is made anew: all that is in it comes from the transcript.
        """
        name = places.writer_of(client, session)
        state = self._read(os.path.join(self._active, f"{name}.json"))
        return state if state and (state.client, state.session_id) == (client, session) else None

    def _read(self, path: str) -> SessionState | None:
        try:
            data = json.loads(fsio.read_file(path))
            state = SessionState.from_json(data)
        except (FileNotThere, ValueError, TypeError, AttributeError, RecursionError):
            return None
        return state if _is_sound(state) else None

    def save(self, state: SessionState) -> None:
        """Keep a state."""
        fsio.make_folder(self._active)
        text = json.dumps(state.to_json(), ensure_ascii=False, indent=1)
        data = text.encode("utf-8", "replace")
        fsio.write_whole(os.path.join(self._active, f"{_name(state)}.json"), data)
        fsio.sync_folder(self._active)

    def every(self, since: float = 0.0) -> Iterator[SessionState]:
        """All states that can be read and were kept since then (in seconds)."""
        try:
            names = sorted(os.listdir(self._active))
        except FileNotFoundError:
            return
        for name in names:
            path = os.path.join(self._active, name)
            if name.endswith(".json") and not name.startswith(".") and _is_newer(path, since):
                state = self._read(path)
                if state is not None:
                    yield state

    def append_raw(self, state: SessionState, events: Iterable[Event]) -> int:
        """Append events to the raw copy behind `state.raw_bytes`; gives the new size."""
        lines = [json.dumps(_row(event), ensure_ascii=False) for event in events]
        path = os.path.join(self._raw, f"{_name(state)}.jsonl.gz")
        fsio.truncate(path, state.raw_bytes)
        if not lines:
            return state.raw_bytes
        fsio.make_folder(self._raw)
        data = gzip.compress(("\n".join(lines) + "\n").encode("utf-8", "replace"), LEVEL, mtime=0)
        size = os.path.getsize(path) if os.path.exists(path) else 0
        fsio.append_bytes(path, data)
        return size + len(data)

    def raw_events(self, state: SessionState) -> Iterator[Event]:
        """The events of the raw copy, as far as it can be read."""
        path = os.path.join(self._raw, f"{_name(state)}.jsonl.gz")
        try:
            with gzip.open(path, "rt", encoding="utf-8") as file:
                for line in file:
                    row = json.loads(line)
                    row["todos"] = tuple(tuple(todo) for todo in row.get("todos", ()))
                    yield Event(**row)
        except (OSError, EOFError, ValueError, TypeError, zlib.error):
            return


def _is_newer(path: str, since: float) -> bool:
    try:
        return since == 0 or os.stat(path).st_mtime >= since
    except OSError:
        return False


def _is_sound(state: SessionState) -> bool:
    """Whether every field of a state that was read has the type it is used with."""
    blank = SessionState("")
    for field in fields(state):
        if not isinstance(getattr(state, field.name), type(getattr(blank, field.name))):
            return False
    rows = (
        *state.decisions, *state.patterns, *state.problems, *state.solutions, *state.todos,
        *state.failures, *state.calls.values(), *state.sources.values(),
    )  # fmt: skip
    return all(isinstance(row, dict) for row in rows)


def _name(state: SessionState) -> str:
    return places.writer_of(state.client, state.session_id)


def _row(event: Event) -> dict[str, object]:
    """An event without its empty fields."""
    default = Event._field_defaults
    return {key: value for key, value in event._asdict().items() if value != default.get(key)}
