"""Writing: save, edit, set and forget do what they say, once, and nothing on a dry run."""

from __future__ import annotations

import re
from typing import Any

import pytest

from recollect.capture import save_memory as save_module
from recollect.capture.save_memory import Draft
from recollect.errors import ChangedMeanwhile, MemoryNotFound, OutsideStore, UsageProblem
from recollect.features import memories as writing
from recollect.model import document as codec
from recollect.model.document import files_of, memory_from_text
from recollect.model.footnotes import short_id
from recollect.model.memory import Filter, Memory
from recollect.text.tokens import cue_words

from .house import House, crash

RULES = "procedural/feedback.md"
MINE = "---\r\nid: mine\r\ntags: [a]   # hands off\r\nodd: yes\r\n---\r\nBody\tby hand.\r\n"


@pytest.fixture
def house() -> House:
    return House()


def save(house: House, title: str, body: str = "", **fields: object) -> save_module.SaveResult:
    return save_module.save(house.open(), Draft(title, body, **fields))  # type: ignore[arg-type]


def memory(house: House, path: str) -> Memory:
    return memory_from_text(house.texts()[path], path)


# ------------------------------------------------------------------------------------------ save


def test_a_saved_memory_is_a_file_that_reads_back_and_is_found(house: House) -> None:
    written = save(
        house, "Use PostgreSQL", "We need JSONB.", kind="decision", tags=("postgres", "events")
    )
    assert (written.id, written.what) == ("use-postgresql", "created")
    found = memory(house, written.path)
    assert (found.id, found.title, found.tags) == (
        "use-postgresql", "Use PostgreSQL", ("postgres", "events"),
    )  # fmt: skip
    assert "We need JSONB." in found.body
    assert written.text == house.texts()[written.path]
    assert house.open().index.entry(written.id)


@pytest.mark.slow
def test_the_same_title_again_and_again_is_as_many_memories(house: House) -> None:
    written = [save(house, "Same title", f"Text {n}.", kind="fact") for n in range(30)]
    assert len({one.id for one in written}) == 30
    assert len(house.texts()) == 30
    store = house.open()
    for n, one in enumerate(written):
        assert f"Text {n}." in store.read(store.require(one.id)).text


def test_a_name_is_free_only_if_nothing_anywhere_has_it(house: House) -> None:
    house.write("archive/semantic/taken.md", "---\nid: taken\n---\n")
    house.write("semantic/other.md", "---\nid: taken-2\n---\n")
    house.write("reference/taken-3.md", "no id")
    house.write("episodic/taken-4/conversation.md", "")
    assert save(house, "Taken", kind="fact").id == "taken-5"


@pytest.mark.parametrize(
    "title",
    [
        "../../etc/passwd",
        "/etc/passwd",
        "a\0b",
        "CON",
        "数据库",
        "…",
        "x" * 300,
        "`$(rm -rf)`",
        "a\nb",
    ],
)
def test_any_title_makes_a_harmless_name(house: House, title: str) -> None:
    written = save(house, title, "Text.", kind="fact")
    assert written.path.startswith("semantic/")
    stem = written.path.removeprefix("semantic/").removesuffix(".md")
    assert stem.replace("-", "").isalnum()
    assert stem.isascii() is title.isascii() or title == "…"
    assert memory(house, written.path).title == " ".join(title.split())


def test_a_title_of_nothing_is_refused(house: House) -> None:
    with pytest.raises(UsageProblem):
        save(house, " \n ")
    with pytest.raises(UsageProblem):
        save(house, "A", salience="enormous")
    assert house.texts() == {}


def test_a_conversation_is_kept_beside_its_summary(house: House) -> None:
    written = save(house, "A talk", "In short.", layer="episodic", conversation="### User [1:00]\n")
    assert written.path == "episodic/2026-01-11-a-talk/summary.md"
    log = house.texts()["episodic/2026-01-11-a-talk/conversation.md"]
    assert log == "### User [1:00]\n"
    assert memory(house, written.path).kind == "conversation"
    assert len({op.group for op in house.open().journal.ops()}) == 1


def test_a_conversation_stands_beside_whatever_it_is_kept_with(house: House) -> None:
    written = save(house, "The port", "It is 5433.", kind="fact", conversation="### User [1:00]\n")
    folder = written.path.removesuffix("/summary.md")
    assert set(house.texts()) == {written.path, f"{folder}/conversation.md"}
    assert memory(house, written.path).kind == "fact"


