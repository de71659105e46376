"""Fixtures of the tests that put stores on a disk."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from .project import Project


@pytest.fixture(scope="module")
def quick_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder in memory where there is one: hundreds of stores would wait for the disk otherwise."""
    if os.access("/dev/shm", os.W_OK):
        folder = Path(tempfile.mkdtemp(prefix="recollect-test-", dir="/dev/shm"))
        yield folder
        shutil.rmtree(folder)
    else:
        yield tmp_path_factory.mktemp("quick")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project in whose environment this process runs, as a worker does."""
    project = Project(tmp_path)
    for name, value in project.env.items():
        monkeypatch.setenv(name, value)
    return project
