"""Which claims contradict each other; how well it is found is measured here."""

from __future__ import annotations

import re
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.model import claim_frames, conflicts, possible_conflicts, values
from recollect.model.claim_key import is_near
from recollect.model.conflicts import (
    Conflict,
    Priority,
    conflict_between,
    is_newer,
    keeping_subject,
    topics_of,
)
from recollect.text.sentences import has_han

from .build import any_text, is_quick
from .claim_cases import CLASHES_EN, CLASHES_ZH, PEACE_EN, PEACE_ZH, RULES, STATED
from .claim_cases.takebacks import BESIDE, TAKEN_BACK

LEAST_RECALL = 0.90
LEAST_PRECISION = 0.95
LANGUAGES = [
    pytest.param(CLASHES_EN, PEACE_EN, id="en"),
    pytest.param(CLASHES_ZH, PEACE_ZH, id="zh"),
]
Clash = tuple[str, str, str]
Pair = tuple[str, str]


def without_blanks(text: str) -> str:
    """A Chinese text as many type it: nothing between Chinese and Latin."""
    between = r"(?<=[\u4e00-\u9fff]) (?=[A-Za-z0-9])|(?<=[A-Za-z0-9]) (?=[\u4e00-\u9fff])"
    return re.sub(between, "", text)


@pytest.mark.sampled(35)
@pytest.mark.parametrize(("one", "other"), [case[:2] for case in (*CLASHES_ZH, *PEACE_ZH)])
def test_a_blank_between_chinese_and_latin_says_nothing(one: str, other: str) -> None:
    assert certainty(without_blanks(one), without_blanks(other)) == certainty(one, other)


def certainty(one: str, other: str) -> str:
    found = conflict_between(one, other)
    return found.certainty if found else ""


# ------------------------------------------------------------------------------------ measured


@pytest.mark.parametrize(("clashes", "peace"), LANGUAGES)
def test_most_contradictions_are_found(clashes: tuple[Clash, ...], peace: tuple[Pair, ...]) -> None:
    assert len(clashes) + len(peace) >= 60
    missed = [case for case in clashes if not certainty(*case[:2])]
    assert 1 - len(missed) / len(clashes) >= LEAST_RECALL, missed


@pytest.mark.parametrize(("clashes", "peace"), LANGUAGES)
def test_hardly_anything_is_found_where_nothing_is_contradicted(
    clashes: tuple[Clash, ...], peace: tuple[Pair, ...]
) -> None:
    wrong = [pair for pair in peace if certainty(*pair)]
    found = sum(bool(certainty(*case[:2])) for case in clashes)
    assert found / (found + len(wrong)) >= LEAST_PRECISION, wrong


BOTH = [
    one
    for room in (conflicts, claim_frames, possible_conflicts, values)
    for one in vars(room).values()
    if isinstance(one, values._Bilingual)
]


def test_the_chinese_half_of_a_pattern_finds_nothing_in_english() -> None:
    claims = [text for case in (*CLASHES_EN, *PEACE_EN) for text in case[:2] if text.isascii()]
    for pattern in BOTH:
        for text in claims:
            spans = [match.span() for match in pattern.compiled.finditer(text)]
            assert spans == [match.span() for match in pattern.finditer(text)]


@pytest.mark.parametrize(
    "later",
    [
        "Switch from Stripe to Adyen after all, the contract is signed",
        "We switched from Stripe to Adyen for payments",
        "Stripe is no longer used for payments; use Adyen",
    ],
)
def test_a_change_from_one_thing_to_another_gives_the_first_up(later: str) -> None:
    assert conflict_between("Use Stripe for payments", later) == Conflict("sure", "choice")
    assert conflict_between("Use Redis for sessions", later) is None


@pytest.mark.parametrize(("one", "other"), TAKEN_BACK)
def test_what_is_taken_back_in_other_words_is_asked_about(one: str, other: str) -> None:
    assert certainty(one, other) == certainty(other, one) == "unsure"
    assert topics_of(one) & topics_of(other)


