"""What a policy lets go, and what it never does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.features.lifecycle import DueMemory, PrunePolicy, due_by
from recollect.model.document import memory_from_text
from recollect.model.entries import entry_of
from recollect.model.memory import Entry

TODAY = "2026-06-01T09:00:00Z"
POLICY = PrunePolicy(superseded=30, resolved=60, unused=90)
SUPERSEDED = {"status": "superseded"}


def entry(path: str = "semantic/port.md", **fields: str) -> Entry:
    said = {"created": "2026-01-01", "updated": "2026-01-01"} | fields
    head = "".join(f"{key.replace('_', '-')}: {value}\n" for key, value in said.items())
    return entry_of(memory_from_text(f"---\n{head}---\nThe port is 8080.\n", path), "s")


def found(*entries: Entry, policy: PrunePolicy = POLICY, **given: object) -> list[tuple[str, str]]:
    rows: list[DueMemory] = due_by(entries, policy=policy, today=TODAY, **{"last": {}, **given})  # type: ignore[arg-type]
    return [(one.why, one.since) for one in rows]


@pytest.mark.parametrize(
    ("fields", "why", "days"),
    [
        (SUPERSEDED, "superseded", 30),
        ({"kind": "issue", "status": "resolved"}, "resolved", 60),
        ({"salience": "low"}, "unused", 90),
    ],
)
def test_each_rule_has_its_own_days(fields: dict[str, str], why: str, days: int) -> None:
    on = {30: "2026-05-02", 60: "2026-04-02", 90: "2026-03-03"}[days]
    before = {30: "2026-05-01", 60: "2026-04-01", 90: "2026-03-02"}[days]
    assert found(entry(**fields, updated=before)) == [(why, before)]
    assert found(entry(**fields, updated=on)) == []
    assert found(entry(**fields, updated=before), policy=PrunePolicy()) == []


@pytest.mark.parametrize(
    "one",
    [
        entry(),
        entry(status="resolved"),
        entry(**SUPERSEDED, private="true"),
        entry(**SUPERSEDED, salience="high"),
        entry("core/project.md", **SUPERSEDED),
        entry("archive/semantic/port.md", **SUPERSEDED),
        entry("episodic/talk.md", **SUPERSEDED),
        entry("procedural/feedback.md", salience="low"),
        entry("reference/external-systems.md", salience="low"),
        entry(**SUPERSEDED, type="nonsense"),
    ],
)
def test_what_no_rule_names_stays(one: Entry) -> None:
    assert found(one) == []


@pytest.mark.parametrize("field", ["created", "updated", "last_accessed"])
def test_whatever_was_done_with_it_last_counts(field: str) -> None:
    assert found(entry(**SUPERSEDED, **{field: "2026-05-20"})) == []
    assert found(entry(**SUPERSEDED), last={"port": "2026-05-20T10:00:00Z"}) == []


def test_what_is_kept_stays_and_the_oldest_comes_first() -> None:
    two = [
        entry("semantic/a.md", **SUPERSEDED, updated="2026-02-01"),
        entry("semantic/b.md", **SUPERSEDED),
    ]
    assert [since for _, since in found(*two)] == ["2026-01-01", "2026-02-01"]
    assert found(*two, kept={"a"}) == [("superseded", "2026-01-01")]


@given(
    st.builds(PrunePolicy, *[st.integers(0, 40_000)] * 3), st.sampled_from(["", "9999-12-31", "x"])
)
def test_no_policy_and_no_date_stops_it(policy: PrunePolicy, updated: str) -> None:
    assert isinstance(found(entry(**SUPERSEDED, updated=updated), policy=policy), list)
