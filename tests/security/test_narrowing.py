"""What somebody set for all their projects, a project's own file can make narrower, and no wider."""

from __future__ import annotations

from typing import Any

import pytest
from tests.cli.running import Person

from recollect.store import settings as config

# The setting, what the person says, what narrows it, what would widen it.
ROWS: tuple[tuple[str, Any, Any, Any], ...] = (
    ("capture.enabled", False, None, True),
    ("capture.enabled", True, False, None),
    ("privacy.personal", True, None, False),
    ("privacy.personal", False, True, None),
)


def _said(key: str, value: Any) -> str:
    table, _, name = key.partition(".")
    return f"# theirs\n[{table}]\n{name} = {config.shown(value)}\n"


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("key", "own", "narrower", "wider"), ROWS)
def test_a_project_can_only_narrow(
    key: str, own: Any, narrower: Any, wider: Any, person: Person
) -> None:
    person.ok("config", key, config.shown(own), "--scope", "global")
    if narrower is not None:
        person.write("config.toml", _said(key, narrower))
        assert person.ok("config", key, "--json").json["value"] == narrower
        assert person.ok("list").err == ""
    if wider is not None:
        file = person.write("config.toml", _said(key, wider))
        row = person.ok("config", key, "--json").json
        assert (row["value"], row["set_in"]) == (own, "global")
        said = f"{file}:3: {key} stays {config.shown(own)}, as you set it for all projects"
        assert said in person.ok("list").err
        assert said in person.run("doctor").out


def test_a_project_says_what_the_person_left_open(person: Person) -> None:
    person.write("config.toml", _said("privacy.personal", False) + "[capture]\nenabled = true\n")
    assert person.ok("config", "capture.enabled", "--json").json["set_in"] == "project"
    assert person.ok("list").err == ""


def test_whoever_asks_for_what_is_wider_is_told_what_holds(person: Person) -> None:
    person.ok("config", "capture.enabled", "false", "--scope", "global")
    before = (person.store / "config.toml").read_bytes()
    ran = person.run("config", "capture.enabled", "true", "--scope", "project")
    assert ran.code == 2
    assert "capture.enabled stays false" in ran.err
    assert "recollect config capture.enabled true --scope global" in ran.err
    assert (person.store / "config.toml").read_bytes() == before


@pytest.mark.parametrize(
    "line",
    ["command = 'id'", "root = '/'", "trust = 'all'", "[hooks]\nStop = 'id'", "[env]\nX = '1'", "[sync]\nremote = 'ext::sh'"],
)  # fmt: skip
def test_what_no_project_may_say_is_named_with_its_line(line: str, person: Person) -> None:
    person.write("config.toml", f"# one\n# two\n{line}\n")
    number = 3 + line.count("\n")
    assert f"config.toml:{number}: " in person.ok("list").err
