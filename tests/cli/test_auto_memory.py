"""Living beside the memory that a client keeps by itself: both modes, and back to the byte."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.hooks.machine import Machine

from recollect.clients import auto_memory

from .running import Person

MODES = ("alongside", "replace")
NOTE = """---
name: feedback-commits
description: Small commits, each with its test
metadata:
  node_type: memory
  type: feedback
  originSessionId: a0432bcd
  modified: 2025-11-21T20:14:45.066Z
---
The person wants small commits. See [[other]].
"""


@pytest.fixture
def local(person: Person) -> Path:
    """The person's own settings of the project."""
    return person.project / ".claude" / "settings.local.json"


def read(path: Path) -> dict[str, Any]:
    return dict(json.loads(path.read_text()))


def own_folder(person: Person) -> Path:
    """Where the client keeps its notes of the project."""
    return Path(auto_memory.own_folder(person.environment({}), str(person.project)))


def noted(person: Person, text: str = NOTE, name: str = "feedback-commits") -> Path:
    """A note that the client wrote."""
    path = own_folder(person) / f"{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    (path.parent / "MEMORY.md").write_text(f"- [Commits]({name}.md) — small ones\n")
    return path


def worked(person: Person) -> None:
    """The worker of the project's store did its work."""
    from recollect.app import App
    from recollect.features.auto_memory import keep

    app = App(str(person.project), person.environment({}))
    try:
        keep(app, app.store("project"))
    finally:
        app.close()


def test_without_a_word_nothing_of_the_clients_is_changed(person: Person, local: Path) -> None:
    person.ok("init", "--client", "claude")
    assert not local.exists()
    settings = read(person.home / ".claude" / "settings.json")
    assert not {auto_memory.ENABLED, auto_memory.DIRECTORY} & set(settings)
    assert "alongside" in person.ok("doctor").out


def test_each_mode_is_what_it_says_and_the_doctor_tells_it(person: Person, local: Path) -> None:
    (person.home / ".claude.json").write_text("{}")  # the client was used here
    person.ok("init", "--auto-memory", "replace")
    assert read(local) == {"autoMemoryEnabled": False}
    assert "replace: " in person.ok("doctor").out
    person.ok("init", "--auto-memory", "alongside")
    assert not local.exists()
    assert "alongside: " in person.ok("doctor").out


def test_a_setting_is_the_other_way_to_choose(person: Person, local: Path) -> None:
    said = person.ok("config", "clients.auto_memory", "replace").out
    assert str(local) in said
    assert read(local) == {"autoMemoryEnabled": False}
    person.ok("config", "--unset", "clients.auto_memory")
    assert not local.exists()
    assert person.run("config", "clients.auto_memory", "never").code == 2


def test_for_all_projects_it_is_the_persons_own_file(person: Person, local: Path) -> None:
    own = person.home / ".claude" / "settings.json"
    person.ok("init", "--scope", "global", "--auto-memory", "replace")
    assert read(own) == {"autoMemoryEnabled": False}
    # A project may be an exception.
    person.ok("init", "--auto-memory", "alongside")
    assert read(local) == {"autoMemoryEnabled": True}
    person.ok("uninstall")
    assert not own.exists()
    assert not local.exists()


def test_a_dry_run_says_what_it_would_do_and_does_nothing(person: Person, local: Path) -> None:
    said = person.ok("init", "--auto-memory", "replace", "--dry-run").out
    assert "Would set auto memory to replace" in said
    person.ok("config", "clients.auto_memory", "replace", "--dry-run")
    assert not local.exists()


TEXTS = st.sampled_from([
    None, "", "{}", "{}\n", "{ }", '{"a": 1}', '{\n    "a": [1, 2],\n    "b": {}\n}\n',
    '\ufeff{\r\n\t"autoMemoryEnabled": true,\r\n\t"x": "autoMemoryEnabled"\r\n}',
    '{"autoMemoryEnabled":false, "z": "}"}', '{"autoMemoryDirectory": "~/mine", "autoMemoryEnabled": null}',
    '{"autoMemoryEnabled": 1, "autoMemoryEnabled": true}',
])  # fmt: skip
WANTED = st.sampled_from([
    {auto_memory.ENABLED: False}, {auto_memory.ENABLED: True}, {auto_memory.DIRECTORY: "/a b/ü"},
    {auto_memory.ENABLED: True, auto_memory.DIRECTORY: "/a"},
])  # fmt: skip


