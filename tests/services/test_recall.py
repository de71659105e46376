"""Recall: both stores, each memory once, nothing of another project, nothing untrusted unasked."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence

import pytest

from recollect.app import App
from recollect.context import recall as service
from recollect.model.memory import Filter
from recollect.search import search as searching
from recollect.search.search import Hit
from recollect.store.refresh import refresh
from recollect.store.store import OpenStore

from .house import NOW, House
from .project import Project


def page(title: str, body: str = "", **fields: str) -> str:
    front = "".join(f"{key}: {value}\n" for key, value in fields.items())
    return f"---\ntitle: {title}\n{front}---\n# {title}\n\n{body}\n"


@pytest.fixture
def stores() -> list[OpenStore]:
    """A project's store and the global one."""
    project, home = House(), House()
    project.write(
        "semantic/queue.md", page("The queue", "The queue lost messages.", related="[wal]")
    )
    project.write("semantic/wal.md", page("The write-ahead log", "Checkpoints happen at night."))
    project.write("core/project.md", page("Project", "It has a queue."))
    project.write("semantic/shared.md", page("Ostriches", "In the project."))
    home.write("semantic/shared.md", page("Ostriches", "In the global store."))
    home.write("semantic/mine.md", page("Zebra here", "stripes"))
    home.write("semantic/web.md", page("Okapi", "Seen on a page.", trust="external"))
    home.write("semantic/old.md", page("Walrus", "They swim.", status="superseded"))
    home.write("semantic/new.md", page("Walrus too", "They swim and sing, the walrus."))
    home.write("episodic/talk/summary.md", page("A talk", "We spoke of giraffes.", id="talk"))
    home.write("episodic/talk/conversation.md", "### User [10:00]\n\nHow tall are giraffes?\n")
    return [project.open(), home.open(scope="global")]


def search(stores: list[OpenStore], words: str, **how: object) -> list[Hit]:
    only = how.pop("only", Filter())
    return searching.search(stores, words, only, limit=10, **how)  # type: ignore[arg-type]


def recalled(stores: list[OpenStore], words: str, **how: object) -> list[str]:
    cue = searching.cue_of(words, NOW)
    budget = how.pop("budget", 800)
    found = service.recall(stores, cue, budget=budget, lang="en", nonce="n0nce", **how)  # type: ignore[arg-type]
    return [one.name for one in (*found.full, *found.pointers)]


def ids(found: list[Hit]) -> list[str]:
    return [hit.candidate.id for hit in found]


def test_both_stores_are_searched_and_each_says_where_its_hit_is(
    stores: list[OpenStore],
) -> None:
    hits = search(stores, "ostriches")
    assert sorted(hit.candidate.scope for hit in hits) == ["global", "project"]
    assert hits[0].candidate.scope == "project"
    assert all(hit.path == f"{stores[0].files.root}/semantic/shared.md" for hit in hits)


def test_a_search_shows_what_nobody_would_be_told_unasked(stores: list[OpenStore]) -> None:
    assert ids(search(stores, "okapi")) == ["web"]
    assert recalled(stores, "okapi seen") == []
    assert sorted(ids(search(stores, "walrus swim"))) == ["new", "old"]
    assert ids(search(stores, "walrus swim"))[0] == "new"
    assert recalled(stores, "walrus swim") == ["new"]


@pytest.mark.parametrize(
    ("narrow", "found"),
    [
        (searching.HitFilter(("SWIM  and\nsing",)), ["new"]),
        (searching.HitFilter(("they swim", "the walrus")), ["new"]),
        (searching.HitFilter(("sing and swim",)), []),
        (searching.HitFilter(field="title"), ["new", "old"]),
        (searching.HitFilter(field="body"), ["new"]),
        (searching.HitFilter(field="tags"), []),
        (searching.HitFilter(("swim",), "body"), ["new"]),
    ],
)
def test_a_search_can_ask_for_phrases_and_for_a_field(
    narrow: searching.HitFilter, found: list[str], stores: list[OpenStore]
) -> None:
    assert sorted(ids(search(stores, "walrus", narrow=narrow))) == found


def test_a_memory_is_shown_once_unless_every_section_is_wanted(stores: list[OpenStore]) -> None:
    assert ids(search(stores, "giraffes")) == ["talk"]
    names = [hit.candidate.name for hit in search(stores, "giraffes", every_section=True)]
    assert names[:2] == ["talk", "talk#turn-1"]


def test_what_is_related_is_told_too_and_what_the_brief_has_is_not(
    stores: list[OpenStore],
) -> None:
    assert recalled(stores, "why did the queue lose messages") == ["queue", "wal"]


def test_what_the_session_was_given_is_not_given_again(stores: list[OpenStore]) -> None:
    given = frozenset({"queue"})
    assert recalled(stores, "why did the queue lose messages", given=given) == []


def test_what_a_session_records_is_found_but_told_only_to_who_asks_when(
    stores: list[OpenStore],
) -> None:
    assert ids(search(stores, "giraffes")) == ["talk"]
    assert recalled(stores, "giraffes") == []
    assert recalled(stores, "when did we speak about giraffes?") == ["talk"]


def test_nothing_is_said_where_nothing_is_known(stores: list[OpenStore]) -> None:
    found = service.recall(
        stores,
        searching.cue_of("quantum chromodynamics", NOW),
        budget=800,
        lang="en",
        nonce="n",
    )
    assert (found.text, found.tokens, found.full, found.pointers) == ("", 0, [], [])
    assert searching.search([], "x", Filter(), limit=3) == []


