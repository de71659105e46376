"""OpenCode: its database, plugin and settings."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from itertools import islice
from typing import Any
from urllib.parse import quote

from recollect._fastimport import NamedTuple
from recollect.clients import base as lines
from recollect.clients.base import ConfigPart, HookProgram, OwnedFile
from recollect.clients.config_files import ObjectEntry
from recollect.model.session import Event
from recollect.ports import Portion
from recollect.store import locations

MARK = "// recollect: made by `recollect init --client opencode`"
HEAD = '{\n  "$schema": "https://opencode.ai/config.json"\n}'


def folder(env: dict[str, str]) -> str:
    """The client's own folder of this user."""
    base = env.get("XDG_CONFIG_HOME") or os.path.join(env.get("HOME", "/"), ".config")
    return os.path.join(base, "opencode")


def parts(env: dict[str, str], program: HookProgram) -> list[ConfigPart]:
    """The files of this user that get our entries."""
    value = {"type": "local", "command": program.server, "enabled": True}
    server = ObjectEntry("mcp", "recollect", value, head=HEAD, has_comments=True)
    plugin = os.path.join(folder(env), "plugins", "recollect.js")
    return [
        ConfigPart("", plugin, OwnedFile(plugin_text(program), MARK)),
        ConfigPart("mcp", _settings_path(folder(env)), server),
    ]


def _settings_path(where: str) -> str:
    """The settings file that is there, or the one to be made."""
    named = [os.path.join(where, name) for name in ("opencode.jsonc", "opencode.json")]
    return next((path for path in named if os.path.exists(path)), named[-1])


def plugin_text(program: HookProgram) -> str:
    """The plugin, for this installation of ours."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "opencode_plugin.js")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for name, value in program._asdict().items():
        text = text.replace(f'"{{{name}}}"', json.dumps(value, ensure_ascii=False))
    return f"{MARK}\n{text}"


# -------------------- OpenCode: reading its sessions: rows of its database, `<its data>/opencode.db`, or a file of
# `opencode export`, an object with `info` and `messages`, each of which has `info` and `parts`.


FILE = "opencode.db"
MOST_MESSAGES = 500  # of a portion
BUSY_SECONDS = 2.0
_OURS = ("recollect_",)
_EDITS = ("edit", "write", "apply_patch", "multiedit", "patch")
# The client's own tools that look at nothing but this machine; what it does not know is a server's.
_PLAIN = frozenset(
    """bash read write edit multiedit patch apply_patch grep glob list ls todowrite todoread task skill question
    lsp lsp_hover lsp_diagnostics batch invalid plan_enter plan_exit""".split()
)
_UNNAMED = ("New session - ", "Child session - ")
_SESSIONS = "SELECT id FROM session WHERE parent_id IS NULL ORDER BY time_created, id"
_MESSAGES = (
    "SELECT id, time_created, data FROM message WHERE session_id = ? AND time_created >= ?"
    " ORDER BY time_created, id LIMIT ?"
)
_ALL_PARTS = "SELECT id, time_created, data FROM part WHERE session_id = ? ORDER BY id"
_PARTS = "SELECT id, time_created, data FROM part WHERE message_id = ? ORDER BY id"


def database(env: dict[str, str]) -> str:
    """The database of this user's sessions."""
    base = env.get("XDG_DATA_HOME") or os.path.join(env.get("HOME", "/"), ".local", "share")
    return os.path.join(base, "opencode", FILE)


class _Row(NamedTuple):
    """A message or a part of one."""

    id: str
    created: int
    data: dict[str, Any]


class OpenCodeTranscripts:
    """Reader of OpenCode's sessions."""

    def session_of(self, path: str) -> str:
        """The session that is named behind the database, or in an export; sub-agents have none."""
        about = lines.members(_exported(path).get("info"))
        return path.partition("#")[2] or (
            "" if about.get("parentID") else lines.string(about.get("id"))
        )

    def find(self, folder: str) -> list[str]:
        """The sessions in a database, or in the one of a folder, oldest first; else exports."""
        if "#" in folder:
            return [folder]
        path = os.path.join(folder, FILE) if os.path.isdir(folder) else folder
        found = [f"{path}#{row[0]}" for row in _rows(path, _SESSIONS, ())]
        exports = lines.files_in(folder, _may_be_export) if not found else []
        return found or [one for one in exports if self.session_of(one)]

    def moved(self, path: str) -> str:
        """The same path: a session stays in its database."""
        return path

    def folder_of(self, path: str) -> str:
        """The folder in which the session was started, or nothing."""
        base, _, session = path.partition("#")
        if about := lines.members(_exported(path).get("info")):
            return lines.string(about.get("directory"))
        return _field_of(base, session, "directory")

    def read(self, path: str, offset: int, inode: int) -> Portion:
        """What was added since `offset`; from the start if it is another database now."""
        base, _, session = path.partition("#")
        try:
            now, size = os.stat(base).st_ino, os.path.getsize(base)
        except OSError:
            return Portion([], offset, inode, "", "", session)
        if not session:
            is_known = (offset, inode) == (size, now)
            return self._portion(path, [] if is_known else list(_events_in(path)), size, now)
        start = 0 if inode and inode != now else offset
        events: list[Event] = []
        end = start
        program = _is_of_program(base, session)
        messages = [_row(row) for row in _rows(base, _MESSAGES, (session, start, MOST_MESSAGES))]
        for n, message in enumerate(messages):
            parts = [_row(row) for row in _rows(base, _PARTS, (message.id,))]
            told = [event for part in parts for event in _events(message, part)]
            told += _pages_of_sub_agents(base, parts, (session,))
            events += _prompts(told, program=program) if _is_users(message) else told
            is_last = n + 1 == len(messages)
            if not is_last or _is_whole(message):
                end = message.created
        events = (
            lines.titled(events, _title(_field_of(base, session, "title"))) if events else events
        )
        return self._portion(path, events, end, now)

    def _portion(self, path: str, events: list[Event], end: int, inode: int) -> Portion:
        """These events, without the texts of the project's commands."""
        cwd = self.folder_of(path)
        folders = [os.path.join(cwd, ".opencode", name) for name in ("command", "commands")]
        bodies = lines.command_bodies(folders, ".md") if cwd and events else []
        told = lines.without_commands(events, bodies)
        return Portion(told, end, inode, cwd, "", self.session_of(path))


