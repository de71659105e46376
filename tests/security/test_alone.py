"""What the long run of CI looks at from outside is seen: connections, programs, who started them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tools.alone import examined

from .tracing import require_strace

ROOT = Path(__file__).parents[2]
HOOK = '10 execve("/usr/bin/python3", ["python3", "-I", "-S", "/x/recollect/hook.py", "claude", "Stop"], 0x7ff /* 4 vars */) = 0'
MAIN = '["/usr/bin/python3", "-I", "/x/recollect/__main__.py", "work", "/store"]'


def _wrong(*lines: str) -> list[str]:
    return examined(lines, editors=["vi"]).wrong


@pytest.mark.parametrize(
    "call",
    [
        'connect(3, {sa_family=AF_INET, sin_port=htons(443), sin_addr=inet_addr("93.184.216.34")}, 16) = -1 ENETUNREACH (Network is unreachable)',
        'connect(3, {sa_family=AF_INET6, sin6_port=htons(443), sin6_flowinfo=htonl(0), inet_pton(AF_INET6, "2606:2800::1", &sin6_addr), sin6_scope_id=0}, 28) = 0',
        'sendto(5, "q", 1, 0, {sa_family=AF_INET, sin_port=htons(53), sin_addr=inet_addr("8.8.8.8")}, 16) = 1',
    ],
)
def test_a_connection_to_elsewhere_is_named_whoever_makes_it(call: str) -> None:
    assert len(_wrong(f"77 {call}")) == 1
    cut = call.index(",")
    assert len(_wrong(f"77 {call[:cut]} <unfinished ...>", "8 +++ exited with 0 +++", f"77 <... connect resumed>{call[cut:]}")) == 1  # fmt: skip


@pytest.mark.parametrize(
    "call",
    [
        'connect(3, {sa_family=AF_INET, sin_port=htons(8), sin_addr=inet_addr("127.0.0.1")}, 16) = 0',
        'connect(3, {sa_family=AF_INET6, sin6_port=htons(8), inet_pton(AF_INET6, "::1", &sin6_addr)}, 28) = 0',
        'connect(3, {sa_family=AF_UNIX, sun_path="/run/nscd/socket"}, 110) = -1 ENOENT (No such file or directory)',
        'sendto(5, "sin_addr=8.8.8.8", 16, 0, NULL, 0) = 16',
    ],
)
def test_loopback_and_sockets_of_the_machine_are_let_through(call: str) -> None:
    assert _wrong(f"77 {call}") == []


@pytest.mark.parametrize(
    "argv",
    ['["sh", "-c", "id"]', '["git", "status"]', '["python3", "-c", "import os"]', '["curl", "x"]'],
)
def test_a_program_that_recollect_starts_is_named_even_if_it_is_not_there(argv: str) -> None:
    lines = (HOOK, "10 clone(child_stack=NULL, flags=SIGCHLD) = 11", f'11 execve("/bin/x", {argv}, 0x7ff) = -1 ENOENT (No such file)')  # fmt: skip
    assert len(_wrong(*lines)) == 1
    assert len(_wrong(HOOK, lines[2].replace("11 ", "10 ", 1))) == 1
    assert _wrong(lines[2]) == []  # what tests start themselves


def test_the_worker_and_the_editor_are_let_through() -> None:
    fork = "10 vfork( <unfinished ...>"
    forked = "10 <... vfork resumed>) = 11"
    worker = f'11 execve("/usr/bin/python3", {MAIN}, 0x7ff /* 4 vars */) = 0'
    editor = '11 execve("/usr/bin/vi", ["vi", "/tmp/x.md"], 0x7ff /* 4 vars */) = 0'
    found = examined([HOOK, fork, forked, worker, editor], editors=["vi"])
    assert found.wrong == []
    assert (found.programs, found.ours) == (3, 2)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import socket; socket.socket(type=2).connect(('192.0.2.1', 9))", "connected: "),
        ("import os; os.execv('/bin/sh', ['sh', '-c', 'true'])", "ran: "),
    ],
)
def test_a_run_fails_when_something_is_reached_for(code: str, said: str, tmp_path: Path) -> None:
    require_strace()
    program = tmp_path / "recollect" / "__main__.py"
    program.parent.mkdir()
    program.write_text(f"try:\n    {code}\nexcept OSError:\n    pass\n")
    command = [sys.executable, "-m", "tools.alone", "--trace", "--", sys.executable, str(program)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    assert f"alone: {said}" in ran.stderr
