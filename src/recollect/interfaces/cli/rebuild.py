"""Command: rebuild-index."""

from __future__ import annotations

from recollect.interfaces.cli.command import CommandContext, command
from recollect.ops.repair import rebuild_index

MOST_PROBLEMS = 20


@command(scope=True, dry_run=True, example="recollect rebuild-index")
def rebuild_index_command(ctx: CommandContext) -> None:
    """Rebuild the index from the files, and print the counts before and after.

    Unreadable files are reported and skipped.
    """
    with ctx.progress("indexing") as step:
        done = rebuild_index(ctx.app, scope=ctx.scope, dry_run=ctx.dry_run, progress=step)
    ctx.answer([row._asdict() | {"problems": len(row.unread)} for row in done])
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
