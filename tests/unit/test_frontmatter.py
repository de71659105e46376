"""Front matter, read: tolerant, never raising, and at one with PyYAML."""

from __future__ import annotations

import json

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from recollect.model.frontmatter import LARGEST_FRONT, Value, split_front

from .build import NASTY, any_text, is_quick


def front(*lines: str, body: str = "Body.\n") -> str:
    return "".join(f"{line}\n" for line in ("---", *lines, "---")) + body


def value_of(line: str, key: str = "key") -> Value | None:
    return split_front(front(line)).value(key)


# ------------------------------------------------------------------------------------- any text

_scraps = st.sampled_from(
    [
        "---", "...", "---  ", "title: x", "tags: [a, b]", "tags:", "- a", "  - b", "  - c: d", "# c",
        "  # c", "", " ", "key: 'it''s'", 'key: "a\\n"', "a: |", "  text", "\ufeff", "\x00", "标签: x",
        "a: &b c", "a: *b", "? a", "{", "]", "\udc80", "key: [a, 'b', \"c\"] # d", '"q": r', "\t- x",
    ]
)  # fmt: skip
any_front = st.builds(
    lambda lead, eol, lines, end: lead + eol.join(lines) + end,
    st.sampled_from(["", "\ufeff", "---\n", "---\r\n"]),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.lists(_scraps | any_text, max_size=12),
    st.sampled_from(["", "\n", "\n---\n", "\r\n---\r\n", "\n---"]),
)


@given(any_text | any_front)
@example("---\n")
@example("---")
@example("\ufeff---\r\ntitle: x\r\n---")
def test_the_parts_of_any_text_joined_are_the_text(text: str) -> None:
    found = split_front(text)
    assert found.lead + "".join(found.lines) + found.body == text


@given(any_front)
def test_every_entry_names_lines_of_its_own(text: str) -> None:
    found = split_front(text)
    ends = [0, *(e.end for e in found.entries if e.end)]
    starts = [*(e.start for e in found.entries if e.end), len(found.lines)]
    assert all(end <= start for end, start in zip(ends, starts, strict=True))


# --------------------------------------------------------------------------------------- forms


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("key: value", "value"),
        ("key:", ""),
        ("key:   # to be filled", ""),
        ("key: no", "no"),
        ("key: 1.10", "1.10"),
        ("key: 12:30:45", "12:30:45"),
        ("key: ~", ""),
        ("key: a # comment", "a"),
        ("key: a#b", "a#b"),
        ("key: Fix: the thing", "Fix: the thing"),
        ("key: `useState` is slow", "`useState` is slow"),
        ("key: @types/node", "@types/node"),
        ("key: *.py", "*.py"),
        ("key: 'it''s' # c", "it's"),
        (r'key: "a \"b\" \u4e2d \U0001f600 \x41\n" # c', 'a "b" 中 😀 A\n'),
        ('key: "# no comment"', "# no comment"),
        ("key: []", []),
        ("key: [a, 'b, c', \"d\"]", ["a", "b, c", "d"]),
        ("key: [a, b]  # why", ["a", "b"]),
        ("key: [a,, b, ]", ["a", "b"]),
        ("key: [数据库，缓存、索引]", ["数据库", "缓存", "索引"]),
        ('key: ["甲，乙", 丙]', ["甲，乙", "丙"]),
        ("key: [*.py, @types/node, c#, #tag]", ["*.py", "@types/node", "c#", "#tag"]),
        ("key: [a: b, c]", ["a: b", "c"]),
        ("key:\n- a\n- b", ["a", "b"]),
        ("key:  # two\n  # first\n  - a  # one\n\n  - 'b'\n  -", ["a", "b", ""]),
        ("key:\n  - error: no such file\n  - b", ["error: no such file", "b"]),
        ("key:\n  - a\n    - b", ["a - b"]),
        ("key:\n  - [a, b]\n  - c", ['["a", "b"]', "c"]),
        ("key: a\n  b", "a b"),
        ("key: |\n  a\n  b\n", "a\nb\n"),
        ("key: >-\n  a\n  b\n", "a b"),
        ("key: {a: b}", "a: b"),
        ("key: {a: [b]}", '{"a": ["b"]}'),
        ("key: [a,\n  b]", ["a", "b"]),
        ("'key': a", "a"),
        ("key: a\nkey: b", "b"),
        ("other: x", None),
    ],
)
def test_the_forms_that_people_write_are_read(line: str, value: Value | None) -> None:
    found = split_front(front(line))
    assert (found.value("key"), found.problem, found.body) == (value, "", "Body.\n")


