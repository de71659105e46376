"""Which words of a prompt are searched for."""

from __future__ import annotations

import pytest

from recollect.text.tokens import cue_words


@pytest.mark.parametrize(
    ("cue", "words"),
    [
        ("解释一下什么是闭包", ["解释", "闭包"]),
        ("数据库如何迁移", ["数据", "据库", "迁移"]),
        ("怎么部署", ["部署"]),
        ("把 CI 换成 ubuntu", ["ci", "换成", "ubuntu"]),
        ("训练报 OOM 了", ["训练", "练报", "oom"]),
        ("the team's build isn't green", ["teams", "team", "build", "isnt", "green"]),
        ("s", ["s"]),
        ("什么", ["什么"]),
    ],
)
def test_what_only_joins_words_is_not_searched_for(cue: str, words: list[str]) -> None:
    assert cue_words(cue) == words
