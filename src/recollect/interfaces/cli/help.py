"""Help and shell completion in the person's language, made from the declarations; command: completion."""

from __future__ import annotations

import inspect
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from recollect.app import App
from recollect.errors import CommandNotFound
from recollect.i18n import help_word, with_names
from recollect.interfaces.cli import parsing
from recollect.interfaces.cli.command import Command, CommandContext, command
from recollect.interfaces.cli.console import cut, shown, width_of, wrapped
from recollect.interfaces.cli.main import (
    COMPLETE,
    FAMILIES,
    FULL_NAMES,
    GROUPS,
    OPTIONS,
    TABLE,
    command_of,
    short_name,
)
from recollect.interfaces.cli.parsing import Choice, IntRange, Parameter, argument
from recollect.model.listed import shortest
from recollect.model.memory import Filter
from recollect.store.settings import SETTINGS
from recollect.store.store import SHORTEST_START, OpenStore
from recollect.text.tokens import is_cjk

if TYPE_CHECKING:
    from click.shell_completion import ShellComplete

Say = Callable[[str], str]  # a text of the help in the person's language
Completion = tuple[str, str, str]  # `plain`, `file` or `dir`; the word; what it is for

ABOUT = "Long-term memory for coding agents that belongs to you."
EPILOG = "Memories are Markdown files in .claude/memory; read, edit and commit them."
HINTS = (
    ("status", "how things stand, in five lines"),
    ("given", "what agents were told, and what it cost"),
    ("help all", "every command"),
    ("help COMMAND", "one command, with an example"),
)
EVERY_DAY = "Every day"
WIDEST, NARROWEST = 100, 50
FIRST_COLUMN = 30  # at most, of what is explained


def help_of(name: str = "", lang: str = "en") -> str:
    """The help of a command or a family, of the program, or of `all` commands."""
    say = partial(help_word, lang)
    columns = max(min(shutil.get_terminal_size().columns, WIDEST) - 2, NARROWEST)
    if not name:
        lines = _program(say, columns)
    elif name == "all":
        lines = _all(say, columns)
    elif name in FAMILIES:
        lines = _family(say, name, columns)
    else:
        lines = _command(say, command_of(name), columns)
    return "\n".join(lines)


def help_json(name: str = "", lang: str = "en") -> str:
    """The same as JSON: what a command takes, or which commands there are."""
    import json

    say = partial(help_word, lang)
    if name and name != "all" and name not in FAMILIES:
        one = command_of(name)
        options = [*(p for p in one.parameters if p.flags), parsing.HELP]
        made = {
            "command": FULL_NAMES.get(one.name, one.name),
            "usage": f"recollect {usage_of(say, one)}",
            "about": [say(paragraph) for paragraph in paragraphs_of(one)],
            "example": one.example.split("\n"),
            "options": [{"option": flags, "about": text} for flags, text in _options(say, options)],
        }
    else:
        titles = [name] if name in FAMILIES else GROUPS if name else [EVERY_DAY]
        rows = [row for title in titles for row in _rows(say, title)]
        made = {"commands": [{"command": one, "about": about} for one, about in rows]}
        if not name:
            made["groups"] = [{"group": one, "about": say(text)} for one, text in FAMILIES.items()]
    return json.dumps(made, ensure_ascii=False)


def _program(say: Say, columns: int) -> list[str]:
    """One screen: the commands of every day, the families, and how to see the rest."""
    return [
        f"{say('Usage: ')}recollect [-C {say('DIRECTORY')}] {say('COMMAND')} …",
        "",
        f"  {say(ABOUT)}",
        "",
        *_section(say(EVERY_DAY), _rows(say, EVERY_DAY), columns),
        "",
        *_section(say("Groups"), [(name, say(about)) for name, about in FAMILIES.items()], columns),
        "",
        *_section(say("More"), [(say(name), say(about)) for name, about in HINTS], columns),
        "",
        *wrapped(say(EPILOG), columns),
    ]


def _all(say: Say, columns: int) -> list[str]:
    """Every command, by groups."""
    lines = _usage(say, with_names("[OPTIONS] COMMAND [ARGS]...", say), columns)
    for title in GROUPS:
        name = title if title in FAMILIES else say(title)
        lines += ["", *_section(name, _rows(say, title), columns)]
    return [*lines, "", *_section(say("Options"), _options(say, OPTIONS), columns)]


def _family(say: Say, family: str, columns: int) -> list[str]:
    """The commands of a family."""
    rows = [(short_name(name, family), say(about)) for name, _, about in GROUPS[family]]
    return [
        *_usage(say, f"{family} {with_names('COMMAND [ARGS]...', say)}", columns),
        "",
        f"  {say(FAMILIES[family])}",
        "",
        *_section(say("Commands"), rows, columns),
    ]


def _rows(say: Say, title: str) -> list[tuple[str, str]]:
    return [(FULL_NAMES.get(name, name), say(about)) for name, _, about in GROUPS[title]]


