"""Command line: archive, activate."""

from __future__ import annotations

from typing import Any

import click

from recollect.app import archive
from recollect.app.archive import Archived
from recollect.domain.model import Entry
from recollect.doors.cli.door import Door, command
from recollect.doors.cli.helping import option
from recollect.services.consolidate.archiving import Stats

_REASONS = {
    "inactive": "  {id}  (last active {day}, more than {days} days ago)",
    "beyond": "  {id}  (last active {day}, the oldest of more than {most})",
    "asked": "  {id}  (last active {day}, asked for with --force)",
}


@command(
    "archive",
    scope=True,
    dry_run=True,
    example="recollect archive --dry-run\nrecollect archive --stats",
)
@option("--stats", is_flag=True, help="Count the conversations; move nothing.")
@option(
    "--force",
    is_flag=True,
    help="Archive the one that was active longest ago even if no rule asks for it.",
)
def archive_command(door: Door, stats: bool, force: bool, scope: str | None, dry_run: bool) -> None:
    """Move conversations that are no longer active into the archive.

    They go after 14 days without activity; of more than 20 active ones, the oldest go (archive.days and
    archive.most in the settings). An archived conversation costs nothing at recall, is found with
    `recollect search --archived`, and comes back with `recollect activate`. Nothing is ever deleted.
    """
    if stats:
        counted = archive.stats(door.app, scope=scope or "")
        rows = [{"scope": where, **one._asdict()} for where, one in counted]
        door.answer(rows, lambda: _show_stats(door, counted))
        return
    done = archive.archive(door.app, scope=scope or "", force=force, dry_run=dry_run)
    door.answer(
        [_json_of(one) for one in done], lambda: _show_archived(door, done, dry_run=dry_run)
    )


def _json_of(done: Archived) -> dict[str, Any]:
    rows = [
        {"id": one.entry.id, "title": one.entry.title, "active": one.active, "why": one.why}
        for one in done.rows
    ]
    return {"scope": done.scope, "archived": rows}


def _show_archived(door: Door, done: list[Archived], *, dry_run: bool) -> None:
    for one in done:
        scope = door.word(one.scope)
        if not one.rows:
            door.tell("The {scope} store has nothing to archive.", scope=scope)
        elif dry_run:
            door.tell("Would archive in the {scope} store: {n}", scope=scope, n=len(one.rows))
        else:
            door.tell("Archived in the {scope} store: {n}", scope=scope, n=len(one.rows))
        for row in one.rows:
            said = {"id": row.entry.id, "day": row.active, "days": one.days, "most": one.most}
            door.tell(_REASONS[row.why], **said, style="dim")


def _show_stats(door: Door, counted: list[tuple[str, Stats]]) -> None:
    for scope, one in counted:
        days = door.say("inactive for more than {days} days", days=one.days)
        door.paper.line(("bold", door.word(scope)))
        door.paper.pairs(
            [
                (door.say("active"), f"{one.active:,}"),
                (door.say("archived"), f"{one.archived:,}"),
                (days, f"{one.inactive:,}"),
                (door.say("beyond the newest {most}", most=one.most), f"{one.beyond:,}"),
                (door.say("least recent activity"), one.oldest or "–"),
            ]
        )


@command(
    "activate",
    scope=True,
    dry_run=True,
    example="recollect activate 2026-01-11-event-storage\nrecollect activate --search redis",
)
@click.argument("name", required=False, default="")
@option("--list", "as_list", is_flag=True, help="List what is in the archive.")
@option("--search", "text", default="", help="List the conversations that say these words.")
def activate_command(
    door: Door, name: str, as_list: bool, text: str, scope: str | None, dry_run: bool
) -> None:
    """Bring a memory back from the archive; it counts as active from then on."""
    if as_list or text:
        found = archive.listed(door.app, scope=scope or "", words=text)
        rows = [_row(where, entry) for where, entry in found]
        door.answer(rows, lambda: _show_listed(door, found))
        return
    if not name:
        raise door.refusal("Name a memory, or give --list or --search.")
    path, changed = archive.activate(door.app, name, dry_run=dry_run)

    def show() -> None:
        if not changed:
            door.tell("{id} is active already.", id=name)
        elif dry_run:
            door.tell("Would bring back {id}: {path}", id=name, path=path)
        else:
            door.tell("Brought back {id}: {path}", id=name, path=path)

    door.answer({"id": name, "path": path, "changed": changed}, show)


def _row(scope: str, entry: Entry) -> dict[str, Any]:
    return {
        "id": entry.id,
        "title": entry.title,
        "kind": entry.kind,
        "tags": list(entry.tags),
        "created": entry.created,
        "archived": entry.archived,
        "scope": scope,
    }


def _show_listed(door: Door, found: list[tuple[str, Entry]]) -> None:
    if not found:
        door.tell("Nothing was found.")
        return
    heads = door.heads("memory", "title", "tags", "where", "date", "scope")
    rows = [
        (
            entry.id,
            entry.title,
            ", ".join(entry.tags),
            door.say("archived") if entry.archived else door.say("active"),
            entry.created[:10],
            door.word(scope),
        )
        for scope, entry in found
    ]
    door.paper.table(heads, rows, wide=1, spare=(2, 5))
