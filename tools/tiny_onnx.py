"""A very small model of BERT's kind as an ONNX file, with its vocabulary, for `tools.registry`.

`python tools/tiny_onnx.py FOLDER` needs the libraries onnx and numpy. Each word has a vector of its
own; of two words that mean nearly the same in our example it is nearly the same.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np  # noqa: TID253 - a tool, not the product
from onnx import TensorProto, helper, numpy_helper, save  # type: ignore[import-not-found]

MARKS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
ALIKE = [("clock", "timestamps"), ("cold", "winter"), ("drifts", "off")]
OTHERS = "events postgres blue buttons design month use".split()


def main(folder: Path) -> None:
    """Write model.onnx and vocab.txt."""
    words = [word for pair in ALIKE for word in pair] + OTHERS
    (folder / "vocab.txt").write_text("\n".join([*MARKS, *words]), encoding="utf-8")
    table = np.zeros((len(MARKS) + len(words), 16), np.float32)
    for n, word in enumerate(words):
        same = next((at for at, pair in enumerate(ALIKE) if word in pair), None)
        table[len(MARKS) + n, n - len(ALIKE) if same is None else same] = 1
    ids, mask = (
        helper.make_tensor_value_info(name, TensorProto.INT64, ["texts", "pieces"])
        for name in ("input_ids", "attention_mask")
    )
    states = helper.make_tensor_value_info(
        "last_hidden_state", TensorProto.FLOAT, ["texts", "pieces", table.shape[1]]
    )
    look_up = helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])
    graph = helper.make_graph(
        [look_up], "tiny", [ids, mask], [states], [numpy_helper.from_array(table, "table")]
    )
    version = helper.make_opsetid("", 13)
    save(
        helper.make_model(graph, opset_imports=[version], ir_version=8), str(folder / "model.onnx")
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
