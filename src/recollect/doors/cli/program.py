"""Command line: the program and its commands, each loaded when it is used."""

from __future__ import annotations

import importlib
import io
import os
import sys
from typing import TYPE_CHECKING

import click

from recollect.doors.cli.helping import Command, option, version_option
from recollect.errors import (
    CommandMistyped,
    CommandNotFound,
    Failed,
    ProgramUsage,
    RecollectError,
    UsageProblem,
)

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

GROUPS: dict[str, tuple[tuple[str, str, str], ...]] = {
    "Set-up": (
        ("init", "setup", "make a store, and connect a client to it"),
        ("uninstall", "setup", "take our hooks out of a client's settings"),
        ("doctor", "health", "look whether all is well, and mend it"),
        ("demo", "demo", "see it at work on a made-up history"),
        ("config", "setup", "read and change settings"),
        ("embedder", "embedder", "search by meaning, too: install a model, or choose one"),
        ("completion", "setup", "print shell completion"),
    ),
    "Write": (
        ("save", "saving", "save a memory"),
        ("edit", "write", "change the text of a memory"),
        ("set", "write", "change fields of a memory"),
        ("forget", "write", "take a memory out of the store"),
        ("supersede", "conflicts", "let one memory hold in place of another"),
        ("merge", "merge", "make one memory of two that say the same"),
        ("related", "related", "relate memories that belong together"),
        ("review", "review", "approve or reject what no person has said"),
        ("undo", "write", "take back a change"),
        ("history", "write", "list the changes"),
        ("promote", "promote", "take a memory over for all projects"),
        ("pin", "promote", "point to a memory in every session"),
        ("unpin", "promote", "take such a pointer out again"),
    ),
    "Encryption": (
        ("encrypt", "encryption", "encrypt a memory"),
        ("decrypt", "encryption", "make an encrypted memory a plain one"),
        ("key-init", "keys", "make the key of this machine, and one to recover with"),
        ("key-list", "keys", "list the keys that are encrypted for"),
        ("key-add", "keys", "encrypt for one more key"),
        ("key-remove", "keys", "encrypt for a key no more"),
        ("key-rotate", "keys", "put a new key in place of this machine's"),
        ("key-rewrap", "keys", "encrypt anew what is for other keys"),
        ("textconv", "encryption", "print what a file says, for git diff"),
        ("merge-driver", "encryption", "put two changes of a memory together, for git merge"),
    ),
    "Facts and core memory": (
        ("add-decision", "facts", "keep a decision and its reason"),
        ("add-pattern", "facts", "keep a convention or a best practice"),
        ("add-issue", "facts", "keep an issue"),
        ("resolve", "facts", "note that an issue is resolved"),
        ("extract-facts", "facts", "take facts out of a session file"),
        ("clear-facts", "facts", "move facts into the archive"),
        ("memory-set", "core", "write a core file, which is in every brief"),
        ("memory-get", "core", "show core files"),
        ("memory-list", "core", "list core files"),
    ),
    "Read": (
        ("search", "read", "find memories"),
        ("recall", "read", "show what an agent would be given, and why"),
        ("show", "read", "show one memory"),
        ("list", "lists", "list memories"),
        ("timeline", "statistics", "list memories day by day"),
        ("stats", "statistics", "count and measure"),
    ),
    "Sessions and lifecycle": (
        ("start-session", "sessions", "begin a session, or name what it is about"),
        ("note", "sessions", "keep a note about the session"),
        ("todo", "sessions", "keep a to-do of the session, or tick one off"),
        ("list-sessions", "sessions", "list the sessions that go on"),
        ("show-session", "sessions", "show what is known of a session"),
        ("save-session", "sessions", "make the memory of a session"),
        ("cleanup-sessions", "sessions", "save the sessions that nobody went on with"),
        ("compress", "compress", "put old sessions away, a page for each month"),
        ("capture", "lifecycle", "make memories of transcripts"),
        ("consolidate", "lifecycle", "put what was learned where it belongs"),
        ("conflicts", "conflicts", "settle what contradicts itself"),
        ("archive", "archive", "move what is no longer active into the archive"),
        ("prune", "prune", "move what is past its use into the archive"),
        ("activate", "archive", "bring something back from the archive"),
        ("rebuild-index", "lifecycle", "make the index anew from the files"),
        ("analyze-skills", "skills", "look for work that could become a skill"),
        ("promote-skill", "skills", "draft a skill from what repeats itself"),
        ("dismiss-skill", "skills", "end the suggestion of a skill"),
    ),
    "Serve": (("mcp", "serve", "serve the memory to agents' clients"),),
}
_TABLE = {name: (module, about) for rows in GROUPS.values() for name, module, about in rows}


class LazyCommands(Command, click.Group):
    """The group of all commands; only the one that runs is imported."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order of the groups."""
        return list(_TABLE)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name."""
        if cmd_name not in _TABLE:
            return None
        module = importlib.import_module(f"recollect.doors.cli.{_TABLE[cmd_name][0]}")
        found: click.Command = getattr(module, cmd_name.replace("-", "_") + "_command")
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands by group, without importing them."""
        for title, rows in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name, about) for name, _, about in rows])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The commands that start like this, without importing them."""
        from click.shell_completion import CompletionItem  # only shells ask

        names = [name for name in _TABLE if name.startswith(incomplete)]
        found = [CompletionItem(name, help=_TABLE[name][1]) for name in names]
        return found + click.Command.shell_complete(self, ctx, incomplete)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is meant; a near miss is named."""
        if args[0] not in _TABLE and not ctx.resilient_parsing and not args[0].startswith("-"):
            import difflib

            near = difflib.get_close_matches(args[0], _TABLE, 1)
            if near:
                raise CommandMistyped(name=args[0], near=near[0])
            raise CommandNotFound(name=args[0])
        return super().resolve_command(ctx, args)


def _checked_folder(_: click.Context, __: click.Parameter, folder: str | None) -> str | None:
    if folder is not None and not os.path.isdir(folder):
        raise click.BadParameter(f"Directory '{folder}' does not exist.")
    return folder


@click.group(
    cls=LazyCommands,
    invoke_without_command=True,
    context_settings={"max_content_width": 100},
    epilog="Memories are Markdown files in .claude/memory: read, edit and commit them as you like.",
)
@version_option
@option(
    "-C",
    "folder",
    metavar="DIRECTORY",
    callback=_checked_folder,
    default=None,
    help="Run as if started in this folder.",
)
@click.pass_context
def recollect(ctx: click.Context, folder: str | None) -> None:
    """Long-term memory for coding agents that belongs to you."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main() -> None:
    """Run the command line."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:  # it was closed by whoever started us
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode))
        elif isinstance(stream, io.TextIOWrapper) and mode == "w":
            stream.reconfigure(errors="replace")
    try:
        sys.exit(recollect.main(prog_name="recollect", standalone_mode=False))
    except click.Abort:
        sys.exit(_refused("", Failed(what="Stopped; nothing was changed.")))
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        name = context.info_name if context and context.parent else ""
        problem = UsageProblem if name else ProgramUsage
        sys.exit(_refused(name, problem(what=error.format_message(), command=name)))
    except RecollectError as error:
        sys.exit(_refused("", error))


def _refused(name: str, error: RecollectError) -> int:
    """Say why the words were not understood, in the form that they asked for."""
    from recollect.doors.cli.door import open_door, report

    return report(open_door(name, as_json="--json" in sys.argv), error)
