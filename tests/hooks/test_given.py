"""`recollect given` says what hooks and tools told an agent."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import pytest
from tests.cli.running import Person, Ran

from recollect.app import App
from recollect.derived_files import publish_all

from .machine import SESSION, Machine
from .notes import BILLING, QUESTION, write_notes


class Patient(Person):
    """Somebody who waits for the workers of the hooks: they renew index and brief meanwhile."""

    machine: Machine

    def run(self, *words: str, stdin: str = "", env: Mapping[str, str] | None = None) -> Ran:
        self.machine.settle()
        return super().run(*words, stdin=stdin, env=env)


@pytest.fixture
def person(machine: Machine) -> Person:
    waiting = Patient(machine.home, machine.project)
    waiting.machine = machine
    return waiting


def names(given: list[dict[str, object]]) -> list[list[str]]:
    """The names of the notes of each hand-over, in order."""
    return [[str(note["name"]) for note in one["notes"]] for one in given]  # type: ignore[attr-defined]


def test_what_was_told_is_shown_with_its_moment_and_its_cost(
    machine: Machine, person: Person
) -> None:
    write_notes(machine)
    machine.write("core/project.md", "A shop for tea.")
    machine.fire("SessionStart")
    machine.ask(QUESTION)
    machine.ask("yes, commit this")
    [found] = person.ok("given", "--json").json
    assert found["session"] == SESSION
    assert [one["moment"] for one in found["given"]] == ["start", "prompt"]
    told, asked = names(found["given"])
    assert told[0] == "project"
    assert asked == ["billing"]
    noted = [line for line in machine.journal() if line["op"] == "inject"]
    assert [one["tokens"] for one in found["given"]] == [line["tokens"] for line in noted]
    shown = person.ok("given", SESSION[:8]).out
    assert "A shop for tea." in shown
    assert BILLING in shown
    assert f"2×, {found['tokens']} tokens" in shown


@pytest.mark.slow
def test_the_lines_of_the_brief_are_shown_too(machine: Machine, person: Person) -> None:
    machine.write("semantic/decisions/db.md", "# Use PostgreSQL", id="db", trust="user")
    machine.fire("SessionStart")
    [found] = person.ok("given", "--json").json
    assert names(found["given"]) == [["db"]]
    assert "Use PostgreSQL" in machine.fire("SessionStart", source="clear").context


def test_a_solution_is_named_as_one_and_without_marks(machine: Machine, person: Person) -> None:
    text = "## Solution: pytest\n\n- **Symptom:** No module named ladle\n- **Solution:** pip install ladle"
    machine.write("procedural/feedback.md", text, id="feedback", trust="user")
    machine.ask("pytest says: no module named ladle")
    shown = person.ok("given").out
    assert "Solution: pytest – Symptom: No module named ladle" in shown
    assert "feedback#solution-pytest · solution" in shown


def test_in_a_chinese_store_a_solution_is_named_in_chinese(
    machine: Machine, person: Person
) -> None:
    machine.write("config.toml", 'lang = "zh"', publish=False)
    text = "## Solution: pytest\n\n- **症状：** No module named ladle\n- **解决办法：** pip install ladle"
    machine.write("procedural/feedback.md", text, id="feedback", trust="user")
    machine.ask("pytest 报错：no module named ladle")
    assert "解决方案：pytest – 症状： No module named ladle" in person.ok("given").out


def test_a_section_of_a_session_is_named_by_its_session(machine: Machine, person: Person) -> None:
    machine.write(
        "episodic/2026-10-06-kettle/summary.md", "# Descale the kettle\n\n## Summary\n\n- Outcome: citric acid works.",
        id="kettle", title="Descale the kettle", type="episodic", kind="session", created="2026-10-06",
    )  # fmt: skip
    machine.ask("How did we descale the kettle with citric acid?")
    assert "  Descale the kettle\n    kettle#summary" in person.ok("given").out


def test_a_note_says_what_became_of_it(machine: Machine, person: Person) -> None:
    write_notes(machine)
    machine.ask(QUESTION)
    agent = {"CLAUDE_CODE_SESSION_ID": SESSION}
    call = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"expand","arguments":{"id":"billing"}}}\n'
    assert b"billing" in person.process("mcp", stdin=call.encode(), env=agent).stdout
    assert "the agent opened it" in person.ok("given").out
    person.ok("forget", "billing")
    assert "no longer there" in person.ok("given").out


@pytest.mark.slow
def test_what_is_filed_on_a_page_after_it_was_given_is_still_shown(
    machine: Machine, person: Person
) -> None:
    today = time.strftime("%Y-%m-%d", time.gmtime())  # an older one would be archived
    page = f"episodic/{today}-orders/summary.md"
    about: dict[str, Any] = {
        "type": "episodic",
        "kind": "session",
        "title": "Orders",
        "created": today,
    }
    fact = "- [technology] Orders are in PostgreSQL: we need JSONB\n  - source: instructed"
    body = f"# Orders\n\n## Summary\n\n- Outcome: The schema is set up.\n\n## Decisions\n\n{fact}"
    machine.write(page, body, trust="user", **about)
    assert "Orders are in PostgreSQL" in machine.fire("SessionStart").context
    shown = person.ok("given").out  # the worker has consolidated meanwhile
    assert "<!-- filed: " in (machine.root / page).read_text()
    assert "Orders are in PostgreSQL: we need JSONB" in shown
    assert "filed on a page since" in shown


def test_that_there_are_other_sessions_is_said(machine: Machine, person: Person) -> None:
    write_notes(machine)
    for session in ("one-1111", "two-2222", "three-33"):
        machine.fire("UserPromptSubmit", prompt=QUESTION, session_id=session)
    hint = "other sessions: {}; `recollect given --last N`"
    assert hint.format(2) in person.ok("given").out
    assert hint.format(1) in person.ok("given", "--last", "2").out
    assert "other sessions" not in person.ok("given", "--last", "3").out
    assert "other sessions" not in person.ok("given", "one-1111").out


def test_a_session_with_a_short_id_is_found_by_its_whole_id(
    machine: Machine, person: Person
) -> None:
    write_notes(machine)
    machine.fire("UserPromptSubmit", prompt=QUESTION, session_id="s-3")
    assert "Session s-3" in person.ok("given", "s-3").out
    assert person.run("given", "s-").code == 10


@pytest.mark.slow
def test_silence_is_said_and_explained(machine: Machine, person: Person) -> None:
    assert "No agent has been told anything in this project yet." in person.ok("given").out
    assert "recollect init --client claude" in person.ok("given").out
    machine.fire("SessionStart")
    machine.ask("yes, commit this")
    shown = person.ok("given").out
    assert f"Session {SESSION[:8]}" in shown
    assert "Nothing was given" in shown
    assert "recollect recall" in shown
    assert person.run("given", "nobody").code == 10


def test_the_last_sessions_come_newest_first_and_an_agent_gets_its_own(
    machine: Machine, person: Person
) -> None:
    write_notes(machine)
    others = ["1111aaaa-0000", "2222bbbb-0000"]
    for session in others:
        machine.fire("UserPromptSubmit", prompt=QUESTION, session_id=session)
    found = person.ok("given", "--last", "5", "--json").json
    assert sorted(one["session"] for one in found) == others
    env = {"CLAUDE_CODE_SESSION_ID": others[0]}
    assert [one["session"] for one in person.ok("given", "--json", env=env).json] == others[:1]
    assert person.run("given", others[0], "--last", "2").code == 2


def test_a_session_whose_file_was_folded_is_still_told_of(machine: Machine, person: Person) -> None:
    write_notes(machine)
    machine.ask(QUESTION)
    file = machine.root / "journal" / f"claude-{SESSION}.jsonl"
    file.rename(file.with_name("folded-here-2026-01.jsonl"))
    [found] = person.ok("given", "--json").json
    assert names(found["given"]) == [["billing"]]


@pytest.mark.slow
def test_how_things_stand_is_said_in_five_lines(machine: Machine, person: Person) -> None:
    assert len(person.ok("status").out.splitlines()) == 5
    write_notes(machine)
    machine.write("core/project.md", "A shop for tea.")
    machine.ask(QUESTION)
    agent = {"CLAUDE_CODE_SESSION_ID": SESSION, "CLAUDECODE": "1"}
    person.ok("save", "Staging has no JSONB index", "--kind", "fact", env=agent)
    found = person.ok("status", "--json").json
    assert found["remembered"]["project"]["core"] == 1
    assert found["waiting"]["review"] == 1
    assert found["last"] is None
    [given] = [line for line in machine.journal() if line["op"] == "inject"]
    lately = {"days": 7, "sessions": 1, "times": 1, "tokens": given["tokens"]}
    assert found["given"] == lately
    shown = person.ok("status").out
    assert len(shown.splitlines()) == 5
    assert "to review 1 (`recollect review`)" in shown
    assert "none (`recollect init --client claude`)" in shown
    person.ok("init", "--client", "claude")
    assert "Claude Code connected, last called" in person.ok("status").out


@pytest.mark.slow
def test_the_person_is_told_in_one_line_what_a_session_was_given(
    machine: Machine, person: Person
) -> None:
    assert machine.fire("SessionStart").out == b""  # nothing to tell, nothing to say
    machine.write("core/project.md", "A shop for tea.")
    said = machine.fire("SessionStart", source="clear").output["systemMessage"]
    [found] = person.ok("given", "--json").json
    [start] = found["given"]
    assert said == f"Recollect: 1 note, {start['tokens']} tokens; `recollect given` shows them"
    person.ok("config", "lang", "zh")
    assert "1 条笔记" in machine.fire("SessionStart", source="clear").output["systemMessage"]
    person.ok("config", "recall.announce", "false")
    silent = machine.fire("SessionStart", source="clear")
    assert "systemMessage" not in silent.output
    assert "A shop for tea." in silent.context


def test_a_worker_that_began_before_a_setting_was_changed_does_not_take_it_back(
    machine: Machine, person: Person
) -> None:
    machine.write("core/project.md", "A shop for tea.")
    worker = App(str(machine.project), machine.env)
    store = worker.opened(str(machine.root), "project")
    person.ok("config", "recall.announce", "false")
    person.ok("config", "recall.prompt_tokens", "123")
    publish_all(worker, store)
    worker.close()
    assert "systemMessage" not in machine.fire("SessionStart", source="clear").output
    assert (machine.cache() / "settings").read_text("utf-8").split()[1] == "123"
