"""Laws of small edits of JSON files, over generated ones."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from recollect.clients import claude as settings
from recollect.clients.base import HookProgram
from recollect.text import json_edit

PYTHON, HOOK = "/usr/bin/python3", "/opt/a b/recollect/hook.py"
FORM = settings.hooks(HookProgram(PYTHON, HOOK))
EVENTS = ["SessionStart", "Stop", "SessionEnd", "Notification", "PreToolUse"]
WORDS = st.text(max_size=6) | st.sampled_from(["简体中文", "constructor", "hooks", '"\\', "a\tb"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=8,
)
HANDLER = st.fixed_dictionaries({"type": st.just("command"), "command": WORDS})
GROUP = st.fixed_dictionaries(
    {"hooks": st.lists(HANDLER, max_size=2)}, optional={"matcher": st.just("Bash")}
)
HOOKS = st.dictionaries(st.sampled_from(EVENTS), st.lists(GROUP, max_size=3), max_size=4)
LAYOUTS = st.sampled_from([(None, (",", ":")), (None, None), (1, None), (2, None), ("\t", None)])


@st.composite
def files(draw: st.DrawFn) -> str:
    """The text of a settings file, in some layout."""
    found: dict[str, Any] = draw(
        st.dictionaries(WORDS.filter(lambda k: k != "hooks"), VALUES, max_size=4)
    )
    if draw(st.booleans()):
        items = [*found.items()]
        items.insert(draw(st.integers(0, len(items))), ("hooks", draw(HOOKS)))
        found = dict(items)
    indent, separators = draw(LAYOUTS)
    text = json.dumps(found, indent=indent, separators=separators, ensure_ascii=draw(st.booleans()))
    eol = draw(st.sampled_from(["\n", "\r\n"]))
    return (
        draw(st.sampled_from(["", "\ufeff"]))
        + text.replace("\n", eol)
        + draw(st.sampled_from(["", eol, " \n"]))
    )


@pytest.mark.slow
@given(files())
def test_what_goes_in_comes_out_to_the_byte(text: str) -> None:
    there = frozenset(FORM.empties(text))
    installed = FORM.put(text)
    assert FORM.taken(installed, there) == text
    assert FORM.put(installed) == installed
    assert FORM.taken(text, there) == text


@given(files())
def test_what_others_have_says_the_same_with_ours_in_it(text: str) -> None:
    before = json.loads(text.removeprefix("\ufeff"))
    after = json.loads(FORM.put(text).removeprefix("\ufeff"))
    hooks = after.pop("hooks")
    theirs = before.pop("hooks", {})
    assert list(after.items()) == list(before.items())
    for event, groups in hooks.items():
        others = [g for g in groups if not any(map(FORM.is_ours, g["hooks"]))]
        assert others == theirs.get(event, [])
        assert len(groups) - len(others) == (event in settings.EVENTS)


@pytest.mark.slow
@given(files(), st.sampled_from(["/new/python", PYTHON]))
def test_renewing_is_installing_anew(text: str, python: str) -> None:
    newer = settings.hooks(HookProgram(python, HOOK))
    assert newer.put(FORM.put(text)) == newer.put(text)


@given(VALUES.filter(lambda v: isinstance(v, dict)), LAYOUTS, WORDS, VALUES)
def test_a_member_that_is_added_can_be_taken_out_again(
    value: dict[str, Any], layout: tuple[Any, Any], key: str, new: Any
) -> None:
    assume(key and key not in value)
    text = json.dumps(value, indent=layout[0], separators=layout[1])
    added = json_edit.added(text, json_edit.root_of(text), key, new, 0)
    assert json.loads(added) == value | {key: new}
    assert json_edit.removed(added, 0, len(value), 0) == text


@given(st.text(max_size=40) | files().map(lambda text: text[:-1]))
def test_any_text_is_a_json_object_or_refused_with_a_sentence(text: str) -> None:
    try:
        value = json.loads(text.removeprefix("\ufeff"), parse_constant=lambda _: 1 / 0)
    except (ValueError, ZeroDivisionError):
        value = None
    if isinstance(value, dict):
        spans = json_edit.spans(text, json_edit.root_of(text))
        assert {span.key: span.value for span in spans} == value
        return
    with pytest.raises(ValueError, match=r"\Ait (is|has|contains) "):
        json_edit.root_of(text)
