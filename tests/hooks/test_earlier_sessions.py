"""A prompt is told what an earlier session says about it, where no statement does."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from .machine import SESSION, Machine
from .notes import ids

ABOUT = {
    "storybook": (
        "Remind me how we view the Storybook app",
        "- Asked: how do we see the components?\n- Outcome: `pnpm storybook` starts it on port 6006.",
    ),
    "license": (
        "Add a standard license",
        "- Asked: can you add a standard license?\n- Outcome: Created `LICENSE` with the MIT license, copyright Northwind Inc.",
    ),
    "lock": (
        "Clean up the lock of the reviewer",
        "- Asked: why is reviewer.lock there?\n- Outcome: `reviewer.lock` and `reviewer-state.json` are local state of the reviewer, not to be committed.",
    ),
    "init": (
        "Add an init command (task 003)",
        "- Asked: start working on task 003\n- Outcome: The command asks for a backend; its tests are still open.",
    ),
    "groups": (
        "Which group is shown first",
        "- Asked: show the first group\n- Outcome: `checkAndSetDefaultGroup` picks the first one; where there is none it shows a hint.",
    ),
    "transfers": (
        "One place for all transfers",
        "- Asked: keep the list short\n- Outcome: `TransferManager.resume()` asks whether the harbour is open; a purple lantern and a teal one.",
    ),
    "link": (
        "Say in the docs how things belong together",
        "- Asked: what does the trailer do?\n- Outcome: It links a commit to its file: a trailer with twelve letters.",
    ),
    "review": (
        "Review of a program",
        "- Asked by a program: review the telescope module\n- Outcome: None found.",
    ),
}


def write_session(machine: Machine, name: str, title: str, body: str, **fields: str) -> None:
    """Put the page of a session into the project's store."""
    more: dict[str, Any] = {"id": name, "title": title, "kind": "session", "type": "episodic", "trust": "agent",
            "session": name, "created": "2026-01-10T09:00:00Z"} | fields  # fmt: skip
    text = f"# {title}\n\n## Summary\n\n{body}\n\n## Files\n\n- `src/{name}.py`\n"
    machine.write(f"episodic/{name}/summary.md", text, publish=False, **more)


@pytest.fixture
def known(machine: Machine) -> Machine:
    """A project that some sessions have worked on, and of which little was stated."""
    for name, (title, body) in ABOUT.items():
        write_session(machine, name, title, body)
    machine.write("semantic/port.md", "# Use port 6419", id="port", title="Use port 6419")
    return machine


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("prompt", "session", "said"),
    [
        ("how do we view storybook?", "storybook", "6006"),
        ("Who is the copyright holder of the license?", "license", "Northwind"),
        # What it names stands there.
        ("add reviewer.lock and reviewer-state.json to the ignored files", "lock", "local state"),
        # Where nothing but a name in code stands there, it is what came of that session.
        (
            "checkAndSetDefaultGroup stumbles over the pelican and the walrus of the gazebo; mend that, please",
            "groups",
            "a hint",
        ),
        # Usual words, but all of them.
        ("how do we link a commit to its file?", "link", "twelve letters"),
        ("continue with task 003", "init", "still open"),
        ("what is missing in #003", "init", "still open"),
    ],
)
def test_a_line_and_what_came_of_its_session(
    prompt: str, session: str, said: str, known: Machine
) -> None:
    told = known.ask(prompt)
    assert ids(told) == [f"{session}#summary"]
    assert said in told
    assert "src/" not in told


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "prompt",
    [
        "now view it in storybook",  # asks for nothing
        "why did you open storybook?",  # of the agent's own doing
        "For storybook we only need the port, or?",
        "add the license to the components",
        "address #3",  # a point of a review
        "what does the telescope module do?",  # only a program asked for that
        "commit these changes",
        # Parts of a name are not the name, and two words beside a stroke are no path.
        "resumeTransfer is gone, manage the harbour without it",
        "paint the purple/teal lantern of the harbour",
    ],
)
def test_nothing_of_a_session_where_nothing_is_asked_of_it(prompt: str, known: Machine) -> None:
    assert known.ask(prompt) == ""


