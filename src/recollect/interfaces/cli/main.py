"""The commands by group, and the program: find the command, load its file, run it."""

from __future__ import annotations

import io
import os
import sys

from recollect.errors import CommandMistyped, CommandNotFound, Failed, ProgramUsage, RecollectError
from recollect.interfaces.cli.console import drop_output
from recollect.interfaces.cli.parsing import HELP, FolderPath, flag, option, parse

TYPE_CHECKING = False  # every command loads this module, so it imports little
if TYPE_CHECKING:
    from recollect.interfaces.cli.command import Command

# Name, file and summary of each command. A group whose name is in lower case is a family: its
# commands also have a short name there, so `session start` is `start-session`.
GROUPS: dict[str, tuple[tuple[str, str, str], ...]] = {
    "Every day": (
        ("init", "setup", "create a store and connect a client"),
        ("save", "write", "save a memory"),
        ("search", "read", "find memories"),
        ("show", "read", "show one memory"),
        ("list", "read", "list memories"),
        ("edit", "write", "change the text of a memory"),
        ("forget", "write", "remove a memory"),
        ("undo", "write", "undo a change"),
        ("review", "review", "approve or reject what no person stated"),
        ("doctor", "status", "check the installation; --repair fixes it"),
    ),
    "Inspect": (
        ("status", "status", "show in five lines how things stand"),
        ("calls", "statistics", "show what was sent to a model, and its answers"),
        ("given", "status", "show what agents were told, and what it cost"),
        ("browse", "read", "read and change entries in the terminal"),
        ("recall", "read", "show what an agent would get, and why"),
        ("timeline", "statistics", "list memories day by day"),
        ("stats", "statistics", "show statistics"),
        ("history", "write", "list the changes"),
    ),
    "Change": (
        ("set", "write", "change fields of a memory"),
        ("supersede", "review", "mark a memory as superseded by another"),
        ("merge", "review", "merge two memories that say the same"),
        ("promote", "review", "move a memory to the global store"),
        ("pin", "review", "show a pointer to a memory in every session"),
        ("unpin", "review", "remove such a pointer"),
    ),
    "session": (
        ("start-session", "sessions", "start a session, or set its task"),
        ("note", "sessions", "add a note to the session"),
        ("todo", "sessions", "add a to-do to the session, or mark one as done"),
        ("list-sessions", "sessions", "list the active sessions"),
        ("show-session", "sessions", "show a session"),
        ("save-session", "sessions", "write a session's memory now"),
        ("cleanup-sessions", "sessions", "save abandoned sessions"),
        ("capture", "sessions", "capture transcripts"),
        ("compress", "sessions", "archive old sessions, a page per month"),
    ),
    "fact": (
        ("add-decision", "facts", "add a decision and its reason"),
        ("add-pattern", "facts", "add a convention or a best practice"),
        ("add-issue", "facts", "add an issue"),
        ("resolve", "facts", "mark an issue as resolved"),
        ("extract-facts", "facts", "extract facts from a session file"),
        ("clear-facts", "facts", "archive all facts"),
    ),
    "core": (
        ("memory-set", "facts", "write a core file, part of every brief"),
        ("memory-get", "facts", "show core files"),
        ("memory-list", "facts", "list core files"),
    ),
    "skill": (
        ("analyze-skills", "facts", "find procedures that could become skills"),
        ("promote-skill", "facts", "draft a skill from a suggestion"),
        ("dismiss-skill", "facts", "dismiss a skill suggestion"),
    ),
    "key": (
        ("key-init", "keys", "create this machine's key and a recovery key"),
        ("key-list", "keys", "list the recipients"),
        ("key-add", "keys", "add a recipient"),
        ("key-remove", "keys", "remove a recipient"),
        ("key-rotate", "keys", "replace this machine's key"),
        ("key-rewrap", "keys", "re-encrypt memories for the current keys"),
        ("encrypt", "keys", "encrypt a memory"),
        ("decrypt", "keys", "decrypt a memory"),
    ),
    "Maintain": (
        ("consolidate", "lifecycle", "file what was learned"),
        ("conflicts", "lifecycle", "settle contradictions"),
        ("archive", "lifecycle", "archive a memory, an entry, or inactive conversations"),
        ("activate", "lifecycle", "bring a memory back from the archive"),
        ("rebuild-index", "rebuild", "rebuild the index from the files"),
    ),
    "Set up": (
        ("uninstall", "setup", "remove our entries from clients' settings"),
        ("import", "import_export", "import the files of an earlier memory system"),
        ("export", "import_export", "write memories as a document or as JSON"),
        ("adopt", "import_export", "bring the memories of a moved project here"),
        ("config", "setup", "read and change settings"),
        ("embedder", "setup", "search by meaning: install or choose a model"),
        ("demo", "demo", "play a made-up history"),
    ),
    "For programs": (
        ("mcp", "setup", "serve memory to agents"),
        ("textconv", "keys", "print a file's text, for git diff"),
        ("merge-driver", "keys", "merge two changes of a memory, for git merge"),
    ),
}
FAMILIES = {
    "session": "sessions, notes, to-dos; capture transcripts",
    "fact": "decisions, patterns and issues",
    "core": "core files, part of every brief",
    "skill": "procedures that could become skills",
    "key": "encryption and its keys",
}


