"""The bugs of the seeds' own consolidations, on a store: none of them happens here."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from recollect.app import App
from recollect.features import lifecycle

from .house import House
from .project import Project
from .test_consolidate import episode, memories, run, said

FACTS = "semantic/redis-cache.md"


@pytest.mark.parametrize(
    "front",
    [
        "tags:\n  - redis\n  - cache\nnote: |\n  two\n  lines\n",  # J6: block lists were erased
        "tags: redis\n",  # J6b: one word stopped the pass
        "tags: [redis, cache]\nunknown: {a: [b]}\n# a remark\n",
    ],
)
def test_a_front_matter_of_any_form_is_kept_and_stops_nothing_j6(front: str) -> None:
    house = House()
    house.write(FACTS, f"---\n{front}---\nHost is db.\n\nX is y.\n")
    episode(house, "talk", "The cache port is 8080.", decay_after="2027-01-01")
    run(house)
    assert house.texts()[FACTS].startswith(f"---\n{front}---\nHost is db.\n\nX is y.\n")
    assert "The cache port is 8080." in said(house)


def test_a_front_matter_that_cannot_be_read_stops_nothing_j6b() -> None:
    house = House()
    house.write("semantic/broken.md", "---\ntags: [redis\n: : :\n---\nHost is db.\n")
    house.write("episodic/broken.md", "---\ntags: [redis\n: : :\n---\nDisk is full of logs.\n")
    before = memories(house)
    episode(house, "talk", "The cache port is 8080.", decay_after="2027-01-01")
    run(house)
    assert {path: house.texts()[path] for path in before} == before
    assert "The cache port is 8080." in said(house)


def test_five_passes_append_nothing_twice_and_lose_nothing_j7_j8() -> None:
    house = House()
    lines = [
        "The connection pool of the billing service holds 10 links.",
        "The connection pool of the billing service is in pool.py.",
        "Port is 8080.",
        "Never restart the worker by hand.",
    ]
    episode(house, "talk", "\n\n".join(lines))
    for day in range(1, 6):
        run(house, f"2026-05-{day:02}T09:00:00Z")
    assert [said(house).count(line) for line in lines] == [1, 1, 1, 1]


@pytest.mark.parametrize("tags", ["../../outside/evil, x", "ci/cd, a", "'C:', con", "..., /etc"])
def test_tags_lead_nowhere_j10(tags: str, tmp_path: Path) -> None:
    project = Project(tmp_path)
    text = f"---\ntags: [{tags}]\ncreated: 2026-01-01\n---\nPort is 8080.\n"
    project.write("episodic/talk.md", text)
    before = {path for path in tmp_path.rglob("*") if project.root not in path.parents}
    app = App(str(project.folder), project.env)
    lifecycle.consolidate(app, scope="project", dry_run=False)
    app.close()
    after = {path for path in tmp_path.rglob("*") if project.root not in path.parents}
    assert {path for path in after - before if project.home not in path.parents} == set()
    (made,) = (path for path in project.files() if path.startswith("semantic/"))
    assert made.count("/") == 1


@pytest.mark.parametrize("salience", ["low", "medium", "high"])
def test_a_salience_that_a_person_set_stays_j12(salience: str) -> None:
    house = House()
    head = f"---\ntags: [redis, cache]\nsalience: {salience}\nconfidence: low\n---\n"
    house.write(FACTS, f"{head}Host is db.\n\nX is y.\n")
    episode(house, "talk", "The cache port is 8080.")
    run(house)
    assert house.texts()[FACTS].startswith(head)


@pytest.mark.slow
def test_passes_at_once_end_like_one_j14(tmp_path: Path) -> None:
    project = Project(tmp_path)
    for n in range(12):
        text = f"---\ntags: [t{n % 3}, u]\ncreated: 2026-01-01\ndecay-after: 2026-02-01\n---\nItem {n} is blue.\n"
        project.write(f"episodic/e{n}.md", text)
    with ThreadPoolExecutor(4) as pool:
        words = ("consolidate", "--force-decay")
        runs = list(pool.map(lambda _: project.run(*words), range(4)))
    assert [done.returncode for done in runs] == [0, 0, 0, 0], [done.stderr for done in runs]
    files = project.files()
    for n in range(12):
        where = [path for path, data in files.items() if f"Item {n} is blue." in data.decode()]
        assert sorted(where) == [f"archive/episodic/e{n}.md", "semantic/domain.md"]
        assert files[where[-1]].decode().count(f"Item {n} is blue.") == 1
