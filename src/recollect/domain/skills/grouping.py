"""Skills: which of many texts are alike, in time that grows with their number and not its square.

Promises: a text that enough others are like is in a group; what comes out does not depend on the
order of what goes in. Where thousands are alike in a word, the first few hundred stand for them.
Touches: nothing.

Two texts that share half of their words share one of their rarest: an inverted index of these
(prefix filtering) names the few that are worth comparing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from recollect.domain.skills.wording import Wording, weight_of

SEEN_TO_CHOOSE = 200  # texts that are compared before one is taken for a loner
SEEN_TO_COLLECT = 4_000  # texts that are compared before a group is taken for complete
ENOUGH = 24

# Must imply that what both have weighs half of the words of the longer one.
Alike = Callable[[Wording, Wording], bool]


def groups_of(wordings: Sequence[Wording], least: int, alike: Alike) -> list[list[int]]:
    """The positions of those that are alike, at least so many together, in groups."""
    places: dict[Wording, list[int]] = {}
    for n, wording in enumerate(wordings):
        if wording.telling:
            places.setdefault(wording, []).append(n)
    keys = sorted(places, key=lambda key: tuple(map(sorted, key[:4])))
    table = _Table(keys, alike)
    groups: list[dict[int, None]] = []
    home: dict[int, int] = {}  # the group of a key
    for n in _centres(table, [len(places[key]) for key in keys], least):
        if n in home:
            continue
        members = [n, *table.like(n, SEEN_TO_COLLECT)]
        _join(groups, home, members)
    return [sorted(at for n in group for at in places[keys[n]]) for group in groups]


def _centres(table: _Table, sizes: list[int], least: int) -> list[int]:
    """Those that enough are like, the most central first."""
    counts: dict[int, int] = {}
    for n, size in enumerate(sizes):
        found = size
        for other in table.like(n, SEEN_TO_CHOOSE):
            found += sizes[other]
            if found >= ENOUGH:
                break
        if found >= least:
            counts[n] = min(found, ENOUGH)
    return sorted(counts, key=lambda n: (-counts[n], n))


def _join(groups: list[dict[int, None]], home: dict[int, int], members: list[int]) -> None:
    """Add a group; one that for its half is in another already joins that."""
    counts = Counter(home[n] for n in members if n in home)
    group, most = counts.most_common(1)[0] if counts else (-1, 0)
    if 2 * most < len(members):
        group = len(groups)
        groups.append({})
    for n in members:
        groups[group][n] = None
        home.setdefault(n, group)


class _Table:
    """The texts by their rarest words."""

    def __init__(self, keys: Sequence[Wording], alike: Alike) -> None:
        self._keys, self._alike = keys, alike
        counts = Counter(word for key in keys for word in key.keys)
        self._heads = [_head(key, counts) for key in keys]
        self._lists: dict[str, list[int]] = {}
        for n, head in enumerate(self._heads):
            for word in head:
                self._lists.setdefault(word, []).append(n)

    def like(self, n: int, seen: int) -> Iterator[int]:
        """The texts that are like this one, among the first `seen` under each of its words."""
        keys, alike, done = self._keys, self._alike, {n}
        key = keys[n]
        for word in self._heads[n]:
            for other in self._lists[word][:seen]:
                if other not in done:
                    done.add(other)
                    if alike(key, keys[other]):
                        yield other


def _head(key: Wording, counts: Counter[str]) -> list[str]:
    """So many of the rarest keys that those left weigh less than half of the words."""
    words = sorted(key.keys, key=lambda word: (counts[word], word))
    left, head = key.weight + 2 * len(key.tags), []
    for word in words:
        if 2 * left < key.weight:
            break
        head.append(word)
        left -= weight_of(word)
    return head
