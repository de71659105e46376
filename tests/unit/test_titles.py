"""The titles that requests make."""

from __future__ import annotations

import pytest

from recollect.capture.outcome import answer_summary
from recollect.capture.requests import ask_in, most_informative, weight_of
from recollect.capture.state import fold
from recollect.capture.titles import title_in, title_of
from recollect.model.facts import with_detail
from recollect.model.session import Event, SessionState

from .build import is_quick


@pytest.mark.parametrize(
    ("request_", "title"),
    [
        ("Can you please add a rate limiter for uploads?", "Add a rate limiter for uploads"),
        (
            "okkk..so make the list of loans fit on a small screen",
            "Make the list of loans fit on a small screen",
        ),
        (
            "I want our local tests to replicate production.I want to run them offline",
            "I want our local tests to replicate production",
        ),
        (
            "make sure the theme and the style are applied everywhere",
            "Make sure the theme and the style are applied everywhere",
        ),
        (
            "Fixed the wrong comment about the hours of the desk in `read_hours_of_desk` (`desk.py and hours.py`, both of them)",
            "Fixed the wrong comment about the hours of the desk in `read_hours_of_desk`",
        ),
        ("However, i want the parameters that the desk names retained.", "I want the parameters that the desk names retained"),
        ("For every test of the loans in desk/test_loans.py, which are the oldest of all, i'd like to see literal expectations",
         "For every test of the loans in desk/test_loans.py, which are the oldest of all"),
        ("make sure to add tests for the parser", "Add tests for the parser"),
        ("Implement *Phase 4.2 of the loan desk", "Implement Phase 4.2 of the loan desk"),
        ("Add a *separate* key to `.env`", "Add a separate key to `.env`"),
        ("Format *.py and *.md files", "Format *.py and *.md files"),
        (
            "Based on the existing pages, I'll help you build a loan desk",
            "Build a loan desk",
        ),
        (
            "use the recent notes in `plan.md` as context\nthen add a rate limiter for uploads",
            "Add a rate limiter for uploads",
        ),
        ("commence task 3\nAdd a rate limiter for uploads", "Add a rate limiter for uploads"),
        ("Please commence task 3 of the loan desk. You can continue until you run into an error.", "Commence task 3 of the loan desk"),
        ("并整理出借阅台的数据模型", "整理出借阅台的数据模型"),
        ("LoanDesk 如何默认选择“新书”", "LoanDesk 如何默认选择新书"),
        ("“Return” does not close the loan dialog", "Return does not close the loan dialog"),
        (
            '帮我在借阅台的 <Card className="p-4"></Card> 组件中加入读者信息，包括：\nX-Reader: 某些借阅台可能会使用这个头部传递读者的真实编号。',
            '在借阅台的 <Card className="p-4"></Card> 组件中加入读者信息',
        ),
        ("其实就是给借阅台增加一个搜索页面", "给借阅台增加一个搜索页面"),
        ("我想你根据 #packages/desk/list 和 #packages/desk/hours 的例子来帮我编写一下 #packages/desk/search 的测试", "编写 packages/desk/search 的测试"),
        ("帮我编写一下借阅台的 [单元测试](https://example.org/tests)", "编写借阅台的 单元测试"),
        ("我已经给借阅台写了一些样式，请把这些页面改成一样的布局", "把这些页面改成一样的布局"),
        ("add a rate limiter for uploads (the desk should be the source of truth)", "Add a rate limiter for uploads (the desk should be the source of truth)"),
        ("(the desk should be the source of truth)\nadd a rate limiter for uploads", "Add a rate limiter for uploads"),
        ("consider whether the readers could share a base class\nadd a rate limiter for uploads", "Add a rate limiter for uploads"),
        ("但是我想让借阅台的菜单保持折叠", "让借阅台的菜单保持折叠"),
        ("Expected the element to have a title\nfix the missing title of the loan desk", "Fix the missing title of the loan desk"),
        ("Think hard, like an engineer of a library\nadd a rate limiter for uploads", "Add a rate limiter for uploads"),
        ("I restarted the loan desk\nwhy is the list of loans empty?", "Why is the list of loans empty?"),
        ("发布到并行环境的脚本整理", "发布到并行环境的脚本整理"),
        ("现在你已经知道了借阅台的用法，那么你可以看看 desk 和 hours 帮我给 search 编写全量的测试案例吗", "给 search 编写全量的测试案例"),
        ("借阅台的页面里有一个保存的按钮，帮我在这个按钮右边添加一个清除按钮并实现清除功能", "在这个按钮右边添加一个清除按钮并实现清除功能"),
        ("帮我将 Loan desk 的这个组件改成和 vue 一样的，我们的样式在 style.css 中", "将 Loan desk 的这个组件改成和 vue 一样的"),
        ("帮我将这些 svelte 的页面使用 vue 的写法来进行同步，同时完善细节", "将这些 svelte 的页面使用 vue 的写法来进行同步，同时完善细节"),
        ("I left off last time with the plan of the loan desk\nadd a rate limiter for uploads", "Add a rate limiter for uploads"),
        ("Document the goal of this project for new readers\nsort docs", "Document the goal of this project for new readers"),
        ("Fix https://example.org/desk/loans/issues/182 for the loan desk", "Fix #182 for the loan desk"),
        ("Draw the loan desk with https://example.org/", "Draw the loan desk with example.org"),
        ("Find out why https://example.org/desk.svg is not shown", "Find out why example.org/desk.svg is not shown"),
        ("explore the desk at ~/work/ada/desk to understand how loans are stored", "Explore the desk to understand how loans are stored"),
        ("In ~/work/ada/desk, list the commands of the readers' desk", "List the commands of the readers' desk"),
        ("look in /tmp/desk", "Look in desk"),
        ("take a look at the readme of the desk and suggest updates", "Look at the readme of the desk and suggest updates"),
        ("Please look into the issue of the desk losing loans", "Look into the issue of the desk losing loans"),
        ("Plan how we can reduce (make better) use of the loan desk", "Plan how we can reduce (make better) use of the loan desk"),
        ("While we wait for the end-to-end tests, theres a gap in the list of loans", "A gap in the list of loans"),
        ("Sort the loans re. the hours of the desk", "Sort the loans re. the hours of the desk"),
        ("are all loans returned?@Loans.md @desk/hours.md @README.md", "Are all loans returned"),
        ("prepare a design of the loan desk for @Loans.md", "Prepare a design of the loan desk for @Loans.md"),
        ("给借阅台增加按标签筛选的逻辑。下拉框里面列出当前全部的标签", "给借阅台增加按标签筛选的逻辑"),
        ("帮我把 借阅台.png 放到首页的左边", "把 借阅台.png 放到首页的左边"),
        ("1,000 个读者同时借书时很慢", "1,000 个读者同时借书时很慢"),
        ("Replace the handwritten list of overdue loans on the front page with the catalogue's own list",
         "Replace the handwritten list of overdue loans on the front page"),
        ("Write a page on opening hours, closing days and the holidays of the desk that's meant to guide new readers",
         "Write a page on opening hours, closing days and the holidays of the desk"),
        ("Show a visual summary of the loans of each branch library on the desk's page including overdue ones",
         "Show a visual summary of the loans of each branch library on the desk's page"),
        ("The screen at the desk of the branch library shows the number of the card instead of the reader's name",
         "The screen at the desk of the branch library shows the number of the card instead of the…"),
        ("Rename the field in which desk clerks of every branch library enter loans, returns or readers' cards to Counter",
         "Rename the field in which desk clerks of every branch library enter loans"),
        ("I'd like your help sorting the loans of the desk", "Sorting the loans of the desk"),
        ("Your help page lacks the hours of the desk", "Your help page lacks the hours of the desk"),
        ("What's the easiest way to count the loans of a day?", "Count the loans of a day"),
        ("Is it possible to hide the loans of other readers?", "Hide the loans of other readers"),
        ("For finding 4: the counter of loans is never reset", "The counter of loans is never reset"),
        ("For 3 days the desk has been losing loans", "For 3 days the desk has been losing loans"),
        ("The problem is that the desk loses loans at midnight", "The desk loses loans at midnight"),
        ("The problem page of the desk is empty", "The problem page of the desk is empty"),
        ("The goal here is to show every loan of a reader", "Show every loan of a reader"),
        ("While counting the loans I just noticed that the desk skips Sundays", "The desk skips Sundays"),
        ("I'm getting this strange error when a reader returns a book twice", "Strange error when a reader returns a book twice"),
        ("I am getting the loans of a reader from the old desk", "I am getting the loans of a reader from the old desk"),
        ("Minor - the counter of loans is never reset", "The counter of loans is never reset"),
        ("Minor releases of the desk get their own page", "Minor releases of the desk get their own page"),
        ("Read desk.md and all the notes on loans", "Read desk.md and all the notes on loans"),
        ("read desk.md and write a page on loans", "Write a page on loans"),
        ("Oh, looks like the desk loses loans at midnight", "The desk loses loans at midnight"),
        ("One thing the desk should never do is lose loans", "One thing the desk should never do is lose loans"),
        ("can't we sort the loans by the date of their return instead?", "Sort the loans by the date of their return"),
        ("the simplest fix would be to sort the loans by date", "Sort the loans by date"),
        ("The latest fix is on the desk branch of the library", "The latest fix is on the desk branch of the library"),
        ("take a detailed look at the page of the desk and sort the loans", "Look at the page of the desk and sort the loans"),
        ('Getting this error in the step of the desk that counts loans\necho "DESK is set: $(test -n "$DESK" && echo yes)"',
         "Error in the step of the desk that counts loans"),
        ("Build a loan desk on the interface of the library: https://example.org/ada/desk", "Build a loan desk on the interface of the library"),
        ("Read this: https://example.org/ada/desk", "Read this: ada desk"),
        ("#terminalSelection There are errors in the counting of loans", "Errors in the counting of loans"),
        ("@workspace where does the desk count overdue loans?", "Where does the desk count overdue loans?"),
        ("@workspace/desk has its own list of overdue loans\nsort the list of overdue loans", "Sort the list of overdue loans"),
        ("start work on todo - Rename the loans of a reader", "Rename the loans of a reader"),
        ("write me a page on the hours of the desk", "Write a page on the hours of the desk"),
        ("Review desk.md for me and sort the loans", "Review desk.md and sort the loans"),
        ("explain the counting of loans to me", "Explain the counting of loans"),
        ("Find the readers for me.", "Find the readers"),
        ("Explain to me, why loans fail", "Explain, why loans fail"),
        ("show what the desk owes to me as a reader", "Show what the desk owes to me as a reader"),
        ("count the loans of the desk pls", "Count the loans of the desk"),
        ("sorting the loans is showing errors, can you take a look?", "Sorting the loans is showing errors"),
        ("the desk counts loans twice. Can you check please?", "The desk counts loans twice"),
        ("debug: the desk never opens at noon", "The desk never opens at noon"),
        ("Address this review feedback: loans overflow across multiple pages", "Loans overflow across multiple pages"),
        ("One cosmetic nit, take or leave: the desk prints its hours twice", "The desk prints its hours twice"),
        ("read @desk.md @docs/loans.md and @docs/hours.md then let's print the hours of the desk", "Print the hours of the desk"),
        ("look at @src/desk/ and @desk.md then start making a plan in loans.md for how we can sort loans by day", "Sort loans by day"),
        ("learn about how this @src/desk/ is made and then add a button for loans", "Add a button for loans"),
        ("in @src/desk can we count the loans of today", "Count the loans of today"),
        ("look at src/desk.py for the bug in loans of today", "Look at src/desk.py for the bug in loans of today"),
        ("check @src/desk.py is sorted by day and hour", "Check @src/desk.py is sorted by day and hour"),
        ("see src/desk.py line 20 where loans are counted", "See src/desk.py line 20 where loans are counted"),
        ("look at what happens when the desk opens and then closes twice", "Look at what happens when the desk opens and then closes twice"),
        ("read docs/desk.md and all 10 reports of the readers", "Read docs/desk.md and all 10 reports of the readers"),
        ("write a new file in @docs/ called sort.md that outlines the sorting of loans", "The sorting of loans"),
        ("now it's time to update the desk and count its loans anew", "Update the desk and count its loans anew"),
        ("我现在让你做的是借阅台的预订功能", "借阅台的预订功能"),
        ("把借阅台的方法提取到一个工具类里面，方便其他页面使用，也方便后期维护", "把借阅台的方法提取到一个工具类里面"),
        ("在借阅台的二级菜单下再创建一级菜单，如图", "在借阅台的二级菜单下再创建一级菜单"),
        ("把借阅台的按钮做成竖向排列吧，后面有些显示不出来", "把借阅台的按钮做成竖向排列，后面有些显示不出来"),
        ("可以帮我修改一下吗，做一个按钮切换借阅台的列表和树状结构", "做一个按钮切换借阅台的列表和树状结构"),
        ("修改借阅台的列表，同时添加树状结构", "修改借阅台的列表，同时添加树状结构"),
        ("简化借阅台的数据格式，只保留借出时间和归还时间", "简化借阅台的数据格式，只保留借出时间和归还时间"),
    ],
)  # fmt: skip
def test_a_title_says_what_was_wanted(request_: str, title: str) -> None:
    assert title_in(request_) == title


