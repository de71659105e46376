"""A store that is encrypted as a whole, through the real hooks, the worker, and every command."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.capture.transcripts import Transcript
from tests.cli.running import Person
from tests.crypto.desk import WORDS, Desk, says
from tests.crypto.test_no_plain_text import COMMANDS, run
from tests.hooks.machine import SESSION, Machine
from tests.mcp.talking import Agent

PROMPT = "We decided to give Zbigniew doubloons because the marmalade committee says so."
EVENTS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("SessionStart", {}),
    ("UserPromptSubmit", {"prompt": PROMPT}),
    ("PostToolUse", {"tool_input": {"command": "make kingfisher"}, "tool_response": PROMPT}),
    ("PostToolUseFailure", {"tool_input": {"command": "make kingfisher"}, "error": PROMPT}),
    ("PreCompact", {"custom_instructions": PROMPT}),
    ("SubagentStop", {}),
    ("Stop", {"last_assistant_message": PROMPT}),
    ("SessionEnd", {}),
)

GIVEN = {"recall": "cue", "search": "query"}
# What makes something new out of it, or of its session.
MORE = (
    "list-sessions",
    f"show-session {SESSION}",
    f"save-session --session-id {SESSION} --dry-run",
    f"save-session --session-id {SESSION}",
    f"save-session --session-id {SESSION} --summary Zbigniew+has+doubloons",
    f"note Zbigniew+has+doubloons --session-id {SESSION}",
    f"todo Zbigniew+wants+marmalade --session-id {SESSION}",
    "start-session Zbigniew+and+the+kingfisher",
    "cleanup-sessions --hours 0",
    "memory-set project Zbigniew+owns+the+kingfisher",
    "add-decision Zbigniew+gets+doubloons",
    "save Zbigniew+rules --kind rule --body marmalade",
    "save Zbigniew+rules --scope global --encrypt",
    "promote {id} --to global",
    "supersede {id} {id}",
    "encrypt --all --yes",
    "compress --days 0",
    "archive --stats",
    "timeline --json",
)


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    """A machine with both stores."""
    made = Machine(tmp_path)
    made.make_stores()
    yield made
    made.settle()


@pytest.fixture
def desk(machine: Machine) -> Desk:
    """Its owner, whose project is encrypted as a whole."""
    made = Desk(Person(machine.home, machine.project), machine.folder)
    made.recovery.parent.mkdir()
    made.person.ok("key-init", "--recovery-file", str(made.recovery))
    made.person.ok("config", "encryption.store", "true")
    return made


def _left(desk: Desk) -> list[str]:
    """The files that say a word of it, but for the client's own log."""
    return [path for path in desk.left() if ".claude/projects" not in path]


def _a_session(desk: Desk, machine: Machine) -> str:
    """A session through the hooks, none of which leaves a word of it anywhere; gives its memory."""
    talk = Transcript(SESSION, str(machine.project))
    logs = machine.home / ".claude" / "projects" / "-home-project"
    talk.prompt(PROMPT)
    talk.save(logs)
    for event, fields in EVENTS:
        talk.shell("make kingfisher", "marmalade: no such committee", 1)
        talk.answer(f"The kingfisher has given Zbigniew {event} doubloons.")
        talk.append(logs)
        machine.fire(event, **fields)
        machine.settle()
        assert _left(desk) == [], event
    (file,) = desk.person.store.glob("encrypted/*.md.age")
    return file.name.partition(".")[0]


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["auto", "ask"])
def test_a_session_through_the_hooks_leaves_no_word_but_in_its_encrypted_memory(
    desk: Desk, machine: Machine, mode: str
) -> None:
    desk.person.ok("config", "capture.mode", mode)
    desk.person.ok("config", "capture.save_interval", "1")
    name = _a_session(desk, machine)
    shown = desk.person.ok("show", name, "--level", "3").out
    assert "SessionEnd doubloons" in shown
    assert not says(desk.person.ok("recall", "--start"), WORDS)
    assert not machine.ask("What has the kingfisher to do with doubloons and marmalade?")
    assert _left(desk) == []


@pytest.mark.slow
def test_an_agent_saves_through_its_tools_and_reads_nothing_of_it(desk: Desk) -> None:
    agent = Agent(desk.person.home, desk.person.project)
    with agent.server() as server:
        saved = server.call("remember", title=PROMPT, text=PROMPT)["structuredContent"]
        server.refusal("remember", title=PROMPT, text=PROMPT, into=saved["id"])
        server.refusal("expand", id=saved["id"])
        for tool in ("recall", "search"):
            assert not any(word in server.text(tool, **{GIVEN[tool]: PROMPT}) for word in WORDS)
        assert "only a person can read them" in server.text("status")
    assert _left(desk) == []
    assert "doubloons" in desk.person.ok("show", saved["id"]).out


@pytest.mark.slow
def test_no_command_over_an_encrypted_store_leaves_a_word(desk: Desk, machine: Machine) -> None:
    name = _a_session(desk, machine)
    for line in (*MORE, *COMMANDS):
        run(desk.person, line, name)
        machine.settle()
        assert _left(desk) == [], line
