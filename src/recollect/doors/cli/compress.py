"""Command line: compress, which puts old sessions away."""

from __future__ import annotations

import click

from recollect.app import compressing
from recollect.app.compressing import Compressed
from recollect.doors.cli.door import Door, command
from recollect.doors.cli.helping import option


@command("compress", scope=True, dry_run=True, example="recollect compress --dry-run")
@option(
    "--older-than",
    "days",
    type=click.IntRange(min=1),
    default=compressing.OLD_DAYS,
    show_default=True,
    metavar="DAYS",
    help="How long ago a session was last changed.",
)
def compress_command(door: Door, days: int, scope: str | None, dry_run: bool) -> None:
    """Put old sessions away: into the archive, with a page for each month of them.

    The pages are in `sessions/archive`. A session keeps its id: `show ID --level 3` has its raw
    conversation, `search --archived` finds it, and `undo` brings a month back. `core/recent.md`
    says in a few lines what came before the sessions that each brief lists.
    """
    done = compressing.compress(door.app, days=days, scope=scope or "", dry_run=dry_run)

    def show() -> None:
        for row in done:
            _show_compressed(door, row, dry_run=dry_run)

    door.answer([row.as_json() for row in done], show)


def _show_compressed(door: Door, row: Compressed, *, dry_run: bool) -> None:
    for one in row.months:
        n, path = len(one.memories) + len(one.files), one.path
        if dry_run:
            door.tell("Sessions that would be put away, with a page in {path}: {n}", n=n, path=path)
        else:
            door.tell("Sessions put away, with a page in {path}: {n}", n=n, path=path)
        for name in (*one.memories, *one.files):
            door.paper.line(("dim", f"  {name}"))
    if row.recent:
        door.tell("Would renew {path}" if dry_run else "Renewed {path}", path="core/recent.md")
    if not row.months and not row.recent:
        door.tell("Nothing is to be put away in the {scope} store.", scope=door.word(row.scope))
