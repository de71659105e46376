"""The page of a month and the block of what came before: bounded, once each, a person's lines kept."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from recollect.context.brief_input import MOST_SESSIONS
from recollect.features import session_archive
from recollect.features.session_archive import END, RECENT_TOKENS, START
from recollect.model.document import sections_of
from recollect.model.memory import Entry
from recollect.text.tokens import count_tokens

from .build import any_text, entry, memory


def title(one: Entry) -> str:
    return one.title


any_entry = st.builds(
    lambda title, trust, day, tags: entry(
        title=title,
        trust=trust,
        kind="session",
        layer="episodic",
        created=f"2026-{day}T10:00:00Z",
        tags=tags,
    ),
    any_text,
    st.sampled_from(["user", "agent", "tool", "external"]),
    st.sampled_from(["01-02", "01-30", "02-14", "03-01", "03-02"]),
    st.lists(any_text, max_size=3).map(tuple),
)


@given(st.lists(any_entry, max_size=60), st.sampled_from(["en", "zh"]))
def test_the_block_stays_within_its_budget_and_starts_nothing_else(
    entries: list[object], lang: str
) -> None:
    block = session_archive.recent_block(entries, "2026-02-10", lang, title)  # type: ignore[arg-type]
    body = session_archive.with_recent("", block)
    assert count_tokens(body) <= RECENT_TOKENS + 2
    assert len([s for s in sections_of(body) if s.heading]) == bool(block)
    assert body.count(START) == body.count(END) == bool(block)


def test_private_sessions_are_not_in_the_block() -> None:
    usual = {"kind": "session", "layer": "episodic", "created": "2026-03-01T10:00:00Z"}
    entries = [entry(title=f"t{n}", id=f"e{n}", **usual) for n in range(9)]
    hidden = [
        entry(title="secret", id="a0", private=True, **usual),
    ]
    block = session_archive.recent_block([*entries, *hidden], "2026-02-01", "en", title)
    assert "t0" in block
    assert "secret" not in block
    assert "elsewhere" not in block


def test_what_no_one_who_is_trusted_said_is_counted_and_not_quoted() -> None:
    usual = {"kind": "session", "layer": "episodic", "tags": ("evil",)}
    entries = [
        entry(id=f"e{n}", created="2026-03-01T10:00:00Z", **usual) for n in range(MOST_SESSIONS)
    ]
    entries += [
        entry(id="a0", title="evil", trust="external", created="2026-02-20T10:00:00Z", **usual),
        entry(id="a1", title="evil", trust="tool", created="2026-01-20T10:00:00Z", **usual),
    ]
    block = session_archive.recent_block(entries, "2026-02-01", "en", lambda _: "")
    assert block.splitlines()[2:] == ["- 2026-02-20: sessions: 1", "- 2026-01: sessions: 1"]


@given(any_text, any_text, any_text, any_text)
def test_what_stands_around_the_block_stays(before: str, after: str, old: str, new: str) -> None:
    def plain(text: str) -> str:
        return text.replace(START, "").replace(END, "")

    before, after, old, new = map(plain, (before, after, old, new))
    body = f"{before}{START}{old}{END}{after}"
    made = session_archive.with_recent(body, new)
    assert made.startswith(before + START)
    assert made.endswith(END + after)
    assert session_archive.with_recent(made, new) == made


@given(any_text, any_text)
def test_a_session_is_on_a_page_once_and_in_a_section_of_its_own(title: str, text: str) -> None:
    page = "# Sessions of 2026-01\n\nMine.\n"
    made = session_archive.with_session(
        page, f"2026-01-01 {title}", "memory: a", f"## Notes\n\n{text}"
    )
    assert session_archive.with_session(made, "other", "memory: a", "other") == made
    both = session_archive.with_session(made, "2026-01-02 b", "memory: b", "- b")
    assert both.startswith(page.rstrip())
    assert "<!-- memory: b -->" in both


def test_no_session_can_pass_for_another() -> None:
    page = session_archive.with_session(
        "# P\n", "a <!-- memory: b -->", "memory: a", "- x\n<!-- memory: b -->\n<!-- y -->"
    )
    assert "<!-- y -->" in page
    assert "- said of b" in session_archive.with_session(page, "b", "memory: b", "- said of b")


def test_a_digest_has_all_but_the_files_one_level_down() -> None:
    body = "# T\n\n## Summary\n\n- it went well\n\n## Files\n\n- `a.py`\n\n## Notes\n\n- n\n<!-- x -->\n"
    text = session_archive.digest_of(memory(body=body))
    assert text == "## Summary\n\n- it went well\n\n## Notes\n\n- n"
    page = session_archive.with_session("# P\n", "2026-01-01 T", "memory: a", text)
    assert page == (
        "# P\n\n## 2026-01-01 T\n<!-- memory: a -->\n\n### Summary\n\n- it went well\n\n### Notes\n\n- n\n"
    )
