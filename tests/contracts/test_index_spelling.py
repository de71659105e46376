"""What is mistyped is found where nobody wrote it so; what was written so is found as it is."""

from __future__ import annotations

import random
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.build import memory

from recollect.model.memory import FileStat, Filter
from recollect.ports import IndexRow
from recollect.search import spelling
from recollect.search.index import SqliteIndex
from recollect.search.spelling import LONG, pieces_of, slips_between
from recollect.text.tokens import cue_words

from .test_best_sections import steps_of

TITLES = {
    "celery": "Celery with Redis as the broker",
    "terraform": "Terraform state in S3",
    "network": "Address plan of the networks",
    "client": "StripeClient asks for refunds",
    "expand": "requestSubscribeMessage has a quota",
    "pool": "数据库连接池",
}


@pytest.fixture
def index(tmp_path: Path) -> SqliteIndex:
    made = SqliteIndex(str(tmp_path))
    several = [
        memory(id=name, title=title, body="Nothing else.\n", path=f"semantic/{name}.md")
        for name, title in TITLES.items()
    ]
    rows = [IndexRow(FileStat(one.path, 1, 1, 1, n), f"s{n}", one) for n, one in enumerate(several)]
    made.apply(rows, (), 1)
    return made


def ids(index: SqliteIndex, words: str) -> list[str]:
    return [one.id for one in index.search(cue_words(words), only=Filter(), limit=10)]


def add(index: SqliteIndex, path: str, title: str) -> None:
    name = path.split("/")[1].removesuffix(".md")
    one = memory(id=name, title=title, body="Nothing else.\n", path=path)
    index.apply([IndexRow(FileStat(path, 1, 1, 1, 99), name, one)], (), 1)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("celerry", "celery"),
        ("terrafrom", "terraform"),
        ("terrsform", "terraform"),
        ("netowrks adress", "network"),
        ("StropeClient", "client"),
        ("requestSubscribeMesage", "expand"),
        ("the brokr", "celery"),
        ("cwlery", "celery"),
        ("nteworks", "network"),
    ],
)
def test_a_slip_of_the_finger_finds_what_was_meant(
    typed: str, meant: str, index: SqliteIndex
) -> None:
    assert ids(index, typed)[0] == meant


def test_two_words_written_as_one_find_both(index: SqliteIndex) -> None:
    add(index, "semantic/dry.md", "A dry run prints what would be deleted")
    add(index, "semantic/run.md", "Who may run the deployment")
    assert ids(index, "dryrun")[0] == "dry"
    assert ids(index, "what does dryrun print")[0] == "dry"
    assert "run" not in ids(index, "runqueue")


def test_a_slip_in_a_short_form_finds_it(index: SqliteIndex) -> None:
    add(index, "semantic/run.md", "Every run has a config commit")
    assert ids(index, "conig") == ["run"]


def test_among_several_known_words_a_slip_in_the_second_letter_is_left_alone(
    index: SqliteIndex,
) -> None:
    assert "network" not in ids(index, "terraform broker redis nwtworks")
    assert "network" in ids(index, "terraform broker redis nteworks")
    assert "network" in ids(index, "terraform nwtworks")


def test_a_larger_list_of_words_is_not_looked_through_whole(
    index: SqliteIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spelling, "MOST_COMPARED", 200)
    steps = []
    for size in (1_000, 4_000):
        with index.transaction() as db:
            rows = [("hot", f"ca{n:05}", 1) for n in range(size)]
            db.executemany("INSERT OR IGNORE INTO listed VALUES (?, ?, ?)", rows)
        steps.append(
            steps_of(index.connection, lambda: index.search(["cwlery"], only=Filter(), limit=9))
        )
    assert steps[1] < steps[0] * 1.2


