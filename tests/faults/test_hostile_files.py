"""Files that would like to harm whoever reads them: no process dies, hangs or swells because of one."""

from __future__ import annotations

import json
import os
import resource
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.hooks.machine import HOOK
from tests.services.project import Project
from tests.unit.test_frontmatter import BOMBS

from recollect.model.memory import Filter

MB = 1024 * 1024
MOST_SECONDS = (
    10  # of the processor, for a command with all of its start; one file takes less than 1
)
MOST_MEMORY = 400 * MB  # of addresses, interpreter and libraries included


def front(text: str) -> bytes:
    return f"---\n{text}\n---\n# Odd\n\nA zebra.\n".encode()


def deep(n: int) -> bytes:
    return ("# Odd\n\nA zebra.\n\n" + "".join(f"{'  ' * k}- x\n" for k in range(n))).encode()


ODD: dict[str, bytes] = {
    **{f"front matter: {name}": front(text) for name, text in BOMBS.items()},
    "a hundred thousand brackets without an end": b"---\nkey: " + b"[" * 100_000,
    "60 KB of new lines behind a fence": b"---\n" + b"\n" * 60_000,
    "lists in lists": deep(1_500),
    "quotes in quotes": b"# Odd\n\n" + b"> " * 20_000 + b"A zebra.\n",
    "emphasis": b"# Odd\n\nA zebra. " + b"*a_" * 30_000,
    "links": b"# Odd\n\nA zebra. " + b"[" * 50_000 + b"](" * 10_000,
    "code fences": b"# Odd\n\nA zebra.\n\n" + b"```\n~~~\n" * 20_000,
    "comments": b"# Odd\n\nA zebra. " + b"<!-- " * 50_000,
    "reasons without an end": b"# Odd\n\nA zebra. "
    + b"<!-- superseded 2026-01-01: previously " * 20_000,
    "comments that end": b"# Odd\n\nA zebra. " + b"-->" * 50_000,
    "headings": b"# Odd\n\nA zebra.\n" + b"## x\n" * 20_000,
    "a private part without an end": b"# Odd\n\nA zebra.\n" + b"<private>" * 20_000,
    "bytes that are no UTF-8": b"# Odd\n\nA zebra.\n" + bytes(range(128, 256)) * 2_000,
    "a byte-order mark": b"\xef\xbb\xbf# Odd\r\n\r\nA zebra.\r\n",
    "UTF-16": "# Odd\n\nA zebra.\n".encode("utf-16"),
    "carriage returns": b"# Odd\r\rA zebra.\r",
    "null bytes": b"# Odd\n\nA zebra.\n" + b"\0" * 100_000,
    "one long line": b"# Odd\n\nA zebra. " + b"word " * 400_000,
    "one long word": b"# Odd\n\nA zebra. " + b"x" * 4 * MB,
    "Chinese without an end": b"# Odd\n\nA zebra. " + "数据库".encode() * 200_000,
    "combining marks": b"# Odd\n\nA zebra. " + "a\u0301\u0302".encode() * 100_000,
    "marks of direction": "# Odd\n\nA zebra. \u202e\u2066\u200b".encode() * 1_000,
    "a terminal's commands": b"# \x1b]52;c;AAAA\x07 Odd\n\nA zebra. \x1b[2J\x9b\n",
    "nothing": b"",
}


@pytest.fixture
def project(quick_folder: Path, tmp_path: Path) -> Project:
    """A store with a memory that must be found whatever lies beside it."""
    project = Project(quick_folder / tmp_path.name)
    project.write("semantic/sound.md", "# Sound\n\nAn okapi.\n")
    return project


def limits() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(
    project: Project, *words: str, before: Callable[[], None] = limits
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        project.command(*words), cwd=project.folder, env=project.env, stdin=subprocess.DEVNULL,
        capture_output=True, timeout=120, check=False, preexec_fn=before,
    )  # fmt: skip


def is_in_order(project: Project, path: Path, data: bytes, *commands: str) -> None:
    """Commands go on, the file is as it was, and the sound memory is found beside it."""
    done = run(project, "search", "okapi", "--json")
    assert done.returncode == 0, done.stderr[-500:]
    assert [hit["id"] for hit in json.loads(done.stdout)["hits"]] == ["sound"]
    for command in commands:
        ran = run(project, *command.split())
        assert ran.returncode in (0, 1), (command, ran.stderr[-500:])
        assert b"Traceback" not in ran.stderr
        assert b"This is a bug" not in ran.stderr
    assert path.read_bytes() == data
    hook(project)


