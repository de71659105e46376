"""What is odd in a store in which nothing is broken."""

from __future__ import annotations

import pytest
from hypothesis import given
from tests.unit.build import any_text, entry

from recollect.ops.doctor import examined, links_in

NOW = "2026-07-11T10:00:00Z"


def test_memories_of_one_kind_that_say_nearly_the_same_are_duplicates() -> None:
    same = [
        entry(id="a", title="Use Redis for the sessions"),
        entry(id="b", title="use redis for sessions."),
        entry(id="c", title="Use Redis for session 2"),
        entry(id="d", title="Use Redis for sessions", kind="issue"),
        entry(id="e", title="Use Redis for sessions", layer="episodic"),
        entry(id="f", title="Use Redis for sessions", status="superseded"),
        entry(id="g", title="Use Redis for sessions", path="core/g.md"),
    ]
    assert examined(same, {}, [], NOW).duplicates == [["a", "b"]]


def test_what_nobody_touched_for_half_a_year_is_stale() -> None:
    old = [
        entry(id="old", created="2026-01-01T00:00:00Z"),
        entry(id="edited", created="2026-01-01T00:00:00Z", updated="2026-02-01T00:00:00Z"),
        entry(id="needed", created="2026-01-01T00:00:00Z"),
        entry(id="undated", created=""),
    ]
    found = examined(old, {"needed": "2026-05-01"}, [], NOW)
    assert found.stale == ["old"]
    assert found.never_accessed == ["old", "edited"]


def test_a_new_memory_is_not_reproached_with_being_unused() -> None:
    assert examined([entry(created="2026-07-01T00:00:00Z")], {}, [], NOW).never_accessed == []


def test_memories_without_tags_are_named() -> None:
    assert examined([entry(id="a", tags=()), entry(id="b", tags=("x",))], {}, [], NOW).untagged == [
        "a"
    ]


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("[x](b.md)", "semantic/b.md"),
        ("[x](../core/project.md#top)", "core/project.md"),
        ("[x](./decisions/d001.md)", "semantic/decisions/d001.md"),
        ("[x](a%20b.md)", "semantic/a b.md"),
        ("[x](<b.md>)", "semantic/b.md"),
    ],
)
def test_a_link_means_a_path_in_the_store(text: str, target: str) -> None:
    assert [found for _, found in links_in("semantic/a.md", text)] == [target]


@pytest.mark.parametrize(
    "text",
    [
        "[x](https://a.b/c.md)",
        "[x](/etc/x.md)",
        "[x](../../../x.md)",
        "[x](b.py)",
        "![x](b.md)",
        "b.md",
        "[x](~/a.md)",
    ],
)
def test_what_leads_out_of_the_store_is_none_of_its_links(text: str) -> None:
    assert links_in("semantic/a.md", text) == []


@given(any_text, any_text)
def test_any_text_is_data(path: str, text: str) -> None:
    links_in(path, text)
