"""More than three hundred things that people, programs and enemies might search for."""

from __future__ import annotations

from itertools import product

_WORDS = ("jsonb", "NEAR", "and", "title", "连接", "")
_OPERATORS = (
    "{0} AND", "AND {0}", "{0} OR OR {0}", "NOT {0}", "{0} NOT {0}", "NEAR({0})", "NEAR({0}, 5)",
    "NEAR({0} {0}, -1)", "NEAR(", "{0}*", "*{0}", "^{0}", "{0} + {0}", "title:{0}", "body : {0}",
    "{{title tags}}: {0}", "- title: {0}", "-{0}", "+{0}", '"{0}', '{0}"', '""{0}""', '"{0}" *',
    "'{0}", "({0}", "{0})", "(({0}))", "[{0}]", "{{{0}}}", "{0}:", ":{0}", "{0}\\", "%{0}%",
    "_{0}_", "{0};", "{0}--", "/*{0}*/", "{0}\n{0}", "\t{0}\r\n", "{0}\0{0}", "{0}\x1b[2J",
    "{0}|{0}", "{0}&&{0}", "$({0})", "`{0}`", "{0}?", "<{0}>", "{0}@{0}", "{0},{0}", "~{0}",
)  # fmt: skip
_PLAIN = (
    "", " ", "\t\n", "C++", "c#", ".net", "foo-bar", "don't", "a.b.c", "src/x.py:12", "v1.2.3-rc.1",
    "'; DROP TABLE memory; --", "' OR 1=1 --", '"; DELETE FROM section; --', '" UNION SELECT 1 --',
    "😀", "👩‍👩‍👧‍👦", "é", "e\u0301", "\u202ecod", "\u200b", "\ufeff", "\ud800", "\udcff\udcfe",
    "\U0010ffff", "Ω≈ç√", "ẞ", "İstanbul", "ﬁ", "½", "٣", "中", "数据库", "数据库连接池", "，。", "日本語テキスト",
    "한국어", "ภาษาไทย", "עברית", "a" * 10_000, "连" * 10_000, "(" * 5_000, '"' * 5_000, "* " * 5_000,
    "AND " * 1_000, "NEAR " * 1_000, "\0" * 1_000, " ".join(f"word{n}" for n in range(20_000)),
    " ".join("jsonb" for _ in range(20_000)), "x" + " OR x" * 2_000, "rowid", "rank", "hot_fts",
)  # fmt: skip

HOSTILE = [*_PLAIN, *(form.format(word) for form, word in product(_OPERATORS, _WORDS))]
