"""Wordpiece: the pieces are those that models of BERT's kind were trained with."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect_minilm.wordpiece import pieces_of, split, words_of

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "un", "##aff", "##able", "##b", "##a", "a", "b", "the"]
VOCABULARY = {word: n for n, word in enumerate(WORDS)}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Don't stop!", ["don", "'", "t", "stop", "!"]),
        ("use_callback(x)", ["use", "_", "callback", "(", "x", ")"]),
        ("Café  naïve\tÜber", ["cafe", "naive", "uber"]),
        ("日本 ok", ["日", "本", "ok"]),
        ("“Quoted” — text…", ["“", "quoted", "”", "—", "text", "…"]),
        ("zero\u200bwidth\x00nul", ["zerowidthnul"]),
        ("", []),
    ],
)
def test_a_text_is_cut_into_words_and_signs(text: str, words: list[str]) -> None:
    assert words_of(text) == words


def test_the_longest_pieces_are_taken_first() -> None:
    assert pieces_of("unaffable", VOCABULARY) == [VOCABULARY[w] for w in ("un", "##aff", "##able")]


def test_a_word_with_an_end_that_nobody_knows_is_unknown_as_a_whole() -> None:
    assert pieces_of("unaffably", VOCABULARY) == [VOCABULARY["[UNK]"]]
    assert pieces_of("a" * 101, VOCABULARY) == [VOCABULARY["[UNK]"]]


@given(st.text(alphabet="ab", min_size=1, max_size=90))
def test_the_pieces_of_a_known_word_make_it_up(word: str) -> None:
    said = "".join(WORDS[n].removeprefix("##") for n in pieces_of(word, VOCABULARY))
    assert said == word


@given(st.text(), st.integers(1, 20))
def test_any_text_has_known_pieces_and_no_more_than_asked_for(text: str, most: int) -> None:
    found = split(text, VOCABULARY, most)
    assert len(found) <= most
    assert all(0 <= n < len(WORDS) for n in found)
