"""What a person's editor, git or a script does to the files is seen by the next command."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from recollect.app import App
from recollect.capture import save_memory as save_module
from recollect.capture.save_memory import Draft
from recollect.features import memories as writing
from recollect.model.memory import Filter
from recollect.ops import doctor as health
from recollect.search.search import search

from .project import Project

PATH = "semantic/animal.md"
TEXT = "# Animal\n\nIt is a walrus.\n"
OTHER = "# Animal\n\nIt is a ostric.\n"  # as many bytes


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A store whose one memory was indexed long after it was written."""
    project = Project(tmp_path)
    full = project.write(PATH, TEXT)
    os.utime(full, ns=(1_700_000_000_000_000_000, 1_700_000_000_000_000_000))
    with project.opened():
        pass
    return project


def found(project: Project, words: str) -> list[str]:
    """The ids that the next command finds."""
    with project.opened() as store:
        hits = search([store], words, Filter(), limit=2_000)
        assert store.index.differences() == []
        return sorted(hit.candidate.id for hit in hits)


# ------------------------------------------------------------------------------- changing a text


def in_place(full: Path) -> None:
    full.write_text(OTHER)


def by_rename(full: Path) -> None:
    new = full.with_name("4913")
    new.write_text(OTHER)
    new.rename(full)


def in_place_with_size_and_time_put_back(full: Path) -> None:
    info = full.stat()
    with open(full, "r+") as file:
        file.write(OTHER)
    os.utime(full, ns=(info.st_atime_ns, info.st_mtime_ns))
    now = full.stat()
    assert (now.st_size, now.st_mtime_ns, now.st_ino) == (
        info.st_size, info.st_mtime_ns, info.st_ino,
    )  # fmt: skip


def by_rename_with_an_older_time(full: Path) -> None:
    by_rename(full)
    os.utime(full, ns=(1, 1))


def through_another_name(full: Path) -> None:
    other = full.with_suffix(".bak")
    os.link(full, other)
    other.write_text(OTHER)
    other.unlink()


@pytest.mark.parametrize(
    "edit",
    [
        in_place, by_rename, in_place_with_size_and_time_put_back, by_rename_with_an_older_time,
        through_another_name,
    ],
)  # fmt: skip
def test_an_edit_is_seen_however_it_was_made(
    project: Project, edit: Callable[[Path], None]
) -> None:
    edit(project.root / PATH)
    assert found(project, "ostric") == ["animal"]
    assert found(project, "walrus") == []


@pytest.mark.slow
def test_edits_within_one_tick_of_the_clock_are_all_seen(project: Project) -> None:
    full = project.root / PATH
    tokens = [f"{letter}oken" for letter in "abcdefghijklmnopqrstuv"]
    for token, before in zip(tokens, ["walrus", *tokens], strict=False):
        full.write_text(f"# Animal\n\nA {token}.\n")
        assert found(project, token) == ["animal"]
        assert found(project, before) == []


def test_an_edit_between_two_commands_of_ours_is_kept_by_both(project: Project) -> None:
    with project.opened() as store:
        writing.set_fields(store, "animal", {"salience": "high"})
    full = project.root / PATH
    full.write_text(full.read_text() + "A person wrote this.\n")
    with project.opened() as store:
        writing.set_fields(store, "animal", {"salience": "low"})
    assert "A person wrote this." in full.read_text()
    assert "salience: low" in full.read_text()


# ------------------------------------------------------------------------- moving, making, removing


def test_a_moved_file_keeps_its_id(project: Project) -> None:
    (project.root / "reference").mkdir()
    (project.root / PATH).rename(project.root / "reference" / "animal.md")
    assert found(project, "walrus") == ["animal"]
    full = project.write("reference/animal.md", "---\nid: steady\n---\n" + TEXT)
    assert found(project, "walrus") == ["steady"]
    full.rename(full.with_name("renamed.md"))
    assert found(project, "walrus") == ["steady"]


def test_two_files_that_changed_places_are_told_apart(project: Project) -> None:
    one = project.root / PATH
    two = project.write("semantic/plant.md", "# Plant\n\nIt is a cactus.\n")
    assert found(project, "cactus") == ["plant"]
    spare = one.with_name("spare")
    one.rename(spare)
    two.rename(one)
    spare.rename(two)
    assert found(project, "cactus") == ["animal"]
    assert found(project, "walrus") == ["plant"]


def test_new_and_deleted_files_are_seen(project: Project) -> None:
    project.write("episodic/2026-01-11-day.md", "# A day\n\nWe saw a zebra.\n")
    project.write("note.md", "# A note\n\nZebra at the top.\n")
    assert found(project, "zebra") == ["2026-01-11-day", "note"]
    (project.root / "note.md").unlink()
    (project.root / PATH).unlink()
    assert found(project, "zebra walrus") == ["2026-01-11-day"]


def test_a_file_that_turns_into_something_else_is_gone(project: Project) -> None:
    full = project.root / PATH
    full.unlink()
    full.symlink_to("/etc/hostname")
    assert found(project, "walrus") == []
    full.unlink()
    full.mkdir()
    assert found(project, "walrus") == []


