"""Meaning: what of a section and of a cue is told to a model, and what its nearness says.

Promises: pure; the same section gives the same passage, so that what was computed for it holds as
long as it stays as it is.
Touches: nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from recollect.domain.pattern import Pattern
from recollect.domain.text import is_cjk
from recollect.named import NamedTuple

if TYPE_CHECKING:
    import re

PASSAGE_VERSION = 1  # part of what tells vectors apart: how a section becomes a passage
LONGEST_TOLD = 1_200  # characters; a model reads some hundred words
LONGEST_BESIDE = 400
MOST_FOREIGN = (
    0.3  # from this share of Chinese characters on a model that has no Chinese says nothing
)
OF_PIECES = 0.7  # what the pieces say of how near a text is; the rest is said by the whole
_OTHERS = Pattern(r"[\w-]+(?:'s|’s)?")


class Passage(NamedTuple):
    """A text, with what stands before and behind it."""

    text: str
    before: str = ""
    after: str = ""


class Meant(NamedTuple):
    """What a model makes of a text: vectors of int8 numbers, one byte each; their length says nothing.

    `pieces` are those of the words and parts of words that say something, one behind the other;
    none, where a model gives none. All are as long as that of the whole.
    """

    whole: bytes
    pieces: bytes = b""


class Part(NamedTuple):
    """A section as it is filed; turns of conversations have neither title nor heading."""

    title: str
    heading: str
    text: str
    is_turn: bool


def passages(parts: Sequence[Part]) -> list[Passage]:
    """The passages of the sections of one memory, which stand in order.

    A turn is understood by what was said around it; a section by the title that it stands under.
    """
    told = [_told(one) for one in parts]
    found = []
    for n, one in enumerate(parts):
        if one.is_turn:
            before = "\n".join(told[max(0, n - 2) : n])[-LONGEST_BESIDE:]
            after = told[n + 1][:LONGEST_BESIDE] if n + 1 < len(told) else ""
            found.append(Passage(told[n], before, after))
        else:
            found.append(Passage(told[n]))
    return found


def _told(part: Part) -> str:
    if part.is_turn:
        head, _, said = part.text.partition("\n")
        text = f"{head.partition(' [')[0].strip()}: {said.strip()}"
    else:
        name = f"{part.title}: {part.heading}" if part.heading else part.title
        text = f"{name}\n{part.text}"
    return text[:LONGEST_TOLD]


def is_foreign(text: str) -> bool:
    """Whether a cue has too much of a script that a model of English knows nothing of."""
    if text.isascii():
        return False
    letters = [char for char in text if not char.isspace()]
    return sum(map(is_cjk, letters)) > MOST_FOREIGN * len(letters)


def as_oneself(text: str, speakers: Iterable[str]) -> str:
    """A question about somebody as that person would say it: they say “I”, never their name."""
    names = {name.casefold() for name in speakers if name}

    def said(found: re.Match[str]) -> str:
        word = found[0]
        plain = word[:-2] if word.endswith(("'s", "’s")) else word
        if plain.casefold() not in names:
            return word
        return "I" if plain == word else "my"

    return _OTHERS.sub(said, text)


class Scale(NamedTuple):
    """What is usual on a shelf, and the most there is: 0 and 1 of how near its sections are."""

    usual: float
    most: float

    def of(self, value: float) -> float:
        """How near a section is."""
        if self.most - self.usual <= 1e-6:
            return 0.0
        return min(1.0, max(0.0, (value - self.usual) / (self.most - self.usual)))


def nearness(
    wholes: Mapping[int, float], scale: Scale, pieces: Mapping[int, float], usual: float
) -> dict[int, float]:
    """How near texts are to a cue, 0 to 1, by the cosines of the wholes and what their pieces say.

    `scale` is that of the wholes, `usual` what the pieces of any text say. A text without pieces
    is as near as the whole.
    """
    found = {n: scale.of(value) for n, value in wholes.items()}
    by_pieces = Scale(usual, max(pieces.values(), default=usual))
    for n in found.keys() & pieces.keys():
        found[n] += OF_PIECES * (by_pieces.of(pieces[n]) - found[n])
    return found
