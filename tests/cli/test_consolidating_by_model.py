"""`consolidate --model`: a model helps, within what its sources bear out, and only where a person runs it."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.capture import transcripts
from tests.capture.transcripts import Transcript
from tests.cli.running import Person
from tests.watching import MODEL

PROGRAM = f"""#!{sys.executable}
import json, os, sys
here = os.path.dirname(os.path.abspath(__file__))
asked = sys.stdin.read()
with open(here + "/asked", "a") as file:
    file.write(asked)
marks = {{"# Pair": "pairs", "# Statements": "subjects", "# Record 1": "skill", "# The record": "extract"}}
name = next(name for mark, name in marks.items() if mark in asked)
try:
    answer = json.load(open(f"{{here}}/{{name}}.json"))
except OSError:
    sys.exit("Error: rate limited (429)")
print(json.dumps({{"structured_output": answer, "usage": {{"input_tokens": 900, "output_tokens": 80}}}}))
"""


class Model:
    """A program in the place of Claude Code that has an answer for each kind of question."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.folder = folder
        (folder / "claude").write_text(PROGRAM)
        (folder / "claude").chmod(0o755)

    def answers(self, **by_kind: Any) -> None:
        for kind, answer in by_kind.items():
            (self.folder / f"{kind}.json").write_text(json.dumps(answer))

    @property
    def asked(self) -> str:
        path = self.folder / "asked"
        return path.read_text() if path.exists() else ""


@pytest.fixture
def model(tmp_path: Path) -> Model:
    return Model(tmp_path / "programs")


@pytest.fixture
def helped(person: Person, model: Model) -> Person:
    """A person who said yes to a model."""
    person.env |= {"PATH": f"{model.folder}:/usr/bin:/bin", MODEL: str(model.folder / "claude")}
    person.ok("init", "--scope", "both")
    person.ok("config", "capture.model", "claude", "--scope", "global")
    return person


def consolidate(person: Person, *words: str) -> dict[str, Any]:
    rows = person.ok("consolidate", "--model", "--scope", "project", "--json", *words).json
    answer: dict[str, Any] = rows[-1]["model"]
    return answer


OLD, NEW = "Use npm for installing packages", "Use yarn in the docs site"


def save_both(person: Person, **env: str) -> None:
    """Two statements that may contradict each other; the second is that of an agent with marks in `env`."""
    for text, marks in ((OLD, {}), (NEW, env)):
        person.ok(
            "save", text, "--subject", "Packages", "--why", "The lock file is shared.", env=marks
        )
    assert len(person.ok("conflicts", "--json").json) == 1


def verdict(what: str, wording: str = "", pair: int = 1) -> dict[str, Any]:
    return {"pairs": [{"pair": pair, "verdict": what, "wording": wording}]}


def test_it_needs_a_model_and_a_person(person: Person, model: Model) -> None:
    person.ok("init", "--scope", "both")
    said = person.run("consolidate", "--model")
    assert (said.code, "No model is set" in said.err) == (2, True)
    person.ok("config", "capture.model", "claude", "--scope", "global")
    said = person.run("consolidate", "--model", env={"CLAUDECODE": "1"})
    assert (said.code, "Only a person" in said.err, model.asked) == (2, True, "")


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("what", "stands"),
    [("second", {"yarn"}), ("first", {"npm"}), ("both", {"npm", "yarn"}), ("unsure", None)],
)
def test_it_settles_the_contradictions_that_it_is_sure_of(
    helped: Person, model: Model, what: str, stands: set[str] | None
) -> None:
    save_both(helped)
    assert len(helped.ok("conflicts", "--json").json) == 1
    model.answers(pairs=verdict(what))
    done = consolidate(helped)
    left = helped.ok("conflicts", "--json").json
    assert (len(done["done"]), len(left)) == ((0, 1) if stands is None else (1, 0))
    if stands:
        helped.ok("consolidate")
        brief = helped.ok("recall", "--start").out
        assert {name for name in ("npm", "yarn") if f"Use {name} " in brief} == stands
        assert OLD in model.asked


def test_no_statement_gives_way_to_one_of_somebody_trusted_less(
    helped: Person, model: Model
) -> None:
    save_both(helped, CLAUDECODE="1")
    model.answers(pairs=verdict("second"))
    assert consolidate(helped)["done"] == []
    assert NEW in model.asked
    assert OLD in helped.ok("recall", "--start").out
    assert NEW not in helped.ok("recall", "--start").out


