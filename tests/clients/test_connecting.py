"""`init`, `doctor` and `uninstall` with the clients that a person has."""

from __future__ import annotations

import json
import os
import re
import sys
import time
from pathlib import Path

import pytest
from tests.cli.running import Person

from recollect.clients.base import HookProgram
from recollect.clients.registry import KNOWN
from recollect.ops import environment_checks as probing
from recollect.ops.setup import program_paths
from recollect.store import locations

from .homes import files_of

# What is there once a client has run, and what a person has written into its files.
TRACES = {
    "claude": {".claude/settings.json": '{"model": "opus"}'},
    "codex": {".codex/config.toml": '# mine\nmodel = "x"\n', ".codex/hooks.json": '{"hooks": {}}'},
    "gemini": {".gemini/settings.json": '// mine\n{"ui": {"theme": "x"},}\n'},
    "opencode": {".config/opencode/opencode.jsonc": '{\n  // mine\n  "share": "disabled"\n}\n'},
    "cursor": {".cursor/hooks.json": '{"version": 1, "hooks": {"stop": [{"command": "x"}]}}'},
    "vscode": {".config/Code/User/settings.json": "{}"},
    "copilot": {".copilot/mcp-config.json": '{"mcpServers": {"other": {"command": "y"}}}'},
}


def use(person: Person, *names: str) -> None:
    """Let the person have used these clients."""
    for name in names:
        for path, text in TRACES[name].items():
            file = person.home / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)


def settings_of(person: Person) -> dict[str, bytes]:
    """The files of the clients, and of the project but for its store."""
    found = files_of(person.home)
    return {
        path: data for path, data in found.items() if "memory/" not in path and ".local" not in path
    }


def folders_of(person: Person) -> set[str]:
    """The folders in the home, but for stores, the folders that hold one, and the program's own."""
    found = (path.relative_to(person.home) for path in person.home.rglob("*") if path.is_dir())
    ours = {".cache", ".local", "memory"}
    return {str(path) for path in found if path.name != ".claude" and not ours & {*path.parts}}


# ------------------------------------------------------------------------------------------- init


def test_init_names_the_clients_that_are_here_and_no_others(person: Person) -> None:
    use(person, "codex", "opencode")

    said = person.ok("init")
    assert "Also installed, not connected: Codex CLI, OpenCode" in said.out
    assert "To connect: `recollect init --client codex --client opencode`" in said.out
    assert person.ok("init", "--json").json["offered"] == ["codex", "opencode"]

    rest = person.ok("init", "--client", "codex", "--json").json
    assert rest["offered"] == ["opencode"]
    assert {row["name"] for row in rest["clients"]} == {"codex"}


def test_a_store_of_ours_in_the_home_is_no_sign_of_a_client(person: Person) -> None:
    person.ok("init", "--scope", "both")

    assert "offered" not in person.ok("init", "--json").json


def test_all_means_the_clients_that_are_here(person: Person) -> None:
    use(person, "gemini", "cursor")

    done = person.ok("init", "--client", "all", "--json").json

    assert [row["name"] for row in done["clients"]] == ["gemini", "cursor", "cursor", "cursor"]
    assert not (person.home / ".codex").exists()


def test_the_person_is_told_that_codex_wants_its_hooks_to_be_trusted(person: Person) -> None:
    assert "trust" in person.ok("init", "--client", "codex").out


@pytest.mark.parametrize("name", KNOWN)
@pytest.mark.sampled(2)
def test_every_byte_comes_back(name: str, person: Person) -> None:
    use(person, *TRACES)
    before = settings_of(person)

    person.ok("init", "--client", name)
    during = settings_of(person)
    person.ok("init", "--client", name)
    assert settings_of(person) == during
    person.ok("uninstall", "--client", name)

    assert during != before
    assert settings_of(person) == before


@pytest.mark.parametrize("name", KNOWN)
@pytest.mark.sampled(2)
def test_what_was_not_there_goes_again(name: str, person: Person) -> None:
    before = folders_of(person)
    person.ok("init", "--client", name)
    person.ok("uninstall")

    assert settings_of(person) == {}
    assert folders_of(person) == before


def test_folders_that_were_there_or_hold_something_stay(person: Person) -> None:
    (person.home / ".codex").mkdir()
    person.ok("init", "--client", "codex", "--client", "gemini", "--client", "opencode")
    (person.home / ".config" / "opencode" / "plugins" / "kettle.js").write_text("// mine\n")
    person.ok("uninstall", "--dry-run")
    assert (person.home / ".gemini" / "settings.json").exists()
    person.ok("uninstall")

    assert folders_of(person) >= {".codex", ".config/opencode/plugins"}
    assert ".gemini" not in folders_of(person)
    assert list((person.home / ".cache" / "recollect").glob("installed-*")) == []


