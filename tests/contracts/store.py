"""What every store promises."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.errors import AlreadyThere, ChangedMeanwhile, FileNotThere, Locked, OutsideStore
from recollect.store.disk import stamp_of
from recollect.store.files import MarkdownStore

from . import inherited

TEXT = "# Use PostgreSQL\n\nWe need JSONB.\n"

# Names that would leave the store, or are no names for a file at all (reliability T26).
OUTSIDE = [
    "",
    "/",
    "..",
    "../secret.md",
    "semantic/../../secret.md",
    "semantic/..",
    "/etc/passwd",
    "semantic//x.md",
    "semantic/",
    "./x.md",
    "semantic/./x.md",
    "..\\secret.md",
    "semantic\\x.md",
    "C:\\x.md",
    "semantic/x\0.md",
    "\0",
    f"semantic/{'x' * 300}.md",
    f"semantic/{'记' * 90}.md",
    f"{'deep/' * 40}x.md",
    "semantic/\ud800.md",
]
# Names that look dangerous somewhere and are plain names here.
HARMLESS = [
    "semantic/CON.md",
    "semantic/-rf.md",
    "semantic/%2e%2e%2f.md",
    "semantic/ü记忆.md",
    "semantic/a b'c\"d$e;f.md",
    "semantic/\u202etxt.md",
    "semantic/*.md",
    f"semantic/{'x' * 200}.md",
    "semantic/" + "记" * 84 + ".md",  # 255 bytes: the longest name there is
    "semantic/.git.md",
]


class StoreContract:
    """Subclasses give a fixture `store` and say how somebody else edits a file of it."""

    def edit_outside(self, store: MarkdownStore, path: str, data: bytes) -> None:
        """Write a file as an editor would, leaving no other trace than it cannot avoid."""
        raise NotImplementedError

    # ------------------------------------------------------------------------ reading, writing

    @inherited
    @given(data=st.binary(max_size=400))
    def test_bytes_come_back_as_they_were(self, store: MarkdownStore, data: bytes) -> None:
        path = f"semantic/{stamp_of(data)}.md"
        if not store.exists(path):
            stamp = store.create(path, data.decode("utf-8", "surrogateescape"))
            assert stamp == stamp_of(data)
        found = store.read(path)
        assert found.text.encode("utf-8", "surrogateescape") == data
        assert (found.path, found.stamp) == (path, stamp_of(data))

    def test_the_stamp_is_that_of_the_bytes_and_none_where_there_is_no_file(
        self, store: MarkdownStore
    ) -> None:
        assert store.stamp("semantic/a.md") is None
        assert not store.exists("semantic/a.md")
        store.create("semantic/a.md", TEXT)
        assert store.stamp("semantic/a.md") == stamp_of(TEXT.encode())
        assert store.exists("semantic/a.md")
        assert store.exists("semantic")

    def test_a_file_is_not_created_where_something_is(self, store: MarkdownStore) -> None:
        store.create("semantic/a.md", TEXT)
        with pytest.raises(AlreadyThere):
            store.create("semantic/a.md", "other")
        assert store.read("semantic/a.md").text == TEXT

    def test_a_file_is_replaced_by_whoever_saw_it(self, store: MarkdownStore) -> None:
        seen = store.create("semantic/a.md", TEXT)
        assert store.replace("semantic/a.md", "new", seen) == stamp_of(b"new")
        assert store.read("semantic/a.md").text == "new"

    @pytest.mark.parametrize("change", ["replace", "move", "remove"])
    def test_nothing_is_changed_by_who_saw_another_text(
        self, store: MarkdownStore, change: str
    ) -> None:
        seen = store.create("semantic/a.md", TEXT)
        self.edit_outside(store, "semantic/a.md", b"by hand")
        rest = {"replace": ["mine"], "move": ["semantic/b.md"], "remove": []}[change]
        with pytest.raises(ChangedMeanwhile):
            getattr(store, change)("semantic/a.md", *rest, seen)
        assert store.read("semantic/a.md").text == "by hand"
        assert not store.exists("semantic/b.md")

    @pytest.mark.parametrize("change", ["replace", "move", "remove"])
    def test_what_is_gone_cannot_be_changed(self, store: MarkdownStore, change: str) -> None:
        rest = {"replace": ["mine"], "move": ["semantic/b.md"], "remove": []}[change]
        with pytest.raises(ChangedMeanwhile):
            getattr(store, change)("semantic/a.md", *rest, stamp_of(b""))
        assert not store.exists("semantic/a.md")

    def test_a_moved_file_is_at_its_new_place_only(self, store: MarkdownStore) -> None:
        seen = store.create("episodic/day/summary.md", TEXT)
        store.move("episodic/day/summary.md", "archive/episodic/day/summary.md", seen)
        assert store.stamp("archive/episodic/day/summary.md") == seen
        assert not store.exists("episodic/day/summary.md")
        assert not store.exists("episodic/day")

    def test_a_file_is_not_moved_onto_another(self, store: MarkdownStore) -> None:
        seen = store.create("semantic/a.md", TEXT)
        store.create("semantic/b.md", "b")
        with pytest.raises(AlreadyThere):
            store.move("semantic/a.md", "semantic/b.md", seen)
        assert store.read("semantic/a.md").text == TEXT
        assert store.read("semantic/b.md").text == "b"

    def test_a_removed_file_is_gone_and_can_come_again(self, store: MarkdownStore) -> None:
        seen = store.create("episodic/day/summary.md", TEXT)
        store.remove("episodic/day/summary.md", seen)
        assert not store.exists("episodic/day")
        with pytest.raises(FileNotThere):
            store.read("episodic/day/summary.md")
        assert store.create("episodic/day/summary.md", TEXT) == seen

    def test_names_are_settled_whether_the_files_are_there_or_gone(
        self, store: MarkdownStore
    ) -> None:
        seen = store.create("episodic/day/summary.md", TEXT)
        store.settle(["episodic/day/summary.md"])
        store.remove("episodic/day/summary.md", seen)
        store.settle(["episodic/day/summary.md"])

    # ---------------------------------------------------------------------------------- names

    @pytest.mark.parametrize("name", OUTSIDE)
    def test_a_name_that_is_none_inside_the_store_is_refused(
        self, store: MarkdownStore, name: str
    ) -> None:
        seen = store.create("semantic/a.md", TEXT)
        for attempt in (
            lambda: store.read(name),
            lambda: store.stamp(name),
            lambda: store.exists(name),
            lambda: store.create(name, "x"),
            lambda: store.replace(name, "x", seen),
            lambda: store.remove(name, seen),
            lambda: store.move(name, "semantic/b.md", seen),
            lambda: store.move("semantic/a.md", name, seen),
        ):
            with pytest.raises(OutsideStore):
                attempt()
        assert [seen.path for seen in store.scan()] == ["semantic/a.md"]

    @pytest.mark.parametrize("name", HARMLESS)
    def test_a_strange_name_is_a_name(self, store: MarkdownStore, name: str) -> None:
        seen = store.create(name, TEXT)
        seen = store.replace(name, "second", seen)
        assert store.read(name).text == "second"
        store.move(name, "semantic/plain.md", seen)
        store.move("semantic/plain.md", name, seen)
        store.remove(name, seen)
        assert not store.exists(name)

    # ------------------------------------------------------------------------------- scanning

    def test_the_scan_shows_memories_by_path_and_nothing_else(self, store: MarkdownStore) -> None:
        memories = [
            "note.md",
            "core/project.md",
            "episodic/day/conversation.md",
            "episodic/day/summary.md",
            "semantic/decisions/a.md",
            "procedural/feedback.md",
            "reference/r.md",
            "archive/semantic/old.md",
        ]
        for path in [*memories, "semantic/.hidden.md", "semantic/.tmp/x.md"]:
            store.create(path, TEXT)
        for view in ("MEMORY.md", "skill-candidates.md", ".index.json"):
            store.write_view(view, "made")
        store.create("sessions/archive/2026-01.md", TEXT)
        assert sorted(seen.path for seen in store.scan()) == sorted(memories)
        assert all(seen.size == len(TEXT) for seen in store.scan())
        others = ["semantic/.hidden.md", "semantic/.tmp/x.md", "semantic/x.txt", "MEMORY.md",
                  ".index.json", "sessions/archive/2026-01.md", "semantic", "none.md", "../x.md"]  # fmt: skip
        looks = {path: store.look(path) for path in [*memories, *others]}
        assert [seen for seen in looks.values() if seen] == sorted(
            store.scan(), key=lambda seen: memories.index(seen.path)
        )

    def test_the_scan_shows_an_edit_that_keeps_size_and_time(self, store: MarkdownStore) -> None:
        store.create("semantic/a.md", "one")
        before = list(store.scan())
        self.edit_outside(store, "semantic/a.md", b"two")
        assert list(store.scan()) != before

    # ------------------------------------------------------------------------------ the rest

    def test_a_view_is_written_when_its_bytes_change_only(self, store: MarkdownStore) -> None:
        assert store.write_view("MEMORY.md", "one")
        assert not store.write_view("MEMORY.md", "one")
        assert store.write_view("MEMORY.md", "two")
        assert store.read("MEMORY.md").text == "two"

    def test_the_lock_is_held_by_one_and_let_go_also_after_an_error(
        self, store: MarkdownStore
    ) -> None:
        with store.locked(), pytest.raises(Locked), store.locked():
            pass
        with pytest.raises(ZeroDivisionError), store.locked():
            raise ZeroDivisionError
        with store.locked():
            pass
