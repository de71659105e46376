"""A Python that has loaded the program already: each command runs in a fork of it, which waits to be traced.

`python -m tests.crash.warm` reads the words of a command on a line, as JSON, and answers with the
id of a process that has stopped itself; on the next line it wants to be told to wait for its end,
and answers with how it ended.
Starting Python and loading the program are most of a short command, and of all that is traced.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path

from tests.services.project import Project

ROOT = Path(__file__).resolve().parents[2]
ROOMS = "capture clients consolidate context features model privacy search store text".split()


class Warm:
    """Such a Python, for the commands of one project."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.crash.warm", str(project.folder)],
            cwd=ROOT,
            env=project.env | {"PYTHONPATH": f"{project.env['PYTHONPATH']}:{ROOT}"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, words: list[str], options: list[str]) -> int:
        """Run a command under strace with these options; gives its exit code, negative for a signal."""
        pid = self._ask(json.dumps(words))
        trace = subprocess.Popen(
            ["strace", "-f", "-p", str(pid), *options], stderr=subprocess.PIPE, text=True
        )
        assert trace.stderr
        said = trace.stderr.readline()
        assert "attached" in said, said
        os.kill(pid, signal.SIGCONT)
        code = self._ask(str(pid))
        trace.communicate()
        return code

    def _ask(self, line: str) -> int:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def close(self) -> None:
        """Let it end."""
        self._process.communicate()


def be_warm(folder: str) -> None:
    """Fork for each command that is asked for."""
    known: set[str] = set()
    while words := sys.stdin.readline():
        asked = json.loads(words)
        if asked[0] not in known:
            known.add(asked[0])
            load_for(asked[0])
        child = os.fork()
        if not child:
            run(folder, asked)
        os.waitpid(child, os.WUNTRACED)
        tell(child)
        sys.stdin.readline()
        tell(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


def load_for(command: str) -> None:
    """Load all that a command needs, as far as its module tells, and what every one of them does."""
    from recollect.interfaces.cli.main import command_of

    command_of(command)
    import_module("recollect.app")
    for room in ROOMS:
        paths = sorted((ROOT / "src" / "recollect" / room).rglob("*.py"))
        assert paths, room
        for path in paths:
            name = ".".join(path.relative_to(ROOT / "src").with_suffix("").parts)
            with suppress(ImportError):  # what needs a library that not everybody has
                import_module(name.removesuffix(".__init__"))


def run(folder: str, words: list[str]) -> None:
    """Be the process of a command: nothing is said, and it ends as the program does."""
    os.chdir(folder)
    nothing = os.open(os.devnull, os.O_RDWR)
    for handle in (0, 1, 2):
        os.dup2(nothing, handle)
    sys.argv = ["recollect", *words]
    os.kill(os.getpid(), signal.SIGSTOP)
    from recollect.__main__ import main

    main()
    os._exit(0)


def tell(number: int) -> None:
    """Answer with a number."""
    sys.stdout.write(f"{number}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    be_warm(sys.argv[1])
