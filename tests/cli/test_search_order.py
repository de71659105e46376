"""What `search` puts first: an entry that says the words before one whose page has them."""

from __future__ import annotations

import pytest

from .running import Person

SESSION = """---
id: 2026-01-08-write-the-dhl-adapter
title: Write the DHL adapter
type: episodic
kind: session
tags: [sqlite, adapter, dhl]
created: 2026-01-08T10:00:00Z
session: aa
---
# Write the DHL adapter

## Summary

- Asked: Write the DHL adapter

## Decisions

- Sort imports alphabetically <!-- from: aa; date: 2026-01-08; trust: user; source: instructed -->
- Let's not use SQLite any more <!-- from: aa; date: 2026-01-08; trust: user; source: instructed -->
"""
RULES = """---
id: feedback
title: How to work here
kind: rule
tags: [sqlite, "429", uv.lock]
---
# How to work here

## Always use type hints

Always use type hints.

## The uv.lock is committed

It is.

## Back off when the carrier is busy

It says 429 then.
"""


@pytest.fixture
def knowing(person: Person) -> Person:
    """Pages whose tags and titles have words that most of their entries do not have."""
    person.write("episodic/2026-01-08-write-the-dhl-adapter.md", SESSION)
    person.write("procedural/feedback.md", RULES)
    person.write("semantic/database.md", "# Database\n\n## Noted\n\n- SQLite keeps the bookings\n")
    person.write("semantic/pool.md", "---\ntags: [carrier]\n---\n# Pool\n\n## Size\n\nTen links.\n")
    return person


def found(person: Person, *words: str) -> list[str]:
    return [
        f"{one['id']}#{one['anchor']}" for one in person.ok("search", *words, "--json").json["hits"]
    ]


def test_an_entry_that_says_the_word_stands_before_those_of_a_page_with_its_tag(
    knowing: Person,
) -> None:
    first, second, *others = found(knowing, "sqlite")
    assert {first.partition("#")[0], second.partition("#")[0]} == {
        "2026-01-08-write-the-dhl-adapter",
        "database",
    }
    assert len(others) >= 3  # their pages have it: they are found, behind


def test_a_number_brings_the_entry_that_says_it(knowing: Person) -> None:
    assert found(knowing, "429")[0] == "feedback#back-off-when-the-carrier-is-busy"


def test_a_page_that_is_one_entry_has_its_tags_for_its_own(knowing: Person) -> None:
    assert "pool" in found(knowing, "carrier")[0]


@pytest.mark.parametrize(
    ("prompt", "given"),
    [
        ("write the UPS adapter", False),
        ("the DHL adapter", False),
        ("sort imports alphabetically in the adapter", True),
    ],
)
def test_the_title_of_a_session_brings_nothing_that_was_said_in_it(
    prompt: str, given: bool, knowing: Person
) -> None:
    text = knowing.ok("recall", prompt, "--json").json["text"]
    assert ("adapter#^" in text) is given


@pytest.mark.parametrize(
    ("written", "asked"),
    [
        ("檔案鎖要在寫入前取得", "文件锁"),
        ("檔案鎖要在寫入前取得", "檔案鎖"),
        ("文件锁要在写入前取得", "檔案鎖"),
        ("軟體的預設值寫在記憶體", "内存"),
        ("变量名一律用英文", "變數"),
        ("使用者登入之後才能列印", "打印"),
    ],
)
def test_what_taiwan_and_the_mainland_call_otherwise_is_found(
    written: str, asked: str, person: Person
) -> None:
    person.ok("save", written)
    assert [hit["title"].rpartition(" – ")[2] for hit in person.ok("search", asked, "--json").json["hits"]] == [written]  # fmt: skip


def test_of_a_session_that_only_its_title_matches_the_summary_is_shown(person: Person) -> None:
    page = SESSION.replace(
        "- Asked: Write the DHL adapter", "- Asked: " + "tell the carrier of each booking, " * 9
    )
    page = page.replace("## Decisions", "## Files\n\n- `carrier.py`\n\n## Decisions")
    person.write("episodic/2026-01-08-write-the-dhl-adapter.md", page)
    assert "2026-01-08-write-the-dhl-adapter#summary" in found(person, "DHL")
