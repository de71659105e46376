"""A search sees what is on disk without looking at every file: when, and at what it costs."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.cli.running import Person

from recollect.app import App
from recollect.capture import save_memory as save_module
from recollect.capture.save_memory import Draft
from recollect.features import memories as writing
from recollect.features import reading, skill_candidates
from recollect.features.skill_candidates import CandidateThresholds
from recollect.model import memory
from recollect.model.memory import TICK_NS, Filter
from recollect.search.index import SqliteIndex
from recollect.search.search import Hit
from recollect.store import refresh as refreshing
from recollect.store.files import MarkdownStore, Scan
from recollect.store.locations import ASKED, KNOWN, note_of
from recollect.store.refresh import FEW_FILES, LOOK_SECONDS
from recollect.store.store import OpenStore

from .project import Project

PATH = "semantic/animal.md"
TEXT = "# Animal\n\nIt is a walrus.\n"
OTHER = "# Animal\n\nIt is an ostrich.\n"
SECOND = 1_000_000_000
# When all files were looked at, behind the clock: all that a test does was long before.
LOOKED = 10


class Desk(Project):
    """A project whose commands run at a time of the test's."""

    @contextmanager
    def at(self, seconds: float) -> Iterator[App]:
        """The app of a command that starts so long from now."""
        app = App(str(self.folder), self.env)
        app.started_ns += int(seconds * SECOND)
        try:
            yield app
        finally:
            app.close()

    @contextmanager
    def store_at(self, seconds: float) -> Iterator[OpenStore]:
        """The store as a command finds it that looks at every file."""
        with self.at(seconds) as app:
            store = app.store("project")
            store.changed = lambda _: None
            yield store

    def look(self, seconds: float = LOOKED) -> None:
        """Look at every file."""
        with self.store_at(seconds):
            pass

    def hits(self, words: str, seconds: float = LOOKED + 1) -> list[Hit]:
        """What a search finds."""
        with self.at(seconds) as app:
            return reading.search(app, words, Filter(), limit=50, scope="", sections=False)

    def found(self, words: str, seconds: float = LOOKED + 1) -> list[str]:
        """The ids of what a search finds."""
        return sorted(hit.candidate.id for hit in self.hits(words, seconds))


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """A store whose files were all looked at, and that counts as large."""
    monkeypatch.setattr(refreshing, "FEW_FILES", 0)
    desk = Desk(tmp_path)
    desk.write(PATH, TEXT)
    desk.write("semantic/plant.md", "# Plant\n\nIt is a cactus.\n")
    desk.write("episodic/2026-01-11-day.md", "# A day\n\nWe saw a zebra.\n")
    desk.look()
    return desk


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often folders were looked at and listed, and files looked at."""
    counted: Counter[str] = Counter()

    def counting(owner: type, name: str, what: str) -> None:
        whole = getattr(owner, name)

        def called(self: object, *args: object) -> object:
            counted[what] += args[-1] != -1  # of a folder that is not there
            return whole(self, *args)

        monkeypatch.setattr(owner, name, called)

    counting(Scan, "_take", "files")
    counting(Scan, "_listed", "lists")
    counting(MarkdownStore, "look", "shown")
    counting(MarkdownStore, "look_at_folder", "folders")
    return counted


def replace(full: Path, text: str = OTHER) -> None:
    """What most editors, git and `sed -i` do."""
    new = full.with_name("4913")
    new.write_text(text)
    new.rename(full)


# ------------------------------------------------------------------------------- what it costs


@pytest.mark.slow
def test_a_search_looks_at_each_folder_and_at_no_file_but_those_it_shows(
    desk: Desk, looks: Counter[str]
) -> None:
    for n in range(300):
        desk.write(f"semantic/m{n}.md", f"# M{n}\n\nA {'kettle' if n == 7 else 'spoon'}.\n")
    desk.look(LOOKED + 1)
    looks.clear()
    assert desk.found("kettle", LOOKED + 2) == ["m7"]
    assert looks == {"folders": 3, "shown": 1}  # the store's own, semantic, episodic


def test_a_change_in_one_folder_costs_a_look_at_that_folder_alone(
    desk: Desk, looks: Counter[str]
) -> None:
    for n in range(30):
        desk.write(f"reference/m{n}.md", "# Kettle\n")
    desk.look(LOOKED + 1)
    replace(desk.root / PATH)
    looks.clear()
    assert desk.found("ostrich", LOOKED + 2) == ["animal"]
    assert (looks["lists"], looks["files"]) == (1, 2)
    looks.clear()
    assert desk.found("ostrich", LOOKED + 3) == ["animal"]
    assert (looks["lists"], looks["files"]) == (0, 0)


def test_what_we_save_change_and_forget_costs_no_look(desk: Desk, looks: Counter[str]) -> None:
    with desk.store_at(LOOKED) as store:  # which makes the journal's folder
        save_module.save(store, Draft("A pan", "It is green.", kind="fact"))
    desk.look()
    with desk.store_at(LOOKED + 1) as store:
        save_module.save(store, Draft("A kettle", "It is blue.", kind="fact"))
        save_module.save(store, Draft("A spoon", "It is red.", kind="decision"))
        writing.edit(store, "a-kettle", append="It leaks.")
        writing.forget(store, "plant")
    looks.clear()
    assert desk.found("leaks cactus", LOOKED + 2) == ["a-kettle"]
    assert desk.found("spoon", LOOKED + 2) == ["a-spoon"]
    assert (looks["lists"], looks["files"]) == (0, 0)


def test_the_views_that_we_write_cost_no_look(desk: Desk, looks: Counter[str]) -> None:
    desk.look()
    with desk.at(LOOKED + 1) as app:
        save_module.save(app.store(), Draft("A kettle", "It is blue.", kind="fact"))
    desk.look(LOOKED + 1)  # the journal's folder was made
    with desk.at(LOOKED + 2) as app:
        save_module.save(app.store(), Draft("A spoon", "It is red.", kind="fact"))
        skill_candidates.analyse_stores(app, CandidateThresholds(), scope="", dry_run=False)
    assert "A spoon" in (desk.root / "MEMORY.md").read_text()
    looks.clear()
    assert desk.found("spoon", LOOKED + 3) == ["a-spoon"]
    assert (looks["lists"], looks["files"]) == (0, 0)


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    "words",
    [
        "search walrus", "search walrus --sections", "search walrus --explain", "search --kind note",
        "search walrus --as-of 2026-01-01", "list", "show animal", "recall walrus", "timeline",
        "history", "status", "save Kettle",
    ],
)  # fmt: skip
def test_only_a_search_for_words_passes_over_files(
    desk: Desk, looks: Counter[str], monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    monkeypatch.setattr(memory, "TICK_NS", -3600 * SECOND)  # what was written is old
    desk.look(0)
    looks.clear()
    Person(desk.home, desk.folder, desk.env).ok(*words.split())
    is_search = words.startswith("search walrus") and "--as-of" not in words
    assert (looks["files"] == 0) is is_search


@pytest.mark.slow
def test_only_in_a_large_store_not_every_file_is_looked_at(
    tmp_path: Path, looks: Counter[str]
) -> None:
    desk = Desk(tmp_path)
    for n in range(FEW_FILES):
        desk.write(f"semantic/m{n}.md", "# Kettle\n")
    full = desk.write(PATH, TEXT)
    desk.look()
    looks.clear()
    assert desk.found("walrus") == ["animal"]
    assert looks["files"] == 0
    (desk.root / "semantic/m0.md").unlink()
    desk.look()
    desk.look()
    full.write_text(OTHER)
    assert desk.found("ostrich") == ["animal"]


# ------------------------------------------------------------------------------- changing a text


def test_a_file_changed_in_its_place_is_found_when_all_are_looked_at_again(desk: Desk) -> None:
    (desk.root / PATH).write_text(OTHER)
    assert desk.found("ostrich", LOOKED + LOOK_SECONDS) == ["animal"]


def test_what_a_changed_file_said_is_never_shown(desk: Desk) -> None:
    (desk.root / PATH).write_text(OTHER)
    assert desk.found("walrus") == []
    assert desk.found("ostrich") == ["animal"]  # for then all were looked at


def test_a_hit_says_what_its_file_says_now(desk: Desk) -> None:
    (desk.root / PATH).write_text("# Animal\n\nIt is a walrus, and an old one.\n")
    (hit,) = desk.hits("walrus")
    assert hit.snippet == "It is a walrus, and an old one."


def test_a_text_with_its_size_and_time_put_back_is_not_shown_as_it_was(desk: Desk) -> None:
    full = desk.root / PATH
    info = full.stat()
    full.write_text(TEXT.replace("walrus", "ostric"))
    os.utime(full, ns=(info.st_atime_ns, info.st_mtime_ns))
    assert desk.found("walrus") == []


def test_a_file_that_changes_while_it_is_looked_at_is_not_shown(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = desk.root / PATH
    whole = App.freshen

    def freshen(app: App, store: OpenStore, *given: object, **named: object) -> None:
        whole(app, store, *given, **named)  # type: ignore[arg-type]
        full.write_text(full.read_text() + "Still a walrus.\n")

    monkeypatch.setattr(App, "freshen", freshen)
    assert desk.found("walrus") == []


def test_a_turn_is_shown_under_the_id_that_its_memory_has_now(desk: Desk) -> None:
    summary = desk.write("episodic/talk/summary.md", "---\nid: one\n---\n# Talk\n\nIn short.\n")
    turn = "### User [10:00]\n\nWhere is the kettle?\n"
    desk.write("episodic/talk/conversation.md", turn)
    desk.look()
    assert desk.found("kettle") == ["one"]
    summary.write_text("---\nid: two\n---\n# Talk\n\nIn short.\n")
    assert desk.found("kettle") == ["two"]


@pytest.mark.parametrize("path", [PATH, "archive/semantic/old.md", "episodic/2026/talk.md"])
def test_a_replaced_file_is_found_at_once(desk: Desk, path: str) -> None:
    full = desk.write(path, TEXT)
    desk.look()
    replace(full)
    with desk.at(LOOKED + 1) as app:
        only = Filter(archived=path.startswith("archive/"))
        hits = reading.search(app, "ostrich", only, limit=9, scope="", sections=False)
    assert [hit.path for hit in hits] == [str(full)]


def test_of_sessions_only_new_and_removed_ones_are_seen_at_once(
    desk: Desk, looks: Counter[str]
) -> None:
    for n in range(30):
        desk.write(f"episodic/talk-{n}/summary.md", f"# Talk {n}\n\nA kettle.\n")
        desk.write(f"episodic/talk-{n}/conversation.md", "### User\n\nWhere is it?\n")
    desk.look()
    looks.clear()
    assert desk.found("walrus") == ["animal"]
    assert looks["folders"] == 3
    replace(desk.root / "episodic/talk-0/summary.md")
    assert desk.found("ostrich", LOOKED + LOOK_SECONDS) == ["talk-0"]
    replace(desk.root / "episodic/talk-1/summary.md")
    desk.write("episodic/talk-new/summary.md", "# Talk\n\nA spoon.\n")
    shutil.rmtree(desk.root / "episodic/talk-2")
    assert desk.found("spoon", LOOKED + LOOK_SECONDS + 1) == ["talk-new"]
    assert desk.found("ostrich", LOOKED + LOOK_SECONDS + 1) == ["talk-0", "talk-1"]
    shutil.rmtree(desk.root / "episodic/talk-new")
    assert len(desk.found("kettle spoon", LOOKED + LOOK_SECONDS + 2)) == 27


# ------------------------------------------------------------------------- making and removing


@pytest.mark.parametrize(
    "path",
    [
        "note.md", "semantic/new.md", "reference/new.md", "episodic/talk/summary.md",
        "procedural/patterns/deep/new.md", "core/new.md",
    ],
)  # fmt: skip
def test_a_new_file_is_found_at_once_wherever_it_is(desk: Desk, path: str) -> None:
    full = desk.write(path, "# New\n\nA kettle.\n")
    (hit,) = desk.hits("kettle")
    assert hit.path == str(full)
    (hit,) = desk.hits("kettle", LOOKED + 2)
    full.unlink()
    assert desk.found("kettle", LOOKED + 3) == []


def test_the_archive_and_what_is_moved_there_are_seen_at_once(desk: Desk) -> None:
    (desk.root / "archive/semantic").mkdir(parents=True)
    (desk.root / PATH).rename(desk.root / "archive" / PATH)
    assert desk.found("walrus") == []
    with desk.at(LOOKED + 1) as app:
        only = Filter(archived=True)
        hits = reading.search(app, "walrus", only, limit=9, scope="", sections=False)
        assert [hit.candidate.id for hit in hits] == ["animal"]
    (desk.root / "archive" / PATH).rename(desk.root / PATH)
    assert desk.found("walrus", LOOKED + 2) == ["animal"]


def test_a_deleted_file_is_not_shown_even_if_its_folder_looks_as_before(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where a file system keeps no time of its folders, or only every other second."""
    looks = {path: MarkdownStore(str(desk.root), "").look_at_folder(path) for path in
             ("", "semantic", "episodic")}  # fmt: skip
    (desk.root / PATH).unlink()
    monkeypatch.setattr(MarkdownStore, "look_at_folder", lambda _, path: looks[path])
    assert desk.found("walrus") == []
    assert desk.found("cactus") == ["plant"]


