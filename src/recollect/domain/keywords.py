"""Keywords: level 0, the end of a skill's description, which every session loads.

Promises: only words of memories that a person made or approved, newest first, few; no word can
leave its quotes, end its line or be a sentence; outside of the line no byte changes.
Touches: nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from recollect.domain.codec.legacy import split_keywords
from recollect.domain.model import Entry
from recollect.domain.pattern import Pattern
from recollect.domain.text import folded, is_cjk
from recollect.domain.views import keywords, listed

MOST = 15
LONGEST = 32
LONGEST_CHINESE = 12
MOST_PARTS = 3  # a tag is a noun or two; more words could tell an agent what to do
SAYS = {"en": "Active memory keywords:", "zh": "活跃记忆关键词："}
_NONE = {"en": "(no active memories)", "zh": "（无活跃记忆）"}
_INNER = " -_.+#"  # what a word may have besides letters and digits: C++, C#, node.js
# The files that many hands write into: their tags are not only the person's.
_SHARED = ("procedural/feedback", "reference/external-systems")
_LINE = Pattern(
    r"\A(---[ \t]*\r?\n(?:[^\r\n]*\r?\n)*?description:[ \t]*\"[^\"\r\n]*?"
    r"(Active memory keywords:|活跃记忆关键词：)[ \t]*)([^\"\\\r\n]*)(?=\"[ \t]*\r?\n)"
)
_DESCRIPTION = Pattern(r"^description:[ \t]*\"[^\"\r\n]*(?=\"[ \t]*\r?$)", 8)  # re.M


def active_keywords(entries: Sequence[Entry], most: int = MOST) -> list[str]:
    """The words of the newest memories of a person that may stand in what every session loads."""
    mine = [entry for entry in listed(entries) if _is_a_persons(entry)]
    found: dict[str, str] = {}
    for tag in keywords(mine):
        if word := harmless_word(tag):
            found.setdefault(word.casefold(), word)
    return list(found.values())[:most]


def _is_a_persons(entry: Entry) -> bool:
    return entry.trust == "user" and not entry.project and not entry.path.startswith(_SHARED)


def harmless_word(tag: str) -> str:
    """A tag as a word that is no more than a word, or nothing."""
    if not split_keywords(tag):  # the placeholder of a template
        return ""
    plain = "".join(c if c.isalnum() or c in _INNER else " " for c in folded(tag))
    word = " ".join(plain.split()).strip(" -_.")
    parts = "".join(c if c.isalnum() else " " for c in word).split()
    longest = LONGEST_CHINESE if any(map(is_cjk, word)) else LONGEST
    return word if 0 < len(parts) <= MOST_PARTS and len(word) <= longest else ""


def has_line(text: str) -> bool:
    """Whether this skill has a place for keywords."""
    return _LINE.search(text) is not None


def with_place(text: str, lang: str) -> str:
    """A skill with a place for keywords at the end of its description."""
    found = _DESCRIPTION.search(text)
    if found is None or has_line(text):
        return text
    gap = " " if lang == "en" else ""
    place = f"{gap}{SAYS[lang]}{gap}{_NONE[lang]}"
    return text[: found.end()] + place + text[found.end() :]


def with_keywords(text: str, words: Iterable[str]) -> str:
    """A skill with these keywords in their place; one without a place stays as it is."""
    found = _LINE.search(text)
    if found is None:
        return text
    lang = "en" if found[2] == SAYS["en"] else "zh"
    return text[: found.start(3)] + (", ".join(words) or _NONE[lang]) + text[found.end() :]
