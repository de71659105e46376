"""The view in the terminal, driven by its pilot, and once in a real terminal."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable

import pytest
from tests.cli.running import Person

from recollect.app import App as Workspace

textual = pytest.importorskip("textual")

from textual.pilot import Pilot  # noqa: E402
from textual.widgets import DataTable, Input  # noqa: E402

from recollect.interfaces.cli.browser import Browser  # noqa: E402


@pytest.fixture
def person(stranger: Person) -> Person:
    """Somebody with three memories, one of them an agent's."""
    stranger.ok("init")
    stranger.ok(
        "save", "Use PostgreSQL for orders", "--kind", "decision", "--body", "We need JSONB."
    )
    stranger.ok("save", "死信队列要监控", "--kind", "fact")
    stranger.ok("save", "Prices are floats", "--kind", "fact", env={"CLAUDECODE": "1"})
    return stranger


def piloted(person: Person, act: Callable[[Browser, Pilot[None]], Awaitable[None]]) -> None:
    """Run the view and act in it."""

    async def run() -> None:
        workspace = Workspace(str(person.project), person.environment({}))
        browser = Browser(workspace, lambda data, _: data)
        async with browser.run_test(size=(100, 30)) as pilot:
            await act(browser, pilot)
        workspace.close()

    asyncio.run(run())


def titles(browser: Browser) -> list[str]:
    return [one.entry.title for one in browser.rows]


def test_words_filter_the_list(person: Person) -> None:
    async def act(browser: Browser, pilot: Pilot[None]) -> None:
        assert len(browser.rows) == 3
        await pilot.press("slash", *"orders")
        await pilot.pause()
        assert titles(browser) == ["Use PostgreSQL for orders"]
        assert "JSONB" in str(browser.query_one("#page").render())
        await pilot.press("escape")
        await pilot.pause()
        assert browser.query_one("#words", Input).value == ""
        assert len(browser.rows) == 3

    piloted(person, act)


def test_forget_and_undo(person: Person) -> None:
    async def act(browser: Browser, pilot: Pilot[None]) -> None:
        first = titles(browser)[0]
        await pilot.press("D")
        await pilot.pause()
        assert first in titles(browser)
        await pilot.press("D")
        await pilot.pause()
        assert first not in titles(browser)
        await pilot.press("u")
        await pilot.pause()
        assert first in titles(browser)

    piloted(person, act)


def test_archive_and_undo(person: Person) -> None:
    async def act(browser: Browser, pilot: Pilot[None]) -> None:
        first = titles(browser)[0]
        await pilot.press("a")
        await pilot.pause()
        assert first not in titles(browser)
        assert first in person.ok("list", "--archived").out
        await pilot.press("u")
        await pilot.pause()
        assert first in titles(browser)

    piloted(person, act)


def test_it_speaks_the_persons_language(person: Person) -> None:
    person.ok("config", "lang", "zh")

    async def act(browser: Browser, pilot: Pilot[None]) -> None:
        assert browser.query_one("#words", Input).placeholder == "筛选：与搜索相同的词语"
        heads = [str(one.label) for one in browser.query_one("#list", DataTable).ordered_columns]
        assert heads == ["种类", "日期", "标题"]
        keys = {one.description for _, one, *_ in browser.active_bindings.values() if one.show}
        assert {"筛选", "编辑", "归档", "删除", "撤销"} <= keys
        await pilot.press("a")
        await pilot.pause()
        assert next(iter(browser._notifications)).message.startswith("已归档：")

    piloted(person, act)


def test_what_an_agent_noted_is_approved(person: Person) -> None:
    async def act(browser: Browser, pilot: Pilot[None]) -> None:
        at = titles(browser).index("Prices are floats")
        browser.query_one("#list", DataTable).move_cursor(row=at)
        await pilot.pause()
        await pilot.press("y")
        await pilot.pause()

    assert "Prices are floats" in person.ok("review").out
    piloted(person, act)
    assert "Prices are floats" not in person.ok("review").out


def test_without_a_terminal_it_says_what_to_do(person: Person) -> None:
    ran = person.run("browse")
    assert ran.code == 1
    assert "recollect list" in ran.err


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("tmux"), reason="no tmux")
def test_in_a_real_terminal_a_memory_is_edited_in_the_editor_of_the_person(person: Person) -> None:
    editor = person.home / "editor"
    editor.write_text('#!/bin/sh\nsed -i "s/JSONB/JSONB and real transactions/" "$1"\n')
    editor.chmod(0o755)
    env = person.environment({"EDITOR": str(editor), "TERM": "xterm-256color"})
    tmux = ["tmux", "-L", f"recollect-{os.getpid()}", "-f", "/dev/null"]

    def run(*words: str) -> str:
        done = subprocess.run([*tmux, *words], env=env, capture_output=True, text=True, check=True)
        return done.stdout

    def wait_for(text: str, *, there: bool = True) -> None:
        end = time.monotonic() + 20
        while (text in (seen := run("capture-pane", "-p"))) != there:
            assert time.monotonic() < end, seen
            time.sleep(0.1)

    browse = f"cd {person.project} && {sys.executable} -m recollect browse"
    run("new-session", "-d", "-x", "100", "-y", "30", browse)
    try:
        wait_for("Quit")
        run("send-keys", "/")
        wait_for("Quit", there=False)  # letters are words now, no keys
        run("send-keys", "orders", "Enter")
        wait_for("We need JSONB.")
        run("send-keys", "e")
        wait_for("real transactions")
        run("send-keys", "q")
    finally:
        subprocess.run([*tmux, "kill-server"], env=env, capture_output=True, check=False)
    assert "JSONB and real transactions" in person.ok("search", "orders", "--json").out
