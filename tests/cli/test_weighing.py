"""What `consolidate` says of salience and confidence, from what a hook handed over to the way back."""

from __future__ import annotations

import time

import pytest
from tests.cli.running import Person

from recollect.store import locations


@pytest.fixture
def used(person: Person) -> Person:
    """Somebody whose memory came first on each of the last three days."""
    person.ok("save", "The port", "--body", "It is 8080.", "--layer", "semantic")
    now = time.time()
    for days in range(3):
        with pytest.MonkeyPatch.context() as patch:
            day = time.strftime("%Y-%m-%dT00:00:01Z", time.gmtime(now - days * 86_400))
            patch.setattr(locations, "utc", lambda _, day=day: day)
            fields: dict[str, str | list[str] | int] = {
                "session": "s1",
                "moment": "prompt",
                "items": ["the-port"],
            }
            locations.record(str(person.store), "claude-s1", "inject", fields)
    return person


@pytest.mark.parametrize(
    ("lang", "says"),
    [
        ("en", "  ~ salience: medium → high  (used)"),
        ("zh", "  ~ salience: medium → high  （被用到）"),
    ],
)
def test_a_dry_run_says_what_is_weighed_anew_and_why(used: Person, lang: str, says: str) -> None:
    used.ok("config", "lang", lang)
    assert says in used.ok("consolidate", "--dry-run").out.splitlines()


def test_what_was_weighed_is_in_history_and_can_be_undone(used: Person) -> None:
    done = used.ok("consolidate", "--json").json[0]
    row = {"do": "weigh", "path": "semantic/the-port.md", "text": "salience: medium"}
    assert row | {"new": "high", "why": "used"} in done["actions"]
    assert "consolidate/weigh" in used.ok("history", "the-port").out
    used.ok("undo", "the-port")
    assert "salience" not in (used.store / "semantic/the-port.md").read_text()
    assert used.ok("consolidate", "--json").json[0]["actions"] == []
