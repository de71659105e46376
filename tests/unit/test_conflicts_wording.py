"""Patterns that look in small letters find what `re.I` finds."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.model import conflicts as core
from recollect.model import frames
from recollect.model.values import BilingualPattern

from .build import any_text
from .claim_cases import CLASHES_EN, PEACE_EN, RULES

ENGLISH, CHINESE = r"\b(?P<what>use|port) (?P<not>not )?(?P<it>[a-z]\S*)", r"(?P<zh>端口)\s*(\d+)"
EVERY = {
    f"{room.__name__}.{name}": value
    for room in (core, frames)
    for name, value in vars(room).items()
    if isinstance(value, BilingualPattern)
}
said = st.sampled_from([side for row in (*CLASHES_EN, *PEACE_EN) for side in row[:2]] + [*RULES])
any_case = st.builds(
    lambda text, how: how(text), said, st.sampled_from([str.upper, str.title, str.swapcase, str])
)
texts = any_case | any_text | st.just("Use Redis, USE NOT PostgreSQL, 端口 8080, ſpeed of İt")


@given(texts)
def test_a_wording_finds_what_a_search_in_any_case_finds(text: str) -> None:
    wording, plain = BilingualPattern(ENGLISH, CHINESE), re.compile(f"{ENGLISH}|{CHINESE}", re.I)
    for one, other in ((wording.search, plain.search), (wording.match, plain.match)):
        found, wanted = one(text), other(text)
        assert (found and found.span()) == (wanted and wanted.span())
    assert wording.replaced(text, "<it>") == plain.subn("<it>", text)


@given(any_case)
def test_parts_are_in_the_letters_of_the_text(text: str) -> None:
    wording, plain = (
        BilingualPattern(rf"(?:{ENGLISH})?(?P<rest>.*)"),
        re.compile(rf"(?:{ENGLISH})?(?P<rest>.*)", re.I),
    )
    found = plain.fullmatch(text)
    assert found
    assert wording.parts(text) == {name: part or "" for name, part in found.groupdict().items()}


@pytest.mark.parametrize("name", EVERY)
def test_english_is_written_in_small_letters(name: str) -> None:
    english = EVERY[name]._small.text
    letters = re.sub(r"\\.|\(\?P<\w+>|\[[^\]]*\]", "", english)
    assert letters == letters.lower()
