"""Where a new memory belongs: the decision tree of seed 004."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.capture.extract import facts_in_prompt
from recollect.model import layers
from recollect.model import memory as model
from recollect.model.memory import is_id
from recollect.model.times import decay_day
from recollect.text.tokens import STOP_WORDS

from .build import any_text
from .notice_cases import RULES


@pytest.mark.parametrize(
    ("title", "body", "layer"),
    [
        (
            "Dashboard",
            "The latency dashboard can be found at https://grafana.x.org/d/1",
            "reference",
        ),
        ("Bugs", "Pipeline bugs are tracked in the Linear project INGEST", "reference"),
        ("Runbook: https://wiki.x.org/runbook", "", "reference"),
        ("Bug tracker: https://issues.x.org/KETTLE", "", "reference"),
        ("监控面板：https://monitor.x.org", "", "reference"),
        ("Use the proxy: http://proxy.x.org:3128", "", "procedural"),
        ("Why we left npm", "It broke.\n\nSource: https://x.org/npm", "semantic"),
        ("接口文档", "接口文档位于 https://wiki.x.org/api", "reference"),
        ("设计稿", "可以在共享盘的设计文件夹找到", "reference"),
        ("Always run the linter", "", "procedural"),
        ("Use tabs", "Use tabs in Go files.", "procedural"),
        ("Tests", "Never mock the database.", "procedural"),
        ("不要模拟数据库", "", "procedural"),
        ("提交规范", "以后提交都要写中文", "procedural"),
        ("Release", "Today we released 2.0 and the cache broke.", "episodic"),
        ("Debugging the queue", "We found that the worker was stuck.", "episodic"),
        ("发布", "今天发布了 2.0", "episodic"),
        ("讨论", "我们讨论了缓存的方案", "episodic"),
        ("The API listens on port 8080", "", "semantic"),
        ("PostgreSQL stores events", "Since version 2.", "semantic"),
        ("端口", "服务监听 8080 端口", "semantic"),
        ("用中文回答", "", "procedural"),
        ("回答請用英文", "", "procedural"),
        ("参数不能为负数", "", "procedural"),
        ("價格不得低於成本", "", "procedural"),
        ("用中文写的文档在 docs 里", "", "semantic"),
        ("IE 不能打开页面", "", "semantic"),
        ("提交前要跑完整的测试", "", "procedural"),
        ("推送之前一定要运行 make check", "", "procedural"),
        ("发布前务必通知客服", "", "procedural"),
        ("If you change the schema, always add a migration", "", "procedural"),
        ("启动后要求输入密码", "", "semantic"),
        ("部署只能在工作日进行，周五下午禁止部署", "", "procedural"),
        ("部署", "周五下午禁止部署", "procedural"),
        ("周五下午发布了 2.0", "", "episodic"),
        ("Deploy only on weekdays; never on Friday afternoon", "", "procedural"),
        # What failed on a day, and what holds from or until a day.
        ("On 2026-11-03 the deploy failed because the disk was full", "", "episodic"),
        ("2026年11月3日部署失败", "", "episodic"),
        ("11月3号线上磁盘写满，服务挂了", "", "episodic"),
        ("2026-11-03 部署失敗，磁碟空間耗盡", "", "episodic"),
        ("The certificate expires on 2026-11-03", "", "semantic"),
        ("Since 2026-11-03 failed deploys are rolled back", "", "semantic"),
        ("Order numbers were integers until 2026-11-16", "", "semantic"),
        ("A deploy that failed on May 3 will be retried", "", "semantic"),
        ("Failed deploys are retried three times", "", "semantic"),
        ("On 2026-11-03 we agreed that failed jobs are retried", "", "semantic"),
        ("2026-11-03 决定部署失败自动回滚", "", "semantic"),
        ("日志已经迁到 Kibana", "", "semantic"),
        ("The disk of the build server", "On 2026-11-03 the old one failed.", "semantic"),
        ("Use two disks", "On 2026-11-03 the deploy failed.", "procedural"),
        ("2026年11月3日起部署失败会通知值班", "", "semantic"),
        ("证书2026年11月3日到期", "", "semantic"),
        ("部署失败时会自动重试三次", "", "semantic"),
        # What is done before something else.
        ("提交前跑测试", "", "procedural"),
        ("提交代码之前运行 lint", "", "procedural"),
        ("合并前先 rebase 到主分支", "", "procedural"),
        ("发布前通知客服", "", "procedural"),
        ("部署前備份資料庫", "", "procedural"),
        ("提交前跑测试的钩子在 husky 目录", "", "semantic"),
        ("部署前检查清单", "", "semantic"),
        ("提交前跑测试失败了", "", "semantic"),
        ("服务启动前运行迁移", "", "semantic"),
        # The tool in which something is looked up.
        ("线上日志在 Kibana", "", "reference"),
        ("告警在 Sentry 上查看", "", "reference"),
        ("设计稿在蓝湖", "", "reference"),
        ("線上日誌在 Kibana 裡", "", "reference"),
        ("Logs are in Kibana", "", "reference"),
        ("Production errors are tracked in Sentry.", "", "reference"),
        ("Latency and error rates are in our Datadog dashboard", "", "reference"),
        ("The secrets of staging are kept in 1Password (vault Ops)", "", "reference"),
        ("The bug is in Sentry", "", "semantic"),
        ("We are in Datadog's beta programme", "", "semantic"),
        ("The exporter is in Prometheus format", "", "semantic"),
        ("Kibana reads the logs of production", "", "semantic"),
        ("Never put passwords in Sentry", "", "procedural"),
        ("不要在 Sentry 里记录密码", "", "procedural"),
        ("问题出在 Kibana", "", "semantic"),
        ("我们在 Grafana 上看到延迟升高", "", "semantic"),
        ("告警在 Sentry 修复了", "", "semantic"),
        ("指标存储在 Prometheus 的本地磁盘", "", "semantic"),
    ],
)
def test_the_first_rule_that_fits_decides(title: str, body: str, layer: str) -> None:
    assert layers.choose(title, body).layer == layer


@given(any_text, any_text)
def test_every_text_has_a_layer_and_a_reason(title: str, body: str) -> None:
    choice = layers.choose(title, body)
    assert choice.layer in model.LAYERS
    assert choice.kind in model.KINDS
    assert choice.reason
    assert model.type_of_kind[choice.kind] == choice.layer


@given(any_text, st.sampled_from(model.KINDS), st.sampled_from(("", *model.LAYERS)))
def test_what_a_person_names_is_never_overruled(title: str, kind: str, layer: str) -> None:
    choice = layers.choose(title, "Always do it.", layer, kind)
    assert choice.kind == kind
    assert choice.layer == layer or not layer
    assert choice.layer == model.type_of_kind[kind] or layer
    if layer:
        assert layers.choose(title, "", layer).layer == layer


@pytest.mark.parametrize(
    ("layer", "kind", "folder"),
    [
        ("semantic", "decision", "semantic/decisions"),
        ("semantic", "issue", "semantic/issues"),
        ("semantic", "implementation", "semantic/implementations"),
        ("semantic", "fact", "semantic"),
        ("procedural", "pattern", "procedural/patterns"),
        ("procedural", "rule", "procedural"),
        ("episodic", "decision", "episodic"),
        ("reference", "pointer", "reference"),
    ],
)
def test_a_kind_has_its_folder_inside_its_layer(layer: str, kind: str, folder: str) -> None:
    assert layers.folder_of(layer, kind) == folder


@given(st.sampled_from(model.LAYERS), any_text, st.sampled_from(["", "2026-01-11T10:00:00Z"]))
def test_every_title_gives_an_id(layer: str, title: str, created: str) -> None:
    name = layers.name_of(layer, title, created)
    assert is_id(name)
    assert name.startswith("2026-01-11-") is (layer == "episodic" and bool(created))


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Use the same pool for orders and payments", "use-the-same-pool-for-orders-and"),
        ("Use the same pool for orders of payment2", "use-the-same-pool-for-orders-of-payment2"),
        ("a" * 60, "a" * 40),
    ],
)
def test_the_name_of_an_episode_has_at_most_40_characters_after_the_day(
    title: str, name: str
) -> None:
    assert layers.name_of("episodic", title, "2026-01-11") == f"2026-01-11-{name}"


@pytest.mark.parametrize(
    ("created", "day"),
    [
        ("2026-01-11T14:30:00Z", "2026-04-11"), ("2024-12-02", "2025-03-02"), ("", ""),
        ("2026-02-30", ""), ("9999-12-31", ""),
    ],
)  # fmt: skip
def test_an_episode_fades_ninety_days_after_it_was_made(created: str, day: str) -> None:
    assert decay_day(created) == day


def test_tags_are_telling_words_of_title_and_body() -> None:
    tags = layers.suggested_tags("The Redis cache", "redis pool and cache and pool", STOP_WORDS)
    assert tags == ["redis", "cache", "pool"]
    assert layers.suggested_tags("", "", STOP_WORDS) == []
    marked = "The key [redacted:aws-key:8b20] opens the [private] cupboard"
    assert layers.suggested_tags(marked, marked, STOP_WORDS) == ["key", "opens", "cupboard"]
    long = layers.suggested_tags(f"Plan frontend-agent-integration/ {'x' * 26}", "", STOP_WORDS)
    assert long == ["plan", "agent-integration"]  # and no word that is cut off
    assert layers.suggested_tags("Die Küche, la théière", "", STOP_WORDS) == [
        "die",
        "küche",
        "théière",
    ]
    small = "Je veux que la théière puisse être vide; no quiero que el té esté frío"
    assert layers.suggested_tags(small, "", STOP_WORDS) == ["théière", "puisse", "vide", "frío"]


@given(any_text, any_text, st.integers(1, 6))
def test_tags_are_few_and_each_named_once(title: str, body: str, most: int) -> None:
    tags = layers.suggested_tags(title, body, STOP_WORDS, most)
    assert len(set(tags)) == len(tags) <= most
    assert all(len(tag) > 1 and tag not in STOP_WORDS for tag in tags)


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("我们决定使用数据库连接池", ["数据库连接池"]),
        ("修复登录的问题", ["登录"]),
        ("用 Redis 做缓存", ["redis", "缓存"]),
        ("用户登录和权限", ["用户登录", "权限"]),
        ("上传请求的中文文件名", ["上传请求", "中文文件名"]),
        ("为什么今天没有发布？", []),
        ("数据库连接池大小改为 20", ["数据库连接池大小"]),
        ("每次部署前必须跑完集成测试，否则不允许合并到主分支。", ["部署", "集成测试", "主分支"]),
        ("登录接口在高并发下返回 500 错误", ["登录接口", "高并发", "错误"]),
        ("在线文档放在缓存里", ["在线文档", "缓存"]),
        ("缓存 frontend-agent-integration/", ["缓存", "agent-integration"]),
        ("数据库连接超时改成 60 秒，30 秒会拖垮网关", ["数据库连接超时", "拖垮网关"]),
        ("不要删除迁移文件，写回滚脚本", ["迁移文件", "回滚脚本"]),
        ("还是用回 Vue 吧，React 重写太慢了", ["vue", "react"]),
        ("等等，先搭个骨架，订单用 PostgreSQL", ["骨架", "订单", "postgresql"]),
        ("用户会话的优先级和性能", ["用户会话", "优先级", "性能"]),
        ("我們決定不要刪除遷移檔案", ["遷移檔案"]),
    ],
)
def test_chinese_tags_are_what_stands_between_the_small_words(text: str, tags: list[str]) -> None:
    assert layers.suggested_tags(text, "", STOP_WORDS) == tags


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("Fix the parser: it must never return None (#412)", ""),
        ("docs: always mention the port", ""),
        ("Avoid reloading certificates to improve performance (#67)", ""),
        ("Use yield from", "Previously each item was yielded in a loop, which should be avoided."),
        ("Add a local TLS server", "Tests should never need the network, so this adds one.\n\n" * 9),
        ("Make the parameters clearer", "Users should always pass a dict; the docs never said so. This change says so."),
        ("修复总是超时的问题", ""),
    ],
)  # fmt: skip
def test_the_message_of_a_commit_is_no_rule(title: str, body: str) -> None:
    assert layers.choose(title, body).kind != "rule"


def test_most_rules_that_are_saved_are_rules() -> None:
    # What is to be remembered may be a fact; it is kept without the words that ask for it.
    rules = (said for said, _ in RULES if not re.search("remember|keep in mind|记住", said, re.I))
    said = [fact.content for sentence in rules for fact in facts_in_prompt(sentence)]
    missed = [rule for rule in said if layers.choose(rule, "").kind != "rule"]
    assert len(missed) <= 0.1 * len(said), missed


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("订单用PostgreSQL存储", "数据库"),
        ("登录用JWT", "安全"),
        ("用GitHub Actions跑任务", "构建与 CI"),
        ("API 返回 JSON，字段用 snake_case", "接口"),
        ("订单表加一个 status 字段", "数据库"),
        ("价格一律用整数", "业务"),
    ],
)
def test_the_subject_of_a_chinese_statement_needs_no_blanks(text: str, subject: str) -> None:
    assert layers.subject_of(text, "zh") == subject


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("Make dark green the default colour", "Domain"),
        ("Build it with make on every machine", "Build and CI"),
        ("`make check` before each push", "Build and CI"),
        ("Keep the list of steps in tea-workflow.md", "Domain"),
        ("Workflows run on every push", "Build and CI"),
        ("The plan for the kettle is in plans/PLAN.md", "Domain"),
        ("READMEs are in British English", "Style"),
        ("Show the points of each team", "Domain"),
        ("Our team is in two time zones", "People"),
        ("Customers see their orders only", "Domain"),
        ("A plan may hit the token limit of a model", "Domain"),
        ("Access tokens live fifteen minutes", "Security"),
        ("Warn only if the user is in a project of theirs", "Domain"),
        ("One server with two names keeps both apart", "Domain"),
        ("Our server has two disks", "Deployment"),
        ("Show an instruction (rather than Silent default + docs only)", "Domain"),
        ("模型用工业组件实现，不手写", "业务"),
        ("发票按月汇总（未选 按数据库分表）", "业务"),
        ("有四个板块：下单、订单、客户、报表", "业务"),
        ("负责人是小王", "人员"),
    ],
)
def test_words_that_mean_much_else_do_not_choose_a_shelf(text: str, subject: str) -> None:
    assert layers.subject_of(text, "en" if text.isascii() else "zh") == subject
