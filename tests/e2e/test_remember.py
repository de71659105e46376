"""What the agent of a real client remembers by the tool is there for the next session of each of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from recollect.model.document import memory_from_text
from recollect.model.entries import index_units
from recollect.model.footnotes import is_same_origin

from .memory import Memory
from .messages_api import MessagesApi, all_text, call, say
from .tui import Tui

if TYPE_CHECKING:
    from pathlib import Path

    from .agents import Agent
    from .client import ClaudeClient
    from .messages import Block

pytestmark = [pytest.mark.e2e, pytest.mark.slow]
TOOL = "mcp__plugin_recollect_recollect__remember"
SUBJECT = "Orders"
STATEMENTS = {
    "claude": "Order store: PostgreSQL",
    "codex": "Order numbers are ULIDs",
    "gemini": "Order totals are integers in cents",
    "copilot": "Cancelled orders stay in the table for a year",
    "opencode": "Order mails leave through Postmark",
}


def noting(one: ClaudeClient | Agent, statement: str, **more: str) -> Block:
    """A call of the tool by the model of a client."""
    given = {"statement": statement, "subject": SUBJECT, "kind": "decision", **more}
    if hasattr(one, "memory_tool"):
        return one.memory_tool("remember", **given)
    return call(TOOL, **given)


def test_what_each_client_remembers_every_client_is_told_at_the_next_start(
    client: ClaudeClient,
    agents: dict[str, Agent],
    memory: Memory,
    api: MessagesApi,
    project: Path,
) -> None:
    memory.run("init", *(word for name in agents for word in ("--client", name)))
    everybody: dict[str, ClaudeClient | Agent] = {"claude": client, **agents}
    for name, one in everybody.items():
        api.add([noting(one, STATEMENTS[name], why=f"as {name} was told")], [say("Noted.")])
        done = one.prompt("Set the next part of the shop up.", cwd=project)
        assert done.returncode == 0, f"{name}: {done.stdout}{done.stderr}"
        assert "Added as orders" in all_text(api.turns[-1]), name
        memory.settle()

    # One page for all of them; each entry says from which session it is.
    page = memory_from_text((memory.root / "semantic/orders.md").read_text(), "semantic/orders.md")
    rows = [row for row in index_units(page) if row.entry]
    told = [f"{STATEMENTS[name]}, as {name} was told" for name in everybody]
    assert [row.text for row in rows] == told
    sessions = [row["session"] for row in memory.json("list-sessions", "--all")]
    origins = [[one for one in sessions if is_same_origin(row.session, one)] for row in rows]
    assert all(len(found) == 1 for found in origins), origins
    assert len({found[0] for found in origins}) == len(everybody)

    for name, one in everybody.items():
        api.add([say("Good morning.")])
        assert one.prompt("Good morning.", cwd=project).returncode == 0
        heard = all_text(api.turns[-1])
        assert [said for said in STATEMENTS.values() if said not in heard] == [], name
        memory.settle()


def test_words_that_were_typed_make_it_the_persons(
    client: ClaudeClient, memory: Memory, api: MessagesApi, project: Path
) -> None:
    said = "Amounts are always integers in cents, never floats."
    note = call(TOOL, statement="Amounts are integers in cents", subject="Prices", quote=said)
    api.add([note], [say("Noted.")])
    with Tui(client, cwd=project) as tui:
        tui.ask(f"Please keep this in mind: {said}", "Noted.")
        assert "It counts as the person's word." in all_text(api.turns[-1])
        tui.exit()
    memory.settle()
    # What a program sends is nobody's word.
    note = call(TOOL, statement="Prices have two decimals", subject="Prices", quote=said)
    api.add([note], [say("Noted.")])
    assert client.prompt(f"Please keep this in mind: {said}", cwd=project).returncode == 0
    assert "so it counts as yours" in all_text(api.turns[-1])
