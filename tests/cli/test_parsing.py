"""Words are parsed as Click would parse them, whichever command they are for, without Click."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cli.clicked import click_command, click_program

from recollect.errors import UsageProblem
from recollect.interfaces.cli.command import Command
from recollect.interfaces.cli.main import GROUPS, OPTIONS, command_of
from recollect.interfaces.cli.parsing import HELP, Choice, Parameter, parse

NAMES = [name for rows in GROUPS.values() for name, _, _ in rows]
VALUES = ("x", "", "-", "--", "-x", "3", "0", " 7 ", "9" * 30, "1_0", "三", "/nowhere", "a b", "=", "-3", "old", "new", "--no", "--n=1")  # fmt: skip


def _by_click(command: click.Command, words: list[str], hints: dict[str, str]) -> Any:
    """The values, or how our message has to begin."""
    try:
        context = command.make_context(command.name, list(words))
    except click.NoSuchOption as error:
        return f"There is no option {error.option_name}."
    except click.MissingParameter as error:
        return f"{hints[str(error.param and error.param.name)]} is missing."
    except click.BadParameter as error:
        return f"Invalid value for {hints[str(error.param and error.param.name)]}: "
    except click.BadOptionUsage as error:
        return f"{error.option_name} "
    except click.UsageError as error:
        return f"Unexpected words: {error.message.partition('(')[2][:-1]}"
    return context if isinstance(command, click.Group) else context.params


def _by_us(command: Command, words: list[str]) -> Any:
    try:
        return command.parse(words)
    except UsageProblem as error:
        return error.fields["what"]


def _hints(parameters: Sequence[Parameter]) -> dict[str, str]:
    return {one.name: one.hint for one in parameters}


def _agree(ours: Any, by_click: Any) -> bool:
    if not isinstance(by_click, str):
        return bool(ours == by_click)
    if str(ours).startswith("-h takes"):  # Click takes the rest for more flags of one letter
        return by_click.startswith("There is no option -")
    return str(ours).startswith(by_click)


def _words_of(parameters: list[Parameter]) -> st.SearchStrategy[list[str]]:
    flags = [flag for one in parameters for flag in one.flags]
    kinds = [
        kind
        for one in parameters
        for kind in (one.type if isinstance(one.type, list) else [one.type])
    ]
    known = [word for kind in kinds if isinstance(kind, Choice) for word in kind.choices]
    values = st.sampled_from([*VALUES, *known])
    word = st.one_of(
        values,
        st.sampled_from([*flags, *(flag[:-1] for flag in flags)]),
        st.builds("{}={}".format, st.sampled_from(flags), values),
    )
    return st.lists(word, max_size=6)


@cache
def _made(name: str) -> tuple[list[Parameter], click.Command, st.SearchStrategy[list[str]]]:
    """The parameters of a command, the same command of Click, and words for it: made once for all examples."""
    command = command_of(name)
    parameters = [*command.parameters, HELP]
    return parameters, click_command(command), _words_of(parameters)


@pytest.mark.parametrize("name", NAMES)
@given(st.data())
@pytest.mark.sampled(4)
def test_it_takes_and_refuses_what_click_does(name: str, data: st.DataObject) -> None:
    parameters, clicked, possible = _made(name)
    words = data.draw(possible)
    ours = _by_us(command_of(name), words)
    by_click = _by_click(clicked, words, _hints(parameters))
    if isinstance(by_click, dict):
        empty = {one.name: one.default for one in parameters}
        by_click = {k: empty[k] if value is None else value for k, value in by_click.items()}
    assert ours == {"help": True} or _agree(ours, by_click)


@given(st.lists(st.sampled_from(["-C", "/", "-C/", "--version", "--vers", "-h", "-Ch", "save", "-x", "--", "--help=1", "-C=/"]), max_size=5))  # fmt: skip
def test_so_it_does_in_front_of_a_command(words: list[str]) -> None:
    program = click_program()
    program.no_args_is_help = False
    by_click = _by_click(program, words, _hints(OPTIONS))
    if isinstance(by_click, click.Context):
        folder = by_click.params["folder"] or ""
        by_click = {"folder": folder}, by_click._protected_args + by_click.args
    try:
        ours: Any = parse(OPTIONS, words, until_plain=True)
    except ValueError as error:
        ours = str(error)
    assert _agree(ours, by_click) or ours[0] in ({"help": True}, {"version": True})


def test_help_comes_before_what_is_missing_or_wrong() -> None:
    assert command_of("show").parse(["--level", "9", "-h"]) == {"help": True}


def test_what_stands_behind_an_option_is_its_value_whatever_it_looks_like() -> None:
    assert command_of("save").parse(["--body", "--json", "Title"])["body"] == "--json"