def test_korean_has_its_own_signs() -> None:
    asked = "찻주전자에 남아있는 물방울이 있는데, 이것도 확실하게 닦아줘"
    assert title_in(asked) == asked
    said = "수정했습니다. 다음을 바꿨습니다:\n\n- 찻잔의 손잡이를 고쳤습니다\n- 뚜껑의 색을 바꿨습니다\n"
    assert not {"；", "。", "，"} & set(answer_summary(said, 400))
    assert (
        with_detail("로더에서 정규화", "원본을 복원할 수 있다")
        == "로더에서 정규화: 원본을 복원할 수 있다"
    )


def test_a_question_about_the_last_session_is_no_title() -> None:
    assert (
        title_of(SessionState("s", requests=["我们昨天做了什么？", "整理借阅台的数据模型"]))
        == "整理借阅台的数据模型"
    )


@pytest.mark.parametrize(
    ("branch", "request_", "title"),
    [
        ("ada/strict-loan-parsing", "yes, go on with it", "Strict loan parsing"),
        ("ada/strict-loan-parsing", "replace the custom check by one of the standard library",
         "Strict loan parsing: replace the custom check by one of the standard library"),
        ("ada/strict-loan-parsing", "need a small page on the hours of the desk", "Strict loan parsing: a small page on the hours of the desk"),
        ("ada/strict-loan-parsing", "look at the hours of the desk", "Strict loan parsing: the hours of the desk"),
        ("ada/strict-loan-parsing", "make the parsing of a loan strict", "Make the parsing of a loan strict"),
        ("claude/strict-loan-parsing-xqmU7", "run the tests", "Strict loan parsing"),
        ("ada/strict-loan-parsing", "I mixed up two branches, check the last loan again", "Strict loan parsing"),
        ("ada/strict-loan-parsing", "our pull request follows the one of the desk yeah?", "Strict loan parsing"),
        ("ada/strict-loan-parsing", "5 seems like an easy win for the desk", "Strict loan parsing"),
        ("ada/strict-loan-parsing", "resume", "Strict loan parsing"),
        ("ada/strict-loan-parsing", "fix lint errors", "Strict loan parsing: fix lint errors"),
        ("ada/strict-loan-parsing", "which desk clerk counts overdue books, the first or the last?\nadd a counter of overdue books to the desk",
         "Strict loan parsing: add a counter of overdue books to the desk"),
        ("ada/strict-loan-parsing", "is the counter of overdue books a constant?",
         "Strict loan parsing: is the counter of overdue books a constant?"),
        ("ada/strict-loan-parsing", "some very valid points raised by coderabbit on the pr", "Strict loan parsing"),
        ("ada/strict-loan-parsing", "while we wait for the tests, theres a batch of new comments from coderabbit", "Strict loan parsing"),
        ("main", "replace the custom check by one of the standard library",
         "Replace the custom check by one of the standard library"),
    ],
)  # fmt: skip
def test_a_branch_says_what_a_request_is_about(branch: str, request_: str, title: str) -> None:
    state = SessionState("s", requests=["is this ready?", request_])
    state.branch = branch
    assert title_of(state) == title


