"""Commands: save, edit, set, forget, undo, history."""

from __future__ import annotations

import os
import sys

from recollect._fastimport import Any
from recollect.capture.save_memory import Advice
from recollect.errors import Failed
from recollect.features import memories
from recollect.interfaces.cli.command import CommandContext, comma_list, command, read_text
from recollect.interfaces.cli.main import FULL_NAMES
from recollect.interfaces.cli.parsing import ID, PATH, Choice, IntRange, argument, flag, option
from recollect.model import memory
from recollect.model.times import minute
from recollect.ports import Copy
from recollect.store import disk
from recollect.store.history import EDITED

UNDECIDED = "open"  # a kind of statement that no memory has
STATEMENT = ("subject", "why", "quote")  # options that make the title one statement
WARNINGS = {
    "long-summary": "  the summary has more than 2,000 characters; a shorter one is read more often",
    "many-keywords": "  more than 8 keywords; fewer tell conversations apart better",
    "many-tags": "  more than 6 tags; three to six nouns serve best",
}


@command(
    argument("title"),
    argument("stdin", default=None, metavar="[-]"),
    option("--body", default=None, help="The text; `-` is stdin, also right after the title."),
    option("--file", type=PATH, help="Read the text from a file; `-` is stdin."),
    option("--layer", type=Choice(memory.LAYERS), help="The layer (default: chosen by rule)."),
    option(
        "--kind",
        type=Choice((*memory.KINDS, UNDECIDED)),
        metavar="KIND",
        help=f"What it is: {', '.join(memory.KINDS)}; open for what is undecided.",
    ),
    option("--subject", help="The subject of the statement; it decides the page."),
    option("--why", help="The reason of the statement."),
    option("--quote", help="For agents: the person's own words, as typed, that say so."),
    option("--category", help="For a decision, pattern or issue."),
    option("--tags", help="Three to six nouns, separated by commas."),
    option("--trigger", help="Words of a symptom; they count double in recall."),
    option("--files", help="Files it is about, separated by commas."),
    option("--concepts", help="Concepts, separated by commas."),
    option("--salience", type=Choice(memory.LEVELS), help="How much it matters."),
    option("--confidence", type=Choice(memory.LEVELS), help="How sure it is."),
    option("--source", type=Choice(memory.SOURCES), help="Where it comes from."),
    option("--status", type=Choice(memory.STATUSES), help="Whether it is current."),
    option("--conversation", type=PATH, help="A file with the raw conversation (level 3)."),
    flag("--private", help="Keep it out of views and git."),
    flag("--encrypt", help="Encrypt it, in its own file."),
    option("--into", type=ID, help="Add it as a section of this memory."),
    scope=True,
    dry_run=True,
    example='recollect save "Use PostgreSQL for events" --kind decision --tags postgres,events \\\n'
    '  --body "We need JSONB and LISTEN/NOTIFY."\n'
    'recollect save "Order numbers are ULIDs" --subject Orders --why "They sort by time."\n'
    'git log -1 --format=%B | recollect save "Why the queue was dropped" -\n'
    'recollect save "The pool holds 10 links" --into redis-cache',
)
def save_command(ctx: CommandContext, title: str, **given: Any) -> None:
    """Save a memory.

    The layer is chosen by rule (pointer, way of working or event, otherwise fact) unless you name
    a layer or kind. Rules and pointers become sections of a shared file; everything else gets its
    own file. Tags stay as you write them; `scraper` still finds `scraping`. The same title and
    text are not saved twice. A statement replaces what it contradicts; what only you can settle
    is queued.

    With --subject, --why or --quote the title is one statement. It goes to the page of its
    subject and merges with what says the same.
    """
    if any(given[name] for name in STATEMENT) or given["kind"] == UNDECIDED:
        _save_statement(ctx, title, given)
        return
    _check_combination(ctx, given)
    draft = memories.draft(
        ctx.app,
        title,
        _text(ctx, given["body"], given["file"], given["stdin"]) or "",
        conversation=read_text(given["conversation"]) if given["conversation"] else "",
        **{name: comma_list(given[name]) for name in ("tags", "trigger", "files", "concepts")},
        **{name: given[name] for name in ("layer", "kind", "category", "source", "status")},
        **{name: given[name] for name in ("salience", "confidence", "private", "into", "encrypt")},
    )
    known = memory.CATEGORIES.get(draft.kind)
    if draft.category and known and draft.category not in known:
        raise ctx.usage_error(f"The category of a {draft.kind} must be one of {', '.join(known)}.")
    done = memories.save(ctx.app, draft, scope=ctx.scope, dry_run=ctx.dry_run)
    ctx.answer(done.as_json())
    if done.what == "unchanged":
        ctx.tell("{id} already says that; nothing was changed.", id=done.id)
    elif done.advice.waits:
        _show_queued(ctx, done)
        return
    elif ctx.dry_run:
        ctx.tell("Would save {id} in {path}", id=done.id, path=done.path)
    else:
        ctx.tell("Saved {id}", id=done.id, style="bold")
        ctx.hint("  {path}", path=done.path)
    if not draft.into:
        _show_layer(ctx, done)
    if done.secrets:
        ctx.hint("  secrets taken out of the text: {n}", n=done.secrets)
    _show_advice(ctx, done.advice, done.path)
    ctx.preview(done.text)


