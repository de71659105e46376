"""Proposals that a person does not want to see again: they do not come, until they may."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.app import App
from recollect.consolidate import rulings
from recollect.consolidate.gather import gather
from recollect.consolidate.rulings import DISMISSED, dismissed_in, pair_of, with_pair, without_pair
from recollect.consolidate.run import preview
from recollect.errors import MemoryNotFound
from recollect.features import merge as merging
from recollect.ops import doctor as health
from recollect.store import history as undoing

from .house import House
from .project import Project
from .test_consolidate import at
from .test_merging import saved

SAME = "The port is 5432.\n\nThe host is db.local.\n\nThe pool has 10 links."


def two() -> House:
    house = House()
    saved(house, "Alpha", SAME, files=("a.py",), tags=("pool",))
    saved(house, "Beta", SAME, files=("a.py",), tags=("paint",))
    return house


def dismiss(house: House, *names: str, **fields: Any) -> bool:
    one, other = names
    given = {"again": False, "dry_run": False} | fields
    return rulings.decide(at(house), one, other, **given)


def proposed(house: House) -> dict[str, int]:
    store = at(house)
    return {
        "merge": len(merging.proposals(store)),
        "pass": len(preview(gather(store)).merges),
    }


def test_what_is_dismissed_is_not_proposed_again_nowhere() -> None:
    house = two()
    assert proposed(house) == {"merge": 1, "pass": 1}
    assert dismiss(house, "beta", "alpha")  # in whichever order
    assert proposed(house) == {"merge": 0, "pass": 0}
    assert not dismiss(house, "alpha", "beta")


@pytest.mark.parametrize("way", ["again", "undo"])
def test_a_dismissal_can_be_taken_back(way: str) -> None:
    house = two()
    before = house.texts()
    dismiss(house, "alpha", "beta")
    if way == "again":
        dismiss(house, "alpha", "beta", again=True)
    else:
        undoing.undo(at(house))
        assert house.texts() == before
    assert proposed(house)["merge"] == 1


def test_a_dry_run_decides_nothing() -> None:
    house = two()
    before = house.texts()
    assert dismiss(house, "alpha", "beta", dry_run=True)
    assert house.texts() == before


def test_a_memory_that_is_not_there_is_named() -> None:
    with pytest.raises(MemoryNotFound):
        dismiss(two(), "alpha", "nobody")


names = st.sampled_from(["a", "b", "数据库", "d001-x"])
pairs = st.builds(pair_of, names, names)
damaged = st.sampled_from(["", "{", "[]", '{"dismissed": 3, "x": 1}', '{"dismissed": [7, {"what": "merge"}]}'])  # fmt: skip


@given(damaged, st.lists(pairs, max_size=5), pairs)
def test_what_was_decided_reads_back_whatever_the_file_said(
    text: str, many: list[Any], one: Any
) -> None:
    for pair in many:
        text = with_pair(text, pair, "2026-01-01T00:00:00Z")
    assert dismissed_in(text) == frozenset(many)
    assert dismissed_in(with_pair(text, one, "2026-01-01")) == {*many, one}
    assert dismissed_in(without_pair(text, one)) == {*many} - {one}
    if many:
        assert json.loads(text)["version"] == 1


def test_the_file_is_one_a_person_can_read() -> None:
    house = two()
    dismiss(house, "beta", "alpha")
    assert house.texts()[DISMISSED] == (
        '{"version": 1, "dismissed": [\n'
        '{"what": "merge", "memories": ["alpha", "beta"], "date": "2026-05-01"}\n]}\n'
    )


def test_what_is_dismissed_is_no_finding_of_a_check_up(tmp_path: Path) -> None:
    project = Project(tmp_path)
    for name in ("a", "b"):
        project.write(f"semantic/{name}.md", "---\ntitle: Use Postgres\n---\nIt is so.\n")

    def alike() -> list[list[str]]:
        app = App(str(project.folder), project.env)
        try:
            report = health.examine(app, repair=False)
            return [
                ids for group in report.groups if group.health for ids in group.health.duplicates
            ]
        finally:
            app.close()

    assert alike() == [["a", "b"]]
    with project.opened() as store:
        rulings.decide(store, "a", "b", again=False, dry_run=False)
    assert alike() == []
