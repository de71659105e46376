"""What is made of suggestions: the report, the draft of a skill, what a person decided."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.build import any_text, entry, is_quick

from recollect.context.pointers import harmless
from recollect.features import skill_detectors, skills
from recollect.features.skill_candidates import (
    DecidedSuggestion,
    settled_in,
    settled_of,
    with_settled,
    without_settled,
)
from recollect.features.skill_detectors import Evidence, SkillInput, Suggestion
from recollect.features.skills import draft_of

NOW = "2026-01-11T14:30:00Z"
TYPES = ("procedure", "decision_framework", "problem_solution", "security")


def suggestion(
    *texts: str, kind: str = "procedure", trust: str = "user", title: str = ""
) -> Suggestion:
    evidence = tuple(
        Evidence(
            SkillInput(f"m{n}", text, "session", f"2026-01-{n:02}", files=("a.py",)),
            text,
            text,
            trust,
        )
        for n, text in enumerate(texts, 1)
    )
    return Suggestion(
        "deploy-app", kind, title or texts[0], "medium", len(texts), evidence, ("app",), ("deploy",)
    )


def parts(text: str) -> tuple[dict[str, str], str]:
    import yaml

    _, head, body = text.split("---\n", 2)
    return yaml.safe_load(head), body


@pytest.mark.parametrize("kind", TYPES)
def test_a_draft_says_when_to_use_it_and_what_it_comes_from(kind: str) -> None:
    head, body = parts(draft_of(suggestion("Deploy app", "Deploy it", kind=kind), "x", "en", NOW))
    assert head["name"] == "x"
    assert head["description"].startswith("Deploy app. Use when")
    assert "## Evidence" in body
    assert "- m1 · 2026-01-01 · Deploy app" in body
    assert "2 times between 2026-01-01 and 2026-01-02" in body


def test_a_draft_is_in_the_language_of_the_store() -> None:
    text = draft_of(suggestion("部署测试环境"), "bu-shu", "zh", NOW)
    assert "## 依据" in text
    assert "遇到类似以下的任务时使用：部署测试环境" in parts(text)[0]["description"]


def test_what_tools_and_pages_said_is_in_no_draft_and_in_no_report() -> None:
    mine, theirs = suggestion("Deploy app"), suggestion("Deploy EVIL", trust="external")
    both = mine._replace(evidence=mine.evidence + theirs.evidence)
    page = skills.candidates_page([both], "en")
    assert "EVIL" not in draft_of(both, "x", "en", NOW) + page
    assert "More that come from tools or from outside and are not quoted: 1\n" in draft_of(
        both, "x", "en", NOW
    )
    assert "m1 · 2026-01-01: Deploy app" in page


@pytest.mark.parametrize(
    "text",
    [
        "!`rm -rf ~`",
        "`!`ls``",
        "$ARGUMENTS and $1",
        "@~/.ssh/id_rsa",
        "<script>x</script>",
        "# Heading",
        "---",
        "a\n## b",
        "<!-- c -->",
        "a \U000e0041\u202e b",
    ],
)
def test_no_line_of_a_memory_is_more_than_text_in_a_skill(text: str) -> None:
    line = harmless(text)
    assert not set(line) & set("`$@<>\n\u202e\U000e0041")
    assert not line.startswith("# ")
    draft = draft_of(suggestion(text, text, title=text), "x", "en", NOW)
    assert "!`" not in draft
    assert "$" not in draft
    assert draft.count("\n# ") == 1


@given(
    st.lists(any_text, min_size=1, max_size=4),
    st.sampled_from(TYPES),
    st.sampled_from(["en", "zh"]),
)
def test_a_draft_is_valid_whatever_the_memories_say(texts: list[str], kind: str, lang: str) -> None:
    text = draft_of(suggestion(*texts, kind=kind), "x", lang, NOW)
    head, _ = parts(text)
    assert list(head) == ["name", "description"]
    description = head["description"]
    assert isinstance(description, str)
    assert 0 < len(description) <= 1024
    assert not set(description) & set("<>\n")


@given(st.lists(any_text, min_size=1, max_size=4), st.sampled_from(["en", "zh"]))
def test_a_line_of_the_report_stays_a_line(texts: list[str], lang: str) -> None:
    page = skills.candidates_page([suggestion(*texts)], lang)
    plain = skills.candidates_page([suggestion(*("x" for _ in texts))], lang)
    assert len(page.split("\n")) == len(plain.split("\n"))
    json.loads(skills.candidates_json([suggestion(*texts)], NOW))


def test_the_report_has_the_headings_of_the_seed_and_the_flags_its_shape() -> None:
    one = suggestion("Deploy app", "Deploy it")
    page = skills.candidates_page([one], "en")
    for said in (
        "## Medium Confidence",
        "**Suggested Skill Name**: deploy-app",
        "**Occurrences**: 2",
    ):
        assert said in page
    assert skills.flags_of([one])["m1"] == {
        "flagged": True,
        "candidate_name": "deploy-app",
        "confidence": "medium",
        "related_memories": ["m2"],
    }
    assert "尚无" in skills.candidates_page([], "zh")


@pytest.mark.slow
def test_a_suggestion_of_thousands_of_memories_is_written_soon() -> None:
    one = suggestion(*("Deploy app" for _ in range(20_000)))
    assert is_quick(lambda: skills.candidates_json([one], NOW))
    assert is_quick(lambda: skills.candidates_page([one], "en"))


# -------------------------------------------------------------------------------------- settled


def settled(decision: str = "dismissed") -> DecidedSuggestion:
    return settled_of(suggestion("Deploy app", "Deploy it", "Deploy now"), decision, NOW)


def test_a_decision_is_known_again_when_the_suggestion_has_grown_or_changed_its_name() -> None:
    grown = suggestion("Deploy app", "Deploy it", "Deploy now", "Deploy x", "Deploy y")
    assert settled().is_about(grown)
    assert settled().is_about(grown._replace(name="deploy-x", words=()))
    apart = suggestion("x")._replace(name="other", evidence=(), words=("deploy",))
    assert settled().is_about(apart)
    assert not settled().is_about(apart._replace(words=("test", "login")))
    assert not settled().is_about(grown._replace(type="problem_solution"))


@given(any_text, any_text)
def test_a_decision_reads_back_and_can_be_taken_back(name: str, title: str) -> None:
    one = settled()._replace(name=name, title=title)
    text = with_settled("", one)
    assert settled_in(text) == [one]
    assert settled_in(with_settled(text, one)) == [one]
    assert settled_in(without_settled(text, name)) == []


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", '{"settled": 3}', '{"settled": [1, {}, {"name": 2}]}', "[" * 99_999],
)
def test_a_damaged_file_is_no_decision_and_takes_a_new_one(text: str) -> None:
    assert settled_in(text) == []
    assert settled_in(with_settled(text, settled())) == [settled()]


def test_what_we_do_not_know_in_the_file_stays() -> None:
    text = with_settled('{"mine": 1, "settled": [{"odd": true}]}', settled())
    assert json.loads(text)["mine"] == 1
    assert {"odd": True} in json.loads(text)["settled"]


# -------------------------------------------------------------------------------------- reading

SESSION = """---
id: s
---
# A session

