"""Decisions that a person makes with a word about what an agent offered, or within a longer sentence."""

from __future__ import annotations

import pytest

from recollect.capture import extract


@pytest.mark.parametrize(
    ("before", "prompt", "kept"),
    [
        ("Both work. I'd go with Redis streams instead of Kafka — one service less. Thoughts?", "yes, let's do that", "Redis streams instead of Kafka"),
        ("Three ways exist.\n\n**Recommendation:** Use one connection pool per tenant.\n\nShall I?", "sounds good", "Use one connection pool per tenant"),
        ("I recommend option 2, it is simpler.\n\nOption 1: Keep the sessions in Redis\nOption 2: Keep the sessions in the orders database", "ok, go ahead", "Keep the sessions in the orders database"),
        ("Which approach do you prefer?\n\n1. Keep the sessions in Redis\n2. Keep the sessions in the orders database", "2", "Keep the sessions in the orders database"),
        ("Which approach do you prefer?\n\nA) Signed cookies without any session store\nB) Sessions in the orders database", "I like option A", "Signed cookies without any session store"),
        ("Which approach do you prefer?\n\nA) Signed cookies without any session store\nB) Sessions in the orders database", "B please", "Sessions in the orders database"),
        ("两种都可以。我建议用 SQLite 存本地缓存，而不是内存字典。要我改吗？", "好的", "用 SQLite 存本地缓存，而不是内存字典"),
        ("两个方向：\n\n方向1：会话存在订单数据库里\n方向2：会话存在 Redis 里", "倾向方向1，继续", "会话存在订单数据库里"),
        ("你倾向哪个？\n\n1. 会话存在 Redis 里，单独部署\n2. 会话存在订单数据库里，不加新服务", "选2吧", "会话存在订单数据库里，不加新服务"),
    ],
)  # fmt: skip
def test_yes_or_a_number_stands_for_what_was_offered(before: str, prompt: str, kept: str) -> None:
    assert [fact.content for fact in extract.facts_in_prompt(prompt, before)] == [kept]


@pytest.mark.parametrize(
    ("before", "prompt"),
    [
        ("I'd suggest running the whole suite over again instead of one test. Shall I?", "yes"),
        ("I'd recommend adding a test. I'd go with pytest rather than unittest for all of it.", "yes"),  # which of the two?
        ("What should I do next?\n\n1. Fix the flaky login test of the shop\n2. Write the missing documentation", "2"),
        ("Which option do you prefer?\n\n1. Fix the flaky login test of the shop\n2. Write the missing documentation", "1"),
        ("Do you mean 1 or 2?\n\n1. Keep the sessions in Redis\n2. Keep the sessions in the orders database", "2 seconds is too slow"),
        ("I'd go with Redis streams instead of Kafka. Thoughts?", "yes, but what about the cost?"),
        ("I'd go with this one instead of that. Thoughts?", "yes"),
        ("All tests pass now. Want me to commit?", "yes"),
        ("我建议先运行一下测试，再提交。要我运行吗？", "好的"),
        ("改好了，要提交吗？", "可以"),
        ("路径都要更新，建议全局搜 `orderPath` 的使用，逐个核对。", "好的"),
        ("Expected results. Which do you prefer?\n\n1. Sessions in the orders database\n2. Sessions in Redis", "the list is wrong:\n17\n1\n4"),
    ],
)  # fmt: skip
def test_yes_to_a_step_or_to_more_than_one_thing_decides_nothing(before: str, prompt: str) -> None:
    assert extract.facts_in_prompt(prompt, before) == []


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("if there is no token we ask for one at the start", "If there is no token we ask for one at the start"),
        ("when exporting to CSV, let's also write a header row", "When exporting to CSV, let's also write a header row"),
        ("remove the XML importer completely, it's too slow", "Remove the XML importer completely"),
        ("there are three roles: admin, editor and viewer", "There are three roles: admin, editor and viewer"),
        ("no, you're not using the shared fixtures", "Use the shared fixtures"),
        ("thats not right , just use the `tea` command for brewing as per @tea.md", "Just use the `tea` command for brewing as per @tea.md"),
        ("Topic 3: all tenants get a queue of their own", "All tenants get a queue of their own"),
        ("The kettle app is for tablets. Please remember that for your instructions.", "The kettle app is for tablets"),
        ("for future reference: recipes live in data/recipes", "Recipes live in data/recipes"),
        ("修改这个加载方法，不要返回 blob，我发现内存占用太大了", "不要返回 blob，我发现内存占用太大了"),
        ("先这样；3、新增的字段一律放在扩展表里", "新增的字段一律放在扩展表里"),
        ("我更倾向于用乐观锁，请实现", "用乐观锁"),
        ("系统分为三个角色：管理员、编辑、访客", "系统分为三个角色：管理员、编辑、访客"),
        ("这个放到哪里好，要求打开不能超过两秒，图片都能压缩，怎么弄", "要求打开不能超过两秒，图片都能压缩"),
        ("大概是一个商城，不是用 Java 写，而是用 Kotlin 写，你觉得怎么样", "不是用 Java 写，而是用 Kotlin 写"),
        ("你不要误导我，差点弄错了，是在这里吗", "你不要误导我"),
        ("本地端口用 6419，你帮我规划下", "本地端口用 6419"),
        ("你又没用共享的测试夹具", "用共享的测试夹具"),
    ],
)  # fmt: skip
def test_what_is_required_in_passing_is_kept(said: str, kept: str) -> None:
    assert [fact.content for fact in extract.facts_in_prompt(said)] == [kept]


