"""Consolidation on a store: what is done, in which steps, and the way back from each."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from recollect.consolidate import apply as applying
from recollect.consolidate.apply import PassResult
from recollect.consolidate.gather import gather
from recollect.consolidate.run import consolidate, preview
from recollect.errors import ChangedMeanwhile
from recollect.features import memories as changing
from recollect.model.document import memory_from_text
from recollect.model.footnotes import label_of
from recollect.store import history as undoing
from recollect.store.store import OpenStore

from .house import Crash, House, crash

LATER = "2026-05-01T09:00:00Z"
FACTS = "semantic/deployment.md"
FEEDBACK = "procedural/feedback.md"


def episode(house: House, name: str, body: str, *, day: int = 1, **fields: str) -> str:
    """An episode of January that is past its time in April."""
    lines = {
        "tags": "[redis, cache]",
        "created": f"2026-01-{day:02}T10:00:00Z",
        "decay-after": "2026-04-01",
    } | {key.replace("_", "-"): value for key, value in fields.items()}
    head = "".join(f"{key}: {value}\n" for key, value in lines.items())
    path = f"episodic/{name}.md"
    house.write(path, f"---\n{head}---\n# {name}\n\n{body}\n")
    return path


def others(house: House, count: int) -> None:
    """As many memories that have nothing to do with anything."""
    for n in range(count):
        house.write(f"reference/r{n}.md", f"# Place {n}\n\nhttps://example.org/{n}\n")


def at(house: House, now: str = LATER) -> OpenStore:
    store = house.open()
    store.now = now
    store.ledger.moment = store.ledger.moment._replace(now=now)
    return store


def run(house: House, now: str = LATER, *, force_decay: bool = False) -> PassResult:
    return consolidate(at(house, now), force_decay=force_decay)


def memories(house: House) -> dict[str, str]:
    return {path: text for path, text in house.texts().items() if path.endswith(".md")}


def said(house: House) -> str:
    files = memories(house).items()
    return "\n".join(text for path, text in files if path.startswith(("semantic", "procedural")))


# ----------------------------------------------------------------------------------- a pass


def test_what_an_episode_says_goes_where_it_belongs_and_the_episode_into_the_archive() -> None:
    house = House()
    path = episode(house, "talk", "Port is 8080.\n\nNever push to main.")
    text = house.texts()[path]
    run(house)
    assert set(memories(house)) == {FACTS, FEEDBACK, f"archive/{path}"}
    label = label_of("talk")
    assert f"- Port is 8080. ^zvjo [^{label}]\n" in house.texts()[FACTS]
    assert f"\n[^{label}]: 2026-01-01 10:00, " in house.texts()[FACTS]
    assert "## Never push to main. ^4isl [^" in house.texts()[FEEDBACK]
    assert house.texts()[f"archive/{path}"] == text
    store = house.open()
    assert store.require("deployment").layer == "semantic"
    assert store.require("talk").archived


def test_a_second_pass_writes_nothing() -> None:
    house = House()
    episode(house, "talk", "Port is 8080.", decay_after="2026-12-01")
    run(house)
    before, ops = house.texts(), len(house.open().journal.ops())
    outcome = run(house, "2026-05-02T09:00:00Z")
    assert outcome.steps == outcome.archives == ()
    assert house.texts() == before
    assert len(house.open().journal.ops()) == ops


def test_a_look_changes_nothing() -> None:
    house = House()
    episode(house, "talk", "Port is 8080.")
    before = house.texts()
    outcome = preview(gather(at(house)))
    assert [step.path for step in outcome.steps] == [FACTS]
    assert [step.path for step in outcome.archives] == ["episodic/talk.md"]
    assert house.texts() == before


def test_a_conversation_goes_into_the_archive_with_what_was_said_in_it() -> None:
    house = House()
    text = "---\ntags: [a, b]\ncreated: 2026-01-01\ndecay-after: 2026-04-01\n---\nPort is 8080.\n"
    house.write("episodic/talk/summary.md", text)
    house.write("episodic/talk/conversation.md", "### User [1:00]\n\nUse npm.\n")
    run(house)
    assert house.texts()["archive/episodic/talk/summary.md"] == text
    assert "archive/episodic/talk/conversation.md" in house.texts()
    assert "npm" not in said(house)


def test_a_name_that_is_taken_in_the_archive_is_not_written_over() -> None:
    house = House()
    path = episode(house, "talk", "Port is 8080.")
    house.write(f"archive/{path}", "Something else.\n")
    run(house)
    assert house.texts()[f"archive/{path}"] == "Something else.\n"
    assert "Port is 8080." in house.texts()["archive/episodic/talk-2.md"]


# ------------------------------------------------------------------------------- the way back


def history(house: House) -> list[undoing.ChangeGroup]:
    return [past for past in undoing.history(house.open()) if not past.undoes]


def test_history_names_what_was_done_and_to_which_memory() -> None:
    house = House()
    house.write("semantic/a.md", "---\ncreated: 2025-12-01\n---\nHost is db.\n\n- Disk is sda.\n")
    episode(house, "talk", "Port is 8080. Host is web.")
    run(house)
    causes = {past.cause: past.memories for past in history(house)}
    assert causes == {
        "consolidate/absorb": ("deployment",),
        "consolidate/supersede": ("a",),
        "consolidate/decay": ("talk",),
    }


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_steps_undone_in_any_order_restore_the_bytes(order: Iterable[int]) -> None:
    house = House()
    house.write(
        "semantic/a.md", "---\r\ncreated: 2025-12-01\r\n---\r\nHost is db.\r\n\r\nX is y.\r\n"
    )
    episode(house, "talk", "Port is 8080. Host is web. Never push to main.")
    before = memories(house)
    run(house)
    groups = [past.id for past in history(house) if past.cause.startswith("consolidate")]
    assert len(groups) == 4
    for n in (*order, 3):
        undoing.undo(house.open(), groups[n])
    assert memories(house) == before


def test_what_was_undone_is_not_done_again() -> None:
    house = House()
    path = episode(house, "talk", "Port is 8080.")
    run(house)
    for past in history(house):
        undoing.undo(house.open(), past.id)
    assert set(memories(house)) == {path}
    run(house, "2026-05-02T09:00:00Z")
    assert set(memories(house)) == {path}


def test_what_a_person_took_out_comes_back_only_when_it_is_said_again() -> None:
    house = House()
    episode(house, "one", "Port is 8080. Host is db.", decay_after="2027-01-01")
    run(house)
    line = next(row for row in house.texts()[FACTS].splitlines() if "8080" in row)
    house.write(FACTS, house.texts()[FACTS].replace(f"{line}\n", ""))
    run(house)
    assert "8080" not in said(house)
    episode(house, "two", "Port is 8080.", day=20, decay_after="2027-01-01")
    run(house)
    assert f"- Port is 8080. ^zvjo [^{label_of('two')}]" in said(house)


def test_what_a_person_reworded_is_not_put_back_in_its_old_words() -> None:
    house = House()
    episode(house, "one", "Port is 8080.", decay_after="2027-01-01")
    run(house)
    house.write(FACTS, house.texts()[FACTS].replace("Port is 8080.", "It listens on 8080."))
    run(house)
    assert "Port is 8080." not in said(house)
    assert "It listens on 8080." in said(house)


def test_what_the_person_says_is_put_in_though_the_agent_said_it_before() -> None:
    house = House()
    episode(house, "one", "Port is 8080.", trust="agent", decay_after="2027-01-01")
    run(house)
    episode(house, "two", "Port is 8080.", decay_after="2027-01-01")
    run(house)
    assert said(house).count("- Port is 8080. ") == 2


# ----------------------------------------------------------------------------------- guards


def test_a_tenth_of_the_store_is_archived_in_one_pass_the_oldest_first() -> None:
    house = House()
    others(house, 24)
    for n in range(6):
        episode(house, f"talk-{n}", f"Item {n} is blue.", day=n + 1)
    outcome = run(house)
    assert (len(outcome.archives), outcome.later) == (3, 3)
    assert "Item 5 is blue." in said(house)  # what it says is kept by then
    there = [f"talk-{n}" for n in range(6) if f"episodic/talk-{n}.md" in house.texts()]
    assert there == ["talk-3", "talk-4", "talk-5"]
    while outcome.later:
        outcome = run(house)
        assert outcome.archives
    assert not [path for path in house.texts() if path.startswith("episodic/talk-")]
    assert len([path for path in house.texts() if path.startswith("archive/")]) == 6


def test_at_least_one_episode_goes_and_all_where_it_is_asked_for() -> None:
    house = House()
    for n in range(5):
        episode(house, f"talk-{n}", f"Item {n} is blue.", day=n + 1)
    assert len(run(house).archives) == 1
    outcome = run(house, force_decay=True)
    assert (len(outcome.archives), outcome.later) == (4, 0)


def test_nothing_is_archived_while_a_file_that_takes_its_claims_in_is_being_edited() -> None:
    house = House()
    house.write(FACTS, "---\ntags: [redis, cache]\n---\nHost is db.\n\nX is y.\n")
    path = episode(house, "talk", "Port is 8080.")
    edits = iter(range(1, 100))

    def edit(step: str, about: str) -> None:
        if (step, about) == ("append", FACTS):
            text = f"---\ntags: [redis, cache]\n---\nHost is db.\n\nEdit {next(edits)}.\n"
            house.write(FACTS, text)

    house.expect(edit, range(1, 1000))
    run(house)
    assert "Edit 3." in house.texts()[FACTS]
    assert path in house.texts()
    house.expect(edit, range(0))
    run(house)
    assert "Port is 8080." in house.texts()[FACTS]
    assert "Edit 3." in house.texts()[FACTS]


def test_a_page_that_came_meanwhile_is_filed_on_and_not_made_twice() -> None:
    house = House()
    episode(house, "talk", "Never push to main.")
    store = at(house)
    gathered = gather(store)
    house.write(FEEDBACK, "# How to work here\n\n## Always sign commits\n")
    house.open()  # another command puts it into the index
    steps = preview(gathered).steps
    assert [step.path for step in steps] == [FEEDBACK]
    assert applying.carry_out(store, gathered, steps) == list(steps)
    run(house)
    pages = [path for path in memories(house) if path.startswith("procedural/")]
    assert pages == [FEEDBACK]
    for rule in ("Always sign commits", "Never push to main"):
        assert rule in house.texts()[FEEDBACK]


def test_a_step_whose_file_was_changed_is_refused() -> None:
    house = House()
    house.write(FACTS, "---\ntags: [redis, cache]\n---\nHost is db.\n\nX is y.\n")
    episode(house, "talk", "Port is 8080.")
    store = at(house)
    gathered = gather(store)
    (step,) = preview(gathered).steps
    house.write(FACTS, "Mine.\n")
    with pytest.raises(ChangedMeanwhile):
        applying.changes_of(store, gathered, step)


def test_private_and_always_loaded_memories_are_left_alone() -> None:
    house = House()
    house.write("core/project.md", "---\ntags: [redis, cache]\n---\nPort is 7070.\n\nX is y.\n")
    house.write("semantic/p.md", "---\ntags: [redis, cache]\nprivate: true\n---\nA is b.\n")
    episode(house, "secret", "Host is db.", private="true")
    episode(house, "talk", "The server has two disks.", decay_after="2027-01-01")
    before = memories(house)
    run(house)
    after = memories(house)
    assert {path: after.pop(path) for path in before} == before
    assert set(after) == {FACTS}
    assert "Host is db" not in after[FACTS]


# ------------------------------------------------------------------------------------ crashes


def story(house: House) -> None:
    house.write("semantic/a.md", "---\ncreated: 2025-12-01\n---\nHost is db.\n\n- Disk is sda.\n")
    episode(house, "one", "Port is 8080. Host is web. Never push to main.")
    episode(house, "two", "Port is 9090. The cache is small.", day=2, tags="[a, b]")


def stated(house: House) -> dict[str, list[str]]:
    """What each file says, whatever became of its order."""
    return {
        path: sorted(memory_from_text(text, path).body.splitlines())
        for path, text in memories(house).items()
    }


@pytest.mark.slow
def test_a_kill_at_any_step_leaves_a_store_that_the_next_pass_brings_to_the_same_end() -> None:
    whole = House()
    story(whole)
    run(whole, force_decay=True)
    for n in range(1, 200):
        house = House()
        story(house)
        store = at(house)
        house.expect(crash, range(n, n + 1))
        try:
            consolidate(store, force_decay=True)
        except Crash:
            house.expect(crash, range(0))
            assert not _lost(house), n
            run(house, force_decay=True)
            assert stated(house) == stated(whole), n
        else:
            assert n > 20
            break


def _lost(house: House) -> list[str]:
    house.open()
    every = "\n".join(memories(house).values())
    claims = ["Port is 9090.", "Host is web.", "Never push to main.", "The cache is small."]
    return [claim for claim in claims if claim not in every]


def test_the_memories_of_a_person_are_as_they_were() -> None:
    house = House()
    house.write(
        "semantic/a.md", "---\ntags: [redis, cache]\nsalience: high\n# mine\n---\nX is y.\n"
    )
    episode(house, "talk", "Port is 8080.")
    run(house)
    text = house.texts()["semantic/a.md"]
    assert text.startswith("---\ntags: [redis, cache]\nsalience: high\n# mine\n---\nX is y.\n")
    changing.edit(house.open(), "a", append="More.")
    run(house)
    assert "\n- More. ^" in house.texts()["semantic/a.md"]
