"""One entry of a page goes to the archive and comes back: nothing is lost, nothing else is changed."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.errors import Failed
from recollect.features import entry_archive
from recollect.features.memories import forget
from recollect.model.document import body_of, memory_from_text, with_body
from recollect.model.entries import entries_of, index_units
from recollect.store import history as undoing

from .house import Crash, House, crash

WHO = ("said by the person", "noted by the agent", "seen in the session", "用户所说")
WORDS = st.sampled_from(
    ("Use pnpm", "订单存储用 PostgreSQL", "Ports: 8080", "a | b $& \\1", "Wait for `x`", "Deploy on Fridays")
)  # fmt: skip
BELOW = st.sampled_from((
    "", "  <!-- superseded 2026-10-07: previously Use npm. -->\n", "  because of the locks\n",
    "  - files: a.py\n",
))  # fmt: skip
TEXTS = st.sampled_from((
    "", "\nBecause of the locks.\n", "\n```sh\n## no heading\nmake\n```\n",
    "\nText.\n<!-- superseded 2026-10-03: previously Other text. -->\n",
))  # fmt: skip


@st.composite
def pages(draw: st.DrawFn, *, most: int = 3) -> str:
    """A page of statements below its title, of rules, or of both, as people and programs write them."""
    notes: list[str] = []

    def reference(*, needed: bool = False) -> str:
        if not needed and draw(st.booleans()):
            return ""
        notes.append(
            f'[^{len(notes):06x}]: 2026-10-{len(notes) + 10}, "Day", {draw(st.sampled_from(WHO))}\n'
        )
        return f" [^{len(notes) - 1:06x}]"

    def statement(n: int, mark: str, *, needed: bool = False) -> str:
        name = (
            f" ^{'abcdefgh'[n]}{mark}{draw(st.sampled_from('xyz'))}2" if draw(st.booleans()) else ""
        )
        return f"{draw(WORDS)} {n}{name}{reference(needed=needed or bool(name))}\n"

    gap = draw(st.sampled_from(("", "", "\n")))
    count = draw(st.sampled_from((0, 3, 4)[:most]))
    items = [f"- {statement(n, 'i', needed=n < 2)}{draw(BELOW)}" for n in range(count)]
    rules = [f"## {statement(n + 4, 'r')}{draw(TEXTS)}\n" for n in range(draw(st.integers(0, 3)))]
    head = "---\ntitle: 页 one\ntype: semantic\nkind: rule\ncreated: 2026-10-01\nx: y # mine\n---\n"
    body = f"# 页 one\n\n{gap.join(items)}{chr(10) if items else ''}{''.join(rules)}"
    end = f"{''.join(notes)}" if notes else ""
    text = f"{(head + body).rstrip()}\n{chr(10) if end else ''}{end}"
    return text.replace("\n", "\r\n") if draw(st.integers(0, 5)) == 0 else text


PATH = "semantic/one.md"


def said(text: str, path: str = PATH) -> list[tuple[str, ...]]:
    """What the entries of a page say, and who said it when."""
    rows = entries_of(memory_from_text(text, path))
    return [
        (row.text, row.heading, row.kind, row.source, row.trust, row.created, row.session, row.confidence)
        for row in rows
        if row.anchor
    ]  # fmt: skip


def lines(text: str) -> list[str]:
    """All that is not blank: of two items nobody knows whether there was a blank line between them."""
    return [line for line in text.split("\n") if line.strip()]


def at(house: House, path: str, text: str) -> House:
    house.write(path, text)
    return house


@pytest.mark.slow
@given(text=pages())
def test_an_entry_comes_back_byte_for_byte(text: str) -> None:
    comes_back(PATH, text)


@given(text=pages(most=1))
def test_a_rule_comes_back_byte_for_byte(text: str) -> None:
    comes_back("procedural/feedback.md", text)


def comes_back(path: str, text: str) -> None:
    text = with_body(text, body_of(text))  # as any change would write it
    rows = entries_of(memory_from_text(text, path))
    for at_row, row in enumerate(rows):
        if not row.anchor or (len(rows) == 1 and path == PATH):
            continue
        house = at(House(), path, text)
        name = f"{memory_from_text(text, path).id}#{row.anchor}"
        gone = entry_archive.put_away(house.open(), name)
        assert gone
        cold = house.texts()[gone.path]
        assert said(cold, gone.path) == [said(text, path)[at_row - (rows[0].anchor == "")]]
        left = said(house.texts()[path], path) if path in house.texts() else []
        everything = said(text, path)
        if len(left) > 1:  # what is alone on its page is as old as that, or one with its title
            assert sorted([*left, *said(cold, gone.path)]) == sorted(everything)
        back = entry_archive.bring_back(house.open(), gone.id)
        assert back
        assert back.path == path
        assert list(house.texts()) == [path]
        if left or path in house.texts():
            now = house.texts()[path]
            assert said(now, path) == everything
            if left:
                assert lines(now) == lines(text)
        assert len(index_units(memory_from_text(now, path))) == len(
            index_units(memory_from_text(text, path))
        )


TWO = """---
title: Orders
type: semantic
---
# Orders

