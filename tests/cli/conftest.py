"""For the tests of the command line: somebody with a home and a project."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.running import Person
from tests.prepared import Prepared


@pytest.fixture
def stranger(tmp_path: Path) -> Person:
    """Somebody who has no store yet, in a folder that is a repository."""
    home, project = tmp_path / "home", tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    home.mkdir()
    return Person(home, project)


@pytest.fixture
def person(stranger: Person, tmp_path: Path, store_of_a_project: Prepared) -> Person:
    """Somebody with a store in their project."""
    store_of_a_project.put(tmp_path)
    return stranger
