"""Facts: written and read back; the tolerance that the reader of seed 003 lacked (K4-K6, K8)."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recollect.model import facts
from recollect.model.document import sections_of
from recollect.model.facts import Fact, facts_of
from recollect.model.memory import CATEGORIES

from .build import NASTY, any_text, each_share, is_quick

_said = st.lists(
    any_text | st.sampled_from(
        ["Use", "https://x.org:80/a", "C:\\x\\", "at 12:30", "`a: b`", "`", "a:", "：", ": ", "\\", "\\: ",
         "\\\\：", "[x]", "[a](b)", "- b", "1. c", "files: d", "决定：用", "resolved", ": open", "## H", "<!--"]
    ),
    min_size=1, max_size=5,
).map(lambda parts: " ".join(" ".join(parts).split()))  # fmt: skip
_name = st.text(st.characters(categories=["L", "N"]), min_size=1) | st.sampled_from(
    ["src/a.py", "C:\\x", "a: b"]
)
_names = st.lists(_name, max_size=3).map(tuple)


def fact_of(kind: str) -> st.SearchStrategy[Fact]:
    return st.builds(
        Fact,
        kind=st.just(kind),
        content=_said.filter(bool),
        detail=_said if kind == "decision" else st.just(""),
        category=st.sampled_from(CATEGORIES[kind]),
        status=st.sampled_from(["open", "resolved"]) if kind == "issue" else st.just("open"),
        files=_names,
        concepts=_names,
        source=st.sampled_from(["", "instructed", "inferred"]),
        said=st.sampled_from(["", "2026-01-11T14:30:00Z"]),
    )


any_fact = st.sampled_from(list(CATEGORIES)).flatmap(fact_of)


@given(st.sampled_from(list(CATEGORIES)).flatmap(lambda kind: st.lists(fact_of(kind), max_size=4)))
@example([Fact("decision", "Use C:\\", "because: it is there")])
@example([Fact("decision", "a ` b", "c ` d: e")])
@example([Fact("decision", "a\\: b")])
@example([Fact("issue", "it says: resolved", status="open")])
@example([Fact("pattern", "always: `a")])
def test_facts_that_were_written_read_back_the_same(written: list[Fact]) -> None:
    lines = [line for fact in written for line in facts.fact_lines(fact)]
    for text in ("\n".join(lines), "\r\n".join(lines), "\n\n".join(lines)):
        assert facts_of(written[0].kind if written else "issue", text) == written


@given(any_fact)
def test_a_fact_is_written_in_lines_that_start_nothing_else(fact: Fact) -> None:
    first, *details = facts.fact_lines(fact)
    assert first.startswith(f"- [{fact.category}] ")
    begin = tuple(f"  - {name}: " for name in ("source", "said", "files", "concepts"))
    assert all(line.startswith(begin) for line in details)
    assert not any("\n" in line or "\r" in line for line in (first, *details))


@given(st.sampled_from(list(CATEGORIES)), any_text | st.lists(any_text).map("\n- ".join))
def test_any_text_lists_some_facts(kind: str, text: str) -> None:
    for fact in facts_of(kind, text):
        assert fact.content
        assert fact.category in CATEGORIES[kind]
        assert fact.status in ("open", "resolved")


@pytest.mark.parametrize(
    ("line", "content", "detail", "category"),
    [
        ("- [technology] Use Redis: it is fast", "Use Redis", "it is fast", "technology"),
        ("- Use Redis: it is fast", "Use Redis", "it is fast", "other"),
        ("- [technology] Use Redis", "Use Redis", "", "technology"),
        ("* [architecture|technology] Use Redis: fast", "Use Redis", "fast", "architecture"),
        ("+ [Approach] Use Redis：很快", "Use Redis", "很快", "approach"),
        ("  - [a-b-c] Use Redis: fast", "Use Redis", "fast", "other"),
        ("• [架构] 用 Redis：很快", "用 Redis", "很快", "architecture"),
        ("1. Use Redis: fast", "Use Redis", "fast", "other"),
        ("2) [technology] Use Redis", "Use Redis", "", "technology"),
        ("3、使用 Redis：很快", "使用 Redis", "很快", "other"),
        (
            "- Use https://x.org:8080/a: it is there",
            "Use https://x.org:8080/a",
            "it is there",
            "other",
        ),
        (
            "- Deploy at 12:30 to C:\\x: quiet then",
            "Deploy at 12:30 to C:\\x",
            "quiet then",
            "other",
        ),
        ("- Call `f(a: b)`: it is typed", "Call `f(a: b)`", "it is typed", "other"),
        ("- [Use Redis](https://x.org): fast", "[Use Redis](https://x.org)", "fast", "other"),
        ("- [Redis or not] we take it: fast", "[Redis or not] we take it", "fast", "other"),
        ("- Note\\: this is text: reason", "Note: this is text", "reason", "other"),
        ("- [ ] [technology] Use Redis", "Use Redis", "", "technology"),
        ("- Use ## Decisions as heading: yes", "Use ## Decisions as heading", "yes", "other"),
        ("-   spaced   : out", "spaced", "out", "other"),
    ],
)
def test_decisions_are_read_as_people_write_them(
    line: str, content: str, detail: str, category: str
) -> None:
    assert facts_of("decision", line) == [Fact("decision", content, detail, category)]


@pytest.mark.parametrize(
    ("line", "content", "status", "category"),
    [
        ("- [bugfix] It leaks: resolved", "It leaks", "resolved", "bugfix"),
        ("- [bugfix] It leaks: Fixed.", "It leaks", "resolved", "bugfix"),
        ("- [performance] It leaks: open", "It leaks", "open", "performance"),
        ("- It leaks", "It leaks", "open", "other"),
        ("- It says: no such file: done", "It says: no such file", "resolved", "other"),
        ("- It says: no such file", "It says: no such file", "open", "other"),
        ("- [缺陷] 内存泄漏：已解决", "内存泄漏", "resolved", "bugfix"),
        ("- 内存泄漏：进行中。", "内存泄漏", "open", "other"),
        ("- [x] It leaks", "It leaks", "resolved", "other"),
        ("- [x] It leaks: open", "It leaks", "open", "other"),
        ("- [ ] It leaks", "It leaks", "open", "other"),
        ("- see `a: resolved`", "see `a: resolved`", "open", "other"),
        ("- https://x.org/: open", "https://x.org/", "open", "other"),
    ],
)
def test_issues_are_open_until_they_say_otherwise(
    line: str, content: str, status: str, category: str
) -> None:
    assert facts_of("issue", line) == [Fact("issue", content, "", category, status)]


@pytest.mark.parametrize(
    "word", "resolved fixed closed done solved 已解决 已修复 完成 已关闭".split()
)
def test_many_words_mean_resolved(word: str) -> None:
    assert facts_of("issue", f"- It leaks: {word}")[0].status == "resolved"


@pytest.mark.parametrize(
    "word", "open pending unresolved todo wip 未解决 待解决 进行中 打开".split()
)
def test_many_words_mean_open(word: str) -> None:
    assert facts_of("issue", f"- It leaks: {word}") == [Fact("issue", "It leaks")]


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        ("- one\n  goes on\n- two", ["one goes on", "two"]),
        ("- one\ngoes on\n\nProse, not of the list.\n- two", ["one goes on", "two"]),
        ("- one\n\n  a paragraph of it\n- two", ["one a paragraph of it", "two"]),
        ("- one\n  - nested\n    - deeper\n- two", ["one nested deeper", "two"]),
        ("  * one\n  * two\n* three", ["one", "two", "three"]),
        ("- one\n### Heading\n| a | b |\n```\n- two", ["one", "two"]),
        ("- one\n---\nAfter a line.\n", ["one"]),
        ("Prose first.\n\n- one", ["one"]),
        ("- takes\n  1.5 seconds\n", ["takes 1.5 seconds"]),
        ("-\n- \n-1\n- [bugfix]\n", []),
        ("-x\n-[convention] y\n", ["x", "y"]),
        ("- \t tab\n-\ttab", ["tab", "tab"]),
    ],
)
def test_items_are_found_with_all_their_lines(text: str, contents: list[str]) -> None:
    for eol in ("\n", "\r\n"):
        assert [fact.content for fact in facts_of("pattern", text.replace("\n", eol))] == contents


def test_a_reason_may_stand_on_the_next_line() -> None:
    text = "- [technology] Use PostgreSQL for\n  events: it has\n  JSONB\n"
    assert facts_of("decision", text) == [
        Fact("decision", "Use PostgreSQL for events", "it has JSONB", "technology")
    ]


def test_details_below_an_item_are_its_own() -> None:
    text = (
        "- first\n  - files: `a.py`, b.py，c.py、\n  - Concepts: x,\n    y\n  - 来源: instructed\n"
        "- second\n- 文件：d.py\n- source: maps are off\n"
    )
    assert facts_of("pattern", text) == [
        Fact(
            "pattern",
            "first",
            files=("a.py", "b.py", "c.py"),
            concepts=("x", "y"),
            source="instructed",
        ),
        Fact("pattern", "second", files=("d.py",)),
        Fact("pattern", "source: maps are off"),
    ]


@pytest.mark.parametrize("title", [name for names in facts.HEADINGS.values() for name in names])
def test_headings_of_both_languages_are_known(title: str) -> None:
    body = f"Mention of ## {title} before.\n\n## {title.upper()}：\n\n- [other] one\n"
    section = sections_of(body)[-1]
    kind = facts.section_kind(section.heading)
    assert [fact.content for fact in facts_of(kind, section.text)] == ["one"]


@pytest.mark.parametrize("title", ["Summary", "Decisive", "TODOs", "", "决定权"])
def test_other_headings_list_no_facts(title: str) -> None:
    assert facts.section_kind(title) == ""


def test_each_fact_is_kept_once_and_a_reason_is_never_lost() -> None:
    one, two = Fact("decision", "Use Redis!"), Fact("decision", "use  redis", "fast")
    other = Fact("decision", "🎉")
    assert facts.without_repeats([one, two, other]) == [two, other]
    assert facts.without_repeats([two, one]) == [two]
    assert facts.without_repeats([Fact("pattern", "🎉"), Fact("pattern", "!!")]) != [
        Fact("pattern", "🎉")
    ]


@given(any_text)
def test_the_same_words_are_the_same_whatever_their_case_and_spacing(text: str) -> None:
    assert facts.same_words(text) == facts.same_words(f"  {text}\n")
    assert bool(facts.same_words(text)) == bool(text.split())


@each_share
@pytest.mark.parametrize(
    "unit", ["- ", " ", "-" + " " * 5_000, "- a: ", "\\", "`", "- [", "1", ": ", "- x\n"]
)
def test_long_lines_are_soon_read(unit: str, share: float) -> None:
    many = int(100_000 * share / len(unit))
    for kind in CATEGORIES:
        text = "- a" + unit * many
        assert is_quick(lambda kind=kind, text=text: facts_of(kind, text), seconds=3 * share)  # type: ignore[misc]
    assert is_quick(lambda: facts.fact_lines(Fact("decision", unit * many, "x")), seconds=3 * share)


@pytest.mark.parametrize("text", NASTY)
def test_nasty_text_is_kept(text: str) -> None:
    if text.strip():
        fact = Fact("decision", " ".join(text.split()), " ".join(text.split()), "approach")
        assert facts_of("decision", "\n".join(facts.fact_lines(fact))) == [fact]
