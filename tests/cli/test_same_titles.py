"""Two sections of one memory with the same title: a command changes the one that it names."""

from __future__ import annotations

import pytest
from tests.cli.running import Person

HEAD = "---\nid: log\ntitle: Log\n---\n# Log\n\n"


@pytest.fixture
def writer(person: Person) -> Person:
    person.write(
        "semantic/log.md", f"{HEAD}## Notes\n\nfirst\n\n## Other\n\nx\n\n## Notes\n\nsecond\n"
    )
    return person


def body(person: Person) -> str:
    return (person.store / "semantic/log.md").read_text("utf-8").partition("# Log\n\n")[2]


@pytest.mark.parametrize(
    ("name", "left"),
    [
        ("log#notes", "## Other\n\nx\n\n## Notes\n\nsecond\n"),
        ("log#notes-2", "## Notes\n\nfirst\n\n## Other\n\nx\n\n"),
    ],
)
def test_forgetting_takes_one_of_them(writer: Person, name: str, left: str) -> None:
    writer.ok("forget", name, "--yes")
    assert body(writer) == left


@pytest.mark.parametrize(
    ("name", "now"),
    [
        ("log#notes", "## Notes\n\nnew\n\n## Other\n\nx\n\n## Notes\n\nsecond\n"),
        ("log#notes-2", "## Notes\n\nfirst\n\n## Other\n\nx\n\n## Notes\n\nnew\n"),
    ],
)
def test_editing_changes_one_of_them(writer: Person, name: str, now: str) -> None:
    writer.ok("edit", name, "--body", "new")
    assert body(writer) == now


def test_one_of_them_can_be_given_another_title(writer: Person) -> None:
    writer.ok("edit", "log#notes-2", "--title", "Later notes")
    assert body(writer) == "## Notes\n\nfirst\n\n## Other\n\nx\n\n## Later notes\n\nsecond\n"
