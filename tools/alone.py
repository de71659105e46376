"""Run a command where there is no network but loopback, and look at every program it runs.

    python -m tools.alone -- python -m pytest
    python -m tools.alone --trace -- python -m pytest -m "not slow"

Alone, the command has a network of its own in which only loopback is up. With `--trace` strace follows
it and all of its children: a connection to anywhere but loopback, or a program that a process of
Recollect starts and that is not Recollect itself or the editor a test has set, makes the run fail.
Where the kernel gives no such network, or there is no strace, it says so and, with `--strict`, fails.

Touches: a file for the trace, in a folder for temporary files.
"""

from __future__ import annotations

import argparse
import ctypes
import fcntl
import os
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1
CALLS = "trace=connect,sendto,execve,execveat,clone,clone3,fork,vfork"
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
_LINE = re.compile(r"(?P<pid>\d+) +(?P<what>.*)")
_ADDRESS = re.compile(r"sa_family=AF_INET6?\b.*?(?:inet_addr\(|inet_pton\(AF_INET6, )\"([^\"]*)\"")
_LOCAL = re.compile(r"127\.|::1$|::ffff:127\.")
# How a process of Recollect is known by its arguments.
_OURS = re.compile(r"(?:^|/)recollect(?:/(?:hook|__main__)\.py)?$")


class Found(NamedTuple):
    """What a trace shows that should not be there, and how much was looked at."""

    wrong: list[str]
    programs: int
    ours: int
    connections: int


def examined(lines: Iterable[str], editors: Iterable[str] = ()) -> Found:
    """Look through what strace wrote."""
    ours: set[str] = set()
    wrong: list[str] = []
    programs = count = connections = 0
    for pid, call in _calls(lines):
        if call.startswith(("connect(", "sendto(")):
            address = _ADDRESS.search(call)
            if address:
                connections += 1
                if not _LOCAL.match(address[1]):
                    wrong.append(f"connected: {call[:200]}")
        elif call.startswith("execve"):
            argv = [match[1] for match in _QUOTED.finditer(call.rpartition("]")[0])]
            programs += call.endswith("= 0")
            is_ours = any(_OURS.search(word) for word in argv[1:7])
            if pid in ours and not (is_ours or any(word in editors for word in argv[:3])):
                wrong.append(f"ran: {argv}")
            if is_ours and call.endswith("= 0"):
                count += 1
                ours.add(pid)
        elif pid in ours and (child := re.search(r"= (\d+)$", call)):
            ours.add(child[1])
    return Found(wrong, programs, count, connections)


def _calls(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """`(process, call)` for each line, with what was interrupted put together again."""
    begun: dict[str, str] = {}
    for line in lines:
        match = _LINE.match(line.rstrip("\n"))
        if match is None:
            continue
        pid, what = match["pid"], match["what"]
        if what.endswith("<unfinished ...>"):
            begun[pid] = what.removesuffix("<unfinished ...>").rstrip()
        elif what.startswith("<..."):
            yield pid, begun.pop(pid, "") + what.partition("resumed>")[2].rstrip()
        else:
            yield pid, what.rstrip()


# ---------------------------------------------------------------------------------- the network


def leave_the_network() -> bool:
    """Give this process a network of its own, in which only loopback is up; False if it may not."""
    libc = ctypes.CDLL(None, use_errno=True)
    user, group = os.getuid(), os.getgid()
    flags = CLONE_NEWNET | (CLONE_NEWUSER if user else 0)
    if libc.unshare(flags):
        return False
    if user:
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        asked = fcntl.ioctl(one, SIOCGIFFLAGS, struct.pack("16sh", b"lo", 0) + b"\0" * 22)
        up = struct.unpack("16sh", asked[:18])[1] | IFF_UP
        fcntl.ioctl(one, SIOCSIFFLAGS, struct.pack("16sh", b"lo", up) + b"\0" * 22)
    return True


# ---------------------------------------------------------------------------------- the command


def main() -> int:
    """Run the command; its exit code, or 1 if something was reached for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--trace", action="store_true", help="follow every connection and program")
    parser.add_argument("--strict", action="store_true", help="fail where that is not possible")
    parser.add_argument("--editor", action="append", default=[], help="an editor that tests set")
    parser.add_argument("command", nargs="+")
    given = parser.parse_args()
    missing = [] if leave_the_network() else ["a network of its own (the kernel refuses)"]
    if given.trace and not _can_trace():
        missing.append("strace")
    if missing:
        _say(f"there is no {' and no '.join(missing)}")
        if given.strict:
            return 1
    if not given.trace or "strace" in missing:
        return subprocess.run(given.command, check=False).returncode  # noqa: S603 - what it is for
    return _traced(given.command, frozenset(given.editor))


def _can_trace() -> bool:
    strace = shutil.which("strace")
    if strace is None:
        return False
    tried = subprocess.run([strace, "-e", "none", "true"], capture_output=True, check=False)  # noqa: S603
    return tried.returncode == 0


def _traced(command: list[str], editors: frozenset[str]) -> int:
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "trace")
        strace = ["strace", "-f", "--seccomp-bpf", "-qq", "-s", "300", "-o", log, "-e", CALLS]
        code = subprocess.run([*strace, *command], check=False).returncode  # noqa: S603 - what it is for
        with open(log, encoding="utf-8", errors="replace") as lines:
            found = examined(lines, editors)
    for what in list(dict.fromkeys(found.wrong))[:50]:
        _say(what)
    _say(
        f"{found.programs} programs ({found.ours} of Recollect), {found.connections} connections; "
        f"{len(found.wrong)} that should not be"
    )
    return code or int(bool(found.wrong))


def _say(text: str) -> None:
    sys.stderr.write(f"alone: {text}\n")


if __name__ == "__main__":
    sys.exit(main())
