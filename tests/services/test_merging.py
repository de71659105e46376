"""Two memories that say much the same become one, with both histories, and come apart again."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recollect.capture.save_memory import Draft, save
from recollect.consolidate.claims import statements_of
from recollect.errors import MemoryNotFound, UsageProblem
from recollect.features import merge as merging
from recollect.features.merge import MergeProposal, merged
from recollect.model.claim_key import claim_key
from recollect.model.document import memory_from_text, with_field
from recollect.model.entries import index_units
from recollect.store import history as undoing

from .house import House
from .test_consolidate import at, episode

ONE, TWO = "semantic/use-postgres.md", "semantic/use-postgresql.md"
NOW = "2026-05-01T09:00:00Z"


def saved(house: House, title: str, body: str, **fields: Any) -> None:
    save(at(house), Draft(title, body, layer="semantic", **fields))


def two() -> House:
    house = House()
    saved(
        house,
        "Use postgres",
        "Events go to Postgres.\n\nThe port is 5432.",
        tags=("postgres", "events"),
    )
    saved(
        house,
        "Use PostgreSQL",
        "The port is 5432.\n\nThe host is db.local.",
        tags=("postgres", "storage"),
        trust="agent",
    )
    return house  # fmt: skip


def test_the_one_that_stays_takes_in_what_only_the_other_says() -> None:
    house = two()
    done = merging.merge(at(house), "use-postgres", "use-postgresql")
    kept = memory_from_text(house.texts()[ONE], ONE)
    assert kept.body.count("The port is 5432.") == 1
    assert "## Use PostgreSQL\n\nThe host is db.local.\n" in kept.body
    assert kept.tags == ("postgres", "events", "storage")
    assert (kept.supersedes, kept.trust) == (("use-postgresql",), "agent")
    assert done.archived == f"archive/{TWO}"


def test_the_one_that_goes_is_kept_as_it_was_and_both_are_in_history() -> None:
    house = two()
    text = house.texts()[TWO]
    merging.merge(at(house), "use-postgres", "use-postgresql")
    store = at(house)
    assert house.texts()[f"archive/{TWO}"] == text
    assert store.require("use-postgresql").archived
    for name in ("use-postgres", "use-postgresql"):
        assert [past.cause for past in undoing.history(store, name)] == ["merge", "save"]


def test_one_undo_takes_all_of_it_back() -> None:
    house = two()
    saved(house, "The queue", "It drains into Postgres.")
    path = "semantic/the-queue.md"
    house.write(path, with_field(house.texts()[path], "related", ["use-postgresql"]))
    before = house.texts()
    done = merging.merge(at(house), "use-postgres", "use-postgresql")
    assert done.related == ("the-queue",)
    assert memory_from_text(house.texts()[path], path).related == ("use-postgres",)
    undoing.undo(at(house))
    assert house.texts() == before


def test_a_dry_run_changes_nothing() -> None:
    house = two()
    before = house.texts()
    done = merging.merge(at(house), "use-postgres", "use-postgresql", dry_run=True)
    assert "db.local" in done.text
    assert house.texts() == before


@pytest.mark.parametrize("other", ["use-postgres", "talk", "hidden", "gone", "feedback"])  # fmt: skip
def test_what_cannot_be_one_is_refused_and_nothing_changes(other: str) -> None:
    house = two()
    episode(house, "talk", "The port is 5432.")
    saved(house, "Hidden", "The key is under the mat.", private=True)
    saved(house, "Gone", "Nothing.")
    house.write("archive/semantic/gone.md", house.texts()["semantic/gone.md"])
    house.files.files.pop("semantic/gone.md")
    save(at(house), Draft("Never push to main", "Never push to main.", kind="rule"))
    before = house.texts()
    with pytest.raises(UsageProblem):
        merging.merge(at(house), "use-postgres", other)
    assert house.texts() == before


def test_a_memory_that_is_not_there_is_named() -> None:
    with pytest.raises(MemoryNotFound):
        merging.merge(at(two()), "use-postgres", "nobody")


def test_memories_with_the_same_title_or_the_same_claims_are_proposed() -> None:
    house = two()
    saved(house, "Use  Postgres", "Because of JSONB.")
    saved(house, "数据库", "The port is 5432.\n\nThe host is db.local.")
    found = merging.proposals(at(house))
    assert MergeProposal("use-postgres", "use-postgres-2", "title") in found
    assert MergeProposal("use-postgresql", "数据库", "claims", 2) in found
    merging.merge(at(house), "use-postgres", "use-postgres-2")
    left = merging.proposals(at(house))
    assert {pair.why for pair in left} == {"claims"}


@pytest.mark.parametrize(
    ("title", "other", "alike"),
    [
        ("Use PostgreSQL for events", "Events use PostgreSQL", True),
        ("Retry limits of uploads", "The upload retry limit", True),
        ("发货通知使用消息队列", "发货通知用消息队列", True),
        ("Use Redis for sessions", "Use Redis for the queue", False),
        ("Cache port of billing", "Cache port of search", False),
        ("Redis", "Redis cache", False),
    ],
)
def test_titles_with_most_of_their_words_in_common_are_proposed(
    title: str, other: str, *, alike: bool
) -> None:
    house = House()
    saved(house, title, "It is so.", tags=("a",))
    saved(house, other, "It was said.", tags=("b",))
    assert [pair.why for pair in merging.proposals(at(house))] == (["alike"] if alike else [])


def test_code_is_taken_over_whole() -> None:
    code = "```sh\npsql\n\n# The port is 5432.\n```"
    text = merged("The port is 5432.\n", f"# Other\n\n{code}\n", ONE, TWO, NOW)
    assert code in text


def test_what_an_agent_said_is_not_the_persons_after_merging() -> None:
    other = "## Noted\n\n<!-- source: observed; trust: agent -->\n\n- The host is db.local.\n"
    text = merged("## Noted\n\n- The port is 5432.\n", other, ONE, TWO, NOW)
    noted = next(s for s in index_units(memory_from_text(text, ONE)) if s.heading == "Noted")
    assert noted.trust == "agent"


def test_what_stood_apart_stays_apart_when_what_was_between_is_known() -> None:
    text = merged("- Use pnpm.\n", "# Other\n\nIt is slow:\n- Use pnpm.\n\nVery.\n", ONE, TWO, NOW)
    assert "It is slow:\n\nVery." in text


LINES = st.sampled_from(["The port is 5432.", "- Use pnpm.", "- 端口是 8080。", "", "## Noted", "It is slow.", "# Title", "  more of it"])  # fmt: skip
bodies = st.lists(LINES, max_size=8).map("\n".join)


@example("- Use pnpm.\n  more of it", "- Use pnpm.\n  more of it\n\n# Title\n  more of it")
@given(bodies, bodies)
def test_no_statement_of_either_is_lost_and_merging_again_adds_none(one: str, other: str) -> None:
    text = merged(one, other, ONE, TWO, NOW)
    body = memory_from_text(text, ONE).body
    said = {claim_key(said.text) for said in statements_of(body)}
    assert {claim_key(said.text) for said in statements_of(one)} <= said
    assert {claim_key(said.text) for said in statements_of(other)} <= said
    assert merged(text, other, ONE, TWO, NOW) == text