@pytest.mark.parametrize(("one", "other"), BESIDE)
def test_what_holds_beside_a_statement_does_not_take_it_back(one: str, other: str) -> None:
    assert certainty(one, other) == certainty(other, one) == ""


@pytest.mark.parametrize("pattern", [one for one in BOTH if any(one.needs)])
@given(st.data())
@pytest.mark.sampled(1)
def test_a_text_without_what_a_pattern_needs_has_no_match(
    pattern: values._Bilingual, data: st.DataObject
) -> None:
    text = data.draw(st.from_regex(pattern._english.compiled))
    assert any(need in text.casefold() for need in pattern.needs)


@pytest.mark.parametrize("pattern", [one for one in BOTH if one._chinese])
@given(st.data())
@pytest.mark.sampled(2)
def test_the_chinese_half_of_a_pattern_matches_nothing_without_chinese(
    pattern: values._Bilingual, data: st.DataObject
) -> None:
    assert has_han(data.draw(st.from_regex(re.compile(pattern._chinese))))


@pytest.mark.parametrize(("clashes", "peace"), LANGUAGES)
def test_what_is_sure_is_right(clashes: tuple[Clash, ...], peace: tuple[Pair, ...]) -> None:
    assert [pair for pair in peace if certainty(*pair) == "sure"] == []
    hasty = [case for case in clashes if case[2] == "unsure" and certainty(*case[:2]) == "sure"]
    assert hasty == []
    sure = [case for case in clashes if case[2] == "sure"]
    doubted = [case for case in sure if certainty(*case[:2]) == "unsure"]
    assert 1 - len(doubted) / len(sure) >= LEAST_RECALL, doubted


@pytest.mark.parametrize(
    ("one", "other", "wanted"),
    [
        ("The retry limit is 5 attempts.", "The retry limit is 3.", "unsure"),
        ("The retry limit is 5 attempts.", "The retry limit is 5.", ""),
        ("The retry limit is 5 attempts.", "The retry limit is 5 minutes.", ""),
        ("The timeout is 1 minute.", "The timeout is 60.", ""),
        ("The budget is 5 million.", "The budget is 5000000.", "unsure"),
        ("重试上限是 5 次。", "重试上限是 3。", "unsure"),
    ],
)
def test_a_number_alone_may_be_one_of_what_the_other_counts(
    one: str, other: str, wanted: str
) -> None:
    assert certainty(one, other) == wanted


def test_what_something_is_for_is_no_scope_that_swallows_what_it_is() -> None:
    one, other = "The timeout for uploads is 30 seconds.", "The timeout for uploads is 60 seconds."
    assert certainty(one, other) == "sure"
    assert certainty(one, other.replace("uploads", "downloads")) == ""


# ---------------------------------------------------------------------------------------- laws

SAID = [
    *(side for case in (*CLASHES_EN, *CLASHES_ZH) for side in case[:2]),
    *(side for pair in (*PEACE_EN, *PEACE_ZH) for side in pair),
    *RULES,
    *STATED,
]
said = st.sampled_from(SAID) | any_text


@given(said, said)
def test_the_answer_is_the_same_in_both_directions(one: str, other: str) -> None:
    assert conflict_between(one, other) == conflict_between(other, one)


@pytest.mark.slow
def test_claims_that_contradict_each_other_share_a_topic() -> None:
    sides = sorted({side for case in (*CLASHES_EN, *CLASHES_ZH) for side in case[:2]})
    for one, other in combinations(sides, 2):
        if conflict_between(one, other):
            assert topics_of(one) & topics_of(other), (one, other)


@given(said)
def test_nothing_contradicts_itself_or_what_is_nearly_the_same(text: str) -> None:
    assert conflict_between(text, text) is None
    for other in (text.upper(), f"  {text}\n", f"**{text}**"):
        if is_near(text, other):
            assert conflict_between(text, other) is None


