"""Session states, notes and redacted raw copies on disk.

A state is replaced atomically. A raw copy is a sequence of gzip members with each event once, even
if a crash comes between copy and state. Notes made by command have a file of their own that only
transactions write. Sessions of seed 002 are read where it kept them.
"""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import suppress
from itertools import product
from typing import Any

from recollect.capture.state import with_remarks
from recollect.errors import FileNotThere, StorageFailed
from recollect.model import session as oldsessions
from recollect.model.memory import TRUSTS
from recollect.model.session import STATUSES, Event, Remark, SessionState
from recollect.store import disk, locations

LEVEL = 4  # a twentieth larger than the usual 6, in a third of the time
ACTIVE = "sessions/active"
OWN, BESIDE = "sessions", "../sessions"  # where a store's are, and where seed 002 kept more of them


class FolderSessions:
    """The `sessions` folder of a store."""

    def __init__(self, root: str, came: Callable[[str], Container[str]] | None = None) -> None:
        """`root` is the store's folder; `came` names the files in one of it that came with a repository.

        These count as not there: nobody's client wrote them here.
        """
        self._ask_came = came
        self._known_came: dict[str, Container[str]] = {}
        self._active = os.path.join(root, ACTIVE)
        self._raw = os.path.join(root, "sessions", "raw")
        self._root = root

    def _came(self, folder: str) -> Container[str]:
        if self._ask_came and folder not in self._known_came:
            self._known_came[folder] = self._ask_came(folder)
        return self._known_came.get(folder, ())

    def _is_foreign(self, name: str) -> bool:
        return any(f"active/{name}{end}" in self._came(OWN) for end in (".json", ".jsonl"))

    def load(self, client: str, session: str) -> SessionState | None:
        """The state of a session, or None if there is none that can be read.

        One that cannot be read is made anew: all that is in it comes from the transcript.
        """
        name = locations.writer_of(client, session)
        state = self._read(os.path.join(self._active, f"{name}.json"))
        is_it = state and (state.client, state.session_id) == (client, session)
        if state and is_it and not self._is_foreign(name):
            return state
        if client != oldsessions.CLIENT:
            return None
        return next((old for old in self._every_old() if old.session_id == session), None)

    def _read(self, path: str) -> SessionState | None:
        try:
            data = json.loads(disk.read_file(path))
            if oldsessions.is_old(data):
                return None
            state = SessionState.from_json(data)
        except (FileNotThere, ValueError, TypeError, AttributeError, RecursionError):
            return None
        return state if _is_sound(state) else None

    def has(self, client: str, session: str) -> bool:
        """Whether there is a state of a session, be it one that cannot be read."""
        name = locations.writer_of(client, session)
        return os.path.lexists(os.path.join(self._active, f"{name}.json"))

    def is_behind(self, client: str, session: str, transcript: str) -> bool:
        """Whether a session that was saved went on in its transcript since."""
        path = os.path.join(self._active, f"{locations.writer_of(client, session)}.json")
        with suppress(OSError):
            log, kept = os.stat(transcript), os.stat(path)
            state = self.load(client, session) if log.st_mtime >= kept.st_mtime else None
            at = state.sources.get(transcript) if state and state.status == "saved" else None
            return at is not None and log.st_size > at["offset"]
        return False

    def save(self, *states: SessionState) -> None:
        """Keep these states."""
        disk.make_folder(self._active)
        for state in states:
            text = json.dumps(state.to_json(), ensure_ascii=False, indent=1)
            data = text.encode("utf-8", "replace")
            disk.write_whole(os.path.join(self._active, f"{_name(state)}.json"), data)
        disk.sync_folder(self._active)

    def every(self, since: float = 0.0, client: str = "") -> Iterator[SessionState]:
        """All sessions that can be read and were changed since then (in seconds).

        With what was said of them by command; of one client where it is named, and then not those
        that seed 002 kept.
        """
        names = {
            name.rpartition(".")[0]
            for name in _listed(self._active, (".json", ".jsonl"))
            if not client or name.startswith(f"{client}-")
        }
        seen = set()
        for name in sorted(name for name in names if not self._is_foreign(name)):
            path = os.path.join(self._active, name)
            if _is_newer(f"{path}.json", since) or _is_newer(f"{path}.jsonl", since):
                state = self._read(f"{path}.json") or _blank_of(_rows_in(f"{path}.jsonl")[0])
                if state is not None:
                    seen.add(state.session_id)
                    yield self.whole(state)
        for state in () if client else self._every_old(since):
            if state.session_id not in seen:
                yield self.whole(state)

    def _every_old(self, since: float = 0.0) -> Iterator[SessionState]:
        """The sessions that seed 002 kept, each once."""
        seen = set()
        for part, folder in product(("active", "archived"), (OWN, BESIDE)):
            place = os.path.normpath(f"{self._root}/{folder}/{part}")
            for name in _listed(place, (".json",)):
                path = f"{place}/{name}"
                data = None
                with suppress(FileNotThere, StorageFailed, ValueError, RecursionError):
                    data = json.loads(disk.read_file(path)) if _is_newer(path, since) else None
                if not (isinstance(data, dict) and oldsessions.is_old(data)):
                    continue
                if f"{part}/{name}" in self._came(folder):
                    continue
                state = oldsessions.state_of(data)
                if state.session_id not in seen:
                    seen.add(state.session_id)
                    yield state

    # --------------------------------------------------------------------------------- remarks

    def remarks_path(self, client: str, session: str) -> str:
        """The file in the store that has what is said of a session by command."""
        return f"{ACTIVE}/{locations.writer_of(client, session)}.jsonl"

    def line_of(self, client: str, session: str, remark: Remark, *, escaped: bool = False) -> str:
        """A remark as a line of that file; `escaped` leaves no sign in it as it is."""
        quoted = _without_signs if escaped else _quoted
        row = {"client": client, "session": session, **remark._asdict()}
        parts = [
            f'"{key}": '
            + (quoted(value) if isinstance(value, str) else f"[{', '.join(map(quoted, value))}]")
            for key, value in row.items()
            if value
        ]
        return "{" + ", ".join(parts) + "}\n"

    def whole(self, state: SessionState) -> SessionState:
        """The state with what was said of the session by command.

        Who says something of a session that is saved takes it up again.
        """
        name = _name(state)
        path = os.path.join(self._active, f"{name}.jsonl")
        is_ours = os.path.lexists(path) and not self._is_foreign(name)
        rows, stamp = _rows_in(path) if is_ours else ([], "")
        if not stamp and not state.remarks:
            return state
        made = with_remarks(state, [remark for row in rows if (remark := _remark_of(row))])
        made.remarks = stamp
        if stamp and stamp != state.remarks:
            made.status = "active"
        return made

    # -------------------------------------------------------------------------------- raw copy

    @staticmethod
    def packed(events: Sequence[Event]) -> bytes:
        """Events as they stand in a raw copy."""
        lines = [_as_json(_row(event)) for event in events]
        text = "\n".join(lines) + "\n" if lines else ""
        return gzip.compress(text.encode("utf-8", "replace"), LEVEL, mtime=0) if text else b""

    def append_raw(self, state: SessionState, packed: bytes) -> int:
        """Append events to the raw copy behind `state.raw_bytes`; gives the new size."""
        path = os.path.join(self._raw, f"{_name(state)}.jsonl.gz")
        disk.truncate(path, state.raw_bytes)
        if not packed:
            return state.raw_bytes
        disk.make_folder(self._raw)
        size = os.path.getsize(path) if os.path.exists(path) else 0
        disk.append_bytes(path, packed)
        return size + len(packed)

    def drop_raw(self, state: SessionState) -> None:
        """Take the raw copy away."""
        disk.remove(os.path.join(self._raw, f"{_name(state)}.jsonl.gz"))

    def raw_events(self, state: SessionState) -> Iterator[Event]:
        """The events of the raw copy, as far as it can be read."""
        path = os.path.join(self._raw, f"{_name(state)}.jsonl.gz")
        try:
            with gzip.open(path, "rt", encoding="utf-8") as file:
                for line in file:
                    row = json.loads(line)
                    row["todos"] = tuple(tuple(todo) for todo in row.get("todos", ()))
                    row["options"] = tuple(row.get("options", ()))
                    yield Event(**row)
        except (OSError, EOFError, ValueError, TypeError, zlib.error):
            return


