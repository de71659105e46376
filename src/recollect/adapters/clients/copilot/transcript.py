"""Copilot CLI: reading its transcripts, `~/.copilot/session-state/<session>/events.jsonl`.

Promises: what is given once is never given again; unknown kinds of lines are passed over; what we
injected, and what its sub-agents said among themselves, is no event.
Touches: transcripts (reading).

The shapes are those of version 1.0.102.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from recollect.adapters.clients import lines
from recollect.adapters.clients.transcripts import LineTranscripts, Reading
from recollect.domain.session import Event

OWN_TOOL = "recollect"
FILE = "events.jsonl"
_KINDS = tuple(
    f'{{"type":"{kind}"'.encode()
    for kind in (
        "session.start",
        "session.resume",
        "session.compaction_complete",
        "user.message",
        "assistant.message",
        "tool.execution_start",
        "tool.execution_complete",
    )
)
_EDITS = ("create", "edit", "str_replace_editor", "apply_patch")
_WEB = ("web_fetch", "web_search")
_GUIDANCE = '\n\nTool "'  # what hooks said of a result stands behind it


class CopilotTranscripts(LineTranscripts):
    """Reader of Copilot CLI's transcripts."""

    client = "copilot"

    def reading(self, session: str) -> Reading:
        """What lines are to be taken in by."""
        return _Reading(session)

    def session_of(self, path: str) -> str:
        """The session that a transcript is of: the name of its folder."""
        return os.path.basename(os.path.dirname(path)) if self.is_named(path) else ""

    def is_named(self, path: str) -> bool:
        """Whether a file has the name of a transcript."""
        return os.path.basename(path) == FILE


class _Reading(Reading):
    def take(self, raw: bytes) -> None:
        if not raw.startswith(_KINDS):
            return
        line = lines.object_of(raw)
        data = lines.members(line.get("data"))
        if data.get("parentToolCallId"):
            return
        kind = line.get("type")
        if kind in ("session.start", "session.resume"):
            context = lines.members(data.get("context"))
            self.cwd = lines.string(context.get("cwd")) or self.cwd
            self.branch = lines.string(context.get("branch")) or self.branch
            return
        name, time = lines.string(line.get("id")), lines.time_of(line.get("timestamp"))
        self.events += _events(str(kind), data, time, name)


def _events(kind: str, data: dict[str, Any], time: str, name: str) -> Iterator[Event]:
    text = lines.string(data.get("content")).strip()
    if kind == "user.message":
        if text and data.get("source") in (None, "user"):
            yield Event("prompt", time, text=text, id=name)
    elif kind == "assistant.message":
        if text:
            yield Event("answer", time, text=text, id=name)
    elif kind == "session.compaction_complete":
        yield Event("compacted", time, id=name)
    elif kind == "tool.execution_start":
        yield from _started(data, time, name)
    elif kind == "tool.execution_complete":
        yield from _ended(data, time, name)


def _started(data: dict[str, Any], time: str, name: str) -> Iterator[Event]:
    tool, call = lines.string(data.get("toolName")), lines.string(data.get("toolCallId"))
    given = lines.members(data.get("arguments"))
    if data.get("mcpServerName") == OWN_TOOL:
        yield Event("call", time, tool=OWN_TOOL, call=call, id=name)
        return
    kind = "shell" if tool == "bash" else "edit" if tool in _EDITS else tool
    keys = ("command", "path", "url", "query", "pattern")
    target = next((lines.string(given[key]) for key in keys if given.get(key)), "")
    yield Event("call", time, tool=kind, call=call, target=target, id=name)
    if tool in _WEB or data.get("mcpServerName"):
        yield Event("web", time, id=f"{name}.w")


def _ended(data: dict[str, Any], time: str, name: str) -> Iterator[Event]:
    call, error = lines.string(data.get("toolCallId")), data.get("error")
    text = lines.string(lines.members(data.get("result")).get("content"))
    refused = False
    if isinstance(error, dict):
        text = lines.string(error.get("message"))
        refused = error.get("code") in ("rejected", "denied")  # a person's no is no failure
    code = lines.members(data.get("shellExecution")).get("exitCode")
    ok = bool(data.get("success")) and not code
    text = "" if refused else text.partition(_GUIDANCE)[0]
    yield Event("result", time, text=text, call=call, ok=ok, id=name)
