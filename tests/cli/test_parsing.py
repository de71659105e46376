"""Words are parsed as click would parse them, whichever command they are for, without click."""

from __future__ import annotations

from typing import Any

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.errors import UsageProblem
from recollect.interfaces.cli.help import click_command, click_program
from recollect.interfaces.cli.main import GROUPS, OPTIONS, command_of
from recollect.interfaces.cli.parsing import HELP, Choice, Command, Parameter, parsed

NAMES = [name for rows in GROUPS.values() for name, _, _ in rows]
VALUES = ("x", "", "-", "--", "-x", "3", "0", " 7 ", "9" * 30, "1_0", "三", "/nowhere", "a b", "=", "-3", "old", "new", "--no", "--n=1")  # fmt: skip


def _by_click(command: click.Command, words: list[str]) -> Any:
    try:
        return command.make_context(command.name, list(words)).params
    except click.UsageError as error:
        return error.format_message()


def _by_us(command: Command, words: list[str]) -> Any:
    try:
        return command.parsed(words)
    except UsageProblem as error:
        return error.fields["what"]


def _words_of(parameters: list[Parameter]) -> st.SearchStrategy[list[str]]:
    flags = [flag for one in parameters for flag in one.flags]
    kinds = [
        kind
        for one in parameters
        for kind in (one.type if isinstance(one.type, tuple) else [one.type])
    ]
    known = [word for kind in kinds if isinstance(kind, Choice) for word in kind.choices]
    values = st.sampled_from([*VALUES, *known])
    word = st.one_of(
        values,
        st.sampled_from([*flags, *(flag[:-1] for flag in flags)]),
        st.builds("{}={}".format, st.sampled_from(flags), values),
    )
    return st.lists(word, max_size=6)


@pytest.mark.parametrize("name", NAMES)
@given(st.data())
def test_it_takes_and_refuses_what_click_does(name: str, data: st.DataObject) -> None:
    command = command_of(name)
    words = data.draw(_words_of([*command.parameters, HELP]))
    ours = _by_us(command, words)
    assert ours == {"help": True} or ours == _by_click(click_command(command), words)


@given(st.lists(st.sampled_from(["-C", "/", "-C/", "--version", "--vers", "-h", "-Ch", "-hC", "save", "-x", "--", "--help=1", "-C=/"]), max_size=5))  # fmt: skip
def test_so_it_does_in_front_of_a_command(words: list[str]) -> None:
    program = click_program()
    program.no_args_is_help = False
    try:
        context = program.make_context("recollect", list(words))
        by_click: Any = context.params, context._protected_args + context.args
    except click.UsageError as error:
        by_click = error.format_message()
    by_us = _in_front(words)
    assert by_us == by_click or by_us[0] in ({"help": True}, {"version": True})


def _in_front(words: list[str]) -> Any:
    try:
        return parsed([*OPTIONS, HELP], words, until_plain=True)
    except ValueError as error:
        return str(error)


def test_help_comes_before_what_is_missing_or_wrong() -> None:
    assert command_of("show").parsed(["--level", "9", "-h"]) == {"help": True}


def test_what_stands_behind_an_option_is_its_value_whatever_it_looks_like() -> None:
    assert command_of("save").parsed(["--body", "--json", "Title"])["body"] == "--json"
