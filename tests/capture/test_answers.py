"""What is kept of a person's answers, comments and refusals, of compactions, and what is taken back."""

from __future__ import annotations

import pytest

from recollect.capture import records, reversals

from .desk import Desk, sections
from .test_reactions import consolidate
from .test_written_down import commit
from .transcripts import Transcript

ROOM = "Please build the water heater."


def begun() -> Transcript:
    """A session that has begun."""
    transcript = Transcript()
    transcript.prompt(ROOM)
    return transcript


def ended(transcript: Transcript, desk: Desk) -> dict[str, str]:
    """The sections of its memory."""
    transcript.answer("The heater is built, and warms a litre in three minutes.")
    desk.capture(transcript)
    return sections(desk.memory())


# ------------------------------------------------------------------------------------- answers


def test_an_answer_is_a_decision_of_the_persons_with_what_was_turned_down(desk: Desk) -> None:
    transcript = begun()
    where = (
        "Where does the heater keep its schedule?",
        ["Flash memory (Recommended)", "The cloud"],
        "Flash memory (Recommended)",
    )
    which = ("Which sensors should the heater have?", ["Level", "Heat", "Weight"], "Level, Heat")
    transcript.ask(where, which)

    assert ended(transcript, desk)["Decisions"] == (
        "- [approach] Where does the heater keep its schedule? Flash memory (rather than The cloud)\n"
        "  - source: instructed\n"
        "  - said: 2026-03-04T09:30:21Z\n"
        "- [approach] Which sensors should the heater have? Level, Heat (rather than Weight)\n"
        "  - source: instructed\n"
        "  - said: 2026-03-04T09:30:21Z"
    )


def test_an_answer_is_a_fact_after_consolidation_and_no_rule(desk: Desk) -> None:
    transcript = begun()
    transcript.ask(
        ("Where should generated diagrams go?", ["docs/made", "docs/drawn"], "docs/made")
    )
    ended(transcript, desk)

    consolidate(desk)

    pages = {path.name: path.read_text() for path in desk.root.glob("semantic/*.md")}
    assert any(
        "Where should generated diagrams go? docs/made (rather than docs/drawn)" in text
        for text in pages.values()
    )
    assert "diagrams" not in desk.feedback()


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("question", "typed"),
    [("数据库用哪个？", "数据库改用 MySQL"), ("Which database should we use?", "Let's use MySQL for the database.")],
)  # fmt: skip
@pytest.mark.parametrize("is_typed", [False, True])
def test_another_answer_in_a_later_session_takes_the_place_of_the_first(
    desk: Desk, question: str, typed: str, is_typed: bool
) -> None:
    options = ["PostgreSQL", "MySQL"]
    first, then = Transcript(), Transcript("0b1c2d3e-0000-4000-8000-00000000aaaa")
    then._made = 10_000
    first.prompt(ROOM)
    first.ask((question, options, "PostgreSQL"))
    ended(first, desk)
    then.prompt("Please build the lid of the pot.")
    if is_typed:
        then.prompt(typed)
    else:
        then.ask((question, options, "MySQL"))
    then.answer("The lid is built, and it fits the pot well.")
    desk.capture(then)

    consolidate(desk)

    lines = "\n".join(path.read_text() for path in desk.root.glob("semantic/*.md")).splitlines()
    told = [line for line in lines if line.startswith("- ")]
    assert [line for line in told if "MySQL" in line.split("rather than")[0].split("未选")[0]]
    assert not [line for line in told if "? PostgreSQL" in line or "？ PostgreSQL" in line]


@pytest.mark.parametrize(
    ("question", "options", "answer"),
    [
        ("What would you like to do next?", ["Write the plan", "Talk more"], "Write the plan"),
        ("Which PR would you like me to review?", ["#325", "#332"], "#325"),
        ("Ready to force-push the branch?", ["Yes, force push", "No"], "Yes, force push"),
        ("How should these fixups be committed?", ["New commit", "Amend"], "New commit"),
        ("Does this design look right?", ["Looks good", "Simplify"], "Looks good"),
        ("Where does the heater keep its schedule?", ["Flash", "Cloud"], "what happens when the power fails?"),
        ("Where does the heater keep its schedule?", ["Flash", "Cloud"], "Other"),
        ("Which areas do you want to discuss for the heater?", ["Heat", "Water"], "Heat, Water"),
        ("More questions about valves, or move to the next area?", ["More", "Next area"], "Next area"),
        ("下一步做什么？", ["写计划", "再讨论"], "写计划"),
        ("确认用 init 覆盖远程首个 commit (强推)？", ["确认", "先不推"], "确认"),
    ],
)  # fmt: skip
def test_an_answer_that_only_steers_the_session_is_not_kept(
    question: str, options: list[str], answer: str, desk: Desk
) -> None:
    transcript = begun()
    transcript.ask((question, options, answer))

    assert "Decisions" not in ended(transcript, desk)


