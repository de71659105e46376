"""What a person's words decide or prefer; how well it is found is measured here."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.capture import extract
from recollect.capture.plain_wording import capitalized, plainly
from recollect.capture.state import fold
from recollect.model.facts import Fact, same_words
from recollect.model.session import Event, SessionState
from recollect.text import sentences as sentences_module

from .build import any_text, each_share, is_quick
from .notice_cases import (
    DECISIONS,
    EUROPEAN,
    KEPT,
    LONG,
    NOTHING,
    NOTHING_EUROPEAN,
    PASSED,
    RULES,
)

LEAST_RECALL = 0.90
LEAST_PRECISION = 0.95
POSITIVES = [*(("decision", *case) for case in DECISIONS), *(("pattern", *case) for case in RULES)]


def is_found(kind: str, sentence: str, part: str) -> bool:
    found = extract.facts_in_prompt(sentence)
    return [f.kind for f in found] == [kind] and part.casefold() in found[0].content.casefold()


# ------------------------------------------------------------------------------------ measured


def test_most_of_what_is_decided_is_found() -> None:
    missed = [sentence for kind, sentence, part in POSITIVES if not is_found(kind, sentence, part)]
    recall = 1 - len(missed) / len(POSITIVES)
    assert recall >= LEAST_RECALL, missed


def test_hardly_anything_is_found_where_nothing_is_decided() -> None:
    wrong = [sentence for sentence in NOTHING if extract.facts_in_prompt(sentence)]
    precision = 1 - len(wrong) / len(NOTHING)
    assert precision >= LEAST_PRECISION, wrong


@pytest.mark.parametrize("is_english", [True, False], ids=["English", "Chinese"])
def test_what_people_decide_on_an_ordinary_day_is_kept(is_english: bool) -> None:
    said = [sentence for sentence in KEPT if sentence.isascii() == is_english]
    missed = [sentence for sentence in said if not extract.facts_in_prompt(sentence)]
    assert 1 - len(missed) / len(said) >= LEAST_RECALL, missed


@pytest.mark.parametrize(("kind", "sentence"), EUROPEAN)
def test_what_holds_for_good_is_kept_in_other_languages(kind: str, sentence: str) -> None:
    assert [fact.kind for fact in extract.facts_in_prompt(sentence)] == [kind]


@pytest.mark.parametrize("sentence", NOTHING_EUROPEAN)
def test_what_happened_or_is_asked_is_not_kept_in_other_languages(sentence: str) -> None:
    assert extract.facts_in_prompt(sentence) == []


def test_what_they_ask_for_on_an_ordinary_day_is_not() -> None:
    assert [sentence for sentence in PASSED if extract.facts_in_prompt(sentence)] == []


@pytest.mark.parametrize(
    ("prompt", "rule"),
    [
        ("Create a task to ensure that all kiln operations always run in the main shed", "All kiln operations always run in the main shed"),
        ("please record what we just learned re using `oven try` instead of `oven` when testing glazes", "Using `oven try` instead of `oven` when testing glazes"),
        # A task, and what a message is to say.
        ("create an issue to make sure that the login works before the release", ""),
        ('Instead of "Kettle is hot" we should say "<name> kettle is hot" and remove "(electric)" from "Ready"', ""),
    ],
)  # fmt: skip
def test_a_rule_stands_without_the_request_to_write_it_down(prompt: str, rule: str) -> None:
    assert [fact.content for fact in extract.facts_in_prompt(prompt)] == [rule][: len(rule)]


OFFER = """I see two ways:

**Option A: Keep the JSON file** - simple, but slow.
**Option B: Store sessions in SQLite with WAL** - survives crashes.

