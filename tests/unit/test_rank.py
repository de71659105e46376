"""Ranking: what comes through, in which order, and why."""

from __future__ import annotations

import random
import sqlite3
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.model.memory import CATEGORIES, LEVELS, STATUSES, TRUSTS
from recollect.search import lookup, rank, relevance
from recollect.search.lookup import TOKENIZER, match, rarest
from recollect.search.rank import AGE_FLOOR, Candidate
from recollect.text.tokens import cue_words, index_terms

from .build import TODAY, candidate, cue, plain_text, words

COUNTS = dict.fromkeys("postgres events pool redis cache queue".split(), 1)


def chosen(found: list[Candidate], text: str = "postgres events pool", **about: Any) -> list[str]:
    return [one.name for one in rank.choose(found, cue(text, **about), COUNTS, 100)]


def relevant(n: int, **fields: Any) -> Candidate:
    """A candidate that answers the usual cue in words of its own."""
    text = f"postgres events pool {' '.join(f'w{n}x{i}' for i in range(8))}"
    return candidate(**({"id": f"m{n:02}", "text": text, "title": f"T{n}"} | fields))


# ------------------------------------------------------------------------------------ evidence

some_words = st.lists(words, min_size=1, max_size=8)
counts_of = st.dictionaries(words, st.integers(0, 50), max_size=8)


@given(some_words, counts_of, plain_text, plain_text)
def test_more_text_is_never_less_evidence(
    asked: list[str], counts: dict[str, int], text: str, more: str
) -> None:
    worths = relevance.term_weights(asked, counts, 100)
    one, two = (relevance.found_in(worths, index_terms(t)) for t in (text, f"{text}\n{more}"))
    assert one.items() <= two.items() <= worths.items()


@given(some_words, counts_of)
def test_a_text_that_says_all_of_a_cue_covers_it(asked: list[str], counts: dict[str, int]) -> None:
    worths = relevance.term_weights(asked, counts, 100)
    assert relevance.found_in(worths, index_terms(" ".join(asked))) == worths


def test_joined_words_ask_for_nothing_of_their_own() -> None:
    asked = cue_words("What is the copper price?")
    assert "copperprice" in asked
    worths = relevance.term_weights(asked, {"copper": 1, "price": 2}, 50)
    assert set(worths) == {" copper", " pric "}
    apart = relevance.term_weights(["fullschema"], {"full schema": 2}, 50)
    assert set(apart) == {" full schema"}
    both = relevance.term_weights(["fullschema"], {"full schema": 2, "fullschema": 3}, 50)
    assert set(both) == {" fullschema"}
    known = relevance.term_weights(cue_words("use callback"), {"callback": 9, "usecallback": 1}, 50)
    assert " usecallback" in known


@given(st.integers(1, 99), st.integers(1, 99))
def test_a_rarer_word_is_more_evidence(one: int, two: int) -> None:
    if one < two:
        several = (relevance.term_weight("quokka", count, 100) for count in (one, two))
        assert next(several) >= next(several)


def test_no_words_are_no_evidence() -> None:
    assert relevance.found_in({}, "text") == {}
    assert relevance.shortfall(relevance.term_weights(["word"], {}, 0), {}, "", "")


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("It was configured by hand", "configuration"),
        ("The migrations run at start", "migrated"),
        ("calling the query", "calls queries"),
        ("committed too early", "committing"),
        ("Das Café in München", "cafe munchen"),
        ("ＷＥＢＰＡＣＫ", "webpack"),
        ("useCallback", "use callback"),
        ("数据库连接池", "连接池"),
    ],
)
def test_evidence_is_seen_where_the_index_finds_it(text: str, asked: str) -> None:
    found = cue_words(asked)
    worths = relevance.term_weights(found, dict.fromkeys(found, 1), 100)
    assert relevance.found_in(worths, index_terms(text))


def test_a_small_store_beside_a_large_one_is_heard() -> None:
    found = [relevant(1, text_score=24.0), relevant(2, text_score=0.7, scope="global")]
    assert chosen(found) == ["m01", "m02"]


@pytest.mark.parametrize("total", [3, 1_000, 100_000])
@pytest.mark.parametrize(
    ("cue", "title", "heard"),
    [
        ("why automerge?", "The editor uses automerge-repo", True),
        ("commit these changes", "Commit messages are in English", False),
        ("run the tests again", "Tests run against PostgreSQL", False),
        ("what is the capital of Australia?", "Names begin with a capital letter", False),
        ("where do the invoices of a customer go?", "Invoices of customers go to S3", True),
        ("fix the quokka parser", "Weekly notes of the quokka team", True),
        ("why did you do that?", "What did you do that for?", False),
    ],
)
def test_what_is_heard_depends_on_the_words_and_not_on_the_size_of_the_store(
    total: int, cue: str, title: str, *, heard: bool
) -> None:
    words, have = cue_words(cue), index_terms(title)
    counts = {word: int(f" {word}" in f" {have}") for word in words}
    asked = relevance.term_weights(words, counts, total)
    assert (not relevance.shortfall(asked, relevance.found_in(asked, have), have, "")) is heard


