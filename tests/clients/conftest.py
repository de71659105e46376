"""Fixtures of the tests of clients."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.running import Person


@pytest.fixture
def person(tmp_path: Path) -> Person:
    """Somebody with a project, who has used no client yet."""
    made = Person(tmp_path / "home", tmp_path / "home" / "project")
    (made.project / ".git").mkdir(parents=True)
    return made
