"""facts.json: the shape of seed 003, numbers that stay, a concept index that names what is there."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recollect.context import views as factsview
from recollect.model.entries import beside_title
from recollect.model.memory import STATUSES, Entry, is_id

from .build import NASTY, any_text, entry

KIND_NAMES = ("decision", "pattern", "issue", "fact", "session")


def fact(name: str, kind: str = "decision", **fields: Any) -> Entry:
    return entry(id=name, kind=kind, path=f"semantic/{name}.md", **fields)


def page_of(*found: Entry, reasons: dict[str, str] | None = None) -> dict[str, Any]:
    page: dict[str, Any] = json.loads(factsview.facts_json(found, reasons or {}))
    return page


some_facts = st.lists(
    st.builds(
        fact,
        st.sampled_from(["d001-a", "d001-b", "d002", "p001-a", "i007-x", "plain", "d12-x", "d001~ab12cd"]),
        st.sampled_from(KIND_NAMES),
        title=any_text,
        category=st.sampled_from(["", "technology", "bugfix", "architecture", "nonsense"]),
        status=st.sampled_from(STATUSES),
        files=st.lists(any_text, max_size=2).map(tuple),
        concepts=st.lists(any_text | st.sampled_from(["constructor", "__proto__"]), max_size=3).map(tuple),
        created=st.sampled_from(["", "2026-01-11T10:00:00Z", "2026-02-01T10:00:00Z"]),
        private=st.booleans(),
    ),
    max_size=6, unique_by=lambda e: e.id,
)  # fmt: skip


def test_the_page_has_the_shape_of_seed_003() -> None:
    found = [
        fact(
            "d001-use-redis",
            category="technology",
            title="Use Redis",
            files=("a.py",),
            concepts=("cache",),
        ),
        fact("p001-small", "pattern", title="Small commits", category="convention"),
        fact("i001-leak", "issue", title="It leaks", status="open", concepts=("cache",)),
        fact("i002-old", "issue", title="It broke", status="resolved", category="bugfix"),
    ]
    text = factsview.facts_json(found, {"d001-use-redis": "it is\nfast"})
    assert '\n    {"id": "d001", ' in text  # a line for each: what changed is what a diff shows
    page = json.loads(text)
    assert list(page) == ["_meta", "decisions", "patterns", "issues", "concepts"]
    assert page == {
        "_meta": {"counter": 0, "lastSave": "2026-01-11T10:00:00Z"},
        "decisions": [
            {
                "id": "d001", "type": "technology", "date": "2026-01-11", "content": "Use Redis",
                "reason": "it is fast", "files": ["a.py"], "concepts": ["cache"],
            }
        ],
        "patterns": [
            {"id": "p001", "type": "convention", "date": "2026-01-11", "content": "Small commits"}
        ],
        "issues": [
            {
                "id": "i001", "type": "other", "date": "2026-01-11", "content": "It leaks",
                "status": "open", "concepts": ["cache"],
            },
            {
                "id": "i002", "type": "bugfix", "date": "2026-01-11", "content": "It broke",
                "status": "resolved",
            },
        ],
        "concepts": {"cache": ["d001", "i001"]},
    }  # fmt: skip


def test_a_store_without_facts_has_empty_lists() -> None:
    assert page_of() == {
        "_meta": {"counter": 0, "lastSave": None},
        "decisions": [],
        "patterns": [],
        "issues": [],
        "concepts": {},
    }


@given(some_facts)
def test_every_fact_is_there_once_under_an_id_of_its_own(found: list[Entry]) -> None:
    page = page_of(*found)
    rows = [row for kind in ("decisions", "patterns", "issues") for row in page[kind]]
    wanted = [
        e for e in found if e.kind in factsview.KINDS and not e.private and e.status != "superseded"
    ]
    assert len(rows) == len(wanted)
    ids = [row["id"] for row in rows]
    assert len(set(ids)) == len(ids)


@given(some_facts)
def test_concepts_name_the_facts_that_have_them_and_no_others(found: list[Entry]) -> None:
    page = page_of(*found)
    rows = [row for kind in ("decisions", "patterns", "issues") for row in page[kind]]
    said = {(c.casefold(), row["id"]) for row in rows for c in row.get("concepts", ())}
    assert {(c.casefold(), n) for c, here in page["concepts"].items() for n in here} == said
    assert all(len(set(here)) == len(here) > 0 for here in page["concepts"].values())


@given(some_facts, st.randoms())
def test_the_page_is_the_same_for_the_same_facts_in_any_order(
    found: list[Entry], chance: Any
) -> None:
    other = list(found)
    chance.shuffle(other)
    assert factsview.facts_json(other, {}) == factsview.facts_json(found, {})


@given(some_facts, some_facts)
def test_a_number_stays_with_its_fact_whatever_comes_later(
    old: list[Entry], new: list[Entry]
) -> None:
    known = {e.id for e in old}
    later = [e._replace(created="2026-03-01T10:00:00Z") for e in new if e.id not in known]
    before = {e.id: number for number, e in factsview.numbered(old)}
    after = {e.id: number for number, e in factsview.numbered([*old, *later])}
    assert {name: after[name] for name in before} == before


@pytest.mark.parametrize(
    "change",
    [
        {"title": "Another"},
        {"path": "semantic/renamed.md"},
        {"kind": "pattern"},
        {"status": "open"},
    ],
    ids=str,
)
def test_a_number_stays_when_the_memory_changes(change: dict[str, str]) -> None:
    changed = fact("d007-use-redis")._replace(**change)  # type: ignore[arg-type]
    assert [number for number, _ in factsview.numbered([changed])] == ["d007"]


def test_of_two_with_one_number_the_older_keeps_it() -> None:
    old, new = fact("d001-b", created="2026-01-01"), fact("d001-a", created="2026-02-01")
    assert [(n, e.id) for n, e in factsview.numbered([new, old])] == [
        ("d001", "d001-b"),
        ("d001-a", "d001-a"),
    ]


def test_facts_without_a_number_come_last_under_their_own_ids() -> None:
    found = [fact("use-redis"), fact("d1000-late"), fact("d002-b"), fact("data001"), fact("d01")]
    assert [number for number, _ in factsview.numbered(found)] == [
        "d002", "d1000", "d01", "data001", "use-redis",
    ]  # fmt: skip


def test_what_is_private_obsolete_or_archived_is_not_told() -> None:
    found = [
        fact("d001-a", private=True),
        fact("d002-a", status="superseded"),
        fact("d003-a")._replace(path="archive/semantic/decisions/d003-a.md"),
        fact("d004-a")._replace(path="core/d004-a.md"),
    ]
    assert page_of(*found) == page_of()


@given(st.sampled_from(factsview.KINDS), st.integers(1, 10**9 - 1), any_text)
@example("decision", 1, "数据库" * 40)
@example("issue", 1, "")
def test_a_number_is_read_from_the_id_that_it_made(kind: str, number: int, content: str) -> None:
    name = factsview.numbered_id(kind, number, content)
    assert is_id(name)
    assert len(name) <= 64
    letter = factsview.LETTERS[kind]
    assert factsview.number_of(name) == f"{letter}{number:03d}"
    assert factsview.highest_numbers([name, "x"])[letter] == number


@pytest.mark.parametrize("text", NASTY)
def test_nasty_text_is_data(text: str) -> None:
    told = text.encode("utf-8", "replace").decode()
    page = page_of(
        fact("d001-a", title=text, files=(text,), concepts=(text,)), reasons={"d001-a": text}
    )
    (row,) = page["decisions"]
    assert row["content"] == row["files"][0] == row["concepts"][0] == told
    assert row["reason"] == " ".join(told.split())
    assert page["concepts"] == {told: ["d001"]}


def test_a_very_long_reason_is_cut() -> None:
    (row,) = page_of(fact("d001-a"), reasons={"d001-a": "long " * 10_000})["decisions"]
    assert len(row["reason"]) == factsview.LONGEST_REASON
    assert row["reason"].endswith("…")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("# Use Redis\n\nIt is fast.\n", "It is fast."),
        ("# USE redis", ""),
        ("It is fast.", "It is fast."),
        ("# Another\n\nIt is fast.", "# Another\n\nIt is fast."),
        ("", ""),
    ],
)
def test_a_reason_is_what_is_said_below_the_title(text: str, reason: str) -> None:
    assert beside_title(text, "Use Redis") == reason


def test_a_summary_counts_facts_and_names_what_most_are_about() -> None:
    found = [
        fact("d001-a", concepts=("Cache", "db")),
        fact("d002-a", concepts=("cache",)),
        fact("i001-a", "issue", status="open"),
        fact("i002-a", "issue", status="resolved", concepts=("db", "api")),
        fact("n", "fact", concepts=("none",)),
    ]
    told = factsview.summary_of(found)
    assert told == (2, 0, 2, 1, ["Cache", "db", "api"])


@given(any_text | st.text(alphabet="a b\n。", min_size=1900, max_size=2100))
def test_a_reason_that_is_a_line_already_stays_as_it_is(reason: str) -> None:
    line = factsview.reason_line(reason)
    assert factsview.reason_line(line) == line
    assert len(line) <= factsview.LONGEST_REASON
