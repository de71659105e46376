"""Commands for sessions: start, note, todo, list, show, save, clean up."""

from __future__ import annotations

from typing import Any

from recollect.features import session_archive as compressing
from recollect.features import sessions
from recollect.features.session_archive import Compressed
from recollect.features.sessions import Found, Saved, Wish
from recollect.interfaces.cli.charts import text_at
from recollect.interfaces.cli.context import SCOPE_NAMES, Door, command, words
from recollect.interfaces.cli.parsing import Choice, IntRange, argument, option

_STATUSES = {"active": "goes on", "saved": "saved", "discarded": "left"}


def _session_option(run: Any) -> Any:
    """Give a command the option that names a session."""
    return option(
        "--session-id",
        "session",
        default="",
        help="Use this session (id or prefix) instead of this terminal's or agent's.",
    )(run)


@command(
    "start-session",
    scope=True,
    dry_run=True,
    example='recollect start-session "Move the events to PostgreSQL"',
)
@argument("task", required=False, default="")
def start_session_command(door: Door, task: str, scope: str | None, dry_run: bool) -> None:
    """Start a session in this terminal; in an agent's session, set its task.

    Many sessions can be active at once. `note`, `todo` and `add-decision` add to the session of
    the terminal, of the agent, or of RECOLLECT_SESSION, never to another.
    """
    found = sessions.start(door.app, task, scope=scope or "", dry_run=dry_run)

    def show() -> None:
        name, about = found.state.session_id, found.state.task
        if dry_run:
            door.tell("Would start a session: {task}", task=task or "–")
            return
        door.tell("Session {session}: {task}", session=name, task=about or "–")
        if found.is_homeless:
            door.tell(
                "  no terminal identifies this session: set RECOLLECT_SESSION={session}",
                session=name,
                style="dim",
            )

    door.answer(found.as_json(), show)


@command(
    "note",
    dry_run=True,
    example='recollect note "The staging database has no JSONB index"\ngit log -3 | recollect note -',
)
@argument("text")
@_session_option
def note_command(door: Door, text: str, session: str, dry_run: bool) -> None:
    """Add a note to the active session; TEXT is `-` for stdin."""
    text = text_at("-") if text == "-" else text
    if not text.strip():
        raise door.refusal("There is nothing to save.")
    said = sessions.note(door.app, text, session=session, dry_run=dry_run)
    (remark,) = said.remarks

    def show() -> None:
        if dry_run:
            door.tell("Would note: {text}", text=_first(remark.text))
        else:
            door.tell("Noted: {text}", text=_first(remark.text))
        door.tell("  session {session}", session=said.state.session_id, style="dim")

    door.answer({"session": said.state.session_id, "note": remark.text}, show)


