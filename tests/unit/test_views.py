"""Views: a row stays a row, a marker a marker, and what is private stays out."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.context import views
from recollect.model.memory import LAYERS, LEVELS, STATUSES, Entry

from .build import NASTY, any_text, entry

entries = st.lists(
    st.builds(
        entry,
        id=st.from_regex(r"[a-z0-9]{1,9}", fullmatch=True),
        title=any_text,
        path=st.sampled_from(["semantic/a.md", "archive/a.md", "semantic/a b|c].md", "semantic/\udc80.md"]),
        tags=st.lists(any_text, max_size=3).map(tuple),
        layer=st.sampled_from(LAYERS),
        salience=st.sampled_from(LEVELS),
        status=st.sampled_from(STATUSES),
        created=st.sampled_from(["", "2026-01-11T10:00:00Z", "2026-02-01T10:00:00Z"]),
        private=st.booleans(),
        body=any_text,
    ),
    max_size=6,
)  # fmt: skip
langs = st.sampled_from(["en", "zh"])


def rows_of(page: str) -> list[str]:
    start, end = page.index("<!-- INDEX_START -->"), page.index("<!-- INDEX_END -->")
    return page[start:end].splitlines()[3:]


@given(entries, langs, st.integers(1, 5))
def test_every_listed_memory_has_one_row_whatever_it_says(
    found: list[Entry], lang: str, most: int
) -> None:
    page = views.index_page(found, lang, most)
    listed = views.listed(found)
    rows = rows_of(page)
    assert len(rows) == max(1, min(most, len(listed)))
    for row in rows:
        assert row.startswith("| ")
        assert row.endswith(" |")
        assert len(re.findall(r"(?<!\\)\|", row)) == 6
    for marker in ("INDEX_START", "INDEX_END", "KEYWORDS_START", "KEYWORDS_END"):
        assert page.count(f"<!-- {marker} -->") == 1
    assert len([line for line in page.splitlines() if line.startswith("#")]) == 3
    page.encode("utf-8")


@given(entries, langs)
def test_private_cold_and_superseded_memories_are_in_no_view(found: list[Entry], lang: str) -> None:
    shown = {one["id"] for one in json.loads(views.index_json(found))["entries"]}
    page = views.index_page(found, lang, 99)
    for one in found:
        hidden = one.private or one.archived or one.status == "superseded"
        alike = [e for e in found if e.id == one.id and e is not one]
        if not alike:
            assert (one.id in shown) is not hidden
            assert (f"| [{one.id}](" in page) is not hidden


@given(entries)
def test_the_same_memories_give_the_same_bytes(found: list[Entry]) -> None:
    other = sorted(found, key=lambda e: e.title.encode("utf-8", "replace"))
    ids = [e.id for e in found]
    if len(set(ids)) == len(ids) == len({(e.path, e.salience, e.layer) for e in found}):
        assert views.index_page(found, "en", 99) == views.index_page(other, "en", 99)
        assert views.index_json(found) == views.index_json(other)


@pytest.mark.parametrize(
    "text",
    [*NASTY, "a|b", "`a`", "a\nb", "# a", "[a](b)", "<script>", "&amp;", "\\|", "<!-- KEYWORDS_END -->", "x" * 9_999],
)  # fmt: skip
def test_a_cell_is_one_line_that_starts_nothing(text: str) -> None:
    shown = views.cell(text)
    assert shown
    assert shown.isprintable()
    assert not re.search(r"(?<!\\)(?:\\\\)*[|`\[\]*_]", shown)
    assert not set("<>") & set(shown)
    assert not shown.startswith("#")
    assert len(shown) <= 6 * views.LONGEST_CELL


def test_the_number_of_an_issue_is_written_as_it_is() -> None:
    assert views.cell("Session update (#12)") == "Session update (#12)"


def test_the_index_page_lists_layer_by_layer_and_the_newest_first() -> None:
    found = [
        entry(id="old", title="Old", tags=("a", "b"), created="2026-01-01T00:00:00Z"),
        entry(
            id="new", title="A|B", tags=("B", "c"), created="2026-01-02T00:00:00Z", layer="episodic"
        ),
        entry(id="undated", title="", tags=(), created=""),
    ]
    page = views.index_page(found, "en", 2)
    assert rows_of(page) == [
        "| [old](semantic/old.md) | Old | semantic | a, b | 2026-01-01 |",
        "| [new](semantic/new.md) | A\\|B | episodic | B, c | 2026-01-02 |",
    ]
    assert "Older memories that are not listed: 1;" in page
    assert "<!-- KEYWORDS_START -->\nB, c, a\n<!-- KEYWORDS_END -->" in page
    assert (
        rows_of(views.index_page(found, "zh", 9))[1]
        == "| [undated](semantic/undated.md) | - | semantic | - | - |"
    )


def test_everyday_words_of_the_titles_of_sessions_are_no_keywords() -> None:
    found = [
        entry(id="s1", kind="session", title="The kettle seems better", tags=("kettle", "seems")),
        entry(id="rule", title="Read the rules", tags=("rules",)),  # a person's own tag
    ]
    page = views.index_page(found, "en", 9)
    words = page.partition("<!-- KEYWORDS_START -->\n")[2].partition("\n")[0]
    assert sorted(words.split(", ")) == ["kettle", "rules"]


def test_an_empty_store_says_so_in_both_languages() -> None:
    english, chinese = (views.index_page([], lang, 9) for lang in ("en", "zh"))
    assert "| (No active memories) | - | - | - | - |" in english
    assert "(No valid keywords yet)" in english
    assert "| （暂无活跃记忆） | - | - | - | - |" in chinese
    assert "（暂无有效关键词）" in chinese


def test_keywords_are_named_once_in_their_order() -> None:
    found = [entry(tags=("Redis", "a")), entry(tags=("b", "redis", "a"))]
    assert views.keywords(found) == ["Redis", "a", "b"]
    many = [entry(tags=tuple(f"t{n}" for n in range(99)))]
    line = views.index_page(many, "en", 9).split("<!-- KEYWORDS_START -->\n")[1].splitlines()[0]
    assert line.count(",") == views.MOST_KEYWORDS - 1


def test_the_index_for_tools_has_the_order_of_the_fourth_seed() -> None:
    found = [
        entry(id="c", salience="low", updated="2026-03-01T00:00:00Z"),
        entry(id="b", salience="high", layer="episodic", decay_after="2026-04-11"),
        entry(id="a", salience="high", layer="semantic"),
    ]
    page = json.loads(views.index_json(found))
    assert [row["id"] for row in page["entries"]] == ["a", "b", "c"]
    assert page["generated"] == "2026-03-01T00:00:00Z"
    assert "decay_after" not in page["entries"][0]
    assert page["entries"][1]["decay_after"] == "2026-04-11"
    assert page["entries"][0]["filename"] == "a.md"
    assert page["entries"][0]["summary"] == "Events go to PostgreSQL."
    assert json.loads(views.index_json([]))["generated"] == ""
