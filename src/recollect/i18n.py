"""Translate messages into Chinese; the code contains the English.

locale/zh.toml has the translations; a missing one stays English. Interfaces call `say` with a
template and its fields. `translate` recognises finished English sentences by their fixed words, so
that lower rooms need no language.
"""

from __future__ import annotations

from recollect._fastimport import Pattern

TYPE_CHECKING = False  # every search loads this: as little as can be
if TYPE_CHECKING:
    import re
    from collections.abc import Mapping

_TABLES: dict[str, dict[str, str]] = {}
_KNOWN: list[tuple[re.Pattern[str], str]] = []
_FIELD = Pattern(r"\{(\w+)(?:[:!][^}]*)?\}")


def asked_of(env: Mapping[str, str]) -> str:
    """The language that an environment asks for."""
    asked = env.get("LC_ALL") or env.get("LC_MESSAGES") or env.get("LANG", "")
    return "zh" if asked.lower().startswith("zh") else "en"


def say(lang: str, sentence: str, **fields: object) -> str:
    """A sentence in a language, with its fields filled in."""
    return word(lang, sentence).format(**fields)


def word(lang: str, text: str) -> str:
    """A word of ours in a language; any other text comes back as it is."""
    return tables()["sentences"].get(text, text) if lang == "zh" else text


def tables() -> dict[str, dict[str, str]]:
    """The translations by their English: `sentences`, and the `reasons` that come up from below.

    Read line by line: `tomllib` takes 20 ms for them. A test compares the two.
    """
    if not _TABLES:
        path = f"{__file__.rpartition('/')[0]}/locale/zh.toml"
        table: dict[str, str] = {}
        with open(path, encoding="utf-8") as file:
            for line in file:
                if line[0] == '"':
                    english, _, chinese = line[1:-2].partition('" = "')
                    table[english] = chinese
                elif line[0] == "[":
                    table = _TABLES.setdefault(line[1:-2], {})
    return _TABLES


def translate(lang: str, text: str) -> str:
    """A ready-made English sentence in a language; as it is if nobody knows it."""
    if lang != "zh":
        return text
    several = [_translated(part) for part in text.split("; ")]
    if all(several):  # problems of one file are joined like this
        return "；".join(filter(None, several))
    return _translated(text) or text


def _translated(text: str) -> str:
    """The Chinese of a whole sentence, or of one without its full stop; else nothing."""
    for pattern, chinese in _known_sentences():
        match = pattern.fullmatch(text)
        if match:
            from functools import partial

            return _FIELD.sub(partial(_field_of, match), chinese)
    found = _translated(text[:-1]) if text.endswith(".") else ""
    return f"{found}。" if found else ""


def _field_of(match: re.Match[str], field: re.Match[str]) -> str:
    return translate("zh", match[field[1]])


def _known_sentences() -> list[tuple[re.Pattern[str], str]]:
    """The sentences that may come ready-made, the most particular first."""
    if _KNOWN:
        return _KNOWN
    from recollect.errors import every_error

    whole = {error.sentence: tables()["sentences"][error.sentence] for error in every_error()}
    known = {e: c for e, c in (tables()["reasons"] | whole).items() if len(_FIELD.sub("", e)) > 4}
    ranked = sorted(known, key=lambda english: -len(_FIELD.sub("", english)))
    _KNOWN.extend((_pattern_of(english), known[english]) for english in ranked)
    return _KNOWN


def _pattern_of(english: str) -> re.Pattern[str]:
    import re

    fields: set[str] = set()
    pattern = ""
    for n, part in enumerate(_FIELD.split(english)):
        again = part in fields
        pattern += (f"(?P={part})" if again else f"(?P<{part}>.+?)") if n % 2 else re.escape(part)
        fields |= {part} if n % 2 else set()
    return re.compile(pattern, re.DOTALL)
