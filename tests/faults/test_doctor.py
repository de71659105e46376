"""The doctor: finds what is wrong, changes nothing unasked, and mends without losing anything."""

from __future__ import annotations

import compileall
import io
import json
import os
import resource
import shutil
import sqlite3
import stat
import sys
import tarfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from py_compile import PycInvalidationMode

import pytest
from tests.cli.running import Person, tree_of
from tests.prepared import Prepared

import recollect
from recollect.ops import repair
from recollect.ops.repair import Counts, Mended
from recollect.store import disk

UNCHECKED = PycInvalidationMode.UNCHECKED_HASH  # as an installed package may have them


@pytest.fixture
def person(tmp_path: Path, store_of_a_project: Prepared) -> Person:
    """Somebody with memories of commands, one written by hand, and one in the archive."""
    store_of_a_project.put(tmp_path)
    person = Person(tmp_path / "home", tmp_path / "project")
    person.ok("save", "One fact", "--body", "Walruses are large.", "--kind", "fact")
    person.ok("save", "Always run the linter")
    person.write("semantic/by-hand.md", "# By hand\r\n\r\nA heron.")
    person.write("archive/semantic/cold.md", "# Cold\n\nOtters are small.\n")
    person.ok("consolidate")
    return person


def cache_of(person: Person) -> Path:
    (folder,) = (p.parent for p in (person.home / ".cache").rglob("index.db"))
    return folder


def memories_of(person: Person) -> dict[str, bytes]:
    return {str(p): p.read_bytes() for p in sorted(person.store.rglob("*.md"))}


def problems(person: Person, *words: str) -> int:
    return int(person.run("doctor", *words, "--json").json["problems"])


def the_journal(person: Person) -> Path:
    (page,) = (person.store / "journal").glob("ops-*.jsonl")
    return page


# ------------------------------------------------------------------------------------- the damages


def _rows(person: Person) -> None:
    with closing(sqlite3.connect(cache_of(person) / "index.db")) as db:
        db.execute("DELETE FROM section WHERE rowid = 1")
        db.commit()


def _stamps(person: Person) -> None:
    with closing(sqlite3.connect(cache_of(person) / "index.db")) as db:
        db.execute("UPDATE memory SET title = 'Something else'")
        db.commit()


