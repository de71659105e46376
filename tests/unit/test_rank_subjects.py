"""Ranking: times in the cue, what is newer about the same, words in passing, what asks for nothing."""

from __future__ import annotations

from typing import Any

import pytest

from recollect.model.memory import day_of
from recollect.search import rank, relevance
from recollect.search.rank import Candidate, Cue
from recollect.text.tokens import cue_words

from .build import candidate, cue

TODAY = day_of("2026-11-20")


def told(found: list[Candidate], text: str, **counts: int) -> list[str]:
    """What is chosen, where each word of the cue is in that many of 100 sections."""
    asked = Cue(text, cue_words(text), TODAY, [])
    known = {word: counts.get(word, 0) for word in asked.words}
    return [one.name for one in rank.choose(found, asked, known, 100)]


def statement(name: str, title: str, day: str, **fields: Any) -> Candidate:
    usual = {"text": f"{title}. Said of {name}.", "id": name, "title": title, "day": day_of(day)}
    return candidate(**(usual | fields))


# ----------------------------------------------------------------------------------- newer first

OLD = ("old", "A reading is sent every 10 minutes", "2026-02-10")
NEW = ("new", "A reading is sent every 15 minutes", "2026-06-17")


def test_what_is_newer_stands_before_what_is_older_about_the_same() -> None:
    found = [statement(*OLD, text_score=3.0), statement(*NEW, text_score=2.0)]
    assert told(found, "how often is a reading sent", reading=2, sent=2) == ["new", "old"]


@pytest.mark.parametrize(
    ("score", "fields"),
    [
        (2.0, {"title": "The clock is set once a day"}),
        (2.0, {"layer": "episodic", "kind": "session"}),
        (0.5, {}),
    ],
    ids=["about something else", "an episode", "it fits the cue far less"],
)
def test_what_is_newer_stays_behind_where(score: float, fields: dict[str, Any]) -> None:
    text = "A reading is sent. Minutes matter here."
    found = [statement(*OLD, text_score=3.0)]
    name, title, day = NEW
    about = {"title": title, "text": text, "day": day_of(day), "text_score": score} | fields
    found += [candidate(id=name, **about)]
    for one in found:
        rank.rate(one, 3.0, cue("reading sent"))
    rank.put_newer_first(found)
    assert [one.name for one in found] == ["old", "new"]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("A reading is sent every 10 minutes", "A reading is sent every 15 minutes", True),
        ("Fix the parser: comments", "Fix the parser: tabs and blanks", False),
        ("Worker nodes are m6i.large", "Worker nodes are m7g.xlarge", False),
        ("本地网关端口是 8080", "本地网关端口改为 9000", True),
        ("Redis is the cache", "Celery is the queue", False),
        ("12 of 24", "12 of 48", False),
    ],
)
def test_titles_that_hardly_differ_or_share_a_word_and_tags_are_about_the_same(
    one: str, other: str, *, same: bool
) -> None:
    subjects = [relevance.subject_of(title, "") for title in (one, other)]
    assert relevance.is_same_subject(*subjects) is same


def test_half_of_the_tags_and_a_word_of_the_title_are_the_same_subject() -> None:
    one, other = "The orders of a day close at ten sharp", "Earlier supper: orders cut off"
    assert not relevance.is_same_subject(
        relevance.subject_of(one, "a"), relevance.subject_of(other, "a\nb\nc")
    )
    assert relevance.is_same_subject(
        relevance.subject_of(one, "a\nb"), relevance.subject_of(other, "b\nA\nc")
    )
    assert not relevance.is_same_subject(
        relevance.subject_of("x y", "a\nb"), relevance.subject_of("v w", "a\nb")
    )


def test_whoever_is_told_how_things_were_is_told_how_they_are() -> None:
    found = [
        statement("old", "Payouts close at ten", "2026-02-24", text_score=3.0, tags="hours"),
        statement("new", "Payouts end at nine", "2026-10-12", text_score=2.0, tags="hours"),
    ]
    assert told(found, "do payouts of the shops close", payouts=2, close=1) == ["new", "old"]


