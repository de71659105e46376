"""What one clause of a prompt states, where the rest of the sentence asks, corrects or tells more."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.capture import clauses, extract
from recollect.capture.plain_wording import capitalized
from recollect.text.sentences import sentences_of

from .build import is_quick


def kept(prompt: str) -> list[str]:
    return [fact.content for fact in extract.facts_in_prompt(prompt)]


@pytest.mark.parametrize(
    ("prompt", "told"),
    [
        # What is to be remembered, was agreed or chosen.
        ("please add the glaze column, and remember kiln ids must stay unique per shed", "Kiln ids must stay unique per shed"),
        ("bump the kiln sdk, and keep in mind hooks must be idempotent", "Hooks must be idempotent"),
        ("Remember, exports have to be reproducible.", "Exports have to be reproducible"),
        ("no, we went with RabbitMQ instead of Kafka, change the worker", "We went with RabbitMQ instead of Kafka"),
        ("since the flood we agreed no one fires the kiln on sundays, add a check to the scheduler", "No one fires the kiln on sundays"),
        ("we decided last week with the potters to keep the catalog read only", "We decided last week with the potters to keep the catalog read only"),
        ("for the record the quota of the shop api is 200 orders per hour, so change the loop", "The quota of the shop api is 200 orders per hour"),
        # Who may, and what nobody may.
        ("take luxon, momentjs is forbidden in this repo", "Momentjs is forbidden in this repo"),
        ("move the call, only the scheduler is allowed to start a firing", "Only the scheduler is allowed to start a firing"),
        ("this library is agpl, we cannot bundle agpl code. look for another", "We cannot bundle agpl code"),
        ("undo that, maria must approve every change to the pricing rules", "Maria must approve every change to the pricing rules"),
        ("i'd rather you ask me before deleting any migration", "I'd rather you ask me before deleting any migration"),
        # What always holds, and what is used.
        ("no, weight is always stored as grams in this project, fix the form", "Weight is always stored as grams in this project"),
        ("hm, readonly by default, mutable only when a test needs it", "Readonly by default, mutable only when a test needs it"),
        ("the kiln api listens on port 7001 not 7000, that's why the check fails", "The kiln api listens on port 7001 not 7000"),
        ("don't run pip here, this is a uv project", "This is a uv project"),
        ("ok, we'll keep the monolith, remove the services folder", "Keep the monolith"),
        ("we keep the monorepo, move on", "We keep the monorepo"),
        ("yes option 1, i prefer explicit imports over barrels", "I prefer explicit imports over barrels"),
        ("fine but we're on python 3.11 in prod so no new syntax, rewrite that", "We're on python 3.11 in prod so no new syntax"),
        ("we're moving off Jenkins to Buildkite so update the docs", "We're moving off Jenkins to Buildkite"),
        ("types are generated with `make types`, not by hand", "Types are generated with `make types`, not by hand"),
        ("branch names are like pot/123-short, rename yours", "Branch names are like pot/123-short"),
        ("the demo shop resets every sunday, so don't worry about the orders", "The demo shop resets every sunday"),
        # Chinese.
        ("帮我修一下窑炉页面,另外 vendor 目录不要动,那是别的组的", "vendor 目录不要动,那是别的组的"),
        ("先别动手,每次发布之前先跑一遍回归", "每次发布之前先跑一遍回归"),
        ("所有金额都存整数,这里错了", "所有金额都存整数"),
        ("接口都要带 trace_id,方便排查", "接口都要带 trace_id,方便排查"),
        ("价格模块的修改都得经过老王确认才能合,你先提个 PR", "价格模块的修改都得经过老王确认才能合"),
        ("换一个库吧,我们公司不能用 AGPL 的东西", "公司不能用 AGPL 的东西"),
        ("行,就选 postgres 吧,运维熟", "就选 postgres 吧,运维熟"),
        ("讨论过了,还是用 RabbitMQ 做消息队列,改一下", "还是用 RabbitMQ 做消息队列"),
        ("别用 pip,这个项目一直是 poetry", "别用 pip,这个项目一直是 poetry"),
        ("消息队列不上了,人手不够,还是轮询", "消息队列不上了,人手不够,还是轮询"),
        ("为什么这里要重试?重试统一交给网关处理", "重试统一交给网关处理"),
    ],
)  # fmt: skip
def test_a_clause_is_kept_without_what_is_asked_for_around_it(prompt: str, told: str) -> None:
    assert [one.removeprefix("我们") for one in kept(prompt)] == [told]


@pytest.mark.parametrize(
    "prompt",
    [
        # Somebody goes somewhere.
        "we're going with lunch at noon, so finish by then",
        "we're going with them to the station at 5",
        "let's go with coffee at 4 and look at it then",
        # The work at hand is corrected.
        "按钮应该是「提交」不是「确定」,改一下",
        "宽度应该是 20px 不是 24px",
        "期望值应该是 404,不是 500",
        # What is asked, doubted, told of somebody else, or about this moment.
        "remember the leak from monday? it's back",
        "can you check, and remember exports have to be small?",
        "what if we went with Kafka instead of RabbitMQ, would it help",
        "i think we went with Kafka instead of RabbitMQ",
        "if only the admin is allowed to see it, why is it shown",
        "the readme says only the worker may write to the table",
        'the doc says "fine, momentjs is forbidden in this repo" or so',
        "for now we're on python 3.11, bump it later",
        "this is a new project, have a look",
        "we'll keep the button, move the label",
        "i prefer the second one, put it back",
        "the user must approve the order before we send it",
        "这个目录先别动,我看一下",
        "如果就选 sqlite 吧,会不会慢",
        "所有页面都打不开了,看看",
        "还是用不了,重新跑一下",
        "今天接口都要带 token,为什么",
        "当前目录不要动,先看看",
        "每次打开之前先报错",
        "the table is always empty in the app",
        "only the first row is allowed to be empty, check the others",
        "the label is never visible in the app",
        "the page is never loaded in this project",
        "we decided to use that one",
        "remember those are broken",
    ],
)
def test_what_states_nothing_is_not_kept(prompt: str) -> None:
    assert kept(prompt) == []


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Dates are stored as UTC, fix the report", "Dates are stored as UTC"),
        ("时间统一存 UTC，改一下", "时间统一存 UTC"),
        # What needs what stands behind it, or is one of several.
        ("When you add a column, update the docs", ""),
        ("A new pot gets a label, if it has none, add the default", ""),
        ("People name a firing, rename it later, and repeat it", ""),
        ("Every release is tagged, never move a tag", ""),
        ("提交之前，先跑测试", ""),
    ],
)
def test_a_statement_ends_before_what_is_asked_for(said: str, told: str) -> None:
    assert clauses.without_request(said) == (told or said)


def test_a_path_before_a_chinese_word_keeps_its_first_letter() -> None:
    assert capitalized("vendor 目录不要动") == "vendor 目录不要动"
    assert capitalized("redis 用来做缓存") == "Redis 用来做缓存"


def test_a_narrow_question_mark_ends_a_chinese_sentence() -> None:
    assert sentences_of("为什么要这样?统一交给网关处理") == [
        "为什么要这样?",
        "统一交给网关处理",
    ]


HEAP = "we , remember decided went with instead of only is allowed to by default the port 80 not always in this repo so and 都 要 , 每次 之前 先 所有 目录 还是 用 不 了 a".split()


@given(st.lists(st.sampled_from(HEAP), max_size=200).map(" ".join))
def test_no_heap_of_words_takes_long(text: str) -> None:
    assert is_quick(lambda: (clauses.statement_clause(text), clauses.without_request(text)))


@pytest.mark.parametrize("unit", [*HEAP, "a, ", "x ", "都", "not "])
def test_a_long_line_is_soon_read(unit: str) -> None:
    text = unit * (clauses.LONGEST_READ // len(unit))
    assert is_quick(lambda: clauses.statement_clause(text))
    assert is_quick(lambda: clauses.without_request(unit * 2_000))
