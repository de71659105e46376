"""Commands: add-decision, add-pattern, add-issue, resolve, extract-facts, clear-facts, core memory."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from recollect.context.views import KINDS
from recollect.features import core_memory as core
from recollect.features import facts_commands as facts
from recollect.features.core_memory import CoreFile
from recollect.features.facts_commands import Extracted, Row
from recollect.interfaces.cli.charts import text_at
from recollect.interfaces.cli.context import Door, command, words
from recollect.interfaces.cli.parsing import Choice, FilePath, argument, option
from recollect.model import memory as model
from recollect.model.facts import Fact

MOST_SHOWN = 20


def _fact_options(kind: str) -> Callable[[Any], Any]:
    """Give a command the options that describe a fact of this kind."""

    def give(run: Any) -> Any:
        for add in reversed(
            (
                option(
                    "--category",
                    type=Choice(model.CATEGORIES[kind]),
                    default="other",
                    show_default=True,
                    help="What it is about.",
                ),
                option("--files", default=None, help="Files it is about, separated by commas."),
                option("--concepts", default=None, help="Concepts, separated by commas."),
                option("--tags", default=None, help="Three to six nouns, separated by commas."),
            )
        ):
            run = add(run)
        return run

    return give


@command(
    "add-decision",
    scope=True,
    dry_run=True,
    example='recollect add-decision "Use PostgreSQL for events" "We need JSONB and LISTEN/NOTIFY" \\\n'
    "  --category technology --files src/events.py --concepts event-sourcing",
)
@argument("content")
@argument("reason", required=False, default="")
@_fact_options("decision")
def add_decision_command(
    door: Door, content: str, reason: str, scope: str | None, dry_run: bool, **given: Any
) -> None:
    """Add a decision and its reason, with a number (d001, d002, …)."""
    _add(door, _fact("decision", content, reason, given), given, scope=scope, dry_run=dry_run)


@command(
    "add-pattern",
    scope=True,
    dry_run=True,
    example='recollect add-pattern "Every bug begins with a test" --category best-practice',
)
@argument("content")
@argument("detail", required=False, default="")
@_fact_options("pattern")
def add_pattern_command(
    door: Door, content: str, detail: str, scope: str | None, dry_run: bool, **given: Any
) -> None:
    """Add a convention, best practice or anti-pattern (p001, p002, …)."""
    _add(door, _fact("pattern", content, detail, given), given, scope=scope, dry_run=dry_run)


@command(
    "add-issue",
    scope=True,
    dry_run=True,
    example='recollect add-issue "The queue is drained twice" --status open --category bugfix',
)
@argument("content")
@argument("detail", required=False, default="")
@option(
    "--status",
    type=Choice(("open", "resolved")),
    default="open",
    show_default=True,
    help="`recollect resolve` changes it later.",
)
@_fact_options("issue")
def add_issue_command(
    door: Door, content: str, detail: str, scope: str | None, dry_run: bool, **given: Any
) -> None:
    """Add an issue (i001, i002, …); open ones are part of every brief."""
    fact = _fact("issue", content, detail, given)._replace(status=given["status"])
    _add(door, fact, given, scope=scope, dry_run=dry_run)


def _fact(kind: str, content: str, detail: str, given: dict[str, Any]) -> Fact:
    return Fact(
        kind,
        content,
        detail,
        given["category"],
        files=words(given["files"]),
        concepts=words(given["concepts"]),
    )


def _add(
    door: Door, fact: Fact, given: dict[str, Any], *, scope: str | None, dry_run: bool
) -> None:
    if not fact.content.strip():
        raise door.refusal("There is nothing to save.")
    row = facts.add(door.app, fact, words(given["tags"]), scope=scope or "", dry_run=dry_run)

    def show() -> None:
        _show_row(door, row, dry_run=dry_run)
        if row.kept.what != "unchanged":
            door.paper.line(("dim", f"  {row.path}"))
        if dry_run:
            door.paper.line()
            door.paper.block(row.kept.text)

    door.answer(row.as_json(), show)


def _show_row(door: Door, row: Row, *, dry_run: bool) -> None:
    kept = row.kept
    about = {"number": kept.number, "content": kept.content}
    if kept.what == "unchanged":
        door.tell("{number} already says that: {content}", **about)
    elif kept.what == "created":
        door.tell(
            "Would add {number}: {content}" if dry_run else "Added {number}: {content}", **about
        )
    elif kept.what == "changed":
        door.tell(
            "Would complete {number}: {content}" if dry_run else "Completed {number}: {content}",
            **about,
        )
    else:
        door.tell(
            "Would archive {number}: {content}" if dry_run else "Archived {number}: {content}",
            **about,
        )


@command("resolve", scope=True, dry_run=True, example="recollect resolve i001")
@argument("name", metavar="ID")
def resolve_command(door: Door, name: str, scope: str | None, dry_run: bool) -> None:
    """Mark an issue as resolved; ID is its number (i001) or its memory's id."""
    row = facts.resolve(door.app, name, scope=scope or "", dry_run=dry_run)

    def show() -> None:
        about = {"number": row.kept.number, "content": row.kept.content}
        if row.kept.what == "unchanged":
            door.tell("{number} is already resolved: {content}", **about)
        elif dry_run:
            door.tell("Would resolve {number}: {content}", **about)
        else:
            door.tell("Resolved {number}: {content}", **about)

    door.answer(row.as_json(), show)


