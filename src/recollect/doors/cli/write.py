"""Command line: save, edit, set, forget, undo, history."""

from __future__ import annotations

import sys
from typing import Any

import click

from recollect.app import writing
from recollect.app.writing import Done
from recollect.domain import model
from recollect.doors.cli.door import Door, command, words
from recollect.doors.cli.ids import complete_ids
from recollect.doors.cli.texts import text_at

SHOWN_OF_CHANGE = 15  # as much of a change's id as tells it from others; `undo` takes that
RESTORED = {
    "created": "  {path}: gone again",
    "changed": "  {path}: as it was before",
    "moved": "  {path}: back in its place",
    "removed": "  {path}: there again",
}


@command(
    "save",
    scope=True,
    dry_run=True,
    example='recollect save "Use PostgreSQL for events" --kind decision --tags postgres,events \\\n'
    '  --body "We need JSONB and LISTEN/NOTIFY."\n'
    'git log -1 --format=%B | recollect save "Why the queue was dropped" -',
)
@click.argument("title")
@click.argument("stdin", required=False, metavar="[-]")
@click.option("--body", default=None, help="The text; `-` behind the title reads it from stdin.")
@click.option(
    "--file",
    "file",
    type=click.Path(),
    default=None,
    help="Read the text from a file; `-` is stdin.",
)
@click.option(
    "--layer",
    type=click.Choice(model.LAYERS),
    default=None,
    help="The layer; chosen by rule if not given.",
)
@click.option(
    "--kind",
    type=click.Choice(model.KINDS),
    default=None,
    metavar="KIND",
    help=f"What it is: {', '.join(model.KINDS)}.",
)
@click.option("--category", default=None, help="For a decision, pattern or issue.")
@click.option("--tags", default=None, help="Three to six nouns, with commas.")
@click.option("--trigger", default=None, help="Words of a symptom; they weigh double in recall.")
@click.option("--files", default=None, help="Files it is about, with commas.")
@click.option("--concepts", default=None, help="Concepts, with commas.")
@click.option(
    "--salience", type=click.Choice(model.LEVELS), default=None, help="How much it matters."
)
@click.option("--confidence", type=click.Choice(model.LEVELS), default=None, help="How sure it is.")
@click.option(
    "--source", type=click.Choice(model.SOURCES), default=None, help="Where it comes from."
)
@click.option("--status", type=click.Choice(model.STATUSES), default=None, help="Whether it holds.")
@click.option(
    "--conversation",
    type=click.Path(),
    default=None,
    help="A file with the raw conversation (level 3).",
)
@click.option("--private", is_flag=True, help="Keep it out of views, exports and git.")
def save_command(door: Door, title: str, dry_run: bool, scope: str | None, **given: Any) -> None:
    """Save a memory.

    The layer is chosen by rule (a pointer, a way to work, an event, else a fact) unless you name
    layer or kind. Rules and pointers become a section of a shared file; all else gets a file.
    """
    if given["conversation"] and (given["layer"] or given["kind"]):
        raise door.refusal("--conversation makes an episode: leave out --layer and --kind.")
    draft = writing.draft(
        door.app,
        title,
        _body(door, given),
        conversation=text_at(given["conversation"]) if given["conversation"] else "",
        **{k: words(given[k]) for k in ("tags", "trigger", "files", "concepts")},
        **{
            k: given[k] or ""
            for k in ("layer", "kind", "category", "salience", "confidence", "source", "status")
        },
        private=given["private"],
    )
    _check_category(door, draft.kind, draft.category)
    done = writing.save(door.app, draft, scope=scope or "", dry_run=dry_run)

    def show() -> None:
        if done.what == "unchanged":
            door.tell("{id} says that already; nothing was changed.", id=done.id)
        elif dry_run:
            door.tell("Would save {id} in {path}", id=done.id, path=done.path)
        else:
            door.tell("Saved {id}", id=done.id, style="bold")
            door.tell("  {path}", path=done.path, style="dim")
        door.tell(
            "  layer {layer}: it {reason}",
            layer=done.layer,
            reason=door.word(done.reason),
            style="dim",
        )
        if dry_run:
            door.paper.line()
            door.paper.block(done.text)

    door.answer(done.as_json(), show)


