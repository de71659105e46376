"""Command line: capture, consolidate, rebuild-index, archive, activate, supersede."""

from __future__ import annotations

import sys

import click

from recollect.app import capturing, lifecycle
from recollect.doors.cli import consolidation
from recollect.doors.cli.door import SCOPE_NAMES, Door, command, report
from recollect.doors.cli.helping import FilePath, option
from recollect.doors.cli.progress import Progress
from recollect.errors import TooMuch

MOST_NAMED = 20


@command(
    "capture",
    dry_run=True,
    example="recollect capture ~/.claude/projects\nrecollect capture transcript.jsonl --scope project",
)
@click.argument("transcript", type=FilePath())
@option("--client", type=click.Choice(capturing.CLIENTS), default="claude", show_default=True)
@option(
    "--scope",
    type=click.Choice(SCOPE_NAMES),
    default=None,
    help="Put everything into this store; by default each session goes to its own project's.",
)
def capture_command(
    door: Door, transcript: str, client: str, scope: str | None, dry_run: bool
) -> None:
    """Make memories of transcripts: one file, or all in a folder and below.

    What was captured before is not captured again, so it can be run as often as you like. The
    exit code is 1 if a transcript could not be captured; the others are.
    """
    with Progress(door, "capturing") as progress:
        done = capturing.capture_path(
            door.app, transcript, client, scope=scope or "", dry_run=dry_run, progress=progress.step
        )
    door.answer(done.as_json(), lambda: _show_captured(door, transcript, done, dry_run=dry_run))
    if done.failed:
        sys.exit(1)


def _show_captured(door: Door, place: str, done: capturing.Report, *, dry_run: bool) -> None:
    if not done.transcripts:
        door.tell("There are no transcripts in {path}.", path=place)
    elif dry_run:
        door.tell("Transcripts that would be looked through: {n}", n=done.nothing)
    else:
        door.tell(
            "New memories: {created}, brought up to date: {changed}, known or too slight: {nothing}",
            created=done.created,
            changed=done.changed,
            nothing=done.nothing,
        )
    for name in done.memories:
        door.paper.line(("dim", f"  {name}"))
    if done.without_store:
        door.tell(
            "  {n} of folders without a store; `recollect init --scope global` makes one for them",
            n=done.without_store,
            style="dim",
        )
    for path, why in done.failed:
        door.tell("{path}: {why}", path=path, why=door.heard(why), style="yellow")


@command(
    "consolidate",
    scope=True,
    dry_run=True,
    example="recollect consolidate --dry-run\nrecollect consolidate",
)
@option(
    "--force-decay",
    is_flag=True,
    help="Archive the episodes past their time even if they are more than a tenth of the store.",
)
def consolidate_command(door: Door, scope: str | None, force_decay: bool, dry_run: bool) -> None:
    """Put what was learned where it belongs, and bring index, views and brief up to date.

    What sessions found out goes into lasting memories, each statement once and with its origin; what
    something newer contradicts gives way; episodes past their time are archived when every statement
    of them is found elsewhere. What is not certain waits for you: `recollect conflicts`. Each change
    is in `recollect history` and can be undone by itself.
    """
    done = lifecycle.consolidate(
        door.app, scope=scope or "", dry_run=dry_run, force_decay=force_decay
    )

    def show() -> None:
        for row in done:
            consolidation.show(door, row, dry_run=dry_run)
        if dry_run:
            door.tell("Nothing was changed (--dry-run).", style="dim")

    door.answer([row.as_json() for row in done], show)
    refused = sum(len(row.outcome.archives) for row in done if row.outcome.refused)
    if refused and not dry_run:
        door.app.close()
        error = TooMuch(
            what=f"{refused} episodes are past their time, more than a tenth of the store; they stay.",
            flag="--force-decay",
        )
        sys.exit(error.exit_code if door.as_json else report(door, error))


@command("rebuild-index", scope=True, dry_run=True, example="recollect rebuild-index")
def rebuild_index_command(door: Door, scope: str | None, dry_run: bool) -> None:
    """Make the index anew from the files, and say what it has before and after.

    What cannot be read is named, and stays as it is: the rest is found without it.
    """
    with Progress(door, "indexing") as progress:
        done = lifecycle.rebuild_index(
            door.app, scope=scope or "", dry_run=dry_run, progress=progress.step
        )

    def show() -> None:
        for row in done:
            door.paper.line(("bold", door.word(row.scope)))
            door.paper.pairs(
                [
                    (door.say("files"), f"{row.files:,}"),
                    (door.say("memories before"), f"{row.before:,}"),
                    (door.say("memories after"), f"{row.after:,}"),
                    (door.say("with problems"), f"{len(row.unread):,}"),
                ]
            )
            for problem in row.unread[:MOST_NAMED]:
                said = f"  {problem.path}  {door.heard(problem.sentence)}"
                door.paper.line(("yellow", said))
            if len(row.unread) > MOST_NAMED:
                door.tell("… and {n} more; --json names all", n=len(row.unread) - MOST_NAMED)
        if dry_run:
            door.tell("Nothing was changed (--dry-run).", style="dim")

    door.answer([row.as_json() for row in done], show)
