"""When the worker consolidates: once a day, or when many episodes are new; and never in a hook's time."""

from __future__ import annotations

import os

import pytest

from recollect import worker, workspace
from recollect.consolidate.claim_cache import cached_claims
from recollect.consolidate.claims import Claim
from recollect.consolidate.pages import EpisodeClaim
from recollect.errors import Locked
from recollect.features import lifecycle
from recollect.store import disk
from recollect.store.background import mark_pending
from recollect.store.journal import FolderJournal
from recollect.workspace import CLAIMS

from .project import Project

FACTS = "semantic/deployment.md"


def episode(project: Project, name: str, body: str) -> None:
    project.write(f"episodic/{name}.md", f"---\ntags: [a, b]\ncreated: 2026-01-01\n---\n{body}\n")


def is_done(project: Project, now: str) -> bool:
    with project.opened_at(now) as (app, store):
        return lifecycle.consolidate_if_due(app, store)


def test_it_is_due_once_a_day(project: Project) -> None:
    assert not is_done(project, "2026-05-01T09:00:00Z")  # there is nothing
    episode(project, "one", "Port is 8080.")
    assert is_done(project, "2026-05-01T09:10:00Z")
    episode(project, "two", "The host is web1.")
    assert not is_done(project, "2026-05-01T23:00:00Z")
    assert "The host is web1." not in (project.root / FACTS).read_text()
    assert is_done(project, "2026-05-02T00:10:00Z")
    assert "The host is web1." in (project.root / FACTS).read_text()
    assert "deployment" in (project.root / "MEMORY.md").read_text()


def test_it_is_due_when_more_than_twenty_episodes_are_new_or_changed(project: Project) -> None:
    episode(project, "one", "Port is 8080.")
    assert is_done(project, "2026-05-01T09:00:00Z")
    for n in range(19):
        episode(project, f"new-{n}", f"Item {n} is blue.")
    episode(project, "one", "Port is 9090.")
    assert not is_done(project, "2026-05-01T10:00:00Z")
    episode(project, "last", "Item 99 is blue.")
    assert is_done(project, "2026-05-01T10:10:00Z")


def test_a_command_counts_as_the_pass_of_the_day(project: Project) -> None:
    episode(project, "one", "Port is 8080.")
    with project.opened_at("2026-05-01T09:00:00Z") as (app, _):
        lifecycle.consolidate(app, scope="", dry_run=False)
    assert not is_done(project, "2026-05-01T10:00:00Z")


def test_a_command_starts_the_worker_if_a_hook_left_its_mark_and_no_worker(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[str] = []
    monkeypatch.setattr(workspace, "start", lambda app, store: started.append(store.files.root))
    with project.opened_at("2026-05-01T09:00:00Z") as (app, _):
        lifecycle.consolidate(app, scope="", dry_run=False)
        assert started == []
        mark_pending(str(project.cache))  # and then its time was over
        lifecycle.consolidate(app, scope="", dry_run=True)
        assert started == []
        lifecycle.consolidate(app, scope="", dry_run=False)
        assert started == [str(project.root)]


@pytest.mark.slow
def test_what_was_read_of_fifty_thousand_files_is_remembered(project: Project) -> None:
    episode(project, "one", "Port is 8080.")
    long = "x" * (disk.LARGEST_FILE_BYTES + 1)  # as much as so many have together
    with project.opened_at("2026-05-01T09:00:00Z") as (app, store):
        with cached_claims(app, store) as known:
            known.keep_episode_claims(
                "one.md", "stamp", [EpisodeClaim(Claim(long), "key", frozenset())]
            )
        with cached_claims(app, store) as known:
            assert known.episode_claims("one.md", "stamp")


def test_of_two_passes_at_once_one_goes_away(project: Project) -> None:
    episode(project, "one", "Port is 8080.")
    with (
        project.opened_at("2026-05-01T09:00:00Z") as (app, store),
        lifecycle.exclusive_pass(app, store),
    ):
        with pytest.raises(Locked):
            lifecycle.consolidate_if_due(app, store)
        assert not worker.consolidate_if_due(str(project.root))
    assert not (project.root / FACTS).exists()


def test_a_hook_waits_for_no_pass(project: Project) -> None:
    """What a hook waits for is the worker's lock and its marks: a pass has neither."""
    episode(project, "one", "Port is 8080.")
    cache = project.cache
    cache.mkdir(parents=True, exist_ok=True)
    handle = disk.take_lock(str(cache / "worker.lock"))
    assert handle is not None
    (cache / "pending").touch()
    assert worker.consolidate_if_due(str(project.root))
    os.close(handle)
    assert (cache / "pending").exists()
    assert not (cache / "working").exists()
    assert (project.root / FACTS).exists()


def test_what_was_remembered_makes_no_difference(project: Project) -> None:
    for n in range(3):
        episode(project, f"e{n}", f"Item {n} is blue. Use tool-{n}. 端口{n}是 80{n}。")
    assert is_done(project, "2026-05-01T09:00:00Z")
    claims = project.cache / CLAIMS
    kept = claims.read_bytes()
    rows = []
    for text in (
        kept,
        kept[: len(kept) // 2],
        b"",
        b"\xff\n",
        kept.replace(b"recollect", b"other"),
    ):
        claims.write_bytes(text)
        episode(project, "new", "Item 0 is red.")
        with project.opened_at("2026-05-02T09:00:00Z") as (app, _):
            (found,) = lifecycle.consolidate(app, scope="", dry_run=True)
        rows.append(found.rows)
    assert rows[0]
    assert all(row == rows[0] for row in rows)


def test_nothing_of_a_purged_memory_is_remembered(project: Project) -> None:
    episode(project, "one", "The walrus is blue.")
    assert is_done(project, "2026-05-01T09:00:00Z")
    assert "walrus" in (project.cache / CLAIMS).read_text()
    project.answer("forget", "one", "--purge", "--yes")
    kept = [path for path in project.cache.rglob("*") if path.name == CLAIMS]
    assert not any("walrus" in path.read_text() for path in kept)


def test_a_pass_never_asks_the_journal_for_all_its_texts(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: object) -> None:
        raise AssertionError("all texts of the journal at once")

    monkeypatch.setattr(FolderJournal, "ops", refuse)
    project.write("semantic/a.md", "---\ntags: [a, b]\n---\n- Host is web.\n")
    episode(project, "one", f"Port is 8080. {' '.join(f'Item {n} is blue.' for n in range(60))}")
    assert is_done(project, "2026-05-01T09:00:00Z")
    lines = (project.root / "semantic/a.md").read_text().splitlines(keepends=True)
    project.write("semantic/a.md", "".join(one for one in lines if "Item 7 is" not in one))
    episode(project, "two", "Colour is red.")
    assert is_done(project, "2026-05-02T09:00:00Z")
    text = (project.root / "semantic/a.md").read_text()
    assert "Colour is red." in text
    assert "Item 8 is blue." in text
    assert "Item 7 is blue." not in text
