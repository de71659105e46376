"""Fixtures: somebody with a store, and a machine on which hooks run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.running import Person
from tests.hooks.machine import Machine


@pytest.fixture
def person(tmp_path: Path) -> Person:
    """Somebody with a store in their project, which is a repository."""
    home, project = tmp_path / "home", tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    home.mkdir()
    somebody = Person(home, project)
    somebody.ok("init", "--scope", "both")
    return somebody


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    """A machine with both stores; nothing may be running on it at the end."""
    made = Machine(tmp_path)
    made.make_stores()
    yield made
    made.settle()
