"""Command: consolidate."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Any

from recollect.consolidate.run import PassRow
from recollect.features import lifecycle, model_consolidation
from recollect.features.lifecycle import ConsolidateResult
from recollect.features.model_consolidation import Helped
from recollect.interfaces.cli.command import CommandContext, command
from recollect.interfaces.cli.lifecycle import show_pruned
from recollect.interfaces.cli.parsing import option

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
    "consolidate",
    option(
        "--force-decay",
        is_flag=True,
        help="Archive all old episodes, even more than a tenth of the store.",
    ),
    option(
        "--model",
        "by_model",
        is_flag=True,
        help="Have the model that you set help; with --dry-run, only count what it would be sent.",
    ),
    scope=True,
    dry_run=True,
    example="recollect consolidate --dry-run\nrecollect consolidate\nrecollect consolidate --model",
)
def consolidate_command(ctx: CommandContext, force_decay: bool, by_model: bool) -> None:
    """File what was learned, and update index, views and brief.

    Statements of sessions are filed into lasting memories, each once and with its origin. Newer
    statements replace those they contradict. Old episodes are archived once all their
    statements are filed. Uncertain contradictions wait in `recollect conflicts`. `recollect
    history` lists each change; each can be undone.

    With --model, the model of `capture.model` reads the sessions that it has not read, settles
    contradictions that it is sure of, merges memories that say the same into one wording, names the
    subjects of statements on catch-all pages, and drafts steps for suggested skills. `recollect
    calls` shows what was sent.
    """
    if by_model:
        model_consolidation.require_model(ctx.app, scope=ctx.scope)
    done = lifecycle.consolidate(
        ctx.app, scope=ctx.scope, dry_run=ctx.dry_run, force_decay=force_decay
    )
    helped: list[Helped] = []
    if by_model:
        with ctx.progress("asking the model") as step:
            helped = model_consolidation.help_to_consolidate(
                ctx.app,
                ctx.app.extractor,
                scope=ctx.scope,
                dry_run=ctx.dry_run,
                progress=step,
            )
    ctx.answer([row.as_json() for row in done] + [{"model": row.as_json()} for row in helped])
    for row in done:
        _show_consolidated(ctx, row)
    for help_row in helped:
        _show_helped(ctx, help_row)
    ctx.tell_dry_run()


HELPED = {
    "ruled": "  contradiction settled: {new}",
    "merged": "  merged: {new}",
    "named": "  {new} ← {text}",
    "drafted": "  skill {text}: steps drafted: {new} (`recollect skill promote {text}`)",
}


def _show_helped(ctx: CommandContext, helped: Helped) -> None:
    """What the model did for a store, or would be asked."""
    scope = ctx.word(helped.scope)
    ctx.tell_change(
        "The model would be asked about the {scope} store: {calls} questions, {tokens} tokens",
        "The model was asked about the {scope} store: {calls} questions, {tokens} tokens; sessions read: {read}",
        scope=scope,
        calls=helped.calls,
        tokens=helped.tokens,
        read=helped.read,
    )
    for one in helped.done:
        ctx.tell(HELPED[one.what], text=one.text, new=one.new)
    if helped.stopped:
        ctx.tell("The rest was not asked: {why}", why=ctx.translate(helped.stopped), style="yellow")


def _show_consolidated(ctx: CommandContext, done: ConsolidateResult) -> None:
    """What a pass over one store did, or would do."""
    rows, outcome = done.rows, done.outcome
    scope = ctx.word(done.scope)
    if not (rows or done.views or done.pruned or outcome.waits or outcome.merges or outcome.later):
        ctx.tell("The {scope} store is up to date.", scope=scope)
        return
    if rows:
        _show_actions(ctx, rows)
        counts: dict[str, Any] = done.counts
        ctx.tell_change(
            "The {scope} store: statements to absorb: {absorbed}, to supersede: {superseded}; episodes to archive: {archived}",
            "The {scope} store: statements absorbed: {absorbed}, superseded: {superseded}; episodes archived: {archived}",
            scope=scope,
            **counts,
        )
    if rescored := {row.path for row in rows if row.do == "weigh"}:
        ctx.tell("  memories rescored by use and feedback: {n}", n=len(rescored))
    if done.pruned:
        n = len(done.pruned)
        ctx.tell_change("Would be pruned by your policy: {n}", "Pruned by your policy: {n}", n=n)
    show_pruned(ctx, done.pruned)
    _show_rest(ctx, done)
    for view in done.views:
        ctx.tell_change(
            "Would write {view} of the {scope} store",
            "Wrote {view} of the {scope} store",
            view=view,
            scope=scope,
        )


def _show_actions(ctx: CommandContext, rows: Iterable[PassRow]) -> None:
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
