"""Recollect beside other memories, on the same notes and cues, in one run.

`python -m bench.peers [--notes 1000] [--cues 100] [--seconds 600] [--folder KEEP] [--only NAME,...]`

Each system is installed into an environment of its own below the folder, and knows nothing of the
machine but its home there. One that cannot be installed or run is left out, with the reason. Each
cue is asked of all systems before the next one, so that whatever else the machine does meets all
alike; a system that has used up its seconds is asked no further, and the cues that everybody was
asked have a table of their own. Interrupted, it says what is known so far.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from bench.coding import data, generate
from bench.coding.data import Cue
from bench.peers import installing, material, processes, report
from bench.peers.installing import Skipped
from bench.peers.report import Asked, Result
from bench.peers.stub import embedder
from bench.peers.systems import PEERS, Peer, Place, environment, prepare

INDEX_SECONDS, SEARCH_SECONDS = 1800, 180
PATIENCE = 3  # searches that fail one after the other


class Running:
    """A system that knows the notes, and what came of asking it."""

    def __init__(self, peer: Peer, place: Place, notes: str) -> None:
        """Install it and let it make its index; raises `Skipped`."""
        self.peer, self.place = peer, place
        peer.install(place)
        prepare(peer, place, notes)
        self.env = environment(peer, place)
        plain = self._size()
        self.wall = self.cpu = 0.0
        for command in peer.take_in(place):
            ran = processes.run(command, self.env, place.work, INDEX_SECONDS)
            if ran.status:
                raise Skipped(f"made no index: {ran.complaint}")
            self.wall += ran.wall
            self.cpu += ran.cpu
        self.stored = self._size() - plain
        self.asked: list[Asked] = []
        self.failures: list[str] = []
        self.in_a_row = 0

    def ask(self, cue: Cue) -> None:
        """Let it search; one that fails again and again raises `Skipped`."""
        command = self.peer.search(self.place, cue.text)
        ran = processes.run(command, self.env, self.place.work, SEARCH_SECONDS)
        is_fine = ran.status in self.peer.fine
        found = self.peer.read(ran.out) if is_fine else []
        self.asked.append(Asked(cue, found, ran.wall, ran.cpu))
        self.in_a_row = 0 if is_fine else self.in_a_row + 1
        if not is_fine:
            self.failures.append(ran.complaint)
        if self.in_a_row == PATIENCE:
            raise Skipped(f"search fails: {ran.complaint}")

    @property
    def searched(self) -> float:
        """How many seconds it has searched."""
        return sum(one.wall for one in self.asked)

    def result(self) -> Result:
        """What is known of it."""
        peer, place = self.peer, self.place
        installed = installing.size_of(place.installed)
        return Result(peer.name, peer.how, self.wall, self.cpu, installed, self.stored, self.asked)

    def _size(self) -> int:
        return installing.size_of(self.place.home) + installing.size_of(self.place.work)


def measure(
    peers: Sequence[Peer], cues: Sequence[Cue], seconds: float, folder: str
) -> tuple[list[Running], dict[str, str]]:
    """The systems that could be asked, and why the others could not."""
    notes = os.path.join(folder, "notes")
    skipped: dict[str, str] = {}
    running: list[Running] = []
    with embedder() as address:
        for peer in peers:
            say(f"{peer.name} …")
            place = Place(os.path.join(folder, peer.name.split()[0]), address)
            try:
                running.append(Running(peer, place, notes))
            except Skipped as reason:
                skipped[peer.name] = str(reason)
        try:
            for n, cue in enumerate(cues, 1):
                skipped |= ask_all(
                    cue, [one for one in running if one.peer.name not in skipped], seconds
                )
                if n % 10 == 0:
                    say(f"{n} of {len(cues)} cues")
        except KeyboardInterrupt:
            say("stopped; this is what is known")
    return [one for one in running if one.asked and one.peer.name not in skipped], skipped


def ask_all(cue: Cue, running: Sequence[Running], seconds: float) -> dict[str, str]:
    """Ask everybody who has seconds left; why some are not to be asked again."""
    skipped: dict[str, str] = {}
    for one in running:
        if one.searched < seconds:
            try:
                one.ask(cue)
            except Skipped as reason:
                skipped[one.peer.name] = str(reason)
    return skipped


@contextmanager
def taken(folder: str) -> Iterator[None]:
    """The folder for this run alone: two that install into it would break each other's systems."""
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "lock"), "a", encoding="ascii") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SystemExit(f"another run is using {folder}") from None
        yield


def say(line: str) -> None:
    """How far it is, beside what is printed in the end."""
    print(line, file=sys.stderr, flush=True)


def arguments() -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    names = [peer.name.split()[0].lower() for peer in PEERS]
    parser.add_argument("--notes", type=int, default=1000)
    parser.add_argument("--cues", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=600, help="of searching for each")
    parser.add_argument("--folder", default="", help="a folder to keep everything in")
    parser.add_argument("--only", default="", metavar="NAME,...", help=",".join(names))
    given = parser.parse_args()
    given.only = [name.lower() for name in given.only.split(",") if name] or names
    if unknown := set(given.only) - set(names):
        parser.error(f"nobody is called {', '.join(sorted(unknown))}: {','.join(names)}")
    return given


def main() -> None:
    """Measure and print."""
    given = arguments()
    peers = [peer for peer in PEERS if peer.name.split()[0].lower() in given.only]
    world = generate.world(data.written())
    cues = material.cues(world, given.cues)
    notes = material.notes(world, cues, given.notes)
    folder = os.path.abspath(given.folder or tempfile.mkdtemp(prefix="recollect-peers-"))
    try:
        with taken(folder):
            shutil.rmtree(os.path.join(folder, "notes"), ignore_errors=True)
            material.write(os.path.join(folder, "notes"), notes)
            done, skipped = measure(peers, cues, given.seconds, folder)
            results = [one.result() for one in done]
    finally:
        if not given.folder:
            shutil.rmtree(folder, ignore_errors=True)
    print(f"{len(notes):,} notes, {len(cues)} cues\n")
    if results:
        print("\n".join([*report.found_table(results), ""]))
        if len({len(one.asked) for one in results}) > 1:
            print("\n".join([*report.found_table(report.in_common(results)), ""]))
        print("\n".join([*report.cost_table(results), ""]))
    for name, reason in skipped.items():
        print(f"left out: {name}: {reason}")
    for one in done:
        if one.failures:
            print(f"{one.peer.name}: {len(one.failures)} searches failed: {one.failures[-1]}")


if __name__ == "__main__":
    main()
