"""Short: `recollect search WORDS [--limit N] [--json]` without the command line's libraries.

Promises: it prints what the command line would, to the byte, or nothing; whatever else is asked for,
or is out of the ordinary, is left to the command line.
Touches: stdout; what `app.short` touches.
"""

from __future__ import annotations

import io
import os
import sys

from recollect.app import short
from recollect.doors.hits import show_hit
from recollect.doors.paper import Paper, drop_output

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recollect.services.searching import Found

LIMIT, MOST = 10, 1000  # as the command line has them


def search(args: list[str]) -> bool:
    """Search for what was asked on the command line; False where it has to do so itself."""
    asked = _asked(args)
    out = sys.stdout
    if asked is None or "_RECOLLECT_COMPLETE" in os.environ:
        return False
    if not isinstance(out, io.TextIOWrapper) or out.isatty():
        return False
    try:
        text, limit, as_json = asked
        found = short.found(os.path.abspath(os.getcwd()), dict(os.environ), text, limit)
        if found is None or not found[1]:
            return False
        answer = _answer(text, *found, as_json=as_json)
    except Exception:  # noqa: BLE001 - the long way says what is wrong
        return False
    return _written(out, answer.encode(out.encoding, "replace"))


def _written(out: io.TextIOWrapper, data: bytes) -> bool:
    """Whether it was written; past what `out` keeps, where what failed would stay for later."""
    raw: Any = getattr(out.buffer, "raw", out.buffer)  # none behind what `python -u` opens
    try:
        while data:
            size: int | None = raw.write(data)
            if not size:
                return False  # it would have to wait
            data = data[size:]
    except BrokenPipeError:
        drop_output()
    except OSError:
        return False  # it fails there again, and is told as it should be
    return True


def _asked(args: list[str]) -> tuple[str, int, bool] | None:
    """The words, the limit and whether JSON is wanted; None for all that is not said so."""
    words: list[str] = []
    limit, as_json = LIMIT, False
    rest = iter(args)
    for arg in rest:
        if arg == "--json":
            as_json = True
        elif arg == "--limit":
            number = next(rest, "")
            is_number = number.isascii() and number.isdecimal() and len(number) <= len(str(MOST))
            if not (is_number and 1 <= int(number) <= MOST):
                return None
            limit = int(number)
        elif arg == "--":
            words += rest
        elif arg.startswith("-"):
            return None
        else:
            words.append(arg)
    text = " ".join(words)
    return (text, limit, as_json) if text.strip() else None


def _answer(text: str, lang: str, hits: list[Found], *, as_json: bool) -> str:
    page = io.StringIO()
    paper = Paper(page)
    if as_json:
        from recollect.app.hits import hit_json

        paper.json({"query": text, "hits": [hit_json(hit) for hit in hits]})
    else:
        for hit in hits:
            show_hit(paper, lang, hit)
    return page.getvalue()
