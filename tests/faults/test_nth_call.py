"""The n-th system call of a whole process is refused: SQLite's own calls too, and those of hooks."""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.crash.kills import Scene, require_strace, shape
from tests.hooks.machine import HOOK, SESSION, Machine, Ran, harmless
from tests.prepared import Prepared

from recollect.capture import save_memory as save
from recollect.capture.save_memory import Draft
from recollect.errors import every_error
from recollect.features import memories as writing

# What a file system may say to each call.
ERRORS = {
    "openat": ("EMFILE", "EIO"), "write": ("ENOSPC", "EIO"), "pwrite64": ("ENOSPC", "EIO"),
    "fsync": ("EIO",), "fdatasync": ("EIO",), "rename": ("EIO", "EROFS"), "linkat": ("EPERM", "ENOSPC"),
    "unlink": ("EIO",), "ftruncate": ("EIO",), "mkdir": ("ENOSPC",),
}  # fmt: skip
COMMANDS: dict[str, list[str]] = {
    "save": ["save", "A new fact", "--body", "It is new.", "--kind", "fact"],
    "edit": ["edit", "one", "--append", "More."],
    "forget": ["forget", "one"],
    "undo": ["undo", "one"],
    "rebuild-index": ["rebuild-index"],
}
CODES = {1, *(error.exit_code for error in every_error())}


@pytest.fixture(scope="module")
def scene(quick_folder: Path) -> Scene:
    require_strace()
    scene = Scene(quick_folder / "refused")
    scene.project.write("semantic/by-hand.md", "# By hand\n\nA person wrote this.\n")
    with scene.project.opened() as store:
        save.save(store, Draft("One", "First.", kind="fact"))
        writing.edit(store, "one", append="Second.")
    scene.keep()
    return scene


def refused(scene: Scene, name: str, stride: int) -> int:
    """Refuse one call after the other; gives how often the command said that it failed."""
    words = COMMANDS[name]
    own = str(scene.project.folder)  # which Python looks through for modules before we run
    points = [point for point in scene.cold_points(words) if point.path != own]
    after = shape(scene.project.files())
    scene.rewind()
    before = shape(scene.project.files())
    failed = 0
    for n, point in enumerate(points[stride // 2 :: stride]):
        errors = ERRORS[point.call]
        about = (point, error := errors[n % len(errors)])
        done = scene.fail(words, point, error)
        assert done.returncode in {0, *CODES}, (about, done)
        assert "Traceback" not in done.stderr, (about, done.stderr)
        assert "This is a bug" not in done.stderr, (about, done.stderr)
        failed += done.returncode != 0
        if done.returncode > 1:
            assert done.stderr.startswith("recollect: "), about
            assert "\n  → " in done.stderr, about
        goes_on(scene, before, after, acknowledged=done.returncode == 0, about=about)
    return failed


def goes_on(
    scene: Scene,
    before: dict[str, int],
    after: dict[str, int],
    *,
    acknowledged: bool,
    about: object,
) -> None:
    """What was acknowledged is there, all is whole, and the next command works."""
    scene.answer("list")
    found = shape(scene.project.files())
    assert found in ([after] if acknowledged else [before, after]), about
    scene.answer("save", "Afterwards", "--body", "It goes on.", "--kind", "fact")
    assert [hit["id"] for hit in scene.answer("search", "goes on")["hits"]] == ["afterwards"], about
    report = scene.answer("doctor")
    assert report["problems"] == 0, (about, report)
    with scene.project.opened() as store:
        store.journal.ops()
        assert store.journal.problems == [], about
        assert store.index.differences() == [], about


@pytest.mark.slow
def test_a_command_of_which_a_call_is_refused_says_so_or_does_its_work(scene: Scene) -> None:
    refused(scene, "save", 24)


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_of_which_any_call_is_refused_says_so_or_does_its_work(
    scene: Scene, name: str
) -> None:
    stride = {"save": 2, "rebuild-index": 6}.get(name, 4)
    assert refused(scene, name, stride) > 5


# ------------------------------------------------------------------------------------------- hooks

CPU_SECONDS = 2
CALLS = (
    "openat", "read", "write", "mkdir", "fstat", "newfstatat", "pread64", "lseek", "fcntl", "mmap",
    "getdents64",
)  # fmt: skip


@pytest.fixture
def machine(tmp_path: Path, stores_of_a_machine: Prepared) -> Machine:
    machine = Machine(tmp_path)
    stores_of_a_machine.put(tmp_path)
    machine.write("semantic/billing.md", "The billing events are in PostgreSQL.", id="billing")
    return machine


def thrifty() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))


def traced(machine: Machine, event: str, *options: str) -> Ran:
    done = subprocess.run(
        ["strace", "-f", *options, sys.executable, "-I", "-S", HOOK, "claude", event],
        input=json.dumps(machine.payload(event)).encode(), capture_output=True,
        env=machine.env | {"PATH": os.environ["PATH"]}, cwd=machine.project, timeout=60,
        check=False, preexec_fn=thrifty,
    )  # fmt: skip
    return Ran(done.returncode, done.stdout, done.stderr)


def calls_of(machine: Machine, event: str) -> Iterator[tuple[str, int]]:
    """The calls that a hook makes once our own code runs, each with its number among its kind."""
    log = machine.folder / "log"
    traced(machine, event, "-o", str(log), "-e", f"trace={','.join(CALLS)}")
    counts = dict.fromkeys(CALLS, 0)
    started = False
    for line in log.read_text(errors="replace").splitlines():
        found = re.match(r"\d+ +(\w+)\(", line)
        if found and found[1] in counts:
            counts[found[1]] += 1
            started = started or "recollect/interfaces/hooks" in line
            if started:
                yield found[1], counts[found[1]]


@pytest.mark.slow
@pytest.mark.parametrize("event", ["SessionStart", "UserPromptSubmit", "PostToolUse", "Stop"])
def test_a_hook_of_which_any_call_is_refused_is_quiet_and_leaves_nothing(
    machine: Machine, event: str
) -> None:
    require_strace()
    points = list(calls_of(machine, event))
    assert len(points) > 10
    for n, (call, number) in enumerate(points[:: max(1, len(points) // 25)]):
        error = ("EIO", "EMFILE", "ENOSPC", "EACCES")[n % 4]
        inject = f"inject={call}:error={error}:when={number}"
        ran = traced(machine, event, "-qq", "-o", "/dev/null", "-e", f"trace={call}", "-e", inject)
        harmless(ran, event)
    machine.settle()
    for file in (machine.root / "journal").glob(f"claude-{SESSION}*"):
        assert all(json.loads(line) for line in file.read_text().splitlines() if line)
