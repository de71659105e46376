"""Play a made-up history (`demo.toml`) through the real hooks, in a scratch folder and home."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import date, datetime, timedelta
from functools import cache
from typing import Any

from recollect._fastimport import NamedTuple
from recollect.app import App
from recollect.errors import Failed, Locked
from recollect.features import lifecycle
from recollect.model.entries import entries_of
from recollect.model.memory import Filter
from recollect.ops.setup import program_paths
from recollect.store import locations
from recollect.text.tokens import count_tokens


class DemoStep(NamedTuple):
    """Something that happened: `kind` is person, agent, shell, fails or edit."""

    kind: str
    text: str
    output: str = ""

    @property
    def failed(self) -> bool:
        """Whether it is a command that failed."""
        return self.kind == "fails"


class Session(NamedTuple):
    """A session: its id, when it started, and its steps."""

    id: str
    started: str
    steps: tuple[DemoStep, ...]


@cache
def _history() -> dict[str, Any]:
    import tomllib  # `recollect --help` needs none of it

    with open(f"{os.path.dirname(__file__)}/demo.toml", "rb") as file:
        return tomllib.load(file)


def _held_yesterday(rows: list[dict[str, Any]], today: str) -> Iterator[Session]:
    """Sessions of the history, moved so that the last one was held yesterday."""
    last = date.fromisoformat(rows[-1]["started"][:10])
    moved = date.fromisoformat(today[:10]) - timedelta(days=1) - last
    for row in rows:
        started = f"{date.fromisoformat(row['started'][:10]) + moved}{row['started'][10:]}"
        yield Session(row["id"], started, tuple(DemoStep(*step) for step in row["steps"]))


# ---------------------------------------------------------------- a session as Claude Code logs it


VERSION = "2.1.330"
STEP_SECONDS = 40


def lines_of(session: Session, project: str) -> Iterator[str]:
    """The lines of a session's transcript, each pointing to the one before."""
    begun = datetime.fromisoformat(session.started)
    parent, count = None, 0
    for n, step in enumerate(session.steps):
        time = begun + timedelta(seconds=n * STEP_SECONDS)
        for role, content, extra in _messages_of(step, f"toolu_{n:06}", project):
            by = {"id": f"msg_{count:06}", "role": role, "model": "claude"}
            message = {**(by if role == "assistant" else {"role": role}), "content": content}
            count += 1
            uuid = f"{session.id[-4:]}{count:04}-{count:04}-4000-8000-000000000000"
            row = {
                "parentUuid": parent,
                "isSidechain": False,
                "type": role,
                "message": message,
                "uuid": uuid,
                "timestamp": time.strftime("%Y-%m-%dT%H:%M:%S.000Z"),
                "userType": "external",
                "cwd": project,
                "sessionId": session.id,
                "version": VERSION,
                "gitBranch": "main",
            }
            parent = uuid
            yield json.dumps(row | extra, ensure_ascii=False)


def _messages_of(
    step: DemoStep, call: str, project: str
) -> Iterator[tuple[str, Any, dict[str, Any]]]:
    """The messages of a step: their role, their content, and what the row says besides."""
    if step.kind == "person":
        origin = {"promptSource": "typed", "turnOrigin": "human", "origin": {"kind": "human"}}
        yield "user", step.text, origin
        return
    if step.kind == "agent":
        yield "assistant", [{"type": "text", "text": step.text}], {}
        return
    used = _tool_of(step)
    name, given = used["tool_name"], used["tool_input"]
    if step.kind == "edit":
        given = {"file_path": f"{project}/{step.text}"}
    yield "assistant", [{"type": "tool_use", "id": call, "name": name, "input": given}], {}
    text = f"Exit code 1\n{step.output}" if step.failed else step.output or "updated"
    result: dict[str, Any] = {"tool_use_id": call, "type": "tool_result", "content": text}
    extra: dict[str, Any] = {"toolUseResult": {"stdout": step.output, "stderr": ""}}
    if step.failed:
        result["is_error"] = True
        extra = {"toolUseResult": f"Error: {text}"}
    yield "user", [result], extra


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
        elif step.failed:
            yield "PostToolUseFailure", failure_of(step.text, step.output)
        elif step.kind in ("shell", "edit"):
            yield "PostToolUse", _tool_of(step) | {"tool_response": {"stdout": step.output}}
    yield "Stop", {"last_assistant_message": answer, "stop_hook_active": False}
    yield "SessionEnd", {"reason": "other"}


def failure_of(command: str, output: str) -> dict[str, Any]:
    """The fields of a failed command's payload."""
    tool = {"tool_name": "Bash", "tool_input": {"command": command}}
    return tool | {"error": f"Exit code 1\n{output}", "is_interrupt": False}


