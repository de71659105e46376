"""For the tests of the server: an agent with a home and a project.

This folder has no `__init__.py`: as a package it would be called `mcp`, like the SDK.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.mcp.talking import Agent
from tests.prepared import Prepared


@pytest.fixture
def stranger(tmp_path: Path) -> Agent:
    """An agent where no store is."""
    home, project = tmp_path / "home", tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    home.mkdir()
    return Agent(home, project)


@pytest.fixture
def agent(stranger: Agent, tmp_path: Path, both_stores: Prepared) -> Agent:
    """An agent in a project with a store, beside the store for all projects."""
    both_stores.put(tmp_path)
    return stranger
