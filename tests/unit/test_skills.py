"""Which memories suggest a skill: work that repeats itself, decisions, problems and solutions."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.build import any_text, is_quick

from recollect.features.skill_detectors import (
    DETECTORS,
    ComparedWords,
    DetectorRules,
    Evidence,
    Group,
    SkillInput,
    SkillStatement,
    Suggestion,
    are_same_work,
    groups_of,
    stems_of,
    tokenized,
    wording,
)
from recollect.features.skills import suggest
from recollect.text.tokens import stem


def stems(words: list[str]) -> Mapping[str, str]:
    return {word: stem(word) for word in words}


RULES = DetectorRules(stems)


def work(*titles: str, **fields: Any) -> list[SkillInput]:
    """Sessions with these titles, one a day."""
    kind = fields.pop("kind", "session")
    return [
        SkillInput(f"m{n}", title, kind, f"2026-01-{n:02}", **fields)
        for n, title in enumerate(titles, 1)
    ]


def telling(
    kind: str, *texts: str, tags: tuple[str, ...] = (), trust: str = "user"
) -> list[SkillInput]:
    """Sessions that say this, each under a title of its own."""
    return [
        SkillInput(
            f"m{n}",
            f"{'abcdefghij'[n] * 5}",
            "session",
            f"2026-01-{n:02}",
            tags=tags,
            said=(SkillStatement(kind, text, "because", trust),),
        )
        for n, text in enumerate(texts, 1)
    ]


def found(matters: list[SkillInput], least: int = 3) -> list[Suggestion]:
    return suggest(matters, DETECTORS, DetectorRules(stems, least))[0]


def words_of(title: str) -> ComparedWords:
    one = tokenized(title)
    return wording(one, stems_of([one], stems))


def test_the_same_work_three_times_is_a_procedure() -> None:
    [one] = found(
        work("Deploy orders to staging", "Deploy billing to staging", "Deploy search to staging")
    )
    assert (one.type, one.name, one.occurrences) == ("procedure", "deploy-staging", 3)
    assert one.memories == ["m1", "m2", "m3"]
    assert one.confidence == "medium"


def test_exactly_sixty_percent_of_the_words_is_enough() -> None:
    #: M12: the seed wanted more than 60 %.
    titles = ("alpha beta gamma delta omega", "alpha beta gamma kappa sigma")
    assert are_same_work(words_of(titles[0]), words_of(titles[1]))
    assert found(work(*titles, titles[0]))
    assert not are_same_work(words_of("alpha beta delta omega psi"), words_of(titles[1]))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Deploying the services", "deployed service"),
        ("Fix login page 4711", "Fix login page 0815"),
        ("Release v2.1.0 of parser", "Release v2.2.0 of parser"),
        ("Please deploy the app to staging", "deploy app staging"),
        ("部署测试环境", "部署生产环境"),
        ("修复登录页面的错误", "请帮我修复登录页面错误"),
        ("修复 login 页面", "修复了login页面"),
    ],
)
def test_titles_are_compared_by_what_they_are_about(one: str, other: str) -> None:
    assert are_same_work(words_of(one), words_of(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Add a test for the parser", "Write a page for the lexer"),
        ("What is it that we do", "Tell me about the queue"),
        ("部署测试环境", "修改登录页面"),
        ("12 of 34", "56 or 78"),
    ],
)
def test_titles_that_share_only_small_words_are_different_work(one: str, other: str) -> None:
    assert not are_same_work(words_of(one), words_of(other))


def test_blank_titles_are_like_nothing() -> None:
    #: M12: two blank titles ended the seed with a division by zero.
    assert found(work("", " ", "…", "", "!?", "...")) == []


def test_one_conversation_counts_once_however_many_memories_it_left() -> None:
    matters = work("Deploy the app", "Deploy the app", "Deploy the app", session="s1")
    assert found(matters) == []
    assert found([*matters[:1], *work("", "Deploy the app", "Deploy the app")[1:]])


def test_twice_is_not_enough_and_the_least_can_be_set() -> None:
    twice = work("Deploy the app", "Deploy the app")
    assert found(twice) == []
    assert found(twice, least=2)


def test_work_that_was_done_six_times_is_sure() -> None:
    assert found(work(*["Deploy the app"] * 6))[0].confidence == "high"
    assert found(work(*["Deploy the app"] * 5))[0].confidence == "medium"


@pytest.mark.parametrize("kind", ["decision", "pattern", "rule", "issue", "pointer"])
def test_what_says_how_things_are_is_no_work(kind: str) -> None:
    assert found(work(*["Deploy the app to staging"] * 3, kind=kind)) == []


def test_decisions_about_one_matter_are_a_framework() -> None:
    [one] = found(
        telling(
            "decision",
            "Use PostgreSQL for events",
            "We chose PostgreSQL for billing",
            "PostgreSQL for users",
        )
    )
    assert (one.type, one.name, one.occurrences) == ("decision_framework", "decide-postgresql", 3)


def test_words_of_choosing_make_no_framework() -> None:
    assert found(telling("decision", "Use Redis", "Use Kafka", "Use SQLite")) == []
    assert found(telling("decision", "决定采用 Redis", "决定采用 Kafka", "决定采用 SQLite")) == []


def test_a_decision_that_two_memories_of_a_session_tell_is_one() -> None:
    matters = telling("decision", *["Use PostgreSQL for events"] * 3)
    assert found(matters)
    assert found([m._replace(session="s1") for m in matters]) == []


def test_problems_that_are_alike_are_a_pair_with_their_solutions() -> None:
    said = (
        "Connection refused on port 5432",
        "connection refused: port 5432",
        "Port 5432 refused connections",
    )
    [one] = found(telling("problem", *said))
    assert one.type == "problem_solution"
    assert one.name.startswith("fix-connection-refused")


def test_tags_help_and_do_not_make_a_problem_alone() -> None:
    said = ("Login page times out", "Session lost after login", "Login cookie rejected")
    assert found(telling("problem", *said)) == []
    assert found(telling("problem", *said, tags=("auth", "cookies", "web")))
    others = ("Clock is late", "Disk is full", "Cable is loose")
    assert found(telling("problem", *others, tags=("auth", "cookies", "web"))) == []


def test_chinese_work_gets_a_name_in_latin_letters() -> None:
    [one] = found(
        work("部署订单服务到测试环境", "部署支付服务到测试环境", "部署搜索服务到测试环境")
    )
    assert one.name.startswith("bu-shu")
    assert one.title.startswith("部署")


# ------------------------------------------------------------------------------------------ trust


@pytest.mark.parametrize("trust", ["tool", "external"])
def test_what_comes_from_tools_or_outside_alone_suggests_nothing(trust: str) -> None:
    made, unquotable = suggest(work(*["Deploy the app"] * 4, trust=trust), DETECTORS, RULES)
    assert made == []
    assert unquotable == 1


def test_the_name_and_the_title_are_those_of_a_person() -> None:
    theirs = work(
        "Deploy the app staging wget evil", "Deploy app staging wget evil", trust="external"
    )
    mine = SkillInput("mine", "Deploy app staging", "session", "2026-01-05")
    [one] = found([*theirs, mine])
    assert (one.title, one.name) == ("Deploy app staging", "deploy-app-staging")
    assert one.confidence == "low"
    assert one.occurrences == 3


# ------------------------------------------------------------------------------------------- laws

titles = st.lists(
    st.lists(
        st.sampled_from("deploy app staging test fix login page the 部署 测试 环境".split()),
        max_size=5,
    ).map(" ".join),
    max_size=14,
)


@given(titles)
def test_every_title_that_two_others_are_like_is_in_a_group(texts: list[str]) -> None:
    words = [words_of(text) for text in texts]
    grouped = {n for group in groups_of(words, 3, are_same_work) for n in group}
    for n, one in enumerate(words):
        like = sum(are_same_work(one, other) for other in words)
        if like >= 3:
            assert n in grouped


@given(titles)
def test_nothing_is_in_a_group_that_nothing_there_is_like(texts: list[str]) -> None:
    words = [words_of(text) for text in texts]
    for group in groups_of(words, 3, are_same_work):
        assert len(group) >= 3
        for n in group:
            assert any(are_same_work(words[n], words[m]) for m in group if m != n)


@given(titles, st.randoms())
def test_the_order_of_the_memories_changes_nothing(texts: list[str], rng: random.Random) -> None:
    #: M13: what the seed found depended on the order of a set.
    matters = [SkillInput(f"m{n}", text, "session", "2026-01-01") for n, text in enumerate(texts)]
    before = found(matters)
    rng.shuffle(matters)
    assert found(matters) == before


@given(st.lists(st.tuples(any_text, any_text, st.lists(any_text, max_size=3)), max_size=6))
def test_any_text_is_data(rows: list[tuple[str, str, list[str]]]) -> None:
    matters = [
        SkillInput(
            f"m{n}",
            title,
            "session",
            said=(SkillStatement("decision", said), SkillStatement("problem", said)),
            tags=tuple(tags),
        )
        for n, (title, said, tags) in enumerate([*rows, *rows, *rows])
    ]
    made = found(matters)
    assert len({one.name for one in made}) == len(made)


@pytest.mark.slow
def test_it_takes_about_as_long_for_each_memory_when_there_are_many() -> None:
    rng = random.Random(1)
    vocabulary = [f"word{n}x" for n in range(3000)]
    alike = [f"Fix bug in {rng.choice(vocabulary)} page" for _ in range(2000)]
    others = [" ".join(rng.choices(vocabulary, k=4)) for _ in range(2000)]
    short = [f"fix {rng.choice(vocabulary)}" for _ in range(2000)]
    matters = [SkillInput(f"m{n}", t, "session") for n, t in enumerate([*alike, *others, *short])]
    assert is_quick(lambda: found(matters), seconds=20)


def test_a_detector_of_another_package_only_groups() -> None:
    def detect(matters: object, rules: DetectorRules) -> list[Group]:
        assert isinstance(matters, list)
        return [Group([Evidence(m, m.title) for m in matters], "Look for open ports")]

    made = suggest(work("one", "two"), {"security": detect}, RULES)[0]
    assert [(one.type, one.name, one.title) for one in made] == [
        ("security", "security-look-open-ports", "Look for open ports")
    ]
