"""A client that is killed leaves nothing of ours behind: no server, no hook, no worker."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from .client import kill_group
from .memory import Memory
from .messages_api import MessagesApi, say, stall
from .processes import Process, describe, processes_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .agents import Agent

pytestmark = [pytest.mark.e2e, pytest.mark.slow]
SECONDS = 60


def ours(home: Path) -> list[Process]:
    """Our processes in this home."""
    return [p for p in processes_of(home) if "/recollect/" in p.command]


def wait_for(condition: Callable[[], bool], seconds: float = SECONDS) -> bool:
    """Whether it comes true in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


@pytest.mark.parametrize("moment", ["as the server starts", "while the model thinks"])
def test_a_client_that_is_killed_leaves_nothing_of_ours(
    moment: str, agent: Agent, api: MessagesApi, project: Path
) -> None:
    memory = Memory(agent, project)
    memory.run("init", "--scope", "both", "--client", agent.name)
    api.add([say("I look."), stall(60)])
    process = subprocess.Popen(
        [agent.binary, *agent.words("Go on.", goes_on=False)],
        env=agent.environment(), cwd=project, start_new_session=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        assert wait_for(lambda: any(" mcp" in p.command for p in ours(agent.home)))
        if moment == "while the model thinks":
            assert wait_for(lambda: bool(api.turns))
        # The client alone and all that it started by itself, but nothing of ours.
        for one in processes_of(agent.home):
            if "/recollect/" not in one.command:
                with suppress(ProcessLookupError):
                    os.kill(one.pid, signal.SIGKILL)
        left = [] if wait_for(lambda: not ours(agent.home), 20) else ours(agent.home)
    finally:
        kill_group(process.pid)
        process.wait()
    assert not left, describe(left)
