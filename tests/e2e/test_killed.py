"""The client is killed while the model answers: the very next session is told what was going on."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from .client import UNATTENDED, kill_group
from .memory import given
from .messages_api import MessagesApi, call, say, stall
from .processes import processes_of
from .test_agents_end import wait_for

if TYPE_CHECKING:
    from pathlib import Path

    from .client import ClaudeClient
    from .memory import Memory

pytestmark = pytest.mark.e2e


@pytest.mark.parametrize("has_store", [True, False])
@pytest.mark.slow
def test_the_session_after_a_kill_is_told_of_it(
    client: ClaudeClient, api: MessagesApi, project: Path, memory: Memory, has_store: bool
) -> None:
    if not has_store:
        subprocess.run(["rm", "-r", str(memory.root)], check=True)
    api.add([call("Bash", command="echo wall > wall.txt", description="Build it")], [stall(60)])
    words = [client.binary, "-p", "Build the harbour wall of granite", *UNATTENDED]
    process = subprocess.Popen(
        words, env=client.environment(), cwd=project, start_new_session=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        assert wait_for(lambda: len(api.turns) >= 2)
        for one in processes_of(client.home):
            if "/recollect/" not in one.command:
                with suppress(ProcessLookupError):
                    os.kill(one.pid, signal.SIGKILL)
    finally:
        kill_group(process.pid)
        process.wait()
    memory.settle()
    before = len(api.turns)
    api.add([say("Good morning.")], [say("I go on.")])
    first = client.prompt("Good morning, let us go on", cwd=project)
    if "harbour wall" not in told(api, before):  # a typed prompt comes later than its start
        memory.settle()
        client.resume(first.json["session_id"], "Where were we?", cwd=project)
    assert "harbour wall" in told(api, before)


def told(api: MessagesApi, since: int) -> str:
    """What our hooks have given to the model from this turn on."""
    events = ("SessionStart", "UserPromptSubmit")
    return "".join(given(turn, event) for turn in api.turns[since:] for event in events)
