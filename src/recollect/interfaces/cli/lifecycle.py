"""Commands: capture, consolidate, rebuild-index, archive, activate, prune."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from itertools import groupby
from typing import Any

from recollect.consolidate.apply import Stats
from recollect.consolidate.run import Row
from recollect.features import capture as capturing
from recollect.features import lifecycle
from recollect.features import lifecycle as archive
from recollect.features import prune as pruning
from recollect.features.lifecycle import Archived, Consolidated
from recollect.features.prune import Due, Pruned
from recollect.interfaces.cli.context import SCOPE_NAMES, Door, command
from recollect.interfaces.cli.parsing import Choice, FilePath, argument, option
from recollect.interfaces.cli.progress import Progress
from recollect.model.memory import Entry

# -------------------- Command line: archive, activate.


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
    help="Archive the least recently active one even if no rule requires it.",
)
def archive_command(door: Door, stats: bool, force: bool, scope: str | None, dry_run: bool) -> None:
    """Archive inactive conversations.

    A conversation is archived after 14 days without activity, or when more than 20 are active,
    oldest first (settings archive.days and archive.most). An archived conversation costs
    nothing at recall; `recollect search --archived` finds it and `recollect activate` brings it
    back. Nothing is ever deleted.
    """
    if stats:
        counted = archive.stats(door.app, scope=scope or "")
        rows = [{"scope": where, **one._asdict()} for where, one in counted]
        door.answer(rows, lambda: _show_stats(door, counted))
        return
    done = archive.archive(door.app, scope=scope or "", force=force, dry_run=dry_run)
    door.answer(
        [_archive_json_of(one) for one in done], lambda: _show_archived(door, done, dry_run=dry_run)
    )


def _archive_json_of(done: Archived) -> dict[str, Any]:
    rows = [
        {"id": one.entry.id, "title": one.entry.title, "active": one.active, "why": one.why}
        for one in done.rows
    ]
    return {"scope": done.scope, "archived": rows, "waiting": done.stay}


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
        if one.stay:
            door.tell(
                "Stays until you settle what it contradicts (`recollect conflicts`): {ids}",
                ids=", ".join(one.stay),
            )


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
@argument("name", required=False, default="")
@option("--list", "as_list", is_flag=True, help="List what is in the archive.")
@option("--search", "text", default="", help="List conversations with these words.")
def activate_command(
    door: Door, name: str, as_list: bool, text: str, scope: str | None, dry_run: bool
) -> None:
    """Bring a memory back from the archive."""
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
            door.tell("{id} is already active.", id=name)
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
        door.tell("Nothing found.")
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


# -------------------- Command line: prune.


WHY = {
    "superseded": "  {id}  (superseded; unchanged since {day})",
    "resolved": "  {id}  (resolved; unchanged since {day})",
    "unused": "  {id}  (low salience; unused since {day})",
}


@command(
    "prune",
    scope=True,
    dry_run=True,
    example="recollect prune\nrecollect prune --apply",
)
@option("--apply", "apply", is_flag=True, help="Archive them.")
def prune_command(door: Door, apply: bool, scope: str | None, dry_run: bool) -> None:
    """List what your pruning policy allows to archive, or archive it.

    The settings prune.* say after how many days superseded memories, resolved issues and unused
    memories of low salience are archived. With prune.auto consolidation archives them too.
    Nothing is deleted: `recollect activate ID` brings a memory back for good.
    """
    done = pruning.prune_stores(door.app, scope=scope or "", apply=apply and not dry_run)
    door.answer(
        [one.as_json() for one in done],
        lambda: _show(door, done, apply=apply, dry_run=dry_run),
    )


def _show(door: Door, done: list[Pruned], *, apply: bool, dry_run: bool) -> None:
    for one in done:
        scope = door.word(one.scope)
        if not any(one.policy):
            door.tell(
                "The {scope} store has no pruning policy: nothing is ever pruned.", scope=scope
            )
        elif not one.rows:
            door.tell("The {scope} store has nothing to prune.", scope=scope)
        elif apply and not dry_run:
            door.tell("Archived in the {scope} store: {n}", scope=scope, n=len(one.rows))
        else:
            door.tell("Due for the archive in the {scope} store: {n}", scope=scope, n=len(one.rows))
        show_rows(door, one.rows)
    if dry_run:
        door.tell("Nothing was changed (--dry-run).", style="dim")
    elif not apply and any(one.rows for one in done):
        door.tell("Archive them with `recollect prune --apply`.", style="dim")


def show_rows(door: Door, rows: Iterable[Due]) -> None:
    """A line for each memory that goes."""
    for row in rows:
        door.tell(WHY[row.why], id=row.entry.id, day=row.since, style="dim")


# -------------------- Command line: a pass of consolidation, as a person reads it: what goes where, and why.


_ROWS = {
    "start": "  new file: {text}",
    "absorb": "  + {text}  ({episode})",
    "renew": "  = {text}  (repeated: {episode})",
    "replace": "  - {text}",
    "remove": "  - {text}  (superseded: {episode})",
    "note": "    kept as a comment: {new}",
    "retire": "  superseded as a whole: {episode} says otherwise",
    "weigh": "  ~ {text} → {new}  ({why})",
    "archive": "  → {new}  (old; all its statements are filed elsewhere)",
}

_WHY_CONSOLIDATION = {
    "used": "used",
    "idle": "not used for 90 days",
    "corrected": "corrected by you",
    "approved": "approved by you",
}


def show_consolidation(door: Door, done: Consolidated, *, dry_run: bool) -> None:
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
            done.outcome.later,
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
        door.tell("  memories rescored by use and feedback: {n}", n=len(weighed))
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
        fields["why"] = door.say(_WHY_CONSOLIDATION[row.why])
    door.tell(_ROWS[row.do], **fields)
    if row.do == "replace":
        door.tell(_ROWS["absorb"], text=row.new, episode=row.episode)


def _show_left(door: Door, done: Consolidated, *, dry_run: bool) -> None:
    outcome = done.outcome
    if outcome.waits:
        door.tell(
            "Contradictions to settle: {n} (`recollect conflicts` lists them)",
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
    if outcome.later:
        door.tell(
            "Due as well, in the next passes: {n} (`recollect consolidate --force-decay` archives all)",
            n=outcome.later,
            style="dim",
        )


MOST_NAMED = 20


@command(
    "capture",
    dry_run=True,
    example="recollect capture ~/.claude/projects\nrecollect capture transcript.jsonl --scope project",
)
@argument("transcript", type=FilePath())
@option("--client", type=Choice(capturing.CLIENTS), default="claude", show_default=True)
@option(
    "--scope",
    type=Choice(SCOPE_NAMES),
    default=None,
    help="Save everything to this store (default: each session goes to its project's store).",
)
def capture_command(
    door: Door, transcript: str, client: str, scope: str | None, dry_run: bool
) -> None:
    """Capture transcripts: one file, or all files below a folder.

    What was captured is skipped, so you can run it again at any time. The exit code is 1 if a
    transcript could not be captured; the others still are.
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
        door.tell(
            "Would create memories: {created}, update: {changed}; known or without content: {nothing}",
            created=done.created,
            changed=done.changed,
            nothing=done.nothing,
        )
    else:
        door.tell(
            "New memories: {created}, updated: {changed}, known or without content: {nothing}",
            created=done.created,
            changed=done.changed,
            nothing=done.nothing,
        )
    for name in done.memories:
        door.paper.line(("dim", f"  {name}"))
    if done.past_their_time:
        door.tell(
            "Due for the archive: {n}. Consolidation files what they say, and archives a tenth of the store in each pass, oldest first.",
            n=done.past_their_time,
            style="dim",
        )
    if done.without_store:
        door.tell(
            "  {n} of folders without a store; `recollect init --scope global` makes one for them",
            n=done.without_store,
            style="dim",
        )
    for path, why in done.failed:
        door.tell("{path}: {why}", path=path, why=door.translate(why), style="yellow")


