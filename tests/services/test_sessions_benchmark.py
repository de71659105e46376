"""The benchmark on real sessions: how it reads, samples, labels and counts."""

from __future__ import annotations

import csv
import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from bench.extraction import __main__ as extraction
from bench.sessions import __main__ as bench
from bench.sessions import laid, pages, sheets

FIRST = "11111111-1111-4111-8111-111111111111"
SECOND = "22222222-2222-4222-8222-222222222222"
CWD = "/home/nobody-here/teapot"


def said(text: str, n: int, **fields: Any) -> dict[str, Any]:
    return {"type": "user", "cwd": CWD, "uuid": f"{n:08}-0000", "timestamp": f"2026-03-04T09:{n:02}:00.000Z",
            "message": {"role": "user", "content": text}, **fields}  # fmt: skip


def answered(blocks: list[dict[str, Any]], n: int) -> dict[str, Any]:
    return {"type": "assistant", "cwd": CWD, "uuid": f"{n:08}-0000", "timestamp": f"2026-03-04T09:{n:02}:00.000Z",
            "message": {"role": "assistant", "content": blocks}}  # fmt: skip


def conversation(n: int, *prompts: str) -> list[dict[str, Any]]:
    rows = []
    for prompt in prompts:
        rows += [said(prompt, n), answered([{"type": "text", "text": "I did that."}], n + 1)]
        n += 2
    return rows


def failing(n: int, command: str, error: str) -> list[dict[str, Any]]:
    call = {"type": "tool_use", "id": f"t{n}", "name": "Bash", "input": {"command": command}}
    result = {"type": "tool_result", "tool_use_id": f"t{n}", "is_error": True, "content": error}
    return [answered([call], n), {**said("", n), "message": {"role": "user", "content": [result]}}]


def put(folder: Path, name: str, session: str, rows: list[dict[str, Any]]) -> Path:
    path = folder / name / "claude" / f"{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    first = conversation(
        1,
        "We decided to use PostgreSQL for the orders, because we need real transactions.",
        "Never format the generated files by hand.",
    )
    second = [
        {"type": "ai-title", "aiTitle": "Add a table of orders"},
        *conversation(11, "Add a table for the orders in PostgreSQL", "yes"),
        *failing(15, "make schema", "schema.sql: No such file or directory"),
    ]
    put(folder, "teapot", FIRST, first)
    put(folder, "teapot", SECOND, second)
    return folder


# ---------------------------------------------------------------------------- reading sessions


def test_sessions_of_one_folder_are_a_project_and_the_last_is_held_back(data: Path) -> None:
    (project,) = laid.projects(str(data))
    assert (project.name, project.folder) == ("teapot", CWD)
    assert [it.id for it in project.sessions] == [FIRST, SECOND]
    (held,) = laid.held_back(project)
    assert held.session.id == SECOND
    assert [(turn.moment, turn.text) for turn in held.turns] == [
        ("prompt", "Add a table for the orders in PostgreSQL"),
        ("prompt", "yes"),
        ("failure", "schema.sql: No such file or directory"),
    ]
    assert held.turns[1].before == "I did that."
    assert held.turns[2].command == "make schema"


def test_a_worktree_belongs_to_its_repository(data: Path, tmp_path: Path) -> None:
    rows = conversation(1, "Fix the lid")
    for row in rows:
        row["cwd"] = f"{CWD}/.worktrees/lid"
    put(data, "teapot", "33333333-3333-4333-8333-333333333333", rows)
    (project,) = laid.projects(str(data))
    worktree = next(it for it in project.sessions if it.id.startswith("3"))
    laid.stage(worktree, str(tmp_path / "staged"))
    (copy,) = (tmp_path / "staged").iterdir()
    assert {json.loads(line)["cwd"] for line in copy.read_text().splitlines()} == {CWD}


def test_a_session_that_is_alone_is_cut_and_its_end_held_back(tmp_path: Path) -> None:
    put(tmp_path, "long", FIRST, conversation(1, *(f"Change part {n}" for n in range(12))))
    (project,) = laid.projects(str(tmp_path))
    (held,) = laid.held_back(project)
    assert [turn.text for turn in held.turns] == [f"Change part {n}" for n in (9, 10, 11)]
    laid.stage(held.session, str(tmp_path / "staged"), lines=held.cut)
    (copy,) = (tmp_path / "staged").iterdir()
    assert "Change part 8" in copy.read_text()
    assert "Change part 9" not in copy.read_text()


