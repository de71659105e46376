"""Commands of the families fact, core and skill: facts, core files, suggested skills."""

from __future__ import annotations

from typing import Any

from recollect.context.views import KINDS
from recollect.features import core_memory, facts, skill_candidates
from recollect.features.core_memory import CoreFile
from recollect.features.facts import ExtractFactsResult, FactResult
from recollect.features.skill_candidates import Analysis, CandidateThresholds
from recollect.features.skill_detectors import DAYS, LEAST
from recollect.interfaces.cli.command import CommandContext, comma_list, command, read_text
from recollect.interfaces.cli.parsing import (
    ID,
    PATH,
    Choice,
    IntRange,
    Parameter,
    argument,
    flag,
    option,
)
from recollect.model.facts import Fact
from recollect.model.memory import CATEGORIES

MOST_SHOWN = 20  # lines that could not be parsed
WOULD = {
    "unchanged": "{number} already says that: {content}",
    "created": "Would add {number}: {content}",
    "changed": "Would complete {number}: {content}",
    "archived": "Would archive {number}: {content}",
}
DONE = {
    "unchanged": "{number} already says that: {content}",
    "created": "Added {number}: {content}",
    "changed": "Completed {number}: {content}",
    "archived": "Archived {number}: {content}",
}


def _options(kind: str) -> tuple[Parameter, ...]:
    """The options that describe a fact of this kind."""
    return (
        option(
            "--category", type=Choice(CATEGORIES[kind]), default="other", help="What it is about."
        ),
        option("--files", help="Files it is about, separated by commas."),
        option("--concepts", help="Concepts, separated by commas."),
        option("--tags", help="Three to six nouns, separated by commas."),
    )


@command(
    argument("content"),
    argument("reason", required=False),
    *_options("decision"),
    scope=True,
    dry_run=True,
    example='recollect fact decision "Use PostgreSQL for events" "We need JSONB and LISTEN/NOTIFY" \\\n'
    "  --category technology --files src/events.py --concepts event-sourcing",
)
def add_decision_command(ctx: CommandContext, content: str, reason: str, **given: Any) -> None:
    """Add a decision and its reason, with a number (d001, d002, …)."""
    _add(ctx, "decision", content, reason, given)


@command(
    argument("content"),
    argument("detail", required=False),
    *_options("pattern"),
    scope=True,
    dry_run=True,
    example='recollect fact pattern "Every bug begins with a test" --category best-practice',
)
def add_pattern_command(ctx: CommandContext, content: str, detail: str, **given: Any) -> None:
    """Add a convention, best practice or anti-pattern (p001, p002, …)."""
    _add(ctx, "pattern", content, detail, given)


@command(
    argument("content"),
    argument("detail", required=False),
    option(
        "--status",
        type=Choice(("open", "resolved")),
        default="open",
        help="`recollect fact resolve` changes it later.",
    ),
    *_options("issue"),
    scope=True,
    dry_run=True,
    example='recollect fact issue "The queue is drained twice" --status open --category bugfix',
)
def add_issue_command(ctx: CommandContext, content: str, detail: str, **given: Any) -> None:
    """Add an issue (i001, i002, …); open ones are part of every brief."""
    _add(ctx, "issue", content, detail, given)


def _add(ctx: CommandContext, kind: str, content: str, detail: str, given: dict[str, Any]) -> None:
    if not content.strip():
        raise ctx.usage_error("There is nothing to save.")
    lists: dict[str, Any] = {name: comma_list(given[name]) for name in ("files", "concepts")}
    fact = Fact(kind, content, detail, given["category"], **lists)
    if kind == "issue":
        fact = fact._replace(status=given["status"])
    tags = comma_list(given["tags"])
    row = facts.add_fact(ctx.app, fact, tags, scope=ctx.scope, dry_run=ctx.dry_run)
    ctx.answer(row.as_json())
    _show_row(ctx, row)
    if row.what != "unchanged":
        ctx.hint("  {path}", path=row.path)
    ctx.preview(row.text)


