"""Facts: kept once under a number that is given once, completed, resolved, cleared, undone."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recollect.capture import save_memory as save
from recollect.capture.save_memory import Draft
from recollect.context import views as publish
from recollect.errors import CoreOfPerson, FactNotFound, UsageProblem
from recollect.features import core_memory, facts
from recollect.features import memories as writing
from recollect.features.facts import FactOrigin, FactResult
from recollect.model.document import memory_from_text, with_field
from recollect.model.facts import Fact
from recollect.model.memory import Filter
from recollect.store import history as undoing

from .house import NOW, Crash, House, crash

REDIS = Fact(
    "decision", "Use Redis", "It is fast", "technology", files=("a.py",), concepts=("cache",)
)
LEAK = Fact("issue", "It leaks", category="bugfix")
AGENT = FactOrigin(trust="agent", source="inferred", session="s1", created="2026-01-02T10:00:00Z")


def add(house: House, fact: Fact, **origin: Any) -> FactResult:
    return facts.add(house.open(), fact, FactOrigin(**origin))


def extract(house: House, *said: Fact) -> list[tuple[str, str]]:
    kept = facts.extract(house.open(), [(fact, AGENT) for fact in said])
    return [(one.number, one.what) for one in kept]


def view(house: House) -> dict[str, Any]:
    publish.publish_views(house.open())
    page: dict[str, Any] = json.loads(house.texts()["facts.json"])
    return page


def numbers(house: House) -> list[str]:
    page = view(house)
    return [row["id"] for kind in ("decisions", "patterns", "issues") for row in page[kind]]


# ------------------------------------------------------------------------------------- adding


def test_a_fact_becomes_a_memory_of_its_kind_in_its_folder() -> None:
    house = House()
    kept = facts.add(
        house.open(), REDIS, FactOrigin(tags=("redis",), session="s", source="instructed")
    )
    assert kept[:3] == ("d001", "d001-use-redis", "semantic/decisions/d001-use-redis.md")
    assert (kept.what, kept.kind) == ("created", "decision")
    memory = memory_from_text(house.texts()[kept.path], kept.path)
    assert (memory.id, memory.title, memory.kind, memory.category) == (
        "d001-use-redis", "Use Redis", "decision", "technology",
    )  # fmt: skip
    assert (memory.files, memory.concepts, memory.tags) == (("a.py",), ("cache",), ("redis",))
    assert (memory.source, memory.trust, memory.session) == ("instructed", "user", "s")
    assert (memory.status, memory.created, memory.problem) == ("confirmed", NOW, "")
    assert memory.body == "# Use Redis\n\nIt is fast\n"
    assert add(house, Fact("pattern", "Small commits")).path.startswith("procedural/patterns/p001-")
    issue = add(house, LEAK)
    assert issue.path == "semantic/issues/i001-it-leaks.md"
    assert memory_from_text(house.texts()[issue.path], issue.path).status == "open"


def test_a_dry_run_tells_the_number_and_takes_none() -> None:
    house = House()
    assert facts.add(house.open(), REDIS, FactOrigin(), dry_run=True).number == "d001"
    assert house.texts() == {}
    assert add(house, LEAK).number == "i001"
    assert add(house, REDIS).number == "d001"


def test_the_same_again_changes_nothing_and_another_reason_is_another_fact() -> None:
    house = House()
    add(house, REDIS)
    before = house.texts()
    assert add(house, REDIS._replace(content="use  REDIS!")).what == "unchanged"
    assert add(house, REDIS._replace(detail="")).what == "unchanged"
    assert house.texts() == before
    assert add(house, REDIS._replace(detail="It is there")).number == "d002"


def test_an_issue_that_is_back_is_another_issue() -> None:
    house = House()
    add(house, LEAK)
    facts.resolve(house.open(), "i001")
    assert add(house, LEAK).number == "i002"


@pytest.mark.parametrize(
    ("detail", "body"),
    [
        ("## Why\n\nIt is fast", "# Use Redis\n\n### Why\n\nIt is fast\n"),
        ("```sh\nls", "# Use Redis\n\n```sh\nls\n```\n"),
        ("---\nx: y", "# Use Redis\n\n---\nx: y\n"),
    ],
)
def test_a_reason_stays_below_its_title(detail: str, body: str) -> None:
    house = House()
    kept = add(house, REDIS._replace(detail=detail))
    assert memory_from_text(house.texts()[kept.path], kept.path).body == body
    assert [row["reason"] for row in view(house)["decisions"]] == [
        " ".join(body.split("\n\n", 1)[1].split())
    ]


# ------------------------------------------------------------------------------------- numbers


def test_a_number_is_not_given_again_when_its_fact_is_gone() -> None:
    house = House()
    for content in ("one", "two", "three", "four"):
        add(house, Fact("decision", content))
    writing.forget(house.open(), "d004-four")
    writing.forget(house.open(), "d003-three")
    house.files.remove_outside("semantic/decisions/d002-two.md")  # by hand: K11
    facts.clear(house.open(), ["decision"])
    house.index.wipe()  # what the index remembers goes with it; the journal tells
    assert add(house, Fact("decision", "five")).number == "d005"
    undoing.undo(house.open())
    assert add(house, Fact("decision", "six")).number == "d006"
    store = house.open()
    writing.forget(store, "d006-six")
    store.journal.purge("semantic/decisions/d006-six.md")
    house.index.wipe()
    assert add(house, Fact("decision", "seven")).number == "d007"
    assert numbers(house) == ["d007"]


def test_a_number_survives_a_new_name_for_the_file_a_rebuild_and_an_undo() -> None:
    house = House()
    add(house, REDIS)
    text = house.texts()["semantic/decisions/d001-use-redis.md"]
    house.files.remove_outside("semantic/decisions/d001-use-redis.md")
    house.write("semantic/decisions/redis.md", text)
    assert numbers(house) == ["d001"]
    house.index.wipe()
    assert numbers(house) == ["d001"]
    writing.edit(house.open(), "d001-use-redis", title="Use Valkey")
    assert [(r["id"], r["content"]) for r in view(house)["decisions"]] == [("d001", "Use Valkey")]
    facts.clear(house.open(), ["decision"])
    assert numbers(house) == []
    undoing.undo(house.open())
    assert numbers(house) == ["d001"]
    assert add(house, Fact("decision", "next")).number == "d002"


def test_a_number_that_came_from_elsewhere_is_not_given_again() -> None:
    house = House()
    add(house, REDIS)
    house.write("semantic/decisions/d041-theirs.md", "---\nid: d041-theirs\n---\n# Theirs\n")
    assert add(house, Fact("decision", "next")).number == "d042"
    house.write("archive/semantic/decisions/d050-old.md", "---\nkind: decision\n---\n# Old\n")
    assert add(house, Fact("decision", "after")).number == "d051"


def test_two_that_add_at_once_get_two_numbers() -> None:
    house = House()
    one, two = house.open("ops-one"), house.open("ops-two")
    assert facts.add(one, Fact("decision", "one"), FactOrigin()).number == "d001"
    assert facts.add(two, Fact("decision", "two"), FactOrigin()).number == "d002"


@pytest.mark.parametrize("step", range(1, 12))
def test_a_crash_gives_no_number_twice(step: int) -> None:
    house = House()
    add(house, Fact("decision", "one"))
    house.expect(crash, range(step, step + 1))
    with suppress(Crash):
        add(house, Fact("decision", "two"))
    house.expect(crash, range(0))
    three = add(house, Fact("decision", "three")).number
    found = numbers(house)
    assert len(set(found)) == len(found)
    assert found[0] == "d001"
    assert found[-1] == three


# ---------------------------------------------------------------------------------- extracting


def test_extracting_twice_adds_nothing() -> None:
    house = House()
    said = [REDIS, LEAK, Fact("pattern", "Small commits")]
    assert extract(house, *said) == [("d001", "created"), ("i001", "created"), ("p001", "created")]
    before = house.texts()
    assert extract(house, *said) == [
        ("d001", "unchanged"), ("i001", "unchanged"), ("p001", "unchanged"),
    ]  # fmt: skip
    assert house.texts() == before


contents = st.sampled_from(
    ["Use Redis", "use redis.", "Use PostgreSQL", "用 Redis", "🎉", "constructor"]
)
any_said = st.lists(
    st.builds(
        Fact,
        st.sampled_from(["decision", "pattern", "issue"]),
        contents,
        st.sampled_from(["", "It is fast", "It is there"]),
        status=st.sampled_from(["open", "resolved"]),
        files=st.lists(st.sampled_from(["a.py", "A.py", "b.py"]), max_size=2).map(tuple),
    ),
    max_size=6,
)  # fmt: skip


@given(any_said)
@example(
    [Fact("decision", "Use Redis", category=""), Fact("decision", "Use Redis", category="<PRIVATE")]
)
def test_extracting_is_the_same_once_or_twice_or_in_parts(said: list[Fact]) -> None:
    once, twice = House(), House()
    extract(once, *said)
    for fact in said:
        extract(twice, fact)
    assert view(once) == view(twice)
    before = once.texts()
    extract(once, *said)
    assert once.texts() == before
    ids = numbers(once)
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("name", ["category", "concepts", "files", "detail"])
def test_a_private_tag_in_a_field_takes_nothing_but_the_field(name: str) -> None:
    house = House()
    value: Any = "<PRIVATE" if name in {"category", "detail"} else ("<PRIVATE",)
    said = REDIS._replace(**{name: value})
    extract(house, said)
    entry = house.open().require("d001-use-redis")
    assert (entry.title, entry.status, entry.session) == ("Use Redis", "confirmed", "s1")
    assert "PRIVATE" not in house.texts()[entry.path]
    before = house.texts()
    extract(house, said)
    assert house.texts() == before


def test_what_was_extracted_says_where_it_comes_from() -> None:
    house = House()
    extract(house, REDIS, LEAK._replace(source="observed"))
    one, two = (house.open().require(n) for n in ("d001-use-redis", "i001-it-leaks"))
    assert (one.trust, one.source, one.session, one.created) == (
        "agent", "inferred", "s1", "2026-01-02T10:00:00Z",
    )  # fmt: skip
    assert two.source == "observed"


def test_a_known_fact_gets_what_it_lacks() -> None:
    house = House()
    extract(house, Fact("decision", "Use Redis"), LEAK)
    assert extract(house, REDIS, LEAK._replace(status="resolved", detail="", files=("pool.py",))) == [
        ("d001", "changed"), ("i001", "changed"),
    ]  # fmt: skip
    page = view(house)
    assert page["decisions"][0] | {"date": ""} == {
        "id": "d001", "type": "technology", "date": "", "content": "Use Redis", "reason": "It is fast",
        "files": ["a.py"], "concepts": ["cache"],
    }  # fmt: skip
    assert (page["issues"][0]["status"], page["issues"][0]["files"]) == ("resolved", ["pool.py"])


def test_an_old_text_opens_no_issue_again_and_brings_back_nothing_obsolete() -> None:
    house = House()
    extract(house, LEAK, REDIS)
    facts.resolve(house.open(), "i001")
    writing.set_fields(house.open(), "d001-use-redis", {"status": "superseded"})
    before = house.texts()
    assert extract(house, LEAK, REDIS._replace(files=("more.py",))) == [
        ("i001", "unchanged"), ("d001", "unchanged"),
    ]  # fmt: skip
    assert house.texts() == before


def test_nobody_adds_to_what_somebody_says_who_is_trusted_more() -> None:
    house = House()
    add(house, Fact("decision", "Use Redis"))
    add(house, LEAK)
    add(house, Fact("issue", "It burns"))
    texts = house.texts()
    said = [REDIS, LEAK._replace(status="resolved", files=("a.py",))]
    assert extract(house, *said) == [("d001", "unchanged"), ("i001", "changed")]
    leak = "semantic/issues/i001-it-leaks.md"
    expected = with_field(with_field(texts[leak], "status", "resolved"), "updated", NOW)
    assert {**texts, leak: expected} == house.texts()
    outside = [(Fact("issue", "It burns", status="resolved"), AGENT._replace(trust="external"))]
    assert facts.extract(house.open(), outside)[0].what == "unchanged"


def test_of_two_with_the_same_words_the_one_that_holds_is_meant() -> None:
    house = House()
    for n, status in ((1, "confirmed"), (2, "superseded")):
        head = f"---\nid: d00{n}\nstatus: {status}\ncreated: 2026-01-0{n}\n---\n"
        house.write(f"semantic/decisions/d00{n}.md", f"{head}# Use Redis\n")
    assert add(house, Fact("decision", "Use Redis")).number == "d001"


def test_a_title_that_begins_like_a_number_counts_as_one() -> None:
    house = House()
    save.save(house.open(), Draft("i386 support", kind="issue"))
    assert numbers(house) == ["i386"]
    assert add(house, LEAK).number == "i387"


def test_all_facts_of_a_text_are_undone_as_one() -> None:
    house = House()
    extract(house, REDIS, LEAK)
    undoing.undo(house.open())
    assert house.open().index.entries(Filter()) == []


def test_a_decision_that_was_saved_otherwise_is_known_too() -> None:
    house = House()
    save.save(house.open(), Draft("Use Redis", "It is fast", kind="decision"))
    assert extract(house, REDIS._replace(category="other", files=(), concepts=())) == [
        ("use-redis", "unchanged")
    ]
    assert [row["id"] for row in view(house)["decisions"]] == ["use-redis"]


def test_what_another_command_wrote_after_ours_began_is_known() -> None:
    house = House()
    slow = house.open("ops-slow")
    add(house, REDIS)
    text = house.texts()["semantic/decisions/d001-use-redis.md"]
    house.files.remove_outside("semantic/decisions/d001-use-redis.md")
    house.open()  # the index knows of none
    house.write("semantic/decisions/d001-use-redis.md", text)
    assert facts.extract(slow, [(REDIS, AGENT)])[0].what == "unchanged"


# ------------------------------------------------------------------- resolving, clearing, core


def test_resolving_changes_the_status_alone() -> None:
    house = House()
    kept = add(house, LEAK)
    before = house.texts()[kept.path]
    done = facts.resolve(house.open(), "I001", dry_run=True)
    assert (done.what, house.texts()[kept.path]) == ("changed", before)
    assert facts.resolve(house.open(), "i001").status == "resolved"
    assert house.texts()[kept.path] == with_field(
        with_field(before, "status", "resolved"), "updated", NOW
    )
    assert facts.resolve(house.open(), "i001-it-leaks").what == "unchanged"
    undoing.undo(house.open())
    assert house.texts()[kept.path] == before


def test_only_an_issue_that_is_there_can_be_resolved() -> None:
    house = House()
    add(house, REDIS)
    with pytest.raises(UsageProblem, match="only an issue"):
        facts.resolve(house.open(), "d001")
    for name in ("i001", "", "../../x"):
        with pytest.raises(FactNotFound):
            facts.resolve(house.open(), name)


def test_clearing_archives_what_it_is_asked_for_and_leaves_no_concept_behind() -> None:
    house = House()
    add(house, REDIS)
    add(house, LEAK)
    house.write("archive/semantic/decisions/d001-use-redis.md", "# In the way\n")
    facts.clear(house.open(), ["decision"], dry_run=True)
    assert numbers(house) == ["d001", "i001"]
    done = facts.clear(house.open(), ["decision"])
    assert [one.path for one in done] == ["archive/semantic/decisions/d001-use-redis-2.md"]
    assert "# Use Redis" in house.texts()[done[0].path]
    page = view(house)
    assert page["decisions"] == []
    assert page["concepts"] == {}  # K10
    assert [row["id"] for row in page["issues"]] == ["i001"]
    assert facts.clear(house.open(), ["decision"]) == []


def test_a_core_file_keeps_its_front_matter_and_says_who_wrote_it_last() -> None:
    house = House()
    text = "---\nsource: inferred\ntrust: agent\nowner: me\n---\n# Project\n\nA queue.\n"
    house.write("core/project.md", text)
    done = core_memory.write(house.open(), "Project", "A better queue.", "user")
    assert (done.path, done.what) == ("core/project.md", "changed")
    assert house.texts()["core/project.md"] == (
        f"---\nsource: instructed\ntrust: user\nupdated: {NOW}\nowner: me\n---\nA better queue.\n"
    )
    assert (
        core_memory.write(house.open(), "project", "A better queue.\n", "user").what == "unchanged"
    )
    with pytest.raises(CoreOfPerson):
        core_memory.write(house.open(), "project", "A worse queue.", "agent")
    undoing.undo(house.open())
    assert house.texts()["core/project.md"].endswith("A queue.\n")


def test_a_core_file_never_takes_the_id_of_another_memory() -> None:
    house = House()
    house.write("semantic/project.md", "# Another\n")
    assert core_memory.write(house.open(), "project", "A queue.", "user").id == "project-2"
    assert house.open().require("project").path == "semantic/project.md"
    assert [core_memory.name_of(entry) for entry in core_memory.entries(house.open())] == [
        "project"
    ]
