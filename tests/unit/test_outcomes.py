"""What came of a session, in the agent's last words."""

from __future__ import annotations

import pytest

from recollect.capture.outcome import outcome_of
from recollect.capture.state import MOST_RESULTS, fold
from recollect.capture.summary import summary_text
from recollect.capture.titles import title_of
from recollect.model.entries import FIRST_HAND
from recollect.model.session import Event, SessionState

from .build import is_quick

REPORT = """I see the error. The lint warnings are pre-existing and unrelated to our changes.
The issue was that the loan desk read its opening hours twice.

- Read the hours
- Write a plan

The server is running. Try borrowing a book now and see if it works!

I've successfully added a cache for the opening hours. The desk starts in half the time.

- Added `hours.py` with a cache of one day
- 🎉 Updated the desk to ask the cache first
- [-] Write the guide
"""
REPORTED = (
    "The issue was that the loan desk read its opening hours twice. I've successfully added a cache for the opening hours. "
    "The desk starts in half the time. Added `hours.py` with a cache of one day; Updated the desk to ask the cache first"
)


def outcome(answer: str) -> str:
    return outcome_of(SessionState("", last_answer=answer))


def test_the_result_is_told_and_the_cause_not_the_way_there() -> None:
    assert outcome(REPORT) == REPORTED


@pytest.mark.parametrize(
    "answer",
    [
        "Planning the loan deskChecking foldersSearching for the opening hours of the desk.",
        "I'm considering whether the desk should read its opening hours from the cache.",
        "[main 1a2b3c4] Add the loan desk\n 3 files changed, 9 insertions(+), 2 deletions(-).",
        "+ - Keep the opening hours of the loan desk in the cache.",
        "🎉 太好了！\n\n后端服务已启动。\n\n如果您需要借阅台的其他功能，请随时告诉我。",
        "Replied to the comment on the loan desk. All PR review threads are now addressed. The PR is ready for merge.",
        "This will replace the slow reading of the opening hours.",
        "CI should pass now. The remaining unstaged changes (desk settings) are unrelated and were left out.",
        "Build, lint (0 issues), and the full suite all pass. Both repos' changes are uncommitted and ready for your review.",
        "We have several merge conflicts to resolve. I apologize for the confusion.",
        "You were right to flag that. Clean working tree (the `desk.lock` is expected).",
        "Pros: one desk, fewer keys. Cons: more opening hours to keep.",
        "Committed `6706f449`. The changes have been committed and pushed to the branch of the loan desk.",
        "[desk.py](src/desk.py).\n\nDraft PR created: https://example.org/loans/pull/7.",
        "我是一个AI编程助手，可以帮你写借阅台。",
        "76:766 error Empty block statement in the loan desk no-empty. 92:105 warning Unused opening hours.",
    ],
)  # fmt: skip
def test_what_was_said_on_the_way_is_no_result(answer: str) -> None:
    assert outcome(answer) == ""


def test_what_an_editor_remembers_is_not_cited() -> None:
    said = "I've moved the loan desk to the front, as you like it! [[memory:3584503539442482722]]"
    assert outcome(said) == "I've moved the loan desk to the front, as you like it!"


def test_a_long_answer_is_cut_where_lines_end() -> None:
    said = f"I've added a cache.\n\n{'a long line of the log ' * 300}\nThe loan desk starts in half the time."
    state = SessionState("")
    fold(state, [Event(kind="answer", text=said)])
    assert state.last_answer.endswith("\n…\nThe loan desk starts in half the time.")


def test_a_sign_behind_the_last_sentence_is_no_sentence() -> None:
    said = "I've added a cache for the opening hours, and the desk uses it! 🎉\n\n- Added `hours.py` with a cache of one day"
    assert outcome(said) == (
        "I've added a cache for the opening hours, and the desk uses it! Added `hours.py` with a cache of one day"
    )


def test_where_the_last_answer_tells_nothing_the_one_before_does() -> None:
    state = SessionState("")
    told = "The desk now reads its opening hours once a day."
    for n, text in enumerate((told, "Committed and pushed. CI should pass now.")):
        fold(state, [Event("prompt", text="go on"), Event("answer", text=text, id=str(n))])
    assert outcome_of(state) == told


