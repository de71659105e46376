"""Claude Code: reading its transcripts, `~/.claude/projects/<slug>/<session>.jsonl`.

Promises: what is given once is never given again (the offset is behind the last whole line);
unknown kinds of lines are passed over; what we injected, what machines prompted and what
sub-agents said among themselves is no event.
Touches: transcripts (reading).

The shapes are those of version 2.1.330 and of older ones that lack `promptSource`.
"""

from __future__ import annotations

import glob
import json
import os
import re
from collections.abc import Iterator
from typing import Any

from recollect.domain.session import Event
from recollect.ports import Portion

PORTION_BYTES = 16 * 1024 * 1024
LONGEST_LINE = 64 * 1024 * 1024
LONGEST_RESULT = 4_000
LONGEST_TEXT = 200_000
_SKIPPED = tuple(
    f'{{"type":"{kind}'.encode()
    for kind in (
        "api-request", "queue-operation", "last-prompt", "tools-used", "atis-latch", "cost-state",
        "file-history-snapshot", "mode", "permission-mode", "summary",
    )
)  # fmt: skip
_MACHINE = (
    "<task-notification", "<command-", "<local-command-", "<bash-", "<system-reminder",
    "Caveat: The messages below", "[Request interrupted",
)  # fmt: skip
_REMINDER = re.compile(r"<system-reminder>.*?(?:</system-reminder>|\Z)", re.S)
_PASTED = re.compile(r"</?pasted_content\b[^>]*>")
_SHELLS = {"Bash": "command", "PowerShell": "command"}
_EDITS = {
    "Edit": "file_path",
    "Write": "file_path",
    "MultiEdit": "file_path",
    "NotebookEdit": "notebook_path",
}
_WEB = ("WebFetch", "WebSearch", "mcp__")
_OURS = ("mcp__recollect", "mcp__plugin_recollect")


class ClaudeTranscripts:
    """Reader of Claude Code's transcripts."""

    client = "claude"

    def session_of(self, path: str) -> str:
        """The session that a transcript is of: its file's stem; sub-agents have none."""
        stem = os.path.basename(path).removesuffix(".jsonl")
        if stem.startswith("agent-") or f"{os.sep}subagents{os.sep}" in path:
            return ""
        return stem

    def find(self, folder: str) -> list[str]:
        """The transcripts in a folder and below, oldest first; a file is its own list."""
        if os.path.isfile(folder):
            return [folder]
        found: list[tuple[float, str]] = []
        for base, folders, files in os.walk(folder):
            folders[:] = [
                name for name in folders if name not in ("subagents", "tool-results", "memory")
            ]
            for name in files:
                path = os.path.join(base, name)
                if name.endswith(".jsonl") and self.session_of(path) and not os.path.islink(path):
                    found.append((os.path.getmtime(path), path))
        return [path for _, path in sorted(found)]

    def moved(self, path: str) -> str:
        """Where the transcript really is, if a hook named a place where it is not.

        After a resume from elsewhere the hook names a path below the new folder, but the lines
        go to the first one.
        """
        if os.path.exists(path):
            return path
        folder = os.path.dirname(os.path.dirname(path))
        found = glob.glob(
            os.path.join(glob.escape(folder), "*", glob.escape(os.path.basename(path)))
        )
        return found[0] if found else path

    def read(self, path: str, offset: int, inode: int) -> Portion:
        """Some megabytes of what was added since `offset`; from the start if the file is another."""
        try:
            handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return Portion([], offset, inode, "", "", self.session_of(path), "")
        with os.fdopen(handle, "rb") as file:
            info = os.fstat(handle)
            if info.st_size < offset or (inode and info.st_ino != inode):
                offset = 0
            data = _whole_lines(file, offset)
        reading = _Reading()
        for raw in data.split(b"\n"):
            if raw and not raw.startswith(_SKIPPED):
                reading.take(raw)
        return Portion(
            reading.events,
            offset + len(data),
            info.st_ino,
            reading.cwd,
            reading.branch,
            self.session_of(path),
            reading.parent,
        )


def _whole_lines(file: Any, offset: int) -> bytes:
    """The bytes from `offset` on, up to the last whole line of a portion."""
    size = PORTION_BYTES
    while True:
        data: bytes = os.pread(file.fileno(), size, offset)
        end = data.rfind(b"\n") + 1
        if end or len(data) < size or size >= LONGEST_LINE:
            return data[:end]
        size *= 2


