"""Pointers in a file that is not ours: only what stands between our marks is ever changed."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.unit.build import any_text, entry

from recollect.context.pointers import (
    Pointer,
    block_of,
    harmless,
    is_sound,
    pointer_to,
    pointers_in,
    wanted,
    with_block,
    with_pointers,
)

REDIS = Pointer("redis", "Use Redis", "A cache of an hour", ("redis", "cache", ".lua"), ("redis",))
INDEX = Pointer("index", "事件索引", "部分索引", ("事件索引", "partial index"), ())
PLACES = {"redis": ".claude/memory/semantic/redis.md", "index": "x/index.md"}
BLOCK = block_of([REDIS], PLACES, "en")
#: M7: the seed replaced `## Current Working Agreements` of the person, since it began like its own heading.
FILES = (
    "", "\n", "# Mine", "# Mine\n", "# Mine\n\n", "# Mine\r\n", "# Mine\r\nx", "\ufeff# Mine\n",
    "## Current Working Agreements\nText\n## Use Redis\n**Brief**: mine\n", "a\n\n\n", "\t\n \n",
)  # fmt: skip
files = st.sampled_from(FILES) | st.text(st.characters(exclude_categories=["Cs"]), max_size=60)


def test_a_pointer_says_brief_when_details_and_tags() -> None:
    assert BLOCK.split("\n")[2:] == [
        "## Use Redis",
        "**Brief**: A cache of an hour",
        "**When**: redis, cache, .lua",
        "**Details**: .claude/memory/semantic/redis.md",
        "**Tags**: redis",
        "",
    ]


@example("\r")
@example("a\r\nb\n")
@given(files)
def test_taking_the_block_out_gives_back_the_bytes_that_were_there(text: str) -> None:
    written = with_block(text, BLOCK)
    assert is_sound(written)
    assert written.startswith(text)
    assert with_block(written, "") == text
    assert with_block(written, BLOCK) == written


@given(files, files)
def test_nothing_around_the_block_changes_when_it_changes(before: str, after: str) -> None:
    written = with_block(f"{before}\n", BLOCK) + after
    other = with_block(written, block_of([REDIS, INDEX], PLACES, "zh"))
    start, end = written.index("<!-- RECOLLECT"), written.rindex("END -->")
    assert other.startswith(written[:start])
    assert other.endswith(written[end:])
    assert with_block(other, BLOCK) == written


@pytest.mark.parametrize("edge", ["", "\n", "\n\n", "x\n"])
def test_a_block_that_a_person_moved_is_taken_out_without_joining_their_lines(edge: str) -> None:
    block = with_block("", BLOCK)
    for text in (f"Mine\n{edge}{block}{edge}yours\n", f"Mine\r\n{block}yours"):
        left = with_block(text, "")
        assert "RECOLLECT" not in left
        assert [line for line in left.split() if line] == [
            w for w in text.replace(block, "").split() if w
        ]
        assert "Mineyours" not in left


@pytest.mark.parametrize(
    "text",
    [
        "<!-- RECOLLECT_POINTERS_START -->\n",
        "<!-- RECOLLECT_POINTERS_END -->\n<!-- RECOLLECT_POINTERS_START -->\n",
        with_block("", BLOCK) * 2,
        with_block("", BLOCK) + "<!-- RECOLLECT_POINTERS_END -->\n",
    ],
)
def test_marks_that_are_not_one_pair_are_not_sound(text: str) -> None:
    assert not is_sound(text)


@given(any_text, any_text, st.lists(any_text, max_size=3))
def test_no_text_of_a_memory_is_more_than_text(title: str, brief: str, words: list[str]) -> None:
    pointer = Pointer("redis", title, brief, tuple(words), tuple(words))
    text = with_block("# Mine\n", block_of([pointer], PLACES, "en"))
    assert is_sound(text)
    assert with_block(text, "") == "# Mine\n"
    inside = block_of([pointer], PLACES, "en")
    assert not set(inside) & set("`$@<>[]\r")
    assert sum(line.startswith("#") for line in inside.split("\n")) == 1
    assert harmless(title).count("\n") == 0


@given(st.lists(any_text, max_size=3), any_text)
def test_pins_read_back(words: list[str], title: str) -> None:
    one = Pointer("a", title, title, tuple(words), tuple(words), "2026-01-11")
    assert pointers_in(with_pointers("", [one, REDIS])) == [one, REDIS]


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"pinned": 3}', '{"pinned": [1, {}, {"id": 2}, {"id": "a", "when": [1]}]}'],
)
def test_a_damaged_file_of_pins_stops_nothing(text: str) -> None:
    assert all(isinstance(one, Pointer) for one in pointers_in(text))
    assert pointers_in(with_pointers(text, [REDIS])) == [REDIS]


def test_only_pointers_whose_words_come_up_are_called_for() -> None:
    both = [REDIS, INDEX]
    assert wanted(both, "Why is the Redis cluster slow?") == [REDIS]
    assert wanted(both, "edit scripts/limit.lua please") == [REDIS]
    assert wanted(both, "add a partial index") == [INDEX]
    assert wanted(both, "给事件索引加一列") == [INDEX]
    assert wanted(both, "an index of partial results about the weather") == [INDEX]
    assert wanted(both, "an index, please") == []
    assert wanted(both, "What is the weather like?") == []
    assert wanted(both, "") == []


def test_a_pointer_is_called_for_by_triggers_tags_and_kinds_of_files() -> None:
    one = pointer_to(
        entry(trigger=("event store",), tags=("db",), files=("src/a.py", "Makefile"), body="Because.\n"),
        "", (), "2026-01-11T10:00:00Z",
    )  # fmt: skip
    assert one.when == ("event store", "db", ".py")
    assert (one.brief, one.date) == ("Because.", "2026-01-11")
    assert pointer_to(entry(), "mine", ("x",), "2026-01-11").brief == "mine"


def test_a_memory_that_is_gone_is_pointed_to_by_nobody() -> None:
    assert block_of([REDIS], {}, "en") == ""