def test_sessions_are_moved_so_that_the_last_was_yesterday(data: Path, tmp_path: Path) -> None:
    (project,) = laid.projects(str(data))
    days = laid.days_ago(project, date(2026, 11, 20))
    laid.stage(project.sessions[0], str(tmp_path / "staged"), days=days)
    (copy,) = (tmp_path / "staged").iterdir()
    first = json.loads(copy.read_text("utf-8").splitlines()[0])
    assert first["timestamp"] == "2026-11-19T09:01:00.000Z"


@pytest.mark.parametrize(
    "text",
    [
        "Implement the following plan: use the table",
        "<heartbeat>",
        "Operation stopped by hook: x",
        "a" * 3001,
        "  ",
    ],
)
def test_pasted_text_is_not_typed(text: str) -> None:
    assert not laid.is_typed(text)


def test_prompts_of_programs_and_of_sub_agents_are_left_out(tmp_path: Path) -> None:
    rows = [
        said("Review this", 1, promptSource="sdk"),
        said("Look there", 2, isSidechain=True),
        said("a summary", 3, isCompactSummary=True),
        said("Hello teapot", 4, promptSource="typed"),
        said("", 5, promptSource="sdk", entrypoint="claude-vscode", message={"role": "user", "content": [
            {"type": "text", "text": "<ide_opened_file>lid.py</ide_opened_file>"},
            {"type": "text", "text": "Close the lid"}]}),
    ]  # fmt: skip
    put(tmp_path, "one", FIRST, rows)
    (project,) = laid.projects(str(tmp_path))
    assert [turn.text for turn in laid.turns_of(project.sessions[0])] == [
        "Hello teapot",
        "Close the lid",
    ]


# ------------------------------------------------------------------------------ reading pages


def test_the_items_of_a_sessions_page() -> None:
    page = pages.page_of(
        "episodic/2026-03-04-teapot/summary.md",
        "---\ntitle: Choose a database\nkind: session\nsession: abc\ntrust: agent\n---\n# Choose a database\n\n"
        "## Summary\n\n- Asked: which one?\n\n## Decisions\n\n- [technology] Use PostgreSQL: real transactions\n"
        "  - source: instructed\n",
    )
    assert [(it.measure, it.by, it.session, it.text) for it in pages.items_of(page)] == [
        ("titles", "", "abc", "Choose a database"),
        ("lines", "agent", "abc", "Asked: which one?"),
        ("statements", "person", "abc", "Use PostgreSQL: real transactions"),
    ]


def test_the_items_of_a_page_with_block_ids_and_footnotes() -> None:
    page = pages.page_of(
        "semantic/orders.md",
        "---\ntitle: Orders\ntype: semantic\n---\n# Orders\n\n- Order numbers are ULIDs. ^m2d7 [^91c2]\n\n"
        '[^91c2]: 2026-11-16, "Number orders", said by the person\n',
    )
    (item,) = pages.items_of(page)
    assert item == (
        "facts",
        "fact",
        "person",
        "",
        "Order numbers are ULIDs.",
        "semantic/orders.md",
    )


def test_rules_and_solutions_have_a_heading_each() -> None:
    page = pages.page_of(
        "procedural/feedback.md",
        "---\nkind: rule\n---\n# How to work here\n\n## Solution: make\n\n**Failed:** `make`\n\n"
        "<!-- source: observed; session: abc -->\n\n## Never commit to git\n\nAsk first.\n",
    )
    solution, rule = pages.items_of(page)
    assert (solution.measure, solution.by, solution.session) == ("solutions", "tool", "abc")
    assert solution.text == "Solution: make\n**Failed:** `make`"
    assert (rule.measure, rule.kind, rule.text) == (
        "facts",
        "rule",
        "Never commit to git: Ask first.",
    )


def test_core_pages_are_not_learned() -> None:
    page = pages.page_of("core/recent.md", "# Recently\n\n- 2026-03: sessions: 3, about tea\n")
    assert list(pages.items_of(page)) == []


def test_bookkeeping_is_not_readable_text() -> None:
    page = pages.page_of(
        "semantic/a.md", "---\nid: a\ntitle: Tea\n---\nHot. ^ab2c <!-- from: x --> [^1]\n"
    )
    assert page.readable == len("Tea") + len("Hot.  \n")
    assert page.size == len("---\nid: a\ntitle: Tea\n---\nHot. ^ab2c <!-- from: x --> [^1]\n")


