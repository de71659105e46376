"""facts.json, edited by a person: what they changed waits for them, and nothing of it is lost."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from tests.cli.running import Person, tree_of

Page = dict[str, Any]


def edit(person: Person, change: Callable[[Page], object]) -> str:
    """Change the view as a person does, who keeps its layout."""
    path = person.store / "facts.json"
    page = json.loads(path.read_text("utf-8"))
    change(page)
    text = json.dumps(page, ensure_ascii=False, indent=2) + "\n"
    path.write_text(text, "utf-8")
    return text


def page(person: Person) -> Page:
    found: Page = json.loads((person.store / "facts.json").read_text("utf-8"))
    return found


def waiting(person: Person) -> dict[str, str]:
    return {row["name"]: row["said"] for row in person.ok("review", "--json").json}


@pytest.fixture
def kept(person: Person) -> Person:
    person.ok("add-decision", "Use Redis", "It is fast", "--category", "technology")
    person.ok("add-pattern", "Small commits")
    person.ok("add-issue", "It leaks")
    return person


def change_three(page: Page) -> None:
    page["decisions"][0]["reason"] = "It was there"
    page["decisions"].append({"content": "Use Go", "reason": "One binary", "concepts": ["go"]})
    del page["patterns"][0]


NAMES = ["facts.json#d001", "facts.json#new-use-go", "facts.json#p001"]


def test_the_doctor_sends_to_the_review_and_not_to_what_would_renew_the_view(kept: Person) -> None:
    edit(kept, change_three)

    def told() -> list[tuple[str, str]]:
        ran = kept.run("doctor", "--json").json
        about = [one for one in ran["findings"] if one["about"] == "facts.json"]
        return [(one["state"], one["sentence"]) for one in about]

    [(state, sentence)] = told()
    assert (state, "`recollect review` lists the edits (3)" in sentence) == ("note", True)
    text = (kept.store / "facts.json").read_text("utf-8")
    (kept.store / "facts.json").write_text(text.rstrip().removesuffix("}"), "utf-8")
    [(state, sentence)] = told()
    assert (state, "not valid JSON" in sentence) == ("problem", True)
    (kept.store / "facts.json").unlink()
    kept.ok("consolidate")
    assert told() == []


def test_what_was_edited_waits_and_changes_nothing_by_itself(kept: Person) -> None:
    before = kept.ok("list", "--json").json
    text = edit(kept, change_three)
    told = kept.ok("add-issue", "Another")  # a change that renews the views
    assert "facts.json was edited by hand" in told.err
    assert (kept.store / "facts.json").read_text("utf-8") == text
    assert waiting(kept) == {
        "facts.json#d001": "reason: It is fast → It was there",
        "facts.json#new-use-go": "+ reason: One binary; concepts: go",
        "facts.json#p001": "−",
    }
    assert [one for one in kept.ok("list", "--json").json if one["title"] != "Another"] == before


def test_looking_at_what_waits_writes_nothing(kept: Person) -> None:
    edit(kept, change_three)
    before = tree_of(kept.project)
    assert list(waiting(kept)) == NAMES
    names = [word for name in NAMES for word in ("--approve", name)]
    kept.ok("review", *names, "--dry-run")
    kept.ok("review", "--reject-all", "--dry-run")
    assert tree_of(kept.project) == before
    assert list(waiting(kept)) == NAMES


def test_what_is_approved_holds_and_one_undo_takes_it_back(kept: Person) -> None:
    edit(kept, change_three)
    before = {p: p.read_bytes() for p in kept.store.rglob("*/**/*.md")}
    kept.ok("review", *[word for name in NAMES for word in ("--approve", name)])
    now = page(kept)
    assert [(row["id"], row["content"], row["reason"]) for row in now["decisions"]] == [
        ("d001", "Use Redis", "It was there"),
        ("d002", "Use Go", "One binary"),
    ]
    assert now["patterns"] == []
    assert waiting(kept) == {}
    shown = {one["id"]: one for one in kept.ok("list", "--json").json}
    assert shown["d002-use-go"]["trust"] == "user"
    assert kept.ok("search", "small commits", "--archived", "--json").json["hits"]
    kept.ok("undo")
    assert {p: p.read_bytes() for p in kept.store.rglob("*/**/*.md")} == before


def test_what_is_turned_down_is_asked_no_more_and_the_rest_goes_on_waiting(kept: Person) -> None:
    edit(kept, change_three)
    kept.ok("review", "--reject", NAMES[0])
    assert list(waiting(kept)) == NAMES[1:]
    kept.ok("review", "--approve", NAMES[1])
    assert list(waiting(kept)) == NAMES[2:]
    kept.ok("review", "--reject", NAMES[2])
    assert waiting(kept) == {}
    now = page(kept)
    assert [row["content"] for row in now["decisions"]] == ["Use Redis", "Use Go"]
    assert now["decisions"][0]["reason"] == "It is fast"
    assert [row["content"] for row in now["patterns"]] == ["Small commits"]


def test_all_that_waits_can_be_decided_at_once(kept: Person) -> None:
    edit(kept, change_three)
    kept.ok("review", "--reject-all")
    assert waiting(kept) == {}
    assert len(page(kept)["decisions"]) == 1
    edit(kept, change_three)
    kept.ok("review", "--approve-all")
    assert waiting(kept) == {}
    assert len(page(kept)["decisions"]) == 2


def test_every_field_that_a_person_edits_gets_into_the_memory(kept: Person) -> None:
    def change(page: Page) -> None:
        row = {
            "content": "Use Valkey",
            "type": "architecture",
            "files": ["a.py"],
            "concepts": ["c"],
        }
        page["decisions"][0] |= row | {"reason": "Free: as in speech\n\n## No heading"}
        page["issues"][0]["status"] = "fixed"

    edit(kept, change)
    kept.ok("review", "--approve-all")
    text = (kept.store / "semantic/decisions/d001-use-redis.md").read_text("utf-8")
    for line in ("# Use Valkey", "category: architecture", "files: [a.py]", "concepts: [c]"):
        assert f"\n{line}\n" in text
    assert text.endswith("---\n# Use Valkey\n\nFree: as in speech ## No heading\n")
    assert page(kept)["issues"][0]["status"] == "resolved"
    hits = kept.ok("search", "valkey", "--json").json["hits"]
    assert [hit["id"] for hit in hits] == ["d001-use-redis"]


def test_a_long_reason_loses_nothing_by_an_edit_of_what_the_view_has_of_it(kept: Person) -> None:
    end = "the very end of it"
    kept.ok("add-decision", "Long", "because " * 300 + end)
    edit(kept, lambda page: page["decisions"][1].update(reason=page["decisions"][1]["reason"].replace("because", "since", 1)))  # fmt: skip
    kept.ok("review", "--approve-all")
    text = (kept.store / "semantic/decisions/d002-long.md").read_text("utf-8")
    assert text.count("because") == 299
    assert "since because because" in text
    assert end in text


def test_what_the_store_learned_meanwhile_is_not_taken_back(kept: Person) -> None:
    edit(kept, lambda page: page["decisions"][0].update(reason="It was there"))
    kept.ok("resolve", "i001")
    kept.ok("add-decision", "Later")
    assert list(waiting(kept)) == ["facts.json#d001"]
    kept.ok("review", "--approve-all")
    assert page(kept)["issues"][0]["status"] == "resolved"
    assert [row["content"] for row in page(kept)["decisions"]] == ["Use Redis", "Later"]


def test_nothing_private_and_no_secret_gets_out_of_an_edit(kept: Person) -> None:
    secret = "ghp_" + "a1B2" * 9
    edit(kept, lambda page: page["decisions"].append({"content": f"Use {secret} <private>x9x9x9", "reason": "r"}))  # fmt: skip
    kept.ok("review", "--approve-all")
    for folder in (kept.home, kept.project):
        for path in folder.rglob("*"):
            assert secret not in str(path)
            assert not path.is_file() or secret.encode() not in path.read_bytes(), path
            assert not path.is_file() or b"x9x9x9" not in path.read_bytes(), path


def test_only_a_person_decides(kept: Person) -> None:
    edit(kept, change_three)
    for word in ("--approve", "--reject"):
        assert kept.run("review", word, NAMES[0], env={"CLAUDECODE": "1"}).code == 2
    assert list(waiting(kept)) == NAMES


def test_an_edit_that_is_not_there_is_refused_before_anything_is_done(kept: Person) -> None:
    edit(kept, change_three)
    refused = kept.run("review", "--approve", NAMES[0], "--approve", "facts.json#d009")
    assert refused.code == 10
    assert "facts.json#d009" in refused.err
    assert list(waiting(kept)) == NAMES


def test_a_slip_in_the_file_is_named_and_left_to_be_mended(kept: Person) -> None:
    path = kept.store / "facts.json"
    text = path.read_text("utf-8").replace('"reason": "It is fast"', '"reason": "It was there",')
    path.write_text(text, "utf-8")
    kept.ok("add-issue", "Another")
    told = kept.ok("review")
    assert "line 4" in told.err
    assert path.read_text("utf-8") == text
    path.write_text(text.replace('there",', 'there"'), "utf-8")
    assert list(waiting(kept)) == ["facts.json#d001"]
    path.unlink()  # which takes all of it back
    kept.ok("add-issue", "A third")
    assert page(kept)["decisions"][0]["reason"] == "It is fast"
    assert waiting(kept) == {}


def test_a_view_that_another_program_left_is_not_written_over(stranger: Person) -> None:
    """Seed 003 kept its facts in the same place."""
    path = stranger.store / "facts.json"
    path.parent.mkdir(parents=True)
    old = {"_meta": {"counter": 3, "lastSave": None}, "decisions": [{"id": "d001", "type": "technology", "date": "2025-12-21", "content": "Use Node", "reason": "There"}], "patterns": [], "issues": [], "concepts": {}}  # fmt: skip
    path.write_text(json.dumps(old))
    stranger.ok("init", "--scope", "project")
    stranger.ok("add-decision", "Use Go")
    assert json.loads(path.read_text()) == old
    stranger.ok("review", "--approve-all")
    assert [row["content"] for row in page(stranger)["decisions"]] == ["Use Go", "Use Node"]


def test_edits_of_two_stores_are_decided_each_in_its_own(kept: Person) -> None:
    kept.ok("init", "--scope", "global")
    kept.ok("add-decision", "Everywhere", "r", "--scope", "global")
    edit(kept, lambda page: page["decisions"][0].update(reason="project"))
    path = kept.home / ".claude/memory/facts.json"
    path.write_text(path.read_text().replace('"r"', '"global"'))
    kept.ok("review", "--approve", "facts.json#d001", "--scope", "global")
    assert json.loads(path.read_text())["decisions"][0]["reason"] == "global"
    assert page(kept)["decisions"][0]["reason"] == "project"
    shown = kept.ok("search", "Use Redis", "--json").json["hits"]
    assert "project" not in shown[0]["snippet"]
