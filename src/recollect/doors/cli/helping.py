"""Command line: options, and `--help` and `--version` of every command.

Promises: they look and do as click's own; to define them costs nothing. Click's own ask the
system for a translation of their one sentence at every start, which is a tenth of a bare
interpreter's time, and tidy the help of every option with `inspect`, which is most of one.
Touches: stdout.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from recollect import __version__

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class Option(click.Option):
    """An option whose help is one line, as it is."""

    def __init__(self, *names: Any, help: str = "", **more: Any) -> None:  # noqa: A002, D107
        super().__init__(*names, **more)
        self.help = help


class FilePath(click.ParamType):
    """The path of a file, as it was typed; click's own asks the system for a word at each start."""

    name = "path"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Leave it to the shell, which knows the files."""
        from click.shell_completion import CompletionItem  # only shells ask

        return [CompletionItem(incomplete, type="file")]


def option(*names: str, **more: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give the function below an option."""
    return click.option(*names, cls=Option, **more)


def _show_help(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()


def _show_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        click.echo(f"recollect, version {__version__}")
        ctx.exit()


_HELP = Option(
    ("-h", "--help"),
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_help,
    help="Show this message and exit.",
)
version_option = option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help="Show the version and exit.",
)


class Command(click.Command):
    """A command with our `--help`."""

    def get_help_option(self, ctx: click.Context) -> click.Option:
        """The same one for every command."""
        return _HELP
