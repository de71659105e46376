"""The watch over the tests themselves sees what it should: a guard that is asleep guards nothing."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests import watching
from tests.watching import OURS, Refused


@pytest.fixture(autouse=True)
def expected(nothing_is_reached_for: None) -> Iterator[None]:
    """What is refused here is meant to be."""
    yield
    assert watching.refused
    watching.refused.clear()


def _as_recollect(code: str) -> Callable[[], Any]:
    """This code, run as if it stood in a module of Recollect."""
    compiled = compile(code, f"{OURS}app/evil.py", "exec")
    return lambda: exec(compiled, {})


@pytest.mark.parametrize(
    "reach",
    [
        lambda one: one.connect(("192.0.2.1", 80)),
        lambda one: one.sendto(b"x", ("192.0.2.1", 53)),
        lambda _: socket.create_connection(("example.org", 443)),
        lambda _: socket.gethostbyname("example.org"),
    ],
)
def test_the_network_cannot_be_reached(reach: Callable[[socket.socket], Any]) -> None:
    with socket.socket(type=socket.SOCK_DGRAM) as one, pytest.raises(Refused, match="network"):
        reach(one)


@pytest.mark.parametrize(
    "code",
    [
        "import subprocess; subprocess.run('true', shell=True)",
        "import subprocess; subprocess.run(['true'])",
        "import subprocess; subprocess.run(['sh', '-c', 'true'])",
        "import os; os.system('true')",
        "import os; os.posix_spawn('/bin/true', ['true'], {})",
        "import os; os.execv('/bin/true', ['true'])",
        "import subprocess, sys; subprocess.run([sys.executable, '-c', 'print(1)'])",
    ],
)
def test_recollect_starts_no_program(code: str) -> None:
    with pytest.raises(Refused, match="program"):
        _as_recollect(code)()


def test_what_swallows_everything_is_found_out_all_the_same() -> None:
    _as_recollect("import os\ntry:\n os.system('true')\nexcept BaseException:\n pass")()
    assert watching.refused


def test_its_own_worker_the_editor_and_what_tests_start_are_let_through(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("EDITOR", "true --wait")
    _as_recollect("import subprocess; subprocess.run(['true', '--wait', 'a file'])")()
    known = f"import subprocess, sys; subprocess.run([sys.executable, '-I', '{OURS}__main__.py', '--version'], capture_output=True)"
    _as_recollect(known)()
    subprocess.run([sys.executable, "-c", ""], check=True)
    assert not watching.refused
    watching.refused.append("nothing")  # as the fixture wants it
