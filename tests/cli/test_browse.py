"""The view in the terminal, driven by its pilot, and once in a real terminal."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.cli.running import Person

from recollect.app import App as Workspace

textual = pytest.importorskip("textual")

from textual.pilot import Pilot  # noqa: E402
from textual.widgets import DataTable, Input  # noqa: E402

from recollect.interfaces.cli.browser import Browser  # noqa: E402


@pytest.fixture
def person(person: Person) -> Person:
    """Somebody with three memories, one of them an agent's."""
    person.ok("save", "Use PostgreSQL for orders", "--kind", "decision", "--body", "We need JSONB.")
    person.ok("save", "死信队列要监控", "--kind", "fact")
    person.ok("save", "Prices are floats", "--kind", "fact", env={"CLAUDECODE": "1"})
    return person


def piloted(
    person: Person,
    act: Callable[[Browser, Pilot[None]], Awaitable[None]],
    size: tuple[int, int] = (100, 30),
) -> None:
    """Run the view and act in it."""

    async def run() -> None:
        workspace = Workspace(str(person.project), person.environment({}))
        browser = Browser(workspace, lambda data, _: data)
        async with browser.run_test(size=size) as pilot:
            await act(browser, pilot)
        workspace.close()

    asyncio.run(run())


def titles(browser: Browser) -> list[str]:
    return [one.summary for one in browser.rows]


def cells(browser: Browser, column: int) -> list[str]:
    table = browser.query_one("#list", DataTable)
    return [str(table.get_row_at(n)[column]) for n in range(table.row_count)]


def said(browser: Browser) -> list[str]:
    """What was notified, the newest last."""
    return [one.message for one in browser._notifications]


async def go_to(browser: Browser, pilot: Pilot[None], title: str) -> None:
    browser.query_one("#list", DataTable).move_cursor(row=titles(browser).index(title))
    await pilot.pause()


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_archive_and_undo(person: Person) -> None:
    async def act(browser: Browser, pilot: Pilot[None]) -> None:
        first = titles(browser)[0]
        await pilot.press("a")
        await pilot.pause()
        assert first not in titles(browser)
        assert first in person.ok("list", "--archived").out
        await pilot.press("v")
        await pilot.pause()
        assert (titles(browser), cells(browser, 2)) == ([first], ["archived"])
        await pilot.press("a")
        await pilot.pause()
        assert titles(browser) == []
        await pilot.press("v")
        await pilot.pause()
        assert first in titles(browser)
        await pilot.press("u")
        await pilot.pause()
        assert first not in titles(browser)

    piloted(person, act)


@pytest.mark.slow
def test_it_speaks_the_persons_language(person: Person) -> None:
    person.ok("config", "lang", "zh")

    async def act(browser: Browser, pilot: Pilot[None]) -> None:
        assert browser.query_one("#words", Input).placeholder == "筛选：与搜索相同的词语"
        heads = [str(one.label) for one in browser.query_one("#list", DataTable).ordered_columns]
        assert heads == ["种类", "日期", "状态", "编号", "信任", "内容"]
        assert sorted(cells(browser, 0)) == sorted(["事实", "事实", "决定"])
        assert cells(browser, 2) == [""] * 3
        assert sorted(cells(browser, 4)) == sorted(["代理", "用户", "用户"])
        assert "语义 · " in str(browser.query_one("#page").render())
        keys = {one.description for _, one, *_ in browser.active_bindings.values() if one.show}
        assert {"筛选", "编辑", "归档", "删除", "撤销"} <= keys
        await pilot.press("a")
        await pilot.pause()
        assert next(iter(browser._notifications)).message.startswith("已归档：")

    piloted(person, act)


@pytest.mark.slow
def test_what_an_agent_noted_is_approved(person: Person) -> None:
    async def act(browser: Browser, pilot: Pilot[None]) -> None:
        await go_to(browser, pilot, "Prices are floats")
        await pilot.press("y")
        await pilot.pause()

    assert "Prices are floats" in person.ok("review").out
    piloted(person, act)
    assert "Prices are floats" not in person.ok("review").out


