"""Find words of the index that resemble an unknown query word, among a bounded number."""

from __future__ import annotations

from recollect._fastimport import Iterable, Iterator
from recollect.search import lookup
from recollect.search.lookup import sqlite
from recollect.search.relevance import is_joined
from recollect.text import synonyms
from recollect.text.tokens import SHORT_FORMS, stem

SHORTEST = 5  # a shorter word has too many neighbours that mean something else
SHORTEST_PART = 3  # letters of each of two words that were written as one
LONG = 9  # from this length on a word may have two slips
MOST_TRIED = 4  # words of a cue
LONGEST_CUE = 16  # words; in a longer one the others are enough
ENOUGH_KNOWN = 3  # words of a cue that was not written to find the unknown one
MOST_COMPARED = 20_000  # terms with one beginning
MOST_NEAR = 3

Terms = list[tuple[str, int]]  # each with the number of sections that have it


def neighbours(db: sqlite.Connection, counts: dict[str, int], shelf: str) -> dict[str, Terms]:
    """For each unknown word of a short cue the terms that it may have been meant for.

    Synonyms; if there are none, terms that are spelled like it. `counts` says how many sections
    have each word.
    """
    if len(counts) > LONGEST_CUE:
        return {}
    unknown = [word for word, count in counts.items() if not count]
    found = _synonyms(db, unknown, shelf)
    have, known = set(counts), {word for word, count in counts.items() if count}
    strange = [w for w in unknown if w not in found and len(w) >= SHORTEST and w.isascii()]
    # What is joined of known words was never mistyped; of others, the words themselves say more.
    strange = [word for word in strange if not is_joined(word, known)]
    tried = sorted(strange, key=lambda word: is_joined(word, have))[:MOST_TRIED]
    for word in tried:
        near = list(_near(db, stem(word), shelf, is_sought=len(known) < ENOUGH_KNOWN))
        found[word] = near or _short(db, word, shelf) or _parts(db, word, shelf)
    return {word: near for word, near in found.items() if near}


def _synonyms(db: sqlite.Connection, words: Iterable[str], shelf: str) -> dict[str, Terms]:
    """The synonyms of these words that some section has."""
    others = {word: synonyms.others(word) for word in words}
    every = list(dict.fromkeys(one for several in others.values() for one in several))
    counts = lookup.counts_of(db, every, shelf)
    found = {
        word: [(o, counts[o]) for o in several if counts[o]] for word, several in others.items()
    }
    return {word: terms for word, terms in found.items() if terms}


def _short(db: sqlite.Connection, word: str, shelf: str) -> Terms:
    """The terms whose short form is one slip away: the index has `config` as `configuration`."""
    forms = [one for one in SHORT_FORMS if len(one) >= SHORTEST]
    near = [SHORT_FORMS[one] for one in forms if slips_between(stem(word), one, 1) == 1]
    return [(term, count) for term, count in lookup.counts_of(db, near, shelf).items() if count]


def _parts(db: sqlite.Connection, word: str, shelf: str) -> Terms:
    """The two terms that were written as one word (`dryrun`), the rarest pair; none if there is none."""
    pairs = lookup.halves_of(word, SHORTEST_PART)
    counts = lookup.counts_of(db, [part for pair in pairs for part in pair], shelf)
    found = [pair for pair in pairs if all(counts[part] for part in pair)]
    rarest = min(found, key=lambda pair: max(counts[part] for part in pair), default=())
    return [(part, counts[part]) for part in rarest]


def _near(
    db: sqlite.Connection, term: str, shelf: str, *, is_sought: bool
) -> Iterator[tuple[str, int]]:
    """The nearest terms with the same first letter, those that most sections have first.

    Most slips leave the first two letters, or turn round what follows the first: those terms are
    soon looked through. The others of the letter only where there are none, and the word is sought.
    """
    alike = _similar(db, term, shelf, {term[:2], term[0] + term[2:3]})
    if not alike and is_sought:
        alike = _similar(db, term, shelf, {term[0]})
    if not alike:
        return
    counts = lookup.counts_of(db, [other for _, other in alike], shelf)
    fewest, offered = 0, 0
    for slips, _, other in sorted((slips, -counts[other], other) for slips, other in alike):
        if offered == MOST_NEAR or slips > fewest > 0:
            return
        if counts[other]:
            fewest, offered = slips, offered + 1
            yield other, counts[other]


def _similar(
    db: sqlite.Connection, term: str, shelf: str, starts: Iterable[str]
) -> list[tuple[int, str]]:
    """The terms with one of these beginnings that are few slips away, and how many slips."""
    most = 2 if len(term) >= LONG else 1
    letters = set(term)
    return [
        (slips, other)
        for start in starts
        for other in _of_its_form(db, term, shelf, (start, most))
        if len(letters.symmetric_difference(other)) <= 2 * most  # quicker than to count slips
        and 0 < (slips := slips_between(term, other, most)) <= most
    ]


def _of_its_form(
    db: sqlite.Connection, term: str, shelf: str, within: tuple[str, int]
) -> list[str]:
    """Terms of about that length that have this beginning and keep a piece of the term.

    To look for a piece is quicker than to count slips. To read terms off the text index itself
    would be to read which sections have them.
    """
    start, most = within
    pieces = pieces_of(term, most)
    rows = db.execute(
        "SELECT term FROM (SELECT term FROM listed WHERE shelf = ? AND term >= ? AND term < ? LIMIT ?) "
        f"WHERE length(term) BETWEEN ? AND ? AND ({' OR '.join(['term GLOB ?'] * len(pieces))})",
        (
            *(shelf, start, start[:-1] + chr(ord(start[-1]) + 1), MOST_COMPARED),
            *(len(term) - most, len(term) + most, *pieces),
        ),
    )
    return [other for (other,) in rows]


def pieces_of(word: str, most: int) -> list[str]:
    """Patterns of the pieces of a word of which `most` slips leave one as it is.

    Pieces do not touch: two letters may be turned round there.
    """
    size = max(1, len(word) // (most + 1) - 1)
    middle = len(word) // 2 - size // 2
    inner = [f"*{word[middle : middle + size]}*"] if most > 1 else []
    return [f"{word[:size]}*", f"*{word[-size:]}", *inner]


def slips_between(one: str, other: str, most: int) -> int:
    """How many slips make one word of the other; `most` + 1 where it takes more.

    A slip is a letter too much, a letter missing, a wrong one, or two neighbours turned round.
    """
    one, other = _unlike(one, other)
    if abs(len(one) - len(other)) > most:
        return most + 1
    if most == 1:
        is_one = (len(one) < 2 and len(other) < 2) or (len(one) == 2 and one == other[::-1])
        return int(one != other) if is_one else 2
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


def _unlike(one: str, other: str) -> tuple[str, str]:
    """Two words without the beginning and the end that they share: slips are in between."""
    shorter = min(len(one), len(other))
    start = 0
    while start < shorter and one[start] == other[start]:
        start += 1
    end = 0
    while end < shorter - start and one[-1 - end] == other[-1 - end]:
        end += 1
    return one[start : len(one) - end], other[start : len(other) - end]