@pytest.mark.parametrize(
    "typed", ["xelery", "clry", "pelican", "monkey", "连接迟", "", "stab", "e"]
)
def test_what_is_like_nothing_finds_nothing_by_its_spelling(typed: str, index: SqliteIndex) -> None:
    assert ids(index, typed) in ([], ["pool"])  # 连接 is a word of it


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("水池", []),
        ("连接", ["pool"]),
        ("池", ["pool"]),
        ("的了", []),
        ("火", []),
        ("水池漏了", []),
    ],
)
def test_a_chinese_word_that_nobody_wrote_is_not_found_by_one_of_its_characters(
    typed: str, found: list[str], index: SqliteIndex
) -> None:
    assert ids(index, typed) == found


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("tf", "terraform"), ("db", "pool"), ("database", "pool"), ("存取 databases", "pool")],
)
def test_a_word_that_nobody_wrote_is_looked_for_by_its_other_names(
    typed: str, meant: str, index: SqliteIndex
) -> None:
    assert ids(index, typed) == [meant]
    assert index.spelled([typed.rsplit(maxsplit=1)[-1]])


def test_nothing_else_is_added_to_what_was_written_so(index: SqliteIndex) -> None:
    add(index, "semantic/z.md", "Celera genomics")
    assert ids(index, "celera") == ["z"]


def test_a_slip_in_what_came_later_finds_it_and_what_is_gone_is_not_offered(
    index: SqliteIndex,
) -> None:
    for n in range(9):
        add(index, f"semantic/other{n}.md", "Nothing")
    add(index, "semantic/later.md", "Kubernetes in the cellar")
    assert ids(index, "kuberentes") == ["later"]
    assert index.spelled(["kuberentes"]) == {"kuberentes": ["kubernet"]}
    index.apply([], ["semantic/later.md"], 2)
    assert ids(index, "kuberentes") == []
    assert index.spelled(["kuberentes"]) == {}


def test_a_purge_takes_the_words_out_of_the_list(index: SqliteIndex, tmp_path: Path) -> None:
    add(index, "semantic/later.md", "Zanzibar")
    index.apply([], ["semantic/later.md"], 2)
    index.purge()
    index.close()
    assert [p.name for p in tmp_path.iterdir() if b"zanzibar" in p.read_bytes()] == []


def test_an_identifier_that_is_mistyped_comes_before_what_has_its_parts(index: SqliteIndex) -> None:
    for n in range(9):
        add(index, f"semantic/other{n}.md", f"The client of Stripe {n}")
    assert ids(index, "StropeClient")[0] == "client"


def test_a_long_cue_is_not_looked_through_for_slips(index: SqliteIndex) -> None:
    assert (
        ids(index, "terrafrom " + " ".join(f"{letter}ocus" for letter in "bcdfghjklmnpqrstvwx"))
        == []
    )


letters = st.text("abc", max_size=5)


@given(letters, letters)
def test_slips_are_counted_as_by_definition(one: str, other: str) -> None:
    assert slips_between(one, other, 9) == _slips(one, other)
    assert slips_between(one, other, 1) == min(_slips(one, other), 2)


@given(st.text("abcdef", min_size=5, max_size=14), st.randoms())
def test_no_word_within_reach_is_passed_over(word: str, chance: random.Random) -> None:
    most = 2 if len(word) >= LONG else 1
    other = word
    for _ in range(most):
        at = chance.randrange(1, len(other))
        other = chance.choice(
            [
                other[:at] + other[at + 1 :],
                other[:at] + "x" + other[at:],
                other[:at] + "y" + other[at + 1 :],
                other[:at] + other[at : at + 2][::-1] + other[at + 2 :],
            ]
        )
    assert any(fnmatchcase(other, piece) for piece in pieces_of(word, most))


def _slips(one: str, other: str) -> int:
    if not one or not other:
        return len(one) + len(other)
    costs = [
        _slips(one[:-1], other) + 1,
        _slips(one, other[:-1]) + 1,
        _slips(one[:-1], other[:-1]) + (one[-1] != other[-1]),
    ]
    if len(one) > 1 and len(other) > 1 and (one[-1], one[-2]) == (other[-2], other[-1]):
        costs.append(_slips(one[:-2], other[:-2]) + 1)
    return min(costs)
