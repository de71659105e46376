"""Each `*.txt` here is a session of commands with what they print.

    $ recollect save "A title" -      a command; `recollect` runs in this process, all else in `sh`
    > the text                        a line of its stdin
    Saved a-title                     a line of stdout
    ! recollect: …                    a line of stderr
    [exit 2]                          the exit code, where it is not 0
    #: why this is here               a remark

Each session has an empty home and an empty repository, and a clock of its own that goes on by a
minute with each command. What differs from run to run stands as `{project}`, `{change1}`, …;
`{change1}` in a command is the first change that was printed, `{sealed1}` the first encrypted memory.

`RECOLLECT_UPDATE_TRANSCRIPTS=1 pytest tests/transcripts` writes down what is printed now.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.cli.running import Person, Ran

import recollect

HERE = Path(__file__).parent
UPDATE = os.environ.get("RECOLLECT_UPDATE_TRANSCRIPTS", "") == "1"
START_NS = 1_768_141_800 * 10**9  # 2026-01-11T14:30:00Z
CHANGE = re.compile(r"\b([0-9a-f]{11}-[0-9a-f]{3})(?:[0-9a-f]{7})?\b")
SEALED = re.compile(r"\bsealed-[0-9a-f]{10}\b")
VOLATILE = (
    (re.compile(r"(?<=/projects/)project-[0-9a-f]{8}"), "project-{hash}"),
    (re.compile(r"\bage1[0-9a-z]{58}\b"), "{key}"),
    (re.compile(r'"score": [0-9.]+'), '"score": {score}'),
    (re.compile(r'"parts": \{[^}]*\}'), '"parts": {parts}'),
    (re.compile(r"\[redacted:([a-z-]+):[0-9a-f]{4}\]"), r"[redacted:\1:{mark}]"),
    (re.compile(r"memory-[0-9a-f]{8,16}"), "memory-{nonce}"),
    (re.compile(r"/recollect/[0-9a-f]{16}"), "/recollect/{store}"),
    (re.compile(r"/auto-memory/project-[0-9a-f]{16}"), "/auto-memory/{folder}"),
    (re.compile(r"(\bindex|索引) [0-9.]+ [kM]?B"), r"\1 {size}"),
    (re.compile(r'"(bytes|index_bytes)": [0-9]+'), r'"\1": {size}'),
    (re.compile(r"(on disk|占用空间)( +)[0-9.]+ [kM]?B"), r"\1\2{size}"),
    (re.compile(r"\b(cache|缓存) [0-9.]+ MB"), r"\1 {size}"),
    (re.compile(r"Python [0-9.]+[a-z0-9+]*"), "Python {version}"),
    (re.compile(r"SQLite [0-9.]+"), "SQLite {version}"),
)


class Step(NamedTuple):
    """A command of a session, what came before it, and what it is expected to print."""

    remarks: list[str]
    command: str
    stdin: list[str]
    expected: list[str]


class Session:
    """A session that goes on: a person, and what was seen of what differs from run to run."""

    def __init__(self, person: Person, clock: Clock) -> None:
        self.person, self.clock = person, clock
        self.changes: list[str] = []
        self.sealed: list[str] = []
        hook = os.path.join(os.path.dirname(recollect.__file__), "hook.py")
        main = os.path.join(os.path.dirname(recollect.__file__), "__main__.py")
        self.places = [
            (str(person.project), "{project}"),
            (str(person.home), "{home}"),
            (hook, "{hook}"),
            (main, "{main}"),
            (sys.executable, "{python}"),
            (f"recollect {recollect.__version__}", "recollect {version}"),
            (f"version {recollect.__version__}", "version {version}"),
        ]

    def run(self, step: Step) -> list[str]:
        """What a step prints now, line by line."""
        self.clock.tick()
        command = re.sub(r"\{change(\d+)\}", self._change, step.command)
        command = re.sub(r"\{sealed(\d+)\}", lambda m: self.sealed[int(m[1]) - 1], command)
        ran = self._run(self._real(command), self._real("".join(f"{n}\n" for n in step.stdin)))
        lines = [*ran.out.splitlines(), *(f"! {line}" for line in ran.err.splitlines())]
        shown = [self._steady(line) for line in lines]
        return [*shown, f"[exit {ran.code}]"] if ran.code else shown

    def _real(self, text: str) -> str:
        for real, placeholder in self.places[:2]:
            text = text.replace(placeholder, real)
        return text

    def _named(self, match: re.Match[str]) -> str:
        if match[1] not in self.changes:
            self.changes.append(match[1])
        return f"{{change{self.changes.index(match[1]) + 1}}}"

    def _named_sealed(self, match: re.Match[str]) -> str:
        if match[0] not in self.sealed:
            self.sealed.append(match[0])
        return f"{{sealed{self.sealed.index(match[0]) + 1}}}"

    def _change(self, match: re.Match[str]) -> str:
        return self.changes[int(match[1]) - 1]

    def _run(self, command: str, stdin: str) -> Ran:
        words = shlex.split(command)
        env: dict[str, str] = {}
        while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
            name, _, value = words.pop(0).partition("=")
            env[name] = value
        if words[0] == "recollect":
            return self.person.run(*words[1:], stdin=stdin, env=env)
        ran = subprocess.run(
            ["sh", "-c", command],
            cwd=self.person.project,
            env=self.person.environment({}),
            input=stdin.encode(),
            capture_output=True,
            timeout=30,
            check=False,
        )
        return Ran(ran.stdout.decode(), ran.stderr.decode(), ran.returncode)

    def _steady(self, line: str) -> str:
        """A line with placeholders for what differs from run to run."""
        for real, placeholder in self.places:
            line = line.replace(real, placeholder)
        line = SEALED.sub(self._named_sealed, line)
        line = CHANGE.sub(self._named, line)
        for pattern, placeholder in VOLATILE:
            line = pattern.sub(placeholder, line)
        return line


class Clock:
    """A clock that goes on when it is told to."""

    now_ns = START_NS

    def tick(self) -> None:
        """Let a minute go by."""
        self.now_ns += 60 * 10**9


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock that every command of the session sees."""
    clock = Clock()
    monkeypatch.setattr(time, "time_ns", lambda: clock.now_ns)
    monkeypatch.setattr(time, "time", lambda: clock.now_ns / 1e9)
    return clock


