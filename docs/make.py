"""Make the pages that say what the code says: errors.md, commands.md, settings.md.

    python docs/make.py             write them
    python docs/make.py --check     fail if one of them is not as the code says

Touches: the pages beside it.
"""
# ruff: noqa: INP001 - a script beside its pages

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import click

from recollect.errors import every_error
from recollect.interfaces.cli.context import BUG_EXIT
from recollect.interfaces.cli.help import click_program
from recollect.interfaces.cli.main import GROUPS
from recollect.store import settings as config

HERE = Path(__file__).parent
MADE = "<!-- Made by docs/make.py from the code; changes here are lost. -->"
ERROR_SHAPE = '{"error": {"kind": "memory-not-found", "message": "…", "next": "…", "exit": 10}}'
EXITS = [
    ("0", "done"),
    (
        "1",
        "failed; `doctor`: something needs attention; `capture`: some transcripts failed",
    ),
    ("2", "invalid arguments or settings"),
    ("10", "not found"),
    ("11", "already exists"),
    ("12", "changed meanwhile"),
    ("13", "locked"),
    ("14", "an optional package is missing"),
    ("15", "a file cannot be parsed"),
    ("16", "the disk or the file system failed"),
    ("17", "invalid name"),
    ("19", "encrypted: no key here opens it, or no terminal to ask for a passphrase"),
    ("20", "an embedder could not be downloaded, has a wrong checksum, or cannot be used"),
    (str(BUG_EXIT), "a bug; the message gives the path of a report"),
    ("130", "interrupted with Ctrl-C"),
]
# What `--json` answers, where other programs rely on it (a test holds the code to it).
SHAPES = {
    "search": """{"query": "event store",
 "hits": [{"id": "use-postgres-for-events", "anchor": "", "title": "Use PostgreSQL for events",
           "type": "semantic", "kind": "decision", "scope": "project", "score": 1.15,
           "snippet": "We need JSONB …", "path": "/…/use-postgres-for-events.md",
           "created": "2026-01-11T14:30:00Z", "trust": "user", "tokens": 25}]}""",
    "save": """{"id": "use-postgres-for-events", "path": "/…/use-postgres-for-events.md",
 "what": "created", "scope": "project", "layer": "semantic", "reason": "follows from the kind"}""",
    "recall": """{"text": "Stored notes …", "tokens": 110,
 "items": [{"id": "use-postgres-for-events", "anchor": "", "title": "Use PostgreSQL for events",
            "form": "full", "scope": "project", "score": 1.15,
            "parts": {"text": 1.0, "salience": 1.0, "confidence": 1.1}, "trust": "user",
            "tokens": 25}]}""",
}


def main() -> int:
    """Write the pages, or with `--check` say which are not as the code says."""
    check = "--check" in sys.argv[1:]
    stale = []
    for name, text in pages().items():
        path = HERE / name
        if path.exists() and path.read_text("utf-8") == text:
            continue
        stale.append(name)
        if not check:
            path.write_text(text, "utf-8")
    if stale and check:
        sys.stderr.write(f"Not as the code says: {', '.join(stale)}. Run `python docs/make.py`.\n")
        return 1
    return 0


def pages() -> dict[str, str]:
    """Every page by its name."""
    return {
        "commands.md": commands_page(),
        "errors.md": errors_page(),
        "settings.md": settings_page(),
    }


# -------------------------------------------------------------------------------------- commands


def commands_page() -> str:
    """Every command with its options, its example and its answer."""
    lines = [
        "# Commands",
        "",
        MADE,
        "",
        "`recollect -C FOLDER COMMAND` runs as if started in that folder. Every command takes `--json` and",
        "`--help`; what changes something takes `--dry-run`. Exit codes: [errors.md](errors.md).",
        "",
    ]
    for title, rows in GROUPS.items():
        lines += [f"**{title}**", ""]
        lines += [f"- [`{name}`](#{name}): {about}" for name, _, about in rows]
        lines.append("")
    for rows in GROUPS.values():
        for name, _, _ in rows:
            lines += _command(name)
    return _page(lines)


