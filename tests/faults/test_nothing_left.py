"""Fifty clients come and are killed in every way: no process, port, lock or temp file of ours stays."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from tests.hooks.machine import HOOK, until
from tests.services.project import Project

from recollect.store import disk

from .test_everybody_at_once import still_running

SERVER = ["-m", "recollect", "mcp"]
ASKED = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
REMEMBER = {
    "jsonrpc": "2.0", "id": 2, "method": "tools/call",
    "params": {"name": "remember", "arguments": {"title": "A note", "text": "x " * 200, "kind": "fact"}},
}  # fmt: skip
# A client that starts a server, says so, and waits: what is killed is the client.
CLIENT = (
    "import subprocess, sys\n"
    "child = subprocess.Popen([sys.executable, *sys.argv[1:]], stdin=subprocess.PIPE)\n"
    "print(child.pid, flush=True)\n"
    "child.wait()\n"
)

Process = subprocess.Popen[bytes]


@pytest.fixture
def project(quick_folder: Path, tmp_path: Path) -> Project:
    project = Project(quick_folder / tmp_path.name)
    project.answer("save", "One", "--body", "First.", "--kind", "fact")
    return project


def start(project: Project, *words: str, apart: bool = False) -> Process:
    return subprocess.Popen(
        [sys.executable, *words], cwd=project.folder, env=project.env, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=apart,
    )  # fmt: skip


def server(project: Project) -> Process:
    """A server that has answered once."""
    process = start(project, *SERVER)
    ask(process, ASKED)
    assert process.stdout
    assert process.stdout.readline()
    assert listening(process.pid) == 0
    return process


def ask(process: Process, what: object) -> None:
    assert process.stdin
    process.stdin.write(json.dumps(what).encode() + b"\n")
    process.stdin.flush()


def listening(pid: int) -> int:
    """How many sockets a process has: a port would be one."""
    found = 0
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):  # closed since it was listed
            found += os.readlink(entry).startswith("socket:")
    return found


def ended(process: Process) -> None:
    for stream in (process.stdin, process.stdout):
        if stream:
            stream.close()
    process.wait(60)


# --------------------------------------------------------------------------------- the ways to end


def closes_its_stdin(project: Project) -> None:
    ended(server(project))


def signalled(number: signal.Signals) -> Callable[[Project], None]:
    def way(project: Project) -> None:
        process = server(project)
        process.send_signal(number)
        ended(process)

    return way


def killed_while_it_writes(project: Project) -> None:
    process = server(project)
    ask(process, REMEMBER)
    process.kill()
    ended(process)


def its_client_is_killed(project: Project) -> None:
    client = start(project, "-c", CLIENT, *SERVER)
    assert client.stdout
    assert int(client.stdout.readline()) > 0
    client.kill()
    ended(client)


def a_hook_with_all_of_its_group(project: Project) -> None:
    """What a client does that is closed while its hooks run."""
    payload = {"session_id": "s", "cwd": str(project.folder), "hook_event_name": "Stop"}
    hook = start(project, "-I", "-S", HOOK, "claude", "Stop", apart=True)
    assert hook.stdin
    hook.stdin.write(json.dumps(payload).encode())
    hook.stdin.flush()
    os.killpg(hook.pid, signal.SIGKILL)
    ended(hook)


def a_hook_and_its_worker(project: Project) -> None:
    payload = {"session_id": "s", "cwd": str(project.folder), "hook_event_name": "SessionEnd"}
    hook = start(project, "-I", "-S", HOOK, "claude", "SessionEnd")
    hook.communicate(json.dumps(payload).encode(), timeout=60)
    for pid in workers(project):
        os.kill(pid, signal.SIGKILL)


def a_command_is_killed(project: Project) -> None:
    process = start(project, "-m", "recollect", "save", "Half", "--body", "x", "--kind", "fact")
    process.kill()
    ended(process)


def a_command_is_interrupted(project: Project) -> None:
    process = start(project, "-m", "recollect", "rebuild-index")
    process.send_signal(signal.SIGINT)
    ended(process)


def workers(project: Project) -> list[int]:
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            line = Path(f"/proc/{entry}/cmdline").read_bytes()
        except OSError:
            continue
        if b"work\0" + str(project.root).encode() in line:
            found.append(int(entry))
    return found


WAYS: list[Callable[[Project], None]] = [
    closes_its_stdin, signalled(signal.SIGTERM), signalled(signal.SIGHUP), signalled(signal.SIGINT),
    signalled(signal.SIGKILL), killed_while_it_writes, its_client_is_killed,
    a_hook_with_all_of_its_group, a_hook_and_its_worker, a_command_is_killed, a_command_is_interrupted,
]  # fmt: skip


def nothing_is_left(project: Project) -> None:
    until(lambda: not list(still_running(project)), lambda: list(still_running(project)))
    for path in (*project.cache.glob("*lock"), project.cache / "lock"):
        handle = disk.take_lock(str(path))
        assert handle is not None, path
        os.close(handle)
    with disk.locked_folder(str(project.root), wait_seconds=0.0):
        pass
    for temp in temps(project):
        os.utime(temp, (0, 0))  # nobody takes away what somebody may be writing just now
    for name in ("pending", "working"):
        (project.cache / name).unlink(missing_ok=True)
    assert project.run("work", str(project.root)).returncode == 0
    assert temps(project) == []
    report = project.answer("doctor")
    assert report["problems"] == 0, report
    said = {row["about"]: row["state"] for row in report["findings"]}
    assert said["leftovers"] == "ok"


def temps(project: Project) -> list[Path]:
    return [path for top in (project.root, project.cache) for path in top.rglob(".*.tmp")]


def come_and_go(project: Project, times: int) -> None:
    for n in range(times):
        WAYS[n % len(WAYS)](project)
    nothing_is_left(project)
    assert project.files()["semantic/one.md"].endswith(b"First.\n")


@pytest.mark.slow
def test_a_client_of_each_kind_leaves_nothing(project: Project) -> None:
    come_and_go(project, len(WAYS))


@pytest.mark.slow
def test_fifty_clients_leave_nothing(project: Project) -> None:
    come_and_go(project, 50)


def test_the_daily_pass_takes_away_what_a_kill_left_half_written(project: Project) -> None:
    old, new = project.write("semantic/.00.tmp", "# Half"), project.write("core/.01.tmp", "# Half")
    brief = project.cache / ".02.tmp"
    brief.write_text("half")
    for path in (old, brief):
        os.utime(path, (0, 0))
    said = {f["about"]: f["state"] for f in project.answer("doctor")["findings"]}
    assert said["leftovers"] == "note"
    assert project.run("work", str(project.root)).returncode == 0
    assert temps(project) == [new]
