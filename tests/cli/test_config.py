"""Settings files: comments stay, what is wrong is named, nothing stops reading."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cli.running import Person

from recollect.errors import SettingProblem
from recollect.store import settings as config

BROKEN = {
    "not TOML": ("lang = \n", "it is not valid TOML"),
    "not UTF-8": ("lang = '\udcff'\n", "it is not UTF-8 text"),
    "an unknown key": (
        "colour = 'red'\n",
        "“colour” is not a setting; the settings are lang, capture.enabled",
    ),
    "an unknown key in a table": ("[recall]\nend = 1\n", "“recall.end” is not a setting"),
    "a wrong word": ("lang = 'fr'\n", "lang must be en | zh, not “fr”"),
    "a wrong type": (
        "[capture]\nenabled = 'yes'\n",
        "capture.enabled must be true | false, not “yes”",
    ),
    "true for a number": ("views.rows = true\n", "views.rows must be 10…100000, not “true”"),
    "too much": ("[views]\nrows = 1\n", "views.rows must be 10…100000, not “1”"),
    "a value for a table": ("recall = 5\n", "“recall” is not a setting"),
    "nested too deep": ("a = " + "[" * 5000 + "]" * 5000, "it is not valid TOML"),
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("text", "sentence"), BROKEN.values(), ids=BROKEN)
def test_a_broken_file_is_named_and_stops_no_reading(
    person: Person, text: str, sentence: str
) -> None:
    person.ok("save", "Kept", "--kind", "fact")
    file = person.write("config.toml", text)
    for words in (("list",), ("search", "kept"), ("show", "kept"), ("stats",), ("recall", "kept")):
        ran = person.ok(*words)
        assert ran.err.count(sentence) == 1, ran.err
        assert ran.err.startswith(f"recollect: {file}")
    assert sentence in person.run("doctor").out
    assert person.run("doctor").err == ""
    assert person.ok("list", "--json").json[0]["id"] == "kept"
    assert file.read_bytes() == text.encode("utf-8", "surrogateescape")


def test_one_wrong_value_does_not_take_the_others_along(person: Person) -> None:
    person.write("config.toml", 'lang = "zh"\n[recall]\nprompt_tokens = 300\nstart_tokens = "x"\n')
    values = {row["key"]: row["value"] for row in person.ok("config", "--json").json}
    assert values["recall.prompt_tokens"] == 300
    assert values["recall.start_tokens"] == 600
    ran = person.ok("list")
    assert ran.out == "还没有记忆。\n"
    assert "config.toml:4：recall.start_tokens 的取值为 0…2200" in ran.err


def test_a_file_that_is_no_toml_is_not_written_to(person: Person) -> None:
    file = person.write("config.toml", "# mine\nlang = \n")
    ran = person.run("config", "lang", "zh")
    assert ran.code == 2
    assert ran.err.count("it is not valid TOML") == 1
    assert file.read_text("utf-8") == "# mine\nlang = \n"


def test_a_value_where_a_table_should_be_is_not_written_over(person: Person) -> None:
    file = person.write("config.toml", "recall = 5\n")
    ran = person.run("config", "recall.start_tokens", "100")
    assert ran.code == 2
    assert "config.toml" in ran.err
    assert file.read_text("utf-8") == "recall = 5\n"


@pytest.mark.parametrize("kind", ["a link", "a folder"])
def test_a_file_that_is_no_file_is_named(person: Person, kind: str) -> None:
    file = person.store / "config.toml"
    file.unlink()
    if kind == "a link":
        file.symlink_to(person.write("real.toml", 'lang = "zh"\n'))
    else:
        file.mkdir()
    ran = person.ok("list")
    assert ran.out == "There are no memories yet.\n"
    assert ran.err.startswith(f"recollect: {file}: it is ")
    assert person.run("config", "lang", "zh").code == 2


def test_a_problem_is_said_once_and_with_its_own_store(person: Person) -> None:
    person.ok("init", "--scope", "global")
    file = person.home / ".claude" / "memory" / "config.toml"
    file.write_text("colour = 1\n")
    assert person.ok("list").err.count(str(file)) == 1
    found = person.run("doctor", "--json").json["findings"]
    assert [f["scope"] for f in found if "colour" in f["sentence"]] == ["global"]


def test_the_project_comes_before_all_projects(person: Person) -> None:
    person.ok("init", "--scope", "global")
    person.ok("config", "recall.start_tokens", "100", "--scope", "global")
    assert person.ok("config", "recall.start_tokens").out == "100\n"
    person.ok("config", "recall.start_tokens", "200")
    assert person.ok("config", "recall.start_tokens", "--json").json["set_in"] == "project"
    done = person.ok("config", "--unset", "recall.start_tokens", "--json").json
    assert (done["value"], done["changed"]) == (100, True)
    assert person.ok("config", "--unset", "recall.start_tokens", "--json").json["changed"] is False


def test_a_setting_that_is_removed_is_said_to_be_and_leaves_nothing(person: Person) -> None:
    file = person.project / ".claude" / "memory" / "config.toml"
    before = file.read_text("utf-8")
    person.ok("config", "recall.prompt_tokens", "500")
    assert (
        "it would be 800 then"
        in person.ok("config", "--unset", "recall.prompt_tokens", "--dry-run").out
    )
    said = " ".join(person.ok("config", "--unset", "recall.prompt_tokens").out.split())
    assert said.startswith("Removed recall.prompt_tokens from")
    assert said.endswith("it is 800 now")
    assert file.read_text("utf-8").strip() == before.strip()


def test_an_empty_value_is_shown_as_one_types_it(person: Person) -> None:
    person.ok("init", "--scope", "global")
    person.ok("config", "capture.model", "llm:kettle", "--scope", "global")
    out = person.ok("config", "--unset", "capture.model", "--scope", "global").out
    assert out.endswith('; it is "" now\n')


def test_a_persons_comment_stays_where_a_setting_was(person: Person) -> None:
    file = person.project / ".claude" / "memory" / "config.toml"
    file.write_text("[recall]\n# little, on this machine\nprompt_tokens = 500\n", "utf-8")
    person.ok("config", "--unset", "recall.prompt_tokens")
    assert file.read_text("utf-8") == "[recall]\n# little, on this machine\n"


KEYS = st.sampled_from(sorted(config.SETTINGS))


def good(setting: config.Setting) -> st.SearchStrategy[config.Value]:
    """Values that a setting takes."""
    if setting.choices:
        return st.sampled_from(setting.choices)
    if isinstance(setting.default, bool):
        return st.booleans()
    if isinstance(setting.default, str):
        return st.sampled_from(
            ["", "claude", "claude:sonnet", "llm:ollama/qwen3:8b", "llm:gpt-5.1_x"]
        )
    return st.integers(setting.lowest, setting.highest)


COMMENTED = """# 我的设置
lang = "en"  # for now

