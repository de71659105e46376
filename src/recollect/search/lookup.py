"""Read from the index: all SQL of recall, for commands and hooks.

An index with another identity is not read. Every word is data. Hooks import this module, so it
imports little.
"""

import sys

from recollect.search.evidence import is_joined
from recollect.search.rank import FIELD_WEIGHTS, Candidate
from recollect.text.tokens import TEXT_VERSION

__all__ = ["sqlite"]


# -------------------- SQLite: the bare `_sqlite3` module, without the library that it drags along.


if "functools" in sys.modules:
    import _sqlite3 as sqlite
else:
    from _functools import _lru_cache_wrapper  # type: ignore[import-not-found]

    _stand_in = type(sys)("functools")
    _stand_in.lru_cache = lambda size: lambda made: _lru_cache_wrapper(made, size, False, tuple)  # type: ignore[attr-defined]
    sys.modules["functools"] = _stand_in
    try:
        import _sqlite3 as sqlite
    finally:
        del sys.modules["functools"]


# -------------------- SQLite: the forms under which the index files words.


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


SCHEMA_VERSION = 10
IDENTITY = f"schema={SCHEMA_VERSION} text={TEXT_VERSION}"  # vectors have one of their own
COMMON_FROM = 2_000  # a word that more sections have is listed in the table `common`
# What recall looks at: of a long cue only its rarest words, of a large store only the sections
# that these bring.
MOST_WORDS = 24
MOST_ROWS = 1_000
SHORT_CUE = 8  # words
MOST_AT_ONCE = 500  # of the variables that SQLite takes in one statement
MOST_CANDIDATES = 12
MOST_SOLUTIONS = 500  # that an error is compared with, the newest
SHELVES = ("hot", "cold", "raw")  # what recall sees; the archive; raw conversations
WEIGHTS = ", ".join(map(str, FIELD_WEIGHTS))

# A raw conversation does not say when it was; the memory of its session, which has the same id, does.
_OWN_OR_SESSION = (
    "coalesce(nullif(m.{0}, {1}), (SELECT max(o.{0}) FROM memory o WHERE o.id = m.id))"
)
_FIELDS = (
    "s.n, s.memory, m.id, s.anchor, m.title, s.heading, s.text, m.path, m.layer, s.kind, "
    "m.salience, s.confidence, s.source, s.trust, m.status, s.trigger, m.files, m.related, "
    "m.session, {created}, {day}, s.tokens, f.size, f.mtime_ns, f.inode, "
    "m.tags || char(10) || m.concepts"
).format(created=_OWN_OR_SESSION.format("created", "''"), day=_OWN_OR_SESSION.format("day", "0"))
_JOINED = "section s JOIN memory m ON m.n = s.memory JOIN file f ON f.path = m.path"


def open_index(path: str, wait_ms: int) -> "sqlite.Connection | None":
    """A connection that only reads, or None where there is no index that we could trust.

    All that is asked of it is asked of one state of the index, whoever writes meanwhile.
    """
    try:
        db = sqlite.connect(f"file:{quoted(path)}?mode=ro", uri=True, timeout=wait_ms / 1000)
        db.execute("BEGIN")
        row = db.execute("SELECT value FROM meta WHERE key = 'identity'").fetchone()
    except (sqlite.Error, UnicodeDecodeError):  # a message may quote what is damaged
        return None
    if row is None or row[0] != IDENTITY:
        db.close()
        return None
    return db


def quoted(path: str) -> str:
    """A path as it stands in a `file:` address."""
    return path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def meta(db: "sqlite.Connection", key: str) -> str:
    """A value that the last refresh left for readers, or nothing."""
    row = db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return row[0] if row else ""


def files(db: "sqlite.Connection") -> "list[tuple[str, int, int, int, int, str, int]]":
    """Every file that the index has, as `ports.Known` has its fields."""
    asked = "SELECT path, size, mtime_ns, ctime_ns, inode, stamp, checked_ns FROM file"
    return db.execute(asked).fetchall()


def counts_of(db: "sqlite.Connection", filed: dict[str, str], shelf: str = "hot") -> dict[str, int]:
    """How many sections of a shelf have each word, given the forms that `stems` found."""
    terms = list(filed.values())
    counts: dict[str, int] = {}
    for start in range(0, len(terms), MOST_AT_ONCE):
        some = terms[start : start + MOST_AT_ONCE]
        common = f"SELECT term, count FROM common WHERE shelf = ? AND term IN ({_marks(some)})"
        counts.update(db.execute(common, (shelf, *some)).fetchall())
        rest = [term for term in some if term not in counts]
        words = f"SELECT term, doc FROM {shelf}_words WHERE term IN ({_marks(rest)})"
        counts.update(db.execute(words, rest).fetchall())
    return {word: counts.get(term, 0) for word, term in filed.items()}


def _marks(values: "list[str] | dict[int, float]") -> str:
    return ",".join("?" * len(values))


def match(words: list[str], *, every: bool = False) -> str:
    """The query of FTS5 for any (or every one) of these words."""
    glue = " AND " if every else " OR "
    return glue.join('"' + word.replace('"', '""') + '"' for word in words)


