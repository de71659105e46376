"""Ids and footnotes of a page, and the comments that they stand for."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.model import footnotes
from recollect.model.document import (
    memory_from_text,
    section_named,
    sections_of,
    with_section,
    without_section,
)
from recollect.model.footnotes import (
    Note,
    comments_to_footnotes,
    expanded,
    is_same_origin,
    label_of,
    short_id,
)
from recollect.model.merge import merged

COMMENTS = """# Orders

## Noted

- Order store: PostgreSQL. <!-- from: 2026-10-06-orders; date: 2026-10-06T14:30:00Z; trust: user; source: instructed; title: Set up orders -->
- Port 8080 is taken. <!-- from: 2026-10-06-orders; date: 2026-10-06T14:30:00Z; trust: user; source: instructed; title: Set up orders -->

## Never push to main

- Never push to main. <!-- from: 2026-10-07-x; date: 2026-10-07T09:00:12Z; trust: user; source: instructed; salience: high -->
  <!-- superseded 2026-10-07: previously Push to main. -->

## Solution: the queue hangs

Restart the worker.

<!-- source: observed; trust: tool; confidence: high; session: b -->
<!-- seen before; session: a -->
"""

NOTES = f"""# Orders

## Noted

- Order store: PostgreSQL. ^{short_id("Order store: PostgreSQL.")} [^{label_of("2026-10-06-orders")}]
- Port 8080 is taken. ^{short_id("Port 8080 is taken.")} [^{label_of("2026-10-06-orders")}]

## Never push to main ^{short_id("Never push to main.")}

- Never push to main. [^{label_of("2026-10-07-x")}]
  <!-- superseded 2026-10-07: previously Push to main. -->

## Solution: the queue hangs ^{short_id("Solution: the queue hangs")} [^{label_of("b")}] [^{label_of("a")}]

Restart the worker.

