"""What the tools cost in tokens is what docs/mcp.md says."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from recollect.context.brief import _WORDS
from recollect.interfaces.hooks.events import FORMS, SAID
from recollect.interfaces.mcp.server import INSTRUCTIONS
from recollect.interfaces.mcp.tools import BY_NAME, TOOLS, Tool
from recollect.text.tokens import count_tokens

PAGE = (Path(__file__).parents[2] / "docs" / "mcp.md").read_text("utf-8")
CALL = {
    "statement": "Package manager of the shop front end: pnpm",
    "subject": "Shop front end",
    "why": "installs are three times faster",
    "kind": "decision",
    "quote": "let's take pnpm for the shop front end",
}
ANSWER = "Added as shop-front-end#^k3f9. It counts as the person's word."


def as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def seen(tool: Tool) -> int:
    """The tokens of what a model sees of a tool."""
    listed = tool.as_json()
    return count_tokens(as_json({k: listed[k] for k in ("name", "description", "inputSchema")}))


COSTS = {
    "`remember` as a model sees it": seen(BY_NAME["remember"]),
    "`recall` as well": seen(BY_NAME["recall"]),
    "the server's instructions": count_tokens(INSTRUCTIONS),
    "all eight tools": sum(map(seen, TOOLS)),
    "the two lines of the brief": count_tokens(_WORDS["en"]["write"]),
    "one call of `remember`": count_tokens(json.dumps(CALL)),
    "its answer": count_tokens(ANSWER),
    "being asked once": count_tokens(SAID["en"].replace("{form}", FORMS["en"])),
}


@pytest.mark.parametrize("what", COSTS)
def test_the_page_says_what_it_costs(what: str) -> None:
    [said] = re.findall(rf"^\| {re.escape(what)}.* \| (\d+) \|$", PAGE, re.M)
    assert abs(int(said) - COSTS[what]) <= 0.1 * COSTS[what], f"{said}, not {COSTS[what]}"


def test_what_is_in_sight_from_the_start_stays_small() -> None:
    assert sum(seen(tool) for tool in TOOLS if tool.essential) < 600