@pytest.mark.parametrize(
    "said",
    [
        "if there are failures, show me the log",
        "update agents to remove the nickname and only keep the address - also the routes @src/agents.py",
        "if the tests fail we fix them tomorrow",
        "when the build fails it prints garbage",
        "when you are done, show a summary",
        "when i click save, nothing happens",
        "remove the debug line completely from this file",
        "there are three failing tests: login, cart and search",
        "there are two bugs: one in the cart, one in the login",
        "you're not using the right file",
        "you are not using this correctly",
        "rename foo to bar in line 3",
        "如果没有数据，要求显示什么",
        "这里一定要看一下",
        "报错了，提示必须是数字，怎么办",
        "你没用过吧",
        "把按钮的颜色改成红色",
        "有三个报错，你看下",
    ],
)
def test_what_is_asked_for_or_reported_is_not(said: str) -> None:
    assert extract.facts_in_prompt(said) == []


BELOW = """I see two ways.

**Option 1: Count the cups**
Change each shelf.

**Option 2: Typed shelves with a check**
Add a validator to `Shelf`, then store shelves instead of names. More code at first.
"""


MAILS = """Two ways to send mails later:

A. A thread of the web process. Simple, but mails are lost at a restart.
B. A queue with a worker. Mails survive a restart, one more process to run.

Which one should I build?"""


def test_an_option_whose_name_is_short_is_kept_with_its_description_if_it_is_named() -> None:
    (fact,) = extract.facts_in_prompt("let's go with B, the queue. redis runs already", MAILS)
    assert fact.content == (
        "A queue with a worker: Mails survive a restart, one more process to run"
    )
    assert extract.facts_in_prompt("let's go with B, whatever", MAILS) == []
    assert extract.facts_in_prompt("b please", MAILS) == []  # its name says too little


def test_the_question_below_the_options_describes_none_of_them() -> None:
    offer = "方案A：开后台线程发邮件，重启会丢\n方案B：用消息队列发邮件，重启不丢\n\n你想用哪个？"
    (fact,) = extract.facts_in_prompt("就用方案B吧", offer)
    assert (fact.content, fact.detail) == ("用消息队列发邮件，重启不丢", "")


def test_a_chosen_option_says_how_it_is_described_below_it() -> None:
    (fact,) = extract.facts_in_prompt("option 2 please", BELOW)
    assert fact.content == "Typed shelves with a check"
    assert fact.detail == "Add a validator to `Shelf`, then store shelves instead of names"
    (fact,) = extract.facts_in_prompt("option 2 because cups break", BELOW)
    assert fact.detail == "cups break"


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("we decided to drop the XML export last week so you can delete the parser", "Drop the XML export"),
        ("tenant ids must never come from the body, otherwise one could read another's cups", "Tenant ids must never come from the body, otherwise one could read another's cups"),
        ("不要直接改茶单表，否则可能会丢数据", "不要直接改茶单表，否则可能会丢数据"),
        ("我们这边用 pnpm，不用 npm，重新装一下", "我们这边用 pnpm，不用 npm"),
        ("我们用的是企业微信登录，没有账号密码，所以那个忘记密码的页面不用做", "我们用的是企业微信登录，没有账号密码"),
        ("参数校验统一用 zod，顺便看下登录页", "参数校验统一用 zod"),
    ],
)  # fmt: skip
def test_what_is_asked_or_feared_beside_a_statement_is_no_part_and_no_doubt_of_it(
    said: str, kept: str
) -> None:
    assert [fact.content for fact in extract.facts_in_prompt(said)] == [kept]


@pytest.mark.parametrize(
    "said",
    [
        "we renamed it last week so you can delete the old one",
        "could it be the kettle, because the second call is fast?",
        "it could be the cache because the second call is fast",
        "顺便把依赖升级了",
        "重新跑一下，把缓存删掉",
    ],
)
def test_what_is_only_asked_or_feared_stays_none(said: str) -> None:
    assert extract.facts_in_prompt(said) == []
