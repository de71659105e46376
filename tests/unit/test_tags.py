"""Tags: as they were written, and found in every form."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.model import tags

from .build import any_text, entry


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("scraper", "scraping"),
        ("Scrapers", "scrape"),
        ("web-scraper", "web scraping"),
        ("paginate", "pagination"),
        ("migrations", "migration"),
        ("vector_search", "vector-search"),
        ("Ｓｃｒａｐｅｒ", "scraping"),
        ("ｒｅｄｉｓ", "Redis"),
    ],
)
def test_forms_of_one_tag_have_one_key(one: str, other: str) -> None:
    assert tags.key_of(one) == tags.key_of(other)


@pytest.mark.parametrize(
    ("one", "other"), [("server", "serving"), ("docker", "docking"), ("C++", "C"), ("缓存", "缓冲")]
)
def test_what_means_something_else_has_another(one: str, other: str) -> None:
    assert tags.key_of(one) != tags.key_of(other)


def test_tags_are_found_under_their_forms() -> None:
    words = tags.with_forms("web-scraper\nredis").split()
    assert {"web-scraper", "redis", "scraping", "scrapers", "scrape"} <= set(words)
    assert tags.with_forms("redis\n数据库") == "redis\n数据库"


@given(st.lists(any_text, max_size=6))
def test_tags_stay_as_they_are_and_stand_once(given: list[str]) -> None:
    found = tags.as_written(given)
    assert {tag.casefold() for tag in found} == {t.strip().casefold() for t in given} - {""}
    assert set(found) <= {tag.strip() for tag in given}
    assert tags.as_written(found) == found


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