@given(TEXTS, WANTED)
def test_what_was_set_can_be_taken_back_to_the_byte(
    text: str | None, wanted: dict[str, Any]
) -> None:
    new, edit = auto_memory.changed(text, wanted)
    found = json.loads(new.removeprefix("\ufeff"))
    assert {key: found[key] for key in wanted} == wanted
    again = auto_memory.SettingsEdit(**json.loads(json.dumps(edit._asdict())))
    assert auto_memory.taken_back(new, again) == (text if edit.wrote else text or "")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "text", [None, "", "{}\n", '{"autoMemoryEnabled": true, "permissions": {}}\n']
)
@pytest.mark.sampled(1)
def test_uninstalling_gives_back_every_byte(
    person: Person, local: Path, mode: str, text: str | None
) -> None:
    if text is not None:
        local.write_text(text)
    for one in (*MODES, mode, mode):
        person.ok("init", "--client", "claude", "--auto-memory", one)
    person.ok("uninstall")
    assert (local.read_text() if local.exists() else None) == text
    assert not (person.home / ".claude" / "settings.json").exists()
    assert not (person.home / ".local/share/recollect/auto-memory.json").exists()


@pytest.mark.parametrize("hooks_first", [True, False])
def test_hooks_and_a_mode_in_one_file_are_taken_out_together(
    person: Person, hooks_first: bool
) -> None:
    own = person.home / ".claude" / "settings.json"
    steps = [("--client", "claude"), ("--auto-memory", "replace")]
    for words in steps if hooks_first else reversed(steps):
        person.ok("init", "--scope", "global", *words)
    assert set(read(own)) == {"hooks", "autoMemoryEnabled"}
    person.ok("uninstall")
    assert not own.exists()


def test_what_the_person_changed_since_is_theirs(person: Person, local: Path) -> None:
    person.ok("init", "--auto-memory", "replace")
    local.write_text('{"autoMemoryEnabled": true, "model": "opus"}')
    person.ok("uninstall")
    assert local.read_text() == '{"autoMemoryEnabled": true, "model": "opus"}'


def test_settings_that_are_not_valid_are_left_alone_and_nothing_is_written_down(
    person: Person, local: Path
) -> None:
    local.write_text("{oops")
    before = (person.store / "config.toml").read_bytes()
    ran = person.run("config", "clients.auto_memory", "replace")
    assert ran.code == 15
    assert local.read_text() == "{oops"
    assert (person.store / "config.toml").read_bytes() == before


def test_a_file_that_was_taken_away_is_made_anew_and_goes_again(
    person: Person, local: Path
) -> None:
    person.ok("init", "--auto-memory", "replace")
    local.unlink()
    person.ok("init", "--auto-memory", "replace")
    person.ok("uninstall")
    assert not local.exists()


def test_nothing_is_said_of_a_client_that_is_not_there(person: Person) -> None:
    assert "auto memory" not in person.ok("doctor").out


def test_the_doctor_says_where_the_store_wants_something_else(person: Person, local: Path) -> None:
    person.ok("init", "--auto-memory", "replace")
    local.unlink()  # as on another machine with the same repository
    said = person.ok("doctor").out
    assert "alongside: " in said
    assert "recollect init --auto-memory replace" in said


def test_the_clients_notes_are_taken_in_for_the_others_and_not_said_to_it_again(
    person: Person,
) -> None:
    path = noted(person)
    before = path.read_bytes()
    worked(person)
    [row] = person.ok("list", "--json").json
    assert (row["id"], row["title"]) == (
        "auto-feedback-commits",
        "Small commits, each with its test",
    )
    assert row["trust"] == "agent"
    text = (person.store / "semantic" / "auto-feedback-commits.md").read_text()
    assert "session: a0432bcd" in text
    assert "created: 2025-11-21T20:14:45Z" in text
    assert "small commits. See [[other]]." in text
    [known] = person.home.glob(".cache/recollect/*/known-claude")
    assert known.read_text() == "auto-feedback-commits\n"
    worked(person)
    assert len(person.ok("history", "--json").json) == 1
    assert path.read_bytes() == before