@command(
    "extract-facts",
    scope=True,
    dry_run=True,
    example="recollect extract-facts 2026-01-11_1430\nrecollect extract-facts --session 2026-01-11-event-store",
)
@argument("file", required=False, default="", type=FilePath())
@option(
    "--session",
    default=None,
    help="Read this session's memory instead: its id, or the client's session id.",
)
def extract_facts_command(
    door: Door, file: str, session: str | None, scope: str | None, dry_run: bool
) -> None:
    """Extract decisions, patterns and issues from a session file, each once.

    FILE is a path, a name in the store's folder `sessions`, or `-` for stdin (default: the
    newest there). List items that cannot be parsed are reported with their line; running it
    again adds nothing.
    """
    if file and session:
        raise door.refusal("Give a file or --session, not both.")
    if session:
        source = facts.source_of_session(door.app, session)
    elif file == "-":
        source = facts.source_of_text(text_at("-"), "stdin")
    else:
        path = facts.session_file(door.app, file, scope=scope or "")
        source = facts.source_of_text(text_at(path), path)
    done = facts.extract(door.app, source, scope=scope or "", dry_run=dry_run)
    door.answer(done.as_json(), lambda: _show_extracted(door, done, dry_run=dry_run))


def _show_extracted(door: Door, done: Extracted, *, dry_run: bool) -> None:
    for row in done.facts:
        if row.kept.what != "unchanged":
            _show_row(door, row, dry_run=dry_run)
    known = sum(row.kept.what == "unchanged" for row in done.facts)
    if not done.facts:
        door.tell("There are no facts in {source}.", source=done.source)
    elif known:
        door.tell("Known already: {n}", n=known)
    for one in done.unread[:MOST_SHOWN]:
        where = str(one.line) if one.line == one.last else f"{one.line}–{one.last}"
        door.tell(
            "Could not parse line {where}: {text}", where=where, text=one.text, style="yellow"
        )
    if len(done.unread) > MOST_SHOWN:
        door.tell("… and {n} more lines that could not be parsed", n=len(done.unread) - MOST_SHOWN)


@command(
    "clear-facts",
    scope=True,
    dry_run=True,
    example="recollect clear-facts --kind issue --yes",
)
@option("--kind", type=Choice(KINDS), default=None, help="Only facts of this kind.")
@option("--yes", is_flag=True, help="Do not ask.")
def clear_facts_command(
    door: Door, kind: str | None, yes: bool, scope: str | None, dry_run: bool
) -> None:
    """Archive all facts; their numbers are not reused.

    `recollect search --archived` finds them and `recollect undo` restores them.
    """
    kinds = (kind,) if kind else KINDS
    rows = facts.clear(door.app, kinds, scope=scope or "", dry_run=True)
    if rows and not dry_run:
        if not yes:
            _confirm(door, len(rows))
        rows = facts.clear(door.app, kinds, scope=scope or "", dry_run=False)

    def show() -> None:
        for row in rows:
            _show_row(door, row, dry_run=dry_run)
        if not rows:
            door.tell("There are no facts to archive.")
        elif not dry_run:
            door.tell("  `recollect undo` restores them.", style="dim")

    door.answer([row.as_json() for row in rows], show)