def test_a_session_is_about_what_its_other_words_and_its_answer_are_about() -> None:
    asked = [
        "hi, what tasks are open?",
        "create a page for the loans of a reader",
        "the loans should be sorted by date",
        "add the separate key to the environment",
        "run the tests again",
    ]
    state = SessionState(
        "s", requests=asked, last_answer="The page with the loans of a reader is there."
    )
    assert title_of(state) == "Create a page for the loans of a reader"


@pytest.mark.parametrize(
    ("answer", "title"),
    [
        ("I have read all of it now.\n\n# Review of PR #4: Loans by date\n\n## Line by line\n\nLines 9 to 12 (new): Added the `date` import of the desk.",
         "Review of PR #4: Loans by date"),
        ("# Summary\n\nAdded a page with the loans of a reader to the desk.", "Added a page with the loans of a reader to the desk"),
        ("I've successfully added a page with the loans of a reader.", "Added a page with the loans of a reader"),
        ("All tests pass. Deleted the counter of overdue loans from the desk. All three were tools for developers with fixed folders, not proper tests.",
         "Deleted the counter of overdue loans from the desk"),
        ("The desk needed a page with the loans of a reader.", "The desk needed a page with the loans of a reader"),
    ],
)  # fmt: skip
def test_an_answer_gives_the_title_where_no_request_does(answer: str, title: str) -> None:
    assert title_of(SessionState("s", requests=["yes"], last_answer=answer)) == title


