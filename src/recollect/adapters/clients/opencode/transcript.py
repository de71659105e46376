"""OpenCode: reading its sessions, which are rows of its database, `<its data>/opencode.db`.

A transcript is named `<database>#<session>`; an offset is the time of the last message that was
read whole.

Promises: what is given once is never given again (a message that is read once more has the same
ids); what we put into a message is no event; nothing is written, and nobody is kept waiting.
Touches: the database (reading).

The shapes are those of version 1.18.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from typing import Any
from urllib.parse import quote

from recollect.adapters.clients import lines
from recollect.domain.session import Event
from recollect.hooks import places
from recollect.named import NamedTuple
from recollect.ports import Portion

OWN_TOOL = "recollect"
FILE = "opencode.db"
MOST_MESSAGES = 500  # of a portion
BUSY_SECONDS = 2.0
_OURS = "recollect_"
_EDITS = ("edit", "write", "apply_patch", "multiedit", "patch")
_WEB = ("webfetch", "websearch")
_SESSION = "SELECT directory, parent_id FROM session WHERE id = ?"
_SESSIONS = "SELECT id FROM session WHERE parent_id IS NULL ORDER BY time_created, id"
_MESSAGES = (
    "SELECT id, time_created, data FROM message WHERE session_id = ? AND time_created >= ?"
    " ORDER BY time_created, id LIMIT ?"
)
_PARTS = "SELECT id, time_created, data FROM part WHERE message_id = ? ORDER BY id"


class _Row(NamedTuple):
    """A message or a part of one."""

    id: str
    created: int
    data: dict[str, Any]


class OpenCodeTranscripts:
    """Reader of OpenCode's sessions."""

    client = "opencode"

    def session_of(self, path: str) -> str:
        """The session that is named behind the database."""
        return path.partition("#")[2]

    def find(self, folder: str) -> list[str]:
        """The sessions in a database, or in the one of a folder, oldest first."""
        if "#" in folder:
            return [folder]
        path = os.path.join(folder, FILE) if os.path.isdir(folder) else folder
        return [f"{path}#{row[0]}" for row in _rows(path, _SESSIONS, ())]

    def moved(self, path: str) -> str:
        """The same path: a session stays in its database."""
        return path

    def folder_of(self, path: str) -> str:
        """The folder in which the session was started, or nothing."""
        base, _, session = path.partition("#")
        return next((lines.string(row[0]) for row in _rows(base, _SESSION, (session,))), "")

    def read(self, path: str, offset: int, inode: int) -> Portion:
        """What was added since `offset`; from the start if it is another database now."""
        base, _, session = path.partition("#")
        try:
            now = os.stat(base).st_ino
        except OSError:
            return Portion([], offset, inode, "", "", session, "")
        start = 0 if inode and inode != now else offset
        events: list[Event] = []
        end = start
        messages = [_row(row) for row in _rows(base, _MESSAGES, (session, start, MOST_MESSAGES))]
        for n, message in enumerate(messages):
            parts = [_row(row) for row in _rows(base, _PARTS, (message.id,))]
            for part in parts:
                events += _events(message, part)
            is_last = n + 1 == len(messages)
            if not is_last or _is_whole(message):
                end = message.created
        return Portion(events, end, now, self.folder_of(path), "", session, "")


def _rows(path: str, query: str, values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    """The rows of a query; none from what is no such database, or is busy for too long."""
    if not os.path.isfile(path):
        return []
    with suppress(sqlite3.Error):
        where = f"file:{quote(path)}?mode=ro"
        with closing(sqlite3.connect(where, uri=True, timeout=BUSY_SECONDS)) as db:
            return db.execute(query, values).fetchall()
    return []


def _row(row: tuple[Any, ...]) -> _Row:
    data = lines.object_of(row[2]) if isinstance(row[2], str | bytes) else {}
    return _Row(str(row[0]), int(row[1]), data)


def _is_whole(message: _Row) -> bool:
    """Whether nothing can be added to a message any more."""
    done = lines.members(message.data.get("time")).get("completed")
    return message.data.get("role") == "user" or bool(done or message.data.get("error"))


def _events(message: _Row, part: _Row) -> Iterator[Event]:
    kind, time = part.data.get("type"), places.utc(part.created / 1000)
    if kind == "text" and not part.data.get("synthetic") and not part.data.get("ignored"):
        text = lines.string(part.data.get("text")).strip()
        if message.data.get("role") == "user":
            # Its command line wraps a prompt of several words.
            wrapped = len(text) > 1 and text.startswith('"') and text.endswith('"')
            yield Event("prompt", time, text=text[1:-1] if wrapped else text, id=part.id)
        elif text and not message.data.get("summary"):
            yield Event("answer", time, text=text, id=part.id)
    elif kind == "tool":
        yield from _used(part, time)
    elif kind == "compaction":
        yield Event("compacted", time, id=part.id)


def _used(part: _Row, time: str) -> Iterator[Event]:
    tool, call = lines.string(part.data.get("tool")), lines.string(part.data.get("callID"))
    state = lines.members(part.data.get("state"))
    given = lines.members(state.get("input"))
    if state.get("status") not in ("completed", "error"):
        return  # it is read again when it has ended
    if tool == "todowrite":
        rows = lines.objects(given.get("todos"))
        todos = tuple(
            (lines.string(r.get("status")), lines.string(r.get("content")), "") for r in rows
        )
        yield Event("todos", time, todos=todos, id=part.id)
        return
    if tool.startswith(_OURS):
        yield Event("call", time, tool=OWN_TOOL, call=call, id=part.id)
        return
    kind = "shell" if tool == "bash" else "edit" if tool in _EDITS else tool
    target = next(
        (lines.string(given[k]) for k in ("command", "filePath", "url", "pattern") if given.get(k)),
        "",
    )
    yield Event("call", time, tool=kind, call=call, target=target, id=part.id)
    if tool in _WEB:
        yield Event("web", time, id=f"{part.id}.w")
    code = lines.members(state.get("metadata")).get("exit")
    text = lines.string(state.get("error")) or lines.string(state.get("output"))
    refused = "rejected permission" in text or "user dismissed" in text  # no failure to learn from
    ok = state.get("status") == "completed" and not code
    yield Event("result", time, text="" if refused else text, call=call, ok=ok, id=f"{part.id}.r")
