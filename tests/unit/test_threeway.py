"""Two changes of one memory brought together: who changed something alone gets it, nothing is lost."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.model.document import memory_from_text
from recollect.model.frontmatter import split_front
from recollect.model.merge import SEPARATOR, CannotMerge, marks_in, merged, merged_by_key, separator
from recollect.text.json_edit import rows_in, with_rows
from recollect.text.sentences import without_unmerged

TEXT = """---
id: a
title: One  # as we call it
tags: [w, x]
status: open
mine: kept
created: 2026-01-11T14:30:00Z
updated: 2026-01-11T14:30:00Z
---
# One

First.

Second.

Third.
"""
LINES = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "d\n", "\n"]), max_size=9)
BODIES = LINES.map("".join)


def toml(text: str) -> dict[str, Any]:
    """What a text of TOML says."""
    import tomllib

    return tomllib.loads(text)


@given(BODIES, BODIES)
def test_who_changed_something_alone_gets_it(base: str, changed: str) -> None:
    assert merged(base, base, changed) == (changed, 0)
    assert merged(base, changed, base) == (changed, 0)
    assert merged(base, changed, changed) == (changed, 0)


@given(BODIES, BODIES, BODIES)
def test_every_new_line_of_both_is_in_what_comes_of_it(base: str, ours: str, theirs: str) -> None:
    found = merged(base, ours, theirs)
    said = found.text.splitlines()
    for side in (ours, theirs):
        assert set(side.splitlines()) - set(base.splitlines()) - {""} <= set(said)
    assert found.text.count(SEPARATOR) <= found.twice


@given(BODIES, st.text("xyz", min_size=1), st.text("uvw", min_size=1))
def test_changes_in_different_places_go_together(middle: str, first: str, last: str) -> None:
    base = f"top\n\nstart\n{middle}end\n"
    ours, theirs = base.replace("top", first, 1), base.replace("end\n", f"{last}\n")
    expected = ours.replace("end\n", f"{last}\n")
    assert merged(base, ours, theirs) == (expected, 0)
    assert merged(base, theirs, ours) == (expected, 0)


def test_fields_are_merged_one_by_one_and_every_other_byte_stays() -> None:
    ours = TEXT.replace("[w, x]", "[w, x, ours]").replace("T14:30:00Z\n---", "T15:00:00Z\n---")
    theirs = TEXT.replace("[w, x]", "[x, theirs]").replace("open", "resolved")
    theirs = theirs.replace("T14:30:00Z\n---", "T16:00:00Z\n---").replace("Third", "3rd")
    found = merged(TEXT, ours, theirs)
    assert found.twice == 0
    expected = TEXT.replace("[w, x]", "[x, ours, theirs]").replace("open", "resolved")
    expected = expected.replace("T14:30:00Z\n---", "T16:00:00Z\n---").replace("Third", "3rd")
    assert found.text == expected


@pytest.mark.parametrize(
    ("own", "other", "holds"), [("15", "16", "C"), ("16", "15", "B"), ("15", "15", "B")]
)
def test_of_two_values_of_one_field_the_newer_memory_s_holds(
    own: str, other: str, holds: str
) -> None:
    ours = TEXT.replace("One  #", "B  #").replace("T14:30:00Z\n---", f"T{own}:00:00Z\n---")
    theirs = TEXT.replace("One  #", "C  #").replace("T14:30:00Z\n---", f"T{other}:00:00Z\n---")
    memory = memory_from_text(merged(TEXT, ours, theirs).text, "semantic/a.md")
    assert memory.title == holds
    assert memory.updated == f"2026-01-11T{max(own, other)}:00:00Z"


def test_a_field_that_one_side_took_out_is_out_and_a_new_one_is_in() -> None:
    ours = TEXT.replace("mine: kept\n", "")
    theirs = TEXT.replace("---\n# One", "theirs: new\n---\n# One")
    text = merged(TEXT, ours, theirs).text
    assert "mine:" not in text
    assert "theirs: new\n" in text


def test_what_both_added_at_the_end_stands_both() -> None:
    ours, theirs = f"{TEXT}\nOurs.\n", f"{TEXT}\nTheirs.\n"
    found = merged(TEXT, ours, theirs)
    assert found.twice == 0
    assert found.text.startswith(TEXT)
    assert found.text.index("Ours.") < found.text.index("Theirs.")
    assert merged(TEXT, ours, f"{ours}\nMore.\n").text == f"{ours}\nMore.\n"


def test_where_both_changed_the_same_line_both_wordings_stand_and_the_memory_is_read_as_before() -> (
    None
):
    ours, theirs = TEXT.replace("Second", "2nd"), TEXT.replace("Second", "Zwei")
    found = merged(TEXT, ours, theirs)
    assert found.twice == 1
    assert f"2nd.\n\n{SEPARATOR}\n\nZwei.\n\nThird." in found.text
    memory = memory_from_text(found.text, "semantic/a.md")
    assert (memory.id, memory.title, memory.problem) == ("a", "One", "")


def test_entries_of_a_list_stand_once_each() -> None:
    base = "# A\n\n- one\n- two\n- three\n"
    ours = base.replace("two", "zwei").replace("- three", "- both\n- three")
    theirs = base.replace("two", "deux").replace("- three", "- both\n- three")
    found = merged(base, ours, theirs)
    assert found.text == f"# A\n\n- one\n- zwei\n- both\n{separator(2, 1)}\n- deux\n- three\n"


def test_lines_beside_each_other_may_be_changed_by_one_side_each() -> None:
    base = "- one\n- two\n"
    found = merged(base, base.replace("one", "1"), base.replace("two", "2"))
    assert found == ("- 1\n- 2\n", 0)


def test_what_one_side_took_out_and_the_other_changed_stays() -> None:
    theirs = TEXT.replace("Second.", "Second, since May.")
    for found in (
        merged(TEXT, TEXT.replace("Second.\n\n", ""), theirs),
        merged(TEXT, theirs, TEXT.replace("Second.\n\n", "")),
    ):
        assert found.twice == 0
        assert "Second, since May." in found.text
    theirs = TEXT.replace("mine: kept", "mine: changed")
    assert "mine: changed" in merged(TEXT, TEXT.replace("mine: kept\n", ""), theirs).text
    assert "mine: changed" in merged(TEXT, theirs, TEXT.replace("mine: kept\n", "")).text


def test_a_text_that_gives_way_in_the_front_matter_stays_as_a_comment() -> None:
    ours, theirs = TEXT.replace("mine: kept", "mine: A"), TEXT.replace("mine: kept", "mine: B: b")
    text = merged(TEXT, ours, theirs).text
    assert "mine: A\n" in text
    assert '# merged, the other side has mine: "B: b"\n' in text
    assert split_front(text).problem == ""


def test_comments_of_the_front_matter_are_kept_and_so_is_how_a_field_is_written() -> None:
    ours = TEXT.replace("status: open", "status: resolved")
    theirs = TEXT.replace("tags: [w, x]", "tags:\n  - w  # why\n  - y\n# a word about it")
    text = merged(TEXT, ours, theirs).text
    assert "tags:\n  - w  # why\n  - y\n" in text
    assert "# a word about it\n" in text
    assert "status: resolved" in text


def test_trust_is_the_lower_one_and_created_the_earlier_one() -> None:
    ours = "---\nid: a\ntrust: user\ncreated: 2026-01-02\n---\nx\n"
    theirs = "---\nid: a\ntrust: agent\ncreated: 2026-01-01\nupdated: 2026-03-01\n---\nx\n"
    for pair in ((ours, theirs), (theirs, ours)):
        memory = memory_from_text(merged("", *pair).text, "semantic/a.md")
        assert (memory.trust, memory.created[:10]) == ("agent", "2026-01-01")


def test_two_memories_that_began_from_nothing_say_what_both_say() -> None:
    found = merged("", f"{TEXT}Ours.\n", TEXT.replace("Second", "2nd"))
    assert found.text.count("First.") == found.text.count("Third.") == 1
    assert {"Second.", "2nd.", "Ours."} <= set(found.text.splitlines())
    assert len(split_front(found.text).entries) == len(split_front(TEXT).entries)


OLD, OURS, THEIRS = (
    f'[^{label}]: 2026-01-{day}, "{title}", said by the person\n'
    for label, day, title in (("aaaa11", 11, "Old"), ("bbbb22", 13, "Ours"), ("cccc33", 12, "Theirs"))
)  # fmt: skip


def test_footnotes_are_no_wordings_to_choose_from() -> None:
    base = f"# A\n\n- one ^abcd [^aaaa11]\n\n{OLD}"
    ours = f"# A\n\n- 1 ^abcd [^bbbb22]\n\n{OURS}"
    theirs = f"# A\n\n- uno ^abcd [^cccc33]\n\n{THEIRS}"
    found = merged(base, ours, theirs)
    items = f"- 1 ^abcd [^bbbb22]\n{SEPARATOR}\n- uno ^abcd [^cccc33]\n"
    assert found == (f"# A\n\n{items}\n{THEIRS}{OURS}", 1)


def test_a_footnote_stays_as_long_as_a_line_of_either_side_refers_to_it() -> None:
    base = f"# A\n\n- one ^abcd [^aaaa11]\n- two\n\n{OLD}"
    ours = f"# A\n\n- 1 ^abcd [^bbbb22]\n- two\n\n{OURS}"
    theirs = base.replace("two\n", "two\n- three ^efgh [^aaaa11]\n")
    expected = f"# A\n\n- 1 ^abcd [^bbbb22]\n- two\n- three ^efgh [^aaaa11]\n\n{OLD}{OURS}"
    assert merged(base, ours, theirs) == merged(base, theirs, ours) == (expected, 0)


def test_a_footnote_that_one_side_changed_stands_once() -> None:
    base = f"# A\n\n- one ^abcd [^aaaa11]\n- two\n\n{OLD}"
    ours, theirs = base.replace("person\n", "person, sure\n"), base.replace("two", "2")
    expected = theirs.replace("person\n", "person, sure\n")
    assert merged(base, ours, theirs) == merged(base, theirs, ours) == (expected, 0)


def test_both_add_to_a_rule_of_the_same_title() -> None:
    base = "# Rules\n"
    found = merged(base, f"{base}\n## Tests\n\nRun them.\n", f"{base}\n## Tests\n\nName them.\n")
    assert found.text == "# Rules\n\n## Tests\n\nRun them.\n\nName them.\n"


RULES = """# How to work here