def test_a_saved_solution_is_found_among_solutions(house: House) -> None:
    save(house, "Port in use", "Stop the old server: `make stop`.", kind="solution")
    assert re.search(r"## Solution: Port in use \^\w+ \[\^\w+\]\n", house.texts()[RULES])
    found = house.open().index.search(
        cue_words("port server"), only=Filter(kind="solution"), limit=3
    )
    assert [one.name for one in found] == ["feedback#solution-port-in-use"]
    assert (
        save(
            house, "Solution: Port in use", "Stop the old server: `make stop`.", kind="solution"
        ).what
        == "unchanged"
    )


def test_the_triggers_of_a_section_are_its_own(house: House) -> None:
    save(house, "Tea first", kind="rule", trigger=("morning",))
    save(house, "Locked", "Wait a second.", kind="solution", trigger=("database is locked",))
    save(house, "Locked", "Wait a second.", kind="solution", trigger=("database is locked",))
    assert house.texts()[RULES].count("**Trigger:** database is locked") == 1
    found = house.open().index.search(
        cue_words("wait second"), only=Filter(kind="solution"), limit=3
    )
    assert [one.trigger for one in found] == ["database is locked"]


def test_a_private_memory_is_kept_out_of_git(house: House) -> None:
    one = save(house, "One", kind="fact", private=True)
    two = save(house, "Two", kind="session", private=True)
    folder = two.path.removesuffix("summary.md")
    assert house.texts()[".gitignore"] == f"/{one.path}\n/{folder}\n"
    assert memory(house, one.path).private


def test_a_name_with_a_slash_is_no_name(house: House) -> None:
    with pytest.raises(OutsideStore):
        house.open().path_for("semantic", "fact", "../x")


# -------------------------------------------------------------------------------- shared files


def test_rules_are_sections_of_one_file_found_by_title_whatever_the_case(house: House) -> None:
    first = save(house, "Write tests first", "Always.", kind="rule")
    second = save(house, "WRITE TESTS FIRST", "Even for scripts.", kind="rule")
    assert (first.what, second.what) == ("created", "amended")
    assert first.id == second.id == "feedback#write-tests-first"
    text = house.texts()[RULES]
    assert text.count("## ") == 1
    assert "Always.\n\nEven for scripts." in text


def test_a_rule_that_is_there_already_changes_nothing(house: House) -> None:
    save(house, "Write tests first", "Always.", kind="rule")
    steps = len(house.steps)
    assert save(house, "write tests first", "Always.", kind="rule").what == "unchanged"
    assert len(house.steps) == steps


def test_a_rule_leaves_what_a_person_wrote_in_the_shared_file(house: House) -> None:
    hand = "# Mine\n\nMy own words.\n\n## Theirs\n\nKept.   \n"
    house.write(RULES, hand)
    save(house, "New rule", "Do it.", kind="rule", trigger=("boom",))
    text = house.texts()[RULES]
    assert hand in text
    assert re.search(rf"## New rule \^{short_id('New rule')} \[\^\w+\]\n\nDo it\.", text)
    assert memory(house, RULES).trigger == ("boom",)


# ------------------------------------------------------------------------------------------ edit


def test_an_edit_changes_the_body_and_keeps_the_front_matter(house: House) -> None:
    house.write("semantic/mine.md", MINE)
    writing.edit(house.open(), "mine", body="New body.\n")
    text = house.texts()["semantic/mine.md"]
    front = MINE.partition("Body")[0].splitlines(keepends=True)
    assert [line for line in text.splitlines(keepends=True) if line in front] == front
    assert text.endswith("---\r\nNew body.\n")


def test_a_paragraph_is_appended_and_a_title_changed(house: House) -> None:
    path = save(house, "One", "First.", kind="fact").path
    writing.edit(house.open(), "one", append=" Second. ", title="Another\n title")
    found = memory(house, path)
    assert found.body.endswith("First.\n\nSecond.\n")
    assert (found.id, found.title) == ("one", "Another title")


def test_another_title_is_the_heading_too_and_nothing_says_the_old_one(house: House) -> None:
    path = save(house, "Use npm", "It is fast.", kind="decision").path
    writing.edit(house.open(), "use-npm", title="Use\n pnpm")
    assert "\n# Use pnpm\n\nIt is fast." in house.texts()[path]
    writing.set_fields(house.open(), "use-npm", {"title": "Use $& yarn", "salience": "high"})
    assert "\n# Use $& yarn\n\nIt is fast." in house.texts()[path]
    assert "Use npm" not in house.texts()[path]
    assert memory(house, path).title == "Use $& yarn"


