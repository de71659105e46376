"""The benchmark of identifiers and Chinese words: what it holds, and that it measures what it says."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.identifiers import __main__ as program
from bench.identifiers import made

from recollect.text.tokens import is_cjk, simplified


def test_the_same_seed_gives_the_same_texts_and_another_one_others() -> None:
    lines = made.written()
    assert list(made.code(50, lines)) == list(made.code(50, lines))
    assert list(made.code(50, lines)) != list(made.code(50, lines, seed=7))
    assert list(made.paragraphs(50)) == list(made.paragraphs(50))


def test_no_other_line_says_what_a_cue_asks_for() -> None:
    lines = made.written()
    others = [made.squeezed(line) for line in made.code(300, lines)]
    asked = {made.squeezed(cue) for line in lines for cue in line.cues}
    assert not [name for name in asked for other in others if name in other]


def test_each_name_is_asked_for_once_and_there_are_near_misses() -> None:
    lines = made.written()
    cues = [cue for line in lines for cue in line.cues]
    assert len(cues) == len(set(cues)) > 80
    assert sum(not line.cues for line in lines) > 8


def test_words_are_two_chinese_characters_and_most_of_them_are_written() -> None:
    words = (*made.WORDS, *made.TRADITIONAL)
    assert len(set(words)) == len(words)
    assert all(len(word) == 2 and all(map(is_cjk, word)) for word in words)
    assert all(simplified(word) != word for word in made.TRADITIONAL[:5])
    texts = "".join(map(simplified, made.paragraphs(500)))
    assert sum(simplified(word) in texts for word in words) > 0.6 * len(words)


@pytest.mark.slow
def test_the_product_finds_names_among_others_and_every_chinese_word(tmp_path: Path) -> None:
    lines = made.written()
    texts = [line.text for line in lines] + list(made.code(400, lines))
    rows = program.ask_names(program.product(texts, str(tmp_path / "names")), lines)
    assert program.hit(rows, 3) >= 0.92
    assert all(found for _, _, found in rows)
    texts = list(made.paragraphs(200))
    found = program.ask_words(program.product(texts, str(tmp_path / "words")), texts)
    assert found[:3] == (1.0, 1.0, 0)
    assert found.asked > 0.5 * len((*made.WORDS, *made.TRADITIONAL))
