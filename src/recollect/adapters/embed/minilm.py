"""Embed: MiniLM, a small model of English that runs on numpy.

Promises: a turn is understood by what stands around it; an empty text has a vector, too; of a text
of any length there are only so many pieces.
Touches: the folder of the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from recollect.adapters.embed.bert import MOST_PIECES, Encoder
from recollect.domain.meaning import Meant, Passage
from recollect.domain.text import STOP_WORDS

if TYPE_CHECKING:
    import numpy as np

HEADS = 12
LEAST_AFTER = 3  # of the room that is left a third goes to what stands behind
MOST_KEPT = 32  # pieces of a text; of a longer one those beside each other are taken together


class MiniLM:
    """The model in a folder."""

    is_english = True

    def __init__(self, folder: str, identity: str) -> None:
        """Nothing is loaded before it is used."""
        self.folder, self.identity = folder, identity

    @cached_property
    def _encoder(self) -> Encoder:
        return Encoder(self.folder, HEADS)

    @cached_property
    def _empty(self) -> frozenset[int]:
        """The pieces that say little by themselves."""
        return frozenset(
            n
            for piece, n in self._encoder.vocabulary.items()
            if piece in STOP_WORDS or not piece.removeprefix("##")[:1].isalnum()
        )

    def passages(self, several: Sequence[Passage]) -> list[Meant]:
        """What passages mean, in order."""
        rows = [self._row(passage) for passage in several]
        found = []
        for (pieces, start, end), states in zip(rows, self._encoder.states(rows), strict=True):
            said = [n for n, piece in enumerate(pieces[start:end]) if piece not in self._empty]
            found.append(_meant(states, _fewer(states[said] if said else states)))
        return found

    def cue(self, text: str) -> Meant:
        """What is searched for means: all of its pieces, for of a question each says something."""
        [states] = self._encoder.states([self._row(Passage(text))])
        return _meant(states, states)

    def _row(self, passage: Passage) -> tuple[list[int], int, int]:
        own = self._encoder.pieces(passage.text)
        room = MOST_PIECES - len(own)
        after = self._encoder.pieces(passage.after, room // LEAST_AFTER)
        room -= len(after)
        before = self._encoder.pieces(passage.before, MOST_PIECES * 4)[-room:] if room else []
        return before + own + after, len(before), len(before) + len(own)


def _fewer(states: np.ndarray) -> np.ndarray:
    """No more than we keep; those that stand beside each other become one."""
    import numpy as np

    if len(states) <= MOST_KEPT:
        return states
    return np.stack([part.mean(axis=0) for part in np.array_split(states, MOST_KEPT)])


def _meant(states: np.ndarray, pieces: np.ndarray) -> Meant:
    return Meant(shortened(states.mean(axis=0)), b"".join(map(shortened, pieces)))


def shortened(vector: np.ndarray) -> bytes:
    """A vector as int8 numbers; its length says nothing."""
    import numpy as np

    most = float(np.abs(vector).max())
    return bytes(np.round(vector * (127 / most if most else 0.0)).astype(np.int8).tobytes())