def test_a_rule_that_is_its_title_gets_both_changed(house: House) -> None:
    save(house, "Use npm", kind="rule")
    writing.edit(house.open(), "feedback#use-npm", title="Use pnpm")
    assert re.search(r"## Use pnpm \^\w+ \[\^\w+\]\n\n\[\^", house.texts()[RULES])
    assert "Use npm" not in house.texts()[RULES]


@pytest.mark.parametrize("how", ["body", "append"])
@pytest.mark.parametrize("text", ["", "It is what CI has."])
def test_a_rule_that_gets_another_text_keeps_its_date_and_says_its_heading_once(
    house: House, how: str, text: str
) -> None:
    save(house, "Use npm", text, kind="rule")
    news: dict[str, Any] = {how: "Yarn is slow."}
    writing.edit(house.open(), "feedback#use-npm", **news)
    kept = f"{text}\n\n" if text and how == "append" else ""
    page = house.texts()[RULES]
    assert re.search(rf"## Use npm \^\w+ \[\^\w+\]\n\n{kept}Yarn is slow\.\n\n\[\^", page), page
    assert page.count("Use npm") == 1


def test_a_section_is_edited_alone(house: House) -> None:
    body = "Head.\n\n## One\n\nFirst.\n\n## Two\n\nSecond.\n"
    path = save(house, "Parts", body, kind="fact").path
    writing.edit(house.open(), "parts#one", body="Changed.")
    writing.edit(house.open(), "parts#two", append="Third.")
    assert "Head.\n\n## One\n\nChanged.\n\n## Two\n\nSecond.\n\nThird.\n" in house.texts()[path]
    writing.edit(house.open(), "parts#one", title="Uno")
    assert "## Uno\n\nChanged." in house.texts()[path]
    with pytest.raises(MemoryNotFound):
        writing.edit(house.open(), "parts#one", body="x")


def test_a_text_from_an_editor_is_written_only_over_the_text_it_was_made_from(
    house: House,
) -> None:
    path = save(house, "One", "First.", kind="fact").path
    store = house.open()
    seen = store.read(store.require("one")).stamp
    house.write(path, "by another hand")
    with pytest.raises(ChangedMeanwhile):
        writing.edit_text(house.open(), "one", "mine", seen)
    assert house.texts()[path] == "by another hand"


def test_two_edits_of_the_same_text_do_not_both_win(house: House) -> None:
    path = save(house, "One", "First.", kind="fact").path
    one, two = house.open("ops-one"), house.open("ops-two")
    old = one.read(one.require("one")).stamp
    writing.edit_text(one, "one", "from one", old)
    with pytest.raises(ChangedMeanwhile):
        writing.edit_text(two, "one", "from two", old)
    assert house.texts()[path] == "from one"


# ------------------------------------------------------------------------------------------- set


def test_set_changes_the_lines_of_its_fields_only(house: House) -> None:
    house.write("semantic/mine.md", MINE)
    writing.set_fields(house.open(), "mine", {"tags": "b，c, d", "salience": "high"})
    old, new = MINE.splitlines(), house.texts()["semantic/mine.md"].splitlines()
    assert [line for line in new if line not in old] == [
        "tags: [b, c, d]   # hands off",
        "salience: high",
        "updated: 2026-01-11T14:30:00Z",
    ]
    assert [line for line in old if line not in new] == ["tags: [a]   # hands off"]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("id", "x"),
        ("created", "2026-01-01"),
        ("nonsense", "x"),
        ("salience", "huge"),
        ("updated", "soon"),
    ],
)
def test_what_cannot_be_set_is_refused(house: House, key: str, value: str) -> None:
    save(house, "One", kind="fact")
    before = house.texts()
    with pytest.raises(UsageProblem):
        writing.set_fields(house.open(), "one", {"tags": "x", key: value})
    assert house.texts() == before


def test_setting_what_is_set_already_changes_nothing(house: House) -> None:
    save(house, "One", kind="fact", tags=("a", "b"))
    steps = len(house.steps)
    assert writing.set_fields(house.open(), "one", {"tags": "a, b"}).what == "unchanged"
    assert len(house.steps) == steps


# ---------------------------------------------------------------------------------------- forget


def test_a_forgotten_memory_takes_its_conversation_along(house: House) -> None:
    save(house, "A talk", layer="episodic", conversation="### User [1:00]\n\nZebra.\n")
    assert writing.forget(house.open(), "2026-01-11-a-talk").what == "removed"
    assert house.texts() == {}
    assert house.open().index.known() == {}


