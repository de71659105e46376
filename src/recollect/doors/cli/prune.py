"""Command line: prune."""

from __future__ import annotations

from collections.abc import Iterable

from recollect.app import pruning
from recollect.app.pruning import Pruned
from recollect.domain.pruning import Due
from recollect.doors.cli.door import Door, command
from recollect.doors.cli.helping import option

WHY = {
    "superseded": "  {id}  (superseded; untouched since {day})",
    "resolved": "  {id}  (resolved; untouched since {day})",
    "unused": "  {id}  (of low salience; not needed since {day})",
}


@command(
    "prune",
    scope=True,
    dry_run=True,
    example="recollect prune\nrecollect prune --apply",
)
@option("--apply", "apply", is_flag=True, help="Move them into the archive.")
def prune_command(door: Door, apply: bool, scope: str | None, dry_run: bool) -> None:
    """List what is past its use by your policy, or move it into the archive.

    The policy is in the settings: after how many days memories go that were superseded, issues that
    were resolved, and memories of low salience that nobody needs. With prune.auto consolidation does
    it as well. Nothing is deleted: `recollect activate ID` brings a memory back, and it stays then.
    """
    done = pruning.prune(door.app, scope=scope or "", apply=apply and not dry_run)
    door.answer(
        [one.as_json() for one in done],
        lambda: _show(door, done, apply=apply, dry_run=dry_run),
    )


def _show(door: Door, done: list[Pruned], *, apply: bool, dry_run: bool) -> None:
    for one in done:
        scope = door.word(one.scope)
        if not any(one.policy):
            door.tell("The {scope} store has no policy: nothing is ever pruned.", scope=scope)
        elif not one.rows:
            door.tell("The {scope} store has nothing to prune.", scope=scope)
        elif apply and not dry_run:
            door.tell(
                "Moved into the archive of the {scope} store: {n}", scope=scope, n=len(one.rows)
            )
        else:
            door.tell("Past their use in the {scope} store: {n}", scope=scope, n=len(one.rows))
        show_rows(door, one.rows)
    if dry_run:
        door.tell("Nothing was changed (--dry-run).", style="dim")
    elif not apply and any(one.rows for one in done):
        door.tell("Move them into the archive with `recollect prune --apply`.", style="dim")


def show_rows(door: Door, rows: Iterable[Due]) -> None:
    """A line for each memory that goes."""
    for row in rows:
        door.tell(WHY[row.why], id=row.entry.id, day=row.since, style="dim")