def _show_row(ctx: CommandContext, row: FactResult) -> None:
    about = {"number": row.number, "content": row.content}
    ctx.tell_change(WOULD[row.what], DONE[row.what], **about)


@command(
    argument("name", type=ID),
    scope=True,
    dry_run=True,
    example="recollect fact resolve i001",
)
def resolve_command(ctx: CommandContext, name: str) -> None:
    """Mark an issue as resolved; ID is its number (i001) or its memory's id."""
    row = facts.resolve_fact(ctx.app, name, scope=ctx.scope, dry_run=ctx.dry_run)
    ctx.answer(row.as_json())
    about = {"number": row.number, "content": row.content}
    if row.what == "unchanged":
        ctx.tell("{number} is already resolved: {content}", **about)
    else:
        ctx.tell_change(
            "Would resolve {number}: {content}", "Resolved {number}: {content}", **about
        )


@command(
    argument("file", type=PATH, required=False),
    option(
        "--session", help="Read this session's memory instead: its id, or the client's session id."
    ),
    scope=True,
    dry_run=True,
    example="recollect fact extract 2026-01-11_1430\n"
    "recollect fact extract --session 2026-01-11-event-store",
)
def extract_facts_command(ctx: CommandContext, file: str, session: str) -> None:
    """Extract decisions, patterns and issues from a session file, each once.

    FILE is a path, a name in the store's folder `sessions`, or `-` for stdin (default: the
    newest there). List items that cannot be parsed are reported with their line; running it
    again adds nothing.
    """
    if file and session:
        raise ctx.usage_error("Give a file or --session, not both.")
    if session:
        source = facts.source_of_session(ctx.app, session)
    elif file == "-":
        source = facts.source_of_text(read_text("-"), "stdin")
    else:
        path = facts.session_file(ctx.app, file, scope=ctx.scope)
        source = facts.source_of_text(read_text(path), path)
    done = facts.extract_facts(ctx.app, source, scope=ctx.scope, dry_run=ctx.dry_run)
    ctx.answer(done.as_json())
    _show_extracted(ctx, done)


def _show_extracted(ctx: CommandContext, done: ExtractFactsResult) -> None:
    new = [row for row in done.facts if row.what != "unchanged"]
    for row in new:
        _show_row(ctx, row)
    if not done.facts:
        ctx.tell("There are no facts in {source}.", source=done.source)
    elif known := len(done.facts) - len(new):
        ctx.tell("Known already: {n}", n=known)
    for one in done.unread[:MOST_SHOWN]:
        where = str(one.line) if one.line == one.last else f"{one.line}–{one.last}"
        ctx.tell("Could not parse line {where}: {text}", where=where, text=one.text, style="yellow")
    if len(done.unread) > MOST_SHOWN:
        ctx.tell("… and {n} more lines that could not be parsed", n=len(done.unread) - MOST_SHOWN)


@command(
    option("--kind", type=Choice(KINDS), help="Only facts of this kind."),
    flag("--yes", help="Do not ask."),
    scope=True,
    dry_run=True,
    example="recollect fact clear --kind issue --yes",
)
def clear_facts_command(ctx: CommandContext, kind: str, yes: bool) -> None:
    """Archive all facts; their numbers are not reused.

    `recollect search --archived` finds them and `recollect undo` restores them.
    """
    kinds = (kind,) if kind else KINDS
    rows = facts.clear_facts(ctx.app, kinds, scope=ctx.scope, dry_run=True)
    if rows and not ctx.dry_run:
        if not yes:
            question = ctx.say("Archive {n} facts?", n=len(rows))
            ctx.confirm(question, "There is no terminal to confirm at: add --yes.")
        rows = facts.clear_facts(ctx.app, kinds, scope=ctx.scope, dry_run=False)
    ctx.answer([row.as_json() for row in rows])
    for row in rows:
        _show_row(ctx, row)
    if not rows:
        ctx.tell("There are no facts to archive.")
    elif not ctx.dry_run:
        ctx.hint("  `recollect undo` restores them.")


