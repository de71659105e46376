"""Tags: one form for each noun."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.domain import tags
from recollect.domain.text import stem

from .build import any_text, entry


def settled(given: list[str], known: dict[str, int] | None = None) -> tuple[str, ...]:
    return tags.settled(given, tags.wanted_forms(given), known or {}, stem).tags


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ("scraper", "scraping"),
        ("Scrapers", "scraping"),
        ("paginate", "pagination"),
        ("web-scraper", "web-scraping"),
        ("deploying", "deployment"),
        ("Ｓｃｒａｐｅｒ", "scraping"),
        ("ｒｅｄｉｓ", "redis"),
        ("缓存（一）", "缓存(一)"),
        # What means something else than its verb, and what is a noun already.
        ("server", "server"),
        ("container", "container"),
        ("docker", "docker"),
        ("events", "events"),
        ("PostgreSQL", "PostgreSQL"),
        ("数据库连接池", "数据库连接池"),
        ("C++", "C++"),
    ],
)
def test_a_new_tag_is_written_as_the_noun_for_what_is_done(given: str, written: str) -> None:
    assert settled([given]) == (written,)


@pytest.mark.parametrize(
    ("given", "known"),
    [
        ("migrations", "migration"),
        ("Redis", "redis"),
        ("vector search", "vector-search"),
        ("vector_search", "vector-search"),
        ("scraper", "scraping"),
        ("scraping", "scrape"),
        ("ｒｅｄｉｓ", "Redis"),
        ("連接池", "連接池"),
        ("go", "Go"),
        ("ci", "CI"),
    ],
)
def test_the_form_that_the_store_uses_wins(given: str, known: str) -> None:
    found = tags.settled([given], tags.wanted_forms([given]), {known: 3}, stem)
    assert found.tags == (known,)
    assert found.renamed == (((given, known),) if given != known else ())


def test_a_tag_that_the_store_has_is_kept_as_it_is() -> None:
    assert settled(["scraper"], {"scraper": 1, "scraping": 9}) == ("scraper",)


def test_the_form_most_used_wins_among_several() -> None:
    assert settled(["Tests"], {"test": 2, "testing": 5}) == ("testing",)


@given(st.lists(any_text, max_size=6), st.dictionaries(any_text, st.integers(1, 9), max_size=6))
def test_no_tag_is_lost_or_stands_twice(given: list[str], known: dict[str, int]) -> None:
    found = tags.settled(given, tags.wanted_forms(given), known, stem)
    assert len({tag.casefold() for tag in found.tags}) == len(found.tags)
    new = dict(found.renamed)
    for tag in given:
        form = new.get(tag, tag)
        assert not form.strip() or form.casefold() in {one.casefold() for one in found.tags}
    # Settled once, they stay.
    again = {**known, **dict.fromkeys(found.tags, 1)}
    assert tags.settled(found.tags, tags.wanted_forms(found.tags), again, stem).tags == found.tags


def test_a_memory_with_two_tags_in_common_is_the_best_by_number_salience_and_access() -> None:
    found = [
        entry(id="one", tags=("redis", "x")),
        entry(id="two", tags=("Redis", "cache")),
        entry(id="high", tags=("redis", "cache"), salience="high"),
        entry(id="read", tags=("redis", "cache"), salience="high", last_accessed="2026-02-01"),
    ]
    given = ("redis", "cache", "pool")
    for n, name in ((1, None), (2, "two"), (3, "high"), (4, "read")):
        best = tags.best_with(given, found[:n])
        assert (best and best.id) == name
    assert tags.common_tags(given, ("Redis", "cache")) == ("redis", "cache")
