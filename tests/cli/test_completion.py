"""Shell completion, in the shell."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.running import Person

pytestmark = pytest.mark.skipif(not shutil.which("bash"), reason="there is no bash")


@pytest.fixture
def typist(person: Person, tmp_path: Path) -> Person:
    """Somebody who has `recollect` on their path and two memories."""
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "recollect"
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m recollect "$@"\n')
    program.chmod(0o755)
    person.env["PATH"] = f"{folder}:{os.environ['PATH']}"
    person.env["PYTHONPATH"] = os.pathsep.join(sys.path)
    person.ok("save", "Cache of sessions")
    person.ok("save", "Always measure first")
    return person


def _completed(person: Person, line: str) -> list[str]:
    """What bash offers when TAB is pressed behind this line."""
    words = line.split(" ")
    script = (
        'eval "$(recollect completion bash)"\n'
        f"COMP_WORDS=({' '.join(shlex.quote(w) for w in words)}); COMP_CWORD={len(words) - 1}\n"
        '_recollect_completion recollect\nprintf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    ran = subprocess.run(
        ["bash", "--norc", "-c", script],
        cwd=person.project,
        env=person.environment({}),
        capture_output=True,
        timeout=60,
        check=True,
        text=True,
    )
    assert (
        ran.stderr.replace("bash: compopt: not currently executing completion function\n", "") == ""
    )
    return ran.stdout.split()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("recollect se", ["search", "set", "session"]),
        ("recollect memory-", []),
        ("recollect session st", ["start"]),
        ("recollect fact decision --cat", ["--category"]),
        ("recollect show --lev", ["--level"]),
        ("recollect save x --kind dec", ["decision"]),
        ("recollect show ca", ["cache-of-sessions"]),
        ("recollect edit fe", ["feedback"]),
        ("recollect config recall.st", ["recall.start_tokens"]),
        ("recollect completion z", ["zsh"]),
        ("recollect show zebra", []),
        ("recollect --ver", ["--version"]),
    ],
)
def test_bash_completes(typist: Person, line: str, offered: list[str]) -> None:
    assert _completed(typist, line) == offered


@pytest.mark.slow
def test_an_id_is_completed_in_the_folder_that_is_named(typist: Person, tmp_path: Path) -> None:
    here = typist.project
    typist.project = tmp_path
    assert _completed(typist, f"recollect -C {here} show ca") == ["cache-of-sessions"]
    assert _completed(typist, "recollect show ca") == []


@pytest.mark.slow
def test_ids_of_pages_and_entries_come_with_their_titles(typist: Person) -> None:
    rule = next(one for one in typist.ok("list", "--json").json if one["kind"] == "rule")
    short = rule["entry"][:4]
    assert _completed(typist, f"recollect show {short[:2]}") == [short]
    ran = subprocess.run(
        ["recollect"],
        cwd=typist.project,
        env=typist.environment(
            {
                "_RECOLLECT_COMPLETE": "zsh_complete",
                "COMP_WORDS": "recollect show ",
                "COMP_CWORD": "2",
            }
        ),
        capture_output=True,
        timeout=60,
        check=True,
        text=True,
    )
    offered = ran.stdout.split("plain\n")[1:]
    assert "cache-of-sessions\nCache of sessions\n" in offered
    assert f"{short}\nAlways measure first\n" in offered


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_has_a_script(person: Person, shell: str) -> None:
    assert "_RECOLLECT_COMPLETE" in person.ok("completion", shell).out


def test_fish_shows_all_that_is_said_of_a_word(typist: Person) -> None:
    typist.ok("save", "Seeds, not fixtures")
    script = typist.ok("completion", "fish").out
    assert 'string split --max 1 ","' in script  # at the first comma: what follows is shown
    fish = shutil.which("fish")
    if not fish:
        return
    ran = subprocess.run(
        [fish, "--no-config", "-c", "recollect completion fish | source; complete -C 'recollect show seeds'"],
        cwd=typist.project, env=typist.environment({}), capture_output=True, timeout=60, check=True, text=True,
    )  # fmt: skip
    assert ran.stdout == "seeds-not-fixtures\tSeeds, not fixtures\n"