## Always squash ^aaaa [^111111]
{rotate}
## Tests come first ^cccc [^111111]

In a file of their own.
{more}
[^111111]: 2026-10-06, said by the person
[^222222]: 2026-10-07, said by the person
"""
ROTATE = "\n## Rotate the secret ^bbbb [^111111]\n\nIn the vault.\n"
MORE = "\n## Never deploy on Fridays ^dddd [^222222]\n"
LIST = "# Orders\n\n- one ^aaaa [^111111]\n{two}{more}\n[^111111]: 2026-10-06, said by the person\n[^222222]: 2026-10-07, said by the person\n"
TWO = "- two ^bbbb [^111111]\n"
NEW = "- new ^dddd [^222222]\n"


def both_ways(base: str, one: str, other: str) -> str:
    """What comes of two sides, which is the same whoever merges."""
    found = merged(base, one, other)
    assert (found, found.twice) == (merged(base, other, one), 0)
    return found.text


@pytest.mark.parametrize("more", ["", MORE])
@pytest.mark.parametrize(
    "changed",
    [
        f"{ROTATE}\nThe path is kv/stripe.\n",
        ROTATE.replace("In the vault.", "In the vault, each May."),
        ROTATE.replace("secret", "secret of Stripe"),
        ROTATE.replace(" [^111111]\n", "\n\n- Rotate the secret [^111111]\n"),
        f"{ROTATE}\n```\n## no heading\n```\n",
    ],
)
def test_an_entry_that_one_took_out_and_the_other_changed_stays_whole(
    changed: str, more: str
) -> None:
    base, own = RULES.format(rotate=ROTATE, more=""), RULES.format(rotate="", more=more)
    expected = RULES.format(rotate=changed, more=more)
    assert both_ways(base, own, RULES.format(rotate=changed, more="")) == expected
    last = (
        RULES.partition("\n## Tests")[0]
        + "\n[^111111]: 2026-10-06, said by the person\n[^222222]: 2026-10-07, said by the person\n"
    )
    sides = [(ROTATE, ""), (more, ""), (changed, ""), (changed, more)]
    base, own, other, expected = (last.format(rotate="".join(side)) for side in sides)
    assert both_ways(base, own, other) == expected


@pytest.mark.parametrize(
    "changed",
    [
        TWO.replace("two", "two, since May"),
        f"{TWO}  because of the audit\n",
        f"{TWO}  - and three\n",
    ],
)
def test_so_does_an_item_of_a_list(changed: str) -> None:
    base, own = LIST.format(two=TWO, more=""), LIST.format(two="", more=NEW)
    expected = LIST.format(two=changed, more=NEW)
    assert both_ways(base, own, LIST.format(two=changed, more="")) == expected


def test_an_entry_that_only_one_side_touched_is_out() -> None:
    base, own = RULES.format(rotate=ROTATE, more=""), RULES.format(rotate="", more="")
    assert both_ways(base, own, RULES.format(rotate=ROTATE, more=MORE)) == RULES.format(
        rotate="", more=MORE
    )
    base, own = LIST.format(two=TWO, more=""), LIST.format(two="", more="")
    assert both_ways(base, own, LIST.format(two=TWO, more=NEW)) == LIST.format(two="", more=NEW)


def test_what_replaced_an_entry_by_its_opposite_is_a_wording_to_choose() -> None:
    new = f"{NEW}  <!-- superseded 2026-10-07: previously two -->\n"
    found = merged(
        LIST.format(two=TWO, more=""),
        LIST.format(two=new, more=""),
        LIST.format(two=TWO.replace("two", "two, since May"), more=""),
    )
    assert found.twice == 1


def test_an_entry_whose_words_another_one_had_stays_whole() -> None:
    replaced = "- new ^dddd [^222222]  <!-- superseded 2026-10-07: previously number two -->\n"
    between, number = "- three ^eeee [^111111]\n", "- number two ^dddd [^222222]\n"
    why = f"{TWO}  because of the audit\n"
    base = LIST.format(two=TWO, more=between + number)
    one = LIST.format(two="", more=between + replaced)
    other = LIST.format(two=why, more=between + number)
    expected = LIST.format(two=why, more=between + replaced)
    assert both_ways(base, one, other) == expected


@pytest.mark.parametrize(
    ("base", "begun", "gone_on"),
    [
        (RULES, MORE, "\nAnd beside the code.\n"),
        (LIST, NEW, "  because of the audit\n"),
        (LIST, NEW, "  - and three\n"),
        (LIST, MORE, NEW),
    ],
)
def test_what_goes_on_with_an_entry_stands_before_what_begins_one(
    base: str, begun: str, gone_on: str
) -> None:
    sides = ["", begun, gone_on, gone_on + begun]
    base, one, other, expected = (base.format(rotate=ROTATE, two=TWO, more=side) for side in sides)
    assert both_ways(base, one, other) == expected


def test_code_is_never_taken_apart() -> None:
    base = "# A\n"
    ours, theirs = (f"{base}\n```\n{x}\n}}\n```\n" for x in ("a {", "b {"))
    assert merged(base, ours, theirs).text == f"{ours}\n```\nb {{\n}}\n```\n"


@pytest.mark.parametrize("crlf", [(0,), (1,), (2,), (0, 1), (1, 2), (0, 1, 2)])
def test_line_ends_are_no_change_of_a_line(crlf: tuple[int, ...]) -> None:
    texts = [TEXT, TEXT.replace("First", "1st"), TEXT.replace("Third", "3rd")]
    for n in crlf:
        texts[n] = texts[n].replace("\n", "\r\n")
    found = merged(*texts)
    expected = TEXT.replace("First", "1st").replace("Third", "3rd")
    assert found.text.replace("\r\n", "\n") == expected
    assert found.twice == 0
    assert found.text.count("\r\n") in (0, found.text.count("\n"))


def test_what_cannot_be_read_or_compared_is_refused() -> None:
    broken = TEXT.replace("title: One", "title: [One")
    with pytest.raises(CannotMerge):
        merged(TEXT, broken, TEXT.replace("Third", "3rd"))
    marked = TEXT.replace("title: One", "<<<<<<< ours\ntitle: Two\n=======\ntitle: One\n>>>>>>> b")
    with pytest.raises(CannotMerge):
        merged(TEXT, marked, TEXT.replace("Third", "3rd"))
    base = "a\nb\n" * 11_000
    with pytest.raises(CannotMerge):
        merged(base, base + "ours\n", "theirs\n" + base)


def test_marks_are_found_by_line_and_a_line_across_is_none() -> None:
    assert marks_in("a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> x\n") == [2, 4, 6]
    assert marks_in("Title\n=======\n\n`<<<<<<<` is a mark\n") == []


HALVES = "<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> x\n"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a\n" + HALVES.format("- b", "- c") + "d\n", "a\nd\n"),
        ("a\n" + HALVES.format("b\n||||||| base\nc", "") + HALVES.format("", "d"), "a\n"),
        ("a\n<<<<<<< HEAD\nb\n", "a"),
        ("a\n>>>>>>> x\nb\n", "a\n>>>>>>> x\nb\n"),
        (HALVES.format("## B", "## C") + "its text\n## D\nd\n", "## D\nd\n"),
        ("```\n" + HALVES.format("b", "c") + "```\n", "```\n" + HALVES.format("b", "c") + "```\n"),
        ("Title\n=======\n", "Title\n=======\n"),
    ],
)
def test_between_marks_nothing_is_decided(text: str, left: str) -> None:
    assert without_unmerged(text) == left


# ------------------------------------------------------------------------ settings and lists by key

KEYS = ["lang", "capture.mode", "recall.start_tokens", "recall.prompt_tokens", "archive.days"]
SETTINGS = st.dictionaries(st.sampled_from(KEYS), st.integers(1, 3))
ROWS = st.dictionaries(st.sampled_from("abcdef"), st.sampled_from(["2026-01-01", "2026-01-02"]))


def as_toml(values: dict[str, int]) -> str:
    tables: dict[str, list[str]] = {"": []}
    for name, value in values.items():
        table, _, key = name.rpartition(".")
        tables.setdefault(table, []).append(f"# why {name}\n{key} = {value}\n")
    parts = [(f"\n[{t}]\n" if t else "") + "".join(rows) for t, rows in sorted(tables.items())]
    return "# Settings of this memory store.\n" + "".join(parts)


def as_rulings(rows: dict[str, str]) -> str:
    return "# What was ruled\n" + "".join(
        f'\n[{key}]\nruling = "old"\nold = "x"\nnew = "y"\ndate = "{date}"\n'
        for key, date in rows.items()
    )


def of_both(old: dict[str, Any], own: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """What both sides say, by the rule that the format names."""
    made: dict[str, Any] = {}
    for key in (*own, *other):
        values = [side.get(key) for side in (old, own, other)]
        mine = [one for one in values[1:] if one != values[0]] or [values[0]]
        said = [one for one in mine if one is not None]
        if said:
            made[key] = max(said)
    return made


@given(SETTINGS, SETTINGS, SETTINGS)
def test_settings_of_both_hold_and_every_comment_stays(
    old: dict[str, int], own: dict[str, int], other: dict[str, int]
) -> None:
    texts = [as_toml(one) for one in (old, own, other)]
    ours = merged_by_key("config.toml", *texts).text
    theirs = merged_by_key("config.toml", texts[0], texts[2], texts[1]).text
    for text in (ours, theirs):
        found = toml(text)
        flat = {f"{t}.{k}": v for t, rows in found.items() if isinstance(rows, dict) for k, v in rows.items()}  # fmt: skip
        flat |= {key: value for key, value in found.items() if not isinstance(value, dict)}
        assert flat == of_both(old, own, other)
        assert text.count("# Settings of this memory store.") == 1
        for key in flat:
            assert f"# why {key}\n" in text
    for key in own.keys() & other.keys():
        if own[key] != other[key] and old.get(key) not in (own[key], other[key]):
            assert f"other side has {key.rpartition('.')[2]} = {min(own[key], other[key])}" in ours


@given(ROWS, ROWS, ROWS)
def test_lists_and_rulings_of_both_hold_in_both_orders(
    old: dict[str, str], own: dict[str, str], other: dict[str, str]
) -> None:
    wanted = of_both(old, own, other)
    for texts in ((old, own, other), (old, other, own)):
        text = merged_by_key("rulings.toml", *map(as_rulings, texts)).text
        assert {key: row["date"] for key, row in toml(text).items()} == wanted
        pages = [with_rows("", "dismissed", [{"what": "merge", "memories": [k, "z"], "date": d} for k, d in one.items()], 1) for one in texts]  # fmt: skip
        rows = rows_in(merged_by_key("dismissed.json", *pages).text, "dismissed")
        assert {row["memories"][0]: row["date"] for row in rows} == wanted


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("config.toml", "lang = \n"),
        ("config.toml", "<<<<<<< a\nlang = 1\n=======\n"),
        ("pins.json", "{"),
    ],
)
def test_what_cannot_be_read_is_left_to_git(name: str, text: str) -> None:
    with pytest.raises(CannotMerge):
        merged_by_key(name, "", text, text + "\n")


def test_values_of_several_lines_and_of_unknown_keys_stay() -> None:
    base = 'lang = "en"\n'
    ours = base + 'note = """\na = 1\n[x]\n"""\n'
    theirs = base + "list = [\n  1,\n  2,\n]\n\n[mine]\nx = {y = 1}\n# the end\n"
    text = merged_by_key("config.toml", base, ours, theirs).text
    assert toml(text) == {"lang": "en", "note": "a = 1\n[x]\n", "list": [1, 2], "mine": {"x": {"y": 1}}}  # fmt: skip
    assert text.endswith("# the end\n")
