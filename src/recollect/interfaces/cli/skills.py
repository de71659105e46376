"""Commands: analyze-skills, promote-skill, dismiss-skill."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from recollect.features import skill_candidates as skills
from recollect.features.skill_candidates import Analysed, Asked
from recollect.features.skill_detectors import DAYS, LEAST, Suggestion
from recollect.interfaces.cli.context import Door, command
from recollect.interfaces.cli.parsing import IntRange, argument, option

_CONFIDENCES = {"high": "high", "medium": "medium", "low": "low"}
_TYPES = {
    "procedure": "procedure",
    "decision_framework": "decision framework",
    "problem_solution": "problem and solution",
}


def _asking(run: Any) -> Any:
    """Give a command the options that say what is often enough."""
    for add in (
        option(
            "--days",
            type=IntRange(1, 36_500),
            default=DAYS,
            show_default=True,
            metavar="N",
            help="Only memories of the last N days.",
        ),
        option(
            "--min-occurrences",
            "least",
            type=IntRange(2, 1000),
            default=LEAST,
            show_default=True,
            metavar="N",
            help="How often something must occur.",
        ),
    ):
        run = add(run)
    return run


@command(
    "analyze-skills",
    scope=True,
    dry_run=True,
    example="recollect analyze-skills\nrecollect analyze-skills --min-occurrences 4 --days 30",
)
@_asking
def analyze_skills_command(
    door: Door, least: int, days: int, scope: str | None, dry_run: bool
) -> None:
    """Find repeated procedures, decisions and solutions that could become skills.

    Candidates are listed in the store's skill-candidates.md; nothing becomes a skill
    automatically.
    """
    rows = skills.analyse_stores(door.app, Asked(least, days), scope=scope or "", dry_run=dry_run)
    found = [(row, row.found.suggestions) for row in rows]

    def show() -> None:
        for row, shown in found:
            _show_row(door, row, shown, dry_run=dry_run)
        if any(shown for _, shown in found):
            door.tell(
                "`recollect promote-skill NAME` drafts a skill, `recollect dismiss-skill NAME` drops a suggestion.",
                style="dim",
            )

    door.answer([row.as_json(shown) for row, shown in found], show)


def _show_row(door: Door, row: Analysed, shown: Sequence[Suggestion], *, dry_run: bool) -> None:
    found = row.found
    door.tell(
        "{scope}: {n} memories analysed, {found} suggested, {dismissed} dismissed, {promoted} promoted",
        scope=door.word(row.scope),
        n=f"{found.looked_at:,}",
        found=len(shown),
        dismissed=len(found.dismissed),
        promoted=len(found.promoted),
        style="bold",
    )
    if shown:
        heads = door.heads("skill", "what", "times", "confidence", "type")
        table = [
            (
                one.name,
                one.title,
                f"{one.occurrences}×",
                door.say(_CONFIDENCES[one.confidence]),
                _type(door, one.type),
            )
            for one in shown
        ]
        door.paper.table(heads, table, wide=1, spare=[4, 3])
    if found.unquotable:
        door.tell(
            "{n} more come only from tools or external sources; those never become skills.",
            n=found.unquotable,
            style="dim",
        )
    for name, why in row.failed:
        door.tell("The detector {name} failed: {why}", name=name, why=why, style="yellow")
    if dry_run:
        door.tell("Would write {path}", path=row.path, style="dim")
    else:
        door.tell("Wrote {path}", path=row.path, style="dim")


def _type(door: Door, kind: str) -> str:
    """What a detector looks for; that of another package goes by its own name."""
    return door.say(_TYPES[kind]) if kind in _TYPES else kind


@command(
    "promote-skill",
    scope=True,
    dry_run=True,
    example="recollect promote-skill deploy-service\n"
    "recollect promote-skill deploy-service --as release --dry-run",
)
@argument("name")
@option("--as", "called", default="", metavar="OTHER", help="Use another name for the skill.")
@_asking
def promote_skill_command(
    door: Door,
    name: str,
    called: str,
    least: int,
    days: int,
    scope: str | None,
    dry_run: bool,
) -> None:
    """Draft a skill in .claude/skills from its memories, for you to finish.

    An existing skill is never changed. `recollect undo` restores the suggestion; the draft
    stays.
    """
    asked = Asked(least, days)
    done = skills.promote(door.app, name, asked, called=called, scope=scope or "", dry_run=dry_run)

    def show() -> None:
        if dry_run:
            door.tell("Would write {path}", path=done.path)
            door.paper.line()
            door.paper.block(done.text)
        else:
            door.tell("Drafted {path}", path=done.path, style="bold")
            door.tell("  Review and finish it: new sessions can use it.", style="dim")

    door.answer(done.as_json(), show)


@command(
    "dismiss-skill",
    scope=True,
    dry_run=True,
    example="recollect dismiss-skill deploy-service\nrecollect dismiss-skill deploy-service --again",
)
@argument("name")
@option("--again", is_flag=True, help="Suggest it again.")
@_asking
def dismiss_skill_command(
    door: Door,
    name: str,
    again: bool,
    least: int,
    days: int,
    scope: str | None,
    dry_run: bool,
) -> None:
    """Dismiss a suggestion for good."""
    asked = Asked(least, days)
    if again:
        where = skills.suggest_dismissed_again(
            door.app, name, asked, scope=scope or "", dry_run=dry_run
        )
        answer = {"name": name, "what": "suggested", "scope": where}
        door.answer(answer, lambda: _tell(door, "again", name, dry_run=dry_run))
        return
    done = skills.dismiss(door.app, name, asked, scope=scope or "", dry_run=dry_run)
    door.answer(done.as_json(), lambda: _tell(door, "dismissed", name, dry_run=dry_run))


def _tell(door: Door, what: str, name: str, *, dry_run: bool) -> None:
    if what == "again":
        door.tell(
            "Would suggest {name} again" if dry_run else "{name} may be suggested again", name=name
        )
    elif dry_run:
        door.tell("Would dismiss {name}", name=name)
    else:
        door.tell(
            "Dismissed {name}; `recollect dismiss-skill {name} --again` reverts that.", name=name
        )
