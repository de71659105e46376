"""What a command asks of the system, as strace sees it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

_PATH = re.compile(r'"((?:[^"\\]|\\.)*)"')
# A name, and the folder that it is looked up in: strace -y says which one a handle is of.
_NAME_IN = re.compile(r'(?:(?:AT_FDCWD|\d+)<((?:[^>\\]|\\.)*)>, )?"((?:[^"\\]|\\.)*)"')
_CONNECT = re.compile(r"connect\(\d+(?:<[^>]*>)?, \{sa_family=(\w+)(.*)")


class Trace(NamedTuple):
    """What was opened, connected to and run, by a command and all of its children."""

    opened: set[str]
    connected: set[str]
    run: list[list[str]]
    code: int


def require_strace() -> None:
    """Skip where there is no strace, or where it may not trace."""
    if not shutil.which("strace"):
        pytest.skip("strace is not installed")
    tried = subprocess.run(["strace", "-e", "trace=none", "true"], capture_output=True, check=False)
    if tried.returncode:
        pytest.skip("strace may not trace here")


def traced(
    command: Sequence[str], *, cwd: Path, env: Mapping[str, str], stdin: bytes = b""
) -> Trace:
    """Run a command under strace, and wait for all of its children."""
    log = cwd.parent / f"trace-{len(os.listdir(cwd.parent))}"
    wanted = "trace=open,openat,openat2,connect,execve,unlink,unlinkat,rename,renameat,renameat2"
    done = subprocess.run(
        ["strace", "-f", "-qq", "-y", "-s", "4096", "-o", str(log), "-e", wanted, *command],
        cwd=cwd,
        env=dict(env),
        input=stdin,
        capture_output=True,
        timeout=120,
        check=False,
    )
    lines = log.read_text("utf-8", "replace").splitlines()
    log.unlink()
    return Trace(_opened(lines, cwd), _connected(lines), _run(lines), done.returncode)


def written(command: Sequence[str], *, cwd: Path, env: Mapping[str, str]) -> bytes:
    """Every byte that a command and its children write to files, at whatever moment."""
    log = cwd.parent / "trace-of-writes"
    wanted = "trace=write,pwrite64,writev,pwritev,pwritev2,sendto,sendmsg"
    done = subprocess.run(
        ["strace", "-f", "-qq", "-y", "-s", "10000000", "-o", str(log), "-e", wanted, *command],
        cwd=cwd,
        env=dict(env),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=120,
        check=True,
    )
    assert done.returncode == 0
    lines = log.read_bytes().splitlines()
    log.unlink()
    return b"\n".join(line for line in lines if b"(1<" not in line and b"(2<" not in line)


def _opened(lines: Sequence[str], cwd: Path) -> set[str]:
    found = set()
    for line in lines:
        if any(f" {name}(" in line for name in ("open", "openat", "openat2", "unlink", "unlinkat", "rename", "renameat", "renameat2")):  # fmt: skip
            for folder, name in _NAME_IN.findall(line):
                found.add(os.path.normpath(os.path.join(cwd, _said(folder), _said(name))))
    return found


def _said(name: str) -> str:
    """A name that strace has written: its bytes as octal numbers are what they say in UTF-8."""
    name = name.encode("latin-1", "replace").decode("unicode_escape", "replace")
    return name.encode("latin-1", "replace").decode("utf-8", "replace")


def _connected(lines: Sequence[str]) -> set[str]:
    """The families and addresses that were connected to, but for Unix sockets and loopback."""
    found = set()
    for line in lines:
        match = _CONNECT.search(line)
        if (
            match
            and match[1] != "AF_UNIX"
            and "127.0.0.1" not in match[2]
            and '"::1"' not in match[2]
        ):
            found.add(match[0])
    return found


def _run(lines: Sequence[str]) -> list[list[str]]:
    """The arguments of each program that was started, the command itself first."""
    found = []
    for line in lines:
        if " execve(" in line and "= 0" in line:
            inside = line.split("execve(", 1)[1].rsplit("]", 1)[0]
            found.append([match[1] for match in _PATH.finditer(inside)])
    return found


PROGRAM = [sys.executable, "-m", "recollect"]
