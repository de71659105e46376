"""Several servers and the command line at once, in one store."""

from __future__ import annotations

import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.mcp.talking import Agent
from tests.mcp.test_mcp_ending import wait_until

from recollect.app import MOST_AT_ONCE

EACH = 12


@pytest.mark.slow
def test_two_servers_and_a_command_line_lose_nothing(agent: Agent) -> None:
    def served(name: str) -> list[str]:
        with agent.server() as server:
            return [
                server.call("remember", title=f"{name} says {n}", text=f"{name}-{n}", kind="fact")[
                    "structuredContent"
                ]["id"]
                for n in range(EACH)
            ]

    def typed(name: str) -> list[str]:
        words = ("--kind", "fact", "--body", name)
        return [agent.json("save", f"{name} says {n}", *words)["id"] for n in range(EACH // 2)]

    with ThreadPoolExecutor(3) as pool:
        done = [pool.submit(served, "one"), pool.submit(served, "two"), pool.submit(typed, "cli")]
        ids = [name for future in done for name in future.result()]
    assert len(set(ids)) == 2 * EACH + EACH // 2
    assert {row["id"] for row in agent.json("list", "--limit", "100")} == set(ids)
    assert len(agent.json("history", "--limit", "100")) == len(ids)
    for row in agent.json("list", "--limit", "100"):
        assert agent.json("show", row["id"])["text"].strip()
    agent.cli("doctor")


@pytest.mark.slow
def test_one_section_that_two_servers_extend_has_what_both_said(agent: Agent) -> None:
    agent.cli("save", "Always run the linter")

    def extend(name: str) -> None:
        with agent.server() as server:
            for n in range(6):
                for _ in range(20):  # the other was quicker: the text is read again
                    said = server.call(
                        "remember", title="Always run the linter", text=f"{name}{n}."
                    )
                    if not said.get("isError"):
                        break

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(extend, ["one", "two"]))
    text = agent.json("show", "feedback#always-run-the-linter")["text"]
    for name in ("one", "two"):
        for n in range(6):
            assert text.count(f"{name}{n}.") == 1


def test_a_server_that_stands_idle_holds_nothing(agent: Agent) -> None:
    with agent.server() as server:
        server.text("remember", title="Use Redis", kind="fact")
        agent.cli("rebuild-index")
        subprocess.run(["rm", "-rf", str(agent.home / ".cache")], check=True)
        assert "Use Redis" in server.text("search", query="redis")


@pytest.mark.slow
def test_the_workers_that_a_server_starts_do_not_stay_in_the_table_of_processes(
    agent: Agent,
) -> None:
    folder = agent.store / "semantic"
    folder.mkdir(exist_ok=True)
    for n in range(MOST_AT_ONCE + 1):  # so many that the views are left to a worker
        (folder / f"note-{n}.md").write_text(f"# Note {n}\n\nIt is so.\n")
    with agent.server() as server:
        server.text("status")
        for n in range(4):
            server.text("remember", title=f"Thing {n} is so", kind="fact")
            assert wait_until(lambda: not list(agent.home.glob(".cache/recollect/*/[pw]*ing")))
        server.text("status")
        pid = server.process.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        others = [t.name for t in Path(f"/proc/{pid}/task").iterdir() if t.name != str(pid)]
        children += [
            c for t in others for c in Path(f"/proc/{pid}/task/{t}/children").read_text().split()
        ]
        assert len(children) <= 1
