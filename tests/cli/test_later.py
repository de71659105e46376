"""What click does as it is imported, and no short command needs, is put off or left out."""

from __future__ import annotations

import subprocess
import sys
import typing
from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect.doors.cli.later import load_when_touched, names_are_text


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


# ------------------------------------------------------------------------- types named in text


NO_NAME = "not even a name"


def test_within_it_a_type_that_is_named_in_text_stays_text() -> None:
    usual = typing.ForwardRef
    with names_are_text():
        bound = typing.TypeVar("bound", bound=NO_NAME)  # type: ignore[valid-type]
    assert typing.ForwardRef is usual
    assert bound.__bound__.__forward_arg__ == NO_NAME  # type: ignore[union-attr]


def test_behind_it_types_are_compiled_as_always() -> None:
    with names_are_text():
        pass
    with pytest.raises(SyntaxError):
        typing.TypeVar("bound", bound=NO_NAME)


def test_an_error_within_it_leaves_all_as_it_was() -> None:
    usual = typing.ForwardRef
    with pytest.raises(KeyError), names_are_text():
        raise KeyError
    assert typing.ForwardRef is usual


def test_the_command_line_is_loaded_without_the_classes_of_syntax_trees() -> None:
    code = (
        "import recollect.doors.cli\n"
        "print(sum(one.__module__ == 'ast' for one in object.__subclasses__()))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "0\n"
