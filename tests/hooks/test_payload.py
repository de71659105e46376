"""A payload is read however late the hook gets its turn, and never for long where none comes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from itertools import repeat

import pytest

from recollect.interfaces.hooks import payload

from .machine import SOURCE

# A reader whose clock goes on by so many seconds at every look and pause: the machine is busy.
SLOW = f"""
import sys, time
sys.path.insert(0, {str(SOURCE)!r})
from recollect.interfaces.hooks import payload
class Clock:
    now = 0.0
    @classmethod
    def sleep(cls, seconds):
        cls.now += float(sys.argv[1])
        time.sleep(seconds)
    @classmethod
    def monotonic(cls):
        cls.now += float(sys.argv[1])
        return cls.now
payload.time = Clock
print(len(payload.read_payload()))
"""


def read_slowly(step: float, said: bytes) -> int:
    """How much of what a client said is read by a hook that waits so long for each turn."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", SLOW, str(step)],
        input=said,  # whoever goes without reading it all leaves the client with a broken pipe
        capture_output=True,
        check=True,
        timeout=20,
    )
    return int(done.stdout)


@pytest.mark.parametrize("step", [0.0, 0.3, 1.5, 60.0])
@pytest.mark.parametrize("size", [2, 300_000])
def test_what_the_client_said_is_read_however_late_the_hook_gets_its_turn(
    size: int, step: float
) -> None:
    said = b"{" + b" " * (size - 2) + b"}"

    assert read_slowly(step, said) == size


def test_an_end_that_does_not_come_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    parts: Iterator[bytes | type[Exception]] = iter([b'{"a":', *[BlockingIOError] * 1000])
    monkeypatch.setattr(payload, "os", Silent(parts))
    monkeypatch.setattr(payload, "time", Ticking())

    assert payload.read_payload() == b'{"a":'
    assert next(parts) is BlockingIOError


def test_a_flood_is_not_read_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(payload, "os", Silent(repeat(b"x" * 1_000_000)))
    monkeypatch.setattr(payload, "time", Ticking())

    assert len(payload.read_payload()) == payload.LARGEST_PAYLOAD


class Silent:
    """A stdin that gives these parts."""

    def __init__(self, parts: Iterator[bytes | type[Exception]]) -> None:
        self.parts = parts

    def set_blocking(self, handle: int, blocking: bool) -> None:
        assert (handle, blocking) == (0, False)

    def read(self, handle: int, size: int) -> bytes:
        found = next(self.parts)
        if isinstance(found, bytes):
            return found
        raise found


class Ticking:
    """A clock on which every look and every pause takes its time."""

    now = 0.0

    def monotonic(self) -> float:
        self.now += 0.01
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
