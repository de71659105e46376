"""Small edits of JSON: every other byte stays, and what was put in comes out again."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recollect.text import json_edit

from .build import any_text

keys = st.text(st.characters(exclude_categories=("C", "Z")) | st.just(" "), min_size=1, max_size=20)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | any_text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=8,
)
STYLES: tuple[dict[str, Any], ...] = (
    {"indent": 2}, {"indent": 4}, {"indent": "\t"}, {}, {"separators": (",", ":")}, {"indent": 0},
    {"indent": 2, "ensure_ascii": False, "separators": (",", " : ")},
)  # fmt: skip


def written(value: Any, style: dict[str, Any], frame: str) -> str:
    """A file in some style; `frame` says what is around it and how its lines end."""
    text = json.dumps(value, **style)
    lead, eol, end = frame.split("|")
    return lead + text.replace("\n", eol) + end


frames = st.sampled_from(
    ["|\n|\n", "|\r\n|\r\n", "\ufeff|\n|", "\n  |\n| \n\n", "\ufeff|\r\n|\r\n"]
)
files = st.builds(
    lambda value, style, frame: (value, written(value, style, frame)),
    st.dictionaries(keys, values, max_size=3),
    st.sampled_from(STYLES),
    frames,
)


@given(files, keys, values)
@example(({}, "{\n}\n"), "hooks", {"a": [1]})
@example(({}, "{ }"), "hooks", 1)
@example(({"a": 1}, '{\n  "a": 1\n\n}'), "b", 2)
@example(({"a": 1}, '{"a": 1,\n "b": 2}'), "b", {})
def test_a_member_that_was_added_is_there_and_taken_out_leaves_the_bytes_of_before(
    file: tuple[dict[str, Any], str], key: str, value: Any
) -> None:
    old, text = file
    root = json_edit.root_of(text)
    more = json_edit.added(text, root, key, value, 0)
    loaded = json.loads(more.removeprefix("\ufeff"))
    assert loaded == json.loads(text.removeprefix("\ufeff")) | {key: value}
    have = json_edit.spans(more, root)
    assert (have[-1].key, have[-1].value) == (key, value)
    assert json_edit.removed(more, root, len(have) - 1, 0) == text
    assert set(old) <= set(loaded)


@given(files, st.lists(values, max_size=3), st.lists(values, min_size=1, max_size=3))
def test_items_that_were_added_to_a_list_leave_the_bytes_of_before(
    file: tuple[dict[str, Any], str], items: list[Any], new: list[Any]
) -> None:
    text = json_edit.added(file[1], json_edit.root_of(file[1]), "list", {"in": items}, 0)
    outer = json_edit.spans(text, json_edit.root_of(text))[-1]
    at = json_edit.spans(text, outer.value_start)[0].value_start
    more = text
    for value in new:
        more = json_edit.added(more, at, "", value, 2)
    assert [span.value for span in json_edit.spans(more, at)] == items + new
    for n in reversed(range(len(items), len(items) + len(new))):
        more = json_edit.removed(more, at, n, 2)
    assert more == text


@given(files, st.data())
def test_taking_out_any_member_leaves_the_others_as_they_were(
    file: tuple[dict[str, Any], str], data: st.DataObject
) -> None:
    _, text = file
    root = json_edit.root_of(text)
    have = json_edit.spans(text, root)
    if not have:
        return
    n = data.draw(st.integers(0, len(have) - 1))
    left = json_edit.removed(text, root, n, 0)
    kept = have[:n] + have[n + 1 :]
    found = json_edit.spans(left, root)
    assert [(s.key, s.value) for s in found] == [(s.key, s.value) for s in kept]
    assert [left[s.start : s.end] for s in found] == [text[s.start : s.end] for s in kept]


@given(files, values, st.data())
def test_another_value_changes_only_itself(
    file: tuple[dict[str, Any], str], value: Any, data: st.DataObject
) -> None:
    _, text = file
    have = json_edit.spans(text, json_edit.root_of(text))
    if not have:
        return
    span = data.draw(st.sampled_from(have))
    changed = json_edit.replaced(text, span, value, 1)
    assert changed.startswith(text[: span.value_start])
    assert changed.endswith(text[span.end :])
    found = {s.start: s.value for s in json_edit.spans(changed, json_edit.root_of(changed))}
    assert found[span.start] == value


@pytest.mark.parametrize(
    ("text", "new"),
    [
        ('{\n    "a": 1\n}\n', '{\n    "a": 1,\n    "k": {\n        "b": []\n    }\n}\n'),
        ('{\r\n\t"a": 1\r\n}', '{\r\n\t"a": 1,\r\n\t"k": {\r\n\t\t"b": []\r\n\t}\r\n}'),
        ('{"a":1}', '{"a":1, "k": {"b": []}}'),
        ("{}\n", '{\n  "k": {\n    "b": []\n  }\n}\n'),
    ],
)
def test_a_member_is_written_in_the_style_of_the_file(text: str, new: str) -> None:
    assert json_edit.added(text, 0, "k", {"b": []}, 0) == new


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("", "line 1, column 1"),
        ("// comment\n{}", "line 1, column 1"),
        ('{\n  "a": 1 !\n}', "line 2, column 10"),
        ('{"a": 1} x', "column 10"),
        ('{"a": 1}{}', "column 9"),
        ("[1]", "not one JSON object"),
        ('{"a": NaN}', "NaN"),
        ('{"a": ' + "[" * 100_000, "nested too deep"),
    ],
)
def test_what_is_no_json_object_is_refused_and_the_place_named(text: str, about: str) -> None:
    with pytest.raises(ValueError, match=about):
        json_edit.root_of(text)
