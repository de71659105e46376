"""Claims: what an episode states. Bug J9: titles, list numbers, code and fragments became claims."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.consolidate import claims
from recollect.consolidate.claims import Claim, claims_in, claims_of, is_behavioural, is_claim

from .build import any_text, each_share, is_quick, memory
from .claim_cases import RULES, STATED

LEAST_RECALL = 0.92
LEAST_PRECISION = 0.95


def texts(body: str) -> list[str]:
    return [claim.text for claim in claims_of(body)]


# -------------------------------------------------------------------------- what is no claim


@pytest.mark.parametrize(
    "body",
    [
        "# A title of some words", "## Another title here\n", "A title of a page\n======", "A title of a page\n---",
        "2.", "3)\n", "- ", "-", "```py\nuse the code here\n```", "~~~\nuse the code here", "```\nnever closed here",
        "- ```py\n  x = some code here\n  ```", "    indented code stands here", "\tindented code stands here",
        "| Port | is 8080 |\n|---|---|\n| Host | is db |", "Port | Host\n--- | ---\n8080 is | db here",
        "- 10:31 Edit: `src/a.py` — def x", "- 10:31:05 Bash: `make test`", "- [10:31] 编辑：`a.py`",
        "2026-01-11T10:31:00Z INFO server has started", "> Tool [10:31:00] shell: `ls -l`",
        "<!-- a remark that says a lot -->", "<!-- a remark\nthat says\n\n## a lot\n\nof things -->",
        "<!-- never closed remark\n\nsays a lot", "[The design document](https://x.org/a)", "- <https://x.org/a-b>",
        "See https://x.org/a", "- https://x.org/a", "![a picture of it](a.png)", "参见 https://x.org/a",
        "{keyword1}, {keyword2}", "- {主题标题}", "TBD", "N/A", "- None yet.", "暂无内容", "无", "- (none)", "…", "---", "***",
        "**Keywords**: redis, cache", "- **关键词**：缓存，数据库", "- **Time**: 2026-01-11 10:00",
        "- [ ] write the docs", "- [x] wrote the docs", "Should we use Redis?", "要用 Redis 吗？", "We decided:",
        "步骤如下：", "**Deployment notes**", "Done.", "完成。", "`src/a.py`", "- `a.py`\n- `b.py`", "", "\n \n",
        "<private>The key is 1234.</private>", "<private>The key is 1234.",
    ],
)  # fmt: skip
def test_what_states_nothing_becomes_no_claim_j9(body: str) -> None:
    assert texts(body) == []
    assert texts(f"Port is 8080.\n\n{body}") == ["Port is 8080."]


@pytest.mark.parametrize(
    "heading",
    ["Files", "Related Files", "TODOs", "Metadata", "Tracing", "文件", "相关文件", "待办", "元数据", "TODOS:"],
)  # fmt: skip
def test_sections_that_list_or_describe_claim_nothing(heading: str) -> None:
    assert texts(f"Port is 8080.\n\n## {heading}\n\n- the port is 9090\n\nText of it.\n") == [
        "Port is 8080."
    ]


# ----------------------------------------------------------------------------- what is a claim


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("- Port is 8080.\n\n# Title\n  Host is db.", ["Port is 8080.", "Host is db."]),
        ("Port is 8080.", ["Port is 8080."]),
        ("端口是 8080。", ["端口是 8080。"]),
        ("端口8080", ["端口8080"]),
        ("用 uv", ["用 uv"]),
        ("> Port is 8080.", ["Port is 8080."]),
        ("One is red. Two is blue! three is not", ["One is red.", "Two is blue! three is not"]),
        ("Use e.g. Redis here. Or i.e. none of it.", ["Use e.g. Redis here.", "Or i.e. none of it."]),
        ("Version 1.2 and v2.0 of file.py work. Next one.", ["Version 1.2 and v2.0 of file.py work.", "Next one."]),
        ("Dr. Smith and J. Doe wrote it. See Fig. 3 in No. 5.", ["Dr. Smith and J. Doe wrote it.", "See Fig. 3 in No. 5."]),
        ("Use `a. B` and https://x.org/a.B here. Fine by me.", ["Use `a. B` and https://x.org/a.B here.", "Fine by me."]),
        ("See the docs (really.) They are good.", ["See the docs (really.)", "They are good."]),
        ("He said “stop it.” Then he left.", ["He said “stop it.”", "Then he left."]),
        ("端口是 8080。数据库在本地！Use Redis. 其他不变。", ["端口是 8080。", "数据库在本地！", "Use Redis.", "其他不变。"]),
        ("他说“不要用它。”然后离开了。", ["他说“不要用它。”", "然后离开了。"]),
        ("The server is\nslow because of\nthe cache.", ["The server is slow because of the cache."]),
        ("数据库用的是\nPostgreSQL，因为\n它支持 JSONB。", ["数据库用的是 PostgreSQL，因为它支持 JSONB。"]),
        ("- first point. It goes on\n  here.\nAnd lazily.\n- second point", ["first point. It goes on here. And lazily.", "second point"]),
        ("- first point\n\n  more of it\n\nNot of it.", ["first point more of it", "Not of it."]),
        ("1. one thing\n2) other thing\n3、第三件事情\n   * below it all", ["one thing", "other thing", "第三件事情", "below it all"]),
        ("The port is\n8080. The host is\n1.5 of it.", ["The port is 8080.", "The host is 1.5 of it."]),
        ("- > 1. - deep down here", ["deep down here"]),
        ("**Symptom:** it hangs\n**Failed:** `a b`", ["**Symptom:** it hangs", "**Failed:** `a b`"]),
        ("**Never push to main.**", ["**Never push to main.**"]),
        ("Visible <!-- hidden --> text is\n<!-- a\nb -->\nhere.", ["Visible text is here."]),
        ("Use `<!--` to open a comment.", ["Use `‹!--` to open a comment."]),
        ("Docs: https://x.org/a", ["Docs: https://x.org/a"]),
        ("Set {timeout} to five seconds.", ["Set {timeout} to five seconds."]),
        ("Port is 8080.\r\n\r\n- Host is db.\r\n", ["Port is 8080.", "Host is db."]),
        ("```\ncode is here\n```\nText is here.", ["Text is here."]),
        ("Port is 8080. Port is 8080. **Port** is 8080!", ["Port is 8080."]),
    ],
)  # fmt: skip
def test_every_statement_is_one_claim(body: str, wanted: list[str]) -> None:
    assert texts(body) == wanted


SESSION = """# Fix the login

