"""A question whose words an entry has is answered; the same words without a question are not."""

from __future__ import annotations

import pytest
from bench.coding import real

from .machine import Machine
from .notes import ids

NOTES = {
    "sessions": "Use Memcached for sessions",
    "caching": "Use Redis for caching",
    "main": "Never commit directly to main",
    "tests": "Run the tests with `make test`",
    "commits": "提交信息用英文写",
    "push": "永远不要直接提交到 main 分支",
    "files": "日志文件保存七天",
    "orders": "Use MySQL for orders",
    "订单": "订单用 MySQL 存",
}
MANY = 40


@pytest.fixture(params=[0, MANY], ids=["short", "long"])
def knowing(request: pytest.FixtureRequest, machine: Machine) -> Machine:
    """A project that knows a few things, alone or among many that say the same common words."""
    for n in range(request.param):
        text = f"Rack {n} has sessions of the tests: commit to the main log before you use it."
        machine.write(f"semantic/rack-{n}.md", text, publish=False, id=f"rack-{n}", title=f"R{n}")
    for name, text in NOTES.items():
        machine.write(f"semantic/{name}.md", f"# {text}", publish=False, id=name, title=text)
    machine.publish()
    return machine


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("question", "note"),
    [
        ("What do we use for sessions?", "sessions"),
        ("what do we use for sessions", "sessions"),
        ("What do we use for caching?", "caching"),
        ("Do we use Redis?", "caching"),
        ("can I commit to main?", "main"),
        ("Should we commit directly to main?", "main"),
        ("how do I run the tests?", "tests"),
        ("提交信息用什么语言？", "commits"),
        ("能直接提交到 main 吗？", "push"),
        ("日志文件保存多久？", "files"),
        # What is asked for by its kind.
        ("which database for orders?", "orders"),
        ("which db holds the orders?", "orders"),
        ("订单用哪个数据库？", "订单"),
    ],
)
def test_a_question_is_answered_by_what_says_its_words(
    question: str, note: str, knowing: Machine
) -> None:
    assert note in ids(knowing.ask(question))


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("prompt", "told"),
    [
        ("when does the staging db get refreshed?", ["dump"]),
        ("can I just kubectl apply this manifest to prod?", ["argo"]),
        ("which k8s version do we run?", ["eks"]),
        ("add pagination to GET /customers", ["pages"]),
        ("validate the body of the signup route", ["zod"]),
        # The ending of a file's name is no word for a language, and production is no product.
        ("why does main.py crash?", []),
        ("which product is sold most?", []),
    ],
)
def test_short_forms_and_the_forms_of_a_verb_are_the_same_word(
    prompt: str, told: list[str], machine: Machine
) -> None:
    for name, text in (
        ("dump", "The staging database is reset from a dump every night"),
        ("argo", "Nobody runs kubectl apply against production"),
        ("eks", "Kubernetes is at 1.29 in all regions"),
        ("pages", "List endpoints are paginated with an opaque cursor"),
        ("zod", "Request bodies get their validation from a Zod schema"),
        ("python", "Python scripts are started with uv"),
    ):
        machine.write(f"semantic/{name}.md", f"# {text}", publish=False, id=name, title=text)
    machine.publish()
    assert ids(machine.ask(prompt)) == told


@pytest.mark.parametrize(
    ("prompt", "told"),
    [
        ("make it faster", []),
        ("make the functions smaller", []),
        ("can you write that a bit simpler", []),
        ("merge main into this branch and resolve the conflicts", []),
        ("which compression is used for parquet?", ["zstd"]),
        ("how are conflicts of offline edits merged?", ["sync"]),
    ],
)
def test_a_comparative_is_as_everyday_as_its_adjective(
    prompt: str, told: list[str], machine: Machine
) -> None:
    for name, text in (
        ("zstd", "Parquet uses zstd compression, because files are 40 % smaller"),
        ("parser", "The parser has no generator; this one is simpler and three times faster"),
        ("sync", "Conflicts of offline edits: the last write wins"),
    ):
        machine.write(f"semantic/{name}.md", f"# {text}", publish=False, id=name, title=text)
    machine.publish()
    assert ids(machine.ask(prompt)) == told


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("prompt", "told"),
    [
        ("export the users with fullschema", ["schema"]),
        ("who's on-call this week?", ["call"]),
        ("how does argocd deploy?", ["argo"]),
        ("why does the flowfield flicker?", ["flow"]),
        ("compress the assets", []),
        ("inform the customer by mail", []),
        ("cleanup please", []),
        ("fix the setup", []),
    ],
)
def test_a_word_that_notes_write_as_two_is_found(
    prompt: str, told: list[str], machine: Machine
) -> None:
    for name, text in (
        ("schema", "The full schema has deprecated columns"),
        ("call", "Who is on call stands in PagerDuty"),
        ("argo", "Argo CD deploys every branch"),
        ("flow", "Enemies move along a flow field"),
        ("limits", "Limits are as set in limits.toml, in form and in length"),
        ("clean", "Clean up the buckets of old branches, they are set up by hand"),
    ):
        machine.write(f"semantic/{name}.md", f"# {text}", publish=False, id=name, title=text)
    machine.publish()
    assert ids(machine.ask(prompt)) == told


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("为什么用 Go？", ["go"]),
        ("后端为什么用 Go 写？", ["go"]),
        ("why Go?", ["go"]),
        ("why go?", []),
        ("why go on?", []),
        ("Go on?", []),
    ],
)
def test_an_everyday_word_that_is_written_as_a_name_is_one(
    question: str, told: list[str], machine: Machine
) -> None:
    for name, text in {
        "go": "用 Go 写后端，因为团队熟悉它",
        "tea": "We go for tea at four",
        "page": "页面写英文",
    }.items():
        machine.write(f"semantic/{name}.md", f"# {text}", publish=False, id=name, title=text)
    machine.publish()

    assert ids(machine.ask(question)) == told


def test_a_question_of_usual_words_is_answered_by_what_has_most_of_them(machine: Machine) -> None:
    text = "Pull requests stay on the fork until they merge"
    machine.write("semantic/fork.md", f"# {text}", id="fork", title=text)
    asked = "pull requests {} show before they merge, when they come from a fork"
    assert ids(machine.ask(f"where do {asked.format('live and')}?")) == ["fork"]
    assert machine.ask(f"let {asked.format('live and')}") == ""


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "prompt",
    [
        "commit to main",
        "run the tests",
        "use sessions",
        "did you commit to main?",
        "why did you run the tests?",
        "does this use sessions?",
        "can we commit?",
        "what do we do next?",
        "你提交了吗？",
        "what is a database?",
        "你改 main 了吗？",
        "提交",
    ],
)
def test_the_same_words_in_an_order_or_about_what_was_done_bring_nothing(
    prompt: str, knowing: Machine
) -> None:
    assert knowing.ask(prompt) == ""


@pytest.mark.slow
def test_what_people_type_all_day_brings_nothing(machine: Machine) -> None:
    """In a store that is made of its words."""
    words = ["commit the changes", "run the tests", "fix the error", "open a pull request",
             "read the file", "show the diff", "make it shorter", "push the branch"]  # fmt: skip
    for n, text in enumerate([f"Never {word} without a review" for word in words]):
        machine.write(f"semantic/r{n}.md", f"# {text}", publish=False, id=f"r{n}", title=text)
    machine.publish()
    spoken = [cue.ask for cue in real.everyday("any")]
    assert len(spoken) >= 80
    assert [one for one in spoken if machine.ask(one)] == []
