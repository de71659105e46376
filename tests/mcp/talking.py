"""Talking to the server: as lines to a real process, and through the official SDK's client."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import anyio
from mcp import Client, StdioServerParameters, stdio_client
from tests.cli.running import Person, taken_over

from recollect.interfaces.mcp.server import RequestWorker, encoded, immediate_answer

SOURCE = Path(__file__).resolve().parents[2] / "src"
PROGRAM = [sys.executable, "-I", str(SOURCE / "recollect" / "__main__.py")]
SECONDS = 30  # until a server that says nothing counts as hanging
MODERN = "2026-07-28"
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
}
T = TypeVar("T")


@dataclass
class Agent:
    """Somebody's agent: a home, a project, and nothing else in the environment."""

    home: Path
    project: Path

    @property
    def store(self) -> Path:
        """The project's store."""
        return self.project / ".claude" / "memory"

    @property
    def env(self) -> dict[str, str]:
        """The whole environment of the server."""
        return {"HOME": str(self.home), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}

    def cli(self, *words: str) -> str:
        """What `recollect` prints in this process; it has to succeed."""
        return Person(self.home, self.project, self.env).ok(*words).out

    def json(self, *words: str) -> Any:
        """What `recollect … --json` answers."""
        return json.loads(self.cli(*words, "--json"))

    def start(self, words: Sequence[str], stdin: int = subprocess.PIPE) -> subprocess.Popen[bytes]:
        """A process of the program, in the project."""
        return subprocess.Popen(
            [*PROGRAM, *words], cwd=self.project, env=self.env,
            stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def server(self, *words: str) -> Server:
        """A running server."""
        return Server(self.start(["mcp", *words]))

    def here(self, *words: str) -> Here:
        """A server in this process, for tests of what is answered; `server` costs a tenth of a second."""
        return Here(self, read_only="--read-only" in words)

    def call(self, tool: str, **given: Any) -> dict[str, Any]:
        """The result of one call of a server of its own."""
        with self.server() as server:
            return server.call(tool, **given)

    def with_sdk(self, use: Callable[[Client], Awaitable[T]], mode: str = "auto") -> T:
        """What `use` gives of a client of the official SDK that is connected to a server."""
        setting = [f"{key}={value}" for key, value in self.env.items()]
        program = StdioServerParameters(
            command="/usr/bin/env", args=["-i", *setting, *PROGRAM, "mcp"], cwd=self.project
        )

        async def run() -> T:
            with anyio.fail_after(SECONDS):
                async with Client(stdio_client(program, errlog=sys.stderr), mode=mode) as client:
                    return await use(client)

        return anyio.run(run)


class Server:
    """A running server, spoken to in lines."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self._said: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._last = 0
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self._said.put(line)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.process.kill()
        self.process.wait()
        self._reader.join()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream:
                with suppress(BrokenPipeError):  # what was not written when it was killed
                    stream.close()

    def write(self, data: bytes) -> None:
        """Send bytes as they are."""
        assert self.process.stdin
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message: object) -> None:
        """Send a message."""
        self.write(json.dumps(message).encode() + b"\n")

    def next(self) -> dict[str, Any]:
        """The next message that the server says."""
        return dict(json.loads(self._said.get(timeout=SECONDS)))

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """The whole answer to a request."""
        self._last += 1
        self.send({"jsonrpc": "2.0", "id": self._last, "method": method, "params": params})
        said = self.next()
        assert said["id"] == self._last, said
        return said

    def result(self, method: str, **params: Any) -> dict[str, Any]:
        """The result of a request that has to succeed."""
        said = self.ask(method, **params)
        assert "result" in said, said
        return dict(said["result"])

    def call(self, tool: str, **given: Any) -> dict[str, Any]:
        """The result of a tool; its two forms have to say the same."""
        found = self.result("tools/call", name=tool, arguments=given)
        [content] = found["content"]
        assert content["text"] == found["structuredContent"]["text"]
        assert len(content["text"]) <= 10_000
        return found

    def text(self, tool: str, **given: Any) -> str:
        """What a tool says when all is well."""
        found = self.call(tool, **given)
        assert not found.get("isError"), found
        return str(found["content"][0]["text"])

    def refusal(self, tool: str, **given: Any) -> str:
        """What a tool says when it refuses."""
        found = self.call(tool, **given)
        assert found.get("isError"), found
        return str(found["content"][0]["text"])

    def end(self) -> tuple[int, bytes]:
        """Close stdin and wait: the exit code, and what went to stderr."""
        assert self.process.stdin
        assert self.process.stderr
        self.process.stdin.close()
        code = self.process.wait(SECONDS)
        return code, self.process.stderr.read()


class Here(Server):
    """A server in this process: its answers, without its process and its wire."""

    def __init__(self, agent: Agent, *, read_only: bool) -> None:
        self._agent, self._read_only, self._last = agent, read_only, 0
        self._worker = RequestWorker(None, read_only=read_only)
        self._answers: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()

    def __enter__(self) -> Self:
        self._worker.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._worker.close(SECONDS, lambda: True)

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """The whole answer to a request; while it is waited for, this process is the server's."""
        self._last += 1
        line = encoded({"jsonrpc": "2.0", "id": self._last, "method": method, "params": params})
        with taken_over(self._agent.project, self._agent.env, ["recollect", "mcp"]):
            said = immediate_answer(
                line, self._worker, self._answers.put, read_only=self._read_only
            )
            said = said or self._answers.get(timeout=SECONDS)
        said = dict(json.loads(encoded(said)))
        assert said["id"] == self._last, said
        return said


def is_running(pid: int) -> bool:
    """Whether there is such a process that is not dead already."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return os.path.exists(f"/proc/{pid}")
