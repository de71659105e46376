"""What is said of a session by command: folded beside what was captured, and rendered with it."""

from __future__ import annotations

import copy

from hypothesis import given
from hypothesis import strategies as st

from recollect.capture.state import fold, with_facts, with_remarks
from recollect.capture.summary import note_lines, summary_text
from recollect.model.document import memory_from_text, sections_of
from recollect.model.facts import Fact
from recollect.model.session import Event, Remark, SessionState

from .build import any_text

EVENTS = [
    Event("prompt", "2026-01-11T14:30:00Z", "We decided to use Redis because it is fast.", id="1"),
    Event("todos", "2026-01-11T14:31:00Z", todos=(("pending", "Write the docs", "7"),), id="2"),
    Event("answer", "2026-01-11T14:32:00Z", "Done so far.", id="3"),
]
any_remark = st.builds(
    Remark,
    st.sampled_from(["task", "note", "todo", "done", "about", "of another version"]),
    any_text,
    st.sampled_from(["", "2026-01-11T14:29:00Z", "2026-01-12T00:00:00Z"]),
    st.sampled_from(["user", "agent"]),
    tags=st.lists(any_text, max_size=2).map(tuple),
)


def captured(events: list[Event]) -> SessionState:
    state = SessionState("s1", "terminal")
    fold(state, events)
    return state


@given(st.lists(any_remark, max_size=6))
def test_remarks_leave_what_was_captured_as_it_is(remarks: list[Remark]) -> None:
    state = captured(EVENTS)
    before = copy.deepcopy(state.to_json())
    facts = [(Fact("decision", "Use Redis", "it is fast", source="instructed"), "")]
    with_facts(with_remarks(state, remarks), facts)
    assert state.to_json() == before


@given(st.lists(any_remark, max_size=6), st.integers(0, 3))
def test_it_makes_no_difference_when_the_events_were_folded(
    remarks: list[Remark], folded_before: int
) -> None:
    """The note comes while the worker folds: nobody waits for anybody."""
    state = captured(EVENTS[:folded_before])
    with_remarks(state, remarks)
    fold(state, EVENTS)
    assert with_remarks(state, remarks) == with_remarks(captured(EVENTS), remarks)


@given(st.lists(any_text.map(lambda text: Remark("note", text)), max_size=8))
def test_every_note_is_kept_also_one_that_was_noted_before(remarks: list[Remark]) -> None:
    state = with_remarks(captured(EVENTS), remarks)
    assert state.notes == [remark.text for remark in remarks]


def test_a_todo_that_was_captured_can_be_ticked_off_by_command() -> None:
    state = with_remarks(captured(EVENTS), [Remark("done", "write the docs")])
    assert [(todo["text"], todo["status"]) for todo in state.todos] == [("Write the docs", "done")]


def test_what_a_person_names_goes_before_what_was_guessed() -> None:
    remarks = [
        Remark("task", "Caching", "2026-01-11T14:00:00Z"),
        Remark("about", "Redis it is.", tags=("cache", "redis")),
        Remark("about", "", tags=("cache", "ttl")),
    ]
    state = with_remarks(captured(EVENTS), remarks)
    memory = memory_from_text(summary_text(state, "m1", "en"), "episodic/m1/summary.md")
    assert memory.title == "Caching"
    assert memory.tags == ("cache", "redis", "ttl")
    assert memory.created == "2026-01-11T14:00:00Z"
    # What it decided stands in its own section and is not asked for as well.
    assert "## Summary\n\nRedis it is.\n\n## Decisions\n\n- [technology] Use Redis" in memory.body


def test_what_an_agent_said_by_command_is_trusted_like_the_agent() -> None:
    own = with_remarks(SessionState("s1"), [Remark("note", "a"), Remark("note", "b")])
    mixed = with_remarks(own, [Remark("note", "c", trust="agent")])
    trusts = [memory_from_text(summary_text(s, "m", "en"), "m.md").trust for s in (own, mixed)]
    assert trusts == ["user", "agent"]


def test_a_fact_of_its_own_stands_in_the_session_once_with_its_reason() -> None:
    state = captured(EVENTS)
    facts = [
        (Fact("decision", "use redis", "We know it", source="instructed"), "2026-01-11T15:00:00Z"),
        (Fact("issue", "It leaks", status="open", category="bugfix"), ""),
        (Fact("issue", "it leaks!", status="resolved"), ""),
    ]
    text = summary_text(with_facts(state, facts), "m1", "en")
    assert text.lower().count("use redis:") == 1
    assert "- [bugfix] It leaks: open" in text
    assert text.count("eaks") == 1


@given(st.lists(any_text, max_size=4), st.sampled_from(["en", "zh"]))
def test_a_note_starts_nothing_in_the_memory_it_is_in(notes: list[str], lang: str) -> None:
    remarks = [Remark("note", note) for note in notes]
    state = with_remarks(SessionState("s1", task="Some task"), remarks)
    text = summary_text(state, "m1", lang)
    plain = summary_text(with_remarks(SessionState("s1", task="Some task"), []), "m1", lang)
    body = text.partition("\n---\n")[2]
    heads = [s.heading for s in sections_of(body) if s.heading]
    own = [s.heading for s in sections_of(plain.partition("\n---\n")[2]) if s.heading]
    assert heads == [
        *own,
        *(["Notes" if lang == "en" else "笔记"] if any(map(str.strip, notes)) else []),
    ]


@given(any_text)
def test_every_word_of_a_note_is_in_its_lines(note: str) -> None:
    said = [word for line in note_lines(note) for word in line.lstrip(" -\\").split()]
    meant = note.replace("<!--", "‹!--").replace("-->", "--›").split()
    assert [w.lstrip("-\\") for w in said if w.lstrip("-\\")] == [
        w.lstrip("-\\") for w in meant if w.lstrip("-\\")
    ]
