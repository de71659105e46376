"""The levels of disclosure: the keywords that are always loaded, the row, the memory, the conversation."""

from __future__ import annotations

import json
import os
import re
from itertools import pairwise
from pathlib import Path

import pytest
from tests.cli.running import Person

NONE = {"en": "(no active memories)", "zh": "（无活跃记忆）"}


def skill_of(person: Person, name: str = "recollect") -> Path:
    return person.project / ".claude" / "skills" / name / "SKILL.md"


def keywords_of(person: Person, name: str = "recollect") -> str:
    found = re.search(r'(?:keywords: |关键词：)([^"]*)"', skill_of(person, name).read_text("utf-8"))
    assert found
    return found[1]


@pytest.mark.parametrize(("lang", "name"), [("en", "recollect"), ("zh", "recollect-zh")])
def test_the_skill_follows_the_memories_in_the_language_of_the_store(
    stranger: Person, lang: str, name: str
) -> None:
    stranger.ok("init", "--lang", lang, "--skill")
    assert keywords_of(stranger, name) == NONE[lang]
    stranger.ok("save", "Redis pools", "--tags", "redis,池化", "--kind", "fact")
    assert keywords_of(stranger, name) == "redis, 池化"
    stranger.ok("forget", "redis-pools")
    assert keywords_of(stranger, name) == NONE[lang]
    stranger.ok("undo")
    assert keywords_of(stranger, name) == "redis, 池化"


def test_no_skill_is_made_unless_it_is_asked_for(person: Person) -> None:
    person.ok("save", "Redis pools", "--tags", "redis", "--kind", "fact")
    assert not skill_of(person).parent.parent.exists()
    done = person.ok("init", "--skill", "--dry-run", "--json")
    assert done.json["skills"][0]["what"] == "created"
    assert not skill_of(person).parent.parent.exists()


def test_what_an_agent_saves_speaks_once_a_person_approves(person: Person) -> None:
    person.ok("init", "--skill")
    agent = {"CLAUDECODE": "1"}
    person.ok("save", "Redis pools", "--tags", "redis", "--kind", "fact", env=agent)
    assert keywords_of(person) == NONE["en"]
    person.ok("set", "redis-pools", "trust=user")
    assert keywords_of(person) == "redis"


def test_putting_the_skill_there_again_keeps_keywords_and_edits_c14(person: Person) -> None:
    person.ok("save", "Redis pools", "--tags", "redis", "--kind", "fact")
    assert person.ok("init", "--skill", "--json").json["skills"][0]["what"] == "created"
    assert person.ok("init", "--skill", "--json").json["skills"][0]["what"] == "unchanged"
    mine = skill_of(person).read_text("utf-8") + "\nMy own line.\n"
    skill_of(person).write_text(mine, "utf-8")
    done = person.ok("init", "--skill", "--json").json["skills"][0]
    assert done == done | {"what": "unchanged", "keywords": ["redis"], "is_other": True}
    assert skill_of(person).read_text("utf-8") == mine


def test_a_skill_of_that_name_that_is_not_ours_is_not_touched(person: Person) -> None:
    theirs = "---\nname: recollect\ndescription: Theirs.\n---\n"
    skill_of(person).parent.mkdir(parents=True)
    skill_of(person).write_text(theirs)
    assert person.ok("init", "--skill", "--json").json["skills"][0]["what"] == "theirs"
    person.ok("save", "Redis pools", "--tags", "redis", "--kind", "fact")
    assert skill_of(person).read_text() == theirs


def test_a_skill_that_may_not_be_written_stops_no_save(person: Person) -> None:
    person.ok("init", "--skill")
    before = skill_of(person).read_text("utf-8")
    skill_of(person).chmod(0o444)
    person.ok("save", "Redis pools", "--tags", "redis", "--kind", "fact")
    assert skill_of(person).read_text("utf-8") == before
    os.unlink(skill_of(person))
    skill_of(person).mkdir()
    person.ok("save", "Redis again", "--tags", "redis", "--kind", "fact")


