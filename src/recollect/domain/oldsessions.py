"""Oldsessions: the states of sessions as seed 002 kept them, read as ours.

Promises: what can be read of one is read, whatever else is in it; nothing of it is left out but
empty values.
Touches: nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect.domain.codec.fields import time_of
from recollect.domain.session import SessionState

CLIENT = "terminal"  # they were started by command
_STATUSES = {"active": "active", "archived": "saved", "discarded": "discarded"}
_DONE = ("completed", "complete", "done", "resolved")


def is_old(data: Mapping[str, Any]) -> bool:
    """Whether this is a state as seed 002 kept it."""
    return bool(_text(data.get("session_id"))) and "client" not in data


def state_of(data: Mapping[str, Any]) -> SessionState:
    """The state that such a file tells."""
    state = SessionState(_text(data.get("session_id")), CLIENT)
    state.started = _time(data.get("started"))
    state.last_updated = _time(data.get("last_updated")) or state.started
    state.status = _STATUSES.get(_text(data.get("status")), "active")
    state.task = _text(data.get("task"))
    state.files_modified = list(filter(None, map(_text, _list(data.get("files_modified")))))
    state.notes = [text for row in _list(data.get("notes")) if (text := _said(row, "note"))]
    for row in _list(data.get("decisions")):
        if content := _said(row, "decision"):
            state.decisions.append(_decision(content, row))
    for row in _list(data.get("problems")):
        if problem := _said(row, "problem"):
            _add_problem(state, problem, _text(row.get("solution")) if _is_row(row) else "")
    for row in _list(data.get("todos")):
        if text := _said(row, "todo"):
            state.todos.append({"text": text, "status": _todo_status(row), "ref": ""})
    return state


def _decision(content: str, row: Any) -> dict[str, str]:
    reason, time, others = "", "", []
    if _is_row(row):
        reason, time = _text(row.get("rationale")), _time(row.get("timestamp"))
        others = list(filter(None, map(_text, _list(row.get("alternatives")))))
    if others:
        reason = f"{reason} (alternatives: {', '.join(others)})".strip()
    return {
        "content": content,
        "reason": reason,
        "category": "other",
        "source": "observed",
        "time": time,
    }


def _add_problem(state: SessionState, problem: str, solution: str) -> None:
    if solution:
        state.problems.append({"problem": f"{problem} → {solution}", "solution": solution})
    else:
        state.issues.append({"content": problem, "status": "open", "category": "other"})


def _todo_status(row: Any) -> str:
    if not _is_row(row):
        return "open"
    is_done = row.get("done") is True or row.get("completed") is True
    return "done" if is_done or _text(row.get("status")).lower() in _DONE else "open"


def _said(row: Any, name: str) -> str:
    """The text of a row, which is a text or an object that has it."""
    if not _is_row(row):
        return _text(row)
    return next((text for key in (name, "text", "content") if (text := _text(row.get(key)))), "")


def _is_row(row: Any) -> bool:
    return isinstance(row, dict)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""


def _time(value: Any) -> str:
    return time_of(_text(value))