RULES = ("Never push to main", "Run the linter before a commit", "Keep functions short")


@pytest.fixture
def ruled(person: Person) -> Person:
    """Somebody with a page of three rules that an agent noted."""
    for rule in RULES:
        person.ok("save", rule, "--kind", "rule", env={"CLAUDECODE": "1"})
    return person


def rows_of(person: Person) -> dict[str, str]:
    """The entries with their trust."""
    return {one["text"]: one["trust"] for one in person.ok("list", "--json").json}


def test_entries_are_listed_as_list_lists_them(ruled: Person) -> None:
    listed = ruled.ok("list", "--json").json

    async def act(browser: Browser, pilot: Pilot[None]) -> None:
        for column, field in ((0, "kind"), (3, "entry"), (4, "trust"), (5, "text")):
            assert cells(browser, column) == [one[field] for one in listed], field
        assert cells(browser, 2) == [one["status"].replace("confirmed", "") for one in listed]
        assert cells(browser, 1) == [one["created"][:10] for one in listed]

    piloted(ruled, act)


@pytest.mark.slow
def test_one_rule_of_three_is_read_and_approved_alone(ruled: Person) -> None:
    async def act(browser: Browser, pilot: Pilot[None]) -> None:
        await go_to(browser, pilot, RULES[1])
        text = str(browser.query_one("#page").render())
        assert "feedback#run-the-linter-before-a-commit" in text
        assert "trust agent" in text
        assert RULES[0] not in text
        await pilot.press("y")
        await pilot.pause()
        assert said(browser) == [f"Approved: {RULES[1]}"]
        assert browser.chosen is not None
        assert browser.chosen.summary == RULES[1]
        assert browser.chosen.own.trust == "user"

    before = rows_of(ruled)
    piloted(ruled, act)
    assert rows_of(ruled) == before | {RULES[1]: "user"}


@pytest.mark.slow
def test_one_rule_of_three_is_forgotten_alone_and_brought_back(ruled: Person) -> None:
    async def act(browser: Browser, pilot: Pilot[None]) -> None:
        await go_to(browser, pilot, RULES[1])
        await pilot.press("D", "D")
        await pilot.pause()
        assert said(browser)[1:] == [f"Forgot: {RULES[1]}"]
        assert rows_of(ruled) == {text: trust for text, trust in before.items() if text != RULES[1]}
        await pilot.press("u")
        await pilot.pause()
        assert said(browser)[2:] == ["Undid forget of feedback"]

    before = rows_of(ruled)
    piloted(ruled, act)
    assert rows_of(ruled) == before


@pytest.mark.slow
def test_undo_takes_back_what_was_changed_here_in_whichever_store(ruled: Person) -> None:
    ruled.ok("init", "--scope", "global")
    ruled.ok("save", "Speak plainly everywhere", "--kind", "rule", "--scope", "global")
    before = rows_of(ruled)

    async def act(browser: Browser, pilot: Pilot[None]) -> None:
        await go_to(browser, pilot, "Speak plainly everywhere")
        await pilot.press("D", "D")
        await pilot.pause()
        assert "Speak plainly everywhere" not in titles(browser)
        await pilot.press("u")
        await pilot.pause()

    piloted(ruled, act)
    assert rows_of(ruled) == before


@pytest.mark.slow
def test_a_rule_is_archived_alone_and_brought_back(ruled: Person) -> None:
    before = rows_of(ruled)

    async def act(browser: Browser, pilot: Pilot[None]) -> None:
        await go_to(browser, pilot, RULES[1])
        await pilot.press("a")
        await pilot.pause()
        assert said(browser) == [f"Archived: {RULES[1]}"]
        assert set(RULES) - {RULES[1]} <= set(titles(browser))
        assert RULES[1] not in titles(browser)
        await pilot.press("v")
        await pilot.pause()
        assert titles(browser) == [RULES[1]]
        await pilot.press("a", "v")
        await pilot.pause()
        assert RULES[1] in titles(browser)

    piloted(ruled, act)
    assert rows_of(ruled) == before


