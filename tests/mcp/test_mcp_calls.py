"""A call that takes long: it is told of, can be cancelled, and keeps no server alive."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import Any

import pytest
from tests.mcp.talking import SECONDS, Agent, Server, is_running
from tests.mcp.test_mcp_ending import wait_until

from recollect.interfaces.mcp import server as stdio
from recollect.interfaces.mcp.server import Call, Cancelled, ProgressReporter, Request

# Each call says that it has begun and sleeps; one that changes something wakes up after a moment.
ASLEEP = """
import sys, time
from recollect.interfaces.mcp import answers, server as stdio
def slow(app, request, *, read_only):
    print("begun", file=sys.stderr, flush=True)
    time.sleep(0.3 if request.params["name"] == "remember" else 600)
    print("finished", file=sys.stderr, flush=True)
    return {}
answers.result_of = slow
stdio.serve()
"""
# A store whose index is being made for as long as anybody wants to know of it, and then is there.
PREPARING = """
import sys, time
from recollect.app import App
from recollect.interfaces.mcp import server as desk; from recollect.interfaces.mcp import server as stdio
desk.QUIET_SECONDS = desk.BETWEEN_SECONDS = -1
real = App.stores
def stores(self, scope="", progress=None, **how):
    if progress is None:
        return real(self, scope)
    App.stores = real
    print("begun", file=sys.stderr, flush=True)
    for n in range(100, 10**9, 100):
        progress(n)
        time.sleep(0.01)
App.stores = stores
stdio.serve()
"""


def started(agent: Agent, code: str) -> subprocess.Popen[bytes]:
    """A server with something in it replaced."""
    return subprocess.Popen(
        [sys.executable, "-c", code], cwd=agent.project,
        env={**agent.env, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def a_call(name: str, number: int = 1, **meta: Any) -> dict[str, Any]:
    params = {"name": name, "arguments": {"cue": "x", "title": "x"}, "_meta": meta}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def asleep(agent: Agent, name: str) -> Server:
    """A server in the middle of a call."""
    server = Server(started(agent, ASLEEP))
    server.send(a_call(name))
    assert server.process.stderr
    assert server.process.stderr.readline() == b"begun\n"
    return server


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("queued", [0, 3])
def test_a_signal_ends_it_in_the_middle_of_a_search(
    agent: Agent, number: signal.Signals, queued: int
) -> None:
    with asleep(agent, "recall") as server:
        for n in range(queued):
            server.send(a_call("remember", 2 + n))
        server.process.send_signal(number)
        assert server.process.wait(SECONDS) == 0
        assert server.process.stderr
        assert server.process.stderr.read() == b""


@pytest.mark.slow
def test_the_end_of_stdin_ends_it_in_the_middle_of_a_search(agent: Agent) -> None:
    with asleep(agent, "recall") as server:
        assert server.end() == (0, b"")


@pytest.mark.slow
def test_the_end_of_stdin_ends_it_though_many_searches_wait(agent: Agent) -> None:
    with asleep(agent, "recall") as server:
        for n in range(50):
            server.send(a_call("recall", 2 + n))
        assert server.end() == (0, b"")


@pytest.mark.slow
def test_what_was_asked_for_is_answered_though_it_takes_longer_in_all(agent: Agent) -> None:
    with Server(started(agent, ASLEEP)) as server:
        for n in range(8):  # each sleeps for a moment
            server.send(a_call("remember", n))
        assert server.process.stdin
        server.process.stdin.close()
        assert [server.next()["id"] for _ in range(8)] == list(range(8))
        assert server.process.wait(SECONDS) == 0


@pytest.mark.slow
def test_a_change_that_is_being_made_is_finished_before_it_goes(agent: Agent) -> None:
    with asleep(agent, "remember") as server:
        server.send(a_call("remember", 2))  # this one has not begun
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(SECONDS) == 0
        assert server.process.stderr
        assert server.process.stderr.read() == b"finished\n"


@pytest.mark.slow
def test_its_parents_death_ends_it_in_the_middle_of_a_search(agent: Agent) -> None:
    # This process holds the pipes, so that only the parent's death can tell the server.
    reader, writer = os.pipe()
    between = (
        "import subprocess, sys, time\n"
        "child = subprocess.Popen(sys.argv[1:])\n"
        "print(child.pid, file=sys.stderr, flush=True)\n"
        "time.sleep(600)"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", between, sys.executable, "-c", ASLEEP], cwd=agent.project,
        env={**agent.env, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=reader, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    os.close(reader)
    with parent:
        assert parent.stderr
        server = int(parent.stderr.readline())
        os.write(writer, json.dumps(a_call("recall")).encode() + b"\n")
        assert parent.stderr.readline() == b"begun\n"
        parent.kill()
        try:
            assert wait_until(lambda: not is_running(server))
        finally:
            os.close(writer)


def test_clients_find_it_gone_before_they_lose_patience() -> None:
    # The SDK's client waits two seconds after it has closed stdin, and then uses force.
    assert stdio.SECONDS_AFTER_END < 2
    assert stdio.SECONDS_FOR_A_CHANGE < 2


def test_a_long_call_is_told_of_and_not_answered_when_it_is_cancelled(agent: Agent) -> None:
    with Server(started(agent, PREPARING)) as server:
        server.send(a_call("recall", 1, progressToken="p"))
        told = [server.next()["params"] for _ in range(3)]
        assert {one["progressToken"] for one in told} == {"p"}
        numbers = [one["progress"] for one in told]
        assert numbers == sorted(set(numbers))
        assert told[0]["message"]
        server.send({"jsonrpc": "2.0", "method": "notifications/cancelled",
                     "params": {"requestId": 1, "reason": "enough"}})  # fmt: skip
        server.send(a_call("status", 2))
        said = server.next()
        while "id" not in said:  # what was told before it heard of it
            said = server.next()
        assert said["id"] == 2


def test_without_a_token_nothing_is_told(agent: Agent) -> None:
    with Server(started(agent, PREPARING)) as server:
        server.send(a_call("recall", 1))
        assert server.process.stderr
        assert server.process.stderr.readline() == b"begun\n"
        server.send({"jsonrpc": "2.0", "method": "notifications/cancelled",
                     "params": {"requestId": 1}})  # fmt: skip
        server.send(a_call("status", 2))
        assert server.next()["id"] == 2


@pytest.mark.slow
@pytest.mark.parametrize("which", [[], {}, None, "1", 7])
def test_cancelling_what_is_not_there_changes_nothing(agent: Agent, which: object) -> None:
    with agent.server() as server:
        server.send({"jsonrpc": "2.0", "method": "notifications/cancelled",
                     "params": {"requestId": which}})  # fmt: skip
        server.text("status")


def test_progress_only_grows_from_store_to_store(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recollect.interfaces.mcp.server.QUIET_SECONDS", -1)
    monkeypatch.setattr("recollect.interfaces.mcp.server.BETWEEN_SECONDS", -1)
    said: list[dict[str, Any]] = []
    call = Call(Request(1, "tools/call", {"_meta": {"progressToken": 7}}), said.append)
    telling = ProgressReporter(call)
    for done in (0, 100, 200, 0, 100, 0, 50):
        telling.report(done)
    numbers = [one["params"]["progress"] for one in said]
    assert numbers == sorted(set(numbers))
    assert numbers[-1] == 350
    call.is_wanted = False
    with pytest.raises(Cancelled):
        telling.report(60)
