"""Commands: capture, conflicts, archive, activate, prune, rebuild-index."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from recollect.consolidate.actions import Wait
from recollect.consolidate.apply import Stats
from recollect.consolidate.rulings import WORDS
from recollect.consolidate.run import conflict_json, rows_in
from recollect.features import capture as capturing
from recollect.features import lifecycle
from recollect.features.lifecycle import ArchiveResult
from recollect.features.prune import DueMemory, PruneResult, prune_stores
from recollect.features.repository import MergedPlace
from recollect.interfaces.cli.command import SCOPES, CommandContext, command
from recollect.interfaces.cli.parsing import ID, PATH, TEXT, Choice, argument, option
from recollect.model.memory import Entry

MOST_PROBLEMS = 20


@command(
    "capture",
    argument("transcript", type=PATH, required=False),
    option(
        "--all", "everywhere", is_flag=True, help="The sessions of all projects, not of this one."
    ),
    option(
        "--client",
        type=Choice(capturing.CLIENTS),
        help="Whose transcripts (default: claude; without a path, all clients).",
    ),
    option(
        "--scope",
        type=SCOPES,
        help="Save everything to this store (default: each session goes to its project's store).",
    ),
    dry_run=True,
    example="recollect session capture\nrecollect session capture --all\n"
    "recollect session capture transcript.jsonl --scope project",
)
def capture_command(ctx: CommandContext, transcript: str, client: str, everywhere: bool) -> None:
    """Capture transcripts: those that clients logged for this project, a file, or a folder.

    Captured transcripts are skipped, so you can run it again at any time. The exit code is 1 if a
    transcript could not be captured; the others still are.
    """
    if transcript and everywhere:
        raise ctx.usage_error("Give a path or --all, not both.")
    if transcript:
        with ctx.progress("capturing") as step:
            done = capturing.capture_path(
                ctx.app,
                transcript,
                client or "claude",
                scope=ctx.scope,
                dry_run=ctx.dry_run,
                progress=step,
            )
    else:
        left = uncaptured(ctx)
        found = left.every if everywhere else left.here
        found = [one for one in found if client in ("", one[0])]
        done = _capture(ctx, found, ctx.scope)
    ctx.answer(done.as_json())
    _show_captured(ctx, transcript, done)
    if done.failed:
        sys.exit(1)


def uncaptured(ctx: CommandContext) -> capturing.Left:
    """The sessions that the clients have logged and that are not captured yet."""
    with ctx.progress("looking for sessions") as step:
        return capturing.left_by_clients(ctx.app, step)


def capture_all(ctx: CommandContext, transcripts: list[tuple[str, str]]) -> None:
    """Capture these transcripts and print the counts."""
    _show_captured(ctx, "", _capture(ctx, transcripts, "")._replace(memories=[]))


def _capture(
    ctx: CommandContext, transcripts: list[tuple[str, str]], scope: str
) -> capturing.CaptureReport:
    with ctx.progress("capturing") as step:
        return capturing.capture_found(
            ctx.app, transcripts, scope=scope, dry_run=ctx.dry_run, progress=step
        )


def _show_captured(ctx: CommandContext, path: str, done: capturing.CaptureReport) -> None:
    if not done.transcripts and not path:
        ctx.tell("The clients have logged no session that is not captured yet.")
    elif not done.transcripts:
        ctx.tell("There are no transcripts in {path}.", path=path)
    else:
        ctx.tell_change(
            "Would create memories: {created}, update: {changed}; known or without content: {nothing}",
            "New memories: {created}, updated: {changed}, known or without content: {nothing}",
            **done._asdict(),
        )
    for name in done.memories:
        ctx.hint("  {name}", name=name)
    if done.past_their_time:
        ctx.hint(
            "Due for the archive: {n}. Consolidation files what they say, and archives a tenth of the store in each pass, oldest first.",
            n=done.past_their_time,
        )
    if done.without_store:
        ctx.hint(
            "  {n} of folders without a store; `recollect init --scope global` makes one for them",
            n=done.without_store,
        )
    if done.of_no_project:
        ctx.hint(
            "  {n} skipped: they do not name their project; capture one by its path to take it into this project's store",
            n=done.of_no_project,
        )
    for failed, why in done.failed:
        ctx.tell("{path}: {why}", path=failed, why=ctx.translate(why), style="yellow")


DIFFERENCES = {
    "value": "another value",
    "number": "another number",
    "version": "another version",
    "choice": "another choice",
    "negation": "the opposite",
}
FILED = {"old": "  old  {text}  ({path}, {date})", "new": "  new  {text}  ({path}, {date})"}
CLAIMED = {
    "old": "  old  {text}  ({episode}, {date}, trust {trust})",
    "new": "  new  {text}  ({episode}, {date}, trust {trust})",
}
RULINGS = {
    "old": "This holds: {old}",
    "new": "This holds: {new}",
    "both": "Both hold: {old} / {new}",
    "neither": "Neither holds: {old} / {new}",
}


@command(
    "conflicts",
    option(
        "--choose",
        nargs=2,
        type=[TEXT, Choice((*WORDS, "first", "second"))],
        metavar="ID old|new|both|neither",
        help="Settle one: which statement holds; for two wordings, first or second.",
    ),
    scope=True,
    dry_run=True,
    example="recollect conflicts\nrecollect conflicts --choose 3b8fc5d25319 new",
)
def conflicts_command(ctx: CommandContext, choose: tuple[str, str] | None) -> None:
    """List the contradictions that only you can settle, or settle one.

    Consolidation lets the newer statement win if that is certain. Otherwise both are listed
    here, and the newer one's episode stays active until you choose. Your choice is stored in
    the store's rulings.toml; `recollect undo` reverts it. If two people changed the same lines
    and git merged them, both wordings stay in the memory and are listed here too.
    """
    if choose:
        _settle(ctx, *choose)
        return
    found = lifecycle.conflicts(ctx.app, scope=ctx.scope)
    places = lifecycle.list_merged_places(ctx.app, scope=ctx.scope)
    rows = [{**conflict_json(wait), "scope": scope} for scope, wait in found]
    rows += [{**place.as_json(), "scope": place.scope} for place in places]
    ctx.answer(rows)
    if not rows:
        ctx.tell("There are no open contradictions.")
        return
    for _, wait in found:
        _show_conflict(ctx, wait)
    for place in places:
        _show_wordings(ctx, place)
    ctx.hint("Settle one with `recollect conflicts --choose ID new` (or old, both, neither).")


def _show_conflict(ctx: CommandContext, wait: Wait) -> None:
    ctx.console.prose(("bold", wait.key), ("dim", f"  {ctx.say(DIFFERENCES[wait.why])}"))
    filed = {"text": wait.held, "path": wait.path, "date": wait.since[:10]}
    mark = wait.mark
    claimed = {"text": wait.claim.text, "episode": mark.episode, "date": mark.date[:10]}
    if wait.is_late:
        ctx.tell(CLAIMED["old"], **claimed, trust=ctx.word(mark.trust))
        ctx.tell(FILED["new"], **filed)
    else:
        ctx.tell(FILED["old"], **filed)
        ctx.tell(CLAIMED["new"], **claimed, trust=ctx.word(mark.trust))


def _show_wordings(ctx: CommandContext, place: MergedPlace) -> None:
    about = ctx.say("two wordings, in {path}, line {line}", path=place.path, line=place.said.line)
    ctx.console.prose(("bold", place.key), ("dim", f"  {about}"))
    ctx.tell("  first   {text}", text=_one_line(place.said.first))
    ctx.tell("  second  {text}", text=_one_line(place.said.second))


def _one_line(text: str) -> str:
    return " ".join(text.split()) or "–"


def _settle(ctx: CommandContext, name: str, ruling: str) -> None:
    """Settle two wordings of a merge in git, or a contradiction."""
    place = lifecycle.keep_merged_wording(
        ctx.app, name, ruling, scope=ctx.scope, dry_run=ctx.dry_run
    )
    if place:
        ctx.answer({**place.as_json(), "ruling": ruling})
        word = {"first": "old", "second": "new"}.get(ruling, ruling)
        old, new = _one_line(place.said.first), _one_line(place.said.second)
        paths = [place.path]
    elif ruling not in WORDS:
        raise ctx.usage_error("Of a contradiction, choose old, new, both or neither.")
    else:
        settled = lifecycle.settle_conflict(
            ctx.app, name, ruling, scope=ctx.scope, dry_run=ctx.dry_run
        )
        done = {step.path: list(rows_in(step)) for step in settled.steps}
        actions = [row.as_json() for rows in done.values() for row in rows]
        word, old, new = settled.ruling, settled.wait.old, settled.wait.new
        ctx.answer({**conflict_json(settled.wait), "ruling": word, "actions": actions})
        paths = [path for path, rows in done.items() if rows]
    ctx.tell(RULINGS[word], old=old, new=new)
    for path in paths:
        ctx.hint("  {path}", path=path)
    ctx.tell_dry_run()


ARCHIVED = {
    "inactive": "  {id}  (last active {day}, more than {days} days ago)",
    "beyond": "  {id}  (last active {day}, the oldest of more than {most})",
    "asked": "  {id}  (last active {day}, asked for with --force)",
}


@command(
    "archive",
    argument("name", type=ID, required=False),
    option("--stats", is_flag=True, help="Count the conversations; move nothing."),
    option(
        "--force",
        is_flag=True,
        help="Archive the least recently active one even if no rule requires it.",
    ),
    scope=True,
    dry_run=True,
    example="recollect archive use-postgres-for-events\nrecollect archive --dry-run\n"
    "recollect archive --stats",
)
def archive_command(ctx: CommandContext, name: str, stats: bool, force: bool) -> None:
    """Archive a memory, or without ID the inactive conversations.

    A conversation is archived after 14 days without activity, or when more than 20 are active,
    oldest first (settings archive.days and archive.most). An archived conversation costs
    nothing at recall; `recollect search --archived` finds it and `recollect activate` brings it
    back. Nothing is ever deleted.
    """
    if name:
        if stats or force:
            raise ctx.usage_error("Name a memory, or give --stats or --force.")
        _archive_one(ctx, name)
    elif stats:
        counts = lifecycle.conversation_stats(ctx.app, scope=ctx.scope)
        ctx.answer([{"scope": scope, **one._asdict()} for scope, one in counts])
        for scope, one in counts:
            _show_stats(ctx, scope, one)
    else:
        done = lifecycle.archive_conversations(
            ctx.app, scope=ctx.scope, force=force, dry_run=ctx.dry_run
        )
        _show_archived(ctx, done)


def _archive_one(ctx: CommandContext, name: str) -> None:
    path, is_changed = lifecycle.archive_memory(ctx.app, name, dry_run=ctx.dry_run)
    ctx.answer({"id": name, "path": path, "changed": is_changed})
    if not is_changed:
        ctx.tell("{id} is already archived.", id=name)
    elif ctx.dry_run:
        ctx.tell("Would archive {id}: {path}", id=name, path=path)
    else:
        ctx.tell("Archived {id}: {path}", id=name, path=path)
        ctx.hint("  `recollect activate {id}` brings it back", id=name)


def _show_archived(ctx: CommandContext, done: list[ArchiveResult]) -> None:
    answer = []
    for one in done:
        rows = [
            {"id": row.entry.id, "title": row.entry.title, "active": row.active, "why": row.why}
            for row in one.rows
        ]
        answer.append({"scope": one.scope, "archived": rows, "waiting": one.stay})
    ctx.answer(answer)
    for one in done:
        scope, n = ctx.word(one.scope), len(one.rows)
        if not n:
            ctx.tell("The {scope} store has nothing to archive.", scope=scope)
        else:
            ctx.tell_change(
                "Would archive in the {scope} store: {n}",
                "Archived in the {scope} store: {n}",
                scope=scope,
                n=n,
            )
        for row in one.rows:
            fields = {"id": row.entry.id, "day": row.active, "days": one.days, "most": one.most}
            ctx.hint(ARCHIVED[row.why], **fields)
        if one.stay:
            ctx.tell(
                "Stays until you settle what it contradicts (`recollect conflicts`): {ids}",
                ids=", ".join(one.stay),
            )


def _show_stats(ctx: CommandContext, scope: str, one: Stats) -> None:
    ctx.tell("{scope}", scope=ctx.word(scope), style="bold")
    ctx.console.pairs(
        [
            (ctx.say("active"), f"{one.active:,}"),
            (ctx.say("archived"), f"{one.archived:,}"),
            (ctx.say("inactive for more than {days} days", days=one.days), f"{one.inactive:,}"),
            (ctx.say("beyond the newest {most}", most=one.most), f"{one.beyond:,}"),
            (ctx.say("least recent activity"), one.oldest or "–"),
        ]
    )


@command(
    "activate",
    argument("name", type=ID, required=False),
    option("--list", "as_list", is_flag=True, help="List what is in the archive."),
    option("--search", "text", help="List conversations with these words."),
    scope=True,
    dry_run=True,
    example="recollect activate 2026-01-11-event-storage\nrecollect activate --search redis",
)
def activate_command(ctx: CommandContext, name: str, as_list: bool, text: str) -> None:
    """Bring a memory back from the archive."""
    if as_list or text:
        _list_archive(ctx, lifecycle.list_archive(ctx.app, scope=ctx.scope, words=text))
        return
    if not name:
        raise ctx.usage_error("Name a memory, or give --list or --search.")
    path, is_changed = lifecycle.activate(ctx.app, name, dry_run=ctx.dry_run)
    ctx.answer({"id": name, "path": path, "changed": is_changed})
    if not is_changed:
        ctx.tell("{id} is already active.", id=name)
    else:
        ctx.tell_change(
            "Would bring back {id}: {path}", "Brought back {id}: {path}", id=name, path=path
        )


def _list_archive(ctx: CommandContext, found: list[tuple[str, Entry]]) -> None:
    fields = ("id", "title", "kind", "tags", "created", "archived")
    ctx.answer(
        [
            {name: getattr(entry, name) for name in fields} | {"scope": scope}
            for scope, entry in found
        ]
    )
    if not found:
        ctx.tell("Nothing found.")
        return
    rows = [
        (
            entry.id,
            entry.title,
            ", ".join(entry.tags),
            ctx.say("archived") if entry.archived else ctx.say("active"),
            entry.created[:10],
            ctx.word(scope),
        )
        for scope, entry in found
    ]
    heads = ("memory", "title", "tags", "where", "date", "scope")
    ctx.table(heads, rows, wide=1, spare=(2, 5))


DUE = {
    "superseded": "  {id}  (superseded; unchanged since {day})",
    "resolved": "  {id}  (resolved; unchanged since {day})",
    "unused": "  {id}  (low salience; unused since {day})",
}


@command(
    "prune",
    option("--apply", is_flag=True, help="Archive them."),
    scope=True,
    dry_run=True,
    example="recollect prune\nrecollect prune --apply",
)
def prune_command(ctx: CommandContext, apply: bool) -> None:
    """List what your pruning policy allows to archive, or archive it.

    The settings prune.* say after how many days superseded memories, resolved issues and unused
    memories of low salience are archived. With prune.auto consolidation archives them too.
    Nothing is deleted: `recollect activate ID` brings a memory back for good.
    """
    is_applied = apply and not ctx.dry_run
    done = prune_stores(ctx.app, scope=ctx.scope, apply=is_applied)
    ctx.answer([one.as_json() for one in done])
    for one in done:
        _show_prune(ctx, one, is_applied=is_applied)
    ctx.tell_dry_run()
    if not (apply or ctx.dry_run) and any(one.rows for one in done):
        ctx.hint("Archive them with `recollect prune --apply`.")


def _show_prune(ctx: CommandContext, one: PruneResult, *, is_applied: bool) -> None:
    scope, n = ctx.word(one.scope), len(one.rows)
    if not any(one.policy):
        ctx.tell("The {scope} store has no pruning policy: nothing is ever pruned.", scope=scope)
    elif not n:
        ctx.tell("The {scope} store has nothing to prune.", scope=scope)
    elif is_applied:
        ctx.tell("Archived in the {scope} store: {n}", scope=scope, n=n)
    else:
        ctx.tell("Due for the archive in the {scope} store: {n}", scope=scope, n=n)
    show_pruned(ctx, one.rows)


def show_pruned(ctx: CommandContext, rows: Iterable[DueMemory]) -> None:
    """List the memories that a policy prunes, each with why."""
    for row in rows:
        ctx.hint(DUE[row.why], id=row.entry.id, day=row.since)


@command("rebuild-index", scope=True, dry_run=True, example="recollect rebuild-index")
def rebuild_index_command(ctx: CommandContext) -> None:
    """Rebuild the index from the files, and print the counts before and after.

    Unreadable files are reported and skipped.
    """
    with ctx.progress("indexing") as step:
        done = lifecycle.rebuild_index(ctx.app, scope=ctx.scope, dry_run=ctx.dry_run, progress=step)
    ctx.answer([row.as_json() for row in done])
    for row in done:
        ctx.tell("{scope}", scope=ctx.word(row.scope), style="bold")
        ctx.pairs(
            {
                "files": row.files,
                "memories before": row.before,
                "memories after": row.after,
                "with problems": len(row.unread),
            }
        )
        for problem in row.unread[:MOST_PROBLEMS]:
            line = f"  {problem.path}  {ctx.translate(problem.sentence)}"
            ctx.console.prose(("yellow", line))
        if len(row.unread) > MOST_PROBLEMS:
            ctx.tell("… and {n} more; --json names all", n=len(row.unread) - MOST_PROBLEMS)
    ctx.tell_dry_run()
