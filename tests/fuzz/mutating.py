"""Bytes made of other bytes, and which of them lead where nothing led before.

Promises: the same seed gives the same bytes; no library is needed. `python -m tests.fuzz` uses atheris
where it is installed; this is what every run of the tests can afford.
Touches: nothing.
"""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from types import FrameType
from typing import Any

import recollect

OURS = os.path.dirname(recollect.__file__)
LONGEST = 4_096
# What readers give a meaning to.
WORDS = tuple(
    word.encode("utf-8", "surrogatepass")
    for word in (
        "---\n", "\n---\n", "...", ": ", "- ", "# ", "## ", "<!--", "-->", "```", "[", "]", "{", "}", '"', "'", "\\", "\\u0000",
        "\\ud800", "null", "true", "1e999", "-0", "NaN", "&a", "*a", "!!python/object", "|", ">", "%", "\t", "\r\n", "\0", "\ufeff",
        "\u202e", "\u2028", "\U000e0041", "数据", "：", "，", "\ud800", "<private>", "</private>", "password=", "sk-ant-", "-----BEGIN ",
        "</memory>", "<system-reminder>", "Human:", "\x1b]52;", "\x9b", '"type":"user"', '"message":', '"content":', '"sum":"', "NEAR(", "* OR ",
    )
)  # fmt: skip


class Broke(AssertionError):
    """Bytes for which a target does not keep what it promises."""

    def __init__(self, data: bytes) -> None:
        """Say which bytes."""
        super().__init__(f"given {data!r}")
        self.data = data


def mutants(seeds: Sequence[bytes], seed: int) -> Iterator[bytes]:
    """Bytes without end, each made of one or two of the seeds."""
    chance = random.Random(seed)
    while True:
        data = bytearray(chance.choice(seeds))
        for _ in range(chance.randint(1, 6)):
            _mutate(data, chance, chance.choice(seeds))
        yield bytes(data[:LONGEST])


def _mutate(data: bytearray, chance: random.Random, other: bytes) -> None:
    at = chance.randint(0, len(data))
    to = min(len(data), at + chance.choice((1, 1, 2, 8, 64)))
    match chance.randrange(8):
        case 0:
            data[at:at] = chance.choice(WORDS)
        case 1:
            data[at:to] = chance.choice(WORDS)
        case 2:
            del data[at:to]
        case 3:
            data[at:at] = data[at:to] * chance.choice((1, 2, 40))
        case 4 if data:
            data[at % len(data)] ^= 1 << chance.randrange(8)
        case 5:
            data[at:to] = chance.randbytes(to - at)
        case 6:
            start = chance.randint(0, len(other))
            data[at:] = other[start:]
        case _:
            start = chance.randint(0, len(other))
            data[at:at] = other[start : start + 64]


def explored(
    target: Callable[[bytes], Any], seeds: Sequence[bytes], *, seed: int, runs: int
) -> list[bytes]:
    """Run a target on mutants; gives those that reached lines of ours that no other did.

    Raises:
        Broke: the target raised something; its bytes come along.
    """
    seen: set[tuple[str, int]] = set()
    kept = list(seeds) or [b""]
    for data in seeds:
        _lines_of(target, data, seen)
    found = []
    source = mutants(kept, seed)  # grows with what is found
    for _ in range(runs):
        data = next(source)
        if _lines_of(target, data, seen):
            kept.append(data)
            found.append(data)
    return found


def _lines_of(target: Callable[[bytes], Any], data: bytes, seen: set[tuple[str, int]]) -> bool:
    """Whether a run reached a line of ours for the first time."""
    before = len(seen)

    def local(frame: FrameType, event: str, _: Any) -> Any:
        seen.add((frame.f_code.co_filename, frame.f_lineno))
        return local

    def watch(frame: FrameType, event: str, _: Any) -> Any:
        return local if frame.f_code.co_filename.startswith(OURS) else None

    old = sys.gettrace()
    sys.settrace(watch)
    try:
        target(data)
    except Exception as error:
        raise Broke(data) from error
    finally:
        sys.settrace(old)
    return len(seen) > before
