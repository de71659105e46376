"""Command line: `--help` and `--version` of every command.

Promises: they look and do as click's own; to define them costs nothing. Click's own ask the
system for a translation of their one sentence at every start, which is a tenth of a bare
interpreter's time.
Touches: stdout.
"""

from __future__ import annotations

import click

from recollect import __version__


def _show_help(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()


def _show_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        click.echo(f"recollect, version {__version__}")
        ctx.exit()


_HELP = click.Option(
    ("-h", "--help"),
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_help,
    help="Show this message and exit.",
)
version_option = click.option(
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
