"""What a pass remembers of files: it saves time, and makes no difference."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.consolidate.claim_cache import ClaimCache
from recollect.consolidate.claims import Claim
from recollect.consolidate.pages import episode_claim, reading_of

A = "semantic/a.md"
LINES = st.lists(
    st.sampled_from(
        [
            "- The port is 8080.",
            "- Never push to main. <!-- from: e1; date: 2026-01-01T00:00:00Z; trust: agent -->",
            "端口是 8080。缓存用 Redis。",
            "## Noted",
            "- [ ] to do",
            "Is it so?",
            "```",
            "<!-- trust: external -->",
            "",
        ]
    )
    | st.text(max_size=30),
    max_size=8,
).map("\n".join)


def again(known: ClaimCache) -> ClaimCache:
    """What the next pass remembers."""
    return ClaimCache(known.text())


@given(LINES, LINES)
def test_a_file_that_changed_says_the_same_whatever_is_remembered_of_it(old: str, new: str) -> None:
    known = ClaimCache()
    known.keep_reading("1", reading_of(A, old))
    assert again(known).reading(A, "1") == reading_of(A, old)
    assert again(known).reading(A, "2") is None
    text = f"{old}\n{new}"
    assert reading_of(A, text, again(known).claims_before(A)) == reading_of(A, text)


def test_of_a_file_that_has_grown_what_it_said_before_is_known() -> None:
    known = ClaimCache()
    known.keep_reading("1", reading_of(A, "- The port is 8080.\n- The host is db.\n"))
    assert set(again(known).claims_before(A)) == {"The port is 8080.", "The host is db."}


def test_what_an_episode_said_is_not_taken_for_what_a_file_says() -> None:
    known = ClaimCache()
    known.keep_episode_claims(A, "1", [episode_claim(Claim("The port is 8080."))])
    assert again(known).episode_claims(A, "1")
    assert again(known).reading(A, "1") is None
    assert again(known).claims_before(A) == {}


@pytest.mark.parametrize("path", ["semantic/a.md\tb.md", "semantic/a\nb.md", "semantic/ a.md"])
def test_a_path_of_any_letters_spoils_nothing(path: str) -> None:
    known = ClaimCache()
    for one in (path, A):
        known.keep_reading("1", reading_of(one, "- The port is 8080.\n"))
    found = again(known)
    assert found.reading(A, "1") == reading_of(A, "- The port is 8080.\n")
    assert found.reading(path, "1") in (None, reading_of(path, "- The port is 8080.\n"))


def test_what_nobody_asked_for_is_dropped() -> None:
    known = ClaimCache()
    known.keep_reading("1", reading_of(A, "- The port is 8080.\n"))
    assert again(again(known)).reading(A, "1") is None


def test_a_text_of_which_one_letter_is_another_says_nothing() -> None:
    known = ClaimCache()
    known.keep_reading("1", reading_of(A, "- The port is 8080.\n"))
    text = known.text()
    assert ClaimCache(text).reading(A, "1")
    for at, letter in enumerate(text):
        for damaged in (text[:at], text[:at] + chr(ord(letter) ^ 1) + text[at + 1 :]):
            assert ClaimCache(damaged).reading(A, "1") is None


def test_who_needs_no_plan_drops_nothing_of_what_files_say() -> None:
    known = ClaimCache()
    known.keep_reading("1", reading_of(A, "- The port is 8080.\n"))
    known.keep_left("s1", [])
    later = again(known)
    assert later.left("s2") is None
    assert later.left("s1") == ()
    later.keep_reading("1", reading_of("semantic/b.md", "- The host is db.\n"))
    assert again(later).reading(A, "1")