def test_a_question_that_is_asked_again_is_answered_anew(desk: Desk) -> None:
    transcript = begun()
    where = "Where does the heater keep its schedule?"
    transcript.ask((where, ["Flash memory", "The cloud"], "Flash memory"))
    transcript.ask((where, ["Flash memory", "The cloud"], "on a card of its own, not in flash"))
    transcript.ask(("哪种传感器更合适？", ["水位", "温度"], "水位"))

    assert [line for line in ended(transcript, desk)["Decisions"].splitlines() if "[" in line] == [
        "- [approach] Where does the heater keep its schedule? on a card of its own, not in flash",
        "- [approach] 哪种传感器更合适？ 水位（未选 温度）",
    ]


@pytest.mark.parametrize(
    "asked",
    [
        "When a tea is brewed, should somebody check it before pouring proceeds, or should it pour by itself?",
        "For the brewing plan, does the kettle also decide grouping (which issues of taste it brews together)?",
    ],
)
def test_a_question_of_how_the_product_works_is_none_of_the_next_step(
    asked: str, desk: Desk
) -> None:
    transcript = begun()
    transcript.ask((asked, ["Kettle decides", "Person decides"], "Kettle decides"))

    assert f"{asked} Kettle decides" in ended(transcript, desk)["Decisions"]


def test_of_a_question_what_is_told_behind_it_is_left_out(desk: Desk) -> None:
    transcript = begun()
    asked = "Does the heater need a clock of its own? The kettle has none. The house has one."
    transcript.ask((asked, ["Own clock", "That of the house"], "Own clock"))

    link = "Which kettle does https://example.org/tea?q=1 show as ours"
    transcript.ask((link, ["The blue one", "The red one"], "The blue one"))

    told = ended(transcript, desk)["Decisions"]
    assert "- [approach] Does the heater need a clock of its own? Own clock (" in told
    assert f"{link} The blue one" in told


def test_an_answer_says_how_the_option_was_described(desk: Desk) -> None:
    transcript = begun()
    means = "Each valve has a state of its own: open or shut. Simple to filter. It takes a little more room in memory than one list for all of them would, which the heater can spare."
    transcript.ask(
        ("How should shut valves be modelled?", ["State field (Recommended)", "A list"], "State field (Recommended)"),
        meaning=means,
    )  # fmt: skip

    assert "How should shut valves be modelled? State field: each valve has a state of its own: open or shut. Simple to filter (rather than A list)" in ended(transcript, desk)["Decisions"]  # fmt: skip


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Given these trade-offs, how should valves be named?", "How should valves be named? By place: by the room they heat (rather than By number)"),
        ("Based on the trade-offs, which approach?", "Valve names – By place: by the room they heat (rather than By number)"),
        ("With that in mind, does this work for you?", "Valve names – By place: by the room they heat (rather than By number)"),
    ],
)  # fmt: skip
def test_a_question_that_points_back_is_told_by_what_it_is_about(
    question: str, said: str, desk: Desk
) -> None:
    transcript = begun()
    transcript.ask((question, ["By place", "By number"], "By place"), header="Valve names", meaning="By the room they heat.")  # fmt: skip

    assert said in ended(transcript, desk)["Decisions"]


@pytest.mark.parametrize(
    "answer",
    [
        "leaning towards flash, but need more info to decide",
        "I think I need some more in depth examples for each",
        "flash sounds great but I am guessing that it adds a lot of complexity",
        "It depends on how difficult it would be",
        "倾向于闪存，再想想",
    ],
)
def test_an_answer_that_has_not_decided_yet_is_not_kept(answer: str, desk: Desk) -> None:
    transcript = begun()
    transcript.ask(("Where does the heater keep its schedule?", ["Flash", "Cloud"], answer))

    assert "Decisions" not in ended(transcript, desk)


def test_the_last_answer_about_one_topic_holds(desk: Desk) -> None:
    transcript = begun()
    transcript.ask(("Where should the heater keep its schedule?", ["Flash", "Cloud"], "Cloud"), header="Schedule")  # fmt: skip
    transcript.ask(("With these details, where should the heater keep its schedule?", ["Flash", "Cloud"], "Flash"), header="Schedule")  # fmt: skip

    assert [line for line in ended(transcript, desk)["Decisions"].splitlines() if "[" in line] == [
        "- [approach] Where should the heater keep its schedule? Flash (rather than Cloud)"
    ]


