"""What is private or secret in a title, a tag or a name reaches no disk: no file, no path."""

from __future__ import annotations

import pytest

from .running import Person

KEY = "ghp_" + "a1B2c3D4" * 5


@pytest.mark.parametrize(
    "words",
    [
        ("save", "Log in as {}", "--kind", "fact"),
        ("save", "Log in as {}", "--kind", "rule", "--body", "With {}."),
        (
            "save",
            "Log in",
            "--tags",
            "a,{}",
            "--trigger",
            "{}",
            "--files",
            "{}",
            "--concepts",
            "{}",
        ),
        ("add-decision", "Log in as {}", "Because {}", "--files", "{}"),
        ("memory-set", "project", "Log in as {}"),
    ],
)
@pytest.mark.parametrize(
    ("text", "secret"), [("<private>hunter2 zebra", "hunter2"), (KEY, KEY.lower()[:20])]
)
def test_nothing_private_in_a_title_reaches_a_disk(
    person: Person, words: tuple[str, ...], text: str, secret: str
) -> None:
    person.ok(*(word.format(text) for word in words))

    for folder in (person.home, person.project):
        for path in folder.rglob("*"):
            assert secret not in str(path).lower()
            if path.is_file():
                assert secret.encode() not in path.read_bytes().lower(), path