def _check_category(door: Door, kind: str, category: str) -> None:
    known = model.CATEGORIES.get(kind)
    if category and known and category not in known:
        raise door.refusal(f"A {kind} has one of the categories {', '.join(known)}.")


def _body(door: Door, given: dict[str, Any]) -> str:
    """The text, from the one place it was given in."""
    sources = [given["body"] is not None, given["file"] is not None, given["stdin"] is not None]
    if sum(sources) > 1:
        raise door.refusal("Give the text once: --body, --file or -.")
    if given["stdin"] not in (None, "-"):
        raise door.refusal("Put a text of several words in quotes.")
    if given["stdin"] == "-":
        return text_at("-")
    return text_at(given["file"]) if given["file"] else given["body"] or ""


@command(
    "edit",
    dry_run=True,
    example="recollect edit use-postgres-for-events            # in your editor\n"
    'recollect edit use-postgres-for-events --append "Measured: 12k events/s."',
)
@click.argument("name", metavar="ID", shell_complete=complete_ids)
@click.argument("stdin", required=False, metavar="[-]")
@click.option("--title", default=None, help="Another title; id and file stay.")
@click.option("--body", default=None, help="Another text.")
@click.option("--file", "file", type=click.Path(), default=None, help="Another text, from a file.")
@click.option("--append", default=None, help="A paragraph to add at the end.")
def edit_command(door: Door, name: str, dry_run: bool, **given: Any) -> None:
    """Change the text of a memory, or of one section (ID#SECTION).

    Without options it opens your editor ($VISUAL, $EDITOR). If somebody else changed the memory
    meanwhile, nothing is written and your text is kept in a file.
    """
    plain = given["title"] is None and given["append"] is None and given["stdin"] is None
    if plain and given["body"] is None and given["file"] is None:
        if not sys.stdin.isatty():
            raise door.refusal(
                "There is no terminal for an editor: give --body, --file, --append or -."
            )
        done = writing.edit_by_hand(door.app, name, _in_editor, dry_run=dry_run)
    else:
        has_body = (
            given["body"] is not None or given["file"] is not None or given["stdin"] is not None
        )
        body = _body(door, given) if has_body else None
        done = writing.edit(
            door.app, name, title=given["title"], body=body, append=given["append"], dry_run=dry_run
        )
    _show_change(door, done, dry_run=dry_run)


def _in_editor(text: bytes) -> bytes | None:
    """What a person made of a text in their editor; None if they left it as it was."""
    # Bytes, since for text the editor's wrapper would change line ends and marks.
    return click.edit(text, extension=".md")


def _show_change(door: Door, done: Done, *, dry_run: bool) -> None:
    def show() -> None:
        if done.what == "unchanged":
            door.tell("{id} is like that already; nothing was changed.", id=done.id)
        elif dry_run:
            door.tell("Would change {id} in {path}", id=done.id, path=done.path)
            _show_difference(door, done)
        else:
            door.tell("Changed {id}", id=done.id, style="bold")
            door.tell("  {path}", path=done.path, style="dim")

    door.answer(done.as_json(), show)


def _show_difference(door: Door, done: Done) -> None:
    import difflib

    colours = {"+": "green", "-": "red"}
    lines = difflib.unified_diff(done.before.splitlines(), done.text.splitlines(), n=1, lineterm="")
    for line in list(lines)[2:]:
        door.paper.line((colours.get(line[0], "dim"), f"  {line}"))