def hook(project: Project) -> None:
    payload = {"session_id": "s", "cwd": str(project.folder), "prompt": "Where is the okapi kept?"}
    done = subprocess.run(
        [sys.executable, "-I", "-S", HOOK, "claude", "UserPromptSubmit"], env=project.env,
        input=json.dumps(payload).encode(), capture_output=True, timeout=60, check=False,
        preexec_fn=limits,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.slow
@pytest.mark.parametrize("name", ODD)
def test_no_command_is_harmed_by(project: Project, name: str) -> None:
    path = project.write("semantic/odd.md", ODD[name])
    is_in_order(project, path, ODD[name], "consolidate", "rebuild-index")
    listed = json.loads(run(project, "list", "--json").stdout)
    assert {row["id"] for row in listed} >= {"sound"}
    assert any(row["id"] == "odd" or "odd" in row["path"] for row in listed)


@pytest.mark.slow
def test_all_of_them_at_once_stop_nothing(project: Project) -> None:
    small = {n: data for n, data in enumerate(ODD.values()) if len(data) < 100_000}
    for n, data in small.items():
        project.write(f"semantic/odd-{n}.md", data)
    path = project.write("semantic/odd.md", ODD["nothing"])
    every = ("doctor", "consolidate", "rebuild-index", "recall okapi", "list")
    is_in_order(project, path, b"", *every)
    for n, data in small.items():
        assert (project.root / f"semantic/odd-{n}.md").read_bytes() == data
    with project.opened() as store:
        assert len(store.index.known()) == len(small) + 2
        named = {entry.path for entry in store.index.entries(Filter()) if entry.problem}
        bombs = [n for n in small if n < len(BOMBS)]  # they come first
        assert {f"semantic/odd-{n}.md" for n in bombs} <= named


@pytest.mark.slow
@pytest.mark.parametrize("size", [100 * MB, 10_000 * MB])
def test_a_file_of_any_size_is_named_and_not_read(project: Project, size: int) -> None:
    path = project.write("semantic/odd.md", b"# Odd\n")
    os.truncate(path, size)
    done = run(project, "doctor")
    assert done.returncode == 1
    assert f"{size:,} bytes; it was skipped" in done.stdout.decode()
    assert b"okapi" in run(project, "search", "okapi").stdout
    assert path.stat().st_size == size


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["a pipe", "a link to a device", "a loop of links", "a socket"])
def test_what_is_no_file_is_named_and_keeps_nobody_waiting(
    project: Project, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = project.root / "semantic" / "odd.md"
    if kind == "a pipe":
        os.mkfifo(path)
    elif kind == "a socket":
        with socket.socket(socket.AF_UNIX) as one:
            monkeypatch.chdir(path.parent)  # its name would be too long
            one.bind("odd.md")
    else:
        path.symlink_to("/dev/zero" if kind == "a link to a device" else "odd.md")
    for words in (("search", "okapi"), ("show", "odd"), ("edit", "odd", "--append", "x")):
        assert run(project, *words).returncode in (0, 10), words
    done = run(project, "doctor")
    assert done.returncode == 1
    assert b"semantic/odd.md" in done.stdout
    hook(project)


KEYS = {
    "keys": "".join(f"key{n} = {n}\n" for n in range(50_000)),
    "keys of a table": "[recall]\n" + "".join(f"key{n} = {n}\n" for n in range(50_000)),
    "tables": "".join(f"[t{n}.a]\nb = 1\n" for n in range(20_000)),
}


@pytest.mark.parametrize("name", KEYS)
@pytest.mark.slow
def test_fifty_thousand_settings_that_are_none_cost_little_and_are_counted(
    project: Project, name: str
) -> None:
    path = project.write("config.toml", KEYS[name])
    done = run(project, "search", "okapi", "--json")
    assert done.returncode == 0, done.stderr[-500:]
    said = done.stderr.decode()
    assert f"{path}:" in said
    assert said.count("is not a setting") == 20
    assert " more lines that are wrong: " in said
    assert run(project, "doctor").returncode == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a" + ".a" * 500_000 + " = 1\n", "it has a line with more than 100 dots"),
        ("a = " + "1" * 900_000 + "\n", "it is not valid TOML"),
    ],
)
@pytest.mark.sampled(1)
def test_a_setting_without_measure_is_named_and_costs_nothing(
    project: Project, text: str, said: str
) -> None:
    path = project.write("config.toml", text)
    done = run(project, "search", "okapi", "--json")
    assert [hit["id"] for hit in json.loads(done.stdout)["hits"]] == ["sound"]
    assert f"{path}: {said}" in done.stderr.decode()


@pytest.mark.slow
def test_thirty_thousand_items_with_one_id_cost_no_square(project: Project) -> None:
    data = b"# Odd\n\n" + b"- A zebra. ^k3f9 [^0b6f]\n" * 30_000
    path = project.write("semantic/odd.md", data)
    is_in_order(project, path, data, "consolidate", "rebuild-index")


def test_a_settings_file_without_measure_is_named_and_not_read(project: Project) -> None:
    path = project.write("config.toml", "lang = 'zh'\n")
    os.truncate(path, 10_000 * MB)
    done = run(project, "search", "okapi", "--json")
    assert [hit["id"] for hit in json.loads(done.stdout)["hits"]] == ["sound"]
    assert b"it has more than 1,048,576 bytes" in done.stderr
