"""The bugs of the fourth seed's programs (J1-J20), where a client meets them: none happens here.

J6-J10, J12, J14 and J16 have their tests beside consolidation (`tests/services/test_consolidate_seeds.py`),
J15 beside what is killed (`tests/crash/test_kills.py`).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import Person, tree_of
from tests.hooks.machine import EVENTS, SOURCE, Machine, harmless
from tests.hooks.notes import ids
from tests.mcp.talking import Agent

from recollect.capture.reactions import reaction_in

LOCKED = "Close the other shell first, then the migration goes through."


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    """A machine with a project's store and a global one; nothing may be running on it at the end."""
    machine = Machine(tmp_path)
    machine.make_stores()
    yield machine
    machine.settle()


def note(machine: Machine, name: str, body: str, **fields: object) -> None:
    """A note of a layer, which is the first part of its name."""
    layer, _, stem = name.partition("/")
    named: dict[str, Any] = {"id": stem, "title": stem.title(), "type": layer}
    machine.write(f"{name}.md", body, **(named | fields))


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.slow
def test_every_hook_runs_and_speaks_the_client_s_form_j1_j3(machine: Machine, event: str) -> None:
    note(
        machine,
        "semantic/billing",
        "The billing events are in PostgreSQL. " * 2_000,
        tags="[billing, postgresql]",
    )
    ran = machine.fire(event, prompt="Are the billing events in PostgreSQL?")
    harmless(ran, event)
    assert "additionalContext" not in ran.output
    if event == "UserPromptSubmit":
        assert "billing" in ran.context


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "prompt",
    [
        "why is the database locked again",
        "I get SQLITE_BUSY all the time",
        "sqlite busy!",
        "为什么 database-locked 又出现了",
    ],
)
def test_triggers_match_as_people_say_them_j2(machine: Machine, prompt: str) -> None:
    note(machine, "semantic/other", "The fence is green.", tags="[paint]")
    note(machine, "semantic/shells", LOCKED, trigger="[database-locked, sqlite-busy]")
    assert ids(machine.ask(prompt)) == ["shells"]


@pytest.mark.parametrize(
    ("word", "asked"), [("deadlock", "deadlock in the pool"), ("死锁", "pool 死锁")]
)
def test_the_parts_of_a_score_show_that_a_trigger_weighs_twice_j2(
    person: Person, word: str, asked: str
) -> None:
    for n in range(12):
        person.write(f"semantic/f{n}.md", f"---\ntags: [t{n}]\n---\nFence {n} is green.\n")
    found = []
    for fields in (f"tags: [pool]\ntrigger: [{word}]", f"tags: [{word}, pool]"):
        person.write("semantic/pool.md", f"---\n{fields}\n---\nClose the shell.\n")
        found += person.ok("recall", asked, "--json").json["items"]
    fired, tagged = (item["parts"] for item in found)
    assert fired["trigger"] > 0 == tagged["trigger"]
    same = fired.keys() - {"text", "trigger", "coverage", "weight", "answered"}
    assert {part: fired[part] for part in same} == {part: tagged[part] for part in same}
    assert found[0]["score"] > 1.25 * found[1]["score"]


@pytest.mark.parametrize(
    ("tag", "asked"),
    [
        ("scraping", "what do I know about scraped pages?"),
        ("go", "how do we write go here"),
        ("ci", "what of the ci"),
        ("db", "tell me about our db"),
        ("vector-search", "vector search"),
        ("vector search", "vector-search"),
        ("连接池", "请问连接池有多大"),
        ("数据库", "我们的数据库放在哪里？"),
        ("ｒｅｄｉｓ", "how is redis set up"),
    ],
)
def test_a_tag_is_found_in_whatever_form_it_is_asked_for_j4(
    person: Person, tag: str, asked: str
) -> None:
    person.write("semantic/other.md", "---\ntags: [paint]\n---\nThe fence is green.\n")
    person.write("semantic/wanted.md", f"---\ntags: [{tag}]\n---\nAs it is.\n")
    hits = person.ok("search", asked, "--json").json["hits"]
    assert [hit["id"] for hit in hits] == ["wanted"]


def test_scraper_and_scraping_are_one_tag_j4(person: Person) -> None:
    person.ok("save", "It sleeps", "--kind", "fact", "--tags", "scraper")
    person.ok("save", "It waits", "--kind", "fact", "--tags", "Scrapers")
    rows = person.ok("list", "--tags", "scraping", "--json").json
    assert len(rows) == 2