def test_each_level_says_no_more_than_it_should(person: Person) -> None:
    log = "# Raw Conversation Log\n\n### User [14:30:22]\n\nThe walrus?\n\n---\n\n### Claude [14:30:25]\n\nYes.\n"
    (person.project / "talk.md").write_text(log)
    words = (
        "--tags",
        "react,hooks",
        "--conversation",
        "talk.md",
        "--body",
        "## Summary\n\nWe met.",
    )
    name = person.ok("save", "React hooks", *words, "--json").json["id"]
    pages = [person.ok("show", name, "--level", str(n)).out for n in range(4)]
    assert [("react, hooks" in page) for page in pages] == [True] * 4
    assert [("episodic · conversation" in page) for page in pages] == [False, True, True, True]
    assert [("Summary" in page) for page in pages] == [False, False, True, True]
    assert [("The walrus?" in page) for page in pages] == [False, False, False, True]
    assert "User [14:30:22]" in pages[3]
    assert "Claude [14:30:25]" in pages[3]
    answers = [person.ok("show", name, "--level", str(n), "--json").json for n in range(4)]
    assert [set(b) - set(a) != set() for a, b in pairwise(answers)] == [True] * 3
    assert answers[3]["conversation"] == log.strip()
    row = next(
        line for line in (person.store / "MEMORY.md").read_text().splitlines() if name in line
    )
    assert (
        row
        == f"| [{name}](episodic/{name}/summary.md) | React hooks | episodic | react, hooks | {name[:10]} |"
    )
    assert json.loads((person.store / ".index.json").read_text())["entries"][0]["id"] == name


def test_a_chinese_conversation_is_disclosed_level_by_level(stranger: Person) -> None:
    stranger.ok("init", "--lang", "zh", "--skill")
    log = "# 原始对话记录\n\n### 用户 [14:30:22]\n\n海象在哪里？\n\n---\n\n### Claude [14:30:25]\n\n在池中。\n"
    (stranger.project / "对话.md").write_text(log, "utf-8")
    body = (
        "## 摘要\n\n连接池大小为十。\n\n## 关键决策\n\n1. 使用 Redis。\n\n## 待办\n\n- [ ] 测试\n"
    )
    done = stranger.ok(
        *(
            "save",
            "连接池讨论",
            "-",
            "--conversation",
            "对话.md",
            "--tags",
            "缓存、连接池，Ｒｅｄｉｓ",
        ),
        "--json",
        stdin=body,
    )
    name = done.json["id"]
    pages = [stranger.ok("show", name, "--level", str(n)).out for n in range(4)]
    assert [("缓存, 连接池, Ｒｅｄｉｓ" in page) for page in pages] == [True] * 4
    assert [("连接池大小为十" in page) for page in pages] == [
        False,
        True,
        True,
        True,
    ]  # its summary
    assert [("使用 Redis" in page) for page in pages] == [False, False, True, True]
    assert [("用户 [14:30:22]" in page) for page in pages] == [False, False, False, True]
    assert keywords_of(stranger, "recollect-zh") == "缓存, 连接池, Redis"
    row = next(
        r for r in (stranger.store / "MEMORY.md").read_text("utf-8").splitlines() if name in r
    )
    assert row.endswith(f"| 连接池讨论 | episodic | 缓存, 连接池, Ｒｅｄｉｓ | {name[:10]} |")


@pytest.mark.sampled(1)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_store_of_two_languages_is_one_store(stranger: Person, lang: str) -> None:
    stranger.ok("init", "--lang", lang)
    stranger.ok("save", "连接池大小为 10", "--kind", "fact", "--tags", "redis，连接池")
    stranger.ok(
        "save", "Pool links are closed after a minute", "--kind", "fact", "--tags", "Redis,timeout"
    )
    stranger.ok("save", "提交前总是运行 linter")
    stranger.ok("save", "Never mock the database")
    rows = stranger.ok("list", "--tags", "redis", "--json").json
    assert sorted(row["tags"] for row in rows) == [["Redis", "timeout"], ["redis", "连接池"]]
    for asked, name in (
        ("连接池", "连接池大小为-10"),
        ("closed links", "pool-links-are-closed-after-a-minute"),
    ):
        assert stranger.ok("search", asked, "--json").json["hits"][0]["id"] == name
    rules = (stranger.store / "procedural" / "feedback.md").read_text("utf-8")
    assert re.findall(r"^## (.+) \^\w+ \[\^\w+\]$", rules, re.M) == [
        "提交前总是运行 linter",
        "Never mock the database",
    ]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "given", ["缓存,连接池", "缓存，连接池", "缓存、连接池", " 缓存 ，、 连接池 "]
)
def test_lists_are_parted_by_any_comma_wherever_they_are_given(person: Person, given: str) -> None:
    person.ok("save", "A", "--kind", "fact", "--tags", given)
    person.ok("save", "B", "--kind", "fact", "--tags", "x")
    person.ok("set", "b", f"tags={given}")
    for name in ("a", "b"):
        assert person.ok("show", name, "--json").json["tags"] == ["缓存", "连接池"]


def test_uninstall_names_the_skills_that_stay(stranger: Person) -> None:
    stranger.ok("init", "--scope", "both", "--client", "claude", "--skill")
    shown = stranger.ok("uninstall").out
    for folder in (stranger.home, stranger.project):
        assert f"The skill remains at {folder}/.claude/skills/recollect/SKILL.md" in shown
