"""Any sequence of what can happen to a store leaves it as a plain dict says.

`RECOLLECT_MODEL=500x40 pytest tests/soak/test_model.py -m slow` is the whole run (about ten
minutes); without the variable the slow one takes 80 sequences of 30 steps.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from .model import StoreMachine


def run(examples: int, steps: int) -> None:
    chosen = settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(StoreMachine, settings=chosen)


def test_a_few_sequences_of_everything_leave_the_store_as_the_model_says() -> None:
    run(12, 12)


@pytest.mark.slow
def test_many_sequences_of_everything_leave_the_store_as_the_model_says() -> None:
    examples, steps = os.environ.get("RECOLLECT_MODEL", "80x30").split("x")
    run(int(examples), int(steps))