def test_a_word_in_a_long_text_tells_less_and_a_tag_is_enough() -> None:
    asked = relevance.term_weights(["quokka", "wombat", "numbat"], {"quokka": 1}, 100)
    short, long = (relevance.found_in(asked, "", f"quokka {'x ' * n}") for n in (1, 1_000))
    assert short[" quokka"] > long[" quokka"]
    found = relevance.found_in(asked, "quokka")
    assert relevance.shortfall(asked, found, "quokka", "")
    assert not relevance.shortfall(asked, found, "quokka", "quokka")


def test_a_short_word_is_no_beginning_of_another() -> None:
    asked = relevance.term_weights(["mro", "auto"], {"mro": 1}, 100)
    assert not relevance.found_in(asked, "mromatic automatic")
    assert set(relevance.found_in(asked, index_terms("mros"))) == {" mro "}


# ---------------------------------------------------------------------------------- what fits


def test_superseded_and_external_memories_are_never_chosen() -> None:
    found = [
        relevant(1),
        relevant(2, status="superseded"),
        relevant(3, trust="external"),
        relevant(6, trust="tool"),
    ]
    assert set(chosen(found)) == {"m01", "m06"}


def test_the_same_thing_is_said_once() -> None:
    said = "postgres events pool one two three four five six seven eight nine ten"
    found = [
        candidate(id="a", text=said, text_score=3.0),
        candidate(id="b", text=said + " eleven", text_score=2.9),
        candidate(id="c", text="postgres events pool and something else entirely", text_score=2.8),
    ]
    assert chosen(found) == ["a", "c"]


def test_what_is_far_weaker_than_the_best_is_left_out() -> None:
    assert chosen([relevant(1, text_score=10.0), relevant(2, text_score=0.5)]) == ["m01"]
    assert chosen([relevant(1, text="nothing of the kind")]) == []
    assert chosen([]) == []


any_candidate = st.builds(
    relevant,
    st.integers(0, 99),
    salience=st.sampled_from(LEVELS),
    confidence=st.sampled_from(LEVELS),
    status=st.sampled_from(STATUSES),
    trust=st.sampled_from(TRUSTS),
    layer=st.sampled_from(["semantic", "episodic"]),
    scope=st.sampled_from(["project", "global"]),
    day=st.integers(0, TODAY + 10),
    text_score=st.floats(0, 20),
    trigger=st.sampled_from(["", "postgres", "other"]),
)


@given(st.lists(any_candidate, max_size=20, unique_by=lambda one: one.name), st.randoms())
def test_the_order_does_not_depend_on_the_order_of_the_candidates(
    found: list[Candidate], chance: random.Random
) -> None:
    about: dict[str, Any] = {"files": ("src/a.py",)}
    first = chosen(found, **about)
    chance.shuffle(found)
    assert chosen(found, **about) == first
    fit = {one.name: one for one in found}
    assert len(set(first)) == len(first)
    for name in first:
        assert fit[name].status != "superseded"
        assert fit[name].trust != "external"
    scores = [fit[name].score for name in first]
    assert scores == sorted(scores, reverse=True)


# ----------------------------------------------------------------------------------- the score


def score_of(asked: tuple[str, ...] = (), **fields: Any) -> float:
    one = relevant(1, **fields)
    rank.rate(one, 2.0, cue("postgres", files=asked))
    return one.score


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ({"salience": "high"}, {"salience": "medium"}),
        ({"salience": "medium"}, {"salience": "low"}),
        ({"confidence": "high"}, {"confidence": "low"}),
        ({"status": "confirmed"}, {"status": "resolved"}),
        ({"status": "resolved"}, {"status": "provisional"}),
        ({"trust": "user"}, {"trust": "tool"}),
        ({"trust": "agent"}, {"trust": "external"}),
        ({"scope": "project"}, {"scope": "global"}),
        ({"trigger": "postgres"}, {"trigger": "redis"}),
        ({"layer": "episodic", "day": TODAY}, {"layer": "episodic", "day": TODAY - 30}),
        ({"text_score": 1.1}, {"text_score": 1.0}),
        ({"files": "x.md\nsrc/a.py", "asked": ("a.py",)}, {"files": "src/ba.py", "asked": ("a.py",)}),
        ({"files": "a.py", "asked": ("/home/me/src/a.py",)}, {"files": "", "asked": ("a.py",)}),
    ],
)  # fmt: skip
def test_what_is_better_scores_higher(better: dict[str, Any], worse: dict[str, Any]) -> None:
    assert score_of(**better) > score_of(**worse)


def test_a_score_can_be_explained_by_its_parts() -> None:
    one = relevant(1, trigger="postgres", files="a.py", salience="high", text_score=1.0)
    rank.rate(one, 2.0, cue("postgres", files=("a.py",)))
    product = one.parts["text"]
    for name in rank.FACTORS:
        product *= one.parts[name]
    assert one.score == product + one.parts["files"] + one.parts["trigger"] + one.parts["scope"]
    rank.rate(one, 0.0, cue("postgres"))
    assert one.parts["text"] == 0.0