def test_what_its_index_does_not_name_is_not_before_it(person: Person) -> None:
    folder = noted(person).parent
    (folder / "unlisted.md").write_text("Nobody names this.")
    worked(person)
    [known] = person.home.glob(".cache/recollect/*/known-claude")
    assert known.read_text() == "auto-feedback-commits\n"
    (person.home / ".claude" / "settings.json").write_text('{"autoMemoryEnabled": false}')
    worked(person)
    assert not known.exists()


def test_what_it_knew_is_said_to_it_from_the_command_on_that_replaces_its_memory(
    person: Person,
) -> None:
    noted(person)
    worked(person)
    [known] = person.home.glob(".cache/recollect/*/known-claude")
    person.ok("init", "--auto-memory", "replace")
    assert not known.exists()  # without a worker in between
    person.ok("config", "clients.auto_memory", "alongside")
    assert known.read_text() == "auto-feedback-commits\n"


def test_a_folder_that_the_person_chose_is_read_and_one_that_the_project_names_is_not(
    person: Person,
) -> None:
    for name in ("mine", "theirs"):
        (person.home / name).mkdir()
        (person.home / name / f"{name}.md").write_text(f"This is {name}.")
    beside = person.project / ".claude" / "settings.json"
    beside.write_text(json.dumps({"autoMemoryDirectory": str(person.home / "theirs")}))
    worked(person)
    assert person.ok("list", "--json").json == []
    own = person.home / ".claude" / "settings.json"
    own.parent.mkdir()
    own.write_text('{"autoMemoryDirectory": "~/mine"}')
    worked(person)
    assert [row["id"] for row in person.ok("list", "--json").json] == ["auto-mine"]


def test_a_note_that_changes_is_renewed_and_one_that_was_forgotten_stays_so(person: Person) -> None:
    path = noted(person)
    worked(person)
    path.write_text(NOTE.replace("small commits.", "tiny commits."))
    worked(person)
    assert "tiny commits" in person.ok("show", "auto-feedback-commits").out
    person.ok("forget", "auto-feedback-commits")
    path.write_text(NOTE.replace("small commits.", "no commits."))
    worked(person)
    assert person.ok("list", "--json").json == []


def test_what_a_person_approved_is_theirs(person: Person) -> None:
    path = noted(person)
    worked(person)
    person.ok("set", "auto-feedback-commits", "trust=user")
    path.write_text(NOTE.replace("small commits.", "tiny commits."))
    worked(person)
    assert "tiny" not in person.ok("show", "auto-feedback-commits").out


def test_nothing_odd_in_the_clients_folder_stops_anything(person: Person) -> None:
    folder = noted(person).parent
    (folder / "latin.md").write_bytes(b"\xff\xfe")
    (folder / "huge.md").write_text("x" * 100_000)
    (folder / "link.md").symlink_to("/etc/passwd")
    (folder / "folder.md").mkdir()
    (folder / "plain.md").write_text("No front matter, and `$&` \\1.")
    (folder / "secret.md").write_text("token ghp_" + "a1B2c3D4e5" * 4)
    worked(person)
    ids = {row["id"] for row in person.ok("list", "--json").json}
    assert ids == {"auto-feedback-commits", "auto-plain", "auto-secret"}
    assert "ghp_" not in person.ok("show", "auto-secret").out


def test_with_replace_what_it_knew_is_taken_in_before_it_goes(person: Person) -> None:
    noted(person)
    person.ok("init", "--auto-memory", "replace")
    assert [row["id"] for row in person.ok("list", "--json").json] == ["auto-feedback-commits"]
    worked(person)
    # It has nothing before it now, so that hooks may say it.
    assert not list(person.home.glob(".cache/recollect/*/known-claude"))


def test_what_the_client_has_before_it_is_said_to_its_sub_agents_only(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.make_stores()
    machine.write("semantic/auto-port.md", "The staging server listens on port 8086.")
    question = "Which port does the staging server listen on?"
    known = machine.cache() / "known-claude"
    known.write_text("auto-port\n")
    assert "8086" not in machine.ask(question)
    assert "8086" in machine.ask(question, agent_id="a496", agent_type="Explore")
    known.unlink()
    assert "8086" in machine.ask(question, session_id="another")
