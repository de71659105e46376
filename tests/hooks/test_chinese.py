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
