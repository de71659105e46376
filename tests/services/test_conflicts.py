"""Contradictions that a person settles, and one memory in place of another."""

from __future__ import annotations

import pytest
from hypothesis import given
from tests.unit.build import any_text

from recollect.capture.save_memory import Draft, save
from recollect.consolidate.rulings import Ruling, ruling_change, rulings_of
from recollect.consolidate.run import consolidate, settle, supersede, waiting
from recollect.errors import ConflictNotFound, Unreadable, UsageProblem
from recollect.model.document import memory_from_text
from recollect.model.merge import RULINGS
from recollect.store import history as undoing
from recollect.store.store import OpenStore

from .house import House
from .test_consolidate import at, episode, memories, run, said

DB = "semantic/db.md"


def asked() -> tuple[House, str]:
    """A store with one question, and its key."""
    house = House()
    house.write(
        DB, "---\ntags: [redis, cache]\ncreated: 2025-12-01\n---\nWe use Postgres.\n\nA is b.\n"
    )
    episode(house, "talk", "We use MySQL.\n\nThe cache is small.")
    (wait,) = waiting(at(house))
    return house, wait.key


@pytest.mark.parametrize(
    ("ruling", "postgres", "mysql"),
    [("old", True, False), ("new", False, True), ("both", True, True), ("neither", False, False)],
)
def test_a_ruling_takes_effect_at_once_and_for_good(
    ruling: str, postgres: bool, mysql: bool
) -> None:
    house, key = asked()
    settle(at(house), key, ruling)
    for _ in range(2):
        held = said(house).replace("previously We use Postgres", "")
        assert ("We use Postgres." in held, "We use MySQL." in held) == (postgres, mysql)
        assert waiting(at(house)) == ()
        run(house)
    assert "archive/episodic/talk.md" in memories(house)


def test_a_ruling_touches_nothing_else_that_the_episode_says() -> None:
    house, key = asked()
    settle(at(house), key, "new")
    assert "The cache is small." not in said(house)


def test_a_ruling_and_what_followed_are_undone_as_one_and_the_question_is_asked_again() -> None:
    house, key = asked()
    before = house.texts()
    settle(at(house), key, "new")
    undoing.undo(house.open())
    assert house.texts() == before
    assert [wait.key for wait in waiting(at(house))] == [key]


def test_a_question_is_asked_again_where_the_store_was_taken_back_behind_its_ruling() -> None:
    house, key = asked()
    before = house.texts()
    settle(at(house), key, "new")
    undoing.undo_to(house.open(), "2020-01-01")
    assert house.texts() == before
    assert [wait.key for wait in waiting(at(house))] == [key]


def test_a_look_at_a_ruling_changes_nothing() -> None:
    house, key = asked()
    before = house.texts()
    settled = settle(at(house), key[:6], "new", dry_run=True)
    assert [step.path for step in settled.steps] == [DB]
    assert house.texts() == before


def test_the_episode_stays_as_long_as_the_question_is_open() -> None:
    house, _ = asked()
    run(house, force_decay=True)
    assert "episodic/talk.md" in memories(house)
    assert "The cache is small." in said(house)


def test_a_question_goes_with_the_memory_that_raised_it() -> None:
    house, _ = asked()
    del house.files.files["episodic/talk.md"]
    assert waiting(at(house)) == ()


@pytest.mark.parametrize("name", ["", "ffff", "semantic/db.md"])
def test_what_does_not_wait_cannot_be_settled(name: str) -> None:
    house, _ = asked()
    with pytest.raises(ConflictNotFound):
        settle(at(house), name, "new")


def test_a_ruling_between_claims_of_two_episodes_holds_when_the_older_comes_later() -> None:
    house = House()
    episode(house, "one", "We use Postgres.")
    episode(house, "two", "We use MySQL.", day=2)
    (wait,) = waiting(at(house))
    settle(at(house), wait.key, "both")
    run(house, force_decay=True)
    assert "We use Postgres." in said(house)
    assert "We use MySQL." in said(house)


@pytest.mark.parametrize(
    ("ruling", "held"), [("old", "We use Postgres."), ("new", "We use MySQL.")]
)
def test_old_and_new_are_told_by_the_day_and_not_by_which_was_heard_first(
    ruling: str, held: str
) -> None:
    keys = set()
    for both in (True, False):
        house = House()
        episode(house, "one", "We use Postgres.")
        if both:  # the newer one is heard first
            episode(house, "two", "We use MySQL.", day=2)
        else:
            run(house)
            episode(house, "two", "We use MySQL.", day=2, decay_after="2027-01-01")
        (wait,) = waiting(at(house))
        assert (wait.old, wait.new) == ("We use Postgres.", "We use MySQL.")
        keys.add(wait.key)
        settle(at(house), wait.key, ruling)
        run(house, force_decay=True)
        stands = next(line for line in said(house).splitlines() if line.startswith("- We use"))
        assert stands.startswith(f"- {held}")
        assert waiting(at(house)) == ()
    assert len(keys) == 1