def _show_queued(ctx: CommandContext, done: memories.WriteResult) -> None:
    ctx.tell(
        "Queued as {id}, because it may contradict “{old}”. `recollect conflicts` settles it.",
        id=done.id,
        old=done.advice.waits,
    )
    ctx.hint("  {path}", path=done.path)
    ctx.tell_dry_run()


def _show_layer(ctx: CommandContext, done: memories.WriteResult) -> None:
    reason = ctx.word(done.reason)
    ctx.hint("  layer {layer}: it {reason}", layer=ctx.word(done.layer), reason=reason)


def _check_combination(ctx: CommandContext, given: dict[str, Any]) -> None:
    if given["into"] and (given["layer"] or given["kind"] or given["conversation"]):
        raise ctx.usage_error(
            "--into adds to a memory: leave out --layer, --kind and --conversation."
        )
    makes = ("", "episodic", "conversation")
    if given["conversation"] and not (given["layer"] in makes and given["kind"] in makes):
        raise ctx.usage_error("--conversation makes an episode: leave out --layer and --kind.")
    if given["encrypt"] and (given["into"] or given["private"]):
        raise ctx.usage_error("--encrypt creates a separate file: leave out --into and --private.")


def _show_advice(ctx: CommandContext, advice: Advice, path: str) -> None:
    ctx.hint_unaccepted(path)
    if advice.near:
        ctx.hint(
            "  {id} has tags in common ({tags}); --into {id} adds to it instead",
            id=advice.near,
            tags=ctx.listed(advice.common),
        )
    for text in advice.instead:
        ctx.hint("  in place of “{text}”, which it contradicts", text=text)
    for warning in advice.warnings:
        ctx.tell(WARNINGS[warning], style="yellow")


def _save_statement(ctx: CommandContext, statement: str, given: dict[str, Any]) -> None:
    from recollect.features.remember import Statement, describe_saved, remember  # few saves need it

    texts, lists = (*STATEMENT, "kind"), ("files", "trigger", "tags")
    for name, value in given.items():
        if value and name not in (*texts, *lists):
            raise ctx.usage_error(f"--subject, --why and --quote do not go with --{name}.")
    fields: dict[str, Any] = {name: given[name] for name in texts}
    fields |= {name: comma_list(given[name]) for name in lists}
    done = remember(ctx.app, Statement(statement, **fields), scope=ctx.scope, dry_run=ctx.dry_run)
    ctx.answer(done.as_json())
    ctx.console.prose(describe_saved(ctx.app.lang, done))
    ctx.hint("  {path}", path=done.path)
    ctx.hint_unaccepted(done.path)
    ctx.tell_dry_run()


def _text(
    ctx: CommandContext, body: str | None, file: str, stdin: str | None, *, is_edit: bool = False
) -> str | None:
    """The text from the one place where it was given; None if there is none."""
    if (body is not None) + bool(file) + (stdin is not None) > 1:
        raise ctx.usage_error("Give the text once: --body, --file or -.")
    if stdin not in (None, "-") and (is_edit or " " in stdin):
        raise ctx.usage_error("Give the text with --body, or `-` to read it from stdin.")
    if stdin not in (None, "-"):
        raise ctx.usage_error("Put a text of several words in quotes.")
    path = stdin or file or ("-" if body == "-" else "")
    return read_text(path) if path else body