def test_two_memories_that_say_the_same_get_one_wording(helped: Person, model: Model) -> None:
    one, other = "Store orders in PostgreSQL", "Orders are stored in PostgreSQL"
    for title in (one, other):
        helped.ok("save", title, "--kind", "decision")
    model.answers(pairs=verdict("same", "Orders are kept in MongoDB"))
    assert consolidate(helped)["done"] == []  # a wording with words of its own
    wording = "PostgreSQL: orders are stored in it"
    model.answers(pairs=verdict("same", wording))
    (done,) = consolidate(helped)["done"]
    assert (done["what"], done["new"]) == ("merged", wording)
    (row,) = [row for row in helped.ok("list", "--json").json if "PostgreSQL" in row["title"]]
    assert row["title"] == wording
    shown = helped.ok("show", row["id"], "--level", "3").out
    assert f"previously {one}" in shown
    assert f"previously {other}" in shown
    helped.ok("undo")
    titles = {row["title"] for row in helped.ok("list", "--json").json}
    assert {one, other} <= titles


def test_statements_without_a_subject_get_one_that_they_name(helped: Person, model: Model) -> None:
    said = [
        "Invoice numbers restart each January",
        "An invoice is never deleted",
        "Couriers are paid weekly",
    ]
    for text in said:
        helped.ok("save", text, "--why", "The auditors ask for it.")
    (page,) = helped.store.glob("semantic/*.md")
    rows = [
        {"statement": n, "subject": name}
        for n, name in enumerate(("Invoice", "invoice", "Payroll"), 1)
    ]
    model.answers(subjects={"subjects": rows})
    # The order in which they are asked is that of the page.
    done = consolidate(helped)["done"]
    assert {(one["what"], one["new"]) for one in done} == {("named", "Invoice")}
    new = (helped.store / "semantic" / "invoice.md").read_text()
    assert all(text in new for text in said[:2])
    left = page.read_text()
    assert said[2] in left
    assert not any(text in left for text in said[:2])
    found = helped.ok("search", "invoice January", "--json").json
    assert "Invoice numbers" in json.dumps(found)


@pytest.mark.slow
def test_a_suggested_skill_gets_the_steps_that_the_records_show(
    helped: Person, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcripts, "START", datetime.now(UTC) - timedelta(days=3))
    for n in range(4):
        log = Transcript(f"5f0c2d6e-000{n}-4a7b-9c1d-000000000001", cwd=str(helped.project))
        log.prompt("Deploy the shop to staging")
        log.answer(
            "I ran make migrate before make deploy, and the health check passed. "
            "The first try failed because the database of staging was being restored; the second "
            "went through in four minutes. The old containers drain for a minute before they stop, "
            f"so for that time both versions answer, and the notes of release {n} were posted afterwards."
        )
        log.save(helped.home / ".claude" / "projects" / "p")
    helped.ok("capture", str(helped.home / ".claude" / "projects"))
    (row,) = helped.ok("analyze-skills", "--json").json[0]["candidates"]
    quote = "make migrate before make deploy"
    steps = [
        {"step": "Run `make migrate`.", "quote": quote},
        {"step": "Run `make deploy`.", "quote": quote},
        {"step": "Tell everybody.", "quote": "and then I told everybody about it"},
    ]
    read = {"title": "Shop deployed", "summary": "", "entries": [], "open": []}
    model.answers(skill={"steps": steps}, extract=read)
    done = consolidate(helped)
    assert (done["read"], [one["text"] for one in done["done"]]) == (4, [row["name"]])
    draft = helped.ok("promote-skill", row["name"], "--dry-run").out
    assert "1. Run" in draft
    assert "make deploy" in draft
    assert "Tell everybody" not in draft
    assert consolidate(helped)["calls"] == 0  # what was asked is not asked again


def test_a_model_that_fails_ends_it_and_a_dry_run_sends_nothing(
    helped: Person, model: Model
) -> None:
    save_both(helped)
    counted = consolidate(helped, "--dry-run")
    assert (counted["calls"], counted["tokens"] > 100, model.asked) == (1, True, "")
    done = consolidate(helped)  # no answer is set: it is refused with a 429
    assert (done["calls"], done["done"], "429" in done["stopped"]) == (1, [], True)
    assert len(helped.ok("conflicts", "--json").json) == 1
    said = helped.ok("consolidate", "--model").out
    assert "The rest was not asked" in said


def test_what_is_private_or_encrypted_is_not_sent(helped: Person, model: Model) -> None:
    helped.ok("save", "Orders are stored in PostgreSQL", "--kind", "decision", "--private")
    helped.ok("save", "Store orders in PostgreSQL", "--kind", "decision", "--private")
    assert consolidate(helped)["calls"] == 0
    assert model.asked == ""
