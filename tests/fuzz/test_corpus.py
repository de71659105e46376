"""What was found by fuzzing stays found; and a little more is tried each time."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from .mutating import explored
from .targets import TARGETS

CORPUS = Path(__file__).parent / "corpus"
FILES = sorted(file for file in CORPUS.rglob("*") if file.is_file())
LONGEST = 10  # seconds for bytes of a few thousand; far more than they need


@contextmanager
def _not_for_ever() -> Iterator[None]:
    def give_up(*_: Any) -> None:
        raise TimeoutError(f"longer than {LONGEST} s")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(LONGEST)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def test_every_target_has_a_corpus() -> None:
    assert {file.parent.name for file in FILES} == set(TARGETS)


@pytest.mark.parametrize("name", TARGETS)
def test_what_is_kept_breaks_no_promise(name: str) -> None:
    for file in sorted((CORPUS / name).iterdir()):
        with _not_for_ever():
            TARGETS[name](file.read_bytes())


@pytest.mark.parametrize("name", TARGETS)
def test_bytes_of_any_kind_break_no_promise(name: str) -> None:
    for data in (b"", b"\0", b"\xff\xfe", bytes(range(256)), b"[" * 9_000, b'{"a":' * 2_000, b"\n" * 9_000, b"a" * 99_999):  # fmt: skip
        with _not_for_ever():
            TARGETS[name](data)


@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
def test_what_is_made_of_it_breaks_no_promise(name: str) -> None:
    seeds = [file.read_bytes() for file in sorted((CORPUS / name).iterdir())]
    explored(TARGETS[name], seeds, seed=20260111, runs=1_500)


@pytest.mark.slow
def test_mutants_reach_further_than_the_seeds() -> None:
    assert explored(TARGETS["front-matter"], [b"---\nid: tea\n---\nText.\n"], seed=1, runs=200)
