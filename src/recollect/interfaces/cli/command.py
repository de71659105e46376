"""Declare commands and run them: `--json`, `--scope`, `--dry-run`, the workspace, error reports.

A broken pipe ends quietly. A bug leaves a report with its traceback and prints its path.
"""

from __future__ import annotations

import os
import sys
from contextlib import AbstractContextManager, contextmanager, suppress

from recollect._fastimport import Any, Callable, Iterable, Iterator, Mapping, NamedTuple, Sequence
from recollect.app import App
from recollect.errors import (
    Failed,
    FileNotThere,
    MemoryNotFound,
    NotText,
    RecollectError,
    StorageFailed,
    UsageProblem,
)
from recollect.i18n import say, translate, word
from recollect.interfaces.cli.console import GLUE, Console, drop_output, progress_bar, shown_line
from recollect.interfaces.cli.parsing import HELP, ID, Choice, Parameter, flag, option, parse
from recollect.ports import Copy
from recollect.store.disk import read_file
from recollect.workspace import is_agent

BUG_EXIT = 70
LARGEST_INPUT = 32 * 1024 * 1024
SCOPES = Choice(("project", "global"))
# Fields in which a lower room hands up a finished phrase; all others are data.
PHRASES = ("what", "reason", "where", "who")
# Options that many commands share; `CommandContext` has their values.
JSON = flag("--json", "as_json", help="Answer as JSON.")
DRY_RUN = flag("--dry-run", help="Show what would happen; change nothing.")
SCOPE = option("--scope", type=SCOPES, help="The store: this project's, or the global one.")


class CommandContext:
    """One run of a command: where it runs, its shared options, and its output."""

    def __init__(
        self, command: str, folder: str | None, *, as_json: bool, scope: str, dry_run: bool
    ) -> None:
        """`folder` is that of `recollect -C`; None means the current one."""
        self.command, self.folder = command, folder
        self.as_json, self.scope, self.dry_run = as_json, scope, dry_run
        self.console = Console(is_silent=as_json)
        self.app = App(folder)
        if sys.stdin.isatty() and sys.stderr.isatty():
            self.app.ask_passphrase = lambda: self.ask_hidden(self.say("Passphrase of your key"))
        self.lang = self.app.lang
        self.reported: list[str] = []  # warnings that the output contains already

    def close(self) -> None:
        """Close the stores and print the warnings."""
        self.app.close()
        warnings = [*self.app.warnings, *self.app.setting_problems()]
        for warning in dict.fromkeys(warnings):
            if warning not in self.reported:
                self.console.complain(f"recollect: {self.translate(warning)}")

    # Language.

    def say(self, sentence: str, **fields: object) -> str:
        """A sentence in the person's language; texts are made harmless, whole numbers get commas."""
        return say(self.lang, sentence, **_harmless(fields))

    def _sentence(self, sentence: str, fields: Mapping[str, object]) -> str:
        """A sentence for `Console.prose`, which breaks no path."""
        return say(self.lang, sentence, **_with_glue(_harmless(fields)))

    def say_translated(
        self, sentence: str, fields: Mapping[str, object], *, glue: bool = False
    ) -> str:
        """The sentence of an error or a finding, with its phrases in the person's language.

        With `glue` it is for `Console.complain`, which breaks no path.
        """
        shown = {
            k: v if not isinstance(v, str) else self.translate(v) if k in PHRASES else shown_line(v)
            for k, v in fields.items()
        }
        return say(self.lang, sentence, **(_with_glue(shown) if glue else shown))

    def word(self, text: str) -> str:
        """A word of ours in the person's language; any other text as it is."""
        return word(self.lang, text)

    def listed(self, parts: Iterable[str]) -> str:
        """Parts with what the person's language puts between them."""
        return ("、" if self.lang == "zh" else ", ").join(parts)

    def translate(self, text: str) -> str:
        """A finished sentence of a lower room in the person's language."""
        return translate(self.lang, shown_line(text))

    # Output.

    def answer(self, value: object) -> None:
        """Print `value` if JSON was asked for; all other output is dropped then."""
        if self.as_json:
            self.console.json(value)

    def tell(self, sentence: str, *, style: str = "", **fields: object) -> None:
        """Print a sentence."""
        self.console.prose((style, self._sentence(sentence, fields)))

    def hint(self, sentence: str, **fields: object) -> None:
        """Print a sentence of minor importance."""
        self.console.prose(("dim", self._sentence(sentence, fields)))

    def tell_change(self, would: str, did: str, *, style: str = "", **fields: object) -> None:
        """Print `would` if nothing was changed (--dry-run), else `did`; the style is that of `did`."""
        if self.dry_run:
            self.console.prose(self._sentence(would, fields))
        else:
            self.console.prose((style, self._sentence(did, fields)))

    def tell_dry_run(self) -> None:
        """Print that nothing was changed, if that was asked for."""
        if self.dry_run:
            self.hint("Nothing was changed (--dry-run).")

    def tell_undo(self) -> None:
        """Print how the change can be undone, or that there was none."""
        if not self.dry_run:
            self.hint("  `recollect undo` reverts it.")
        self.tell_dry_run()

    def hint_unaccepted(self, path: str) -> None:
        """Print that agents are not told what was written on a page that came with the project."""
        from recollect.features.memories import is_doubted  # most commands need none of it

        if not self.dry_run and is_doubted(self.app, path):
            self.hint(
                "  its page came with the project: agents are not told it until you accept the project's with `recollect review --repository accept`"
            )

    def tell_copies(self, copies: Iterable[Copy]) -> None:
        """Print where a text that was removed still is."""
        for what, path in copies:
            self.tell("  {what}: {path}", what=self.word(what), path=path, style="yellow")

    def preview(self, text: str) -> None:
        """Print a text that would be written."""
        if self.dry_run:
            self.console.line()
            self.console.block(text)

    def table(self, heads: Sequence[str], rows: Sequence[Sequence[str]], **layout: Any) -> None:
        """Print rows in columns, as `Console.table` does, with translated heads."""
        self.console.table([self.say(head) for head in heads], rows, **layout)

    def pairs(self, rows: Mapping[str, str | int]) -> None:
        """Print names, translated, with their values; those with an empty value are left out."""
        shown = [(name, f"{v:,}" if isinstance(v, int) else v) for name, v in rows.items()]
        self.console.pairs([(self.say(name), value) for name, value in shown if value])

    def progress(self, what: str) -> AbstractContextManager[Callable[..., None]]:
        """A progress bar on stderr, if a person can see it."""
        return progress_bar(self.say(what), is_shown=sys.stderr.isatty() and not self.as_json)

    # Questions.

    @property
    def can_ask(self) -> bool:
        """Whether a person is there to answer."""
        has_terminal = sys.stdin.isatty() and sys.stderr.isatty() and not self.as_json
        return has_terminal and not is_agent(self.app.env)

    def ask_hidden(self, question: str, *, twice: bool = False) -> str:
        """The answer to a question, hidden while it is typed. Raises Failed."""
        with _questions() as click:
            return str(click.prompt(question, hide_input=True, confirmation_prompt=twice, err=True))

    def confirm(self, question: str, refusal: str) -> None:
        """Ask whether to go on. Raises Failed if not, UsageProblem where nobody can answer."""
        if not sys.stdin.isatty():
            raise self.usage_error(refusal)
        with _questions() as click:
            click.confirm(question, abort=True)

    def choose(self, question: str, answers: Sequence[str]) -> str:
        """One of these answers; the first one by default and if the person stops."""
        with suppress(Failed), _questions() as click:
            kind = click.Choice(answers)
            return str(click.prompt(question, type=kind, default=answers[0], err=True))
        return answers[0]

    def usage_error(self, what: str) -> UsageProblem:
        """The error for invalid arguments of this command."""
        return UsageProblem(what=what, command=self.command)


