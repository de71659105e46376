"""Demo: a session in the shape of Claude Code's own log (version 2.1.330)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from recollect.app.demo.history import Session, Step

VERSION = "2.1.330"
STEP_SECONDS = 40


def lines_of(session: Session, project: str) -> Iterator[str]:
    """The lines of a session's transcript."""
    rows = _Rows(session, project)
    for n, step in enumerate(session.steps):
        yield from rows.of(step, n)


def events_of(session: Session) -> Iterator[tuple[str, dict[str, Any]]]:
    """The hook events that the client would fire, with the fields of their payloads."""
    yield "SessionStart", {"source": "startup"}
    answer = ""
    for n, step in enumerate(session.steps):
        if step.kind == "person":
            if n:
                yield "Stop", {"last_assistant_message": answer, "stop_hook_active": False}
            yield "UserPromptSubmit", {"prompt": step.text}
        elif step.kind == "agent":
            answer = step.text
        elif step.kind == "shell" and step.failed:
            yield "PostToolUseFailure", failure_of(step.text, step.output)
        elif step.kind in ("shell", "edit"):
            yield "PostToolUse", _tool_of(step) | {"tool_response": {"stdout": step.output}}
    yield "Stop", {"last_assistant_message": answer, "stop_hook_active": False}
    yield "SessionEnd", {"reason": "other"}


def failure_of(command: str, output: str) -> dict[str, Any]:
    """The fields of a failed command's payload."""
    tool = {"tool_name": "Bash", "tool_input": {"command": command}}
    return tool | {"error": f"Exit code 1\n{output}", "is_interrupt": False}


def _tool_of(step: Step) -> dict[str, Any]:
    if step.kind == "edit":
        return {"tool_name": "Edit", "tool_input": {"file_path": step.text}}
    return {"tool_name": "Bash", "tool_input": {"command": step.text}}


class _Rows:
    """Writes line after line, each pointing to the one before."""

    def __init__(self, session: Session, project: str) -> None:
        self.session, self.project = session, project
        self.parent: str | None = None
        self.count = 0

    def of(self, step: Step, n: int) -> Iterator[str]:
        time = datetime.fromisoformat(self.session.started) + timedelta(seconds=n * STEP_SECONDS)
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S.000Z")
        if step.kind == "person":
            origin = {"promptSource": "typed", "turnOrigin": "human", "origin": {"kind": "human"}}
            yield self._line("user", stamp, {"role": "user", "content": step.text}, origin)
        elif step.kind == "agent":
            yield self._said(stamp, {"type": "text", "text": step.text})
        elif step.kind == "todo":
            todos = [{"content": t, "status": "pending"} for t in step.text.split("\n")]
            yield self._said(stamp, self._call(n, "TodoWrite", {"todos": todos}))
        else:
            yield from self._tool(step, n, stamp)

    def _tool(self, step: Step, n: int, stamp: str) -> Iterator[str]:
        used = _tool_of(step)
        given = dict(used["tool_input"])
        if step.kind == "edit":
            given["file_path"] = f"{self.project}/{step.text}"
        yield self._said(stamp, self._call(n, used["tool_name"], given))
        text = f"Exit code 1\n{step.output}" if step.failed else step.output or "updated"
        result: dict[str, Any] = {
            "tool_use_id": f"toolu_{n:06}",
            "type": "tool_result",
            "content": text,
        }
        extra: dict[str, Any] = {"toolUseResult": {"stdout": step.output, "stderr": ""}}
        if step.failed:
            result["is_error"] = True
            extra = {"toolUseResult": f"Error: {text}"}
        yield self._line("user", stamp, {"role": "user", "content": [result]}, extra)

    def _call(self, n: int, name: str, given: dict[str, Any]) -> dict[str, Any]:
        return {"type": "tool_use", "id": f"toolu_{n:06}", "name": name, "input": given}

    def _said(self, stamp: str, block: dict[str, Any]) -> str:
        message = {
            "id": f"msg_{self.count:06}",
            "role": "assistant",
            "model": "claude",
            "content": [block],
        }
        return self._line("assistant", stamp, message, {})

    def _line(self, kind: str, stamp: str, message: dict[str, Any], extra: dict[str, Any]) -> str:
        self.count += 1
        uuid = f"{self.session.id[-4:]}{self.count:04}-{self.count:04}-4000-8000-000000000000"
        row = {
            "parentUuid": self.parent,
            "isSidechain": False,
            "type": kind,
            "message": message,
            "uuid": uuid,
            "timestamp": stamp,
            "userType": "external",
            "cwd": self.project,
            "sessionId": self.session.id,
            "version": VERSION,
            "gitBranch": "main",
        }
        self.parent = uuid
        return json.dumps(row | extra, ensure_ascii=False)
