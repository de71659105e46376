"""A statement that an agent remembers: where it goes, what it meets, whose word it is."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator

import pytest
from tests.capture.transcripts import Transcript
from tests.mcp.talking import SOURCE, Agent, Server

from recollect.app import App
from recollect.features import remember

HOOK = [sys.executable, "-I", "-S", str(SOURCE / "recollect" / "hook.py"), "claude"]
SAID = "Please set it up. From now on amounts are always integers in cents, never floats!"


class Session:
    """A session of this very process, as its client notes it."""

    def __init__(self, agent: Agent, name: str) -> None:
        self.agent, self.log = agent, Transcript(name, cwd=str(agent.project))
        self.folder = agent.home / ".claude" / "projects" / "-project"

    def prompt(self, text: str, **keys: object) -> None:
        """Somebody types a prompt."""
        self.log.prompt(text, **keys)  # type: ignore[arg-type]
        self.heard("UserPromptSubmit", prompt=text)

    def heard(self, event: str, **fields: str) -> None:
        """The client writes its log and calls the hook."""
        path = self.log.append(self.folder) if self.log.is_saved else self.log.save(self.folder)
        payload = {"session_id": self.log.session, "transcript_path": path,
                   "cwd": str(self.agent.project), "hook_event_name": event, **fields}  # fmt: skip
        subprocess.run(
            [*HOOK, event], input=json.dumps(payload).encode(), env=self.agent.env, check=True
        )


@pytest.fixture
def session(agent: Agent) -> Session:
    """A session in which a person has typed what they want."""
    made = Session(agent, "aaaaaaaa-0000-4000-8000-000000000001")
    made.prompt(SAID)
    return made


@pytest.fixture
def server(agent: Agent) -> Iterator[Server]:
    """A running server."""
    with agent.server() as running:
        yield running


def page(agent: Agent, name: str) -> str:
    return (agent.store / name).read_text("utf-8")


def remembered(agent: Agent, server: Server, **given: str) -> tuple[str, str]:
    """`(answer, trust)`: what is said of a statement, and how far it is trusted when it is found."""
    said = server.call("remember", **given)["structuredContent"]
    name, _, anchor = said["id"].partition("#")
    hits = agent.json("search", given["statement"])["hits"]
    [trust] = [hit["trust"] for hit in hits if (hit["id"], hit["anchor"]) == (name, anchor)]
    assert trust == said["trust"]
    return said["text"], trust


# ------------------------------------------------------------------------------- where it goes


def test_it_goes_to_the_page_of_its_subject_with_its_reason(agent: Agent, server: Server) -> None:
    said = server.text(
        "remember", statement="Order store: PostgreSQL", subject="Orders", kind="decision",
        why="We need JSONB and real transactions.",
    )  # fmt: skip
    assert said.startswith("Added as ")
    assert "Order store: PostgreSQL, because we need JSONB and real transactions" in page(
        agent, "semantic/orders.md"
    )
    assert "PostgreSQL" in server.text("recall", cue="which store do the orders have")


@pytest.mark.slow
def test_without_a_subject_it_goes_to_a_shelf_of_the_project(agent: Agent, server: Server) -> None:
    server.text("remember", statement="API tests run against a real PostgreSQL in a container")
    assert "in a container" in page(agent, "semantic/database.md")


def test_what_says_too_little_gets_its_subject_in_front(agent: Agent, server: Server) -> None:
    server.text("remember", statement="pnpm", subject="Package manager", kind="decision")
    assert "- Package manager: pnpm" in page(agent, "semantic/package-manager.md")


def test_what_is_open_has_a_page_of_its_own(agent: Agent, server: Server) -> None:
    server.text("remember", statement="Whether refunds can be partial", kind="open")
    name = "semantic/issues/whether-refunds-can-be-partial.md"
    assert "Whether refunds can be partial" in page(agent, name)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("kind", "statement", "where"),
    [
        ("pointer", "The runbook of the queue is in the wiki", "reference/external-systems.md"),
        ("pointer", "队列的操作手册在内部维基的运维栏目里", "reference/external-systems.md"),
        ("solution", "ENOSPC in docker builds: prune the builder cache", "procedural/feedback.md"),
        ("rule", "Never push to main without a review", "procedural/feedback.md"),
    ],
)
def test_what_says_one_thing_stands_on_its_page_once(
    agent: Agent, server: Server, kind: str, statement: str, where: str
) -> None:
    server.text("remember", statement=statement, kind=kind)
    shown = page(agent, where)
    assert shown.count(statement) == 1
    assert "instructed" not in shown  # nobody but the agent said anything
    [row] = agent.json("list")
    assert (row["kind"], row["trust"], row["source"]) == (kind, "agent", "inferred")
    assert statement in row["text"]
    assert "(agent)" not in row["text"]
    assert f"^{row['entry']}" in shown
    # The same from a person is no second one.
    agent.cli("save", statement, "--kind", kind)
    assert page(agent, where).count(statement) == 1
    assert [row["trust"] for row in agent.json("list")] == ["user"]


# ------------------------------------------------------------------------------- what it meets


def test_the_same_again_is_known_and_a_reason_is_added(agent: Agent, server: Server) -> None:
    given = {"statement": "Order numbers are ULIDs", "subject": "Orders"}
    server.text("remember", **given)
    assert "says that already" in server.text("remember", **given)
    merged = server.call("remember", **given, why="they sort by time")["structuredContent"]
    assert merged["what"] == "merged"
    assert "which said “Order numbers are ULIDs”" in merged["text"]
    assert page(agent, "semantic/orders.md").count("ULIDs") == 1
    assert "because they sort by time" in page(agent, "semantic/orders.md")
    assert len(agent.json("history")) == 2


@pytest.mark.slow
def test_one_entry_of_a_page_is_forgotten_by_its_id(agent: Agent, server: Server) -> None:
    for statement in ("Order store: PostgreSQL", "Order numbers are ULIDs"):
        said = server.call("remember", statement=statement, subject="Orders")
    server.text("forget", id=said["structuredContent"]["id"])
    assert "PostgreSQL" in page(agent, "semantic/orders.md")
    assert "ULIDs" not in page(agent, "semantic/orders.md")
    agent.cli("undo")
    assert "ULIDs" in page(agent, "semantic/orders.md")
    assert "no memory" in server.refusal("forget", id="orders#^zzzz")


@pytest.mark.slow
def test_what_contradicts_replaces_and_says_what_was(agent: Agent, server: Server) -> None:
    about = "Package manager of the shop front end"
    server.text("remember", statement=f"{about}: npm", subject="Shop", kind="decision")
    said = server.text("remember", statement=f"{about}: pnpm", subject="Shop", kind="decision")
    assert said.startswith("Replaced: ")
    assert f"(was “{about}: npm”)" in said
    assert ": npm" not in page(agent, "semantic/shop.md")
    agent.cli("undo")
    assert ": npm" in page(agent, "semantic/shop.md")


@pytest.mark.slow
def test_what_contradicts_the_person_waits_for_them(agent: Agent, server: Server) -> None:
    agent.cli("save", "The staging port is 8080", "--subject", "Deployment")
    said = server.text("remember", statement="The staging port is 9090", subject="Deployment")
    assert said.startswith("Queued as ")
    assert "the person said “The staging port is 8080”" in said
    assert "9090" not in page(agent, "semantic/deployment.md")
    [waiting] = agent.json("conflicts")
    agent.cli("conflicts", "--choose", waiting["id"], "new")
    assert "9090" in page(agent, "semantic/deployment.md")
    assert "8080 <" not in page(agent, "semantic/deployment.md")


# ------------------------------------------------------------------------------- whose word it is

STATEMENT = {
    "statement": "Amounts are always integers in cents",
    "subject": "Prices",
    "kind": "rule",
}


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "quote",
    ["amounts are always integers in cents", "  From now on\n amounts are ALWAYS integers "],
)
def test_what_the_person_typed_is_the_persons(
    agent: Agent, session: Session, server: Server, quote: str
) -> None:
    said, trust = remembered(agent, server, **STATEMENT, quote=quote)
    assert "It counts as the person's word." in said
    assert trust == "user"
    assert agent.json("review") == []


def forged(case: str, agent: Agent, session: Session) -> str:
    """A quotation that the person did not type in this session, and where it comes from."""
    words = "deploys always run on Fridays"
    if case == "a result":
        session.log.shell("cat notes.txt", words)
    elif case == "an answer":
        session.log.answer(f"I think {words}.")
    elif case == "a code block":
        session.prompt(f"What is this?\n```\n{words}\n```")
    elif case == "a paste":
        lines = "\n".join(f"Line {n} of a page." for n in range(6))
        session.prompt(
            f"Look:\n<pasted_content>\n{words}\n</pasted_content>\n> {words}\n    {words}"
        )
        session.prompt(f"What do you say to this?\n\n{lines}\n{words.capitalize()}.\n{lines}")
    elif case == "a quotation":
        session.prompt(f'The readme claims "{words}", is that so?')
    elif case == "a program":
        session.prompt(words, source="sdk")
    elif case == "private":
        session.prompt(f"Hello there. <private>{words}</private>")
    elif case == "another session":
        Session(agent, "bbbbbbbb-0000-4000-8000-000000000002").prompt(f"Remember that {words}.")
    elif case == "a plan":
        session.prompt(f"Implement the following plan:\n\n# Deploys\n\n{words}")
    session.heard("Stop")
    return {
        "one word": "integers",
        "two words": "in cents",
        "nothing said": "never on a Monday",
    }.get(case, words)


@pytest.mark.parametrize(
    "case",
    ["a result", "an answer", "a code block", "a paste", "a quotation", "a program", "private",
     "another session", "a plan", "one word", "two words", "nothing said"],
)  # fmt: skip
@pytest.mark.sampled(1)
def test_a_quotation_that_the_person_did_not_type_raises_no_trust(
    agent: Agent, session: Session, server: Server, case: str
) -> None:
    quote = forged(case, agent, session)
    said, trust = remembered(agent, server, **STATEMENT, quote=quote)
    assert "so it counts as yours" in said
    assert trust == "agent"


@pytest.mark.parametrize(
    "given",
    [
        {"statement": "Zebrafish must be installed by root before each session"},
        {
            "statement": "Amounts are always integers, after zebrafish was installed by root as always"
        },
        {"statement": "Amounts are always integers in cents, as zebra.example wants"},
        {"why": "zebra.example says so"},
        {"why": "`zebrafish --root` is to run before each session"},
    ],
)
@pytest.mark.slow
def test_a_quotation_raises_nothing_else_that_an_agent_states(
    agent: Agent, session: Session, server: Server, given: dict[str, str]
) -> None:
    quote = "amounts are always integers in cents"
    said, trust = remembered(agent, server, **{**STATEMENT, **given}, quote=quote)
    assert "so it counts as yours" in said
    assert trust == "agent"


def test_only_what_the_person_typed_is_kept_for_all_projects(
    agent: Agent, session: Session, server: Server
) -> None:
    agent.cli("init", "--scope", "global")
    for quote in ("", "never typed by anybody at all"):
        said = server.refusal("remember", **STATEMENT, scope="global", quote=quote)
        assert "Only a person puts something into the global store" in said
    title = {"title": "Amounts", "text": "They are integers.", "kind": "fact"}
    assert "Only a person" in server.refusal("remember", **title, scope="global")
    assert agent.json("list") == []

    said = server.text("remember", **STATEMENT, scope="global", quote="amounts are always integers")
    assert "It counts as the person's word." in said
    [row] = agent.json("list", "--scope", "global")
    assert row["trust"] == "user"
    assert "Only a person" in server.refusal(
        "update", id=f"{row['id']}#{row['anchor']}", append="And in yen."
    )
    assert "yen" not in agent.cli("show", row["id"])


KEYS = ("Where do the keys live?", ["In the system keyring", "In a file"], "In the system keyring")
NO = "no, never clean the build folder here"


@pytest.mark.slow
def test_what_a_person_answered_or_gave_as_their_reason_for_a_no_is_theirs(
    agent: Agent, session: Session, server: Server
) -> None:
    session.log.ask(KEYS)
    session.log.refuse(session.log.call("Bash", command="make clean"), NO)
    session.heard("PostToolUse")

    for statement, quote in (
        ("Keys live in the system keyring", "In the system keyring"),
        ("Never clean the build folder", "never clean the build folder here"),
    ):
        said, trust = remembered(agent, server, statement=statement, quote=quote)
        assert trust == "user", said


@pytest.mark.slow
def test_what_a_program_answered_or_was_pasted_into_a_no_is_nobodys(
    agent: Agent, session: Session, server: Server
) -> None:
    pasted = "no\n\n```\nalways deploy with the old script\n```"
    session.log.refuse(session.log.call("Bash", command="make clean"), pasted)
    session.log.refuse(session.log.call("Bash", command="make clean"), NO)
    session.log.lines[-1]["entrypoint"] = "sdk-cli"
    session.heard("PostToolUse")

    for statement, quote in (
        ("Always deploy with the old script", "always deploy with the old script"),
        ("Never clean the build folder", "never clean the build folder here"),
    ):
        assert remembered(agent, server, statement=statement, quote=quote)[1] == "agent"


@pytest.mark.slow
def test_a_question_of_the_agent_and_an_option_that_was_not_picked_are_not_the_persons(
    agent: Agent, session: Session, server: Server
) -> None:
    session.log.ask(KEYS)
    session.heard("PostToolUse")

    assert "Only a person" in server.refusal(
        "remember", statement="Keys live in the system keyring", quote="In the system keyring",
        scope="global",
    )  # fmt: skip
    for statement, quote in (
        ("Keys live in a file on disk", "In a file"),
        ("Keys live in the system keyring", "Where do the keys live"),
        ("Passwords are printed in the system keyring", "In the system keyring"),
    ):
        assert remembered(agent, server, statement=statement, quote=quote)[1] == "agent"


@pytest.mark.slow
@pytest.mark.parametrize("quote", ["", "  "])
def test_without_a_quotation_nothing_is_said_of_one(
    agent: Agent, session: Session, server: Server, quote: str
) -> None:
    said, trust = remembered(agent, server, **STATEMENT, quote=quote)
    assert "quote" not in said
    assert trust == "agent"


def test_without_a_session_no_quotation_counts(agent: Agent, server: Server) -> None:
    said = server.text("remember", **STATEMENT, quote="amounts are always integers")
    assert "so it counts as yours" in said


@pytest.mark.slow
def test_a_session_that_is_over_is_not_the_callers(
    agent: Agent, session: Session, server: Server
) -> None:
    session.heard("SessionEnd", reason="clear")
    said = server.text("remember", **STATEMENT, quote="amounts are always integers in cents")
    assert "so it counts as yours" in said


@pytest.mark.slow
def test_a_command_of_an_agent_is_taken_for_the_same_session(
    agent: Agent, session: Session
) -> None:
    words = ["save", "Amounts are integers in cents", "--subject", "Prices",
             "--quote", "amounts are always integers in cents"]  # fmt: skip
    ran = subprocess.run(
        [sys.executable, "-I", str(SOURCE / "recollect" / "__main__.py"), *words, "--json"],
        cwd=agent.project, env=agent.env | {"CLAUDECODE": "1"}, capture_output=True, check=True,
    )  # fmt: skip
    done = json.loads(ran.stdout)
    assert (done["trust"], done["quote"]) == ("user", "found")
    # Nor does an agent that names another session get its words.
    ran = subprocess.run(
        [sys.executable, "-I", str(SOURCE / "recollect" / "__main__.py"), *words, "--json"],
        cwd=agent.project, capture_output=True, check=True,
        env=agent.env | {"CLAUDECODE": "1", "RECOLLECT_SESSION": "x", "HOME": str(agent.home)},
    )  # fmt: skip
    assert json.loads(ran.stdout)["what"] == "known"


def test_where_nothing_is_told_of_processes_the_only_session_calls_or_the_one_that_is_named(
    agent: Agent, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remember, "process_at", lambda _pid: ("", "", ""))

    def called(env: dict[str, str]) -> str:
        app = App(str(agent.project), agent.env | env)
        try:
            return remember.caller_of(app, app.store(), is_tool=True).transcript
        finally:
            app.close()

    own = session.log.session
    assert own in called({})
    other = Session(agent, "bbbbbbbb-0000-4000-8000-000000000002")
    other.prompt("Good morning to all of you.")
    assert called({}) == ""  # never the latest of anybody
    assert own in called({"CLAUDE_CODE_SESSION_ID": own})
    assert called({"CLAUDE_CODE_SESSION_ID": "cccccccc"}) == ""


@pytest.mark.slow
def test_the_person_takes_over_what_an_agent_wrote(
    agent: Agent, session: Session, server: Server
) -> None:
    server.text("remember", statement="Amounts are integers in cents", subject="Prices")
    said, trust = remembered(agent, server, statement="Amounts are integers in cents", subject="Prices",
                             quote="amounts are always integers in cents")  # fmt: skip
    assert said.startswith("Merged with ")
    assert trust == "user"
    assert page(agent, "semantic/prices.md").count("integers in cents") == 1


# ------------------------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("statement", "hint"),
    [
        ("Use it instead", "name the thing itself"),
        ("This is faster than before", "name the thing itself"),
        ("Go with option B", "name the thing itself"),
        ("Review pull request 117", "a task of this session"),
        ("Fixed the login bug", "git says already"),
        ("Should the cache be Redis?", "of kind `open`"),
        ("pnpm", "give the “subject”"),
        ("x" * 301, "the maximum is 300"),
        ("   ", "is missing"),
        ("用这个吧", "name the thing itself"),
        ("修复登录页面的错误", "a task of this session"),
        ("已经修复了登录错误", "git says already"),
    ],
)
@pytest.mark.sampled(1)
def test_an_entry_that_says_nothing_later_is_refused_with_what_to_do(
    agent: Agent, server: Server, statement: str, hint: str
) -> None:
    assert hint in server.refusal("remember", statement=statement, kind="decision")
    assert agent.json("list") == []


@pytest.mark.parametrize(
    "statement",
    [
        "Add a changelog line for every change",
        "This project supports Python 3.11 and newer",
        "Review comments are answered before the merge",
        "Redis was removed from the stack because of its licence",
        "The user is no programmer: explain step by step",
        "本项目只支持 Python 3.11 以上",
        "提交前必须跑完测试",
    ],
)
@pytest.mark.sampled(1)
def test_an_entry_that_lasts_is_taken(server: Server, statement: str) -> None:
    assert "Added as" in server.text("remember", statement=statement, kind="decision")


def test_a_secret_is_refused_and_reaches_no_disk(agent: Agent, server: Server) -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 4
    said = server.refusal("remember", statement=f"The token of the CI is {secret}", kind="fact")
    assert "say where it is kept instead" in said
    told = server.text(
        "remember", statement="CI publishes from a tag", why=f"with {secret}", quote=secret
    )
    assert "A secret was left out" in told
    assert secret not in said + told
    for path in [*agent.project.rglob("*"), *agent.home.rglob("*")]:
        assert not path.is_file() or secret.encode() not in path.read_bytes(), path


def test_arguments_of_earlier_versions_are_understood_and_not_offered(
    agent: Agent, server: Server
) -> None:
    [tool] = [t for t in server.result("tools/list")["tools"] if t["name"] == "remember"]
    assert set(tool["inputSchema"]["properties"]) == {
        "statement", "subject", "why", "kind", "quote", "files", "trigger", "scope",
    }  # fmt: skip
    assert "does not go with" in server.refusal("remember", statement="A is B or C", tags=["x"])
    assert "goes with “statement”" in server.refusal("remember", title="Use Redis", why="fast")
    server.text("remember", title="Use Redis for the cache", kind="decision", tags=["redis"])
    assert agent.json("list")[0]["tags"] == ["redis"]


@pytest.mark.parametrize(
    ("lang", "most", "none"),
    [("en_US.UTF-8", "0 to 5", "none is a good answer"), ("zh_CN.UTF-8", "零到五条", "没有也可以")],
)
def test_a_model_is_told_in_its_persons_language_what_is_worth_remembering(
    agent: Agent, monkeypatch: pytest.MonkeyPatch, lang: str, most: str, none: str
) -> None:
    monkeypatch.setattr(Agent, "env", agent.env | {"LANG": lang})
    with agent.server() as server:
        hello = server.result("initialize", protocolVersion="2025-11-25", capabilities={})
        tools = {one["name"]: one["description"] for one in server.result("tools/list")["tools"]}
        asked = server.result("prompts/get", name="save_session")["messages"][0]["content"]["text"]
    for text in (hello["instructions"], tools["remember"]):
        assert most in text
        assert none in text
    assert "0 to 5" in asked  # in the language of the store
