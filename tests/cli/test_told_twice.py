"""What is told twice is one memory; what says something else is another one."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.capture.transcripts import Transcript
from tests.cli.running import Person


def memories(person: Person) -> list[Path]:
    folders = ("semantic", "episodic", "procedural", "reference")
    return [p for f in folders for p in (person.store / f).rglob("*.md")]


@pytest.mark.parametrize(
    ("first", "again"),
    [
        (("Use PostgreSQL", "It has JSONB."), ("use  postgresql!", "it has JSONB")),
        (("使用 PostgreSQL", "支持 JSONB。"), ("使用PostgreSQL", "支持JSONB")),
        (("连接池上限为 20", ""), ("连接池上限为２０。", "")),
        (("Port is 6379", ""), ("Port is 6379", "Port is 6379.")),
    ],
)
@pytest.mark.parametrize("kind", ["fact", "decision", "note", "rule", "pointer", ""])
@pytest.mark.sampled(4)
def test_the_same_title_and_text_is_one_memory(
    person: Person, first: tuple[str, str], again: tuple[str, str], kind: str
) -> None:
    words = ("--kind", kind) if kind else ()
    one = person.ok("save", first[0], "--body", first[1], *words, "--json").json
    before = {path: path.read_bytes() for path in memories(person)}
    two = person.ok("save", again[0], "--body", again[1], *words, "--json").json
    assert (two["id"], two["what"]) == (one["id"], "unchanged")
    assert {path: path.read_bytes() for path in memories(person)} == before
    told = person.ok("save", again[0], "--body", again[1], *words).out
    assert f"{one['id']} already says that; nothing was changed." in told


@pytest.mark.parametrize(
    ("first", "again", "kind"),
    [
        ("Avoid mocks and stubs in tests", "Please avoid mocks/stubs in tests", "rule"),
        ("Orders are stored in cents", "All orders are stored in cents.", "decision"),
        ("请用 pnpm 安装依赖", "用 pnpm 安装依赖", "rule"),
    ],
)
@pytest.mark.sampled(1)
def test_filling_words_make_no_second_entry(
    person: Person, first: str, again: str, kind: str
) -> None:
    one = person.ok("save", first, "--kind", kind, "--json").json
    two = person.ok("save", again, "--kind", kind, "--json").json
    assert (two["id"], two["what"]) == (one["id"], "unchanged")
    assert [row["text"] for row in person.ok("list", "--json").json] == [first]


@pytest.mark.parametrize(
    ("title", "why", "again"),
    [
        (
            "Payment callbacks are idempotent",
            "WeChat pushes twice.",
            "payment callbacks are idempotent.",
        ),
        ("支付回调必须幂等", "微信会重复推送，按 transaction_id 去重。", "支付回调必须幂等"),
        (
            "Never call staging from a test",
            "It bills us.\n\n- Use the stub.",
            "Never call staging from a test",
        ),
    ],
)
@pytest.mark.parametrize("kind", ["rule", "pointer"])
@pytest.mark.sampled(2)
def test_a_title_alone_adds_nothing_to_what_has_a_text(
    person: Person, title: str, why: str, again: str, kind: str
) -> None:
    one = person.ok("save", title, "--kind", kind, "--body", why, "--json").json
    before = {path: path.read_bytes() for path in memories(person)}
    two = person.ok("save", again, "--kind", kind, "--json").json
    assert (two["id"], two["what"]) == (one["id"], "unchanged")
    assert {path: path.read_bytes() for path in memories(person)} == before
    assert (
        person.ok("save", title, "--kind", kind, "--body", "Since May.", "--json").json["what"]
        == "amended"
    )


def test_the_title_of_an_agent_s_rule_is_the_person_s_once_they_say_it(person: Person) -> None:
    agent = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "s1"}
    person.ok(
        "save",
        "Never call staging from a test",
        "--kind",
        "rule",
        "--body",
        "It bills us.",
        env=agent,
    )
    done = person.ok("save", "Never call staging from a test", "--kind", "rule", "--json").json
    assert done["what"] == "amended"


def test_what_has_a_text_of_its_own_gets_its_own_page(person: Person) -> None:
    person.ok("save", "Retry three times", "--kind", "pattern", "--body", "With a pause.")
    words = ("--kind", "pattern", "--body", "Each time longer.", "--json")
    done = person.ok("save", "Please retry three times", *words).json
    assert (done["id"], done["what"]) == ("please-retry-three-times", "created")


def test_undo_behind_the_second_takes_back_the_first_and_nothing_else(person: Person) -> None:
    person.ok("save", "Another", "--kind", "fact")
    for _ in range(2):
        person.ok("save", "Use NATS", "--kind", "decision", "--body", "Fast.")
    person.ok("undo")
    assert [path.name for path in memories(person)] == ["another.md"]


@pytest.mark.parametrize(
    "other",
    [
        ("Use C", "Speed."),
        ("Use C++", "Safety."),
        ("Use C++", ""),
    ],
)
def test_what_says_something_else_is_another_memory(person: Person, other: tuple[str, str]) -> None:
    person.ok("save", "Use C++", "--kind", "fact", "--body", "Speed.")
    done = person.ok("save", other[0], "--kind", "fact", "--body", other[1], "--json").json
    assert done["what"] == "created"
    assert len(memories(person)) == 2


@pytest.mark.parametrize(("one", "two"), [("x = -1", "x = 1"), ("Take 1.5", "Take 15"), ("a != b", "a = b")])  # fmt: skip
@pytest.mark.sampled(1)
def test_signs_that_mean_something_are_no_punctuation(person: Person, one: str, two: str) -> None:
    for text in (one, two):
        person.ok("save", "The rule of it", "--kind", "fact", "--body", text)
        person.ok("add-decision", text)
    assert len(memories(person)) == 4


@pytest.mark.parametrize("command", ["add-decision", "add-pattern", "add-issue"])
def test_a_fact_stated_and_saved_is_one(person: Person, command: str) -> None:
    kind = command.removeprefix("add-")
    person.ok(command, "Use NATS for events")
    number = person.ok("list", "--json").json[0]["id"]
    person.ok(command, "use NATS for events.")
    again = person.ok("save", "Use NATS for events", "--kind", kind, "--json").json
    assert (again["id"], again["what"]) == (number, "unchanged")
    assert len(memories(person)) == 1


def test_an_episode_of_another_day_is_another(person: Person) -> None:
    person.write("episodic/2020-01-01-standup.md", "---\nid: 2020-01-01-standup\ntitle: Standup\nkind: note\n---\n# Standup\n")  # fmt: skip
    assert person.ok("save", "Standup", "--kind", "note", "--json").json["what"] == "created"


def test_a_person_s_word_raises_what_an_agent_said(person: Person) -> None:
    agent = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "s1"}
    one = person.ok("save", "Use NATS", "--kind", "fact", "--json", env=agent).json
    path = Path(one["path"])
    path.write_text(path.read_text().replace("trust: user", "trust: agent"))
    two = person.ok("save", "Use NATS", "--kind", "fact", "--json").json
    assert (two["id"], two["what"]) == (one["id"], "amended")
    assert "trust: user" in path.read_text()
    assert len(memories(person)) == 1


def test_what_an_agent_says_after_a_tool_is_the_agent_s_conclusion(person: Person) -> None:
    made = person.ok("save", "Use NATS", "--kind", "fact", "--json").json
    path = Path(made["path"])
    path.write_text(path.read_text().replace("source: instructed", "trust: tool"))
    again = person.ok("save", "Use NATS", "--kind", "fact", "--json", env={"CLAUDECODE": "1"}).json
    assert again["what"] == "amended"
    text = path.read_text()
    assert "trust: agent" in text
    assert "source: inferred" in text


@pytest.mark.slow
def test_a_person_s_tags_stay_and_are_found_in_every_form(person: Person) -> None:
    for tag in ("scraper", "scraping", "migrated", "migration", "automerge-repo"):
        person.ok("save", f"About {tag}", "--kind", "fact", "--tags", tag)
        path = person.store / f"semantic/about-{tag}.md"
        assert f"tags: [{tag}]\n" in path.read_text()
    for asked, count in (("scraper", 2), ("scraping", 2), ("automerge", 1), ("automerge-repo", 1)):
        assert len(person.ok("list", "--tags", asked, "--json").json) == count
        assert len(person.ok("search", asked, "--json").json["hits"]) == count
    person.ok("save", "No word of it", "--kind", "fact", "--tags", "scraper", "--body", "Waits.")
    for words in ("scraping", "scrape", "tags:scraping", "tags:scraper"):
        ids = [hit["id"] for hit in person.ok("search", words, "--json").json["hits"]]
        assert "no-word-of-it" in ids, words


def test_what_an_agent_noted_and_a_person_says_too_leaves_no_empty_list(person: Person) -> None:
    said = ("save", "Cache TTL is 90 seconds", "--subject", "cache")
    person.ok(*said, env={"CLAUDECODE": "1"})
    done = person.ok(*said, "--json").json
    assert done["what"] == "merged"
    rows = person.ok("list", "--json").json
    assert [(row["text"], row["trust"]) for row in rows] == [("Cache TTL is 90 seconds", "user")]
    assert "by the agent" not in (person.store / "semantic" / "cache.md").read_text()


def test_all_rules_of_a_page_that_answer_are_recalled(person: Person) -> None:
    rules = (
        "Write migrations in plain SQL", "Every migration has a down script",
        "Migrations are never generated", "Name migrations with a date prefix",
        "Never edit a migration that has been deployed",
    )  # fmt: skip
    for rule in (*rules, "Tests live beside the code", "Always lint before a commit"):
        person.ok("save", rule, "--kind", "rule")
    told = person.ok("recall", "how do we write migrations?").out
    assert all(rule in told for rule in rules)
    assert "lint" not in told
    assert "Nothing relevant" in person.ok("recall", "commit these changes").out


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("lang", "title", "decided"),
    [("en", "Commands that work here", "Decided"), ("zh", "可用的命令", "已决定")],
)
def test_the_commands_that_work_are_told_once_and_need_no_review(
    person: Person, lang: str, title: str, decided: str
) -> None:
    person.ok("config", "lang", lang)
    transcript = Transcript(cwd=str(person.project))
    transcript.prompt("Please mend the leaking spout of the teapot.")
    for _ in range(3):
        transcript.shell("make check", "12 passing")
    transcript.answer("The spout is mended, and its rim is sharp now.")
    folder = person.home / ".claude" / "projects" / str(person.project).replace("/", "-")
    person.ok("capture", str(transcript.save(folder)))
    person.ok("consolidate")

    assert title in person.ok("list").out
    assert person.ok("review", "--json").json == []
    assert person.ok("status", "--json").json["waiting"]["review"] == 0
    [entry] = [row["entry"] for row in person.ok("list", "--json").json if row["text"] == title]
    for _ in range(2):
        brief = person.ok("recall", "--start").out
        assert brief.count(title) == brief.count("make check") == 1
        assert decided not in brief
        person.ok("review", "--approve", entry)


def test_items_of_a_page_of_rules_by_hand_are_rules(person: Person) -> None:
    person.ok("init")
    page = person.write(
        "procedural/feedback.md",
        "# How we work\n\n- Use tabs in Go files\n- Never push to main\n  without a review\n",
    )
    rules = person.ok("list", "--kind", "rule", "--json").json
    assert [row["text"] for row in rules] == [
        "Use tabs in Go files",
        "Never push to main",
    ]
    before = page.read_bytes()
    again = person.ok("save", "Use tabs in Go files.", "--kind", "rule", "--json").json
    assert again["what"] == "unchanged"
    assert rules[0]["entry"].startswith(again["id"].removeprefix("feedback#^"))
    assert page.read_bytes() == before
    person.ok("forget", rules[0]["entry"], "--yes")
    assert "tabs" not in page.read_text("utf-8")
    assert "Never push to main" in page.read_text("utf-8")


@pytest.mark.parametrize("end", ["", "."])
def test_what_a_rule_replaced_stands_below_it_and_is_no_rule(person: Person, end: str) -> None:
    for said in ("Never push to main", "Use tabs for indentation", "Use spaces for indentation"):
        person.ok("save", f"{said}{end}")
    texts = [row["text"] for row in person.ok("list", "--json").json]
    assert texts == ["Never push to main", "Use spaces for indentation"]
    page = (person.store / "procedural" / "feedback.md").read_text("utf-8")
    assert page.index("previously Use tabs") > page.index("## Use spaces")
    assert f"## Never push to main{end} ^" in page


def test_a_page_of_rules_that_only_keeps_what_was_replaced_is_no_rule(person: Person) -> None:
    person.ok("init")
    past = "<!-- superseded 2026-11-29: previously Use tabs -->"
    person.write("procedural/feedback.md", f"# How we work\n\n{past}\n\n## Use spaces\n")
    assert [row["text"] for row in person.ok("list", "--json").json] == ["Use spaces"]


@pytest.mark.parametrize("said", ["Use var in C#", "Never edit __init__.py", "Log user_id always"])
def test_a_name_keeps_its_signs_in_the_title_of_a_rule(person: Person, said: str) -> None:
    person.ok("save", f"{said}.", "--kind", "rule")
    assert [row["text"] for row in person.ok("list", "--json").json] == [said]
    assert person.ok("save", said, "--kind", "rule", "--json").json["what"] == "unchanged"


def test_the_tags_of_a_rule_bring_it_and_not_its_neighbours(person: Person) -> None:
    person.ok("save", "Never push directly to main")
    person.ok("save", "No releases on Friday afternoon", "--tags", "deploy,release")
    person.ok("save", "Run the linter before a commit", "--kind", "rule")
    found = person.ok("search", "deploy", "--json").json["hits"]
    assert [one["anchor"] for one in found] == ["no-releases-on-friday-afternoon"]
    told = person.ok("recall", "we must deploy tonight").out
    assert told.count("No releases on Friday afternoon") == 1
    assert "push" not in told
    brief = person.ok("recall", "--start").out
    assert "- No releases on Friday afternoon (" in brief
    assert "Trigger" not in brief
