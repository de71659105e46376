"""The real Claude Code client, run with a scratch home against a fake API.

Promises: the client sees only the variables listed here, a made-up key and a loopback address;
    every run ends within its time-out, together with its process group.
Touches: the scratch home, the folders it is run in.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

FAKE_KEY = "sk-ant-api03-" + "fake" * 8
MARKER = "RECOLLECT_E2E_HOME"
UNATTENDED = ("--dangerously-skip-permissions",)
REPOSITORY = Path(__file__).resolve().parents[2]


def find_claude() -> str | None:
    """Path of the client: $RECOLLECT_CLAUDE, else the copy in `.client/`; None without one."""
    named = os.environ.get("RECOLLECT_CLAUDE")
    path = named or str(REPOSITORY / ".client" / "node_modules" / ".bin" / "claude")
    return shutil.which(path)


@dataclass(frozen=True)
class Result:
    """What a finished run left behind."""

    returncode: int
    stdout: str
    stderr: str
    seconds: float

    @property
    def json(self) -> dict[str, Any]:
        """The object that `--output-format json` printed; empty if it printed none."""
        try:
            value = json.loads(self.stdout)
        except ValueError:
            return {}
        return value if isinstance(value, dict) else {}

    @property
    def session_id(self) -> str:
        """The id of the session that ran."""
        return str(self.json.get("session_id", ""))

    @property
    def text(self) -> str:
        """The final answer."""
        return str(self.json.get("result", ""))


@dataclass(frozen=True)
class ClaudeClient:
    """One user of the client: a home folder, an API, and perhaps more variables."""

    binary: str
    home: Path
    api_url: str
    extra: Mapping[str, str] = field(default_factory=dict)

    @property
    def settings_path(self) -> Path:
        """The user's settings file."""
        return self.home / ".claude" / "settings.json"

    def environment(self) -> dict[str, str]:
        """The whole environment of the client."""
        # IS_SANDBOX lets root, which is who runs in a container, skip the permission prompts.
        return {
            **bare_environment(self.home),
            "ANTHROPIC_API_KEY": FAKE_KEY,
            "ANTHROPIC_BASE_URL": self.api_url,
            "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1",
            "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "IS_SANDBOX": "1",
            **self.extra,
        }

    def write_settings(self, settings: Mapping[str, Any]) -> None:
        """Replace the user's settings file."""
        self.settings_path.parent.mkdir(parents=True, exist_ok=True)
        self.settings_path.write_text(json.dumps(settings, indent=2), encoding="utf-8")

    def run(self, *args: str, cwd: Path, timeout: float = 60, stdin: str = "") -> Result:
        """Run the binary with `args` until it ends or time runs out."""
        words = [self.binary, *args]
        return run_to_end(words, self.environment(), cwd=cwd, timeout=timeout, stdin=stdin)

    def prompt(
        self, text: str, *, cwd: Path, args: Sequence[str] = (), timeout: float = 60
    ) -> Result:
        """One `-p` run in which Bash, Edit and Write need no permission."""
        options = ("--output-format", "json", *UNATTENDED, *args)
        return self.run("-p", text, *options, cwd=cwd, timeout=timeout)

    def resume(
        self,
        session_id: str,
        text: str,
        *,
        cwd: Path,
        args: Sequence[str] = (),
        timeout: float = 60,
    ) -> Result:
        """Go on with a session by its id."""
        return self.prompt(text, cwd=cwd, args=("--resume", session_id, *args), timeout=timeout)

    def fork(
        self,
        session_id: str,
        text: str,
        *,
        cwd: Path,
        args: Sequence[str] = (),
        timeout: float = 60,
    ) -> Result:
        """Go on with a copy of a session, under a new id."""
        return self.resume(
            session_id, text, cwd=cwd, args=("--fork-session", *args), timeout=timeout
        )

    def continue_(
        self, text: str, *, cwd: Path, args: Sequence[str] = (), timeout: float = 60
    ) -> Result:
        """Go on with the latest session of the folder."""
        return self.prompt(text, cwd=cwd, args=("--continue", *args), timeout=timeout)

    def validate_plugin(self, directory: Path, *, strict: bool = True) -> Result:
        """`claude plugin validate` on a plugin or a marketplace."""
        flags = ("--strict",) if strict else ()
        return self.run("plugin", "validate", *flags, str(directory), cwd=directory)

    def add_marketplace(self, directory: Path) -> Result:
        """Register a folder as a marketplace."""
        return self.run("plugin", "marketplace", "add", str(directory), cwd=directory)

    def install_plugin(self, name_at_market: str) -> Result:
        """Install `name@market` for the user."""
        return self.run("plugin", "install", name_at_market, cwd=self.home)

    def transcript_path(self, session_id: str) -> Path | None:
        """The session's transcript file, if the client has written one."""
        found = sorted((self.home / ".claude" / "projects").glob(f"*/{session_id}.jsonl"))
        return found[0] if found else None

    def transcript(self, session_id: str) -> list[dict[str, Any]]:
        """The complete lines of the session's transcript."""
        path = self.transcript_path(session_id)
        return list(read_jsonl(path)) if path else []


def bare_environment(home: Path) -> dict[str, str]:
    """What every client is told of its machine; nothing is inherited from the test run."""
    # TMPDIR keeps the client's sockets and task files out of the shared temporary folder.
    temporary = home / "tmp"
    temporary.mkdir(parents=True, exist_ok=True)
    return {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": str(home),
        "TMPDIR": str(temporary),
        MARKER: str(home),
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
        "NO_PROXY": "127.0.0.1",
    }


def run_to_end(
    words: Sequence[str], env: Mapping[str, str], *, cwd: Path, timeout: float, stdin: str = ""
) -> Result:
    """Run a client until it ends or time runs out, together with its process group."""
    started = time.monotonic()
    process = subprocess.Popen(
        words,
        env=env,
        cwd=cwd,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
    )
    try:
        stdout, stderr = process.communicate(stdin, timeout=timeout)
    except subprocess.TimeoutExpired:
        stdout, stderr = _end(process)
        stderr += f"\n[ended by the test after {timeout} s]"
    except BaseException:
        kill_group(process.pid)
        raise
    return Result(process.returncode, stdout, stderr, time.monotonic() - started)


def read_jsonl(path: Path) -> Iterator[dict[str, Any]]:
    """Objects of a JSON-lines file; a last line without its end is left out."""
    if not path.exists():
        return
    for line in path.read_text(encoding="utf-8").splitlines(keepends=True):
        if line.endswith("\n") and line.strip():
            yield json.loads(line)


def _end(process: subprocess.Popen[str]) -> tuple[str, str]:
    """Kill the run and collect its output, unless a process that it left behind holds that."""
    kill_group(process.pid)
    try:
        return process.communicate(timeout=5)
    except subprocess.TimeoutExpired:
        return "", "[a process that was left behind holds the output]"


def kill_group(pid: int) -> None:
    """End the process group of a child that was started as a session leader."""
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
