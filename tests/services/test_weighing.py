"""Salience, confidence and the day of last access on a store: what moves them, and the way back."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.capture.reactions import Reaction
from recollect.capture.save_memory import Draft, save
from recollect.consolidate.apply import PassResult
from recollect.consolidate.run import consolidate
from recollect.features import memories as changing
from recollect.model.document import fields_of, memory_from_text, with_field
from recollect.store import history as undoing

from .house import House
from .test_consolidate import at, episode

NOW = "2026-03-10T09:00:00Z"
PORT = "semantic/the-port.md"


def saved(house: House, title: str = "The port", **fields: Any) -> None:
    save(at(house, "2026-03-01T09:00:00Z"), Draft(title, "It is 8080.", layer="semantic", **fields))


def inject(house: House, *items: str, day: int = 9, minute: int = 0) -> None:
    time = f"2026-03-{day:02}T10:{minute:02}:00Z"
    line = {"op": "inject", "session": "s1", "moment": "prompt", "time": time}
    house.pages.hot.append(line | {"items": list(items)})


def reaction(kind: str, *, minute: int = 1, seq: int = 1) -> Reaction:
    """A reaction to what was injected in this minute, noticed before anything was weighed."""
    since, until = f"2026-03-09T10:{minute - 1:02}:00Z", f"2026-03-09T10:{minute:02}:30Z"
    return Reaction(kind, "s1", since, until, seq)


def run(house: House, *reactions: Reaction, now: str = NOW) -> PassResult:
    return consolidate(at(house, now), reactions=reactions)


def field(house: House, key: str, path: str = PORT) -> str:
    return str(fields_of(memory_from_text(house.texts()[path], path))[key])


def test_what_comes_first_on_three_days_becomes_salient() -> None:
    house = House()
    saved(house)
    for day in (7, 8, 9):
        inject(house, "the-port", day=day)
    outcome = run(house)
    assert (field(house, "salience"), field(house, "last-accessed")) == ("high", "2026-03-09")
    assert [step.cause for step in outcome.steps] == ["consolidate/weigh"]


def test_what_nobody_needs_any_more_fades_and_comes_back_with_use() -> None:
    house = House()
    saved(house)
    run(house, now="2026-07-01T09:00:00Z")
    assert field(house, "salience") == "low"
    inject(house, "the-port")
    run(house)
    assert field(house, "salience") == "medium"


def test_what_holds_for_all_projects_does_not_fade_as_its_uses_are_noted_in_theirs() -> None:
    house = House()
    saved(house)
    store = at(house, "2026-07-01T09:00:00Z")
    store.scope = "global"
    assert not consolidate(store).steps
    assert field(house, "salience") in ("", "medium")


def test_a_correction_lowers_and_an_approval_raises_confidence_by_one_step() -> None:
    house = House()
    saved(house)
    inject(house, "the-port", minute=1)
    run(house, reaction("correction"))
    assert field(house, "confidence") == "medium"
    later = house.open().journal.next_seq()
    run(house, reaction("correction"), reaction("approval", seq=later))
    assert field(house, "confidence") == "high"


def test_only_the_first_of_what_was_handed_over_is_corrected() -> None:
    house = House()
    saved(house)
    saved(house, "The host")
    inject(house, "the-port", "the-host", minute=1)
    run(house, reaction("correction"))
    assert field(house, "confidence", "semantic/the-host.md") == "high"


def test_a_reaction_counts_once() -> None:
    house = House()
    saved(house)
    inject(house, "the-port", minute=1)
    noticed = house.open().journal.next_seq()
    run(house, reaction("correction", seq=noticed))
    texts = house.texts()
    assert not run(house, reaction("correction", seq=noticed)).steps
    assert house.texts() == texts


@pytest.mark.parametrize("way", ["set", "editor", "saved", "undo"])
def test_a_value_that_a_person_set_stays(way: str) -> None:
    house = House()
    saved(house, **({"salience": "low", "confidence": "low"} if way == "saved" else {}))
    for day in (7, 8, 9):
        inject(house, "the-port", day=day, minute=1)
    if way == "set":
        changing.set_fields(at(house), "the-port", {"salience": "low", "confidence": "low"})
    elif way == "editor":
        text = with_field(house.texts()[PORT], "salience", "low")
        house.write(PORT, with_field(text, "confidence", "low"))
    elif way == "undo":
        run(house, reaction("correction"))
        undoing.undo(at(house), "the-port")
    before = field(house, "salience"), field(house, "confidence")
    run(house, reaction("approval" if way != "undo" else "correction"))
    assert (field(house, "salience"), field(house, "confidence")) == before


def test_a_value_that_a_person_gives_again_is_theirs_from_then_on_and_is_undone() -> None:
    house = House()
    saved(house)
    for day in (7, 8, 9):
        inject(house, "the-port", day=day, minute=1)
    for _ in range(2):  # said twice, it is said
        done = changing.set_fields(at(house), "the-port", {"salience": "medium"})
    assert (done.what, field(house, "salience")) == ("unchanged", "medium")
    assert [past.cause for past in undoing.history(at(house), "the-port")] == [
        "set/salience",
        "save",
    ]
    run(house, reaction("correction"))
    assert (field(house, "salience"), field(house, "confidence")) == ("medium", "medium")


def test_a_file_that_an_editor_wrote_keeps_its_values_and_gets_no_front_matter() -> None:
    house = House()
    house.write(PORT, "---\nsalience: low\n---\nIt is 8080.\n")
    house.write("semantic/bare.md", "It is 9090.\n")
    for day in (7, 8, 9):
        inject(house, "the-port", day=day)
        inject(house, "bare", day=day, minute=5)
    run(house)
    assert field(house, "salience") == "low"
    assert house.texts()["semantic/bare.md"] == "It is 9090.\n"


def test_episodes_and_core_files_are_not_weighed() -> None:
    house = House()
    path = episode(house, "talk", "Nothing to see here?", decay_after="2027-01-01")
    house.write("core/project.md", "---\ntitle: Teapot\n---\nA teapot.\n")
    before = house.texts()
    inject(house, "talk", "project", minute=1)
    run(house, reaction("approval"))
    assert house.texts()[path] == before[path]
    assert house.texts()["core/project.md"] == before["core/project.md"]


def test_a_file_of_many_rules_gets_the_day_only() -> None:
    house = House()
    save(at(house), Draft("Never push to main", "Never push to main.", kind="rule"))
    path = "procedural/feedback.md"
    before = field(house, "confidence", path), field(house, "salience", path)
    for day in (7, 8, 9):
        inject(house, "feedback#never-push-to-main", day=day, minute=1)
    run(house, reaction("correction"), now="2026-06-10T09:00:00Z")
    assert (field(house, "confidence", path), field(house, "salience", path)) == before
    assert field(house, "last-accessed", path) >= "2026-03-09"


def test_a_claim_and_a_weight_for_one_file_are_one_step() -> None:
    house = House()
    saved(house, tags=("redis", "cache"))
    before = house.texts()[PORT]
    episode(house, "talk", "The cache host is db.local.", decay_after="2027-01-01")
    for day in (7, 8, 9):
        inject(house, "the-port", day=day)
    outcome = run(house)
    assert [(step.path, step.cause) for step in outcome.steps] == [(PORT, "consolidate/absorb")]
    assert "db.local" in house.texts()[PORT]
    assert field(house, "salience") == "high"
    undoing.undo(at(house), "the-port")
    assert house.texts()[PORT] == before


days = st.lists(st.integers(1, 9), max_size=5)
kinds = st.lists(st.sampled_from(["correction", "approval"]), max_size=4)
causes = st.sampled_from(["none", "set", "editor"])


@given(st.lists(st.tuples(days, kinds, causes), min_size=1, max_size=3), st.randoms())
def test_weighing_is_idempotent_spares_the_person_and_is_undone_in_any_order(
    rows: list[tuple[list[int], list[str], str]], rng: object
) -> None:
    house = House()
    reactions: list[Reaction] = []
    for n, (used, said, way) in enumerate(rows):
        saved(house, f"Fact {n}")
        for day in used:
            inject(house, f"fact-{n}", day=day, minute=1)
        reactions += [reaction(kind, minute=10 * n + m + 20) for m, kind in enumerate(said)]
        for m, _ in enumerate(said):
            inject(house, f"fact-{n}", minute=10 * n + m + 20)
        path = f"semantic/fact-{n}.md"
        if way == "set":
            changing.set_fields(at(house), f"fact-{n}", {"salience": "low", "confidence": "low"})
        elif way == "editor":
            text = with_field(house.texts()[path], "salience", "low")
            house.write(path, with_field(text, "confidence", "low"))
    before = house.texts()
    run(house, *reactions)
    texts = house.texts()
    for n, (_, _, way) in enumerate(rows):
        if way != "none":
            path = f"semantic/fact-{n}.md"
            assert (field(house, "salience", path), field(house, "confidence", path)) == (
                "low",
            ) * 2
    assert not run(house, *reactions).steps
    assert house.texts() == texts
    pasts = [p.id for p in undoing.history(at(house)) if p.cause.startswith("consolidate")]
    rng.shuffle(pasts)  # type: ignore[attr-defined]
    for past in pasts:
        undoing.undo(at(house), past)
    assert house.texts() == before
