"""The bugs of the first seed's programs (C1-C14), where commands meet them: none happens here.

C7, C8, C9 and C12 have their tests beside the archive (`tests/services/test_archiving.py`), C4 and
C13 also beside the reader of headers (`tests/unit/test_legacy.py`), C14 in `test_levels.py`.
"""

from __future__ import annotations

import json
import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.cli.running import Person

CHINESE = re.compile(r"[\u4e00-\u9fff]")


def conversation(person: Person, title: str, *words: str, body: str = "", tags: str = "a,b") -> str:
    (person.project / "talk.md").write_text("### User [14:30:22]\n\nHello there.\n", "utf-8")
    done = person.ok(
        "save",
        title,
        "-",
        "--conversation",
        "talk.md",
        "--tags",
        tags,
        *words,
        "--json",
        stdin=body,
    )
    name = done.json["id"]
    assert isinstance(name, str)
    return name


def found(person: Person, *words: str) -> list[str]:
    return [hit["id"] for hit in person.ok("search", *words, "--json").json["hits"]]


def row_of(person: Person, name: str) -> list[str]:
    page = (person.store / "MEMORY.md").read_text("utf-8")
    (line,) = (line for line in page.splitlines() if f"[{name}]" in line)
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def test_an_english_store_writes_no_chinese_c1(stranger: Person) -> None:
    stranger.ok("init", "--lang", "en")
    name = conversation(stranger, "Redis pooling", body="## Summary\n\nTen links.")
    for file in (stranger.store / "episodic" / name).iterdir():
        assert not CHINESE.search(file.read_text("utf-8"))
    assert not CHINESE.search((stranger.store / "MEMORY.md").read_text("utf-8"))


def test_the_kind_and_layer_of_a_conversation_may_be_named(stranger: Person) -> None:
    stranger.ok("init")
    name = conversation(stranger, "Redis pooling", "--kind", "conversation", "--layer", "episodic")
    assert stranger.ok("show", name, "--level", "3", "--json").json["kind"] == "conversation"


def test_a_turn_is_shown_under_the_title_and_the_state_of_its_session(stranger: Person) -> None:
    stranger.ok("init")
    name = conversation(stranger, "Redis pooling", body="## Summary\n\nTen links.")
    shown = stranger.ok("search", "hello there").out.splitlines()
    assert shown[0] == "Redis pooling"
    status = stranger.ok("show", name, "--json").json["status"]
    assert f" {name}#turn-1 · conversation · " in shown[2]
    assert f" · {status} · " in shown[2]
    assert (
        stranger.ok("search", "hello there", "--json").json["hits"][0]["title"] == "Redis pooling"
    )


@pytest.mark.parametrize(
    ("title", "tags", "body", "asked"),
    [
        ("Redis pooling", "cache,pool", "## Summary\n\nTen links to the cellar.", "redis"),
        ("Redis pooling", "cache,pool", "## Summary\n\nTen links to the cellar.", "POOL"),
        ("Redis pooling", "cache,pool", "## Key Decisions\n\n1. Ten links.", "links ten"),  # C3
        ("连接池", "缓存，数据库", "## 关键决策\n\n1. 使用十个连接。", "数据库"),
        ("连接池", "缓存，数据库", "## 关键决策\n\n1. 使用十个连接。", "十个连接"),  # C3
        ("连接池 pooling", "缓存,cache", "## 摘要\n\nTen 个连接。", "cache 连接"),
        ("ＲＥＤＩＳ 池", "缓存", "", "redis"),
    ],
)
def test_topic_keywords_and_text_are_found_in_every_language_c2_c3(
    person: Person, title: str, tags: str, body: str, asked: str
) -> None:
    name = conversation(person, title, body=body, tags=tags)
    assert found(person, asked) == [name]
    assert title in person.ok("list").out


GLAZING = (
    "# Conversation Memory: Glazing\n\n## Metadata\n\n- **Keywords**: useMemo, kiln\n\n## Topic Summary\n\n"
    "Saucers crack because the kiln cools too fast.\n\n## Important Conclusions\n\n- Blue glaze needs two coats\n"
)
POOL = "# 对话记忆：连接池\n\n## 元信息\n\n- **关键词**：数据库，连接池\n\n## 主题摘要\n\n讨论了茶叶订单的连接池大小。\n"


