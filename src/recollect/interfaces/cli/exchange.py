"""Commands: import."""

from __future__ import annotations

from recollect.features.importing import FORMATS, import_folder
from recollect.interfaces.cli.command import CommandContext, command
from recollect.interfaces.cli.parsing import PATH, Choice, argument, option


@command(
    argument("folder", type=PATH, required=False),
    option(
        "--from",
        "system",
        type=Choice(tuple(FORMATS)),
        metavar="SYSTEM",
        help=f"Read only the files of one system: {', '.join(FORMATS)}.",
    ),
    scope=True,
    dry_run=True,
    example="recollect import --dry-run\nrecollect import ~/.claude/projects/-home-you-shop/memory",
)
def import_command(ctx: CommandContext, folder: str, system: str) -> None:
    """Import what an earlier memory system wrote.

    FOLDER is a project or a memory folder (default: the current one). It may hold the files of
    conversation-memory-skill, claude-memory-system, memory-keeper 7 or claude-memory 2. They stay
    as they are; only pages in the store's own folder move. Everything counts as written by an
    agent until you approve it in `recollect review`. Running it again adds nothing.
    """
    done = import_folder(
        ctx.app, folder or ".", system=system, scope=ctx.scope, dry_run=ctx.dry_run
    )
    ctx.answer(done.as_json())
    new = [one for one in done.files if one.is_new]
    if not done.files:
        ctx.tell("No earlier memory system has left files here.")
    else:
        ctx.tell_change(
            "Would import {n} into {path}; known already: {known}",
            "Imported {n} into {path}; known already: {known}",
            n=len(new),
            known=len(done.files) - len(new),
            path=done.root,
        )
    for one in new:
        ctx.hint("  {name}", name=one.id)
    if new and not ctx.dry_run:
        everywhere = " --scope global" if ctx.scope == "global" else ""
        if done.before:
            way = f"recollect undo --to {done.before}{everywhere}"
            ctx.hint("  `{way}` takes back the import and what comes after it.", way=way)
        else:
            way = f"recollect history{everywhere}"
            ctx.hint(
                "  `{way}` lists its changes; `recollect undo CHANGE` takes one back.", way=way
            )
    for problem in done.unread:
        ctx.tell(
            "{path}: {why}", path=problem.path, why=ctx.translate(problem.sentence), style="yellow"
        )
