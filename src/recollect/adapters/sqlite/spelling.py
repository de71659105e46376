"""SQLite: words of the index that are spelled nearly like one that nobody wrote.

Promises: reads only; looks at a bounded number of words, and only for words that are unknown.
Touches: nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from recollect.adapters.sqlite.engine import sqlite
from recollect.domain.evidence import PARTICLES, is_joined
from recollect.domain.text import is_cjk

SHORTEST = 5  # a shorter word has too many neighbours that mean something else
LONG = 9  # from this length on a word may have two slips
MOST_TRIED = 4  # words of a cue
LONGEST_CUE = 16  # words; in a longer one the others are enough
MOST_CHARACTERS = 4  # in a longer cue some of them stand somewhere by chance
MOST_COMPARED = 20_000
MOST_NEAR = 3


def neighbours(
    db: sqlite.Connection, counts: dict[str, int], filed: dict[str, str], shelf: str
) -> dict[str, list[tuple[str, int]]]:
    """For each unknown word of a short cue the `(term, sections)` that are spelled like it.

    `counts` says how many sections have each word, `filed` how the index spells it.
    """
    if len(counts) > LONGEST_CUE:
        return {}
    have = set(counts)
    unknown = [w for w, n in counts.items() if not n and len(w) >= SHORTEST and w.isascii()]
    tried = [word for word in unknown if not is_joined(word, have)][:MOST_TRIED]
    found = {word: list(_near(db, filed.get(word, word), shelf)) for word in tried}
    return {word: near for word, near in found.items() if near}


def characters(words: Iterable[str]) -> list[str]:
    """The characters of a Chinese cue of a word or two, each once; particles say nothing."""
    several = dict.fromkeys(char for word in words for char in word if is_cjk(char))
    if len(several) > MOST_CHARACTERS:
        return []
    return [char for char in several if char not in PARTICLES]


def _near(db: sqlite.Connection, term: str, shelf: str) -> Iterator[tuple[str, int]]:
    """The nearest terms with the same first letter, those that most sections have first."""
    most = 2 if len(term) >= LONG else 1
    rows = db.execute(
        f"SELECT term, doc FROM {shelf}_words WHERE term >= ? AND term < ? "
        "AND length(term) BETWEEN ? AND ? LIMIT ?",
        (term[0], chr(ord(term[0]) + 1), len(term) - most, len(term) + most, MOST_COMPARED),
    )
    letters = set(term)
    near = [
        (slips, -count, other)
        for other, count in rows
        if len(letters.symmetric_difference(other)) <= 2 * most
        and _keeps_a_piece(term, other, most)
        and 0 < (slips := slips_between(term, other, most)) <= most
    ]
    near.sort()
    for slips, count, other in near[:MOST_NEAR]:
        if slips == near[0][0]:
            yield other, -count


def _keeps_a_piece(one: str, other: str, most: int) -> bool:
    """Whether a piece of a word stands in the other as it is: few slips leave one untouched.

    Quicker than to count the slips. Pieces do not touch: two letters may be turned round there.
    """
    size = max(1, len(one) // (most + 1) - 1)
    if other.startswith(one[:size]) or other.endswith(one[-size:]):
        return True
    middle = len(one) // 2 - size // 2
    return most > 1 and one[middle : middle + size] in other


def slips_between(one: str, other: str, most: int) -> int:
    """How many slips make one word of the other; `most` + 1 where it takes more.

    A slip is a letter too much, a letter missing, a wrong one, or two neighbours turned round.
    """
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: list[int] = []
    last = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        row = [i]
        for j, b in enumerate(other, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
        before, last = last, row
    return min(last[-1], most + 1)
