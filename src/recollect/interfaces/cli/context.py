"""What every command shares: `--json`, `--help`, workspace, error reporting.

A broken pipe ends quietly. A bug leaves a report with its traceback and prints its path.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress

from recollect._fastimport import Pattern
from recollect.app import App
from recollect.errors import Failed, FileNotThere, RecollectError, StorageFailed, UsageProblem
from recollect.i18n import say, translate, word
from recollect.interfaces.cli.console import Paper, drop_output, shown_line
from recollect.interfaces.cli.parsing import Choice, Command, option
from recollect.model import memory as model
from recollect.model.memory import Filter

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    import click


BUG_EXIT = 70
SCOPE_NAMES = ("project", "global")
# The fields in which a room below hands up a ready-made phrase; all others are data.
PHRASES = ("what", "reason", "where", "who")


class Door:
    """One run of a command."""

    def __init__(self, command: str, *, as_json: bool, folder: str | None) -> None:
        """`command` is the name of what runs; `folder` is where, the current one by default."""
        self.command, self.folder = command, folder
        self.as_json = as_json
        self.paper = Paper()
        self.app = App(folder)
        self.app.has_reader = True
        if sys.stdin.isatty() and sys.stderr.isatty():
            self.app.ask_passphrase = lambda: self.ask_hidden(self.say("Passphrase of your key"))
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

    def translate(self, text: str) -> str:
        """A sentence from a room below in the person's language."""
        return translate(self.lang, shown_line(text))

    def tell(self, sentence: str, *, style: str = "", **fields: object) -> None:
        """Print a sentence, unless the answer is JSON."""
        if not self.as_json:
            self.paper.line((style, self.say(sentence, **fields)))

    def ask_hidden(self, question: str, *, twice: bool = False) -> str:
        """An answer that is not shown as it is typed. Raises Failed where there is none."""
        import click  # few commands ask

        try:
            return str(click.prompt(question, hide_input=True, confirmation_prompt=twice, err=True))
        except click.Abort:
            raise Failed(what="Stopped; nothing was changed.") from None

    def confirm(self, question: str) -> None:
        """Go on if the person says yes. Raises Failed otherwise."""
        import click  # few commands ask

        try:
            click.confirm(question, abort=True)
        except click.Abort:
            raise Failed(what="Stopped; nothing was changed.") from None

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
        for warning in dict.fromkeys(
            [*self.app.news, *self.app.warnings, *self.app.setting_problems()]
        ):
            if warning not in self.said:
                self.paper.complain(f"recollect: {self.translate(warning)}")


def command(
    name: str, *, example: str, scope: bool = False, dry_run: bool = False
) -> Callable[[Callable[..., None]], Command]:
    """Make a function a command: with `--json`, and `--scope` and `--dry-run` where asked for.

    The function gets a `Door` first. Its docstring is the help text; `example` ends it.
    """

    def make(run: Callable[..., None]) -> Command:
        def opened(folder: str | None, values: dict[str, Any]) -> None:
            guarded(open_door(name, folder, as_json=values.pop("as_json")), run, values)

        lines = ["\b", "Example:", *(f"  {line}" for line in example.split("\n"))]
        about = "\n    ".join([f"{(run.__doc__ or '').rstrip()}\n", *lines])
        if dry_run:
            option("--dry-run", is_flag=True, help="Show what would happen; change nothing.")(run)
        if scope:
            option(
                "--scope",
                type=Choice(SCOPE_NAMES),
                help="The store: this project's, or the global one.",
            )(run)
        option("--json", "as_json", is_flag=True, help="Answer as JSON.")(run)
        return Command(name, opened, about, run.__dict__.pop("parameters"))

    return make


