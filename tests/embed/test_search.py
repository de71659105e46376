"""A search with vectors: what is near comes beside what has the words, and never in its place."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.running import Person
from tests.fakes.embedder import WordEmbedder

from recollect.app.wiring import App
from recollect.domain.model import Filter
from recollect.errors import EmbedderBroken
from recollect.services import recall
from recollect.services.embedding import fill
from recollect.services.opened import OpenStore


class Broken(WordEmbedder):
    """One that cannot be asked any more."""

    def cue(self, text: str) -> bytes:
        raise EmbedderBroken(path="words", reason="it is gone")


@pytest.fixture
def store(tmp_path: Path) -> OpenStore:
    """A store with three memories and their vectors."""
    home, project = tmp_path / "home", tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    home.mkdir()
    person = Person(home, project)
    person.ok("init")
    person.ok("save", "Clock drifts in the cold", "--body", "The crystal.", "--tags", "hardware")
    person.ok("save", "Blue buttons", "--body", "So says the design.", "--tags", "design")
    person.ok("save", "数据库连接", "--body", "连接池的大小是二十。", "--tags", "数据库")
    opened = App(str(project), person.environment({})).store("project")
    fill(opened.index, WordEmbedder(), lambda: True)
    opened.embedder = WordEmbedder
    return opened


def found(store: OpenStore, text: str, only: Filter | None = None) -> list[str]:
    hits = recall.search([store], text, only or Filter(), limit=10)
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
    [hit] = recall.search([store], "winter time", Filter(), limit=10)
    assert hit.candidate.parts["meaning"] == 1.0
    assert hit.candidate.parts["text"] == 0.0
