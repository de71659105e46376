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
        ("Which one?\n\n- Option A: Keep the desk as it is for now\n- Option B: Show you several plans of the desk to choose from", "option B"),
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
        ("Now let's use Redis for the tea cache.", "Now let's use Redis for the tea cache"),
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


def test_an_option_whose_name_is_short_is_kept_beside_those_that_were_turned_down() -> None:
    told = "A queue with a worker (rather than A thread of the web process)"
    for said in ("let's go with B, whatever", "b please"):
        (fact,) = extract.facts_in_prompt(said, MAILS)
        assert fact.content == told
        assert fact.detail == "Mails survive a restart, one more process to run"
    alone = "Which approach do you prefer?\n\nB. A queue"
    assert extract.facts_in_prompt("B", alone) == []
    for name in ("QuickJS: small and embeddable", "Manual releases every Friday"):
        assert extract.facts_in_prompt("1", f"Which approach?\n\n1. {name}\n2. A queue with a worker")  # fmt: skip
    way = "Which approach?\n\n1. Quick fix\n2. A queue with a worker"
    assert extract.facts_in_prompt("1", way) == []


@pytest.mark.parametrize(
    ("said", "asked", "detail"),
    [
        ("A", "Which do you prefer?\n\nA. The tea cupboard downstairs (only a key is needed)\nB. A shop", "only a key is needed"),
        ("选A", "你选哪个方案？\n\n- A) 楼下的茶叶柜子（只用一把钥匙和一张卡）\n- B) 街角的商店", "只用一把钥匙和一张卡"),
    ],
)  # fmt: skip
def test_a_description_in_brackets_is_told_without_them(said: str, asked: str, detail: str) -> None:
    (fact,) = extract.facts_in_prompt(said, asked)
    assert fact.detail == detail


def test_a_rule_that_begins_like_the_label_of_an_option_takes_none() -> None:
    plan = "The plan:\n1. Add the parser module\n2. Write the migration for loans\n3. Test it\n\nShall I?"
    for said, before in (("Use 2 space indentation everywhere", plan), ("We'll use a single table for all mails", MAILS)):  # fmt: skip
        (fact,) = extract.facts_in_prompt(said, before)
        assert fact.content.casefold() in said.casefold()


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


@pytest.mark.parametrize(
    "said",
    [
        "fyi the kettle prices come back in cents",
        "the weight column is in grams not kilos",
        "prod runs on hetzner, two boxes behind caddy",
        "the search cluster is rebuilt every sunday so ids are not stable across weeks",
        "money is never a float in this codebase, we have a type for it",
        "ids are strings, not ints, some customers have leading zeros",
        "the german texts use Sie, not du",
        "config is only read in settings.py, nowhere else",
        "we rebase, we dont merge. history has to stay linear",
        "the importer is slow on purpose, their api allows five requests a second",
        "we settled on one queue per customer instead of a global lock",
        "remember we prefix private components with an underscore",
        "tenant id always comes from the token, never from the request body",
        "the old app is still in the store, so v1 must keep working",
        "no new env vars please, ops adds each by hand",
        "i dont want any new dependencies in the core package",
        "leave vendor/tea/ alone, we sync it from upstream",
        "every change to the billing module needs two reviewers",
        "commit messages in english please and without a footer",
        "for the future: migrations are written by hand",
        "before you delete any data ask me",
        "接口返回的金额单位是分",
        "数据库里存的都是 UTC 时间，展示的时候转成北京时间",
        "页面上的价格都是含税价",
        "线上跑在阿里云两台机器上，前面是 nginx",
        "我们的接口版本是放在 header 里的，不是放在路径里",
        "订单编号是字符串，不是数字",
        "用户只看中文，不懂英文",
        "线上机器只有 2G 内存",
        "搜索集群每周日重建一次",
        "商品图片都转成 webp，带宽太贵",
        "新功能都用 order_v2",
        "包要兼容 python3.10",
        "最后定下来每个客户一个队列，不用全局锁",
        "我们早就不用 lodash 了",
        "不要直接往 master 提交，都走合并请求",
        "proto 生成的代码不要手改",
        "vendor 目录别动",
        "金额不能用 float，否则对账会差一分钱",
        "集成测试不要 mock 数据库，去年吃过亏",
        "从 develop 拉分支，不要从 main 拉",
        "一个 pr 只改一件事",
        "回答简短一点，不用每次都总结",
        "在共享库上跑迁移之前先问我",
        "只有打 tag 才会触发发布",
        "gunicorn worker 最多开 2 个",
    ],
)  # fmt: skip
def test_facts_and_rules_told_in_passing_are_kept(said: str) -> None:
    assert len(extract.facts_in_prompt(said)) == 1


@pytest.mark.parametrize(
    "said",
    [
        "the counter is in seconds but should be in ms",
        "the timeout is in seconds or ms i think",
        "the app runs on port 8080",
        "the api runs on the wrong port",
        "the worker runs in circles",
        "prod runs on the old image, roll it out",
        "staging runs on node 16 still",
        "the page is always in english even if i pick german",
        "the result is always a string",
        "tests are red on my machine, not on ci",
        "the build uses the old config, not mine",
        "the job gets stuck every night",
        "the test only fails on ci, never locally",
        "no new packages were installed",
        "remember we still need to fix the login",
        "the modal must stay open",
        "every time i restart it needs a login",
        "the answer in german was wrong",
        "fyi the deploy is through",
        "before you start, wait for me",
        "before you merge, tell me the diff",
        "we tried, not worked",
        "we know, we don't care",
        "the file is only created on windows",
        "leave src/app/main.ts alone for now",
        "keep in mind we are late",
        "The page is refreshed every 5 seconds",
        "The function uses recursion, not a loop",
        "the bot sits in a loop",
        "staging is deployed on friday",
        "the cart must stay open after a click",
        "one test per module fails",
        "金额单位错了，应该是元",
        "超时时间的单位是秒还是毫秒",
        "返回的都是空数组，数据库里明明有 12 条",
        "测试都是红的",
        "订单状态都是待支付，没有更新",
        "问题是缓存，不是数据库",
        "标题是红色，不是黑色",
        "用户只看到一个空白页",
        "用户不会操作的时候给个提示",
        "任务跑在错误的队列上了，看下日志",
        "前端跑在 3000 端口，打不开",
        "服务器只有 2 台，不够用",
        "磁盘只有 2G 了",
        "图片都转成 base64 之后太大了",
        "新的需求都写在文档里了，你看一下",
        "方案定下来了，开始写吧",
        "定下来之前先别动",
        "只有 chrome 能用，safari 菜单关不掉",
        "只有刷新才会显示",
        "给空列表的情况加个测试，应该返回空数组而不是 null",
        "接口不能返回数据，因为数据库挂了",
        "从 develop 拉分支，然后合并这个 pr",
        "一个请求只返回一个结果，奇怪",
        "回复太长了没看完",
        "弹窗要适配手机",
    ],
)
def test_trouble_and_tasks_worded_like_a_fact_are_not(said: str) -> None:
    assert extract.facts_in_prompt(said) == []