def _first(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return f"{lines[0]} …" if len(lines) > 1 else (lines or [""])[0]


@command(
    "todo",
    dry_run=True,
    example='recollect todo "Add the index on staging"\nrecollect todo --done 1\nrecollect todo',
)
@argument("text", required=False, default="")
@option("--done", type=IntRange(min=1), default=None, help="Mark this number as done.")
@_session_option
def todo_command(door: Door, text: str, done: int | None, session: str, dry_run: bool) -> None:
    """Add a to-do to the active session, mark one as done, or list all.

    To-dos that are open when the session ends appear in the next briefs.
    """
    if text and done is not None:
        raise door.refusal("Give a text or --done, not both.")
    if done is not None:
        said = sessions.done(door.app, done, session=session, dry_run=dry_run)
    elif text.strip():
        said = sessions.todo(door.app, text, session=session, dry_run=dry_run)
    else:
        _list_todos(door, sessions.find(door.app, session))
        return
    state = said.state

    def show() -> None:
        for remark in said.remarks:
            if remark.kind == "done":
                door.tell(
                    "Would mark as done: {text}" if dry_run else "Done: {text}", text=remark.text
                )
            else:
                door.tell("Would add: {text}" if dry_run else "To do: {text}", text=remark.text)
        if not said.remarks:
            door.tell("That is already done.")
        door.tell("  session {session}", session=state.session_id, style="dim")

    answer = {"session": state.session_id, "todos": _todos(state.todos)}
    door.answer(answer, show)


def _todos(rows: list[dict[str, str]]) -> list[dict[str, Any]]:
    return [
        {"number": n, "text": row["text"], "status": row["status"]} for n, row in enumerate(rows, 1)
    ]


def _list_todos(door: Door, found: Found) -> None:
    todos = found.state.todos

    def show() -> None:
        if not todos:
            door.tell("This session has no to-dos.")
        _show_todos(door, todos)

    door.answer({"session": found.state.session_id, "todos": _todos(todos)}, show)


def _show_todos(door: Door, todos: list[dict[str, str]]) -> None:
    for n, todo in enumerate(todos, 1):
        is_done = todo["status"] == "done"
        door.paper.line(
            ("dim" if is_done else "", f"{n}. [{'x' if is_done else ' '}] {todo['text']}")
        )


@command("list-sessions", scope=True, example="recollect list-sessions --all")
@option("--all", "ended", is_flag=True, help="Include ended sessions.")
def list_sessions_command(door: Door, ended: bool, scope: str | None) -> None:
    """List the active sessions, most recent first."""
    found = sessions.every(door.app, scope=scope or "", ended=ended)

    def show() -> None:
        if not found:
            door.tell("No session is active here.")
            return
        heads = door.heads(
            "session", "task", "client", "status", "started", "last", "notes", "to do"
        )
        door.paper.table(heads, [_row(door, one) for one in found], wide=1, spare=(4,))

    door.answer([one.as_json() for one in found], show)


def _row(door: Door, one: Found) -> list[str]:
    from recollect.capture import summary

    state, row = one.state, one.as_json()
    return [
        state.session_id,
        summary.title_of(state) if state.task or state.notes else "–",
        state.client,
        _status(door, one),
        _minute(state.started),
        _minute(state.last_updated),
        str(row["notes"]),
        str(row["open_todos"]),
    ]


def _status(door: Door, one: Found) -> str:
    return door.say(_STATUSES[one.state.status])


def _minute(time: str) -> str:
    return time[:16].replace("T", " ")


@command("show-session", example="recollect show-session session-20260111-143000-4f1a9c")
@argument("session", required=False, default="", metavar="ID")
def show_session_command(door: Door, session: str) -> None:
    """Show a session: this terminal's or agent's, or the one named.

    The output is what its memory would say if it ended now.
    """
    found = sessions.find(door.app, session)

    def show() -> None:
        from recollect.capture import summary

        text = summary.summary_text(found.state, found.state.session_id, door.lang)
        row = found.as_json()
        door.paper.line(("bold", summary.title_of(found.state)))
        door.paper.pairs(
            [
                (door.say("session"), row["session"]),
                (door.say("client"), row["client"]),
                (door.say("status"), _status(door, found)),
                (door.say("started"), _minute(row["started"])),
                (door.say("last"), _minute(row["updated"])),
                *([(door.say("memory"), row["memory"])] if row["memory"] else []),
            ]
        )
        body = text.partition("\n---\n")[2].partition("\n")[2].strip()
        door.paper.line()
        door.paper.markdown(body)

    door.answer(found.whole_json(), show)


@command(
    "save-session",
    dry_run=True,
    example='recollect save-session --tags postgres,events --summary "Events are in PostgreSQL now"',
)
@_session_option
@option("--tags", default=None, help="Three to six nouns, separated by commas.")
@option("--summary", "about", default="", help="The result, in a sentence or two.")
@option(
    "--scope",
    type=Choice(SCOPE_NAMES),
    default=None,
    help="The store for its memory (default: the session's store).",
)
def save_session_command(
    door: Door, session: str, tags: str | None, about: str, scope: str | None, dry_run: bool
) -> None:
    """Write a session's memory now, or update it.

    This terminal's or agent's session, or the one named; never somebody else's. If an agent's
    session continues, its memory is updated when it ends.
    """
    wish = Wish(words(tags), about, scope or "")
    saved = sessions.save(door.app, session, wish, dry_run=dry_run)

    def show() -> None:
        _show_saved(door, saved, dry_run=dry_run)
        if dry_run and saved.text:
            door.paper.line()
            door.paper.block(saved.text)

    door.answer(saved.as_json(), show)


def _show_saved(door: Door, saved: Saved, *, dry_run: bool) -> None:
    name = saved.found.state.session_id
    if saved.what == "skipped":
        door.tell("There is nothing in {session} to save.", session=name)
    elif dry_run and saved.what != "nothing":
        door.tell("Would save {session}", session=name)
    elif saved.what == "nothing":
        door.tell("{session} is already saved: {id}", session=name, id=saved.memory)
    else:
        door.tell("Saved {session}: {id}", session=name, id=saved.memory)
    if saved.path:
        door.paper.line(("dim", f"  {saved.path}"))


@command(
    "cleanup-sessions",
    scope=True,
    dry_run=True,
    example="recollect cleanup-sessions --older-than 48",
)
@option(
    "--older-than",
    "hours",
    type=IntRange(min=0),
    default=sessions.STALE_HOURS,
    show_default=True,
    metavar="HOURS",
    help="Hours of inactivity before a session counts as abandoned.",
)
def cleanup_sessions_command(door: Door, hours: int, scope: str | None, dry_run: bool) -> None:
    """Save abandoned sessions as memories.

    Nothing is lost: a session without content ends without a memory.
    """
    done = sessions.cleanup(door.app, hours=hours, scope=scope or "", dry_run=dry_run)

    def show() -> None:
        for saved in done:
            _show_saved(door, saved, dry_run=dry_run)
        if not done:
            door.tell("No session has been inactive for {n} hours.", n=hours)

    door.answer([saved.as_json() for saved in done], show)


# -------------------- Command line: compress, which puts old sessions away.


@command("compress", scope=True, dry_run=True, example="recollect compress --dry-run")
@option(
    "--older-than",
    "days",
    type=IntRange(min=1),
    default=compressing.OLD_DAYS,
    show_default=True,
    metavar="DAYS",
    help="Days since a session was last changed.",
)
def compress_command(door: Door, days: int, scope: str | None, dry_run: bool) -> None:
    """Archive old sessions, with a page for each month.

    The pages are in `sessions/archive`. A session keeps its id: `show ID --level 3` shows its
    raw conversation, `search --archived` finds it, and `undo` restores a month.
    `core/recent.md` summarises what came before the sessions listed in a brief.
    """
    done = compressing.compress_sessions(door.app, days=days, scope=scope or "", dry_run=dry_run)

    def show() -> None:
        for row in done:
            _show_compressed(door, row, dry_run=dry_run)

    door.answer([row.as_json() for row in done], show)


def _show_compressed(door: Door, row: Compressed, *, dry_run: bool) -> None:
    for one in row.months:
        n, path = len(one.memories) + len(one.files), one.path
        if dry_run:
            door.tell("Sessions that would be archived, with a page in {path}: {n}", n=n, path=path)
        else:
            door.tell("Sessions archived, with a page in {path}: {n}", n=n, path=path)
        for name in (*one.memories, *one.files):
            door.paper.line(("dim", f"  {name}"))
    if row.recent:
        door.tell("Would update {path}" if dry_run else "Updated {path}", path="core/recent.md")
    if not row.months and not row.recent:
        door.tell(
            "The {scope} store has no sessions old enough to compress.", scope=door.word(row.scope)
        )