def test_hardly_any_two_claims_of_the_tables_contradict_each_other_by_chance() -> None:
    rules = [*RULES, *STATED]
    found = [
        (a, b) for n, a in enumerate(rules) for b in rules[n + 1 :] if certainty(a, b) == "sure"
    ]
    assert found == []


@pytest.mark.parametrize(
    ("one", "other", "certain"),
    [
        ("Always rebase feature branches.", "Never rebase feature branches, merge instead.", "sure"),
        ("Always squash pull requests", "Do not squash pull requests; keep the commits", "sure"),
        ("Squash pull requests, keep the title", "Always squash pull requests", ""),
        ("The staging server is on Hetzner.", "The staging server is on AWS.", "unsure"),
        ("We do code review on GitHub.", "We do code review on Gerrit.", "unsure"),
        ("Tests must run against a real database.", "Tests must run against an in-memory database.", "unsure"),
        ("Admin UI: The port is 8081", "The admin UI listens on port 9000", "sure"),
        ("管理界面：端口是 8081", "管理界面的端口是 9000", "sure"),
        ("合并请求需要两人批准。", "合并请求只需要一人批准。", "sure"),
        ("前端用 Webpack 打包。", "前端改用 Vite 打包。", "sure"),
        ("前端用 Vite 打包。", "前端用 Playwright 测试。", ""),
        ("The worker is written in Ruby.", "We rewrote the worker in Go.", "sure"),
        ("构建跑在 Jenkins 上。", "构建迁到 CircleCI 了。", "sure"),
        ("Use tabs for indentation.", "Use spaces for indentation from now on, please.", "sure"),
        ("Dates are stored in UTC.", "Dates are stored in Postgres.", "unsure"),
        ("The staging server is on Hetzner.", "The production server is on AWS.", ""),
        ("Admin UI: the port is 8081", "Metrics: the port is 9000", ""),
        ("Use pnpm, never npm", "使用 pnpm，不要用 npm", ""),
        ("Use pnpm, never npm", "Always use pnpm instead of npm", ""),
        ("Use pnpm, not npm", "Use pnpm and never npm", ""),
        ("Use npm for the shop", "Use pnpm, never npm", "sure"),
        ("Use PostgreSQL for orders", "Don't use PostgreSQL for orders after all", "sure"),
        ("Use PostgreSQL for orders", "We decided not to use PostgreSQL for orders after all", "sure"),
        ("Use PostgreSQL for orders", "We decided against PostgreSQL for orders", "sure"),
        ("Use PostgreSQL for orders", "We opted against using PostgreSQL for orders", "sure"),
        ("We decided against MySQL for orders", "We decided against MySQL for orders after all", ""),
    ],
)  # fmt: skip
def test_what_is_said_in_other_words_of_the_same_thing(one: str, other: str, certain: str) -> None:
    assert certainty(one, other) == certainty(other, one) == certain


@pytest.mark.parametrize(
    ("one", "other", "certain"),
    [
        ("Use MySQL for orders: it is there", "Use PostgreSQL for orders: we need JSONB", "sure"),
        ("Never push to main: it breaks the build", "Push to main: reviews take long", "sure"),
        ("永远不要提交密钥：会泄露", "提交密钥：方便调试", "sure"),
        ("用 Jest 做前端测试", "用 Vitest：启动快得多", "unsure"),
        ("Use Redis for sessions: fast store", "Use Redis for the queue: fast store", ""),
        ("Note: never push to main", "Note: push to next", ""),
        ("Host: db one", "Host: db one, as before", ""),
        ("Release 1.2.0 is published", "Release 1.3.1 is published", ""),
    ],
)
def test_a_decision_is_compared_without_its_reason(one: str, other: str, certain: str) -> None:
    assert certainty(one, other) == certainty(other, one) == certain


@given(
    st.integers(1, 9999), st.integers(1, 9999), st.sampled_from(["port", "端口", "timeout", "超时"])
)
def test_another_number_for_the_same_thing_is_a_sure_conflict(a: int, b: int, thing: str) -> None:
    is_ = "是" if thing in ("端口", "超时") else "is"
    found = conflict_between(f"The {thing} {is_} {a}.", f"The {thing} {is_} {b}.")
    assert (found is None) == (a == b)
    assert found is None or found.certainty == "sure"