@pytest.mark.parametrize(
    ("line", "value", "about"),
    [
        ("key: [a, b", "[a, b", "not valid YAML in line 3"),
        ("key:\n  - a: b: c\n  - d", "- a: b: c - d", "not valid YAML"),
        ("key: a\n\tb: c: d", "a b: c: d", "not valid YAML"),
        ("key: |\n  a\nother: [", "a", "not valid YAML"),
        (r'key: "\q"', r'"\q"', "not valid YAML"),
        (r'key: "\U00110000"', r'"\U00110000"', "not valid YAML"),
        (r'key: "\UFFFFFFFF"', r'"\UFFFFFFFF"', "not valid YAML"),
        ("key: &a b", "&a b", "anchors"),
        ("key: !!python/object/apply:os.system [x]", None, "anchors"),
    ],
)
def test_what_is_no_yaml_is_a_problem_and_read_as_well_as_can_be(
    line: str, value: Value | None, about: str
) -> None:
    found = split_front(front(line))
    assert about in found.problem
    assert value is None or found.value("key") == value


@pytest.mark.parametrize("eol", ["\n", "\r\n"])
@pytest.mark.parametrize("close", ["---", "...", "---  "])
def test_front_matter_ends_at_its_fence_whatever_the_line_ends(eol: str, close: str) -> None:
    found = split_front(f"\ufeff---{eol}key: v{eol}{close}{eol}# Body{eol}")
    assert (found.lead, found.value("key"), found.body) == ("\ufeff", "v", f"# Body{eol}")


@pytest.mark.parametrize(
    "text",
    ["---\nProse between lines.\n\n---\nMore.\n", "---\n- a\n- b\n---\n", "---\n[[[\n---\nBody\n"],
)
def test_a_head_without_any_key_is_body_with_a_problem(text: str) -> None:
    found = split_front(text)
    assert (found.lines, found.body) == ([], text)
    assert found.problem


@pytest.mark.parametrize(
    ("text", "is_problem"),
    [
        ("---\ntitle: x\n\nBody.\n", True),
        ("---\n\ntitle: x\n", True),
        ("---\n", True),
        ("---\n\nA line across, then prose.\n", False),
        ("---\n# A heading\n", False),
        ("----\ntitle: x\n", False),
        (" ---\ntitle: x\n", False),
        ("", False),
    ],
)
def test_front_matter_that_never_ends_is_body_with_a_problem(text: str, is_problem: bool) -> None:
    found = split_front(text)
    assert (found.lines, found.body, bool(found.problem)) == ([], text, is_problem)


def test_an_empty_block_is_front_matter_without_entries() -> None:
    found = split_front("---\n# nothing yet\n\n---\nBody\n")
    assert (len(found.lines), found.entries, found.body, found.problem) == (4, [], "Body\n", "")


# ------------------------------------------------------------------------------ PyYAML agrees