def test_a_forgotten_section_leaves_the_others(house: House) -> None:
    for title in ("One", "Two", "Three"):
        save(house, title, f"Text of {title}.", kind="rule")
    writing.forget(house.open(), "feedback#two")
    text = house.texts()[RULES]
    assert [s for s in ("One", "Two", "Three") if f"## {s}" in text] == ["One", "Three"]
    with pytest.raises(MemoryNotFound):
        writing.forget(house.open(), "feedback#two")


def test_forgetting_what_is_not_there_is_an_error_and_twice_at_once_is_not(house: House) -> None:
    save(house, "One", kind="fact")
    one, two = house.open("ops-one"), house.open("ops-two")
    writing.forget(one, "one")
    with pytest.raises(MemoryNotFound):
        writing.forget(house.open(), "one")
    assert house.texts() == {}
    assert [op.op for op in two.journal.ops()] == ["put", "remove"]


def test_a_purge_takes_the_texts_of_a_memory_and_its_conversation(house: House) -> None:
    save(house, "Kept", "Public.", kind="fact")
    talk = save(house, "A talk", "Secret.", layer="episodic", conversation="Secret talk.\n")
    writing.edit(house.open(), talk.id, append="Secret too.")
    writing.forget(house.open(), talk.id)
    for path in files_of(talk.path):
        house.open().journal.purge(path)
    said = [op.text for op in house.pages.ops() if op.text]
    assert len(said) == 1
    assert "Public." in said[0]


# ------------------------------------------------------------------------------------- dry runs


def test_a_dry_run_writes_nothing(house: House) -> None:
    save(house, "One", "First.\n\n## Part\n\nText.", kind="fact")
    save(house, "Rule", "Do it.", kind="rule")
    before = house.texts()
    house.expect(crash, range(1, 1000))
    store = house.open()
    assert save_module.save(store, Draft("Two", "Text.", kind="fact"), dry_run=True).id == "two"
    assert (
        save_module.save(store, Draft("Rule", "More.", kind="rule"), dry_run=True).what == "amended"
    )
    assert writing.edit(store, "one", body="x", dry_run=True).what == "changed"
    assert writing.edit(store, "one#part", append="x", dry_run=True).what == "changed"
    assert writing.set_fields(store, "one", {"tags": "x"}, dry_run=True).what == "changed"
    assert writing.forget(store, "one", dry_run=True).what == "removed"
    assert writing.forget(store, "feedback#rule", dry_run=True).what == "removed"
    assert house.texts() == before


# ------------------------------------------------------------------------------- what contradicts


@pytest.mark.parametrize(
    ("old", "new", "stands"),
    [
        ("Always squash PRs", "Never squash PRs", "Never squash PRs"),
        ("Never squash PRs", "Always squash PRs", "Always squash PRs"),
        ("以后提交信息用中文", "以后提交信息用英文", "以后提交信息用英文"),
    ],
)
def test_a_rule_that_is_contradicted_gives_way(
    house: House, old: str, new: str, stands: str
) -> None:
    save(house, old)
    done = save(house, new)
    assert done.advice.instead == (old,)
    body = memory(house, RULES).body
    assert [one.heading for one in codec.sections_of(body) if one.heading] == [stands]
    assert f"previously {old} -->" in body
    save(house, old)  # and back
    assert f"## {old}" in memory(house, RULES).body


def test_what_takes_the_place_of_a_file_names_it_and_keeps_the_subject(house: House) -> None:
    old = save(house, "Use npm for the shop front end", kind="decision")
    new = save(house, "Use pnpm", kind="decision")
    assert memory(house, old.path).status == "superseded"
    made = memory(house, new.path)
    assert (made.title, made.supersedes) == ("Use pnpm for the shop front end", (old.id,))


@pytest.mark.parametrize(
    ("old", "new", "trust"),
    [
        ("Use Redis for sessions", "Use Redis for rate limits", "user"),
        ("We deploy on Mondays", "We deploy on Fridays", "user"),  # not certain
        ("Use npm for the shop", "Use pnpm for the shop", "agent"),  # a person said it
    ],
)
def test_what_may_hold_beside_it_stays(house: House, old: str, new: str, trust: str) -> None:
    first = save(house, old, kind="decision")
    second = save(house, new, kind="decision", trust=trust)
    assert second.advice.instead == ()
    assert memory(house, first.path).status != "superseded"
