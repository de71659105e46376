"""Commands: edit, set, forget, undo, history."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from typing import Any

from recollect.errors import Failed
from recollect.features import memories as writing
from recollect.features import undo as undoing
from recollect.features.memories import Done
from recollect.interfaces.cli.charts import text_given
from recollect.interfaces.cli.context import Door, command, complete_ids
from recollect.interfaces.cli.parsing import FilePath, IntRange, argument, option
from recollect.store import disk as fsio

# -------------------- Command line: a text in the person's editor.


USUAL = ("sensible-editor", "editor", "vim", "nano", "vi")


def in_editor(text: bytes, is_secret: bool) -> bytes | None:
    """What a person made of a text in their editor; None if they left it as it was.

    Raises:
        Failed: there is no editor, or it ended with an error.
    """
    with tempfile.TemporaryDirectory(prefix="recollect-", dir=_in_memory(is_secret)) as folder:
        path = os.path.join(folder, "memory.md")
        fsio.create_whole(path, text)
        _run([*_editor(), path])
        new = fsio.read_file(path)
    return None if new == text else new


def _editor() -> list[str]:
    """The words of the person's editor, as a shell would split them."""
    import shutil

    said = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""
    try:
        words = shlex.split(said)
    except ValueError:
        raise Failed(
            what=f"Your editor ($VISUAL or $EDITOR) is {said!r}: a quote is open."
        ) from None
    return words or [next(filter(shutil.which, USUAL), USUAL[-1])]


def _run(words: list[str]) -> None:
    try:
        code = subprocess.run(words, check=False).returncode  # noqa: S603 - the person's own words
    except OSError as error:
        reason = os.strerror(error.errno or 0)
        raise Failed(what=f"The editor {words[0]} cannot be run: {reason}.") from None
    if code:
        raise Failed(what=f"The editor {words[0]} exited with {code}; nothing was changed.")


def _in_memory(is_secret: bool) -> str | None:
    if not is_secret:
        return None
    for folder in (os.environ.get("XDG_RUNTIME_DIR", ""), "/dev/shm"):  # noqa: S108 - no disk
        if folder and os.path.isdir(folder) and os.access(folder, os.W_OK):
            return folder
    raise Failed(what="There is no in-memory folder for the editor: give --body, --append or -.")


SHOWN_OF_CHANGE = 15  # as much of a change's id as tells it from others; `undo` takes that
RESTORED = {
    "created": "  {path}: removed again",
    "changed": "  {path}: restored to its old text",
    "moved": "  {path}: moved back",
    "removed": "  {path}: restored",
}


@command(
    "edit",
    dry_run=True,
    example="recollect edit use-postgres-for-events            # in your editor\n"
    'recollect edit use-postgres-for-events --append "Measured: 12k events/s."',
)
@argument("name", metavar="ID", shell_complete=complete_ids)
@argument("stdin", required=False, metavar="[-]")
@option("--title", default=None, help="New title; id and file stay.")
@option("--body", default=None, help="New text.")
@option("--file", "file", type=FilePath(), default=None, help="New text, from a file.")
@option("--append", default=None, help="A paragraph to add at the end.")
def edit_command(door: Door, name: str, dry_run: bool, **given: Any) -> None:
    """Change the text of a memory, or of one section (ID#SECTION).

    Without options it opens your editor ($VISUAL, $EDITOR). If the memory changed meanwhile,
    nothing is written and your text is saved to a file.
    """
    plain = given["title"] is None and given["append"] is None and given["stdin"] is None
    if plain and given["body"] is None and given["file"] is None:
        if not sys.stdin.isatty():
            raise door.refusal(
                "There is no terminal for an editor: give --body, --file, --append or -."
            )
        done = writing.edit_by_hand(door.app, name, in_editor, dry_run=dry_run)
    else:
        has_body = (
            given["body"] is not None or given["file"] is not None or given["stdin"] is not None
        )
        body = text_given(door, given) if has_body else None
        done = writing.edit_memory(
            door.app, name, title=given["title"], body=body, append=given["append"], dry_run=dry_run
        )
    _show_change(door, done, dry_run=dry_run)