_yaml_chars = st.characters(
    codec="utf-8", categories=["L", "N", "P", "S"], exclude_characters="\x85\u2028\u2029，、"
)
_scalar_text = st.text(_yaml_chars | st.sampled_from(" #:'\"[]{},-?&*!|>%@`\\"), max_size=10)
# What YAML takes for nothing is nothing to us as well; its plainest reader gives the word.
NOTHING = ("~", "null", "Null", "NULL")
_scalar = _scalar_text.map(str.strip).filter(lambda s: s not in NOTHING) | st.sampled_from(
    [n for n in NASTY if n.isprintable() and not set("，、") & set(n) and n not in NOTHING]
)
_inline = (
    _scalar
    | _scalar.map(json.dumps)
    | _scalar.map(lambda s: "'" + s.replace("'", "''") + "'")
    | st.lists(_scalar | _scalar.map(json.dumps), max_size=4).map(lambda v: f"[{', '.join(v)}]")
)
_block = st.builds(
    lambda indent, items: "".join(f"\n{indent}- {item}" for item in items),
    st.sampled_from(["", "  ", "    "]),
    st.lists(_inline, min_size=1, max_size=4),
)
_comment = st.sampled_from(["", "  # why", " #", "\n# line", "\n  # indented"])


@given(st.lists(st.tuples(_inline | _block, _comment), min_size=1, max_size=4))
@example([("'", ""), ("", ""), ("'", "")])  # one value of three lines
def test_the_line_reader_agrees_with_pyyaml_on_all_that_both_accept(
    rows: list[tuple[str, str]],
) -> None:
    import yaml

    lines = [f"key{n}: {value}{comment}" for n, (value, comment) in enumerate(rows)]
    try:
        loaded = yaml.load("\n".join(lines), Loader=yaml.BaseLoader)
    except yaml.YAMLError:
        assume(False)
    found = split_front(front(*lines))
    for entry in found.entries:
        if entry.style == "yaml":
            continue
        assert entry.value == loaded[entry.key]


# --------------------------------------------------------------------------------------- bombs


def nest(n: int) -> str:
    return "".join(" " * depth + "a:\n" for depth in range(n))


BOMBS = {
    "brackets": "key: " + "[" * 100_000,
    "brackets within the limit": "key: " + "[" * 60_000,
    "closed, then opened": "# " + "]" * 9_000 + "\nkey: |\n x\nb: " + "[" * 9_000,
    "aliases": "a: &a [x]\n" + "\n".join(f"a{n}: &a{n} [*a, *a]" for n in range(9)),
    "python": "key: !!python/object/apply:os.system ['true']",
    "indentation": nest(200),
    "deeper indentation": nest(355),
    "dashes": "key:\n  " + "- " * 20_000 + "x",
    "questions": "? " * 20_000,
    "colons": "key: |\n a\n" + ":" * 20_000,
    "new lines": "\n" * 60_000 + "x",
    "a large flow": "key: {" + "a," * 30_000 + "}",
    "many items": "key:\n" + "- {a: b}\n" * 8_000,
    "too large": "key: |\n" + "  text\n" * 9_500,
    "a bad code": r'key: "\U0fffffff"',
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_a_problem_and_soon_over(name: str) -> None:
    text = front(BOMBS[name])
    assert is_quick(lambda: split_front(text))
    found = split_front(text)
    assert found.problem
    assert found.lead + "".join(found.lines) + found.body == text


@pytest.mark.parametrize(
    "line",
    [
        "key: a" + " " * 60_000 + "b",
        "key: [a" + " " * 60_000 + "{",
        "key: [" + " " * 60_000 + "{",
        "key: [" + "a, " * 20_000 + "b]",
        "key: [" + "'' " * 20_000 + "]",
        'key: "' + "\\" * 60_001,
        "key" * 20_000,
        "key" + " " * 60_000 + "x",
        "key: x\n-" + " " * 60_000 + "x",
        "key: " + "# " * 30_000,
        "key: " + "a#" * 30_000,
    ],
)
def test_long_runs_of_one_character_are_soon_read(line: str) -> None:
    assert is_quick(lambda: split_front(front(line)))


def test_front_matter_larger_than_the_limit_is_body() -> None:
    text = front("title: x", "note: " + "a" * LARGEST_FRONT)
    found = split_front(text)
    assert (found.body, found.lines) == (text, [])
    assert "64 KB" in found.problem
    assert split_front("\n" * 60_000).problem == ""
    assert split_front("---\n" + "\n" * 60_000).problem
