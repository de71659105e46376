"""The interactive client behind a pseudo-terminal, typed into like a person would.

Promises: every wait has a time-out; closing ends the client's own process group and nothing else.
Touches: one pseudo-terminal, the scratch home's `.claude.json`.
"""

from __future__ import annotations

import codecs
import contextlib
import fcntl
import json
import os
import select
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from typing import TYPE_CHECKING, Self

from .client import FAKE_KEY, UNATTENDED, ClaudeClient, kill_group
from .screen import Screen

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from types import TracebackType

ENTER, ESCAPE, CTRL_C, CTRL_D = "\r", "\x1b", "\x03", "\x04"
ROWS, COLUMNS = 60, 160

# A session leader without a terminal takes this one; exec keeps the pid, so it leads the group too.
_TAKE_TERMINAL = (
    "import fcntl, os, sys, termios\n"
    "fcntl.ioctl(0, termios.TIOCSCTTY, 0)\n"
    "os.execv(sys.argv[1], sys.argv[1:])\n"
)
# Given as a flag, so that the settings file of the scratch home stays as the test wrote it.
_ACCEPTED = json.dumps(
    {"skipDangerousModePermissionPrompt": True, "enableAllProjectMcpServers": True}
)
_PROMPT = "❯\xa0"
_BUSY = "esc to interrupt"
_KEY_SECONDS = 0.01
_SETTLE_SECONDS = 0.2


class TuiTimeoutError(AssertionError):
    """The client did not get to the awaited state; the message ends with its screen."""


class Tui:
    """One interactive run: `with Tui(client, cwd=project) as tui: tui.ask("Hi", "Hello")`."""

    def __init__(self, client: ClaudeClient, *, cwd: Path, args: Sequence[str] = ()) -> None:
        """Prepare a run; it starts with the with block."""
        self._client = client
        self._cwd = cwd
        self._args = (*UNATTENDED, "--settings", _ACCEPTED, *args)
        self._screen = Screen(ROWS, COLUMNS)
        self._guard = threading.Lock()
        self._master = -1
        self._process: subprocess.Popen[bytes] | None = None
        self._reader: threading.Thread | None = None
        self._closing = threading.Event()

    def __enter__(self) -> Self:
        """Start the client and wait for its prompt."""
        seed_home(self._client.home, self._cwd)
        self._start()
        try:
            self.wait_until(lambda: _PROMPT in self.screen, what="the prompt")
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the client if it still runs."""
        self.close()

    @property
    def pid(self) -> int:
        """Process id of the client, which is also its process group."""
        return self._require_process().pid

    @property
    def screen(self) -> str:
        """The text that the terminal shows now."""
        with self._guard:
            return self._screen.text

    def shows(self, text: str) -> bool:
        """Whether the text is on the screen, however its lines are broken."""
        return _squeeze(text) in _squeeze(self.screen)

    def type(self, text: str) -> None:
        """Type key by key: keys that arrive in one burst are taken for a paste."""
        for key in text:
            self.press(key)
            time.sleep(_KEY_SECONDS)

    def paste(self, text: str) -> None:
        """Paste text as a terminal does, between its two markers."""
        self.press(f"\x1b[200~{text}\x1b[201~")
        time.sleep(_SETTLE_SECONDS)

    def press(self, key: str) -> None:
        """Press one key, e.g. `ENTER` or `ESCAPE`."""
        os.write(self._master, key.encode())

    def submit(self, text: str) -> None:
        """Type one line, a prompt or a slash command, and press Enter."""
        self.type(text)
        self.wait_for(text)
        # The list of completions follows the keys a little later and would take the Enter.
        time.sleep(_SETTLE_SECONDS)
        self.press(ENTER)

    def ask(self, text: str, answer: str, timeout: float = 20) -> None:
        """Submit a prompt, then wait for the answer and for the end of the turn."""
        self.submit(text)
        self.wait_for(answer, timeout)
        self.wait_idle(timeout)

    def wait_for(self, text: str, timeout: float = 20) -> None:
        """Wait until the screen shows `text`, which should not have been there before."""
        self.wait_until(lambda: self.shows(text), timeout, repr(text))

    def wait_idle(self, timeout: float = 20) -> None:
        """Wait until no turn and no hook that holds one up is running."""
        self.wait_until(lambda: not self.shows(_BUSY), timeout, "the end of the turn")

    def wait_until(
        self, ready: Callable[[], bool], timeout: float = 20, what: str = "a condition"
    ) -> None:
        """Wait until `ready()` holds.

        Raises:
            TuiTimeoutError: time ran out, or the client ended first.

        """
        deadline = time.monotonic() + timeout
        while not ready():
            ended = self._require_process().poll() is not None
            if time.monotonic() > deadline or (ended and not ready()):
                state = "the client ended" if ended else f"{timeout} s passed"
                message = f"{state} while waiting for {what}; on the screen:\n{self._condensed()}"
                raise TuiTimeoutError(message)
            time.sleep(0.02)

    def exit(self, timeout: float = 10) -> int:
        """Leave with /exit and return the exit code."""
        self.submit("/exit")
        return self.wait_exit(timeout)

    def wait_exit(self, timeout: float = 10) -> int:
        """Wait for the client's end and return its exit code.

        Raises:
            TuiTimeoutError: it is still running.

        """
        try:
            return self._require_process().wait(timeout)
        except subprocess.TimeoutExpired:
            message = f"still running after {timeout} s; on the screen:\n{self._condensed()}"
            raise TuiTimeoutError(message) from None

    def hang_up(self) -> None:
        """Close the terminal window: the client gets SIGHUP."""
        os.kill(self.pid, signal.SIGHUP)

    def close(self) -> None:
        """End the process group and the reader; harmless when already done."""
        process, self._process = self._process, None
        if process is None:
            return
        kill_group(process.pid)
        process.wait()
        self._closing.set()
        if self._reader is not None:
            self._reader.join()
        os.close(self._master)

    def _start(self) -> None:
        self._master, slave = os.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _TAKE_TERMINAL, self._client.binary, *self._args],
            env=self._client.environment(),
            cwd=self._cwd,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
        )
        os.close(slave)
        self._reader = threading.Thread(target=self._collect)
        self._reader.start()

    def _collect(self) -> None:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        # Reading fails with EIO once the last process has let go of the terminal; a process that
        # the client left behind may never let go, hence the flag.
        with contextlib.suppress(OSError):
            while not self._closing.is_set():
                if select.select([self._master], [], [], 0.05)[0]:
                    text = decoder.decode(os.read(self._master, 65536))
                    with self._guard:
                        self._screen.feed(text)

    def _condensed(self) -> str:
        return "\n".join(line for line in self.screen.splitlines() if line)

    def _require_process(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            message = "the client runs inside its with block only"
            raise RuntimeError(message)
        return self._process


def seed_home(home: Path, project: Path) -> None:
    """Answer the first-run questions: onboarding, theme, trust in the folder, use of the key."""
    path = home / ".claude.json"
    state = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    answered = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}
    projects = state.setdefault("projects", {})
    projects[str(project)] = {**projects.get(str(project), {}), **answered}
    state.update(
        hasCompletedOnboarding=True,
        theme="dark",
        customApiKeyResponses={"approved": [FAKE_KEY[-20:]], "rejected": []},
    )
    home.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(state), encoding="utf-8")


def _squeeze(text: str) -> str:
    return "".join(text.split())
