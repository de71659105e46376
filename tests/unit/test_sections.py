"""The `##` sections of a body: found, replaced, added."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recollect.model.document import (
    parts_of,
    section_named,
    section_text,
    sections_of,
    with_section,
)

from .build import any_text, is_quick

_lines = st.sampled_from(
    ["## A", "## a", "## A ##", "## C#", "##", "## ", "##\tTab", "### Sub", "# Top", "text", "", "- x",
     "```", "```py", "````", "~~~", "~~~~", "  ```", "     ```", "```one line```", " ## not", "    code",
     "## 决定", "## ???", "> ## quoted", "\u2028", "\x0c"]
)  # fmt: skip
bodies = st.builds(
    lambda lines, eol, end: eol.join(lines).rstrip("\r") + end,
    st.lists(_lines | any_text, max_size=12),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["", "\n", "\n\n"]),
)
titles = st.sampled_from(["A", "a", "C#", "New", "决定", "Solution: npm err", "X ##", "???"])


def without_returns(text: str) -> str:
    return re.sub(r"\r+\n", "\n", text)


def headings(body: str) -> list[str]:
    return [part.heading for part in parts_of(body)][1:]


@given(bodies)
def test_the_parts_of_a_body_joined_are_the_body(body: str) -> None:
    assert "".join(part.text for part in parts_of(body)) == body


@given(bodies)
def test_anchors_are_unique_and_the_head_has_none(body: str) -> None:
    anchors = [section.anchor for section in sections_of(body)]
    assert anchors[0] == ""
    assert len(set(anchors)) == len(anchors)


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("## A\nx\n## B\ny\n", ["A", "B"]),
        ("## Title ##\n## C#\n## F # \n##  Wide   gap \n", ["Title", "C#", "F", "Wide gap"]),
        ("## 关键决定\r\n内容\r\n## 待办 \r\n", ["关键决定", "待办"]),
        ("##Not\n ## Not\n### Not\n# Not\n##\n", []),
        ("##\tTab\n", ["Tab"]),
        ("```\n## not\n```\n## A\n", ["A"]),
        ("~~~ sh\n## not\n```\n## not\n~~~\n## A\n", ["A"]),
        ("````md\n```\n## not\n```\n## not\n````\n## A\n", ["A"]),
        ("```\n## not\n```js\n## not\n``\n## not\n````\n## A\n", ["A"]),
        ("  ```\n## not\n   ```  \n## A\n", ["A"]),
        ("```one line``` of code\n## A\n", ["A"]),
        ("    ```\n## A\n", ["A"]),
        ("~~~ a ~~~\n## not\n", []),
        ("```\n## not, since it never ends\n", []),
        ("Mention of ## Decisions in a line\n", []),
    ],
)
def test_headings_are_found_outside_of_code_only(body: str, found: list[str]) -> None:
    assert headings(body) == found


def test_a_section_can_be_taken_alone() -> None:
    found = sections_of("# Top\n\nHead.\n\n## Why us\n\nText.\n\n## Why us\n\n### Sub\n\n## ???\n")
    assert [(s.anchor, s.heading, s.text) for s in found] == [
        ("", "", "# Top\n\nHead."),
        ("why-us", "Why us", "Text."),
        ("why-us-2", "Why us", "### Sub"),
        ("section", "???", ""),
    ]


@pytest.mark.parametrize("title", ["why US", " Why us ", "Why us ##"])
def test_a_section_is_found_whatever_the_case(title: str) -> None:
    found = section_named("## Other\n\n## Why us\n\nText.\n", title)
    assert found is not None
    assert found.text == "Text."
    assert section_named("Why us\n", title) is None
    assert section_named("## \u200b\n", "") is None


@given(bodies, titles, bodies)
@example("```\nopen", "A", "text")
@example("## A\n```\nopen", "A", "```\nopen as well")
def test_a_section_that_was_put_in_is_found_with_its_text(body: str, title: str, text: str) -> None:
    changed = with_section(body, title, text)
    found = section_named(changed, title)
    assert found is not None
    assert without_returns(found.text) == without_returns(section_text(text))
    assert with_section(changed, title, text) == changed


@given(bodies)
def test_a_text_is_changed_for_a_section_only_by_what_would_break_it(text: str) -> None:
    made = section_text(text)
    assert section_text(made) == made
    if len(parts_of(text)) == 1 and len(parts_of(f"{text}\n## x")) == 2:
        assert made.strip() == text.strip()


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("\n \n    code first\n\n", "    code first"),
        ("x\n## Own\ny\n### Sub", "x\n### Own\ny\n### Sub"),
        ("## Own", "### Own"),
        ("```\n## code", "```\n## code\n```"),
        ("````\n```\n", "````\n```\n````"),
        (" \n", ""),
    ],
)
def test_headings_of_a_text_go_below_the_section_it_stands_in(text: str, made: str) -> None:
    assert section_text(text) == made


@given(bodies, titles, bodies)
def test_putting_a_section_in_leaves_every_other_one_alone(
    body: str, title: str, text: str
) -> None:
    before, after = parts_of(body), parts_of(with_section(body, title, text))
    old = section_named(body, title)
    if old is None:
        assert [part.heading for part in after[:-1]] == [part.heading for part in before]
        assert all(
            new.text.startswith(part.text.rstrip())
            for new, part in zip(after, before, strict=False)
        )
    else:
        wanted = old.heading.casefold()
        n = next(n for n, part in enumerate(before) if n and part.heading.casefold() == wanted)
        assert after[:n] + after[n + 1 :] == before[:n] + before[n + 1 :]


@pytest.mark.parametrize(
    ("body", "title", "text", "new"),
    [
        ("", "A", "x", "## A\n\nx\n"),
        ("Head", "A", "x", "Head\n\n## A\n\nx\n"),
        ("Head\n", "A", "x", "Head\n\n## A\n\nx\n"),
        ("Head\n\n", "A", "x", "Head\n\n## A\n\nx\n"),
        ("## A\nold\n## B\ny\n", "a", "x", "## a\n\nx\n\n## B\ny\n"),
        ("## A\r\n\r\nold\r\n", "A", "x\ny", "## A\r\n\r\nx\r\ny\r\n"),
        ("## A\n\nx\n```\nopen\n", "B", "y", "## A\n\nx\n```\nopen\n```\n\n## B\n\ny\n"),
        ("## A\n\nx\n\n## B\n", "A", "~~~\nopen", "## A\n\n~~~\nopen\n~~~\n\n## B\n"),
    ],
)
def test_a_section_is_replaced_or_added_at_the_end(
    body: str, title: str, text: str, new: str
) -> None:
    assert with_section(body, title, text) == new


def test_a_large_body_is_soon_cut() -> None:
    for line in (
        "## A\n",
        "```\n",
        " \n",
        "##" + " " * 10_000 + "#\n",
        "## " + "# " * 5_000 + "\n",
    ):
        body = line * (400_000 // len(line))
        assert is_quick(lambda body=body: parts_of(body))  # type: ignore[misc]
