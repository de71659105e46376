"""The laws of consolidation on a store, over generated episodes and files."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.claim_cases import CLASHES_EN, CLASHES_ZH, RULES, STATED

from recollect.model.memory import TRUSTS
from recollect.store import history as undoing

from .house import Crash, House, crash
from .test_consolidate import episode, memories, run, stated

SAID = [*RULES, *STATED, *(side for case in (*CLASHES_EN, *CLASHES_ZH) for side in case[:2])]
TAGS = ["redis, cache", "redis, cache, 数据库", "../../x, ci/cd", "a"]
bodies = st.lists(st.sampled_from(SAID), max_size=5).map("\n\n- ".join)
episodes = st.lists(
    st.tuples(bodies, st.sampled_from(TRUSTS), st.sampled_from(TAGS), st.booleans()),
    min_size=1,
    max_size=4,
)
titles = st.just("T") | st.sampled_from(SAID).map(lambda said: said.strip(".。"))
ruled = st.lists(titles.map("## {}".format) | bodies, max_size=3).map("\n\n".join)
files = st.dictionaries(
    st.sampled_from(["semantic/redis.md", "semantic/db.md", "procedural/feedback.md", "core/p.md"]),
    st.tuples(bodies | ruled, st.sampled_from(["\n", "\r\n"]), titles),
    max_size=3,
)


def house_of(said: list[tuple[Any, ...]], before: dict[str, tuple[str, str, str]]) -> House:
    house = House()
    for path, (body, eol, title) in before.items():
        head = "---\ntags: [redis, cache]\ncreated: 2026-01-02\nkind: decision\n# mine\n---\n"
        text = f"{head}# {title}\n\n{body}\n"
        house.write(path, text.replace("\n", eol))
    for n, (body, trust, tags, old) in enumerate(said, 1):
        fades = "2026-04-01" if old else "2027-01-01"
        episode(house, f"e{n}", body, day=n, trust=trust, tags=f"[{tags}]", decay_after=fades)
    return house


@pytest.mark.slow
@given(episodes, files, st.randoms(use_true_random=False))
def test_every_step_undone_in_any_order_restores_the_bytes(
    said: list[Any], before: dict[str, Any], random: Any
) -> None:
    house = house_of(said, before)
    start = memories(house)
    run(house, force_decay=True)
    groups = [past.id for past in undoing.history(house.open())]
    random.shuffle(groups)
    for group in groups:
        undoing.undo(house.open(), group)
    assert memories(house) == start


@given(episodes, files)
def test_a_second_pass_changes_nothing(said: list[Any], before: dict[str, Any]) -> None:
    house = house_of(said, before)
    run(house, force_decay=True)
    once = memories(house)
    run(house, force_decay=True)
    assert memories(house) == once


@pytest.mark.slow
@given(episodes, files)
def test_what_an_archived_episode_claims_is_in_the_archive_word_for_word(
    said: list[Any], before: dict[str, Any]
) -> None:
    house = house_of(said, before)
    start = memories(house)
    run(house, force_decay=True)
    after = memories(house)
    for path, text in start.items():
        if path.startswith("episodic/"):
            assert text in (after.get(path), after.get(f"archive/{path}"))
            assert (path in after) != (f"archive/{path}" in after)


@pytest.mark.slow
@given(episodes, files, st.integers(1, 40))
def test_a_kill_and_another_pass_are_one_pass(
    said: list[Any], before: dict[str, Any], step: int
) -> None:
    whole, house = house_of(said, before), house_of(said, before)
    run(whole, force_decay=True)
    house.open()
    house.expect(crash, range(step, step + 1))
    try:
        run(house, force_decay=True)
    except Crash:
        house.expect(crash, range(0))
        run(house, force_decay=True)
    assert {p: sorted(r) for p, r in stated(house).items()} == {
        p: sorted(r) for p, r in stated(whole).items()
    }
