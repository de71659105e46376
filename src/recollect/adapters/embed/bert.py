"""Embed: a small encoder of BERT's kind, computed with numpy alone.

Promises: what torch computes with the same weights, but for rounding; the weights stay int8 in the
file, and of the table of words only the rows that a text needs are read.
Touches: the folder of the model.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from recollect.adapters.embed import tensors
from recollect.domain import wordpiece
from recollect.errors import EmbedderBroken

if TYPE_CHECKING:
    import numpy as np

MOST_PIECES = 126  # of a text, beside the marks at its ends: as many as the model was trained with
AT_ONCE = 1_024  # pieces that are computed together
WORDS = "word_embeddings"


class Encoder:
    """The model in a folder: `model.safetensors` and `vocab.txt`."""

    def __init__(self, folder: str, heads: int) -> None:
        """Load it. Raises EmbedderBroken."""
        path = f"{folder}/model.safetensors"
        stored = tensors.opened(path)
        try:
            self._words, self._scale = stored.pop(WORDS), stored.pop(f"{WORDS}.scale")
            self._weights = {name: _plain(stored, name) for name in stored if ".scale" not in name}
            self._layers = 1 + max(int(n.split(".")[1]) for n in stored if n.startswith("layer."))
        except (KeyError, ValueError) as error:
            raise EmbedderBroken(path=path, reason=f"{error} is missing") from error
        self._heads = heads
        self.vocabulary = read_vocabulary(f"{folder}/vocab.txt")

    def pieces(self, text: str, most: int = MOST_PIECES) -> list[int]:
        """The pieces of a text."""
        return wordpiece.cut(text, self.vocabulary, most)

    def states(self, rows: Sequence[tuple[list[int], int, int]]) -> Iterator[np.ndarray]:
        """For each `(pieces, from, to)` what the model makes of each of these pieces there.

        What stands before and behind them is context. Of no pieces it is what it makes of nothing.
        """
        order = sorted(range(len(rows)), key=lambda n: len(rows[n][0]))
        found: dict[int, np.ndarray] = {}
        while order:
            longest = len(rows[order[-1]][0]) + 2
            some = order[-max(1, AT_ONCE // longest) :]
            del order[-len(some) :]
            states = self._states([rows[n][0] for n in some])
            for n, state in zip(some, states, strict=True):
                _, start, end = rows[n]
                found[n] = state[1 + start : 1 + end] if end > start else state[:1]
        return (found[n] for n in range(len(rows)))

    def _states(self, several: Sequence[list[int]]) -> np.ndarray:
        import numpy as np

        first, last, pad = (
            self.vocabulary[mark] for mark in (wordpiece.START, wordpiece.END, wordpiece.PAD)
        )
        longest = max(map(len, several)) + 2
        ids = np.full((len(several), longest), pad)
        for row, pieces in zip(ids, several, strict=True):
            row[: len(pieces) + 2] = [first, *pieces, last]
        hidden = np.arange(longest) >= np.array([len(p) + 2 for p in several])[:, None]
        mask = np.where(hidden, np.float32(-1e9), np.float32(0))[:, None, None, :]
        w = self._weights
        x = self._words[ids].astype(np.float32) * self._scale[ids][..., None]
        x = _normal(x + w["positions"][:longest], w, "start")
        for n in range(self._layers):
            x = self._layer(x, mask, f"layer.{n}")
        return x

    def _layer(self, x: np.ndarray, mask: np.ndarray, at: str) -> np.ndarray:
        import numpy as np

        w = self._weights
        many, long, wide = x.shape
        flat = x.reshape(-1, wide)
        parts = flat @ w[f"{at}.qkv"] + w[f"{at}.qkv_bias"]
        q, k, v = parts.reshape(many, long, 3, self._heads, -1).transpose(2, 0, 3, 1, 4)
        scores = q @ k.swapaxes(2, 3) / np.float32(q.shape[-1] ** 0.5) + mask
        np.exp(scores - scores.max(axis=-1, keepdims=True), out=scores)
        scores /= scores.sum(axis=-1, keepdims=True)
        seen = (scores @ v).transpose(0, 2, 1, 3).reshape(-1, wide)
        flat = _normal(flat + seen @ w[f"{at}.out"] + w[f"{at}.out_bias"], w, f"{at}.seen")
        inner = _gelu(flat @ w[f"{at}.up"] + w[f"{at}.up_bias"])
        flat = _normal(flat + inner @ w[f"{at}.down"] + w[f"{at}.down_bias"], w, f"{at}.said")
        return flat.reshape(many, long, wide)


def _plain(stored: dict[str, np.ndarray], name: str) -> np.ndarray:
    """An array as it is computed with: what is int8 has a scale for each column beside it."""
    import numpy as np

    array = stored[name].astype(np.float32)
    scale = stored.get(f"{name}.scale")
    return array if scale is None else array * scale


def _normal(x: np.ndarray, w: dict[str, np.ndarray], at: str) -> np.ndarray:
    import numpy as np

    x = x - x.mean(axis=-1, keepdims=True)
    x /= np.sqrt((x * x).mean(axis=-1, keepdims=True) + np.float32(1e-12))
    x *= w[f"{at}_norm"]
    x += w[f"{at}_norm_bias"]
    return x


def _gelu(x: np.ndarray) -> np.ndarray:
    """x·Φ(x), with a tangent in place of the error function: quicker, and the vectors are the same to 1e-5."""
    import numpy as np

    y: np.ndarray = x * x
    y *= np.float32(0.044715)
    y += 1
    y *= x
    y *= np.float32(0.7978845608)
    np.tanh(y, out=y)
    y += 1
    y *= x
    y *= np.float32(0.5)
    return y


def read_vocabulary(path: str) -> dict[str, int]:
    """The pieces of a `vocab.txt`, each with its number. Raises EmbedderBroken."""
    try:
        with open(path, encoding="utf-8") as file:
            found = {line.rstrip("\n"): n for n, line in enumerate(file)}
    except (OSError, ValueError) as error:
        raise EmbedderBroken(path=path, reason=str(error)) from error
    for mark in (wordpiece.PAD, wordpiece.UNKNOWN, wordpiece.START, wordpiece.END):
        if mark not in found:
            raise EmbedderBroken(path=path, reason=f"it has no {mark}")
    return found
