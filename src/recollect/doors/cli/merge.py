"""Command line: merge."""

from __future__ import annotations

import click

from recollect.app import merging
from recollect.domain.duplicates import Pair
from recollect.doors.cli.door import Door, command
from recollect.doors.cli.proposals import decide, dismissible


@command(
    "merge",
    scope=True,
    dry_run=True,
    example="recollect merge\nrecollect merge use-postgres use-postgresql --dry-run\n"
    "recollect merge use-postgres postgres-tips --dismiss",
)
@click.argument("name", metavar="[ID", required=False)
@click.argument("other", metavar="OTHER]", required=False)
@dismissible
def merge_command(
    door: Door,
    name: str | None,
    other: str | None,
    scope: str | None,
    dismiss: bool,
    again: bool,
    dry_run: bool,
) -> None:
    """Make one memory of two that say the same, or list those that seem to.

    ID stays and takes in what only OTHER says; OTHER goes into the archive as it is, where `show` and
    `history` still find it under its id. `recollect undo` takes it all back.
    """
    if dismiss or again:
        decide(door, merging.dismiss, (name, other), again=again, dry_run=dry_run)
    elif name and other:
        _merge(door, name, other, dry_run=dry_run)
    elif name:
        raise door.refusal("`merge` takes two memories, or none.")
    else:
        found = merging.proposals(door.app, scope=scope or "")
        rows = [{**pair._asdict(), "scope": where} for where, pair in found]
        door.answer(rows, lambda: _show(door, [pair for _, pair in found]))


def _merge(door: Door, name: str, other: str, *, dry_run: bool) -> None:
    done = merging.merge(door.app, name, other, dry_run=dry_run)

    def show() -> None:
        if dry_run:
            door.paper.block(done.text)
            door.tell("Nothing was changed (--dry-run).", style="dim")
            return
        door.tell("{name} has taken in {other}", name=done.id, other=other)
        door.tell("  {other} is kept in {path}", other=other, path=done.archived, style="dim")
        for one in done.related:
            door.tell("  {memory} names {name} now", memory=one, name=done.id, style="dim")
        door.tell("  `recollect undo` takes it back.", style="dim")

    door.answer({**done._asdict(), "other": other}, show)


def _show(door: Door, pairs: list[Pair]) -> None:
    if not pairs:
        door.tell("No two memories seem to say the same.")
        return
    for pair in pairs:
        if pair.why == "title":
            door.tell("{id} and {other} have the same title", id=pair.id, other=pair.other)
        elif pair.why == "alike":
            door.tell("{id} and {other} have much the same title", id=pair.id, other=pair.other)
        else:
            door.tell(
                "{id} and {other} have {shared} statements in common",
                id=pair.id,
                other=pair.other,
                shared=pair.shared,
            )
    door.tell(
        "Merge two with `recollect merge ID OTHER`; --dismiss lets them be two for good.",
        style="dim",
    )