def _zeros(person: Person) -> None:
    index = cache_of(person) / "index.db"
    data = bytearray(index.read_bytes())
    data[len(data) // 2 : len(data) // 2 + 4096] = bytes(4096)
    index.write_bytes(data)


def _foreign_line(person: Person) -> None:
    page = the_journal(person)
    page.write_bytes(b"what is this\n" + page.read_bytes() + b"{}\n")


def _torn_line(person: Person) -> None:
    with the_journal(person).open("ab") as file:
        file.write(b'{"op":"put","te')


def _readable(person: Person) -> None:
    for path in person.store.rglob("*"):
        path.chmod(0o777)


def _half_written(person: Person) -> None:
    temp = person.write("semantic/.00.tmp", "# Half")
    os.utime(temp, (0, 0))


def _zeroed_journal(person: Person) -> None:
    """The next writer's file after a power cut on XFS."""
    (the_journal(person).parent / "ops-other-000000-2026-11.jsonl").write_bytes(bytes(5000))


def _zeroed_end(person: Person) -> None:
    with the_journal(person).open("ab") as file:
        file.write(bytes(700))


def _no_views(person: Person) -> None:
    for name in ("MEMORY.md", ".index.json"):
        (person.store / name).unlink()


def _no_cache(person: Person) -> None:
    for path in cache_of(person).iterdir():
        if path.is_file():
            path.unlink()


DAMAGES: list[Callable[[Person], None]] = [
    _rows, _stamps, _zeros, _foreign_line, _torn_line, _zeroed_journal, _zeroed_end, _readable,
    _half_written, _no_views, _no_cache,
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("damage", DAMAGES)
def test_repair_mends_it_and_loses_nothing(
    person: Person, damage: Callable[[Person], None]
) -> None:
    before = memories_of(person)
    changes = len(person.ok("history", "--json").json)
    damage(person)
    person.run("doctor", "--repair")
    assert problems(person) == 0
    after = memories_of(person)
    assert {p: d for p, d in after.items() if not p.endswith("MEMORY.md")} == {
        p: d for p, d in before.items() if not p.endswith("MEMORY.md")
    }
    assert len(person.ok("history", "--json").json) == changes
    for word, name in (("walruses", "one-fact"), ("heron", "by-hand"), ("linter", "feedback")):
        assert person.ok("search", word, "--json").json["hits"][0]["id"] == name
    assert person.ok("search", "otters", "--archived", "--json").json["hits"]
    again = person.ok("doctor", "--repair", "--json").json["findings"]
    assert {f["about"] for f in again if f["state"] == "mended"} == {"snapshot", "counts"}


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.slow
def test_the_store_stays_as_it_is_without_being_asked_to_repair(
    person: Person, damage: Callable[[Person], None]
) -> None:
    damage(person)
    before = tree_of(person.store)
    person.run("doctor")
    person.run("doctor", "--repair", "--dry-run")
    assert tree_of(person.store) == before


# ------------------------------------------------------------------------------------- the snapshot


def test_the_snapshot_has_the_store_as_it_was_and_can_be_unpacked(
    person: Person, tmp_path: Path
) -> None:
    _foreign_line(person)
    files = {p.relative_to(person.store): p for p in person.store.rglob("*") if p.is_file()}
    before = {str(name): path.read_bytes() for name, path in files.items()}
    person.ok("doctor", "--repair")
    (snapshot,) = (cache_of(person) / "snapshots").iterdir()
    assert snapshot.stat().st_mode & 0o077 == 0
    with tarfile.open(snapshot) as archive:
        if hasattr(tarfile, "data_filter"):  # older patch releases of Python 3.11 have none
            archive.extraction_filter = tarfile.data_filter
        archive.extractall(tmp_path / "back")
    back = tmp_path / "back"
    assert before == {
        str(p.relative_to(back)): p.read_bytes() for p in back.rglob("*") if p.is_file()
    }


def test_a_folder_that_becomes_a_link_while_the_snapshot_is_made_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, elsewhere = tmp_path / "memory", tmp_path / "elsewhere"
    for folder, text in ((root / "semantic", "ours"), (elsewhere, "theirs")):
        folder.mkdir(parents=True)
        (folder / "one.md").write_text(text)
    (root / "top.md").write_text("top")
    (root / "top.md").chmod(0o640)

    regular_files = disk.regular_files

    def listed(root: str) -> Iterator[tuple[str, os.stat_result]]:
        found = list(regular_files(root))
        os.rename(f"{root}/semantic", f"{root}/before")
        os.symlink(elsewhere, f"{root}/semantic")
        return iter(found)

    monkeypatch.setattr(disk, "regular_files", listed)
    with tarfile.open(fileobj=io.BytesIO(repair._packed(str(root))[0])) as packed:
        assert packed.getnames() == ["top.md"]
        assert stat.S_IMODE(packed.getmember("top.md").mode) == 0o640


def test_nothing_is_mended_when_no_snapshot_can_be_kept(person: Person) -> None:
    _foreign_line(person)
    (cache_of(person) / "snapshots").write_text("a file is in the place")
    before = tree_of(person.store)
    assert problems(person, "--repair") > 0
    assert tree_of(person.store) == before


def test_a_few_snapshots_are_kept(person: Person) -> None:
    folder = cache_of(person) / "snapshots"
    folder.mkdir()
    for n in range(5):
        (folder / f"2020-01-0{n + 1}T000000Z.tar.gz").write_bytes(b"old")
    person.ok("doctor", "--repair")
    names = sorted(path.name for path in folder.iterdir())
    assert len(names) == 3
    assert names[0] == "2020-01-04T000000Z.tar.gz"


def test_less_of_anything_than_before_is_a_problem() -> None:
    def mended(before: Counts, after: Counts) -> bool:
        return Mended("", before, after, False, 0, 0, 0, []).lowered

    some = Counts(3, 1, 7)
    assert not mended(some, some)
    assert not mended(some, some._replace(memories=4))
    for field in ("memories", "archived", "changes"):
        assert mended(some, some._replace(**{field: getattr(some, field) - 1}))


# -------------------------------------------------------------------------------- what it notices


def found(person: Person) -> dict[str, str]:
    findings = person.run("doctor", "--json").json["findings"]
    return {f["about"]: f["state"] for f in findings if f["scope"] != "global"}


def test_a_file_that_was_emptied_is_a_problem(person: Person) -> None:
    (person.store / "semantic" / "one-fact.md").write_bytes(b"")
    assert found(person)["semantic/one-fact.md"] == "problem"


@pytest.mark.parametrize(
    "words", [["save", "Another fact"], ["consolidate"], ["doctor", "--repair"]]
)
@pytest.mark.sampled(1)
def test_views_that_a_power_cut_emptied_are_found_and_made_again(
    person: Person, words: list[str]
) -> None:
    views = ["MEMORY.md", ".index.json", "facts.json"]
    person.ok("consolidate")
    for view in views:
        (person.store / view).write_bytes(b"")
    assert "views" in found(person)
    person.ok(*words)
    for view in views:
        assert "one-fact" in (person.store / view).read_text() or view == "facts.json"
        assert (person.store / view).stat().st_size
    assert "views" not in found(person)


@pytest.mark.parametrize("damage", [_foreign_line, _zeroed_journal, _zeroed_end])
@pytest.mark.sampled(1)
def test_a_damaged_journal_is_a_problem(person: Person, damage: Callable[[Person], None]) -> None:
    assert problems(person) == 0
    damage(person)
    assert problems(person) >= 1
    assert any(about.startswith("journal/ops-") for about in found(person))


CUTS: dict[str, Callable[[bytes], bytes]] = {
    "NUL bytes": lambda data: bytes(len(data)),
    "NUL bytes at the end": lambda data: data[:-9] + bytes(9),
    "in the front matter": lambda data: data[:30],
    "in the text": lambda data: data[:-9],
}


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.sampled(1)
def test_a_memory_that_was_cut_off_is_a_problem_and_comes_back(person: Person, cut: str) -> None:
    file = person.store / "semantic" / "one-fact.md"
    whole = file.read_bytes()
    file.write_bytes(CUTS[cut](whole))
    findings = person.run("doctor", "--json").json["findings"]
    said = [f["sentence"] for f in findings if f["about"] == "semantic/one-fact.md"]
    assert any("undo --gone" in sentence for sentence in said)
    file.unlink()
    person.ok("undo", "--gone")
    assert file.read_bytes() == whole


def test_a_memory_of_nothing_but_nul_that_no_command_wrote_is_a_problem(person: Person) -> None:
    person.write("semantic/zeros.md", "\0" * 4096)
    assert found(person)["semantic/zeros.md"] == "problem"


DAMAGED: dict[str, bytes] = {
    "a binary file": b"\x00\xff garbage",
    "NULs in the middle": b"---\nid: odd\n---\nOne.\0\0\0\0Two.\n",
    "another encoding": "---\nid: odd\n---\nÜber alles.\n".encode("latin-1"),
    "a head without its first line": b"type: semantic\ncreated: 2026-01-11\ntags:\n- a\n---\n# Odd\n\nText.\n",
}


@pytest.mark.parametrize("damage", DAMAGED)
@pytest.mark.sampled(1)
def test_a_file_that_nobody_wrote_like_this_is_a_problem(person: Person, damage: str) -> None:
    file = person.write("semantic/odd.md", "")
    file.write_bytes(DAMAGED[damage])
    assert found(person)["semantic/odd.md"] == "problem"
    assert file.read_bytes() == DAMAGED[damage]


def test_a_page_that_only_looks_like_fields_is_none(person: Person) -> None:
    person.write("semantic/a.md", "title: an essay\n\nIt goes on.\n---\nAnd on: 中文。\n")
    person.write("semantic/b.md", "---\n\nA line across, and more.\n")
    assert problems(person) == 0


def test_whole_lines_that_somebody_took_away_are_an_edit(person: Person) -> None:
    person.ok("edit", "one-fact", "--append", "And old.")
    file = person.store / "semantic" / "one-fact.md"
    file.write_bytes(file.read_bytes().removesuffix(b"And old.\n"))
    assert problems(person) == 0


@pytest.mark.parametrize("name", ["lock", "worker.lock"])
@pytest.mark.sampled(1)
def test_a_lock_that_is_a_folder_is_a_problem(person: Person, name: str) -> None:
    path = cache_of(person) / name
    path.unlink(missing_ok=True)
    path.mkdir()
    assert found(person)["lock"] == "problem"
    if name == "lock":
        ran = person.run("save", "Another", "--body", "x")
        assert (ran.code, "a folder is in the place of a lock" in ran.err) == (16, True)
        assert person.ok("list").out
    path.rmdir()
    assert problems(person) == 0


def test_what_is_larger_than_anything_of_ours_is_left_out_of_the_snapshot_and_named(
    person: Person,
) -> None:
    path = person.write("semantic/odd.bin", "x")
    os.truncate(path, 10_000_000_000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    ran = person.run("doctor", "--repair", "--json").json
    assert resource.getrusage(resource.RUSAGE_SELF).ru_utime - before < 5
    assert {f["about"]: f["state"] for f in ran["findings"]}["semantic/odd.bin"] == "note"
    (snapshot,) = (cache_of(person) / "snapshots").iterdir()
    assert snapshot.stat().st_size < 1_000_000
    assert path.stat().st_size == 10_000_000_000


@pytest.mark.slow
def test_hooks_that_are_connected_and_not_called_are_a_problem(person: Person) -> None:
    person.ok("init", "--client", "claude")
    settings = person.home / ".claude" / "settings.json"
    os.utime(settings, (1_700_000_000, 1_700_000_000))
    assert found(person)["hooks"] == "note"
    slug = "".join(c if c.isalnum() else "-" for c in str(person.project))
    transcript = person.home / ".claude" / "projects" / slug / "s.jsonl"
    transcript.parent.mkdir(parents=True)
    transcript.write_text("{}\n")
    assert found(person)["hooks"] == "problem"
    line = {"op": "signal", "time": "2099-01-01T00:00:00Z", "event": "stop"}
    page = person.store / "journal" / "claude-s.jsonl"
    from recollect.store import locations

    raw = json.dumps(line, separators=(",", ":")).encode()
    page.write_bytes(locations.with_checksum(raw))
    assert found(person)["hooks"] == "ok"


def test_what_waits_for_a_worker_that_never_came_is_a_problem(person: Person) -> None:
    mark = cache_of(person) / "pending"
    mark.touch()
    os.utime(mark, (0, 0))
    assert found(person)["worker"] == "problem"


@pytest.mark.slow
@pytest.mark.parametrize("left", [16, 17, 500])
def test_a_compiled_file_that_a_full_disk_cut_off_is_a_problem_and_taken_away(
    person: Person, tmp_path: Path, left: int
) -> None:
    """Python fails to import what it stands for, and a hook that does is silent."""
    copy = tmp_path / "copy"
    shutil.copytree(Path(recollect.__file__).parent, copy / "recollect")
    compileall.compile_dir(copy, quiet=2, invalidation_mode=UNCHECKED)
    (cut,) = (copy / "recollect/interfaces/hooks/__pycache__").glob(
        f"events.{sys.implementation.cache_tag}.pyc"
    )
    env = {"PYTHONPATH": str(copy)}
    assert json.loads(person.process("doctor", "--json", env=env).stdout)["problems"] == 0
    os.truncate(cut, left)
    done = json.loads(person.process("doctor", "--json", env=env).stdout)
    (said,) = [f["sentence"] for f in done["findings"] if f["state"] == "problem"]
    assert str(cut) in said
    person.process("doctor", "--repair", env=env)
    assert not cut.exists()
    assert json.loads(person.process("doctor", "--json", env=env).stdout)["problems"] == 0
