"""Command line: a pass of consolidation, as a person reads it: what goes where, and why."""

from __future__ import annotations

from itertools import groupby

from recollect.app.lifecycle import Consolidated
from recollect.doors.cli.door import Door
from recollect.doors.cli.prune import show_rows
from recollect.services.consolidate.reporting import Row

_ROWS = {
    "start": "  new file: {text}",
    "absorb": "  + {text}  ({episode})",
    "renew": "  = {text}  (said again: {episode})",
    "replace": "  - {text}",
    "remove": "  - {text}  (overtaken: {episode})",
    "note": "    kept as a comment: {new}",
    "retire": "  superseded as a whole: {episode} says otherwise",
    "weigh": "  ~ {text} → {new}  ({why})",
    "archive": "  → {new}  (past its time; all that it says is found elsewhere)",
}

_WHY = {
    "used": "used",
    "idle": "not needed for 90 days",
    "corrected": "corrected by you",
    "approved": "approved by you",
}


def show(door: Door, done: Consolidated, *, dry_run: bool) -> None:
    """Print what a pass over one store did, or would do."""
    rows, counts = done.rows, done.counts
    scope = door.word(done.scope)
    if not any(
        (
            rows,
            done.views,
            done.pruned,
            done.outcome.waits,
            done.outcome.merges,
            done.outcome.refused,
        )
    ):
        door.tell("The {scope} store is up to date.", scope=scope)
        return
    if dry_run:
        for path, group in groupby(rows, key=lambda row: row.path):
            door.paper.line(("bold", path))
            for row in group:
                _show_row(door, row)
    if rows and dry_run:
        door.tell(
            "The {scope} store: statements to absorb: {absorbed}, to supersede: {superseded}; episodes to archive: {archived}",
            scope=scope,
            absorbed=counts["absorbed"],
            superseded=counts["superseded"],
            archived=counts["archived"],
        )
    elif rows:
        door.tell(
            "The {scope} store: statements absorbed: {absorbed}, superseded: {superseded}; episodes archived: {archived}",
            scope=scope,
            absorbed=counts["absorbed"],
            superseded=counts["superseded"],
            archived=counts["archived"],
        )
    if weighed := {row.path for row in rows if row.do == "weigh"}:
        door.tell("  memories weighed anew by use and by what you said: {n}", n=len(weighed))
    _show_pruned(door, done, dry_run=dry_run)
    _show_left(door, done, dry_run=dry_run)
    for view in done.views:
        if dry_run:
            door.tell("Would write {view} of the {scope} store", view=view, scope=scope)
        else:
            door.tell("Wrote {view} of the {scope} store", view=view, scope=scope)


def _show_pruned(door: Door, done: Consolidated, *, dry_run: bool) -> None:
    if done.pruned and dry_run:
        door.tell("Would be pruned by your policy: {n}", n=len(done.pruned))
    elif done.pruned:
        door.tell("Pruned by your policy: {n}", n=len(done.pruned))
    show_rows(door, done.pruned)


def _show_row(door: Door, row: Row) -> None:
    fields = {"text": row.text, "new": row.new, "episode": row.episode}
    if row.do == "weigh":
        fields["why"] = door.say(_WHY[row.why])
    door.tell(_ROWS[row.do], **fields)
    if row.do == "replace":
        door.tell(_ROWS["absorb"], text=row.new, episode=row.episode)


def _show_left(door: Door, done: Consolidated, *, dry_run: bool) -> None:
    outcome = done.outcome
    if outcome.waits:
        door.tell(
            "Contradictions that wait for you: {n} (`recollect conflicts` lists them)",
            n=len(outcome.waits),
            style="yellow",
        )
    for one in outcome.merges:
        door.tell(
            "{path} and {other} have {shared} statements in common; you may want to merge them.",
            path=one.path,
            other=one.other,
            shared=one.shared,
            style="dim",
        )
    if outcome.refused and dry_run:
        door.tell(
            "{n} episodes are past their time, more than a tenth of the store: that needs --force-decay.",
            n=len(outcome.archives),
            style="yellow",
        )
