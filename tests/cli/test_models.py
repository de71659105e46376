"""Choosing a model, and seeing what it was sent."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.capture.transcripts import Transcript
from tests.cli.running import Person

from recollect.app import App
from recollect.features import models
from recollect.features.models import ModelCall

KEY = "capture.model"


@pytest.fixture
def programs(tmp_path: Path) -> str:
    """A path with a client that was never run, and that nothing here may run."""
    folder = tmp_path / "programs"
    folder.mkdir()
    (folder / "claude").write_text("#!/bin/sh\nexit 9\n")
    (folder / "claude").chmod(0o755)
    return f"{folder}:/usr/bin:/bin"


def chosen(person: Person) -> str:
    value: str = person.ok("config", KEY, "--json").json["value"]
    return value


@pytest.mark.parametrize(("typed", "model"), [("yes\n", "claude"), ("no\n", ""), ("\n", "")])
def test_init_asks_once_and_no_is_the_default(
    person: Person, programs: str, typed: str, model: str
) -> None:
    env = {"PATH": programs}
    said = person.at_terminal("init", "--scope", "both", typed=typed, env=env)
    assert said.code == 0
    words = " ".join(said.out.split())
    assert "to the provider that Claude Code uses (Anthropic): about 3,900 tokens" in words
    assert chosen(person) == model
    assert "Anthropic" not in person.at_terminal("init", typed="yes\n", env=env).out
    assert chosen(person) == model


def test_nobody_is_asked_without_a_terminal_or_a_program(person: Person, programs: str) -> None:
    person.ok("init", "--scope", "both", env={"PATH": programs}, stdin="yes\n")
    assert chosen(person) == ""
    said = person.at_terminal("init", typed="yes\n", env={"PATH": "/nowhere"})
    assert "Anthropic" not in said.out
    assert chosen(person) == ""


def test_only_a_person_chooses_and_only_what_is_known(person: Person) -> None:
    person.ok("init", "--scope", "both")
    agent = person.run("config", KEY, "claude", "--scope", "global", env={"CLAUDECODE": "1"})
    assert (agent.code, chosen(person)) == (2, "")
    assert "Only a person can have sessions sent to a model." in agent.err
    unknown = person.run("config", KEY, "gpt:5", "--scope", "global")
    assert "must start with one of claude, codex, gemini, opencode, llm" in unknown.err
    person.ok("config", KEY, "llm:ollama/qwen3:8b", "--scope", "global")
    assert chosen(person) == "llm:ollama/qwen3:8b"
    person.ok("config", KEY, "", "--scope", "project")
    assert chosen(person) == ""


def test_a_project_turns_nothing_on(person: Person) -> None:
    person.ok("init", "--scope", "both")
    before = (person.store / "config.toml").read_text()
    refused = person.run("config", KEY, "claude", "--scope", "project")
    assert (refused.code, chosen(person)) == (2, "")
    assert "`recollect config capture.model claude --scope global`" in refused.err
    assert (person.store / "config.toml").read_text() == before
    (person.store / "config.toml").write_text(f'{before}\n[capture]\nmodel = "claude"\n')
    assert "capture.model is set for all projects only" in person.ok("list").err
    assert chosen(person) == ""


def test_calls_are_listed_and_shown_in_full(person: Person) -> None:
    assert "No model was asked anything." in person.ok("calls").out
    app = App(str(person.project), person.environment({}))
    for n, outcome in enumerate(("failed", "answered")):
        row = ModelCall(
            f"2026-11-2{n}T10:00:00Z",
            "claude",
            str(person.project),
            "s",
            outcome,
            "why",
            1600,
            90,
        )
        models.log_call(app, row._replace(sent="PERSON: all of it", answer='{"title": "T"}'))
    listed = person.ok("calls").out
    assert listed.index("answered") < listed.index("failed")
    assert "1600" in listed
    assert "all of it" not in listed
    shown = person.ok("calls", "1").out
    assert "PERSON: all of it" in shown
    assert '{"title": "T"}' in shown
    assert person.ok("calls", "2", "--json").json["outcome"] == "failed"
    assert person.run("calls", "3").code == 2


def test_an_agent_sees_no_calls_of_other_projects(person: Person, tmp_path: Path) -> None:
    app = App(str(person.project), person.environment({}))
    call = ModelCall("2026-11-25T10:00:00Z", "claude", "/other", "s", "answered", "", 9, 9)
    models.log_call(app, call._replace(sent="PERSON: the other project"))
    assert "No model was asked anything" in person.ok("calls").out
    assert person.run("calls", "1").code == 2
    assert "/other" in person.ok("calls", "--all").out
    assert "PERSON: the other" in person.ok("calls", "1", "--all").out
    refused = person.run("calls", "1", "--all", env={"CLAUDECODE": "1"})
    assert refused.code == 2
    assert "Only a person" in refused.err


def test_a_session_in_which_a_model_was_asked_is_nobodys(person: Person) -> None:
    person.ok("init", "--scope", "both")
    for name, cwd in (("1", person.home / ".cache" / "recollect" / "model"), ("2", person.project)):
        log = Transcript(f"5f0c2d6e-000{name}-4a7b-9c1d-000000000001", cwd=str(cwd))
        log.prompt("Orders are kept in PostgreSQL because we need JSONB.")
        log.answer("They are.")
        log.save(person.home / ".claude" / "projects" / "p")
    made = person.ok("capture", str(person.home / ".claude" / "projects"), "--json").json
    assert (made["created"], made["without_store"]) == (1, 1)
