"""Words of the trade that mean the same."""

from __future__ import annotations

import pytest

from recollect.text import synonyms as alike
from recollect.text.tokens import cue_words, is_cjk, simplified

WORDS = sorted(set(alike._lines().split()))


@pytest.mark.parametrize(
    ("word", "meant"),
    [("db", "database"), ("databases", "据库"), ("缓存", "cache"), ("deploying", "部署"), ("k8s", "kubernetes"), ("takes", "took")],
)  # fmt: skip
def test_a_word_is_known_by_its_other_names(word: str, meant: str) -> None:
    assert meant in alike.others(word)


def test_a_word_without_another_name_has_none() -> None:
    assert alike.others("ostrich") == ()


def test_each_stands_for_the_others_as_a_cue_has_it() -> None:
    for word in WORDS:
        assert cue_words(word)[0] == simplified(word) == word
        assert not any(map(is_cjk, word)) or len(word) == 2
        others = alike.others(word)
        assert others, word
        assert alike._key(word) not in {alike._key(one) for one in others}
        for other in others:
            assert alike._key(word) in {alike._key(one) for one in alike.others(other)}
