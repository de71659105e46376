"""Names: what a title becomes, and what can never be a name."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.model.memory import anchor_of, free_name, id_from, is_id, latin_slug_of, slug_of

from .build import any_text

SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")


@given(any_text | st.lists(any_text).map(" ".join))
def test_every_title_has_a_slug_that_any_file_system_takes(title: str) -> None:
    slug = slug_of(title)
    assert is_id(slug)
    assert len(f"2026-01-11-{slug}-999.md.age".encode()) <= 255
    assert "--" not in slug
    assert not slug.endswith("-")
    assert slug_of(slug) == slug == slug_of(title.upper().lower()) or not slug.isascii()
    for form in ("NFC", "NFD"):
        assert slug_of(unicodedata.normalize(form, title)) == slug
    assert unicodedata.is_normalized("NFC", slug)
    assert slug == slug.lower()


@given(any_text)
def test_a_latin_slug_is_for_programs_that_take_no_other(title: str) -> None:
    assert SLUG.fullmatch(latin_slug_of(title))
    assert latin_slug_of("使用 Redis") == "shi-yong-redis"


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Use PostgreSQL for events", "use-postgresql-for-events"),
        ("  C++ / C# — notes!  ", "c-c-notes"),
        ("使用数据库连接池", "使用数据库连接池"),
        ("用Redis做缓存", "用-redis-做缓存"),
        ("データベース", "データベース"),
        ("Müller & Söhne", "müller-söhne"),
        ("Ｆｕｌｌ　Ｗｉｄｔｈ", "full-width"),
        ("naïve café", "naïve-café"),
        ("../../etc/passwd", "etc-passwd"),
        ("con", "con-memory"),
        ("LPT1", "lpt1-memory"),
        ("summary", "summary-memory"),
        ("Conversation", "conversation-memory"),
        ("", "memory"),
        ("???", "memory"),
        ("\ud83d\udc80", "memory"),
        ("word " * 40, "word-word-word-word-word-word-word-word-word-word-word-word-word"[:64].rstrip("-")),
        ("x" * 99 + " tail", "x" * 64),
        ("-rf", "rf"),
        ("连接池：大小？", "连接池-大小"),
        ("हिन्दी में", "हिन्दी-में"),
        ("База данных", "база-данных"),
        ("🎉 数据库 ✨", "数据库"),
        ("cafe\u0301", "café"),
        ("数据库" * 40, "数据库" * 10 + "数据"),
    ],
)  # fmt: skip
def test_a_slug_is_readable(title: str, slug: str) -> None:
    assert slug_of(title) == slug


@given(any_text)
def test_an_id_stays_in_its_folder(name: str) -> None:
    if is_id(name):
        assert not set("/\\\0\n\r:*?\"<>|' \t") & set(name)
        assert ".." not in name
        assert not name.startswith((".", "-"))
        assert not name.endswith(".")
        assert len(name) <= 128
        assert not any(unicodedata.category(c) in ("Cc", "Cf", "Cs") for c in name)


@pytest.mark.parametrize(
    "name", ["a", "2026-01-11-talk", "数据库", "a_b.c-d", "été", "A1", "हिन्दी"]
)
def test_letters_of_any_script_can_be_an_id(name: str) -> None:
    assert is_id(name)


@pytest.mark.parametrize(
    "name",
    ["", ".", "..", "a/b", "a\\b", "../a", "a..b", ".git", "-rf", "a.", "a b", "a\n", "\na", "a\0", "x" * 129,
     "a\u202eb", "a\u200bb", "C:", "~", "a%2e", "\ud83d", "😀"],
)  # fmt: skip
def test_what_could_leave_its_folder_is_no_id(name: str) -> None:
    assert not is_id(name)


@given(any_text)
def test_every_name_has_an_id_near_to_it(name: str) -> None:
    made = id_from(name)
    assert is_id(made)
    assert id_from(made) == made


@given(any_text)
def test_every_heading_has_an_anchor(heading: str) -> None:
    anchor = anchor_of(heading)
    assert anchor
    assert len(anchor) <= 64
    assert not set("# \n/\\") & set(anchor)
    assert anchor_of(anchor) == anchor


@pytest.mark.parametrize(
    ("heading", "anchor"),
    [
        ("Why us?", "why-us"),
        ("Solution: npm-eresolve", "solution-npm-eresolve"),
        ("关键 决定", "关键-决定"),
        ("snake_case", "snake-case"),
        ("!!!", "section"),
        ("x" * 99, "x" * 64),
    ],
)
def test_an_anchor_is_the_words_of_the_heading(heading: str, anchor: str) -> None:
    assert anchor_of(heading) == anchor


@given(st.from_regex(SLUG, fullmatch=True), st.integers(0, 30))
def test_a_free_name_is_the_wanted_one_or_the_first_with_a_number(wanted: str, taken: int) -> None:
    names: list[str] = []
    for _ in range(taken):
        names.append(free_name(wanted, names.__contains__))
    assert len(set(names)) == taken
    assert all(len(name) <= 64 and is_id(name) for name in names)
    assert names[:1] == [wanted][:taken]


def test_names_are_numbered_from_two() -> None:
    assert free_name("a", {"a", "a-2"}.__contains__) == "a-3"
    assert free_name("x" * 64, {"x" * 64}.__contains__) == "x" * 62 + "-2"
