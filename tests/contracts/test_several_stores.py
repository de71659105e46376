"""What several stores found is weighed as if they were one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.services.house import House

from recollect.model.memory import Filter
from recollect.search import search as searching
from recollect.search.index import SqliteIndex
from recollect.store.store import OpenStore

Note = tuple[str, str]  # title and body
COMMON = [("The queue", f"A queue of kind k{n}.") for n in range(30)]
RARE = [
    ("The pool", "It is full."),
    ("Of letters", "A queue is mentioned."),
    *[("Else", "Empty.")] * 20,
]
FEW = [("The queue", "Every queue is bounded."), ("A queue", "Is drained."), ("Else", "Empty.")]


def opened(folder: Path, **stores: Sequence[Note]) -> list[OpenStore]:
    """A store of each scope with these notes."""
    found = []
    for scope, notes in stores.items():
        house = House()
        house.index = SqliteIndex(str(folder / scope))  # type: ignore[assignment]
        for n, (title, body) in enumerate(notes):
            house.write(f"semantic/n{n}.md", f"---\ntitle: {title}\n---\n{body}\n")
        found.append(house.open(scope=scope))
    return found


def scopes(stores: Sequence[OpenStore], cue: str) -> list[str]:
    hits = searching.search(stores, cue, Filter(), limit=40)
    return [hit.candidate.scope for hit in hits]


def test_a_word_that_is_rare_in_one_store_does_not_put_that_store_first(tmp_path: Path) -> None:
    stores = opened(tmp_path, project=RARE, **{"global": COMMON})
    best = [
        max(o.text_score for o in s.index.search(["queue"], only=Filter(), limit=9)) for s in stores
    ]
    assert best[0] > best[1]
    found = scopes(stores, "queue")
    assert found.index("global") == 0
    assert found.index("project") == 30


def test_a_word_that_most_of_a_small_store_has_is_rare_where_the_other_store_is_large(
    tmp_path: Path,
) -> None:
    many = [("Else", f"Empty k{n}.") for n in range(200)] + [
        ("Of letters", "A queue is mentioned.")
    ]
    stores = opened(tmp_path, project=FEW, **{"global": many})
    assert scopes(stores, "queue")[:2] == ["project", "project"]


def test_the_order_of_one_store_stays_as_it_is(tmp_path: Path) -> None:
    stores = opened(tmp_path, project=RARE, **{"global": COMMON})
    alone = [
        hit.candidate.name for hit in searching.search(stores[1:], "queue k7", Filter(), limit=9)
    ]
    both = searching.search(stores, "queue k7", Filter(), limit=40)
    ours = [hit.candidate.name for hit in both if hit.candidate.scope == "global"]
    assert ours[:9] == alone


def test_where_one_store_found_something_nothing_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stores = opened(tmp_path, project=COMMON, **{"global": [("Else", "Empty.")]})
    monkeypatch.setattr(SqliteIndex, "word_counts", lambda *_: pytest.fail("it was asked"))
    assert scopes(stores, "queue")
