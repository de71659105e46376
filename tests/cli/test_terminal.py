"""What reaches a terminal: no byte of any data that could command it, and columns that line up."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import subprocess
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cli.running import Person, Ran

from recollect.interfaces.cli.console import (
    Console,
    cut,
    cut_statement,
    shown,
    shown_block,
    width_of,
    wrapped,
)

OWN_STYLES = re.compile(r"\x1b\[[0-9;]*m")
HARMFUL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
    "\U000e0000-\U000e007f\ud800-\udfff]"
)
PAYLOAD = (
    "\x1b]52;c;aGk=\x07 \x1b]0;title\x07 \x1b[2J \x9b31m \rover \x08 \u202egnp.exe \u2066x [/x] "
    "[red]not markup[/red] :smile: \U000e0041"
)
COMMANDS = (
    ("list",),
    ("list", "--archived"),
    ("timeline",),
    ("search", "markup"),
    ("search", "markup", "--sections"),
    ("search", PAYLOAD.replace("\0", "")),
    ("recall", "markup notes evil"),
    ("recall", "markup notes evil", "--why"),
    ("recall", "--start"),
    ("show", "evil"),
    ("show", "evil", "--level", "1"),
    ("show", "evil", "--level", "3"),
    ("show", PAYLOAD),
    ("stats",),
    ("history",),
    ("history", "evil"),
    ("doctor",),
    ("set", "evil", "salience=high", "--dry-run"),
    ("set", "evil", f"salience={PAYLOAD}"),
    ("set", "evil", PAYLOAD),
    ("edit", "evil", "--append", PAYLOAD, "--dry-run"),
    ("save", PAYLOAD, "--body", PAYLOAD, "--dry-run"),
    ("save", "x", "--file", PAYLOAD),
    ("save", "x", "--kind", PAYLOAD),
    ("forget", "evil", "--dry-run"),
    ("undo", "--dry-run"),
    ("undo", PAYLOAD),
    ("capture", PAYLOAD),
    ("consolidate", "--dry-run"),
    ("rebuild-index", "--dry-run"),
    ("config", PAYLOAD, "1"),
    ("config", "lang", PAYLOAD),
    (PAYLOAD,),
)


@pytest.fixture
def haunted(person: Person) -> Person:
    """Somebody in whose store every text, tag and name tries to command the terminal."""
    quoted = json.dumps(PAYLOAD)
    person.write(
        "semantic/evil.md",
        f"---\nid: evil\ntitle: {quoted}\ntags: [{quoted}, ok]\nrelated: [{quoted}]\n"
        f"salience: {quoted}\n---\n# {PAYLOAD}\n\nnotes {PAYLOAD}\n\n## {PAYLOAD}\n\n{PAYLOAD}\n",
    )
    person.write(f"semantic/{PAYLOAD.replace('/', '')[:60]}.md", f"markup {PAYLOAD}\n")
    person.write("config.toml", f"# {PAYLOAD[20:]}\n{quoted} = 1\n")
    person.ok("set", "evil", "salience=low")
    return person


def _harmless(text: str) -> bool:
    return not HARMFUL.search(OWN_STYLES.sub("", text))


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: " ".join(words)[:24].strip())
@pytest.mark.sampled(2)
def test_nothing_in_a_store_commands_the_terminal(haunted: Person, words: tuple[str, ...]) -> None:
    for ran in (
        haunted.at_terminal(*words),
        haunted.at_terminal(*words, columns=30, env={"NO_COLOR": "1"}),
        haunted.run(*words),
        haunted.run(*words, "--json"),
        haunted.run(*words, env={"LANG": "zh_CN.UTF-8"}),
    ):
        assert ran.code != 70, ran
        assert _harmless(ran.out), ascii(ran.out)
        assert _harmless(ran.err), ascii(ran.err)


def test_what_would_command_the_terminal_is_shown_and_markup_is_data(haunted: Person) -> None:
    for ran in (haunted.at_terminal("show", "evil"), haunted.run("show", "evil")):
        plain = " ".join(OWN_STYLES.sub("", ran.out).split())
        assert "\\x1b]52;c;aGk=\\x07" in plain
        assert "\\u202egnp.exe" in plain
        assert "[/x] [red]not markup[/red] :smile:" in plain


def test_every_word_of_a_memory_is_shown_on_a_terminal(person: Person) -> None:
    body = (
        "A `Vec<String>` and a Vec<T> & <b>bold</b> &lt; <!-- note --> [link](http://x.example) *x*"
    )
    person.ok("save", "Types", "--body", body)
    out = OWN_STYLES.sub("", person.at_terminal("show", "types").out)
    for word in ("Vec<String>", "Vec<T>", "<b>bold</b>", "<!-- note -->", "http://x.example"):
        assert word in " ".join(out.split()), out


@given(st.text())
def test_shown_text_is_harmless_and_keeps_what_can_be_read(text: str) -> None:
    assert _harmless(shown(text))
    assert "\n" not in shown(text)
    assert _harmless(shown_block(text))
    readable = [c for c in text if c.isascii() and c.isprintable() and c != " "]
    assert [c for c in shown(text) if c in readable][: len(readable)] or not readable


@given(
    st.recursive(st.text() | st.none() | st.integers(), st.lists, max_leaves=8)
    | st.dictionaries(st.text(), st.text())
)
def test_json_is_harmless_and_says_the_same(value: object) -> None:
    out = io.StringIO()
    Console(out).json(value)
    assert _harmless(out.getvalue())
    assert json.loads(out.getvalue()) == json.loads(
        json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
    )


@given(st.text(st.characters(blacklist_categories=["Cs", "Cc"])), st.integers(1, 40))
def test_a_cut_text_fits(text: str, columns: int) -> None:
    found = cut(text, columns)
    assert width_of(found) <= columns
    assert found == text or found.endswith("…")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "Which database should orders use? PostgreSQL (rather than MySQL): it has JSONB.",
            "PostgreSQL (rather than MySQL) – Which",
        ),
        ("Cache it at all? If so, where do we cache it? In Redis", "In Redis – Cache it at all? If so, wher"),
        ("订单服务的数据应该存放在哪个数据库里面比较好？PostgreSQL", "PostgreSQL – 订单服务的数据应该存放在哪"),
        # No answered question: they are cut where they end.
        ("Call GET /orders?status=open from the importer only", "Call GET /orders?status=open from the"),
        ("Orders are kept in PostgreSQL: why would we need MySQL? No", "Orders are kept in PostgreSQL: why"),
        ("Should the importer stop at the first error?", "Should the importer stop at the first"),
        ("Which database? PostgreSQL", "Which database? PostgreSQL"),
    ],
)  # fmt: skip
def test_of_a_question_with_its_answer_a_short_line_shows_the_answer(
    text: str, wanted: str
) -> None:
    assert cut_statement(text, 40).startswith(wanted)


@pytest.mark.parametrize("command", ["list", "timeline"])
def test_a_list_at_80_columns_shows_what_was_answered(person: Person, command: str) -> None:
    asked = "Which of the two message brokers should the order events go through from now on?"
    person.ok("save", f"{asked} Kafka (rather than RabbitMQ)", "--kind", "decision")
    assert "Kafka (rather than RabbitMQ) – Which" in person.at_terminal(command, columns=80).out
    assert f"{asked} Kafka" in person.ok(command).out or command == "timeline"  # whole when piped


def _columns_of(line: str, words: list[str]) -> list[int]:
    return [width_of(line[: line.index(word)]) for word in words]


def test_columns_line_up_when_titles_are_chinese(person: Person) -> None:
    for title in ("Plain title", "事件存储使用数据库", "Café – naïve e\u0301", "混合 mixed 标题"):
        person.ok("save", title, "--kind", "fact")
    lines = person.ok("list").out.splitlines()
    kinds = {
        _columns_of(line, [" scope" if n == 0 else " project"])[0] for n, line in enumerate(lines)
    }
    assert len(kinds) == 1, lines


def test_a_long_text_in_a_pipe_pushes_no_other_row_to_the_right(person: Person) -> None:
    long = "Kettles are descaled " + "again and again " * 20 + "before the tea round"
    person.ok("save", long, "--kind", "decision")
    person.ok("save", "Use the small pot", "--kind", "decision")

    lines = person.ok("list").out.splitlines()

    assert long in person.ok("list").out
    assert max(len(line) for line in lines if "small pot" in line) < 200
    assert [line for line in lines if line != line.rstrip()] == []


@pytest.mark.parametrize("columns", [20, 40, 60, 80, 120])
def test_a_narrow_terminal_keeps_the_ids_whole(person: Person, columns: int) -> None:
    person.ok(
        "save", "A rather long title that has to give way 很长的标题也要让步", "--kind", "fact"
    )
    memory_id = person.run("list", "--json").json[0]["id"]
    out = person.at_terminal("list", columns=columns, env={"NO_COLOR": "1"}).out
    assert memory_id in out.replace("\n", "")
    widest = max(width_of(line) for line in out.splitlines())
    assert widest <= max(columns, width_of(memory_id) + 2 + 12)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("columns", [60, 80, 100, 200])
def test_no_word_is_broken_by_the_terminals_edge(person: Person, columns: int) -> None:
    title = "Use PostgreSQL for orders because we need JSONB and real transactions in every worker"
    person.ok("save", title, "--kind", "decision", "--body", "The old file was locked. " * 9)
    memory_id = person.run("list", "--json").json[0]["id"]
    assert len(memory_id) > 50
    for words in (("history",), ("search", "orders"), ("doctor",)):
        out = person.at_terminal(*words, columns=columns, env={"NO_COLOR": "1"}).out
        assert words == ("doctor",) or memory_id in out
        assert words != ("search", "orders") or title in " ".join(out.split())
        lines = [line for line in out.splitlines() if str(person.store) not in line]
        assert all(width_of(line) <= columns for line in lines), out


COMMON = (
    "list", "search orders", "search zebra", "show orders", "status", "given", "doctor", "conflicts", "review",
    "stats", "timeline", "history", "capture", "init", "calls", "key list", "skill analyze --dry-run", "session todo",
    "promote", "recall orders", "recall --start", "show nothing", "archive --dry-run", "consolidate --dry-run",
)  # fmt: skip


@pytest.mark.parametrize("columns", [60, 80])
@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.slow
def test_prose_is_broken_at_words_and_a_command_to_copy_never(
    person: Person, lang: str, columns: int
) -> None:
    person.ok("config", "lang", lang)
    for title in ("Orders are in PostgreSQL, because we need JSONB", "订单号使用按时间排序的编号"):
        person.ok("save", title, "--subject", "Orders", env={"CLAUDECODE": "1"})
    person.ok("save", "Never write to the database of orders from a script", "--kind", "rule")
    for words in COMMON:
        out = person.at_terminal(*words.split(), columns=columns).out
        for line in re.sub(r".*\r|\x1b\[[0-9;?]*[A-Za-z]", "", out).splitlines():
            assert line.count("`") % 2 == 0, (words, out)
            is_one_word = " " not in re.sub(r"`[^`]*`", "", line.strip())
            assert width_of(line) <= columns or is_one_word, (words, out)


def test_a_path_with_blanks_is_not_broken(person: Person) -> None:
    folder = person.project.parent / "a folder with a rather long name and blanks" / "my project"
    folder.mkdir(parents=True)
    there = Person(person.home, folder)
    out = there.at_terminal("init", columns=60, env={"NO_COLOR": "1"}).out
    assert str(there.store) in out
    missing = folder / "a file.txt"
    out = there.at_terminal("save", "x", "--file", str(missing), columns=60).out
    assert str(missing) in out
    assert "\0" not in out


@given(st.text("ab 中，（`-#/", max_size=60), st.integers(12, 40))
def test_a_wrapped_text_fits_and_says_the_same(text: str, columns: int) -> None:
    lines = list(wrapped(text, columns))
    assert "".join("".join(lines).split()) == "".join(text.split())
    for line in lines:
        assert width_of(line) <= columns or len(list(wrapped(line, 1))) == 1


def test_later_lines_stand_below_the_first() -> None:
    assert list(wrapped("用 `recollect show 名称` 看", 10)) == ["用", "`recollect show 名称`", "看"]
    assert list(wrapped("见 2026-10-12-先把发布端写好，再看（全文）", 16)) == [
        "见",
        "2026-10-12-先把发布端写好，",
        "再看（全文）",
    ]
    text = io.StringIO()
    text.isatty = lambda: True  # type: ignore[method-assign]
    console = Console(text)
    console.is_terminal = False
    console.prose("  → ", ("bold", "one two three "), "four " * 30)
    console.pairs([("name", "five " * 30)])
    first, *later = text.getvalue().splitlines()
    assert first.startswith("  → one two three four")
    assert {re.match(" *", line)[0] for line in later if "name" not in line} == {" " * 4, " " * 8}  # type: ignore[index]


def test_snippets_fold_behind_their_margin(person: Person) -> None:
    person.ok("save", "Folded", "--body", "redis " * 60 + "很长的中文" * 30)
    out = person.at_terminal("search", "redis", columns=50, env={"NO_COLOR": "1"}).out
    lines = out.splitlines()
    assert all(width_of(line) <= 50 for line in lines[1:-1]), lines
    assert all(line.startswith("  ") for line in lines[1:])


def test_a_sentence_that_its_heading_cuts_is_shown_once_and_whole(person: Person) -> None:
    said = "The documentation of the payment gateway is in the internal wiki, in the space of the payments team"
    person.ok("save", said, "--kind", "pointer")
    out = person.ok("search", "payment gateway").out
    assert out.count("The documentation of the payment gateway") == 1
    assert "the space of the payments team" in " ".join(out.split())


@pytest.mark.parametrize(
    "env", [{"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=["NO_COLOR", "dumb terminal"]
)
@pytest.mark.sampled(1)
def test_there_is_no_colour_where_it_is_not_wanted(person: Person, env: dict[str, str]) -> None:
    person.ok("save", "Plain", "--body", "**bold** text")
    for words in (("list",), ("show", "plain"), ("doctor",), ("search", "plain")):
        assert "\x1b" not in person.at_terminal(*words, env=env).out
        assert "\x1b[" in person.at_terminal(*words).out
        assert "\x1b" not in person.run(*words).out


def test_json_on_a_terminal_is_indented_and_the_same(person: Person) -> None:
    person.ok("save", "Plain")
    there, here = person.at_terminal("list", "--json"), person.run("list", "--json")
    assert there.out.startswith("[\n")
    assert there.json == here.json


def test_a_process_at_a_real_terminal_uses_its_width(person: Person) -> None:
    person.ok(
        "save", "A rather long title that has to give way on a narrow terminal", "--kind", "fact"
    )
    ran = _in_real_terminal(person, "list", columns=70)
    lines = OWN_STYLES.sub("", ran.out).splitlines()
    assert ran.code == 0
    assert "…" in lines[1]
    assert all(len(line) <= 70 for line in lines), lines


def _in_real_terminal(person: Person, *words: str, columns: int) -> Ran:
    import fcntl
    import struct
    import termios

    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    env = person.environment({"TERM": "xterm", "PYTHONPATH": os.pathsep.join(sys.path)})
    process = subprocess.Popen(
        [sys.executable, "-m", "recollect", *words],
        stdin=slave, stdout=slave, stderr=slave, cwd=person.project, env=env,
    )  # fmt: skip
    os.close(slave)
    seen = b""
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:
            break
        if not part:
            break
        seen += part
    os.close(master)
    return Ran(seen.decode().replace("\r\n", "\n"), "", process.wait(timeout=30))


def test_the_widths_are_those_of_the_characters() -> None:
    assert width_of("abc") == 3
    assert width_of("中文") == 4
    assert width_of("e\u0301") == 1
    assert unicodedata.east_asian_width("あ") == "W"
    assert width_of("ｆｕｌｌ") == 8