def _confirm(door: Door, count: int) -> None:
    if not sys.stdin.isatty():
        raise door.refusal("There is no terminal to confirm at: add --yes.")
    door.confirm(door.say("Archive {n} facts?", n=count))


# -------------------- Command line: memory-set, memory-get, memory-list.


@command(
    "memory-set",
    scope=True,
    dry_run=True,
    example='recollect memory-set project "A queue of messages, in Go."\n'
    "recollect memory-set architecture --file docs/architecture.md",
)
@argument("name")
@argument("text", required=False, default=None, metavar="[TEXT|-]")
@option("--file", type=FilePath(), default=None, help="Read the text from a file; `-` is stdin.")
def memory_set_command(
    door: Door, name: str, text: str | None, file: str | None, scope: str | None, dry_run: bool
) -> None:
    """Write a core file: project, architecture, conventions, or any other name.

    Core files are part of every brief, so keep them short. The text replaces the file's
    content; `recollect undo` restores it.
    """
    if (text is None) == (file is None):
        raise door.refusal("Give the text once: TEXT, - or --file.")
    said = text_at(file) if file is not None else text_at("-") if text == "-" else text or ""
    if not said.strip():
        raise door.refusal("There is nothing to save.")
    done, path = core.write_core_memory(door.app, name, said, scope=scope or "", dry_run=dry_run)

    def show() -> None:
        if done.what == "unchanged":
            door.tell("{id} already says that; nothing was changed.", id=done.id)
        elif dry_run:
            door.tell("Would write {path}", path=path)
            door.paper.line()
            door.paper.block(done.text)
        else:
            door.tell("Wrote {path}", path=path, style="bold")
            if core.named(door.app, name, scope=scope or "").is_cut:
                _tell_cut(door, done.id)

    answer = {"name": name.removesuffix(".md"), "id": done.id, "path": path, "what": done.what}
    door.answer(answer, show)


@command("memory-get", scope=True, example="recollect memory-get conventions\nrecollect memory-get")
@argument("name", required=False, default="", metavar="[NAME]")
def memory_get_command(door: Door, name: str, scope: str | None) -> None:
    """Show a core file, or all of them."""
    if name:
        file = core.named(door.app, name, scope=scope or "")
        door.answer(file.as_json(), lambda: door.paper.markdown(file.text))
        return
    files = core.every(door.app, scope=scope or "")

    def show() -> None:
        for n, file in enumerate(files):
            if n:
                door.paper.line()
            door.paper.line(("bold", file.name), ("dim", f"  {door.word(file.scope)}"))
            door.paper.markdown(file.text)
        _show_none(door, files)

    door.answer([file.as_json() for file in files], show)


@command("memory-list", scope=True, example="recollect memory-list")
def memory_list_command(door: Door, scope: str | None) -> None:
    """List the core files and their cost in tokens."""
    files = core.every(door.app, scope=scope or "")

    def show() -> None:
        rows = [(f.name, f"{f.tokens:,}", f.updated[:10], door.word(f.scope)) for f in files]
        if rows:
            door.paper.table(door.heads("file", "tokens", "date", "scope"), rows)
        for file in files:
            if file.is_cut:
                _tell_cut(door, file.name)
        _show_none(door, files)

    shown = [{k: v for k, v in file.as_json().items() if k != "text"} for file in files]
    door.answer(shown, show)


def _tell_cut(door: Door, name: str) -> None:
    door.tell(
        "{id} is longer than its share of the brief: sessions may see only its beginning.",
        style="dim",
        id=name,
    )


def _show_none(door: Door, files: list[CoreFile]) -> None:
    if not files:
        door.tell(
            "There are no core files yet; create one with `recollect memory-set project TEXT`."
        )
