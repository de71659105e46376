"""The fields of a memory: defaults, tolerance, and the text of a new one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.model import memory as model
from recollect.model.document import (
    DATES,
    default_fields,
    fields_of,
    memory_from_text,
    new_text,
    stem_of,
    with_field,
    with_title,
    words_for,
)
from recollect.model.frontmatter import Value
from recollect.model.memory import Memory, is_id
from recollect.model.times import time_of

from .build import any_text, memory
from .test_frontmatter import any_front, front

paths = st.sampled_from(
    ["semantic/a.md", "episodic/x/summary.md", "a.md", "summary.md", "archive/core/b.md", "..md"]
) | any_text.map(lambda name: f"procedural/{name}.md")


# ------------------------------------------------------------------------------------- reading


listing = st.lists(any_text, min_size=1).map(
    lambda items: front(f"tags: [{', '.join(items)}]", f"related: {' , '.join(items)}")
)


@given(any_text | any_front | listing, paths)
def test_every_text_is_a_memory_whose_words_are_known(text: str, path: str) -> None:
    found = memory_from_text(text, path)
    assert is_id(found.id)
    assert found.title == " ".join(found.title.split())
    assert found.layer in model.LAYERS
    assert found.kind in model.KINDS
    assert found.trust in model.TRUSTS
    assert all(getattr(found, key) in words_for(key) for key in ("salience", "source", "status"))
    assert all(item == item.strip() != "" for item in found.tags + found.files + found.related)
    assert all(time_of(time) == time for time in (found.created, found.updated) if time)


@pytest.mark.parametrize(
    ("path", "layer", "kind", "rest"),
    [
        ("semantic/a.md", "semantic", "fact", ("high", "observed", "confirmed")),
        ("semantic/decisions/a.md", "semantic", "decision", ("high", "observed", "confirmed")),
        ("semantic/issues/a.md", "semantic", "issue", ("high", "observed", "open")),
        ("semantic/implementations/a.md", "semantic", "implementation", ("high", "observed", "confirmed")),
        ("procedural/feedback.md", "procedural", "rule", ("high", "instructed", "confirmed")),
        ("procedural/patterns/a.md", "procedural", "pattern", ("high", "instructed", "confirmed")),
        ("reference/a.md", "reference", "pointer", ("high", "referenced", "confirmed")),
        ("episodic/2026-01-11-a.md", "episodic", "note", ("medium", "observed", "confirmed")),
        ("episodic/mem-1/summary.md", "episodic", "conversation", ("medium", "observed", "open")),
        ("archive/semantic/decisions/a.md", "semantic", "decision", ("high", "observed", "confirmed")),
        ("core/project.md", "semantic", "fact", ("high", "observed", "confirmed")),
        ("loose.md", "semantic", "note", ("high", "observed", "confirmed")),
    ],
)  # fmt: skip
def test_a_file_without_front_matter_is_what_its_folder_says(
    path: str, layer: str, kind: str, rest: tuple[str, str, str]
) -> None:
    found = memory_from_text("Text.\n", path)
    assert (found.layer, found.kind) == (layer, kind)
    assert (found.confidence, found.source, found.status) == rest
    assert (found.salience, found.trust, found.problem) == ("medium", "user", "")
    assert default_fields(path)["kind"] == kind


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("semantic/use-redis.md", "use-redis"),
        ("episodic/2026-01-11-talk/summary.md", "2026-01-11-talk"),
        ("summary.md", "summary"),
        ("semantic/数据库.md", "数据库"),
        ("semantic/a b:c.md", "a-b-c"),
        ("semantic/..md", "memory"),
        ("semantic/a..b.md", "a-b"),
        ("semantic/-rf.md", "rf"),
        (f"semantic/{'x' * 200}.md", "x" * 128),
        ("semantic/a\udc80b.md", "a-b"),
    ],
)
def test_a_file_that_names_no_id_has_its_own_name(path: str, name: str) -> None:
    assert memory_from_text("Text.\n", path).id == name


@pytest.mark.parametrize(
    "name",
    ["../../x", "a/b", "a\\b", ".hidden", "a..b", "x" * 129, "a b", "trailing.", "-rf", '"\\0"'],
)
def test_an_id_that_cannot_be_a_name_is_a_problem(name: str) -> None:
    found = memory_from_text(front(f"id: {name}"), "semantic/stem.md")
    assert (found.id, "is not a valid name" in found.problem) == ("stem", True)


def test_words_outside_their_list_become_the_default_and_a_problem() -> None:
    lines = [
        "type: memoir",
        "salience: huge",
        "status: Resolved",
        "trust: nobody",
        "kind: DECISION",
    ]
    found = memory_from_text(front(*lines), "episodic/2026-01-11-a.md")
    assert (found.layer, found.salience, found.trust) == ("episodic", "medium", "user")
    assert (found.status, found.kind) == ("resolved", "decision")
    for word in ("memoir", "huge", "nobody"):
        assert f"“{word}”" in found.problem
    assert "Resolved" not in found.problem


@pytest.mark.parametrize(
    ("line", "tags"),
    [
        ("tags: redis", ("redis",)),
        ("tags: redis, cache", ("redis", "cache")),
        ("tags: 数据库，缓存、索引；队列", ("数据库", "缓存", "索引", "队列")),
        ("tags: [数据库，缓存]", ("数据库", "缓存")),
        ("tags:\n  - redis\n  - redis\n  -\n  - cache", ("redis", "cache")),
        ("tags: [ , redis, ~]", ("redis",)),
        ("tags: `redis`, {keyword1}", ("redis",)),
        ("tags:", ()),
        ("tags: {a: b}", ("a: b",)),
    ],
)
def test_a_list_is_read_however_it_was_given(line: str, tags: tuple[str, ...]) -> None:
    assert memory_from_text(front(line), "semantic/a.md").tags == tags


def test_a_list_where_one_value_belongs_is_read_as_one() -> None:
    found = memory_from_text(front("title: [Use, Redis]", "session: [a]"), "semantic/a.md")
    assert (found.title, found.session) == ("Use, Redis", "a")


@pytest.mark.parametrize(
    ("written", "time"),
    [
        ("2026-01-11", "2026-01-11T00:00:00Z"),
        ("2026-01-11T14:30:05Z", "2026-01-11T14:30:05Z"),
        ("2026-01-11 14:30", "2026-01-11T14:30:00Z"),
        ("2026-01-11T14:30:05.123456Z", "2026-01-11T14:30:05Z"),
        ("2026-01-11T01:30:00+08:00", "2026-01-10T17:30:00Z"),
        ("2026-01-11 23:30 -0130", "2026-01-12T01:00:00Z"),
        ("2026/1/5", "2026-01-05T00:00:00Z"),
        ("2026.01.05", "2026-01-05T00:00:00Z"),
        ("2026年1月5日", "2026-01-05T00:00:00Z"),
        ("2026年1月5日 9:05", "2026-01-05T09:05:00Z"),
        ("2026年01月05日14：30：22", "2026-01-05T14:30:22Z"),
        ("0987-01-05", "0987-01-05T00:00:00Z"),
        ("2026-13-01", ""),
        ("2026-02-30", ""),
        ("2026-01-11 25:00", ""),
        ("0001-01-01T00:00+01:00", ""),
        ("2026-01-111", ""),
        ("yesterday", ""),
        ("12:30", ""),
        ("", ""),
    ],
)
def test_times_are_read_as_people_write_them_and_kept_in_utc(written: str, time: str) -> None:
    assert time_of(written) == time


def test_a_date_that_is_none_is_a_problem_and_the_next_best_is_taken() -> None:
    lines = ["created: last week", "last-accessed: 2026-01-12 10:00", "decay-after: 2026/4/11"]
    found = memory_from_text(front(*lines), "episodic/2026-01-11-talk.md")
    assert found.created == "2026-01-11T00:00:00Z"
    assert (found.last_accessed, found.decay_after) == ("2026-01-12", "2026-04-11")
    assert "created is “last week”" in found.problem


@pytest.mark.parametrize(
    ("line", "private"),
    [
        ("private: true", True), ("private: Yes", True), ("private: 1", True), ("private: 是", True),
        ("private: tru", True), ("private: false", False), ("private: no", False),
        ("private: 否", False), ("private:", False), ("title: x", False),
    ],
)  # fmt: skip
def test_what_is_not_plainly_public_is_private(line: str, private: bool) -> None:
    assert memory_from_text(front(line), "semantic/a.md").private is private


@pytest.mark.parametrize(
    ("body", "title"),
    [
        ("# The title #1\n", "The title #1"),
        ("intro\n\n# Late\n", "Late"),
        ("```sh\n# install\n```\n", "stem"),
        ("#no heading\n", "stem"),
        ("## Section\n", "stem"),
        ("", "stem"),
        ("# Conversation Memory: Redis pooling\n", "Redis pooling"),
        ("# 对话记忆：连接池\n", "连接池"),
    ],
)
def test_the_title_is_the_heading_where_none_is_given(body: str, title: str) -> None:
    assert memory_from_text(body, "semantic/stem.md").title == title


def test_the_headers_of_the_first_seed_are_read_where_the_front_matter_is_silent() -> None:
    body = "# Conversation Memory: Pools\n\n- **Time**: 2026-01-11 14:30:22\n- **Keywords**: a, b\n"
    found = memory_from_text(body, "episodic/mem-1/summary.md")
    assert (found.created, found.tags) == ("2026-01-11T14:30:22Z", ("a", "b"))
    found = memory_from_text(front("tags: [c]", "created: 2026-01-01", body=body), "a.md")
    assert (found.created, found.tags) == ("2026-01-01T00:00:00Z", ("c",))


# ------------------------------------------------------------------------------------- writing

_items = st.lists(any_text.map(str.strip).filter(bool), max_size=4, unique=True).map(tuple)
_times = st.datetimes().map(lambda t: f"{t.replace(microsecond=0).isoformat()}Z")
_one_line = any_text.map(lambda text: " ".join(text.split()))
memories = st.builds(
    memory,
    id=st.from_regex(r"\w[\w-]{0,20}", fullmatch=True),
    title=_one_line.filter(bool),
    layer=st.sampled_from(model.LAYERS),
    kind=st.sampled_from(model.KINDS),
    category=_one_line,
    tags=_items,
    trigger=_items,
    files=_items,
    concepts=_items,
    related=_items,
    supersedes=_items,
    salience=st.sampled_from(model.LEVELS),
    confidence=st.sampled_from(model.LEVELS),
    source=st.sampled_from(model.SOURCES),
    trust=st.sampled_from(model.TRUSTS),
    status=st.sampled_from(model.STATUSES),
    session=_one_line,
    created=_times,
    updated=_times,
    last_accessed=st.dates().map(str),
    decay_after=st.dates().map(str),
    retention=st.just("temporary"),
    private=st.booleans(),
    body=any_text.map(lambda text: text.strip("\n") + "\n"),
    path=st.sampled_from(
        ["semantic/a.md", "semantic/decisions/d001-a.md", "episodic/2026-01-11-a/summary.md"]
    ),
).map(
    lambda made: made._replace(
        id=stem_of(made.path) if len(made.id) % 2 else made.id,
        body=f"# {made.title}\n\n{made.body}".rstrip("\n") + "\n"
        if len(made.id) % 3
        else made.body,
        retention="temporary" if made.layer == "episodic" else "",
    )
)


@given(memories, st.booleans())
def test_the_text_of_a_new_memory_reads_back_as_the_same_memory(
    wanted: Memory, is_placed: bool
) -> None:
    text = new_text(fields_of(wanted), wanted.body, wanted.path if is_placed else "")
    created = wanted.created or time_of(stem_of(wanted.path))
    updated = wanted.updated or created
    read = wanted._replace(
        created=created, updated=updated, last_accessed=wanted.last_accessed or updated[:10]
    )
    found = memory_from_text(text, wanted.path)
    assert found._replace(problem="") == read
    assert bool(found.problem) == (
        text.endswith("\0") or "\0\0\0\0" in text or any("\ud800" <= c <= "\udfff" for c in text)
    )


def test_a_new_text_says_what_differs_from_the_usual_and_nothing_else() -> None:
    path = "semantic/decisions/use-redis.md"
    fields = fields_of(memory_from_text("# Use Redis\n", path))
    times = {"created": "2026-01-11T14:30:00Z", "updated": "2026-01-11T14:30:00Z"}
    text = new_text({**fields, **times, "last-accessed": "2026-01-11"}, "# Use Redis\n", path)
    said = "id: use-redis\ntitle: Use Redis\ntype: semantic\ncreated: 2026-01-11T14:30:00Z\n"
    assert text == f"---\n{said}---\n# Use Redis\n"
    other: dict[str, Value] = {
        "id": "d7",
        "title": "Use Valkey",
        "kind": "fact",
        "confidence": "low",
        "trust": "agent",
        "files": ["a.py"],
    }
    more = new_text({**fields, **times, **other}, "", path).split("---\n")[1].splitlines()
    assert [line for line in more if line not in text.splitlines()] == [
        "id: d7", "title: Use Valkey", "kind: fact", "files: [a.py]", "confidence: low", "trust: agent"
    ]  # fmt: skip


def test_a_session_says_neither_its_layer_nor_the_tags_that_its_title_gives() -> None:
    path = "episodic/2026-01-11-seal-the-kettle-lid/summary.md"
    fields: dict[str, Value] = {
        "id": "2026-01-11-seal-the-kettle-lid", "title": "Seal the kettle lid", "type": "episodic",
        "kind": "session", "tags": ["seal", "kettle", "lid"], "created": "2026-01-11T14:30:00Z",
    }  # fmt: skip
    text = new_text(fields, "", path)
    assert "type:" not in text
    assert "tags:" not in text
    for place in (path, "semantic/moved.md", "archive/episodic/elsewhere.md"):
        found = memory_from_text(text, place)
        assert (found.layer, found.kind) == ("episodic", "session")
        assert found.tags == ("seal", "kettle", "lid")
        assert found.id == fields["id"]
    assert memory_from_text(new_text({**fields, "tags": ["tea"]}, "", path), path).tags == ("tea",)
    assert memory_from_text(new_text({**fields, "tags": []}, "", path), path).tags == ()


A_SESSION: dict[str, Value] = {
    "id": "2026-01-11-seal-the-kettle-lid", "title": "Seal the kettle lid", "type": "episodic",
    "kind": "session", "session": "s1", "created": "2026-01-11T14:30:00Z",
}  # fmt: skip


@pytest.mark.parametrize(
    "place",
    [
        "episodic/2026-01-11-seal-the-kettle-lid/summary.md",
        "archive/episodic/2026-01-11-seal-the-kettle-lid-2/summary.md",  # a second name there
        "episodic/2026-01-11-seal-the-kettle-lid/summary (Ada's conflicted copy).md",
        "episodic/2026-01-11-seal-the-kettle-lid copy/summary.md",
        "episodic/tea/summary.md",
        "semantic/tea.md",
    ],
)
def test_a_session_that_does_not_say_its_id_keeps_it_where_it_is_moved(place: str) -> None:
    home = f"episodic/{A_SESSION['id']}/summary.md"
    text = new_text(A_SESSION, "# Seal the kettle lid\n", home)
    assert text == (
        "---\ntitle: Seal the kettle lid\nkind: session\nsession: s1\n"
        "created: 2026-01-11T14:30:00Z\n---\n# Seal the kettle lid\n"
    )
    assert memory_from_text(text, place).id == A_SESSION["id"]
    edited = text.replace("Seal the kettle", "Mend the pot")
    assert memory_from_text(edited, home).id == A_SESSION["id"]


def test_a_session_that_is_not_named_after_its_title_says_its_id() -> None:
    for name in ("2026-01-11-seal-the-kettle-lid-2", "2026-01-11-tea", "tea"):
        text = new_text({**A_SESSION, "id": name}, "", f"episodic/{name}/summary.md")
        assert f"id: {name}" in text


def test_a_page_without_times_is_as_old_as_its_statements() -> None:
    lines = "- One. ^abcd [^0b6f3a]\n- Two. ^efgh [^91c2e0]\n\n"
    notes = '[^91c2e0]: 2026-02-11 14:30, "Tea", said by the person\n[^0b6f3a]: 2026-01-11, seen before\n'
    page = memory_from_text(f"# Tea\n\n{lines}{notes}", "semantic/tea.md")
    assert (page.created, page.updated) == ("2026-01-11T00:00:00Z", "2026-02-11T14:30:00Z")
    page = memory_from_text(f"{front('created: 2026-03-01')}{lines}{notes}", "semantic/tea.md")
    assert (page.created, page.updated) == ("2026-03-01T00:00:00Z",) * 2


def test_an_episode_fades_after_its_time_unless_it_says_when_or_never() -> None:
    path, day = "episodic/2026-01-11-a.md", "created: 2026-01-11"
    assert memory_from_text(front(day), path).decay_after == "2026-04-11"
    assert memory_from_text(front(day, "decay-after: 2027-01-01"), path).decay_after == "2027-01-01"
    assert memory_from_text(front(day, "decay-after:"), path).decay_after == ""
    assert memory_from_text(front(day), "semantic/a.md").decay_after == ""


@pytest.mark.parametrize("key", DATES)
def test_dates_stay_unquoted(key: str) -> None:
    line = f"{key}: 2026-01-11T14:30:00Z"
    assert line in new_text({key: "2026-01-11T14:30:00Z"}, "")
    assert line in with_field("Body\n", key, "2026-01-11T14:30:00Z")


def test_words_are_known_for_the_fields_that_have_a_list() -> None:
    assert words_for("status") == model.STATUSES
    assert words_for("title") == ()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("---\ntitle: Use npm\n# mine\n---\n# use  NPM\r\n\nText.\n", "---\ntitle: B\n# mine\n---\n# B\r\n\nText.\n"),
        ("# 对话记忆：旧\n\n正文\n", "# 对话记忆：B\n\n正文\n"),
        ("---\ntitle: A\n---\n# Another one\n", "---\ntitle: B\n---\n# Another one\n"),
        ("---\ntitle: A\n---\nText.\n\n```\n# A\n```\n", "---\ntitle: B\n---\nText.\n\n```\n# A\n```\n"),
        ("---\ntitle: A\n---\n# Not A\n", "---\ntitle: B\n---\n# Not A\n"),
    ],
)  # fmt: skip
def test_another_title_goes_into_the_heading_that_says_the_old_one(old: str, new: str) -> None:
    assert with_title(old, "B") == new


@given(
    st.sampled_from(["", "---\ntitle: Old one\n---\n", "---\ntags: [a]\n---\n"]), any_text, any_text
)
def test_of_a_body_another_title_changes_the_heading_only(lead: str, said: str, title: str) -> None:
    wanted = " ".join(title.split())
    made = with_title(f"{lead}# Old one\n\n{said}", title)
    if wanted:
        assert memory_from_text(made, "semantic/x.md").title == wanted
        assert made.endswith(f"# {wanted}\n\n{said}")
    else:
        assert made.endswith(f"# Old one\n\n{said}")
