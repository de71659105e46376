"""All commands together, over a store in which everything is hostile, as the system sees them."""

from __future__ import annotations

import os
import re
import shutil
import stat
from pathlib import Path

import pytest
from tests.cli.running import Person

from .haunted import EVERY, EVIL, haunt, words_for
from .test_system_calls import is_allowed, opened_outside, traced_together
from .tracing import Trace, require_strace

HERE = {"RECOLLECT_SESSION": "haunted", "EDITOR": "/bin/false"}
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def every(tmp_path_factory: pytest.TempPathFactory) -> tuple[Person, Trace]:
    """Somebody whose umask forbids nothing, after all commands; and what these asked for."""
    require_strace()
    folder = tmp_path_factory.mktemp("every")
    home, project = folder / "home", folder / "project"
    (project / ".git").mkdir(parents=True)
    home.mkdir()
    before = os.umask(0)
    try:
        person = Person(home, project, HERE)
        person.ok("init", "--scope", "both", "--client", "claude")
        haunt(person)
        _by_hand(person)
        said = [list(words_for(person, words)) for words in EVERY if words[0] != "uninstall"]
        trace = traced_together(person, [*said, ["uninstall"]])
    finally:
        os.umask(before)
    return person, trace


def _by_hand(person: Person) -> None:
    """What a person makes with an editor is theirs; what a command writes is not open to others."""
    for base, folders, files in os.walk(person.store):
        for name in (*folders, *files):
            path = os.path.join(base, name)
            os.chmod(path, 0o700 if os.path.isdir(path) else 0o600)


def test_no_command_opens_anything_outside_the_stores(every: tuple[Person, Trace]) -> None:
    person, trace = every
    assert trace.code > len(EVERY) / 3  # so many succeeded
    # What the commands were told to read, the places of clients, and who is who on this machine.
    told = os.path.normpath(os.path.join(person.project, EVIL))
    known = {told, str(person.project / "CLAUDE.md"), "/etc/nsswitch.conf", "/etc/passwd", "/etc/group"}  # fmt: skip
    given = str(person.home.parent / "given")
    temporary = re.compile(re.escape(str(person.project)) + r"/\.[0-9a-f]{16}\.tmp")
    outside = opened_outside(trace, person) - known
    assert not [p for p in outside if not (p.startswith(given) or temporary.fullmatch(p))]


def test_no_command_connects_or_runs_anything(every: tuple[Person, Trace]) -> None:
    _, trace = every
    assert trace.connected == set()
    assert [argv for argv in trace.run if not is_allowed(argv)] == []


def test_what_commands_write_is_for_its_owner_only(every: tuple[Person, Trace]) -> None:
    person, _ = every
    roots = (person.store, person.home / ".claude" / "memory", person.home / ".cache" / "recollect")
    made = [p for root in roots for p in (root, *root.rglob("*")) if not p.is_symlink()]
    assert len(made) > 60
    open_to_others = [f"{p} {p.stat().st_mode:o}" for p in made if p.stat().st_mode & 0o077]
    assert open_to_others == []


@pytest.mark.skipif(os.getuid() != 0, reason="only root can be somebody else")
def test_another_user_reads_nothing(every: tuple[Person, Trace]) -> None:
    import subprocess

    person, _ = every
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        pytest.skip("there is no setpriv")
    for folder in (person.home.parent, *person.home.parent.parents):
        if folder != Path("/"):
            folder.chmod(folder.stat().st_mode | stat.S_IXGRP | stat.S_IXOTH)
    other = [setpriv, "--reuid=65534", "--regid=65534", "--clear-groups"]
    for root in (person.store, person.home / ".claude" / "memory", person.home / ".cache" / "recollect"):  # fmt: skip
        ran = subprocess.run(
            [*other, "grep", "-r", "teapot", root], capture_output=True, check=False
        )
        assert ran.stdout == b""
        assert b"Permission denied" in ran.stderr
