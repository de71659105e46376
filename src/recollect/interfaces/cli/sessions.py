"""Commands of the family session."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from recollect.capture import summary, titles
from recollect.clients import CAPTURED
from recollect.errors import NoSessionHere, SessionUnnamed
from recollect.features import sessions
from recollect.features.sessions import Saved, SaveSessionRequest, StoredSession
from recollect.interfaces.cli.command import SCOPES, CommandContext, comma_list, command, read_text
from recollect.interfaces.cli.console import shown_page, shown_title
from recollect.interfaces.cli.parsing import PATH, Choice, IntRange, argument, flag, option
from recollect.interfaces.cli.read import tell_of_pages, without_page_marks
from recollect.model.memory import SHORTEST_ID
from recollect.model.times import minute

if TYPE_CHECKING:
    from recollect.features.capture import CaptureReport, Uncaptured
    from recollect.features.session_archive import Compressed

STATUSES = {"active": "active", "saved": "saved", "discarded": "ended without a memory"}
SESSION = option(
    "--session-id",
    "session",
    help="Use this session (id or prefix) instead of this terminal's or agent's.",
)


@command(
    argument("task", required=False),
    scope=True,
    dry_run=True,
    example='recollect session start "Move the events to PostgreSQL"',
)
def start_session_command(ctx: CommandContext, task: str) -> None:
    """Start a session in this terminal; in an agent's session, set its task.

    Many sessions can be active at once. `note`, `todo` and `fact decision` add to the session of
    the terminal, of the agent, or of RECOLLECT_SESSION, never to another.
    """
    found = sessions.start(ctx.app, task, scope=ctx.scope, dry_run=ctx.dry_run)
    ctx.answer(found.as_json())
    if ctx.dry_run:
        ctx.tell("Would start a session: {task}", task=task or "–")
        return
    name = found.state.session_id
    ctx.tell("Session {session}: {task}", session=name, task=found.state.task or "–")
    if found.is_homeless:
        ctx.hint(
            "  There is no terminal to tell the session by: set RECOLLECT_SESSION={session}, or give --session-id.",
            session=name,
        )


@command(
    argument("text"),
    SESSION,
    dry_run=True,
    example='recollect session note "The staging database has no JSONB index"\n'
    "git log -3 | recollect session note -",
)
def note_command(ctx: CommandContext, text: str, session: str) -> None:
    """Add a note to the active session; TEXT is `-` for stdin."""
    text = read_text("-") if text == "-" else text
    if not text.strip():
        raise ctx.usage_error("There is nothing to save.")
    text = text.strip("\n").rstrip()
    done = sessions.add(ctx.app, "note", text, session=session, dry_run=ctx.dry_run)
    (remark,) = done.remarks
    ctx.answer({"session": done.state.session_id, "note": remark.text})
    lines = [line for line in remark.text.splitlines() if line.strip()]
    first = f"{lines[0]} …" if len(lines) > 1 else "".join(lines)
    ctx.tell_change("Would note: {text}", "Noted: {text}", text=first)
    ctx.hint("  session {session}", session=done.state.session_id)


@command(
    argument("text", required=False),
    option("--done", metavar="N|ID", help="Mark this number, id or text as done."),
    flag("--all", "every", help="List what is open in all sessions, with ids."),
    SESSION,
    dry_run=True,
    example='recollect session todo "Add the index on staging"\n'
    "recollect session todo --done 1\nrecollect session todo --all\nrecollect session todo --done k3f9",
)
def todo_command(ctx: CommandContext, text: str, done: str, every: bool, session: str) -> None:
    """Add a to-do to the active session, mark one as done, or list all.

    To-dos that are open when the session ends appear in the next briefs until they are done. A
    number is one of the active session; an id or a text is found in every session.
    """
    if bool(text) + bool(done) + every > 1:
        raise ctx.usage_error("Give a text, --done or --all.")
    if every:
        _list_open(ctx)
        return
    if not done and not text.strip():
        _list_todos(ctx, sessions.find(ctx.app, session))
        return
    is_number = done.isdecimal() and len(done) < SHORTEST_ID
    if done and not is_number:
        todo = sessions.finish_todo(ctx.app, done, dry_run=ctx.dry_run)
        ctx.answer({"session": todo.session, "done": todo.text})
        ctx.tell_change("Would mark as done: {text}", "Done: {text}", text=todo.text)
        ctx.hint("  session {session}", session=todo.session)
        return
    if done:
        added = sessions.done(ctx.app, int(done), session=session, dry_run=ctx.dry_run)
    else:
        text = " ".join(text.split())
        added = sessions.add(ctx.app, "todo", text, session=session, dry_run=ctx.dry_run)
    ctx.answer({"session": added.state.session_id, "todos": _numbered(added.state.todos)})
    for remark in added.remarks:
        if remark.kind == "done":
            ctx.tell_change("Would mark as done: {text}", "Done: {text}", text=remark.text)
        else:
            ctx.tell_change("Would add: {text}", "To do: {text}", text=remark.text)
    if not added.remarks:
        ctx.tell("That is already done.")
    ctx.hint("  session {session}", session=added.state.session_id)


def _list_open(ctx: CommandContext) -> None:
    found = sessions.open_todos(ctx.app)
    ctx.answer([todo.as_json(short) for short, todo in found])
    if not found:
        ctx.tell("No session has an open to-do.")
        return
    rows = [
        (short, todo.date, todo.text, shown_title(ctx.lang, todo.title)) for short, todo in found
    ]
    ctx.table(("id", "date", "to do", "session"), rows, wide=2, below=3)
    ctx.hint("`recollect session todo --done ID` marks one as done.")


def _numbered(rows: list[dict[str, str]]) -> list[dict[str, Any]]:
    return [
        {"number": n, "text": one["text"], "status": one["status"]} for n, one in enumerate(rows, 1)
    ]


def _list_todos(ctx: CommandContext, found: StoredSession) -> None:
    rows = _numbered(found.state.todos)
    ctx.answer({"session": found.state.session_id, "todos": rows})
    if not rows:
        ctx.tell("This session has no to-dos.")
    for todo in rows:
        is_done = todo["status"] == "done"
        text = f"{todo['number']}. [{'x' if is_done else ' '}] {todo['text']}"
        ctx.console.prose(("dim" if is_done else "", text), hang=text.index("]") + 2)


@command(
    flag("--all", "ended", help="Include ended sessions."),
    scope=True,
    example="recollect session list --all",
)
def list_sessions_command(ctx: CommandContext, ended: bool) -> None:
    """List the active sessions, most recent first."""
    found = sessions.every(ctx.app, scope=ctx.scope, ended=ended)
    ctx.answer([one.as_json() for one in found])
    if not found:
        ctx.tell("No session is active here.")
        if over := 0 if ended else len(sessions.every(ctx.app, scope=ctx.scope, ended=True)):
            ctx.hint("Ended sessions: {n}; `recollect session list --all` lists them.", n=over)
        return
    heads = ("session", "task", "client", "status", "started", "last", "notes", "to do")
    ctx.table(heads, [_row(ctx, one) for one in found], wide=1, spare=(4, 6, 2, 7))


def _row(ctx: CommandContext, one: StoredSession) -> list[str]:
    state, row = one.state, one.as_json()
    return [
        one.short,
        shown_title(ctx.lang, one.title) or "–",
        state.client,
        ctx.say(STATUSES[state.status]),
        minute(state.started),
        minute(state.last_updated),
        str(row["notes"]),
        str(row["open_todos"]),
    ]


@command(
    argument("session", required=False, metavar="[ID]"),
    example="recollect session show session-20260111-143000-4f1a9c",
)
def show_session_command(ctx: CommandContext, session: str) -> None:
    """Show a session: this terminal's or agent's, or the one named.

    The output is what its memory would say if it ended now.
    """
    try:
        found = sessions.find(ctx.app, session)
    except NoSessionHere:
        raise SessionUnnamed from None
    ctx.answer(found.whole_json())
    state = found.state
    trust = summary.trust_of(state)
    ctx.console.prose(("bold", titles.title_of(state)))
    ctx.pairs(
        {
            "session": state.session_id,
            "client": state.client,
            "status": ctx.say(STATUSES[state.status]),
            "started": minute(state.started),
            "last": minute(state.last_updated),
            "memory": state.memory,
            "trust": ctx.word(trust) if trust == "external" else "",
        }
    )
    page = without_page_marks(summary.summary_text(state, state.session_id, ctx.lang))
    text = page.partition("\n---\n")[2].partition("\n")[2].strip()
    if state.web:
        tell_of_pages(ctx)
    ctx.console.line()
    ctx.console.markdown(shown_page(ctx.lang, text))


@command(
    SESSION,
    option("--tags", help="Three to six nouns, separated by commas."),
    option("--summary", help="The result, in a sentence or two."),
    option("--scope", type=SCOPES, help="The store for its memory (default: the session's store)."),
    dry_run=True,
    example='recollect session save --tags postgres,events --summary "Events are in PostgreSQL now"',
)
def save_session_command(ctx: CommandContext, session: str, tags: str, summary: str) -> None:
    """Write a session's memory now, or update it.

    This terminal's or agent's session, or the one named; never somebody else's. If an agent's
    session continues, its memory is updated when it ends.
    """
    wish = SaveSessionRequest(comma_list(tags), summary, ctx.scope)
    saved = sessions.save(ctx.app, session, wish, dry_run=ctx.dry_run)
    ctx.answer(saved.as_json())
    _show_saved(ctx, saved)
    if saved.text:
        ctx.preview(saved.text)


def _show_saved(ctx: CommandContext, saved: Saved) -> None:
    name = saved.found.state.session_id
    if saved.what == "skipped":
        ctx.tell("There is nothing in {session} to save.", session=name)
    elif saved.what == "nothing":
        ctx.tell("{session} is already saved: {id}", session=name, id=saved.memory)
    else:
        ctx.tell_change(
            "Would save {session}", "Saved {session}: {id}", session=name, id=saved.memory
        )
    if saved.path:
        ctx.hint("  {path}", path=saved.path)


@command(
    option(
        "--older-than",
        "hours",
        type=IntRange(0),
        default=sessions.STALE_HOURS,
        metavar="HOURS",
        help="Hours of inactivity before a session counts as abandoned.",
    ),
    scope=True,
    dry_run=True,
    example="recollect session cleanup --older-than 48",
)
def cleanup_sessions_command(ctx: CommandContext, hours: int) -> None:
    """Save abandoned sessions as memories.

    Nothing is lost: a session without content ends without a memory.
    """
    done = sessions.cleanup(ctx.app, hours=hours, scope=ctx.scope, dry_run=ctx.dry_run)
    ctx.answer([saved.as_json() for saved in done])
    for saved in done:
        _show_saved(ctx, saved)
    if not done:
        ctx.tell("No session has been inactive for {n} hours.", n=hours)


@command(
    option(
        "--older-than",
        "days",
        type=IntRange(1),
        default=sessions.OLD_DAYS,
        metavar="DAYS",
        help="Days since a session was last changed, or captured.",
    ),
    scope=True,
    dry_run=True,
    example="recollect session compress --dry-run",
)
def compress_command(ctx: CommandContext, days: int) -> None:
    """Archive old sessions, with a page for each month.

    The pages are in `sessions/archive`. A session keeps its id: `show ID --level 3` shows its
    raw conversation, `search --archived` finds it, and `undo` restores a month.
    `core/recent.md` summarises what came before the sessions listed in a brief.
    """
    from recollect.features.session_archive import compress_store  # loads all of consolidation

    done = [
        compress_store(ctx.app, store, days=days, dry_run=ctx.dry_run)
        for store in ctx.app.stores(ctx.scope)
    ]
    ctx.answer([row.as_json() for row in done])
    for row in done:
        _show_compressed(ctx, row)


def _show_compressed(ctx: CommandContext, row: Compressed) -> None:
    for month in row.months:
        names = (*month.memories, *month.files)
        ctx.tell_change(
            "Sessions that would be archived, with a page in {path}: {n}",
            "Sessions archived, with a page in {path}: {n}",
            n=len(names),
            path=month.path,
        )
        for name in names:
            ctx.hint("  {name}", name=name)
    if row.recent:
        ctx.tell_change("Would update {path}", "Updated {path}", path="core/recent.md")
    if not row.months and not row.recent:
        ctx.tell(
            "The {scope} store has no sessions old enough to compress.", scope=ctx.word(row.scope)
        )


@command(
    argument("transcripts", type=PATH, nargs=-1, metavar="[TRANSCRIPT]..."),
    flag("--all", "everywhere", help="The sessions of all projects, not of this one."),
    option(
        "--client",
        type=Choice(CAPTURED),
        help="Whose transcripts (default: the client that wrote the file; of a folder claude; without a path, all clients).",
    ),
    option(
        "--scope",
        type=SCOPES,
        help="Save everything to this store (default: each session goes to its project's store).",
    ),
    dry_run=True,
    example="recollect session capture\nrecollect session capture --all\n"
    "recollect session capture transcript.jsonl --scope project\n"
    "recollect session capture old/*.jsonl",
)
def capture_command(
    ctx: CommandContext, transcripts: tuple[str, ...], client: str, everywhere: bool
) -> None:
    """Capture transcripts: those that clients logged for this project, files, or folders.

    What they state is then filed on pages, as `recollect consolidate` does. Captured transcripts
    are skipped, so you can run it again at any time. The exit code is 1 if a
    transcript could not be captured; the others still are.
    """
    if transcripts and everywhere:
        raise ctx.usage_error("Give a path or --all, not both.")
    if transcripts:
        from recollect.features.capture import capture_paths  # notes and to-dos need none of it

        with ctx.progress("capturing") as step:
            done = capture_paths(
                ctx.app,
                transcripts,
                client,
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
    _show_captured(ctx, ", ".join(transcripts), done)
    if done.failed:
        sys.exit(1)


def uncaptured(ctx: CommandContext) -> Uncaptured:
    """The sessions that the clients have logged and that are not captured yet."""
    from recollect.features.capture import left_by_clients

    with ctx.progress("looking for sessions") as step:
        return left_by_clients(ctx.app, step)


def capture_all(ctx: CommandContext, transcripts: list[tuple[str, str]]) -> None:
    """Capture these transcripts and print the counts."""
    _show_captured(ctx, "", _capture(ctx, transcripts, "")._replace(memories=[]))


def _capture(ctx: CommandContext, transcripts: list[tuple[str, str]], scope: str) -> CaptureReport:
    from recollect.features.capture import capture_found

    with ctx.progress("capturing") as step:
        return capture_found(ctx.app, transcripts, scope=scope, dry_run=ctx.dry_run, progress=step)


def _show_captured(ctx: CommandContext, path: str, done: CaptureReport) -> None:
    if not done.transcripts and not path:
        ctx.tell("No new sessions in the logs of your clients.")
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
    if done.filed:
        ctx.hint("  statements filed on pages: {n}", n=done.filed)
    if done.superseded:
        ctx.hint("  statements that gave way to newer ones: {n}", n=done.superseded)
    if done.disputed:
        ctx.hint("  contradictions to settle: {n} (`recollect conflicts`)", n=done.disputed)
    if done.without_store:
        ctx.hint(
            "  {n} of folders without a store; `recollect init --scope global` makes one for them",
            n=done.without_store,
        )
    if done.of_no_project:
        ctx.hint(
            "  skipped because they do not name their project: {n}; capture one by its path to take it into this project's store",
            n=done.of_no_project,
        )
    for failed, why in done.failed:
        ctx.tell("{path}: {why}", path=failed, why=ctx.translate(why), style="yellow")
