"""Relevance: how much of a query a text covers, and when that is enough to inject it.

Pure; more text is never less evidence. Hooks import this module, so it imports little.
"""

from recollect.text.tokens import STOP_WORDS, is_cjk, plain_words, stem

# How much evidence makes a memory relevant (see `found_in`): either most of what a short cue
# says, or as much of a long one as one and a half words that no other memory has.
ENOUGH_COVERAGE = 0.5
ENOUGH_WEIGHT = 1.4
LEAST_COVERAGE = 0.12
UNKNOWN_WORTH = 0.8
UNKNOWN_PAIR_WORTH = 0.3  # of two Chinese characters: half of all pairs are no words
# What is asked to be done says little of what it is about; these are starts, as `stem` leaves them.
ASKING_WORTH = 0.2
ASKING = frozenset(
    """add call chang choos compar convert creat done draw explain fix generat giv happen help indent mak mov overview
    print put recap recommend remov renam show sort stop summaris summariz tell translat undo updat use work writ""".split()
)
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz")  # most of them from “what's” and “don't”
PARTICLES = frozenset("的了吗呢吧么是在和把给")  # in a pair that nobody wrote: no part of a word


def rarity(count: int, total: int) -> float:
    """The inverse document frequency of a word that `count` of `total` sections have."""
    # The natural logarithm to 4 places: for `math` a hook would have to load another library.
    ratio: float = 1.0 + (total - count + 0.5) / (count + 0.5)
    almost_one: float = ratio**1e-6
    return (almost_one - 1.0) * 1e6


def worths(words: list[str], counts: dict[str, int], total: int) -> dict[str, float]:
    """What each word of a cue asks for, in words that only one of `total` sections has.

    The keys are the words as `found_in` looks for them. A word that no memory has cannot be
    answered; it still says that the cue is about more. But a word that was only joined from others
    (`use callback` → `usecallback`) asks for nothing that they do not.
    """
    unique = rarity(1, max(total, 2))
    have = set(words)
    known = {word for word in words if counts.get(word, 0)}
    asked: dict[str, float] = {}
    for word in words:
        count = counts.get(word, 0)
        if count:
            worth = rarity(count, max(total, 2)) / unique
        elif is_joined(word, have) or _is_between(word, known):
            continue
        else:
            worth = UNKNOWN_PAIR_WORTH if _is_pair(word) else UNKNOWN_WORTH
        start = stem(word)
        if start in ASKING or word in _LETTERS:
            worth = min(worth, ASKING_WORTH)
        start = f" {start}"
        asked[start] = max(worth, asked.get(start, 0.0))
    return asked


def is_joined(word: str, others: set[str]) -> bool:
    """Whether a word is two others that stand beside each other: `use callback` → `usecallback`."""
    return any(
        word[i:] in others and (word[:i] in others or word[:i] in STOP_WORDS)
        for i in range(1, len(word))
    )


def _is_pair(word: str) -> bool:
    return len(word) == 2 and is_cjk(word[0]) and is_cjk(word[1])


def _is_between(word: str, known: set[str]) -> bool:
    """Whether a pair of Chinese characters is no word, but the end of one and the start of another.

    连接池满了 is cut into 连接, 接池, 池满, 满了.
    """
    if not _is_pair(word):
        return False
    return any(
        _is_pair(one) and (one[1] == word[0] or one[0] == word[1]) for one in known
    ) or not PARTICLES.isdisjoint(word)


def found_in(asked: dict[str, float], text: str) -> tuple[float, float, int]:
    """How much of what is asked (see `worths`) a text answers: (coverage, weight, words found).

    `text` is made of `index_words`. Coverage is the share 0…1 of all that is asked, weight the
    worth of what is found.
    """
    have = f" {text} "
    found = [worth for start, worth in asked.items() if start in have]
    weight = sum(found)
    return (weight / sum(asked.values()) if found else 0.0), weight, len(found)


def is_relevant(coverage: float, weight: float, hits: int) -> bool:
    """Whether that much evidence is enough to say something unasked."""
    if hits == 0:
        return False
    if coverage >= ENOUGH_COVERAGE:
        return True
    return hits >= 2 and weight >= ENOUGH_WEIGHT and coverage >= LEAST_COVERAGE


def with_time(
    asked: dict[str, float], evident: tuple[float, float, int], *, in_time: bool
) -> tuple[float, float, int]:
    """Evidence where the cue names a time, too: that counts as a word of it, but not alone."""
    _, weight, hits = evident
    total = sum(asked.values()) + 1.0
    if in_time and (hits or total <= 1.0 + 2 * ASKING_WORTH):
        return (weight + 1.0) / total, weight + 1.0, hits + 1
    return weight / total, weight, hits


# ------------------------------------------------------------------ several about the same thing

Subject = tuple[set[str], set[str]]


def subject_of(title: str, tags: str) -> Subject:
    """What a memory is about: the words of its title, and its tags (a line each)."""
    words = {stem(word) for word in plain_words(title) if not word.isdecimal()}
    return words, set(tags.lower().split("\n")) - {""}


def is_same_subject(one: Subject, other: Subject) -> bool:
    """Whether a third of the shorter title is shared, or a word of it with two of the tags."""
    common = len(one[0] & other[0])
    if 3 * common >= min(len(one[0]), len(other[0])) > 0:
        return True
    return common > 0 and len(one[1] & other[1]) > 1
