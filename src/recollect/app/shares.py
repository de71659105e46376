"""App: the transcripts of many stores, taken in by several processes at once.

Promises: the transcripts of one store stay in one process and in their order, so that what comes
out is what one process alone would have made; of one that dies, what it had not taken in yet is
named; none outlives the process that it works for.
Touches: the processes it starts; they touch what capturing touches.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from queue import SimpleQueue
from threading import Thread
from typing import Any

# Less than this is read before a second process would have started.
WORTH_BYTES = 8_000_000
WORD = "take-in"  # what the program is called with, in place of a command


def shares_of(by_store: Iterable[Sequence[str]], most: int) -> list[list[str]]:
    """Transcripts, store by store, in so many shares of about the same size.

    All in one where there is too little to do.
    """
    sized = [(sum(map(_size, group)), group) for group in by_store]
    sized.sort(key=lambda one: one[0], reverse=True)
    if sum(size for size, _ in sized) < WORTH_BYTES:
        most = 1
    loads = [0] * max(1, min(most, len(sized)))
    shares: list[list[str]] = [[] for _ in loads]
    for size, group in sized:
        least = loads.index(min(loads))
        loads[least] += size
        shares[least] += group
    return shares


def _size(path: str) -> int:
    with suppress(OSError):
        return os.path.getsize(path)
    return 0


def answers(
    request: dict[str, Any], shares: Sequence[list[str]], env: Mapping[str, str]
) -> Iterator[list[str]]:
    """What the processes say of each transcript, as they say it; they have ended behind the last.

    Each is told `request` with its own `transcripts` on its stdin, and writes a line of JSON for
    each of them in their order, and more of another kind behind them.
    """
    said: SimpleQueue[list[str] | None] = SimpleQueue()
    with ExitStack() as started:
        for share in shares:
            process = started.enter_context(_process(env))
            told = json.dumps(request | {"transcripts": share}).encode()
            Thread(target=_listen, args=(process, told, share, said), daemon=True).start()
        going_on = len(shares)
        while going_on:
            row = said.get()
            if row is None:
                going_on -= 1
            else:
                yield row


@contextmanager
def _process(env: Mapping[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    process = subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, "-I", os.path.join(package, "__main__.py"), WORD],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=dict(env),
    )
    with process:
        try:
            yield process
        finally:
            process.kill()  # it has ended, or nobody wants to hear of it any more


def _listen(
    process: subprocess.Popen[bytes],
    told: bytes,
    share: list[str],
    said: SimpleQueue[list[str] | None],
) -> None:
    """Pass on what a process says, and what it left unsaid."""
    heard = 0
    assert process.stdin is not None and process.stdout is not None  # noqa: PT018 - both are pipes
    with suppress(OSError):
        with process.stdin as pipe:
            pipe.write(told)
        for line in process.stdout:
            said.put(json.loads(line))
            heard += 1
    code = process.wait()
    why = f"the process that was to take it in has ended ({code}); capture it again"
    for transcript in share[heard:]:
        said.put(["failed", transcript, why])
    said.put(None)