def test_duplicates_the_same_and_nearly_the_same() -> None:
    texts = [
        "Use pnpm for the shop front end packages",
        "use PNPM for the shop front end packages!",
        "Use pnpm for the shop front end packages today",
        "端口是 6419",
        "The port is 6419",
    ]
    assert pages.duplicates(texts) == (1, 1)


def test_words_are_compared_whatever_their_form_and_script() -> None:
    wanted = pages.words_of("port 6419 用于本地")
    assert pages.covered(wanted, pages.words_of("本地端口 Ports: 6419")) == pytest.approx(3 / 5)
    assert pages.covered(wanted, pages.words_of("nothing of it")) == 0


# --------------------------------------------------------------------------------- labelling


def rows_of(*texts: str) -> list[sheets.Row]:
    return [{"item": sheets.name_of("facts", text), "text": text, "by": "person"} for text in texts]


def test_a_sample_does_not_depend_on_other_items() -> None:
    rows = rows_of(*map(str, range(100)))
    drawn = sheets.sample(rows, 20, 1)
    assert drawn == sheets.sample([*reversed(rows), *rows], 20, 1)
    assert drawn != sheets.sample(rows, 20, 2)
    fewer = [row for row in rows if row != drawn[0]]
    assert sheets.sample(fewer, 19, 1) == drawn[1:]


def test_an_item_is_named_by_what_it_says_and_not_by_its_fence() -> None:
    one, other = (
        f'<memory-{nonce} id="a" date="{day}">tea</memory-{nonce}>'
        for nonce, day in (("0a1b2c3d", "2026-03-04"), ("ffff0000", "2026-03-05"))
    )
    assert sheets.name_of("prompts", one) == sheets.name_of("prompts", other)
    assert sheets.name_of("prompts", one) != sheets.name_of("prompts", "tea")


