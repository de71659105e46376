"""Command line: review."""

from __future__ import annotations

from typing import Any

import click

from recollect.app import factsedits, reviewing
from recollect.app.reviewing import Row
from recollect.domain.model import TRUSTS
from recollect.doors.cli.door import Door, command
from recollect.doors.cli.helping import option
from recollect.doors.cli.ids import complete_ids
from recollect.services.reviewing import Effect

EDITS = factsedits.PREFIX
LOWER = [trust for trust in TRUSTS if trust != "user"]


@command(
    "review",
    scope=True,
    dry_run=True,
    example="recollect review\nrecollect review --approve use-postgres-for-events\n"
    "recollect review --reject feedback#solution-npm-test --reject d007-use-mysql",
)
@option("--approve", multiple=True, metavar="ID", shell_complete=complete_ids, help="Trust it like your own words.")  # fmt: skip
@option("--reject", multiple=True, metavar="ID", shell_complete=complete_ids, help="Take it out of the store.")  # fmt: skip
@option("--approve-all", is_flag=True, help="Approve everything that is listed.")
@option("--reject-all", is_flag=True, help="Take everything that is listed out.")
@option("--trust", type=click.Choice(LOWER), default="agent", help="Only what is trusted no more.")
@option("--episodes", is_flag=True, help="List the memories of sessions as well.")
@option("--session", default="", metavar="ID", help="Only what came from this session.")
@option(
    "--page", default="", metavar="URL", help="Only what came from sessions that read this page."
)
def review_command(
    door: Door, approve: tuple[str, ...], reject: tuple[str, ...], scope: str | None, dry_run: bool, **given: Any
) -> None:  # fmt: skip
    """List what no person has approved, and approve or reject it.

    What agents, tools and pages said is not put in front of every session (core files, pointers, skills)
    before you approve it. What was changed in facts.json by hand waits here too, as
    `facts.json#d001`: nothing of it holds before you approve it. `recollect undo` takes a decision back;
    `recollect forget --from-session ID` takes out all that came from a session.
    """
    if sum(map(bool, (approve or reject, given["approve_all"], given["reject_all"]))) > 1:
        raise door.refusal("Name what is meant, or give --approve-all, or --reject-all.")
    if set(approve) & set(reject):
        raise door.refusal("The same memory cannot be approved and rejected.")
    rows: list[Row] = []
    if not (approve or reject):
        names = ("trust", "episodes", "session", "page")
        if given["session"] or given["page"]:
            given["trust"] = "user"
        rows = reviewing.waiting(door.app, scope=scope or "", **{k: given[k] for k in names})
    if given["approve_all"]:
        approve = tuple(row.one.name for row in rows)
    elif given["reject_all"]:
        reject = tuple(row.one.name for row in rows)
    if not (approve or reject):
        door.answer([row.as_json() for row in rows], lambda: _show_waiting(door, rows))
        return
    decided = {
        what: reviewing.decide(
            door.app, names, approve=what == "approved", dry_run=dry_run, scope=scope or ""
        )
        for what, names in (("approved", approve), ("rejected", reject))
        if names
    }
    answer = {what: [e._asdict() for e in effects] for what, effects in decided.items()}
    door.answer(answer, lambda: _show_decided(door, approve, reject, dry_run=dry_run))


def _show_waiting(door: Door, rows: list[Row]) -> None:
    if not rows:
        door.tell("Nothing waits for a word from you.")
        return
    for row in rows:
        one = row.one
        about = " · ".join(p for p in (one.kind, one.trust, one.source, one.created[:10]) if p)
        door.paper.line(("bold", one.name), ("dim", f"  {about}"))
        door.paper.paragraph(one.title)
        if one.said and one.said != one.title:
            door.paper.paragraph(one.said, style="dim")
    door.tell("Decide with `recollect review --approve ID` or `--reject ID`.", style="dim")


def _show_decided(
    door: Door, approve: tuple[str, ...], reject: tuple[str, ...], *, dry_run: bool
) -> None:
    for name in approve:
        door.tell("Would approve {id}" if dry_run else "Approved {id}", id=name, style="bold")
    left = [name for name in reject if name.startswith(EDITS)]
    for name in left:
        door.tell("Would turn down {id}" if dry_run else "Turned down {id}", id=name, style="bold")
    for name in reject:
        if name not in left:
            door.tell("Would take out {id}" if dry_run else "Took out {id}", id=name, style="bold")
    if not dry_run and len(left) < len(approve) + len(reject):
        door.tell("  `recollect undo` takes it back.", style="dim")


def show_taken_back(door: Door, effects: list[tuple[str, Effect]], *, dry_run: bool) -> None:
    """Print what was taken back with a session."""
    for _, effect in effects:
        if effect.what == "removed":
            door.tell("Would forget {id}" if dry_run else "Forgot {id}", id=effect.memory)
        else:
            door.tell("  {path}: lines that came from it", path=effect.path, style="dim")
    if not dry_run:
        door.tell("  `recollect undo` brings it back.", style="dim")
