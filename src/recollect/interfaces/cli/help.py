"""Help, version and completion, made by Click from the declarations in `parsing`.

Running a command loads neither this module nor Click.
"""

from __future__ import annotations

import os
from typing import Any

import click
from click.shell_completion import CompletionItem, get_completion_class, shell_complete

from recollect.interfaces.cli import parsing
from recollect.interfaces.cli.main import ABOUT, EPILOG, GROUPS, OPTIONS, TABLE, command_of

COMPLETE = "_RECOLLECT_COMPLETE"
SHELLS = ("bash", "zsh", "fish")


class Path(click.ParamType):
    """The path of a file, which the shell completes."""

    name = "path"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Leave it to the shell, which knows the files."""
        return [CompletionItem(incomplete, type="file")]


class Program(click.Group):
    """The group of all commands; only the one that is asked about is imported."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order of the groups."""
        return list(TABLE)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name."""
        return click_command(command_of(cmd_name)) if cmd_name in TABLE else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands by group, without importing them."""
        for title, rows in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name, about) for name, _, about in rows])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The commands that start like this, without importing them."""
        names = [name for name in TABLE if name.startswith(incomplete)]
        found = [CompletionItem(name, help=TABLE[name][1]) for name in names]
        return found + click.Command.shell_complete(self, ctx, incomplete)


def click_program() -> Program:
    """The program, as click shows it."""
    return Program(
        "recollect",
        params=[*map(_parameter, OPTIONS), _parameter(parsing.HELP)],
        help=ABOUT,
        epilog=EPILOG,
        add_help_option=False,
        context_settings={"max_content_width": 100},
    )


def click_command(command: parsing.Command) -> click.Command:
    """A command, as click shows it."""
    params = [*map(_parameter, command.parameters), _parameter(parsing.HELP)]
    return click.Command(command.name, params=params, help=command.about, add_help_option=False)


def _parameter(one: parsing.Parameter) -> click.Parameter:
    more: dict[str, Any] = {
        "type": tuple(map(_kind, one.type)) if isinstance(one.type, tuple) else _kind(one.type),
        "nargs": one.nargs,
        "metavar": one.metavar,
        "required": one.required,
        "shell_complete": one.shell_complete,
    }
    if not one.required and not one.multiple and one.nargs > 0:
        more["default"] = one.default
    if not one.flags:
        return click.Argument([one.name], **more)
    if one.is_flag:
        more = {"is_flag": True}
    return click.Option(
        [*one.flags, one.name],
        multiple=one.multiple,
        show_default=one.show_default,
        help=one.help or None,
        is_eager=one.is_eager,
        expose_value=not one.is_eager,
        **more,
    )


def _kind(kind: Any) -> Any:
    if isinstance(kind, parsing.Choice):
        return click.Choice(kind.choices)
    if isinstance(kind, parsing.IntRange):
        return click.IntRange(kind.min, kind.max)
    if isinstance(kind, parsing.FolderPath):
        return click.Path(file_okay=False, exists=kind.exists)
    return Path() if isinstance(kind, parsing.FilePath) else None


def help_of(name: str = "") -> str:
    """The help of a command, or of the program."""
    program = click_program()
    context = click.Context(program, info_name="recollect", **program.context_settings)
    if not name:
        return program.get_help(context)
    command = click_command(command_of(name))
    return command.get_help(click.Context(command, parent=context, info_name=name))


def completed() -> int:
    """Answer a shell that completes words; gives the exit code."""
    return shell_complete(click_program(), {}, "recollect", COMPLETE, os.environ[COMPLETE])


def completion_script(shell: str) -> str:
    """The script that lets a shell ask for completions."""
    made = get_completion_class(shell)
    if made is None:  # click has no such shell, whatever our list says
        raise LookupError(shell)
    one = made(click_program(), {}, "recollect", COMPLETE)
    return one.source_template % one.source_vars()  # `source()` would ask a shell for its version
