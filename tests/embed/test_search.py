"""A search with vectors: what is near comes beside what has the words, and never in its place."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.running import Person
from tests.contracts.index import page, row
from tests.fakes.embedder import WordEmbedder
from tests.prepared import Prepared

from recollect.app import App
from recollect.context import recall
from recollect.errors import EmbedderBroken
from recollect.model.memory import Filter
from recollect.search import search as searching
from recollect.search.vectors import Embedding, fill
from recollect.store.store import OpenStore


class Broken(WordEmbedder):
    """One that cannot be asked any more."""

    def cue(self, text: str) -> Embedding:
        raise EmbedderBroken(path="words", reason="it is gone")


@pytest.fixture
def store(tmp_path: Path, store_of_a_project: Prepared) -> OpenStore:
    """A store with three memories and their vectors."""
    store_of_a_project.put(tmp_path)
    person = Person(tmp_path / "home", tmp_path / "project")
    person.ok("save", "Clock drifts in the cold", "--body", "The crystal.", "--tags", "hardware")
    person.ok("save", "Blue buttons", "--body", "So says the design.", "--tags", "design")
    person.ok("save", "数据库连接", "--body", "连接池的大小是二十。", "--tags", "数据库")
    opened = App(str(person.project), person.environment({})).store("project")
    fill(opened.index, WordEmbedder(), lambda: True)
    opened.embedder = WordEmbedder
    return opened


def found(store: OpenStore, text: str, only: Filter | None = None) -> list[str]:
    hits = searching.search([store], text, only or Filter(), limit=10)
    return [hit.candidate.title for hit in hits]


def test_what_is_near_is_found_though_it_has_no_word_of_the_cue(store: OpenStore) -> None:
    assert found(store, "winter time") == ["Clock drifts in the cold"]
    store.embedder = lambda: None
    assert found(store, "winter time") == []


def test_what_is_near_to_nothing_is_not_found(store: OpenStore) -> None:
    assert found(store, "quark flavour") == []


def test_what_has_the_words_comes_first_where_both_fit(store: OpenStore) -> None:
    assert found(store, "blue winter")[0] == "Blue buttons"


def test_a_filter_holds_for_what_is_near_too(store: OpenStore) -> None:
    assert found(store, "winter time", Filter(tags=("design",))) == []


def test_a_model_of_english_is_not_asked_about_a_chinese_cue(store: OpenStore) -> None:
    store.embedder = Broken
    assert found(store, "连接池") == ["数据库连接"]
    assert store.problems == []


def test_words_find_when_the_embedder_fails_and_it_is_said_once(store: OpenStore) -> None:
    store.embedder = Broken
    assert found(store, "cold clock") == ["Clock drifts in the cold"]
    found(store, "blue")
    assert [problem.path for problem in store.problems] == ["embedder"]


def test_vectors_of_another_embedder_are_not_compared(store: OpenStore) -> None:
    store.embedder = lambda: WordEmbedder("words/2")
    assert found(store, "winter time") == []


def test_the_parts_of_a_score_have_what_the_meaning_gave(store: OpenStore) -> None:
    [hit] = searching.search([store], "winter time", Filter(), limit=10)
    assert hit.candidate.parts["meaning"] == 1.0
    assert hit.candidate.parts["text"] == 0.0


def test_an_embedder_is_asked_once_for_a_cue_however_many_shelves_there_are(
    store: OpenStore,
) -> None:
    embedder = WordEmbedder()
    store.embedder = lambda: embedder
    assert found(store, "winter time") == ["Clock drifts in the cold"]
    assert embedder.asked == ["winter time"]


def test_of_texts_that_are_as_near_the_one_with_every_piece_of_the_cue_comes_first(
    store: OpenStore,
) -> None:
    rows = [
        row("semantic/one.md", page("One", "drifts buttons clock")),
        row("semantic/two.md", page("Two", "clock winter buttons")),
    ]
    store.index.apply(rows, [], 1)
    fill(store.index, WordEmbedder(), lambda: True)
    assert found(store, "events time winter")[0] == "Two"


def said(store: OpenStore, text: str) -> list[str]:
    cue = searching.cue_of(text, "2026-01-01T00:00:00Z")
    given = recall.recall([store], cue, budget=800, lang="en", nonce="0")
    return [one.title for one in given.full]


def test_recall_says_what_surely_means_the_same_though_it_has_no_word_of_the_cue(
    store: OpenStore,
) -> None:
    assert said(store, "winter time") == ["Clock drifts in the cold"]
    store.embedder = lambda: None
    assert said(store, "winter time") == []


@pytest.mark.parametrize("cue", ["winter events postgres", "quark flavour", "store"])
def test_recall_says_nothing_of_what_is_only_somewhat_near(store: OpenStore, cue: str) -> None:
    assert said(store, cue) == []


def test_who_is_told_how_things_were_by_meaning_alone_is_told_first_how_they_are(
    store: OpenStore,
) -> None:
    old = page("Clock drifts", "Cold.", tags="[clock]", created="2025-01-01T00:00:00Z")
    new = page("Clock drifts", "It is blue.", tags="[clock]", created="2025-06-01T00:00:00Z")
    rows = [row("semantic/old.md", old), row("semantic/new.md", new)]
    store.index.apply(rows, [], 1)
    fill(store.index, WordEmbedder(), lambda: True)
    cue = searching.cue_of("winter time", "2026-01-01T00:00:00Z")
    given = recall.recall([store], cue, budget=800, lang="en", nonce="0")
    ids = [one.id for one in given.full]
    assert "old" in ids
    assert ids.index("new") < ids.index("old")


def test_recall_goes_by_words_when_the_embedder_fails(store: OpenStore) -> None:
    store.embedder = Broken
    assert said(store, "cold clock") == ["Clock drifts in the cold"]
    assert said(store, "winter time") == []
    assert [problem.path for problem in store.problems] == ["embedder"]


def test_with_a_library_that_is_too_old_it_goes_by_words_and_says_so(
    store: OpenStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr("numpy.bitwise_count")
    assert found(store, "cold clock") == ["Clock drifts in the cold"]
    [problem] = store.problems
    assert "numpy" in problem.sentence
