"""Which of the files that a session changed say where its work was.

Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from recollect._fastimport import Pattern

_OF_TESTS = Pattern(r"(?:^|[/_.-])(?:tests?|specs?|__tests__)(?=[/_.-])", 2)  # re.I
_DOCUMENT = Pattern(r"\.(?:mdx?|mdc|rst|adoc|txt)$", 2)
_SETTINGS = Pattern(  # which many changes touch in passing
    r"(?:^|/)(?:\.git/|\.\w*ignore$|(?:package|tsconfig[\w.]*)\.json$|go\.mod$|(?:pyproject|Cargo)\.toml$)"
    r"|[-.]lock(?:\.\w+)?$|\.sum$",
    2,
)


def where(paths: Sequence[str], told: str, *, is_published: bool) -> Sequence[str]:
    """The files that are not named yet, those of the program before its tests.

    Documents are told where they may be what came of it: beside commits they are not.
    """
    known = told.casefold()

    def is_news(path: str) -> bool:
        name = path.rpartition("/")[2]
        if _DOCUMENT.search(path):
            return not is_published and name.partition(".")[0].casefold() not in known
        return name not in told and not _SETTINGS.search(path)

    new = [path for path in paths if is_news(path)]
    return [path for path in new if not _OF_TESTS.search(path)] or new
