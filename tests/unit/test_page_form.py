"""Pages on disk: statements below the title, rules as headings."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recollect.model.page_form import in_memory, on_disk, title_for

MARK = "<!-- from: 2026-10-06-orders; date: 2026-10-06T14:30:00Z; trust: {}; source: instructed; title: Set up orders -->"
LONG = "Use the strong types of the domain instead of plain strings wherever an order is passed on"


def test_statements_stand_below_the_title_of_their_page() -> None:
    body = f"# Orders\n\n## Noted\n\n- Order store: PostgreSQL. {MARK.format('user')}\n\n## Noted by the agent\n\n- Port 8080 is taken. {MARK.format('agent')}\n"

    page = on_disk(body)

    assert page.startswith("# Orders\n\n- Order store: PostgreSQL. ^")
    assert "\n## Noted by the agent\n" in page
    assert in_memory(page) == in_memory(on_disk(in_memory(page)))
    assert "## Noted\n\n- Order store: PostgreSQL. <!-- ^" in in_memory(page)


@pytest.mark.parametrize(
    ("rule", "trust", "label"),
    [
        ("Never push to main.", "user", ""),
        (LONG, "user", ""),
        ("Never push to main", "agent", " (agent)"),
        ("提交前先跑测试", "external", "（外部）"),
    ],
)
def test_a_rule_is_its_heading(rule: str, trust: str, label: str) -> None:
    body = f"# Rules\n\n## {title_for(rule, label)}\n\n- {rule} {MARK.format(trust)}\n"

    page = on_disk(body)

    lines = [line for line in page.splitlines() if rule in line]
    assert len(lines) == 1
    assert lines[0].startswith(f"## {rule} ^")
    assert f"## {title_for(rule, label)}" in in_memory(page)
    assert f"\n- {rule} <!-- " in in_memory(page)


def test_what_a_rule_replaced_stays_below_it() -> None:
    past = "<!-- superseded 2026-10-07: previously Push to main. -->"
    body = f"# Rules\n\n## Never push to main\n\n- Never push to main {MARK.format('user')}\n  {past}\n\n## Run the tests\n\nThey take a minute.\n"

    page = on_disk(body)

    assert f"^l6tv [^12b52e]\n\n{past}\n\n## Run the tests\n" in page
    assert f"\n  {past}\n" in in_memory(page)


def test_a_rule_that_a_person_saved_is_said_once() -> None:
    page = on_disk("# Rules\n\n## Always squash ^abcd\n\nAlways squash\n")

    assert page == "# Rules\n\n## Always squash ^abcd\n"
    assert in_memory(page) == "# Rules\n\n## Always squash ^abcd\n\nAlways squash\n"


LINES = st.sampled_from(
    [
        "", "# Orders", "## Noted", "## 要点", "## Rule", "## Rule ^abcd", "Rule", "- Rule", f"- Rule {MARK.format('user')}",
        f"- Port 8080 is taken. {MARK.format('user')}", f"- 端口 {MARK.format('agent')}", "  <!-- superseded 2026-10-07: previously No rule. -->",
        "<!-- superseded 2026-10-07: previously No rule. -->", "<!-- seen before; session: a -->", "```\nx\n```", "text", "- own item", "### below", "> quoted", "## Rule (agent)",
        "<!-- source: observed; trust: tool; session: b -->", "  more of it", "\t- deeper",
    ]
)  # fmt: skip


@given(st.lists(LINES, max_size=14), st.sampled_from(["\n", "\r\n"]))
@example(["# Orders", f"- Rule {MARK.format('user')}", "<!-- seen before; session: a -->"], "\n")
@example(["# Orders", f"- Rule {MARK.format('user')}", "<!-- source: observed; trust: tool; session: b -->"], "\n")  # fmt: skip
@example(["# Orders", f"- Rule {MARK.format('user')}", "## Rule ^abcd"], "\n")
def test_what_is_written_is_what_is_read(lines: list[str], eol: str) -> None:
    body = in_memory(eol.join([*lines, ""]))
    page = on_disk(body)

    again = in_memory(page)

    assert in_memory(on_disk(again)) == again
    assert on_disk(again) == page


def test_what_was_added_in_the_same_minute_has_one_footnote() -> None:
    said = "<!-- source: instructed; trust: user; date: 2026-11-29T11:45:00Z -->"
    page = on_disk(f"# P\n\n## The rule ^edv4\n\na\n\n{said}\n\nb\n\n{said}\n")
    assert "## The rule ^edv4 [^b736cb]\n" in page
