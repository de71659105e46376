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
from recollect.consolidate.claims import claims_in
from recollect.consolidate.pages import reading_of
from recollect.errors import Failed, Locked
from recollect.features import lifecycle
from recollect.model.claim_key import near_key
from recollect.model.conflicts import conflict_between, says_with_subject
from recollect.model.entries import entries_of
from recollect.model.memory import Filter
from recollect.ops.setup import program_paths
from recollect.store import locations
from recollect.store.store import OpenStore
from recollect.text.tokens import count_tokens


class DemoStep(NamedTuple):
    """Something that happened: `kind` is person, agent, shell, fails, edit or todo."""

    kind: str
    text: str
    output: str = ""

    @property
    def failed(self) -> bool:
        """Whether it is a command that failed."""
        return self.kind == "fails"


class Session(NamedTuple):
    """A session: its id, when it started, its steps, and the project that it was held in."""

    id: str
    started: str
    steps: tuple[DemoStep, ...]
    project: str = "orchard"


@cache
def _history() -> dict[str, Any]:
    import tomllib  # `recollect --help` needs none of it

    with open(f"{os.path.dirname(__file__)}/demo.toml", "rb") as file:
        return tomllib.load(file)


def _held(rows: list[dict[str, Any]], days: int) -> list[Session]:
    """Sessions of the history, moved by so many days."""
    moved = timedelta(days=days)
    return [
        Session(
            row["id"],
            f"{date.fromisoformat(row['started'][:10]) + moved}{row['started'][10:]}",
            tuple(DemoStep(*step) for step in row["steps"]),
            row.get("project", "orchard"),
        )
        for row in rows
    ]


def _days_since(rows: list[dict[str, Any]], today: str) -> int:
    """How many days ago the last of these sessions started, by the dates of the history."""
    return (date.fromisoformat(today[:10]) - date.fromisoformat(rows[-1]["started"][:10])).days


STANDS, OVERTAKEN, LOST = "stands", "overtaken", "lost"


class DemoStatement(NamedTuple):
    """A statement of a session, whether it still holds, and the file that has it."""

    session: str
    text: str
    how: str
    path: str = ""


def found_again(store: OpenStore) -> list[DemoStatement]:
    """Every statement of the archived episodes, with the file that has it now."""
    stands: dict[str, str] = {}
    past: dict[str, str] = {}
    said_now: dict[str, str] = {}
    for entry in store.index.entries(Filter()):
        if entry.layer in ("semantic", "procedural"):
            said = reading_of(entry.path, store.read(entry).text)
            stands |= {held.key: entry.path for held in said.held}
            said_now |= {held.text: entry.path for held in said.held}
            past |= dict.fromkeys(said.past, entry.path)
    found = []
    for entry in reversed(store.index.entries(Filter(archived=True, layer="episodic"))):
        for claim in claims_in(store.memory(entry)):
            key = near_key(claim.text)
            others = said_now.items()
            with_subject = (p for said, p in others if says_with_subject(said, claim.text))
            contradicting = (p for said, p in others if conflict_between(claim.text, said))
            here = stands.get(key) or next(with_subject, "")
            place = here or past.get(key) or next(contradicting, "")
            how = STANDS if here else OVERTAKEN if place else LOST
            found.append(DemoStatement(entry.id, claim.text, how, place))
    return found


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
    if step.kind == "todo":
        return
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
    if step.kind == "todo":
        todos = [{"content": text, "status": "pending"} for text in step.text.split("\n")]
        return {"tool_name": "TodoWrite", "tool_input": {"todos": todos}}
    return {"tool_name": "Bash", "tool_input": {"command": step.text}}


# ----------------------------------------------------------------------------------------- playing


WORKER_SECONDS = 20.0
DAYS_LATER = 120  # by then all sessions have faded


class HookAnswer(NamedTuple):
    """The output of a hook: the text, its cost in tokens, and the time of the whole process."""

    asked: str
    how: str
    text: str
    tokens: int
    milliseconds: float


class DemoOutcome(NamedTuple):
    """A session and its memories, each with the project in whose store it is."""

    session: str
    project: str
    said: str
    found: list[tuple[str, str]]


