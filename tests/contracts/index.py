"""What every index promises."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.model.document import memory_from_text
from recollect.model.memory import FileStat, Filter, day_of
from recollect.ports import IndexedFile, IndexRow
from recollect.search.index import SqliteIndex
from recollect.search.rank import Candidate
from recollect.store.disk import stamp_of
from recollect.text.tokens import cue_words

from . import inherited
from .queries import HOSTILE

ALL = Filter()
Files = dict[str, str]  # text by path


def row(path: str, text: str) -> IndexRow:
    """A file on its way into the index."""
    data = text.encode("utf-8", "surrogateescape")
    stamp = stamp_of(data)
    n = int(stamp[:8], 16)
    return IndexRow(FileStat(path, len(data), n, n, n), stamp, memory_from_text(text, path))


def page(title: str, body: str = "", **fields: str) -> str:
    """The text of a memory."""
    front = "".join(f"{key.replace('_', '-')}: {value}\n" for key, value in fields.items())
    return f"---\ntitle: {title}\n{front}---\n# {title}\n\n{body}\n"


STORE: Files = {
    "semantic/decisions/use-postgres.md": page(
        "Use PostgreSQL for events",
        "We need JSONB and LISTEN/NOTIFY.\n\n## Reasons\n\nThe queue lost messages.",
        id="use-postgres",
        kind="decision",
        category="technology",
        tags="[postgres, events]",
        files="[src/counter.js]",
        concepts="[event-sourcing]",
        created="2026-01-11T14:30:00Z",
    ),
    "procedural/feedback.md": page(
        "How to work here",
        "## Call the hook with useCallback\n\nIt keeps its identity.\n\n"
        "## Solution: busy\n\nRetry on SQLITE_BUSY.",
        trigger="[busy]",
        created="2026-01-12T09:00:00Z",
    ),
    "semantic/lianjie.md": page(
        "数据库连接", "连接池的大小是二十。", tags="[数据库]", created="2026-01-13T09:00:00Z"
    ),
    "episodic/day/summary.md": page(
        "A day", "We met the walrus.", id="day", session="s-1", created="2026-01-14T09:00:00Z"
    ),
    "episodic/day/conversation.md": "### User [10:00]\n\nWhere is the zebra?\n\n"
    "### Claude [10:01]\n\nIn the stable.\n",
    "archive/semantic/old.md": page("Old habits", "We used CVS once.", id="old"),
    "archive/episodic/past/summary.md": page("A past day", "Nothing much."),
    "archive/episodic/past/conversation.md": "### User [10:00]\n\nWhere is the okapi?\n",
    "semantic/replaced.md": page(
        "Use MySQL for events", "It was there.", status="superseded", created="2025-01-01T00:00:00Z"
    ),
}


def fill(index: SqliteIndex, files: Files) -> None:
    index.apply([row(path, text) for path, text in files.items()], [], 1)


def names(found: Iterable[Candidate]) -> list[str]:
    return [one.name for one in found]


class IndexContract:
    """Subclasses give a fixture `index`, and one `fresh` that makes an empty one each time."""

    def dump(self, index: SqliteIndex) -> object:
        """What an index has inside, as far as it may not depend on its history."""
        return None

    @pytest.fixture
    def full(self, index: SqliteIndex) -> SqliteIndex:
        fill(index, STORE)
        return index

    # ----------------------------------------------------------------------------------- search

    @pytest.mark.parametrize(
        ("words", "name"),
        [
            ("PostgreSQL", "use-postgres"),
            ("jsonb", "use-postgres"),
            ("lost messages", "use-postgres#reasons"),
            ("event-sourcing", "use-postgres"),
            ("counter", "use-postgres"),
            ("use callback", "feedback#call-the-hook-with-usecallback"),
            ("sqlite busy", "feedback#solution-busy"),
            ("SQLITE_BUSY!", "feedback#solution-busy"),
            ("连接", "lianjie"),
            ("数据", "lianjie"),
            ("walrus", "day"),
            ("zebra", "day#turn-1"),
        ],
    )
    def test_what_was_filed_is_found(self, full: SqliteIndex, words: str, name: str) -> None:
        assert name in names(full.search(cue_words(words), only=ALL, limit=10))

    def test_a_title_weighs_more_than_a_body(self, index: SqliteIndex) -> None:
        fill(
            index,
            {
                "semantic/body.md": page("Something else", "The queue is mentioned here."),
                "semantic/title.md": page("The queue", "It is described here."),
                "semantic/none.md": page("Nothing", "of the kind."),
            },
        )
        assert names(index.search(["queue"], only=ALL, limit=10)) == ["title", "body"]

    def test_a_hit_says_where_it_is_and_what_the_file_looked_like(self, full: SqliteIndex) -> None:
        path = "semantic/decisions/use-postgres.md"
        one = full.search(["jsonb"], only=ALL, limit=1)[0]
        seen = row(path, STORE[path]).seen
        assert (one.path, one.size, one.mtime_ns, one.inode) == (path, seen[1], seen[2], seen[4])
        assert (one.title, one.layer, one.kind) == (
            "Use PostgreSQL for events", "semantic", "decision",
        )  # fmt: skip
        assert "JSONB" in one.text

    def test_no_more_are_given_than_were_asked_for(self, full: SqliteIndex) -> None:
        assert len(full.search(cue_words("use the day"), only=ALL, limit=2)) <= 2

    @pytest.mark.parametrize("part", range(10))
    @pytest.mark.sampled(1)
    def test_a_query_is_data_whatever_it_says(self, full: SqliteIndex, part: int) -> None:
        assert len(HOSTILE) >= 300
        for query in HOSTILE[part::10]:
            for only in (ALL, Filter(archived=True), Filter(kind="decision", tags=(query,))):
                assert {
                    one.path for one in full.search(cue_words(query), only=only, limit=5)
                } <= set(STORE)
            assert {one.path for one in full.recall_candidates(cue_words(query))[0]} <= set(STORE)
            assert full.by_ids([query]) == []
            assert full.entry(query) is None
            odd = query or "x"
            assert full.entries(Filter(sessions=(odd,), file=odd, concept=odd, since=odd)) == []
            assert full.entries_of_session(odd) == []

    def test_recall_considers_hot_sections_alone(self, full: SqliteIndex) -> None:
        found, counts, total = full.recall_candidates(["jsonb", "zebra", "postgres"])
        assert "use-postgres" in {one.id for one in found}
        assert not [one for one in found if one.path.endswith("/conversation.md")]
        assert counts["jsonb"] == 1
        assert total >= len({one.name for one in found})
        assert full.recall_candidates([])[:2] == ([], {})

    def test_a_snapshot_may_be_inside_another_and_writing_goes_on_behind_it(
        self, full: SqliteIndex
    ) -> None:
        with full.snapshot():
            with full.snapshot():
                assert names(full.search(["jsonb"], only=ALL, limit=1)) == ["use-postgres"]
            assert names(full.by_ids(["day"])) == ["day"]
        fill(full, {"semantic/more.md": page("More", "An aardvark.")})
        assert names(full.search(["aardvark"], only=ALL, limit=1)) == ["more"]

    # ---------------------------------------------------------------------------------- filters

    @pytest.mark.parametrize(
        ("only", "ids"),
        [
            (ALL, ["day", "feedback", "lianjie", "replaced", "use-postgres"]),
            (Filter(layer="procedural"), ["feedback"]),
            (Filter(kind="decision"), ["use-postgres"]),
            (Filter(kind="solution"), ["feedback"]),
            (Filter(category="technology"), ["use-postgres"]),
            (Filter(tags=("Events",)), ["use-postgres"]),
            (Filter(tags=("events", "none")), []),
            (Filter(tags=("event",)), ["use-postgres"]),
            (Filter(tags=("eve",)), []),
            (Filter(tags=("数据库",)), ["lianjie"]),
            (Filter(concept="Event-Sourcing"), ["use-postgres"]),
            (Filter(file="counter"), ["use-postgres"]),
            (Filter(sessions=("s-1",)), ["day"]),
            (Filter(since="2026-01-13"), ["day", "lianjie"]),
            (Filter(until="2026-01-12"), ["replaced", "use-postgres"]),
            (Filter(superseded=False), ["day", "feedback", "lianjie", "use-postgres"]),
            (Filter(archived=True), ["old", "past"]),
        ],
    )
    def test_a_filter_lets_through_what_it_names(
        self, full: SqliteIndex, only: Filter, ids: list[str]
    ) -> None:
        assert sorted(entry.id for entry in full.entries(only)) == ids
        found = full.search(
            cue_words("use we a day old habits 连接 work callback busy"), only=only, limit=50
        )
        assert {one.id for one in found} <= set(ids)

    @pytest.mark.parametrize(
        "said", ["Équipe", "équipe", "ÉQUIPE", "Жук", "жук", "ＡＰＩ", "ａｐｉ"]
    )
    def test_a_filter_takes_no_heed_of_capitals_in_any_script(
        self, index: SqliteIndex, said: str
    ) -> None:
        words = "[Équipe, ЖУК, ＡＰＩ]"
        front = {"tags": words, "concepts": words, "files": "[src/Équipe/ЖУК/ＡＰＩ.py]"}
        fill(index, {"semantic/one.md": page("One", "A queue.", **front)})
        for only in (Filter(tags=(said,)), Filter(concept=said), Filter(file=said)):
            assert [entry.id for entry in index.entries(only)] == ["one"]
            assert names(index.search(["queue"], only=only, limit=3)) == ["one"]

    @pytest.mark.parametrize(
        ("words", "only", "ids"),
        [
            ("events", Filter(superseded=False), ["use-postgres"]),
            ("events", ALL, ["replaced", "use-postgres"]),
            ("cvs habits", ALL, []),
            ("cvs habits", Filter(archived=True), ["old"]),
            ("okapi", ALL, []),
            ("okapi", Filter(archived=True), ["past"]),
            ("zebra", Filter(archived=True), []),
            ("busy", Filter(kind="solution"), ["feedback"]),
            ("identity", Filter(kind="solution"), []),
        ],
    )
    def test_a_search_keeps_to_its_filter(
        self, full: SqliteIndex, words: str, only: Filter, ids: list[str]
    ) -> None:
        assert sorted({one.id for one in full.search(cue_words(words), only=only, limit=10)}) == ids

    def test_a_filter_finds_the_one_in_a_crowd(self, index: SqliteIndex) -> None:
        files = {f"semantic/m{n}.md": page(f"Queue {n}", "queue queue") for n in range(60)}
        files["semantic/needle.md"] = page("Other", "A queue.", tags="[needle]")
        fill(index, files)
        assert names(index.search(["queue"], only=Filter(tags=("needle",)), limit=3)) == ["needle"]
        assert "needle" not in names(index.search(["queue"], only=ALL, limit=3))

    # ---------------------------------------------------------------------------------- entries

    def test_entries_come_newest_first_and_tell_what_the_file_says(self, full: SqliteIndex) -> None:
        found = full.entries(ALL)
        assert [e.id for e in found] == ["day", "lianjie", "feedback", "use-postgres", "replaced"]
        assert found[3].tags == ("postgres", "events")
        assert found[3].stamp == stamp_of(STORE[found[3].path].encode())
        assert [e.id for e in full.entries_of_session("s-1")] == ["day"]
        assert full.entries_of_session("s-2") == []

    def test_an_archived_memory_is_found_by_its_id(self, full: SqliteIndex) -> None:
        old = full.entry("old")
        assert old is not None
        assert old.path == "archive/semantic/old.md"
        assert full.entry("nobody") is None

    def test_the_memories_of_a_time_are_given_episodes_first(self, index: SqliteIndex) -> None:
        pages = {
            "semantic/a.md": page("A", created="2026-03-05T10:00:00Z"),
            "episodic/b.md": page("B", "## One\n\nTwo.", created="2026-03-07T10:00:00Z"),
            "episodic/c.md": page("C", created="2026-03-08T10:00:00Z"),
            "episodic/d.md": page("D", created="2026-04-08T10:00:00Z"),
            "archive/episodic/e.md": page("E", created="2026-03-05T10:00:00Z"),
            "episodic/f/conversation.md": "### User [10:00]\n\nHello\n",
        }
        index.apply([row(path, text) for path, text in pages.items()], (), 1)
        march = (day_of("2026-03-01"), day_of("2026-03-31"))
        assert [one.name for one in index.dated(march, ALL)] == ["c", "b#one", "a"]
        assert [one.id for one in index.dated(march, Filter(layer="semantic"))] == ["a"]
        assert [one.id for one in index.dated(march, Filter(archived=True))] == ["e"]
        assert index.dated((1, 2), ALL) == []

    def test_the_turns_beside_a_turn_are_those_of_its_conversation(
        self, index: SqliteIndex
    ) -> None:
        words = "zebra okapi gnu ibex yak".split()
        said = "".join(f"### User [10:00]\n\n{word}\n\n" for word in words)
        fill(index, {f"episodic/{day}/conversation.md": said for day in ("a", "b")})
        for asked, wanted in (("zebra", {1, 2}), ("gnu", {1, 3, 4}), ("yak", {3})):
            turns = index.search(cue_words(asked), only=ALL, limit=5)
            assert {one.id for one in turns} == {"a", "b"}
            beside = index.beside(turns)
            assert {(one.id, one.anchor) for one in beside} == {
                (day, f"turn-{n + 1}") for day in ("a", "b") for n in wanted
            }
            assert {one.text_score for one in beside} == {0.0}

    def test_a_fact_is_known_by_its_number(self, index: SqliteIndex) -> None:
        files = {
            "semantic/decisions/d001-use-redis.md": page("Use Redis"),
            "archive/semantic/decisions/d002-use-cvs.md": page("Use CVS"),
            "semantic/d0010-more.md": page("More"),
            "semantic/i001.md": page("The very name"),
            "semantic/issues/i001-leak.md": page("It leaks"),
        }
        fill(index, files)
        asked = ("d001", "D001", "d002", "i001", "d003", "d00", "d001-use", "d001-*")
        found = [entry.title if (entry := index.entry(name)) else "" for name in asked]
        assert found == ["Use Redis", "Use Redis", "Use CVS", "The very name", "", "", "", ""]

    def test_the_first_section_is_given_for_an_id(self, full: SqliteIndex) -> None:
        assert names(full.by_ids(["use-postgres", "nobody", "old"])) == ["use-postgres"]

    def test_it_counts_what_it_has(self, full: SqliteIndex) -> None:
        counts = full.counts()
        assert (counts["files"], counts["memories"]) == (len(STORE), 5)
        assert (counts["archived"], counts["conversations"]) == (2, 2)
        assert full.recall_candidates(["jsonb", "walrus", "zebra", "cvs"])[1] == {
            "jsonb": 1, "walrus": 1, "zebra": 0, "cvs": 0,
        }  # fmt: skip

    # ------------------------------------------------------------------------------- same names

    def test_of_two_files_with_one_id_the_one_named_so_has_it(self, index: SqliteIndex) -> None:
        fill(
            index, {"semantic/a-copy.md": page("One", id="x"), "semantic/x.md": page("Two", id="x")}
        )
        entry = index.entry("x")
        assert entry is not None
        assert entry.path == "semantic/x.md"
        ids = [e.id for e in index.entries(ALL)]
        assert len(set(ids)) == 2
        assert all(index.entry(name) for name in ids)

    def test_an_id_that_is_free_again_goes_to_the_one_that_claims_it(
        self, index: SqliteIndex
    ) -> None:
        fill(index, {"semantic/a.md": page("One", id="x"), "semantic/x.md": page("Two", id="x")})
        index.apply([], ["semantic/x.md"], 2)
        assert [e.id for e in index.entries(ALL)] == ["x"]
        fill(index, {"semantic/a.md": page("One", id="y")})
        assert [e.id for e in index.entries(ALL)] == ["y"]

    def test_a_conversation_goes_by_the_id_of_its_memory(self, index: SqliteIndex) -> None:
        talk = {"episodic/day/conversation.md": STORE["episodic/day/conversation.md"]}
        fill(index, talk)
        assert names(index.search(["zebra"], only=ALL, limit=1)) == ["day#turn-1"]
        assert index.entry("day") is None
        fill(index, {"episodic/day/summary.md": page("A day", id="other")})
        assert names(index.search(["zebra"], only=ALL, limit=1)) == ["other#turn-1"]

    def test_a_conversation_is_of_the_day_of_its_memory(self, index: SqliteIndex) -> None:
        fill(index, {"episodic/day/conversation.md": STORE["episodic/day/conversation.md"]})
        assert [one.day for one in index.search(["zebra"], only=ALL, limit=1)] == [0]
        day = page("A day", id="day", created="2026-03-05T10:00:00Z")
        fill(index, {"episodic/day/summary.md": day})
        (one,) = index.search(["zebra"], only=ALL, limit=1)
        assert (one.created, one.day) == ("2026-03-05T10:00:00Z", day_of("2026-03-05"))

    # ---------------------------------------------------------------------------------- changes

    def test_it_knows_what_it_was_given(self, full: SqliteIndex) -> None:
        wanted = {
            path: IndexedFile(*row(path, text).seen, row(path, text).stamp, 1)
            for path, text in STORE.items()
        }
        assert full.known() == wanted

    def test_a_row_without_a_memory_changes_what_the_file_looks_like_only(
        self, full: SqliteIndex
    ) -> None:
        path = "semantic/lianjie.md"
        old = row(path, STORE[path])
        new = IndexRow(old.seen._replace(mtime_ns=7, inode=8), old.stamp, None)
        full.apply([new], [], 99)
        assert full.known()[path] == IndexedFile(*new.seen, old.stamp, 99)
        assert names(full.search(cue_words("连接"), only=ALL, limit=1)) == ["lianjie"]

    def test_whose_words_a_file_has_is_filed_with_them(self, full: SqliteIndex) -> None:
        """Of two processes that differ in it, the last one's answer and its mark go together."""
        path = "semantic/lianjie.md"
        own = row(path, STORE[path])
        for is_doubted, trust in ((True, "external"), (True, "external"), (False, "user")):
            assert own.memory
            memory = own.memory._replace(trust=trust)
            full.apply([own._replace(memory=memory, is_doubted=is_doubted)], [], 1)
            full.apply([own._replace(memory=None)], [], 2)  # it looked otherwise
            [found] = full.search(cue_words("连接"), only=ALL, limit=1)
            assert (found.trust, full.known()[path].is_doubted) == (trust, is_doubted)

    def test_a_row_without_a_memory_is_none_where_the_index_was_begun_anew(
        self, full: SqliteIndex
    ) -> None:
        path = "semantic/lianjie.md"
        seen, stamp = row(path, STORE[path]).seen, full.known()[path].stamp
        full.wipe()
        full.apply([IndexRow(seen, stamp, None)], [], 99)
        assert path not in full.known()  # so that the next refresh reads it
        fill(full, STORE)
        full.apply([IndexRow(seen, "another", None)], [], 99)
        assert full.known()[path].stamp == stamp

    def test_a_replaced_text_leaves_nothing_behind(self, full: SqliteIndex) -> None:
        path = "semantic/decisions/use-postgres.md"
        fill(full, {path: page("Use carrier pigeons", "They fly.", id="use-postgres")})
        assert full.search(cue_words("jsonb queue messages postgres"), only=ALL, limit=10) == []
        assert full.recall_candidates(["jsonb", "postgres", "pigeons"])[1] == {
            "jsonb": 0, "postgres": 0, "pigeons": 1,
        }  # fmt: skip
        assert full.differences() == []

    def test_a_removed_file_leaves_nothing_behind(self, full: SqliteIndex) -> None:
        full.apply([], list(STORE), 2)
        assert set(full.counts().values()) == {0}
        assert full.known() == {}
        for words in ("jsonb", "连接", "zebra"):
            assert full.search(cue_words(words), only=ALL, limit=10) == []
        assert full.recall_candidates(["jsonb", "walrus"]) == ([], {"jsonb": 0, "walrus": 0}, 0)
        assert full.differences() == []

    def test_a_wiped_index_is_full_again_after_everything_was_filed(
        self, full: SqliteIndex
    ) -> None:
        before = full.entries(ALL)
        full.set_meta({"key": "value"})
        full.wipe()
        assert full.known() == {}
        fill(full, {path: text for path, text in STORE.items() if "old" not in path})
        assert full.entries(ALL) == before
        assert full.entry("old") is None
        assert full.meta("key") == ""
        assert full.differences() == []

    def test_values_left_for_readers_are_kept(self, index: SqliteIndex) -> None:
        assert index.meta("a") == ""
        index.set_meta({"a": "1", "b": "二"})
        index.set_meta({"a": "2"})
        assert (index.meta("a"), index.meta("b")) == ("2", "二")

    @pytest.mark.slow
    @settings(inherited)
    @given(data=st.data())
    def test_built_step_by_step_it_is_as_built_at_once(
        self, fresh: Callable[[], SqliteIndex], data: st.DataObject
    ) -> None:
        step_by_step, at_once = fresh(), fresh()
        files: Files = {}
        for _ in range(data.draw(st.integers(1, 5))):
            changed = data.draw(st.dictionaries(PATHS, TEXTS, max_size=4))
            gone = data.draw(st.lists(PATHS, max_size=2))
            left = [path for path in gone if path not in changed]
            step_by_step.apply([row(p, t) for p, t in changed.items()], left, 1)
            files = {p: t for p, t in files.items() if p not in left} | changed
        at_once.apply([row(path, text) for path, text in sorted(files.items())], [], 1)
        assert answers(step_by_step) == answers(at_once)
        assert step_by_step.known() == at_once.known()
        assert self.dump(step_by_step) == self.dump(at_once)
        assert step_by_step.differences() == []
        step_by_step.close()
        at_once.close()


