"""Command line: capture, consolidate, rebuild-index."""

from __future__ import annotations

import click

from recollect.doors.cli.door import Door, command
from recollect.doors.cli.progress import Progress


@command(
    "capture",
    dry_run=True,
    example="recollect capture ~/.claude/projects\nrecollect capture transcript.jsonl --scope project",
)
@click.argument("transcript", type=click.Path())
@click.option("--client", type=click.Choice(["claude"]), default="claude", show_default=True)
@click.option(
    "--scope",
    type=click.Choice(["project", "global"]),
    default=None,
    help="Put everything into this store; by default each session goes to its own project's.",
)
def capture_command(
    door: Door, transcript: str, client: str, scope: str | None, dry_run: bool
) -> None:
    """Make memories of transcripts: one file, or all in a folder and below.

    What was captured before is not captured again, so it can be run as often as you like.
    """
    from recollect.app import capturing

    with Progress(door, "capturing") as progress:
        done = capturing.capture_path(
            door.app, transcript, client, scope=scope or "", dry_run=dry_run, progress=progress.step
        )

    def show() -> None:
        door.tell(
            "{n} transcripts: {created} new memories, {changed} brought up to date, {nothing} known or too slight.",
            n=done.transcripts,
            created=done.created,
            changed=done.changed,
            nothing=done.nothing,
        )
        for path, why in done.failed:
            door.tell("{path}: {why}", path=path, why=why, style="yellow")
        if dry_run:
            door.tell("Nothing was changed (--dry-run).", style="dim")

    door.answer(done._asdict(), show)


@command("consolidate", scope=True, dry_run=True, example="recollect consolidate --dry-run")
def consolidate_command(door: Door, scope: str | None, dry_run: bool) -> None:
    """Bring index, views and brief up to date."""
    from recollect.app import lifecycle

    done = lifecycle.consolidate(door.app, scope=scope or "", dry_run=dry_run)

    def show() -> None:
        for row in done:
            for view in row.views:
                door.tell("Would write {view}" if dry_run else "Wrote {view}", view=view)
            if not row.views:
                door.tell("The {scope} store is up to date.", scope=row.scope)

    door.answer([row._asdict() for row in done], show)


@command("rebuild-index", scope=True, dry_run=True, example="recollect rebuild-index")
def rebuild_index_command(door: Door, scope: str | None, dry_run: bool) -> None:
    """Make the index anew from the files, and say what it has before and after."""
    from recollect.app import lifecycle

    with Progress(door, "indexing") as progress:
        done = lifecycle.rebuild_index(
            door.app, scope=scope or "", dry_run=dry_run, progress=progress.step
        )

    def show() -> None:
        for row in done:
            door.tell(
                "{scope}: {before} memories before, {after} after ({files} files, {problems} with problems).",
                scope=row.scope,
                before=row.before,
                after=row.after,
                files=row.files,
                problems=row.problems,
            )

    door.answer([row._asdict() for row in done], show)
