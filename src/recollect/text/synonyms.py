"""Words that mean the same: short forms, two names of one thing, English and Chinese, took and take.

synonyms.txt has rows of words of which one may stand for another in any project, between `|` or on lines of
their own; then forms of one word that no rule of endings makes one (verbs that say little by themselves are
left out). Chinese words stand there with the two characters that no other row has (据库 of 数据库), as
`tokens` cuts them. simplified.txt has traditional characters, each with the simplified one that stands for
it; `python tools/simplified.py` makes it of OpenCC's table (LICENSE.opencc).

Only a search that has a word which nobody wrote imports this, or one in traditional characters.
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
