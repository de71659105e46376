"""Every sentence of the program exists in Chinese, and the program speaks it where it should."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cli import sentences
from tests.cli.running import Person
from tests.cli.sentences import fields_of, has_words, pattern_of

from recollect.errors import every_error
from recollect.i18n import say, tables, translate, word
from recollect.interfaces.cli import help as helping
from recollect.interfaces.cli.console import shown_page, width_of
from recollect.interfaces.cli.main import FAMILIES, GROUPS, OPTIONS, TABLE, command_of
from recollect.model.facts import Fact, fact_lines, facts_of
from recollect.model.memory import CATEGORIES, SOURCES

ROOT = Path(__file__).parents[2]
SAID, HEARD = tables()["sentences"], tables()["reasons"]
FIELD_TEXT = st.text("abcXYZ中文/._-0123456789", min_size=1, max_size=12)


def test_the_file_is_toml_with_each_sentence_once() -> None:
    import tomllib

    text = (sentences.SOURCE / "locale" / "zh.toml").read_text("utf-8")
    assert tomllib.loads(text) == tables()  # which refuses a key that is there twice


def test_every_sentence_that_is_said_has_a_translation() -> None:
    missing = {text for text in sentences.said() if has_words(text)} - set(SAID)
    assert not missing


def test_every_ready_made_sentence_has_a_translation() -> None:
    missing = sentences.ready_made() - {pattern_of(text) for text in HEARD}
    assert not missing


def test_no_translation_is_left_over() -> None:
    assert not set(SAID) - sentences.said()
    assert not {pattern_of(text) for text in HEARD} - sentences.ready_made()


def test_a_kind_in_a_ready_made_sentence_is_said_in_chinese() -> None:
    said = translate("zh", "d001 is a decision; only an issue can be resolved.")
    assert said == "d001 是决定；只有问题才能标记为已解决。"


def test_the_sentences_that_no_pattern_finds_are_still_in_the_source() -> None:
    source = sentences.source()
    for text in sentences.BUILT_OTHERWISE:
        longest = max(sentences.FIELD.split(text), key=len).strip()
        assert longest in source, f"nothing says “{text}” any more"


@pytest.mark.parametrize("table", [SAID, HEARD], ids=["said", "heard"])
def test_a_translation_has_the_fields_of_its_english(table: dict[str, str]) -> None:
    for english, chinese in table.items():
        assert fields_of(english) == fields_of(chinese), english


# What follows a field and is no plural; things, times and seconds are always more than one.
NO_PLURALS = set(
    "adds as is has was belongs folders this comes counts covers does exists mentions ms needs ranks receives refers says supersedes tags waits"
    " seconds things times".split()
)


def test_one_of_what_is_counted_is_singular() -> None:
    assert say("en", "{n} memories of {project}", n=1, project="1") == "1 memory of 1"
    assert say("en", "({n} tokens)", n="1,001") == "(1,001 tokens)"
    for english in SAID:
        shown = say("en", english, **dict.fromkeys(fields_of(english), 1))
        words = set(re.findall(r"\b1 (?:more |hook )?([a-z]+s)\b", shown))
        assert not words - NO_PLURALS, english


@pytest.mark.parametrize("table", [SAID, HEARD], ids=["said", "heard"])
def test_a_translation_is_in_chinese(table: dict[str, str]) -> None:
    same = {"claude", "recollect {version}, Python {python}, SQLite {sqlite}"}
    for english, chinese in table.items():
        if english not in same and has_words(english):
            assert any("\u4e00" <= char <= "\u9fff" for char in chinese), english
            assert not chinese.endswith((".", ":")), chinese


# docs/words.md names one Chinese word for each thing; these are others that once stood beside it.
OTHER_WORDS = {
    "代理": "智能体",
    "记录": "捕获|采集",
    "导入": "收入",
    "裁定": "裁决",
    "目录": "文件夹",
    "召回": "回忆",
    "重要性": "显著性",
    "建议": "提议",
    "撤销": "撤回",
    "归档": "淡出",
    "陈述": "论断",
    "审核": "审阅",
    "会话日志": "会话记录",
    "提问": "(?:条|各)提示",
    "记忆库": "(?:全局|项目|此|整个)库",
}


def test_one_thing_has_one_chinese_word() -> None:
    texts = {
        "zh.toml": "\n".join([*SAID.values(), *HEARD.values(), *tables()["help"].values()]),
        "README.zh.md": (ROOT / "README.zh.md").read_text("utf-8"),
    }
    found = [
        f"{name}: {said[0]} for {word}"
        for word, others in OTHER_WORDS.items()
        for name, text in texts.items()
        for said in re.finditer(others, text)
    ]
    assert not found


def test_what_brings_back_and_what_takes_away_are_told_apart() -> None:
    """`activate` brings back, `undo` restores; `forget` takes away."""
    for english, chinese in SAID.items():
        if re.search("activate|[Bb](?:rought|ring) back", english) and "undo" not in english:
            assert "恢复" not in chinese, english
        if re.search(r"\b(?:[Ff]orget|Forgot) \{id\}", english):
            assert "删除" in chinese, english


@given(st.sampled_from(sorted(HEARD)), st.data())
def test_a_ready_made_sentence_is_recognised_whatever_its_fields_are(
    english: str, data: st.DataObject
) -> None:
    fields = {name: data.draw(FIELD_TEXT) for name in fields_of(english)}
    said = english.format(**fields)
    found = translate("zh", said)
    assert found == HEARD[english].format(**fields)
    assert translate("en", said) == said


def test_an_error_that_comes_as_text_is_recognised() -> None:
    for error in every_error():
        fields = dict.fromkeys(fields_of(error.sentence), "x1")
        plain = sentences.FIELD.sub(r"{\1}", error.sentence)
        if len(sentences.FIELD.sub("", plain)) > 4:
            assert translate("zh", plain.format(**fields)) != plain.format(**fields), plain


def test_problems_of_one_file_are_translated_one_by_one() -> None:
    text = "salience is “huge”, but must be one of: low, high; id “a/b” is not a valid name; the file's name is used"
    assert "salience 是“huge”" in translate("zh", text.split("; id", maxsplit=1)[0])
    assert translate("zh", "it is read-only; it is a folder") == "该文件只读；是目录"


def test_text_that_nobody_knows_stays_as_it_is() -> None:
    for text in ("", "x", "some words of a person: {braces} and all.", "there is none of that"):
        assert translate("zh", text) == text
        assert word("zh", text) == text


def test_fields_are_data() -> None:
    assert say("zh", "Saved {id}", id="{path}") == "已保存 {path}"
    assert say("en", "Saved {id}", id="{path}") == "Saved {path}"


def test_the_store_decides_the_language_and_the_terminal_where_there_is_none(
    stranger: Person,
) -> None:
    chinese, english = {"LANG": "zh_CN.UTF-8"}, {"LANG": "en_US.UTF-8"}
    assert "还没有记忆库" in stranger.run("list", env=chinese).err
    assert "There is no memory store" in stranger.run("list", env=english).err
    stranger.ok("init", env=chinese)
    assert 'lang = "zh"' in (stranger.store / "config.toml").read_text("utf-8")
    assert stranger.ok("list", env=english).out == "还没有记忆。\n"
    stranger.ok("config", "lang", "en")
    assert stranger.ok("list", env=english).out == "There are no memories yet.\n"


def test_a_store_made_by_the_way_keeps_the_language_of_the_locale(stranger: Person) -> None:
    chinese, english = {"LANG": "zh_CN.UTF-8"}, {"LANG": "en_US.UTF-8"}
    saved = stranger.ok("save", "本地规则一律写中文", "--kind", "rule", env=chinese)
    assert "已保存" in saved.out
    for env in (chinese, english):  # the worker of a later session may have another one
        assert stranger.ok("config", "lang", env=env).out == "zh\n"
        assert "以往会话" in stranger.ok("recall", "--start", env=env).out
    [page] = stranger.home.glob(".claude/memory/projects/*/procedural/*.md")
    assert page.read_text("utf-8").count("# 工作方式") == 1


def test_a_store_made_by_the_way_speaks_as_the_person_has_set_for_all(stranger: Person) -> None:
    stranger.ok("init", "--scope", "global", "--lang", "en")
    stranger.ok("save", "Local rules", "--kind", "rule", env={"LANG": "zh_CN.UTF-8"})
    assert stranger.ok("config", "lang").out == "en\n"
    stranger.ok("config", "lang", "zh", "--scope", "global")
    assert stranger.ok("config", "lang").out == "zh\n"


# --------------------------------------------------------------------------------------- help

OF_HELP = {"Usage: ", "Options", "Commands", "Example:", "COMMAND", "DIRECTORY", "Groups", "More"}


def listed() -> set[str]:
    """What help says of the program, and of each command and family in a line."""
    lines = {about for rows in GROUPS.values() for _, _, about in rows} | {*FAMILIES.values()}
    options = {one.help for one in OPTIONS}
    hints = {about for _, about in helping.HINTS} | {"help COMMAND", "default:", "required"}
    titles = {title for title in GROUPS if title not in FAMILIES}
    return (
        OF_HELP
        | names_of_values()
        | lines
        | options
        | hints
        | titles
        | {helping.ABOUT, helping.EPILOG}
    )


def names_of_values() -> set[str]:
    """How usage lines call what a person writes for a value."""
    found = {"OPTIONS", "ARGS"}
    for one in map(command_of, TABLE):
        options = (helping.flags_of(str, option) for option in one.parameters if option.flags)
        for usage in (helping.usage_of(str, one), *options):
            found |= set(re.findall(r"[A-Z]+(?:-[A-Z]+)*", usage))
    return found - {"N", "URL"}


def explained() -> set[str]:
    """What the help of each command says beyond that."""
    found: set[str] = set()
    for name in TABLE:
        command = command_of(name)
        found |= {*helping.paragraphs_of(command), *(one.help for one in command.parameters)}
    return found - {""}


def test_all_help_is_translated_and_nothing_is_left_over() -> None:
    assert set(tables()["help"]) == listed() | explained()
    for english, chinese in tables()["help"].items():
        assert any("\u4e00" <= char <= "\u9fff" for char in chinese), english


USAGE_ERRORS = (
    ("show",),
    ("show", "a", "--level", "9"),
    ("show", "a", "--level", "x"),
    ("show", "a", "b", "c"),
    ("show", "--levl", "3"),
    ("list", "--zzz"),
    ("list", "--json=1"),
    ("list", "--limit"),
    ("conflicts", "--choose", "a"),
    ("save", "a", "--kind", "idea"),
    ("embedder",),
    ("-C", "/nowhere", "list"),
    ("demo", "--keep", "/etc/hostname"),
    ("session", "strat"),
    ("frobnicate",),
)


@pytest.mark.parametrize("words", USAGE_ERRORS, ids=" ".join)
def test_a_usage_error_is_in_the_persons_language(stranger: Person, words: tuple[str, ...]) -> None:
    english = stranger.run(*words)
    chinese = stranger.run(*words, env={"LANG": "zh_CN.UTF-8"})
    assert english.code == chinese.code == 2
    assert not re.search("[\u4e00-\u9fff]", english.err)
    for line in chinese.err.splitlines():
        ours = re.sub(r"`[^`]*`|“[^”]*”", "", line)
        assert re.search("[\u4e00-\u9fff]", ours)
        assert not re.search("[a-z]{2} [a-z]{2}", ours)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_help_fits_one_screen(lang: str) -> None:
    lines = helping.help_of("", lang).splitlines()
    assert len(lines) <= 30
    assert max(map(width_of, lines)) <= 80
    assert ("日常：" in lines) == (lang == "zh")


def test_help_is_in_the_persons_language(person: Person, tmp_path: Path) -> None:
    bare = Person(tmp_path / "nobody", tmp_path)
    assert "记忆" in bare.ok("--help", env={"LANG": "zh_CN.UTF-8"}).out
    assert "记忆" not in bare.ok("--help").out
    person.ok("config", "lang", "zh")
    for words in (
        ["--help"],
        ["help", "all"],
        ["session"],
        ["help", "show"],
        ["key", "init", "-h"],
    ):
        shown = person.ok(*words).out
        assert shown.startswith("用法：recollect ")
        assert not re.search("[A-Z]{2}", shown.partition("\n\n")[0])
        assert max(map(width_of, shown.splitlines())) <= 100
    assert "recollect session start" in person.run("session", "strat").err
    assert "缺少“标题”。" in person.run("save").err


# ----------------------------------------------------------------------------- labels of pages


def test_labels_are_shown_in_the_persons_language_and_stay_english_on_disk(person: Person) -> None:
    person.ok("config", "lang", "zh")
    started = person.ok("session", "start", "迁移订单事件", "--json").json["session"]
    person.env["RECOLLECT_SESSION"] = started
    person.ok("fact", "decision", "订单事件放在 Kafka", "吞吐量大", "--category", "technology")
    person.ok("session", "save")
    person.ok(
        "save",
        "Raise the pool size",
        "--kind",
        "solution",
        "--body",
        "- [other] It was too small.",
    )
    [session] = person.store.glob("episodic/*/summary.md")
    assert (
        "- [technology] 订单事件放在 Kafka：吞吐量大\n  - source: instructed" in session.read_text()
    )

    for words in (["show", session.parent.name], ["session", "show"]):
        shown = person.ok(*words).out
        assert "- [技术] 订单事件放在 Kafka：吞吐量大\n  - 来源：明示" in shown
    for words in (["list"], ["timeline"], ["search", "pool size"], ["list", "--kind", "solution"]):
        shown = person.ok(*words).out
        assert "解决方案：Raise the pool size" in shown
        assert "Solution" not in shown
    [entry] = person.ok("list", "--kind", "solution", "--json").json
    assert "Solution: Raise the pool size" in str(entry)
    shown = person.ok("show", entry["id"]).out
    assert "解决方案：Raise the pool size" in shown
    assert "- [其他] It was too small." in shown
    person.ok("config", "lang", "en")
    assert "[technology]" in person.ok("show", session.parent.name).out
    assert "Solution: Raise" in person.ok("list").out


def test_shown_labels_say_the_same_when_they_are_pasted_back() -> None:
    for kind, categories in CATEGORIES.items():
        for category in categories:
            when = "2026-01-11T14:30:00Z"
            fact = Fact(kind, "x", "", category, "open", ("a.py",), ("pool",), SOURCES[0], when)
            lines = fact_lines(fact)
            shown = shown_page("zh", "\n".join(lines))
            assert not re.search(r"\[[a-z]|[a-z]: ", shown.replace(": open", ""))
            assert facts_of(kind, shown) == facts_of(kind, "\n".join(lines))


@pytest.mark.parametrize("source", SOURCES)
def test_every_source_is_shown_in_the_persons_language(source: str) -> None:
    lines = "\n".join(fact_lines(Fact("pattern", "x", source=source)))
    shown = shown_page("zh", lines)
    assert source not in shown
    assert facts_of("pattern", shown) == facts_of("pattern", lines)


def test_code_and_words_of_a_person_are_no_labels() -> None:
    text = "Solution: no title\n- [x] done\n- [link](a)\n```\n- [other] code\n```\n  - note: a\n  - said: hello"
    assert shown_page("zh", text) == text
    assert shown_page("en", "- [other] x") == "- [other] x"


def test_counts_are_separated_as_the_language_does_it(person: Person) -> None:
    person.ok("save", "Orders are in PostgreSQL")
    person.ok("save", "Always squash")
    assert "fact 1, rule 1" in person.ok("status").out
    person.ok("config", "lang", "zh")
    assert "事实 1、规则 1" in person.ok("status").out
    assert "规则 1、事实 1" in person.ok("stats").out


@pytest.mark.parametrize("command", ["undo", "history", "list", "review"])
def test_without_a_store_a_command_says_so(stranger: Person, command: str) -> None:
    assert "There is no memory store" in stranger.run(command).err
