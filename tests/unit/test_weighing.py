"""How use and reactions move salience and confidence, and which values are a person's."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.consolidate.salience import (
    FieldOrigin,
    confidence_after,
    field_origin,
    salience_after,
    uses_of,
)
from recollect.model.memory import LEVELS, Op

PATH = "semantic/port.md"
levels = st.sampled_from(LEVELS)


@given(levels, st.integers(0, 40), st.booleans())
def test_weighing_salience_twice_is_weighing_it_once(
    level: str, recent: int, is_idle: bool
) -> None:
    once = salience_after(level, recent, is_idle=is_idle)
    assert salience_after(once, recent, is_idle=is_idle) == once


@given(levels, st.lists(st.sampled_from(["correction", "approval"])), st.integers(0, 9))
def test_reactions_move_confidence_as_far_in_one_pass_as_in_two(
    level: str, kinds: list[str], cut: int
) -> None:
    there = confidence_after(level, kinds[:cut])
    assert confidence_after(there, kinds[cut:]) == confidence_after(level, kinds)


def test_a_correction_takes_one_step_down_and_an_approval_one_up() -> None:
    assert confidence_after("high", ["correction"]) == "medium"
    assert confidence_after("medium", ["approval"]) == "high"
    assert confidence_after("low", ["correction"]) == "low"


@pytest.mark.parametrize(
    ("level", "recent", "is_idle", "then"),
    [
        ("medium", 3, False, "high"),
        ("medium", 2, False, "medium"),
        ("low", 1, False, "medium"),
        ("high", 1, False, "high"),
        ("high", 0, False, "medium"),
        ("medium", 0, True, "low"),
    ],
)
def test_salience_follows_use(level: str, recent: int, is_idle: bool, then: str) -> None:
    assert salience_after(level, recent, is_idle=is_idle) == then


def used(day: str, *items: str, **fields: Any) -> dict[str, Any]:
    return {"moment": "prompt", "time": f"{day}T10:00:00Z", "items": list(items)} | fields


def test_days_count_on_which_a_memory_came_first() -> None:
    lines = [
        used("2026-03-01", "port", "host"),
        used("2026-03-01", "port#ports"),
        used("2026-03-02", "host"),
        used("2026-01-01", "host"),
        used("2026-03-03", "port", moment="start"),
    ]
    uses = uses_of(lines, "2026-03-04")
    assert (uses["port"].last, uses["port"].recent) == ("2026-03-01", 1)
    assert (uses["host"].last, uses["host"].recent) == ("2026-03-02", 1)


@pytest.mark.parametrize("line", [{}, {"moment": "prompt"}, used("2026-03-01", items="port"), used("2030-01-01", "port")])  # fmt: skip
def test_a_strange_line_of_the_journal_is_no_use(line: dict[str, Any]) -> None:
    assert uses_of([line], "2026-03-04") == {}


@pytest.mark.parametrize("moment", ["prompt", "error", "recall", "expand"])
def test_what_a_hook_handed_over_and_what_an_agent_asked_for_are_uses(moment: str) -> None:
    line = {"moment": moment, "items": ["port#noted"], "time": "2026-03-04T05:06:07Z"}
    assert uses_of([line], "2026-03-04")["port"].recent == 1


# ----------------------------------------------------------------------------- whose value it is


def text(value: str = "", body: str = "The port is 8080.") -> str:
    line = f"salience: {value}\n" if value else ""
    return f"---\nid: port\n{line}---\n{body}\n"


def ops(*rows: tuple[str, str]) -> list[Op]:
    return [
        Op("put", f"o{n}", f"g{n}", 1, n, "", "w", cause, "port", PATH, None, "s", text(value))
        for n, (cause, value) in enumerate(rows, 1)
    ]


@pytest.mark.parametrize(
    "rows",
    [
        [("save", "high")],
        [("save", "medium"), ("set", "high")],
        [("save", "medium"), ("outside", "high"), ("consolidate/absorb", "high")],
        [("save", "medium"), ("consolidate/weigh", "high"), ("undo", "medium")],
        [("outside", "medium")],
        [("save", "medium"), ("set", "high"), ("consolidate/weigh", "low")],
    ],
)
def test_a_value_that_a_person_set_is_known_for_one(rows: list[tuple[str, str]]) -> None:
    assert field_origin("salience", PATH, ops(*rows), text(rows[-1][1])).is_set


def test_a_value_that_only_an_editor_has_seen_is_a_persons() -> None:
    assert field_origin("salience", PATH, ops(("save", "medium")), text("high")).is_set
    assert field_origin("salience", PATH, [], text("medium")).is_set


@pytest.mark.parametrize(
    ("rows", "now"),
    [
        ([("save", "medium")], "medium"),
        ([("save", "medium"), ("edit", "medium")], "medium"),
        ([("consolidate/absorb", "")], ""),
        ([("outside", "")], ""),
        ([("capture", "high")], "high"),
        ([], ""),
    ],
)
def test_a_value_that_nobody_set_is_the_programs(rows: list[tuple[str, str]], now: str) -> None:
    assert field_origin("salience", PATH, ops(*rows), text(now)) == FieldOrigin(False, 0)


def test_the_last_change_of_the_program_has_its_number() -> None:
    rows = ops(("save", "medium"), ("consolidate/weigh", "high"), ("edit", "high"))
    assert field_origin("salience", PATH, rows, text("high")) == FieldOrigin(False, 2)