def _show_change(door: Door, done: Done, *, dry_run: bool) -> None:
    def show() -> None:
        if done.what == "unchanged":
            door.tell("{id} is already like that; nothing was changed.", id=done.id)
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
@argument("name", metavar="ID", shell_complete=complete_ids)
@argument("values", nargs=-1, required=True, metavar="KEY=VALUE...")
def set_command(door: Door, name: str, values: tuple[str, ...], dry_run: bool) -> None:
    """Change fields of a memory's front matter; every other byte of the file stays.

    Separate list items by commas. An empty value clears a field.
    """
    pairs = {}
    for value in values:
        key, equals, text = value.partition("=")
        if not equals:
            raise door.refusal(f"“{value}” does not have the form key=value.")
        pairs[{"layer": "type"}.get(key.strip(), key.strip().replace("_", "-"))] = text
    _show_change(
        door, writing.set_memory_fields(door.app, name, pairs, dry_run=dry_run), dry_run=dry_run
    )


@command(
    "forget",
    dry_run=True,
    example="recollect forget use-postgres-for-events\nrecollect forget feedback#old-rule\n"
    "recollect forget --from-session 3f2a1b9c --dry-run",
)
@argument("name", metavar="[ID]", required=False, default="", shell_complete=complete_ids)
@option("--from-session", default="", metavar="ID", help="Everything that came from this session.")
@option(
    "--from-page", default="", metavar="URL", help="Everything from sessions that read this page."
)
@option("--purge", is_flag=True, help="Remove its text from the journal too; cannot be undone.")
@option("--yes", is_flag=True, help="Do not ask (for --purge).")
def forget_command(
    door: Door, name: str, from_session: str, from_page: str, purge: bool, yes: bool, dry_run: bool
) -> None:
    """Remove a memory, or one section of it (ID#SECTION).

    The journal keeps its text, so `recollect undo` can restore it, unless you use --purge.
    --from-session removes a session's memories, what was learned in it, and the lines that
    consolidation filed elsewhere; --from-page does so for all sessions that opened this
    address. Try --dry-run first.
    """
    if sum(map(bool, (name, from_session, from_page))) != 1 or (purge and not name):
        raise door.refusal("Name a memory, or give --from-session or --from-page alone.")
    if not name:
        _forget_origin(door, from_session, from_page, dry_run=dry_run)
    else:
        _forget_one(door, name, purge=purge, yes=yes, dry_run=dry_run)


def _forget_origin(door: Door, session: str, page: str, *, dry_run: bool) -> None:
    from recollect.features import review as reviewing  # seldom needed
    from recollect.interfaces.cli.merge import show_taken_back

    done = reviewing.take_back_everywhere(door.app, session=session, page=page, dry_run=dry_run)
    rows = [{**effect._asdict(), "scope": scope} for scope, effect in done]
    door.answer(rows, lambda: show_taken_back(door, done, dry_run=dry_run))


def _forget_one(door: Door, name: str, *, purge: bool, yes: bool, dry_run: bool) -> None:
    if purge and not yes and not dry_run:
        if not sys.stdin.isatty():
            raise door.refusal("--purge cannot be undone: add --yes.")
        door.confirm(door.say("Remove {id} permanently?", id=name))
    left: list[tuple[str, str]] = []
    done = writing.forget_memory(door.app, name, purge=purge, dry_run=dry_run)
    if purge:
        from recollect.features import purge as leaks  # seldom needed

        left = leaks.left_of(door.app, done.id, done.scope, done.path if dry_run else "")

    def show() -> None:
        door.tell("Would forget {id}" if dry_run else "Forgot {id}", id=done.id, style="bold")
        if purge and not dry_run:
            door.tell(
                "Its text was removed from the store, the journal and the index. Copies in git, backups or on other machines remain."
            )
        for what, path in left:
            door.tell("  {what}: {path}", what=door.word(what), path=path, style="yellow")
        if not (purge or dry_run):
            door.tell("  `recollect undo` restores it.", style="dim")

    more = {"left": [{"what": what, "path": path} for what, path in left]} if purge else {}
    door.answer({**done.as_json(), **more}, show)