def _command(say: Say, one: Command, columns: int) -> list[str]:
    """One command: its usage, its effect, an example, its options."""
    lines = _usage(say, usage_of(say, one), columns)
    for paragraph in paragraphs_of(one):
        lines += ["", *(f"  {line}" for line in wrapped(say(paragraph), columns - 2))]
    lines += ["", f"  {say('Example:')}", *(f"    {line}" for line in one.example.split("\n")), ""]
    options = [*(p for p in one.parameters if p.flags), parsing.HELP]
    return [*lines, *_section(say("Options"), _options(say, options), columns)]


def usage_of(say: Say, one: Command) -> str:
    """The words of a command, without the program's name."""
    arguments = [p.hint for p in one.parameters if not p.flags]
    named = with_names(" ".join(["[OPTIONS]", *arguments]), say)
    return f"{FULL_NAMES.get(one.name, one.name)} {named}"


def paragraphs_of(one: Command) -> list[str]:
    """The paragraphs of a command's help text, each on one line."""
    text = inspect.cleandoc(one.function.__doc__ or "")
    return [" ".join(paragraph.split()) for paragraph in text.split("\n\n")]


def _usage(say: Say, words: str, columns: int) -> list[str]:
    prefix = f"{say('Usage: ')}recollect "
    first, *rest = wrapped(words, columns - width_of(prefix))
    return [prefix + first, *(" " * width_of(prefix) + line for line in rest)]


def _options(say: Say, options: Iterable[Parameter]) -> list[tuple[str, str]]:
    """Each option with its value, and its purpose."""
    return [(flags_of(say, one), purpose_of(say, one)) for one in options]


def flags_of(say: Say, one: Parameter) -> str:
    """The flags of an option with what it takes, such as `--limit N`."""
    flags = ", ".join(sorted(one.flags, key=lambda flag: flag.startswith("--")))
    if one.is_flag:
        return flags
    kind, value = one.type, "PATH"
    if isinstance(kind, Choice):
        value = f"[{'|'.join(kind.choices)}]"
    elif isinstance(kind, IntRange):
        value = "N"
    elif isinstance(kind, parsing.Text):
        value = kind.metavar
    return f"{flags} {with_names(one.metavar or value, say)}"


def purpose_of(say: Say, one: Parameter) -> str:
    """The purpose of an option, with its default and its range."""
    more = [f"{say('default:')} {one.default}"] if one.has_default and one.default else []
    if isinstance(one.type, IntRange):
        more.append(str(one.type))
    if one.required:
        more.append(say("required"))
    purpose = say(one.help) if one.help else ""
    return "  ".join(filter(None, [purpose, f"[{'; '.join(more)}]" if more else ""]))


def _section(title: str, rows: Sequence[tuple[str, str]], columns: int) -> list[str]:
    """A title, and rows in two columns."""
    widest = max((width_of(name) for name, _ in rows), default=0)
    first = min(widest, FIRST_COLUMN) + 2
    is_chinese = any(map(is_cjk, "".join([title, *(about for _, about in rows[:1])])))
    lines = [f"{title}：" if is_chinese else f"{title}:"]
    for name, about in rows:
        explained = list(wrapped(about, columns - first - 2)) or [""]
        if width_of(name) > first - 2:
            lines.append(f"  {name}")
        else:
            gap = " " * (first - width_of(name))
            lines.append(f"  {name}{gap}{explained.pop(0)}".rstrip())
        lines += [f"  {' ' * first}{line}" for line in explained]
    return lines


# Completion. Click has the scripts of the shells and knows how each asks and is answered.

MOST_IDS = 50
LONGEST_TITLE = 60  # columns


@command(
    argument("shell", type=Choice(["bash", "zsh", "fish"])),
    example='eval "$(recollect completion bash)"       # in ~/.bashrc\n'
    "recollect completion fish > ~/.config/fish/completions/recollect.fish",
)
def completion_command(ctx: CommandContext, shell: str) -> None:
    """Print a shell script that completes commands, options and ids."""
    kind = _shell(shell)
    script = kind.source_template % kind.source_vars()  # `source()` would run a shell
    # Click's script for fish would end what is said of a word at its first comma.
    script = script.replace('string split ","', 'string split --max 1 ","')
    ctx.answer({"shell": shell, "script": script})
    ctx.console.block(script)


def _shell(name: str) -> ShellComplete:
    import click  # only here: it takes longer to load than most commands run
    from click.shell_completion import get_completion_class

    kind = get_completion_class(name)
    if kind is None:
        raise LookupError(name)
    return kind(click.Command("recollect"), {}, "recollect", COMPLETE)


def print_completions() -> int:
    """Answer a shell that completes words; returns the exit code."""
    from click.shell_completion import CompletionItem

    shell = _shell(os.environ[COMPLETE].partition("_")[0])
    words, start = shell.get_completion_args()
    items = completions([word for word in words if word != "="], "" if start == "=" else start)
    for kind, word, about in items:
        item = CompletionItem(word, type=kind, help=about or None)
        sys.stdout.write(f"{shell.format_completion(item)}\n")
    return 0


