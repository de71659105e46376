"""SQLite: the forms under which the index files words.

Promises: the same forms as the index's own tokenizer, `porter unicode61`: plain words are cut here,
all others by SQLite itself.
Touches: nothing. The hook imports this module, so it imports next to nothing itself.

To have SQLite cut words is to make a text index in memory and to read it, for which it loads what it
writes such an index with (docs/adr/0038 has what that costs a hook). The rules for plain words are
M. F. Porter's, “An algorithm for suffix stripping”, Program 14 (1980), with `bli` and `logi` as in his own programs, which SQLite has, too.
"""

from recollect.adapters.sqlite.engine import sqlite

TOKENIZER = "porter unicode61 remove_diacritics 2"
LONGEST, SHORTEST = 64, 3  # what is longer or shorter stays as it is
# v for a vowel, c for any other letter or digit; y is settled by what stands before it.
_SHAPES = dict.fromkeys(range(123), "c") | dict.fromkeys(map(ord, "aeiou"), "v") | {ord("y"): "y"}
# By the last letter but one: endings, the longest first, and what takes their place.
_LONG = {
    "a": (("ational", "ate"), ("tional", "tion")),
    "c": (("enci", "ence"), ("anci", "ance")),
    "e": (("izer", "ize"),),
    "g": (("logi", "log"),),
    "l": (("bli", "ble"), ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous")),
    "o": (("ization", "ize"), ("ation", "ate"), ("ator", "ate")),
    "s": (("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous")),
    "t": (("aliti", "al"), ("iviti", "ive"), ("biliti", "ble")),
}
_SHORT = {
    "a": (("ical", "ic"),),
    "s": (("ness", ""),),
    "t": (("icate", "ic"), ("iciti", "ic")),
    "u": (("ful", ""),),
    "v": (("ative", ""),),
    "z": (("alize", "al"),),
}
_LAST = {
    "a": ("al",),
    "c": ("ance", "ence"),
    "e": ("er",),
    "i": ("ic",),
    "l": ("able", "ible"),
    "n": ("ant", "ement", "ment", "ent"),
    "o": ("ion", "ou"),
    "s": ("ism",),
    "t": ("ate", "iti"),
    "u": ("ous",),
    "v": ("ive",),
    "z": ("ize",),
}


def stems(words: list[str]) -> dict[str, str]:
    """Each word with the form under which the index files it."""
    found, others = _plain(words)
    return found | {others[n]: term for n, term in _cut(others)}


def terms(words: list[str]) -> set[str]:
    """The forms under which the index files a text of these words; an odd one may have several."""
    found, others = _plain(words)
    return {*found.values(), *(term for _, term in _cut(others))}


def _plain(words: list[str]) -> tuple[dict[str, str], list[str]]:
    """The words that can be cut here with their forms, and the others."""
    found: dict[str, str] = {}
    others = []
    for word in words:
        if word.isascii() and word.isalnum() and word == word.lower():
            found[word] = stem(word)
        elif word and all("\u4e00" <= char <= "\u9fa5" for char in word):
            found[word] = word
        else:
            others.append(word)
    return found, others


def _cut(words: list[str]) -> list[tuple[int, str]]:
    """What the tokenizer itself makes of words: the place of each, and a form."""
    if not words:
        return []
    place = sqlite.connect(":memory:", isolation_level=None)
    place.execute("BEGIN")
    # Without content and sizes there are two tables less to make.
    kind = f"fts5(word, tokenize='{TOKENIZER}', content='', columnsize=0)"
    place.execute(f"CREATE VIRTUAL TABLE cut USING {kind}")
    place.execute("CREATE VIRTUAL TABLE seen USING fts5vocab(cut, instance)")
    place.executemany("INSERT INTO cut(rowid, word) VALUES (?, ?)", list(enumerate(words)))
    found: list[tuple[int, str]] = place.execute("SELECT doc, term FROM seen").fetchall()
    place.close()
    return found


def stem(word: str) -> str:
    """The stem of a word of small letters and digits of ASCII."""
    if not SHORTEST <= len(word) <= LONGEST:
        return word
    word = _without_past(_without_plural(word))
    if word[-1] == "y" and "v" in _shape(word[:-1]):
        word = word[:-1] + "i"
    word = _without_last(_with_other_ending(_with_other_ending(word, _LONG), _SHORT))
    if word[-1] == "e":
        start = word[:-1]
        times = _times(start)
        if times > 1 or (times == 1 and not _is_short(start)):
            word = start
    if word[-2:] == "ll" and _times(word[:-1]) > 1:
        word = word[:-1]
    return word


def _shape(word: str) -> str:
    """A word with v and c for its letters: `stray` → `cccvc`, `sky` → `ccv`."""
    shape = word.translate(_SHAPES)
    while "y" in shape:
        at = shape.index("y")
        shape = f"{shape[:at]}{'v' if shape[at - 1 : at] == 'c' else 'c'}{shape[at + 1 :]}"
    return shape


def _times(word: str) -> int:
    """How often a vowel is followed by another letter: Porter's m."""
    return _shape(word).count("vc")


def _is_short(word: str) -> bool:
    """Whether it ends as `hop` does: Porter's *o."""
    return word[-1:] not in ("w", "x", "y") and _shape(word)[-3:] == "cvc"


def _without_plural(word: str) -> str:
    if word[-1] != "s" or word[-2] == "s":
        return word
    is_es = word[-2] == "e" and (
        (word[-4:-2] == "ss" and len(word) > 4) or (word[-3] == "i" and len(word) > 3)
    )
    return word[:-2] if is_es else word[:-1]


def _without_past(word: str) -> str:
    if word[-3:] == "eed" and len(word) > 3:
        return word[:-1] if _times(word[:-3]) else word
    if word[-2:] == "ed" and len(word) > 2:
        start = word[:-2]
    elif word[-3:] == "ing" and len(word) > 3:
        start = word[:-3]
    else:
        return word
    return _mended(start) if "v" in _shape(start) else word


def _mended(start: str) -> str:
    """What is left of `hopping`, `fil-ing`, `siz-ed` as a word: `hop`, `file`, `size`."""
    end = start[-1]
    if start[-2:] in ("at", "bl", "iz") and len(start) > 2:
        return start + "e"
    if end not in "aeioulsz" and start[-2:-1] == end:
        return start[:-1]
    return start + "e" if _times(start) == 1 and _is_short(start) else start


def _with_other_ending(word: str, endings: "dict[str, tuple[tuple[str, str], ...]]") -> str:
    """The first ending of these that it has in another form, if enough stands before it."""
    for ending, other in endings.get(word[-2:-1], ()):
        if word.endswith(ending) and len(word) > len(ending):
            start = word[: -len(ending)]
            return start + other if _times(start) else word
    return word


def _without_last(word: str) -> str:
    for ending in _LAST.get(word[-2:-1], ()):
        if word.endswith(ending) and len(word) > len(ending):
            start = word[: -len(ending)]
            is_so = _times(start) > 1 and (ending != "ion" or start[-1] in "st")
            return start if is_so else word
    return word
