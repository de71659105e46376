"""MCP: prompts that a person picks: a recap of what is known, and saving a session.

Promises: they speak the language of the store; the notes in a recap are fenced as notes.
Touches: the stores, through `app`.
"""

from __future__ import annotations

from typing import Any

from recollect.app import reading
from recollect.app import tools as app_tools
from recollect.app.wiring import App
from recollect.errors import StoreNotFound

RECAP_TOKENS = 2000
_WORDS = {
    "en": {
        "recap": "Recap what is known from earlier sessions",
        "topic": "What about; the project as a whole if left out.",
        "save_session": "Save what later sessions should know of this one",
        "about": "Recap what the stored notes say about {topic}: what was decided and why, what is "
        "open, what failed and what worked. Name the id of each note that you use, and say where "
        "notes contradict each other or the code. Then suggest the next step.",
        "project": "this project",
        "none": "No stored note bears on this; say so.",
        "save": "Go through this session and save with the tool `remember` what later sessions "
        "should know, one note for each thing: decisions with their reasons, rules of work that I "
        "gave, errors with what solved them, open ends. Use `recall` first, and `update` a note "
        "that is there instead of saving it twice. Leave out what the code or git says already "
        "and what matters only today. At the end list what you saved, with the ids.",
    },
    "zh": {
        "recap": "回顾以往会话中已知的内容",
        "topic": "回顾的主题；不填则为整个项目。",
        "save_session": "保存本次会话中以后需要知道的内容",
        "about": "请根据已保存的笔记回顾{topic}：作过哪些决定及其理由，还有哪些未决事项，哪些做法失败、"
        "哪些有效。请注明所用每条笔记的编号，并指出笔记之间或笔记与代码之间的矛盾，然后建议下一步。",
        "project": "本项目",
        "none": "没有与此有关的笔记；请如实说明。",
        "save": "请回顾本次会话，用工具 `remember` 保存以后的会话需要知道的内容，每件事一条：决定及其理由、"
        "我提出的工作规则、错误及其解决办法、未完成的事项。请先用 `recall` 查看；已有的笔记用 `update` 更新，"
        "不要重复保存。代码或 git 中已有的、只与今天有关的内容不必保存。最后列出已保存的笔记及其编号。",
    },
}


def listed(app: App) -> list[dict[str, Any]]:
    """The prompts as the protocol lists them."""
    words = _WORDS[app.lang]
    topic = {"name": "topic", "description": words["topic"], "required": False}
    return [
        {
            "name": "recap",
            "title": words["recap"],
            "description": words["recap"],
            "arguments": [topic],
        },
        {
            "name": "save_session",
            "title": words["save_session"],
            "description": words["save_session"],
        },
    ]


def filled(app: App, name: str, topic: str) -> tuple[str, str] | None:
    """`(description, text)` of a prompt, None if there is none of that name."""
    words = _WORDS[app.lang]
    if name == "save_session":
        return words["save_session"], words["save"]
    if name != "recap":
        return None
    try:
        if topic:
            notes = app_tools.recall(app, topic, budget=RECAP_TOKENS).text
        else:
            notes = reading.brief(app)[0]
    except StoreNotFound:
        notes = ""
    asked = words["about"].format(topic=topic or words["project"])
    return words["recap"], f"{asked}\n\n{notes or words['none']}"