def completions(words: list[str], start: str) -> list[Completion]:
    """What can follow these words and begins with `start`."""
    given, words, pending = _scan(OPTIONS, words, until_plain=True)
    folder = next((values[0] for one, values in given.items() if one.name == "folder"), None)
    say = partial(help_word, App(folder).lang)
    if pending:
        return _values(pending, start, folder)
    if not words:
        return _flags(OPTIONS, given, start, say) if start[:1] == "-" else _names(start, say)
    name, *words = words
    if name in FAMILIES:
        if not words:
            return _names(start, say, name)
        name, words = f"{name} {words[0]}", words[1:]
    try:
        parameters = [*command_of(name).parameters, parsing.HELP]
    except CommandNotFound:
        return []
    flag, sign, value = start.partition("=")
    if sign and flag[:2] == "--":
        words, start = [*words, flag], value
    given, plain, pending = _scan(parameters, words)
    if not pending and start[:1] == "-":
        return _flags(parameters, given, start, say)
    arguments = [one for one in parameters if not one.flags]
    pending = pending or next(
        (one for n, one in enumerate(arguments) if n == len(plain) or one.nargs < 0), None
    )
    return _values(pending, start, folder, len(given.get(pending, ()))) if pending else []


def _scan(
    parameters: Sequence[Parameter], words: list[str], *, until_plain: bool = False
) -> tuple[dict[Parameter, list[str]], list[str], Parameter | None]:
    """The options with their values, the other words, and an option that still needs a value.

    `until_plain` leaves all words from the first one that is neither an option nor a value.
    """
    options = {flag: one for one in parameters for flag in one.flags}
    given: dict[Parameter, list[str]] = {}
    plain: list[str] = []
    while words:
        flag, sign, value = words[0].partition("=")
        one = options.get(flag)
        if one is None:
            if until_plain and flag[:1] != "-":
                return given, words, None
            plain += [words[0]] if flag[:1] != "-" else []
            words = words[1:]
            continue
        needed = 0 if one.is_flag or sign else one.nargs
        given[one] = [value] if sign else words[1 : 1 + needed]
        if len(words) <= needed:
            return given, plain, one
        words = words[1 + needed :]
    return given, plain, None


def _names(start: str, say: Say, family: str = "") -> list[Completion]:
    """The commands and families, or the commands of a family, that begin so; none is imported."""
    if family:
        names = {short_name(name, family): about for name, _, about in GROUPS[family]}
    else:
        names = {name: about for name, (_, about) in TABLE.items() if name not in FULL_NAMES}
        names |= FAMILIES | {"help": "every command"}
    return [("plain", name, say(about)) for name, about in names.items() if name.startswith(start)]


def _flags(
    parameters: Iterable[Parameter], given: Iterable[Parameter], start: str, say: Say
) -> list[Completion]:
    return [
        ("plain", flag, say(one.help))
        for one in parameters
        for flag in one.flags
        if flag.startswith(start) and (one.multiple or one not in given)
    ]


def _values(one: Parameter, start: str, folder: str | None, place: int = 0) -> list[Completion]:
    """The values of an option or argument that begin so; `place` counts those before it."""
    kind = one.type[place] if isinstance(one.type, list) else one.type
    if kind is parsing.PATH:
        return [("file", start, "")]
    if isinstance(kind, parsing.FolderPath):
        return [("dir", start, "")]
    if kind is parsing.ID:
        return [("plain", name, title) for name, title in _ids(start, folder)]
    values = kind.choices if isinstance(kind, Choice) else ()
    if kind is parsing.SETTING:
        values = tuple(SETTINGS)
    return [("plain", value, "") for value in values if value.startswith(start)]


def _ids(start: str, folder: str | None) -> list[tuple[str, str]]:
    """The ids of pages and entries that begin so, with their titles; none rather than an error."""
    app = App(folder)
    try:
        stores: list[OpenStore] = app.stores()
        found = {e.id: e.title for store in stores for e in store.index.entries(Filter())}
        found = {name: title for name, title in found.items() if name.startswith(start)}
        listed = [one for store in stores for one in store.index.listed(Filter())]
        ids = shortest(own.entry for _, own in listed)
        for _, own in listed:
            if len(found) < MOST_IDS and own.anchor and own.entry.startswith(start):
                text = own.text if own.anchor.startswith("^") else own.heading
                found.setdefault(ids[own.entry], text)
        if len(start) >= SHORTEST_START and not found:
            found = {name: "" for store in stores for name, _ in store.index.named(start)}
        some = list(found.items())[:MOST_IDS]
        return [(name, cut(shown(title), LONGEST_TITLE)) for name, title in some]
    except Exception:  # noqa: BLE001 - a shell asks while somebody types
        return []
    finally:
        app.close()
