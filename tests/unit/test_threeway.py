"""Two changes of one memory brought together: who changed something alone gets it, nothing is lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.domain.codec import memory_from_text, split_front
from recollect.domain.threeway import BETWEEN, OURS, THEIRS, merged

TEXT = """---
id: a
title: One  # as we call it
tags: [w, x]
status: open
mine: kept
created: 2026-01-11T14:30:00Z
updated: 2026-01-11T14:30:00Z
---
# One

First.

Second.

Third.
"""
LINES = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "d\n", "\n"]), max_size=9)
BODIES = LINES.map("".join)


@given(BODIES, BODIES)
def test_who_changed_something_alone_gets_it(base: str, changed: str) -> None:
    assert merged(base, base, changed) == (changed, 0)
    assert merged(base, changed, base) == (changed, 0)
    assert merged(base, changed, changed) == (changed, 0)


@given(BODIES, BODIES, BODIES)
def test_every_new_line_of_both_is_in_what_comes_of_it(base: str, ours: str, theirs: str) -> None:
    found = merged(base, ours, theirs)
    said = found.text.splitlines()
    for side in (ours, theirs):
        assert set(side.splitlines()) - set(base.splitlines()) <= set(said)
    assert found.text.count(OURS) == found.text.count(THEIRS) == found.conflicts


@given(BODIES, st.text("xyz", min_size=1), st.text("uvw", min_size=1))
def test_changes_in_different_places_go_together(middle: str, first: str, last: str) -> None:
    base = f"top\n\nstart\n{middle}end\n"
    ours, theirs = base.replace("top", first, 1), base.replace("end\n", f"{last}\n")
    expected = ours.replace("end\n", f"{last}\n")
    assert merged(base, ours, theirs) == (expected, 0)
    assert merged(base, theirs, ours) == (expected, 0)


def test_fields_are_merged_one_by_one_and_every_other_byte_stays() -> None:
    ours = TEXT.replace("[w, x]", "[w, x, ours]").replace("T14:30:00Z\n---", "T15:00:00Z\n---")
    theirs = TEXT.replace("[w, x]", "[x, theirs]").replace("open", "resolved")
    theirs = theirs.replace("T14:30:00Z\n---", "T16:00:00Z\n---").replace("Third", "3rd")
    found = merged(TEXT, ours, theirs)
    assert found.conflicts == 0
    expected = TEXT.replace("[w, x]", "[x, ours, theirs]").replace("open", "resolved")
    expected = expected.replace("T14:30:00Z\n---", "T16:00:00Z\n---").replace("Third", "3rd")
    assert found.text == expected


@pytest.mark.parametrize(
    ("own", "other", "holds"), [("15", "16", "C"), ("16", "15", "B"), ("15", "15", "B")]
)
def test_of_two_values_of_one_field_the_newer_memory_s_holds(
    own: str, other: str, holds: str
) -> None:
    ours = TEXT.replace("One  #", "B  #").replace("T14:30:00Z\n---", f"T{own}:00:00Z\n---")
    theirs = TEXT.replace("One  #", "C  #").replace("T14:30:00Z\n---", f"T{other}:00:00Z\n---")
    memory = memory_from_text(merged(TEXT, ours, theirs).text, "semantic/a.md")
    assert memory.title == holds
    assert memory.updated == f"2026-01-11T{max(own, other)}:00:00Z"


def test_a_field_that_one_side_took_out_is_out_and_a_new_one_is_in() -> None:
    ours = TEXT.replace("mine: kept\n", "")
    theirs = TEXT.replace("---\n# One", "theirs: new\n---\n# One")
    text = merged(TEXT, ours, theirs).text
    assert "mine:" not in text
    assert "theirs: new\n" in text


def test_what_both_added_at_the_end_stands_both() -> None:
    ours, theirs = f"{TEXT}\nOurs.\n", f"{TEXT}\nTheirs.\n"
    found = merged(TEXT, ours, theirs)
    assert found.conflicts == 0
    assert found.text.startswith(TEXT)
    assert found.text.index("Ours.") < found.text.index("Theirs.")
    assert merged(TEXT, ours, f"{ours}\nMore.\n").text == f"{ours}\nMore.\n"


def test_where_both_changed_the_same_line_a_person_chooses_and_the_memory_is_read_as_before() -> (
    None
):
    ours, theirs = TEXT.replace("Second", "2nd"), TEXT.replace("Second", "Zwei")
    found = merged(TEXT, ours, theirs)
    assert found.conflicts == 1
    assert f"{OURS}2nd.\n{BETWEEN}Zwei.\n{THEIRS}" in found.text
    memory = memory_from_text(found.text, "semantic/a.md")
    assert (memory.id, memory.title, memory.problem) == ("a", "One", "")


def test_two_memories_that_began_from_nothing_are_a_choice() -> None:
    found = merged("", TEXT, TEXT.replace("Second", "2nd"))
    assert found.conflicts == 1
    assert len(split_front(found.text).entries) == len(split_front(TEXT).entries)


def test_a_text_of_very_many_lines_is_not_compared_line_by_line() -> None:
    base = "a\nb\n" * 11_000
    found = merged(base, base + "ours\n", "theirs\n" + base)
    assert found.conflicts == 1
    assert "theirs\n" in found.text
