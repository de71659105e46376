"""The model that runs on numpy: what it computes is what its weights say."""

from __future__ import annotations

import struct
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fakes.embedder import VOCABULARY, WIDE, published_model

from recollect.errors import EmbedderBroken
from recollect.search.vectors import Embedding, Passage
from recollect_minilm import MOST_STORED, MiniLM, tensors
from recollect_minilm.encoder import Encoder, converted

if TYPE_CHECKING:
    import numpy as np

PIECES = st.lists(st.integers(4, len(VOCABULARY) - 1), min_size=1, max_size=20)


@cache
def folder() -> Path:
    """A folder with the model as we keep it."""
    place = Path(tempfile.mkdtemp())
    given = published_model()
    (place / "model.safetensors").write_bytes(converted(given["model.safetensors"]))
    (place / "vocab.txt").write_bytes(given["vocab.txt"])
    return place


@cache
def made() -> Encoder:
    return Encoder(str(folder()), heads=12)


@pytest.fixture
def encoder() -> Encoder:
    return made()


def mean(encoder: Encoder, *rows: list[int]) -> list[np.ndarray]:
    return [found.mean(axis=0) for found in encoder.states([(row, 0, len(row)) for row in rows])]


def plainly(pieces: list[int]) -> np.ndarray:
    """What the published float weights make of some pieces, written down as the papers have it."""
    import numpy as np

    w: Any = tensors.parse_arrays(published_model()["model.safetensors"], "")
    ids = [2, *pieces, 3]

    def normal(x: Any, at: str) -> Any:
        x = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-12)
        return x * w[f"{at}.weight"] + w[f"{at}.bias"]

    def dense(x: Any, at: str) -> Any:
        return x @ w[f"{at}.weight"].T + w[f"{at}.bias"]

    x = w["embeddings.word_embeddings.weight"][ids]
    x = x + w["embeddings.position_embeddings.weight"][: len(ids)]
    x = normal(x + w["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    for n in range(2):
        at = f"encoder.layer.{n}"
        heads = []
        for h in range(12):
            q, k, v = (
                dense(x, f"{at}.attention.self.{part}")[:, 2 * h : 2 * h + 2]
                for part in ("query", "key", "value")
            )
            scores = np.exp(q @ k.T / np.sqrt(2))
            heads.append(scores / scores.sum(-1, keepdims=True) @ v)
        seen = dense(np.concatenate(heads, axis=-1), f"{at}.attention.output.dense")
        x = normal(x + seen, f"{at}.attention.output.LayerNorm")
        inner = dense(x, f"{at}.intermediate.dense")
        inner = inner / 2 * (1 + np.tanh(0.7978845608 * (inner + 0.044715 * inner**3)))
        x = normal(x + dense(inner, f"{at}.output.dense"), f"{at}.output.LayerNorm")
    found: np.ndarray = x[1:-1].mean(0)
    return found


@settings(max_examples=20)
@given(PIECES)
def test_it_computes_what_the_published_weights_say_but_for_rounding(pieces: list[int]) -> None:
    import numpy as np

    [ours], theirs = mean(made(), pieces), plainly(pieces)
    cosine = ours @ theirs / np.linalg.norm(ours) / np.linalg.norm(theirs)
    assert cosine > 0.999


def test_a_text_has_the_same_vector_whatever_is_computed_beside_it(encoder: Encoder) -> None:
    import numpy as np

    alone = mean(encoder, [4, 5])[0]
    together = mean(encoder, [4, 5], [6, 7, 8, 9, 10, 11, 12], [9])[0]
    assert np.allclose(alone, together, atol=1e-5)


def test_what_stands_around_changes_what_a_text_means(encoder: Encoder) -> None:
    import numpy as np

    [alone] = encoder.states([([4, 5], 0, 2)])
    [inside] = encoder.states([([9, 4, 5, 11], 1, 3)])
    assert alone.shape == inside.shape == (2, WIDE)
    assert not np.allclose(alone, inside, atol=1e-3)


def test_nothing_has_a_vector_too(encoder: Encoder) -> None:
    [found] = mean(encoder, [])
    assert found.shape == (WIDE,)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"short",
        struct.pack("<Q", 1 << 60) + b"{}",
        struct.pack("<Q", 2) + b"[]",
        struct.pack("<Q", 4) + b"null",
    ],
)
def test_a_file_that_is_none_of_the_format_is_refused(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(data)
    with pytest.raises(EmbedderBroken):
        Encoder(str(tmp_path), heads=12)


def test_a_model_that_was_cut_off_is_refused(tmp_path: Path) -> None:
    data = (folder() / "model.safetensors").read_bytes()
    (tmp_path / "model.safetensors").write_bytes(data[: len(data) // 2])
    with pytest.raises(EmbedderBroken):
        Encoder(str(tmp_path), heads=12)


def test_another_kind_of_model_is_refused() -> None:
    import numpy as np

    with pytest.raises(EmbedderBroken):
        converted(tensors.pack_arrays({"weight": np.zeros((2, 2), np.float32)}))


def minilm() -> MiniLM:
    """The same as an embedder."""
    return MiniLM(str(folder()), "minilm/test")


def pieces(embedding: Embedding) -> int:
    return len(embedding.pieces) // len(embedding.whole)


def test_of_a_text_only_the_words_that_say_something_are_kept_and_of_a_cue_all() -> None:
    model = minilm()
    [told] = model.passages([Passage("the clock drifts in the cold.", before="blue buttons")])
    assert pieces(told) == len(["clock", "drifts", "cold"])
    assert pieces(model.cue("is the clock cold")) == 4


def test_a_text_of_stop_words_keeps_them() -> None:
    [told, empty] = minilm().passages([Passage("is the a in"), Passage("")])
    assert (pieces(told), pieces(empty)) == (4, 1)


def test_a_long_text_has_no_more_pieces_than_are_kept() -> None:
    [told] = minilm().passages([Passage("clock drifts cold winter " * 30)])
    assert pieces(told) == MOST_STORED
