"""Command line: what every command has: its options, its app, its errors.

Promises: `--json` and `--help` everywhere; a broken pipe ends quietly; a bug leaves a report with
its traceback and says where.
Touches: stdout, stderr, the exit code.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import click

from recollect.app import App
from recollect.doors.cli.helping import Command, option
from recollect.doors.paper import Paper, drop_output, shown_line
from recollect.errors import FileNotThere, RecollectError, StorageFailed, UsageProblem
from recollect.lang import heard, say, word

BUG_EXIT = 70
SCOPE_NAMES = ("project", "global")
# The fields in which a room below hands up a ready-made phrase; all others are data.
PHRASES = ("what", "reason", "where", "who")


class Door:
    """One run of a command."""

    def __init__(self, command: str, *, as_json: bool, folder: str | None) -> None:
        """`command` is the name of what runs; `folder` is where, the current one by default."""
        self.command = command
        self.as_json = as_json
        self.paper = Paper()
        self.app = App(folder)
        if sys.stdin.isatty() and sys.stderr.isatty():
            self.app.ask_passphrase = self.passphrase
        self.lang = self.app.lang
        self.said: list[str] = []  # what the answer says already

    def say(self, sentence: str, **fields: object) -> str:
        """A sentence of ours in the person's language, with harmless fields."""
        return say(
            self.lang,
            sentence,
            **{k: shown_line(v) if isinstance(v, str) else v for k, v in fields.items()},
        )

    def heads(self, *words: str) -> list[str]:
        """The heads of a table in the person's language."""
        return [self.say(head) for head in words]

    def word(self, text: str) -> str:
        """A word of ours in the person's language; any other text as it is."""
        return word(self.lang, text)

    def heard(self, text: str) -> str:
        """A sentence from a room below in the person's language."""
        return heard(self.lang, shown_line(text))

    def tell(self, sentence: str, *, style: str = "", **fields: object) -> None:
        """Print a sentence, unless the answer is JSON."""
        if not self.as_json:
            self.paper.line((style, self.say(sentence, **fields)))

    def passphrase(self) -> str:
        """The passphrase of the person's key, asked for on the terminal."""
        return str(click.prompt(self.say("Passphrase of your key"), hide_input=True, err=True))

    def refusal(self, what: str) -> UsageProblem:
        """The error for words of this command that are off."""
        return UsageProblem(what=what, command=self.command)

    def answer(self, value: object, show: Callable[[], None]) -> None:
        """Give the answer: as JSON, or as `show` prints it."""
        if self.as_json:
            self.paper.json(value)
        else:
            show()

    def end(self) -> None:
        """Let the stores go and say what was noticed on the way."""
        self.app.close()
        for warning in dict.fromkeys([*self.app.warnings, *self.app.setting_problems()]):
            if warning not in self.said:
                self.paper.complain(f"recollect: {self.heard(warning)}")


def command(
    name: str, *, example: str, scope: bool = False, dry_run: bool = False
) -> Callable[..., click.Command]:
    """Make a function a command: with `--json`, and `--scope` and `--dry-run` where asked for.

    The function gets a `Door` first. Its docstring is the help text; `example` ends it.
    """

    def make(run: Callable[..., None]) -> click.Command:
        @functools.wraps(run)
        def wrapped(**values: Any) -> None:
            guarded(open_door(name, as_json=values.pop("as_json")), run, values)

        lines = ["\b", "Example:", *(f"  {line}" for line in example.split("\n"))]
        wrapped.__doc__ = "\n    ".join([f"{(run.__doc__ or '').rstrip()}\n", *lines])
        made: Callable[..., Any] = wrapped
        if dry_run:
            made = option(
                "--dry-run", is_flag=True, help="Show what would be done; change nothing."
            )(made)
        if scope:
            made = option(
                "--scope",
                type=click.Choice(SCOPE_NAMES),
                default=None,
                help="The store: of this project, or of all projects.",
            )(made)
        made = option("--json", "as_json", is_flag=True, help="Answer as JSON.")(made)
        return click.command(name, cls=Command)(made)

    return make


def open_door(name: str, *, as_json: bool) -> Door:
    """The door of a command, in the folder that the program was told to run in."""
    context = click.get_current_context(silent=True)
    folder = context.find_root().params.get("folder") if context else None
    try:
        return Door(name, as_json=as_json, folder=folder)
    except FileNotFoundError:  # somebody took the current folder away
        os.chdir("/")
        door = Door(name, as_json=as_json, folder=None)
        sys.exit(report(door, FileNotThere(path=".", reason="the current folder is gone")))


def guarded(door: Door, run: Callable[..., None], values: dict[str, Any]) -> None:
    """Run a command; every error becomes a sentence and an exit code."""
    try:
        run(door, **values)
        sys.stdout.flush()
    except RecollectError as error:
        sys.exit(report(door, error))
    except BrokenPipeError:
        drop_output()
        sys.exit(0)
    except (click.ClickException, click.exceptions.Exit, click.Abort):
        raise
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception as error:  # noqa: BLE001 - the one place where a bug is caught
        sys.exit(_report_unforeseen(door, error))
    finally:
        door.end()


def report(door: Door, error: RecollectError) -> int:
    """Say what happened and what to do next; gives the exit code."""
    door.said.append(f"{error} {error.next_step}")
    fields = {
        key: door.heard(value) if key in PHRASES and isinstance(value, str) else value
        for key, value in error.fields.items()
    }
    sentence = door.say(error.sentence, **fields)
    step = door.say(error.next_step, **fields) if error.next_step else ""
    _complain(door, error.kind, sentence, step, error.exit_code)
    return error.exit_code


def _complain(door: Door, kind: str, message: str, step: str, code: int) -> None:
    if door.as_json:
        about = {"kind": kind, "message": message, "next": step, "exit": code}
        with suppress(OSError):
            door.paper.json({"error": about})
            sys.stdout.flush()
        return
    door.paper.complain(f"recollect: {message}")
    if step:
        door.paper.complain(f"  → {step}")


def _report_unforeseen(door: Door, error: Exception) -> int:
    if isinstance(error, OSError) and not error.filename:
        # Our own files go through `fsio`: this is stdout, on a full disk for example.
        drop_output()
        door.as_json = False
        return report(
            door, StorageFailed(path="stdout", reason=os.strerror(error.errno or 0) or str(error))
        )
    return report_bug(door, error)


def report_bug(door: Door, error: Exception) -> int:
    """Leave a report of a bug in the cache and say where it is."""
    import platform
    import traceback

    from recollect import __version__, fsio
    from recollect.hooks import places

    base = places.cache_root(door.app.env)
    path = f"{base}/report-{door.app.now.replace(':', '')}.txt" if base else ""
    trace = "".join(traceback.format_exception(error))
    system = os.uname()  # `platform` would run a program to know more
    about = f"{system.sysname} {system.release} {system.machine}"
    text = f"recollect {__version__}, Python {platform.python_version()}, {about}\n\n{trace}"
    with suppress(RecollectError, OSError):
        fsio.make_folder(base)
        fsio.write_whole(path, door.app.redact(text).encode("utf-8", "replace"))
    message = door.say(
        "This is a bug in Recollect: {error}", error=f"{type(error).__name__}: {error}"
    )
    step = door.say("A report is in {path}.", path=path) if path else ""
    _complain(door, "bug", message, step, BUG_EXIT)
    return BUG_EXIT


def words(text: str | None) -> tuple[str, ...]:
    """The items of an option that takes a comma list."""
    return tuple(
        w.strip()
        for w in (text or "").replace("，", ",").replace("、", ",").split(",")
        if w.strip()
    )
