"""Processes that take turns: every order in which their steps can fall, with a kill at any step.

The bodies are the real services. Each runs in a thread of its own, and only one of them runs at a
time: it stops before each step that touches the disk or waits for the lock, and the schedule says
who goes on. Where two orders lead to the same state, one of them is followed from there: the state
is what is on the disk, and of each process how far it is and all that it was ever told.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager, suppress

Body = Callable[["Turn"], None]
State = Callable[[], Hashable]
Choose = Callable[[int, State], int]


class Killed(BaseException):
    """The process ends here, without a word."""


class Beaten(Exception):
    """This state was reached in another order, and all that follows from it is tried there."""


class Turn:
    """One process: it goes on when it is told to."""

    def __init__(self, body: Body) -> None:
        self._go, self._stopped = threading.Semaphore(0), threading.Semaphore(0)
        self.over = self.kill = False
        self.waits_for: Callable[[], bool] = lambda: False
        self.error: BaseException | None = None
        self.steps = self._told = 0
        self._thread = threading.Thread(target=self._run, args=(body,), daemon=True)
        self._thread.start()

    def _run(self, body: Body) -> None:
        self._go.acquire()
        try:
            if not self.kill:
                body(self)
        except Killed:
            pass
        except BaseException as error:  # noqa: BLE001 - it is looked at by the test
            self.error = error
        self.over = True
        self._stopped.release()

    def pause(self, waits_for: Callable[[], bool] = lambda: False) -> None:
        """Let the others go on; come back when it is our turn and what we wait for is over."""
        self.waits_for = waits_for
        self._stopped.release()
        self._go.acquire()
        if self.kill:
            raise Killed

    def step(self) -> None:
        """Go on to the next pause, or to the end."""
        self.steps += 1
        self._go.release()
        self._stopped.acquire()
        if self.over:
            self._thread.join()

    def told(self, answer: Hashable) -> None:
        """Note what this process learned from the world: what it does next follows from that."""
        self._told = hash((self._told, answer))

    def begins(self, what: Hashable) -> None:
        """Note that it begins something of which all that it learned until now is forgotten."""
        self.steps, self._told = 0, hash(("begins", what))

    @property
    def state(self) -> Hashable:
        """Where this process is, as far as anything that comes depends on it."""
        return (True, repr(self.error)) if self.over else (self.steps, self._told)


class Lock:
    """A lock that processes wait for; it goes when its holder ends, however that ends."""

    def __init__(self) -> None:
        self.taken = False

    @contextmanager
    def held_by(self, turn: Turn) -> Iterator[None]:
        turn.pause(lambda: self.taken)
        self.taken = True
        try:
            yield
        finally:
            self.taken = False


def every_order(play: Callable[[Choose], None], *, most: int = 100_000) -> Iterator[int]:
    """Run `play` for every sequence of choices; it asks `choose(n, state)` for one of n roads.

    Where the state is one that another sequence led to, the run ends: `choose` raises `Beaten`.
    Gives the number of the run before each.
    """
    road: list[tuple[int, int]] = []  # what was chosen, of how many
    known: set[int] = set()
    for run in range(most):
        yield run
        at = 0

        def choose(roads: int, state: State) -> int:
            nonlocal at
            if at == len(road):
                here = hash(state())
                if here in known:
                    raise Beaten
                known.add(here)
                road.append((0, roads))
            chosen, there = road[at]
            assert there == roads, "the same choices must lead to the same place"
            at += 1
            return chosen

        with suppress(Beaten):
            play(choose)
        del road[at:]
        while road and road[-1][0] + 1 == road[-1][1]:
            road.pop()
        if not road:
            return
        road[-1] = (road[-1][0] + 1, road[-1][1])
    raise AssertionError(f"more than {most} orders")


def run_together(bodies: Sequence[Body], choose: Choose, kills: int, state: State) -> list[Turn]:
    """Let the processes take turns as `choose` says; so many of them may be killed anywhere.

    `state` is all that one of them could learn of the world, and by which the end is judged.
    """
    turns = [Turn(body) for body in bodies]
    try:
        while True:
            ready = [turn for turn in turns if not turn.over and not turn.waits_for()]
            roads = len(ready) * (2 if kills else 1)
            chosen = choose(roads or 1, lambda: (state(), kills, *(one.state for one in turns)))  # noqa: B023
            if not ready:
                assert all(turn.over for turn in turns), "everybody waits for everybody"
                return turns
            turn = ready[chosen % len(ready)]
            if chosen >= len(ready):
                turn.kill = True
                kills -= 1
            turn.step()
    finally:
        for turn in turns:
            turn.kill = True
            while not turn.over:
                turn.step()
