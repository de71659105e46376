"""Embed: MiniLM, a small model of English that runs on numpy.

Promises: a turn is understood by what stands around it; an empty text has a vector, too.
Touches: the folder of the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from recollect.adapters.embed.bert import MOST_PIECES, Encoder
from recollect.domain.meaning import Passage

if TYPE_CHECKING:
    import numpy as np

HEADS = 12
LEAST_AFTER = 3  # of the room that is left a third goes to what stands behind


class MiniLM:
    """The model in a folder."""

    is_english = True

    def __init__(self, folder: str, identity: str) -> None:
        """Nothing is loaded before it is used."""
        self.folder, self.identity = folder, identity

    @cached_property
    def _encoder(self) -> Encoder:
        return Encoder(self.folder, HEADS)

    def passages(self, several: Sequence[Passage]) -> list[bytes]:
        """The vectors of passages, in order."""
        return [shortened(mean) for mean in self._encoder.means([self._row(p) for p in several])]

    def cue(self, text: str) -> bytes:
        """The vector of what is searched for."""
        return self.passages([Passage(text)])[0]

    def _row(self, passage: Passage) -> tuple[list[int], int, int]:
        own = self._encoder.pieces(passage.text)
        room = MOST_PIECES - len(own)
        after = self._encoder.pieces(passage.after, room // LEAST_AFTER)
        room -= len(after)
        before = self._encoder.pieces(passage.before, MOST_PIECES * 4)[-room:] if room else []
        return before + own + after, len(before), len(before) + len(own)


def shortened(vector: np.ndarray) -> bytes:
    """A vector as int8 numbers; its length says nothing."""
    import numpy as np

    most = float(np.abs(vector).max())
    return bytes(np.round(vector * (127 / most if most else 0.0)).astype(np.int8).tobytes())