## Summary

- Asked: fix the login page. It loops.
- Outcome: I fixed it. The login page redirects to /home. Release 1.2.0 is published. Prices are updated twice a day. 文档已更新。 Done.
- Commits: fix: the login
- Pull request: The login no longer loops (#12)
- Wrote: docs/login.md tells how the login works

## Decisions

- [technology] Use PostgreSQL for events: it has JSONB
  - source: instructed
  - files: src/events.py
  - concepts: storage
- [approach] No, never retry a payment
  - source: inferred
- pnpm

Prose between them counts.

```
- [other] in code is nothing
```

## Patterns

- [convention] Small commits with a test in each
  - source: instructed

## Commands

- `go test ./...` runs in every session (4×)

## Issues

- [bugfix] The queue is drained twice: resolved
- [bugfix] The queue is slow
- [other] `npm error code ERESOLVE` ← `npm i`: resolved

## Solutions

- `npm i` → `npm i --force` (procedural/feedback.md#solution-npm)
- Restart the worker first

## Files

- `src/events.py`

## TODOs

- [ ] write the docs
"""


def test_an_item_of_a_session_is_one_claim_with_its_own_source_and_trust() -> None:
    found = claims_of(SESSION, source="observed", trust="agent")
    assert found == [
        Claim("Use PostgreSQL for events: it has JSONB", "factual", "instructed", "user", "decisions", "decision"),
        Claim("never retry a payment", "factual", "inferred", "agent", "decisions", "decision"),
        Claim("Decided: pnpm", "factual", "observed", "agent", "decisions", "decision"),
        Claim("Prose between them counts.", "factual", "observed", "agent", "decisions"),
        Claim("Small commits with a test in each", "behavioural", "instructed", "user", "patterns"),
        Claim("The queue is drained twice: resolved", "factual", "observed", "agent", "issues"),
        Claim("The queue is slow", "factual", "observed", "agent", "issues"),
        Claim("Restart the worker first", "factual", "observed", "agent", "solutions"),
    ]  # fmt: skip


def test_a_session_in_chinese_is_understood_as_well() -> None:
    body = (
        "# 会话\n\n## 摘要\n\n- 请求: 修复登录\n- 结果: 登录页会跳转到首页。\n- 提交: 修复\n\n## 决定\n\n"
        "- [技术] 事件存入 PostgreSQL：支持 JSONB\n  - 来源：instructed\n\n## 模式\n\n- 小步提交代码\n\n"
        "## 问题\n\n- 队列会重复消费：已解决\n\n## 文件\n\n- `a.py`\n\n## 待办\n\n- [ ] 写文档\n"
    )
    found = claims_of(body, trust="agent")
    assert [(c.text, c.kind, c.trust) for c in found] == [
        ("事件存入 PostgreSQL：支持 JSONB", "factual", "user"),
        ("小步提交代码", "factual", "agent"),
        ("队列会重复消费：已解决", "factual", "agent"),
    ]


@pytest.mark.parametrize("trust", ["agent", "tool", "external"])
def test_only_a_person_makes_a_rule(trust: str) -> None:
    body = "## Patterns\n\n- never retry a payment\n\n## Notes\n\n- Never push to main.\n"
    assert {claim.kind for claim in claims_of(body, trust="user")} == {"behavioural"}
    assert {claim.kind for claim in claims_of(body, trust=trust)} == {"factual"}


def test_only_the_record_of_a_session_may_say_that_the_person_said_it() -> None:
    body = "## Decisions\n\n- Use Redis everywhere\n  - source: instructed\n"
    trusts = {
        kind: claims_in(memory(body=body, kind=kind, trust="external"))[0].trust
        for kind in ("session", "conversation", "note")
    }
    assert trusts == {"session": "user", "conversation": "user", "note": "external"}


@pytest.mark.parametrize("heading", ["Decisions", "Patterns", "Notes"])
def test_the_mark_of_an_item_is_none_of_its_words_and_may_lower_its_trust(heading: str) -> None:
    mark = "<!-- from: s1; date: 2026-03-01; trust: {}; source: {} -->"
    body = (
        f"## {heading}\n\n- Teas are in PostgreSQL {mark.format('external', 'referenced')}\n"
        f"- Lids are checked on Mondays,\n  by two people {mark.format('tool', 'observed')}\n"
        f"- Kettles hold two litres {mark.format('user', 'instructed')}\n- Pots are blue <!-- from: s1 -->\n"
    )
    assert [(c.text, c.trust, c.source) for c in claims_of(body, source="inferred", trust="agent")] == [
        ("Teas are in PostgreSQL", "external", "referenced"),
        ("Lids are checked on Mondays, by two people", "tool", "observed"),
        ("Kettles hold two litres", "agent", "inferred"),
        ("Pots are blue", "agent", "inferred"),
    ]  # fmt: skip


def test_a_raw_conversation_claims_nothing() -> None:
    assert claims_in(memory(body="Port is 8080.", path="episodic/s/conversation.md")) == []
    assert len(claims_in(memory(body="Port is 8080.", path="episodic/s/summary.md"))) == 1


# ----------------------------------------------------------------------------------- measured


def test_most_rules_are_behavioural() -> None:
    missed = [text for text in RULES if not is_behavioural(text)]
    assert 1 - len(missed) / len(RULES) >= LEAST_RECALL, missed


def test_hardly_any_fact_is_behavioural() -> None:
    wrong = [text for text in STATED if is_behavioural(text)]
    found = sum(map(is_behavioural, RULES))
    assert found / (found + len(wrong)) >= LEAST_PRECISION, wrong


# --------------------------------------------------------------------------------------- laws

PIECES = (
    "Port is 8080.", "端口是 8080。", "- use uv", "1. first thing", "```", "~~~", "<!--", "-->", "## Decisions", "## 文件", "# T",
    "| a | b |", "|---|---|", "---", "===", "> quoted line", "    code line", "- [ ] todo item", "e.g. this", "`a. B`", "`",
    "", "  - source: instructed", "**Label:** of it", "<!-- from: e; date: 2026-01-11; trust: agent -->", "see [a](b) there", "10:31 Edit: x",
)  # fmt: skip
bodies = st.lists(st.sampled_from(PIECES) | any_text, max_size=12).map("\n".join)


@given(bodies)
def test_a_claim_is_one_line_that_says_something(body: str) -> None:
    for claim in claims_of(body):
        assert claim.text == " ".join(claim.text.split())
        assert is_claim(claim.text)
        assert "<!--" not in claim.text
        assert "-->" not in claim.text


@given(bodies)
def test_a_claim_written_as_a_list_item_reads_back_as_the_same_claim(body: str) -> None:
    found = texts(body)
    mark = "<!-- from: e; date: 2026-01-11; trust: agent -->"
    again = claims.statements_of("## Noted\n\n" + "".join(f"- {t} {mark}\n" for t in found))
    assert [said.text for said in again] == found
    assert {said.mark for said in again} <= {mark}
    assert len([said for said in again if said.mark]) == len(found)


@given(st.lists(st.sampled_from([*RULES, *STATED]), unique=True, max_size=5))
def test_claims_do_not_depend_on_how_they_are_laid_out(chosen: list[str]) -> None:
    alone = [text for said in chosen for text in texts(said)]
    assert texts("\n\n".join(chosen)) == alone
    assert texts("\r\n".join(f"- {said}" for said in chosen)) == alone
    assert texts("\n".join(f"> {said}\n" for said in chosen)) == alone


@pytest.mark.sampled(8)
@each_share
@pytest.mark.parametrize(
    "unit",
    ["a", "a. ", "A. ", "。", "`", "```\n", "<!--", "-->", "<!-- from: ", "- ", "- a\n", "|", "|-", "* ", "**", "#", "> ", ">", "1. ",
     "\t", " ", "\n", "[", "](", "https://", "{", "(", "10:31 ", "don't ", "use ", "in ", "check ", "先", "不要", "always never ", "数", "<private>"],
)  # fmt: skip
def test_a_long_text_is_soon_read(unit: str, share: float) -> None:
    text = unit * int(80_000 * share / len(unit))
    assert is_quick(lambda: claims_of(f"{text} is so."), seconds=3 * share)
    assert is_quick(lambda: claims_of(f"## Decisions\n\n- {text}\n"), seconds=3 * share)


def test_a_footnote_of_somebodys_own_is_no_statement() -> None:
    body = "- Use steel for the kettle[^1].\n\n[^1]: See the manual of 1999, page 4.\n"
    assert [one.text for one in claims.statements_of(body)] == ["Use steel for the kettle[^1]."]
