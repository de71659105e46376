"""Commands: import, export, adopt."""

from __future__ import annotations

import io
import re
from typing import Any

from recollect.features.export import export, write_file
from recollect.features.importing import FORMATS, import_folder
from recollect.features.reading import MemoryPage, page_json
from recollect.interfaces.cli.command import CommandContext, command
from recollect.interfaces.cli.console import Console, shown_block
from recollect.interfaces.cli.parsing import PATH, Choice, argument, flag, option
from recollect.interfaces.cli.read import FILTERS, filter_of, shown_state
from recollect.model.footnotes import speaker_of
from recollect.text.sentences import outside_fences

# The parts of an exported document, by the kind that each is for; the last one is for the rest.
PARTS = {"rule": "Rules", "decision": "Decisions", "fact": "Facts", "": "Other memories"}


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

    FOLDER is a project or a memory folder (default: the current one), or one facts.json. It may
    hold the files of conversation-memory-skill, claude-memory-system, memory-keeper 7 or
    claude-memory 2. They stay as they are; only pages in the store's own folder move. Everything counts as written by an
    agent until you approve it in `recollect review`. Running it again adds nothing.
    """
    done = import_folder(
        ctx.app, folder or ".", system=system, scope=ctx.scope, dry_run=ctx.dry_run
    )
    ctx.answer(done.as_json())
    new = [one for one in done.files if one.is_new]
    if not done.files and not done.unread:
        ctx.tell("No earlier memory system has left files here.")
    elif done.files:
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
    if done.unread:
        ctx.hint(
            "Nothing is lost: these files stay as they are. Mend them, and run `recollect import` again."
        )


@command(
    option(
        "--to",
        "form",
        required=True,
        type=Choice(("markdown", "json")),
        help="One document, or an array of entries with the fields of `show --json`.",
    ),
    option("--out", type=PATH, metavar="FILE", help="Write a new file (default: stdout)."),
    *FILTERS,
    flag("--private", help="With private and encrypted memories."),
    scope=True,
    example="recollect export --to markdown --out memories.md\n"
    "recollect export --to json --kind decision",
)
def export_command(ctx: CommandContext, form: str, out: str, private: bool, **given: Any) -> None:
    """Export entries with their whole texts.

    It takes what `recollect list` lists, with the same filters. Private and encrypted memories are
    left out. For a backup, copy the store's folder: the files are the memories.
    """
    found = export(ctx.app, filter_of(ctx, given), scope=ctx.scope, private=private)
    rows = [page_json(one, 2) for one in found.entries]
    text = shown_block(document_of(ctx, found.entries)) if form == "markdown" else ""
    about = {"entries": len(rows), "left_out": found.left_out}
    if out not in ("", "-"):
        if form == "json":
            made = io.StringIO()
            Console(made).json(rows)
            text = made.getvalue()
        path = write_file(ctx.app, out, text)
        ctx.answer({"path": path} | about)
        ctx.tell("Exported entries: {n}, to {path}", n=len(rows), path=path)
    elif form == "json":
        ctx.console.json(rows)
    else:
        ctx.answer({"text": text} | about)
        ctx.console.block(text)
    if found.left_out:
        ctx.console.complain(
            ctx.say(
                "Left out as private or encrypted: {n}; --private exports them, too.",
                n=found.left_out,
            )
        )


def document_of(ctx: CommandContext, entries: list[MemoryPage]) -> str:
    """The entries as a Markdown document: rules, decisions, facts and the rest, each by page."""
    blocks = [f"# {ctx.say('Memories')}"]
    for part in tuple(PARTS):
        pages: dict[str, list[MemoryPage]] = {}
        for one in entries:
            kind = one.own.kind if one.own and one.own.kind in PARTS else ""
            if kind == part:
                pages.setdefault(one.listed.path, []).append(one)
        blocks += [f"## {ctx.say(PARTS[part])}"] if pages else []
        for found in pages.values():
            where = f" ({ctx.word('global')})" if found[0].listed.scope == "global" else ""
            blocks.append(f"### {_line(found[0].entry.title)}{where}")
            # What stands below a heading of its own comes last.
            found.sort(key=lambda one: one.own is not None and one.own.anchor[:1] not in ("", "^"))
            blocks += [_block(ctx, one, part) for one in found]
    return "\n\n".join(blocks) + "\n"


def _block(ctx: CommandContext, one: MemoryPage, part: str) -> str:
    """One entry: its heading, if it has its own, its text, and when it was said by whom."""
    own: Any = one.own
    about = [
        own.created[:10],
        "" if part else ctx.word(own.kind),
        shown_state(ctx.lang, own.status),
        # In the words by which a session that reads this is known to have read what others wrote.
        f"{ctx.word('trust')} {ctx.word('external')}"
        if own.trust == "external"
        else speaker_of(own.source, own.trust, zh=ctx.lang == "zh"),
    ]
    signed = f"*{ctx.listed(filter(None, about))}*"
    text = one.text if "\n" in one.text else one.text.removeprefix("- ")
    lines = text.split("\n")
    for n, line in outside_fences(lines):  # headings stand below those of the document
        if found := re.match(r"(#{1,6}) ", line):
            lines[n] = "#" * min(len(found[1]) + 3, 6) + line[found.end(1) :]
    if len(lines) > 1 and own.trust != "user":  # in a quotation nothing gets out of it
        lines = [f"> {line}".rstrip() for line in lines]
    if own.anchor.startswith("^"):
        return "\n".join(["- " + "\n  ".join(lines), f"  {signed}"])
    head = f"#### {_line(own.heading)}" if own.heading else ""
    said = "" if text in (own.heading, one.entry.title) else "\n".join(lines)
    return "\n\n".join(filter(None, (head, said, signed)))


def _line(text: str) -> str:
    return " ".join(text.split())


@command(
    argument("folder", type=PATH),
    dry_run=True,
    example="recollect adopt ~/work/shop-old-name",
)
def adopt_command(ctx: CommandContext, folder: str) -> None:
    """Bring the private memories of a moved or renamed project here.

    FOLDER is where the project was before, whether or not something else is there now. A store in
    the repository moves with it and needs nothing. `recollect undo` takes it back where both had
    memories.
    """
    from recollect.features import store_migration

    done = store_migration.adopt(ctx.app, folder, dry_run=ctx.dry_run)
    ctx.answer(done)
    ctx.tell_change(
        "Would bring {n} memories of {project} to {path}",
        "Brought {n} memories of {project} to {path}",
        n=done.memories,
        project=done.project,
        path=done.path,
    )
    ctx.tell_dry_run()
