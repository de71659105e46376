"""How quick capturing is, in megabytes of transcript for each second (printed, not asserted)."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from .desk import Desk
from .transcripts import Transcript

WORDS = (
    "parser token stream node function call error handler module import return value path".split()
)


def text(size: int, seed: int) -> str:
    """Some words."""
    count = len(WORDS)
    return " ".join(WORDS[(seed * 31 + n * 7 + n // count) % count] for n in range(size // 6))


def a_long_session(megabytes: int) -> Transcript:
    """A session as large as this: mostly what tools read and wrote, as in real ones."""
    transcript = Transcript()
    turn = size = 0
    while size < megabytes * 1_000_000:
        turn += 1
        transcript.prompt(f"Please mend module {turn}. {text(300, turn)}")
        transcript.answer(text(600, turn))
        for n in range(8):
            path = f"/home/ada/teapot/src/m{turn % 40}_{n}.py"
            code = "\n".join(f"    {text(60, n + i)} = x[{i}]" for i in range(60))
            call = transcript.call("Read", file_path=path)
            file = {"filePath": path, "content": code, "numLines": 60}
            transcript.result(call, code, extra={"type": "text", "file": file})
            transcript.shell(f"pytest -q {path}", code[:3000], code=int(n % 5 == 1))
            call = transcript.call("Edit", file_path=path, old_string=code[:400], new_string="x")
            transcript.result(call, "updated", extra={"filePath": path, "originalFile": code * 2})
        transcript.noise()
        if turn % 20 == 0:
            size = len(transcript.data)
    return transcript


@pytest.mark.slow
def test_capturing_twenty_megabytes(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    transcript = a_long_session(20)
    path = Path(transcript.save(desk.logs))

    started = time.perf_counter()
    with desk.opened() as capture:
        done = capture.take_in("claude", str(path), over=True)
    seconds = time.perf_counter() - started

    assert done.what == "created"
    megabytes = path.stat().st_size / 1_000_000
    with capsys.disabled():
        sys.stderr.write(f"\n{megabytes:.0f} MB captured with {megabytes / seconds:.0f} MB/s\n")
