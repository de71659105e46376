"""Modules that are loaded when they are touched."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect.doors.cli.later import load_when_touched


@pytest.fixture
def name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A module that leaves a file behind as it is loaded."""
    (tmp_path / "dear.py").write_text("open(__file__ + '.loaded', 'x').close()\nprice = 3\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    load_when_touched("dear")
    yield "dear"
    del sys.modules["dear"]


def loaded(folder: Path) -> bool:
    return (folder / "dear.py.loaded").exists()


def test_an_import_alone_loads_nothing(name: str, tmp_path: Path) -> None:
    for _ in range(2):
        __import__(name)
    assert not loaded(tmp_path)


def test_who_asks_for_something_of_it_gets_it(name: str, tmp_path: Path) -> None:
    early = __import__(name)
    assert early.price == 3
    assert loaded(tmp_path)
    assert early.__dict__["price"] == 3  # found at once from now on
    from dear import price  # type: ignore[import-not-found]

    assert price == 3


def test_it_is_loaded_once(name: str, tmp_path: Path) -> None:
    early = __import__(name)
    assert early.price == __import__(name).price  # a second time would find the file in its way


def test_what_is_not_there_is_missed_as_always(name: str) -> None:
    with pytest.raises(AttributeError):
        _ = __import__(name).weight


def test_what_is_loaded_already_stays() -> None:
    before = sys.modules["pytest"]
    load_when_touched("pytest")
    assert sys.modules["pytest"] is before
