"""Command line: doctor."""

from __future__ import annotations

import sys

import click

from recollect.doors.cli.door import Door, command
from recollect.doors.cli.paper import shown


@command("doctor", dry_run=True, example="recollect doctor\nrecollect doctor --repair")
@click.option("--repair", is_flag=True, help="Mend what can be mended; no memory is ever removed.")
def doctor_command(door: Door, repair: bool, dry_run: bool) -> None:
    """Look whether all is well; it changes nothing unless asked to repair.

    The exit code is 0 if all is well, 1 if something should be looked at.
    """
    from recollect.app import health

    report = health.examine(door.app, repair=repair and not dry_run)
    marks = {
        "ok": ("green", "✓"),
        "note": ("dim", "·"),
        "problem": ("yellow", "!"),
        "mended": ("green", "+"),
    }

    def show() -> None:
        for finding in report.findings:
            door.paper.line(
                marks[finding.state], f" {shown(finding.about)}: {shown(finding.sentence)}"
            )
        if report.problems:
            door.tell("{n} things should be looked at.", n=report.problems, style="bold")
        else:
            door.tell("All is well.", style="bold")

    door.answer(report.as_json(), show)
    if report.problems:
        sys.exit(1)