def test_what_is_far_behind_is_not_judged_unless_it_is_newer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    judged = []
    shortfall = rank.shortfall

    def noted(one: Candidate, *rest: Any) -> str:
        judged.append(one.id)
        return shortfall(one, *rest)

    monkeypatch.setattr(rank, "shortfall", noted)
    found = [
        statement("old", "Payouts close at ten", "2026-02-24", text_score=3.0, tags="hours"),
        statement("behind", "Snow on the roof", "2026-10-12", text_score=1.0, text="Payouts."),
        statement("new", "Payouts end at nine", "2026-10-12", text_score=1.5, tags="hours"),
    ]
    assert told(found, "when do payouts close", payouts=3) == ["new", "old"]
    assert judged == ["old", "new"]


# ------------------------------------------------------------------------------------------ times


def session(name: str, day: str, text: str) -> Candidate:
    return candidate(
        id=name,
        title=name,
        text=text,
        day=day_of(day),
        layer="episodic",
        kind="session",
        text_score=0.0,
    )


def test_what_is_of_the_time_that_the_cue_names_is_told() -> None:
    found = [
        session("last-week", "2026-11-12", "We moved to another version."),
        session("in-march", "2026-03-12", "We tested the load."),
    ]
    assert told(found, "what did we do last week?") == ["last-week"]
    assert told(found, "what did we do in March?") == ["in-march"]
    assert told(found, "what did we do in April?") == []
    assert told(found, "上週做了什麼？") == told(found, "上周做了什么？") == ["last-week"]


def test_a_time_alone_brings_nothing_to_a_cue_about_something() -> None:
    found = [session("last-week", "2026-11-12", "We moved to another version.")]
    assert told(found, "write a poem about the moon landing last week") == []
    assert told(found, "which version did we move to last week", version=3, move=1) == ["last-week"]


def test_a_long_text_speaks_of_no_time() -> None:
    asked = Cue("last week " + "x" * 400, ["last", "week"], TODAY, [])
    assert (asked.period, asked.asked) == ((0, 0), ["last", "week"])


def test_of_two_on_the_subject_the_one_of_that_time_comes_first() -> None:
    found = [
        statement("spring", "The sale", "2026-03-08", text_score=3.0),
        statement("autumn", "A sale", "2026-11-11", text_score=2.0),
    ]
    assert told(found, "the sale last week", sale=2)[0] == "autumn"
    assert told(found, "the sale in March", sale=2)[0] == "spring"


# --------------------------------------------------------------------------------------- evidence


def test_tags_and_concepts_say_what_a_memory_is_about() -> None:
    found = [candidate(id="plan", title="Address plan", text="prod 10.20.0.0/16", tags="vpc\ncidr")]
    assert told(found, "which CIDR for the VPC", cidr=1, vpc=1) == ["plan"]
    section = candidate(id="plan", anchor="x", title="Address plan", text="none", tags="vpc\ncidr")
    assert told([section], "which CIDR for the VPC", cidr=1, vpc=1) == []


def test_one_word_in_passing_is_not_enough_where_more_was_asked() -> None:
    found = [candidate(id="m", title="Texts by key", text=f"Never a gerund as key.{' So.' * 30}")]
    assert told(found, "make the gerund friendlier", gerund=1) == []
    assert told(found, "gerund", gerund=1) == ["m"]
    named = [candidate(id="m", title="Gerund keys", text="Never as key.")]
    assert told(named, "gerund shapes", gerund=1) == ["m"]


def test_what_is_asked_to_be_done_asks_for_little() -> None:
    asked = relevance.term_weights(cue_words("explain the quicksort"), {"explain": 1}, 100)
    assert asked[" explain"] <= relevance.IN_EVERY_TEXT < asked[" quicksort"]
    found = relevance.found_in(asked, "explain")
    assert relevance.shortfall(asked, found, "explain", "explain")


def test_between_two_chinese_words_there_is_none() -> None:
    words = cue_words("连接池满了怎么办")
    asked = relevance.term_weights(words, {"连接": 2, "池满": 0}, 100)
    assert set(asked) & {" 接池", " 满了"} == set()
    assert " 连接" in asked


