"""What an agent can say of a thing that it remembers, besides the thing."""

from __future__ import annotations

import pytest
from tests.mcp.talking import Agent
from tests.mcp.test_mcp_tools import front_of

from recollect.interfaces.mcp import tools
from recollect.model import memory as model


def test_the_words_that_are_offered_are_those_of_the_store() -> None:
    offered = {word for words in model.CATEGORIES.values() for word in words}
    assert set(tools.CATEGORIES) == offered
    assert set(tools.ALL_KINDS) == set(model.KINDS)


def test_each_field_is_written(agent: Agent) -> None:
    with agent.here() as server:
        server.text(
            "remember", title="The queue drops messages under load", kind="issue",
            category="performance", status="resolved", confidence="low",
            concepts=["back-pressure"], files=["src/queue.py"], tags=["queue", "load"],
        )  # fmt: skip
    [path] = (agent.store / "semantic" / "issues").glob("*.md")
    front = front_of(path)
    assert (front["category"], front["status"], front["confidence"]) == ("performance", "resolved", "low")  # fmt: skip
    assert front["concepts"] == "[back-pressure]"
    assert (front["source"], front["trust"]) == ("inferred", "agent")


def test_a_category_of_another_kind_is_refused_with_those_that_fit(agent: Agent) -> None:
    with agent.here() as server:
        said = server.refusal("remember", title="Use Redis", kind="decision", category="bugfix")
        assert "architecture, technology, approach, other" in said
        assert server.refusal(
            "remember", title="Where the wiki is", kind="pointer", category="other"
        )
    assert agent.json("list") == []


def test_it_is_added_to_a_note_of_an_agent_as_a_section(agent: Agent) -> None:
    with agent.here() as server:
        server.text("remember", title="Redis cache", kind="fact", text="It runs on port 6379.")
        said = server.call("remember", title="The pool holds 10 links", into="redis-cache",
                           text="More were of no use.")  # fmt: skip
        assert said["structuredContent"]["id"] == "redis-cache#the-pool-holds-10-links"
        again = server.call("remember", title="The pool holds 10 links", into="redis-cache",
                            text="More were of no use.")  # fmt: skip
        assert again["structuredContent"]["what"] == "unchanged"
        assert "More were of no use." in server.text("expand", id="redis-cache")
        # A section names the note that it is in.
        server.text("remember", title="It is flushed at night", into="redis-cache#the-pool-holds-10-links")  # fmt: skip
    assert [row["id"] for row in agent.json("list", "--pages")] == ["redis-cache"]
    assert len(agent.json("history")) == 3


def test_what_is_added_to_a_persons_note_says_whose_it_is(agent: Agent) -> None:
    agent.cli("save", "Redis cache", "--kind", "fact", "--body", "It runs on port 6379.")
    with agent.here() as server:
        server.text("remember", title="The pool holds 10 links", into="redis-cache")
        whole = server.text("expand", id="redis-cache#the-pool-holds-10-links")
    assert 'trust="agent"' in whole
    assert agent.json("show", "redis-cache")["trust"] == "user"


@pytest.mark.parametrize("more", [{"kind": "fact"}, {"scope": "global"}])
def test_where_it_is_added_decides_kind_and_scope(agent: Agent, more: dict[str, str]) -> None:
    agent.cli("save", "Redis cache", "--kind", "fact")
    with agent.here() as server:
        said = server.refusal("remember", title="More of it", into="redis-cache", **more)
        assert "leave out" in said
        assert "no memory" in server.refusal("remember", title="More of it", into="none")


def test_a_note_that_it_could_have_been_added_to_is_named(agent: Agent) -> None:
    tags = ["redis", "cache", "pool"]
    with agent.here() as server:
        server.text("remember", title="Redis holds the sessions", kind="fact", tags=tags)
        said = server.call("remember", title="Ten links are enough", kind="fact", tags=tags)
    assert said["structuredContent"]["near"] == "redis-holds-the-sessions"
    assert "into" in said["content"][0]["text"]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", ["fact", "decision", "rule"])
def test_what_was_saved_by_command_is_not_remembered_again_and_the_other_way_round(
    agent: Agent, kind: str
) -> None:
    with agent.here() as server:
        saved = agent.json("save", "使用 NATS", "--kind", kind, "--body", "It is fast.")
        told = server.call("remember", title="使用NATS", kind=kind, text="it is fast")
        assert saved["id"] in told["content"][0]["text"]
        server.text("remember", title="Use Redis", kind=kind, text="For the cache.")
        again = agent.json("save", "use redis.", "--kind", kind, "--body", "For the cache")
    texts = "".join(
        path.read_text() for path in agent.store.rglob("*.md") if path.name != "MEMORY.md"
    )
    assert texts.lower().count("for the cache") == texts.lower().count("it is fast") == 1
    assert again["what"] == "amended"  # the person says it now