def open_door(name: str, folder: str | None = None, *, as_json: bool) -> Door:
    """The door of a command, in the folder that the program was told to run in."""
    try:
        return Door(name, as_json=as_json, folder=folder)
    except FileNotFoundError:  # somebody took the current folder away
        os.chdir("/")
        door = Door(name, as_json=as_json, folder=None)
        sys.exit(report(door, FileNotThere(path=".", reason="the current folder no longer exists")))


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
        key: door.translate(value) if key in PHRASES and isinstance(value, str) else value
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

    from recollect import __version__
    from recollect.store import disk as fsio
    from recollect.store import locations as places

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


# -------------------- Command line: completing ids and settings in a shell.


MOST = 50


def complete_ids(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """The ids that start like this; none rather than an error."""
    from recollect.app import App
    from recollect.model.memory import Filter

    app = App(ctx.find_root().params.get("folder"))
    try:
        found = (e.id for store in app.stores() for e in store.index.entries(Filter()))
        return [name for name in found if name.startswith(incomplete)][:MOST]
    except Exception:  # noqa: BLE001 - a shell asks while somebody types
        return []
    finally:
        app.close()


def complete_settings(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """The settings that start like this."""
    from recollect.features import settings

    return [name for name in settings.names() if name.startswith(incomplete)]


# -------------------- Command line: the options that narrow a list of memories.


_DAY = Pattern(r"(\d{4})(?:-(\d\d))?(?:-(\d\d))?")


def filters(run: Any) -> Any:
    """Give a command the options that narrow a list of memories."""
    for add in reversed(
        (
            option("--layer", type=Choice(model.LAYERS), default=None, help="Only this layer."),
            option(
                "--kind",
                type=Choice(model.KINDS),
                default=None,
                metavar="KIND",
                help=f"Only this kind: {', '.join(model.KINDS)}.",
            ),
            option(
                "--type",
                "word",
                default=None,
                metavar="WORD",
                help="Only this kind (decision), category (bugfix) or layer (semantic).",
            ),
            option("--tags", default=None, help="Only memories with all of these tags."),
            option("--file", default=None, help="Only about files whose path contains this."),
            option("--concept", default=None, help="Only about this concept."),
            option("--session", default=None, help="Only from this session."),
            option(
                "--since", default=None, help="Not older than this day (2026-01-31, 2026-01, 2026)."
            ),
            option("--until", default=None, help="Not newer than this day."),
            option("--archived", is_flag=True, help="Search the archive instead."),
        )
    ):
        run = add(run)
    return run


def filter_of(door: Door, given: dict[str, Any]) -> Filter:
    """The filter that the options ask for."""
    for name in ("since", "until"):
        if given[name] and not _is_day(given[name]):
            raise door.refusal(f"--{name} must be a day such as 2026-01-31, not “{given[name]}”.")
    named = {"layer": given["layer"] or "", "kind": given["kind"] or "", "category": ""}
    if given["word"]:
        field, word = _field_of(given["word"].strip().lower())
        if named[field] not in ("", word):
            raise door.refusal(f"--type {word} and --{field} {named[field]} exclude each other.")
        named[field] = word
    return Filter(
        layer=named["layer"],
        kind=named["kind"],
        category=named["category"],
        tags=words(given["tags"]),
        file=given["file"] or "",
        concept=given["concept"] or "",
        session=given["session"] or "",
        since=given["since"] or "",
        # `~` comes after every digit: the whole day, month or year is meant.
        until=f"{given['until']}~" if given["until"] else "",
        archived=given["archived"],
    )


def _field_of(word: str) -> tuple[str, str]:
    """`(field, word)`: what a word of --type is about; no word is of two fields."""
    if word in model.LAYERS:
        return "layer", word
    one = word.removesuffix("s")  # seed 003 speaks of decisions, patterns, issues
    return ("kind", one) if one in model.KINDS else ("category", word)


def _is_day(text: str) -> bool:
    """Whether a text is a day, a month or a year that exists."""
    match = _DAY.fullmatch(text)
    if not match:
        return False
    from datetime import date  # takes as long to load as a search

    try:
        date(int(match[1]), int(match[2] or 1), int(match[3] or 1))
    except ValueError:
        return False
    return True