@pytest.mark.parametrize(
    ("files", "wanted", "bonus"),
    [
        ("src/board/Column.tsx", ["Column.tsx"], rank.FILE_BONUS),
        ("src/board/Column.tsx", ["/home/me/src/board/Column.tsx"], rank.FILE_BONUS),
        ("src/board/Column.tsx", ["src/board/Card.tsx"], rank.FOLDER_BONUS),
        ("src/board/Column.tsx", ["./x/src/board/Card.tsx"], rank.FOLDER_BONUS),
        ("src/board/Column.tsx", ["src/Card.tsx"], 0.0),
        ("Column.tsx", ["Card.tsx"], 0.0),
        ("", ["Card.tsx"], 0.0),
    ],
)
def test_a_file_at_hand_counts_and_one_beside_it_a_little(
    files: str, wanted: list[str], bonus: float
) -> None:
    assert rank.file_bonus(files, wanted) == bonus


# ------------------------------------------------------------ the first line of a text that goes on

LOG = "worker started, queue empty, worker stopped\n" * 20


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("Exports of invoices lose a column", {"exports", "invoices", "lose", "column"}),
        ("导出发票时少了一列", {"导出", "发票", "一列"}),
        (
            "ran ~/work/shop/export.sh: invoices lose a column",
            {"ran", "invoices", "lose", "column"},
        ),
        ("see below", set()),
        ("", set()),
    ],
    ids=["a request", "in Chinese", "a path", "it says too little", "there is none"],
)
def test_the_first_line_of_a_long_text_is_its_subject(line: str, words: set[str]) -> None:
    assert cue(f"{line}\n\n{LOG}").subject >= words
    assert not words or not cue(f"{line}\n\n{LOG}").subject & {"queue", "worker", "work", "shop"}
    assert not cue(line).subject
    assert not cue(f"{line}\nok").subject


def test_the_words_of_a_subject_count_several_times() -> None:
    asked = cue(f"Exports of invoices lose a column\n{LOG}")
    assert asked.weighed.count("invoices") == rank.SUBJECT_COUNTS
    assert asked.weighed.count("queue") == 1
    assert set(asked.weighed) == set(asked.words)


def test_a_letter_or_number_inside_a_longer_word_does_not_count_alone() -> None:
    assert {"6", "2", "0"} <= set(cue("the fixtures of v6.2.0 fail").words)
    assert not {"6", "2", "0"} & set(cue("the fixtures of v6.2.0 fail").weighed)
    assert "v620" in cue("the fixtures of v6.2.0 fail").weighed
    assert {"python", "3"} <= set(cue("python 3 and 3.8 fail").weighed)
    assert cue("3.8").weighed


def test_what_stands_below_the_first_line_is_told_where_nothing_answers_that() -> None:
    found = [
        statement("export", "Exports of invoices go through a queue of their own", "2026-02-10"),
        statement("worker", "A worker that finds the queue empty is stopped", "2026-02-10"),
    ]
    known = dict.fromkeys(("export", "exports", "invoices", "worker", "empty", "stopped"), 1)
    assert told(found, f"Exports of invoices lose a column\n{LOG}", **known) == ["export"]
    assert told(found, f"Reports of taxes lose a column\n{LOG}", **known) == ["worker"]


def test_the_name_of_the_project_alone_brings_nothing_in_it() -> None:
    found = [candidate(id="greeting", text="The tea kettle greets whoever lifts its lid")]
    prompt = "I get a response back from tea-kettle"
    counts = {"tea": 3, "kettle": 3}

    def names(text: str, project: str) -> list[str]:
        return [one.name for one in rank.choose(found, cue(text, project=project), counts, 100)]

    assert names(prompt, "/home/ada/greetings") == ["greeting"]
    assert names(prompt, "/home/ada/tea-kettle") == []
    assert names("the kettle needs a lid", "/home/ada/tea-kettle") == ["greeting"]
    assert names("what is up with the tea kettle", "/home/ada/greetings") == ["greeting"]
    assert names("what is up with the tea kettle", "/home/ada/tea-kettle") == []
    zh = [candidate(id="pay", text="支付系统用 Redis 存放会话")]
    for project, given in (("/home/ada/x", ["pay"]), ("/home/ada/支付系统", [])):
        asked = cue("支付系统现在怎么样", project=project)
        counted = dict.fromkeys(("支付", "系统"), 3)
        assert [one.name for one in rank.choose(zh, asked, counted, 100)] == given
