"""docs/recall.md says what each weight of recall is: it has to be what the program uses."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from recollect.search import conversation_rank as talk
from recollect.search import rank, relevance, vectors

MODULES = {"rank": rank, "evidence": relevance, "talk": talk, "meaning": vectors}
PAGE = Path(__file__).parents[2] / "docs" / "recall.md"
ROWS = [
    line.split(" | ")[:2]
    for line in PAGE.read_text("utf-8").splitlines()
    if line.startswith(tuple(f"| `{name}." for name in MODULES))
]


@pytest.mark.parametrize(("names", "said"), ROWS, ids=lambda cell: cell[:40])
def test_the_page_says_what_a_weight_is(names: str, said: str) -> None:
    found = re.findall(r"`(\w+)\.(\w+)`", names)
    values = [getattr(MODULES[module], name) for module, name in found]
    wanted = ast.literal_eval(said)
    assert (tuple(values) if len(values) > 1 else values[0]) == wanted


def test_the_page_has_the_weights() -> None:
    assert len(ROWS) > 10
