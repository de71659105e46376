"""The model keeps the contract of every embedder."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.contracts.embedder import EmbedderContract
from tests.fakes.embedder import published_model

from recollect_minilm import MiniLM
from recollect_minilm.encoder import converted


class TestMiniLM(EmbedderContract):
    @pytest.fixture
    def embedder(self, tmp_path: Path) -> MiniLM:
        given = published_model()
        (tmp_path / "model.safetensors").write_bytes(converted(given["model.safetensors"]))
        (tmp_path / "vocab.txt").write_bytes(given["vocab.txt"])
        return MiniLM(str(tmp_path), "minilm/test")
