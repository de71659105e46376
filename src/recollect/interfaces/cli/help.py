"""Help in the person's language, made from the declarations."""

from __future__ import annotations

import inspect
import shutil
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from recollect.i18n import help_word, with_names
from recollect.interfaces.cli import parsing
from recollect.interfaces.cli.command import Command
from recollect.interfaces.cli.console import width_of, wrapped
from recollect.interfaces.cli.main import (
    FAMILIES,
    FULL_NAMES,
    GROUPS,
    OPTIONS,
    command_of,
    short_name,
)
from recollect.interfaces.cli.parsing import Choice, IntRange, Parameter
from recollect.text.tokens import is_cjk

Say = Callable[[str], str]  # a text of the help in the person's language

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