def test_an_answer_that_does_nothing_gives_no_title_where_a_short_request_names_something() -> None:
    said = "I can help. For example, I can:\n\n* Create a new desk\n* Search for overdue loans"
    assert title_of(SessionState("s", requests=["login"], last_answer=said)) == "Login"
    said = "The loans of a reader may not be read as they should."
    asked = SessionState("s", requests=["solve this"], last_answer=said)
    assert title_of(asked).startswith("The loans of a reader")


def test_what_was_asked_for_by_number_is_told_with_what_came_of_it() -> None:
    said = "Created a queue for the loans of a reader."
    state = SessionState("s", requests=["Implement Phase 4.2.1"], last_answer=said)
    assert title_of(state) == "Implement Phase 4.2.1: created a queue for the loans of a reader"
    state = SessionState("s", requests=["do tasks T012 - T016", "yes"], last_answer=said)
    state.branch = "001-strict-desk"
    assert title_of(state) == "Strict desk: created a queue for the loans of a reader"
    state.requests.append("sort the overdue books by date")
    assert title_of(state) == "Strict desk: sort the overdue books by date"


def test_a_greeting_is_not_the_first_request() -> None:
    asked = ["hi", "build a page for the tea shop", "make the menu light blue and the kettles dark"]
    assert title_of(SessionState("s", requests=asked)) == "Build a page for the tea shop"


