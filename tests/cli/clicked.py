"""The commands as Click would have them, to compare our parser with Click's."""

from __future__ import annotations

from typing import Any

import click

from recollect.interfaces.cli import parsing
from recollect.interfaces.cli.command import Command
from recollect.interfaces.cli.main import OPTIONS


def click_program() -> click.Group:
    """The options before a command; it has no commands."""
    return click.Group("recollect", params=[*map(_parameter, OPTIONS)], add_help_option=False)


def click_command(command: Command) -> click.Command:
    """A command with the same options and arguments."""
    params = [*map(_parameter, command.parameters), _parameter(parsing.HELP)]
    return click.Command(command.name, params=params, add_help_option=False)


def _parameter(one: parsing.Parameter) -> click.Parameter:
    more: dict[str, Any] = {
        "type": tuple(map(_kind, one.type)) if isinstance(one.type, list) else _kind(one.type),
        "nargs": one.nargs,
        "required": one.required,
    }
    if one.has_default:  # Click would convert those that stand for nothing
        more["default"] = one.default
    if not one.flags:
        return click.Argument([one.name], **more)
    if one.is_flag:
        more = {"is_flag": True}
    more |= {"multiple": one.multiple, "is_eager": one.is_eager, "expose_value": not one.is_eager}
    return click.Option([*one.flags, one.name], **more)


def _kind(kind: parsing.Kind) -> Any:
    if isinstance(kind, parsing.Choice):
        return click.Choice(kind.choices)
    if isinstance(kind, parsing.IntRange):
        return click.IntRange(kind.low, kind.high)
    if isinstance(kind, parsing.FolderPath):
        return click.Path(file_okay=False, exists=kind.exists)
    return click.STRING
