"""The transformer on numpy, and the conversion of published weights for it.

Computes what torch does with the same weights, except for rounding. The weights stay int8 in the
file; only the needed rows of the word table are read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from recollect.errors import EmbedderBroken
from recollect_minilm.tensors import Arrays, pack_arrays, parse_arrays, read_arrays
from recollect_minilm.wordpiece import END, PAD, START, read_vocabulary, split

MOST_PIECES = 126  # of a text, beside the marks at its ends: as many as the model was trained with
PIECES_AT_ONCE = 1_024
WORDS = "word_embeddings"

Row = tuple[list[int], int, int]  # pieces, and where those begin and end whose states are wanted


class Encoder:
    """The model in a folder: `model.safetensors` and `vocab.txt`."""

    def __init__(self, folder: str, heads: int) -> None:
        """Load it. Raises EmbedderBroken."""
        path = f"{folder}/model.safetensors"
        stored = read_arrays(path)
        try:
            self._words, self._scale = stored.pop(WORDS), stored.pop(f"{WORDS}.scale")
            self._weights = {name: _floats(stored, name) for name in stored if ".scale" not in name}
            self._layers = 1 + max(int(n.split(".")[1]) for n in stored if n.startswith("layer."))
        except (KeyError, ValueError) as error:
            raise EmbedderBroken(path=path, reason=f"{error} is missing") from error
        self._heads = heads
        self.vocabulary = read_vocabulary(f"{folder}/vocab.txt")

    def pieces(self, text: str, most: int = MOST_PIECES) -> list[int]:
        """The pieces of a text."""
        return split(text, self.vocabulary, most)

    def states(self, rows: Sequence[Row]) -> Iterator[np.ndarray]:
        """For each row the last hidden state of each of its wanted pieces; the others are context.

        For a row without wanted pieces, the state of the mark at its start.
        """
        order = sorted(range(len(rows)), key=lambda n: len(rows[n][0]))
        found: dict[int, np.ndarray] = {}
        while order:
            longest = len(rows[order[-1]][0]) + 2
            batch = order[-max(1, PIECES_AT_ONCE // longest) :]
            del order[-len(batch) :]
            states = self._states([rows[n][0] for n in batch])
            for n, state in zip(batch, states, strict=True):
                _, start, end = rows[n]
                found[n] = state[1 + start : 1 + end] if end > start else state[:1]
        return (found[n] for n in range(len(rows)))

    def _states(self, texts: Sequence[list[int]]) -> np.ndarray:
        first, last, pad = (self.vocabulary[mark] for mark in (START, END, PAD))
        longest = max(map(len, texts)) + 2
        ids = np.full((len(texts), longest), pad)
        for row, pieces in zip(ids, texts, strict=True):
            row[: len(pieces) + 2] = [first, *pieces, last]
        hidden = np.arange(longest) >= np.array([len(p) + 2 for p in texts])[:, None]
        mask = np.where(hidden, np.float32(-1e9), np.float32(0))[:, None, None, :]
        w = self._weights
        x = self._words[ids].astype(np.float32) * self._scale[ids][..., None]
        x = _normalized(x + w["positions"][:longest], w, "start")
        for n in range(self._layers):
            x = self._layer(x, mask, f"layer.{n}")
        return x

    def _layer(self, x: np.ndarray, mask: np.ndarray, at: str) -> np.ndarray:
        w = self._weights
        texts, length, width = x.shape
        flat = x.reshape(-1, width)
        parts = flat @ w[f"{at}.qkv"] + w[f"{at}.qkv_bias"]
        q, k, v = parts.reshape(texts, length, 3, self._heads, -1).transpose(2, 0, 3, 1, 4)
        scores = q @ k.swapaxes(2, 3) / np.float32(q.shape[-1] ** 0.5) + mask
        np.exp(scores - scores.max(axis=-1, keepdims=True), out=scores)
        scores /= scores.sum(axis=-1, keepdims=True)
        attended = (scores @ v).transpose(0, 2, 1, 3).reshape(-1, width)
        attended = attended @ w[f"{at}.out"] + w[f"{at}.out_bias"]
        flat = _normalized(flat + attended, w, f"{at}.seen")
        inner = _gelu(flat @ w[f"{at}.up"] + w[f"{at}.up_bias"])
        flat = _normalized(flat + inner @ w[f"{at}.down"] + w[f"{at}.down_bias"], w, f"{at}.said")
        return flat.reshape(texts, length, width)


def _floats(stored: Arrays, name: str) -> np.ndarray:
    """An array as float32; an int8 one has a scale for each column beside it."""
    array = stored[name].astype(np.float32)
    scale = stored.get(f"{name}.scale")
    return array if scale is None else array * scale


def _normalized(x: np.ndarray, w: Arrays, at: str) -> np.ndarray:
    x = x - x.mean(axis=-1, keepdims=True)
    x /= np.sqrt((x * x).mean(axis=-1, keepdims=True) + np.float32(1e-12))
    x *= w[f"{at}_norm"]
    x += w[f"{at}_norm_bias"]
    return x


def _gelu(x: np.ndarray) -> np.ndarray:
    """x·Φ(x), with a tangent in place of the error function: faster, and equal to 1e-5 in the vectors."""
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


# ------------------------------------------------------------------------------------- conversion

_DENSE = {"out": "attention.output.dense", "up": "intermediate.dense", "down": "output.dense"}
_NORMS = {"seen": "attention.output.LayerNorm", "said": "output.LayerNorm"}


def converted(weights: bytes) -> bytes:
    """The bytes of our `model.safetensors` for those of a published model of BERT's kind.

    Raises EmbedderBroken for another kind of model.
    """
    given = parse_arrays(weights, "model.safetensors")
    ours: Arrays = {}
    try:
        _quantize(ours, WORDS, given["embeddings.word_embeddings.weight"], axis=1)
        kind = given["embeddings.token_type_embeddings.weight"][0]
        positions = given["embeddings.position_embeddings.weight"] + kind
        ours["positions"] = positions.astype(np.float16)
        _copy_norm(ours, "start", given, "embeddings.LayerNorm")
        n = 0
        while f"encoder.layer.{n}.output.dense.weight" in given:
            _convert_layer(ours, f"layer.{n}", given, f"encoder.layer.{n}")
            n += 1
    except KeyError as error:
        raise EmbedderBroken(path="model.safetensors", reason=f"it has no {error}") from error
    return pack_arrays(ours)


def _convert_layer(ours: Arrays, name: str, given: Arrays, old: str) -> None:
    three = [f"{old}.attention.self.{part}" for part in ("query", "key", "value")]
    both = np.concatenate([given[f"{part}.weight"].T for part in three], axis=1)
    _quantize(ours, f"{name}.qkv", both, axis=0)
    ours[f"{name}.qkv_bias"] = np.concatenate([given[f"{part}.bias"] for part in three])
    for part, where in _DENSE.items():
        _quantize(ours, f"{name}.{part}", given[f"{old}.{where}.weight"].T, axis=0)
        ours[f"{name}.{part}_bias"] = given[f"{old}.{where}.bias"]
    for part, where in _NORMS.items():
        _copy_norm(ours, f"{name}.{part}", given, f"{old}.{where}")


def _copy_norm(ours: Arrays, name: str, given: Arrays, old: str) -> None:
    ours[f"{name}_norm"] = given[f"{old}.weight"]
    ours[f"{name}_norm_bias"] = given[f"{old}.bias"]


def _quantize(ours: Arrays, name: str, array: np.ndarray, axis: int) -> None:
    """Store an array as int8, with one scale for all numbers along `axis`."""
    scale = np.maximum(np.abs(array).max(axis=axis, keepdims=True), 1e-12) / 127
    ours[name] = np.round(array / scale).astype(np.int8)
    ours[f"{name}.scale"] = scale.squeeze(axis).astype(np.float32)
