"""Command: related."""

from __future__ import annotations

from recollect.features import merge as relating
from recollect.features.merge import Tie
from recollect.interfaces.cli.context import Door, command
from recollect.interfaces.cli.parsing import argument, option
from recollect.interfaces.cli.progress import decide, dismissible


@command(
    "related",
    scope=True,
    dry_run=True,
    example="recollect related\nrecollect related use-postgres --accept\n"
    "recollect related use-postgres paint-the-fence --dismiss",
)
@argument("name", metavar="[ID", required=False)
@argument("other", metavar="[OTHER]]", required=False)
@option("--accept", is_flag=True, help="Relate them: each refers to the other.")
@dismissible
def related_command(
    door: Door,
    name: str | None,
    other: str | None,
    accept: bool,
    dismiss: bool,
    again: bool,
    scope: str | None,
    dry_run: bool,
) -> None:
    """List memories that seem related, or relate them.

    They share files, concepts, tags or title words. Related memories are given to an agent
    together, within the budget. Two that you name are related in any case. `recollect undo`
    reverts it.
    """
    if dismiss or again:
        decide(door, relating.dismiss, (name, other), again=again, dry_run=dry_run)
        return
    found = relating.related(
        door.app, name or "", other or "", scope=scope or "", accept=accept, dry_run=dry_run
    )
    rows = [{**tie._asdict(), "scope": where} for where, tie in found]
    door.answer(rows, lambda: _show(door, [tie for _, tie in found], accept, dry_run))


def _show(door: Door, ties: list[Tie], accept: bool, dry_run: bool) -> None:
    if not ties:
        door.tell("No new related memories found.")
        return
    for tie in ties:
        door.paper.line(("bold", f"{tie.id} – {tie.other}"), ("dim", f"  {', '.join(tie.shared)}"))
    if accept and dry_run:
        door.tell("Nothing was changed (--dry-run).", style="dim")
    elif accept:
        door.tell("They are now related.")
        door.tell("  `recollect undo` reverts it.", style="dim")
    else:
        door.tell(
            "Relate them with `recollect related ID --accept`; --dismiss drops a suggestion.",
            style="dim",
        )