def short_name(name: str, family: str) -> str:
    """The name of a command in its family, such as `start` for `start-session`."""
    words = name.removeprefix("add-").removeprefix("memory-").split("-")
    return "-".join(word for word in words if word not in (family, f"{family}s"))


FULL_NAMES = {
    name: f"{family} {short_name(name, family)}"
    for family in FAMILIES
    for name, _, _ in GROUPS[family]
}
BY_FULL_NAME = {full: name for name, full in FULL_NAMES.items()}
TABLE = {name: (module, about) for rows in GROUPS.values() for name, module, about in rows}
OPTIONS = (
    flag("--version", is_eager=True, help="Show the version and exit."),
    option(
        "-C",
        "folder",
        type=FolderPath(exists=True),
        metavar="DIRECTORY",
        help="Run as if started in this folder.",
    ),
    HELP,
)


def command_of(name: str) -> Command:
    """The command of this name, short or full. Raises CommandNotFound, which names a similar one."""
    name = BY_FULL_NAME.get(name, name)
    if name not in TABLE:
        raise _unknown(name)
    # `importlib` takes a millisecond to load.
    module = __import__(f"recollect.interfaces.cli.{TABLE[name][0]}", fromlist=["*"])
    command: Command = getattr(module, name.replace("-", "_") + "_command")
    return command


# What people type for a command of another name.
MEANT = {
    "add": "save", "remember": "save", "new": "save", "保存": "save", "记住": "save",
    "find": "search", "grep": "search", "query": "search", "搜索": "search", "查找": "search",
    "ls": "list", "列表": "list", "列出": "list", "cat": "show", "view": "show", "get": "show", "显示": "show",
    "rm": "forget", "remove": "forget", "delete": "forget", "del": "forget", "删除": "forget",
    "purge": "forget --purge", "redo": "undo",
    "restore": "activate", "unarchive": "activate", "取回": "activate", "归档": "archive",
    "revert": "undo", "rollback": "undo", "撤销": "undo", "log": "history", "历史": "history", "修改": "edit",
    "approve": "review --approve", "reject": "review --reject", "审核": "review", "认可": "review --approve",
    "check": "doctor", "install": "init", "setup": "init", "初始化": "init", "settings": "config", "设置": "config",
    "导入": "import", "导出": "export", "状态": "status", "帮助": "--help",
}  # fmt: skip


def _unknown(name: str) -> CommandNotFound:
    if name in MEANT:
        return CommandMistyped(name=name, near=MEANT[name])
    from difflib import get_close_matches  # only for a slip

    family, _, sub = name.partition(" ")
    if sub:
        near = get_close_matches(
            sub, [one.partition(" ")[2] for one in BY_FULL_NAME if one.startswith(f"{family} ")], 1
        )
        return CommandMistyped(name=name, near=f"{family} {near[0] if near else '--help'}")
    near = get_close_matches(name, [*TABLE, *FAMILIES, "help"], 1)
    return CommandMistyped(name=name, near=near[0]) if near else CommandNotFound(name=name)


def main() -> None:
    """Run the command line."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:  # whoever started us has closed it
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode))
        elif isinstance(stream, io.TextIOWrapper) and mode == "w":
            stream.reconfigure(errors="replace")
    try:
        run(sys.argv[1:])
    except KeyboardInterrupt:
        sys.exit(_report(Failed(what="Stopped; nothing was changed.")))
    except RecollectError as error:
        sys.exit(_report(error))
    sys.exit(0)


def run(words: list[str]) -> None:
    """Run a command given by its words; ends the process where it fails. Raises UsageProblem."""
    try:
        values, words = parse(OPTIONS, words, until_plain=True)
    except ValueError as error:
        raise ProgramUsage(what=str(error), command="") from None
    if values.get("version"):
        from recollect._version import __version__  # one file less to open for every command

        _print(f"recollect, version {__version__}\n")
        return
    folder = values.get("folder") or None
    name, words = (words[0], words[1:]) if words else ("", [])
    if values.get("help") or not name:
        _show_help("", folder)
    elif name == "help":
        is_json = "--json" in words  # as with `save --help --json`
        words = [word for word in words if word[:1] != "-"]
        _show_help("" if words == ["help"] else " ".join(words), folder, as_json=is_json)
    elif name in FAMILIES and not (words and words[0][:1] != "-"):
        _show_help(name, folder, as_json="--json" in words)
    else:
        if name in FAMILIES:
            name, words = f"{name} {words[0]}", words[1:]
        command = command_of(name)
        values = command.parse(words)
        if values.get("help"):
            _show_help(command.name, folder, as_json="--json" in words)
        else:
            command.run(folder, values)


def _show_help(name: str, folder: str | None, *, as_json: bool = False) -> None:
    from recollect.app import App
    from recollect.interfaces.cli.help import help_json, help_of

    made = help_json if as_json else help_of
    _print(f"{made(name, App(folder).lang)}\n")


def _print(text: str) -> None:
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        drop_output()


def _report(error: RecollectError) -> int:
    from recollect.interfaces.cli.command import open_context, report

    name = str(error.fields.get("command", ""))
    return report(open_context(name, as_json="--json" in sys.argv), error)