# ------------------------------------------------------------------------------------ who wins


@pytest.mark.parametrize(
    ("one", "other", "wins"),
    [
        (Priority("2026-02-01"), Priority("2026-01-01"), True),
        (Priority("2026-01-01", "high"), Priority("2026-02-01", "low"), False),
        (Priority("2026-01-01T10:00:00Z"), Priority("2026-01-01T09:00:00Z", "high"), True),
        (Priority("2026-01-01", "high"), Priority("2026-01-01", "low"), True),
        (Priority("2026-01-01", created="2026-01-01"), Priority("2026-01-01", created="2025-01-01"), True),
        (Priority("2026-01-01"), Priority("2026-01-01"), None),
        (Priority(""), Priority("2026-01-01"), False),
    ],
)  # fmt: skip
def test_the_newer_wins_then_the_more_salient_then_the_later_made(
    one: Priority, other: Priority, wins: bool | None
) -> None:
    assert is_newer(one, other) is wins
    assert is_newer(other, one) is (None if wins is None else not wins)


def test_a_reversal_is_a_rule_turned_round_or_replaced() -> None:
    assert conflict_between("Use pnpm.", "Never use pnpm.") == Conflict("sure", "negation")
    assert Conflict("sure", "negation").is_reversal
    assert Conflict("sure", "choice").is_reversal
    assert not Conflict("sure", "value").is_reversal


@pytest.mark.parametrize(
    "unit", ["a", "a ", "is ", "use ", "not ", "in ", "不", "用", "是", "1 ", "1", ", ", "for "]
)
def test_long_claims_are_soon_compared(unit: str) -> None:
    for size in (239, 100_000):
        text = (unit * size)[:size]
        assert is_quick(lambda text=text: conflict_between(text, f"{text}x"))  # type: ignore[misc]


# ---------------------------------------------------------------------------- what gives way


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        ("Use npm for the shop front end", "use pnpm", "Use pnpm for the shop front end"),
        ("Use npm for the shop because it is there.", "Use pnpm instead of npm", "Use pnpm for the shop"),
        ("We use MySQL 5.7 for orders.", "We switched to PostgreSQL 16.", "We use PostgreSQL 16 for orders"),
        ("In tests, use SQLite", "Use Postgres", "In tests, use Postgres"),
        ("前端用 Webpack 打包。", "改用 Vite", "前端用 Vite 打包"),
        ("订单服务用 MySQL 存储数据", "用 PostgreSQL，不用 MySQL", "订单服务用 PostgreSQL 存储数据"),
        ("Use Flask for the backend", "Use Django for the API", "Use Django for the API"),
        ("Use Redis.", "Use Valkey", "Use Valkey"),
        ("Use npm for the shop: x", "Use pnpm: installs are faster", "Use pnpm for the shop: installs are faster"),
        ("Use npm for the shop: it is there", "Use pnpm because it is quick", "Use pnpm for the shop because it is quick"),
        ("用 Jest 做前端测试：生态成熟", "用 Vitest：启动快得多", "用 Vitest 做前端测试：启动快得多"),
        ("用 Jest 做前端测试，因为生态成熟", "改用 Vitest", "用 Vitest 做前端测试"),
        ("数据库用哪个？ PostgreSQL（未选 MySQL）", "改用 MySQL", "改用 MySQL"),
        ("Always squash PRs", "Never squash PRs", "Never squash PRs"),
        ("The timeout is 30 seconds.", "The timeout is 45 seconds.", "The timeout is 45 seconds."),
    ],
)  # fmt: skip
def test_what_takes_the_place_of_a_claim_keeps_its_subject(old: str, new: str, wanted: str) -> None:
    assert keeping_subject(old, new) == wanted
    assert keeping_subject(new, new) == new
