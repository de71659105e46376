"""Fixtures of the capture tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from .desk import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A project with an empty store."""
    return Desk(tmp_path)