def test_labels_come_back_from_sheets_and_tables(tmp_path: Path) -> None:
    rows = rows_of("a", "b", "c", "d")
    sheets.write(str(tmp_path), "facts", rows)
    assert sheets.labels_in(str(tmp_path), "facts") == {}
    filled = [
        {**row, "label": label} for row, label in zip(rows, ("good", "Bad", "", ""), strict=True)
    ]
    (tmp_path / "facts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in filled))
    with (tmp_path / "facts.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("item", "label"), (rows[2]["item"], "good", "a note")])
    labels = sheets.labels_in(str(tmp_path), "facts")
    assert labels == {rows[0]["item"]: "good", rows[1]["item"]: "bad", rows[2]["item"]: "good"}
    assert sheets.precision(rows, labels) == ["2 of 3, 67 % (21–94)"]


def test_a_label_that_means_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown label 'perhaps'"):
        sheets.judged(["x"], {"x": "perhaps"})


def test_the_interval_of_wilson() -> None:
    assert sheets.wilson(0, 0) == (0.0, 1.0)
    low, high = sheets.wilson(9, 90)
    assert (round(low, 3), round(high, 3)) == (0.054, 0.179)
    assert sheets.wilson(10, 10)[1] == 1.0
    assert sheets.wilson(0, 10)[0] == 0.0


def test_usefulness_is_counted_of_what_was_given_and_of_what_could_be_answered() -> None:
    rows = [{"item": str(n), "tokens": tokens} for n, tokens in enumerate((9, 9, 9, 0, 0, 0))]
    labels = dict(
        zip("012345", ("useful", "useless", "harmful", "right", "right", "missed"), strict=True)
    )
    assert sheets.useful(rows, labels) == [
        "useful injections: 1 of 3, 33 % (6–79); harmful: 1",
        "correctly silent: 2 of 3, 67 % (21–94)",
        "answered, of what the store could answer: 1 of 2, 50 % (9–91)",
    ]


def test_a_wanted_statement_is_kept_once_a_labeller_has_confirmed_it() -> None:
    rows = [
        {"item": "1", "wanted": "a", "place": "entry", "likely": True},
        {"item": "2", "wanted": "a", "place": "summary", "likely": False},
        {"item": "3", "wanted": "b", "place": "entry", "likely": True},
        {"item": "4", "wanted": "c", "place": "entry", "likely": False},
    ]
    entries, anywhere = sheets.recall(rows, {"1": "no", "2": "yes"})
    assert entries.startswith("kept as an entry: 0 of 3")
    assert "1 more likely" in entries
    assert anywhere.startswith("kept in an entry or a summary: 1 of 3")


@pytest.mark.parametrize(
    ("title", "source"),
    [
        ("Table of orders", "client"),
        ("Add a table for the orders", "first prompt"),
        ("Then paint the lid", "another prompt"),
        ("Implement the following plan", "generic"),
        ("yes", "generic"),
        ("Paint of the lid and table", "elsewhere"),
    ],
)
def test_where_a_title_comes_from(title: str, source: str) -> None:
    prompts = ["Add a table for the orders, please.", "Then paint the lid"]
    assert bench.came_from(title, prompts, ["Table of orders and lids"]) == source


# ------------------------------------------------------------------------------- a whole run


@pytest.mark.slow
def test_a_run_counts_writes_sheets_and_leaves_nothing_else(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run = bench.Run()
    (project,) = laid.projects(str(data))
    gold = [{"source": "teapot", "session": "11111111", "keep": "PostgreSQL for orders",
             "ask": "Which database do we use for the orders?"},
            {"source": "teapot", "session": "99999999", "keep": "of a session that is not there"}]  # fmt: skip
    bench.measure(project, run, str(out), keep=False, gold=gold)
    assert run.failed == []
    assert run.counts["sessions"] == 2
    assert any("PostgreSQL" in row["text"] for row in run.rows["statements"])
    assert [row["said"] for row in run.rows["prompts"]][1:] == ["yes"]
    assert run.rows["failures"][0]["command"] == "make schema"
    assert len(run.rows["briefs"]) == 1
    assert len(run.rows["titles"]) == 2
    assert any(row["likely"] and row["place"] == "entry" for row in run.rows["gold"])
    assert len({row["wanted"] for row in run.rows["gold"]}) == 1
    (question,) = run.rows["questions"]
    assert (question["said"], question["keep"]) == (gold[0]["ask"], gold[0]["keep"])
    bench.write_sheets(run, str(out), bench.SAMPLES, 1)
    assert {path.name for path in out.iterdir()} <= {"sheets", "homes", "staged"}
    assert not list((out / "homes").iterdir())
    assert "PostgreSQL" not in "\n".join(bench.report(run, 1.0))
    briefs = (out / "sheets" / "briefs.jsonl").read_text("utf-8").splitlines()
    assert all(json.loads(line)["tokens"] for line in briefs)
    told = list(bench.read_labels(str(out), str(tmp_path / "no-labels"), by_source=True))
    assert "    teapot: nothing labelled" in told
    assert any(line.startswith("statements (") and "nothing labelled" in line for line in told)


def test_nothing_is_written_into_a_repository(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    assert bench.within_repository(str(tmp_path / "out"))


@pytest.mark.slow
def test_a_model_can_be_played_and_its_answers_are_scored(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    gold = tmp_path / "wanted.jsonl"
    gold.write_text(
        json.dumps({"source": "demo", "session": FIRST[:8], "keep": "PostgreSQL for orders"}),
        "utf-8",
    )
    words = ["bench.extraction", "--data", str(data), "--out", str(out), "--gold", str(gold)]
    monkeypatch.setattr("sys.argv", words)
    extraction.main()
    (sent,) = (out / "sent").glob(f"*-{FIRST[:13]}.md")
    assert "PERSON: We decided to use PostgreSQL for the orders" in sent.read_text("utf-8")
    quote = "We decided to use PostgreSQL for the orders"
    row = {"subject": "order store", "statement": "Orders are stored in PostgreSQL.", "kind": "decision",
           "why": "they need real transactions", "quote": quote, "replaces": ""}  # fmt: skip
    wrong = {**row, "quote": "We decided to use MySQL for the orders"}
    (out / "answers").mkdir()
    answer = {"title": "Order store", "summary": "", "entries": [row, wrong], "open": []}
    (out / "answers" / f"{sent.stem}.json").write_text(json.dumps(answer), "utf-8")
    capsys.readouterr()
    extraction.main()
    said = capsys.readouterr().out
    assert "answers: 1\n" in said
    assert "dropped: quote: 1\n" in said
    assert "entries: 1\n" in said
    assert "gold: kept as an entry: 0 of 1, 0 % (0–79); 1 more likely, unconfirmed" in said
    kept = json.loads((out / "sheets" / "entries.jsonl").read_text("utf-8"))
    assert (kept["by"], kept["kind"]) == ("user", "decision")
