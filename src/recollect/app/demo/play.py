"""Demo: playing the history through the hooks, and asking what they would say now."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Iterator
from datetime import date
from typing import Any

from recollect.app.demo import transcript
from recollect.app.demo.history import QUESTIONS, Session, held_before
from recollect.app.setup import program_paths
from recollect.app.wiring import App
from recollect.domain.pack import count_tokens
from recollect.errors import Failed
from recollect.hooks import places
from recollect.named import NamedTuple

WORKER_SECONDS = 20.0
DAYS_LATER = 120  # by then all sessions have faded


class Answer(NamedTuple):
    """What a hook handed over: the text, its cost in tokens, and the time of the whole process."""

    asked: str
    how: str
    text: str
    tokens: int
    milliseconds: float


class Play:
    """A project in a scratch folder, and its sessions."""

    def __init__(self, folder: str) -> None:
        """`folder` gets a home and a project below it."""
        self.home = os.path.join(folder, "home")
        self.project = os.path.join(folder, "orchard")
        for path in (self.home, os.path.join(self.project, ".git")):
            os.makedirs(path, exist_ok=True)
        self.env = {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
            "HOME": self.home,
            "LANG": "C.UTF-8",
            "CLAUDE_PROJECT_DIR": self.project,
        }

    def app(self) -> App:
        """The memory of that project."""
        return App(self.project, self.env)

    def months_later(self) -> App:
        """The same, on a day when every session has faded."""
        app = self.app()
        app.started_ns += DAYS_LATER * 86_400 * 10**9
        app.now = places.utc(app.started_ns / 1e9)
        return app

    def sessions(self) -> Iterator[tuple[Session, int]]:
        """Hold the sessions one after the other; gives each with the number of its hook calls."""
        for session in held_before(date.fromisoformat(self.app().now[:10])):
            yield session, self._hold(session)

    def _hold(self, session: Session) -> int:
        calls = 0
        path = os.path.join(self.home, ".claude", "projects", "-orchard", f"{session.id}.jsonl")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in transcript.lines_of(session, self.project))
        for event, fields in transcript.events_of(session):
            self.call(event, session.id, {"transcript_path": path, **fields})
            calls += 1
        self._wait()
        return calls

    def call(self, event: str, session: str, fields: dict[str, Any]) -> Answer:
        """Run a hook as the client would; gives what it handed to the agent."""
        python, hook = program_paths()
        payload = {"session_id": session, "cwd": self.project, "hook_event_name": event, **fields}
        started = time.perf_counter()
        done = subprocess.run(  # noqa: S603 - our own program
            [python, "-I", "-S", hook, "claude", event],
            input=json.dumps(payload).encode(),
            env=self.env,
            capture_output=True,
            check=False,
        )
        took = (time.perf_counter() - started) * 1000
        text = ""
        if done.stdout.startswith(b"{"):
            output = json.loads(done.stdout).get("hookSpecificOutput", {})
            text = output.get("additionalContext", "")
        asked = str(fields.get("prompt") or fields.get("error") or event)
        return Answer(asked, event, text, count_tokens(text), took)

    def brief(self) -> Answer:
        """What a new session would be told at its start."""
        return self.call("SessionStart", "demo-brief", {"source": "startup"})

    def answers(self) -> Iterator[Answer]:
        """What the hooks hand over for each question, each in a session of its own."""
        for n, (kind, text) in enumerate(QUESTIONS):
            if kind == "prompt":
                yield self.call("UserPromptSubmit", f"demo-{n}", {"prompt": text})
            else:
                command, _, output = text.partition("\n")
                fields = transcript.failure_of(command, output)
                answer = self.call("PostToolUseFailure", f"demo-{n}", fields)
                yield answer._replace(asked=f"$ {command}")

    def _wait(self) -> None:
        """Wait for the worker that the hooks started."""
        root, _ = places.roots(self.project, self.env)
        cache = places.cache_folder(root, self.env)
        deadline = time.monotonic() + WORKER_SECONDS
        while any(os.path.exists(f"{cache}/{mark}") for mark in ("pending", "working")):
            if time.monotonic() > deadline:
                raise Failed(what=f"The worker did not end within {WORKER_SECONDS:.0f} seconds.")
            time.sleep(0.01)