[^{label_of("2026-10-06-orders")}]: 2026-10-06 14:30, "Set up orders", said by the person
[^{label_of("2026-10-07-x")}]: 2026-10-07 09:00:12, said by the person, important
[^{label_of("a")}]: seen before
[^{label_of("b")}]: seen in the session, sure
"""


class FootnotedText(NamedTuple):
    """A line, or with its heading a section, that has an id, footnotes, or both.

    What has none of its own below a heading with an id is of the entry that the heading is.
    """

    line: int
    is_heading: bool
    text: str
    id: str
    notes: tuple[Note, ...]


def stated_in(body: str) -> list[FootnotedText]:
    """The lines and headings of a page, in either form, that have an id or an origin.

    Those of an older page have the ids that they get when the page is written.
    """
    body = comments_to_footnotes(body)
    if "^" not in body:
        return []
    lines = body.split("\n")
    notes = footnotes._notes(lines)
    found: list[FootnotedText] = []
    heading = -1
    for n, line in footnotes.outside_code(lines):
        is_heading = bool(footnotes._HEADING.match(line))
        tail = footnotes.tail_of(line)
        name = footnotes._name_in(line)
        given = footnotes._given(tail[2] or "", notes) if tail else ()
        if tail and given and not name and heading >= 0 and not is_heading:
            rule = found[heading]
            found[heading] = rule._replace(notes=(*rule.notes, *given))
        elif tail and (name or given):
            text = (
                line[2 : tail.start()]
                if is_heading
                else footnotes._MARKER.sub("", line[: tail.start()])
            )
            found.append(FootnotedText(n, is_heading, text.strip(), name, given))
        if is_heading:
            heading = len(found) - 1 if name else -1
    return found


def test_comments_become_footnotes_and_come_back() -> None:
    assert comments_to_footnotes(COMMENTS) == NOTES
    assert comments_to_footnotes(expanded(NOTES)) == NOTES
    assert "superseded" in expanded(NOTES)


def test_line_ends_stay() -> None:
    crlf = NOTES.replace("\n", "\r\n")
    assert comments_to_footnotes(COMMENTS.replace("\n", "\r\n")) == crlf
    assert comments_to_footnotes(expanded(crlf)) == crlf


def test_headings_are_found_and_replaced_whatever_stands_behind_them() -> None:
    found = section_named(NOTES, "never push to main")
    assert found is not None
    assert found.anchor == "never-push-to-main"
    new = with_section(expanded(NOTES), "Never push to main", "- Never ever.")
    assert f"## Never push to main ^{short_id('Never push to main.')}\n\n- Never ever." in new


def test_each_statement_says_where_it_comes_from() -> None:
    stated = {one.text: one for one in stated_in(NOTES)}
    assert stated["Order store: PostgreSQL."].notes == (
        Note(label_of("2026-10-06-orders"), "2026-10-06T14:30:00Z", "Set up orders", "instructed"),
    )
    sure, before = stated["Solution: the queue hangs"].notes
    assert (sure.trust, sure.confidence) == ("tool", "high")
    assert before.source == footnotes.SEEN_BEFORE
    assert [one.text for one in stated_in(COMMENTS)] == [one.text for one in stated_in(NOTES)]
    assert [one.id for one in stated_in(COMMENTS)] == [one.id for one in stated_in(NOTES)]


def test_one_footnote_for_a_session_but_for_what_was_said_otherwise() -> None:
    two = "- A is so. <!-- from: e; date: ; trust: user; source: instructed -->\n- B is so. <!-- from: e; date: ; trust: agent; source: inferred -->\n"
    made = comments_to_footnotes(two)
    label = label_of("e")
    assert made.count(f"[^{label}]:") == made.count(f"[^{label}-") - 1 == 1
    assert [one.notes[0].trust for one in stated_in(made)] == ["user", "agent"]
    assert all(is_same_origin(f"^{one.notes[0].label}", "e") for one in stated_in(made))


def test_footnotes_of_a_person_are_text() -> None:
    own = "Read this. [^1]\n\nAnd that. [^cafe]\n\n[^1]: My note.\n[^cafe]: See the wiki.\n"
    assert expanded(own) == comments_to_footnotes(own) == own


def test_what_lacks_its_footnote_or_has_two_is_trusted_least() -> None:
    alone = stated_in("- Deploy on Fridays. ^k3f9 [^0b6f3a]\n")
    assert alone[0].notes[0].trust == "external"
    twice = "- X is so. ^k3f9 [^0b6f]\n\n[^0b6f]: said by the person\n[^0b6f]: noted by the agent\n"
    assert stated_in(twice)[0].notes[0].trust == "agent"


def test_code_is_left_alone() -> None:
    code = "```\n- x = y ^k3f9 [^0b6f]\n[^0b6f]: said by the person\n```\n"
    assert expanded(code) == code


def test_an_unknown_comment_stays() -> None:
    odd = "- X is so. <!-- from: e; date: last week; trust: user -->\n"
    assert comments_to_footnotes(odd) == odd
    nobody = "- X is so. <!-- from: e; date: ; trust: king -->\n"
    assert comments_to_footnotes(nobody) == nobody


def test_an_id_is_of_the_words_and_new_where_it_is_taken() -> None:
    one = short_id("Use PostgreSQL")
    assert short_id("use  postgresql") == one
    assert len(one) == 4
    other = short_id("Use PostgreSQL", {one})
    assert other.startswith(one)
    assert len(other) == 5


@pytest.mark.parametrize("text", ["x ^2 [^0b6f3a] ^abcd", "see [^beef]", "use xor ^mask"])
def test_words_that_look_like_an_id_are_kept(text: str) -> None:
    made = comments_to_footnotes(f"- {text} <!-- from: e; date: ; trust: user -->\n")
    assert stated_in(made)[0].text == text
    assert expanded(made).startswith(f"- {text} <!-- ")


def test_a_memory_shows_none_of_it() -> None:
    text = f"---\ntitle: Orders\n---\n{NOTES}"
    memory = memory_from_text(text, "semantic/orders.md")
    assert [one.heading for one in sections_of(memory.body)][1:] == [
        "Noted",
        "Never push to main",
        "Solution: the queue hangs",
    ]
    assert comments_to_footnotes(memory.body) == NOTES


def added(page: str, origin: str, said: str, title: str) -> str:
    mark = f"<!-- from: {origin}; date: 2026-10-0{len(origin)}T10:00:00Z; trust: user; title: {title} -->"
    body = expanded(page)
    at = body.index("- Order store")
    return comments_to_footnotes(f"{body[:at]}- {said} {mark}\n{body[at:]}")


def test_what_two_people_add_is_on_one_page_in_both_orders() -> None:
    ours = added(NOTES, "e", "Amounts are cents.", "Money")
    theirs = added(added(NOTES, "ee", "Ids are ULIDs.", "Ids"), "eee", "Dates are UTC.", "Dates")
    pages = []
    for one, other in ((ours, theirs), (theirs, ours)):
        made = merged(NOTES, one, other)
        assert made.twice == 0
        stated = {row.text: row.notes for row in stated_in(made.text)}
        for side in (ours, theirs):
            assert {row.text: row.notes for row in stated_in(side)}.items() <= stated.items()
        pages.append(sorted(comments_to_footnotes(expanded(made.text)).splitlines()))
    assert pages[0] == pages[1]


def test_an_entry_takes_its_footnote_along_and_leaves_none_behind() -> None:
    body = expanded(NOTES)
    section = section_named(body, "Solution: the queue hangs")
    assert section is not None
    moved = comments_to_footnotes(with_section("# Other\n", section.heading, section.text))
    left = comments_to_footnotes(without_section(body, section.anchor))
    assert moved.count(f"[^{label_of('b')}]") == 2
    assert ", sure" in moved
    assert label_of("b") not in left
    assert "Set up orders" in left


# ------------------------------------------------------------------------------------- laws

words = st.text("ab ^[]2:\"'“，。类<>;-#*", min_size=1, max_size=20).map(
    lambda text: " ".join(text.split()).strip("<>") or "x"
)
origins = st.sampled_from(["a", "b", "2026-10-06-orders", "^0b6f3a"])
dates = st.sampled_from(["", "2026-10-06", "2026-10-06T14:30:00Z", "2026-10-06T14:30:12Z"])
whose = st.sampled_from([key for key in footnotes._WHO if key[1]])


@st.composite
def pages(draw: st.DrawFn) -> str:
    rows = ["# Page", ""]
    for n in range(draw(st.integers(0, 3))):
        rows += [f"## Section {n}", ""]
        for _ in range(draw(st.integers(0, 3))):
            (source, trust), title = draw(whose), draw(words)
            more = draw(st.sampled_from(["", "; salience: low", "; salience: high"]))
            rows.append(
                f"- a{draw(words)}z <!-- from: {draw(origins)}; date: {draw(dates)}; trust: {trust}; source: {source}{more}"
                f"; title: {footnotes.title_in_note(title)} -->"
            )
        if draw(st.booleans()):
            source, trust = draw(whose)
            rows += [
                "",
                "text",
                "",
                f"<!-- source: {source}; trust: {trust}; session: {draw(origins)} -->",
            ]
        rows.append("")
    return "\n".join(rows)


@given(pages())
def test_nothing_is_lost_on_the_way(page: str) -> None:
    made = comments_to_footnotes(page)
    assert " trust: " not in made
    assert comments_to_footnotes(expanded(made)) == made
    assert stated_in(expanded(made)) == stated_in(made) == stated_in(page)


@given(st.text('-# ^[]0b6f3a:,"\n\r`~<!>k2 saidbytheperson'))
def test_any_text_is_read(text: str) -> None:
    once = comments_to_footnotes(expanded(text))
    assert comments_to_footnotes(expanded(once)) == once
    stated_in(text)
