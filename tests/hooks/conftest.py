"""Fixtures of the hook tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.prepared import Prepared

from .machine import Machine


@pytest.fixture
def bare(tmp_path: Path) -> Iterator[Machine]:
    """A machine without any store; nothing may be running on it at the end."""
    machine = Machine(tmp_path)
    yield machine
    machine.settle()


@pytest.fixture
def machine(bare: Machine, stores_of_a_machine: Prepared) -> Machine:
    """A machine with a project's store and a global one."""
    stores_of_a_machine.put(bare.folder)
    return bare
