"""The labels of pages in the person's language. On disk they stay English, so that every tool reads them."""

from __future__ import annotations

from recollect._fastimport import Pattern
from recollect.i18n import tables

TYPE_CHECKING = False  # every search loads this module, so it imports little
if TYPE_CHECKING:
    import re

_TITLE = Pattern(r"(^|– )(Solution): ")
_IN_LINE = Pattern(r"^(#+ )(Solution): |^([ \t]*- \**)\[([a-z-]+)\]|^([ \t]+- )([a-z]+): ")


def shown_title(lang: str, title: str) -> str:
    """The title of a memory, or of an entry on one."""
    return title if lang == "en" else _TITLE.sub(_title, title)


def shown_page(lang: str, text: str) -> str:
    """The text of a page: titles, categories and sources of facts; code stays as it is."""
    if lang == "en":
        return text
    from recollect.model.facts import code_in  # a search shows no page

    lines = text.split("\n")
    code = code_in(lines)
    return "\n".join(
        line if code[n] else _IN_LINE.sub(_label, line) for n, line in enumerate(lines)
    )


def _title(found: re.Match[str]) -> str:
    return f"{found[1]}{tables()['labels'][found[2]]}："


def _label(found: re.Match[str]) -> str:
    labels = tables()["labels"]
    if found[2]:
        return _title(found)
    if found[4]:
        return f"{found[3]}[{labels.get(found[4], found[4])}]"
    return f"{found[5]}{labels[found[6]]}：" if found[6] in labels else found[0]
