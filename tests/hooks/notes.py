"""What the project of several tests knows, and what they ask."""

from __future__ import annotations

import re

from .machine import Machine

BILLING = "The database of the billing events is PostgreSQL, one table for each month."
QUESTION = "Which database holds the billing events?"


def write_notes(machine: Machine) -> None:
    """Let the project know a few things."""
    notes = {
        "billing": BILLING,
        "login": "The login page keeps its session in a signed cookie.",
        "paint": "The fence gets two coats of green paint each spring.",
    }
    for name, text in notes.items():
        machine.write(f"semantic/{name}.md", text, publish=False, id=name, title=name.title())
    machine.publish()


def ids(text: str) -> list[str]:
    """The notes that a text gives in full."""
    return re.findall(r'<memory-[0-9a-f]+ id="([^"]*)"', text)
