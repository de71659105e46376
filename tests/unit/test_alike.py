"""Words of the trade that mean the same."""

from __future__ import annotations

import pytest

from recollect.text import synonyms
from recollect.text.tokens import cue_words, is_cjk, simplified, stem, text_file

WORDS = sorted(set(text_file("synonyms").replace("|", " ").split()))


@pytest.mark.parametrize(
    ("word", "meant"),
    [("db", "据库"), ("databases", "据库"), ("缓存", "cache"), ("deploying", "部署"), ("js", "javascript"), ("takes", "took"),
     ("授权", "登录"), ("鉴权", "登录"), ("身份验证", "登录"), ("发布", "部署"), ("database", "据库")],
)  # fmt: skip
def test_a_word_is_known_by_its_other_names(word: str, meant: str) -> None:
    assert any(meant in synonyms.others(one) for one in cue_words(word))


def test_a_word_without_another_name_has_none() -> None:
    assert synonyms.others("ostrich") == ()


def test_each_stands_for_the_others_as_a_cue_has_it() -> None:
    for word in WORDS:
        assert cue_words(word)[0] == simplified(word) == word
        assert not any(map(is_cjk, word)) or len(word) == 2
        others = synonyms.others(word)
        assert others, word
        assert stem(word) not in {stem(one) for one in others}
        for other in others:
            assert stem(word) in {stem(one) for one in synonyms.others(other)}
