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
        ("init", "setup", "create a store and connect a client"),
        ("uninstall", "setup", "remove our hooks from a client's settings"),
        ("doctor", "setup", "check the installation; --repair fixes it"),
        ("demo", "demo", "play a made-up history"),
        ("config", "setup", "read and change settings"),
        ("embedder", "embedder", "search by meaning: install or choose a model"),
        ("completion", "setup", "print shell completion"),
    ),
    "Write": (
        ("save", "save", "save a memory"),
        ("edit", "write", "change the text of a memory"),
        ("set", "write", "change fields of a memory"),
        ("forget", "write", "remove a memory"),
        ("supersede", "conflicts", "mark a memory as superseded by another"),
        ("merge", "merge", "merge two memories that say the same"),
        ("related", "related", "find and relate memories"),
        ("review", "merge", "approve or reject what no person stated"),
        ("undo", "write", "undo a change"),
        ("history", "write", "list the changes"),
        ("promote", "merge", "move a memory to the global store"),
        ("pin", "merge", "show a pointer to a memory in every session"),
        ("unpin", "merge", "remove such a pointer"),
    ),
    "Encryption": (
        ("encrypt", "keys", "encrypt a memory"),
        ("decrypt", "keys", "decrypt a memory"),
        ("key-init", "keys", "create this machine's key and a recovery key"),
        ("key-list", "keys", "list the recipients"),
        ("key-add", "keys", "add a recipient"),
        ("key-remove", "keys", "remove a recipient"),
        ("key-rotate", "keys", "replace this machine's key"),
        ("key-rewrap", "keys", "re-encrypt memories for the current keys"),
        ("textconv", "keys", "print a file's text, for git diff"),
        ("merge-driver", "keys", "merge two changes of a memory, for git merge"),
    ),
    "Facts and core memory": (
        ("add-decision", "facts", "add a decision and its reason"),
        ("add-pattern", "facts", "add a convention or a best practice"),
        ("add-issue", "facts", "add an issue"),
        ("resolve", "facts", "mark an issue as resolved"),
        ("extract-facts", "facts", "extract facts from a session file"),
        ("clear-facts", "facts", "archive all facts"),
        ("memory-set", "facts", "write a core file, part of every brief"),
        ("memory-get", "facts", "show core files"),
        ("memory-list", "facts", "list core files"),
    ),
    "Read": (
        ("search", "read", "find memories"),
        ("recall", "read", "show what an agent would get, and why"),
        ("show", "read", "show one memory"),
        ("list", "output", "list memories"),
        ("timeline", "explain", "list memories day by day"),
        ("stats", "explain", "show statistics"),
    ),
    "Sessions and lifecycle": (
        ("start-session", "sessions", "start a session, or set its task"),
        ("note", "sessions", "add a note to the session"),
        ("todo", "sessions", "add a to-do to the session, or mark one as done"),
        ("list-sessions", "sessions", "list the active sessions"),
        ("show-session", "sessions", "show a session"),
        ("save-session", "sessions", "write a session's memory now"),
        ("cleanup-sessions", "sessions", "save abandoned sessions"),
        ("compress", "sessions", "archive old sessions, a page per month"),
        ("capture", "lifecycle", "capture transcripts"),
        ("consolidate", "lifecycle", "file what was learned"),
        ("conflicts", "conflicts", "settle contradictions"),
        ("archive", "lifecycle", "archive inactive conversations"),
        ("prune", "lifecycle", "archive memories by your policy"),
        ("activate", "lifecycle", "bring a memory back from the archive"),
        ("rebuild-index", "lifecycle", "rebuild the index from the files"),
        ("analyze-skills", "skills", "find procedures that could become skills"),
        ("promote-skill", "skills", "draft a skill from a suggestion"),
        ("dismiss-skill", "skills", "dismiss a skill suggestion"),
    ),
    "Serve": (("mcp", "setup", "serve memory to agents"),),
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