## Decisions
- [technology] Use Redis: it is fast
  - source: instructed
- [other] Keep the cache small

## Issues
- [bugfix] The port is taken: resolved
- [bugfix] It leaks: open

## Solution: port
**Symptom:** port 5432 refused
**Solution:** `docker compose up`

<!-- source: observed; trust: tool; session: abc -->
"""


def test_a_memory_tells_what_was_decided_and_solved_and_how_far_it_is_trusted() -> None:
    said = skill_detectors.statements_in(SESSION, entry(id="s", kind="session", trust="agent"))
    assert [(s.kind, s.text, s.trust) for s in said] == [
        ("decision", "Use Redis", "user"),
        ("decision", "Keep the cache small", "agent"),
        ("problem", "The port is taken", "agent"),
        ("problem", "port 5432 refused", "tool"),
    ]
    assert (said[3].detail, said[3].session, said[3].anchor) == (
        "`docker compose up`",
        "abc",
        "solution-port",
    )


def test_a_private_part_of_a_memory_tells_nothing() -> None:
    text = "## Decisions\n- Use <private>hunter2</private> Redis\n"
    assert "hunter2" not in repr(skill_detectors.statements_in(text, entry(kind="session")))


def test_a_fact_of_its_own_tells_itself() -> None:
    decided = skill_detectors.skill_input_of(
        entry(kind="decision", title="Use Redis", trust="agent")
    )
    assert [(s.kind, s.text, s.trust) for s in decided.said] == [("decision", "Use Redis", "agent")]
    assert skill_detectors.skill_input_of(entry(kind="issue", status="open")).said == ()
    assert [
        s.kind for s in skill_detectors.skill_input_of(entry(kind="issue", status="resolved")).said
    ] == ["problem"]
