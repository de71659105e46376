"""SQLite: how near vectors are to each other, with numpy.

Promises: pure; the same vectors give the same order, whatever else is there.
Touches: nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from recollect.adapters.sqlite.schema import SLOTS
from recollect.domain.meaning import Meant
from recollect.errors import MissingExtra

if TYPE_CHECKING:
    import numpy as np


class Signs:
    """The signs of the vectors of a shelf, to see quickly which may be near."""

    def __init__(self, rows: Sequence[tuple[int, bytes]], shelf: int, numbers: int) -> None:
        """`rows` are those of the table `sign`, in order; the vectors have so many numbers.

        Raises MissingExtra.
        """
        import numpy as np

        if not hasattr(np, "bitwise_count"):  # before 2.0
            raise MissingExtra(feature="Search by meaning", package="numpy>=2.0", extra="embed")
        self._bits = -numbers // 16 * -16
        wide = 1 + self._bits // 8
        fit = [(block, slots) for block, slots in rows if len(slots) == SLOTS * wide]
        slots = np.frombuffer(b"".join(row for _, row in fit), np.uint8).reshape(-1, wide)
        blocks = np.array([block for block, _ in fit], np.int64)
        every = (blocks[:, None] * SLOTS + np.arange(SLOTS)).ravel()
        is_mine = slots[:, 0] == shelf + 1
        self.numbers = every[is_mine]
        self._signs = np.ascontiguousarray(slots[is_mine, 1:]).view(np.uint16)

    def nearest(self, asked: bytes, most: int) -> tuple[list[int], float]:
        """The sections that have most signs in common with `asked`, and the mean of all cosines.

        That is what the signs tell: each says on which side of a plane two vectors lie.
        """
        import numpy as np

        differ = np.bitwise_count(self._signs ^ np.frombuffer(asked, np.uint16))
        apart = differ.sum(axis=1, dtype=np.uint16)
        order = np.argsort(apart, kind="stable")[:most]
        cosines = np.cos(np.pi / self._bits * apart)
        return list(self.numbers[order].tolist()), float(cosines.mean()) if len(apart) else 0.0

    def some(self, most: int) -> list[int]:
        """At most so many sections from all over the shelf."""
        step = max(1, -(-len(self.numbers) // most))
        return list(self.numbers[::step].tolist())


def cosines(asked: bytes, vectors: Mapping[int, bytes]) -> dict[int, float]:
    """The cosine of `asked` and each vector."""
    import numpy as np

    vectors = {n: vector for n, vector in vectors.items() if len(vector) == len(asked)}
    if not vectors:
        return {}
    mine = _unit(np.frombuffer(asked, np.int8)[None])[0]
    several = np.frombuffer(b"".join(vectors.values()), np.int8).reshape(len(vectors), -1)
    return dict(zip(vectors, (_unit(several) @ mine).tolist(), strict=True))


def agreement(cue: Meant, texts: Mapping[int, bytes]) -> dict[int, float]:
    """For each piece of a cue the cosine of the nearest piece of a text, on average."""
    import numpy as np

    numbers = len(cue.whole)
    wide = -numbers // 16 * -2
    texts = {n: signs for n, signs in texts.items() if signs and len(signs) % wide == 0}
    if not texts:
        return {}
    mine = _unit(np.frombuffer(cue.pieces, np.int8).reshape(-1, numbers))
    packed = np.frombuffer(b"".join(texts.values()), np.uint8).reshape(-1, wide)
    bits = np.unpackbits(packed, axis=1, count=numbers).astype(np.float32)
    near = (bits @ mine.T * 2 - mine.sum(axis=1)) / np.float32(numbers**0.5)
    starts = np.cumsum([0, *(len(text) // wide for text in texts.values())])[:-1]
    found = np.maximum.reduceat(near, starts, axis=0).mean(axis=1)
    return dict(zip(texts, found.tolist(), strict=True))


def _unit(vectors: np.ndarray) -> np.ndarray:
    import numpy as np

    some: np.ndarray = vectors.astype(np.float32)
    sizes = np.sqrt(np.einsum("ij,ij->i", some, some)) + np.float32(1e-6)
    some /= sizes[:, None]
    return some
