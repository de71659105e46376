"""Translate messages into Chinese; the code contains the English.

locale/zh.toml has the translations; a missing one stays English. Interfaces call `say` with a
template and its fields. `translate` recognises finished English sentences by their fixed words, so
that lower rooms need no language.
"""

from __future__ import annotations

from functools import cache

from recollect._fastimport import Callable, Iterable, Mapping, Pattern

TYPE_CHECKING = False  # every search loads this module, so it imports little
if TYPE_CHECKING:
    import re

_FIELD = Pattern(r"\{(\w+)(?:[:!][^}]*)?\}")
_NAME = Pattern(r"[A-Z]+(?:-[A-Z]+)*")
# What messages count. One of them is named without its plural.
_COUNTED = Pattern(
    r"(\{(\w+)(?::[^}]*)?\} (?:more |hook )?)(bytes|calls|changes|characters|commits|days|entries"
    r"|facts|files|hours|items|lines|memories|notes|questions|sessions|statements|tokens)\b"
)


def language_of(env: Mapping[str, str]) -> str:
    """The language that an environment asks for."""
    locale = env.get("LC_ALL") or env.get("LC_MESSAGES") or env.get("LANG", "")
    return "zh" if locale.lower().startswith("zh") else "en"


def say(lang: str, sentence: str, **fields: object) -> str:
    """A sentence in a language, with its fields filled in."""
    return filled(word(lang, sentence), **fields)


def filled(template: str, **fields: object) -> str:
    """A template with its fields filled in; one of what it counts is singular: 1 memory."""
    ones = [name for name, value in fields.items() if value in (1, "1")]
    if ones:
        template = _COUNTED.sub(
            lambda found: found[1] + (_one_of(found[3]) if found[2] in ones else found[3]), template
        )
    return template.format(**fields)


def _one_of(plural: str) -> str:
    return f"{plural[:-3]}y" if plural.endswith("ies") else plural[:-1]


def word(lang: str, text: str) -> str:
    """A word or template of ours in a language; any other text as it is."""
    return tables()["sentences"].get(text, text) if lang == "zh" else text


def english_of(text: str, words: Iterable[str]) -> str:
    """The word of ours that is shown so in Chinese; the text as it is where none is."""
    return next((one for one in words if word("zh", one) == text), text)


def help_word(lang: str, text: str) -> str:
    """A text of the help in a language."""
    return tables()["help"].get(text, text) if lang == "zh" else text


def with_names(usage: str, say: Callable[[str], str]) -> str:
    """The words of a usage line with the names of its values, such as `[TITLE]`, as `say` has them."""
    return _NAME.sub(lambda name: say(name[0]), usage)


@cache
def tables() -> dict[str, dict[str, str]]:
    """The translations by their English: `sentences`, finished `reasons` of lower rooms, and `help`.

    Read line by line: `tomllib` takes 20 ms for them. A test compares the two.
    """
    tables: dict[str, dict[str, str]] = {}
    table: dict[str, str] = {}
    with open(f"{__file__.rpartition('/')[0]}/locale/zh.toml", encoding="utf-8") as file:
        for line in file:
            if line[0] == '"':
                english, _, chinese = line[1:-2].partition('" = "')
                table[english] = chinese
            elif line[0] == "[":
                table = tables.setdefault(line[1:-2], {})
    return tables


def translate(lang: str, text: str) -> str:
    """A finished English sentence in a language; an unknown one as it is."""
    if lang != "zh":
        return text
    parts = [_translated(part) for part in text.split("; ")]  # problems of one file are joined so
    return "；".join(parts) if all(parts) else _translated(text) or text


def _translated(text: str) -> str:
    """The Chinese of a sentence, with or without its full stop; else nothing."""
    for pattern, chinese in _patterns():
        if match := pattern.fullmatch(text):
            fields = {name: translate("zh", value) for name, value in match.groupdict().items()}
            if "kind" in fields:
                fields["kind"] = word("zh", fields["kind"])
            if "hint" in fields:
                fields["hint"] = with_names(fields["hint"], lambda name: help_word("zh", name))
            return _FIELD.sub(lambda field: fields[field[1]], chinese)  # noqa: B023 - used at once
    translated = _translated(text[:-1]) if text.endswith(".") else ""
    return f"{translated}。" if translated else ""


@cache
def _patterns() -> list[tuple[re.Pattern[str], str]]:
    """A pattern for each finished sentence, with its Chinese; the longest sentences first."""
    from recollect.errors import every_error

    known = tables()["reasons"] | {e.sentence: word("zh", e.sentence) for e in every_error()}
    fixed = {english: len(_FIELD.sub("", english)) for english in known}
    ranked = sorted(known, key=lambda english: -fixed[english])
    return [(_pattern_of(english), known[english]) for english in ranked if fixed[english] > 4]


def _pattern_of(english: str) -> re.Pattern[str]:
    import re

    fields: set[str] = set()
    pattern = ""
    for n, part in enumerate(_FIELD.split(english)):
        if n % 2:
            pattern += f"(?P={part})" if part in fields else f"(?P<{part}>.+?)"
            fields.add(part)
        else:
            pattern += re.escape(part)
    return re.compile(pattern, re.DOTALL)