@command(
    argument("name", type=ID),
    argument("stdin", default=None, metavar="[-]"),
    option("--title", default=None, help="New title; id and file stay."),
    option("--body", default=None, help="New text."),
    option("--file", type=PATH, help="New text, from a file."),
    option("--append", default=None, help="A paragraph to add at the end."),
    dry_run=True,
    example="recollect edit use-postgres-for-events            # in your editor\n"
    'recollect edit use-postgres-for-events --append "Measured: 12k events/s."',
)
def edit_command(
    ctx: CommandContext,
    name: str,
    stdin: str | None,
    title: str | None,
    body: str | None,
    file: str,
    append: str | None,
) -> None:
    """Change the text of a memory, or of one section (ID#SECTION).

    Without options it opens your editor ($VISUAL, $EDITOR): with the whole file, or for an entry
    that has its id on the page with that entry. If the memory changed meanwhile, nothing is written
    and your text is saved to a file.
    """
    body = _text(ctx, body, file, stdin, is_edit=True)
    append = read_text("-") if append == "-" else append
    if (title, body, append) != (None, None, None):
        done = memories.edit_memory(
            ctx.app, name, title=title, body=body, append=append, dry_run=ctx.dry_run
        )
    elif sys.stdin.isatty():
        done = memories.edit_by_hand(ctx.app, name, in_editor, dry_run=ctx.dry_run)
    else:
        raise ctx.usage_error(
            "There is no terminal for an editor: give --body, --file, --append or -."
        )
    _show_change(ctx, done)


@command(
    argument("name", type=ID),
    argument("values", nargs=-1, required=True, metavar="KEY=VALUE..."),
    dry_run=True,
    example="recollect set use-postgres-for-events salience=high tags=postgres,events,storage\n"
    "recollect set k3f9 trust=user",
)
def set_command(ctx: CommandContext, name: str, values: tuple[str, ...]) -> None:
    """Change fields of a memory's front matter; every other byte of the file stays.

    Separate list items by commas. An empty value clears a field. An entry of a page has trust,
    source, salience, kind (a decision or not) and, if it is a section, confidence: in its footnote.
    """
    fields = {}
    for value in values:
        key, equals, text = value.partition("=")
        if not equals:
            raise ctx.usage_error(f"“{value}” does not have the form key=value.")
        key = key.strip()
        fields["type" if key == "layer" else key.replace("_", "-")] = text
    _show_change(ctx, memories.set_memory_fields(ctx.app, name, fields, dry_run=ctx.dry_run))


def _show_change(ctx: CommandContext, done: memories.WriteResult) -> None:
    ctx.answer(done.as_json())
    if done.what == "unchanged":
        ctx.tell("{id} is already like that; nothing was changed.", id=done.id)
    elif ctx.dry_run:
        ctx.tell("Would change {id} in {path}", id=done.id, path=done.path)
        _show_difference(ctx, done.before, done.text)
    else:
        ctx.tell("Changed {id}", id=done.id, style="bold")
        ctx.hint("  {path}", path=done.path)
        ctx.hint_unaccepted(done.path)


def _show_difference(ctx: CommandContext, before: str, after: str) -> None:
    from difflib import unified_diff

    colours = {"+": "green", "-": "red"}
    lines = unified_diff(before.splitlines(), after.splitlines(), n=1, lineterm="")
    for line in list(lines)[2:]:
        ctx.console.line((colours.get(line[0], "dim"), f"  {line}"))


def in_editor(text: bytes, is_secret: bool) -> bytes | None:
    """The text after a person edited it; None if it is unchanged. A secret one never reaches a disk.

    Raises Failed.
    """
    import subprocess
    import tempfile

    words = _editor()
    with tempfile.TemporaryDirectory(prefix="recollect-", dir=_folder_for(is_secret)) as folder:
        path = os.path.join(folder, "memory.md")
        disk.create_whole(path, text)
        try:
            code = subprocess.run([*words, path], check=False).returncode  # noqa: S603 - the person's own words
        except OSError as error:
            reason = os.strerror(error.errno or 0)
            raise Failed(what=f"The editor {words[0]} cannot be run: {reason}.") from None
        if code:
            raise Failed(what=f"The editor {words[0]} exited with {code}; nothing was changed.")
        new = disk.read_file(path)
    return None if new == text else new


def _editor() -> list[str]:
    """The words of the person's editor, as a shell would split them."""
    import shlex
    import shutil

    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""
    try:
        words = shlex.split(editor)
    except ValueError:
        raise Failed(
            what=f"Your editor ($VISUAL or $EDITOR) is {editor!r}: a quote is open."
        ) from None
    usual = ("sensible-editor", "editor", "vim", "nano", "vi")
    return words or [next(filter(shutil.which, usual), usual[-1])]


