"""Skills: what two texts are compared by.

Promises: forms of a word are one word (as the given `stems` has it); numbers, versions and hashes
tell nothing, nor do stop words, as long as anything else is left; Chinese is compared by its characters, two
of which weigh as much as an English word; a text without any word is like no other.
Touches: nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from recollect.domain.pattern import Pattern
from recollect.domain.skills.matter import Stems
from recollect.domain.text import STOP_WORDS, folded, is_cjk
from recollect.named import NamedTuple

LONGEST_TEXT = 300
_RUN = Pattern(r"[^\W_]+")
_COUNTED = Pattern(r"\d+|v\d+|(?=[a-f]*\d)[0-9a-f]{6,40}")
_FILLING = frozenset("ok okay hi hello thanks thank let's want need needs like make makes".split())
_FILLING_ZH = Pattern(
    "|".join(
        """请帮我 帮我 一下 我们 你们 他们 这个 那个 一个 决定 使用 采用 选择 选用 改用 因为 所以 如何 怎么 什么
        进行 可以 应该 需要 还是 或者 以及 的 了 吗 呢 吧 把 被 请 将 在 和 与 或 用 为 是 给 从 到 对 后 前 再""".split()
    )
)
_DECIDING = frozenset(
    """use uses using used choose chose chosen choosing decide decided decision pick picked adopt go
    switch keep prefer take instead""".split()
)
_SILENT = STOP_WORDS | _FILLING
_SILENT_DECIDING = _SILENT | _DECIDING


class Wording(NamedTuple):
    """What a text is compared by; `light` are the words that are single characters."""

    telling: frozenset[str]  # what it is about
    all: frozenset[str]
    light: frozenset[str]
    tags: frozenset[str]
    weight: int  # of the telling words
    all_weight: int

    @property
    def keys(self) -> frozenset[str]:
        """Everything by which it can be found to be like another."""
        return self.telling | self.tags if self.tags else self.telling


class Cut(NamedTuple):
    """A text in words: each as it stands there, whether it tells anything, and its tags."""

    words: tuple[tuple[str, bool], ...]
    tags: tuple[str, ...] = ()


def cut(text: str, tags: Iterable[str] = (), *, deciding: bool = False) -> Cut:
    """The words of a text; with `deciding`, words of choosing tell nothing."""
    silent = _SILENT_DECIDING if deciding else _SILENT
    plain = folded(text[:LONGEST_TEXT]).casefold()
    found: list[str] = _RUN.findall(plain if plain.isascii() else _FILLING_ZH.sub(" ", plain))
    if not plain.isascii():
        found = [word for run in found for word in _parts(run)]
    words = tuple((word, word not in silent and not _counts(word)) for word in found)
    if not any(tells for _, tells in words):
        words = tuple((word, True) for word in found)
    return Cut(words, tuple(dict.fromkeys(folded(tag).casefold().strip() for tag in tags)))


def _counts(word: str) -> bool:
    """Whether a word is a number, a version or a hash."""
    return not word.isalpha() and bool(_COUNTED.fullmatch(word))


def _parts(run: str) -> list[str]:
    if run.isascii():
        return [run]
    words: list[str] = []
    start = 0
    for at in range(len(run) + 1):
        if at == len(run) or is_cjk(run[at]):
            words += [run[start:at]] if start < at else []
            words += [run[at]] if at < len(run) else []
            start = at + 1
    return words


def stems_of(cuts: Sequence[Cut], stems: Stems) -> Mapping[str, str]:
    """The stem of every word in these texts and their tags."""
    words = {word for one in cuts for word, _ in one.words}
    words |= {word for one in cuts for tag in one.tags for word in _RUN.findall(tag)}
    plain = sorted(word for word in words if word.isascii())
    return {word: word for word in words} | dict(stems(plain) if plain else {})


def wording(one: Cut, known: Mapping[str, str]) -> Wording:
    """What a text is compared by, given the stems of its words."""
    telling = frozenset(known[word] for word, tells in one.words if tells)
    words = telling | {known[word] for word, _ in one.words}
    light = frozenset(w for w in words if not w.isascii() and weight_of(w) == 1)
    tags = frozenset(f"#{'-'.join(known[w] for w in _RUN.findall(tag))}" for tag in one.tags)
    weight = 2 * len(telling) - len(light & telling)
    return Wording(telling, words, light, tags, weight, 2 * len(words) - len(light))


def weight_of(word: str) -> int:
    """How much a word counts: twice as much as a Chinese character."""
    return 1 if len(word) == 1 and is_cjk(word) else 2


def shared(one: Wording, other: Wording) -> int:
    """The weight of the telling words that both have."""
    both = one.telling & other.telling
    return 2 * len(both) - (len(both & one.light) if one.light else 0)


def are_same_problem(one: Wording, other: Wording) -> bool:
    """Whether two problems are alike; tags that both have count like words that both have.

    A quarter of the words must be the same all the same: tags alone are no problem.
    """
    if one.telling.isdisjoint(other.telling):
        return False
    words = shared(one, other)
    longer = max(one.weight, other.weight)
    tags = 2 * len(one.tags & other.tags)
    return 2 * (words + tags) >= longer > 0 and 4 * words >= longer


def are_alike(one: Wording, other: Wording) -> bool:
    """Whether half of the telling words of the longer one are those of the other."""
    return 2 * shared(one, other) >= max(one.weight, other.weight) > 0


def are_same_work(one: Wording, other: Wording) -> bool:
    """Whether two titles share 60 % of their words: of the telling ones, or of all.

    Where it is of all, half of the telling ones must be among them.
    """
    telling = shared(one, other)
    longer = max(one.weight, other.weight)
    if 10 * telling >= 6 * longer > 0:
        return True
    if 2 * telling < longer or not longer:
        return False
    both = one.all & other.all
    weight = 2 * len(both) - len(both & one.light)
    return 10 * weight >= 6 * max(one.all_weight, other.all_weight)
