"""What `search --explain` says of a score is what the score is made of."""

from __future__ import annotations

import re

import pytest
from tests.services.house import House
from tests.services.test_recall import page

from recollect.interfaces.cli.read import score_of
from recollect.model.memory import Filter
from recollect.search import search as searching


def found() -> dict[str, searching.Hit]:
    house = House()
    for name, fields in {
        "new": {"kind": "decision", "created": "2026-01-09T10:00:00Z"},
        "old": {"kind": "decision", "created": "2025-01-09T10:00:00Z", "trigger": "walrus"},
        "over": {"kind": "decision", "status": "superseded", "confidence": "low"},
    }.items():  # fmt: skip
        house.write(
            f"semantic/{name}.md", page("Walrus songs", "They swim.", tags="[walrus]", **fields)
        )
    talk = page("A talk", "We spoke.", id="talk", created="2026-01-09T10:00:00Z")
    house.write("episodic/talk/summary.md", talk)
    house.write("episodic/talk/conversation.md", "### User [10:00]\n\nHow tall is a walrus?\n")
    hits = searching.search([house.open()], "walrus songs yesterday", Filter(), limit=9)
    return {hit.candidate.id: hit for hit in hits}


@pytest.mark.parametrize(
    ("name", "because"),
    [("new", "newer"), ("old", "trigger"), ("over", "× superseded 0.25"), ("talk", "× raw 0.50")],
)
def test_a_score_is_the_sum_that_is_told(name: str, because: str) -> None:
    one = found()[name].candidate
    said = score_of(one)
    assert because in said
    left, _, right = said.partition(" = ")
    total = eval(re.sub(r"[a-z]+ (?=\d)", "", right).replace("×", "*"))
    assert total == pytest.approx(float(left), abs=0.03)
