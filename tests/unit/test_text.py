"""What a word is: checked end to end through the index's own tokenizer, in memory."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from recollect.search.lookup import TOKENIZER, match
from recollect.text.synonyms import mainland
from recollect.text.tokens import (
    LONGEST_CUE,
    LONGEST_WORD,
    SHORT_FORMS,
    STOP_PAIRS,
    STOP_WORDS,
    chunk_words,
    cue_words,
    folded,
    index_terms,
    is_cjk,
    simplified,
    stem,
)

from .build import NASTY, any_text, each_share, is_quick


class Shelf:
    """A text index in memory, with the tokenizer of the real one."""

    def __init__(self) -> None:
        self.db = sqlite3.connect(":memory:")
        self.db.execute(f"CREATE VIRTUAL TABLE shelf USING fts5(body, tokenize='{TOKENIZER}')")

    def finds(self, text: str, cue: str, *, every: bool = False) -> bool:
        """Whether `cue` finds a memory that says `text`."""
        self.db.execute("DELETE FROM shelf")
        body = index_terms(text).encode("utf-8", "replace").decode()
        self.db.execute("INSERT INTO shelf VALUES (?)", (body,))
        words = [word.encode("utf-8", "replace").decode() for word in cue_words(cue)]
        if not words:
            return False
        query = match(words, every=every)
        return bool(self.db.execute("SELECT 1 FROM shelf WHERE shelf MATCH ?", (query,)).fetchone())


@pytest.fixture(scope="module")
def shelf() -> Iterator[Shelf]:
    made = Shelf()
    yield made
    made.db.close()


# Forms of one thing: each finds every other one of its row.
SAME = [
    ("useCallback", "use callback", "use_callback", "use-callback", "UseCallback", "USE_CALLBACK"),
    ("SQLITE_BUSY", "sqlite busy", "sqlite-busy", "SqliteBusy", "sqliteBusy"),
    ("getUserName", "get_user_name", "get-user-name", "get user name"),
    ("HTTPServer", "http server", "http_server", "httpServer", "HTTP-server"),
    ("parseHTMLString", "parse html string", "parse_html_string"),
    ("scripts/counter.js", "counter.js", "./scripts/counter.js", "scripts\\counter.js"),
    ("node_modules", "node modules", "nodeModules"),
    ("C++", "c++", "C++,", "(C++)", "cplusplus"),
    ("C#", "c#", "csharp"),
    (".NET", ".net", "dotnet", "(.net)"),
    ("#123", "issue 123", "123", "(#123)"),
    ("E0382", "error E0382", "e0382", "error[E0382]:"),
    ("TS2345", "ts2345", "TS 2345", "error TS2345:"),
    ("0x80070005", "error 0x80070005"),
    ("1.10.3", "v1.10.3", "version 1.10.3"),
    ("python3.11", "python 3.11", "Python-3.11"),
    ("--no-verify", "no-verify", "noVerify"),
    ("@types/node", "types/node", "@types node"),
    ("user@example.com", "example.com"),
    ("don't", "don’t"),
    ("café", "cafe", "cafe\u0301", "CAFÉ"),
    ("naïve", "naive"),
    ("Müller", "Muller", "MÜLLER"),
    ("Ａ１２３", "A123", "a123"),
    ("ｗｅｂｐａｃｋ", "webpack"),
    ("ﾃﾞｰﾀﾍﾞｰｽ", "データベース"),
    ("encyclopædia", "ENCYCLOPÆDIA", "encyclopaedia"),
    ("Søren Łódź", "soren lodz", "SØREN ŁÓDŹ"),
    ("straße", "STRASSE", "STRAẞE"),
    ("страница", "СТРАНИЦА"),
    ("ﬁle", "file"),
    ("running", "run", "runs"),
    ("databases", "database"),
    ("configured", "configure", "configuration"),
    ("queries", "query"),
    ("caching", "cache", "cached"),
    ("K8s", "k8s"),
    ("OAuth2", "oauth2", "OAuth 2"),
    ("utf-8", "UTF8", "utf 8"),
    ("x86_64", "x86-64"),
    ("你好 World", "world"),
    ("數據庫連接", "数据库连接"),
    ("設定檔", "设定档"),
    ("✅", "✅\ufe0f"),
]

# A text, and a part of it that finds it.
WITHIN = [
    ("我们决定使用数据库连接池来管理请求", "连接池"),
    ("我们决定使用数据库连接池来管理请求", "数据库"),
    ("我们决定使用数据库连接池来管理请求", "连接"),
    ("数据库连接失败", "数据库 失败"),
    ("用Redis做缓存", "redis"),
    ("用Redis做缓存", "缓存"),
    ("修复了useCallback的问题", "callback"),
    ("版本2.0的发布", "发布"),
    ("日本語のテキストを検索する", "検索"),
    ("データベース接続", "データ"),
    ("데이터베이스 연결", "데이터"),
    ("第一章。結論", "結論"),
    ("人々の声", "人々"),
    ("二〇二六年", "二〇二六"),
    ("錯誤：無法連接", "無法連接"),
    ("錯誤：無法連接", "连接"),
    ("错误：无法连接", "連接"),
    ("設定を変更する", "設定"),
    ("環境変数が読めない", "環境"),
    ("ユーザー認証のテスト", "認証"),
    ("deploy 🚀 on Friday", "🚀"),
    ("❌失败 ✅成功", "❌"),
    ("emoji 🎉 party", "party"),
    ("deploy🚀done", "done"),
    ("See https://example.com/docs/setup#linux for more", "setup linux"),
    ("rm -rf node_modules && npm ci", "npm ci"),
    ('FATAL: password authentication failed for user "app"', "authentication failed"),
    ("`pnpm -w add zod`", "pnpm zod"),
    ("a" * 300, "a" * 300),
    ("go ci db", "ci"),
    ("vector-search", "vector search"),
    ("The tag is scraping", "scraper scraping"),
]  # fmt: skip


@given(any_text)
def test_to_simplify_twice_is_to_simplify_once(text: str) -> None:
    once = simplified(text + "數據庫")
    assert simplified(once) == once
    assert len(once) == len(text) + 3


@pytest.mark.parametrize("forms", SAME, ids=lambda forms: forms[0])
def test_what_is_written_one_way_is_found_by_the_other(
    shelf: Shelf, forms: tuple[str, ...]
) -> None:
    missed = [(text, cue) for text in forms for cue in forms if not shelf.finds(text, cue)]
    assert missed == []


@pytest.mark.parametrize(("text", "part"), WITHIN)
def test_a_text_is_found_by_a_part_of_it(shelf: Shelf, text: str, part: str) -> None:
    assert shelf.finds(text, part)


@pytest.mark.parametrize(
    ("text", "cue"),
    [
        ("数据库连接", "文件系统"),
        ("fetchUser", "useEffects"),
        ("issue 123", "1234"),
        ("Tom & Jerry", "&"),
        ("ci/cd", "cicada"),
    ],
)
def test_what_has_no_word_in_common_is_not_found(shelf: Shelf, text: str, cue: str) -> None:
    assert not shelf.finds(text, cue)


# ---------------------------------------------------------------------------------------- laws

# Characters that the tokenizer's older Unicode tables know as letters.
_cjk = st.text(st.characters(min_codepoint=0x4E00, max_codepoint=0x9FA5), min_size=2, max_size=12)
_word = st.text(
    st.characters(max_codepoint=0x24F, categories=["L", "Nd"]), min_size=1, max_size=LONGEST_WORD
)
_text = st.lists(_word | _cjk | any_text, min_size=1, max_size=8).map(" ".join)


@given(st.lists(_cjk | _word, max_size=4), _cjk, st.data())
def test_two_or_more_chinese_characters_find_the_text_they_are_in(
    around: list[str], run: str, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(run) - 2))
    part = run[start : data.draw(st.integers(start + 2, len(run)))]
    assume(mainland(part) in mainland(run))  # half of a word of Taiwan's is none of the mainland's
    shelf = Shelf()
    assert shelf.finds(" ".join([*around[:2], run, *around[2:]]), part, every=True)
    assert shelf.finds("".join([*around[:2], run, *around[2:]]), part, every=True)
    shelf.db.close()


@given(_text, _word)
def test_any_word_of_a_text_finds_it(text: str, word: str) -> None:
    assume(any(c.isalnum() for c in folded(word)))
    shelf = Shelf()
    assert shelf.finds(f"{text} {word} {text}", word, every=True)
    assert shelf.finds(f"{text} ({word}), {text}", f"“{word}”")
    shelf.db.close()


@given(any_text | _text)
@example('a AND b OR NOT c NEAR(d, 5) "e" title:f g* ^h {i}: + - ()')
@example("'; DROP TABLE shelf; --")
@example("\x00\udc80\ud83d")
def test_every_cue_is_data(text: str) -> None:
    shelf = Shelf()
    shelf.finds(text, text, every=True)
    if text.isascii() and any(map(str.isalnum, text)):
        assert shelf.finds(text, text)
    shelf.db.close()


@given(any_text | _text)
def test_a_cue_with_a_letter_or_a_digit_has_words(text: str) -> None:
    words = cue_words(text)
    assert len(set(words)) == len(words)
    assert all(word and not word.isspace() for word in words)
    if len(text) <= LONGEST_CUE and any(c.isalnum() for c in folded(text)):
        assert words


@given(st.lists(st.sampled_from(["foo", "barBaz", "连接池", "a-b", "C++", "é"]), max_size=8))
def test_words_that_were_cut_before_are_cut_the_same(chunks: list[str]) -> None:
    known: dict[str, str] = {}
    text = " ".join(chunks)
    assert index_terms(text, known) == index_terms(text, known) == index_terms(text)
    assert set(known) == set(folded(text).split())


@given(_text | st.text("aZ1.é", max_size=9) | st.text("ab", min_size=60, max_size=70))
def test_the_words_of_a_text_are_those_of_its_chunks(text: str) -> None:
    words = [word for chunk in folded(text).split() for word in chunk_words(chunk)]
    assert index_terms(text).split() == [stem(word) for word in words]


@given(_text, _text)
def test_the_words_of_two_texts_are_the_words_of_both(one: str, two: str) -> None:
    both = index_terms(f"{one} {two}").split()
    assert both == index_terms(one).split() + index_terms(two).split()


# --------------------------------------------------------------------------------------- stemming


@pytest.mark.parametrize(
    "forms",
    [
        "deploy deploys deployed deploying", "cache caches cached caching", "query queries",
        "log logs logged logging", "stop stops stopped stopping", "call calls called calling",
        "database databases", "migrate migrates migrated migrating migration migrations",
        "connect connects connected connecting connection connections", "key keys", "class classes",
        "validate validates validated validating validation", "paginate paginated pagination",
        "allocate allocation", "db dbs database databases", "env environment", "config configs configuration",
        "prod production", "k8s kubernetes", "auth authenticate authentication", "repo repos repository",
        "certs certificates", "postgres pg PostgreSQL", "embed embedded embedding", "expose exposes exposed exposing", "index indexes indexed indexing",
    ],
)  # fmt: skip
def test_the_forms_of_a_word_have_one_stem(forms: str) -> None:
    assert len({stem(form.lower()) for form in forms.split()}) == 1


@pytest.mark.parametrize("pair", ["imply impl", "navy nav", "envy env", "dire dir", "vary var"])
def test_a_word_that_is_cut_to_a_short_form_is_not_that_word(pair: str) -> None:
    one, other = map(stem, pair.split())
    assert one != other
    assert stem(one) == one


@pytest.mark.parametrize(
    "words",
    ["production product", "auth author", "auth authorization", "py python",
     "development developer", "state station", "environment environ", "temp temperature"],
)  # fmt: skip
def test_other_words_have_another_stem(words: str) -> None:
    one, other = map(stem, words.split())
    assert one != other


@pytest.mark.parametrize(
    "word", ["class", "status", "analysis", "string", "speed", "bus", "redis", "连接", "h2s"]
)
def test_what_only_looks_like_an_ending_stays(word: str) -> None:
    assert stem(word) == word


@given(st.text("aeioudgnsytibl", min_size=1, max_size=12) | _text)
def test_a_stem_begins_its_word_and_is_its_own_stem(word: str) -> None:
    start = stem(word)
    assert word.startswith(start) or start in SHORT_FORMS.values()
    assert stem(start) == start
    assert len(start) >= min(3, len(word))


# ------------------------------------------------------------------------------------ stop words


def test_stop_words_go_unless_nothing_else_is_left() -> None:
    assert cue_words("What is the port?") == ["port"]
    assert cue_words("how do I do this") == ["how", "do", "i", "this"]
    assert cue_words("什么是数据库") == ["数据", "据库"]
    assert cue_words("前端用的是什么") == ["前端"]
    assert cue_words("用户调用") == ["用户", "户调", "调用"]
    assert cue_words("怎么") == ["怎么"]


@pytest.mark.parametrize("word", sorted(STOP_WORDS | STOP_PAIRS))
def test_a_stop_word_alone_is_searched_for(shelf: Shelf, word: str) -> None:
    assert shelf.finds(word, word)


def test_neighbours_are_searched_for_as_one_word_too() -> None:
    assert cue_words("use callback") == ["use", "callback", "usecallback"]
    assert "portis" not in cue_words("port is open")


# ---------------------------------------------------------------------------------------- limits


def test_a_long_paste_is_cut_to_its_start_and_its_end() -> None:
    cue = "alpha " + "filler " * 5_000 + "omega"
    assert {"alpha", "omega"} <= set(cue_words(cue))
    assert len(cue_words("word" + " w".join(map(str, range(50_000))))) < LONGEST_CUE


@pytest.mark.sampled(3)
@each_share
@pytest.mark.parametrize("unit", ["a", "aB", "a_", "数", "a ", "é", "数a", "..", "\u0301", "😀"])
def test_a_large_text_of_anything_is_soon_cut(unit: str, share: float) -> None:
    text = unit * int(300_000 * share / len(unit))
    assert is_quick(lambda: (index_terms(text), cue_words(text)), seconds=3 * share)


@pytest.mark.parametrize("text", NASTY)
def test_no_word_is_longer_than_a_word(text: str) -> None:
    for word in index_terms(text * 90).split():
        assert len(word) <= LONGEST_WORD * 3  # a few characters fold into three


def test_scripts_without_spaces_are_known() -> None:
    assert all(map(is_cjk, "数据ひらカタ한글㐀豈𠀀"))
    assert not any(map(is_cjk, "aé。，！ 1Ωж"))
