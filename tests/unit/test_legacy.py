"""The headers of the first seed, in both languages; the bugs of its own reader (C1-C4, C13)."""

from __future__ import annotations

import pytest
from hypothesis import given

from recollect.model.frontmatter import HeaderFields, headers_of, split_keywords

from .build import any_text, is_quick


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (
            "# Conversation Memory: Redis pooling\n\n- **Time**: 2026-01-11 14:30:22\n- **Keywords**: redis, pool\n",
            HeaderFields("Redis pooling", ("redis", "pool"), "2026-01-11 14:30:22"),
        ),
        (
            "# 对话记忆：连接池\n\n## 元数据\n\n- **时间**：2026-01-11 14:30:22\n- **关键词**：缓存，连接池\n",
            HeaderFields("连接池", ("缓存", "连接池"), "2026-01-11 14:30:22"),
        ),
        # The languages, colons and commas mixed, as people mix them (C1, C2, C13).
        ("# Conversation Memory：C\n**关键词**: a，b、c\n", HeaderFields("C", ("a", "b", "c"), "")),
        ("# 对话记忆: x\r\n* **Keywords:** a, b\r\n", HeaderFields("x", ("a", "b"), "")),
        ("# conversation memory : x\n+ **KEYWORDS :** a\n", HeaderFields("x", ("a",), "")),
        ("- **关键词：** a；b\n- **时间** ： 2026-01-11\n", HeaderFields("", ("a", "b"), "2026-01-11")),
        # An empty header takes nothing from the next line (C4).
        ("- **Keywords**: \n\n## Topic Summary\n", HeaderFields("", (), "")),
        ("# Conversation Memory:\n\nText **bold**\n", HeaderFields("", (), "")),
        # Unfilled templates.
        ("# Conversation Memory: {Topic Title}\n- **Keywords**: {keyword1}, {keyword2}, a\n", HeaderFields("", ("a",), "")),
        ("# 对话记忆：{主题标题}\n- **关键词**：{关键词1}，{关键词2}\n", HeaderFields("", (), "")),
        # The first one counts; a mention in a sentence is none.
        ("**Keywords**: a\n**Keywords**: b\n**Time**: t\n**Time**: u\n", HeaderFields("", ("a",), "t")),
        ("Write **Keywords**: x into the file.\n", HeaderFields("", (), "")),
        ("# Another heading\n", HeaderFields("", (), "")),
        ("", HeaderFields("", (), "")),
    ],
)  # fmt: skip
def test_headers_are_read_in_both_languages(body: str, headers: HeaderFields) -> None:
    assert headers_of(body) == headers


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a, b", ("a", "b")),
        ("a，b、c；d;e", ("a", "b", "c", "d", "e")),
        (" `a` , **b** ,, ", ("a", "b")),
        ("a, a, A", ("a", "A")),
        ("{keyword}, <keyword>, [keyword], C#, C++, $&, \\1", ("C#", "C++", "$&", "\\1")),
        ("", ()),
    ],
)
def test_keywords_are_split_at_every_kind_of_comma(text: str, words: tuple[str, ...]) -> None:
    assert split_keywords(text) == words


@given(any_text)
def test_any_body_has_headers_of_one_line(body: str) -> None:
    found = headers_of(f"# Conversation Memory: {body}\n**Keywords**: {body}\n**Time**: {body}\n")
    for value in (found.title, found.time, *found.keywords):
        assert "\n" not in value
        assert value == value.strip()


@pytest.mark.parametrize(
    "line", ["# 对话记忆: a{} b", "**Time**: a{} b", "{}- **Time**:", "**Time{}"]
)
def test_long_runs_of_blanks_are_soon_read(line: str) -> None:
    assert is_quick(lambda: headers_of(line.format(" " * 15_000) + "\n**"))
