"""The schedules themselves: each is tried, and putting orders together loses no outcome."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .turns import Body, Choose, Lock, State, Turn, every_order, run_together

Act = tuple[str, str]  # what is done, to which cell


def test_every_road_is_taken_once() -> None:
    taken, states = [], count()

    def play(choose: Choose) -> None:
        first = choose(2, lambda: next(states))
        taken.append((first, choose(3, lambda: next(states)) if first else 0))

    assert len(list(every_order(play))) == 4
    assert taken == [(0, 0), (1, 0), (1, 1), (1, 2)]


def test_a_state_is_left_by_each_road_once() -> None:
    taken = []

    def play(choose: Choose) -> None:
        choose(2, lambda: "first")
        taken.append(choose(2, lambda: "the same, whichever way"))

    assert len(list(every_order(play))) == 3
    assert taken == [0, 1]


class World:
    """Cells that processes read and write, and a lock; what a process ends with is an outcome."""

    def __init__(self, programs: list[list[Act]]) -> None:
        self.cells = {"x": 0, "y": 0}
        self.lock = Lock()
        self.ends: dict[int, int] = {}
        self.bodies = [self._body(n, program) for n, program in enumerate(programs)]

    def _body(self, n: int, program: list[Act]) -> Body:
        def run(turn: Turn) -> None:
            mine = 0
            if program[:1] == [("lock", "x")]:
                with self.lock.held_by(turn):
                    mine = self._acts(turn, program[1:])
            else:
                mine = self._acts(turn, program)
            self.ends[n] = mine

        return run

    def _acts(self, turn: Turn, program: list[Act]) -> int:
        mine = 0
        for what, cell in program:
            turn.pause()
            if what == "read":
                mine += self.cells[cell]
                turn.told(self.cells[cell])
            else:
                self.cells[cell] = mine + 1
        return mine

    def state(self) -> Hashable:
        cells, ends = tuple(sorted(self.cells.items())), tuple(sorted(self.ends.items()))
        return cells, ends, self.lock.taken


ACTS = st.tuples(st.sampled_from(["read", "write", "lock"]), st.sampled_from("xy"))


@pytest.mark.slow
@settings(max_examples=20)
@given(
    programs=st.lists(st.lists(ACTS, max_size=3), min_size=2, max_size=2), kills=st.integers(0, 1)
)
def test_orders_that_are_put_together_have_the_same_outcomes(
    programs: list[list[Act]], kills: int
) -> None:
    own = count()
    every = outcomes(programs, kills, lambda world: lambda: next(own))
    assert outcomes(programs, kills, lambda world: world.state) == every


def outcomes(
    programs: list[list[Act]], kills: int, state: Callable[[World], State]
) -> set[Hashable]:
    found: set[Hashable] = set()

    def play(choose: Choose) -> None:
        world = World(programs)
        run_together(world.bodies, choose, kills, state(world))
        found.add(world.state())

    for _ in every_order(play):
        pass
    return found


def test_processes_that_wait_for_each_other_are_told_of() -> None:
    def play(choose: Choose) -> None:
        run_together([lambda turn: turn.pause(lambda: True)], choose, 0, lambda: 0)

    with pytest.raises(AssertionError, match="everybody waits"):
        list(every_order(play))
