"""Approving changes nothing but the words of trust; taking back takes nothing that stands beside."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from recollect.model.document import memory_from_text
from recollect.model.entries import (
    approved,
    doubtful,
    index_units,
    origins_of,
    says_nothing,
    taken_back,
)
from recollect.model.footnotes import label_of
from recollect.model.frontmatter import split_front

from .build import plain_text

MARK = "<!-- from: e1; date: 2026-01-11T14:30:00Z; trust: {} -->"
LESSON = "<!-- source: observed; trust: tool; session: s1 -->"
FEEDBACK = f"""# Feedback

## Never push to main

Never.

## Solution: npm-test
{LESSON}

- Symptom: ENOENT

## Noted by the agent

- Port 8080. {MARK.format("agent")}
"""


def test_the_sections_that_are_trusted_less_say_so() -> None:
    found = [(one.anchor, one.trust, one.session) for one in doubtful(FEEDBACK)]
    assert found == [("solution-npm-test", "tool", "s1"), ("noted-by-the-agent", "agent", "")]


def test_a_section_that_was_approved_is_trusted_like_its_file_and_no_other_is() -> None:
    text = approved(FEEDBACK, "solution-npm-test")
    assert [one.anchor for one in doubtful(text)] == ["noted-by-the-agent"]
    trust = {
        s.anchor: s.trust for s in index_units(memory_from_text(text, "procedural/feedback.md"))
    }
    assert trust["solution-npm-test"] == "user"
    assert trust["noted-by-the-agent"] == "agent"


def test_a_memory_that_was_approved_is_trusted_in_all_its_sections() -> None:
    text = approved(f"---\nid: x\ntrust: external\n---\n{FEEDBACK}", "")
    assert memory_from_text(text, "semantic/x.md").trust == "user"
    assert not list(doubtful(split_front(text).body))


@given(st.sampled_from(["external", "tool", "agent"]), plain_text, plain_text)
def test_approving_changes_words_of_trust_only(trust: str, one: str, two: str) -> None:
    text = f"---\nid: x\ntrust: {trust}\n---\ntrust: {trust} {one}\n\n## {two}\n<!-- trust: {trust} -->\n{one}\n"
    new = approved(text, "")
    assert (
        new
        == f"---\nid: x\ntrust: user\n---\ntrust: {trust} {one}\n\n## {two}\n<!-- trust: user -->\n{one}\n"
    )
    assert approved(new, "") == new


@pytest.mark.parametrize(
    ("origins", "left"),
    [
        ({"s1"}, ["Never push to main", "Noted by the agent"]),
        ({"e1"}, ["Never push to main", "Solution: npm-test"]),
        ({"s1", "e1"}, ["Never push to main"]),
        ({"s2"}, ["Never push to main", "Solution: npm-test", "Noted by the agent"]),
    ],
)
def test_what_came_from_somewhere_goes_and_nothing_else(origins: set[str], left: list[str]) -> None:
    body = taken_back(FEEDBACK, origins)
    assert [line[3:] for line in body.splitlines() if line.startswith("## ")] == left
    assert origins_of(body) == set(map(label_of, {"s1", "e1"} - origins))


@given(st.lists(st.tuples(plain_text, st.sampled_from(["", "e1", "e2"])), max_size=8))
def test_taking_back_keeps_every_line_of_others(lines: list[tuple[str, str]]) -> None:
    mark = MARK.format("agent")
    rows = [
        f"- {text} {mark.replace('e1', origin)}" if origin else f"- {text}"
        for text, origin in lines
    ]
    body = "\n".join(["# Cache", *rows, ""])
    kept = [row for row, (_, origin) in zip(rows, lines, strict=True) if origin != "e1"]
    assert taken_back(body, {"e1"}) == "\n".join(["# Cache", *kept, ""])
    assert taken_back(body, set()) == body


def test_a_rule_that_was_put_in_place_of_another_goes_with_its_title() -> None:
    body = f"## Run it\n\n- Run it. {MARK.format('tool')}\n  <!-- superseded 2026-01-12: previously Never run it. -->\n"
    assert taken_back(f"# Feedback\n\n{body}", {"e1"}).strip() == "# Feedback"


@pytest.mark.parametrize("body", ["", "\n", "# Title\n", f"# T\n\n{LESSON}\n"])
def test_a_body_without_a_word_says_nothing(body: str) -> None:
    assert says_nothing(body)


@given(plain_text)
def test_a_body_with_a_word_says_something(text: str) -> None:
    assume(not text.startswith("#"))
    assert not says_nothing(f"# Title\n\n{text}\n")
