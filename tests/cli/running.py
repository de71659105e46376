"""Running the program in this process, with streams, arguments and environment of its own."""

from __future__ import annotations

import hashlib
import io
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from recollect.interfaces.cli.main import main

# The developer's own client is none of the person's: `init` would run it.
WITHOUT_CLAUDE = os.pathsep.join(
    one for one in os.environ["PATH"].split(os.pathsep) if not os.path.exists(f"{one}/claude")
)


class Ran(NamedTuple):
    """What a command printed, and its exit code."""

    out: str
    err: str
    code: int

    @property
    def json(self) -> Any:
        """The answer of a command that was run with `--json`."""
        return json.loads(self.out)


@dataclass
class Person:
    """Somebody with a home and a project, who runs commands."""

    home: Path
    project: Path
    env: dict[str, str] = field(default_factory=dict)

    @property
    def store(self) -> Path:
        """The project's store."""
        return self.project / ".claude" / "memory"

    def environment(self, env: Mapping[str, str]) -> dict[str, str]:
        """What a command sees of the outside."""
        return {
            "HOME": str(self.home),
            "PATH": WITHOUT_CLAUDE,
            "LANG": "C.UTF-8",
            **self.env,
            **env,
        }

    def run(self, *words: str, stdin: str = "", env: Mapping[str, str] | None = None) -> Ran:
        """Run `recollect` with these words in this process."""
        with taken_over(self.project, self.environment(env or {}), ["recollect", *words]):
            out, err = _stream(), _stream()
            streams = sys.stdin, sys.stdout, sys.stderr
            sys.stdin = io.TextIOWrapper(io.BytesIO(stdin.encode("utf-8", "surrogateescape")))
            sys.stdout, sys.stderr = out, err
            try:
                code = _exit_code_of_main()
            finally:
                sys.stdin, sys.stdout, sys.stderr = streams
            return Ran(_text(out), _text(err), code)

    def ok(self, *words: str, stdin: str = "", env: Mapping[str, str] | None = None) -> Ran:
        """Run a command that has to succeed."""
        ran = self.run(*words, stdin=stdin, env=env)
        assert ran.code == 0, ran
        return ran

    def at_terminal(
        self,
        *words: str,
        columns: int = 100,
        env: Mapping[str, str] | None = None,
        typed: str = "",
    ) -> Ran:
        """Run `recollect` in this process with a terminal of that width for all its streams."""
        given = {"TERM": "xterm-256color", "COLUMNS": str(columns), **(env or {})}
        with taken_over(self.project, self.environment(given), ["recollect", *words]):
            screen = Screen(typed)
            streams = sys.stdin, sys.stdout, sys.stderr
            sys.stdin, sys.stdout, sys.stderr = screen.keyboard, screen.output, screen.output
            try:
                code = _exit_code_of_main()
            finally:
                sys.stdin, sys.stdout, sys.stderr = streams
            return Ran(screen.text(), "", code)

    def process(
        self, *words: str, stdin: bytes = b"", env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        """Run `python -m recollect` with these words as a process of its own."""
        return subprocess.run(
            [sys.executable, "-m", "recollect", *words],
            cwd=self.project,
            env=self.environment({"PYTHONPATH": os.pathsep.join(sys.path), **(env or {})}),
            input=stdin,
            capture_output=True,
            timeout=60,
            check=False,
        )

    def write(self, path: str, text: str) -> Path:
        """Put a file into the store, as an editor would."""
        file = self.store / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode("utf-8", "surrogateescape"))
        return file


class Screen:
    """A pseudo-terminal that remembers what was written to it."""

    def __init__(self, typed: str) -> None:
        self._master, slave = os.openpty()
        os.write(self._master, typed.encode())
        self.output = open(slave, "w", encoding="utf-8")  # noqa: SIM115 - closed in `text`
        self.keyboard = open(os.dup(slave), encoding="utf-8")  # noqa: SIM115
        self._seen: list[bytes] = []
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        with suppress(OSError):  # the other end is closed
            while part := os.read(self._master, 65536):
                self._seen.append(part)

    def text(self) -> str:
        """All that was written, with the line ends that it was written with."""
        self.output.close()
        self.keyboard.close()
        self._reader.join()
        os.close(self._master)
        return b"".join(self._seen).decode("utf-8").replace("\r\n", "\n")


def _stream() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="", write_through=True)


def _text(stream: io.TextIOWrapper) -> str:
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode("utf-8")


def _exit_code_of_main() -> int:
    try:
        main()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    return 0


@contextmanager
def taken_over(folder: Path, env: Mapping[str, str], words: Sequence[str]) -> Iterator[None]:
    """The process with another current folder, environment and command line."""
    before = os.getcwd(), dict(os.environ), sys.argv
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(env)
    sys.argv = list(words)
    try:
        yield
    finally:
        os.chdir(before[0])
        os.environ.clear()
        os.environ.update(before[1])
        sys.argv = before[2]


def tree_of(*folders: Path, without: Sequence[str] = ()) -> dict[str, str]:
    """Every file and folder with what tells whether it was changed; links are not followed."""
    found: dict[str, str] = {}
    for folder in folders:
        for base, names, files in os.walk(folder):
            names[:] = [n for n in names if os.path.join(base, n) not in without]
            for name in (*names, *files):
                path = os.path.join(base, name)
                info = os.lstat(path)
                what = os.readlink(path) if os.path.islink(path) else ""
                if os.path.isfile(path) and not what:
                    what = hashlib.sha256(Path(path).read_bytes()).hexdigest()
                stamp = 0 if os.path.isdir(path) else info.st_mtime_ns
                found[path] = f"{info.st_mode:o} {stamp} {what}"
    return found