@pytest.mark.parametrize("name", ["$tea-desk", "$tea:desk", "/prompts:tea.desk"])
def test_the_name_of_a_skill_or_of_a_prompt_before_a_request_is_no_part_of_it(name: str) -> None:
    assert title_in(f"{name} sort the kettles by their size") == "Sort the kettles by their size"


def test_words_of_other_alphabets_name_a_subject() -> None:
    request = "Як влаштований чайник?"
    assert weight_of(request) > 1
    said = "Технології: чайник, піч"
    assert title_of(SessionState("s", requests=[request], last_answer=said)) == request


def test_an_initial_commit_is_not_what_a_session_was_about() -> None:
    state = SessionState("s", requests=["sort the loans by date"])
    state.made = [
        {"kind": "commit", "text": "Initial setup of the desk of loans", "ref": "", "body": ""}
    ]
    assert title_of(state) == "Sort the loans by date"


def test_of_equal_requests_the_first_counts_most() -> None:
    asked = ["sort the loans by date", "name the readers by key"]
    assert title_of(SessionState("s", requests=asked)) == "Sort the loans by date"


def test_a_request_about_the_files_that_were_changed_counts_more() -> None:
    asked = ["name the readers by key", "sort the loans by date"]
    state = SessionState("s", requests=asked, files_modified=["desk/loans_by_date.py"])
    assert title_of(state) == "Sort the loans by date"


@pytest.mark.parametrize(
    ("request_", "title"),
    [
        ("You are loan-dev on the desk team. You count the loans of a day.", "Count the loans of a day"),
        ("LN-1: Count the `loans` of a day (6 places)", "Count the `loans` of a day (LN-1)"),
    ],
)  # fmt: skip
def test_a_task_that_another_agent_gives_has_its_name(request_: str, title: str) -> None:
    state = SessionState("s")
    fold(state, [Event("prompt", "2026-03-04T09:00:00Z", text=request_, program=True)])
    assert title_of(state) == title


@pytest.mark.parametrize(
    "request_",
    ["帮我看下这个问题", "这是怎么回事？", "如图，报错了，帮我修复一下吧", "这个怎么解决呢"],
)
def test_a_request_that_only_points_at_something_names_nothing(request_: str) -> None:
    answer = "已将借阅台的开放时间改为每天读取一次。"
    assert title_of(SessionState("s", requests=[request_], last_answer=answer)) == answer[:-1]
    assert weight_of("修复借阅台的报错") > 1


