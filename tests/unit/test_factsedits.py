"""What somebody changed in facts.json is told from what changed in the store meanwhile."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recollect.features.facts_edits import (
    FactEdit,
    ViewFact,
    edits,
    is_held,
    page_of,
    rows_in,
    settled,
)

REDIS = ViewFact(
    "d001", "decision", "Use Redis", "It is fast", "technology", "", ("a.py",), ("cache",)
)
SMALL = ViewFact("p001", "pattern", "Small commits", "", "convention")
LEAK = ViewFact("i001", "issue", "It leaks", "", "bugfix", "open")
ALL = page_of([REDIS, SMALL, LEAK])


def changed(**said: Any) -> str:
    """The view with other words in the decision."""
    page = json.loads(ALL)
    page["decisions"][0] |= said
    return json.dumps(page)


def told(edited: str, base: str = ALL, now: str = ALL) -> list[tuple[str, str]]:
    return [(one.name, one.what) for one in edits(edited, base, now)]


@pytest.mark.parametrize(
    ("said", "fields"),
    [
        ({"content": "Use Valkey"}, ["content"]),
        ({"content": "Use Redis!"}, ["content"]),
        ({"reason": "It is faster"}, ["reason"]),
        ({"reason": ""}, ["reason"]),
        ({"type": "architecture"}, ["category"]),
        ({"files": [], "concepts": ["cache", "queue"]}, ["files", "concepts"]),
        ({"files": "a.py, b.py"}, ["files"]),
    ],
)
def test_a_changed_row_is_an_edit_of_its_fields(said: dict[str, Any], fields: list[str]) -> None:
    (one,) = edits(changed(**said), ALL, ALL)
    assert (one.name, one.what, one.fields) == ("d001", "changed", fields)


@pytest.mark.parametrize("said", [{"date": "1999-01-01"}, {"mine": 1}, {"content": " Use  Redis "}])
def test_what_the_store_has_no_place_for_is_no_edit(said: dict[str, Any]) -> None:
    assert told(changed(**said)) == []


def test_how_an_issue_is_settled_may_be_put_in_any_words() -> None:
    page = json.loads(ALL)
    page["issues"][0]["status"] = "Fixed."
    (one,) = edits(json.dumps(page), ALL, ALL)
    assert (one.name, one.row.status) == ("i001", "resolved")


def test_a_row_more_is_new_and_a_row_less_is_gone() -> None:
    page = json.loads(ALL)
    del page["patterns"][0]
    page["decisions"] += [
        {"content": "Use Kafka"},
        {"content": "Use Kafka: the new one", "id": "d009"},
    ]
    assert told(json.dumps(page)) == [
        ("new-use-kafka", "added"),
        ("new-use-kafka-the-new-one", "added"),
        ("p001", "gone"),
    ]


@pytest.mark.parametrize("first", [True, False])
def test_a_copied_row_is_a_new_one_although_it_has_the_old_number(first: bool) -> None:
    page = json.loads(ALL)
    copy = page["decisions"][0] | {"content": "Use Kafka"}
    page["decisions"].insert(0 if first else 1, copy)
    assert told(json.dumps(page)) == [("new-use-kafka", "added")]


def test_what_changed_in_the_store_meanwhile_is_no_edit() -> None:
    """The view was edited in one place; since it was written the store went on elsewhere."""
    now = page_of([REDIS, LEAK._replace(status="resolved"), ViewFact("d002", "decision", "Use Go")])
    assert told(changed(reason="Because"), ALL, now) == [("d001", "changed")]
    assert told(ALL, ALL, now) == []


def test_of_a_fact_that_both_changed_only_what_was_edited_is_proposed() -> None:
    now = page_of([REDIS._replace(category="approach"), SMALL, LEAK])
    (one,) = edits(changed(reason="Because"), ALL, now)
    assert (one.fields, one.row.category) == (["reason"], "approach")


def test_a_number_that_went_to_another_fact_is_no_edit_of_it() -> None:
    """As after a merge: the older one keeps the number, the other has its own id."""
    now = page_of([REDIS._replace(content="Older"), REDIS._replace(number="d001-use-redis")])
    assert told(ALL, page_of([]), now) == [
        ("new-small-commits", "added"),
        ("new-it-leaks", "added"),
    ]


def test_without_knowing_what_was_there_nothing_counts_as_gone() -> None:
    page = json.loads(changed(reason="Because"))
    page["patterns"], page["issues"] = [], [{"content": "New"}]
    assert told(json.dumps(page), base="") == [("d001", "changed"), ("new-new", "added")]


def test_the_view_of_another_program_is_all_new() -> None:
    """What seed 003 kept in the same place is not written over."""
    page = {
        "_meta": {"counter": 3, "lastSave": None},
        "decisions": [{"id": "d001", "type": "technology", "date": "2025-12-21", "content": "Use Node", "reason": "There"}],
        "patterns": [], "issues": [{"id": "i001", "type": "other", "date": "2025-12-21", "content": "Slow", "status": "open"}],
        "concepts": {"node": ["d001"]},
    }  # fmt: skip
    now = '{"decisions": [], "patterns": [], "issues": [], "concepts": {}}'
    assert told(json.dumps(page), base="", now=now) == [
        ("new-use-node", "added"),
        ("new-slow", "added"),
    ]
    assert is_held(json.dumps(page), "", now)


@pytest.mark.parametrize("damage", ["", "{", "[]", "null", '{"decisions": null}', "\0" * 9, "{}"])
def test_what_says_nothing_is_damage_and_no_wish(damage: str) -> None:
    assert not is_held(damage, ALL, ALL)


@pytest.mark.parametrize(
    ("spoilt", "where"),
    [
        (ALL[:-1], "line 1"),
        (ALL.replace('"content": "It leaks"', '"content": 7'), "row 1 of `issues`"),
        (ALL.replace('"patterns": [', '"patterns": [7, '), "row 1 of `patterns`"),
        (ALL.replace('"patterns": [', '"patterns": {"a": [').replace('}], "issues', '}]}, "issues'), "`patterns`"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_held_and_says_where(spoilt: str, where: str) -> None:
    assert is_held(spoilt, ALL, ALL)
    with pytest.raises(ValueError, match=where):
        edits(spoilt, ALL, ALL)


def test_what_a_merge_left_is_not_held() -> None:
    """Both sides are in the memories."""
    assert not is_held(f"<<<<<<< HEAD\n{ALL}\n=======\n{ALL}\n>>>>>>> theirs\n", ALL, ALL)


TEXTS = st.sampled_from(["Use Redis", "use redis", "Use Kafka", "用 Redis", "Small commits", "-"])
ROWS = st.builds(
    ViewFact,
    st.sampled_from(["", "d001", "d002", "p001", "d001-use-redis"]),
    st.sampled_from(["decision", "pattern", "issue"]),
    TEXTS,
    st.just(""),
    st.just("other"),
    st.just(""),
    st.just(()),
    concepts=st.sampled_from([(), ("a",), ("a", "b")]),
).map(lambda row: row._replace(status="open") if row.kind == "issue" else row)


def _numbered(rows: list[ViewFact]) -> list[ViewFact]:
    """The rows as a view has them: each with a number of its own."""
    return list({row.number: row for row in rows if row.number}.values())


VIEWS = st.lists(ROWS, max_size=5).map(_numbered)


def _decision(number: str, content: str) -> ViewFact:
    return ViewFact(number, "decision", content, "", "other", "")


# Somebody put it twice, once without its number.
@example(
    [_decision("", "Use Redis"), _decision("d001", "use redis")],
    [_decision("d001", "Use Kafka")],
    [_decision("d001", "Use Kafka")],
)
# … and once in other letters than it had.
@example(
    [_decision("", "Use Redis")], [_decision("d001", "use redis")], [_decision("d001", "Use Kafka")]
)
@given(st.lists(ROWS, max_size=6), st.none() | VIEWS, VIEWS)
def test_what_was_turned_down_is_an_edit_no_more(
    rows: list[ViewFact], base: list[ViewFact] | None, now: list[ViewFact]
) -> None:
    text, was, here = page_of(rows), "" if base is None else page_of(base), page_of(now)
    found = edits(text, was, here)
    assert len({one.name for one in found}) == len(found)
    assert edits(text, settled(was, found), here) == []


def test_turning_a_wording_down_makes_no_row_of_the_old_one_new() -> None:
    one = ViewFact("d001", "issue", "Use Kafka", "", "other", "open", (), ())
    text = page_of([one._replace(number=""), one._replace(content="Use Redis")])
    was, here = page_of([one]), page_of([one._replace(content="use redis")])
    [out] = edits(text, was, here)
    assert out.row.content == "Use Redis"
    assert edits(text, settled(was, [out]), here) == []


@given(st.lists(ROWS, max_size=6), VIEWS, VIEWS, st.data())
def test_turning_one_down_leaves_the_others(
    rows: list[ViewFact], base: list[ViewFact], now: list[ViewFact], data: st.DataObject
) -> None:
    text, was, here = page_of(rows), page_of(base), page_of(now)
    found = edits(text, was, here)
    if not found:
        return
    out = data.draw(st.sampled_from(found))
    left = edits(text, settled(was, [out]), here)

    def said(some: list[FactEdit]) -> list[tuple[str, ViewFact]]:
        return [(one.what, one.row) for one in some]

    same = (out.what, out.row)
    assert said(left) == [one for one in said(found) if one != same]


@given(st.lists(ROWS, max_size=6))
def test_a_page_reads_back_as_it_is(rows: list[ViewFact]) -> None:
    assert sorted(rows_in(page_of(rows))) == sorted(rows)


@given(VIEWS, VIEWS)
def test_a_view_that_nobody_edited_has_no_edits(base: list[ViewFact], now: list[ViewFact]) -> None:
    was, here = page_of(base), page_of(now)
    assert not is_held(was, was, here)
    assert not is_held(here, was, here)
    assert edits(here, was, here) == []
