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
from recollect.doors.cli.paper import Paper, shown
from recollect.errors import RecollectError
from recollect.lang import say

BUG_EXIT = 70
SCOPE_NAMES = ("project", "global")


class Door:
    """One run of a command."""

    def __init__(self, *, as_json: bool, folder: str | None) -> None:
        """`folder` is where to run; the current one by default."""
        self.as_json = as_json
        self.paper = Paper()
        self.app = App(folder)
        self.lang = self.app.lang

    def say(self, sentence: str, **fields: object) -> str:
        """A sentence of ours in the person's language, with harmless fields."""
        return say(
            self.lang,
            sentence,
            **{k: shown(v) if isinstance(v, str) else v for k, v in fields.items()},
        )

    def tell(self, sentence: str, *, style: str = "", **fields: object) -> None:
        """Print a sentence, unless the answer is JSON."""
        if not self.as_json:
            self.paper.line((style, self.say(sentence, **fields)))

    def answer(self, value: object, show: Callable[[], None]) -> None:
        """Give the answer: as JSON, or as `show` prints it."""
        if self.as_json:
            self.paper.json(value)
        else:
            show()
        for warning in self.app.warnings:
            click.echo(shown(warning), err=True)


def command(
    name: str, *, example: str, scope: bool = False, dry_run: bool = False
) -> Callable[..., click.Command]:
    """Make a function a command: with `--json`, and `--scope` and `--dry-run` where asked for.

    The function gets a `Door` first. Its docstring is the help text; `example` ends it.
    """

    def make(run: Callable[..., None]) -> click.Command:
        @functools.wraps(run)
        def wrapped(**values: Any) -> None:
            as_json = values.pop("as_json")
            folder = click.get_current_context().find_root().params.get("folder")
            guarded(Door(as_json=as_json, folder=folder), run, values)

        wrapped.__doc__ = f"{(run.__doc__ or '').rstrip()}\n\n\b\nExample:\n" + "".join(
            f"  {line}\n" for line in example.strip().split("\n")
        )
        made: Callable[..., Any] = wrapped
        if dry_run:
            made = click.option(
                "--dry-run", is_flag=True, help="Show what would be done; change nothing."
            )(made)
        if scope:
            made = click.option(
                "--scope",
                type=click.Choice(SCOPE_NAMES),
                default=None,
                help="The store: of this project, or of all projects.",
            )(made)
        made = click.option("--json", "as_json", is_flag=True, help="Answer as JSON.")(made)
        return click.command(name)(made)

    return make


def guarded(door: Door, run: Callable[..., None], values: dict[str, Any]) -> None:
    """Run a command; every error becomes a sentence and an exit code."""
    try:
        run(door, **values)
    except RecollectError as error:
        sys.exit(report(door, error))
    except BrokenPipeError:
        with suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.exit(0)
    except (click.ClickException, click.exceptions.Exit, click.Abort):
        raise
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception as error:  # noqa: BLE001 - the one place where a bug is caught
        sys.exit(report_bug(door, error))
    finally:
        door.app.close()


def report(door: Door, error: RecollectError) -> int:
    """Say what happened and what to do next; gives the exit code."""
    sentence = door.say(error.sentence, **error.fields)
    step = door.say(error.next_step, **error.fields) if error.next_step else ""
    if door.as_json:
        door.paper.json(
            {
                "error": {
                    "kind": error.kind,
                    "message": sentence,
                    "next": step,
                    "exit": error.exit_code,
                }
            }
        )
    else:
        click.echo(f"recollect: {sentence}", err=True)
        if step:
            click.echo(f"  → {step}", err=True)
    return error.exit_code


def report_bug(door: Door, error: Exception) -> int:
    """Leave a report of a bug in the cache and say where it is."""
    import platform
    import traceback

    from recollect import __version__, fsio
    from recollect.hooks import places

    base = places.cache_root(door.app.env)
    path = f"{base}/report-{door.app.now.replace(':', '')}.txt"
    trace = "".join(traceback.format_exception(error))
    text = f"recollect {__version__}, Python {platform.python_version()}, {platform.platform()}\n\n{trace}"
    with suppress(RecollectError, OSError):
        fsio.make_folder(base)
        fsio.write_whole(path, door.app.redact(text).encode("utf-8", "replace"))
    message = door.say(
        "This is a bug in Recollect: {error}", error=f"{type(error).__name__}: {error}"
    )
    if door.as_json:
        door.paper.json(
            {"error": {"kind": "bug", "message": message, "next": path, "exit": BUG_EXIT}}
        )
    else:
        click.echo(
            f"recollect: {message}\n  → {door.say('A report is in {path}.', path=path)}", err=True
        )
    return BUG_EXIT


def words(text: str | None) -> tuple[str, ...]:
    """The items of an option that takes a comma list."""
    return tuple(
        w.strip()
        for w in (text or "").replace("，", ",").replace("、", ",").split(",")
        if w.strip()
    )