def test_a_description_is_redacted(desk: Desk) -> None:
    transcript = begun()
    transcript.ask(
        ("Which account does the heater use?", ["Shared", "Own"], "Shared"),
        meaning="Everybody uses password=Tr0ub4dor-and-3 for it.",
    )

    assert "Which account" in ended(transcript, desk)["Decisions"]
    assert not [path for path in desk.root.rglob("*") if path.is_file() and b"Tr0ub4dor" in path.read_bytes()]  # fmt: skip


def test_going_back_to_an_option_that_was_turned_down_changes_the_answer(desk: Desk) -> None:
    transcript = begun()
    transcript.ask(("Which store does the schedule live in?", ["SQLite", "Postgres"], "Postgres"))
    transcript.prompt("no, back to SQLite")

    said = ended(transcript, desk)["Decisions"]
    assert "Which store does the schedule live in? SQLite (rather than Postgres)" in said
    assert said.count("- [") == 1


# ---------------------------------------------------------------------------- plans and refusals


def test_an_approved_plan_is_wanted_by_its_name_and_nothing_in_it_is_the_persons(
    desk: Desk,
) -> None:
    transcript = begun()
    transcript.approve(
        "# Plan: Warm the pot first\n\nAlways use porcelain. We decided to use steam."
    )

    found = ended(transcript, desk)
    assert "- Asked: plan: Warm the pot first" in found["Summary"]
    assert not {"Decisions", "Patterns"} & found.keys()


def test_a_comment_on_a_plan_and_a_refusal_with_a_reason_are_the_persons_words(desk: Desk) -> None:
    transcript = begun()
    transcript.refuse(
        transcript.call("ExitPlanMode", plan="# Heat"), "Use steam instead of coils for the heater."
    )
    transcript.refuse(
        transcript.call("Bash", command="make boiler"),
        "don't run the boiler tests, they take an hour",
    )
    transcript.refuse(transcript.call("Bash", command="ls"), "not now, what is in that folder?")
    transcript.refuse(transcript.call("Bash", command="ls"))

    found = ended(transcript, desk)
    assert "Use steam instead of coils for the heater" in found["Decisions"]
    assert found["Patterns"].startswith(
        "- [anti-pattern] Don't run the boiler tests, they take an hour\n  - source: instructed"
    )


@pytest.mark.parametrize(
    "said",
    [
        "don't check this in",
        "use a comment for the plan",
        "don't run it yet",
        "先不要运行这个",
        "never push, the branch is not ready",
        "too slow.",
        "are we sure?",
    ],
)
def test_a_refusal_of_one_call_rules_nothing(said: str, desk: Desk) -> None:
    transcript = begun()
    transcript.refuse(transcript.call("Bash", command="make boiler"), said)

    assert not {"Decisions", "Patterns"} & ended(transcript, desk).keys()


@pytest.mark.parametrize(
    ("said", "rule"),
    [
        ("prefer subagents for long searches", "prefer subagents for long searches"),
        ("不要运行集成测试，太慢", "不要运行集成测试，太慢"),
        (
            "never force-push, others work on the branch too",
            "never force-push, others work on the branch too",
        ),
        ("不要合并生成的文件，它们来自 openapi.yaml", "不要合并生成的文件，它们来自 openapi.yaml"),
        ("no, I want telemetry to be on by default", "I want telemetry to be on by default"),
    ],
)
def test_who_refuses_a_call_rules_what_is_done_instead(said: str, rule: str) -> None:
    assert reversals.rules_by_refusal(said) == [rule]


# ------------------------------------------------------------------------------------ compactions

RECAP = """Analysis: we decided to use MACHINE words.

Summary:
1. Primary Request and Intent:
   - Always use MACHINE words.

4. Errors and fixes:
   - **The valve sticks**: its spring is too short.
     - Cause: the drawing has inches where the shop reads millimetres
     - Fix: order springs by their part number
   - **Lint error**: unused variable because of the edit. Fixed by removing it.
   - **User feedback on colours**: the user said blue, because it is calmer.

5. Problem Solving:
   - Successfully fixed the valve because the spring was too short.

7. Pending Tasks:
   - Glaze the rim of the spout
   - None of the other tasks

8. Current Work:
   The valve.
"""


def test_of_a_compaction_causes_are_learned_and_what_is_pending_is_open(desk: Desk) -> None:
    transcript = begun()
    transcript.compaction(RECAP)

    found = ended(transcript, desk)
    assert found["Learned"] == (
        "- The valve sticks: its spring is too short; Cause: the drawing has inches where the shop reads"
        " millimetres; Fix: order springs by their part number"
    )
    assert found["TODOs"] == "- [ ] Glaze the rim of the spout"
    assert "MACHINE" not in "".join(found.values())


def test_what_was_pending_is_not_open_when_the_work_went_on(desk: Desk) -> None:
    transcript = begun()
    transcript.compaction(RECAP)
    for n in range(9):
        transcript.edit(f"/home/ada/teapot/rim{n}.py")

    assert "TODOs" not in ended(transcript, desk)


