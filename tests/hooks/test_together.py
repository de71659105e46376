"""All modules of the hooks in one file: the same as without it, and never what is not so any more."""

from __future__ import annotations

import json
import marshal
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from recollect import fsio
from recollect.app import together

from .machine import EVENTS, LONGEST, SOURCE, Machine, until
from .test_modules import WATCHED

ANSWER = "The database of the billing events is Postgres."
# At the end: which modules of ours Python had to find, and in which folders it looked for any.
TOLD = WATCHED.replace(
    'posix.write(2, " ".join(set(sys.modules) - bare).encode())',
    """
    ours = {n: m for n, m in sys.modules.items() if n.startswith("recollect") and n not in bare}
    found = [n for n, m in ours.items() if hasattr(m, "__cached__")]
    posix.write(2, "\\n".join(["|".join(ours), "|".join(found), "|".join(sys.path_importer_cache)]).encode())
""",
)


@pytest.fixture
def copied(machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """A machine with an installation of its own, and something to say."""
    machine.write("core/project.md", "数据库: the billing events are in Postgres.", publish=False)
    machine.write("semantic/billing.md", ANSWER, id="billing", created="2019-05-05T10:00:00Z")
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    package = tmp_path / "installed" / "recollect"
    shutil.copytree(SOURCE / "recollect", package, ignore=shutil.ignore_patterns("__pycache__"))
    (package / "hooks" / "__pycache__").mkdir()
    machine.hook = [sys.executable, "-I", "-S", str(package / "hook.py"), "claude"]
    return machine


def package_of(machine: Machine) -> str:
    return os.path.dirname(machine.hook[3])


def file_of(machine: Machine) -> Path:
    return Path(together.file_of(package_of(machine)))


def kept(machine: Machine) -> bool:
    return together.keep(package_of(machine))


def told(
    machine: Machine, event: str, client: str = "claude", **fields: str
) -> tuple[set[str], set[str], set[str]]:
    """The modules of ours that a hook has, those that Python found, and where it looked."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", TOLD, machine.hook[3], client, event],
        input=json.dumps(machine.payload(event, **fields)).encode(),
        capture_output=True,
        env=machine.env,
        cwd=machine.project,
        timeout=LONGEST,
        check=True,
    )
    ours, found, folders = (set(line.split("|")) for line in done.stderr.decode().split("\n"))
    return ours, found - {""}, folders


def answered(machine: Machine, session: str) -> str:
    return machine.ask("Which database holds the billing events?", session_id=session)


def log_of(machine: Machine) -> str:
    log = machine.home / ".cache" / "recollect" / "hook.log"
    return log.read_text() if log.exists() else ""


# -------------------------------------------------------------------------------- what it brings


@pytest.mark.parametrize("event", [e for e in EVENTS if e != "PreCompact"])
def test_nothing_of_ours_is_looked_for(event: str, copied: Machine) -> None:
    assert kept(copied)

    ours, found, folders = told(copied, event)

    assert "recollect.hooks.program" in ours
    assert found == set()
    mine = [folder for folder in folders if folder.startswith(str(copied.folder))]
    assert mine == []
    assert not any(folder.endswith("lib-dynload") for folder in folders)
    assert ("recollect.hooks.recall" in ours) == (
        event in ("SessionStart", "UserPromptSubmit", "PostToolUseFailure")
    )


@pytest.mark.parametrize(
    ("event", "client", "prompt"),
    [
        ("UserPromptSubmit", "codex", "Which database holds the billing events?"),
        ("UserPromptSubmit", "claude", "What did we do in 2019?"),
        ("UserPromptSubmit", "claude", "数据库在哪里？"),
        ("PostToolUse", "gemini", ""),
    ],
)
def test_what_is_seldom_needed_is_there_too(
    event: str, client: str, prompt: str, copied: Machine
) -> None:
    kept(copied)

    ours, found, _ = told(copied, event, client, prompt=prompt)

    assert "recollect.hooks.program" in ours
    assert found <= {"recollect.domain.hanzi"}


def test_hooks_do_the_same_with_it_and_without(copied: Machine) -> None:
    def day(session: str) -> list[object]:
        said: list[object] = []
        for event in EVENTS:
            ran = copied.fire(event, session_id=session)
            said.append((ran.code, re.sub(rb"memory-\w+", b"memory-", ran.out), ran.err))
            copied.settle()
        lines = [line | {"op_id": 0, "time": 0, "sum": 0} for line in copied.journal(session)]
        return [*said, *[str(line).replace(session, "s") for line in lines]]

    without = day("without")
    file_of(copied).unlink(missing_ok=True)  # of the worker
    assert kept(copied)
    assert day("with-it") == without
    assert log_of(copied) == ""


# ------------------------------------------------------------------------ where it is not to be had


def cut(size: int) -> Callable[[Path], object]:
    return lambda path: os.truncate(path, size if size >= 0 else path.stat().st_size + size)


def said(data: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(data)


def replaced(path: Path) -> None:
    path.rename(path.with_name("other"))
    path.symlink_to("other")


def piped(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def foldered(path: Path) -> None:
    path.unlink()
    path.mkdir()


def blanked(path: Path) -> None:
    """What a crash of the machine leaves of a file that never came to the disk."""
    size = path.stat().st_size
    os.truncate(path, size // 2)
    os.truncate(path, size)


def given_away(path: Path) -> None:
    if os.geteuid():
        pytest.skip("only root gives files away")
    os.chown(path, 12345, -1)


SPOILED: dict[str, Callable[[Path], object]] = {
    "gone": Path.unlink,
    "empty": cut(0),
    "cut at its start": cut(100),
    "cut in its middle": cut(90_000),
    "cut by a byte": cut(-1),
    "longer": lambda path: os.truncate(path, path.stat().st_size + 1),
    "half of it blank": blanked,
    "no data of Python's": said(b"\xff" * 500),
    "a number": said(marshal.dumps(42)),
    "text": said(marshal.dumps(("a", "b", "c", "d", "e"))),
    "a link": replaced,
    "a pipe": piped,
    "a folder": foldered,
    "everybody's": lambda path: path.chmod(0o666),
    "its group's": lambda path: path.chmod(0o664),
    "somebody else's": given_away,
    "not to be read": lambda path: path.chmod(0),
}


@pytest.mark.parametrize("how", SPOILED)
def test_a_file_that_is_no_good_is_no_trouble(how: str, copied: Machine) -> None:
    kept(copied)

    SPOILED[how](file_of(copied))

    assert ANSWER in answered(copied, "one")
    assert log_of(copied) == ""
    if how in ("everybody's", "its group's", "somebody else's", "a link"):
        assert told(copied, "UserPromptSubmit")[1] >= {"recollect", "recollect.hooks.recall"}
    if how != "a folder":
        assert kept(copied)
        assert told(copied, "UserPromptSubmit", session_id="two")[1] == set()


def changed(machine: Machine, module: str, old: str, new: str) -> None:
    """Edit a source so that it keeps its size, its time and its number."""
    source = Path(package_of(machine)) / module
    before, text = source.stat(), source.read_text()
    assert old in text
    source.write_text(text.replace(old, new, 1))
    os.utime(source, ns=(before.st_atime_ns, before.st_mtime_ns))
    after = source.stat()
    assert (after.st_size, after.st_mtime_ns) == (before.st_size, before.st_mtime_ns)


@pytest.mark.parametrize("module", ["hooks/program.py", "hooks/paths.py", "domain/rank.py"])
def test_a_module_whose_source_changed_is_not_taken_from_it(module: str, copied: Machine) -> None:
    kept(copied)

    changed(copied, module, "Promises:", "promises:")

    name = "recollect." + module.removesuffix(".py").replace("/", ".")
    assert name in told(copied, "UserPromptSubmit")[1]
    assert kept(copied)
    assert told(copied, "UserPromptSubmit", session_id="two")[1] == set()


def test_what_a_changed_source_says_is_said(copied: Machine) -> None:
    kept(copied)
    assert "Stored notes" in answered(copied, "one")

    changed(copied, "domain/pack.py", '"Stored notes', '"STORED NOTES')
    assert "STORED NOTES" in answered(copied, "two")
    kept(copied)
    assert "STORED NOTES" in answered(copied, "three")

    # Python's own compiled files are as good as the second and the size.
    shutil.copy(SOURCE / "recollect/domain/pack.py", package_of(copied) + "/domain/pack.py")
    assert "Stored notes" in answered(copied, "four")


def test_an_installation_that_was_copied_does_not_take_the_file_of_the_other(
    copied: Machine, tmp_path: Path
) -> None:
    kept(copied)
    shutil.copytree(package_of(copied), tmp_path / "other" / "recollect")
    copied.hook[3] = str(tmp_path / "other" / "recollect" / "hook.py")

    assert ANSWER in answered(copied, "one")
    assert "recollect" in told(copied, "UserPromptSubmit")[1]


# ------------------------------------------------------------------------------------ who makes it


def test_hooks_do_not_make_it_and_the_worker_does(copied: Machine) -> None:
    answered(copied, "one")
    assert not file_of(copied).exists()

    copied.fire("Stop")
    until(file_of(copied).exists)
    copied.settle()

    assert told(copied, "UserPromptSubmit")[1] == set()
    left = [file.name for file in file_of(copied).parent.iterdir()]
    assert [name for name in left if "tmp" in name] == []


def test_it_is_made_once(copied: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    assert kept(copied)
    info = file_of(copied).stat()
    assert info.st_mode & 0o777 == Path(copied.hook[3]).stat().st_mode & 0o644

    monkeypatch.setattr(fsio, "write_whole", lambda *_, **__: 1 / 0)
    monkeypatch.setattr("builtins.compile", lambda *_, **__: 1 / 0)
    assert not kept(copied)


def test_each_interpreter_has_its_own(copied: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    assert kept(copied)
    monkeypatch.setattr(sys, "hexversion", sys.hexversion + 16)
    other = file_of(copied)
    assert not other.exists()

    assert kept(copied)
    assert len(list(other.parent.glob("hook-*"))) == 2


@pytest.mark.parametrize(
    "why", ["no bytecode", "no folder", "not ours", "a disk that refuses", "edits"]
)
def test_it_is_not_made_where_it_should_not_be(
    why: str, copied: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = file_of(copied).parent
    if why == "no bytecode":
        monkeypatch.setattr(sys, "dont_write_bytecode", True)
    elif why == "no folder":
        shutil.rmtree(folder)
    elif why == "not ours":
        monkeypatch.setattr(os, "geteuid", lambda: 4711)
    elif why == "a disk that refuses":
        monkeypatch.setattr(os, "fsync", refuse)
    else:  # somebody writes while we read
        monkeypatch.setattr(together, "_made", lambda *_: edit(copied))

    assert not kept(copied)
    assert not folder.exists() or list(folder.iterdir()) == []
    assert ANSWER in answered(copied, "one")


def refuse(*_: object) -> None:
    raise OSError(28, "No space left on device")


def edit(machine: Machine) -> bytes:
    changed(machine, "hooks/search.py", "Promises:", "promises:")
    return b""


def test_a_source_that_cannot_be_compiled_is_the_worker_s_trouble_only(copied: Machine) -> None:
    with open(package_of(copied) + "/hooks/asking.py", "a") as file:
        file.write("\n)")

    assert not kept(copied)