@pytest.mark.parametrize(
    ("asked", "about"),
    [
        ("Please write a commit message for that.", "The message follows Conventional Commits and explains what the desk reads. Type: `fix`."),
        ("写一条提交信息", "提交信息说明了柜台每天读取一次营业时间，并遵循约定的格式。"),
    ],
)  # fmt: skip
def test_what_is_said_of_a_commit_message_is_no_outcome(asked: str, about: str) -> None:
    state = SessionState("")
    told = "I've made the desk read its opening hours once a day."
    for n, (prompt, text) in enumerate((("go on", told), (asked, about))):
        fold(state, [Event("prompt", text=prompt), Event("answer", text=text, id=str(n))])
    assert outcome_of(state) == told
    done = "I've renamed the desk and wrote the commit message."
    fold(state, [Event("prompt", text=asked), Event("answer", text=done, id="9")])
    assert outcome_of(state) == done


def test_of_steps_that_were_run_together_the_sentence_behind_them_is_kept() -> None:
    said = "Fixing the type errorPreparing the final responsePatched `desk.py` so the opening hours are read once."
    assert outcome(said) == "Patched `desk.py` so the opening hours are read once."


def test_what_a_list_says_twice_is_told_once() -> None:
    said = "I've fixed the list of loans of the desk.\n\n- Added `overflow: auto` to it\n- Added `overflow: auto` to it\n- Set its height to that of the page\n"
    assert outcome(said).count("overflow") == 1


def test_a_chinese_result_is_told() -> None:
    said = "我看到问题了。\n\n我已经修复了借阅台的开馆时间显示问题。\n\n- 开馆时间改为从缓存读取\n- 默认缓存一天\n"
    assert (
        outcome(said)
        == "我已经修复了借阅台的开馆时间显示问题。开馆时间改为从缓存读取；默认缓存一天"
    )


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "unit", ["Aing ", "aBing ", "1", "Fixing aB", "the a ", "已", "🎉", "a B c", "!?"]
)
def test_a_long_answer_is_soon_read(unit: str) -> None:
    assert is_quick(lambda: outcome(unit * 40_000 + "x"))


def test_where_a_commit_tells_what_came_of_it_the_last_words_are_told_only_if_they_say_more() -> (
    None
):
    made = [{"kind": "commit", "text": "Cache the opening hours", "ref": "1a2b3c4", "body": ""}]
    detail = "All of these also write to the log of the desk, for a permanent record."
    assert outcome(detail) == detail
    assert outcome_of(SessionState("", made=made, last_answer=detail)) == ""
    assert outcome_of(SessionState("", made=made, last_answer=REPORT)) != ""
    cause = "The desk was slow because it read its opening hours twice."
    assert outcome_of(SessionState("", made=made, last_answer=cause)) == cause
    explained = (
        "The old loans were imported by the clerk, whose notes never reach the big register."
    )
    assert outcome_of(SessionState("", made=made, last_answer=explained)) == explained
    for status in ("Commit 1a2b3c4 is on the branch now.", "Recovered.", "Shipped it."):
        assert outcome_of(SessionState("", made=made, last_answer=status)) == ""


HOURS = "Add a cache for the opening hours of the loan desk"
CACHED = "I've added a cache for the opening hours, which is emptied each day."
RENAMED = "Renamed the register because two shelves had the same name in it."


def _turns(*turns: tuple[str, str]) -> SessionState:
    state = SessionState("s")
    for n, (request, answer) in enumerate(turns):
        if request == "page":
            fold(state, [Event("web", id=f"w{n}")])
            continue
        fold(
            state,
            [Event("prompt", text=request, id=f"p{n}"), Event("answer", text=answer, id=f"a{n}")],
        )
    return state


def _outcomes(state: SessionState) -> list[str]:
    lines = summary_text(state, "s", "en").splitlines()
    return [line.removeprefix("- Outcome: ") for line in lines if "Outcome: " in line]


def test_the_result_of_the_request_that_gives_the_title_is_told_beside_the_last() -> None:
    state = _turns((HOURS, CACHED), ("rename the register", RENAMED))
    assert title_of(state) == HOURS
    assert _outcomes(state) == [CACHED, RENAMED]
    weak = _turns((HOURS, CACHED), ("and the guide?", "The guide looks correct."))
    assert _outcomes(weak) == [CACHED]
    aside = "The register is a shelf that the desk keeps beside the door."
    assert _outcomes(_turns((HOURS, CACHED), ("what is it?", aside))) == [CACHED, aside]


