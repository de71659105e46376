"""The server for agents: from its start to its first answers, and what it holds in memory.

`python -m bench.mcp [--size 1000] [--rounds 20]`

Side by side in one run: a bare interpreter, one that only imports the official SDK, the same tools
served by the SDK over stdio, `recollect mcp`, the same by way of the command line, and `recollect
mcp --http`.
"""

from __future__ import annotations

import argparse
import http.client
import importlib.util
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from typing import NamedTuple

from bench import corpus
from bench.hooks import environment, prepare

SOURCE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "src")
MAIN = os.path.join(SOURCE, "recollect", "__main__.py")
# The same tools and the same work behind the SDK's own server: what a user would wait for instead.
SDK_TOOLS = f"""
import sys; sys.path.insert(0, {SOURCE!r})
import anyio, mcp_types as types
from mcp.server.lowlevel import Server
from recollect.app import App
from recollect.interfaces.mcp import answers
from recollect.interfaces.mcp.tools import BY_NAME; from recollect.interfaces.mcp.tools import TOOLS

async def listed(ctx, params):
    return types.ListToolsResult(tools=[types.Tool.model_validate(t.as_json()) for t in TOOLS])

def work(params):
    app = App(None)
    try:
        return answers.call(app, BY_NAME[params.name], params.arguments or {{}}).as_json()
    finally:
        app.close()

async def called(ctx, params):
    found = await anyio.to_thread.run_sync(work, params)
    return types.CallToolResult.model_validate(found)

server = Server("recollect", on_list_tools=listed, on_call_tool=called)
"""
WITH_SDK = f"""{SDK_TOOLS}
from mcp.server.stdio import stdio_server

async def main():
    async with stdio_server() as (reader, writer):
        await server.run(reader, writer, server.create_initialization_options())

anyio.run(main)
"""
INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}


class Run(NamedTuple):
    """One start: milliseconds to each answer, one more call, the end; CPU; resident kilobytes."""

    handshake: float
    tools: float
    recall: float
    again: float
    end: float
    cpu: float
    rss: float


def run_server(command: Sequence[str], env: dict[str, str], cwd: str, cue: str) -> Run:
    """Start a server, ask it as a client does, and end it by closing its stdin."""
    started = time.perf_counter()
    process = subprocess.Popen(
        command, env=env, cwd=cwd, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin
    assert process.stdout

    def ask(number: int, method: str, **params: object) -> float:
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        assert process.stdin
        assert process.stdout
        process.stdin.write(json.dumps(message).encode() + b"\n")
        process.stdin.flush()
        said = json.loads(process.stdout.readline())
        assert said["id"] == number, said
        assert "result" in said, said
        return (time.perf_counter() - started) * 1000

    handshake = ask(1, "initialize", **INITIALIZE)
    process.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
    tools = ask(2, "tools/list")
    wanted = {"name": "recall", "arguments": {"cue": cue}}
    recall = ask(3, "tools/call", **wanted)
    before = (time.perf_counter() - started) * 1000
    again = ask(4, "tools/call", **wanted) - before
    rss = resident(process.pid)
    before = time.perf_counter()
    process.stdin.close()
    _, _, usage = os.wait4(process.pid, 0)
    end = (time.perf_counter() - before) * 1000
    process.returncode = 0  # it was waited for already
    process.stdout.close()
    cpu = (usage.ru_utime + usage.ru_stime) * 1000
    return Run(handshake, tools, recall, again, end, cpu, rss)


def run_over_http(command: Sequence[str], env: dict[str, str], cwd: str, cue: str) -> Run:
    """Start a server over HTTP, ask it on one connection, and end it by a signal."""
    started = time.perf_counter()
    process = subprocess.Popen(command, env=env, cwd=cwd, stdout=subprocess.PIPE)
    assert process.stdout
    found = re.search(rb"127\.0\.0\.1:(\d+)", process.stdout.readline())
    assert found
    path = os.path.join(env["HOME"], ".local", "share", "recollect", "http-token")
    with open(path, encoding="ascii") as file:
        token = file.read().strip()
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "Authorization": f"Bearer {token}",
    }
    link = http.client.HTTPConnection("127.0.0.1", int(found[1]))

    def ask(number: int, method: str, **params: object) -> float:
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        link.request("POST", "/mcp", json.dumps(message), headers)
        said = json.loads(link.getresponse().read().rpartition(b"data: ")[2])
        assert "result" in said, said
        return (time.perf_counter() - started) * 1000

    handshake, tools = ask(1, "initialize", **INITIALIZE), ask(2, "tools/list")
    wanted = {"name": "recall", "arguments": {"cue": cue}}
    recall = ask(3, "tools/call", **wanted)
    again = ask(4, "tools/call", **wanted) - recall
    rss = resident(process.pid)
    link.close()
    before = time.perf_counter()
    process.send_signal(signal.SIGTERM)
    _, _, usage = os.wait4(process.pid, 0)
    end = (time.perf_counter() - before) * 1000
    process.returncode = 0  # it was waited for already
    process.stdout.close()
    cpu = (usage.ru_utime + usage.ru_stime) * 1000
    return Run(handshake, tools, recall, again, end, cpu, rss)


