"""What an agent is given with a Chinese prompt."""

from __future__ import annotations

import pytest

from .machine import Machine
from .notes import ids

STORED = {
    "front": "前端改用 React：招人容易。",
    "back": "后端用 Go，不用 Java。",
    "cache": "缓存用 Redis，因为要过期时间。",
    "tests": "前端测试用 Jest。",
    "files": "不要删除迁移文件。",
    "swap": "把会话的存储换掉，放到 Redis。",
}


@pytest.fixture
def known(machine: Machine) -> Machine:
    """A machine whose project knows what its parts are made with."""
    for name, text in STORED.items():
        machine.write(f"semantic/{name}.md", text, publish=False, id=name, title=text.rstrip("。"))
    machine.publish()
    return machine


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("prompt", "note"),
    [
        ("前端用什么框架？", "front"),
        ("前端用的是什么框架", "front"),
        ("前端框架是什么", "front"),
        ("前端加一个登录页面", "front"),
        ("后端用什么语言？", "back"),
        ("缓存用什么", "cache"),
        ("迁移文件能删吗？", "files"),
        ("前端", "front"),
    ],
)
def test_a_question_of_a_few_characters_is_answered(prompt: str, note: str, known: Machine) -> None:
    assert note in ids(known.ask(prompt))


@pytest.mark.parametrize(
    ("prompt", "told"),
    [
        ("日志用什么？", ["logs"]),
        ("日誌用什麼", ["logs"]),
        ("what do we use for logs?", ["zap"]),
        ("看看日志", []),
        ("这个用什么？", []),
    ],
)
def test_a_question_for_what_is_used_may_have_one_everyday_word(
    prompt: str, told: list[str], machine: Machine
) -> None:
    for name, text in {
        "logs": "後端日誌統一用 zap，不要用 fmt.Println",
        "zap": "Write the logs with zap, never with fmt.Println",
        "page": "页面写英文",
    }.items():
        machine.write(f"procedural/{name}.md", f"# {text}", publish=False, id=name, title=text)
    machine.publish()

    assert ids(machine.ask(prompt)) == told


@pytest.mark.parametrize(
    "prompt",
    ["把日志换掉", "改用 TypeScript", "队列用什么？", "仓库用的是什么", "的", "好"],
)
def test_what_only_the_verb_has_in_common_is_not_said(prompt: str, known: Machine) -> None:
    assert ids(known.ask(prompt)) == []


def test_the_end_of_one_word_and_the_start_of_another_are_no_evidence(machine: Machine) -> None:
    machine.write("semantic/trial.md", "新员工的试用期是三个月。", id="trial", title="试用期")
    machine.write("semantic/tests.md", "后端跑 pytest。", id="tests", title="测试", tags="[测试]")

    assert ids(machine.ask("我们前端测试用什么？")) != ["trial"]
    assert ids(machine.ask("试用期多长？")) == ["trial"]


def test_a_word_that_only_contains_such_a_character_is_evidence(machine: Machine) -> None:
    for name, text in {
        "ref": "循环引用由弱引用打断。",
        "net": "在线状态每三十秒更新一次。",
    }.items():
        machine.write(f"semantic/{name}.md", text, id=name, title=text.rstrip("。"))

    assert ids(machine.ask("循环引用怎么处理？")) == ["ref"]
    assert ids(machine.ask("在线状态多久更新？")) == ["net"]


def test_the_subject_of_a_young_project_is_evidence(known: Machine) -> None:
    for n in range(10):
        known.write(f"episodic/{n}.md", f"前端的第 {n} 件事。", publish=False, id=f"s{n}")
    known.publish()

    assert "front" in ids(known.ask("前端用什么框架？"))


RULES = {
    "now": "必须，请立即进行",
    "numbers": "带数字的文档必须保留，其他你认为可以删除的文档，请立即删除",
    "run": "必须落地为自动执行通道",
    "points": "但是你又必须保证，第二步和第三步的要点，不能遗漏任何我要求的要点",
    "ports": "你必须认识到正确的前后端的端口，我们端口都是固定了的",
}


@pytest.mark.parametrize(
    "prompt",
    [
        "请立即执行",
        "请立即进行",
        "这是我要求你做的吗",
        "前后端代码多处编译错误，页面没有样式",
        "请继续并修复",
    ],
)
def test_haste_and_pronouns_in_rules_are_no_evidence(prompt: str, machine: Machine) -> None:
    """Whoever writes rules in haste writes prompts in the same words."""
    for name, text in RULES.items():
        machine.write(f"procedural/{name}.md", f"# {text}", publish=False, id=name, title=text)
    machine.publish()

    assert ids(machine.ask(prompt)) == []


def test_a_long_prompt_is_not_about_each_of_its_terms(machine: Machine) -> None:
    rule = "主项目下每一个低代码引擎的代码文件都要清理"
    machine.write("procedural/clean.md", f"# {rule}", id="clean", title=rule)

    told = machine.ask("同时要更加完善生成的企业级页面，让它好看，这是低代码引擎的核心功能")
    assert ids(told) == []
    assert ids(machine.ask("清理低代码引擎的代码文件")) == ["clean"]


def test_the_term_of_such_a_rule_still_finds_it(machine: Machine) -> None:
    for name, text in RULES.items():
        machine.write(f"procedural/{name}.md", f"# {text}", publish=False, id=name, title=text)
    machine.publish()

    assert ids(machine.ask("端口是固定的吗？")) == ["ports"]


def test_one_word_of_a_heading_that_is_a_whole_sentence_is_said_in_passing(
    machine: Machine,
) -> None:
    rule = "请你在编写和检查所有模块的时候，必须先把权限、日志、缓存、队列、报表、对账、汇率和税务逐个核对一遍再提交"
    machine.write(
        "procedural/feedback.md",
        f"# 规则\n\n## {rule}\n\n- {rule}\n",
        id="feedback",
        title="规则",
    )

    assert ids(machine.ask("报表页面的标题太长，换成两行，颜色也浅一点")) == []
    assert "核对" in machine.ask("权限、日志、缓存和队列")


def test_a_chinese_store_speaks_chinese_before_anything_is_in_the_cache(known: Machine) -> None:
    (known.root / "config.toml").write_text('# mine\nlang = "zh"  # ours\n')
    for file in (*known.cache().glob("index.db*"), known.cache() / "settings"):
        file.unlink()
    assert "以下是以往工作中保存的笔记" in known.ask("缓存用什么")