@command(
    argument("name"),
    argument("text", default=None, metavar="[TEXT|-]"),
    option("--file", type=PATH, default=None, help="Read the text from a file; `-` is stdin."),
    scope=True,
    dry_run=True,
    example='recollect core set project "A queue of messages, in Go."\n'
    "recollect core set architecture --file docs/architecture.md",
)
def memory_set_command(ctx: CommandContext, name: str, text: str | None, file: str | None) -> None:
    """Write a core file: project, architecture, conventions, or any other name.

    Core files are part of every brief, so keep them short. The text replaces the file's
    content; `recollect undo` restores it. An agent can replace only what an agent wrote.
    """
    if (text is None) == (file is None):
        raise ctx.usage_error("Give the text once: TEXT, - or --file.")
    if text is None or text == "-":
        text = read_text("-" if file is None else file)
    if not text.strip():
        raise ctx.usage_error("There is nothing to save.")
    done, path = core_memory.write_core_memory(
        ctx.app, name, text, scope=ctx.scope, dry_run=ctx.dry_run
    )
    ctx.answer({"name": name.removesuffix(".md"), "id": done.id, "path": path, "what": done.what})
    if done.what == "unchanged":
        ctx.tell("{id} already says that; nothing was changed.", id=done.id)
    elif ctx.dry_run:
        ctx.tell("Would write {path}", path=path)
        ctx.preview(done.text)
    else:
        ctx.tell("Wrote {path}", path=path, style="bold")
        _tell_cut(ctx, core_memory.named(ctx.app, name, scope=ctx.scope))


@command(
    argument("name", required=False),
    scope=True,
    example="recollect core get conventions\nrecollect core get",
)
def memory_get_command(ctx: CommandContext, name: str) -> None:
    """Show a core file, or all of them."""
    if name:
        file = core_memory.named(ctx.app, name, scope=ctx.scope)
        ctx.answer(file)
        ctx.console.markdown(file.text)
        return
    files = core_memory.every(ctx.app, scope=ctx.scope)
    ctx.answer(files)
    for n, file in enumerate(files):
        if n:
            ctx.console.line()
        ctx.console.line(("bold", file.name), ("dim", f"  {ctx.word(file.scope)}"))
        ctx.console.markdown(file.text)
    _tell_none(ctx, files)


@command(scope=True, example="recollect core list")
def memory_list_command(ctx: CommandContext) -> None:
    """List the core files and their cost in tokens."""
    files = core_memory.every(ctx.app, scope=ctx.scope)
    ctx.answer([{k: v for k, v in file._asdict().items() if k != "text"} for file in files])
    rows = [(f.name, f"{f.tokens:,}", f.updated[:10], ctx.word(f.scope)) for f in files]
    if rows:
        ctx.table(("file", "tokens", "date", "scope"), rows)
    for file in files:
        _tell_cut(ctx, file)
    _tell_none(ctx, files)


def _tell_cut(ctx: CommandContext, file: core_memory.CoreFile) -> None:
    if not file.is_seen:
        ctx.hint("{id} has no room in a full brief: sessions may see only its name.", id=file.name)
    elif file.is_cut:
        ctx.hint(
            "{id} is longer than its share of the brief: sessions may see only its beginning.",
            id=file.name,
        )


def _tell_none(ctx: CommandContext, files: list[CoreFile]) -> None:
    if not files:
        ctx.tell("There are no core files yet; create one with `recollect core set project TEXT`.")


TYPES = {
    "procedure": "procedure",
    "decision_framework": "decision framework",
    "problem_solution": "problem and solution",
}
THRESHOLDS = (
    option(
        "--min-occurrences",
        "least",
        type=IntRange(2, 1000),
        default=LEAST,
        help="How often something must occur.",
    ),
    option(
        "--days", type=IntRange(1, 36_500), default=DAYS, help="Only memories of the last N days."
    ),
)


