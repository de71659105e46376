"""Embed: whatever makes lists of floats of texts: an endpoint, a library, a package of somebody.

Promises: what it is told is the text alone, redacted where it leaves the machine; an answer that is
not as many vectors as texts, or not of numbers, is refused.
Touches: what `embed` touches.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence

from recollect.domain.meaning import Meant, Passage
from recollect.errors import EmbedderBroken

AT_ONCE = 32

Embed = Callable[[list[str]], Sequence[Sequence[float]]]


class FloatEmbedder:
    """An embedder over a function."""

    is_english = False

    def __init__(
        self, identity: str, embed: Embed, redact: Callable[[str], str] | None = None
    ) -> None:
        """`embed` is asked for a few texts at a time; `redact` takes out what must not leave."""
        self.identity = identity
        self._embed = embed
        self._redact = redact or (lambda text: text)

    def passages(self, several: Sequence[Passage]) -> list[Meant]:
        """What passages mean, in order."""
        texts = [self._redact(one.text) for one in several]
        found: list[Meant] = []
        for at in range(0, len(texts), AT_ONCE):
            found += self._asked(texts[at : at + AT_ONCE])
        return found

    def cue(self, text: str) -> Meant:
        """What is searched for means."""
        return self._asked([self._redact(text)])[0]

    def _asked(self, texts: list[str]) -> list[Meant]:
        found = self._embed(texts)
        try:
            vectors = [shortened(vector) for vector in found]
        except (TypeError, ValueError, OverflowError) as error:
            raise EmbedderBroken(
                path=self.identity, reason="it gave something other than numbers"
            ) from error
        if len(vectors) != len(texts) or len(set(map(len, vectors))) > 1:
            raise EmbedderBroken(path=self.identity, reason="it gave another number of vectors")
        return [Meant(vector) for vector in vectors]


def shortened(vector: Sequence[float]) -> bytes:
    """A vector as int8 numbers; its length says nothing. Raises ValueError."""
    values = [float(value) for value in vector]
    most = max(map(abs, values))
    if not math.isfinite(sum(values)):
        raise ValueError(most)
    scale = 127 / most if most else 0.0
    return struct.pack(f"{len(values)}b", *(round(value * scale) for value in values))