def resident(pid: int) -> float:
    """What a process holds in memory, in kilobytes."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return float(next(line for line in file if line.startswith("VmRSS")).split()[1])


def run_import(code: str, env: dict[str, str]) -> tuple[float, float]:
    """`(milliseconds, kilobytes)` of an interpreter that runs one statement."""
    # Its own high-water mark: what the kernel tells of a child counts the parent's pages too.
    say = "print(next(l for l in open('/proc/self/status') if l.startswith('VmHWM')).split()[1])"
    started = time.perf_counter()
    command = [sys.executable, "-I", "-c", f"{code}\n{say}"]
    ran = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    return (time.perf_counter() - started) * 1000, float(ran.stdout)


def modules_after(code: str) -> int:
    """How many modules are loaded after a statement."""
    command = [sys.executable, "-I", "-c", f"{code}\nimport sys; print(len(sys.modules))"]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--size", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=20)
    given = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="recollect-bench-")
    try:
        measure(folder, given.size, given.rounds)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def measure(folder: str, size: int, rounds: int) -> None:
    """Every round runs each candidate once, so that noise meets all alike."""
    home, project = prepare(folder, size)
    env = environment(home, project)
    cue = corpus.cues(1, size)[0]
    python = [sys.executable, "-I"]
    servers = {
        "recollect mcp": [*python, MAIN, "mcp"],
        "recollect -C . mcp": [*python, MAIN, "-C", ".", "mcp"],
    }
    over_http: dict[str, list[str]] = {}
    path = f"import sys; sys.path.insert(0, {SOURCE!r}); "
    imports = {
        "python -c pass": "pass",
        "import of our server": f"{path}import recollect.interfaces.mcp.server",
    }
    if importlib.util.find_spec("mcp_types"):
        servers["the same, on the SDK"] = [*python, "-c", WITH_SDK]
        over_http["recollect mcp --http"] = [*python, MAIN, "mcp", "--http", "--port", "0"]
        imports["import of the SDK"] = "import mcp.server.lowlevel, mcp.server.stdio"
    runs: dict[str, list[Run]] = {name: [] for name in (*servers, *over_http)}
    loads: dict[str, list[tuple[float, float]]] = {name: [] for name in imports}
    for _ in range(rounds):
        for name, code in imports.items():
            loads[name].append(run_import(code, env))
        for name, command in servers.items():
            runs[name].append(run_server(command, env, project, cue))
        for name, command in over_http.items():
            runs[name].append(run_over_http(command, env, project, cue))
    print(f"\nImports, {rounds} rounds (median)\n  {'':24} {'wall':>9} {'peak':>9} {'modules':>9}")
    for name, found in loads.items():
        wall, peak = (statistics.median(column) for column in zip(*found, strict=True))
        print(f"  {name:24} {wall:7.0f}ms {peak / 1024:7.1f}MB {modules_after(imports[name]):9}")
    print(f"\nServers, {size:,} memories, {rounds} rounds (median; from the start of the process)")
    print(f"  {'':24} {'handshake':>9} {'tools':>9} {'recall':>9} {'again':>9} {'end':>9} {'CPU':>9} {'resident':>9}")  # fmt: skip
    for name, rows in runs.items():
        *times, rss = (statistics.median(column) for column in zip(*rows, strict=True))
        print(f"  {name:24} " + " ".join(f"{t:7.0f}ms" for t in times) + f" {rss / 1024:7.1f}MB")


if __name__ == "__main__":
    main()
