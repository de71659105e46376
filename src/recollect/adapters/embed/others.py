"""Embed: models of the person's own: an ONNX file, sentence-transformers, a package.

Promises: a library is loaded when the first text comes, and a missing one is named.
Touches: the files and libraries that the person named.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import metadata
from typing import TYPE_CHECKING, Any

from recollect.adapters.embed import needs
from recollect.adapters.embed.bert import read_vocabulary
from recollect.domain import wordpiece
from recollect.errors import EmbedderBroken

if TYPE_CHECKING:
    import numpy as np

GROUP = "recollect.embedders"
MOST_PIECES = 254

Embed = Callable[[list[str]], Sequence[Sequence[float]]]


def later(make: Callable[[], Embed]) -> Embed:
    """A function that is made when it is first called."""
    made: list[Embed] = []

    def embed(texts: list[str]) -> Sequence[Sequence[float]]:
        if not made:
            made.append(make())
        return made[0](texts)

    return embed


def sentence_transformers(model: str) -> Embed:
    """A model by the library of that name. Raises MissingExtra."""
    library: Any = needs.library("sentence_transformers", "sentence-transformers")
    loaded = library.SentenceTransformer(model)

    def embed(texts: list[str]) -> Sequence[Sequence[float]]:
        found: Sequence[Sequence[float]] = loaded.encode(texts).tolist()
        return found

    return embed


def package(name: str) -> Embed:
    """What an installed package offers under this name. Raises EmbedderBroken."""
    for point in metadata.entry_points(group=GROUP):
        if point.name == name:
            try:
                found: Embed = point.load()
            except Exception as error:
                raise EmbedderBroken(path=name, reason=str(error)) from error
            return found
    raise EmbedderBroken(path=name, reason="no installed package offers it")


def onnx(path: str, vocabulary: str) -> Embed:
    """A model of BERT's kind as an ONNX file. Raises MissingExtra, EmbedderBroken."""
    np: Any = needs.numpy()
    runtime: Any = needs.library("onnxruntime", "onnx")
    words = read_vocabulary(vocabulary)
    try:
        session = runtime.InferenceSession(path, providers=["CPUExecutionProvider"])
    except Exception as error:  # of a class of the library's own
        raise EmbedderBroken(path=path, reason=str(error)) from error
    wanted = {one.name for one in session.get_inputs()}

    def embed(texts: list[str]) -> Sequence[Sequence[float]]:
        several = [
            [words[wordpiece.START], *wordpiece.cut(text, words, MOST_PIECES), words[wordpiece.END]]
            for text in texts
        ]
        longest = max(map(len, several))
        ids = np.full((len(several), longest), words[wordpiece.PAD], dtype=np.int64)
        mask = np.zeros_like(ids)
        for n, pieces in enumerate(several):
            ids[n, : len(pieces)], mask[n, : len(pieces)] = pieces, 1
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        state: np.ndarray = session.run(None, {k: v for k, v in given.items() if k in wanted})[0]
        if state.ndim == 3:  # a vector for each piece: their mean
            state = (state * mask[..., None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
        found: Sequence[Sequence[float]] = state.tolist()
        return found

    return embed