- Order store: PostgreSQL. ^k3f9 [^0b6f00]
- Order numbers are ULIDs. ^m2d7 [^91c200]
- Order ids are short. ^w8pq [^91c200]

[^0b6f00]: 2026-10-06, "Schema", said by the person
[^91c200]: 2026-11-16, "Ids", noted by the agent
"""


def test_a_kill_at_any_step_loses_nothing_and_doubles_nothing() -> None:
    acts: dict[str, Callable[[House], object]] = {
        "archive": lambda house: entry_archive.put_away(house.open(), "one#^m2d7"),
        "activate": lambda house: entry_archive.bring_back(house.open(), "one-m2d7"),
    }
    for name, act in acts.items():
        for n in range(1, 100):
            house = at(House(), PATH, TWO)
            if name == "activate":
                acts["archive"](house)
            whole = at(House(), PATH, TWO)
            acts["archive"](whole)
            wanted = (
                (whole.texts(), {PATH: TWO}) if name == "archive" else ({PATH: TWO}, whole.texts())
            )
            house.expect(crash, range(n, n + 1))
            try:
                act(house)
            except Crash:
                house.expect(crash, range(0))
                house.open()
                assert house.texts() in wanted, (name, n)
            else:
                assert n > 4
                break


def test_the_place_is_found_again_after_other_changes() -> None:
    house = at(House(), PATH, TWO)
    entry_archive.put_away(house.open(), "one#^m2d7")
    house.write(
        PATH,
        house.texts()[PATH]
        .replace("are short.", "are long.")
        .replace("- Order store", "- First\n- Order store"),
    )
    entry_archive.bring_back(house.open(), "one-m2d7")
    lines = [line for line in house.texts()[PATH].splitlines() if line.startswith("- ")]
    assert [line.partition(" ^")[0] for line in lines] == [
        "- First", "- Order store: PostgreSQL.", "- Order numbers are ULIDs.", "- Order ids are long.",
    ]  # fmt: skip


def test_without_its_neighbour_it_comes_last() -> None:
    house = at(House(), PATH, TWO)
    entry_archive.put_away(house.open(), "one#^m2d7")
    forget(house.open(), "one#^k3f9")
    entry_archive.bring_back(house.open(), "one-m2d7")
    lines = [line for line in house.texts()[PATH].splitlines() if line.startswith("- ")]
    assert [line.partition(" ^")[0] for line in lines] == [
        "- Order ids are short.",
        "- Order numbers are ULIDs.",
    ]


def test_without_its_page_it_is_the_page_again() -> None:
    house = at(House(), PATH, TWO)
    entry_archive.put_away(house.open(), "one#^m2d7")
    forget(house.open(), "one")
    done = entry_archive.bring_back(house.open(), "one-m2d7")
    assert done
    assert done.path == PATH
    assert "entry-of" not in house.texts()[PATH]
    assert said(house.texts()[PATH]) == said(TWO)[1:2]


def test_a_page_that_is_trusted_more_by_now_does_not_raise_it() -> None:
    agents = TWO.replace("type: semantic", "type: semantic\ntrust: agent").replace(
        " ^m2d7 [^91c200]", ""
    )
    house = at(House(), PATH, agents)
    before = next(row for row in said(agents) if "ULIDs" in row[0])
    gone = entry_archive.put_away(house.open(), f"one#{entry(agents, 'ULIDs')}")
    assert gone
    house.write(PATH, house.texts()[PATH].replace("trust: agent", "trust: user"))
    done = entry_archive.bring_back(house.open(), gone.id)
    assert done
    assert done.path == f"semantic/{gone.id}.md"
    [now] = said(house.texts()[done.path], done.path)
    assert (now[0], now[4]) == (before[0], "agent")


def entry(text: str, word: str) -> str:
    return next(row.anchor for row in index_units(memory_from_text(text, PATH)) if word in row.text)


def test_what_was_said_again_meanwhile_is_not_doubled() -> None:
    house = at(House(), PATH, TWO)
    entry_archive.put_away(house.open(), "one#^m2d7")
    house.write(PATH, TWO)
    before = house.texts()
    with pytest.raises(Failed, match=r"has this entry again.*one#\^m2d7"):
        entry_archive.bring_back(house.open(), "one-m2d7")
    assert house.texts() == before


def test_undo_takes_both_ways_back() -> None:
    house = at(House(), PATH, TWO)
    entry_archive.put_away(house.open(), "one#^m2d7")
    archived = house.texts()
    entry_archive.bring_back(house.open(), "one-m2d7")
    undoing.undo(house.open())
    assert house.texts() == archived
    undoing.undo(house.open())
    assert house.texts() == {PATH: TWO}
