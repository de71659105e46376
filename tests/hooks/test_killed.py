"""A session whose client was killed is told by the very next one, at the latest at its first prompt."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from recollect.store import disk
from recollect.store.journal_lines import line_of

from .machine import HOOK, Machine, until

# Runs hooks as a client does, through a shell; one line of JSON for each.
CLIENT = """
import json, subprocess, sys
for line in sys.stdin:
    event, payload, env = json.loads(line)
    command = ["sh", "-c", '"$@"; exit 0', "sh", *sys.argv[1:], event]
    given = json.dumps(payload).encode()
    ran = subprocess.run(command, input=given, env=env, stdout=subprocess.PIPE)
    print(json.dumps(ran.stdout.decode()), flush=True)
"""
ORDERS = "We decided to keep the orders in PostgreSQL because we need JSONB."


class Client:
    """A client that goes on until it is killed; its own environment is not the machine's."""

    def __init__(self, machine: Machine, session: str, client: str = "claude") -> None:
        self.machine, self.session = machine, session
        self.log = machine.home / ".claude/projects/-home-project" / f"{session}.jsonl"
        self._rows = 0
        command = [sys.executable, "-c", CLIENT, sys.executable, "-I", "-S", HOOK, client]
        self.process = subprocess.Popen(
            command, env={}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def fire(self, event: str, **fields: Any) -> str:
        """What the hook of an event hands to the agent."""
        payload = self.machine.payload(event, session_id=self.session, **fields)
        payload["transcript_path"] = str(self.log)
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(json.dumps([event, payload, self.machine.env]) + "\n")
        self.process.stdin.flush()
        said = json.loads(self.process.stdout.readline())
        output = json.loads(said) if said else {}
        return str(output.get("hookSpecificOutput", {}).get("additionalContext", ""))

    def say(self, who: str, text: str) -> None:
        """Write a turn into the transcript."""
        content: Any = text if who == "user" else [{"type": "text", "text": text}]
        self.add({"type": who, "message": {"role": who, "content": content}})

    def add(self, row: dict[str, Any]) -> None:
        self._rows += 1
        about = {
            "sessionId": self.session,
            "cwd": str(self.machine.project),
            "uuid": f"{self._rows}-{self.session}",
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        }
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row | about, ensure_ascii=False) + "\n")

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            if stream:
                stream.close()


@pytest.fixture
def client(bare: Machine) -> Iterator[Callable[..., Client]]:
    """Starts clients, whichever of them are killed by the test."""
    started: list[Client] = []

    def start(session: str, name: str = "claude") -> Client:
        started.append(Client(bare, session, name))
        return started[-1]

    yield start
    for one in started:
        if one.process.poll() is None:
            one.kill()


def in_first_turn(one: Client) -> None:
    """A session that is killed while the agent is at its first answer."""
    one.fire("SessionStart")
    one.machine.settle()  # else its own worker may find it gone
    one.fire("UserPromptSubmit", prompt=ORDERS)
    one.say("user", ORDERS)
    todos = [{"content": "Write the schema of the orders", "status": "pending"}]
    use = {"type": "tool_use", "id": "t1", "name": "TodoWrite", "input": {"todos": todos}}
    one.add({"type": "assistant", "message": {"role": "assistant", "content": [use]}})
    one.kill()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("has_store", [True, False])
def test_the_next_session_is_told_at_its_first_prompt(
    client: Callable[..., Client], bare: Machine, has_store: bool
) -> None:
    if has_store:
        bare.make_stores()
    in_first_turn(client("s1"))

    two = client("s2")
    brief = two.fire("SessionStart")
    if has_store:
        until(lambda: list(bare.cache().glob("late-*")))
    bare.settle()
    told = two.fire("UserPromptSubmit", prompt="Good morning, let us go on")

    # A brief that is whole waits for nobody; else it waits for the worker, as long as a person may.
    assert ("PostgreSQL" in brief) != ("PostgreSQL" in told)
    assert "PostgreSQL" in told or not has_store
    assert "Write the schema of the orders" in brief + told
    assert "Still running" not in told
    assert two.fire("UserPromptSubmit", prompt="Good morning, let us go on") == ""
    root = bare.root if has_store else next((bare.everywhere / "projects").iterdir())
    assert len(list(root.rglob("summary.md"))) == 1
    assert json.loads((root / "sessions/active/claude-s1.json").read_text())["status"] == "saved"


@pytest.mark.slow
def test_a_session_that_begins_later_has_it_in_its_brief(
    client: Callable[..., Client], bare: Machine
) -> None:
    bare.make_stores()
    in_first_turn(client("s1"))
    two = client("s2")
    two.fire("SessionStart")
    bare.settle()
    three = client("s3")
    brief = three.fire("SessionStart")
    bare.settle()
    assert "PostgreSQL" in brief
    assert three.fire("UserPromptSubmit", prompt="Good morning, let us go on") == ""


