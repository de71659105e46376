"""What git, sed and the tools that sync folders do to a store is seen by the next command."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.services.project import Project

from recollect.capture import save_memory as save
from recollect.capture.save_memory import Draft
from recollect.features import memories as writing
from recollect.model.memory import Filter
from recollect.search.search import search
from recollect.store.history import history, undo

MANY = 1_000


@pytest.fixture
def project(quick_folder: Path, tmp_path: Path) -> Project:
    return Project(quick_folder / tmp_path.name)


def found(project: Project, words: str) -> list[str]:
    """The ids that the next command finds."""
    with project.opened() as store:
        hits = search([store], words, Filter(), limit=2 * MANY)
        assert store.index.differences() == []
        return sorted(hit.candidate.id for hit in hits)


# --------------------------------------------------------------------------------------------- git


def git(project: Project, *words: str) -> None:
    own = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "gc.auto=0"]
    env = {**project.env, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
    done = subprocess.run(
        ["git", *own, *words], cwd=project.folder, env=env, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr


def numbered(project: Project, wanted: dict[int, str]) -> None:
    shutil.rmtree(project.root / "semantic", ignore_errors=True)
    for n, animal in wanted.items():
        project.write(f"semantic/m{n}.md", f"---\nid: m{n}\n---\n# M{n}\n\nAn {animal} here.\n")


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")
def test_a_checkout_of_a_thousand_files_is_seen_to_the_last_one(project: Project) -> None:
    git(project, "init", "-q", "-b", "one")
    numbered(project, dict.fromkeys(range(MANY), "okapi"))
    git(project, "add", ".")
    git(project, "commit", "-q", "-m", "one")
    git(project, "checkout", "-q", "-b", "two")
    numbered(project, {n: "otter" if n % 2 else "okapi" for n in range(MANY // 4, MANY + 250)})
    git(project, "add", ".")
    git(project, "commit", "-q", "-m", "two")
    for branch, okapis, otters in (("two", 500, 500), ("one", MANY, 0), ("two", 500, 500)):
        git(project, "checkout", "-q", branch)
        assert (len(found(project, "okapi")), len(found(project, "otter"))) == (okapis, otters)
    git(project, "mv", ".claude/memory/semantic/m300.md", ".claude/memory/semantic/renamed.md")
    assert "m300" in found(project, "okapi")


@pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")
def test_a_checkout_of_older_texts_can_be_worked_on_and_undone(project: Project) -> None:
    with project.opened() as store:
        save.save(store, Draft("One", "Old words.", kind="fact"))
    git(project, "init", "-q", "-b", "one")
    git(project, "add", "-f", ".claude/memory/semantic")
    git(project, "commit", "-q", "-m", "one")
    old = project.files()["semantic/one.md"]
    with project.opened() as store:
        writing.edit(store, "one", append="New words.")
    git(project, "checkout", "-q", ".")
    assert project.files()["semantic/one.md"] == old
    with project.opened() as store:
        writing.edit(store, "one", append="After the checkout.")
        undo(store)
        assert len(history(store)) == 4
    assert project.files()["semantic/one.md"] == old


# --------------------------------------------------------------------------------------------- sed


def test_sed_in_place_is_seen(project: Project) -> None:
    for n in range(3):
        project.write(f"semantic/m{n}.md", f"# M{n}\n\nAn okapi.\n")
    assert len(found(project, "okapi")) == 3
    files = [str(file) for file in (project.root / "semantic").iterdir()]
    subprocess.run(["sed", "-i", "s/okapi/otter/", *files], check=True)
    assert found(project, "okapi") == []
    assert found(project, "otter") == ["m0", "m1", "m2"]


# ---------------------------------------------------------------------------------- syncing tools

COPIES = (
    "one.sync-conflict-20260111-143000-ABCDEFG.md",  # Syncthing
    "one (Ada's conflicted copy 2026-01-11).md",  # Dropbox
    "one (conflicted copy 2026-01-11 143000).md",  # Nextcloud
    "one 2.md",  # iCloud
    "one-LAPTOP.md",  # OneDrive
    "one (1).md",  # Google Drive
)


@pytest.mark.slow
@pytest.mark.parametrize("name", COPIES)
def test_a_conflict_copy_is_found_and_named_and_hides_nothing(project: Project, name: str) -> None:
    with project.opened() as store:
        save.save(store, Draft("One", "An okapi.", kind="fact"))
    here = project.root / "semantic" / "one.md"
    copy = here.with_name(name)
    copy.write_text(here.read_text().replace("okapi", "otter"))
    before = project.files()
    assert found(project, "okapi") == ["one"]
    (other,) = found(project, "otter")
    assert other.startswith("one~")
    report = project.run("doctor")
    assert report.returncode == 1
    assert name in report.stdout
    assert "has the id of another memory" in report.stdout
    with project.opened() as store:
        writing.edit(store, "one", append="More.")
        undo(store)
    assert project.files() == before
    project.answer("forget", other)
    assert project.answer("doctor")["problems"] == 0
    assert found(project, "okapi") == ["one"]


@pytest.mark.parametrize(
    "name",
    [".syncthing.one.md.tmp", ".one.md.swp", "one.md~", "#one.md#", ".~lock.one.md#", "4913"],
)
@pytest.mark.sampled(1)
def test_what_a_tool_keeps_for_itself_is_no_memory(project: Project, name: str) -> None:
    project.write("semantic/one.md", "# One\n\nAn okapi.\n")
    project.write(f"semantic/{name}", "# Half\n\nAn okapi, half")
    assert found(project, "okapi") == ["one"]
    assert project.answer("doctor")["problems"] == 0
    assert (project.root / "semantic" / name).read_text() == "# Half\n\nAn okapi, half"


def test_a_file_that_comes_in_pieces_is_whole_in_the_end(project: Project) -> None:
    text = "---\nid: one\ntitle: One\ntags: [a, b]\n---\n# One\n\nAn okapi and an otter.\n"
    for size in (1, 10, 30, 45, len(text) - 8, len(text)):
        project.write("semantic/one.md", text[:size])
        with project.opened() as store:
            assert [entry.path for entry in store.index.entries(Filter())] == ["semantic/one.md"]
    assert found(project, "okapi otter") == ["one"]
    assert project.answer("doctor")["problems"] == 0


def test_a_conflict_copy_of_the_journal_doubles_nothing(project: Project) -> None:
    with project.opened() as store:
        save.save(store, Draft("One", "An okapi.", kind="fact"))
    (page,) = (project.root / "journal").glob("ops-*")
    copy = page.with_name(f"{page.stem}.sync-conflict-20260111-143000-ABCDEFG.jsonl")
    shutil.copy(page, copy)
    with project.opened() as store:
        writing.edit(store, "one", append="More.")
        ids = [op.op_id for op in store.journal.ops()]
        assert len(ids) == len(set(ids)) == 2
        assert [past.cause for past in history(store)] == ["edit", "save"]
        undo(store)
        undo(store)
    assert project.files() == {}
    assert project.answer("doctor")["problems"] == 0
