"""Command line: promote, pin, unpin."""

from __future__ import annotations

import click

from recollect.app import promoting
from recollect.app.promoting import Pinned, Promoted
from recollect.domain.pointers import Pointer, wanted
from recollect.domain.scoping import Scoped
from recollect.doors.cli.door import SCOPE_NAMES, Door, command, words
from recollect.doors.cli.helping import option
from recollect.doors.cli.ids import complete_ids

_REASONS = {
    "said": "somebody said it in so many words",
    "work": "it says how to work",
    "habit": "it speaks of a habit",
    "folder": "it names the folder of this project",
    "name": "it names this project",
    "files": "it is about files of this project",
    "episode": "it tells what happened at one time",
    "trust": "it comes from a tool or from outside",
}


@command(
    "promote",
    dry_run=True,
    example="recollect promote use-postgres-for-events --to global\n"
    "recollect promote feedback#always-write-small-commits\nrecollect promote",
)
@click.argument("name", metavar="[ID]", required=False, default="", shell_complete=complete_ids)
@option(
    "--to",
    type=click.Choice(["global"]),
    default="global",
    show_default=True,
    help="The store that takes it over.",
)
def promote_command(door: Door, name: str, to: str, dry_run: bool) -> None:
    """Take a memory over for all projects; without ID, list those that seem to hold everywhere.

    It moves from the store of this project to the one of all projects, without the files and the
    session that belong here; of rules, solutions and pointers the one that you name goes.
    `recollect undo` brings it back.
    """
    if not name:
        found = promoting.worth_promoting(door.app)
        door.answer([one.as_json() for one in found], lambda: _show_worth(door, found))
        return
    done = promoting.promote(door.app, name, dry_run=dry_run)

    def show() -> None:
        if dry_run:
            door.tell("Would take {id} over for all projects: {path}", id=name, path=done.path)
        else:
            door.tell(
                "Took {id} over for all projects: {path}", id=name, path=done.path, style="bold"
            )
        _show_decision(door, done.decision)
        if dry_run:
            door.paper.line()
            door.paper.block(done.text)

    door.answer(done.as_json(), show)


def _show_decision(door: Door, decision: Scoped) -> None:
    """How general a memory is, and why."""
    door.tell("  how general: {n} of 1", n=f"{decision.generalizability:.2f}", style="dim")
    for sign, names in (("+", decision.reasons), ("-", decision.blockers)):
        for name in names:
            door.paper.line(("dim" if sign == "+" else "yellow", f"  {sign} {_reason(door, name)}"))


def _reason(door: Door, name: str) -> str:
    if name.startswith("kind:"):
        return door.say("its kind is {kind}", kind=name.removeprefix("kind:"))
    return door.say(_REASONS[name])


def _show_worth(door: Door, found: list[Promoted]) -> None:
    rows = [
        (
            one.id,
            one.title,
            f"{one.decision.generalizability:.2f}",
            "; ".join(_reason(door, name) for name in one.decision.reasons),
        )
        for one in found
    ]
    if rows:
        door.paper.table(door.heads("memory", "title", "general", "why"), rows, wide=1, spare=[3])
    else:
        door.tell("No memory of this project seems to hold for all projects.")


@command(
    "pin",
    dry_run=True,
    example="recollect pin use-postgres-for-events --when postgres,events,.sql\n"
    'recollect pin --test "add an index to the events table"',
)
@click.argument("name", metavar="[ID]", required=False, default="", shell_complete=complete_ids)
@option("--brief", default="", help="Say it in these words instead of the summary.")
@option("--when", default=None, help="Words that call for it, with commas.")
@option("--test", "text", default=None, help="List the pointers that a prompt would call for.")
@option("--scope", type=click.Choice(SCOPE_NAMES), default=None, help="List those of one store.")
def pin_command(
    door: Door,
    name: str,
    brief: str,
    when: str | None,
    text: str | None,
    scope: str | None,
    dry_run: bool,
) -> None:
    """Point to a memory in CLAUDE.md, which every session loads; without ID, list the pointers.

    A pointer is a few lines between two marks: what it is about, when to read it, and where. Nothing
    else in the file is touched; `recollect unpin ID` takes it out again.
    """
    if not name:
        _list(door, promoting.pins(door.app, scope=scope or ""), text)
        return
    done = promoting.pin(door.app, name, brief=brief, when=words(when), dry_run=dry_run)

    def show() -> None:
        if dry_run:
            door.tell("Would point to {id} in {path}", id=name, path=done.path)
            door.paper.line()
            door.paper.block(done.block)
        else:
            door.tell("Pointed to {id} in {path}", id=name, path=done.path, style="bold")
        _show_cost(door, done)

    door.answer(done.as_json(done.pointers), show)


def _list(door: Door, found: list[Pinned], text: str | None) -> None:
    rows = [(row, _shown(row, text)) for row in found]

    def show() -> None:
        for row, shown in rows:
            if shown:
                heads = door.heads("memory", "title", "when")
                table = [(one.id, one.title, ", ".join(one.when)) for one in shown]
                door.paper.table(heads, table, wide=1)
            if row.pointers:
                _show_cost(door, row)
        if not any(row.pointers for row, _ in rows):
            door.tell("Nothing is pinned; `recollect pin ID` points to a memory in CLAUDE.md.")
        elif not any(shown for _, shown in rows):
            door.tell("No pointer is called for.")

    door.answer([row.as_json(shown) for row, shown in rows], show)


def _shown(row: Pinned, text: str | None) -> list[Pointer]:
    return row.pointers if text is None else wanted(row.pointers, text)


def _show_cost(door: Door, row: Pinned) -> None:
    door.tell(
        "  Pointers: {n}, {tokens} tokens in every session ({scope})",
        n=len(row.pointers),
        tokens=f"{row.tokens:,}",
        scope=door.word(row.scope),
        style="dim",
    )


@command("unpin", dry_run=True, example="recollect unpin use-postgres-for-events")
@click.argument("name", metavar="ID", shell_complete=complete_ids)
def unpin_command(door: Door, name: str, dry_run: bool) -> None:
    """Take the pointer to a memory out of CLAUDE.md; the memory stays as it is."""
    done = promoting.unpin(door.app, name, dry_run=dry_run)

    def show() -> None:
        if done.what == "unchanged":
            door.tell("{id} is not pinned.", id=name)
        elif dry_run:
            door.tell("Would take {id} out of {path}", id=name, path=done.path)
        else:
            door.tell("Took {id} out of {path}", id=name, path=done.path, style="bold")

    door.answer(done.as_json(done.pointers), show)