def _listed(folder: str, endings: tuple[str, ...]) -> list[str]:
    """The files of a folder that have one of these endings, by name; none if it is not there."""
    return [
        name
        for name in disk.names_in(folder)
        if name.endswith(endings) and not name.startswith(".")
    ]


def _rows_in(path: str) -> tuple[list[dict[str, Any]], str]:
    """`(rows, stamp)` of a file of remarks; a line that cannot be read hides no other."""
    try:
        data = disk.read_file(path)
    except (FileNotThere, StorageFailed):
        return [], ""
    rows = []
    for line in data.split(b"\n"):
        with suppress(ValueError, RecursionError):
            row = json.loads(line)
            if isinstance(row, dict):
                rows.append(row)
    return rows, disk.stamp_of(data)


def _blank_of(rows: list[dict[str, Any]]) -> SessionState | None:
    """The state of a session of which nothing is known but what was said of it by command."""
    for row in rows:
        client, session = row.get("client"), row.get("session")
        if isinstance(client, str) and isinstance(session, str) and session:
            return SessionState(session, client)
    return None


def _remark_of(row: dict[str, Any]) -> Remark | None:
    texts = {
        key: value
        for key in ("kind", "text", "time", "terminal")
        if isinstance(value := row.get(key), str)
    }
    if "kind" not in texts:
        return None
    tags = row.get("tags")
    words = tuple(tag for tag in tags if isinstance(tag, str)) if isinstance(tags, list) else ()
    trust = row.get("trust", "user")
    return Remark(**texts, trust=trust if trust in TRUSTS else TRUSTS[0], tags=words)