PATHS = st.sampled_from(
    [
        "semantic/x.md",
        "semantic/a.md",
        "semantic/decisions/x.md",
        "archive/semantic/x.md",
        "episodic/x/summary.md",
        "episodic/x/conversation.md",
        "procedural/feedback.md",
    ]
)
WORDS = (
    "queue",
    "useCallback",
    "SQLITE_BUSY",
    "数据库连接",
    "running",
    "C++",
    "don't",
    "\udcff",
    "a\0b",
)
TEXTS = st.builds(
    lambda title, body, front: page(title, body, **front) if front is not None else body,
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join),
    st.lists(
        st.sampled_from([*WORDS, "\n\n## One\n\n", "\n\n## Two\n\n", "\n### User [10:00]\n\n"]),
        max_size=8,
    ).map(" ".join),
    st.none()
    | st.fixed_dictionaries(
        {}, optional={"id": st.sampled_from(["x", "a"]), "tags": st.just("[q, 连接]")}
    ),
)


def answers(index: SqliteIndex) -> object:
    """All that an index says, as far as it may not depend on its history."""
    asked = [*WORDS[:6], "q", "连接", "run", "cplusplus"]
    return (
        [index.entries(only) for only in (ALL, Filter(archived=True))],
        [index.entry(name) for name in ("x", "a", "feedback", "summary")],
        index.recall_candidates([word.lower() for word in asked])[1:],
        [
            sorted((one.name, one.path, one.text, one.trust) for one in found)
            for found in (index.search(cue_words(word), only=ALL, limit=99) for word in asked)
        ],
        index.counts(),
    )