def _command(name: str) -> list[str]:
    program = click_program()
    root = program.make_context("recollect", [], resilient_parsing=True)
    command = program.get_command(root, name)
    if command is None:
        raise SystemExit(f"{name} is listed, but there is no such command")
    context = click.Context(command, info_name=name, parent=root)
    words, _, example = inspect.cleandoc(command.help or "").partition("\n\n\b\nExample:\n")
    usage = " ".join(["recollect", name, *command.collect_usage_pieces(context)])
    lines = [f"## {name}", "", words.strip(), "", "```console", f"$ {usage}", "```", ""]
    options = [p for p in command.get_params(context) if isinstance(p, click.Option)]
    rows = [
        (_option(option), option.help or "") for option in options if "--help" not in option.opts
    ]
    lines += [*_table(["Option", "What it does"], rows), "", "Example:", "", "```console"]
    lines += [line.removeprefix("  ") for line in example.rstrip().split("\n")]
    lines += ["```", ""]
    if name in SHAPES:
        lines += ["`--json` answers:", "", "```json", SHAPES[name], "```", ""]
    return lines


def _option(option: click.Option) -> str:
    """An option with what it takes, as in `--layer semantic | procedural`."""
    if option.is_flag:
        return f"`{option.opts[-1]}`"
    kind = option.type
    takes = " | ".join(kind.choices) if isinstance(kind, click.Choice) else kind.name.upper()
    if isinstance(kind, click.IntRange):
        takes = "N"
    default = f" ({option.default})" if option.show_default else ""
    return f"`{option.opts[-1]} {takes}`{default}"


# ---------------------------------------------------------------------------- errors and settings


def errors_page() -> str:
    """Every error: when it comes, its exit code, what it says and what to do next."""
    rows = [
        (
            f"`{error.name_of_kind()}`",
            str(error.exit_code),
            error.__doc__ or "",
            _plain(error.sentence),
            _plain(error.next_step),
        )
        for error in every_error()[1:]
    ]
    return _page(
        [
            "# Errors and exit codes",
            "",
            MADE,
            "",
            "An error is one sentence on stderr, and what to do next. With `--json` it is an object on stdout:",
            "",
            "```json",
            ERROR_SHAPE,
            "```",
            "",
            "`kind` and `exit` are promises; the sentences are in the language of the store. The codes of groups:",
            "",
            *_table(["Exit", "Meaning"], EXITS),
            "",
            *_table(["Kind", "Exit", "When", "Sentence", "Next step"], rows),
            "",
        ]
    )


def _plain(template: str) -> str:
    """A template with the names of its fields only."""
    return re.sub(r"\{(\w+)[^}]*\}", r"{\1}", template)


def settings_page() -> str:
    """Every setting with its default and what it takes."""
    rows = [
        (f"`{key}`", f"`{config.shown(s.default)}`", f"`{config.takes(s)}`", s.about)
        for key, s in config.SETTINGS.items()
    ]
    return _page(
        [
            "# Settings",
            "",
            MADE,
            "",
            "`config.toml` in a store, in TOML; `recollect config` lists what is in force and where it was set,",
            "`recollect config KEY VALUE` changes one line and keeps your comments. A project's settings come",
            "before those of all projects. A key or value that is not known is named and left out; it stops nothing.",
            "",
            *_table(["Setting", "Default", "Takes", "What for"], rows),
            "",
            "```toml",
            'lang = "zh"',
            "",
            "[recall]",
            "prompt_tokens = 600  # a comment stays",
            "```",
            "",
        ]
    )


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads)]
    for row in rows:
        cells = (" ".join(cell.split()).replace("|", "\\|") for cell in row)
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def _page(lines: Sequence[str]) -> str:
    return "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    sys.exit(main())
