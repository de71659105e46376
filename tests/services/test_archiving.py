"""The archive of conversations. Bugs C7 (archived again), C8 (names), C9 (taken names), C12 (links)."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from recollect.app import App
from recollect.consolidate import apply as archiving
from recollect.consolidate.gather import gather
from recollect.errors import MemoryNotFound, OutsideStore
from recollect.features import lifecycle
from recollect.store import history as undoing
from recollect.store.store import OpenStore

from .house import Crash, House, crash
from .project import Project

NOW = "2026-05-30T09:00:00Z"


def talk(house: House, name: str, day: str, body: str = "Said.", **fields: str) -> str:
    lines = {"kind": "conversation", "created": day} | fields
    head = "".join(f"{key.replace('_', '-')}: {value}\n" for key, value in lines.items())
    path = f"episodic/{name}/summary.md"
    house.write(path, f"---\n{head}---\n# {name}\n\n{body}\n")
    house.write(f"episodic/{name}/conversation.md", f"### User\n\nIn {name}: the walrus.\n")
    return path


def at(house: House, now: str = NOW) -> OpenStore:
    store = house.open()
    store.now = now
    store.ledger.moment = store.ledger.moment._replace(now=now)
    return store


def names(found: list[archiving.Conversation]) -> list[str]:
    return [one.entry.id for one in found]


@pytest.mark.parametrize(
    ("day", "goes"), [("2026-05-15", True), ("2026-05-16", False), ("2026-05-17", False)]
)
def test_a_conversation_goes_after_fourteen_days_without_activity(day: str, goes: bool) -> None:
    house = House()
    path = talk(house, "talk", day)
    assert bool(archiving.archive(at(house))) == goes
    assert (f"archive/{path}" in house.texts()) == goes
    assert ("archive/episodic/talk/conversation.md" in house.texts()) == goes


def test_of_more_than_twenty_the_oldest_go() -> None:
    house = House()
    for n in range(23):
        talk(house, f"talk-{n:02}", f"2026-05-{20 + n % 10:02}T{n:02}:00:00Z")
    gone = archiving.archive(at(house))
    assert names(gone) == ["talk-00", "talk-10", "talk-20"]
    assert {one.why for one in gone} == {archiving.BEYOND}
    assert archiving.archive(at(house)) == []


def test_facts_rules_and_private_conversations_stay() -> None:
    house = House()
    house.write("semantic/old.md", "---\ncreated: 2020-01-01\n---\nOld.\n")
    house.write("episodic/note.md", "---\ncreated: 2020-01-01\n---\nA note.\n")
    talk(house, "secret", "2020-01-01", private="true")
    assert archiving.archive(at(house), force=True) == []


@pytest.mark.parametrize("how", ["edited", "injected", "activated", "undone"])
def test_whatever_is_done_with_a_conversation_counts_as_activity_c7(
    how: str, tmp_path: Path
) -> None:
    project = Project(tmp_path)
    path = "episodic/talk/summary.md"
    file = project.write(path, "---\nkind: conversation\ncreated: 2026-01-01\n---\nSaid.\n")
    old = datetime(2026, 1, 1, tzinfo=UTC).timestamp()
    os.utime(file, (old, old))
    if how == "edited":
        file.write_text(file.read_text() + "More.\n")
    elif how == "injected":
        project.write("journal/claude-s.jsonl", "")
        from recollect.store import locations

        locations.record(str(project.root), "claude-s", "inject", {"items": ["talk#said"]})
    else:
        with project.opened() as store:
            assert names(archiving.archive(store)) == ["talk"]
            if how == "activated":
                archiving.activate(store, "talk")
            else:
                undoing.undo(store)
    with project.opened() as store:
        assert archiving.archive(store) == []
    assert (project.root / path).exists()


def test_a_name_that_is_taken_in_the_archive_or_outside_it_stops_nothing_c9() -> None:
    house = House()
    for name in ("a", "b", "c"):
        talk(house, name, "2026-01-01")
    house.write("archive/episodic/b/summary.md", "---\nid: other\n---\nAnother.\n")
    assert names(archiving.archive(at(house))) == ["a", "b", "c"]
    assert house.texts()["archive/episodic/b/summary.md"] == "---\nid: other\n---\nAnother.\n"
    assert "walrus" in house.texts()["archive/episodic/b-2/conversation.md"]
    house.write("episodic/a/summary.md", "---\nid: new\n---\nNew.\n")
    path, _ = archiving.activate(at(house), "a")
    assert path == "episodic/a-2/summary.md"
    assert "New." in house.texts()["episodic/a/summary.md"]


@pytest.mark.parametrize(
    "name",
    [
        ".",
        "..",
        "../../outside",
        "talk/summary.md",
        "archive/episodic/talk",
        "",
        "talk#said",
        "/etc",
    ],
)
def test_only_an_id_brings_something_back_c8(name: str) -> None:
    house = House()
    talk(house, "talk", "2026-01-01")
    archiving.archive(at(house))
    before = house.texts()
    with pytest.raises((MemoryNotFound, OutsideStore)):
        archiving.activate(at(house), name)
    assert house.texts() == before


def test_a_link_to_nowhere_hinders_neither_way_c12(tmp_path: Path) -> None:
    project = Project(tmp_path)
    file = project.write("episodic/talk/summary.md", "---\nkind: conversation\n---\nSaid.\n")
    os.utime(file, (1.7e9, 1.7e9))
    (project.root / "episodic/broken").symlink_to("/nowhere")
    (project.root / "archive").mkdir()
    (project.root / "archive/episodic").symlink_to("/nowhere-either")
    with project.opened() as store, pytest.raises(OutsideStore):
        archiving.archive(store)
    assert file.exists()
    (project.root / "archive/episodic").unlink()
    with project.opened() as store:
        assert names(archiving.archive(store)) == ["talk"]


def test_the_way_there_and_back_keeps_the_bytes() -> None:
    house = House()
    talk(house, "talk", "2026-01-01")
    before = house.texts()
    archiving.archive(at(house))
    assert archiving.activate(at(house), "talk") == ("episodic/talk/summary.md", True)
    assert house.texts() == before
    assert archiving.activate(at(house), "talk") == ("episodic/talk/summary.md", False)


def test_a_kill_at_any_step_leaves_whole_conversations_and_the_next_run_goes_on() -> None:
    for n in range(1, 100):
        house = House()
        for name in ("a", "b"):
            talk(house, name, "2026-01-01")
        store = at(house)
        house.expect(crash, range(n, n + 1))
        try:
            archiving.archive(store)
        except Crash:
            house.expect(crash, range(0))
            house.open()
            for name in ("a", "b"):
                files = [path for path in house.texts() if f"episodic/{name}/" in path]
                assert len({path.rpartition("/")[0] for path in files}) == 1, n
            archiving.archive(at(house))
            moved = [path for path in house.texts() if path.startswith("archive/")]
            assert len(moved) == 4, n
        else:
            assert n > 6
            break


def test_search_finds_every_word_wherever_it_was_said_c2_c3() -> None:
    house = House()
    talk(house, "english", "2026-01-01", "Redis holds sessions.", tags="[cache]")
    talk(house, "chinese", "2026-05-29", "我们决定用 Redis 缓存会话。")
    archiving.archive(at(house))
    store = at(house)
    assert {entry.id for entry in archiving.search(store, "REDIS")} == {"english", "chinese"}
    assert [entry.id for entry in archiving.search(store, "walrus cache")] == ["english"]
    assert [entry.id for entry in archiving.search(store, "决定")] == ["chinese"]
    assert archiving.search(store, "giraffe") == []


def test_the_stats_count_what_is_there() -> None:
    house = House()
    talk(house, "old", "2026-01-01")
    talk(house, "gone", "2026-01-02")
    for n in range(21):
        talk(house, f"new-{n}", f"2026-05-29T{n:02}:00:00Z")
    store = at(house)
    assert archiving.stats(store)[:4] == (23, 0, 2, 1)
    archiving.archive(store)
    assert archiving.stats(at(house))[:4] == (20, 3, 0, 0)


# ----------------------------------------------------------------------------- with what it says


def old_talk(project: Project, body: str) -> None:
    text = f"---\nkind: conversation\ntags: [a, b]\ncreated: 2026-01-01\n---\n# T\n\n{body}\n"
    os.utime(project.write("episodic/talk/summary.md", text), (1.7e9, 1.7e9))


def test_archiving_archives_and_the_next_pass_hears_what_went(tmp_path: Path) -> None:
    project = Project(tmp_path)
    old_talk(project, "Port is 8080.")
    app = App(str(project.folder), project.env)
    (done,) = lifecycle.archive_conversations(app, scope="", force=False, dry_run=False)
    assert names(done.rows) == ["talk"]
    page = project.root / "semantic/deployment.md"
    assert not page.exists()
    lifecycle.consolidate(app, scope="", dry_run=False)
    assert "- Port is 8080." in page.read_text()
    assert gather(app.store("project")).episodes == []  # once is enough
    app.close()
    assert (project.root / "archive/episodic/talk/summary.md").exists()


def test_what_waits_in_an_archived_conversation_goes_on_waiting(tmp_path: Path) -> None:
    project = Project(tmp_path)
    old_talk(project, "We use MySQL.")
    app = App(str(project.folder), project.env)
    lifecycle.archive_conversations(app, scope="", force=False, dry_run=False)
    app.close()
    project.write("semantic/db.md", "---\ncreated: 2025-12-01\n---\nWe use Postgres.\n\nA is b.\n")
    for _ in range(2):
        app = App(str(project.folder), project.env)
        lifecycle.consolidate(app, scope="", dry_run=False)
        [(_, wait)] = lifecycle.conflicts(app, scope="")
        assert wait.mark.episode == "talk"
        app.close()


def test_a_conversation_with_an_open_question_stays(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.write("semantic/db.md", "---\ncreated: 2025-12-01\n---\nWe use Postgres.\n\nA is b.\n")
    old_talk(project, "We use MySQL.")
    app = App(str(project.folder), project.env)
    for dry_run in (True, False):
        (done,) = lifecycle.archive_conversations(app, scope="", force=False, dry_run=dry_run)
        assert done.rows == []
        assert done.stay == ["talk"]
    app.close()
    assert (project.root / "episodic/talk/summary.md").exists()
