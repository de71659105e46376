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
@option("--accept", is_flag=True, help="Relate them: each names the other from then on.")
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
    """List memories that seem to belong together, or relate them.

    They have files, concepts, tags or words of their titles in common. What is related is given to an
    agent together, as far as the budget goes. Two that you name are related whatever they have in
    common. `recollect undo` takes it back.
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
        door.tell("Nothing seems to belong together that is not related yet.")
        return
    for tie in ties:
        door.paper.line(("bold", f"{tie.id} – {tie.other}"), ("dim", f"  {', '.join(tie.shared)}"))
    if accept and dry_run:
        door.tell("Nothing was changed (--dry-run).", style="dim")
    elif accept:
        door.tell("They are related now.")
        door.tell("  `recollect undo` takes it back.", style="dim")
    else:
        door.tell(
            "Relate them with `recollect related ID --accept`; --dismiss ends a proposal.",
            style="dim",
        )
