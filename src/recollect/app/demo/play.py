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
from recollect.app.demo.history import (
    ASKED_OF_BOTH,
    DAY,
    OTHER,
    QUESTIONS,
    Session,
    held_before,
)
from recollect.app.setup import program_paths
from recollect.app.wiring import App
from recollect.domain.model import Filter
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


class Landed(NamedTuple):
    """A session, and the memories that it left, each with the project in whose store it is."""

    session: str
    project: str
    said: str
    found: list[tuple[str, str]]


class Play:
    """Two projects in a scratch folder, and their sessions."""

    def __init__(self, folder: str) -> None:
        """`folder` gets a home and the projects below it."""
        self.home = os.path.join(folder, "home")
        self.project, self.other = (os.path.join(folder, name) for name in ("orchard", OTHER))
        for path in (self.home, *(os.path.join(one, ".git") for one in self.projects)):
            os.makedirs(path, exist_ok=True)
        self.env = {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
            "HOME": self.home,
            "LANG": "C.UTF-8",
        }

    @property
    def projects(self) -> tuple[str, str]:
        """The folders of the two projects."""
        return self.project, self.other

    def app(self, project: str = "") -> App:
        """The memory of the first project, or of another."""
        return App(project or self.project, self.env)

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
        events = self._events_of(session)
        for event, fields in events:
            self.call(event, session.id, fields)
        self._wait(self.project)
        return len(events)

    def _events_of(self, session: Session) -> list[tuple[str, dict[str, Any]]]:
        """What the client would tell the hooks; its log of the session is there."""
        name = f"{session.id}.jsonl"
        path = os.path.join(self.home, ".claude", "projects", f"-{session.project}", name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            project = self._folder_of(session)
            file.writelines(f"{line}\n" for line in transcript.lines_of(session, project))
        about = {"transcript_path": path}
        return [(event, about | fields) for event, fields in transcript.events_of(session)]

    def _folder_of(self, session: Session) -> str:
        return self.other if session.project == OTHER else self.project

    def day(self) -> list[Landed]:
        """Hold two sessions at once in one project and one in the other; gives where each landed."""
        held = held_before(date.fromisoformat(self.app().now[:10]), DAY)
        for together in zip(*map(self._events_of, held), strict=True):
            running = [
                self._start(event, session.id, fields, self._folder_of(session))
                for session, (event, fields) in zip(held, together, strict=True)
            ]
            for process, payload in running:
                process.communicate(payload)
        for project in self.projects:
            self._wait(project)
        return [
            Landed(one.id, one.project, one.steps[0].text, self._memories_of(one)) for one in held
        ]

    def _memories_of(self, session: Session) -> list[tuple[str, str]]:
        """The memories of a session in whichever store, by project and path."""
        found: list[tuple[str, str]] = []
        for project in self.projects:
            app = self.app(project)
            left = app.store().index.entries(Filter(session=session.id))
            found += [(os.path.basename(project), entry.path) for entry in left]
            app.close()
        return found

    def ask_both(self) -> list[Answer]:
        """What the hooks hand over for one question, in the one project and in the other."""
        asked = {"prompt": ASKED_OF_BOTH}
        return [
            self.call("UserPromptSubmit", f"demo-{os.path.basename(one)}", asked, one)._replace(
                asked=f"{os.path.basename(one)}: {ASKED_OF_BOTH}"
            )
            for one in self.projects
        ]

    def call(self, event: str, session: str, fields: dict[str, Any], project: str = "") -> Answer:
        """Run a hook as the client would; gives what it handed to the agent."""
        started = time.perf_counter()
        process, payload = self._start(event, session, fields, project or self.project)
        out, _ = process.communicate(payload)
        took = (time.perf_counter() - started) * 1000
        text = ""
        if out.startswith(b"{"):
            output = json.loads(out).get("hookSpecificOutput", {})
            text = output.get("additionalContext", "")
        asked = str(fields.get("prompt") or fields.get("error") or event)
        return Answer(asked, event, text, count_tokens(text), took)

    def _start(
        self, event: str, session: str, fields: dict[str, Any], project: str
    ) -> tuple[subprocess.Popen[bytes], bytes]:
        """Start a hook; gives it with the payload that it is to be told."""
        python, hook = program_paths()
        payload = {"session_id": session, "cwd": project, "hook_event_name": event, **fields}
        process = subprocess.Popen(  # noqa: S603 - our own program
            [python, "-I", "-S", hook, "claude", event],
            env=self.env | {"CLAUDE_PROJECT_DIR": project},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        return process, json.dumps(payload).encode()

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

    def _wait(self, project: str) -> None:
        """Wait for the worker that the hooks started."""
        root, _ = places.roots(project, self.env)
        cache = places.cache_folder(root, self.env)
        deadline = time.monotonic() + WORKER_SECONDS
        while any(os.path.exists(f"{cache}/{mark}") for mark in ("pending", "working")):
            if time.monotonic() > deadline:
                raise Failed(what=f"The worker did not end within {WORKER_SECONDS:.0f} seconds.")
            time.sleep(0.01)
