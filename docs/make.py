"""Generate the pages that the code determines: commands.md (also in Chinese), errors.md, settings.md.

    python docs/make.py             write them
    python docs/make.py --check     fail if one of them is out of date

Touches: the pages beside it.
"""
# ruff: noqa: INP001 - a script beside its pages

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from recollect.errors import every_error
from recollect.i18n import help_word
from recollect.interfaces.cli.command import BUG_EXIT
from recollect.interfaces.cli.help import flags_of, paragraphs_of, purpose_of, usage_of
from recollect.interfaces.cli.main import FAMILIES, FULL_NAMES, GROUPS, command_of
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
    """Write the pages, or with `--check` name those that are out of date."""
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
        sys.stderr.write(f"Out of date: {', '.join(stale)}. Run `python docs/make.py`.\n")
        return 1
    return 0


def pages() -> dict[str, str]:
    """Every page by its name."""
    return {
        "commands.md": commands_page("en"),
        "commands.zh.md": commands_page("zh"),
        "errors.md": errors_page(),
        "settings.md": settings_page(),
    }


# -------------------------------------------------------------------------------------- commands

# What a page of commands says besides the help.
FRAMES = {
    "en": {
        "title": "# Commands",
        "other": "[中文](commands.zh.md)",
        "intro": [
            "`recollect -C FOLDER COMMAND` runs as if started in that folder. Every command takes `--json` and",
            "`--help`; what changes something takes `--dry-run`. Exit codes: [errors.md](errors.md).",
        ],
        "same": "`recollect {name}` is the same.",
        "heads": ["Option", "What it does"],
        "example": "Example:",
        "answers": "`--json` answers:",
        "colon": ": ",
    },
    "zh": {
        "title": "# 命令",
        "other": "[English](commands.md)",
        "intro": [
            "`recollect -C 目录 命令` 如同在该目录中运行。每个命令都接受 `--json` 和 `--help`；凡有改动的命令都接受",
            "`--dry-run`。退出码见 [errors.md](errors.md)。",
        ],
        "same": "`recollect {name}` 与此相同。",
        "heads": ["选项", "作用"],
        "example": "示例：",
        "answers": "`--json` 的回答：",
        "colon": "：",
    },
}


def commands_page(lang: str) -> str:
    """Every command with its options, its example and its answer, in a language."""
    frame, say = FRAMES[lang], partial(help_word, lang)
    lines = [frame["title"], "", MADE, "", frame["other"], "", *frame["intro"], ""]
    for title, rows in GROUPS.items():
        name = title if title in FAMILIES else say(title)
        about = f"{frame['colon']}{say(FAMILIES[title])}" if title in FAMILIES else ""
        lines += [f"**{name}**{about}", ""]
        for command, _, summary in rows:
            full = FULL_NAMES.get(command, command)
            link = f"[`{full}`](#{full.replace(' ', '-')})"
            lines.append(f"- {link}{frame['colon']}{say(summary)}")
        lines.append("")
    for rows in GROUPS.values():
        for command, _, _ in rows:
            lines += _command(command, frame, say)
    return _page(lines)


def _command(name: str, frame: dict[str, Any], say: Callable[[str], str]) -> list[str]:
    command, full = command_of(name), FULL_NAMES.get(name, name)
    lines = [f"## {full}", ""]
    for paragraph in paragraphs_of(command):
        lines += [say(paragraph), ""]
    if full != name:
        lines += [frame["same"].format(name=name), ""]
    lines += ["```console", f"$ recollect {usage_of(say, command)}", "```", ""]
    options = [one for one in command.parameters if one.flags]
    rows = [(f"`{flags_of(say, one)}`", purpose_of(say, one)) for one in options]
    lines += [*_table(frame["heads"], rows), "", frame["example"], ""]
    lines += ["```console", *command.example.split("\n"), "```", ""]
    if name in SHAPES:
        lines += [frame["answers"], "", "```json", SHAPES[name], "```", ""]
    return lines


# ---------------------------------------------------------------------------- errors and settings


def errors_page() -> str:
    """Every error: its exit code, its sentence and the next step."""
    rows = [
        (
            f"`{error.kind}`",
            str(error.exit_code),
            _plain(error.sentence) if error.sentence != "{what}" else error.__doc__ or "",
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
            "An error is one sentence on stderr and a next step. With `--json` it is an object on stdout:",
            "",
            "```json",
            ERROR_SHAPE,
            "```",
            "",
            "`kind` and `exit` are stable; the sentences are in the language of the store. Exit codes:",
            "",
            *_table(["Exit", "Meaning"], EXITS),
            "",
            *_table(["Kind", "Exit", "Sentence", "Next step"], rows),
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
            "`config.toml` in a store; `recollect config` lists the settings in force and where each was set,",
            "`recollect config KEY VALUE` changes one line and keeps your comments. A project's settings",
            "override those of all projects; those that came with a clone or an archive count only once you accept it",
            "([security](security.md#repositories)). Unknown keys and values are reported and ignored.",
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