def _harmless(fields: Mapping[str, object]) -> dict[str, object]:
    """The fields of a sentence as they are shown."""
    return {
        k: shown_line(v) if isinstance(v, str) else f"{v:,}" if isinstance(v, int) else v
        for k, v in fields.items()
    }


def _with_glue(fields: Mapping[str, object]) -> dict[str, object]:
    """The fields of a sentence, with paths that stay on one line."""
    return {
        k: v.replace(" ", GLUE) if isinstance(v, str) and v[:1] in ("/", "~") else v
        for k, v in fields.items()
    }


@contextmanager
def _questions() -> Iterator[Any]:
    """Click, which asks. Raises Failed where the person stops."""
    import click  # few commands ask

    try:
        yield click
    except click.Abort:
        raise Failed(what="Stopped; nothing was changed.") from None


class Command(NamedTuple):
    """A command: its function gets a CommandContext and the values of the parameters by name."""

    name: str
    function: Callable[..., None]  # its docstring is the help
    parameters: Sequence[Parameter]
    example: str

    def parse(self, words: Sequence[str]) -> dict[str, Any]:
        """The values that these words give. Raises UsageProblem."""
        try:
            return parse([*self.parameters, HELP], words)[0]
        except ValueError as error:
            raise UsageProblem(what=str(error), command=self.name) from None

    def run(self, folder: str | None, values: dict[str, Any]) -> None:
        """Run with parsed values; every error becomes a sentence and an exit code."""
        shared = {"as_json": values.pop("as_json"), "scope": "", "dry_run": False}
        shared |= {name: values.pop(name) for name in shared if name in values}
        ctx = open_context(self.name, folder, **shared)
        try:
            for one in self.parameters:
                given = values.get(one.name)
                if one.type is ID and isinstance(given, tuple):
                    values[one.name] = tuple(map(ctx.app.full_name, given))
                elif one.type is ID and given:
                    values[one.name] = ctx.app.full_name(given)
            self.function(ctx, **values)
            sys.stdout.flush()
        except RecollectError as error:
            sys.exit(report(ctx, error))
        except BrokenPipeError:
            drop_output()
            sys.exit(0)
        except KeyboardInterrupt:
            sys.exit(130)
        except Exception as error:  # noqa: BLE001 - the one place where a bug is caught
            sys.exit(_report_unexpected(ctx, error))
        finally:
            ctx.close()


