"""Fixtures: somebody with a store, and a machine on which hooks run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.running import Person
from tests.hooks.machine import Machine
from tests.prepared import Prepared


@pytest.fixture
def person(tmp_path: Path, both_stores: Prepared) -> Person:
    """Somebody with a store in their project, which is a repository."""
    both_stores.put(tmp_path)
    return Person(tmp_path / "home", tmp_path / "project")


@pytest.fixture
def machine(tmp_path: Path, stores_of_a_machine: Prepared) -> Iterator[Machine]:
    """A machine with both stores; nothing may be running on it at the end."""
    made = Machine(tmp_path)
    stores_of_a_machine.put(tmp_path)
    yield made
    made.settle()