def without_doubles(
    db: "sqlite.Connection", counts: dict[str, int], words: list[str], shelf: str = "hot"
) -> dict[str, int]:
    """`counts` without the words that were only joined from `words` side by side.

    Who asks for a pull request would ask three times for it where somebody wrote `pull-request`.
    In a sentence, so do the parts of an identifier. `automerge` stays beside `auto merge` where
    something has it in one word only.
    """
    before = set(words) if len(words) > SHORT_CUE else set()
    kept = dict(counts)
    asked = f"SELECT 1 FROM {shelf}_fts WHERE {shelf}_fts MATCH ? LIMIT 1"
    for word in words:
        if counts.get(word) and is_joined(word, before):
            parts = [part for part in before if counts.get(part) and part in word]
            only = f"{match([word])} NOT ({match(parts, every=True)})" if parts else ""
            is_common = counts[word] >= COMMON_FROM
            if parts and (is_common or db.execute(asked, (only,)).fetchone() is None):
                del kept[word]
        before.add(word)
    return kept


def chosen_words(counts: dict[str, int], most_rows: int) -> list[str]:
    """The words to look up, rarest first, until they would give more than `most_rows` rows.

    A word that half the store has costs much and says little; the candidates that the rare words
    bring are judged by all words afterwards.
    """
    known = sorted((count, word) for word, count in counts.items() if count > 0)
    chosen: list[str] = []
    rows = 0
    for count, word in known:
        if chosen and rows + count > most_rows:
            break
        chosen.append(word)
        rows += count
    return chosen


def consider(
    db: "sqlite.Connection", filed: dict[str, str], scope: str
) -> tuple[list[Candidate], dict[str, int], int]:
    """What recall judges: `(candidates, counts, total)`, given the forms that `stems` found.

    `counts` says how many of the `total` sections of the hot shelf have each word.
    """
    counts = counts_of(db, filed)
    single = without_doubles(db, counts, list(filed))
    known = sorted((count, word) for word, count in single.items() if count)
    rare = {word: count for count, word in known[:MOST_WORDS]}
    found: dict[int, float] = {}
    if chosen := chosen_words(rare, MOST_ROWS):
        rows = db.execute(
            f"SELECT rowid, bm25(hot_fts, {WEIGHTS}) AS b FROM hot_fts "
            "WHERE hot_fts MATCH ? ORDER BY b LIMIT ?",
            (match(chosen), MOST_CANDIDATES),
        )
        found = {n: -score for n, score in rows.fetchall()}
    return rows_of(db, found, scope), counts, total_sections(db)


def total_sections(db: "sqlite.Connection") -> int:
    """How many sections recall looks through."""
    return int(meta(db, "sections") or 0)


def rows_of(
    db: "sqlite.Connection",
    scores: dict[int, float],
    scope: str = "",
    where: str = "",
    values: "list[object] | None" = None,
) -> list[Candidate]:
    """The candidates of these section numbers, with the scores given, in their order."""
    if not scores:
        return []
    rows = db.execute(
        f"SELECT {_FIELDS} FROM {_JOINED} WHERE s.n IN ({_marks(scores)}) AND {where or 1}",
        (*scores, *(values or ())),
    )
    found = {row[0]: Candidate(row, scores[row[0]], scope) for row in rows}
    return [found[n] for n in scores if n in found]


def dated(
    db: "sqlite.Connection",
    period: "tuple[int, int]",
    scope: str,
    where: str = "m.shelf = 0",
    values: "list[object] | None" = None,
) -> list[Candidate]:
    """The first sections of the memories that were made in these days, episodes first."""
    rows = db.execute(
        f"SELECT {_FIELDS} FROM {_JOINED} WHERE m.day BETWEEN ? AND ? AND {where} "
        "GROUP BY s.memory HAVING s.n = min(s.n) "
        "ORDER BY m.layer <> 'episodic', m.day DESC, m.id LIMIT ?",
        (*period, *(values or ()), MOST_CANDIDATES),
    )
    return [Candidate(row, 0.0, scope) for row in rows]


def solutions(db: "sqlite.Connection", scope: str) -> list[Candidate]:
    """The solutions on the hot shelf: they stand on procedural pages."""
    rows = db.execute(
        f"SELECT {_FIELDS} FROM {_JOINED} WHERE m.layer = 'procedural' AND m.shelf = 0 "
        "AND s.kind = 'solution' ORDER BY s.n DESC LIMIT ?",
        (MOST_SOLUTIONS,),
    )
    return [Candidate(row, 0.0, scope) for row in rows]


def heads_of(db: "sqlite.Connection", ids: list[str], scope: str) -> list[Candidate]:
    """The first section of each of these memories, as far as they are on the hot shelf."""
    if not ids:
        return []
    marks = ",".join("?" * len(ids))
    rows = db.execute(
        f"SELECT {_FIELDS} FROM {_JOINED} WHERE m.id IN ({marks}) AND s.shelf = 0 "
        "GROUP BY s.memory HAVING s.n = min(s.n)",
        tuple(ids),
    )
    return [Candidate(row, 0.0, scope) for row in rows]