@pytest.mark.parametrize(
    ("prompt", "told"),
    [
        ("Why do saucers crack in the kiln?", "cools too fast"),
        ("What needs two coats of glaze?", "two coats"),
        ("What about useMemo and saucers?", "cools too fast"),  # by a keyword
        ("茶叶订单的连接池多大？", "连接池大小"),
        ("Paint the saucers", ""),
        ("commit this", ""),
        ("What is a teapot?", ""),
    ],
)
def test_a_saved_conversation_answers_a_question_about_it(
    person: Person, prompt: str, told: str
) -> None:
    person.write("episodic/mem-20260111-143000/summary.md", GLAZING)
    person.write("episodic/mem-20260112-143000/summary.md", POOL)
    said = person.ok("recall", prompt).out
    assert told in said if told else said.startswith("Nothing relevant")


def test_an_empty_line_of_keywords_takes_nothing_from_the_next_c4(person: Person) -> None:
    person.ok("init", "--skill")
    text = "# Conversation Memory: Redis\n\n- **Keywords**: \n\n## Topic Summary\n\nTen links.\n"
    person.write("episodic/mem-20260111-143000/summary.md", text)
    entry = person.ok("show", "mem-20260111-143000", "--json").json
    assert (entry["title"], entry["tags"]) == ("Redis", [])
    person.ok("rebuild-index")
    skill = person.project / ".claude/skills/recollect/SKILL.md"
    assert "Active memory keywords: (no active memories)" in skill.read_text("utf-8")


def test_a_keyword_is_never_a_pattern_and_the_skill_does_not_grow_c5(person: Person) -> None:
    person.ok("init", "--skill")
    skill = person.project / ".claude/skills/recollect/SKILL.md"
    sizes = []
    for n in range(3):
        name = conversation(person, f"Talk {n}", tags="$',$&,$`,\\1,redis")
        sizes.append(len(skill.read_bytes()))
        assert person.ok("show", name, "--json").json["tags"] == ["$'", "$&", "$`", "\\1", "redis"]
    assert len(set(sizes)) == 1
    assert "$'" in (person.store / ".index.json").read_text("utf-8")


def test_a_bar_in_a_topic_and_long_keywords_stay_whole_in_the_table_c6(person: Person) -> None:
    tags = "connection-pooling,prepared-statements,transaction-isolation"
    name = conversation(person, "A | B | C", tags=tags)
    cells = row_of(person, name)
    assert len(cells) == 5
    assert cells[1] == r"A \| B \| C"
    assert cells[3] == tags.replace(",", ", ")


@pytest.mark.slow
def test_saving_at_the_same_moment_gives_every_memory_an_id_c10_c11(person: Person) -> None:
    for n in range(8):
        (person.project / f"talk{n}.md").write_text(f"### User [14:30:22]\n\nHello {n}.\n")
    with ThreadPoolExecutor(4) as pool:
        words = ("save", "The same talk", "--tags", "a,b", "--json", "--conversation")
        runs = list(pool.map(lambda n: person.process(*words, f"talk{n}.md"), range(8)))
    assert [ran.returncode for ran in runs] == [0] * 8, [ran.stderr for ran in runs]
    names = {json.loads(ran.stdout)["id"] for ran in runs}
    assert len(names) == 8
    assert set(found(person, "same talk")) == names
    assert all(row_of(person, name)[1] == "The same talk" for name in names)


@pytest.mark.parametrize(
    ("head", "title", "tags"),
    [
        ("# Conversation Memory：C\n\n- **Keywords:** a、b\n", "C", ["a", "b"]),
        ("# 对话记忆: C\n\n- **关键词：** a，b\n", "C", ["a", "b"]),
        ("# 对话记忆：C\r\n\r\n- **关键词**: a, b\r\n", "C", ["a", "b"]),
    ],
)
def test_headers_of_any_width_are_read_c13(
    person: Person, head: str, title: str, tags: list[str]
) -> None:
    person.write("episodic/mem-20260111-143000/summary.md", f"{head}\nTen links.\n")
    entry = person.ok("show", "mem-20260111-143000", "--json").json
    assert (entry["title"], entry["tags"]) == (title, tags)


def test_what_the_skill_tells_an_agent_to_run_works(person: Person) -> None:
    """The whole conversation, with both templates filled, as the skill says."""
    (person.project / "talk.md").write_text("### User [14:30:22]\n\nWhich store?\n\n---\n")
    body = "## Summary\n\nWe chose.\n\n## Key Decisions\n\n1. Redis.\n\n## TODOs\n\n- [ ] Try it.\n"
    done = person.ok(
        *("save", "Topic", "-", "--conversation", "talk.md", "--tags", "redis,cache"), stdin=body
    )
    assert "Saved" in done.out
    (summary,) = person.store.glob("episodic/*/summary.md")
    assert summary.read_text("utf-8").endswith(f"# Topic\n\n{body}")
    assert (summary.parent / "conversation.md").read_text("utf-8").startswith("### User [14:30:22]")
