"""Front matter, edited: one field changes, every other byte stays."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recollect.model.document import LISTS, ORDER, with_body, with_field
from recollect.model.frontmatter import Value, scalar_text, split_front, value_text

from .build import any_text
from .test_frontmatter import any_front, front

keys = st.sampled_from([k for k in ORDER if k not in ("created", "updated")])
lists: st.SearchStrategy[Value] = st.lists(any_text, max_size=4)
a_field = keys.flatmap(lambda k: st.tuples(st.just(k), lists if k in LISTS else any_text))
texts = (
    any_front
    | any_text
    | st.lists(a_field, max_size=5).map(
        lambda fields: front(
            *(f"{key}: {value_text(value)}" for key, value in dict(fields).items())
        )
    )
)


# ---------------------------------------------------------------------------------------- laws


@given(texts, a_field)
def test_a_value_that_was_set_is_read_back(text: str, field: tuple[str, Value]) -> None:
    key, value = field
    assert split_front(with_field(text, key, value)).value(key) == value


@given(texts, a_field)
def test_an_edit_changes_only_the_lines_of_its_key(text: str, field: tuple[str, Value]) -> None:
    key, value = field
    before, after = split_front(text), split_front(with_field(text, key, value))
    assert after.lead == before.lead
    assert after.body == before.body
    if not before.lines:
        assert len(after.lines) == 3
        return
    old = [e for e in before.entries if e.key == key and e.end][-1:]
    new = [e for e in after.entries if e.key == key and e.end][-1]
    start, end = (old[0].start, old[0].end) if old else (new.start, new.start)
    assert after.lines[:start] == before.lines[:start]
    assert after.lines[len(after.lines) - (len(before.lines) - end) :] == before.lines[end:]
    if not old:
        assert len(after.lines) == len(before.lines) + 1


@given(texts, keys)
def test_setting_a_field_to_the_value_it_has_changes_nothing(text: str, key: str) -> None:
    value = split_front(text).value(key)
    if value is not None and any(e.end for e in split_front(text).entries if e.key == key):
        assert with_field(text, key, value) == text


@given(texts, a_field)
def test_setting_a_field_twice_is_setting_it_once(text: str, field: tuple[str, Value]) -> None:
    once = with_field(text, *field)
    assert with_field(once, *field) == once


@given(texts, a_field, a_field)
def test_two_new_fields_in_either_order_give_the_same_bytes(
    text: str, one: tuple[str, Value], two: tuple[str, Value]
) -> None:
    there = {e.key for e in split_front(text).entries}
    if one[0] == two[0] or {one[0], two[0]} & there or not split_front(text).lines:
        return
    assert with_field(with_field(text, *one), *two) == with_field(with_field(text, *two), *one)


@given(texts, keys)
def test_a_field_that_was_taken_out_is_gone_and_all_else_is_there(text: str, key: str) -> None:
    before, after = split_front(text), split_front(with_field(text, key, None))
    gone = {n for e in before.entries if e.key == key for n in range(e.start, e.end)}
    if before.lines and len(gone) < len(before.lines) - 2:
        assert after.lines == [line for n, line in enumerate(before.lines) if n not in gone]
    assert after.body.endswith(before.body)


@given(any_text, st.lists(any_text, max_size=4))
@example("2026-01-11", ["0b11", "=", "<<"])
def test_every_reader_of_yaml_takes_what_is_written_for_the_same_string(
    value: str, items: list[str]
) -> None:
    import yaml

    text = f"key: {scalar_text(value)}\nlist: {value_text(items)}\n"
    for loader in (yaml.BaseLoader, yaml.SafeLoader):
        assert yaml.load(text, Loader=loader) == {"key": value, "list": items}


@given(texts, any_text)
def test_another_body_keeps_the_front_matter(text: str, body: str) -> None:
    front_matter = split_front(text)
    changed = with_body(text, body)
    assert changed == front_matter.lead + "".join(front_matter.lines) + body


# ------------------------------------------------------------------------------------ examples

HAND_WRITTEN = (
    "\ufeff---\r\n"
    "# made by hand\r\n"
    "zebra: 1.10   # unknown\r\n"
    'title:   "Old \\"title\\""  # the title\n'
    "tags:  # nouns\r\n"
    "    - redis   # the cache\r\n"
    "    # more to come\r\n"
    "    - 'go'\r\n"
    "status: open\r\n"
    "  # a remark of its own\r\n"
    "created: 2026-01-11\r\n"
    "---\r\n"
    "Body \udc80\x00 without a final newline"
)


@pytest.mark.parametrize(
    ("key", "value", "old", "new"),
    [
        ("title", "New", 'title:   "Old \\"title\\""  # the title\n', "title: New  # the title\n"),
        ("zebra", "2", "zebra: 1.10   # unknown", 'zebra: "2"   # unknown'),
        ("tags", ["redis"], "    - 'go'\r\n", ""),
        ("tags", ["go"], "    - redis   # the cache\r\n", ""),
        ("tags", ["redis", "go", "a, b"], "'go'\r\n", "'go'\r\n    - a, b\r\n"),
        ("tags", ["redis", "c: d"], "    - 'go'\r\n", '    - "c: d"\r\n'),
        ("status", "confirmed", "status: open", "status: confirmed"),
        ("created", "2026-01-12T10:00:00Z", "created: 2026-01-11", "created: 2026-01-12T10:00:00Z"),
        ("created", "soon: or not", "created: 2026-01-11", 'created: "soon: or not"'),
        ("created", "", "created: 2026-01-11", "created:"),
        ("status", None, "status: open\r\n  # a remark of its own\r\n", ""),
        ("kind", "fact", "title: ", "title: "),
    ],
)
def test_what_a_person_wrote_stays(key: str, value: Value | None, old: str, new: str) -> None:
    changed = with_field(HAND_WRITTEN, key, value)
    if key == "kind":
        assert changed == HAND_WRITTEN.replace("tags:  # n", "kind: fact\r\ntags:  # n")
        return
    assert old in HAND_WRITTEN
    assert changed == HAND_WRITTEN.replace(old, new)


def test_a_block_list_that_becomes_empty_keeps_its_remarks() -> None:
    changed = with_field(HAND_WRITTEN, "tags", [])
    assert "tags: [] # nouns\r\n    # more to come\r\nstatus" in changed


@pytest.mark.parametrize(
    ("old", "key", "value", "new"),
    [
        (["salience: low"], "title", "T", ["title: T", "salience: low"]),
        (["id: a", "zz: 1", "created: 2026-01-11"], "kind", "fact", ["id: a", "kind: fact", "zz: 1", "created: 2026-01-11"]),
        (["created: 2026-01-11", "id: a"], "title", "T", ["created: 2026-01-11", "id: a", "title: T"]),
        (["# head", "tags: []"], "id", "a", ["# head", "id: a", "tags: []"]),
        (["# head"], "id", "a", ["# head", "id: a"]),
        (["'title': x"], "title", "z", ["'title': x", "title: z"]),
        (["id: a"], "zz", "1", ["id: a", 'zz: "1"']),
        (["title: >", "  a", "  b", "id: a"], "title", "c", ["title: c", "id: a"]),
        (["tags: [a,", "  b]"], "tags", ["a"], ["tags: [a]"]),
        (["title: a", "title: b"], "title", "c", ["title: a", "title: c"]),
        (["- stray", "id: a"], "title", "T", ["- stray", "id: a", "title: T"]),
        (["tags: ['a', b] # c"], "tags", ["a"], ["tags: [a] # c"]),
        (["title: 'a # b' # c"], "title", "x", ["title: x # c"]),
        (["title:", "- a"], "title", "x", ["title: x"]),
    ],
)  # fmt: skip
def test_a_field_goes_where_it_belongs(
    old: list[str], key: str, value: Value, new: list[str]
) -> None:
    assert with_field(front(*old), key, value) == front(*new)


@pytest.mark.parametrize(
    ("text", "new"),
    [
        ("", "---\ntitle: T\n---\n"),
        ("Body", "---\ntitle: T\n---\nBody"),
        ("\ufeffBody\r\nmore\n", "\ufeff---\r\ntitle: T\r\n---\r\nBody\r\nmore\n"),
        ("---\nopen: 1\n", "---\ntitle: T\n---\n---\nopen: 1\n"),
        ("---\r\nid: a\r\n---\nBody\n", "---\r\nid: a\r\ntitle: T\r\n---\nBody\n"),
        ("---\nid: a\n---", "---\nid: a\ntitle: T\n---"),
    ],
)
def test_a_text_without_front_matter_gets_one(text: str, new: str) -> None:
    assert with_field(text, "title", "T") == new


def test_taking_out_what_is_not_there_changes_nothing() -> None:
    for text in ("Body\n", HAND_WRITTEN, "---\nopen: 1\n"):
        assert with_field(text, "kind", None) == text
