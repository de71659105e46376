"""Why a memory is not among what an agent would be given."""

from __future__ import annotations

from typing import Any

import pytest

from recollect.context import recall
from recollect.errors import MemoryNotFound
from recollect.search import search as searching
from recollect.store.store import OpenStore

from .house import NOW, House
from .test_recall import page

SAID = "The ledger keeps each amount as an integer number of cents."


@pytest.fixture
def stores() -> list[OpenStore]:
    """A project's store and the global one, in which each memory is left out for another reason."""
    project, home = House(), House()
    project.write("semantic/money.md", page("Ledger amounts", SAID))
    project.write("semantic/again.md", page("Ledger amounts again", SAID))
    project.write(
        "semantic/old.md", page("Ledger floats", "Amounts are floats.", status="superseded")
    )
    project.write("semantic/web.md", page("Ledger page", "Ledger amounts.", trust="external"))
    project.write("archive/semantic/cold.md", page("Ledger of 2019", "Amounts in a book."))
    project.write("core/project.md", page("Project", "A ledger of amounts."))
    project.write("semantic/tea.md", page("Tea", "At four."))
    project.write("semantic/walk.md", page("Walks", "Past the amounts of snow, uphill."))
    for n in range(15):
        project.write(
            f"semantic/f{n}.md", page(f"Filler {n}", f"Filler says {n} times amounts {n}.")
        )
    project.write(
        "procedural/feedback.md",
        page("Feedback", "## Round amounts\n\n<!-- trust: external -->\nAmounts of the ledger.\n"),
    )
    project.write("episodic/talk/summary.md", page("A talk", "We spoke.", id="talk"))
    project.write("episodic/talk/conversation.md", "### User [10:00]\n\nA ledger of giraffes?\n")
    return [project.open(), home.open(scope="global")]


def why(
    stores: list[OpenStore],
    words: str,
    name: str,
    budget: int = 800,
    told: frozenset[str] = frozenset(),
) -> recall.Reason:
    cue = searching.cue_of(words, NOW)
    found = recall.recall(stores, cue, budget=budget, lang="en", nonce="n0nce", given=told)
    return recall.reason(stores, name, cue, found, told)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("money", "repeats"),
        ("again", "given"),
        ("old", "superseded"),
        ("web", "external"),
        ("cold", "archived"),
        ("project", "brief"),
        ("tea", "no-words"),
        ("feedback#round-amounts", "external"),
        ("feedback", "external"),
        ("talk#turn-1", "raw"),
        ("talk", "raw"),
    ],
)
def test_the_reason_is_told(name: str, reason: str, stores: list[OpenStore]) -> None:
    assert why(stores, "how does the ledger keep amounts", name).why == reason


def test_what_says_a_word_in_passing_answers_too_little(stores: list[OpenStore]) -> None:
    found = why(stores, "uphill, carriages, wheels, coachmen and curtains", "walk")
    assert found.why == "too-little"
    assert found.candidate is not None
    assert found.candidate.parts["coverage"] < 0.5


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("use sessions", "everyday"),
        ("what do we use for sessions", "given"),
        ("sessions, carriages, wheels, coachmen and curtains", "too-little"),
        ("uphill, carriages, wheels, coachmen and curtains", "too-little"),
    ],
)
def test_common_words_are_not_called_words_in_passing(
    words: str, reason: str, stores: list[OpenStore]
) -> None:
    """The title is exactly that; the words are too common to bring it without a question."""
    house = House()
    house.write("semantic/memcached.md", page("Use Memcached for sessions uphill", ""))
    found = why([house.open()], words, "memcached")
    assert found.why == reason


def test_a_word_in_passing_is_one_that_the_title_does_not_have(stores: list[OpenStore]) -> None:
    house = House()
    text = " ".join(
        f"Line {n} of the notes tells of stage {n}, gear {n} and load {n}." for n in range(9)
    )
    house.write("semantic/walk.md", page("Walks", f"{text} Uphill."))
    assert why([house.open()], "uphill, carriages", "walk").why == "passing"


@pytest.mark.slow
def test_what_stands_behind_many_others_is_crowded_out(stores: list[OpenStore]) -> None:
    crowded = [why(stores, "filler says times amounts", f"f{n}") for n in range(15)]
    assert "crowded-out" in {one.why for one in crowded}
    assert all(one.place for one in crowded)


def test_without_room_there_is_none(stores: list[OpenStore]) -> None:
    assert why(stores, "how does the ledger keep amounts", "again", budget=0).why == "no-room"


def test_of_two_lists_with_one_name_the_one_that_has_the_section_is_meant(
    stores: list[OpenStore],
) -> None:
    home = House()
    home.write("procedural/feedback.md", page("Feedback", "## Tea breaks\n\nAt four.\n"))
    both = [stores[0], home.open(scope="global")]
    assert why(both, "ledger", "feedback#tea-breaks").why == "no-words"
    assert why(both, "tea breaks", "feedback#tea-breaks").why == "given"
    assert why(both, "ledger", "feedback#round-amounts").why == "external"


@pytest.mark.parametrize("name", ["nobody", "money#no-such-section", "nobody#turn-1"])
def test_a_memory_or_section_that_is_not_there_has_no_reason(
    name: str, stores: list[OpenStore]
) -> None:
    with pytest.raises(MemoryNotFound):
        why(stores, "ledger", name)


def test_what_the_session_was_given_before_is_not_given_again(stores: list[OpenStore]) -> None:
    told = frozenset({"again"})
    assert why(stores, "how does the ledger keep amounts", "again", told=told).why == "told"
    assert why(stores, "how does the ledger keep amounts", "money", told=told).why == "given"


def test_a_session_was_told_what_its_hooks_gave_it_since_it_was_compacted() -> None:
    house = House()
    mine: dict[str, Any] = {"op": "inject", "session": "s1", "items": ["before"], "op_id": "1"}
    house.pages.hot += [
        mine,
        {"op": "signal", "session": "s1", "source": "compact", "op_id": "2"},
        mine | {"items": ["brief", "queue#wal"], "op_id": "3"},
        mine | {"items": ["of-an-agent"], "agent": "a1", "op_id": "3"},
        mine | {"items": ["elsewhere"], "session": "s2", "op_id": "3"},
    ]
    assert recall.given_since_compaction([house.open()], "s1") == {"brief", "queue#wal"}
    assert recall.given_since_compaction([house.open()], "s2") == {"elsewhere"}


def test_the_words_are_those_that_were_asked(stores: list[OpenStore]) -> None:
    cue = searching.cue_of("how does the ledger keep its unicorns", NOW)
    one = why(stores, "ledger", "money").candidate
    words = {word.word: word.said for word in recall.words(stores, cue, one)}
    assert words == {"ledger": True, "keep": True, "unicorns": False}
    assert not any(word.said for word in recall.words(stores, cue, None))
