"""Words are cut here as the index's own tokenizer cuts them."""

from __future__ import annotations

import random
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from recollect.search import lookup as stemming
from recollect.search.lookup import LONGEST, TOKENIZER, sqlite, stem, stems

LETTERS = "abcdefghijklmnopqrstuvwxyz0"
PAIRS = [pair for table in (stemming._LONG, stemming._SHORT) for pair in table.values()]
ENDINGS = [
    *{ending for pairs in PAIRS for pair in pairs for ending in pair},
    *(ending for several in stemming._LAST.values() for ending in several),
    *("s", "es", "sses", "ies", "ed", "eed", "ing", "y", "e", "ll", "at", "bl", "iz", "ion", "tion", "zz", "ss"),
]  # fmt: skip


def filed(words: list[str]) -> list[str]:
    """The forms under which a text index files these words, none of which it cuts in two."""
    db = sqlite.connect(":memory:", isolation_level=None)
    db.execute("BEGIN")
    db.execute(f"CREATE VIRTUAL TABLE t USING fts5(word, tokenize='{TOKENIZER}')")
    db.execute("CREATE VIRTUAL TABLE seen USING fts5vocab(t, instance)")
    db.executemany("INSERT INTO t(rowid, word) VALUES (?, ?)", list(enumerate(words)))
    found = dict(db.execute("SELECT doc, term FROM seen").fetchall())
    db.close()
    return [found.get(n, "") for n in range(len(words))]


def test_every_word_of_up_to_three_letters_has_the_index_s_stem() -> None:
    words = ["".join(several) for n in (1, 2, 3) for several in product(LETTERS, repeat=n)]
    assert [stem(word) for word in words] == filed(words)


def test_words_with_every_ending_have_the_index_s_stem() -> None:
    rng = random.Random(5)
    words = [
        "".join(rng.choices("aeiouybcdlnrstwxz0", k=rng.randint(0, 7)))
        + "".join(rng.choices(ENDINGS, k=rng.randint(1, 3)))
        for _ in range(60_000)
    ]
    words = [word for word in words if word]
    assert [stem(word) for word in words] == filed(words)


@given(st.lists(st.text(LETTERS, min_size=1, max_size=LONGEST + 3), min_size=1, max_size=40))
def test_any_word_has_the_index_s_stem(words: list[str]) -> None:
    assert [stem(word) for word in words] == filed(words)


def test_the_characters_that_are_taken_as_they_are_are_filed_so() -> None:
    chars = [chr(n) for n in range(0x4E00, 0x9FA6)]
    assert filed(chars) == chars
    assert stems(["连接", "数据库s"]) == dict(
        zip(["连接", "数据库s"], filed(["连接", "数据库s"]), strict=True)
    )


def test_words_of_other_scripts_are_cut_by_the_index_s_tokenizer() -> None:
    words = [
        "Обновление",
        "ΣΊΣΥΦΟΣ",
        "naïve",
        "カフェ",
        "Straße",
        "データ",
        "한국어",
        "RUNNING",
        "ＦＵＬＬ",
    ]
    assert stems(words) == dict(zip(words, filed(words), strict=True))
    assert stems(["", "・", "running"]) == {"running": "run"}
