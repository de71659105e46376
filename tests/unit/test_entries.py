"""What the index and the views know of a memory."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recollect.model import entries
from recollect.model.document import memory_from_text
from recollect.model.memory import TRUSTS, day_of

from .build import any_text, memory
from .test_sections import bodies

SESSION = {
    "kind": "session",
    "path": "episodic/s/summary.md",
    "trust": "agent",
    "source": "observed",
}


@example("# Top\n## A", "semantic/a.md")  # a heading that is not the memory's title
@given(bodies, st.sampled_from(["semantic/a.md", "archive/a.md", "episodic/s/conversation.md"]))
def test_every_body_is_filed_with_all_its_words(body: str, path: str) -> None:
    found = entries.index_units(memory(body=body, path=path, title="stem"))
    assert len({one.anchor for one in found}) == len(found)
    shelf = {"semantic": "hot", "archive": "cold", "episodic": "raw"}[
        path.split("/", maxsplit=1)[0]
    ]
    assert {one.shelf for one in found} <= {shelf}
    if path == "semantic/a.md" and "<!--" not in body:
        filed = " ".join(f"{one.heading} {one.text}" for one in found)
        assert set(filter(str.isalnum, body)) <= set(filed)


@given(bodies, st.sampled_from(TRUSTS))
def test_a_section_never_claims_more_trust_than_its_memory(body: str, trust: str) -> None:
    for one in entries.index_units(memory(body=body, trust=trust)):
        assert TRUSTS.index(one.trust) <= TRUSTS.index(trust)


def test_the_head_and_each_section_are_filed_alone() -> None:
    body = "# Use Redis\n\nHead.\n\n## Why\n\nFast.\n\n## Empty\n"
    found = entries.index_units(memory(body=body, title="Use Redis"))
    assert [(one.anchor, one.heading, one.text) for one in found] == [
        ("", "", "Head."),
        ("why", "Why", "Fast."),
        ("empty", "Empty", ""),
    ]


@pytest.mark.parametrize(
    ("body", "texts"),
    [
        (
            "# Use Redis\n\n## Why\n\nFast.\n",
            ["Fast."],
        ),  # a head that is only the title says nothing
        ("# Another\n\nHead.\n", ["# Another\n\nHead."]),
        ("# Use Redis\n", ["# Use Redis"]),
        ("\n \n", [""]),
        ("", [""]),
    ],
)
def test_a_head_that_only_names_the_memory_is_not_filed_beside_its_sections(
    body: str, texts: list[str]
) -> None:
    assert [one.text for one in entries.index_units(memory(body=body, title="Use Redis"))] == texts


def test_the_list_of_earlier_sessions_is_not_filed_each_has_a_page() -> None:
    listed = "<!-- RECENT_START -->\n## Before\n\n- 2026-01-01: Redis\n<!-- RECENT_END -->"
    body = f"# Recent\n\nMine.\n\n{listed}\n\nAnd mine.\n"
    page = {"body": body, "title": "Recent", "kind": "fact"}
    core = entries.index_units(memory(path="core/recent.md", **page))
    assert [(one.anchor, one.text.split()) for one in core] == [("", ["Mine.", "And", "mine."])]
    other = entries.index_units(memory(path="semantic/recent.md", **page))
    assert "Redis" in " ".join(one.text for one in other)  # somebody quotes it


ADDED = "# Use Redis\n\n## Backups run nightly ^tmvg\n\nAt 02:00.\n"


@pytest.mark.parametrize(
    "fields",
    [
        {"kind": "decision"},
        {"kind": "issue", "source": "observed"},
        {"kind": "pattern"},
        {"kind": "fact", "source": "instructed"},
        {"kind": "fact", "source": "inferred", "trust": "agent"},
    ],
)
def test_a_title_that_is_the_statement_is_filed_beside_what_was_added_to_it(
    fields: dict[str, str],
) -> None:
    page = memory(body=ADDED, title="Use Redis", **fields)
    found = [(one.anchor, one.text) for one in entries.index_units(page)]
    assert found == [("", "# Use Redis"), ("backups-run-nightly", "At 02:00.")]
    whole, own = entries.entries_of(page)
    assert (whole.anchor, whole.kind, whole.trust) == ("", fields["kind"], page.trust)
    assert own.entry == "tmvg"


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        (ADDED, {"kind": "fact", "source": "observed"}),  # a page of a subject
        (ADDED.replace("Use Redis", "Database"), {"kind": "decision", "title": "Database"}),
        (ADDED, {"kind": "rule"}),
        (ADDED, {"kind": "pointer", "source": "instructed"}),
        (ADDED, {"kind": "fact", "source": "instructed", "path": "core/project.md"}),
        ("# Use Redis\n\n## Noted\n\n- Backups. <!-- from: s --> <!-- ^tmvg -->\n", {}),
    ],
)
def test_a_title_that_names_what_its_entries_are_about_is_no_statement(
    body: str, fields: dict[str, str]
) -> None:
    page = memory(body=body, **({"title": "Use Redis"} | fields))
    assert [one.entry for one in entries.entries_of(page)] == ["tmvg"]


def test_sections_of_a_session_are_of_the_kind_they_list() -> None:
    body = (
        "# S\n\n## Summary\n\n- Asked: x\n\n## Decisions\n\n- [other] Use Redis\n  - source: instructed\n\n"
        "## 问题\n\n- [bugfix] It leaks: open\n\n## Patterns\n\n- [other] Guess\n  - source: inferred\n"
    )
    found = {
        one.heading: one for one in entries.index_units(memory(body=body, title="S", **SESSION))
    }
    assert {name: one.kind for name, one in found.items()} == {
        "Summary": "session", "Decisions": "decision", "问题": "issue", "Patterns": "pattern",
    }  # fmt: skip
    # What only the person said is the person's, whatever else the session heard.
    assert (found["Decisions"].trust, found["Decisions"].source) == ("user", "instructed")
    assert (found["Patterns"].trust, found["Patterns"].source) == ("agent", "inferred")
    plain = entries.index_units(memory(body=body, title="S", kind="fact"))
    assert {one.kind for one in plain} == {"fact"}


def test_a_solution_is_filed_as_one_with_the_trust_it_claims() -> None:
    body = (
        "# How\n\n## Rule\n\nx <!-- a remark -->\n\n## Solution: npm-eresolve\n\n**Symptom:** ERESOLVE\n\n"
        "<!-- source: inferred; trust: tool; session: s -->\n\n## 解决方案：端口占用\n\n端口\n\n<!-- trust: user -->\n"
    )
    found = entries.index_units(
        memory(body=body, title="How", kind="rule", trust="agent", source="instructed")
    )
    assert [(one.kind, one.trust, one.source) for one in found] == [
        ("rule", "agent", "instructed"),
        ("solution", "tool", "inferred"),
        ("solution", "agent", "instructed"),
    ]
    assert "<!--" not in "".join(one.text for one in found)


def test_a_trigger_belongs_to_the_sections_that_speak_of_it() -> None:
    body = "# How\n\n## Solution: npm\n\nERESOLVE in npm\n\n## Solution: db\n\nThe database locked up\n"
    fields = {"title": "How", "kind": "rule", "trigger": ("ERESOLVE", "database-locked", "nowhere")}
    found = entries.index_units(memory(body=body, **fields))
    assert [one.trigger for one in found] == [("ERESOLVE",), ("database-locked",)]
    alone = entries.index_units(memory(body="Text.", **fields))
    assert alone[0].trigger == ("ERESOLVE", "database-locked", "nowhere")


def test_a_raw_conversation_is_filed_by_its_turns() -> None:
    body = (
        "# Raw Conversation Log\n\n### User [10:00:00]\n\nHello\n\n\\### User [11:00]\n\n---\n\n"
        "> Tool [10:00:05] shell: `ls`\n\n### Claude [10:01]\n\nHi\n\n---\n"
    )
    log = memory(body=body, path="episodic/s/conversation.md", trust="agent")
    found = entries.index_units(log)
    assert [(one.shelf, one.anchor, one.kind) for one in found] == [
        ("raw", "turn-1", "conversation"),
        ("raw", "turn-2", "conversation"),
    ]
    assert found[0].text.startswith("User [10:00:00]\n\nHello")
    assert found[1].text == "Claude [10:01]\n\nHi"


@pytest.mark.parametrize(
    ("body", "turns"),
    [
        ("no turns at all", ["no turns at all"]),
        ("", []),
        ("### User\n\nno time\n", ["### User\n\nno time"]),
        ("head\n### A [10:00]\n\n### B [10:01]\nx", ["A [10:00]", "B [10:01]\nx"]),
    ],
)
def test_turns_are_found_by_their_time(body: str, turns: list[str]) -> None:
    assert entries.turns_of(body) == turns


@pytest.mark.parametrize(
    ("body", "summary"),
    [
        ("# Use Redis\n\nIt is **fast** and `small`.\n", "It is fast and small."),
        ("- [ ] first\n- second", "first"),
        ("1. numbered", "numbered"),
        ("```\ncode\n```", "code"),
        ("| a | b |\n---\n> quoted", "quoted"),
        ("use redis\nnext", "next"),
        ("<!-- hidden -->\nshown", "shown"),
        ("x" * 400, "x" * 159 + "…"),
        ("", ""),
        ("\n# Only a heading\n", ""),
        ("## Metadata\n\n- **Time**: 2026-01-11\n\n## Topic Summary\n\nTen links.", "Ten links."),
        ("## 元信息\n\n- **时间**：2026-01-11\n\n## 主题摘要\n\n十个连接。", "十个连接。"),
        ("## Metadata\n\n- **Time**: 2026-01-11", ""),
    ],
)
def test_the_summary_is_the_first_telling_line(body: str, summary: str) -> None:
    assert entries.summary_of(memory(title="Use Redis", body=body)) == summary


@given(any_text)
def test_an_entry_has_all_fields_of_its_memory_and_one_line_of_text(body: str) -> None:
    one = memory_from_text(body, "semantic/a.md")
    found = entries.entry_of(one, "stamp")
    for name in set(one._fields) & set(found._fields):
        assert getattr(found, name) == getattr(one, name)
    assert len(found.summary) <= entries.LONGEST_SUMMARY
    assert "\n" not in found.summary
    assert (found.stamp, found.archived) == ("stamp", False)
    assert entries.entry_of(memory(path="archive/a.md"), "").archived


@pytest.mark.parametrize(
    ("time", "day"),
    [
        ("1970-01-01", 0), ("1970-01-02T23:59:59Z", 1), ("2026-01-11T00:00:00Z", 20464),
        ("", 0), ("2026-13-01", 0), ("soon", 0),
    ],
)  # fmt: skip
def test_days_are_counted_from_1970(time: str, day: int) -> None:
    assert day_of(time) == day


def test_comments_are_bookkeeping() -> None:
    assert entries.without_comments(" a <!-- b\nc --> d <!-- e ") == "a  d"
    assert entries.without_comments(" a ") == "a"


def test_what_is_private_in_a_file_is_neither_filed_nor_shown() -> None:
    body = "# Deploy\n\n<private>hunter two</private> By hand.\n\n## Keys\n\n<private>zebra\n"
    one = memory(body=body, title="Deploy")
    said = entries.summary_of(one) + "".join(part.text for part in entries.index_units(one))
    assert "By hand." in said
    assert "hunter" not in said
    assert "zebra" not in said


@pytest.mark.parametrize(
    ("line", "summary"),
    [
        ("Call `__init__` of **Store** once", "Call __init__ of Store once"),
        ("- Run *all* of src/*.py and user_name_id", "Run all of src/*.py and user_name_id"),
    ],
)
def test_a_summary_keeps_the_signs_that_are_no_emphasis(line: str, summary: str) -> None:
    assert entries.summary_of(memory(body=f"# T\n\n{line}\n", title="T")) == summary


def test_a_long_turn_is_filed_in_parts_that_have_all_of_it() -> None:
    lines = [f"Line {n} says something of its own." for n in range(60)]
    body = "### User [10:00]\n\nShort.\n\n### Claude [10:01]\n\n" + "\n".join(lines) + " end" * 400
    found = entries.index_units(memory(body=body, path="episodic/s/conversation.md"))
    anchors = [one.anchor for one in found]
    assert anchors[:3] == ["turn-1", "turn-2", "turn-2.2"]
    assert len(set(anchors)) == len(anchors)
    assert all(one.text.startswith("Claude [10:01]\n") for one in found[1:])
    assert all(len(one.text) <= entries.LONGEST_PART + 40 for one in found)
    said = " ".join(" ".join(one.text.split()[2:]) for one in found[1:])
    assert said.split() == " ".join(lines).split() + ["end"] * 400


RULES = """# How to work here