@command(
    *THRESHOLDS,
    scope=True,
    dry_run=True,
    example="recollect skill analyze\nrecollect skill analyze --min-occurrences 4 --days 30",
)
def analyze_skills_command(ctx: CommandContext, least: int, days: int) -> None:
    """Find repeated procedures, decisions and solutions that could become skills.

    Candidates are listed in the store's skill-candidates.md; nothing becomes a skill
    automatically.
    """
    rows = skill_candidates.analyse_stores(
        ctx.app, CandidateThresholds(least, days), scope=ctx.scope, dry_run=ctx.dry_run
    )
    ctx.answer([row.as_json() for row in rows])
    for row in rows:
        _show_analysed(ctx, row)
    if any(row.suggestions for row in rows):
        ctx.hint(
            "`recollect skill promote NAME` drafts a skill, `recollect skill dismiss NAME` drops a suggestion."
        )


def _show_analysed(ctx: CommandContext, row: Analysis) -> None:
    ctx.tell(
        "{scope}: {n} memories analysed, {found} suggested, {dismissed} dismissed, {promoted} promoted",
        scope=ctx.word(row.scope),
        n=row.looked_at,
        found=len(row.suggestions),
        dismissed=len(row.dismissed),
        promoted=len(row.promoted),
        style="bold",
    )
    if row.suggestions:
        table = [
            (
                one.name,
                one.title,
                f"{one.occurrences}×",
                ctx.word(one.confidence),
                # The type of another package's detector goes by its own name.
                ctx.say(TYPES[one.type]) if one.type in TYPES else one.type,
            )
            for one in row.suggestions
        ]
        ctx.table(("skill", "what", "times", "confidence", "type"), table, wide=1, spare=[4, 3])
    if row.unquotable:
        ctx.hint(
            "More that come only from tools or external sources and never become skills: {n}",
            n=row.unquotable,
        )
    for name, why in row.failed:
        ctx.tell("The detector {name} failed: {why}", name=name, why=why, style="yellow")
    if row.path:
        ctx.tell_change("Would write {path}", "Wrote {path}", path=row.path, style="dim")
    else:
        ctx.hint("There is nothing to suggest, so nothing was written.")


@command(
    argument("name"),
    option("--as", "called", metavar="OTHER", help="Use another name for the skill."),
    *THRESHOLDS,
    scope=True,
    dry_run=True,
    example="recollect skill promote deploy-service\n"
    "recollect skill promote deploy-service --as release --dry-run",
)
def promote_skill_command(
    ctx: CommandContext, name: str, called: str, least: int, days: int
) -> None:
    """Draft a skill in .claude/skills from its memories, for you to finish.

    An existing skill is never changed. `recollect undo` restores the suggestion and removes the
    draft, unless somebody changed it.
    """
    asked = CandidateThresholds(least, days)
    done = skill_candidates.promote(
        ctx.app, name, asked, called=called, scope=ctx.scope, dry_run=ctx.dry_run
    )
    ctx.answer(done.as_json())
    if ctx.dry_run:
        ctx.tell("Would write {path}", path=done.path)
        ctx.preview(done.text)
    else:
        ctx.tell("Drafted {path}", path=done.path, style="bold")
        ctx.hint("  Review and finish it: new sessions can use it.")


@command(
    argument("name"),
    flag("--again", help="Suggest it again."),
    *THRESHOLDS,
    scope=True,
    dry_run=True,
    example="recollect skill dismiss deploy-service\n"
    "recollect skill dismiss deploy-service --again",
)
def dismiss_skill_command(
    ctx: CommandContext, name: str, again: bool, least: int, days: int
) -> None:
    """Dismiss a suggestion for good."""
    how: Any = {"scope": ctx.scope, "dry_run": ctx.dry_run}
    if again:
        scope = skill_candidates.suggest_dismissed_again(
            ctx.app, name, CandidateThresholds(least, days), **how
        )
        ctx.answer({"name": name, "what": "suggested", "scope": scope})
        ctx.tell_change("Would suggest {name} again", "{name} may be suggested again", name=name)
        return
    done = skill_candidates.dismiss(ctx.app, name, CandidateThresholds(least, days), **how)
    ctx.answer(done.as_json())
    ctx.tell_change(
        "Would dismiss {name}",
        "Dismissed {name}; `recollect skill dismiss {name} --again` reverts that.",
        name=name,
    )
