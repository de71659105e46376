"""The skill that comes with the program: when it is used, and what it tells an agent to run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from recollect.context.pointers import shipped
from recollect.interfaces.cli.main import GROUPS

COMMANDS = {name for rows in GROUPS.values() for name, _, _ in rows}
PHRASES = {
    "en": "save this conversation|remember this discussion|store the context|save memory|find previous discussion about",
    "zh": "保存记忆|记住这次对话|存一下|保存对话|保存上下文|找找之前的讨论",
}


@pytest.mark.parametrize("lang", PHRASES)
def test_it_is_used_at_the_words_of_the_seeds(lang: str) -> None:
    description = shipped(lang).partition("description:")[2].partition("\n---")[0].lower()
    assert [said for said in PHRASES[lang].split("|") if said not in description] == []


@pytest.mark.parametrize("lang", PHRASES)
def test_every_command_that_it_names_is_there(lang: str) -> None:
    named = set(re.findall(r"\brecollect ([a-z-]+)", shipped(lang)))
    assert named - COMMANDS == set()
    assert {"save", "search", "show", "edit", "supersede", "conflicts"} <= named
    assert "undo" not in named  # what an agent takes back is its own session's only


@pytest.mark.parametrize(
    ("lang", "words"),
    [
        ("en", "decided, corrected or turned down|0 to 5|none is a good answer|what was done"),
        ("zh", "决定、更正和否决|零到五条|没有也可以|做了什么"),
    ],
)
def test_skill_and_slash_command_say_what_is_worth_saving(lang: str, words: str) -> None:
    command = Path(__file__).parents[2] / "plugin" / "recollect" / "commands" / "save.md"
    for text in (shipped(lang), command.read_text("utf-8")):
        assert [one for one in words.split("|") if one not in " ".join(text.split())] == []
