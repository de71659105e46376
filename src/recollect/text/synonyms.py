"""Synonyms: short forms, alternative names, English and Chinese, irregular verb forms.

synonyms.txt has rows of words that may replace each other in any project, separated by `|` or one
per line, then irregular forms of verbs. Chinese words are listed by two characters that no other
row has (据库 of 数据库), as `tokens` splits them. simplified.txt maps traditional to simplified
characters; `python tools/simplified.py` makes it from OpenCC (LICENSE.opencc). mainland.txt has the
words that Taiwan says otherwise, each with the mainland's, in simplified characters; longer ones
first. Text without Chinese and searches without an unknown word do not import this module.
"""

from __future__ import annotations

from recollect.text.tokens import stem, text_file

# The simplified character for each traditional one; for `str.translate`.
SIMPLIFIED = {ord(pair[0]): pair[1] for pair in text_file("simplified").split()}

_MAINLAND = {row.split()[0]: row.split()[1] for row in text_file("mainland").split("|")}
_BEGINNINGS = frozenset(word[0] for word in _MAINLAND)


def mainland(run: str) -> str:
    """A run of Chinese in simplified characters and the mainland's words: 檔案鎖 → 文件锁."""
    run = run.translate(SIMPLIFIED)
    if not _BEGINNINGS.isdisjoint(run):
        for one, other in _MAINLAND.items():
            run = run.replace(one, other)
    return run


def others(word: str) -> tuple[str, ...]:
    """The words that mean the same as this one, as they are written; a word is none of its own."""
    # A line for each row, with a space in front of each word. It is searched as text: a query asks
    # for a word or two, and a table of all would take longer to make.
    key, lines = stem(word), f"\n{text_file('synonyms')}".replace(" | ", "\n").replace("\n", "\n ")
    found: dict[str, None] = {}
    at = lines.find(f" {key}")  # all forms of a word begin with its stem
    while at >= 0:
        end = lines.find("\n", at)
        row = {one: stem(one) for one in lines[lines.rfind("\n", 0, at) : end].split()}
        if key in row.values():
            found |= dict.fromkeys(one for one, its in row.items() if its != key)
        at = lines.find(f" {key}", end)
    return tuple(found)