@command(
    "set",
    dry_run=True,
    example="recollect set use-postgres-for-events salience=high tags=postgres,events,storage",
)
@click.argument("name", metavar="ID", shell_complete=complete_ids)
@click.argument("values", nargs=-1, required=True, metavar="KEY=VALUE...")
def set_command(door: Door, name: str, values: tuple[str, ...], dry_run: bool) -> None:
    """Change fields of a memory's front matter; every other byte of the file stays.

    Lists are given with commas. An empty value clears a field.
    """
    pairs = {}
    for value in values:
        key, equals, text = value.partition("=")
        if not equals:
            raise door.refusal(f"“{value}” is not of the form key=value.")
        pairs[{"layer": "type"}.get(key.strip(), key.strip().replace("_", "-"))] = text
    _show_change(door, writing.set_fields(door.app, name, pairs, dry_run=dry_run), dry_run=dry_run)


@command(
    "forget",
    dry_run=True,
    example="recollect forget use-postgres-for-events\nrecollect forget feedback#old-rule",
)
@click.argument("name", metavar="ID", shell_complete=complete_ids)
@click.option(
    "--purge", is_flag=True, help="Remove its text from the journal too; there is no undo."
)
@click.option("--yes", is_flag=True, help="Do not ask (for --purge).")
def forget_command(door: Door, name: str, purge: bool, yes: bool, dry_run: bool) -> None:
    """Take a memory, or one section of it (ID#SECTION), out of the store.

    The journal keeps its text, so that `recollect undo` brings it back; with --purge it does not.
    """
    if purge and not yes and not dry_run:
        if not sys.stdin.isatty():
            raise door.refusal("--purge cannot be undone: give --yes too.")
        click.confirm(door.say("Remove {id} for good?", id=name), abort=True)
    done = writing.forget(door.app, name, purge=purge, dry_run=dry_run)

    def show() -> None:
        door.tell("Would forget {id}" if dry_run else "Forgot {id}", id=done.id, style="bold")
        if purge and not dry_run:
            door.tell(
                "Its text is gone from the store, the journal and the index. Copies in git, backups or other machines are out of reach."
            )
        elif not dry_run:
            door.tell("  `recollect undo` brings it back.", style="dim")

    door.answer(done.as_json(), show)


@command(
    "undo",
    scope=True,
    dry_run=True,
    example="recollect undo\nrecollect undo use-postgres-for-events",
)
@click.argument(
    "name", required=False, default="", metavar="[ID|CHANGE]", shell_complete=complete_ids
)
def undo_command(door: Door, name: str, scope: str | None, dry_run: bool) -> None:
    """Take back the last change, the last one of a memory, or the one named.

    The bytes from before come back. If the file was changed since, nothing is written. An undo
    can be undone by its own name.
    """
    past = writing.undo(door.app, name, scope=scope or "", dry_run=dry_run)

    def show() -> None:
        about = ", ".join(past.memories) or ", ".join(past.paths)
        if dry_run:
            door.tell("Would undo {cause} of {about}", cause=past.cause, about=about)
        else:
            door.tell("Undid {cause} of {about}", cause=past.cause, about=about, style="bold")
        for what, path in writing.effects_of(past):
            door.tell(RESTORED[what], path=path, style="dim")

    door.answer(writing.past_json(past), show)


@command(
    "history",
    scope=True,
    example="recollect history\nrecollect history use-postgres-for-events --limit 5",
)
@click.argument("name", required=False, default="", metavar="[ID]", shell_complete=complete_ids)
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, metavar="N")
def history_command(door: Door, name: str, limit: int, scope: str | None) -> None:
    """List the changes of a store, or of one memory, newest first."""
    pasts = writing.history(door.app, name, scope=scope or "")[:limit]

    def show() -> None:
        if not pasts:
            door.tell("There are no changes.")
            return
        rows = [
            (
                p.id[:SHOWN_OF_CHANGE],
                p.time[:16].replace("T", " "),
                f"{door.word(p.what)} ({p.cause})"
                + (f" – {door.say('undone')}" if p.undone else ""),
                ", ".join(p.memories) or ", ".join(p.paths),
            )
            for p in pasts
        ]
        door.paper.table(door.heads("change", "time", "what", "memory"), rows)

    door.answer([writing.past_json(p) for p in pasts], show)