def _folder_for(is_secret: bool) -> str | None:
    if not is_secret:
        return None
    for folder in (os.environ.get("XDG_RUNTIME_DIR", ""), "/dev/shm"):  # noqa: S108 - no disk
        if folder and os.path.isdir(folder) and os.access(folder, os.W_OK):
            return folder
    raise Failed(what="There is no in-memory folder for the editor: give --body, --append or -.")


@command(
    argument("name", type=ID, required=False),
    option("--from-session", metavar="ID", help="Everything that came from this session."),
    option("--from-page", metavar="URL", help="Everything from sessions that read this page."),
    flag("--purge", help="Remove its text from the journal too; cannot be undone."),
    flag("--yes", help="Do not ask (for --purge)."),
    dry_run=True,
    example="recollect forget use-postgres-for-events\nrecollect forget feedback#old-rule\n"
    "recollect forget --from-session 3f2a1b9c --dry-run",
)
def forget_command(
    ctx: CommandContext, name: str, from_session: str, from_page: str, purge: bool, yes: bool
) -> None:
    """Remove a memory, or one section of it (ID#SECTION).

    The journal keeps its text, so `recollect undo` can restore it, unless you use --purge. To
    purge one section, the older texts of its page are removed as well.
    --from-session removes a session's memories, what was learned in it, and the lines that
    consolidation filed elsewhere; --from-page does so for all sessions that opened this
    address. Try --dry-run first.
    """
    if sum(map(bool, (name, from_session, from_page))) != 1 or (purge and not name):
        raise ctx.usage_error("Name a memory, or give --from-session or --from-page alone.")
    if not name:
        _forget_origin(ctx, from_session, from_page)
        return
    if purge and not yes and not ctx.dry_run:
        question = ctx.say("Remove {id} permanently?", id=name)
        ctx.confirm(question, "--purge cannot be undone: add --yes.")
    done = memories.forget_memory(ctx.app, name, purge=purge, dry_run=ctx.dry_run)
    answer = done.as_json()
    copies: list[Copy] = []
    filed: list[Copy] = []
    if purge:
        from recollect.privacy.purge import traces_of

        going = done.path if ctx.dry_run else ""
        copies = traces_of(ctx.app, done.id, done.scope, going, done.said)
        filed = _pages_from(ctx, done)
        copies += filed
        answer["left"] = copies
    ctx.answer(answer)
    ctx.tell_change("Would forget {id}", "Forgot {id}", id=done.id, style="bold")
    if purge and not ctx.dry_run:
        ctx.tell(
            "Its text was removed from the store, the journal and the index. Copies in git, backups or on other machines remain."
        )
    ctx.tell_copies(copies)
    if filed:
        ctx.hint(
            "  `recollect forget --from-session {session}` removes these lines; the journal keeps them, for undo.",
            session=done.session,
        )
    if not (purge or ctx.dry_run):
        ctx.hint("  `recollect undo` restores it.")


def _pages_from(ctx: CommandContext, done: memories.WriteResult) -> list[Copy]:
    """The pages on which consolidation filed what the session said whose memory is purged."""
    from recollect.features import review

    return review.pages_from(ctx.app, done.session, done.id) if done.session else []


def _forget_origin(ctx: CommandContext, session: str, page: str) -> None:
    """Remove everything that came from a session, or from those that read a page."""
    from recollect.features import review

    effects = review.take_back_everywhere(ctx.app, session=session, page=page, dry_run=ctx.dry_run)
    ctx.answer([{**effect._asdict(), "scope": scope} for scope, effect in effects])
    for effect in dict.fromkeys(
        one if one.what != "removed" else one._replace(path="") for _, one in effects
    ):  # a session's memory has two files
        if effect.what == "removed":
            ctx.tell_change("Would forget {id}", "Forgot {id}", id=effect.memory)
        else:
            ctx.hint("  {path}: lines that came from it", path=effect.path)
    if not ctx.dry_run:
        ctx.hint("  `recollect undo` restores it.")


ID_COLUMNS = 15  # of a change's id: enough to distinguish it, and for `undo`
RESTORED = {
    "created": "  {path}: removed",
    "changed": "  {path}: restored to its old text",
    "moved": "  {path}: moved back",
    "removed": "  {path}: restored",
}