@pytest.mark.slow
def test_a_thousand_changes_at_once_are_all_seen(project: Project) -> None:
    for n in range(1_000):
        project.write(f"semantic/m{n}.md", f"# M{n}\n\nA zebra, number n{n}x.\n")
    assert len(found(project, "zebra")) == 1_000
    for n in range(1_000):
        full = project.root / f"semantic/m{n}.md"
        if n % 3 == 0:
            full.unlink()
        elif n % 3 == 1:
            full.write_text(f"# M{n}\n\nAn okapi, number n{n}x.\n")
    assert len(found(project, "zebra")) == 333
    assert len(found(project, "okapi")) == 333


# ------------------------------------------------------------------------------- odd texts


def test_a_half_written_front_matter_is_a_problem_and_its_text_is_found(project: Project) -> None:
    project.write("semantic/half.md", "---\ntitle: Half\ntags: [a\n\n# Half\n\nA zebra.\n")
    assert found(project, "zebra") == ["half"]
    with project.opened() as store:
        assert "front matter" in store.require("half").problem
    project.write("semantic/half.md", "---\ntitle: Whole\ntags: [a]\n---\n# Half\n\nA zebra.\n")
    with project.opened() as store:
        assert store.require("half").problem == ""
        assert store.require("half").title == "Whole"


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "data",
    [
        b"# Odd\n\nA zebra \xff\xfe\x80 here.\n",
        b"\xef\xbb\xbf# Odd\r\n\r\nA zebra\r\n",
        b"A zebra without an end",
        b"A zebra\0with a null\n",
        b"---\n\xff: [\n---\nzebra\n",
        "# Odd\n\nzebra 数据库 \u2028 😀\n".encode(),
        b"zebra " * 200_000,
    ],
)
def test_any_bytes_are_a_memory_and_an_edit_of_ours_keeps_them(
    project: Project, data: bytes
) -> None:
    full = project.write("semantic/odd.md", data)
    assert found(project, "zebra") == ["odd"]
    with project.opened() as store:
        writing.set_fields(store, "odd", {"salience": "high"})
    body = data.removeprefix(b"\xef\xbb\xbf")
    if body.startswith(b"---\n"):
        body = body.split(b"---\n")[-1]
    assert full.read_bytes().endswith(body)
    assert found(project, "zebra") == ["odd"]


def test_the_turns_of_a_conversation_are_found_under_its_memory(project: Project) -> None:
    project.write("episodic/talk/summary.md", "---\nid: our-talk\n---\n# Talk\n\nIn short.\n")
    project.write(
        "episodic/talk/conversation.md",
        "### User [10:00]\n\nWhere is the zebra?\n\n---\n\n### Claude [10:01]\n\nIn the stable.\n",
    )
    with project.opened() as store:
        names = [hit.candidate.name for hit in search([store], "zebra", Filter(), limit=3)]
        assert names == ["our-talk#turn-1"]
        names = [hit.candidate.name for hit in search([store], "stable", Filter(), limit=3)]
        assert names == ["our-talk#turn-2"]
        assert [entry.id for entry in store.index.entries(Filter())] == ["animal", "our-talk"]


# -------------------------------------------------------------------------------------- purging


@pytest.mark.slow
def test_a_purge_leaves_no_byte_of_a_memory_anywhere(project: Project) -> None:
    canary = "canary-7f3a91"
    with project.opened() as store:
        kept = save_module.save(store, Draft("Kept", "It stays.", kind="fact"))
    log = project.folder / "talk.txt"
    log.write_text(f"### User [10:00]\n\nthe {canary} sang\n")
    save = ["save", "A talk", "--body", f"One {canary}.", "--tags", canary]
    talk = project.answer(*save, "--conversation", str(log))
    log.unlink()
    project.answer("edit", talk["id"], "--append", f"Two {canary}.")
    with_canary = places_with(project, canary)
    assert any("journal" in place for place in with_canary)
    assert any("index.db" in place for place in with_canary)
    project.answer("forget", talk["id"])
    project.answer("undo")
    project.answer("forget", talk["id"], "--purge", "--yes")
    assert places_with(project, canary) == []
    assert project.answer("doctor")["problems"] == 0
    assert sorted(row["id"] for row in project.answer("list")) == ["animal", kept.id]
    assert project.answer("show", kept.id)["id"] == kept.id


def test_a_check_up_of_a_large_index_tells_how_far_it_is(tmp_path: Path) -> None:
    project = Project(tmp_path)
    for n in range(2):
        sections = "".join(f"## Part {part}\n\nIt is {part}.\n\n" for part in range(600))
        project.write(f"semantic/m{n}.md", f"# M{n}\n\n{sections}")
    told: list[tuple[int, int]] = []
    app = App(str(project.folder), project.env)
    try:
        health.examine(app, repair=False, progress=lambda done, total: told.append((done, total)))
    finally:
        app.close()
    assert [done for done, _ in told] == [500, 1000]
    assert {total for _, total in told} == {1200}


def places_with(project: Project, word: str) -> list[str]:
    """The files under the home and the project that have these bytes."""
    return [
        str(path)
        for top in (project.home, project.folder)
        for path in sorted(top.rglob("*"))
        if path.is_file() and word.encode() in path.read_bytes()
    ]
