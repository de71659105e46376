"""Normalised keys by which two claims are the same.

Two claims are the same only if all of their words are, in order; nearly the same only if they
differ in filler words, endings and the form of a negation. Numbers, versions, names and negations
always count. Both are equalities, so that the order of wordings makes no difference. Overlap and
edit distance are not used: `the staging port is 8080` and `the test port is 8080` share nine
tenths.
"""

from __future__ import annotations

import re
from functools import lru_cache

from recollect._fastimport import Pattern
from recollect.text.tokens import folded, is_cjk

_EDGES = "\"'“”‘’`*_~,;:!?()[]{}<>。，；：！？、（）【】「」『』《》…·"
_SIGNS = Pattern(r"^[<>=]+$")
_FILLING = frozenset(
    """a an the please just also really very simply our this that's so then now currently all is are be of""".split()
)
_NEGATIONS = {
    "don't": "not", "dont": "not", "doesn't": "not", "doesnt": "not", "not": "not", "cannot": "not",
    "can't": "not", "cant": "not", "isn't": "not", "aren't": "not", "won't": "not", "shouldn't": "not",
    "mustn't": "not", "never": "never", "no": "no", "without": "without",
}  # fmt: skip
_FILLING_ZH = Pattern(r"(?<!目)的(?!确)|(?<!申)请(?!求)|(?<![首成])都(?!市)|(?<!成)就")
_PAIR = Pattern(r"(?<![\w./@-])([a-z]{3,})/(?=[a-z]{3,}(?![\w/.@-]))", re.I)  # `mocks/stubs`
# What looks like a plural of another word and is not.
_NO_PLURALS = frozenset("https windows always express sometimes perhaps".split())
_DO_NOT = frozenset(("do", "does", "did"))


def claim_key(text: str) -> str:
    """All the words of a claim, without case, markup and punctuation around them."""
    return " ".join(_tokens(text)) or " ".join(text.split())


@lru_cache(maxsize=8192)  # a pass meets most claims twice: in the journal and in their file
def near_key(text: str) -> str:
    """The words of a claim that matter; claims that say nearly the same share this key."""
    if "/" in text:
        text = _PAIR.sub(r"\1 and ", text)
    tokens = _tokens(text if text.isascii() else _FILLING_ZH.sub("", text))
    if not _DO_NOT.isdisjoint(tokens):
        after = [*tokens[1:], ""]
        pairs = zip(tokens, after, strict=True)
        tokens = [one for one, two in pairs if one not in _DO_NOT or two not in _NEGATIONS]
    return " ".join([said for token in tokens if (said := _base_word(token))]) or claim_key(text)


def is_near(one: str, other: str) -> bool:
    """Whether two texts say the same but for filling words and endings."""
    return near_key(one) == near_key(other)


_WITH_REASON = Pattern(r"[:：]\s|：|,?\s+(?:because|since|as)\s+|[,，]?\s*因为", re.I)


def statement_key(text: str) -> str:
    """The near key of a statement with its reason, in whichever way that is put."""
    return near_key(_WITH_REASON.sub(" ", text))


def _tokens(text: str) -> list[str]:
    found: list[str] = []
    for chunk in folded(text).casefold().replace("’", "'").split():
        found += [chunk] if chunk.isascii() and chunk.isalnum() else _cut(chunk)
    return found


def _cut(chunk: str) -> list[str]:
    """The words of a chunk without blanks; every Chinese character is a word."""
    if chunk.isascii():
        return _trimmed(chunk)
    words: list[str] = []
    start = 0
    for at, char in enumerate(chunk):
        if is_cjk(char) or char in "，。！？；：、（）“”「」":
            words += _trimmed(chunk[start:at])
            words += [char] if is_cjk(char) else []
            start = at + 1
    return words + _trimmed(chunk[start:])


def _trimmed(word: str) -> list[str]:
    # A full stop ends a sentence; in front it belongs to a name, as in `.env`.
    bare = word.strip(_EDGES).rstrip(".").rstrip(_EDGES)
    if not bare and word and _SIGNS.match(word):  # `a < b` is not `a > b`
        return [word]
    return [bare] if bare else []


@lru_cache(maxsize=16384)
def _base_word(word: str) -> str:
    """The same key for all forms of a word; empty for a filler word."""
    return "" if word in _FILLING else _NEGATIONS.get(word) or _stem(word)


def _stem(word: str) -> str:
    """A word without its plural ending; names, code and numbers stay as they are."""
    if not (word.isascii() and word.isalpha()) or len(word) < 5:
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    is_plural = word.endswith("s") and not word.endswith(("ss", "us", "is", "os"))
    is_plural = is_plural and word not in _NO_PLURALS
    return word[:-1] if is_plural else word


_PAST = Pattern(r"<!-- superseded \S+: previously ")
_OWN_FIELDS = Pattern(r"\b(trust|source|from):", re.I)


def reversed_keys(text: str) -> set[str]:
    """The near keys of the rules that a text marks as reversed."""
    found: set[str] = set()
    start = text.find("<!-- sup")
    # Not one expression: comments that never end would each be searched to the end of the file.
    while start >= 0 and (head := _PAST.search(text, start)):
        end = text.find(" -->", head.end())
        if end < 0:
            break
        found.add(near_key(text[head.end() : end]))
        start = end
    return found


def reversed_key(old: str) -> str:
    """The near key of a rule as its `superseded` comment has it."""
    return near_key(_OWN_FIELDS.sub(r"\1：", old))


def reversed_comment(date: str, old: str) -> str:
    """The comment that stands in place of a reversed rule."""
    said = _OWN_FIELDS.sub(r"\1：", old.replace("<!--", "‹!--").replace("-->", "--›"))
    return f"<!-- superseded {date[:10] or 'unknown'}: previously {said} -->"