def _may_be_export(path: str) -> bool:
    """Whether a file begins as an export does; it is not read further for that."""
    return path.endswith(".json") and b'"info"' in b"".join(islice(lines.first(path), 3))[:99]


def _exported(path: str) -> dict[str, Any]:
    """What a file of `opencode export` says; an empty object for any other file."""
    if not _may_be_export(path):
        return {}
    whole = lines.object_of(b"".join(lines.first(path)))
    return whole if isinstance(whole.get("messages"), list) and whole.get("info") else {}


def _events_in(path: str) -> list[Event]:
    """The events of an export. What a sub-agent has read is not in it: it may have been a page."""
    whole = _exported(path)
    about = lines.members(whole.get("info"))
    program = _has_nobody_to_ask(about.get("permission"))
    events: list[Event] = []
    for one in lines.objects(whole.get("messages")):
        message = _row_of(lines.members(one.get("info")), 0)
        told: list[Event] = []
        for part in (_row_of(part, message.created) for part in lines.objects(one.get("parts"))):
            told += _events(message, part)
            if part.data.get("tool") == "task":
                told.append(Event("web", locations.utc(part.created / 1000), id=f"{part.id}.s"))
        events += _prompts(told, program=program) if _is_users(message) else told
    return lines.titled(events, _title(lines.string(about.get("title")))) if events else events


def _row_of(data: dict[str, Any], created: int) -> _Row:
    """A message or a part of an export; one that tells no time is as old as what it belongs to."""
    told = lines.members(data.get("time")) or lines.members(
        lines.members(data.get("state")).get("time")
    )
    time = told.get("created", told.get("start"))
    return _Row(lines.string(data.get("id")), time if isinstance(time, int) else created, data)


