"""The server with the real client: killed at any moment it leaves none; over HTTP it is heard too."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from recollect.store import disk, locations

from .client import ClaudeClient, kill_group
from .messages_api import MessagesApi, call, say, stall, tool_results
from .processes import Process, processes_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .memory import Memory

pytestmark = [pytest.mark.e2e, pytest.mark.slow]
TOOLS = "mcp__plugin_recollect_recollect__"
SECONDS = 30
AT_ONCE = 6.0  # less than a call would wait for the lock, and far more than it takes


def servers(client: ClaudeClient) -> list[Process]:
    """The servers of this home that run."""
    return [p for p in processes_of(client.home) if "__main__.py mcp" in p.command]


def wait_for(condition: Callable[[], bool], seconds: float = SECONDS) -> bool:
    """Whether it comes true in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


@contextmanager
def running(client: ClaudeClient, project: Path) -> Iterator[subprocess.Popen[bytes]]:
    """The client at work on a prompt."""
    process = subprocess.Popen(
        [client.binary, "-p", "Go on.", "--dangerously-skip-permissions"],
        env=client.environment(), cwd=project, start_new_session=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        yield process
    finally:
        kill_group(process.pid)
        process.wait()


def holds(process: Process, path: str) -> bool:
    """Whether a process has a file open."""
    folder = f"/proc/{process.pid}/fd"
    try:
        return any(os.readlink(f"{folder}/{name}") == path for name in os.listdir(folder))
    except OSError:
        return False


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_client_that_is_killed_as_its_server_starts_leaves_none(
    client: ClaudeClient, api: MessagesApi, project: Path, memory: Memory, number: signal.Signals
) -> None:
    api.add([stall(60)])
    with running(client, project) as process:
        assert wait_for(lambda: bool(servers(client)))
        process.send_signal(number)
        process.wait(SECONDS)
        assert wait_for(lambda: not servers(client), AT_ONCE)
    memory.settle()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_client_that_is_killed_while_the_model_thinks_leaves_none(
    client: ClaudeClient, api: MessagesApi, project: Path, memory: Memory, number: signal.Signals
) -> None:
    api.add([stall(60)])
    with running(client, project) as process:
        assert wait_for(lambda: bool(api.turns) and bool(servers(client)))
        process.send_signal(number)
        process.wait(SECONDS)
        assert wait_for(lambda: not servers(client), AT_ONCE)
    memory.settle()


def test_a_client_that_is_killed_in_the_middle_of_a_call_leaves_none(
    client: ClaudeClient, api: MessagesApi, project: Path, memory: Memory
) -> None:
    api.add([call(f"{TOOLS}remember", title="Use Redis", kind="fact")])
    lock = f"{locations.cache_folder(str(memory.root), client.environment())}/lock"
    with running(client, project) as process, disk.lock(lock):
        # The call waits for the lock, which we hold.
        assert wait_for(lambda: any(holds(server, lock) for server in servers(client)))
        process.kill()
        process.wait(SECONDS)
        assert wait_for(lambda: not servers(client), AT_ONCE)
    memory.settle()
    assert "use-redis" not in str(memory.json("list"))


def test_the_client_speaks_to_a_server_over_http(
    client: ClaudeClient, api: MessagesApi, project: Path, memory: Memory
) -> None:
    memory.run("save", "Use Redis for the cache", "--kind", "decision", "--body", "It is quick.")
    server = subprocess.Popen(
        [sys.executable, "-m", "recollect", "mcp", "--http", "--port", "0"],
        env=client.environment(), cwd=project, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
    )  # fmt: skip
    with server:
        try:
            assert server.stdout
            port = server.stdout.readline().decode().partition("/mcp")[0].rpartition(":")[2]
            entry = memory.run("mcp", "--http", "--port", port, "--json")
            api.add([call("mcp__recollect__recall", cue="which cache")], [say("Redis.")])
            settings = {"disableAllHooks": True}
            result = client.prompt(
                "Which cache?", cwd=project,
                args=("--mcp-config", entry, "--strict-mcp-config", "--settings", json.dumps(settings)),
            )  # fmt: skip
            assert (result.returncode, result.stderr) == (0, "")
            assert "It is quick." in str(tool_results(api.turns[-1]))
        finally:
            server.terminate()
        assert server.wait(SECONDS) == 0
