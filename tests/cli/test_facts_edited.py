"""facts.json is a view, and what it says more than the memories is not written over."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import Person

MORE = "says more than the memories"


def rows(path: Path, kind: str = "decisions") -> list[str]:
    page: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return [row["content"] for row in page[kind]]


@pytest.fixture
def kept(person: Person) -> Person:
    person.ok("add-decision", "Use Redis", "It is fast", "--category", "technology")
    person.ok("add-pattern", "Small commits")
    return person


def test_a_new_row_stays_until_it_is_imported(kept: Person) -> None:
    path = kept.store / "facts.json"
    page = json.loads(path.read_text("utf-8"))
    page["decisions"].append({"content": "Use Go", "reason": "One binary", "concepts": ["go"]})
    path.write_text(text := json.dumps(page), "utf-8")
    assert MORE in kept.ok("add-issue", "It leaks").err  # a change that renews the views
    assert path.read_text("utf-8") == text
    assert MORE in kept.run("doctor").out
    kept.ok("import", str(path))
    assert rows(path) == ["Use Redis", "Use Go"]
    assert rows(path, "issues") == ["It leaks"]
    assert MORE not in kept.ok("add-issue", "It blocks").err
    waiting = [row["title"] for row in kept.ok("review", "--json").json]
    assert waiting == ["Use Go"]  # whoever can write the file may have written it


def test_another_reason_stays_until_the_file_is_moved_away(kept: Person) -> None:
    path = kept.store / "facts.json"
    text = path.read_text("utf-8").replace("It is fast", "It was there")
    path.write_text(text, "utf-8")
    assert MORE in kept.ok("add-issue", "It leaks").err
    assert path.read_text("utf-8") == text
    path.unlink()
    kept.ok("consolidate")
    assert "It is fast" in path.read_text("utf-8")


def test_what_is_missing_or_only_written_in_other_words_of_json_is_written_again(
    kept: Person,
) -> None:
    path = kept.store / "facts.json"
    page = json.loads(path.read_text("utf-8"))
    page["patterns"] = []
    path.write_text(json.dumps(page, indent=7), "utf-8")
    assert kept.ok("add-issue", "It leaks").err == ""
    assert rows(path, "patterns") == ["Small commits"]


def test_a_slip_in_the_file_is_named_and_left_to_be_mended(kept: Person) -> None:
    path = kept.store / "facts.json"
    text = path.read_text("utf-8").replace('"reason": "It is fast"', '"reason": "It was there",')
    path.write_text(text, "utf-8")
    assert "line 4" in kept.ok("add-issue", "Another").err
    assert "not valid JSON" in kept.run("doctor").out
    assert path.read_text("utf-8") == text
    path.unlink()
    kept.ok("add-issue", "A third")
    assert rows(path) == ["Use Redis"]


def test_a_view_that_another_program_left_is_not_written_over(stranger: Person) -> None:
    """Seed 003 kept its facts in the same place."""
    path = stranger.store / "facts.json"
    path.parent.mkdir(parents=True)
    old = {"_meta": {"counter": 3, "lastSave": None}, "decisions": [{"id": "d001", "type": "technology", "date": "2025-12-21", "content": "Use Node", "reason": "There"}], "patterns": [], "issues": [], "concepts": {}}  # fmt: skip
    path.write_text(json.dumps(old))
    stranger.ok("init", "--scope", "project")
    stranger.ok("add-decision", "Use Go")
    assert json.loads(path.read_text()) == old
    stranger.ok("import")
    assert rows(path) == ["Use Go", "Use Node"]
