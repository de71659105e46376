"""Synonyms: short forms, alternative names, English and Chinese, irregular verb forms.

synonyms.txt has rows of words that may replace each other in any project, separated by `|` or one
per line, then irregular forms of verbs. Chinese words are listed by two characters that no other
row has (据库 of 数据库), as `tokens` splits them. simplified.txt maps traditional to simplified
characters; `python tools/simplified.py` makes it from OpenCC (LICENSE.opencc). Only searches with
an unknown word or traditional characters import this module.
"""

from __future__ import annotations

from recollect.text.tokens import stem

_SIMPLIFIED: dict[int, str] = {}


def _table(name: str) -> str:
    with open(f"{__file__.rpartition('/')[0]}/{name}.txt", encoding="utf-8") as file:
        return file.read()


def simplified() -> dict[int, str]:
    """Which simplified character stands for a traditional one; for `str.translate`."""
    if not _SIMPLIFIED:
        _SIMPLIFIED.update((ord(pair[0]), pair[1]) for pair in _table("simplified").split())
    return _SIMPLIFIED


def _key(word: str) -> str:
    """The start that all forms of a word share: deploying → deploy → deplo."""
    start = stem(word)
    return start if start == word else _key(start)


def _lines() -> str:
    """One line for a row, with a space in front of each word.

    It is searched as text: a query asks of a word or two, and a table of all would have to be made for it.
    """
    return f"\n{_table('synonyms')}".replace(" | ", "\n").replace("\n", "\n ")


def others(word: str) -> tuple[str, ...]:
    """The words that mean the same as this one, as they are written; a word is none of its own."""
    key, lines = _key(word), _lines()
    found: dict[str, None] = {}
    at = lines.find(f" {key}")  # a key is how all of its forms begin
    while at >= 0:
        end = lines.find("\n", at)
        row = {one: _key(one) for one in lines[lines.rfind("\n", 0, at) : end].split()}
        if key in row.values():
            found |= dict.fromkeys(one for one, its in row.items() if its != key)
        at = lines.find(f" {key}", end)
    return tuple(found)
