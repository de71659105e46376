"""A small BERT encoder on numpy.

Computes what torch does with the same weights, except for rounding. The weights stay int8 in the
file; only the needed rows of the word table are read.
"""

from __future__ import annotations

import json
import math
import mmap
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from recollect.errors import EmbedderBroken
from recollect.search.vectors import Meant, Passage
from recollect.text.tokens import STOP_WORDS

if TYPE_CHECKING:
    import numpy as np


# -------------------- Embed: whatever makes lists of floats of texts: an endpoint, a library, a package of somebody.


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
                path=self.identity, reason="it returned something other than numbers"
            ) from error
        if len(vectors) != len(texts) or len(set(map(len, vectors))) > 1:
            raise EmbedderBroken(
                path=self.identity, reason="it returned the wrong number of vectors"
            )
        return [Meant(vector) for vector in vectors]


def shortened(vector: Sequence[float]) -> bytes:
    """A vector as int8 numbers; its length says nothing. Raises ValueError."""
    values = [float(value) for value in vector]
    most = max(map(abs, values))
    if not math.isfinite(sum(values)):
        raise ValueError(most)
    scale = 127 / most if most else 0.0
    return struct.pack(f"{len(values)}b", *(round(value * scale) for value in values))


# -------------------- Embed: files of named arrays, in the safetensors format.


LARGEST_HEADER = 1 << 20
_KINDS = {"I8": "i1", "F16": "<f2", "F32": "<f4"}
_NAMES = {"int8": "I8", "float16": "F16", "float32": "F32"}
Arrays = dict[str, "np.ndarray"]


def opened(path: str) -> Arrays:
    """The arrays of a file, by name; they are read from the disk when they are used.

    Raises:
        EmbedderBroken: it is not such a file, or shorter than it says.
    """
    try:
        with open(path, "rb") as file:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:
        raise EmbedderBroken(path=path, reason=str(error)) from error
    return parsed(memoryview(data), path)