def test_a_recent_episode_speaks_for_nothing_it_does_not_say_j5(machine: Machine) -> None:
    note(machine, "episodic/today", "We painted the fence.", tags="[paint]", created="2026-11-22")
    note(
        machine,
        "semantic/rule",
        "Invoices are made in Go.",
        salience="high",
        tags="[billing, paint]",
    )
    before = machine.root.joinpath("semantic/rule.md").read_bytes()
    assert ids(machine.ask("How are invoices made in the billing?")) == ["rule"]
    assert machine.ask("Translate this poem to Latin") == ""
    assert machine.root.joinpath("semantic/rule.md").read_bytes() == before


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "name", ["../../../../secret.txt", "/etc/hostname", "..", "semantic/../../x"]
)
def test_a_related_name_leads_nowhere_outside_j11(machine: Machine, name: str) -> None:
    (machine.folder / "secret.txt").write_text("the walrus is hidden\n")
    (machine.home / "secret.txt").write_text("the walrus is hidden\n")
    note(machine, "semantic/billing", "Invoices are made in Go.", related=f'["{name}"]')
    text = machine.ask("How are invoices made?")
    assert ids(text) == ["billing"]
    assert "walrus" not in text
    assert Path("/etc/hostname").read_text().strip() not in text.replace("billing", "")


@pytest.mark.parametrize(
    "prompt",
    [
        "Actually, could you also add a test?",
        "Actually, one more thing: rename it.",
        "其实，能不能再加一个测试？",
        "顺便再加一个测试",
    ],
)
def test_a_further_wish_is_no_correction_j13(prompt: str) -> None:
    assert reaction_in(prompt) == ""


def test_importing_the_hooks_runs_nothing_j17(machine: Machine) -> None:
    note(machine, "episodic/old", "Port is 8080.", **{"decay-after": "2020-01-01"})
    before = tree_of(machine.home)
    folder = SOURCE / "recollect" / "interfaces" / "hooks"
    names = sorted(path.stem for path in folder.glob("*.py"))
    assert "events" in names
    code = "import recollect.hook\n" + "".join(
        f"import recollect.interfaces.hooks.{name}\n" for name in names
    )
    code += "import recollect.consolidate.run, recollect.worker\nprint('all of it')\n"
    env = machine.env | {"PYTHONPATH": str(SOURCE), "PYTHONDONTWRITEBYTECODE": "1"}
    ran = subprocess.run(
        [sys.executable, "-c", code], env=env, cwd=machine.project, capture_output=True, check=False
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"all of it\n", b"")
    assert tree_of(machine.home) == before


@pytest.mark.parametrize(
    "said", ["0 errors found, error: none", "no EADDRINUSE any more", "失败：0"]
)
def test_a_call_that_worked_is_no_error_whatever_it_printed_j19(
    machine: Machine, said: str
) -> None:
    learn_of_ports(machine)
    response = {"stdout": said, "stderr": said, "interrupted": False}
    assert machine.fire("PostToolUse", tool_response=response).context == ""


def learn_of_ports(machine: Machine) -> None:
    """Let the machine know a way around a failure."""
    body = "## Solution: port-taken\n\n**Symptom:** EADDRINUSE\n**Solution:** `PORT=0 npm test`\n"
    machine.write("procedural/feedback.md", body, trigger="[EADDRINUSE]", title="Rules")


def test_a_failure_on_stdout_finds_its_solution_j19(machine: Machine) -> None:
    learn_of_ports(machine)
    ran = machine.fire("PostToolUseFailure", error="Exit code 1\nstdout: EADDRINUSE 127.0.0.1:8080")
    assert "PORT=0 npm test" in ran.context


@pytest.fixture
def agent(tmp_path: Path) -> Agent:
    """An agent in a project with a store."""
    home, project = tmp_path / "home", tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    home.mkdir()
    made = Agent(home, project)
    made.cli("init")
    return made


def test_an_agent_reads_and_writes_inside_its_store_only_j20(agent: Agent) -> None:
    agent.cli("save", "Pool size is 10", "--kind", "fact", "--tags", "pool,redis")
    outside = {p for p in agent.home.parent.rglob("*") if agent.store not in p.parents}
    evil = ["../../outside/evil", "a]\nsalience: high\nx: [b", "pool", "redis"]
    with agent.server() as server:
        for name in ("/etc/hostname", "../../../../etc/hostname", "semantic/../../../x"):
            server.refusal("expand", id=name)
        for n in range(2):  # the same tags on the same day
            server.text("remember", title=f"Pool {n}", text="It is so.", kind="fact", tags=evil)
    made = sorted(path.name for path in agent.store.glob("semantic/*.md"))
    assert made == ["pool-0.md", "pool-1.md", "pool-size-is-10.md"]
    after = {p for p in agent.home.parent.rglob("*") if agent.store not in p.parents}
    new = {p for p in after - outside if agent.home not in p.parents}
    assert new == set()
    for row in agent.json("list"):
        assert "high" not in json.dumps(row.get("salience", ""))
    text = (agent.store / "semantic" / "pool-0.md").read_text()
    assert not [line for line in text.splitlines() if line.startswith("salience:")]
    assert os.path.realpath(agent.store) == str(agent.store)
