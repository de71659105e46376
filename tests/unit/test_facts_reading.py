"""Session files read whole: what is found in them, and what is told of the rest (K4-K6, K8)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.model import facts
from recollect.model.facts import Fact, UnparsedLines, fact_lines, read_facts

from .build import any_text, each_share, is_quick
from .test_facts import any_fact

SESSION = """\
# Session 2026-01-11_1430

## Summary
We spoke of ## Decisions and of issues: open

## Decisions
- [architecture|technology] Use PostgreSQL: we need JSONB
  - files: src/a.ts, src/b.ts
  - concepts: events, storage
* Fetch https://registry.example.org:8080/x at 12:30
- Keep C:\\build\\x: the installer
  wants it there

## Patterns
+ [anti-pattern] Sleep in tests

## Issues
- [bugfix] It leaks: fixed.
- [performance] Slow start
- The queue: drains twice: in progress
"""
FOUND = [
    Fact("decision", "Use PostgreSQL", "we need JSONB", "architecture", files=("src/a.ts", "src/b.ts"), concepts=("events", "storage")),
    Fact("decision", "Fetch https://registry.example.org:8080/x at 12:30"),
    Fact("decision", "Keep C:\\build\\x", "the installer wants it there"),
    Fact("pattern", "Sleep in tests", category="anti-pattern"),
    Fact("issue", "It leaks", category="bugfix", status="resolved"),
    Fact("issue", "Slow start", category="performance"),
    Fact("issue", "The queue: drains twice"),
]  # fmt: skip


@pytest.mark.parametrize("eol", ["\n", "\r\n", "\r"])
def test_a_session_file_is_read_as_it_was_meant(eol: str) -> None:
    assert read_facts(SESSION.replace("\n", eol)) == (FOUND, [])


@pytest.mark.parametrize(
    "heading",
    [
        "## Decisions", "# decisions", "### Key Decisions:", "## **Decisions**", "## 1. Decisions",
        "## 🔑 Decisions (2)", "## Decisions ##", "## Decisions & Trade-offs", "## Decisions Made",
        "## 决定", "## 一、决定", "## 关键决策（2 条）", "  ## 决策：",
    ],
)  # fmt: skip
def test_headings_are_known_as_people_write_them(heading: str) -> None:
    assert read_facts(f"{heading}\n\n- one\n").facts == [Fact("decision", "one")]


def test_a_list_ends_at_the_next_heading_of_its_level_and_no_earlier() -> None:
    text = "## Issues\n- one\n### Storage\n- two\n## Notes\n- three\n# Patterns\n- four\n"
    assert [f.content for f in read_facts(text).facts] == ["one", "two", "four"]


def test_a_line_in_bold_letters_is_a_heading_below_all_others() -> None:
    text = (
        "**Decisions:**\n- one\n**Notes**\n- no fact\n## Issues\n- two\n**Storage**\n- three\n"
        "- four **Patterns**\n**决定**：\n- five\n"
    )
    found = read_facts(text)
    assert [(f.kind, f.content) for f in found.facts] == [
        ("decision", "one"),
        ("issue", "two"),
        ("issue", "three"),
        ("issue", "four **Patterns**"),
        ("decision", "five"),
    ]
    assert found.unread == []


def test_the_same_heading_may_come_again() -> None:
    text = "## Issues\n- one\n\n## Decisions\n- two\n\n## Issues\n- three\n"
    assert [f.content for f in read_facts(text).facts] == ["one", "two", "three"]


def test_what_stands_in_code_is_no_heading_and_no_fact() -> None:
    text = "## Decisions\n- one\n\n```sh\n## Issues\n- not me\n```\n\n- two\n~~~\n- nor me\n~~~\n"
    found = read_facts(text)
    assert [f.content for f in found.facts] == ["one", "two"]
    assert found.unread == [UnparsedLines(4, 6, "```sh"), UnparsedLines(11, 11, "- nor me")]


@pytest.mark.parametrize("fence", ["```", "~~~~", "```` python", "``` a`b"])
def test_a_fence_that_nothing_ends_hides_nothing(fence: str) -> None:
    text = f"## Decisions\n- one\n{fence}\n- two\n## Issues\n- three\n"
    assert [f.content for f in read_facts(text).facts] == ["one", "two", "three"]


def test_what_could_not_be_read_is_told_with_its_lines() -> None:
    text = (
        "# Log\n\n## Decisions\n\nWe decided a lot.\n\n- one\n- [bugfix]\n| a | b |\n|---|---|\n"
        "| c | d |\n\n---\n\n## Notes\nnot of a list\n"
    )
    found = read_facts(text)
    assert [f.content for f in found.facts] == ["one"]
    assert found.unread == [
        UnparsedLines(5, 5, "We decided a lot."),
        UnparsedLines(8, 9, "- [bugfix]"),
        UnparsedLines(11, 11, "| c | d |"),
    ]


@pytest.mark.parametrize(
    ("lines", "fact"),
    [
        ("- [technology] Use Redis\n  - reason: fast\n  - files: a.py", ("Use Redis", "fast", "technology", ("a.py",))),
        ("- [technology] Use Redis\n  Rationale: fast", ("Use Redis", "fast", "technology", ())),
        ("- Use Redis\n  - **Why**: fast\n  - **Files**: `a.py`, `b`", ("Use Redis", "fast", "other", ("a.py", "b"))),
        ("- Use Redis: fast\n  - Alternatives: none were near", ("Use Redis", "fast Alternatives: none were near", "other", ())),
        ("- Use Redis\n  - It is fast\n    - and here", ("Use Redis", "It is fast and here", "other", ())),
        ("- Use Redis\n  - files:\n    - a.py\n    - b.py\n  - why: fast", ("Use Redis", "fast", "other", ("a.py", "b.py"))),
        ("-[technology] Use Redis: fast", ("Use Redis", "fast", "technology", ())),
        ("-Use Redis: fast", ("Use Redis", "fast", "other", ())),
        ("- **[technology]** Use Redis: fast", ("Use Redis", "fast", "technology", ())),
        ("- [technology]: Use Redis: fast", ("Use Redis", "fast", "technology", ())),
        ("- 使用 Redis\n  - 原因：快\n  - 文件：a.py、b.py", ("使用 Redis", "快", "other", ("a.py", "b.py"))),
        ("- Run it with\n  -v and\n  --all: quick", ("Run it with -v and --all", "quick", "other", ())),
    ],
)  # fmt: skip
def test_what_stands_below_a_decision_belongs_to_it(
    lines: str, fact: tuple[str, str, str, tuple[str, ...]]
) -> None:
    (found,) = read_facts(f"## Decisions\n{lines}\n").facts
    assert (found.content, found.detail, found.category, found.files) == fact


@pytest.mark.parametrize(
    ("line", "content", "status"),
    [
        ("- [bugfix] It leaks\n  - status: resolved", "It leaks", "resolved"),
        ("- [bugfix] It leaks\n  status: fixed", "It leaks", "resolved"),
        ("- [bugfix] It leaks: open\n  - status: fixed", "It leaks", "resolved"),
        ("- [bugfix] It leaks: resolved\n  - on Monday", "It leaks on Monday", "resolved"),
        ("- [bugfix] It leaks — resolved", "It leaks", "resolved"),
        ("- [bugfix, resolved] It leaks", "It leaks", "resolved"),
        ("- [resolved] It leaks", "It leaks", "resolved"),
        ("- [open] It leaks", "It leaks", "open"),
        ("- [bugfix|resolved|open] It leaks", "It leaks", "open"),
        ("- 泄漏\n  - 状态：已修复", "泄漏", "resolved"),
        ("- Doors - open and shut", "Doors - open and shut", "open"),
    ],
)
def test_an_issue_may_say_its_status_in_other_places(line: str, content: str, status: str) -> None:
    (found,) = read_facts(f"## Issues\n{line}\n").facts
    assert (found.content, found.status) == (content, status)


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("Decisions\n---------\n- a\n\nNotes\n-----\n- b", ["decision"]),
        ("Issues\n======\n- a", ["issue"]),
        ("Decisions:\n- a\n\nPatterns：\n- b", ["decision", "pattern"]),
        ("\ufeff## Decisions\n- a", ["decision"]),
        ("## Architecture Decisions\n- a\n## Open Issues\n- b", ["decision", "issue"]),
        ("## Key Technical Decisions Made\n- a\n## Issues Found\n- b", ["decision", "issue"]),
        (
            "## 架构决策\n- a\n## 待解决的问题\n- b\n## 代码规范\n- c",
            ["decision", "issue", "pattern"],
        ),
        ("## Open\n- a\n## Decision log of Ann\n- b\nIssues and more:\n- c", []),
    ],
)
def test_headings_of_other_forms_are_known(text: str, kinds: list[str]) -> None:
    assert [fact.kind for fact in read_facts(text).facts] == kinds


def test_issues_below_a_heading_that_says_so_are_resolved() -> None:
    text = "## Resolved Issues\n- a\n- b: open\n## 已解决的问题\n- c\n## Issues\n- d\n"
    assert [(f.content, f.status) for f in read_facts(text).facts] == [
        ("a", "resolved"), ("b", "open"), ("c", "resolved"), ("d", "open"),
    ]  # fmt: skip


def test_a_fact_is_tidied_for_a_memory_of_its_own() -> None:
    text = "## Decisions\n- **Use Redis**: fast\n  - files: None\n  - concepts: cache, n/a\n"
    (fact,) = map(facts.tidied, read_facts(text).facts)
    assert (fact.content, fact.files, fact.concepts) == ("Use Redis", (), ("cache",))
    assert facts.tidied(Fact("decision", "**a** or **b**")).content == "**a** or **b**"


@pytest.mark.parametrize(
    "item",
    ["None", "none.", "N/A", "(none)", "*Nothing*", "无", "暂无。", "[private]", "...", "-", "TBD"],
)
def test_a_list_of_nothing_lists_nothing(item: str) -> None:
    for kind in ("Decisions", "Patterns", "Issues"):
        assert read_facts(f"## {kind}\n- {item}\n- [other] {item}\n") == ([], [])


def test_the_form_that_an_agent_left_as_it_was_lists_nothing() -> None:
    text = (
        "## Decisions\n- [architecture|technology|approach] Decision content: Reason why\n"
        "## Patterns\n- [convention|best-practice|anti-pattern] Pattern description\n"
        "## Issues\n- [bugfix|performance|security|feature] Issue description: open|resolved\n"
    )
    assert read_facts(text) == ([], [])


@pytest.mark.parametrize(
    ("line", "content", "status"),
    [
        ("- It leaks: resolved (in 1.2)", "It leaks (in 1.2)", "resolved"),
        ("- It leaks: fixed - new pool", "It leaks - new pool", "resolved"),
        ("- It leaks: resolved, see #12", "It leaks , see #12", "resolved"),
        ("- It leaks (resolved)", "It leaks", "resolved"),
        ("- It leaks [fixed].", "It leaks", "resolved"),
        ("- 内存泄漏（已解决）", "内存泄漏", "resolved"),
        ("- It leaks: won't fix", "It leaks", "resolved"),
        ("- It leaks: **resolved**", "It leaks", "resolved"),
        ("- It leaks: not fixed", "It leaks", "open"),
        ("- It says: open the door", "It says: open the door", "open"),
        ("- It leaks (see below)", "It leaks (see below)", "open"),
        ("- It leaks: resolvedness", "It leaks: resolvedness", "open"),
    ],
)
def test_a_status_may_have_a_remark_or_stand_in_brackets(
    line: str, content: str, status: str
) -> None:
    assert read_facts(f"## Issues\n{line}\n").facts == [Fact("issue", content, status=status)]


def test_comments_are_for_programs() -> None:
    text = "## Issues\n<!-- source: observed -->\n- one\n\n<!-- session: x -->\n"
    assert read_facts(text) == ([Fact("issue", "one")], [])


@given(st.lists(any_fact, max_size=6))
def test_facts_that_were_written_under_their_headings_read_back_the_same(said: list[Fact]) -> None:
    lines = [
        line
        for kind, names in facts.HEADINGS.items()
        for line in (
            f"## {names[0]}",
            *(row for f in said if f.kind == kind for row in fact_lines(f)),
        )
    ]
    meant = [f for kind in facts.HEADINGS for f in said if f.kind == kind]
    found = read_facts("\n".join(lines))
    told = [f for f in meant if not facts.is_nothing(f.content)]
    if not any(line.lstrip(" -").startswith(("```", "~~~", "<!--")) for line in lines):
        assert found.facts == told


@given(
    any_text
    | st.lists(any_text | st.sampled_from(["## Decisions", "- a: b", "```"])).map("\n".join)
)
def test_any_text_is_read_and_every_line_told_of_is_in_it(text: str) -> None:
    found = read_facts(text)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for one in found.unread:
        assert 1 <= one.line <= one.last <= len(lines)
        assert one.text == lines[one.line - 1].strip()


@pytest.mark.sampled(5)
@each_share
@pytest.mark.parametrize(
    "unit",
    ["- \n", "```x\n", "~~~\n```\n", "## Decisions\n", "<!-- ", "- a: x ( ", "- x (", "#", " ", "[", "- [a] b: open ,"],
)  # fmt: skip
def test_long_texts_are_soon_read(unit: str, share: float) -> None:
    for head in ("## Issues\n- ", "## Decisions\n"):
        text = head + unit * int(200_000 * share / len(unit))
        assert is_quick(lambda text=text: read_facts(text), seconds=3 * share)  # type: ignore[misc]
