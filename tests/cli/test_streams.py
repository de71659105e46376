"""Pipes that close, disks that are full, stdin, folders that are gone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.running import Person

PROGRAM = f"{sys.executable} -m recollect"


def _shell(person: Person, command: str, **env: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["bash", "-c", command],
        cwd=person.project,
        env=person.environment({"PYTHONPATH": os.pathsep.join(sys.path), **env}),
        capture_output=True,
        timeout=60,
        check=False,
    )


@pytest.mark.sampled(1)
@pytest.mark.parametrize("command", ["list", "list --json", "search x", "show x", "--help"])
def test_a_reader_that_leaves_early_is_no_trouble(person: Person, command: str) -> None:
    for n in range(3):
        person.write(f"semantic/x{n or ''}.md", "# x\n\n" + "x words " * 20_000)
    ran = _shell(person, f"{PROGRAM} {command} | head -c 1 >/dev/null; echo ${{PIPESTATUS[0]}}")
    assert ran.stderr == b""
    assert ran.stdout.strip() in (b"0", b"1")


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_disk_behind_stdout_is_said_in_one_sentence(person: Person) -> None:
    for command in ("list", "list --json", "doctor"):
        ran = _shell(person, f"{PROGRAM} {command} > /dev/full")
        assert ran.returncode == 16
        assert ran.stderr.decode().splitlines()[0] == "recollect: stdout: No space left on device."


def test_the_text_comes_from_stdin_byte_for_byte(person: Person) -> None:
    text = "线一 `$&` \\1 | --- ## {x} <b>\n\ttab\n"
    person.ok("save", "From stdin", "-", stdin=text)
    file = person.store / "semantic" / "from-stdin.md"
    assert file.read_text("utf-8").endswith(f"# From stdin\n\n{text}")


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("command", "code"),
    [("list >&-", 0), ("list --json >&-", 0), ("show x 2>&-", 10), ("save Title - <&-", 0)],
)
def test_a_stream_that_was_closed_is_no_trouble(person: Person, command: str, code: int) -> None:
    ran = _shell(person, f"{PROGRAM} {command}")
    assert ran.returncode == code, ran
    assert b"Traceback" not in ran.stderr


def test_a_dash_for_a_file_is_stdin(person: Person) -> None:
    person.ok("save", "From stdin", "--file", "-", "--kind", "fact", stdin="as a file\n")
    assert "as a file" in person.ok("show", "from-stdin").out


def test_so_is_a_dash_for_a_text(person: Person) -> None:
    person.ok("save", "Kettles", "--body", "-", "--kind", "fact", stdin="Blue ones.\n")
    person.ok("edit", "kettles", "--append", "-", stdin="Green ones.\n")
    said = person.ok("show", "kettles").out
    assert "Blue ones." in said
    assert "Green ones." in said


def test_a_path_is_said_with_all_its_blanks(person: Person) -> None:
    assert "no  such\tfile" in person.run("save", "x", "--file", "no  such\tfile").err


def test_a_mark_in_front_of_a_file_is_not_part_of_the_text(person: Person) -> None:
    (person.project / "bom.txt").write_bytes("\ufeff标题".encode())
    person.ok("save", "With a mark", "--file", "bom.txt", "--kind", "fact")
    assert "\ufeff" not in (person.store / "semantic" / "with-a-mark.md").read_text("utf-8")


def test_what_is_not_utf8_is_refused_before_anything_is_written(person: Person) -> None:
    ran = person.process("save", "Latin", "-", stdin="café".encode("latin-1"))
    assert ran.returncode == 15
    assert "stdin is not text in UTF-8" in ran.stderr.decode()
    assert not list((person.store / "semantic").iterdir())


def test_a_text_that_is_too_long_is_refused_not_cut(person: Person) -> None:
    ran = person.run("save", "Too long", "-", stdin="x" * (32 * 1024 * 1024 + 1))
    assert ran.code == 10
    assert "more than 33,554,432 bytes" in ran.err
    assert not list((person.store / "semantic").iterdir())


@pytest.mark.sampled(1)
@pytest.mark.parametrize("locale", ["C", "POSIX", "en_US.ISO-8859-1"])
def test_every_locale_shows_chinese_or_a_substitute(person: Person, locale: str) -> None:
    person.ok("save", "标题", "--kind", "fact")
    for env in ({}, {"PYTHONIOENCODING": "ascii"}):
        ran = person.process("list", env={"LC_ALL": locale, "LANG": locale, **env})
        assert ran.returncode == 0, ran.stderr
        shown = b"??" if env else "标题".encode()
        assert shown in ran.stdout.splitlines()[1]


def test_a_folder_that_is_gone_is_said(person: Person) -> None:
    ran = _shell(person, f"mkdir gone && cd gone && rmdir ../gone && {PROGRAM} list")
    assert ran.returncode == 10
    assert "the current folder no longer exists" in ran.stderr.decode()


@pytest.mark.slow
def test_without_a_home_there_is_a_sentence(person: Person) -> None:
    env = person.environment({"PYTHONPATH": os.pathsep.join(sys.path)})
    del env["HOME"]
    for command, code in (("list", 10), ("init --scope global", 10), ("init --client claude", 10)):
        ran = subprocess.run(
            [sys.executable, "-m", "recollect", *command.split()],
            cwd=person.project, env=env, capture_output=True, timeout=60, check=False,
        )  # fmt: skip
        assert ran.returncode == code, ran
        assert ran.stderr.startswith(b"recollect: "), ran.stderr
    assert not (person.project / "installed-claude.json").exists()


def test_a_bug_leaves_a_report_and_says_where(
    person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    from recollect.features import reading

    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("by \x1b[2J token ghp_abcdefghijklmnopqrstuvwxyz0123456789")

    monkeypatch.setattr(reading, "listed", broken)
    ran = person.run("list")
    assert ran.code == 70
    assert ran.err.startswith(
        "recollect: This is a bug in Recollect: ZeroDivisionError: by \\x1b[2J"
    )
    reports = list((person.home / ".cache" / "recollect").glob("report-*.txt"))
    assert str(reports[0]) in ran.err
    assert "ghp_" not in reports[0].read_text("utf-8")
    assert person.run("list", "--json").json["error"]["kind"] == "bug"
