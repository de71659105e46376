"""What is private or secret in a title, a tag or a name reaches no disk: no file, no path."""

from __future__ import annotations

import pytest

from .running import Person

KEY = "ghp_" + "a1B2c3D4" * 5


@pytest.mark.sampled(5)
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


def test_a_save_says_how_many_secrets_were_taken_out(person: Person) -> None:
    text = f"The token is {KEY}, once more {KEY}, and the password: hunter2Hunter3"
    assert (
        "secrets taken out of the text: 2" in person.ok("save", "Deploy token", "--body", text).out
    )
    assert person.ok("save", "Deploy key", "--body", text, "--json").json["secrets"] == 2
    plain = person.ok("save", "Deploy by hand", "--body", "[redacted:github:ab12]", "--json").json
    assert "secrets" not in plain