@command(
    argument("name", type=ID, required=False, metavar="[ID|CHANGE]"),
    option(
        "--to", metavar="CHANGE|DATE", help="Undo everything after a change, a day or a time (UTC)."
    ),
    flag("--gone", help="Restore files that were deleted outside of commands."),
    scope=True,
    dry_run=True,
    example="recollect undo\nrecollect undo use-postgres-for-events\n"
    "recollect undo --to 2026-01-11 --dry-run",
)
def undo_command(ctx: CommandContext, name: str, to: str, gone: bool) -> None:
    """Undo the last change, the last one of a memory, or the one named.

    The file is restored byte for byte. If it changed since, nothing is written; with --to your
    later edits by hand stay. An undo can be undone by its id.
    """
    if sum(map(bool, (name, to, gone))) > 1:
        raise ctx.usage_error("Name a change, or give --to, or --gone.")
    if to:
        _undo_to(ctx, to)
    elif gone:
        _restore_deleted(ctx)
    else:
        _undo_change(ctx, name)


def _undo_change(ctx: CommandContext, name: str) -> None:
    from recollect.features import undo

    change = undo.undo(ctx.app, name, scope=ctx.scope, dry_run=ctx.dry_run)
    ctx.answer(undo.change_json(change))
    about = ctx.listed(change.memories) or ctx.listed(change.paths)
    ctx.tell_change(
        "Would undo {cause} of {about}",
        "Undid {cause} of {about}",
        cause=FULL_NAMES.get(change.cause, change.cause),
        about=about,
        style="bold",
    )
    for what, path in undo.effects_of(change):
        ctx.hint(RESTORED[what], path=path)
    for what, path in change.beside:
        if what == "left":
            reason = ctx.word(EDITED)
            ctx.tell("  {path}: not changed, {reason}", path=path, reason=reason, style="yellow")
        else:
            ctx.hint(RESTORED[what], path=path)
    rest = undo.rest_of_pass(ctx.app, change, scope=ctx.scope)
    if rest.changes and not ctx.dry_run:
        ctx.hint(
            "Changes of consolidation that remain: {n}; `recollect undo{to}` takes them back.",
            n=rest.changes,
            to=f" --to {rest.before[:ID_COLUMNS]}" if rest.before else "",
        )


def _undo_to(ctx: CommandContext, to: str) -> None:
    from recollect.features import undo

    done = undo.undo_to(ctx.app, to, scope=ctx.scope, dry_run=ctx.dry_run)
    ctx.answer(
        {
            "change": done.change,
            "time": done.time,
            "changes": done.changes,
            "files": [{"path": path, "was": what} for what, path in done.effects],
            "left": [{"path": path, "why": why} for path, why in done.left],
        }
    )
    if not done.effects and not done.left:
        ctx.tell("Nothing to undo: the files are as they were at {time}.", time=done.time)
    elif not done.effects:
        ctx.tell("Nothing can be undone.")
    else:
        ctx.tell_change(
            "Would undo {n} changes, back to {time}",
            "Undid {n} changes, back to {time}",
            n=done.changes,
            time=done.time,
            style="bold",
        )
    for what, path in done.effects:
        ctx.hint(RESTORED[what], path=path)
    for path, why in done.left:
        reason = ctx.word(why)
        ctx.tell("  {path}: not changed, {reason}", path=path, reason=reason, style="yellow")


def _restore_deleted(ctx: CommandContext) -> None:
    from recollect.features import undo

    paths = undo.bring_back(ctx.app, scope=ctx.scope, dry_run=ctx.dry_run)
    ctx.answer({"paths": paths})
    if not paths:
        ctx.tell("No file was deleted outside of a command.")
    for path in paths:
        ctx.tell_change("  {path}: would be restored", RESTORED["removed"], path=path)


@command(
    argument("name", type=ID, required=False),
    option("--limit", type=IntRange(1), default=20, help="At most this many."),
    scope=True,
    example="recollect history\nrecollect history use-postgres-for-events --limit 5",
)
def history_command(ctx: CommandContext, name: str, limit: int) -> None:
    """List the changes of a store, or of one memory, newest first."""
    from recollect.features import undo

    changes = undo.history(ctx.app, name, scope=ctx.scope)[:limit]
    ctx.answer([undo.change_json(change) for change in changes])
    if not changes:
        ctx.tell("There are no changes.")
        return
    rows = [
        (
            one.id[:ID_COLUMNS],
            minute(one.time),
            ctx.say(
                "{what} ({cause})",
                what=ctx.word(one.what),
                cause=FULL_NAMES.get(one.cause, one.cause),
            )
            + (f" – {ctx.say('undone')}" if one.undone else ""),
            ", ".join(one.memories) or ", ".join(one.paths),
        )
        for one in changes
    ]
    ctx.table(("change", "time", "what", "memory"), rows, wide=2, below=3)
