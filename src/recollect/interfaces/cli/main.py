"""The program: maps each command to its module, loaded when it runs."""

from __future__ import annotations

import io
import os
import sys
from importlib import import_module

from recollect import __version__
from recollect.errors import (
    CommandMistyped,
    CommandNotFound,
    Failed,
    ProgramUsage,
    RecollectError,
    UsageProblem,
)
from recollect.interfaces.cli.console import drop_output
from recollect.interfaces.cli.parsing import HELP, FolderPath, Parameter, parsed

TYPE_CHECKING = False  # every command loads this: as little as can be
if TYPE_CHECKING:
    from recollect.interfaces.cli.parsing import Command

GROUPS: dict[str, tuple[tuple[str, str, str], ...]] = {
    "Set-up": (
        ("init", "setup", "make a store, and connect a client to it"),
        ("uninstall", "setup", "take our hooks out of a client's settings"),
        ("doctor", "setup", "look whether all is well, and mend it"),
        ("demo", "demo", "see it at work on a made-up history"),
        ("config", "setup", "read and change settings"),
        ("embedder", "embedder", "search by meaning, too: install a model, or choose one"),
        ("completion", "setup", "print shell completion"),
    ),
    "Write": (
        ("save", "save", "save a memory"),
        ("edit", "write", "change the text of a memory"),
        ("set", "write", "change fields of a memory"),
        ("forget", "write", "take a memory out of the store"),
        ("supersede", "conflicts", "let one memory hold in place of another"),
        ("merge", "merge", "make one memory of two that say the same"),
        ("related", "related", "relate memories that belong together"),
        ("review", "merge", "approve or reject what no person has said"),
        ("undo", "write", "take back a change"),
        ("history", "write", "list the changes"),
        ("promote", "merge", "take a memory over for all projects"),
        ("pin", "merge", "point to a memory in every session"),
        ("unpin", "merge", "take such a pointer out again"),
    ),
    "Encryption": (
        ("encrypt", "keys", "encrypt a memory"),
        ("decrypt", "keys", "make an encrypted memory a plain one"),
        ("key-init", "keys", "make the key of this machine, and one to recover with"),
        ("key-list", "keys", "list the keys that are encrypted for"),
        ("key-add", "keys", "encrypt for one more key"),
        ("key-remove", "keys", "encrypt for a key no more"),
        ("key-rotate", "keys", "put a new key in place of this machine's"),
        ("key-rewrap", "keys", "encrypt anew what is for other keys"),
        ("textconv", "keys", "print what a file says, for git diff"),
        ("merge-driver", "keys", "put two changes of a memory together, for git merge"),
    ),
    "Facts and core memory": (
        ("add-decision", "facts", "keep a decision and its reason"),
        ("add-pattern", "facts", "keep a convention or a best practice"),
        ("add-issue", "facts", "keep an issue"),
        ("resolve", "facts", "note that an issue is resolved"),
        ("extract-facts", "facts", "take facts out of a session file"),
        ("clear-facts", "facts", "move facts into the archive"),
        ("memory-set", "facts", "write a core file, which is in every brief"),
        ("memory-get", "facts", "show core files"),
        ("memory-list", "facts", "list core files"),
    ),
    "Read": (
        ("search", "read", "find memories"),
        ("recall", "read", "show what an agent would be given, and why"),
        ("show", "read", "show one memory"),
        ("list", "output", "list memories"),
        ("timeline", "explain", "list memories day by day"),
        ("stats", "explain", "count and measure"),
    ),
    "Sessions and lifecycle": (
        ("start-session", "sessions", "begin a session, or name what it is about"),
        ("note", "sessions", "keep a note about the session"),
        ("todo", "sessions", "keep a to-do of the session, or tick one off"),
        ("list-sessions", "sessions", "list the sessions that go on"),
        ("show-session", "sessions", "show what is known of a session"),
        ("save-session", "sessions", "make the memory of a session"),
        ("cleanup-sessions", "sessions", "save the sessions that nobody went on with"),
        ("compress", "sessions", "put old sessions away, a page for each month"),
        ("capture", "lifecycle", "make memories of transcripts"),
        ("consolidate", "lifecycle", "put what was learned where it belongs"),
        ("conflicts", "conflicts", "settle what contradicts itself"),
        ("archive", "lifecycle", "move what is no longer active into the archive"),
        ("prune", "lifecycle", "move what is past its use into the archive"),
        ("activate", "lifecycle", "bring something back from the archive"),
        ("rebuild-index", "lifecycle", "make the index anew from the files"),
        ("analyze-skills", "skills", "look for work that could become a skill"),
        ("promote-skill", "skills", "draft a skill from what repeats itself"),
        ("dismiss-skill", "skills", "end the suggestion of a skill"),
    ),
    "Serve": (("mcp", "setup", "serve the memory to agents' clients"),),
}
TABLE = {name: (module, about) for rows in GROUPS.values() for name, module, about in rows}
ABOUT = "Long-term memory for coding agents that belongs to you."
EPILOG = "Memories are Markdown files in .claude/memory: read, edit and commit them as you like."
OPTIONS = (
    Parameter(["--version"], is_flag=True, is_eager=True, help="Show the version and exit."),
    Parameter(
        ["-C", "folder"],
        type=FolderPath(exists=True),
        metavar="DIRECTORY",
        help="Run as if started in this folder.",
    ),
)


def command_of(name: str) -> Command:
    """The command of this name. Raises CommandNotFound, which names a near miss."""
    if name not in TABLE:
        from difflib import get_close_matches  # only for a slip

        near = get_close_matches(name, TABLE, 1)
        raise CommandMistyped(name=name, near=near[0]) if near else CommandNotFound(name=name)
    module = import_module(f"recollect.interfaces.cli.{TABLE[name][0]}")
    found: Command = getattr(module, name.replace("-", "_") + "_command")
    return found


def main() -> None:
    """Run the command line."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:  # it was closed by whoever started us
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode))
        elif isinstance(stream, io.TextIOWrapper) and mode == "w":
            stream.reconfigure(errors="replace")
    if os.environ.get("_RECOLLECT_COMPLETE"):
        from recollect.interfaces.cli.help import completed

        sys.exit(completed())
    try:
        run(sys.argv[1:])
    except KeyboardInterrupt:
        sys.exit(_refused("", Failed(what="Stopped; nothing was changed.")))
    except UsageProblem as error:
        sys.exit(_refused(str(error.fields.get("command", "")), error))
    except RecollectError as error:
        sys.exit(_refused("", error))
    sys.exit(0)


def run(words: list[str]) -> None:
    """Run a command given by its words; ends the process where it fails. Raises UsageProblem."""
    try:
        given, words = parsed([*OPTIONS, HELP], words, until_plain=True)
    except ValueError as error:
        raise ProgramUsage(what=str(error), command="") from None
    if given.get("version"):
        _print(f"recollect, version {__version__}\n")
    elif given.get("help") or not words:
        _show_help("")
    else:
        command = command_of(words[0])
        values = command.parsed(words[1:])
        if values.get("help"):
            _show_help(command.name)
        else:
            command.run(given["folder"], values)


def _show_help(name: str) -> None:
    from recollect.interfaces.cli.help import help_of

    _print(f"{help_of(name)}\n")


def _print(text: str) -> None:
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        drop_output()


def _refused(name: str, error: RecollectError) -> int:
    """Say why the words were not understood, in the form that they asked for."""
    from recollect.interfaces.cli.context import open_door, report

    return report(open_door(name, as_json="--json" in sys.argv), error)