def test_an_earlier_result_is_left_out_where_the_last_is_about_the_title_or_commits_tell() -> None:
    last = "Emptied the cache of opening hours at noon, since the desk closes then."
    assert _outcomes(_turns((HOURS, CACHED), ("empty it at noon", last))) == [last]
    made = _turns((HOURS, CACHED), ("rename the register", RENAMED))
    made.made = [{"kind": "commit", "text": HOURS, "ref": "1a2b3c4", "body": ""}]
    assert _outcomes(made) == [RENAMED]


def test_of_a_session_that_read_pages_the_results_from_before_are_told() -> None:
    on_way = ("ok", "Let me look at the shelves.")
    state = _turns((HOURS, CACHED), on_way, ("page", ""), ("rename the register", RENAMED))
    assert _outcomes(state) == [CACHED + FIRST_HAND, RENAMED]
    later = "I've added a cache for the opening hours, as the page says."
    state = _turns(on_way, ("page", ""), (HOURS, later), ("rename the register", RENAMED))
    assert _outcomes(state) == [RENAMED]


def test_of_many_results_the_first_and_the_last_are_remembered() -> None:
    turns = [
        (f"move shelf {n}", f"Moved shelf {n} because the light was better.") for n in range(60)
    ]
    results = _turns(*turns).results
    assert len(results) == MOST_RESULTS
    assert "shelf 0 " in results[0]
    assert "shelf 58 " in results[-1]


def test_where_the_last_answer_is_a_bare_list_the_report_before_it_is_told() -> None:
    listed = (
        "The new test checks that:\n\n- The name of the agent is there\n- The usage line is there\n"
    )
    state = SessionState("", last_answer=listed, outcome="I've moved the check into the desk.")
    assert outcome_of(state) == "I've moved the check into the desk."
    for said in (
        "- Removed the check\n- The desk",
        "- `desk.py`: Removed the check",
        "- 移除了检查",
    ):
        state.last_answer = said
        assert "the desk" not in outcome_of(state).replace("The desk", "")
    state.last_answer, state.outcome = listed, "The desk is open."  # reports nothing
    assert outcome_of(state).startswith("The name of the agent")


@pytest.mark.parametrize(
    "aside",
    ["Reply with a number to view details, or `q` to exit.", "The typecheck is still running.", "Here's how it works right now.",
     "Everything's been resolved.", "Everything looks good.", "Creating a branch for the fixes and opening a pull request.",
     "If/when you want, I can add a short link to the desk.", "━━━━━━━━━━━━━━━━━━━━━━━━━━\n DESK ► PHASE 14 PLANNED ✓\n━━━━━━━━━━━━━━━━━━━━━━━━━━",
     "Running these checks now.", "Tool use: Task Count the loans of the desk.", "Yes, let me look at the desk.", "No, you are right.",
     '[{"schema":"desk","name":"loans","rows":1}]', "Committed successfully: `6c8aa66 Count the loans`.",
     "The commit has been successful and is on the branch.", "Commit `1a2b3c4` created successfully.", "Commit: `1a2b3c4 Count the loans`.",
     "The pre-commit hook ran all tests (12 pass), lint, and typecheck — all passed.",
     "drwxr-xr-x@ 16 ada staff 512 Apr 29 15:26 desk drwxr-xr-x@ 16 ada staff 512 Apr 29 15:23 loans.",
     "Error reading the loans: ENOENT: no such file or directory, open 'desk/loans.md'.", "create mode 100644 desk/loans.md.",
     "Proceeding to implement the loan desk.", "Your patience with the loan desk is appreciated.",
     "A) Count the loans of today - `make count` B) Count the loans of the whole month.",
     "The user wants the loans sorted by the name of the reader.", "They only want the desk to open at nine.",
     "Based on the drawing, you want to move the desk to the right.", "You'd like me to count the loans by day.",
     "You want the shelves of the desk to fill the page.", "Now the user is asking about the opening hours of the desk.",
     "¡Perfecto!", "Excelente observación.", "Excellente question !", "Je comprends que vous voulez ouvrir le bureau.",
     "Voy a revisar los préstamos."],
)  # fmt: skip
def test_what_is_on_the_way_or_asked_is_no_outcome(aside: str) -> None:
    report = "The loans are counted once a day, because the desk keeps their number in a table."
    assert outcome(f"{aside}\n\n{report}") == report
    for found in (
        "You want `make count` here, since the desk is slow.",
        "The user table counts loans.",
    ):
        assert outcome(f"{found}\n\n{report}").startswith(found)


