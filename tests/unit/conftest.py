"""For the tests of the domain: not even a scratch home is made."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def nobodys_home(monkeypatch: pytest.MonkeyPatch) -> str:
    """A home that does not exist, in place of the one on disk that other tests get."""
    monkeypatch.setenv("HOME", "/nonexistent")
    return "/nonexistent"
