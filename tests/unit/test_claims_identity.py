"""When two claims are the same. Bug J7: claims with the same first 40 characters were taken for one."""

from __future__ import annotations

import pytest
from hypothesis import example, given

from recollect.model.claim_key import claim_key, is_near, near_key

from .build import any_text, each_share, is_quick, words

PREFIX = "The connection pool of the billing service "


def same_claim(one: str, other: str) -> bool:
    return claim_key(one) == claim_key(other)


@given(words, words)
@example("a", "the")
def test_a_common_start_never_makes_two_claims_one_j7(one: str, other: str) -> None:
    assert same_claim(PREFIX + one, PREFIX + other) == (one == other)
    # A filling word by itself is a claim; behind other words it makes no difference.
    assert is_near(PREFIX + one, PREFIX + other) == is_near(f"Pool {one}", f"Pool {other}")
    assert not same_claim(PREFIX + one, PREFIX)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Port is 8080.", "port  is 8080"),
        ("**Use** `pnpm`!", "use pnpm"),
        ("端口是 8080。", "端口是8080"),
        ("端口是８０８０", "端口是8080"),
        ("“Use it”, he said", "use it he said"),
    ],
)
def test_case_spacing_and_markup_make_no_difference(one: str, other: str) -> None:
    assert same_claim(one, other)
    assert is_near(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Always run the tests before pushing", "Always run tests before pushing."),
        ("The database is PostgreSQL", "Our database is now PostgreSQL"),
        ("Do not push to main", "Don't push to main"),
        ("Errors go to the log", "Error go to the log"),
        ("请用中文回复", "用中文回复"),
        ("数据库的端口是 5432", "数据库端口是 5432"),
        ("Avoid mocks/stubs in tests", "Avoid mocks and stubs in tests."),
    ],
)
def test_filling_words_and_endings_make_near_duplicates(one: str, other: str) -> None:
    assert not same_claim(one, other)
    assert is_near(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("port is 8080", "port is 9090"),
        ("we use Redis 6", "we use Redis 7"),
        ("needs v1.2", "needs v1.20"),
        ("use pnpm", "do not use pnpm"),
        ("use pnpm", "never use pnpm"),
        ("the staging port is 8080", "the test port is 8080"),
        ("a depends on b", "b depends on a"),
        ("use C++ here", "use C here"),
        ("x < y here", "x > y here"),
        ("the offset is -1", "the offset is 1"),
        ("use https everywhere", "use http everywhere"),
        ("the cache was slow", "the cache is slow"),
        ("使用 Redis", "不使用 Redis"),
        ("端口是 8080", "端口是 8081"),
        ("可以合并", "不可以合并"),
        ("成都机房", "成机房"),
        (".env is read", "env is read"),
        ("only in tests use mocks", "in tests use mocks"),
    ],
)
def test_numbers_versions_negations_and_names_are_never_treated_as_equal(
    one: str, other: str
) -> None:
    assert not same_claim(one, other)
    assert not is_near(one, other)


@given(any_text)
def test_a_claim_is_the_same_as_itself(one: str) -> None:
    assert same_claim(one, one)
    assert same_claim(one, f"  {one}\n")


@each_share
@pytest.mark.parametrize("unit", ["a", "a ", "数", "请", "(", "< ", "... ", "don't ", "s"])
def test_keys_of_long_claims_are_soon_made(unit: str, share: float) -> None:
    text = unit * int(200_000 * share / len(unit))
    assert is_quick(lambda: (claim_key(text), near_key(text)), seconds=3 * share)
