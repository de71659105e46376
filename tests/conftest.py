"""For all tests: nobody's home, no network, a fixed language."""

from __future__ import annotations

import compileall
import gc
import itertools
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from tests import watching
from tests.cli.running import Person
from tests.hooks.machine import Machine
from tests.prepared import Prepared

import recollect
from recollect.__main__ import COLLECT_AFTER

settings.register_profile(
    "default",  # a few cases each time; CI takes more
    deadline=None,
    max_examples=10,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
settings.register_profile("long", settings.get_profile("default"), max_examples=1000)
# CI runs more cases, and the same ones each time: what it says of a change must not depend on luck.
settings.register_profile(
    "same", settings.get_profile("default"), max_examples=60, derandomize=True
)
settings.load_profile(os.environ.get("RECOLLECT_HYPOTHESIS", "default"))

MEMORY = "/dev/shm"
ROOM = 2 << 30  # several times what one run leaves there at any moment
_numbers = itertools.count()


def pytest_configure(config: pytest.Config) -> None:
    """Compile what the tests start as programs, as an installer does.

    Python itself leaves half of a compiled file behind where a quota cuts it short, and tests of
    quotas run beside all others.
    """
    watching.install()
    gc.set_threshold(COLLECT_AFTER, 50, 100)  # as in the program itself
    if not hasattr(config, "workerinput"):
        compileall.compile_dir(os.path.dirname(recollect.__file__), quiet=2)
        if config.option.markexpr == "not slow" and _is_memory_usable():
            os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", MEMORY)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as slow all cases of a test but as many as `sampled` says, spread over the list of its cases."""
    cases: dict[tuple[str, int], list[pytest.Item]] = {}
    for item in items:
        if sampled := item.get_closest_marker("sampled"):
            cases.setdefault((item.nodeid.partition("[")[0], sampled.args[0]), []).append(item)
    for (_, kept), of_test in cases.items():
        step = max(len(of_test) / kept, 1)
        fast = {int(n * step) for n in range(kept)}
        for n, item in enumerate(of_test):
            if n not in fast:
                item.add_marker(pytest.mark.slow)


def pytest_collection_finish() -> None:
    """Keep thousands of tests, which live to the end, out of what the garbage collector looks through."""
    gc.collect()
    gc.freeze()


def _is_memory_usable() -> bool:
    """Whether temporary folders can be in memory: the fast tests would wait half of their time for the disk.

    The slow ones stay on the disk, so that stores are tried there, too.
    """
    if not os.access(MEMORY, os.W_OK):
        return False
    found = os.statvfs(MEMORY)
    return not found.f_flag & os.ST_NOEXEC and shutil.disk_usage(MEMORY).free > ROOM


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the homes are: pytest looks through all of its own folders before it makes another."""
    return tmp_path_factory.mktemp("homes")


@pytest.fixture(autouse=True)
def nobodys_home(homes: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own for each test; nothing of the person's own can be reached."""
    home = homes / str(next(_numbers))
    home.mkdir()
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
def nothing_is_reached_for() -> Iterator[None]:
    """Only loopback can be reached, and Recollect starts no program but its own."""
    watching.refused.clear()
    yield
    assert not watching.refused


# A store is made in 40 ms, of which git takes half, and put somewhere in one: a third of the tests
# begin with one. `tests/cli/test_commands.py` compares what is put with what is made.


@pytest.fixture(scope="session")
def store_of_a_project(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    """Somebody with a store in `project`."""
    return _made(tmp_path_factory.mktemp("prepared"), "project")


@pytest.fixture(scope="session")
def both_stores(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    """Somebody with a store in `project`, and the one for all projects."""
    return _made(tmp_path_factory.mktemp("prepared"), "both")


@pytest.fixture(scope="session")
def stores_of_a_machine(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    """The stores of a `Machine`, as its worker leaves them."""
    machine = Machine(tmp_path_factory.mktemp("prepared"))
    machine.make_stores()
    return Prepared(machine.folder)


def _made(folder: Path, scope: str) -> Prepared:
    home, project = folder / "home", folder / "project"
    (project / ".git").mkdir(parents=True)
    home.mkdir()
    Person(home, project).ok("init", "--scope", scope)
    return Prepared(folder)
