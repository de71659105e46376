"""The server's end: at once, whoever goes, and with nothing left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable

import pytest
from tests.mcp.talking import ENVELOPE, PROGRAM, SECONDS, Agent, is_running


def wait_until(condition: Callable[[], bool]) -> bool:
    """Whether it comes true while nobody would call it hanging."""
    deadline = time.monotonic() + SECONDS
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def test_it_goes_when_stdin_ends_and_says_nothing_on_stderr(agent: Agent) -> None:
    with agent.server() as server:
        server.text("status")
        assert server.end() == (0, b"")


@pytest.mark.sampled(1)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_it_goes_on_a_signal(agent: Agent, number: signal.Signals) -> None:
    with agent.server() as server:
        server.text("status")
        server.process.send_signal(number)
        assert server.process.wait(SECONDS) == 0
        assert server.process.stderr
        assert server.process.stderr.read() == b""


def test_it_goes_on_a_signal_before_anything_was_said(agent: Agent) -> None:
    with agent.server() as server:
        server.result("ping")
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(SECONDS) == 0


def test_it_answers_what_was_asked_before_stdin_ended(agent: Agent) -> None:
    ask = {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "status"}}
    lines = "\n".join(json.dumps({**ask, "id": n}) for n in range(5))  # the last without its end
    ran = subprocess.run(
        [*PROGRAM, "mcp"], cwd=agent.project, env=agent.env, input=lines.encode(),
        capture_output=True, timeout=60, check=True,
    )  # fmt: skip
    assert [json.loads(line)["id"] for line in ran.stdout.splitlines()] == list(range(5))


@pytest.mark.slow
def test_it_goes_when_its_parent_is_killed_though_stdin_stays_open(agent: Agent) -> None:
    # The pipe is held by this process, so its end cannot tell the server of the parent's death.
    reader, writer = os.pipe()
    code = (
        "import subprocess, sys, time\n"
        "child = subprocess.Popen(sys.argv[1:])\n"
        "print(child.pid, file=sys.stderr, flush=True)\n"
        "time.sleep(600)"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", code, *PROGRAM, "mcp"], cwd=agent.project, env=agent.env,
        stdin=reader, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    os.close(reader)
    with parent:
        assert parent.stderr
        assert parent.stdout
        server = int(parent.stderr.readline())
        os.write(writer, b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
        assert parent.stdout.readline()
        parent.kill()
        parent.wait()
        try:
            assert wait_until(lambda: not is_running(server))
        finally:
            os.close(writer)


def test_it_goes_when_nobody_reads_its_answers(agent: Agent) -> None:
    process = agent.start(["mcp"])
    with process:
        assert process.stdin
        assert process.stdout
        process.stdout.close()
        process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n')
        process.stdin.flush()
        assert process.wait(SECONDS) == 0
        process.stdin.close()


@pytest.mark.parametrize("closed", ["0", "1", "2"])
def test_it_does_without_a_stream(agent: Agent, closed: str) -> None:
    command = f"exec {' '.join(PROGRAM)} mcp {closed}>&-"
    process = subprocess.Popen(
        ["sh", "-c", command], cwd=agent.project, env=agent.env,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    asked = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"status"}}\n'
    out, err = process.communicate(asked, timeout=SECONDS)
    assert process.returncode == 0, err
    assert b"Traceback" not in err
    if closed == "2":
        assert [json.loads(line)["id"] for line in out.splitlines()] == [1, 2]


@pytest.mark.slow
def test_what_was_being_written_when_it_was_killed_is_whole_or_not_there(agent: Agent) -> None:
    for n in range(6):
        with agent.server() as server:
            server.result("ping")
            server.send({
                "jsonrpc": "2.0", "id": 1, "method": "tools/call",
                "params": {"name": "remember", "arguments": {"title": f"Note {n}", "kind": "fact",
                                                             "text": "whole " * 50}},
            })  # fmt: skip
            time.sleep(0.01 * n)  # somewhere in the middle; any moment will do
            server.process.kill()
    for row in agent.json("list"):
        assert ("whole " * 50).strip() in agent.json("show", row["id"])["text"]
    agent.cli("doctor", "--repair")


def test_nothing_but_the_protocol_goes_to_stdout_whatever_is_printed(agent: Agent) -> None:
    code = (
        "import os, sys, threading\n"
        "from recollect.interfaces.mcp import answers, server\n"
        "def noisy(app, request, *, read_only):\n"
        "    print('noise'); os.system('echo noise'); sys.stdout.flush()\n"
        "    assert sys.stdin.read() == ''\n"
        "    return {}\n"
        "answers.result_of = noisy\n"
        "server.serve()\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=agent.project,
        env={**agent.env, "PYTHONPATH": os.pathsep.join(sys.path)},
        input=b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}\n',
        capture_output=True, timeout=60, check=True,
    )  # fmt: skip
    assert [json.loads(line)["id"] for line in ran.stdout.splitlines()] == [1]
    assert ran.stderr.count(b"noise") == 2


def test_a_bug_ends_a_call_but_not_the_server(agent: Agent) -> None:
    code = (
        "from recollect.features import agent_tools as tools\n"
        "from recollect.interfaces.mcp import server as stdio\n"
        "tools.recall = None\n"
        "stdio.serve()\n"
    )
    asked = [
        {"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": {"name": name, "arguments": given}}
        for n, (name, given) in enumerate([("recall", {"cue": "x"}), ("search", {"query": "x"})])
    ]  # fmt: skip
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=agent.project,
        env={**agent.env, "PYTHONPATH": os.pathsep.join(sys.path)},
        input="\n".join(map(json.dumps, asked)).encode(),
        capture_output=True, timeout=60, check=True,
    )  # fmt: skip
    bug, fine = (json.loads(line)["result"] for line in ran.stdout.splitlines())
    assert "bug in Recollect" in bug["content"][0]["text"]
    assert not fine.get("isError")
    assert b"Traceback" in ran.stderr


@pytest.mark.slow
def test_a_long_index_is_told_of_and_can_be_cancelled(agent: Agent) -> None:
    folder = agent.store / "semantic"
    folder.mkdir(exist_ok=True)
    body = "the quick brown fox jumps over the lazy dog\n" * 60
    for n in range(4000):
        (folder / f"note-{n}.md").write_text(f"# Note {n}\n\n{body}")
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "search", "arguments": {"query": "fox"},
        "_meta": {**ENVELOPE, "progressToken": "p"}}}  # fmt: skip
    with agent.server() as server:
        server.send(call)
        said = server.next()
        # A quick machine is done before anything has to be said; then there is nothing to cancel.
        if "id" not in said:
            assert said["method"] == "notifications/progress"
            assert said["params"]["progressToken"] == "p"
            server.send({"jsonrpc": "2.0", "method": "notifications/cancelled",
                         "params": {"requestId": 1}})  # fmt: skip
            server._last = 1
        assert server.text("search", query="fox").count("<memory-") == 8