@pytest.mark.slow
def test_a_session_shorter_than_its_worker_is_slow_leaves_it_to_the_next(
    client: Callable[..., Client], bare: Machine
) -> None:
    bare.make_stores()
    in_first_turn(client("s1"))
    two = client("s2")
    lock = disk.take_lock(str(bare.cache() / "worker.lock"))
    assert lock is not None
    two.fire("SessionStart")
    two.fire("SessionEnd")
    os.close(lock)
    two.fire("SessionEnd")
    bare.settle()
    assert "PostgreSQL" in client("s3").fire("SessionStart")


@pytest.mark.slow
def test_a_session_whose_client_lives_goes_on(client: Callable[..., Client], bare: Machine) -> None:
    bare.make_stores()
    one, two = client("s1"), client("s2")
    one.fire("SessionStart")
    one.fire("UserPromptSubmit", prompt=ORDERS)
    one.say("user", ORDERS)
    one.say("assistant", "The orders are in PostgreSQL.")
    one.fire("Stop")
    bare.settle()
    assert "Still running" in two.fire("SessionStart")
    bare.settle()
    assert not list(bare.root.rglob("summary.md"))
    assert two.fire("UserPromptSubmit", prompt="Good morning, let us go on") == ""


@pytest.mark.slow
def test_one_that_was_ended_too_early_is_taken_up_again(
    client: Callable[..., Client], bare: Machine
) -> None:
    """It is resumed by another client."""
    bare.make_stores()
    in_first_turn(client("s1"))
    client("s2").fire("SessionStart")
    bare.settle()
    again = client("s1")
    again._rows = 9
    again.fire("SessionStart", source="resume")
    again.say("assistant", "The schema is written.")
    again.say("user", "We decided to number the orders with ULIDs, because they sort by time.")
    again.say("assistant", "They are ULIDs now.")
    again.fire("Stop")
    bare.settle()
    again.fire("SessionEnd")
    bare.settle()
    [page] = bare.root.rglob("summary.md")
    assert "ULIDs" in page.read_text()
    assert "PostgreSQL" in page.read_text()


@pytest.mark.slow
def test_a_session_in_which_nothing_was_done_is_over_too(
    client: Callable[..., Client], bare: Machine
) -> None:
    bare.make_stores()
    one = client("s1")
    one.fire("SessionStart")
    one.fire("UserPromptSubmit", prompt="hi there, are you awake today?")
    one.say("user", "hi there, are you awake today?")
    one.fire("Stop")
    bare.settle()
    one.kill()
    two = client("s2")
    two.fire("SessionStart")
    bare.settle()
    assert two.fire("UserPromptSubmit", prompt="Good morning, let us go on") == ""
    assert "Still running" not in client("s3").fire("SessionStart")
    assert not list(bare.root.rglob("summary.md"))


@pytest.mark.slow
def test_without_a_process_a_transcript_that_rests_is_over(
    client: Callable[..., Client], bare: Machine
) -> None:
    """As on systems that do not tell of processes, and of hooks of an earlier version."""
    bare.make_stores()
    one = client("s1")
    in_first_turn(one)
    file = bare.root / "journal/claude-s1.jsonl"
    lines = file.read_text().splitlines()
    kept = [json.loads(line) for line in lines]
    signals = [row for row in kept if row["op"] == "signal"]
    assert signals
    assert all(row.pop("process") for row in signals)
    file.write_bytes(
        b"".join(line_of({k: v for k, v in row.items() if k != "sum"}) for row in kept)
    )
    client("s2").fire("SessionStart")
    bare.settle()
    assert not list(bare.root.rglob("summary.md"))
    os.utime(one.log, (time.time() - 3600, time.time() - 3600))
    client("s3").fire("SessionStart")
    bare.settle()
    assert list(bare.root.rglob("summary.md"))


@pytest.mark.slow
def test_a_sub_agent_does_not_take_what_is_for_the_session(
    client: Callable[..., Client], bare: Machine
) -> None:
    bare.make_stores()
    in_first_turn(client("s1"))
    two = client("s2")
    assert "PostgreSQL" not in two.fire("SessionStart")
    until(lambda: list(bare.cache().glob("late-*")))
    assert "PostgreSQL" not in two.fire("UserPromptSubmit", prompt="Good morning", agent_id="a1")
    assert "PostgreSQL" in two.fire("UserPromptSubmit", prompt="Good morning, let us go on")
    assert not list(Path(bare.cache()).glob("late-*"))