[recall] # budgets
# at the start
start_tokens = 100

prompt_tokens = 0x10  # as hex


[capture]
mode = 'auto'
"""


@given(key=KEYS, data=st.data(), eol=st.sampled_from(["\n", "\r\n"]))
def test_setting_a_key_changes_its_line_only(
    tmp_path: Path, key: str, data: st.DataObject, eol: str
) -> None:
    value = data.draw(good(config.SETTINGS[key]))
    text = COMMENTED.replace("\n", eol)
    (tmp_path / "config.toml").write_bytes(text.encode())
    before = config.load(str(tmp_path))
    _, new = config.changed_text(str(tmp_path), key, value)
    old_lines, new_lines = text.split(eol), new.split(eol)
    lost = [line for line in old_lines if line not in new_lines]
    name = key.rpartition(".")[2]
    assert all(line.startswith(f"{name} =") for line in lost), lost
    assert len(lost) <= 1
    assert [line for line in new_lines if line in old_lines and line] == [
        line for line in old_lines if line not in lost and line
    ]
    (tmp_path / "config.toml").write_bytes(new.encode())
    assert config.load(str(tmp_path)) == before | {key: value}
    _, back = config.changed_text(str(tmp_path), key, None)
    (tmp_path / "config.toml").write_bytes(back.encode())
    assert config.load(str(tmp_path)) == {k: v for k, v in before.items() if k != key}


@given(st.text(max_size=60) | st.text("lang=\"'enzh[]#.\n{} 0", max_size=40))
def test_any_file_is_read_or_refused_with_a_sentence(tmp_path: Path, text: str) -> None:
    (tmp_path / "config.toml").write_bytes(text.encode("utf-8", "surrogatepass"))
    found = config.problems(str(tmp_path))
    try:
        values = config.load(str(tmp_path))
    except SettingProblem as error:
        assert [str(one) for one in found] == [str(error)]  # noqa: PT017 - both must say the same
    else:
        assert set(values) <= set(config.SETTINGS)
        assert all(str(tmp_path / "config.toml") in str(one) for one in found)


@pytest.mark.parametrize("key", sorted(config.SETTINGS))
def test_every_setting_takes_its_default_as_it_is_shown(key: str) -> None:
    setting = config.SETTINGS[key]
    assert config.parsed(key, config.shown(setting.default)) == setting.default
    assert config.takes(setting)
    words = isinstance(setting.default, str) and not setting.choices  # of a program's name
    for wrong in (
        ("a b", '"', "a:", "A")
        if words
        else ("", "perhaps", "-1", "99999999999999999999", "1.5", "０")
    ):
        with pytest.raises(ValueError, match="must be"):
            config.parsed(key, wrong)


LINES = st.sampled_from(
    [
        'lang = "zh"', 'lang = "en"', "# a", "", "[recall]", "[views]", "prompt_tokens = 700", "rows = 007", "rows = -1", "rows = 1_0",
        "rows = true", "auto = True", "[lang]", "[a.b]", 'recall = "x"', 'lang = "zh" # why', "lang = 'zh'", 'lang="zh"', '"lang" = "zh"',
        'lang = "z\\u0068"', '\ufefflang = "zh"', 'lang = """zh"""', 'a.b = "zh"', 'lang = "zh', "lang = zh", "x", "# \x00", "[[a]]",
        'model = "claude:sonnet"', 'model = ""', 'model = "a b"', "[capture]", "rows = 1.5", " rows = 1", "\trows = 1", "[views]\r", "rows = ٣", 'lang = ""', "rows =  1", 'lang = "z h"', "[]", "[a_b]",
    ]
)  # fmt: skip


@given(st.lists(LINES, max_size=5))
def test_a_plain_file_says_what_the_toml_library_reads(lines: list[str]) -> None:
    import tomllib

    text = "\n".join(lines)
    plain = config.plain_values(text)
    try:
        read = dict(config._flat(tomllib.loads(text), ""))
    except tomllib.TOMLDecodeError:
        assert plain is None
    else:
        assert plain in (None, read)


def test_what_init_and_config_write_is_plain(person: Person) -> None:
    person.ok("init")
    for key, value in (
        ("recall.prompt_tokens", "700"),
        ("privacy.personal", "true"),
        ("lang", "zh"),
    ):
        person.ok("config", key, value)
    text = (person.store / "config.toml").read_text()
    assert config.plain_values(text) == {
        "lang": "zh",
        "recall.prompt_tokens": 700,
        "privacy.personal": True,
    }
