"""What a title says: rules under their headings, and files and sections that say nothing else."""

from __future__ import annotations

import pytest

from recollect.domain import codec
from recollect.domain.claims import statements_of
from recollect.domain.codec import sections_of
from recollect.domain.lifecycle import Archive, plan

from .build import episode
from .test_lifecycle import FEEDBACK, RULED, page, run


def headings(text: str) -> list[str]:
    return [section.heading for section in sections_of(codec.split_front(text).body)][1:]


def said(text: str) -> list[str]:
    return [one.text for one in statements_of(codec.split_front(text).body)]


# ------------------------------------------------------------------------- rules and their titles


@pytest.mark.parametrize(
    "rule", ["Use npm", "永远不要提交密钥", "Never push to main: it is shared"]
)
def test_a_rule_that_is_said_again_is_marked_in_its_line_and_not_in_its_heading(rule: str) -> None:
    files = run([episode(1, f"- {rule}")])[1]
    again = episode(3, f"- {rule}")
    _, after = run([again], files)
    assert headings(after[FEEDBACK]) == headings(files[FEEDBACK])
    old, new = (codec.split_front(text[FEEDBACK]).body for text in (files, after))
    assert new == old.replace("e1; date: 2026-01-01", "e3; date: 2026-01-03")
    assert not [a for a in plan([again], after, RULED) if not isinstance(a, Archive)]


@pytest.mark.parametrize(
    "body",
    ["Use npm.", "- Use npm\n- It is fast.", "Use npm. It is fast.", "It is fast.\n\nUse npm."],
)
@pytest.mark.parametrize(
    "heading", ["Use npm", "use NPM!", "Use npm.", "Use `npm`", "Use npm (agent)"]
)
@pytest.mark.parametrize("more", ["", "## Never use npm\n\nNever push to main.\n\n"])
def test_a_rule_that_was_turned_round_has_no_heading_that_says_the_old_one(
    heading: str, body: str, more: str
) -> None:
    files = {FEEDBACK: page(f"{more}## {heading}\n\n{body}\n\n## Other\n\nHost is db.")}
    actions, after = run([episode(2, "Never use npm.")], files)
    assert "Replace" in {type(action).__name__ for action in actions}
    names = headings(after[FEEDBACK])
    assert not [name for name in names if name.casefold().startswith("use")]
    assert "Other" in names
    assert "Never use npm." in said(after[FEEDBACK])
    left = [one for one in said(files[FEEDBACK]) if one.rstrip(".") != "Use npm"]
    assert set(left) <= set(said(after[FEEDBACK]))
    assert run([episode(2, "Never use npm.")], after)[1] == after