# ------------------------------------------------------------------------------------ rulings


@given(any_text, any_text)
def test_a_ruling_reads_back_as_it_was_given(old: str, new: str) -> None:
    house = House()
    first = Ruling("new", old, new, "2026-05-01")
    other = Ruling("neither", "x", "y", "2026-05-02")
    for key, ruling in (("bb", other), ("aa", first)):
        store = house.open()
        store.commit(lambda k=key, r=ruling, s=store: [ruling_change(s, k, r)], cause="conflicts")  # type: ignore[misc]
    found = rulings_of(house.open())
    assert list(found) == ["aa", "bb"]
    assert found["bb"] == other
    redacted = house.open().ledger.redact
    if redacted(old) == old and redacted(new) == new:
        plain = [text.encode("utf-8", "replace").decode() for text in (old, new)]
        assert [found["aa"].old, found["aa"].new] == plain


@pytest.mark.parametrize(
    "text", ["<<<<<<< HEAD\n", "[aa]\nruling = 'new'\n", '[aa]\nruling = "perhaps"\n', "[aa]\n"]
)
def test_rulings_that_cannot_be_read_stop_the_pass_and_stay_as_they_are(text: str) -> None:
    house, key = asked()
    house.write(RULINGS, text)
    for act in (lambda: consolidate(at(house)), lambda: settle(at(house), key, "new")):
        with pytest.raises(Unreadable):
            act()
    assert house.texts()[RULINGS] == text


def test_a_ruling_that_a_person_wrote_by_hand_counts() -> None:
    house, key = asked()
    house.write(
        RULINGS, f'# mine\n[{key}] # why\n  ruling = "old"\nold = "a"\nnew = "b"\ndate = ""\n'
    )
    assert waiting(at(house)) == ()


# ---------------------------------------------------------------------------------- supersede


def two() -> OpenStore:
    house = House()
    house.write("semantic/a.md", "---\nstatus: confirmed\n# mine\n---\nUse tabs.\n")
    house.write("semantic/b.md", "Use blanks.\n")
    return at(house)


def test_one_memory_holds_in_place_of_another() -> None:
    store = two()
    assert supersede(store, "a", "b")
    assert store.require("a").status == "superseded"
    assert "supersedes: [a]" in store.files.read("semantic/b.md").text
    assert "# mine\n" in store.files.read("semantic/a.md").text
    assert not supersede(store, "a", "b")


def test_superseding_is_undone_as_one() -> None:
    store = two()
    before = [store.files.read(path).text for path in ("semantic/a.md", "semantic/b.md")]
    supersede(store, "a", "b")
    undoing.undo(store)
    assert [store.files.read(path).text for path in ("semantic/a.md", "semantic/b.md")] == before


@pytest.mark.parametrize(("old", "new"), [("a", "a"), ("b", "a")])
def test_what_makes_no_sense_is_refused(old: str, new: str) -> None:
    store = two()
    if old == "b":
        supersede(store, "a", "b")
    with pytest.raises(UsageProblem):
        supersede(store, old, new)


def test_a_saved_title_is_superseded_by_a_later_session_and_undone() -> None:
    house = House()
    path = save(house.open(), Draft("Use npm", kind="decision")).path
    episode(house, "talk", "Never use npm.", day=20)
    before = memories(house)
    run(house)
    assert "\nstatus: superseded\n" in memories(house)[path]
    assert "Never use npm." in said(house)
    for past in undoing.history(house.open())[:3]:
        undoing.undo(house.open(), past.id)
    assert memories(house) == before


@pytest.mark.parametrize(("ruling", "status"), [("new", "superseded"), ("old", "confirmed")])
def test_a_saved_decision_with_its_reason_is_asked_about(ruling: str, status: str) -> None:
    house = House()
    path = save(house.open(), Draft("使用 npm", "它很快。", kind="decision")).path
    episode(house, "talk", "不要使用 npm。", day=20)
    before = memories(house)
    (wait,) = waiting(at(house))
    assert (wait.path, wait.held) == (path, "使用 npm")
    settle(at(house), wait.key, ruling)
    assert memory_from_text(memories(house)[path], path).status == status
    assert waiting(at(house)) == ()
    undoing.undo(house.open(), undoing.history(house.open())[0].id)
    assert memories(house) == before
    assert [one.key for one in waiting(at(house))] == [wait.key]
