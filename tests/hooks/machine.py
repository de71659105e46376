"""A person's machine: a home, a project in it, stores, and the hook program as a client runs it.

Promises: everything lives below the folder it is given; a hook runs in a process of its own with
an environment of which every variable is named; no answer after `LONGEST` means that it hangs.
Touches: that folder, and /proc to see what is still running.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from recollect.app import App
from recollect.derived_files import publish_all
from recollect.store import locations

SOURCE = Path(locations.__file__).resolve().parents[2]
HOOK = str(SOURCE / "recollect" / "hook.py")
LONGEST = 8.0  # far above the two seconds that are promised: the machine may be busy
EVENTS = (
    "SessionStart",
    "UserPromptSubmit",
    "PostToolUse",
    "PostToolUseFailure",
    "PreCompact",
    "Stop",
    "SubagentStop",
    "SessionEnd",
)
SESSION = "47b6d0f2-5d1a-4a57-9a3b-0c1d2e3f4a5b"

# What the client sends with each event besides the fields that all events have.
FIELDS: dict[str, dict[str, Any]] = {
    "SessionStart": {"source": "startup"},
    "UserPromptSubmit": {"prompt": "Which database holds the billing events?"},
    "PostToolUse": {
        "tool_name": "Bash",
        "tool_input": {"command": "echo hi", "description": "Say hi"},
        "tool_response": {"stdout": "hi", "stderr": "", "interrupted": False},
        "tool_use_id": "toolu_01",
        "duration_ms": 27,
    },
    "PostToolUseFailure": {
        "tool_name": "Bash",
        "tool_input": {"command": "psql events"},
        "error": "Exit code 2\npsql: error: connection refused",
        "is_interrupt": False,
    },
    "PreCompact": {"trigger": "manual", "custom_instructions": "keep the facts"},
    "Stop": {"stop_hook_active": False, "last_assistant_message": "All done."},
    "SubagentStop": {"agent_type": "general-purpose", "agent_id": "a496"},
    "SessionEnd": {"reason": "other"},
}


class Ran(NamedTuple):
    """What came of a hook."""

    code: int
    out: bytes
    err: bytes

    @property
    def output(self) -> dict[str, Any]:
        """The JSON object on stdout, or an empty one for silence."""
        found = json.loads(self.out) if self.out else {}
        assert isinstance(found, dict)
        return found

    @property
    def context(self) -> str:
        """The text that the agent gets."""
        text = self.output.get("hookSpecificOutput", {}).get("additionalContext", "")
        assert isinstance(text, str)
        return text


class Machine:
    """One person's machine."""

    def __init__(self, folder: Path) -> None:
        """Make a home with a project in it; no store yet."""
        self.folder = folder
        self.home = folder / "home"
        self.project = self.home / "project"
        (self.project / ".git").mkdir(parents=True)
        self.env = {"HOME": str(self.home), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
        self.hook = [sys.executable, "-I", "-S", HOOK, "claude"]
        self._others = {*os.listdir("/proc")}  # what was running before this home was there

    # ------------------------------------------------------------------------------- the stores

    @property
    def root(self) -> Path:
        """The project's store."""
        return self.project / ".claude" / "memory"

    @property
    def everywhere(self) -> Path:
        """The global store."""
        return self.home / ".claude" / "memory"

    def cache(self, root: Path | None = None) -> Path:
        """The cache folder of a store."""
        return Path(locations.cache_folder(str(root or self.root), self.env))

    def make_stores(self) -> None:
        """Make both stores, empty."""
        for root in (self.root, self.everywhere):
            root.mkdir(parents=True, exist_ok=True)
            self.publish(root)

    def publish(self, root: Path | None = None) -> None:
        """Bring index, views and brief of a store up to date, as a worker does."""
        root = root or self.root
        app = App(str(root.parent.parent), self.env)
        try:
            scope = "global" if root == self.everywhere else "project"
            publish_all(app, app.opened(str(root), scope))
        finally:
            app.close()

    def write(
        self, path: str, body: str, *, root: Path | None = None, publish: bool = True, **fields: Any
    ) -> Path:
        """Put a memory into a store as a person would; `fields` are its front matter."""
        file = (root or self.root) / path
        file.parent.mkdir(parents=True, exist_ok=True)
        head = "".join(f"{key}: {value}\n" for key, value in fields.items())
        file.write_text(f"---\n{head}---\n{body}\n" if head else f"{body}\n", encoding="utf-8")
        if publish:
            self.publish(root)
        return file

    def journal(
        self, session: str = SESSION, root: Path | None = None, client: str = "claude"
    ) -> list[dict[str, Any]]:
        """The lines of a session's journal file; every one of them must be whole."""
        file = (root or self.root) / "journal" / f"{locations.writer_of(client, session)}.jsonl"
        text = file.read_text(encoding="utf-8") if file.exists() else ""
        assert not text or text.endswith("\n")
        # A hook that saw half of another's line begins a new one: what it sees is an empty line.
        return [json.loads(line) for line in text.splitlines() if line]

    def signals(self, session: str = SESSION, client: str = "claude") -> list[str]:
        """The events that a session's journal file tells of, in order."""
        lines = self.journal(session, client=client)
        return [line["event"] for line in lines if line["op"] == "signal"]

    # -------------------------------------------------------------------------------- the hooks

    def payload(self, event: str, **fields: Any) -> dict[str, Any]:
        """What the client sends at an event."""
        transcript = self.home / ".claude" / "projects" / "-home-project" / f"{SESSION}.jsonl"
        base = {
            "session_id": SESSION,
            "transcript_path": str(transcript),
            "cwd": str(self.project),
            "hook_event_name": event,
        }
        return base | FIELDS[event] | fields

    def fire(self, event: str, *, env: Mapping[str, str] | None = None, **fields: Any) -> Ran:
        """Run the hook of an event with the client's payload, some fields of it replaced."""
        return self.feed(event, json.dumps(self.payload(event, **fields)).encode(), env=env)

    def feed(self, event: str, stdin: bytes, *, env: Mapping[str, str] | None = None) -> Ran:
        """Run the hook of an event with these bytes on its stdin."""
        done = subprocess.run(
            [*self.hook, event],
            input=stdin,
            capture_output=True,
            env=self.env if env is None else dict(env),
            cwd=self.project if self.project.exists() else self.folder,
            timeout=LONGEST,
            check=False,
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    def ask(self, prompt: str, **fields: Any) -> str:
        """What the agent is given with a prompt."""
        return self.fire("UserPromptSubmit", prompt=prompt, **fields).context

    def open(self, event: str, *, env: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
        """Start the hook of an event with a stdin that the caller holds."""
        return subprocess.Popen(
            [*self.hook, event],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.env if env is None else dict(env),
            cwd=self.project,
        )

    # ------------------------------------------------------------------------ what it leaves behind

    def running(self) -> list[str]:
        """The command lines of living processes that have this home.

        In the middle of an exec a process has no command line, and for a moment more no
        environment: it may be one.
        """
        owner = f"HOME={self.home}".encode() + b"\0"
        found = []
        for name in filter(str.isdigit, {*os.listdir("/proc")} - self._others):
            try:
                environ = Path(f"/proc/{name}/environ").read_bytes()
                command = Path(f"/proc/{name}/cmdline").read_bytes()
                if command and not environ:
                    environ = Path(f"/proc/{name}/environ").read_bytes()
                if not command and os.readlink(f"/proc/{name}/exe"):
                    found.append(f"{name} (starting)")  # kernel threads and zombies have no exe
            except OSError:
                continue
            if owner in environ + b"\0" and command:
                found.append(f"{name} " + command.replace(b"\0", b" ").decode())
        return found

    def settle(self) -> None:
        """Wait until nothing of ours is running; fail if something stays."""
        until(lambda: not self.running(), self.running)


def until(is_so: Callable[[], Any], shown: Callable[[], Any] = lambda: "") -> None:
    """Wait for a condition; fail with what `shown` gives if it does not come about."""
    deadline = time.monotonic() + 20
    while not is_so():
        if time.monotonic() > deadline:
            raise AssertionError(f"waited in vain: {shown()}")
        time.sleep(0.01)


def harmless(ran: Ran, event: str) -> None:
    """Assert what every hook owes its client, whatever happened."""
    assert ran.code == 0
    assert ran.err == b""
    if event == "PreCompact":
        assert not ran.out.startswith(b"{")  # plain text is what the summariser takes
        return
    output = ran.output
    assert not {"decision", "continue", "stopReason"} & output.keys()
    said = output.get("hookSpecificOutput")
    if said is not None:
        assert said["hookEventName"] == event
        assert 0 < len(said["additionalContext"]) <= 9_000
