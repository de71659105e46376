"""Lang: the sentences of the program in Chinese; English is what the code has.

Promises: a sentence without a translation is said in English; the fields of both are the same
(a test compares them).
Touches: nothing.
"""

from __future__ import annotations


def say(lang: str, sentence: str, **fields: object) -> str:
    """A sentence in a language, with its fields filled in."""
    if lang == "zh":
        from recollect.lang_zh import ZH

        sentence = ZH.get(sentence, sentence)
    return sentence.format(**fields) if fields or "{" in sentence else sentence