def steps_of(text: str) -> Iterator[Step]:
    """The steps of a session as it is written down."""
    remarks: list[str] = []
    step: Step | None = None
    for line in text.splitlines():
        if line.startswith("#:") or (not line and step is None):
            remarks.append(line)
        elif line.startswith("$ "):
            if step:
                yield step
            step, remarks = Step(remarks, line[2:], [], []), []
        elif step is None:
            raise AssertionError(f"no command before: {line}")
        elif line.startswith("> ") and not step.expected:
            step.stdin.append(line[2:])
        else:
            step.expected.extend([*remarks, line])
            remarks = []
    if step:
        yield step


def written(step: Step, printed: list[str]) -> list[str]:
    """A step as it is written down."""
    return [*step.remarks, f"$ {step.command}", *(f"> {line}" for line in step.stdin), *printed]


@pytest.mark.parametrize("path", sorted(HERE.glob("*.txt")), ids=lambda path: path.stem)
def test_every_command_prints_what_is_written_down(
    path: Path, tmp_path: Path, clock: Clock
) -> None:
    home, project = tmp_path / "home", tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    home.mkdir()
    session = Session(Person(home, project), clock)
    expected: list[str] = []
    found: list[str] = []
    for step in steps_of(path.read_text("utf-8")):
        expected += written(step, step.expected)
        found += written(step, session.run(step))
    if UPDATE:
        path.write_text("\n".join(found) + "\n", "utf-8")
    assert UPDATE or found == expected, f"{path.name} is not what is printed"