@pytest.mark.parametrize("asked", ["recap", "overview of", "summarize"])
def test_who_asks_for_a_recap_is_told_of_its_subject(asked: str) -> None:
    house = House()
    for n in range(2):
        house.write(f"semantic/n{n}.md", page(f"Giraffe {n}", "It has spots."))
        house.write(f"semantic/o{n}.md", page(f"Okapi {n}", "It has stripes."))
    assert recalled([house.open()], f"{asked} giraffe")


def test_the_budget_is_kept(stores: list[OpenStore]) -> None:
    cue = searching.cue_of("why did the queue lose messages", NOW)
    for budget in (0, 40, 100, 800):
        found = service.recall(stores, cue, budget=budget, lang="en", nonce="n0nce")
        assert found.tokens <= max(budget, 0)


def test_a_cue_takes_the_files_that_it_names(stores: list[OpenStore]) -> None:
    cue = searching.cue_of("why does `src/app.py` fail, and (lib/x.js)?", NOW)
    assert cue.files == ["src/app.py", "lib/x.js"]


@pytest.mark.parametrize(
    ("text", "words", "snippet"),
    [
        ("short\n\ttext", ["x"], "short text"),
        ("x " * 200 + "needle" + " y" * 200, ["needle"], "needle"),
        ("hay " + "x " * 300 + "hay needle", ["hay", "needle"], "hay needle"),
        ("界" * 500 + "针" + "界" * 500, ["针"], "针"),
    ],
)
def test_a_snippet_shows_where_most_of_the_words_are(
    text: str, words: list[str], snippet: str
) -> None:
    shown = searching.snippet_of(text, words)
    assert snippet in shown
    assert len(shown) <= searching.SNIPPET_CHARS + 2
    assert "\n" not in shown


def test_who_asks_what_was_said_at_a_time_gets_the_talk_of_that_time() -> None:
    house = House()
    for day in ("2026-01-08", "2026-03-05", "2026-09-10"):
        front = page("A talk", id=f"on-{day}", created=f"{day}T10:00:00Z")
        house.write(f"episodic/{day}/summary.md", front)
        said = "### User [10:00]\n\nHow tall are giraffes?\n"
        house.write(f"episodic/{day}/conversation.md", said)
    found = search([house.open()], "what did I ask about giraffes in March?", every_section=True)
    assert found[0].candidate.name == "on-2026-03-05#turn-1"
    found = search([house.open()], "三月我問了 giraffes 什麼？", every_section=True)
    assert found[0].candidate.name == "on-2026-03-05#turn-1"


def names(found: Sequence[Hit | str]) -> list[str]:
    return [one if isinstance(one, str) else one.candidate.name for one in found]


@pytest.mark.parametrize("ask", [search, recalled])
def test_a_question_beside_a_writer_misses_nothing_for_a_number_that_is_anothers_by_now(
    project: Project, monkeypatch: pytest.MonkeyPatch, ask: Callable[..., Sequence[Hit | str]]
) -> None:
    """What was found by its words has the number that what is of the day gets meanwhile."""
    created = {"b": "2026-01-03T09:00:00Z", "a": "2026-01-10T09:00:00Z"}
    project.write("semantic/b.md", page("The JSONB columns", "It happened.", created=created["b"]))
    cue = "What happened on 2026-01-10?"
    with project.opened() as store:
        for name in ("a", "later"):
            project.write(f"semantic/{name}.md", page("The walrus", created=created["a"]))
            refresh(store.files, store.index, 1)
        before = names(ask([store], cue))
        assert "a" in before
        dated, done = store.index.dated, list[str]()

        def other() -> None:
            with contextlib.closing(App(str(project.folder), project.env)) as app:
                app.store("project").index.wipe()
                app.store("project").freshen()

        def asked(*args: object) -> object:
            if not done:
                done.append("anew")
                other()
            return dated(*args)  # type: ignore[arg-type]

        monkeypatch.setattr(store.index, "dated", asked)
        assert names(ask([store], cue)) == before
        assert done


def test_the_first_line_of_a_pasted_text_says_what_is_searched_for() -> None:
    project = House()
    project.write(
        "semantic/export.md", page("Exports of invoices are cut at 40 columns", "Since 2.0.")
    )
    for n in range(30):
        project.write(
            f"semantic/worker-{n}.md", page(f"Worker {n} of the queue", "Started or stopped.")
        )
    project.write("semantic/pool.md", page("The pool of workers", "Started, stopped, idle, empty."))
    log = "\n".join(f"worker {n} started, pool idle, queue empty, stopped" for n in range(20))
    stores = [project.open()]
    assert ids(search(stores, f"Exports of invoices lose columns\n\n{log}"))[0] == "export"
    assert recalled(stores, f"Exports of invoices lose columns\n\n{log}") == ["export"]


@pytest.mark.parametrize(("written", "asked"), [("v1.3.17", "1.3.17"), ("1.3.17", "v1.3.17")])
def test_a_version_is_found_with_and_without_its_letter(written: str, asked: str) -> None:
    project = House()
    project.write("semantic/pin.md", page("The parser is pinned", f"To {written}."))
    for n in range(5):
        project.write(f"semantic/n-{n}.md", page(f"Port 17{n}", f"1 of 3, then 17 and v{n}.17"))
    assert ids(search([project.open()], asked))[0] == "pin"