## Never push to main

- Never push to main. <!-- from: ep1; date: 2026-10-06T10:00:00Z; trust: user; source: instructed -->
  <!-- superseded 2026-10-06: previously Push to main. -->

## Skip tests on Fridays (agent)

- Skip tests on Fridays. <!-- from: ep2; date: 2026-10-07T10:00:00Z; trust: agent; source: inferred -->

## Small commits

Small commits.
"""


def test_each_rule_of_a_page_has_its_own_origin_and_date() -> None:
    page = memory(
        id="feedback", path="procedural/feedback.md", title="How to work here", kind="rule",
        layer="procedural", source="instructed", created="2026-10-01T00:00:00Z", body=RULES,
    )  # fmt: skip
    found = entries.entries_of(page)
    assert [(one.anchor, one.kind, one.source, one.trust, one.created, one.session) for one in found] == [
        ("never-push-to-main", "rule", "instructed", "user", "2026-10-06T10:00:00Z", "ep1"),
        ("skip-tests-on-fridays-agent", "rule", "inferred", "agent", "2026-10-07T10:00:00Z", "ep2"),
        ("small-commits", "rule", "instructed", "user", "", ""),
    ]  # fmt: skip
    assert "Push to main" not in "".join(one.text for one in found)
    assert len({one.entry for one in found}) == 3
    alone = entries.entries_of(page._replace(body="# How to work here\n\n## Small commits\n\nx\n"))
    assert [one.created for one in alone] == ["2026-10-01T00:00:00Z"]  # when the page was made


SUBJECT = """# Orders