def command(
    *parameters: Parameter, example: str, scope: bool = False, dry_run: bool = False
) -> Callable[[Callable[..., None]], Command]:
    """Make `do_it_command` the command `do-it`, with `--json`, and `--scope` and `--dry-run` if asked for.

    The values of those are in the `CommandContext`.
    """
    shared = [JSON, *([SCOPE] if scope else []), *([DRY_RUN] if dry_run else [])]

    def declared(function: Callable[..., None]) -> Command:
        name = function.__name__.removesuffix("_command").replace("_", "-")
        return Command(name, function, [*shared, *parameters], example)

    return declared


def open_context(
    name: str, folder: str | None = None, *, as_json: bool, scope: str = "", dry_run: bool = False
) -> CommandContext:
    """The context of a command; ends the process if the current folder no longer exists."""
    shared: dict[str, Any] = {"as_json": as_json, "scope": scope, "dry_run": dry_run}
    try:
        return CommandContext(name, folder, **shared)
    except FileNotFoundError:
        os.chdir("/")
        error = FileNotThere(path=".", reason="the current folder no longer exists")
        sys.exit(report(CommandContext(name, None, **shared), error))


def report(ctx: CommandContext, error: RecollectError) -> int:
    """Print what happened and what to do next; returns the exit code."""
    from recollect.interfaces.cli.main import FULL_NAMES  # which imports this module

    ctx.reported.append(f"{error} {error.next_step}")
    fields = dict(error.fields)
    if name := FULL_NAMES.get(str(fields.get("command"))):
        fields["command"] = name
    step = ctx.say_translated(error.next_step, fields)
    if isinstance(error, MemoryNotFound) and (near := ctx.app.near_names(str(error.fields["id"]))):
        step = ctx.say("Did you mean {near}?", near=ctx.listed(near))
        if error.fields["id"] in near:
            step = ctx.say(
                "It is in the other store: `recollect show {id}` says where.", **error.fields
            )
    message = ctx.say_translated(error.sentence, error.fields, glue=not ctx.as_json)
    _complain(ctx, error.kind, message, step, error.exit_code)
    return error.exit_code


def _complain(ctx: CommandContext, kind: str, message: str, step: str, code: int) -> None:
    if ctx.as_json:
        about = {"kind": kind, "message": message, "next": step, "exit": code}
        with suppress(OSError):
            ctx.console.json({"error": about})
            sys.stdout.flush()
        return
    ctx.console.complain(f"recollect: {message}")
    if step:
        ctx.console.complain(f"  → {step}")


def _report_unexpected(ctx: CommandContext, error: Exception) -> int:
    if isinstance(error, OSError) and not error.filename:
        # Files of ours go through `store.disk`, so this is stdout, for example on a full disk.
        drop_output()
        ctx.as_json = False
        reason = os.strerror(error.errno or 0) or str(error)
        return report(ctx, StorageFailed(path="stdout", reason=reason))
    return _report_bug(ctx, error)


def _report_bug(ctx: CommandContext, error: Exception) -> int:
    """Write a report of a bug into the cache and print its path."""
    import platform
    import traceback

    from recollect._version import __version__
    from recollect.store import disk, locations

    base = locations.cache_root(ctx.app.env)
    path = f"{base}/report-{ctx.app.now.replace(':', '')}.txt" if base else ""
    trace = "".join(traceback.format_exception(error))
    system = os.uname()  # `platform` would run a program to know more
    about = f"{system.sysname} {system.release} {system.machine}"
    text = f"recollect {__version__}, Python {platform.python_version()}, {about}\n\n{trace}"
    with suppress(RecollectError, OSError):
        disk.make_folder(base)
        disk.write_whole(path, ctx.app.redact(text).encode("utf-8", "replace"))
    name = f"{type(error).__name__}: {error}"
    step = ctx.say("A report is in {path}.", path=path) if path else ""
    _complain(
        ctx, "bug", ctx.say("This is a bug in Recollect: {error}", error=name), step, BUG_EXIT
    )
    return BUG_EXIT


# Values that commands are given, or show.


def counted(ctx: CommandContext, counts: Mapping[str, int]) -> str:
    """How often each word of ours occurs, in the person's language."""
    return ctx.listed(f"{ctx.word(one)} {count:,}" for one, count in counts.items())


def comma_list(text: str | None) -> tuple[str, ...]:
    """The items of an option that takes several, separated by commas."""
    items = (text or "").replace("，", ",").replace("、", ",").split(",")
    return tuple(item.strip() for item in items if item.strip())


def read_text(path: str) -> str:
    """The whole text of a file, or of stdin for `-`. Raises FileNotThere, NotText."""
    if path == "-":
        path, data = "stdin", sys.stdin.buffer.read(LARGEST_INPUT + 1)
    elif os.path.isdir(path):
        raise FileNotThere(path=path, reason="it is a folder")
    else:
        data = read_file(os.path.realpath(path), LARGEST_INPUT)
    if len(data) > LARGEST_INPUT:
        raise FileNotThere(path=path, reason=f"it has more than {LARGEST_INPUT:,} bytes")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise NotText(path=path) from None
