"""A solution that is met again: believed more, in place, and once for each session."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.capture.summary import seen_again, solution_text
from recollect.capture.summary import solution_comment as comment
from recollect.model.document import memory_from_text
from recollect.model.entries import index_units, origins_of, without_comments
from recollect.model.footnotes import label_of

ROW = {
    "symptom": "Error: listen EADDRINUSE", "failed": "npm test", "solution": "PORT=0 npm test",
    "why": "", "triggers": ["EADDRINUSE"],
}  # fmt: skip
sessions = st.text(min_size=1, max_size=12).filter(str.strip)


def lesson(session: str, lang: str = "en", **other: object) -> str:
    return solution_text({**ROW, **other}, lang, session)


def confidence(text: str) -> str:
    page = f"---\nconfidence: low\n---\n## Solution: port\n\n{text}\n"
    (found,) = index_units(memory_from_text(page, "procedural/feedback.md"))
    return found.confidence


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_same_solution_in_another_session_is_believed_more(lang: str) -> None:
    first, second = lesson("one", lang), lesson("two", lang, failed="npm run e2e")
    text = seen_again(first, "two", second)
    assert (confidence(first), confidence(text)) == ("medium", "high")
    assert without_comments(text) == without_comments(first)
    assert origins_of(text) == {label_of("one"), label_of("two")}


def test_another_solution_is_not_the_same() -> None:
    assert seen_again(lesson("one"), "two", lesson("two", solution="npm test -- --port 0")) == ""
    assert seen_again("**Solution:** `PORT=0 npm test`", "two", lesson("two")) == ""


@given(sessions, sessions)
def test_a_session_counts_once_however_often_it_is_captured(one: str, two: str) -> None:
    first = lesson(one)
    assert seen_again(first, one, lesson(one)) == first
    text = seen_again(first, two, lesson(two))
    assert text == first if comment(one) == comment(two) else confidence(text) == "high"
    for session in (one, two, "three"):
        assert seen_again(text, session, lesson(session)) == text or text == first


def test_the_same_solution_for_another_file_is_the_same() -> None:
    first, second = (
        lesson(name, solution=f"gofmt -w {name}.go && golangci-lint run") for name in ("one", "two")
    )
    assert confidence(seen_again(first, "two", second)) == "high"


def test_all_attempts_and_edited_files_are_named() -> None:
    edits = [["a.json", "`1` → `2`"], ["b`c.json", ""]]
    text = lesson("one", tries=["npm t"], edits=edits)
    assert "**Failed:** `npm t`, `npm test`\n" in text
    assert (
        "**Solution:** `PORT=0 npm test` (after changes of `a.json`: `1` → `2`, `b'c.json`)\n"
        in text
    )
    assert "修改 `a.json`: `1` → `2` 之后" in lesson("one", "zh", edits=edits[:1])


def test_a_correction_is_told_in_the_persons_words() -> None:
    said = "No, we use pnpm here."
    text = lesson("one", symptom=said, why=said, failed="npm install", solution="pnpm install")
    assert text.startswith(f"**Symptom:** {said}\n**Failed:** `npm install`\n")
    assert "**Why:** the person said so\n" in text
