"""Command line: doctor."""

from __future__ import annotations

import sys

from recollect.app import health
from recollect.app.finding import Finding
from recollect.app.health import Group
from recollect.doors.cli.door import PHRASES, Door, command
from recollect.doors.cli.helping import option
from recollect.doors.paper import width_of

MARKS = {
    "ok": ("green", "✓"),
    "note": ("dim", "·"),
    "problem": ("yellow", "!"),
    "mended": ("green", "+"),
}


@command(
    "doctor",
    dry_run=True,
    example="recollect doctor\nrecollect doctor --repair\nrecollect doctor --secrets",
)
@option("--repair", is_flag=True, help="Mend what can be mended; no memory is ever removed.")
@option(
    "--secrets", is_flag=True, help="Look for secrets in everything that is stored, nothing else."
)
def doctor_command(door: Door, repair: bool, secrets: bool, dry_run: bool) -> None:
    """Look whether all is well; it changes nothing unless asked to repair.

    The exit code is 0 if all is well, 1 if something should be looked at.
    """
    if secrets:
        if repair:
            raise door.refusal("--secrets only looks: a secret is taken out by a person.")
        from recollect.app import leaks  # seldom needed

        report = leaks.examine(door.app)
    else:
        report = health.examine(door.app, repair=repair and not dry_run)
    door.said += door.app.setting_problems()

    def show() -> None:
        for group in report.groups:
            _show_group(door, group)
        if report.problems == 1:
            door.tell("One thing should be looked at.", style="bold")
        elif report.problems:
            door.tell("{n} things should be looked at.", n=report.problems, style="bold")
        else:
            door.tell("All is well.", style="bold")

    door.answer(health.as_json(report), show)
    if report.problems:
        sys.exit(1)


def _show_group(door: Door, group: Group) -> None:
    if group.scope:
        door.paper.line(("bold", f"{door.word(group.scope)}  "), ("dim", group.root))
    names = [door.word(finding.about) for finding in group.findings]
    # Paths are longer than the names of parts; they do not move the column.
    width = max((width_of(name) for name in names if "/" not in name), default=0)
    for name, finding in zip(names, group.findings, strict=True):
        gap = " " * max(0, width - width_of(name))
        door.paper.line(MARKS[finding.state], f" {name}{gap}  {_sentence_of(door, finding)}")


def _sentence_of(door: Door, finding: Finding) -> str:
    fields = {
        key: door.heard(value) if key in PHRASES and isinstance(value, str) else value
        for key, value in finding.fields.items()
    }
    return door.say(finding.sentence, **fields)
