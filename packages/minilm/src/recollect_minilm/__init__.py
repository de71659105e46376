"""MiniLM, a small model of English, as an embedder of Recollect."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from recollect.search.vectors import Embedding, Passage
from recollect.text.tokens import STOP_WORDS
from recollect_minilm.encoder import MOST_PIECES, Encoder, Row

__all__ = ["MiniLM"]

HEADS = 12
SHARE_AFTER = 3  # of the room that a text leaves, a third goes to what stands behind it
MOST_STORED = 32  # pieces of a text; of a longer one neighbours are averaged


class MiniLM:
    """The model in a folder (`recollect.ports.Embedder`)."""

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

    def passages(self, several: Sequence[Passage]) -> list[Embedding]:
        """The embeddings of passages, in order. Raises EmbedderBroken."""
        rows = [self._row(passage) for passage in several]
        found = []
        for (pieces, start, end), states in zip(rows, self._encoder.states(rows), strict=True):
            telling = [n for n, piece in enumerate(pieces[start:end]) if piece not in self._empty]
            found.append(_embedding(states, _averaged(states[telling] if telling else states)))
        return found

    def cue(self, text: str) -> Embedding:
        """The embedding of a query: with all of its pieces, for each word of a question tells something."""
        [states] = self._encoder.states([self._row(Passage(text))])
        return _embedding(states, states)

    def _row(self, passage: Passage) -> Row:
        own = self._encoder.pieces(passage.text)
        room = MOST_PIECES - len(own)
        after = self._encoder.pieces(passage.after, room // SHARE_AFTER)
        room -= len(after)
        before = self._encoder.pieces(passage.before, MOST_PIECES * 4)[-room:] if room else []
        return before + own + after, len(before), len(before) + len(own)


def _averaged(states: np.ndarray) -> np.ndarray:
    """At most `MOST_STORED` states; neighbours are averaged."""
    if len(states) <= MOST_STORED:
        return states
    return np.stack([part.mean(axis=0) for part in np.array_split(states, MOST_STORED)])


def _embedding(states: np.ndarray, pieces: np.ndarray) -> Embedding:
    return Embedding(_int8(states.mean(axis=0)), b"".join(map(_int8, pieces)))


def _int8(vector: np.ndarray) -> bytes:
    """A vector as int8 numbers; its length means nothing."""
    most = float(np.abs(vector).max())
    return bytes(np.round(vector * (127 / most if most else 0.0)).astype(np.int8).tobytes())