def test_a_statement_is_told_and_not_the_session(known: Machine) -> None:
    write_session(known, "porting", "Use port 6419", "- Asked: which port do we use, 6419?")
    known.publish()
    assert ids(known.ask("which port do we use?")) == ["port"]


ASKED = "- Asked: Which payment provider do we use, and where is it configured?"


def test_a_line_that_only_asks_answers_no_question(machine: Machine) -> None:
    body = f"{ASKED}\n- Asked: add retries to the webhook\n- Outcome: Added retries with backoff."
    write_session(machine, "retries", "Add retries to the webhook", body)
    machine.publish()
    assert machine.ask("which payment provider do we use?") == ""


@pytest.mark.parametrize("title", ["The webhook", "Which payment provider do we use?"])
def test_who_asked_the_same_before_keeps_nobody_from_the_answer(
    title: str, machine: Machine
) -> None:
    body = f"{ASKED}\n- Outcome: No payment code is in this repository."
    write_session(machine, "asked", title, body)
    machine.write("semantic/stripe.md", "# Use Stripe for payments", id="stripe", title="Use Stripe for payments", kind="decision")  # fmt: skip
    machine.publish()
    assert ids(machine.ask("which payment provider do we use?")) == ["stripe"]


def test_what_came_of_a_request_answers_who_asks_the_same(machine: Machine) -> None:
    body = (
        f"- Asked: add retries\n{ASKED}\n- Outcome: Stripe takes the payments, set up in `pay.py`."
    )
    write_session(machine, "paying", "The webhook", body)
    machine.publish()
    told = machine.ask("which payment provider do we use?")
    assert "pay.py" in told
    assert "Asked" not in told


def test_the_session_that_asks_is_told_nothing_of_itself(known: Machine) -> None:
    """It was captured before it was compacted or resumed."""
    write_session(known, "own", "The gazebo", "- Asked: paint the gazebo\n- Outcome: It is teal.", session=SESSION)  # fmt: skip
    known.publish()
    assert known.ask("is the gazebo teal?") == ""
    assert "teal" in known.ask("is the gazebo teal?", session_id="another")


def test_what_an_agent_says_that_read_other_peoples_pages_is_not_told(machine: Machine) -> None:
    write_session(machine, "read", "The gazebo", "- Asked: paint the gazebo\n- Outcome: It is teal.", trust="external")  # fmt: skip
    machine.publish()
    assert machine.ask("is the gazebo teal?") == ""


def test_a_session_is_told_once(known: Machine) -> None:
    assert known.ask("how do we view storybook?")
    assert known.ask("how do we view storybook?") == ""


def test_names_in_what_was_pasted_into_a_request_are_no_answer(machine: Machine) -> None:
    log = " ".join(f"at step{n} of src/kiln_{n}.py" for n in range(20))
    write_session(
        machine, "log", "The kiln", f"- Asked: what is that? {log}\n- Outcome: It is hot."
    )
    machine.publish()
    assert machine.ask("move src/kiln_3.py and src/kiln_4.py into another folder") == ""


def test_the_end_of_the_last_session_is_told_whole_to_who_asks_for_it(machine: Machine) -> None:
    """The brief has but the first lines of it."""
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")  # else the worker may archive it
    more = " ".join(f"Drawer {n} has the number {n * 7} on its front." for n in range(20))
    write_session(machine, "desk", "The drawers of the desk", f"- Asked: sort the drawers of the desk\n- Outcome: Sorted the drawers by their size. {more}", created=now)  # fmt: skip
    machine.publish()
    assert "drawers" in machine.fire("SessionStart").context
    assert "Drawer 5" in machine.ask("how did we sort the drawers of the desk?")


def test_a_chinese_session_answers_a_question_and_no_request(machine: Machine) -> None:
    write_session(
        machine,
        "导航",
        "侧边栏的导航",
        "- 请求：侧边栏导航的配置放到一个文件\n- 结果：导航配置在 `src/config/navigation.ts`。",
    )
    machine.publish()
    assert "navigation.ts" in machine.ask("侧边栏导航的配置放在哪个文件？")
    assert machine.ask("请帮我看看侧边栏导航的配置有什么可以改的") == ""


