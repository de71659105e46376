"""The journal of files that are changed again and again: small, and every text still there."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.model.memory import Op
from recollect.store.disk import stamp_of
from recollect.store.journal import FolderJournal

from .journal import op

PAGE = "semantic/a.md"


@pytest.fixture
def journal(tmp_path: Path) -> FolderJournal:
    return FolderJournal(str(tmp_path), "ops-a")


def page_of(journal: FolderJournal) -> Path:
    return Path(journal.folder) / f"{journal.writer}.jsonl"


def stamp(text: str) -> str:
    return stamp_of(text.encode("utf-8", "surrogatepass"))


def written(journal: FolderJournal, texts: Sequence[str], path: str = PAGE) -> list[Op]:
    """One put after the other, as a command writes them: settled each."""
    made: list[Op] = []
    for text in texts:
        before = made[-1].after if made else None
        one = op(path, text, before=before, after=stamp(text), seq=journal.next_seq())
        journal.append([one])
        journal.settle(one.group, one.seq, applied=True)
        made.append(one)
    return made


def growing(n: int) -> list[str]:
    """A file that gets a section and a new date again and again."""
    sections = [f"## Rule {i}\n\nDo the thing number {i}, and mind the step.\n" for i in range(n)]
    return [f"---\nupdated: {i}\n---\n" + "\n".join(sections[: i + 1]) for i in range(n)]


def reopened(journal: FolderJournal) -> FolderJournal:
    return FolderJournal(str(Path(journal.folder).parent), journal.writer)


@pytest.mark.slow
def test_a_file_that_grows_line_by_line_costs_a_few_times_its_size(journal: FolderJournal) -> None:
    texts = growing(400)
    ops = written(journal, texts)
    size = page_of(journal).stat().st_size
    assert size < sum(map(len, texts)) / 12
    assert journal.ops() == ops
    assert reopened(journal).ops() == ops
    for one in ops[::37]:
        assert one.after
        assert reopened(journal).text_of(one.after) == one.text == journal.text_of(one.after)


@pytest.mark.slow
@given(
    texts=st.lists(
        st.lists(
            st.sampled_from([f"Sentence {n} of some length.\n" for n in range(30)]), min_size=40
        ).map("".join),
        min_size=2,
        max_size=5,
        unique=True,
    ),
    odd=st.text(st.characters(codec=None), max_size=5),
)
def test_every_text_comes_back_however_it_is_written(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], odd: str
) -> None:
    journal = FolderJournal(str(tmp_path_factory.mktemp("store")), "ops-a")
    ops = written(journal, [odd + text for text in texts])
    assert reopened(journal).ops() == ops
    assert reopened(journal).unsettled({})[0] == []
    assert [o.text for o in reopened(journal).ops_about("path", PAGE)] == [
        one.text for one in reversed(ops)
    ]


def test_what_is_unsettled_comes_with_its_text_from_any_offset(journal: FolderJournal) -> None:
    texts = growing(40)
    written(journal, texts[:-1])
    _, offsets = journal.unsettled({})
    last = op(PAGE, texts[-1], before=stamp(texts[-2]), after=stamp(texts[-1]), seq=99)
    journal.append([last])
    assert b'"parts"' in page_of(journal).read_bytes().splitlines()[-1]
    assert reopened(journal).unsettled(offsets)[0] == [last]


def test_a_text_builds_on_its_own_file_only(journal: FolderJournal) -> None:
    """A purge of the other file must not take anything along."""
    texts = growing(40)
    written(journal, texts[:-1])
    twin = op(
        "semantic/twin.md", texts[-1], before=stamp(texts[-2]), after=stamp(texts[-1]), seq=99
    )
    journal.append([twin])
    assert journal.purge(PAGE) > 0
    assert reopened(journal).text_of(stamp(texts[-1])) == texts[-1]


def test_a_purge_leaves_no_word_of_a_file_that_was_written_by_differences(
    journal: FolderJournal,
) -> None:
    texts = growing(60)
    ops = written(journal, texts)
    kept = written(journal, ["Kept. " * 300], "semantic/b.md")
    assert journal.purge(PAGE) == len(texts)
    assert b"mind the step" not in page_of(journal).read_bytes()
    assert journal.text_of(ops[-1].after or "") is None
    assert journal.text_of(kept[-1].after or "") == kept[-1].text
    assert [one.text for one in journal.ops()] == [None] * len(ops) + [kept[0].text]


def test_single_texts_are_taken_out_and_those_that_build_on_them_stay(
    journal: FolderJournal,
) -> None:
    texts = growing(60)
    ops = written(journal, texts)
    said = "and mind the step.\n\n## Rule 21\n"
    chosen = [one.op_id for one in ops[20:25]]
    lines = page_of(journal).read_bytes().splitlines()
    assert sum(b'"parts"' in raw for raw in lines) > len(chosen)
    assert journal.purge_texts(lambda every: chosen) == len(chosen)
    for each in (journal, reopened(journal)):
        wanted = [None if one.op_id in chosen else one.text for one in ops]
        assert [one.text for one in each.ops()] == wanted
        assert each.problems == []
    assert journal.purge_texts(lambda every: [o.op_id for o in every if said in (o.text or "")])
    assert b"## Rule 21" not in page_of(journal).read_bytes()
    assert [one.text for one in journal.ops()][:20] == texts[:20]


def test_a_group_that_was_taken_back_is_built_on_by_nothing(journal: FolderJournal) -> None:
    texts = growing(40)
    written(journal, texts[:-2])
    before = stamp(texts[-3])
    wrong = op(PAGE, "wrong " * 900, before=before, after=stamp("wrong " * 900), seq=77)
    journal.append([wrong])
    assert journal.text_of(wrong.after or "") == wrong.text
    journal.take_back()
    right = op(PAGE, texts[-1], before=before, after=stamp(texts[-1]), seq=78)
    journal.append([right])
    assert journal.text_of(wrong.after or "") is None
    assert reopened(journal).ops()[-1] == right == journal.ops()[-1]


def test_a_damaged_line_takes_along_what_builds_on_it_and_nothing_else(
    journal: FolderJournal,
) -> None:
    ops = written(journal, growing(120))
    lines = page_of(journal).read_bytes().splitlines(keepends=True)
    (first, second, third) = [n for n, raw in enumerate(lines) if b'"text"' in raw][:3]
    assert third > second > first
    lines[second] = lines[second].replace(b"mind", b"mine", 1)
    page_of(journal).write_bytes(b"".join(lines))
    texts = {one.op_id: one.text for one in reopened(journal).ops()}
    lost = [one for one in ops if texts.get(one.op_id) != one.text]
    assert 0 < len(lost) <= 51
    assert texts[ops[-1].op_id] == ops[-1].text


def test_a_line_says_nothing_of_the_text_to_a_program_that_does_not_know_the_form(
    journal: FolderJournal,
) -> None:
    written(journal, growing(40))
    line = json.loads(page_of(journal).read_bytes().splitlines()[-2])
    assert "text" not in line
    assert {"base", "parts"} <= line.keys()


def test_another_process_is_heard_of_and_nothing_is_read_twice(
    journal: FolderJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    ops = written(journal, growing(30))
    reader = reopened(journal)
    assert reader.text_of(ops[0].after or "") == ops[0].text
    read: list[int] = []
    from recollect.store import disk

    real = disk.read_file

    def counted(path: str, limit: int = 0) -> bytes:
        data = real(path, limit)
        read.append(len(data))
        return data

    monkeypatch.setattr(disk, "read_file", counted)
    for one in ops:
        assert reader.text_of(one.after or "") == one.text
    assert read == []
    (new,) = written(journal, ["Another file."], "semantic/b.md")
    read.clear()
    assert reader.text_of(new.after or "") == new.text
    assert sum(read) < 1000


def test_texts_that_are_kept_come_back_when_what_they_built_on_is_forgotten(
    journal: FolderJournal,
) -> None:
    texts = growing(120)
    ops = written(journal, texts)
    size = page_of(journal).stat().st_size
    kept = [ops[30], ops[77], *ops[-5:]]
    stamps, groups = {one.after for one in kept if one.after}, {one.group for one in kept}
    freed = journal.forget(stamps, groups)
    assert freed == size - page_of(journal).stat().st_size
    assert freed > size / 2
    assert page_of(journal).read_bytes().count(b"\n") == 2 * len(kept)  # each with its mark
    for one in ops:
        wanted = one.text if one in kept else None
        assert journal.text_of(one.after or "") == wanted
        assert reopened(journal).text_of(one.after or "") == wanted
    assert journal.forget(stamps, groups) == 0
    assert reopened(journal).ops() == kept
    more = written(journal, [texts[-1] + "More.\n"], "semantic/b.md")
    assert reopened(journal).ops()[-1] == more[-1]
    assert journal.problems == []


@pytest.mark.sampled(1)
@pytest.mark.parametrize("step", range(4))
def test_a_kill_while_changes_are_forgotten_loses_none_that_is_kept(
    journal: FolderJournal, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    texts = growing(90)
    ops = written(journal, texts[:45])
    journal.writer = "ops-b"  # what is kept there builds on what is forgotten in the other file
    for old, text in pairwise(texts[44:]):
        ops.append(op(PAGE, text, before=stamp(old), after=stamp(text), seq=journal.next_seq()))
        journal.append([ops[-1]])
    kept = ops[40:50]
    stamps, groups = {one.after for one in kept if one.after}, {one.group for one in kept}
    from recollect.store import disk

    real, done = disk.write_whole, [0]

    def killed(path: str, data: bytes) -> None:
        if done[0] == step:
            raise KeyboardInterrupt
        done[0] += 1
        real(path, data)

    monkeypatch.setattr(disk, "write_whole", killed)
    with suppress(KeyboardInterrupt):
        journal.forget(stamps, groups)
    monkeypatch.undo()
    found = {one.after: one.text for one in reopened(journal).ops()}
    assert all(found[one.after] == one.text for one in kept)
    journal.forget(stamps, groups)
    assert reopened(journal).ops() == kept