@given(
    st.sampled_from(["semantic", "procedural", "reference", "episodic"]), st.integers(-9, 99_999)
)
def test_only_episodes_fade_and_never_below_the_floor(layer: str, age: int) -> None:
    faded = rank.age_factor(layer, TODAY - age, TODAY)
    assert AGE_FLOOR <= faded <= 1.0
    if layer != "episodic" or age <= 0:
        assert faded == 1.0
    else:
        assert faded <= rank.age_factor(layer, TODAY - age + 1, TODAY)


def test_an_episode_fades_by_half_in_ninety_days() -> None:
    faded = rank.age_factor("episodic", TODAY - 90, TODAY)
    assert faded == pytest.approx(AGE_FLOOR + (1 - AGE_FLOOR) / 2)
    assert rank.age_factor("episodic", 0, TODAY) == 1.0  # no date: it cannot be old


# ------------------------------------------------------------------------------------ triggers


@pytest.mark.parametrize(
    ("trigger", "asked", "fires"),
    [
        ("database-locked", "the database is locked", True),
        ("command-not-found", "bash: foo: command not found", True),
        ("no such file or directory", "cat: x: No such file or directory", True),
        ("ECONNREFUSED", "connect ECONNREFUSED 127.0.0.1:5432", True),
        ("OperationalError", "sqlite3.OperationalError: database is locked", True),
        ("useCallback", "use callback", True),
        ("C++", "a C++ build", True),
        ("C++", "a C build", False),
        ("数据库锁定", "报错：数据库锁定了", True),
        ("数据库锁定", "数据库", False),
        ("redis\npostgres", "postgres", True),
        ("database-locked", "the database", False),
        ("", "anything", False),
        ("\n-\n", "anything", False),
    ],
)
def test_a_trigger_fires_when_all_its_words_are_said(trigger: str, asked: str, fires: bool) -> None:
    assert rank.is_triggered(trigger, cue_words(asked)) is fires


def test_a_trigger_weighs_twice_a_tag_in_the_index() -> None:
    title, tags, trigger, _, body = rank.FIELD_WEIGHTS
    assert trigger == 2 * tags > 2 * title > 2 * body
    db = sqlite3.connect(":memory:")
    fields = "title, tags, trigger, names, body"
    db.execute(f"CREATE VIRTUAL TABLE t USING fts5({fields}, tokenize='{TOKENIZER}')")
    busy = index_terms("busy")
    rows = [("x", busy, "", "", "y"), ("x", "", busy, "", "y"), ("x", "", "", "", busy)]
    rows += [("x", "", "", "", "y")] * 20
    db.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?)", rows)
    weights = ", ".join(map(str, rank.FIELD_WEIGHTS))
    found = db.execute(
        f"SELECT rowid FROM t WHERE t MATCH ? ORDER BY bm25(t, {weights})",
        (match(["busy"]),),
    ).fetchall()
    db.close()
    assert [row[0] for row in found] == [2, 1, 3]


# ---------------------------------------------------------------------------------------- rest


@given(st.dictionaries(words, st.integers(-1, 60), max_size=12), st.integers(1, 100))
def test_the_rarest_words_are_looked_up_first_within_the_limit(
    counts: dict[str, int], most_rows: int
) -> None:
    found = rarest(counts, most_rows)
    known = {word: count for word, count in counts.items() if count > 0}
    assert found == [word for _, word in sorted((n, w) for w, n in known.items())][: len(found)]
    assert bool(found) == bool(known)
    rows = [known[word] for word in found]
    assert len(rows) <= 1 or sum(rows) <= most_rows
    if len(found) < len(known):
        rest = min(n for word, n in known.items() if word not in found)
        assert sum(rows) + rest > most_rows


def test_related_memories_are_named_once_and_not_if_they_are_there() -> None:
    found = [
        candidate(id="a", related="b\nc\nc"),
        candidate(id="b", related="a\nd\n"),
        candidate(id="z", related="e", scope="global"),
    ]
    assert lookup.related_names(found, "project") == ["c", "d"]
    many = [candidate(id="a", related="\n".join(f"m{n}" for n in range(99)))]
    assert len(lookup.related_names(many, "project")) == lookup.MOST_RELATED


def test_a_section_is_named_after_its_memory() -> None:
    one = candidate(id="a", anchor="why", title="Use X", heading="Why")
    assert (one.name, one.shown_title) == ("a#why", "Use X – Why")
    assert (candidate().name, candidate().shown_title) == ("use-postgres", "Use PostgreSQL")


def test_every_word_of_the_model_is_known_to_the_ranking() -> None:
    assert set(rank.SALIENCE) == set(rank.CONFIDENCE) == set(LEVELS)
    assert set(rank.STATUS) < set(STATUSES)
    assert set(rank.TRUST) < set(TRUSTS)
    assert "decision" in CATEGORIES