@command(
    "consolidate",
    scope=True,
    dry_run=True,
    example="recollect consolidate --dry-run\nrecollect consolidate",
)
@option(
    "--force-decay",
    is_flag=True,
    help="Archive all old episodes, even more than a tenth of the store.",
)
def consolidate_command(door: Door, scope: str | None, force_decay: bool, dry_run: bool) -> None:
    """File what was learned, and update index, views and brief.

    Statements of sessions are filed into lasting memories, each once and with its origin. Newer
    statements replace those they contradict. Old episodes are archived once all their
    statements are filed. Uncertain contradictions wait in `recollect conflicts`. `recollect
    history` lists each change; each can be undone.
    """
    done = lifecycle.consolidate(
        door.app, scope=scope or "", dry_run=dry_run, force_decay=force_decay
    )

    def show() -> None:
        for row in done:
            show_consolidation(door, row, dry_run=dry_run)
        if dry_run:
            door.tell("Nothing was changed (--dry-run).", style="dim")

    door.answer([row.as_json() for row in done], show)


@command("rebuild-index", scope=True, dry_run=True, example="recollect rebuild-index")
def rebuild_index_command(door: Door, scope: str | None, dry_run: bool) -> None:
    """Rebuild the index from the files, and print the counts before and after.

    Unreadable files are reported and skipped.
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
                said = f"  {problem.path}  {door.translate(problem.sentence)}"
                door.paper.line(("yellow", said))
            if len(row.unread) > MOST_NAMED:
                door.tell("… and {n} more; --json names all", n=len(row.unread) - MOST_NAMED)
        if dry_run:
            door.tell("Nothing was changed (--dry-run).", style="dim")

    door.answer([row.as_json() for row in done], show)