class _Reading:
    """What has been read of a portion."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.cwd = self.branch = self.parent = ""

    def take(self, raw: bytes) -> None:
        try:
            line = json.loads(raw)
        except (ValueError, RecursionError):
            return
        if not isinstance(line, dict) or line.get("isSidechain"):
            return
        self.cwd = self.cwd or _text(line.get("cwd"))
        self.branch = _text(line.get("gitBranch")) or self.branch
        forked = line.get("forkedFrom")
        if isinstance(forked, dict):
            self.parent = _text(forked.get("sessionId"))
        kind = line.get("type")
        if kind == "user":
            self.events += _user(line)
        elif kind == "assistant":
            self.events += _assistant(line)
        elif kind == "attachment":
            self.events += _attachment(line)
        elif kind == "system" and line.get("subtype") == "compact_boundary":
            self.events.append(Event("compacted", _time(line), id=_id(line, 0)))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _time(line: dict[str, Any]) -> str:
    """The time of a line in our form; theirs has milliseconds."""
    time = _text(line.get("timestamp"))
    return time[:19] + "Z" if len(time) >= 20 else ""


def _id(line: dict[str, Any], n: int) -> str:
    # The first part of a uuid is enough to know a line again, also in a fork's copy of it.
    uuid = _text(line.get("uuid"))
    return f"{uuid[:13]}.{n}" if uuid and n else uuid[:13]


def _blocks(line: dict[str, Any]) -> list[dict[str, Any]]:
    message = line.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        return [{"type": "text", "text": content, "whole": True}]
    return [b for b in content if isinstance(b, dict)] if isinstance(content, list) else []


def _user(line: dict[str, Any]) -> Iterator[Event]:
    if line.get("isMeta") or line.get("isCompactSummary"):
        return
    for n, block in enumerate(_blocks(line)):
        if block.get("type") == "tool_result":
            yield from _result(line, block, n)
    text = _prompt(line)
    if text:
        yield Event("prompt", _time(line), text=text, id=_id(line, 0))


def _prompt(line: dict[str, Any]) -> str:
    """What a person said in this line, or nothing."""
    blocks = _blocks(line)
    texts = [_text(b.get("text")) for b in blocks if b.get("type") == "text"]
    source = line.get("promptSource")
    if source is None and not (len(blocks) == 1 and blocks[0].get("whole")):
        return ""
    if source not in (None, "typed", "sdk") or line.get("turnOrigin") == "task_notification":
        return ""
    return human_text("\n".join(texts))


def human_text(text: str) -> str:
    """A prompt without the client's wrappings; nothing if a machine wrote it."""
    if text.lstrip().startswith(_MACHINE):
        return ""
    if "<" in text:
        text = _PASTED.sub("", _REMINDER.sub("", text))
    return text.strip()[:LONGEST_TEXT]


def _attachment(line: dict[str, Any]) -> Iterator[Event]:
    # A prompt typed while the agent works is not a line of its own but an attachment.
    what = line.get("attachment")
    if not isinstance(what, dict) or what.get("type") != "queued_command":
        return
    origin = what.get("origin")
    human = what.get("humanTurn") or (isinstance(origin, dict) and origin.get("kind") == "human")
    text = human_text(_text(what.get("prompt"))) if human else ""
    if text:
        yield Event("prompt", _time(line), text=text, id=_id(line, 0))


def _assistant(line: dict[str, Any]) -> Iterator[Event]:
    if line.get("isApiErrorMessage"):
        return
    for n, block in enumerate(_blocks(line)):
        if block.get("type") == "text" and _text(block.get("text")).strip():
            yield Event(
                "answer", _time(line), text=block["text"].strip()[:LONGEST_TEXT], id=_id(line, n)
            )
        elif block.get("type") == "tool_use":
            yield from _call(line, block, n)


def _call(line: dict[str, Any], block: dict[str, Any], n: int) -> Iterator[Event]:
    name = _text(block.get("name"))
    given = block.get("input")
    given = given if isinstance(given, dict) else {}
    call = _text(block.get("id"))
    time = _time(line)
    if name in _SHELLS:
        yield Event(
            "call",
            time,
            tool="shell",
            call=call,
            target=_text(given.get("command"))[:LONGEST_RESULT],
            id=_id(line, n),
        )
    elif name in _EDITS:
        yield Event(
            "call",
            time,
            tool="edit",
            call=call,
            target=_text(given.get(_EDITS[name])),
            id=_id(line, n),
        )
    elif name == "TodoWrite":
        todos = given.get("todos")
        rows = [t for t in todos if isinstance(t, dict)] if isinstance(todos, list) else []
        pairs = tuple(
            (_text(t.get("status")), _text(t.get("content")), "") for t in rows if t.get("content")
        )
        yield Event("todos", time, todos=pairs, id=_id(line, n))
    else:
        target = next(
            (
                _text(given[k])
                for k in ("file_path", "path", "pattern", "query", "url", "subject")
                if given.get(k)
            ),
            "",
        )
        yield Event("call", time, tool=name, call=call, target=target[:500], id=_id(line, n))
        if name.startswith(_WEB) and not name.startswith(_OURS):
            yield Event("web", time, id=f"{_id(line, n)}w")


def _result(line: dict[str, Any], block: dict[str, Any], n: int) -> Iterator[Event]:
    content = block.get("content")
    if isinstance(content, list):
        parts = [_text(b.get("text")) for b in content if isinstance(b, dict)]
        content = "\n".join(part for part in parts if part)
    text = _text(content)
    if len(text) > LONGEST_RESULT:
        text = text[: LONGEST_RESULT * 3 // 4] + "\n…\n" + text[-LONGEST_RESULT // 4 :]
    extra = line.get("toolUseResult")
    yield Event(
        "result",
        _time(line),
        text=text,
        call=_text(block.get("tool_use_id")),
        ok=not block.get("is_error"),
        id=_id(line, n),
    )
    if isinstance(extra, dict):
        yield from _task(line, extra, n)


def _task(line: dict[str, Any], extra: dict[str, Any], n: int) -> Iterator[Event]:
    """The to-do list of newer versions, kept task by task."""
    task = extra.get("task")
    if isinstance(task, dict) and task.get("subject"):
        row = ("open", _text(task.get("subject")), _text(task.get("id")))
        yield Event("todos", _time(line), todos=(row,), id=f"{_id(line, n)}t")
    change = extra.get("statusChange")
    if isinstance(change, dict) and extra.get("taskId"):
        row = (_text(change.get("to")), "", _text(extra.get("taskId")))
        yield Event("todos", _time(line), todos=(row,), id=f"{_id(line, n)}t")
