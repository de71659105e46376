"""Commands: consolidate, conflicts, archive, activate."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Any

from recollect.consolidate.actions import AskPerson
from recollect.consolidate.apply import Stats
from recollect.consolidate.apply import stats as stats_of
from recollect.consolidate.rulings import WORDS
from recollect.consolidate.run import ActionRow, conflict_json, rows_in
from recollect.features import lifecycle
from recollect.features.lifecycle import ArchiveResult, ConsolidateResult
from recollect.features.repository import MergedPlace
from recollect.interfaces.cli.command import CommandContext, command
from recollect.interfaces.cli.parsing import ID, TEXT, Choice, argument, flag, option
from recollect.model.footnotes import without_references
from recollect.model.memory import Entry

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
    places, unmerged = lifecycle.left_by_merges(ctx.app, scope=ctx.scope)
    rows = [{**conflict_json(wait), "scope": scope} for scope, wait in found]
    rows += [{**place.as_json(), "scope": place.scope} for place in places]
    ctx.answer(rows)
    for one in unmerged:
        what = ctx.say_translated(one.sentence, one.fields)
        ctx.console.paragraph(what, head=(("yellow", f"{one.about}  "),))
    if not rows and not unmerged:
        ctx.tell("There are no open contradictions.")
    for name in lifecycle.no_longer_conflicting(ctx.app, found, scope=ctx.scope):
        ctx.hint(
            "What {id} contradicted does not hold any more: `recollect consolidate` files it.",
            id=name,
        )
    for _, wait in found:
        _show_conflict(ctx, wait)
    for place in places:
        _show_wordings(ctx, place)
    if found:
        ctx.hint("Settle one with `recollect conflicts --choose ID new` (or old, both, neither).")
    if places:
        ctx.hint(
            "Of two wordings, keep one with `recollect conflicts --choose ID first` (or second, both, neither)."
        )


def _show_conflict(ctx: CommandContext, wait: AskPerson) -> None:
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
    """A wording without the ids and references of its lines."""
    return " ".join(" ".join(map(without_references, text.splitlines())).split()) or "–"


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
    argument("name", type=ID, required=False),
    flag("--stats", help="Count the conversations; move nothing."),
    flag("--force", help="Archive the least recently active one even if no rule requires it."),
    scope=True,
    dry_run=True,
    example="recollect archive use-postgres-for-events\nrecollect archive k3f9\n"
    "recollect archive --dry-run\nrecollect archive --stats",
)
def archive_command(ctx: CommandContext, name: str, stats: bool, force: bool) -> None:
    """Archive a memory, or without ID the inactive conversations.

    ID can also name one entry of a page; the other entries stay. A conversation is archived after
    14 days without activity, or when more than 20 are active, oldest first (settings archive.days
    and archive.most). An archived conversation costs nothing at recall; `recollect search
    --archived` finds it and `recollect activate` brings it back. Nothing is ever deleted.
    """
    if name:
        if stats or force:
            raise ctx.usage_error("Name a memory, or give --stats or --force.")
        _archive_one(ctx, name)
    elif stats:
        counts = [(store.scope, stats_of(store)) for store in ctx.app.stores(ctx.scope)]
        ctx.answer([{"scope": scope, **one._asdict()} for scope, one in counts])
        for scope, one in counts:
            _show_stats(ctx, scope, one)
    else:
        done = lifecycle.archive_conversations(
            ctx.app, scope=ctx.scope, force=force, dry_run=ctx.dry_run
        )
        _show_archived(ctx, done)


def _archive_one(ctx: CommandContext, name: str) -> None:
    done = lifecycle.archive_memory(ctx.app, name, dry_run=ctx.dry_run)
    ctx.answer({"id": name, "path": done.path, "changed": done.is_changed, "archived": done.id})
    if not done.is_changed:
        ctx.tell("{id} is already archived.", id=name)
    elif ctx.dry_run:
        ctx.tell("Would archive {id}: {path}", id=name, path=done.path)
    else:
        ctx.tell("Archived {id}: {path}", id=name, path=done.path)
        ctx.hint("  `recollect activate {id}` brings it back", id=done.id)


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
                ids=ctx.listed(one.stay),
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
    argument("name", type=ID, required=False),
    flag("--list", "as_list", help="List what is in the archive."),
    option("--search", "text", help="List conversations with these words."),
    scope=True,
    dry_run=True,
    example="recollect activate 2026-01-11-event-storage\nrecollect activate --search redis",
)
def activate_command(ctx: CommandContext, name: str, as_list: bool, text: str) -> None:
    """Bring a memory back from the archive.

    An archived entry goes back to its page, where it stood. If its page is gone, it gets a page of
    its own.
    """
    if as_list or text:
        found = lifecycle.list_archive(ctx.app, scope=ctx.scope, words=text)
        _list_archive(ctx, found, is_search=bool(text))
        return
    if not name:
        raise ctx.usage_error("Name a memory, or give --list or --search.")
    done = lifecycle.activate(ctx.app, name, dry_run=ctx.dry_run)
    ctx.answer({"id": done.id, "path": done.path, "changed": done.is_changed, "active": done.id})
    if not done.is_changed:
        ctx.tell("{id} is already active.", id=name)
    else:
        ctx.tell_change(
            "Would bring back {id}: {path}", "Brought back {id}: {path}", id=name, path=done.path
        )


def _list_archive(ctx: CommandContext, found: list[tuple[str, Entry]], *, is_search: bool) -> None:
    fields = ("id", "title", "kind", "tags", "created", "archived")
    ctx.answer(
        [
            {name: getattr(entry, name) for name in fields} | {"scope": scope}
            for scope, entry in found
        ]
    )
    if not found:
        ctx.tell("Nothing found." if is_search else "The archive is empty.")
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


ACTIONS = {
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
RESCORED = {
    "used": "used",
    "idle": "not used for 90 days",
    "corrected": "corrected by you",
    "approved": "approved by you",
}


@command(
    flag("--force-decay", help="Archive all old episodes, even more than a tenth of the store."),
    scope=True,
    dry_run=True,
    example="recollect consolidate --dry-run\nrecollect consolidate",
)
def consolidate_command(ctx: CommandContext, force_decay: bool) -> None:
    """File what was learned, and update index, views and brief.

    Statements of sessions are filed into lasting memories, each once and with its origin. Newer
    statements replace those they contradict. Old episodes are archived once all their
    statements are filed. Uncertain contradictions wait in `recollect conflicts`. `recollect
    history` lists each change; each can be undone.
    """
    done = lifecycle.consolidate(
        ctx.app, scope=ctx.scope, dry_run=ctx.dry_run, force_decay=force_decay
    )
    ctx.answer([row.as_json() for row in done])
    for row in done:
        _show_consolidated(ctx, row)
    ctx.tell_dry_run()


def _show_consolidated(ctx: CommandContext, done: ConsolidateResult) -> None:
    """What a pass over one store did, or would do."""
    rows, outcome = done.rows, done.outcome
    scope = ctx.word(done.scope)
    if not (rows or done.views or outcome.waits or outcome.merges or outcome.later):
        ctx.tell("The {scope} store is up to date.", scope=scope)
        return
    if rows:
        _show_actions(ctx, rows)
        counts: dict[str, Any] = done.counts
        ctx.tell_change(
            "The {scope} store: statements to file: {absorbed}, to supersede: {superseded}; episodes to archive: {archived}",
            "The {scope} store: statements filed: {absorbed}, superseded: {superseded}; episodes archived: {archived}",
            scope=scope,
            **counts,
        )
    if rescored := {row.path for row in rows if row.do == "weigh"}:
        ctx.tell("  memories rescored by use and feedback: {n}", n=len(rescored))
    _show_rest(ctx, done)
    for view in done.views:
        ctx.tell_change(
            "Would write {view} of the {scope} store",
            "Wrote {view} of the {scope} store",
            view=view,
            scope=scope,
        )


def _show_actions(ctx: CommandContext, rows: Iterable[ActionRow]) -> None:
    """What would go where, and why, by file; only before it is done."""
    if not ctx.dry_run:
        return
    for path, group in groupby(rows, key=lambda row: row.path):
        ctx.tell("{path}", path=path, style="bold")
        for row in group:
            fields = {"text": row.text, "new": row.new, "episode": row.episode}
            if row.do == "weigh":
                fields["why"] = ctx.say(RESCORED[row.why])
            ctx.tell(ACTIONS[row.do], **fields)
            if row.do == "replace":
                ctx.tell(ACTIONS["absorb"], text=row.new, episode=row.episode)


def _show_rest(ctx: CommandContext, done: ConsolidateResult) -> None:
    """What the pass left to a person, or to later passes."""
    outcome = done.outcome
    if outcome.waits:
        ctx.tell(
            "Contradictions to settle: {n} (`recollect conflicts` lists them)",
            n=len(outcome.waits),
            style="yellow",
        )
    for one in outcome.merges:
        ctx.hint(
            "{path} and {other} have {shared} statements in common; you may want to merge them.",
            **one._asdict(),
        )
    if outcome.later:
        ctx.hint(
            "Due as well, in the next passes: {n} (`recollect consolidate --force-decay` archives all)",
            n=outcome.later,
        )
