"""A plain search does without the command line, and prints the same.

`Person.run` compares the two ways for every search of every test besides these.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.running import Person

from recollect.app import short

NOTES = {
    "semantic/decisions/use-postgres.md": "---\ntags: [db]\n---\n# Use PostgreSQL\n\nEvents are JSONB; the pool has 20 connections.\n\n## Reasons\n\nOne server less.\n",
    "semantic/old-pool.md": "---\nstatus: superseded\n---\n# The pool has 5 connections\n\nIt was enough once.\n",
    "procedural/patterns/hooks.md": "# Hooks\n\n`useCallback` around every handler. \x1b[31mred\x1b[0m \u202ebidi\n",
    "reference/lianjie.md": "# 数据库连接池\n\n连接池满了就等待，上限 20。\n",
    "episodic/2026-11-20-a/summary.md": "---\nkind: session\ncreated: 2026-11-20T10:00:00Z\n---\n# The day of the pool\n\nWe raised it.\n",
    "episodic/2026-11-20-a/conversation.md": "### User [10:01]\n\nwhy is the pool empty?\n\n### Assistant [10:02]\n\nThe connections were never closed.\n",
    "semantic/long.md": f"# Long\n\n{'word ' * 400}zebra {'word ' * 400}\n",
}
QUERIES = (
    ["pool"], ["connection", "pool"], ["use callback"], ["postgress"], ["连接"], ["數據庫連接"], ["zebra"], ["red bidi"],
    ["what did we do yesterday about the pool?"], ["pool in November 2026"], ["JSONB", "--limit", "1"], ["pool", "--json"],
    ["--json", "--limit", "3", "数据库"], ["why is the pool empty"], ["db"], ["use-postgres"],
    ["--limit", "2", "--", "pool", "--json"], ["pool", "--"],
)  # fmt: skip


@pytest.fixture
def reader(person: Person) -> Person:
    for path, text in NOTES.items():
        person.write(path, text)
    person.ok("list")  # takes them into the index
    return person


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("words", QUERIES, ids=" ".join)
def test_it_prints_what_the_command_line_prints(
    reader: Person, words: list[str], lang: str
) -> None:
    reader.write("config.toml", f'lang = "{lang}"\n')
    said = reader.short(*words)
    assert said
    assert reader.run("search", *words) == (said, "", 0)


def test_both_stores_are_searched_and_those_of_other_projects_are_not_shown(reader: Person) -> None:
    reader.ok("init", "--scope", "global")
    reader.ok("save", "The pool of my team", "--body", "Twenty, everywhere.", "--scope", "global")
    other = reader.home / ".claude" / "memory" / "semantic" / "theirs.md"
    other.write_text("---\nproject: /else/where\n---\n# Their pool\n\nSecret pool.\n")
    reader.ok("list")
    said = reader.short("pool")
    assert said
    assert "my team" in said
    assert "Their" not in said
    assert reader.run("search", "pool").out == said


def _write(path: str, text: str) -> Callable[[Person], object]:
    return lambda person: person.write(path, text)


def _make_embedders(person: Person) -> None:
    (person.home / ".local" / "share" / "recollect" / "embedders").mkdir(parents=True)


def _index(person: Person) -> Path:
    (found,) = (person.home / ".cache" / "recollect").glob("*/index.db")
    return found


def _damage(person: Person) -> None:
    data = bytearray(_index(person).read_bytes())
    data[100:400] = os.urandom(300)
    _index(person).write_bytes(data)


def _leave_a_group(person: Person) -> None:
    (journal,) = (person.store / "journal").glob("ops-*.jsonl")
    with journal.open("ab") as file:
        file.write(b'{"op":"put"')


def _link_settings(person: Person) -> None:
    (person.store / "config.toml").rename(person.home / "c.toml")
    (person.store / "config.toml").symlink_to(person.home / "c.toml")


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(_write("semantic/new.md", "# New\n\nA pool.\n"), id="a new file"),
        pytest.param(_write("semantic/long.md", "# Changed\n\nzebra\n"), id="a changed file"),
        pytest.param(lambda p: (p.store / "semantic/long.md").unlink(), id="a file that is gone"),
        pytest.param(_write("config.toml", 'lang = "en"\nnothing = "x"\n'), id="an unknown key"),
        pytest.param(_write("config.toml", 'lang = "fr"\n'), id="a wrong value"),
        pytest.param(_write("config.toml", "[recall]\nprompt_tokens = 300\n"), id="a table"),
        pytest.param(_write("config.toml", "# " + "x" * 20_000), id="long settings"),
        pytest.param(_link_settings, id="settings that are a link"),
        pytest.param(_make_embedders, id="an embedder"),
        pytest.param(_damage, id="a damaged index"),
        pytest.param(lambda p: _index(p).unlink(), id="no index"),
        pytest.param(_leave_a_group, id="work left undone"),
    ],
)
def test_what_is_out_of_the_ordinary_takes_the_long_way(
    reader: Person, change: Callable[[Person], object]
) -> None:
    reader.ok("save", "A tool", "--body", "It has an entry in the journal.")
    assert reader.short("pool") is None  # nobody has looked yet whether that was carried out
    reader.ok("list")
    assert reader.short("pool")
    change(reader)
    assert reader.short("pool") is None
    assert reader.run("search", "pool").code == 0


@pytest.mark.parametrize(
    "words",
    [
        [], [""], ["pool", "--kind", "fact"], ["pool", "--limit=3"], ["pool", "--limit"], ["pool", "--limit", "0"],
        ["pool", "--limit", "1001"], ["pool", "--limit", "9" * 5000], ["pool", "--limit", "三"], ["--help"], ["--limit", "--", "pool"],
        ["pool", "--sections"], ["pool", "--scope", "global"], ["pool", "--explain"], ["nothinglikethis"],
    ],
    ids=lambda words: " ".join(words)[:30],
)  # fmt: skip
def test_what_is_asked_otherwise_takes_the_long_way(reader: Person, words: list[str]) -> None:
    assert reader.short(*words) is None


def test_a_terminal_gets_it_from_the_command_line(reader: Person) -> None:
    assert "\x1b[1m" in reader.at_terminal("search", "pool").out


def test_a_file_that_was_written_just_now_takes_the_long_way(
    reader: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(short, "_is_as_the_files", lambda *_: True)
    assert reader.short("pool")
    monkeypatch.undo()
    env = reader.environment({})
    assert short.found(str(reader.project), env, "pool", 10) is None


def test_a_process_that_searches_loads_none_of_the_command_line(reader: Person) -> None:
    time.sleep(2.1)  # until nothing was written just now
    reader.ok("list")
    code = (
        "import sys, os\nbefore = {*sys.modules}\n"
        "os._exit = lambda code: (print(*{*sys.modules} - before, file=sys.stderr), sys.stderr.flush(), sys.exit(code))\n"
        "sys.argv = ['recollect', 'search', 'JSONB']\n"
        "from recollect.__main__ import main\nmain()"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code],
        cwd=reader.project, env=reader.environment({"PYTHONPATH": ":".join(sys.path)}),
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert ran.stdout == reader.run("search", "JSONB").out
    loaded = set(ran.stderr.split())
    assert "recollect.doors.short" in loaded
    assert len(loaded) < 60, sorted(loaded)  # the long way: 129
    assert not loaded & {
        "click",
        "typing",
        "re",
        "enum",
        "datetime",
        "json",
        "sqlite3",
        "recollect.app.wiring",
    }


def test_nobody_who_reads_it_ends_it_quietly(reader: Person) -> None:
    time.sleep(2.1)
    reader.ok("list")
    with subprocess.Popen(
        [sys.executable, "-m", "recollect", "search", "pool"], cwd=reader.project,
        env=reader.environment({"PYTHONPATH": ":".join(sys.path)}), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as running:  # fmt: skip
        assert running.stdout
        assert running.stderr
        running.stdout.close()
        assert running.stderr.read() == b""
    assert running.returncode == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_disk_is_told_as_the_command_line_tells_it(reader: Person) -> None:
    time.sleep(2.1)
    reader.ok("list")
    errors = []
    for words in (["search", "pool"], ["-C", ".", "search", "pool"]):
        with open("/dev/full", "wb") as full:
            ran = subprocess.run(
                [sys.executable, "-m", "recollect", *words], cwd=reader.project, stdout=full, stderr=subprocess.PIPE,
                env=reader.environment({"PYTHONPATH": ":".join(sys.path)}), timeout=60, check=False,
            )  # fmt: skip
        errors.append((ran.returncode, ran.stderr.decode()))
    assert errors[0] == errors[1]
    assert "stdout: No space left on device" in errors[0][1]


def test_it_prints_the_same_where_python_keeps_nothing_back(reader: Person) -> None:
    time.sleep(2.1)
    reader.ok("list")
    ran = subprocess.run(
        [sys.executable, "-u", "-m", "recollect", "search", "pool"],
        cwd=reader.project, env=reader.environment({"PYTHONPATH": ":".join(sys.path)}),
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert ran.stdout == reader.run("search", "pool").out