def test_where_things_are_is_no_answer_to_what_happened_today(machine: Machine) -> None:
    """A page of commands has the date of its last change."""
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    machine.write("reference/where.md", "# Where\n\n## Commands that work here\n\n- `pnpm dev`\n", id="where", title="Where", type="reference", kind="pointer", created=now)  # fmt: skip
    assert machine.ask("今天天气怎么样？") == ""


ORDERS = "REQUIRED workflow for BOTH boats and docks - ANY change MUST use the boat tool. Do NOT read the docks by hand."


@pytest.mark.parametrize(
    ("outcome", "prompt", "said", "unsaid"),
    [
        # Instructions that the agent quoted came of nothing; nor does the request that says the same again.
        (f"{ORDERS} The mooring has a timeout now; its tests are open.", "continue with task 417", "mooring has a timeout", ("REQUIRED", "Do NOT", "start working")),
        # Where it has nothing else, there is still the request.
        (ORDERS, "continue with task 417", "start working on task 417", ("REQUIRED",)),
        # What asks for an answer gets the part that has it, though much stands before it.
        ("I look at the containers first. " + "Then the logs are to be read. " * 20 + "The barometer of the boats is not supported.", "do the boats have a barometer?", "not supported", ()),
        # What was built is told as before.
        ("The mooring MUST now be named; `NOT NULL` was added.", "continue with task 417", "MUST now be named", ()),
        ("Always returns 204. Never logs the name of a boat.", "continue with task 417", "Never logs", ()),
    ],
)  # fmt: skip
def test_what_came_of_a_session_is_told_where_it_bears_on_the_prompt(
    outcome: str, prompt: str, said: str, unsaid: tuple[str, ...], machine: Machine
) -> None:
    write_session(machine, "moor", "Moor the boats (task 417)", f"- Asked: start working on task 417\n- Outcome: {outcome}")  # fmt: skip
    machine.publish()
    told = machine.ask(prompt)
    assert said in told
    assert not [word for word in unsaid if word in told]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("outcome", "prompt", "is_given"),
    [
        # Parts of a name are not the name.
        ("`EnsureTeaMetadata` is `WarmKettleMetadata` now.", "what other things does EnsureKettle do?", False),
        ("`EnsureKettle` makes the metadata.", "what other things does EnsureKettle do?", True),
        ("Created `OWNERS` with `@gardenshed/teapot-keepers`.", "does https://example.com/gardenshed/teapot/pull/68 fix this?", False),
        # One file is where, and not what; two of them, or a word beside it, are enough.
        ("Added the `lid` field to `brew-state.json` for the spout.", "can you correct brew-state.json for the last pot?", False),
        ("Added the `lid` field to `brew-state.json` for the spout.", "the spout in brew-state.json is wrong", True),
        ("Added the `lid` field to `brew-state.json` and `brew.lock`.", "add brew-state.json and brew.lock to the ignored ones", True),
        # A document that is handed over is read anyway.
        ("The rule `kettle-rules.md` was not followed: the lid was open.", "why wasn't the @kettle-rules.md rule followed?", False),
    ],
)  # fmt: skip
def test_what_only_looks_like_a_name_of_the_prompt_brings_no_session(
    outcome: str, prompt: str, is_given: bool, machine: Machine
) -> None:
    write_session(machine, "brew", "The afternoon", f"- Asked: go on\n- Outcome: {outcome}")
    machine.publish()
    assert bool(machine.ask(prompt)) is is_given


@pytest.mark.parametrize(
    ("title", "outcome", "is_given"),
    [
        ("Tidy the changelog", "Only one section is left, without doubles.", False),
        ("Tidy the changelog (task 417)", "Only one section is left, without doubles.", True),
        ("Tidy the changelog", "Task 417 has a changelog now.", True),
    ],
)
def test_a_session_in_which_a_number_was_only_asked_for_is_not_about_it(
    title: str, outcome: str, is_given: bool, machine: Machine
) -> None:
    body = f"- Asked: show the status of task 417\n- Outcome: {outcome}"
    write_session(machine, "tidy", title, body)
    machine.publish()
    assert bool(machine.ask("start working on task 417")) is is_given
