"""Claims: where a sentence ends, in English and in Chinese.

Promises: abbreviations, numbers, versions, names of files and what stands in `code` end nothing;
no letter is lost; time grows with the length of the text.
Touches: nothing.
"""

from __future__ import annotations

import re

_MASKED = re.compile(r"`[^`\n]*`|https?://[^\s，。！？；、（）]*[^\s，。！？；、（）.,;:!]")
_END = re.compile(r"[.!?]+[\"'”’)\]*_]*(?=\s|$)|[。！？]+[”’」』）)\"'*_]*")
_WORD_BEFORE = re.compile(r"[\w.]+$")
_NEVER_LAST = frozenset(
    """e.g i.e eg ie cf vs viz approx ca resp incl excl esp dr mr mrs ms prof st fig figs eq sec ch vol
    ver ref refs dept est al a.k.a aka p pp no nr art""".split()
)
_BEFORE_NUMBERS = frozenset("no nr fig figs eq sec ch vol ver ref refs p pp art".split())
LONGEST_WORD = 24


def split_sentences(text: str) -> list[str]:
    """The sentences of a paragraph that stands on one line."""
    plain = _MASKED.sub(lambda match: "X" * len(match[0]), text)
    sentences: list[str] = []
    start = 0
    for match in _END.finditer(plain):
        if match[0][0] == "." and not _is_full_stop(plain, match.start(), match.end()):
            continue
        if match[0][0] in ".!?" and _goes_on(plain, match.end()):
            continue
        sentences.append(text[start : match.end()].strip())
        start = match.end()
    sentences.append(text[start:].strip())
    return [sentence for sentence in sentences if sentence]


def _goes_on(plain: str, end: int) -> bool:
    """Whether the next word begins with a small letter, as it does in the middle of a sentence."""
    after = plain[end : end + 8].lstrip("\"'“‘([*_ \t")
    return bool(after) and after[0].islower()


def _is_full_stop(plain: str, at: int, end: int) -> bool:
    found = _WORD_BEFORE.search(plain[max(0, at - LONGEST_WORD) : at])
    word = found[0].casefold().strip(".") if found else ""
    if not word:
        return True
    if word in _BEFORE_NUMBERS:
        return not plain[end : end + 3].lstrip()[:1].isdigit()
    if word in _NEVER_LAST:
        return False
    # `J. Smith`, and the number of an item at the start.
    is_initial = len(word) == 1 and word.isalpha() and word != "i" and found is not None
    is_number_of_item = word.isdigit() and not plain[:at].strip("0123456789 ")
    return not (is_initial and found is not None and found[0].isupper()) and not is_number_of_item