def parsed(data: bytes | memoryview, path: str) -> Arrays:
    """The arrays in these bytes, by name; `path` is said where they are none. Raises EmbedderBroken."""
    import numpy as np

    found: Arrays = {}
    try:
        size = int.from_bytes(data[:8], "little")
        header = json.loads(bytes(data[8 : 8 + min(size, LARGEST_HEADER)]))
        for name, about in header.items():
            if name != "__metadata__" and about["dtype"] in _KINDS:
                start, end = about["data_offsets"]
                flat = np.frombuffer(
                    data[8 + size + start : 8 + size + end], _KINDS[about["dtype"]]
                )
                found[name] = flat.reshape(about["shape"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise EmbedderBroken(path=path, reason=str(error)) from error
    return found


def packed(arrays: Mapping[str, np.ndarray]) -> bytes:
    """The bytes of a file with these arrays."""
    header: dict[str, Any] = {}
    at = 0
    for name, array in arrays.items():
        end = at + array.nbytes
        header[name] = {
            "dtype": _NAMES[str(array.dtype)],
            "shape": list(array.shape),
            "data_offsets": [at, end],
        }
        at = end
    head = json.dumps(header).encode()
    head += b" " * (-len(head) % 8)
    return b"".join(
        [len(head).to_bytes(8, "little"), head, *(a.tobytes() for a in arrays.values())]
    )


# -------------------- Wordpiece: text cut into the pieces that a vocabulary of BERT's kind has.


LONGEST_WORD = 100  # characters; what is longer is unknown as a whole
PAD, UNKNOWN, START, END = "[PAD]", "[UNK]", "[CLS]", "[SEP]"
_SIGNS = {chr(c): f" {chr(c)} " for c in range(33, 127) if not chr(c).isalnum()}
_GONE = {chr(c): " " if chr(c) in "\t\n\r" else "" for c in [*range(32), 127]}
_ASCII = str.maketrans(_SIGNS | _GONE)


def words_of(text: str) -> list[str]:
    """The words and signs of a text, as they are looked up."""
    if text.isascii():
        return text.lower().translate(_ASCII).split()
    from unicodedata import category, normalize

    kept = []
    for char in text:
        kind = category(char)
        if char in "\t\n\r" or kind == "Zs":
            kept.append(" ")
        elif kind[0] == "C" or char == "\ufffd":
            continue
        else:
            kept.append(f" {char} " if _is_ideograph(ord(char)) else char)
    spaced = []
    for char in normalize("NFD", "".join(kept).lower()):
        kind = category(char)
        if kind == "Mn":
            continue
        is_sign = kind[0] == "P" or (char < "\x7f" and char > " " and not char.isalnum())
        spaced.append(f" {char} " if is_sign else char)
    return "".join(spaced).split()


def _is_ideograph(code: int) -> bool:
    return (
        0x4E00 <= code <= 0x9FFF
        or 0x3400 <= code <= 0x4DBF
        or 0x20000 <= code <= 0x2A6DF
        or 0x2A700 <= code <= 0x2CEAF
        or 0xF900 <= code <= 0xFAFF
        or 0x2F800 <= code <= 0x2FA1F
    )


def pieces_of(word: str, vocabulary: "dict[str, int]") -> list[int]:
    """The numbers of the pieces that a word is made of, longest first; the unknown piece if none."""
    whole = vocabulary.get(word)
    if whole is not None:
        return [whole]
    found: list[int] = []
    start = 0
    while start < len(word) <= LONGEST_WORD:
        end = len(word)
        head = "##" if start else ""
        while end > start and f"{head}{word[start:end]}" not in vocabulary:
            end -= 1
        if end == start:
            break
        found.append(vocabulary[f"{head}{word[start:end]}"])
        start = end
    return found if found and start == len(word) else [vocabulary[UNKNOWN]]


def cut(text: str, vocabulary: "dict[str, int]", most: int) -> list[int]:
    """The numbers of the pieces of a text, at most `most` of them."""
    found: list[int] = []
    for word in words_of(text):
        found += pieces_of(word, vocabulary)
        if len(found) >= most:
            break
    return found[:most]


MOST_PIECES = 126  # of a text, beside the marks at its ends: as many as the model was trained with
TEXTS_AT_ONCE = 1_024  # pieces that are computed together
WORDS = "word_embeddings"


class Encoder:
    """The model in a folder: `model.safetensors` and `vocab.txt`."""

    def __init__(self, folder: str, heads: int) -> None:
        """Load it. Raises EmbedderBroken."""
        path = f"{folder}/model.safetensors"
        stored = opened(path)
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
        return cut(text, self.vocabulary, most)

    def states(self, rows: Sequence[tuple[list[int], int, int]]) -> Iterator[np.ndarray]:
        """For each `(pieces, from, to)` what the model makes of each of these pieces there.

        What stands before and behind them is context. Of no pieces it is what it makes of nothing.
        """
        order = sorted(range(len(rows)), key=lambda n: len(rows[n][0]))
        found: dict[int, np.ndarray] = {}
        while order:
            longest = len(rows[order[-1]][0]) + 2
            some = order[-max(1, TEXTS_AT_ONCE // longest) :]
            del order[-len(some) :]
            states = self._states([rows[n][0] for n in some])
            for n, state in zip(some, states, strict=True):
                _, start, end = rows[n]
                found[n] = state[1 + start : 1 + end] if end > start else state[:1]
        return (found[n] for n in range(len(rows)))

    def _states(self, several: Sequence[list[int]]) -> np.ndarray:
        import numpy as np

        first, last, pad = (self.vocabulary[mark] for mark in (START, END, PAD))
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
    for mark in (PAD, UNKNOWN, START, END):
        if mark not in found:
            raise EmbedderBroken(path=path, reason=f"it has no {mark}")
    return found


# -------------------- Embed: our own files of a model, made from the published weights without torch.


_DENSE = {"out": "attention.output.dense", "up": "intermediate.dense", "down": "output.dense"}
_NORMS = {"seen": "attention.output.LayerNorm", "said": "output.LayerNorm"}


def shrunk(weights: bytes) -> bytes:
    """The bytes of our `model.safetensors` from those of a published one of BERT's kind.

    Raises:
        EmbedderBroken: it is another kind of model.
    """
    import numpy as np

    given = parsed(weights, "model.safetensors")
    made: Arrays = {}
    try:
        _keep(made, WORDS, given["embeddings.word_embeddings.weight"], axis=1)
        kind = given["embeddings.token_type_embeddings.weight"][0]
        positions = given["embeddings.position_embeddings.weight"] + kind
        made["positions"] = positions.astype(np.float16)
        _keep_norm(made, "start", given, "embeddings.LayerNorm")
        n = 0
        while f"encoder.layer.{n}.output.dense.weight" in given:
            _keep_layer(made, f"layer.{n}", given, f"encoder.layer.{n}")
            n += 1
    except KeyError as error:
        raise EmbedderBroken(path="model.safetensors", reason=f"it has no {error}") from error
    return packed(made)


def _keep_layer(made: Arrays, name: str, given: Arrays, old: str) -> None:
    import numpy as np

    three = [f"{old}.attention.self.{part}" for part in ("query", "key", "value")]
    both = np.concatenate([given[f"{part}.weight"].T for part in three], axis=1)
    _keep(made, f"{name}.qkv", both, axis=0)
    made[f"{name}.qkv_bias"] = np.concatenate([given[f"{part}.bias"] for part in three])
    for part, where in _DENSE.items():
        _keep(made, f"{name}.{part}", given[f"{old}.{where}.weight"].T, axis=0)
        made[f"{name}.{part}_bias"] = given[f"{old}.{where}.bias"]
    for part, where in _NORMS.items():
        _keep_norm(made, f"{name}.{part}", given, f"{old}.{where}")


def _keep_norm(made: Arrays, name: str, given: Arrays, old: str) -> None:
    made[f"{name}_norm"] = given[f"{old}.weight"]
    made[f"{name}_norm_bias"] = given[f"{old}.bias"]


def _keep(made: Arrays, name: str, array: np.ndarray, axis: int) -> None:
    """Keep an array as int8 numbers, with a scale for each of what a product adds up."""
    import numpy as np

    scale = np.maximum(np.abs(array).max(axis=axis, keepdims=True), 1e-12) / 127
    made[name] = np.round(array / scale).astype(np.int8)
    made[f"{name}.scale"] = scale.squeeze(axis).astype(np.float32)


# -------------------- Embed: MiniLM, a small model of English that runs on numpy.


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
    return Meant(shortened_to_limit(states.mean(axis=0)), b"".join(map(shortened_to_limit, pieces)))


def shortened_to_limit(vector: np.ndarray) -> bytes:
    """A vector as int8 numbers; its length says nothing."""
    import numpy as np

    most = float(np.abs(vector).max())
    return bytes(np.round(vector * (127 / most if most else 0.0)).astype(np.int8).tobytes())