def _rows(path: str, query: str, values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    """The rows of a query; none if it is another database, or busy for too long."""
    if not os.path.isfile(path):
        return []
    with suppress(sqlite3.Error):
        where = f"file:{quote(path)}?mode=ro"
        with closing(sqlite3.connect(where, uri=True, timeout=BUSY_SECONDS)) as db:
            return db.execute(query, values).fetchall()
    return []


def _field_of(base: str, session: str, name: str) -> str:
    """A field of a session; empty where there is no such session, or no such field."""
    rows = _rows(base, f"SELECT {name} FROM session WHERE id = ?", (session,))  # noqa: S608 - ours
    return next((lines.string(row[0]) for row in rows), "")


def _row(row: tuple[Any, ...]) -> _Row:
    data = lines.object_of(row[2]) if isinstance(row[2], str | bytes) else {}
    return _Row(str(row[0]), int(row[1]), data)


def _title(title: str) -> str:
    """The title of a session, unless it is the one that each begins with."""
    return "" if title.startswith(_UNNAMED) else title


def _is_of_program(base: str, session: str) -> bool:
    """Whether `opencode run` made the session."""
    with suppress(ValueError, TypeError):
        return _has_nobody_to_ask(json.loads(_field_of(base, session, "permission")))
    return False


def _has_nobody_to_ask(rules: object) -> bool:
    """Whether these are the rules of `opencode run`, in which the agent may ask nobody."""
    told = ((rule.get("permission"), rule.get("action")) for rule in lines.objects(rules))
    return ("question", "deny") in told


def _pages_of_sub_agents(
    base: str, parts: Iterable[_Row], known: tuple[str, ...]
) -> Iterator[Event]:
    """That a sub-agent has read a page; its session is named by the call that started it."""
    for part in parts:
        about = lines.members(part.data.get("state"))
        child = lines.string(lines.members(about.get("metadata")).get("sessionId"))
        if part.data.get("tool") != "task" or not child or child in known:
            continue
        its = [_row(row) for row in _rows(base, _ALL_PARTS, (child,))]
        own = (event for one in its for event in _used(one, "") if one.data.get("type") == "tool")
        below = _pages_of_sub_agents(base, its, (*known, child))
        if any(event.is_page for event in (*own, *below)):
            yield Event("web", locations.utc(part.created / 1000), id=f"{part.id}.s")


def _is_users(message: _Row) -> bool:
    return message.data.get("role") == "user"


def _prompts(told: list[Event], *, program: bool) -> Iterator[Event]:
    """The prompts in a user's message: its first text; the others are quoted."""
    first = next((event for event in told if event.kind == "prompt"), None)
    for event in told:
        if event.kind != "prompt":
            yield event
        elif event is not first:
            yield event._replace(text=lines.quoted(event.text).strip(), program=True)
        else:
            # The command line wraps a prompt of several words.
            text = event.text
            wrapped = len(text) > 1 and text.startswith('"') and text.endswith('"')
            yield event._replace(text=text[1:-1] if wrapped else text, program=program or wrapped)


def _is_whole(message: _Row) -> bool:
    """Whether nothing can be added to a message any more."""
    done = lines.members(message.data.get("time")).get("completed")
    return _is_users(message) or bool(done or message.data.get("error"))


def _events(message: _Row, part: _Row) -> Iterator[Event]:
    kind, time = part.data.get("type"), locations.utc(part.created / 1000)
    if kind == "text" and not part.data.get("synthetic") and not part.data.get("ignored"):
        text = lines.string(part.data.get("text")).strip()
        if _is_users(message):
            yield Event("prompt", time, text=text, id=part.id)
        elif text:
            kind = "recap" if message.data.get("summary") else "answer"
            yield Event(kind, time, text=text, id=part.id)
    elif kind == "tool":
        yield from _used(part, time)
    elif kind == "compaction":
        yield Event("compacted", time, id=part.id)


_FEEDBACK = "with the following feedback: "


def _used(part: _Row, time: str) -> Iterator[Event]:
    tool, call = lines.string(part.data.get("tool")), lines.string(part.data.get("callID"))
    state = lines.members(part.data.get("state"))
    given = lines.members(state.get("input"))
    if state.get("status") not in ("completed", "error"):
        return  # it is read again when it has ended
    if tool == "todowrite":
        todos = lines.todos_in(given.get("todos"), "content")
        yield Event("todos", time, todos=todos, id=part.id)
        return
    if lines.is_ours(tool, _OURS):
        yield Event("call", time, tool=lines.OWN_TOOL, call=call, id=part.id)
        if lines.is_second_hand(lines.string(state.get("output"))):
            yield Event("web", time, id=f"{part.id}.w")
        return
    kind = "shell" if tool == "bash" else "edit" if tool in _EDITS else tool
    about = lines.members(state.get("metadata"))
    target = lines.string_in(given, "command", "filePath", "url", "pattern")
    patched = [] if target or kind != "edit" else _patched(given, about)
    target = "".join(patched[:1]) or target
    change = lines.change_of(given) if kind == "edit" else ""
    if patched:
        said = lines.changes_patched(lines.string(given.get("patchText")))
        change = next((one for path, one in said if f"/{target}".endswith(f"/{path}")), "")
    yield Event("call", time, tool=kind, call=call, target=target, text=change, id=part.id)
    if tool not in _PLAIN:
        yield Event("web", time, id=f"{part.id}.w")
    code = about.get("exit")
    text = lines.string(state.get("error")) or lines.string(state.get("output"))
    if tool == "question" and state.get("status") == "completed":
        answers = about.get("answers")
        questions = lines.objects(given.get("questions"))
        said = answers if isinstance(answers, list) else []
        yield from lines.choices(questions, said, time, part.id)
    # What a tool of another server says, or a program that ran, is nobody's no.
    no = lines.string(state.get("error")) if tool in _PLAIN else ""
    comment = no.partition(_FEEDBACK)[2].strip() if "rejected permission" in no[:80] else ""
    if comment:
        yield Event("refusal", time, text=comment, id=f"{part.id}.n")
    refused = "rejected permission" in text or "user dismissed" in text  # no failure to learn from
    ok = state.get("status") == "completed" and not code
    yield Event("result", time, text="" if refused else text, call=call, ok=ok, id=f"{part.id}.r")
    for n, path in enumerate(patched[1:]):
        yield Event("result", time, tool="edit", target=path, ok=ok, id=f"{part.id}.p{n}")


def _patched(given: dict[str, Any], about: dict[str, Any]) -> list[str]:
    """The files that a patch changes: `apply_patch`, with which some models edit, names them in its text."""
    told = [lines.string(row.get("filePath")) for row in lines.objects(about.get("files"))]
    return [path for path in told if path] or lines.files_patched(
        lines.string(given.get("patchText"))
    )
