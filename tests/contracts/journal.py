"""What every journal promises."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.model.memory import Op
from recollect.store.disk import stamp_of
from recollect.store.journal import FolderJournal, Hidden

from . import inherited

_NUMBERS = count()


def op(path: str = "semantic/a.md", text: str | None = "text", **fields: object) -> Op:
    """An op that puts `text` at `path`, alone in its group unless `fields` say otherwise."""
    n = next(_NUMBERS)
    made = Op(
        op="put",
        op_id=f"op-{n}",
        group=f"group-{n}",
        of=1,
        seq=n + 1,
        time="2026-01-11T14:30:00Z",
        writer="ops-a",
        cause="save",
        memory="a",
        path=path,
        before=None,
        after=None if text is None else stamp_of(text.encode("utf-8", "surrogatepass")),
        text=text,
    )
    return made._replace(**fields)  # type: ignore[arg-type]


def group(*texts: str) -> list[Op]:
    """The ops of one group, a file for each text."""
    name = f"group-of-{next(_NUMBERS)}"
    return [op(f"semantic/{t}.md", t, group=name, of=len(texts)) for t in texts]


Writers = Callable[[str], FolderJournal]


class JournalContract:
    """Subclasses give a fixture `journals`: the journal of each writer of one store."""

    @pytest.fixture
    def journal(self, journals: Writers) -> FolderJournal:
        return journals("ops-a")

    # ------------------------------------------------------------------------ reading, writing

    @inherited
    @given(text=st.text(st.characters(codec=None), max_size=60), path=st.text(max_size=20))
    def test_an_op_comes_back_as_it_was(self, journal: FolderJournal, text: str, path: str) -> None:
        written = op(path, text, cause="set", undoes="group-0", before="1" * 32)
        journal.append([written])
        assert journal.ops()[-1] == written

    def test_ops_come_in_the_order_of_their_numbers_whoever_wrote_them_and_when(
        self, journals: Writers
    ) -> None:
        one, two, three, four = (op() for _ in range(4))
        journals("ops-b").append([two._replace(writer="ops-b", time="1999-01-01T00:00:00Z")])
        journals("ops-a").append([four])
        journals("ops-b").append([three._replace(writer="ops-b")])
        journals("ops-a").append([one])
        found = journals("ops-c").ops()
        assert [o.seq for o in found] == [one.seq, two.seq, three.seq, four.seq]

    def test_the_next_number_is_after_all_that_are_there(self, journals: Writers) -> None:
        assert journals("ops-a").next_seq() == 1
        journals("ops-a").append([op(seq=40)])
        journals("ops-b").append([op(seq=7, text="x" * 20_000)])
        assert journals("ops-b").next_seq() == 41

    # --------------------------------------------------------------------------------- groups

    def test_a_group_holds_when_all_of_it_is_there(self, journal: FolderJournal) -> None:
        ops = group("one", "two", "three")
        journal.append(ops[:2])
        assert journal.ops() == []
        assert journal.unsettled({})[0] == []
        journal.append(ops[2:])
        assert journal.ops() == ops
        assert journal.unsettled({})[0] == ops

    def test_an_op_that_came_twice_holds_once(self, journal: FolderJournal) -> None:
        ops = group("one", "two")
        journal.append(ops)
        journal.append(ops)
        assert journal.ops() == ops

    def test_a_group_that_was_done_is_settled_and_holds(self, journal: FolderJournal) -> None:
        ops = group("one", "two")
        journal.append(ops)
        journal.settle(ops[0].group, ops[-1].seq, applied=True)
        assert journal.unsettled({})[0] == []
        assert journal.ops() == ops

    def test_a_void_group_is_settled_and_does_not_hold(self, journal: FolderJournal) -> None:
        ops = group("one", "two")
        journal.append(ops)
        journal.settle(ops[0].group, ops[-1].seq, applied=False)
        assert journal.unsettled({})[0] == []
        assert journal.ops() == []

    def test_a_group_is_settled_by_whoever_finished_it(self, journals: Writers) -> None:
        """A crash in January, the next command in February: it writes to another file."""
        ops = group("one", "two")
        journals("ops-2026-01").append(ops)
        _, offsets = journals("ops-2026-02").unsettled({})
        journals("ops-2026-02").settle(ops[0].group, ops[-1].seq, applied=True)
        assert journals("ops-2026-02").unsettled(offsets)[0] == []
        assert journals("ops-2026-03").unsettled({})[0] == []

    def test_what_is_unsettled_stays_so_until_it_is_settled(self, journal: FolderJournal) -> None:
        first, second = op(), op()
        journal.append([first])
        found, offsets = journal.unsettled({})
        assert found == [first]
        journal.append([second])
        found, offsets = journal.unsettled(offsets)
        assert found == [first, second]
        journal.settle(second.group, second.seq, applied=True)
        found, offsets = journal.unsettled(offsets)
        assert found == [first]
        journal.settle(first.group, first.seq, applied=False)
        found, offsets = journal.unsettled(offsets)
        assert found == []
        third = op()
        journal.append([third])
        assert journal.unsettled(offsets)[0] == [third]

    def test_a_group_that_was_taken_back_was_never_there(self, journal: FolderJournal) -> None:
        kept = op()
        journal.append([kept])
        journal.append(group("one", "two"))
        journal.take_back()
        assert journal.ops() == [kept]
        assert journal.unsettled({})[0] == [kept]
        assert journal.text_of(stamp_of(b"one")) is None
        journal.append(after := group("three"))
        assert journal.ops() == [kept, *after]

    # ---------------------------------------------------------------------------------- texts

    def test_a_text_is_found_by_its_stamp(self, journals: Writers) -> None:
        journals("ops-a").append([op(text="one"), op(text='a "quoted" \\n two')])
        journals("ops-b").append([op(text="")])
        for text in ("one", 'a "quoted" \\n two', ""):
            assert journals("ops-c").text_of(stamp_of(text.encode())) == text
        assert journals("ops-c").text_of(stamp_of(b"three")) is None
        assert journals("ops-c").text_of("") is None

    def test_the_ops_about_a_file_or_a_memory_come_newest_first(self, journals: Writers) -> None:
        one, two = journals("ops-a"), journals("ops-b")
        first = op("semantic/a.md", "1", seq=1, memory="a")
        moved = op('semantic/键 "x".md', "2", seq=3, memory="a")
        escaped = op('semantic/键 "x".md', "\udc80", seq=5, memory="c")
        other = op("semantic/b.md", 'says "path":"semantic/a.md"', seq=2, memory="b")
        void = op("semantic/a.md", "never", seq=4, memory="a")
        one.append([moved])
        two.append([first])
        two.append([other])
        two.append([void])
        two.append([escaped])
        two.settle(void.group, void.seq, applied=False)
        assert one.ops_about("path", "semantic/a.md") == [first]
        assert one.ops_about("memory", "a") == [moved, first]
        assert one.ops_about("path", moved.path) == [escaped, moved]
        assert one.ops_about("memory", "none") == []

    @pytest.mark.parametrize("lost", ["void", "half", "moved"])
    def test_a_text_of_no_op_that_holds_is_not_found(
        self, journal: FolderJournal, lost: str
    ) -> None:
        ops = group("one", "two")
        if lost == "half":
            journal.append(ops[:1])
        elif lost == "void":
            journal.append(ops)
            journal.settle(ops[0].group, ops[-1].seq, applied=False)
        else:
            stamp = stamp_of(b"one")
            journal.append([op(op="move", text=None, before=stamp, after=stamp, to="x.md")])
        assert journal.text_of(stamp_of(b"one")) is None

    def test_a_text_is_found_where_one_of_two_ops_holds(self, journal: FolderJournal) -> None:
        lost, kept = op(text="one"), op(text="one")
        journal.append([lost])
        journal.settle(lost.group, lost.seq, applied=False)
        journal.append([kept])
        assert journal.text_of(stamp_of(b"one")) == "one"

    def test_the_heads_are_the_ops_without_their_texts(self, journal: FolderJournal) -> None:
        journal.append(group("one", "two"))
        journal.append([op(op="move", text=None, before="1" * 32, after="1" * 32, to="x.md")])
        journal.append(group("three")[:1])
        journal.append(void := group("four"))
        journal.settle(void[0].group, void[-1].seq, applied=False)
        assert journal.heads() == [one._replace(text=None) for one in journal.ops()]

    def test_with_the_heads_is_told_what_is_new_in_each_text(self, journals: Writers) -> None:
        lines = [f"Line {n} of a text that is long enough to be taken over.\n" for n in range(40)]
        first = op("semantic/a.md", "".join(lines))
        grown = op("semantic/a.md", "".join([*lines, "And one more.\n"]), before=first.after)
        void = op("semantic/b.md", "never")
        for one in (first, grown, void):
            journals(one.writer).append([one])
        journals("ops-a").settle(void.group, void.seq, applied=False)
        journals("ops-b").append([op(op="move", text=None, after="1" * 32, to="x.md")])
        told: dict[str, list[str]] = {}
        heads = journals("ops-c").heads(
            lambda one, new: told.__setitem__(one.op_id, new.splitlines(keepends=True))
        )
        assert heads == journals("ops-c").heads()
        assert set(told) == {first.op_id, grown.op_id, void.op_id}
        assert told[first.op_id] == lines
        assert set(told[grown.op_id]) - set(lines) == {"And one more.\n"}

    def test_what_is_forgotten_is_gone_and_everything_else_stays(self, journals: Writers) -> None:
        journals("ops-a").append(first := group("one", "two"))
        journals("ops-a").append(gone := group("gone"))
        journals("ops-a").settle(gone[0].group, gone[-1].seq, applied=True)
        journals("ops-b").append(last := group("three"))
        before = [one for one in journals("ops-c").heads() if one not in _heads(gone)]
        texts = {stamp_of(b"two"), stamp_of(b"three"), stamp_of(b"gone")}
        journals("ops-a").forget(texts, {first[0].group, last[0].group})
        after = journals("ops-c")
        assert [one.text for one in after.ops()] == [None, "two", "three"]
        assert after.heads() == before
        assert [one.group for one in after.unsettled({})[0]] == [one.group for one in after.ops()]
        assert after.text_of(stamp_of(b"gone")) is None
        assert after.text_of(stamp_of(b"one")) is None
        assert after.text_of(stamp_of(b"three")) == "three"
        later = op(text="later", seq=after.next_seq())
        journals("ops-a").append([later])
        assert after.ops()[-1] == later
        assert after.problems == []

    # --------------------------------------------------------------------------------- purging

    def test_purging_takes_every_text_that_a_file_had_and_no_other(
        self, journal: FolderJournal
    ) -> None:
        mine = _life_of_a_file("secret")
        voided = op("archive/semantic/a.md", "secret voided")
        other = op("semantic/other.md", "public")
        journal.append([other])
        for one in (*mine, voided):
            journal.append([one])
        journal.settle(voided.group, voided.seq, applied=False)
        before = journal.ops()
        assert journal.purge("archive/semantic/a.md") >= 2
        assert [o.op_id for o in journal.ops()] == [o.op_id for o in before]
        assert [o.text for o in journal.ops() if o.text is not None] == ["public"]
        for text in ("secret one", "secret two", "secret voided"):
            assert journal.text_of(stamp_of(text.encode())) is None
        assert journal.purge("archive/semantic/a.md") == 0

    def test_purging_leaves_the_memory_that_had_the_name_before(
        self, journal: FolderJournal
    ) -> None:
        for one in (*_life_of_a_file("old")[:3], op("semantic/a.md", "new")):
            journal.append([one])
        journal.purge("semantic/a.md")
        texts = [o.text for o in journal.ops() if o.text is not None]
        assert texts == ["old one", "old two"]

    def test_a_file_can_be_purged_under_another_name_up_to_an_op(
        self, journal: FolderJournal
    ) -> None:
        first = op("semantic/plain-name.md", "secret", memory="plain-name")
        gone = op(
            "semantic/plain-name.md", None, op="remove", before=first.after, memory="plain-name"
        )
        later = op("semantic/plain-name.md", "another memory", memory="plain-name")
        for one in (first, gone, later):
            journal.append([one])
        journal.purge("semantic/plain-name.md", Hidden("x", "hidden/x", gone.seq))
        assert [(o.memory, o.path, o.text) for o in journal.ops()] == [
            ("x", "hidden/x.md", None),
            ("x", "hidden/x.md", None),
            ("plain-name", "semantic/plain-name.md", "another memory"),
        ]
        assert [o.op_id for o in journal.ops_about("memory", "x")] == [gone.op_id, first.op_id]

    def test_the_journal_goes_on_after_a_purge(self, journal: FolderJournal) -> None:
        journal.append([op("semantic/a.md", "secret" * 100)])
        _, offsets = journal.unsettled({})
        journal.purge("semantic/a.md")
        seq = journal.next_seq()
        later = op("semantic/b.md", "later", seq=seq)
        journal.append([later])
        assert later in journal.unsettled(offsets)[0]
        assert journal.next_seq() == seq + 1


def _heads(ops: Sequence[Op]) -> list[Op]:
    return [one._replace(text=None) for one in ops]


def _life_of_a_file(word: str) -> Sequence[Op]:
    """Made, changed, moved to the archive, and removed there."""
    one, two = f"{word} one", f"{word} two"
    first, last = stamp_of(one.encode()), stamp_of(two.encode())
    return (
        op("semantic/a.md", one),
        op("semantic/a.md", two, before=first),
        op("semantic/a.md", None, op="move", before=last, after=last, to="archive/semantic/a.md"),
        op("archive/semantic/a.md", None, op="remove", before=last),
    )