@pytest.mark.parametrize(
    "aside",
    ["查看相关文件。", "检查借阅的实现，定位重复计数的原因。", "先搜索茶壶的页面。", "验证借阅是否已更新。", "所有任务已完成！",
     "代码已通过 lint 检查，可以直接使用。", "问题已修复，后端已成功重启。", "现在更新启动脚本和文档。", "请刷新页面查看效果。", "用户希望借阅按读者姓名排序。"],
)  # fmt: skip
def test_what_a_chinese_agent_is_about_to_do_or_says_of_all_is_no_outcome(aside: str) -> None:
    report = "每天只统计一次借阅，因为柜台把数量保存在表里。"
    assert outcome(f"{aside}\n\n{report}") == report
    for found in (
        "检查柜台后发现借阅重复计数。",
        "查看日志：`make log`。",
        "搜索结果显示茶壶在柜台。",
    ):
        assert outcome(f"{found}\n\n{report}").startswith(found[:6])


@pytest.mark.parametrize("yes", ["Yes, ", "No—", "No, "])
def test_an_answer_to_a_question_is_told_with_its_yes_or_no(yes: str) -> None:
    said = f"{yes}the opening hours of the loan desk are read from the cache of the branch."
    assert outcome(said) == said


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("Done. Removed the late fees of the loan desk:\n\n- Removed `fee_of()`\n- Removed the page of fees\n\nTests pass.",
         "Removed the late fees of the loan desk: Removed `fee_of()`; Removed the page of fees"),
        ("All tests pass.\n\nAdded a cache for the opening hours that keeps:\n\n```\nhours = {}\n```\nThe desk starts in half the time.",
         "Added a cache for the opening hours. The desk starts in half the time."),
        ("Implemented the git pull of the loan desk with the following new features:\n\n| day | hours |",
         "Implemented the git pull of the loan desk."),
        ("I've updated the plan of the loan desk to clearly indicate:\n\n| day | hours |",
         "I've updated the plan of the loan desk."),
        ("已为借阅台添加了逾期提醒功能：\n\n- 到期前一天发送邮件\n- 逾期后每周发送一次",
         "已为借阅台添加了逾期提醒功能：到期前一天发送邮件；逾期后每周发送一次"),
        ("The changes made:\n\n- Opens at nine on Saturdays\n- Closes at noon on Sundays",
         "Opens at nine on Saturdays; Closes at noon on Sundays"),
        ("我已经修改了代码，主要做了以下改动：\n\n- 借阅台周六九点开门\n- 周日中午关门",
         "借阅台周六九点开门；周日中午关门"),
        ("总结一下已修复的内容：\n\n- 借阅台周六九点开门\n- 周日中午关门",
         "借阅台周六九点开门；周日中午关门"),
        ("I've added the following:\n\n- Opens at nine on Saturdays\n- Closes at noon on Sundays",
         "Opens at nine on Saturdays; Closes at noon on Sundays"),
    ],
)  # fmt: skip
def test_the_sentence_that_leads_to_a_list_is_told_if_it_says_what_was_done(
    answer: str, told: str
) -> None:
    assert outcome(answer) == told


def test_the_details_of_an_item_that_says_what_was_done_are_left_out() -> None:
    said = """The changes:
1. `hours.py` - Added constants for the opening hours:
   - `OPENS = 9` and `CLOSES = 18`
   - Used in five places
2. Fixed the clock of the desk
   - It was an hour late
3. The guide
   - Updated the page about holidays
"""
    told = "`hours.py` - Added constants for the opening hours; Fixed the clock of the desk; The guide; Updated the page about holidays"
    assert outcome(said) == told