@pytest.mark.slow
def test_a_page_with_entries_of_its_own_says_how_many_before_it_is_forgotten(
    ruled: Person,
) -> None:
    page = ruled.store / "procedural" / "feedback.md"
    page.write_text(
        page.read_text().replace("# How to work here\n", "# How to work here\n\nRead this.\n")
    )

    async def act(browser: Browser, pilot: Pilot[None]) -> None:
        await go_to(browser, pilot, "How to work here")
        await pilot.press("D")
        await pilot.pause()
        assert said(browser) == ["Press D again to forget feedback, a page with 4 entries."]

    piloted(ruled, act)


@pytest.mark.slow
def test_the_filter_finds_entries_and_a_session_is_one_row(ruled: Person) -> None:
    ruled.write(
        "episodic/2026-10-06-orders/summary.md",
        "---\ntitle: Orders\ntype: episodic\nkind: session\ncreated: 2026-10-06\n---\n"
        "## Decisions\n\n- [technology] Zebras are in PostgreSQL: we need JSONB\n"
        "- [approach] Zebras have stripes\n\n## TODOs\n\n- [ ] Count the zebras\n",
    )

    async def act(browser: Browser, pilot: Pilot[None]) -> None:
        assert titles(browser).count("Orders") == 1
        assert not any("Zebras" in title for title in titles(browser))
        await pilot.press("slash", *"linter")
        await pilot.pause()
        assert titles(browser) == [RULES[1]]
        await pilot.press(*(["backspace"] * 6), *"zebras")
        await pilot.pause()
        assert titles(browser) == ["Orders"]
        assert "Zebras have stripes" in str(browser.query_one("#page").render())

    piloted(ruled, act)


@pytest.mark.slow
def test_a_long_text_is_cut_at_the_edge_with_a_sign(person: Person) -> None:
    long = "Every handler of an order writes to the outbox before it answers, and never afterwards"
    person.ok("save", long, "--kind", "rule")

    async def act(browser: Browser, pilot: Pilot[None]) -> None:
        assert cells(browser, 5)[0].endswith("…")
        assert browser.query_one("#list", DataTable).virtual_size.width <= 80
        await pilot.resize_terminal(160, 30)
        await pilot.pause()
        assert cells(browser, 5)[0] == long

    piloted(person, act, size=(80, 24))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("columns", [60, 40])
def test_a_narrow_terminal_keeps_ids_and_the_start_of_texts(person: Person, columns: int) -> None:
    async def act(browser: Browser, pilot: Pilot[None]) -> None:
        table = browser.query_one("#list", DataTable)
        for keys in ((), ("slash", *"orders", "enter"), ("escape",)):
            await pilot.press(*keys)
            await pilot.pause()
            assert table.virtual_size.width <= columns
            heads = [str(one.label) for one in table.ordered_columns]
            at = heads.index("id")
            assert all(len(name) <= table.ordered_columns[at].width for name in cells(browser, at))
            texts = cells(browser, heads.index("text"))
            assert all(
                title.startswith(text.rstrip("…"))
                for title, text in zip(titles(browser), texts, strict=True)
            )
        assert len(browser.rows) == 3

    piloted(person, act, size=(columns, 20))


def test_an_empty_list_says_why(tmp_path: Path) -> None:
    person = Person(tmp_path / "home", tmp_path / "project")
    person.project.mkdir()
    person.ok("init", "--scope", "project")

    async def act(browser: Browser, pilot: Pilot[None]) -> None:
        for keys, text in (
            ((), "There are no memories yet."),
            (("v",), "The archive is empty."),
            (("slash", "t", "e", "a"), "No entry has these words."),
        ):
            await pilot.press(*keys)
            await pilot.pause()
            assert str(browser.query_one("#page").render()) == text

    piloted(person, act)