About orders.

## Noted

- Order store: PostgreSQL, because of JSONB. <!-- from: ep1; date: 2026-10-06T10:00:00Z; trust: user -->
- Written by hand
  in two lines
- Ids are ULIDs. <!-- from: ep2; date: 2026-10-07T10:00:00Z; trust: agent; source: inferred -->
  <!-- superseded 2026-10-07: previously Ids are integers. -->
"""


def test_each_item_of_a_page_of_facts_is_an_entry() -> None:
    page = memory(
        id="orders", title="Orders", kind="fact", body=SUBJECT,
        created="2026-10-01T00:00:00Z", updated="2026-10-08T00:00:00Z",
    )  # fmt: skip
    whole, *items = entries.entries_of(page)
    assert (whole.anchor, whole.text, whole.created) == (
        "",
        "About orders.",
        "2026-10-01T00:00:00Z",
    )
    assert [(one.text, one.source, one.trust, one.created[:10]) for one in items] == [
        ("Order store: PostgreSQL, because of JSONB.", "observed", "user", "2026-10-06"),
        ("Written by hand\nin two lines", "observed", "user", "2026-10-08"),
        ("Ids are ULIDs.", "inferred", "agent", "2026-10-07"),
    ]
    for one in items:
        assert (one.within, one.heading) == ("noted", "Noted")
        assert entries.rows_at(page, one.anchor) == [one]
        assert entries.rows_at(page, f"^{one.entry}") == [one]
    assert entries.rows_at(page, "noted") == items
    assert entries.rows_at(page, "^") == []


def test_the_id_of_an_entry_stays_with_its_words() -> None:
    page = memory(id="orders", title="Orders", body=SUBJECT)
    names = [one.entry for one in entries.entries_of(page)]
    moved = page._replace(
        path="archive/a.md", body=SUBJECT.replace("Ids are ULIDs", "ids are  ULIDs")
    )
    assert [one.entry for one in entries.entries_of(moved)] == names
    twice = page._replace(body=SUBJECT + SUBJECT.partition("## Noted\n")[2])
    again = [one.entry for one in entries.entries_of(twice)]
    assert len(set(again)) == len(again) == 7


def test_a_list_without_origins_is_a_part_of_its_page() -> None:
    page = memory(title="Deploy", body="# Deploy\n\n## Steps\n\n- Build\n- Push\n")
    (whole,) = entries.entries_of(page)
    assert (whole.anchor, whole.text) == ("", "## Steps\n\n- Build\n- Push")
    assert [one.entry for one in entries.index_units(page)] == [""]


def test_a_fact_of_a_session_is_trusted_as_it_says() -> None:
    body = (
        "# S\n\n## Summary\n\n- Asked: x\n\n## Decisions\n\n- [technology] Use Redis: it is fast\n"
        "  - source: instructed\n  - files: src/a.py\n- [other] Cache all\n  - source: inferred\n\n"
        "## Issues\n\n- [bugfix] It leaks: resolved\n\n## Patterns\n\n- None\n"
    )
    page = memory(body=body, title="S", **SESSION, session="s1", created="2026-10-01T00:00:00Z")
    found = entries.entries_of(page)
    assert [(one.kind, one.text, one.source, one.trust, one.status) for one in found[1:]] == [
        ("decision", "Use Redis: it is fast\nsrc/a.py", "instructed", "user", "confirmed"),
        ("decision", "Cache all", "inferred", "agent", "confirmed"),
        ("issue", "It leaks", "observed", "agent", "resolved"),
    ]
    assert {(one.session, one.created[:10]) for one in found} == {("s1", "2026-10-01")}
    assert (found[0].kind, found[0].source, found[0].trust) == ("session", "observed", "agent")


def test_ids_and_footnotes_of_a_page_are_its_entries_own() -> None:
    body = (
        "# Orders\n\n- Order store: PostgreSQL. ^k3f9 [^0b6f]\n- Ids are ULIDs. ^m2d7 [^91c2]\n\n"
        "## Never push to main ^q4w5 [^0b6f]\n\nNever push to main.\n\n"
        '[^0b6f]: 2026-10-06, "Schema", said by the person\n[^91c2]: 2026-11-16, "Ids", noted by the agent\n'
    )
    page = memory_from_text(f"---\ntype: semantic\n---\n{body}", "semantic/orders.md")
    store, ids, section = entries.entries_of(page)
    assert [(one.entry, one.anchor, one.text) for one in (store, ids)] == [
        ("k3f9", "^k3f9", "Order store: PostgreSQL."), ("m2d7", "^m2d7", "Ids are ULIDs."),
    ]  # fmt: skip
    assert [(one.source, one.trust, one.created) for one in (store, ids)] == [
        ("instructed", "user", "2026-10-06"), ("inferred", "agent", "2026-11-16"),
    ]  # fmt: skip
    assert (section.entry, section.kind, section.trust) == ("q4w5", "fact", "user")
    rules = memory_from_text(f"---\ntype: procedural\n---\n{body}", "procedural/feedback.md")
    rule = entries.rows_at(rules, "never-push-to-main")[0]
    assert (rule.entry, rule.heading, rule.source, rule.trust, rule.created) == (
        "q4w5", "Never push to main", "instructed", "user", "2026-10-06",
    )  # fmt: skip