def test_a_folder_that_is_gone_takes_its_memories_along(desk: Desk) -> None:
    shutil.rmtree(desk.root / "semantic")
    assert desk.found("walrus cactus zebra") == ["2026-01-11-day"]
    desk.write(PATH, TEXT)
    assert desk.found("walrus cactus zebra", LOOKED + 2) == ["2026-01-11-day", "animal"]
    shutil.rmtree(desk.root)
    with desk.at(LOOKED + 3) as app:
        assert app.roots == {}


@pytest.mark.parametrize("seconds", [0, LOOKED])  # right after the change, and long after
def test_a_purged_session_leaves_no_name_of_its_folder(desk: Desk, seconds: int) -> None:
    desk.write("episodic/the-walrus/summary.md", "# Talk\n\nA kettle.\n")
    desk.look(seconds)
    assert any(b"the-walrus" in path.read_bytes() for path in desk.cache.glob("index.db*"))
    person = Person(desk.home, desk.folder, desk.env)
    person.ok("forget", "the-walrus", "--purge", "--yes")
    assert [
        p for p in desk.cache.rglob("*") if p.is_file() and b"the-walrus" in p.read_bytes()
    ] == []
    assert desk.found("kettle", seconds + 1) == []


@pytest.mark.parametrize("seconds", [1, 2 * LOOK_SECONDS])  # some are looked at, or all
@pytest.mark.parametrize("is_noted", [False, True])  # whether others looked since
def test_a_look_that_a_purge_overtakes_brings_no_name_back(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, seconds: int, *, is_noted: bool
) -> None:
    desk.write("episodic/the-walrus/summary.md", "# Talk\n\nA kettle.\n")
    desk.write("reference/old.md", "# Old\n\nA kettle.\n")
    desk.look()
    desk.write("episodic/the-walrus/conversation.md", "### User\n\nWhere is it?\n")
    desk.write("reference/new.md", "# New\n\nA spoon.\n")
    whole = SqliteIndex.note_look

    def note_look(index: SqliteIndex, *args: object) -> None:
        monkeypatch.setattr(SqliteIndex, "note_look", whole)
        person = Person(desk.home, desk.folder, desk.env)
        person.ok("forget", "the-walrus", "--purge", "--yes")
        if is_noted:
            desk.look(LOOKED + seconds)
        whole(index, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(SqliteIndex, "note_look", note_look)
    assert desk.found("spoon", LOOKED + seconds) == ["new"]
    assert not any(b"the-walrus" in path.read_bytes() for path in desk.cache.glob("index.db*"))
    desk.write("semantic/other.md", "# Other\n\nA spoon.\n")
    assert desk.found("spoon", LOOKED + seconds + 1) == ["new", "other"]


def test_a_write_that_a_purge_overtakes_brings_no_name_back(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = SqliteIndex.note_own

    def note_own(index: SqliteIndex, looks: object) -> None:
        monkeypatch.setattr(SqliteIndex, "note_own", whole)
        person = Person(desk.home, desk.folder, desk.env)
        name = next((desk.root / "episodic").glob("*walrus")).name
        person.ok("forget", name, "--purge", "--yes")
        desk.look(LOOKED + 2)
        whole(index, looks)  # type: ignore[arg-type]

    with desk.store_at(LOOKED + 1) as store:
        monkeypatch.setattr(SqliteIndex, "note_own", note_own)
        save_module.save(store, Draft("The walrus", "A kettle.", conversation="### User\n\nHi.\n"))
    assert not any(b"the-walrus" in path.read_bytes() for path in desk.cache.glob("index.db*"))


def test_a_folder_whose_name_is_no_text_stops_nothing(desk: Desk) -> None:
    os.makedirs(os.fsencode(desk.root) + b"/semantic/\xff")
    desk.look()
    assert desk.found("walrus") == ["animal"]
    os.rename(os.fsencode(desk.root) + b"/semantic/\xff", desk.root / "semantic/named")
    desk.write("semantic/named/new.md", "# New\n\nA kettle.\n")
    assert desk.found("kettle", LOOKED + 2) == ["new"]


@pytest.mark.parametrize("is_inner", [False, True])
def test_a_folder_that_becomes_a_link_is_not_followed(desk: Desk, *, is_inner: bool) -> None:
    folder = "procedural/patterns" if is_inner else "semantic"
    desk.write(f"{folder}/kept.md", "# Kept\n\nA kettle.\n")
    desk.look()
    assert desk.found("kettle") == ["kept"]
    place = desk.root / folder
    away = desk.folder / "elsewhere"
    place.rename(away)
    place.symlink_to(away)
    assert desk.found("kettle") == []
    (away / "kept.md").write_text("# Kept\n\nA kettle, in another store.\n")
    assert desk.found("kettle", LOOKED + 2) == []
    assert desk.found("kettle", LOOKED + 2 * LOOK_SECONDS) == []


# ------------------------------------------------------------------------------------- the clock


def test_where_the_clock_was_put_back_every_file_is_looked_at(desk: Desk) -> None:
    (desk.root / PATH).write_text(OTHER)
    assert desk.found("ostrich", LOOKED - 1) == ["animal"]


def test_a_folder_that_changed_right_before_the_look_is_listed_again(
    desk: Desk, looks: Counter[str]
) -> None:
    tick = TICK_NS / SECOND
    desk.write("semantic/new.md", "# New\n")
    desk.look(tick / 2)
    looks.clear()
    desk.found("walrus", tick / 2)
    assert looks["lists"] > 0
    desk.look(3 * tick)
    looks.clear()
    desk.found("walrus", 3 * tick)
    assert looks["lists"] == 0


def test_an_index_that_knows_of_no_look_has_every_file_looked_at(desk: Desk) -> None:
    with desk.store_at(LOOKED) as store:
        store.index.set_meta({"looked": ""})
    (desk.root / PATH).write_text(OTHER)
    assert desk.found("ostrich") == ["animal"]


def test_a_lost_index_is_made_again_with_every_file(desk: Desk) -> None:
    for path in desk.cache.glob("index.db*"):
        path.unlink()
    assert desk.found("walrus cactus") == ["animal", "plant"]


# ----------------------------------------------------------------------- others who write meanwhile


def test_what_others_write_beside_a_save_of_ours_is_found(desk: Desk) -> None:
    with desk.store_at(LOOKED + 1) as store:
        desk.write("semantic/before.md", "# Before\n\nA kettle.\n")
        save_module.save(store, Draft("One", "A spoon.", kind="fact"))
        desk.write("semantic/between.md", "# Between\n\nA kettle.\n")
        save_module.save(store, Draft("Two", "A spoon.", kind="fact"))
    assert desk.found("kettle", LOOKED + 2) == ["before", "between"]


def test_a_change_that_did_not_get_into_the_index_is_found(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a crash, or where the index could not be written."""

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with desk.store_at(LOOKED + 1) as store:
        with monkeypatch.context() as patch:
            patch.setattr(store, "_index", stop)
            with pytest.raises(KeyboardInterrupt):
                save_module.save(store, Draft("One", "A kettle.", kind="fact"))
        save_module.save(store, Draft("Two", "A spoon.", kind="fact"))
    assert desk.found("kettle", LOOKED + 2) == ["one"]


def test_a_search_beside_a_writer_waits_for_nobody(desk: Desk) -> None:
    with desk.store_at(LOOKED + 2 * LOOK_SECONDS) as store:
        store.index.connection.execute("BEGIN IMMEDIATE")
        assert desk.found("walrus", LOOKED + 4 * LOOK_SECONDS) == ["animal"]
        store.index.connection.execute("ROLLBACK")


# ----------------------------------------------------------------------------- whose words it says


@pytest.mark.parametrize("change", [replace, lambda full: full.write_text(TEXT + "More.\n")])
def test_what_others_changed_is_not_shown_as_trusted(
    desk: Desk, change: Callable[[Path], None]
) -> None:
    path, mark = note_of(str(desk.root), desk.env)
    desk.write("config.toml", '[review]\npulls = "listed"\n')
    desk.look()
    (hit,) = desk.hits("animal")
    assert hit.candidate.trust != "external"
    change(desk.root / PATH)
    (hit,) = desk.hits("animal")
    assert hit.candidate.trust == "external"
    Path(path).write_text(f"{mark}{ASKED}\n")
    Path(f"{path}{KNOWN}").unlink()
    (hit,) = desk.hits("cactus")
    assert hit.candidate.trust == "external"


# -------------------------------------------------------------------------------------------- git


@pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")
def test_what_git_brings_is_found_at_once(desk: Desk) -> None:
    def git(*words: str) -> None:
        own = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "gc.auto=0"]
        env = {**desk.env, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
        subprocess.run(
            ["git", *own, *words], cwd=desk.folder, env=env, check=True, capture_output=True
        )

    git("init", "-q", "-b", "one")
    git("add", ".")
    git("commit", "-q", "-m", "one")
    git("checkout", "-q", "-b", "two")
    (desk.root / PATH).write_text(OTHER)
    desk.write("reference/new.md", "# New\n\nA kettle.\n")
    git("rm", "-q", ".claude/memory/semantic/plant.md")
    git("add", ".")
    git("commit", "-q", "-m", "two")
    desk.look(2 * LOOKED)
    git("checkout", "-q", "one")
    assert desk.found("walrus cactus ostrich kettle", 2 * LOOKED + 1) == ["animal", "plant"]
    desk.look(3 * LOOKED)
    git("merge", "-q", "two")
    assert desk.found("walrus cactus ostrich kettle", 3 * LOOKED + 1) == ["animal", "new"]