方案一：继续用 JSON 文件
方案二：会话存到 SQLite，开启 WAL（推荐）
"""


@pytest.mark.parametrize(
    ("prompt", "content", "reason"),
    [
        ("go with B", "Store sessions in SQLite with WAL", "survives crashes"),
        ("yes, option B because we need it to be safe", "Store sessions in SQLite with WAL", "we need it to be safe"),
        ("let's implement option b.", "Store sessions in SQLite with WAL", "survives crashes"),
        ("就用方案二", "会话存到 SQLite，开启 WAL", ""),
        ("方案二吧，因为要快", "会话存到 SQLite，开启 WAL", "要快"),
    ],
)  # fmt: skip
def test_of_an_option_that_is_chosen_the_text_is_kept(
    prompt: str, content: str, reason: str
) -> None:
    (fact,) = extract.facts_in_prompt(prompt, OFFER)
    assert (fact.kind, fact.content, fact.detail) == ("decision", content, reason)
    assert extract.facts_in_prompt(prompt) == []  # without the answer it says nothing


@pytest.mark.parametrize(
    "prompt",
    ["option C", "is option B safe?", "not option A", "option A does not work", "use option A and B", "方案二会不会更快", "2"],
)  # fmt: skip
def test_an_option_that_is_not_chosen_is_not_kept(prompt: str) -> None:
    assert extract.facts_in_prompt(prompt, OFFER) == []


@pytest.mark.parametrize(("prompt", "wanted"), LONG, ids=lambda value: str(value)[:20])
def test_of_a_long_prompt_only_the_decisions_are_kept(
    prompt: str, wanted: tuple[tuple[str, str], ...]
) -> None:
    found = extract.facts_in_prompt(prompt)
    assert [fact.kind for fact in found] == [kind for kind, _ in wanted]
    for fact, (_, part) in zip(found, wanted, strict=True):
        assert part.casefold() in fact.content.casefold()


# ---------------------------------------------------------------------------------------- laws

sentences = st.sampled_from([sentence for _, sentence, _ in POSITIVES])


def is_one(sentence: str) -> bool:
    return len(sentences_module.sentences_of(sentence, 1)) == 1


@given(sentences.filter(is_one))  # a question mark asks of its own sentence only
def test_what_is_quoted_pasted_or_asked_decides_nothing(sentence: str) -> None:
    line = sentence.replace('"', "'").replace("`", "'")
    for text in (
        f"```\n{sentence}\n```",
        f"~~~ text\n{sentence}",
        f"> {sentence}",
        f"    {sentence}",
        f'He wrote "{line}" to me',
        f"他写道“{sentence}”",
        f"`{line}`",
        f"{sentence.rstrip('.。')}?",
        f"{sentence.rstrip('.。')}吗？",
        f"ERROR {sentence}",
        f"2026-01-11 10:00:00 {sentence}",
        f"feat(x): {sentence}",
        f"$ {sentence}",
    ):
        assert extract.facts_in_prompt(text) == [], text


@given(st.lists(sentences, min_size=1, max_size=4, unique=True))
def test_every_sentence_of_a_prompt_counts_alone(chosen: list[str]) -> None:
    alone = [fact for sentence in chosen for fact in extract.facts_in_prompt(sentence)]
    assert extract.facts_in_prompt("\n\n".join(chosen)) == alone
    assert extract.facts_in_prompt("\r\n".join(f"- {sentence}" for sentence in chosen)) == alone


@given(any_text | st.lists(sentences | any_text).map("\n".join))
def test_a_fact_has_the_words_of_the_person(text: str) -> None:
    found = extract.facts_in_prompt(text)
    assert len(found) <= len(sentences_module.sentences_of(text))
    for fact in found:
        assert fact.content
        assert "\n" not in fact.content
        assert fact.source == "instructed"
        assert same_words(fact.content) in same_words(" ".join(text.split()))


@pytest.mark.parametrize(
    ("sentence", "fact"),
    [
        (
            "Let's use PostgreSQL for events because it has JSONB.",
            Fact("decision", "Use PostgreSQL for events", "it has JSONB", "technology", source="instructed"),
        ),
        (
            "Let's use PostgreSQL for events because of its JSONB support.",
            Fact("decision", "Use PostgreSQL for events", "its JSONB support", "technology", source="instructed"),
        ),
        (
            "we decided to split the billing module, so that teams can deploy alone",
            Fact("decision", "Split the billing module", "teams can deploy alone", "architecture", source="instructed"),
        ),
        (
            "In general, I'd like to avoid mocks in the integration tests",
            Fact("decision", "In general, I'd like to avoid mocks in the integration tests", "", "approach", source="instructed"),
        ),
        (
            "We use ULIDs for the ids of loans to avoid collisions.",
            Fact("decision", "We use ULIDs for the ids of loans", "to avoid collisions", "technology", source="instructed"),
        ),
        (
            "我们用 ULID 做主键，为了避免冲突。",
            Fact("decision", "我们用 ULID 做主键", "为了避免冲突", "technology", source="instructed"),
        ),
        (
            "Decision: ship on Fridays",
            Fact("decision", "Ship on Fridays", "", "approach", source="instructed"),
        ),
        (
            "我們決定用 PostgreSQL 存訂單，因為它支援 JSONB。",
            Fact("decision", "用 PostgreSQL 存訂單", "它支援 JSONB", "technology", source="instructed"),
        ),
        (
            "我们决定用 PostgreSQL，因为它支持 JSONB。",
            Fact("decision", "用 PostgreSQL", "它支持 JSONB", "technology", source="instructed"),
        ),
        (
            "OK, and please never commit secrets!",
            Fact("pattern", "Never commit secrets", category="anti-pattern", source="instructed"),
        ),
        (
            "好的，以后都用中文回复。",
            Fact("pattern", "以后都用中文回复", category="convention", source="instructed"),
        ),
        (
            "不要使用 any 类型",
            Fact("pattern", "不要使用 any 类型", category="anti-pattern", source="instructed"),
        ),
        (
            "Always write tests since they help",
            Fact("pattern", "Always write tests since they help", category="convention", source="instructed"),
        ),
        ("I also want to mention that all code should pass our CI tests.",
         Fact("pattern", "All code should pass our CI tests", category="convention", source="instructed")),
        ("Get rid of stub mode entirely please", Fact("decision", "Get rid of stub mode entirely", "", "approach", source="instructed")),
        ("Let's just remove the local model, since nobody wants it to be used any more",
         Fact("decision", "Remove the local model, since nobody wants it to be used any more", "", "approach", source="instructed")),
        ("Please never force-push.", Fact("pattern", "Never force-push", category="anti-pattern", source="instructed")),
        ("Use pnpm, not npm.", Fact("decision", "Use pnpm, not npm", "", "technology", source="instructed")),
        ("Remember: commit messages are in English.",
         Fact("pattern", "Commit messages are in English", category="convention", source="instructed")),
        ("记住：提交信息要用英文。", Fact("pattern", "提交信息要用英文", category="convention", source="instructed")),
        ("不要直接改数据库，所有变更都走 migration。",
         Fact("pattern", "不要直接改数据库，所有变更都走 migration", category="anti-pattern", source="instructed")),
        ("Let's switch from Stripe to Adyen after all.",
         Fact("decision", "Switch from Stripe to Adyen after all", "", "technology", source="instructed")),
        ("Decision: because we can", Fact("decision", "Because we can", "", "approach", source="instructed")),
    ],
)  # fmt: skip
def test_a_decision_is_kept_bare_with_its_reason(sentence: str, fact: Fact) -> None:
    assert extract.facts_in_prompt(sentence) == [fact]


@pytest.mark.parametrize("sentence", ["Decision:", "decided: ...", "决定：", "OK.", "Decision: **"])
def test_a_decision_without_words_is_none(sentence: str) -> None:
    assert extract.facts_in_prompt(sentence) == []


# ------------------------------------------------------------------------- what holds at the end


@pytest.mark.parametrize(
    ("prompts", "contents"),
    [
        (["Let's use pnpm for the shop front end, since it is faster.", "no, back to npm"], ["Use npm for the shop front end"]),
        (["前端就用 Vite 打包吧。", "还是用回 Webpack"], ["前端就用 Webpack 打包吧"]),
        (["Always squash PRs.", "ok", "Never squash PRs."], ["Never squash PRs"]),
        (["Let's use Redis for the cache since it is fast", "let's use Valkey for the cache"], ["Use Valkey for the cache"]),
        (["We use MySQL for orders.", "We use PostgreSQL for events."], ["We use MySQL for orders", "We use PostgreSQL for events"]),
        (["Use SQLite for the index.", "switch back to main and pull"], ["Use SQLite for the index"]),
        (["消息队列我们决定用 RabbitMQ。", "等等，消息队列还是用 Kafka 吧。"], ["消息队列还是用 Kafka 吧"]),
        (["消息队列我们决定用 RabbitMQ。", "RabbitMQ 不要了，用 Kafka。"], ["RabbitMQ 不要了，用 Kafka"]),
        (["消息队列我们决定用 RabbitMQ。", "我改主意了，消息队列用 Kafka"], ["消息队列用 Kafka"]),
        (["消息队列我们决定用 RabbitMQ。", "不，我们用 Kafka，不用 RabbitMQ"], ["消息队列我们决定用 Kafka"]),
        (["消息队列我们决定用 RabbitMQ。", "刚才说错了，应该用 Kafka"], ["消息队列我们决定用 Kafka"]),
        (["消息队列我们决定用 RabbitMQ。", "撤销刚才的决定，消息队列先不定。"], []),
        (["消息队列我们决定用 RabbitMQ。", "RabbitMQ 不要了。"], []),
        (["消息队列我们决定用 RabbitMQ。", "测试不要了吗？"], ["消息队列我们决定用 RabbitMQ"]),
        (["数据库连接超时改成 60 秒", "算了，超时还是用 30 秒。"], ["超时还是用 30 秒"]),
        (["The port is 8080.", "No, the port is 9090."], ["The port is 9090"]),
        (["go back to npm"], []),
        (["我们决定用 Redis 做缓存。", "还是用回 Memcached，Redis 太贵"], ["用 Memcached 做缓存"]),
        (["Let's use Redis for the cache.", "no, back to Memcached, Redis is too expensive"], ["Use Memcached for the cache"]),
        (["我们决定用 Redis 做缓存。", "算了，还是用 Memcached，Redis 太贵"], ["还是用 Memcached，Redis 太贵"]),
        (["Let's use Redis for the cache.", "Scratch that, back to Memcached, Redis is too expensive"], ["Back to Memcached, Redis is too expensive"]),
    ],
)  # fmt: skip
def test_what_held_at_the_end_of_a_session_is_kept(prompts: list[str], contents: list[str]) -> None:
    state = SessionState("s")
    for n, text in enumerate(prompts):
        fold(state, [Event("prompt", f"2026-01-11T10:0{n}:00Z", text=text)])
    kept = [*state.decisions, *state.patterns]
    assert [row["content"] for row in kept] == contents
    assert {row["reason"] for row in kept} <= {""}


# ------------------------------------------------------------------------------- who typed it

RULE = "Never commit directly to main."


@pytest.mark.parametrize(
    "prompt",
    [
        f"Implement the following plan:\n\n# Plan: branches\n\n{RULE}",
        f"请按照以下计划执行：\n{RULE}",
        f"# Review a change\n\nRead the diff.\n\n{RULE}",
        f"---\nname: review\n---\n{RULE}",
        f"<heartbeat>\n{RULE}\n</heartbeat>",
        f"Operation stopped by hook: another session is active.\n{RULE}",
        f"High Severity\n\nThe handler skips the check. {RULE}",
        f"here\n\n**Files:** a.py\n**Problem:** it fails\n**Fix:** retry\n\n{RULE}",
        f"{RULE}\n\n{'A line of a log that was pasted. ' * 100}",
    ],
    ids=lambda text: text[:24],
)
def test_what_nobody_typed_is_nobodys_word(prompt: str) -> None:
    assert not sentences_module.is_typed(prompt)
    state = SessionState("s")
    fold(state, [Event("prompt", "2026-01-11T10:00:00Z", text=prompt)])
    assert (state.decisions, state.patterns, state.reactions) == ([], [], [])


@pytest.mark.parametrize(
    "prompt", [RULE, f"two things:\n- **tests** first\n- {RULE}", f"/plan\n{RULE}"]
)
def test_what_is_typed_is_the_persons_word(prompt: str) -> None:
    assert sentences_module.is_typed(prompt)


# --------------------------------------------------------------------------- to-dos, tasks, text


@pytest.mark.parametrize(
    ("text", "todos"),
    [
        (
            "TODO: write the docs\n- [ ] add  tests\n- [x] done\n* [ ] third",
            ["write the docs", "add tests", "third"],
        ),
        ("待办：补充文档\nFIXME: the leak", ["补充文档", "the leak"]),
        ("```\n# TODO: in code\nTODO: in code\n```", []),
        ("There is a TODO in the file", []),
        ("TODO: x", []),
    ],
)
def test_open_points_are_found(text: str, todos: list[str]) -> None:
    assert extract.todos_in(text) == todos


@given(any_text, st.integers(8, 60))
def test_a_shortened_sentence_is_a_start_of_it(text: str, longest: int) -> None:
    short = sentences_module.shortened(text, longest)
    assert len(short) <= longest + 1
    assert text.startswith(short.removesuffix("…"))
    assert len(sentences_module.first_sentence(text, longest)) <= longest + 1


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One thing. Another thing! A third?", ["One thing.", "Another thing!", "A third?"]),
        ("Version 1.5 is out. it goes on", ["Version 1.5 is out. it goes on"]),
        ("第一句。第二句！第三句？", ["第一句。", "第二句！", "第三句？"]),
        (
            "- first point\n2. second point\n• third point",
            ["first point", "second point", "third point"],
        ),
        ("one; two three; four five", ["two three", "four five"]),
        ("He said “stop.” Then he left.", ["He said “stop.” Then he left."]),
        ("Use `a; b` now", ["Use `a; b` now"]),
        ("short\n\n\n", []),
    ],
)
def test_sentences_end_where_people_end_them(text: str, sentences: list[str]) -> None:
    assert sentences_module.sentences_of(text) == sentences


def test_a_chinese_character_says_as_much_as_two_letters() -> None:
    assert sentences_module.weight_of("abc é") == 5
    assert sentences_module.weight_of("数据库") == 6


TRIGGERS = "in the all for on please always never we use let's don't instead of X, : and 以后 都 要 不要 用 决定 “ ` ".split()


@given(st.lists(st.sampled_from(TRIGGERS), max_size=90).map(" ".join))
def test_no_heap_of_trigger_words_takes_long(text: str) -> None:
    assert is_quick(lambda: extract.facts_in_prompt(text))


@pytest.mark.sampled(5)
@each_share
@pytest.mark.parametrize(
    "unit",
    [
        *TRIGGERS,
        "“a",
        "`",
        "```\n",
        "~~~\n",
        "! ",
        "!  \n",
        " ",
        "\n",
        "{ ",
        "word. ",
        "(",
        "error",
        "不要用",
    ],
)
def test_a_long_paste_is_soon_read(unit: str, share: float) -> None:
    text = (unit + " ") * int(100_000 * share / len(unit))
    assert is_quick(
        lambda: (extract.facts_in_prompt(text), extract.todos_in(text)), seconds=3 * share
    )


@pytest.mark.parametrize(
    "said",
    [
        "never use blue icons",
        "buttons must always be green",
        "Use Kafka for the message queue",
        "消息队列用 Kafka",
        "keep functions shorter than 40 lines",
        "必须用整数存储积分",
    ],
)
def test_what_holds_for_long_is_a_statement_also_about_a_screen(said: str) -> None:
    assert extract.facts_in_prompt(said)


@pytest.mark.parametrize(
    "said",
    [
        "the labels should be orange",
        "I want a black background for the card",
        "let's use a lighter colour of the icon",
        "卡片的标题必须显示两行",
        "必须立即彻底修复",
        "增强：模板必须解析模型",
    ],
)
def test_a_wish_for_the_screen_at_hand_is_no_statement(said: str) -> None:
    assert not extract.facts_in_prompt(said)


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("[private] Remember that we use tabs", "We use tabs"),
        ("[private] Never push to main without a review.", "Never push to main without a review"),
        ("[private]提交之前必须跑测试", "提交之前必须跑测试"),
        ("[private]，记住：列名用蛇形命名", "列名用蛇形命名"),
    ],
)
def test_what_is_said_behind_a_private_part_is_heard(said: str, kept: str) -> None:
    assert [fact.content for fact in extract.facts_in_prompt(said)] == [kept]


def test_so_is_a_task_behind_a_private_part() -> None:
    assert extract.todos_in("[private] TODO: write the tests") == ["write the tests"]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Remember: use snake_case for column names", "Use snake_case for column names"),
        ("please remember that we use tabs", "We use tabs"),
        ("Remember: the changelog is generated by release-please; don't write it by hand.",
         "The changelog is generated by release-please; don't write it by hand"),
        ("Note to self: never deploy on Fridays", "Never deploy on Fridays"),
        ("Note to self: buy milk for the office", ""),
        ("For the record: the passwords of the desk live in the wiki", ""),
        ("Remember: deploy only from main; can you fix the login page?", "Deploy only from main"),
        ("Remember: deploy only from main; now fix the login page please", "Deploy only from main"),
        ("Remember: the loans live on host foo; its password is [redacted:password]",
         "The loans live on host foo"),
        ("Remember, we never store card numbers.", "We never store card numbers"),
        ("记住：列名用蛇形命名", "列名用蛇形命名"),
        ("帮我记住茶叶接口的超时时间是 30 秒", "茶叶接口的超时时间是 30 秒"),
        ("请帮我记住：茶壶用蓝色图标", "茶壶用蓝色图标"),
        ("帮我记住用户的登录状态", ""),
        ("請記住，部署只在週二", "部署只在週二"),
        ("remember when we fixed that bug?", ""),
        ("I remember that we used redis", ""),
        ("Remember: fix the login first", ""),
        ("Remember that this was broken", ""),
        ("记住我的登录状态", ""),
        ("记住密码功能坏了，看一下", ""),
    ],
)  # fmt: skip
def test_what_is_to_be_remembered_is_kept_without_the_words_that_ask_for_it(
    said: str, kept: str
) -> None:
    assert [fact.content for fact in extract.facts_in_prompt(said)] == ([kept] if kept else [])


def test_what_is_to_be_remembered_goes_on_only_with_what_says_nothing_alone() -> None:
    said = extract.facts_in_prompt("Remember: use pnpm for installs; never use npm.")
    assert [fact.content for fact in said] == ["Use pnpm for installs", "Never use npm"]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("I want to replace getToken with the vault client everywhere", "Replace getToken with the vault client everywhere"),
        ("Note that as a rule, we want to keep SQL out of the handlers", "we want to keep SQL out of the handlers"),
        ("Have in mind that that log_path is absolute on every machine", "log_path is absolute on every machine"),
        ("The idea is that team settings always win over a user's", "team settings always win over a user's"),
        ("Can we always push checkpoints to the private remote?", "always push checkpoints to the private remote"),
        ("We only deploy from main, keep that in mind", "We only deploy from main"),
        # What has another sense without its beginning, or none.
        ("I want access to the database to be logged", "I want access to the database to be logged"),
        ("I prefer tabs to spaces", "I prefer tabs to spaces"),
        ("I want all logs written to stdout", "I want all logs written to stdout"),
        ("I like to keep it small", "I like to keep it small"),
        ("Mount the config volume (read-only)", "Mount the config volume (read-only)"),
        ("I want to be asked before anything is deleted", "I want to be asked before anything is deleted"),
        ("I only want to see errors when they are new", "I only want to see errors when they are new"),
        ("I don't want names to be in the logs", "I don't want names to be in the logs"),
        ("I want you to never commit on main", "I want you to never commit on main"),
        ("We want it to be fast", "We want it to be fast"),
    ],
)  # fmt: skip
def test_what_is_wanted_is_told_without_who_wants_it(said: str, told: str) -> None:
    assert plainly(said).casefold() == told.casefold()


@pytest.mark.parametrize(
    ("said", "told"),
    [("use it", "Use it"), ("log_path is", "log_path is"), ("pot-list.tsx is", "pot-list.tsx is"), ("iOS is", "iOS is"), ("README is", "README is")],
)  # fmt: skip
def test_a_name_in_code_keeps_its_first_letter(said: str, told: str) -> None:
    assert capitalized(said) == told


@pytest.mark.parametrize(
    "said",
    [
        "I want you to plan removing the request limits entirely and logging to a file instead",
    ],
)
def test_work_that_is_to_be_planned_first_is_no_decision(said: str) -> None:
    assert extract.facts_in_prompt(said) == []


def test_a_blank_that_was_forgotten_behind_a_sentence_parts_two() -> None:
    split = sentences_module.split_sentences
    assert split("As close as possible.We avoid stubs.Don't add any") == [
        "As close as possible.", "We avoid stubs.", "Don't add any"]  # fmt: skip
    for whole in (
        "Ask Node.js or README.The file, e.g.I/O.",
        "Call app.Use before app.Run.",
        "Use http.Client.Do in calls",
    ):
        assert split(whole) == [whole]
    found = extract.facts_in_prompt(
        "keep it as close as possible.Never use mocks in end-to-end tests"
    )
    assert [one.content for one in found] == ["Never use mocks in end-to-end tests"]


@pytest.mark.parametrize(
    "said",
    [
        "Avoid inventing our own",
        "We should always prefer the library's names over ours",
        "We have a local kiln at port 10531 and i thought the baker has the kiln-sdk packaged just like the pot-sdk",
        "We should rename to publish.yml given that access is already set up for publish.yml in npm",
    ],
)
def test_what_points_to_something_else_or_was_only_thought_is_no_statement(said: str) -> None:
    assert extract.facts_in_prompt(said) == []


def test_what_an_agent_remarks_on_an_option_is_no_reason_for_it() -> None:
    answer = "Two ways:\n\nA. Keep the gateway in front (Current)\nB. Direct access of the page to the kiln (Future)\n"
    for remark in ("Future", "Recommended once we add glazes"):
        told = extract.facts_in_prompt("Let's go with option B", answer.replace("Future", remark))
        assert [(one.content, one.detail) for one in told] == [
            ("Direct access of the page to the kiln", "")
        ]


def test_what_only_points_to_the_case_at_hand_is_left_out_at_the_end() -> None:
    [fact] = extract.facts_in_prompt(
        "We should always use the data of a real kiln, especially in a case like this."
    )
    assert fact.content == "We should always use the data of a real kiln"
