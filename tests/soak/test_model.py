"""Any sequence of what can happen to a store leaves it as a plain dict says.

The long run takes 500 sequences of 40 steps at most, in four parts that run side by side, and the
same ones each time; `RECOLLECT_MODEL=500x40 pytest tests/soak/test_model.py -m slow` takes others.
"""

from __future__ import annotations

import os
import sys

import pytest
from hypothesis import HealthCheck, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from .trouble import WholeMachine

PARTS = 4
# Asked for here, since a test sees no variables of ours.
EXAMPLES, STEPS = map(int, os.environ.get("RECOLLECT_MODEL", "500x40").split("x"))


def run(examples: int, steps: int, part: int = 0) -> None:
    chosen = settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    machine: type[WholeMachine] = WholeMachine
    if "RECOLLECT_MODEL" not in os.environ:
        machine = seed(part)(type("Part", (WholeMachine,), {}))
    run_state_machine_as_test(machine, settings=chosen)


@pytest.mark.slow
def test_a_few_sequences_of_everything_leave_the_store_as_the_model_says() -> None:
    run(12, 12)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(1, PARTS + 1))
def test_many_sequences_of_everything_leave_the_store_as_the_model_says(
    part: int, capfd: pytest.CaptureFixture[str]
) -> None:
    before = WholeMachine.sequences, WholeMachine.steps
    run(EXAMPLES // PARTS, STEPS, part)
    sequences, steps = WholeMachine.sequences - before[0], WholeMachine.steps - before[1]
    with capfd.disabled():
        sys.stderr.write(f"\npart {part}: {sequences} sequences, {steps} steps\n")
    assert sequences >= EXAMPLES // PARTS