def _tool_of(step: DemoStep) -> dict[str, Any]:
    if step.kind == "edit":
        return {"tool_name": "Edit", "tool_input": {"file_path": step.text}}
    return {"tool_name": "Bash", "tool_input": {"command": step.text}}


# ----------------------------------------------------------------------------------------- playing


WORKER_SECONDS = 20.0


class HookAnswer(NamedTuple):
    """The output of a hook: the text, its cost in tokens, and the time of the whole process."""

    asked: str
    how: str
    text: str
    tokens: int
    milliseconds: float


class Play:
    """A project in a scratch folder, and its sessions."""

    def __init__(self, folder: str) -> None:
        """`folder` gets a home and the project below it."""
        self.home, self.project = (os.path.join(folder, n) for n in ("home", "orchard"))
        for path in (self.home, os.path.join(self.project, ".git")):
            os.makedirs(path, exist_ok=True)
        path = os.environ.get("PATH", "/usr/bin:/bin")
        self.env = {"PATH": path, "HOME": self.home, "LANG": "C.UTF-8"}

    def app(self) -> App:
        """The memory of the project."""
        return App(self.project, self.env)

    def sessions(self, lang: str) -> Iterator[Session]:
        """Run the sessions of yesterday in a language."""
        for session in _held_yesterday(_history()["yesterday"][lang], self.app().now):
            about = {"transcript_path": self._write_log(session)}
            for event, fields in events_of(session):
                self.call(event, session.id, about | fields)
            self._wait()
            yield session

    def _write_log(self, session: Session) -> str:
        """Write the client's log of a session; gives its path."""
        name = f"{session.id}.jsonl"
        path = os.path.join(self.home, ".claude", "projects", "-orchard", name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in lines_of(session, self.project))
        return path

    def page_statements(self) -> dict[str, list[str]]:
        """The statements on the pages of the project, by path; without sessions."""
        with closing(self.app()) as app:
            store = app.store()
            pages = {
                entry.path: sorted(
                    row.heading if row.kind in ("rule", "solution") else row.text
                    for row in entries_of(store.memory(entry))
                )
                for entry in store.index.entries(Filter())
                if entry.layer != "episodic"
            }
        return dict(sorted(pages.items()))

    def call(self, event: str, session: str, fields: dict[str, Any]) -> HookAnswer:
        """Run a hook as the client would; returns what it gave to the agent."""
        python, hook = program_paths()
        about = {"session_id": session, "cwd": self.project, "hook_event_name": event}
        started = time.perf_counter()
        ran = subprocess.run(  # noqa: S603 - our own program
            [python, "-I", "-S", hook, "claude", event],
            env=self.env | {"CLAUDE_PROJECT_DIR": self.project},
            input=json.dumps(about | fields).encode(),
            capture_output=True,
            check=False,
        )
        took = (time.perf_counter() - started) * 1000
        text = ""
        if ran.stdout.startswith(b"{"):
            output = json.loads(ran.stdout).get("hookSpecificOutput", {})
            text = output.get("additionalContext", "")
        asked = str(fields.get("prompt") or fields.get("error") or event)
        return HookAnswer(asked, event, text, count_tokens(text), took)

    def brief(self) -> HookAnswer:
        """The brief that a new session would get."""
        return self.call("SessionStart", "demo-brief", {"source": "startup"})

    def answers(self, lang: str) -> Iterator[HookAnswer]:
        """The answer of the hooks to each question, each in a session of its own."""
        for n, (kind, text, *output) in enumerate(_history()["asked_next"][lang]):
            if kind == "prompt":
                yield self.call("UserPromptSubmit", f"demo-{n}", {"prompt": text})
            else:
                fields = failure_of(text, *output)
                answer = self.call("PostToolUseFailure", f"demo-{n}", fields)
                yield answer._replace(asked=f"$ {text}")

    def _wait(self) -> None:
        """Wait for the worker that the hooks started, and for the consolidation that follows."""
        root, _ = locations.roots(self.project, self.env)
        cache = locations.cache_folder(root, self.env)
        deadline = time.monotonic() + WORKER_SECONDS
        marks = (f"{cache}/pending", f"{cache}/working")
        while any(map(os.path.exists, marks)) or not self._is_in_order():
            if time.monotonic() > deadline:
                raise Failed(what=f"The worker did not exit within {WORKER_SECONDS:.0f} seconds.")
            time.sleep(0.01)

    def _is_in_order(self) -> bool:
        """Whether consolidation is done; does it here if the worker has not begun with it."""
        with closing(self.app()) as app:
            try:
                for store in app.stores(""):
                    lifecycle.consolidate_if_due(app, store)
            except Locked:
                return False  # the worker is at it
        return True
