"""The power is cut: what was acknowledged is there, whole, and the next command goes on."""

from __future__ import annotations

import os
import random
import select
import subprocess
import sys
from collections.abc import Container, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.services.project import SOURCE, Project

from recollect.model.memory import Filter

from .power import Computer, require_power_switch
from .workers import FORGOTTEN_EVERY

CUTS = 12


@pytest.fixture
def computer(tmp_path: Path) -> Iterator[Computer]:
    require_power_switch()
    computer = Computer(tmp_path)
    yield computer
    computer.off()


class Acknowledged:
    """What the writer was told: the ids of what it saved, edited and forgot."""

    def __init__(self) -> None:
        self.last: dict[str, str] = {}
        self.latest = ""
        self.count = 0

    def hear(self, line: str) -> None:
        word, memory_id = line.split()
        self.last[memory_id] = word
        self.latest = memory_id
        self.count += 1

    def allow_for_what_was_in_flight(self, present: Container[str]) -> None:
        """The cut may have come between forgetting the latest memory and saying so."""
        number = int(self.latest.rpartition("-")[2])
        if self.latest not in present and number % FORGOTTEN_EVERY == 0:
            self.last[self.latest] = "forgot"


@contextmanager
def running(project: Project, seed: int, first: int) -> Iterator[subprocess.Popen[str]]:
    project.env["PYTHONPATH"] = f"{SOURCE}:{SOURCE.parent}"
    with subprocess.Popen(
        [sys.executable, "-m", "tests.crash.workers", "churn", str(seed), str(first)],
        cwd=project.folder,
        env=project.env,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as writer:
        try:
            yield writer
        finally:
            writer.kill()


def listen(writer: subprocess.Popen[str], heard: Acknowledged, lines: int) -> None:
    """Hear so many lines; with 0, those that are there already."""
    assert writer.stdout
    os.set_blocking(writer.stdout.fileno(), False)
    wanted, rest = heard.count + lines, ""
    while True:
        ready = select.select([writer.stdout], [], [], 30 if lines else 0)[0]
        data = os.read(writer.stdout.fileno(), 1 << 16).decode() if ready else ""
        *whole, rest = (rest + data).split("\n")
        for line in whole:
            heard.hear(line)
        if not data or (lines and heard.count >= wanted and not rest):
            break
    assert heard.count >= wanted, writer.poll()


def look(project: Project, heard: Acknowledged) -> int:
    """Every acknowledged memory is as it was acknowledged; gives how many there are."""
    with project.opened() as store:
        present = {entry.id: entry for entry in store.index.entries(Filter())}
        heard.allow_for_what_was_in_flight(present)
        for memory_id, word in heard.last.items():
            if word == "forgot":
                assert memory_id not in present
                continue
            text = store.read(present[memory_id]).text
            assert text.startswith("---\n")
            assert text.endswith(".\n")
            assert "Edited" in text if word == "edited" else memory_id in text
        for entry in present.values():
            assert entry.problem == ""
            assert entry.tokens > 0
        store.journal.ops()
        assert store.journal.problems == []
        assert store.index.differences() == []
    assert len(present.keys() - heard.last.keys()) <= CUTS  # what was in flight at each cut
    return len(present)


@pytest.mark.slow
def test_a_power_cut_loses_nothing_that_was_acknowledged(computer: Computer) -> None:
    chance = random.Random(20260111)
    project = Project(computer.disk)
    heard = Acknowledged()
    for cut in range(CUTS):
        with running(project, cut, cut * 1_000) as writer:
            for _ in range(chance.randrange(1, 4)):
                listen(writer, heard, chance.randrange(1, 20))
                if chance.random() < 0.5:
                    computer.write_back()
            computer.cut(writer)
            listen(writer, heard, 0)
        assert look(project, heard) > 0
        computer.check()
        assert project.answer("doctor")["problems"] == 0
    assert heard.count > 5 * CUTS