def _quoted(text: str) -> str:
    return json.dumps(text.encode("utf-8", "replace").decode(), ensure_ascii=False)


def _without_signs(text: str) -> str:
    """A text as JSON in which only letters, digits and blanks stand for themselves."""
    plain = text.encode("utf-8", "replace").decode()
    said = (c if c.isalnum() or c == " " or c > "\uffff" else f"\\u{ord(c):04x}" for c in plain)
    return f'"{"".join(said)}"'


def _is_newer(path: str, since: float) -> bool:
    try:
        return os.stat(path).st_mtime >= since
    except OSError:
        return False


def _is_sound(state: SessionState) -> bool:
    """Whether every field of a state that was read has the type it is used with."""
    blank = SessionState("").to_json()
    if state.status not in STATUSES:
        return False
    if not all(isinstance(value, type(blank[name])) for name, value in state.to_json().items()):
        return False
    rows = (
        *state.decisions, *state.patterns, *state.issues, *state.problems, *state.solutions,
        *state.todos, *state.failures, *state.made, *state.calls.values(), *state.sources.values(),
    )  # fmt: skip
    return all(isinstance(row, dict) for row in rows)


def _name(state: SessionState) -> str:
    return locations.writer_of(state.client, state.session_id)


_as_json = json.JSONEncoder(ensure_ascii=False).encode
_DEFAULTS = [(name, Event._field_defaults.get(name)) for name in Event._fields]


def _row(event: Event) -> dict[str, object]:
    """An event without its empty fields."""
    pairs = zip(_DEFAULTS, event, strict=True)
    return {name: value for (name, default), value in pairs if value != default}