@pytest.mark.parametrize("name", KNOWN)
def test_nothing_is_changed_by_a_dry_run(name: str, person: Person) -> None:
    use(person, name)
    before = settings_of(person)

    person.ok("init", "--client", name, "--dry-run")

    assert settings_of(person) == before


def test_a_file_of_two_clients_is_named_once(person: Person) -> None:
    use(person, "vscode", "copilot")
    person.ok("init", "--client", "all")
    paths = [row["path"] for row in person.ok("uninstall", "--json").json]
    assert len(paths) == len(set(paths))
    assert str(person.home / ".copilot" / "hooks" / "recollect.json") in paths


def test_a_file_that_cannot_be_edited_stops_everything_before_it_begins(person: Person) -> None:
    use(person, "codex")
    (person.home / ".codex" / "config.toml").write_text("model = \n")
    before = settings_of(person)

    ran = person.run("init", "--client", "gemini", "--client", "codex")

    assert ran.code == 15
    assert "not valid TOML" in ran.err
    assert settings_of(person) == before
    assert not person.store.exists()


# ----------------------------------------------------------------------------------------- doctor


@pytest.mark.slow
def test_doctor_says_of_each_client_whether_it_is_connected_called_and_answered(
    person: Person,
) -> None:
    use(person, "codex", "gemini", "copilot")
    person.ok("init", "--scope", "both", "--client", "codex", "--client", "gemini")

    said = [(row["about"], row["state"], row["sentence"]) for row in findings(person)]

    assert ("codex", "note", "hooks not called yet") in said
    assert ("copilot", "note", KNOWN_BY_COMMAND.format(name="copilot")) in said
    answers = [s for name, state, s in said if name == "gemini" and state == "ok"]
    assert answers[0].startswith("connected in ")
    assert answers[1].startswith("its MCP server responds: recollect ")
    assert not [row for row in said if row[0] in ("cursor", "vscode", "opencode")]


KNOWN_BY_COMMAND = "not connected through its settings; run `recollect init --client {name}`"


def test_doctor_says_when_the_hooks_of_a_client_were_last_called(person: Person) -> None:
    person.ok("init", "--scope", "both", "--client", "gemini")
    journal = person.store / "journal"
    journal.mkdir(exist_ok=True)
    fields: dict[str, str | list[str] | int] = {"event": "stop", "session": "s", "client": "gemini"}
    locations.record(str(person.store), "gemini-s", "signal", fields)

    [said] = [row["sentence"] for row in findings(person) if "last called" in row["sentence"] and row["about"] == "gemini"]  # fmt: skip
    assert said.startswith("hooks last called 20")


@pytest.mark.slow
def test_doctor_knows_a_session_in_which_claude_works_long_from_one_without_hooks(
    person: Person,
) -> None:
    person.ok("init", "--scope", "both", "--client", "claude")
    os.utime(person.home / ".claude" / "settings.json", (1_700_000_000, 1_700_000_000))
    name = re.sub("[^A-Za-z0-9]", "-", str(person.project))
    transcript = person.home / ".claude" / "projects" / name / "s.jsonl"
    transcript.parent.mkdir(parents=True)
    transcript.touch()

    def unheard() -> list[str]:
        return [row["state"] for row in findings(person) if "not called in" in row["sentence"]]

    assert unheard() == ["problem"]
    fields: dict[str, str | list[str] | int] = {"event": "user-prompt", "session": "s"}
    (person.store / "journal").mkdir(exist_ok=True)
    locations.record(str(person.store), "claude-s", "signal", fields)
    later = time.time() + 3600  # without a prompt, and without a tool that failed
    os.utime(transcript, (later, later))
    assert unheard() == []
    transcript.rename(transcript.with_name("other.jsonl"))
    assert unheard() == ["problem"]


def test_doctor_finds_files_of_another_installation_and_half_connected_clients(
    person: Person,
) -> None:
    person.ok("init", "--scope", "both", "--client", "codex", "--client", "gemini")
    settings = person.home / ".gemini" / "settings.json"
    settings.write_text(settings.read_text().replace(sys.executable, "/old/python"))
    (person.home / ".codex" / "config.toml").unlink()

    ran = person.run("doctor", "--json")

    assert ran.code == 1
    problems = {
        row["about"]: row["sentence"] for row in ran.json["findings"] if row["state"] == "problem"
    }
    assert "from another installation or version" in problems["gemini"]
    assert "config.toml has no entry of ours" in problems["codex"]


def test_a_server_that_does_not_answer_is_found_out(tmp_path: Path) -> None:
    *server, _ = HookProgram(*program_paths()).server
    for word in ("--version", "no-such-command"):
        assert probing.answer_of([*server, word], str(tmp_path), {}) == probing.SILENT


def findings(person: Person) -> list[dict[str, str]]:
    """What the doctor finds."""
    found: list[dict[str, str]] = json.loads(person.run("doctor", "--json").out)["findings"]
    return found