@pytest.mark.parametrize(
    "remark",
    ["you left out the lid in the drawing of the kettle", "ok, did you also glaze the spout of the kettle?",
     "what's taking the kettle so long?", "never mind, we'll glaze the kettle tomorrow", "i think you removed too much of the kettle's handle",
     "你刚才把壶嘴改成了方的", "怎么又没有壶盖了，壶嘴也不见了"],
)  # fmt: skip
def test_what_is_said_of_the_agents_work_is_asked_only_if_nothing_else_is(remark: str) -> None:
    assert most_informative(["Draw the kettle with its lid", remark], 4) == [
        "Draw the kettle with its lid"
    ]
    assert most_informative([remark], 4) == [remark]


@pytest.mark.parametrize(
    ("last", "is_told"),
    [
        ("Engrave the saucer with fern, finch, maker's initials, year and motto below", True),
        ("stain the saucer", False),
        ("it's still wrong, the saucer tilts left, the finch lost its beak and feathers fade", False),
        ("you removed the finch, the beak, the saucer, the fern and the maker's initials", False),
        ("Draw the kettle, its lid, spout, handle, whistle, base, stripe, cork, rim and feet, please", False),
    ],
)  # fmt: skip
def test_the_last_request_is_told_beside_those_that_say_most(last: str, is_told: bool) -> None:
    asks = [
        "Draw the kettle, its lid, spout, handle, whistle, base, stripe, cork, rim and feet",
        "Count cups, bowls, plates, spoons, forks, knives, jugs, mugs, pans, pots and ladles",
        "Ship crates, barrels, sacks, tins, jars, boxes, bales, casks, drums, bags and trunks",
        "Plant roses, tulips, lilies, daisies, violets, poppies, orchids, irises and mosses",
    ]
    found = most_informative([*asks, last], 4)
    assert len(found) == 4
    assert (found[-1] == last) is is_told
    assert found[0] == asks[0]


def test_a_request_that_was_edited_and_sent_again_is_one() -> None:
    asks = ["Count the loans of each day at the desk", "count the loans of each day at the desk, please", "sort the loans by date"]  # fmt: skip
    assert len(most_informative(asks, 4)) == 2
    asks = [f"The most {how} way is to count loans by the reader's own card at the desk of the branch library. How would other readers find theirs?" for how in ("private", "privacy preserving")]  # fmt: skip
    assert len(most_informative(asks, 4)) == 1
    assert (ask_in("8"), ask_in("1, 3")) == ("", "")


TRACE = """ERROR:    Exception in ASGI application
Traceback (most recent call last):
  File "/home/ada/desk/.venv/lib/python3.12/site-packages/fastapi/applications.py", line 1139, in __call__
    await super().__call__(scope, receive, send)
  File "/home/ada/desk/loans.py", line 12, in cards
    return reader.cards
AttributeError: 'NoneType' object has no attribute 'cards'
"""
BUILD = """vite v5.4.21 building for production...
✓ 29 modules transformed.
x Build failed in 111ms
error during build:
Could not resolve "../services/api" from "src/desk/Loans.vue"
file: /home/ada/desk/src/desk/Loans.vue
    at getRollupError (file:///home/ada/desk/node_modules/rollup/dist/es/shared/parseAst.js:397:41)
"""

FRAME = """ada@desk MINGW64 /d/loan desk/front (main)
Type error: Cannot find name 'countLoans'.
  11 |   const desk = open();
> 12 |   desk.countLoans();
     |        ^
  13 | }
"""


@pytest.mark.parametrize(
    ("log", "said"),
    [
        (TRACE, ""),
        (FRAME, "Type error: Cannot find name 'countLoans'."),
        (BUILD, 'Could not resolve "../services/api" from "src/desk/Loans.vue"'),
    ],
)
def test_of_an_error_that_was_pasted_only_its_message_is_told(log: str, said: str) -> None:
    assert ask_in(log) == said
    assert (
        ask_in(f"please fix this at the desk\n\n{log}")
        == f"please fix this at the desk\n{said}".strip()
    )


LOG = """[desk] 3.1.10
[desk] to open the desk again, enter `rs`
loans: [
  { total: 3, limit: 20 },
"""


