"""Any sequence of what can happen to a store leaves it as a plain dict says.

`RECOLLECT_MODEL=500x40 pytest tests/soak/test_model.py -m slow` is the whole run (about ten
minutes); without the variable the slow one takes 80 sequences of 30 steps at most.
"""

from __future__ import annotations

import os
import sys

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from .trouble import WholeMachine

# Asked for here, since a test sees no variables of ours.
EXAMPLES, STEPS = map(int, os.environ.get("RECOLLECT_MODEL", "80x30").split("x"))


def run(examples: int, steps: int) -> None:
    chosen = settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(WholeMachine, settings=chosen)


@pytest.mark.slow
def test_a_few_sequences_of_everything_leave_the_store_as_the_model_says() -> None:
    run(12, 12)


@pytest.mark.slow
def test_many_sequences_of_everything_leave_the_store_as_the_model_says(
    capfd: pytest.CaptureFixture[str],
) -> None:
    before = WholeMachine.sequences, WholeMachine.steps
    run(EXAMPLES, STEPS)
    sequences, steps = WholeMachine.sequences - before[0], WholeMachine.steps - before[1]
    with capfd.disabled():
        sys.stderr.write(f"\n{sequences} sequences, {steps} steps\n")
    assert sequences >= EXAMPLES
