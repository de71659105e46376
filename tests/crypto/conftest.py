"""Somebody with a store and keys, and what is on their disk."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.running import Person
from tests.crypto.desk import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A project with a store, and the keys of whom it belongs to."""
    home, project = tmp_path / "home", tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    home.mkdir()
    made = Desk(Person(home, project), tmp_path)
    made.person.store.mkdir(parents=True)
    made.recovery.parent.mkdir()
    made.person.ok("key-init", "--recovery-file", str(made.recovery))
    return made
