"""No command prints what commands a terminal, whatever the store says and whatever it is told."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest
from tests.cli.running import Person

from recollect.interfaces.cli.main import GROUPS

from .haunted import EVERY, EVIL, haunt, is_harmless, words_for

BY_COMMAND: dict[str, list[tuple[str, ...]]] = {}
for one in EVERY:
    BY_COMMAND.setdefault(one[0] if one[0] != EVIL else "what is no command", []).append(one)
HERE = {"RECOLLECT_SESSION": "haunted"}
WAYS = {
    "at a terminal": {"columns": 100, "env": HERE},
    "at a narrow one without colour": {"columns": 30, "env": {**HERE, "NO_COLOR": "1"}},
    "in Chinese": {"columns": 80, "env": {**HERE, "LANG": "zh_CN.UTF-8"}},
}


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A haunted house, to be copied."""
    folder = tmp_path_factory.mktemp("haunted")
    home, project = folder / "home", folder / "project"
    (project / ".git").mkdir(parents=True)
    home.mkdir()
    person = Person(home, project, HERE)
    person.ok("init", "--scope", "both")
    haunt(person)
    return folder


@pytest.fixture
def person(template: Path, tmp_path: Path) -> Person:
    """Somebody in whose store every text tries to command the terminal."""
    for name in ("home", "project", "given"):
        shutil.copytree(template / name, tmp_path / name, symlinks=True)
    return Person(tmp_path / "home", tmp_path / "project", HERE)


def test_every_command_is_tried() -> None:
    known = {name for rows in GROUPS.values() for name, _, _ in rows}
    assert set(BY_COMMAND) - {"what is no command"} == known - {"mcp"}  # tests/mcp


@pytest.mark.slow
@pytest.mark.parametrize("command", BY_COMMAND)
def test_no_command_prints_what_commands_a_terminal(command: str, person: Person) -> None:
    for words in BY_COMMAND[command]:
        said = words_for(person, words)
        rans = [person.run(*said, "--json"), person.run(*said)]
        ways = WAYS.values() if command != "browse" else ()  # it runs until the person leaves it
        rans += [person.at_terminal(*said, **way) for way in ways]  # type: ignore[arg-type]
        for ran in rans:
            assert ran.code != 70, ran
            assert is_harmless(ran.out), ascii(ran.out)
            assert is_harmless(ran.err), ascii(ran.err)
            assert "Traceback" not in ran.out + ran.err


@pytest.mark.slow
def test_browse_shows_nothing_that_commands_a_terminal(person: Person) -> None:
    pytest.importorskip("textual")
    from textual.widgets import DataTable

    from recollect.app import App as Workspace
    from recollect.interfaces.cli.browser import Browser

    async def look() -> list[str]:
        workspace = Workspace(str(person.project), person.environment({}))
        browser = Browser(workspace, lambda data, _: data)
        drawn: list[str] = []
        async with browser.run_test(size=(100, 30)) as pilot:
            table = browser.query_one("#list", DataTable)
            for n in range(len(browser.rows)):
                table.move_cursor(row=n)
                await pilot.pause()
                drawn += [str(cell) for cell in table.get_row_at(n)]
                drawn.append(str(browser.query_one("#page").render()))
        workspace.close()
        return drawn

    drawn = asyncio.run(look())
    assert len(drawn) > 20
    assert any("[red]not markup[/red]" in text for text in drawn)
    assert all(map(is_harmless, drawn))


@pytest.mark.slow
@pytest.mark.parametrize("words", [("show", "evil"), ("list",), ("review",), ("history",)])
def test_markup_in_data_is_data(words: tuple[str, ...], person: Person) -> None:
    ran = person.at_terminal(*words, columns=2_000)
    assert ran.code == 0
    assert "\x1b[31m" not in ran.out
    assert "😄" not in ran.out
    assert "[red]not markup[/red]" in ran.out