@command(
    "undo",
    scope=True,
    dry_run=True,
    example="recollect undo\nrecollect undo use-postgres-for-events\n"
    "recollect undo --to 2026-01-11 --dry-run",
)
@argument("name", required=False, default="", metavar="[ID|CHANGE]", shell_complete=complete_ids)
@option(
    "--to",
    default="",
    metavar="CHANGE|DATE",
    help="Undo everything after a change, a day or a time (UTC).",
)
@option("--gone", is_flag=True, help="Restore files that were deleted outside of commands.")
def undo_command(
    door: Door, name: str, to: str, gone: bool, scope: str | None, dry_run: bool
) -> None:
    """Undo the last change, the last one of a memory, or the one named.

    The file is restored byte for byte. If it changed since, nothing is written; with --to your
    later edits by hand stay. An undo can be undone by its id.
    """
    if sum(map(bool, (name, to, gone))) > 1:
        raise door.refusal("Name a change, or give --to, or --gone.")
    if to:
        _undo_to(door, to, scope or "", dry_run=dry_run)
    elif gone:
        _bring_back(door, scope or "", dry_run=dry_run)
    else:
        _undo_one(door, name, scope or "", dry_run=dry_run)


def _undo_one(door: Door, name: str, scope: str, *, dry_run: bool) -> None:
    past = undoing.undo(door.app, name, scope=scope, dry_run=dry_run)

    def show() -> None:
        about = ", ".join(past.memories) or ", ".join(past.paths)
        if dry_run:
            door.tell("Would undo {cause} of {about}", cause=past.cause, about=about)
        else:
            door.tell("Undid {cause} of {about}", cause=past.cause, about=about, style="bold")
        for what, path in undoing.effects_of(past):
            door.tell(RESTORED[what], path=path, style="dim")

    door.answer(undoing.past_json(past), show)


def _undo_to(door: Door, to: str, scope: str, *, dry_run: bool) -> None:
    done = undoing.undo_to(door.app, to, scope=scope, dry_run=dry_run)

    def show() -> None:
        if not done.effects and not done.left:
            door.tell("Nothing to undo: the files are as they were at {time}.", time=done.time)
        elif not done.effects:
            door.tell("Nothing can be undone.")
        elif dry_run:
            door.tell("Would undo {n} changes, back to {time}", n=done.changes, time=done.time)
        else:
            door.tell(
                "Undid {n} changes, back to {time}", n=done.changes, time=done.time, style="bold"
            )
        for what, path in done.effects:
            door.tell(RESTORED[what], path=path, style="dim")
        for path, why in done.left:
            door.tell(
                "  {path}: not changed, {reason}",
                path=path,
                reason=door.word(why),
                style="yellow",
            )

    door.answer(
        {
            "change": done.change,
            "time": done.time,
            "changes": done.changes,
            "files": [{"path": path, "was": what} for what, path in done.effects],
            "left": [{"path": path, "why": why} for path, why in done.left],
        },
        show,
    )


def _bring_back(door: Door, scope: str, *, dry_run: bool) -> None:
    paths = undoing.bring_back(door.app, scope=scope, dry_run=dry_run)

    def show() -> None:
        if not paths:
            door.tell("No file was deleted outside of a command.")
        for path in paths:
            door.tell("  {path}: would be restored" if dry_run else RESTORED["removed"], path=path)

    door.answer({"paths": paths}, show)


@command(
    "history",
    scope=True,
    example="recollect history\nrecollect history use-postgres-for-events --limit 5",
)
@argument("name", required=False, default="", metavar="[ID]", shell_complete=complete_ids)
@option("--limit", type=IntRange(1), default=20, show_default=True, metavar="N")
def history_command(door: Door, name: str, limit: int, scope: str | None) -> None:
    """List the changes of a store, or of one memory, newest first."""
    pasts = undoing.history(door.app, name, scope=scope or "")[:limit]

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

    door.answer([undoing.past_json(p) for p in pasts], show)