@pytest.mark.parametrize("log", [LOG, '{"time":"09:00","level":"DEBUG"}\n{"time":"09:01"}\n', "(node:42) Warning: loans\nimport 'desk';\n", "Console Error\n[Desk] Expected loans to match\n"])  # fmt: skip
def test_a_log_that_was_pasted_is_no_request(log: str) -> None:
    assert ask_in(log) == ""
    asked = "Why does the desk open twice?"
    assert ask_in(f"{log}{asked}") == asked
    assert ask_in(f"{asked}\n\n{LOG}").startswith(asked)


@pytest.mark.parametrize(
    "request_",
    ["[bug] the desk counts the loans of a reader twice", "[DESK-12] Add a dark mode\n\nadd a toggle to the settings page",
     "[error] disk full\nplease fix the importer so it cleans up", "[frontend] fix the desk\n[backend] count the loans",
     "[bug] loans are counted twice\n[bug] the desk never closes", "build error\nimport the loans from the desk", '{"loans": 3}\nturn it into yaml please'],
)  # fmt: skip
def test_a_label_makes_no_log_of_a_request(request_: str) -> None:
    assert ask_in(request_).endswith(request_.rpartition("\n")[2])


@pytest.mark.parametrize(
    "unit",
    [
        " ",
        "@a.b ",
        "read a/b/",
        "read a/b and ",
        "start making a plan in ",
        " @a.b,",
        "a.",
        "while we wait ",
        "comments pr ",
        "debug: ",
        "a nit: ",
        "看看",
        "现在让你做的是",
    ],
)
@pytest.mark.parametrize("end", ["?", "fix it?", "!"])
@pytest.mark.sampled(6)
def test_a_title_is_soon_made(unit: str, end: str) -> None:
    assert is_quick(lambda: title_in(f"{end}{unit * 25_000}{end}x"))
    assert is_quick(lambda: title_in(f"@{unit * 25_000}"))


@pytest.mark.parametrize(
    ("request_", "title"),
    [
        ("这是借阅台目前的功能总结【已完成功能\n读者管理\n借阅", "这是借阅台目前的功能总结"),
        ("给借阅台增加搜索页面（按书名\n按作者", "给借阅台增加搜索页面"),
        (
            "The function that counts the loans of a desk has several exits (early returns at lines 26. and at lines 30.)",
            "The function that counts the loans of a desk has several exits",
        ),
        ("Count the loans of `Desk.list(open)` by reader", "Count the loans of `Desk.list(open)` by reader"),
        ("Show the loan desk :( as a table of all readers", "Show the loan desk :( as a table of all readers"),
    ],
)  # fmt: skip
def test_a_title_leaves_out_a_bracket_that_is_not_closed(request_: str, title: str) -> None:
    assert title_in(request_) == title


TO_FIX = "For the code present, we get this error:\n```\n{}\n```\nHow can I resolve this? If you propose a fix, please make it concise."


@pytest.mark.parametrize(
    ("error", "title"),
    [
        ("No overload of `lend` matches this call.\n  Overload 1 of 2 does not", "Error: No overload of `lend` matches this call"),
        ("Unexpected any. Name the type of the loan.", "Error: Unexpected any. Name the type of the loan"),
        ("找不到模块“loan-desk/hours”或其相应的类型声明。", "Error: 找不到模块“loan-desk/hours”或其相应的类型声明"),
    ],
)  # fmt: skip
def test_what_an_editor_asks_for_an_error_is_the_error(error: str, title: str) -> None:
    asked = TO_FIX.format(error)
    assert ask_in(asked) == f"Error: {error.splitlines()[0]}"
    assert title_in(ask_in(asked)) == title
    assert ask_in(f"{asked}\nKeep the loans as they are.").endswith("Keep the loans as they are.")
    own = ["Sort the loans by reader", "Print the loans of a day"]
    assert most_informative([*own, ask_in(asked)], 2) == own


def test_an_address_is_neither_a_request_nor_a_title() -> None:
    for address in (
        "ada@example.org",
        "https://loans.example/desk/list",
        "@https://loans.example",
        "+49 170 123",
    ):
        assert ask_in(address) == ""
    state = SessionState("s", requests=["ada@example.org\nlist loans by reader"])
    assert title_of(state) == "List loans by reader"