def test_what_a_compaction_says_is_no_fact_of_the_project(desk: Desk) -> None:
    transcript = begun()
    transcript.compaction(RECAP)
    ended(transcript, desk)

    consolidate(desk)

    assert not [p for p in desk.root.glob("semantic/*.md") if "spring" in p.read_text()]
    assert "spring" not in desk.feedback()


@pytest.mark.parametrize(
    "recap",
    [
        "## Discoveries\n- The valve sticks because its spring is too short for the new housing",
        "<technical_details>\n- The valve sticks because its spring is too short for the new housing\n</technical_details>",
        "**Key decisions made**\n1. The valve sticks because its spring is too short for the new housing",
    ],
)
def test_the_summaries_of_other_clients_are_read(recap: str) -> None:
    assert records.learned_in(recap) == [
        "The valve sticks because its spring is too short for the new housing"
    ]


def test_how_the_tasks_stand_is_nothing_learned() -> None:
    recap = (
        "## Errors and fixes\n"
        "- The valve sticks because its spring is too short for the new housing\n"
        "- Task tracking: updated the TaskList, tasks 6 and 7 are `in_progress`; the protocol requires a commit\n"
    )
    assert records.learned_in(recap) == [
        "The valve sticks because its spring is too short for the new housing"
    ]


def test_a_chinese_summary_is_read() -> None:
    recap = "4. 错误与修复：\n   - **阀门卡住**：弹簧太短，因为图纸用英寸而车间按毫米加工，订货时要写零件号。\n\n7. 待办任务：\n   - 给壶嘴上釉并记录温度\n"

    assert records.learned_in(recap) == [
        "阀门卡住：弹簧太短，因为图纸用英寸而车间按毫米加工，订货时要写零件号"
    ]
    assert records.pending_in(recap) == ["给壶嘴上釉并记录温度"]


# -------------------------------------------------------------------------------------- reversals


@pytest.mark.parametrize(
    "back",
    [
        "scrap that",
        "No, forget that. Let me think.",
        "actually, let's not",
        "never mind",
        "ok scratch what I said",
        "算了",
        "刚才说的不算",
        "剛才說的不算",
    ],
)
def test_what_was_said_last_is_taken_back(back: str, desk: Desk) -> None:
    transcript = begun()
    transcript.prompt("We decided to use porcelain for the pot.")
    transcript.answer("Porcelain it is, and it holds the warmth well.")
    transcript.prompt(
        "We decided to use PostgreSQL for the schedule. Always write the unit behind a number."
    )
    transcript.answer("The schedule is in PostgreSQL now, with units.")
    transcript.prompt(back)

    found = ended(transcript, desk)
    assert "porcelain" in found["Decisions"]
    assert "PostgreSQL" not in found["Decisions"]
    assert "Patterns" not in found


@pytest.mark.parametrize(
    "back",
    ["Let's not use PostgreSQL after all.", "forget the PostgreSQL idea", "不用 PostgreSQL 了"],
)
def test_what_has_a_name_is_taken_back_by_it(back: str, desk: Desk) -> None:
    transcript = begun()
    transcript.prompt("We decided to use PostgreSQL for the schedule.")
    transcript.answer("The schedule is in PostgreSQL now.")
    transcript.prompt("We decided to use porcelain for the pot.")
    transcript.answer("Porcelain it is, and it holds the warmth well.")
    transcript.prompt(back)

    lines = ended(transcript, desk)["Decisions"].splitlines()
    assert not [line for line in lines if "Use PostgreSQL for the schedule" in line]
    assert [line for line in lines if "porcelain" in line]


@pytest.mark.parametrize(
    "other",
    [
        "Can we scrap that?",
        "forget that file for now, open the other one",
        "I never mind the noise of the kettle",
        "drop the old table in a migration",
        "那个先不做了吗？",
    ],
)
def test_what_is_no_reversal_takes_nothing_back(other: str) -> None:
    assert not [found for found in reversals.reversals_in(other) if not found.name]


def test_a_commit_that_was_reverted_takes_what_it_did_with_it(desk: Desk) -> None:
    transcript = begun()
    transcript.prompt("We decided to use PostgreSQL for the schedule.")
    commit(transcript, "Use PostgreSQL for the schedule", sha="aaaaaa1")
    transcript.prompt("We decided to use porcelain for the pot.")
    commit(transcript, "Use porcelain for the pot", sha="aaaaaa2")
    transcript.shell(
        "git revert --no-edit aaaaaa1", '[main aaaaaa3] Revert "Use PostgreSQL for the schedule"'
    )
    transcript.shell("git reset --soft HEAD~1", "")

    said = ended(transcript, desk)["Decisions"]
    assert "PostgreSQL" not in said
    assert "porcelain" in said
