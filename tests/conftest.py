"""For all tests: nobody's home, no network, a fixed language."""

from __future__ import annotations

import compileall
import os
import socket
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

import recollect

settings.register_profile(
    "default",
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
settings.register_profile("long", settings.get_profile("default"), max_examples=1000)
settings.load_profile(os.environ.get("RECOLLECT_HYPOTHESIS", "default"))


def pytest_configure(config: pytest.Config) -> None:
    """Compile what the tests start as programs, as an installer does.

    Python itself leaves half of a compiled file behind where a quota cuts it short, and tests of
    quotas run beside all others.
    """
    if not hasattr(config, "workerinput"):
        compileall.compile_dir(os.path.dirname(recollect.__file__), quiet=2)


_REAL_CONNECT = socket.socket.connect


@pytest.fixture(autouse=True)
def nobodys_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own for each test; nothing of the person's own can be reached."""
    home = tmp_path_factory.mktemp("home")
    for name in list(os.environ):
        if name.startswith(("RECOLLECT_", "CLAUDE", "XDG_", "ANTHROPIC")) and name not in (
            "RECOLLECT_CLAUDE",
            "RECOLLECT_REQUIRE_CLIENT",
            "RECOLLECT_HYPOTHESIS",
        ):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    return home


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only loopback can be reached."""

    def connect(self: socket.socket, address: Any) -> None:
        if isinstance(address, tuple) and address[0] not in ("127.0.0.1", "::1", "localhost"):
            raise AssertionError(f"a test reached for the network: {address}")
        _REAL_CONNECT(self, address)

    monkeypatch.setattr(socket.socket, "connect", connect)