class Play:
    """Two projects in a scratch folder, and their sessions."""

    def __init__(self, folder: str) -> None:
        """`folder` gets a home and the projects below it."""
        self.home = os.path.join(folder, "home")
        self.project, self.other = (os.path.join(folder, n) for n in ("orchard", "lighthouse"))
        for path in (self.home, *(os.path.join(one, ".git") for one in self.projects)):
            os.makedirs(path, exist_ok=True)
        path = os.environ.get("PATH", "/usr/bin:/bin")
        self.env = {"PATH": path, "HOME": self.home, "LANG": "C.UTF-8"}

    @property
    def projects(self) -> tuple[str, str]:
        """The folders of the two projects."""
        return self.project, self.other

    def app(self, project: str = "") -> App:
        """The memory of the first project, or of another."""
        return App(project or self.project, self.env)

    def months_later(self) -> App:
        """The first project, on a day when every session has faded."""
        app = self.app()
        app.started_ns += DAYS_LATER * 86_400 * 10**9
        app.now = locations.utc(app.started_ns / 1e9)
        return app

    def sessions(self, lang: str = "") -> Iterator[tuple[Session, int]]:
        """Run all sessions up to ten days ago, or yesterday's in a language.

        Yields each with the number of its hook calls.
        """
        rows = _history()["yesterday"][lang] if lang else _history()["sessions"]
        for session in _held(rows, _days_since(rows, self.app().now) - (1 if lang else 10)):
            events = self._events_of(session)
            for event, fields in events:
                self.call(event, session.id, fields)
            self._wait(self.project)
            yield session, len(events)

    def _events_of(self, session: Session) -> list[tuple[str, dict[str, Any]]]:
        """The hook events of a session; writes the client's log of it first."""
        name = f"{session.id}.jsonl"
        path = os.path.join(self.home, ".claude", "projects", f"-{session.project}", name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            project = self._folder_of(session)
            file.writelines(f"{line}\n" for line in lines_of(session, project))
        about = {"transcript_path": path}
        return [(event, about | fields) for event, fields in events_of(session)]

    def _folder_of(self, session: Session) -> str:
        return self.project if session.project == "orchard" else self.other

    def day(self) -> list[DemoOutcome]:
        """Run two sessions at once in one project and one in the other; returns where each landed."""
        days = _days_since(_history()["sessions"], self.app().now) - 10
        held = _held(_history()["day"], days)
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
            DemoOutcome(one.id, one.project, one.steps[0].text, self._memories_of(one))
            for one in held
        ]

    def page_statements(self) -> dict[str, list[str]]:
        """The statements on the pages of the first project, by path; without sessions."""
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

    def _memories_of(self, session: Session) -> list[tuple[str, str]]:
        """The memories of a session in whichever store, by project and path."""
        found: list[tuple[str, str]] = []
        for project in self.projects:
            with closing(self.app(project)) as app:
                left = app.store().index.entries(Filter(sessions=(session.id,)))
            found += [(os.path.basename(project), entry.path) for entry in left]
        return found

    def ask_both(self) -> list[HookAnswer]:
        """The answers of the hooks to one question, in the one project and in the other."""
        asked, answers = _history()["asked_of_both"], []
        for folder in self.projects:
            name = os.path.basename(folder)
            answer = self.call("UserPromptSubmit", f"demo-{name}", {"prompt": asked}, folder)
            answers.append(answer._replace(asked=f"{name}: {asked}"))
        return answers

    def call(
        self, event: str, session: str, fields: dict[str, Any], project: str = ""
    ) -> HookAnswer:
        """Run a hook as the client would; returns what it gave to the agent."""
        started = time.perf_counter()
        process, payload = self._start(event, session, fields, project or self.project)
        out, _ = process.communicate(payload)
        took = (time.perf_counter() - started) * 1000
        text = ""
        if out.startswith(b"{"):
            output = json.loads(out).get("hookSpecificOutput", {})
            text = output.get("additionalContext", "")
        asked = str(fields.get("prompt") or fields.get("error") or event)
        return HookAnswer(asked, event, text, count_tokens(text), took)

    def _start(
        self, event: str, session: str, fields: dict[str, Any], project: str
    ) -> tuple[subprocess.Popen[bytes], bytes]:
        """Start a hook; returns the process and the payload for its stdin."""
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

    def brief(self) -> HookAnswer:
        """The brief that a new session would get."""
        return self.call("SessionStart", "demo-brief", {"source": "startup"})

    def answers(self, lang: str = "") -> Iterator[HookAnswer]:
        """The answer of the hooks to each question, each in a session of its own."""
        questions = _history()["asked_next"][lang] if lang else _history()["questions"]
        for n, (kind, text, *output) in enumerate(questions):
            if kind == "prompt":
                yield self.call("UserPromptSubmit", f"demo-{n}", {"prompt": text})
            else:
                fields = failure_of(text, *output)
                answer = self.call("PostToolUseFailure", f"demo-{n}", fields)
                yield answer._replace(asked=f"$ {text}")

    def _wait(self, project: str) -> None:
        """Wait for the worker that the hooks started, and for the consolidation that follows."""
        root, _ = locations.roots(project, self.env)
        cache = locations.cache_folder(root, self.env)
        deadline = time.monotonic() + WORKER_SECONDS
        marks = (f"{cache}/pending", f"{cache}/working")
        while any(map(os.path.exists, marks)) or not self._is_in_order(project):
            if time.monotonic() > deadline:
                raise Failed(what=f"The worker did not exit within {WORKER_SECONDS:.0f} seconds.")
            time.sleep(0.01)

    def _is_in_order(self, project: str) -> bool:
        """Whether consolidation is done; does it here if the worker has not begun with it."""
        with closing(self.app(project)) as app:
            try:
                for store in app.stores(""):
                    lifecycle.consolidate_if_due(app, store)
            except Locked:
                return False  # the worker is at it
        return True