def test_without_a_terminal_it_says_what_to_do(person: Person) -> None:
    ran = person.run("browse")
    assert ran.code == 1
    assert "recollect list" in ran.err


@contextmanager
def in_tmux(person: Person, sed: str, *, lang: str = "C.UTF-8") -> Iterator[Callable[..., str]]:
    """The view in a real terminal, with an editor that changes a text by this command of sed.

    What it gives runs a command of tmux, or with `wait` waits until a text is there, or is gone.
    """
    editor = person.home / "editor"
    editor.write_text(f'#!/bin/sh\ncp "$1" {person.home}/edited\nsed -i "{sed}" "$1"\n')
    editor.chmod(0o755)
    env = person.environment({"EDITOR": str(editor), "TERM": "xterm-256color", "LANG": lang})
    tmux = ["tmux", "-u", "-L", f"recollect-{os.getpid()}", "-f", "/dev/null"]

    def run(*words: str, gone: bool = False) -> str:
        if words[0] != "wait":
            done = subprocess.run(
                [*tmux, *words], env=env, capture_output=True, text=True, check=True
            )
            return done.stdout
        end = time.monotonic() + 20
        while (words[1] in (seen := run("capture-pane", "-p"))) == gone:
            assert time.monotonic() < end, seen
            time.sleep(0.1)
        return seen

    browse = f"cd {person.project} && {sys.executable} -m recollect browse"
    run("new-session", "-d", "-x", "100", "-y", "30", browse)
    try:
        yield run
    finally:
        subprocess.run([*tmux, "kill-server"], env=env, capture_output=True, check=False)


NEEDS_TMUX = pytest.mark.skipif(not shutil.which("tmux"), reason="no tmux")


@pytest.mark.slow
@NEEDS_TMUX
def test_in_a_real_terminal_a_memory_is_edited_in_the_editor_of_the_person(person: Person) -> None:
    with in_tmux(person, "s/JSONB/JSONB and real transactions/") as run:
        run("wait", "Quit")
        run("send-keys", "/")
        run("wait", "Quit", gone=True)  # letters are words now, no keys
        run("send-keys", "orders", "Enter")
        run("wait", "We need JSONB.")
        run("send-keys", "e")
        run("wait", "real transactions")
        run("send-keys", "q")
    assert "JSONB and real transactions" in person.ok("search", "orders", "--json").out


@pytest.mark.slow
@NEEDS_TMUX
def test_in_a_real_terminal_one_rule_of_three_is_edited_and_approved_alone(ruled: Person) -> None:
    ruled.ok("config", "lang", "zh")
    before = rows_of(ruled)
    with in_tmux(ruled, "s/commit/push/; s/short/long/", lang="zh_CN.UTF-8") as run:
        run("wait", "退出")
        run("send-keys", "/")
        run("wait", "退出", gone=True)
        run("send-keys", "linter", "Enter")
        run("wait", "来源 推断")
        run("send-keys", "e")
        run("wait", "Run the linter before a push")
        run("send-keys", "y")
        assert "规则" in run("wait", "已认可：")
        run("send-keys", "q")
    [line, *rest] = (ruled.home / "edited").read_text().splitlines()
    assert line.startswith(f"## {RULES[1]} ^")  # the others are not in the editor
    assert not any(rule in text for text in rest for rule in RULES if rule != RULES[1])
    del before[RULES[1]]
    assert rows_of(ruled) == before | {"Run the linter before a push": "user"}


@pytest.mark.slow
@NEEDS_TMUX
def test_in_a_real_terminal_the_view_is_back_after_an_editor_that_failed(person: Person) -> None:
    with in_tmux(person, "no command of sed") as run:
        run("wait", "Quit")
        run("send-keys", "e")
        assert "Quit" in run("wait", "exited")
        run("send-keys", "q")
