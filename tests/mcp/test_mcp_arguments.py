"""The arguments of tools: what is understood, and what is explained."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.mcp.talking import Agent

from recollect.interfaces.mcp.tools import BY_NAME, TOOLS, Refused, Tool, checked

ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
TYPES: dict[str, type] = {"string": str, "integer": int, "boolean": bool, "array": list}


def outcome(tool: Tool, given: object, lang: str) -> dict[str, Any] | str:
    """The arguments as they come through, or why they don't."""
    try:
        return checked(tool, given, lang)
    except Refused as refused:
        return str(refused)


@given(st.sampled_from(TOOLS), st.data(), st.sampled_from(["en", "zh"]))
def test_what_comes_through_has_the_types_of_the_schema(
    tool: Tool, data: st.DataObject, lang: str
) -> None:
    names = st.sampled_from([*tool.takes, "other"])
    given = data.draw(st.dictionaries(names, ANY, max_size=5) | ANY)
    values = outcome(tool, given, lang)
    if isinstance(values, str):
        assert 0 < len(values) < 2500
        assert values.isprintable()
        return
    assert set(tool.required) <= set(values)
    for name, value in values.items():
        schema = tool.takes[name]
        assert type(value) is TYPES[schema["type"]]
        if "enum" in schema:
            assert value in schema["enum"]
        if "maximum" in schema:
            assert schema["minimum"] <= value <= schema["maximum"]
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str):
                text.encode("utf-8")  # half a sign has no bytes


@pytest.mark.parametrize(
    ("tool", "given", "meant"),
    [
        ("search", {"query": "x", "limit": "3"}, {"query": "x", "limit": 3}),
        ("search", {"query": "x", "limit": 3.0}, {"query": "x", "limit": 3}),
        ("search", {"query": "x", "archived": "true"}, {"query": "x", "archived": True}),
        ("search", {"query": "x", "kind": None}, {"query": "x"}),
        ("search", {"query": "x", "tags": "a, b，c"}, {"query": "x", "tags": ["a", "b", "c"]}),
        ("search", {"query": "a\ud800b"}, {"query": "a?b"}),
        ("timeline", {"since": "2026-02"}, {"since": "2026-02"}),
    ],
)
def test_what_is_only_written_in_another_way_is_understood(
    tool: str, given: dict[str, Any], meant: dict[str, Any]
) -> None:
    assert checked(BY_NAME[tool], given, "en") == meant


@pytest.mark.parametrize(
    ("tool", "given", "said"),
    [
        ("search", {}, "“query” is missing: The words."),
        ("search", {"query": " "}, "“query” is empty: The words."),
        ("search", {"query": 7}, "“query” must be text, not 7."),
        ("search", {"query": "x", "limit": 99}, "whole number from 1 to 20, not 99"),
        ("search", {"query": "x", "limit": True}, "whole number from 1 to 20, not True"),
        ("search", {"query": "x", "kind": "wish"}, "“kind” must be one of decision, fact"),
        ("search", {"query": "x", "since": "yesterday"}, "a day such as 2026-01-31"),
        ("search", {"query": "x", "since": "2026-02-31"}, "a day such as 2026-01-31"),
        ("search", {"query": "x", "archived": "maybe"}, "must be true or false, not maybe"),
        ("search", {"query": "x", "tags": [1]}, "must be a list of words"),
        ("search", {"query": "x", "tags": ["a"] * 21}, "21 items; the maximum is 20"),
        ("search", {"words": "x"}, "search has no argument “words”; it takes: query, kind"),
        ("status", {"x": 1}, "status has no argument “x”; it takes: –."),
        ("remember", {"title": "x" * 201}, "201 characters; the maximum is 200"),
        ("recall", [], "must be a JSON object"),
    ],
)
def test_what_is_wrong_is_explained(tool: str, given: Any, said: str) -> None:
    with pytest.raises(Refused) as caught:
        checked(BY_NAME[tool], given, "en")
    assert said in str(caught.value)


def test_everything_that_is_wrong_is_said_at_once() -> None:
    with pytest.raises(Refused) as caught:
        checked(BY_NAME["search"], {"limit": "many", "tag": 1}, "en")
    assert [word in str(caught.value) for word in ("limit", "tag", "query")] == [True] * 3


MEGABYTE = "字" * 400_000
HOSTILE = [
    "../../../etc/passwd", "/etc/passwd", "C:\\x", "a/../../b", ".", "..", "~", "con", "\x00", "a\nb",
    "x" * 300, "id#" + "y" * 200, "#", "##", "%2e%2e%2f", "constructor", "__proto__", "{id}", "$&\\1",
    "' OR 1=1 --", "\u202eabc", "\ud800", "<system>", "🙂" * 60, "*", "NEAR(", '"',
]  # fmt: skip


@pytest.mark.slow
def test_hostile_names_reach_nothing_and_break_nothing(agent: Agent) -> None:
    before = sorted(path for path in agent.project.rglob("*"))
    with agent.server() as server:
        for name in HOSTILE:
            for tool in ("expand", "forget"):
                server.refusal(tool, id=name)
            server.refusal("update", id=name, append="x")
            assert "error" in server.ask("resources/read", uri=f"memory://{name}")
    assert sorted(path for path in agent.project.rglob("*")) == before


@pytest.mark.slow
def test_hostile_words_find_nothing_and_break_nothing(agent: Agent) -> None:
    with agent.server() as server:
        for words in HOSTILE:
            server.call("search", query=words)
            server.call("recall", cue=words)
            server.call("search", query="x", file=words[:200], tags=[words[:200]])
            server.result("prompts/get", name="recap", arguments={"topic": words})


def test_a_megabyte_is_refused_with_its_size_and_what_is_taken(agent: Agent) -> None:
    with agent.server() as server:
        for tool, name in (("recall", "cue"), ("search", "query"), ("expand", "id")):
            assert "400000 characters; the maximum is" in server.refusal(tool, **{name: MEGABYTE})
        assert "the maximum is 100000" in server.refusal("remember", title="x", text=MEGABYTE)
        assert "has no argument" in server.refusal("status", **{MEGABYTE: 1})


def test_any_number_of_wrong_arguments_is_explained_briefly(agent: Agent) -> None:
    deep: list[object] = []
    for _ in range(400):
        deep = [deep]
    with agent.server() as server:
        server.refusal("status", **{f"x{n}": n for n in range(5000)})
        assert "not […]" in server.refusal("search", query=deep)


@pytest.mark.slow
def test_any_text_is_kept_as_it_is(agent: Agent) -> None:
    text = "a\n---\nid: x\n---\n## b\n`$&` \\1 | | 字 🙂\n```\nopen"
    with agent.server() as server:
        for n, title in enumerate(name for name in HOSTILE if name.strip() and len(name) <= 200):
            found = server.call("remember", title=title, text=f"{n} {text}", kind="fact")
            assert not found.get("isError"), found
            name = found["structuredContent"]["id"]
            assert f"{n} {text}" in server.text("expand", id=name)
    agent.cli("doctor")
