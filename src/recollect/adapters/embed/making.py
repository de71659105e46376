"""Embed: our own files of a model, made from the published weights without torch.

Promises: every row of the weights keeps its own scale, so that int8 costs next to nothing.
Touches: nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.adapters.embed import tensors
from recollect.adapters.embed.bert import WORDS
from recollect.errors import EmbedderBroken

if TYPE_CHECKING:
    import numpy as np

_DENSE = {"out": "attention.output.dense", "up": "intermediate.dense", "down": "output.dense"}
_NORMS = {"seen": "attention.output.LayerNorm", "said": "output.LayerNorm"}


def shrunk(weights: bytes) -> bytes:
    """The bytes of our `model.safetensors` from those of a published one of BERT's kind.

    Raises:
        EmbedderBroken: it is another kind of model.
    """
    import numpy as np

    given = tensors.parsed(weights, "model.safetensors")
    made: tensors.Arrays = {}
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
    return tensors.packed(made)


def _keep_layer(made: tensors.Arrays, name: str, given: tensors.Arrays, old: str) -> None:
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


def _keep_norm(made: tensors.Arrays, name: str, given: tensors.Arrays, old: str) -> None:
    made[f"{name}_norm"] = given[f"{old}.weight"]
    made[f"{name}_norm_bias"] = given[f"{old}.bias"]


def _keep(made: tensors.Arrays, name: str, array: np.ndarray, axis: int) -> None:
    """Keep an array as int8 numbers, with a scale for each of what a product adds up."""
    import numpy as np

    scale = np.maximum(np.abs(array).max(axis=axis, keepdims=True), 1e-12) / 127
    made[name] = np.round(array / scale).astype(np.int8)
    made[f"{name}.scale"] = scale.squeeze(axis).astype(np.float32)
