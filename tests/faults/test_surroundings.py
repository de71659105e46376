"""What is broken around the program: a clear refusal, nothing lost, and the next command works."""

from __future__ import annotations

import fcntl
import json
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from tests.hooks.machine import EVENTS, FIELDS, HOOK, LONGEST, until
from tests.services.project import Project

from recollect.errors import every_error

DAYS = 24 * 3600
MOST_SECONDS = 2
KNOWN_CODES = {error.exit_code for error in every_error()}
Command = subprocess.CompletedProcess[str]


class Surroundings:
    """How processes are started while something is broken."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.env = dict(project.env)
        self.ahead: list[str] = []
        self.before: Callable[[], None] | None = None
        self.clock = 0

    def run(self, words: list[str], given: str = "") -> Command:
        return subprocess.run(
            [*self.ahead, *words],
            input=given,
            cwd=self.project.folder,
            env=self.env,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            preexec_fn=self.before,
        )

    def command(self, *words: str) -> Command:
        start = "from recollect.__main__ import main; main()"
        return self.run([sys.executable, "-c", f"{self._patched()}{start}", *words])

    def hook(self, event: str) -> Command:
        payload = {"session_id": "s", "cwd": str(self.project.folder), "hook_event_name": event}
        run = f"import runpy; runpy.run_path({HOOK!r}, run_name='__main__')"
        code = f"{self._patched()}import sys; sys.argv[0] = {HOOK!r}; {run}"
        words = [sys.executable, "-I", "-S", "-c", code, "claude", event]
        return self.run(words, json.dumps(payload | FIELDS[event]))

    def waiting_hook(self, event: str) -> Command:
        """A hook whose stdin stays open: what it waits for never comes."""
        reader, writer = os.pipe()
        try:
            return subprocess.run(
                [*self.ahead, sys.executable, "-I", "-S", HOOK, "claude", event],
                stdin=reader,
                cwd=self.project.folder,
                env=self.env,
                capture_output=True,
                text=True,
                timeout=LONGEST,
                check=False,
                preexec_fn=self.before,
            )
        finally:
            os.close(reader)
            os.close(writer)

    def _patched(self) -> str:
        """A clock that is wrong by so many seconds."""
        if not self.clock:
            return ""
        return (
            "import time; t, n = time.time, time.time_ns; "
            f"time.time = lambda: t() + {self.clock}; "
            f"time.time_ns = lambda: n() + {self.clock} * 10**9; "
        )


@pytest.fixture
def here(quick_folder: Path, tmp_path: Path) -> Surroundings:
    """A store with a memory, and everything around it in order."""
    project = Project(quick_folder / tmp_path.name)
    around = Surroundings(project)
    assert around.command("save", "One", "--body", "First.", "--kind", "fact").returncode == 0
    return around


# ------------------------------------------------------------------------------------- the faults


@contextmanager
def read_only(here: Surroundings) -> Iterator[None]:
    """The store is on a file system that nobody can write to."""
    root = here.project.root
    here.ahead = [
        "unshare", "-m", "sh", "-c",
        f'mount --bind "{root}" "{root}" && mount -o remount,ro,bind "{root}" && exec "$@"', "sh",
    ]  # fmt: skip
    require(here)
    yield
    here.ahead = []


@contextmanager
def no_inodes(here: Surroundings) -> Iterator[None]:
    """There is room for bytes, but for no more file."""
    script = """
        cp -a "$R" "$R.copy"; mount -t tmpfs -o nr_inodes=40,mode=0700 none "$R" || exit 99
        cp -a "$R.copy/." "$R"; rm -r "$R.copy"
        i=0; while touch "$R/filler$i" 2>/dev/null; do i=$((i+1)); done
        exec "$@"
    """
    here.env["R"] = str(here.project.root)
    here.ahead = ["unshare", "-m", "sh", "-c", script, "sh"]
    require(here)
    yield
    here.ahead = []


@contextmanager
def few_handles(here: Surroundings) -> Iterator[None]:
    def few() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (12, 12))

    here.before = few
    yield
    here.before = None


@contextmanager
def small_files(here: Surroundings) -> Iterator[None]:
    """No file may grow beyond a few bytes: what a quota does."""

    def few() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600))

    here.before = few
    yield
    here.before = None


@contextmanager
def no_home(here: Surroundings) -> Iterator[None]:
    home = here.env.pop("HOME")
    yield
    here.env["HOME"] = home


@contextmanager
def home_is_gone(here: Surroundings) -> Iterator[None]:
    home = here.env["HOME"]
    here.env["HOME"] = f"{home}/nowhere/at/all"
    yield
    here.env["HOME"] = home
    shutil.rmtree(f"{home}/nowhere", ignore_errors=True)


def wrong_clock(days: int) -> Callable[[Surroundings], object]:
    @contextmanager
    def fault(here: Surroundings) -> Iterator[None]:
        here.clock = days * DAYS
        yield
        here.clock = 0

    return fault


FAULTS: Mapping[str, Callable[[Surroundings], object]] = {
    "a store that cannot be written": read_only,
    "no inodes": no_inodes,
    "few handles": few_handles,
    "a quota": small_files,
    "no HOME": no_home,
    "a home that is not there": home_is_gone,
    "a clock 400 days ahead": wrong_clock(400),
    "a clock 400 days behind": wrong_clock(-400),
}
HARMLESS = ("a home that is not there", "a clock 400 days ahead", "a clock 400 days behind")
every_fault = pytest.mark.parametrize("name", FAULTS)


def require(here: Surroundings) -> None:
    """Skip the test where this machine cannot break that."""
    tried = here.run(["true"])
    if tried.returncode:
        pytest.skip(f"it cannot be done here: {tried.stderr.strip()[:100]}")


def enter(stack: ExitStack, here: Surroundings, name: str) -> None:
    stack.enter_context(FAULTS[name](here))  # type: ignore[arg-type]


# ------------------------------------------------------------------------------- what holds


@pytest.mark.slow
@every_fault
def test_a_command_does_its_work_or_says_what_is_wrong_and_nothing_is_lost(
    here: Surroundings, name: str
) -> None:
    before = here.project.files()
    with ExitStack() as stack:
        enter(stack, here, name)
        done = here.command("save", "Two", "--body", "Second.", "--kind", "fact")
        found = here.command("search", "first")
        asked = here.command("doctor")
    for ran in (done, found, asked):
        assert ran.returncode in {0, 1, *KNOWN_CODES}, ran
        assert "Traceback" not in ran.stderr
        assert "This is a bug" not in ran.stderr
        if ran.returncode > 1:
            assert ran.stderr.startswith("recollect: ")
            assert "\n  → " in ran.stderr
    if name in HARMLESS:
        assert done.returncode == 0
    after = here.project.files()
    assert before.items() <= after.items()
    assert (len(after) > len(before)) == (done.returncode == 0 and not name.startswith("no inodes"))
    assert here.command("save", "Three", "--body", "Third.", "--kind", "fact").returncode == 0
    assert here.command("search", "first").stdout.startswith("One")
    assert here.command("doctor").returncode == 0


@pytest.mark.slow
@every_fault
def test_a_hook_is_quiet_and_leaves_no_process(here: Surroundings, name: str) -> None:
    """Nor does it take two seconds of the processor: it would be killed, and not end with 0."""
    before = here.project.files()
    with ExitStack() as stack:
        enter(stack, here, name)
        here.before = thrifty(here.before)
        for event in EVENTS:
            ran = here.hook(event)
            assert ran.returncode == 0, (event, ran)
            assert ran.stderr == "", (event, ran)
            assert not ran.stdout.startswith("{") or json.loads(ran.stdout)
    until(lambda: not running(here), lambda: running(here))
    assert here.project.files() == before
    assert here.command("doctor").returncode == 0


@pytest.mark.slow
@every_fault
def test_a_hook_that_hears_nothing_ends_by_itself(here: Surroundings, name: str) -> None:
    """Its own deadline ends it (1.7 s); that it takes less than `LONGEST` is all that is measured."""
    with ExitStack() as stack:
        enter(stack, here, name)
        for event in ("UserPromptSubmit", "Stop"):
            ran = here.waiting_hook(event)
            assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
    until(lambda: not running(here), lambda: running(here))


def thrifty(before: Callable[[], None] | None) -> Callable[[], None]:
    def limits() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
        if before:
            before()

    return limits


def running(here: Surroundings) -> list[str]:
    """The processes that work in this project."""
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            line = Path(f"/proc/{entry}/cmdline").read_bytes()
            if str(here.project.folder).encode() in line and b"recollect" in line:
                found.append(line.replace(b"\0", b" ").decode())
        except OSError:
            continue
    return found


@pytest.mark.slow
def test_order_and_undo_hold_when_the_clock_jumps_to_and_fro(here: Surroundings) -> None:
    for n, days in enumerate((400, -400, 0)):
        here.clock = days * DAYS
        assert here.command("edit", "one", "--append", f"Added {n}.").returncode == 0
        assert here.command("consolidate").returncode == 0
    told = [row["cause"] for row in json.loads(here.command("history", "one", "--json").stdout)]
    assert told.count("edit") == 3
    text = here.project.files()["semantic/one.md"].decode()
    assert text.index("Added 0.") < text.index("Added 1.") < text.index("Added 2.")
    edits = [
        row for row in json.loads(here.command("history", "one", "--json").stdout)
        if row["cause"] == "edit"
    ]  # fmt: skip
    assert here.command("undo", "--to", edits[-1]["change"]).returncode == 0
    text = here.project.files()["semantic/one.md"].decode()
    assert "Added 0." in text
    assert "Added 1." not in text


@pytest.mark.slow
def test_a_foreign_lock_is_waited_for_by_commands_and_by_no_hook(here: Surroundings) -> None:
    with (here.project.cache / "lock").open("r+") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        for event in EVENTS:
            ran = here.hook(event)
            assert (ran.returncode, ran.stderr) == (0, "")
        refused = here.command("save", "Two", "--kind", "fact")
        assert refused.returncode == 13
        assert "locked" in refused.stderr
        assert here.command("search", "first").stdout.startswith("One")
    assert here.command("save", "Two", "--kind", "fact").returncode == 0
